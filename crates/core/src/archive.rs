//! The archive: what was said in past conversations, in the person's own words, and what commits give as reasons.
//!
//! It is not memory. Nothing in it is a fact that stands or falls with the code, nobody approved it, and it is not shared: it
//! lies in a file of its own on this machine, is never exported and never written into a repository. What it is for is that a
//! decision can be found again: a conversation is found by all that was said in it, and of the conversation the sentences are
//! shown that decide ([`excerpt`]), the latest conversation about the same thing first ([`related`]).
//!
//! How the pieces fit: an [`Archive`] keeps [`ArchiveRecord`]s and what its index knows of terms; [`search`] ranks them with the
//! arithmetic of recall; [`ram`] is the twin that a store of records is compared with.

pub mod bulk;
pub mod clean;
pub mod code_lines;
pub mod commit;
pub mod excerpt;
pub mod ram;
pub mod recall;
pub mod related;
pub mod search;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
    sync::Arc,
};

use apostille_cite::citation::RepoPath;
use apostille_text::{terms::StemCache, words::words};
use jiff::Timestamp;

use crate::{
    space::Space,
    store::{Postings, StoreResult},
};

words! {
    /// What sort of record it is.
    ArchiveKind as "kind" {
        /// A session of a person with an agent.
        Conversation = "conversation",
        /// A commit whose message gives a reason.
        Commit = "commit",
    }
}

words! {
    /// Whose words a passage is.
    PassageSpeaker as "speaker" {
        /// The person whose agent it was.
        User = "user",
        /// The agent.
        Agent = "agent",
        /// Whoever wrote a commit.
        Author = "author",
    }
}

/// What one said in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePassage {
    /// Its place in the record, from 1.
    pub number: u32,
    /// Whose words.
    pub speaker: PassageSpeaker,
    /// When.
    pub at: Timestamp,
    /// The words.
    pub text: String,
    /// The first lines of what was pasted along with them: another's words.
    pub pasted: Option<String>,
}

impl ArchivePassage {
    /// The words that it is known by when it was forgotten, however they are spaced and punctuated; what was pasted, where there
    /// are no others. `None` where nothing is said.
    pub fn normalise_words(&self) -> Option<String> {
        let texts = [Some(&self.text), self.pasted.as_ref()];
        let words = |text: &String| {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words: Vec<String> = words
                .filter(|it| !it.is_empty())
                .map(str::to_lowercase)
                .collect();
            Some(words.join(" ")).filter(|it| !it.is_empty())
        };
        texts.into_iter().flatten().find_map(words)
    }
}

/// A conversation or a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveRecord {
    /// Its number, which is never given twice; 0 for one that is not kept yet.
    pub number: u64,
    /// What it is.
    pub kind: ArchiveKind,
    /// The repository it belongs to.
    pub space: Space,
    /// The session, by the client's name for it, or the commit.
    pub name: String,
    /// The client, or the author of the commit.
    pub author: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The task it was about.
    pub task: Option<String>,
    /// The branch it happened on.
    pub branch: Option<String>,
    /// The files that were changed in it.
    pub paths: BTreeSet<RepoPath>,
    /// Whether text from outside came into it.
    pub is_exposed: bool,
    /// What was said, in order.
    pub passages: Vec<ArchivePassage>,
    /// Other records about the same thing, by number.
    pub related: BTreeSet<u64>,
}

impl ArchiveRecord {
    /// Its short name: `c-12` for a conversation, the beginning of its hash for a commit.
    pub fn handle(&self) -> String {
        match self.kind {
            ArchiveKind::Conversation => ArchiveHandle::record(self.number).to_string(),
            ArchiveKind::Commit => self.name.chars().take(SHORT_HASH).collect(),
        }
    }

    /// What it is indexed under, with how often each term stands in it.
    pub fn extract_terms(&self, stems: &mut StemCache) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        for passage in &self.passages {
            for (term, count) in stems.extract_terms(&passage.text) {
                *counts.entry(term).or_insert(0) += count;
            }
        }
        counts
    }

    /// What was said at this place in it.
    pub fn find_passage(&self, number: u32) -> Option<&ArchivePassage> {
        self.passages.iter().find(|it| it.number == number)
    }

    /// The name of a passage of it.
    pub fn passage_handle(&self, number: u32) -> ArchiveHandle {
        ArchiveHandle {
            record: self.number,
            passage: Some(number),
        }
    }

    /// How many characters of words it has.
    pub fn count_chars(&self) -> usize {
        let texts = self.passages.iter().map(|it| it.text.chars().count());
        texts.sum()
    }
}

/// What a record is indexed under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordTerms {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// Its terms, with how often each stands in it.
    pub counts: BTreeMap<String, u32>,
}

/// How much of a commit's hash is its short name.
const SHORT_HASH: usize = 10;

/// The name of a conversation, `c-12`, or of a passage in it, `c-12.3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveHandle {
    /// The number of the record.
    pub record: u64,
    /// The number of the passage.
    pub passage: Option<u32>,
}

impl ArchiveHandle {
    /// The name of a whole record.
    pub fn record(record: u64) -> Self {
        Self {
            record,
            passage: None,
        }
    }
}

impl fmt::Display for ArchiveHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c-{}", self.record)?;
        self.passage.map_or(Ok(()), |it| write!(f, ".{it}"))
    }
}

/// What is no name of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the handle of a conversation: write c-12, or c-12.3 for what was said third in it")]
pub struct BadArchiveHandle;

impl FromStr for ArchiveHandle {
    type Err = BadArchiveHandle;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("c-").ok_or(BadArchiveHandle)?;
        let (record, passage) = match rest.split_once('.') {
            Some((record, passage)) => (record, Some(passage)),
            None => (rest, None),
        };
        let passage = passage.map(str::parse).transpose();
        Ok(Self {
            record: record.parse().map_err(|_| BadArchiveHandle)?,
            passage: passage.map_err(|_| BadArchiveHandle)?,
        })
    }
}

/// The records of one kind in one space: what is ranked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveScope<'a> {
    /// Whose.
    pub space: &'a Space,
    /// Of which kind.
    pub kind: ArchiveKind,
}

/// Which records to list: all that meet every condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArchiveFilter {
    /// Not before.
    pub since: Option<Timestamp>,
    /// Not after.
    pub until: Option<Timestamp>,
    /// That changed this file, or one below this folder.
    pub path: Option<RepoPath>,
    /// About this task.
    pub task: Option<String>,
    /// On this branch.
    pub branch: Option<String>,
}

impl ArchiveFilter {
    /// Whether it lets everything pass.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a record meets it.
    pub fn admits_record(&self, it: &ArchiveRecord) -> bool {
        let is_same =
            |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        let has_path = |path: &RepoPath| it.paths.iter().any(|it| it.is_below(path));
        self.since.is_none_or(|since| it.ended_at >= since)
            && self.until.is_none_or(|until| it.started_at <= until)
            && self.path.as_ref().is_none_or(has_path)
            && is_same(&self.task, &it.task)
            && is_same(&self.branch, &it.branch)
    }
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArchiveSize {
    /// How many records.
    pub records: u64,
    /// How many passages.
    pub passages: u64,
    /// Their characters.
    pub chars: u64,
}

/// Where records are kept. The same answers from every one.
pub trait Archive: fmt::Debug + Send + Sync {
    /// Keeps a record and says its number. One of the same space, kind and name is replaced and keeps its number; what was
    /// forgotten of it stays so. `None` where the whole was forgotten.
    fn keep_record(&self, record: &ArchiveRecord) -> StoreResult<Option<u64>>;

    /// What the index knows of these terms.
    fn read_postings(&self, scope: ArchiveScope<'_>, terms: &[String]) -> StoreResult<Postings>;

    /// In how many records each of these terms stands.
    fn count_term_records(
        &self,
        scope: ArchiveScope<'_>,
        terms: &[&str],
    ) -> StoreResult<Vec<usize>> {
        let terms: Vec<String> = terms.iter().map(|it| (*it).to_owned()).collect();
        let postings = self.read_postings(scope, &terms)?;
        Ok(postings.lists.iter().map(Vec::len).collect())
    }

    /// The terms of these records, in this order; numbers without one are left out.
    fn read_record_terms(
        &self,
        numbers: &[u64],
        stems: &mut StemCache,
    ) -> StoreResult<Vec<Arc<RecordTerms>>> {
        let records = self.read_records(numbers)?;
        let terms = records.iter().map(|it| {
            Arc::new(RecordTerms {
                number: it.number,
                name: it.name.clone(),
                counts: it.extract_terms(stems),
            })
        });
        Ok(terms.collect())
    }

    /// These records, in this order; numbers without one are left out.
    fn read_records(&self, numbers: &[u64]) -> StoreResult<Vec<ArchiveRecord>>;

    /// The numbers of the records that meet a condition, the latest first, at most so many.
    fn list_records(
        &self,
        scope: ArchiveScope<'_>,
        filter: &ArchiveFilter,
        most: usize,
    ) -> StoreResult<Vec<u64>>;

    /// The number of the record with this name.
    fn find_record(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<Option<u64>>;

    /// Whether the record with this name was forgotten as a whole, so that it is not to come back.
    fn has_forgotten(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<bool>;

    /// The numbers of those passages that were forgotten of the record with this name: of the whole, all of them. A passage is
    /// known by its time and by its words, because what hooks saw and what the client wrote down have other times.
    fn list_forgotten(
        &self,
        scope: ArchiveScope<'_>,
        name: &str,
        passages: &[ArchivePassage],
    ) -> StoreResult<BTreeSet<u32>>;

    /// Keeps with a record which lines of code it wrote, by `code_lines`; they are gone with it.
    fn keep_lines(&self, number: u64, lines: &BTreeSet<u32>) -> StoreResult<()>;

    /// The numbers of the records that wrote some of these lines: those that wrote most of them first, of those the latest.
    fn list_records_by_lines(
        &self,
        scope: ArchiveScope<'_>,
        lines: &BTreeSet<u32>,
        most: usize,
    ) -> StoreResult<Vec<u64>>;

    /// Forgets a record or a passage of it, for good. `false` where there is none.
    fn forget_record(&self, handle: ArchiveHandle) -> StoreResult<bool>;

    /// Whether bytes of what was forgotten are left, because another program still reads the file as it was. They go when it has
    /// ended.
    fn has_pending_bytes(&self) -> StoreResult<bool> {
        Ok(false)
    }

    /// How much is kept of a scope.
    fn measure_size(&self, scope: ArchiveScope<'_>) -> StoreResult<ArchiveSize>;
}

/// Splits the name of a passage off the words that are quoted from it: `c-12.3`, or `c-12.3: leave it at 7`. Words without a
/// name in front are of no past conversation.
pub fn split_passage_name(said: &str) -> (Option<ArchiveHandle>, &str) {
    let said = said.trim();
    let end = said.find(|c: char| c.is_whitespace() || c == ':');
    let (name, words) = said.split_at(end.unwrap_or(said.len()));
    match name.parse() {
        Ok(handle) => (Some(handle), words.trim_start_matches(':').trim()),
        Err(BadArchiveHandle) => (None, said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passage_name_is_split_off_the_quoted_words() {
        let check = |said: &str, name: Option<&str>, words: &str| {
            let (handle, rest) = split_passage_name(said);
            let handle = handle.map(|it| it.to_string());
            assert_eq!((handle.as_deref(), rest), (name, words), "{said}");
        };
        check("c-12.3", Some("c-12.3"), "");
        check(" c-12.3: leave it at 7", Some("c-12.3"), "leave it at 7");
        check("c-12 leave it", Some("c-12"), "leave it");
        check("leave it at 7", None, "leave it at 7");
        check("c-x: leave it", None, "c-x: leave it");
    }

    #[test]
    fn archive_handle_reads_what_it_writes() {
        for text in ["c-1", "c-12.3"] {
            assert_eq!(
                text.parse().map(|it: ArchiveHandle| it.to_string()),
                Ok(text.into())
            );
        }
        for text in ["m-1", "c-", "c-x", "c-1.", "c-1.x", "1"] {
            assert_eq!(
                text.parse::<ArchiveHandle>(),
                Err(BadArchiveHandle),
                "{text}"
            );
        }
    }
}
