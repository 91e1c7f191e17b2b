//! Promote: scratch of a session becomes an episode, and what was noted becomes knowledge. It travels the whole write
//! path, and is never trusted more than what it came from.

use crate::memory::{
    Draft, DuplicateChoice, Kind, Layer, Memory, MemoryName, ReplacementKind, Voice,
};
use crate::{
    Context, CoreError,
    episode_text::is_failed_episode,
    list,
    refusal::Refusal,
    remember::{RememberOutcome, remember},
    space::Space,
    task_words::NoteSort,
    verify,
};
use apostille_cite::{citation::Citation, citation_request::CitationRequest, verdict::Verdict};

/// What is to be promoted, and what its note does not say.
#[derive(Debug, Clone)]
pub struct Promotion {
    /// Which memory.
    pub name: MemoryName,
    /// Where to; the next layer unless said.
    pub layer: Option<Layer>,
    /// What sort of thing it is; as the note has it unless said.
    pub kind: Option<Kind>,
    /// A brief topic.
    pub subject: Option<String>,
    /// It in better words.
    pub fact: Option<String>,
    /// Why it matters.
    pub reason: Option<String>,
    /// The code that proves it, instead of what the note cites.
    pub citations: Vec<CitationRequest>,
    /// The task it belongs to, where the note has none.
    pub task: Option<String>,
    /// Who promotes it.
    pub voice: Voice,
}

impl Promotion {
    /// A promotion of this memory, with nothing to add.
    pub fn new(name: MemoryName, voice: Voice) -> Self {
        Self {
            name,
            layer: None,
            kind: None,
            subject: None,
            fact: None,
            reason: None,
            citations: Vec::new(),
            task: None,
            voice,
        }
    }
}

/// Promotes a note, or says what it lacks.
pub fn promote(
    cx: &Context,
    spaces: &[Space],
    it: Promotion,
) -> Result<RememberOutcome, CoreError> {
    let note = list::find_named_or_refuse(cx, spaces, it.name)?;
    match note.and_then(|note| draft_promotion(cx, note, it)) {
        Ok(draft) => remember(cx, draft),
        Err(refusal) => Ok(RememberOutcome::Refused(refusal)),
    }
}

fn draft_promotion(cx: &Context, note: Memory, it: Promotion) -> Result<Draft, Refusal> {
    let handle = note.handle();
    if !note.is_active() {
        return Err(Refusal::NotActive {
            handle,
            stage: note.status.stage(),
            verb: "promoted",
        });
    }
    let to = choose_target_layer(&note, it.layer)?;
    if to == Layer::Knowledge && it.fact.is_none() && is_failed_episode(&note) {
        return Err(Refusal::FailedEpisode { handle });
    }
    let is_scratch = note.layer == Layer::Session;
    let (id, space) = (note.id, note.space.clone());
    let citations = if it.citations.is_empty() {
        locate_note_citations(cx, &note)?
    } else {
        it.citations
    };
    let kind = it.kind.unwrap_or(note.kind);
    let subject = it.subject.or(note.subject);
    let reason = it.reason.or(note.reason);
    if to == Layer::Knowledge {
        let fields =
            list_missing_knowledge_fields(kind, subject.as_ref(), reason.as_ref(), citations.len());
        if !fields.is_empty() {
            return Err(Refusal::MissingFields { handle, fields });
        }
    }
    // Who is trusted less says what comes of a note: its author, or who promotes it. What a person puts into words of their
    // own is that person's.
    let voice = match &it.fact {
        Some(_) if it.voice.is_person() => it.voice,
        _ => note.voice.lowered_to(&it.voice),
    };
    let mut tags = note.tags;
    tags.retain(|it| to == Layer::Episode || !is_sort_tag(it));
    Ok(Draft {
        layer: Some(to),
        kind: Some(kind),
        subject,
        reason,
        citations,
        tags,
        task: note.task.or(it.task),
        on_duplicate: if is_scratch {
            DuplicateChoice::Replace(MemoryName::Id(id), ReplacementKind::Promotion)
        } else {
            DuplicateChoice::Ask
        },
        ..Draft::new(space, it.fact.unwrap_or(note.fact), voice)
    })
}

/// Where a note goes: scratch becomes an episode unless said otherwise, everything else knowledge.
fn choose_target_layer(note: &Memory, wanted: Option<Layer>) -> Result<Layer, Refusal> {
    let next = match note.layer {
        Layer::Session => Layer::Episode,
        _ => Layer::Knowledge,
    };
    match (note.layer, wanted.unwrap_or(next)) {
        (Layer::Session, to @ (Layer::Episode | Layer::Knowledge))
        | (Layer::Episode, to @ Layer::Knowledge) => Ok(to),
        (from, to) => Err(Refusal::NotPromotable {
            handle: note.handle(),
            from,
            to,
        }),
    }
}

/// The fields that knowledge of this kind needs and does not have. A preference or a correction needs no proof.
pub fn list_missing_knowledge_fields(
    kind: Kind,
    subject: Option<&String>,
    reason: Option<&String>,
    n_citations: usize,
) -> Vec<&'static str> {
    let is_empty = |it: Option<&String>| it.is_none_or(|it| it.trim().is_empty());
    let needs_proof = matches!(kind, Kind::Project | Kind::Reference);
    let fields = [
        ("subject", is_empty(subject)),
        ("reason", is_empty(reason)),
        ("citation", needs_proof && n_citations == 0),
    ];
    let missing = fields.into_iter().filter(|it| it.1);
    missing.map(|it| it.0).collect()
}

/// Where the citations of a note stand now. A note whose code has changed since is not promoted as it is.
pub fn locate_note_citations(cx: &Context, note: &Memory) -> Result<Vec<CitationRequest>, Refusal> {
    let seen = verify::follow_memory_citations(cx, vec![note.clone()]);
    let verdicts = seen.into_iter().flat_map(|it| it.verdicts);
    let place = |(citation, verdict): (&Citation, Verdict)| match verdict {
        Verdict::Moved { to } => Ok(to.into()),
        Verdict::Changed(it) if it.is_harmless => Ok(it.at.into()),
        bad if bad.is_bad() => Err(Refusal::BadCitation {
            place: citation.location().to_string(),
            why: format!(
                "it is {} since it was noted; note what is true now",
                bad.as_str()
            ),
        }),
        _ => Ok(citation.location().into()),
    };
    note.citations.iter().zip(verdicts).map(place).collect()
}

/// Whether a tag says what sort of note it was in its task.
pub fn is_sort_tag(tag: &str) -> bool {
    NoteSort::ALL.iter().any(|it| it.as_str() == tag)
}
