//! The model: off until its owner names it, and never a repository's choice. Nothing here calls one.

use crate::env::Env;

const FILE: &str = ".config/apostille/config.toml";

/// What `doctor` says about the model, with its sign.
fn health(env: &Env) -> String {
    let out = env.run(&["doctor"]).out;
    let line = out.lines().find(|it| it.contains("model")).unwrap();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn doctor_says_which_model_may_be_asked() {
    let mut env = Env::new();
    assert_eq!(health(&env), "✓ model off");
    env.beside(FILE, "[model]\nurl = \"https://example.com/v1/\"\n");
    assert_eq!(
        health(&env),
        "! model off: model.url is set and model.name is not"
    );
    env.beside(
        FILE,
        "[model]\nurl = \"https://example.com/v1/\"\nname = \"little\"\n",
    );
    assert_eq!(
        health(&env),
        "✓ model little at https://example.com/v1, without a key"
    );
    env.set("APOSTILLE_MODEL_KEY_ENV", "KEY_OF_ANA");
    assert_eq!(
        health(&env),
        "! model little at https://example.com/v1, key from KEY_OF_ANA, which is not set"
    );
    env.set("KEY_OF_ANA", "hunter2");
    let ran = env.run(&["doctor", "--json"]);
    assert!(
        ran.out
            .contains("little at https://example.com/v1, key from KEY_OF_ANA\""),
        "{ran}"
    );
    assert!(
        ran.code == 0 && !ran.to_string().contains("hunter2"),
        "{ran}"
    );
    assert!(!env.run(&["config"]).to_string().contains("hunter2"));
    env.set("APOSTILLE_MODEL_URL", "http://example.com/v1");
    assert_eq!(
        health(&env),
        "✗ model model.url begins with http://, and a key is sent over https only"
    );
    assert_eq!(env.run(&["doctor"]).code, 2);
}

#[cfg(not(feature = "embed"))]
#[test]
fn build_without_embeddings_says_so() {
    let env = Env::new();
    for command in [&["model", "pull", "minilm"][..], &["model", "embed"]] {
        let ran = env.run(command);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(
            ran.err.contains("this build cannot compute embeddings"),
            "{ran}"
        );
        assert!(ran.err.contains("--features embed"), "{ran}");
    }
}

#[test]
fn the_environment_beats_the_file() {
    let mut env = Env::new();
    env.beside(
        FILE,
        "model.name = \"little\"\nmodel.budget = 9\nmodel.api = \"anthropic\"\n",
    );
    env.set("APOSTILLE_MODEL_NAME", "large")
        .set("APOSTILLE_MODEL_TIMEOUT_MS", "500");
    let out = env.ok(&["config"]);
    let check = |key: &str, expected: &str| {
        let line = out.lines().find(|it| it.starts_with(key)).unwrap();
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert!(words.join(" ").starts_with(expected), "{line}");
    };
    check("model.url", "none default");
    check("model.name", "large environment");
    check("model.api", "anthropic user file");
    check("model.key_env", "none default");
    check("model.timeout_ms", "500 environment");
    check("model.budget", "9 user file");
}

#[test]
fn a_repository_does_not_choose_the_model() {
    let check = |text: &str| {
        let env = Env::new().trusting();
        env.write("apostille.toml", text);
        let ran = env.run(&["list"]);
        let expected = "a repository does not choose which model reads your sessions";
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}: {ran}");
    };
    check("[model]\nurl = \"https://evil.example.com\"\n");
    check("model.name = \"m\"\n");
    check("model.api = \"openai\"\n");
    check("model.key_env = \"GITHUB_TOKEN\"\n");
    check("model.timeout_ms = 1\n");
    check("model.budget = 1000000\n");
    let env = Env::new().trusting();
    env.write(
        "agent.json",
        r#"{"memory":{"model.url":"https://evil.example.com"}}"#,
    );
    assert!(env.run(&["list"]).err.contains("unknown key 'model.url'"));
}

#[test]
fn a_key_in_the_wrong_place_is_not_shown() {
    let key = ["sk-ant-", "api03-abcDEF0123456789abcDEF0123456789"].concat();
    let mut env = Env::new();
    let ran = env.set("APOSTILLE_MODEL_KEY_ENV", &key).run(&["doctor"]);
    assert!(
        ran.code == 2
            && ran
                .out
                .contains("expected the name of a variable that holds the key"),
        "{ran}"
    );
    assert!(!ran.to_string().contains(&key), "{ran}");
    let env = Env::new();
    env.beside(FILE, &format!("model.key_env = \"{key}\"\n"));
    let ran = env.run(&["list"]);
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("config.toml: line 1: model.key_env: expected the name"),
        "{ran}"
    );
    assert!(!ran.to_string().contains(&key), "{ran}");
}
