//! `supersede`: a memory is replaced by a better one.

use apostille_core::memory::ReplacementKind;
use apostille_core::revise;

use super::remember::{
    REMEMBERED, RememberIntent, build_cli_draft, build_remember_output, read_fact_argument,
};
use apostille_terminal::args::SupersedeArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Replaces a memory; the new one travels the whole write path.
pub fn run(shell: &CommandContext, args: &SupersedeArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_guarded_workspace()?;
    let fact = read_fact_argument(shell, &args.fact)?;
    let old = match desk.find_named(&[args.name])? {
        Ok(found) => found.into_iter().next().map(|it| it.space),
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let space = old.unwrap_or_else(|| desk.settings.repo.clone());
    let cx = desk.context_for(&space);
    let draft = build_cli_draft(shell, &desk, space.clone(), &fact, &args.telling)?;
    let how = if args.correct {
        ReplacementKind::Correction
    } else {
        ReplacementKind::Better
    };
    let outcome = revise::supersede_memory(&cx, &desk.spaces(), args.name, draft, how)?;
    let asked = RememberIntent {
        is_skipped: false,
        fact: &fact,
        instead: Some(args.name),
        word: REMEMBERED,
    };
    Ok(build_remember_output(shell, &asked, outcome))
}
