//! The faces that speak a protocol. This crate is handed a store and a source and names none.
//!
//! Sets of tools are pure functions, arguments in and an answer out: the verbs for every day ([`everyday`]), verified
//! memory ([`verified`]), a plain notebook ([`simple`]), layers ([`layers`]), memory as files ([`files`]). Beside them is
//! what a client can fetch ([`prompts`]) and read ([`resources`]). None of them prints, asks for the time or starts a
//! runtime; the protocol ([`mcp`]) and the socket ([`http`]) are mounted around them.

mod answer;
pub mod api;
pub mod everyday;
pub mod files;
#[cfg(feature = "fixtures")]
#[expect(
    deprecated,
    reason = "the suite plays older clients too, and they log, sample and subscribe"
)]
pub mod fixtures;
pub mod host;
pub mod http;
pub mod interrupt;
pub mod json;
pub mod layers;
pub mod mcp;
pub mod panel;
pub mod pass;
pub mod profile;
pub mod prompts;
pub mod resources;
pub mod simple;
pub mod tool;
mod uri;
pub mod verified;
pub mod visit;
pub mod wire;

pub use answer::Answer;

use std::cell::RefCell;

use apostille_cite::source::{Source, SourceError};
use apostille_core::forget::{Forgotten, PERSONS_VERB, forget, is_persons};
use apostille_core::memory::{Channel, Memory, MemoryId, Name, Origin, Voice};
use apostille_core::policy::Policy;
use apostille_core::refusal::Refusal;
use apostille_core::remember::dedupe::{self, Near};
use apostille_core::space::Space;
use apostille_core::store::StoreError;
use apostille_core::{Context, Error, list};
use apostille_text::secrets::masked;

use crate::pass::{Access, Pass};
use crate::tool::Tool;
use crate::wire::Malformed;

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
    pub beside: Option<&'a dyn host::Beside>,
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

/// Why a call has no answer. What was refused has one: a refusal is an answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// There is no such tool in this set.
    #[error("there is no tool '{name}'; there are: {known}")]
    NoSuchTool {
        /// As it was called.
        name: String,
        /// What there is.
        known: String,
    },
    /// The world is broken.
    #[error(transparent)]
    Broken(#[from] Error),
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written")]
    Unwritable(#[from] serde_json::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}

impl Fault {
    fn no_such_tool(name: &str, tools: &[Tool]) -> Self {
        let known = tools
            .iter()
            .map(|it| it.name)
            .collect::<Vec<_>>()
            .join(", ");
        Self::NoSuchTool {
            name: masked(name).chars().take(60).collect(),
            known,
        }
    }
}

/// Forgets a memory, and has forgotten what was kept beside the store.
fn forgotten(
    cx: &Context<'_>,
    here: &Here<'_>,
    name: Name,
    reason: &str,
) -> Result<Result<Box<Memory>, Refusal>, Fault> {
    if let Some(memory) = list::named(cx, &here.spaces(), name)? {
        if is_persons(&memory) && here.pass.is_some_and(|it| !it.allows(Access::Review)) {
            return Ok(Err(Refusal::PersonDecides { verb: PERSONS_VERB }));
        }
        // Also where it goes wrong half way: nothing of what is kept beside the store is missed.
        if let Some(forgot) = here.forgot {
            forgot.borrow_mut().push(memory.id);
        }
    }
    Ok(match forget(cx, &here.spaces(), name, reason)? {
        Forgotten::Done(memory) => Ok(memory),
        Forgotten::Refused(refusal) => Err(refusal),
    })
}

/// Memories that a draft resembles, as they may be told: what one says that does not hold here is not repeated.
fn told_near(cx: &Context<'_>, near: Vec<Near>) -> Result<Vec<Near>, Fault> {
    Ok(dedupe::told(cx, near)?)
}
