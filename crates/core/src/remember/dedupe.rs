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
//! 3. *Does it say the opposite?* Values that may not both be true, of one subject or in one sentence; `relation` compares
//!    them, for `audit` as well. Only of one subject and module a draft may take another's place without a question, and
//!    only where four things hold: it would be in use by itself, its source is
//!    trusted as much, it has proof where the old one had, and the old one is the only neighbour. Otherwise an agent could
//!    replace what a person said by claiming the opposite.
//!
//! What nobody vouches for refreshes nothing that is in use: repeating a rumour must not make a known fact look confirmed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{
    EarlyEnd,
    guard::{Vetted, can_settle_memory},
    modules::{self, ModuleOverlap},
    relation::{ComparedMemory, cites_other_files},
    replacement::find_replaced_memory,
};
use crate::{
    Context, branches,
    evidence::Evidence,
    memory::{DuplicateChoice, Handle, Layer, Memory, MemoryId, MemoryName, Stage},
    refusal::Refusal,
    store::StoreError,
    verify::{self, VerifiedMemory},
};
use apostille_cite::standing::Showing;
use apostille_text::{contradict, contradict::FactRelation, terms, words::words};

/// How many of a draft's terms are looked up to find its neighbours; a neighbour has more than half of them.
const PROBES: usize = 5;
/// How many terms of its subject are looked up besides; a memory that has them may be of the same subject.
const SUBJECT_PROBES: usize = 2;
/// How many neighbours are compared.
const NEIGHBOURS: usize = 12;
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
    /// It says the same of another file, and is kept beside the other under this subject.
    Beside(String),
}

impl DuplicateDecision {
    /// Whether breakers and guardian are asked about it: what is known may always be stated again.
    pub(super) fn brings_something_new(&self, vetted: &Vetted) -> bool {
        match self {
            Self::Near(_) => false,
            Self::Known(known) => {
                vetted.on_duplicate.replaced_name().is_some() || can_settle_memory(vetted, known)
            }
            Self::New | Self::Replace(_) | Self::ReplaceContradicted(..) | Self::Beside(_) => true,
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
    let draft = ComparedMemory::new(memory);
    let mut near = rank_near_memories(&draft, &neighbours, cx.policy.near_duplicate);
    drop_other_versions(cx, &neighbours, &mut near)?;
    let restated = find_restated_memory(&draft, &neighbours);
    if is_first && is_plain && near.is_empty() && restated.is_none() {
        return Ok(DuplicateDecision::New);
    }
    let known = cx
        .store
        .get_by_claim(&memory.space, &memory.claim_digest())?;
    if let Some(known) = known.or(restated) {
        refuse_waiting_tags(vetted, &known)?;
        return Ok(decide_restatement(cx, vetted, known));
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

/// Of several versions of one memory, a draft is compared with the one that is shown here: what another branch says is not
/// contradicted by what this one does.
fn drop_other_versions(
    cx: &Context,
    neighbours: &[Memory],
    near: &mut Vec<NearMemory>,
) -> Result<(), StoreError> {
    let is_near = |it: &&Memory| near.iter().any(|near| near.id == it.id);
    let memories: Vec<&Memory> = neighbours.iter().filter(is_near).collect();
    if near.len() < 2 || branches::find_version_families(cx, &memories, |_| false)?.is_empty() {
        return Ok(());
    }
    let memories = memories.into_iter().cloned().collect();
    let mut looked_up = verify::follow_memory_citations(cx, memories);
    looked_up.retain(|it| it.is_outranked);
    near.retain(|it| looked_up.iter().all(|other| other.memory.id != it.id));
    Ok(())
}

/// What to do with a draft that says what is known. The same words about another file may be about another thing, which
/// stands and falls by itself: that is asked about, and where both are wanted, the subject says which is which.
fn decide_restatement(cx: &Context, vetted: &Vetted, known: Memory) -> DuplicateDecision {
    let memory = &vetted.memory;
    if is_rewrite_of_known(vetted, &known) {
        return DuplicateDecision::Replace(known);
    }
    let is_elsewhere = known.is_active() && cites_other_files(memory, &known);
    // What nobody vouches for refreshes nothing that is in use.
    let is_vouched = memory.is_active() || !known.is_active();
    match vetted.on_duplicate {
        DuplicateChoice::Create(_) if is_elsewhere => {
            DuplicateDecision::Beside(name_subject_by_file(cx, memory))
        }
        DuplicateChoice::Ask | DuplicateChoice::Skip if is_elsewhere => {
            ask_about_restatement(&known)
        }
        _ if is_vouched => DuplicateDecision::Known(known),
        _ => ask_about_restatement(&known),
    }
}

/// The same words with other tags cannot wait beside the memory that has the words, so they are not kept at all.
fn refuse_waiting_tags(vetted: &Vetted, known: &Memory) -> Result<(), Refusal> {
    let memory = &vetted.memory;
    let is_change = is_replacement_of_known(vetted, known) && memory.tags != known.tags;
    if !is_change || memory.is_active() || !known.is_active() {
        return Ok(());
    }
    let verb = "change the tags of what a person said";
    Err(Refusal::PersonDecides { verb })
}

fn ask_about_restatement(known: &Memory) -> DuplicateDecision {
    let same = NearMemory::new(known, DraftRelation::NearDuplicate, 1.0);
    DuplicateDecision::Near(vec![same])
}

/// A subject that tells a draft from what says the same of another file.
fn name_subject_by_file(cx: &Context, memory: &Memory) -> String {
    let path = memory.citations.first().map_or("", |it| it.path.as_str());
    let name = |place: &str| match &memory.subject {
        Some(subject) => format!("{subject} ({place})"),
        None => place.to_owned(),
    };
    let file = path.rsplit('/').next().unwrap_or(path);
    let fits = |it: &String| it.chars().count() <= cx.policy.limits.subject_chars;
    Some(name(path)).filter(fits).unwrap_or_else(|| {
        name(file)
            .chars()
            .take(cx.policy.limits.subject_chars)
            .collect()
    })
}

/// What makes the very statement of a draft in the same place; one of them may leave its subject out.
fn find_restated_memory(draft: &ComparedMemory, neighbours: &[Memory]) -> Option<Memory> {
    let is_restated = |it: &&Memory| {
        it.is_active()
            && is_beside(draft.memory, it)
            && draft.gist.restates(&ComparedMemory::new(it).gist)
    };
    neighbours.iter().find(is_restated).cloned()
}

/// Whether two are looked for together: in one layer, of one task or session.
fn is_beside(a: &Memory, b: &Memory) -> bool {
    a.layer == b.layer && a.task_or_session() == b.task_or_session()
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
        let is_opposed = ComparedMemory::new(draft)
            .relate_to(&ComparedMemory::new(old), 1.0)
            .is_some_and(|it| it == FactRelation::Opposed);
        old.is_active()
            && is_trusted
            && !is_said_before(draft, old)
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

/// Whether a draft repeats what the user said before a memory was stated, in a past conversation: then it is the older of the two.
fn is_said_before(draft: &Memory, old: &Memory) -> bool {
    draft.evidence.iter().any(|it| match it {
        Evidence::Said(said) => {
            Some(&said.session) != draft.voice.session.as_ref()
                && said.at.is_some_and(|at| at < old.refreshed_at)
        }
        Evidence::Ran(_) | Evidence::Review(_) | Evidence::Episodes(_) | Evidence::Memories(_) => {
            false
        }
    })
}

/// Whether a draft puts the words of this very memory differently: other case, spacing, punctuation, name or tags of it.
fn is_rewrite_of_known(vetted: &Vetted, known: &Memory) -> bool {
    let memory = &vetted.memory;
    let is_same =
        known.fact == memory.fact && known.subject == memory.subject && known.tags == memory.tags;
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
    Ok(rank_near_memories(
        &ComparedMemory::new(memory),
        &neighbours,
        SAME_MATTER,
    ))
}

/// What something resembles, as it may be told: what a memory says that does not hold here is not repeated.
pub fn withhold_stale_facts(
    cx: &Context,
    mut near: Vec<NearMemory>,
) -> Result<Vec<NearMemory>, StoreError> {
    let ids: Vec<_> = near.iter().map(|it| it.id).collect();
    let looked_up = verify::follow_memory_citations(cx, cx.store.get_by_ids(&ids)?);
    // What this draft just replaced is told, unless the code speaks against it.
    let is_stale = |it: &&VerifiedMemory| match it.is_superseded() {
        true => it.standing().showing() == Showing::Withheld,
        false => !it.is_good(),
    };
    for stale in looked_up.iter().filter(is_stale) {
        for it in near.iter_mut().filter(|it| it.id == stale.memory.id) {
            it.fact = format!("(not repeated: it is {} here)", stale.standing());
        }
    }
    Ok(near)
}

/// What is looked up to find a draft's neighbours.
struct NeighbourProbes {
    terms: Vec<String>,
    /// How many of the first terms are the draft's own; a neighbour has more than half of them.
    n_own: usize,
    /// Those of its subject; a memory that has them all may be of the same subject.
    subject: Vec<String>,
    /// Those of the file that it cites; a memory that has them all may cite the same lines.
    file: Vec<String>,
    /// What its rivals name instead; a memory that has one may say otherwise.
    rivals: Vec<String>,
}

impl NeighbourProbes {
    fn new(memory: &Memory) -> Self {
        let subject = memory.subject.as_deref().unwrap_or("");
        let own = pick_rare_terms(&format!("{subject} {}", memory.fact), PROBES);
        let path = memory.citations.first().map_or("", |it| it.path.as_str());
        let file = pick_rare_terms(path.rsplit('/').next().unwrap_or(path), SUBJECT_PROBES);
        let subject = pick_rare_terms(subject, SUBJECT_PROBES);
        let rivals = contradict::list_rival_values(&memory.fact);
        let rivals: Vec<String> = rivals.into_iter().map(Into::into).collect();
        let n_own = own.len();
        let mut terms = own;
        for term in subject.iter().chain(&file).chain(&rivals) {
            if !terms.contains(term) {
                terms.push(term.clone());
            }
        }
        Self {
            terms,
            n_own,
            subject,
            file,
            rivals,
        }
    }

    /// Whether a memory that has these of the terms is a neighbour.
    fn accept_terms(&self, found: &[&String]) -> bool {
        let has_all =
            |part: &[String]| !part.is_empty() && part.iter().all(|term| found.contains(&term));
        let is_own = |term: &&&String| self.terms[..self.n_own].contains(term);
        let n_own = found.iter().filter(is_own).count();
        let has_rival = self.rivals.iter().any(|term| found.contains(&term));
        n_own > self.n_own / 2
            || has_all(&self.subject)
            || has_all(&self.file)
            // The value itself is one of the draft's terms, and the rival lacks it.
            || (has_rival && 2 * (n_own + 1) >= self.n_own)
    }
}

/// The memories that share the draft's most telling terms, those of its subject or file, or name a rival of its value; those
/// that share the most first.
fn find_neighbours(cx: &Context, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let probes = NeighbourProbes::new(memory);
    let postings = cx.store.read_postings(&memory.space, &probes.terms)?;
    let mut shared: BTreeMap<u64, Vec<&String>> = BTreeMap::new();
    for (term, list) in probes.terms.iter().zip(&postings.lists) {
        for posting in list {
            shared.entry(posting.number).or_default().push(term);
        }
    }
    shared.retain(|_, found| probes.accept_terms(found));
    let mut numbers: Vec<u64> = shared.keys().rev().copied().collect();
    numbers.sort_by_key(|it| Reverse(shared[it].len()));
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

fn rank_near_memories(
    draft: &ComparedMemory,
    neighbours: &[Memory],
    threshold: f32,
) -> Vec<NearMemory> {
    let beside = neighbours.iter().filter(|it| is_beside(draft.memory, it));
    let compare = |it| compare_with_known(draft, &ComparedMemory::new(it), threshold);
    let mut near: Vec<NearMemory> = beside.filter_map(compare).collect();
    near.sort_by(|a, b| {
        let by_overlap = b.overlap.total_cmp(&a.overlap);
        by_overlap.then(a.handle.cmp(&b.handle))
    });
    near.truncate(3);
    near
}

fn compare_with_known(
    draft: &ComparedMemory,
    known: &ComparedMemory,
    threshold: f32,
) -> Option<NearMemory> {
    let relation = match draft.relate_to(known, threshold)? {
        FactRelation::NearDuplicate => DraftRelation::NearDuplicate,
        FactRelation::Doubtful | FactRelation::Opposed => DraftRelation::Contradiction,
    };
    let overlap = draft.gist.measure_overlap(&known.gist);
    Some(NearMemory::new(known.memory, relation, overlap))
}

#[cfg(test)]
mod tests {
    use apostille_text::overlap::{
        collect_distinct_words, measure_jaccard_overlap, normalise_fact,
    };

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
