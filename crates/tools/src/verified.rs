//! Verified memory: the ten tools over facts that cite the code which proves them.
//!
//! Memories are hypotheses. What a caller is handed here it verifies before use; what it refreshes is looked up first.

mod citations;
mod records;

use apostille_cite::{citation::RepoPath, citation_request::CitationRequest, standing::Showing};
use apostille_core::{
    Context, CoreError, list,
    memory::{Draft, Kind, Memory, MemoryName, ReplacementKind},
    policy::Policy,
    refusal::Refusal,
    remember::prove,
    revise::{self, ReviseOutcome},
    space::Space,
    stats::compute_space_stats,
    verify::{VerifiedMemory, VerifyOptions, follow_memory_citations, verify},
};
use apostille_text::digest::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Value, json};

use crate::{
    ToolAnswer,
    outcome::{
        WriteOutcome, convert_revise_outcome, invalidate_for_tool, supersede_for_tool, write_draft,
    },
    tool::{Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{
    Caller, choose_duplicate_handling,
    wire::{ArgumentError, BoundedList, InputSchema, MAX_CITATIONS, ResultLimit, TextEncoded},
};

use citations::describe_citation_tools;
use records::{FetchedMemoryRecord, StatsRecord, VerifiedToolReply};

/// How many memories one call lists at most.
const MAX_LISTED: usize = 1_000;

/// What a model is told about them.
pub const GUIDANCE: &str = "\
## MEMORY RULES
1. Treat memories as hypotheses, not truth.
2. Before using ANY memory:
   - Read EVERY cited code location using memory_read_citation
   - Verify the code still matches the memory's fact
   - If ANY citation is missing, outdated, or contradicts:
     - Do NOT use the memory
     - Either memory_invalidate or memory_supersede with correction
3. If memory is valid and useful:
   - Call memory_refresh to update timestamp
   - This keeps useful memories ranked higher
4. When to store memories:
   - Only store DURABLE conventions or invariants
   - Examples: sync rules, naming conventions, required multi-file edits
   - Do NOT store: temporary workarounds, TODOs, one-time fixes
5. After applying a memory:
   - Call memory_log_applied for telemetry
";

/// The tools of this set. Each is also known with a dot, as in `memory.store`.
pub(super) fn list_verified_tools() -> Vec<Tool> {
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
struct RepoArgument(#[schemars(with = "String")] Space);

impl<'de> Deserialize<'de> for RepoArgument {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let name = String::deserialize(reader)?;
        Space::repo(name.trim()).map(Self).map_err(D::Error::custom)
    }
}

/// A place that proves a fact: lines, or an item by its name, with what is expected there.
#[derive(Debug, Deserialize, JsonSchema)]
struct ProofFields {
    /// File, from the repository's root
    path: String,
    /// First line
    #[schemars(range(min = 1))]
    line_start: Option<u32>,
    /// Last line
    #[schemars(range(min = 1))]
    line_end: Option<u32>,
    /// The item instead of lines, as Server::bind
    symbol: Option<String>,
    /// Commit at which it was read; followed from there to now
    sha: Option<String>,
    /// SHA-256 of the cited lines
    snippet_hash: Option<TextEncoded<Digest>>,
}

/// A place that can be cited.
#[derive(Debug, JsonSchema)]
#[schemars(with = "ProofFields")]
pub(super) struct ProofLocation {
    pub(super) request: CitationRequest,
    snippet_hash: Option<Digest>,
}

impl<'de> Deserialize<'de> for ProofLocation {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let it = ProofFields::deserialize(reader)?;
        let request =
            CitationRequest::from_parts(&it.path, it.line_start, it.line_end, it.symbol.as_deref())
                .and_then(|request| request.at_commit(it.sha.as_deref()));
        Ok(Self {
            request: request.map_err(D::Error::custom)?,
            snippet_hash: it.snippet_hash.map(|it| it.0),
        })
    }
}

fn build_example_location() -> Value {
    json!({"path": "src/api.rs", "line_start": 12, "line_end": 18})
}

fn answer_verified_reply(reply: &VerifiedToolReply) -> ToolResult {
    ToolAnswer::new_reply(reply.ok, reply)
}

fn answer_verified_outcome(outcome: &WriteOutcome) -> ToolResult {
    let answer = answer_verified_reply(&VerifiedToolReply::from(outcome))?;
    Ok(answer.with_question(outcome.question()))
}

fn choose_repo_space<'a>(caller: &Caller<'a>, repo: Option<&'a RepoArgument>) -> &'a Space {
    // Agents write the name without the host.
    match repo {
        Some(named) if !caller.repo.is_called(&named.0) => &named.0,
        _ => caller.repo,
    }
}

/// A fact to keep with its proof.
#[derive(Deserialize, JsonSchema)]
struct StoreInput {
    /// Topic in a few words
    subject: String,
    /// The rule or convention, one sentence
    fact: String,
    /// The code that proves it
    #[serde(default)]
    citations: BoundedList<ProofLocation, MAX_CITATIONS>,
    /// Why it matters
    reason: Option<String>,
    /// Name of the agent
    created_by: Option<String>,
    /// owner/name; the repository here unless said
    repo: Option<RepoArgument>,
    /// Why it is kept beside one much like it
    rationale: Option<String>,
    /// Id of the memory to merge into
    merge_with: Option<TextEncoded<MemoryName>>,
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
            run: store_verified_fact,
        },
        Tool {
            name: "memory_supersede",
            title: "Supersede a memory",
            about: "Replace a memory that is outdated or wrong by its correction, with the code that proves it.",
            input: InputSchema::from_type::<SupersedeInput>().with_example(
                &json!({"memory_id": "m-12", "fact": fact, "citations": [build_example_location()]}),
            ),
            effect: ToolEffect::Changes,
            run: supersede_verified_memory,
        },
    ]
}

/// Keeps a fact with the code that proves it. What is known already is refreshed.
fn store_verified_fact(call: &ToolCall) -> ToolResult {
    let input: StoreInput = call.read_input()?;
    let space = choose_repo_space(call.caller, input.repo.as_ref());
    if let Err(refusal) = check_proof_in_checkout(call, space, &input.citations.0) {
        return answer_verified_reply(&VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        kind: Some(Kind::Project),
        subject: Some(input.subject),
        reason: input.reason,
        citations: list_cited_places(&input.citations.0),
        on_duplicate: choose_duplicate_handling(input.merge_with.map(|it| it.0), input.rationale),
        ..Draft::new(
            space.clone(),
            input.fact,
            call.caller.agent_voice(input.created_by.as_deref()),
        )
    };
    let policy = Policy {
        require_citations: true,
        ..*call.policy
    };
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    answer_verified_reply(&VerifiedToolReply::from(&write_draft(&cx, draft)?))
}

fn list_cited_places(citations: &[ProofLocation]) -> Vec<CitationRequest> {
    citations.iter().map(|it| it.request.clone()).collect()
}

/// Proof is read from the caller's own checkout, and where the caller says what it read there, it must be that.
fn check_proof_in_checkout(
    call: &ToolCall,
    space: &Space,
    citations: &[ProofLocation],
) -> Result<(), Refusal> {
    for ProofLocation {
        request,
        snippet_hash,
    } in citations
    {
        let refused = |why: String| Refusal::BadCitation {
            place: request.path.to_string(),
            why,
        };
        let repo = call.caller.repo;
        if space != repo {
            return Err(refused(format!(
                "{space} is not checked out here, {repo} is"
            )));
        }
        let Some(expected) = snippet_hash else {
            continue;
        };
        let citation = prove::capture_citation(call.source, request)?;
        if citation.digest != *expected && !citation.is_unread() {
            return Err(refused(
                "another text stands there than the one with this snippet_hash".into(),
            ));
        }
    }
    Ok(())
}

/// Which memories of a repository.
#[derive(Deserialize, JsonSchema)]
struct RecentInput {
    /// owner/name; the repository here unless said
    repo: Option<RepoArgument>,
    /// 50 unless said
    limit: Option<ResultLimit>,
}

/// The active memories of a repository, those refreshed last first.
fn fetch_recent_records(call: &ToolCall) -> ToolResult {
    answer_fetched_records(call, "the most recent", |space, limit| {
        list::list_recent_memories(call, space, limit)
    })
}

/// What memories cite.
#[derive(Deserialize, JsonSchema)]
struct PathInput {
    /// File or folder
    path: TextEncoded<RepoPath>,
}

/// The active memories that cite a file, or a file below a folder.
fn fetch_records_by_path(call: &ToolCall) -> ToolResult {
    let PathInput {
        path: TextEncoded(path),
    } = call.read_input()?;
    answer_fetched_records(call, &format!("cites {path}"), |space, limit| {
        list::list_citing_memories(call, space, &path, limit)
    })
}

/// Hands memories out, and notes how they stood. A log that cannot be written does not cost the caller the answer.
fn answer_fetched_records(
    call: &ToolCall,
    question: &str,
    find: impl FnOnce(&[Space], usize) -> Result<Vec<Memory>, CoreError>,
) -> ToolResult {
    let input: RecentInput = call.read_input()?;
    let limit = input
        .limit
        .map_or(list::RECENT_LIMIT, |it| it.capped_at(MAX_LISTED));
    let space = choose_repo_space(call.caller, input.repo.as_ref());
    let memories = find(std::slice::from_ref(space), limit)?;
    let found = if space == call.caller.repo {
        let found = follow_memory_citations(call, memories);
        let _ = list::log_fetched_memories(call, &found, question);
        found
    } else {
        memories
            .into_iter()
            .map(VerifiedMemory::without_look)
            .collect()
    };
    let records: Vec<_> = found.iter().map(FetchedMemoryRecord::from).collect();
    Ok(ToolAnswer::new_json(&records)?.with_note(format_standing_note(&found)))
}

/// What is handed out and is not to be relied on in this checkout. The records have the fields that their readers expect and
/// no other, so it is said beside them; where nothing is said, everything was looked up and holds.
fn format_standing_note(found: &[VerifiedMemory]) -> Option<String> {
    let list = |showing: Showing, why: &str| {
        let meant = found.iter().filter(|it| it.showing() == showing);
        let named = meant.map(|it| format!("{} ({})", it.memory.id, it.standing()));
        let named = named.collect::<Vec<_>>().join(", ");
        (!named.is_empty()).then(|| format!("{why}: {named}"))
    };
    let told = [
        list(Showing::Withheld, NOT_TO_BE_USED),
        list(Showing::Marked, TO_BE_CHECKED),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

const NOT_TO_BE_USED: &str = "Not to be used, because their citations do not hold in this checkout or could not be looked up";
const TO_BE_CHECKED: &str =
    "To be checked before they are used, because the code that they cite was edited";

/// One memory.
#[derive(Deserialize, JsonSchema)]
struct NamedMemoryInput {
    /// Id or handle, such as m-12
    memory_id: TextEncoded<MemoryName>,
}

fn read_memory_name(call: &ToolCall) -> Result<MemoryName, ArgumentError> {
    Ok(call.read_input::<NamedMemoryInput>()?.memory_id.0)
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
            run: refresh_verified_memory,
        },
        Tool {
            name: "memory_invalidate",
            title: "Invalidate a memory",
            about: "Mark a memory as wrong when the code contradicts it.",
            input: one()
                .merge_with(InputSchema::from_type::<InvalidateInput>())
                .with_example(&json!({"memory_id": "m-12", "reason": "the constant was removed"})),
            effect: ToolEffect::Changes,
            run: invalidate_verified_memory,
        },
        Tool {
            name: "memory_log_applied",
            title: "Log a use",
            about: "Note that a memory was used in a task. Call it after you relied on one.",
            input: one().with_example(&json!({"memory_id": "m-12"})),
            effect: ToolEffect::Adds,
            run: log_applied_memory,
        },
    ]
}

/// Looks a memory up, and when nothing speaks against it notes that it is still of use.
fn refresh_verified_memory(call: &ToolCall) -> ToolResult {
    let name = read_memory_name(call)?;
    let memory = list::find_named_memory(call, &call.spaces(), name)?;
    // An inactive memory is not looked up.
    let local = memory.filter(|it| it.is_active() && it.space == *call.caller.repo);
    let local = local.into_iter().collect();
    let found = verify(call, local, VerifyOptions::default(), |_| ())?;
    if let Some(found) = found.memories.iter().find(|it| !it.can_be_refreshed()) {
        let why = format!(
            "not refreshed: it is {} here; invalidate or supersede it",
            found.standing()
        );
        return answer_verified_reply(&VerifiedToolReply::new_failure(why));
    }
    answer_revise_outcome(
        call,
        "refreshed",
        revise::refresh_memory(call, &call.spaces(), name),
    )
}

/// Notes that a memory was of use.
fn log_applied_memory(call: &ToolCall) -> ToolResult {
    let name = read_memory_name(call)?;
    answer_revise_outcome(
        call,
        "applied",
        revise::mark_memory_applied(call, &call.spaces(), name),
    )
}

/// Says what was done, and how the memory stands that is handed out with it.
fn answer_revise_outcome(
    call: &ToolCall,
    word: &'static str,
    revised: Result<ReviseOutcome, CoreError>,
) -> ToolResult {
    let outcome = convert_revise_outcome(word, revised)?;
    let mut reply = VerifiedToolReply::from(&outcome);
    if let WriteOutcome::Done(done) = &outcome {
        let found = follow_memory_citations(call, vec![(*done.memory).clone()]);
        reply.note = reply.note.or_else(|| format_standing_note(&found));
    }
    answer_verified_reply(&reply)
}

/// Why a memory is wrong.
#[derive(Deserialize, JsonSchema)]
struct InvalidateInput {
    /// What contradicts it
    reason: String,
}

/// Marks a memory as wrong.
fn invalidate_verified_memory(call: &ToolCall) -> ToolResult {
    let InvalidateInput { reason } = call.read_input()?;
    let outcome = invalidate_for_tool(call, read_memory_name(call)?, &reason)?;
    answer_verified_outcome(&outcome)
}

/// A memory, and what takes its place.
#[derive(Deserialize, JsonSchema)]
struct SupersedeInput {
    /// Topic in a few words
    subject: Option<String>,
    /// The rule or convention, one sentence
    fact: String,
    /// The code that proves it
    #[serde(default)]
    citations: BoundedList<ProofLocation, MAX_CITATIONS>,
    /// Why it matters
    reason: Option<String>,
    /// Name of the agent
    created_by: Option<String>,
    /// The memory to replace
    memory_id: TextEncoded<MemoryName>,
    /// correction unless said
    #[serde(default)]
    how: SupersedeKind,
}

/// Whether the old memory was wrong, or the new one is better.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SupersedeKind {
    #[default]
    Correction,
    Better,
}

/// Replaces a memory by its correction, or by a better version.
fn supersede_verified_memory(call: &ToolCall) -> ToolResult {
    let input: SupersedeInput = call.read_input()?;
    let TextEncoded(name) = input.memory_id;
    let old = list::find_named_memory(call, &call.spaces(), name)?;
    let space = old.map_or_else(|| call.caller.repo.clone(), |it| it.space);
    if let Err(refusal) = check_proof_in_checkout(call, &space, &input.citations.0) {
        return answer_verified_reply(&VerifiedToolReply::from_refusal(&refusal));
    }
    let draft = Draft {
        subject: input.subject,
        reason: input.reason,
        citations: list_cited_places(&input.citations.0),
        ..Draft::new(
            space,
            input.fact,
            call.caller.agent_voice(input.created_by.as_deref()),
        )
    };
    let how = match input.how {
        SupersedeKind::Correction => ReplacementKind::Correction,
        SupersedeKind::Better => ReplacementKind::Better,
    };
    let outcome = supersede_for_tool(call, call.caller.speaker, &call.spaces(), name, draft, how)?;
    answer_verified_outcome(&outcome)
}

/// A repository.
#[derive(Deserialize, JsonSchema)]
struct RepoInput {
    /// owner/name; the repository here unless said
    repo: Option<RepoArgument>,
}

fn describe_reading_tools() -> [Tool; 3] {
    [
        Tool {
            name: "memory_get_recent",
            title: "Recent memories",
            about: "The active memories of a repository, those refreshed last first. Call it when a task starts; verify what you use.",
            input: InputSchema::from_type::<RecentInput>().with_example(&json!({"limit": 20})),
            effect: ToolEffect::Reads,
            run: fetch_recent_records,
        },
        Tool {
            name: "memory_search_by_path",
            title: "Memories that cite a path",
            about: "The active memories that cite a file or a folder. Call it before you edit there.",
            input: InputSchema::from_type::<PathInput>()
                .merge_with(InputSchema::from_type::<RecentInput>())
                .with_example(&json!({"path": "src/api.rs"})),
            effect: ToolEffect::Reads,
            run: fetch_records_by_path,
        },
        Tool {
            name: "memory_stats",
            title: "Figures",
            about: "How many memories there are, how they stand, and how often they were of use.",
            input: InputSchema::from_type::<RepoInput>().with_example(&json!({})),
            effect: ToolEffect::Reads,
            run: read_repo_stats,
        },
    ]
}

/// The figures of a repository.
fn read_repo_stats(call: &ToolCall) -> ToolResult {
    let RepoInput { repo } = call.read_input()?;
    let space = choose_repo_space(call.caller, repo.as_ref());
    ToolAnswer::new_json(&StatsRecord::from(&compute_space_stats(call, space)?))
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;
    use apostille_api::wire::read_arguments;
    use apostille_text::digest::Digest;

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
            json!({"path": "a", "line_start": 2, "line_end": 3, "sha": "c0ffee", "snippet_hash": hash}),
            None,
        );
        check(json!({"path": "a", "line_start": "2"}), None);
        check(json!("a:2"), Some("citations[1]"));
        check(json!({"line_start": 2}), Some("citations[1].path"));
        check(json!({"path": "a"}), Some("citations[1]"));
        check(json!({"path": "a", "symbol": "f"}), None);
        let both = json!({"path": "a", "symbol": "f", "line_start": 2});
        check(both, Some("citations[1]"));
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
        let branch = json!({"path": "a", "line_start": 1, "sha": "main"});
        check(branch, Some("citations[1]"));
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
    }
}
