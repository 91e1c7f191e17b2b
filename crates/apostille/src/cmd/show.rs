//! `show`: everything about one memory.

use apostille_cite::verdict::{Verdict, worst};
use apostille_core::event::Logged;
use apostille_core::format;
use apostille_core::memory::{Channel, Memory};
use apostille_core::verify::Verified;

use super::log::happened;
use crate::args::One;
use crate::json::{MemoryDetails, MemoryDetailsReply};
use crate::paint::{BOLD, DIM, Paint, Table, ink, memory, one_line, standing};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Shows one memory, its evidence, how it stands now, what it replaced, and its history. Looking is not recorded.
pub fn run(shell: &Shell, args: &One) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let memory = match desk.named(&[args.name])? {
        Ok(mut found) => found.remove(0),
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let shown = MemoryDetails::of(&desk.cx(), memory)?;
    let json = MemoryDetailsReply::new(&*desk.store, &shown)?;
    Ok(shell.answer(error::OK, &json, |paint| text(paint, &shown)))
}

fn text(paint: &Paint, shown: &MemoryDetails) -> String {
    let Verified {
        memory, verdicts, ..
    } = &shown.memory;
    let word = worst(verdicts).map_or("unverified", Verdict::as_str);
    let subject = memory
        .subject
        .as_deref()
        .map(|it| ink(BOLD, one_line(it)))
        .unwrap_or_default();
    let head = format!(
        "{}  {}  {subject}",
        ink(BOLD, memory.handle()),
        ink(standing(word), word)
    );
    let fact = paint.wrapped(&memory.fact, 2);
    let parts = [
        format!("{}\n{fact}", head.trim_end()),
        facts(paint, memory).text(paint, 2),
        evidence(memory, verdicts),
        relatives("Replaced", &shown.older),
        relatives("Replaced by", &shown.newer),
        history(paint, &shown.history),
    ];
    parts
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is known about it, in two columns.
fn facts(paint: &Paint, memory: &Memory) -> Table {
    let mut table = Table::default();
    let mut row = |name: &str, text: String| {
        if !text.is_empty() {
            table.row([ink(DIM, name), text]);
        }
    };
    let why = memory
        .status
        .why()
        .map(|it| format!(" ({})", one_line(it)))
        .unwrap_or_default();
    row(
        "reason",
        memory.reason.as_deref().map(one_line).unwrap_or_default(),
    );
    row("space", memory.space.to_string());
    row("layer, kind", format!("{}, {}", memory.layer, memory.kind));
    row("status", format!("{}{why}", memory.status.stage()));
    row("tags", one_line(&memory.tags.join(", ")));
    row("said by", said_by(memory));
    row("also said by", one_line(&memory.vouchers.join(", ")));
    row(
        "task",
        memory.task.as_deref().map(one_line).unwrap_or_default(),
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
    row("recorded", paint.time(memory.recorded_at));
    row("refreshed", paint.time(memory.refreshed_at));
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
        format!("{} (format {})", memory.digest(), format::VERSION),
    );
    table
}

fn said_by(memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice
        .author
        .as_deref()
        .map(|it| format!(" {}", one_line(it)))
        .unwrap_or_default();
    let session = voice
        .session
        .as_deref()
        .map(|it| format!(", session {}", one_line(it)))
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
fn evidence(memory: &Memory, verdicts: &[Verdict]) -> String {
    let mut out = String::new();
    for (citation, verdict) in memory.citations.iter().zip(verdicts) {
        let word = verdict.as_str();
        let commit = citation
            .commit
            .as_deref()
            .and_then(|it| it.get(..10))
            .map(|it| format!(" · read at {it}"));
        let place = memory::judged(citation, verdict);
        let commit = ink(DIM, commit.unwrap_or_default());
        out += &format!("{}  {place}{commit}\n", ink(standing(word), word));
        out += &memory::evidence(citation, 0);
        out += &memory::against(citation, verdict, 6);
    }
    out
}

fn relatives(title: &str, memories: &[Verified]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let line = |it: &Verified| {
        format!(
            "  {}  {}\n",
            ink(BOLD, it.memory.handle()),
            one_line(&it.memory.fact)
        )
    };
    format!(
        "{}\n{}",
        ink(BOLD, title),
        memories.iter().map(line).collect::<String>()
    )
}

fn history(paint: &Paint, events: &[Logged]) -> String {
    let mut table = Table::default();
    for it in events {
        let actor = it.event.actor.as_deref().map(one_line).unwrap_or_default();
        table.row([
            ink(DIM, paint.time(it.event.at)),
            it.event.what.happening().to_string(),
            actor,
            happened(&it.event.what),
        ]);
    }
    format!("{}\n{}", ink(BOLD, "History"), table.text(paint, 2))
}
