//! Who speaks at this terminal: the door that every command comes in by.

use apostille_core::speaker::{Confirmation, Speaker, TerminalFacts};

use crate::{
    config::Settings,
    sessions,
    system::{Environment, System},
};

impl System {
    /// Who speaks, as far as the program can know it: the door that every command comes in by.
    pub fn speaker(&self, settings: &Settings) -> Speaker {
        let is_exposed = |it: &str| self.is_session_exposed(it);
        let is_manned = self.terminal.stdin || self.terminal.stdout;
        let declared: Option<String> = self.env.get("APOSTILLE_PERSON").map(Into::into);
        let looks_like_person = is_manned || declared.is_some();
        // Also a variable that was set to nothing, and one that was taken out again.
        let is_agent =
            self.env.is_agent_shell() || looks_like_person && Environment::is_below_agent_shell();
        Speaker::at_terminal(&TerminalFacts {
            is_manned,
            is_agent,
            confirmation: match looks_like_person && !is_agent {
                true => self.confirmation(settings),
                false => Confirmation::NotRequired,
            },
            declared,
            is_exposed: self.env.session_id().is_some_and(is_exposed),
        })
    }

    /// Whether an agent started this program, as far as its shell or what stands above tells.
    pub(crate) fn is_started_by_agent(&self) -> bool {
        self.env.is_agent_shell() || Environment::is_below_agent_shell()
    }

    /// Whether a session has read words from outside, as far as its hooks saw it.
    pub fn is_session_exposed(&self, session: &str) -> bool {
        sessions::read_session(self, session).is_exposed()
    }

    /// Who acts, for the log: the person, by the name they gave; else somebody in their name.
    pub fn actor(&self, settings: &Settings) -> String {
        let user = settings.user.as_str();
        let user = user.split_once('/').map_or(user, |(_, name)| name);
        let speaker = self.speaker(settings);
        match &speaker.voice().author {
            _ if !speaker.voice().is_person() => format!("{user}'s agent"),
            Some(name) => name.clone(),
            None => user.to_owned(),
        }
    }
}
