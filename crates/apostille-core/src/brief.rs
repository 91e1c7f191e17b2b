//! Brief: what an agent is shown by itself, at the moment it matters. Small, verified, once, and the same bytes for the
//! same state. In some clients it lands with the authority of the system, so it is framed as what it is: notes.

mod history;
mod ignore;
mod mentioned;
mod page;

use regex::RegexSet;

use crate::citation::RepoPath;
use crate::memory::{Kind, Layer, Memory, Origin, Stage};
use crate::policy::InjectMode;
use crate::recall::{self, Ask, Bar, Checked, Query};
use crate::session::Session;
use crate::space::Space;
use crate::verify::{self, Verified};
use crate::{Context, Error};

pub use history::asks_for_history;
pub use ignore::asks_to_ignore;
pub use page::{FRAME, IDENTITY, KEPT, TASK};

use page::Page;

/// How many memories that do not hold are named at once.
const MAX_DOUBTS: usize = 5;

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
            Some(query) => recall::log(cx, query, &self.shown, &self.withheld),
            None => Vec::new(),
        }
    }
}

/// At the start of a session: who the person is, the state of the task, and what waits for approval. After the client
/// dropped most of what was said, also the corrections and rules that were shown before.
pub fn start(cx: &Context<'_>, reader: &Reader<'_>, task: &str, is_compacted: bool) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else { return Ok(Brief::default()) };
    let identity = recall::identity(cx, reader.user)?;
    page.section(IDENTITY, identity.iter().map(|it| page::told(it, "identity")));
    page.section(TASK, task.lines().map(page::bullet));
    if is_compacted {
        let kept = rules(cx, reader)?;
        page.section(KEPT, kept.iter().map(|it| page::told(&it.memory, it.standing())));
    }
    let n_pending = pending(cx, reader)?;
    if n_pending > 0 {
        let what = if n_pending == 1 { "memory waits" } else { "memories wait" };
        page.line(&format!(
            "{n_pending} {what} for a person's approval: `apostille list --status pending` shows them."
        ));
    }
    Ok(Brief { text: page.close(), ..Brief::default() })
}

/// When the person says something: at first the briefing, later only what is new and clearly to the point.
pub fn prompt(cx: &Context<'_>, reader: &Reader<'_>, text: &str) -> Result<Brief, Error> {
    let bar = if reader.session.is_briefed() { Bar::Clear } else { Bar::Best };
    let mut layers = vec![Layer::Knowledge];
    layers.extend(asks_for_history(text).then_some(Layer::Episode));
    let paths = mentioned::paths(text);
    shown(cx, reader, Ask { text: text.into(), layers, paths, bar: Some(bar), ..Ask::default() })
}

/// When files are about to be changed: the memories that cite them, once.
pub fn touch(cx: &Context<'_>, reader: &Reader<'_>, paths: Vec<RepoPath>) -> Result<Brief, Error> {
    let mode = (cx.policy.inject.mode != InjectMode::Off).then_some(InjectMode::Relevant);
    shown(cx, reader, Ask { paths, mode, bar: Some(Bar::Clear), ..Ask::default() })
}

/// Before the client drops most of what was said: what must be kept, as bullets.
pub fn compact(cx: &Context<'_>, reader: &Reader<'_>, task: &str) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else { return Ok(Brief::default()) };
    page.section(TASK, task.lines().map(page::bullet));
    let kept = rules(cx, reader)?;
    page.section(KEPT, kept.iter().map(|it| page::told(&it.memory, it.standing())));
    Ok(Brief { text: page.close(), ..Brief::default() })
}

/// Recalls, and puts on a page what fits.
fn shown(cx: &Context<'_>, reader: &Reader<'_>, ask: Ask) -> Result<Brief, Error> {
    let Some(mut page) = Page::open(cx.policy) else { return Ok(Brief::default()) };
    let spaces = vec![reader.repo.clone(), reader.user.clone()];
    let (query, recalled) = recall::found(cx, &Ask { spaces, seen: reader.session.seen(), ..ask })?;
    let mut shown = Vec::new();
    for it in recalled.shown {
        if page.memory(&it) {
            shown.push(it);
        }
    }
    let doubted = reader.session.doubted();
    let new = |it: &Checked| it.hit.why.relevance > 0.0 && !doubted.contains(&it.hit.memory.id);
    let mut withheld: Vec<Checked> = recalled.withheld.into_iter().filter(new).take(MAX_DOUBTS).collect();
    if !page.doubts(&withheld) {
        withheld.clear();
    }
    Ok(Brief { text: page.close(), shown, withheld, query: Some(query) })
}

/// The corrections and rules among what was shown, as they stand now; what does not hold is left out.
fn rules(cx: &Context<'_>, reader: &Reader<'_>) -> Result<Vec<Verified>, Error> {
    let ids: Vec<_> = reader.session.seen().into_iter().collect();
    let is_rule = |it: &Memory| {
        it.is_active() && (it.kind == Kind::Feedback || it.voice.origin == Origin::UserCorrection)
    };
    let memories = cx.store.get(&ids)?.into_iter().filter(is_rule).collect();
    Ok(verify::look(cx, memories).into_iter().filter(Verified::is_good).collect())
}

/// How many memories wait for a person.
fn pending(cx: &Context<'_>, reader: &Reader<'_>) -> Result<u64, Error> {
    let mut n = 0;
    for space in [reader.repo, reader.user] {
        n += cx.store.tally(space)?.stage(Stage::Pending);
    }
    Ok(n)
}

/// Patterns of speech, made once. Words end where ASCII ends: the tables of all scripts are not worth their size here.
fn phrases(patterns: &[&str]) -> Option<RegexSet> {
    let plain = |it: &&str| it.replace(r"\b", r"(?-u:\b)").replace(r"\s", r"[ \t\n]");
    RegexSet::new(patterns.iter().map(plain)).ok()
}
