//! Which clients are in use: by their marks in the repository, their folders in the home, or their programs.

use apostille_agents::client::Client;
use apostille_agents::clients::{ClientProfile, list_client_profiles};

use super::{
    program::find_program_on_path,
    scope::{ClientHomes, InitScope},
};
use apostille_workspace::system::Environment;

/// The clients in use here.
pub fn detect_clients_in_use(env: &Environment, scope: &InitScope) -> Vec<Client> {
    let homes = ClientHomes::from_environment(env).map(InitScope::User);
    let is_used = |it: &&ClientProfile| {
        let mut programs = it.settings.programs.iter();
        has_client_files(it, scope)
            || homes
                .as_ref()
                .is_some_and(|homes| has_client_files(it, homes))
            || programs.any(|it| find_program_on_path(it, env).is_some())
    };
    list_client_profiles()
        .filter(is_used)
        .map(|it| it.client)
        .collect()
}

/// Whether a client has left something where its files of a scope are.
pub fn has_client_files(profile: &ClientProfile, scope: &InitScope) -> bool {
    let mut marks = profile.settings.marks.iter();
    match scope {
        InitScope::Repository(it) => marks.any(|mark| it.root.join(mark).exists()),
        InitScope::User(homes) => homes.user_files(profile.client).folder.is_dir(),
    }
}
