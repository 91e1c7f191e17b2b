//! Stage four: nothing cited goes on without a verdict from the reader's own checkout.

use super::query::Query;
use super::rank::Hit;
use crate::Context;
use crate::verify::Verified;
use apostille_cite::look::NEAR;
use apostille_cite::verdict::{Verdict, standing};

/// A ranked memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The memory and its score.
    pub hit: Hit,
    /// One verdict for each citation, in order; none for a memory without citations.
    pub verdicts: Vec<Verdict>,
}

impl Checked {
    /// A memory that is told without having been asked for.
    #[must_use]
    pub fn unasked(it: Verified) -> Self {
        Self {
            hit: Hit::unasked(it.memory),
            verdicts: it.verdicts,
        }
    }

    /// The word for how it stands: the worst verdict, or `unverified` where nothing is cited.
    #[must_use]
    pub fn standing(&self) -> &'static str {
        standing(&self.verdicts)
    }

    /// Whether it may be shown.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_good)
    }
}

/// Looks up the citations of ranked memories, the best first, until enough of them hold. As many as are still wanted
/// are looked up together, so that they share one walk through the history.
pub(super) fn check(cx: &Context<'_>, hits: Vec<Hit>, query: &Query) -> Vec<Checked> {
    let mut reader = cx.citation_reader(NEAR);
    let mut hits = hits.into_iter().take(query.reach).peekable();
    let mut checked: Vec<Checked> = Vec::new();
    let mut n_good = 0;
    while n_good < query.count && hits.peek().is_some() {
        let next: Vec<Hit> = hits.by_ref().take(query.count - n_good).collect();
        let verdicts = reader.verdicts(
            &next
                .iter()
                .map(|it| it.memory.cited_claim())
                .collect::<Vec<_>>(),
        );
        let looked_up = next
            .into_iter()
            .zip(verdicts)
            .map(|(hit, verdicts)| Checked { hit, verdicts });
        let before = checked.len();
        checked.extend(looked_up);
        n_good += checked[before..].iter().filter(|it| it.is_good()).count();
    }
    checked
}
