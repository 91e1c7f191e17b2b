//! What a Markdown page states: its bullets and paragraphs, each with its heading and the lead-ins before it.

mod line;
mod scan;

use super::candidate::{CandidateCollector, ImportCandidate};
pub(super) use line::is_check_box;
use scan::MarkdownNode;

/// The longest lead-in that is repeated before what it leads into, in characters.
const LEAD_CHARS: usize = 160;

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MarkdownBlock {
    /// It states something.
    Text {
        /// Its first line, counted from 1.
        line: usize,
        /// The heading it stands under.
        heading: Option<String>,
        /// What it says.
        text: String,
    },
    /// It states nothing.
    Other {
        /// Its first line.
        line: usize,
        /// What it is instead.
        why: &'static str,
    },
}

/// Takes the texts of a page, from behind its head, as `to_candidate` makes them out of place, heading and words. `skip`
/// says why one of them is no use.
pub(super) fn collect_blocks(
    page: &mut CandidateCollector,
    (text, head): (&str, usize),
    skip: impl Fn(&str) -> Option<&'static str>,
    to_candidate: impl Fn(String, Option<String>, String) -> ImportCandidate,
) {
    for block in parse_markdown_blocks(text, head) {
        match block {
            MarkdownBlock::Other { line, why } => page.leave_out(format!("line {line}"), why),
            MarkdownBlock::Text {
                line,
                heading,
                text,
            } => {
                let at = format!("line {line}");
                match skip(&text).or_else(|| is_single_word(&text).then_some("a word by itself")) {
                    Some(why) => page.leave_out(at, why),
                    None => page.add_candidate(to_candidate(at, heading, text)),
                }
            }
        }
    }
}

/// Whether a text is a single word: a name, and nothing said of it. Scripts without spaces have no single words.
fn is_single_word(text: &str) -> bool {
    text.is_ascii() && text.split_whitespace().count() < 2
}

/// The parts of a page from behind its head, which takes up so many lines.
fn parse_markdown_blocks(text: &str, head: usize) -> Vec<MarkdownBlock> {
    let nodes = scan::scan_markdown_nodes(text, head);
    let mut folding = BlockFolder::default();
    for (i, node) in nodes.iter().enumerate() {
        match node {
            MarkdownNode::Heading(text) => {
                folding = BlockFolder {
                    heading: Some(text.clone()).filter(|it| !it.is_empty()),
                    out: folding.out,
                    ..BlockFolder::default()
                };
            }
            MarkdownNode::Other { line, why } => {
                folding.open = None;
                folding.push_other(*line, why);
            }
            MarkdownNode::Text { line, depth, text } => {
                let is_led = matches!(nodes.get(i + 1), Some(MarkdownNode::Text { depth: it, .. }) if it > depth);
                folding.push_text(*line, *depth, text, is_led);
            }
        }
    }
    folding.out
}

#[derive(Default)]
struct BlockFolder {
    out: Vec<MarkdownBlock>,
    heading: Option<String>,
    /// Lead-ins that hold for what is deeper than they are.
    leads: Vec<(usize, String)>,
    /// How deep the last bullet is: what is deeper belongs to it.
    open: Option<usize>,
}

impl BlockFolder {
    fn push_text(&mut self, line: usize, depth: usize, text: &str, is_led: bool) {
        self.leads.retain(|(it, _)| *it < depth);
        if self.open.is_some_and(|it| depth > it)
            && let Some(MarkdownBlock::Text { text: whole, .. }) = self.out.last_mut()
        {
            *whole += &format!("\n- {text}");
            return;
        }
        self.open = None;
        let lead = text.trim_end_matches('*').strip_suffix(':');
        match lead.map(|it| it.trim_matches('*')) {
            Some(lead) if is_led && lead.chars().count() <= LEAD_CHARS => {
                self.leads.push((depth, lead.to_owned()));
            }
            Some(_) if is_led => self.push_other(line, "a lead-in too long to be repeated"),
            Some(_) => self.push_other(line, "it introduces something that is not a fact"),
            None => {
                // Depth 0 is a paragraph, and nothing is nested in one.
                self.open = Some(depth).filter(|it| *it > 0);
                let leads = self.leads.iter().map(|(_, it)| format!("{it}: "));
                let text = leads.collect::<String>() + text;
                self.out.push(MarkdownBlock::Text {
                    line,
                    heading: self.heading.clone(),
                    text,
                });
            }
        }
    }

    fn push_other(&mut self, line: usize, why: &'static str) {
        self.out.push(MarkdownBlock::Other { line, why });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let told = |it: &MarkdownBlock| match it {
            MarkdownBlock::Text {
                line,
                heading,
                text,
            } => {
                format!(
                    "{line} [{}] {}\n",
                    heading.as_deref().unwrap_or(""),
                    text.replace('\n', "⏎")
                )
            }
            MarkdownBlock::Other { line, why } => format!("{line} – {why}\n"),
        };
        parse_markdown_blocks(text, 0).iter().map(told).collect()
    }

    const PAGE: &str = "\
# Title

A paragraph of
two lines.

- one
* two
  goes on
1. three
   - below three

When testing:

- use the fake clock
- never sleep
  - not even a little

## Commands ##

Run it like so:

```sh
- not a bullet
```

| a | b |
|---|---|
| 1 | 2 |

[![badge](https://x)](https://y)
---
<!-- a comment
over lines -->
<details>
- [ ] to do
- [x] done

**Style**

> quoted words

    indented code
    more of it

Setext
======
under setext
@AGENTS.md
- **Bold lead:**
  - led by bold
<!-- apostille:begin -->
- ours
<!-- apostille:end -->
```
never closed
";

    #[test]
    fn a_page_is_taken_apart() {
        insta::assert_snapshot!(told(PAGE), @"
        3 [Title] A paragraph of two lines.
        6 [Title] one
        7 [Title] two goes on
        9 [Title] three⏎- below three
        14 [Title] When testing: use the fake clock
        15 [Title] When testing: never sleep⏎- not even a little
        20 – it introduces something that is not a fact
        22 – a code block
        26 – a table
        30 – a picture or a badge
        32 – a comment
        34 – HTML
        35 – a check box
        36 – a check box
        40 [Style] quoted words
        42 – a code block
        47 [Setext] under setext
        48 – it takes in another file
        50 [Setext] Bold lead: led by bold
        51 – apostille's own block
        54 – a code block
        ");
    }

    #[test]
    fn line_ends_of_another_system_change_nothing() {
        let page = "# A\n\n- one\n  - two\n\ntext\n";
        assert_eq!(told(page), told(&page.replace('\n', "\r\n")));
    }
}
