//! Who speaks. A [`Speaker`] is made by the program from how a call came in, never from what the call says of itself.
//!
//! [`Person`] is a witness: there is no way to make one but through the two doors, [`Speaker::at_terminal`] and
//! [`Speaker::on_connection`], and it cannot be copied out of its speaker. What only a person may do takes a `&Person`,
//! so that a face that forgets to ask does not compile. What depends on whose memory it is takes a `&Speaker`.
//!
//! Authority is not provenance. [`Voice`] is what is stored with a memory, and says who said it; a `Speaker` lives as long
//! as the call and says what may be done in it.
//!
//! ```
//! use apostille_core::speaker::{Confirmation, Speaker, TerminalFacts};
//!
//! let at_a_terminal = TerminalFacts { is_manned: true, ..TerminalFacts::default() };
//! assert!(Speaker::at_terminal(&at_a_terminal).person().is_some());
//!
//! // In an agent's shell it is the agent who speaks, whatever the shell looks like.
//! let in_an_agents_shell = TerminalFacts { is_agent: true, ..at_a_terminal.clone() };
//! assert!(Speaker::at_terminal(&in_an_agents_shell).person().is_none());
//!
//! // Where the user set up a confirmation, the terminal alone decides nothing.
//! let unconfirmed = TerminalFacts { confirmation: Confirmation::Missing, ..at_a_terminal };
//! assert!(Speaker::at_terminal(&unconfirmed).person().is_none());
//! ```

use crate::{
    memory::{Channel, Draft, Memory, MemoryId, Origin, Voice, Vouch, Vouching},
    space::Space,
};
use apostille_text::{moderate, words::words};

/// Who speaks in one call, and what that allows.
#[derive(Debug)]
pub struct Speaker {
    voice: Voice,
    person: Option<Person>,
}

/// A person who is known to be one: at a terminal, behind a reviewing token, or asked through the client.
///
/// ```compile_fail
/// let forged = apostille_core::speaker::Person { reach: todo!() };
/// ```
#[derive(Debug)]
pub struct Person {
    reach: Reach,
}

/// How far a person's word reaches in a call.
#[derive(Debug)]
enum Reach {
    Everywhere,
    Spaces(Vec<Space>),
    /// To the one thing that the person was asked about.
    Once(Decision),
}

impl Person {
    /// Whether the person's word reaches all of this space.
    pub fn can_reach(&self, space: &Space) -> bool {
        match &self.reach {
            Reach::Everywhere => true,
            Reach::Spaces(spaces) => spaces.contains(space),
            Reach::Once(_) => false,
        }
    }

    /// Whether the person may decide this about a memory.
    pub fn can_decide(&self, verb: PersonVerb, memory: &Memory) -> bool {
        match &self.reach {
            Reach::Once(decision) => *decision == Decision::new(verb, memory),
            _ => self.can_reach(&memory.space),
        }
    }
}

impl Person {
    /// Whether the person was asked about exactly this, and agreed.
    pub(crate) fn can_decide_once(&self, verb: PersonVerb, memory: &Memory) -> bool {
        matches!(self.reach, Reach::Once(_)) && self.can_decide(verb, memory)
    }
}

words! {
    /// What only a person does to some memories.
    PersonVerb as "verb" {
        /// Let it out of quarantine.
        Approve = "approve",
        /// Erase it.
        Forget = "forget",
        /// Call it wrong.
        Invalidate = "invalidate",
    }
}

impl PersonVerb {
    /// What it is that only a person does.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Approve => "approve pending memories",
            Self::Forget => "forget what a person said, what is pending, or what was rejected",
            Self::Invalidate => "invalidate what a person said",
        }
    }
}

/// One thing to be done to one memory. A memory's text never changes, so its id stands for what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decision {
    verb: PersonVerb,
    memory: MemoryId,
}

impl Decision {
    fn new(verb: PersonVerb, memory: &Memory) -> Self {
        let memory = memory.id;
        Self { verb, memory }
    }
}

/// What a person is to be asked before something is done. Only the verbs of the core make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    decision: Decision,
    text: String,
}

/// The most of a memory's text that a question repeats, in characters.
const MAX_ASKED: usize = 600;

impl Question {
    pub(crate) fn new(verb: PersonVerb, memory: &Memory, old: Option<&Memory>) -> Self {
        let quote = |it: &Memory| {
            let fact: String = moderate::neutralise_to_one_line(&it.fact)
                .chars()
                .take(MAX_ASKED)
                .collect();
            format!("{}: \"{fact}\"", it.handle())
        };
        let ask = match verb {
            PersonVerb::Approve if old.is_some() => {
                "Let the second replace the first, which a person said?"
            }
            PersonVerb::Approve => "Let it be used from now on?",
            PersonVerb::Forget => "Forget it for good? This cannot be undone.",
            PersonVerb::Invalidate => "Mark it as wrong? It is not shown any more.",
        };
        let quotes: Vec<String> = old.into_iter().chain([memory]).map(quote).collect();
        Self {
            decision: Decision::new(verb, memory),
            text: format!("{}\n\n{ask}", quotes.join("\n")),
        }
    }

    /// The question as a person reads it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the person is asked to do.
    pub fn verb(&self) -> PersonVerb {
        self.decision.verb
    }

    /// What is decided by the answer, for a seal on it.
    pub fn decision_key(&self) -> String {
        format!("{} {}", self.decision.verb, self.decision.memory)
    }

    /// The person's yes. A client that asks its user calls this, and nobody else (`speaker_has_two_doors`).
    pub fn into_consent(self) -> Consent {
        Consent(self.decision)
    }
}

/// A person's yes to one question, given through a client.
///
/// ```compile_fail
/// let forged = apostille_core::speaker::Consent(todo!());
/// ```
#[derive(Debug, Clone)]
pub struct Consent(Decision);

/// Whether the person at a terminal gave the confirmation that they set up (`confirm` in their configuration).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// None is set up.
    #[default]
    NotRequired,
    /// One is set up, and was not given in this run.
    Missing,
    /// It was given in this run.
    Given,
}

/// What a terminal and its environment tell of who is there.
#[derive(Debug, Clone, Default)]
pub struct TerminalFacts {
    /// Whether somebody sits at the terminal: input or output is one.
    pub is_manned: bool,
    /// Whether a coding agent started the shell.
    pub is_agent: bool,
    /// The name that a person's own script gave (`APOSTILLE_PERSON`).
    pub declared: Option<String>,
    /// Whether the agent's session has read words from outside.
    pub is_exposed: bool,
    /// The confirmation that an agent cannot give.
    pub confirmation: Confirmation,
}

/// What is known of the token of a request that came through a socket.
#[derive(Debug, Clone)]
pub struct TokenFacts {
    /// What the token is called.
    pub name: String,
    /// Whether it may decide as a person does.
    pub is_reviewing: bool,
    /// Whether it is the panel's, opened by a person with the printed link.
    pub is_panel: bool,
    /// The spaces it reaches; `None`: all.
    pub spaces: Option<Vec<Space>>,
}

/// What is known of a call over MCP or HTTP.
#[derive(Debug, Clone)]
pub struct ConnectionFacts {
    /// By which face it came: [`Channel::Mcp`], [`Channel::Http`] or [`Channel::Panel`].
    pub channel: Channel,
    /// The token, where the call came through a socket; a client on standard input has none.
    pub token: Option<TokenFacts>,
    /// What the client on standard input calls itself.
    pub client: Option<String>,
    /// The session, where the client tells it.
    pub session: Option<String>,
    /// Whether the words come from outside: a page, an issue, a tool's output.
    pub is_tainted: bool,
    /// Whether the session has read words from outside.
    pub is_exposed: bool,
    /// What the client asked its user, where the user agreed.
    pub consent: Option<Consent>,
}

impl Default for ConnectionFacts {
    /// A client on standard input of whom nothing is known.
    fn default() -> Self {
        Self {
            channel: Channel::Mcp,
            token: None,
            client: None,
            session: None,
            is_tainted: false,
            is_exposed: false,
            consent: None,
        }
    }
}

impl Speaker {
    /// Who speaks at a terminal or in a script. In an agent's shell it is the agent. Where the confirmation is missing, the words are
    /// the person's and the decisions are nobody's.
    pub fn at_terminal(facts: &TerminalFacts) -> Self {
        let is_person = !facts.is_agent && (facts.is_manned || facts.declared.is_some());
        let voice = if is_person {
            Voice {
                author: facts.declared.clone(),
                ..Voice::from_origin(Origin::User).with_channel(Channel::Terminal)
            }
        } else {
            Voice {
                exposed: facts.is_exposed,
                ..Voice::from_origin(Origin::Agent).with_channel(Channel::Command)
            }
        };
        Self {
            voice,
            person: (is_person && facts.confirmation != Confirmation::Missing).then_some(Person {
                reach: Reach::Everywhere,
            }),
        }
    }

    /// Who speaks through a protocol. The holder of a token is a program, but one that reviews decides for the person who
    /// made it; a client on standard input decides only what its user was asked about.
    pub fn on_connection(mut facts: ConnectionFacts) -> Self {
        let consent = facts.consent.take();
        let reach = match &facts.token {
            Some(token) if !token.is_reviewing => None,
            Some(token) => Some(
                token
                    .spaces
                    .clone()
                    .map_or(Reach::Everywhere, Reach::Spaces),
            ),
            None => consent.map(|it| Reach::Once(it.0)),
        };
        Self {
            person: reach.map(|reach| Person { reach }),
            voice: connection_voice(facts),
        }
    }

    /// What is stored with what this speaker says.
    pub fn voice(&self) -> &Voice {
        &self.voice
    }

    /// The person, where one speaks or is known to have agreed.
    pub fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// Whether the words are a person's, or a person agreed to them. It says who is named and counted, not what may be decided.
    pub(crate) fn speaks_as_person(&self) -> bool {
        self.person.is_some() || self.voice.is_person()
    }

    /// Whether this speaker may do this to a memory by themselves: it takes a person where a person said it, and where a
    /// person decides about it.
    pub fn can_decide(&self, verb: PersonVerb, memory: &Memory) -> bool {
        let needs_person = match verb {
            PersonVerb::Approve => true,
            PersonVerb::Forget => memory.needs_person_to_forget(),
            PersonVerb::Invalidate => memory.voice.is_persons_word(),
        };
        let person = self.person.as_ref();
        !needs_person || person.is_some_and(|it| it.can_decide(verb, memory))
    }
}

fn connection_voice(facts: ConnectionFacts) -> Voice {
    match facts.token {
        // Without a name, as at a terminal: one person there is not a second voice here.
        Some(token) if token.is_panel && token.is_reviewing => {
            Voice::from_origin(Origin::User).with_channel(Channel::Panel)
        }
        Some(token) if facts.channel != Channel::Mcp => Voice {
            author: Some(token.name),
            ..Voice::from_origin(Origin::Agent).with_channel(Channel::Http)
        },
        token => Voice {
            author: token.map(|it| it.name).or(facts.client),
            session: facts.session,
            tainted: facts.is_tainted,
            exposed: facts.is_exposed,
            ..Voice::from_origin(Origin::Agent).with_channel(Channel::Mcp)
        },
    }
}

fn ask_for_word(is_asked: bool, by: Option<&Person>) -> Vouching {
    match by {
        _ if !is_asked => Vouching::Unasked,
        // A yes to one question is not a word for anything else.
        Some(Person {
            reach: Reach::Once(_),
        })
        | None => Vouching::Missing,
        Some(_) => Vouching::Given(Vouch::new()),
    }
}

impl Draft {
    /// The draft with a person's word where one is asked for: it overrides the save exclusions, the need for a citation,
    /// and what the citations do not say. Without a person it is refused as no person's.
    #[must_use]
    pub fn with_vouching(self, is_asked: bool, by: Option<&Person>) -> Self {
        let vouching = ask_for_word(is_asked, by);
        Self { vouching, ..self }
    }

    /// The draft with a person's word, where one is asked for, that what looks like a secret in it is none. Who said so is
    /// recorded with the memory. Without a person it is refused as no person's.
    #[must_use]
    pub fn with_secrets_cleared(self, is_asked: bool, by: Option<&Person>) -> Self {
        // A person who hands on words from elsewhere has not looked at them.
        let by = by.filter(|_| self.voice.is_person());
        let clearance = ask_for_word(is_asked, by);
        Self { clearance, ..self }
    }
}
