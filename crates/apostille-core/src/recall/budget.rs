//! Stage five: never more than asked.

use super::excerpt;
use super::query::Query;
use super::verify::Checked;
use crate::policy::InjectMode;

/// What is shown, within the count and the characters allowed, and what is withheld because it does not hold.
pub(super) fn fit(checked: Vec<Checked>, query: &Query) -> (Vec<Checked>, Vec<Checked>) {
    let (good, withheld): (Vec<_>, Vec<_>) = checked.into_iter().partition(Checked::is_good);
    // Where nothing is relevant, a few of the most recent must do.
    let is_fallback = query.mode == InjectMode::Relevant && good.iter().all(|it| it.hit.why.relevance == 0.0);
    let count = if is_fallback { query.count.min(query.recent) } else { query.count };
    let mut left = query.chars;
    let mut shown = Vec::new();
    for it in good {
        let chars = excerpt::shown(&it).chars().count();
        if shown.len() < count && chars <= left {
            left -= chars;
            shown.push(it);
        }
    }
    (shown, withheld)
}
