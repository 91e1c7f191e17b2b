//! Memories and verdicts as single lines, and lists of lines that stay within their bounds.

use apostille_cite::citation::Citation;
use apostille_cite::verdict::{Verdict, find_worst_verdict};
use apostille_core::{
    recall::render::sanitize_line, standing_text::StandingView, verify::VerifiedMemory,
};

use apostille_api::shorten::shorten_with_ellipsis;

/// How long the line of one verdict is, in characters.
const VERDICT: usize = 300;

/// What was found at a citation: `moved src/api.rs:3 → src/v2.rs:9`.
pub(super) fn format_verdict_line(citation: &Citation, verdict: &Verdict) -> String {
    let (word, place) = (verdict.as_str(), citation.location());
    let line = match verdict {
        Verdict::Holds => format!("{word} {place}"),
        Verdict::Moved { to } => format!("{word} {place} → {to}"),
        Verdict::Changed(it) => {
            let harmless = if it.is_harmless { ", harmless" } else { "" };
            let mut line = format!("{word} ({}{harmless}) {place}", it.change);
            if it.at != place {
                line += &format!(" → {}", it.at);
            }
            line += &format_since_commit(it.since.as_deref());
            let unsaid = it.contradicted.iter().take(5).map(|it| format!("`{it}`"));
            let unsaid = unsaid.collect::<Vec<_>>().join(", ");
            if !unsaid.is_empty() {
                line += &format!(", the code no longer says {unsaid}");
            }
            line
        }
        Verdict::Gone { loss, since } => {
            let since = format_since_commit(since.as_deref());
            format!("{word} {place}, {}{since}", loss.as_phrase())
        }
        Verdict::Unknown { why } => format!("{word} {place}, {why}"),
    };
    shorten_with_ellipsis(&sanitize_line(&line), VERDICT)
}

fn format_since_commit(commit: Option<&str>) -> String {
    commit
        .and_then(|it| it.get(..10))
        .map(|it| format!(" since {it}"))
        .unwrap_or_default()
}

/// The worst of what was found at the citations of a memory.
pub(super) fn format_worst_verdict(it: &VerifiedMemory) -> String {
    let worst = find_worst_verdict(&it.verdicts);
    let mut pairs = it.memory.citations.iter().zip(&it.verdicts);
    let found = pairs.find(|(_, it)| Some(*it) == worst);
    let Some((citation, verdict)) = found else {
        return StandingView::from(it).describe();
    };
    let line = format_verdict_line(citation, verdict);
    match it.verdicts.len() - 1 {
        0 => line,
        more => format!("{line} +{more}"),
    }
}

/// A memory as an item of a list.
pub(super) fn format_memory_item(it: &VerifiedMemory, most: usize) -> String {
    format!(
        "- {} ({}; {})",
        shorten_with_ellipsis(&sanitize_line(&it.memory.fact), most),
        it.memory.handle(),
        format_worst_verdict(it)
    )
}

/// So many lines as there is room for; where `n` are more than that, it says so.
pub(super) fn fit_lines_to_budget(lines: &[String], n: usize, most: usize, chars: usize) -> String {
    let mut n_chars = 0;
    let fits = |line: &&String| {
        n_chars += line.chars().count() + 1;
        n_chars <= chars
    };
    let lines: Vec<&String> = lines.iter().take(most).take_while(fits).collect();
    let shown = lines.len();
    let out: String = lines.into_iter().map(|it| format!("{it}\n")).collect();
    match n.saturating_sub(shown) {
        0 => out,
        more => out + &format!("- … and {more} more\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_stays_within_its_bounds_and_says_what_is_left_off() {
        let lines: Vec<String> = ["- a", "- b", "- c"].map(Into::into).to_vec();
        let check = |n: usize, most: usize, chars: usize, expected: &str| {
            assert_eq!(fit_lines_to_budget(&lines, n, most, chars), expected);
        };
        check(3, 9, 99, "- a\n- b\n- c\n");
        check(3, 2, 99, "- a\n- b\n- … and 1 more\n");
        check(3, 9, 8, "- a\n- b\n- … and 1 more\n");
        check(30, 9, 99, "- a\n- b\n- c\n- … and 27 more\n");
        check(3, 9, 0, "- … and 3 more\n");
        check(0, 0, 0, "");
    }
}
