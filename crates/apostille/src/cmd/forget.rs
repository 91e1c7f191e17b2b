//! `forget`: the text is removed everywhere.

use apostille_core::{
    archive::ArchiveHandle,
    forget::{
        ForgetOutcome, discard_damaged_memory, find_damaged_memory, find_forgotten_id, forget,
    },
    list::find_named_memory,
    memory::{Memory, MemoryId, MemoryName},
    refusal::Refusal,
    speaker::PersonVerb,
    store::DamagedMemory,
};

use super::{
    format_outcome,
    said::{find_quoting_episodes, forget_conversations},
};
use crate::json::{ForgetReply, ForgottenView};
use apostille_terminal::{
    args::{ForgetArgs, KeptName},
    command_context::{CommandContext, CommandResult, require_person},
    paint::{BOLD, GREEN, memory::format_handle_and_fact},
};
use apostille_workspace::{task::CheckoutTasks, workspace::Workspace};

/// Forgets memories, in whatever stage they are; none, when one of the names is wrong.
pub fn run(ctx: &CommandContext, args: &ForgetArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let (names, said) = split_kept_names(&args.names);
    let (damaged, names) = split_off_damaged(&workspace, &names)?;
    let (forgotten, names) = split_off_forgotten(&workspace, &names)?;
    let mut memories = workspace.find_named(&names)?;
    let episodes = find_quoting_episodes(ctx, &workspace, &said)?.into_iter();
    let is_named = |it: &Memory| memories.iter().any(|named| named.id == it.id);
    let episodes: Vec<Memory> = episodes.filter(|it| !is_named(it)).collect();
    memories.extend(episodes);
    // What a person said, and what a person decides about, is not erased by anybody else.
    let verb = PersonVerb::Forget;
    let speaker = match damaged.is_empty() && said.is_empty() {
        true => ctx.speaker_for(verb, &memories)?,
        false => ctx.deciding_speaker()?,
    };
    let person = match said.is_empty() {
        true => None,
        false => Some(require_person(&speaker, verb.describe())?),
    };
    if !memories.iter().all(|it| speaker.can_decide(verb, it)) {
        let verb = verb.describe();
        return Err(Refusal::PersonDecides { verb }.into());
    }
    let is_known = !memories.is_empty() || !damaged.is_empty() || !said.is_empty();
    if !args.yes && is_known && !confirm_forget(ctx, &memories, &damaged, &said) {
        let json = ForgetReply {
            ok: false,
            outcome: "kept",
            memories: Vec::new(),
        };
        let answer = ctx.render_output(&json, |_| "nothing was forgotten\n".into());
        return Ok(answer.nothing_if(true));
    }
    for it in &damaged {
        let by = require_person(&speaker, PersonVerb::Forget.describe())?;
        discard_damaged_memory(&workspace.context_for(&it.space), by, it)?;
    }
    let cx = workspace.context();
    let spaces = workspace.spaces();
    let reason = args.reason.as_deref().unwrap_or("");
    for memory in &memories {
        let name = MemoryName::Id(memory.id);
        if let ForgetOutcome::Refused(refusal) = forget(&cx, &speaker, &spaces, name, reason)? {
            return Err(refusal.into());
        }
    }
    // The episodes went first: they are found by the conversations that they quote.
    let forgotten_said = match person {
        None => String::new(),
        Some(by) => forget_conversations(ctx, &workspace, by, &said)?,
    };
    // The notes of the active task repeat what stands in its way.
    if let Ok(tasks) = CheckoutTasks::for_folder(&ctx.system, &workspace.place, &workspace.settings)
    {
        tasks.refresh_notes(&workspace)?;
    }
    let ids: Vec<MemoryId> = damaged
        .iter()
        .map(|it| it.id)
        .chain(memories.iter().map(|it| it.id))
        .chain(forgotten.iter().map(|it| it.1))
        .collect();
    workspace.forget_side_records(&ids)?;
    let torn = damaged
        .iter()
        .map(|it| ForgottenView::new(it.id, it.handle(), &it.space));
    let json = ForgetReply {
        ok: true,
        outcome: "forgotten",
        memories: torn.chain(memories.iter().map(Into::into)).collect(),
    };
    Ok(ctx.render_output(&json, |_| {
        let torn = damaged
            .iter()
            .map(|it| format!("{GREEN}forgot{GREEN:#} {}", format_damaged_memory(it)));
        // What is to be gone must not stay in a terminal's history, or in the log of an agent's shell.
        let read = memories.iter().map(format_forgotten_line);
        let before = forgotten.iter().map(|it| format_forgotten_before(it.0));
        torn.chain(read)
            .chain(before)
            .chain([forgotten_said])
            .collect()
    }))
}

/// The name of a memory that was forgotten before, and its id.
type ForgottenName = (MemoryName, MemoryId);

/// The memories that were forgotten before, and the names of the others. What is beside the store may still tell of them, where
/// the first time was interrupted.
fn split_off_forgotten(
    workspace: &Workspace,
    names: &[MemoryName],
) -> CommandResult<(Vec<ForgottenName>, Vec<MemoryName>)> {
    let (cx, spaces) = (workspace.context(), workspace.spaces());
    let (mut forgotten, mut others) = (Vec::new(), Vec::new());
    for name in names {
        let gone = match find_named_memory(&cx, &spaces, *name)? {
            Some(_) => None,
            None => find_forgotten_id(&cx, &spaces, *name)?,
        };
        match gone {
            Some(id) => forgotten.push((*name, id)),
            None => others.push(*name),
        }
    }
    Ok((forgotten, others))
}

fn format_forgotten_before(name: MemoryName) -> String {
    format!(
        "{}  it was forgotten before\n",
        format_outcome("forgot", name)
    )
}

/// The names of memories, and those of conversations.
fn split_kept_names(names: &[KeptName]) -> (Vec<MemoryName>, Vec<ArchiveHandle>) {
    let (mut memories, mut said) = (Vec::new(), Vec::new());
    for name in names {
        match name {
            KeptName::Memory(it) => memories.push(*it),
            KeptName::Archive(it) => said.push(*it),
        }
    }
    (memories, said)
}

/// The memories that cannot be read, and the names of the others.
fn split_off_damaged(
    workspace: &Workspace,
    names: &[MemoryName],
) -> CommandResult<(Vec<DamagedMemory>, Vec<MemoryName>)> {
    let mut torn = Vec::new();
    let mut others = Vec::new();
    for name in names {
        match find_damaged_memory(&workspace.context(), &workspace.spaces(), *name)? {
            Some(it) => torn.push(it),
            None => others.push(*name),
        }
    }
    Ok((torn, others))
}

/// What a memory was, without a word of what it said.
fn format_forgotten_line(it: &Memory) -> String {
    let (layer, kind) = (it.layer, it.kind);
    format!(
        "{}  {layer}, {kind}\n",
        format_outcome("forgot", it.handle())
    )
}

/// The line of a memory that cannot be read.
fn format_damaged_memory(it: &DamagedMemory) -> String {
    format!(
        "{BOLD}{}{BOLD:#}  what another program left of it; it cannot be read\n",
        it.handle()
    )
}

/// Asks a person, where there is one.
fn confirm_forget(
    ctx: &CommandContext,
    memories: &[Memory],
    damaged: &[DamagedMemory],
    said: &[ArchiveHandle],
) -> bool {
    if !ctx.can_ask_beside() {
        return true;
    }
    let list: String = damaged
        .iter()
        .map(format_damaged_memory)
        .chain(memories.iter().map(format_handle_and_fact))
        .chain(
            said.iter()
                .map(|it| format!("{BOLD}{it}{BOLD:#}  what was said there\n")),
        )
        .collect();
    ctx.ask_beside(&format!(
        "{list}forget for good? this cannot be undone [y/N] "
    ))
}
