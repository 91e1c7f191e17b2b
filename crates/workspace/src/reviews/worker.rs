//! Goes through what was delivered or pulled: one event after the other, each either done or tried again later.

use apostille_cite::citation::RepoPath;
use apostille_core::{
    review_rules::{RuleOutcome, expire_rules},
    space::Space,
};
use apostille_reviews::{
    codeowners::CodeOwners,
    payload::ReviewEvent,
    process::{ReviewChanges, ReviewSurroundings, process_event},
    seen::SeenReviews,
};

use super::{ReviewFolder, find_person_space};
use crate::{error::CommandError, sessions, system::System, workspace::Workspace};

/// Where the owners of files are named, as the host looks for it.
const CODEOWNERS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// What came of events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewReport {
    /// How many events were gone through.
    pub n_events: usize,
    /// Candidates that wait now.
    pub n_proposed: usize,
    /// Comments that support what is known.
    pub n_supported: usize,
    /// Rules that are in use now.
    pub n_approved: usize,
    /// Rules and candidates that lost support.
    pub n_withdrawn: usize,
    /// Sentences that were turned away.
    pub n_refused: usize,
    /// Proposals for a person.
    pub n_personal: usize,
    /// Episodes that tell the outcome of a pull request now.
    pub n_episodes: usize,
    /// Rules and candidates that expired.
    pub n_expired: usize,
    /// What failed, and is tried again.
    pub n_put_off: usize,
    /// What was given up.
    pub n_given_up: usize,
    /// Why, the last time.
    pub problem: Option<String>,
}

impl ReviewReport {
    fn count_changes(&mut self, changes: &ReviewChanges) {
        self.n_events += 1;
        for outcome in &changes.rules {
            match outcome {
                RuleOutcome::Proposed(_) => self.n_proposed += 1,
                RuleOutcome::Supported(_) => self.n_supported += 1,
                RuleOutcome::Approved(_) => self.n_approved += 1,
                RuleOutcome::Refused(_) => self.n_refused += 1,
                RuleOutcome::Ignored(_) => {}
            }
        }
        let is_new = |it: &&RuleOutcome| matches!(it, RuleOutcome::Proposed(_));
        self.n_personal += changes.personal.iter().filter(is_new).count();
        self.n_withdrawn += changes.withdrawn.len();
        self.n_episodes += changes.episodes.len();
    }
}

/// What events are worked on with.
pub struct ReviewDesk<'a> {
    /// The machine.
    pub system: &'a System,
    /// The store and the code of the repository that the events are about.
    pub workspace: &'a Workspace,
    /// Whether many people's memories are kept here.
    pub is_for_many: bool,
}

impl ReviewDesk<'_> {
    /// Does what follows from an event.
    pub(super) fn process(
        &self,
        seen: &mut SeenReviews,
        event: ReviewEvent,
    ) -> Result<ReviewChanges, CommandError> {
        let settings = &self.workspace.settings;
        let owners = self.read_owners();
        let ledger = sessions::open_session_ledger(self.system).ok();
        let around = ReviewSurroundings {
            owners: &owners,
            person: &|login| find_person_space(settings, login, self.is_for_many),
            shown_in: &|session| {
                let ledger = ledger.as_ref();
                ledger.map_or_else(Vec::new, |it| {
                    it.read_session(session).shown_ids().into_iter().collect()
                })
            },
        };
        let mut event = event.in_space(&settings.repo);
        if let ReviewEvent::Closed(pull) = &mut event {
            pull.texts.extend(self.read_messages(&pull.commits));
        }
        let cx = self.workspace.context();
        Ok(process_event(&cx, &around, seen, &event)?)
    }

    /// What commits say, as far as the checkout has them: an agent's have the name of their task.
    fn read_messages(&self, commits: &[String]) -> Vec<String> {
        let Some(checkout) = &self.workspace.place.checkout else {
            return Vec::new();
        };
        let read = |it: &String| checkout.read_commit_details(it).ok().flatten();
        commits.iter().filter_map(read).map(|it| it.text).collect()
    }

    /// The owners of files by the default branch: what is checked out may be somebody's proposal to own everything.
    fn read_owners(&self) -> CodeOwners {
        let cx = self.workspace.context();
        let Ok(Some(branch)) = cx.source.open_default_branch() else {
            return CodeOwners::default();
        };
        let read = |path: &&str| {
            let path: RepoPath = path.parse().ok()?;
            let blob = branch.tree.read_file(&path).ok()??;
            Some(String::from_utf8_lossy(&blob.bytes).into_owned())
        };
        let text = CODEOWNERS.iter().find_map(read);
        text.map_or_else(CodeOwners::default, |it| CodeOwners::from_text(&it))
    }

    /// Sets aside what nobody confirmed.
    pub(super) fn expire(&self, report: &mut ReviewReport) -> Result<(), CommandError> {
        let cx = self.workspace.context();
        report.n_expired += expire_rules(&cx, &self.workspace.settings.repo)?.len();
        Ok(())
    }
}

/// Opens the store and the code of a repository; `None` where another place has it, and goes through what is about it.
pub type OpenReviewed<'a> = dyn Fn(&Space) -> Result<Option<Workspace>, CommandError> + 'a;

/// Goes through the deliveries that are due. One that fails is put off, and keeps none of the others waiting.
pub fn process_deliveries(
    system: &System,
    folder: &ReviewFolder,
    (secret, is_for_many): (&str, bool),
    open: &OpenReviewed,
) -> Result<ReviewReport, CommandError> {
    let _held = folder.lock_work()?;
    let (clock, random) = (system.clock(), system.random_source());
    let mut seen = folder.read_seen();
    let mut report = ReviewReport::default();
    for delivery in folder.list_due(clock()) {
        let Some(event) = delivery.open_event(secret) else {
            // Nobody who knows the secret wrote it.
            folder.remove_delivery(&delivery)?;
            report.problem = Some("a file among those that wait was not written here".into());
            continue;
        };
        let mut work = || {
            let Some(repo) = event.repo() else {
                return Ok(Some(ReviewChanges::default()));
            };
            let Some(workspace) = open(repo)? else {
                return Ok(None);
            };
            let desk = ReviewDesk {
                system,
                workspace: &workspace,
                is_for_many,
            };
            let changes = desk.process(&mut seen, event.clone())?;
            desk.expire(&mut report)?;
            Ok::<_, CommandError>(Some(changes))
        };
        match work() {
            Ok(None) => {}
            Ok(Some(changes)) => {
                report.count_changes(&changes);
                folder.write_seen(&seen, random())?;
                folder.remove_delivery(&delivery)?;
            }
            Err(error) => {
                let why = error.message();
                let is_given_up = folder.put_off_delivery(delivery, &why, (clock(), random()))?;
                report.n_put_off += usize::from(!is_given_up);
                report.n_given_up += usize::from(is_given_up);
                report.problem = Some(why);
            }
        }
    }
    Ok(report)
}

/// Does what follows from events that were pulled.
pub(super) fn process_pulled(
    desk: &ReviewDesk,
    folder: &ReviewFolder,
    events: Vec<ReviewEvent>,
) -> Result<ReviewReport, CommandError> {
    let _held = folder.lock_work()?;
    let random = desk.system.random_source();
    let mut seen = folder.read_seen();
    let mut report = ReviewReport::default();
    for event in events {
        let changes = desk.process(&mut seen, event);
        let written = folder.write_seen(&seen, random());
        report.count_changes(&changes?);
        written?;
    }
    desk.expire(&mut report)?;
    Ok(report)
}
