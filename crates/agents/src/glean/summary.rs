//! What happened in a session, in a few lines: what was asked, what was done, how it ended.

use std::collections::BTreeMap;

use super::pattern::pattern;
use super::setting::is_shell;
use crate::transcript::{Speaker, Turn, Use};
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
pub fn summary(turns: &[Turn], title: Option<&str>) -> Option<String> {
    let prompts: Vec<&Turn> = turns
        .iter()
        .filter(|it| it.speaker == Speaker::Person)
        .collect();
    if prompts.is_empty() || !has_work(turns) {
        return None;
    }
    let lines = [
        title
            .and_then(|it| clean(it, TITLE_CHARS))
            .map(|it| format!("Session: {it}")),
        prompts
            .first()
            .and_then(|it| clean(&it.text, FIRST_ASK_CHARS))
            .map(|it| format!("Asked: {it}")),
        listed("Then", later_asks(&prompts), ASKS, "; "),
        listed("Changed", changed(turns), FILES, ", "),
        listed("Ran", commands(turns), COMMANDS, ", "),
        ending(turns).map(|it| format!("Ended: {it}")),
        Some(format!(
            "Prompts: {}, turns: {}",
            prompts.len(),
            turns.len()
        )),
    ];
    let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
    // Each line is bounded; the sum is bounded again, so that no change of one breaks it.
    Some(text.chars().take(MOST_CHARS).collect()).filter(|it: &String| secrets::find(it).is_none())
}

fn has_work(turns: &[Turn]) -> bool {
    let agent = || turns.iter().filter(|it| it.speaker == Speaker::Agent);
    agent().any(|it| !it.uses.is_empty())
        || agent().map(|it| it.text.len()).sum::<usize>() >= FEWEST_CHARS
}

/// A text on one line, shortened, without the sentences that hold a secret; `None` when nothing is left.
fn clean(text: &str, chars: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = line.split_inclusive(['.', '!', '?', ';']);
    let kept: String = match secrets::find(&line) {
        None => line,
        Some(_) => sentences.filter(|it| secrets::find(it).is_none()).collect(),
    };
    // What a cut breaks into two may hide from each look; the whole is looked at once more.
    Some(shortened(kept.trim(), chars))
        .filter(|it| !it.is_empty() && secrets::find(&kept).is_none())
}

fn shortened(text: &str, chars: usize) -> String {
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

fn listed(name: &str, items: Vec<String>, most: usize, between: &str) -> Option<String> {
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

fn later_asks(prompts: &[&Turn]) -> Vec<String> {
    let is_ask =
        |it: &&&Turn| it.text.split_whitespace().count() >= NOD_WORDS || !it.text.is_ascii();
    prompts
        .iter()
        .skip(1)
        .filter(is_ask)
        .filter_map(|it| clean(&it.text, ASK_CHARS))
        .collect()
}

fn uses(turns: &[Turn]) -> impl Iterator<Item = &Use> {
    turns
        .iter()
        .filter(|it| it.speaker == Speaker::Agent)
        .flat_map(|it| &it.uses)
}

/// The files that were changed, in the order of their first change.
fn changed(turns: &[Turn]) -> Vec<String> {
    let edits = uses(turns)
        .filter(|it| !is_shell(&it.tool) && CHANGES.is_in(&it.tool.to_ascii_lowercase()));
    let mut files: Vec<String> = Vec::new();
    for path in edits
        .filter(|it| it.has_succeeded != Some(false))
        .flat_map(|it| &it.paths)
    {
        let tail: String = path
            .chars()
            .skip(path.chars().count().saturating_sub(FILE_CHARS))
            .collect();
        if !files.contains(&tail) && secrets::find(&tail).is_none() {
            files.push(tail);
        }
    }
    files
}

/// The commands that tell how the work stands, with how they ended the last time.
fn commands(turns: &[Turn]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut ended: BTreeMap<String, Option<bool>> = BTreeMap::new();
    for it in
        uses(turns).filter(|it| is_shell(&it.tool) && TELLING.is_in(&it.input.to_ascii_lowercase()))
    {
        let line = it.input.lines().next().unwrap_or("").trim();
        let command = match line.split_once("&& ") {
            Some((before, rest)) if before.starts_with("cd ") => rest,
            _ => line,
        };
        let Some(command) = clean(command, COMMAND_CHARS) else {
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
fn ending(turns: &[Turn]) -> Option<String> {
    let last = turns
        .iter()
        .rfind(|it| it.speaker == Speaker::Agent && !it.text.trim().is_empty())?;
    let prose = last.text.split("```").next().unwrap_or("").trim();
    clean(prose, END_CHARS)
}
