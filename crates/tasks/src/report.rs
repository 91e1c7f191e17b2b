//! Report: what was done in a span of time, from episodes. By day, the newest last.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::task::{
    NoteSort, SUMMARY, TaskStatus, has_tag, left_open::LEFT, phase_report::REPORT, summary,
};
use apostille_core::{
    Context, CoreError,
    format::format_utc_day,
    memory::{Layer, Memory, Stage},
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify,
    verify::VerifiedMemory,
};

/// How many episodes are looked at, the newest of them.
pub const MAX_EPISODES: usize = 2_000;

/// A span of time: from its beginning, up to and without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportSpan {
    /// From this time.
    pub since: Timestamp,
    /// Before this time.
    pub until: Timestamp,
}

/// What was done in a span of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkReport {
    /// Day by day; a day without anything is left out.
    pub days: Vec<ReportDay>,
    /// Whether there was more than is looked at.
    pub is_cut: bool,
}

/// One day, in UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportDay {
    /// The date.
    pub date: String,
    /// What was done, in its order.
    pub items: Vec<ReportItem>,
}

/// A task, or what happened outside of any.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportItem {
    /// Whose.
    pub space: Space,
    /// The task, where it was one.
    pub task: Option<String>,
    /// When the last of it was written down.
    pub at: Timestamp,
    /// What came of the task, where it ended in this span.
    pub summary: Option<VerifiedMemory>,
    /// What was decided.
    pub decisions: Vec<VerifiedMemory>,
    /// What its sessions say of themselves; outside a task, the one session.
    pub sessions: Vec<VerifiedMemory>,
    /// How many notes there are besides.
    pub n_notes: usize,
}

impl ReportItem {
    /// What it is called: the title of the task, else its name, else nothing.
    pub fn title(&self) -> Option<&str> {
        let subject = || self.summary.as_ref()?.memory.subject.as_deref();
        subject().or(self.task.as_deref())
    }

    /// How the task stands, as far as the span tells.
    pub fn status(&self) -> Option<&'static str> {
        self.task.as_ref()?;
        Some(match self.summary.as_ref().map(|it| &it.memory) {
            None => TaskStatus::Open.as_str(),
            Some(it) if has_tag(it, LEFT) => "left open",
            Some(it) if has_tag(it, TaskStatus::Abandoned.as_str()) => {
                TaskStatus::Abandoned.as_str()
            }
            Some(_) => TaskStatus::Done.as_str(),
        })
    }

    /// What came of it, in somebody's words.
    pub fn outcome(&self) -> Option<&str> {
        summary::parse_summary_outcome(&self.summary.as_ref()?.memory)
    }
}

/// What was done in these spaces, and in this span. What cites code of `here` is looked up; of other spaces it cannot be,
/// and says so by having no verdicts.
pub fn build_work_report(
    cx: &Context,
    spaces: &[Space],
    here: &Space,
    span: ReportSpan,
) -> Result<WorkReport, CoreError> {
    let filter = MemoryFilter {
        spaces: spaces.to_vec(),
        layers: vec![Layer::Episode],
        stages: vec![Stage::Active],
        order: ListOrder::Newest,
        limit: MAX_EPISODES + 1,
        ..MemoryFilter::default()
    };
    let mut episodes = cx.store.list_memories(&filter)?;
    let oldest = episodes
        .get(MAX_EPISODES)
        .and(episodes.get(MAX_EPISODES - 1));
    let is_cut = oldest.is_some_and(|it| it.recorded_at >= span.since);
    episodes.truncate(MAX_EPISODES);
    episodes.retain(|it| (span.since..span.until).contains(&it.recorded_at));
    episodes.reverse();
    let (ours, others): (Vec<Memory>, Vec<Memory>) =
        episodes.into_iter().partition(|it| it.space == *here);
    let mut seen = verify::follow_memory_citations(cx, ours);
    seen.extend(others.into_iter().map(VerifiedMemory::without_look));
    seen.sort_by_key(|it| {
        let memory = &it.memory;
        (memory.recorded_at, memory.space.clone(), memory.number)
    });
    Ok(WorkReport {
        days: group_items_by_day(group_report_items(seen)),
        is_cut,
    })
}

/// Tasks with what belongs to them, and what belongs to none.
fn group_report_items(seen: Vec<VerifiedMemory>) -> Vec<ReportItem> {
    let mut tasks: BTreeMap<(Space, String), ReportItem> = BTreeMap::new();
    let mut items = Vec::new();
    for it in seen {
        let (space, at) = (it.memory.space.clone(), it.memory.recorded_at);
        match it.memory.task.clone() {
            None => items.push(ReportItem {
                sessions: vec![it],
                ..ReportItem::new_empty(space, None, at)
            }),
            Some(task) => {
                let item = tasks
                    .entry((space.clone(), task.clone()))
                    .or_insert_with(|| ReportItem::new_empty(space, Some(task), at));
                item.add_episode(it);
            }
        }
    }
    items.extend(tasks.into_values());
    items.sort_by(|a, b| (a.at, &a.space, &a.task).cmp(&(b.at, &b.space, &b.task)));
    items
}

impl ReportItem {
    fn new_empty(space: Space, task: Option<String>, at: Timestamp) -> Self {
        Self {
            space,
            task,
            at,
            summary: None,
            decisions: Vec::new(),
            sessions: Vec::new(),
            n_notes: 0,
        }
    }

    /// A task stands where its end stands, and while it is open, where the last of it does.
    fn add_episode(&mut self, it: VerifiedMemory) {
        let has = |tag: &str| has_tag(&it.memory, tag);
        let is_sort = NoteSort::ALL.iter().any(|sort| has(sort.as_str()));
        if has(SUMMARY) {
            self.at = it.memory.recorded_at;
            self.summary = Some(it);
            return;
        }
        if self.summary.is_none() {
            self.at = it.memory.recorded_at;
        }
        match () {
            () if has(NoteSort::Decision.as_str()) => self.decisions.push(it),
            () if is_sort => self.n_notes += 1,
            // The end of the task tells what came of its phases.
            () if has(REPORT) => {}
            () => self.sessions.push(it),
        }
    }
}

fn group_items_by_day(items: Vec<ReportItem>) -> Vec<ReportDay> {
    let mut days: Vec<ReportDay> = Vec::new();
    for item in items {
        let date = format_utc_day(item.at);
        match days.last_mut().filter(|it| it.date == date) {
            Some(day) => day.items.push(item),
            None => days.push(ReportDay {
                date,
                items: vec![item],
            }),
        }
    }
    days
}

/// The span that `7d`, `24h`, `2w`, `5 weeks ago`, a date or a time stand for, before a time. Without a zone it is UTC.
pub fn parse_since(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    let units = [('m', 60), ('h', 3_600), ('d', 86_400), ('w', 7 * 86_400)];
    let ago = units
        .iter()
        .find_map(|(unit, seconds)| subtract_units(now, text.strip_suffix(*unit)?, *seconds));
    let zoned = |rest: &str| format!("{}{rest}", text.replacen(' ', "T", 1)).parse().ok();
    ago.or_else(|| parse_relative_time(text, now))
        .or_else(|| text.parse().ok())
        .or_else(|| zoned("T00:00:00Z"))
        .or_else(|| zoned("Z"))
        .or_else(|| zoned(":00Z"))
}

/// The time that lies so many units of so many seconds back.
fn subtract_units(now: Timestamp, n: &str, seconds: i64) -> Option<Timestamp> {
    let n: i64 = n.parse().ok().filter(|it| *it >= 0)?;
    now.checked_sub(SignedDuration::from_secs(n.checked_mul(seconds)?))
        .ok()
}

/// The time that words such as `5 weeks ago` stand for.
fn parse_relative_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    if text == "just now" {
        return Some(now);
    }
    let (n, unit) = text.strip_suffix(" ago")?.split_once(' ')?;
    let units = [
        ("minute", 60),
        ("hour", 3_600),
        ("day", 86_400),
        ("week", 604_800),
        ("month", 2_592_000),
        ("year", 31_536_000),
    ];
    let (_, seconds) = units.iter().find(|it| it.0 == unit.trim_end_matches('s'))?;
    subtract_units(now, n, *seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                parse_since(text, now).map(|it| it.to_string()).as_deref(),
                expected,
                "{text}"
            );
        };
        check("7d", Some("2026-03-03T12:00:00Z"));
        check("2w", Some("2026-02-24T12:00:00Z"));
        check("36h", Some("2026-03-09T00:00:00Z"));
        check("2026-02-01", Some("2026-02-01T00:00:00Z"));
        check("2026-02-01T10:00:00Z", Some("2026-02-01T10:00:00Z"));
        check("2026-02-01 10:00", Some("2026-02-01T10:00:00Z"));
        check("2026-02-01 10:00:30", Some("2026-02-01T10:00:30Z"));
        check("2 weeks ago", Some("2026-02-24T12:00:00Z"));
        check("1 hour ago", Some("2026-03-10T11:00:00Z"));
        check("just now", Some("2026-03-10T12:00:00Z"));
        check("many weeks ago", None);
        check("yesterday", None);
        check("-1d", None);
        check("99999999999999999d", None);
    }
}
