//! What would be done, file by file, before anything is.

use std::path::PathBuf;

use apostille_agents::{
    client::Client,
    settings::{
        program::ProgramCommand,
        rules_block,
        settings_part::{SettingsEdit, SettingsPart, plan_settings_edit},
    },
};
use apostille_text::words::words;

use super::{
    file_changes::{FileChange, FileSnapshot},
    scope::{DesiredFile, InitScope},
};

words! {
    /// What is done to a file.
    FileAction as "action" {
        /// It is made.
        Create = "create",
        /// It is changed.
        Change = "change",
        /// It becomes what it was.
        Restore = "restore",
        /// It goes.
        Remove = "remove",
        /// What is ours is taken out of it.
        Clear = "clear",
        /// It is as it should be.
        Nothing = "nothing",
        /// It is left alone, for a reason.
        Refused = "refused",
    }
}

impl FileAction {
    /// The word for it once it is done.
    pub(super) fn past_tense(self) -> &'static str {
        match self {
            Self::Create => "created",
            Self::Change => "changed",
            Self::Restore => "restored",
            Self::Remove => "removed",
            Self::Clear => "cleared",
            Self::Nothing => "unchanged",
            Self::Refused => "refused",
        }
    }
}

/// One file of a plan.
pub(super) struct InitStep {
    /// The file, as it is called.
    pub path: PathBuf,
    /// Who reads it.
    pub clients: Vec<Client>,
    /// What is done to it.
    pub action: FileAction,
    /// Why, where that is not plain.
    pub why: Option<String>,
    /// The bytes, where some change.
    pub change: Option<FileChange>,
}

/// What would be done so that every wish is met.
pub(super) fn plan_init_steps(
    scope: &InitScope,
    wishes: Vec<DesiredFile>,
    program: &ProgramCommand,
) -> Vec<InitStep> {
    let mut steps: Vec<InitStep> = Vec::new();
    for wish in wishes {
        let (action, why, change) = match scope.read_snapshot(&wish.path) {
            Err(why) => (FileAction::Refused, Some(why), None),
            Ok(found) if found.bytes.is_none() && !wish.is_made => continue,
            Ok(found) => {
                // One file may go by two names: CLAUDE.md is often a link to AGENTS.md.
                let mut changes = steps.iter_mut().filter_map(|it| it.change.as_mut());
                if let Some(twin) = changes.find(|it| it.target == found.target) {
                    let edit = plan_settings_edit(twin.after.as_deref(), &wish.parts, program);
                    if let SettingsEdit::Bytes(bytes) = edit {
                        twin.after = Some(bytes);
                    }
                    continue;
                }
                plan_file_edit(&wish, found, program)
            }
        };
        steps.push(InitStep {
            path: wish.path,
            clients: wish.clients,
            action,
            why,
            change,
        });
    }
    steps
}

/// What is done to a file, why, and which bytes change.
fn plan_file_edit(
    wish: &DesiredFile,
    found: FileSnapshot,
    program: &ProgramCommand,
) -> (FileAction, Option<String>, Option<FileChange>) {
    let bytes = found.bytes.as_deref();
    let text = String::from_utf8_lossy(bytes.unwrap_or_default());
    if wish.parts == [SettingsPart::Rules] && rules_block::has_agents_import(&text) {
        let why = "it takes in AGENTS.md".into();
        return (FileAction::Nothing, Some(why), None);
    }
    match plan_settings_edit(bytes, &wish.parts, program) {
        SettingsEdit::Nothing => (FileAction::Nothing, None, None),
        SettingsEdit::Refused(why) => (FileAction::Refused, Some(why), None),
        SettingsEdit::Bytes(after) => {
            let action = match bytes {
                None => FileAction::Create,
                Some(_) => FileAction::Change,
            };
            (action, None, Some(found.into_change(Some(after), None)))
        }
    }
}
