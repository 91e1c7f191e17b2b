//! Do the agents get answers? Their own files are read, and what stands there is tried.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_agents::{
    client::Client,
    clients::{ClientProfile, list_client_profiles},
    hook::DEADLINE_MS,
    settings::{hook_line::HookLine, hooks::HooksLayout, program::NAME, server::ServerEntry},
};

use super::{
    DoctorFinding,
    hook_sandbox::{HookSandbox, PATIENCE_MS, TrialCall, TrialResult},
    new_broken_finding, new_doubtful_finding, new_good_finding,
};
use crate::{
    init,
    init::scope::{ClientHomes, InitScope},
};
use apostille_terminal::{
    command_context::CommandContext,
    paint::{flatten_to_line, truncate_to_width},
};
use apostille_workspace::error;

/// What is found in the files of this repository, and in the user's own.
pub(super) fn check_client_setup(ctx: &CommandContext) -> Vec<DoctorFinding> {
    let own = ClientHomes::from_environment(&ctx.system.env).map(InitScope::User);
    let mut findings = Vec::new();
    for scope in init::find_scope_here(ctx).iter().chain(&own) {
        for row in list_client_profiles() {
            let check = ClientCheck { ctx, scope, row };
            findings.extend(check.check_server());
            // The hooks of one client are tried for another that reads them only where that one is there.
            let Some(hooks) = row.settings.hooks else {
                continue;
            };
            if hooks.owner == row.client
                || init::detect_clients_in_use(&ctx.system.env, scope).contains(&row.client)
            {
                findings.extend(check.check_hooks(hooks));
            }
        }
    }
    findings
}

/// The files of a client, looked over.
struct ClientCheck<'a> {
    ctx: &'a CommandContext,
    scope: &'a InitScope,
    row: &'a ClientProfile,
}

impl ClientCheck<'_> {
    /// Whether the server that a client is told of is there.
    fn check_server(&self) -> Option<DoctorFinding> {
        let (scope, client) = (self.scope, self.row.client);
        let path = scope.servers_file(client)?;
        let (server, whose) = scope.server_entry(client);
        let read = scope.read_text(&path);
        let entry = match read.and_then(|it| it.map_or(Ok(None), |it| server.find_in(&it))) {
            Err(why) => return self.report_unreadable("server", &path, &why),
            Ok(entry) => entry?,
        };
        let place = scope.display_path(&path);
        if let Err(doubt) = server.check_entry(&entry, whose) {
            let told = format!("{client}: {doubt} ({place})");
            return Some(new_doubtful_finding("server", told));
        }
        let command = ServerEntry::entry_program(&entry)?;
        Some(match resolve_client_program(self.ctx, command) {
            Ok(program)
                if scope.link_boundary(&path).is_none()
                    || is_trusted_program(self.ctx, command, &program) =>
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
    fn report_unreadable(
        &self,
        what: &'static str,
        path: &Path,
        why: &str,
    ) -> Option<DoctorFinding> {
        let (client, path) = (self.row.client, self.scope.display_path(path));
        let detail = format!("{client}: {path} cannot be read: {why}");
        init::has_client_files(self.row, self.scope)
            .then(|| new_broken_finding(what, error::USAGE, detail))
    }

    /// Whether the hooks of a client answer.
    fn check_hooks(&self, hooks: &'static HooksLayout) -> Vec<DoctorFinding> {
        let client = self.row.client;
        let Some(path) = self.scope.hooks_file(client) else {
            return Vec::new();
        };
        let place = format!("({})", self.scope.display_path(&path));
        let read = self.scope.read_text(&path);
        let lines = match read.and_then(|it| hooks.find_lines(&it.unwrap_or_default())) {
            // One file for both was spoken of already.
            Err(_) if self.scope.servers_file(client).as_ref() == Some(&path) => {
                return Vec::new();
            }
            Err(why) => {
                return Vec::from_iter(self.report_unreadable("hooks", &path, &why));
            }
            Ok(lines) => lines,
        };
        let (mut calls, mut findings) = (Vec::new(), Vec::new());
        findings.extend(self.report_missing_events(hooks, &lines, &place));
        for (event, line) in lines {
            let Some(own_event) = self.row.own_event_name(&event) else {
                continue;
            };
            match self.resolve_trial_call(hooks, &event, own_event, &line) {
                Ok(call) => calls.push(call),
                Err(skipped) => {
                    findings.push(skipped.into_finding(self.row.client, &event, &line, &place));
                }
            }
        }
        findings.extend((!calls.is_empty()).then(|| self.try_hooks(&calls, &place)));
        // One word for all of them is enough.
        findings.dedup_by(|one, other| one.state == other.state && one.detail == other.detail);
        findings
    }

    /// The events that a file with hooks of ours lacks: an older version wrote it.
    fn report_missing_events(
        &self,
        hooks: &HooksLayout,
        lines: &[(String, String)],
        place: &str,
    ) -> Option<DoctorFinding> {
        let client = self.row.client;
        let has_event = |event: &str| lines.iter().any(|it| it.0 == event);
        let mut missing = hooks.events.to_vec();
        missing.retain(|it| !has_event(it));
        let is_reported = hooks.owner == client && !lines.is_empty() && !missing.is_empty();
        let names = missing.join(", ");
        let why = format!("{client}: no hook for {names}; `apostille init` adds it {place}");
        is_reported.then(|| new_doubtful_finding("hooks", why))
    }

    /// What may be started for a line: the program that the user's own path names, or this very one. A file that came with
    /// a repository does not choose.
    fn resolve_trial_call(
        &self,
        hooks: &HooksLayout,
        event: &str,
        own_event: &str,
        line: &str,
    ) -> Result<TrialCall, HookSkipReason> {
        let read = HookLine::parse(line)
            .filter(|it| hooks.is_line_for(it, event))
            .ok_or(HookSkipReason::Odd)?;
        let program = resolve_client_program(self.ctx, &read.program)?;
        if !is_trusted_program(self.ctx, &read.program, &program) {
            return Err(HookSkipReason::Other(program));
        }
        let arguments = ["hook", "--client", hooks.owner.as_str(), event];
        Ok(TrialCall {
            event: own_event.to_owned(),
            program,
            arguments: arguments.map(str::to_owned).to_vec(),
        })
    }

    fn try_hooks(&self, calls: &[TrialCall], place: &str) -> DoctorFinding {
        let system = &self.ctx.system;
        let name = format!("apostille-doctor-{:032x}", system.random_source()());
        let folder = system.temp_dir().join(name);
        let room = HookSandbox {
            system,
            folder: &folder,
            row: self.row,
            patience: PATIENCE_MS,
        };
        let tried = fs::create_dir_all(&folder)
            .map_err(|it| it.to_string())
            .and_then(|()| room.seed_memory())
            .and_then(|()| calls.iter().map(|it| room.run_samples(it)).collect());
        let _ = fs::remove_dir_all(&folder);
        let client = self.row.client;
        match tried.map(|it: Vec<_>| it.concat()) {
            Err(why) => {
                new_broken_finding("hooks", error::USAGE, format!("{client}: {why} {place}"))
            }
            Ok(tries) => report_hook_latency(client, &tries, place),
        }
    }
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
                let why = format!("{client}: {event}: `{line}` {why} {place}");
                new_doubtful_finding("hooks", why)
            }
            Self::Missing => {
                let why = format!("{client}: {event}: there is no program as in `{line}` {place}");
                new_broken_finding("hooks", error::USAGE, why)
            }
            Self::Other(path) => {
                let path = path.display();
                let why = format!("{client}: another program: {path}, which was not tried {place}");
                new_doubtful_finding("hooks", why)
            }
        }
    }
}

/// The program that a client would start by this name or path.
fn resolve_client_program(ctx: &CommandContext, command: &str) -> Result<PathBuf, HookSkipReason> {
    let program = match is_bare_command(command) {
        true => init::find_program_on_path(NAME, &ctx.system.env),
        false => Some(PathBuf::from(command)),
    };
    let program = program.filter(|it| it.is_file());
    program.ok_or(HookSkipReason::Missing)
}

/// Whether it is this very program, or one that the user's own path names.
fn is_trusted_program(ctx: &CommandContext, command: &str, program: &Path) -> bool {
    let this = ctx.system.program_path();
    this.is_ok_and(|it| init::is_same_program_file(&it, program))
        || is_bare_command(command) && is_outside_repository(ctx, program)
}

fn is_bare_command(command: &str) -> bool {
    !command.contains(['/', '\\'])
}

/// Whether a program is no part of the repository, nor leads into it.
fn is_outside_repository(ctx: &CommandContext, program: &Path) -> bool {
    let Ok(place) = ctx.find_project_folder() else {
        return false;
    };
    let Some(root) = place.checkout.as_ref().and_then(|it| it.root()) else {
        return true;
    };
    fs::canonicalize(program).is_ok_and(|it| !it.starts_with(root)) && !program.starts_with(root)
}

fn report_hook_latency(client: Client, tries: &[TrialResult], place: &str) -> DoctorFinding {
    let slowest = tries.iter().map(|it| it.ms).max().unwrap_or_default();
    let n = tries.len();
    let answered = format!("{client}: {n} of {n} answered");
    if !tries.iter().any(|it| it.is_told) {
        let why = format!("{answered}, and none told a memory that was there {place}");
        return new_broken_finding("hooks", error::USAGE, why);
    }
    let said = format!("{answered}, slowest {slowest} ms {place}");
    match slowest {
        0..=DEADLINE_MS => new_good_finding("hooks", said),
        _ => {
            let said = format!("{said}; more than {DEADLINE_MS} ms keeps people waiting");
            new_doubtful_finding("hooks", said)
        }
    }
}
