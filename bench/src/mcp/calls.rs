//! Calls in turns: an echo, the server, and the same work in this process.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use apostille_tools::Profile;

use super::{
    client::{Client, Era},
    echo,
    library::Library,
    page::{Calls, Page},
    servers::Servers,
    tool::{Came, Tool},
};
use crate::{
    budget::{Budget, rounds},
    fill::Filling,
    grow::timed,
};

/// How often each is done before it is measured.
const WARM: usize = 20;
/// How often a pair of tools is measured, and for how long.
const TURNS: (usize, Duration) = (300, Duration::from_secs(10));

/// What the calls of one size of the store work with.
pub(crate) struct Turns<'a> {
    /// How servers are started.
    pub(crate) servers: &'a Servers<'a>,
    /// The time.
    pub(crate) budget: &'a Budget,
    /// The store to copy.
    pub(crate) filling: &'a Filling<'a>,
    /// How many memories are in it.
    pub(crate) count: usize,
}

/// Those who are asked in turns.
struct Ways<'a> {
    echo: Client,
    server: Client,
    library: Library<'a>,
}

impl Turns<'_> {
    /// Measures the tools of both sets, each on a store of its own.
    pub(crate) fn run(&self, page: &mut Page) -> Result<()> {
        for profile in [Profile::Simple, Profile::Default] {
            let tools = Tool::of(profile).into_iter();
            let mut calls: Vec<Calls> = tools.map(|tool| Calls::new(tool, self.count)).collect();
            let mut ways = self.ways(profile)?;
            let (most, time) = TURNS;
            for round in rounds(self.budget, WARM + most, time) {
                for calls in &mut calls {
                    self.turn(&mut ways, round, calls)?;
                }
            }
            page.calls.extend(calls);
        }
        Ok(())
    }

    fn ways(&self, profile: Profile) -> Result<Ways<'_>> {
        let (theirs, own) = (
            self.copy("server", profile)?,
            self.copy("library", profile)?,
        );
        Ok(Ways {
            echo: Client::start(self.servers.echo()?, Era::Handshake)?,
            server: Client::start(self.servers.ours(&theirs, profile)?, Era::Handshake)?,
            library: Library::open(&own, self.servers.code, profile)?,
        })
    }

    fn copy(&self, whose: &str, profile: Profile) -> Result<PathBuf> {
        let path = self
            .servers
            .dir
            .join(format!("{whose}-{profile}-{}.db", self.count));
        self.filling.copy_to(&path)?;
        Ok(path)
    }

    /// One call each way. Whoever comes second finds the disk as the first left it, so they swap from turn to turn.
    fn turn(&self, ways: &mut Ways<'_>, round: usize, calls: &mut Calls) -> Result<()> {
        let (tool, index) = (calls.tool, self.count + round);
        let arguments = tool.arguments(self.servers.code, index);
        let (echoed, _) = ways.echo.call(echo::TOOL, &arguments)?;
        let Ways {
            server, library, ..
        } = ways;
        let mut ask = || {
            let (time, reply) = server.call(tool.name(), &arguments)?;
            Ok((time, Came::read(&reply.text, reply.is_refusal)?))
        };
        let mut work = || {
            let own = arguments.clone();
            let (time, answer) = timed(|| library.call(tool, index, own))?;
            Ok((time, Came::read(&answer.text, answer.is_refusal)?))
        };
        let (served, worked) = in_turns(round, &mut ask, &mut work).with_context(|| {
            format!("{} number {round} on {} memories", tool.name(), self.count)
        })?;
        if round >= WARM {
            calls.add([(echoed, served.1), served, worked]);
        }
        Ok(())
    }
}

/// Does both, the first one first in even rounds.
fn in_turns<T>(
    round: usize,
    first: &mut impl FnMut() -> Result<T>,
    second: &mut impl FnMut() -> Result<T>,
) -> Result<(T, T)> {
    if round.is_multiple_of(2) {
        let done = first()?;
        return Ok((done, second()?));
    }
    let done = second()?;
    Ok((first()?, done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn whoever_is_first_changes() {
        let order = RefCell::new(String::new());
        let say = |letter: char| {
            let order = &order;
            move || -> Result<char> {
                order.borrow_mut().push(letter);
                Ok(letter)
            }
        };
        for round in 0..3 {
            assert_eq!(
                in_turns(round, &mut say('a'), &mut say('b')).unwrap(),
                ('a', 'b')
            );
        }
        assert_eq!(*order.borrow(), "abbaab");
    }
}
