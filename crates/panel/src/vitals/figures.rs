//! The plots: what happened day by day.

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::pace::{Pace, paces};
use apostille_audit::trend::{Day, MAX_TRACES, Trend, trend};
use apostille_core::event::Happening;
use apostille_core::memory::Stage;
use jiff::civil::Date;
use maud::{Markup, html};

use crate::parts::{count, cut, said};
use crate::plot::{Plot, Series, Shape, Unit};
use crate::sessions::read;
use apostille_api::Fault;
use apostille_api::visit::Visit;

/// How many sessions are looked through for how long hooks took.
const SESSIONS: usize = 100;
/// How many classes of refusals have a colour; the rest are told as one.
const CLASSES: usize = 4;
/// The colours of classes, and of the rest.
const COLOURS: [&str; 5] = ["c1", "c2", "c3", "c4", "c5"];

pub(super) fn section(visit: &Visit<'_>, n_days: u16) -> Result<Markup, Fault> {
    let trend = trend(visit.cx, &visit.spaces(), n_days, MAX_TRACES)?;
    let sessions = read(visit, |it| it.sessions(SESSIONS)).unwrap_or_default();
    let reached: Vec<_> = sessions
        .into_iter()
        .map(|mut it| {
            it.entries.retain(|it| visit.pass.reaches(&it.space));
            it
        })
        .collect();
    let dates: Vec<Date> = trend.days.iter().map(|it| it.date).collect();
    Ok(html! {
        @if trend.is_cut { p.hint { "More happened than is looked at here (" (MAX_TRACES) " events), so the plots begin later." } }
        div.plots {
            (stages(&trend, &dates).figure())
            (verified(&trend, &dates).figure())
            (applied(&trend, &dates).figure())
            (refused(&trend, &dates).figure())
            (latency(&paces(&reached), &dates).figure())
        }
    })
}

fn row(
    name: &str,
    class: &'static str,
    days: &[Day],
    value: impl Fn(&Day) -> Option<f64>,
) -> Series {
    Series {
        name: name.into(),
        class,
        values: days.iter().map(value).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a plot needs no more")]
fn number(n: u64) -> Option<f64> {
    Some(n as f64)
}

fn sum(trend: &Trend, value: impl Fn(&Day) -> u64) -> u64 {
    trend.days.iter().map(value).sum()
}

fn stages<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    const ORDER: [(Stage, &str); 5] = [
        (Stage::Active, "active"),
        (Stage::Pending, "pending"),
        (Stage::Superseded, "superseded"),
        (Stage::Invalid, "invalid"),
        (Stage::Retired, "retired"),
    ];
    let used =
        |stage: Stage| stage == Stage::Active || trend.days.iter().any(|it| it.stage(stage) > 0);
    let series = ORDER.into_iter().filter(|it| used(it.0));
    let series = series.map(|(stage, class)| {
        row(stage.as_str(), class, &trend.days, |it| {
            number(it.stage(stage))
        })
    });
    let at = |day: Option<&Day>| day.map_or(0, |it| it.stage(Stage::Active));
    let told = format!(
        "{} in use today, {} at the beginning.",
        at(trend.days.last()),
        at(trend.days.first())
    );
    plot(
        "stages",
        "Memories by status",
        told,
        days,
        (Unit::Count, Shape::Columns),
        series.collect(),
    )
}

fn verified<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let told = share(
        sum(trend, Day::held),
        sum(trend, Day::looks),
        "looks at the cited code found it to hold",
        "Nobody looked at cited code in this time.",
    );
    let series = vec![row(
        "found to hold",
        "active",
        &trend.days,
        Day::verified_share,
    )];
    plot(
        "verified",
        "Verification",
        told,
        days,
        (Unit::Share, Shape::Lines),
        series,
    )
}

fn applied<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let shown = sum(trend, |it| it.n_shown);
    let told = share(
        sum(trend, |it| it.event(Happening::Applied)),
        shown,
        "showings were of use",
        "Nothing was shown in this time.",
    );
    let series = vec![row("applied", "c1", &trend.days, Day::applied_share)];
    plot(
        "applied",
        "Applied of shown",
        told,
        days,
        (Unit::Share, Shape::Lines),
        series,
    )
}

fn share(part: u64, whole: u64, what: &str, none: &str) -> String {
    if whole == 0 {
        none.into()
    } else {
        format!("{part} of {whole} {what}.")
    }
}

fn refused<'a>(trend: &Trend, days: &'a [Date]) -> Plot<'a> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    let all = trend.days.iter().flat_map(|it| &it.refused);
    all.for_each(|(class, n)| *classes.entry(class).or_default() += n);
    let n: u64 = classes.values().sum();
    let mut by_number: Vec<(&str, u64)> = classes.into_iter().collect();
    by_number.sort_by_key(|it| std::cmp::Reverse(it.1));
    let named: Vec<&str> = by_number.iter().take(CLASSES).map(|it| it.0).collect();
    let of = |class: &str, day: &Day| number(day.refused.get(class).copied().unwrap_or(0));
    let rest = |day: &Day| {
        let others = day
            .refused
            .iter()
            .filter(|it| !named.contains(&it.0.as_str()));
        number(others.map(|it| it.1).sum())
    };
    let mut series: Vec<Series> = named
        .iter()
        .zip(COLOURS)
        .map(|(class, colour)| {
            row(&cut(&said(class), 40), colour, &trend.days, |day| {
                of(class, day)
            })
        })
        .collect();
    if by_number.len() > CLASSES {
        series.push(row("others", COLOURS[CLASSES], &trend.days, rest));
    }
    if series.is_empty() {
        series.push(row("refused", COLOURS[0], &trend.days, |_| number(0)));
    }
    let told = match by_number.first() {
        Some((class, _)) => format!(
            "{} turned away, most of them for: {}.",
            count(n, "draft", "drafts"),
            cut(&said(class), 40)
        ),
        None => "Nothing was turned away in this time.".into(),
    };
    plot(
        "refused",
        "Refusals by class",
        told,
        days,
        (Unit::Count, Shape::Columns),
        series,
    )
}

fn latency<'a>(paces: &[Pace], days: &'a [Date]) -> Plot<'a> {
    let wanted: BTreeSet<Date> = days.iter().copied().collect();
    let n: usize = paces
        .iter()
        .filter(|it| wanted.contains(&it.date))
        .map(|it| it.n)
        .sum();
    let value = |of: fn(&Pace) -> u32| {
        let on = |day: &Date| {
            paces
                .iter()
                .find(|it| it.date == *day)
                .map(|it| f64::from(of(it)))
        };
        days.iter().map(on).collect::<Vec<_>>()
    };
    let series = vec![
        Series {
            name: "half within".into(),
            class: "c1",
            values: value(|it| it.p50),
        },
        Series {
            name: "95 % within".into(),
            class: "c2",
            values: value(|it| it.p95),
        },
    ];
    let told = match n {
        0 => "No hook was timed in this time.".into(),
        n => format!(
            "{} timed: how long agents waited for them.",
            count(n as u64, "hook", "hooks")
        ),
    };
    plot(
        "latency",
        "Hook latency",
        told,
        days,
        (Unit::Micros, Shape::Lines),
        series,
    )
}

fn plot<'a>(
    id: &'a str,
    title: &'a str,
    told: String,
    days: &'a [Date],
    (unit, shape): (Unit, Shape),
    series: Vec<Series>,
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
