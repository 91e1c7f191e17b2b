//! Identity: who the user is, as one text that a person edits.

use apostille_core::{
    identity::{IdentitySaveOutcome, IdentityText, read_identity_text, save_identity_text},
    space::Space,
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        can_review, link_to_page, render_notice, render_post_form, render_problem, render_textarea,
        render_usage_meter,
    },
    frame::{PanelTab, render_page_with_status},
    submitted_form::SubmittedForm,
};
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// The text, and the form to edit it.
pub fn render_identity_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Some(user) = find_reached_user(scope) else {
        return render_unreached_page(scope);
    };
    let identity = read_identity_text(scope.cx, user)?;
    let first = html! {
        @if asked.query_value("done").is_some() { (render_notice("good", &html! { p { "Saved." } })) }
    };
    render_identity_form(scope, 200, &first, &identity, &identity.text)
}

/// Saves what was typed, or says why not and keeps it in the form.
pub fn handle_identity_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Some(user) = find_reached_user(scope) else {
        return render_unreached_page(scope);
    };
    let person = scope.deciding_person()?;
    let tried = SubmittedForm::new("identity", asked);
    let text = tried.field("text").unwrap_or_default();
    let base = tried.field("base").unwrap_or_default();
    let cx = scope.caller.context_for_space(scope.cx, user);
    let by = (scope.speaker(), person);
    let saved = save_identity_text(&cx, by, user, text, Some(base))?;
    let IdentitySaveOutcome::Refused { line, refusal } = saved else {
        let path = link_to_page(scope, "/identity");
        let mark = if path.contains('?') { '&' } else { '?' };
        return Ok(HttpReply::see_other(format!("{path}{mark}done=saved")).mark_changed());
    };
    let line = line.map_or(String::new(), |it| format!("line {it}: "));
    let current = read_identity_text(scope.cx, user)?;
    let first = html! {
        (render_problem(&format!("Nothing was changed. {line}{refusal}")))
        @if current.version() != base {
            p { "As it is now:" }
            pre.plain-text { (current.text) }
        }
    };
    render_identity_form(scope, 422, &first, &current, text)
}

fn find_reached_user<'a>(scope: &RequestScope<'a>) -> Option<&'a Space> {
    scope.caller.user.filter(|it| scope.token.reaches_space(it))
}

fn render_unreached_page(scope: &RequestScope) -> PanelResult {
    let body = html! { p { "This token is for a repository, and reaches no user." } };
    render_page_with_status(200, scope, PanelTab::Memories, "Identity", &body)
}

fn render_identity_form(
    scope: &RequestScope,
    status: u16,
    first: &Markup,
    identity: &IdentityText,
    text: &str,
) -> PanelResult {
    let hint = "Markdown: an entry a line, in sections such as ## Preferences or ## Constraints. Entries that you take out are forgotten.";
    let body = html! {
        input type="hidden" name="base" value=(identity.version());
        (render_textarea("identity-text", "Who you are, as agents are told", text, 16, hint))
        button type="submit" { "Save" }
    };
    let page = html! {
        (first)
        p { "Every agent is given this when a session starts." }
        (render_usage_meter("In use", identity.used, identity.limit))
        @if can_review(scope) { div.card { (render_post_form(scope, "/identity", &body)) } }
        @else { pre.plain-text tabindex="0" role="group" aria-label="Identity" { (text) } }
    };
    render_page_with_status(status, scope, PanelTab::Memories, "Identity", &page)
}
