//! Verify: look up the citations of memories, write down what was found, and let those that moved follow the code.
//!
//! A verdict belongs to a tree, and a memory belongs to everybody who shares the store. What is gone on a feature branch, in
//! a half-done edit or in an old checkout may stand in every other tree. So a memory is changed only where the tree is
//! settled (`Source::is_settled`: the default branch, nothing uncommitted); elsewhere verifying looks and writes down what it
//! saw. And even there it is invalidated only when the caller says so, and only on proof (`CitationFinding::is_proof`): the
//! change is part of this tree's own history, or the cited text was never there. A commit that is not part of this
//! history, such as one of a branch not merged yet, is a reason to withhold a memory and none to drop it.
//!
//! Nothing is lost by this caution: recall withholds what does not hold, whatever the memory's status is.

pub mod proposal;

use crate::event::{Batch, Event, EventBody, Precondition};
use crate::memory::{Memory, Status};
use crate::refusal::check_text;
use crate::store::StoreError;
use crate::{Context, CoreError};
use apostille_cite::capture::capture_lines;
use apostille_cite::citation::Citation;
use apostille_cite::diff;
use apostille_cite::follow::{CitationFinding, FAR};
use apostille_cite::verdict::{Change, Verdict, format_standing_word};
use apostille_text::moderate;
use apostille_text::words::words;

/// How many memories are changed in one write.
const LOT: usize = 100;
/// How much of a diff is kept with an invalidated memory, in characters.
const MAX_DIFF: usize = 4_000;

/// What verifying may change. On any tree but a settled one, nothing is changed whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerifyOptions {
    /// Whether citations that moved follow the code.
    pub heal: bool,
    /// Whether memories with evidence against them are marked as wrong.
    pub invalidate: bool,
}

words! {
    /// What verifying did to a memory.
    Deed as "deed" {
        /// Its citations follow the code now.
        Healed = "healed",
        /// It was marked as wrong.
        Invalidated = "invalidated",
    }
}

/// A memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedMemory {
    /// The memory as it was when it was looked up.
    pub memory: Memory,
    /// One verdict for each citation, in order.
    pub verdicts: Vec<Verdict>,
    /// Whether it was recorded on a branch that never reached this tree.
    pub is_unmerged: bool,
    /// What was done about it.
    pub deed: Option<Deed>,
}

impl VerifiedMemory {
    /// The word for how it stands.
    pub fn standing(&self) -> &'static str {
        format_standing_word(&self.verdicts)
    }

    /// Whether its citations hold.
    pub fn is_good(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_good)
    }

    /// Whether there is evidence against it. What could not be looked up is no evidence.
    pub fn is_bad(&self) -> bool {
        self.verdicts.iter().any(Verdict::is_bad)
    }

    /// Whether it is wrong about this tree: what a branch says that never reached the tree is not about it.
    pub fn is_invalid(&self) -> bool {
        self.is_bad() && !self.is_unmerged
    }
}

/// What came of verifying.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerifyReport {
    /// Each memory, in the order given.
    pub memories: Vec<VerifiedMemory>,
    /// Whether this is the default branch with nothing half done in it, so that something could be changed.
    pub is_settled: bool,
}

/// Looks up the citations of these memories, and does what the orders allow. `seen` is told of each one as it is done.
pub fn verify(
    cx: &Context,
    memories: Vec<Memory>,
    orders: VerifyOptions,
    mut seen: impl FnMut(&VerifiedMemory),
) -> Result<VerifyReport, CoreError> {
    let mut looked_up = follow_citations_in_detail(cx, memories);
    looked_up.iter().for_each(|(it, _)| seen(it));
    let is_settled = (orders.heal || orders.invalidate) && cx.source.is_settled().unwrap_or(false);
    if is_settled {
        write_verify_changes(cx, orders, &mut looked_up)?;
    }
    let memories: Vec<VerifiedMemory> = looked_up.into_iter().map(|it| it.0).collect();
    log_verified_memories(cx, &memories)?;
    Ok(VerifyReport {
        memories,
        is_settled,
    })
}

/// Looks up the citations of these memories and writes nothing, not even that somebody looked.
pub fn follow_memory_citations(cx: &Context, memories: Vec<Memory>) -> Vec<VerifiedMemory> {
    follow_citations_in_detail(cx, memories)
        .into_iter()
        .map(|it| it.0)
        .collect()
}

/// Each memory with its verdicts, and what else was seen.
fn follow_citations_in_detail(
    cx: &Context,
    memories: Vec<Memory>,
) -> Vec<(VerifiedMemory, Vec<CitationFinding>)> {
    let sights = cx
        .citation_follower(FAR)
        .follow_claims(&memories.iter().map(Memory::cited_claim).collect::<Vec<_>>());
    let pairs = memories.into_iter().zip(sights).map(|(memory, sights)| {
        let verdicts = sights.iter().map(|it| it.verdict.clone()).collect();
        let is_unmerged = sights
            .iter()
            .any(|it| it.is_merged == Some(false) && it.verdict.is_bad());
        (
            VerifiedMemory {
                memory,
                verdicts,
                is_unmerged,
                deed: None,
            },
            sights,
        )
    });
    pairs.collect()
}

/// Writes what is to be changed, a lot at a time. Where another writer was first, each memory of the lot is tried alone,
/// and one that somebody else changed meanwhile is left as it is.
fn write_verify_changes(
    cx: &Context,
    orders: VerifyOptions,
    looked_up: &mut [(VerifiedMemory, Vec<CitationFinding>)],
) -> Result<(), CoreError> {
    let mut due: Vec<(&mut VerifiedMemory, Deed, Event)> = Vec::new();
    for (verified, sights) in looked_up.iter_mut().filter(|it| it.0.memory.is_active()) {
        if let Some((deed, what)) = choose_verify_action(cx, orders, verified, sights) {
            let event = cx.new_event(&verified.memory.space, Some(verified.memory.id), what);
            due.push((verified, deed, event));
        }
    }
    for lot in due.chunks_mut(LOT) {
        if append_verify_lot(cx, lot)? {
            continue;
        }
        for one in lot {
            append_verify_lot(cx, std::slice::from_mut(one))?;
        }
    }
    Ok(())
}

/// Whether a lot was written; `false` when another writer was first.
fn append_verify_lot(
    cx: &Context,
    lot: &mut [(&mut VerifiedMemory, Deed, Event)],
) -> Result<bool, CoreError> {
    let expects = lot
        .iter()
        .map(|it| Precondition::Unmoved(it.0.memory.id, Status::Active))
        .collect();
    let events = lot.iter().map(|it| it.2.clone()).collect();
    match cx.store.append_batch(&Batch::new_durable(events, expects)) {
        Ok(_) => {
            lot.iter_mut().for_each(|it| it.0.deed = Some(it.1));
            Ok(true)
        }
        Err(StoreError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn choose_verify_action(
    cx: &Context,
    orders: VerifyOptions,
    it: &VerifiedMemory,
    sights: &[CitationFinding],
) -> Option<(Deed, EventBody)> {
    if it.verdicts.is_empty() {
        None
    } else if it.is_good() && orders.heal {
        heal_citations(cx, it).map(|what| (Deed::Healed, what))
    } else if orders.invalidate && sights.iter().any(CitationFinding::is_proof) {
        Some((
            Deed::Invalidated,
            EventBody::Invalidated {
                reason: format_invalid_reason(it),
                diff: build_kept_diff(it),
            },
        ))
    } else {
        None
    }
}

/// The citations as they stand now; `None` when all of them still are what was captured.
fn heal_citations(cx: &Context, it: &VerifiedMemory) -> Option<EventBody> {
    let mut followed = Vec::new();
    let mut citations = Vec::with_capacity(it.memory.citations.len());
    for (citation, verdict) in it.memory.citations.iter().zip(&it.verdicts) {
        let place = match verdict {
            Verdict::Moved { to } => to,
            Verdict::Changed(found) if found.change <= Change::Formatting => &found.at,
            // It is anchored anew too, so that the way from its commit to today stays short.
            Verdict::Holds => {
                citations.push(
                    capture_lines(cx.source, &citation.location())
                        .unwrap_or_else(|_| citation.clone()),
                );
                continue;
            }
            _ => {
                citations.push(citation.clone());
                continue;
            }
        };
        let Ok(now) = capture_lines(cx.source, place) else {
            return None;
        };
        followed.push(format!("{} → {place}", citation.location()));
        citations.push(now);
    }
    (!followed.is_empty()).then_some(EventBody::Refreshed {
        citations: Some(citations),
        followed,
        voucher: None,
    })
}

/// Why a memory is marked as wrong: what was found, the places named.
pub fn format_invalid_reason(it: &VerifiedMemory) -> String {
    let found = it
        .memory
        .citations
        .iter()
        .zip(&it.verdicts)
        .filter(|(_, verdict)| verdict.is_bad());
    let found: Vec<String> = found
        .map(|(citation, verdict)| format_verdict_reason(citation, verdict))
        .collect();
    moderate::neutralise_text(&found.join("; "))
}

fn format_verdict_reason(citation: &Citation, verdict: &Verdict) -> String {
    let commit = |word: &str, commit: &Option<String>| {
        commit
            .as_deref()
            .and_then(|it| it.get(..10))
            .map(|it| format!(" {word} {it}"))
            .unwrap_or_default()
    };
    let place = citation.location();
    match verdict {
        Verdict::Changed(it) => {
            format!("{place} changed ({}){}", it.change, commit("by", &it.since))
        }
        Verdict::Gone { loss, since } => {
            format!("{place}: {}{}", loss.as_phrase(), commit("since", since))
        }
        other => format!("{place} {}", other.as_str()),
    }
}

/// What changed in the cited code. A diff that holds a secret is not kept, and a long one not whole.
fn build_kept_diff(it: &VerifiedMemory) -> Option<String> {
    let changes =
        it.memory.citations.iter().zip(&it.verdicts).filter_map(
            |(citation, verdict)| match verdict {
                Verdict::Changed(found) if !found.is_harmless => Some(diff::format_unified_diff(
                    &format!("{}\n", citation.snippet),
                    &format!("{}\n", found.now),
                )),
                _ => None,
            },
        );
    let diff: String = changes
        .collect::<Vec<_>>()
        .concat()
        .chars()
        .take(MAX_DIFF)
        .collect();
    let is_fit = !diff.is_empty() && check_text("diff", &diff).is_ok();
    is_fit.then(|| moderate::neutralise_text(&diff))
}

/// Writes down what was found, where it was found at all.
fn log_verified_memories(cx: &Context, memories: &[VerifiedMemory]) -> Result<(), CoreError> {
    let known = memories
        .iter()
        .filter(|it| !it.verdicts.is_empty() && (it.is_good() || it.is_bad()));
    let events: Vec<Event> = known
        .map(|it| build_verified_event(cx, &it.memory, &it.verdicts))
        .collect();
    if !events.is_empty() {
        let batch = Batch::new_telemetry(events, Vec::new());
        cx.store.append_batch(&batch)?;
    }
    Ok(())
}

/// What was found, as an event.
pub(crate) fn build_verified_event(cx: &Context, memory: &Memory, verdicts: &[Verdict]) -> Event {
    let places = memory.citations.iter().zip(verdicts);
    let found = places
        .map(|(citation, verdict)| format!("{} {}", verdict.as_str(), citation.location()))
        .collect();
    let valid = verdicts.iter().all(Verdict::is_good);
    let commit = cx.source.read_tree().ok().and_then(|tree| tree.commit);
    cx.new_event(
        &memory.space,
        Some(memory.id),
        EventBody::Verified {
            valid,
            found,
            commit,
        },
    )
}
