//! `stats`: what is kept, in numbers.

use std::fmt::Display;

use apostille_core::{
    memory::{Layer, Stage},
    stats::{SpaceStats, compute_space_stats},
};

use crate::json::StatsReply;
use apostille_terminal::{
    args::SpaceArgs,
    breakers,
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, DIM, Paint, YELLOW, format_count, format_if, format_percent_bar, join_texts,
        style_text,
    },
};

/// Counts the spaces in play, or all of them.
pub fn run(ctx: &CommandContext, args: SpaceArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let spaces = if args.all_spaces {
        workspace.store.list_spaces()?
    } else {
        workspace.spaces().to_vec()
    };
    let cx = workspace.context();
    let counted = spaces
        .iter()
        .map(|it| compute_space_stats(&cx, it))
        .collect::<Result<Vec<_>, _>>()?;
    let json = StatsReply::from(counted.as_slice());
    Ok(ctx.render_output(&json, |paint| {
        join_texts(counted.iter().map(|it| format_stats_page(paint, it)), "\n")
    }))
}

fn format_stats_page(paint: &Paint, it: &SpaceStats) -> String {
    let tally = &it.tally;
    let others = Stage::ALL
        .iter()
        .filter(|stage| **stage != Stage::Active)
        .map(|stage| (tally.count_in_stage(*stage), stage));
    let layers = Layer::ALL.iter();
    let layers = list_counts(layers.map(|layer| (it.active_in_layer(*layer), layer)));
    let layers = format_if(!layers.is_empty(), || format!(": {layers}"));
    let active = format_count(it.active, "memory", "memories");
    let percent = it.identity_percent;
    let identity = format_if(it.space.is_user(), || {
        let bar = format_percent_bar(percent);
        format!("{bar} {percent}%  {} characters", tally.identity_chars)
    });
    let verified = it
        .verified_share
        .map(|share| format!("{:.0}% of the looks found it to hold", share * 100.0));
    let events = if tally.events.is_empty() {
        "none".into()
    } else {
        join_texts(
            tally.events.iter().map(|(word, n)| format!("{n} {word}")),
            ", ",
        )
    };
    let rows = [
        ("active", active + &layers),
        ("other", list_counts(others)),
        ("queue", format_queue_counts(it)),
        ("identity", identity),
        ("verified", verified.unwrap_or_default()),
        ("events", events),
    ];
    let way = "forget, merge or supersede what is no longer needed";
    let full = it
        .over_soft_limit
        .then(|| format!("over the soft limit of {}: {way}", it.soft_limit));
    let held = it.open.iter().map(breakers::announce_open_breaker);
    let warnings: String = full
        .into_iter()
        .chain(held)
        .map(|it| style_text(YELLOW, paint.wrap_text(&it, 2)))
        .collect();
    let rows = format_wrapped_rows(paint, &rows);
    format!("{BOLD}{}{BOLD:#}\n{rows}{warnings}", it.space)
}

/// What waits for a person, and what was decided lately; nothing where there is neither.
fn format_queue_counts(it: &SpaceStats) -> String {
    let waiting = it.tally.count_in_stage(Stage::Pending);
    let counts = [
        (waiting, "waiting"),
        (it.decided_this_week as u64, "decided in the last 7 days"),
    ];
    list_counts(counts.into_iter())
}

/// How many there are of each, where there are some.
fn list_counts(counts: impl Iterator<Item = (u64, impl Display)>) -> String {
    let counts = counts.filter(|it| it.0 > 0);
    join_texts(counts.map(|(n, word)| format!("{n} {word}")), ", ")
}

/// The rows with all their text: what does not fit goes on below. Those without a text are left out.
fn format_wrapped_rows(paint: &Paint, rows: &[(&str, String)]) -> String {
    let rows = || rows.iter().filter(|it| !it.1.is_empty());
    let wide = rows().map(|it| it.0.len()).max().unwrap_or(0) + 2;
    let line = |(name, text): &(&str, String)| {
        let text = paint.wrap_text(text, wide + 2);
        let pad = wide - name.len();
        format!("  {DIM}{name}{DIM:#}{:pad$}{}", "", text.trim_start())
    };
    rows().map(line).collect()
}
