//! These tools as clients and models are told of them, and the arguments they take.

use apostille_cite::citation::{BadPlace, Cite, RepoPath};
use apostille_core::memory::Name;
use apostille_core::space::Space;
use apostille_text::digest::Digest;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::tool::{Effect, Tool};
use apostille_api::wire::{AtMost, InputSchema, Limit, MAX_CITATIONS, Parsed};

/// The tools of this set. Each is also known with a dot, as in `memory.store`.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let [store, supersede] = writing();
    let [recent, by_path, stats] = looking();
    let [refresh, invalidate, applied] = one();
    let [read, verify] = citing();
    vec![
        store, recent, by_path, refresh, invalidate, supersede, applied, read, verify, stats,
    ]
}

/// A repository by its name; a person's space is none.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
pub(super) struct RepoName(#[schemars(with = "String")] pub(super) Space);

impl<'de> Deserialize<'de> for RepoName {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let name = String::deserialize(reader)?;
        Space::repo(name.trim()).map(Self).map_err(D::Error::custom)
    }
}

/// A place with what is expected there. It may still be one that cannot be cited: see [`Pinned::place`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Pinned {
    /// File, from the repository's root
    pub(super) path: String,
    /// First line
    #[schemars(range(min = 1))]
    pub(super) line_start: u32,
    /// Last line
    #[schemars(range(min = 1))]
    line_end: Option<u32>,
    /// Commit at which it was read
    pub(super) sha: Option<String>,
    /// SHA-256 of the cited lines
    pub(super) snippet_hash: Option<Parsed<Digest>>,
}

impl Pinned {
    /// The last line; the first where only one is cited.
    pub(super) fn line_end(&self) -> u32 {
        self.line_end.unwrap_or(self.line_start)
    }

    /// The place, if it can be cited at all.
    pub(crate) fn place(&self) -> Result<Cite, BadPlace> {
        Cite::new(&self.path, self.line_start, self.line_end())
    }
}

/// The same of a place that can be cited.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
pub(super) struct Citable(pub(super) Pinned);

impl<'de> Deserialize<'de> for Citable {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let pinned = Pinned::deserialize(reader)?;
        pinned.place().map_err(D::Error::custom)?;
        Ok(Self(pinned))
    }
}

fn example_place() -> Value {
    json!({"path": "src/api.rs", "line_start": 12, "line_end": 18})
}

/// A fact to keep with its proof.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StoreInput {
    /// Topic in a few words
    pub(super) subject: String,
    /// The rule or convention, one sentence
    pub(super) fact: String,
    /// The code that proves it
    #[serde(default)]
    #[schemars(required)]
    pub(super) citations: AtMost<Citable, MAX_CITATIONS>,
    /// Why it matters
    pub(super) reason: Option<String>,
    /// Name of the agent
    pub(super) created_by: Option<String>,
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoName>,
    /// Why it is kept beside one much like it
    pub(super) rationale: Option<String>,
    /// Id of the memory to merge into
    pub(super) merge_with: Option<Parsed<Name>>,
}

/// A memory, and what takes its place.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SupersedeInput {
    /// Topic in a few words
    pub(super) subject: Option<String>,
    /// The rule or convention, one sentence
    pub(super) fact: String,
    /// The code that proves it
    #[serde(default)]
    pub(super) citations: AtMost<Citable, MAX_CITATIONS>,
    /// Why it matters
    pub(super) reason: Option<String>,
    /// Name of the agent
    pub(super) created_by: Option<String>,
    /// The memory to replace
    pub(super) memory_id: Parsed<Name>,
    /// correction unless said
    #[serde(default)]
    pub(super) how: How,
}

/// Whether the old memory was wrong, or the new one is better.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum How {
    #[default]
    Correction,
    Better,
}

fn writing() -> [Tool; 2] {
    let fact = "API_VERSION in server and client must be equal";
    [
        Tool {
            name: "memory_store",
            title: "Store a memory",
            about: "Store a durable convention or invariant with the code that proves it. Not for temporary workarounds, TODOs or \
                    one-time fixes.",
            input: InputSchema::of::<StoreInput>().with_example(
                &json!({"subject": "API version", "fact": fact, "citations": [example_place()]}),
            ),
            effect: Effect::Adds,
        },
        Tool {
            name: "memory_supersede",
            title: "Supersede a memory",
            about: "Replace a memory that is outdated or wrong by its correction, with the code that proves it.",
            input: InputSchema::of::<SupersedeInput>().with_example(
                &json!({"memory_id": "m-12", "fact": fact, "citations": [example_place()]}),
            ),
            effect: Effect::Changes,
        },
    ]
}

/// A repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InRepo {
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoName>,
}

/// Which memories of a repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Recent {
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoName>,
    /// 50 unless said
    pub(super) limit: Option<Limit>,
}

/// What memories cite.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Cited {
    /// File or folder
    pub(super) path: Parsed<RepoPath>,
}

fn looking() -> [Tool; 3] {
    [
        Tool {
            name: "memory_get_recent",
            title: "Recent memories",
            about: "The active memories of a repository, those refreshed last first. Call it when a task starts; verify what you use.",
            input: InputSchema::of::<Recent>().with_example(&json!({"limit": 20})),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_search_by_path",
            title: "Memories that cite a path",
            about: "The active memories that cite a file or a folder. Call it before you edit there.",
            input: InputSchema::of::<Cited>()
                .and(InputSchema::of::<Recent>())
                .with_example(&json!({"path": "src/api.rs"})),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_stats",
            title: "Figures",
            about: "How many memories there are, how they stand, and how often they were of use.",
            input: InputSchema::of::<InRepo>().with_example(&json!({})),
            effect: Effect::Reads,
        },
    ]
}

/// One memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OneMemory {
    /// Id or handle, such as m-12
    pub(super) memory_id: Parsed<Name>,
}

/// Why a memory is wrong.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Contradiction {
    /// What contradicts it
    pub(super) reason: String,
}

fn one() -> [Tool; 3] {
    let one = || InputSchema::of::<OneMemory>();
    [
        Tool {
            name: "memory_refresh",
            title: "Refresh a memory",
            about: "Say that a memory was verified and is still useful; it ranks as fresh again. Refused when its citations do not hold.",
            input: one().with_example(&json!({"memory_id": "m-12"})),
            effect: Effect::Changes,
        },
        Tool {
            name: "memory_invalidate",
            title: "Invalidate a memory",
            about: "Mark a memory as wrong when the code contradicts it.",
            input: one()
                .and(InputSchema::of::<Contradiction>())
                .with_example(&json!({"memory_id": "m-12", "reason": "the constant was removed"})),
            effect: Effect::Changes,
        },
        Tool {
            name: "memory_log_applied",
            title: "Log a use",
            about: "Note that a memory was used in a task. Call it after you relied on one.",
            input: one().with_example(&json!({"memory_id": "m-12"})),
            effect: Effect::Adds,
        },
    ]
}

/// Citations to look up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VerifyInput {
    /// The code that proves it
    pub(super) citations: AtMost<Pinned, MAX_CITATIONS>,
}

/// Where they are looked up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct At {
    /// Commit or branch; the working tree unless said
    #[serde(rename = "ref")]
    pub(super) at: Option<String>,
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoName>,
}

fn citing() -> [Tool; 2] {
    let place = ["path", "line_start", "line_end"];
    [
        Tool {
            name: "memory_read_citation",
            title: "Read a citation",
            about: "The code at a cited place, as it is here or at a ref. Call it for every citation before you use a memory.",
            input: InputSchema::of::<Pinned>()
                .only(&place)
                .and(InputSchema::of::<At>())
                .with_example(&example_place()),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_verify_citations",
            title: "Verify citations",
            about: "Whether cited code is still there: followed through edits, moves and renames.",
            input: InputSchema::of::<VerifyInput>()
                .and(InputSchema::of::<At>())
                .with_example(&json!({"citations": [example_place()]})),
            effect: Effect::Reads,
        },
    ]
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;
    use apostille_api::wire::read;

    /// The field that is named when these arguments are read.
    fn check<T: DeserializeOwned>(arguments: Value, expected: Option<&str>) {
        let found = read::<T>(&arguments).err().map(|it| it.field);
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }

    #[test]
    fn store_names_the_citation_that_is_wrong() {
        let check = |citation: Value, expected| {
            let first = json!({"path": "a.rs", "line_start": 1, "line_end": 1});
            let citations = [first, citation];
            check::<StoreInput>(
                json!({"subject": "s", "fact": "f", "citations": citations}),
                expected,
            );
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
        for line in [json!(-2), json!(1.5)] {
            let citation = json!({"path": "a", "line_start": line});
            check(citation, Some("citations[1].line_start"));
        }
        let backwards = json!({"path": "a", "line_start": 2, "line_end": 1});
        check(backwards, Some("citations[1]"));
        let outside = json!({"path": "../a", "line_start": 1});
        check(outside, Some("citations[1]"));
        let sha = json!({"path": "a", "line_start": 1, "sha": 7});
        check(sha, Some("citations[1].sha"));
        let hash = json!({"path": "a", "line_start": 1, "snippet_hash": "zz"});
        check(hash, Some("citations[1].snippet_hash"));
    }

    #[test]
    fn store_names_the_field_that_is_wrong() {
        let check = |field: &str, value: Value, expected: Option<&str>| {
            let mut arguments = json!({"subject": "s", "fact": "f"});
            arguments[field] = value;
            check::<StoreInput>(arguments, expected);
        };
        check("repo", json!("o/n"), None);
        check("colour", json!(7), None);
        for (field, value) in [
            ("subject", Value::Null),
            ("fact", Value::Null),
            ("repo", json!("no-slash")),
            ("repo", json!("users/ana")),
            ("reason", json!(1)),
            ("created_by", json!(1)),
            ("merge_with", json!("x")),
        ] {
            check(field, value, Some(field));
        }
    }

    #[test]
    fn other_tools_name_the_field_that_is_wrong() {
        check::<Recent>(json!({"repo": "o/n", "limit": "20"}), None);
        check::<Recent>(Value::Null, None);
        check::<Recent>(json!({"limit": 0}), Some("limit"));
        check::<Recent>(json!({"limit": "many"}), Some("limit"));
        check::<Cited>(json!({"path": "src"}), None);
        check::<Cited>(json!({}), Some("path"));
        check::<Cited>(json!({"path": "/etc/passwd"}), Some("path"));
        let id = "0190163d-8694-739b-aea5-966c26f8ad91";
        check::<OneMemory>(json!({"memory_id": id}), None);
        check::<OneMemory>(json!({}), Some("memory_id"));
        check::<Contradiction>(json!({"memory_id": "m-1"}), Some("reason"));
        let supersede = |how: &str| json!({"memory_id": "m-1", "fact": "f", "how": how});
        check::<SupersedeInput>(supersede("better"), None);
        check::<SupersedeInput>(supersede("x"), Some("how"));
        check::<SupersedeInput>(json!({"memory_id": "m-1"}), Some("fact"));
        check::<VerifyInput>(json!({}), Some("citations"));
        let outside = json!({"citations": [{"path": "../x", "line_start": 1}]});
        check::<VerifyInput>(outside, None);
        check::<At>(json!({"ref": 3}), Some("ref"));
        check::<Pinned>(json!({"path": "x", "line_start": 1, "other": 1}), None);
        check::<Pinned>(json!({"path": "x"}), Some("line_start"));
    }
}
