//! What is done about a memory: a form in, a core verb, and a page that tells what came of it.

use apostille_core::forget::PERSONS_VERB;
use apostille_core::memory::{Draft, Memory, MemoryId, MemoryName, ReplacementKind, Stage};
use apostille_core::promote::{Promotion, promote as promoted};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{NearMemory, RememberOutcome};
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::{Context, rollback};
use maud::{Markup, html};

use super::{
    UNPROCESSABLE, find_memory_in_path, past_status as past, render_memory_details,
    render_missing_memory,
};
use crate::components::{NoticeTone, render_handle_link, render_notice, sanitize_shown_text};
use crate::undo;
use crate::undo::CompletedAction;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};
use apostille_api::{CallFault, withhold_stale_neighbours};

pub use super::submitted_form::SubmittedForm;

/// What came of a deed.
pub enum ActionOutcome {
    /// It was done: the word for it, the memory to look at, and what was changed beside it.
    Done(&'static str, Box<Memory>, Vec<MemoryId>),
    /// It was turned away.
    Refused(Refusal),
    /// Much the same is known.
    Similar(Vec<NearMemory>),
    /// What was typed cannot be read.
    Unread(String),
}

impl ActionOutcome {
    /// What came of a revision.
    #[must_use]
    pub fn from_revised(word: &'static str, revised: ReviseOutcome) -> Self {
        match revised {
            ReviseOutcome::Done(memory) => Self::Done(word, memory, Vec::new()),
            ReviseOutcome::Refused(refusal) => Self::Refused(refusal),
        }
    }

    /// What came of a draft that was to take the place of this memory.
    #[must_use]
    pub fn from_outcome(word: &'static str, outcome: RememberOutcome, old: MemoryId) -> Self {
        match outcome {
            RememberOutcome::Remembered {
                memory, superseded, ..
            } => {
                let word = if memory.is_active() { word } else { "pending" };
                Self::Done(
                    word,
                    memory,
                    superseded.iter().map(|it| it.id).chain([old]).collect(),
                )
            }
            RememberOutcome::Refreshed { memory } => Self::Done("known", memory, vec![old]),
            RememberOutcome::Similar { near } => Self::Similar(near),
            RememberOutcome::Refused(refusal) => Self::Refused(refusal),
        }
    }
}

/// Why something was not done, as it is.
pub fn render_failed_action(
    visit: &RequestScope<'_>,
    came: ActionOutcome,
) -> Result<Markup, CallFault> {
    let told = match came {
        ActionOutcome::Refused(refusal) => {
            html! { p { strong { "Not done. " } (sanitize_shown_text(&format_refusal_for_panel(&refusal))) } }
        }
        ActionOutcome::Unread(why) => {
            html! { p { strong { "Not done. " } (sanitize_shown_text(&why)) } }
        }
        ActionOutcome::Similar(near) => {
            let near = withhold_stale_neighbours(visit.cx, near)?;
            html! {
                p { strong { "Not kept. " } "Much the same is known:" }
                ul { @for it in &near {
                    li { (render_handle_link(visit, it.handle)) " (" (it.relation.as_str()) ") " span dir="auto" { (sanitize_shown_text(&it.fact)) } }
                } }
            }
        }
        ActionOutcome::Done(..) => html! {},
    };
    Ok(render_notice(NoticeTone::Bad, &told))
}

/// A refusal in the words of the panel, where its own name a flag or a command.
fn format_refusal_for_panel(refusal: &Refusal) -> String {
    match refusal {
        Refusal::MissingFields { handle, fields } => {
            format!(
                "{handle} cannot become knowledge yet: fill in the {}",
                fields.join(" and the ")
            )
        }
        Refusal::PersonDecides { verb } => {
            format!("only a person can {verb}, and this pass is no person's")
        }
        Refusal::NoSuchMemory { name } => format!("there is no memory {name} here"),
        Refusal::BreakerOpen { why } => {
            format!(
                "a breaker is open: {why}; nothing is marked as wrong until a person closes it under Health"
            )
        }
        Refusal::IdentityNeedsUser => {
            "identity belongs to a person: choose 'mine, in every repository' as whose it is".into()
        }
        other => other.to_string(),
    }
}

/// Why something stands again, for whoever reads the history.
const RESTORED: &str = "restored in the panel";

/// Does something about the memory that the path names.
fn run_memory_action(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
    verb: &'static str,
    run: impl FnOnce(&Context<'_>, &Memory, &SubmittedForm) -> Result<ActionOutcome, CallFault>,
) -> Result<HttpReply, CallFault> {
    let Some(memory) = find_memory_in_path(visit, asked)? else {
        return Ok(render_missing_memory(visit, asked));
    };
    let tried = SubmittedForm::new(verb, asked);
    let cx = visit.here.context_for_space(visit.cx, &memory.space);
    let after = rollback::find_last_event_place(&cx, &memory.space)?;
    match run(&cx, &memory, &tried)? {
        ActionOutcome::Done(word, now, mut touched) => {
            touched.extend([memory.id, now.id]);
            let path = format!("/memories/{}", now.handle());
            undo::redirect_with_undo(
                visit,
                &path,
                &CompletedAction {
                    word,
                    space: &memory.space,
                    after,
                    touched,
                },
            )
        }
        other => {
            let told = render_failed_action(visit, other)?;
            render_memory_details(visit, memory, UNPROCESSABLE, &told, &tried)
        }
    }
}

/// Puts other words in its place: a better version, or a correction.
pub fn handle_edit_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "edit", |cx, memory, tried| {
        let draft = match draft_from_edit_form(visit, memory, tried) {
            Ok(draft) => draft,
            Err(why) => return Ok(ActionOutcome::Unread(why)),
        };
        let (spaces, name) = (visit.reachable_spaces(), MemoryName::Id(memory.id));
        let (word, how) = match tried.field("how") {
            Some("correction") => ("corrected", ReplacementKind::Correction),
            _ => ("superseded", ReplacementKind::Better),
        };
        let outcome = match memory.status.stage() {
            Stage::Pending => revise::reword_memory(cx, &spaces, name, draft)?,
            _ => revise::supersede_memory(cx, &spaces, name, draft, how)?,
        };
        Ok(ActionOutcome::from_outcome(word, outcome, memory.id))
    })
}

/// What was typed, as a draft that is to take the place of this memory.
pub fn draft_from_edit_form(
    visit: &RequestScope<'_>,
    old: &Memory,
    tried: &SubmittedForm,
) -> Result<Draft, String> {
    Ok(Draft {
        subject: tried.filled_text("subject"),
        reason: tried.filled_text("reason"),
        tags: tried.parse_tags(),
        citations: tried.parse_places()?,
        ..Draft::new(
            old.space.clone(),
            tried.filled_text("fact").unwrap_or_default(),
            visit.voice(),
        )
    }
    .with_vouching(tried.field("force").is_some(), visit.person()))
}

/// Says that it still holds.
pub fn handle_refresh_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "refresh", |cx, memory, _| {
        Ok(ActionOutcome::from_revised(
            "refreshed",
            revise::refresh_memory(cx, &visit.reachable_spaces(), MemoryName::Id(memory.id))?,
        ))
    })
}

/// Marks it as wrong.
pub fn handle_invalidate_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "invalidate", |cx, memory, tried| {
        let Some(reason) = tried.filled_text("reason") else {
            return Ok(ActionOutcome::Unread(
                "say in a sentence why it is wrong".into(),
            ));
        };
        let name = MemoryName::Id(memory.id);
        let revised = revise::invalidate_memory_as(
            cx,
            &visit.reachable_spaces(),
            name,
            &reason,
            &visit.voice(),
        )?;
        Ok(ActionOutcome::from_revised("invalidated", revised))
    })
}

/// Puts it back to how it stood before it was set aside.
pub fn handle_restore_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "restore", |cx, memory, _| {
        let Some((after, _)) = past::find_restorable_status(visit, memory)? else {
            return Ok(ActionOutcome::Unread(
                "it was not set aside, so there is nothing to restore".into(),
            ));
        };
        if let Some(twin) = cx
            .store
            .get_by_claim(&memory.space, &memory.claim_digest())?
        {
            let twin = twin.handle();
            return Ok(ActionOutcome::Unread(format!(
                "{twin} says the same since: edit or decide about {twin}"
            )));
        }
        rollback::take_back_changes(cx, &memory.space, after, &[memory.id], RESTORED)?;
        Ok(ActionOutcome::Done(
            "restored",
            Box::new(memory.clone()),
            Vec::new(),
        ))
    })
}

/// Lets it be used, also where it was rejected once.
pub fn handle_approve_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "approve", |cx, memory, _| {
        let by = visit.deciding_person()?;
        let revised = revise::reconsider_memory(
            cx,
            by,
            &visit.reachable_spaces(),
            MemoryName::Id(memory.id),
        )?;
        Ok(add_touched_memory(
            ActionOutcome::from_revised("approved", revised),
            memory.supersedes,
        ))
    })
}

/// The same, with another memory that may have been changed.
fn add_touched_memory(came: ActionOutcome, also: Option<MemoryId>) -> ActionOutcome {
    match came {
        ActionOutcome::Done(word, memory, touched) => {
            ActionOutcome::Done(word, memory, touched.into_iter().chain(also).collect())
        }
        other => other,
    }
}

/// Turns it away.
pub fn handle_reject_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "reject", |cx, memory, tried| {
        let by = visit.deciding_person()?;
        let reason = tried.filled_text("reason").unwrap_or_default();
        let revised = revise::reject_memory(
            cx,
            by,
            &visit.reachable_spaces(),
            MemoryName::Id(memory.id),
            &reason,
        )?;
        Ok(ActionOutcome::from_revised("rejected", revised))
    })
}

/// Keeps a note for longer.
pub fn handle_promote_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_memory_action(visit, asked, "promote", |cx, memory, tried| {
        let citations = match tried.parse_places() {
            Ok(places) => places,
            Err(why) => return Ok(ActionOutcome::Unread(why)),
        };
        let word = |name: &str| tried.field(name).filter(|it| !it.is_empty());
        let promotion = Promotion {
            layer: word("layer").and_then(|it| it.parse().ok()),
            kind: word("kind").and_then(|it| it.parse().ok()),
            subject: tried.filled_text("subject"),
            reason: tried.filled_text("reason"),
            citations,
            ..Promotion::new(MemoryName::Id(memory.id), visit.voice())
        };
        Ok(ActionOutcome::from_outcome(
            "promoted",
            promoted(cx, &visit.reachable_spaces(), promotion)?,
            memory.id,
        ))
    })
}

/// Removes its text everywhere.
pub fn handle_forget_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let Some(memory) = find_memory_in_path(visit, asked)? else {
        return Ok(render_missing_memory(visit, asked));
    };
    let tried = SubmittedForm::new("forget", asked);
    let came = match forget_confirmed_memory(visit, &memory, &tried)? {
        Ok(()) => return Ok(undo::redirect_with_message(visit, "/", "forgotten").mark_changed()),
        Err(came) => came,
    };
    let told = render_failed_action(visit, came)?;
    render_memory_details(visit, memory, UNPROCESSABLE, &told, &tried)
}

/// What a person said, and what a person decides about, is not erased by anybody else.
pub(super) fn can_forget_memory(visit: &RequestScope<'_>, memory: &Memory) -> bool {
    !memory.needs_person_to_forget() || visit.voice().is_person()
}

fn forget_confirmed_memory(
    visit: &RequestScope<'_>,
    memory: &Memory,
    tried: &SubmittedForm,
) -> Result<Result<(), ActionOutcome>, CallFault> {
    if tried.field("sure").is_none() {
        let why = "tick the box first: what is forgotten cannot be brought back";
        return Ok(Err(ActionOutcome::Unread(why.into())));
    }
    if !can_forget_memory(visit, memory) {
        return Ok(Err(ActionOutcome::Refused(Refusal::PersonDecides {
            verb: PERSONS_VERB,
        })));
    }
    let reason = tried.filled_text("reason").unwrap_or_default();
    let done = apostille_api::forget_with_cleanup(
        visit.cx,
        visit.here,
        MemoryName::Id(memory.id),
        &reason,
    )?;
    Ok(done.map(|_| ()).map_err(ActionOutcome::Refused))
}
