//! `pin`: what a person types at a terminal, and an agent does not know.

use apostille_core::refusal::Refusal;
use serde_json::json;

use apostille_terminal::{
    args::{PinArgs, PinSubcommand},
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{BOLD, DIM, format_if, style_text},
};
use apostille_workspace::{
    config::{ConfirmMode, Settings},
    confirm::ask_hidden,
    error::CommandError,
    pin::{MAX_PIN, MIN_PIN, PinFile},
};

/// What the PIN is asked for.
const ASKED_FOR: &str = "asked for before you approve, reject, roll back, close a breaker, make a reviewing token, \
                         or change what a person said";

/// Sets, changes or removes the PIN, or tells whether one is set.
pub fn run(ctx: &CommandContext, args: &PinArgs) -> CommandResult {
    let (_, settings) = ctx.find_project()?;
    let Some(what) = args.what else {
        return tell_pin(ctx, &settings);
    };
    if !ctx.system.speaker(&settings).voice().is_person() {
        let verb = "set, change or remove a PIN";
        return Err(Refusal::PersonDecides { verb }.into());
    }
    match (what, ctx.system.find_pin(&settings)) {
        (PinSubcommand::Set, None) => set_pin(ctx, &find_usual_file(ctx)?, "set"),
        (PinSubcommand::Set, Some(_)) => {
            Err(CommandError::usage("a PIN is set already").with_hint("apostille pin change"))
        }
        (_, None) => {
            Err(CommandError::usage("no PIN is set").with_hint("set one: apostille pin set"))
        }
        (PinSubcommand::Change, Some(file)) => {
            ctx.system.ask_pin(&file, "old PIN: ")?;
            set_pin(ctx, &file, "changed")
        }
        (PinSubcommand::Remove, Some(file)) => remove_pin(ctx, &settings, &file),
    }
}

fn find_usual_file(ctx: &CommandContext) -> CommandResult<PinFile> {
    Ok(PinFile::in_folder(&ctx.system.require_data_dir()?))
}

fn tell_pin(ctx: &CommandContext, settings: &Settings) -> CommandResult {
    let file = ctx.system.find_pin(settings);
    let made = file.as_ref().map(PinFile::made).transpose()?;
    let json = json!({"ok": true, "is_set": made.is_some(), "made": made, "confirm": settings.confirm.as_str()});
    let answer = ctx.render_output(&json, |paint| match &made {
        Some(made) => paint.wrap_text(&format!("a PIN is set since {made}; it is {ASKED_FOR}"), 0),
        None => "no PIN is set; set one: apostille pin set\n".into(),
    });
    Ok(answer.nothing_if(made.is_none()))
}

/// Asks twice, so that a slip of the finger locks nobody out.
fn set_pin(ctx: &CommandContext, file: &PinFile, outcome: &'static str) -> CommandResult {
    let pin = ask_hidden(&format!("new PIN, at least {MIN_PIN} characters: "))?;
    if !(MIN_PIN..=MAX_PIN).contains(&pin.chars().count()) {
        let fault = format!("a PIN has {MIN_PIN} to {MAX_PIN} characters");
        return Err(CommandError::usage(fault).with_hint("a few words are better than six digits"));
    }
    if ask_hidden("the same again: ")? != pin {
        return Err(CommandError::usage("the two differ; nothing was set"));
    }
    let draw = (ctx.system.random_source())();
    file.set_pin(&pin, ctx.system.now, draw)?;
    let told = format!("it is {ASKED_FOR}\n");
    Ok(render_pin_outcome(ctx, outcome, &told))
}

fn remove_pin(ctx: &CommandContext, settings: &Settings, file: &PinFile) -> CommandResult {
    ctx.system.ask_pin(file, "PIN: ")?;
    file.remove_pin()?;
    let hint = "your configuration still says confirm = \"pin\": decisions are refused until that line is gone\n";
    let is_left = settings.confirm == ConfirmMode::Pin && !ctx.flags.json;
    Ok(
        render_pin_outcome(ctx, "removed", "it is not asked for any more\n")
            .with_err(format_if(is_left, || style_text(DIM, hint))),
    )
}

fn render_pin_outcome(ctx: &CommandContext, outcome: &'static str, told: &str) -> CommandOutput {
    let json = json!({"ok": true, "outcome": outcome});
    ctx.render_output(&json, |paint| {
        paint.wrap_text(&format!("the PIN is {BOLD}{outcome}{BOLD:#}: {told}"), 0)
    })
}
