//! The machine that a server runs on, as far as a call needs it.
//!
//! A call comes with a [`CallOrigin`]: who calls, and from where. The host finds the memory that is meant and opens a
//! [`CallScope`] with everything to answer with, which lends the work the core's `Context` and a [`Caller`].

use std::cell::RefCell;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use apostille_agents::session::{AgentSession, SessionEntry};
use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceError},
};
use apostille_core::{
    Context, CoreError,
    archive::Archive,
    embedding::Embedder,
    evidence::Testimony,
    memory::{MemoryId, Voice},
    model::Model,
    policy::Policy,
    replica::parts::{PartLook, PartName},
    space::Space,
    speaker::{ConnectionFacts, Consent, Speaker},
    store::Store,
};
use apostille_impact::measures::SessionMeasures;
use apostille_tasks::task::{GateEvent, Task, TaskSlug};
use jiff::Timestamp;

use crate::access_token::AccessToken;

/// Opens the caller's repository at a commit or branch.
pub type OpenSourceAt<'a> = dyn Fn(&str) -> Result<Box<dyn Source>, SourceError> + 'a;

/// The speaker of a call of which nothing is known.
static UNKNOWN_CLIENT: LazyLock<Speaker> =
    LazyLock::new(|| Speaker::on_connection(ConnectionFacts::default()));

/// Where a caller stands: the repository it works in, and the person it works for. A [`CallScope`] lends it.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The repository that the source looks into.
    pub repo: &'a Space,
    /// The person, where known.
    pub user: Option<&'a Space>,
    /// The session, where known.
    pub session: Option<&'a str>,
    /// How to look at another commit or branch, where that can be done.
    pub at: Option<&'a OpenSourceAt<'a>>,
    /// The rules of the person's own space, where a repository's do not reach.
    pub own: Option<&'a Policy>,
    /// The folder of the checkout, so that whole paths into it can be understood.
    pub root: Option<&'a str>,
    /// Whether the words come from outside: a page, an issue, a tool's output.
    pub is_tainted: bool,
    /// Whether the session had read words from outside.
    pub is_exposed: bool,
    /// Whether the user asked the session, for the turn that goes on, to leave memory out of it.
    pub is_ignored: bool,
    /// Who speaks, and what that allows.
    pub speaker: &'a Speaker,
    /// Told what is forgotten, so that what is kept beside the store about it can be forgotten, too.
    pub forgot: Option<&'a RefCell<Vec<MemoryId>>>,
    /// What is kept beside the store, where there is something.
    pub activity: Option<&'a dyn ActivityStore>,
    /// How far whoever calls may go, where the call came through a socket.
    pub token: Option<&'a AccessToken>,
    /// What replicas of its spaces exchange with this server, where they can.
    pub replicas: Option<&'a dyn ReplicaExchange>,
}

impl<'a> Caller<'a> {
    /// A caller of whom nothing but the repository is known.
    pub fn in_repo(repo: &'a Space) -> Self {
        Self {
            repo,
            user: None,
            session: None,
            at: None,
            own: None,
            root: None,
            is_tainted: false,
            is_exposed: false,
            is_ignored: false,
            speaker: &UNKNOWN_CLIENT,
            forgot: None,
            activity: None,
            token: None,
            replicas: None,
        }
    }

    /// The context for what is written into this space: a repository's rules do not reach into a person's.
    pub fn context_for_space<'c>(&self, cx: &Context<'c>, space: &Space) -> Context<'c>
    where
        'a: 'c,
    {
        Context {
            policy: self.own.filter(|_| space.is_user()).unwrap_or(cx.policy),
            ..*cx
        }
    }

    /// An agent's voice, in this session. Words from outside are nobody's here.
    pub fn agent_voice(&self, author: Option<&str>) -> Voice {
        Voice {
            author: author.map(Into::into),
            session: self.session.map(Into::into),
            tainted: self.is_tainted,
            exposed: self.is_exposed,
            ..self.speaker.voice().clone()
        }
    }

    /// The spaces in play, the nearest first.
    #[must_use]
    pub fn spaces(&self) -> Vec<Space> {
        [Some(self.repo), self.user]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }
}

/// Who calls, and from where, before anybody knows which memory is meant.
#[derive(Debug, Clone, Default)]
pub struct CallOrigin {
    /// The folders that the client says it works in, where it says so.
    pub roots: Option<Vec<PathBuf>>,
    /// The repository that the caller names.
    pub repo: Option<String>,
    /// The session, where the client tells it.
    pub session: Option<String>,
    /// What the client calls itself.
    pub client: Option<String>,
    /// What a person was asked about this very call, where they agreed.
    pub consent: Option<Consent>,
    /// How far whoever calls may reach; `None`: as far as the server does.
    pub token: Option<AccessToken>,
    /// Whether any repository of the store may be named, and not only the one here.
    pub is_by_name: bool,
}

/// Why there is nothing to work on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Nobody can tell which repository is meant, or the one that is named is not the one here: the caller can say it.
    #[error("{0}")]
    Which(String),
    /// There is nothing by that name.
    #[error("{0}")]
    NoSuch(String),
    /// The caller's token reaches nothing of it.
    #[error("{0}")]
    Outside(String),
    /// The world is broken.
    #[error("{0}")]
    Broken(String),
}

impl PlaceError {
    /// The status that the API answers it with.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Which(_) => 400,
            Self::NoSuch(_) => 404,
            Self::Outside(_) => 403,
            Self::Broken(_) => 503,
        }
    }
}

/// How much depends on an answer of the client, which costs a second call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootsNeed {
    /// Nothing: the server knows its place.
    None,
    /// The client may work elsewhere, and must not be served what is here then.
    Some,
    /// Everything: the server stands in no repository.
    All,
}

/// Judges what a session edited, and fills in what it is told.
pub type EditReviewer<'a> = dyn FnMut(&AgentSession, &[RepoPath], &mut SessionEntry) + 'a;

/// What is kept beside the store: sessions as hooks saw them, and the tasks of the checkout.
pub trait ActivityStore {
    /// The sessions of this user's agents, the one that was added to last first; at most so many.
    fn list_sessions(&self, limit: usize) -> Result<Vec<AgentSession>, PlaceError>;

    /// A session by its client's name for it.
    fn find_session(&self, name: &str) -> Result<Option<AgentSession>, PlaceError>;

    /// Where a session edited files that are due to be judged, hands them to `review` together with the session and the
    /// moment to fill in, and writes that moment down. Nobody else adds to the session meanwhile. Where no edits are
    /// noted, nothing happens.
    fn review_edits(&self, session: &str, review: &mut EditReviewer<'_>) -> Result<(), PlaceError> {
        let _ = (session, review);
        Ok(())
    }

    /// What was counted of the sessions in the repository, the oldest first.
    fn list_measured_sessions(&self) -> Result<Vec<SessionMeasures>, PlaceError> {
        Ok(Vec::new())
    }

    /// Removes the prompts that hooks kept of a session which goes on.
    fn forget_prompts(&self, session: &str) -> Result<(), PlaceError> {
        let _ = session;
        Ok(())
    }

    /// What an agent is told about a repository whose own settings and memories are left out because the user has not
    /// trusted them; `None` where nothing is left out.
    fn trust_note(&self) -> Option<&'static str> {
        None
    }

    /// What stands in `NOTES.md` at the root of the checkout, unless the user has not trusted what the repository brings.
    fn read_notes(&self) -> Option<String> {
        None
    }

    /// Every task of the checkout, in the order of their beginning.
    fn list_tasks(&self) -> Result<Vec<Task>, PlaceError>;

    /// The task that is worked on here.
    fn active_task(&self) -> Option<TaskSlug>;

    /// Whether a task was begun here, and did not come with the repository.
    fn is_started_here(&self, task: &TaskSlug) -> bool;

    /// The gates that a task passed, in their order.
    fn list_gate_events(&self, task: &TaskSlug) -> Result<Vec<GateEvent>, PlaceError>;
}

/// The lines of a space as a server holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaSummary {
    /// Another one as soon as a line is.
    pub fingerprint: String,
    /// How each part looks; left out for who has seen the same.
    pub looks: Option<BTreeMap<PartName, PartLook>>,
}

/// What another replica brings.
pub struct BroughtLines<'a> {
    /// The lines.
    pub texts: &'a str,
    /// The fingerprint that it saw; nothing is taken where it is another one by now.
    pub seen: &'a str,
    /// Whether much may be forgotten at once.
    pub accepts_forgotten: bool,
    /// Who brings them.
    pub by: &'a Speaker,
}

/// What became of the lines that were brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenLines {
    /// The fingerprint with them.
    pub fingerprint: String,
    /// How many were new.
    pub new: usize,
    /// How many were left out.
    pub left_out: usize,
    /// Why the first of them was.
    pub why: Option<String>,
    /// Whether the server holds nothing beside what was seen and what was brought.
    pub is_complete: bool,
    /// The memories that were forgotten here.
    pub erased: Vec<MemoryId>,
}

/// Why lines are not exchanged.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeFault {
    /// Not so, or not now.
    #[error("{why}")]
    Refused {
        /// One word for it.
        class: &'static str,
        /// What is wrong, and the way out.
        why: String,
    },
    /// The world is broken.
    #[error(transparent)]
    Broken(#[from] CoreError),
}

/// A server as a replica among others: the lines of the spaces that its callers reach.
pub trait ReplicaExchange {
    /// What is held. Who has seen the same is told no more than that.
    fn summarize_lines(
        &self,
        cx: &Context,
        space: &Space,
        seen: Option<&str>,
    ) -> Result<ReplicaSummary, ExchangeFault>;

    /// The lines of some parts.
    fn read_lines(
        &self,
        cx: &Context,
        space: &Space,
        names: &[PartName],
    ) -> Result<String, ExchangeFault>;

    /// Unites what is held with lines that were brought, and has the store follow.
    fn take_lines(
        &self,
        cx: &Context,
        space: &Space,
        lines: &BroughtLines<'_>,
    ) -> Result<TakenLines, ExchangeFault>;
}

/// Cleans up what is kept beside the store about memories that were forgotten.
pub type ForgetCleanup = dyn FnOnce(&[MemoryId]) -> Result<(), PlaceError>;

/// Everything that one call is answered with, opened once and owned until the call is over.
pub struct CallScope {
    /// Where memories are kept.
    pub store: Arc<dyn Store>,
    /// The code that is looked into.
    pub source: Box<dyn Source>,
    /// The rules of the repository.
    pub policy: Policy,
    /// The rules of the person's own space, where a repository's do not reach.
    pub own_policy: Policy,
    /// The time of the call.
    pub now: Timestamp,
    /// Where randomness comes from.
    pub random: Box<dyn Fn() -> u128>,
    /// Who is asking, for the log.
    pub actor: Option<String>,
    /// The spaces in play beside the one that is written to.
    pub spaces: Vec<Space>,
    /// A model that looks over what agents want to keep, where the user wants one.
    pub guardian: Option<Box<dyn Model>>,
    /// Where to look up what was said and run in sessions.
    pub testimony: Option<Box<dyn Testimony>>,
    /// A model that finds memories by what they mean, where one is installed.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What was said in past conversations, where that is kept.
    pub archive: Option<Arc<dyn Archive>>,
    /// What commits give as reasons.
    pub commit_reasons: Option<Arc<dyn Archive>>,
    /// The repository that the source looks into.
    pub repo: Space,
    /// The person, where known and within reach.
    pub user: Option<Space>,
    /// The session, where known.
    pub session: Option<String>,
    /// Whether the session had read words from outside.
    pub is_exposed: bool,
    /// Whether the user asked the session, for the turn that goes on, to leave memory out of it.
    pub is_ignored: bool,
    /// What a person was asked about this very call, where they agreed.
    pub consent: Option<Consent>,
    /// How far whoever calls may go, where the call came through a socket.
    pub token: Option<AccessToken>,
    /// The folder of the checkout, so that whole paths into it can be understood.
    pub root: Option<String>,
    /// How to look at another commit or branch, where that can be done.
    pub open_at: Option<Box<OpenSourceAt<'static>>>,
    /// What is kept beside the store, where there is something.
    pub activity: Option<Box<dyn ActivityStore>>,
    /// What replicas of its spaces exchange with this server, where they can.
    pub replicas: Option<Box<dyn ReplicaExchange>>,
    /// What is to be done about memories that the call forgot.
    pub cleanup_forgotten: Box<ForgetCleanup>,
}

impl CallScope {
    /// Does the work, and then cleans up after what it forgot. The source is closed before: it may still write down what
    /// it found, and what it found names places that a forgotten memory cited.
    pub fn run<T>(
        self,
        late: &dyn Fn() -> bool,
        work: impl FnOnce(&Context, &Caller) -> T,
    ) -> Result<T, PlaceError> {
        let forgot = RefCell::default();
        // The door that every connection comes in by.
        let speaker = Speaker::on_connection(ConnectionFacts {
            token: self.token.as_ref().map(AccessToken::to_facts),
            client: self.actor.clone(),
            session: self.session.clone(),
            is_exposed: self.is_exposed,
            consent: self.consent.clone(),
            ..ConnectionFacts::default()
        });
        let caller = Caller {
            user: self.user.as_ref(),
            session: self.session.as_deref(),
            at: self.open_at.as_deref(),
            own: Some(&self.own_policy),
            root: self.root.as_deref(),
            is_exposed: self.is_exposed,
            is_ignored: self.is_ignored,
            speaker: &speaker,
            forgot: Some(&forgot),
            activity: self.activity.as_deref(),
            token: self.token.as_ref(),
            replicas: self.replicas.as_deref(),
            ..Caller::in_repo(&self.repo)
        };
        let done = work(&self.build_context(late), &caller);
        let forgot: Vec<MemoryId> = forgot.into_inner();
        drop(self.source);
        if !forgot.is_empty() {
            (self.cleanup_forgotten)(&forgot)?;
        }
        Ok(done)
    }

    /// Whether the caller may read what the person said: programs on this machine, and the person with the printed link. A token
    /// that was given to somebody else opens memories and no conversations, in the panel too.
    fn can_read_archive(&self) -> bool {
        self.token.as_ref().is_none_or(AccessToken::is_owner)
    }

    /// What every verb of the core is given.
    pub fn build_context<'a>(&'a self, late: &'a dyn Fn() -> bool) -> Context<'a> {
        Context {
            store: &*self.store,
            source: &*self.source,
            policy: &self.policy,
            now: self.now,
            random: &*self.random,
            late,
            actor: self.actor.as_deref(),
            other_spaces: &self.spaces,
            guardian: self.guardian.as_deref(),
            testimony: self.testimony.as_deref(),
            embedder: self.embedder.as_deref(),
            archive: self.archive.as_deref().filter(|_| self.can_read_archive()),
            commit_reasons: self.commit_reasons.as_deref(),
        }
    }
}

/// Opens what a call works on. The binary makes one; this crate names no store, no clock and no folder.
pub trait OpenScope: Send + Sync + 'static {
    /// Finds the place that is meant, and opens everything to answer with.
    fn open_scope(&self, origin: &CallOrigin) -> Result<CallScope, PlaceError>;
}

/// The machine that a server runs on.
pub trait Host: OpenScope {
    /// How much depends on the client's saying where it works.
    fn roots_need(&self) -> RootsNeed;

    /// A seal on a text that nobody else can make: what a client brings back is what this server gave it.
    fn sign_text(&self, text: &str) -> String;

    /// A number that is another one after memories were changed, by whomever; `None` where nobody can tell.
    fn change_stamp(&self) -> Option<u64>;
}
