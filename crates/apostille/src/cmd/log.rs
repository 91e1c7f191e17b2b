//! `log`: what happened.

use std::collections::BTreeMap;

use apostille_core::event::{EventBody, LoggedEvent};
use apostille_core::memory::MemoryId;
use apostille_core::space::Space;
use apostille_core::store::{EventPage, sort_newest_first};

use crate::json::{LogReply, build_event_views, read_event_handles};
use apostille_terminal::args::LogArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, DIM, GREEN, Paint, RED, TextTable, YELLOW, flatten_to_line, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// Shows events, the latest first.
pub fn run(shell: &CommandContext, args: &LogArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let memory = match args
        .memory
        .map(|name| desk.find_named(&[name]))
        .transpose()?
    {
        Some(Err(refusal)) => return Ok(shell.render_refusal(&refusal)),
        Some(Ok(found)) => found.into_iter().next(),
        None => None,
    };
    let events = match &memory {
        Some(memory) => read_latest_events(
            &desk,
            std::slice::from_ref(&memory.space),
            Some(memory.id),
            args.limit,
        )?,
        None if args.spaces.all_spaces => desk.store.latest_events(args.limit)?,
        None => read_latest_events(&desk, &desk.spaces(), None, args.limit)?,
    };
    let code = if events.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = LogReply {
        ok: true,
        events: build_event_views(&*desk.store, &events)?,
        next: None,
    };
    let handles = read_event_handles(&*desk.store, &events)?;
    let answer = shell.render_output(code, &json, |paint| {
        format_event_table(paint, &events, &handles)
    });
    let err = if events.is_empty() {
        "nothing has happened here yet\n".into()
    } else {
        String::new()
    };
    Ok(CommandOutput { err, ..answer })
}

/// The last events of these spaces in one order; of one memory, where it is named.
fn read_latest_events(
    desk: &Workspace,
    spaces: &[Space],
    memory: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<LoggedEvent>, CommandError> {
    let page = EventPage {
        memory,
        newest_first: true,
        limit,
        ..EventPage::default()
    };
    let mut events = Vec::new();
    for space in spaces {
        events.extend(desk.store.read_events(space, &page)?);
    }
    sort_newest_first(&mut events);
    events.truncate(limit);
    Ok(events)
}

fn format_event_table(
    paint: &Paint,
    events: &[LoggedEvent],
    handles: &BTreeMap<MemoryId, String>,
) -> String {
    let mut table = TextTable::default();
    for LoggedEvent { seq, event, .. } in events {
        let word = event.what.event_kind();
        let style = match event.what {
            EventBody::Remembered { .. }
            | EventBody::Refreshed { .. }
            | EventBody::Verified { valid: true, .. } => GREEN,
            EventBody::Verified { .. }
            | EventBody::Invalidated { .. }
            | EventBody::Forgotten { .. } => RED,
            EventBody::Refused { .. } | EventBody::Corrected { .. } => YELLOW,
            EventBody::RolledBack { .. } | EventBody::Tripped { .. } => YELLOW,
            _ => anstyle::Style::new(),
        };
        let touched: Vec<&str> = event
            .touched_memories()
            .filter_map(|id| handles.get(&id).map(String::as_str))
            .collect();
        table.add_row([
            style_text(DIM, seq),
            style_text(DIM, paint.format_time(event.at)),
            style_text(style, word),
            style_text(BOLD, touched.join(" ")),
            event
                .actor
                .as_deref()
                .map(flatten_to_line)
                .unwrap_or_default(),
            describe_event_body(&event.what),
        ]);
    }
    table.to_text(paint, 0)
}

/// What an event says beyond its word, on one line.
pub(super) fn describe_event_body(what: &EventBody) -> String {
    let text = match what {
        EventBody::Remembered {
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
        EventBody::Refreshed { followed, .. } if !followed.is_empty() => followed.join(", "),
        EventBody::Refreshed {
            citations: Some(_), ..
        } => "with new citations".into(),
        EventBody::Superseded { reason, .. } | EventBody::Corrected { reason, .. } => {
            reason.clone().unwrap_or_default()
        }
        EventBody::Invalidated { reason, .. }
        | EventBody::Retired { reason }
        | EventBody::Forgotten { reason, .. } => reason.clone(),
        EventBody::Verified { found, .. } => found.join(", "),
        EventBody::Retrieved { query, .. } => format!("“{query}”"),
        EventBody::Refused { class } => class.clone(),
        EventBody::Restored { status, .. } => {
            format!("{} {}", status.stage(), status.why().unwrap_or_default())
                .trim_end()
                .to_owned()
        }
        EventBody::RolledBack {
            to,
            restored,
            retired,
            lost,
        } => {
            format!(
                "to event {to}: {restored} restored, {retired} retired, {lost} cannot come back"
            )
        }
        EventBody::Tripped {
            breaker,
            actor,
            why,
        } => {
            format!(
                "{breaker}, {}: {why}",
                actor.as_deref().unwrap_or("everybody")
            )
        }
        EventBody::Closed { actor } => actor.clone().unwrap_or_else(|| "everybody".into()),
        EventBody::Refreshed { .. } | EventBody::Approved | EventBody::Applied => String::new(),
    };
    flatten_to_line(&text)
}
