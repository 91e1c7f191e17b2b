//! Ask: what an agent would be given at a prompt, to the letter, and why. Nothing of it is written down.

use apostille_agents::brief;
use apostille_agents::brief::{Brief, Reader};
use apostille_agents::session::Session;
use apostille_core::memory::{Layer, MemoryId};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask, Bar, Checked, Why};
use apostille_core::verify::Verified;
use apostille_tasks::task::bullets::bullets;
use maud::{Markup, html};

use super::frame::{Tab, framed};
use super::memories::row_with;
use super::parts::{count, field, kept, said};
use apostille_api::Fault;
use apostille_api::visit::{Asked, Reply, Visit};

/// How much of a prompt is looked at, in characters; no recall looks at more.
const PROMPT: usize = 4_000;
/// How much of the state of a task an agent is told.
const TASK: usize = 800;
/// How many are ranked to see what came close.
const CLOSE: usize = 20;

/// What a prompt would be given.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let prompt: String = asked
        .query("prompt")
        .unwrap_or_default()
        .trim()
        .chars()
        .take(PROMPT)
        .collect();
    let session = Session::default();
    let user = visit
        .here
        .user
        .filter(|it| visit.pass.reaches(it))
        .unwrap_or(visit.here.repo);
    let reader = Reader {
        repo: visit.here.repo,
        user,
        session: &session,
    };
    let answer = if prompt.is_empty() {
        html! {}
    } else {
        answered(visit, &reader, &prompt)?
    };
    let body = html! {
        (form(visit, &prompt))
        (answer)
        (start(visit, &reader)?)
    };
    Ok(framed(visit, Tab::Ask, "Ask", &body))
}

fn form(visit: &Visit<'_>, prompt: &str) -> Markup {
    let control = html! {
        textarea id="prompt" name="prompt" rows="3" maxlength=(PROMPT) aria-describedby="prompt-hint" { "\n" (prompt) }
    };
    let hint = "Nothing is logged and nothing counts as shown.";
    html! {
        form.finder method="get" action="/ask" {
            (kept(visit))
            (field("prompt", "What would you ask an agent here?", hint, &control))
            button type="submit" { "See what it would be given" }
        }
    }
}

fn answered(visit: &Visit<'_>, reader: &Reader<'_>, prompt: &str) -> Result<Markup, Fault> {
    if brief::asks_to_ignore(prompt) {
        return Ok(html! {
            h2 { "With this prompt" }
            p { "Nothing: the prompt asks to leave memory out of it, so an agent is given none for this turn." }
        });
    }
    let given = brief::prompt(visit.cx, reader, prompt)?;
    let close = close(visit, reader, prompt, &given)?;
    Ok(html! {
        h2 { "With this prompt" }
        p.hint { "The first prompt of a session is given this, to the letter. Later ones are given only what is new and clearly to the point." }
        (text(visit, &given))
        (group(visit, "In it", "each with its score, and what it is made of", &given.shown))
        (group(visit, "Withheld", "to the point, but not found to hold in this checkout", &given.withheld))
        (group(visit, "Close, but not in it", "fewer words in common, or no room left", &close))
    })
}

fn text(visit: &Visit<'_>, given: &Brief) -> Markup {
    let n = given.text.chars().count();
    let why = match visit.cx.policy.inject.mode {
        InjectMode::Off => "Nothing: memory is switched off here (inject mode off).",
        _ => "Nothing: no memory is clearly to the point, and none is recent.",
    };
    html! {
        @if given.text.is_empty() { p { (why) } } @else {
            pre.plain-text tabindex="0" role="group" aria-label="The text that an agent is given" { (given.text) }
            p.hint { (count(n as u64, "character", "characters")) }
        }
    }
}

fn group(visit: &Visit<'_>, title: &str, told: &str, hits: &[Checked]) -> Markup {
    html! {
        @if !hits.is_empty() {
            section {
                div.group { h2 { (title) } p { (told) } }
                ol.entries { @for it in hits { (row_with(visit, &verified(it), Some(it.hit.score), &factors(&it.hit.why))) } }
            }
        }
    }
}

fn verified(it: &Checked) -> Verified {
    Verified {
        memory: it.hit.memory.clone(),
        verdicts: it.verdicts.clone(),
        is_unmerged: false,
        deed: None,
    }
}

/// What a score is the product of.
pub(super) fn factors(why: &Why) -> Markup {
    let one = |name: &str, value: f32, told: String| {
        html! { li { (name) " " b { (format!("{value:.2}")) } @if !told.is_empty() { " (" (said(&told)) ")" } } }
    };
    let terms = if why.terms.is_empty() {
        "no word in common".into()
    } else {
        why.terms.join(", ")
    };
    html! {
        ul.factors aria-label="What the score is made of" {
            (one("relevance", why.relevance, terms))
            (one("recency", why.recency, String::new()))
            (one("trust", why.trust.factor, why.trust.terms.join(", ")))
            (one("usefulness", why.usefulness, String::new()))
            (one("affinity", why.affinity, String::new()))
        }
        @if why.relevance > 0.0 { p.hint { "clarity " (format!("{:.2}", why.clarity)) ": 1 is about one word that no other memory has" } }
    }
}

/// What was ranked and is neither given nor withheld.
fn close(
    visit: &Visit<'_>,
    reader: &Reader<'_>,
    prompt: &str,
    given: &Brief,
) -> Result<Vec<Checked>, Fault> {
    let layers = if brief::asks_for_history(prompt) {
        vec![Layer::Knowledge, Layer::Episode]
    } else {
        vec![Layer::Knowledge]
    };
    let ask = Ask {
        text: prompt.into(),
        spaces: vec![reader.repo.clone(), reader.user.clone()],
        layers,
        count: Some(CLOSE),
        chars: Some(usize::MAX),
        bar: Some(Bar::Any),
        ..Ask::default()
    };
    let told: Vec<MemoryId> = given
        .shown
        .iter()
        .chain(&given.withheld)
        .map(|it| it.hit.memory.id)
        .collect();
    let found = recall::preview(visit.cx, &ask)?;
    let is_close = |it: &Checked| it.hit.why.relevance > 0.0 && !told.contains(&it.hit.memory.id);
    Ok(found.shown.into_iter().filter(is_close).collect())
}

/// What an agent is given when a session starts, before anybody asks.
fn start(visit: &Visit<'_>, reader: &Reader<'_>) -> Result<Markup, Fault> {
    let given = brief::start(visit.cx, reader, &task(visit)?, false)?;
    Ok(html! {
        h2 { "At the start of a session" }
        @if given.text.is_empty() {
            p.hint { "Nothing: no identity is kept, no task is open, and nothing waits." }
        } @else {
            p.hint { "Whatever is asked later, an agent begins with this." }
            (text(visit, &given))
        }
    })
}

/// The state of the task that is worked on here.
fn task(visit: &Visit<'_>) -> Result<String, Fault> {
    let Some((slug, beside)) = visit
        .here
        .beside
        .and_then(|it| Some((it.active_task()?, it)))
    else {
        return Ok(String::new());
    };
    let tasks = beside.tasks().unwrap_or_default();
    let task = tasks.iter().find(|it| it.slug == slug);
    Ok(task.map_or(Ok(String::new()), |it| {
        bullets(visit.cx, visit.here.repo, it, TASK)
    })?)
}
