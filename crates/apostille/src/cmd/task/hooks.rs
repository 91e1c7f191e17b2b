//! `task hooks`: the git hook that adds the trailers, beside whatever hook is there.
//!
//! It is `commit-msg`, which runs after the editor: a message that was left empty stays empty, and git gives the commit
//! up as it should. A shell script gets two marked lines behind its first one, so that its own last word stays the last.
//! Any other program is kept under its own name in a folder beside, and called first.

use std::fs;
use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::json;

use apostille_terminal::{
    args::TaskHooksArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{CYAN, DIM, GREEN, YELLOW, flatten_to_line, format_if, style_text},
};
use apostille_workspace::{
    atomic_file::write_file_atomically, error, error::CommandError, project_folder::ProjectFolder,
};

const NAME: &str = "commit-msg";
/// What everybody may run.
const EXECUTABLE: Option<u32> = Some(0o755);
/// The folder for a program that is called first.
const BEFORE: &str = "before-apostille";
const MARK: &str = "# apostille: Task-Id and Prompt-Version; `apostille task hooks --remove` takes these two lines out";
const CALL: &str =
    "command -v apostille >/dev/null 2>&1 && apostille task trailers \"$1\" >/dev/null 2>&1 || :";
const SHELL: &str = "#!/bin/sh";
const FIRST: &str = "\"$(dirname \"$0\")/before-apostille/commit-msg\" \"$@\" || exit $?";
/// What a shell is called in the first line of a script.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// What is to be found at the hook's place.
enum ExistingHook {
    Nothing,
    /// A script of a shell.
    Script(String),
    /// A program that is called first, with ours around it.
    Wrapped,
    /// Some other program.
    Program,
    /// What is not touched, and why.
    Strange(&'static str),
}

/// Installs the hook, takes it out, or says how it stands.
pub fn run(ctx: &CommandContext, args: TaskHooksArgs) -> CommandResult {
    let place = ctx.find_project_folder()?;
    let (hook, obstacle) = locate_commit_hook(ctx, &place)?;
    if let Some(why) = obstacle {
        return Ok(advise_manual_hook(ctx, args, &hook, why));
    }
    let failed = |error| {
        let hook = hook.display();
        CommandError::usage(format!("cannot change '{hook}': {error}"))
    };
    let found = inspect_commit_hook(&hook).map_err(failed)?;
    if let ExistingHook::Strange(why) = found {
        return Ok(advise_manual_hook(ctx, args, &hook, why));
    }
    let is_ours = is_hook_installed(&found);
    let draw = (ctx.system.random_source())();
    let outcome = match args {
        TaskHooksArgs { install: true, .. } if !is_ours => {
            install_commit_hook(&hook, &found, draw).map_err(failed)?;
            "installed"
        }
        TaskHooksArgs { install: true, .. } => "already installed",
        TaskHooksArgs { remove: true, .. } if is_ours => {
            remove_commit_hook(&hook, &found, draw).map_err(failed)?;
            "removed"
        }
        _ if is_ours => "installed",
        _ => "not installed",
    };
    let path = hook.display().to_string();
    let installed = matches!(outcome, "installed" | "already installed");
    let json = json!({"ok": true, "outcome": outcome, "path": path, "installed": installed});
    Ok(ctx.render_output(&json, |_| {
        let way = if installed {
            ""
        } else {
            "  (apostille task hooks --install)"
        };
        // What of the hook is taken out, and what stays: the words before its path and behind it.
        let (before, behind) = match &found {
            _ if outcome != "removed" => ("", ""),
            ExistingHook::Wrapped => (
                " what was put around",
                ", and the program that was there is back",
            ),
            ExistingHook::Script(text) if *text != format_standalone_hook() => {
                (" two lines from", ", and the rest of it stays")
            }
            _ => ("", ""),
        };
        let outcome = style_text(GREEN, outcome);
        let path = flatten_to_line(&path);
        format!("{outcome}{before} {path}{behind}{DIM}{way}{DIM:#}\n")
    }))
}

/// Where the hook belongs; and, where this is a file that a person should change, why this program does not.
fn locate_commit_hook(
    ctx: &CommandContext,
    place: &ProjectFolder,
) -> CommandResult<(PathBuf, Option<&'static str>)> {
    let checkout = place
        .checkout
        .as_ref()
        .ok_or_else(|| CommandError::usage("there are no git hooks outside a git repository"))?;
    let env = &ctx.system.env;
    let folder = checkout.find_hooks_dir(&env.git_config_files(), env.home_dir().as_deref());
    if folder.ends_with(".husky/_") {
        let why = "husky runs the hooks here, and its files are committed";
        return Ok((folder.with_file_name(NAME), Some(why)));
    }
    let is_link = fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink());
    let is_foreign = is_link || !folder.starts_with(checkout.common_dir());
    let why = "core.hooksPath leads out of git's own folder, to files that are shared or committed";
    Ok((folder.join(NAME), is_foreign.then_some(why)))
}

fn advise_manual_hook(
    ctx: &CommandContext,
    args: TaskHooksArgs,
    path: &Path,
    why: &str,
) -> CommandOutput {
    let is_there = fs::read_to_string(path).is_ok_and(|it| it.contains("apostille task trailers"));
    let (outcome, code) = match (is_there, args.install) {
        (true, _) => ("installed", error::OK),
        (false, true) => ("not installed", error::REFUSED),
        (false, false) => ("not installed", error::OK),
    };
    let hook = path.display().to_string();
    // Why nothing was written, and what to add by hand.
    let json = json!({
        "ok": code == error::OK,
        "outcome": outcome,
        "path": hook,
        "installed": is_there,
        "why": why,
        "add": CALL,
    });
    let path = flatten_to_line(&hook);
    let not_written = style_text(YELLOW, "not written:");
    let call = style_text(CYAN, CALL);
    let told = format!(
        "{not_written} {NAME}: {why}\n  add this line to {path}, behind its first:\n    {call}\n"
    );
    ctx.render_output(&json, |_| {
        format_if(is_there, || format!("{GREEN}{outcome}{GREEN:#} {hook}\n"))
    })
    .with_code(code)
    .with_err(format_if(!is_there, || told))
}

fn inspect_commit_hook(hook: &Path) -> io::Result<ExistingHook> {
    let metadata = match fs::symlink_metadata(hook).map_err(|error| (error.kind(), error)) {
        Err((io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, _)) => {
            return Ok(ExistingHook::Nothing);
        }
        other => other.map_err(|it| it.1)?,
    };
    let strange = |why| Ok(ExistingHook::Strange(why));
    if !metadata.is_file() {
        return strange("the hook is a link, and what it points to may be committed");
    }
    if !is_executable_hook(&metadata) {
        return strange("there is a hook that is switched off (not executable)");
    }
    let Ok(text) = String::from_utf8(fs::read(hook)?) else {
        return Ok(ExistingHook::Program);
    };
    if text == format_hook_wrapper() && hook.with_file_name(BEFORE).join(NAME).exists() {
        return Ok(ExistingHook::Wrapped);
    }
    let is_script = is_shell_shebang(text.lines().next().unwrap_or_default());
    if is_script && text.contains('\n') && !text.contains('\r') {
        Ok(ExistingHook::Script(text))
    } else {
        Ok(ExistingHook::Program)
    }
}

fn is_hook_installed(found: &ExistingHook) -> bool {
    match found {
        ExistingHook::Wrapped => true,
        ExistingHook::Script(text) => text.lines().any(|it| it == MARK),
        _ => false,
    }
}

/// Whether the first line of a script names a shell: `#!/bin/sh -e`, `#!/usr/bin/env bash`.
fn is_shell_shebang(line: &str) -> bool {
    let mut words = line
        .strip_prefix("#!")
        .unwrap_or_default()
        .split_whitespace()
        .filter(|it| !it.starts_with('-'));
    let program = words.next().unwrap_or_default();
    match program.rsplit(['/', '\\']).next() {
        Some("env") => words.next().is_some_and(|it| SHELLS.contains(&it)),
        name => name.is_some_and(|it| SHELLS.contains(&it)),
    }
}

fn format_hook_lines() -> String {
    format!("{MARK}\n{CALL}\n")
}

fn format_standalone_hook() -> String {
    format!("{SHELL}\n{}", format_hook_lines())
}

fn format_hook_wrapper() -> String {
    format!("{SHELL}\n{FIRST}\n{}", format_hook_lines())
}

fn install_commit_hook(hook: &Path, found: &ExistingHook, draw: u128) -> io::Result<()> {
    let write = |text: String, mode| write_file_atomically(hook, text.as_bytes(), mode, draw);
    match found {
        ExistingHook::Script(text) => {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            write(format!("{first}\n{}{rest}", format_hook_lines()), None)
        }
        ExistingHook::Program => {
            let before = hook.with_file_name(BEFORE);
            fs::create_dir_all(&before)?;
            let kept = before.join(NAME);
            if kept.exists() {
                let kept = kept.display();
                return Err(io::Error::other(format!("'{kept}' is in the way")));
            }
            fs::rename(hook, &kept)?;
            write(format_hook_wrapper(), EXECUTABLE).inspect_err(|_| {
                let _ = fs::rename(&kept, hook);
            })
        }
        _ => write(format_standalone_hook(), EXECUTABLE),
    }
}

fn remove_commit_hook(hook: &Path, found: &ExistingHook, draw: u128) -> io::Result<()> {
    match found {
        ExistingHook::Wrapped => {
            let before = hook.with_file_name(BEFORE);
            fs::rename(before.join(NAME), hook)?;
            fs::remove_dir(before)
        }
        ExistingHook::Script(text) if *text == format_standalone_hook() => fs::remove_file(hook),
        ExistingHook::Script(text) => {
            let text = text.replacen(&format_hook_lines(), "", 1);
            write_file_atomically(hook, text.as_bytes(), None, draw)
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_executable_hook(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable_hook(_: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_known_by_the_first_line() {
        let check =
            |line: &str, expected: bool| assert_eq!(is_shell_shebang(line), expected, "{line}");
        check("#!/bin/sh", true);
        check("#!/bin/sh -e", true);
        check("#!/usr/bin/env bash", true);
        check("#! /usr/local/bin/zsh", true);
        check("#!/usr/bin/env python3", false);
        check("#!/usr/bin/python", false);
        check("echo hi", false);
        check("", false);
    }
}
