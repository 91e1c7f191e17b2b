//! Looking up citations that a caller brings, with or without a memory that has them.

use apostille_cite::citation::{Citation, Cite};
use apostille_cite::look::{NEAR, Pin};
use apostille_cite::sheet::{Sheet, is_binary, joined};
use apostille_cite::source::Source;
use apostille_cite::verdict::{Loss, Verdict};
use apostille_core::memory::Memory;
use apostille_core::space::Space;
use apostille_core::verify::Orders;
use apostille_core::{Context, list};
use apostille_text::secrets;

use super::input::{At, Pinned};
use super::records::{LookedUp, VerificationResult};
use super::space_of;
use apostille_api::text::beginning;
use apostille_api::{Fault, Here};

/// How much of the cited text is handed out, in characters.
const MAX_CONTENT: usize = 20_000;

/// What stands at a place.
enum Standing {
    /// This text.
    Text(String),
    /// Nothing, for this reason.
    Nothing(String),
    /// Nobody could look.
    Unknown(String),
}

/// What stands at a place, and what is wrong with it where it is not what was cited.
struct Found {
    standing: Standing,
    wrong: Option<String>,
}

/// What is looked into: the caller's checkout, another commit of it, or nothing that can be reached.
enum Tree<'a> {
    Checkout(&'a dyn Source),
    Other(Box<dyn Source>),
    Unreachable(String),
}

impl Tree<'_> {
    fn source(&self) -> Result<&dyn Source, &str> {
        match self {
            Self::Checkout(source) => Ok(*source),
            Self::Other(source) => Ok(source.as_ref()),
            Self::Unreachable(why) => Err(why),
        }
    }
}

fn tree<'a>(cx: &Context<'a>, here: &Here<'_>, repo: &Space, at: Option<&str>) -> Tree<'a> {
    if repo != here.repo {
        return Tree::Unreachable(format!("{repo} is not checked out here, {} is", here.repo));
    }
    let checked_out = |at: &str| {
        let tree = cx.source.tree().unwrap_or_default();
        at == "HEAD" || tree.commit.as_deref() == Some(at) || tree.branch.as_deref() == Some(at)
    };
    match (at.filter(|at| !checked_out(at)), here.at) {
        (None, _) => Tree::Checkout(cx.source),
        (Some(at), None) => Tree::Unreachable(format!(
            "cannot look at '{at}', only at what is checked out"
        )),
        (Some(at), Some(open)) => match open(at) {
            Ok(source) => Tree::Other(source),
            Err(error) => Tree::Unreachable(error.to_string()),
        },
    }
}

/// Reads the code at one place.
pub(super) fn read_citation(
    cx: &Context<'_>,
    here: &Here<'_>,
    pinned: &Pinned,
    at: &At,
) -> Option<LookedUp> {
    let tree = tree(cx, here, space_of(here, at.repo.as_ref()), at.at.as_deref());
    let found = found(cx, here, &tree, std::slice::from_ref(pinned)).pop()?;
    Some(record(pinned, found))
}

/// Looks up every citation. Where a memory has exactly these, what was found is written down for it.
pub(super) fn verify_citations(
    cx: &Context<'_>,
    here: &Here<'_>,
    citations: &[Pinned],
    at: &At,
) -> Result<VerificationResult, Fault> {
    let space = space_of(here, at.repo.as_ref());
    let tree = tree(cx, here, space, at.at.as_deref());
    let found = found(cx, here, &tree, citations);
    if let Tree::Checkout(_) = tree {
        // A log that cannot be written does not cost the caller the answer.
        let owners = owners(cx, space, citations)?;
        let _ = apostille_core::verify::verify(cx, owners, Orders::default(), |_| ());
    }
    let count = |wanted: fn(&Found) -> bool| found.iter().filter(|it| wanted(it)).count();
    let valid_count = count(Found::is_valid);
    let unknown_count = count(|it| matches!(it.standing, Standing::Unknown(_)));
    Ok(VerificationResult {
        valid: valid_count == found.len(),
        valid_count,
        invalid_count: found.len() - valid_count - unknown_count,
        unknown_count,
        citations: citations
            .iter()
            .zip(found)
            .map(|(pinned, it)| record(pinned, it))
            .collect(),
    })
}

/// The active memories that cite exactly these places.
fn owners(cx: &Context<'_>, space: &Space, citations: &[Pinned]) -> Result<Vec<Memory>, Fault> {
    let Some(Ok(first)) = citations.first().map(Pinned::place) else {
        return Ok(Vec::new());
    };
    let mut memories = list::citing(
        cx,
        std::slice::from_ref(space),
        &first.path,
        apostille_core::list::RECENT_LIMIT,
    )?;
    let same = |memory: &Memory, it: &Pinned| {
        let mut kept = memory.citations.iter();
        kept.any(|kept| {
            it.place().is_ok_and(|place| place == kept.place())
                && it.snippet_hash.is_none_or(|hash| hash.0 == kept.digest)
        })
    };
    memories.retain(|memory| {
        memory.citations.len() == citations.len() && citations.iter().all(|it| same(memory, it))
    });
    Ok(memories)
}

/// What is found at each of these, in one look for all.
fn found(cx: &Context<'_>, here: &Here<'_>, tree: &Tree<'_>, citations: &[Pinned]) -> Vec<Found> {
    let source = match tree.source() {
        Err(why) => return citations.iter().map(|_| Found::unknown(why)).collect(),
        Ok(_) if (cx.late)() => {
            return citations
                .iter()
                .map(|_| Found::unknown("no time left to look"))
                .collect();
        }
        Ok(source) => source,
    };
    let cited: Vec<Result<Citation, Verdict>> =
        citations.iter().map(|it| cited(here, source, it)).collect();
    let open: Vec<&Citation> = cited.iter().flatten().collect();
    let cx = Context { source, ..*cx };
    let mut sights = cx.citation_reader(NEAR).look(&open).into_iter();
    let verdicts = cited.iter().map(|it| match it {
        Ok(_) => sights.next().map_or(UNSEEN, |it| it.verdict),
        Err(verdict) => verdict.clone(),
    });
    citations
        .iter()
        .zip(verdicts)
        .map(|(pinned, verdict)| judged(source, pinned, &verdict))
        .collect()
}

const UNSEEN: Verdict = Verdict::Unknown { why: String::new() };

/// What the caller expects: as its digest says, or as it stood at the commit that it names.
fn cited(here: &Here<'_>, source: &dyn Source, pinned: &Pinned) -> Result<Citation, Verdict> {
    let Ok(place) = pinned.place() else {
        return Err(Verdict::Gone {
            loss: Loss::Never,
            since: None,
        });
    };
    let then = here
        .at
        .zip(pinned.sha.as_deref())
        .and_then(|(open, sha)| open(sha).ok());
    let pin = Pin {
        place,
        commit: pinned.sha.clone(),
        digest: pinned.snippet_hash.map(|it| it.0),
        text: None,
    };
    pin.citation(then.as_deref(), source)
}

/// What stands at the place, held against what was found of the text. This protocol knows a text at its place only:
/// one that moved is said to stand elsewhere.
fn judged(source: &dyn Source, pinned: &Pinned, verdict: &Verdict) -> Found {
    let place = match pinned.place() {
        Ok(place) => place,
        Err(bad) => {
            return Found {
                standing: Standing::Nothing(bad.to_string()),
                wrong: None,
            };
        }
    };
    let standing = read(source, &place);
    let wrong = match verdict {
        Verdict::Holds => None,
        Verdict::Moved { to } => Some(format!("it stands at {to} now")),
        Verdict::Changed(it) if it.is_harmless && it.at == place => None,
        Verdict::Changed(it) if it.is_harmless => Some(format!("it stands at {} now", it.at)),
        Verdict::Changed(_) | Verdict::Gone { .. } => {
            matches!(standing, Standing::Text(_)).then(|| "another text stands there now".into())
        }
        Verdict::Unknown { why } => return Found::unknown(why),
    };
    Found { standing, wrong }
}

fn read(source: &dyn Source, place: &Cite) -> Standing {
    let blob = match source.read(&place.path) {
        Err(error) => return Standing::Unknown(error.told()),
        Ok(None) => return Standing::Nothing("there is no such file".into()),
        Ok(Some(blob)) if is_binary(&blob.bytes) => {
            return Standing::Unknown("the file is not text".into());
        }
        Ok(Some(blob)) => blob,
    };
    let sheet = Sheet::of(&blob.bytes);
    match sheet.range(place.lines) {
        Some(lines) => Standing::Text(handed_out(&joined(lines))),
        None => Standing::Nothing(format!("the file has {} lines", sheet.count())),
    }
}

impl Found {
    fn unknown(why: &str) -> Self {
        Self {
            standing: Standing::Unknown(why.into()),
            wrong: None,
        }
    }

    fn is_valid(&self) -> bool {
        matches!(self.standing, Standing::Text(_)) && self.wrong.is_none()
    }
}

fn handed_out(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match beginning(&text, MAX_CONTENT) {
        Some(start) => format!("{start}… (cut)"),
        None => text.into_owned(),
    }
}

fn record(pinned: &Pinned, found: Found) -> LookedUp {
    let (exists, content, error) = match (found.standing, found.wrong) {
        (Standing::Text(content), wrong) => (true, Some(content), wrong),
        (Standing::Nothing(why), Some(wrong)) => (false, None, Some(format!("{why}; {wrong}"))),
        (Standing::Nothing(why), None) => (false, None, Some(why)),
        (Standing::Unknown(why), _) => (false, None, Some(format!("unknown: {why}"))),
    };
    let path = pinned.path.clone();
    // A place that was looked up is told as it was given, unless it is no place at all.
    let path = secrets::masked(&path).into_owned();
    LookedUp {
        path,
        line_start: pinned.line_start,
        line_end: pinned.line_end(),
        exists,
        content,
        error,
    }
}
