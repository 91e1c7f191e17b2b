//! How a plan looks: a short diff for each file, never a secret that stands beside a change.

use apostille_agents::client::Client;
use serde::Serialize;

use super::excerpt::diff;
use super::plan::{Action, Step};
use super::scope::Scope;
use crate::paint::{self, BOLD, CYAN, DIM, GREEN, RED, YELLOW, ink, safe};

/// The answer of `init`.
#[derive(Debug, Serialize)]
pub struct Reply {
    /// Whether all went well.
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// Whose files.
    pub scope: &'static str,
    /// For which clients.
    pub clients: Vec<&'static str>,
    /// The files.
    pub files: Vec<FileView>,
    /// What is left to a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A file of the answer.
#[derive(Debug, Serialize)]
pub struct FileView {
    path: String,
    action: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clients: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The files of a plan.
pub fn views(scope: &Scope, steps: &[Step]) -> Vec<FileView> {
    let view = |it: &Step| FileView {
        path: scope.shown(&it.path),
        action: it.action.as_str(),
        clients: words(&it.clients),
        why: it.why.clone(),
        diff: it.change.as_ref().map(diff),
    };
    steps.iter().map(view).collect()
}

/// The words for clients.
pub fn words(clients: &[Client]) -> Vec<&'static str> {
    clients.iter().map(|it| it.as_str()).collect()
}

/// A plan, with its diffs.
pub fn planned(scope: &Scope, steps: &[Step]) -> String {
    let one = |it: &Step| {
        let diff = it.change.as_ref().map(diff).unwrap_or_default();
        format!(
            "{}{}",
            head(scope, it, it.action.as_str()),
            paint::diff(&diff, 2)
        )
    };
    steps
        .iter()
        .filter(|it| it.action != Action::Nothing)
        .map(one)
        .collect()
}

/// What was done, a line for each file.
pub fn done(scope: &Scope, steps: &[Step]) -> String {
    let told = |it: &&Step| it.action != Action::Nothing;
    steps
        .iter()
        .filter(told)
        .map(|it| head(scope, it, it.action.done()))
        .collect()
}

fn head(scope: &Scope, step: &Step, word: &str) -> String {
    let style = match step.action {
        Action::Create | Action::Restore => GREEN,
        Action::Change => CYAN,
        Action::Refused => RED,
        _ => YELLOW,
    };
    let path = safe(&scope.shown(&step.path));
    let aside = match (&step.why, step.clients.is_empty()) {
        (Some(why), _) => format!("  {}", safe(why)),
        (None, false) => format!("  {}", ink(DIM, words(&step.clients).join(", "))),
        (None, true) => String::new(),
    };
    format!("{} {}{aside}\n", ink(style, word), ink(BOLD, path))
}
