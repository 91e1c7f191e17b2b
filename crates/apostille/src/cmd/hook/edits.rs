//! An agent's edits: noted when they are reported, and judged at a later moment.

use std::path::Path;

use apostille_agents::{
    briefing::{self, Briefing, EditReview},
    hook::{HookCall, HookMoment},
    session::{AgentSession, NotedFile},
};
use apostille_cite::citation::RepoPath;
use apostille_core::{Context, verify::VerifiedMemory};

use apostille_terminal::command_context::CommandResult;
use apostille_workspace::{
    project_folder::ProjectFolder, sessions::stamp_file, workspace::Workspace,
};

/// The files that a tool edits, as they are noted. Where the edit has yet to be written, what the file looks like tells
/// later whether it was.
pub(super) fn note_edited_files(told: &HookCall, place: &ProjectFolder) -> Vec<NotedFile> {
    let is_before = matches!(
        told.moment,
        HookMoment::Touch {
            is_before: true,
            ..
        }
    );
    let note = |path: RepoPath| NotedFile {
        before: is_before.then(|| stamp_file(&place.root, &path)),
        path,
    };
    list_edited_paths(told, place)
        .into_iter()
        .map(note)
        .collect()
}

/// The files that were edited before this moment, and are to be judged at it.
pub(super) fn list_due_files(
    told: &HookCall,
    place: &ProjectFolder,
    session: &AgentSession,
) -> Vec<RepoPath> {
    match told.moment {
        // What is said before a summary is for the one who writes it.
        HookMoment::Compact | HookMoment::Stop { .. } | HookMoment::End => Vec::new(),
        _ => session.due_files(&list_edited_paths(told, place), |it| {
            stamp_file(&place.root, it)
        }),
    }
}

fn list_edited_paths(told: &HookCall, place: &ProjectFolder) -> Vec<RepoPath> {
    let HookMoment::Touch { written, .. } = &told.moment else {
        return Vec::new();
    };
    written
        .iter()
        .filter_map(|it| resolve_edited_path(place, it))
        .collect()
}

/// A file that may not be there yet, or no longer.
fn resolve_edited_path(place: &ProjectFolder, typed: &str) -> Option<RepoPath> {
    let below_root = || {
        let inside = std::path::Path::new(typed).strip_prefix(&place.root).ok()?;
        inside.to_str()?.parse().ok()
    };
    resolve_touched_path(place, typed).or_else(below_root)
}

/// What was found about the files that were edited.
pub(super) struct ReviewedEdits {
    /// The memories whose standing got worse.
    pub(super) worse: Vec<VerifiedMemory>,
    /// The files that this session edited.
    own_files: Vec<RepoPath>,
}

impl ReviewedEdits {
    /// Judges what cites these files; where a session begins, also those that the sessions before it edited, and what
    /// they were shown.
    pub(super) fn review(
        cx: &Context,
        workspace: &Workspace,
        session: &AgentSession,
        own_files: Vec<RepoPath>,
        earlier: Option<&[AgentSession]>,
    ) -> CommandResult<Self> {
        let stamp = |it: &RepoPath| stamp_file(&workspace.place.root, it);
        let others = earlier.into_iter().flatten();
        let mut edited = own_files.clone();
        for path in others.flat_map(|it| it.due_files(&[], stamp)) {
            if !edited.contains(&path) {
                edited.push(path);
            }
        }
        let review = EditReview {
            repo: &workspace.settings.repo,
            session,
            edited: &edited,
            earlier,
        };
        Ok(Self {
            worse: review.find_worse_memories(cx)?,
            own_files,
        })
    }

    /// The files that need not be looked at again.
    pub(super) fn list_settled_files(&self, made: &Briefing) -> Vec<RepoPath> {
        briefing::list_settled_files(&self.own_files, &self.worse, &made.worse)
    }
}

/// A file as the client names it, if it lies in this checkout.
pub(super) fn resolve_touched_path(place: &ProjectFolder, typed: &str) -> Option<RepoPath> {
    let real = || {
        std::fs::canonicalize(typed)
            .ok()
            .filter(|_| Path::new(typed).is_absolute())
    };
    place
        .resolve_path(typed)
        .ok()
        .or_else(|| place.resolve_path(real()?.to_str()?).ok())
}
