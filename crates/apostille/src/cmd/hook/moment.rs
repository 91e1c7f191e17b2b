//! A moment of a session, answered: look at the session, recall what is new to it, write that down, say it.

use std::time::{Duration, Instant};

use std::path::Path;

use apostille_agents::{
    briefing,
    briefing::{Briefing, BriefingAudience, FRAME},
    clients,
    hook::{HookCall, HookMoment, HookReply, failure::FailedCommand},
    ledger::{KeptPrompt, OpenSession, SessionLedger},
    session::{AgentSession, Moment, SessionEntry},
};
use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context,
    policy::{ArchiveMode, InjectMode, MAX_TIER},
    verify::VerifiedMemory,
};
use apostille_impact::holdout::is_held_out;
use apostille_tasks::task::bullets::format_task_bullets;
use apostille_text::{digest::Digest, secrets};

use super::{
    detach,
    edits::{ReviewedEdits, list_due_files, note_edited_files, resolve_touched_path},
};
use apostille_terminal::{
    args::GlobalArgs,
    command_context::{CommandContext, CommandResult},
};
use apostille_workspace::{
    config::Settings, measured_sessions::read_holdout_seed, project_folder::ProjectFolder,
    sessions, task, workspace::Workspace,
};

/// How much of the time may go into looking citations up; what is not looked up by then is left out.
const LOOKING: f32 = 0.6;

/// The longest name of a session that is kept as it is, in characters.
const NAME_CHARS: usize = 100;
/// What is told of a session that goes without memory.
const HELD_OUT: &str = "this session goes without memory, to measure whether memory helps (impact.holdout); whoever asks for it is answered";
/// How much of the task's state is told, in characters.
const TASK_CHARS: usize = 800;

/// How much time there is.
#[derive(Clone, Copy)]
pub(super) struct HookClock {
    pub(super) started: Instant,
    pub(super) deadline: Duration,
}

impl HookClock {
    fn is_late(&self) -> bool {
        self.started.elapsed() > self.deadline.mul_f32(LOOKING)
    }

    /// How long it took so far, in microseconds.
    fn elapsed_micros(&self) -> Option<u32> {
        self.started.elapsed().as_micros().try_into().ok()
    }
}

/// Answers a moment, and does what is left to do when the answer is out.
pub(super) fn answer_hook_moment(
    ctx: &CommandContext,
    told: &HookCall,
    clock: HookClock,
    say: &dyn Fn(HookReply),
) -> CommandResult<()> {
    // This world is seen from the folder of the flags already.
    let dir = told.cwd.clone().filter(|it| it.is_dir());
    let flags = GlobalArgs {
        dir,
        ..ctx.flags.clone()
    };
    let mut system = ctx.system.clone();
    system.is_hurried = true;
    let ctx = CommandContext::new(system, flags);
    let (place, mut settings) = ctx.find_project()?;
    let session = name_hook_session(told, &place);
    let ledger = sessions::open_session_ledger(&ctx.system)?;
    let mut open = ledger.open_session(&session, clock.deadline / 3)?;
    let mut entry = build_session_entry(&ctx, told, &settings, &session);
    // Once is enough: what came in stays in.
    entry.is_outside = !open.session.is_exposed() && is_outside_moment(told, &place);
    let moment = entry.moment;
    if !moment.is_tools() && open.session.is_repeat(&entry) {
        return Ok(());
    }
    if open.session.entries.is_empty() {
        draw_session_arm(&ctx, told, &settings, &mut entry);
    }
    settings.policy.inject.tier = choose_session_tier(&settings, &open.session, &entry);
    let has_memory = settings.policy.inject.tier > 0;
    keep_unwritten_prompt(told, &settings, &ledger, &entry);
    let notice = find_place_notice(told, &settings, &open, &entry);
    let notice = find_holdout_notice(told, &entry).or(notice);
    if can_find_memories(&settings) {
        entry.noted = note_edited_files(told, &place);
    }
    // One that goes on with all that it was told has nothing to be judged anew, and a sub-agent edited nothing yet.
    let is_kept = is_start_kept(told, &open);
    let due = match is_kept || moment == Moment::Subtask || !has_memory {
        true => Vec::new(),
        false => list_due_files(told, &place, &open.session),
    };
    let is_start = matches!(told.moment, HookMoment::Start { .. });
    let is_shown = can_show_briefing(told, &settings, &open, &entry) && (has_memory || is_start);
    let is_resuming = is_first_after_compaction(told, &open);
    let failed = find_new_failure(told, &open).filter(|_| !is_resuming);
    let has_question = is_resuming || failed.is_some() || has_something_to_look_up(told, &due);
    if !is_shown || !has_question {
        let first = match has_memory {
            true => brief_without_store(told, &settings, &open, &entry),
            false => Briefing::default(),
        };
        entry.stated.clone_from(&first.stated);
        if is_worth_writing(&entry) {
            entry.took = clock.elapsed_micros();
            open.append_entry(entry)?;
        }
        drop(open);
        let context = Some(first.text).filter(|it| !it.is_empty());
        match notice {
            Some(notice) => say(build_notice_reply(told, notice, context)),
            None if context.is_some() => say(HookReply {
                context,
                notice: None,
            }),
            None => (),
        }
        match moment {
            Moment::End | Moment::Compact => detach::spawn_session_processing(&ctx, &session),
            // Where there is nothing to show yet, a session that was killed may wait all the same.
            Moment::Start if ledger.has_others(&session) => {
                detach::spawn_session_processing(&ctx, "");
            }
            _ => (),
        }
        return Ok(());
    }
    let source = settings.open_repository(&place, None)?;
    let workspace = Workspace::open(&ctx.system, settings, place, source)?;
    let late = || clock.is_late();
    let cx = Context {
        late: &late,
        ..workspace.context()
    };
    let earlier = (is_new_session(told) && !is_kept).then(|| {
        let repo = &workspace.settings.repo;
        sessions::list_earlier_sessions(&ledger, repo, &session)
    });
    let review = ReviewedEdits::review(&cx, &workspace, &open.session, due, earlier.as_deref())?;
    let made = build_moment_briefing(&ctx, &cx, &workspace, told, &open, &review.worse)?;
    if let Some(failed) = failed {
        entry.moment = Moment::Failure;
        entry.failure = Some(failed.key.clone());
    }
    if is_resuming {
        entry.moment = Moment::Start;
    }
    entry.took = clock.elapsed_micros();
    entry.shown = made.list_shown();
    entry.withheld = made.list_withheld();
    entry.quoted = made.quoted.clone();
    entry.stated.clone_from(&made.stated);
    entry.is_framed = made.text.contains(FRAME);
    entry.judged = review.list_settled_files(&made);
    // What is shown is written down before it is: else it would be shown again and again.
    if is_worth_writing(&entry) {
        open.append_entry(entry)?;
    }
    drop(open);
    let context = Some(made.text.clone()).filter(|it| !it.is_empty());
    say(match notice {
        Some(notice) => build_notice_reply(told, notice, context),
        None => HookReply {
            context,
            notice: None,
        },
    });
    match told.moment {
        HookMoment::Start { .. } => detach::spawn_session_processing(&ctx, ""),
        // What the client is about to drop is archived before it goes.
        HookMoment::Compact => detach::spawn_session_processing(&ctx, &session),
        _ => (),
    }
    // Nobody waits for the log, and nobody can be told that it failed.
    let _ = made.log_recall(&cx);
    Ok(())
}

/// Lets chance decide about a session that begins, where the user wants that. A client that names no session has one for ever, about
/// which nothing is drawn.
fn draw_session_arm(
    ctx: &CommandContext,
    told: &HookCall,
    settings: &Settings,
    entry: &mut SessionEntry,
) {
    let is_named = told
        .session
        .as_deref()
        .is_some_and(|it| !it.trim().is_empty());
    // Where the seed cannot be kept, nothing is drawn: a session that changed sides would count for neither.
    let seed = (is_named && settings.holdout > 0.0)
        .then(|| read_holdout_seed(&ctx.system))
        .and_then(Result::ok);
    entry.drawn = seed.map(|it| is_held_out(&it, &entry.session, settings.holdout));
    let tier = settings.policy.inject.tier;
    entry.tier = (tier < MAX_TIER).then_some(tier);
}

/// The tier of a session: the one that it began with.
fn choose_session_tier(settings: &Settings, session: &AgentSession, entry: &SessionEntry) -> u8 {
    match session.entries.is_empty() {
        true if entry.drawn == Some(true) => 0,
        true => settings.policy.inject.tier,
        false => session.tier(),
    }
}

/// What is told of a session that goes without memory: once, when that is decided.
fn find_holdout_notice(told: &HookCall, entry: &SessionEntry) -> Option<PlaceNotice> {
    let is_heard = matches!(
        told.moment,
        HookMoment::Start { .. } | HookMoment::Prompt { .. }
    );
    let is_told = entry.drawn == Some(true) && is_heard && told.agent.is_none();
    is_told.then(|| PlaceNotice {
        to_person: HELD_OUT.into(),
        to_agent: HELD_OUT.into(),
    })
}

/// Keeps what the person said where the client writes nothing down that can be read, or nothing yet; else what was kept so
/// far is not needed any more. An agent waits for this, and whatever goes wrong costs it nothing.
fn keep_unwritten_prompt(
    told: &HookCall,
    settings: &Settings,
    ledger: &SessionLedger,
    entry: &SessionEntry,
) {
    let HookMoment::Prompt { text } = &told.moment else {
        return;
    };
    let is_kept = settings.policy.archive != ArchiveMode::Off && !entry.is_ignored;
    let profile = clients::find_client_profile(told.client);
    if profile.has_readable_transcript(entry.transcript.as_deref().map(Path::new)) {
        ledger.remove_prompts(&entry.session);
    } else if is_kept && told.agent.is_none() {
        let prompt = KeptPrompt::from_prompt(entry.at, text);
        let _ = prompt.map(|it| ledger.keep_prompt(&entry.session, &it));
    }
}

/// What is left out here, for the person and for the agent.
struct PlaceNotice {
    to_person: String,
    to_agent: String,
}

/// What is left out here, where that is to be told now: with the first words of a session in this repository, and not again.
fn find_place_notice(
    told: &HookCall,
    settings: &Settings,
    open: &OpenSession,
    entry: &SessionEntry,
) -> Option<PlaceNotice> {
    let is_first = open
        .session
        .entries
        .iter()
        .all(|it| it.space != entry.space);
    let is_heard = matches!(
        told.moment,
        HookMoment::Start { .. } | HookMoment::Prompt { .. }
    );
    if !is_first || !is_heard || told.agent.is_some() {
        return None;
    }
    let untrusted = settings.untrusted.map(|why| PlaceNotice {
        to_person: why.describe().to_owned(),
        to_agent: why.describe_to_agent().to_owned(),
    });
    let apart = || {
        let note = settings.contact.describe_separation()?;
        let note = note.trim_start_matches("note: ").trim_end().to_owned();
        Some(PlaceNotice {
            to_person: note.clone(),
            to_agent: format!("{note} (your user decides that)"),
        })
    };
    untrusted.or_else(apart)
}

/// Tells the person where the client has a place for that, else the agent. None of the repository's words are in it.
fn build_notice_reply(told: &HookCall, why: PlaceNotice, context: Option<String>) -> HookReply {
    if clients::find_client_profile(told.client).has_notice() || !clients::can_take_context(told) {
        let notice = Some(why.to_person);
        return HookReply { context, notice };
    }
    let note = format!("Apostille: {}", why.to_agent);
    HookReply {
        context: Some(
            context
                .into_iter()
                .chain([note])
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        notice: None,
    }
}

/// Whether a moment brings in what strangers wrote.
fn is_outside_moment(told: &HookCall, place: &ProjectFolder) -> bool {
    match &told.moment {
        HookMoment::Touch { outside, .. } => outside.is_outside(place),
        _ => false,
    }
}

/// Whether a moment is written down: files that were only looked at are not.
fn is_worth_writing(entry: &SessionEntry) -> bool {
    let is_telling =
        !entry.shown.is_empty() || !entry.withheld.is_empty() || !entry.quoted.is_empty();
    let is_noting = !entry.noted.is_empty() || !entry.judged.is_empty() || entry.failure.is_some();
    !entry.moment.is_tools() || entry.is_outside || is_telling || is_noting
}

/// Whether memory may be shown by itself here, and there is some. Without a store there is nothing to tell; it is made by
/// whoever first has something to keep.
fn can_find_memories(settings: &Settings) -> bool {
    settings.policy.inject.mode != InjectMode::Off && settings.has_store_file()
}

/// What goes with a prompt where nothing was ever kept: only the reminder to keep what it states.
fn brief_without_store(
    told: &HookCall,
    settings: &Settings,
    open: &OpenSession,
    entry: &SessionEntry,
) -> Briefing {
    let HookMoment::Prompt { text } = &told.moment else {
        return Briefing::default();
    };
    let is_heard = told.agent.is_none() && !entry.is_ignored && clients::can_take_context(told);
    match is_heard && !settings.has_store_file() {
        true => briefing::brief_first_statement(&settings.policy, &open.session, text),
        false => Briefing::default(),
    }
}

/// Whether there may be something to show.
fn can_show_briefing(
    told: &HookCall,
    settings: &Settings,
    open: &OpenSession,
    entry: &SessionEntry,
) -> bool {
    let is_ignored = match told.moment {
        // What a client summarises in the middle of a turn is still that turn.
        HookMoment::Touch { .. }
        | HookMoment::Compact
        | HookMoment::Start {
            is_compacted: true, ..
        } => open.session.is_memory_ignored(),
        // What a sub-agent is told is not the person's word.
        HookMoment::Prompt { .. } if told.agent.is_some() => open.session.is_memory_ignored(),
        _ => entry.is_ignored,
    };
    let is_worth = !is_ignored && can_find_memories(settings);
    clients::can_take_context(told) && is_worth
}

/// Whether a moment needs the store: a tool that touches no file, or that has just edited one, does not.
fn has_something_to_look_up(told: &HookCall, due: &[RepoPath]) -> bool {
    let is_touch = matches!(told.moment, HookMoment::Touch { .. });
    let is_new = !is_touch || find_subtask(told).is_some();
    is_new || !due.is_empty() || !list_briefed_paths(told).is_empty()
}

/// The command that has just failed, unless its error was looked up before.
fn find_new_failure<'t>(told: &'t HookCall, open: &OpenSession) -> Option<&'t FailedCommand> {
    let HookMoment::Touch { failed, .. } = &told.moment else {
        return None;
    };
    let failed = failed.as_deref();
    let own = open.session.context_of(told.agent.as_deref());
    failed.filter(|it| own.is_new_failure(it))
}

/// The task that a sub-agent is given at this moment.
fn find_subtask(told: &HookCall) -> Option<&str> {
    match &told.moment {
        HookMoment::Touch { task, .. } => task.as_ref().map(|it| it.prompt.as_str()),
        HookMoment::Prompt { text } if told.agent.is_some() => Some(text),
        _ => None,
    }
}

/// The files that an agent is briefed about. One that was just edited is not among them: an edit may be half done, and
/// what it made untrue is told at a later moment.
fn list_briefed_paths(told: &HookCall) -> Vec<&str> {
    let HookMoment::Touch {
        paths,
        written,
        is_before,
        ..
    } = &told.moment
    else {
        return Vec::new();
    };
    let is_briefed = |it: &&String| *is_before || !written.contains(it);
    paths
        .iter()
        .filter(is_briefed)
        .map(String::as_str)
        .collect()
}

/// Whether a session goes on that still has what it was told when it began.
fn is_start_kept(told: &HookCall, open: &OpenSession) -> bool {
    clients::has_start_context(told) && open.session.has_begun()
}

/// Whether a session begins that the agent knows nothing of yet.
fn is_new_session(told: &HookCall) -> bool {
    matches!(
        told.moment,
        HookMoment::Start {
            is_compacted: false,
            ..
        }
    )
}

/// Whether a tool is used for the first time after the client compacted, and nobody has given the agent back what was
/// dropped. Most clients say when they compact and take no context then, nor when they go on.
fn is_first_after_compaction(told: &HookCall, open: &OpenSession) -> bool {
    let is_tool = matches!(told.moment, HookMoment::Touch { task: None, .. });
    is_tool && told.agent.is_none() && open.session.context_of(None).has_untold_compaction()
}

fn build_moment_briefing(
    ctx: &CommandContext,
    cx: &Context,
    workspace: &Workspace,
    told: &HookCall,
    open: &OpenSession,
    worse: &[VerifiedMemory],
) -> CommandResult<Briefing> {
    let [repo, user] = workspace.spaces();
    let is_delegated = matches!(&told.moment, HookMoment::Touch { task: Some(_), .. });
    // What the parent has before it, a sub-agent that is about to begin has not.
    let own = match is_delegated {
        true => AgentSession::default(),
        false => open.session.context_of(told.agent.as_deref()),
    };
    let reader = BriefingAudience {
        repo: &repo,
        user: &user,
        session: &own,
        worse,
    };
    if cx.policy.inject.tier == 0 {
        return Ok(reader.brief_identity(cx)?);
    }
    if let Some(task) = find_subtask(told) {
        return Ok(reader.brief_subtask(cx, task)?);
    }
    // The task in hand, by name, and its state as lines.
    let slug_and_task = || -> CommandResult<(Option<String>, String)> {
        let task = task::find_active_task(&ctx.system, &workspace.place, &workspace.settings);
        let Some(task) = task else {
            return Ok((None, String::new()));
        };
        let bullets = format_task_bullets(cx, &repo, &task, TASK_CHARS)?;
        Ok((Some(task.slug.to_string()), bullets))
    };
    let task = || slug_and_task().map(|it| it.1);
    Ok(match &told.moment {
        HookMoment::Start { .. } if is_start_kept(told, open) => reader.brief_session_notes(cx)?,
        // One that goes on still has what was said in it, but for what its client dropped.
        HookMoment::Start {
            is_again,
            is_compacted,
        } if *is_again || *is_compacted => {
            reader.brief_session_start(cx, &task()?, *is_compacted)?
        }
        HookMoment::Start { .. } => {
            let (slug, task) = slug_and_task()?;
            reader.brief_start_in_task(cx, &task, slug.as_deref())?
        }
        HookMoment::Prompt { text } => reader.brief_prompt(cx, text)?,
        HookMoment::Touch { .. } if is_first_after_compaction(told, open) => {
            reader.brief_session_start(cx, &task()?, true)?
        }
        HookMoment::Touch { .. } => {
            let failed = find_new_failure(told, open);
            let known = failed.map(|it| reader.brief_failed_command(cx, it));
            match known.transpose()?.filter(|it| !it.shown.is_empty()) {
                Some(known) => known,
                None => brief_touched_files(cx, &reader, told, &workspace.place)?,
            }
        }
        HookMoment::Compact => reader.brief_compaction(cx, &task()?)?,
        HookMoment::Stop { .. } | HookMoment::End => Briefing::default(),
    })
}

fn find_replaced_code(told: &HookCall) -> &str {
    match &told.moment {
        HookMoment::Touch { replaced, .. } => replaced,
        _ => "",
    }
}

fn brief_touched_files(
    cx: &Context,
    reader: &BriefingAudience<'_>,
    told: &HookCall,
    place: &ProjectFolder,
) -> CommandResult<Briefing> {
    let paths = list_briefed_paths(told).into_iter();
    let paths = paths.filter_map(|it| resolve_touched_path(place, it));
    Ok(match paths.collect::<Vec<RepoPath>>() {
        paths if paths.is_empty() => reader.brief_worse_memories(cx),
        paths => reader.brief_file_touch(cx, paths, find_replaced_code(told))?,
    })
}

fn build_session_entry(
    ctx: &CommandContext,
    told: &HookCall,
    settings: &Settings,
    session: &str,
) -> SessionEntry {
    // Words that are not to be taken for each other, however soon one follows the other.
    let (moment, words) = match &told.moment {
        HookMoment::Start {
            is_compacted: true, ..
        } => (Moment::Start, Some("start after a compaction")),
        HookMoment::Start { is_again: true, .. } => (Moment::Start, Some("start again")),
        HookMoment::Start { .. } => (Moment::Start, None),
        _ if find_subtask(told).is_some() => (Moment::Subtask, None),
        HookMoment::Prompt { text } => (Moment::Prompt, Some(text.as_str())),
        HookMoment::Touch { .. } => (Moment::Touch, None),
        HookMoment::Compact => (Moment::Compact, None),
        HookMoment::Stop { .. } => (Moment::Stop, None),
        HookMoment::End => (Moment::End, None),
    };
    let space = settings.repo.clone();
    let entry = SessionEntry::new(ctx.system.now, session, told.client, space, moment);
    // A sub-agent's is not the session's.
    let transcript = told.transcript.as_ref().filter(|_| told.agent.is_none());
    let transcript = transcript.filter(|it| secrets::find_secret(&it.to_string_lossy()).is_none());
    SessionEntry {
        is_ignored: moment == Moment::Prompt && words.is_some_and(briefing::asks_to_ignore_memory),
        is_fresh: clients::is_context_lost(told),
        agent: told.agent.as_deref().map(bound_session_name),
        transcript: transcript.map(|it| it.to_string_lossy().into_owned()),
        ..entry.with_prompt(told.turn.as_deref(), words)
    }
}

/// The session, by its name, bounded; a client that gives none has one for each folder.
fn name_hook_session(told: &HookCall, place: &ProjectFolder) -> String {
    let named = told.session.clone().filter(|it| !it.trim().is_empty());
    let unnamed = || format!("{} in {}", told.client, place.root.display());
    bound_session_name(&named.unwrap_or_else(unnamed))
}

/// A name that a client gives, bounded.
fn bound_session_name(name: &str) -> String {
    let is_secret = secrets::find_secret(name).is_some();
    if !is_secret && name.chars().count() <= NAME_CHARS {
        return name.to_owned();
    }
    let start = if is_secret { 0 } else { NAME_CHARS / 2 };
    let start: String = name.chars().take(start).collect();
    let digest = Digest::hash_bytes(name.as_bytes());
    format!("{start}…{}", digest.short_hex())
}
