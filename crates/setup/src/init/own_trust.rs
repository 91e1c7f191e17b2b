//! A person who writes a repository's settings with `init --shared` trusts them in passing. What was there before, and what
//! an agent's shell writes, is not trusted so.

use std::fs;

use apostille_agents::settings::sharing::STORE;
use apostille_core::speaker::Speaker;
use apostille_terminal::{args::InitArgs, command_context::CommandContext};
use apostille_workspace::{
    error::CommandError,
    project_folder::ProjectFolder,
    trust::{BroughtSettings, CloneIdentity, TrustedClones, find_distrust},
};

/// A person who is about to write the settings of a clone that brought nothing unseen.
pub(super) struct SettingsAuthor {
    speaker: Speaker,
    place: ProjectFolder,
}

impl SettingsAuthor {
    /// Looks at the clone before its files are written; `None` where what is written is not trusted by that.
    pub(super) fn find(
        ctx: &CommandContext,
        args: &InitArgs,
    ) -> Result<Option<Self>, CommandError> {
        let speaker = ctx.speaker()?;
        if !args.shared || speaker.person().is_none() {
            return Ok(None);
        }
        let place = ctx.find_project_folder()?;
        let brought = BroughtSettings::read_from(&place.root);
        // Memories that lie where the settings are about to point were brought, too.
        let has_memories = fs::symlink_metadata(place.root.join(STORE)).is_ok();
        let clone = CloneIdentity::for_folder(&place);
        let is_new = brought.is_empty() && !has_memories;
        let is_seen = is_new || find_distrust(&ctx.system, &clone, brought.digest())?.is_none();
        Ok(is_seen.then_some(Self { speaker, place }))
    }

    /// Trusts the settings as they are written now.
    pub(super) fn trust_written_settings(&self, ctx: &CommandContext) -> Result<(), CommandError> {
        let written = BroughtSettings::read_from(&self.place.root).digest();
        let (Some(person), Some(written)) = (self.speaker.person(), written) else {
            return Ok(());
        };
        let clone = CloneIdentity::for_folder(&self.place);
        let stamp = (ctx.system.now, (ctx.system.random_source())());
        TrustedClones::for_user(&ctx.system)?.trust_clone(person, &clone, written, stamp)
    }
}

/// What is left to do where the settings are written and not trusted by that.
pub(super) fn warn_on_missing_trust(
    ctx: &CommandContext,
    args: &InitArgs,
) -> Result<Option<&'static str>, CommandError> {
    let place = ctx.find_project_folder()?;
    let is_listed = ctx
        .resolve_settings(&place)?
        .trust_allow
        .has_clone(&CloneIdentity::for_folder(&place));
    let is_trusted = is_listed || SettingsAuthor::find(ctx, args)?.is_some();
    let told = "the repository's settings and memories are not read here until a person trusts this clone: apostille trust";
    Ok((!is_trusted).then_some(told))
}
