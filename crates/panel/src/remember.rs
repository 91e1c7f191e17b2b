//! Remember: a person keeps something, in the panel. What is known already is shown, with the three choices.

use apostille_core::memory::{Draft, DuplicateChoice, Kind, Layer};
use apostille_core::remember::{NearMemory, RememberOutcome, remember};
use apostille_core::rollback;
use apostille_core::space::Space;
use maud::{Markup, html};

use super::components::NoticeTone;
use super::components::{
    SelectOption, render_checkbox, render_handle_link, render_notice, render_post_form,
    render_select, render_text_input, render_textarea, sanitize_shown_text,
};
use super::frame::{PanelTab, render_page_with_status};
use super::memory::handlers::{ActionOutcome, SubmittedForm, render_failed_action};
use super::undo::{self, CompletedAction};
use apostille_api::access_token::Access;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};
use apostille_api::{CallFault, withhold_stale_neighbours};

/// The form.
pub fn render_remember_page(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let layer = asked.query_value("layer").unwrap_or_default();
    let whose = if layer == Layer::Identity.as_str() {
        "user"
    } else {
        ""
    };
    let typed = SubmittedForm::from_fields(&[("layer", layer), ("whose", whose)]);
    Ok(render_remember_form(visit, 200, &html! {}, &typed))
}

/// Keeps what was typed, or says why not.
pub fn handle_remember_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let tried = SubmittedForm::new("remember", asked);
    let draft = match draft_from_remember_form(visit, &tried) {
        Ok(draft) => draft,
        Err(why) => {
            return Ok(render_remember_form(
                visit,
                422,
                &render_failed_action(visit, ActionOutcome::Unread(why))?,
                &tried,
            ));
        }
    };
    let space = draft.space.clone();
    let cx = visit.here.context_for_space(visit.cx, &space);
    let after = rollback::find_last_event_place(&cx, &space)?;
    let (word, memory, touched) = match remember(&cx, draft)? {
        RememberOutcome::Remembered {
            memory, superseded, ..
        } => {
            let word = if memory.is_active() {
                "remembered"
            } else {
                "pending"
            };
            let touched = superseded
                .iter()
                .map(|it| it.id)
                .chain(memory.supersedes)
                .chain([memory.id])
                .collect();
            (word, memory, touched)
        }
        RememberOutcome::Refreshed { memory } => ("known", memory.clone(), vec![memory.id]),
        RememberOutcome::Similar { near } => {
            return Ok(render_remember_form(
                visit,
                422,
                &render_similar_memories(visit, near)?,
                &tried,
            ));
        }
        RememberOutcome::Refused(refusal) => {
            return Ok(render_remember_form(
                visit,
                422,
                &render_failed_action(visit, ActionOutcome::Refused(refusal))?,
                &tried,
            ));
        }
    };
    let path = format!("/memories/{}", memory.handle());
    undo::redirect_with_undo(
        visit,
        &path,
        &CompletedAction {
            word,
            space: &space,
            after,
            touched,
        },
    )
}

fn draft_from_remember_form(
    visit: &RequestScope<'_>,
    tried: &SubmittedForm,
) -> Result<Draft, String> {
    let word = |name: &str| tried.field(name).filter(|it| !it.is_empty());
    let layer: Option<Layer> = word("layer")
        .map(str::parse)
        .transpose()
        .map_err(|it| format!("{it}"))?;
    let kind: Option<Kind> = word("kind")
        .map(str::parse)
        .transpose()
        .map_err(|it| format!("{it}"))?;
    let twin = match (
        word("merge").map(str::parse),
        tried.filled_text("rationale"),
    ) {
        (Some(Ok(name)), _) => DuplicateChoice::Merge(name),
        (Some(Err(error)), _) => return Err(error.to_string()),
        (None, Some(why)) => DuplicateChoice::Create(why),
        (None, None) => DuplicateChoice::Ask,
    };
    Ok(Draft {
        layer,
        kind,
        subject: tried.filled_text("subject"),
        reason: tried.filled_text("reason"),
        tags: tried.parse_tags(),
        citations: tried.parse_places()?,
        twin,
        ..Draft::new(
            choose_target_space(visit, tried)?,
            tried.filled_text("fact").unwrap_or_default(),
            visit.voice(),
        )
    }
    .with_vouching(tried.field("force").is_some(), visit.person()))
}

fn choose_target_space(visit: &RequestScope<'_>, tried: &SubmittedForm) -> Result<Space, String> {
    let user = visit.here.user.filter(|it| visit.pass.reaches_space(it));
    match (tried.field("whose"), user) {
        (Some("user"), Some(user)) => Ok(user.clone()),
        (Some("user"), None) => {
            Err("nobody knows whose it would be: this pass is for a repository".into())
        }
        _ => Ok(visit.here.repo.clone()),
    }
}

/// What is much like it, and what can be done about that.
fn render_similar_memories(
    visit: &RequestScope<'_>,
    near: Vec<NearMemory>,
) -> Result<Markup, CallFault> {
    let near = withhold_stale_neighbours(visit.cx, near)?;
    Ok(render_notice(
        NoticeTone::Bad,
        &html! {
            p { strong { "Not kept yet. " } "Much the same is known. Leave it at that, merge yours into it, or say below why both are needed:" }
            ul { @for it in &near {
                li { (render_handle_link(visit, it.handle)) " (" (it.relation.as_str()) ") " span dir="auto" { (sanitize_shown_text(&it.fact)) } }
            } }
        },
    ))
}

fn render_remember_form(
    visit: &RequestScope<'_>,
    status: u16,
    first: &Markup,
    typed: &SubmittedForm,
) -> HttpReply {
    let said = |name: &str| typed.field(name).unwrap_or_default();
    let word = |it: &'static str| SelectOption {
        value: it,
        told: it,
    };
    let layers: Vec<SelectOption<'_>> = Layer::ALL.iter().map(|it| word(it.as_str())).collect();
    let kinds: Vec<SelectOption<'_>> = Kind::ALL.iter().map(|it| word(it.as_str())).collect();
    let me = [SelectOption {
        value: "user",
        told: "mine, in every repository",
    }];
    let body = html! {
        (render_textarea("new-fact", "Fact", said("fact"), 4, "what was learned, in a sentence"))
        (render_text_input("new-subject", "Subject", said("subject"), "a brief topic"))
        (render_text_input("new-reason", "Reason", said("reason"), "why it matters"))
        (render_textarea("new-citations", "Citations", said("citations"), 2, "the lines that prove it, one place a line, such as src/api.rs:12-18; a fact about the repository needs one"))
        (render_text_input("new-tags", "Tags", said("tags"), "separated by commas"))
        div.grid {
            (render_select("new-whose", "Whose is it?", "this repository's", &me, said("whose")))
            (render_select("new-layer", "Layer", "knowledge", &layers, said("layer")))
            (render_select("new-kind", "Kind", "found out", &kinds, said("kind")))
        }
        @if status != 200 {
            div.grid {
                (render_text_input("new-merge", "Merge into", said("merge"), "a handle such as m-12: yours takes its place, with the citations of both"))
                (render_text_input("new-rationale", "Why both are needed", said("rationale"), "keeps it beside what is much like it"))
            }
        }
        @if visit.pass.allows_access(Access::Review) {
            (render_checkbox("new-force", "I vouch for it: use it even where nothing proves it. Else it waits for approval.", typed.field("force").is_some()))
        }
        button type="submit" { "Remember" }
    };
    let page = html! {
        (first)
        p {
            "It is kept with the lines that prove it, and agents are shown it from now on. Where the lines do not say it, it \
             waits for approval."
            @if visit.pass.allows_access(Access::Review) { " It can be taken back." }
        }
        div.card.narrow { (render_post_form(visit, "/remember", &body)) }
    };
    render_page_with_status(
        status,
        visit,
        PanelTab::Memories,
        "Remember something",
        &page,
    )
}
