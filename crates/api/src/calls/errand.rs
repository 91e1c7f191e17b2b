//! One call under way: whose it is, how far it reaches, and what is answered.

use apostille_core::memory::{Channel, Memory, Name, Origin, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::Outcome;
use apostille_core::revise::Revised;
use apostille_core::space::Space;
use apostille_core::verify::{Verified, look};
use apostille_core::{Context, list};
use apostille_text::moderate;
use serde::Serialize;

use super::args::{Arguments, NoArguments, read_body, read_query};
use crate::json::{
    ErrorReply, MemoryView, RefusedReply, RememberReply, RevisedReply, WhenSimilar, views,
};
use crate::pass::Access;
use crate::visit::{Asked, Reply, Visit};
use crate::wire::Malformed;
use crate::{Fault, Here};

/// A call under way.
pub(super) struct Errand<'a> {
    pub(super) visit: &'a Visit<'a>,
    pub(super) asked: &'a Asked,
    /// The spaces in play that the pass reaches; never none, because none would mean all.
    pub(super) spaces: Vec<Space>,
}

impl<'a> Errand<'a> {
    /// Begins a call, and reads its query.
    pub(super) fn begin<Q: Arguments>(
        visit: &'a Visit<'a>,
        asked: &'a Asked,
    ) -> Result<(Self, Q), Fault> {
        let (query, spaces) = (read_query(asked)?, visit.spaces());
        if spaces.is_empty() {
            let why = format!(
                "'{}' reaches nothing of {}",
                visit.pass.name, visit.here.repo
            );
            return Err(Malformed::new("repo", why).into());
        }
        let errand = Self {
            visit,
            asked,
            spaces,
        };
        Ok((errand, query))
    }

    /// Begins a call that takes nothing behind the question mark, and reads its body.
    pub(super) fn begin_with_body<B: Arguments>(
        visit: &'a Visit<'a>,
        asked: &'a Asked,
    ) -> Result<(Self, B), Fault> {
        let (errand, NoArguments {}) = Self::begin(visit, asked)?;
        Ok((errand, read_body(&asked.body)?))
    }

    pub(super) fn here(&self) -> &'a Here<'a> {
        self.visit.here
    }

    /// The store, the code, the rules; whoever has the pass is the one who does it.
    pub(super) fn cx(&self) -> Context<'_> {
        Context {
            beside: &self.spaces,
            actor: Some(&self.visit.pass.name),
            ..*self.visit.cx
        }
    }

    /// The same for what is written into this space.
    pub(super) fn cx_for(&self, space: &Space) -> Context<'_> {
        self.visit.here.ruled(&self.cx(), space)
    }

    /// The repository's space, or the person's, where the pass reaches it.
    pub(super) fn space(&self, is_persons: bool) -> Option<&Space> {
        self.spaces.iter().find(|it| it.is_user() == is_persons)
    }

    pub(super) fn is_review(&self) -> bool {
        self.visit.pass.allows(Access::Review)
    }

    /// A person's voice, from whoever may decide as one.
    pub(super) fn persons_voice(&self) -> Voice {
        let author = Some(self.visit.pass.name.clone());
        Voice {
            author,
            ..Voice::of(Origin::User).via(Channel::Http)
        }
    }

    /// Whose words these are: a person's where a check is to be overridden and the pass allows it.
    pub(super) fn voice(&self, is_forced: bool, tainted: bool) -> Voice {
        let voice = if is_forced && self.is_review() {
            self.persons_voice()
        } else {
            self.visit.voice()
        };
        Voice {
            tainted,
            session: self.here().session.map(Into::into),
            ..voice
        }
    }

    /// The name that stands in the path.
    pub(super) fn name(&self) -> Result<Name, Malformed> {
        self.asked
            .part("name")
            .parse()
            .map_err(|error| Malformed::new("name", error))
    }

    /// The memory that the path names.
    pub(super) fn memory(&self) -> Result<Result<Memory, Refusal>, Fault> {
        let name = self.name()?;
        let found = list::named(&self.cx(), &self.spaces, name)?;
        Ok(found.ok_or_else(|| Refusal::NoSuchMemory {
            name: name.to_string(),
        }))
    }

    /// A memory with how it stands here.
    pub(super) fn looked_up(&self, memory: Memory) -> MemoryView {
        let plain = MemoryView::from(&memory);
        look(&self.cx(), vec![memory])
            .first()
            .map_or(plain, MemoryView::from)
    }

    /// What became of a draft.
    pub(super) fn kept(
        &self,
        word: &'static str,
        outcome: Outcome,
        when: WhenSimilar,
    ) -> Result<Reply, Fault> {
        let outcome = self.with_near_told(outcome)?;
        let status = match &outcome {
            Outcome::Remembered { .. } => 201,
            Outcome::Refreshed { .. } => 200,
            Outcome::Similar { .. } if when == WhenSimilar::Skip => 200,
            Outcome::Similar { .. } => 422,
            Outcome::Refused(refusal) => status_of(refusal),
        };
        let is_change = matches!(
            outcome,
            Outcome::Remembered { .. } | Outcome::Refreshed { .. }
        );
        let view = |it: &Memory| self.looked_up(it.clone());
        let answer = reply(status, &RememberReply::new(word, &outcome, when, view))?;
        Ok(if is_change { answer.changed() } else { answer })
    }

    /// The outcome, with other memories told as they may be told to whoever asks.
    fn with_near_told(&self, mut outcome: Outcome) -> Result<Outcome, Fault> {
        match &mut outcome {
            Outcome::Similar { near } => {
                *near = crate::told_near(&self.cx(), std::mem::take(near))?;
            }
            Outcome::Remembered { superseded, .. } => {
                let near = superseded.take().into_iter().collect();
                *superseded = crate::told_near(&self.cx(), near)?.pop();
            }
            Outcome::Refreshed { .. } | Outcome::Refused(_) => {}
        }
        Ok(outcome)
    }

    /// What became of a memory that something was done to.
    pub(super) fn revised(&self, word: &'static str, revised: Revised) -> Result<Reply, Fault> {
        match revised {
            Revised::Refused(refusal) => refused(&refusal),
            Revised::Done(memory) => {
                let memories: Vec<Verified> = look(&self.cx(), vec![*memory]);
                let done = RevisedReply {
                    ok: true,
                    outcome: word,
                    memories: views(&memories),
                };
                Ok(reply(200, &done)?.changed())
            }
        }
    }
}

/// An answer as JSON. Whoever asked may put it before a model, so nothing hides in it and no secret is told.
pub(super) fn reply(status: u16, answer: &impl Serialize) -> Result<Reply, Fault> {
    let text = moderate::json(serde_json::to_string(answer)?, moderate::told);
    Ok(Reply::of(status, "application/json", text))
}

/// What was turned away. What is not there is not found; everything else is refused.
pub(super) fn refused(refusal: &Refusal) -> Result<Reply, Fault> {
    reply(status_of(refusal), &RefusedReply::from(refusal))
}

fn status_of(refusal: &Refusal) -> u16 {
    match refusal {
        Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } => 404,
        _ => 422,
    }
}

/// What only this face turns away.
pub(super) fn turned_away(class: &'static str, message: impl Into<String>) -> Result<Reply, Fault> {
    reply(422, &RefusedReply::new(class, message.into()))
}

/// What is not there, and is no memory and no task.
pub(super) fn not_found(message: String) -> Result<Reply, Fault> {
    reply(404, &ErrorReply::new(message))
}
