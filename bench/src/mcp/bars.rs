//! The bars that servers are held against.

use super::page::Page;
use super::{starts, tables::difference, tool::Tool};
use crate::{
    bars::{Bar, bar},
    table::time,
};

/// What the protocol may add to a call, in microseconds.
const OVERHEAD: f64 = 1_000.0;
/// How long a server may take to be there, in microseconds.
const START: f64 = 10_000.0;

/// Whose overhead is judged.
const JUDGED: [(&str, Tool, usize); 4] = [
    (
        "memory_store, 1k store: server − library, p50",
        Tool::Store,
        1_000,
    ),
    (
        "memory_search, 1k store: server − library, p50",
        Tool::Search,
        1_000,
    ),
    (
        "memory_store, 10k store: server − library, p50",
        Tool::Store,
        10_000,
    ),
    (
        "memory_search, 10k store: server − library, p50",
        Tool::Search,
        10_000,
    ),
];

/// Every bar, with what this run found.
pub(crate) fn of(page: &Page) -> Vec<Bar> {
    let overhead = |(what, tool, store): (&'static str, Tool, usize)| {
        let calls = page
            .calls
            .iter()
            .find(|it| it.tool == tool && it.store == store);
        bar(
            what,
            "< 1 ms",
            calls.and_then(|it| it.overhead()),
            |it| it < OVERHEAD,
            difference,
        )
    };
    let start = |name: &str| {
        let sample = page.starts.iter().find(|it| it.0 == name);
        sample.and_then(|it| it.1.summary()).map(|it| it.p50)
    };
    let fast = |it: f64| it < START;
    let crowd = page.crowd.as_ref();
    let starts = [
        bar(
            "start to tools, with initialize, p50",
            "< 10 ms",
            start(starts::OURS_HANDSHAKE),
            fast,
            time,
        ),
        bar(
            "start to tools, 2026-07-28, p50",
            "< 10 ms",
            start(starts::OURS_STATELESS),
            fast,
            time,
        ),
    ];
    let crowded = [
        none(
            "eight servers at once: errors",
            crowd.map(|it| it.errors().len() as u64),
        ),
        none(
            "eight servers at once: memories lost or doubled",
            crowd.map(|it| it.lost),
        ),
    ];
    JUDGED
        .into_iter()
        .map(overhead)
        .chain(starts)
        .chain(crowded)
        .collect()
}

/// Something of which there must be none.
fn none(what: &'static str, n: Option<u64>) -> Bar {
    Bar {
        what,
        bar: "0",
        figure: n.map(|it| it.to_string()),
        holds: n.map(|it| it == 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::crowd::Worked;
    use super::super::page::{Calls, Crowd};
    use super::super::tool::Came;
    use super::*;
    use crate::machine::Machine;
    use crate::stats::Sample;
    use std::time::Duration;

    #[test]
    fn bars_are_judged_on_what_was_measured() {
        let mut page = Page::new(Machine(Vec::new()));
        assert!(of(&page).iter().all(|it| it.verdict() == "not measured"));
        let took = |ms: u64| (Duration::from_millis(ms), Came::Found(1));
        for (tool, server) in [(Tool::Store, 5), (Tool::Search, 2)] {
            let mut calls = Calls::new(tool, 1_000);
            calls.add([took(1), took(server), took(2)]);
            page.calls.push(calls);
        }
        let mut slow = Sample::default();
        slow.push(Duration::from_millis(11));
        page.starts.push((starts::OURS_STATELESS, slow));
        let works = vec![Worked {
            errors: vec!["broken".into()],
            ..Worked::default()
        }];
        page.crowd = Some(Crowd {
            store: 1_000,
            works,
            time: Duration::from_secs(1),
            lost: 0,
        });
        let verdicts: Vec<&str> = of(&page).iter().map(Bar::verdict).collect();
        let expected = [
            "FAIL",
            "PASS",
            "not measured",
            "not measured",
            "not measured",
            "FAIL",
            "FAIL",
            "PASS",
        ];
        assert_eq!(verdicts, expected);
    }
}
