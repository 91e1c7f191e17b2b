//! These tools as clients and models are told of them, and the arguments they take.

use apostille_cite::citation::{CodeLocation, CodeLocationError, RepoPath};
use apostille_core::memory::MemoryName;
use apostille_core::space::Space;
use apostille_text::digest::Digest;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::tool::{Tool, ToolEffect};
use apostille_api::wire::{BoundedList, InputSchema, MAX_CITATIONS, ResultLimit, TextEncoded};

/// The tools of this set. Each is also known with a dot, as in `memory.store`.
pub(crate) fn list_verified_tools() -> Vec<Tool> {
    let [store, supersede] = describe_writing_tools();
    let [recent, by_path, stats] = describe_reading_tools();
    let [refresh, invalidate, applied] = describe_single_memory_tools();
    let [read, verify] = describe_citation_tools();
    vec![
        store, recent, by_path, refresh, invalidate, supersede, applied, read, verify, stats,
    ]
}

/// A repository by its name; a person's space is none.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
pub(super) struct RepoArgument(#[schemars(with = "String")] pub(super) Space);

impl<'de> Deserialize<'de> for RepoArgument {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let name = String::deserialize(reader)?;
        Space::repo(name.trim()).map(Self).map_err(D::Error::custom)
    }
}

/// A place with what is expected there. It may still be one that cannot be cited: see [`PinnedLocation::to_code_location`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PinnedLocation {
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
    pub(super) snippet_hash: Option<TextEncoded<Digest>>,
}

impl PinnedLocation {
    /// The last line; the first where only one is cited.
    pub(super) fn line_end(&self) -> u32 {
        self.line_end.unwrap_or(self.line_start)
    }

    /// The place, if it can be cited at all.
    pub(crate) fn to_code_location(&self) -> Result<CodeLocation, CodeLocationError> {
        CodeLocation::new(&self.path, self.line_start, self.line_end())
    }
}

/// The same of a place that can be cited.
#[derive(Debug, JsonSchema)]
#[schemars(with = "PinnedLocation")]
pub(super) struct CitableLocation {
    pub(super) pinned: PinnedLocation,
    pub(super) place: CodeLocation,
}

impl<'de> Deserialize<'de> for CitableLocation {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let pinned = PinnedLocation::deserialize(reader)?;
        let place = pinned.to_code_location().map_err(D::Error::custom)?;
        Ok(Self { pinned, place })
    }
}

fn build_example_location() -> Value {
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
    pub(super) citations: BoundedList<CitableLocation, MAX_CITATIONS>,
    /// Why it matters
    pub(super) reason: Option<String>,
    /// Name of the agent
    pub(super) created_by: Option<String>,
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoArgument>,
    /// Why it is kept beside one much like it
    pub(super) rationale: Option<String>,
    /// Id of the memory to merge into
    pub(super) merge_with: Option<TextEncoded<MemoryName>>,
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
    pub(super) citations: BoundedList<CitableLocation, MAX_CITATIONS>,
    /// Why it matters
    pub(super) reason: Option<String>,
    /// Name of the agent
    pub(super) created_by: Option<String>,
    /// The memory to replace
    pub(super) memory_id: TextEncoded<MemoryName>,
    /// correction unless said
    #[serde(default)]
    pub(super) how: SupersedeKind,
}

/// Whether the old memory was wrong, or the new one is better.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SupersedeKind {
    #[default]
    Correction,
    Better,
}

fn describe_writing_tools() -> [Tool; 2] {
    let fact = "API_VERSION in server and client must be equal";
    [
        Tool {
            name: "memory_store",
            title: "Store a memory",
            about: "Store a durable convention or invariant with the code that proves it. Not for temporary workarounds, TODOs or \
                    one-time fixes.",
            input: InputSchema::from_type::<StoreInput>().require_field("citations").with_example(
                &json!({"subject": "API version", "fact": fact, "citations": [build_example_location()]}),
            ),
            effect: ToolEffect::Adds,
            run: super::store_verified_fact,
        },
        Tool {
            name: "memory_supersede",
            title: "Supersede a memory",
            about: "Replace a memory that is outdated or wrong by its correction, with the code that proves it.",
            input: InputSchema::from_type::<SupersedeInput>().with_example(
                &json!({"memory_id": "m-12", "fact": fact, "citations": [build_example_location()]}),
            ),
            effect: ToolEffect::Changes,
            run: super::supersede_verified_memory,
        },
    ]
}

/// A repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RepoInput {
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoArgument>,
}

/// Which memories of a repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecentInput {
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoArgument>,
    /// 50 unless said
    pub(super) limit: Option<ResultLimit>,
}

/// What memories cite.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PathInput {
    /// File or folder
    pub(super) path: TextEncoded<RepoPath>,
}

fn describe_reading_tools() -> [Tool; 3] {
    [
        Tool {
            name: "memory_get_recent",
            title: "Recent memories",
            about: "The active memories of a repository, those refreshed last first. Call it when a task starts; verify what you use.",
            input: InputSchema::from_type::<RecentInput>().with_example(&json!({"limit": 20})),
            effect: ToolEffect::Reads,
            run: super::fetch_recent_records,
        },
        Tool {
            name: "memory_search_by_path",
            title: "Memories that cite a path",
            about: "The active memories that cite a file or a folder. Call it before you edit there.",
            input: InputSchema::from_type::<PathInput>()
                .merge_with(InputSchema::from_type::<RecentInput>())
                .with_example(&json!({"path": "src/api.rs"})),
            effect: ToolEffect::Reads,
            run: super::fetch_records_by_path,
        },
        Tool {
            name: "memory_stats",
            title: "Figures",
            about: "How many memories there are, how they stand, and how often they were of use.",
            input: InputSchema::from_type::<RepoInput>().with_example(&json!({})),
            effect: ToolEffect::Reads,
            run: super::read_repo_stats,
        },
    ]
}

/// One memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NamedMemoryInput {
    /// Id or handle, such as m-12
    pub(super) memory_id: TextEncoded<MemoryName>,
}

/// Why a memory is wrong.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InvalidateInput {
    /// What contradicts it
    pub(super) reason: String,
}

fn describe_single_memory_tools() -> [Tool; 3] {
    let one = || InputSchema::from_type::<NamedMemoryInput>();
    [
        Tool {
            name: "memory_refresh",
            title: "Refresh a memory",
            about: "Say that a memory was verified and is still useful; it ranks as fresh again. Refused when its citations do not hold.",
            input: one().with_example(&json!({"memory_id": "m-12"})),
            effect: ToolEffect::Changes,
            run: super::refresh_verified_memory,
        },
        Tool {
            name: "memory_invalidate",
            title: "Invalidate a memory",
            about: "Mark a memory as wrong when the code contradicts it.",
            input: one()
                .merge_with(InputSchema::from_type::<InvalidateInput>())
                .with_example(&json!({"memory_id": "m-12", "reason": "the constant was removed"})),
            effect: ToolEffect::Changes,
            run: super::invalidate_verified_memory,
        },
        Tool {
            name: "memory_log_applied",
            title: "Log a use",
            about: "Note that a memory was used in a task. Call it after you relied on one.",
            input: one().with_example(&json!({"memory_id": "m-12"})),
            effect: ToolEffect::Adds,
            run: super::log_applied_memory,
        },
    ]
}

/// Citations to look up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VerifyCitationsInput {
    /// The code that proves it
    pub(super) citations: BoundedList<PinnedLocation, MAX_CITATIONS>,
}

/// Where they are looked up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LookupAtInput {
    /// Commit or branch; the working tree unless said
    #[serde(rename = "ref")]
    pub(super) at: Option<String>,
    /// owner/name; the repository here unless said
    pub(super) repo: Option<RepoArgument>,
}

fn describe_citation_tools() -> [Tool; 2] {
    let place = ["path", "line_start", "line_end"];
    [
        Tool {
            name: "memory_read_citation",
            title: "Read a citation",
            about: "The code at a cited place, as it is here or at a ref. Call it for every citation before you use a memory.",
            input: InputSchema::from_type::<PinnedLocation>()
                .keep_only(&place)
                .merge_with(InputSchema::from_type::<LookupAtInput>())
                .with_example(&build_example_location()),
            effect: ToolEffect::Reads,
            run: super::read_pinned_location,
        },
        Tool {
            name: "memory_verify_citations",
            title: "Verify citations",
            about: "Whether cited code is still there: followed through edits, moves and renames.",
            input: InputSchema::from_type::<VerifyCitationsInput>()
                .merge_with(InputSchema::from_type::<LookupAtInput>())
                .with_example(&json!({"citations": [build_example_location()]})),
            effect: ToolEffect::Reads,
            run: super::verify_pinned_locations,
        },
    ]
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;
    use apostille_api::wire::read_arguments;

    /// The field that is named when these arguments are read.
    fn check<T: DeserializeOwned>(arguments: Value, expected: Option<&str>) {
        let found = read_arguments::<T>(&arguments).err().map(|it| it.field);
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
        let hash = Digest::hash_bytes(b"x").to_string();
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
        check::<RecentInput>(json!({"repo": "o/n", "limit": "20"}), None);
        check::<RecentInput>(Value::Null, None);
        check::<RecentInput>(json!({"limit": 0}), Some("limit"));
        check::<RecentInput>(json!({"limit": "many"}), Some("limit"));
        check::<PathInput>(json!({"path": "src"}), None);
        check::<PathInput>(json!({}), Some("path"));
        check::<PathInput>(json!({"path": "/etc/passwd"}), Some("path"));
        let id = "0190163d-8694-739b-aea5-966c26f8ad91";
        check::<NamedMemoryInput>(json!({"memory_id": id}), None);
        check::<NamedMemoryInput>(json!({}), Some("memory_id"));
        check::<InvalidateInput>(json!({"memory_id": "m-1"}), Some("reason"));
        let supersede = |how: &str| json!({"memory_id": "m-1", "fact": "f", "how": how});
        check::<SupersedeInput>(supersede("better"), None);
        check::<SupersedeInput>(supersede("x"), Some("how"));
        check::<SupersedeInput>(json!({"memory_id": "m-1"}), Some("fact"));
        check::<VerifyCitationsInput>(json!({}), Some("citations"));
        let outside = json!({"citations": [{"path": "../x", "line_start": 1}]});
        check::<VerifyCitationsInput>(outside, None);
        check::<LookupAtInput>(json!({"ref": 3}), Some("ref"));
        check::<PinnedLocation>(json!({"path": "x", "line_start": 1, "other": 1}), None);
        check::<PinnedLocation>(json!({"path": "x"}), Some("line_start"));
    }
}
