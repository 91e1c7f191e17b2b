//! Export: everything written out, in one of three formats. Text out of memories; nothing is read or written here.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use apostille_core::format;
use apostille_core::format::MemoryRecord;
use apostille_core::memory::{Handle, Layer, Memory, Stage};
use apostille_text::moderate;
use apostille_text::moderate::neutralise_to_one_line;
use apostille_text::words::words;

/// The word by which an export is known.
pub const FORMAT: &str = "apostille";

words! {
    /// How an export is written.
    Format as "format" {
        /// One JSON object, which `import` reads.
        Json = "json",
        /// Markdown for people.
        Markdown = "markdown",
        /// One JSON record on each line, which `import` reads.
        Jsonl = "jsonl",
    }
}

/// An export as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportFile {
    /// Always `apostille`.
    pub format: String,
    /// The version of the shape.
    pub version: u32,
    /// When it was written.
    pub exported_at: String,
    /// Every memory, the oldest first.
    pub memories: Vec<MemoryRecord>,
}

/// Takes out of memories what looks like a secret, and says of which.
pub fn withhold_secrets(memories: &mut [Memory]) -> Vec<Handle> {
    memories
        .iter_mut()
        .filter_map(|it| it.withhold_secret().then(|| it.handle()))
        .collect()
}

/// The memories in this format.
pub fn export(
    memories: &[Memory],
    format: Format,
    now: Timestamp,
) -> Result<String, serde_json::Error> {
    match format {
        Format::Json => export_as_json(memories, now),
        Format::Markdown => Ok(export_as_markdown(memories)),
        Format::Jsonl => export_as_jsonl(memories),
    }
}

fn export_as_json(memories: &[Memory], now: Timestamp) -> Result<String, serde_json::Error> {
    let exported = ExportFile {
        format: FORMAT.into(),
        version: format::VERSION,
        exported_at: format::format_timestamp(now),
        memories: memories.iter().map(MemoryRecord::with_digest).collect(),
    };
    Ok(serde_json::to_string_pretty(&exported)? + "\n")
}

/// One record a line; an empty store is an empty file.
fn export_as_jsonl(memories: &[Memory]) -> Result<String, serde_json::Error> {
    let line = |it| Ok(serde_json::to_string(&MemoryRecord::with_digest(it))? + "\n");
    memories.iter().map(line).collect()
}

/// One heading for each space and layer; what is no longer in use is listed last.
fn export_as_markdown(memories: &[Memory]) -> String {
    let mut out = String::from("# Memories\n");
    let mut spaces: Vec<_> = memories.iter().map(|it| &it.space).collect();
    spaces.sort();
    spaces.dedup();
    for space in spaces {
        out += &format!("\n## {space}\n");
        let here = || memories.iter().filter(|it| it.space == *space);
        for layer in Layer::ALL {
            out += &format_export_section(
                layer.as_str(),
                here().filter(|it| it.layer == *layer && it.is_active()),
            );
        }
        for stage in Stage::ALL.iter().filter(|it| **it != Stage::Active) {
            out += &format_export_section(
                stage.as_str(),
                here().filter(|it| it.status.stage() == *stage),
            );
        }
    }
    out
}

fn format_export_section<'a>(title: &str, memories: impl Iterator<Item = &'a Memory>) -> String {
    let items: String = memories.map(format_export_item).collect();
    if items.is_empty() {
        items
    } else {
        format!("\n### {title}\n\n{items}")
    }
}

fn format_export_item(memory: &Memory) -> String {
    let subject = memory
        .subject
        .as_deref()
        .map(|it| format!("**{}**: ", neutralise_to_one_line(it)))
        .unwrap_or_default();
    let places: Vec<String> = memory
        .citations
        .iter()
        .map(|it| {
            format!(
                "`{}`",
                moderate::neutralise_text(&it.location().to_string())
            )
        })
        .collect();
    let tags: Vec<String> = memory
        .tags
        .iter()
        .map(|it| format!("#{}", neutralise_to_one_line(it)))
        .collect();
    let why = memory
        .status
        .why()
        .map(neutralise_to_one_line)
        .unwrap_or_default();
    let details = [
        places.join(", "),
        tags.join(" "),
        memory.kind.to_string(),
        format!("said by {}", memory.voice.origin),
        why,
    ];
    let details: Vec<String> = details.into_iter().filter(|it| !it.is_empty()).collect();
    let reason = memory
        .reason
        .as_deref()
        .map(|it| format!("  Why: {}\n", neutralise_to_one_line(it)))
        .unwrap_or_default();
    let head = format!(
        "- {} {subject}{}\n",
        memory.handle(),
        neutralise_to_one_line(&memory.fact)
    );
    format!(
        "{head}{reason}  {} · {}\n",
        details.join(" · "),
        format::format_timestamp(memory.recorded_at)
    )
}
