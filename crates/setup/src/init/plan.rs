//! What would be done, file by file, before anything is.

use std::path::PathBuf;

use apostille_agents::client::Client;
use apostille_agents::settings::program::ProgramCommand;
use apostille_agents::settings::rules_block;
use apostille_agents::settings::settings_part::{self, SettingsEdit, SettingsPart};

use super::file_changes::{self, FileChange, FileSnapshot};
use super::scope::{DesiredFile, InitScope};

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileAction {
    /// It is made.
    Create,
    /// It is changed.
    Change,
    /// It becomes what it was.
    Restore,
    /// It goes.
    Remove,
    /// What is ours is taken out of it.
    Clear,
    /// It is as it should be.
    Nothing,
    /// It is left alone, for a reason.
    Refused,
}

impl FileAction {
    /// The word for it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Change => "change",
            Self::Restore => "restore",
            Self::Remove => "remove",
            Self::Clear => "clear",
            Self::Nothing => "nothing",
            Self::Refused => "refused",
        }
    }

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
#[derive(Debug)]
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
        match file_changes::read_file_snapshot(&wish.path, scope.link_boundary(&wish.path)) {
            Err(why) => steps.push(new_init_step(wish, FileAction::Refused, Some(why), None)),
            Ok(found) if found.bytes.is_none() && !wish.is_made => {}
            Ok(found) => add_init_step(&mut steps, wish, found, program),
        }
    }
    steps
}

fn new_init_step(
    wish: DesiredFile,
    action: FileAction,
    why: Option<String>,
    change: Option<FileChange>,
) -> InitStep {
    InitStep {
        path: wish.path,
        clients: wish.clients,
        action,
        why,
        change,
    }
}

fn add_init_step(
    steps: &mut Vec<InitStep>,
    wish: DesiredFile,
    found: FileSnapshot,
    program: &ProgramCommand,
) {
    // One file may go by two names: CLAUDE.md is often a link to AGENTS.md.
    let is_twin = |it: &InitStep| {
        it.change
            .as_ref()
            .is_some_and(|it| it.target == found.target)
    };
    if let Some(twin) = steps
        .iter_mut()
        .find(|it| is_twin(it))
        .and_then(|it| it.change.as_mut())
    {
        if let SettingsEdit::Bytes(bytes) =
            settings_part::plan_settings_edit(twin.after.as_deref(), &wish.parts, program)
        {
            twin.after = Some(bytes);
        }
        return;
    }
    let text = String::from_utf8_lossy(found.bytes.as_deref().unwrap_or_default());
    if wish.parts == [SettingsPart::Rules] && rules_block::has_agents_import(&text) {
        steps.push(new_init_step(
            wish,
            FileAction::Nothing,
            Some("it takes in AGENTS.md".into()),
            None,
        ));
        return;
    }
    let is_new = found.bytes.is_none();
    steps.push(
        match settings_part::plan_settings_edit(found.bytes.as_deref(), &wish.parts, program) {
            SettingsEdit::Nothing => new_init_step(wish, FileAction::Nothing, None, None),
            SettingsEdit::Refused(why) => new_init_step(wish, FileAction::Refused, Some(why), None),
            SettingsEdit::Bytes(bytes) => {
                let action = if is_new {
                    FileAction::Create
                } else {
                    FileAction::Change
                };
                let change = FileChange {
                    target: found.target,
                    before: found.bytes,
                    after: Some(bytes),
                    mode: None,
                };
                new_init_step(wish, action, None, Some(change))
            }
        },
    );
}
