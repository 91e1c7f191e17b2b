//! Eight servers at once on one store, as eight agents in one repository have them.

use std::path::Path;
use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use apostille_tools::Profile;
use serde_json::Value;

use super::{
    client::{Client, Era},
    library::Library,
    page::{Crowd, Page},
    servers::Servers,
    tool::{Came, Tool},
};
use crate::{budget::Budget, ours::PER_SPACE};

/// How many servers there are.
pub(crate) const SERVERS: usize = 8;
/// How often each calls its tools, and for how long.
const ROUNDS: (usize, Duration) = (100, Duration::from_secs(25));
/// How far apart the facts of two servers, and of two tools, are.
const APART: usize = 10_000;

/// What one of them did.
#[derive(Debug, Default)]
pub(crate) struct Worked {
    /// Its calls, and how long each took.
    pub(crate) times: Vec<(Tool, Duration)>,
    /// How many facts it was told are kept.
    pub(crate) kept: u64,
    /// How many facts were taken for something known.
    pub(crate) known: usize,
    /// What went wrong.
    pub(crate) errors: Vec<String>,
}

/// Lets them work, and counts afterwards what is in the store.
pub(crate) fn measured(
    servers: &Servers<'_>,
    store: &Path,
    budget: &Budget,
    page: &mut Page,
) -> Result<()> {
    if !budget.has(ROUNDS.1) {
        budget.leave_out("eight servers at once: there is not time enough");
        return Ok(());
    }
    let memories = || Library::open(store, servers.code, Profile::Default)?.memories();
    let before = memories()?;
    let hands = (0..SERVERS)
        .map(|at| Hand::new(servers, store, at))
        .collect::<Result<Vec<_>>>()?;
    let started = Instant::now();
    let works = at_once(hands)?;
    let time = started.elapsed();
    let kept: u64 = works.iter().map(|it| it.kept).sum();
    let lost = (before + kept).abs_diff(memories()?);
    page.crowd = Some(Crowd {
        store: PER_SPACE,
        works,
        time,
        lost,
    });
    Ok(())
}

/// A server that is ready, and what it will be asked.
struct Hand {
    client: Client,
    /// In rounds, with every tool once in each.
    script: Vec<Vec<(Tool, Value)>>,
}

impl Hand {
    /// Every other one is a notebook.
    fn new(servers: &Servers<'_>, store: &Path, at: usize) -> Result<Self> {
        let profile = if at.is_multiple_of(2) {
            Profile::Simple
        } else {
            Profile::Default
        };
        let tools = Tool::of(profile);
        let index =
            |tool: Tool, round: usize| APART * (1 + at * Tool::ALL.len() + tool as usize) + round;
        let call =
            |tool: Tool, round: usize| (tool, tool.arguments(servers.code, index(tool, round)));
        let all = |round: usize| tools.iter().map(|tool| call(*tool, round)).collect();
        let mut client = Client::start(servers.ours(store, profile)?, Era::Handshake)?;
        // The store is open before the work begins.
        for tool in tools.iter().filter(|it| !it.is_write()) {
            client.call(tool.name(), &tool.arguments(servers.code, 0))?;
        }
        Ok(Self {
            client,
            script: (0..ROUNDS.0).map(all).collect(),
        })
    }
}

fn at_once(hands: Vec<Hand>) -> Result<Vec<Worked>> {
    thread::scope(|scope| {
        let threads: Vec<_> = hands
            .into_iter()
            .map(|hand| scope.spawn(|| work(hand)))
            .collect();
        threads
            .into_iter()
            .map(|it| it.join().ok().context("a client broke off"))
            .collect()
    })
}

/// Calls in the order of the script until it or the time ends.
fn work(Hand { mut client, script }: Hand) -> Worked {
    let started = Instant::now();
    let mut worked = Worked::default();
    for (tool, arguments) in script
        .iter()
        .take_while(|_| started.elapsed() < ROUNDS.1)
        .flatten()
    {
        let called = client.call(tool.name(), arguments);
        worked.note(
            *tool,
            called.and_then(|(time, it)| Ok((time, Came::read(&it.text, it.is_refusal)?))),
        );
    }
    worked
}

impl Worked {
    fn note(&mut self, tool: Tool, called: Result<(Duration, Came)>) {
        match called {
            Ok((time, came)) => {
                self.times.push((tool, time));
                self.kept += u64::from(matches!(came, Came::Kept { .. }));
                self.known += usize::from(came == Came::Known);
            }
            Err(error) => self.errors.push(format!("{}: {error:#}", tool.name())),
        }
    }
}
