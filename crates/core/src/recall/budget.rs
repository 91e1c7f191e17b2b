//! Stage five: never more than asked.

use super::excerpt;
use super::{
    hit::VerifiedHit,
    query::{RecallQuery, Style},
    render::{CLOSE, OPEN, render_memory_line},
    trust,
};
use crate::policy::InjectMode;
use apostille_text::tokens::estimate_tokens;

/// What a budget makes of the hits.
pub(super) struct FittedHits {
    /// What is shown, within the count, the characters and the tokens allowed.
    pub(super) shown: Vec<VerifiedHit>,
    /// What does not hold.
    pub(super) withheld: Vec<VerifiedHit>,
    /// How many of those that match had no room.
    pub(super) n_unfit: usize,
}

/// Keeps what has room, the best first.
pub(super) fn fit_recall_budget(checked: Vec<VerifiedHit>, query: &RecallQuery) -> FittedHits {
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
    let mut room = RecallRoom::new(query);
    let mut shown = Vec::new();
    let mut n_unfit = 0;
    for it in good {
        match room.subtract(&it, query.style) {
            Some(left) if shown.len() < count => {
                room = left;
                shown.push(it);
            }
            None if it.hit.why.relevance > 0.0 => n_unfit += 1,
            _ => (),
        }
    }
    FittedHits {
        shown: balance_outside_sources(shown),
        withheld,
        n_unfit,
    }
}

/// What is left of each budget.
#[derive(Clone, Copy)]
struct RecallRoom {
    chars: usize,
    tokens: usize,
    line_chars: usize,
    counts_lines: bool,
}

impl RecallRoom {
    fn new(query: &RecallQuery) -> Self {
        let tokens = query.tokens;
        let tokens = tokens.map(|it| it.saturating_sub(frame_tokens(query)));
        Self {
            chars: query.chars,
            tokens: tokens.unwrap_or(usize::MAX),
            line_chars: query.line_chars.unwrap_or(usize::MAX),
            counts_lines: query.tokens.or(query.line_chars).is_some(),
        }
    }

    /// What is left beside a memory, where each budget has room for it.
    fn subtract(self, it: &VerifiedHit, style: Style) -> Option<Self> {
        let line = match self.counts_lines {
            true => render_memory_line(it, style),
            false => String::new(),
        };
        let chars = excerpt::excerpt_hit(it).chars().count();
        Some(Self {
            chars: self.chars.checked_sub(chars)?,
            tokens: self.tokens.checked_sub(estimate_tokens(&line) + 1)?,
            line_chars: self.line_chars.checked_sub(line.chars().count() + 1)?,
            ..self
        })
    }
}

/// What the frame around the memories takes.
fn frame_tokens(query: &RecallQuery) -> usize {
    match query.style {
        Style::Verified => estimate_tokens(&format!("{OPEN}\n[Memories]\n{CLOSE}\n")),
        Style::Plain => estimate_tokens("[Memories]\n"),
    }
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
