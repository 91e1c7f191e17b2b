//! Export: everything written out, in one of three formats. Text out of memories; nothing is read or written here.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use apostille_core::{
    format,
    format::MemoryRecord,
    memory::{Handle, Layer, Memory, Stage},
    notebook::format_notebook_line,
};
use apostille_text::{moderate, moderate::neutralise_to_one_line, words::words};

/// The word by which an export is known.
pub const FORMAT: &str = "apostille";

words! {
    /// How an export is written.
    ExportFormat as "format" {
        /// One JSON object, which `import` reads.
        Json = "json",
        /// Markdown for people.
        Markdown = "markdown",
        /// One JSON record on each line, which `import` reads.
        Jsonl = "jsonl",
        /// Plain notes, one JSON object on each line: text, tags and time of what is in use, and nothing else.
        Notebook = "notebook",
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
    format: ExportFormat,
    now: Timestamp,
) -> Result<String, serde_json::Error> {
    let records = memories.iter().map(MemoryRecord::with_digest);
    match format {
        ExportFormat::Json => {
            let exported = ExportFile {
                format: FORMAT.into(),
                version: format::VERSION,
                exported_at: format::format_timestamp(now),
                memories: records.collect(),
            };
            Ok(serde_json::to_string_pretty(&exported)? + "\n")
        }
        ExportFormat::Markdown => Ok(export_as_markdown(memories)),
        // One record a line; an empty store is an empty file.
        ExportFormat::Jsonl => records
            .map(|it| Ok(serde_json::to_string(&it)? + "\n"))
            .collect(),
        ExportFormat::Notebook => {
            let lines = memories.iter().filter_map(format_notebook_line);
            Ok(lines.collect())
        }
    }
}

/// One heading for each space and layer; what is no longer in use is listed last.
fn export_as_markdown(memories: &[Memory]) -> String {
    let mut out = String::from("# Memories\n");
    let spaces: BTreeSet<_> = memories.iter().map(|it| &it.space).collect();
    for space in spaces {
        out += &format!("\n## {space}\n");
        let here = || memories.iter().filter(|it| it.space == *space);
        for layer in Layer::ALL {
            let active = here().filter(|it| it.layer == *layer && it.is_active());
            out += &format_export_section(layer.as_str(), active);
        }
        for stage in Stage::ALL.iter().filter(|it| **it != Stage::Active) {
            let staged = here().filter(|it| it.status.stage() == *stage);
            out += &format_export_section(stage.as_str(), staged);
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
    let with = |text: &Option<String>, format: fn(String) -> String| {
        let line = text.as_deref().map(neutralise_to_one_line);
        line.map(format).unwrap_or_default()
    };
    let subject = with(&memory.subject, |it| format!("**{it}**: "));
    let reason = with(&memory.reason, |it| format!("  Why: {it}\n"));
    let places = memory.citations.iter().map(|it| it.location().to_string());
    let places: Vec<String> = places
        .map(|it| format!("`{}`", moderate::neutralise_text(&it)))
        .collect();
    let tags = memory.tags.iter();
    let tags: Vec<String> = tags
        .map(|it| format!("#{}", neutralise_to_one_line(it)))
        .collect();
    let why = memory.status.why().map(neutralise_to_one_line);
    let details = [
        places.join(", "),
        tags.join(" "),
        memory.kind.to_string(),
        format!("said by {}", memory.voice.origin),
        why.unwrap_or_default(),
    ];
    let details: Vec<String> = details.into_iter().filter(|it| !it.is_empty()).collect();
    format!(
        "- {} {subject}{}\n{reason}  {} · {}\n",
        memory.handle(),
        neutralise_to_one_line(&memory.fact),
        details.join(" · "),
        format::format_timestamp(memory.recorded_at)
    )
}
