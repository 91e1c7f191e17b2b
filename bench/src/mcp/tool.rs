//! The four tools that are called, what they are asked, and what they may answer.

use anyhow::{Result, bail};
use apostille_tools::Profile;
use serde_json::{Value, json};

use crate::{facts, ours::Code};

/// The space that is written and asked.
pub(crate) const SPACE: usize = 0;

/// A tool of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    /// Keeps a note.
    Store,
    /// Finds notes by a word.
    Search,
    /// Keeps a fact with a citation.
    Remember,
    /// Finds ten memories, each looked up in the checkout.
    Recall,
}

impl Tool {
    /// Every tool that is measured.
    pub(crate) const ALL: [Self; 4] = [Self::Store, Self::Search, Self::Remember, Self::Recall];

    /// Its name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Store => "memory_store",
            Self::Search => "memory_search",
            Self::Remember => "memory_remember",
            Self::Recall => "memory_recall",
        }
    }

    /// Those of a set.
    pub(crate) fn of(profile: Profile) -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|it| it.profile() == profile)
            .collect()
    }

    /// The set that it belongs to.
    pub(crate) fn profile(self) -> Profile {
        match self {
            Self::Store | Self::Search => Profile::Simple,
            Self::Remember | Self::Recall => Profile::Default,
        }
    }

    /// Whether it keeps something.
    pub(crate) fn is_write(self) -> bool {
        matches!(self, Self::Store | Self::Remember)
    }

    /// What it is asked; writes of the same index say the same.
    pub(crate) fn arguments(self, code: &Code, index: usize) -> Value {
        let fact = facts::fact(SPACE, index);
        match self {
            Self::Store => json!({"text": fact.text, "tags": fact.tags}),
            Self::Search => json!({"query": fact.subject.split(' ').next()}),
            Self::Remember => {
                let place = code.place(&fact);
                // The cited lines say nothing of the made-up fact. The path does, so that the fact is kept as active.
                let text = format!("{} See {}.", fact.text, place.path);
                json!({"fact": text, "subject": fact.subject, "tags": fact.tags, "citations": [place.to_string()]})
            }
            Self::Recall => json!({"query": facts::question(SPACE, index), "limit": 10}),
        }
    }
}

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// Something was kept, active or waiting for a person.
    Kept {
        /// Whether it waits.
        is_pending: bool,
    },
    /// So many memories were found.
    Found(usize),
    /// It was taken for something known, and not kept once more.
    Known,
}

impl Came {
    /// Reads an answer. Anything but what these tools should answer here is an error.
    pub(crate) fn read(text: &str, is_refusal: bool) -> Result<Self> {
        let answer: Value = serde_json::from_str(text)?;
        match (
            is_refusal,
            answer["class"].as_str(),
            answer["memories"].as_array(),
        ) {
            (true, Some("similar"), _) => Ok(Self::Known),
            (false, _, None) if answer["outcome"] == "refreshed" => Ok(Self::Known),
            (false, _, Some(memories)) => Ok(Self::Found(memories.len())),
            (false, _, None) if answer["ok"] == true => Ok(Self::Kept {
                is_pending: answer.get("pending").is_some(),
            }),
            _ => bail!("the answer was {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let check = |text: &str, is_refusal: bool, expected: Option<Came>| {
            assert_eq!(Came::read(text, is_refusal).ok(), expected, "{text}");
        };
        check(
            r#"{"ok":true,"id":"m-1"}"#,
            false,
            Some(Came::Kept { is_pending: false }),
        );
        check(
            r#"{"ok":true,"id":"m-1","pending":"why"}"#,
            false,
            Some(Came::Kept { is_pending: true }),
        );
        check(r#"{"memories":[{},{}]}"#, false, Some(Came::Found(2)));
        check(r#"{"ok":false,"class":"similar"}"#, true, Some(Came::Known));
        check(
            r#"{"ok":true,"outcome":"refreshed"}"#,
            false,
            Some(Came::Known),
        );
        check(r#"{"ok":false,"class":"broken"}"#, true, None);
        check(r#"{"ok":false,"error":"much like m-1"}"#, true, None);
        check("the call broke off", false, None);
    }

    #[test]
    fn every_tool_is_in_its_set() {
        for tool in Tool::ALL {
            assert!(tool.profile().find_tool(tool.name()).is_some(), "{tool:?}");
        }
    }

    #[test]
    fn every_call_is_answered_as_it_should_be() {
        let folder = tempfile::tempdir().unwrap();
        let code = Code::made(&folder.path().join("checkout")).unwrap();
        let store = folder.path().join("store.db");
        let library =
            super::super::library::Library::open(&store, &code, Profile::Default).unwrap();
        for (tool, index) in (0..30).flat_map(|index| Tool::ALL.map(|tool| (tool, index))) {
            let arguments = tool.arguments(&code, index + 100 * tool as usize);
            let answer = library.call(tool, index, arguments).unwrap();
            let came = Came::read(&answer.text, answer.is_refusal).unwrap();
            assert_eq!(
                tool.is_write(),
                matches!(came, Came::Kept { .. } | Came::Known),
                "{}",
                answer.text
            );
        }
    }
}
