//! Sub-agents: they share a session's record, and each has a context of its own.

use super::{AgentSession, Moment, SessionEntry};

impl AgentSession {
    /// The session as one of its agents has it before itself; without a name, the one that the person talks to. What went
    /// with a task before its sub-agent had a name counts for every sub-agent.
    #[must_use]
    pub fn context_of(&self, agent: Option<&str>) -> Self {
        let is_own = |it: &&SessionEntry| match agent {
            None => it.agent.is_none() && it.moment != Moment::Subtask,
            Some(_) if it.agent.is_none() => it.moment == Moment::Subtask,
            Some(_) => it.agent.as_deref() == agent,
        };
        Self {
            entries: self.entries.iter().filter(is_own).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use apostille_core::space::Space;
    use jiff::Timestamp;

    #[test]
    fn every_agent_has_its_own_moments() {
        let entry = |session: &str, agent: Option<&str>, moment: Moment| {
            let space = Space::repo("acme/app").unwrap();
            SessionEntry {
                agent: agent.map(Into::into),
                ..SessionEntry::new(Timestamp::UNIX_EPOCH, session, Client::Codex, space, moment)
            }
        };
        let session = AgentSession {
            entries: vec![
                entry("1", None, Moment::Prompt),
                entry("2", None, Moment::Subtask),
                entry("3", Some("a"), Moment::Touch),
                entry("4", Some("b"), Moment::Subtask),
                entry("5", None, Moment::Touch),
            ],
        };
        let check = |agent: Option<&str>, expected: &str| {
            let own = session.context_of(agent).entries;
            let names: Vec<&str> = own.iter().map(|it| it.session.as_str()).collect();
            assert_eq!(names.join(" "), expected, "{agent:?}");
        };
        check(None, "1 5");
        check(Some("a"), "2 3");
        check(Some("b"), "2 4");
        check(Some("c"), "2");
    }
}
