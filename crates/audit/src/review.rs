//! Review: what waits for a person, each with everything needed to decide, the safest and most useful first.

pub mod copies;

use std::cmp::Reverse;

use apostille_cite::verdict::Verdict;
use apostille_core::{
    Context, CoreError, breaker,
    memory::{Kind, Memory, MemoryId, ModerationMark, Origin, Stage},
    queue::{self, QueuePlace, WaitingDecision, read_waiting_since},
    remember::{DraftRelation, NearMemory, dedupe},
    review_remarks::is_review_rule,
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify,
    verify::VerifiedMemory,
};
use apostille_text::words::words;
use jiff::Timestamp;

/// The overlap of words from which a memory in use says what waits, and nobody needs to decide that.
const SAID_ALREADY: f32 = 0.95;

/// A pending memory with what a person needs to know before deciding.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    /// The memory, with what was found at its citations just now.
    pub verified: VerifiedMemory,
    /// What it states and the cited lines do not say as they are now.
    pub unsaid: Vec<String>,
    /// What is known that is much like it.
    pub near: Vec<NearMemory>,
    /// The memory that it is to replace.
    pub replaces: Option<Memory>,
    /// Others that wait and say nearly the same: one decision is for all of them.
    pub copies: Vec<Memory>,
    /// How much care it needs.
    pub care: ReviewCare,
}

words! {
    /// How much care a decision needs, the least first.
    ReviewCare as "care" {
        /// Nobody outside said it, nothing is marked, and the lines that it cites say it now.
        Safe = "safe",
        /// Nothing speaks against it, and nothing proves it.
        Unproven = "unproven",
        /// The cited lines do not say it, or no longer.
        Doubtful = "doubtful",
        /// The words come from outside.
        Outside = "outside",
        /// It reads like an instruction, or something was hidden in it.
        Suspicious = "suspicious",
    }
}

impl ReviewItem {
    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.verified.memory
    }

    /// What its place in the queue depends on.
    fn to_waiting_decision(&self, cx: &Context) -> Result<WaitingDecision, CoreError> {
        // What corrects a memory is much like it, and is to be decided; so is what brings it evidence.
        let is_same = |it: &&NearMemory| {
            it.relation == DraftRelation::NearDuplicate && it.overlap >= SAID_ALREADY
        };
        let is_plain = self.memory().supersedes.is_none() && self.memory().citations.is_empty();
        let same = self.near.iter().filter(is_same).filter(|_| is_plain);
        let ids: Vec<MemoryId> = same.map(|it| it.id).collect();
        let known = cx.store.get_by_ids(&ids)?.into_iter();
        // Each further comment is a reason to look at a reviewers' rule again.
        let since = match is_review_rule(self.memory()) {
            true => self.memory().refreshed_at,
            false => read_waiting_since(cx, self.memory())?,
        };
        let copies = self.copies.iter().map(|it| it.recorded_at);
        Ok(WaitingDecision {
            since: copies.fold(since, Timestamp::max),
            is_refuted: self.verified.standing().is_refuted(),
            said_by: known.filter(Memory::is_active).map(|it| it.handle()).next(),
        })
    }

    /// Whether it may be accepted together with others.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.care == ReviewCare::Safe
    }
}

/// Everything that waits in these spaces: copies together, the safest and most useful first. Nothing is written.
pub fn list_review_queue(cx: &Context, spaces: &[Space]) -> Result<Vec<ReviewItem>, CoreError> {
    let mut queue = list_sorted_pending(cx, spaces, usize::MAX)?;
    add_review_details(cx, &mut queue)?;
    Ok(queue)
}

/// At most so many of the queue, those that wait longest first, without what is known beside each. A face that shows only
/// a part adds that with [`add_review_details`].
pub fn list_sorted_pending(
    cx: &Context,
    spaces: &[Space],
    most: usize,
) -> Result<Vec<ReviewItem>, CoreError> {
    let filter = MemoryFilter {
        spaces: spaces.to_vec(),
        stages: vec![Stage::Pending],
        order: ListOrder::Oldest,
        limit: most,
        ..MemoryFilter::default()
    };
    let looked = verify::follow_memory_citations(cx, cx.store.list_memories(&filter)?);
    let open = spaces
        .iter()
        .map(|it| Ok((it, breaker::list_open_breakers(cx, it)?)))
        .collect::<Result<Vec<_>, CoreError>>()?;
    let is_held = |it: &Memory| {
        open.iter()
            .any(|(space, open)| **space == it.space && breaker::is_held_by_breaker(open, it))
    };
    let mut waiting: Vec<ReviewItem> = looked
        .into_iter()
        .map(|it| judge_pending_memory(it, is_held))
        .collect();
    waiting.sort_by_cached_key(|it| (it.care, review_sort_key(it.memory())));
    let mut queue = gather_review_copies(waiting, cx.policy.near_duplicate);
    let n_copies = |it: &ReviewItem| Reverse(it.copies.len());
    queue.sort_by_cached_key(|it| (it.care, n_copies(it), review_sort_key(it.memory())));
    Ok(queue)
}

/// Where each of these stands in the queue's budget, in their order: what is judged again now is the evidence, and whether a memory
/// in use says it already. Expects the details of [`add_review_details`].
pub fn place_review_queue(
    cx: &Context,
    spaces: &[Space],
    queue: &[ReviewItem],
) -> Result<Vec<QueuePlace>, CoreError> {
    let decided = queue::count_weekly_decisions(cx, spaces)?;
    let waiting = queue.iter().map(|it| it.to_waiting_decision(cx));
    let waiting: Vec<WaitingDecision> = waiting.collect::<Result<_, CoreError>>()?;
    Ok(queue::place_decisions(
        cx.policy.queue,
        cx.now,
        decided,
        &waiting,
    ))
}

/// Adds what is known that is much like each of them, and what each would replace.
pub fn add_review_details(cx: &Context, queue: &mut [ReviewItem]) -> Result<(), CoreError> {
    for it in queue {
        it.near =
            dedupe::withhold_stale_facts(cx, dedupe::find_similar_memories(cx, it.memory())?)?;
        if let Some(id) = it.memory().supersedes {
            it.replaces = cx.store.get_by_ids(&[id])?.pop();
        }
    }
    Ok(())
}

/// What somebody wrote whom a breaker holds up is not safe, however good it looks alone.
fn judge_pending_memory(verified: VerifiedMemory, is_held: impl Fn(&Memory) -> bool) -> ReviewItem {
    let Memory {
        subject,
        fact,
        voice,
        ..
    } = &verified.memory;
    let evidence = current_cited_texts(&verified);
    let unsaid = voice.find_unsaid_claims(subject.as_deref(), fact, &evidence);
    let care = match assess_review_care(&verified, &unsaid) {
        ReviewCare::Safe if is_held(&verified.memory) => ReviewCare::Unproven,
        care => care,
    };
    ReviewItem {
        unsaid,
        care,
        near: Vec::new(),
        replaces: None,
        copies: Vec::new(),
        verified,
    }
}

/// What stands at the citations now. What is gone says nothing; what could not be looked up says what it said.
fn current_cited_texts(verified: &VerifiedMemory) -> Vec<(&str, &str)> {
    let lines = verified.memory.citations.iter().zip(&verified.verdicts);
    lines
        .filter_map(|(citation, verdict)| match verdict {
            Verdict::Gone { .. } => None,
            Verdict::Changed(found) => Some((citation.path.as_str(), found.now.as_str())),
            _ => Some((citation.path.as_str(), citation.snippet.as_str())),
        })
        .collect()
}

fn assess_review_care(verified: &VerifiedMemory, unsaid: &[String]) -> ReviewCare {
    let memory = &verified.memory;
    let is_proven = !memory.citations.is_empty() && verified.is_good() && unsaid.is_empty();
    let is_ours = matches!(memory.voice.origin, Origin::Agent | Origin::System);
    if memory
        .marks
        .iter()
        .any(|it| *it != ModerationMark::Ungrounded)
    {
        ReviewCare::Suspicious
    } else if memory.voice.tainted {
        ReviewCare::Outside
    } else if verified.is_bad() || !unsaid.is_empty() {
        ReviewCare::Doubtful
    } else if is_proven && is_ours {
        ReviewCare::Safe
    } else {
        ReviewCare::Unproven
    }
}

/// Of two that need the same care, what people corrected first, then what was said last.
fn review_sort_key(memory: &Memory) -> impl Ord + use<> {
    (
        memory.kind != Kind::Feedback,
        memory.voice.origin,
        Reverse(memory.recorded_at),
        memory.number,
    )
}

/// Puts copies behind the first of them, which needs the least care. Copies are of one space and layer, and a copy that
/// needs more care than the first is not decided with it.
fn gather_review_copies(waiting: Vec<ReviewItem>, threshold: f32) -> Vec<ReviewItem> {
    let memories: Vec<&Memory> = waiting.iter().map(ReviewItem::memory).collect();
    let leaders = copies::find_copy_leaders(&memories, threshold);
    let cares: Vec<ReviewCare> = waiting.iter().map(|it| it.care).collect();
    let mut queue: Vec<ReviewItem> = Vec::with_capacity(waiting.len());
    // Where each of them stands in the queue.
    let mut places: Vec<Option<usize>> = vec![None; waiting.len()];
    for (at, it) in waiting.into_iter().enumerate() {
        let leader = leaders[at];
        let is_led = leader != at && cares[leader] == it.care;
        match places[leader]
            .filter(|_| is_led)
            .and_then(|place| queue.get_mut(place))
        {
            Some(first) => first.copies.push(it.verified.memory),
            None => {
                places[at] = Some(queue.len());
                queue.push(it);
            }
        }
    }
    queue
}
