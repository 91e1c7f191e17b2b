//! The report: what was done in a span of time, day by day, from episodes.

use apostille_core::verify::Verified;
use apostille_tasks::report;
use apostille_tasks::report::{Day, Item, Report, Span};
use apostille_tasks::task::Task;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

use super::standing;
use crate::parts::{Tone, count, cut, handle, kept, line, link, notice, part, said, way};
use apostille_api::Fault;
use apostille_api::visit::{Asked, Visit};

/// How many things are told in all, and how much of one text and of one line of a session.
const ITEMS: usize = 200;
const TEXT: usize = 400;
const PART: usize = 160;
/// The spans that are offered, as they stand in the address, and their words.
const SPANS: [(&str, &str); 3] = [("today", "Today"), ("7d", "7 days"), ("30d", "30 days")];
/// The lines of a session's summary that tell what was done, and the words for them here.
const DONE: [(&str, &str); 3] = [("Changed", "changed"), ("Ran", "ran"), ("Ended", "ended")];

pub(super) fn section(visit: &Visit<'_>, asked: &Asked, tasks: &[Task]) -> Result<Markup, Fault> {
    let since = asked.query("since").unwrap_or("7d");
    let until = asked.query("until");
    let (span, problem) = match span(since, until, visit.cx.now) {
        Ok(span) => (span, None),
        Err(problem) => (last_days(visit.cx.now, 7), Some(problem)),
    };
    let report = report::report(visit.cx, &visit.spaces(), visit.here.repo, span)?;
    Ok(html! {
        section aria-labelledby="report" {
            div.group { h2 #report { "Report" } p { "what was done, from episodes" } }
            (spans(visit, since, until))
            @if let Some(it) = problem { (notice(Tone::Bad, &html! { p { (it) } })) }
            (days(visit, &report, tasks))
        }
    })
}

fn last_days(now: Timestamp, days: i64) -> Span {
    let since = now
        .checked_sub(SignedDuration::from_hours(24 * days))
        .unwrap_or(Timestamp::MIN);
    // What was written down this very moment counts.
    Span {
        since,
        until: now
            .checked_add(SignedDuration::from_millis(1))
            .unwrap_or(now),
    }
}

/// The span that is asked for, or why it is none.
fn span(since: &str, until: Option<&str>, now: Timestamp) -> Result<Span, String> {
    let read = |text: &str| {
        let text = if text == "today" {
            &apostille_core::format::day(now)
        } else {
            text
        };
        let wrong = || {
            format!(
                "'{}' is neither 7d, 24h or 2w nor a date such as 2026-03-01",
                cut(&said(text), 40)
            )
        };
        report::since(text, now).ok_or_else(wrong)
    };
    let until = until
        .map(read)
        .transpose()?
        .unwrap_or(last_days(now, 0).until);
    Ok(Span {
        since: read(since)?,
        until,
    })
}

fn spans(visit: &Visit<'_>, since: &str, until: Option<&str>) -> Markup {
    let to = |it: &str| format!("{}#report", way(visit, "/tasks", &[("since", it)]));
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
                (kept(visit))
                div.grid {
                    (line("report-since", "Since", typed, "a date, or 2w for two weeks"))
                    (line("report-until", "Until", until.unwrap_or_default(), "a date; now unless said"))
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn days(visit: &Visit<'_>, report: &Report, tasks: &[Task]) -> Markup {
    let mut left = ITEMS;
    let mut room = |day: &Day| {
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
            ul.plain-list { @for it in day.items.iter().take(shown) { (item(visit, it, tasks)) } }
            @if shown < day.items.len() { p.hint { (day.items.len() - shown) " more on this day." } }
        }
        @if report.is_cut { p.hint { "What is older was not looked at; choose a later beginning." } }
    }
}

fn item(visit: &Visit<'_>, item: &Item, tasks: &[Task]) -> Markup {
    html! {
        li.done {
            @if let Some(title) = item.title() { (head(visit, item, title, tasks)) }
            @if let Some(it) = item.outcome() { p.fact dir="auto" { b { "outcome " } (cut(&said(it), TEXT)) } }
            @for it in &item.decisions { (told(visit, super::decided(it), it)) }
            @for it in &item.sessions { (session(visit, it)) }
        }
    }
}

fn head(visit: &Visit<'_>, item: &Item, title: &str, tasks: &[Task]) -> Markup {
    // Its episodes may be all that this store has of a task.
    let is_here = |it: &&String| tasks.iter().any(|task| task.slug.as_str() == it.as_str());
    let to = item
        .task
        .as_ref()
        .filter(is_here)
        .map(|it| link(visit, &format!("/tasks/{}", part(it))));
    html! {
        p.subject dir="auto" {
            @match to {
                Some(to) => a href=(to) { (cut(&said(title), 120)) },
                None => (cut(&said(title), 120)),
            }
        }
        p.meta {
            @if let Some(it) = item.status() { b { (it) } }
            @if let Some(it) = &item.summary { (handle(visit, it.memory.handle())) (standing(it)) }
            @if item.n_notes > 0 { span { (count(item.n_notes as u64, "note", "notes")) } }
        }
    }
}

/// A memory with how it stands here: what cites code is never told without that.
fn told(visit: &Visit<'_>, word: &str, it: &Verified) -> Markup {
    html! {
        p.fact dir="auto" {
            b { (word) " " } (handle(visit, it.memory.handle())) " " (standing(it)) " "
            (cut(&super::fact(it), TEXT))
        }
    }
}

/// A session: what was asked, and below it what was done.
fn session(visit: &Visit<'_>, it: &Verified) -> Markup {
    let fact = super::fact(it);
    let line = |name: &str| {
        fact.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let done: Vec<(&str, &str)> = DONE
        .iter()
        .filter_map(|(name, word)| Some((*word, line(name)?)))
        .collect();
    let Some(asked) = line("Asked")
        .or(fact.lines().next())
        .filter(|_| !done.is_empty())
    else {
        return told(visit, "session", it);
    };
    html! {
        p.fact dir="auto" {
            b { "session " } (handle(visit, it.memory.handle())) " " (standing(it)) " " (cut(asked, PART))
        }
        ul.parts { @for (word, text) in done { li { b { (word) " " } (cut(text, PART)) } } }
    }
}
