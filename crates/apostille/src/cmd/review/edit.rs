//! What a person says instead: in an editor where one is set, else line by line.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use apostille_core::memory::Memory;

use crate::paint::safe;
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;

/// The words of a memory that can be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What was learned.
    pub fact: String,
    /// A brief topic.
    pub subject: Option<String>,
    /// Why it matters.
    pub reason: Option<String>,
}

const NOTE: &str = "# the fact stands below the empty line; without a fact nothing is changed";

impl Words {
    /// The words of a memory as they are.
    pub fn of(memory: &Memory) -> Self {
        let (subject, reason) = (memory.subject.clone(), memory.reason.clone());
        Self {
            fact: memory.fact.clone(),
            subject,
            reason,
        }
    }

    /// The words as a text to edit.
    fn page(&self) -> String {
        let line = |it: &Option<String>| safe(it.as_deref().unwrap_or_default()).replace('\n', " ");
        format!(
            "subject: {}\nreason: {}\n{NOTE}\n\n{}\n",
            line(&self.subject),
            line(&self.reason),
            safe(&self.fact)
        )
    }

    /// The words that a text holds; `None` if there is no fact left.
    fn read(page: &str) -> Option<Self> {
        let lines: Vec<&str> = page.lines().filter(|it| *it != NOTE).collect();
        let end = lines
            .iter()
            .position(|it| it.trim().is_empty())
            .unwrap_or(lines.len());
        let (top, fact) = lines.split_at(end);
        let said = |key: &str| {
            let found = top
                .iter()
                .find_map(|it| it.strip_prefix(key))
                .map(|it| it.trim().to_owned());
            found.filter(|it| !it.is_empty())
        };
        let (subject, reason) = (said("subject:"), said("reason:"));
        let fact = fact.join("\n").trim().to_owned();
        (!fact.is_empty()).then_some(Self {
            fact,
            subject,
            reason,
        })
    }
}

/// The user's editor, if one is set.
pub fn editor(world: &World) -> Option<&str> {
    world.env.get("VISUAL").or_else(|| world.env.get("EDITOR"))
}

/// Lets a person edit the words in their editor; `None` if nothing is to be changed.
pub fn edited(world: &World, editor: &str, words: &Words) -> Result<Option<Words>, Fault> {
    let name = format!("apostille-review-{:016x}.md", (world.random())() >> 64);
    let path = world.temp_dir().join(name);
    let page = written(&path, &words.page()).and_then(|()| ran(editor, &path));
    let page = page.and_then(|()| fs::read_to_string(&path));
    let _ = fs::remove_file(&path);
    let page = page.map_err(|error| Fault::usage(format!("'{editor}' cannot edit it: {error}")))?;
    Ok(Words::read(&page).filter(|it| it != words))
}

/// A new file that nobody else can read.
fn written(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn ran(editor: &str, path: &Path) -> std::io::Result<()> {
    let mut words = editor.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(path)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(std::io::Error::other(status.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_the_editor_is_read_back() {
        let check = |fact: &str, subject: Option<&str>, reason: Option<&str>| {
            let (subject, reason) = (subject.map(Into::into), reason.map(Into::into));
            let words = Words {
                fact: fact.into(),
                subject,
                reason,
            };
            assert_eq!(Words::read(&words.page()), Some(words));
        };
        check("one line", None, None);
        check(
            "two\n\nparagraphs",
            Some("Topic: with a colon"),
            Some("it matters"),
        );
        check("subject: not a subject", None, Some("why"));
        let is_empty = |page: &str| assert_eq!(Words::read(page), None, "{page:?}");
        is_empty("");
        is_empty("subject: a\nreason: b\n\n \n");
        check("# a heading\n#[derive(Debug)]", None, None);
    }
}
