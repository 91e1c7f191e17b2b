//! Looking back at what sessions left behind: patterns and steps of consolidation are proposed.

use apostille_agents::measure::list_past_corrections;
use apostille_reflect::{
    consolidate::propose_consolidation,
    patterns::{ReflectionInput, find_patterns},
    propose::{ProposeOutcome, propose_patterns},
};

use crate::{
    error::CommandError,
    measured_sessions::{LookingBack, MeasuredSessions},
    system::System,
    workspace::Workspace,
};

/// How many commits are looked at, the latest.
const MAX_COMMITS: usize = 1_000;

/// Looks for patterns in the repository's past, and proposes what is new as far as the queue has room.
pub fn reflect_on_repository(
    system: &System,
    workspace: &Workspace,
) -> Result<ProposeOutcome, CommandError> {
    let repo = &workspace.settings.repo;
    let footprints = MeasuredSessions::for_repository(system, repo)?.list_footprints()?;
    let commits = list_changed_files(workspace)?;
    let cx = workspace.context();
    let corrections = list_past_corrections(&cx, repo)?;
    let root = &workspace.place.root;
    let patterns = find_patterns(&ReflectionInput {
        footprints: &footprints,
        commits: &commits,
        corrections: &corrections,
        is_there: &|path| root.join(path).exists(),
    });
    Ok(propose_patterns(&cx, repo, patterns)?)
}

/// The files of each of the latest commits, the oldest first.
fn list_changed_files(workspace: &Workspace) -> Result<Vec<Vec<String>>, CommandError> {
    let Some(checkout) = &workspace.place.checkout else {
        return Ok(Vec::new());
    };
    let Some(head) = checkout.read_head().ok().and_then(|it| it.commit) else {
        return Ok(Vec::new());
    };
    let commits = checkout.read_commit_messages(None, &head, MAX_COMMITS)?;
    Ok(commits.into_iter().rev().map(|it| it.files).collect())
}

/// Proposes what of the memories in use can go up in others.
pub fn consolidate_workspace(workspace: &Workspace) -> Result<ProposeOutcome, CommandError> {
    Ok(propose_consolidation(
        &workspace.context(),
        &workspace.spaces(),
    )?)
}

/// Looks back where so many tasks were finished since the last time.
pub fn look_back_when_due(system: &System, workspace: &Workspace) -> Result<(), CommandError> {
    let settings = &workspace.settings;
    let due = MeasuredSessions::for_repository(system, &settings.repo)?.count_finished_task(
        LookingBack {
            reflect: settings.reflect_every,
            consolidate: settings.consolidate_every,
        },
    )?;
    if due.reflect {
        reflect_on_repository(system, workspace)?;
    }
    if due.consolidate {
        consolidate_workspace(workspace)?;
    }
    Ok(())
}
