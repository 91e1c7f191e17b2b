//! What happened in a task or a session, in a line: what was wanted, and how it ended.
//!
//! An episode is a text in lines (`Asked: …`, `Ended: …`; `done: …`, `outcome: …`). Told whole it costs more than a fact
//! and mostly says what its reader did not ask. Its handle leads to the rest.

use apostille_text::shorten::shorten_text;

use crate::memory::Memory;

/// How much of what was wanted is told, in characters.
const MAX_WANTED: usize = 120;
/// How much of how it ended is told, in characters.
const MAX_OUTCOME: usize = 200;
/// The lines that say how it ended, the one that says most first.
const OUTCOMES: [(&str, &str); 3] = [("Ended", ""), ("outcome", ""), ("Changed", "changed ")];

/// The line of an episode that begins with this name.
///
/// ```
/// use apostille_core::episode_text::find_episode_part;
/// assert_eq!(find_episode_part("Asked: more\nEnded: done", "Ended"), Some("done"));
/// ```
pub fn find_episode_part<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let find = |line: &'t str| line.strip_prefix(name)?.strip_prefix(": ");
    text.lines().find_map(find)
}

/// What was wanted and how it ended; `None` for an episode in words of its own.
pub(crate) fn summarize_episode(memory: &Memory) -> Option<String> {
    let part = |name: &str| find_episode_part(&memory.fact, name);
    let wanted = part("Session").or_else(|| part("Asked"));
    let wanted = wanted.or_else(|| find_ended_task(memory))?;
    let outcome = OUTCOMES.iter();
    let mut outcome = outcome.filter_map(|it| Some(format!(": {}{}", it.1, part(it.0)?)));
    let outcome = outcome.next().unwrap_or_default();
    let wanted = shorten_text(wanted, MAX_WANTED);
    Some(format!("“{wanted}”{}", shorten_text(&outcome, MAX_OUTCOME)))
}

/// The title of a task whose summary this is.
fn find_ended_task(memory: &Memory) -> Option<&str> {
    memory.task.as_ref()?;
    let title = memory.subject.as_deref()?;
    let first = memory.fact.lines().next()?;
    first.ends_with(&format!(": {title}")).then_some(first)
}
