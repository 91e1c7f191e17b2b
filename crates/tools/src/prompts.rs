//! What a client can fetch as a prompt. The texts are fixed: the same name and arguments give the same text, so that
//! prompt caches survive.

use serde_json::{Map, Value};

use super::{layers, profile::Profile, verified};
use apostille_api::shorten::shorten_with_ellipsis;

/// How much of a task's title a heading takes, in characters.
const MAX_TITLE: usize = 120;

/// A prompt as clients are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it gives.
    pub about: &'static str,
    /// What it takes.
    pub arguments: &'static [PromptParameter],
}

/// An argument of a prompt: a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptParameter {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Whether there is no text without it.
    pub is_required: bool,
}

/// Why there is no such text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// There is no such prompt.
    #[error("there is no prompt '{name}'; there are: {known}")]
    NoSuchPrompt {
        /// As it was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The prompt does not take this argument.
    #[error("the prompt {prompt} takes no '{name}'; it takes {known}")]
    NoSuchArgument {
        /// Which prompt.
        prompt: &'static str,
        /// The argument as it was given.
        name: String,
        /// What it takes.
        known: String,
    },
    /// An argument is not a text.
    #[error("{name}: expected a text")]
    NotText {
        /// Which.
        name: &'static str,
    },
    /// An argument is missing.
    #[error("{name}: the prompt {prompt} needs it")]
    Missing {
        /// Which prompt.
        prompt: &'static str,
        /// Which argument.
        name: &'static str,
    },
}

/// The prompts there are.
pub fn list_known_prompts() -> Vec<Prompt> {
    vec![
        Prompt {
            name: "memory-rules",
            title: "Memory rules",
            about: "How to treat what is remembered: verify before use, correct what is wrong, keep what lasts.",
            arguments: &[],
        },
        Prompt {
            name: "memory-writing",
            title: "Writing memories",
            about: "What to record and what not, in which form, and what to do when the user corrects you.",
            arguments: &[],
        },
        Prompt {
            name: "session-notes",
            title: "Session notes",
            about: "A template for the notes of a long session, in five sections.",
            arguments: &[PromptParameter {
                name: "task",
                about: "What the session is about, for the heading",
                is_required: false,
            }],
        },
        Prompt {
            name: "promotion-checklist",
            title: "Promotion checklist",
            about: "Whether something learned in a task belongs into the repository's memory.",
            arguments: &[],
        },
    ]
}

/// The text of a prompt.
pub fn render_prompt(
    name: &str,
    arguments: &Map<String, Value>,
    profile: Profile,
) -> Result<String, PromptError> {
    let prompts = list_known_prompts();
    let Some(prompt) = prompts.iter().find(|it| it.name == name) else {
        let known = prompts
            .iter()
            .map(|it| it.name)
            .collect::<Vec<_>>()
            .join(", ");
        return Err(PromptError::NoSuchPrompt {
            name: shorten_to_line(name, 60),
            known,
        });
    };
    check_prompt_arguments(prompt, arguments)?;
    Ok(match prompt.name {
        "memory-rules" => render_memory_rules(profile),
        "memory-writing" => format!("# Writing memories\n\n{}{WRITING}", layers::RECORDING),
        "session-notes" => render_session_notes(arguments.get("task").and_then(Value::as_str)),
        _ => PROMOTION.to_owned(),
    })
}

/// Whether these are the arguments that a prompt takes. One that is null is one that was not given.
fn check_prompt_arguments(
    prompt: &Prompt,
    arguments: &Map<String, Value>,
) -> Result<(), PromptError> {
    let known: Vec<&str> = prompt.arguments.iter().map(|it| it.name).collect();
    if let Some(name) = arguments.keys().find(|it| !known.contains(&it.as_str())) {
        let known = if known.is_empty() {
            "no arguments".to_owned()
        } else {
            known.join(", ")
        };
        return Err(PromptError::NoSuchArgument {
            prompt: prompt.name,
            name: shorten_to_line(name, 60),
            known,
        });
    }
    for it in prompt.arguments {
        match arguments.get(it.name).unwrap_or(&Value::Null) {
            Value::String(_) => {}
            Value::Null if !it.is_required => {}
            Value::Null => {
                return Err(PromptError::Missing {
                    prompt: prompt.name,
                    name: it.name,
                });
            }
            _ => return Err(PromptError::NotText { name: it.name }),
        }
    }
    Ok(())
}

/// A text on one line, cut where it is too long.
fn shorten_to_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten_with_ellipsis(&line, most)
}

/// The rules, with the tools that there are: where the ten are not offered, five verbs do their work, or the set has rules of
/// its own.
fn render_memory_rules(profile: Profile) -> String {
    const VERBS: [(&str, &str); 5] = [
        ("using memory_read_citation", "with memory_verify"),
        (
            "memory_invalidate or memory_supersede with correction",
            "memory_revise it: invalidate, or correct",
        ),
        (
            "Call memory_refresh to update timestamp",
            "Call memory_revise with refresh to update its timestamp",
        ),
        (
            "Call memory_log_applied for telemetry",
            "Call memory_revise with apply, for telemetry",
        ),
        ("Either memory_revise", "memory_revise"),
    ];
    let ten = verified::GUIDANCE.to_owned();
    match profile {
        Profile::Verified | Profile::All => ten,
        Profile::Default => VERBS
            .iter()
            .fold(ten, |text, (ten, five)| text.replace(ten, five)),
        // These show what is kept by themselves, and cite nothing that could be verified.
        Profile::Simple | Profile::Layers | Profile::Files => profile.instructions().to_owned(),
    }
}

const WRITING: &str = "
One memory is one fact in one or two sentences that can be understood alone, at most 500 characters.
- Write what is so, with names and values as they stand in the code; say why it matters if that is not plain.
- Never record secrets or tokens, and nothing that stands in a file or in git anyway.
- Search first. If something much like it is known, update that memory; do not write a second one.
- If what you wrote turns out wrong, correct it at once: a wrong memory misleads every later session.
";

fn render_session_notes(task: Option<&str>) -> String {
    let task = task
        .map(|it| shorten_to_line(it, MAX_TITLE))
        .filter(|it| !it.is_empty());
    let heading = task.map_or_else(
        || "Session notes".to_owned(),
        |it| format!("Session notes: {it}"),
    );
    format!("# {heading}\n{SECTIONS}")
}

const SECTIONS: &str = "
These notes are scratch for this session. Rewrite them, do not only append; they are cleared when it ends.

## Current State
What is being done now, the next step, open questions and blockers.

## Files and Functions
The places that matter, as path:line, and why each does.

## Errors & Corrections
What went wrong and what was done about it; what the user corrected. Tried and failed: do not try again.

## Key Results
What is established, with the command or the place that shows it.

## Worklog
One line for each step, the newest last.
";

const PROMOTION: &str = "\
# Promotion checklist

Take one candidate at a time. It is promoted only if every answer of the first part is yes.

## Is it worth keeping?
1. Durable: will it still be so in some months, after this task is forgotten?
2. Independently actionable: can somebody act on it who has read nothing else?
3. Unlikely to change: is it a rule, a convention, a decision, rather than a state?
4. Not derivable: would reading the code or asking git not tell it just as well?
5. Proven: does it cite the lines that show it, and did you read them just now?
6. Classified: is it exactly one of
   - user: a preference or way of working of a person
   - feedback: a past mistake or correction that must be respected
   - project: a decision, the structure, an established convention
   - reference: a verified command, a configuration value, a build instruction

## Never promote
- derivable code state: whatever can be read from the repository again
- git history: commit messages, branch names, merges
- ephemeral task state: progress, notes of one turn, output of tools
- secrets, and text from outside that nobody here vouches for

## Five fields, all required
- subject: the topic in a few words
- fact: one or two sentences
- citations: path and lines of each place that proves it (user and feedback may have none)
- reason: why a later task will need it
- kind: user, feedback, project or reference

## Then
Recall first. If it is known, leave it or revise the known one; if not, remember it. If any answer was no, leave it \
in the task's notes.
";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_checked() {
        const ARGUMENTS: &[PromptParameter] = &[PromptParameter {
            name: "a",
            about: "",
            is_required: true,
        }];
        let prompt = Prompt {
            name: "p",
            title: "",
            about: "",
            arguments: ARGUMENTS,
        };
        let test = |arguments: Value, expected: &str| {
            let Value::Object(arguments) = arguments else {
                panic!("not an object")
            };
            let told = check_prompt_arguments(&prompt, &arguments)
                .err()
                .map(|it| it.to_string())
                .unwrap_or_default();
            assert_eq!(told, expected);
        };
        test(json!({"a": "x"}), "");
        test(json!({}), "a: the prompt p needs it");
        test(json!({"a": null}), "a: the prompt p needs it");
        test(json!({"a": 1}), "a: expected a text");
        test(
            json!({"a": "x", "b": "y"}),
            "the prompt p takes no 'b'; it takes a",
        );
    }
}
