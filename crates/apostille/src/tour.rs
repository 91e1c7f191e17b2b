//! `tour`: the whole story, played with the real commands in a throwaway repository.

mod stage;

use std::cell::Cell;

use clap::FromArgMatches as _;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Cli, Command, Everywhere, help};
use crate::paint::{BOLD, CYAN, DIM, Paint, ink};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::system::{Environment, Terminal, World};
use stage::Stage;

/// One thing that happens: a sentence, what is typed or done, what comes of it.
#[derive(Serialize)]
struct Step {
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
struct Reply {
    ok: bool,
    steps: Vec<Step>,
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
pub type RunCommand = fn(&Shell, &Command) -> Answer;

/// Plays the story. Nothing of the user's is read or written.
pub fn run(shell: &Shell, run_command: RunCommand) -> Result<Answer, Fault> {
    let stage = Stage::set(&shell.world)?;
    let tour = Tour {
        shell,
        run_command,
        stage,
        days: Cell::new(0),
    };
    let steps = tour.play()?;
    let json = Reply {
        ok: true,
        steps,
        next: NEXT,
    };
    Ok(shell.answer(error::OK, &json, |paint| page(paint, &json.steps)))
}

struct Tour<'a> {
    run_command: RunCommand,
    shell: &'a Shell,
    stage: Stage,
    /// How many days have passed on the stage.
    days: Cell<i64>,
}

impl Tour<'_> {
    fn play(&self) -> Result<Vec<Step>, Fault> {
        let mut steps = self.remembering()?;
        steps.extend(self.living_on()?);
        steps.extend(self.asking_again()?);
        Ok(steps)
    }

    fn remembering(&self) -> Result<Vec<Step>, Fault> {
        Ok(vec![
            done(
                "A small shop",
                "An API, a client, and a place for limits. Somebody works on it, and learns three things.",
                self.stage.listing(),
            ),
            self.typed(
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
            self.typed(
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
            self.typed(
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
            self.typed(
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

    fn living_on(&self) -> Result<Vec<Step>, Fault> {
        self.days.set(7);
        self.stage.move_code()?;
        self.stage.edit_code()?;
        self.stage.delete_code()?;
        let what = "  src/api.rs      three lines inserted above the constant\n  src/limits.rs   10 MB becomes 25 MB\n  src/legacy.rs   deleted\n";
        Ok(vec![done(
            "Life goes on",
            "Nobody tells the memory about it.",
            what.into(),
        )])
    }

    fn asking_again(&self) -> Result<Vec<Step>, Fault> {
        Ok(vec![
            self.typed(
                "Next week, another agent asks",
                "Each memory is looked up in the code before it is shown.",
                &["recall", "API version, upload limit and legacy tokens"],
            )?,
            self.typed(
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
            self.typed(
                "",
                "",
                &[
                    "invalidate",
                    "m-3",
                    "--reason",
                    "legacy tokens were removed",
                ],
            )?,
            self.typed("And everything holds again", "", &["verify"])?,
        ])
    }

    /// Runs a command as if it had been typed on the stage.
    fn typed(
        &self,
        title: &'static str,
        note: &'static str,
        words: &[&str],
    ) -> Result<Step, Fault> {
        let argv = std::iter::once("apostille").chain(words.iter().copied());
        let matches = help::command()
            .try_get_matches_from(argv)
            .map_err(Fault::internal)?;
        let cli = Cli::from_arg_matches(&matches).map_err(Fault::internal)?;
        let answer = (self.run_command)(&self.shell_on_stage(words), &cli.command);
        let raw = self
            .shell
            .flags
            .json
            .then(|| RawValue::from_string(answer.out.trim().into()));
        Ok(Step {
            title,
            note,
            command: Some(shown(words)),
            code: Some(answer.code),
            answer: raw.transpose().map_err(Fault::internal)?,
            output: answer.out + &answer.err,
        })
    }

    /// This world with another folder, another home, and a person who types.
    fn shell_on_stage(&self, words: &[&str]) -> Shell {
        let mut world: World = self.shell.world.clone();
        world.cwd = self.stage.repo();
        world.env = Environment::of_home(&self.stage.home());
        world.typed = words.iter().map(|it| (*it).to_owned()).collect();
        world.now += SignedDuration::from_hours(24 * self.days.get());
        let columns = world.terminal.columns.min(WIDEST);
        world.terminal = Terminal {
            stdin: true,
            stdout: !self.shell.flags.json,
            columns,
            ..world.terminal
        };
        let flags = Everywhere {
            json: self.shell.flags.json,
            as_user: Some("you".into()),
            store: Some("sqlite:../memories.db".into()),
            repo: Some("acme/shop".into()),
            ..Everywhere::default()
        };
        Shell::new(world, flags)
    }
}

fn done(title: &'static str, note: &'static str, output: String) -> Step {
    Step {
        title,
        note,
        command: None,
        code: None,
        answer: None,
        output,
    }
}

/// A command as one would type it, on two lines where one is too long.
fn shown(words: &[&str]) -> String {
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

fn page(paint: &Paint, steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        if !step.title.is_empty() {
            let rule = "─".repeat(
                paint
                    .columns()
                    .unwrap_or(WIDEST)
                    .min(WIDEST)
                    .saturating_sub(step.title.chars().count() + 4),
            );
            out += &format!(
                "\n{} {} {}\n",
                ink(DIM, "──"),
                ink(BOLD, step.title),
                ink(DIM, rule)
            );
        }
        if !step.note.is_empty() {
            out += &ink(DIM, paint.wrapped(step.note, 0));
        }
        if let Some(command) = &step.command {
            out += &format!("\n{} {}\n", ink(DIM, "$"), ink(CYAN, command));
        }
        out += &step.output;
    }
    let next: String = NEXT
        .iter()
        .map(|it| format!("  {}\n", ink(CYAN, it)))
        .collect();
    let end = "The repository and its memory were temporary and are gone. In one of yours:";
    format!(
        "{}{out}\n{}\n{end}\n\n{next}",
        opening(),
        ink(
            DIM,
            "─".repeat(paint.columns().unwrap_or(WIDEST).min(WIDEST))
        )
    )
}

fn opening() -> String {
    format!(
        "{}  {}\n",
        ink(BOLD, "apostille"),
        ink(
            DIM,
            "a note in the margin; also the certificate that a record is genuine"
        )
    )
}
