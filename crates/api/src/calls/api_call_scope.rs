//! One call under way: whose it is, how far it reaches, and what is answered.

use apostille_core::memory::{Channel, Memory, MemoryName, Origin, Voice};
use apostille_core::{
    Context, list, refusal::Refusal, remember::RememberOutcome, revise::ReviseOutcome,
    space::Space, verify::follow_memory_citations,
};
use apostille_text::moderate;
use serde::{Serialize, de::DeserializeOwned};

use super::args::{NoArguments, read_body_arguments, read_query_arguments};
use crate::{
    CallFault,
    access_token::Access,
    json::{MemoryView, RefusedReply, RememberReply, RevisedReply, WhenSimilar},
    request_scope::{HttpReply, RequestInput, RequestScope},
    wire::ArgumentError,
};

/// What a call answers.
pub(super) type ApiResult = Result<HttpReply, CallFault>;

/// Answers a call that takes this behind the question mark.
pub(super) fn answer_query<Q: DeserializeOwned>(
    scope: &RequestScope,
    asked: &RequestInput,
    handle: fn(&ApiCallScope, Q) -> ApiResult,
) -> ApiResult {
    let query = read_query_arguments(&asked.query)?;
    handle(&ApiCallScope::begin(scope, asked)?, query)
}

/// Answers a call that takes nothing behind the question mark, and this as its body.
pub(super) fn answer_body<B: DeserializeOwned>(
    scope: &RequestScope,
    asked: &RequestInput,
    handle: fn(&ApiCallScope, B) -> ApiResult,
) -> ApiResult {
    let NoArguments {} = read_query_arguments(&asked.query)?;
    let call = ApiCallScope::begin(scope, asked)?;
    handle(&call, read_body_arguments(&asked.body)?)
}

/// A call under way.
pub(super) struct ApiCallScope<'a> {
    pub(super) scope: &'a RequestScope<'a>,
    pub(super) asked: &'a RequestInput,
    /// The spaces in play that the token reaches; never none, because none would mean all.
    pub(super) spaces: Vec<Space>,
}

impl<'a> ApiCallScope<'a> {
    /// Begins a call, where the token reaches something.
    fn begin(scope: &'a RequestScope<'a>, asked: &'a RequestInput) -> Result<Self, ArgumentError> {
        let spaces = scope.reachable_spaces();
        if spaces.is_empty() {
            let (name, repo) = (&scope.token.name, scope.caller.repo);
            let why = format!("'{name}' reaches nothing of {repo}");
            return Err(ArgumentError::new("repo", why));
        }
        Ok(Self {
            scope,
            asked,
            spaces,
        })
    }

    /// The store, the code, the rules; whoever has the token is the one who does it.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            other_spaces: &self.spaces,
            actor: Some(&self.scope.token.name),
            ..*self.scope.cx
        }
    }

    /// The same for what is written into this space.
    pub(super) fn context_for(&self, space: &Space) -> Context<'_> {
        self.scope.caller.context_for_space(&self.context(), space)
    }

    /// The repository's space, or the person's, where the token reaches it.
    pub(super) fn find_space(&self, is_persons: bool) -> Option<&Space> {
        self.spaces.iter().find(|it| it.is_user() == is_persons)
    }

    pub(super) fn can_review(&self) -> bool {
        self.scope.token.allows_access(Access::Review)
    }

    /// A person's voice, from whoever may decide as one.
    pub(super) fn persons_voice(&self) -> Voice {
        let author = Some(self.scope.token.name.clone());
        Voice {
            author,
            ..Voice::from_origin(Origin::User).with_channel(Channel::Http)
        }
    }

    /// Whose words these are: a person's where a check is to be overridden and the token allows it.
    pub(super) fn choose_voice(&self, is_forced: bool, tainted: bool) -> Voice {
        let voice = if is_forced && self.can_review() {
            self.persons_voice()
        } else {
            self.scope.voice()
        };
        Voice {
            tainted,
            session: self.scope.caller.session.map(Into::into),
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
        Ok(list::find_named_or_refuse(
            &self.context(),
            &self.spaces,
            name,
        )?)
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
        mut outcome: RememberOutcome,
        when: WhenSimilar,
    ) -> ApiResult {
        // Other memories are told as they may be told to whoever asks.
        let cx = self.context();
        match &mut outcome {
            RememberOutcome::Similar { near } => {
                *near = crate::withhold_stale_neighbours(&cx, std::mem::take(near))?;
            }
            RememberOutcome::Remembered { superseded, .. } => {
                let near = superseded.take().into_iter().collect();
                *superseded = crate::withhold_stale_neighbours(&cx, near)?.pop();
            }
            RememberOutcome::Refreshed { .. } | RememberOutcome::Refused(_) => {}
        }
        let (status, is_change) = match &outcome {
            RememberOutcome::Remembered { .. } => (201, true),
            RememberOutcome::Refreshed { .. } => (200, true),
            RememberOutcome::Similar { .. } if when == WhenSimilar::Skip => (200, false),
            RememberOutcome::Similar { .. } => (422, false),
            RememberOutcome::Refused(refusal) => (choose_refusal_status(refusal), false),
        };
        let view = |it: &Memory| self.view_memory(it.clone());
        let reply = RememberReply::new(word, &outcome, when, view);
        Ok(HttpReply {
            is_change,
            ..build_api_reply(status, &reply)?
        })
    }

    /// What became of a memory that something was done to.
    pub(super) fn reply_to_revision(
        &self,
        word: &'static str,
        revised: ReviseOutcome,
    ) -> ApiResult {
        match revised {
            ReviseOutcome::Refused(refusal) => build_refusal_reply(&refusal),
            ReviseOutcome::Done(memory) => {
                let done = RevisedReply {
                    ok: true,
                    outcome: word,
                    memories: vec![self.view_memory(*memory)],
                };
                Ok(build_done_reply(&done)?.mark_changed())
            }
        }
    }
}

/// An answer as JSON. Whoever asked may put it before a model, so nothing hides in it and no secret is told.
pub(super) fn build_api_reply(status: u16, answer: &impl Serialize) -> ApiResult {
    let text = moderate::clean_json_texts(
        serde_json::to_string(answer)?,
        moderate::clean_code_unless_secret,
    );
    Ok(HttpReply::new(status, "application/json", text))
}

/// An answer to what was done, or found.
pub(super) fn build_done_reply(answer: &impl Serialize) -> ApiResult {
    build_api_reply(200, answer)
}

/// What was turned away. What is not there is not found; everything else is refused.
pub(super) fn build_refusal_reply(refusal: &Refusal) -> ApiResult {
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
) -> ApiResult {
    build_api_reply(422, &RefusedReply::new(class, message.into()))
}
