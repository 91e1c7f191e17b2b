//! What can be done about a memory, each with its consequence said beforehand.

use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Kind, Layer, Memory, Stage};
use apostille_core::remember::queue::is_rejected;
use apostille_core::verify::Verified;
use apostille_text::moderate;
use maud::{Markup, html};

use super::deeds::{self, Tried};
use super::restore;
use crate::parts::{Choice, area, choices, form, line, needed, tick};
use apostille_api::Fault;
use apostille_api::pass::Access;
use apostille_api::visit::Visit;

/// One thing that can be done.
struct Action<'a> {
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
pub(super) fn section(
    visit: &Visit<'_>,
    it: &Verified,
    is_withheld: bool,
    tried: &Tried,
) -> Result<Markup, Fault> {
    if !visit.pass.allows(Access::Write) {
        return Ok(
            html! { p.hint { "You may look here and change nothing: this pass is for reading." } },
        );
    }
    let memory = &it.memory;
    let can_decide = visit.pass.allows(Access::Review);
    let stage = memory.status.stage();
    let is_waiting = stage == Stage::Pending;
    let before = if can_decide {
        restore::before(visit, memory)?
    } else {
        None
    };
    Ok(html! {
        div.acts {
            @if is_waiting && !can_decide { p.hint { "It waits for a person, and this pass is no person's." } }
            @if can_decide && (is_waiting || is_rejected(memory)) { (act(visit, memory, tried, approve(memory))) }
            @if (memory.is_active() || (is_waiting && can_decide)) && !is_withheld { (act(visit, memory, tried, edit(it, tried, can_decide))) }
            @if memory.is_active() {
                (act(visit, memory, tried, refresh()))
                (act(visit, memory, tried, invalidate(tried)))
                @if is_note(memory) { (act(visit, memory, tried, promote(memory, tried))) }
            }
            @if is_waiting && can_decide { (act(visit, memory, tried, reject(tried))) }
            @if let Some((_, before)) = before { (act(visit, memory, tried, restore(before.stage()))) }
            @if deeds::may_forget(visit, memory) { (act(visit, memory, tried, forget(tried))) }
            @else if !is_waiting { p.hint { "Only a person can forget it, and this pass is no person's." } }
        }
    })
}

fn act(visit: &Visit<'_>, memory: &Memory, tried: &Tried, action: Action<'_>) -> Markup {
    let path = format!("/memories/{}/{}", memory.handle(), action.verb);
    let can_undo = !action.is_final && visit.pass.allows(Access::Review);
    let body = html! {
        p { (action.consequence) @if can_undo { " It can be taken back." } }
        (action.body)
        button.(action.class) type="submit" { (action.button) }
    };
    html! {
        details.act open[tried.verb == action.verb] {
            summary { (action.title) }
            (form(visit, &path, &body))
        }
    }
}

/// Whether it is a note that can be kept for longer.
fn is_note(memory: &Memory) -> bool {
    matches!(memory.layer, Layer::Session | Layer::Episode)
}

fn edit(it: &Verified, tried: &Tried, is_person: bool) -> Action<'static> {
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
    let shown = |name: &str, now: &str| tried.said("edit", name).unwrap_or(now).to_owned();
    let text = |it: &Option<String>| moderate::neutralised(it.as_deref().unwrap_or_default());
    let body = html! {
        (area("edit-fact", "Fact", &shown("fact", &moderate::neutralised(&memory.fact)), 4, ""))
        (line("edit-subject", "Subject", &shown("subject", &text(&memory.subject)), ""))
        (line("edit-reason", "Reason", &shown("reason", &text(&memory.reason)), "why it matters"))
        (line("edit-tags", "Tags", &shown("tags", &memory.tags.join(", ")), "separated by commas"))
        (area("edit-citations", "Citations", &shown("citations", &places(it)), 2, "one place a line, such as src/api.rs:12-18; left empty, those that still hold stay"))
        @if !waits {
            (choices("edit-how", "What is it?", "a better version", &[Choice { value: "correction", told: "a correction: it was wrong" }], &shown("how", "")))
        }
        @if is_person { (tick("edit-force", "I vouch for it: use it even where the cited lines do not say it. Else it waits for approval.", tried.said("edit", "force").is_some())) }
    };
    Action {
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
pub(crate) fn places(it: &Verified) -> String {
    let now =
        it.memory.citations.iter().zip(&it.verdicts).filter_map(
            |(citation, verdict)| match verdict {
                Verdict::Moved { to } => Some(to.to_string()),
                Verdict::Changed(found) => Some(found.at.to_string()),
                Verdict::Holds | Verdict::Unknown { .. } => Some(citation.place().to_string()),
                Verdict::Gone { .. } => None,
            },
        );
    moderate::neutralised(&now.collect::<Vec<_>>().join("\n"))
}

fn refresh() -> Action<'static> {
    Action {
        verb: "refresh",
        title: "Refresh",
        consequence: "Says that it still holds and is of use: it ranks as fresh again, its words stay.",
        body: html! {},
        button: "Refresh",
        class: "main",
        is_final: false,
    }
}

fn invalidate(tried: &Tried) -> Action<'static> {
    Action {
        verb: "invalidate",
        title: "Invalidate",
        consequence: "Marks it as wrong: agents are no longer shown it, and it stays in the history with your reason.",
        body: needed(
            "invalidate-reason",
            "What is wrong?",
            tried.said("invalidate", "reason").unwrap_or_default(),
            "",
        ),
        button: "Invalidate",
        class: "danger",
        is_final: false,
    }
}

fn restore(stage: Stage) -> Action<'static> {
    let consequence = match stage {
        Stage::Pending => "Puts it back to how it stood before: it waits for a decision again.",
        _ => {
            "Puts it back to how it stood before: agents are shown it again. What was kept in its place meanwhile stays."
        }
    };
    Action {
        verb: "restore",
        title: "Restore",
        consequence,
        body: html! {},
        button: "Restore",
        class: "main",
        is_final: false,
    }
}

fn approve(memory: &Memory) -> Action<'static> {
    let consequence = match memory.supersedes {
        Some(_) => {
            "Lets it be used: agents are shown it from now on, and it takes the place of the one that it replaces."
        }
        None => "Lets it be used: agents are shown it from now on.",
    };
    Action {
        verb: "approve",
        title: "Approve",
        consequence,
        body: html! {},
        button: "Approve",
        class: "main",
        is_final: false,
    }
}

fn reject(tried: &Tried) -> Action<'static> {
    Action {
        verb: "reject",
        title: "Reject",
        consequence: "Turns it away: it stays in the history as wrong, so that the same said again is known.",
        body: line(
            "reject-reason",
            "Why? (may be left empty)",
            tried.said("reject", "reason").unwrap_or_default(),
            "",
        ),
        button: "Reject",
        class: "danger",
        is_final: false,
    }
}

fn promote(memory: &Memory, tried: &Tried) -> Action<'static> {
    let shown = |name: &str, now: &Option<String>| {
        tried.said("promote", name).map_or_else(
            || moderate::neutralised(now.as_deref().unwrap_or_default()),
            Into::into,
        )
    };
    let word = |it: &'static str| Choice {
        value: it,
        told: it,
    };
    let layers: &[Choice<'_>] = if memory.layer == Layer::Session {
        &[word("knowledge")]
    } else {
        &[]
    };
    let next = if memory.layer == Layer::Session {
        "episode"
    } else {
        "knowledge"
    };
    let kinds: Vec<Choice<'_>> = Kind::ALL.iter().map(|it| word(it.as_str())).collect();
    let body = html! {
        (choices("promote-layer", "Where to?", next, layers, tried.said("promote", "layer").unwrap_or_default()))
        (choices("promote-kind", "Kind", memory.kind.as_str(), &kinds, tried.said("promote", "kind").unwrap_or_default()))
        (line("promote-subject", "Subject", &shown("subject", &memory.subject), "knowledge needs one"))
        (line("promote-reason", "Reason", &shown("reason", &memory.reason), "knowledge needs one"))
        (area("promote-citations", "Citations", tried.said("promote", "citations").unwrap_or_default(), 2, "one place a line; left empty, those that it has stay"))
    };
    let consequence = "Keeps it for longer: scratch becomes an episode, a note becomes knowledge that agents are shown.";
    Action {
        verb: "promote",
        title: "Promote",
        consequence,
        body,
        button: "Promote",
        class: "main",
        is_final: false,
    }
}

fn forget(tried: &Tried) -> Action<'static> {
    let body = html! {
        (line("forget-reason", "Why? (may be left empty; it outlives the memory)", tried.said("forget", "reason").unwrap_or_default(), ""))
        (tick("forget-sure", "I know that this cannot be undone", false))
    };
    Action {
        verb: "forget",
        title: "Forget",
        consequence: "Removes its text everywhere, the log and the index included; only its number and the time are left. This cannot be undone.",
        body,
        button: "Forget for good",
        class: "danger",
        is_final: true,
    }
}
