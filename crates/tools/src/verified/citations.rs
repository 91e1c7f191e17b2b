//! Looking up citations that a caller brings, with or without a memory that has them.

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::file_lines::{FileLines, is_binary_content, join_cited_lines};
use apostille_cite::follow::{NEAR, PartialCitation};
use apostille_cite::source::Source;
use apostille_cite::verdict::{Loss, Verdict};
use apostille_core::memory::Memory;
use apostille_core::space::Space;
use apostille_core::verify::VerifyOptions;
use apostille_core::{Context, list};
use apostille_text::secrets;

use super::choose_repo_space;
use super::input::{LookupAtInput, PinnedLocation, VerifyCitationsInput};
use super::records::{PinnedLocationRecord, VerificationResult};
use crate::ToolAnswer;
use crate::tool::{ToolCall, ToolResult};
use apostille_api::shorten::take_first_chars;
use apostille_api::wire::{ArgumentError, BoundedList};
use apostille_api::{CallFault, CallPlace};

/// How much of the cited text is handed out, in characters.
const MAX_CONTENT: usize = 20_000;

/// What stands at a place.
enum LocationContent {
    /// This text.
    Text(String),
    /// Nothing, for this reason.
    Nothing(String),
    /// Nobody could look.
    Unknown(String),
}

/// What stands at a place, and what is wrong with it where it is not what was cited.
struct CheckedLocation {
    standing: LocationContent,
    wrong: Option<String>,
}

/// What is looked into: another commit than the one that is checked out, or the checkout itself; or why nothing is.
type LookupTree = Result<Option<Box<dyn Source>>, String>;

fn choose_lookup_tree(call: &ToolCall<'_>, at: &LookupAtInput) -> LookupTree {
    let (here, repo) = (call.here, choose_repo_space(call.here, at.repo.as_ref()));
    if repo != here.repo {
        return Err(format!("{repo} is not checked out here, {} is", here.repo));
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
    let open = here
        .at
        .ok_or_else(|| format!("cannot look at '{at}', only at what is checked out"))?;
    open(at).map(Some).map_err(|error| error.to_string())
}

/// Reads the code at one place.
pub(super) fn read_pinned_location(call: &ToolCall<'_>) -> ToolResult {
    let pinned: PinnedLocation = call.read_input()?;
    let tree = choose_lookup_tree(call, &call.read_input()?);
    let found = check_pinned_locations(call, &tree, std::slice::from_ref(&pinned)).pop();
    ToolAnswer::new_json(&found.map(|it| build_lookup_record(&pinned, it)))
}

/// Looks up every citation. Where a memory has exactly these, what was found is written down for it.
pub(super) fn verify_pinned_locations(call: &ToolCall<'_>) -> ToolResult {
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
        let owners = find_citation_owners(call, call.here.repo, &citations)?;
        let _ = apostille_core::verify::verify(call, owners, VerifyOptions::default(), |_| ());
    }
    let count = |wanted: fn(&CheckedLocation) -> bool| found.iter().filter(|it| wanted(it)).count();
    let valid_count = count(CheckedLocation::is_valid);
    let unknown_count = count(|it| matches!(it.standing, LocationContent::Unknown(_)));
    ToolAnswer::new_json(&VerificationResult {
        valid: valid_count == found.len(),
        valid_count,
        invalid_count: found.len() - valid_count - unknown_count,
        unknown_count,
        citations: citations
            .iter()
            .zip(found)
            .map(|(pinned, it)| build_lookup_record(pinned, it))
            .collect(),
    })
}

/// The active memories that cite exactly these places.
fn find_citation_owners(
    cx: &Context<'_>,
    space: &Space,
    citations: &[PinnedLocation],
) -> Result<Vec<Memory>, CallFault> {
    let Some(Ok(first)) = citations.first().map(PinnedLocation::to_code_location) else {
        return Ok(Vec::new());
    };
    let mut memories = list::list_citing_memories(
        cx,
        std::slice::from_ref(space),
        &first.path,
        apostille_core::list::RECENT_LIMIT,
    )?;
    let same = |memory: &Memory, it: &PinnedLocation| {
        let mut kept = memory.citations.iter();
        kept.any(|kept| {
            it.to_code_location()
                .is_ok_and(|place| place == kept.location())
                && it.snippet_hash.is_none_or(|hash| hash.0 == kept.digest)
        })
    };
    memories.retain(|memory| {
        memory.citations.len() == citations.len() && citations.iter().all(|it| same(memory, it))
    });
    Ok(memories)
}

/// What is found at each of these, in one look for all.
fn check_pinned_locations(
    call: &ToolCall<'_>,
    tree: &LookupTree,
    citations: &[PinnedLocation],
) -> Vec<CheckedLocation> {
    let source = match tree {
        Ok(_) if (call.late)() => Err("no time left to look"),
        Ok(other) => Ok(other.as_deref().unwrap_or(call.source)),
        Err(why) => Err(why.as_str()),
    };
    let source = match source {
        Ok(source) => source,
        Err(why) => {
            return citations
                .iter()
                .map(|_| CheckedLocation::new_unknown(why))
                .collect();
        }
    };
    let cited: Vec<Result<Citation, Verdict>> = citations
        .iter()
        .map(|it| build_expected_citation(call.here, source, it))
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

/// What the caller expects: as its digest says, or as it stood at the commit that it names.
fn build_expected_citation(
    here: &CallPlace<'_>,
    source: &dyn Source,
    pinned: &PinnedLocation,
) -> Result<Citation, Verdict> {
    let Ok(place) = pinned.to_code_location() else {
        return Err(Verdict::Gone {
            loss: Loss::Never,
            since: None,
        });
    };
    let then = here
        .at
        .zip(pinned.sha.as_deref())
        .and_then(|(open, sha)| open(sha).ok());
    let pin = PartialCitation {
        place,
        commit: pinned.sha.clone(),
        digest: pinned.snippet_hash.map(|it| it.0),
        text: None,
    };
    pin.resolve_citation(then.as_deref(), source)
}

/// What stands at the place, held against what was found of the text. This protocol knows a text at its place only:
/// one that moved is said to stand elsewhere.
fn judge_pinned_location(
    source: &dyn Source,
    pinned: &PinnedLocation,
    verdict: &Verdict,
) -> CheckedLocation {
    let place = match pinned.to_code_location() {
        Ok(place) => place,
        Err(bad) => {
            return CheckedLocation {
                standing: LocationContent::Nothing(bad.to_string()),
                wrong: None,
            };
        }
    };
    let standing = read_location_content(source, &place);
    let wrong = match verdict {
        Verdict::Holds => None,
        Verdict::Moved { to } => Some(format!("it stands at {to} now")),
        Verdict::Changed(it) if it.is_harmless && it.at == place => None,
        Verdict::Changed(it) if it.is_harmless => Some(format!("it stands at {} now", it.at)),
        Verdict::Changed(_) | Verdict::Gone { .. } => matches!(standing, LocationContent::Text(_))
            .then(|| "another text stands there now".into()),
        Verdict::Unknown { why } => return CheckedLocation::new_unknown(why),
    };
    CheckedLocation { standing, wrong }
}

fn read_location_content(source: &dyn Source, place: &CodeLocation) -> LocationContent {
    let blob = match source.read_file(&place.path) {
        Err(error) => return LocationContent::Unknown(error.format_with_causes()),
        Ok(None) => return LocationContent::Nothing("there is no such file".into()),
        Ok(Some(blob)) if is_binary_content(&blob.bytes) => {
            return LocationContent::Unknown("the file is not text".into());
        }
        Ok(Some(blob)) => blob,
    };
    let sheet = FileLines::from_bytes(&blob.bytes);
    match sheet.get_span(place.lines) {
        Some(lines) => LocationContent::Text(shorten_location_content(&join_cited_lines(lines))),
        None => LocationContent::Nothing(format!("the file has {} lines", sheet.line_count())),
    }
}

impl CheckedLocation {
    fn new_unknown(why: &str) -> Self {
        Self {
            standing: LocationContent::Unknown(why.into()),
            wrong: None,
        }
    }

    fn is_valid(&self) -> bool {
        matches!(self.standing, LocationContent::Text(_)) && self.wrong.is_none()
    }
}

fn shorten_location_content(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match take_first_chars(&text, MAX_CONTENT) {
        Some(start) => format!("{start}… (cut)"),
        None => text.into_owned(),
    }
}

fn build_lookup_record(pinned: &PinnedLocation, found: CheckedLocation) -> PinnedLocationRecord {
    let (exists, content, error) = match (found.standing, found.wrong) {
        (LocationContent::Text(content), wrong) => (true, Some(content), wrong),
        (LocationContent::Nothing(why), Some(wrong)) => {
            (false, None, Some(format!("{why}; {wrong}")))
        }
        (LocationContent::Nothing(why), None) => (false, None, Some(why)),
        (LocationContent::Unknown(why), _) => (false, None, Some(format!("unknown: {why}"))),
    };
    PinnedLocationRecord {
        // A place that was looked up is told as it was given, unless it is no place at all.
        path: secrets::mask_secrets(&pinned.path).into_owned(),
        line_start: pinned.line_start,
        line_end: pinned.line_end(),
        exists,
        content,
        error,
    }
}
