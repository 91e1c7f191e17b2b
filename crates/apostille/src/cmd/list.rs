//! `list`: memories by what they are.

use apostille_core::list;
use apostille_core::memory::{Memory, Stage};
use apostille_core::store::{Filter, Order};

use crate::args::List;
use crate::json::{self, MemoriesReply};
use crate::paint::{BOLD, DIM, Paint, Table, ink, memory, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Lists memories, the newest first.
pub fn run(shell: &Shell, args: &List) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let stages = if args.stages.is_empty() {
        vec![Stage::Active, Stage::Pending]
    } else {
        args.stages.clone()
    };
    let time = |flag, text: &Option<String>| {
        text.as_deref()
            .map(|it| super::report::time(shell.world.now, flag, it))
            .transpose()
    };
    let filter = Filter {
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
            .map(|it| desk.place.path(it).map_err(Fault::usage))
            .transpose()?,
        text: args.text.clone(),
        since: time("since", &args.since)?,
        until: time("until", &args.until)?,
        after: None,
        order: Order::Newest,
        limit: args.limit.saturating_add(1),
    };
    let memories = list::list(&desk.cx(), &filter)?;
    let is_missed = memories.is_empty() && is_narrow(args);
    let answer = listed(shell, memories, args.limit, args.spaces.all_spaces);
    Ok(if is_missed {
        Answer {
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
fn is_narrow(args: &List) -> bool {
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
pub(super) fn listed(
    shell: &Shell,
    mut memories: Vec<Memory>,
    limit: usize,
    with_space: bool,
) -> Answer {
    let is_cut = memories.len() > limit;
    memories.truncate(limit);
    let code = if memories.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = MemoriesReply {
        ok: true,
        memories: json::views(&memories),
        next: None,
    };
    let answer = shell.answer(code, &json, |paint| table(paint, &memories, with_space));
    let err = match (memories.is_empty(), is_cut) {
        (true, _) => "nothing here yet; `apostille remember` keeps a fact, `apostille list --all-spaces` looks everywhere\n".into(),
        (_, true) => ink(DIM, "… and more; raise --limit to see them\n"),
        _ => String::new(),
    };
    Answer { err, ..answer }
}

fn table(paint: &Paint, memories: &[Memory], with_space: bool) -> String {
    let mut table = Table::default();
    for it in memories {
        let stage = it.status.stage();
        let mut row = vec![
            ink(BOLD, it.handle()),
            ink(memory::stage(stage), stage),
            it.layer.to_string(),
            it.kind.to_string(),
            ink(DIM, paint.time(it.refreshed_at)),
        ];
        if with_space {
            row.push(it.space.to_string());
        }
        row.push(said(it));
        table.row(row);
    }
    table.text(paint, 0)
}

/// What it says on one line.
pub fn said(memory: &Memory) -> String {
    match &memory.subject {
        Some(subject) => format!("{}: {}", one_line(subject), one_line(&memory.fact)),
        None => one_line(&memory.fact),
    }
}
