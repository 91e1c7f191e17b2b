//! Takes everything back: byte for byte where a file is as it was left, and entry by entry where somebody went on with it.

use std::path::{Path, PathBuf};

use apostille_agents::clients;
use apostille_agents::settings::part::{self, EditOutcome};
use apostille_agents::settings::sharing::Shared;
use apostille_text::digest::Digest;

use super::disk::{self, Change, Found};
use super::kept::{Kept, Run};
use super::plan::{Action, Step};
use super::scope::Scope;
use apostille_workspace::error::Fault;

/// What would be done to a file that runs changed, the latest run first.
struct Trail<'r> {
    path: &'r Path,
    kept: Vec<(&'r Run, &'r Kept)>,
}

/// What a file is without these runs, as far as nobody else changed it.
struct Back {
    bytes: Option<Vec<u8>>,
    is_edited: bool,
    mode: Option<u32>,
}

const EDITED: &str = "somebody changed it since: only what is ours is taken out";

/// What would be done to undo these runs, the latest first.
pub fn plan(scope: &Scope, runs: &[Run]) -> Result<Vec<Step>, Fault> {
    let mut trails: Vec<Trail<'_>> = Vec::new();
    for run in runs {
        for kept in &run.manifest.files {
            match trails.iter_mut().find(|it| it.path == kept.path) {
                Some(trail) => trail.kept.push((run, kept)),
                None => trails.push(Trail {
                    path: &kept.path,
                    kept: vec![(run, kept)],
                }),
            }
        }
    }
    trails.iter().map(|it| it.step(scope)).collect()
}

/// The folders that these runs made, the outermost first.
pub fn made(runs: &[Run]) -> Vec<PathBuf> {
    let files = runs.iter().rev().flat_map(|it| &it.manifest.files);
    files.flat_map(|it| it.made.iter().cloned()).collect()
}

impl Trail<'_> {
    fn step(&self, scope: &Scope) -> Result<Step, Fault> {
        let step = |action, why, change| Step {
            path: self.path.to_path_buf(),
            clients: Vec::new(),
            action,
            why,
            change,
        };
        let found = match disk::look(self.path, scope.bounds(self.path)) {
            Ok(found) if found.target == self.path => found,
            Ok(_) => return Ok(step(Action::Refused, Some("it is a link now".into()), None)),
            Err(why) => return Ok(step(Action::Refused, Some(why), None)),
        };
        let Back {
            bytes,
            is_edited,
            mode,
        } = self.back(&found)?;
        let first = self.first()?;
        let after = match bytes {
            Some(bytes) if is_edited => {
                match part::cleared(
                    &bytes,
                    first.as_deref(),
                    kind(self.path),
                    &clients::own_traces(),
                ) {
                    EditOutcome::Refused(why) => return Ok(step(Action::Refused, Some(why), None)),
                    EditOutcome::Nothing => Some(bytes),
                    EditOutcome::Bytes(bytes) => Some(bytes),
                }
            }
            other => other,
        };
        let after = after.filter(|it| first.is_some() || !part::is_bare(it, kind(self.path)));
        if after == found.bytes {
            return Ok(step(Action::Nothing, None, None));
        }
        let (action, why) = match &after {
            None => (Action::Remove, None),
            Some(_) if is_edited => (Action::Clear, Some(EDITED.to_owned())),
            Some(_) => (Action::Restore, None),
        };
        Ok(step(
            action,
            why,
            Some(Change {
                target: found.target,
                before: found.bytes,
                after,
                mode,
            }),
        ))
    }

    /// Goes back run by run, and notes where somebody else changed the file in between.
    fn back(&self, found: &Found) -> Result<Back, Fault> {
        let (mut bytes, mut is_edited, mut mode) = (found.bytes.clone(), false, None);
        for (run, kept) in &self.kept {
            let before = kept.before.as_ref().map(|it| run.bytes(it)).transpose()?;
            let digest = bytes.as_ref().map(|it| Digest::of(it).to_string());
            if digest.as_deref() == Some(&kept.after) {
                bytes = before;
                mode = kept.before.as_ref().and_then(|it| it.mode);
            } else if bytes != before {
                is_edited = true;
            }
        }
        Ok(Back {
            bytes,
            is_edited,
            mode,
        })
    }

    /// What the file was before anything of ours came.
    fn first(&self) -> Result<Option<Vec<u8>>, Fault> {
        let Some((run, kept)) = self.kept.last() else {
            return Ok(None);
        };
        kept.before.as_ref().map(|it| run.bytes(it)).transpose()
    }
}

/// What kind of file it is: by its extension, or else by its name.
fn kind(path: &Path) -> &str {
    let name = path
        .file_name()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    if Shared::named(name).is_some() {
        return name;
    }
    path.extension()
        .or_else(|| path.file_name())
        .and_then(|it| it.to_str())
        .unwrap_or_default()
}
