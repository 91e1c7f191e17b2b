//! Memories that are there are corrected, replaced, called fresh, marked as wrong, promoted.

use apostille_core::memory::{Draft, Kind, Layer, MemoryName, ReplacementKind};
use apostille_core::{
    Context, CoreError,
    promote::{Promotion, promote as core_promote},
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{ApiCallScope, ApiResult, answer_body, build_refusal_reply},
    args::NoArguments,
    call::ApiCall,
};
use crate::{
    access_token::Access,
    json::{KeptReply, RevisedReply, WhenSimilar},
    request_scope::HttpMethod::Post,
    wire::{BoundedList, CitationTexts, TextEncoded},
};

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    // Replaces a memory by a better one.
    ApiCall::new(
    Post,
    "/api/memories/{name}/supersede",
    Access::Write,
    |scope, asked| {
        answer_body(scope, asked, |it, body| {
            replace_memory_in_path(it, body, ReplacementKind::Better)
        })
    },
)
.with_description(
    "supersede",
    "revise",
    "Replace a memory by a better one; the old one stays in the history",
)
.with_body::<ReplaceBody>(
    r#"{"fact":"API_VERSION is \"v3\" in src/api.rs","citations":["src/api.rs:3"]}"#,
)
.with_kept_answer::<KeptReply>(),
    // Replaces a memory that was wrong.
    ApiCall::new(
    Post,
    "/api/memories/{name}/correct",
    Access::Write,
    |scope, asked| {
        answer_body(scope, asked, |it, body| {
            replace_memory_in_path(it, body, ReplacementKind::Correction)
        })
    },
)
.with_description(
    "correct",
    "revise",
    "Replace a memory that is wrong by what is so",
)
.with_body::<ReplaceBody>(r#"{"fact":"retries is 5","citations":["src/old.rs:1"]}"#)
.with_kept_answer::<KeptReply>(),
    ApiCall::new(
    Post,
    "/api/memories/{name}/refresh",
    Access::Write,
    |scope, asked| answer_body(scope, asked, handle_refresh_call),
)
.with_description(
    "refresh",
    "revise",
    "Say that a memory still holds and is of use; refused where its code speaks against it here",
)
.with_body::<NoArguments>("{}")
.with_answer::<RevisedReply>()
.with_refusals(),
    ApiCall::new(
    Post,
    "/api/memories/{name}/confirm",
    Access::Write,
    |scope, asked| answer_body(scope, asked, |it, body: ConfirmBody| {
            revise_memory_in_path(it, "confirmed", |cx, name| {
                let by = it.scope.voice();
                revise::confirm_memory(cx, &it.spaces, name, &body.citations.0, &by)
            })
        }),
)
.with_description(
    "confirm",
    "revise",
    "Say that a memory is still true in edited code: it cites the lines as they are now, which have to say it",
)
.with_body::<ConfirmBody>(r#"{"citations":["src/old.rs:1"]}"#)
.with_answer::<RevisedReply>()
.with_refusals(),
    ApiCall::new(
    Post,
    "/api/memories/{name}/invalidate",
    Access::Write,
    |scope, asked| answer_body(scope, asked, |it, body: InvalidateBody| {
            revise_memory_in_path(it, "invalidated", |cx, name| {
                let by = it.scope.speaker();
                revise::invalidate_memory(cx, by, &it.spaces, name, &body.reason)
            })
        }),
)
.with_description(
    "invalidate",
    "revise",
    "Mark a memory as wrong; it stays in the history",
)
.with_body::<InvalidateBody>(r#"{"reason":"it is five"}"#)
.with_answer::<RevisedReply>()
.with_refusals(),
    ApiCall::new(
    Post,
    "/api/memories/{name}/apply",
    Access::Write,
    |scope, asked| answer_body(scope, asked, |it, _: NoArguments| {
            revise_memory_in_path(it, "applied", |cx, name| {
                revise::mark_memory_applied(cx, &it.spaces, name)
            })
        }),
)
.with_description("apply", "revise", "Say that a memory was used in a task")
.with_body::<NoArguments>("{}")
.with_answer::<RevisedReply>()
.with_refusals(),
    ApiCall::new(
    Post,
    "/api/memories/{name}/promote",
    Access::Write,
    |scope, asked| answer_body(scope, asked, handle_promote_call),
)
.with_description(
    "promote",
    "revise",
    "Make scratch an episode, or a note knowledge",
)
.with_body::<PromoteBody>(r#"{"subject":"cache","reason":"it costs a minute","kind":"feedback"}"#)
.with_kept_answer::<KeptReply>(),
];

/// What takes the place of a memory.
#[derive(Deserialize, JsonSchema)]
struct ReplaceBody {
    /// What is so instead.
    #[schemars(length(min = 1))]
    fact: String,
    /// The old places that still hold, unless said.
    #[serde(default)]
    citations: CitationTexts,
    kind: Option<TextEncoded<Kind>>,
    subject: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    tags: BoundedList<String, 100>,
    /// A person's word that overrides a check; for passes that review.
    #[serde(default)]
    force: bool,
    /// The words come from outside.
    #[serde(default)]
    tainted: bool,
}

fn replace_memory_in_path(it: &ApiCallScope, body: ReplaceBody, how: ReplacementKind) -> ApiResult {
    let old = match it.find_memory()? {
        Ok(old) => old,
        Err(refusal) => return build_refusal_reply(&refusal),
    };
    let voice = it.choose_voice(body.force, body.tainted);
    let draft = Draft {
        kind: body.kind.map(|it| it.0),
        citations: body.citations.0,
        tags: body.tags.0,
        subject: body.subject,
        reason: body.reason,
        ..Draft::new(old.space.clone(), body.fact, voice)
    }
    .with_vouching(body.force, it.scope.person());
    let outcome = revise::supersede_memory(
        &it.context_for(&old.space),
        it.scope.speaker(),
        &it.spaces,
        MemoryName::Id(old.id),
        draft,
        how,
    )?;
    it.reply_to_draft("remembered", outcome, WhenSimilar::Choose)
}

/// Says that a memory still holds; the verb refuses where it does not.
fn handle_refresh_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
    revise_memory_in_path(it, "refreshed", |cx, name| {
        revise::refresh_memory(cx, &it.spaces, name)
    })
}

/// Where a memory is proved now.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ConfirmBody {
    /// The lines that prove it; those that its lines became, unless said.
    citations: CitationTexts,
}

/// Why a memory is wrong.
#[derive(Deserialize, JsonSchema)]
struct InvalidateBody {
    #[schemars(length(min = 1))]
    reason: String,
}

/// Does something to the memory that the path names.
pub(super) fn revise_memory_in_path(
    it: &ApiCallScope,
    word: &'static str,
    revise: impl FnOnce(&Context, MemoryName) -> Result<ReviseOutcome, CoreError>,
) -> ApiResult {
    let revised = match it.find_memory()? {
        Ok(memory) => revise(&it.context_for(&memory.space), MemoryName::Id(memory.id))?,
        Err(refusal) => ReviseOutcome::Refused(refusal),
    };
    it.reply_to_revision(word, revised)
}

/// What a note becomes.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct PromoteBody {
    /// The next one unless said.
    layer: Option<TextEncoded<Layer>>,
    kind: Option<TextEncoded<Kind>>,
    subject: Option<String>,
    /// It in better words.
    fact: Option<String>,
    reason: Option<String>,
    citations: CitationTexts,
    task: Option<String>,
}

/// Promotes a note.
fn handle_promote_call(it: &ApiCallScope, body: PromoteBody) -> ApiResult {
    let promotion = Promotion {
        layer: body.layer.map(|it| it.0),
        kind: body.kind.map(|it| it.0),
        subject: body.subject,
        fact: body.fact,
        reason: body.reason,
        citations: body.citations.0,
        task: body.task,
        ..Promotion::new(it.memory_name()?, it.scope.voice())
    };
    let outcome = match it.find_memory()? {
        Ok(note) => core_promote(&it.context_for(&note.space), &it.spaces, promotion)?,
        Err(refusal) => RememberOutcome::Refused(refusal),
    };
    it.reply_to_draft("promoted", outcome, WhenSimilar::Choose)
}
