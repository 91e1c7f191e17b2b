//! An episode: what was asked in a session, how it was gone about and what came of it, in a few labelled lines for people and
//! models.
//!
//! What an agent said is marked as such, and only what it said before text from outside came in is told. Files, commits, the
//! pull request, difficulties and the outcome are read from what tools were given and gave back, never from claims: an agent
//! that says "all tests pass" changes no word of the outcome.

mod calls;
mod commits;
mod difficulties;
mod outcome;
mod pull_request;
mod wording;

use apostille_core::space::Space;
use apostille_text::{moderate::is_instruction, secrets};

use crate::{
    extract::{own_sentences::split_pasted_text, summary::list_edited_files},
    transcript::{TranscriptTurn, TurnSpeaker},
};

use commits::{SeenCommit, list_seen_commits};
use wording::{clean_episode_text, find_plain_sentence, join_described, join_items};

pub(crate) use calls::{SeenCall, list_seen_calls};
pub use outcome::EpisodeOutcome;

/// How long an episode may be, in characters.
pub const MAX_EPISODE_CHARS: usize = 1_200;

const FIRST_ASK_CHARS: usize = 180;
const ASK_CHARS: usize = 80;
/// How much is shown of what a person pasted.
const PASTED_CHARS: usize = 80;
const ASKS: usize = 3;
const FILES: usize = 6;
const FILE_CHARS: usize = 60;
const COMMANDS: usize = 3;
const COMMITS: usize = 3;
const SUBJECT_CHARS: usize = 50;
const APPROACH_CHARS: usize = 150;
const DECISIONS: usize = 3;
const DECISION_CHARS: usize = 140;
const ANSWERED_CHARS: usize = 60;
const END_CHARS: usize = 160;
/// A later prompt of fewer words is a nod.
const NOD_WORDS: usize = 3;
/// What stands for prompts that wait for a person's approval, and are not told by another way.
const WAITING: &str = "(what was said waits to be approved)";
/// What stands for prompts of which nothing is left: they hold secrets, or read like orders to a model.
const LEFT_OUT: &str = "(what was said is left out)";
/// What is said of a session that nobody ended in the middle of a turn.
const CUT_OFF: &str = "without a word (crash?)";

/// What an episode is made of.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeMaterial<'a> {
    /// The repository.
    pub repo: &'a Space,
    /// What was said and done. What may not be told has no text.
    pub turns: &'a [TranscriptTurn],
    /// The place of the first turn at which text from outside was there.
    pub foreign_from: Option<usize>,
    /// The user's sentences that decide.
    pub decisions: &'a [UserDecision],
    /// The files that hooks saw edited.
    pub edited: &'a [String],
    /// Whether it stopped in the middle of a turn and nobody said that it ended.
    pub is_cut_off: bool,
}

/// A sentence of the user that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    /// The words.
    pub text: String,
    /// What of the agent's they answer, where they are not understood without.
    pub answered: Option<String>,
}

/// What is kept of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEpisode {
    /// The lines.
    pub text: String,
    /// How it ended.
    pub outcome: EpisodeOutcome,
}

/// A line, and how early it gives way when there is no room for all: 0 never does.
type RankedLine = (u8, &'static str, Option<String>);

/// The episode of a session; `None` where the user said nothing in it.
pub fn write_session_episode(it: &EpisodeMaterial<'_>) -> Option<SessionEpisode> {
    let prompts = it.turns.iter();
    let prompts = prompts.filter(|it| it.speaker == TurnSpeaker::Person);
    let prompts: Vec<&str> = prompts.map(|it| it.text.as_str()).collect();
    if prompts.is_empty() {
        return None;
    }
    let calls = list_seen_calls(it.turns, it.foreign_from);
    let commits = list_seen_commits(&calls);
    let closing = find_closing_turn(it);
    let outcome = outcome::judge_outcome(it.turns, &calls, &commits);
    let (first, asked) = describe_first_prompt(&prompts);
    let later: Vec<&str> = prompts[first..].to_vec();
    let lines = [
        (0, "Asked", Some(asked.clone())),
        (3, "Then", describe_later_prompts(&later, it.decisions)),
        (4, "Approach", describe_approach(it, closing)),
        (0, "Decided", describe_decisions(it.decisions, &asked)),
        (0, "Changed", describe_files(it)),
        (0, "Commits", describe_commits(&commits)),
        (
            0,
            "Pull request",
            pull_request::describe_pull_request(it, &calls),
        ),
        (2, "Ran", describe_commands(&calls)),
        (0, "Difficulties", difficulties::describe(&calls)),
        (0, "Outcome", Some(outcome.describe())),
        (5, "Ended", describe_end(it, closing)),
        (1, "Prompts", Some(count_turns(it, prompts.len()))),
    ];
    Some(SessionEpisode {
        text: fit_lines(&lines),
        outcome: outcome.word,
    })
}

/// How a session ended, by what its tools showed.
pub(crate) fn judge_session_outcome(turns: &[TranscriptTurn]) -> EpisodeOutcome {
    let calls = list_seen_calls(turns, None);
    let commits = list_seen_commits(&calls);
    outcome::judge_outcome(turns, &calls, &commits).word
}

/// The lines within the limit. Each is clean by itself; what only reads like an order or a secret across lines is left out, so
/// that a session's own record never waits for a person.
fn fit_lines(lines: &[RankedLine]) -> String {
    let mut dropped = 0;
    loop {
        let kept = lines.iter().filter(|it| it.0 == 0 || it.0 > dropped);
        let kept = kept.filter_map(|it| Some(format!("{}: {}", it.1, it.2.as_ref()?)));
        let text = kept.collect::<Vec<_>>().join("\n");
        let is_plain = !is_instruction(&text) && secrets::find_secret(&text).is_none();
        if text.chars().count() <= MAX_EPISODE_CHARS && is_plain {
            return text;
        }
        dropped += 1;
        if dropped > 5 {
            return fit_essential_lines(lines);
        }
    }
}

/// The lines that never give way, one after the other as long as they fit.
fn fit_essential_lines(lines: &[RankedLine]) -> String {
    let mut text = String::new();
    for (_, name, line) in lines.iter().filter(|it| it.0 == 0) {
        let Some(line) = line else { continue };
        let gap = if text.is_empty() { "" } else { "\n" };
        let longer = format!("{text}{gap}{name}: {line}");
        let is_plain = !is_instruction(&longer) && secrets::find_secret(&longer).is_none();
        if longer.chars().count() <= MAX_EPISODE_CHARS && is_plain {
            text = longer;
        }
    }
    text
}

/// The first prompt that may be told, and how many prompts are through with it.
fn describe_first_prompt(prompts: &[&str]) -> (usize, String) {
    let told = prompts
        .iter()
        .map(|it| describe_prompt(it, FIRST_ASK_CHARS))
        .zip(1..)
        .find_map(|(asked, through)| Some((through, asked?)));
    let is_waiting = prompts.iter().all(|it| it.is_empty());
    let instead = if is_waiting { WAITING } else { LEFT_OUT };
    told.unwrap_or_else(|| (prompts.len(), instead.to_owned()))
}

/// A prompt in a few words. What was pasted into it is another's text, and is marked as such.
fn describe_prompt(prompt: &str, chars: usize) -> Option<String> {
    let (own, pasted) = split_pasted_text(prompt);
    let own = clean_episode_text(&own, chars);
    let pasted = clean_episode_text(&pasted, PASTED_CHARS).map(|it| format!("pasted: “{it}”"));
    let parts: Vec<String> = own.into_iter().chain(pasted).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// What was asked later, but for nods and for what is told as a decision.
fn describe_later_prompts(prompts: &[&str], decisions: &[UserDecision]) -> Option<String> {
    let is_nod = |it: &str| it.is_ascii() && it.split_whitespace().count() < NOD_WORDS;
    let is_decision = |it: &str| decisions.iter().any(|decided| it.contains(&decided.text));
    let asks = prompts.iter().filter(|it| !is_nod(it) && !is_decision(it));
    join_described(asks, ASKS, "; ", |it| describe_prompt(it, ASK_CHARS))
}

/// The agent's last words, by their place; `None` where they may not be told.
fn find_closing_turn(it: &EpisodeMaterial<'_>) -> Option<usize> {
    let is_told =
        |it: &TranscriptTurn| it.speaker == TurnSpeaker::Agent && !it.text.trim().is_empty();
    let place = it.turns.iter().rposition(is_told)?;
    let is_withheld = |from: usize| {
        let behind = it.turns.iter().skip(from);
        from > place
            && behind
                .into_iter()
                .any(|it| it.speaker == TurnSpeaker::Agent)
    };
    (!it.foreign_from.is_some_and(is_withheld)).then_some(place)
}

/// What the agent set out to do: the first whole sentence that it said, before its last words.
fn describe_approach(it: &EpisodeMaterial<'_>, closing: Option<usize>) -> Option<String> {
    let before = it.turns.iter().take(closing.unwrap_or(usize::MAX));
    let mut said = before.filter(|it| it.speaker == TurnSpeaker::Agent);
    let said = said.find_map(|it| find_plain_sentence(&it.text, APPROACH_CHARS))?;
    Some(format!("agent said: {said}"))
}

/// The user's deciding sentences that the first line does not have already, with what they answer.
fn describe_decisions(decisions: &[UserDecision], asked: &str) -> Option<String> {
    let new = decisions.iter().filter(|it| !asked.contains(&it.text));
    join_described(new, DECISIONS, " … ", |it| {
        let text = clean_episode_text(&it.text, DECISION_CHARS)?;
        let answered = it.answered.as_deref();
        let answered = answered.and_then(|it| clean_episode_text(it, ANSWERED_CHARS));
        let answered = answered.map_or(String::new(), |it| format!(" (to the agent's “{it}”)"));
        Some(format!("“{text}”{answered}"))
    })
}

fn describe_files(it: &EpisodeMaterial<'_>) -> Option<String> {
    let mut files = list_edited_files(it.turns);
    if files.is_empty() {
        files.extend_from_slice(it.edited);
    }
    join_described(&files, FILES, ", ", |it| {
        let hidden = it.chars().count().saturating_sub(FILE_CHARS);
        clean_episode_text(&it.chars().skip(hidden).collect::<String>(), FILE_CHARS)
    })
}

fn describe_commits(commits: &[SeenCommit]) -> Option<String> {
    let unnamed = commits.iter().filter(|it| it.hash.is_none()).count();
    let mut told: Vec<String> = commits.iter().filter_map(describe_commit).collect();
    if unnamed > 0 {
        told.push(format!("{unnamed} without a known hash"));
    }
    join_items(&told, COMMITS, "; ")
}

fn describe_commit(it: &SeenCommit) -> Option<String> {
    let hash = it.hash.as_ref()?;
    let subject = it.subject.as_deref();
    let subject = subject.and_then(|it| clean_episode_text(it, SUBJECT_CHARS));
    Some(match subject {
        Some(subject) => format!("{hash} {subject}"),
        None => hash.clone(),
    })
}

/// The commands that tell how the work stands, with how they ended the last time.
fn describe_commands(calls: &[SeenCall<'_>]) -> Option<String> {
    let mut ran: Vec<(&str, Option<bool>)> = Vec::new();
    for it in calls.iter().filter(|it| it.is_telling() && !it.is_foreign) {
        match ran.iter_mut().find(|(known, _)| *known == it.command) {
            Some((_, ended)) => *ended = it.outcome,
            None => ran.push((&it.command, it.outcome)),
        }
    }
    let told = ran.into_iter().map(|(command, ended)| match ended {
        Some(true) => format!("`{command}` (passed)"),
        Some(false) => format!("`{command}` (failed)"),
        None => format!("`{command}`"),
    });
    join_items(&told.collect::<Vec<_>>(), COMMANDS, ", ")
}

/// The beginning of the agent's last words, and whether the session broke off behind them.
fn describe_end(it: &EpisodeMaterial<'_>, closing: Option<usize>) -> Option<String> {
    let prose = |at: usize| it.turns[at].text.split("```").next();
    let said = closing.and_then(prose);
    let said = said.and_then(|it| clean_episode_text(it, END_CHARS));
    match (it.is_cut_off, said) {
        (false, said) => Some(format!("agent said: {}", said?)),
        (true, None) => Some(CUT_OFF.to_owned()),
        (true, Some(said)) => Some(format!("{CUT_OFF}; agent said before: {said}")),
    }
}

fn count_turns(it: &EpisodeMaterial<'_>, n_prompts: usize) -> String {
    format!("{n_prompts}, turns: {}", it.turns.len())
}
