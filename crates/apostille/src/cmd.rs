//! The verbs, one file each: what was typed goes in, an answer comes out.

mod apply;
mod approve;
mod audit;
mod breaker;
mod completions;
mod config;
mod export;
mod forget;
mod hook;
mod import;
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

use apostille_core::memory::{Memory, MemoryName};
use apostille_core::revise::ReviseOutcome;
use apostille_text::secrets::mask_secrets;
use clap::{ColorChoice, FromArgMatches as _};

use crate::json::{self, RevisedReply};
use apostille_setup::tour;
use apostille_terminal::args::{Cli, CliCommand, help};
use apostille_terminal::command_context;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, GREEN, Paint, flatten_to_line, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::system::System;
use apostille_workspace::workspace::Workspace;

/// Answers a command line.
pub fn run_command_line(argv: &[OsString]) -> CommandOutput {
    let matches = help::build_cli_command().try_get_matches_from(argv);
    let cli = match matches.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        // Clients take some exit codes of a hook as an order to stop.
        Err(error) if is_hook_call(argv) => {
            return CommandOutput {
                code: error::OK,
                ..format_clap_error(&error, argv)
            };
        }
        Err(error) => return format_clap_error(&error, argv),
    };
    let typed = argv
        .iter()
        .skip(1)
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let (as_json, color) = (cli.everywhere.json, cli.everywhere.color);
    match System::from_process(typed) {
        Ok(world) => run_command(&CommandContext::new(world, cli.everywhere), &cli.command),
        Err(fault) if is_hook_call(argv) => CommandOutput {
            code: error::OK,
            ..command_context::format_command_error(&fault, as_json, color, None)
        },
        Err(fault) => command_context::format_command_error(&fault, as_json, color, None),
    }
}

fn is_hook_call(argv: &[OsString]) -> bool {
    argv.get(1).is_some_and(|it| it == "hook")
}

/// Answers a command, also when it fails.
pub fn run_command(shell: &CommandContext, command: &CliCommand) -> CommandOutput {
    dispatch_command(shell, command).unwrap_or_else(|fault| shell.render_error(&fault))
}

fn dispatch_command(
    shell: &CommandContext,
    command: &CliCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        CliCommand::Remember(args) => remember::run(shell, args),
        CliCommand::Recall(args) => recall::run(shell, args),
        CliCommand::List(args) => list::run(shell, args),
        CliCommand::Show(args) => show::run(shell, args),
        CliCommand::Recent(args) => recent::run(shell, args),
        CliCommand::Verify(args) => verify::run(shell, args),
        CliCommand::Audit(args) => audit::run(shell, args),
        CliCommand::Promote(args) => promote::run(shell, args),
        CliCommand::Refresh(args) => refresh::run(shell, args),
        CliCommand::Supersede(args) => supersede::run(shell, args),
        CliCommand::Invalidate(args) => invalidate::run(shell, args),
        CliCommand::Forget(args) => forget::run(shell, args),
        CliCommand::Apply(args) => apply::run(shell, args),
        CliCommand::Review(args) => apostille_review::run(shell, args),
        CliCommand::Breaker(args) => breaker::run(shell, args),
        CliCommand::Approve(args) => approve::run(shell, args),
        CliCommand::Stats(args) => stats::run(shell, *args),
        CliCommand::Log(args) => log::run(shell, args),
        CliCommand::Rollback(args) => rollback::run(shell, args),
        CliCommand::Export(args) => export::run(shell, args),
        CliCommand::Import(args) => import::run(shell, args),
        CliCommand::Init(args) => apostille_setup::init::run(shell, args),
        CliCommand::Config(args) => config::run(shell, args),
        CliCommand::Task(args) => task::run(shell, args),
        CliCommand::Report(args) => report::run(shell, args),
        CliCommand::Mcp(args) => mcp::run(shell, args),
        CliCommand::Serve(args) => serve::run(shell, args),
        CliCommand::Token(args) => token::run(shell, args),
        CliCommand::Hook(args) => Ok(hook::run(shell, args)),
        CliCommand::Why(args) => why::run(shell, args),
        CliCommand::Doctor => apostille_setup::doctor::run(shell),
        CliCommand::Tour => tour::run(shell, run_command),
        CliCommand::Completions { shell: which } => Ok(completions::run(shell, *which)),
        CliCommand::Man { out } => man::run(shell, out.as_deref()),
    }
}

/// What clap says about a command line that it does not understand, or its help.
fn format_clap_error(error: &clap::Error, argv: &[OsString]) -> CommandOutput {
    let is_help = !error.use_stderr();
    let text = error.render().ansi().to_string();
    // What was typed is quoted there, and a secret may have been typed in the wrong place.
    let text = if is_help {
        text
    } else {
        mask_secrets(&text).into_owned()
    };
    let code = if is_help { error::OK } else { error::USAGE };
    if !is_help && argv.iter().any(|it| it == "--json") {
        let out = command_context::format_command_error(
            &convert_clap_error(&error.render().to_string()),
            true,
            ColorChoice::Never,
            None,
        )
        .out;
        return CommandOutput {
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
    CommandOutput {
        code,
        out,
        err,
        color: ColorChoice::Auto,
    }
}

/// What clap says, as a fault: its first paragraph, and its tip as the way out.
fn convert_clap_error(text: &str) -> CommandError {
    let mut parts = text.trim().trim_start_matches("error: ").split("\n\n");
    let one_line = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = parts.next().map(one_line).unwrap_or_default();
    let tip = parts
        .find_map(|it| it.trim().strip_prefix("tip: "))
        .map(one_line);
    CommandError::usage(message).with_hint(tip.unwrap_or_else(|| "try '--help'".into()))
}

/// Does something to each of these memories; nothing, when one of the names is wrong.
fn revise_named_memories(
    shell: &CommandContext,
    names: &[MemoryName],
    outcome: &'static str,
    revise: impl Fn(&Workspace, MemoryName) -> Result<ReviseOutcome, apostille_core::CoreError>,
) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    if let Err(refusal) = desk.find_named(names)? {
        return Ok(shell.render_refusal(&refusal));
    }
    let mut done: Vec<Memory> = Vec::new();
    for name in names {
        match revise(&desk, *name)? {
            ReviseOutcome::Done(memory) => done.push(*memory),
            ReviseOutcome::Refused(refusal) => return Ok(shell.render_refusal(&refusal)),
        }
    }
    let json = RevisedReply {
        ok: true,
        outcome,
        memories: json::build_memory_views(&done),
    };
    Ok(shell.render_output(error::OK, &json, |paint| {
        done.iter()
            .map(|it| format_outcome_line(paint, outcome, it))
            .collect()
    }))
}

/// What was done to which memory, on one line.
fn format_outcome_line(paint: &Paint, outcome: &str, memory: &Memory) -> String {
    let head = format!(
        "{} {}",
        style_text(GREEN, outcome),
        style_text(BOLD, memory.handle())
    );
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(outcome.len() + 10));
    format!(
        "{head}  {}\n",
        apostille_terminal::paint::truncate_to_width(&flatten_to_line(&memory.fact), room)
    )
}
