//! The pages of the panel, opened one by one.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::{
    Ground,
    client::Ask,
    page::{Opened, Page},
};
use crate::{budget::rounds, grow::timed, stats::Sample};

/// How often each is opened, and for how long.
const ROUNDS: (usize, Duration) = (30, Duration::from_secs(10));
/// The pages.
const PAGES: [&str; 11] = [
    "/",
    "/?q=cache+timeout+of+the+worker",
    "/?status=retired",
    "/?path=src",
    "/memories/m-17",
    "/review",
    "/sessions",
    "/tasks",
    "/vitals",
    "/ask",
    "/ask?prompt=why+does+the+worker+retry",
];

/// Measures the pages.
pub(crate) fn measured(ground: &Ground<'_>, page: &mut Page) -> Result<()> {
    let server = (ground.server)(&[])?;
    let mut person = server.person()?;
    for path in PAGES {
        let (ask, mut times, mut most) = (Ask::get(path), Sample::default(), Duration::ZERO);
        let first = timed(|| person.ask(&ask))?;
        ensure!(first.1.status == 200, "{path}: {}", first.1.status);
        for _ in rounds(ground.budget, ROUNDS.0, ROUNDS.1) {
            let (time, reply) = timed(|| person.ask(&ask))?;
            ensure!(reply.status == 200, "{path}: {}", reply.status);
            times.push(time);
            most = most.max(time);
        }
        let bytes = first.1.body.len();
        page.pages.push(Opened {
            path,
            first: first.0,
            times,
            most,
            bytes,
        });
    }
    Ok(())
}
