//! A note of basic-memory: a head, observations `- [category] text #tag (context)`, relations `- verb [[Target]]`.

use super::candidate::{
    self, CandidateCollector, FormatMismatch, ImportCandidate, ParsedForeignFile,
};
use super::foreign_file::ForeignFile;
use super::front_matter::FrontMatter;
use apostille_core::memory::Kind;
use apostille_core::policy::MemoryLimits;

/// Takes the observations and relations out of a note.
pub(super) fn parse_basic_memory(
    sheet: &ForeignFile<'_>,
    limits: &MemoryLimits,
) -> Result<ParsedForeignFile, FormatMismatch> {
    let (front, head) = FrontMatter::parse_leading(sheet.text);
    let mut page = CandidateCollector::new(limits);
    if FrontMatter::is_unclosed(sheet.text) {
        return Ok(page.into_broken_off());
    }
    let mut note = BasicMemoryNote {
        title: find_note_title(sheet, &front),
        front,
        is_code: false,
        is_prose: false,
    };
    for (n, line) in (1..).zip(sheet.text.lines()).skip(head) {
        note.parse_line(&mut page, n, line);
    }
    Ok(page.into_parsed_file())
}

fn find_note_title(sheet: &ForeignFile<'_>, front: &FrontMatter) -> String {
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
    fn parse_line(&mut self, page: &mut CandidateCollector<'_>, n: usize, line: &str) {
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
        match item {
            _ if self.is_code || text.is_empty() || text.starts_with('#') => {}
            Some(item) if is_check_box_item(item) => page.leave_out(at, "a check box"),
            Some(item)
                if self.parse_observation(page, &at, item)
                    || self.parse_relation(page, &at, item) => {}
            _ => {
                self.is_prose = true;
                if !was_prose {
                    page.leave_out(at, "prose: only observations and relations are taken out");
                }
            }
        }
    }

    fn new_candidate(&self, at: &str, kind: Kind, fact: String) -> ImportCandidate {
        let said_at = ["created", "created_at", "date"]
            .iter()
            .find_map(|it| candidate::parse_foreign_time(self.front.get(it)?));
        let subject = Some(self.title.clone()).filter(|it| !it.is_empty());
        ImportCandidate {
            subject,
            said_at,
            ..ImportCandidate::new(at, kind, fact)
        }
    }

    /// Takes an observation; `false` if it is none.
    fn parse_observation(&self, page: &mut CandidateCollector<'_>, at: &str, item: &str) -> bool {
        let Some((category, rest)) = item.strip_prefix('[').and_then(|it| it.split_once(']'))
        else {
            return false;
        };
        // `[text](link)` and `[[link]]` are links.
        if category.trim().is_empty() || category.starts_with('[') || rest.starts_with(['(', ']']) {
            return false;
        }
        let (said, context) = split_trailing_context(rest.trim());
        let (said, tags) = split_trailing_tags(said);
        let said = if said.is_empty() {
            String::new()
        } else {
            candidate::format_observation(&self.title, said)
        };
        let tags = [
            &[category.trim().to_owned()],
            &*tags,
            self.front.values_of("tags"),
        ]
        .concat();
        let piece = self.new_candidate(at, infer_category_kind(category, &said), said);
        page.add_candidate(ImportCandidate {
            tags,
            reason: context.map(Into::into),
            ..piece
        });
        true
    }

    /// Takes a relation; `false` if it is none.
    fn parse_relation(&self, page: &mut CandidateCollector<'_>, at: &str, item: &str) -> bool {
        let (item, context) = split_trailing_context(item);
        let Some((verb, rest)) = item.split_once("[[") else {
            return false;
        };
        let Some(target) = rest
            .strip_suffix("]]")
            .filter(|it| !it.trim().is_empty() && !it.contains("[["))
        else {
            return false;
        };
        let verb = verb.trim().trim_matches('"');
        let verb = if verb.is_empty() { "relates to" } else { verb };
        let piece = self.new_candidate(
            at,
            Kind::Project,
            candidate::format_relation(&self.title, verb, target),
        );
        page.add_candidate(ImportCandidate {
            reason: context.map(Into::into),
            ..piece
        });
        true
    }
}

fn is_check_box_item(item: &str) -> bool {
    ["[ ]", "[x]", "[X]", "[-]"]
        .iter()
        .any(|it| item.starts_with(it))
}

/// A text, and what stands in brackets at its end.
fn split_trailing_context(text: &str) -> (&str, Option<&str>) {
    let found = || {
        let (said, context) = text.strip_suffix(')')?.rsplit_once(" (")?;
        (!context.contains(['(', ')']) && !context.trim().is_empty())
            .then(|| (said.trim(), Some(context.trim())))
    };
    found().unwrap_or((text, None))
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
    let category = category.trim().to_lowercase();
    match &*category {
        "reference" | "resource" | "link" | "url" | "command" => Kind::Reference,
        _ => candidate::infer_memory_kind(&category, said),
    }
}
