//! Arguments: raw as they come on the wire, then complete. They are converted once, and everything behind this file
//! works on values of the core.
//!
//! Every raw field is optional and unread JSON, so that a malformed one can be named; fields that nobody knows are
//! ignored. A number may be written as a text of digits, because agents do that.

mod write;

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::{BadPlace, Cite, RepoPath};
use apostille_core::memory::{Name, Replacement};
use apostille_core::space::Space;
use apostille_text::digest::Digest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use write::{Action, Level, RawWrite, Write};

/// How many citations one call may bring.
const MAX_CITATIONS: usize = 100;
/// How many memories one call may ask for.
const MAX_LIMIT: usize = 1_000;

/// Arguments that are not what a tool takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct Malformed {
    /// Which field, such as `citations[1].line_start`.
    pub field: String,
    /// What is wrong with it.
    pub why: String,
}

impl Malformed {
    pub(crate) fn new(field: impl Into<String>, why: impl Display) -> Self {
        Self {
            field: field.into(),
            why: why.to_string(),
        }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::new(field, "it is required")
    }

    /// The same, inside of an outer field.
    fn within(self, outer: &str) -> Self {
        Self {
            field: format!("{outer}.{}", self.field),
            ..self
        }
    }
}

/// The complete arguments of a tool from those on the wire. No arguments are an empty object.
pub fn read<Raw, Complete>(arguments: Value) -> Result<Complete, Malformed>
where
    Raw: DeserializeOwned,
    Complete: TryFrom<Raw, Error = Malformed>,
{
    let object = match arguments {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => arguments,
        _ => return Err(Malformed::new("arguments", "expected an object")),
    };
    let raw: Raw =
        serde_json::from_value(object).map_err(|error| Malformed::new("arguments", error))?;
    raw.try_into()
}

pub(crate) fn text(field: &str, value: Option<Value>) -> Result<Option<String>, Malformed> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Malformed::new(field, "expected a text")),
    }
}

pub(crate) fn required(field: &str, value: Option<Value>) -> Result<String, Malformed> {
    text(field, value)?.ok_or_else(|| Malformed::missing(field))
}

pub(crate) fn parsed<T>(field: &str, value: Option<Value>) -> Result<Option<T>, Malformed>
where
    T: FromStr,
    T::Err: Display,
{
    let parse = |text: String| {
        text.trim()
            .parse()
            .map_err(|error| Malformed::new(field, error))
    };
    text(field, value)?.map(parse).transpose()
}

pub(crate) fn number(field: &str, value: Option<Value>) -> Result<Option<u32>, Malformed> {
    let bad = || Malformed::new(field, "expected a whole number that is not negative");
    let found = match value {
        None => return Ok(None),
        Some(Value::Number(it)) => it.as_u64().and_then(|it| u32::try_from(it).ok()),
        Some(Value::String(it)) => it.trim().parse().ok(),
        Some(_) => None,
    };
    found.map(Some).ok_or_else(bad)
}

pub(crate) fn list(field: &str, value: Option<Value>) -> Result<Vec<Value>, Malformed> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Malformed::new(field, "expected a list")),
    }
}

pub(crate) fn texts(field: &str, value: Option<Value>) -> Result<Vec<String>, Malformed> {
    let one = |(at, it): (usize, Value)| required(&format!("{field}[{at}]"), Some(it));
    list(field, value)?
        .into_iter()
        .enumerate()
        .map(one)
        .collect()
}

/// Yes or no; no unless said. Agents write it as a text, too.
pub(crate) fn flag(field: &str, value: Option<Value>) -> Result<bool, Malformed> {
    match value {
        None => Ok(false),
        Some(Value::Bool(it)) => Ok(it),
        Some(Value::String(it)) if it == "true" => Ok(true),
        Some(Value::String(it)) if it == "false" => Ok(false),
        Some(_) => Err(Malformed::new(field, "expected true or false")),
    }
}

pub(crate) fn limit(value: Option<Value>, default: usize) -> Result<usize, Malformed> {
    let limit = number("limit", value)?.map_or(default, |it| it as usize);
    if limit == 0 {
        Err(Malformed::new("limit", "ask for at least 1"))
    } else {
        Ok(limit.min(MAX_LIMIT))
    }
}

pub(crate) fn memory_name(field: &str, value: Option<Value>) -> Result<Name, Malformed> {
    parsed(field, value)?.ok_or_else(|| Malformed::missing(field))
}

pub(crate) fn repo(value: Option<Value>) -> Result<Option<Space>, Malformed> {
    let parse =
        |name: String| Space::repo(name.trim()).map_err(|error| Malformed::new("repo", error));
    text("repo", value)?.map(parse).transpose()
}

/// Places such as `src/api.rs:12-18`. Agents that know the other set write them as objects.
pub(crate) fn cites(value: Option<Value>) -> Result<Vec<Cite>, Malformed> {
    let one = |(at, it): (usize, Value)| {
        let field = format!("citations[{at}]");
        let place = match &it {
            Value::Object(_) => written(&it)
                .ok_or_else(|| Malformed::new(&field, "expected path and line_start"))?,
            _ => required(&field, Some(it.clone()))?,
        };
        place
            .trim()
            .parse()
            .map_err(|error| Malformed::new(&field, error))
    };
    few("citations", value, MAX_CITATIONS)?
        .into_iter()
        .enumerate()
        .map(one)
        .collect()
}

/// A list that is not too long to be read at all.
pub(crate) fn few(field: &str, value: Option<Value>, most: usize) -> Result<Vec<Value>, Malformed> {
    let items = list(field, value)?;
    if items.len() > most {
        Err(Malformed::new(field, format!("at most {most} at once")))
    } else {
        Ok(items)
    }
}

fn written(it: &Value) -> Option<String> {
    let start = it["line_start"].as_u64()?;
    let end = it["line_end"].as_u64().unwrap_or(start);
    Some(format!("{}:{start}-{end}", it["path"].as_str()?))
}

/// Whose a note of the notebook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The person's.
    User,
    /// The repository's.
    #[default]
    Workspace,
    /// This session's.
    Session,
}

impl FromStr for Scope {
    type Err = Malformed;
    fn from_str(word: &str) -> Result<Self, Malformed> {
        match word {
            "user" => Ok(Self::User),
            "workspace" => Ok(Self::Workspace),
            "session" => Ok(Self::Session),
            _ => Err(Malformed::new(
                "scope",
                "expected user, workspace or session",
            )),
        }
    }
}

/// `memory_store` of the notebook, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawNote {
    text: Option<Value>,
    tags: Option<Value>,
    scope: Option<Value>,
}

/// A note to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What to keep.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whose it is.
    pub scope: Scope,
}

impl TryFrom<RawNote> for Note {
    type Error = Malformed;
    fn try_from(raw: RawNote) -> Result<Self, Malformed> {
        let scope = text("scope", raw.scope)?
            .map(|word| word.parse())
            .transpose()?
            .unwrap_or_default();
        Ok(Self {
            text: required("text", raw.text)?,
            tags: texts("tags", raw.tags)?,
            scope,
        })
    }
}

/// `memory_search` of the notebook, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawSearch {
    query: Option<Value>,
    tag: Option<Value>,
}

/// Which notes to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// With this text in them.
    pub query: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
}

impl TryFrom<RawSearch> for Search {
    type Error = Malformed;
    fn try_from(raw: RawSearch) -> Result<Self, Malformed> {
        // An empty text is how some agents write "not given".
        let given = |it: Option<String>| it.filter(|it| !it.is_empty());
        Ok(Self {
            query: given(text("query", raw.query)?),
            tag: given(text("tag", raw.tag)?),
        })
    }
}

/// `memory_delete` of the notebook, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawDelete {
    id: Option<Value>,
}

/// Which note to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// Its name.
    pub name: Name,
}

impl TryFrom<RawDelete> for Delete {
    type Error = Malformed;
    fn try_from(raw: RawDelete) -> Result<Self, Malformed> {
        Ok(Self {
            name: memory_name("id", raw.id)?,
        })
    }
}

/// A citation, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawCitation {
    path: Option<Value>,
    line_start: Option<Value>,
    line_end: Option<Value>,
    sha: Option<Value>,
    snippet_hash: Option<Value>,
}

/// A place with what is expected there. The place may still be one that cannot be cited: see [`Pinned::place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The file, as it was written.
    pub path: String,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The commit at which it was read.
    pub sha: Option<String>,
    /// The SHA-256 of the cited lines, joined by newlines.
    pub snippet_hash: Option<Digest>,
}

impl Pinned {
    /// The place, if it can be cited at all.
    pub fn place(&self) -> Result<Cite, BadPlace> {
        Cite::new(&self.path, self.line_start, self.line_end)
    }
}

impl TryFrom<RawCitation> for Pinned {
    type Error = Malformed;
    fn try_from(raw: RawCitation) -> Result<Self, Malformed> {
        let line_start = number("line_start", raw.line_start)?
            .ok_or_else(|| Malformed::missing("line_start"))?;
        Ok(Self {
            path: required("path", raw.path)?,
            line_start,
            line_end: number("line_end", raw.line_end)?.unwrap_or(line_start),
            sha: text("sha", raw.sha)?,
            snippet_hash: parsed("snippet_hash", raw.snippet_hash)?,
        })
    }
}

fn citations(value: Option<Value>) -> Result<Vec<Pinned>, Malformed> {
    let items = list("citations", value)?;
    if items.len() > MAX_CITATIONS {
        return Err(Malformed::new(
            "citations",
            format!("at most {MAX_CITATIONS} at once"),
        ));
    }
    let one = |(at, it): (usize, Value)| {
        let outer = format!("citations[{at}]");
        match it {
            Value::Object(_) => {
                read::<RawCitation, Pinned>(it).map_err(|error| error.within(&outer))
            }
            _ => Err(Malformed::new(outer, "expected an object")),
        }
    };
    items.into_iter().enumerate().map(one).collect()
}

/// Citations of which each is a place that can be cited.
fn citable(value: Option<Value>) -> Result<Vec<Pinned>, Malformed> {
    let citations = citations(value)?;
    for (at, it) in citations.iter().enumerate() {
        it.place()
            .map_err(|error| Malformed::new(format!("citations[{at}]"), error))?;
    }
    Ok(citations)
}

/// `store` of verified memory, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawStore {
    repo: Option<Value>,
    subject: Option<Value>,
    fact: Option<Value>,
    citations: Option<Value>,
    reason: Option<Value>,
    created_by: Option<Value>,
    rationale: Option<Value>,
    merge_with: Option<Value>,
}

/// A fact to keep with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInput {
    /// Of which repository; the caller's unless said.
    pub repo: Option<Space>,
    /// A brief topic.
    pub subject: String,
    /// What was learned.
    pub fact: String,
    /// The code that proves it.
    pub citations: Vec<Pinned>,
    /// Why it matters.
    pub reason: Option<String>,
    /// Who says it.
    pub created_by: Option<String>,
    /// Why it is to be kept beside a memory much like it.
    pub rationale: Option<String>,
    /// The memory that it is to be merged with.
    pub merge_with: Option<Name>,
}

impl TryFrom<RawStore> for StoreInput {
    type Error = Malformed;
    fn try_from(raw: RawStore) -> Result<Self, Malformed> {
        Ok(Self {
            repo: repo(raw.repo)?,
            subject: required("subject", raw.subject)?,
            fact: required("fact", raw.fact)?,
            citations: citable(raw.citations)?,
            reason: text("reason", raw.reason)?,
            created_by: text("created_by", raw.created_by)?,
            rationale: text("rationale", raw.rationale)?,
            merge_with: parsed("merge_with", raw.merge_with)?,
        })
    }
}

/// `get_recent`, `search_by_path` and `stats`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawListing {
    repo: Option<Value>,
    path: Option<Value>,
    limit: Option<Value>,
}

/// Which memories of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    /// Of which repository; the caller's unless said.
    pub repo: Option<Space>,
    /// At most so many.
    pub limit: usize,
}

impl TryFrom<RawListing> for Recent {
    type Error = Malformed;
    fn try_from(raw: RawListing) -> Result<Self, Malformed> {
        let limit = limit(raw.limit, apostille_core::list::RECENT_LIMIT)?;
        Ok(Self {
            repo: repo(raw.repo)?,
            limit,
        })
    }
}

/// The memories that cite a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByPath {
    /// Which file, or folder.
    pub path: RepoPath,
    /// Of which repository, and how many.
    pub recent: Recent,
}

impl TryFrom<RawListing> for ByPath {
    type Error = Malformed;
    fn try_from(mut raw: RawListing) -> Result<Self, Malformed> {
        let path = parsed("path", raw.path.take())?.ok_or_else(|| Malformed::missing("path"))?;
        Ok(Self {
            path,
            recent: raw.try_into()?,
        })
    }
}

/// `refresh`, `invalidate` and `log_applied`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawOne {
    memory_id: Option<Value>,
    reason: Option<Value>,
}

/// One memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct One {
    /// Which.
    pub memory: Name,
}

impl TryFrom<RawOne> for One {
    type Error = Malformed;
    fn try_from(raw: RawOne) -> Result<Self, Malformed> {
        Ok(Self {
            memory: memory_name("memory_id", raw.memory_id)?,
        })
    }
}

/// One memory that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Which.
    pub memory: Name,
    /// Why.
    pub reason: String,
}

impl TryFrom<RawOne> for Wrong {
    type Error = Malformed;
    fn try_from(raw: RawOne) -> Result<Self, Malformed> {
        let reason = required("reason", raw.reason)?;
        Ok(Self {
            memory: memory_name("memory_id", raw.memory_id)?,
            reason,
        })
    }
}

/// `supersede`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawSupersede {
    memory_id: Option<Value>,
    subject: Option<Value>,
    fact: Option<Value>,
    citations: Option<Value>,
    reason: Option<Value>,
    created_by: Option<Value>,
    how: Option<Value>,
}

/// A memory, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supersede {
    /// Which.
    pub memory: Name,
    /// The topic; the old one unless said.
    pub subject: Option<String>,
    /// What is so instead.
    pub fact: String,
    /// The code that proves it; the old places that still hold unless said.
    pub citations: Vec<Pinned>,
    /// Why.
    pub reason: Option<String>,
    /// Who says it.
    pub created_by: Option<String>,
    /// Whether the old one was wrong (`correction`, the default) or this one is `better`.
    pub how: Replacement,
}

impl TryFrom<RawSupersede> for Supersede {
    type Error = Malformed;
    fn try_from(raw: RawSupersede) -> Result<Self, Malformed> {
        let how = match text("how", raw.how)?.as_deref() {
            None | Some("correction") => Replacement::Correction,
            Some("better") => Replacement::Better,
            Some(_) => return Err(Malformed::new("how", "expected correction or better")),
        };
        Ok(Self {
            memory: memory_name("memory_id", raw.memory_id)?,
            subject: text("subject", raw.subject)?,
            fact: required("fact", raw.fact)?,
            citations: citable(raw.citations)?,
            reason: text("reason", raw.reason)?,
            created_by: text("created_by", raw.created_by)?,
            how,
        })
    }
}

/// `verify_citations`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawVerify {
    repo: Option<Value>,
    citations: Option<Value>,
    #[serde(rename = "ref")]
    at: Option<Value>,
}

/// Citations to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    /// Of which repository; the caller's unless said.
    pub repo: Option<Space>,
    /// Which.
    pub citations: Vec<Pinned>,
    /// At which commit or branch; what is checked out unless said.
    pub at: Option<String>,
}

impl TryFrom<RawVerify> for Verify {
    type Error = Malformed;
    fn try_from(raw: RawVerify) -> Result<Self, Malformed> {
        let citations = citations(raw.citations)?;
        if citations.is_empty() {
            return Err(Malformed::missing("citations"));
        }
        Ok(Self {
            repo: repo(raw.repo)?,
            citations,
            at: text("ref", raw.at)?,
        })
    }
}

/// `read_citation`, on the wire: a citation, flat.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawRead {
    repo: Option<Value>,
    #[serde(rename = "ref")]
    at: Option<Value>,
    #[serde(flatten)]
    citation: RawCitation,
}

impl TryFrom<RawRead> for Verify {
    type Error = Malformed;
    fn try_from(raw: RawRead) -> Result<Self, Malformed> {
        let citations = vec![raw.citation.try_into()?];
        Ok(Self {
            repo: repo(raw.repo)?,
            citations,
            at: text("ref", raw.at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The field that is named when these arguments are read.
    fn check<Raw, Complete>(arguments: Value, expected: Option<&str>)
    where
        Raw: DeserializeOwned,
        Complete: TryFrom<Raw, Error = Malformed>,
    {
        let found = read::<Raw, Complete>(arguments.clone())
            .err()
            .map(|it| it.field);
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }

    #[test]
    fn seed_002_memory_store_arguments() {
        let check = check::<RawNote, Note>;
        check(json!({"text": "a"}), None);
        check(
            json!({"text": "a", "tags": ["b"], "scope": "user", "colour": 7}),
            None,
        );
        check(json!({"text": "a", "tags": null, "scope": null}), None);
        check(json!({}), Some("text"));
        check(Value::Null, Some("text"));
        check(json!([1]), Some("arguments"));
        check(json!({"text": 5}), Some("text"));
        check(json!({"text": "a", "tags": "b"}), Some("tags"));
        check(json!({"text": "a", "tags": ["b", 2]}), Some("tags[1]"));
        check(json!({"text": "a", "scope": "galaxy"}), Some("scope"));
    }

    #[test]
    fn seed_002_memory_search_and_delete_arguments() {
        check::<RawSearch, Search>(json!({}), None);
        check::<RawSearch, Search>(json!({"query": 1}), Some("query"));
        check::<RawSearch, Search>(json!({"tag": []}), Some("tag"));
        check::<RawDelete, Delete>(json!({"id": "m-4"}), None);
        check::<RawDelete, Delete>(json!({"id": " u-3 "}), None);
        check::<RawDelete, Delete>(json!({"id": "4"}), Some("id"));
        check::<RawDelete, Delete>(json!({}), Some("id"));
    }

    #[test]
    fn seed_000_store_memory_input_fields() {
        let check = |citation: Value, expected| {
            let all = json!({
                "repo": "o/n", "subject": "s", "fact": "f", "reason": "r", "created_by": "c",
                "citations": [{"path": "a.rs", "line_start": 1, "line_end": 1}, citation],
            });
            check::<RawStore, StoreInput>(all, expected);
        };
        let hash = Digest::of(b"x").to_string();
        check(
            json!({"path": "a", "line_start": 2, "line_end": 3, "sha": "c0", "snippet_hash": hash}),
            None,
        );
        check(json!({"path": "a", "line_start": "2"}), None);
        check(json!("a:2"), Some("citations[1]"));
        check(json!({"line_start": 2}), Some("citations[1].path"));
        check(json!({"path": "a"}), Some("citations[1].line_start"));
        check(
            json!({"path": "a", "line_start": -2}),
            Some("citations[1].line_start"),
        );
        check(
            json!({"path": "a", "line_start": 1.5}),
            Some("citations[1].line_start"),
        );
        check(
            json!({"path": "a", "line_start": 2, "line_end": 1}),
            Some("citations[1]"),
        );
        check(
            json!({"path": "../a", "line_start": 1, "line_end": 1}),
            Some("citations[1]"),
        );
        check(
            json!({"path": "a", "line_start": 1, "sha": 7}),
            Some("citations[1].sha"),
        );
        check(
            json!({"path": "a", "line_start": 1, "snippet_hash": "zz"}),
            Some("citations[1].snippet_hash"),
        );
    }

    #[test]
    fn seed_000_store_memory_input_required_fields() {
        let check = check::<RawStore, StoreInput>;
        check(json!({"subject": "s", "fact": "f"}), None);
        check(json!({"fact": "f"}), Some("subject"));
        check(json!({"subject": "s"}), Some("fact"));
        check(
            json!({"subject": "s", "fact": "f", "repo": "no-slash"}),
            Some("repo"),
        );
        check(
            json!({"subject": "s", "fact": "f", "repo": "users/ana"}),
            Some("repo"),
        );
        check(
            json!({"subject": "s", "fact": "f", "reason": 1}),
            Some("reason"),
        );
        check(
            json!({"subject": "s", "fact": "f", "created_by": 1}),
            Some("created_by"),
        );
        check(
            json!({"subject": "s", "fact": "f", "merge_with": "x"}),
            Some("merge_with"),
        );
    }

    #[test]
    fn seed_000_get_recent_and_search_by_path_input_fields() {
        check::<RawListing, Recent>(json!({"repo": "o/n", "limit": 20}), None);
        check::<RawListing, Recent>(json!({"limit": 0}), Some("limit"));
        check::<RawListing, Recent>(json!({"limit": "many"}), Some("limit"));
        check::<RawListing, ByPath>(json!({"path": "src"}), None);
        check::<RawListing, ByPath>(json!({}), Some("path"));
        check::<RawListing, ByPath>(json!({"path": "/etc/passwd"}), Some("path"));
        assert_eq!(
            read::<RawListing, Recent>(Value::Null).map(|it| it.limit),
            Ok(50)
        );
    }

    #[test]
    fn seed_000_other_input_fields() {
        check::<RawOne, One>(json!({"memory_id": "m-1"}), None);
        check::<RawOne, One>(
            json!({"memory_id": "0190163d-8694-739b-aea5-966c26f8ad91"}),
            None,
        );
        check::<RawOne, One>(json!({}), Some("memory_id"));
        check::<RawOne, Wrong>(json!({"memory_id": "m-1"}), Some("reason"));
        check::<RawSupersede, Supersede>(
            json!({"memory_id": "m-1", "fact": "f", "how": "better"}),
            None,
        );
        check::<RawSupersede, Supersede>(json!({"memory_id": "m-1"}), Some("fact"));
        check::<RawSupersede, Supersede>(
            json!({"memory_id": "m-1", "fact": "f", "how": "x"}),
            Some("how"),
        );
        check::<RawVerify, Verify>(json!({}), Some("citations"));
        check::<RawVerify, Verify>(
            json!({"citations": [{"path": "../x", "line_start": 1}]}),
            None,
        );
        check::<RawVerify, Verify>(
            json!({"citations": [{"path": "x", "line_start": 1}], "ref": 3}),
            Some("ref"),
        );
        check::<RawRead, Verify>(
            json!({"path": "x", "line_start": 1, "ref": "main", "other": 1}),
            None,
        );
        check::<RawRead, Verify>(json!({"path": "x"}), Some("line_start"));
    }
}
