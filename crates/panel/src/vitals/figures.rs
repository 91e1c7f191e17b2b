//! The plots: what happened day by day.

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::hook_latency::{DailyHookLatency, compute_hook_latencies};
use apostille_audit::trend::{MAX_TRACES, Trend, TrendDay, compute_trend};
use apostille_core::event::Happening;
use apostille_core::memory::Stage;
use jiff::civil::Date;
use maud::{Markup, html};

use crate::components::{pluralize_count, sanitize_shown_text, truncate_shown_text};
use crate::plot::{Plot, PlotSeries, PlotShape, PlotUnit};
use crate::sessions::read_beside_store;
use apostille_api::CallFault;
use apostille_api::request_scope::RequestScope;

/// How many sessions are looked through for how long hooks took.
const SESSIONS: usize = 100;
/// How many classes of refusals have a colour; the rest are told as one.
const CLASSES: usize = 4;
/// The colours of classes, and of the rest.
const COLOURS: [&str; 5] = ["c1", "c2", "c3", "c4", "c5"];

pub(super) fn render_vitals_plots(
    visit: &RequestScope<'_>,
    n_days: u16,
) -> Result<Markup, CallFault> {
    let trend = compute_trend(visit.cx, &visit.reachable_spaces(), n_days, MAX_TRACES)?;
    let sessions = read_beside_store(visit, |it| it.list_sessions(SESSIONS)).unwrap_or_default();
    let reached: Vec<_> = sessions
        .into_iter()
        .map(|mut it| {
            it.entries.retain(|it| visit.pass.reaches_space(&it.space));
            it
        })
        .collect();
    let dates: Vec<Date> = trend.days.iter().map(|it| it.date).collect();
    Ok(html! {
        @if trend.is_cut { p.hint { "More happened than is looked at here (" (MAX_TRACES) " events), so the plots begin later." } }
        div.plots {
            (plot_memory_stages(&trend, &dates).render_figure())
            (plot_verified_share(&trend, &dates).render_figure())
            (plot_applied_share(&trend, &dates).render_figure())
            (plot_refusals(&trend, &dates).render_figure())
            (plot_hook_latency(&compute_hook_latencies(&reached), &dates).render_figure())
        }
    })
}

fn build_day_series(
    name: &str,
    class: &'static str,
    days: &[TrendDay],
    value: impl Fn(&TrendDay) -> Option<f64>,
) -> PlotSeries {
    PlotSeries {
        name: name.into(),
        class,
        values: days.iter().map(value).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a plot needs no more")]
fn count_to_plot_value(n: u64) -> Option<f64> {
    Some(n as f64)
}

fn sum_trend_days(trend: &Trend, value: impl Fn(&TrendDay) -> u64) -> u64 {
    trend.days.iter().map(value).sum()
}

fn plot_memory_stages<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    const ORDER: [(Stage, &str); 5] = [
        (Stage::Active, "active"),
        (Stage::Pending, "pending"),
        (Stage::Superseded, "superseded"),
        (Stage::Invalid, "invalid"),
        (Stage::Retired, "retired"),
    ];
    let used = |stage: Stage| {
        stage == Stage::Active || trend.days.iter().any(|it| it.count_in_stage(stage) > 0)
    };
    let series = ORDER.into_iter().filter(|it| used(it.0));
    let series = series.map(|(stage, class)| {
        build_day_series(stage.as_str(), class, &trend.days, |it| {
            count_to_plot_value(it.count_in_stage(stage))
        })
    });
    let at = |day: Option<&TrendDay>| day.map_or(0, |it| it.count_in_stage(Stage::Active));
    let told = format!(
        "{} in use today, {} at the beginning.",
        at(trend.days.last()),
        at(trend.days.first())
    );
    build_day_plot(
        "stages",
        "Memories by status",
        told,
        days,
        (PlotUnit::Count, PlotShape::Columns),
        series.collect(),
    )
}

fn plot_verified_share<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let told = format_share_sentence(
        sum_trend_days(trend, TrendDay::count_held),
        sum_trend_days(trend, TrendDay::count_looks),
        "looks at the cited code found it to hold",
        "Nobody looked at cited code in this time.",
    );
    let series = vec![build_day_series(
        "found to hold",
        "active",
        &trend.days,
        TrendDay::verified_share,
    )];
    build_day_plot(
        "verified",
        "Verification",
        told,
        days,
        (PlotUnit::Share, PlotShape::Lines),
        series,
    )
}

fn plot_applied_share<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let shown = sum_trend_days(trend, |it| it.n_shown);
    let told = format_share_sentence(
        sum_trend_days(trend, |it| it.count_events(Happening::Applied)),
        shown,
        "showings were of use",
        "Nothing was shown in this time.",
    );
    let series = vec![build_day_series(
        "applied",
        "c1",
        &trend.days,
        TrendDay::applied_share,
    )];
    build_day_plot(
        "applied",
        "Applied of shown",
        told,
        days,
        (PlotUnit::Share, PlotShape::Lines),
        series,
    )
}

fn format_share_sentence(part: u64, whole: u64, what: &str, none: &str) -> String {
    if whole == 0 {
        none.into()
    } else {
        format!("{part} of {whole} {what}.")
    }
}

fn plot_refusals<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    let all = trend.days.iter().flat_map(|it| &it.refused);
    all.for_each(|(class, n)| *classes.entry(class).or_default() += n);
    let n: u64 = classes.values().sum();
    let mut by_number: Vec<(&str, u64)> = classes.into_iter().collect();
    by_number.sort_by_key(|it| std::cmp::Reverse(it.1));
    let named: Vec<&str> = by_number.iter().take(CLASSES).map(|it| it.0).collect();
    let of = |class: &str, day: &TrendDay| {
        count_to_plot_value(day.refused.get(class).copied().unwrap_or(0))
    };
    let rest = |day: &TrendDay| {
        let others = day
            .refused
            .iter()
            .filter(|it| !named.contains(&it.0.as_str()));
        count_to_plot_value(others.map(|it| it.1).sum())
    };
    let mut series: Vec<PlotSeries> = named
        .iter()
        .zip(COLOURS)
        .map(|(class, colour)| {
            build_day_series(
                &truncate_shown_text(&sanitize_shown_text(class), 40),
                colour,
                &trend.days,
                |day| of(class, day),
            )
        })
        .collect();
    if by_number.len() > CLASSES {
        series.push(build_day_series(
            "others",
            COLOURS[CLASSES],
            &trend.days,
            rest,
        ));
    }
    if series.is_empty() {
        series.push(build_day_series("refused", COLOURS[0], &trend.days, |_| {
            count_to_plot_value(0)
        }));
    }
    let told = match by_number.first() {
        Some((class, _)) => format!(
            "{} turned away, most of them for: {}.",
            pluralize_count(n, "draft", "drafts"),
            truncate_shown_text(&sanitize_shown_text(class), 40)
        ),
        None => "Nothing was turned away in this time.".into(),
    };
    build_day_plot(
        "refused",
        "Refusals by class",
        told,
        days,
        (PlotUnit::Count, PlotShape::Columns),
        series,
    )
}

fn plot_hook_latency<'a>(paces: &[DailyHookLatency], days: &'a [Date]) -> Plot<'a> {
    let wanted: BTreeSet<Date> = days.iter().copied().collect();
    let n: usize = paces
        .iter()
        .filter(|it| wanted.contains(&it.date))
        .map(|it| it.n)
        .sum();
    let value = |of: fn(&DailyHookLatency) -> u32| {
        let on = |day: &Date| {
            paces
                .iter()
                .find(|it| it.date == *day)
                .map(|it| f64::from(of(it)))
        };
        days.iter().map(on).collect::<Vec<_>>()
    };
    let series = vec![
        PlotSeries {
            name: "half within".into(),
            class: "c1",
            values: value(|it| it.p50),
        },
        PlotSeries {
            name: "95 % within".into(),
            class: "c2",
            values: value(|it| it.p95),
        },
    ];
    let told = match n {
        0 => "No hook was timed in this time.".into(),
        n => format!(
            "{} timed: how long agents waited for them.",
            pluralize_count(n as u64, "hook", "hooks")
        ),
    };
    build_day_plot(
        "latency",
        "Hook latency",
        told,
        days,
        (PlotUnit::Micros, PlotShape::Lines),
        series,
    )
}

fn build_day_plot<'a>(
    id: &'a str,
    title: &'a str,
    told: String,
    days: &'a [Date],
    (unit, shape): (PlotUnit, PlotShape),
    series: Vec<PlotSeries>,
) -> Plot<'a> {
    Plot {
        id,
        title,
        told,
        days,
        unit,
        shape,
        series,
    }
}
