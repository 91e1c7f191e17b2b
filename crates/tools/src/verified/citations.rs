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
use super::input::{LookupAtInput, PinnedLocation};
use super::records::{PinnedLocationRecord, VerificationResult};
use apostille_api::shorten::take_first_chars;
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

/// What is looked into: the caller's checkout, another commit of it, or nothing that can be reached.
enum LookupTree<'a> {
    Checkout(&'a dyn Source),
    Other(Box<dyn Source>),
    Unreachable(String),
}

impl LookupTree<'_> {
    fn as_source(&self) -> Result<&dyn Source, &str> {
        match self {
            Self::Checkout(source) => Ok(*source),
            Self::Other(source) => Ok(source.as_ref()),
            Self::Unreachable(why) => Err(why),
        }
    }
}

fn choose_lookup_tree<'a>(
    cx: &Context<'a>,
    here: &CallPlace<'_>,
    repo: &Space,
    at: Option<&str>,
) -> LookupTree<'a> {
    if repo != here.repo {
        return LookupTree::Unreachable(format!(
            "{repo} is not checked out here, {} is",
            here.repo
        ));
    }
    let checked_out = |at: &str| {
        let tree = cx.source.read_tree().unwrap_or_default();
        at == "HEAD" || tree.commit.as_deref() == Some(at) || tree.branch.as_deref() == Some(at)
    };
    match (at.filter(|at| !checked_out(at)), here.at) {
        (None, _) => LookupTree::Checkout(cx.source),
        (Some(at), None) => LookupTree::Unreachable(format!(
            "cannot look at '{at}', only at what is checked out"
        )),
        (Some(at), Some(open)) => match open(at) {
            Ok(source) => LookupTree::Other(source),
            Err(error) => LookupTree::Unreachable(error.to_string()),
        },
    }
}

/// Reads the code at one place.
pub(super) fn read_pinned_location(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    pinned: &PinnedLocation,
    at: &LookupAtInput,
) -> Option<PinnedLocationRecord> {
    let tree = choose_lookup_tree(
        cx,
        here,
        choose_repo_space(here, at.repo.as_ref()),
        at.at.as_deref(),
    );
    let found = check_pinned_locations(cx, here, &tree, std::slice::from_ref(pinned)).pop()?;
    Some(build_lookup_record(pinned, found))
}

/// Looks up every citation. Where a memory has exactly these, what was found is written down for it.
pub(super) fn verify_pinned_locations(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    citations: &[PinnedLocation],
    at: &LookupAtInput,
) -> Result<VerificationResult, CallFault> {
    let space = choose_repo_space(here, at.repo.as_ref());
    let tree = choose_lookup_tree(cx, here, space, at.at.as_deref());
    let found = check_pinned_locations(cx, here, &tree, citations);
    if let LookupTree::Checkout(_) = tree {
        // A log that cannot be written does not cost the caller the answer.
        let owners = find_citation_owners(cx, space, citations)?;
        let _ = apostille_core::verify::verify(cx, owners, VerifyOptions::default(), |_| ());
    }
    let count = |wanted: fn(&CheckedLocation) -> bool| found.iter().filter(|it| wanted(it)).count();
    let valid_count = count(CheckedLocation::is_valid);
    let unknown_count = count(|it| matches!(it.standing, LocationContent::Unknown(_)));
    Ok(VerificationResult {
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
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    tree: &LookupTree<'_>,
    citations: &[PinnedLocation],
) -> Vec<CheckedLocation> {
    let source = match tree.as_source() {
        Err(why) => {
            return citations
                .iter()
                .map(|_| CheckedLocation::new_unknown(why))
                .collect();
        }
        Ok(_) if (cx.late)() => {
            return citations
                .iter()
                .map(|_| CheckedLocation::new_unknown("no time left to look"))
                .collect();
        }
        Ok(source) => source,
    };
    let cited: Vec<Result<Citation, Verdict>> = citations
        .iter()
        .map(|it| build_expected_citation(here, source, it))
        .collect();
    let open: Vec<&Citation> = cited.iter().flatten().collect();
    let cx = Context { source, ..*cx };
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
    let path = pinned.path.clone();
    // A place that was looked up is told as it was given, unless it is no place at all.
    let path = secrets::mask_secrets(&path).into_owned();
    PinnedLocationRecord {
        path,
        line_start: pinned.line_start,
        line_end: pinned.line_end(),
        exists,
        content,
        error,
    }
}
