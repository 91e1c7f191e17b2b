//! `apply`: memories were of use.

use apostille_core::revise;

use super::revised;
use crate::args::Several;
use crate::error::Fault;
use crate::shell::{Answer, Shell};

/// Notes that memories were used in a task.
pub fn run(shell: &Shell, args: &Several) -> Result<Answer, Fault> {
    revised(shell, &args.names, "applied", |desk, name| {
        revise::apply(&desk.cx(), &desk.spaces(), name)
    })
}
