//! The plots: what happened day by day.

use std::collections::BTreeMap;

use apostille_agents::hook_latency::{DailyHookLatency, compute_hook_latencies};
use apostille_audit::trend::{MAX_TRACES, Trend, TrendDay, compute_trend};
use apostille_core::{event::EventKind, memory::Stage};
use jiff::civil::Date;
use maud::{Markup, html};

use crate::{
    PanelResult,
    components::{pluralize_count, shorten_shown_text},
    memories::STAGES,
    plot::{Plot, PlotSeries, PlotShape, PlotUnit},
    sessions::{keep_reachable_entries, read_beside_store},
};
use apostille_api::request_scope::RequestScope;

/// How many sessions are looked through for how long hooks took.
const SESSIONS: usize = 100;
/// How many classes of refusals have a colour; the rest are told as one.
const CLASSES: usize = 4;
/// The colours of classes, and of the rest.
const COLOURS: [&str; 5] = ["c1", "c2", "c3", "c4", "c5"];

pub(super) fn render_vitals_plots(scope: &RequestScope, n_days: u16) -> PanelResult<Markup> {
    let trend = compute_trend(scope.cx, &scope.reachable_spaces(), n_days, MAX_TRACES)?;
    let mut sessions =
        read_beside_store(scope, |it| it.list_sessions(SESSIONS)).unwrap_or_default();
    sessions.retain_mut(|it| keep_reachable_entries(scope, it));
    let dates: Vec<Date> = trend.days.iter().map(|it| it.date).collect();
    let plots = [
        plot_memory_stages(&trend, &dates),
        plot_verified_share(&trend, &dates),
        plot_applied_share(&trend, &dates),
        plot_refusals(&trend, &dates),
        plot_hook_latency(&compute_hook_latencies(&sessions), &dates),
    ];
    Ok(html! {
        @if trend.is_cut { p.hint { "More happened than is looked at here (" (MAX_TRACES) " events), so the plots begin later." } }
        div.plots { @for it in plots { (it.render_figure()) } }
    })
}

fn build_day_series(
    name: &str,
    class: &'static str,
    trend: &Trend,
    value: impl Fn(&TrendDay) -> Option<f64>,
) -> PlotSeries {
    PlotSeries {
        name: name.into(),
        class,
        values: trend.days.iter().map(value).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a plot needs no more")]
fn count_to_plot_value(n: u64) -> Option<f64> {
    Some(n as f64)
}

fn plot_memory_stages<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let used = |stage: Stage| {
        stage == Stage::Active || trend.days.iter().any(|it| it.count_in_stage(stage) > 0)
    };
    let series = STAGES.into_iter().filter(|it| used(*it)).map(|stage| {
        let count = |it: &TrendDay| count_to_plot_value(it.count_in_stage(stage));
        build_day_series(stage.as_str(), stage.as_str(), trend, count)
    });
    let at = |day: Option<&TrendDay>| day.map_or(0, |it| it.count_in_stage(Stage::Active));
    Plot {
        id: "stages",
        title: "Memories by status",
        told: format!(
            "{} in use today, {} at the beginning.",
            at(trend.days.last()),
            at(trend.days.first())
        ),
        days,
        unit: PlotUnit::Count,
        shape: PlotShape::Columns,
        series: series.collect(),
    }
}

fn plot_verified_share<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let held: u64 = trend.days.iter().map(TrendDay::count_held).sum();
    let looks = trend.days.iter().map(TrendDay::count_looks).sum();
    let share = TrendDay::verified_share;
    Plot {
        id: "verified",
        title: "Verification",
        told: match looks {
            0_u64 => "No citation was verified in this time.".into(),
            _ => format!("{held} of {looks} looks at the cited code found it to hold."),
        },
        days,
        unit: PlotUnit::Share,
        shape: PlotShape::Lines,
        series: vec![build_day_series("found to hold", "active", trend, share)],
    }
}

fn plot_applied_share<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let applied = trend
        .days
        .iter()
        .map(|it| it.count_events(EventKind::Applied));
    let applied: u64 = applied.sum();
    let shown = trend.days.iter().map(|it| it.n_shown).sum();
    let share = TrendDay::applied_share;
    Plot {
        id: "applied",
        title: "Applied of shown",
        told: match shown {
            0_u64 => "Nothing was shown in this time.".into(),
            _ => format!("{applied} of {shown} showings were of use."),
        },
        days,
        unit: PlotUnit::Share,
        shape: PlotShape::Lines,
        series: vec![build_day_series("applied", "c1", trend, share)],
    }
}

fn plot_refusals<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    for (class, n) in trend.days.iter().flat_map(|it| &it.refused) {
        *classes.entry(class).or_default() += n;
    }
    let n: u64 = classes.values().sum();
    let mut by_number: Vec<(&str, u64)> = classes.into_iter().collect();
    by_number.sort_by_key(|it| std::cmp::Reverse(it.1));
    let shorten = |class: &str| shorten_shown_text(class, 40);
    let (named, rest) = by_number.split_at(by_number.len().min(CLASSES));
    let count = |classes: &[(&str, u64)], day: &TrendDay| {
        let counts = classes.iter().filter_map(|it| day.refused.get(it.0));
        count_to_plot_value(counts.sum())
    };
    let by_class = named.chunks(1).zip(COLOURS).map(|(one, colour)| {
        build_day_series(&shorten(one[0].0), colour, trend, |day| count(one, day))
    });
    let mut series: Vec<PlotSeries> = by_class.collect();
    if !rest.is_empty() {
        let others = |day: &TrendDay| count(rest, day);
        series.push(build_day_series("others", COLOURS[CLASSES], trend, others));
    }
    if series.is_empty() {
        let none = |day: &TrendDay| count(&[], day);
        series.push(build_day_series("refused", COLOURS[0], trend, none));
    }
    Plot {
        id: "refused",
        title: "Refusals by class",
        told: match by_number.first() {
            Some((class, _)) => format!(
                "{} turned away, most of them for: {}.",
                pluralize_count(n, "draft", "drafts"),
                shorten(class)
            ),
            None => "Nothing was turned away in this time.".into(),
        },
        days,
        unit: PlotUnit::Count,
        shape: PlotShape::Columns,
        series,
    }
}

fn plot_hook_latency<'a>(paces: &[DailyHookLatency], days: &'a [Date]) -> Plot<'a> {
    let on_day = |day: &Date| paces.iter().find(|it| it.date == *day);
    let n: usize = days.iter().filter_map(on_day).map(|it| it.n).sum();
    let series = |name: &str, class, value: fn(&DailyHookLatency) -> u32| PlotSeries {
        name: name.into(),
        class,
        values: days
            .iter()
            .map(|day| Some(f64::from(value(on_day(day)?))))
            .collect(),
    };
    Plot {
        id: "latency",
        title: "Hook latency",
        told: match n {
            0 => "No hook was timed in this time.".into(),
            n => format!(
                "{} timed: how long agents waited for them.",
                pluralize_count(n as u64, "hook", "hooks")
            ),
        },
        days,
        unit: PlotUnit::Micros,
        shape: PlotShape::Lines,
        series: vec![
            series("half within", "c1", |it| it.p50),
            series("95 % within", "c2", |it| it.p95),
        ],
    }
}
