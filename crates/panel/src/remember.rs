//! Remember: a person keeps something, in the panel. What is known already is shown, with the three choices.

use apostille_core::memory::{Draft, DuplicateChoice, Kind, Layer};
use apostille_core::{
    remember::{classify, remember},
    space::Space,
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        can_review, render_checkbox, render_post_form, render_select, render_text_input,
        render_textarea, render_word_select,
    },
    frame::{PanelTab, render_page_with_status},
    memory::handlers::{ActionOutcome, render_failed_action, render_near_memories},
    submitted_form::SubmittedForm,
    undo::LogPlace,
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// The form.
pub fn render_remember_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let layer = asked.query_value("layer").unwrap_or_default();
    let is_identity = layer == Layer::Identity.as_str();
    let whose = if is_identity { "user" } else { "" };
    let typed = SubmittedForm::from_fields([("layer", layer), ("whose", whose)]);
    render_remember_form(scope, 200, &html! {}, &typed)
}

/// Keeps what was typed, or says why not.
pub fn handle_remember_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tried = SubmittedForm::new("remember", asked);
    let came = match draft_from_remember_form(scope, &tried) {
        Err(why) => ActionOutcome::Unread(why),
        Ok(draft) => {
            let cx = scope.caller.context_for_space(scope.cx, &draft.space);
            let before = LogPlace::find(&cx, &draft.space)?;
            match ActionOutcome::from_outcome("remembered", remember(&cx, draft)?, None) {
                ActionOutcome::Done(word, memory, mut touched) => {
                    touched.push(memory.id);
                    touched.extend(memory.supersedes.filter(|_| word != "known"));
                    let path = format!("/memories/{}", memory.handle());
                    return before.redirect_with_undo(scope, &path, word, touched);
                }
                other => other,
            }
        }
    };
    let told = match came {
        ActionOutcome::Similar(near) => {
            // What is much like it, and what can be done about that.
            let choices = html! { p { strong { "Not kept yet. " } "Much the same is known. Leave it at that, merge yours into it, or say below why both are needed:" } };
            render_near_memories(scope, &choices, near)?
        }
        other => render_failed_action(scope, other)?,
    };
    render_remember_form(scope, 422, &told, &tried)
}

fn draft_from_remember_form(scope: &RequestScope, tried: &SubmittedForm) -> Result<Draft, String> {
    let layer = tried.parse_filled("layer")?;
    let kind = tried.parse_filled("kind")?;
    let on_duplicate = match (tried.parse_filled("merge")?, tried.filled_text("rationale")) {
        (Some(name), _) => DuplicateChoice::Merge(name),
        (None, Some(why)) => DuplicateChoice::Create(why),
        (None, None) => DuplicateChoice::Ask,
    };
    let draft = tried.parse_draft(scope, scope.caller.repo)?;
    let is_cited = !draft.citations.is_empty();
    let is_users = classify::belongs_to_user(layer, kind, &draft.fact, is_cited);
    Ok(Draft {
        space: choose_target_space(scope, tried, is_users)?,
        layer,
        kind,
        on_duplicate,
        ..draft
    })
}

/// Whose it is: as the form says, or as its words do.
pub(super) fn choose_target_space(
    scope: &RequestScope,
    tried: &SubmittedForm,
    is_users: bool,
) -> Result<Space, String> {
    let user = scope.caller.user.filter(|it| scope.token.reaches_space(it));
    match (tried.field("whose"), user) {
        (Some("user"), Some(user)) => Ok(user.clone()),
        (Some("user"), None) => Err("it has no owner: this token is for a repository".into()),
        (None | Some(""), Some(user)) if is_users => Ok(user.clone()),
        _ => Ok(scope.caller.repo.clone()),
    }
}

fn render_remember_form(
    scope: &RequestScope,
    status: u16,
    first: &Markup,
    typed: &SubmittedForm,
) -> PanelResult {
    let said = |name: &str| typed.field(name).unwrap_or_default();
    let body = html! {
        (render_textarea("new-fact", "Fact", said("fact"), 4, "what was learned, in a sentence"))
        (render_text_input("new-subject", "Subject", said("subject"), "a brief topic"))
        (render_text_input("new-reason", "Reason", said("reason"), "why it matters"))
        (render_textarea("new-citations", "Citations", said("citations"), 2, "the code that proves it, one place a line, such as src/api.rs:12-18 or src/http.rs::Server::bind; a fact about the repository needs one"))
        (render_text_input("new-tags", "Tags", said("tags"), "separated by commas"))
        div.grid {
            (render_select("new-whose", "Whose is it?", "found out", [("repo", "this repository's"), ("user", "mine, in every repository")], said("whose")))
            (render_word_select("new-layer", "Layer", "knowledge", Layer::ALL, said("layer")))
            (render_word_select("new-kind", "Kind", "found out", Kind::ALL, said("kind")))
        }
        @if status != 200 {
            div.grid {
                (render_text_input("new-merge", "Merge into", said("merge"), "a handle such as m-12: yours takes its place, with the citations of both"))
                (render_text_input("new-rationale", "Why both are needed", said("rationale"), "keeps it beside what is much like it"))
            }
        }
        @if can_review(scope) {
            (render_checkbox("new-force", "I vouch for it: use it even where nothing proves it. Else it waits for approval.", typed.field("force").is_some()))
        }
        button type="submit" { "Remember" }
    };
    let page = html! {
        (first)
        p {
            "It is kept with the lines that prove it, and agents are shown it from now on. Where the lines do not say it, it \
             waits for approval."
            @if can_review(scope) { " It can be taken back." }
        }
        div.card.narrow { (render_post_form(scope, "/remember", &body)) }
    };
    let title = "Remember something";
    render_page_with_status(status, scope, PanelTab::Memories, title, &page)
}
