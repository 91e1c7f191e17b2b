//! Stage four: limits and trust; decides active, pending or refused. The only maker of a [`Vetted`].

use std::collections::BTreeSet;

use super::EarlyEnd;
use super::classify::Classified;
use super::moderate::Moderated;
use super::prove::{self, Proven};
use super::quarantine::{
    awaits_second_voice, decide_initial_status, is_awaiting_proof, is_gleaned,
};
use super::replacement::find_replaceable_memory;
use super::resubmission;
use crate::event::EventBody;
use crate::memory::{
    Channel, Draft, DuplicateChoice, Kind, Layer, Mark, Memory, Origin, ReplacementKind, Stage,
    Status, UsageCounts, Voice,
};
use crate::policy::{MemoryLimits, Policy};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::store::{ListOrder, MemoryFilter, StoreError};
use crate::{Context, breaker, guardian};
use apostille_cite::citation::Citation;
use apostille_text::literals;
use apostille_text::literals::Literal;

/// A draft that passed. Its fields are private to this file, so that unvetted text cannot go further:
///
/// ```compile_fail
/// # use apostille_core::{memory::Memory, remember::guard::Vetted};
/// fn forge(memory: Memory) -> Vetted {
///     Vetted { memory, forced: false, twin: Default::default(), room: None, signals: vec![] }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Vetted {
    memory: Memory,
    forced: bool,
    twin: DuplicateChoice,
    room: Option<IdentityRoom>,
    signals: Vec<EventBody>,
}

/// The room in the identity layer that a draft was admitted on.
#[derive(Debug, Clone, Copy)]
pub struct IdentityRoom {
    /// Characters in use before.
    pub used: usize,
    /// Percent in use afterwards.
    pub percent: u8,
}

impl Vetted {
    /// The memory to be.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether a person overrode a check.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// What to do about a near-duplicate.
    #[must_use]
    pub fn duplicate_choice(&self) -> &DuplicateChoice {
        &self.twin
    }

    /// What the breakers have to say, to be written down with it.
    #[must_use]
    pub fn signals(&self) -> &[EventBody] {
        &self.signals
    }

    /// The room in the identity layer, when it goes there.
    #[must_use]
    pub fn identity_room(&self) -> Option<IdentityRoom> {
        self.room
    }
}

/// Admits a draft as active or pending, or refuses it.
pub(super) fn admit_draft(cx: &Context<'_>, cited: Proven) -> Result<Vetted, EarlyEnd> {
    let Proven {
        mut classified,
        citations,
        unsaid,
    } = cited;
    let old = find_ousted_memory(cx, &classified.draft)?;
    classified.draft.voice = derive_draft_voice(&classified.draft.voice, old.as_ref());
    check_draft_limits(&cx.policy.limits, &classified.draft, classified.layer)?;
    let waived = require_citation(cx.policy, &classified, &citations)?;
    let room = check_identity_room(cx, &classified)?;
    // A person may vouch for what the cited lines do not say.
    let vouched = classified.draft.vouching.is_given() && !unsaid.is_empty();
    let unsaid = if vouched { &[] } else { unsaid.as_slice() };
    let status = decide_initial_status(
        &classified.draft.voice,
        classified.layer,
        &classified.marks,
        unsaid,
    );
    let status = hold_exposed_claim(&classified, &citations, status);
    let status = hold_replacing_person(&classified, old.as_ref(), status);
    let status = hold_resubmission(cx, &classified, status)?;
    let forced = classified.forced || waived || vouched;
    let twin = classified.draft.twin.clone();
    let memory = build_vetted_memory(cx, classified, citations, status);
    Ok(Vetted {
        memory,
        forced,
        twin,
        room,
        signals: Vec::new(),
    })
}

/// The same after a look at the breakers, and at what the guardian says: where one is open, or where it has doubts, what
/// would be in use waits. Only what is new is looked at; what is known may always be stated again.
pub(super) fn consult_breakers_and_guardian(
    cx: &Context<'_>,
    mut vetted: Vetted,
    weighed: &mut Option<Option<String>>,
) -> Result<Vetted, EarlyEnd> {
    let breaker::BreakerRuling { signals, held } = breaker::consult_breakers(cx, &vetted.memory)?;
    vetted.signals = signals;
    let memory = &mut vetted.memory;
    if memory.is_active()
        && let Some(why) = held.or_else(|| consult_guardian(cx, memory, weighed))
    {
        memory.status = Status::Pending { why };
    }
    Ok(vetted)
}

/// Why the guardian would rather have it wait. A person is not looked over, nor is scratch.
fn consult_guardian(
    cx: &Context<'_>,
    memory: &Memory,
    weighed: &mut Option<Option<String>>,
) -> Option<String> {
    let guardian = cx
        .guardian
        .filter(|_| !memory.voice.is_person() && memory.layer != Layer::Session)?;
    weighed
        .get_or_insert_with(|| guardian::ask_guardian(guardian, memory))
        .clone()
}

/// The memory that a draft of no person takes the place of, or joins.
fn find_ousted_memory(cx: &Context<'_>, draft: &Draft) -> Result<Option<Memory>, EarlyEnd> {
    match &draft.twin {
        DuplicateChoice::Merge(name) | DuplicateChoice::Replace(name, _)
            if !draft.voice.is_person() =>
        {
            find_replaceable_memory(cx, &draft.space, *name, &draft.voice).map(Some)
        }
        _ => Ok(None),
    }
}

/// The voice of a draft: what takes the place of another, or joins it, is trusted no more than that one.
fn derive_draft_voice(voice: &Voice, old: Option<&Memory>) -> Voice {
    old.map_or_else(
        || voice.clone(),
        |old| voice.clone().derived_from(&old.voice),
    )
}

/// A rule or a fact that a person said is not put aside by anybody else: the replacement waits. What is promoted keeps its
/// words; and preferences change as agents hear them.
fn hold_replacing_person(it: &Classified, old: Option<&Memory>, status: Status) -> Status {
    let is_lasting = matches!(it.layer, Layer::Identity | Layer::Knowledge);
    let is_promoted = matches!(
        it.draft.twin,
        DuplicateChoice::Replace(_, ReplacementKind::Promotion)
    );
    let is_ruling = |old: &Memory| old.voice.is_person() && old.kind != Kind::User;
    if status == Status::Active && is_lasting && !is_promoted && old.is_some_and(is_ruling) {
        return Status::Pending {
            why: "it would take the place of what a person said".into(),
        };
    }
    status
}

/// What an agent says after it read words from outside may be those words: it waits, unless code proves it. What it notes
/// of its task is no claim.
fn hold_exposed_claim(it: &Classified, citations: &[Citation], status: Status) -> Status {
    let is_claim = matches!(it.layer, Layer::Identity | Layer::Knowledge);
    if status == Status::Active
        && it.draft.voice.exposed
        && is_claim
        && !is_said_by_citations(&it.draft.fact, citations)
    {
        let why = "it was said after words from outside were read, and no code proves it";
        return Status::Pending { why: why.into() };
    }
    status
}

/// Whether the cited lines say every literal of a fact, and there is one: nothing less proves words that may be a stranger's.
fn is_said_by_citations(fact: &str, citations: &[Citation]) -> bool {
    let literals = literals::extract_literals(fact);
    let stands = |it: &Literal| {
        citations
            .iter()
            .any(|cited| literals::is_literal_in_text(it, &cited.snippet))
    };
    !literals.is_empty() && literals.iter().all(stands)
}

/// What would be in use waits all the same when no person says it and it repeats what waits or was rejected.
fn hold_resubmission(
    cx: &Context<'_>,
    it: &Classified,
    status: Status,
) -> Result<Status, EarlyEnd> {
    if status != Status::Active || it.draft.voice.is_person() || it.layer == Layer::Session {
        return Ok(status);
    }
    Ok(resubmission::explain_resubmission(cx, &it.draft)?
        .map_or(status, |why| Status::Pending { why }))
}

/// Admits a memory that was exported: its texts are cleaned and within the limits, the rest is as it was.
///
/// Unless a person vouches for the file, everything in it comes from outside, whatever it says of itself.
pub(crate) fn admit_import(
    limits: &MemoryLimits,
    cleaned: Moderated,
    memory: Memory,
    is_vouched: bool,
) -> Result<Memory, Refusal> {
    check_draft_limits(
        &import_limits(limits, &memory),
        &cleaned.draft,
        memory.layer,
    )?;
    let marked = memory.marks.clone();
    let memory = apply_moderated_texts(cleaned, memory)?;
    if is_vouched {
        return Ok(keep_vouched_status(memory, &marked));
    }
    let voice = memory.voice.with_channel(Channel::Import);
    // All of it waits, what it calls rejected or replaced as well: a file decides nothing about what is here.
    let status = match memory.status {
        Status::Pending { why } => Status::Pending { why },
        _ => decide_initial_status(&voice, memory.layer, &memory.marks, &[]),
    };
    Ok(Memory {
        voice,
        status,
        vouchers: Vec::new(),
        supersedes: None,
        ..memory
    })
}

/// A person who vouches for a file vouches for what was decided in it: words that were marked there, and in use, are in use
/// here. Nothing was decided about what is noticed only now, nor do cited lines say what they do not.
fn keep_vouched_status(memory: Memory, marked: &[Mark]) -> Memory {
    let is_ungrounded = memory.marks.contains(&Mark::Ungrounded);
    let unsaid = if is_ungrounded {
        prove::find_unsaid_literals(&memory.fact, &memory.citations)
    } else {
        Vec::new()
    };
    let new: Vec<Mark> = memory
        .marks
        .iter()
        .copied()
        .filter(|it| !marked.contains(it))
        .collect();
    let voice = Voice::from_origin(memory.voice.origin.min(Origin::Agent));
    match decide_initial_status(&voice, memory.layer, &new, &unsaid) {
        status @ Status::Pending { .. } if memory.is_active() => Memory { status, ..memory },
        _ => memory,
    }
}

/// A memory with the texts that moderation left of it.
pub(crate) fn apply_moderated_texts(
    moderated: Moderated,
    memory: Memory,
) -> Result<Memory, Refusal> {
    let Moderated { draft, marks } = moderated;
    if memory.layer == Layer::Identity && !memory.space.is_user() {
        return Err(Refusal::IdentityNeedsUser);
    }
    let Draft {
        subject,
        fact,
        reason,
        tags,
        voice,
        task,
        ..
    } = draft;
    let marks = marks
        .into_iter()
        .chain(memory.marks)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    Ok(Memory {
        subject,
        fact,
        reason,
        tags,
        voice,
        task,
        marks,
        ..memory
    })
}

/// What was kept as a file was measured as one.
fn import_limits(limits: &MemoryLimits, memory: &Memory) -> MemoryLimits {
    match memory.kind {
        Kind::User | Kind::Feedback => limits.for_path_notes(),
        Kind::Project | Kind::Reference => limits.for_paths(),
    }
}

/// Whether an exported memory still fits into the identity layer, where so many characters more are taken already.
pub(crate) fn check_import_room(
    cx: &Context<'_>,
    memory: &Memory,
    taken: usize,
) -> Result<Result<(), Refusal>, StoreError> {
    if memory.layer != Layer::Identity || !memory.is_active() {
        return Ok(Ok(()));
    }
    let used = cx.store.summarize_space(&memory.space)?.identity_chars + taken;
    let (wanted, limit) = (memory.fact.chars().count(), cx.policy.limits.identity_chars);
    if used + wanted <= limit {
        return Ok(Ok(()));
    }
    let entries = list_identity_entries(cx, &memory.space)?;
    Ok(Err(Refusal::IdentityFull {
        used,
        limit,
        wanted,
        entries,
    }))
}

/// What stands for a text in advice, and is no fact when it is pasted as it is.
const PLACEHOLDERS: [&str; 4] = ["…", "...", "FACT", "TEXT"];

fn check_draft_limits(limits: &MemoryLimits, draft: &Draft, layer: Layer) -> Result<(), Refusal> {
    let fact_limit = match layer {
        Layer::Identity | Layer::Knowledge => limits.fact_chars,
        Layer::Episode | Layer::Session => limits.episode_chars,
    };
    if draft.fact.trim().is_empty() || PLACEHOLDERS.contains(&draft.fact.trim()) {
        return Err(Refusal::Empty { field: "fact" });
    }
    check_field_length("fact", &draft.fact, fact_limit)?;
    check_field_length(
        "subject",
        draft.subject.as_deref().unwrap_or(""),
        limits.subject_chars,
    )?;
    check_field_length(
        "reason",
        draft.reason.as_deref().unwrap_or(""),
        limits.reason_chars,
    )?;
    check_field_length(
        "task",
        draft.task.as_deref().unwrap_or(""),
        limits.subject_chars,
    )?;
    if let DuplicateChoice::Create(why) = &draft.twin {
        check_field_length("rationale", why, limits.reason_chars)?;
    }
    draft
        .tags
        .iter()
        .try_for_each(|tag| check_field_length("tag", tag, limits.tag_chars))?;
    check_field_count("tags", draft.tags.len(), limits.tags)?;
    check_field_count("citations", draft.citations.len(), limits.citations)
}

fn check_field_length(field: &'static str, text: &str, limit: usize) -> Result<(), Refusal> {
    let chars = text.chars().count();
    if chars > limit {
        Err(Refusal::TooLong {
            field,
            chars,
            limit,
        })
    } else {
        Ok(())
    }
}

fn check_field_count(field: &'static str, n: usize, limit: usize) -> Result<(), Refusal> {
    if n > limit {
        Err(Refusal::TooMany { field, n, limit })
    } else {
        Ok(())
    }
}

/// Repository facts need proof. `Ok(true)`: it has none, and a person's word waived it. What the program gleaned waits
/// for a person anyway, who may know the lines.
fn require_citation(
    policy: &Policy,
    it: &Classified,
    citations: &[Citation],
) -> Result<bool, Refusal> {
    let needs = policy.require_citations
        && it.layer == Layer::Knowledge
        && matches!(it.kind, Kind::Project | Kind::Reference)
        && citations.is_empty()
        && !is_gleaned(&it.draft.voice, it.layer);
    if needs && !it.draft.vouching.is_given() {
        Err(Refusal::NeedsCitation { kind: it.kind })
    } else {
        Ok(needs)
    }
}

fn check_identity_room(
    cx: &Context<'_>,
    it: &Classified,
) -> Result<Option<IdentityRoom>, EarlyEnd> {
    if it.layer != Layer::Identity {
        return Ok(None);
    }
    if !it.draft.space.is_user() {
        return Err(Refusal::IdentityNeedsUser.into());
    }
    let used = cx.store.summarize_space(&it.draft.space)?.identity_chars;
    let (wanted, limit) = (
        it.draft.fact.chars().count(),
        cx.policy.limits.identity_chars,
    );
    let filled = used.saturating_sub(count_freed_chars(cx, &it.draft)?) + wanted;
    if filled > limit {
        return Err(Refusal::IdentityFull {
            used,
            limit,
            wanted,
            entries: list_identity_entries(cx, &it.draft.space)?,
        }
        .into());
    }
    Ok(Some(IdentityRoom {
        used,
        percent: percent_used(filled, limit),
    }))
}

/// The characters that a draft frees by taking the place of another identity entry.
fn count_freed_chars(cx: &Context<'_>, draft: &Draft) -> Result<usize, EarlyEnd> {
    let (DuplicateChoice::Merge(name) | DuplicateChoice::Replace(name, _)) = &draft.twin else {
        return Ok(0);
    };
    let old = find_replaceable_memory(cx, &draft.space, *name, &draft.voice)?;
    Ok(if old.layer == Layer::Identity {
        old.fact.chars().count()
    } else {
        0
    })
}

fn list_identity_entries(cx: &Context<'_>, space: &Space) -> Result<Vec<String>, StoreError> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        layers: vec![Layer::Identity],
        stages: vec![Stage::Active],
        order: ListOrder::Oldest,
        limit: 50,
        ..MemoryFilter::default()
    };
    let entry = |memory: &Memory| {
        let start: String = memory.fact.chars().take(40).collect();
        format!(
            "{} ({} characters) {start}",
            memory.handle(),
            memory.fact.chars().count()
        )
    };
    Ok(cx.store.list_memories(&filter)?.iter().map(entry).collect())
}

/// What share of a whole is in use, in percent, rounded up.
#[must_use]
pub fn percent_used(used: usize, limit: usize) -> u8 {
    u8::try_from((used * 100).div_ceil(limit.max(1)).min(100)).unwrap_or(100)
}

/// Whether a statement brings what a known memory waits for: proof, or a word that would be in use by itself.
pub(super) fn can_settle_memory(vetted: &Vetted, known: &Memory) -> bool {
    let citations = &vetted.memory.citations;
    let is_proof =
        || !citations.is_empty() && prove::find_unsaid_literals(&known.fact, citations).is_empty();
    let is_proved = || is_awaiting_proof(known) && (vetted.forced || is_proof());
    vetted.memory.is_active() && (awaits_second_voice(known) || is_proved())
}

fn build_vetted_memory(
    cx: &Context<'_>,
    it: Classified,
    citations: Vec<Citation>,
    status: Status,
) -> Memory {
    let Draft {
        space,
        subject,
        fact,
        reason,
        mut tags,
        voice,
        task,
        ..
    } = it.draft;
    tags.retain(|tag| !tag.is_empty());
    let mut seen = BTreeSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    Memory {
        id: cx.new_id(),
        number: 0,
        space,
        layer: it.layer,
        kind: it.kind,
        subject: subject.filter(|it| !it.is_empty()),
        fact,
        reason: reason.filter(|it| !it.is_empty()),
        citations,
        tags,
        voice,
        task: task.filter(|it| !it.is_empty()),
        marks: it.marks,
        status,
        supersedes: None,
        vouchers: Vec::new(),
        recorded_at: cx.now_to_millisecond(),
        refreshed_at: cx.now_to_millisecond(),
        usage: UsageCounts::default(),
    }
}
