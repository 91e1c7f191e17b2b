//! The bars that a team's store is held against. Those of a size are judged at the largest that was measured.

use super::page::{
    BARE_INSERT, FaultRow, PostgresPage, RECALL, RECALL_ALONE, RECALL_PACED, REMEMBER,
};
use crate::{
    bars::{Bar, bar},
    stats::Summary,
    table::time,
};

/// Every bar, with what this run found.
pub(crate) fn of(page: &PostgresPage) -> Vec<Bar> {
    let n = page.largest();
    let p50 = |what: &str| page.find(what, n, 1).map(|it: &Summary| it.p50);
    let ratio = |a: &str, b: &str| Some(p50(a)? / p50(b)?);
    let factor = |it: f64| format!("{it:.2} ×");
    let whole = |it: f64| format!("{it:.0}");
    let sum = |of: fn(&FaultRow) -> usize| {
        (!page.faults.is_empty()).then(|| page.faults.iter().map(of).sum::<usize>() as f64)
    };
    let rush = |what: &str| page.find_rush(what, n, 64).map(|it| it.p99);
    vec![
        bar(
            "remember / bare insert of the same bytes, p50",
            "≤ 2 ×",
            ratio(REMEMBER, BARE_INSERT),
            |it| it <= 2.0,
            factor,
        ),
        bar(
            "recall of a 1k space among all / the same alone",
            "≤ 1.3 ×",
            ratio(RECALL, RECALL_ALONE),
            |it| it <= 1.3,
            factor,
        ),
        bar(
            "recall, 64 clients that never pause, p99",
            "≤ 50 ms",
            rush(RECALL),
            |it| it <= 50_000.0,
            time,
        ),
        bar(
            "recall, 64 clients, one a second each, p99",
            "≤ 50 ms",
            rush(RECALL_PACED),
            |it| it <= 50_000.0,
            time,
        ),
        bar(
            "recall, one client, p99",
            "< 100 ms",
            page.find(RECALL, n, 1).map(|it| it.p99),
            |it| it < 100_000.0,
            time,
        ),
        bar(
            "remember, one client, p99",
            "< 200 ms",
            page.find(REMEMBER, n, 1).map(|it| it.p99),
            |it| it < 200_000.0,
            time,
        ),
        bar(
            "acknowledged writes that are lost",
            "0",
            sum(|it| it.lost),
            |it| it == 0.0,
            whole,
        ),
        bar(
            "writes that are there twice",
            "0",
            sum(|it| it.doubled),
            |it| it == 0.0,
            whole,
        ),
    ]
}
