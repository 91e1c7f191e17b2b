//! What happened in a task or a session, in a line: what was wanted, and how it ended.
//!
//! An episode is a text in lines (`Asked: …`, `Ended: …`; `done: …`, `outcome: …`). Told whole it costs more than a fact
//! and mostly says what its reader did not ask. Its handle leads to the rest.

use apostille_text::shorten::shorten_text;

use crate::memory::{Layer, Memory, Origin};

/// How much of what was wanted is told, in characters.
const MAX_WANTED: usize = 120;
/// How much of how it ended is told, in characters.
const MAX_OUTCOME: usize = 200;
/// The line in which the program says how a session ended, by what it saw.
const JUDGED: &str = "Outcome";
/// What that line says where nothing tells.
pub const UNKNOWN: &str = "unknown";
/// The lines that say how it ended, the one that says most first.
const OUTCOMES: [(&str, &str); 3] = [("Ended", ""), ("outcome", ""), ("Changed", "changed ")];
/// The tags of what failed, was dropped, or was left open.
const FAILED: [&str; 4] = ["failed", "abandoned", "left-open", "rejected"];

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

/// Whether an episode tells of something that failed or was given up. Nothing is made of one by itself: what did not work is
/// no pattern, however often it was tried.
pub fn is_failed_episode(memory: &Memory) -> bool {
    let is_failed = |it: &String| FAILED.contains(&it.as_str());
    memory.layer == Layer::Episode && memory.tags.iter().any(is_failed)
}

/// What was wanted and how it ended; `None` for an episode in words of its own. How it ended by what was seen comes before what
/// the agent said, and only the program's own record is believed about that: an agent can write such a line, too.
pub fn summarize_episode(memory: &Memory) -> Option<String> {
    let part = |name: &str| find_episode_part(&memory.fact, name);
    let wanted = part("Session").or_else(|| part("Asked"));
    let wanted = wanted.or_else(|| find_ended_task(memory))?;
    let is_own = memory.voice.origin == Origin::System;
    let judged = part(JUDGED).filter(|it| is_own && *it != UNKNOWN);
    let told = OUTCOMES.iter();
    let told = told.filter_map(|it| Some(format!("{}{}", it.1, part(it.0)?)));
    let parts: Vec<String> = judged
        .map(str::to_owned)
        .into_iter()
        .chain(told.take(1))
        .collect();
    let outcome = match parts.is_empty() {
        true => String::new(),
        false => shorten_text(&format!(": {}", parts.join("; ")), MAX_OUTCOME),
    };
    let wanted = shorten_text(wanted, MAX_WANTED);
    Some(format!("“{wanted}”{outcome}"))
}

/// The title of a task whose summary this is.
fn find_ended_task(memory: &Memory) -> Option<&str> {
    memory.task.as_ref()?;
    let title = memory.subject.as_deref()?;
    let first = memory.fact.lines().next()?;
    first.ends_with(&format!(": {title}")).then_some(first)
}
