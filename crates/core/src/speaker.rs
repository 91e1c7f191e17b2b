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
//! use apostille_core::speaker::{Speaker, TerminalFacts};
//!
//! let at_a_terminal = TerminalFacts { is_manned: true, ..TerminalFacts::default() };
//! assert!(Speaker::at_terminal(&at_a_terminal).person().is_some());
//!
//! // In an agent's shell it is the agent who speaks, whatever the shell looks like.
//! let in_an_agents_shell = TerminalFacts { is_agent: true, ..at_a_terminal };
//! assert!(Speaker::at_terminal(&in_an_agents_shell).person().is_none());
//! ```

use crate::memory::{Channel, Draft, Memory, Origin, Voice, Vouch, Vouching};
use crate::space::Space;

/// Who speaks in one call, and what that allows.
#[derive(Debug)]
pub struct Speaker {
    voice: Voice,
    person: Option<Person>,
    may_forget: bool,
    has_consent: bool,
}

/// A person who is known to be one: at a terminal, behind a reviewing token, or asked through the client.
///
/// ```compile_fail
/// let forged = apostille_core::speaker::Person { spaces: None };
/// ```
#[derive(Debug)]
pub struct Person {
    /// The spaces that the person's word reaches here; `None`: all.
    spaces: Option<Vec<Space>>,
}

impl Person {
    /// Whether the person's word reaches this space.
    pub fn can_reach(&self, space: &Space) -> bool {
        self.spaces.as_ref().is_none_or(|it| it.contains(space))
    }

    /// Those of these spaces that the person's word reaches.
    pub fn reachable_spaces(&self, spaces: &[Space]) -> Vec<Space> {
        spaces
            .iter()
            .filter(|it| self.can_reach(it))
            .cloned()
            .collect()
    }
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
    /// The session, where the client tells it.
    pub session: Option<String>,
    /// Whether the words come from outside: a page, an issue, a tool's output.
    pub is_tainted: bool,
    /// Whether the session has read words from outside.
    pub is_exposed: bool,
    /// Whether the client asked its user about this very call, and the user agreed.
    pub has_consent: bool,
}

impl Default for ConnectionFacts {
    /// A client on standard input of whom nothing is known.
    fn default() -> Self {
        Self {
            channel: Channel::Mcp,
            token: None,
            session: None,
            is_tainted: false,
            is_exposed: false,
            has_consent: false,
        }
    }
}

impl Speaker {
    /// Who speaks at a terminal or in a script. In an agent's shell it is the agent.
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
            person: is_person.then_some(Person { spaces: None }),
            may_forget: is_person,
            has_consent: false,
        }
    }

    /// Who speaks through a protocol. The holder of a token is a program, but one that reviews decides for the person who
    /// made it; a client on standard input decides only what its user was asked about.
    pub fn on_connection(facts: ConnectionFacts) -> Self {
        let is_reviewing = facts.token.as_ref().is_some_and(|it| it.is_reviewing);
        let is_person = match &facts.token {
            Some(token) => token.is_reviewing,
            None => facts.has_consent,
        };
        let spaces = facts.token.as_ref().and_then(|it| it.spaces.clone());
        Self {
            // A client on standard input asks its user itself before it forgets; through a socket a token must review.
            may_forget: facts.token.is_none() || is_reviewing,
            person: is_person.then_some(Person { spaces }),
            has_consent: facts.has_consent,
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

    /// Whether the client asked its user about this very call, and the user agreed.
    pub fn has_consent(&self) -> bool {
        self.has_consent
    }

    /// Whether this speaker may forget a memory, in whatever stage it is.
    pub fn can_forget(&self, memory: &Memory) -> bool {
        self.may_forget || !memory.needs_person_to_forget()
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
        _ => Voice {
            session: facts.session,
            tainted: facts.is_tainted,
            exposed: facts.is_exposed,
            ..Voice::from_origin(Origin::Agent).with_channel(Channel::Mcp)
        },
    }
}

impl Draft {
    /// The draft with a person's word where one is asked for: it overrides the save exclusions, the need for a citation,
    /// and what the citations do not say. Without a person it is refused as no person's.
    #[must_use]
    pub fn with_vouching(self, is_asked: bool, by: Option<&Person>) -> Self {
        let vouching = match by {
            _ if !is_asked => Vouching::Unasked,
            Some(_) => Vouching::Given(Vouch::new()),
            None => Vouching::Missing,
        };
        Self { vouching, ..self }
    }
}
