//! `identity`: who the user is, as one text of Markdown in sections.

use std::fs;

use apostille_core::identity::{
    IdentitySaveOutcome, IdentityText, read_identity_text, save_identity_text,
};
use apostille_core::refusal::Refusal;
use serde_json::{Value, json};

use apostille_terminal::{
    args::{IdentityArgs, IdentityEditArgs, IdentitySubcommand},
    command_context::{CommandContext, CommandResult, require_person},
    editor::{create_private_text_file, edit_text, find_user_editor},
    paint::{DIM, format_percent_bar, make_terminal_safe},
};
use apostille_workspace::{error::CommandError, workspace::Workspace};

/// What stands below the text in an editor.
const NOTE: &str = "\n<!-- An entry a line, in sections such as ## Preferences or ## Constraints; at most 1,000 characters.\n     Entries that you take out are forgotten. This note is not kept. -->\n";

/// Shows the identity text, or edits it.
pub fn run(ctx: &CommandContext, args: &IdentityArgs) -> CommandResult {
    match &args.what {
        None => show_identity(ctx),
        Some(IdentitySubcommand::Edit(args)) => edit_identity(ctx, args),
    }
}

fn read_own_identity(workspace: &Workspace) -> CommandResult<IdentityText> {
    let user = &workspace.settings.user;
    Ok(read_identity_text(&workspace.context_for(user), user)?)
}

fn show_identity(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let identity = read_own_identity(&workspace)?;
    let nothing = "nothing here yet; `apostille identity edit` says who you are to every agent\n";
    Ok(ctx
        .render_output(&build_json(&identity, json!({})), |_| {
            make_terminal_safe(&identity.text)
        })
        .with_err(format_usage(&identity))
        .or_nothing(identity.text.is_empty(), nothing))
}

fn build_json(identity: &IdentityText, mut more: Value) -> Value {
    let fields = json!({
        "ok": true,
        "text": identity.text,
        "version": identity.version(),
        "used": identity.used,
        "limit": identity.limit,
        "percent": identity.percent(),
    });
    if let (Some(more), Value::Object(fields)) = (more.as_object_mut(), fields) {
        more.extend(fields);
    }
    more
}

fn format_usage(it: &IdentityText) -> String {
    let (bar, percent) = (format_percent_bar(it.percent()), it.percent());
    let (used, limit) = (it.used, it.limit);
    format!("{bar} {percent}%  {DIM}{used} of {limit} characters{DIM:#}\n")
}

fn edit_identity(ctx: &CommandContext, args: &IdentityEditArgs) -> CommandResult {
    let speaker = ctx.deciding_speaker()?;
    let person = require_person(&speaker, "edit the identity")?;
    let workspace = ctx.open_workspace()?;
    let before = read_own_identity(&workspace)?;
    let (text, base) = read_new_text(ctx, args, &before)?;
    let user = &workspace.settings.user;
    let cx = workspace.context_for(user);
    let saved = save_identity_text(&cx, (&speaker, person), user, &text, base.as_deref())?;
    match saved {
        IdentitySaveOutcome::Refused { line, refusal } => {
            let kept = keep_edited_text(ctx, args, &refusal, &text);
            let line = line
                .map(|it| format!("line {it} of the text is refused, and nothing was changed\n"));
            let output = ctx.render_error(&refusal.into());
            let err = output.err.clone() + &line.unwrap_or_default() + &kept;
            Ok(output.with_err(err))
        }
        IdentitySaveOutcome::Saved {
            added,
            changed,
            removed,
        } => {
            let now = read_own_identity(&workspace)?;
            let done = json!({"added": added, "changed": changed, "removed": removed});
            Ok(ctx
                .render_output(&build_json(&now, done), |_| {
                    match added + changed + removed {
                        0 => "unchanged\n".into(),
                        _ => {
                            format!("saved  {added} added, {changed} changed, {removed} removed\n")
                        }
                    }
                })
                .with_err(format_usage(&now)))
        }
    }
}

/// The text that is to be saved, and the version that it was made from.
fn read_new_text(
    ctx: &CommandContext,
    args: &IdentityEditArgs,
    before: &IdentityText,
) -> CommandResult<(String, Option<String>)> {
    match args.file.as_deref() {
        Some("-") => Ok((ctx.system.read_stdin()?, args.base.clone())),
        Some(file) => {
            let wrong = |error| CommandError::usage(format!("{file} cannot be read: {error}"));
            let path = ctx.system.cwd.join(file);
            Ok((fs::read_to_string(path).map_err(wrong)?, args.base.clone()))
        }
        None => {
            let none = "no editor is set; set VISUAL or EDITOR, or give the text with --file";
            let editor = find_user_editor(&ctx.system).ok_or_else(|| CommandError::usage(none))?;
            let page = before.text.clone() + NOTE;
            let text = edit_text(&ctx.system, editor, "identity", &page)?;
            Ok((text, Some(before.version())))
        }
    }
}

/// Keeps what was typed in an editor where it could not be saved, unless a secret is in it; says where.
fn keep_edited_text(
    ctx: &CommandContext,
    args: &IdentityEditArgs,
    refusal: &Refusal,
    text: &str,
) -> String {
    if args.file.is_some() || matches!(refusal, Refusal::Secret { .. }) {
        return String::new();
    }
    let number = (ctx.system.random_source())() >> 64;
    let path = ctx
        .system
        .temp_dir()
        .join(format!("apostille-identity-{number:016x}.md"));
    match create_private_text_file(&path, text) {
        Ok(()) => format!(
            "your text is in {0}; compare it with `apostille identity`, then `apostille identity edit --file {0}`\n",
            path.display()
        ),
        Err(_) => String::new(),
    }
}
