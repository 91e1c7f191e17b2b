//! What is done about a memory: a form in, a core verb, and a page that tells what came of it.

use apostille_core::speaker::PersonVerb;
use apostille_core::{
    Context, CoreError,
    memory::{Memory, MemoryId, MemoryName, ReplacementKind, Stage},
    promote::{Promotion, promote},
    refusal::Refusal,
    remember::{NearMemory, RememberOutcome},
    revise::{self, ReviseOutcome},
    rollback,
    space::Space,
};
use maud::{Markup, html};

use super::{
    UNPROCESSABLE, find_memory_in_path, past_status::find_restorable_status, render_memory_details,
    render_missing_memory,
};
use crate::{
    PanelResult,
    components::{render_handle_link, render_notice, sanitize_shown_text},
    submitted_form::SubmittedForm,
    undo::{self, LogPlace},
};
use apostille_api::{
    Caller,
    request_scope::{RequestInput, RequestScope},
    withhold_stale_neighbours,
};

/// What came of a deed.
pub enum ActionOutcome {
    /// It was done: the word for it, the memory to look at, and what was changed beside it.
    Done(&'static str, Box<Memory>, Vec<MemoryId>),
    /// It was forgotten, and there is nothing to look at.
    Forgotten,
    /// It was turned away.
    Refused(Refusal),
    /// Much the same is known.
    Similar(Vec<NearMemory>),
    /// What was typed cannot be read.
    Unread(String),
}

impl ActionOutcome {
    /// What came of a revision.
    pub fn from_revised(
        word: &'static str,
        revised: Result<ReviseOutcome, CoreError>,
    ) -> PanelResult<Self> {
        Ok(match revised? {
            ReviseOutcome::Done(memory) => Self::Done(word, memory, Vec::new()),
            ReviseOutcome::Refused(refusal) => Self::Refused(refusal),
        })
    }

    /// What came of a draft, which may have been to take the place of a memory.
    pub fn from_outcome(
        word: &'static str,
        outcome: RememberOutcome,
        old: Option<MemoryId>,
    ) -> Self {
        match outcome {
            RememberOutcome::Remembered {
                memory,
                superseded,
                beside,
                ..
            } => {
                let word = match beside {
                    Some(_) => "beside",
                    None if memory.is_active() => word,
                    None => "pending",
                };
                let touched = superseded.iter().map(|it| it.id).chain(old).collect();
                Self::Done(word, memory, touched)
            }
            RememberOutcome::Refreshed { memory } => {
                Self::Done("known", memory, old.into_iter().collect())
            }
            RememberOutcome::Similar { near } => Self::Similar(near),
            RememberOutcome::Refused(refusal) => Self::Refused(refusal),
        }
    }
}

/// Why something was not done, as it is.
pub fn render_failed_action(scope: &RequestScope, came: ActionOutcome) -> PanelResult<Markup> {
    let why = match came {
        ActionOutcome::Refused(refusal) => format_refusal_for_panel(&refusal),
        ActionOutcome::Unread(why) => why,
        ActionOutcome::Similar(near) => {
            let told = html! { p { strong { "Not kept. " } "Much the same is known:" } };
            return render_near_memories(scope, &told, near);
        }
        ActionOutcome::Done(..) | ActionOutcome::Forgotten => return Ok(html! {}),
    };
    let told = html! { p { strong { "Not done. " } (sanitize_shown_text(&why)) } };
    Ok(render_notice("bad", &told))
}

/// What is much like what somebody wants to keep, below what is said about that.
pub fn render_near_memories(
    scope: &RequestScope,
    told: &Markup,
    near: Vec<NearMemory>,
) -> PanelResult<Markup> {
    let near = withhold_stale_neighbours(scope.cx, near)?;
    let list = html! {
        (told)
        ul { @for it in &near {
            li { (render_handle_link(scope, it.handle)) " (" (it.relation.as_str()) ") " span dir="auto" { (sanitize_shown_text(&it.fact)) } }
        } }
    };
    Ok(render_notice("bad", &list))
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
            format!("only a person can {verb}, and this token does not speak for one")
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

/// An action on a memory: where it is done, and what was typed.
pub struct ActionCase<'a> {
    pub(crate) scope: &'a RequestScope<'a>,
    pub(crate) cx: Context<'a>,
    pub(crate) spaces: Vec<Space>,
    pub(crate) memory: Memory,
    /// Those that say nearly the same and share its fate.
    pub(crate) copies: Vec<Memory>,
    pub(crate) tried: SubmittedForm,
}

/// Does something in a case.
pub type RunAction = fn(&ActionCase<'_>) -> PanelResult<ActionOutcome>;

impl<'a> ActionCase<'a> {
    pub(crate) fn new(scope: &'a RequestScope<'a>, memory: Memory, tried: SubmittedForm) -> Self {
        Self {
            scope,
            cx: scope.caller.context_for_space(scope.cx, &memory.space),
            spaces: scope.reachable_spaces(),
            memory,
            copies: Vec::new(),
            tried,
        }
    }

    /// The memory, as verbs want it named.
    pub(crate) fn name(&self) -> MemoryName {
        MemoryName::Id(self.memory.id)
    }

    pub(crate) fn reason(&self) -> String {
        self.tried.filled_text("reason").unwrap_or_default()
    }
}

/// Does something about the memory that the path names.
pub fn run_memory_action(
    scope: &RequestScope,
    asked: &RequestInput,
    verb: &'static str,
    run: RunAction,
) -> PanelResult {
    let Some(memory) = find_memory_in_path(scope, asked)? else {
        return render_missing_memory(scope, asked);
    };
    let case = ActionCase::new(scope, memory, SubmittedForm::new(verb, asked));
    let before = LogPlace::find(&case.cx, &case.memory.space)?;
    match run(&case)? {
        ActionOutcome::Done(word, now, mut touched) => {
            touched.extend([case.memory.id, now.id]);
            before.redirect_with_undo(scope, &format!("/memories/{}", now.handle()), word, touched)
        }
        ActionOutcome::Forgotten => {
            Ok(undo::redirect_with_message(scope, "/", "forgotten").mark_changed())
        }
        other => {
            let told = render_failed_action(scope, other)?;
            render_memory_details(scope, case.memory, UNPROCESSABLE, &told, &case.tried)
        }
    }
}

/// Puts other words in its place: a better version, or a correction.
pub fn perform_edit(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let mut draft = match case.tried.parse_draft(case.scope, &case.memory.space) {
        Ok(draft) => draft,
        Err(why) => return Ok(ActionOutcome::Unread(why)),
    };
    if draft.tags.is_empty() && case.tried.field("tags").is_some() {
        // They were deleted, which is more than saying nothing about them.
        draft.tags.push(String::new());
    }
    let (word, how) = match case.tried.field("how") {
        Some("correction") => ("corrected", ReplacementKind::Correction),
        _ => ("superseded", ReplacementKind::Better),
    };
    let outcome = match case.memory.status.stage() {
        Stage::Pending => revise::reword_memory(&case.cx, &case.spaces, case.name(), draft)?,
        _ => revise::supersede_memory(
            &case.cx,
            case.scope.speaker(),
            &case.spaces,
            case.name(),
            draft,
            how,
        )?,
    };
    let old = Some(case.memory.id);
    Ok(ActionOutcome::from_outcome(word, outcome, old))
}

/// Says that it still holds.
pub fn perform_refresh(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let revised = revise::refresh_memory(&case.cx, &case.spaces, case.name());
    ActionOutcome::from_revised("refreshed", revised)
}

/// Puts its citations on the lines as they are now, because it is still true there.
pub fn perform_confirm(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let places = match case.tried.parse_places() {
        Ok(places) => places,
        Err(why) => return Ok(ActionOutcome::Unread(why)),
    };
    let voice = case.scope.voice();
    let revised = revise::confirm_memory(&case.cx, &case.spaces, case.name(), &places, &voice);
    ActionOutcome::from_revised("confirmed", revised)
}

/// Marks it as wrong.
pub fn perform_invalidate(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let Some(reason) = case.tried.filled_text("reason") else {
        return Ok(ActionOutcome::Unread(
            "say in a sentence why it is wrong".into(),
        ));
    };
    let by = case.scope.speaker();
    let revised = revise::invalidate_memory(&case.cx, by, &case.spaces, case.name(), &reason);
    ActionOutcome::from_revised("invalidated", revised)
}

/// Puts it back to how it stood before it was set aside.
pub fn perform_restore(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let (store, memory) = (case.cx.store, &case.memory);
    let Some((after, _)) = find_restorable_status(case.scope, memory)? else {
        return Ok(ActionOutcome::Unread(
            "it was not set aside, so there is nothing to restore".into(),
        ));
    };
    if let Some(twin) = store.get_by_claim(&memory.space, &memory.claim_digest())? {
        let twin = twin.handle();
        return Ok(ActionOutcome::Unread(format!(
            "{twin} says the same since: edit or decide about {twin}"
        )));
    }
    rollback::take_back_changes(&case.cx, &memory.space, after, &[memory.id], RESTORED)?;
    let now = Box::new(memory.clone());
    Ok(ActionOutcome::Done("restored", now, Vec::new()))
}

/// Lets it be used, also where it was rejected once.
pub fn perform_approve(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let by = case.scope.deciding_person()?;
    let revised = revise::reconsider_memory(&case.cx, by, &case.spaces, case.name());
    let mut came = ActionOutcome::from_revised("approved", revised)?;
    if let ActionOutcome::Done(_, _, touched) = &mut came {
        touched.extend(case.memory.supersedes);
    }
    Ok(came)
}

/// Turns it away, its copies too.
pub fn perform_reject(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let (by, reason) = (case.scope.deciding_person()?, case.reason());
    let reject = |name| revise::reject_memory(&case.cx, by, &case.spaces, name, &reason);
    let came = ActionOutcome::from_revised("rejected", reject(case.name()))?;
    if let ActionOutcome::Done(..) = &came {
        for copy in &case.copies {
            reject(MemoryName::Id(copy.id))?;
        }
    }
    Ok(came)
}

/// Keeps a note for longer.
pub fn perform_promote(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let tried = &case.tried;
    let citations = match tried.parse_places() {
        Ok(places) => places,
        Err(why) => return Ok(ActionOutcome::Unread(why)),
    };
    let promotion = Promotion {
        layer: tried.parse_filled("layer").unwrap_or_default(),
        kind: tried.parse_filled("kind").unwrap_or_default(),
        subject: tried.filled_text("subject"),
        reason: tried.filled_text("reason"),
        citations,
        ..Promotion::new(case.name(), case.scope.voice())
    };
    let outcome = promote(&case.cx, &case.spaces, promotion)?;
    let old = Some(case.memory.id);
    Ok(ActionOutcome::from_outcome("promoted", outcome, old))
}

/// What a person said, and what a person decides about, is not erased by anybody else.
pub(super) fn can_forget_memory(scope: &RequestScope, memory: &Memory) -> bool {
    scope.speaker().can_decide(PersonVerb::Forget, memory)
}

/// Removes its text everywhere.
pub fn perform_forget(case: &ActionCase) -> PanelResult<ActionOutcome> {
    if case.tried.field("sure").is_none() {
        let why = "tick the box first: what is forgotten cannot be brought back";
        return Ok(ActionOutcome::Unread(why.into()));
    }
    let scope = case.scope;
    let caller = Caller {
        speaker: scope.speaker(),
        ..*scope.caller
    };
    let done = apostille_api::forget_with_cleanup(scope.cx, &caller, case.name(), &case.reason())?;
    Ok(done.map_or_else(ActionOutcome::Refused, |_| ActionOutcome::Forgotten))
}
