//! Do the agents get answers? Their own files are read, and what stands there is tried.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_agents::client::Client;
use apostille_agents::clients::{ClientProfile, profiles};
use apostille_agents::settings::hooks::find_hook_lines;
use apostille_agents::settings::line::HookLine;
use apostille_agents::settings::program::NAME;

use super::room::{Call, PATIENCE_MS, Room, Try};
use super::{Finding, broken, doubtful, good};
use crate::cmd::hook::DEADLINE_MS;
use crate::cmd::init;
use crate::cmd::init::scope::{Homes, Scope};
use crate::paint::{cut, one_line};
use crate::shell::Shell;
use apostille_workspace::error;

/// What is found in the files of this repository, and in the user's own.
pub fn findings(shell: &Shell) -> Vec<Finding> {
    let here = shell.place().ok().as_ref().and_then(init::here);
    let own = Homes::of(&shell.world.env).map(Scope::User);
    let mut findings = Vec::new();
    for scope in here.iter().chain(&own) {
        for row in profiles() {
            findings.extend(server(shell, scope, row));
            // The hooks of one client are tried for another that reads them only where that one is there.
            if row.settings.hooks.owner == row.client
                || init::in_use(&shell.world.env, scope).contains(&row.client)
            {
                findings.extend(hooks(shell, scope, row));
            }
        }
    }
    findings
}

/// Whether the server that a client is told of is there.
fn server(shell: &Shell, scope: &Scope, row: &ClientProfile) -> Option<Finding> {
    let path = scope.files(row.client).0;
    let read = init::text(&path, scope.bounds(&path));
    let entry =
        read.and_then(|it| it.map_or(Ok(None), |it| scope.server(row.client).0.find_in(&it)));
    let entry = match entry {
        Err(why) => return unread("server", scope, row, &path, &why),
        Ok(entry) => entry?,
    };
    let (client, place) = (row.client, scope.shown(&path));
    let (server, whose) = scope.server(client);
    if let Some(doubt) = server.doubt(&entry, whose) {
        return Some(doubtful("server", format!("{client}: {doubt} ({place})")));
    }
    let command = entry["command"].as_str()?;
    Some(match started(shell, command) {
        Ok(program) if scope.bounds(&path).is_none() || is_trusted(shell, command, &program) => {
            good("server", format!("{client}: {command} ({place})"))
        }
        Ok(program) => doubtful(
            "server",
            format!("{client}: another program: {} ({place})", program.display()),
        ),
        Err(_) => broken(
            "server",
            error::USAGE,
            format!(
                "{client}: there is no program '{command}' ({place}); run `apostille init` again"
            ),
        ),
    })
}

/// A file that cannot be read, where its client is in use.
fn unread(
    what: &'static str,
    scope: &Scope,
    row: &ClientProfile,
    path: &Path,
    why: &str,
) -> Option<Finding> {
    let detail = format!(
        "{}: {} cannot be read: {why}",
        row.client,
        scope.shown(path)
    );
    init::is_marked(row, scope).then(|| broken(what, error::USAGE, detail))
}

/// Whether the hooks of a client answer.
fn hooks(shell: &Shell, scope: &Scope, row: &ClientProfile) -> Vec<Finding> {
    let (servers, path) = scope.files(row.client);
    let place = format!("({})", scope.shown(&path));
    let read = init::text(&path, scope.bounds(&path));
    let lines = match read.and_then(|it| find_hook_lines(&it.unwrap_or_default())) {
        // One file for both was spoken of already.
        Err(_) if servers == path => return Vec::new(),
        Err(why) => {
            return unread("hooks", scope, row, &path, &why)
                .into_iter()
                .collect();
        }
        Ok(lines) => lines,
    };
    let (mut calls, mut findings) = (Vec::new(), Vec::new());
    for (event, line) in lines
        .iter()
        .filter(|(event, _)| row.own_event(event).is_some())
    {
        match call(shell, row, event, line) {
            Ok(call) => calls.push(call),
            Err(untried) => findings.push(untried.finding(row.client, event, line, &place)),
        }
    }
    findings.extend((!calls.is_empty()).then(|| tried(shell, row, &calls, &place)));
    // One word for all of them is enough.
    findings.dedup_by(|one, other| one.state == other.state && one.detail == other.detail);
    findings
}

/// Why a line is not tried.
enum Untried {
    /// It is not one that we write.
    Odd,
    /// There is no such program.
    Missing,
    /// It starts a program that may be anybody's.
    Other(PathBuf),
}

impl Untried {
    fn finding(self, client: Client, event: &str, line: &str, place: &str) -> Finding {
        let line = cut(&one_line(line), 120);
        match self {
            Self::Odd => {
                let why = "is not a line that `apostille init` writes, and was not tried";
                doubtful(
                    "hooks",
                    format!("{client}: {event}: `{line}` {why} {place}"),
                )
            }
            Self::Missing => {
                let why = format!("{client}: {event}: there is no program as in `{line}` {place}");
                broken("hooks", error::USAGE, why)
            }
            Self::Other(path) => {
                let path = path.display();
                doubtful(
                    "hooks",
                    format!("{client}: another program: {path}, which was not tried {place}"),
                )
            }
        }
    }
}

/// What may be started for a line: the program that the user's own path names, or this very one. A file that came with a
/// repository does not choose.
fn call(shell: &Shell, row: &ClientProfile, event: &str, line: &str) -> Result<Call, Untried> {
    let hooks = row.settings.hooks;
    let read = HookLine::read(line)
        .filter(|it| hooks.is_line_for(it, event))
        .ok_or(Untried::Odd)?;
    let program = started(shell, &read.program)?;
    if !is_trusted(shell, &read.program, &program) {
        return Err(Untried::Other(program));
    }
    let arguments = ["hook", "--client", hooks.owner.as_str(), event]
        .map(str::to_owned)
        .to_vec();
    let event = row.own_event(event).unwrap_or(event).to_owned();
    Ok(Call {
        event,
        program,
        arguments,
    })
}

/// The program that a client would start by this name or path.
fn started(shell: &Shell, command: &str) -> Result<PathBuf, Untried> {
    let folders = shell.world.env.get("PATH").map(AsRef::as_ref);
    let program = match is_bare(command) {
        true => init::first(NAME, folders),
        false => Some(PathBuf::from(command)),
    };
    program.filter(|it| it.is_file()).ok_or(Untried::Missing)
}

/// Whether it is this very program, or one that the user's own path names.
fn is_trusted(shell: &Shell, command: &str, program: &Path) -> bool {
    let is_this = shell
        .world
        .program()
        .is_ok_and(|it| init::is_same(&it, program));
    is_this || is_bare(command) && is_outside(shell, program)
}

fn is_bare(command: &str) -> bool {
    !command.contains(['/', '\\'])
}

/// Whether a program is no part of the repository, nor leads into it.
fn is_outside(shell: &Shell, program: &Path) -> bool {
    let Ok(place) = shell.place() else {
        return false;
    };
    let Some(root) = place.checkout.as_ref().and_then(|it| it.root()) else {
        return true;
    };
    let Ok(target) = fs::canonicalize(program) else {
        return false;
    };
    !target.starts_with(root) && !program.starts_with(root)
}

fn tried(shell: &Shell, row: &ClientProfile, calls: &[Call], place: &str) -> Finding {
    let folder = shell
        .world
        .temp_dir()
        .join(format!("apostille-doctor-{:032x}", shell.world.random()()));
    let tried = fs::create_dir_all(&folder)
        .map_err(|it| it.to_string())
        .and_then(|()| {
            let room = Room {
                world: &shell.world,
                folder: &folder,
                row,
                patience: PATIENCE_MS,
            };
            room.furnished()?;
            calls
                .iter()
                .map(|it| room.tried(it))
                .collect::<Result<Vec<_>, _>>()
        });
    let _ = fs::remove_dir_all(&folder);
    match tried {
        Err(why) => broken(
            "hooks",
            error::USAGE,
            format!("{}: {why} {place}", row.client),
        ),
        Ok(tries) => timed(row.client, &tries.concat(), place),
    }
}

fn timed(client: Client, tries: &[Try], place: &str) -> Finding {
    let slowest = tries.iter().map(|it| it.ms).max().unwrap_or_default();
    let n = tries.len();
    if !tries.iter().any(|it| it.is_told) {
        let why =
            format!("{client}: {n} of {n} answered, and none told a memory that was there {place}");
        return broken("hooks", error::USAGE, why);
    }
    let said = format!("{client}: {n} of {n} answered, slowest {slowest} ms {place}");
    match slowest {
        0..=DEADLINE_MS => good("hooks", said),
        _ => doubtful(
            "hooks",
            format!("{said}; more than {DEADLINE_MS} ms keeps people waiting"),
        ),
    }
}
