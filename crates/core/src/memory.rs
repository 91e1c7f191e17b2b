//! What a memory is.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    evidence::{Evidence, NamedThing, RunTally},
    space::Space,
};
use apostille_cite::{citation::Citation, citation_request::CitationRequest, follow::CitedClaim};
use apostille_text::{digest::Digest, literals, secrets, secrets::mask_secrets, words::words};

/// The identity of a memory: a UUIDv7, made from the time and randomness that the caller brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Uuid);

impl MemoryId {
    /// A new id from the time and ten bytes of randomness.
    pub fn new(now: Timestamp, random: u128) -> Self {
        let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
        let mut bytes = [0; 10];
        bytes.copy_from_slice(&random.to_be_bytes()[..10]);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }

    /// The id of something that came without one (a line of another program's file): the same text gives the same id.
    pub fn from_text(at: Timestamp, text: &str) -> Self {
        let digest = Digest::hash_bytes(text.as_bytes());
        let mut random = [0; 16];
        random.copy_from_slice(&digest.as_bytes()[..16]);
        Self::new(at, u128::from_be_bytes(random))
    }

    /// The sixteen bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// From the sixteen bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// When it was made, in milliseconds: the first six bytes.
    pub fn at_millisecond(&self) -> i64 {
        self.as_bytes()[..6]
            .iter()
            .fold(0, |sum, byte| sum << 8 | i64::from(*byte))
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for MemoryId {
    type Err = BadHandle;
    fn from_str(text: &str) -> Result<Self, BadHandle> {
        Uuid::try_parse(text)
            .map(Self)
            .map_err(|_| bad_handle(text))
    }
}

/// The highest number that a memory can have: nobody writes as many, and whoever says so would leave none for others.
pub const MAX_NUMBER: u64 = (1 << 40) - 1;

/// The short name of a memory within its space: `m-12` in a repository, `u-12` for a user. Never reused.
///
/// Numbers are counted per space, because one file holds all repositories and a handle has to stay short enough to be typed
/// and to be named by a model. The letter keeps the two spaces that are in play at once apart. The number of a forgotten
/// memory is kept in its tombstone and not given again: in notes and transcripts the old handle still stands for the old
/// fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// `m` or `u`.
    pub letter: char,
    /// The number within the space, counted from 1.
    pub number: u64,
}

impl Handle {
    /// The name of the memory with this number in a space.
    pub(crate) fn new(space: &Space, number: u64) -> Self {
        let letter = space.handle_letter();
        Self { letter, number }
    }
}

/// Text that names no memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a handle such as m-12 or u-3, nor an id")]
pub struct BadHandle(String);

fn bad_handle(text: &str) -> BadHandle {
    BadHandle(mask_secrets(text).chars().take(60).collect())
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&format!("{}-{}", self.letter, self.number))
    }
}

impl FromStr for Handle {
    type Err = BadHandle;
    fn from_str(text: &str) -> Result<Self, BadHandle> {
        let parse = || {
            let (letter, number) = text.split_once('-')?;
            let letter = letter.parse().ok().filter(|it| matches!(it, 'm' | 'u'))?;
            let number = number.parse().ok().filter(|it| *it > 0)?;
            Some(Self { letter, number })
        };
        parse().ok_or_else(|| bad_handle(text))
    }
}

/// A memory as a person or an agent names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryName {
    /// By handle, within the spaces in play.
    Handle(Handle),
    /// By id, within the spaces in play.
    Id(MemoryId),
}

impl FromStr for MemoryName {
    type Err = BadHandle;
    fn from_str(text: &str) -> Result<Self, BadHandle> {
        let text = text.trim();
        text.parse()
            .map(Self::Handle)
            .or_else(|_| text.parse().map(Self::Id))
    }
}

impl fmt::Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Handle(it) => it.fmt(f),
            Self::Id(it) => it.fmt(f),
        }
    }
}

words! {
    /// When a memory is shown.
    Layer as "layer" {
        /// Always shown; a thousand characters in all.
        Identity = "identity",
        /// Facts, retrieved when they matter.
        Knowledge = "knowledge",
        /// What happened in a task; shown when history is asked for.
        Episode = "episode",
        /// Scratch of one session, cleared at its end.
        Session = "session",
    }
}

impl Layer {
    /// Whether it holds what is claimed for good, and not what happened or is scribbled.
    pub(crate) fn is_lasting(self) -> bool {
        matches!(self, Self::Identity | Self::Knowledge)
    }
}

words! {
    /// What sort of thing is remembered.
    Kind as "kind" {
        /// A preference of a person.
        User = "user",
        /// A correction, or a rule from a review.
        Feedback = "feedback",
        /// A convention or invariant of the project.
        Project = "project",
        /// A command, a value, a build fact.
        Reference = "reference",
    }
}

words! {
    /// Who said it, the most trusted first.
    Origin as "origin" {
        /// A person corrected an agent.
        UserCorrection = "user-correction",
        /// A person said it.
        User = "user",
        /// A reviewer said it.
        Review = "review",
        /// An agent learned it.
        Agent = "agent",
        /// The program derived it.
        System = "system",
    }
}

words! {
    /// The way by which it came in. The program knows it; nobody says it of himself, except that his words come from
    /// outside.
    Channel as "channel" {
        /// A person at a terminal.
        Terminal = "terminal",
        /// A command that no person typed: an agent's shell, a script.
        Command = "command",
        /// A person in the panel.
        Panel = "panel",
        /// An agent's call to the server.
        Mcp = "mcp",
        /// A program's call to the API, with a token.
        Http = "http",
        /// What the program took down of a session or a task.
        Record = "record",
        /// A file that came with the repository.
        Repository = "repository",
        /// Not written down: a memory of an earlier program.
        Unknown = "unknown",
        /// A file that was read in.
        Import = "import",
        /// What a tool put out.
        Tool = "tool",
        /// A page of the web.
        Web = "web",
        /// An issue of a tracker.
        Issue = "issue",
        /// A pull request, or what was said about one.
        PullRequest = "pull-request",
        /// A message from another program.
        Webhook = "webhook",
    }
}

impl Channel {
    /// The ways by which words come that anybody may have written.
    pub const OUTSIDE: &'static [Self] = &[
        Self::Import,
        Self::Tool,
        Self::Web,
        Self::Issue,
        Self::PullRequest,
        Self::Webhook,
    ];

    /// Whether anybody may have written what comes this way.
    pub fn is_outside(self) -> bool {
        Self::OUTSIDE.contains(&self)
    }
}

words! {
    /// What moderation noticed about a text that it let pass.
    ModerationMark as "mark" {
        /// It reads like an instruction to a model, not like a fact.
        Instruction = "instruction-like",
        /// Hidden characters, markup that acts, or forged delimiters were taken out.
        Neutralised = "neutralised",
        /// Neither what it cites nor what was said or run in its session says what it states.
        Ungrounded = "ungrounded",
        /// A word of it passes for another: letters of one script that look like those of another.
        Confusable = "confusable",
        /// It looks as if it held a secret, and a person said that it holds none.
        NotASecret = "not-a-secret",
    }
}

/// How many that vouch for a memory are kept: more would prove nothing more.
const MAX_VOUCHERS: usize = 8;

/// What marks the record of a session among episodes.
pub const SESSION_TAG: &str = "session";

/// Who said it, how, and whether the text came from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    /// Who said it.
    pub origin: Origin,
    /// How it came in.
    pub channel: Channel,
    /// Whether the words come from a web page, an issue, a tool's output: text nobody here vouches for.
    pub tainted: bool,
    /// Whether it was said in a session that had read words from outside: they may be behind it.
    pub exposed: bool,
    /// The agent's or user's name, where known.
    pub author: Option<String>,
    /// The session it was said in, where known.
    pub session: Option<String>,
}

impl Voice {
    /// A voice with nothing known but who speaks.
    pub fn from_origin(origin: Origin) -> Self {
        Self {
            origin,
            channel: Channel::Unknown,
            tainted: false,
            exposed: false,
            author: None,
            session: None,
        }
    }

    /// The same, come in this way. What comes from outside is tainted, and no person here said it.
    #[must_use]
    pub fn with_channel(self, channel: Channel) -> Self {
        let is_outside = channel.is_outside();
        let origin = if is_outside {
            self.origin.max(Origin::Agent)
        } else {
            self.origin
        };
        Self {
            origin,
            channel,
            tainted: self.tainted || is_outside,
            ..self
        }
    }

    /// The voice of what repeats another's words, whoever repeats them: the lower trust of both.
    #[must_use]
    pub fn lowered_to(self, from: &Self) -> Self {
        let is_from = from.tainted && !self.channel.is_outside();
        Self {
            origin: self.origin.max(from.origin),
            channel: if is_from { from.channel } else { self.channel },
            tainted: self.tainted || from.tainted,
            exposed: self.exposed || from.exposed,
            ..self
        }
    }

    /// Who else vouches when this voice says again what another said: somebody else, by name; or the same one in a session
    /// of its own, which only counts as long as nobody was shown the memory.
    pub fn voucher_for(&self, of: &Memory) -> Option<String> {
        let name = |it: &Self| it.author.clone().unwrap_or_else(|| it.origin.to_string());
        let is_apart =
            self.session.is_some() && self.session != of.voice.session && of.usage.recalls == 0;
        let voucher = match &self.session {
            _ if self.tainted => return None,
            _ if name(self) != name(&of.voice) => name(self),
            Some(session) if is_apart => format!("{} in {session}", name(self)),
            _ => return None,
        };
        (!of.vouchers.contains(&voucher) && of.vouchers.len() < MAX_VOUCHERS).then_some(voucher)
    }

    /// Whether these are a person's words, said here, or elsewhere by the line that brought them. Nobody else changes or forgets
    /// them. A line may claim it falsely, which only protects what it brings: what it is believed for is [`Self::is_person`].
    pub fn is_persons_word(&self) -> bool {
        let is_brought = self.channel == Channel::Repository && self.origin == Origin::Review;
        self.is_person() || (is_brought && !self.tainted)
    }

    /// Whether a person speaks, whose word may override a check.
    pub fn is_person(&self) -> bool {
        !self.tainted && matches!(self.origin, Origin::User | Origin::UserCorrection)
    }

    /// What a fact in this voice states and its evidence – each a path and the lines there – does not say. Of a fact that no person
    /// says, every statement counts: a citation that proves one of them would else carry the others into every later session.
    pub fn find_unsaid_claims(
        &self,
        subject: Option<&str>,
        fact: &str,
        evidence: &[(&str, &str)],
    ) -> Vec<String> {
        let unsaid = literals::find_ungrounded_statement(subject, fact, evidence);
        match unsaid.is_empty() && !self.is_person() {
            true => literals::find_unproven_statements(fact, evidence),
            false => unsaid,
        }
    }
}

/// Where a memory stands in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Quarantined: waits for a person or a quorum.
    Pending {
        /// Why it waits.
        why: String,
    },
    /// In use.
    Active,
    /// Replaced by a better one.
    Superseded {
        /// The memory that replaced it.
        by: MemoryId,
    },
    /// Found wrong.
    Invalid {
        /// Why.
        why: String,
    },
    /// Set aside to make room: kept and exportable, not ranked.
    Retired {
        /// Why.
        why: String,
    },
}

words! {
    /// The word for a status.
    Stage as "status" {
        /// Quarantined.
        Pending = "pending",
        /// In use.
        Active = "active",
        /// Replaced.
        Superseded = "superseded",
        /// Found wrong.
        Invalid = "invalid",
        /// Set aside.
        Retired = "retired",
    }
}

impl Stage {
    /// Whether a memory makes its claim here: it is in use, or waits to be. Another that makes the same is its twin.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Active | Self::Pending)
    }
}

impl Status {
    /// In use, unless there is a reason to wait.
    pub(crate) fn pending_if(why: Option<String>) -> Self {
        why.map_or(Self::Active, |why| Self::Pending { why })
    }

    /// The word for it.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Pending { .. } => Stage::Pending,
            Self::Active => Stage::Active,
            Self::Superseded { .. } => Stage::Superseded,
            Self::Invalid { .. } => Stage::Invalid,
            Self::Retired { .. } => Stage::Retired,
        }
    }

    /// The reason given, where the status has one.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Pending { why } | Self::Invalid { why } | Self::Retired { why } => Some(why),
            Self::Active | Self::Superseded { .. } => None,
        }
    }

    /// The memory that took the place of this one.
    pub fn superseded_by(&self) -> Option<MemoryId> {
        match self {
            Self::Superseded { by } => Some(*by),
            _ => None,
        }
    }
}

/// How often a memory was of use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageCounts {
    /// Times it was shown.
    pub recalls: u32,
    /// Times it was applied in a task.
    pub applied: u32,
    /// Times its citations were found to hold.
    pub verified: u32,
}

impl UsageCounts {
    /// Counts more uses in.
    pub fn add(&mut self, more: Self) {
        self.recalls += more.recalls;
        self.applied += more.applied;
        self.verified += more.verified;
    }
}

/// A kept memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its identity.
    pub id: MemoryId,
    /// Its number within the space; the store gives it, 0 until then.
    pub number: u64,
    /// Whose it is.
    pub space: Space,
    /// When it is shown.
    pub layer: Layer,
    /// What sort it is.
    pub kind: Kind,
    /// A brief topic, where one was given.
    pub subject: Option<String>,
    /// What was learned.
    pub fact: String,
    /// Why it matters.
    pub reason: Option<String>,
    /// The code that proves it.
    pub citations: Vec<Citation>,
    /// What else proves it.
    pub evidence: Vec<Evidence>,
    /// What it names, to be looked up again.
    pub names: Vec<NamedThing>,
    /// How the commands that it names fared.
    pub runs: RunTally,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Who said it.
    pub voice: Voice,
    /// The task it belongs to.
    pub task: Option<String>,
    /// What moderation noticed.
    pub marks: Vec<ModerationMark>,
    /// Where it stands.
    pub status: Status,
    /// The memory it replaced.
    pub supersedes: Option<MemoryId>,
    /// Who else said it, independently.
    pub vouchers: Vec<String>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// When it was last stated or found to hold.
    pub refreshed_at: Timestamp,
    /// How often it was of use.
    pub usage: UsageCounts,
}

impl Memory {
    /// Replaces its texts by a line that says so if one of them looks like a secret, which was kept before there was a rule
    /// for it. Called only for what is about to be shown, because looking for secrets costs time.
    pub fn withhold_secret(&mut self) -> bool {
        if !self.has_secret() {
            return false;
        }
        let handle = self.handle();
        self.fact = format!(
            "(withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it)"
        );
        (self.subject, self.reason, self.tags) = (None, None, Vec::new());
        true
    }

    /// What it claims, with the places that prove it.
    pub fn cited_claim(&self) -> CitedClaim<'_> {
        CitedClaim {
            fact: &self.fact,
            citations: &self.citations,
        }
    }

    /// Whether only a person forgets it: a person's own words, and what waits for a person or was turned away by one.
    pub fn needs_person_to_forget(&self) -> bool {
        let is_decided = matches!(self.status.stage(), Stage::Pending | Stage::Invalid);
        self.voice.is_persons_word() || is_decided
    }

    fn has_secret(&self) -> bool {
        let said = self.subject.iter().chain(&self.reason).chain([&self.fact]);
        let mut texts = said.chain(&self.tags);
        if self.is_cleared_of_secrets() {
            texts.for_each(|it| secrets::let_values_pass(it));
            return false;
        }
        texts.any(|it| secrets::find_secret(it).is_some())
    }

    /// Whether a person said that it holds no secret, although it looks like it.
    pub fn is_cleared_of_secrets(&self) -> bool {
        self.marks.contains(&ModerationMark::NotASecret)
    }

    /// Its short name.
    pub fn handle(&self) -> Handle {
        Handle::new(&self.space, self.number)
    }

    /// What a memory of its layer belongs to: an episode to its task, scratch to its session. The same words elsewhere
    /// are another memory.
    pub fn task_or_session(&self) -> Option<&str> {
        match self.layer {
            Layer::Episode => self.task.as_deref(),
            Layer::Session => self.voice.session.as_deref(),
            Layer::Identity | Layer::Knowledge => None,
        }
    }

    /// The digest of what it says: equal for a re-statement, whatever its case, spacing and punctuation. The same words
    /// in another task, or in the scratch of another session, are another claim.
    pub fn claim_digest(&self) -> Digest {
        let (of, subject) = (self.task_or_session(), self.subject.as_deref());
        claim_digest(self.layer, of, subject, &self.fact)
    }

    /// The marks that still apply: one that was found ungrounded is not once it is stated again with lines that say it.
    pub fn current_marks(&self) -> impl Iterator<Item = ModerationMark> {
        let is_grounded = || {
            let cited = self.citations.iter();
            let evidence: Vec<_> = cited.map(|it| (it.path.as_str(), &*it.snippet)).collect();
            let subject = self.subject.as_deref();
            !self.evidence.is_empty()
                || !evidence.is_empty()
                    && self
                        .voice
                        .find_unsaid_claims(subject, &self.fact, &evidence)
                        .is_empty()
        };
        let marks = self.marks.iter().copied();
        marks.filter(move |it| *it != ModerationMark::Ungrounded || !is_grounded())
    }

    /// Whether it is in use.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    /// Whether it is the record of a session: it quotes a conversation, which is nobody else's.
    pub fn is_session_record(&self) -> bool {
        self.layer == Layer::Episode && self.tags.iter().any(|it| it == SESSION_TAG)
    }

    /// Everything that is searched, as one text.
    pub fn searchable_text(&self) -> String {
        let said = self.subject.iter().chain([&self.fact]).chain(&self.tags);
        let paths = self.citations.iter().map(|it| it.path.as_str());
        let mut text = String::with_capacity(self.fact.len() + 128);
        for part in said.map(String::as_str).chain(paths) {
            text.push_str(part);
            text.push('\n');
        }
        text
    }
}

/// The digest of a statement, see [`Memory::claim_digest`]; `of` is the task or the session that it belongs to.
pub fn claim_digest(layer: Layer, of: Option<&str>, subject: Option<&str>, fact: &str) -> Digest {
    let words = apostille_text::overlap::normalise_fact(subject, fact);
    let of = of.map(|it| format!("\n{it}")).unwrap_or_default();
    Digest::hash_bytes(format!("{layer}\n{words}{of}").as_bytes())
}

/// What to do when a memory much like the draft exists already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DuplicateChoice {
    /// Keep nothing and say which memory it is: the three choices.
    #[default]
    Ask,
    /// Keep nothing and be content.
    Skip,
    /// Replace that memory by this one, keeping both sets of citations and tags.
    Merge(MemoryName),
    /// Keep it beside the other, for this reason.
    Create(String),
    /// Put it in the place of that memory.
    Replace(MemoryName, ReplacementKind),
}

impl DuplicateChoice {
    /// The memory that the draft takes the place of, or joins.
    pub(crate) fn replaced_name(&self) -> Option<MemoryName> {
        match self {
            Self::Merge(name) | Self::Replace(name, _) => Some(*name),
            _ => None,
        }
    }

    /// Why it is kept beside the other.
    pub(crate) fn rationale(&self) -> Option<&String> {
        match self {
            Self::Create(why) => Some(why),
            _ => None,
        }
    }

    /// Whether the draft is scratch that is kept for longer.
    pub(crate) fn is_promotion(&self) -> bool {
        matches!(self, Self::Replace(_, ReplacementKind::Promotion))
    }
}

/// Whether a replacement is a better version, the correction of something wrong, or the same kept for longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementKind {
    /// A better version.
    Better,
    /// The old one was wrong.
    Correction,
    /// The old one was scratch, and is kept for longer now. What is known already is asked about.
    Promotion,
}

/// A person's word for a draft: it overrides the save exclusions, the need for a citation, and what the citations do not
/// say. Only a `Person` gives one.
///
/// ```compile_fail
/// let forged = apostille_core::memory::Vouch(());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vouch(());

/// Whether a draft was to be kept on a person's word, and whether a person gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vouching {
    /// Nobody asked for a check to be overridden.
    #[default]
    Unasked,
    /// A person gave their word.
    Given(Vouch),
    /// It was asked for, and no person is known to have given it.
    Missing,
}

impl Vouching {
    /// Whether a person gave their word.
    pub fn is_given(self) -> bool {
        matches!(self, Self::Given(_))
    }
}

impl Vouch {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// What a caller asks to keep: untrusted.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Whose memory it is to be.
    pub space: Space,
    /// When to show it; knowledge unless said.
    pub layer: Option<Layer>,
    /// What sort it is; found out unless said.
    pub kind: Option<Kind>,
    /// A brief topic.
    pub subject: Option<String>,
    /// What was learned.
    pub fact: String,
    /// Why it matters.
    pub reason: Option<String>,
    /// The code that proves it.
    pub citations: Vec<CitationRequest>,
    /// Words of the user that say it, to be found in the session; or in the past conversation, or passage of one, whose name
    /// stands before them, as in `c-12.3: leave it at 7`. The name alone stands for the words there that say it.
    pub said: Option<String>,
    /// A command that was run and shows it, to be found in the session.
    pub ran: Option<String>,
    /// What the program itself found that speaks for it. What anybody else says of that is left out.
    pub found: Option<Evidence>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Who says it.
    pub voice: Voice,
    /// The task it belongs to.
    pub task: Option<String>,
    /// What to do about a near-duplicate.
    pub on_duplicate: DuplicateChoice,
    /// A person's word that overrides the save exclusions, the need for a citation, and what the citations do not say.
    pub vouching: Vouching,
    /// A person's word that what looks like a secret in it is none.
    pub clearance: Vouching,
    /// Whether the outer spaces and line ends of the fact belong to it, as they do in a file.
    pub is_verbatim: bool,
}

impl Draft {
    /// A draft with nothing but a fact.
    pub fn new(space: Space, fact: impl Into<String>, voice: Voice) -> Self {
        Self {
            space,
            layer: None,
            kind: None,
            subject: None,
            fact: fact.into(),
            reason: None,
            citations: Vec::new(),
            said: None,
            ran: None,
            found: None,
            tags: Vec::new(),
            voice,
            task: None,
            on_duplicate: DuplicateChoice::Ask,
            vouching: Vouching::Unasked,
            clearance: Vouching::Unasked,
            is_verbatim: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_parse_and_print() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                text.parse::<Handle>()
                    .ok()
                    .map(|it| it.to_string())
                    .as_deref(),
                expected,
                "{text:?}"
            );
        };
        check("m-12", Some("m-12"));
        check("u-3", Some("u-3"));
        check("m-0", None);
        check("m--1", None);
        check("x-1", None);
        check("m-1x", None);
        check("12", None);
    }

    #[test]
    fn ids_are_version_7_and_ordered_by_time() {
        let early = MemoryId::new(Timestamp::UNIX_EPOCH, u128::MAX);
        let late = MemoryId::new(Timestamp::from_second(1).unwrap(), 0);
        assert!(early < late);
        assert_eq!(late.to_string().as_bytes()[14], b'7');
        assert_eq!(late.to_string().parse(), Ok(late));
        assert_eq!(late.at_millisecond(), 1_000);
    }
}
