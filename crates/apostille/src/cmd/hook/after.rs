//! What a session left behind, gone through when nobody waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use apostille_agents::client::Client;
use apostille_agents::clients::profile;
use apostille_agents::glean::{Gleaned, asked, glean};
use apostille_agents::learn::{Learned, Left, learn};
use apostille_agents::ledger::Ledger;
use apostille_agents::session::{Entry, Moment, Session, Shown};
use apostille_agents::transcript::{Speaker, Turn};
use apostille_agents::transcripts::USUAL_BYTES;
use apostille_core::memory::MemoryId;
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::paint::count;
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;
use apostille_workspace::{model, sessions, task};

/// After so long without a word, a session is over though nobody said so.
const SILENCE: SignedDuration = SignedDuration::from_hours(1);
/// How long sessions are kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long another process that goes through the same session is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same where there are others to go through.
const BRIEF_PATIENCE: Duration = Duration::from_millis(500);

/// How long it is since somebody wrote a file that may not be whole yet.
const RECENT: Duration = Duration::from_secs(10);
/// How long the rest of it is waited for each time.
const PAUSE: Duration = Duration::from_millis(250);
/// How often.
const WAITS: usize = 16;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    sessions: Vec<View>,
}

#[derive(Serialize)]
struct View {
    session: String,
    pending: Vec<String>,
    episode: Option<String>,
    applied: usize,
    cleared: usize,
}

/// Goes through what a session left behind; every session of this repository that is over, when none is named.
pub(super) fn run(shell: &Shell, session: &str) -> Answer {
    match gone_through(shell, session) {
        Ok(sessions) => {
            let json = Reply { ok: true, sessions };
            shell.answer(error::OK, &json, |_| {
                json.sessions.iter().map(line).collect()
            })
        }
        Err(fault) => Answer {
            code: error::OK,
            ..shell.failed(&fault)
        },
    }
}

fn line(it: &View) -> String {
    let pending = count(it.pending.len() as u64, "memory", "memories");
    let episode = it.episode.as_deref().unwrap_or("none");
    format!(
        "{}: {pending} to approve, episode {episode}, {} of use\n",
        it.session, it.applied
    )
}

fn gone_through(shell: &Shell, session: &str) -> Result<Vec<View>, Fault> {
    let ledger = sessions::ledger(&shell.world)?;
    let place = shell.place()?;
    let repo = shell.settings(&place)?.repo.value;
    let is_ours = |it: &Session| it.entries.last().is_some_and(|it| it.space == repo);
    let due: Vec<Session> = match session {
        "" => ledger
            .all()
            .into_iter()
            .filter(|it| is_ours(it) && is_due(it, shell.world.now))
            .collect(),
        name => vec![ledger.read(name)],
    };
    let (mut views, mut failed) = (Vec::new(), Ok(()));
    for it in due {
        let Some(name) = it.entries.last().map(|it| it.session.clone()) else {
            continue;
        };
        // One that is stuck does not keep the others.
        match one(
            shell,
            &ledger,
            &name,
            if session.is_empty() {
                BRIEF_PATIENCE
            } else {
                PATIENCE
            },
        ) {
            Ok(view) => views.extend(view),
            Err(fault) => failed = Err(fault),
        }
    }
    ledger.prune(SystemTime::from(shell.world.now) - KEPT);
    failed.map(|()| views)
}

/// Whether a session is over, and was not gone through since.
fn is_due(session: &Session, now: Timestamp) -> bool {
    let left = session.left();
    let is_over = left.iter().any(|it| it.moment == Moment::End);
    left.last()
        .is_some_and(|it| is_over || now.duration_since(it.at) > SILENCE)
}

/// Goes through one session; nobody else does meanwhile.
fn one(
    shell: &Shell,
    ledger: &Ledger,
    name: &str,
    patience: Duration,
) -> Result<Option<View>, Fault> {
    let _alone = ledger.alone(name, patience)?;
    let session = ledger.read(name);
    let Some(last) = session
        .entries
        .last()
        .filter(|_| is_due(&session, shell.world.now))
        .cloned()
    else {
        return Ok(None);
    };
    let desk = shell.desk()?;
    let turns = turns(shell, &desk.place.root, &session, &last);
    let learned = learned(shell, &desk, &session, &last, &turns)?;
    close_tasks(shell, &desk, ledger)?;
    let done = Entry::new(
        shell.world.now,
        name,
        last.client,
        last.space.clone(),
        Moment::Done,
    );
    let shown = of_use(&session, &learned.applied);
    let turn = turns.last().map(|it| it.number.to_string());
    ledger.open(name, PATIENCE)?.append(Entry {
        shown,
        turn,
        covers: Some(session.entries.len()),
        ..done
    })?;
    Ok(Some(View {
        session: name.to_owned(),
        pending: learned
            .pending
            .iter()
            .map(|it| it.handle().to_string())
            .collect(),
        episode: learned.episode.map(|it| it.handle().to_string()),
        applied: learned.applied.len(),
        cleared: learned.cleared,
    }))
}

/// Tasks that a crash left open get the little that is known of them.
fn close_tasks(shell: &Shell, desk: &Desk, ledger: &Ledger) -> Result<(), Fault> {
    let tasks = Tasks::at(&shell.world, &desk.place, &desk.settings)?;
    let has_ended = |session: &str| {
        ledger
            .read(session)
            .entries
            .iter()
            .any(|it| it.moment == Moment::End)
    };
    tasks.close_left(desk, has_ended)?;
    Ok(())
}

fn of_use(session: &Session, applied: &[MemoryId]) -> Vec<Shown> {
    let all = || session.entries.iter().flat_map(|it| &it.shown);
    applied
        .iter()
        .filter_map(|id| all().find(|it| it.id == *id).cloned())
        .collect()
}

/// What was said; nothing where the client wrote nothing down that can be read.
fn turns(shell: &Shell, root: &Path, session: &Session, last: &Entry) -> Vec<Turn> {
    let named = session.transcript().map(PathBuf::from);
    let usual = || profile(last.client).usual_transcript(&shell.world.env.home()?, &last.session);
    // A file of the system, which has no length, may never end.
    let is_written = |it: &PathBuf| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
    let Some(path) = named.or_else(usual).filter(is_written) else {
        return Vec::new();
    };
    let mut turns = written_down(last.client, &path, session);
    for path in turns
        .iter_mut()
        .flat_map(|it| &mut it.uses)
        .flat_map(|it| &mut it.paths)
    {
        // Where a checkout lies on this machine is nobody else's business.
        let inside = Path::new(path.as_str())
            .strip_prefix(root)
            .ok()
            .and_then(Path::to_str)
            .map(Into::into);
        *path = inside.unwrap_or_else(|| std::mem::take(path));
    }
    turns
}

/// What is written down, to the last prompt that was seen: some clients write the last turn only when the hooks of its
/// end are through. That is waited for, but not for long, and not where nobody has written for a while.
fn written_down(client: Client, path: &Path, session: &Session) -> Vec<Turn> {
    let read = || {
        profile(client)
            .read_transcript(path, USUAL_BYTES)
            .unwrap_or_default()
    };
    let changed = fs::metadata(path).and_then(|it| it.modified()).ok();
    let is_new = changed.is_some_and(|it| it.elapsed().is_ok_and(|it| it < RECENT));
    let mut turns = read();
    for _ in 0..if is_new { WAITS } else { 0 } {
        if is_whole(session, &turns) {
            break;
        }
        thread::sleep(PAUSE);
        turns = read();
    }
    turns
}

/// Whether the last prompt that was seen is there, with an answer behind it.
fn is_whole(session: &Session, turns: &[Turn]) -> bool {
    let seen = session
        .entries
        .iter()
        .rev()
        .find(|it| it.moment == Moment::Prompt)
        .and_then(|it| it.words.clone());
    let at = turns.iter().rposition(|it| it.speaker == Speaker::Person);
    let is_answered =
        at.is_some_and(|at| turns[at..].iter().any(|it| it.speaker == Speaker::Agent));
    let said = at.map(|at| {
        Digest::of(turns[at].text.trim().as_bytes())
            .short()
            .to_owned()
    });
    seen.is_none() || (is_answered && said == seen)
}

fn learned(
    shell: &Shell,
    desk: &Desk,
    session: &Session,
    last: &Entry,
    turns: &[Turn],
) -> Result<Learned, Fault> {
    let [repo, user] = desk.spaces();
    let task =
        task::active_task(&shell.world, &desk.place, &desk.settings).map(|it| it.slug.to_string());
    let gleaned = gleaned(shell, desk, session, turns)?;
    let left = Left {
        repo: &repo,
        user: &user,
        own: desk.user_policy(),
        name: &last.session,
        client: last.client,
        session,
        turns,
        gleaned: &gleaned,
        task: task.as_deref(),
    };
    Ok(learn(&desk.cx(), &left)?)
}

/// What was stated: by rule, and with the user's model where there is one. A model that fails costs only what it would
/// have found.
fn gleaned(
    shell: &Shell,
    desk: &Desk,
    session: &Session,
    turns: &[Turn],
) -> Result<Vec<Gleaned>, Fault> {
    let mut found = glean(turns);
    if let Some(model) = model::model(&shell.world, &desk.settings)? {
        let ids: Vec<MemoryId> = session.seen().into_iter().collect();
        let shown = desk.store.get_by_ids(&ids)?.into_iter().map(|it| it.fact);
        let known: Vec<String> = shown
            .chain(found.iter().map(|it| it.fact.clone()))
            .collect();
        found.extend(
            asked::ask(&*model, turns, &known, asked::Budget::default()).unwrap_or_default(),
        );
    }
    // What was found before was kept then, and may have been rejected since.
    let done = session
        .entries
        .iter()
        .rev()
        .find(|it| it.moment == Moment::Done);
    let read: usize = done
        .and_then(|it| it.turn.as_deref()?.parse().ok())
        .unwrap_or(0);
    let said_at = |it: &Gleaned| {
        turns
            .iter()
            .find(|turn| turn.number == it.turn)
            .and_then(|turn| turn.at)
    };
    // Some clients write late, some begin another file when they take a session up again.
    let is_later = |it: &Gleaned| said_at(it).zip(done).is_some_and(|(at, done)| at > done.at);
    found.retain(|it| it.turn > read || is_later(it));
    Ok(found)
}
