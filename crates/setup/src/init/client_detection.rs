//! Which clients are in use: by their marks in the repository, their folders in the home, or their programs.

use apostille_agents::client::Client;
use apostille_agents::clients::{ClientProfile, list_client_profiles};

use super::program::find_program_on_path;
use super::scope::{ClientHomes, InitScope};
use apostille_workspace::system::Environment;

/// The clients in use here.
pub fn detect_clients_in_use(env: &Environment, scope: &InitScope) -> Vec<Client> {
    let homes = ClientHomes::from_environment(env);
    let is_used = |it: &&ClientProfile| {
        has_repository_mark(it, scope)
            || has_client_home(it, homes.as_ref())
            || has_client_program(it, env)
    };
    list_client_profiles()
        .filter(is_used)
        .map(|it| it.client)
        .collect()
}

/// Whether a client has left something where its files of a scope are.
pub fn has_client_files(profile: &ClientProfile, scope: &InitScope) -> bool {
    match scope {
        InitScope::Repository(_) => has_repository_mark(profile, scope),
        InitScope::User(homes) => has_client_home(profile, Some(homes)),
    }
}

fn has_repository_mark(profile: &ClientProfile, scope: &InitScope) -> bool {
    let mut marks = profile.settings.marks.iter();
    match scope {
        InitScope::Repository(_) => marks.any(|it| scope.root().join(it).exists()),
        InitScope::User(_) => false,
    }
}

fn has_client_home(profile: &ClientProfile, homes: Option<&ClientHomes>) -> bool {
    homes.is_some_and(|it| it.user_files(profile.client).folder.is_dir())
}

fn has_client_program(profile: &ClientProfile, env: &Environment) -> bool {
    let folders = env.get("PATH").map(AsRef::as_ref);
    let mut programs = profile.settings.programs.iter();
    programs.any(|it| find_program_on_path(it, folders).is_some())
}
