//! Stage five: new, known, or much like something known. Nothing is merged silently.
//!
//! Three questions are asked of a draft, from cheap and certain to costly and doubtful.
//! 1. *Is it the very same claim?* The claim's digest is looked up; it covers the words without case, spacing and
//!    punctuation. A draft that resembles nothing skips this look: the write itself carries the condition that there is no
//!    twin, so a twin that another process wrote meanwhile makes the write fail and the question is asked again. Most
//!    drafts are new, and they pay for one lookup instead of two.
//! 2. *Does something say nearly the same?* The rarest terms of the draft find its neighbours in the index, and the
//!    overlap of their words decides. Overlap is blind to meaning ("port 8080" and "port 9090" overlap well), so a near
//!    memory is only ever a question to whoever writes, never a merge.
//! 3. *Does it say the opposite?* Same subject, same modules, values that cannot both be true. Only here a draft may take
//!    another's place without a question, and only where four things hold: it would be in use by itself, its source is
//!    trusted as much, it has proof where the old one had, and the old one is the only neighbour. Otherwise an agent could
//!    replace what a person said by claiming the opposite.
//!
//! What nobody vouches for refreshes nothing that is in use: repeating a rumour must not make a known fact look confirmed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{
    EarlyEnd,
    guard::{Vetted, can_settle_memory},
    modules::{self, ModuleOverlap},
    replacement::find_replaced_memory,
};
use crate::{
    Context,
    memory::{DuplicateChoice, Handle, Layer, Memory, MemoryId, MemoryName, Stage},
    store::StoreError,
    verify,
};
use apostille_text::{
    contradict,
    contradict::FactCompatibility,
    overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact},
    terms,
    words::words,
};

/// How many of a draft's terms are looked up to find its neighbours; a neighbour has more than half of them.
const PROBES: usize = 5;
/// How many terms of its subject are looked up besides; a memory that has them may be of the same subject.
const SUBJECT_PROBES: usize = 2;
/// How many neighbours are compared.
const NEIGHBOURS: usize = 5;
/// Token overlap from which two memories of one subject speak of the same thing.
const SAME_MATTER: f32 = 0.5;

words! {
    /// What stands between a draft and a memory.
    DraftRelation as "relation" {
        /// They say nearly the same.
        NearDuplicate = "near-duplicate",
        /// They speak of the same subject and name different values.
        Contradiction = "contradiction",
    }
}

/// A memory much like a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMemory {
    /// Which.
    pub id: MemoryId,
    /// Its handle.
    pub handle: Handle,
    /// What it says.
    pub fact: String,
    /// How the two stand.
    pub relation: DraftRelation,
    /// The overlap of their words, 0 to 1.
    pub overlap: f32,
}

impl NearMemory {
    fn new(known: &Memory, relation: DraftRelation, overlap: f32) -> Self {
        Self {
            id: known.id,
            handle: known.handle(),
            fact: known.fact.clone(),
            relation,
            overlap,
        }
    }
}

/// What to do with a vetted draft.
pub(super) enum DuplicateDecision {
    New,
    Known(Memory),
    Replace(Memory),
    /// It contradicts this one beyond doubt, and takes its place.
    ReplaceContradicted(Memory, NearMemory),
    Near(Vec<NearMemory>),
}

impl DuplicateDecision {
    /// Whether breakers and guardian are asked about it: what is known may always be stated again.
    pub(super) fn brings_something_new(&self, vetted: &Vetted) -> bool {
        match self {
            Self::Near(_) => false,
            Self::Known(known) => {
                vetted.on_duplicate.replaced_name().is_some() || can_settle_memory(vetted, known)
            }
            Self::New | Self::Replace(_) | Self::ReplaceContradicted(..) => true,
        }
    }
}

/// Compares a draft with what the space holds. A draft that resembles nothing is new: should the very same claim have
/// hidden from the comparison, the write fails, and the second time the claim itself is looked up.
pub(super) fn decide_duplicate(
    cx: &Context,
    vetted: &Vetted,
    is_first: bool,
) -> Result<DuplicateDecision, EarlyEnd> {
    let (memory, on_duplicate) = (&vetted.memory, &vetted.on_duplicate);
    let is_plain = matches!(on_duplicate, DuplicateChoice::Ask | DuplicateChoice::Skip);
    let mut neighbours = Vec::new();
    if is_plain || on_duplicate.is_promotion() {
        neighbours = find_neighbours(cx, memory)?;
    }
    let near = rank_near_memories(memory, &neighbours, cx.policy.near_duplicate);
    if is_first && is_plain && near.is_empty() {
        return Ok(DuplicateDecision::New);
    }
    if let Some(known) = cx
        .store
        .get_by_claim(&memory.space, &memory.claim_digest())?
    {
        if is_rewrite_of_known(vetted, &known) {
            return Ok(DuplicateDecision::Replace(known));
        }
        // What nobody vouches for refreshes nothing that is in use.
        let vouched = memory.is_active() || !known.is_active();
        return Ok(if vouched {
            DuplicateDecision::Known(known)
        } else {
            let same = NearMemory::new(&known, DraftRelation::NearDuplicate, 1.0);
            DuplicateDecision::Near(vec![same])
        });
    }
    if near.is_empty() {
        let old = find_replaced_memory(cx, on_duplicate, &memory.space, &memory.voice)?;
        return Ok(old.map_or(DuplicateDecision::New, DuplicateDecision::Replace));
    }
    Ok(match on_duplicate {
        DuplicateChoice::Ask => decide_contradiction(vetted, neighbours, near),
        _ => DuplicateDecision::Near(near),
    })
}

/// A draft takes the place of the one memory that it contradicts beyond doubt, if it would be in use by itself and has
/// as good a voice and proof. Everything else is asked about.
fn decide_contradiction(
    vetted: &Vetted,
    known: Vec<Memory>,
    mut near: Vec<NearMemory>,
) -> DuplicateDecision {
    let draft = &vetted.memory;
    let is_fit = |old: &Memory| {
        let has_proof = old.citations.is_empty() || !draft.citations.is_empty();
        let is_trusted = draft.voice.origin <= old.voice.origin;
        let is_opposed = has_same_subject(draft, old)
            && contradict::compare_facts(&draft.fact, &old.fact) == FactCompatibility::Opposed;
        old.is_active()
            && is_trusted
            && has_proof
            && is_opposed
            && modules::compare_modules(draft, old) == ModuleOverlap::Same
    };
    let is_able = draft.is_active() && !vetted.forced && draft.layer == Layer::Knowledge;
    let old = match &*near {
        [one] if is_able => known.into_iter().find(|it| it.id == one.id && is_fit(it)),
        _ => None,
    };
    match (old, near.pop()) {
        (Some(old), Some(one)) => DuplicateDecision::ReplaceContradicted(old, one),
        (_, last) => DuplicateDecision::Near(near.into_iter().chain(last).collect()),
    }
}

/// Whether a draft puts the words of this very memory differently: other case, spacing, punctuation or name of it.
fn is_rewrite_of_known(vetted: &Vetted, known: &Memory) -> bool {
    let memory = &vetted.memory;
    let is_same = known.fact == memory.fact && known.subject == memory.subject;
    let is_waiting = known.status.stage() == Stage::Pending && memory.voice.is_person();
    is_replacement_of_known(vetted, known)
        && memory.is_active()
        && (is_waiting || known.is_active() && !is_same)
}

/// Whether a draft is to take the place of this very memory.
pub(super) fn is_replacement_of_known(vetted: &Vetted, known: &Memory) -> bool {
    match &vetted.on_duplicate {
        DuplicateChoice::Replace(MemoryName::Id(id), _) => *id == known.id,
        DuplicateChoice::Replace(MemoryName::Handle(handle), _) => *handle == known.handle(),
        _ => false,
    }
}

/// What is in use and much like a memory that waits.
pub fn find_similar_memories(cx: &Context, memory: &Memory) -> Result<Vec<NearMemory>, StoreError> {
    let neighbours = find_neighbours(cx, memory)?;
    Ok(rank_near_memories(memory, &neighbours, SAME_MATTER))
}

/// What something resembles, as it may be told: what a memory says that does not hold here is not repeated.
pub fn withhold_stale_facts(
    cx: &Context,
    mut near: Vec<NearMemory>,
) -> Result<Vec<NearMemory>, StoreError> {
    let ids: Vec<_> = near.iter().map(|it| it.id).collect();
    let looked_up = verify::follow_memory_citations(cx, cx.store.get_by_ids(&ids)?);
    for stale in looked_up.iter().filter(|it| !it.is_good()) {
        for it in near.iter_mut().filter(|it| it.id == stale.memory.id) {
            it.fact = format!("(its citations are {} here)", stale.standing());
        }
    }
    Ok(near)
}

/// The memories that share the draft's most telling terms, or those of its subject; those that share the most first.
fn find_neighbours(cx: &Context, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let subject = memory.subject.as_deref().unwrap_or("");
    let mut probes = pick_rare_terms(&format!("{subject} {}", memory.fact), PROBES);
    let half = probes.len() / 2;
    let topic = pick_rare_terms(subject, SUBJECT_PROBES);
    for term in &topic {
        if !probes.contains(term) {
            probes.push(term.clone());
        }
    }
    let postings = cx.store.read_postings(&memory.space, &probes)?;
    // Of each memory, how many of the terms it has, and how many of those are its subject's.
    let mut shared: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for (term, list) in probes.iter().zip(&postings.lists) {
        for posting in list {
            let (n_terms, n_topic) = shared.entry(posting.number).or_default();
            *n_terms += 1;
            *n_topic += usize::from(topic.contains(term));
        }
    }
    shared.retain(|_, (n_terms, n_topic)| {
        *n_terms > half || (*n_topic > 0 && *n_topic == topic.len())
    });
    let mut numbers: Vec<u64> = shared.keys().rev().copied().collect();
    numbers.sort_by_key(|it| Reverse(shared[it].0));
    numbers.truncate(NEIGHBOURS);
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    match cx.store.get_by_numbers(&memory.space, &numbers) {
        // A damaged neighbour is none, alone as among others.
        Err(StoreError::Corrupt { .. }) => Ok(Vec::new()),
        other => other,
    }
}

/// The terms of a text that are likely to be rare: of long words, and of names with digits in them.
fn pick_rare_terms(spoken: &str, n: usize) -> Vec<String> {
    let mut words: Vec<&str> = spoken.split_whitespace().collect();
    let has_digit = |word: &str| word.bytes().any(|it| it.is_ascii_digit());
    let telling = |word: &str| word.len() + 3 * usize::from(has_digit(word));
    words.sort_by_cached_key(|it| (Reverse(telling(it)), *it));
    words.dedup();
    // Several words may be forms of one term.
    words.truncate(2 * n);
    let mut probes: Vec<String> = terms::extract_terms(&words.join(" "))
        .into_iter()
        .map(|(term, _)| term)
        .collect();
    probes.sort();
    probes.sort_by_key(|it| Reverse(telling(it)));
    probes.truncate(n);
    probes
}

fn rank_near_memories(memory: &Memory, neighbours: &[Memory], threshold: f32) -> Vec<NearMemory> {
    let ours = normalize_statement(memory);
    let ours = collect_distinct_words(&ours);
    let is_beside =
        |it: &&Memory| it.layer == memory.layer && it.task_or_session() == memory.task_or_session();
    let compare = |it| compare_with_known(memory, &ours, it, threshold);
    let beside = neighbours.iter().filter(is_beside);
    let mut near: Vec<NearMemory> = beside.filter_map(compare).collect();
    near.sort_by(|a, b| {
        let by_overlap = b.overlap.total_cmp(&a.overlap);
        by_overlap.then(a.handle.cmp(&b.handle))
    });
    near.truncate(3);
    near
}

fn compare_with_known(
    draft: &Memory,
    ours: &[&str],
    known: &Memory,
    threshold: f32,
) -> Option<NearMemory> {
    let theirs = normalize_statement(known);
    let overlap = measure_jaccard_overlap(ours, &collect_distinct_words(&theirs));
    let relation = match compare_at_overlap(draft, known, overlap) {
        // Of different modules both may be right.
        FactCompatibility::Doubtful | FactCompatibility::Opposed
            if modules::compare_modules(draft, known) == ModuleOverlap::Apart =>
        {
            return None;
        }
        FactCompatibility::Doubtful | FactCompatibility::Opposed => DraftRelation::Contradiction,
        FactCompatibility::Compatible if overlap >= threshold => DraftRelation::NearDuplicate,
        FactCompatibility::Compatible => return None,
    };
    Some(NearMemory::new(known, relation, overlap))
}

/// Whether two memories have a subject, and the same one.
pub fn has_same_subject(a: &Memory, b: &Memory) -> bool {
    let normalize = |it: &Memory| normalise_fact(None, it.subject.as_deref().unwrap_or(""));
    a.subject.is_some() && normalize(a) == normalize(b)
}

/// How a newer memory stands to an older one, whatever their modules. Only of one subject can they contradict.
pub fn compare_memories(new: &Memory, old: &Memory) -> FactCompatibility {
    let (ours, theirs) = (normalize_statement(new), normalize_statement(old));
    let (ours, theirs) = (
        collect_distinct_words(&ours),
        collect_distinct_words(&theirs),
    );
    compare_at_overlap(new, old, measure_jaccard_overlap(&ours, &theirs))
}

fn normalize_statement(memory: &Memory) -> String {
    normalise_fact(memory.subject.as_deref(), &memory.fact)
}

/// The same with this overlap of their words.
fn compare_at_overlap(new: &Memory, old: &Memory, overlap: f32) -> FactCompatibility {
    if !has_same_subject(new, old) {
        return FactCompatibility::Compatible;
    }
    let is_one_matter = overlap >= SAME_MATTER;
    match contradict::compare_facts(&new.fact, &old.fact) {
        FactCompatibility::Opposed => FactCompatibility::Opposed,
        _ if is_one_matter && extract_numbers(&new.fact) != extract_numbers(&old.fact) => {
            FactCompatibility::Doubtful
        }
        FactCompatibility::Doubtful if is_one_matter => FactCompatibility::Doubtful,
        _ => FactCompatibility::Compatible,
    }
}

fn extract_numbers(fact: &str) -> BTreeSet<String> {
    let tokens = normalise_fact(None, fact);
    tokens
        .split(' ')
        .filter(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        .map(Into::into)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dedupe_judges_normalised_words() {
        let check = |a: &str, b: &str, expected: bool| {
            let (ours, theirs) = (normalise_fact(None, a), normalise_fact(None, b));
            assert_eq!(
                measure_jaccard_overlap(
                    &collect_distinct_words(&ours),
                    &collect_distinct_words(&theirs)
                ) >= 0.85,
                expected,
                "{a:?} and {b:?}"
            );
        };
        check(
            "The test command is `cd evals && npm test`",
            "the test command is: cd evals; npm test!",
            true,
        );
        check(
            "Deploy target is AWS us-east-1",
            "Deploy target is AWS eu-west-2",
            false,
        );
        check(
            "one two three four five six seven",
            "one two three four five six seven eight",
            true,
        );
        check("alpha", "beta", false);
    }

    #[test]
    fn normalising_is_blind_to_case_and_punctuation() {
        assert_eq!(
            normalise_fact(Some("API  version!"), "Must-match."),
            "api version must match"
        );
        assert_eq!(normalise_fact(None, "..."), "");
    }
}
