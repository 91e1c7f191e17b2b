//! Eight servers at once on one store, as eight agents in one repository have them.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use apostille_server::profile::Profile;

use super::client::{Client, Era};
use super::library::Library;
use super::page::{Crowd, Page};
use super::servers::Servers;
use super::tool::{Came, Tool};
use crate::budget::Budget;
use crate::ours::{Code, PER_SPACE};

/// How many servers there are.
pub(crate) const SERVERS: usize = 8;
/// How often each calls every tool, and for how long.
const CALLS: (usize, Duration) = (60, Duration::from_secs(25));
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
pub(crate) fn measured(servers: &Servers<'_>, store: &Path, budget: &Budget, page: &mut Page) -> Result<()> {
    if !budget.has(CALLS.1) {
        budget.leave_out("eight servers at once: there is not time enough");
        return Ok(());
    }
    let before = Library::open(store, servers.code)?.memories()?;
    let mut clients = Vec::new();
    for _ in 0..SERVERS {
        let mut client = Client::start(servers.ours(store, Profile::All)?, Era::Handshake)?;
        // The store is open before the work begins.
        client.call(Tool::Recall.name(), &Tool::Recall.arguments(servers.code, 0))?;
        clients.push(client);
    }
    let started = Instant::now();
    let works = at_once(clients, servers.code)?;
    let time = started.elapsed();
    let after = Library::open(store, servers.code)?.memories()?;
    let kept: u64 = works.iter().map(|it| it.kept).sum();
    let lost = (before + kept).abs_diff(after);
    page.crowd = Some(Crowd { store: PER_SPACE, works, time, lost });
    Ok(())
}

fn at_once(clients: Vec<Client>, code: &Code) -> Result<Vec<Worked>> {
    // The code is looked into by the servers only, and the arguments are made before anybody starts.
    let arguments = |server: usize| -> Vec<Vec<(Tool, serde_json::Value)>> {
        let index = |tool: Tool, round: usize| APART * (1 + server * Tool::ALL.len() + tool as usize) + round;
        let call = |tool: Tool, round: usize| (tool, tool.arguments(code, index(tool, round)));
        (0..CALLS.0).map(|round| Tool::ALL.map(|tool| call(tool, round)).to_vec()).collect()
    };
    let scripts: Vec<_> = (0..SERVERS).map(arguments).collect();
    thread::scope(|scope| {
        let hands: Vec<_> = clients
            .into_iter()
            .zip(&scripts)
            .map(|(client, script)| scope.spawn(|| work(client, script)))
            .collect();
        hands.into_iter().map(|it| it.join().ok().context("a client broke off")).collect()
    })
}

/// Calls in the order of the script until it or the time ends.
fn work(mut client: Client, script: &[Vec<(Tool, serde_json::Value)>]) -> Worked {
    let started = Instant::now();
    let mut worked = Worked::default();
    for (tool, arguments) in script.iter().take_while(|_| started.elapsed() < CALLS.1).flatten() {
        let called = client.call(tool.name(), arguments);
        worked.note(*tool, called.and_then(|(time, it)| Ok((time, Came::read(&it.text, it.is_refusal)?))));
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
