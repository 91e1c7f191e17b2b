//! `mcp`: a server for one agent, on the standard input and output.

use std::sync::Arc;

use crate::args::Offered;
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::host::{Machine, Reach};

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
