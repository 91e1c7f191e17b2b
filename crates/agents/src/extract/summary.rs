//! What was changed in a session, by the tools that were called in it.

use super::pattern::pattern;
use crate::transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker, is_shell_tool};
use apostille_text::secrets;

pattern!(
    CHANGES,
    r"edit|write|create|replace|patch|insert|delete_file|rename"
);

/// How much of a path is kept, in characters: its end.
const FILE_CHARS: usize = 60;

/// Whether a call changed files, or may have.
pub(crate) fn is_edit(it: &TranscriptCall) -> bool {
    let has_changed = CHANGES.is_in(&it.tool.to_ascii_lowercase());
    !is_shell_tool(&it.tool) && has_changed && it.has_succeeded != Some(false)
}

/// The files that were changed, in the order of their first change.
pub(crate) fn list_edited_files(turns: &[TranscriptTurn]) -> Vec<String> {
    let calls = turns
        .iter()
        .filter(|it| it.speaker == TurnSpeaker::Agent)
        .flat_map(|it| &it.uses);
    let mut files: Vec<String> = Vec::new();
    for path in calls.filter(|it| is_edit(it)).flat_map(|it| &it.paths) {
        let hidden = path.chars().count().saturating_sub(FILE_CHARS);
        let tail: String = path.chars().skip(hidden).collect();
        if !files.contains(&tail) && secrets::find_secret(&tail).is_none() {
            files.push(tail);
        }
    }
    files
}
