//! `export`: everything written out, all layers and all stages.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use apostille_core::format::{self, MemoryRecord};
use apostille_core::list;
use apostille_core::memory::{Layer, Memory, Stage};
use apostille_core::remember::moderate;
use apostille_core::store::{Filter, Order};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::args::{Export, Format};
use crate::error::{self, Fault};
use crate::paint::{one_line, safe};
use crate::shell::{Answer, Shell};

/// The word by which an export is known.
pub(super) const FORMAT: &str = "apostille";

/// An export as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct Exported {
    /// Always `apostille`.
    pub(super) format: String,
    /// The version of the shape.
    pub(super) version: u32,
    /// When it was written.
    pub(super) exported_at: String,
    /// Every memory, the oldest first.
    pub(super) memories: Vec<MemoryRecord>,
}

/// Writes every memory of the spaces in play, or of all.
pub fn run(shell: &Shell, args: &Export) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let spaces = desk.spaces_or_all(args.spaces.all_spaces);
    let filter = Filter { spaces, order: Order::Oldest, limit: usize::MAX, ..Filter::default() };
    let mut memories = list::list(&desk.cx(), &filter)?;
    let withheld: String = memories.iter_mut().filter_map(withheld).collect();
    let is_json = shell.flags.json && args.out.is_none();
    let text = match args.format {
        Format::Markdown if !is_json => as_markdown(&memories),
        Format::Jsonl if !is_json => as_lines(&memories)?,
        _ => as_json(&memories, shell.world.now)?,
    };
    match &args.out {
        None => Ok(Answer { code: error::OK, out: text, err: withheld, color: clap::ColorChoice::Never }),
        Some(path) => {
            let answer = written(shell, &shell.world.cwd.join(path), &text, memories.len())?;
            Ok(Answer { err: withheld, ..answer })
        }
    }
}

/// Takes out of a memory what looks like a secret, and says so.
fn withheld(memory: &mut Memory) -> Option<String> {
    let handle = memory.handle();
    let told = || {
        format!("withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it\n")
    };
    moderate::withhold(memory).then(told)
}

fn written(shell: &Shell, path: &Path, text: &str, n: usize) -> Result<Answer, Fault> {
    #[derive(Serialize)]
    struct Reply {
        ok: bool,
        path: String,
        count: usize,
    }
    let failed = |error| Fault::usage(format!("cannot write '{}': {error}", path.display()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    let json = Reply { ok: true, path: path.display().to_string(), count: n };
    Ok(shell.answer(error::OK, &json, |_| {
        format!("wrote {} to {}\n", crate::paint::count(n as u64, "memory", "memories"), path.display())
    }))
}

fn as_json(memories: &[Memory], now: Timestamp) -> Result<String, Fault> {
    let exported = Exported {
        format: FORMAT.into(),
        version: format::VERSION,
        exported_at: format::timestamp(now),
        memories: memories.iter().map(MemoryRecord::stamped).collect(),
    };
    Ok(serde_json::to_string_pretty(&exported).map_err(Fault::internal)? + "\n")
}

/// One record a line; an empty store is an empty file.
fn as_lines(memories: &[Memory]) -> Result<String, Fault> {
    let line = |it| Ok(serde_json::to_string(&MemoryRecord::stamped(it)).map_err(Fault::internal)? + "\n");
    memories.iter().map(line).collect()
}

/// One heading for each space and layer; what is no longer in use is listed last.
fn as_markdown(memories: &[Memory]) -> String {
    let mut out = String::from("# Memories\n");
    let mut spaces: Vec<_> = memories.iter().map(|it| &it.space).collect();
    spaces.sort();
    spaces.dedup();
    for space in spaces {
        out += &format!("\n## {space}\n");
        let here = || memories.iter().filter(|it| it.space == *space);
        for layer in Layer::ALL {
            out += &section(layer.as_str(), here().filter(|it| it.layer == *layer && it.is_active()));
        }
        for stage in Stage::ALL.iter().filter(|it| **it != Stage::Active) {
            out += &section(stage.as_str(), here().filter(|it| it.status.stage() == *stage));
        }
    }
    out
}

fn section<'a>(title: &str, memories: impl Iterator<Item = &'a Memory>) -> String {
    let items: String = memories.map(item).collect();
    if items.is_empty() { items } else { format!("\n### {title}\n\n{items}") }
}

fn item(memory: &Memory) -> String {
    let subject = memory.subject.as_deref().map(|it| format!("**{}**: ", one_line(it))).unwrap_or_default();
    let places: Vec<String> =
        memory.citations.iter().map(|it| format!("`{}`", safe(&it.place().to_string()))).collect();
    let tags: Vec<String> = memory.tags.iter().map(|it| format!("#{}", one_line(it))).collect();
    let why = memory.status.why().map(one_line).unwrap_or_default();
    let details = [
        places.join(", "),
        tags.join(" "),
        memory.kind.to_string(),
        format!("said by {}", memory.voice.origin),
        why,
    ];
    let details: Vec<String> = details.into_iter().filter(|it| !it.is_empty()).collect();
    let reason = memory.reason.as_deref().map(|it| format!("  Why: {}\n", one_line(it))).unwrap_or_default();
    let head = format!("- {} {subject}{}\n", memory.handle(), one_line(&memory.fact));
    format!("{head}{reason}  {} · {}\n", details.join(" · "), format::timestamp(memory.recorded_at))
}
