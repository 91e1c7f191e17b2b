//! Which clients are in use: by their marks in the repository, their folders in the home, or their programs.

use apostille_agents::client::Client;
use apostille_agents::clients::{ClientProfile, profiles};

use super::program::first;
use super::scope::{Homes, Scope};
use apostille_workspace::system::Environment;

/// The clients in use here.
pub fn in_use(env: &Environment, scope: &Scope) -> Vec<Client> {
    let homes = Homes::of(env);
    let is_used = |it: &&ClientProfile| {
        has_mark(it, scope) || has_home(it, homes.as_ref()) || has_program(it, env)
    };
    profiles().filter(is_used).map(|it| it.client).collect()
}

/// Whether a client has left something where its files of a scope are.
pub fn is_marked(profile: &ClientProfile, scope: &Scope) -> bool {
    match scope {
        Scope::Repository(_) => has_mark(profile, scope),
        Scope::User(homes) => has_home(profile, Some(homes)),
    }
}

fn has_mark(profile: &ClientProfile, scope: &Scope) -> bool {
    let mut marks = profile.settings.marks.iter();
    match scope {
        Scope::Repository(_) => marks.any(|it| scope.root().join(it).exists()),
        Scope::User(_) => false,
    }
}

fn has_home(profile: &ClientProfile, homes: Option<&Homes>) -> bool {
    homes.is_some_and(|it| it.files(profile.client).folder.is_dir())
}

fn has_program(profile: &ClientProfile, env: &Environment) -> bool {
    let folders = env.get("PATH").map(AsRef::as_ref);
    let mut programs = profile.settings.programs.iter();
    programs.any(|it| first(it, folders).is_some())
}
