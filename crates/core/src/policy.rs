//! Limits and switches: complete values, with the defaults that the design gives.

use apostille_cite::verdict::Change;
use apostille_text::words::words;

use crate::{
    evidence::Evidence,
    memory::{Kind, Memory, Origin},
};

words! {
    /// What is put before a model by itself.
    InjectMode as "inject mode" {
        /// What matters to the question.
        Relevant = "relevant",
        /// The most recent, whatever the question.
        RecentOnly = "recent_only",
        /// Nothing.
        Off = "off",
    }
}

words! {
    /// How relevance is scored.
    Scoring as "scoring" {
        /// BM25 with mild recency, trust and usefulness.
        Bm25 = "bm25",
        /// Shared words and a bonus for the last minutes.
        Overlap = "overlap",
    }
}

/// How much of anything there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Characters of a fact.
    pub fact_chars: usize,
    /// Sentences of a fact; `None` where it may be any text, a word or a page.
    pub fact_sentences: Option<usize>,
    /// Characters of an episode or of scratch.
    pub episode_chars: usize,
    /// Characters of a subject.
    pub subject_chars: usize,
    /// Characters of a reason.
    pub reason_chars: usize,
    /// Tags on a memory.
    pub tags: usize,
    /// Characters of a tag.
    pub tag_chars: usize,
    /// Citations of a memory.
    pub citations: usize,
    /// Characters of a user's identity layer, in all.
    pub identity_chars: usize,
    /// Active memories of a repository, above which `stats` says so.
    pub soft_active: usize,
    /// Memories above which the oldest are retired when one is remembered; none unless set.
    pub max_total: Option<usize>,
}

/// The longest path that is a memory's subject, in characters.
pub const PATH_CHARS: usize = 200;

impl MemoryLimits {
    /// The same for a memory whose subject is a path.
    pub fn for_paths(&self) -> Self {
        Self {
            subject_chars: self.subject_chars.max(PATH_CHARS),
            fact_sentences: None,
            ..*self
        }
    }

    /// The same for a note under a path: it may be as long as an episode.
    pub fn for_path_notes(&self) -> Self {
        Self {
            fact_chars: self.fact_chars.max(self.episode_chars),
            ..self.for_paths()
        }
    }
}

words! {
    /// What is kept of a conversation when it is over.
    ArchiveMode as "archive mode" {
        /// What was said, word for word, and a summary.
        Verbatim = "verbatim",
        /// A summary.
        Summary = "summary",
        /// Nothing.
        Off = "off",
    }
}

/// What is put before a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectPolicy {
    /// Which memories.
    pub mode: InjectMode,
    /// Characters of memory text.
    pub chars: usize,
    /// How many memories.
    pub count: usize,
    /// How many of the most recent a first prompt is shown where nothing is relevant.
    pub fallback: usize,
    /// Which memories at all, see [`is_in_tier`].
    pub tier: u8,
}

/// The tier with everything in it.
pub const MAX_TIER: u8 = 3;

/// Whether a memory is shown unasked in this tier: 0 none, 1 knowledge and episodes, 2 also what reviewers said, 3 also how a person
/// wants things done and what was found by looking back at many tasks.
#[must_use]
pub fn is_in_tier(memory: &Memory, tier: u8) -> bool {
    let is_reflection = || {
        let is_pattern = |it: &Evidence| matches!(it, Evidence::Episodes(_));
        memory.evidence.iter().any(is_pattern)
    };
    match tier {
        0 => false,
        1 if memory.voice.origin == Origin::Review => false,
        1 | 2 => !memory.space.is_user() && memory.kind != Kind::User && !is_reflection(),
        _ => true,
    }
}

/// When an audit speaks up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HygienePolicy {
    /// After how many days a memory that was never shown counts as unused.
    pub unused_days: u64,
    /// After how many showings a memory that was never applied counts as shown in vain.
    pub shown_in_vain: u32,
    /// After how many days a pending memory has waited for long.
    pub pending_days: u64,
}

/// How much is put before a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// How many decisions a week; 0: as many as wait.
    pub per_week: usize,
    /// After how many days what nobody decided about is set aside.
    pub expire_days: i64,
}

/// When reviewers' comments become a rule, and how long one lasts that nobody confirms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewPolicy {
    /// How many maintainers have to ask for it; 0: however many do, it takes a person.
    pub maintainers: usize,
    /// Or how many comments, of maintainers and collaborators; 0: however many there are, it takes a person.
    pub comments: usize,
    /// By how many people these have to be.
    pub collaborators: usize,
    /// In how many pull requests.
    pub pulls: usize,
    /// After how many days without confirmation a rule is shown with a mark; after twice as many it is retired.
    pub expire_days: i64,
    /// The same in tasks.
    pub expire_tasks: usize,
}

/// From when on what somebody writes waits, because nobody honest writes so. 0 switches one off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// How many new memories of one actor a space takes within the window.
    pub burst: usize,
    /// How long the window is.
    pub window_minutes: u32,
    /// How many memories that say nearly the same it takes within an hour.
    pub copies: usize,
    /// From how many new memories within an hour a sudden change is looked for.
    pub drift: usize,
    /// How many memories one actor may find wrong within an hour, and never more than a tenth of what is in use.
    pub invalidations: usize,
    /// After how long without a write a breaker closes by itself; with 0 only a person closes it.
    pub quiet_minutes: u32,
}

impl BreakerPolicy {
    /// None at all.
    pub const OFF: Self = Self {
        burst: 0,
        window_minutes: 10,
        copies: 0,
        drift: 0,
        invalidations: 0,
        quiet_minutes: 60,
    };

    /// The fewest new memories that any of them looks at; `None` when all are off.
    pub fn fewest_writes(&self) -> Option<usize> {
        let over = |limit: usize| (limit > 0).then(|| limit.saturating_add(1));
        let drift = Some(self.drift).filter(|it| *it > 0);
        let fewest = [over(self.burst), over(self.copies), drift];
        let fewest = fewest.into_iter().flatten().min();
        fewest.or((self.invalidations > 0).then_some(usize::MAX))
    }
}

/// Everything that may be set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Limits.
    pub limits: MemoryLimits,
    /// Injection.
    pub inject: InjectPolicy,
    /// Scoring.
    pub scoring: Scoring,
    /// Whether repository facts need a citation.
    pub require_citations: bool,
    /// Token overlap from which two memories are near-duplicates.
    pub near_duplicate: f32,
    /// Up to which change cited code still counts as proof.
    pub tolerance: Change,
    /// What is kept of a conversation.
    pub archive: ArchiveMode,
    /// Audits.
    pub hygiene: HygienePolicy,
    /// What is put before a person.
    pub queue: QueuePolicy,
    /// When reviewers' comments become a rule.
    pub reviews: ReviewPolicy,
    /// From when on what somebody writes waits.
    pub breakers: BreakerPolicy,
    /// Whether the user set up a confirmation that an agent cannot give. Then neither a yes through a client nor words in a
    /// transcript change what a person said: an agent with a shell could make both.
    pub is_confirmation_needed: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            limits: MemoryLimits {
                fact_chars: 500,
                fact_sentences: Some(2),
                episode_chars: 4_000,
                subject_chars: 120,
                reason_chars: 500,
                tags: 5,
                tag_chars: 40,
                citations: 10,
                identity_chars: 1_000,
                soft_active: 1_000,
                max_total: None,
            },
            inject: InjectPolicy {
                mode: InjectMode::Relevant,
                chars: 2_000,
                count: 10,
                fallback: 0,
                tier: MAX_TIER,
            },
            scoring: Scoring::Bm25,
            require_citations: true,
            near_duplicate: 0.85,
            tolerance: Change::Comment,
            archive: ArchiveMode::Verbatim,
            hygiene: HygienePolicy {
                unused_days: 90,
                shown_in_vain: 25,
                pending_days: 14,
            },
            queue: QueuePolicy {
                per_week: 5,
                expire_days: 30,
            },
            reviews: ReviewPolicy {
                maintainers: 2,
                comments: 3,
                collaborators: 2,
                pulls: 2,
                expire_days: 180,
                expire_tasks: 20,
            },
            breakers: BreakerPolicy {
                burst: 60,
                window_minutes: 10,
                copies: 12,
                drift: 15,
                invalidations: 20,
                quiet_minutes: 60,
            },
            is_confirmation_needed: false,
        }
    }
}

impl Policy {
    /// The policy of the plain notebook (three tools, no citations, 500 entries, word overlap).
    pub fn for_notebook() -> Self {
        let default = Self::default();
        Self {
            limits: MemoryLimits {
                max_total: Some(500),
                fact_sentences: None,
                ..default.limits
            },
            inject: InjectPolicy {
                fallback: 5,
                ..default.inject
            },
            scoring: Scoring::Overlap,
            require_citations: false,
            ..default
        }
    }
}
