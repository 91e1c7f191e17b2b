//! Takes everything back: byte for byte where a file is as it was left, and entry by entry where somebody went on with it.

use std::path::{Path, PathBuf};

use apostille_agents::clients;
use apostille_agents::settings::settings_part::{self, SettingsEdit};
use apostille_agents::settings::sharing::SharingFile;
use apostille_text::digest::Digest;

use super::backup::{BackedUpFile, InitRun};
use super::file_changes::{self, FileChange, FileSnapshot};
use super::plan::{FileAction, InitStep};
use super::scope::InitScope;
use apostille_workspace::error::CommandError;

/// What would be done to a file that runs changed, the latest run first.
struct FileHistory<'r> {
    path: &'r Path,
    kept: Vec<(&'r InitRun, &'r BackedUpFile)>,
}

/// What a file is without these runs, as far as nobody else changed it.
struct RestoredFile {
    bytes: Option<Vec<u8>>,
    is_edited: bool,
    mode: Option<u32>,
}

const EDITED: &str = "somebody changed it since: only what is ours is taken out";

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
        let step = |action, why, change| InitStep {
            path: self.path.to_path_buf(),
            clients: Vec::new(),
            action,
            why,
            change,
        };
        let found =
            match file_changes::read_file_snapshot(self.path, scope.link_boundary(self.path)) {
                Ok(found) if found.target == self.path => found,
                Ok(_) => {
                    return Ok(step(
                        FileAction::Refused,
                        Some("it is a link now".into()),
                        None,
                    ));
                }
                Err(why) => return Ok(step(FileAction::Refused, Some(why), None)),
            };
        let RestoredFile {
            bytes,
            is_edited,
            mode,
        } = self.rewind_runs(&found)?;
        let first = self.original_bytes()?;
        let after = match bytes {
            Some(bytes) if is_edited => {
                match settings_part::plan_settings_removal(
                    &bytes,
                    first.as_deref(),
                    detect_file_kind(self.path),
                    &clients::collect_own_traces(),
                ) {
                    SettingsEdit::Refused(why) => {
                        return Ok(step(FileAction::Refused, Some(why), None));
                    }
                    SettingsEdit::Nothing => Some(bytes),
                    SettingsEdit::Bytes(bytes) => Some(bytes),
                }
            }
            other => other,
        };
        let after = after.filter(|it| {
            first.is_some()
                || !settings_part::is_bare_settings_file(it, detect_file_kind(self.path))
        });
        if after == found.bytes {
            return Ok(step(FileAction::Nothing, None, None));
        }
        let (action, why) = match &after {
            None => (FileAction::Remove, None),
            Some(_) if is_edited => (FileAction::Clear, Some(EDITED.to_owned())),
            Some(_) => (FileAction::Restore, None),
        };
        Ok(step(
            action,
            why,
            Some(FileChange {
                target: found.target,
                before: found.bytes,
                after,
                mode,
            }),
        ))
    }

    /// Goes back run by run, and notes where somebody else changed the file in between.
    fn rewind_runs(&self, found: &FileSnapshot) -> Result<RestoredFile, CommandError> {
        let (mut bytes, mut is_edited, mut mode) = (found.bytes.clone(), false, None);
        for (run, kept) in &self.kept {
            let before = kept
                .before
                .as_ref()
                .map(|it| run.read_copy(it))
                .transpose()?;
            let digest = bytes.as_ref().map(|it| Digest::hash_bytes(it).to_string());
            if digest.as_deref() == Some(&kept.after) {
                bytes = before;
                mode = kept.before.as_ref().and_then(|it| it.mode);
            } else if bytes != before {
                is_edited = true;
            }
        }
        Ok(RestoredFile {
            bytes,
            is_edited,
            mode,
        })
    }

    /// What the file was before anything of ours came.
    fn original_bytes(&self) -> Result<Option<Vec<u8>>, CommandError> {
        let Some((run, kept)) = self.kept.last() else {
            return Ok(None);
        };
        kept.before.as_ref().map(|it| run.read_copy(it)).transpose()
    }
}

/// What kind of file it is: by its extension, or else by its name.
fn detect_file_kind(path: &Path) -> &str {
    let name = path
        .file_name()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    if name.parse::<SharingFile>().is_ok() {
        return name;
    }
    path.extension()
        .or_else(|| path.file_name())
        .and_then(|it| it.to_str())
        .unwrap_or_default()
}
