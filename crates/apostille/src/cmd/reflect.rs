//! `reflect`: what many tasks have in common, as proposals.

use apostille_core::memory::Memory;
use apostille_reflect::propose::ProposeOutcome;
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, Paint, format_count},
};
use apostille_workspace::looking_back::reflect_on_repository;
use serde_json::{Value, json};

/// Looks for patterns, and proposes those that are new.
pub fn run(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let outcome = reflect_on_repository(&ctx.system, &workspace)?;
    let mut json = build_proposals_json(&outcome);
    json["ok"] = true.into();
    let none = "nothing new was found; patterns need several tasks\n";
    Ok(ctx.render_output(&json, |paint| format_proposals(paint, &outcome, none)))
}

/// What was proposed, for programs.
pub(super) fn build_proposals_json(outcome: &ProposeOutcome) -> Value {
    let view = |it: &Memory| {
        json!({
            "memory": it.handle().to_string(),
            "fact": it.fact,
            "reason": it.reason,
            "tags": it.tags,
        })
    };
    let proposed: Vec<Value> = outcome.proposed.iter().map(view).collect();
    json!({"proposed": proposed, "known": outcome.n_known, "later": outcome.n_later})
}

/// The same for a person.
pub(super) fn format_proposals(paint: &Paint, outcome: &ProposeOutcome, none: &str) -> String {
    let mut out = String::new();
    for it in &outcome.proposed {
        let reason = it.reason.as_deref().unwrap_or_default();
        out += &format!(
            "{BOLD}{}{BOLD:#}\n{}",
            it.handle(),
            paint.wrap_text(&it.fact, 2)
        );
        out += &format!("{DIM}{}{DIM:#}", paint.wrap_text(reason, 2));
    }
    if outcome.proposed.is_empty() && outcome.n_later == 0 {
        out += none;
    }
    if !outcome.proposed.is_empty() {
        let n = format_count(
            outcome.proposed.len() as u64,
            "proposal waits",
            "proposals wait",
        );
        out += &format!("{n} for you: apostille review\n");
    }
    if outcome.n_later > 0 {
        let n = outcome.n_later;
        out += &format!("{DIM}{n} more when these are decided{DIM:#}\n");
    }
    out
}
