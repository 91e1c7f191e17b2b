//! How it looks: colour, widths, times, tables. Text of memories is made harmless here, and only here.

pub mod memory;
pub mod paste;
mod table;

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};
use apostille_text::moderate;
use jiff::Timestamp;
use unicode_width::UnicodeWidthChar as _;

use apostille_api::json::ScoreView;

/// Something to look at first.
pub const BOLD: Style = Style::new().bold();
/// Something to look at last.
pub const DIM: Style = Style::new().dimmed();
/// Good.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// Followed.
pub const CYAN: Style = AnsiColor::Cyan.on_default();
/// In doubt.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
/// Bad.
pub const RED: Style = AnsiColor::Red.on_default();

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 100;
/// Narrower than this nothing can be laid out.
const NARROWEST: usize = 40;

/// How to write for whoever reads: a person at a terminal, or a pipe.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    now: Timestamp,
    /// How wide a line may be.
    pub columns: Option<usize>,
}

impl Paint {
    /// For a terminal of so many columns; `None` for a pipe, where nothing is wrapped and times are exact.
    pub fn new(now: Timestamp, columns: Option<usize>) -> Self {
        Self {
            now,
            columns: columns.map(|it| it.max(NARROWEST)),
        }
    }

    /// A time: how long ago for people, exact for pipes.
    pub fn format_time(&self, at: Timestamp) -> String {
        match self.columns {
            Some(_) => format_age(self.now, at),
            None => apostille_core::format::format_timestamp(at),
        }
    }

    /// A text in lines that fit, each behind an indent.
    pub fn wrap_text(&self, text: &str, indent: usize) -> String {
        let room = self
            .columns
            .map(|it| it.min(WIDEST).saturating_sub(indent).max(20));
        make_terminal_safe(text)
            .lines()
            .flat_map(|line| wrap_line(line, room))
            .map(|line| format!("{:indent$}{line}\n", ""))
            .collect()
    }

    /// A text on one line, cut to the room that is left of it.
    pub fn fit_to_line(&self, text: &str, used: usize) -> String {
        let room = self
            .columns
            .map_or(usize::MAX, |it| it.saturating_sub(used));
        truncate_to_width(&flatten_to_line(text), room)
    }
}

/// A text in a colour.
pub fn style_text(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Texts with something between them.
pub fn join_texts(texts: impl IntoIterator<Item = impl Display>, between: &str) -> String {
    texts
        .into_iter()
        .map(|it| it.to_string())
        .collect::<Vec<_>>()
        .join(between)
}

/// The text where it applies; else nothing.
pub fn format_if(applies: bool, text: impl FnOnce() -> String) -> String {
    applies.then(text).unwrap_or_default()
}

/// Somebody's words on one line behind a text of ours; nothing where there are none.
pub fn format_after(before: &str, words: Option<&str>) -> String {
    words
        .map(|it| format!("{before}{}", flatten_to_line(it)))
        .unwrap_or_default()
}

/// A text without anything that drives a terminal or hides.
pub fn make_terminal_safe(text: &str) -> String {
    moderate::neutralise_text(text)
}

/// The same on one line.
pub fn flatten_to_line(text: &str) -> String {
    moderate::neutralise_to_one_line(text)
}

/// A text with these words in bold, wherever they stand as a whole.
pub fn embolden_words(text: &str, words: &[&str]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_start = !out.ends_with(is_word);
        let whole = |it: &&&str| {
            rest.strip_prefix(**it)
                .is_some_and(|after| !after.starts_with(is_word))
        };
        match words
            .iter()
            .filter(|it| is_start && !it.is_empty())
            .find(whole)
        {
            Some(word) => {
                out += &style_text(BOLD, word);
                rest = &rest[word.len()..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// The colour of a standing.
pub fn pick_standing_style(word: &str) -> Style {
    match word {
        "holds" | "stands" => GREEN,
        "moved" | "stated" => CYAN,
        "changed" | "check" => YELLOW,
        "gone" | "contradicted" => RED,
        _ => DIM,
    }
}

/// How long ago, as people say it.
pub fn format_age(now: Timestamp, at: Timestamp) -> String {
    let seconds = now.duration_since(at).as_secs();
    let (n, unit) = match seconds {
        ..45 => return "just now".into(),
        45..3_600 => ((seconds / 60).max(1), "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        86_400..1_209_600 => (seconds / 86_400, "day"),
        1_209_600..5_184_000 => (seconds / 604_800, "week"),
        5_184_000..63_072_000 => (seconds / 2_592_000, "month"),
        _ => (seconds / 31_536_000, "year"),
    };
    format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" })
}

/// So many of something.
pub fn format_count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A bar of ten cells for a percentage.
pub fn format_percent_bar(percent: u8) -> String {
    let full = usize::from(percent).div_ceil(10).min(10);
    format!("{}{}", "█".repeat(full), "░".repeat(10 - full))
}

/// A diff in its colours, behind an indent; hunk headers become an ellipsis between hunks.
pub fn colour_diff(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for line in make_terminal_safe(text)
        .lines()
        .filter(|it| !it.starts_with('\\'))
    {
        let style = match line.chars().next() {
            Some('+') => GREEN,
            Some('-') => RED,
            Some('@') if out.is_empty() => continue,
            _ => DIM,
        };
        let line = if line.starts_with('@') { "…" } else { line };
        let _ = writeln!(out, "{:indent$}{}", "", style_text(style, line));
    }
    out
}

/// Breaks a line between words so that each piece fits; words longer than a line are cut.
fn wrap_line(line: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else {
        return vec![line.trim_end().to_owned()];
    };
    let mut words = line
        .split_whitespace()
        .flat_map(|it| split_wide_word(it, room));
    let mut lines = vec![words.next().unwrap_or_default()];
    for word in words {
        match lines.last_mut() {
            Some(last) if measure_text_width(last) + 1 + measure_text_width(&word) <= room => {
                *last += &format!(" {word}");
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A word, cut where it is wider than the room.
fn split_wide_word(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        if used + c.width().unwrap_or(0) > room {
            pieces.push(String::new());
            used = 0;
        }
        used += c.width().unwrap_or(0);
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

/// The factors of a score, whose product it is.
pub fn format_score_breakdown(paint: &Paint, why: &ScoreView, score: f32) -> String {
    let terms = match why.terms.as_slice() {
        [] => "no word in common".into(),
        terms => terms.join(", "),
    };
    let parts = why.meaning.as_ref().map_or_else(String::new, |it| {
        format!(
            "; words {:.3} + meaning {:.3} at a cosine of {:.2}",
            it.words, it.meaning, it.cosine
        )
    });
    let trusted = format_if(!why.trust_terms.is_empty(), || {
        format!(" ({})", why.trust_terms.join(", "))
    });
    let text = format!(
        "score {score:.3} = relevance {:.3} ({terms}{parts}) × recency {:.3} × trust {:.2}{trusted} × usefulness {:.2} × \
         affinity {:.2}",
        why.relevance, why.recency, why.trust, why.usefulness, why.affinity
    );
    style_text(DIM, paint.wrap_text(&text, 6))
}

/// How many columns a text takes, colours not counted.
pub fn measure_text_width(text: &str) -> usize {
    let mut width = 0;
    let mut in_escape = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ => width += c.width().unwrap_or(0),
        }
    }
    width
}

/// The beginning of a text that fits, with an ellipsis where something was cut.
pub fn truncate_to_width(text: &str, room: usize) -> String {
    if measure_text_width(text) <= room {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used < room
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let check = |at: &str, expected: &str| {
            assert_eq!(format_age(now, at.parse().unwrap()), expected, "{at}")
        };
        check("2026-03-01T11:59:40Z", "just now");
        check("2026-03-01T12:00:40Z", "just now");
        check("2026-03-01T11:59:00Z", "1 minute ago");
        check("2026-03-01T09:00:00Z", "3 hours ago");
        check("2026-02-26T12:00:00Z", "3 days ago");
        check("2026-02-10T12:00:00Z", "2 weeks ago");
        check("2025-11-01T12:00:00Z", "4 months ago");
        check("2023-11-01T12:00:00Z", "2 years ago");
    }

    #[test]
    fn lines_fit_whatever_the_script() {
        let check = |text: &str, room: usize, expected: &[&str]| {
            assert_eq!(wrap_line(text, Some(room)), expected, "{text:?}");
        };
        check("one two three", 8, &["one two", "three"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
        check("日本語です", 4, &["日本", "語で", "す"]);
        assert_eq!(truncate_to_width("a long line", 7), "a long…");
        assert_eq!(truncate_to_width("short", 7), "short");
        assert_eq!(measure_text_width(&style_text(RED, "日a")), 3);
    }

    #[test]
    fn whole_words_are_emphasised() {
        let bold = style_text(BOLD, "25");
        assert_eq!(
            embolden_words("25 of 125, v25 (25)\n", &["25"]),
            format!("{bold} of 125, v25 ({bold})\n")
        );
    }

    #[test]
    fn control_characters_are_not_painted() {
        let paint = Paint::new(Timestamp::UNIX_EPOCH, Some(80));
        assert_eq!(paint.wrap_text("a\u{1b}[31mb\u{7}\u{202e}c", 2), "  abc\n");
        assert_eq!(
            colour_diff("@@ -1 +1 @@\n-a\u{1b}[2J\n+b\n", 0),
            format!("{}\n{}\n", style_text(RED, "-a"), style_text(GREEN, "+b"))
        );
    }
}
