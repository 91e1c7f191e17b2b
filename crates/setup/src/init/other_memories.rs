//! The offer to bring in what clients remember by themselves. Whether something is there is looked up; nothing is brought in.

use apostille_agents::{
    own_notes::{FoundNotes, find_own_notes},
    settings::layout::UserFolders,
};
use apostille_terminal::paint::format_count;
use apostille_workspace::system::Environment;

use super::scope::InitScope;

/// What clients remember by themselves about this repository, or about the user, and what may be done about it.
pub(super) fn offer_other_memories(env: &Environment, scope: &InitScope) -> Vec<String> {
    let Some(home) = env.home_dir() else {
        return Vec::new();
    };
    let user = UserFolders {
        home,
        variable: &|name| env.absolute_path(name),
    };
    let mut found = find_own_notes(&user, scope.root());
    found.retain(|it| it.notes.is_users == matches!(scope, InitScope::User(_)));
    found.iter().map(format_offer).collect()
}

fn format_offer(found: &FoundNotes) -> String {
    let FoundNotes {
        client,
        notes,
        files,
        way_off,
    } = found;
    let count = format_count(files.len() as u64, "file", "files");
    let user = if notes.is_users { " --user" } else { "" };
    format!(
        "{client} remembers by itself, too: {count} in {path}. `apostille import{user} '{path}'` brings them in and leaves them \
         there; {way_off} turns its own off. Where you leave both, `apostille doctor` says which of them do not agree",
        path = notes.path.display()
    )
}
