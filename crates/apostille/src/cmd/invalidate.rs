//! `invalidate`: memories are wrong.

use apostille_core::revise;

use super::revised;
use crate::args::Invalidate;
use crate::error::Fault;
use crate::shell::{Answer, Shell};

/// Marks memories as wrong.
pub fn run(shell: &Shell, args: &Invalidate) -> Result<Answer, Fault> {
    revised(shell, &args.which.names, "invalidated", |desk, name| {
        revise::invalidate(&desk.cx(), &desk.spaces(), name, &args.reason)
    })
}
