//! Looking up citations that a caller brings, with or without a memory that has them.

use apostille_cite::citation::{Citation, CodeLocation, CodeLocationError};
use apostille_cite::{
    file_lines::{FileLines, is_binary_content, join_cited_lines},
    follow::{NEAR, PartialCitation},
    source::Source,
    verdict::{Loss, Verdict},
};
use apostille_core::{
    Context, list,
    memory::Memory,
    space::Space,
    verify::{VerifiedMemory, VerifyOptions, follow_memory_citations},
};
use apostille_text::{digest::Digest, secrets};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    RepoArgument, build_example_location, choose_repo_space,
    records::{PinnedLocationRecord, VerificationResult},
};
use crate::{
    ToolAnswer,
    tool::{Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{
    CallFault,
    shorten::take_first_chars,
    wire::{ArgumentError, BoundedList, InputSchema, MAX_CITATIONS, TextEncoded},
};

/// How much of the cited text is handed out, in characters.
const MAX_CONTENT: usize = 20_000;

/// A place with what is expected there. It may still be one that cannot be cited: see [`PinnedLocation::to_code_location`].
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PinnedLocation {
    /// File, from the repository's root
    pub(super) path: String,
    /// First line
    #[schemars(range(min = 1))]
    line_start: u32,
    /// Last line
    #[schemars(range(min = 1))]
    line_end: Option<u32>,
    /// Commit at which it was read
    sha: Option<String>,
    /// SHA-256 of the cited lines
    pub(super) snippet_hash: Option<TextEncoded<Digest>>,
}

impl PinnedLocation {
    /// The last line; the first where only one is cited.
    fn line_end(&self) -> u32 {
        self.line_end.unwrap_or(self.line_start)
    }

    /// The place, if it can be cited at all.
    pub(crate) fn to_code_location(&self) -> Result<CodeLocation, CodeLocationError> {
        CodeLocation::new(&self.path, self.line_start, self.line_end())
    }
}

/// Citations to look up.
#[derive(Deserialize, JsonSchema)]
struct VerifyCitationsInput {
    /// The code that proves it
    citations: BoundedList<PinnedLocation, MAX_CITATIONS>,
}

/// Where they are looked up.
#[derive(Deserialize, JsonSchema)]
struct LookupAtInput {
    /// Commit or branch; the working tree unless said
    #[serde(rename = "ref")]
    at: Option<String>,
    /// owner/name; the repository here unless said
    repo: Option<RepoArgument>,
}

pub(super) fn describe_citation_tools() -> [Tool; 2] {
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
            run: read_pinned_location,
        },
        Tool {
            name: "memory_verify_citations",
            title: "Verify citations",
            about: "Whether cited code is still there: followed through edits, moves and renames.",
            input: InputSchema::from_type::<VerifyCitationsInput>()
                .merge_with(InputSchema::from_type::<LookupAtInput>())
                .with_example(&json!({"citations": [build_example_location()]})),
            effect: ToolEffect::Reads,
            run: verify_pinned_locations,
        },
    ]
}

/// What is looked into: another commit than the one that is checked out, or the checkout itself; or why nothing is.
type LookupTree = Result<Option<Box<dyn Source>>, String>;

fn choose_lookup_tree(call: &ToolCall, at: &LookupAtInput) -> LookupTree {
    let (caller, repo) = (
        call.caller,
        choose_repo_space(call.caller, at.repo.as_ref()),
    );
    if repo != caller.repo {
        return Err(format!(
            "{repo} is not checked out here, {} is",
            caller.repo
        ));
    }
    let is_checked_out = |at: &&str| {
        let tree = call.source.read_tree().unwrap_or_default();
        *at == "HEAD"
            || [tree.commit, tree.branch]
                .iter()
                .any(|it| it.as_deref() == Some(at))
    };
    let Some(at) = at.at.as_deref().filter(|at| !is_checked_out(at)) else {
        return Ok(None);
    };
    let open = caller
        .at
        .ok_or_else(|| format!("cannot look at '{at}', only at what is checked out"))?;
    open(at).map(Some).map_err(|error| error.to_string())
}

/// Reads the code at one place.
pub(super) fn read_pinned_location(call: &ToolCall) -> ToolResult {
    let pinned: PinnedLocation = call.read_input()?;
    let tree = choose_lookup_tree(call, &call.read_input()?);
    let found = check_pinned_locations(call, &tree, std::slice::from_ref(&pinned));
    ToolAnswer::new_json(&found.first())
}

/// Looks up every citation. Where a memory has exactly these, what was found is written down for it.
pub(super) fn verify_pinned_locations(call: &ToolCall) -> ToolResult {
    let VerifyCitationsInput {
        citations: BoundedList(citations),
    } = call.read_input()?;
    if citations.is_empty() {
        return Err(ArgumentError::new_missing("citations").into());
    }
    let at: LookupAtInput = call.read_input()?;
    let tree = choose_lookup_tree(call, &at);
    let found = check_pinned_locations(call, &tree, &citations);
    if let Ok(None) = tree {
        // A log that cannot be written does not cost the caller the answer.
        let owners = find_citation_owners(call, call.caller.repo, &citations)?;
        let _ = apostille_core::verify::verify(call, owners, VerifyOptions::default(), |_| ());
    }
    let is_valid = |it: &&PinnedLocationRecord| it.exists && it.error.is_none();
    let valid_count = found.iter().filter(is_valid).count();
    let unknown_count = found.iter().filter(|it| it.is_unknown).count();
    ToolAnswer::new_json(&VerificationResult {
        valid: valid_count == found.len(),
        valid_count,
        invalid_count: found.len() - valid_count - unknown_count,
        unknown_count,
        citations: found,
    })
}

/// The active memories that cite exactly these places, as they were kept or as they stand now.
fn find_citation_owners(
    cx: &Context,
    space: &Space,
    citations: &[PinnedLocation],
) -> Result<Vec<Memory>, CallFault> {
    let Some(Ok(first)) = citations.first().map(PinnedLocation::to_code_location) else {
        return Ok(Vec::new());
    };
    let spaces = std::slice::from_ref(space);
    let memories = list::list_citing_memories(cx, spaces, &first.path, list::RECENT_LIMIT)?;
    let is_owner = |it: &VerifiedMemory| {
        it.memory.citations.len() == citations.len()
            && citations
                .iter()
                .all(|pinned| cites_pinned_location(it, pinned))
    };
    let found = follow_memory_citations(cx, memories).into_iter();
    Ok(found.filter(is_owner).map(|it| it.memory).collect())
}

fn cites_pinned_location(it: &VerifiedMemory, pinned: &PinnedLocation) -> bool {
    let Ok(place) = pinned.to_code_location() else {
        return false;
    };
    let is_meant = |(kept, verdict): (&Citation, &Verdict)| {
        let is_kept = place == kept.location()
            && pinned.snippet_hash.is_none_or(|hash| hash.0 == kept.digest);
        is_kept || (verdict.is_good() && verdict.living_location(kept).as_ref() == Some(&place))
    };
    it.memory.citations.iter().zip(&it.verdicts).any(is_meant)
}

/// What is found at each of these, in one look for all.
fn check_pinned_locations(
    call: &ToolCall,
    tree: &LookupTree,
    citations: &[PinnedLocation],
) -> Vec<PinnedLocationRecord> {
    let source = match tree {
        Ok(_) if (call.late)() => Err("no time left to look"),
        Ok(other) => Ok(other.as_deref().unwrap_or(call.source)),
        Err(why) => Err(why.as_str()),
    };
    let source = match source {
        Ok(source) => source,
        Err(why) => {
            let unknown = |it| PinnedLocationRecord::from_unknown(it, why);
            return citations.iter().map(unknown).collect();
        }
    };
    let cited: Vec<Result<Citation, Verdict>> = citations
        .iter()
        .map(|it| build_expected_citation(call, source, it))
        .collect();
    let open: Vec<&Citation> = cited.iter().flatten().collect();
    let cx = Context { source, ..call.cx };
    let mut sights = cx
        .citation_follower(NEAR)
        .follow_citations(&open)
        .into_iter();
    let verdicts = cited.iter().map(|it| match it {
        Ok(_) => sights.next().map_or(UNSEEN, |it| it.verdict),
        Err(verdict) => verdict.clone(),
    });
    citations
        .iter()
        .zip(verdicts)
        .map(|(pinned, verdict)| judge_pinned_location(source, pinned, &verdict))
        .collect()
}

const UNSEEN: Verdict = Verdict::Unknown { why: String::new() };

/// What the caller expects: as its digest says, or as it stood at the commit that it names; where that tells nothing, as a
/// memory cites it.
fn build_expected_citation(
    call: &ToolCall,
    source: &dyn Source,
    pinned: &PinnedLocation,
) -> Result<Citation, Verdict> {
    let Ok(place) = pinned.to_code_location() else {
        return Err(Verdict::Gone {
            loss: Loss::Never,
            since: None,
        });
    };
    let opener = call.caller.at;
    let then = opener
        .zip(pinned.sha.as_deref())
        .and_then(|(open, sha)| open(sha).ok());
    let pin = PartialCitation {
        place,
        commit: pinned.sha.clone(),
        digest: pinned.snippet_hash.map(|it| it.0),
        text: None,
    };
    let resolved = pin.resolve_citation(then.as_deref(), source);
    resolved.or_else(|verdict| find_kept_citation(call, &pin).ok_or(verdict))
}

/// The citation of a memory that is as the caller says: it has the text that the place alone does not tell.
fn find_kept_citation(call: &ToolCall, pin: &PartialCitation) -> Option<Citation> {
    let spaces = std::slice::from_ref(call.caller.repo);
    let path = &pin.place.path;
    let citing = list::list_citing_memories(call, spaces, path, list::RECENT_LIMIT).ok()?;
    let is_meant = |it: &Citation| {
        let is_then = pin.commit.is_none() || pin.commit == it.commit;
        it.location() == pin.place && is_then && pin.digest.is_none_or(|hash| hash == it.digest)
    };
    citing
        .into_iter()
        .flat_map(|it| it.citations)
        .find(is_meant)
}

/// What stands at the place, held against what was found of the text. One that moved is as good as one in place: its
/// content is that of the new place.
fn judge_pinned_location(
    source: &dyn Source,
    pinned: &PinnedLocation,
    verdict: &Verdict,
) -> PinnedLocationRecord {
    let place = match pinned.to_code_location() {
        Ok(place) => place,
        Err(bad) => return PinnedLocationRecord::new(pinned, None, Some(bad.to_string())),
    };
    let moved_to = match verdict {
        Verdict::Moved { to } => Some(to),
        Verdict::Changed(it) if it.is_harmless && it.at != place => Some(&it.at),
        Verdict::Unknown { why } => return PinnedLocationRecord::from_unknown(pinned, why),
        Verdict::Holds | Verdict::Changed(_) | Verdict::Gone { .. } => None,
    };
    let record = match read_location_content(source, moved_to.unwrap_or(&place)) {
        Err(why) => return PinnedLocationRecord::from_unknown(pinned, &why),
        Ok(Ok(text)) => {
            let wrong = verdict
                .is_bad()
                .then(|| "another text stands there now".into());
            PinnedLocationRecord::new(pinned, Some(text), wrong)
        }
        Ok(Err(why)) => PinnedLocationRecord::new(pinned, None, Some(why)),
    };
    PinnedLocationRecord {
        moved_to: moved_to.map(ToString::to_string),
        ..record
    }
}

/// The text at a place, or why there is none; or why nobody could look.
fn read_location_content(
    source: &dyn Source,
    place: &CodeLocation,
) -> Result<Result<String, String>, String> {
    let blob = match source.read_file(&place.path) {
        Err(error) => return Err(error.format_with_causes()),
        Ok(None) => return Ok(Err("there is no such file".into())),
        Ok(Some(blob)) if is_binary_content(&blob.bytes) => {
            return Err("the file is not text".into());
        }
        Ok(Some(blob)) => blob,
    };
    let sheet = FileLines::from_bytes(&blob.bytes);
    Ok(match sheet.get_span(place.lines) {
        Some(lines) => Ok(shorten_location_content(&join_cited_lines(lines))),
        None => Err(format!("the file has {} lines", sheet.line_count())),
    })
}

fn shorten_location_content(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match take_first_chars(&text, MAX_CONTENT) {
        Some(start) => format!("{start}… (cut)"),
        None => text.into_owned(),
    }
}

impl PinnedLocationRecord {
    fn new(pinned: &PinnedLocation, content: Option<String>, error: Option<String>) -> Self {
        Self {
            // A place that was looked up is told as it was given, unless it is no place at all.
            path: secrets::mask_secrets(&pinned.path).into_owned(),
            line_start: pinned.line_start,
            line_end: pinned.line_end(),
            exists: content.is_some(),
            content,
            moved_to: None,
            error,
            is_unknown: false,
        }
    }

    fn from_unknown(pinned: &PinnedLocation, why: &str) -> Self {
        Self {
            is_unknown: true,
            ..Self::new(pinned, None, Some(format!("unknown: {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use super::*;
    use apostille_api::wire::read_arguments;

    /// The field that is named when these arguments are read.
    fn check<T: DeserializeOwned>(arguments: Value, expected: Option<&str>) {
        let found = read_arguments::<T>(&arguments).err().map(|it| it.field);
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }

    #[test]
    fn citation_tools_name_the_field_that_is_wrong() {
        check::<VerifyCitationsInput>(json!({}), Some("citations"));
        let outside = json!({"citations": [{"path": "../x", "line_start": 1}]});
        check::<VerifyCitationsInput>(outside, None);
        check::<LookupAtInput>(json!({"ref": 3}), Some("ref"));
        check::<PinnedLocation>(json!({"path": "x", "line_start": 1, "other": 1}), None);
        check::<PinnedLocation>(json!({"path": "x"}), Some("line_start"));
    }
}
