//! Stage four: nothing cited goes on without a verdict from the reader's own checkout.

use super::hit::{RecallHit, VerifiedHit};
use super::query::RecallQuery;
use crate::Context;
use apostille_cite::look::NEAR;

/// Looks up the citations of ranked memories, the best first, until enough of them hold. As many as are still wanted
/// are looked up together, so that they share one walk through the history.
pub(super) fn verify_hits(
    cx: &Context<'_>,
    hits: Vec<RecallHit>,
    query: &RecallQuery,
) -> Vec<VerifiedHit> {
    let mut reader = cx.citation_follower(NEAR);
    let mut hits = hits.into_iter().take(query.reach).peekable();
    let mut checked: Vec<VerifiedHit> = Vec::new();
    let mut n_good = 0;
    while n_good < query.count && hits.peek().is_some() {
        let next: Vec<RecallHit> = hits.by_ref().take(query.count - n_good).collect();
        let verdicts = reader.verify_claims(
            &next
                .iter()
                .map(|it| it.memory.cited_claim())
                .collect::<Vec<_>>(),
        );
        let looked_up = next
            .into_iter()
            .zip(verdicts)
            .map(|(hit, verdicts)| VerifiedHit { hit, verdicts });
        let before = checked.len();
        checked.extend(looked_up);
        n_good += checked[before..].iter().filter(|it| it.is_good()).count();
    }
    checked
}
