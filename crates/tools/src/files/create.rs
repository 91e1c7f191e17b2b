//! Create: a new file is a memory that is remembered.

use apostille_core::Context;
use apostille_core::memory::{Draft, Kind, Twin};
use apostille_core::policy::{Limits, Policy};

use super::folder::{Files, placed};
use super::path::{Path, Scope, is_slug};
use super::proof::{self, Fact};
use super::{Stop, told};
use crate::outcome::write_draft;
use apostille_api::Here;

/// Makes a file that was not there.
pub(super) fn create(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &Path,
    text: &str,
) -> Result<String, Stop> {
    let files = Files::of(cx, here, &[path.scope()])?;
    let name = vacant(&files, path)?;
    let draft = drafted(cx, here, path, name, text)?;
    if let Some(file) = told::saying(&files, path, &draft.fact) {
        return Err(told::known_at(&file.path));
    }
    let policy = policy(cx, here, path.scope());
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    told::told(
        &write_draft(&cx, draft)?,
        path,
        &files,
        format!("File created successfully at: {path}"),
        "it is not shown",
    )
}

/// The name that a new file gets in its scope.
fn vacant<'a>(files: &Files, path: &'a Path) -> Result<&'a str, Stop> {
    if files.is_taken(path) {
        return Err(Stop::wrong(format!("File {path} already exists")));
    }
    let name = path.name().ok_or_else(|| {
        Stop::wrong(
            "a task's notes stand in a folder of their own; create them as in /memories/tasks/fix-login-race/notes.md",
        )
    })?;
    match path.task() {
        Some(task) if !is_slug(task) => Err(Stop::wrong(format!(
            "'{task}' is no slug of a task; write it in kebab-case, as in /memories/tasks/fix-login-race/{name}"
        ))),
        _ => reachable(files, path).map(|()| name),
    }
}

/// Refuses a path that leads through a file.
pub(super) fn reachable(files: &Files, path: &Path) -> Result<(), Stop> {
    match files.in_the_way(path) {
        Some(file) => Err(Stop::wrong(format!(
            "{} is a file and not a directory; choose another path",
            file.path
        ))),
        None => Ok(()),
    }
}

fn drafted(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &Path,
    name: &str,
    text: &str,
) -> Result<Draft, Stop> {
    let scope = path.scope();
    let (space, layer) = placed(here, scope);
    let fact = match scope {
        Scope::Repo => proof::read(cx.source, text)?,
        _ => Fact {
            fact: text.into(),
            ..Fact::default()
        },
    };
    Ok(Draft {
        layer: Some(layer),
        kind: (scope == Scope::User).then_some(Kind::User),
        subject: Some(name.into()),
        reason: fact.reason,
        citations: fact.citations,
        tags: fact
            .subject
            .map(|it| it.chars().take(cx.policy.limits.tag_chars).collect())
            .into_iter()
            .collect(),
        task: path.task().map(Into::into),
        twin: Twin::Create("a file of its own".into()),
        is_verbatim: scope != Scope::Repo,
        ..Draft::new(space.clone(), fact.fact, here.voice(cx.actor))
    })
}

/// The rules for what is written into a scope: notes may be as long as an episode, and a repository's facts need proof.
pub(super) fn policy(cx: &Context<'_>, here: &Here<'_>, scope: Scope) -> Policy {
    let rules = here.ruled(cx, placed(here, scope).0).policy;
    let limits: Limits = match scope {
        Scope::Repo => rules.limits.of_paths(),
        Scope::User | Scope::Session | Scope::Tasks => rules.limits.of_notes(),
    };
    Policy {
        limits,
        require_citations: rules.require_citations || scope == Scope::Repo,
        ..*rules
    }
}
