//! Stage four: nothing cited goes on without a verdict from the reader's own checkout.

use super::hit::{RecallHit, VerifiedHit};
use super::query::RecallQuery;
use crate::Context;
use apostille_cite::follow::NEAR;

/// Looks up the citations of ranked memories, the best first, until enough of them hold.
///
/// Two costs pull in opposite directions. Following a citation may need git: a walk through the history costs about the
/// same for one citation as for twenty, so looking them up one by one pays for that walk again and again. But looking up
/// all candidates at once pays for memories that nobody will see, and an agent waits for this. So each round takes exactly
/// as many as are still missing: where everything holds, which is the usual case, there is one round and one walk, and a
/// memory that does not hold costs one more round with only its replacements in it. The follower is the same for all
/// rounds, so a file is read once.
///
/// What does not hold is kept in the result. It has a better rank than what takes its place, and the reader is told that
/// it exists: otherwise a memory that went stale would vanish without anybody repairing it.
pub(super) fn verify_hits(
    cx: &Context,
    hits: Vec<RecallHit>,
    query: &RecallQuery,
) -> Vec<VerifiedHit> {
    let mut reader = cx.citation_follower(NEAR);
    let mut hits = hits.into_iter().take(query.reach).peekable();
    let mut checked: Vec<VerifiedHit> = Vec::new();
    let mut n_good = 0;
    while n_good < query.count && hits.peek().is_some() {
        let next: Vec<RecallHit> = hits.by_ref().take(query.count - n_good).collect();
        let claims: Vec<_> = next.iter().map(|it| it.memory.cited_claim()).collect();
        let judged = reader.judge_claims(&claims);
        for (hit, judged) in next.into_iter().zip(judged) {
            let hit = VerifiedHit {
                hit,
                verdicts: judged.verdicts(),
                judgement: judged.judgement,
            };
            n_good += usize::from(hit.is_good());
            checked.push(hit);
        }
    }
    checked
}
