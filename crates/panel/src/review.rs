//! Review: what waits for a person, each with everything needed to decide, by buttons or by keys.

mod card;
pub mod handlers;

use apostille_audit::{review, review::ReviewItem};
use apostille_core::queue;
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        can_review, link_with_query, pluralize_count, render_empty_state, render_page_navigation,
        render_post_form,
    },
    frame::{PanelTab, render_page_with_status},
    memory::handlers::ActionCase,
    undo,
};
use apostille_api::request_scope::{RequestInput, RequestScope};
use card::ReviewCard;

/// How many are on a page.
const PAGE: usize = 20;
/// How many are put in order at once, those that wait longest; the others follow when these are decided.
const MOST: usize = 1_000;

/// What waits.
pub fn render_review_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let number = |name| {
        let said = asked.query_value(name).and_then(|it| it.parse().ok());
        said.unwrap_or(0)
    };
    let (from, at): (usize, usize) = (number("from"), number("at"));
    let told = undo::render_done_notice(scope, asked, &format!("review.{from}.{at}"));
    let is_all = asked.query_value("all").is_some();
    render_review_queue(scope, (from, is_all), 200, &told, None)
}

/// How many more decisions this week has.
fn count_due(scope: &RequestScope) -> PanelResult<usize> {
    let decided = queue::count_weekly_decisions(scope.cx, &scope.reachable_spaces())?;
    Ok(scope.cx.policy.queue.left_this_week(decided))
}

/// The queue from here on, below what is to be said first, which may be why something was not done.
fn render_review_queue(
    scope: &RequestScope,
    (from, is_all): (usize, bool),
    status: u16,
    first: &Markup,
    failed: Option<&ActionCase>,
) -> PanelResult {
    let mut queue = review::list_sorted_pending(scope.cx, &scope.reachable_spaces(), MOST)?;
    let n = queue.len();
    let n_memories: usize = queue.iter().map(|it| 1 + it.copies.len()).sum();
    let safe = queue.iter().filter(|it| it.is_safe());
    let safe: Vec<String> = safe.map(|it| it.memory().handle().to_string()).collect();
    let from = if from < n {
        from
    } else {
        n.saturating_sub(1) / PAGE * PAGE
    };
    // A queue that is all there at once is not read.
    let most = match from > 0 || is_all || failed.is_some() {
        true => PAGE,
        false => count_due(scope)?.min(PAGE),
    };
    let n_later = n.saturating_sub(from + most);
    let is_cut = most < PAGE && n_later > 0;
    let mut shown: Vec<ReviewItem> = queue.drain(..).skip(from).take(most).collect();
    review::add_review_details(scope.cx, &mut shown)?;
    let body = html! {
        (first)
        @if n == 0 {
            (render_empty_state("Nothing waits for you", &html! {
                p { "What an agent wants to keep waits here when nothing proves it, when its words come from outside, or when \
                     it reads like an instruction. You then accept, edit, merge or reject it." }
                p { "The same at a terminal: " code { "apostille review" } }
            }))
        } @else {
            (render_queue_overview(scope, n, &safe))
            @if n_memories >= MOST {
                p.hint { "These are the " (MOST) " that wait longest; the others follow when these are decided." }
            }
            @for (at, it) in shown.iter().enumerate() {
                @let failed = failed.filter(|case| case.memory.id == it.memory().id).map(|case| (&case.tried, first));
                (ReviewCard { scope, item: it, at, from, of: n, failed }.render_card())
            }
            @if is_cut {
                p.hint {
                    (pluralize_count(n_later as u64, "decision is", "decisions are")) " for a later week. "
                    a href=(link_with_query(scope, "/review", &[("all", "1")])) { "Show all" }
                }
            } @else {
                (render_queue_paging(scope, from, n))
            }
        }
    };
    render_page_with_status(status, scope, PanelTab::Review, "Review", &body)
}

fn render_queue_overview(scope: &RequestScope, n: usize, safe: &[String]) -> Markup {
    let can_decide = can_review(scope);
    let n_safe = safe.len() as u64;
    let safe_told = match n_safe {
        0 => "None is safe to accept unread.".into(),
        n => format!(
            "{}: the cited lines say it now, and nobody outside said it.",
            pluralize_count(n, "is safe", "are safe")
        ),
    };
    html! {
        div.overview {
            p {
                (pluralize_count(n as u64, "decision waits", "decisions wait")) ", the safest first. "
                (safe_told)
                @if can_decide {
                    " Accepted, agents are shown it from now on. Rejected, it stays in the history as wrong. Merged, the one \
                     that is known keeps its words and gains the evidence. Each can be taken back."
                }
            }
            @if !can_decide {
                p.hint { "You may look here and decide nothing: that takes a pass for review, which a panel has that a person opened." }
            } @else if n_safe > 0 {
                (render_post_form(scope, "/review/safe", &html! {
                    input type="hidden" name="names" value=(safe.join(","));
                    button.quiet type="submit" { "Accept all that is safe (" (n_safe) ")" }
                }))
            }
        }
    }
}

fn render_queue_paging(scope: &RequestScope, from: usize, n: usize) -> Markup {
    let to = |it: usize| link_with_query(scope, "/review", &[("from", &it.to_string())]);
    let next = (from + PAGE < n).then(|| to(from + PAGE));
    let first = (from > 0).then(|| to(0));
    let told = format!("{} to {} of {n}", from + 1, (from + PAGE).min(n));
    render_page_navigation(first, next, &told)
}
