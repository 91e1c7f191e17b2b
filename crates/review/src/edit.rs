//! What a person says instead: in an editor where one is set, else line by line.

use apostille_core::memory::Memory;

use apostille_terminal::{
    command_context::CommandResult, editor::edit_text, paint::make_terminal_safe,
};
use apostille_workspace::system::System;

/// The words of a memory that can be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditableWords {
    /// What was learned.
    pub fact: String,
    /// A brief topic.
    pub subject: Option<String>,
    /// Why it matters.
    pub reason: Option<String>,
}

const NOTE: &str = "# the fact stands below the empty line; without a fact nothing is changed";

impl EditableWords {
    /// The words of a memory as they are.
    pub(crate) fn from_memory(memory: &Memory) -> Self {
        Self {
            fact: memory.fact.clone(),
            subject: memory.subject.clone(),
            reason: memory.reason.clone(),
        }
    }

    /// The words as a text to edit.
    fn to_page(&self) -> String {
        let line = |it: &Option<String>| {
            make_terminal_safe(it.as_deref().unwrap_or_default()).replace('\n', " ")
        };
        format!(
            "subject: {}\nreason: {}\n{NOTE}\n\n{}\n",
            line(&self.subject),
            line(&self.reason),
            make_terminal_safe(&self.fact)
        )
    }

    /// The words that a text holds; `None` if there is no fact left.
    fn parse_page(page: &str) -> Option<Self> {
        let lines: Vec<&str> = page.lines().filter(|it| *it != NOTE).collect();
        let end = lines
            .iter()
            .position(|it| it.trim().is_empty())
            .unwrap_or(lines.len());
        let (top, fact) = lines.split_at(end);
        let said = |key: &str| {
            let mut lines = top.iter();
            let found = lines.find_map(|it| it.strip_prefix(key))?.trim();
            (!found.is_empty()).then(|| found.to_owned())
        };
        let fact = fact.join("\n").trim().to_owned();
        (!fact.is_empty()).then(|| Self {
            fact,
            subject: said("subject:"),
            reason: said("reason:"),
        })
    }
}

/// Lets a person edit the words in their editor; `None` if nothing is to be changed.
pub(crate) fn edit_in_editor(
    system: &System,
    editor: &str,
    words: &EditableWords,
) -> CommandResult<Option<EditableWords>> {
    let page = edit_text(system, editor, "review", &words.to_page())?;
    Ok(EditableWords::parse_page(&page).filter(|it| it != words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_the_editor_is_read_back() {
        let check = |fact: &str, subject: Option<&str>, reason: Option<&str>| {
            let (subject, reason) = (subject.map(Into::into), reason.map(Into::into));
            let words = EditableWords {
                fact: fact.into(),
                subject,
                reason,
            };
            assert_eq!(EditableWords::parse_page(&words.to_page()), Some(words));
        };
        check("one line", None, None);
        check(
            "two\n\nparagraphs",
            Some("Topic: with a colon"),
            Some("it matters"),
        );
        check("subject: not a subject", None, Some("why"));
        let is_empty = |page: &str| assert_eq!(EditableWords::parse_page(page), None, "{page:?}");
        is_empty("");
        is_empty("subject: a\nreason: b\n\n \n");
        check("# a heading\n#[derive(Debug)]", None, None);
    }
}
