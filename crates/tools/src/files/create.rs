//! Create: a new file is a memory that is remembered.

use apostille_core::Context;
use apostille_core::{
    memory::{Draft, DuplicateChoice, Kind},
    policy::{MemoryLimits, Policy},
};

use super::{
    FileResult,
    file_fact::{self, FileFact},
    memory_files::{MemoryFiles, locate_file_scope},
    outcome_text,
    path::{FileScope, MemoryPath, is_task_slug},
    refuse_command,
};
use crate::{outcome::write_draft, tool::ToolCall};

/// Makes a file that was not there.
pub(super) fn create_memory_file(call: &ToolCall, path: &MemoryPath, text: &str) -> FileResult {
    let files = MemoryFiles::load_scopes(call, &[path.scope()])?;
    let name = require_vacant_path(&files, path)?;
    let draft = draft_new_file(call, path, name, text)?;
    if let Some(file) = outcome_text::find_identical_file(&files, path, &draft.fact) {
        return outcome_text::refuse_known_file(&file.path);
    }
    let policy = build_scope_policy(call, path.scope());
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    outcome_text::format_file_outcome(
        &write_draft(&cx, draft)?,
        path,
        &files,
        format!("File created successfully at: {path}"),
        "it is not shown",
    )
}

/// The name that a new file gets in its scope.
fn require_vacant_path<'a>(files: &MemoryFiles, path: &'a MemoryPath) -> FileResult<&'a str> {
    if files.is_taken(path) {
        return refuse_command(format!("File {path} already exists"));
    }
    let Some(name) = path.subject_name() else {
        return refuse_command(
            "a task's notes stand in a folder of their own; create them as in /memories/tasks/fix-login-race/notes.md",
        );
    };
    match path.task() {
        Some(task) if !is_task_slug(task) => refuse_command(format!(
            "'{task}' is not a task slug; write it in kebab-case, as in /memories/tasks/fix-login-race/{name}"
        )),
        _ => require_reachable_path(files, path).map(|()| name),
    }
}

/// Refuses a path that leads through a file.
pub(super) fn require_reachable_path(files: &MemoryFiles, path: &MemoryPath) -> FileResult<()> {
    match files.blocking_file(path) {
        Some(file) => refuse_command(format!(
            "{} is a file and not a directory; choose another path",
            file.path
        )),
        None => Ok(()),
    }
}

fn draft_new_file(call: &ToolCall, path: &MemoryPath, name: &str, text: &str) -> FileResult<Draft> {
    let scope = path.scope();
    let (space, layer) = locate_file_scope(call.caller, scope);
    let fact = match scope {
        FileScope::Repo => file_fact::parse_file_fact(call.source, text)?,
        _ => FileFact {
            fact: text.into(),
            ..FileFact::default()
        },
    };
    Ok(Draft {
        layer: Some(layer),
        kind: (scope == FileScope::User).then_some(Kind::User),
        subject: Some(name.into()),
        reason: fact.reason,
        citations: fact.citations,
        tags: fact
            .subject
            .iter()
            .map(|it| it.chars().take(call.policy.limits.tag_chars).collect())
            .collect(),
        task: path.task().map(Into::into),
        on_duplicate: DuplicateChoice::Create("a file of its own".into()),
        is_verbatim: scope != FileScope::Repo,
        ..call.draft(space, fact.fact)
    })
}

/// The rules for what is written into a scope: notes may be as long as an episode, and a repository's facts need proof.
pub(super) fn build_scope_policy(call: &ToolCall, scope: FileScope) -> Policy {
    let rules = call
        .context_for(locate_file_scope(call.caller, scope).0)
        .policy;
    let limits: MemoryLimits = match scope {
        FileScope::Repo => rules.limits.for_paths(),
        FileScope::User | FileScope::Session | FileScope::Tasks => rules.limits.for_path_notes(),
    };
    Policy {
        limits,
        require_citations: rules.require_citations || scope == FileScope::Repo,
        ..*rules
    }
}
