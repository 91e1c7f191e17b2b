//! Review: what waits for a person, each with everything needed to decide, the safest and most useful first.

pub mod copies;

use std::cmp::Reverse;

use crate::memory::{Kind, Mark, Memory, Origin, Stage};
use crate::remember::{Near, dedupe};
use crate::space::Space;
use crate::store::{Filter, Order};
use crate::verify::{self, Verified};
use crate::{Context, Error, breaker};
use apostille_cite::verdict::Verdict;
use apostille_text::literals;

/// A pending memory with what a person needs to know before deciding.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The memory, with what was found at its citations just now.
    pub verified: Verified,
    /// What it states and the cited lines do not say as they are now.
    pub unsaid: Vec<String>,
    /// What is known that is much like it.
    pub near: Vec<Near>,
    /// The memory that it is to replace.
    pub replaces: Option<Memory>,
    /// Others that wait and say nearly the same: one decision is for all of them.
    pub copies: Vec<Memory>,
    /// How much care it needs.
    pub care: Care,
}

/// How much care a decision needs, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Care {
    /// Nobody outside said it, nothing is marked, and the lines that it cites say it now.
    Safe,
    /// Nothing speaks against it, and nothing proves it.
    Unproven,
    /// The cited lines do not say it, or no longer.
    Doubtful,
    /// The words come from outside.
    Outside,
    /// It reads like an instruction, or something was hidden in it.
    Suspicious,
}

impl Care {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unproven => "unproven",
            Self::Doubtful => "doubtful",
            Self::Outside => "outside",
            Self::Suspicious => "suspicious",
        }
    }
}

impl Waiting {
    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.verified.memory
    }

    /// Whether it may be accepted together with others.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.care == Care::Safe
    }
}

/// Everything that waits in these spaces: copies together, the safest and most useful first. Nothing is written.
pub fn queue(cx: &Context<'_>, spaces: &[Space]) -> Result<Vec<Waiting>, Error> {
    let mut queue = sorted(cx, spaces, usize::MAX)?;
    detail(cx, &mut queue)?;
    Ok(queue)
}

/// The same of at most so many, those that wait longest, and without what is known beside each: for whoever shows a part
/// of the queue, and adds that by [`detail`].
pub fn sorted(cx: &Context<'_>, spaces: &[Space], most: usize) -> Result<Vec<Waiting>, Error> {
    let filter = Filter {
        spaces: spaces.to_vec(),
        stages: vec![Stage::Pending],
        order: Order::Oldest,
        limit: most,
        ..Filter::default()
    };
    let looked = verify::look(cx, cx.store.list(&filter)?);
    let open = spaces
        .iter()
        .map(|it| Ok((it, breaker::open(cx, it)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let is_held = |it: &Memory| {
        open.iter()
            .any(|(space, open)| **space == it.space && breaker::holds_up(open, it))
    };
    let mut waiting: Vec<Waiting> = looked.into_iter().map(|it| judged(it, is_held)).collect();
    waiting.sort_by_cached_key(|it| (it.care, worth(it.memory())));
    let mut queue = gathered(waiting, cx.policy.near_duplicate);
    queue.sort_by_cached_key(|it| (it.care, Reverse(it.copies.len()), worth(it.memory())));
    Ok(queue)
}

/// Adds what is known that is much like each of them, and what each would replace.
pub fn detail(cx: &Context<'_>, queue: &mut [Waiting]) -> Result<(), Error> {
    for it in queue {
        it.near = dedupe::told(cx, dedupe::alike(cx, it.memory())?)?;
        it.replaces = it
            .memory()
            .supersedes
            .map_or(Ok(Vec::new()), |id| cx.store.get_by_ids(&[id]))?
            .pop();
    }
    Ok(())
}

/// What somebody wrote whom a breaker holds up is not safe, however good it looks alone.
fn judged(verified: Verified, is_held: impl Fn(&Memory) -> bool) -> Waiting {
    let unsaid = literals::missing(&verified.memory.fact, &now(&verified));
    let care = match care(&verified, &unsaid) {
        Care::Safe if is_held(&verified.memory) => Care::Unproven,
        care => care,
    };
    Waiting {
        unsaid,
        care,
        near: Vec::new(),
        replaces: None,
        copies: Vec::new(),
        verified,
    }
}

/// What stands at the citations now. What is gone says nothing; what could not be looked up says what it said.
fn now(verified: &Verified) -> Vec<(&str, &str)> {
    let lines = verified.memory.citations.iter().zip(&verified.verdicts);
    lines
        .filter_map(|(citation, verdict)| match verdict {
            Verdict::Gone { .. } => None,
            Verdict::Changed(found) => Some((citation.path.as_str(), found.now.as_str())),
            _ => Some((citation.path.as_str(), citation.snippet.as_str())),
        })
        .collect()
}

fn care(verified: &Verified, unsaid: &[String]) -> Care {
    let memory = &verified.memory;
    let is_proven = !memory.citations.is_empty() && verified.is_good() && unsaid.is_empty();
    let is_ours = matches!(memory.voice.origin, Origin::Agent | Origin::System);
    if memory.marks.iter().any(|it| *it != Mark::Ungrounded) {
        Care::Suspicious
    } else if memory.voice.tainted {
        Care::Outside
    } else if verified.is_bad() || !unsaid.is_empty() {
        Care::Doubtful
    } else if is_proven && is_ours {
        Care::Safe
    } else {
        Care::Unproven
    }
}

/// Of two that need the same care, what people corrected first, then what was said last.
fn worth(memory: &Memory) -> (bool, Origin, Reverse<jiff::Timestamp>, u64) {
    let is_minor = memory.kind != Kind::Feedback;
    (
        is_minor,
        memory.voice.origin,
        Reverse(memory.recorded_at),
        memory.number,
    )
}

/// Puts copies behind the first of them, which needs the least care. Copies are of one space and layer, and a copy that
/// needs more care than the first is not decided with it.
fn gathered(waiting: Vec<Waiting>, threshold: f32) -> Vec<Waiting> {
    let memories: Vec<&Memory> = waiting.iter().map(Waiting::memory).collect();
    let leaders = copies::leaders(&memories, threshold);
    let cares: Vec<Care> = waiting.iter().map(|it| it.care).collect();
    let mut queue: Vec<Waiting> = Vec::with_capacity(waiting.len());
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
