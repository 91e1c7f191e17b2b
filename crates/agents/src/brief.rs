//! Brief: what an agent is shown by itself, at the moment it matters. Small, verified, once, and the same bytes for the
//! same state. In some clients it lands with the authority of the system, so it is framed as what it is: notes.

mod history;
mod ignore;
mod mentioned;
mod page;
mod phrase;

use crate::session::Session;
use apostille_cite::citation::RepoPath;
use apostille_core::memory::{Kind, Layer, Memory, Origin, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall;
use apostille_core::recall::{Ask, Bar, Checked, Query};
use apostille_core::space::Space;
use apostille_core::store::{Filter, Order};
use apostille_core::verify;
use apostille_core::verify::Verified;
use apostille_core::{Context, Error, breaker};

pub use history::asks_for_history;
pub use ignore::asks_to_ignore;
pub use page::{FRAME, IDENTITY, KEPT, TASK, WISHES};

use page::Page;

/// How many memories that do not hold are named at once.
const MAX_DOUBTS: usize = 5;
/// How many of the person's preferences are told at the start.
const MAX_WISHES: usize = 5;

/// Who is briefed: an agent in this repository, working for this person.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The repository.
    pub repo: &'a Space,
    /// The person.
    pub user: &'a Space,
    /// What was shown so far.
    pub session: &'a Session,
}

/// What an agent is shown.
#[derive(Debug, Default)]
pub struct Brief {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// The memories in it.
    pub shown: Vec<Checked>,
    /// The memories that would have been in it, but do not hold here.
    pub withheld: Vec<Checked>,
    query: Option<Query>,
}

impl Brief {
    /// Writes down what was shown, as every recall does. It is not part of making the text, so that whoever waits for
    /// that has it first. What went wrong comes back as problems.
    pub fn log(&self, cx: &Context<'_>) -> Vec<String> {
        match &self.query {
            Some(query) => recall::log_later(cx, query, &self.shown, &self.withheld),
            None => Vec::new(),
        }
    }
}

/// At the start of a session: who the person is and how they want things done, the state of the task, and what waits for
/// approval. After the client
/// dropped most of what was said, also the corrections and rules that were shown before.
pub fn start(
    cx: &Context<'_>,
    reader: &Reader<'_>,
    task: &str,
    is_compacted: bool,
) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else {
        return Ok(Brief::default());
    };
    let identity = recall::identity(cx, reader.user)?;
    page.section(
        IDENTITY,
        identity.iter().map(|it| page::told(it, "identity")),
    );
    let mut shown = told(&mut page, WISHES, wishes(cx, reader)?);
    page.section(TASK, task.lines().map(page::bullet));
    if is_compacted {
        let is_new = |it: &Verified| {
            shown
                .iter()
                .all(|told: &Checked| told.hit.memory.id != it.memory.id)
        };
        let kept = rules(cx, reader)?.into_iter().filter(is_new).collect();
        shown.extend(told(&mut page, KEPT, kept));
    }
    let n_pending = pending(cx, reader)?;
    if n_pending > 0 {
        let what = if n_pending == 1 {
            "memory waits"
        } else {
            "memories wait"
        };
        page.line(&format!(
            "{n_pending} {what} for a person's approval; the person decides with `apostille review`."
        ));
    }
    if has_open_breaker(cx, reader)? {
        page.line("A breaker is open: what agents write waits for a person; `apostille breaker` tells why.");
    }
    Ok(Brief {
        text: page.close(),
        shown,
        ..Brief::default()
    })
}

/// When the person says something: at first the briefing, later only what is new and clearly to the point.
pub fn prompt(cx: &Context<'_>, reader: &Reader<'_>, text: &str) -> Result<Brief, Error> {
    let is_history = asks_for_history(text);
    let mut layers = vec![Layer::Knowledge];
    layers.extend(is_history.then_some(Layer::Episode));
    // Who asks about the past in a few words is told; who only goes on is not interrupted.
    let bar = match (reader.session.is_briefed(), is_history) {
        (false, _) => Bar::Best,
        (true, true) => Bar::Near,
        (true, false) => Bar::Clear,
    };
    let paths = mentioned::paths(text);
    shown(
        cx,
        reader,
        Ask {
            text: text.into(),
            layers,
            paths,
            bar: Some(bar),
            ..Ask::default()
        },
    )
}

/// When files are about to be changed: the memories that cite them, once.
pub fn touch(cx: &Context<'_>, reader: &Reader<'_>, paths: Vec<RepoPath>) -> Result<Brief, Error> {
    let mode = (cx.policy.inject.mode != InjectMode::Off).then_some(InjectMode::Relevant);
    shown(
        cx,
        reader,
        Ask {
            paths,
            mode,
            bar: Some(Bar::Clear),
            ..Ask::default()
        },
    )
}

/// Before the client drops most of what was said: what must be kept, as bullets.
pub fn compact(cx: &Context<'_>, reader: &Reader<'_>, task: &str) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else {
        return Ok(Brief::default());
    };
    page.section(TASK, task.lines().map(page::bullet));
    told(&mut page, KEPT, rules(cx, reader)?);
    Ok(Brief {
        text: page.close(),
        ..Brief::default()
    })
}

/// Adds memories under a title, as many as have room, and gives back those.
fn told(page: &mut Page, title: &str, memories: Vec<Verified>) -> Vec<Checked> {
    let n = page.section(
        title,
        memories
            .iter()
            .map(|it| page::told(&it.memory, it.standing())),
    );
    memories.into_iter().take(n).map(Checked::unasked).collect()
}

/// How the person wants things done, wherever they work: what they said last first.
fn wishes(cx: &Context<'_>, reader: &Reader<'_>) -> Result<Vec<Verified>, Error> {
    let filter = Filter {
        spaces: vec![reader.user.clone()],
        layers: vec![Layer::Knowledge],
        kinds: vec![Kind::User],
        stages: vec![Stage::Active],
        order: Order::Refreshed,
        limit: MAX_WISHES,
        ..Filter::default()
    };
    Ok(verify::look(cx, cx.store.list(&filter)?)
        .into_iter()
        .filter(Verified::is_good)
        .collect())
}

/// Recalls, and puts on a page what fits.
fn shown(cx: &Context<'_>, reader: &Reader<'_>, ask: Ask) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else {
        return Ok(Brief::default());
    };
    let spaces = vec![reader.repo.clone(), reader.user.clone()];
    let (query, recalled) = recall::found(
        cx,
        &Ask {
            spaces,
            seen: reader.session.seen(),
            ..ask
        },
    )?;
    let mut shown = Vec::new();
    for it in recalled.shown {
        if page.memory(&it) {
            shown.push(it);
        }
    }
    let doubted = reader.session.doubted();
    let new = |it: &Checked| it.hit.why.relevance > 0.0 && !doubted.contains(&it.hit.memory.id);
    let mut withheld: Vec<Checked> = recalled
        .withheld
        .into_iter()
        .filter(new)
        .take(MAX_DOUBTS)
        .collect();
    if !page.doubts(&withheld) {
        withheld.clear();
    }
    Ok(Brief {
        text: page.close(),
        shown,
        withheld,
        query: Some(query),
    })
}

/// The corrections, rules and preferences among what was shown, as they stand now; what does not hold is left out.
fn rules(cx: &Context<'_>, reader: &Reader<'_>) -> Result<Vec<Verified>, Error> {
    let ids: Vec<_> = reader.session.shown().into_iter().collect();
    let is_rule = |it: &Memory| {
        let is_kept = matches!(it.kind, Kind::Feedback | Kind::User)
            || it.voice.origin == Origin::UserCorrection;
        it.is_active() && is_kept
    };
    let memories = cx
        .store
        .get_by_ids(&ids)?
        .into_iter()
        .filter(is_rule)
        .collect();
    Ok(verify::look(cx, memories)
        .into_iter()
        .filter(Verified::is_good)
        .collect())
}

/// Whether somebody's writes are held up. Whose, and why, is not said: it may be words that they chose.
fn has_open_breaker(cx: &Context<'_>, reader: &Reader<'_>) -> Result<bool, Error> {
    Ok(!breaker::open(cx, reader.repo)?.is_empty() || !breaker::open(cx, reader.user)?.is_empty())
}

/// How many memories wait for a person.
fn pending(cx: &Context<'_>, reader: &Reader<'_>) -> Result<u64, Error> {
    let mut n = 0;
    for space in [reader.repo, reader.user] {
        n += cx.store.summary(space)?.stage(Stage::Pending);
    }
    Ok(n)
}
