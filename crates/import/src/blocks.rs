//! What a Markdown page states: its bullets and paragraphs, each with its heading and the lead-ins before it.

mod line;
mod scan;

use scan::Node;

/// The longest lead-in that is repeated before what it leads into, in characters.
const LEAD_CHARS: usize = 160;

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
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

/// The parts of a page from behind its head, which takes up so many lines.
pub(super) fn blocks(text: &str, head: usize) -> Vec<Block> {
    let nodes = scan::nodes(text, head);
    let mut folding = Folding::default();
    for (i, node) in nodes.iter().enumerate() {
        folding.take(node, nodes.get(i + 1));
    }
    folding.out
}

#[derive(Default)]
struct Folding {
    out: Vec<Block>,
    heading: Option<String>,
    /// Lead-ins that hold for what is deeper than they are.
    leads: Vec<(usize, String)>,
    /// How deep the last bullet is: what is deeper belongs to it.
    open: Option<usize>,
}

impl Folding {
    fn take(&mut self, node: &Node, next: Option<&Node>) {
        match node {
            Node::Heading(text) => {
                self.heading = Some(text.clone()).filter(|it| !it.is_empty());
                (self.open, self.leads) = (None, Vec::new());
            }
            Node::Other { line, why } => {
                self.open = None;
                self.other(*line, why);
            }
            Node::Text { line, depth, text } => {
                self.leads.retain(|(it, _)| it < depth);
                let is_led = matches!(next, Some(Node::Text { depth: it, .. }) if it > depth);
                self.text(*line, *depth, text, is_led);
            }
        }
    }

    fn text(&mut self, line: usize, depth: usize, text: &str, is_led: bool) {
        if self.open.is_some_and(|it| depth > it)
            && let Some(Block::Text { text: whole, .. }) = self.out.last_mut()
        {
            *whole += &format!("\n- {text}");
            return;
        }
        self.open = None;
        match text
            .trim_end_matches('*')
            .strip_suffix(':')
            .map(|it| it.trim_matches('*'))
        {
            Some(lead) if is_led && lead.chars().count() <= LEAD_CHARS => {
                self.leads.push((depth, lead.to_owned()));
            }
            Some(_) if is_led => self.other(line, "a lead-in too long to be repeated"),
            Some(_) => self.other(line, "it leads into something that is no fact"),
            None => {
                // Depth 0 is a paragraph, and nothing is nested in one.
                self.open = Some(depth).filter(|it| *it > 0);
                let leads = self.leads.iter().map(|(_, it)| format!("{it}: "));
                let text = leads.collect::<String>() + text;
                self.out.push(Block::Text {
                    line,
                    heading: self.heading.clone(),
                    text,
                });
            }
        }
    }

    fn other(&mut self, line: usize, why: &'static str) {
        self.out.push(Block::Other { line, why });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let told = |it: &Block| match it {
            Block::Text {
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
            Block::Other { line, why } => format!("{line} – {why}\n"),
        };
        blocks(text, 0).iter().map(told).collect()
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
        20 – it leads into something that is no fact
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
