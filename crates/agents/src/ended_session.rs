//! A session that is over, as those see it who go through what it left behind.

use apostille_core::{archive::Archive, policy::Policy, space::Space};

use crate::{
    client::Client, extract::ExtractedStatement, session::AgentSession, transcript::TranscriptTurn,
};

/// A session that is over, with everything that is known of it.
#[derive(Debug, Clone, Copy)]
pub struct EndedSession<'a> {
    /// The repository it worked in.
    pub repo: &'a Space,
    /// The person it worked for.
    pub user: &'a Space,
    /// The rules of the person's own space.
    pub own: &'a Policy,
    /// Its name.
    pub name: &'a str,
    /// Its client.
    pub client: Client,
    /// What it was shown.
    pub session: &'a AgentSession,
    /// What was said in it.
    pub turns: &'a [TranscriptTurn],
    /// What was stated in it and not remembered.
    pub gleaned: &'a [ExtractedStatement],
    /// The task it worked on.
    pub task: Option<&'a str>,
    /// The branch it worked on.
    pub branch: Option<&'a str>,
    /// What was kept of past conversations, also where no more is kept now: what was forgotten of them is not learned again.
    pub kept: Option<&'a dyn Archive>,
}
