//! `tour`: the whole story, played with the real commands in a throwaway repository.

mod repository;

use std::cell::Cell;

use clap::FromArgMatches as _;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::value::RawValue;

use apostille_terminal::args::{Cli, CliCommand, GlobalArgs, help};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, CYAN, DIM, Paint, style_text};
use apostille_workspace::error::CommandError;
use apostille_workspace::system::{Environment, System, TerminalInfo};
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
pub fn run(shell: &CommandContext, run_command: RunCommand) -> Result<CommandOutput, CommandError> {
    let stage = TourRepository::create_in_temp(&shell.world)?;
    let tour = Tour {
        shell,
        run_command,
        stage,
        days: Cell::new(0),
    };
    let steps = tour.play_story()?;
    let json = TourReply {
        ok: true,
        steps,
        next: NEXT,
    };
    Ok(shell.render_output(&json, |paint| format_tour_page(paint, &json.steps)))
}

struct Tour<'a> {
    run_command: RunCommand,
    shell: &'a CommandContext,
    stage: TourRepository,
    /// How many days have passed on the stage.
    days: Cell<i64>,
}

impl Tour<'_> {
    fn play_story(&self) -> Result<Vec<TourStep>, CommandError> {
        let mut steps = self.play_remembering()?;
        steps.extend(self.play_code_changes()?);
        steps.extend(self.play_recall()?);
        Ok(steps)
    }

    fn play_remembering(&self) -> Result<Vec<TourStep>, CommandError> {
        Ok(vec![
            build_narrated_step(
                "A small shop",
                "An API, a client, and a place for limits. Somebody works on it, and learns three things.",
                self.stage.format_listing(),
            ),
            self.run_typed_command(
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
            )?,
            self.run_typed_command(
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
            )?,
            self.run_typed_command(
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
            )?,
            self.run_typed_command(
                "A secret is turned away",
                "It is kept nowhere, not even in the log.",
                &[
                    "remember",
                    "--kind",
                    "reference",
                    "the deploy key is AKIAQ3EGVXW7T4ZLMN2P",
                ],
            )?,
        ])
    }

    fn play_code_changes(&self) -> Result<Vec<TourStep>, CommandError> {
        self.days.set(7);
        self.stage.move_code()?;
        self.stage.edit_code()?;
        self.stage.delete_code()?;
        let what = "  src/api.rs      three lines inserted above the constant\n  src/limits.rs   10 MB becomes 25 MB\n  src/legacy.rs   deleted\n";
        Ok(vec![build_narrated_step(
            "Life goes on",
            "Nobody tells the memory about it.",
            what.into(),
        )])
    }

    fn play_recall(&self) -> Result<Vec<TourStep>, CommandError> {
        Ok(vec![
            self.run_typed_command(
                "Next week, another agent asks",
                "Each memory is looked up in the code before it is shown.",
                &["recall", "API version, upload limit and legacy tokens"],
            )?,
            self.run_typed_command(
                "The change is taken over",
                "The old memory stays in the history and is never shown again.",
                &[
                    "supersede",
                    "m-2",
                    "--cite",
                    "src/limits.rs:3-4",
                    "uploads are limited to 25 MB, because the proxy cuts them off there",
                ],
            )?,
            self.run_typed_command(
                "",
                "",
                &[
                    "invalidate",
                    "m-3",
                    "--reason",
                    "legacy tokens were removed",
                ],
            )?,
            self.run_typed_command("And everything holds again", "", &["verify"])?,
        ])
    }

    /// Runs a command as if it had been typed on the stage.
    fn run_typed_command(
        &self,
        title: &'static str,
        note: &'static str,
        words: &[&str],
    ) -> Result<TourStep, CommandError> {
        let argv = std::iter::once("apostille").chain(words.iter().copied());
        let matches = help::build_cli_command()
            .try_get_matches_from(argv)
            .map_err(CommandError::internal)?;
        let cli = Cli::from_arg_matches(&matches).map_err(CommandError::internal)?;
        let answer = (self.run_command)(&self.stage_context(words), &cli.command);
        let raw = self
            .shell
            .flags
            .json
            .then(|| RawValue::from_string(answer.out.trim().into()));
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
        let mut world: System = self.shell.world.clone();
        world.cwd = self.stage.repo_dir();
        world.env = Environment::with_home(&self.stage.home_dir());
        world.typed = words.iter().map(|it| (*it).to_owned()).collect();
        world.now += SignedDuration::from_hours(24 * self.days.get());
        let columns = world.terminal.columns.min(WIDEST);
        world.terminal = TerminalInfo {
            stdin: true,
            stdout: !self.shell.flags.json,
            columns,
            ..world.terminal
        };
        let flags = GlobalArgs {
            json: self.shell.flags.json,
            as_user: Some("you".into()),
            store: Some("sqlite:../memories.db".into()),
            repo: Some("acme/shop".into()),
            ..GlobalArgs::default()
        };
        CommandContext::new(world, flags)
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
    let mut out = String::new();
    for step in steps {
        if !step.title.is_empty() {
            let rule = "─".repeat(
                paint
                    .columns
                    .unwrap_or(WIDEST)
                    .min(WIDEST)
                    .saturating_sub(step.title.chars().count() + 4),
            );
            out += &format!(
                "\n{} {} {}\n",
                style_text(DIM, "──"),
                style_text(BOLD, step.title),
                style_text(DIM, rule)
            );
        }
        if !step.note.is_empty() {
            out += &style_text(DIM, paint.wrap_text(step.note, 0));
        }
        if let Some(command) = &step.command {
            out += &format!("\n{} {}\n", style_text(DIM, "$"), style_text(CYAN, command));
        }
        out += &step.output;
    }
    let next: String = NEXT
        .iter()
        .map(|it| format!("  {}\n", style_text(CYAN, it)))
        .collect();
    let end = "The repository and its memory were temporary and are gone. In one of yours:";
    format!(
        "{}{out}\n{}\n{end}\n\n{next}",
        format_tour_title(),
        style_text(DIM, "─".repeat(paint.columns.unwrap_or(WIDEST).min(WIDEST)))
    )
}

fn format_tour_title() -> String {
    format!(
        "{}  {}\n",
        style_text(BOLD, "apostille"),
        style_text(
            DIM,
            "a note in the margin; also the certificate that a record is genuine"
        )
    )
}
