//! Verified memory: the ten tools over facts that cite the code which proves them.
//!
//! Memories are hypotheses. What a caller is handed here it verifies before use; what it refreshes is looked up first.

mod citations;
mod input;
mod records;

use apostille_cite::citation::RepoPath;
use apostille_core::list;
use apostille_core::memory::{Draft, Kind, Memory, MemoryName, ReplacementKind};
use apostille_core::policy::Policy;
use apostille_core::refusal::Refusal;
use apostille_core::remember::prove;
use apostille_core::revise;
use apostille_core::space::Space;
use apostille_core::verify::VerifiedMemory;
use apostille_core::verify::VerifyOptions;
use apostille_core::{Context, stats as core_stats};
use serde_json::Value;

use crate::ToolAnswer;
use crate::outcome::{
    choose_duplicate_handling, convert_revise_outcome, invalidate_for_tool, supersede_for_tool,
    write_draft,
};
use apostille_api::wire;
use apostille_api::wire::{ArgumentError, TextEncoded};
use apostille_api::{CallFault, CallPlace};

use citations::{read_pinned_location, verify_pinned_locations};
use input::{
    CitableLocation, InvalidateInput, NamedMemoryInput, PathInput, RecentInput, RepoArgument,
    RepoInput, StoreInput, SupersedeInput, SupersedeKind, VerifyCitationsInput,
};
use records::{FetchedMemoryRecord, StatsRecord, VerifiedToolReply};

/// How many memories one call lists at most.
const MAX_LISTED: usize = 1_000;

pub(super) use input::PinnedLocation;
pub use input::list_verified_tools;

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

/// Calls a tool of this set by its name, and gives its answer as JSON.
pub fn call_verified_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<ToolAnswer, CallFault> {
    let verb = tool
        .strip_prefix("memory_")
        .or_else(|| tool.strip_prefix("memory."))
        .unwrap_or_default();
    let one = || wire::read_arguments(arguments).map(|it: NamedMemoryInput| it.memory_id.0);
    match verb {
        "store" => answer_verified_reply(&store_verified_fact(
            cx,
            here,
            wire::read_arguments(arguments)?,
        )?),
        "get_recent" => answer_fetched_records(
            cx,
            &fetch_recent_records(cx, here, &wire::read_arguments(arguments)?)?,
        ),
        "search_by_path" => {
            let PathInput { path } = wire::read_arguments(arguments)?;
            let records =
                fetch_records_by_path(cx, here, &path.0, &wire::read_arguments(arguments)?)?;
            answer_fetched_records(cx, &records)
        }
        "refresh" => answer_verified_reply(&refresh_verified_memory(cx, here, one()?)?),
        "invalidate" => {
            let InvalidateInput { reason } = wire::read_arguments(arguments)?;
            answer_verified_reply(&VerifiedToolReply::from(&invalidate_for_tool(
                cx,
                here,
                one()?,
                &reason,
            )?))
        }
        "supersede" => answer_verified_reply(&supersede_verified_memory(
            cx,
            here,
            wire::read_arguments(arguments)?,
        )?),
        "log_applied" => {
            let applied = revise::mark_memory_applied(cx, &here.spaces(), one()?);
            answer_verified_reply(&VerifiedToolReply::from(&convert_revise_outcome(
                "applied", applied,
            )?))
        }
        "read_citation" => {
            let place = wire::read_arguments(arguments)?;
            ToolAnswer::new_json(&read_pinned_location(
                cx,
                here,
                &place,
                &wire::read_arguments(arguments)?,
            ))
        }
        "verify_citations" => {
            let VerifyCitationsInput { citations } = wire::read_arguments(arguments)?;
            if citations.0.is_empty() {
                return Err(ArgumentError::new_missing("citations").into());
            }
            let at = wire::read_arguments(arguments)?;
            ToolAnswer::new_json(&verify_pinned_locations(cx, here, &citations.0, &at)?)
        }
        "stats" => ToolAnswer::new_json(&read_repo_stats(
            cx,
            here,
            &wire::read_arguments(arguments)?,
        )?),
        _ => Err(CallFault::no_such_tool(
            tool,
            list_verified_tools().iter().map(|it| it.name),
        )),
    }
}

fn answer_fetched_records(
    cx: &Context<'_>,
    records: &[FetchedMemoryRecord],
) -> Result<ToolAnswer, CallFault> {
    Ok(ToolAnswer::new_json(&records)?.with_note(format_standing_note(cx, records)?))
}

fn answer_verified_reply(reply: &VerifiedToolReply) -> Result<ToolAnswer, CallFault> {
    ToolAnswer::new_reply(reply.ok, reply)
}

fn choose_repo_space<'a>(here: &CallPlace<'a>, repo: Option<&'a RepoArgument>) -> &'a Space {
    repo.map_or(here.repo, |it| &it.0)
}

/// Keeps a fact with the code that proves it. What is known already is refreshed.
fn store_verified_fact(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    input: StoreInput,
) -> Result<VerifiedToolReply, CallFault> {
    let space = choose_repo_space(here, input.repo.as_ref()).clone();
    if let Err(refusal) = check_proof_in_checkout(cx, here, &space, &input.citations.0) {
        return Ok(VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        kind: Some(Kind::Project),
        subject: Some(input.subject),
        reason: input.reason,
        citations: list_citable_locations(&input.citations.0),
        twin: choose_duplicate_handling(input.merge_with.map(|it| it.0), input.rationale),
        ..Draft::new(
            space,
            input.fact,
            here.agent_voice(input.created_by.as_deref()),
        )
    };
    let policy = Policy {
        require_citations: true,
        ..*cx.policy
    };
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    Ok(VerifiedToolReply::from(&write_draft(&cx, draft)?))
}

fn list_citable_locations(
    citations: &[CitableLocation],
) -> Vec<apostille_cite::citation::CodeLocation> {
    let places = citations.iter().map(|it| it.0.to_code_location());
    places.filter_map(Result::ok).collect()
}

/// Proof is read from the caller's own checkout, and where the caller says what it read there, it must be that.
fn check_proof_in_checkout(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    space: &Space,
    citations: &[CitableLocation],
) -> Result<(), Refusal> {
    for CitableLocation(it) in citations {
        let refused = |why: String| Refusal::BadCitation {
            place: it.path.clone(),
            why,
        };
        if space != here.repo {
            return Err(refused(format!(
                "{space} is not checked out here, {} is",
                here.repo
            )));
        }
        let (Some(expected), Ok(place)) = (it.snippet_hash, it.to_code_location()) else {
            continue;
        };
        if prove::capture_citation(cx.source, &place)?.digest != expected.0 {
            return Err(refused(
                "another text stands there than the one with this snippet_hash".into(),
            ));
        }
    }
    Ok(())
}

/// The active memories of a repository, those refreshed last first.
fn fetch_recent_records(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    input: &RecentInput,
) -> Result<Vec<FetchedMemoryRecord>, CallFault> {
    let space = choose_repo_space(here, input.repo.as_ref());
    let memories =
        list::list_recent_memories(cx, std::slice::from_ref(space), resolve_recent_limit(input))?;
    Ok(log_fetched_records(cx, &memories, "the most recent"))
}

/// The active memories that cite a file, or a file below a folder.
fn fetch_records_by_path(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    path: &RepoPath,
    input: &RecentInput,
) -> Result<Vec<FetchedMemoryRecord>, CallFault> {
    let space = choose_repo_space(here, input.repo.as_ref());
    let memories = list::list_citing_memories(
        cx,
        std::slice::from_ref(space),
        path,
        resolve_recent_limit(input),
    )?;
    Ok(log_fetched_records(cx, &memories, &format!("cites {path}")))
}

fn resolve_recent_limit(input: &RecentInput) -> usize {
    input
        .limit
        .map_or(list::RECENT_LIMIT, |it| it.capped_at(MAX_LISTED))
}

/// What is handed out and does not hold in this checkout. The records have the fields that their readers expect and no
/// other, so it is said beside them; where nothing is said, everything was looked up and holds.
fn format_standing_note(
    cx: &Context<'_>,
    records: &[FetchedMemoryRecord],
) -> Result<Option<String>, CallFault> {
    let ids: Vec<_> = records.iter().filter_map(|it| it.id.parse().ok()).collect();
    let looked_up = apostille_core::verify::follow_memory_citations(cx, cx.store.get_by_ids(&ids)?);
    let wrong: Vec<String> = looked_up
        .iter()
        .filter(|it| !it.is_good())
        .map(|it| format!("{} ({})", it.memory.id, it.standing()))
        .collect();
    Ok((!wrong.is_empty()).then(|| {
        let wrong = wrong.join(", ");
        format!("Not to be used, because their citations do not hold in this checkout or could not be looked up: {wrong}")
    }))
}

/// Notes that memories were handed out. A log that cannot be written does not cost the caller the answer.
fn log_fetched_records(
    cx: &Context<'_>,
    memories: &[Memory],
    question: &str,
) -> Vec<FetchedMemoryRecord> {
    let _ = list::log_fetched_memories(cx, memories, question);
    memories.iter().map(FetchedMemoryRecord::from).collect()
}

/// Looks a memory up, and when nothing speaks against it notes that it is still of use.
fn refresh_verified_memory(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
) -> Result<VerifiedToolReply, CallFault> {
    if let Some(found) = verify_active_memory(cx, here, name)?
        && found.is_bad()
    {
        let why = format!(
            "not refreshed: its citations are {}; invalidate or supersede it",
            found.standing()
        );
        return Ok(VerifiedToolReply::new_failure(why));
    }
    let refreshed = revise::refresh_memory(cx, &here.spaces(), name);
    Ok(VerifiedToolReply::from(&convert_revise_outcome(
        "refreshed",
        refreshed,
    )?))
}

/// What is found at the citations of an active memory; an inactive one is not looked up.
fn verify_active_memory(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
) -> Result<Option<VerifiedMemory>, CallFault> {
    let memory = list::find_named_memory(cx, &here.spaces(), name)?;
    let local = memory.filter(|it| it.is_active() && it.space == *here.repo);
    let mut found = apostille_core::verify::verify(
        cx,
        local.into_iter().collect(),
        VerifyOptions::default(),
        |_| (),
    )?;
    Ok(found.memories.pop())
}

/// Replaces a memory by its correction, or by a better version.
fn supersede_verified_memory(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    input: SupersedeInput,
) -> Result<VerifiedToolReply, CallFault> {
    let TextEncoded(name) = input.memory_id;
    let old = list::find_named_memory(cx, &here.spaces(), name)?;
    let space = old.map_or_else(|| here.repo.clone(), |it| it.space);
    if let Err(refusal) = check_proof_in_checkout(cx, here, &space, &input.citations.0) {
        return Ok(VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        subject: input.subject,
        reason: input.reason,
        citations: list_citable_locations(&input.citations.0),
        ..Draft::new(
            space,
            input.fact,
            here.agent_voice(input.created_by.as_deref()),
        )
    };
    let how = match input.how {
        SupersedeKind::Correction => ReplacementKind::Correction,
        SupersedeKind::Better => ReplacementKind::Better,
    };
    let outcome = supersede_for_tool(cx, &here.spaces(), name, draft, how)?;
    Ok(VerifiedToolReply::from(&outcome))
}

/// The figures of a repository.
fn read_repo_stats(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    input: &RepoInput,
) -> Result<StatsRecord, CallFault> {
    Ok(StatsRecord::from(&core_stats::compute_space_stats(
        cx,
        choose_repo_space(here, input.repo.as_ref()),
    )?))
}
