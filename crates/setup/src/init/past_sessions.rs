//! The offer to learn from past sessions. Files are counted by the names of their folders; nobody said yet that one may be read.

use apostille_agents::{clients::list_client_profiles, settings::layout::UserFolders};
use apostille_terminal::paint::format_count;
use apostille_workspace::system::Environment;

use super::scope::InitScope;

/// What agents left of past sessions in this repository, and how to learn from it; nothing where nothing is known of any.
pub(super) fn offer_past_sessions(env: &Environment, scope: &InitScope) -> Option<String> {
    let InitScope::Repository(repository) = scope else {
        return None;
    };
    let user = UserFolders {
        home: env.home_dir()?,
        variable: &|name| env.absolute_path(name),
    };
    let counts = list_client_profiles().filter_map(|it| {
        let n = it.count_past_transcripts(&user, &repository.root);
        let sessions = format_count(n as u64, "past session", "past sessions");
        (n > 0).then(|| format!("{} has {sessions}", it.client))
    });
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| {
        format!(
            "{} in this folder: `apostille learn --past` shows what can be learned from them, and asks",
            counts.join(", ")
        )
    })
}
