//! What was found before, kept between runs: for the same citation and the same content, nothing is searched twice.
//!
//! Nothing kept here is text of a memory: only digests, ids, paths and line numbers, and of changed code what stands
//! there now, unless it holds a secret.

use serde::{Deserialize, Serialize};

use super::{
    CitationFinding,
    trace::{TraceOutcome, VersionSpan},
};
use crate::{
    citation::{Citation, CodeLocation},
    source::FileVersion,
    verdict::{Change, Difference, Loss, Verdict},
};
use apostille_text::{digest::Digest, moderate};

/// The marks that stand in the key of a citation for what is kept under it: the verdict in a file with this content, what
/// became of it on the way to a commit, and the verdict at a commit.
pub(super) const IN_FILE: char = ':';
pub(super) const TRACE: char = '@';
pub(super) const CONCLUSION: char = '=';

/// The key of a citation in a file with this content, or at this commit.
pub(super) fn build_cache_key(citation: &Citation, mark: char, id: &str) -> String {
    format!("{}{mark}{id}", hash_citation_identity(citation))
}

/// All that a finding depends on, but for where one looks.
fn hash_citation_identity(it: &Citation) -> String {
    let mut parts: Vec<u8> = Vec::with_capacity(512);
    for text in [
        Some(it.path.as_str()),
        it.commit.as_deref(),
        it.blob.as_deref(),
    ] {
        parts.extend(text.unwrap_or("-").as_bytes());
        parts.push(b'\n');
    }
    parts.extend(
        [it.lines.first_line(), it.lines.last_line()]
            .map(u32::to_be_bytes)
            .concat(),
    );
    parts.extend(it.digest.as_bytes());
    for side in [&it.before, &it.after] {
        side.iter().for_each(|it| parts.extend(it.as_bytes()));
        parts.push(b'\n');
    }
    Digest::hash_bytes(&parts).short_hex()
}

/// A verdict that stays true as long as the file's content is the same: the text stands in that very file.
pub(super) fn encode_lasting_verdict(citation: &Citation, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Holds => Some("holds".into()),
        Verdict::Moved { to } if to.path == citation.path => {
            let lines = to.lines;
            Some(format!("{} {}", lines.first_line(), lines.last_line()))
        }
        _ => None,
    }
}

/// The verdict that was kept.
pub(super) fn decode_lasting_verdict(citation: &Citation, kept: &str) -> Option<Verdict> {
    if kept == "holds" {
        return Some(Verdict::Holds);
    }
    let (start, end) = kept.split_once(' ')?;
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    let to = CodeLocation::new(citation.path.as_str(), start, end).ok()?;
    Some(Verdict::Moved { to })
}

/// What became of a citation on the way to a commit, and whether it is part of its history.
#[derive(Serialize, Deserialize)]
struct CachedTrace {
    path: Option<String>,
    id: Option<String>,
    rows: (u32, u32),
    loss: Option<String>,
    since: Option<String>,
    merged: Option<bool>,
}

/// A fate as it is kept.
pub(super) fn encode_cached_trace(fate: &TraceOutcome, merged: Option<bool>) -> Option<String> {
    let span = fate.at.as_ref().ok();
    let record = CachedTrace {
        path: span.map(|it| it.file.path.to_string()),
        id: span.and_then(|it| it.file.id.clone()),
        rows: span.map_or((0, 0), |it| (it.rows.start, it.rows.end)),
        loss: fate.at.as_ref().err().map(Loss::to_string),
        since: fate.since.clone(),
        merged,
    };
    serde_json::to_string(&record).ok()
}

/// The fate that was kept.
pub(super) fn decode_cached_trace(kept: &str) -> Option<(TraceOutcome, Option<bool>)> {
    let it: CachedTrace = serde_json::from_str(kept).ok()?;
    let at = match (it.path, it.loss) {
        (Some(path), _) => {
            let file = FileVersion {
                path: path.parse().ok()?,
                id: it.id,
            };
            let rows = it.rows.0..it.rows.1;
            Ok((!rows.is_empty()).then_some(VersionSpan { file, rows })?)
        }
        (None, loss) => Err(loss?.parse().ok()?),
    };
    let since = it.since;
    Some((TraceOutcome { at, since }, it.merged))
}

/// A verdict as it is kept.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct CachedConclusion {
    word: String,
    at: Option<String>,
    change: Option<String>,
    now: Option<String>,
    similarity: u8,
    loss: Option<String>,
    since: Option<String>,
    merged: Option<bool>,
}

/// What was found, as it is kept. What could not be looked up is looked up again.
pub(super) fn encode_cached_conclusion(sight: &CitationFinding) -> Option<String> {
    let mut kept = CachedConclusion {
        word: sight.verdict.as_str().into(),
        merged: sight.is_merged,
        ..CachedConclusion::default()
    };
    match &sight.verdict {
        Verdict::Unknown { .. } => return None,
        Verdict::Holds => {}
        Verdict::Moved { to } => kept.at = Some(to.to_string()),
        Verdict::Gone { loss, since } => {
            (kept.loss, kept.since) = (Some(loss.to_string()), since.clone());
        }
        Verdict::Changed(it) => {
            moderate::is_storable_text(&it.now).then_some(())?;
            kept.at = Some(it.at.to_string());
            kept.change = Some(it.change.to_string());
            kept.now = Some(it.now.clone());
            kept.similarity = it.similarity;
            kept.since = it.since.clone();
        }
    }
    serde_json::to_string(&kept).ok()
}

/// What was kept; whether a change is harmless is for the policy of today to say.
pub(super) fn decode_cached_conclusion(kept: &str, tolerance: Change) -> Option<CitationFinding> {
    let it: CachedConclusion = serde_json::from_str(kept).ok()?;
    let at = it.at.as_deref().and_then(|it| it.parse().ok());
    let verdict = match it.word.as_str() {
        "holds" => Verdict::Holds,
        "moved" => Verdict::Moved { to: at? },
        "gone" => Verdict::Gone {
            loss: it.loss.as_deref()?.parse().ok()?,
            since: it.since,
        },
        "changed" => {
            let change = it.change.as_deref()?.parse().ok()?;
            Verdict::Changed(Box::new(Difference {
                change,
                at: at?,
                now: it.now?,
                similarity: it.similarity,
                since: it.since,
                is_harmless: change <= tolerance,
                contradicted: Vec::new(),
            }))
        }
        _ => return None,
    };
    Some(CitationFinding {
        verdict,
        is_merged: it.merged,
    })
}
