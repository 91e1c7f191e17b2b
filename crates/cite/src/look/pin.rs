//! A citation as somebody hands it in, made whole: protocols name a place and, at best, a commit or a digest.

use crate::capture::cut_lines;
use crate::citation::{Citation, Cite, Lines};
use crate::sheet::{Sheet, joined};
use crate::source::{Blob, Source, SourceError};
use crate::verdict::{Loss, Verdict};
use apostille_text::digest::Digest;

/// Above so many lines times lines, a text of which only the digest is known is not searched for.
const MAX_DIGESTED: u64 = 2_000_000;

/// A place, and as much as somebody knows of what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The place.
    pub place: Cite,
    /// The commit at which it was cited.
    pub commit: Option<String>,
    /// The digest of the lines.
    pub digest: Option<Digest>,
    /// The lines themselves.
    pub text: Option<String>,
}

impl Pin {
    /// The citation that this names: read at its own commit (`then`), else made of what is known of it. `Err` is the
    /// verdict where there is nothing to look up.
    pub fn citation(
        &self,
        then: Option<&dyn Source>,
        now: &dyn Source,
    ) -> Result<Citation, Verdict> {
        match then.map(|it| self.read(it)) {
            Some(Ok(citation)) => self.agrees(citation),
            Some(Err(Unread::Refused(verdict))) => Err(verdict),
            None | Some(Err(Unread::NoCommit)) => self.remade(now),
        }
    }

    fn read(&self, then: &dyn Source) -> Result<(Citation, Blob), Unread> {
        let unknown = |error: SourceError| match error {
            SourceError::NoSuchRef(_) => Unread::NoCommit,
            other => Unread::Refused(Verdict::Unknown { why: other.told() }),
        };
        let commit = then.tree().map_err(unknown)?.commit;
        let blob = then
            .read(&self.place.path)
            .map_err(unknown)?
            .ok_or(Unread::Refused(NEVER))?;
        let citation = cut_lines(&self.place, &blob, commit).map_err(|_| Unread::Refused(NEVER))?;
        Ok((citation, blob))
    }

    /// What was read, unless it is not what the pin says stood there. Line endings may or may not be in the digest.
    fn agrees(&self, (citation, blob): (Citation, Blob)) -> Result<Citation, Verdict> {
        let is_it = |digest: Digest| {
            digest == citation.digest || Some(digest) == raw(&blob, self.place.lines)
        };
        let has_digest = self.digest.is_none_or(is_it);
        let has_text = self
            .text
            .as_deref()
            .is_none_or(|it| lines(it) == lines(&citation.snippet));
        if has_digest && has_text {
            Ok(citation)
        } else {
            Err(NEVER)
        }
    }

    /// The citation without its commit: of the text, of the place that has the digest, or of what stands there now.
    fn remade(&self, now: &dyn Source) -> Result<Citation, Verdict> {
        if let Some(text) = &self.text {
            return Ok(self.of_text(text));
        }
        let blob = now
            .read(&self.place.path)
            .map_err(|error| Verdict::Unknown { why: error.told() })?;
        let blob = blob.ok_or(Verdict::Gone {
            loss: Loss::File,
            since: None,
        })?;
        let lost = Verdict::Gone {
            loss: Loss::Lines,
            since: None,
        };
        let Some(digest) = self.digest else {
            return cut_lines(&self.place, &blob, None).map_err(|_| lost);
        };
        let sheet = Sheet::of(&blob.bytes);
        let found = with_digest(&sheet, &blob, self.place.lines, digest).ok_or(lost)?;
        Ok(self.of_text(&String::from_utf8_lossy(&joined(sheet.clipped(found)))))
    }

    fn of_text(&self, text: &str) -> Citation {
        let snippet = lines(text).join("\n");
        let n_lines = u32::try_from(lines(text).len()).unwrap_or(u32::MAX);
        let start = self.place.lines.start();
        Citation {
            path: self.place.path.clone(),
            lines: Lines::new(start, start.saturating_add(n_lines.max(1) - 1))
                .unwrap_or(self.place.lines),
            commit: self.commit.clone(),
            blob: None,
            digest: Digest::of(snippet.as_bytes()),
            snippet,
            before: Vec::new(),
            after: Vec::new(),
        }
    }
}

const NEVER: Verdict = Verdict::Gone {
    loss: Loss::Never,
    since: None,
};

/// Why a pin could not be read at its commit.
enum Unread {
    NoCommit,
    Refused(Verdict),
}

fn lines(text: &str) -> Vec<&str> {
    text.strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .map(|it| it.strip_suffix('\r').unwrap_or(it))
        .collect()
}

/// The digest of lines with whatever ends them.
fn raw(blob: &Blob, lines: Lines) -> Option<Digest> {
    let all: Vec<&[u8]> = blob.bytes.split(|it| *it == b'\n').collect();
    all.get(lines.start() as usize - 1..lines.end() as usize)
        .map(|it| Digest::of(&joined(it)))
}

/// The lines with this digest: in place, or wherever as many lines have it.
fn with_digest(sheet: &Sheet<'_>, blob: &Blob, place: Lines, digest: Digest) -> Option<Lines> {
    let is_it = |lines: &Lines| {
        sheet
            .range(*lines)
            .is_some_and(|it| Digest::of(&joined(it)) == digest)
            || raw(blob, *lines) == Some(digest)
    };
    if is_it(&place) {
        return Some(place);
    }
    let work = u64::from(place.count()) * u64::from(sheet.count());
    let starts = (1..=sheet.count()).filter(|_| work <= MAX_DIGESTED);
    let same = |lines: &Lines| {
        sheet
            .range(*lines)
            .is_some_and(|it| Digest::of(&joined(it)) == digest)
    };
    starts.map(|start| place.at(start)).find(same)
}
