//! What a server tells another replica of the lines that it holds.

use apostille_core::replica::parts::{PartLook, PartName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::{ReplicaSummary, TakenLines};

/// What is held of a space.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// The space, as the server calls it.
    pub space: String,
    /// Another one as soon as a line is.
    pub fingerprint: String,
    /// How each of the 256 parts looks that has lines; left out where `seen` is the fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<ReplicaPartView>>,
}

/// How a part of the lines looks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaPartView {
    /// Its name: two hexadecimal digits.
    pub name: String,
    /// The beginning of the SHA-256 of its lines.
    pub digest: String,
    /// How long they are.
    pub bytes: usize,
}

impl ReplicaReply {
    /// What is told of a summary.
    pub fn new(space: &str, summary: ReplicaSummary) -> Self {
        let parts = summary.looks.map(|looks| {
            let views = looks.into_iter().map(|(name, look)| view_part(name, look));
            views.collect()
        });
        Self {
            ok: true,
            space: space.to_owned(),
            fingerprint: summary.fingerprint,
            parts,
        }
    }
}

fn view_part(name: PartName, look: PartLook) -> ReplicaPartView {
    ReplicaPartView {
        name: name.to_string(),
        digest: look.digest,
        bytes: look.bytes,
    }
}

/// What became of lines that were brought.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakenLinesReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// The fingerprint with them.
    pub fingerprint: String,
    /// How many were new.
    pub new: usize,
    /// How many were left out.
    pub left_out: usize,
    /// Why the first of them was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether nothing is held beside what was seen and what was brought.
    pub complete: bool,
}

impl From<TakenLines> for TakenLinesReply {
    fn from(it: TakenLines) -> Self {
        Self {
            ok: true,
            fingerprint: it.fingerprint,
            new: it.new,
            left_out: it.left_out,
            why: it.why,
            complete: it.is_complete,
        }
    }
}
