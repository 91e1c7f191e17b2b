//! `show`: everything about one memory.

use apostille_cite::citation::Citation;
use apostille_cite::verdict::Verdict;
use apostille_core::{
    event::LoggedEvent,
    format,
    memory::{Channel, Memory},
    standing_text::{describe_evidence, describe_other_version},
    verify::VerifiedMemory,
};

use super::log::describe_event_body;
use crate::json::{MemoryDetails, MemoryDetailsReply};
use apostille_terminal::{
    args::{KeptName, ShowArgs},
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, DIM, Paint, flatten_to_line, format_after, format_if, join_texts, memory, style_text,
    },
};

/// Shows one memory, its evidence, how it stands now, what it replaced, and its history. Looking is not recorded.
pub fn run(ctx: &CommandContext, args: &ShowArgs) -> CommandResult {
    let name = match args.name {
        KeptName::Memory(name) => name,
        KeptName::Archive(handle) => return super::said::show_conversation(ctx, handle),
    };
    let workspace = ctx.open_workspace()?;
    let memory = workspace.find_named(&[name])?.remove(0);
    let shown = MemoryDetails::gather_details(&workspace.context(), memory)?;
    let json = MemoryDetailsReply::new(&*workspace.store, &shown)?;
    Ok(ctx.render_output(&json, |paint| format_memory_page(paint, &shown)))
}

fn format_memory_page(paint: &Paint, shown: &MemoryDetails) -> String {
    let VerifiedMemory {
        memory, verdicts, ..
    } = &shown.memory;
    let handle = memory.handle();
    let head = memory::format_memory_head(memory, shown.memory.standing());
    let head = head + &format_stage(&shown.memory);
    let fact = paint.wrap_text(&memory.fact, 2);
    let mut parts = vec![
        format!("{BOLD}{handle}{BOLD:#}  {head}\n{fact}"),
        format_memory_fields(paint, &shown.memory),
        format_memory_evidence(memory, verdicts),
        format_words_and_runs(paint, memory),
        format_related_memories(paint, "Replaced", &shown.older),
        format_related_memories(paint, "Replaced by", &shown.newer),
        format_memory_history(paint, &shown.history),
    ];
    parts.retain(|it| !it.is_empty());
    parts.join("\n")
}

/// What is known about it, in two columns.
fn format_memory_fields(paint: &Paint, verified: &VerifiedMemory) -> String {
    let memory = &verified.memory;
    let version = verified.beside.as_ref().map(describe_other_version);
    let line = |text: &Option<String>| format_after("", text.as_deref());
    let why = memory
        .status
        .why()
        .map(|it| format!(" ({})", flatten_to_line(it)));
    let usage = memory.usage;
    let rows = [
        ("reason", line(&memory.reason)),
        ("space", memory.space.to_string()),
        ("layer, kind", format!("{}, {}", memory.layer, memory.kind)),
        (
            "status",
            format!("{}{}", memory.status.stage(), why.unwrap_or_default()),
        ),
        ("version", version.unwrap_or_default()),
        ("tags", flatten_to_line(&memory.tags.join(", "))),
        ("said by", format_memory_voice(memory)),
        ("also said by", flatten_to_line(&memory.vouchers.join(", "))),
        ("task", line(&memory.task)),
        ("marks", join_texts(memory.current_marks(), ", ")),
        ("recorded", paint.format_time(memory.recorded_at)),
        ("refreshed", paint.format_time(memory.refreshed_at)),
        (
            "use",
            format!(
                "shown {}×, applied {}×, found to hold {}×",
                usage.recalls, usage.applied, usage.verified
            ),
        ),
        ("id", memory.id.to_string()),
        (
            "SHA-256",
            format!("{} (format {})", memory.content_digest(), format::VERSION),
        ),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty());
    paint.format_table(2, rows.map(|(name, text)| [style_text(DIM, name), text]))
}

fn format_memory_voice(memory: &Memory) -> String {
    let voice = &memory.voice;
    let outside = match (voice.tainted, voice.exposed) {
        (true, _) => ", from outside",
        (false, true) => ", after words from outside were read",
        (false, false) => "",
    };
    let channel = Some(voice.channel).filter(|it| *it != Channel::Unknown);
    format!(
        "{}{}{}{}{outside}",
        voice.origin,
        format_after(" ", voice.author.as_deref()),
        format_after(", by ", channel.map(|it| it.as_str())),
        format_after(", session ", voice.session.as_deref()),
    )
}

/// The cited lines as they were, how they stand now, and what changed.
fn format_memory_evidence(memory: &Memory, verdicts: &[Verdict]) -> String {
    let evidence = |(citation, verdict): (&Citation, &Verdict)| {
        let commit = citation.commit.as_deref().and_then(|it| it.get(..10));
        format!(
            "{}  {}{DIM}{}{DIM:#}\n{}{}",
            memory::style_standing(verdict.as_str()),
            memory::format_judged_place(citation, verdict),
            format_after(" · read at ", commit),
            memory::format_numbered_evidence(citation),
            memory::format_counter_evidence(citation, verdict, 6)
        )
    };
    memory
        .citations
        .iter()
        .zip(verdicts)
        .map(evidence)
        .collect()
}

/// What proves it beside code.
fn format_words_and_runs(paint: &Paint, memory: &Memory) -> String {
    let told = memory.evidence.iter().map(describe_evidence);
    let told = told.map(|it| paint.wrap_text(&flatten_to_line(&it), 2));
    join_texts(told, "")
}

/// What it replaced, or what replaced it, each with how it stands: what took its place may be edited away by now.
fn format_related_memories(paint: &Paint, title: &str, memories: &[VerifiedMemory]) -> String {
    let row = |it: &VerifiedMemory| {
        [
            style_text(BOLD, it.memory.handle()),
            format_standing_and_stage(it),
            flatten_to_line(&it.memory.fact),
        ]
    };
    format_if(!memories.is_empty(), || {
        let table = paint.format_table(2, memories.iter().map(row));
        format!("{BOLD}{title}{BOLD:#}\n{table}")
    })
}

/// How it stands here, and where it is in its life unless it is in use.
fn format_standing_and_stage(it: &VerifiedMemory) -> String {
    memory::style_standing(it.standing().as_str()) + &format_stage(it)
}

fn format_stage(it: &VerifiedMemory) -> String {
    let stage = it.describe_stage().map(|it| format!(" · {it}"));
    stage.map_or(String::new(), |it| style_text(DIM, it))
}

fn format_memory_history(paint: &Paint, events: &[LoggedEvent]) -> String {
    let rows = events.iter().map(|it| {
        [
            style_text(DIM, paint.format_time(it.event.at)),
            it.event.what.event_kind().to_string(),
            format_after("", it.event.actor.as_deref()),
            describe_event_body(&it.event.what),
        ]
    });
    let table = paint.format_table(2, rows);
    format!("{BOLD}History{BOLD:#}\n{table}")
}
