//! A moment of a session, answered: look at the session, recall what is new to it, write that down, say it.

use std::path::Path;
use std::time::{Duration, Instant};

use apostille_agents::brief;
use apostille_agents::brief::{Brief, Reader};
use apostille_agents::clients;
use apostille_agents::hook::{HookCall, HookMoment, HookReply};
use apostille_agents::ledger::Open;
use apostille_agents::session::{Entry, Moment, Shown};
use apostille_cite::citation::RepoPath;
use apostille_core::Context;
use apostille_core::policy::InjectMode;
use apostille_tasks::task::bullets::bullets;
use apostille_text::digest::Digest;
use apostille_text::secrets;

use super::detach;
use crate::args::Everywhere;
use crate::shell::Shell;
use apostille_workspace::config::Settings;
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;
use apostille_workspace::place::Place;
use apostille_workspace::{sessions, task};

/// How much of the time may go into looking citations up; what is not looked up by then is left out.
const LOOKING: f32 = 0.6;

/// The longest name of a session that is kept as it is, in characters.
const NAME_CHARS: usize = 100;
/// How much of the task's state is told, in characters.
const TASK_CHARS: usize = 800;

/// How much time there is.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    pub(super) started: Instant,
    pub(super) deadline: Duration,
}

impl Clock {
    fn is_late(&self) -> bool {
        self.started.elapsed() > self.deadline.mul_f32(LOOKING)
    }

    /// How long it took so far, in microseconds.
    fn took(&self) -> Option<u32> {
        self.started.elapsed().as_micros().try_into().ok()
    }
}

/// Answers a moment, and does what is left to do when the answer is out.
pub(super) fn answer(
    shell: &Shell,
    told: &HookCall,
    clock: Clock,
    say: &dyn Fn(HookReply),
) -> Result<(), Fault> {
    // This world is seen from the folder of the flags already.
    let dir = told.cwd.clone().filter(|it| it.is_dir());
    let shell = Shell::new(
        shell.world.clone(),
        Everywhere {
            dir,
            ..shell.flags.clone()
        },
    );
    let place = shell.place()?;
    let settings = shell.settings(&place)?;
    let session = session(told, &place);
    let mut open = sessions::ledger(&shell.world)?.open(&session, clock.deadline / 3)?;
    let mut entry = entry(&shell, told, &settings, &session);
    // Once is enough: what came in stays in.
    entry.is_outside &= !open.session.is_exposed();
    let moment = entry.moment;
    if moment != Moment::Touch && open.session.has(&entry) {
        return Ok(());
    }
    if !is_shown(told, &settings, &open, &entry) {
        if moment != Moment::Touch || entry.is_outside {
            open.append(Entry {
                took: clock.took(),
                ..entry
            })?;
        }
        drop(open);
        if matches!(moment, Moment::End) {
            detach::after(&shell, &session);
        }
        return Ok(());
    }
    let desk = Desk::open(&shell.world, settings, place.clone(), place.source(None)?)?;
    let late = || clock.is_late();
    let cx = Context {
        late: &late,
        ..desk.cx()
    };
    let made = made(&shell, &cx, &desk, told, &open)?;
    noted(
        &mut open,
        Entry {
            took: clock.took(),
            ..entry
        },
        &made,
    )?;
    drop(open);
    say(HookReply {
        context: Some(made.text.clone()).filter(|it| !it.is_empty()),
        notice: None,
    });
    if matches!(told.moment, HookMoment::Start { .. }) {
        detach::after(&shell, "");
    }
    // Nobody waits for the log, and nobody can be told that it failed.
    let _ = made.log(&cx);
    Ok(())
}

/// Whether there may be something to show.
fn is_shown(told: &HookCall, settings: &Settings, open: &Open, entry: &Entry) -> bool {
    let is_ignored = match told.moment {
        HookMoment::Touch { .. } | HookMoment::Compact => open.session.is_ignored(),
        _ => entry.is_ignored,
    };
    let is_wanted = settings.inject_mode.value != InjectMode::Off;
    let is_kept = clients::keeps_start(told) && open.session.has_begun();
    // Without a store there is nothing to tell; it is made by whoever first has something to keep.
    let has_store = [&settings.store]
        .into_iter()
        .chain(&settings.own_store)
        .any(|it| it.value.path().exists());
    clients::takes_context(told) && is_wanted && !is_ignored && !is_kept && has_store
}

fn made(
    shell: &Shell,
    cx: &Context<'_>,
    desk: &Desk,
    told: &HookCall,
    open: &Open,
) -> Result<Brief, Fault> {
    let [repo, user] = desk.spaces();
    let reader = Reader {
        repo: &repo,
        user: &user,
        session: &open.session,
    };
    let task = || state(shell, cx, desk);
    Ok(match &told.moment {
        HookMoment::Start { is_compacted, .. } => {
            brief::start(cx, &reader, &task()?, *is_compacted)?
        }
        HookMoment::Prompt { text } => brief::prompt(cx, &reader, text)?,
        HookMoment::Touch { paths, .. } => {
            let paths: Vec<RepoPath> = paths
                .iter()
                .filter_map(|it| inside(&desk.place, it))
                .collect();
            if paths.is_empty() {
                Brief::default()
            } else {
                brief::touch(cx, &reader, paths)?
            }
        }
        HookMoment::Compact => brief::compact(cx, &reader, &task()?)?,
        HookMoment::Stop { .. } | HookMoment::End => Brief::default(),
    })
}

/// Writes down what is shown before it is: what cannot be written down would be shown again and again.
fn noted(open: &mut Open, mut entry: Entry, brief: &Brief) -> Result<(), Fault> {
    entry.shown = brief.shown.iter().map(Shown::from).collect();
    entry.withheld = brief.withheld.iter().map(Shown::from).collect();
    let is_telling = !entry.shown.is_empty() || !entry.withheld.is_empty();
    if is_telling || entry.moment != Moment::Touch || entry.is_outside {
        open.append(entry)?;
    }
    Ok(())
}

fn entry(shell: &Shell, told: &HookCall, settings: &Settings, session: &str) -> Entry {
    let moment = match told.moment {
        HookMoment::Start { .. } => Moment::Start,
        HookMoment::Prompt { .. } => Moment::Prompt,
        HookMoment::Touch { .. } => Moment::Touch,
        HookMoment::Compact => Moment::Compact,
        HookMoment::Stop { .. } => Moment::Stop,
        HookMoment::End => Moment::End,
    };
    let words = match &told.moment {
        HookMoment::Prompt { text } => Some(text.as_str()),
        // Not to be taken for each other, however soon one follows the other.
        HookMoment::Start {
            is_compacted: true, ..
        } => Some("start after a compaction"),
        HookMoment::Start { is_again: true, .. } => Some("start again"),
        _ => None,
    };
    let entry = Entry::new(
        shell.world.now,
        session,
        told.client,
        settings.repo.value.clone(),
        moment,
    );
    Entry {
        is_ignored: moment == Moment::Prompt && words.is_some_and(brief::asks_to_ignore),
        is_fresh: clients::starts_afresh(told),
        is_outside: matches!(
            told.moment,
            HookMoment::Touch {
                is_outside: true,
                ..
            }
        ),
        transcript: told
            .transcript
            .as_ref()
            .map(|it| it.to_string_lossy().into_owned()),
        ..entry.said(told.turn.as_deref(), words)
    }
}

/// The session, by its name, bounded; a client that gives none has one for each folder.
fn session(told: &HookCall, place: &Place) -> String {
    let unnamed = || format!("{} in {}", told.client, place.root.display());
    let name = told
        .session
        .clone()
        .filter(|it| !it.trim().is_empty())
        .unwrap_or_else(unnamed);
    match name.chars().count() {
        0..=NAME_CHARS if secrets::find(&name).is_none() => name,
        _ => {
            let digest = Digest::of(name.as_bytes());
            let is_secret = secrets::find(&name).is_some();
            let start = if is_secret { 0 } else { NAME_CHARS / 2 };
            format!(
                "{}…{}",
                name.chars().take(start).collect::<String>(),
                digest.short()
            )
        }
    }
}

/// A file as the client names it, if it lies in this checkout.
fn inside(place: &Place, typed: &str) -> Option<RepoPath> {
    let real = || {
        std::fs::canonicalize(typed)
            .ok()
            .filter(|_| Path::new(typed).is_absolute())
    };
    place
        .path(typed)
        .ok()
        .or_else(|| place.path(real()?.to_str()?).ok())
}

/// The state of the task in hand, as lines.
fn state(shell: &Shell, cx: &Context<'_>, desk: &Desk) -> Result<String, Fault> {
    match task::active_task(&shell.world, &desk.place, &desk.settings) {
        Some(task) => Ok(bullets(cx, &desk.settings.repo.value, &task, TASK_CHARS)?),
        None => Ok(String::new()),
    }
}
