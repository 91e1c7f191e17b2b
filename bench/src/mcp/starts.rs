//! Starts: from nothing to the list of tools, and to the first answer.

use std::path::Path;
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use apostille_tools::Profile;

use super::{
    client::{Client, Era},
    page::Page,
    servers::Servers,
    tool::{Came, Tool},
};
use crate::{
    budget::{Budget, rounds},
    grow::timed,
    stats::Sample,
};

/// How often each is started, and for how long.
const STARTS: (usize, Duration) = (100, Duration::from_secs(25));

/// Starting a program that does nothing.
pub(crate) const TRUE: &str = "/bin/true";
/// Starting the echo, with a handshake.
pub(crate) const ECHO_HANDSHAKE: &str = "echo: initialize, tools/list";
/// Starting ours, with a handshake.
pub(crate) const OURS_HANDSHAKE: &str = "apostille mcp: initialize, tools/list";
/// Starting the echo without a handshake.
pub(crate) const ECHO_STATELESS: &str = "echo: tools/list of 2026-07-28";
/// Starting ours without a handshake.
pub(crate) const OURS_STATELESS: &str = "apostille mcp: tools/list of 2026-07-28";
/// Starting ours, and a first answer from the store.
pub(crate) const OURS_RECALL: &str = "apostille mcp: initialize, a first memory_recall";

/// Measures starts, each in turns with its floors.
pub(crate) fn measured(
    servers: &Servers<'_>,
    store: &Path,
    budget: &Budget,
    page: &mut Page,
) -> Result<()> {
    let names = [
        TRUE,
        ECHO_HANDSHAKE,
        OURS_HANDSHAKE,
        ECHO_STATELESS,
        OURS_STATELESS,
        OURS_RECALL,
    ];
    let mut samples: [Sample; 6] = Default::default();
    let ours = || servers.ours(store, Profile::Default);
    for round in rounds(budget, STARTS.0, STARTS.1) {
        let times = [
            timed(|| Ok(Command::new(TRUE).stdin(Stdio::null()).output()?))?.0,
            listed(servers.echo()?, Era::Handshake)?,
            listed(ours()?, Era::Handshake)?,
            listed(servers.echo()?, Era::Stateless)?,
            listed(ours()?, Era::Stateless)?,
            recalled(ours()?, servers, round)?,
        ];
        samples
            .iter_mut()
            .zip(times)
            .for_each(|(sample, time)| sample.push(time));
    }
    page.starts.extend(names.into_iter().zip(samples));
    Ok(())
}

/// How long it takes until the list of tools is there. How the server ends is not part of it.
fn listed(command: Command, era: Era) -> Result<Duration> {
    let started = Instant::now();
    let mut client = Client::start(command, era)?;
    let n_tools = client.tools()?;
    let time = started.elapsed();
    ensure!(n_tools > 0, "a server without tools");
    Ok(time)
}

/// How long it takes until the first answer is there.
fn recalled(command: Command, servers: &Servers<'_>, round: usize) -> Result<Duration> {
    let arguments = Tool::Recall.arguments(servers.code, round);
    let started = Instant::now();
    let mut client = Client::start(command, Era::Handshake)?;
    let (_, reply) = client.call(Tool::Recall.name(), &arguments)?;
    let time = started.elapsed();
    Came::read(&reply.text, reply.is_refusal)?;
    Ok(time)
}
