//! What an agent cannot reach: decisions through a schema, a person's words through a dialogue, and a queue without end.

use serde_json::{Value, json};

use crate::{
    env::Env,
    mcp::{Era, Talk},
};

/// Every word of every schema that an agent is offered.
fn list_schema_words(env: &Env) -> Vec<String> {
    let arguments = ["--profile", "all"];
    let mut talk = Talk::new(env, &env.repo(), &arguments, Era::Modern, json!({}));
    let listed = talk.request("tools/list", json!({}));
    let mut words = Vec::new();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        words.push(tool["name"].as_str().unwrap().to_owned());
        collect_offered_words(&tool["inputSchema"], &mut words);
    }
    words
}

/// The names of arguments and the values that they may have.
fn collect_offered_words(schema: &Value, words: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                if key == "properties" {
                    words.extend(value.as_object().unwrap().keys().cloned());
                }
                if matches!(key.as_str(), "enum" | "const") {
                    words.push(value.to_string());
                }
                collect_offered_words(value, words);
            }
        }
        Value::Array(all) => all.iter().for_each(|it| collect_offered_words(it, words)),
        _ => {}
    }
}

#[test]
fn schemas_offer_no_persons_decision() {
    let words = list_schema_words(&Env::new());
    assert!(words.len() > 40, "{words:?}");
    for word in &words {
        for decision in [
            "approve",
            "reject",
            "reconsider",
            "rollback",
            "agreed",
            "force",
        ] {
            assert!(!word.contains(decision), "{word}");
        }
    }
}

/// What is only proposed counts, too: a queue that nobody can read to its end hides what is in it.
#[test]
fn agent_that_piles_up_proposals_meets_a_breaker() {
    let mut env = Env::new();
    env.set("APOSTILLE_BREAKERS_BURST", "3");
    let mut talk = Talk::here(&env, Era::Modern);
    for fact in [
        "The user prefers tabs in makefiles",
        "The user reviews on Fridays",
        "The user likes long names",
        "The user wants small commits",
    ] {
        let (told, is_refused) =
            talk.call("memory_remember", json!({"fact": fact, "kind": "user"}));
        assert!(!is_refused, "{told}");
    }
    assert!(talk.end());
    assert_eq!(env.run(&["recall", "tabs"]).code, 1, "nothing is in use");
    let open = env.ok(&["breaker"]);
    assert!(open.contains("burst"), "{open}");
}

#[test]
fn kind_user_goes_into_the_users_space_alike() {
    let fact = "The user prefers tabs in makefiles";
    let by_cli = Env::new();
    by_cli.ok(&["remember", "--kind", "user", fact]);
    let by_mcp = Env::new();
    let mut talk = Talk::here(&by_mcp, Era::Modern);
    talk.call("memory_remember", json!({"fact": fact, "kind": "user"}));
    assert!(talk.end());
    for env in [by_cli, by_mcp] {
        let told: Value = serde_json::from_str(&env.ok(&["show", "u-1", "--json"])).unwrap();
        assert_eq!(told["memory"]["space"], "users/ana", "{told}");
    }
}

/// An agent has a terminal too; what it answers there is not a person's word.
#[cfg(target_os = "linux")]
#[test]
fn fix_in_an_agents_terminal_is_not_a_persons_word() {
    let check = |is_agent: bool, typed: &str, expected: &str| {
        let mut env = Env::new();
        let fact = "uploads are limited to 10 MB by MAX_UPLOAD";
        env.stated(&["remember", "--cite", "src/limits.rs:3", fact]);
        env.live_on();
        env.commit();
        if is_agent {
            env.set("CLAUDECODE", "1");
        }
        let ran = env.at_terminal(&["verify", "--fix"], typed);
        let told: Value = serde_json::from_str(&env.ok(&["show", "m-1", "--json"])).unwrap();
        assert_eq!(told["memory"]["status"], expected, "{typed:?} {ran}");
    };
    check(true, "d\n", "active");
    check(true, "y\n", "active");
    check(false, "d\n", "invalid");
    check(false, "y\n", "superseded");
}
