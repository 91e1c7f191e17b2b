//! Looking up citations that a caller brings, with or without a memory that has them.

use apostille_core::citation::{Cite, Lines};
use apostille_core::digest::Digest;
use apostille_core::memory::Memory;
use apostille_core::sheet::{Sheet, is_binary, joined};
use apostille_core::source::Source;
use apostille_core::space::Space;
use apostille_core::verify::Orders;
use apostille_core::{Context, list};

use super::records::{LookedUp, VerificationResult};
use super::space_of;
use crate::wire::{Pinned, Verify};
use crate::{Fault, Here};

/// How much of the cited text is handed out, in characters.
const MAX_CONTENT: usize = 20_000;
/// How many lines are digested at most while looking for a text elsewhere in its file.
const MAX_DIGESTED: usize = 2_000_000;

/// What was found at a place.
enum Found {
    /// It holds, or nobody said what to expect and something is there.
    Valid(String),
    /// Something is there, but not what was expected.
    Other(String, String),
    /// Nothing is there.
    Nothing(String),
    /// Nobody could look.
    Unknown(String),
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
        (Some(at), None) => Tree::Unreachable(format!("cannot look at '{at}', only at what is checked out")),
        (Some(at), Some(open)) => match open(at) {
            Ok(source) => Tree::Other(source),
            Err(error) => Tree::Unreachable(error.to_string()),
        },
    }
}

/// Reads the code at one place.
#[must_use]
pub fn read_citation(cx: &Context<'_>, here: &Here<'_>, input: &Verify) -> Option<LookedUp> {
    let tree = tree(cx, here, space_of(here, input.repo.as_ref()), input.at.as_deref());
    let pinned = input.citations.first()?;
    Some(record(pinned, found(cx, here, &tree, pinned)))
}

/// Looks up every citation. Where a memory has exactly these, what was found is written down for it.
pub fn verify_citations(
    cx: &Context<'_>,
    here: &Here<'_>,
    input: &Verify,
) -> Result<VerificationResult, Fault> {
    let space = space_of(here, input.repo.as_ref());
    let tree = tree(cx, here, space, input.at.as_deref());
    let found: Vec<Found> = input.citations.iter().map(|it| found(cx, here, &tree, it)).collect();
    if let Tree::Checkout(_) = tree {
        // A log that cannot be written does not cost the caller the answer.
        let _ = apostille_core::verify::verify(
            cx,
            owners(cx, space, &input.citations)?,
            Orders::default(),
            |_| (),
        );
    }
    let count = |wanted: fn(&Found) -> bool| found.iter().filter(|it| wanted(it)).count();
    let valid_count = count(|it| matches!(it, Found::Valid(_)));
    let invalid_count = count(|it| matches!(it, Found::Other(..) | Found::Nothing(_)));
    Ok(VerificationResult {
        valid: valid_count == found.len(),
        valid_count,
        invalid_count,
        unknown_count: count(|it| matches!(it, Found::Unknown(_))),
        citations: input.citations.iter().zip(found).map(|(pinned, it)| record(pinned, it)).collect(),
    })
}

/// The active memories that cite exactly these places.
fn owners(cx: &Context<'_>, space: &Space, citations: &[Pinned]) -> Result<Vec<Memory>, Fault> {
    let Some(Ok(first)) = citations.first().map(Pinned::place) else { return Ok(Vec::new()) };
    let mut memories =
        list::citing(cx, std::slice::from_ref(space), &first.path, apostille_core::list::RECENT_LIMIT)?;
    let same = |memory: &Memory, it: &Pinned| {
        let mut kept = memory.citations.iter();
        kept.any(|kept| {
            it.place().is_ok_and(|place| place == kept.place())
                && it.snippet_hash.is_none_or(|hash| hash == kept.digest)
        })
    };
    memories.retain(|memory| {
        memory.citations.len() == citations.len() && citations.iter().all(|it| same(memory, it))
    });
    Ok(memories)
}

fn found(cx: &Context<'_>, here: &Here<'_>, tree: &Tree<'_>, pinned: &Pinned) -> Found {
    if (cx.late)() {
        return Found::Unknown("no time left to look".into());
    }
    match (tree.source(), pinned.place()) {
        (Err(why), _) => Found::Unknown(why.into()),
        (_, Err(bad)) => Found::Nothing(bad.to_string()),
        (Ok(source), Ok(place)) => look(source, &place, || expected(here, pinned, &place)),
    }
}

/// The digest of what is expected: as the caller says, or as it stood at the commit that the caller names.
fn expected(here: &Here<'_>, pinned: &Pinned, place: &Cite) -> Option<Digest> {
    pinned.snippet_hash.or_else(|| {
        let then = here.at?(pinned.sha.as_deref()?).ok()?;
        let blob = then.read(&place.path).ok()??;
        Sheet::of(&blob.bytes).range(place.lines).map(|lines| Digest::of(&joined(lines)))
    })
}

fn look(source: &dyn Source, place: &Cite, expected: impl Fn() -> Option<Digest>) -> Found {
    let blob = match source.read(&place.path) {
        Err(error) => return Found::Unknown(error.to_string()),
        Ok(None) => return Found::Nothing("there is no such file".into()),
        Ok(Some(blob)) if is_binary(&blob.bytes) => return Found::Unknown("the file is not text".into()),
        Ok(Some(blob)) => blob,
    };
    let sheet = Sheet::of(&blob.bytes);
    let moved = |digest: Digest| match elsewhere(&sheet, place.lines, digest) {
        Some(lines) => format!("it stands at {}:{lines} now", place.path),
        None => "another text stands there now".into(),
    };
    let Some(bytes) = sheet.range(place.lines).map(joined) else {
        let end = format!("the file has {} lines", sheet.count());
        let whereto = expected().map(moved).map(|it| format!("{end}; {it}"));
        return Found::Nothing(whereto.unwrap_or(end));
    };
    let content = handed_out(&bytes);
    match expected() {
        Some(digest) if digest != Digest::of(&bytes) => Found::Other(content, moved(digest)),
        _ => Found::Valid(content),
    }
}

/// Where as many lines with this digest stand, if they do and looking is not too much work.
fn elsewhere(sheet: &Sheet<'_>, lines: Lines, digest: Digest) -> Option<Lines> {
    let work = (lines.count() as usize).saturating_mul(sheet.count() as usize);
    let is_it = |lines: &Lines| sheet.range(*lines).is_some_and(|it| Digest::of(&joined(it)) == digest);
    (1..=sheet.count()).filter(|_| work <= MAX_DIGESTED).map(|start| lines.at(start)).find(is_it)
}

fn handed_out(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(MAX_CONTENT) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text.into_owned(),
    }
}

fn record(pinned: &Pinned, found: Found) -> LookedUp {
    let (exists, content, error) = match found {
        Found::Valid(content) => (true, Some(content), None),
        Found::Other(content, why) => (true, Some(content), Some(why)),
        Found::Nothing(why) => (false, None, Some(why)),
        Found::Unknown(why) => (false, None, Some(format!("unknown: {why}"))),
    };
    let path = pinned.path.clone();
    LookedUp { path, line_start: pinned.line_start, line_end: pinned.line_end, exists, content, error }
}
