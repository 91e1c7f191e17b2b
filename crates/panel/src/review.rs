//! Review: what waits for a person, each with everything needed to decide, by buttons or by keys.

mod card;
pub mod deeds;

use apostille_core::review::{self, Waiting};
use maud::{Markup, html};

use super::frame::{Tab, stated};
use super::memory::deeds::Tried;
use super::parts::{count, empty, form, pages, way};
use super::undo;
use apostille_api::Fault;
use apostille_api::pass::Access;
use apostille_api::visit::{Asked, Reply, Visit};

/// How many are on a page.
const PAGE: usize = 20;
/// How many are put in order at once, those that wait longest; the others follow when these are decided.
const MOST: usize = 1_000;

/// What somebody tried to do about one that waits, and what came of it.
pub(super) struct Failed<'a> {
    pub(super) name: String,
    pub(super) tried: &'a Tried,
    pub(super) told: Markup,
}

/// What waits.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let number = |name: &str| {
        asked
            .query(name)
            .and_then(|it| it.parse::<usize>().ok())
            .unwrap_or(0)
    };
    let back = format!("review.{}.{}", number("from"), number("at"));
    show(
        visit,
        number("from"),
        200,
        &undo::told(visit, asked, &back),
        None,
    )
}

pub(super) fn show(
    visit: &Visit<'_>,
    from: usize,
    status: u16,
    first: &Markup,
    failed: Option<&Failed<'_>>,
) -> Result<Reply, Fault> {
    let mut queue = review::sorted(visit.cx, &visit.spaces(), MOST)?;
    let n = queue.len();
    let n_memories: usize = queue.iter().map(|it| 1 + it.copies.len()).sum();
    let safe: Vec<String> = queue.iter().filter(|it| it.is_safe()).map(name).collect();
    let from = if from < n {
        from
    } else {
        n.saturating_sub(1) / PAGE * PAGE
    };
    let mut shown: Vec<Waiting> = queue.drain(..).skip(from).take(PAGE).collect();
    review::detail(visit.cx, &mut shown)?;
    let body = html! {
        (first)
        @if n == 0 { (nothing()) } @else {
            (overview(visit, n, &safe))
            @if n_memories >= MOST {
                p.hint { "These are the " (MOST) " that wait longest; the others follow when these are decided." }
            }
            @for (at, it) in shown.iter().enumerate() {
                @let failed = failed.filter(|failed| failed.name == name(it));
                (card::card(visit, it, &card::Spot { at, from, of: n }, failed))
            }
            (ways(visit, from, n))
        }
    };
    Ok(stated(status, visit, Tab::Review, "Review", &body))
}

fn name(it: &Waiting) -> String {
    it.memory().handle().to_string()
}

fn nothing() -> Markup {
    empty(
        "Nothing waits for you",
        &html! {
            p { "What an agent wants to keep waits here when nothing proves it, when its words come from outside, or when \
                 it reads like an instruction. You then accept, edit, merge or reject it." }
            p { "The same at a terminal: " code { "apostille review" } }
        },
    )
}

fn overview(visit: &Visit<'_>, n: usize, safe: &[String]) -> Markup {
    let can_decide = visit.pass.allows(Access::Review);
    let n_safe = safe.len() as u64;
    let safe_told = match n_safe {
        0 => "None is safe to accept unread.".into(),
        n => format!(
            "{}: the cited lines say it now, and nobody outside said it.",
            count(n, "is safe", "are safe")
        ),
    };
    html! {
        div.overview {
            p {
                (count(n as u64, "decision waits", "decisions wait")) ", the safest first. "
                (safe_told)
                @if can_decide {
                    " Accepted, agents are shown it from now on. Rejected, it stays in the history as wrong. Merged, the one \
                     that is known keeps its words and gains the evidence. Each can be taken back."
                }
            }
            @if !can_decide {
                p.hint { "You may look here and decide nothing: that takes a pass for review, which a panel has that a person opened." }
            } @else if n_safe > 0 {
                (form(visit, "/review/safe", &html! {
                    input type="hidden" name="names" value=(safe.join(","));
                    button.quiet type="submit" { "Accept all that is safe (" (n_safe) ")" }
                }))
            }
        }
    }
}

fn ways(visit: &Visit<'_>, from: usize, n: usize) -> Markup {
    let to = |it: usize| way(visit, "/review", &[("from", &it.to_string())]);
    let next = (from + PAGE < n).then(|| to(from + PAGE));
    let first = (from > 0).then(|| to(0));
    if next.is_none() && first.is_none() {
        return html! {};
    }
    pages(
        first.as_deref(),
        next.as_deref(),
        &format!("{} to {} of {n}", from + 1, (from + PAGE).min(n)),
    )
}
