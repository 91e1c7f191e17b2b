//! Healing while nobody waits: citations follow the code that moved, so that the next reader finds them in place.
//!
//! Servers and the end of a session run it on a clean default branch, once for each commit that is checked out there.
//! A store that is a file of the repository is left to `apostille verify`: nobody wants to find an edit in their checkout
//! that they did not make.

use std::{fs, path::PathBuf};

use apostille_core::{
    forget::erase_withdrawn_memories,
    list,
    memory::Stage,
    store::{ListOrder, MemoryFilter},
    verify,
};
use apostille_text::digest::Digest;

use crate::{
    atomic_file::write_file_atomically,
    config::{Settings, StoreUrl},
    error::CommandError,
    system::System,
    workspace::Workspace,
};

/// Whether this store may be written to without being asked, from a checkout of its user. A team's database is not: of many
/// checkouts some are behind, and would take citations back to where they were.
pub fn can_heal_store(settings: &Settings) -> bool {
    matches!(settings.store, StoreUrl::Sqlite(_)) && settings.has_store_file()
}

/// The same from a mirror, of which there is one for everybody who comes through a server.
pub fn can_heal_from_mirror(settings: &Settings) -> bool {
    can_heal_store(settings) || matches!(settings.store, StoreUrl::Postgres(_))
}

/// Lets every citation of the repository's memories follow the code, unless that was done for this commit already.
/// How many memories changed. Where the store cannot be healed, what was withdrawn is erased all the same.
pub fn heal_workspace(
    system: &System,
    workspace: &Workspace,
    can_heal: bool,
) -> Result<usize, CommandError> {
    let cx = workspace.context();
    // What the user asked an agent to forget yesterday goes now, whatever the tree is like.
    for erased in erase_withdrawn_memories(&cx, &workspace.spaces())? {
        workspace.forget_side_record(erased.id)?;
    }
    let commit = cx.source.read_tree().ok().and_then(|it| it.commit);
    let (Some(commit), true) = (commit, can_heal) else {
        return Ok(0);
    };
    let stamp = locate_healing_stamp(system, &workspace.settings);
    let last = stamp.as_ref().and_then(|it| fs::read_to_string(it).ok());
    // Before the memories are read: a server asks every few minutes, and most trees have something half done in them.
    if last.as_deref() == Some(&commit) || !cx.source.is_settled().unwrap_or(false) {
        return Ok(0);
    }
    let filter = MemoryFilter {
        spaces: vec![workspace.settings.repo.clone()],
        stages: vec![Stage::Active],
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let memories = list::list_memories(&cx, &filter)?;
    let n_healed = verify::heal_memories(&cx, memories)?;
    if let Some(stamp) = stamp {
        // Where it cannot be kept, the same is looked up once more.
        let draw = (system.random_source())();
        let _ = write_file_atomically(&stamp, commit.as_bytes(), None, draw);
    }
    Ok(n_healed)
}

/// The file that says for which commit the memories of this store and repository were healed last.
fn locate_healing_stamp(system: &System, settings: &Settings) -> Option<PathBuf> {
    let key = format!("{} {}", settings.store, settings.repo);
    let name = Digest::hash_bytes(key.as_bytes()).short_hex();
    Some(system.env.cache_dir()?.join("healed").join(name))
}
