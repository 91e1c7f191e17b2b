//! `init`: registers the server and the hooks with the agents in use, and takes it all back.
//!
//! A plan is made first, of bytes in and bytes out; then it is shown, somebody agrees, and it is carried out whole.

mod disk;
mod excerpt;
mod find;
mod kept;
mod plan;
mod program;
pub mod scope;
mod show;
mod turn;
mod undo;

use std::fs;
use std::io::Write as _;

use anyhow::anyhow;
use apostille_agents::client::Client;
use apostille_agents::clients::profile;
use apostille_agents::settings::layout::RulesNote;
use apostille_agents::settings::part;
use apostille_agents::settings::program::{NAME, Program};

use crate::args::Init;
use crate::paint::{DIM, ink};
use crate::shell::{self, Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::place::Place;

pub use disk::text;
pub use find::{in_use, is_marked};
pub use program::{first, is_same};

use disk::Change;
use plan::{Action, Step};
use scope::{Homes, Repository, Scope, Wanted};
use show::Reply;
use turn::Turn;

/// Sets the agents up, or takes it back.
pub fn run(shell: &Shell, args: &Init) -> Result<Answer, Fault> {
    let scope = scope(shell, args.user)?;
    if args.undo {
        undone(shell, args, &scope)
    } else {
        done(shell, args, &scope)
    }
}

/// Whose files.
fn scope(shell: &Shell, is_user: bool) -> Result<Scope, Fault> {
    if is_user {
        let homes = Homes::of(&shell.world.env);
        return homes
            .map(Scope::User)
            .ok_or_else(|| Fault::config("this user has no home folder"));
    }
    here(&shell.place()?).ok_or_else(|| {
        Fault::usage("this folder is in no repository")
            .hint("go to one, or say --user to set up your own files for every repository")
    })
}

/// The repository that a place belongs to, if it has files.
pub fn here(place: &Place) -> Option<Scope> {
    let checkout = place.checkout.as_ref()?;
    let (root, git) = (checkout.root()?.to_path_buf(), checkout.common_dir());
    let git = fs::canonicalize(git).unwrap_or_else(|_| git.to_path_buf());
    Some(Scope::Repository(Repository { root, git }))
}

fn done(shell: &Shell, args: &Init, scope: &Scope) -> Result<Answer, Fault> {
    let clients = match args.clients.as_slice() {
        [] => in_use(&shell.world.env, scope),
        named => Client::ALL
            .iter()
            .copied()
            .filter(|it| named.contains(it))
            .collect(),
    };
    let folders = shell.world.env.get("PATH").map(AsRef::as_ref);
    let program = program::find(&shell.world.program()?, folders);
    let wanted = Wanted {
        mcp: !args.no_mcp,
        hooks: !args.no_hooks,
        rules: !args.no_rules,
        shared: args.shared,
    };
    let make = || Ok(plan::plan(scope, scope.wishes(&clients, wanted), &program));
    let turn = turn(shell, args)?;
    let steps = make()?;
    let nameless = if args.shared { nameless(shell)? } else { None };
    if let Some(told) = &nameless {
        // Said before anything is written, also where nobody is asked.
        let told = shell.paint.wrapped(&format!("warning: {told}"), 0);
        let _ = shell::write(std::io::stderr().lock(), &told, shell.flags.color);
    }
    let mut notes = notes(scope, &clients, &program, wanted);
    notes.extend(if args.shared {
        Some(nameless.unwrap_or_else(|| TOGETHER.into()))
    } else {
        None
    });
    let act = |steps: &[Step]| {
        let (_turn, changes) = still(shell, turn, steps, make)?;
        let run = kept::keep(&shell.world, scope, &changes)?;
        disk::apply(&changes).map_err(|failed| {
            if failed.is_taken_back {
                run.forget();
            }
            Fault::internal(failed.cause)
        })
    };
    let clients = clients.clone();
    let page = Page {
        shell,
        args,
        scope,
        clients,
        steps,
        notes,
        outcome: "written",
    };
    page.answer(act)
}

fn undone(shell: &Shell, args: &Init, scope: &Scope) -> Result<Answer, Fault> {
    let turn = turn(shell, args)?;
    let runs = kept::runs(&shell.world, scope)?;
    let steps = undo::plan(scope, &runs)?;
    let is_whole = steps.iter().all(|it| it.action != Action::Refused);
    let make = || undo::plan(scope, &kept::runs(&shell.world, scope)?);
    let act = |steps: &[Step]| {
        let (_turn, changes) = still(shell, turn, steps, make)?;
        disk::apply(&changes).map_err(|failed| Fault::internal(failed.cause))?;
        disk::prune(&undo::made(&runs));
        // What could not be taken back yet is still needed.
        runs.iter().filter(|_| is_whole).for_each(kept::Run::forget);
        Ok(())
    };
    let page = Page {
        shell,
        args,
        scope,
        clients: Vec::new(),
        steps,
        notes: Vec::new(),
        outcome: "undone",
    };
    page.answer(act)
}

/// The turn of a run that asks nobody, from the first look on. Nobody else waits while a person thinks.
fn turn(shell: &Shell, args: &Init) -> Result<Option<Turn>, Fault> {
    (args.yes && !args.dry_run)
        .then(|| turn::taken(&shell.world))
        .transpose()
}

/// The changes, if they are still what was shown once it is this run's turn.
fn still(
    shell: &Shell,
    turn: Option<Turn>,
    steps: &[Step],
    make: impl FnOnce() -> Result<Vec<Step>, Fault>,
) -> Result<(Turn, Vec<Change>), Fault> {
    let changes = |steps: &[Step]| {
        steps
            .iter()
            .filter_map(|it| it.change.clone())
            .collect::<Vec<_>>()
    };
    let turn = match turn {
        Some(turn) => turn,
        None => turn::taken(&shell.world)?,
    };
    match changes(&make()?) == changes(steps) {
        true => Ok((turn, changes(steps))),
        false => Err(Fault::internal(anyhow!(
            "somebody changed these files meanwhile; try again"
        ))),
    }
}

/// What a team does with the files that sharing needs.
const TOGETHER: &str = "commit apostille.toml, .gitattributes and .gitignore: everybody with a clone then shares what is \
    remembered about this repository, and reviews it like code. What you remembered before stays in your own store; \
    docs/sharing.md says how to bring it along";

/// Why what is shared here would reach nobody: the repository's name is one of this machine only.
fn nameless(shell: &Shell) -> Result<Option<String>, Fault> {
    let name = shell.settings(&shell.place()?)?.repo.value;
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
fn notes(scope: &Scope, clients: &[Client], program: &Program, wanted: Wanted) -> Vec<String> {
    let mut notes = Vec::new();
    let is_named = wanted.mcp || wanted.hooks;
    if is_named && !program.is_on_path() {
        notes.push(format!(
            "`{NAME}` is not on your PATH, so the files name it as {}: on another machine that is another place",
            program.command()
        ));
    }
    for profile in clients.iter().map(|it| profile(*it)) {
        let (client, settings) = (profile.client, &profile.settings);
        let here = matches!(scope, Scope::Repository(_)).then_some(settings.trust_note);
        let hooks = settings.hooks_note.filter(|_| wanted.hooks);
        let both = here.into_iter().chain(hooks);
        notes.extend(both.map(|it| format!("{client} {it}")));
    }
    for profile in clients.iter().map(|it| profile(*it)) {
        let note = profile.settings.rules_note.as_ref();
        let note = note.filter(|it| wanted.rules && !reads_rules(scope, profile.client, it));
        notes.extend(note.map(|it| it.text.to_owned()));
    }
    notes
}

/// Whether a client reads instructions here that have the block of rules, or are the user's own.
fn reads_rules(scope: &Scope, client: Client, note: &RulesNote) -> bool {
    let Scope::Repository(Repository { root, .. }) = scope else {
        return true;
    };
    let path = scope.files(client).0;
    let settings = disk::text(&path, scope.bounds(&path))
        .ok()
        .flatten()
        .and_then(|it| part::value(&it));
    root.join(note.file).exists() || settings.is_some_and(|it| (note.is_settled)(&it))
}

/// A plan on its way to an answer.
struct Page<'a> {
    shell: &'a Shell,
    args: &'a Init,
    scope: &'a Scope,
    clients: Vec<Client>,
    steps: Vec<Step>,
    notes: Vec<String>,
    outcome: &'static str,
}

impl Page<'_> {
    /// Shows, asks, acts.
    fn answer(self, act: impl FnOnce(&[Step]) -> Result<(), Fault>) -> Result<Answer, Fault> {
        let is_refused = self.steps.iter().any(|it| it.action == Action::Refused);
        let code = if is_refused {
            error::REFUSED
        } else {
            error::OK
        };
        if !self.steps.iter().any(|it| it.change.is_some()) {
            return Ok(self.nothing(if is_refused { code } else { self.idle() }));
        }
        if self.args.dry_run {
            return Ok(self.told(code, "planned", show::planned(self.scope, &self.steps)));
        }
        match self.is_agreed() {
            None => {
                let answer = self.told(
                    error::USAGE,
                    "planned",
                    show::planned(self.scope, &self.steps),
                );
                let err = "nothing was written: there is nobody to ask, so say --yes\n".to_owned();
                Ok(Answer { err, ..answer })
            }
            Some(false) => {
                Ok(self.told(error::NOTHING, "declined", "nothing was written\n".into()))
            }
            Some(true) => {
                act(&self.steps)?;
                let text = show::done(self.scope, &self.steps) + &self.next();
                Ok(self.told(code, self.outcome, text))
            }
        }
    }

    /// Whether a person agrees; nothing, where there is none to ask.
    fn is_agreed(&self) -> Option<bool> {
        let terminal = self.shell.world.terminal;
        if self.args.yes {
            return Some(true);
        }
        if !(terminal.stdin && terminal.stderr) {
            return None;
        }
        let ask = show::planned(self.scope, &self.steps) + "write this? [y/N] ";
        let mut stream = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto);
        let _ = stream.write_all(ask.as_bytes());
        Some(matches!(
            self.shell.world.read_line().trim(),
            "y" | "Y" | "yes"
        ))
    }

    /// The exit code when there is nothing to do: no agent at all is "nothing found".
    fn idle(&self) -> u8 {
        if self.clients.is_empty() && !self.args.undo && !self.args.shared {
            error::NOTHING
        } else {
            error::OK
        }
    }

    fn nothing(&self, code: u8) -> Answer {
        let refused = show::done(self.scope, &self.steps);
        let text = match code {
            error::NOTHING => "no agent was found; name one, as in --client claude-code\n",
            _ if self.args.undo => "nothing to undo\n",
            _ => "nothing to change\n",
        };
        self.told(code, "nothing", format!("{refused}{text}"))
    }

    /// What to do next.
    fn next(&self) -> String {
        if self.args.undo {
            return String::new();
        }
        let user = if self.args.user { " --user" } else { "" };
        let notes: String = self
            .notes
            .iter()
            .map(|it| self.shell.paint.wrapped(&format!("- {it}"), 0))
            .collect();
        let end = format!(
            "`apostille doctor` tries it out, `apostille init{user} --undo` takes it back\n"
        );
        format!("\n{notes}{}", ink(DIM, end))
    }

    fn told(&self, code: u8, outcome: &'static str, text: String) -> Answer {
        let notes = if outcome == "nothing" || self.args.undo {
            Vec::new()
        } else {
            self.notes.clone()
        };
        let json = Reply {
            ok: code == error::OK,
            outcome,
            scope: self.scope.as_str(),
            clients: show::words(&self.clients),
            files: show::views(self.scope, &self.steps),
            notes,
        };
        self.shell.answer(code, &json, |_| text)
    }
}
