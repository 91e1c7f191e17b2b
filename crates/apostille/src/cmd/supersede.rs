//! `supersede`: a memory is replaced by a better one.

use apostille_core::memory::Replacement;
use apostille_core::revise;

use super::remember::{Asked, REMEMBERED, answer, draft, told};
use crate::args::Supersede;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Replaces a memory; the new one travels the whole write path.
pub fn run(shell: &Shell, args: &Supersede) -> Result<Answer, Fault> {
    let desk = shell.guarded_desk()?;
    let fact = told(shell, &args.fact)?;
    let old = match desk.named(&[args.name])? {
        Ok(found) => found.into_iter().next().map(|it| it.space),
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let space = old.unwrap_or_else(|| desk.settings.repo.value.clone());
    let cx = desk.cx_for(&space);
    let draft = draft(shell, &desk, space.clone(), &fact, &args.telling)?;
    let how = if args.correct {
        Replacement::Correction
    } else {
        Replacement::Better
    };
    let outcome = revise::supersede(&cx, &desk.spaces(), args.name, draft, how)?;
    let asked = Asked {
        is_skipped: false,
        fact: &fact,
        instead: Some(args.name),
        word: REMEMBERED,
    };
    Ok(answer(shell, &asked, outcome))
}
