//! `init`: registers the server and the hooks with the agents in use, and takes it all back.
//!
//! A plan is made first, of bytes in and bytes out; then it is shown, somebody agrees, and it is carried out whole.

mod backup;
mod client_detection;
mod excerpt;
mod file_changes;
mod init_lock;
mod other_memories;
mod own_trust;
mod past_sessions;
mod plan;
mod program;
pub mod scope;
mod show;
mod undo;

use std::{
    fs::{self, File},
    io::Write as _,
};

use anyhow::anyhow;
use apostille_agents::{
    client::Client,
    clients::{ClientProfile, find_client_profile},
    settings::{
        layout::RulesNote,
        program::{NAME, ProgramCommand},
        settings_part,
    },
};

use apostille_terminal::{
    args::InitArgs,
    command_context::{CommandContext, CommandOutput, write_styled_text},
    paint::{DIM, style_text},
};
use apostille_workspace::{error, error::CommandError, project_folder::ProjectFolder};

pub use client_detection::{detect_clients_in_use, has_client_files};
pub use program::{find_program_on_path, is_same_program_file};

use file_changes::FileChange;
use plan::{FileAction, InitStep};
use scope::{ClientHomes, InitScope, LocalRepository};
use show::InitReply;

/// Sets the agents up, or takes it back.
pub fn run(ctx: &CommandContext, args: &InitArgs) -> Result<CommandOutput, CommandError> {
    let scope = choose_init_scope(ctx, args.user)?;
    if args.undo {
        undo_client_setup(ctx, args, &scope)
    } else {
        set_up_clients(ctx, args, &scope)
    }
}

/// Whose files.
fn choose_init_scope(ctx: &CommandContext, is_user: bool) -> Result<InitScope, CommandError> {
    if is_user {
        let homes = ClientHomes::from_environment(&ctx.system.env);
        return homes
            .map(InitScope::User)
            .ok_or_else(|| CommandError::config("this user has no home folder"));
    }
    find_repository_scope(&ctx.find_project_folder()?).ok_or_else(|| {
        CommandError::usage("this folder is not in a repository")
            .with_hint("go to one, or say --user to set up your own files for every repository")
    })
}

/// The repository that the command runs in, if there is one.
pub fn find_scope_here(ctx: &CommandContext) -> Option<InitScope> {
    find_repository_scope(&ctx.find_project_folder().ok()?)
}

/// The repository that a place belongs to, if it has files.
fn find_repository_scope(place: &ProjectFolder) -> Option<InitScope> {
    let checkout = place.checkout.as_ref()?;
    let (root, git) = (checkout.root()?.to_path_buf(), checkout.common_dir());
    let git = fs::canonicalize(git).unwrap_or_else(|_| git.to_path_buf());
    Some(InitScope::Repository(LocalRepository { root, git }))
}

fn set_up_clients(
    ctx: &CommandContext,
    args: &InitArgs,
    scope: &InitScope,
) -> Result<CommandOutput, CommandError> {
    let clients = match args.clients.as_slice() {
        [] => detect_clients_in_use(&ctx.system.env, scope),
        named => Client::ALL
            .iter()
            .copied()
            .filter(|it| named.contains(it))
            .collect(),
    };
    let program = program::choose_program_command(&ctx.system)?;
    let make = || {
        Ok(plan::plan_init_steps(
            scope,
            scope.desired_files(&clients, args),
            &program,
        ))
    };
    let turn = lock_unattended_init(ctx, args)?;
    let steps = make()?;
    let mut notes = list_setup_notes(scope, &clients, &program, args);
    notes.extend(past_sessions::offer_past_sessions(&ctx.system.env, scope));
    notes.extend(other_memories::offer_other_memories(&ctx.system.env, scope));
    if args.shared {
        let nameless = warn_on_local_repo_name(ctx)?;
        if let Some(told) = &nameless {
            // Said before anything is written, also where nobody is asked.
            let told = ctx.paint.wrap_text(&format!("warning: {told}"), 0);
            let _ = write_styled_text(std::io::stderr().lock(), &told, ctx.flags.color);
        }
        notes.push(nameless.unwrap_or_else(|| TOGETHER.into()));
        notes.extend(own_trust::warn_on_missing_trust(ctx, args)?.map(Into::into));
    }
    let act = |steps: &[InitStep]| {
        let (_turn, changes) = recheck_planned_changes(ctx, turn, steps, make)?;
        let run = backup::back_up_changes(&ctx.system, scope, &changes)?;
        let author = own_trust::SettingsAuthor::find(ctx, args)?;
        file_changes::apply_file_changes(&changes).map_err(|failed| {
            if failed.is_taken_back {
                run.delete_backup();
            }
            CommandError::internal(failed.cause)
        })?;
        author.map_or(Ok(()), |it| it.trust_written_settings(ctx))
    };
    let page = InitProposal {
        ctx,
        args,
        scope,
        clients: &clients,
        steps,
        notes,
    };
    page.ask_and_apply(act)
}

fn undo_client_setup(
    ctx: &CommandContext,
    args: &InitArgs,
    scope: &InitScope,
) -> Result<CommandOutput, CommandError> {
    let turn = lock_unattended_init(ctx, args)?;
    let runs = backup::list_undoable_runs(&ctx.system, scope)?;
    let steps = undo::plan_undo_steps(scope, &runs)?;
    let make = || undo::plan_undo_steps(scope, &backup::list_undoable_runs(&ctx.system, scope)?);
    let act = |steps: &[InitStep]| {
        let (_turn, changes) = recheck_planned_changes(ctx, turn, steps, make)?;
        file_changes::apply_file_changes(&changes)
            .map_err(|failed| CommandError::internal(failed.cause))?;
        file_changes::remove_empty_folders(&undo::list_created_folders(&runs));
        // What could not be taken back yet is still needed.
        if steps.iter().all(|it| it.action != FileAction::Refused) {
            runs.iter().for_each(backup::InitRun::delete_backup);
        }
        Ok(())
    };
    let page = InitProposal {
        ctx,
        args,
        scope,
        clients: &[],
        steps,
        notes: Vec::new(),
    };
    page.ask_and_apply(act)
}

/// The turn of a run that asks nobody, from the first look on. Nobody else waits while a person thinks.
fn lock_unattended_init(
    ctx: &CommandContext,
    args: &InitArgs,
) -> Result<Option<File>, CommandError> {
    (args.yes && !args.dry_run)
        .then(|| init_lock::acquire_init_lock(&ctx.system))
        .transpose()
}

/// The changes, if they are still what was shown once it is this run's turn.
fn recheck_planned_changes(
    ctx: &CommandContext,
    turn: Option<File>,
    steps: &[InitStep],
    make: impl FnOnce() -> Result<Vec<InitStep>, CommandError>,
) -> Result<(File, Vec<FileChange>), CommandError> {
    let changes = |steps: &[InitStep]| -> Vec<FileChange> {
        steps.iter().filter_map(|it| it.change.clone()).collect()
    };
    let turn = match turn {
        Some(turn) => turn,
        None => init_lock::acquire_init_lock(&ctx.system)?,
    };
    let planned = changes(steps);
    match changes(&make()?) == planned {
        true => Ok((turn, planned)),
        false => Err(CommandError::internal(anyhow!(
            "somebody changed these files meanwhile; try again"
        ))),
    }
}

/// What a team does with the files that sharing needs.
const TOGETHER: &str = "commit apostille.toml, .gitattributes and .gitignore: everybody with a clone then shares what is \
    remembered about this repository, and reviews it like code. What you remembered before stays in your own store; \
    docs/sharing.md says how to bring it along";

/// Why what is shared here would reach nobody: the repository's name is one of this machine only.
fn warn_on_local_repo_name(ctx: &CommandContext) -> Result<Option<String>, CommandError> {
    let name = ctx.resolve_settings(&ctx.find_project_folder()?)?.repo;
    let told = || {
        format!(
            "no remote gives this repository a name, so here it is {name} and every clone calls it something else: what \
             one remembers, the others pass over. Add a remote that all clones have (`git remote add origin URL`), or let \
             everybody set APOSTILLE_REPO=owner/name, also for their agents; docs/sharing.md says more"
        )
    };
    Ok(name.as_str().starts_with("local/").then(told))
}

/// What is left to a person.
fn list_setup_notes(
    scope: &InitScope,
    clients: &[Client],
    program: &ProgramCommand,
    args: &InitArgs,
) -> Vec<String> {
    let mut notes = Vec::new();
    if !(args.no_mcp && args.no_hooks) && program.command() != NAME {
        notes.push(format!(
            "`{NAME}` is not on your PATH, so the files name it as {}: on another machine that is another place",
            program.command()
        ));
    }
    let profiles = || clients.iter().map(|it| find_client_profile(*it));
    let is_here = matches!(scope, InitScope::Repository(_));
    for ClientProfile {
        client, settings, ..
    } in profiles()
    {
        let here = is_here.then_some(settings.trust_note);
        let hooks = settings.hooks_note.filter(|_| !args.no_hooks);
        notes.extend(
            here.into_iter()
                .chain(hooks)
                .map(|it| format!("{client} {it}")),
        );
    }
    for it in profiles().filter(|_| !args.no_rules) {
        let note = it.settings.rules_note.as_ref();
        let note = note.filter(|note| !can_read_rules(scope, it.client, note));
        notes.extend(note.map(|it| it.text.to_owned()));
    }
    notes
}

/// Whether a client reads instructions here that have the block of rules, or are the user's own.
fn can_read_rules(scope: &InitScope, client: Client, note: &RulesNote) -> bool {
    let InitScope::Repository(LocalRepository { root, .. }) = scope else {
        return true;
    };
    let settings = scope
        .servers_file(client)
        .and_then(|it| scope.read_text(&it).ok().flatten());
    let settings = settings.and_then(|it| settings_part::parse_jsonc_value(&it));
    root.join(note.file).exists() || settings.is_some_and(|it| (note.is_settled)(&it))
}

/// A plan on its way to an answer.
struct InitProposal<'a> {
    ctx: &'a CommandContext,
    args: &'a InitArgs,
    scope: &'a InitScope,
    clients: &'a [Client],
    steps: Vec<InitStep>,
    notes: Vec<String>,
}

impl InitProposal<'_> {
    /// Shows, asks, acts.
    fn ask_and_apply(
        self,
        act: impl FnOnce(&[InitStep]) -> Result<(), CommandError>,
    ) -> Result<CommandOutput, CommandError> {
        let is_refused = self.steps.iter().any(|it| it.action == FileAction::Refused);
        let code = if is_refused {
            error::REFUSED
        } else {
            error::OK
        };
        if !self.steps.iter().any(|it| it.change.is_some()) {
            return Ok(self.answer_unchanged(code));
        }
        let plan = show::format_init_plan(self.scope, &self.steps);
        if self.args.dry_run {
            return Ok(self.build_answer(code, "planned", plan));
        }
        match self.ask_for_consent(&plan) {
            None => Ok(CommandOutput {
                err: "nothing was written: there is nobody to ask, so say --yes\n".into(),
                ..self.build_answer(error::USAGE, "planned", plan)
            }),
            Some(false) => {
                Ok(self.build_answer(error::NOTHING, "declined", "nothing was written\n".into()))
            }
            Some(true) => {
                act(&self.steps)?;
                let text =
                    show::format_init_result(self.scope, &self.steps) + &self.format_next_steps();
                let is_undo = self.args.undo;
                let outcome = if is_undo { "undone" } else { "written" };
                Ok(self.build_answer(code, outcome, text))
            }
        }
    }

    /// Whether a person agrees; nothing, where there is none to ask.
    fn ask_for_consent(&self, plan: &str) -> Option<bool> {
        let system = &self.ctx.system;
        if self.args.yes {
            return Some(true);
        }
        if !(system.terminal.stdin && system.terminal.stderr) {
            return None;
        }
        let mut stream = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto);
        let _ = write!(stream, "{plan}write this? [y/N] ");
        Some(matches!(system.read_line().trim(), "y" | "Y" | "yes"))
    }

    /// There is nothing to do: no agent at all is "nothing found".
    fn answer_unchanged(&self, code: u8) -> CommandOutput {
        let InitArgs { undo, shared, .. } = self.args;
        let (code, text) = match code {
            error::OK if self.clients.is_empty() && !undo && !shared => (
                error::NOTHING,
                "no agent was found; name one, as in --client claude-code\n",
            ),
            _ if *undo => (code, "nothing to undo\n"),
            _ => (code, "nothing to change\n"),
        };
        let refused = show::format_init_result(self.scope, &self.steps);
        self.build_answer(code, "nothing", refused + text)
    }

    /// What to do next.
    fn format_next_steps(&self) -> String {
        if self.args.undo {
            return String::new();
        }
        let user = if self.args.user { " --user" } else { "" };
        let note = |it| self.ctx.paint.wrap_text(&format!("- {it}"), 0);
        let notes: String = self.notes.iter().map(note).collect();
        let end = format!(
            "`apostille doctor` tries it out, `apostille init{user} --undo` takes it back\n"
        );
        format!("\n{notes}{}", style_text(DIM, end))
    }

    fn build_answer(&self, code: u8, outcome: &'static str, text: String) -> CommandOutput {
        let json = InitReply {
            ok: code == error::OK,
            outcome,
            scope: self.scope.as_str(),
            clients: show::list_client_names(self.clients),
            files: show::build_init_file_views(self.scope, &self.steps),
            notes: match outcome {
                "nothing" => &[],
                _ => &self.notes,
            },
        };
        self.ctx.render_output(&json, |_| text).with_code(code)
    }
}
