//! Who speaks at this terminal: the door that every command comes in by.

use apostille_core::speaker::{Speaker, TerminalFacts};

use crate::{sessions, system::System};

impl System {
    /// Who speaks, as far as the program can know it: the door that every command comes in by.
    pub fn speaker(&self) -> Speaker {
        let is_exposed = |it: &str| sessions::read_session(self, it).is_exposed();
        Speaker::at_terminal(&TerminalFacts {
            is_manned: self.terminal.stdin || self.terminal.stdout,
            // Also a variable that was set to nothing.
            is_agent: self.env.is_agent_shell(),
            declared: self.env.get("APOSTILLE_PERSON").map(Into::into),
            is_exposed: self.env.session_id().is_some_and(is_exposed),
        })
    }

    /// Who acts, for the log: the person, by the name they gave; else somebody in their name.
    pub fn actor(&self, user: &str) -> String {
        let speaker = self.speaker();
        match (speaker.person(), &speaker.voice().author) {
            (Some(_), Some(name)) => name.clone(),
            (Some(_), None) => user.to_owned(),
            (None, _) => format!("{user}'s agent"),
        }
    }
}
