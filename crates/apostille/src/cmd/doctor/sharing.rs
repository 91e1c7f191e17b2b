//! Is a repository's own store merged and kept as it should be?

use crate::cmd::init;
use crate::shell::Shell;
use apostille_agents::settings::sharing::{Shared, is_merged, unignored};
use apostille_workspace::config::Settings;

use super::{Finding, doubtful, good};

/// What git is told about the store of a repository, where it has one.
pub fn findings(shell: &Shell, settings: &Settings) -> Vec<Finding> {
    let here = shell.place().ok().as_ref().and_then(init::here);
    let (Some(_), Some(scope)) = (&settings.own_store, here) else {
        return Vec::new();
    };
    let path = settings.store.value.path();
    let Some(store) = path
        .strip_prefix(scope.root())
        .ok()
        .and_then(|it| it.to_str())
    else {
        return Vec::new();
    };
    let text = |file: Shared| {
        let path = scope.root().join(file.as_str());
        init::text(&path, scope.bounds(&path))
            .ok()
            .flatten()
            .unwrap_or_default()
    };
    let mut findings = Vec::new();
    if !is_merged(&text(Shared::Attributes), store) {
        findings.push(doubtful(
            "sharing",
            format!("no line of .gitattributes says `/{store} merge=union`: branches will conflict in it; run `apostille init --shared`"),
        ));
    }
    if let Some(local) = unignored(&text(Shared::Ignore), store) {
        findings.push(doubtful(
            "sharing",
            format!("no line of .gitignore names `/{local}`: what you were shown would be committed; run `apostille init --shared`"),
        ));
    }
    if findings.is_empty() {
        findings.push(good(
            "sharing",
            format!("{store}: git keeps both sides' lines"),
        ));
    }
    findings
}
