//! Verified memory: the ten tools over facts that cite the code which proves them.
//!
//! Memories are hypotheses. What a caller is handed here it verifies before use; what it refreshes is looked up first.

mod citations;
mod input;
mod records;

use apostille_cite::citation::RepoPath;
use apostille_core::list;
use apostille_core::memory::{Draft, Kind, Memory, Name, Replacement};
use apostille_core::policy::Policy;
use apostille_core::refusal::Refusal;
use apostille_core::remember::cite;
use apostille_core::revise;
use apostille_core::space::Space;
use apostille_core::verify::Orders;
use apostille_core::verify::Verified;
use apostille_core::{Context, stats as core_stats};
use serde_json::Value;

use crate::Answer;
use crate::outcome::{
    choose_twin, invalidate_memory, revise_outcome, supersede_memory, write_draft,
};
use apostille_api::wire;
use apostille_api::wire::{Malformed, Parsed};
use apostille_api::{Fault, Here};

use citations::{read_citation, verify_citations};
use input::{
    Citable, Cited, Contradiction, How, InRepo, OneMemory, Recent, RepoName, StoreInput,
    SupersedeInput, VerifyInput,
};
use records::{MemoryRecord, Reply, StatsRecord};

/// How many memories one call lists at most.
const MAX_LISTED: usize = 1_000;

pub(super) use input::Pinned;
pub use input::tools;

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
pub fn call(
    cx: &Context<'_>,
    here: &Here<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<Answer, Fault> {
    let verb = tool
        .strip_prefix("memory_")
        .or_else(|| tool.strip_prefix("memory."))
        .unwrap_or_default();
    let one = || wire::read(arguments).map(|it: OneMemory| it.memory_id.0);
    match verb {
        "store" => told(&store(cx, here, wire::read(arguments)?)?),
        "get_recent" => handed_out(cx, &get_recent(cx, here, &wire::read(arguments)?)?),
        "search_by_path" => {
            let Cited { path } = wire::read(arguments)?;
            let records = search_by_path(cx, here, &path.0, &wire::read(arguments)?)?;
            handed_out(cx, &records)
        }
        "refresh" => told(&refresh(cx, here, one()?)?),
        "invalidate" => {
            let Contradiction { reason } = wire::read(arguments)?;
            told(&Reply::from(&invalidate_memory(cx, here, one()?, &reason)?))
        }
        "supersede" => told(&supersede(cx, here, wire::read(arguments)?)?),
        "log_applied" => {
            let applied = revise::apply(cx, &here.spaces(), one()?);
            told(&Reply::from(&revise_outcome("applied", applied)?))
        }
        "read_citation" => {
            let place = wire::read(arguments)?;
            Answer::json(&read_citation(cx, here, &place, &wire::read(arguments)?))
        }
        "verify_citations" => {
            let VerifyInput { citations } = wire::read(arguments)?;
            if citations.0.is_empty() {
                return Err(Malformed::missing("citations").into());
            }
            let at = wire::read(arguments)?;
            Answer::json(&verify_citations(cx, here, &citations.0, &at)?)
        }
        "stats" => Answer::json(&stats(cx, here, &wire::read(arguments)?)?),
        _ => Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name))),
    }
}

fn handed_out(cx: &Context<'_>, records: &[MemoryRecord]) -> Result<Answer, Fault> {
    Ok(Answer::json(&records)?.noting(standings(cx, records)?))
}

fn told(reply: &Reply) -> Result<Answer, Fault> {
    Answer::reply(reply.ok, reply)
}

fn space_of<'a>(here: &Here<'a>, repo: Option<&'a RepoName>) -> &'a Space {
    repo.map_or(here.repo, |it| &it.0)
}

/// Keeps a fact with the code that proves it. What is known already is refreshed.
fn store(cx: &Context<'_>, here: &Here<'_>, input: StoreInput) -> Result<Reply, Fault> {
    let space = space_of(here, input.repo.as_ref()).clone();
    if let Err(refusal) = proof_is_here(cx, here, &space, &input.citations.0) {
        return Ok(Reply::refused(&refusal));
    }
    let draft = Draft {
        kind: Some(Kind::Project),
        subject: Some(input.subject),
        reason: input.reason,
        citations: places(&input.citations.0),
        twin: choose_twin(input.merge_with.map(|it| it.0), input.rationale),
        ..Draft::new(space, input.fact, here.voice(input.created_by.as_deref()))
    };
    let policy = Policy {
        require_citations: true,
        ..*cx.policy
    };
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    Ok(Reply::from(&write_draft(&cx, draft)?))
}

fn places(citations: &[Citable]) -> Vec<apostille_cite::citation::Cite> {
    let places = citations.iter().map(|it| it.0.place());
    places.filter_map(Result::ok).collect()
}

/// Proof is read from the caller's own checkout, and where the caller says what it read there, it must be that.
fn proof_is_here(
    cx: &Context<'_>,
    here: &Here<'_>,
    space: &Space,
    citations: &[Citable],
) -> Result<(), Refusal> {
    for Citable(it) in citations {
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
        let (Some(expected), Ok(place)) = (it.snippet_hash, it.place()) else {
            continue;
        };
        if cite::capture(cx.source, &place)?.digest != expected.0 {
            return Err(refused(
                "another text stands there than the one with this snippet_hash".into(),
            ));
        }
    }
    Ok(())
}

/// The active memories of a repository, those refreshed last first.
fn get_recent(
    cx: &Context<'_>,
    here: &Here<'_>,
    input: &Recent,
) -> Result<Vec<MemoryRecord>, Fault> {
    let space = space_of(here, input.repo.as_ref());
    let memories = list::recent(cx, std::slice::from_ref(space), limit(input))?;
    Ok(fetched(cx, &memories, "the most recent"))
}

/// The active memories that cite a file, or a file below a folder.
fn search_by_path(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &RepoPath,
    input: &Recent,
) -> Result<Vec<MemoryRecord>, Fault> {
    let space = space_of(here, input.repo.as_ref());
    let memories = list::citing(cx, std::slice::from_ref(space), path, limit(input))?;
    Ok(fetched(cx, &memories, &format!("cites {path}")))
}

fn limit(input: &Recent) -> usize {
    input
        .limit
        .map_or(list::RECENT_LIMIT, |it| it.within(MAX_LISTED))
}

/// What is handed out and does not hold in this checkout. The records have the fields that their readers expect and no
/// other, so it is said beside them; where nothing is said, everything was looked up and holds.
fn standings(cx: &Context<'_>, records: &[MemoryRecord]) -> Result<Option<String>, Fault> {
    let ids: Vec<_> = records.iter().filter_map(|it| it.id.parse().ok()).collect();
    let looked_up = apostille_core::verify::look(cx, cx.store.get_by_ids(&ids)?);
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
fn fetched(cx: &Context<'_>, memories: &[Memory], question: &str) -> Vec<MemoryRecord> {
    let _ = list::note_fetched(cx, memories, question);
    memories.iter().map(MemoryRecord::from).collect()
}

/// Looks a memory up, and when nothing speaks against it notes that it is still of use.
fn refresh(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Reply, Fault> {
    if let Some(found) = looked_up(cx, here, name)?
        && found.is_bad()
    {
        let why = format!(
            "not refreshed: its citations are {}; invalidate or supersede it",
            found.standing()
        );
        return Ok(Reply::failed(why));
    }
    let refreshed = revise::refresh(cx, &here.spaces(), name);
    Ok(Reply::from(&revise_outcome("refreshed", refreshed)?))
}

/// What is found at the citations of an active memory; an inactive one is not looked up.
fn looked_up(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Option<Verified>, Fault> {
    let memory = list::named(cx, &here.spaces(), name)?;
    let local = memory.filter(|it| it.is_active() && it.space == *here.repo);
    let mut found =
        apostille_core::verify::verify(cx, local.into_iter().collect(), Orders::default(), |_| ())?;
    Ok(found.memories.pop())
}

/// Replaces a memory by its correction, or by a better version.
fn supersede(cx: &Context<'_>, here: &Here<'_>, input: SupersedeInput) -> Result<Reply, Fault> {
    let Parsed(name) = input.memory_id;
    let old = list::named(cx, &here.spaces(), name)?;
    let space = old.map_or_else(|| here.repo.clone(), |it| it.space);
    if let Err(refusal) = proof_is_here(cx, here, &space, &input.citations.0) {
        return Ok(Reply::refused(&refusal));
    }
    let draft = Draft {
        subject: input.subject,
        reason: input.reason,
        citations: places(&input.citations.0),
        ..Draft::new(space, input.fact, here.voice(input.created_by.as_deref()))
    };
    let how = match input.how {
        How::Correction => Replacement::Correction,
        How::Better => Replacement::Better,
    };
    let outcome = supersede_memory(cx, &here.spaces(), name, draft, how)?;
    Ok(Reply::from(&outcome))
}

/// The figures of a repository.
fn stats(cx: &Context<'_>, here: &Here<'_>, input: &InRepo) -> Result<StatsRecord, Fault> {
    Ok(StatsRecord::from(&core_stats::stats(
        cx,
        space_of(here, input.repo.as_ref()),
    )?))
}
