//! What proves a memory beside the code that it cites: words that the user said, commands that were seen to run, comments of
//! reviewers, and the things that it names.
//!
//! None of it comes from the one who wants something kept. A quote was found in the user's own turns of the session, a run in
//! the record that the client keeps of its tools ([`Testimony`]), and a name in the tree. So it can be looked up again.

use jiff::Timestamp;

use apostille_cite::citation::RepoPath;
use apostille_text::words::words;

/// What proves a memory, beside the code that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// The user said it.
    Said(SaidQuote),
    /// A command was seen to run.
    Ran(CommandRun),
    /// A reviewer asked for it.
    Review(ReviewRemark),
    /// It was found again and again, in tasks or in commits.
    Episodes(PatternSupport),
    /// These memories were compared, by id: the one to keep first, then those that give way.
    Memories(Vec<String>),
}

words! {
    /// The word for a kind of evidence that is not code.
    EvidenceKind as "kind of evidence" {
        /// The user's own words.
        Said = "said",
        /// A command that ran.
        Ran = "ran",
        /// A comment of a reviewer.
        Review = "review",
        /// The tasks a pattern was found in.
        Episodes = "episodes",
        /// The memories that were compared.
        Memories = "memories",
    }
}

impl Evidence {
    /// The word for it.
    #[must_use]
    pub fn kind(&self) -> EvidenceKind {
        match self {
            Self::Said(_) => EvidenceKind::Said,
            Self::Ran(_) => EvidenceKind::Ran,
            Self::Review(_) => EvidenceKind::Review,
            Self::Episodes(_) => EvidenceKind::Episodes,
            Self::Memories(_) => EvidenceKind::Memories,
        }
    }

    /// What it quotes.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Said(said) => Some(&said.quote),
            Self::Ran(run) => Some(&run.command),
            Self::Review(remark) => Some(&remark.reviewer),
            Self::Episodes(_) | Self::Memories(_) => None,
        }
    }
}

/// Words of the user, found in one of their turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidQuote {
    /// The words.
    pub quote: String,
    /// The session they were said in.
    pub session: String,
    /// Which of the user's prompts in that session, counted from 1.
    pub turn: u32,
    /// When.
    pub at: Option<Timestamp>,
}

/// Where a pattern was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternSupport {
    /// In how many it was found.
    pub found: u32,
    /// Among how many.
    pub of: u32,
    /// The episodes of those that have one, by id.
    pub episodes: Vec<String>,
}

/// A command that was seen to run to its end, in the foreground and by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The command.
    pub command: String,
    /// Whether it succeeded.
    pub has_succeeded: bool,
    /// The session it ran in.
    pub session: Option<String>,
    /// When.
    pub at: Timestamp,
}

words! {
    /// How much a reviewer has to say in a repository.
    ReviewAuthority as "authority" {
        /// Owns it, belongs to the organisation that does, or owns the file by `CODEOWNERS`.
        Maintainer = "maintainer",
        /// Was invited to work on it.
        Collaborator = "collaborator",
        /// Anybody else. Never counts.
        Stranger = "stranger",
    }
}

/// A comment on a pull request that asks for what a memory says. Its words are not kept: the memory has the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRemark {
    /// The number of the pull request.
    pub pull_request: u64,
    /// The comment, by the anchor that the host gives it on the page: `discussion_r1`, `issuecomment-2`.
    pub comment: String,
    /// Who wrote it, by the name at the host.
    pub reviewer: String,
    /// How much they have to say there.
    pub authority: ReviewAuthority,
    /// Whose pull request it is.
    pub author: Option<String>,
    /// The file that it is about; `None`: the whole repository.
    pub path: Option<RepoPath>,
    /// When it was written, or changed last.
    pub at: Timestamp,
}

words! {
    /// What kind of thing a memory names.
    NameKind as "kind of name" {
        /// A file or a folder.
        Path = "path",
        /// Something that the code defines.
        Symbol = "symbol",
        /// A script or target of a manifest.
        Script = "script",
    }
}

/// Something that a memory names: looked up again before the memory is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedThing {
    /// What kind of thing.
    pub kind: NameKind,
    /// Its name, as the memory writes it.
    pub name: String,
    /// The file in which a symbol was found.
    pub path: Option<String>,
}

/// How many failures are remembered; more of them would say nothing more.
const MAX_FAILURES: usize = 9;

/// How the commands that a memory names fared, as far as somebody saw.
///
/// Runs are learned when a session is over, and of several sessions in any order, so the tally is the same in whatever
/// order they come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunTally {
    /// When one was last seen to succeed.
    pub succeeded_at: Option<Timestamp>,
    /// When one was seen to fail since then, the earliest first.
    pub failed_at: Vec<Timestamp>,
}

impl RunTally {
    /// Whether nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.succeeded_at.is_none() && self.failed_at.is_empty()
    }

    /// Counts a run in.
    pub fn add_run(&mut self, run: &CommandRun) {
        if run.has_succeeded {
            self.succeeded_at = self.succeeded_at.max(Some(run.at));
        } else if !self.failed_at.contains(&run.at) {
            self.failed_at.push(run.at);
            self.failed_at.sort_unstable();
        }
        let succeeded_at = self.succeeded_at;
        self.failed_at.retain(|it| Some(*it) > succeeded_at);
        let surplus = self.failed_at.len().saturating_sub(MAX_FAILURES);
        self.failed_at.drain(..surplus);
    }

    /// Lets go of failures up to a time: the memory was stated again since.
    pub(crate) fn forgive_failures(&mut self, at: Timestamp) {
        self.failed_at.retain(|it| *it > at);
    }

    /// Whether a run tells something that is not known: an earlier success says nothing after a later one.
    #[must_use]
    pub fn is_news(&self, run: &CommandRun) -> bool {
        let mut after = self.clone();
        after.add_run(run);
        after != *self
    }
}

/// What the user said in one turn of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTurn {
    /// Which of the user's prompts, counted from 1.
    pub turn: u32,
    /// The words, without anything that a program put beside them.
    pub text: String,
    /// When.
    pub at: Option<Timestamp>,
}

/// What was said and done in the sessions of agents, by the record that the clients themselves keep: never by what an agent
/// says of it.
pub trait Testimony: Send + Sync {
    /// What the user said in a session, in order; `None` where no record of it can be read.
    fn list_user_turns(&self, session: &str) -> Option<Vec<UserTurn>>;

    /// The commands that were seen to run to their end in a session, in order; `None` where no record can be read.
    fn list_command_runs(&self, session: &str) -> Option<Vec<CommandRun>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_is_the_same_in_any_order() {
        let run = |at: i64, has_succeeded: bool| CommandRun {
            command: "make test".into(),
            has_succeeded,
            session: None,
            at: Timestamp::from_second(at).unwrap(),
        };
        let runs = [run(1, false), run(2, true), run(3, false), run(4, false)];
        let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]];
        let tallies = orders.map(|order| {
            let mut tally = RunTally::default();
            order.iter().for_each(|it| tally.add_run(&runs[*it]));
            tally
        });
        assert!(tallies.iter().all(|it| *it == tallies[0]), "{tallies:?}");
        assert_eq!(tallies[0].failed_at.len(), 2);
        assert!(!tallies[0].is_news(&runs[0]) && !tallies[0].is_news(&runs[1]));
        assert!(tallies[0].is_news(&run(5, true)));
    }
}
