//! How a session ended, told only by evidence: what git, a test or the hoster's program reported, and the user's own words.
//! What the agent says of its success is not asked.

use apostille_text::words::words;

use super::{calls::SeenCall, commits::SeenCommit, pull_request::is_merged};
use crate::{
    extract::{own_sentences::split_foreign_text, summary::is_edit},
    transcript::{TranscriptTurn, TurnSpeaker},
};

words! {
    /// How a session ended.
    EpisodeOutcome as "outcome" {
        /// Its pull request was merged.
        Merged = "merged",
        /// Its work was committed.
        Committed = "committed",
        /// Its last tests or checks passed.
        Passed = "passed",
        /// Its last tests or checks failed.
        Failed = "failed",
        /// The user dropped it, or what was done was taken back.
        Abandoned = "abandoned",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

/// What a person says who drops something, at the end, behind these words and before those.
const DROPPED: [&str; 12] = [
    "never mind",
    "nevermind",
    "forget it",
    "forget about it",
    "drop it",
    "drop this",
    "scrap this",
    "scrap that",
    "scrap it",
    "abandon this",
    "abandon it",
    "leave it for now",
];
const BEFORE: &str = "ok okay actually no hm well just please oh then ah let's";
const BEHIND: &str = "then please for now here again all";
/// A longer prompt says more than that something is dropped.
const MAX_DROPPING_WORDS: usize = 16;

/// What git does to take back what was not committed.
const TAKEN_BACK: [&str; 4] = [
    "git checkout -- .",
    "git checkout .",
    "git restore .",
    "git reset --hard",
];

/// The outcome, and what it rests on.
pub(super) struct JudgedOutcome {
    pub(super) word: EpisodeOutcome,
    proofs: Vec<&'static str>,
}

impl JudgedOutcome {
    /// The outcome in a line.
    pub(super) fn describe(&self) -> String {
        let proofs = self.proofs.join(", ");
        match self.word {
            word if proofs.is_empty() => word.to_string(),
            EpisodeOutcome::Passed => proofs,
            word @ (EpisodeOutcome::Failed | EpisodeOutcome::Abandoned) => {
                format!("{word}: {proofs}")
            }
            word => format!("{word}, {proofs}"),
        }
    }
}

/// How a session ended.
pub(super) fn judge_outcome(
    turns: &[TranscriptTurn],
    calls: &[SeenCall<'_>],
    commits: &[SeenCommit],
) -> JudgedOutcome {
    let tests = calls.iter().rev().filter(|it| it.is_test());
    let tests = tests.filter_map(|it| it.outcome).next();
    let checks = calls.iter().rev();
    let checks = checks.filter(|it| it.is_check() && !it.is_test());
    let checks = checks.filter_map(|it| it.outcome).next();
    let is_pushed = calls
        .iter()
        .any(|it| it.is_git("push") && it.outcome == Some(true));
    let (merged, committed) = (is_merged(calls), !commits.is_empty());
    let dropped = explain_dropping(turns, calls).filter(|_| !committed && !merged);
    let is_failed = tests == Some(false) || checks == Some(false);
    let word = match () {
        () if merged => EpisodeOutcome::Merged,
        () if dropped.is_some() => EpisodeOutcome::Abandoned,
        () if is_failed => EpisodeOutcome::Failed,
        () if committed => EpisodeOutcome::Committed,
        () if tests.or(checks).is_some() => EpisodeOutcome::Passed,
        () => EpisodeOutcome::Unknown,
    };
    let proofs = [
        dropped,
        (committed && word != EpisodeOutcome::Committed).then_some("committed"),
        is_pushed.then_some("pushed"),
        tests.map(|it| {
            if it {
                "tests passed"
            } else {
                "the last tests failed"
            }
        }),
        checks.map(|it| {
            if it {
                "checks passed"
            } else {
                "the last checks failed"
            }
        }),
    ];
    JudgedOutcome {
        word,
        proofs: proofs.into_iter().flatten().collect(),
    }
}

/// Why a session counts as abandoned: the user's last words, or that the last that was done to the files was to take it back.
fn explain_dropping(turns: &[TranscriptTurn], calls: &[SeenCall<'_>]) -> Option<&'static str> {
    let last = turns.iter().rfind(|it| it.speaker == TurnSpeaker::Person)?;
    if is_dropping(&split_foreign_text(&last.text).0.to_lowercase()) {
        return Some("the user dropped it");
    }
    let is_undone = |it: &SeenCall<'_>| {
        it.outcome == Some(true) && TAKEN_BACK.iter().any(|words| it.call.input.contains(words))
    };
    let mut deeds = calls.iter().rev();
    let last = deeds.find(|it| is_edit(it.call) || is_undone(it))?;
    is_undone(last).then_some("the changes were taken back")
}

fn is_dropping(said: &str) -> bool {
    let words: Vec<&str> = said
        .split(|c: char| c.is_whitespace() || ",.!:;–-".contains(c))
        .filter(|it| !it.is_empty())
        .collect();
    let is_filler = |list: &str, word: &str| list.split(' ').any(|it| it == word);
    let start = words.iter().position(|it| !is_filler(BEFORE, it));
    let rest = words[start.unwrap_or(0)..].join(" ");
    let is_dropped = |phrase: &&str| {
        rest.strip_prefix(*phrase).is_some_and(|behind| {
            let next = behind.split_whitespace().next();
            next.is_none_or(|it| is_filler(BEHIND, it)) || said.contains(&format!("{phrase},"))
        })
    };
    words.len() <= MAX_DROPPING_WORDS && DROPPED.iter().any(is_dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_is_said_plainly() {
        let check = |said: &str, expected: bool| assert_eq!(is_dropping(said), expected, "{said}");
        check("never mind", true);
        check("ok, forget it, we do it by hand", true);
        check("actually, leave it for now.", true);
        check("scrap that", true);
        check("don't drop it", false);
        check("drop it from the list", false);
        check("never mind the gap between the two columns", false);
    }
}
