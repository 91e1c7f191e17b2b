//! A task at a glance: its phases as a band from its first gate to its last, and a mark for every gate. The list below
//! it says the same in words.

use apostille_tasks::task::{Gate, GateAction, GateEvent, Task};
use jiff::Timestamp;
use maud::{Markup, html};

use crate::components::{pluralize_count, shorten_shown_text};

/// The box of the strip, and its margin.
const WIDE: f64 = 320.0;
const EDGE: f64 = 8.0;
/// How many marks are drawn: more are one smudge.
const MARKS: usize = 200;
/// How narrow a phase may be and still have its name in it.
const ROOM: f64 = 54.0;

pub(super) fn render_task_strip(task: &Task, gates: &[GateEvent]) -> Markup {
    let times = || gates.iter().map(|it| it.at);
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return html! {};
    };
    let x = |at: Timestamp| map_time_to_x(at, first, last);
    let bands = list_phase_bands(gates, last);
    let told = format!(
        "{}, {}: {}.",
        pluralize_count(gates.len() as u64, "gate", "gates"),
        pluralize_count(bands.len() as u64, "phase", "phases"),
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
            @for (n, (name, from, to)) in bands.into_iter().enumerate() {
                rect.band.(if n % 2 == 0 { "even" } else { "odd" }) x=(format_strip_coordinate(x(from))) y="4" width=(format_strip_coordinate((x(to) - x(from)).max(1.0))) height="20" rx="3" {}
                @if x(to) - x(from) >= ROOM { text x=(format_strip_coordinate(x(from) + 5.0)) y="19" { (shorten_shown_text(name, 10)) } }
            }
            line.rule x1="8" x2="312" y1="36" y2="36" {}
            @for it in gates.iter().take(MARKS) { circle.(classify_gate_tone(it)) cx=(format_strip_coordinate(x(it.at))) cy="36" r="4" {} }
        }
    }
}

fn classify_gate_tone(it: &GateEvent) -> &'static str {
    match it.what.gate() {
        Gate::Blocked | Gate::Abandoned => "bad",
        Gate::Done | Gate::Verified | Gate::Unblocked => "good",
        Gate::Decided => "info",
        Gate::Started | Gate::Phase | Gate::Noted | Gate::Reported | Gate::Filed => "plain",
    }
}

/// Each phase from its beginning to that of the next.
fn list_phase_bands(gates: &[GateEvent], last: Timestamp) -> Vec<(&str, Timestamp, Timestamp)> {
    let phases = gates.iter().filter_map(|it| match &it.what {
        GateAction::Started(start) => Some((start.phase.as_deref()?, it.at)),
        GateAction::Phase(name) => Some((name, it.at)),
        _ => None,
    });
    let ends = phases.clone().skip(1).map(|it| it.1).chain([last]);
    let bands = phases.zip(ends);
    bands
        .map(|((name, from), to)| (name, from, to.max(from)))
        .collect()
}

/// Where a time stands; all of it in the middle where no time passed.
fn map_time_to_x(at: Timestamp, first: Timestamp, last: Timestamp) -> f64 {
    let whole = last.duration_since(first).as_secs_f64();
    let share = if whole > 0.0 {
        at.duration_since(first).as_secs_f64() / whole
    } else {
        0.5
    };
    EDGE + (WIDE - 2.0 * EDGE) * share.clamp(0.0, 1.0)
}

fn format_strip_coordinate(place: f64) -> String {
    format!("{place:.1}")
}
