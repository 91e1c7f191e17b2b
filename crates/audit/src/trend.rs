//! Trend: what happened in some spaces day by day, and how many memories stood where at the end of each day.
//!
//! The log is read backwards in outline, from how everything stands today: every change tells where a memory stood before,
//! so that no more of the log is read than the days asked for. What was forgotten is gone from the past, too.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp, civil::Date, tz::TimeZone};

use apostille_core::{
    Context, CoreError,
    event::{EventKind, trace::EventTrace},
    memory::{MemoryId, Stage},
    space::Space,
};

/// How many events of a space are looked at, the newest of them, unless said otherwise.
pub const MAX_TRACES: usize = 30_000;
/// The most days that a trend is about.
pub const MAX_DAYS: u16 = 366;

/// One day, in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrendDay {
    /// The date.
    pub date: Date,
    /// How many memories stood where at its end.
    pub stages: BTreeMap<Stage, u64>,
    /// How often something happened.
    pub events: BTreeMap<EventKind, u64>,
    /// How many memories were shown, each as often as it was.
    pub n_shown: u64,
    /// How many of these cite code that was looked at for it and held.
    pub n_held: u64,
    /// How many drafts were turned away, by the class of the refusal.
    pub refused: BTreeMap<String, u64>,
}

impl TrendDay {
    /// How many memories stood here at its end.
    pub fn count_in_stage(&self, stage: Stage) -> u64 {
        self.stages.get(&stage).copied().unwrap_or(0)
    }

    /// How often this happened.
    #[must_use]
    pub fn count_events(&self, happening: EventKind) -> u64 {
        self.events.get(&happening).copied().unwrap_or(0)
    }

    /// How many looks found citations to hold. Whatever is shown was looked at for it, and not only what `verify` is asked
    /// about.
    pub fn count_held(&self) -> u64 {
        self.count_events(EventKind::VerifiedValid) + self.n_held
    }

    /// How many looks at cited code there were.
    #[must_use]
    pub fn count_looks(&self) -> u64 {
        self.count_held() + self.count_events(EventKind::VerifiedInvalid)
    }

    /// The share of looks that found citations to hold, where anybody looked.
    #[must_use]
    pub fn verified_share(&self) -> Option<f64> {
        compute_share(self.count_held(), self.count_looks())
    }

    /// How many memories were applied for each that was shown, where any was.
    #[must_use]
    pub fn applied_share(&self) -> Option<f64> {
        compute_share(self.count_events(EventKind::Applied), self.n_shown)
    }

    fn count_trace(&mut self, trace: &EventTrace) {
        *self.events.entry(trace.happening).or_default() += 1;
        self.n_shown += trace.n_shown as u64;
        self.n_held += trace.n_held as u64;
        if let Some(class) = &trace.class {
            *self.refused.entry(class.clone()).or_default() += 1;
        }
    }

    fn add_day(&mut self, other: &Self) {
        add_counts(&mut self.stages, &other.stages);
        add_counts(&mut self.events, &other.events);
        add_counts(&mut self.refused, &other.refused);
        self.n_shown += other.n_shown;
        self.n_held += other.n_held;
    }
}

fn add_counts<K: Ord + Clone>(ours: &mut BTreeMap<K, u64>, theirs: &BTreeMap<K, u64>) {
    theirs
        .iter()
        .for_each(|(key, n)| *ours.entry(key.clone()).or_default() += n);
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
fn compute_share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What happened, day by day without a gap, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trend {
    /// The days.
    pub days: Vec<TrendDay>,
    /// Whether it begins later than asked for, because more happened than is looked at.
    pub is_cut: bool,
}

/// The day of a time, in UTC.
pub fn utc_date(at: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(at).date()
}

/// What happened in these spaces in the last days, today included; at most so many events of each space are looked at.
pub fn compute_trend(
    cx: &Context,
    spaces: &[Space],
    n_days: u16,
    limit: usize,
) -> Result<Trend, CoreError> {
    let today = utc_date(cx.now);
    let back = SignedDuration::from_hours(24 * i64::from(n_days.clamp(1, MAX_DAYS) - 1));
    let first = utc_date(cx.now.checked_sub(back).unwrap_or(Timestamp::MIN));
    let since = first
        .to_zoned(TimeZone::UTC)
        .map_or(Timestamp::MIN, |it| it.timestamp());
    let mut whole = Trend {
        days: list_empty_days(first, today),
        is_cut: false,
    };
    for space in spaces {
        let traces = cx.store.read_event_traces(space, since, limit)?;
        let tally = cx.store.summarize_space(space)?;
        let stages = Stage::ALL.iter().map(|it| (*it, tally.count_in_stage(*it)));
        let is_full = traces.len() >= limit;
        whole.is_cut |= is_full;
        let since = traces.last().filter(|_| is_full).map(|it| utc_date(it.at));
        // The day on which the reading stopped is told in part only.
        whole
            .days
            .retain(|it| it.date == today || since.is_none_or(|since| it.date > since));
        let days = fold_trend_days(stages.collect(), first, today, &traces);
        for day in &mut whole.days {
            if let Some(it) = days.iter().find(|it| it.date == day.date) {
                day.add_day(it);
            }
        }
    }
    Ok(whole)
}

fn list_empty_days(first: Date, last: Date) -> Vec<TrendDay> {
    let dates = first.series(jiff::Span::new().days(1));
    dates
        .take_while(|it| *it <= last)
        .map(|date| TrendDay {
            date,
            ..TrendDay::default()
        })
        .collect()
}

/// The days from the first to the last, out of how many memories stand where now and what happened, the newest first.
pub fn fold_trend_days(
    stages: BTreeMap<Stage, u64>,
    first: Date,
    last: Date,
    traces: &[EventTrace],
) -> Vec<TrendDay> {
    let mut days = list_empty_days(first, last);
    let mut back = StageRewind {
        stages,
        earlier: HashMap::new(),
    };
    let mut open = days.len();
    for trace in traces {
        let on = utc_date(trace.at).clamp(first, last);
        // A day is over, seen from behind, as soon as something of an earlier one comes.
        while open > 0 && days[open - 1].date >= on {
            open -= 1;
            days[open].stages.clone_from(&back.stages);
        }
        if let Some(day) = days.iter_mut().find(|it| it.date == on) {
            day.count_trace(trace);
        }
        back.undo_event(trace);
    }
    days[..open]
        .iter_mut()
        .for_each(|it| it.stages.clone_from(&back.stages));
    days
}

/// How everything stood, on the way back.
struct StageRewind {
    stages: BTreeMap<Stage, u64>,
    /// Where a memory stood before the earliest event that was met so far.
    earlier: HashMap<MemoryId, Stage>,
}

impl StageRewind {
    fn undo_event(&mut self, trace: &EventTrace) {
        let Some(id) = trace.memory else { return };
        if trace.happening == EventKind::Remembered {
            if let Some(stage) = self.earlier.remove(&id).or(trace.stage) {
                self.take_from_stage(stage);
            }
        } else if let Some(was) = trace.was {
            let became = self.earlier.insert(id, was).or(trace.stage).unwrap_or(was);
            self.take_from_stage(became);
            *self.stages.entry(was).or_default() += 1;
        }
    }

    fn take_from_stage(&mut self, stage: Stage) {
        let n = self.stages.entry(stage).or_default();
        *n = n.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(line: &str) -> EventTrace {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [at, happening, rest @ ..] = words.as_slice() else {
            panic!("{line}")
        };
        let field = |name: &str| rest.iter().find_map(|it| it.strip_prefix(name));
        let id = |n: &str| MemoryId::new(Timestamp::UNIX_EPOCH, n.parse::<u128>().unwrap() << 48);
        EventTrace {
            memory: field("m-").map(id),
            was: field("was=").map(|it| it.parse().unwrap()),
            stage: field("is=").map(|it| it.parse().unwrap()),
            n_shown: field("shown=").map_or(0, |it| it.parse().unwrap()),
            n_held: field("held=").map_or(0, |it| it.parse().unwrap()),
            class: field("class=").map(Into::into),
            ..EventTrace::new(
                format!("2026-03-{at}:00:00Z").parse().unwrap(),
                happening.parse().unwrap(),
            )
        }
    }

    /// The days from the 1st to the 4th, each with how many memories are pending, active and superseded.
    fn told(now: [u64; 3], lines: &str) -> String {
        let stages = [Stage::Pending, Stage::Active, Stage::Superseded]
            .into_iter()
            .zip(now)
            .collect();
        let traces: Vec<EventTrace> = lines.lines().map(trace).collect();
        let days = fold_trend_days(
            stages,
            "2026-03-01".parse().unwrap(),
            "2026-03-04".parse().unwrap(),
            &traces,
        );
        let day = |it: &TrendDay| {
            format!(
                "{}/{}/{}",
                it.count_in_stage(Stage::Pending),
                it.count_in_stage(Stage::Active),
                it.count_in_stage(Stage::Superseded)
            )
        };
        days.iter().map(day).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_past_is_told_from_how_it_stands_today() {
        let check =
            |now, lines: &str, expected: &str| assert_eq!(told(now, lines), expected, "{lines}");
        check([0, 3, 0], "", "0/3/0 0/3/0 0/3/0 0/3/0");
        check(
            [0, 3, 0],
            "03T10 remembered m-1 is=active",
            "0/2/0 0/2/0 0/3/0 0/3/0",
        );
        // What is superseded today was in use when it was remembered.
        check(
            [0, 1, 1],
            "04T10 remembered m-2 is=active\n04T10 superseded m-1 was=active is=superseded\n02T10 remembered m-1 is=superseded",
            "0/0/0 0/1/0 0/1/0 0/1/1",
        );
        check(
            [0, 1, 0],
            "03T10 approved m-1 was=pending is=active\n02T10 remembered m-1 is=active",
            "0/0/0 1/0/0 0/1/0 0/1/0",
        );
        // What stated it again did not move it.
        check(
            [0, 1, 0],
            "02T10 refreshed m-1 was=active",
            "0/1/0 0/1/0 0/1/0 0/1/0",
        );
        // A log that does not fit what stands today takes nothing below none.
        check(
            [0, 0, 0],
            "03T10 remembered m-1 is=active",
            "0/0/0 0/0/0 0/0/0 0/0/0",
        );
        // What a merge brought out of order counts on its day.
        check(
            [0, 2, 0],
            "02T10 remembered m-1 is=active\n03T10 remembered m-2 is=active",
            "0/0/0 0/2/0 0/2/0 0/2/0",
        );
    }

    #[test]
    fn shares_are_of_what_happened_on_the_day() {
        let lines = "03T10 retrieved shown=4\n03T09 applied m-1\n02T10 verified_valid m-1\n02T09 verified_invalid m-2\n02T09 refused class=secret";
        let traces: Vec<EventTrace> = lines.lines().map(trace).collect();
        let days = fold_trend_days(
            BTreeMap::new(),
            "2026-03-02".parse().unwrap(),
            "2026-03-04".parse().unwrap(),
            &traces,
        );
        let shares: Vec<_> = days
            .iter()
            .map(|it| (it.verified_share(), it.applied_share()))
            .collect();
        assert_eq!(
            shares,
            [(Some(0.5), None), (None, Some(0.25)), (None, None)]
        );
        assert_eq!(days[0].refused.get("secret"), Some(&1));
    }

    #[test]
    fn what_is_shown_was_looked_at() {
        let lines = "03T10 retrieved shown=5 held=2\n03T09 verified_valid m-1\n03T09 verified_invalid m-2\n02T10 retrieved shown=2";
        let traces: Vec<EventTrace> = lines.lines().map(trace).collect();
        let days = fold_trend_days(
            BTreeMap::new(),
            "2026-03-02".parse().unwrap(),
            "2026-03-03".parse().unwrap(),
            &traces,
        );
        let told: Vec<_> = days
            .iter()
            .map(|it| (it.count_held(), it.count_looks(), it.verified_share()))
            .collect();
        assert_eq!(told, [(0, 0, None), (3, 4, Some(0.75))]);
    }
}
