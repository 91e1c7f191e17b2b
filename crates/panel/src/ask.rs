//! Ask: what an agent would be given at a prompt, to the letter, and why. Nothing of it is written down.

mod filtered;

use apostille_agents::briefing;
use apostille_agents::{
    briefing::{Briefing, BriefingAudience},
    session::AgentSession,
};
use apostille_core::{
    Context,
    memory::{Layer, MemoryId},
    policy::InjectMode,
    recall::{self, RecallRequest, RelevanceBar, ScoreBreakdown, VerifiedHit},
};
use apostille_tasks::task::bullets::format_task_bullets;
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{pluralize_count, render_labeled_field, render_repo_field, sanitize_shown_text},
    frame::{PanelTab, render_panel_page},
    memories::render_memory_row,
};
use apostille_api::request_scope::{RequestInput, RequestScope};
use filtered::AskFilter;

/// How much of a prompt is looked at, in characters; no recall looks at more.
const PROMPT: usize = 4_000;
/// How much of the state of a task an agent is told.
const TASK: usize = 800;
/// How many are ranked to see what came close.
const CLOSE: usize = 20;

/// What a prompt would be given.
pub fn render_ask_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let prompt = asked.query_value("prompt").unwrap_or_default().trim();
    let prompt: String = prompt.chars().take(PROMPT).collect();
    let user = scope.caller.user.filter(|it| scope.token.reaches_space(it));
    let reader = BriefingAudience {
        repo: scope.caller.repo,
        user: user.unwrap_or(scope.caller.repo),
        session: &AgentSession::default(),
        worse: &[],
    };
    let only = AskFilter::new(asked);
    let body = html! {
        (render_ask_form(scope, &prompt, &only))
        @if !prompt.is_empty() && only.is_said() { (only.render_answer(scope, &prompt)?) }
        @else if !prompt.is_empty() { (render_ask_answer(scope, &reader, &prompt)?) }
        (render_session_start(scope, &reader)?)
    };
    render_panel_page(scope, PanelTab::Ask, "Ask", &body)
}

fn render_ask_form(scope: &RequestScope, prompt: &str, only: &AskFilter) -> Markup {
    let control = html! {
        textarea id="prompt" name="prompt" rows="3" maxlength=(PROMPT) aria-describedby="prompt-hint" { "\n" (prompt) }
    };
    let hint = "Nothing is logged and nothing counts as shown.";
    html! {
        form.finder method="get" action="/ask" {
            (render_repo_field(scope))
            (render_labeled_field("prompt", "What would you ask an agent here?", hint, &control))
            (only.render_fields())
            button type="submit" { "See what it would be given" }
        }
    }
}

fn render_ask_answer(
    scope: &RequestScope,
    reader: &BriefingAudience,
    prompt: &str,
) -> PanelResult<Markup> {
    if briefing::asks_to_ignore_memory(prompt) {
        return Ok(html! {
            h2 { "With this prompt" }
            p { "Nothing: the prompt asks to leave memory out of it, so an agent is given none for this turn." }
        });
    }
    let given = reader.brief_prompt(scope.cx, prompt)?;
    let close = find_near_misses(scope, reader, prompt, &given)?;
    Ok(html! {
        h2 { "With this prompt" }
        p.hint { "The first prompt of a session is given this, to the letter. Later ones are given only what is new and clearly to the point." }
        (render_brief_text(scope, &given))
        (render_hit_group(scope, "In it", "each with its score, and what it is made of", &given.shown))
        (render_hit_group(scope, "Withheld", "to the point, but not found to hold in this checkout", &given.withheld))
        (render_hit_group(scope, "Close, but not in it", "fewer words in common, or no room left", &close))
    })
}

fn render_brief_text(scope: &RequestScope, given: &Briefing) -> Markup {
    let n = given.text.chars().count();
    let why = match scope.cx.policy.inject.mode {
        InjectMode::Off => "Nothing: memory is switched off here (inject mode off).",
        _ => "Nothing: no memory is clearly to the point, and none is recent.",
    };
    html! {
        @if given.text.is_empty() { p { (why) } } @else {
            pre.plain-text tabindex="0" role="group" aria-label="The text that an agent is given" { (given.text) }
            p.hint { (pluralize_count(n as u64, "character", "characters")) }
        }
    }
}

fn render_hit_group(scope: &RequestScope, title: &str, told: &str, hits: &[VerifiedHit]) -> Markup {
    html! {
        @if !hits.is_empty() {
            section {
                div.group { h2 { (title) } p { (told) } }
                ol.entries { @for it in hits { (render_memory_row(scope, &it.hit.memory, it.standing().as_str(), Some(it.hit.score), &render_score_factors(&it.hit.why))) } }
            }
        }
    }
}

/// What a score is the product of.
pub(super) fn render_score_factors(why: &ScoreBreakdown) -> Markup {
    let one = |name: &str, value: f32, told: String| {
        html! { li { (name) " " b { (format!("{value:.2}")) } @if !told.is_empty() { " (" (sanitize_shown_text(&told)) ")" } } }
    };
    let terms = if why.terms.is_empty() {
        "no word in common".into()
    } else {
        why.terms
            .iter()
            .map(|it| it.word.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let terms = match &why.meaning {
        Some(it) => format!(
            "{terms}; words {:.2}, meaning {:.2} at a cosine of {:.2}",
            it.words, it.meaning, it.cosine
        ),
        None => terms,
    };
    html! {
        ul.factors aria-label="What the score is made of" {
            (one("relevance", why.relevance, terms))
            (one("recency", why.recency, String::new()))
            (one("trust", why.trust.factor, why.trust.terms.join(", ")))
            (one("usefulness", why.usefulness, String::new()))
            (one("affinity", why.affinity, String::new()))
        }
        @if why.relevance > 0.0 { p.hint { "clarity " (format!("{:.2}", why.clarity)) ": 1 is about one word that none of 15 others has" } }
    }
}

/// What was ranked and is neither given nor withheld.
fn find_near_misses(
    scope: &RequestScope,
    reader: &BriefingAudience,
    prompt: &str,
    given: &Briefing,
) -> PanelResult<Vec<VerifiedHit>> {
    let mut layers = vec![Layer::Knowledge];
    if briefing::asks_for_history(prompt) {
        layers.push(Layer::Episode);
    }
    let ask = RecallRequest {
        text: prompt.into(),
        spaces: vec![reader.repo.clone(), reader.user.clone()],
        layers,
        count: Some(CLOSE),
        chars: Some(usize::MAX),
        bar: Some(RelevanceBar::Any),
        ..RecallRequest::default()
    };
    let told = given.shown.iter().chain(&given.withheld);
    let told: Vec<MemoryId> = told.map(|it| it.hit.memory.id).collect();
    // As a hook would: by words alone.
    let cx = &Context {
        embedder: None,
        ..*scope.cx
    };
    let mut found = recall::preview_recall(cx, &ask)?.shown;
    found.retain(|it| it.hit.why.relevance > 0.0 && !told.contains(&it.hit.memory.id));
    Ok(found)
}

/// What an agent is given when a session starts, before anybody asks.
fn render_session_start(scope: &RequestScope, reader: &BriefingAudience) -> PanelResult<Markup> {
    let given = reader.brief_session_start(scope.cx, &format_active_task(scope)?, false)?;
    Ok(html! {
        h2 { "At the start of a session" }
        @if given.text.is_empty() {
            p.hint { "Nothing: no identity is kept, no task is open, and nothing waits." }
        } @else {
            p.hint { "Whatever is asked later, an agent begins with this." }
            (render_brief_text(scope, &given))
        }
    })
}

/// The state of the task that is worked on here.
fn format_active_task(scope: &RequestScope) -> PanelResult<String> {
    let task = scope.caller.activity.and_then(|beside| {
        let slug = beside.active_task()?;
        let tasks = beside.list_tasks().unwrap_or_default();
        tasks.into_iter().find(|it| it.slug == slug)
    });
    Ok(match task {
        Some(task) => format_task_bullets(scope.cx, scope.caller.repo, &task, TASK)?,
        None => String::new(),
    })
}
