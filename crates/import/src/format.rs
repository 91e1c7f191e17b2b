//! The formats that can be read, and how a file of each is known.

use serde_json::Value;

pub use super::foreign_file::ForeignFile;
use super::{
    basic_memory,
    candidate::{CandidateCollector, FormatMismatch, ParsedForeignFile},
    claude, claude_mem, copilot, engram,
    foreign_file::iter_filled_lines,
    front_matter::FrontMatter,
    mcp_graph, mem0, rule_file,
};
use apostille_core::{memory::Kind, notebook::NotebookNote, policy::MemoryLimits};
use apostille_text::words::words;

words! {
    /// Whose file it is.
    ForeignFormat as "format" {
        /// An export of this program, as one object or as lines.
        Apostille = "apostille",
        /// Plain notes, one JSON object a line.
        Notes = "notes",
        /// The graph of the reference memory server, one JSON object a line.
        McpGraph = "mcp-graph",
        /// The notes that Claude Code keeps for itself.
        Claude = "claude",
        /// Rules for agents: AGENTS.md and its like.
        Rules = "rules",
        /// A note of basic-memory.
        BasicMemory = "basic-memory",
        /// An export of mem0.
        Mem0 = "mem0",
        /// An export of claude-mem.
        ClaudeMem = "claude-mem",
        /// An export of engram.
        Engram = "engram",
        /// Memories of Copilot.
        Copilot = "copilot",
    }
}

impl ForeignFormat {
    /// Whether another program's file it is; our own are read whole or not at all, elsewhere.
    #[must_use]
    pub fn is_foreign(self) -> bool {
        !matches!(self, Self::Apostille | Self::Notes)
    }

    /// Takes the memories out of another program's file; of our own, none.
    pub fn parse_foreign_file(
        self,
        sheet: &ForeignFile,
        limits: &MemoryLimits,
    ) -> Result<ParsedForeignFile, FormatMismatch> {
        let mut page = CandidateCollector::new(limits);
        match self {
            Self::Apostille | Self::Notes => {}
            Self::McpGraph => mcp_graph::collect_mcp_graph(&mut page, sheet.text)?,
            Self::Mem0 => mem0::collect_mem0_export(&mut page, sheet.text)?,
            Self::ClaudeMem => claude_mem::collect_claude_mem_export(&mut page, sheet.text)?,
            Self::Engram => engram::collect_engram_export(&mut page, sheet.text)?,
            Self::Copilot => copilot::collect_copilot_memories(&mut page, sheet.text)?,
            _ if FrontMatter::is_unclosed(sheet.text) => {
                page.leave_out("line 1", "its head is not closed: the file is broken off");
            }
            Self::Claude => claude::collect_claude_memories(&mut page, sheet),
            Self::Rules => rule_file::collect_rules(&mut page, sheet),
            Self::BasicMemory => basic_memory::collect_basic_memory(&mut page, sheet),
        }
        Ok(page.reading)
    }

    /// The names of all of them, for people.
    pub fn join_names() -> String {
        Self::ALL
            .iter()
            .map(|it| it.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// How many lines are tried before a file counts as none of lines: the first may be damaged.
const TRIED: usize = 20;

/// Which format a text is of: by what it says, and by its name where that says nothing.
pub fn detect_import_format(sheet: &ForeignFile) -> Option<ForeignFormat> {
    match sheet.text.trim_start().starts_with(['{', '[']) {
        true => iter_filled_lines(sheet.text)
            .take(TRIED)
            .find_map(|(_, line)| detect_line_format(line))
            .or_else(|| detect_json_format(sheet.text)),
        false => detect_by_file_name(sheet.name)
            .or_else(|| detect_by_front_matter(sheet.text))
            .or_else(|| {
                let is_page = sheet.name.is_some_and(|it| it.ends_with(".md"));
                (is_page && sheet.is_beside_index).then_some(ForeignFormat::Claude)
            }),
    }
}

fn detect_line_format(line: &str) -> Option<ForeignFormat> {
    let value: Value = serde_json::from_str(line).ok()?;
    let has = |names: &[&str]| names.iter().all(|it| value[it].is_string());
    match value["type"].as_str() {
        Some("entity" | "relation") => Some(ForeignFormat::McpGraph),
        _ if has(&["id", "space", "layer", "kind", "fact", "status"]) => {
            Some(ForeignFormat::Apostille)
        }
        _ if NotebookNote::parse_line(line).is_ok() => Some(ForeignFormat::Notes),
        _ if copilot::is_copilot_memory(&value) => Some(ForeignFormat::Copilot),
        _ => None,
    }
}

fn detect_json_format(text: &str) -> Option<ForeignFormat> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        // Half an export is an export all the same, and whoever reads it says where it breaks off.
        return text
            .trim_start_matches(['{', '\n', ' '])
            .starts_with("\"format\": \"apostille\"")
            .then_some(ForeignFormat::Apostille);
    };
    match () {
        () if value["format"] == "apostille" => Some(ForeignFormat::Apostille),
        () if mcp_graph::find_graph_lists(&value).is_some() => Some(ForeignFormat::McpGraph),
        () if mem0::find_mem0_list(&value).is_some() => Some(ForeignFormat::Mem0),
        () if claude_mem::is_claude_mem_export(&value) => Some(ForeignFormat::ClaudeMem),
        () if engram::is_engram_export(&value) => Some(ForeignFormat::Engram),
        () if copilot::find_copilot_list(&value).is_some() => Some(ForeignFormat::Copilot),
        () => None,
    }
}

/// What a JSON text of no known format lacks; `None` for what is no JSON at all.
pub fn explain_unknown_json(text: &str) -> Option<String> {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let why = value.is_object().then(|| NotebookNote::parse_line(text));
        let note = match why {
            Some(Err(why)) => format!(", and is not a note ({why})"),
            _ => String::new(),
        };
        return (value.is_object() || value.is_array()).then(|| {
            format!("it has no list 'results' or 'memories', nor 'entities' and 'relations'{note}")
        });
    }
    let is_object = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|it| it.is_object());
    let (n, line) = iter_filled_lines(text).find(|(_, it)| is_object(it))?;
    let why = NotebookNote::parse_line(line).err()?;
    Some(format!(
        "line {n} is not a note ({why}), an entity or relation, or a memory of an export"
    ))
}

fn detect_by_file_name(name: Option<&str>) -> Option<ForeignFormat> {
    let name = name?.to_ascii_lowercase();
    let is_rules = |it: &str| {
        [".mdc", "copilot-instructions.md", ".instructions.md"]
            .iter()
            .any(|end| it.ends_with(end))
    };
    match &*name {
        "agents.md" | "claude.md" | "claude.local.md" | "gemini.md" | ".cursorrules" => {
            Some(ForeignFormat::Rules)
        }
        "memory.md" => Some(ForeignFormat::Claude),
        other => is_rules(other).then_some(ForeignFormat::Rules),
    }
}

fn detect_by_front_matter(text: &str) -> Option<ForeignFormat> {
    let front = FrontMatter::parse_leading(text);
    let has_any = |keys: [&str; 2]| keys.iter().any(|it| front.has_field(it));
    let kind = front.get("type").and_then(|it| it.parse::<Kind>().ok());
    let is_heading = |it: &str| matches!(it.trim_end(), "## Observations" | "## Relations");
    match () {
        () if front.has_field("permalink") || text.lines().any(is_heading) => {
            Some(ForeignFormat::BasicMemory)
        }
        () if kind.is_some() && has_any(["name", "description"]) => Some(ForeignFormat::Claude),
        () if has_any(["alwaysApply", "globs"]) => Some(ForeignFormat::Rules),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_they_say_and_else_by_their_name() {
        let check = |name: &str, text: &str, expected: &str| {
            let sheet = ForeignFile {
                name: Some(name),
                is_beside_index: false,
                text,
            };
            assert_eq!(
                detect_import_format(&sheet).map_or("", ForeignFormat::as_str),
                expected,
                "{name}: {text}"
            );
        };
        check(
            "a.json",
            r#"{"format":"apostille","version":1,"memories":[]}"#,
            "apostille",
        );
        check(
            "a.jsonl",
            r#"{"text":"t","ts":"2026-02-26T12:00:00Z"}"#,
            "notes",
        );
        check(
            "a.jsonl",
            "{broken\n{\"type\":\"entity\",\"name\":\"a\"}\n",
            "mcp-graph",
        );
        check("a.json", r#"{"entities":[],"relations":[]}"#, "mcp-graph");
        check("a.json", r#"{"results":[{"memory":"a"}]}"#, "mem0");
        check("a.json", r#"[{"memory":"a"}]"#, "mem0");
        check("a.json", r#"{"results":[]}"#, "mem0");
        check("a.json", r#"{"memories":[],"relations":[]}"#, "mem0");
        check(
            "a.jsonl",
            r#"{"id":"note-7","text":"t","ts":"2026-02-26T12:00:00Z"}"#,
            "notes",
        );
        check("a.json", r#"{"memories":[{"memory":"a"}]}"#, "mem0");
        check(
            "a.json",
            "{\n  \"format\": \"apostille\",\n  \"vers",
            "apostille",
        );
        check(
            "a.json",
            r#"{"exportedAt":"t","observations":[],"summaries":[]}"#,
            "claude-mem",
        );
        check(
            "a.json",
            r#"{"version":"0.1.0","exported_at":"t","sessions":[],"observations":[],"prompts":[]}"#,
            "engram",
        );
        check("a.json", r#"[{"subject":"a","fact":"b"}]"#, "copilot");
        check(
            "a.json",
            r#"{"memories":[{"fact":"b","reason":"c"}]}"#,
            "copilot",
        );
        check("a.jsonl", "{\"subject\":\"a\",\"fact\":\"b\"}\n", "copilot");
        check("a.json", "[]", "");
        check("a.json", r#"{"results":[1]}"#, "");
        check("AGENTS.md", "# Rules", "rules");
        check("style.mdc", "- a", "rules");
        check(".cursorrules", "a", "rules");
        check("x.md", "---\nglobs: '*.ts'\n---\n- a", "rules");
        check("MEMORY.md", "- a", "claude");
        check("x.md", "---\nname: a\ntype: feedback\n---\nb", "claude");
        check(
            "x.md",
            "---\nname: a\nmetadata:\n  type: user\n---\nb",
            "claude",
        );
        check("x.md", "---\ntitle: a\npermalink: a\n---\n", "basic-memory");
        check(
            "x.md",
            "# A\r\n\r\n## Observations\r\n- [a] b",
            "basic-memory",
        );
        check("README.md", "# Readme\n\n- a", "");
        check("x.md", "---\nname: a\ntype: note\n---\n", "");
        check("x", "", "");
    }

    #[test]
    fn a_page_beside_an_index_belongs_to_it() {
        let sheet = ForeignFile {
            name: Some("debugging.md"),
            is_beside_index: true,
            text: "- a",
        };
        assert_eq!(detect_import_format(&sheet), Some(ForeignFormat::Claude));
    }
}
