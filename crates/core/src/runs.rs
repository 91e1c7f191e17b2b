//! Runs of commands that memories name: seen in the sessions of agents, and noted with the memory.

use crate::{
    Context, CoreError,
    event::{EventBody, Precondition},
    evidence::CommandRun,
    memory::{Layer, Memory, Stage},
    space::Space,
    store::{MemoryFilter, StoreError},
};
use apostille_text::secrets;

/// How many memories of a space are looked through.
const MAX_MEMORIES: usize = 5_000;

/// Whether a fact names a command: as a whole, and not as the beginning of a longer one. A command of one word has to stand
/// between backticks: `make` is a word like any other.
#[must_use]
pub fn names_command(fact: &str, command: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (fact, command) = (fold(fact), fold(command));
    // What stands between backticks is every second part.
    let mut parts = fact.split('`').enumerate();
    !command.is_empty()
        && parts.any(|(n, part)| match n % 2 {
            0 => command.contains(' ') && is_command_in_prose(part, &command),
            _ => part.trim() == command,
        })
}

fn is_command_in_prose(text: &str, command: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    text.match_indices(command).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + command.len()..]);
        let is_end = after.trim_start_matches('.').trim_start().is_empty();
        !before.ends_with(is_part)
            && !after.starts_with(" -")
            && (is_end || !after.starts_with(is_part))
    })
}

/// Notes how the commands fared that the active memories of a space name, and says how many memories learned something.
/// What is known already is not written again: of several successes only the last one tells something.
pub fn record_command_runs(
    cx: &Context,
    space: &Space,
    runs: &[CommandRun],
) -> Result<usize, CoreError> {
    if runs.is_empty() {
        return Ok(0);
    }
    let memories = cx.store.list_memories(&MemoryFilter {
        spaces: vec![space.clone()],
        layers: vec![Layer::Knowledge],
        stages: vec![Stage::Active],
        limit: MAX_MEMORIES,
        ..MemoryFilter::default()
    })?;
    let mut n_told = 0;
    for memory in &memories {
        n_told += usize::from(record_memory_runs(cx, memory, runs)?);
    }
    Ok(n_told)
}

/// Whether a memory learned something from these runs.
fn record_memory_runs(
    cx: &Context,
    memory: &Memory,
    runs: &[CommandRun],
) -> Result<bool, CoreError> {
    let named = runs.iter().filter(|it| {
        names_command(&memory.fact, &it.command) && secrets::find_secret(&it.command).is_none()
    });
    let mut tally = memory.runs.clone();
    named.clone().for_each(|it| tally.add_run(it));
    // Only what is left of them in the tally is news.
    let is_kept = |it: &&CommandRun| {
        memory.runs.is_news(it)
            && (tally.succeeded_at == Some(it.at) || tally.failed_at.contains(&it.at))
    };
    let events = named
        .filter(is_kept)
        .map(|it| cx.new_memory_event(memory, EventBody::Ran(it.clone())));
    let events: Vec<_> = events.collect();
    if events.is_empty() {
        return Ok(false);
    }
    match cx.append_durable(events, vec![Precondition::unmoved(memory)]) {
        // It was changed or forgotten meanwhile: then there is nothing to note.
        Err(StoreError::Conflict { .. }) => Ok(false),
        written => written.map(|_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_named_whole() {
        let check = |fact: &str, command: &str, expected: bool| {
            assert_eq!(names_command(fact, command), expected, "{fact} / {command}");
        };
        check("run `make smoke` before a push", "make smoke", true);
        check("run make smoke before a push", "make  smoke", true);
        check("run make smoke-all before a push", "make smoke", false);
        check("remake smoke", "make smoke", false);
        check("`pytest` runs them all", "pytest", true);
        check("pytest runs them all", "pytest", false);
        check("`cargo test -p core` is quick", "cargo test", false);
        check("run cargo test -p core", "cargo test", false);
        check("first run cargo test.", "cargo test", true);
        check("anything", "", false);
    }
}
