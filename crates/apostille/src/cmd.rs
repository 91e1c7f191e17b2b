//! The verbs, one file each: what was typed goes in, an answer comes out.

mod apply;
mod approve;
mod audit;
mod breaker;
mod completions;
mod config;
mod doctor;
mod export;
mod forget;
mod hook;
mod import;
mod init;
mod invalidate;
mod list;
mod log;
mod man;
mod mcp;
mod promote;
mod recall;
mod recent;
mod refresh;
mod remember;
mod report;
mod review;
mod rollback;
mod serve;
mod show;
mod stats;
mod supersede;
mod task;
mod token;
mod verify;
mod why;

use std::ffi::OsString;

use apostille_core::memory::{Memory, Name};
use apostille_core::revise::Revised;
use apostille_text::secrets::masked;
use clap::{ColorChoice, FromArgMatches as _};

use crate::args::{Cli, Command, help};
use crate::json::{self, RevisedReply};
use crate::paint::{BOLD, GREEN, Paint, ink, one_line};
use crate::shell::{self, Answer, Shell};
use crate::tour;
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;

/// Answers a command line.
pub fn answer(argv: &[OsString]) -> Answer {
    let matches = help::command().try_get_matches_from(argv);
    let cli = match matches.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        // Clients take some exit codes of a hook as an order to stop.
        Err(error) if is_hook(argv) => {
            return Answer {
                code: error::OK,
                ..misunderstood(&error, argv)
            };
        }
        Err(error) => return misunderstood(&error, argv),
    };
    let typed = argv
        .iter()
        .skip(1)
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let (as_json, color) = (cli.everywhere.json, cli.everywhere.color);
    match World::ask(typed) {
        Ok(world) => run(&Shell::new(world, cli.everywhere), &cli.command),
        Err(fault) if is_hook(argv) => Answer {
            code: error::OK,
            ..shell::failed(&fault, as_json, color, None)
        },
        Err(fault) => shell::failed(&fault, as_json, color, None),
    }
}

fn is_hook(argv: &[OsString]) -> bool {
    argv.get(1).is_some_and(|it| it == "hook")
}

/// Answers a command, also when it fails.
pub fn run(shell: &Shell, command: &Command) -> Answer {
    dispatched(shell, command).unwrap_or_else(|fault| shell.failed(&fault))
}

fn dispatched(shell: &Shell, command: &Command) -> Result<Answer, Fault> {
    match command {
        Command::Remember(args) => remember::run(shell, args),
        Command::Recall(args) => recall::run(shell, args),
        Command::List(args) => list::run(shell, args),
        Command::Show(args) => show::run(shell, args),
        Command::Recent(args) => recent::run(shell, args),
        Command::Verify(args) => verify::run(shell, args),
        Command::Audit(args) => audit::run(shell, args),
        Command::Promote(args) => promote::run(shell, args),
        Command::Refresh(args) => refresh::run(shell, args),
        Command::Supersede(args) => supersede::run(shell, args),
        Command::Invalidate(args) => invalidate::run(shell, args),
        Command::Forget(args) => forget::run(shell, args),
        Command::Apply(args) => apply::run(shell, args),
        Command::Review(args) => review::run(shell, args),
        Command::Breaker(args) => breaker::run(shell, args),
        Command::Approve(args) => approve::run(shell, args),
        Command::Stats(args) => stats::run(shell, *args),
        Command::Log(args) => log::run(shell, args),
        Command::Rollback(args) => rollback::run(shell, args),
        Command::Export(args) => export::run(shell, args),
        Command::Import(args) => import::run(shell, args),
        Command::Init(args) => init::run(shell, args),
        Command::Config(args) => config::run(shell, args),
        Command::Task(args) => task::run(shell, args),
        Command::Report(args) => report::run(shell, args),
        Command::Mcp(args) => mcp::run(shell, args),
        Command::Serve(args) => serve::run(shell, args),
        Command::Token(args) => token::run(shell, args),
        Command::Hook(args) => Ok(hook::run(shell, args)),
        Command::Why(args) => why::run(shell, args),
        Command::Doctor => doctor::run(shell),
        Command::Tour => tour::run(shell, run),
        Command::Completions { shell: which } => Ok(completions::run(shell, *which)),
        Command::Man { out } => man::run(shell, out.as_deref()),
    }
}

/// What clap says about a command line that it does not understand, or its help.
fn misunderstood(error: &clap::Error, argv: &[OsString]) -> Answer {
    let is_help = !error.use_stderr();
    let text = error.render().ansi().to_string();
    // What was typed is quoted there, and a secret may have been typed in the wrong place.
    let text = if is_help {
        text
    } else {
        masked(&text).into_owned()
    };
    let code = if is_help { error::OK } else { error::USAGE };
    if !is_help && argv.iter().any(|it| it == "--json") {
        let out = shell::failed(
            &told(&error.render().to_string()),
            true,
            ColorChoice::Never,
            None,
        )
        .out;
        return Answer {
            code,
            out,
            err: text,
            color: ColorChoice::Auto,
        };
    }
    let (out, err) = if is_help {
        (text, String::new())
    } else {
        (String::new(), text)
    };
    Answer {
        code,
        out,
        err,
        color: ColorChoice::Auto,
    }
}

/// What clap says, as a fault: its first paragraph, and its tip as the way out.
fn told(text: &str) -> Fault {
    let mut parts = text.trim().trim_start_matches("error: ").split("\n\n");
    let one_line = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = parts.next().map(one_line).unwrap_or_default();
    let tip = parts
        .find_map(|it| it.trim().strip_prefix("tip: "))
        .map(one_line);
    Fault::usage(message).hint(tip.unwrap_or_else(|| "try '--help'".into()))
}

/// Does something to each of these memories; nothing, when one of the names is wrong.
fn revised(
    shell: &Shell,
    names: &[Name],
    outcome: &'static str,
    revise: impl Fn(&Desk, Name) -> Result<Revised, apostille_core::Error>,
) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    if let Err(refusal) = desk.named(names)? {
        return Ok(shell.refused(&refusal));
    }
    let mut done: Vec<Memory> = Vec::new();
    for name in names {
        match revise(&desk, *name)? {
            Revised::Done(memory) => done.push(*memory),
            Revised::Refused(refusal) => return Ok(shell.refused(&refusal)),
        }
    }
    let json = RevisedReply {
        ok: true,
        outcome,
        memories: json::views(&done),
    };
    Ok(shell.answer(error::OK, &json, |paint| {
        done.iter().map(|it| line(paint, outcome, it)).collect()
    }))
}

/// What was done to which memory, on one line.
fn line(paint: &Paint, outcome: &str, memory: &Memory) -> String {
    let head = format!("{} {}", ink(GREEN, outcome), ink(BOLD, memory.handle()));
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(outcome.len() + 10));
    format!(
        "{head}  {}\n",
        crate::paint::cut(&one_line(&memory.fact), room)
    )
}
