//! `stats`: what is kept, in numbers.

use apostille_core::memory::{Layer, Stage};
use apostille_core::stats::{SpaceStats, compute_space_stats};

use crate::json::StatsReply;
use apostille_terminal::args::SpaceArgs;
use apostille_terminal::breakers;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, DIM, Paint, YELLOW, format_count, format_percent_bar, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// Counts the spaces in play, or all of them.
pub fn run(shell: &CommandContext, args: SpaceArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let spaces = if args.all_spaces {
        desk.store.list_spaces()?
    } else {
        desk.spaces().to_vec()
    };
    let counted = spaces
        .iter()
        .map(|it| compute_space_stats(&desk.context(), it))
        .collect::<Result<Vec<_>, _>>()?;
    let json = StatsReply::from(counted.as_slice());
    Ok(shell.render_output(error::OK, &json, |paint| {
        counted
            .iter()
            .map(|it| format_stats_page(paint, it))
            .collect::<Vec<_>>()
            .join("\n")
    }))
}

fn format_stats_page(paint: &Paint, it: &SpaceStats) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut row = |name: &'static str, text: String| rows.push((name, text));
    row("active", format_layer_counts(it));
    let others: Vec<String> = Stage::ALL
        .iter()
        .filter(|stage| **stage != Stage::Active && it.tally.count_in_stage(**stage) > 0)
        .map(|stage| format!("{} {stage}", it.tally.count_in_stage(*stage)))
        .collect();
    if !others.is_empty() {
        row("other", others.join(", "));
    }
    if it.space.is_user() {
        row(
            "identity",
            format!(
                "{} {}%  {} characters",
                format_percent_bar(it.identity_percent),
                it.identity_percent,
                it.tally.identity_chars
            ),
        );
    }
    if let Some(share) = it.verified_share {
        row(
            "verified",
            format!("{:.0}% of the looks found it to hold", share * 100.0),
        );
    }
    let events: Vec<String> = it
        .tally
        .events
        .iter()
        .map(|(word, n)| format!("{n} {word}"))
        .collect();
    row(
        "events",
        if events.is_empty() {
            "none".into()
        } else {
            events.join(", ")
        },
    );
    let warning = match it.over_soft_limit {
        true => {
            let way = "forget, merge or supersede what is no longer needed";
            style_text(
                YELLOW,
                paint.wrap_text(
                    &format!("over the soft limit of {}: {way}", it.soft_limit),
                    2,
                ),
            )
        }
        false => String::new(),
    };
    let held = it.open.iter().map(|it| {
        paint.wrap_text(
            &format!("a breaker is open: {}", breakers::describe_open_breaker(it)),
            2,
        )
    });
    let held = held.map(|it| style_text(YELLOW, it)).collect::<String>();
    format!(
        "{}\n{}{warning}{held}",
        style_text(BOLD, &it.space),
        format_wrapped_rows(paint, &rows)
    )
}

/// The rows with all their text: what does not fit goes on below.
fn format_wrapped_rows(paint: &Paint, rows: &[(&str, String)]) -> String {
    let wide = rows.iter().map(|it| it.0.len()).max().unwrap_or(0) + 2;
    let line = |(name, text): &(&str, String)| {
        let text = paint.wrap_text(text, wide + 2);
        format!(
            "  {}{:pad$}{}",
            style_text(DIM, name),
            "",
            text.trim_start(),
            pad = wide - name.len()
        )
    };
    rows.iter().map(line).collect()
}

fn format_layer_counts(it: &SpaceStats) -> String {
    let layers: Vec<String> = Layer::ALL
        .iter()
        .filter(|layer| it.active_in_layer(**layer) > 0)
        .map(|layer| format!("{} {layer}", it.active_in_layer(*layer)))
        .collect();
    let sum = format_count(it.active, "memory", "memories");
    if layers.is_empty() {
        sum
    } else {
        format!("{sum}: {}", layers.join(", "))
    }
}
