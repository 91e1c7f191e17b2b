//! `task hooks`: the git hook that adds the trailers, beside whatever hook is there.
//!
//! It is `commit-msg`, which runs after the editor: a message that was left empty stays empty, and git gives the commit
//! up as it should. A shell script gets two marked lines behind its first one, so that its own last word stays the last.
//! Any other program is kept under its own name in a folder beside, and called first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::args::TaskHooks;
use crate::paint::{CYAN, DIM, GREEN, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::disk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::place::Place;

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

#[derive(Serialize)]
struct Reply {
    ok: bool,
    outcome: &'static str,
    path: String,
    installed: bool,
    /// Why nothing was written, and what to add by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add: Option<&'static str>,
}

/// What is to be found at the hook's place.
enum Found {
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
pub fn run(shell: &Shell, args: TaskHooks) -> Result<Answer, Fault> {
    let place = shell.place()?;
    let hook = match hook(shell, &place)? {
        Ok(hook) => hook,
        Err((path, why)) => return Ok(by_hand(shell, args, &path, &why)),
    };
    let found = found(&hook).map_err(|error| broken(&hook, &error))?;
    if let Found::Strange(why) = found {
        return Ok(by_hand(shell, args, &hook, why));
    }
    let (is_ours, draw) = (is_installed(&found), (shell.world.random())());
    let done = match args {
        TaskHooks { install: true, .. } if !is_ours => {
            install(&hook, &found, draw).map(|()| "installed")
        }
        TaskHooks { install: true, .. } => Ok("already installed"),
        TaskHooks { remove: true, .. } if is_ours => {
            remove(&hook, &found, draw).map(|()| "removed")
        }
        _ if is_ours => Ok("installed"),
        _ => Ok("not installed"),
    };
    let outcome = done.map_err(|error| broken(&hook, &error))?;
    let json = Reply {
        ok: true,
        outcome,
        path: hook.display().to_string(),
        installed: outcome.ends_with("installed") && outcome != "not installed",
        why: None,
        add: None,
    };
    Ok(shell.answer(error::OK, &json, |_| {
        let way = if json.installed {
            ""
        } else {
            "  (apostille task hooks --install)"
        };
        let what = if outcome == "removed" {
            taken(&found)
        } else {
            ("", "")
        };
        let path = one_line(&json.path);
        format!(
            "{}{} {path}{}{}\n",
            ink(GREEN, outcome),
            what.0,
            what.1,
            ink(DIM, way)
        )
    }))
}

fn broken(path: &Path, error: &io::Error) -> Fault {
    Fault::usage(format!("cannot change '{}': {error}", path.display()))
}

/// Where the hook belongs; or the file that a person should change, and why this program does not.
fn hook(shell: &Shell, place: &Place) -> Result<Result<PathBuf, (PathBuf, String)>, Fault> {
    let Some(checkout) = &place.checkout else {
        return Err(Fault::usage(
            "there are no git hooks outside a git repository",
        ));
    };
    let env = &shell.world.env;
    let folder = checkout.hooks_dir(&env.git_configs(), env.home().as_deref());
    if folder.ends_with(".husky/_") {
        let file = folder.parent().unwrap_or(&folder).join(NAME);
        return Ok(Err((
            file,
            "husky runs the hooks here, and its files are committed".into(),
        )));
    }
    let is_link = fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink());
    if is_link || !folder.starts_with(checkout.common_dir()) {
        let why =
            "core.hooksPath leads out of git's own folder, to files that are shared or committed";
        return Ok(Err((folder.join(NAME), why.into())));
    }
    Ok(Ok(folder.join(NAME)))
}

fn by_hand(shell: &Shell, args: TaskHooks, path: &Path, why: &str) -> Answer {
    let is_there = fs::read_to_string(path).is_ok_and(|it| it.contains("apostille task trailers"));
    let (outcome, code) = match (is_there, args.install) {
        (true, _) => ("installed", error::OK),
        (false, true) => ("not installed", error::REFUSED),
        (false, false) => ("not installed", error::OK),
    };
    let json = Reply {
        ok: code == error::OK,
        outcome,
        path: path.display().to_string(),
        installed: is_there,
        why: Some(why.into()),
        add: Some(CALL),
    };
    let told = format!(
        "{} {}: {why}\n  add this line to {}, behind its first:\n    {}\n",
        ink(YELLOW, "not written:"),
        NAME,
        one_line(&json.path),
        ink(CYAN, CALL)
    );
    let answer = shell.answer(code, &json, |_| {
        if is_there {
            format!("{} {}\n", ink(GREEN, outcome), json.path)
        } else {
            String::new()
        }
    });
    let err = if is_there { String::new() } else { told };
    Answer { err, ..answer }
}

fn found(hook: &Path) -> io::Result<Found> {
    let metadata = match fs::symlink_metadata(hook) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Found::Nothing);
        }
        other => other?,
    };
    if !metadata.is_file() {
        return Ok(Found::Strange(
            "the hook is a link, and what it points to may be committed",
        ));
    }
    if !is_executable(&metadata) {
        return Ok(Found::Strange(
            "there is a hook that is switched off (not executable)",
        ));
    }
    let bytes = fs::read(hook)?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(Found::Program);
    };
    if text == wrapper() && hook.with_file_name(BEFORE).join(NAME).exists() {
        return Ok(Found::Wrapped);
    }
    let is_script = is_shell(text.lines().next().unwrap_or_default());
    Ok(
        if is_script && text.contains('\n') && !text.contains('\r') {
            Found::Script(text)
        } else {
            Found::Program
        },
    )
}

fn is_installed(found: &Found) -> bool {
    match found {
        Found::Wrapped => true,
        Found::Script(text) => text.lines().any(|it| it == MARK),
        _ => false,
    }
}

/// Whether the first line of a script names a shell: `#!/bin/sh -e`, `#!/usr/bin/env bash`.
fn is_shell(line: &str) -> bool {
    let Some(command) = line.strip_prefix("#!") else {
        return false;
    };
    let mut words = command.split_whitespace().filter(|it| !it.starts_with('-'));
    let name = |it: &str| it.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    match words.next().map(name).as_deref() {
        Some("env") => words.next().is_some_and(|it| SHELLS.contains(&it)),
        Some(other) => SHELLS.contains(&other),
        None => false,
    }
}

fn lines() -> String {
    format!("{MARK}\n{CALL}\n")
}

fn alone() -> String {
    format!("{SHELL}\n{}", lines())
}

fn wrapper() -> String {
    format!("{SHELL}\n{FIRST}\n{}", lines())
}

fn install(hook: &Path, found: &Found, draw: u128) -> io::Result<()> {
    match found {
        Found::Script(text) => {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            disk::put(
                hook,
                format!("{first}\n{}{rest}", lines()).as_bytes(),
                None,
                draw,
            )
        }
        Found::Program => {
            let before = hook.with_file_name(BEFORE);
            fs::create_dir_all(&before)?;
            let kept = before.join(NAME);
            if kept.exists() {
                return Err(io::Error::other(format!(
                    "'{}' is in the way",
                    kept.display()
                )));
            }
            fs::rename(hook, &kept)?;
            disk::put(hook, wrapper().as_bytes(), EXECUTABLE, draw).inspect_err(|_| {
                let _ = fs::rename(&kept, hook);
            })
        }
        _ => disk::put(hook, alone().as_bytes(), EXECUTABLE, draw),
    }
}

/// What of the hook is taken out, and what stays: the words before its path and behind it.
fn taken(found: &Found) -> (&'static str, &'static str) {
    match found {
        Found::Wrapped => (
            " what was put around",
            ", and the program that was there is back",
        ),
        Found::Script(text) if *text != alone() => {
            (" two lines from", ", and the rest of it stays")
        }
        _ => ("", ""),
    }
}

fn remove(hook: &Path, found: &Found, draw: u128) -> io::Result<()> {
    match found {
        Found::Wrapped => {
            let before = hook.with_file_name(BEFORE);
            fs::rename(before.join(NAME), hook)?;
            fs::remove_dir(before)
        }
        Found::Script(text) if *text == alone() => fs::remove_file(hook),
        Found::Script(text) => {
            disk::put(hook, text.replacen(&lines(), "", 1).as_bytes(), None, draw)
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_known_by_the_first_line() {
        let check = |line: &str, expected: bool| assert_eq!(is_shell(line), expected, "{line}");
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
