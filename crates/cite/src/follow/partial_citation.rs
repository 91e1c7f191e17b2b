//! A citation as somebody hands it in, made whole: protocols name a place and, at best, a commit or a digest.

use crate::capture::build_citation;
use crate::{
    citation::{Citation, CodeLocation, LineSpan},
    file_lines::{FileLines, count_as_u32, join_cited_lines},
    source::{Source, SourceBlob, SourceError},
    verdict::{Loss, Verdict},
};
use apostille_text::{digest::Digest, secrets::mask_secrets};

/// How much of the name of a commit that is not here is told, in characters.
const MAX_COMMIT_SHOWN: usize = 64;
/// Above so many lines times lines, a text of which only the digest is known is not searched for.
const MAX_DIGESTED: u64 = 2_000_000;

/// A place, and as much as somebody knows of what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialCitation {
    /// The place.
    pub place: CodeLocation,
    /// The commit at which it was cited.
    pub commit: Option<String>,
    /// The digest of the lines.
    pub digest: Option<Digest>,
    /// The lines themselves.
    pub text: Option<String>,
}

impl PartialCitation {
    /// The citation that this names: read at its own commit (`then`), else made of what is known of it. `Err` is the
    /// verdict where there is nothing to look up. A commit that is not here proves nothing: what is not found without it
    /// is `unknown`.
    pub fn resolve_citation(
        &self,
        then: Option<&dyn Source>,
        now: &dyn Source,
    ) -> Result<Citation, Verdict> {
        match then.map(|it| self.read_at_commit(it)) {
            Some(Ok(citation)) => Ok(citation),
            Some(Err(Some(verdict))) => Err(verdict),
            None | Some(Err(None)) => self.rebuild_citation(now),
        }
    }

    /// What stood there at its commit, unless it is not what the pin says. `Err` is the verdict where it cannot be read;
    /// `None` where there is no such commit.
    fn read_at_commit(&self, then: &dyn Source) -> Result<Citation, Option<Verdict>> {
        let unknown = |error| match error {
            SourceError::NoSuchRef(_) => None,
            other => Some(other.into()),
        };
        let commit = then.read_tree().map_err(unknown)?.commit;
        let blob = then.read_file(&self.place.path).map_err(unknown)?;
        let blob = blob.ok_or(NEVER)?;
        let citation = build_citation(&self.place, &blob, commit).map_err(|_| NEVER)?;
        // Line endings may or may not be in the digest.
        let has_digest = self.digest.is_none_or(|it| {
            it == citation.digest || Some(it) == digest_raw_lines(&blob, self.place.lines)
        });
        let has_text = self
            .text
            .as_deref()
            .is_none_or(|it| split_snippet_lines(it) == split_snippet_lines(&citation.snippet));
        (has_digest && has_text)
            .then_some(citation)
            .ok_or(Some(NEVER))
    }

    /// The citation without its commit: of the text, of the place that has the digest, or of what stands there now.
    fn rebuild_citation(&self, now: &dyn Source) -> Result<Citation, Verdict> {
        if let Some(text) = &self.text {
            return Ok(self.citation_from_text(text));
        }
        let Some(digest) = self.digest else {
            let unsaid = "neither text nor snippet_hash says what stood there";
            self.refuse_unknown_commit(unsaid)?;
            let blob = now.read_file(&self.place.path)?.ok_or(Loss::File)?;
            let citation = build_citation(&self.place, &blob, None);
            return citation.map_err(|_| Loss::Lines.into());
        };
        let elsewhere = |loss: Loss| {
            let unfound = "the file has no lines with this snippet_hash";
            self.refuse_unknown_commit(unfound)
                .err()
                .unwrap_or(loss.into())
        };
        let blob = now.read_file(&self.place.path)?;
        let blob = blob.ok_or_else(|| elsewhere(Loss::File))?;
        let sheet = FileLines::from_bytes(&blob.bytes);
        let found = find_lines_by_digest(&sheet, &blob, self.place.lines, digest)
            .ok_or_else(|| elsewhere(Loss::Lines))?;
        let text = join_cited_lines(sheet.clip_rows(&found.rows()));
        Ok(self.citation_from_text(&String::from_utf8_lossy(&text)))
    }

    /// `unknown` where a commit is named: this is only asked where it could not be read.
    fn refuse_unknown_commit(&self, why: &str) -> Result<(), Verdict> {
        let Some(commit) = &self.commit else {
            return Ok(());
        };
        let shown: String = mask_secrets(commit)
            .chars()
            .take(MAX_COMMIT_SHOWN)
            .collect();
        Err(Verdict::unknown(format!(
            "no commit '{shown}' here, and {why}"
        )))
    }

    fn citation_from_text(&self, text: &str) -> Citation {
        let lines = split_snippet_lines(text);
        let snippet = lines.join("\n");
        let start = self.place.lines.first_line();
        let end = start.saturating_add(count_as_u32(lines.len()) - 1);
        Citation {
            path: self.place.path.clone(),
            lines: LineSpan::new(start, end).unwrap_or(self.place.lines),
            commit: self.commit.clone(),
            blob: None,
            digest: Digest::hash_bytes(snippet.as_bytes()),
            snippet,
            before: Vec::new(),
            after: Vec::new(),
            item: None,
        }
    }
}

const NEVER: Verdict = Verdict::Gone {
    loss: Loss::Never,
    since: None,
};

fn split_snippet_lines(text: &str) -> Vec<&str> {
    text.strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .map(|it| it.strip_suffix('\r').unwrap_or(it))
        .collect()
}

/// The digest of lines with whatever ends them.
fn digest_raw_lines(blob: &SourceBlob, lines: LineSpan) -> Option<Digest> {
    let all: Vec<&[u8]> = blob.bytes.split(|it| *it == b'\n').collect();
    all.get(lines.first_line() as usize - 1..lines.last_line() as usize)
        .map(|it| Digest::hash_bytes(&join_cited_lines(it)))
}

/// The lines with this digest: in place, or wherever as many lines have it.
fn find_lines_by_digest(
    sheet: &FileLines,
    blob: &SourceBlob,
    place: LineSpan,
    digest: Digest,
) -> Option<LineSpan> {
    let has_digest = |lines: &LineSpan| {
        let lines = sheet.get_span(*lines);
        lines.is_some_and(|it| Digest::hash_bytes(&join_cited_lines(it)) == digest)
    };
    if has_digest(&place) || digest_raw_lines(blob, place) == Some(digest) {
        return Some(place);
    }
    let work = u64::from(place.line_count()) * u64::from(sheet.line_count());
    let starts = (1..=sheet.line_count()).filter(|_| work <= MAX_DIGESTED);
    starts
        .map(|start| place.starting_at(start))
        .find(has_digest)
}
