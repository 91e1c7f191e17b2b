//! The report: what was done in a span of time, day by day, from episodes.

use apostille_core::{
    episode_text::{UNKNOWN, find_episode_part},
    verify::VerifiedMemory,
};
use apostille_tasks::{
    report,
    report::{ReportDay, ReportItem, ReportSpan, WorkReport},
    task::Task,
};
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

use super::render_note_standing;
use crate::{
    PanelResult,
    components::{
        format_shown_fact, link_to_named_page, link_with_query, pluralize_count,
        render_handle_link, render_problem, render_repo_field, render_text_input,
        shorten_shown_text, truncate_shown_text,
    },
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// How many things are told in all, and how much of one text and of one line of a session.
const ITEMS: usize = 200;
const TEXT: usize = 400;
const PART: usize = 160;
/// The spans that are offered, as they stand in the address, and their words.
const SPANS: [(&str, &str); 3] = [("today", "Today"), ("7d", "7 days"), ("30d", "30 days")];
/// The lines of a session's summary that tell what was done, and the words for them here.
const DONE: [(&str, &str); 8] = [
    ("Decided", "decided"),
    ("Changed", "changed"),
    ("Commits", "commits"),
    ("Pull request", "pull request"),
    ("Ran", "ran"),
    ("Difficulties", "difficulties"),
    ("Outcome", "outcome"),
    ("Ended", "ended"),
];

pub(super) fn render_work_report(
    scope: &RequestScope,
    asked: &RequestInput,
    tasks: &[Task],
) -> PanelResult<Markup> {
    let since = asked.query_value("since").unwrap_or("7d");
    let until = asked.query_value("until");
    let (span, problem) = match parse_report_span(since, until, scope.cx.now) {
        Ok(span) => (span, None),
        Err(problem) => (span_of_last_days(scope.cx.now, 7), Some(problem)),
    };
    let report =
        report::build_work_report(scope.cx, &scope.reachable_spaces(), scope.caller.repo, span)?;
    Ok(html! {
        section aria-labelledby="report" {
            div.group { h2 #report { "Report" } p { "what was done, from episodes" } }
            (render_span_choices(scope, since, until))
            @if let Some(it) = problem { (render_problem(&it)) }
            (render_report_days(scope, &report, tasks))
        }
    })
}

fn span_of_last_days(now: Timestamp, days: i64) -> ReportSpan {
    let since = now.checked_sub(SignedDuration::from_hours(24 * days));
    // What was written down this very moment counts.
    let until = now.checked_add(SignedDuration::from_millis(1));
    ReportSpan {
        since: since.unwrap_or(Timestamp::MIN),
        until: until.unwrap_or(now),
    }
}

/// The span that is asked for, or why it is none.
fn parse_report_span(
    since: &str,
    until: Option<&str>,
    now: Timestamp,
) -> Result<ReportSpan, String> {
    let read = |text: &str| {
        let text = if text == "today" {
            &apostille_core::format::format_utc_day(now)
        } else {
            text
        };
        let wrong = || {
            format!(
                "'{}' is neither 7d, 24h or 2w nor a date such as 2026-03-01",
                shorten_shown_text(text, 40)
            )
        };
        report::parse_since(text, now).ok_or_else(wrong)
    };
    let until = until
        .map(read)
        .transpose()?
        .unwrap_or(span_of_last_days(now, 0).until);
    Ok(ReportSpan {
        since: read(since)?,
        until,
    })
}

fn render_span_choices(scope: &RequestScope, since: &str, until: Option<&str>) -> Markup {
    let to = |it: &str| link_with_query(scope, "/tasks", &[("since", it)]) + "#report";
    let is_here = |it: &str| it == since && until.is_none();
    let typed = if SPANS.iter().any(|it| it.0 == since) {
        ""
    } else {
        since
    };
    html! {
        ul.chips { @for (value, told) in SPANS {
            li { a href=(to(value)) aria-current=[is_here(value).then_some("true")] { (told) } }
        } }
        details.filters open[!typed.is_empty()] {
            summary { "Another span" }
            form method="get" action="/tasks#report" {
                (render_repo_field(scope))
                div.grid {
                    (render_text_input("report-since", "Since", typed, "a date, or 2w for two weeks"))
                    (render_text_input("report-until", "Until", until.unwrap_or_default(), "a date; now unless said"))
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn render_report_days(scope: &RequestScope, report: &WorkReport, tasks: &[Task]) -> Markup {
    let mut left = ITEMS;
    let mut room = |day: &ReportDay| {
        let shown = day.items.len().min(left);
        left -= shown;
        shown
    };
    html! {
        @if report.days.is_empty() { p.hint { "Nothing was written down in this time." } }
        // The newest is what people look for.
        @for day in report.days.iter().rev() {
            @let shown = room(day);
            h3 { time datetime=(day.date) { (day.date) } }
            ul.plain-list { @for it in day.items.iter().take(shown) { (render_report_item(scope, it, tasks)) } }
            @if shown < day.items.len() { p.hint { (day.items.len() - shown) " more on this day." } }
        }
        @if report.is_cut { p.hint { "What is older was not looked at; choose a later beginning." } }
    }
}

fn render_report_item(scope: &RequestScope, item: &ReportItem, tasks: &[Task]) -> Markup {
    html! {
        li.done {
            @if let Some(title) = item.title() { (render_report_item_head(scope, item, title, tasks)) }
            @if let Some(it) = item.outcome() { p.fact dir="auto" { b { "outcome " } (shorten_shown_text(it, TEXT)) } }
            @for it in &item.decisions { (render_report_memory(scope, super::label_decision(it), it)) }
            @for it in &item.sessions { (render_report_session(scope, it)) }
        }
    }
}

fn render_report_item_head(
    scope: &RequestScope,
    item: &ReportItem,
    title: &str,
    tasks: &[Task],
) -> Markup {
    // Its episodes may be all that this store has of a task.
    let is_here = |it: &&String| tasks.iter().any(|task| task.slug.as_str() == it.as_str());
    let title = shorten_shown_text(title, 120);
    html! {
        p.subject dir="auto" {
            @match item.task.as_ref().filter(is_here) {
                Some(name) => a href=(link_to_named_page(scope, "/tasks", name)) { (title) },
                None => (title),
            }
        }
        p.meta {
            @if let Some(it) = item.status() { b { (it) } }
            @if let Some(it) = &item.summary { (render_handle_link(scope, it.memory.handle())) (render_note_standing(it)) }
            @if item.n_notes > 0 { span { (pluralize_count(item.n_notes as u64, "note", "notes")) } }
        }
    }
}

/// A memory with how it stands here: what cites code is never told without that.
fn render_report_memory(scope: &RequestScope, word: &str, it: &VerifiedMemory) -> Markup {
    html! {
        p.fact dir="auto" {
            b { (word) " " } (render_handle_link(scope, it.memory.handle())) " " (render_note_standing(it)) " "
            (truncate_shown_text(&format_shown_fact(&it.memory, super::TEXT), TEXT))
        }
    }
}

/// A session: what was asked, and below it what was done.
fn render_report_session(scope: &RequestScope, it: &VerifiedMemory) -> Markup {
    let fact = format_shown_fact(&it.memory, super::TEXT);
    let line = |name: &str| find_episode_part(&fact, name).filter(|it| *it != UNKNOWN);
    let done: Vec<(&str, &str)> = DONE
        .iter()
        .filter_map(|(name, word)| Some((*word, line(name)?)))
        .collect();
    let Some(asked) = line("Asked")
        .or(fact.lines().next())
        .filter(|_| !done.is_empty())
    else {
        return render_report_memory(scope, "session", it);
    };
    html! {
        p.fact dir="auto" {
            b { "session " } (render_handle_link(scope, it.memory.handle())) " " (render_note_standing(it)) " " (truncate_shown_text(asked, PART))
        }
        ul.parts { @for (word, text) in done { li { b { (word) " " } (truncate_shown_text(text, PART)) } } }
    }
}
