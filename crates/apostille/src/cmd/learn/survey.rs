//! What there is to learn from: the transcripts on this machine, and which of them are of sessions in this repository.

use std::{collections::BTreeSet, fs, path::PathBuf};

use apostille_agents::{
    client::Client,
    clients::{ClientProfile, list_client_profiles},
    ledger::SessionLedger,
    past_transcripts::PastSession,
    settings::layout::UserFolders,
    transcripts::TranscriptError,
};
use apostille_core::{
    archive::{Archive, ArchiveKind, ArchiveScope},
    memory::{Layer, SESSION_TAG},
    space::Space,
    store::MemoryFilter,
};
use jiff::Timestamp;

use super::build_no_home_error;
use apostille_terminal::command_context::{CommandContext, CommandResult};
use apostille_workspace::{
    learned_sessions::LearnedSessions,
    repository_folders::RepositoryFolders,
    sessions,
    workspace::{Workspace, open_kept_archive},
};
use std::sync::Arc;

/// What lies on this machine.
pub(super) struct PastSurvey {
    /// By client, without those of which nothing was found.
    pub(super) clients: Vec<ClientSurvey>,
    /// The sessions of this repository that nobody learned from yet, the oldest first.
    pub(super) sessions: Vec<SurveyedSession>,
}

/// What one client left.
pub(super) struct ClientSurvey {
    pub(super) client: Client,
    /// How many sessions.
    pub(super) found: usize,
    /// How many of them are of this repository, in the time that was asked for.
    pub(super) here: usize,
    /// How many of those were learned from before.
    pub(super) known: usize,
    /// How many do not say in which folder they were.
    pub(super) without_folder: usize,
    /// How many the client has compressed.
    pub(super) compressed: usize,
    /// How many cannot be read.
    pub(super) unreadable: usize,
    /// When the first of those here began, and the last.
    pub(super) span: Option<(Timestamp, Timestamp)>,
    /// Why none of them is read.
    pub(super) why_unread: Option<&'static str>,
}

/// A session of this repository.
pub(super) struct SurveyedSession {
    pub(super) past: PastSession,
    /// The root of the working tree that it was in.
    pub(super) root: PathBuf,
    /// When its transcript was last written.
    pub(super) written_at: Option<Timestamp>,
}

impl PastSurvey {
    /// Looks at the beginning of every transcript.
    pub(super) fn take(
        ctx: &CommandContext,
        workspace: &Workspace,
        since: Option<Timestamp>,
    ) -> CommandResult<Self> {
        let env = &ctx.system.env;
        let user = UserFolders {
            home: env.home_dir().ok_or_else(build_no_home_error)?,
            variable: &|name| env.absolute_path(name),
        };
        let mut taker = SurveyTaker {
            folders: RepositoryFolders::new(&ctx.system, &workspace.place)?,
            known: KnownSessions::collect(ctx, workspace)?,
            since,
            sessions: Vec::new(),
        };
        let profiles = list_client_profiles();
        let clients = profiles.map(|it| taker.survey_client(it, &user));
        let clients = clients.collect::<CommandResult<Vec<_>>>()?;
        let mut sessions = taker.sessions;
        sessions.sort_by(|a, b| {
            let key = |it: &SurveyedSession| (it.past.head.started_at, it.past.name.clone());
            key(a).cmp(&key(b))
        });
        Ok(Self {
            clients: clients.into_iter().filter(|it| it.found > 0).collect(),
            sessions,
        })
    }
}

struct SurveyTaker<'a> {
    folders: RepositoryFolders<'a>,
    known: KnownSessions,
    since: Option<Timestamp>,
    sessions: Vec<SurveyedSession>,
}

impl SurveyTaker<'_> {
    fn survey_client(
        &mut self,
        profile: &ClientProfile,
        user: &UserFolders<'_>,
    ) -> CommandResult<ClientSurvey> {
        let files = profile.list_past_transcripts(user);
        let mut survey = ClientSurvey {
            client: profile.client,
            found: files.len(),
            here: 0,
            known: 0,
            without_folder: 0,
            compressed: 0,
            unreadable: 0,
            span: None,
            why_unread: profile.explain_unread_transcripts(),
        };
        if survey.why_unread.is_some() {
            return Ok(survey);
        }
        let mut names = BTreeSet::new();
        for path in files {
            match profile.read_past_session(&path) {
                // What an agent asked of another is told in the session of the first.
                Ok(past) if past.head.is_helper => survey.found -= 1,
                Ok(past) => {
                    if names.insert(past.name.clone()) {
                        self.add_session(&mut survey, past)?;
                    } else {
                        survey.found -= 1;
                    }
                }
                Err(TranscriptError::Compressed { .. }) => survey.compressed += 1,
                Err(TranscriptError::Io { .. }) => survey.unreadable += 1,
            }
        }
        Ok(survey)
    }

    fn add_session(
        &mut self,
        survey: &mut ClientSurvey,
        mut past: PastSession,
    ) -> CommandResult<()> {
        let Some(folder) = &past.head.folder else {
            survey.without_folder += 1;
            return Ok(());
        };
        let Some(root) = self.folders.find_root(folder) else {
            return Ok(());
        };
        let written_at = fs::metadata(&past.path).and_then(|it| it.modified()).ok();
        let written_at = written_at.and_then(|it| Timestamp::try_from(it).ok());
        past.head.started_at = past.head.started_at.or(written_at);
        let started_at = past.head.started_at;
        if started_at < self.since {
            return Ok(());
        }
        survey.here += 1;
        survey.widen_span(started_at);
        if self.known.contains(&past.name)? {
            survey.known += 1;
        } else {
            self.sessions.push(SurveyedSession {
                past,
                root,
                written_at,
            });
        }
        Ok(())
    }
}

impl ClientSurvey {
    fn widen_span(&mut self, started_at: Option<Timestamp>) {
        let Some(at) = started_at else { return };
        let (first, last) = self.span.unwrap_or((at, at));
        self.span = Some((first.min(at), last.max(at)));
    }
}

/// The sessions that somebody learned from, or that hooks saw and will learn from.
struct KnownSessions {
    repo: Space,
    learned: LearnedSessions,
    ledger: SessionLedger,
    archive: Option<Arc<dyn Archive>>,
    /// Those that have an episode.
    told: BTreeSet<String>,
}

impl KnownSessions {
    fn collect(ctx: &CommandContext, workspace: &Workspace) -> CommandResult<Self> {
        let repo = workspace.settings.repo.clone();
        let episodes = workspace.store.list_memories(&MemoryFilter {
            spaces: vec![repo.clone()],
            layers: vec![Layer::Episode],
            tags: vec![SESSION_TAG.into()],
            limit: usize::MAX,
            ..MemoryFilter::default()
        })?;
        Ok(Self {
            learned: LearnedSessions::read(&ctx.system, &repo)?,
            ledger: sessions::open_session_ledger(&ctx.system)?,
            archive: open_kept_archive(&ctx.system),
            told: episodes
                .into_iter()
                .filter_map(|it| it.voice.session)
                .collect(),
            repo,
        })
    }

    fn contains(&self, session: &str) -> CommandResult<bool> {
        let is_noted = self.learned.contains(session) || self.told.contains(session);
        if is_noted || !self.ledger.read_session(session).entries.is_empty() {
            return Ok(true);
        }
        let Some(archive) = &self.archive else {
            return Ok(false);
        };
        let scope = ArchiveScope {
            space: &self.repo,
            kind: ArchiveKind::Conversation,
        };
        let is_kept = archive.find_record(scope, session)?.is_some();
        Ok(is_kept || archive.has_forgotten(scope, session)?)
    }
}
