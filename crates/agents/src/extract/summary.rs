//! What happened in a session, in a few lines: what was asked, what was done, how it ended.

use super::{own_sentences::split_pasted_text, pattern::pattern};
use crate::transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker, is_shell_tool};
use apostille_text::secrets;

/// How long a summary may be, in characters.
pub const MOST_CHARS: usize = 1_500;
const FIRST_ASK_CHARS: usize = 240;
const ASK_CHARS: usize = 90;
/// How much is shown of what a person pasted.
const PASTED_CHARS: usize = 80;
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
pub fn summarise_session(turns: &[TranscriptTurn], title: Option<&str>) -> Option<String> {
    let prompts = turns.iter().filter(|it| it.speaker == TurnSpeaker::Person);
    let prompts: Vec<&str> = prompts.map(|it| it.text.as_str()).collect();
    let first = prompts.first().filter(|_| has_session_work(turns))?;
    let lines = [
        title
            .and_then(|it| clean_summary_text(it, TITLE_CHARS))
            .map(|it| format!("Session: {it}")),
        format_prompt(first, FIRST_ASK_CHARS).map(|it| format!("Asked: {it}")),
        format_summary_list("Then", list_later_prompts(&prompts), ASKS, "; "),
        format_summary_list("Changed", list_edited_files(turns), FILES, ", "),
        format_summary_list("Ran", list_telling_commands(turns), COMMANDS, ", "),
        find_closing_words(turns).map(|it| format!("Ended: agent said: {it}")),
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
    let said = turns.iter().filter(|it| it.speaker == TurnSpeaker::Agent);
    let said: usize = said.map(|it| it.text.len()).sum();
    iter_agent_tool_calls(turns).next().is_some() || said >= FEWEST_CHARS
}

/// A text on one line, shortened, without the sentences that hold a secret; `None` when nothing is left.
fn clean_summary_text(text: &str, chars: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_open = |it: &str| secrets::find_secret(it).is_none();
    let kept = if is_open(&line) {
        line
    } else {
        let sentences = line.split_inclusive(['.', '!', '?', ';']);
        sentences.filter(|it| is_open(it)).collect()
    };
    // What a cut breaks into two may hide from each look; the whole is looked at once more.
    Some(shorten_summary_text(kept.trim(), chars)).filter(|it| !it.is_empty() && is_open(&kept))
}

fn shorten_summary_text(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars - 1).collect();
    let space = head.rfind(' ').filter(|it| *it > chars / 2);
    let head = &head[..space.unwrap_or(head.len())];
    format!("{}…", head.trim_end_matches([',', ';', ':', ' ']))
}

fn format_summary_list(
    name: &str,
    items: Vec<String>,
    most: usize,
    between: &str,
) -> Option<String> {
    let shown = items[..items.len().min(most)].join(between);
    let rest = match items.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{name}: {shown}{rest}"))
}

/// A prompt in a few words. What was pasted into it is another's text, and is marked as such.
fn format_prompt(prompt: &str, chars: usize) -> Option<String> {
    let (own, pasted) = split_pasted_text(prompt);
    let own = clean_summary_text(&own, chars);
    let pasted = clean_summary_text(&pasted, PASTED_CHARS).map(|it| format!("pasted: “{it}”"));
    let parts: Vec<String> = own.into_iter().chain(pasted).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn list_later_prompts(prompts: &[&str]) -> Vec<String> {
    let is_ask = |it: &&&str| it.split_whitespace().count() >= NOD_WORDS || !it.is_ascii();
    let asks = prompts.iter().skip(1).filter(is_ask);
    asks.filter_map(|it| format_prompt(it, ASK_CHARS)).collect()
}

fn iter_agent_tool_calls(turns: &[TranscriptTurn]) -> impl Iterator<Item = &TranscriptCall> {
    turns
        .iter()
        .filter(|it| it.speaker == TurnSpeaker::Agent)
        .flat_map(|it| &it.uses)
}

/// The files that were changed, in the order of their first change.
pub(crate) fn list_edited_files(turns: &[TranscriptTurn]) -> Vec<String> {
    let is_edit = |it: &&TranscriptCall| {
        let has_changed = CHANGES.is_in(&it.tool.to_ascii_lowercase());
        !is_shell_tool(&it.tool) && has_changed && it.has_succeeded != Some(false)
    };
    let edits = iter_agent_tool_calls(turns).filter(is_edit);
    let mut files: Vec<String> = Vec::new();
    for path in edits.flat_map(|it| &it.paths) {
        let hidden = path.chars().count().saturating_sub(FILE_CHARS);
        let tail: String = path.chars().skip(hidden).collect();
        if !files.contains(&tail) && secrets::find_secret(&tail).is_none() {
            files.push(tail);
        }
    }
    files
}

/// The commands that tell how the work stands, with how they ended the last time.
fn list_telling_commands(turns: &[TranscriptTurn]) -> Vec<String> {
    let mut ran: Vec<(String, Option<bool>)> = Vec::new();
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
        match ran.iter_mut().find(|(known, _)| *known == command) {
            Some((_, ended)) => *ended = it.has_succeeded,
            None => ran.push((command, it.has_succeeded)),
        }
    }
    let told = |(it, ended)| match ended {
        Some(true) => format!("`{it}` (passed)"),
        Some(false) => format!("`{it}` (failed)"),
        None => format!("`{it}`"),
    };
    ran.into_iter().map(told).collect()
}

/// The beginning of the agent's last words.
fn find_closing_words(turns: &[TranscriptTurn]) -> Option<String> {
    let last = turns
        .iter()
        .rfind(|it| it.speaker == TurnSpeaker::Agent && !it.text.trim().is_empty())?;
    let prose = last.text.split("```").next().unwrap_or("").trim();
    clean_summary_text(prose, END_CHARS)
}
