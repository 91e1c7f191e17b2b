//! `stats`: what is kept, in numbers.

use apostille_core::memory::{Layer, Stage};
use apostille_core::stats::{Stats, stats};

use super::breaker;
use crate::args::Spaces;
use crate::json::StatsReply;
use crate::paint::{BOLD, DIM, Paint, YELLOW, bar, count, ink};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Counts the spaces in play, or all of them.
pub fn run(shell: &Shell, args: Spaces) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let spaces = if args.all_spaces {
        desk.store.spaces()?
    } else {
        desk.spaces().to_vec()
    };
    let counted = spaces
        .iter()
        .map(|it| stats(&desk.cx(), it))
        .collect::<Result<Vec<_>, _>>()?;
    let json = StatsReply::from(counted.as_slice());
    Ok(shell.answer(error::OK, &json, |paint| {
        counted
            .iter()
            .map(|it| page(paint, it))
            .collect::<Vec<_>>()
            .join("\n")
    }))
}

fn page(paint: &Paint, it: &Stats) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut row = |name: &'static str, text: String| rows.push((name, text));
    row("active", by_layer(it));
    let others: Vec<String> = Stage::ALL
        .iter()
        .filter(|stage| **stage != Stage::Active && it.tally.stage(**stage) > 0)
        .map(|stage| format!("{} {stage}", it.tally.stage(*stage)))
        .collect();
    if !others.is_empty() {
        row("other", others.join(", "));
    }
    if it.space.is_user() {
        row(
            "identity",
            format!(
                "{} {}%  {} characters",
                bar(it.identity_percent),
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
            ink(
                YELLOW,
                paint.wrapped(
                    &format!("over the soft limit of {}: {way}", it.soft_limit),
                    2,
                ),
            )
        }
        false => String::new(),
    };
    let held = it
        .open
        .iter()
        .map(|it| paint.wrapped(&format!("a breaker is open: {}", breaker::told(it)), 2));
    let held = held.map(|it| ink(YELLOW, it)).collect::<String>();
    format!(
        "{}\n{}{warning}{held}",
        ink(BOLD, &it.space),
        wrapped(paint, &rows)
    )
}

/// The rows with all their text: what does not fit goes on below.
fn wrapped(paint: &Paint, rows: &[(&str, String)]) -> String {
    let wide = rows.iter().map(|it| it.0.len()).max().unwrap_or(0) + 2;
    let line = |(name, text): &(&str, String)| {
        let text = paint.wrapped(text, wide + 2);
        format!(
            "  {}{:pad$}{}",
            ink(DIM, name),
            "",
            text.trim_start(),
            pad = wide - name.len()
        )
    };
    rows.iter().map(line).collect()
}

fn by_layer(it: &Stats) -> String {
    let layers: Vec<String> = Layer::ALL
        .iter()
        .filter(|layer| it.layer(**layer) > 0)
        .map(|layer| format!("{} {layer}", it.layer(*layer)))
        .collect();
    let sum = count(it.active, "memory", "memories");
    if layers.is_empty() {
        sum
    } else {
        format!("{sum}: {}", layers.join(", "))
    }
}
