//! What is done about a memory: a form in, a core verb, and a page that tells what came of it.

use apostille_core::forget::PERSONS_VERB;
use apostille_core::memory::{Draft, Memory, MemoryId, Name, Replacement, Stage};
use apostille_core::promote::{Promotion, promote as promoted};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{Near, Outcome};
use apostille_core::revise::{self, Revised};
use apostille_core::{Context, rollback};
use maud::{Markup, html};

use super::{UNPROCESSABLE, absent, named, restore as past, show};
use crate::parts::{Tone, handle, notice, said};
use crate::undo;
use crate::undo::Deed;
use apostille_api::visit::{Asked, Reply, Visit};
use apostille_api::{Fault, told_near};

pub use super::tried::Tried;

/// What came of a deed.
pub enum Came {
    /// It was done: the word for it, the memory to look at, and what was changed beside it.
    Done(&'static str, Box<Memory>, Vec<MemoryId>),
    /// It was turned away.
    Refused(Refusal),
    /// Much the same is known.
    Similar(Vec<Near>),
    /// What was typed cannot be read.
    Unread(String),
}

impl Came {
    /// What came of a revision.
    #[must_use]
    pub fn revised(word: &'static str, revised: Revised) -> Self {
        match revised {
            Revised::Done(memory) => Self::Done(word, memory, Vec::new()),
            Revised::Refused(refusal) => Self::Refused(refusal),
        }
    }

    /// What came of a draft that was to take the place of this memory.
    #[must_use]
    pub fn kept(word: &'static str, outcome: Outcome, old: MemoryId) -> Self {
        match outcome {
            Outcome::Remembered {
                memory, superseded, ..
            } => {
                let word = if memory.is_active() { word } else { "pending" };
                Self::Done(
                    word,
                    memory,
                    superseded.iter().map(|it| it.id).chain([old]).collect(),
                )
            }
            Outcome::Refreshed { memory } => Self::Done("known", memory, vec![old]),
            Outcome::Similar { near } => Self::Similar(near),
            Outcome::Refused(refusal) => Self::Refused(refusal),
        }
    }
}

/// Why something was not done, as it is.
pub fn not_done(visit: &Visit<'_>, came: Came) -> Result<Markup, Fault> {
    let told = match came {
        Came::Refused(refusal) => {
            html! { p { strong { "Not done. " } (said(&in_panel(&refusal))) } }
        }
        Came::Unread(why) => html! { p { strong { "Not done. " } (said(&why)) } },
        Came::Similar(near) => {
            let near = told_near(visit.cx, near)?;
            html! {
                p { strong { "Not kept. " } "Much the same is known:" }
                ul { @for it in &near {
                    li { (handle(visit, it.handle)) " (" (it.relation.as_str()) ") " span dir="auto" { (said(&it.fact)) } }
                } }
            }
        }
        Came::Done(..) => html! {},
    };
    Ok(notice(Tone::Bad, &told))
}

/// A refusal in the words of the panel, where its own name a flag or a command.
fn in_panel(refusal: &Refusal) -> String {
    match refusal {
        Refusal::MissingFields { handle, fields } => {
            format!(
                "{handle} cannot become knowledge yet: fill in the {}",
                fields.join(" and the ")
            )
        }
        Refusal::PersonDecides { verb } => {
            format!("only a person can {verb}, and this pass is no person's")
        }
        Refusal::NoSuchMemory { name } => format!("there is no memory {name} here"),
        Refusal::BreakerOpen { why } => {
            format!(
                "a breaker is open: {why}; nothing is marked as wrong until a person closes it under Health"
            )
        }
        Refusal::IdentityNeedsUser => {
            "identity belongs to a person: choose 'mine, in every repository' as whose it is".into()
        }
        other => other.to_string(),
    }
}

/// Why something stands again, for whoever reads the history.
const RESTORED: &str = "restored in the panel";

/// Does something about the memory that the path names.
fn deed(
    visit: &Visit<'_>,
    asked: &Asked,
    verb: &'static str,
    run: impl FnOnce(&Context<'_>, &Memory, &Tried) -> Result<Came, Fault>,
) -> Result<Reply, Fault> {
    let Some(memory) = named(visit, asked)? else {
        return Ok(absent(visit, asked));
    };
    let tried = Tried::new(verb, asked);
    let cx = visit.here.ruled(visit.cx, &memory.space);
    let after = rollback::place(&cx, &memory.space)?;
    match run(&cx, &memory, &tried)? {
        Came::Done(word, now, mut touched) => {
            touched.extend([memory.id, now.id]);
            let path = format!("/memories/{}", now.handle());
            undo::go(
                visit,
                &path,
                &Deed {
                    word,
                    space: &memory.space,
                    after,
                    touched,
                },
            )
        }
        other => {
            let told = not_done(visit, other)?;
            show(visit, memory, UNPROCESSABLE, &told, &tried)
        }
    }
}

/// Puts other words in its place: a better version, or a correction.
pub fn edit(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "edit", |cx, memory, tried| {
        let draft = match draft(visit, memory, tried) {
            Ok(draft) => draft,
            Err(why) => return Ok(Came::Unread(why)),
        };
        let (spaces, name) = (visit.spaces(), Name::Id(memory.id));
        let (word, how) = match tried.field("how") {
            Some("correction") => ("corrected", Replacement::Correction),
            _ => ("superseded", Replacement::Better),
        };
        let outcome = match memory.status.stage() {
            Stage::Pending => revise::reword(cx, &spaces, name, draft)?,
            _ => revise::supersede(cx, &spaces, name, draft, how)?,
        };
        Ok(Came::kept(word, outcome, memory.id))
    })
}

/// What was typed, as a draft that is to take the place of this memory.
pub fn draft(visit: &Visit<'_>, old: &Memory, tried: &Tried) -> Result<Draft, String> {
    Ok(Draft {
        subject: tried.text("subject"),
        reason: tried.text("reason"),
        tags: tried.tags(),
        citations: tried.places()?,
        ..Draft::new(
            old.space.clone(),
            tried.text("fact").unwrap_or_default(),
            visit.voice(),
        )
    }
    .vouched_if(tried.field("force").is_some(), visit.person()))
}

/// Says that it still holds.
pub fn refresh(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "refresh", |cx, memory, _| {
        Ok(Came::revised(
            "refreshed",
            revise::refresh(cx, &visit.spaces(), Name::Id(memory.id))?,
        ))
    })
}

/// Marks it as wrong.
pub fn invalidate(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "invalidate", |cx, memory, tried| {
        let Some(reason) = tried.text("reason") else {
            return Ok(Came::Unread("say in a sentence why it is wrong".into()));
        };
        let name = Name::Id(memory.id);
        let revised = revise::invalidate_as(cx, &visit.spaces(), name, &reason, &visit.voice())?;
        Ok(Came::revised("invalidated", revised))
    })
}

/// Puts it back to how it stood before it was set aside.
pub fn restore(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "restore", |cx, memory, _| {
        let Some((after, _)) = past::before(visit, memory)? else {
            return Ok(Came::Unread(
                "it was not set aside, so there is nothing to restore".into(),
            ));
        };
        if let Some(twin) = cx.store.get_by_claim(&memory.space, &memory.claim())? {
            let twin = twin.handle();
            return Ok(Came::Unread(format!(
                "{twin} says the same since: edit or decide about {twin}"
            )));
        }
        rollback::take_back(cx, &memory.space, after, &[memory.id], RESTORED)?;
        Ok(Came::Done("restored", Box::new(memory.clone()), Vec::new()))
    })
}

/// Lets it be used, also where it was rejected once.
pub fn approve(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "approve", |cx, memory, _| {
        let by = visit.deciding_person()?;
        let revised = revise::reconsider(cx, by, &visit.spaces(), Name::Id(memory.id))?;
        Ok(with(Came::revised("approved", revised), memory.supersedes))
    })
}

/// The same, with another memory that may have been changed.
fn with(came: Came, also: Option<MemoryId>) -> Came {
    match came {
        Came::Done(word, memory, touched) => {
            Came::Done(word, memory, touched.into_iter().chain(also).collect())
        }
        other => other,
    }
}

/// Turns it away.
pub fn reject(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "reject", |cx, memory, tried| {
        let by = visit.deciding_person()?;
        let reason = tried.text("reason").unwrap_or_default();
        let revised = revise::reject(cx, by, &visit.spaces(), Name::Id(memory.id), &reason)?;
        Ok(Came::revised("rejected", revised))
    })
}

/// Keeps a note for longer.
pub fn promote(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    deed(visit, asked, "promote", |cx, memory, tried| {
        let citations = match tried.places() {
            Ok(places) => places,
            Err(why) => return Ok(Came::Unread(why)),
        };
        let word = |name: &str| tried.field(name).filter(|it| !it.is_empty());
        let promotion = Promotion {
            layer: word("layer").and_then(|it| it.parse().ok()),
            kind: word("kind").and_then(|it| it.parse().ok()),
            subject: tried.text("subject"),
            reason: tried.text("reason"),
            citations,
            ..Promotion::of(Name::Id(memory.id), visit.voice())
        };
        Ok(Came::kept(
            "promoted",
            promoted(cx, &visit.spaces(), promotion)?,
            memory.id,
        ))
    })
}

/// Removes its text everywhere.
pub fn forget(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let Some(memory) = named(visit, asked)? else {
        return Ok(absent(visit, asked));
    };
    let tried = Tried::new("forget", asked);
    let came = match forgotten(visit, &memory, &tried)? {
        Ok(()) => return Ok(undo::tell(visit, "/", "forgotten").changed()),
        Err(came) => came,
    };
    let told = not_done(visit, came)?;
    show(visit, memory, UNPROCESSABLE, &told, &tried)
}

/// What a person said, and what a person decides about, is not erased by anybody else.
pub(super) fn may_forget(visit: &Visit<'_>, memory: &Memory) -> bool {
    !memory.needs_person_to_forget() || visit.voice().is_person()
}

fn forgotten(visit: &Visit<'_>, memory: &Memory, tried: &Tried) -> Result<Result<(), Came>, Fault> {
    if tried.field("sure").is_none() {
        let why = "tick the box first: what is forgotten cannot be brought back";
        return Ok(Err(Came::Unread(why.into())));
    }
    if !may_forget(visit, memory) {
        return Ok(Err(Came::Refused(Refusal::PersonDecides {
            verb: PERSONS_VERB,
        })));
    }
    let reason = tried.text("reason").unwrap_or_default();
    let done = apostille_api::forgotten(visit.cx, visit.here, Name::Id(memory.id), &reason)?;
    Ok(done.map(|_| ()).map_err(Came::Refused))
}
