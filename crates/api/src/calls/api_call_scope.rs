//! One call under way: whose it is, how far it reaches, and what is answered.

use apostille_core::memory::{Channel, Memory, MemoryName, Origin, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::RememberOutcome;
use apostille_core::revise::ReviseOutcome;
use apostille_core::space::Space;
use apostille_core::verify::{VerifiedMemory, follow_memory_citations};
use apostille_core::{Context, list};
use apostille_text::moderate;
use serde::Serialize;

use super::args::{Arguments, NoArguments, read_body_arguments, read_query_arguments};
use crate::access_token::Access;
use crate::json::{
    ErrorReply, MemoryView, RefusedReply, RememberReply, RevisedReply, WhenSimilar,
    build_memory_views,
};
use crate::request_scope::{HttpReply, RequestInput, RequestScope};
use crate::wire::ArgumentError;
use crate::{CallFault, CallPlace};

/// A call under way.
pub(super) struct ApiCallScope<'a> {
    pub(super) visit: &'a RequestScope<'a>,
    pub(super) asked: &'a RequestInput,
    /// The spaces in play that the pass reaches; never none, because none would mean all.
    pub(super) spaces: Vec<Space>,
}

impl<'a> ApiCallScope<'a> {
    /// Begins a call, and reads its query.
    pub(super) fn begin_with_query<Q: Arguments>(
        visit: &'a RequestScope<'a>,
        asked: &'a RequestInput,
    ) -> Result<(Self, Q), CallFault> {
        let (query, spaces) = (read_query_arguments(asked)?, visit.reachable_spaces());
        if spaces.is_empty() {
            let why = format!(
                "'{}' reaches nothing of {}",
                visit.pass.name, visit.here.repo
            );
            return Err(ArgumentError::new("repo", why).into());
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
        visit: &'a RequestScope<'a>,
        asked: &'a RequestInput,
    ) -> Result<(Self, B), CallFault> {
        let (errand, NoArguments {}) = Self::begin_with_query(visit, asked)?;
        Ok((errand, read_body_arguments(&asked.body)?))
    }

    pub(super) fn call_place(&self) -> &'a CallPlace<'a> {
        self.visit.here
    }

    /// The store, the code, the rules; whoever has the pass is the one who does it.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            beside: &self.spaces,
            actor: Some(&self.visit.pass.name),
            ..*self.visit.cx
        }
    }

    /// The same for what is written into this space.
    pub(super) fn context_for(&self, space: &Space) -> Context<'_> {
        self.visit.here.context_for_space(&self.context(), space)
    }

    /// The repository's space, or the person's, where the pass reaches it.
    pub(super) fn find_space(&self, is_persons: bool) -> Option<&Space> {
        self.spaces.iter().find(|it| it.is_user() == is_persons)
    }

    pub(super) fn can_review(&self) -> bool {
        self.visit.pass.allows_access(Access::Review)
    }

    /// A person's voice, from whoever may decide as one.
    pub(super) fn persons_voice(&self) -> Voice {
        let author = Some(self.visit.pass.name.clone());
        Voice {
            author,
            ..Voice::from_origin(Origin::User).with_channel(Channel::Http)
        }
    }

    /// Whose words these are: a person's where a check is to be overridden and the pass allows it.
    pub(super) fn choose_voice(&self, is_forced: bool, tainted: bool) -> Voice {
        let voice = if is_forced && self.can_review() {
            self.persons_voice()
        } else {
            self.visit.voice()
        };
        Voice {
            tainted,
            session: self.call_place().session.map(Into::into),
            ..voice
        }
    }

    /// The name that stands in the path.
    pub(super) fn memory_name(&self) -> Result<MemoryName, ArgumentError> {
        self.asked
            .path_part("name")
            .parse()
            .map_err(|error| ArgumentError::new("name", error))
    }

    /// The memory that the path names.
    pub(super) fn find_memory(&self) -> Result<Result<Memory, Refusal>, CallFault> {
        let name = self.memory_name()?;
        let found = list::find_named_memory(&self.context(), &self.spaces, name)?;
        Ok(found.ok_or_else(|| Refusal::NoSuchMemory {
            name: name.to_string(),
        }))
    }

    /// A memory with how it stands here.
    pub(super) fn view_memory(&self, memory: Memory) -> MemoryView {
        let plain = MemoryView::from(&memory);
        follow_memory_citations(&self.context(), vec![memory])
            .first()
            .map_or(plain, MemoryView::from)
    }

    /// What became of a draft.
    pub(super) fn reply_to_draft(
        &self,
        word: &'static str,
        outcome: RememberOutcome,
        when: WhenSimilar,
    ) -> Result<HttpReply, CallFault> {
        let outcome = self.withhold_stale_in_outcome(outcome)?;
        let status = match &outcome {
            RememberOutcome::Remembered { .. } => 201,
            RememberOutcome::Refreshed { .. } => 200,
            RememberOutcome::Similar { .. } if when == WhenSimilar::Skip => 200,
            RememberOutcome::Similar { .. } => 422,
            RememberOutcome::Refused(refusal) => choose_refusal_status(refusal),
        };
        let is_change = matches!(
            outcome,
            RememberOutcome::Remembered { .. } | RememberOutcome::Refreshed { .. }
        );
        let view = |it: &Memory| self.view_memory(it.clone());
        let answer = build_api_reply(status, &RememberReply::new(word, &outcome, when, view))?;
        Ok(if is_change {
            answer.mark_changed()
        } else {
            answer
        })
    }

    /// The outcome, with other memories told as they may be told to whoever asks.
    fn withhold_stale_in_outcome(
        &self,
        mut outcome: RememberOutcome,
    ) -> Result<RememberOutcome, CallFault> {
        match &mut outcome {
            RememberOutcome::Similar { near } => {
                *near = crate::withhold_stale_neighbours(&self.context(), std::mem::take(near))?;
            }
            RememberOutcome::Remembered { superseded, .. } => {
                let near = superseded.take().into_iter().collect();
                *superseded = crate::withhold_stale_neighbours(&self.context(), near)?.pop();
            }
            RememberOutcome::Refreshed { .. } | RememberOutcome::Refused(_) => {}
        }
        Ok(outcome)
    }

    /// What became of a memory that something was done to.
    pub(super) fn reply_to_revision(
        &self,
        word: &'static str,
        revised: ReviseOutcome,
    ) -> Result<HttpReply, CallFault> {
        match revised {
            ReviseOutcome::Refused(refusal) => build_refusal_reply(&refusal),
            ReviseOutcome::Done(memory) => {
                let memories: Vec<VerifiedMemory> =
                    follow_memory_citations(&self.context(), vec![*memory]);
                let done = RevisedReply {
                    ok: true,
                    outcome: word,
                    memories: build_memory_views(&memories),
                };
                Ok(build_api_reply(200, &done)?.mark_changed())
            }
        }
    }
}

/// An answer as JSON. Whoever asked may put it before a model, so nothing hides in it and no secret is told.
pub(super) fn build_api_reply(
    status: u16,
    answer: &impl Serialize,
) -> Result<HttpReply, CallFault> {
    let text = moderate::clean_json_texts(
        serde_json::to_string(answer)?,
        moderate::clean_code_unless_secret,
    );
    Ok(HttpReply::new(status, "application/json", text))
}

/// What was turned away. What is not there is not found; everything else is refused.
pub(super) fn build_refusal_reply(refusal: &Refusal) -> Result<HttpReply, CallFault> {
    build_api_reply(choose_refusal_status(refusal), &RefusedReply::from(refusal))
}

fn choose_refusal_status(refusal: &Refusal) -> u16 {
    match refusal {
        Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } => 404,
        _ => 422,
    }
}

/// What only this face turns away.
pub(super) fn build_custom_refusal_reply(
    class: &'static str,
    message: impl Into<String>,
) -> Result<HttpReply, CallFault> {
    build_api_reply(422, &RefusedReply::new(class, message.into()))
}

/// What is not there, and is no memory and no task.
pub(super) fn build_not_found_reply(message: String) -> Result<HttpReply, CallFault> {
    build_api_reply(404, &ErrorReply::new(message))
}
