//! A line of the output: what was found at one citation.

use apostille_cite::verdict::{Loss, Verdict};
use serde::Serialize;
use serde_json::Value;

use super::input_line::{CitationQuery, MalformedCitationLine};

/// How much of the code is handed out, in characters.
const MAX_CONTENT: usize = 20_000;

/// What was found at one citation.
#[derive(Default, Serialize)]
pub struct CitationLookupRecord {
    id: Value,
    /// Whether it may be relied on.
    pub valid: bool,
    verdict: Option<&'static str>,
    change: Option<&'static str>,
    path: Option<String>,
    line_start: Option<u32>,
    line_end: Option<u32>,
    similarity: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    citations: Vec<CheckedCitationView>,
    valid_count: u8,
    /// One where there is evidence against it.
    pub invalid_count: u8,
    unknown_count: u8,
    micros: u64,
    /// Which line of the input could not be understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Why nothing could be looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Serialize)]
struct CheckedCitationView {
    path: String,
    line_start: u32,
    line_end: u32,
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What was found, and what it says there.
pub struct CitationLookupResult {
    /// The verdict.
    pub verdict: Verdict,
    /// The cited lines, where they are known.
    pub snippet: Option<String>,
    /// What the verdict does not say about a place that cannot be cited.
    pub error: Option<String>,
    /// How long it took.
    pub micros: u64,
}

impl CitationLookupResult {
    /// A verdict on lines of which nothing is known.
    pub fn from_verdict(verdict: Verdict) -> Self {
        Self {
            verdict,
            snippet: None,
            error: None,
            micros: 0,
        }
    }

    /// A place that cannot be in a repository: nothing was ever said there.
    pub fn new_uncitable(why: String) -> Self {
        let never = Verdict::Gone {
            loss: Loss::Never,
            since: None,
        };
        Self {
            error: Some(why),
            ..Self::from_verdict(never)
        }
    }

    /// What could not be looked up.
    pub fn new_unknown(why: impl Into<String>) -> Self {
        Self::from_verdict(Verdict::Unknown { why: why.into() })
    }
}

impl CitationLookupRecord {
    /// The answer to a line that was understood.
    pub fn new(asked: CitationQuery, seen: CitationLookupResult) -> Self {
        let verdict = &seen.verdict;
        let cited = asked.pin.ok().map(|it| it.place);
        // Where it stands now; `None` where it does not.
        let now = match verdict {
            Verdict::Holds => cited,
            Verdict::Moved { to } => Some(to.clone()),
            Verdict::Changed(it) => Some(it.at.clone()),
            Verdict::Gone { .. } | Verdict::Unknown { .. } => None,
        };
        let is_unknown = matches!(verdict, Verdict::Unknown { .. });
        let error = seen.error.or_else(|| explain_bad_verdict(verdict));
        let (change, similarity, since, content) = match verdict {
            Verdict::Holds | Verdict::Moved { .. } => (None, Some(1.0), None, seen.snippet),
            Verdict::Changed(it) => {
                let similarity = f32::from(it.similarity) / 100.0;
                (
                    Some(it.change.as_str()),
                    Some(similarity),
                    it.since.clone(),
                    Some(it.now.clone()),
                )
            }
            Verdict::Gone { since, .. } => (None, None, since.clone(), None),
            Verdict::Unknown { .. } => (None, None, None, None),
        };
        let found = CheckedCitationView {
            path: asked.path,
            line_start: asked.lines.first_line(),
            line_end: asked.lines.last_line(),
            exists: now.is_some(),
            content: content.map(|it| truncate_code_content(&it)),
            error: error.clone(),
        };
        Self {
            id: asked.id,
            valid: verdict.is_good(),
            verdict: Some(verdict.as_str()),
            change,
            line_start: now.as_ref().map(|it| it.lines.first_line()),
            line_end: now.as_ref().map(|it| it.lines.last_line()),
            path: now.map(|it| it.path.to_string()),
            similarity,
            since,
            citations: vec![found],
            valid_count: u8::from(verdict.is_good()),
            invalid_count: u8::from(verdict.is_bad()),
            unknown_count: u8::from(is_unknown),
            micros: seen.micros,
            line: None,
            error: error.filter(|_| is_unknown),
        }
    }

    /// The answer to a line that was not understood.
    pub fn from_malformed(line: usize, it: MalformedCitationLine) -> Self {
        Self {
            id: it.id,
            line: Some(line),
            error: Some(it.error),
            ..Self::default()
        }
    }
}

/// Why it may not be relied on.
fn explain_bad_verdict(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Changed(it) if !it.is_harmless => Some(it.change.as_phrase().into()),
        Verdict::Gone { loss, .. } => Some(loss.as_phrase().into()),
        Verdict::Unknown { why } => Some(why.clone()),
        _ => None,
    }
}

fn truncate_code_content(text: &str) -> String {
    match text.char_indices().nth(MAX_CONTENT) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text.to_owned(),
    }
}
