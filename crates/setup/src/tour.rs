//! `tour`: the whole story, played with the real commands in a throwaway repository.

mod repository;

use clap::FromArgMatches as _;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::value::RawValue;

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

const REMEMBERING: [TypedScene; 4] = [
    (
        "Three facts, each with its proof",
        "",
        &[
            "remember",
            "--subject",
            "API version",
            "--cite",
            "src/api.rs:4",
            "API_VERSION must equal the client's CLIENT_VERSION, or every call is rejected",
        ],
    ),
    (
        "",
        "",
        &[
            "remember",
            "--subject",
            "upload limit",
            "--cite",
            "src/limits.rs:3-4",
            "uploads are limited to 10 MB, because the proxy cuts them off there",
        ],
    ),
    (
        "",
        "",
        &[
            "remember",
            "--subject",
            "legacy tokens",
            "--cite",
            "src/legacy.rs:1-3",
            "tokens that begin with v1. are still accepted from old clients",
        ],
    ),
    (
        "A secret is turned away",
        "It is kept nowhere, not even in the log.",
        &[
            "remember",
            "--kind",
            "reference",
            "the deploy key is AKIAQ3EGVXW7T4ZLMN2P",
        ],
    ),
];
const CHANGES: &str = "  src/api.rs      three lines inserted above the constant\n  src/limits.rs   10 MB becomes 25 MB\n  src/legacy.rs   deleted\n";
const RECALLING: [TypedScene; 4] = [
    (
        "Next week, another agent asks",
        "Each memory is looked up in the code before it is shown.",
        &["recall", "API version, upload limit and legacy tokens"],
    ),
    (
        "The change is taken over",
        "The old memory stays in the history and is never shown again.",
        &[
            "supersede",
            "m-2",
            "--cite",
            "src/limits.rs:3-4",
            "uploads are limited to 25 MB, because the proxy cuts them off there",
        ],
    ),
    (
        "",
        "",
        &[
            "invalidate",
            "m-3",
            "--reason",
            "legacy tokens were removed",
        ],
    ),
    ("And everything holds again", "", &["verify"]),
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
            "An API, a client, and a place for limits. Somebody works on it, and learns three things.",
            self.stage.format_listing(),
        )];
        for scene in REMEMBERING {
            steps.push(self.run_typed_command(scene)?);
        }
        self.days = 7;
        self.stage.change_code()?;
        steps.push(build_narrated_step(
            "Life goes on",
            "Nobody tells the memory about it.",
            CHANGES.into(),
        ));
        for scene in RECALLING {
            steps.push(self.run_typed_command(scene)?);
        }
        Ok(steps)
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
