//! Which clients are in use: by their marks in the repository, their folders in the home, or their programs.

use apostille_agents::client::Client;
use apostille_agents::settings::table::{ROWS, Row};

use super::program::first;
use super::scope::{Homes, Scope};
use crate::world::Environment;

/// The clients in use here.
pub fn in_use(env: &Environment, scope: &Scope) -> Vec<Client> {
    let homes = Homes::of(env);
    let is_used =
        |row: &&Row| has_mark(row, scope) || has_home(row, homes.as_ref()) || has_program(row, env);
    ROWS.iter().filter(is_used).map(|it| it.client).collect()
}

/// Whether a client has left something where its files of a scope are.
pub fn is_marked(row: &Row, scope: &Scope) -> bool {
    match scope {
        Scope::Repository(_) => has_mark(row, scope),
        Scope::User(homes) => has_home(row, Some(homes)),
    }
}

fn has_mark(row: &Row, scope: &Scope) -> bool {
    match scope {
        Scope::Repository(_) => row.marks.iter().any(|it| scope.root().join(it).exists()),
        Scope::User(_) => false,
    }
}

fn has_home(row: &Row, homes: Option<&Homes>) -> bool {
    homes.is_some_and(|it| it.of_client(row.client).is_dir())
}

fn has_program(row: &Row, env: &Environment) -> bool {
    let folders = env.get("PATH").map(AsRef::as_ref);
    row.programs.iter().any(|it| first(it, folders).is_some())
}
