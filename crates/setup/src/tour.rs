//! `tour`: the whole story, played with the real commands in a throwaway repository.

mod repository;

use clap::FromArgMatches as _;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::value::RawValue;

use apostille_agents::{
    briefing::{BriefingAudience, EditReview, FRAME},
    client::Client,
    session::{AgentSession, Moment, SessionEntry},
};
use apostille_terminal::{
    args::{Cli, CliCommand, GlobalArgs, help},
    command_context::{CommandContext, CommandOutput},
    paint::{BOLD, CYAN, DIM, Paint, style_text},
};
use apostille_workspace::{
    error::CommandError,
    system::{Environment, System, TerminalInfo},
};
use repository::TourRepository;

/// One thing that happens: a sentence, what is typed or done, what comes of it.
#[derive(Serialize)]
struct TourStep {
    title: &'static str,
    note: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Box<RawValue>>,
    /// What an agent is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<String>,
    #[serde(skip)]
    output: String,
}

#[derive(Serialize)]
struct TourReply {
    ok: bool,
    steps: Vec<TourStep>,
    next: [&'static str; 4],
}

/// How wide the story is told.
const WIDEST: usize = 80;

/// What to type next.
const NEXT: [&str; 4] = [
    "apostille remember --cite FILE:LINES \"what you wish you had known\"",
    "apostille recall \"a question about this repository\"",
    "apostille verify",
    "apostille --help",
];

/// Runs one command as the program does; handed in, because the tour is a command itself.
pub type RunCommand = fn(&CommandContext, &CliCommand) -> CommandOutput;

/// Plays the story. Nothing of the user's is read or written.
pub fn run(ctx: &CommandContext, run_command: RunCommand) -> Result<CommandOutput, CommandError> {
    let stage = TourRepository::create_in_temp(&ctx.system)?;
    let tour = Tour {
        ctx,
        run_command,
        stage,
        days: 0,
    };
    let json = TourReply {
        ok: true,
        steps: tour.play_story()?,
        next: NEXT,
    };
    Ok(ctx.render_output(&json, |paint| format_tour_page(paint, &json.steps)))
}

/// What is typed in the story: a title, a sentence, and the words.
type TypedScene = (&'static str, &'static str, &'static [&'static str]);

const REMEMBERING: [TypedScene; 3] = [
    (
        "Two facts, each with its proof",
        "",
        &[
            "remember",
            "--cite",
            "src/limits.rs::MAX_UPLOAD",
            "uploads are limited to 10 MB by MAX_UPLOAD, because the proxy cuts them off there",
        ],
    ),
    (
        "",
        "",
        &[
            "remember",
            "--cite",
            "src/legacy.rs::is_legacy",
            "tokens that begin with v1. are still accepted from old clients",
        ],
    ),
    (
        "A secret is refused",
        "It is stored nowhere, not even in the log.",
        &[
            "remember",
            "--kind",
            "reference",
            "the deploy key is AKIAQ3EGVXW7T4ZLMN2P",
        ],
    ),
];
const CHANGES: &str = "  src/limits.rs   moved to src/http/limits.rs, and edited above the constant\n  src/legacy.rs   deleted\n";
const PROMPT: &str = "raise the upload limit to 25 MB";
const EDIT: &str = "  src/http/limits.rs\n  - pub const MAX_UPLOAD: u64 = 10 * MB;\n  + pub const MAX_UPLOAD: u64 = 25 * MB;\n";
const REPAIRING: [TypedScene; 3] = [
    (
        "It corrects the memory",
        "The old one stays in the history and is not shown again.",
        &[
            "supersede",
            "m-1",
            "--cite",
            "src/http/limits.rs::MAX_UPLOAD",
            "uploads are limited to 25 MB by MAX_UPLOAD, because the proxy cuts them off there",
        ],
    ),
    (
        "What is gone is not shown as a fact",
        "",
        &["recall", "upload limit and tokens of old clients"],
    ),
    (
        "",
        "",
        &[
            "invalidate",
            "m-2",
            "--reason",
            "legacy tokens were removed",
        ],
    ),
];

struct Tour<'a> {
    run_command: RunCommand,
    ctx: &'a CommandContext,
    stage: TourRepository,
    /// How many days have passed on the stage.
    days: i64,
}

impl Tour<'_> {
    fn play_story(mut self) -> Result<Vec<TourStep>, CommandError> {
        let mut steps = vec![build_narrated_step(
            "A small shop",
            "Somebody works on it, and learns what the code alone does not tell.",
            self.stage.format_listing(),
        )];
        for scene in REMEMBERING {
            steps.push(self.run_typed_command(scene)?);
        }
        self.days = 7;
        self.stage.change_code()?;
        steps.push(build_narrated_step(
            "A week passes",
            "Nobody tells the memory about it.",
            CHANGES.into(),
        ));
        let mut session = AgentSession::default();
        steps.push(self.brief_agent(&mut session)?);
        self.stage.edit_limit()?;
        steps.push(build_narrated_step(
            "It edits the line",
            "And raises the limit of the proxy, too, which it would not have known about.",
            EDIT.into(),
        ));
        steps.push(self.review_edit(&session)?);
        self.stage.commit_edit();
        for scene in REPAIRING {
            steps.push(self.run_typed_command(scene)?);
        }
        Ok(steps)
    }

    /// What an agent is given with its first prompt, as the hooks of its client hand it over.
    fn brief_agent(&self, session: &mut AgentSession) -> Result<TourStep, CommandError> {
        let workspace = self.stage_context(&["hook"]).open_workspace()?;
        let [repo, user] = workspace.spaces();
        let reader = BriefingAudience {
            repo: &repo,
            user: &user,
            session,
            worse: &[],
        };
        let cx = workspace.context();
        let briefing = reader.brief_prompt(&cx, PROMPT)?;
        let entry = SessionEntry::new(cx.now, "tour", Client::ClaudeCode, repo, Moment::Prompt);
        session.entries.push(SessionEntry {
            shown: briefing.list_shown(),
            ..entry
        });
        Ok(self.build_agent_step(
            "An agent is asked to raise the upload limit",
            "With the prompt it is given what it could not read in the code, at the place where it is now:",
            &briefing.text,
        ))
    }

    /// What it is told at its next step, because it edited what a memory cites.
    fn review_edit(&self, session: &AgentSession) -> Result<TourStep, CommandError> {
        let workspace = self.stage_context(&["hook"]).open_workspace()?;
        let [repo, user] = workspace.spaces();
        let edited = [TourRepository::edited_file().map_err(CommandError::internal)?];
        let review = EditReview {
            repo: &repo,
            session,
            edited: &edited,
            earlier: None,
        };
        let cx = workspace.context();
        let worse = review.find_worse_memories(&cx)?;
        let reader = BriefingAudience {
            repo: &repo,
            user: &user,
            session,
            worse: &worse,
        };
        let briefing = reader.brief_worse_memories(&cx);
        Ok(self.build_agent_step(
            "At its next step it is told what that made untrue",
            "",
            &briefing.text,
        ))
    }

    /// A step in which an agent is shown something, without the frame around it.
    fn build_agent_step(&self, title: &'static str, note: &'static str, text: &str) -> TourStep {
        let is_frame = |it: &&str| it.starts_with('<') || *it == FRAME;
        let paint = Paint::new(self.ctx.system.now, Some(WIDEST));
        let lines = text.lines().filter(|it| !is_frame(it));
        let lines: Vec<String> = lines.map(|it| paint.wrap_text(it, 2)).collect();
        TourStep {
            shown: Some(text.to_owned()),
            ..build_narrated_step(title, note, lines.concat())
        }
    }

    /// Runs a command as if it had been typed on the stage.
    fn run_typed_command(
        &self,
        (title, note, words): TypedScene,
    ) -> Result<TourStep, CommandError> {
        let argv = std::iter::once("apostille").chain(words.iter().copied());
        let matches = help::build_cli_command()
            .try_get_matches_from(argv)
            .map_err(CommandError::internal)?;
        let cli = Cli::from_arg_matches(&matches).map_err(CommandError::internal)?;
        let answer = (self.run_command)(&self.stage_context(words), &cli.command);
        let is_json = self.ctx.flags.json;
        let raw = is_json.then(|| RawValue::from_string(answer.out.trim().into()));
        Ok(TourStep {
            title,
            note,
            command: Some(format_typed_command(words)),
            code: Some(answer.code),
            answer: raw.transpose().map_err(CommandError::internal)?,
            shown: None,
            output: answer.out + &answer.err,
        })
    }

    /// This world with another folder, another home, and a person who types.
    fn stage_context(&self, words: &[&str]) -> CommandContext {
        let mut system: System = self.ctx.system.clone();
        system.cwd = self.stage.repo_dir();
        system.env = Environment::with_home(&self.stage.home_dir());
        system.typed = words.iter().map(|it| (*it).to_owned()).collect();
        system.now += SignedDuration::from_hours(24 * self.days);
        system.terminal = TerminalInfo {
            stdin: true,
            stdout: !self.ctx.flags.json,
            columns: system.terminal.columns.min(WIDEST),
            ..system.terminal
        };
        let flags = GlobalArgs {
            json: self.ctx.flags.json,
            as_user: Some("you".into()),
            store: Some("sqlite:../memories.db".into()),
            repo: Some("acme/shop".into()),
            ..GlobalArgs::default()
        };
        CommandContext::new(system, flags)
    }
}

fn build_narrated_step(title: &'static str, note: &'static str, output: String) -> TourStep {
    TourStep {
        title,
        note,
        command: None,
        code: None,
        answer: None,
        shown: None,
        output,
    }
}

/// A command as one would type it, on two lines where one is too long.
fn format_typed_command(words: &[&str]) -> String {
    let quoted = |it: &&str| {
        if it.contains(' ') {
            format!("\"{it}\"")
        } else {
            (*it).to_owned()
        }
    };
    let words: Vec<String> = words.iter().map(quoted).collect();
    let whole = format!("apostille {}", words.join(" "));
    match words.split_last() {
        Some((last, front)) if whole.len() > WIDEST - 2 => {
            format!("apostille {} \\\n    {last}", front.join(" "))
        }
        _ => whole,
    }
}

fn format_tour_page(paint: &Paint, steps: &[TourStep]) -> String {
    let columns = paint.columns.unwrap_or(WIDEST).min(WIDEST);
    let rule = |width: usize| style_text(DIM, "─".repeat(width));
    let about = "a note in the margin; also the certificate that a record is genuine";
    let mut out = format!(
        "{}  {}\n",
        style_text(BOLD, "apostille"),
        style_text(DIM, about)
    );
    for step in steps {
        if !step.title.is_empty() {
            let rest = columns.saturating_sub(step.title.chars().count() + 4);
            let title = style_text(BOLD, step.title);
            out += &format!("\n{} {title} {}\n", rule(2), rule(rest));
        }
        if !step.note.is_empty() {
            out += &style_text(DIM, paint.wrap_text(step.note, 0));
        }
        if let Some(command) = &step.command {
            out += &format!("\n{} {}\n", style_text(DIM, "$"), style_text(CYAN, command));
        }
        out += &step.output;
    }
    let next = NEXT.map(|it| format!("  {}\n", style_text(CYAN, it)));
    let end = "The repository and its memory were temporary and are gone. In one of yours:";
    format!("{out}\n{}\n{end}\n\n{}", rule(columns), next.concat())
}
