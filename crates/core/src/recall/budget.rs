//! Stage five: never more than asked.

use super::excerpt;
use super::{hit::VerifiedHit, query::RecallQuery, trust};
use crate::policy::InjectMode;

/// What is shown, within the count and the characters allowed, and what is withheld because it does not hold.
pub(super) fn fit_recall_budget(
    checked: Vec<VerifiedHit>,
    query: &RecallQuery,
) -> (Vec<VerifiedHit>, Vec<VerifiedHit>) {
    let (good, withheld): (Vec<_>, Vec<_>) = checked.into_iter().partition(VerifiedHit::is_good);
    // Where nothing is relevant, a few of the most recent must do.
    let is_fallback =
        query.mode == InjectMode::Relevant && good.iter().all(|it| it.hit.why.relevance == 0.0);
    let most = if is_fallback {
        query.fallback
    } else {
        usize::MAX
    };
    let count = query.count.min(most);
    let mut left = query.chars;
    let mut shown = Vec::new();
    for it in good {
        let chars = excerpt::excerpt_hit(&it).chars().count();
        if shown.len() < count && chars <= left {
            left -= chars;
            shown.push(it);
        }
    }
    (balance_outside_sources(shown), withheld)
}

/// Where little is shown, one source from outside has no more than its share of that either.
fn balance_outside_sources(mut shown: Vec<VerifiedHit>) -> Vec<VerifiedHit> {
    let is_over = |shown: &[VerifiedHit], at: usize| {
        let find_source = |it: &VerifiedHit| trust::find_outside_source(&it.hit.memory);
        let source = find_source(&shown[at]);
        let n_same = shown.iter().filter(|it| find_source(it) == source).count();
        source.is_some() && n_same > trust::outside_source_share(shown.len())
    };
    while let Some(at) = (0..shown.len()).rev().find(|at| is_over(&shown, *at)) {
        shown.remove(at);
    }
    shown
}
