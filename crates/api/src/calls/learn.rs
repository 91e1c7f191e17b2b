//! What a program learns from a conversation that it had with a model, where no client writes transcripts.

use apostille_agents::{
    extract::{applied::find_applied_memories, draft_extracted_statement, extract_statements},
    transcript::{TranscriptTurn, TurnSpeaker},
};
use apostille_core::{
    list,
    memory::{Kind, Memory, MemoryName},
    remember::{RememberOutcome, remember},
    revise::{self, ReviseOutcome},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{ApiCallScope, ApiResult, answer_body, build_done_reply},
    call::ApiCall,
};
use crate::{
    CallFault,
    access_token::Access,
    json::{LearnedReply, MemoryView},
    request_scope::HttpMethod::Post,
    wire::{BoundedList, TextEncoded},
};

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Post, "/api/learn", Access::Write, |scope, asked| answer_body(scope, asked, handle_learn_call))
        .with_description(
            "learn",
            "memories",
            "Learn from a part of a conversation: what the person stated for good is proposed and waits for a person; shown memories that were used are counted",
        )
        .with_body::<LearnBody>(
            r#"{"turns":[{"speaker":"user","text":"From now on, always run the linter before you commit."},{"speaker":"assistant","text":"I will, as m-1 says."}],"shown":["m-1"],"session":"run-7"}"#,
        )
        .with_answer::<LearnedReply>(),
];

/// Who says something in a conversation that a program had: the person, or the model.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ConversationSpeaker {
    User,
    Assistant,
}

/// One thing that was said.
#[derive(Deserialize, JsonSchema)]
struct ConversationTurn {
    speaker: ConversationSpeaker,
    text: String,
}

/// A part of a conversation.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct LearnBody {
    /// What was said, in its order: the person's own words, without what a program put beside them.
    turns: BoundedList<ConversationTurn, 200>,
    /// The memories that the model was shown before it answered.
    shown: BoundedList<TextEncoded<MemoryName>, 200>,
    /// What the conversation is called.
    session: Option<String>,
}

/// Learns from a conversation.
fn handle_learn_call(it: &ApiCallScope, body: LearnBody) -> ApiResult {
    let turns = number_turns(body.turns.0);
    let applied = record_applied_memories(it, &turns, body.shown.into_values())?;
    let proposed = propose_statements(it, &turns, body.session.as_deref().unwrap_or("unnamed"))?;
    let is_change = !applied.is_empty() || !proposed.is_empty();
    let view = |all: Vec<Memory>| -> Vec<MemoryView> {
        all.into_iter()
            .map(|memory| it.view_memory(memory))
            .collect()
    };
    let mut reply = build_done_reply(&LearnedReply {
        ok: true,
        proposed: view(proposed),
        applied: view(applied),
    })?;
    reply.is_change = is_change;
    Ok(reply)
}

fn number_turns(turns: Vec<ConversationTurn>) -> Vec<TranscriptTurn> {
    let turn = |(at, it): (usize, ConversationTurn)| TranscriptTurn {
        number: at + 1,
        at: None,
        speaker: match it.speaker {
            ConversationSpeaker::User => TurnSpeaker::Person,
            ConversationSpeaker::Assistant => TurnSpeaker::Agent,
        },
        text: it.text,
        uses: Vec::new(),
    };
    turns.into_iter().enumerate().map(turn).collect()
}

/// Counts the shown memories that were used. One that was forgotten meanwhile is passed over.
fn record_applied_memories(
    it: &ApiCallScope,
    turns: &[TranscriptTurn],
    shown: Vec<MemoryName>,
) -> Result<Vec<Memory>, CallFault> {
    let cx = it.context();
    let mut known = Vec::new();
    for name in shown {
        known.extend(list::find_named_memory(&cx, &it.spaces, name)?.map(|memory| (memory, 0)));
    }
    let used = find_applied_memories(turns, &known);
    let mut applied = Vec::new();
    for (memory, _) in known
        .into_iter()
        .filter(|(memory, _)| used.contains(&memory.id))
    {
        let cx = it.context_for(&memory.space);
        let done = revise::mark_memory_applied(&cx, &it.spaces, MemoryName::Id(memory.id))?;
        if let ReviseOutcome::Done(memory) = done {
            applied.push(*memory);
        }
    }
    Ok(applied)
}

/// Keeps what the person stated for good, each waiting for a person; what is known, or refused, is let go. What belongs to a
/// person is left out where the token reaches none.
fn propose_statements(
    it: &ApiCallScope,
    turns: &[TranscriptTurn],
    session: &str,
) -> Result<Vec<Memory>, CallFault> {
    let Some(repo) = it.find_space(false) else {
        return Ok(Vec::new());
    };
    let user = it.find_space(true);
    let mut proposed = Vec::new();
    for statement in extract_statements(turns) {
        let draft = draft_extracted_statement(
            &statement,
            repo,
            user.unwrap_or(repo),
            session,
            &it.scope.token.name,
        );
        if user.is_none() && draft.kind == Some(Kind::User) {
            continue;
        }
        let cx = it.context_for(&draft.space.clone());
        if let RememberOutcome::Remembered { memory, .. } = remember(&cx, draft)? {
            proposed.push(*memory);
        }
    }
    Ok(proposed)
}
