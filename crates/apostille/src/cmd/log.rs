//! `log`: what happened.

use std::collections::BTreeMap;

use anstyle::Style;
use apostille_core::{
    event::{EventBody, LoggedEvent},
    format,
    memory::MemoryId,
    space::Space,
    store::{EventPage, sort_newest_first},
};

use crate::json::{LogReply, build_event_views, read_event_handles};
use apostille_terminal::{
    args::LogArgs,
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, DIM, GREEN, Paint, RED, YELLOW, flatten_to_line, format_after, join_texts, style_text,
    },
};
use apostille_workspace::workspace::Workspace;

/// Shows events, the latest first.
pub fn run(ctx: &CommandContext, args: &LogArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let memory = match args.memory {
        Some(name) => Some(workspace.find_named(&[name])?.remove(0)),
        None => None,
    };
    let page = EventPage {
        memory: memory.as_ref().map(|it| it.id),
        newest_first: true,
        limit: args.limit,
        ..EventPage::default()
    };
    let events = match memory {
        Some(memory) => read_latest_events(&workspace, &[memory.space], &page)?,
        None if args.spaces.all_spaces => workspace.store.latest_events(args.limit)?,
        None => read_latest_events(&workspace, &workspace.spaces(), &page)?,
    };
    let json = LogReply {
        ok: true,
        events: build_event_views(&*workspace.store, &events)?,
        next: None,
    };
    let handles = read_event_handles(&*workspace.store, &events)?;
    Ok(ctx
        .render_output(&json, |paint| format_event_table(paint, &events, &handles))
        .or_nothing(events.is_empty(), "nothing has happened here yet\n"))
}

/// The last events of these spaces in one order.
fn read_latest_events(
    workspace: &Workspace,
    spaces: &[Space],
    page: &EventPage,
) -> CommandResult<Vec<LoggedEvent>> {
    let mut events = Vec::new();
    for space in spaces {
        events.extend(workspace.store.read_events(space, page)?);
    }
    sort_newest_first(&mut events);
    events.truncate(page.limit);
    Ok(events)
}

fn format_event_table(
    paint: &Paint,
    events: &[LoggedEvent],
    handles: &BTreeMap<MemoryId, String>,
) -> String {
    let row = |LoggedEvent { seq, event, .. }: &LoggedEvent| {
        let touched = event.touched_memories().filter_map(|id| handles.get(&id));
        [
            style_text(DIM, seq),
            style_text(DIM, paint.format_time(event.at)),
            style_text(pick_event_style(&event.what), event.what.event_kind()),
            style_text(BOLD, join_texts(touched, " ")),
            format_after("", event.actor.as_deref()),
            describe_event_body(&event.what),
        ]
    };
    paint.format_table(0, events.iter().map(row))
}

fn pick_event_style(what: &EventBody) -> Style {
    match what {
        EventBody::Remembered { .. }
        | EventBody::Refreshed { .. }
        | EventBody::Verified { valid: true, .. } => GREEN,
        EventBody::Verified { .. }
        | EventBody::Invalidated { .. }
        | EventBody::Forgotten { .. } => RED,
        EventBody::Refused { .. }
        | EventBody::Corrected { .. }
        | EventBody::RolledBack { .. }
        | EventBody::Tripped { .. } => YELLOW,
        _ => Style::new(),
    }
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
            let cleared = if memory.is_cleared_of_secrets() {
                "not a secret: "
            } else {
                ""
            };
            let rationale = rationale.as_ref().map(|it| format!(" ({it})"));
            format!(
                "{forced}{cleared}{}{}",
                memory.fact,
                rationale.unwrap_or_default()
            )
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
            let actor = actor.as_deref().unwrap_or("everybody");
            format!("{breaker}, {actor}: {why}")
        }
        EventBody::Closed { actor } => actor.clone().unwrap_or_else(|| "everybody".into()),
        EventBody::Ran(run) => {
            let how = if run.has_succeeded {
                "succeeded"
            } else {
                "failed"
            };
            format!(
                "`{}` {how} on {}",
                run.command,
                format::format_utc_day(run.at)
            )
        }
        EventBody::PullEnded { pull_request, .. } => format!("pull request {pull_request}"),
        EventBody::Refreshed { .. } | EventBody::Approved | EventBody::Applied => String::new(),
    };
    flatten_to_line(&text)
}
