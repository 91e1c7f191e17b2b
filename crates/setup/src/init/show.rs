//! How a plan looks: a short diff for each file, never a secret that stands beside a change.

use apostille_agents::client::Client;
use serde::Serialize;

use super::{
    excerpt::format_change_diff,
    plan::{FileAction, InitStep},
    scope::InitScope,
};
use apostille_terminal::{
    paint,
    paint::{BOLD, CYAN, DIM, GREEN, RED, YELLOW, make_terminal_safe, style_text},
};

/// The answer of `init`.
#[derive(Serialize)]
pub(super) struct InitReply<'a> {
    /// Whether all went well.
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// Whose files.
    pub scope: &'static str,
    /// For which clients.
    pub clients: Vec<&'static str>,
    /// The files.
    pub files: Vec<InitFileView>,
    /// What is left to a person.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub notes: &'a [String],
}

/// A file of the answer.
#[derive(Serialize)]
pub(super) struct InitFileView {
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
pub(super) fn build_init_file_views(scope: &InitScope, steps: &[InitStep]) -> Vec<InitFileView> {
    let view = |it: &InitStep| InitFileView {
        path: scope.display_path(&it.path),
        action: it.action.as_str(),
        clients: list_client_names(&it.clients),
        why: it.why.clone(),
        diff: it.change.as_ref().map(format_change_diff),
    };
    steps.iter().map(view).collect()
}

/// The words for clients.
pub(super) fn list_client_names(clients: &[Client]) -> Vec<&'static str> {
    clients.iter().map(|it| it.as_str()).collect()
}

/// A plan, with its diffs.
pub(super) fn format_init_plan(scope: &InitScope, steps: &[InitStep]) -> String {
    let plan = |it: &InitStep| {
        let diff = it.change.as_ref().map(format_change_diff);
        format_init_step(scope, it, it.action.as_str())
            + &paint::colour_diff(&diff.unwrap_or_default(), 2)
    };
    list_told_steps(steps).map(plan).collect()
}

/// What was done, a line for each file.
pub(super) fn format_init_result(scope: &InitScope, steps: &[InitStep]) -> String {
    list_told_steps(steps)
        .map(|it| format_init_step(scope, it, it.action.past_tense()))
        .collect()
}

fn list_told_steps(steps: &[InitStep]) -> impl Iterator<Item = &InitStep> {
    steps.iter().filter(|it| it.action != FileAction::Nothing)
}

fn format_init_step(scope: &InitScope, step: &InitStep, word: &str) -> String {
    let style = match step.action {
        FileAction::Create | FileAction::Restore => GREEN,
        FileAction::Change => CYAN,
        FileAction::Refused => RED,
        _ => YELLOW,
    };
    let path = make_terminal_safe(&scope.display_path(&step.path));
    let clients = list_client_names(&step.clients).join(", ");
    let aside = match &step.why {
        Some(why) => format!("  {}", make_terminal_safe(why)),
        None if clients.is_empty() => String::new(),
        None => format!("  {}", style_text(DIM, clients)),
    };
    format!(
        "{} {}{aside}\n",
        style_text(style, word),
        style_text(BOLD, path)
    )
}
