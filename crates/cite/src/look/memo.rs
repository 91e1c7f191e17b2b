//! What was found before, kept between runs: for the same citation and the same content, nothing is searched twice.
//!
//! Nothing kept here is text of a memory: only digests, ids, paths and line numbers, and of changed code what stands
//! there now, unless it holds a secret.

use serde::{Deserialize, Serialize};

use super::Sight;
use super::trace::{Fate, Span};
use crate::citation::{Citation, Cite};
use crate::source::Version;
use crate::verdict::{Change, Difference, Verdict};
use apostille_text::digest::Digest;
use apostille_text::moderate;

/// The key of a citation in a file with this content.
pub(super) fn in_file(citation: &Citation, id: &str) -> String {
    format!("{}:{id}", identity(citation))
}

/// The key of a citation at a commit.
pub(super) fn at_commit(citation: &Citation, commit: &str) -> String {
    format!("{}@{commit}", identity(citation))
}

/// The key of the verdict on a citation at a commit.
pub(super) fn conclusion(citation: &Citation, commit: &str) -> String {
    format!("{}={commit}", identity(citation))
}

/// All that a finding depends on, but for where one looks.
fn identity(it: &Citation) -> String {
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
        [it.lines.start(), it.lines.end()]
            .map(u32::to_be_bytes)
            .concat(),
    );
    parts.extend(it.digest.as_bytes());
    for side in [&it.before, &it.after] {
        side.iter().for_each(|it| parts.extend(it.as_bytes()));
        parts.push(b'\n');
    }
    let digest = Digest::of(&parts);
    let (first, _) = digest.as_bytes().split_at(8);
    format!(
        "{:016x}",
        first
            .iter()
            .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    )
}

/// A verdict that stays true as long as the file's content is the same: the text stands in that very file.
pub(super) fn lasting(citation: &Citation, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Holds => Some("holds".into()),
        Verdict::Moved { to } if to.path == citation.path => {
            Some(format!("{} {}", to.lines.start(), to.lines.end()))
        }
        _ => None,
    }
}

/// The verdict that was kept.
pub(super) fn verdict(citation: &Citation, kept: &str) -> Option<Verdict> {
    if kept == "holds" {
        return Some(Verdict::Holds);
    }
    let (start, end) = kept.split_once(' ')?;
    let to = Cite::new(
        citation.path.as_str(),
        start.parse().ok()?,
        end.parse().ok()?,
    )
    .ok()?;
    Some(Verdict::Moved { to })
}

/// What became of a citation on the way to a commit, and whether it is part of its history.
#[derive(Serialize, Deserialize)]
struct Record {
    path: Option<String>,
    id: Option<String>,
    rows: (u32, u32),
    loss: Option<String>,
    since: Option<String>,
    merged: Option<bool>,
}

/// A fate as it is kept.
pub(super) fn kept(fate: &Fate, merged: Option<bool>) -> Option<String> {
    let record = match fate {
        Fate::Here { span, since } => Record {
            path: Some(span.file.path.to_string()),
            id: span.file.id.clone(),
            rows: (span.rows.start, span.rows.end),
            loss: None,
            since: since.clone(),
            merged,
        },
        Fate::Lost { loss, since } => {
            let loss = Some(loss.to_string());
            Record {
                path: None,
                id: None,
                rows: (0, 0),
                loss,
                since: since.clone(),
                merged,
            }
        }
    };
    serde_json::to_string(&record).ok()
}

/// The fate that was kept.
pub(super) fn fate(kept: &str) -> Option<(Fate, Option<bool>)> {
    let it: Record = serde_json::from_str(kept).ok()?;
    let fate = match (it.path, it.loss) {
        (Some(path), _) => {
            let file = Version {
                path: path.parse().ok()?,
                id: it.id,
            };
            let rows = (it.rows.0 < it.rows.1).then_some(it.rows.0..it.rows.1)?;
            Fate::Here {
                span: Span { file, rows },
                since: it.since,
            }
        }
        (None, Some(loss)) => Fate::Lost {
            loss: loss.parse().ok()?,
            since: it.since,
        },
        (None, None) => return None,
    };
    Some((fate, it.merged))
}

/// A verdict as it is kept.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Conclusion {
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
pub(super) fn concluded(sight: &Sight) -> Option<String> {
    let kept = Conclusion {
        word: sight.verdict.as_str().into(),
        merged: sight.is_merged,
        ..Conclusion::default()
    };
    let kept = match &sight.verdict {
        Verdict::Unknown { .. } => return None,
        Verdict::Holds => kept,
        Verdict::Moved { to } => Conclusion {
            at: Some(to.to_string()),
            ..kept
        },
        Verdict::Gone { loss, since } => Conclusion {
            loss: Some(loss.to_string()),
            since: since.clone(),
            ..kept
        },
        Verdict::Changed(it) => {
            moderate::is_storable(&it.now).then_some(())?;
            Conclusion {
                at: Some(it.at.to_string()),
                change: Some(it.change.to_string()),
                now: Some(it.now.clone()),
                similarity: it.similarity,
                since: it.since.clone(),
                ..kept
            }
        }
    };
    serde_json::to_string(&kept).ok()
}

/// What was kept; whether a change is harmless is for the policy of today to say.
pub(super) fn sight(kept: &str, tolerates: impl Fn(Change) -> bool) -> Option<Sight> {
    let it: Conclusion = serde_json::from_str(kept).ok()?;
    let at = || it.at.as_deref().and_then(|it| it.parse::<Cite>().ok());
    let verdict = match it.word.as_str() {
        "holds" => Verdict::Holds,
        "moved" => Verdict::Moved { to: at()? },
        "gone" => Verdict::Gone {
            loss: it.loss.as_deref()?.parse().ok()?,
            since: it.since.clone(),
        },
        "changed" => {
            let change = it.change.as_deref()?.parse().ok()?;
            Verdict::Changed(Box::new(Difference {
                change,
                at: at()?,
                now: it.now.clone()?,
                similarity: it.similarity,
                since: it.since.clone(),
                is_harmless: tolerates(change),
                contradicted: Vec::new(),
            }))
        }
        _ => return None,
    };
    Some(Sight {
        verdict,
        is_merged: it.merged,
    })
}
