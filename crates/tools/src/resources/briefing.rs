//! The briefing: who the user is, the most recent memories that hold here, and what waits.

use apostille_core::memory::Stage;
use apostille_core::{
    Context,
    policy::InjectMode,
    recall::{
        RecallOutcome, RecallRequest, recall, recall_identity,
        render::{Style, render_block},
    },
    stats, verify,
};

use super::lines;
use apostille_api::{CallFault, Caller};

/// How long the briefing is, in characters.
const MAX: usize = 4_000;
/// How much of it the identity takes, in characters.
const MAX_IDENTITY: usize = 1_600;

/// The briefing as Markdown.
pub(super) fn render_briefing_resource(cx: &Context, caller: &Caller) -> Result<String, CallFault> {
    let ask = RecallRequest {
        spaces: caller.spaces(),
        mode: Some(InjectMode::RecentOnly),
        ..RecallRequest::default()
    };
    let recalled = recall(cx, &ask)?;
    let head = format!(
        "# Briefing for {}\n\n{}",
        caller.repo,
        render_identity_section(cx, caller)?
    );
    let tail = render_waiting_section(cx, caller)?;
    let whole = |n: usize| format!("{head}\n{}\n{tail}", render_recent_section(&recalled, n));
    // Whole memories are left off until the rest fits.
    let mut sizes = (1..=recalled.shown.len()).rev();
    let fits = sizes.find(|n| whole(*n).chars().count() <= MAX);
    Ok(whole(fits.unwrap_or(0)))
}

/// The identity of the user: all of it, because it is always shown.
fn render_identity_section(cx: &Context, caller: &Caller) -> Result<String, CallFault> {
    let Some(user) = caller.user else {
        return Ok("## Identity\nThe user is not known.\n".into());
    };
    let entries = verify::follow_memory_citations(cx, recall_identity(cx, user)?);
    let holds: Vec<String> = entries
        .iter()
        .filter(|it| it.is_good())
        .map(|it| lines::format_memory_item(it, MAX_IDENTITY / 2))
        .collect();
    let none = if entries.is_empty() {
        "Nothing is kept.\n"
    } else {
        ""
    };
    let withheld = format_withheld_count(entries.len() - holds.len());
    let entries = lines::fit_lines_to_budget(&holds, holds.len(), holds.len(), MAX_IDENTITY);
    Ok(format!("## Identity of {user}\n{none}{entries}{withheld}"))
}

/// The first so many of what was recalled.
fn render_recent_section(recalled: &RecallOutcome, n: usize) -> String {
    let shown = render_block(&recalled.shown[..n], Style::Verified);
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
        format_withheld_count(recalled.withheld.len())
    )
}

fn format_withheld_count(n: usize) -> String {
    match n {
        0 => String::new(),
        n => format!("{n} withheld: not found to hold in this checkout; see apostille://audit.\n"),
    }
}

fn render_waiting_section(cx: &Context, caller: &Caller) -> Result<String, CallFault> {
    let mut out = String::from("## Waiting for a person\n");
    for space in caller.spaces() {
        let n = stats::compute_space_stats(cx, &space)?
            .tally
            .count_in_stage(Stage::Pending);
        out += &format!("- {space}: {n} pending\n");
    }
    Ok(out)
}
