//! Verified memory: the ten tools over facts that cite the code which proves them.
//!
//! Memories are hypotheses. What a caller is handed here it verifies before use; what it refreshes is looked up first.

mod citations;
mod records;
mod tools;

use apostille_core::list;
use apostille_core::memory::{Draft, Kind, Memory, Name, Twin};
use apostille_core::policy::Policy;
use apostille_core::refusal::Refusal;
use apostille_core::remember::{self, Outcome, cite};
use apostille_core::revise::{self, Revised};
use apostille_core::space::Space;
use apostille_core::verify::Orders;
use apostille_core::verify::Verified;
use apostille_core::{Context, stats as core_stats};
use serde_json::Value;

use crate::tools::Answer;
use crate::wire::{self, ByPath, One, Pinned, Recent, StoreInput, Supersede, Verify, Wrong};
use crate::{Fault, Here};

pub use citations::{read_citation, verify_citations};
pub use records::{CitationRecord, LookedUp, MemoryRecord, Reply, StatsRecord, VerificationResult};
pub use tools::tools;

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
    arguments: Value,
) -> Result<Answer, Fault> {
    let verb = tool
        .strip_prefix("memory_")
        .or_else(|| tool.strip_prefix("memory."))
        .unwrap_or_default();
    match verb {
        "store" => told(&store(
            cx,
            here,
            wire::read::<wire::RawStore, _>(arguments)?,
        )?),
        "get_recent" => {
            let records = get_recent(cx, here, &wire::read::<wire::RawListing, _>(arguments)?)?;
            Ok(Answer::json(&records)?.noting(standings(cx, &records)?))
        }
        "search_by_path" => {
            let records = search_by_path(cx, here, &wire::read::<wire::RawListing, _>(arguments)?)?;
            Ok(Answer::json(&records)?.noting(standings(cx, &records)?))
        }
        "refresh" => told(&refresh(
            cx,
            here,
            &wire::read::<wire::RawOne, _>(arguments)?,
        )?),
        "invalidate" => told(&invalidate(
            cx,
            here,
            &wire::read::<wire::RawOne, _>(arguments)?,
        )?),
        "supersede" => told(&supersede(
            cx,
            here,
            wire::read::<wire::RawSupersede, _>(arguments)?,
        )?),
        "log_applied" => told(&log_applied(
            cx,
            here,
            &wire::read::<wire::RawOne, _>(arguments)?,
        )?),
        "read_citation" => Answer::json(&read_citation(
            cx,
            here,
            &wire::read::<wire::RawRead, _>(arguments)?,
        )),
        "verify_citations" => {
            let verify: Verify = wire::read::<wire::RawVerify, _>(arguments)?;
            Answer::json(&verify_citations(cx, here, &verify)?)
        }
        "stats" => Answer::json(&stats(
            cx,
            here,
            &wire::read::<wire::RawListing, _>(arguments)?,
        )?),
        _ => Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name))),
    }
}

fn told(reply: &Reply) -> Result<Answer, Fault> {
    if reply.ok {
        Answer::json(reply)
    } else {
        Answer::refused(reply)
    }
}

fn space_of<'a>(here: &Here<'a>, repo: Option<&'a Space>) -> &'a Space {
    repo.unwrap_or(here.repo)
}

/// Keeps a fact with the code that proves it. What is known already is refreshed.
pub fn store(cx: &Context<'_>, here: &Here<'_>, input: StoreInput) -> Result<Reply, Fault> {
    let space = space_of(here, input.repo.as_ref()).clone();
    if let Err(refusal) = proof_is_here(cx, here, &space, &input.citations) {
        return Ok(Reply::refused(&refusal));
    }
    let twin = match (input.merge_with, input.rationale) {
        (Some(name), _) => Twin::Merge(name),
        (None, Some(why)) => Twin::Create(why),
        (None, None) => Twin::Ask,
    };
    let draft = Draft {
        kind: Some(Kind::Project),
        subject: Some(input.subject),
        reason: input.reason,
        citations: places(&input.citations),
        twin,
        ..Draft::new(space, input.fact, here.voice(input.created_by.as_deref()))
    };
    let policy = Policy {
        require_citations: true,
        ..*cx.policy
    };
    Reply::of(
        cx,
        remember::remember(
            &Context {
                policy: &policy,
                ..*cx
            },
            draft,
        )?,
    )
}

fn places(citations: &[Pinned]) -> Vec<apostille_cite::citation::Cite> {
    citations.iter().filter_map(|it| it.place().ok()).collect()
}

/// Proof is read from the caller's own checkout, and where the caller says what it read there, it must be that.
fn proof_is_here(
    cx: &Context<'_>,
    here: &Here<'_>,
    space: &Space,
    citations: &[Pinned],
) -> Result<(), Refusal> {
    for it in citations {
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
        if cite::capture(cx.source, &place)?.digest != expected {
            return Err(refused(
                "another text stands there than the one with this snippet_hash".into(),
            ));
        }
    }
    Ok(())
}

/// The active memories of a repository, those refreshed last first.
pub fn get_recent(
    cx: &Context<'_>,
    here: &Here<'_>,
    input: &Recent,
) -> Result<Vec<MemoryRecord>, Fault> {
    let space = space_of(here, input.repo.as_ref());
    let memories = list::recent(cx, std::slice::from_ref(space), input.limit)?;
    Ok(fetched(cx, &memories, "the most recent"))
}

/// The active memories that cite a file, or a file below a folder.
pub fn search_by_path(
    cx: &Context<'_>,
    here: &Here<'_>,
    input: &ByPath,
) -> Result<Vec<MemoryRecord>, Fault> {
    let space = space_of(here, input.recent.repo.as_ref());
    let memories = list::citing(
        cx,
        std::slice::from_ref(space),
        &input.path,
        input.recent.limit,
    )?;
    Ok(fetched(cx, &memories, &format!("cites {}", input.path)))
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
pub fn refresh(cx: &Context<'_>, here: &Here<'_>, input: &One) -> Result<Reply, Fault> {
    if let Some(found) = looked_up(cx, here, input.memory)?
        && found.is_bad()
    {
        let why = format!(
            "not refreshed: its citations are {}; invalidate or supersede it",
            found.standing()
        );
        return Ok(Reply::failed(why));
    }
    revised(revise::refresh(cx, &here.spaces(), input.memory)?)
}

/// What is found at the citations of an active memory; an inactive one is not looked up.
fn looked_up(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Option<Verified>, Fault> {
    let memory = list::named(cx, &here.spaces(), name)?;
    let local = memory.filter(|it| it.is_active() && it.space == *here.repo);
    let mut found =
        apostille_core::verify::verify(cx, local.into_iter().collect(), Orders::default(), |_| ())?;
    Ok(found.memories.pop())
}

/// Marks a memory as wrong.
pub fn invalidate(cx: &Context<'_>, here: &Here<'_>, input: &Wrong) -> Result<Reply, Fault> {
    let by = here.voice(cx.actor);
    revised(revise::invalidate_as(
        cx,
        &here.spaces(),
        input.memory,
        &input.reason,
        &by,
    )?)
}

/// Replaces a memory by its correction, or by a better version.
pub fn supersede(cx: &Context<'_>, here: &Here<'_>, input: Supersede) -> Result<Reply, Fault> {
    let old = list::named(cx, &here.spaces(), input.memory)?;
    let space = old.map_or_else(|| here.repo.clone(), |it| it.space);
    if let Err(refusal) = proof_is_here(cx, here, &space, &input.citations) {
        return Ok(Reply::refused(&refusal));
    }
    let draft = Draft {
        subject: input.subject,
        reason: input.reason,
        citations: places(&input.citations),
        ..Draft::new(space, input.fact, here.voice(input.created_by.as_deref()))
    };
    Reply::of(
        cx,
        revise::supersede(cx, &here.spaces(), input.memory, draft, input.how)?,
    )
}

/// Notes that a memory was used in a task.
pub fn log_applied(cx: &Context<'_>, here: &Here<'_>, input: &One) -> Result<Reply, Fault> {
    revised(revise::apply(cx, &here.spaces(), input.memory)?)
}

fn revised(outcome: Revised) -> Result<Reply, Fault> {
    Ok(match outcome {
        Revised::Done(memory) => Reply::done("done", &memory),
        Revised::Refused(refusal) => Reply::refused(&refusal),
    })
}

/// The figures of a repository.
pub fn stats(cx: &Context<'_>, here: &Here<'_>, input: &Recent) -> Result<StatsRecord, Fault> {
    Ok(StatsRecord::from(&core_stats::stats(
        cx,
        space_of(here, input.repo.as_ref()),
    )?))
}

impl Reply {
    fn of(cx: &Context<'_>, outcome: Outcome) -> Result<Self, Fault> {
        Ok(match outcome {
            Outcome::Remembered { memory, .. } => Self::done("created", &memory),
            Outcome::Refreshed { memory } => Self::done("refreshed", &memory),
            Outcome::Similar { near } => Self::similar(&crate::told_near(cx, near)?),
            Outcome::Refused(refusal) => Self::refused(&refusal),
        })
    }
}
