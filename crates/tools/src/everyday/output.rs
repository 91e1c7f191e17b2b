//! The answers of these tools: few fields, because every one of them is read by a model.

use apostille_cite::{citation::Citation, standing::Standing, verdict::Verdict};
use apostille_core::{
    event::{EventBody, LoggedEvent},
    format::format_timestamp,
    memory::{Memory, Stage},
    recall::{RecallOutcome, VerifiedHit, excerpt},
    refusal::Refusal,
    remember::dedupe::NearMemory,
    repair_text::RepairCall,
    standing_text::{StandingView, describe_kept_beside},
    verify::{VerifiedMemory, VerifyReport},
};
use serde::Serialize;

use crate::outcome::CompletedWrite;
use apostille_api::{json::pending_reason, said::ARCHIVE_OFF, shorten::take_first_chars};

/// How many memories with something wrong are described in one answer.
pub(super) const MAX_TOLD: usize = 20;
/// How much of changed code is shown, in characters.
const MAX_CODE: usize = 600;

/// What was recalled.
#[derive(Serialize)]
pub(super) struct RecallToolReply {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    identity: Vec<RecalledMemory>,
    memories: Vec<RecalledMemory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<RecalledMemory>,
    /// In which tree it was looked up, where that is not the agent's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<String>,
    /// What people wrote into `NOTES.md`, where a task begins.
    #[serde(skip_serializing_if = "String::is_empty")]
    notes: String,
    /// Said only where past tasks match that were not asked for, or nothing answers the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A memory.
#[derive(Default, Serialize)]
struct RecalledMemory {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<String>>,
    /// What is known of it beside its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// What the code says now in place of what the fact says: `10 → 25`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    now: Vec<String>,
    /// The call that puts right what does not stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl RecalledMemory {
    fn new(it: &VerifiedHit) -> Self {
        Self {
            id: it.hit.memory.handle().to_string(),
            standing: Some(it.standing().as_str()),
            at: Some(list_current_locations(
                &it.hit.memory.citations,
                &it.verdicts,
            )),
            note: StandingView::from(it).note(),
            ..Self::default()
        }
    }

    /// A memory that may be used; where its code changed, with the call that confirms or corrects it.
    fn new_usable(it: &VerifiedHit) -> Self {
        let shown = Self::new(it);
        Self {
            fact: Some(excerpt::excerpt_hit(it).into_owned()),
            reason: it.hit.memory.reason.clone(),
            at: shown.at.filter(|it| !it.is_empty()),
            next: format_repair_call(&StandingView::from(it)),
            ..shown
        }
    }

    /// A memory that does not stand, with all that is needed to repair it; nothing of it where it could not be looked up.
    fn new_withheld(it: &VerifiedHit) -> Self {
        let shown = Self::new(it);
        if !it.standing().is_refuted() {
            return shown;
        }
        let view = StandingView::from(it);
        let replaced = view.list_replaced();
        let fact = take_first_chars(&it.hit.memory.fact, MAX_WITHHELD_FACT);
        Self {
            fact: Some(fact.map_or_else(|| it.hit.memory.fact.clone(), |it| format!("{it}…"))),
            now: replaced
                .into_iter()
                .map(|(old, new)| format!("{old} → {new}"))
                .collect(),
            next: format_repair_call(&view),
            ..shown
        }
    }
}

/// What an agent does where nothing is remembered about its question.
const NOTHING_KNOWN: &str = "nothing is remembered about this: read the code, and keep what you find out with memory_remember";
/// What an agent does where its own budget left nothing.
const ASK_FOR_MORE: &str = "ask again with more tokens, or without";
/// How much of a fact that does not stand is repeated, in characters.
const MAX_WITHHELD_FACT: usize = 300;

/// The call that puts a memory right whose code changed.
fn format_repair_call(view: &StandingView) -> Option<String> {
    let call = RepairCall::suggest(view)?.tool_call();
    Some(format!(
        "{call}; where that does not fit: correct it with another fact, confirm it with the lines that say it, or invalidate it with a reason"
    ))
}

impl RecallToolReply {
    pub(super) fn new(recalled: &RecallOutcome, identity: &[Memory], is_open: bool) -> Self {
        let own = |it: &Memory| RecalledMemory {
            id: it.handle().to_string(),
            fact: Some(it.fact.clone()),
            ..RecalledMemory::default()
        };
        let is_empty = recalled.shown.is_empty() && recalled.withheld.is_empty();
        let unfit = recalled
            .describe_unfit()
            .map(|it| format!("{it}: {ASK_FOR_MORE}"));
        // What only stood in for an answer is not named when it does not stand.
        let is_meant = |it: &&VerifiedHit| is_open || it.hit.why.relevance > 0.0;
        let told = recalled.withheld.iter().filter(is_meant).take(MAX_TOLD);
        let past = recalled.describe_episodes("\"episodes\": true");
        let nothing = (is_empty && !is_open).then(|| NOTHING_KNOWN.to_owned());
        Self {
            identity: identity.iter().map(own).collect(),
            memories: recalled
                .shown
                .iter()
                .map(RecalledMemory::new_usable)
                .collect(),
            withheld: told.map(RecalledMemory::new_withheld).collect(),
            verified_at: recalled.verified_at.clone(),
            notes: String::new(),
            next: unfit.or(past).or(nothing),
        }
    }
}

impl RecallToolReply {
    /// The same with what people wrote; that is an answer, too.
    pub(super) fn with_notes(self, notes: String) -> Self {
        let next = self.next.filter(|_| notes.is_empty());
        Self {
            notes,
            next,
            ..self
        }
    }
}

/// Where the cited code is now, as far as anybody knows.
fn list_current_locations(citations: &[Citation], verdicts: &[Verdict]) -> Vec<String> {
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Moved { to } => to.to_string(),
        Verdict::Changed(found) => found.at.to_string(),
        _ => citation.location().to_string(),
    };
    citations.iter().zip(verdicts).map(place).collect()
}

/// Something was done.
#[derive(Serialize)]
pub(super) struct WriteToolReply {
    ok: bool,
    id: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
    /// What it contradicts, and took the place of by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<String>,
    /// What it is kept beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
    /// What that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl WriteToolReply {
    pub(super) fn new(it: &CompletedWrite) -> Self {
        Self {
            ok: true,
            id: it.memory.handle().to_string(),
            outcome: it.deed.as_str(),
            pending: pending_reason(&it.memory).map(Into::into),
            superseded: it.superseded.as_ref().map(|it| it.handle.to_string()),
            beside: it.beside.map(|it| it.to_string()),
            note: it.beside.map(describe_kept_beside),
        }
    }
}

/// Nothing was done: why, and the way out.
#[derive(Default, Serialize)]
pub(super) struct RefusedToolReply {
    ok: bool,
    class: &'static str,
    error: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<SimilarMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A memory much like the one that was to be kept.
#[derive(Serialize)]
struct SimilarMemory {
    id: String,
    fact: String,
    relation: &'static str,
}

impl RefusedToolReply {
    fn explain(class: &'static str, error: impl Into<String>, next: Option<String>) -> Self {
        Self {
            class,
            error: error.into(),
            next,
            ..Self::default()
        }
    }

    pub(super) fn new(refusal: &Refusal) -> Self {
        let next = advise_after_refusal(refusal);
        Self::explain(refusal.class(), refusal.to_string(), next.map(Into::into))
    }

    /// The same where a memory was to be replaced.
    pub(super) fn for_revision(refusal: &Refusal) -> Self {
        let mut reply = Self::new(refusal);
        if let Refusal::NeedsCitation { .. } = refusal {
            reply.next = Some("call memory_revise again with \"citations\":[\"path/to/file:12-18\"]: the old ones do not hold here".into());
        }
        reply
    }

    pub(super) fn no_user() -> Self {
        let error = "the user's name is not known; start the server with --as <user>";
        Self::explain("no_user", error, None)
    }

    /// Conversations are asked for that are not kept, or not open to the caller.
    pub(super) fn archive_off() -> Self {
        let next = "go on without them, or ask the user; they set archive = \"verbatim\" in their own config file to have \
                    conversations kept";
        Self::explain("archive_off", ARCHIVE_OFF, Some(next.into()))
    }

    pub(super) fn from_similar(near: &[NearMemory]) -> Self {
        let known = |it: &NearMemory| SimilarMemory {
            id: it.handle.to_string(),
            fact: it.fact.clone(),
            relation: it.relation.as_str(),
        };
        let first = near
            .first()
            .map_or_else(String::new, |it| it.handle.to_string());
        let next = format!(
            "if yours is the better one: memory_revise {{\"id\":\"{first}\",\"action\":\"supersede\",\"fact\":\"…\"}}; if it adds \
             proof: memory_remember again with \"merge_with\":\"{first}\"; if both are needed: with \"rationale\":\"why\""
        );
        let error = "much like what is known; nothing was kept";
        Self {
            similar: near.iter().map(known).collect(),
            ..Self::explain("similar", error, Some(next))
        }
    }

    pub(super) fn for_stale_memory(it: &VerifiedMemory) -> Self {
        let id = it.memory.handle();
        let error = format!("not refreshed: {id} is {} here", it.standing());
        let next = format!(
            "memory_verify {{\"ids\":[\"{id}\"]}} shows the code; then memory_revise {{\"id\":\"{id}\",\"action\":\"correct\",\"fact\":\"…\",\"citations\":[\"…\"]}} or \
             \"invalidate\""
        );
        Self::explain("does_not_hold", error, Some(next))
    }
}

/// The call to make after a refusal, where there is one.
fn advise_after_refusal(refusal: &Refusal) -> Option<&'static str> {
    Some(match refusal {
        Refusal::NeedsCitation { .. } => {
            "call memory_remember again with \"citations\":[\"path/to/file:12-18\"], with \"said\":\"the user's words\", or with \"ran\":\"the \
             command\"; or with \"kind\":\"feedback\" for a correction"
        }
        Refusal::NotSaid => {
            "quote a part of the user's own message, word for word, or leave \"said\" out: it is looked for then; for words of a \
             past conversation, the name of the passage before them: \"said\":\"c-12.3: …\""
        }
        Refusal::NoProofInPassage { .. } => {
            "memory_recall {\"layer\":\"archive\",\"query\":\"…\"} shows what the user said, each passage with its name"
        }
        Refusal::AsksPerson(_) => {
            "tell the user what you want and why; once they ask for it in their own words, naming the id, call again. \
             Or they do it with `apostille forget`, `invalidate` or `supersede`"
        }
        Refusal::NotRun { .. } => "run the command by itself in the foreground, and call again",
        Refusal::NoSuchMemory { .. } => "memory_recall shows the ids that there are",
        Refusal::Secret { .. } => "say it without the secret, such as where it is kept",
        Refusal::Excluded { .. } => "keep the lesson or the rule instead, or let it be",
        Refusal::BadCitation { .. } => {
            "read the file, and call again with lines that are there, from the repository's root"
        }
        Refusal::TooLong { .. } | Refusal::TooMany { .. } => {
            "call again with less, or remember it in several parts"
        }
        Refusal::NotActive { .. } => "memory_recall shows what is in use instead",
        Refusal::IdentityFull { .. } => {
            "memory_revise one of these lines, or remember it in layer knowledge"
        }
        _ => return None,
    })
}

/// What was found at the citations of a memory that does not hold, or could not be looked up.
#[derive(Serialize)]
struct MemoryProblem {
    id: String,
    standing: &'static str,
    fact: String,
    citations: Vec<CitationProblem>,
}

/// One citation.
#[derive(Default, Serialize)]
struct CitationProblem {
    cited: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl MemoryProblem {
    fn new(it: &VerifiedMemory) -> Self {
        let citations = it
            .memory
            .citations
            .iter()
            .zip(&it.verdicts)
            .map(|(it, verdict)| CitationProblem::new(it, verdict));
        Self {
            id: it.memory.handle().to_string(),
            standing: it.standing().as_str(),
            fact: it.memory.fact.clone(),
            citations: citations.collect(),
        }
    }
}

impl CitationProblem {
    fn new(citation: &Citation, verdict: &Verdict) -> Self {
        let unchanged = Self {
            cited: citation.location().to_string(),
            verdict: verdict.as_str(),
            ..Self::default()
        };
        match verdict {
            Verdict::Holds => unchanged,
            Verdict::Moved { to } => Self {
                at: Some(to.to_string()),
                ..unchanged
            },
            Verdict::Changed(found) => Self {
                at: Some(found.at.to_string()),
                change: Some(found.change.to_string()),
                now: Some(shorten_code(&found.now)),
                contradicted: found.contradicted.clone(),
                ..unchanged
            },
            Verdict::Gone { loss, .. } => Self {
                why: Some(loss.to_string()),
                ..unchanged
            },
            Verdict::Unknown { why } => Self {
                why: Some(why.clone()),
                ..unchanged
            },
        }
    }
}

/// Code, cut at the end of a line where it is long.
fn shorten_code(code: &str) -> String {
    let Some(start) = take_first_chars(code, MAX_CODE) else {
        return code.to_owned();
    };
    let whole = start.rfind('\n').unwrap_or(start.len());
    format!("{}\n…", &code[..whole])
}

/// A memory that another took the place of; what it said is not repeated.
#[derive(Serialize)]
struct SupersededMemory {
    id: String,
    /// What took its place, where that is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl From<&VerifiedMemory> for SupersededMemory {
    fn from(it: &VerifiedMemory) -> Self {
        Self {
            id: it.memory.handle().to_string(),
            by: it.superseded_by.map(|it| it.to_string()),
        }
    }
}

/// A memory that is no longer in use: what became of it before how its code stands.
#[derive(Serialize)]
pub(super) struct DiscardedMemory {
    id: String,
    status: &'static str,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Who did it, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    standing: &'static str,
}

impl DiscardedMemory {
    /// A memory with the last change in its history that set it aside.
    pub(super) fn new(it: &VerifiedMemory, history: &[LoggedEvent]) -> Self {
        let is_end = |it: &&LoggedEvent| {
            matches!(
                it.event.what,
                EventBody::Invalidated { .. } | EventBody::Retired { .. }
            )
        };
        let end = history.iter().filter(is_end).max_by_key(|it| it.seq);
        let memory = &it.memory;
        Self {
            id: memory.handle().to_string(),
            status: memory.status.stage().as_str(),
            why: memory.status.why().map(Into::into),
            since: end.map(|it| format_timestamp(it.event.at)),
            by: end.and_then(|it| it.event.actor.clone()),
            standing: it.standing().as_str(),
        }
    }
}

/// Whether a memory was found wrong or set aside, so that its code does not matter.
pub(super) fn is_discarded(it: &VerifiedMemory) -> bool {
    matches!(it.memory.status.stage(), Stage::Invalid | Stage::Retired)
}

/// What came of verifying.
#[derive(Serialize)]
pub(super) struct VerifyToolReply {
    verified: usize,
    good: usize,
    /// How many cite nothing, so that there was nothing to look up.
    #[serde(skip_serializing_if = "is_zero_unverified")]
    unverified: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<MemoryProblem>,
    /// Those that are no longer in use, however their code stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    superseded: Vec<SupersededMemory>,
    /// Those that were found wrong or set aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_in_use: Vec<DiscardedMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    /// In which tree they were looked up, where that is not the agent's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<String>,
}

impl VerifyToolReply {
    pub(super) fn new(report: &VerifyReport, not_in_use: Vec<DiscardedMemory>) -> Self {
        let known = report.memories.iter().filter(|it| !is_discarded(it));
        let (superseded, used): (Vec<_>, Vec<_>) = known.partition(|it| it.is_superseded());
        let is_cited = |it: &&VerifiedMemory| !it.verdicts.is_empty();
        let cited: Vec<&VerifiedMemory> = used.iter().copied().filter(is_cited).collect();
        let verified = cited.len();
        let wrong = cited
            .into_iter()
            .filter(|it| it.standing() != Standing::Stands && !it.is_outranked);
        let n_wrong = wrong.clone().count();
        Self {
            verified,
            good: verified - n_wrong,
            unverified: used.len() - verified,
            problems: wrong.take(MAX_TOLD).map(MemoryProblem::new).collect(),
            superseded: superseded.into_iter().map(SupersededMemory::from).collect(),
            not_in_use,
            more: n_wrong.checked_sub(MAX_TOLD).filter(|it| *it > 0),
            verified_at: report.verified_at.clone(),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero_unverified(n: &usize) -> bool {
    *n == 0
}
