//! `impact`: does memory help?

use apostille_api::{
    impact::{RatedMemory, report_impact},
    json::ImpactReply,
};
use apostille_impact::{
    compare::{ImpactComparison, ImpactVerdict},
    report::{ImpactReport, SessionGroup},
};
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, GREEN, RED, YELLOW, style_text},
};
use apostille_workspace::measured_sessions::MeasuredSessions;

/// How many memories are told.
const MEMORIES: usize = 15;

/// Compares the sessions of this repository.
pub fn run(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let repo = workspace.settings.repo.clone();
    let sessions = MeasuredSessions::for_repository(&ctx.system, &repo)?.list_measures()?;
    let (report, memories) = report_impact(&workspace.context(), &repo, sessions, |_| true)?;
    let reply = ImpactReply::new(&report, &memories);
    let is_on = workspace.settings.holdout > 0.0;
    Ok(ctx.render_output(&reply, |_| {
        let mut out = format_head(&report, is_on);
        if report.n_randomized > 0 {
            out += &format_comparisons(&report);
        }
        out += &format_groups("by tier", &report.tiers);
        out += &format_groups("by prompt version", &report.prompt_versions);
        out + &format_memories(&memories)
    }))
}

fn format_head(report: &ImpactReport, is_on: bool) -> String {
    let (n, drawn, out) = (report.n_sessions, report.n_randomized, report.n_held_out);
    let head = format!(
        "{BOLD}{n} sessions measured{BOLD:#}; about {drawn} of them lots were drawn: {} with memory, {out} without\n",
        drawn - out
    );
    let asked = match report.n_held_out_asked {
        0 => String::new(),
        asked => format!(
            "{DIM}{asked} of those without asked memory by themselves, and were answered{DIM:#}\n"
        ),
    };
    let way = match is_on {
        true => "",
        false => {
            "impact.holdout = 0.2 in your own config file lets lots be drawn: a fifth of the sessions goes without memory\n"
        }
    };
    format!("{head}{asked}{way}")
}

fn format_comparisons(report: &ImpactReport) -> String {
    let mut out = format!(
        "\n{DIM}{:<22}{:>9}{:>9}  difference{DIM:#}\n",
        "", "with", "without"
    );
    for it in &report.comparisons {
        out += &format!(
            "{:<22}{:>9}{:>9}  {}\n",
            it.measure.label(),
            it.format_mean(&it.with),
            it.format_mean(&it.without),
            format_difference(it)
        );
    }
    out
}

fn format_difference(it: &ImpactComparison) -> String {
    let figure = |value: f64| it.measure.format_value(value);
    let told = it.interval.map(|interval| {
        let (low, high) = (figure(interval.low), figure(interval.high));
        format!("{} ({low} … {high})  ", figure(it.difference))
    });
    let colour = match it.verdict {
        ImpactVerdict::Better => GREEN,
        ImpactVerdict::Worse => RED,
        ImpactVerdict::Alike => DIM,
        ImpactVerdict::TooFew => YELLOW,
    };
    let verdict = style_text(colour, it.describe_verdict());
    told.unwrap_or_default() + &verdict
}

/// Groups are told where there is more than one: alone they are the whole.
fn format_groups(title: &str, groups: &[SessionGroup]) -> String {
    if groups.len() < 2 {
        return String::new();
    }
    let mut out = format!("\n{BOLD}{title}{BOLD:#} {DIM}(no lots were drawn about it){DIM:#}\n");
    for group in groups {
        let figures = group.figures.iter().map(|it| {
            let figure = it.measure.format_value(it.summary.mean);
            format!("{} {figure}", it.measure.label())
        });
        let figures: Vec<String> = figures.collect();
        out += &format!(
            "  {} ({} sessions): {}\n",
            group.name,
            group.n,
            figures.join(", ")
        );
    }
    out
}

fn format_memories(memories: &[RatedMemory]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{BOLD}memory by memory{BOLD:#} {DIM}(in how many sessions){DIM:#}\n{DIM}{:<8}{:>6}{:>9}{:>14}{:>8}{:>8}{:>10}{DIM:#}\n",
        "", "shown", "applied", "contradicted", "helped", "merged", "rejected"
    );
    for it in memories.iter().take(MEMORIES) {
        let (handle, of) = (it.memory.handle(), &it.impact);
        out += &format!(
            "{:<8}{:>6}{:>9}{:>14}{:>8}{:>8}{:>10}\n",
            handle.to_string(),
            of.shown,
            of.applied,
            of.contradicted,
            of.helped,
            of.merged,
            of.rejected
        );
    }
    out
}
