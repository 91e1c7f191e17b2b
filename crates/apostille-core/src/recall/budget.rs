//! Stage five: never more than asked.

use super::query::Query;
use super::verify::Checked;

/// What is shown, within the count and the characters allowed, and what is withheld because it does not hold.
pub(super) fn fit(checked: Vec<Checked>, query: &Query) -> (Vec<Checked>, Vec<Checked>) {
    let (good, withheld): (Vec<_>, Vec<_>) = checked.into_iter().partition(Checked::is_good);
    let mut left = query.chars;
    let mut shown = Vec::new();
    for it in good {
        let chars = it.hit.memory.fact.chars().count();
        if shown.len() < query.count && chars <= left {
            left -= chars;
            shown.push(it);
        }
    }
    (shown, withheld)
}
