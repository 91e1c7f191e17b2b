//! How spaces are shared, for people who ask.

use std::fmt;

use apostille_core::{
    replica::{ReplicaLog, collect::has_local_changes},
    space::Space,
};
use serde::Serialize;

use super::choose_target;
use crate::{
    error::CommandError, replica_folder::ReplicaFolder, system::System, workspace::Workspace,
};

/// How a space is shared, in `sync status`.
#[derive(Debug, Serialize)]
pub struct SyncStatusView {
    /// Whose memories.
    pub space: String,
    /// With what; `None`: with nobody.
    pub target: Option<String>,
    /// How many lines are known.
    pub lines: usize,
    /// Whether something happened here that was not told yet.
    pub is_behind: bool,
    /// When something was last exchanged, or last failed.
    pub last: Option<String>,
    /// What was wrong the last time.
    pub problem: Option<String>,
}

impl fmt::Display for SyncStatusView {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(target) = &self.target else {
            return write!(f, "{}: not shared", self.space);
        };
        write!(f, "{}: with {target}, {} lines", self.space, self.lines)?;
        match &self.last {
            Some(at) => write!(f, ", last news {at}")?,
            None => write!(f, ", never yet")?,
        }
        if self.is_behind {
            write!(f, "; something here was not told yet")?;
        }
        match &self.problem {
            Some(why) => write!(f, "; the last time {why}"),
            None => Ok(()),
        }
    }
}

/// How the repository's and the user's spaces are shared.
pub fn read_sync_status(
    system: &System,
    workspace: &Workspace,
) -> Result<Vec<SyncStatusView>, CommandError> {
    let spaces = workspace.spaces();
    let views = spaces
        .iter()
        .map(|it| read_space_status(system, workspace, it));
    views.collect()
}

fn read_space_status(
    system: &System,
    workspace: &Workspace,
    space: &Space,
) -> Result<SyncStatusView, CommandError> {
    let settings = &workspace.settings;
    let target = choose_target(system, settings, space)?;
    let folder = ReplicaFolder::locate(system, &settings.store, space)?;
    let file = folder.read_file()?;
    let target = target.map(|it| it.to_string());
    let record = target.as_ref().and_then(|it| file.targets.get(it)).cloned();
    let record = record.unwrap_or_default();
    let log = ReplicaLog::new(space.clone());
    let is_changed = has_local_changes(&workspace.context_for(space), &log, &file.state)?;
    let is_told = record.seen.is_some() && record.generation == file.generation;
    Ok(SyncStatusView {
        space: space.as_str().into(),
        is_behind: target.is_some() && (is_changed || !is_told),
        target,
        lines: record.lines,
        last: record.at,
        problem: record.problem,
    })
}
