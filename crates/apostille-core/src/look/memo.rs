//! What was found before, kept between runs: for the same citation and the same content, nothing is searched twice.
//!
//! Nothing kept here is text of a memory or of a repository's files: only digests, ids, paths and line numbers.

use serde::{Deserialize, Serialize};

use super::trace::{Fate, Span};
use crate::citation::{Citation, Cite};
use crate::digest::Digest;
use crate::source::Version;
use crate::verdict::Verdict;

/// A place to keep findings under short keys. It may lose any of them at any time.
pub trait Memo {
    /// What was kept under a key.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps something under a key.
    fn put(&self, key: &str, value: &str);
}

/// The key of a citation in a file with this content.
pub(super) fn in_file(citation: &Citation, id: &str) -> String {
    format!("{}:{id}", identity(citation))
}

/// The key of a citation at a commit.
pub(super) fn at_commit(citation: &Citation, commit: &str) -> String {
    format!("{}@{commit}", identity(citation))
}

/// All that a finding depends on, but for where one looks.
fn identity(it: &Citation) -> String {
    let (commit, blob) = (it.commit.as_deref().unwrap_or("-"), it.blob.as_deref().unwrap_or("-"));
    let (before, after) = (it.before.join(" "), it.after.join(" "));
    let parts =
        [&it.path.to_string(), &it.lines.to_string(), commit, blob, &it.digest.to_string(), &before, &after];
    Digest::of(parts.join("\n").as_bytes()).short()
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
    let to = Cite::new(citation.path.as_str(), start.parse().ok()?, end.parse().ok()?).ok()?;
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
    merged: bool,
}

/// A fate as it is kept.
pub(super) fn kept(fate: &Fate, merged: bool) -> Option<String> {
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
            Record { path: None, id: None, rows: (0, 0), loss, since: since.clone(), merged }
        }
    };
    serde_json::to_string(&record).ok()
}

/// The fate that was kept.
pub(super) fn fate(kept: &str) -> Option<(Fate, bool)> {
    let it: Record = serde_json::from_str(kept).ok()?;
    let fate = match (it.path, it.loss) {
        (Some(path), _) => {
            let file = Version { path: path.parse().ok()?, id: it.id };
            let rows = (it.rows.0 < it.rows.1).then_some(it.rows.0..it.rows.1)?;
            Fate::Here { span: Span { file, rows }, since: it.since }
        }
        (None, Some(loss)) => Fate::Lost { loss: loss.parse().ok()?, since: it.since },
        (None, None) => return None,
    };
    Some((fate, it.merged))
}
