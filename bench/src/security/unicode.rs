//! Characters: what hides must go, what shows must stay byte for byte, and look-alikes are read as what they look like.
//!
//! Whether something is left is judged by lists of this file, not by those of the program.

use anyhow::Result;
use apostille_text::moderate;
use serde::Deserialize;

use super::{Section, corpus::Corpus, tally::Tally};

/// Kinds whose payload is in characters that do not show.
const HIDDEN: [&str; 8] = [
    "ansi-escape",
    "bidi",
    "control-char",
    "invisible-operator-binary",
    "tag-smuggling",
    "variation-selector-smuggling",
    "zero-width",
    "zero-width-binary",
];
/// Markup that acts, as a page would find it.
const ACTS: [&str; 17] = [
    "<script",
    "</script",
    "<style",
    "<iframe",
    "<frame",
    "<object",
    "<embed",
    "<applet",
    "<meta",
    "<link",
    "<base",
    "<form",
    "srcdoc=",
    "javascript:a",
    "javascript:j",
    "javascript:d",
    "](https://attacker",
];
/// How many examples are told of each thing that went wrong.
const FEW: usize = 12;

#[derive(Deserialize)]
struct Row {
    text: String,
    kind: String,
}

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let attacks: Vec<Row> = corpus.rows("unicode.attack")?;
    let legit: Vec<Row> = corpus.rows("unicode.legit")?;
    let mut section = attacked(&attacks);
    let kept = kept(&legit);
    section.bars.extend(kept.bars);
    section.tables.extend(kept.tables);
    section.notes.extend(kept.notes);
    Ok(section)
}

fn attacked(attacks: &[Row]) -> Section {
    let (mut left, mut marked, mut notes) = (Tally::default(), Tally::default(), Vec::new());
    for row in attacks {
        let text = moderate::sanitise_text(&row.text);
        let is_left = match row.kind.as_str() {
            "html-md-exfil" => acts(&text),
            // They hold words and pictures that need their joiners.
            kind if kind.starts_with("naughty") => {
                text.chars().any(|it| hides(it) && !is_joiner(it))
            }
            _ => text.chars().any(hides),
        };
        let kind = row.kind.split(" (").next().unwrap_or("");
        left.add(kind, is_left);
        if is_left && notes.len() < FEW {
            notes.push(format!("left ({kind}): {}", short(&text)));
        }
        if matches!(kind, "homoglyph" | "compat-forms") {
            let is_read = is_read_as_it_looks(&row.text);
            marked.add(kind, is_read);
            if !is_read {
                notes.push(format!("not seen through ({kind}): {}", short(&row.text)));
            }
        }
    }
    let hidden = left.sum(|it| HIDDEN.contains(&it) || it == "zero-width-interleave");
    Section {
        bars: vec![
            hidden.bar("hidden payloads left in the text", "0 %", |it| it == 0.0),
            left.of("html-md-exfil")
                .bar("markup that acts left in the text", "0 %", |it| it == 0.0),
            left.of("naughty-string").bar(
                "naughty strings with something hidden left",
                "0 %",
                |it| it == 0.0,
            ),
            marked
                .sum(|_| true)
                .bar("look-alikes marked or read as they look", "≥ 95 %", |it| {
                    it >= 95.0
                }),
        ],
        tables: vec![
            (
                "What is left of attacks by characters and markup".into(),
                left.table("kind", "left"),
            ),
            (
                "Look-alikes seen through".into(),
                marked.table("kind", "seen"),
            ),
        ],
        notes,
    }
}

/// Marked as posing, or screened in the letters it shows: nothing of another script or form is left to read.
fn is_read_as_it_looks(text: &str) -> bool {
    let read = moderate::fold_to_skeleton(text);
    let is_plain = read
        .chars()
        .filter(|it| it.is_alphabetic())
        .all(|it| it < '\u{250}');
    moderate::has_confusable_word(text) || is_plain
}

fn kept(legit: &[Row]) -> Section {
    let (mut same, mut posing, mut notes) = (Tally::default(), Tally::default(), Vec::new());
    for row in legit {
        let text = moderate::sanitise_text(&row.text);
        same.add(&row.kind, text == row.text);
        posing.add(&row.kind, moderate::has_confusable_word(&row.text));
        if text != row.text {
            notes.push(format!(
                "changed ({}): {} into {}",
                row.kind,
                short(&row.text),
                short(&text)
            ));
        } else if moderate::has_confusable_word(&row.text) {
            notes.push(format!(
                "taken for look-alikes ({}): {}",
                row.kind,
                short(&row.text)
            ));
        }
    }
    Section {
        bars: vec![
            same.sum(|_| true).bar(
                "legitimate text of every script, byte-identical",
                "100 %",
                |it| it == 100.0,
            ),
            posing
                .sum(|_| true)
                .bar("legitimate text taken for look-alikes", "≤ 0.5 %", |it| {
                    it <= 0.5
                }),
        ],
        tables: vec![(
            "Legitimate text kept as it is".into(),
            same.table("kind", "same"),
        )],
        notes,
    }
}

/// Whether a character does not show, drives a terminal or turns text around.
fn hides(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    let is_odd = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{3164}' | '\u{feff}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0e}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..);
    is_control || is_odd
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a page would run or load something.
fn acts(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_handler = |tag: &str| {
        let inside = tag.split('>').next().unwrap_or("");
        let names = inside.split(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\''));
        let is_tag = inside.starts_with(|c: char| c.is_ascii_alphabetic());
        is_tag
            && names
                .skip(1)
                .any(|it| it.starts_with("on") && it.len() > 4 && it.contains('='))
    };
    ACTS.iter().any(|it| lower.contains(it)) || lower.split('<').skip(1).any(has_handler)
}

fn short(text: &str) -> String {
    text.chars()
        .take(200)
        .collect::<String>()
        .escape_debug()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_and_what_hides_is_told() {
        let check = |text: &str, expected: (bool, bool)| {
            assert_eq!((acts(text), text.chars().any(hides)), expected, "{text:?}");
        };
        check("a <b> c onion=1", (false, false));
        check("<img src=x onerror=alert(1)>", (true, false));
        check("<SCRIPT>", (true, false));
        check("a\u{200b}b", (false, true));
        check("a\u{1b}[m", (false, true));
    }
}
