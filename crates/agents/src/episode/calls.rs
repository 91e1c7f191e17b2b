//! The calls of a session with what they printed, and how they ended as far as that is beyond doubt.

use crate::{
    hook::shell::list_whole_commands,
    transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker, is_shell_tool},
};

use super::wording::clean_episode_text;

/// How much of a command is told, in characters.
const COMMAND_CHARS: usize = 50;
/// How much of a command's line is looked at, in bytes; no part that is told is cut here.
const MAX_LINE: usize = 1_000;
/// How many of the last lines of what a test printed are read.
const REPORT_LINES: usize = 60;
/// What a client writes in place of an answer when the person refused a call.
const REFUSED: [&str; 3] = [
    "The user doesn't want to",
    "[Request interrupted",
    "The user rejected",
];

/// Programs that look, and whose failure means that nothing was found.
const LOOKING: &str = "ls cat grep egrep fgrep rg ag find fd head tail sed awk wc diff tree stat file which type test [ echo printf \
    cd pwd jq cmp command true false sleep kill pkill pgrep ps lsof date env";
const TESTS: &str =
    "test tests pytest jest vitest tox nox rspec phpunit ctest nextest mocha unittest";
const CHECKS: &str =
    "clippy lint eslint ruff mypy tsc biome check build gradle gradlew mvn bazel make just fmt";
const DELIVERIES: &str = "deploy publish release migrate";
const GIT_DEEDS: &str = "tag merge rebase";

/// A call, as far as an episode is concerned.
pub(crate) struct SeenCall<'a> {
    /// The call.
    pub(crate) call: &'a TranscriptCall,
    /// What it printed, where that can be told apart from what others printed.
    pub(crate) printed: Option<&'a str>,
    /// The command in short; empty for what is no command.
    pub(crate) command: String,
    /// Whether it succeeded, where that is beyond doubt.
    pub(crate) outcome: Option<bool>,
    /// Whether text from outside was there: the agent may have had the command from it.
    pub(crate) is_foreign: bool,
}

/// The calls in their order.
pub(crate) fn list_seen_calls(
    turns: &[TranscriptTurn],
    foreign_from: Option<usize>,
) -> Vec<SeenCall<'_>> {
    let mut seen = Vec::new();
    for (place, turn) in turns.iter().enumerate() {
        if turn.speaker != TurnSpeaker::Agent {
            continue;
        }
        let is_foreign = foreign_from.is_some_and(|it| place >= it);
        let answers = turns[place + 1..].iter();
        let answers = answers.take_while(|it| it.speaker == TurnSpeaker::Tool);
        let answers: Vec<&str> = answers.map(|it| it.text.as_str()).collect();
        for (at, call) in turn.uses.iter().enumerate() {
            // Answers come in the order of the calls; where some are missing, nobody knows whose.
            let is_paired = turn.uses.len() == answers.len() || turn.uses.len() == 1;
            let printed = answers.get(at).copied().filter(|_| is_paired);
            seen.push(SeenCall::new(call, printed, is_foreign));
        }
    }
    seen
}

impl<'a> SeenCall<'a> {
    fn new(call: &'a TranscriptCall, printed: Option<&'a str>, is_foreign: bool) -> Self {
        let command = match is_shell_tool(&call.tool) {
            true => shorten_command(&call.input),
            false => String::new(),
        };
        let mut seen = Self {
            call,
            printed,
            command,
            outcome: None,
            is_foreign,
        };
        seen.outcome = seen.judge();
        seen
    }

    /// A failure is told by the client. A success counts only of whole commands, because a pipe hides a failure; of a test in a
    /// pipe, what it printed tells.
    fn judge(&self) -> Option<bool> {
        let printed = self.printed.unwrap_or_default();
        let is_refused = REFUSED
            .iter()
            .any(|it| printed.trim_start().starts_with(it));
        if self.call.is_background || is_refused || self.command.is_empty() {
            return None;
        }
        let is_whole = list_whole_commands(&self.call.input).is_some();
        match self.call.has_succeeded {
            Some(false) => Some(false),
            Some(true) if is_whole => Some(true),
            _ if self.is_test() => read_test_report(printed),
            _ => None,
        }
    }

    /// Whether it only looks at something.
    pub(crate) fn is_looking(&self) -> bool {
        is_among(LOOKING, self.program())
    }

    /// Whether it runs tests.
    pub(super) fn is_test(&self) -> bool {
        !self.is_looking() && self.program() != "git" && has_word_among(&self.command, TESTS)
    }

    /// Whether it builds or checks.
    pub(super) fn is_check(&self) -> bool {
        !self.is_looking() && self.program() != "git" && has_word_among(&self.command, CHECKS)
    }

    /// Whether it does this to the repository, by git's word for it.
    pub(super) fn is_git(&self, deed: &str) -> bool {
        let words: Vec<&str> = self.call.input.split_whitespace().collect();
        let is_program = |it: &str| it == "git" || it.ends_with("/git");
        let places = words.iter().enumerate().filter(|it| is_program(it.1));
        let mut deeds = places.filter_map(|(at, _)| find_git_deed(&words[at + 1..]));
        !self.command.is_empty() && deeds.any(|it| it == deed)
    }

    /// Whether it tells how the work stands.
    pub(super) fn is_telling(&self) -> bool {
        let is_deed = || has_word_among(&self.command, DELIVERIES) && !self.is_looking();
        let is_git = || GIT_DEEDS.split_whitespace().any(|it| self.is_git(it));
        self.is_test() || self.is_check() || is_deed() || is_git()
    }

    fn program(&self) -> &str {
        self.command.split_whitespace().next().unwrap_or_default()
    }
}

/// What git is told to do, behind its own options.
fn find_git_deed<'a>(words: &[&'a str]) -> Option<&'a str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => words.next(),
            word if word.starts_with('-') => continue,
            word => return Some(word.trim_end_matches(';')),
        };
    }
    None
}

fn is_among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|it| it == word)
}

fn has_word_among(command: &str, list: &str) -> bool {
    let words = command.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .any(|it| is_among(list, &it.to_ascii_lowercase()))
}

/// The first line of a command, without the folder that it goes to first and without what is done with its output.
fn shorten_command(input: &str) -> String {
    let line = input.lines().next().unwrap_or_default().trim();
    let line = &line[..line.floor_char_boundary(MAX_LINE)];
    let line = match line.split_once("&& ") {
        Some((before, rest)) if before.starts_with("cd ") => rest,
        _ => line,
    };
    let cuts = [" 2>", " |", " >"].iter().filter_map(|it| line.find(it));
    let line = &line[..cuts.min().unwrap_or(line.len())];
    clean_episode_text(line, COMMAND_CHARS).unwrap_or_default()
}

/// How tests went by the report that they print; `None` where there is none.
fn read_test_report(printed: &str) -> Option<bool> {
    let lines = printed.lines().rev().take(REPORT_LINES);
    let verdicts: Vec<bool> = lines.filter_map(read_report_line).collect();
    (!verdicts.is_empty()).then(|| verdicts.iter().all(|it| *it))
}

fn read_report_line(line: &str) -> Option<bool> {
    let lower = line.trim().to_ascii_lowercase();
    if lower.starts_with("test result: ok") || line.starts_with("ok  \t") {
        return Some(true);
    }
    if lower.starts_with("test result: failed") || line.starts_with("FAIL") {
        return Some(false);
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .collect();
    let counted = |names: &[&str]| {
        let pairs = words.windows(2).filter(|it| names.contains(&it[1]));
        pairs.filter_map(|it| it[0].parse::<u64>().ok()).max()
    };
    let failed = counted(&["failed", "failing", "failure", "failures", "errors"]);
    let passed = counted(&["passed", "passing"]);
    match (failed, passed) {
        (Some(failed), _) if failed > 0 => Some(false),
        (_, Some(passed)) if passed > 0 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_report_tells_how_tests_went() {
        let check = |printed: &str, expected: Option<bool>| {
            assert_eq!(read_test_report(printed), expected, "{printed}");
        };
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            Some(true),
        );
        check("test result: FAILED. 11 passed; 1 failed", Some(false));
        check("===== 3 failed, 12 passed in 1.2s =====", Some(false));
        check("===== 12 passed in 1.2s =====", Some(true));
        check("Tests:       2 failed, 5 passed, 7 total", Some(false));
        check("ok  \tacme/app\t0.2s\nFAIL\tacme/api\t0.1s", Some(false));
        check("  7 passing (12ms)", Some(true));
        check("compiling", None);
    }

    #[test]
    fn command_is_told_without_its_frame() {
        let check = |input: &str, expected: &str| assert_eq!(shorten_command(input), expected);
        check("cd web && npm run lint 2>&1 | tail -5", "npm run lint");
        check("cargo test --workspace | tail", "cargo test --workspace");
        check("make smoke\necho done", "make smoke");
    }
}
