//! Tasks that somebody left open: after a crash, nobody says that it ended.

use jiff::{SignedDuration, Timestamp};

use super::{NoteSort, Task};
use apostille_core::{
    Context, CoreError,
    format::format_utc_day,
    memory::{Draft, DuplicateChoice, Layer, Memory, Voice},
    remember::{RememberOutcome, remember},
    space::Space,
};

/// After how many days without a gate a task counts as left open.
pub const DAYS: i64 = 7;
/// The tag of the episode that a task gets which was left open.
pub const LEFT: &str = "left-open";

/// The open tasks of this person whose last gate lies longer back, or whose session has ended. What somebody else began
/// is theirs to end, whichever checkout it is seen in.
pub fn find_left_open_tasks<'t>(
    tasks: &'t [Task],
    me: &str,
    now: Timestamp,
    after: SignedDuration,
    has_ended: impl Fn(&str) -> bool,
) -> Vec<&'t Task> {
    let is_old = |task: &Task| now.duration_since(task.touched_at) > after;
    let is_deserted = |task: &Task| task.session.as_deref().is_some_and(&has_ended);
    let is_mine = |task: &Task| task.by.as_deref() == Some(me);
    tasks
        .iter()
        .filter(|it| it.is_open() && is_mine(it) && (is_old(it) || is_deserted(it)))
        .collect()
}

/// The minimal episode of a task that was left open. The same task left at the same point gives the same memory, however
/// often it is asked for.
pub fn remember_left_open_task(
    cx: &Context,
    space: &Space,
    task: &Task,
    voice: Voice,
) -> Result<Option<Memory>, CoreError> {
    let draft = Draft {
        layer: Some(Layer::Episode),
        subject: Some(task.title.clone()),
        tags: vec![super::SUMMARY.into(), LEFT.into()],
        task: Some(task.slug.to_string()),
        on_duplicate: DuplicateChoice::Create("a task that was left open".into()),
        ..Draft::new(space.clone(), format_left_open_episode(task), voice)
    };
    Ok(match remember(cx, draft)? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Some(*memory)
        }
        RememberOutcome::Similar { .. } | RememberOutcome::Refused(_) => None,
    })
}

fn format_left_open_episode(task: &Task) -> String {
    let phase = task
        .format_phase()
        .map(|it| format!(" in phase {it}"))
        .unwrap_or_default();
    let n = |sort: NoteSort, one: &str| match task.entries_of_sort(sort).count() {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    format!(
        "left open{phase} after {}: {}; {}, {}, {} unresolved\noutcome: unknown, nobody ended it",
        format_utc_day(task.touched_at),
        task.title,
        n(NoteSort::Note, "note"),
        n(NoteSort::Decision, "decision"),
        n(NoteSort::Blocker, "blocker"),
    )
}
