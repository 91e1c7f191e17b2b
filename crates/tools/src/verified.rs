//! Verified memory: the ten tools over facts that cite the code which proves them.
//!
//! Memories are hypotheses. What a caller is handed here it verifies before use; what it refreshes is looked up first.

mod citations;
mod input;
mod records;

use apostille_cite::citation::CodeLocation;
use apostille_core::memory::{Draft, Kind, Memory, MemoryName, ReplacementKind};
use apostille_core::policy::Policy;
use apostille_core::refusal::Refusal;
use apostille_core::remember::prove;
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::space::Space;
use apostille_core::stats::compute_space_stats;
use apostille_core::verify::{VerifyOptions, follow_memory_citations, verify};
use apostille_core::{Context, CoreError, list};

use crate::ToolAnswer;
use crate::outcome::{
    choose_duplicate_handling, convert_revise_outcome, invalidate_for_tool, supersede_for_tool,
    write_draft,
};
use crate::tool::{ToolCall, ToolResult};
use apostille_api::wire::{ArgumentError, TextEncoded};
use apostille_api::{CallFault, CallPlace};

use citations::{read_pinned_location, verify_pinned_locations};
use input::{
    CitableLocation, InvalidateInput, NamedMemoryInput, PathInput, RecentInput, RepoArgument,
    RepoInput, StoreInput, SupersedeInput, SupersedeKind,
};
use records::{FetchedMemoryRecord, StatsRecord, VerifiedToolReply};

/// How many memories one call lists at most.
const MAX_LISTED: usize = 1_000;

pub(super) use input::PinnedLocation;
pub(super) use input::list_verified_tools;

/// What a model is told about them.
pub const GUIDANCE: &str = "\
## MEMORY RULES
1. Treat memories as hypotheses, not truth.
2. Before using ANY memory:
   - Read EVERY cited code location using memory_read_citation
   - Verify the code still matches the memory's fact
   - If ANY citation is missing, outdated, or contradicts:
     - Do NOT use the memory
     - Either memory_invalidate or memory_supersede with correction
3. If memory is valid and useful:
   - Call memory_refresh to update timestamp
   - This keeps useful memories ranked higher
4. When to store memories:
   - Only store DURABLE conventions or invariants
   - Examples: sync rules, naming conventions, required multi-file edits
   - Do NOT store: temporary workarounds, TODOs, one-time fixes
5. After applying a memory:
   - Call memory_log_applied for telemetry
";

fn answer_verified_reply(reply: &VerifiedToolReply) -> ToolResult {
    ToolAnswer::new_reply(reply.ok, reply)
}

fn choose_repo_space<'a>(here: &CallPlace<'a>, repo: Option<&'a RepoArgument>) -> &'a Space {
    repo.map_or(here.repo, |it| &it.0)
}

/// Keeps a fact with the code that proves it. What is known already is refreshed.
fn store_verified_fact(call: &ToolCall<'_>) -> ToolResult {
    let input: StoreInput = call.read_input()?;
    let space = choose_repo_space(call.here, input.repo.as_ref());
    if let Err(refusal) = check_proof_in_checkout(call, space, &input.citations.0) {
        return answer_verified_reply(&VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        kind: Some(Kind::Project),
        subject: Some(input.subject),
        reason: input.reason,
        citations: list_cited_places(&input.citations.0),
        twin: choose_duplicate_handling(input.merge_with.map(|it| it.0), input.rationale),
        ..Draft::new(
            space.clone(),
            input.fact,
            call.here.agent_voice(input.created_by.as_deref()),
        )
    };
    let policy = Policy {
        require_citations: true,
        ..*call.policy
    };
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    answer_verified_reply(&VerifiedToolReply::from(&write_draft(&cx, draft)?))
}

fn list_cited_places(citations: &[CitableLocation]) -> Vec<CodeLocation> {
    citations.iter().map(|it| it.place.clone()).collect()
}

/// Proof is read from the caller's own checkout, and where the caller says what it read there, it must be that.
fn check_proof_in_checkout(
    call: &ToolCall<'_>,
    space: &Space,
    citations: &[CitableLocation],
) -> Result<(), Refusal> {
    for CitableLocation { pinned, place } in citations {
        let refused = |why: String| Refusal::BadCitation {
            place: pinned.path.clone(),
            why,
        };
        let repo = call.here.repo;
        if space != repo {
            return Err(refused(format!(
                "{space} is not checked out here, {repo} is"
            )));
        }
        if let Some(expected) = pinned.snippet_hash
            && prove::capture_citation(call.source, place)?.digest != expected.0
        {
            return Err(refused(
                "another text stands there than the one with this snippet_hash".into(),
            ));
        }
    }
    Ok(())
}

/// The active memories of a repository, those refreshed last first.
fn fetch_recent_records(call: &ToolCall<'_>) -> ToolResult {
    answer_fetched_records(call, "the most recent", |space, limit| {
        list::list_recent_memories(call, space, limit)
    })
}

/// The active memories that cite a file, or a file below a folder.
fn fetch_records_by_path(call: &ToolCall<'_>) -> ToolResult {
    let PathInput {
        path: TextEncoded(path),
    } = call.read_input()?;
    answer_fetched_records(call, &format!("cites {path}"), |space, limit| {
        list::list_citing_memories(call, space, &path, limit)
    })
}

/// Hands memories out, and notes that. A log that cannot be written does not cost the caller the answer.
fn answer_fetched_records(
    call: &ToolCall<'_>,
    question: &str,
    find: impl FnOnce(&[Space], usize) -> Result<Vec<Memory>, CoreError>,
) -> ToolResult {
    let input: RecentInput = call.read_input()?;
    let limit = input
        .limit
        .map_or(list::RECENT_LIMIT, |it| it.capped_at(MAX_LISTED));
    let space = choose_repo_space(call.here, input.repo.as_ref());
    let memories = find(std::slice::from_ref(space), limit)?;
    let _ = list::log_fetched_memories(call, &memories, question);
    let records: Vec<_> = memories.iter().map(FetchedMemoryRecord::from).collect();
    Ok(ToolAnswer::new_json(&records)?.with_note(format_standing_note(call, &memories)?))
}

/// What is handed out and does not hold in this checkout. The records have the fields that their readers expect and no
/// other, so it is said beside them; where nothing is said, everything was looked up and holds.
fn format_standing_note(
    cx: &Context<'_>,
    memories: &[Memory],
) -> Result<Option<String>, CallFault> {
    let ids: Vec<_> = memories.iter().map(|it| it.id).collect();
    let wrong: Vec<String> = follow_memory_citations(cx, cx.store.get_by_ids(&ids)?)
        .iter()
        .filter(|it| !it.is_good())
        .map(|it| format!("{} ({})", it.memory.id, it.standing()))
        .collect();
    Ok((!wrong.is_empty()).then(|| {
        let wrong = wrong.join(", ");
        format!("Not to be used, because their citations do not hold in this checkout or could not be looked up: {wrong}")
    }))
}

fn read_memory_name(call: &ToolCall<'_>) -> Result<MemoryName, ArgumentError> {
    Ok(call.read_input::<NamedMemoryInput>()?.memory_id.0)
}

/// Looks a memory up, and when nothing speaks against it notes that it is still of use.
fn refresh_verified_memory(call: &ToolCall<'_>) -> ToolResult {
    let name = read_memory_name(call)?;
    let memory = list::find_named_memory(call, &call.spaces(), name)?;
    // An inactive memory is not looked up.
    let local = memory.filter(|it| it.is_active() && it.space == *call.here.repo);
    let local = local.into_iter().collect();
    let found = verify(call, local, VerifyOptions::default(), |_| ())?;
    if let Some(found) = found.memories.iter().find(|it| it.is_bad()) {
        let why = format!(
            "not refreshed: its citations are {}; invalidate or supersede it",
            found.standing()
        );
        return answer_verified_reply(&VerifiedToolReply::new_failure(why));
    }
    answer_revise_outcome(
        "refreshed",
        revise::refresh_memory(call, &call.spaces(), name),
    )
}

/// Notes that a memory was of use.
fn log_applied_memory(call: &ToolCall<'_>) -> ToolResult {
    let name = read_memory_name(call)?;
    answer_revise_outcome(
        "applied",
        revise::mark_memory_applied(call, &call.spaces(), name),
    )
}

fn answer_revise_outcome(
    word: &'static str,
    revised: Result<ReviseOutcome, CoreError>,
) -> ToolResult {
    answer_verified_reply(&VerifiedToolReply::from(&convert_revise_outcome(
        word, revised,
    )?))
}

/// Marks a memory as wrong.
fn invalidate_verified_memory(call: &ToolCall<'_>) -> ToolResult {
    let InvalidateInput { reason } = call.read_input()?;
    let outcome = invalidate_for_tool(call, read_memory_name(call)?, &reason)?;
    answer_verified_reply(&VerifiedToolReply::from(&outcome))
}

/// Replaces a memory by its correction, or by a better version.
fn supersede_verified_memory(call: &ToolCall<'_>) -> ToolResult {
    let input: SupersedeInput = call.read_input()?;
    let TextEncoded(name) = input.memory_id;
    let old = list::find_named_memory(call, &call.spaces(), name)?;
    let space = old.map_or_else(|| call.here.repo.clone(), |it| it.space);
    if let Err(refusal) = check_proof_in_checkout(call, &space, &input.citations.0) {
        return answer_verified_reply(&VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        subject: input.subject,
        reason: input.reason,
        citations: list_cited_places(&input.citations.0),
        ..Draft::new(
            space,
            input.fact,
            call.here.agent_voice(input.created_by.as_deref()),
        )
    };
    let how = match input.how {
        SupersedeKind::Correction => ReplacementKind::Correction,
        SupersedeKind::Better => ReplacementKind::Better,
    };
    let outcome = supersede_for_tool(call, &call.spaces(), name, draft, how)?;
    answer_verified_reply(&VerifiedToolReply::from(&outcome))
}

/// The figures of a repository.
fn read_repo_stats(call: &ToolCall<'_>) -> ToolResult {
    let RepoInput { repo } = call.read_input()?;
    let space = choose_repo_space(call.here, repo.as_ref());
    ToolAnswer::new_json(&StatsRecord::from(&compute_space_stats(call, space)?))
}
