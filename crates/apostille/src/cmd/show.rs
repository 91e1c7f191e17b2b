//! `show`: everything about one memory.

use apostille_cite::verdict::{Verdict, find_worst_verdict};
use apostille_core::event::LoggedEvent;
use apostille_core::format;
use apostille_core::memory::{Channel, Memory};
use apostille_core::verify::VerifiedMemory;

use super::log::describe_event_body;
use crate::json::{MemoryDetails, MemoryDetailsReply};
use apostille_terminal::args::SingleMemoryArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, DIM, Paint, TextTable, flatten_to_line, memory, pick_standing_style, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// Shows one memory, its evidence, how it stands now, what it replaced, and its history. Looking is not recorded.
pub fn run(shell: &CommandContext, args: &SingleMemoryArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let memory = match desk.find_named(&[args.name])? {
        Ok(mut found) => found.remove(0),
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let shown = MemoryDetails::gather_details(&desk.context(), memory)?;
    let json = MemoryDetailsReply::new(&*desk.store, &shown)?;
    Ok(shell.render_output(error::OK, &json, |paint| format_memory_page(paint, &shown)))
}

fn format_memory_page(paint: &Paint, shown: &MemoryDetails) -> String {
    let VerifiedMemory {
        memory, verdicts, ..
    } = &shown.memory;
    let word = find_worst_verdict(verdicts).map_or("unverified", Verdict::as_str);
    let subject = memory
        .subject
        .as_deref()
        .map(|it| style_text(BOLD, flatten_to_line(it)))
        .unwrap_or_default();
    let head = format!(
        "{}  {}  {subject}",
        style_text(BOLD, memory.handle()),
        style_text(pick_standing_style(word), word)
    );
    let fact = paint.wrap_text(&memory.fact, 2);
    let parts = [
        format!("{}\n{fact}", head.trim_end()),
        build_memory_table(paint, memory).to_text(paint, 2),
        format_memory_evidence(memory, verdicts),
        format_related_memories("Replaced", &shown.older),
        format_related_memories("Replaced by", &shown.newer),
        format_memory_history(paint, &shown.history),
    ];
    parts
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is known about it, in two columns.
fn build_memory_table(paint: &Paint, memory: &Memory) -> TextTable {
    let mut table = TextTable::default();
    let mut row = |name: &str, text: String| {
        if !text.is_empty() {
            table.add_row([style_text(DIM, name), text]);
        }
    };
    let why = memory
        .status
        .why()
        .map(|it| format!(" ({})", flatten_to_line(it)))
        .unwrap_or_default();
    row(
        "reason",
        memory
            .reason
            .as_deref()
            .map(flatten_to_line)
            .unwrap_or_default(),
    );
    row("space", memory.space.to_string());
    row("layer, kind", format!("{}, {}", memory.layer, memory.kind));
    row("status", format!("{}{why}", memory.status.stage()));
    row("tags", flatten_to_line(&memory.tags.join(", ")));
    row("said by", format_memory_voice(memory));
    row("also said by", flatten_to_line(&memory.vouchers.join(", ")));
    row(
        "task",
        memory
            .task
            .as_deref()
            .map(flatten_to_line)
            .unwrap_or_default(),
    );
    row(
        "marks",
        memory
            .marks
            .iter()
            .map(|it| it.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    );
    row("recorded", paint.format_time(memory.recorded_at));
    row("refreshed", paint.format_time(memory.refreshed_at));
    let usage = memory.usage;
    row(
        "use",
        format!(
            "shown {}×, applied {}×, found to hold {}×",
            usage.recalls, usage.applied, usage.verified
        ),
    );
    row("id", memory.id.to_string());
    row(
        "SHA-256",
        format!("{} (format {})", memory.content_digest(), format::VERSION),
    );
    table
}

fn format_memory_voice(memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice
        .author
        .as_deref()
        .map(|it| format!(" {}", flatten_to_line(it)))
        .unwrap_or_default();
    let session = voice
        .session
        .as_deref()
        .map(|it| format!(", session {}", flatten_to_line(it)))
        .unwrap_or_default();
    let outside = match (voice.tainted, voice.exposed) {
        (true, _) => ", from outside",
        (false, true) => ", after words from outside were read",
        (false, false) => "",
    };
    let channel = Some(voice.channel).filter(|it| *it != Channel::Unknown);
    let channel = channel.map(|it| format!(", by {it}")).unwrap_or_default();
    format!("{}{author}{channel}{session}{outside}", voice.origin)
}

/// The cited lines as they were, how they stand now, and what changed.
fn format_memory_evidence(memory: &Memory, verdicts: &[Verdict]) -> String {
    let mut out = String::new();
    for (citation, verdict) in memory.citations.iter().zip(verdicts) {
        let word = verdict.as_str();
        let commit = citation
            .commit
            .as_deref()
            .and_then(|it| it.get(..10))
            .map(|it| format!(" · read at {it}"));
        let place = memory::format_judged_place(citation, verdict);
        let commit = style_text(DIM, commit.unwrap_or_default());
        out += &format!(
            "{}  {place}{commit}\n",
            style_text(pick_standing_style(word), word)
        );
        out += &memory::format_numbered_evidence(citation, 0);
        out += &memory::format_counter_evidence(citation, verdict, 6);
    }
    out
}

fn format_related_memories(title: &str, memories: &[VerifiedMemory]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let line = |it: &VerifiedMemory| {
        format!(
            "  {}  {}\n",
            style_text(BOLD, it.memory.handle()),
            flatten_to_line(&it.memory.fact)
        )
    };
    format!(
        "{}\n{}",
        style_text(BOLD, title),
        memories.iter().map(line).collect::<String>()
    )
}

fn format_memory_history(paint: &Paint, events: &[LoggedEvent]) -> String {
    let mut table = TextTable::default();
    for it in events {
        let actor = it
            .event
            .actor
            .as_deref()
            .map(flatten_to_line)
            .unwrap_or_default();
        table.add_row([
            style_text(DIM, paint.format_time(it.event.at)),
            it.event.what.event_kind().to_string(),
            actor,
            describe_event_body(&it.event.what),
        ]);
    }
    format!(
        "{}\n{}",
        style_text(BOLD, "History"),
        table.to_text(paint, 2)
    )
}
