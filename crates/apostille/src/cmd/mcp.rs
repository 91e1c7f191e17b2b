//! `mcp`: a server for one agent, on the standard input and output.

use std::sync::Arc;

use crate::args::Offered;
use crate::error::{self, Fault};
use crate::shell::{Answer, Shell};
use crate::world::host::{Machine, Reach};

/// Serves until the agent goes away.
pub fn run(shell: &Shell, args: &Offered) -> Result<Answer, Fault> {
    let machine = Machine::new(&shell.world, &shell.flags.settings(), Reach::Anywhere);
    if shell.world.terminal.stdin {
        note(
            "apostille: waiting for an agent on the standard input; the README says how to set one up",
        );
    }
    apostille_mcp::serve_stdio(Arc::new(machine), args.offer()).map_err(Fault::internal)?;
    Ok(Answer {
        code: error::OK,
        ..Answer::default()
    })
}

/// A word to a person who started this by hand.
fn note(text: &str) {
    let _ = crate::shell::write(
        std::io::stderr().lock(),
        &format!("{text}\n"),
        clap::ColorChoice::Auto,
    );
}
