//! The bars that the server behind a socket is held against.

use super::page::{Page, Rush, micros};
use crate::{
    bars::{Bar, bar},
    table::time,
};

/// How long all but one read in a hundred may take, in microseconds.
const READ: f64 = 20_000.0;
/// How long a page may take, in microseconds.
const PAGE: f64 = 100_000.0;

/// Every bar, with what this run found.
pub(crate) fn of(page: &Page) -> Vec<Bar> {
    let read = page.reads_all.summary().map(|it| it.p99);
    let slowest = page
        .pages
        .iter()
        .map(|it| micros(it.most.max(it.first)))
        .max_by(f64::total_cmp);
    let sum = |of: fn(&Rush) -> usize| {
        (!page.rushes.is_empty()).then(|| page.rushes.iter().map(of).sum::<usize>() as f64)
    };
    let whole = |it: f64| format!("{it:.0}");
    vec![
        bar(
            "reads at 200 a second, p99",
            "< 20 ms",
            read,
            |it| it < READ,
            time,
        ),
        bar(
            "the slowest opening of any page",
            "< 100 ms",
            slowest,
            |it| it < PAGE,
            time,
        ),
        bar(
            "far too much at once: told to come back",
            "> 0",
            sum(Rush::shed),
            |it| it > 0.0,
            whole,
        ),
        bar(
            "far too much at once: any other error",
            "0",
            sum(Rush::odd),
            |it| it == 0.0,
            whole,
        ),
        bar(
            "acknowledged writes that are lost",
            "0",
            sum(|it| it.lost),
            |it| it == 0.0,
            whole,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::page::Opened;
    use super::*;
    use crate::machine::Machine;
    use crate::stats::Sample;

    #[test]
    fn bars_are_judged_on_what_was_measured() {
        let verdicts = |page: &Page| of(page).iter().map(Bar::verdict).collect::<Vec<_>>();
        let mut page = Page::new(Machine(Vec::new()));
        assert_eq!(verdicts(&page), ["not measured"; 5]);
        page.reads_all.push(Duration::from_millis(21));
        let (first, most) = (Duration::from_millis(99), Duration::from_millis(5));
        page.pages.push(Opened {
            path: "/",
            first,
            times: Sample::default(),
            most,
            bytes: 1,
        });
        let statuses = [(200, 7), (429, 3), (500, 1)].into_iter().collect();
        page.rushes.push(Rush {
            statuses,
            errors: vec!["500".into()],
            ..Rush::default()
        });
        assert_eq!(verdicts(&page), ["FAIL", "PASS", "PASS", "FAIL", "PASS"]);
    }
}
