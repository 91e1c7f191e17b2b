//! How a memory stands, in words: the one home of these wordings. Every face says it like this.

use apostille_cite::{
    citation::CodeLocation,
    follow::find_replaced_words,
    standing::{Judgement, Standing},
    verdict::Verdict,
};
use apostille_text::{moderate, shorten::shorten_text};

use crate::{format::format_utc_day, memory::Memory};

/// How many replaced words are told.
const MAX_REPLACED: usize = 3;
/// How much of the name of who stated it is told, in characters.
const MAX_AUTHOR: usize = 32;
/// How long a word may be to be told, in characters.
const MAX_WORD: usize = 40;

/// A memory with what was found about it.
#[derive(Debug, Clone, Copy)]
pub struct StandingView<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// One verdict for each citation.
    pub verdicts: &'a [Verdict],
    /// How its fact stands.
    pub judgement: &'a Judgement,
}

impl StandingView<'_> {
    /// The place to look at: where the lines were followed to, else where the item of the fact was found, else where the
    /// lines were cited.
    #[must_use]
    pub fn place(&self) -> Option<CodeLocation> {
        let worst = apostille_cite::verdict::find_worst_verdict(self.verdicts)?;
        let at = match worst {
            Verdict::Moved { to } => Some(to.clone()),
            Verdict::Changed(found) => Some(found.at.clone()),
            Verdict::Gone { .. } => self.judgement.at.clone(),
            Verdict::Holds | Verdict::Unknown { .. } => None,
        };
        let mut cited = self.memory.citations.iter().zip(self.verdicts);
        at.or_else(|| cited.find(|it| it.1 == worst).map(|it| it.0.location()))
    }

    /// How it stands, with the place to look at and what was replaced there: `stands src/api.rs:12-18`,
    /// `contradicted src/limits.rs:3 (10 → 25)`.
    #[must_use]
    pub fn describe(&self) -> String {
        let standing = self.judgement.standing;
        if standing == Standing::Stated {
            return self.describe_stated();
        }
        let Some(place) = self.place() else {
            return standing.to_string();
        };
        let more = match self.verdicts.len() {
            ..=1 => String::new(),
            n => format!(" +{}", n - 1),
        };
        let replaced = self.describe_replaced();
        let how = match standing {
            Standing::Check => "code changed, check ",
            _ => "",
        };
        let word = if standing == Standing::Check {
            ""
        } else {
            standing.as_str()
        };
        let gap = if word.is_empty() { "" } else { " " };
        format!("{word}{gap}{how}{place}{more}{replaced}")
    }

    /// Who stated it, and when: all there is to know about what cites nothing.
    fn describe_stated(&self) -> String {
        let voice = &self.memory.voice;
        let day = format_utc_day(self.memory.recorded_at);
        let verb = if voice.is_person() { "stated" } else { "noted" };
        match (&voice.author, voice.is_person()) {
            (Some(author), _) => {
                let author = shorten_text(author, MAX_AUTHOR);
                format!("{verb} by {author}, {day}")
            }
            (None, true) => format!("{verb} by the user, {day}"),
            (None, false) => format!("{verb}, {day}"),
        }
    }

    /// What the code says now in place of what the fact says: ` (10 → 25)`; nothing where it is not that simple.
    fn describe_replaced(&self) -> String {
        if self.judgement.standing == Standing::Stands {
            return String::new();
        }
        let words: Vec<String> = self
            .list_replaced()
            .into_iter()
            .map(|(old, new)| format!("{old} → {new}"))
            .collect();
        if words.is_empty() {
            String::new()
        } else {
            format!(" ({})", words.join(", "))
        }
    }

    /// The words of the fact that the code replaced one for one.
    #[must_use]
    pub fn list_replaced(&self) -> Vec<(String, String)> {
        let pairs = self.memory.citations.iter().zip(self.verdicts);
        let changed = pairs.filter_map(|(citation, verdict)| match verdict {
            Verdict::Changed(found) => Some((&citation.snippet, &found.now)),
            _ => None,
        });
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let fact: Vec<&str> = self.memory.fact.split(|c| !is_word(c)).collect();
        let mut replaced: Vec<(String, String)> = changed
            .flat_map(|(was, now)| find_replaced_words(was, now))
            .filter(|(old, new)| fact.contains(&old.as_str()) && !fact.contains(&new.as_str()))
            .filter(|(_, new)| new.chars().count() <= MAX_WORD && moderate::is_storable_text(new))
            .collect();
        replaced.dedup();
        replaced.truncate(MAX_REPLACED);
        replaced
    }
}
