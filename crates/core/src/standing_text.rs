//! How a memory stands, in words: the one home of these wordings. Every face says it like this.

use apostille_cite::{
    citation::{Citation, CodeLocation},
    follow::find_replaced_words,
    standing::{Judgement, Standing},
    verdict::Verdict,
};
use apostille_text::{moderate, shorten::shorten_text};
use jiff::Timestamp;

use crate::{
    branches::OtherVersion,
    evidence::Evidence,
    format::format_utc_day,
    memory::{Channel, Handle, Memory, Stage},
    review_remarks::{self, scope::RuleScope},
};

/// How many replaced words are told.
const MAX_REPLACED: usize = 3;
/// How much of the name of who stated it is told, in characters.
const MAX_AUTHOR: usize = 32;
/// How much of a name is told, in characters.
const MAX_NAME: usize = 60;
/// How many reviewers and pull requests are named.
const MAX_REVIEWERS: usize = 3;
/// How long a word may be to be told, in characters.
const MAX_WORD: usize = 40;

/// Which other version of a memory there is, until the default branch decides.
pub fn describe_other_version(it: &OtherVersion) -> String {
    match it {
        OtherVersion::Replaces(old) => format!("on a branch: replaces {old} once merged"),
        OtherVersion::ReplacedBy(new) => format!("{new} replaces it once its branch is merged"),
    }
}

/// Where a memory is in its life, with what took its place: `superseded by m-13`; nothing where it is in use.
pub fn describe_stage(memory: &Memory, superseded_by: Option<Handle>) -> Option<String> {
    let by = superseded_by.map_or(String::new(), |by| format!(" by {by}"));
    let stage = memory.status.stage();
    (stage != Stage::Active).then(|| format!("{stage}{by}"))
}

/// What is said where a correction was made on a branch.
pub fn describe_kept_beside(old: Handle) -> String {
    format!(
        "{old} stays in use until the default branch has the code that this one cites; a reader is shown the one that is true \
         in their tree"
    )
}

/// What proves a memory beside the code that it cites: the user's words with their day, or a command with how it ended.
pub fn describe_evidence(it: &Evidence) -> String {
    let day =
        |at: Option<Timestamp>| at.map_or(String::new(), |at| format!(", {}", format_utc_day(at)));
    match it {
        Evidence::Said(said) => format!("said by the user{}: “{}”", day(said.at), said.quote),
        Evidence::Ran(run) => {
            let how = if run.has_succeeded {
                "succeeded"
            } else {
                "failed"
            };
            format!("`{}` {how}{}", run.command, day(Some(run.at)))
        }
        Evidence::Review(remark) => {
            let reviewer = shorten_text(&remark.reviewer, MAX_AUTHOR);
            let (n, authority) = (remark.pull_request, remark.authority);
            format!(
                "asked for by {reviewer} ({authority}) in pull request {n}{}",
                day(Some(remark.at))
            )
        }
        Evidence::Episodes(support) => {
            format!("found in {} of {}", support.found, support.of)
        }
        Evidence::Memories(ids) => format!("{} memories were compared", ids.len()),
    }
}

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

    /// Where the cited lines are now: where they were followed to, else where the item of the fact was found. Those that
    /// are gone for good or could not be looked up are left out.
    #[must_use]
    pub fn list_places(&self) -> Vec<CodeLocation> {
        let is_gone = self.judgement.standing == Standing::Gone;
        let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
            Verdict::Holds => Some(citation.location()),
            Verdict::Moved { to } => Some(to.clone()),
            // What stands in the place of something that is gone says nothing about it.
            Verdict::Changed(found) if !is_gone => Some(found.at.clone()),
            Verdict::Changed(_) | Verdict::Gone { .. } => self.judgement.at.clone(),
            Verdict::Unknown { .. } => None,
        };
        let cited = self.memory.citations.iter().zip(self.verdicts);
        let mut places: Vec<CodeLocation> = Vec::new();
        for place in cited.filter_map(place) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// How it stands, with the place to look at and what was replaced there: `stands src/api.rs:12-18`,
    /// `contradicted src/limits.rs:3 (10 → 25)`.
    #[must_use]
    pub fn describe(&self) -> String {
        let standing = self.judgement.standing;
        if standing == Standing::Stated {
            return self.describe_stated();
        }
        if standing == Standing::Check
            && let Some(doubt) = self.describe_doubt()
        {
            return format!("check: {doubt}");
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

    /// What is known of it beside its code: what it names and is gone, who said it, how its command fared.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let said = |it: &Evidence| match it {
            Evidence::Said(said) => Some(format!("{}: “{}”", self.describe_origin(), said.quote)),
            Evidence::Ran(_)
            | Evidence::Review(_)
            | Evidence::Episodes(_)
            | Evidence::Memories(_) => None,
        };
        let said = self.memory.evidence.iter().find_map(said);
        let told = [self.describe_missing(), said, self.describe_runs()];
        let told: Vec<String> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// What makes a fact doubtful that no code speaks against: a name that is gone, a command that keeps failing.
    fn describe_doubt(&self) -> Option<String> {
        let is_intact = || self.verdicts.iter().all(|it| *it == Verdict::Holds);
        self.describe_missing()
            .or_else(|| self.describe_runs().filter(|_| is_intact()))
            .or_else(|| self.describe_silence().filter(|_| is_intact()))
    }

    /// Since when no reviewer has asked for a rule again.
    fn describe_silence(&self) -> Option<String> {
        let asked = self.describe_reviewers()?;
        let day = format_utc_day(self.memory.refreshed_at);
        Some(format!("{asked}, not confirmed since {day}"))
    }

    /// What the fact names and the tree does not have.
    fn describe_missing(&self) -> Option<String> {
        let [first, more @ ..] = &*self.judgement.missing else {
            return None;
        };
        let first = shorten_text(first, MAX_NAME);
        let more = match more.len() {
            0 => "which is not there".to_owned(),
            n => format!("and {n} more, which are not there"),
        };
        Some(format!("names {first}, {more}"))
    }

    /// How the command that it names fared, as far as somebody saw.
    fn describe_runs(&self) -> Option<String> {
        let runs = &self.memory.runs;
        let succeeded = runs.succeeded_at.map(format_utc_day);
        let times = match runs.failed_at.len() {
            0 => None,
            1 => Some("failed once".to_owned()),
            2 => Some("failed twice".to_owned()),
            n => Some(format!("failed {n} times")),
        };
        match (succeeded, times) {
            (Some(day), None) => Some(format!("last seen to succeed {day}")),
            (Some(day), Some(times)) => Some(format!("last seen to succeed {day}, {times} since")),
            (None, Some(times)) => Some(format!("{times}, not seen to succeed")),
            (None, None) => None,
        }
    }

    /// Who stated it, and when, and how its command fared: all there is to know about what cites nothing.
    fn describe_stated(&self) -> String {
        let runs = self.describe_runs();
        let runs = runs.map_or(String::new(), |it| format!("; {it}"));
        format!("{}{runs}", self.describe_origin())
    }

    /// Who said it, and when.
    fn describe_origin(&self) -> String {
        let voice = &self.memory.voice;
        if voice.channel == Channel::Repository {
            return self.describe_repository_origin();
        }
        if let Some(Evidence::Said(said)) = self.memory.evidence.first() {
            let day = format_utc_day(said.at.unwrap_or(self.memory.recorded_at));
            return format!("said by the user, {day}");
        }
        if let Some(asked) = self.describe_reviewers() {
            return asked;
        }
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

    /// Which reviewers asked for it, and in which pull requests; `None` where none did.
    fn describe_reviewers(&self) -> Option<String> {
        let (mut names, mut pulls) = (Vec::new(), Vec::new());
        for remark in review_remarks::list_remarks(self.memory) {
            let name = shorten_text(&remark.reviewer, MAX_AUTHOR);
            let pull = format!("#{}", remark.pull_request);
            if !names.contains(&name) {
                names.push(name);
            }
            if !pulls.contains(&pull) {
                pulls.push(pull);
            }
        }
        let more = names.len().saturating_sub(MAX_REVIEWERS);
        names.truncate(MAX_REVIEWERS);
        pulls.truncate(MAX_REVIEWERS);
        let more = match more {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let (names, pulls) = (names.join(", "), pulls.join(", "));
        let scope = RuleScope::of_memory(self.memory);
        let place = match scope.is_everywhere() {
            true => String::new(),
            false => format!(", for {scope}"),
        };
        (!names.is_empty())
            .then(|| format!("asked for in review by {names}{more} ({pulls}){place}"))
    }

    /// The same for what came with a repository: its file may say anything about who said it.
    fn describe_repository_origin(&self) -> String {
        let day = format_utc_day(self.memory.recorded_at);
        let author = self.memory.voice.author.as_deref();
        let author = author.map(|it| format!(" by {}", shorten_text(it, MAX_AUTHOR)));
        format!(
            "noted in the repository{}, {day}",
            author.unwrap_or_default()
        )
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
