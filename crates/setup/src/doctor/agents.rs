//! Do the agents get answers? Their own files are read, and what stands there is tried.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_agents::client::Client;
use apostille_agents::clients::{ClientProfile, list_client_profiles};
use apostille_agents::settings::hook_line::HookLine;
use apostille_agents::settings::hooks::find_hook_lines;
use apostille_agents::settings::program::NAME;

use super::hook_sandbox::{HookSandbox, PATIENCE_MS, TrialCall, TrialResult};
use super::{DoctorFinding, new_broken_finding, new_doubtful_finding, new_good_finding};
use crate::init;
use crate::init::scope::{ClientHomes, InitScope};
use apostille_agents::hook::DEADLINE_MS;
use apostille_terminal::command_context::CommandContext;
use apostille_terminal::paint::{flatten_to_line, truncate_to_width};
use apostille_workspace::error;

/// What is found in the files of this repository, and in the user's own.
pub(super) fn check_client_setup(shell: &CommandContext) -> Vec<DoctorFinding> {
    let here = shell
        .find_project_folder()
        .ok()
        .as_ref()
        .and_then(init::find_repository_scope);
    let own = ClientHomes::from_environment(&shell.world.env).map(InitScope::User);
    let mut findings = Vec::new();
    for scope in here.iter().chain(&own) {
        for row in list_client_profiles() {
            findings.extend(check_client_server(shell, scope, row));
            // The hooks of one client are tried for another that reads them only where that one is there.
            if row.settings.hooks.owner == row.client
                || init::detect_clients_in_use(&shell.world.env, scope).contains(&row.client)
            {
                findings.extend(check_client_hooks(shell, scope, row));
            }
        }
    }
    findings
}

/// Whether the server that a client is told of is there.
fn check_client_server(
    shell: &CommandContext,
    scope: &InitScope,
    row: &ClientProfile,
) -> Option<DoctorFinding> {
    let path = scope.client_files(row.client).0;
    let read = init::read_settings_text(&path, scope.link_boundary(&path));
    let entry =
        read.and_then(|it| it.map_or(Ok(None), |it| scope.server_entry(row.client).0.find_in(&it)));
    let entry = match entry {
        Err(why) => return report_unreadable_settings("server", scope, row, &path, &why),
        Ok(entry) => entry?,
    };
    let (client, place) = (row.client, scope.display_path(&path));
    let (server, whose) = scope.server_entry(client);
    if let Err(doubt) = server.check_entry(&entry, whose) {
        return Some(new_doubtful_finding(
            "server",
            format!("{client}: {doubt} ({place})"),
        ));
    }
    let command = entry["command"].as_str()?;
    Some(match resolve_client_program(shell, command) {
        Ok(program)
            if scope.link_boundary(&path).is_none()
                || is_trusted_program(shell, command, &program) =>
        {
            new_good_finding("server", format!("{client}: {command} ({place})"))
        }
        Ok(program) => new_doubtful_finding(
            "server",
            format!("{client}: another program: {} ({place})", program.display()),
        ),
        Err(_) => new_broken_finding(
            "server",
            error::USAGE,
            format!(
                "{client}: there is no program '{command}' ({place}); run `apostille init` again"
            ),
        ),
    })
}

/// A file that cannot be read, where its client is in use.
fn report_unreadable_settings(
    what: &'static str,
    scope: &InitScope,
    row: &ClientProfile,
    path: &Path,
    why: &str,
) -> Option<DoctorFinding> {
    let detail = format!(
        "{}: {} cannot be read: {why}",
        row.client,
        scope.display_path(path)
    );
    init::has_client_files(row, scope).then(|| new_broken_finding(what, error::USAGE, detail))
}

/// Whether the hooks of a client answer.
fn check_client_hooks(
    shell: &CommandContext,
    scope: &InitScope,
    row: &ClientProfile,
) -> Vec<DoctorFinding> {
    let (servers, path) = scope.client_files(row.client);
    let place = format!("({})", scope.display_path(&path));
    let read = init::read_settings_text(&path, scope.link_boundary(&path));
    let lines = match read.and_then(|it| find_hook_lines(&it.unwrap_or_default())) {
        // One file for both was spoken of already.
        Err(_) if servers == path => return Vec::new(),
        Err(why) => {
            return report_unreadable_settings("hooks", scope, row, &path, &why)
                .into_iter()
                .collect();
        }
        Ok(lines) => lines,
    };
    let (mut calls, mut findings) = (Vec::new(), Vec::new());
    for (event, line) in lines
        .iter()
        .filter(|(event, _)| row.own_event_name(event).is_some())
    {
        match resolve_trial_call(shell, row, event, line) {
            Ok(call) => calls.push(call),
            Err(untried) => findings.push(untried.into_finding(row.client, event, line, &place)),
        }
    }
    findings.extend((!calls.is_empty()).then(|| try_client_hooks(shell, row, &calls, &place)));
    // One word for all of them is enough.
    findings.dedup_by(|one, other| one.state == other.state && one.detail == other.detail);
    findings
}

/// Why a line is not tried.
enum HookSkipReason {
    /// It is not one that we write.
    Odd,
    /// There is no such program.
    Missing,
    /// It starts a program that may be anybody's.
    Other(PathBuf),
}

impl HookSkipReason {
    fn into_finding(self, client: Client, event: &str, line: &str, place: &str) -> DoctorFinding {
        let line = truncate_to_width(&flatten_to_line(line), 120);
        match self {
            Self::Odd => {
                let why = "is not a line that `apostille init` writes, and was not tried";
                new_doubtful_finding(
                    "hooks",
                    format!("{client}: {event}: `{line}` {why} {place}"),
                )
            }
            Self::Missing => {
                let why = format!("{client}: {event}: there is no program as in `{line}` {place}");
                new_broken_finding("hooks", error::USAGE, why)
            }
            Self::Other(path) => {
                let path = path.display();
                new_doubtful_finding(
                    "hooks",
                    format!("{client}: another program: {path}, which was not tried {place}"),
                )
            }
        }
    }
}

/// What may be started for a line: the program that the user's own path names, or this very one. A file that came with a
/// repository does not choose.
fn resolve_trial_call(
    shell: &CommandContext,
    row: &ClientProfile,
    event: &str,
    line: &str,
) -> Result<TrialCall, HookSkipReason> {
    let hooks = row.settings.hooks;
    let read = HookLine::parse(line)
        .filter(|it| hooks.is_line_for(it, event))
        .ok_or(HookSkipReason::Odd)?;
    let program = resolve_client_program(shell, &read.program)?;
    if !is_trusted_program(shell, &read.program, &program) {
        return Err(HookSkipReason::Other(program));
    }
    let arguments = ["hook", "--client", hooks.owner.as_str(), event]
        .map(str::to_owned)
        .to_vec();
    let event = row.own_event_name(event).unwrap_or(event).to_owned();
    Ok(TrialCall {
        event,
        program,
        arguments,
    })
}

/// The program that a client would start by this name or path.
fn resolve_client_program(
    shell: &CommandContext,
    command: &str,
) -> Result<PathBuf, HookSkipReason> {
    let folders = shell.world.env.get("PATH").map(AsRef::as_ref);
    let program = match is_bare_command(command) {
        true => init::find_program_on_path(NAME, folders),
        false => Some(PathBuf::from(command)),
    };
    program
        .filter(|it| it.is_file())
        .ok_or(HookSkipReason::Missing)
}

/// Whether it is this very program, or one that the user's own path names.
fn is_trusted_program(shell: &CommandContext, command: &str, program: &Path) -> bool {
    let is_this = shell
        .world
        .program_path()
        .is_ok_and(|it| init::is_same_program_file(&it, program));
    is_this || is_bare_command(command) && is_outside_repository(shell, program)
}

fn is_bare_command(command: &str) -> bool {
    !command.contains(['/', '\\'])
}

/// Whether a program is no part of the repository, nor leads into it.
fn is_outside_repository(shell: &CommandContext, program: &Path) -> bool {
    let Ok(place) = shell.find_project_folder() else {
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

fn try_client_hooks(
    shell: &CommandContext,
    row: &ClientProfile,
    calls: &[TrialCall],
    place: &str,
) -> DoctorFinding {
    let folder = shell.world.temp_dir().join(format!(
        "apostille-doctor-{:032x}",
        shell.world.random_source()()
    ));
    let tried = fs::create_dir_all(&folder)
        .map_err(|it| it.to_string())
        .and_then(|()| {
            let room = HookSandbox {
                world: &shell.world,
                folder: &folder,
                row,
                patience: PATIENCE_MS,
            };
            room.seed_memory()?;
            calls
                .iter()
                .map(|it| room.run_samples(it))
                .collect::<Result<Vec<_>, _>>()
        });
    let _ = fs::remove_dir_all(&folder);
    match tried {
        Err(why) => new_broken_finding(
            "hooks",
            error::USAGE,
            format!("{}: {why} {place}", row.client),
        ),
        Ok(tries) => report_hook_latency(row.client, &tries.concat(), place),
    }
}

fn report_hook_latency(client: Client, tries: &[TrialResult], place: &str) -> DoctorFinding {
    let slowest = tries.iter().map(|it| it.ms).max().unwrap_or_default();
    let n = tries.len();
    if !tries.iter().any(|it| it.is_told) {
        let why =
            format!("{client}: {n} of {n} answered, and none told a memory that was there {place}");
        return new_broken_finding("hooks", error::USAGE, why);
    }
    let said = format!("{client}: {n} of {n} answered, slowest {slowest} ms {place}");
    match slowest {
        0..=DEADLINE_MS => new_good_finding("hooks", said),
        _ => new_doubtful_finding(
            "hooks",
            format!("{said}; more than {DEADLINE_MS} ms keeps people waiting"),
        ),
    }
}
