//! A task at a glance: its phases as a band from its first gate to its last, and a mark for every gate. The list below
//! it says the same in words.

use apostille_tasks::task::{Gate, Passage, Task, What};
use jiff::Timestamp;
use maud::{Markup, html};

use crate::parts::{count, cut, said};

/// The box of the strip, and its margin.
const WIDE: f64 = 320.0;
const EDGE: f64 = 8.0;
/// How many marks are drawn: more are one smudge.
const MARKS: usize = 200;
/// How narrow a phase may be and still have its name in it.
const ROOM: f64 = 54.0;

pub(super) fn figure(task: &Task, gates: &[Passage]) -> Markup {
    let (Some(first), Some(last)) = (
        gates.iter().map(|it| it.at).min(),
        gates.iter().map(|it| it.at).max(),
    ) else {
        return html! {};
    };
    let x = |at: Timestamp| place(at, first, last);
    let told = format!(
        "{}, {}: {}.",
        count(gates.len() as u64, "gate", "gates"),
        count(phases(gates).len() as u64, "phase", "phases"),
        if task.is_open() {
            "it is open"
        } else {
            "it has ended"
        }
    );
    html! {
        svg.strip viewBox="0 0 320 48" role="img" aria-labelledby="strip-title strip-desc" {
            title #strip-title { "The phases and gates of the task, in time" }
            desc #strip-desc { (told) }
            @for (n, (name, from, to)) in bands(gates, last).into_iter().enumerate() {
                rect.band.(if n % 2 == 0 { "even" } else { "odd" }) x=(at(x(from))) y="4" width=(at((x(to) - x(from)).max(1.0))) height="20" rx="3" {}
                @if x(to) - x(from) >= ROOM { text x=(at(x(from) + 5.0)) y="19" { (cut(&said(&name), 10)) } }
            }
            line.rule x1="8" x2="312" y1="36" y2="36" {}
            @for it in gates.iter().take(MARKS) { circle.(look(it)) cx=(at(x(it.at))) cy="36" r="4" {} }
        }
    }
}

fn look(it: &Passage) -> &'static str {
    match it.what.gate() {
        Gate::Blocked | Gate::Abandoned => "bad",
        Gate::Done | Gate::Verified | Gate::Unblocked => "good",
        Gate::Decided => "info",
        Gate::Started | Gate::Phase | Gate::Noted => "plain",
    }
}

/// The phases with the time at which each began.
fn phases(gates: &[Passage]) -> Vec<(String, Timestamp)> {
    let phase = |it: &Passage| match &it.what {
        What::Started(start) => start.phase.clone().map(|name| (name, it.at)),
        What::Phase(name) => Some((name.clone(), it.at)),
        _ => None,
    };
    gates.iter().filter_map(phase).collect()
}

/// Each phase from its beginning to that of the next.
fn bands(gates: &[Passage], last: Timestamp) -> Vec<(String, Timestamp, Timestamp)> {
    let phases = phases(gates);
    let ends = phases.iter().skip(1).map(|it| it.1).chain([last]);
    phases
        .iter()
        .zip(ends)
        .map(|((name, from), to)| (name.clone(), *from, to.max(*from)))
        .collect()
}

/// Where a time stands; all of it in the middle where no time passed.
fn place(at: Timestamp, first: Timestamp, last: Timestamp) -> f64 {
    let whole = last.duration_since(first).as_secs_f64();
    let share = if whole > 0.0 {
        at.duration_since(first).as_secs_f64() / whole
    } else {
        0.5
    };
    EDGE + (WIDE - 2.0 * EDGE) * share.clamp(0.0, 1.0)
}

fn at(place: f64) -> String {
    format!("{place:.1}")
}
