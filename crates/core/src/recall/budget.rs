//! Stage five: never more than asked.

use super::excerpt;
use super::hit::Checked;
use super::query::Query;
use super::trust;
use crate::policy::InjectMode;

/// What is shown, within the count and the characters allowed, and what is withheld because it does not hold.
pub(super) fn fit(checked: Vec<Checked>, query: &Query) -> (Vec<Checked>, Vec<Checked>) {
    let (good, withheld): (Vec<_>, Vec<_>) = checked.into_iter().partition(Checked::is_good);
    // Where nothing is relevant, a few of the most recent must do.
    let is_fallback =
        query.mode == InjectMode::Relevant && good.iter().all(|it| it.hit.why.relevance == 0.0);
    let count = if is_fallback {
        query.count.min(query.recent)
    } else {
        query.count
    };
    let mut left = query.chars;
    let mut shown = Vec::new();
    for it in good {
        let chars = excerpt::shown(&it).chars().count();
        if shown.len() < count && chars <= left {
            left -= chars;
            shown.push(it);
        }
    }
    (balanced(shown), withheld)
}

/// Where little is shown, one source from outside has no more than its share of that either.
fn balanced(mut shown: Vec<Checked>) -> Vec<Checked> {
    let is_over = |shown: &[Checked], at: usize| {
        let source = trust::source(&shown[at].hit.memory);
        let same = shown
            .iter()
            .filter(|it| trust::source(&it.hit.memory) == source)
            .count();
        source.is_some() && same > trust::share(shown.len())
    };
    while let Some(at) = (0..shown.len()).rev().find(|at| is_over(&shown, *at)) {
        shown.remove(at);
    }
    shown
}
