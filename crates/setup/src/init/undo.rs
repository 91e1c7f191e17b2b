//! Takes everything back: byte for byte where a file is as it was left, and entry by entry where somebody went on with it.

use std::path::{Path, PathBuf};

use apostille_agents::{
    clients,
    settings::{
        settings_part::{self, SettingsEdit},
        sharing::SharingFile,
    },
};
use apostille_text::digest::Digest;

use super::{
    backup::{BackedUpFile, InitRun},
    file_changes::{FileChange, FileSnapshot},
    plan::{FileAction, InitStep},
    scope::InitScope,
};
use apostille_workspace::error::CommandError;

/// A file that runs changed, the latest run first.
struct FileHistory<'r> {
    path: &'r Path,
    kept: Vec<(&'r InitRun, &'r BackedUpFile)>,
}

const EDITED: &str = "it was changed since: only what apostille added is removed";

/// What would be done to undo these runs, the latest first.
pub(super) fn plan_undo_steps(
    scope: &InitScope,
    runs: &[InitRun],
) -> Result<Vec<InitStep>, CommandError> {
    let mut trails: Vec<FileHistory<'_>> = Vec::new();
    for run in runs {
        for kept in &run.manifest.files {
            match trails.iter_mut().find(|it| it.path == kept.path) {
                Some(trail) => trail.kept.push((run, kept)),
                None => trails.push(FileHistory {
                    path: &kept.path,
                    kept: vec![(run, kept)],
                }),
            }
        }
    }
    trails.iter().map(|it| it.plan_step(scope)).collect()
}

/// The folders that these runs made, the outermost first.
pub(super) fn list_created_folders(runs: &[InitRun]) -> Vec<PathBuf> {
    let files = runs.iter().rev().flat_map(|it| &it.manifest.files);
    files.flat_map(|it| it.made.iter().cloned()).collect()
}

impl FileHistory<'_> {
    fn plan_step(&self, scope: &InitScope) -> Result<InitStep, CommandError> {
        let (action, why, change) = match scope.read_snapshot(self.path) {
            Ok(found) if found.target == self.path => self.plan_restoration(found)?,
            Ok(_) => (FileAction::Refused, Some("it is a link now".into()), None),
            Err(why) => (FileAction::Refused, Some(why), None),
        };
        Ok(InitStep {
            path: self.path.to_path_buf(),
            clients: Vec::new(),
            action,
            why,
            change,
        })
    }

    /// What is done to the file, why, and which bytes change.
    fn plan_restoration(
        &self,
        found: FileSnapshot,
    ) -> Result<(FileAction, Option<String>, Option<FileChange>), CommandError> {
        let (mut after, mut mode, mut first) = (found.bytes.clone(), None, None);
        // Goes back run by run, and notes where another program changed the file in between.
        let mut is_edited = false;
        for (run, kept) in &self.kept {
            let copy = kept.before.as_ref();
            first = copy.map(|it| run.read_copy(it)).transpose()?;
            let digest = after.as_ref().map(|it| Digest::hash_bytes(it).to_string());
            if digest.as_deref() == Some(&kept.after) {
                after = first.clone();
                mode = copy.and_then(|it| it.mode);
            } else {
                is_edited |= after != first;
            }
        }
        let kind = detect_file_kind(self.path);
        if let Some(bytes) = after.as_mut().filter(|_| is_edited) {
            let traces = clients::collect_own_traces();
            match settings_part::plan_settings_removal(bytes, first.as_deref(), kind, &traces) {
                SettingsEdit::Refused(why) => return Ok((FileAction::Refused, Some(why), None)),
                SettingsEdit::Nothing => {}
                SettingsEdit::Bytes(cleared) => *bytes = cleared,
            }
        }
        let is_left = |it: &Vec<u8>| !settings_part::is_bare_settings_file(it, kind);
        let after = after.filter(|it| first.is_some() || is_left(it));
        let (action, why) = match &after {
            _ if after == found.bytes => return Ok((FileAction::Nothing, None, None)),
            None => (FileAction::Remove, None),
            Some(_) if is_edited => (FileAction::Clear, Some(EDITED.to_owned())),
            Some(_) => (FileAction::Restore, None),
        };
        Ok((action, why, Some(found.into_change(after, mode))))
    }
}

/// What kind of file it is: by its extension, or else by its name.
fn detect_file_kind(path: &Path) -> &str {
    let name = path.file_name();
    let name = name.and_then(|it| it.to_str()).unwrap_or_default();
    match path.extension().and_then(|it| it.to_str()) {
        Some(extension) if name.parse::<SharingFile>().is_err() => extension,
        _ => name,
    }
}
