//! Memories and verdicts as single lines, and lists of lines that stay within their bounds.

use apostille_cite::citation::Citation;
use apostille_cite::verdict::{Verdict, find_worst_verdict};
use apostille_core::recall::render::sanitize_line;
use apostille_core::verify::VerifiedMemory;

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
            let to = if it.at == place {
                String::new()
            } else {
                format!(" → {}", it.at)
            };
            let unsaid: Vec<String> = it
                .contradicted
                .iter()
                .take(5)
                .map(|it| format!("`{it}`"))
                .collect();
            let unsaid = unsaid.join(", ");
            let unsaid = if unsaid.is_empty() {
                unsaid
            } else {
                format!(", the code no longer says {unsaid}")
            };
            format!(
                "{word} ({}{harmless}) {place}{to}{}{unsaid}",
                it.change,
                format_since_commit(it.since.as_deref())
            )
        }
        Verdict::Gone {
            loss,
            since: commit,
        } => {
            format!(
                "{word} {place}, {}{}",
                loss.as_phrase(),
                format_since_commit(commit.as_deref())
            )
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
    let more = it.verdicts.len().saturating_sub(1);
    let more = if more == 0 {
        String::new()
    } else {
        format!(" +{more}")
    };
    found.map_or_else(
        || "unverified".into(),
        |(citation, it)| format_verdict_line(citation, it) + &more,
    )
}

/// A memory as an item of a list.
pub(super) fn format_memory_item(it: &VerifiedMemory, most: usize) -> String {
    format!(
        "- ({}; {}) {}",
        it.memory.handle(),
        format_worst_verdict(it),
        shorten_with_ellipsis(&sanitize_line(&it.memory.fact), most)
    )
}

/// So many lines as there is room for; where `n` are more than that, it says so.
pub(super) fn fit_lines_to_budget(lines: &[String], n: usize, most: usize, chars: usize) -> String {
    let mut left = chars;
    let mut out = String::new();
    let mut shown = 0;
    for line in lines.iter().take(most) {
        let Some(rest) = left.checked_sub(line.chars().count() + 1) else {
            break;
        };
        left = rest;
        out += &format!("{line}\n");
        shown += 1;
    }
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
