//! `list`: memories by what they are.

use apostille_core::list;
use apostille_core::memory::{Memory, Stage};
use apostille_core::store::{ListOrder, MemoryFilter};

use crate::json::{self, MemoriesReply};
use apostille_terminal::args::ListArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::memory::format_subject_and_fact;
use apostille_terminal::paint::{BOLD, DIM, Paint, TextTable, memory, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// Lists memories, the newest first.
pub fn run(shell: &CommandContext, args: &ListArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let stages = if args.stages.is_empty() {
        vec![Stage::Active, Stage::Pending]
    } else {
        args.stages.clone()
    };
    let time = |flag, text: &Option<String>| {
        text.as_deref()
            .map(|it| super::report::parse_time_flag(shell.world.now, flag, it))
            .transpose()
    };
    let filter = MemoryFilter {
        spaces: desk.spaces_or_all(args.spaces.all_spaces),
        layers: args.layers.clone(),
        kinds: args.kinds.clone(),
        stages,
        origins: args.origins.clone(),
        tag: args.tag.clone(),
        task: args.task.clone(),
        path: args
            .path
            .as_deref()
            .map(|it| desk.place.resolve_path(it).map_err(CommandError::usage))
            .transpose()?,
        text: args.text.clone(),
        since: time("since", &args.since)?,
        until: time("until", &args.until)?,
        after: None,
        order: ListOrder::Newest,
        limit: args.limit.saturating_add(1),
    };
    let memories = list::list_memories(&desk.context(), &filter)?;
    let is_missed = memories.is_empty() && is_narrowed_list(args);
    let answer = build_list_output(shell, memories, args.limit, args.spaces.all_spaces);
    Ok(if is_missed {
        CommandOutput {
            err: MISSED.into(),
            ..answer
        }
    } else {
        answer
    })
}

const MISSED: &str =
    "nothing here matches; ask for less, or `apostille list --all-spaces` looks everywhere\n";

/// Whether only some of what there is was asked for.
fn is_narrowed_list(args: &ListArgs) -> bool {
    let words = [
        &args.tag,
        &args.task,
        &args.path,
        &args.text,
        &args.since,
        &args.until,
    ];
    words.iter().any(|it| it.is_some())
        || !args.origins.is_empty()
        || !args.layers.is_empty()
        || !args.kinds.is_empty()
        || !args.stages.is_empty()
}

/// A listing of at most `limit` memories; one more was asked for, to know whether there are more.
pub(super) fn build_list_output(
    shell: &CommandContext,
    mut memories: Vec<Memory>,
    limit: usize,
    with_space: bool,
) -> CommandOutput {
    let is_cut = memories.len() > limit;
    memories.truncate(limit);
    let code = if memories.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = MemoriesReply {
        ok: true,
        memories: json::build_memory_views(&memories),
        next: None,
    };
    let answer = shell.render_output(code, &json, |paint| {
        format_memory_table(paint, &memories, with_space)
    });
    let err = match (memories.is_empty(), is_cut) {
        (true, _) => "nothing here yet; `apostille remember` keeps a fact, `apostille list --all-spaces` looks everywhere\n".into(),
        (_, true) => style_text(DIM, "… and more; raise --limit to see them\n"),
        _ => String::new(),
    };
    CommandOutput { err, ..answer }
}

fn format_memory_table(paint: &Paint, memories: &[Memory], with_space: bool) -> String {
    let mut table = TextTable::default();
    for it in memories {
        let stage = it.status.stage();
        let mut row = vec![
            style_text(BOLD, it.handle()),
            style_text(memory::pick_stage_style(stage), stage),
            it.layer.to_string(),
            it.kind.to_string(),
            style_text(DIM, paint.format_time(it.refreshed_at)),
        ];
        if with_space {
            row.push(it.space.to_string());
        }
        row.push(format_subject_and_fact(it));
        table.add_row(row);
    }
    table.to_text(paint, 0)
}
