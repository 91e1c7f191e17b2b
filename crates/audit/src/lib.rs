//! Audit: what needs attention in what is kept. It looks and counts, and changes nothing, the log included.
//!
//! ```
//! use apostille_audit::{AuditOptions, audit};
//! use apostille_cite::source::NoRepositorySource;
//! use apostille_core::Context;
//! use apostille_core::policy::Policy;
//! use apostille_core::space::Space;
//! use apostille_core::store::ram::RamStore;
//!
//! let (store, policy) = (RamStore::default(), Policy::default());
//! let cx = Context {
//!     store: &store,
//!     source: &NoRepositorySource,
//!     policy: &policy,
//!     now: jiff::Timestamp::UNIX_EPOCH,
//!     random: &|| 7,
//!     late: &|| false,
//!     actor: None,
//!     other_spaces: &[],
//!     guardian: None,
//!     testimony: None,
//!     embedder: None,
//!     archive: None,
//!     commit_reasons: None,
//! };
//! let options = AuditOptions { limit: 50, ..AuditOptions::default() };
//! let report = audit(&cx, &[Space::repo("myorg/myapp")?], &options)?;
//! assert!(report.is_complete && report.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: four lists of questions, as code. `each` asks whether a memory has its fields, `alike` and `opposed`
//! whether it is said twice or otherwise, `proof` and `used` whether it will last, `whole` whether the store is in order.
//! Other rooms add what they found through [`AuditOptions::beside`]. [`trend`] counts what happened, day by day.

pub mod consolidate;
mod contradictions;
mod duplicates;
mod markdown;
mod memory_checks;
pub mod review;
mod stale_citations;
mod store_checks;
pub mod trend;
mod usage;

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
};

use jiff::Timestamp;

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_core::{
    Context, CoreError,
    memory::{Handle, Layer, Memory, MemoryId, Stage},
    policy::Policy,
    recall::render::sanitize_line,
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify,
    verify::VerifiedMemory,
};
use apostille_text::{shorten::shorten_text, words::words};

/// How many memories one finding names.
pub const NAMED: usize = 20;
/// How much of a fact is told, in characters.
const EXCERPT: usize = 160;

words! {
    /// What may be found.
    Class as "class" {
        /// A secret, by today's rules.
        Secret = "secret",
        /// The store is not as it was written.
        Damage = "damage",
        /// Somebody's writes wait, because they came as nobody honest writes.
        Breaker = "breaker",
        /// In use, though it reads like an instruction to a model.
        Instruction = "instruction-like",
        /// The cited code has changed, or is gone.
        Stale = "stale",
        /// Two memories of one subject that cannot both be true, or may not.
        Contradiction = "contradiction",
        /// Several memories that say much the same.
        Duplicate = "near-duplicate",
        /// Code state, git history or task state, which are better read elsewhere.
        Excluded = "excluded",
        /// A field is missing that every memory should have.
        MissingField = "missing-field",
        /// In use on a person's word, though the cited lines do not say it.
        Ungrounded = "ungrounded",
        /// The cited code never reached this branch.
        Unmerged = "unmerged",
        /// Never shown for long, or shown often and never applied.
        Unused = "unused",
        /// In quarantine for long.
        Waiting = "waiting",
        /// NOTES.md tells more than what is going on.
        Notes = "notes",
        /// More memories than a repository should have.
        SoftLimit = "soft-limit",
        /// The identity layer is nearly full.
        Identity = "identity",
    }
}

impl Class {
    /// What it means, in a few words.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Secret => "a memory holds what looks like a secret",
            Self::Damage => "the store is not as it was written",
            Self::Breaker => "somebody wrote as nobody does, and what they write waits",
            Self::Instruction => "a memory in use reads like an instruction to a model",
            Self::Stale => "the code that proves a memory has changed or is gone",
            Self::Contradiction => "two memories of one subject do not agree",
            Self::Duplicate => "several memories say much the same",
            Self::Excluded => "a memory is better read from the code, from git or from the task",
            Self::MissingField => {
                "a memory lacks a field that tells what it is about, why, or what proves it"
            }
            Self::Ungrounded => "the cited lines do not say what a memory in use states",
            Self::Unmerged => "the code that proves a memory was never merged here",
            Self::Unused => "a memory has been of no use for long",
            Self::Waiting => "a memory has waited for a person for long",
            Self::Notes => "NOTES.md tells more than what is going on",
            Self::SoftLimit => "there are more memories than can be kept in order",
            Self::Identity => "the identity layer is nearly full",
        }
    }
}

words! {
    /// How much a finding matters, the most first.
    Severity as "severity" {
        /// It does harm.
        Error = "error",
        /// It misleads.
        Warning = "warning",
        /// It is in the way.
        Note = "note",
    }
}

/// A memory that a finding is about.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedMemory {
    /// Which.
    pub id: MemoryId,
    /// Its handle.
    pub handle: Handle,
    /// What it says, cut short; `None` where nobody vouches for the text, or where it is the trouble itself.
    pub fact: Option<String>,
    /// How its citations stand here, where they were looked up.
    pub standing: Option<&'static str>,
    /// The first place that it cites.
    pub place: Option<CodeLocation>,
}

/// One thing that needs attention.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditFinding {
    /// What sort of thing.
    pub class: Class,
    /// How much it matters.
    pub severity: Severity,
    /// Where, if it is about one space.
    pub space: Option<Space>,
    /// What is the matter, on one line.
    pub what: String,
    /// The memories it is about; of near-duplicates, the one to keep first.
    pub memories: Vec<AffectedMemory>,
    /// How many more memories it is about.
    pub n_more: usize,
    /// The way out, as a command.
    pub way_out: String,
}

/// What is looked for, and what a face knows besides.
#[derive(Debug, Clone, Default)]
pub struct AuditOptions<'a> {
    /// Only these classes; all where it is empty.
    pub only: Vec<Class>,
    /// At most so many findings of a class.
    pub limit: usize,
    /// Whether a finding names all of its memories, however many.
    pub is_whole: bool,
    /// Whether the store looks itself over, too, which takes a while.
    pub is_thorough: bool,
    /// The rules of the user's own space.
    pub own: Option<&'a Policy>,
    /// What another room found, such as in `NOTES.md`; it is sorted, counted and cut with the rest.
    pub beside: &'a [AuditFinding],
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditReport {
    /// The spaces that were looked through.
    pub spaces: Vec<Space>,
    /// When.
    pub at: Timestamp,
    /// At which commit.
    pub commit: Option<String>,
    /// How many memories there are, by stage.
    pub stages: BTreeMap<Stage, usize>,
    /// How many could not be looked up: no finding, but not kept quiet.
    pub n_unknown: usize,
    /// Whether it came to its end; else there may be more to find.
    pub is_complete: bool,
    /// How many findings there are of each class, those left off included.
    pub counts: BTreeMap<Class, usize>,
    /// How many memories they are about, by class.
    pub affected: BTreeMap<Class, usize>,
    /// How many findings there are of each severity.
    weights: BTreeMap<Severity, usize>,
    /// The findings, by class, the gravest first.
    pub findings: Vec<AuditFinding>,
}

impl AuditReport {
    /// Whether anything found misleads or does harm.
    pub fn has_problems(&self) -> bool {
        self.count_by_severity(Severity::Error) + self.count_by_severity(Severity::Warning) > 0
    }

    /// How many findings weigh so much, those left off included.
    #[must_use]
    pub fn count_by_severity(&self, severity: Severity) -> usize {
        self.weights.get(&severity).copied().unwrap_or(0)
    }

    /// How many findings of a class were left off.
    pub fn count_left_off(&self, class: Class) -> usize {
        let shown = self.findings.iter().filter(|it| it.class == class).count();
        self.counts
            .get(&class)
            .map_or(0, |n| n.saturating_sub(shown))
    }
}

/// Everything that the checks look at.
struct AuditInput<'a> {
    cx: &'a Context<'a>,
    options: &'a AuditOptions<'a>,
    spaces: &'a [Space],
    /// What is in use, with what was found at its citations.
    active: Vec<VerifiedMemory>,
    /// What is not, in whatever stage.
    rest: Vec<Memory>,
    is_late: Cell<bool>,
}

impl<'a> AuditInput<'a> {
    /// Reads everything, and looks the citations of what is in use up.
    fn read(
        cx: &'a Context<'a>,
        spaces: &'a [Space],
        options: &'a AuditOptions<'a>,
    ) -> Result<Self, CoreError> {
        let filter = MemoryFilter {
            spaces: spaces.to_vec(),
            order: ListOrder::Oldest,
            limit: usize::MAX,
            ..MemoryFilter::default()
        };
        let mut memories = cx.store.list_memories(&filter)?;
        let place = |it: &Memory| spaces.iter().position(|space| *space == it.space);
        memories.sort_by_key(|it| (place(it), it.number));
        let (active, rest): (Vec<Memory>, Vec<Memory>) =
            memories.into_iter().partition(Memory::is_active);
        Ok(Self {
            cx,
            options,
            spaces,
            active: verify::follow_memory_citations(cx, active),
            rest,
            is_late: Cell::new(false),
        })
    }

    /// The facts in use.
    fn active_knowledge(&self) -> impl Iterator<Item = &VerifiedMemory> {
        let is_fact = |it: &&VerifiedMemory| it.memory.layer == Layer::Knowledge;
        self.active.iter().filter(is_fact)
    }

    /// Whether somebody still waits for it; asked again and again, so that the work ends soon after that.
    fn is_in_time(&self) -> bool {
        self.is_late.set(self.is_late.get() || (self.cx.late)());
        !self.is_late.get()
    }
}

/// Looks for everything that needs attention in these spaces. The citations are looked up in the reader's own checkout.
pub fn audit(
    cx: &Context,
    spaces: &[Space],
    options: &AuditOptions,
) -> Result<AuditReport, CoreError> {
    let seen = AuditInput::read(cx, spaces, options)?;
    let active = seen.active.iter().map(|it| &it.memory);
    let all = active.chain(&seen.rest);
    let stages = sum_by_key(all.map(|it| (it.status.stage(), 1)));
    let is_asked = |it: &Class| options.only.is_empty() || options.only.contains(it);
    let mut findings: Vec<AuditFinding> = Vec::new();
    for (classes, check) in CHECKS {
        if classes.iter().any(is_asked) && seen.is_in_time() {
            findings.extend(check(&seen)?);
        }
    }
    findings.retain(|it| is_asked(&it.class));
    findings.sort_by(|a, b| finding_sort_key(a).cmp(&finding_sort_key(b)));
    let weights = sum_by_key(findings.iter().map(|it| (it.severity, 1)));
    let affected = sum_by_key(
        findings
            .iter()
            .map(|it| (it.class, it.memories.len() + it.n_more)),
    );
    if !options.is_whole {
        for it in &mut findings {
            // The first are named, the rest counted.
            it.n_more += it.memories.len().saturating_sub(NAMED);
            it.memories.truncate(NAMED);
        }
    }
    let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
    findings.retain(|it| {
        let n = counts.entry(it.class).or_default();
        *n += 1;
        *n <= options.limit
    });
    let is_unknown = |it: &&VerifiedMemory| !it.is_good() && !it.is_bad() && !it.is_outranked;
    Ok(AuditReport {
        spaces: spaces.to_vec(),
        at: cx.now_to_millisecond(),
        commit: cx.source.read_tree().ok().and_then(|it| it.commit),
        stages,
        n_unknown: seen.active.iter().filter(is_unknown).count(),
        is_complete: !seen.is_late.get(),
        counts,
        affected,
        weights,
        findings,
    })
}

fn sum_by_key<K: Ord>(counts: impl Iterator<Item = (K, usize)>) -> BTreeMap<K, usize> {
    let mut sums = BTreeMap::new();
    counts.for_each(|(key, n)| *sums.entry(key).or_default() += n);
    sums
}

/// By class, the gravest first, then by handle; what is turned away for one reason stays together.
fn finding_sort_key(it: &AuditFinding) -> impl Ord {
    let why = if it.class == Class::Excluded {
        it.what.as_str()
    } else {
        ""
    };
    (
        it.class,
        it.severity,
        why,
        it.memories.first().map(|it| it.handle),
    )
}

type AuditCheck = fn(&AuditInput) -> Result<Vec<AuditFinding>, CoreError>;

/// Every check, with the classes of what it finds.
const CHECKS: &[(&[Class], AuditCheck)] = &[
    (&[Class::Secret], |it| Ok(memory_checks::audit_secrets(it))),
    (&[Class::Instruction, Class::Ungrounded], |it| {
        Ok(memory_checks::audit_marked_memories(it))
    }),
    (&[Class::Excluded], |it| {
        Ok(memory_checks::audit_exclusions(it))
    }),
    (&[Class::MissingField], |it| {
        Ok(memory_checks::audit_missing_fields(it))
    }),
    (&[Class::Stale, Class::Unmerged], |it| {
        Ok(stale_citations::audit_stale_citations(it))
    }),
    (&[Class::Duplicate], |it| {
        Ok(duplicates::audit_duplicates(it))
    }),
    (&[Class::Contradiction], |it| {
        Ok(contradictions::audit_contradictions(it))
    }),
    (&[Class::Unused], |it| Ok(usage::audit_unused_memories(it))),
    (&[Class::Waiting], |it| {
        Ok(usage::audit_pending_memories(it))
    }),
    (&[Class::Notes], |it| Ok(it.options.beside.to_vec())),
    (&[Class::Damage], store_checks::audit_store_damage),
    (&[Class::Breaker], store_checks::audit_open_breakers),
    (
        &[Class::SoftLimit, Class::Identity],
        store_checks::audit_space_capacity,
    ),
];

impl AffectedMemory {
    /// A memory in use, with how it stands.
    fn from_verified(it: &VerifiedMemory) -> Self {
        Self {
            fact: Some(shorten_text(&sanitize_line(&it.memory.fact), EXCERPT)),
            standing: Some(it.standing().as_str()),
            ..Self::without_text(&it.memory)
        }
    }

    /// A memory whose text is not told.
    fn without_text(memory: &Memory) -> Self {
        Self {
            id: memory.id,
            handle: memory.handle(),
            fact: None,
            standing: None,
            place: memory.citations.first().map(Citation::location),
        }
    }
}

impl AuditFinding {
    /// A finding about no memory in particular.
    pub fn new(
        class: Class,
        severity: Severity,
        what: impl Into<String>,
        way_out: impl Into<String>,
    ) -> Self {
        Self {
            class,
            severity,
            space: None,
            what: what.into(),
            memories: Vec::new(),
            n_more: 0,
            way_out: way_out.into(),
        }
    }

    /// The same about these memories.
    fn with_memories(
        mut self,
        space: &Space,
        memories: impl IntoIterator<Item = AffectedMemory>,
    ) -> Self {
        self.space = Some(space.clone());
        self.memories = memories.into_iter().collect();
        self
    }

    /// The same about these memories of one space, with what they say.
    fn about<'v>(mut self, memories: impl IntoIterator<Item = &'v VerifiedMemory>) -> Self {
        for it in memories {
            self.space = Some(it.memory.space.clone());
            self.memories.push(AffectedMemory::from_verified(it));
        }
        self
    }
}

/// How often each word is said.
fn count_words<'t>(words: impl Iterator<Item = &'t str>) -> HashMap<&'t str, usize> {
    let mut counts = HashMap::new();
    words.for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}

/// The handles of some memories as they are typed behind a command; of many the first ones.
fn join_handles<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> String {
    let first = memories.into_iter().take(NAMED);
    let handles: Vec<String> = first.map(|it| it.handle().to_string()).collect();
    handles.join(" ")
}

/// How many whole days lie between two times.
fn count_whole_days(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_hours() / 24).unwrap_or(0)
}
