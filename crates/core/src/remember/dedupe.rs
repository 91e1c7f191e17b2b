//! Stage five: new, known, or much like something known. Nothing is merged silently.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Stop;
use super::contradict::{self, Modules, Stand};
use super::guard::Vetted;
use super::replaced::replaced;
use crate::memory::{Handle, Layer, Memory, MemoryId, Name, Replacement, Stage, Twin};
use crate::store::StoreError;
use crate::{Context, verify};
use apostille_text::overlap::{jaccard, normalised, words};
use apostille_text::terms;

/// How many of a draft's terms are looked up to find its neighbours; a neighbour has more than half of them.
const PROBES: usize = 5;
/// How many terms of its subject are looked up besides; a memory that has them may be of the same subject.
const SUBJECT_PROBES: usize = 2;
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
    /// It contradicts this one beyond doubt, and takes its place.
    Newer(Memory, Near),
    Near(Vec<Near>),
}

/// Compares a draft with what the space holds. A draft that resembles nothing is new: should the very same claim have
/// hidden from the comparison, the write fails, and the second time the claim itself is looked up.
pub(super) fn decide(cx: &Context<'_>, vetted: &Vetted, is_first: bool) -> Result<Decision, Stop> {
    let memory = vetted.memory();
    let is_plain = matches!(vetted.twin(), Twin::Ask | Twin::Skip);
    let asks = is_plain || matches!(vetted.twin(), Twin::Replace(_, Replacement::Promotion));
    let known = if asks {
        neighbours(cx, memory)?
    } else {
        Vec::new()
    };
    let near = nearest(memory, &known, cx.policy.near_duplicate);
    if is_first && is_plain && near.is_empty() {
        return Ok(Decision::New);
    }
    if let Some(known) = cx.store.get_by_claim(&memory.space, &memory.claim())? {
        if rewrites(vetted, &known) {
            return Ok(Decision::Instead(known));
        }
        // What nobody vouches for refreshes nothing that is in use.
        let vouched = memory.is_active() || !known.is_active();
        return Ok(if vouched {
            Decision::Known(known)
        } else {
            Decision::Near(vec![same(&known)])
        });
    }
    match vetted.twin() {
        Twin::Replace(_, Replacement::Promotion) if !near.is_empty() => Ok(Decision::Near(near)),
        Twin::Merge(name) | Twin::Replace(name, _) => {
            replaced(cx, &memory.space, *name, &memory.voice).map(Decision::Instead)
        }
        Twin::Create(_) => Ok(Decision::New),
        Twin::Ask | Twin::Skip if near.is_empty() => Ok(Decision::New),
        Twin::Ask => Ok(newer(vetted, known, near)),
        Twin::Skip => Ok(Decision::Near(near)),
    }
}

/// A draft takes the place of the one memory that it contradicts beyond doubt, if it would be in use by itself and has
/// as good a voice and proof. Everything else is asked about.
fn newer(vetted: &Vetted, known: Vec<Memory>, mut near: Vec<Near>) -> Decision {
    let draft = vetted.memory();
    let is_fit = |old: &Memory| {
        let has_proof = old.citations.is_empty() || !draft.citations.is_empty();
        let is_trusted = draft.voice.origin <= old.voice.origin;
        let is_opposed = is_one_subject(draft, old)
            && contradict::stand(&draft.fact, &old.fact) == Stand::Opposed;
        old.is_active()
            && is_trusted
            && has_proof
            && is_opposed
            && contradict::modules(draft, old) == Modules::Same
    };
    let is_able = draft.is_active() && !vetted.is_forced() && draft.layer == Layer::Knowledge;
    let old = match &*near {
        [one] if is_able => known.into_iter().find(|it| it.id == one.id && is_fit(it)),
        _ => None,
    };
    match (old, near.pop()) {
        (Some(old), Some(one)) => Decision::Newer(old, one),
        (_, last) => Decision::Near(near.into_iter().chain(last).collect()),
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

/// What is in use and much like a memory that waits.
pub(crate) fn alike(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Near>, StoreError> {
    Ok(nearest(memory, &neighbours(cx, memory)?, SAME_MATTER))
}

/// What something resembles, as it may be told: what a memory says that does not hold here is not repeated.
pub fn told(cx: &Context<'_>, near: Vec<Near>) -> Result<Vec<Near>, StoreError> {
    let ids: Vec<_> = near.iter().map(|it| it.id).collect();
    let looked_up = verify::look(cx, cx.store.get_by_ids(&ids)?);
    let standing = |id| {
        looked_up
            .iter()
            .find(|it| it.memory.id == id && !it.is_good())
            .map(verify::Verified::standing)
    };
    let told = |it: Near| match standing(it.id) {
        Some(standing) => Near {
            fact: format!("(its citations are {standing} here)"),
            ..it
        },
        None => it,
    };
    Ok(near.into_iter().map(told).collect())
}

/// The memories that share the draft's most telling terms, or those of its subject; those that share the most first.
fn neighbours(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let mut probes = telling(&spoken(memory), PROBES);
    let half = probes.len() / 2;
    let topic = telling(memory.subject.as_deref().unwrap_or(""), SUBJECT_PROBES);
    let extra: Vec<String> = topic
        .iter()
        .filter(|it| !probes.contains(it))
        .cloned()
        .collect();
    probes.extend(extra);
    let postings = cx.store.postings(&memory.space, &probes)?;
    let lists = probes.iter().zip(&postings.lists);
    let mut numbers: Vec<(u64, bool)> = lists
        .flat_map(|(term, list)| list.iter().map(move |it| (it.number, term)))
        .map(|(number, term)| (number, topic.contains(term)))
        .collect();
    numbers.sort_unstable();
    let is_near = |run: &&[(u64, bool)]| {
        let of_topic = run.iter().filter(|it| it.1).count();
        run.len() > half || (of_topic > 0 && of_topic == topic.len())
    };
    let runs = numbers.chunk_by(|a, b| a.0 == b.0).filter(is_near);
    let mut hits: Vec<(usize, u64)> = runs.map(|run| (run.len(), run[0].0)).collect();
    hits.sort_unstable_by(|a, b| b.cmp(a));
    let numbers: Vec<u64> = hits
        .into_iter()
        .take(NEIGHBOURS)
        .map(|(_, number)| number)
        .collect();
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
fn telling(spoken: &str, n: usize) -> Vec<String> {
    let mut words: Vec<&str> = spoken.split_whitespace().collect();
    let telling = |word: &str| {
        word.len()
            + if word.bytes().any(|it| it.is_ascii_digit()) {
                3
            } else {
                0
            }
    };
    words.sort_by_cached_key(|it| (Reverse(telling(it)), *it));
    words.dedup();
    // Several words may be forms of one term.
    words.truncate(2 * n);
    let mut probes: Vec<String> = terms::terms(&words.join(" "))
        .into_iter()
        .map(|(term, _)| term)
        .collect();
    probes.sort_unstable_by(|a, b| telling(b).cmp(&telling(a)).then_with(|| a.cmp(b)));
    probes.truncate(n);
    probes
}

fn spoken(memory: &Memory) -> String {
    format!(
        "{} {}",
        memory.subject.as_deref().unwrap_or(""),
        memory.fact
    )
}

fn nearest(memory: &Memory, neighbours: &[Memory], threshold: f32) -> Vec<Near> {
    let ours = spoken_of(memory);
    let ours = words(&ours);
    let is_beside =
        |it: &&Memory| it.layer == memory.layer && it.belongs_to() == memory.belongs_to();
    let beside = neighbours.iter().filter(is_beside);
    let mut near: Vec<Near> = beside
        .filter_map(|it| compare(memory, &ours, it, threshold))
        .collect();
    near.sort_by(|a, b| {
        b.overlap
            .total_cmp(&a.overlap)
            .then(a.handle.cmp(&b.handle))
    });
    near.truncate(3);
    near
}

fn compare(draft: &Memory, ours: &[&str], known: &Memory, threshold: f32) -> Option<Near> {
    let theirs = spoken_of(known);
    let overlap = jaccard(ours, &words(&theirs));
    let relation = match stand_at(draft, known, overlap) {
        // Of different modules both may be right.
        Stand::Doubtful | Stand::Opposed if contradict::modules(draft, known) == Modules::Apart => {
            return None;
        }
        Stand::Doubtful | Stand::Opposed => Relation::Contradiction,
        Stand::Compatible if overlap >= threshold => Relation::NearDuplicate,
        Stand::Compatible => return None,
    };
    Some(Near {
        id: known.id,
        handle: known.handle(),
        fact: known.fact.clone(),
        relation,
        overlap,
    })
}

/// Whether two memories have a subject, and the same one.
#[must_use]
pub fn is_one_subject(a: &Memory, b: &Memory) -> bool {
    a.subject.is_some() && fold(a.subject.as_deref()) == fold(b.subject.as_deref())
}

/// How a newer memory stands to an older one, whatever their modules. Only of one subject can they contradict.
#[must_use]
pub fn stand(new: &Memory, old: &Memory) -> Stand {
    let (ours, theirs) = (spoken_of(new), spoken_of(old));
    stand_at(new, old, jaccard(&words(&ours), &words(&theirs)))
}

fn spoken_of(memory: &Memory) -> String {
    normalised(memory.subject.as_deref(), &memory.fact)
}

/// The same with this overlap of their words.
fn stand_at(new: &Memory, old: &Memory, overlap: f32) -> Stand {
    if !is_one_subject(new, old) {
        return Stand::Compatible;
    }
    let is_one_matter = overlap >= SAME_MATTER;
    match contradict::stand(&new.fact, &old.fact) {
        Stand::Opposed => Stand::Opposed,
        _ if is_one_matter && numbers(&new.fact) != numbers(&old.fact) => Stand::Doubtful,
        Stand::Doubtful if is_one_matter => Stand::Doubtful,
        _ => Stand::Compatible,
    }
}

fn same(known: &Memory) -> Near {
    let (relation, fact) = (Relation::NearDuplicate, known.fact.clone());
    Near {
        id: known.id,
        handle: known.handle(),
        fact,
        relation,
        overlap: 1.0,
    }
}

fn fold(text: Option<&str>) -> String {
    normalised(None, text.unwrap_or(""))
}

fn numbers(fact: &str) -> BTreeSet<String> {
    let tokens = normalised(None, fact);
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
    fn seed_001_near_duplicates_are_judged_on_normalised_words() {
        let check = |a: &str, b: &str, expected: bool| {
            let (ours, theirs) = (normalised(None, a), normalised(None, b));
            assert_eq!(
                jaccard(&words(&ours), &words(&theirs)) >= 0.85,
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
            normalised(Some("API  version!"), "Must-match."),
            "api version must match"
        );
        assert_eq!(normalised(None, "..."), "");
    }
}
