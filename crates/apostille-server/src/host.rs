//! The machine that a server runs on, as far as a call needs it: which memory is meant, and everything to answer with.

use std::cell::RefCell;
use std::path::PathBuf;

use apostille_agents::session::Session;
use apostille_cite::source::{Source, SourceError};
use apostille_core::Context;
use apostille_core::memory::{Channel, MemoryId, Origin, Voice};
use apostille_core::policy::Policy;
use apostille_core::space::Space;
use apostille_tasks::task::{Passage, Slug, Task};

use crate::pass::Pass;

/// Opens the caller's repository at a commit or branch.
pub type OpenAt<'a> = dyn Fn(&str) -> Result<Box<dyn Source>, SourceError> + 'a;

/// Where a caller stands: the repository it works in, and the person it works for.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    /// The repository that the source looks into.
    pub repo: &'a Space,
    /// The person, where known.
    pub user: Option<&'a Space>,
    /// The session, where known.
    pub session: Option<&'a str>,
    /// How to look at another commit or branch, where that can be done.
    pub at: Option<&'a OpenAt<'a>>,
    /// The rules of the person's own space, where a repository's do not reach.
    pub own: Option<&'a Policy>,
    /// The folder of the checkout, so that whole paths into it can be understood.
    pub root: Option<&'a str>,
    /// Whether the words come from outside: a page, an issue, a tool's output.
    pub is_tainted: bool,
    /// Whether the session had read words from outside.
    pub is_exposed: bool,
    /// Whether a person was asked about this very call, and agreed.
    pub has_word: bool,
    /// Told what is forgotten, so that what is kept beside the store about it can be forgotten, too.
    pub forgot: Option<&'a RefCell<Vec<MemoryId>>>,
    /// What is kept beside the store, where there is something.
    pub beside: Option<&'a dyn Beside>,
    /// How far whoever calls may go, where the call came through a socket.
    pub pass: Option<&'a Pass>,
}

impl<'a> Here<'a> {
    /// A caller of whom nothing but the repository is known.
    #[must_use]
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
            has_word: false,
            forgot: None,
            beside: None,
            pass: None,
        }
    }

    /// The context for what is written into this space: a repository's rules do not reach into a person's.
    #[must_use]
    pub fn ruled<'c>(&self, cx: &Context<'c>, space: &Space) -> Context<'c>
    where
        'a: 'c,
    {
        Context {
            policy: self.own.filter(|_| space.is_user()).unwrap_or(cx.policy),
            ..*cx
        }
    }

    /// An agent's voice, in this session. Words from outside are nobody's here.
    #[must_use]
    pub fn voice(&self, author: Option<&str>) -> Voice {
        let (author, session) = (author.map(Into::into), self.session.map(Into::into));
        Voice {
            author,
            session,
            tainted: self.is_tainted,
            exposed: self.is_exposed,
            ..Voice::of(Origin::Agent).via(Channel::Mcp)
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
pub struct Call<'a> {
    /// The folders that the client says it works in, where it says so.
    pub roots: Option<&'a [PathBuf]>,
    /// The repository that the caller names.
    pub repo: Option<&'a str>,
    /// The session, where the client tells it.
    pub session: Option<&'a str>,
    /// What the client calls itself.
    pub client: Option<&'a str>,
    /// Whether a person was asked about this very call, and agreed.
    pub has_word: bool,
    /// Whether it is time to stop looking things up.
    pub late: &'a dyn Fn() -> bool,
    /// How far whoever calls may reach; `None`: as far as the server does.
    pub pass: Option<&'a Pass>,
    /// Whether any repository of the store may be named, and not only the one here.
    pub is_by_name: bool,
}

impl<'a> Call<'a> {
    /// A call of which nothing is known.
    #[must_use]
    pub fn new(late: &'a dyn Fn() -> bool) -> Self {
        let (roots, repo, session, client) = (None, None, None, None);
        Self {
            roots,
            repo,
            session,
            client,
            has_word: false,
            late,
            pass: None,
            is_by_name: false,
        }
    }
}

/// Why there is nothing to work on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplaced {
    /// Nobody can tell which repository is meant, or the one that is named is not the one here: the caller can say it.
    #[error("{0}")]
    Which(String),
    /// There is nothing by that name.
    #[error("{0}")]
    NoSuch(String),
    /// The caller's pass reaches nothing of it.
    #[error("{0}")]
    Outside(String),
    /// The world is broken.
    #[error("{0}")]
    Broken(String),
}

/// How much depends on an answer of the client, which costs a second call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nothing: the server knows its place.
    None,
    /// The client may work elsewhere, and must not be served what is here then.
    Some,
    /// Everything: the server stands in no repository.
    All,
}

/// What is kept beside the store: sessions as hooks saw them, and the tasks of the checkout.
pub trait Beside {
    /// The sessions of this user's agents, the one that was added to last first; at most so many.
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, Unplaced>;

    /// A session by its client's name for it.
    fn session(&self, name: &str) -> Result<Option<Session>, Unplaced>;

    /// Every task of the checkout, in the order of their beginning.
    fn tasks(&self) -> Result<Vec<Task>, Unplaced>;

    /// The task that is worked on here.
    fn active_task(&self) -> Option<Slug>;

    /// Whether a task was begun here, and did not come with the repository.
    fn is_started(&self, task: &Slug) -> bool;

    /// The gates that a task passed, in their order.
    fn gates(&self, task: &Slug) -> Result<Vec<Passage>, Unplaced>;
}

/// Opens what a call works on. The binary makes one; this crate names no store, no clock and no folder.
pub trait Host: Send + Sync + 'static {
    /// Finds the place that is meant, and has the work done there.
    fn serve(
        &self,
        call: &Call<'_>,
        work: &mut dyn FnMut(&Context<'_>, &Here<'_>),
    ) -> Result<(), Unplaced>;

    /// How much depends on the client's saying where it works.
    fn roots(&self) -> Need;

    /// A seal on a text that nobody else can make: what a client brings back is what this server gave it.
    fn seal(&self, text: &str) -> String;

    /// A number that is another one after memories were changed, by whomever; `None` where nobody can tell.
    fn stamp(&self) -> Option<u64>;
}
