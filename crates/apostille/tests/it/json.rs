//! The shapes that docs/json.md promises.

use serde_json::Value;

use crate::env::Env;

fn json(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.run(&[&["--json"], arguments].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran}"))
}

/// The names and types of a value, to any depth; lists by their first element.
fn shape(value: &Value, indent: usize) -> String {
    match value {
        Value::Object(map) => map.iter().fold(String::new(), |out, (key, value)| {
            let below = shape(value, indent + 2);
            let gap = if value.is_object() || value.is_array() {
                "\n"
            } else {
                " "
            };
            format!(
                "{out}{:indent$}{key}:{gap}{}",
                "",
                if gap == " " {
                    below.trim_start()
                } else {
                    &below
                }
            )
        }),
        Value::Array(list) => match list.first() {
            Some(first) if first.is_object() => {
                format!("{:indent$}[]\n{}", "", shape(first, indent + 2))
            }
            Some(first) => format!("{:indent$}[] of {}", "", shape(first, 0)),
            None => format!("{:indent$}[] empty\n", ""),
        },
        Value::String(_) => "text\n".into(),
        Value::Number(_) => "number\n".into(),
        Value::Bool(it) => format!("{it}\n"),
        Value::Null => "null\n".into(),
    }
}

#[test]
fn every_answer_has_its_shape() {
    let env = Env::new();
    let mut out = String::new();
    let mut tell = |env: &Env, arguments: &[&str]| {
        out += &format!(
            "$ {}\n{}\n",
            arguments.join(" "),
            shape(&json(env, arguments), 2)
        );
    };
    tell(
        &env,
        &[
            "remember",
            "--subject",
            "API",
            "--cite",
            "src/api.rs:3",
            "--tag",
            "t",
            "API_VERSION must equal the client's",
        ],
    );
    tell(
        &env,
        &[
            "remember",
            "--cite",
            "src/limits.rs:3",
            "uploads are limited to 10 MB by MAX_UPLOAD",
        ],
    );
    tell(&env, &["remember", "--layer", "identity", "Ana, backend"]);
    env.stated(&["remember", "--user", "drinks tea in the morning"]);
    tell(&env, &["remember", "no citation here"]);
    env.live_on();
    tell(&env, &["recall", "API version and uploads"]);
    tell(&env, &["verify"]);
    tell(&env, &["list"]);
    tell(&env, &["show", "m-1"]);
    tell(&env, &["refresh", "m-1"]);
    tell(&env, &["stats"]);
    tell(&env, &["log", "--limit", "1"]);
    tell(&env, &["config"]);
    tell(&env, &["config", "path"]);
    tell(&env, &["doctor"]);
    tell(&env, &["trust"]);
    tell(&env, &["trust", "--list"]);
    tell(&env, &["export"]);
    tell(&env, &["forget", "m-1"]);
    tell(&env, &["show", "m-1"]);
    tell(&env, &["list", "--store", "what"]);
    tell(&env, &["list", "--lmit", "3"]);
    insta::assert_snapshot!("shapes", out);
}

#[test]
fn version_names_the_build() {
    let env = Env::new();
    let build = json(&env, &["--version"]);
    assert_eq!(build["ok"], true);
    assert_eq!(build["version"], env!("CARGO_PKG_VERSION"));
    let features: Vec<&str> = [cfg!(feature = "embed").then_some("embed")]
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(build["features"], serde_json::json!(features));
    let profile = build["profile"].as_str().unwrap();
    assert!(env!("CARGO_BIN_EXE_apostille").contains(profile), "{build}");
    assert!(build["target"].as_str().unwrap().contains('-'), "{build}");
    let commit = build.get("commit").unwrap();
    assert!(
        commit.is_null() || commit.as_str().unwrap().len() >= 40,
        "{build}"
    );
    let plain = env.run(&["--version"]).out;
    assert_eq!(
        plain,
        concat!("apostille ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
