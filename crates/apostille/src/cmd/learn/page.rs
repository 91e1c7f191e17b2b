//! What is said about past sessions: what there is, and what came of it.

use apostille_agents::past_sessions::PastProposals;
use apostille_core::memory::Memory;
use jiff::Timestamp;
use serde::Serialize;

use super::{
    PastCounts,
    survey::{ClientSurvey, PastSurvey},
};
use apostille_terminal::{
    command_context::{CommandContext, CommandOutput},
    paint::{BOLD, Paint, flatten_to_line, format_count, format_if},
};
use apostille_workspace::workspace::Workspace;

/// How many that could not be read are named.
const MAX_NAMED: usize = 5;

/// What one client left.
#[derive(Debug, Clone, Serialize)]
struct PastClientView {
    client: String,
    found: usize,
    here: usize,
    known: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    without_folder: usize,
    compressed: usize,
    unreadable: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<&'static str>,
}

/// A transcript that could not be read.
#[derive(Debug, Clone, Serialize)]
struct SkippedTranscriptView {
    client: String,
    path: String,
    why: String,
}

/// The answer in JSON.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PastReply {
    ok: bool,
    outcome: &'static str,
    clients: Vec<PastClientView>,
    /// How many sessions would be read, or were learned from.
    sessions: usize,
    conversations: usize,
    episodes: usize,
    commands: usize,
    running: usize,
    left: usize,
    skipped: Vec<SkippedTranscriptView>,
    proposals: Vec<ProposedView>,
    more: usize,
}

/// What was put before the person.
#[derive(Debug, Clone, Serialize)]
struct ProposedView {
    handle: String,
    fact: String,
    reason: Option<String>,
}

impl PastClientView {
    fn new(it: &ClientSurvey) -> Self {
        Self {
            client: it.client.to_string(),
            found: it.found,
            here: it.here,
            known: it.known,
            from: it.span.map(|it| format_day(it.0)),
            to: it.span.map(|it| format_day(it.1)),
            without_folder: it.without_folder,
            compressed: it.compressed,
            unreadable: it.unreadable,
            unread: it.why_unread,
        }
    }
}

impl PastReply {
    /// The answer before anything was read.
    fn of_survey(survey: &PastSurvey, outcome: &'static str) -> Self {
        Self {
            ok: true,
            outcome,
            clients: survey.clients.iter().map(PastClientView::new).collect(),
            sessions: survey.sessions.len(),
            conversations: 0,
            episodes: 0,
            commands: 0,
            running: 0,
            left: 0,
            skipped: Vec::new(),
            proposals: Vec::new(),
            more: 0,
        }
    }

    /// The answer after a run.
    pub(super) fn of_run(
        survey: &PastSurvey,
        counts: &PastCounts,
        proposals: &PastProposals,
    ) -> Self {
        let outcome = match counts.left {
            0 => "learned",
            _ => "stopped",
        };
        let skipped = counts
            .skipped
            .iter()
            .map(|(past, why)| SkippedTranscriptView {
                client: past.client.to_string(),
                path: past.path.display().to_string(),
                why: why.clone(),
            });
        let proposed = |it: &Memory| ProposedView {
            handle: it.handle().to_string(),
            fact: it.fact.clone(),
            reason: it.reason.clone(),
        };
        Self {
            sessions: counts.sessions,
            conversations: counts.conversations,
            episodes: counts.episodes,
            commands: counts.commands,
            running: counts.running,
            left: counts.left,
            skipped: skipped.collect(),
            proposals: proposals.pending.iter().map(proposed).collect(),
            more: proposals.n_left,
            ..Self::of_survey(survey, outcome)
        }
    }
}

fn format_day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// What would be read.
pub(super) fn build_survey_output(
    ctx: &CommandContext,
    workspace: &Workspace,
    survey: &PastSurvey,
) -> CommandOutput {
    let is_empty = survey.sessions.is_empty();
    let outcome = if is_empty { "nothing" } else { "planned" };
    let end = match survey.sessions.len() {
        0 => "no session of this repository is left to learn from\n".to_owned(),
        n => {
            let sessions = format_count(n as u64, "session", "sessions");
            format!("would learn from {sessions}; nothing was written\n")
        }
    };
    let reply = PastReply::of_survey(survey, outcome);
    let answer = ctx.render_output(&reply, |_| {
        let store = format_if(!is_empty, || format_store_note(workspace));
        format!("{}{store}{end}", format_clients(survey))
    });
    answer.nothing_if(is_empty)
}

/// Where nobody can be asked.
pub(super) fn build_unasked_output(ctx: &CommandContext, survey: &PastSurvey) -> CommandOutput {
    let reply = PastReply {
        ok: false,
        ..PastReply::of_survey(survey, "planned")
    };
    let answer = ctx.render_output(&reply, |_| format_clients(survey));
    answer.with_err("nothing was read: there is nobody to ask, so say --yes\n")
}

/// Where the person said no.
pub(super) fn build_declined_output(ctx: &CommandContext, survey: &PastSurvey) -> CommandOutput {
    let reply = PastReply::of_survey(survey, "declined");
    let answer = ctx.render_output(&reply, |_| "nothing was read\n".to_owned());
    answer.nothing_if(true)
}

/// What a person is asked before anything is read.
pub(super) fn format_question(
    _: &CommandContext,
    workspace: &Workspace,
    survey: &PastSurvey,
) -> String {
    let sessions = format_count(survey.sessions.len() as u64, "session", "sessions");
    format!(
        "{}{}learn from {BOLD}{sessions}{BOLD:#} of this repository? what was said is kept on this machine [y/N] ",
        format_clients(survey),
        format_store_note(workspace),
    )
}

/// Episodes are memories: where those of a repository lie in it, they do, too.
fn format_store_note(workspace: &Workspace) -> String {
    let settings = &workspace.settings;
    format_if(settings.own_store.is_some(), || {
        let store = &settings.store;
        format!("their episodes go where this repository shares its memories: {store}\n")
    })
}

/// One line for each client.
fn format_clients(survey: &PastSurvey) -> String {
    let lines = survey.clients.iter().map(format_client_line);
    lines.collect()
}

fn format_client_line(it: &ClientSurvey) -> String {
    let found = format_count(it.found as u64, "session", "sessions");
    let head = format!("{BOLD}{:<12}{BOLD:#} {found}", it.client.to_string());
    if let Some(why) = it.why_unread {
        return format!("{head}; not read: {why}\n");
    }
    let span = it.span.map_or(String::new(), |(first, last)| {
        format!(", {} to {}", format_day(first), format_day(last))
    });
    let known = format_if(it.known > 0, || format!(", {} known already", it.known));
    let notes = [
        (it.compressed, "compressed and not read"),
        (it.without_folder, "without a word about their folder"),
        (it.unreadable, "not readable"),
    ];
    let notes = notes.into_iter().filter(|it| it.0 > 0);
    let notes: String = notes.map(|(n, what)| format!("; {n} {what}")).collect();
    format!(
        "{head}, {} of this repository{span}{known}{notes}\n",
        it.here
    )
}

/// What came of a run.
pub(super) fn build_run_output(ctx: &CommandContext, reply: &PastReply) -> CommandOutput {
    ctx.render_output(reply, |paint| format_run(paint, reply))
        .with_err(format_skipped(reply))
}

fn format_run(paint: &Paint, it: &PastReply) -> String {
    let count = |n: usize, one, many| format_count(n as u64, one, many);
    let mut text = format!(
        "learned from {BOLD}{}{BOLD:#}: {} and {}\n",
        count(it.sessions, "session", "sessions"),
        count(it.conversations, "conversation", "conversations"),
        count(it.episodes, "episode", "episodes"),
    );
    text += &format_if(it.commands > 0, || {
        let memories = count(it.commands, "memory", "memories");
        format!("{memories} learned how a command fared\n")
    });
    for proposed in &it.proposals {
        let line = format!("{}  {}", proposed.handle, flatten_to_line(&proposed.fact));
        text += &paint.wrap_text(&line, 2);
    }
    text += &format_if(!it.proposals.is_empty(), || {
        let more = format_if(it.more > 0, || {
            format!("; {} more were found and are not proposed", it.more)
        });
        let n = it.proposals.len();
        format!("{n} to decide about: apostille review{more}\n")
    });
    text += &format_if(it.running > 0, || {
        let running = count(it.running, "session", "sessions");
        format!("{running} still going on; they are read once they are over\n")
    });
    text + &format_if(it.left > 0, || {
        format!("stopped; {} left, run it again to go on\n", it.left)
    })
}

fn format_skipped(it: &PastReply) -> String {
    let named = it.skipped.iter().take(MAX_NAMED);
    let lines: String = named
        .map(|it| format!("skipped {}: {}\n", it.path, flatten_to_line(&it.why)))
        .collect();
    let more = it.skipped.len().saturating_sub(MAX_NAMED);
    lines + &format_if(more > 0, || format!("skipped {more} more\n"))
}
