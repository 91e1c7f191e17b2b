//! `refresh`: memories still hold.

use apostille_core::revise;

use super::revised;
use crate::args::Several;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Notes that memories hold and are of use; they rank as fresh again.
pub fn run(shell: &Shell, args: &Several) -> Result<Answer, Fault> {
    revised(shell, &args.names, "refreshed", |desk, name| {
        revise::refresh(&desk.cx(), &desk.spaces(), name)
    })
}
