//! Stage four: nothing cited goes on without a verdict from the reader's own checkout.

use std::collections::BTreeSet;

use super::{
    hit::{RecallHit, VerifiedHit},
    query::RecallQuery,
};
use crate::{
    Context, CoreError,
    branches::{VersionFamily, VersionFinder, VersionView, choose_version},
    judge::MemoryJudge,
    memory::{Memory, MemoryId},
};
use apostille_cite::{
    follow::{JudgedClaim, NEAR},
    standing::Showing,
};

/// What was looked up.
#[derive(Default)]
pub(super) struct CheckedHits {
    /// The best first.
    pub(super) hits: Vec<VerifiedHit>,
    /// How many were left out, because another version of them is among the hits or was shown before.
    pub(super) n_left_out: usize,
}

/// Looks up the citations of ranked memories, the best first, until enough of them hold.
///
/// Two costs pull in opposite directions. Following a citation may need git: a walk through the history costs about the
/// same for one citation as for twenty, so looking them up one by one pays for that walk again and again. But looking up
/// all candidates at once pays for memories that nobody will see, and an agent waits for this. So each round takes exactly
/// as many as are still missing: where everything holds, which is the usual case, there is one round and one walk, and a
/// memory that does not hold costs one more round with only its replacements in it. The judge is the same for all
/// rounds, so a file is read once.
///
/// What does not hold is kept in the result. It has a better rank than what takes its place, and the reader is told that
/// it exists: otherwise a memory that went stale would vanish without anybody repairing it.
pub(super) fn verify_hits(
    cx: &Context,
    hits: Vec<RecallHit>,
    query: &RecallQuery,
) -> Result<CheckedHits, CoreError> {
    let mut reader = HitReader::new(cx, query);
    let mut hits = hits.into_iter().take(query.reach).peekable();
    let mut checked = CheckedHits::default();
    while checked.count_good() < query.count && hits.peek().is_some() {
        let n_missing = query.count - checked.count_good();
        let next: Vec<RecallHit> = hits.by_ref().take(n_missing).collect();
        for hit in reader.judge_hits(next) {
            if reader.decided.contains(&hit.hit.memory.id) {
                checked.n_left_out += 1;
            } else if let Some(family) = reader.find_family(&hit)? {
                reader.choose_version_of(hit, &family, &mut checked);
            } else {
                checked.hits.push(hit);
            }
        }
    }
    Ok(checked)
}

impl CheckedHits {
    fn count_good(&self) -> usize {
        self.hits.iter().filter(|it| it.is_good()).count()
    }

    /// Takes out the version of a memory that was looked up before, and says where it was.
    fn take_version(&mut self, family: &VersionFamily) -> Option<(usize, VerifiedHit)> {
        let is_version = |it: &VerifiedHit| family.has(it.hit.memory.id);
        let at = self.hits.iter().position(is_version)?;
        Some((at, self.hits.remove(at)))
    }
}

/// Looks up hits, and of several versions of a memory finds the one to show.
struct HitReader<'a> {
    query: &'a RecallQuery,
    judge: MemoryJudge<'a>,
    finder: VersionFinder<'a>,
    /// The memories with several versions, of which one was chosen.
    decided: BTreeSet<MemoryId>,
}

impl<'a> HitReader<'a> {
    fn new(cx: &Context<'a>, query: &'a RecallQuery) -> Self {
        Self {
            query,
            judge: MemoryJudge::new(cx, NEAR),
            finder: VersionFinder::new(cx.store),
            decided: BTreeSet::new(),
        }
    }

    fn judge_hits(&mut self, hits: Vec<RecallHit>) -> Vec<VerifiedHit> {
        let judged = self.judge.judge_memories(hits.iter().map(|it| &it.memory));
        let pairs = hits.into_iter().zip(judged);
        pairs
            .map(|(hit, judged)| VerifiedHit::new(hit, judged))
            .collect()
    }

    /// The versions of a hit, where it has several. Most memories have one, so only what replaces another or does not stand
    /// is asked about.
    fn find_family(&mut self, hit: &VerifiedHit) -> Result<Option<VersionFamily>, CoreError> {
        let is_doubted = hit.standing().showing() != Showing::Plain;
        if hit.hit.memory.supersedes.is_none() && !is_doubted {
            return Ok(None);
        }
        self.finder.find_family(&hit.hit.memory, is_doubted)
    }

    /// Adds the version of a hit that stands in this tree: in its place, or in that of the version that came before it. Where
    /// that one was shown to the reader before, nothing is added.
    fn choose_version_of(
        &mut self,
        hit: VerifiedHit,
        family: &VersionFamily,
        checked: &mut CheckedHits,
    ) {
        self.decided.extend(family.members().map(|it| it.id));
        let before = checked.take_version(family);
        checked.n_left_out += usize::from(before.is_some());
        let at = before.as_ref().map_or(checked.hits.len(), |it| it.0);
        let rank = before.as_ref().map_or(&hit, |it| &it.1).hit.clone();
        let in_place = |it: &Memory| RecallHit {
            memory: it.clone(),
            ..rank.clone()
        };
        let versions = self.judge_hits(family.members().map(in_place).collect());
        let views: Vec<VersionView> = versions.iter().map(VersionView::from).collect();
        let chosen = choose_version(&views).filter(|id| !self.query.seen.contains(id));
        let mut versions = versions.into_iter();
        match versions.find(|it| Some(it.hit.memory.id) == chosen) {
            Some(mut shown) => {
                shown.beside = family.other_version_of(shown.hit.memory.id);
                checked.hits.insert(at, shown);
            }
            None => checked.n_left_out += 1,
        }
    }
}

impl VerifiedHit {
    fn new(hit: RecallHit, judged: JudgedClaim) -> Self {
        Self {
            hit,
            verdicts: judged.verdicts(),
            is_unmerged: judged.is_unmerged(),
            judgement: judged.judgement,
            beside: None,
            overruled_by: None,
        }
    }
}
