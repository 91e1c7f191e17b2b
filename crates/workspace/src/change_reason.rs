//! From a line or a commit to its reason: blame, the commit's message, its task, the instructions of its agent, the conversation
//! that made it, and the memories that were shown there. Each step says what it rests on.

mod lines;
mod prompt_files;
mod sessions;
mod task;

use std::{collections::BTreeSet, sync::Arc};

use apostille_agents::{commit_origin::CommitFacts, ledger::SessionLedger};
use apostille_api::json::{ChangeReasonReply, ChangeView};
use apostille_cite::{citation::CodeLocation, source::Source as _};
use apostille_core::archive::{
    Archive, PassageSpeaker,
    clean::{clean_and_shorten, clean_passage},
    commit::{CommitText, build_commit_record},
    excerpt::choose_quotes,
};
use apostille_git::git::{Checkout, Commit, CommitDetails};
use apostille_tasks::task::{TaskSlug, trailers::read_trailer};
use apostille_text::shorten::shorten_text;
use jiff::Timestamp;

use crate::{
    error::CommandError,
    sessions::open_session_ledger,
    system::System,
    task::CheckoutTasks,
    workspace::{Workspace, open_kept_archive},
};

use sessions::TracedChange;

/// How many commits of a stretch of lines are told.
const MAX_COMMITS: usize = 3;
/// How much of a message is told as its reason, in characters, and how much of its beginning where no sentence gives one.
const REASON_CHARS: usize = 560;
const OPENING_CHARS: usize = 240;
/// How much of its first line.
const SUBJECT_CHARS: usize = 120;
/// How many files of a commit are compared with those of a session.
const MAX_FILES: usize = 400;
/// The trailer of the task.
const TASK_ID: &str = "Task-Id";

/// What is read to find out why a change was made.
pub struct ChangeReader<'a> {
    system: &'a System,
    workspace: &'a Workspace,
    checkout: &'a Checkout,
    tasks: CheckoutTasks,
    archive: Option<Arc<dyn Archive>>,
    ledger: SessionLedger,
    /// The fixed texts of the program that agents are given.
    texts: &'a [(&'a str, &'a str)],
}

impl<'a> ChangeReader<'a> {
    /// Opens what there is to read here.
    pub fn open(
        system: &'a System,
        workspace: &'a Workspace,
        texts: &'a [(&'a str, &'a str)],
    ) -> Result<Self, CommandError> {
        let checkout = workspace.place.checkout.as_ref();
        let checkout = checkout.ok_or_else(|| {
            CommandError::usage("there is no git repository here, so no commit wrote a line")
        })?;
        Ok(Self {
            system,
            workspace,
            checkout,
            tasks: CheckoutTasks::for_folder(system, &workspace.place, &workspace.settings)?,
            archive: open_kept_archive(system),
            ledger: open_session_ledger(system)?,
            texts,
        })
    }

    /// The whole id of the commit that a name means: an id, in full or abbreviated, a branch or a tag.
    pub fn resolve_commit(&self, name: &str) -> Option<String> {
        let tree = Commit::new(self.checkout, name).ok()?.read_tree().ok()?;
        tree.commit
    }

    /// Why a commit was made.
    pub fn explain_commit(&self, commit: &str) -> Result<ChangeReasonReply, CommandError> {
        let change = self.explain_change(commit, "")?;
        Ok(ChangeReasonReply {
            ok: true,
            asked: commit.to_owned(),
            changes: change.into_iter().collect(),
            ..ChangeReasonReply::default()
        })
    }

    /// Why lines are as they are.
    pub fn explain_lines(&self, place: &CodeLocation) -> Result<ChangeReasonReply, CommandError> {
        let written = lines::find_writers(self.checkout, place)?;
        let mut changes = Vec::new();
        for blamed in written.commits.iter().take(MAX_COMMITS) {
            let text = written.join_lines(&blamed.lines);
            let change = self.explain_change(&blamed.commit, &text)?;
            changes.extend(change.map(|it| ChangeView {
                lines: blamed.lines.clone(),
                cut_off: blamed.is_cut_off,
                ..it
            }));
        }
        if !written.uncommitted.is_empty() {
            let text = written.join_lines(&written.uncommitted);
            let change = self.explain_uncommitted(place, &text)?;
            changes.push(ChangeView {
                lines: written.uncommitted,
                ..change
            });
        }
        Ok(ChangeReasonReply {
            ok: true,
            asked: place.to_string(),
            more_commits: written.commits.len().saturating_sub(MAX_COMMITS),
            changes,
            citing: lines::list_citing_memories(self.workspace, place)?,
        })
    }

    /// What led to a commit; `code` is what is asked about of it.
    fn explain_change(&self, commit: &str, code: &str) -> Result<Option<ChangeView>, CommandError> {
        let Some(details) = self.checkout.read_commit_details(commit)? else {
            return Ok(None);
        };
        let mut view = build_commit_view(self.workspace, &details, code);
        let slug = read_trailer(&details.text, TASK_ID);
        let slug: Option<TaskSlug> = slug.and_then(|it| it.parse().ok());
        match &slug {
            Some(slug) => view.task = Some(self.trace_task(slug, details.written_at)?),
            None => view.push_missing("task", "the commit has no Task-Id"),
        }
        match prompt_files::trace_prompt(self.workspace, self.checkout, &details, self.texts) {
            Some(prompt) => view.prompt = Some(prompt),
            None => view.push_missing("prompt", "the commit has no Prompt-Version"),
        }
        let paths = details.files.iter().take(MAX_FILES);
        let change = TracedChange {
            facts: CommitFacts {
                written_at: details.written_at,
                paths: paths.filter_map(|it| it.parse().ok()).collect(),
                task: slug.as_ref().map(TaskSlug::as_str),
                task_sessions: self.list_task_sessions(slug.as_ref()),
                is_by_other: self.is_by_other(&details),
            },
            words: format!("{}\n{code}", details.text),
        };
        self.add_sessions(&change, &mut view)?;
        Ok(Some(view))
    }

    /// What led to lines that are not committed yet: the session that edits them.
    fn explain_uncommitted(
        &self,
        place: &CodeLocation,
        code: &str,
    ) -> Result<ChangeView, CommandError> {
        let mut view = ChangeView::default();
        let task = self.tasks.active_task();
        let change = TracedChange {
            facts: CommitFacts {
                written_at: self.system.now,
                paths: BTreeSet::from([place.path.clone()]),
                task: task.as_ref().map(|it| it.slug.as_str()),
                task_sessions: BTreeSet::new(),
                is_by_other: false,
            },
            words: code.to_owned(),
        };
        self.add_sessions(&change, &mut view)?;
        Ok(view)
    }

    fn list_task_sessions(&self, slug: Option<&TaskSlug>) -> BTreeSet<String> {
        let gates = slug.and_then(|it| self.tasks.gate_events(it).ok());
        let gates = gates.into_iter().flatten();
        gates.filter_map(|it| it.session).collect()
    }

    /// Whether the commit names somebody else than this user's git does. Where git names nobody, nobody is somebody else.
    fn is_by_other(&self, details: &CommitDetails) -> bool {
        let files = self.system.env.git_config_files();
        let own = self.checkout.read_setting(&files, "user", "email");
        own.is_some_and(|it| !it.eq_ignore_ascii_case(&details.author_address))
    }
}

fn build_commit_view(workspace: &Workspace, it: &CommitDetails, code: &str) -> ChangeView {
    let subject = it.text.lines().next().unwrap_or_default();
    let subject = clean_and_shorten(subject, SUBJECT_CHARS);
    let mut view = ChangeView {
        commit: Some(it.commit.clone()),
        author: Some(clean_passage(&it.author)),
        at: Some(it.written_at.to_string()),
        subject: Some(subject),
        reason: find_message_reason(workspace, it, code),
        ..ChangeView::default()
    };
    if view.reason.is_empty() {
        view.push_missing("reason", "its message gives none");
    }
    view
}

/// The sentences of a message that give a reason; a message is its author's word, who may be a stranger.
fn find_message_reason(workspace: &Workspace, it: &CommitDetails, code: &str) -> Vec<String> {
    let text = CommitText {
        commit: &it.commit,
        author: &it.author,
        at: it.committed_at,
        text: &it.text,
        files: &it.files,
    };
    let Some(mut record) = build_commit_record(&workspace.settings.repo, &text) else {
        return Vec::new();
    };
    // Its first line is told already.
    record.passages.retain(|it| it.number > 1);
    let quotes = choose_quotes(&record, code, REASON_CHARS);
    let quotes = quotes.into_iter().map(|it| it.text);
    let reason: Vec<String> = quotes.collect();
    let opening = || {
        let said = record.passages.iter();
        let said = said.filter(|it| it.speaker == PassageSpeaker::Author);
        said.map(|it| shorten_text(&it.text.replace('\n', " "), OPENING_CHARS))
            .collect()
    };
    if reason.is_empty() { opening() } else { reason }
}

/// The first moment after the second in which a commit was written: gates and hooks tell parts of it.
fn end_of_second(at: Timestamp) -> Timestamp {
    at.checked_add(jiff::SignedDuration::from_secs(1))
        .unwrap_or(at)
}
