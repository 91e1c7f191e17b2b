//! Failures that say nothing: searches that find nothing, probes, tests that are being written. And where a client does not
//! say how a command ended: whether its output alone says that it failed.

use crate::hook::shell::{is_listed, program_base_name};

use super::error_lines::{list_last_lines, normalize_words};

/// Programs that answer a question with their exit code.
const PROBES: &str = "grep egrep fgrep rg ag ack diff cmp test [ [[ which type command hash ls find fd pgrep pidof kill false \
    read expr stat";
/// Commands of git that do so.
const GIT_PROBES: &str =
    "diff grep merge-base rev-parse show-ref ls-files ls-remote check-ignore cat-file bisect";
/// Programs that show what a file says, which may tell of failures of others.
const READERS: &str = "cat bat head tail less more sed awk gawk jq yq echo printf xxd strings nl tac cut sort uniq wc column \
    journalctl dmesg history man";
/// Commands of git that show what was written.
const GIT_READERS: &str = "log show diff blame grep status stash reflog";
/// Programs that set the stage for the next one.
const STAGE: &str = "cd pushd popd export source . set true : sleep mkdir unset ulimit umask";
/// Programs that run tests.
const TEST_PROGRAMS: &str = "pytest py.test jest vitest mocha rspec phpunit ctest tox nox nextest ava karma playwright \
    cypress bats busted gotestsum tape";
/// Programs that run scripts of a repository: what they run is named in their words, and they are nothing themselves.
const RUNNERS: &str =
    "sh bash zsh dash ksh python python3 node ruby deno bun php perl uv poetry npx pnpx bunx";

/// What the end of an output has when a command failed, in many tools' own words.
const SAYS_FAILURE: &[&str] = &[
    "error:",
    "error[",
    "error ts",
    "fatal:",
    "npm err!",
    "npm error",
    "err_pnpm",
    "elifecycle",
    "traceback (most recent call last)",
    "panicked at",
    "command not found",
    "no such file or directory",
    "permission denied",
    "could not compile",
    "test result: failed",
    "build failed",
    "segmentation fault",
    "] error ",
    ": *** ",
    "syntaxerror",
    "assertionerror",
    "modulenotfounderror",
    "connection refused",
];
/// How many lines of the end are looked at for that.
const SAYING_LINES: usize = 12;

/// One command of a script: its words, the program first.
#[derive(Debug)]
pub(super) struct ScriptCommand(Vec<String>);

impl ScriptCommand {
    pub(super) fn new(words: Vec<String>) -> Self {
        Self(words)
    }

    pub(super) fn program(&self) -> &str {
        self.0.first().map_or("", |it| program_base_name(it))
    }

    fn arguments(&self) -> &[String] {
        self.0.get(1..).unwrap_or_default()
    }

    /// The program, unless it is a file of the repository: a script's own name tells something, `cargo` does not.
    pub(super) fn known_program(&self) -> Option<&str> {
        let is_script = self
            .0
            .first()
            .is_some_and(|it| it.contains('/') && !it.starts_with('/'));
        (!is_script).then(|| self.program())
    }

    /// The words that may be known elsewhere.
    pub(super) fn telling_words(&self) -> String {
        if self.is_stage_setting() {
            return String::new();
        }
        let program: Vec<&str> = self.known_program().into_iter().collect();
        normalize_words(&self.0.join(" "), &program)
    }

    fn is_stage_setting(&self) -> bool {
        is_listed(STAGE, self.program())
    }

    fn is_git(&self, commands: &str) -> bool {
        let mut words = self.arguments().iter().filter(|it| !it.starts_with('-'));
        self.program() == "git" && words.next().is_some_and(|it| is_listed(commands, it))
    }

    fn is_probe(&self) -> bool {
        // What is left of `command -v` is its option.
        is_listed(PROBES, self.program())
            || self.program().starts_with('-')
            || self.is_git(GIT_PROBES)
    }

    fn is_reader(&self) -> bool {
        is_listed(READERS, self.program()) || self.is_git(GIT_READERS)
    }

    fn is_test_run(&self) -> bool {
        let is_test_word = |it: &str| {
            let parts = it.split(['-', '_', ':', '.', '/']);
            let mut parts = parts.map(str::to_lowercase);
            parts.any(|it| matches!(&*it, "test" | "tests" | "unittest" | "spec" | "e2e"))
        };
        let is_script = self.known_program().is_none() || is_listed(RUNNERS, self.program());
        let own_name = self.program();
        is_listed(TEST_PROGRAMS, own_name)
            || is_script && is_test_word(own_name)
            || self.arguments().iter().take(4).any(|it| {
                let is_plain = !it.starts_with('-');
                is_plain && (is_test_word(it) || is_listed(TEST_PROGRAMS, it))
            })
    }
}

/// Whether a code says that somebody stopped the command: an interrupt, a kill, a pipe that nobody reads.
pub(super) fn is_ended_by_user(code: i32) -> bool {
    matches!(code, 129..=131 | 137 | 141 | 143)
}

/// Whether a command that ended with another code than 0 did what it was meant to.
pub(super) fn is_expected_failure(script: &str, commands: &[ScriptCommand], output: &str) -> bool {
    let ends_in_probe = commands.last().is_none_or(ScriptCommand::is_probe);
    let is_quiet = |it: &ScriptCommand| it.is_probe() || it.is_reader() || it.is_stage_setting();
    let is_all_quiet = commands.iter().all(is_quiet);
    let is_masked = is_failure_masked(script);
    is_masked || is_all_quiet || ends_in_probe && !has_failure_words(output)
}

/// Whether a script says that it does not matter how it ends.
fn is_failure_masked(script: &str) -> bool {
    let script: String = script.split_whitespace().collect::<Vec<_>>().join(" ");
    ["|| true", "|| :", "|| exit 0", "|| echo"]
        .iter()
        .any(|it| script.contains(it))
}

/// Whether the output of a command that ended nobody knows how says that it failed. One that shows what is written
/// somewhere says nothing of itself.
pub(super) fn says_failure(script: &str, commands: &[ScriptCommand], output: &str) -> bool {
    let is_silent = |it: &ScriptCommand| it.is_reader() || it.is_probe();
    let is_own_output = !commands.is_empty() && !commands.iter().any(is_silent);
    is_own_output && !is_failure_masked(script) && has_failure_words(output)
}

fn has_failure_words(output: &str) -> bool {
    let lines = list_last_lines(output);
    let last = lines.iter().rev().take(SAYING_LINES);
    let mut lower = last.map(|it| it.to_lowercase());
    lower.any(|line| SAYS_FAILURE.iter().any(|it| line.contains(it)))
}

/// Whether one of the commands runs tests.
pub(super) fn is_test_run(commands: &[ScriptCommand]) -> bool {
    commands.iter().any(ScriptCommand::is_test_run)
}

/// Whether a file holds tests, by its path.
#[must_use]
pub fn is_test_file(path: &str) -> bool {
    let is_test_folder = |it: &str| {
        matches!(
            it,
            "test" | "tests" | "__tests__" | "spec" | "specs" | "e2e" | "testdata"
        )
    };
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |it| it.0);
    let has_part = name
        .split(['.', '_', '-'])
        .any(|it| matches!(it, "test" | "tests" | "spec"));
    folders.split('/').any(is_test_folder)
        || has_part
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || stem.ends_with("Spec")
        || stem == "conftest"
}
