//! Far more than can be done: readers and writers who never wait. What is turned away is told so, nothing else goes
//! wrong, and every write that was acknowledged is there afterwards.

use std::collections::BTreeMap;
use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{
    Ground,
    client::Ask,
    page::{Page, Rush},
    server::Server,
};
use crate::{
    facts,
    mcp::{SPACE, remembered},
};

/// For how long.
const TIME: Duration = Duration::from_secs(8);
/// How many write, and how many read.
const WRITERS: usize = 24;
const READERS: usize = 104;
/// How far apart the facts of two writers are.
const APART: usize = 10_000;

/// The rushes: what each is called, and the limits of its server.
const RUSHES: [(&str, &[&str]); 2] = [
    ("the usual limits", &[]),
    (
        "no limit of the rate",
        &["rate=1000000", "waiting=16", "wait_ms=100"],
    ),
];

/// What one of them was answered.
#[derive(Debug, Default)]
struct Told {
    statuses: BTreeMap<u16, usize>,
    kept: Vec<String>,
    errors: Vec<String>,
}

/// Rushes at servers.
pub(crate) fn measured(ground: &Ground<'_>, page: &mut Page) -> Result<()> {
    for (name, limits) in RUSHES {
        if !ground.budget.has(TIME * 2) {
            ground.budget.leave_out(format!(
                "too much at once, {name}: there is not time enough"
            ));
            continue;
        }
        let server = (ground.server)(limits)?;
        let told = rushed(ground, &server)?;
        let mut rush = Rush {
            name,
            ..Rush::default()
        };
        for it in told {
            it.statuses
                .into_iter()
                .for_each(|(status, n)| *rush.statuses.entry(status).or_default() += n);
            rush.errors.extend(it.errors);
            rush.kept.extend(it.kept);
        }
        rush.lost = lost(&server, &rush.kept)?;
        page.rushes.push(rush);
    }
    Ok(())
}

fn rushed(ground: &Ground<'_>, server: &Server) -> Result<Vec<Told>> {
    let end = Instant::now() + TIME;
    let work = |at: usize| {
        let (mut client, mut told) = (server.program(), Told::default());
        for n in (0..).take_while(|_| Instant::now() < end) {
            let is_write = at < WRITERS;
            let ask = if is_write {
                Ask::post(
                    "/api/memories",
                    &remembered(ground.code, APART * (at + 2) + n),
                )
            } else {
                Ask::post(
                    "/api/recall",
                    &json!({"query": facts::question(SPACE, n * READERS + at), "log": false}),
                )
            };
            match client.ask(&ask) {
                Ok(reply) => told.note(reply.status, &reply.body, is_write),
                Err(error) => told.errors.push(format!("{error:#}")),
            }
        }
        told
    };
    thread::scope(|scope| {
        let hands: Vec<_> = (0..WRITERS + READERS)
            .map(|at| scope.spawn(move || work(at)))
            .collect();
        hands
            .into_iter()
            .map(|it| it.join().ok().context("a client broke off"))
            .collect()
    })
}

impl Told {
    fn note(&mut self, status: u16, body: &str, is_write: bool) {
        *self.statuses.entry(status).or_default() += 1;
        if Rush::is_odd(status) {
            self.errors.push(format!(
                "{status}: {}",
                body.chars().take(300).collect::<String>()
            ));
        }
        if !is_write || status != 201 {
            return;
        }
        let handle = serde_json::from_str(body)
            .ok()
            .and_then(|it: Value| Some(it["memory"]["handle"].as_str()?.to_owned()));
        match handle {
            Some(handle) => self.kept.push(handle),
            None => self
                .errors
                .push(format!("a write was acknowledged without a handle: {body}")),
        }
    }
}

/// How many of those that were acknowledged are not there.
fn lost(server: &Server, kept: &[String]) -> Result<usize> {
    let mut client = server.program();
    let mut lost = 0;
    for handle in kept {
        let ask = Ask::get(format!("/api/memories/{handle}"));
        let mut reply = client.ask(&ask)?;
        while reply.status == 429 || reply.status == 503 {
            thread::sleep(Duration::from_millis(20));
            reply = client.ask(&ask)?;
        }
        lost += usize::from(reply.status != 200);
    }
    Ok(lost)
}
