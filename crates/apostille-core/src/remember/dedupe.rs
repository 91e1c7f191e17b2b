//! Stage five: new, known, or much like something known. Nothing is merged silently.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Stop;
use super::guard::Vetted;
use crate::memory::{Handle, Memory, MemoryId, Name, Stage, Status, Twin, Voice};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::store::StoreError;
use crate::{Context, list, terms};

/// How many of a draft's terms are looked up to find its neighbours; a neighbour has more than half of them.
const PROBES: usize = 5;
/// How many neighbours are compared.
const NEIGHBOURS: usize = 5;
/// Token overlap from which two memories of one subject speak of the same thing.
const SAME_MATTER: f32 = 0.5;

/// What stands between a draft and a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They say nearly the same.
    NearDuplicate,
    /// They speak of the same subject and name different values.
    Contradiction,
}

impl Relation {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NearDuplicate => "near-duplicate",
            Self::Contradiction => "contradiction",
        }
    }
}

/// A memory much like a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Which.
    pub id: MemoryId,
    /// Its handle.
    pub handle: Handle,
    /// What it says.
    pub fact: String,
    /// How the two stand.
    pub relation: Relation,
    /// The overlap of their words, 0 to 1.
    pub overlap: f32,
}

/// What to do with a vetted draft.
pub(super) enum Decision {
    New,
    Known(Memory),
    Instead(Memory),
    Near(Vec<Near>),
}

/// Compares a draft with what the space holds. A draft that resembles nothing is new: should the very same claim have
/// hidden from the comparison, the write fails, and the second time the claim itself is looked up.
pub(super) fn decide(cx: &Context<'_>, vetted: &Vetted, is_first: bool) -> Result<Decision, Stop> {
    let memory = vetted.memory();
    let asks = matches!(vetted.twin(), Twin::Ask | Twin::Skip);
    let near =
        if asks { nearest(memory, &neighbours(cx, memory)?, cx.policy.near_duplicate) } else { Vec::new() };
    if is_first && asks && near.is_empty() {
        return Ok(Decision::New);
    }
    if let Some(known) = cx.store.claimed(&memory.space, &memory.claim())? {
        if rewrites(vetted, &known) {
            return Ok(Decision::Instead(known));
        }
        // What nobody vouches for refreshes nothing that is in use.
        let vouched = memory.is_active() || !known.is_active();
        return Ok(if vouched { Decision::Known(known) } else { Decision::Near(vec![same(&known)]) });
    }
    match vetted.twin() {
        Twin::Merge(name) | Twin::Replace(name, _) => {
            replaced(cx, &memory.space, *name, &memory.voice).map(Decision::Instead)
        }
        Twin::Create(_) => Ok(Decision::New),
        Twin::Ask | Twin::Skip => Ok(if near.is_empty() { Decision::New } else { Decision::Near(near) }),
    }
}

/// Whether a draft puts the words of this very memory differently: other case, spacing, punctuation or name of it.
fn rewrites(vetted: &Vetted, known: &Memory) -> bool {
    let memory = vetted.memory();
    let is_same = known.fact == memory.fact && known.subject == memory.subject;
    let is_waiting = known.status.stage() == Stage::Pending && memory.voice.is_person();
    replaces(vetted, known) && memory.is_active() && (is_waiting || known.is_active() && !is_same)
}

/// Whether a draft is to take the place of this very memory.
pub(super) fn replaces(vetted: &Vetted, known: &Memory) -> bool {
    match vetted.twin() {
        Twin::Replace(Name::Id(id), _) => *id == known.id,
        Twin::Replace(Name::Handle(handle), _) => *handle == known.handle(),
        _ => false,
    }
}

/// The active memory that a draft takes the place of. A person may also say instead what waits.
pub(super) fn replaced(cx: &Context<'_>, space: &Space, name: Name, voice: &Voice) -> Result<Memory, Stop> {
    let old = list::named(cx, std::slice::from_ref(space), name)?.filter(|it| it.space == *space);
    let old = old.ok_or_else(|| Refusal::NoSuchMemory { name: name.to_string() })?;
    match old.status {
        Status::Active => Ok(old),
        Status::Pending { .. } if voice.is_person() => Ok(old),
        _ => {
            Err(Refusal::NotActive { handle: old.handle(), stage: old.status.stage(), verb: "replaced" }
                .into())
        }
    }
}

/// What is in use and much like a memory that waits.
pub(crate) fn alike(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Near>, StoreError> {
    Ok(nearest(memory, &neighbours(cx, memory)?, SAME_MATTER))
}

/// The memories that share the draft's most telling terms, those that share the most first.
fn neighbours(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let probes = probes(memory);
    let postings = cx.store.postings(&memory.space, &probes)?;
    let mut numbers: Vec<u64> = postings.lists.iter().flatten().map(|it| it.number).collect();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b).filter(|run| run.len() > probes.len() / 2);
    let mut hits: Vec<(usize, u64)> = runs.map(|run| (run.len(), run[0])).collect();
    hits.sort_unstable_by(|a, b| b.cmp(a));
    let numbers: Vec<u64> = hits.into_iter().take(NEIGHBOURS).map(|(_, number)| number).collect();
    if numbers.is_empty() { Ok(Vec::new()) } else { cx.store.numbered(&memory.space, &numbers) }
}

/// The terms of a draft that are likely to be rare: of long words, and of names with digits in them.
fn probes(memory: &Memory) -> Vec<String> {
    let spoken = spoken(memory);
    let mut words: Vec<&str> = spoken.split_whitespace().collect();
    let telling = |word: &str| word.len() + if word.bytes().any(|it| it.is_ascii_digit()) { 3 } else { 0 };
    words.sort_by_cached_key(|it| (Reverse(telling(it)), *it));
    words.dedup();
    // Several words may be forms of one term.
    words.truncate(2 * PROBES);
    let mut probes: Vec<String> = terms::terms(&words.join(" ")).into_iter().map(|(term, _)| term).collect();
    probes.sort_unstable_by(|a, b| telling(b).cmp(&telling(a)).then_with(|| a.cmp(b)));
    probes.truncate(PROBES);
    probes
}

fn spoken(memory: &Memory) -> String {
    format!("{} {}", memory.subject.as_deref().unwrap_or(""), memory.fact)
}

fn nearest(memory: &Memory, neighbours: &[Memory], threshold: f32) -> Vec<Near> {
    let ours = normalised(memory.subject.as_deref(), &memory.fact);
    let ours = words(&ours);
    let is_beside = |it: &&Memory| it.layer == memory.layer && it.belongs_to() == memory.belongs_to();
    let beside = neighbours.iter().filter(is_beside);
    let mut near: Vec<Near> = beside.filter_map(|it| compare(memory, &ours, it, threshold)).collect();
    near.sort_by(|a, b| b.overlap.total_cmp(&a.overlap).then(a.handle.cmp(&b.handle)));
    near.truncate(3);
    near
}

fn compare(draft: &Memory, ours: &[&str], known: &Memory, threshold: f32) -> Option<Near> {
    let theirs = normalised(known.subject.as_deref(), &known.fact);
    let overlap = jaccard(ours, &words(&theirs));
    let contradicts = || {
        let same_subject =
            draft.subject.is_some() && fold(draft.subject.as_deref()) == fold(known.subject.as_deref());
        same_subject && overlap >= SAME_MATTER && numbers(&draft.fact) != numbers(&known.fact)
    };
    let relation = if contradicts() {
        Relation::Contradiction
    } else if overlap >= threshold {
        Relation::NearDuplicate
    } else {
        return None;
    };
    Some(Near { id: known.id, handle: known.handle(), fact: known.fact.clone(), relation, overlap })
}

fn same(known: &Memory) -> Near {
    let (relation, fact) = (Relation::NearDuplicate, known.fact.clone());
    Near { id: known.id, handle: known.handle(), fact, relation, overlap: 1.0 }
}

fn fold(text: Option<&str>) -> String {
    normalised(None, text.unwrap_or(""))
}

/// The words of a normalised text, sorted, each once.
pub(crate) fn words(normalised: &str) -> Vec<&str> {
    let mut words: Vec<&str> = normalised.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn numbers(fact: &str) -> BTreeSet<String> {
    let tokens = normalised(None, fact);
    tokens.split(' ').filter(|it| it.starts_with(|c: char| c.is_ascii_digit())).map(Into::into).collect()
}

/// The share of words that two sets have in common.
#[expect(clippy::cast_precision_loss, reason = "a text has few words")]
pub(crate) fn jaccard(a: &[&str], b: &[&str]) -> f32 {
    let both = a.iter().filter(|it| b.binary_search(it).is_ok()).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

/// Subject and fact in lower case, punctuation turned to spaces, runs of spaces to one.
#[must_use]
pub fn normalised(subject: Option<&str>, fact: &str) -> String {
    let mut out = String::with_capacity(fact.len() + subject.map_or(0, str::len) + 1);
    for text in [subject.unwrap_or(""), " ", fact] {
        if text.is_ascii() {
            // Most facts are, and this runs on every neighbour of every draft.
            text.bytes().for_each(|it| push_normalised(&mut out, char::from(it.to_ascii_lowercase())));
        } else {
            text.chars().flat_map(char::to_lowercase).for_each(|it| push_normalised(&mut out, it));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn push_normalised(out: &mut String, c: char) {
    if c.is_alphanumeric() {
        out.push(c);
    } else if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_001_near_duplicates_are_judged_on_normalised_words() {
        let check = |a: &str, b: &str, expected: bool| {
            let (ours, theirs) = (normalised(None, a), normalised(None, b));
            assert_eq!(jaccard(&words(&ours), &words(&theirs)) >= 0.85, expected, "{a:?} and {b:?}");
        };
        check("The test command is `cd evals && npm test`", "the test command is: cd evals; npm test!", true);
        check("Deploy target is AWS us-east-1", "Deploy target is AWS eu-west-2", false);
        check("one two three four five six seven", "one two three four five six seven eight", true);
        check("alpha", "beta", false);
    }

    #[test]
    fn normalising_is_blind_to_case_and_punctuation() {
        assert_eq!(normalised(Some("API  version!"), "Must-match."), "api version must match");
        assert_eq!(normalised(None, "..."), "");
    }
}
