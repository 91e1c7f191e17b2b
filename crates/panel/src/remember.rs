//! Remember: a person keeps something, in the panel. What is known already is shown, with the three choices.

use apostille_core::memory::{Draft, Kind, Layer, Twin};
use apostille_core::remember::{Near, Outcome, remember};
use apostille_core::rollback;
use apostille_core::space::Space;
use maud::{Markup, html};

use super::frame::{Tab, stated};
use super::memory::deeds::{Came, Tried, not_done};
use super::parts::Tone;
use super::parts::{Choice, area, choices, form, handle, line, notice, said, tick};
use super::undo::{self, Deed};
use apostille_api::pass::Access;
use apostille_api::visit::{Asked, Reply, Visit};
use apostille_api::{Fault, told_near};

/// The form.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let layer = asked.query("layer").unwrap_or_default();
    let whose = if layer == Layer::Identity.as_str() {
        "user"
    } else {
        ""
    };
    let typed = Tried::of(&[("layer", layer), ("whose", whose)]);
    Ok(shown(visit, 200, &html! {}, &typed))
}

/// Keeps what was typed, or says why not.
pub fn keep(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let tried = Tried::new("remember", asked);
    let draft = match draft(visit, &tried) {
        Ok(draft) => draft,
        Err(why) => {
            return Ok(shown(
                visit,
                422,
                &not_done(visit, Came::Unread(why))?,
                &tried,
            ));
        }
    };
    let space = draft.space.clone();
    let cx = visit.here.ruled(visit.cx, &space);
    let after = rollback::place(&cx, &space)?;
    let (word, memory, touched) = match remember(&cx, draft)? {
        Outcome::Remembered {
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
        Outcome::Refreshed { memory } => ("known", memory.clone(), vec![memory.id]),
        Outcome::Similar { near } => return Ok(shown(visit, 422, &similar(visit, near)?, &tried)),
        Outcome::Refused(refusal) => {
            return Ok(shown(
                visit,
                422,
                &not_done(visit, Came::Refused(refusal))?,
                &tried,
            ));
        }
    };
    let path = format!("/memories/{}", memory.handle());
    undo::go(
        visit,
        &path,
        &Deed {
            word,
            space: &space,
            after,
            touched,
        },
    )
}

fn draft(visit: &Visit<'_>, tried: &Tried) -> Result<Draft, String> {
    let word = |name: &str| tried.field(name).filter(|it| !it.is_empty());
    let layer: Option<Layer> = word("layer")
        .map(str::parse)
        .transpose()
        .map_err(|it| format!("{it}"))?;
    let kind: Option<Kind> = word("kind")
        .map(str::parse)
        .transpose()
        .map_err(|it| format!("{it}"))?;
    let twin = match (word("merge").map(str::parse), tried.text("rationale")) {
        (Some(Ok(name)), _) => Twin::Merge(name),
        (Some(Err(error)), _) => return Err(error.to_string()),
        (None, Some(why)) => Twin::Create(why),
        (None, None) => Twin::Ask,
    };
    Ok(Draft {
        layer,
        kind,
        subject: tried.text("subject"),
        reason: tried.text("reason"),
        tags: tried.tags(),
        citations: tried.places()?,
        twin,
        ..Draft::new(
            whose(visit, tried)?,
            tried.text("fact").unwrap_or_default(),
            visit.voice(),
        )
    }
    .vouched_if(tried.field("force").is_some(), visit.person()))
}

fn whose(visit: &Visit<'_>, tried: &Tried) -> Result<Space, String> {
    let user = visit.here.user.filter(|it| visit.pass.reaches(it));
    match (tried.field("whose"), user) {
        (Some("user"), Some(user)) => Ok(user.clone()),
        (Some("user"), None) => {
            Err("nobody knows whose it would be: this pass is for a repository".into())
        }
        _ => Ok(visit.here.repo.clone()),
    }
}

/// What is much like it, and what can be done about that.
fn similar(visit: &Visit<'_>, near: Vec<Near>) -> Result<Markup, Fault> {
    let near = told_near(visit.cx, near)?;
    Ok(notice(
        Tone::Bad,
        &html! {
            p { strong { "Not kept yet. " } "Much the same is known. Leave it at that, merge yours into it, or say below why both are needed:" }
            ul { @for it in &near {
                li { (handle(visit, it.handle)) " (" (it.relation.as_str()) ") " span dir="auto" { (said(&it.fact)) } }
            } }
        },
    ))
}

fn shown(visit: &Visit<'_>, status: u16, first: &Markup, typed: &Tried) -> Reply {
    let said = |name: &str| typed.field(name).unwrap_or_default();
    let word = |it: &'static str| Choice {
        value: it,
        told: it,
    };
    let layers: Vec<Choice<'_>> = Layer::ALL.iter().map(|it| word(it.as_str())).collect();
    let kinds: Vec<Choice<'_>> = Kind::ALL.iter().map(|it| word(it.as_str())).collect();
    let me = [Choice {
        value: "user",
        told: "mine, in every repository",
    }];
    let body = html! {
        (area("new-fact", "Fact", said("fact"), 4, "what was learned, in a sentence"))
        (line("new-subject", "Subject", said("subject"), "a brief topic"))
        (line("new-reason", "Reason", said("reason"), "why it matters"))
        (area("new-citations", "Citations", said("citations"), 2, "the lines that prove it, one place a line, such as src/api.rs:12-18; a fact about the repository needs one"))
        (line("new-tags", "Tags", said("tags"), "separated by commas"))
        div.grid {
            (choices("new-whose", "Whose is it?", "this repository's", &me, said("whose")))
            (choices("new-layer", "Layer", "knowledge", &layers, said("layer")))
            (choices("new-kind", "Kind", "found out", &kinds, said("kind")))
        }
        @if status != 200 {
            div.grid {
                (line("new-merge", "Merge into", said("merge"), "a handle such as m-12: yours takes its place, with the citations of both"))
                (line("new-rationale", "Why both are needed", said("rationale"), "keeps it beside what is much like it"))
            }
        }
        @if visit.pass.allows(Access::Review) {
            (tick("new-force", "I vouch for it: use it even where nothing proves it. Else it waits for approval.", typed.field("force").is_some()))
        }
        button type="submit" { "Remember" }
    };
    let page = html! {
        (first)
        p {
            "It is kept with the lines that prove it, and agents are shown it from now on. Where the lines do not say it, it \
             waits for approval."
            @if visit.pass.allows(Access::Review) { " It can be taken back." }
        }
        div.card.narrow { (form(visit, "/remember", &body)) }
    };
    stated(status, visit, Tab::Memories, "Remember something", &page)
}
