//! A note of basic-memory: a head, observations `- [category] text #tag (context)`, relations `- verb [[Target]]`.

use super::blocks::is_check_box;
use super::{
    candidate::{self, CandidateCollector, ImportCandidate},
    foreign_file::ForeignFile,
    front_matter::FrontMatter,
};
use apostille_core::memory::Kind;

/// Takes the observations and relations out of a note.
pub(super) fn collect_basic_memory(page: &mut CandidateCollector, sheet: &ForeignFile) {
    let front = FrontMatter::parse_leading(sheet.text);
    let head = front.n_lines;
    let mut note = BasicMemoryNote {
        title: find_note_title(sheet, &front),
        front,
        is_code: false,
        is_prose: false,
    };
    for (n, line) in (1..).zip(sheet.text.lines()).skip(head) {
        note.parse_line(page, n, line);
    }
}

fn find_note_title(sheet: &ForeignFile, front: &FrontMatter) -> String {
    let heading = || sheet.text.lines().find_map(|it| it.strip_prefix("# "));
    let stem = || sheet.name.map(|it| it.strip_suffix(".md").unwrap_or(it));
    front
        .get("title")
        .or_else(heading)
        .or_else(stem)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

struct BasicMemoryNote {
    title: String,
    front: FrontMatter,
    is_code: bool,
    /// Whether the line before was prose: a paragraph is left out once.
    is_prose: bool,
}

impl BasicMemoryNote {
    fn parse_line(&mut self, page: &mut CandidateCollector, n: usize, line: &str) {
        let (text, at) = (line.trim(), format!("line {n}"));
        let was_prose = std::mem::take(&mut self.is_prose);
        if text.starts_with("```") {
            self.is_code = !self.is_code;
            if self.is_code {
                page.leave_out(at, "a code block");
            }
            return;
        }
        let item = text
            .strip_prefix("- ")
            .or_else(|| text.strip_prefix("* "))
            .map(str::trim);
        if self.is_code || text.is_empty() || text.starts_with('#') {
            return;
        }
        if item.is_some_and(is_check_box) {
            return page.leave_out(at, "a check box");
        }
        let parse = |it| {
            self.parse_observation(&at, it)
                .or_else(|| self.parse_relation(&at, it))
        };
        match item.and_then(parse) {
            Some(piece) => page.add_candidate(piece),
            None => {
                self.is_prose = true;
                if !was_prose {
                    page.leave_out(at, "prose: only observations and relations are taken out");
                }
            }
        }
    }

    fn new_candidate(&self, at: &str, kind: Kind, fact: String) -> ImportCandidate {
        ImportCandidate {
            subject: Some(self.title.clone()).filter(|it| !it.is_empty()),
            said_at: self.front.said_at(),
            ..ImportCandidate::new(at, kind, fact)
        }
    }

    /// An observation, where an item is one.
    fn parse_observation(&self, at: &str, item: &str) -> Option<ImportCandidate> {
        let (category, rest) = item.strip_prefix('[')?.split_once(']')?;
        // `[text](link)` and `[[link]]` are links.
        if category.trim().is_empty() || category.starts_with('[') || rest.starts_with(['(', ']']) {
            return None;
        }
        let (said, context) = split_trailing_context(rest.trim());
        let (said, tags) = split_trailing_tags(said);
        let said = candidate::format_observation(&self.title, said);
        let category = category.trim();
        Some(ImportCandidate {
            tags: [&[category.to_owned()], &*tags, self.front.values_of("tags")].concat(),
            reason: context.map(Into::into),
            ..self.new_candidate(at, infer_category_kind(category, &said), said)
        })
    }

    /// A relation, where an item is one.
    fn parse_relation(&self, at: &str, item: &str) -> Option<ImportCandidate> {
        let (item, context) = split_trailing_context(item);
        let (verb, rest) = item.split_once("[[")?;
        let target = rest.strip_suffix("]]")?;
        if target.trim().is_empty() || target.contains("[[") {
            return None;
        }
        let verb = verb.trim().trim_matches('"');
        let verb = if verb.is_empty() { "relates to" } else { verb };
        let fact = candidate::format_relation(&self.title, verb, target);
        Some(ImportCandidate {
            reason: context.map(Into::into),
            ..self.new_candidate(at, Kind::Project, fact)
        })
    }
}

/// A text, and what stands in brackets at its end.
fn split_trailing_context(text: &str) -> (&str, Option<&str>) {
    let parts = text.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
    match parts {
        Some((said, context)) if !context.contains(['(', ')']) && !context.trim().is_empty() => {
            (said.trim(), Some(context.trim()))
        }
        _ => (text, None),
    }
}

/// A text without the tags at its end, and all tags in it.
fn split_trailing_tags(text: &str) -> (&str, Vec<String>) {
    let name = |it: &str| {
        let tag = it.strip_prefix('#')?.trim_end_matches(['.', ',']);
        tag.starts_with(char::is_alphabetic).then(|| tag.to_owned())
    };
    let tags = text.split_whitespace().filter_map(name).collect();
    let mut said = text;
    while let Some((rest, _)) = said
        .rsplit_once(char::is_whitespace)
        .filter(|(_, it)| name(it).is_some())
    {
        said = rest.trim_end();
    }
    (said, tags)
}

fn infer_category_kind(category: &str, said: &str) -> Kind {
    let category = category.to_lowercase();
    match &*category {
        "reference" | "resource" | "link" | "url" | "command" => Kind::Reference,
        _ => candidate::infer_memory_kind(&category, said),
    }
}
