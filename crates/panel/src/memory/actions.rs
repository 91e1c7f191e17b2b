//! What can be done about a memory, each with its consequence said beforehand.

use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Kind, Layer, Memory, Stage};
use apostille_core::remember::resubmission::is_rejected_memory;
use apostille_core::verify::VerifiedMemory;
use apostille_text::moderate;
use maud::{Markup, html};

use super::handlers::{self, SubmittedForm};
use super::past_status;
use crate::components::{
    SelectOption, render_checkbox, render_post_form, render_required_input, render_select,
    render_text_input, render_textarea,
};
use apostille_api::CallFault;
use apostille_api::access_token::Access;
use apostille_api::request_scope::RequestScope;

/// One thing that can be done.
struct MemoryAction<'a> {
    verb: &'static str,
    title: &'static str,
    /// What comes of it; that it can be taken back is said where it can.
    consequence: &'static str,
    is_final: bool,
    body: Markup,
    button: &'a str,
    class: &'static str,
}

/// The forms for what can be done; whoever may not do it is told why there are none.
pub(super) fn render_memory_actions(
    visit: &RequestScope<'_>,
    it: &VerifiedMemory,
    is_withheld: bool,
    tried: &SubmittedForm,
) -> Result<Markup, CallFault> {
    if !visit.pass.allows_access(Access::Write) {
        return Ok(
            html! { p.hint { "You may look here and change nothing: this pass is for reading." } },
        );
    }
    let memory = &it.memory;
    let can_decide = visit.pass.allows_access(Access::Review);
    let stage = memory.status.stage();
    let is_waiting = stage == Stage::Pending;
    let before = if can_decide {
        past_status::find_restorable_status(visit, memory)?
    } else {
        None
    };
    Ok(html! {
        div.acts {
            @if is_waiting && !can_decide { p.hint { "It waits for a person, and this pass is no person's." } }
            @if can_decide && (is_waiting || is_rejected_memory(memory)) { (render_action_form(visit, memory, tried, build_approve_action(memory))) }
            @if (memory.is_active() || (is_waiting && can_decide)) && !is_withheld { (render_action_form(visit, memory, tried, build_edit_action(it, tried, can_decide))) }
            @if memory.is_active() {
                (render_action_form(visit, memory, tried, build_refresh_action()))
                (render_action_form(visit, memory, tried, build_invalidate_action(tried)))
                @if is_promotable_note(memory) { (render_action_form(visit, memory, tried, build_promote_action(memory, tried))) }
            }
            @if is_waiting && can_decide { (render_action_form(visit, memory, tried, build_reject_action(tried))) }
            @if let Some((_, before)) = before { (render_action_form(visit, memory, tried, build_restore_action(before.stage()))) }
            @if handlers::can_forget_memory(visit, memory) { (render_action_form(visit, memory, tried, build_forget_action(tried))) }
            @else if !is_waiting { p.hint { "Only a person can forget it, and this pass is no person's." } }
        }
    })
}

fn render_action_form(
    visit: &RequestScope<'_>,
    memory: &Memory,
    tried: &SubmittedForm,
    action: MemoryAction<'_>,
) -> Markup {
    let path = format!("/memories/{}/{}", memory.handle(), action.verb);
    let can_undo = !action.is_final && visit.pass.allows_access(Access::Review);
    let body = html! {
        p { (action.consequence) @if can_undo { " It can be taken back." } }
        (action.body)
        button.(action.class) type="submit" { (action.button) }
    };
    html! {
        details.act open[tried.verb == action.verb] {
            summary { (action.title) }
            (render_post_form(visit, &path, &body))
        }
    }
}

/// Whether it is a note that can be kept for longer.
fn is_promotable_note(memory: &Memory) -> bool {
    matches!(memory.layer, Layer::Session | Layer::Episode)
}

fn build_edit_action(
    it: &VerifiedMemory,
    tried: &SubmittedForm,
    is_person: bool,
) -> MemoryAction<'static> {
    let memory = &it.memory;
    let waits = memory.status.stage() == Stage::Pending;
    let consequence = match (waits, is_person) {
        (true, _) => {
            "Your words take the place of what waits. Where the cited lines say them, or you vouch for them, they are used from now on; else they wait in turn."
        }
        (false, true) => {
            "Your words become a new memory in its place; this one stays in the history and is no longer shown. Where the cited lines do not say them and you do not vouch for them, they wait, and this one stays in use until you approve them."
        }
        (false, false) => {
            "The new words take its place; they are kept as a program's, because no person opened this panel."
        }
    };
    let shown = |name: &str, now: &str| tried.value_for("edit", name).unwrap_or(now).to_owned();
    let text = |it: &Option<String>| moderate::neutralise_text(it.as_deref().unwrap_or_default());
    let body = html! {
        (render_textarea("edit-fact", "Fact", &shown("fact", &moderate::neutralise_text(&memory.fact)), 4, ""))
        (render_text_input("edit-subject", "Subject", &shown("subject", &text(&memory.subject)), ""))
        (render_text_input("edit-reason", "Reason", &shown("reason", &text(&memory.reason)), "why it matters"))
        (render_text_input("edit-tags", "Tags", &shown("tags", &memory.tags.join(", ")), "separated by commas"))
        (render_textarea("edit-citations", "Citations", &shown("citations", &format_current_places(it)), 2, "one place a line, such as src/api.rs:12-18; left empty, those that still hold stay"))
        @if !waits {
            (render_select("edit-how", "What is it?", "a better version", &[SelectOption { value: "correction", told: "a correction: it was wrong" }], &shown("how", "")))
        }
        @if is_person { (render_checkbox("edit-force", "I vouch for it: use it even where the cited lines do not say it. Else it waits for approval.", tried.value_for("edit", "force").is_some())) }
    };
    MemoryAction {
        verb: "edit",
        title: "Edit or correct",
        consequence,
        body,
        button: "Save",
        class: "main",
        is_final: false,
    }
}

/// Where the citations stand now, as a person would type them.
pub(crate) fn format_current_places(it: &VerifiedMemory) -> String {
    let now =
        it.memory.citations.iter().zip(&it.verdicts).filter_map(
            |(citation, verdict)| match verdict {
                Verdict::Moved { to } => Some(to.to_string()),
                Verdict::Changed(found) => Some(found.at.to_string()),
                Verdict::Holds | Verdict::Unknown { .. } => Some(citation.location().to_string()),
                Verdict::Gone { .. } => None,
            },
        );
    moderate::neutralise_text(&now.collect::<Vec<_>>().join("\n"))
}

fn build_refresh_action() -> MemoryAction<'static> {
    MemoryAction {
        verb: "refresh",
        title: "Refresh",
        consequence: "Says that it still holds and is of use: it ranks as fresh again, its words stay.",
        body: html! {},
        button: "Refresh",
        class: "main",
        is_final: false,
    }
}

fn build_invalidate_action(tried: &SubmittedForm) -> MemoryAction<'static> {
    MemoryAction {
        verb: "invalidate",
        title: "Invalidate",
        consequence: "Marks it as wrong: agents are no longer shown it, and it stays in the history with your reason.",
        body: render_required_input(
            "invalidate-reason",
            "What is wrong?",
            tried.value_for("invalidate", "reason").unwrap_or_default(),
            "",
        ),
        button: "Invalidate",
        class: "danger",
        is_final: false,
    }
}

fn build_restore_action(stage: Stage) -> MemoryAction<'static> {
    let consequence = match stage {
        Stage::Pending => "Puts it back to how it stood before: it waits for a decision again.",
        _ => {
            "Puts it back to how it stood before: agents are shown it again. What was kept in its place meanwhile stays."
        }
    };
    MemoryAction {
        verb: "restore",
        title: "Restore",
        consequence,
        body: html! {},
        button: "Restore",
        class: "main",
        is_final: false,
    }
}

fn build_approve_action(memory: &Memory) -> MemoryAction<'static> {
    let consequence = match memory.supersedes {
        Some(_) => {
            "Lets it be used: agents are shown it from now on, and it takes the place of the one that it replaces."
        }
        None => "Lets it be used: agents are shown it from now on.",
    };
    MemoryAction {
        verb: "approve",
        title: "Approve",
        consequence,
        body: html! {},
        button: "Approve",
        class: "main",
        is_final: false,
    }
}

fn build_reject_action(tried: &SubmittedForm) -> MemoryAction<'static> {
    MemoryAction {
        verb: "reject",
        title: "Reject",
        consequence: "Turns it away: it stays in the history as wrong, so that the same said again is known.",
        body: render_text_input(
            "reject-reason",
            "Why? (may be left empty)",
            tried.value_for("reject", "reason").unwrap_or_default(),
            "",
        ),
        button: "Reject",
        class: "danger",
        is_final: false,
    }
}

fn build_promote_action(memory: &Memory, tried: &SubmittedForm) -> MemoryAction<'static> {
    let shown = |name: &str, now: &Option<String>| {
        tried.value_for("promote", name).map_or_else(
            || moderate::neutralise_text(now.as_deref().unwrap_or_default()),
            Into::into,
        )
    };
    let word = |it: &'static str| SelectOption {
        value: it,
        told: it,
    };
    let layers: &[SelectOption<'_>] = if memory.layer == Layer::Session {
        &[word("knowledge")]
    } else {
        &[]
    };
    let next = if memory.layer == Layer::Session {
        "episode"
    } else {
        "knowledge"
    };
    let kinds: Vec<SelectOption<'_>> = Kind::ALL.iter().map(|it| word(it.as_str())).collect();
    let body = html! {
        (render_select("promote-layer", "Where to?", next, layers, tried.value_for("promote", "layer").unwrap_or_default()))
        (render_select("promote-kind", "Kind", memory.kind.as_str(), &kinds, tried.value_for("promote", "kind").unwrap_or_default()))
        (render_text_input("promote-subject", "Subject", &shown("subject", &memory.subject), "knowledge needs one"))
        (render_text_input("promote-reason", "Reason", &shown("reason", &memory.reason), "knowledge needs one"))
        (render_textarea("promote-citations", "Citations", tried.value_for("promote", "citations").unwrap_or_default(), 2, "one place a line; left empty, those that it has stay"))
    };
    let consequence = "Keeps it for longer: scratch becomes an episode, a note becomes knowledge that agents are shown.";
    MemoryAction {
        verb: "promote",
        title: "Promote",
        consequence,
        body,
        button: "Promote",
        class: "main",
        is_final: false,
    }
}

fn build_forget_action(tried: &SubmittedForm) -> MemoryAction<'static> {
    let body = html! {
        (render_text_input("forget-reason", "Why? (may be left empty; it outlives the memory)", tried.value_for("forget", "reason").unwrap_or_default(), ""))
        (render_checkbox("forget-sure", "I know that this cannot be undone", false))
    };
    MemoryAction {
        verb: "forget",
        title: "Forget",
        consequence: "Removes its text everywhere, the log and the index included; only its number and the time are left. This cannot be undone.",
        body,
        button: "Forget for good",
        class: "danger",
        is_final: true,
    }
}
