//! What would be done, file by file, before anything is.

use std::path::PathBuf;

use apostille_agents::client::Client;
use apostille_agents::settings::part::{self, EditOutcome, SettingsPart};
use apostille_agents::settings::program::Program;
use apostille_agents::settings::rules;

use super::disk::{self, Change, Found};
use super::scope::{Scope, Wish};

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
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

impl Action {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
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
    pub fn done(self) -> &'static str {
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
pub struct Step {
    /// The file, as it is called.
    pub path: PathBuf,
    /// Who reads it.
    pub clients: Vec<Client>,
    /// What is done to it.
    pub action: Action,
    /// Why, where that is not plain.
    pub why: Option<String>,
    /// The bytes, where some change.
    pub change: Option<Change>,
}

/// What would be done so that every wish is met.
pub fn plan(scope: &Scope, wishes: Vec<Wish>, program: &Program) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for wish in wishes {
        match disk::look(&wish.path, scope.bounds(&wish.path)) {
            Err(why) => steps.push(step(wish, Action::Refused, Some(why), None)),
            Ok(found) if found.bytes.is_none() && !wish.is_made => {}
            Ok(found) => add(&mut steps, wish, found, program),
        }
    }
    steps
}

fn step(wish: Wish, action: Action, why: Option<String>, change: Option<Change>) -> Step {
    Step {
        path: wish.path,
        clients: wish.clients,
        action,
        why,
        change,
    }
}

fn add(steps: &mut Vec<Step>, wish: Wish, found: Found, program: &Program) {
    // One file may go by two names: CLAUDE.md is often a link to AGENTS.md.
    let is_twin = |it: &Step| {
        it.change
            .as_ref()
            .is_some_and(|it| it.target == found.target)
    };
    if let Some(twin) = steps
        .iter_mut()
        .find(|it| is_twin(it))
        .and_then(|it| it.change.as_mut())
    {
        if let EditOutcome::Bytes(bytes) =
            part::planned(twin.after.as_deref(), &wish.parts, program)
        {
            twin.after = Some(bytes);
        }
        return;
    }
    let text = String::from_utf8_lossy(found.bytes.as_deref().unwrap_or_default());
    if wish.parts == [SettingsPart::Rules] && rules::takes_in_agents(&text) {
        steps.push(step(
            wish,
            Action::Nothing,
            Some("it takes in AGENTS.md".into()),
            None,
        ));
        return;
    }
    let is_new = found.bytes.is_none();
    steps.push(
        match part::planned(found.bytes.as_deref(), &wish.parts, program) {
            EditOutcome::Nothing => step(wish, Action::Nothing, None, None),
            EditOutcome::Refused(why) => step(wish, Action::Refused, Some(why), None),
            EditOutcome::Bytes(bytes) => {
                let action = if is_new {
                    Action::Create
                } else {
                    Action::Change
                };
                let change = Change {
                    target: found.target,
                    before: found.bytes,
                    after: Some(bytes),
                    mode: None,
                };
                step(wish, action, None, Some(change))
            }
        },
    );
}
