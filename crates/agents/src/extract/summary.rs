//! What happened in a session, in a few lines: what was asked, what was done, how it ended.

use std::collections::BTreeMap;

use super::pattern::pattern;
use super::sentence_context::is_shell_tool;
use crate::transcript::{Speaker, ToolCall, TranscriptTurn};
use apostille_text::secrets;

/// How long a summary may be, in characters.
pub const MOST_CHARS: usize = 1_500;
const FIRST_ASK_CHARS: usize = 240;
const ASK_CHARS: usize = 90;
const ASKS: usize = 4;
const FILES: usize = 8;
const FILE_CHARS: usize = 60;
const COMMANDS: usize = 4;
const COMMAND_CHARS: usize = 50;
const END_CHARS: usize = 240;
const TITLE_CHARS: usize = 60;
/// With no tool called, an agent that says less than this has done nothing.
const FEWEST_CHARS: usize = 80;
/// A later prompt of fewer words is a nod.
const NOD_WORDS: usize = 3;

pattern!(
    TELLING,
    r"\b(?:test|tests|pytest|jest|vitest|tox|nox|rspec|phpunit|clippy|lint|eslint|ruff|mypy|tsc|biome|check|build|gradle|gradlew|mvn|bazel|make|just|ctest|deploy|publish|release|migrate|git (?:commit|push|tag|merge|rebase))\b"
);
pattern!(
    CHANGES,
    r"edit|write|create|replace|patch|insert|delete_file|rename"
);

/// The summary of a session; `None` when nothing was done in it. What looks like a secret is left out with the sentence
/// it stands in.
#[must_use]
pub fn summarise_session(turns: &[TranscriptTurn], title: Option<&str>) -> Option<String> {
    let prompts: Vec<&TranscriptTurn> = turns
        .iter()
        .filter(|it| it.speaker == Speaker::Person)
        .collect();
    if prompts.is_empty() || !has_session_work(turns) {
        return None;
    }
    let lines = [
        title
            .and_then(|it| clean_summary_text(it, TITLE_CHARS))
            .map(|it| format!("Session: {it}")),
        prompts
            .first()
            .and_then(|it| clean_summary_text(&it.text, FIRST_ASK_CHARS))
            .map(|it| format!("Asked: {it}")),
        format_summary_list("Then", list_later_prompts(&prompts), ASKS, "; "),
        format_summary_list("Changed", list_edited_files(turns), FILES, ", "),
        format_summary_list("Ran", list_telling_commands(turns), COMMANDS, ", "),
        find_closing_words(turns).map(|it| format!("Ended: {it}")),
        Some(format!(
            "Prompts: {}, turns: {}",
            prompts.len(),
            turns.len()
        )),
    ];
    let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
    // Each line is bounded; the sum is bounded again, so that no change of one breaks it.
    Some(text.chars().take(MOST_CHARS).collect())
        .filter(|it: &String| secrets::find_secret(it).is_none())
}

fn has_session_work(turns: &[TranscriptTurn]) -> bool {
    let agent = || turns.iter().filter(|it| it.speaker == Speaker::Agent);
    agent().any(|it| !it.uses.is_empty())
        || agent().map(|it| it.text.len()).sum::<usize>() >= FEWEST_CHARS
}

/// A text on one line, shortened, without the sentences that hold a secret; `None` when nothing is left.
fn clean_summary_text(text: &str, chars: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = line.split_inclusive(['.', '!', '?', ';']);
    let kept: String = match secrets::find_secret(&line) {
        None => line,
        Some(_) => sentences
            .filter(|it| secrets::find_secret(it).is_none())
            .collect(),
    };
    // What a cut breaks into two may hide from each look; the whole is looked at once more.
    Some(shorten_summary_text(kept.trim(), chars))
        .filter(|it| !it.is_empty() && secrets::find_secret(&kept).is_none())
}

fn shorten_summary_text(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => {
            let head: String = text.chars().take(chars - 1).collect();
            let end = head
                .rfind(' ')
                .filter(|it| *it > chars / 2)
                .unwrap_or(head.len());
            format!("{}…", head[..end].trim_end_matches([',', ';', ':', ' ']))
        }
    }
}

fn format_summary_list(
    name: &str,
    items: Vec<String>,
    most: usize,
    between: &str,
) -> Option<String> {
    let more = items.len().saturating_sub(most);
    let shown = items
        .into_iter()
        .take(most)
        .collect::<Vec<_>>()
        .join(between);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!shown.is_empty()).then(|| format!("{name}: {shown}{rest}"))
}

fn list_later_prompts(prompts: &[&TranscriptTurn]) -> Vec<String> {
    let is_ask = |it: &&&TranscriptTurn| {
        it.text.split_whitespace().count() >= NOD_WORDS || !it.text.is_ascii()
    };
    prompts
        .iter()
        .skip(1)
        .filter(is_ask)
        .filter_map(|it| clean_summary_text(&it.text, ASK_CHARS))
        .collect()
}

fn iter_agent_tool_calls(turns: &[TranscriptTurn]) -> impl Iterator<Item = &ToolCall> {
    turns
        .iter()
        .filter(|it| it.speaker == Speaker::Agent)
        .flat_map(|it| &it.uses)
}

/// The files that were changed, in the order of their first change.
fn list_edited_files(turns: &[TranscriptTurn]) -> Vec<String> {
    let edits = iter_agent_tool_calls(turns)
        .filter(|it| !is_shell_tool(&it.tool) && CHANGES.is_in(&it.tool.to_ascii_lowercase()));
    let mut files: Vec<String> = Vec::new();
    for path in edits
        .filter(|it| it.has_succeeded != Some(false))
        .flat_map(|it| &it.paths)
    {
        let tail: String = path
            .chars()
            .skip(path.chars().count().saturating_sub(FILE_CHARS))
            .collect();
        if !files.contains(&tail) && secrets::find_secret(&tail).is_none() {
            files.push(tail);
        }
    }
    files
}

/// The commands that tell how the work stands, with how they ended the last time.
fn list_telling_commands(turns: &[TranscriptTurn]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut ended: BTreeMap<String, Option<bool>> = BTreeMap::new();
    for it in iter_agent_tool_calls(turns)
        .filter(|it| is_shell_tool(&it.tool) && TELLING.is_in(&it.input.to_ascii_lowercase()))
    {
        let line = it.input.lines().next().unwrap_or("").trim();
        let command = match line.split_once("&& ") {
            Some((before, rest)) if before.starts_with("cd ") => rest,
            _ => line,
        };
        let Some(command) = clean_summary_text(command, COMMAND_CHARS) else {
            continue;
        };
        if ended.insert(command.clone(), it.has_succeeded).is_none() {
            order.push(command);
        }
    }
    let told = |it: String| match ended.get(&it).copied().flatten() {
        Some(true) => format!("`{it}` (passed)"),
        Some(false) => format!("`{it}` (failed)"),
        None => format!("`{it}`"),
    };
    order.into_iter().map(told).collect()
}

/// The beginning of the agent's last words.
fn find_closing_words(turns: &[TranscriptTurn]) -> Option<String> {
    let last = turns
        .iter()
        .rfind(|it| it.speaker == Speaker::Agent && !it.text.trim().is_empty())?;
    let prose = last.text.split("```").next().unwrap_or("").trim();
    clean_summary_text(prose, END_CHARS)
}
