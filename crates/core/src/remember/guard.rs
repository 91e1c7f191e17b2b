//! Stage four: limits and trust; decides active, pending or refused. The only maker of a [`Vetted`].

use std::collections::BTreeSet;
use std::ops::Deref;

use super::{
    EarlyEnd,
    classify::{Classified, is_gleaned, refuse_trifle},
    moderate::Moderated,
    prove::{self, CitationDoubts, Proven},
    quarantine::{
        OUSTS_PERSON, awaits_second_voice, is_awaiting_proof, join_reasons, list_quarantine_reasons,
    },
    replacement::find_replaced_memory,
    resubmission,
    testify::SessionProof,
};
use crate::{
    Context, breaker,
    event::EventBody,
    evidence::{Evidence, EvidenceKind, RunTally},
    guardian,
    memory::{
        Channel, Draft, DuplicateChoice, Kind, Layer, Memory, MemoryId, ModerationMark, Origin,
        Status, UsageCounts, Voice,
    },
    person_word::is_replaced_by_words,
    policy::{MemoryLimits, Policy},
    refusal::{Refusal, check_length},
    space::Space,
    store::{ListOrder, MemoryFilter, StoreError},
};
use apostille_cite::citation::Citation;
use apostille_text::{literals, literals::Literal, sentences::count_sentences};

/// A draft that passed. What it holds can be read and not made outside this file, so that unvetted text cannot go further:
///
/// ```compile_fail
/// # use apostille_core::remember::guard::{Admission, Vetted};
/// fn forge(admission: Admission) -> Vetted {
///     Vetted(admission)
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Vetted(Admission);

/// What was admitted, and on what terms.
#[derive(Debug, Clone)]
pub struct Admission {
    /// The memory to be.
    pub memory: Memory,
    /// Whether a person overrode a check.
    pub forced: bool,
    /// What to do about a near-duplicate.
    pub on_duplicate: DuplicateChoice,
    /// The room in the identity layer, when it goes there.
    pub room: Option<IdentityRoom>,
    /// What the breakers have to say, to be written down with it.
    pub signal: Option<EventBody>,
}

impl Deref for Vetted {
    type Target = Admission;
    fn deref(&self) -> &Admission {
        &self.0
    }
}

/// The room in the identity layer that a draft was admitted on.
#[derive(Debug, Clone, Copy)]
pub struct IdentityRoom {
    /// Characters in use before.
    pub used: usize,
    /// Percent in use afterwards.
    pub percent: u8,
}

/// Admits a draft as active or pending, or refuses it.
pub(super) fn admit_draft(cx: &Context, cited: Proven) -> Result<Vetted, EarlyEnd> {
    let Proven {
        mut classified,
        citations,
        mut doubts,
        names,
        session,
    } = cited;
    let old = find_ousted_memory(cx, &classified.draft)?;
    let own_voice = classified.draft.voice.clone();
    if let Some(old) = &old {
        let voice = classified.draft.voice;
        classified.draft.voice = voice.lowered_to(&old.voice);
    }
    check_draft_limits(&cx.policy.limits, &classified.draft, classified.layer)?;
    let odd_size = refuse_size(&cx.policy.limits, &classified);
    if let Some(refusal) = odd_size
        .clone()
        .filter(|_| !classified.draft.vouching.is_given())
    {
        return Err(refusal.into());
    }
    let SessionProof { evidence, lacking } = session;
    let is_proved = !citations.is_empty() || !evidence.is_empty();
    let waived = require_proof(cx.policy, &classified, is_proved || lacking.is_some())?;
    let room = check_identity_room(cx, &classified)?;
    // A person may vouch for what the cited lines do not say.
    let is_doubted = !doubts.unsaid.is_empty() || doubts.unread.is_some();
    let vouched = classified.draft.vouching.is_given() && is_doubted;
    if vouched {
        doubts.unsaid.clear();
        doubts.unread = None;
    }
    let (layer, marks) = (classified.layer, &classified.marks);
    let mut reasons = list_quarantine_reasons(&own_voice, layer, marks, &doubts);
    reasons.extend(explain_lowered_voice(&own_voice, layer, old.as_ref()));
    if reasons.is_empty() {
        let old = old.as_ref().filter(|_| !own_voice.exposed);
        let exposed = explain_exposed_claim(&classified, &citations, &evidence, old);
        reasons.extend(exposed);
    }
    reasons.extend(lacking);
    // What the user said before the session that goes on does not put aside what a person stated meanwhile.
    let is_past = quotes_past_session(&evidence, &own_voice);
    let can_ask = !own_voice.exposed && !is_past && !cx.policy.is_confirmation_needed;
    let is_asked = |old: &Memory| can_ask && is_replaced_by_words(&evidence, old);
    if !old.as_ref().is_some_and(is_asked) {
        reasons.extend(explain_ousting_person(&classified, old.as_ref()));
    }
    let why = join_reasons(&reasons);
    let is_claimed = !classified.draft.voice.is_person() && classified.layer != Layer::Session;
    let why = match why {
        // What would be in use waits all the same when no person says it and it repeats what waits or was rejected.
        None if is_claimed => resubmission::explain_resubmission(cx, &classified.draft)?,
        why => why,
    };
    Ok(Vetted(Admission {
        forced: classified.forced || odd_size.is_some() || waived || vouched,
        on_duplicate: classified.draft.on_duplicate.clone(),
        memory: Memory {
            names,
            evidence,
            ..build_vetted_memory(cx, classified, citations, Status::pending_if(why))
        },
        room,
        signal: None,
    }))
}

/// The same after a look at the breakers, and at what the guardian says: where one is open, or where it has doubts, what
/// would be in use waits. Only what is new is looked at; what is known may always be stated again.
pub(super) fn consult_breakers_and_guardian(
    cx: &Context,
    mut vetted: Vetted,
    weighed: &mut Option<Option<String>>,
) -> Result<Vetted, EarlyEnd> {
    let memory = &mut vetted.0.memory;
    let (signal, held) = breaker::consult_breakers(cx, memory)?;
    vetted.0.signal = signal;
    if memory.is_active() {
        let why = held.or_else(|| consult_guardian(cx, memory, weighed));
        memory.status = Status::pending_if(why);
    }
    Ok(vetted)
}

/// Why the guardian would rather have it wait. A person is not looked over, nor is scratch.
fn consult_guardian(
    cx: &Context,
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

/// The memory that a draft of no person takes the place of, or joins: what is made out of another's words is trusted no more
/// than that one, unless a person says it in words of their own. Approving is the one way up.
fn find_ousted_memory(cx: &Context, draft: &Draft) -> Result<Option<Memory>, EarlyEnd> {
    if draft.voice.is_person() {
        return Ok(None);
    }
    find_replaced_memory(cx, &draft.on_duplicate, &draft.space, &draft.voice)
}

/// What a person said is not put aside by anybody else: the replacement waits. What is promoted keeps its words, and scratch
/// is nobody's word.
fn explain_ousting_person(it: &Classified, old: Option<&Memory>) -> Option<String> {
    let is_persons = |old: &Memory| old.voice.is_persons_word() && old.layer != Layer::Session;
    let is_ousting = !it.draft.on_duplicate.is_promotion() && old.is_some_and(is_persons);
    is_ousting.then(|| OUSTS_PERSON.into())
}

/// What takes the place of words that nobody here vouches for waits as they do, whoever says it.
fn explain_lowered_voice(own: &Voice, layer: Layer, old: Option<&Memory>) -> Option<String> {
    let old = old?;
    let lowered = own.clone().lowered_to(&old.voice);
    let why = if lowered.tainted && !own.tainted {
        "whose text comes from outside"
    } else if is_gleaned(&lowered, layer) && !is_gleaned(own, layer) {
        "which was extracted from a session and is not confirmed"
    } else {
        return None;
    };
    Some(format!(
        "it would take the place of {}, {why}",
        old.handle()
    ))
}

/// What an agent says after it read words from outside may be those words: it waits, unless code proves it or the user said
/// it. So does what replaces such words (`old`). Scratch is for the session itself, which has read them anyway.
fn explain_exposed_claim(
    it: &Classified,
    citations: &[Citation],
    evidence: &[Evidence],
    old: Option<&Memory>,
) -> Option<String> {
    let is_said = evidence.iter().any(|it| it.kind() == EvidenceKind::Said);
    let is_claim = it.draft.voice.exposed && it.layer != Layer::Session && !is_said;
    if !is_claim || is_said_by_citations(&it.draft.fact, citations) {
        return None;
    }
    let what = match old {
        Some(old) => format!("it would take the place of {}, which was", old.handle()),
        None => "it was".into(),
    };
    let why = match citations.is_empty() {
        true => "no code proves it",
        false => "the cited lines do not say it word for word",
    };
    Some(format!(
        "{what} said after words from outside were read, and {why}"
    ))
}

/// Whether words of the user are among the evidence that were said in another session than the one that speaks.
fn quotes_past_session(evidence: &[Evidence], voice: &Voice) -> bool {
    evidence.iter().any(|it| match it {
        Evidence::Said(said) => Some(&said.session) != voice.session.as_ref(),
        Evidence::Ran(_) | Evidence::Review(_) | Evidence::Episodes(_) | Evidence::Memories(_) => {
            false
        }
    })
}

/// Whether the cited lines say every literal of a fact, and there is one: nothing less proves words that may be a stranger's.
fn is_said_by_citations(fact: &str, citations: &[Citation]) -> bool {
    let literals = literals::extract_literals(fact);
    let is_in = |it: &Literal, cited: &Citation| literals::is_literal_in_text(it, &cited.snippet);
    let is_said = |it: &Literal| citations.iter().any(|cited| is_in(it, cited));
    !literals.is_empty() && literals.iter().all(is_said)
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
    // What was kept as a file was measured as one.
    let limits = match memory.kind {
        Kind::User | Kind::Feedback => limits.for_path_notes(),
        Kind::Project | Kind::Reference => limits.for_paths(),
    };
    check_draft_limits(&limits, &cleaned.draft, memory.layer)?;
    let marked = memory.marks.clone();
    let memory = apply_moderated_texts(cleaned, memory)?;
    if is_vouched {
        return Ok(keep_vouched_status(memory, &marked));
    }
    let voice = memory.voice.clone().with_channel(Channel::Import);
    // All of it waits, what it calls rejected or replaced as well: a file decides nothing about what is here, nor why.
    let reasons = list_quarantine_reasons(
        &voice,
        memory.layer,
        &memory.marks,
        &find_kept_doubts(&memory),
    );
    let status = Status::pending_if(join_reasons(&reasons));
    Ok(Memory {
        voice,
        status,
        // Nobody can look up here what was said or run elsewhere.
        evidence: Vec::new(),
        runs: RunTally::default(),
        vouchers: Vec::new(),
        supersedes: None,
        ..memory
    })
}

/// A person who vouches for a file vouches for what was decided in it: words that were marked there, and in use, are in use
/// here. Nothing was decided about what is noticed only now, nor do cited lines say what they do not.
fn keep_vouched_status(memory: Memory, marked: &[ModerationMark]) -> Memory {
    let doubts = find_kept_doubts(&memory);
    let mut new = memory.marks.clone();
    new.retain(|it| !marked.contains(it));
    let voice = Voice::from_origin(memory.voice.origin.min(Origin::Agent));
    let reasons = list_quarantine_reasons(&voice, memory.layer, &new, &doubts);
    match join_reasons(&reasons) {
        Some(why) if memory.is_active() => Memory {
            status: Status::Pending { why },
            ..memory
        },
        _ => memory,
    }
}

/// What is wrong with the lines that a memory cites, as far as it tells itself.
fn find_kept_doubts(memory: &Memory) -> CitationDoubts {
    let mut doubts = CitationDoubts::default();
    if memory.marks.contains(&ModerationMark::Ungrounded) {
        let (subject, fact) = (memory.subject.as_deref(), &memory.fact);
        doubts.unsaid = prove::find_unsaid_claims(&memory.voice, subject, fact, &memory.citations);
    }
    doubts
}

/// A memory with the texts that moderation left of it.
pub(crate) fn apply_moderated_texts(
    moderated: Moderated,
    memory: Memory,
) -> Result<Memory, Refusal> {
    let Moderated { draft, mut marks } = moderated;
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
    marks.extend(memory.marks);
    marks.sort();
    marks.dedup();
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

/// Whether an exported memory still fits into the identity layer, where so many characters more are taken already.
pub(crate) fn check_import_room(
    cx: &Context,
    memory: &Memory,
    taken: usize,
) -> Result<(), EarlyEnd> {
    if memory.layer == Layer::Identity && memory.is_active() {
        let used = cx.store.summarize_space(&memory.space)?.identity_chars + taken;
        check_identity_fit(cx, &memory.space, &memory.fact, used, 0)?;
    }
    Ok(())
}

/// The characters in use once a fact is in the identity layer, where so many are in use and some of them will be freed;
/// refused where they are too many.
fn check_identity_fit(
    cx: &Context,
    space: &Space,
    fact: &str,
    used: usize,
    freed: usize,
) -> Result<usize, EarlyEnd> {
    let (wanted, limit) = (fact.chars().count(), cx.policy.limits.identity_chars);
    let filled = used.saturating_sub(freed) + wanted;
    if filled <= limit {
        return Ok(filled);
    }
    let entries = list_identity_entries(cx, space)?;
    Err(Refusal::IdentityFull {
        used,
        limit,
        wanted,
        entries,
    }
    .into())
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
    let texts = [
        ("fact", Some(&draft.fact), fact_limit),
        ("subject", draft.subject.as_ref(), limits.subject_chars),
        ("reason", draft.reason.as_ref(), limits.reason_chars),
        ("task", draft.task.as_ref(), limits.subject_chars),
        (
            "rationale",
            draft.on_duplicate.rationale(),
            limits.reason_chars,
        ),
    ];
    let tags = draft.tags.iter();
    let tags = tags.map(|tag| ("tag", Some(tag), limits.tag_chars));
    for (field, text, limit) in texts.into_iter().chain(tags) {
        check_length(field, text.map_or("", String::as_str), limit)?;
    }
    let lists = [
        ("tags", draft.tags.len(), limits.tags),
        ("citations", draft.citations.len(), limits.citations),
    ];
    match lists.into_iter().find(|(_, n, limit)| n > limit) {
        Some((field, n, limit)) => Err(Refusal::TooMany { field, n, limit }),
        None => Ok(()),
    }
}

/// Why a text is less than a fact, or more than one: each sentence has its own proof, and may cease to be so by itself.
/// What the program gleaned, and what is promoted, was put by others and may be corrected when it is looked over.
fn refuse_size(limits: &MemoryLimits, it: &Classified) -> Option<Refusal> {
    let limit = limits.fact_sentences?;
    let Classified { draft, layer, .. } = it;
    if *layer != Layer::Knowledge
        || draft.on_duplicate.is_promotion()
        || is_gleaned(&draft.voice, *layer)
    {
        return None;
    }
    let sentences = count_sentences(&draft.fact);
    let several = Refusal::SeveralFacts { sentences, limit };
    refuse_trifle(draft.subject.as_deref(), &draft.fact).or((sentences > limit).then_some(several))
}

/// Repository facts need proof. What a person states is proof enough: it is shown as stated by them. `Ok(true)`: there is no
/// proof, and a person vouched for it. What the program gleaned waits for a person anyway, who may know the lines.
fn require_proof(policy: &Policy, it: &Classified, is_proved: bool) -> Result<bool, Refusal> {
    let needs = policy.require_citations
        && it.layer == Layer::Knowledge
        && matches!(it.kind, Kind::Project | Kind::Reference)
        && !is_proved
        && !it.draft.voice.is_person()
        && !is_gleaned(&it.draft.voice, it.layer);
    if needs && !it.draft.vouching.is_given() {
        Err(Refusal::NeedsCitation { kind: it.kind })
    } else {
        Ok(needs)
    }
}

fn check_identity_room(cx: &Context, it: &Classified) -> Result<Option<IdentityRoom>, EarlyEnd> {
    if it.layer != Layer::Identity {
        return Ok(None);
    }
    if !it.draft.space.is_user() {
        return Err(Refusal::IdentityNeedsUser.into());
    }
    let draft = &it.draft;
    // What a draft takes the place of makes room for it.
    let old = find_replaced_memory(cx, &draft.on_duplicate, &draft.space, &draft.voice)?;
    let old = old.filter(|it| it.layer == Layer::Identity);
    let freed = old.map_or(0, |it| it.fact.chars().count());
    let used = cx.store.summarize_space(&draft.space)?.identity_chars;
    let filled = check_identity_fit(cx, &draft.space, &draft.fact, used, freed)?;
    Ok(Some(IdentityRoom {
        used,
        percent: percent_used(filled, cx.policy.limits.identity_chars),
    }))
}

fn list_identity_entries(cx: &Context, space: &Space) -> Result<Vec<String>, StoreError> {
    let entries = cx.store.list_memories(&MemoryFilter {
        layers: vec![Layer::Identity],
        order: ListOrder::Oldest,
        ..MemoryFilter::active_in([space.clone()], 50)
    })?;
    let entry = |memory: &Memory| {
        let start: String = memory.fact.chars().take(40).collect();
        let chars = memory.fact.chars().count();
        format!("{} ({chars} characters) {start}", memory.handle())
    };
    Ok(entries.iter().map(entry).collect())
}

/// What share of a whole is in use, in percent, rounded up.
pub fn percent_used(used: usize, limit: usize) -> u8 {
    u8::try_from((used * 100).div_ceil(limit.max(1)).min(100)).unwrap_or(100)
}

/// Whether a statement brings what a known memory waits for: proof, or a word that would be in use by itself.
pub(super) fn can_settle_memory(vetted: &Vetted, known: &Memory) -> bool {
    let citations = &vetted.memory.citations;
    let is_said = || {
        let subject = known.subject.as_deref();
        prove::find_unsaid_claims(&known.voice, subject, &known.fact, citations).is_empty()
    };
    let is_proof = || !vetted.memory.evidence.is_empty() || !citations.is_empty() && is_said();
    let is_proved = || is_awaiting_proof(known) && (vetted.forced || is_proof());
    vetted.memory.is_active() && (awaits_second_voice(known) || is_proved())
}

fn build_vetted_memory(
    cx: &Context,
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
    let mut seen = BTreeSet::new();
    tags.retain(|tag| !tag.is_empty() && seen.insert(tag.clone()));
    Memory {
        id: MemoryId::new(cx.now, (cx.random)()),
        number: 0,
        space,
        layer: it.layer,
        kind: it.kind,
        subject: subject.filter(|it| !it.is_empty()),
        fact,
        reason: reason.filter(|it| !it.is_empty()),
        citations,
        evidence: Vec::new(),
        names: Vec::new(),
        runs: RunTally::default(),
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
