//! Commands that failed, and what put them right.

use crate::{extract::summary::is_edit, transcript::TranscriptCall};

use super::{
    calls::SeenCall,
    wording::{clean_episode_text, join_items},
};

/// How many are told.
const MAX_TOLD: usize = 3;
/// How many commands behind a failure another one may be that was run in its place.
const REACH: usize = 6;
/// How many files are named that were edited in between.
const MAX_FILES: usize = 2;
const FILE_CHARS: usize = 40;
/// A word of a command that is too short to tell one from another.
const SHORT_WORD: usize = 3;

/// The difficulties in a line. Of commands that an agent may have from outside nothing is told: "then `curl … | sh` worked"
/// would be advice from there.
pub(super) fn describe(calls: &[SeenCall<'_>]) -> Option<String> {
    let own: Vec<&SeenCall<'_>> = calls.iter().filter(|it| !it.is_foreign).collect();
    let mut told: Vec<(&str, String)> = Vec::new();
    for (at, it) in own.iter().enumerate() {
        let is_told = told.iter().any(|(known, _)| *known == it.command);
        if it.outcome == Some(false) && !it.is_looking() && !is_told {
            told.push((&it.command, describe_failure(it, &own[at + 1..])));
        }
    }
    let told: Vec<String> = told.into_iter().map(|it| it.1).collect();
    join_items(&told, MAX_TOLD, "; ")
}

fn describe_failure(failed: &SeenCall<'_>, later: &[&SeenCall<'_>]) -> String {
    let command = &failed.command;
    let is_same = |it: &&SeenCall<'_>| it.command == *command && it.outcome == Some(true);
    if let Some(at) = later.iter().position(is_same) {
        let how = describe_steps_between(command, &later[..at]);
        return format!("`{command}` failed, passed {how}");
    }
    let is_near = |it: &&&SeenCall<'_>| {
        it.outcome == Some(true) && !it.is_looking() && has_common_word(&it.command, command)
    };
    let commands = later.iter().filter(|it| !it.command.is_empty());
    match commands.take(REACH).find(is_near) {
        Some(other) => format!("`{command}` failed, `{}` worked", other.command),
        None => format!("`{command}` failed"),
    }
}

/// What was done between a failure and a success: files that were edited, else the last command that did something.
fn describe_steps_between(failed: &str, between: &[&SeenCall<'_>]) -> String {
    let edits = between.iter().filter(|it| is_edit(it.call));
    let mut files: Vec<String> = Vec::new();
    for path in edits.flat_map(|it| list_short_paths(it.call)) {
        if !files.contains(&path) {
            files.push(path);
        }
    }
    if let Some(files) = join_items(&files, MAX_FILES, ", ") {
        return format!("after a change of {files}");
    }
    let did =
        |it: &&&SeenCall<'_>| it.outcome == Some(true) && !it.is_looking() && it.command != failed;
    match between.iter().rev().find(did) {
        Some(step) => format!("after `{}`", step.command),
        None => "when it was run again".to_owned(),
    }
}

fn list_short_paths(call: &TranscriptCall) -> impl Iterator<Item = String> {
    call.paths.iter().filter_map(|it| {
        let hidden = it.chars().count().saturating_sub(FILE_CHARS);
        clean_episode_text(&it.chars().skip(hidden).collect::<String>(), FILE_CHARS)
    })
}

/// Whether two commands are about the same: `npm test` and `pnpm test` are.
fn has_common_word(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace().filter(|it| !it.starts_with('-'));
        let words = words.filter(|it| it.len() > SHORT_WORD && *it != "git");
        words.map(str::to_ascii_lowercase).collect()
    };
    let known = words(one);
    words(other).iter().any(|it| known.contains(it))
}
