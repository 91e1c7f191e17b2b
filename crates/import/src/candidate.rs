//! What a parser of a foreign file yields: pieces that are to become memories, and what it left out.

use std::collections::BTreeSet;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::split_text;
use apostille_core::{
    evidence::RunTally,
    memory::{Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice, claim_digest},
    policy::MemoryLimits,
    space::Space,
};
use apostille_text::moderate;

/// How many pieces are taken out of one file.
pub const MAX_PIECES: usize = 10_000;
/// How much that was left out is named, of one file.
pub const MAX_LEFT_OUT: usize = 1_000;

/// Why a text is not of the format that it was said to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormatMismatch(pub &'static str);

/// A text that is to become a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportCandidate {
    /// Where in the file it stands, as `line 3`.
    pub at: String,
    /// What sort of thing it is.
    pub kind: Kind,
    /// A brief topic.
    pub subject: Option<String>,
    /// What it says.
    pub fact: String,
    /// Why it matters.
    pub reason: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Who said it.
    pub author: Option<String>,
    /// When it was first said, where the file tells.
    pub said_at: Option<Timestamp>,
    /// When it was last said.
    pub stated_at: Option<Timestamp>,
    /// The project that it is about, where the file holds those of several.
    pub project: Option<String>,
    /// What was altered to make it fit.
    pub changes: Vec<String>,
}

impl ImportCandidate {
    /// A piece of which nothing else is known.
    pub(super) fn new(at: impl Into<String>, kind: Kind, fact: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            kind,
            subject: None,
            fact: fact.into(),
            reason: None,
            tags: Vec::new(),
            author: None,
            said_at: None,
            stated_at: None,
            project: None,
            changes: Vec::new(),
        }
    }

    /// The piece as a memory of this space: uncited, and so shown as unverified. The same words in the same space give
    /// the same id, so that what was decided about them stays decided when the file is read again.
    #[must_use]
    pub fn into_memory(self, space: Space, now: Timestamp) -> Memory {
        let past = |at: Option<Timestamp>| {
            at.filter(|it| (Timestamp::UNIX_EPOCH..=now).contains(it))
                .map(truncate_to_millisecond)
        };
        let said_at = past(self.said_at);
        let claim = claim_digest(Layer::Knowledge, None, self.subject.as_deref(), &self.fact);
        let id = MemoryId::from_text(
            said_at.unwrap_or(Timestamp::UNIX_EPOCH),
            &format!("{}\n{claim}", space.as_str()),
        );
        let recorded_at = said_at.unwrap_or_else(|| truncate_to_millisecond(now));
        let stated_at = past(self.stated_at).filter(|it| *it >= recorded_at);
        Memory {
            id,
            number: 0,
            space,
            layer: Layer::Knowledge,
            kind: self.kind,
            subject: self.subject,
            fact: self.fact,
            reason: self.reason,
            citations: Vec::new(),
            evidence: Vec::new(),
            names: Vec::new(),
            runs: RunTally::default(),
            tags: self.tags,
            voice: Voice {
                author: self.author,
                ..Voice::from_origin(Origin::Agent)
            },
            task: None,
            marks: Vec::new(),
            status: Status::Active,
            supersedes: None,
            vouchers: Vec::new(),
            recorded_at,
            refreshed_at: stated_at.unwrap_or(recorded_at),
            usage: UsageCounts::default(),
        }
    }
}

fn truncate_to_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

/// Something in a file that became no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it stands.
    pub at: String,
    /// Why; never its own words.
    pub why: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedForeignFile {
    /// What is to become memories.
    pub pieces: Vec<ImportCandidate>,
    /// What is not.
    pub left_out: Vec<LeftOut>,
}

/// A reading in the making: what is put into it is made to fit, and there is never too much of it.
pub(super) struct CandidateCollector<'a> {
    limits: &'a MemoryLimits,
    pub(super) reading: ParsedForeignFile,
}

impl<'a> CandidateCollector<'a> {
    pub(super) fn new(limits: &'a MemoryLimits) -> Self {
        Self {
            limits,
            reading: ParsedForeignFile::default(),
        }
    }

    /// Takes a piece in, in parts where it is too long for one memory.
    pub(super) fn add_candidate(&mut self, piece: ImportCandidate) {
        self.fit_candidate(piece, self.limits.fact_chars);
    }

    /// The same for a text that belongs together and may be as long as a note of its kind.
    pub(super) fn add_whole_candidate(&mut self, piece: ImportCandidate) {
        let room = match piece.kind {
            Kind::User | Kind::Feedback => self.limits.for_path_notes().fact_chars,
            Kind::Project | Kind::Reference => self.limits.fact_chars,
        };
        self.fit_candidate(piece, room);
    }

    /// Takes a relation in as a sentence, where both ends and its name are there.
    pub(super) fn add_relation(
        &mut self,
        at: impl Into<String>,
        [from, verb, to]: [Option<&str>; 3],
    ) {
        let (Some(from), Some(verb), Some(to)) = (from, verb, to) else {
            return self.leave_out(at, "a relation that lacks an end or its name");
        };
        self.add_candidate(ImportCandidate {
            subject: Some(from.into()),
            ..ImportCandidate::new(at, Kind::Project, format_relation(from, verb, to))
        });
    }

    /// Leaves something out.
    pub(super) fn leave_out(&mut self, at: impl Into<String>, why: impl Into<String>) {
        if self.reading.left_out.len() < MAX_LEFT_OUT {
            self.reading.left_out.push(LeftOut {
                at: at.into(),
                why: why.into(),
            });
        }
    }

    fn fit_candidate(&mut self, mut piece: ImportCandidate, room: usize) {
        piece.fact = piece.fact.trim().replace("\r\n", "\n");
        self.fit_metadata(&mut piece);
        if piece.fact.is_empty() {
            return self.leave_out(piece.at, "it is empty");
        }
        // Half a secret looks like none: what holds one is left whole, and is refused whole.
        if piece.fact.chars().count() <= room || !moderate::is_storable_text(&piece.fact) {
            return self.push_candidate(piece);
        }
        let parts = split_text::split_to_fit(&piece.fact, room);
        piece.changes.push(format!("split into {}", parts.len()));
        for part in parts {
            match part {
                Ok(fact) => self.push_candidate(ImportCandidate {
                    fact,
                    ..piece.clone()
                }),
                Err(chars) => {
                    let why = format!("a sentence of {chars} characters, at most {room} are kept");
                    self.leave_out(&piece.at, why);
                }
            }
        }
    }

    /// Makes what stands beside the fact fit. Nothing is cut in two: half a secret looks like none.
    fn fit_metadata(&self, piece: &mut ImportCandidate) {
        let limits = self.limits;
        let is_long = |text: &Option<String>, limit: usize| matches!(text, Some(it) if it.chars().count() > limit);
        if is_long(&piece.subject, limits.subject_chars) {
            piece.subject = None;
            let what = "its subject is too long and was left off";
            piece.changes.push(what.into());
        }
        if is_long(&piece.reason, limits.reason_chars)
            && let Some(reason) = piece.reason.take()
        {
            piece.fact += &format!("\n\nWhy: {reason}");
        }
        if is_long(&piece.author, limits.subject_chars) {
            piece.author = None;
        }
        piece.changes.extend(fit_tags(&mut piece.tags, limits));
    }

    fn push_candidate(&mut self, piece: ImportCandidate) {
        if self.reading.pieces.len() < MAX_PIECES {
            return self.reading.pieces.push(piece);
        }
        let why = format!("only {MAX_PIECES} are taken out of one file");
        self.leave_out(piece.at, why);
    }
}

/// Leaves off the tags that are too long, or too many; says so, where any was.
pub(super) fn fit_tags(tags: &mut Vec<String>, limits: &MemoryLimits) -> Option<String> {
    let mut seen = BTreeSet::new();
    *tags = tags.iter().map(|it| it.trim().to_owned()).collect();
    tags.retain(|it| !it.is_empty() && seen.insert(it.clone()));
    let said = tags.len();
    tags.retain(|it| it.chars().count() <= limits.tag_chars);
    tags.truncate(limits.tags);
    match said - tags.len() {
        0 => None,
        1 => Some("a tag was left off".into()),
        lost => Some(format!("{lost} tags were left off")),
    }
}

/// A text that says whom it is about: behind the name, where the name does not stand in it. Nothing stays nothing.
pub(super) fn format_observation(name: &str, text: &str) -> String {
    let (text, name) = (text.trim(), name.trim());
    let is_named = text.to_lowercase().contains(&name.to_lowercase());
    if is_named || text.is_empty() {
        text.to_owned()
    } else {
        format!("{name}: {text}")
    }
}

/// A relation as a sentence.
pub(super) fn format_relation(from: &str, verb: &str, to: &str) -> String {
    let verb = verb.trim().replace('_', " ");
    format!("{} {verb} {}", from.trim(), to.trim())
}

const PREFERENCES: [&str; 8] = [
    "prefers ",
    "user prefers ",
    "the user prefers ",
    "i prefer ",
    "user likes ",
    "the user likes ",
    "user dislikes ",
    "user wants ",
];

/// The kind of a text that does not say it, by what it is filed under and how it begins.
pub(super) fn infer_memory_kind(filed_under: &str, text: &str) -> Kind {
    let (under, text) = (filed_under.to_lowercase(), text.to_lowercase());
    let is_under = |words: [&str; 3]| words.iter().any(|it| under.contains(it));
    let is_wish = PREFERENCES.iter().any(|it| text.starts_with(it));
    match () {
        () if is_wish || is_under(["preference", "about me", "user profile"]) => Kind::User,
        () if is_under(["feedback", "correction", "rule"]) => Kind::Feedback,
        () if text.contains("https://") || text.contains("http://") => Kind::Reference,
        () => Kind::Project,
    }
}

/// A time as other programs write it; without a zone it is taken for UTC.
pub(super) fn parse_foreign_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| Some(civil()?.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_programs_are_read() {
        let check = |text: &str, expected: &str| {
            let said = parse_foreign_time(text)
                .map(|it| it.to_string())
                .unwrap_or_default();
            assert_eq!(said, expected, "{text}");
        };
        check("2025-07-26T08:00:00.5-07:00", "2025-07-26T15:00:00.5Z");
        check("2025-07-26 08:00:00", "2025-07-26T08:00:00Z");
        check("2025-07-26", "2025-07-26T00:00:00Z");
        check("last week", "");
        check("", "");
    }

    #[test]
    fn kinds_are_told_by_heading_and_beginning() {
        let check = |under: &str, text: &str, expected: Kind| {
            assert_eq!(infer_memory_kind(under, text), expected, "{text}")
        };
        check("User preferences", "tabs", Kind::User);
        check("", "Prefers tabs", Kind::User);
        check("House rules", "no force push", Kind::Feedback);
        check("", "The board is at https://x.example", Kind::Reference);
        check("", "The worker retries five times", Kind::Project);
    }
}
