//! The verbs, one file each: what was typed goes in, an answer comes out.

mod audit;
mod breaker;
mod completions;
mod config;
mod consolidate;
mod export;
mod forget;
mod hook;
mod identity;
mod impact;
mod import;
mod learn;
mod list;
mod log;
mod mcp;
mod model;
mod pin;
mod progress_line;
mod promote;
mod recall;
mod reflect;
mod remember;
mod report;
mod reviews;
mod revise;
mod rollback;
mod said;
mod secrets;
mod serve;
mod show;
mod spaces;
mod stats;
mod store;
mod sync;
mod task;
mod token;
mod trust;
mod verify;
mod version;
mod why;

use std::{ffi::OsString, fmt::Display};

use apostille_core::memory::Memory;
use apostille_text::secrets::{install_secret_policy, mask_secrets};

use apostille_setup::tour;
use apostille_terminal::{
    args::{CliCommand, TaskSubcommand, parse_command_line},
    command_context::{
        CommandContext, CommandOutput, CommandResult, encode_error_json, format_command_error,
    },
    paint::{BOLD, GREEN, Paint, format_if},
};
use apostille_workspace::{
    config::read_secret_policy, error, error::CommandError, sessions::is_memory_ignored_in_shell,
    system::System,
};
use serde_json::json;

/// Answers a command line.
pub fn run_command_line(argv: &[OsString]) -> CommandOutput {
    start_command(argv).unwrap_or_else(|answer| match argv.get(1) {
        // Clients take some exit codes of a hook as an order to stop.
        Some(verb) if verb == "hook" => answer.with_code(error::OK),
        _ => answer,
    })
}

/// Runs what is typed; the answer to what cannot be run is the error.
fn start_command(argv: &[OsString]) -> Result<CommandOutput, CommandOutput> {
    let cli = parse_command_line(argv).map_err(|error| format_clap_error(&error, argv))?;
    let typed = argv
        .iter()
        .skip(1)
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let system = System::from_process(typed)
        .map_err(|fault| format_command_error(&fault, &cli.everywhere, None))?;
    // What is wrong with it is told by the commands that read the settings.
    install_secret_policy(read_secret_policy(&system).unwrap_or_default());
    let ctx = CommandContext::new(system, cli.everywhere);
    Ok(run_command(&ctx, &cli.command))
}

/// Answers a command, also when it fails.
pub fn run_command(ctx: &CommandContext, command: &CliCommand) -> CommandOutput {
    if is_about_memories(command) && is_memory_ignored_in_shell(&ctx.system) {
        return answer_ignored_turn(ctx);
    }
    let output = dispatch_command(ctx, command).unwrap_or_else(|fault| ctx.render_error(&fault));
    if has_own_trust_note(command) {
        return output;
    }
    let err = ctx.format_trust_note() + &output.err;
    output.with_err(err)
}

/// Whether a command tells by itself what was left out because nobody trusts it; or is run by git, which would repeat it
/// at every commit.
fn has_own_trust_note(command: &CliCommand) -> bool {
    match command {
        CliCommand::Task(args) => matches!(args.what, TaskSubcommand::Trailers(_)),
        CliCommand::Doctor | CliCommand::Trust(_) | CliCommand::Hook(_) | CliCommand::Serve(_) => {
            true
        }
        _ => false,
    }
}

/// Whether a command shows memories to whoever wants to know something. Those that keep a store in order (`verify`, `audit`,
/// `log`, `export`) are run by scripts, too, and a script knows no turns.
fn is_about_memories(command: &CliCommand) -> bool {
    match command {
        CliCommand::Recall(_)
        | CliCommand::List(_)
        | CliCommand::Show(_)
        | CliCommand::Recent(_)
        | CliCommand::Report(_)
        | CliCommand::Why(_) => true,
        CliCommand::Identity(args) => args.what.is_none(),
        CliCommand::Task(args) => {
            matches!(args.what, TaskSubcommand::List(_) | TaskSubcommand::Show(_))
        }
        _ => false,
    }
}

/// What an agent is answered in a turn in which its user asked to leave memory out.
fn answer_ignored_turn(ctx: &CommandContext) -> CommandOutput {
    let json = json!({"ok": true, "ignored": true, "memories": []});
    let why = "the user asked to leave memory out of this turn; nothing was read\n";
    ctx.render_output(&json, |_| String::new())
        .or_nothing(true, why)
}

fn dispatch_command(ctx: &CommandContext, command: &CliCommand) -> CommandResult {
    match command {
        CliCommand::Remember(args) => remember::run(ctx, args),
        CliCommand::Recall(args) => recall::run(ctx, args),
        CliCommand::List(args) => list::run(ctx, args),
        CliCommand::Show(args) => show::run(ctx, args),
        CliCommand::Recent(args) => list::run_recent(ctx, args),
        CliCommand::Verify(args) => verify::run(ctx, args),
        CliCommand::Audit(args) => audit::run(ctx, args),
        CliCommand::Reflect => reflect::run(ctx),
        CliCommand::Consolidate => consolidate::run(ctx),
        CliCommand::Promote(args) => promote::run(ctx, args),
        CliCommand::Refresh(args) => revise::run_refresh(ctx, args),
        CliCommand::Confirm(args) => revise::run_confirm(ctx, args),
        CliCommand::Supersede(args) => remember::run_supersede(ctx, args),
        CliCommand::Invalidate(args) => revise::run_invalidate(ctx, args),
        CliCommand::Forget(args) => forget::run(ctx, args),
        CliCommand::Apply(args) => revise::run_apply(ctx, args),
        CliCommand::Review(args) => apostille_review::run(ctx, args),
        CliCommand::Reviews(args) => reviews::run(ctx, args),
        CliCommand::Breaker(args) => breaker::run(ctx, args),
        CliCommand::Secrets(args) => secrets::run(ctx, args),
        CliCommand::Approve(args) => revise::run_approve(ctx, args),
        CliCommand::Identity(args) => identity::run(ctx, args),
        CliCommand::Stats(args) => stats::run(ctx, *args),
        CliCommand::Impact => impact::run(ctx),
        CliCommand::Log(args) => log::run(ctx, args),
        CliCommand::Spaces(args) => spaces::run(ctx, args),
        CliCommand::Rollback(args) => rollback::run(ctx, args),
        CliCommand::Export(args) => export::run(ctx, args),
        CliCommand::Import(args) => import::run(ctx, args),
        CliCommand::Sync(args) => sync::run(ctx, args),
        CliCommand::Learn(args) => learn::run(ctx, args),
        CliCommand::Init(args) => apostille_setup::init::run(ctx, args),
        CliCommand::Trust(args) => trust::run(ctx, args),
        CliCommand::Config(args) => config::run(ctx, args),
        CliCommand::Task(args) => task::run(ctx, args),
        CliCommand::Report(args) => report::run(ctx, args),
        CliCommand::Mcp(args) => mcp::run(ctx, args),
        CliCommand::Serve(args) => serve::run(ctx, args),
        CliCommand::Token(args) => token::run(ctx, args),
        CliCommand::Store(args) => store::run(ctx, args),
        CliCommand::Pin(args) => pin::run(ctx, args),
        CliCommand::Model(args) => model::run(ctx, args),
        CliCommand::Hook(args) => Ok(hook::run(ctx, args)),
        CliCommand::Why(args) => why::run(ctx, args),
        CliCommand::Doctor => apostille_setup::doctor::run(ctx),
        CliCommand::Tour => tour::run(ctx, run_command),
        CliCommand::Completions { shell: which } => Ok(completions::run(ctx, *which)),
        CliCommand::Man { out } => completions::run_man(ctx, out.as_deref()),
    }
}

/// What clap says about a command line that it does not understand, or its help.
fn format_clap_error(error: &clap::Error, argv: &[OsString]) -> CommandOutput {
    let text = error.render().ansi().to_string();
    let is_json = argv.iter().any(|it| it == "--json");
    if !error.use_stderr() {
        let is_version = error.kind() == clap::error::ErrorKind::DisplayVersion;
        return CommandOutput {
            out: if is_version && is_json {
                version::encode_version_json()
            } else {
                text
            },
            ..CommandOutput::default()
        };
    }
    let fault = convert_clap_error(&error.render().to_string());
    CommandOutput {
        code: error::USAGE,
        out: format_if(is_json, || encode_error_json(&fault)),
        // What was typed is quoted there, and a secret may have been typed in the wrong place.
        err: mask_secrets(&text).into_owned(),
        ..CommandOutput::default()
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

/// What was done to which memory, on one line.
fn format_outcome_line(paint: &Paint, outcome: &str, memory: &Memory) -> String {
    let fact = paint.fit_to_line(&memory.fact, outcome.len() + 10);
    format!("{}  {fact}\n", format_outcome(outcome, memory.handle()))
}

/// What was done, and to what.
fn format_outcome(outcome: &str, name: impl Display) -> String {
    format!("{GREEN}{outcome}{GREEN:#} {BOLD}{name}{BOLD:#}")
}
