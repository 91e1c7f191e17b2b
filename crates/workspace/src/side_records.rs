//! What is kept beside the store, as a server's pages read it: sessions, and the tasks of the checkout.

use std::time::Duration;

use apostille_agents::session::{AgentSession, Moment, SessionEntry};
use apostille_api::{
    access_token::AccessToken,
    host::{ActivityStore, EditReviewer, PlaceError},
};
use apostille_cite::citation::RepoPath;
use apostille_core::space::Space;
use apostille_impact::measures::SessionMeasures;
use apostille_tasks::task::{GateEvent, Task, TaskSlug};

use super::{project_folder::ProjectFolder, sessions, task::CheckoutTasks};
use crate::{
    config::Settings, error::CommandError, measured_sessions::MeasuredSessions, system::System,
    trust::UntrustedReason,
};

/// How long a hook that writes to the same session is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is kept beside the store of a call.
pub struct CallSideRecords {
    /// The machine.
    pub system: System,
    /// The folder that the call is about.
    pub place: ProjectFolder,
    /// The settings in force there.
    pub settings: Settings,
    /// How far whoever asks may reach; `None`: everywhere.
    pub token: Option<AccessToken>,
    /// Whether the checkout is that of the repository that is looked at.
    pub is_here: bool,
    /// Whether the session of the call has edited files that were not judged yet.
    pub has_noted: bool,
}

impl CallSideRecords {
    /// The tasks of the checkout, where they are meant and within reach.
    fn reachable_tasks(&self) -> Result<Option<CheckoutTasks>, PlaceError> {
        let is_open = self.is_here && self.can_reach(&self.settings.repo);
        let tasks = || CheckoutTasks::for_folder(&self.system, &self.place, &self.settings);
        Ok(is_open.then(tasks).transpose()?)
    }

    fn can_reach(&self, space: &Space) -> bool {
        can_reach_space(self.token.as_ref(), space)
    }

    /// Leaves out what was shown of the person's own, where that is out of reach: a score tells of words.
    fn hide_personal_memories(&self, session: &mut AgentSession) {
        let user = &self.settings.user;
        if self.can_reach(user) {
            return;
        }
        let letter = user.handle_letter();
        for entry in &mut session.entries {
            entry.shown.retain(|it| it.handle.letter != letter);
            entry.withheld.retain(|it| it.handle.letter != letter);
        }
    }

    fn is_session_visible(&self, session: &AgentSession) -> bool {
        session.entries.iter().all(|it| self.can_reach(&it.space))
    }
}

/// Whether a space is within reach of a token; who needs none reaches everything.
pub(crate) fn can_reach_space(token: Option<&AccessToken>, space: &Space) -> bool {
    token.is_none_or(|it| it.reaches_space(space))
}

impl ActivityStore for CallSideRecords {
    fn list_sessions(&self, limit: usize) -> Result<Vec<AgentSession>, PlaceError> {
        let ledger = sessions::open_session_ledger(&self.system)?;
        let mut latest = ledger.list_latest(limit, |it| self.is_session_visible(it));
        latest
            .iter_mut()
            .for_each(|it| self.hide_personal_memories(it));
        Ok(latest)
    }

    fn find_session(&self, name: &str) -> Result<Option<AgentSession>, PlaceError> {
        let mut session = sessions::open_session_ledger(&self.system)?.read_session(name);
        self.hide_personal_memories(&mut session);
        Ok(Some(session).filter(|it| !it.entries.is_empty() && self.is_session_visible(it)))
    }

    fn list_measured_sessions(&self) -> Result<Vec<SessionMeasures>, PlaceError> {
        let repo = &self.settings.repo;
        if !self.can_reach(repo) {
            return Ok(Vec::new());
        }
        Ok(MeasuredSessions::for_repository(&self.system, repo)?.list_measures()?)
    }

    fn forget_prompts(&self, session: &str) -> Result<(), PlaceError> {
        sessions::open_session_ledger(&self.system)?.remove_prompts(session);
        MeasuredSessions::for_repository(&self.system, &self.settings.repo)?
            .forget_footprint(session)?;
        Ok(())
    }

    fn review_edits(&self, session: &str, review: &mut EditReviewer<'_>) -> Result<(), PlaceError> {
        if !self.has_noted {
            return Ok(());
        }
        let ledger = sessions::open_session_ledger(&self.system)?;
        let open = ledger.open_session(session, PATIENCE);
        let mut open = open.map_err(CommandError::from)?;
        let stamp = |it: &RepoPath| sessions::stamp_file(&self.place.root, it);
        let due = open.session.due_files(&[], stamp);
        let last = open.session.entries.last();
        let Some(last) = last.filter(|it| !due.is_empty() && it.space == self.settings.repo) else {
            return Ok(());
        };
        let (now, space) = (self.system.now, last.space.clone());
        let mut entry = SessionEntry::new(now, &last.session, last.client, space, Moment::Touch);
        review(&open.session, &due, &mut entry);
        Ok(open.append_entry(entry).map_err(CommandError::from)?)
    }

    fn trust_note(&self) -> Option<&'static str> {
        let untrusted = self.settings.untrusted.filter(|_| self.is_here);
        untrusted.map(UntrustedReason::describe_to_agent)
    }

    fn read_notes(&self) -> Option<String> {
        let trusted = self.settings.untrusted.is_none();
        trusted.then(|| self.reachable_tasks().ok()??.read_notes())?
    }

    fn list_tasks(&self) -> Result<Vec<Task>, PlaceError> {
        match self.reachable_tasks()? {
            Some(tasks) => Ok(tasks.list_tasks()?),
            None => Ok(Vec::new()),
        }
    }

    fn active_task(&self) -> Option<TaskSlug> {
        Some(self.reachable_tasks().ok()??.active_task()?.slug)
    }

    fn is_started_here(&self, task: &TaskSlug) -> bool {
        matches!(self.reachable_tasks(), Ok(Some(it)) if it.is_started(task))
    }

    fn list_gate_events(&self, task: &TaskSlug) -> Result<Vec<GateEvent>, PlaceError> {
        match self.reachable_tasks()? {
            Some(tasks) => Ok(tasks.gate_events(task)?),
            None => Ok(Vec::new()),
        }
    }
}
