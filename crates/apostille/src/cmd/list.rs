//! `list`: memories by what they are. `recent`: what was stated or found to hold last.

use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context,
    address::MemoryAddress,
    branches::{OtherVersion, find_other_versions},
    list,
    memory::{Memory, Stage},
    project::ProjectName,
    space::Space,
    standing_text::describe_other_version,
    store::{ListOrder, MemoryFilter},
    verify::{VerifiedMemory, follow_memory_citations},
};

use super::report::parse_optional_time;
use crate::json::{MemoriesReply, MemoryView};
use apostille_terminal::{
    args::{ListArgs, RecentArgs},
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, Paint, format_if, memory, style_text},
};
use apostille_workspace::{error::CommandError, workspace::Workspace};

/// Lists memories, the newest first.
pub fn run(ctx: &CommandContext, args: &ListArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let stages = if args.stages.is_empty() {
        vec![Stage::Active, Stage::Pending]
    } else {
        args.stages.clone()
    };
    let time = |flag, text: &Option<String>| parse_optional_time(ctx, flag, text.as_deref());
    let project = args.project.as_ref().map(ProjectName::to_tag);
    let spaces = list_reachable_spaces(&workspace, args)?;
    let filter = MemoryFilter {
        spaces: narrow_to_address(&spaces, args.address.as_ref())?,
        layers: args.layers.clone(),
        kinds: args.kinds.clone(),
        stages,
        origins: args.origins.clone(),
        supersedes: Vec::new(),
        tags: args.tags.iter().cloned().chain(project).collect(),
        task: args.task.clone(),
        path: resolve_optional_path(&workspace, args.path.as_deref())?,
        text: args.text.clone(),
        since: time("since", &args.since)?,
        until: time("until", &args.until)?,
        after: None,
        order: ListOrder::Newest,
        limit: args.limit.saturating_add(1),
        address: None,
    }
    .at_address(args.address.clone());
    let cx = workspace.context();
    let memories = list::list_memories(&cx, &filter)?;
    let is_missed = memories.is_empty() && is_narrowed_list(args);
    let listed = build_list_output(ctx, &cx, memories, args.limit, args.spaces.all_spaces)?;
    Ok(listed.or_nothing(is_missed, MISSED))
}

/// The spaces that are listed. An address is held against all of them, so that none stands for "any" any more.
fn list_reachable_spaces(workspace: &Workspace, args: &ListArgs) -> CommandResult<Vec<Space>> {
    let spaces = workspace.spaces_or_all(args.spaces.all_spaces);
    if spaces.is_empty() && args.address.is_some() {
        return Ok(workspace.context().store.list_spaces()?);
    }
    Ok(spaces)
}

/// Lists active memories, those refreshed last first.
pub fn run_recent(ctx: &CommandContext, args: &RecentArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let limit = args.limit.saturating_add(1);
    let cx = workspace.context();
    let spaces = workspace.spaces();
    let memories = match resolve_optional_path(&workspace, args.path.as_deref())? {
        Some(path) => list::list_citing_memories(&cx, &spaces, &path, limit)?,
        None => list::list_recent_memories(&cx, &spaces, limit)?,
    };
    build_list_output(ctx, &cx, memories, args.limit, false)
}

/// The spaces that an address means among those in play; all of them where none is given.
pub(super) fn narrow_to_address(
    spaces: &[Space],
    address: Option<&MemoryAddress>,
) -> CommandResult<Vec<Space>> {
    let Some(address) = address else {
        return Ok(spaces.to_vec());
    };
    let told = |error| {
        let way = "--repo asks another repository's memory, --as another user's";
        CommandError::usage(format!("--address: {error}; {way}"))
    };
    address.narrow_spaces(spaces).map_err(told)
}

/// The path that was typed, where one was.
pub(super) fn resolve_optional_path(
    workspace: &Workspace,
    typed: Option<&str>,
) -> CommandResult<Option<RepoPath>> {
    Ok(typed
        .map(|it| workspace.place.resolve_path(it))
        .transpose()?)
}

const MISSED: &str =
    "nothing here matches; ask for less, or `apostille list --all-spaces` looks everywhere\n";

/// Whether only some of what there is was asked for.
fn is_narrowed_list(args: &ListArgs) -> bool {
    [&args.task, &args.path, &args.text, &args.since, &args.until]
        .iter()
        .any(|it| it.is_some())
        || args.address.is_some()
        || args.project.is_some()
        || !args.tags.is_empty()
        || !args.origins.is_empty()
        || !args.layers.is_empty()
        || !args.kinds.is_empty()
        || !args.stages.is_empty()
}

/// A listing of at most `limit` memories; one more was asked for, to know whether there are more.
fn build_list_output(
    ctx: &CommandContext,
    cx: &Context,
    mut memories: Vec<Memory>,
    limit: usize,
    with_space: bool,
) -> CommandResult {
    let is_cut = memories.len() > limit;
    memories.truncate(limit);
    let versions = find_other_versions(cx, &memories)?;
    let memories = follow_memory_citations(cx, memories);
    let rows: Vec<(&VerifiedMemory, Option<&OtherVersion>)> = memories
        .iter()
        .zip(versions.iter().map(Option::as_ref))
        .collect();
    let views = rows
        .iter()
        .map(|(it, other)| MemoryView::from(*it).with_other_version(*other));
    let json = MemoriesReply {
        ok: true,
        memories: views.collect(),
        next: None,
    };
    let more = "… and more; raise --limit to see them\n";
    let nothing = "nothing here yet; `apostille remember` keeps a fact, `apostille list --all-spaces` looks everywhere\n";
    Ok(ctx
        .render_output(&json, |paint| format_memory_table(paint, &rows, with_space))
        .with_err(format_if(is_cut, || style_text(DIM, more)))
        .or_nothing(memories.is_empty(), nothing))
}

fn format_memory_table(
    paint: &Paint,
    memories: &[(&VerifiedMemory, Option<&OtherVersion>)],
    with_space: bool,
) -> String {
    let row = |(found, other): &(&VerifiedMemory, Option<&OtherVersion>)| {
        let it = &found.memory;
        let mut row = vec![
            style_text(BOLD, it.handle()),
            format_stage_or_standing(found),
            it.layer.to_string(),
            it.kind.to_string(),
            style_text(DIM, paint.format_time(it.refreshed_at)),
        ];
        row.extend(with_space.then(|| it.space.to_string()));
        let other = other.map(|it| style_text(DIM, format!("{}; ", describe_other_version(it))));
        row.push(other.unwrap_or_default() + &memory::format_subject_and_fact(it));
        row
    };
    paint.format_table(0, memories.iter().map(row))
}

/// How a memory in use stands in this checkout; of another, why it is not in use.
fn format_stage_or_standing(it: &VerifiedMemory) -> String {
    match it.memory.status.stage() {
        Stage::Active => memory::style_standing(it.standing().as_str()),
        stage => style_text(memory::pick_stage_style(stage), stage),
    }
}
