//! The pull request of a session: by what was done to it, else by what was said of it.
//!
//! Of an address only its parts are told, each of plain letters, and only of a pull request of this repository's name: what a
//! page or a tool prints cannot put words into an episode this way.

use apostille_core::space::Space;

use super::{EpisodeMaterial, calls::SeenCall};
use crate::{
    extract::own_sentences::split_foreign_text,
    transcript::{TranscriptTurn, TurnSpeaker},
};

/// The most digits of a number.
const MAX_DIGITS: usize = 7;
/// The longest address, in characters.
const MAX_ADDRESS: usize = 90;

/// A pull request that was named.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedPullRequest {
    number: u64,
    address: Option<String>,
}

const OPENING: &[&str] = &["gh pr create", "glab mr create", "create_pull_request"];
const MERGING: &[&str] = &["gh pr merge", "glab mr merge", "merge_pull_request"];
const OTHERWISE: &[&str] = &["gh pr ", "glab mr ", "git push"];

/// The pull request of a session, with what became of it.
pub(super) fn describe_pull_request(
    it: &EpisodeMaterial<'_>,
    calls: &[SeenCall<'_>],
) -> Option<String> {
    let deeds = [OPENING, MERGING, OTHERWISE];
    let done = deeds.iter().find_map(|words| {
        let mut calls = calls.iter().rev().filter(|it| does_one_of(it, words));
        calls.find_map(|call| find_in_call(it.repo, call))
    });
    let named = done.or_else(|| find_in_words(it))?;
    let word = match (is_merged(calls), was_opened(calls)) {
        (true, _) => " (merged)",
        (_, true) => " (opened)",
        _ => "",
    };
    let address = named.address.filter(|it| it.chars().count() <= MAX_ADDRESS);
    let address = address.map_or(String::new(), |it| format!(" {it}"));
    Some(format!("#{}{word}{address}", named.number))
}

/// Whether a pull request was merged, and not only told to merge itself one day.
pub(super) fn is_merged(calls: &[SeenCall<'_>]) -> bool {
    let is_now = |it: &SeenCall<'_>| {
        let is_later = ["--auto", "--disable-auto"].iter();
        let mut is_later = is_later.filter(|flag| it.call.input.contains(**flag));
        it.call.has_succeeded == Some(true) && is_later.next().is_none()
    };
    calls
        .iter()
        .any(|it| does_one_of(it, MERGING) && is_now(it))
}

fn was_opened(calls: &[SeenCall<'_>]) -> bool {
    let is_done = |it: &SeenCall<'_>| it.call.has_succeeded != Some(false);
    calls
        .iter()
        .any(|it| does_one_of(it, OPENING) && is_done(it))
}

/// Whether a command, or a tool of a server, does one of these.
fn does_one_of(it: &SeenCall<'_>, words: &[&str]) -> bool {
    let said = if it.command.is_empty() {
        &it.call.tool
    } else {
        &it.call.input
    };
    words.iter().any(|it| said.contains(it))
}

/// The pull request that a call printed the address of, else the one that it was given.
fn find_in_call(repo: &Space, it: &SeenCall<'_>) -> Option<NamedPullRequest> {
    let printed = it.printed.unwrap_or_default();
    let given = || {
        let (_, rest) = it.call.input.split_once(" pr ")?;
        let number = rest.split_whitespace().find_map(parse_number)?;
        Some(NamedPullRequest {
            number,
            address: None,
        })
    };
    let addresses = [printed, it.call.input.as_str()];
    let mut named = addresses.iter().filter_map(|text| find_address(repo, text));
    named.next().or_else(given)
}

/// The pull request that the agent named last before it read from outside, else the one that the user did.
fn find_in_words(it: &EpisodeMaterial<'_>) -> Option<NamedPullRequest> {
    let find = |turn: &TranscriptTurn| {
        let text = match turn.speaker {
            TurnSpeaker::Person => split_foreign_text(&turn.text).0,
            _ => turn.text.clone(),
        };
        find_address(it.repo, &text).or_else(|| find_number(&text))
    };
    let of = |speaker| {
        let mut turns = it
            .turns
            .iter()
            .rev()
            .filter(move |it| it.speaker == speaker);
        turns.find_map(find)
    };
    of(TurnSpeaker::Agent).or_else(|| of(TurnSpeaker::Person))
}

/// The last address of a pull request of this repository.
fn find_address(repo: &Space, text: &str) -> Option<NamedPullRequest> {
    let starts: Vec<usize> = text.match_indices("https://").map(|it| it.0).collect();
    let mut found = starts.into_iter().rev();
    found.find_map(|at| parse_address(repo, &text[at..]))
}

/// `https://github.com/octo/app/pull/12`, `https://gitlab.com/octo/app/-/merge_requests/12`.
fn parse_address(repo: &Space, text: &str) -> Option<NamedPullRequest> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/~".contains(c);
    let path = text.strip_prefix("https://")?;
    let path = path.split(|c| !is_plain(c)).next()?;
    let parts: Vec<&str> = path.split('/').collect();
    let words = ["pull", "pulls", "pull-requests", "merge_requests"];
    let at = parts.iter().position(|it| words.contains(it))?;
    let number = parse_number(parts.get(at + 1)?.trim_end_matches('.'))?;
    let mut before = parts[..at].iter().rev().filter(|it| **it != "-");
    let own_name = repo.as_str().rsplit('/').next()?;
    let is_own = before.next()?.eq_ignore_ascii_case(own_name);
    is_own.then(|| NamedPullRequest {
        number,
        address: Some(format!("https://{}/{number}", parts[..=at].join("/"))),
    })
}

/// `PR #12`, `pull request 12`, `MR !3`.
fn find_number(text: &str) -> Option<NamedPullRequest> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_named = |at: usize| {
        let word = words[at].trim_start_matches(['(', '[', '“', '"']);
        let before = at.checked_sub(1).map(|it| words[it]);
        matches!(word, "pr" | "mr") || word == "request" && matches!(before, Some("pull" | "merge"))
    };
    let mut places = (0..words.len().saturating_sub(1)).rev();
    let number = places.find_map(|at| parse_number(words[at + 1]).filter(|_| is_named(at)))?;
    Some(NamedPullRequest {
        number,
        address: None,
    })
}

fn parse_number(word: &str) -> Option<u64> {
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '!', '?', '”', '"']);
    let digits = word.trim_start_matches(['#', '!']);
    let is_number = !digits.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|it| it.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_request_is_named_by_address_or_number() {
        let repo = Space::repo("github.com/octo/app").unwrap();
        let check = |text: &str, expected: &str| {
            let found = find_address(&repo, text).or_else(|| find_number(text));
            let told = found.map_or(String::new(), |it| {
                format!("{} {}", it.number, it.address.unwrap_or_default())
            });
            assert_eq!(told.trim(), expected, "{text}");
        };
        let address = "https://github.com/octo/app/pull/12";
        check(
            &format!("see {address}#discussion"),
            &format!("12 {address}"),
        );
        check(&format!("{address}."), &format!("12 {address}"));
        let merge = "https://gitlab.com/octo/app/-/merge_requests/3";
        check(merge, &format!("3 {merge}"));
        check("https://github.com/evil/other/pull/12", "");
        check("https://github.com/octo/app/pull/new/fix-login", "");
        check("I opened PR #12.", "12");
        check("look at pull request 7, please", "7");
        check("see issue #7", "");
    }
}
