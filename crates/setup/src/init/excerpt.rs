//! What changes in a file, as people read it: not too much, no secrets, and always the part that differs.

use apostille_cite::diff::format_unified_diff;
use apostille_text::secrets;

use super::file_changes::FileChange;
use apostille_terminal::paint::truncate_to_width;

/// How many lines of a diff are shown.
const MOST_LINES: usize = 120;
/// How much of a line is shown.
const MOST_COLUMNS: usize = 160;
/// How much is shown of what differs in a long line: enough for everything that is written into one.
const MOST_CHANGED: usize = 2_000;
/// How much is shown on either side of it.
const BESIDE: usize = 24;

/// The diff of a change.
pub(super) fn format_change_diff(change: &FileChange) -> String {
    let text = |bytes: &Option<Vec<u8>>| {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).replace('\r', "");
        let is_ended = text.is_empty() || text.ends_with('\n');
        text + if is_ended { "" } else { "\n" }
    };
    let whole = format_unified_diff(&text(&change.before), &text(&change.after));
    let lines: Vec<&str> = whole.lines().collect();
    let mut shown: Vec<String> = (0..lines.len().min(MOST_LINES))
        .map(|n| format_diff_line(&lines, n))
        .collect();
    if lines.len() > MOST_LINES {
        shown.push(format!(" … {} more lines", lines.len() - MOST_LINES));
    }
    shown.join("\n") + "\n"
}

/// A line of a diff: one that is too long is cut around what differs from the line that it replaces, or that replaces it.
fn format_diff_line(lines: &[&str], n: usize) -> String {
    let line = lines[n];
    if secrets::find_secret(line).is_some() {
        return format!(
            "{}… (this line holds a secret)",
            line.chars().next().unwrap_or(' ')
        );
    }
    match find_counterpart_line(lines, n) {
        Some(twin) if line.chars().count() > MOST_COLUMNS => excerpt_around_difference(line, twin),
        _ => truncate_to_width(line, MOST_COLUMNS),
    }
}

/// The line on the other side of a change: the one with the same number there.
fn find_counterpart_line<'l>(lines: &[&'l str], n: usize) -> Option<&'l str> {
    let sign = |n: usize| lines.get(n).and_then(|it| it.chars().next());
    let is_change = |n: &usize| matches!(sign(*n), Some('-' | '+'));
    let first = (0..=n).rev().take_while(is_change).last()?;
    let gone = (first..).take_while(|n| sign(*n) == Some('-')).count();
    let other = match sign(n)? {
        '+' => n
            .checked_sub(gone)
            .filter(|it| (first..first + gone).contains(it)),
        _ => Some(n + gone).filter(|it| sign(*it) == Some('+')),
    };
    Some(lines[other?])
}

/// The part of a line in which it differs from another, and a little on either side.
fn excerpt_around_difference(line: &str, other: &str) -> String {
    let (line, other): (Vec<char>, Vec<char>) = (line.chars().collect(), other.chars().collect());
    let room = line.len().min(other.len());
    // The first character is the sign, which differs always.
    let head = 1 + (1..room).take_while(|n| line[*n] == other[*n]).count();
    let is_same = |n: &usize| line[line.len() - n] == other[other.len() - n];
    let tail = (1..=room - head.min(room)).take_while(is_same).count();
    let start = if head < MOST_COLUMNS / 2 {
        1
    } else {
        head - BESIDE
    };
    let end = (line.len() - tail + BESIDE)
        .min(line.len())
        .min(start + MOST_CHANGED);
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    let middle: String = line[start..end].iter().collect();
    format!(
        "{}{}{middle}{}",
        line[0],
        mark(start > 1),
        mark(end < line.len())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let bytes = |it: &str| Some(it.as_bytes().to_vec());
        format_change_diff(&FileChange {
            target: "x".into(),
            before: bytes(before),
            after: bytes(after),
            mode: None,
        })
    }

    #[test]
    fn a_long_line_is_cut_around_what_differs() {
        let (head, tail) = ("h".repeat(500), "t".repeat(500));
        let found = shown(&format!("{head}{tail}\n"), &format!("{head} NEW {tail}\n"));
        let (h, t) = ("h".repeat(BESIDE), "t".repeat(BESIDE));
        assert!(
            found.ends_with(&format!("-…{h}{t}…\n+…{h} NEW {t}…\n")),
            "{found}"
        );
        let found = shown(&format!("a{tail}\n"), &format!("b{tail}\n"));
        assert!(found.ends_with(&format!("-a{t}…\n+b{t}…\n")), "{found}");
        let found = shown(&format!("{head}a\n"), &format!("{head}b\n"));
        assert!(found.ends_with(&format!("-…{h}a\n+…{h}b\n")), "{found}");
        let found = shown("", &format!("{head}\n"));
        assert!(found.contains("hhh…\n") && found.len() < 250, "{found}");
        let found = shown(
            &format!("{head}\n"),
            &format!("{head}{}\n", "n".repeat(9_000)),
        );
        assert!(found.len() < MOST_CHANGED + 200, "{found}");
        let found = shown(&format!("é{head}é{tail}\n"), &format!("é{head}ü{tail}\n"));
        assert!(
            found.contains(&format!("-…{h}é{t}…\n+…{h}ü{t}…\n")),
            "{found}"
        );
    }
}
