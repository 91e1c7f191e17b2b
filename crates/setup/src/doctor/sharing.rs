//! Is a repository's own store merged and kept as it should be?

use crate::init;
use apostille_agents::settings::sharing::{SharingFile, find_unignored_local, is_union_merged};
use apostille_terminal::command_context::CommandContext;
use apostille_workspace::config::Settings;

use super::{DoctorFinding, new_doubtful_finding, new_good_finding};

/// What git is told about the store of a repository, where it has one.
pub(super) fn check_store_sharing(ctx: &CommandContext, settings: &Settings) -> Vec<DoctorFinding> {
    let (Some(_), Some(scope)) = (&settings.own_store, init::find_scope_here(ctx)) else {
        return Vec::new();
    };
    let file = settings.store.path();
    let store = file.and_then(|it| it.strip_prefix(scope.root()).ok()?.to_str());
    let Some(store) = store else {
        return Vec::new();
    };
    let text = |file: SharingFile| {
        let read = scope.read_text(&scope.root().join(file.as_str()));
        read.ok().flatten().unwrap_or_default()
    };
    let mut findings = Vec::new();
    if !is_union_merged(&text(SharingFile::Attributes), store) {
        findings.push(new_doubtful_finding(
            "sharing",
            format!("no line of .gitattributes says `/{store} merge=union`: branches will conflict in it; run `apostille init --shared`"),
        ));
    }
    if let Some(local) = find_unignored_local(&text(SharingFile::Ignore), store) {
        findings.push(new_doubtful_finding(
            "sharing",
            format!("no line of .gitignore names `/{local}`: what you were shown would be committed; run `apostille init --shared`"),
        ));
    }
    if findings.is_empty() {
        findings.push(new_good_finding(
            "sharing",
            format!("{store}: git keeps both sides' lines"),
        ));
    }
    findings
}
