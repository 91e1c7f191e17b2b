//! What can be done about a memory, each with its consequence said beforehand.

use apostille_cite::{standing::Standing, verdict::Verdict};
use apostille_core::{
    memory::{Kind, Layer, Memory, Stage},
    remember::resubmission::is_rejected_memory,
    verify::VerifiedMemory,
};
use apostille_text::moderate;
use maud::{Markup, html};

use super::{evidence::find_current_place, handlers, past_status};
use crate::{
    PanelResult,
    components::{
        can_review, render_checkbox, render_post_form, render_required_input, render_select,
        render_text_input, render_textarea, render_word_select,
    },
    submitted_form::SubmittedForm,
};
use apostille_api::{access_token::Access, request_scope::RequestScope};

/// The forms for what can be done; whoever may not do it is told why there are none.
pub(super) fn render_memory_actions(
    scope: &RequestScope,
    it: &VerifiedMemory,
    is_withheld: bool,
    tried: &SubmittedForm,
) -> PanelResult<Markup> {
    if !scope.token.allows_access(Access::Write) {
        return Ok(
            html! { p.hint { "You may look here and change nothing: this pass is for reading." } },
        );
    }
    let memory = &it.memory;
    let can_decide = can_review(scope);
    let (is_active, is_waiting) = (memory.is_active(), memory.status.stage() == Stage::Pending);
    let before = match can_decide {
        true => past_status::find_restorable_status(scope, memory)?,
        false => None,
    };
    let form = |verb: &str, title: &str, consequence: &str, body: Markup| {
        render_action_form(scope, memory, tried, (verb, title, consequence), &body)
    };
    let reason = |verb: &str| tried.value_for(verb, "reason").unwrap_or_default();
    Ok(html! {
        div.acts {
            @if is_waiting && !can_decide { p.hint { "It waits for a person, and this token does not speak for one." } }
            @if can_decide && (is_waiting || is_rejected_memory(memory)) {
                (form("approve", "Approve", explain_approval(memory), html! {}))
            }
            @if (is_active || (is_waiting && can_decide)) && !is_withheld {
                (form("edit", "Edit or correct", explain_edit(is_waiting, can_decide), render_edit_fields(it, tried, can_decide)))
            }
            @if is_active && needs_confirmation(it) && !is_withheld {
                (form("confirm", "Confirm", explain_confirmation(can_decide), render_textarea("confirm-citations", "The lines that prove it now", &typed_places(it, tried), 2, "one place a line, such as src/api.rs:12-18")))
            }
            @if is_active && it.can_be_refreshed() {
                (form("refresh", "Refresh", "Says that it still holds and is of use: it ranks as fresh again, its words stay.", html! {}))
            }
            @if is_active {
                (form("invalidate", "Invalidate", "Marks it as wrong: agents are no longer shown it, and it stays in the history with your reason.",
                    render_required_input("invalidate-reason", "What is wrong?", reason("invalidate"))))
                @if matches!(memory.layer, Layer::Session | Layer::Episode) {
                    (form("promote", "Promote", "Keeps it for longer: scratch becomes an episode, a note becomes knowledge that agents are shown.",
                        render_promote_fields(memory, tried)))
                }
            }
            @if is_waiting && can_decide {
                (form("reject", "Reject", "Turns it away: it stays in the history as wrong, so that the same said again is known.",
                    render_text_input("reject-reason", "Why? (may be left empty)", reason("reject"), "")))
            }
            @if let Some((_, before)) = before { (form("restore", "Restore", explain_restoring(before.stage()), html! {})) }
            @if handlers::can_forget_memory(scope, memory) {
                (form("forget", "Forget", "Removes its text everywhere, the log and the index included; only its number and the time are left. This cannot be undone.", html! {
                    (render_text_input("forget-reason", "Why? (may be left empty; it outlives the memory)", reason("forget"), ""))
                    (render_checkbox("forget-sure", "I know that this cannot be undone", false))
                }))
            } @else if !is_waiting { p.hint { "Only a person can forget it, and this token does not speak for one." } }
        }
    })
}

/// One thing that can be done, and what comes of it; that it can be taken back is said where it can.
fn render_action_form(
    scope: &RequestScope,
    memory: &Memory,
    tried: &SubmittedForm,
    (verb, title, consequence): (&str, &str, &str),
    body: &Markup,
) -> Markup {
    let (button, class) = match verb {
        "edit" => ("Save", "main"),
        "forget" => ("Forget for good", "danger"),
        "invalidate" | "reject" => (title, "danger"),
        _ => (title, "main"),
    };
    let body = html! {
        p { (consequence) @if verb != "forget" && can_review(scope) { " It can be taken back." } }
        (body)
        button.(class) type="submit" { (button) }
    };
    html! {
        details.act open[tried.verb == verb] {
            summary { (title) }
            (render_post_form(scope, &format!("/memories/{}/{verb}", memory.handle()), &body))
        }
    }
}

/// Whether its code was edited, so that somebody has to look whether it is still true.
fn needs_confirmation(it: &VerifiedMemory) -> bool {
    let is_doubted = it.standing() == Standing::Check || it.is_bad();
    is_doubted && !it.memory.citations.is_empty() && !it.is_outranked
}

fn explain_confirmation(is_person: bool) -> &'static str {
    if is_person {
        "You looked, and it is still true: it cites these lines from now on. Where they do not say it, it stands on your word."
    } else {
        "It is still true: it cites these lines from now on, which have to say it, because no person opened this panel."
    }
}

/// The lines to confirm: those that were typed, else where its lines stand now or what it speaks of was found.
fn typed_places(it: &VerifiedMemory, tried: &SubmittedForm) -> String {
    if let Some(typed) = tried.value_for("confirm", "citations") {
        return typed.to_owned();
    }
    let now = format_current_places(it);
    match &it.judgement.at {
        Some(at) if now.is_empty() => moderate::neutralise_text(&at.to_string()),
        _ => now,
    }
}

fn explain_approval(memory: &Memory) -> &'static str {
    match memory.supersedes {
        Some(_) => {
            "Lets it be used: agents are shown it from now on, and it takes the place of the one that it replaces."
        }
        None => "Lets it be used: agents are shown it from now on.",
    }
}

fn explain_edit(is_waiting: bool, is_person: bool) -> &'static str {
    match (is_waiting, is_person) {
        (true, _) => {
            "Your words replace the pending memory. Where the cited lines say them, or you vouch for them, they are used from now on; else they wait in turn."
        }
        (false, true) => {
            "Your words become a new memory in its place; this one stays in the history and is no longer shown. Where the cited lines do not say them and you do not vouch for them, they wait, and this one stays in use until you approve them."
        }
        (false, false) => {
            "The new words take its place; they are kept as a program's, because no person opened this panel."
        }
    }
}

fn explain_restoring(stage: Stage) -> &'static str {
    match stage {
        Stage::Pending => "Puts it back to how it stood before: it waits for a decision again.",
        _ => {
            "Puts it back to how it stood before: agents are shown it again. What was kept in its place meanwhile stays."
        }
    }
}

/// An optional text of a memory, as it stands in a field.
fn format_field_text(text: &Option<String>) -> String {
    moderate::neutralise_text(text.as_deref().unwrap_or_default())
}

fn render_edit_fields(it: &VerifiedMemory, tried: &SubmittedForm, is_person: bool) -> Markup {
    let memory = &it.memory;
    let shown = |name: &str, now: String| tried.value_for("edit", name).map_or(now, Into::into);
    html! {
        (render_textarea("edit-fact", "Fact", &shown("fact", moderate::neutralise_text(&memory.fact)), 4, ""))
        (render_text_input("edit-subject", "Subject", &shown("subject", format_field_text(&memory.subject)), ""))
        (render_text_input("edit-reason", "Reason", &shown("reason", format_field_text(&memory.reason)), "why it matters"))
        (render_text_input("edit-tags", "Tags", &shown("tags", memory.tags.join(", ")), "separated by commas"))
        (render_textarea("edit-citations", "Citations", &shown("citations", format_current_places(it)), 2, "one place a line, such as src/api.rs:12-18 or src/http.rs::Server::bind; left empty, those that still hold stay"))
        @if memory.status.stage() != Stage::Pending {
            (render_select("edit-how", "What is it?", "a better version", [("correction", "a correction: it was wrong")], &shown("how", String::new())))
        }
        @if is_person { (render_checkbox("edit-force", "I vouch for it: use it even where the cited lines do not say it. Else it waits for approval.", tried.value_for("edit", "force").is_some())) }
    }
}

/// Where the citations stand now, as a person would type them.
pub(crate) fn format_current_places(it: &VerifiedMemory) -> String {
    let pairs = it.memory.citations.iter().zip(&it.verdicts);
    let now = pairs.filter_map(|(citation, verdict)| match verdict {
        Verdict::Unknown { .. } => Some(citation.location().to_string()),
        _ => Some(find_current_place(citation, verdict)?.to_string()),
    });
    moderate::neutralise_text(&now.collect::<Vec<_>>().join("\n"))
}

fn render_promote_fields(memory: &Memory, tried: &SubmittedForm) -> Markup {
    let typed = |name: &str| tried.value_for("promote", name);
    let shown = |name: &str, now: &Option<String>| {
        typed(name).map_or_else(|| format_field_text(now), Into::into)
    };
    let chosen = |name: &str| typed(name).unwrap_or_default();
    let (next, further) = match memory.layer {
        Layer::Session => ("episode", Some("knowledge")),
        _ => ("knowledge", None),
    };
    html! {
        (render_word_select("promote-layer", "Where to?", next, further, chosen("layer")))
        (render_word_select("promote-kind", "Kind", memory.kind.as_str(), Kind::ALL, chosen("kind")))
        (render_text_input("promote-subject", "Subject", &shown("subject", &memory.subject), "knowledge needs one"))
        (render_text_input("promote-reason", "Reason", &shown("reason", &memory.reason), "knowledge needs one"))
        (render_textarea("promote-citations", "Citations", chosen("citations"), 2, "one place a line; left empty, those that it has stay"))
    }
}
