//! The call that puts a memory right whose code changed, with everything filled in that is known here: as a call of a tool
//! or as a line for a shell. Every face that tells of such a memory suggests the same.

use apostille_cite::{citation::CodeLocation, standing::Standing, verdict::Verdict};
use apostille_text::{moderate::sanitize_line, shell_word::quote_shell_word};
use serde_json::{Value, json};

use crate::{memory::Handle, standing_text::StandingView};

/// What stands in a call for what only its reader knows.
const OPEN: &str = "…";

/// How the reader of a call makes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RepairForm {
    /// With the tool `memory_revise`: for who has just called a tool.
    Tool,
    /// In a shell: for everybody else. A client with hooks has a shell, and nobody can tell a hook whether it has our tools.
    /// It is the shorter of the two, and who has the tool knows its arguments.
    #[default]
    Shell,
}

impl RepairForm {
    /// What is said once of all calls on a page: what else may be done, and by which other way.
    #[must_use]
    pub fn describe_other_calls(self) -> &'static str {
        match self {
            Self::Tool => "Else action correct, confirm (still true) or invalidate.",
            Self::Shell => {
                "Else `apostille confirm` (still true) or `invalidate`; memory_revise does the same."
            }
        }
    }
}

/// The call that puts a memory right, as far as the code tells which one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairCall {
    handle: Handle,
    action: RepairAction,
    places: Vec<CodeLocation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RepairAction {
    /// The code was edited, and nothing says that the fact is wrong.
    Confirm,
    /// The code says something else: this, where it is as simple as another word.
    Correct(Option<String>),
    /// Nothing is left of it, for this reason.
    Invalidate(String),
}

impl RepairCall {
    /// The call for a memory that does not stand; `None` for one that stands or could not be looked up.
    #[must_use]
    pub fn suggest(view: &StandingView) -> Option<Self> {
        let action = match view.judgement.standing {
            // Its code is as it was: a name that it has is not there, or a command fails.
            Standing::Check if view.verdicts.iter().all(|it| *it == Verdict::Holds) => {
                RepairAction::Correct(None)
            }
            Standing::Check => RepairAction::Confirm,
            Standing::Contradicted => RepairAction::Correct(correct_fact(view)),
            Standing::Gone => RepairAction::Invalidate(match view.place() {
                Some(place) => format!("{place} is gone"),
                None => "its code is gone".to_owned(),
            }),
            Standing::Stands | Standing::Stated | Standing::Unknown => return None,
        };
        Some(Self {
            handle: view.memory.handle(),
            action,
            places: view.list_places(),
        })
    }

    /// Whether it says what the fact would have to be, so that nobody has to repeat the fact beside it.
    #[must_use]
    pub fn has_corrected_fact(&self) -> bool {
        matches!(self.action, RepairAction::Correct(Some(_)))
    }

    /// The call on one line, as its reader makes it.
    #[must_use]
    pub fn format_call(&self, form: RepairForm) -> String {
        match form {
            RepairForm::Tool => self.tool_call(),
            RepairForm::Shell => self.shell_line(),
        }
    }

    /// The arguments of the tool `memory_revise`.
    #[must_use]
    pub fn tool_arguments(&self) -> Value {
        let id = self.handle.to_string();
        let mut arguments = match &self.action {
            RepairAction::Confirm => json!({"id": id, "action": "confirm"}),
            RepairAction::Correct(fact) => {
                let fact = fact.as_deref().unwrap_or(OPEN);
                json!({"id": id, "action": "correct", "fact": fact})
            }
            RepairAction::Invalidate(reason) => {
                return json!({"id": id, "action": "invalidate", "reason": reason});
            }
        };
        if !self.places.is_empty() {
            let cites: Vec<String> = self.places.iter().map(CodeLocation::to_string).collect();
            arguments["citations"] = json!(cites);
        }
        arguments
    }

    /// The call of the tool, on one line.
    #[must_use]
    pub fn tool_call(&self) -> String {
        sanitize_line(&format!("memory_revise {}", self.tool_arguments()))
    }

    /// The command that does the same.
    #[must_use]
    pub fn shell_line(&self) -> String {
        let handle = self.handle;
        let cites = || {
            let cite = |it: &CodeLocation| format!(" --cite {}", quote_shell_word(&it.to_string()));
            self.places.iter().map(cite).collect::<String>()
        };
        sanitize_line(&match &self.action {
            RepairAction::Confirm => format!("apostille confirm {handle}{}", cites()),
            RepairAction::Correct(fact) => {
                let fact = quote_shell_word(fact.as_deref().unwrap_or(OPEN));
                format!("apostille supersede {handle} {fact}{}", cites())
            }
            RepairAction::Invalidate(reason) => {
                let reason = quote_shell_word(reason);
                format!("apostille invalidate {handle} --reason {reason}")
            }
        })
    }
}

/// What the fact would have to say, where the code only has other words for some of its words. Nothing where a word
/// stands in it twice: then nobody can tell which of them is meant.
fn correct_fact(view: &StandingView) -> Option<String> {
    let mut memory = view.memory.clone();
    let replaced = view.list_replaced();
    if replaced.is_empty() || memory.withhold_secret() {
        return None;
    }
    let fact = sanitize_line(&memory.fact);
    replaced.iter().try_fold(fact, |fact, (old, new)| {
        replace_single_word(&fact, old, new)
    })
}

fn replace_single_word(text: &str, old: &str, new: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + old.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    let mut found = text.match_indices(old).map(|it| it.0).filter(is_whole);
    let at = found.next()?;
    let is_only = found.next().is_none();
    is_only.then(|| format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_replaced_where_it_stands_whole_and_alone() {
        let check = |text: &str, old: &str, new: &str, expected: Option<&str>| {
            assert_eq!(
                replace_single_word(text, old, new).as_deref(),
                expected,
                "{text:?}"
            );
        };
        check("limited to 10 MB", "10", "25", Some("limited to 25 MB"));
        check("10 of 100", "10", "25", Some("25 of 100"));
        check("10 of 10", "10", "25", None);
        check("v10", "10", "25", None);
        check("“10”", "10", "25", Some("“25”"));
    }
}
