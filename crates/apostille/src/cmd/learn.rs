//! `learn --past`: the sessions that agents had before, from the transcripts that lie on this machine.
//!
//! Transcripts are private, so only a person starts it, and it is shown first what would be read. Each session is learned from by
//! itself and noted then, so that it can be stopped behind any of them.

mod page;
mod survey;

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

use apostille_agents::{
    clients::find_client_profile,
    learn::LearnOutcome,
    past_sessions::{PastAudience, PastFindings, find_end, learn_from_past_session},
    past_transcripts::{PastSession, RecordedFolder},
    transcript::{TranscriptTurn, strip_checkout_root},
    transcripts::{TranscriptError, USUAL_BYTES},
};
use apostille_core::{
    Context,
    archive::{Archive, bulk::BulkArchive},
};
use jiff::SignedDuration;

use super::{progress_line::ProgressLine, report::parse_optional_time};
use apostille_terminal::{
    args::LearnArgs,
    command_context::{
        CommandContext, CommandOutput, CommandResult, require_person, watch_interrupt,
    },
};
use apostille_workspace::{
    error::{self, CommandError},
    learned_sessions::LearnedSessions,
    workspace::Workspace,
};

use page::PastReply;
use survey::{PastSurvey, SurveyedSession};

/// After so long without a word, a session is over.
const SILENCE: SignedDuration = SignedDuration::from_hours(1);

/// Shows what there is, asks, and learns from it.
pub fn run(ctx: &CommandContext, args: &LearnArgs) -> CommandResult {
    let speaker = match args.dry_run {
        true => ctx.speaker()?,
        false => ctx.deciding_speaker()?,
    };
    require_person(&speaker, "have past conversations read")?;
    let since = parse_optional_time(ctx, "since", args.since.as_deref())?;
    let workspace = match args.dry_run {
        true => ctx.open_existing_workspace()?,
        false => ctx.open_workspace()?,
    };
    let survey = PastSurvey::take(ctx, &workspace, since)?;
    if args.dry_run || survey.sessions.is_empty() {
        return Ok(page::build_survey_output(ctx, &workspace, &survey));
    }
    match ask_for_consent(ctx, args, &workspace, &survey) {
        None => Ok(page::build_unasked_output(ctx, &survey).with_code(error::USAGE)),
        Some(false) => Ok(page::build_declined_output(ctx, &survey)),
        Some(true) => learn_from_survey(ctx, &workspace, &survey),
    }
}

/// Whether a person agrees; nothing, where there is none to ask.
fn ask_for_consent(
    ctx: &CommandContext,
    args: &LearnArgs,
    workspace: &Workspace,
    survey: &PastSurvey,
) -> Option<bool> {
    if args.yes {
        return Some(true);
    }
    let question = page::format_question(ctx, workspace, survey);
    ctx.can_ask_beside().then(|| ctx.ask_beside(&question))
}

fn learn_from_survey(
    ctx: &CommandContext,
    workspace: &Workspace,
    survey: &PastSurvey,
) -> CommandResult<CommandOutput> {
    let read_learned = || LearnedSessions::read(&ctx.system, &workspace.settings.repo);
    let _alone = read_learned()?.lock_run()?;
    let mut run = PastRun::new(workspace, read_learned()?);
    let (stop, progress) = (
        watch_interrupt(),
        ProgressLine::new(ctx, "reading", "sessions"),
    );
    let outcome = run.learn_from_all(&survey.sessions, &stop, &progress);
    progress.end();
    outcome?;
    let proposals =
        std::mem::take(&mut run.findings).propose_best(&workspace.context(), run.whose());
    let reply = PastReply::of_run(survey, &run.counts, &proposals?);
    Ok(page::build_run_output(ctx, &reply))
}

/// A run through past sessions.
struct PastRun<'a> {
    workspace: &'a Workspace,
    learned: LearnedSessions,
    findings: PastFindings,
    counts: PastCounts,
}

/// What came of a run.
#[derive(Debug, Default)]
struct PastCounts {
    sessions: usize,
    conversations: usize,
    episodes: usize,
    commands: usize,
    /// Those that still go on.
    running: usize,
    /// Those that could not be read, and why.
    skipped: Vec<(PastSession, String)>,
    /// How many were left when the person stopped it.
    left: usize,
}

impl<'a> PastRun<'a> {
    fn new(workspace: &'a Workspace, learned: LearnedSessions) -> Self {
        Self {
            workspace,
            learned,
            findings: PastFindings::default(),
            counts: PastCounts::default(),
        }
    }

    fn whose(&self) -> PastAudience<'a> {
        PastAudience {
            repo: &self.workspace.settings.repo,
            user: &self.workspace.settings.user,
            own: self.workspace.user_policy(),
        }
    }

    fn learn_from_all(
        &mut self,
        sessions: &[SurveyedSession],
        stop: &AtomicBool,
        progress: &ProgressLine<'_>,
    ) -> CommandResult<()> {
        let cx = self.workspace.context();
        let archive = cx.archive.map(BulkArchive::new);
        let archive = archive.as_ref().map(|it| it as &dyn Archive);
        let cx = Context { archive, ..cx };
        for (n_done, session) in sessions.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                self.counts.left = sessions.len() - n_done;
                break;
            }
            progress.report(n_done as f64, sessions.len() as f64);
            self.learn_from_one(&cx, session)?;
        }
        Ok(())
    }

    fn learn_from_one(&mut self, cx: &Context, session: &SurveyedSession) -> CommandResult<()> {
        // Another run may have been at it since the survey.
        if self.learned.contains(&session.past.name) {
            return Ok(());
        }
        let turns = match read_turns(session) {
            Ok(turns) if !turns.is_empty() => turns,
            Ok(_) => {
                self.skip(session, "nothing in it can be read".to_owned());
                return Ok(());
            }
            Err(error) => {
                self.skip(session, error.to_string());
                return Ok(());
            }
        };
        let is_running = |it| cx.now.duration_since(it) < SILENCE;
        if find_end(&turns)
            .or(session.written_at)
            .is_some_and(is_running)
        {
            self.counts.running += 1;
            return Ok(());
        }
        let whose = self.whose();
        let outcome =
            learn_from_past_session(cx, whose, &session.past, &turns, &mut self.findings)?;
        self.learned.note_session(&session.past.name)?;
        self.counts.add_outcome(&outcome);
        Ok(())
    }

    fn skip(&mut self, session: &SurveyedSession, why: String) {
        self.counts.skipped.push((session.past.clone(), why));
    }
}

impl PastCounts {
    fn add_outcome(&mut self, outcome: &LearnOutcome) {
        self.sessions += 1;
        self.conversations += usize::from(outcome.archived.is_some());
        self.episodes += usize::from(outcome.episode.is_some());
        self.commands += outcome.ran;
    }
}

fn read_turns(session: &SurveyedSession) -> Result<Vec<TranscriptTurn>, TranscriptError> {
    let profile = find_client_profile(session.past.client);
    let mut turns = profile.read_transcript_file(&session.past.path, USUAL_BYTES)?;
    strip_checkout_root(&mut turns, &session.root);
    // The agent may have come to the checkout over a link.
    if let Some(RecordedFolder::Path(folder)) = &session.past.head.folder
        && fs::canonicalize(folder).is_ok_and(|it| it == session.root)
    {
        strip_checkout_root(&mut turns, folder);
    }
    Ok(turns)
}

/// Why the home of transcripts cannot be found.
fn build_no_home_error() -> CommandError {
    CommandError::config("cannot tell where transcripts are: HOME is not set")
}
