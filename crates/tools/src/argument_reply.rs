//! The answer to a call whose arguments are not what its tool takes, in one form for all sets.
//!
//! It is a result and not an error of the protocol: clients show a model the one and keep the other to themselves, and only
//! the model can call again with better arguments.

use apostille_api::wire::{ArgumentError, shorten_echo};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ToolAnswer, tool::Tool};

/// How many unknown names are repeated.
const MAX_UNKNOWN: usize = 5;
/// Taken with every call, whether its tool tells of them or not.
const ALWAYS_TAKEN: [&str; 3] = ["tainted", "ignore_memory", "repo"];

#[derive(Serialize)]
struct ArgumentReply {
    ok: bool,
    class: &'static str,
    error: String,
    next: String,
}

/// Says what is wrong with the arguments of a call, names those that the tool does not know, and shows a call that works.
#[must_use]
pub fn answer_wrong_arguments(tool: &Tool, given: &Value, error: &ArgumentError) -> ToolAnswer {
    let reply = ArgumentReply {
        ok: false,
        class: "arguments",
        error: format!("{error}{}", name_unknown_arguments(tool, given)),
        next: suggest_next_call(tool),
    };
    ToolAnswer::new_refusal(&reply).unwrap_or_else(|_| ToolAnswer::new_plain_refusal(reply.error))
}

fn name_unknown_arguments(tool: &Tool, given: &Value) -> String {
    let known = tool.input["properties"].as_object();
    let is_known =
        |name: &str| ALWAYS_TAKEN.contains(&name) || known.is_some_and(|it| it.contains_key(name));
    let given = given.as_object().into_iter().flat_map(Map::keys);
    let unknown: Vec<String> = given
        .filter(|it| !is_known(it))
        .take(MAX_UNKNOWN)
        .map(|it| format!("'{}'", shorten_echo(it)))
        .collect();
    match unknown.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} is not an argument of {}", tool.name),
        several => format!(
            "; {} are not arguments of {}",
            several.join(", "),
            tool.name
        ),
    }
}

fn suggest_next_call(tool: &Tool) -> String {
    let names = tool.input["properties"].as_object();
    let names: Vec<&str> = names
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let example = &tool.input["examples"][0];
    format!(
        "call {} again, as in {} {example}; its arguments are: {}",
        tool.name,
        tool.name,
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use serde_json::json;

    fn read_reply(profile: Profile, tool: &str, given: Value) -> Value {
        let tool = profile.find_tool(tool).unwrap();
        let error = ArgumentError::new_missing("fact");
        let answer = answer_wrong_arguments(tool, &given, &error);
        assert!(answer.is_refusal && answer.is_json);
        serde_json::from_str(&answer.text).unwrap()
    }

    #[test]
    fn unknown_argument_is_named() {
        let check = |given: Value, expected: &str| {
            let reply = read_reply(Profile::Default, "memory_remember", given);
            assert_eq!(reply["error"], expected);
        };
        check(json!({}), "fact: it is required");
        check(
            json!({"tainted": true, "repo": "a/b"}),
            "fact: it is required",
        );
        check(
            json!({"text": "x"}),
            "fact: it is required; 'text' is not an argument of memory_remember",
        );
        check(
            json!({"text": "x", "body\u{1b}[2J": 1}),
            "fact: it is required; 'text', 'body[2J' are not arguments of memory_remember",
        );
        check(json!([1]), "fact: it is required");
    }

    #[test]
    fn every_tool_of_every_set_says_what_to_do_next() {
        for profile in Profile::ALL {
            for name in profile.tool_names() {
                let reply = read_reply(*profile, name, json!({"__proto__": {}}));
                let (error, next) = (reply["error"].as_str(), reply["next"].as_str());
                assert!(
                    error.is_some_and(|it| it.contains("'__proto__'")),
                    "{name}: {reply}"
                );
                let start = format!("call {name} again, as in {name} {{");
                assert!(
                    next.is_some_and(|it| it.starts_with(&start)),
                    "{name}: {reply}"
                );
                assert_eq!(
                    (&reply["ok"], &reply["class"]),
                    (&json!(false), &json!("arguments"))
                );
            }
        }
    }
}
