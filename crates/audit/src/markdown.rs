//! An audit as Markdown: counts first, then each class with what was found and the way out. Bounded.

use super::{AffectedMemory, AuditFinding, AuditReport, Class, Severity};
use apostille_core::{recall::render::sanitize_line, space::Space};
use apostille_text::shorten::shorten_text;

/// How long what is told of one class is, in characters.
const SECTION: usize = 1_500;
/// How long the line of one finding is, in characters.
const LINE: usize = 300;

impl AuditReport {
    /// It as Markdown.
    pub fn to_markdown(&self) -> String {
        let space = self.spaces.first().map_or("", Space::as_str);
        let title = format!("# Audit of {space}\n\n{}\n", self.summary());
        let sections = Class::ALL.iter().map(|it| self.format_class_section(*it));
        let mut body: String = sections.collect();
        if self.n_unknown > 0 {
            body += &format!(
                "\n## Could not be looked up ({})\nThis does not count against them.\n",
                self.n_unknown
            );
        }
        if body.is_empty() && self.is_complete {
            body += "\nNothing needs attention.\n";
        }
        title + &body
    }

    /// What was looked at, where, and how much was found, in a sentence.
    pub fn summary(&self) -> String {
        let spaces: Vec<&str> = self.spaces.iter().map(Space::short_name).collect();
        let at = self.commit.as_deref().and_then(|it| it.get(..10));
        let at = at.map(|it| format!(" at {it}")).unwrap_or_default();
        let stages = self.stages.iter().map(|(stage, n)| format!("{n} {stage}"));
        let ended = if self.is_complete {
            ""
        } else {
            " It was ended before it was complete."
        };
        format!(
            "Looked through {}{at}: {}. Found {}.{ended}",
            spaces.join(" and "),
            join_or_nothing(stages),
            self.format_severity_counts()
        )
    }

    /// How many findings there are of each severity.
    pub fn format_severity_counts(&self) -> String {
        let counts = Severity::ALL
            .iter()
            .map(|it| (*it, self.count_by_severity(*it)))
            .filter(|it| it.1 > 0);
        join_or_nothing(counts.map(|(word, n)| match n {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        }))
    }

    /// The findings of a class, with a line for each and one for each memory.
    fn format_class_section(&self, class: Class) -> String {
        let Some(n) = self.counts.get(&class) else {
            return String::new();
        };
        let mut out = format!(
            "\n## {class} ({n})\n{}.\n",
            capitalize_sentence(class.description())
        );
        let mut left = SECTION;
        let mut n_left_off = self.count_left_off(class);
        for it in self.findings.iter().filter(|it| it.class == class) {
            let text = format_audit_finding(it, &mut left);
            n_left_off += usize::from(text.is_empty());
            out += &text;
        }
        if n_left_off > 0 {
            out + &format!("- … and {n_left_off} more\n")
        } else {
            out
        }
    }
}

fn join_or_nothing(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        "nothing".into()
    } else {
        parts.join(", ")
    }
}

/// A finding and its memories, as far as there is room; nothing where there is none for the finding itself.
fn format_audit_finding(it: &AuditFinding, left: &mut usize) -> String {
    let head = format!(
        "- {}: {}; `{}`\n",
        it.severity,
        shorten_text(&sanitize_line(&it.what), LINE),
        shorten_text(&it.way_out, LINE)
    );
    let mut fits = |text: &str| {
        let chars = text.chars().count();
        let is_fit = chars <= *left;
        *left -= if is_fit { chars } else { 0 };
        is_fit
    };
    if !fits(&head) {
        return String::new();
    }
    let lines = it.memories.iter().map(format_affected_memory);
    let shown: Vec<String> = lines.take_while(|it| fits(it)).collect();
    let more = it.memories.len() - shown.len() + it.n_more;
    let more = if more > 0 {
        format!("  - … and {more} more\n")
    } else {
        String::new()
    };
    head + &shown.concat() + &more
}

fn format_affected_memory(it: &AffectedMemory) -> String {
    let standing = it.standing.map(|word| format!("; {word}"));
    let fact = it.fact.as_deref().map(|it| format!(" {it}"));
    let (standing, fact) = (standing.unwrap_or_default(), fact.unwrap_or_default());
    format!("  - ({}{standing}){fact}\n", it.handle)
}

fn capitalize_sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|it| it.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
