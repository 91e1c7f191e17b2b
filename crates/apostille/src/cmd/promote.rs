//! `promote`: scratch becomes an episode, a note becomes knowledge.

use apostille_core::memory::Layer;
use apostille_core::promote::{Promotion, promote};
use apostille_core::remember::Outcome;

use super::remember::{Asked, answer, not_promoted};
use crate::args::Promote;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;
use apostille_workspace::task::active_task;

/// Promotes a note.
pub fn run(shell: &Shell, args: &Promote) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let notes = match desk.named(&[args.name])? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let is_scratch = notes.iter().any(|it| it.layer == Layer::Session);
    let cites = args
        .cites
        .iter()
        .map(|it| desk.place.cite(it).map_err(Fault::usage));
    let active =
        || active_task(&shell.world, &desk.place, &desk.settings).map(|it| it.slug.to_string());
    let promotion = Promotion {
        layer: args.layer,
        kind: args.kind,
        subject: args.subject.clone(),
        fact: args.fact.clone(),
        reason: args.reason.clone(),
        citations: cites.collect::<Result<_, _>>()?,
        task: args.task.clone().or_else(active),
        ..Promotion::of(args.name, shell.world.speaker().voice().clone())
    };
    let cx = notes
        .first()
        .map_or_else(|| desk.cx(), |it| desk.cx_for(&it.space));
    match promote(&cx, &desk.spaces(), promotion)? {
        Outcome::Similar { near } => Ok(not_promoted(shell, args.name, &near)),
        outcome => {
            let (fact, instead) = (
                args.fact.as_deref().unwrap_or(""),
                Some(args.name).filter(|_| is_scratch),
            );
            Ok(answer(
                shell,
                &Asked {
                    is_skipped: false,
                    fact,
                    instead,
                    word: "promoted",
                },
                outcome,
            ))
        }
    }
}
