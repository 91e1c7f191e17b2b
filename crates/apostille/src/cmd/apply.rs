//! `apply`: memories were of use.

use apostille_core::revise;

use super::revised;
use crate::args::Several;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Notes that memories were used in a task.
pub fn run(shell: &Shell, args: &Several) -> Result<Answer, Fault> {
    revised(shell, &args.names, "applied", |desk, name| {
        revise::apply(&desk.cx(), &desk.spaces(), name)
    })
}
