//! The audit: what needs attention. It looks and counts, and changes nothing.

use apostille_core::memory::{Kind, Layer, Memory, Stage};
use apostille_core::recall::render::safe;
use apostille_core::stats::{Stats, stats};
use apostille_core::store::{Filter, Order};
use apostille_core::verify::{self, Verified};
use apostille_core::{Context, list};

use super::lines;
use crate::{Fault, Here};

/// How many memories are looked up, the most recent first.
const LOOKED: usize = 1_000;
/// How many memories a section names, and how much of each, in characters.
const NAMED: usize = 10;
const FACT: usize = 120;
/// How long the list of a section is, in characters.
const SECTION: usize = 1_500;

/// The audit as Markdown.
pub(super) fn text(cx: &Context<'_>, here: &Here<'_>) -> Result<String, Fault> {
    let found = verify::look(cx, of_stage(cx, here, Stage::Active, LOOKED)?);
    let pending = of_stage(cx, here, Stage::Pending, NAMED)?;
    let counts = here
        .spaces()
        .iter()
        .map(|it| Ok(stats(&here.ruled(cx, it), it)?))
        .collect::<Result<Vec<_>, Fault>>()?;
    let sections = [
        section(
            &found,
            Verified::is_invalid,
            "Do not hold here",
            "Correct each with memory_revise, or run `apostille verify --invalidate` on the default branch.",
        ),
        section(
            &found,
            is_elsewhere,
            "Of a branch that is not merged here",
            "Nothing speaks against them on their branch.",
        ),
        section(&found, is_unknown, "Could not be looked up", "This is no evidence against them."),
        waiting(&pending, counts.iter().map(|it| it.tally.stage(Stage::Pending)).sum()),
        section(
            &found,
            is_unproven,
            "Without a citation",
            "Repository facts need the code that proves them.",
        ),
        section(
            &found,
            is_never_verified,
            "Never verified before",
            "They hold now; memory_verify writes that down.",
        ),
        crowded(&counts),
    ];
    let body = sections.concat();
    let body = if body.is_empty() { "\nNothing needs attention.\n".into() } else { body };
    Ok(format!("# Audit of {}\n\n{}{body}", here.repo, scope(cx, &found, &counts)))
}

fn of_stage(cx: &Context<'_>, here: &Here<'_>, stage: Stage, limit: usize) -> Result<Vec<Memory>, Fault> {
    let (spaces, stages) = (here.spaces(), vec![stage]);
    Ok(list::list(cx, &Filter { spaces, stages, order: Order::Refreshed, limit, ..Filter::default() })?)
}

/// What was looked at, and where.
fn scope(cx: &Context<'_>, found: &[Verified], counts: &[Stats]) -> String {
    let active: u64 = counts.iter().map(|it| it.active).sum();
    let spaces: Vec<String> = counts.iter().map(|it| it.space.to_string()).collect();
    let commit = cx.source.tree().ok().and_then(|it| it.commit);
    let commit =
        commit.as_deref().and_then(|it| it.get(..10)).map(|it| format!(" at {it}")).unwrap_or_default();
    format!("Looked at {} of {active} active memories of {}{commit}.\n", found.len(), spaces.join(" and "))
}

fn is_elsewhere(it: &Verified) -> bool {
    it.is_bad() && it.is_unmerged
}

fn is_unknown(it: &Verified) -> bool {
    !it.is_good() && !it.is_bad()
}

/// Whether it states something about the repository and cites nothing. Preferences and corrections need no proof.
fn is_unproven(it: &Verified) -> bool {
    let memory = &it.memory;
    let needs = memory.layer == Layer::Knowledge && matches!(memory.kind, Kind::Project | Kind::Reference);
    needs && memory.citations.is_empty()
}

fn is_never_verified(it: &Verified) -> bool {
    !it.verdicts.is_empty() && it.is_good() && it.memory.usage.verified == 0
}

fn section(found: &[Verified], wanted: fn(&Verified) -> bool, title: &str, about: &str) -> String {
    let found: Vec<&Verified> = found.iter().filter(|it| wanted(it)).collect();
    let lines: Vec<String> = found.iter().take(NAMED).map(|it| lines::item(it, FACT)).collect();
    titled(title, about, &lines, found.len())
}

/// What is in quarantine, without its text: nobody vouches for it yet.
fn waiting(pending: &[Memory], n: u64) -> String {
    let line = |it: &Memory| {
        format!("- ({}) {}", it.handle(), lines::cut(&safe(it.status.why().unwrap_or("")), FACT))
    };
    let lines: Vec<String> = pending.iter().map(line).collect();
    let about = "A person approves or forgets each; apostille://memory/{id} has the text.";
    titled("Waiting for a person", about, &lines, usize::try_from(n).unwrap_or(usize::MAX))
}

fn crowded(counts: &[Stats]) -> String {
    let over = counts.iter().filter(|it| it.over_soft_limit);
    let line = |it: &Stats| format!("- {}: {} active, more than {}", it.space, it.active, it.soft_limit);
    let lines: Vec<String> = over.map(line).collect();
    titled("Over the soft limit", "Merge or forget what is of no use.", &lines, lines.len())
}

fn titled(title: &str, about: &str, lines: &[String], n: usize) -> String {
    match n {
        0 => String::new(),
        n => format!("\n## {title} ({n})\n{about}\n{}", lines::fitted(lines, n, NAMED, SECTION)),
    }
}

#[cfg(test)]
mod tests {
    use apostille_core::notebook::Note;
    use apostille_core::space::Space;
    use apostille_core::verdict::{Loss, Verdict};

    use super::*;

    #[test]
    fn what_speaks_of_another_branch_is_not_called_wrong() {
        let check = |is_unmerged: bool, expected: bool| {
            let note = Note::parse(r#"{"id":"m-1","text":"t","ts":"2026-02-26T12:00:00Z"}"#).unwrap();
            let memory = note.memory(Space::repo("o/n").unwrap());
            let verdicts = vec![Verdict::Gone { loss: Loss::File, since: None }];
            let found = [Verified { memory, verdicts, is_unmerged, deed: None }];
            assert_eq!(section(&found, is_elsewhere, "Branch", "").contains("## Branch (1)"), expected);
            assert_eq!(section(&found, Verified::is_invalid, "Wrong", "").is_empty(), expected);
        };
        check(true, true);
        check(false, false);
    }
}
