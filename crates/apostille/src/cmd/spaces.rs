//! `spaces`: whose memories are kept, which clones they belong to, and linking a clone to them.

use apostille_core::{
    format,
    space::Space,
    store::{Store, StoreError},
};
use apostille_text::moderate::check_name;
use serde::Serialize;
use serde_json::json;

use apostille_terminal::{
    args::{SpacesArgs, SpacesLinkArgs, SpacesSubcommand},
    command_context::{CommandContext, CommandResult, require_person},
    paint::{BOLD, DIM, Paint, style_text},
};
use apostille_workspace::{
    config::Settings,
    error::CommandError,
    known_repositories::{KnownRepositories, KnownRepository, RepositoryFile},
    repository_space::CloneLink,
    system::build_no_home_error,
    workspace,
};

/// A space, in `--json`.
#[derive(Serialize)]
struct SpaceView {
    space: String,
    is_here: bool,
    memories: u64,
    remotes: Vec<String>,
    /// The commits that its history begins with.
    commits: Vec<String>,
    clones: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// How many memories came from a store that did not know hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<u64>,
}

/// Lists the spaces, or links this clone.
pub fn run(ctx: &CommandContext, args: &SpacesArgs) -> CommandResult {
    match &args.what {
        Some(SpacesSubcommand::Link(args)) => link_clone(ctx, args),
        Some(SpacesSubcommand::Unlink) => unlink_clone(ctx),
        Some(SpacesSubcommand::List) | None => list_spaces(ctx),
    }
}

fn open_repository_file(ctx: &CommandContext) -> CommandResult<RepositoryFile> {
    RepositoryFile::for_user(&ctx.system).ok_or_else(build_no_home_error)
}

fn list_spaces(ctx: &CommandContext) -> CommandResult {
    let known = open_repository_file(ctx)?.read_repositories()?;
    let (_, settings) = ctx.find_project()?;
    let store = workspace::open_existing_store(&settings)?;
    let views = build_space_views(&known, &settings, &*store)?;
    let apart = settings.contact.describe_separation();
    let json = json!({
        "ok": true,
        "spaces": views,
        "kept_apart_from": settings.contact.kept_apart_from.as_ref().map(Space::as_str),
    });
    let answer = ctx.render_output(&json, |paint| match views.as_slice() {
        [] => "no memories are kept yet\n".into(),
        _ => format_space_table(paint, &views),
    });
    let note = apart.filter(|_| !ctx.flags.json).unwrap_or_default();
    Ok(answer.nothing_if(views.is_empty()).with_err(note))
}

fn build_space_views(
    known: &KnownRepositories,
    settings: &Settings,
    store: &dyn Store,
) -> Result<Vec<SpaceView>, StoreError> {
    let mut spaces = store.list_spaces()?;
    spaces.extend(known.0.iter().map(|it| it.space.clone()));
    spaces.sort();
    spaces.dedup();
    let view = |space: Space| {
        let memories = store.summarize_space(&space)?.memories.values().sum();
        let is_here = space == settings.repo;
        Ok(build_space_view(
            &space,
            known.find_by_space(&space),
            (is_here, memories),
        ))
    };
    spaces.into_iter().map(view).collect()
}

fn build_space_view(
    space: &Space,
    known: Option<&KnownRepository>,
    (is_here, memories): (bool, u64),
) -> SpaceView {
    let names = |it: &KnownRepository| it.remotes.iter().map(|it| it.as_str().into()).collect();
    let paths = |it: &KnownRepository| {
        let paths = it.clones.iter().map(|it| it.path.display().to_string());
        paths.collect()
    };
    SpaceView {
        space: space.as_str().into(),
        is_here,
        memories,
        remotes: known.map(names).unwrap_or_default(),
        commits: known.map(|it| it.commits.clone()).unwrap_or_default(),
        clones: known.map(paths).unwrap_or_default(),
        since: known.map(|it| format::format_timestamp(it.since)),
        adopted: known.and_then(|it| it.adopted),
    }
}

fn format_space_table(paint: &Paint, views: &[SpaceView]) -> String {
    let row = |it: &SpaceView| {
        let remotes: Vec<&str> = it.remotes.iter().map(String::as_str).collect();
        let mut notes = Vec::new();
        if it.is_here {
            notes.push("here".to_owned());
        }
        if !remotes.is_empty() && remotes != [it.space.as_str()] {
            notes.push(format!("remote {}", remotes.join(", ")));
        }
        if let Some(n) = it.adopted {
            notes.push(format!("{n} from before hosts were part of the name"));
        }
        notes.extend(it.clones.iter().cloned());
        [
            style_text(BOLD, &it.space),
            it.memories.to_string(),
            style_text(DIM, notes.join("; ")),
        ]
    };
    paint.format_table(0, views.iter().map(row))
}

fn find_link(ctx: &CommandContext, named: Option<&Space>) -> CommandResult<(CloneLink, Settings)> {
    if let Some(named) = named {
        check_name(named.as_str())
            .map_err(|error| CommandError::usage(format!("the name of the space: {error}")))?;
    }
    let (place, settings) = ctx.find_project()?;
    let claim = (&settings.repo, &settings.contact);
    let link = CloneLink::find(&ctx.system, &place, claim, named)?;
    Ok((link, settings))
}

fn link_clone(ctx: &CommandContext, args: &SpacesLinkArgs) -> CommandResult {
    let speaker = ctx.deciding_speaker()?;
    let person = require_person(&speaker, "link a checkout to a repository's memories")?;
    let file = open_repository_file(ctx)?;
    let (link, settings) = find_link(ctx, args.space.as_ref())?;
    let store = workspace::open_existing_store(&settings)?;
    let n: u64 = store.summarize_space(link.space())?.memories.values().sum();
    let question = format!(
        "link this checkout to {BOLD}{}{BOLD:#} ({n} memories)? It reads and writes them from now on. [y/N] ",
        link.space().as_str()
    );
    let is_agreed = || ctx.can_ask_beside() && ctx.ask_beside(&question);
    if !args.yes && !is_agreed() {
        let fault = "not linked: nobody said yes";
        return Err(CommandError::usage(fault).with_hint("--yes links without a question"));
    }
    let draw = (ctx.system.random_source())();
    link.record(person, &file, draw)?;
    let json = json!({"ok": true, "outcome": "linked", "space": link.space().as_str()});
    Ok(ctx.render_output(&json, |_| {
        format!(
            "linked this checkout to {BOLD}{}{BOLD:#}\n",
            link.space().as_str()
        )
    }))
}

fn unlink_clone(ctx: &CommandContext) -> CommandResult {
    let speaker = ctx.deciding_speaker()?;
    let person = require_person(&speaker, "unlink a checkout")?;
    let file = open_repository_file(ctx)?;
    let (link, settings) = find_link(ctx, None)?;
    let draw = (ctx.system.random_source())();
    if !link.remove(person, &file, draw)? {
        let fault = "this checkout is not among those that are known";
        return Err(CommandError::usage(fault).with_hint("apostille spaces"));
    }
    let json = json!({"ok": true, "outcome": "unlinked", "space": settings.repo.as_str()});
    Ok(ctx.render_output(&json, |_| {
        let name = settings.repo.as_str();
        format!("unlinked this checkout from {BOLD}{name}{BOLD:#}\n")
    }))
}
