//! `recent`: what was stated or found to hold last.

use apostille_core::list;

use super::list::listed;
use crate::args::Recent;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Lists active memories, those refreshed last first.
pub fn run(shell: &Shell, args: &Recent) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let limit = args.limit.saturating_add(1);
    let memories = match &args.path {
        Some(path) => {
            let path = desk.place.path(path).map_err(Fault::usage)?;
            list::citing(&desk.cx(), &desk.spaces(), &path, limit)?
        }
        None => list::recent(&desk.cx(), &desk.spaces(), limit)?,
    };
    Ok(listed(shell, memories, args.limit, false))
}
