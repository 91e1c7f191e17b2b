//! The briefing: who the user is, the most recent memories that hold here, and what waits.

use apostille_core::memory::Stage;
use apostille_core::policy::InjectMode;
use apostille_core::recall::render::{Style, block};
use apostille_core::recall::{Ask, Recalled, identity, recall};
use apostille_core::verify::{self, Verified};
use apostille_core::{Context, stats};

use super::lines;
use apostille_api::{Fault, Here};

/// How long the briefing is, in characters.
const MAX: usize = 4_000;
/// How much of it the identity takes, in characters.
const MAX_IDENTITY: usize = 1_600;

/// The briefing as Markdown.
pub(super) fn text(cx: &Context<'_>, here: &Here<'_>) -> Result<String, Fault> {
    let ask = Ask {
        spaces: here.spaces(),
        mode: Some(InjectMode::RecentOnly),
        ..Ask::default()
    };
    let recalled = recall(cx, &ask)?;
    let head = format!("# Briefing for {}\n\n{}", here.repo, profile(cx, here)?);
    let tail = waiting(cx, here)?;
    let whole = |n: usize| format!("{head}\n{}\n{tail}", memories(&recalled, n));
    // Whole memories are left off until the rest fits.
    let mut sizes = (1..=recalled.shown.len()).rev();
    let fits = sizes.find(|n| whole(*n).chars().count() <= MAX);
    Ok(whole(fits.unwrap_or(0)))
}

/// The identity of the user: all of it, because it is always shown.
fn profile(cx: &Context<'_>, here: &Here<'_>) -> Result<String, Fault> {
    let Some(user) = here.user else {
        return Ok("## Identity\nThe user is not known.\n".into());
    };
    let entries = verify::look(cx, identity(cx, user)?);
    let holds: Vec<String> = entries
        .iter()
        .filter(|it| it.is_good())
        .map(entry)
        .collect();
    let none = if entries.is_empty() {
        "Nothing is kept.\n"
    } else {
        ""
    };
    let withheld = withheld(entries.len() - holds.len());
    let entries = lines::fitted(&holds, holds.len(), holds.len(), MAX_IDENTITY);
    Ok(format!("## Identity of {user}\n{none}{entries}{withheld}"))
}

fn entry(it: &Verified) -> String {
    lines::item(it, MAX_IDENTITY / 2)
}

/// The first so many of what was recalled.
fn memories(recalled: &Recalled, n: usize) -> String {
    let shown = block(&recalled.shown[..n], Style::Verified);
    let none = if recalled.shown.is_empty() {
        "None.\n"
    } else {
        ""
    };
    let more = match recalled.shown.len() - n {
        0 => String::new(),
        more => format!("{more} more do not fit here.\n"),
    };
    format!(
        "## Recent memories\n{none}{shown}{more}{}",
        withheld(recalled.withheld.len())
    )
}

fn withheld(n: usize) -> String {
    match n {
        0 => String::new(),
        n => format!("{n} withheld: not found to hold in this checkout; see apostille://audit.\n"),
    }
}

fn waiting(cx: &Context<'_>, here: &Here<'_>) -> Result<String, Fault> {
    let mut out = String::from("## Waiting for a person\n");
    for space in here.spaces() {
        let n = stats::stats(cx, &space)?.tally.stage(Stage::Pending);
        out += &format!("- {space}: {n} pending\n");
    }
    Ok(out)
}
