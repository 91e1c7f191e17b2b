//! Stage one: a question as it was asked becomes a question that is complete.

use std::collections::BTreeSet;

use crate::{
    address::MemoryAddress,
    memory::{Layer, Memory, MemoryId},
    policy::{InjectMode, MAX_TIER, Policy, Scoring, is_in_tier},
    space::Space,
};
use apostille_cite::citation::RepoPath;
use apostille_text::{
    secrets, terms,
    terms::{QueryTerm, TermRole},
    words::words,
};

use super::{filter::RecallFilter, hit::VerifiedHit};

words! {
    /// How well a memory must answer to be shown.
    RelevanceBar as "bar" {
        /// At all.
        Any = "any",
        /// With a word that tells what the question is about, and not far worse than the best.
        Near = "near",
        /// Probably: for orders, which meet conventions and rules more often than not.
        Likely = "likely",
        /// Clearly: nothing is better than something beside the point.
        Clear = "clear",
        /// Beyond doubt: for words that seldom need a memory.
        Certain = "certain",
    }
}

words! {
    /// How a block is written.
    Style as "style" {
        /// Handle, tag, verdict and place; wrapped.
        Verified = "verified",
        /// Handle and tag, nothing else.
        Plain = "plain",
    }
}

/// The longest question that is read, in characters.
const MAX_CHARS: usize = 4_000;
/// How much of the words of a question the log keeps, in characters.
const LOGGED_CHARS: usize = 200;
/// How many terms of a question are looked up; the weightiest, when there are more.
const MAX_TERMS: usize = 64;

/// How many candidates are read at least, so that the mild factors of ranking have something to choose from.
const MIN_REACH: usize = 16;
/// How many candidates are read at most, however many of them do not hold.
const MAX_REACH: usize = 400;

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecallRequest {
    /// The words.
    pub text: String,
    /// The spaces to look in, the nearest first.
    pub spaces: Vec<Space>,
    /// The layers to look in; that of the address unless said, else knowledge.
    pub layers: Vec<Layer>,
    /// The files in play: memories that cite them come first.
    pub paths: Vec<RepoPath>,
    /// Which memories; the policy's mode unless said.
    pub mode: Option<InjectMode>,
    /// At most so many memories.
    pub count: Option<usize>,
    /// At most so many characters of memory text.
    pub chars: Option<usize>,
    /// At most so many tokens of the block, estimated.
    pub tokens: Option<usize>,
    /// At most so many characters of lines as they are rendered, for a page that has room for so many.
    pub line_chars: Option<usize>,
    /// How the block is written.
    pub style: Option<Style>,
    /// Memories that the asker has seen already and is not shown again.
    pub seen: BTreeSet<MemoryId>,
    /// How well a memory must answer; nearly as well as the best unless said.
    pub bar: Option<RelevanceBar>,
    /// How many of the most recent are shown where nothing answers. Unless said, none; the notebook, which is for injection
    /// alone, has its policy's.
    pub fallback: Option<usize>,
    /// What a memory must be to answer at all.
    pub filter: RecallFilter,
    /// Which tier of memories is meant; every one unless said.
    pub tier: Option<u8>,
}

/// A question with nothing left open.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    /// The words, bounded.
    pub text: String,
    /// The terms they ask for.
    pub terms: Vec<QueryTerm>,
    /// The spaces to look in.
    pub spaces: Vec<Space>,
    /// The layers to look in.
    pub layers: Vec<Layer>,
    /// The files in play.
    pub paths: Vec<RepoPath>,
    /// Which memories.
    pub mode: InjectMode,
    /// How they are scored.
    pub scoring: Scoring,
    /// At most so many memories.
    pub count: usize,
    /// At most so many characters.
    pub chars: usize,
    /// At most so many tokens of the block.
    pub tokens: Option<usize>,
    /// At most so many characters of rendered lines.
    pub line_chars: Option<usize>,
    /// How many of the most recent are shown where nothing answers.
    pub fallback: usize,
    /// How many candidates of a space are read and looked up.
    pub reach: usize,
    /// How the block is written.
    pub style: Style,
    /// Memories that are not shown again.
    pub seen: BTreeSet<MemoryId>,
    /// How well a memory must answer.
    pub bar: RelevanceBar,
    /// What a memory must be to answer at all.
    pub filter: RecallFilter,
    /// Which tier of memories is meant.
    pub tier: u8,
    /// The memories that cite the path of the filter by a name that it had before.
    pub moved: BTreeSet<MemoryId>,
}

/// Fills in what the asker left open.
pub fn complete_query(policy: &Policy, ask: &RecallRequest) -> RecallQuery {
    let text: String = ask.text.chars().take(MAX_CHARS).collect();
    let count = ask.count.unwrap_or(policy.inject.count);
    let mut spaces = Vec::new();
    for space in &ask.spaces {
        if !spaces.contains(space) {
            spaces.push(space.clone());
        }
    }
    let mut layers = ask.layers.clone();
    if layers.is_empty() {
        let address = ask.filter.address.as_ref();
        let named = address.and_then(MemoryAddress::layer);
        layers.push(named.unwrap_or(Layer::Knowledge));
    }
    // Who asks nothing is shown the most recent.
    let fallback = ask.fallback.unwrap_or(match policy.scoring {
        Scoring::Overlap => policy.inject.fallback,
        Scoring::Bm25 => 0,
    });
    let is_open = text.trim().is_empty() && ask.paths.is_empty() && fallback == 0;
    let mode = match ask.mode.unwrap_or(policy.inject.mode) {
        InjectMode::Relevant if is_open => InjectMode::RecentOnly,
        mode => mode,
    };
    RecallQuery {
        terms: keep_weightiest_terms(terms::extract_query_terms(&text)),
        text,
        spaces,
        layers,
        paths: ask.paths.clone(),
        mode,
        scoring: policy.scoring,
        count,
        reach: (count.saturating_mul(2)).clamp(MIN_REACH, MAX_REACH),
        chars: ask.chars.unwrap_or(match ask.tokens.or(ask.line_chars) {
            Some(_) => usize::MAX,
            None => policy.inject.chars,
        }),
        tokens: ask.tokens,
        line_chars: ask.line_chars,
        fallback,
        style: ask.style.unwrap_or(Style::Verified),
        seen: ask.seen.clone(),
        bar: ask.bar.unwrap_or(RelevanceBar::Near),
        filter: ask.filter.clone(),
        tier: ask.tier.unwrap_or(MAX_TIER),
        moved: BTreeSet::new(),
    }
}

fn keep_weightiest_terms(mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    if terms.len() > MAX_TERMS {
        terms.sort_by(|a, b| {
            let by_content = b.is_content().cmp(&a.is_content());
            by_content.then(b.weight.total_cmp(&a.weight))
        });
        terms.truncate(MAX_TERMS);
    }
    terms
}

impl RecallQuery {
    /// Whether a memory may answer at all, whatever it says.
    pub(super) fn admits_memory(&self, memory: &Memory) -> bool {
        memory.is_active()
            && self.layers.contains(&memory.layer)
            && !self.seen.contains(&memory.id)
            && self.filter.admits_memory(memory, &self.moved)
            && is_in_tier(memory, self.tier)
    }

    /// How many words of the question say what it is about.
    pub(super) fn count_words(&self) -> usize {
        let is_word = |it: &&QueryTerm| matches!(it.role, TermRole::Content | TermRole::Chat);
        self.terms.iter().filter(is_word).count()
    }

    /// Whether the most recent do where nothing answers. Who asks about a file alone is not helped by what is recent.
    pub(super) fn wants_fallback(&self) -> bool {
        let is_about_words = self.paths.is_empty() || !self.text.trim().is_empty();
        self.fallback > 0 && self.mode == InjectMode::Relevant && is_about_words
    }

    /// Looks further when too little of what was found may be shown, and there may be more. `false`: this is all.
    pub(super) fn widen_reach(&mut self, checked: &[VerifiedHit], n_left_out: usize) -> bool {
        let n_good = checked.iter().filter(|it| it.is_good()).count();
        let n_seen = checked.len() + n_left_out;
        let is_short = n_good < self.count && n_seen >= self.reach && self.reach < MAX_REACH;
        if is_short {
            self.reach = (self.reach * 8).min(MAX_REACH);
        }
        is_short
    }
}

/// What the log keeps of a question: its words that stand in what was shown, bounded. The others are the asker's own, who may have
/// said them to an agent in confidence, and others read the log.
pub(crate) fn list_matched_words<'a>(
    question: &[QueryTerm],
    shown: impl IntoIterator<Item = &'a Memory>,
) -> String {
    let texts = shown.into_iter().map(Memory::searchable_text);
    let terms = texts.flat_map(|it| terms::extract_terms(&it));
    let terms: BTreeSet<String> = terms.map(|it| it.0).collect();
    let mut words: Vec<&str> = Vec::new();
    for asked in question.iter().filter(|it| it.is_content()) {
        if terms.contains(&asked.term) && !words.contains(&&*asked.word) {
            words.push(&asked.word);
        }
    }
    let kept: String = words.join(" ").chars().take(LOGGED_CHARS).collect();
    match secrets::find_secret(&kept) {
        None => kept,
        Some(_) => String::new(),
    }
}

/// How memories were read, in the program's own words, as the log may keep it.
pub(crate) fn redact_request(text: &str) -> String {
    if secrets::find_secret(text).is_some() {
        return "(withheld: it appears to contain a secret)".into();
    }
    text.chars().take(LOGGED_CHARS).collect()
}
