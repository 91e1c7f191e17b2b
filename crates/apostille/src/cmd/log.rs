//! `log`: what happened.

use std::collections::BTreeMap;

use apostille_core::event::{Logged, What};
use apostille_core::memory::MemoryId;
use apostille_core::space::Space;
use apostille_core::store::{EventPage, sort_newest_first};

use crate::args::Log;
use crate::json::{LogReply, handles, viewed};
use crate::paint::{BOLD, DIM, GREEN, Paint, RED, Table, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Shows events, the latest first.
pub fn run(shell: &Shell, args: &Log) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let memory = match args.memory.map(|name| desk.named(&[name])).transpose()? {
        Some(Err(refusal)) => return Ok(shell.refused(&refusal)),
        Some(Ok(found)) => found.into_iter().next(),
        None => None,
    };
    let events = match &memory {
        Some(memory) => events_of(
            &desk,
            std::slice::from_ref(&memory.space),
            Some(memory.id),
            args.limit,
        )?,
        None if args.spaces.all_spaces => desk.store.latest_events(args.limit)?,
        None => events_of(&desk, &desk.spaces(), None, args.limit)?,
    };
    let code = if events.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = LogReply {
        ok: true,
        events: viewed(&*desk.store, &events)?,
        next: None,
    };
    let handles = handles(&*desk.store, &events)?;
    let answer = shell.answer(code, &json, |paint| table(paint, &events, &handles));
    let err = if events.is_empty() {
        "nothing has happened here yet\n".into()
    } else {
        String::new()
    };
    Ok(Answer { err, ..answer })
}

/// The last events of these spaces in one order; of one memory, where it is named.
fn events_of(
    desk: &Desk,
    spaces: &[Space],
    memory: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Logged>, Fault> {
    let page = EventPage {
        memory,
        newest_first: true,
        limit,
        ..EventPage::default()
    };
    let mut events = Vec::new();
    for space in spaces {
        events.extend(desk.store.events(space, &page)?);
    }
    sort_newest_first(&mut events);
    events.truncate(limit);
    Ok(events)
}

fn table(paint: &Paint, events: &[Logged], handles: &BTreeMap<MemoryId, String>) -> String {
    let mut table = Table::default();
    for Logged { seq, event, .. } in events {
        let word = event.what.happening();
        let style = match event.what {
            What::Remembered { .. }
            | What::Refreshed { .. }
            | What::Verified { valid: true, .. } => GREEN,
            What::Verified { .. } | What::Invalidated { .. } | What::Forgotten { .. } => RED,
            What::Refused { .. } | What::Corrected { .. } => YELLOW,
            What::RolledBack { .. } | What::Tripped { .. } => YELLOW,
            _ => anstyle::Style::new(),
        };
        let touched: Vec<&str> = event
            .touches()
            .filter_map(|id| handles.get(&id).map(String::as_str))
            .collect();
        table.row([
            ink(DIM, seq),
            ink(DIM, paint.time(event.at)),
            ink(style, word),
            ink(BOLD, touched.join(" ")),
            event.actor.as_deref().map(one_line).unwrap_or_default(),
            happened(&event.what),
        ]);
    }
    table.text(paint, 0)
}

/// What an event says beyond its word, on one line.
pub(super) fn happened(what: &What) -> String {
    let text = match what {
        What::Remembered {
            memory,
            forced,
            rationale,
        } => {
            let forced = if *forced { "forced: " } else { "" };
            let rationale = rationale
                .as_deref()
                .map(|it| format!(" ({it})"))
                .unwrap_or_default();
            format!("{forced}{}{rationale}", memory.fact)
        }
        What::Refreshed { followed, .. } if !followed.is_empty() => followed.join(", "),
        What::Refreshed {
            citations: Some(_), ..
        } => "with new citations".into(),
        What::Superseded { reason, .. } | What::Corrected { reason, .. } => {
            reason.clone().unwrap_or_default()
        }
        What::Invalidated { reason, .. }
        | What::Retired { reason }
        | What::Forgotten { reason, .. } => reason.clone(),
        What::Verified { found, .. } => found.join(", "),
        What::Retrieved { query, .. } => format!("“{query}”"),
        What::Refused { class } => class.clone(),
        What::Restored { status, .. } => {
            format!("{} {}", status.stage(), status.why().unwrap_or_default())
                .trim_end()
                .to_owned()
        }
        What::RolledBack {
            to,
            restored,
            retired,
            lost,
        } => {
            format!(
                "to event {to}: {restored} restored, {retired} retired, {lost} cannot come back"
            )
        }
        What::Tripped {
            breaker,
            actor,
            why,
        } => {
            format!(
                "{breaker}, {}: {why}",
                actor.as_deref().unwrap_or("everybody")
            )
        }
        What::Closed { actor } => actor.clone().unwrap_or_else(|| "everybody".into()),
        What::Refreshed { .. } | What::Approved | What::Applied => String::new(),
    };
    one_line(&text)
}
