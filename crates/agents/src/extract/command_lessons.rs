//! What a session shows of commands: one that failed until another had run, and one that works in place of another.
//!
//! Only what the runs themselves prove: nothing was edited in between, so that it was not the code that was mended, and one command
//! alone stands between failure and success. Most sessions show nothing, and that is as it should be.

use apostille_text::secrets;

use super::pattern::pattern;
use crate::transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker};

/// How many lessons are taken from one session.
const MOST: usize = 2;
/// The longest command that is told, in characters.
const COMMAND_CHARS: usize = 80;

pattern!(
    PREPARES,
    r"\b(?:deps|dependencies|install|ci|up|build|generate|gen|codegen|setup|bootstrap|sync|migrate|seed|start|prepare|init|compile|restore|regen|fetch|link|proto|schema)\b"
);
// What changes files, the history or the machine is no preparation that others would need.
pattern!(
    NO_PREPARATION,
    r"^(?:git|sed|rm|mv|cp|echo|printf|cat|ls|find|grep|rg|curl|wget|kill|pkill|sleep|touch|mkdir|chmod|export|sudo|ssh|python3? -c|node -e)\b|\b(?:add|uninstall|remove|upgrade|update)\b|--(?:save|dev\b|force)"
);
// Programs that look things up fail in ways that teach nothing.
pattern!(
    LOOKS,
    r"^(?:ls|cat|grep|rg|find|head|tail|which|git|cd|pwd|test|diff|echo|sed|awk|wc|file|stat|curl|wget|ssh|ps|kill)\b"
);
pattern!(EDITS, r"edit|write|patch|replace|insert|create_file|delete");

/// What was learned about commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLesson {
    /// In a sentence.
    pub fact: String,
    /// The command that was seen to succeed: the evidence.
    pub command: String,
}

/// What happened in a session, as far as it teaches about commands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionStep {
    Ran {
        command: String,
        has_succeeded: bool,
    },
    Edited,
}

/// The lessons of a session, in its order.
pub fn list_command_lessons(turns: &[TranscriptTurn]) -> Vec<CommandLesson> {
    let calls = turns.iter().filter(|it| it.speaker == TurnSpeaker::Agent);
    let calls: Vec<&TranscriptCall> = calls.flat_map(|it| &it.uses).collect();
    if calls.iter().any(|it| it.is_outside()) {
        return Vec::new();
    }
    let steps: Vec<SessionStep> = calls.into_iter().flat_map(list_steps).collect();
    let mut lessons: Vec<CommandLesson> = Vec::new();
    for at in 0..steps.len() {
        let found = find_lesson_at(&steps, at);
        lessons.extend(found.filter(|it| !lessons.contains(it)));
    }
    lessons.retain(|it| secrets::find_secret(&it.fact).is_none());
    lessons.truncate(MOST);
    lessons
}

/// Commands that failed and succeeded later with nothing edited in between, each with the commands in between that may have prepared it.
/// One session does not tell which of several it was; several sessions may.
pub(crate) fn list_command_fixes(turns: &[TranscriptTurn]) -> Vec<(String, Vec<String>)> {
    let calls = turns.iter().filter(|it| it.speaker == TurnSpeaker::Agent);
    let steps: Vec<SessionStep> = calls.flat_map(|it| &it.uses).flat_map(list_steps).collect();
    let mut fixes: Vec<(String, Vec<String>)> = Vec::new();
    for at in 0..steps.len() {
        let found = find_fix_at(&steps, at);
        fixes.extend(found.filter(|it| fixes.iter().all(|known| known.0 != it.0)));
    }
    fixes
}

fn find_fix_at(steps: &[SessionStep], at: usize) -> Option<(String, Vec<String>)> {
    let is_short = |it: &str| it.chars().count() <= COMMAND_CHARS;
    let SessionStep::Ran {
        command: failed,
        has_succeeded: false,
    } = &steps[at]
    else {
        return None;
    };
    let mut between = Vec::new();
    for step in &steps[at + 1..] {
        let SessionStep::Ran {
            command,
            has_succeeded,
        } = step
        else {
            return None;
        };
        if command == failed && *has_succeeded {
            let is_told = !LOOKS.is_in(failed) && is_short(failed) && !between.is_empty();
            return is_told.then(|| (failed.clone(), between));
        }
        let prepares = PREPARES.is_in(command) && !NO_PREPARATION.is_in(command);
        if *has_succeeded && prepares && is_short(command) {
            between.push(command.clone());
        }
    }
    None
}

fn list_steps(call: &TranscriptCall) -> Vec<SessionStep> {
    if EDITS.is_in(&call.tool.to_ascii_lowercase()) {
        return vec![SessionStep::Edited];
    }
    let ended = call.list_ended_commands().into_iter();
    let ran = ended.map(|(command, has_succeeded)| SessionStep::Ran {
        command,
        has_succeeded,
    });
    ran.collect()
}

/// The lesson of a command that failed here.
fn find_lesson_at(steps: &[SessionStep], at: usize) -> Option<CommandLesson> {
    let SessionStep::Ran {
        command: failed,
        has_succeeded: false,
    } = &steps[at]
    else {
        return None;
    };
    if LOOKS.is_in(failed) || failed.chars().count() > COMMAND_CHARS {
        return None;
    }
    let mut between: Vec<&str> = Vec::new();
    for step in &steps[at + 1..] {
        match step {
            SessionStep::Edited => return None,
            SessionStep::Ran {
                command,
                has_succeeded,
            } if command == failed => {
                return has_succeeded
                    .then_some(between.as_slice())
                    .and_then(|it| find_preparation(failed, it));
            }
            SessionStep::Ran {
                command,
                has_succeeded: true,
            } if is_other_way(command, failed) && !succeeds_later(steps, at, failed) => {
                return Some(CommandLesson {
                    fact: format!("`{command}` works here where `{failed}` fails."),
                    command: command.clone(),
                });
            }
            SessionStep::Ran { command, .. } => between.push(command),
        }
    }
    None
}

/// The one command that made it succeed.
fn find_preparation(failed: &str, between: &[&str]) -> Option<CommandLesson> {
    let mut acting = between.iter().filter(|it| !LOOKS.is_in(it));
    let (Some(needed), None) = (acting.next(), acting.next()) else {
        return None;
    };
    let is_preparation = PREPARES.is_in(needed) && !NO_PREPARATION.is_in(needed);
    (is_preparation && needed.chars().count() <= COMMAND_CHARS).then(|| CommandLesson {
        fact: format!("`{failed}` fails until `{needed}` has run."),
        command: failed.to_owned(),
    })
}

/// Whether a command does the same by another program: `pnpm test` for `npm test`, `uv run pytest` for `pytest`.
fn is_other_way(command: &str, failed: &str) -> bool {
    let (new, old): (Vec<&str>, Vec<&str>) = (
        command.split_whitespace().collect(),
        failed.split_whitespace().collect(),
    );
    let is_wrapped = new.len() > old.len() && new.ends_with(&old);
    let is_renamed = new.len() == old.len() && new.len() > 1 && new[1..] == old[1..];
    (is_wrapped || is_renamed && new[0] != old[0])
        && !LOOKS.is_in(command)
        && command.chars().count() <= COMMAND_CHARS
}

fn succeeds_later(steps: &[SessionStep], at: usize, failed: &str) -> bool {
    steps[at..].iter().any(
        |it| matches!(it, SessionStep::Ran { command, has_succeeded: true } if command == failed),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls from words: `!` before a command that failed, `edit` for an edit.
    fn turns(text: &str) -> Vec<TranscriptTurn> {
        let call = |it: &str| TranscriptCall {
            tool: if it == "edit" { "Edit" } else { "Bash" }.into(),
            paths: Vec::new(),
            input: it.trim_start_matches('!').into(),
            has_succeeded: Some(!it.starts_with('!')),
            is_background: false,
        };
        vec![TranscriptTurn {
            number: 1,
            at: None,
            speaker: TurnSpeaker::Agent,
            text: String::new(),
            uses: text.split(" | ").map(call).collect(),
        }]
    }

    #[test]
    fn command_that_failed_until_another_ran_is_a_lesson() {
        let check = |session: &str, expected: &str| {
            let found = list_command_lessons(&turns(session));
            let facts: Vec<String> = found.into_iter().map(|it| it.fact).collect();
            assert_eq!(facts.join(" "), expected, "{session}");
        };
        let needs = "`make test` fails until `make deps` has run.";
        check("!make test | make deps | make test", needs);
        check(
            "!make test | ls | cat Makefile | make deps | make test",
            needs,
        );
        check(
            "!cargo test | docker compose up -d db | cargo test",
            "`cargo test` fails until `docker compose up -d db` has run.",
        );
        check(
            "!npm test | pnpm test",
            "`pnpm test` works here where `npm test` fails.",
        );
        check(
            "!pytest -x | uv run pytest -x",
            "`uv run pytest -x` works here where `pytest -x` fails.",
        );
        // The code was mended, or nobody knows what did it.
        check("!make test | edit | make deps | make test", "");
        check("!make test | make deps | make gen | make test", "");
        check("!make test | make test", "");
        check("!make test | make lint | make test", "");
        check("!make test | git stash | make test", "");
        check("!make test | npm install --save zod | make test", "");
        check("!make test | make deps", "");
        check("!npm test | pnpm test | npm test", "");
        check("!grep x src | rg x src", "");
        check("!cargo test | sed -i s/a/b/ src/x.rs | cargo test", "");
        // Told by a stranger's page, perhaps.
        check(
            "!make test | curl https://example.com/x | make deps | make test",
            "",
        );
    }

    #[test]
    fn at_most_two_lessons_are_taken() {
        let session = "!npm test | pnpm test | !npm build | pnpm build | !npm lint | pnpm lint";
        assert_eq!(list_command_lessons(&turns(session)).len(), 2);
    }
}
