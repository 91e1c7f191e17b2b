//! Secrets: a person's way past a false alarm, the user's own rules, and the check for scripts.

use serde_json::Value;

use crate::env::Env;

/// A fact with a documented sample in it, which looks like a token.
fn sample_fact() -> String {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    format!("the sample token of the docs is {token}")
}

const CONFIG: &str = ".config/apostille/config.toml";

#[test]
fn refusal_names_kind_and_place() {
    let env = Env::new();
    let fact = sample_fact();
    let ran = env.person(&["remember", "--user", &fact]);
    assert_eq!(ran.code, 3, "{ran}");
    let expected = "  github-token at 1:37: a1B2… (36 characters)\n \
                    hint: if it is none, you can keep it with --not-a-secret\n";
    assert!(ran.err.contains(expected), "{ran}");
    assert!(!ran.err.contains(&fact[40..]), "{ran}");
    // An agent is told what was seen, and offered no way past it.
    let ran = env.run(&["remember", "--kind", "feedback", &fact]);
    assert!(ran.err.contains("github-token at 1:37"), "{ran}");
    assert!(!ran.err.contains("--not-a-secret"), "{ran}");
}

#[test]
fn not_a_secret_takes_a_person() {
    let mut env = Env::new();
    let fact = sample_fact();
    let arguments = ["remember", "--user", "--not-a-secret", &fact];
    let why = "only a person's word can override a check";
    let ran = env.run(&arguments);
    assert!(ran.code == 3 && ran.err.contains(why), "{ran}");
    env.set("CLAUDECODE", "1");
    let ran = env.person(&arguments);
    assert!(ran.code == 3 && ran.err.contains(why), "{ran}");
    // Nor does a person who hands on words from elsewhere.
    let env = Env::new();
    let ran = env.person(&[&arguments[..], &["--from", "web"]].concat());
    assert!(ran.code == 3 && ran.err.contains(why), "{ran}");
    assert!(
        !env.run(&["list", "--all-spaces"])
            .out
            .contains("sample token")
    );
}

#[test]
fn cleared_memory_is_readable_everywhere() {
    let env = Env::new();
    let fact = sample_fact();
    let kept = env.stated(&["remember", "--user", "--not-a-secret", &fact]);
    assert!(kept.contains("· not-a-secret"), "{kept}");
    assert!(kept.contains("github-token at 1:37"), "{kept}");
    for arguments in [
        &["show", "u-1"][..],
        &["recall", "sample token"],
        &["recall", "sample token", "--block"],
        &["export", "--all-spaces"],
        &["--json", "list"],
    ] {
        let out = env.ok(arguments);
        assert!(out.contains(&fact), "{arguments:?}: {out}");
    }
    let log = env.ok(&["log"]);
    assert!(log.contains("not a secret: the sample token"), "{log}");
    assert!(log.contains("ana"), "{log}");
    assert!(env.ok(&["audit"]).contains("Found nothing"));
}

#[test]
fn cleared_memory_is_readable_in_a_shared_file() {
    let env = Env::new();
    env.write(
        "apostille.toml",
        "store = \"jsonl:.apostille/memories.jsonl\"\n",
    );
    let fact = sample_fact();
    let kept = env.person(&["remember", "--kind", "reference", "--not-a-secret", &fact]);
    assert_eq!(kept.code, 0, "{kept}");
    let out = env.ok(&["recall", "sample token"]);
    assert!(out.contains(&fact), "{out}");
}

#[test]
fn import_does_not_believe_the_mark() {
    let env = Env::new();
    env.stated(&["remember", "--user", "--not-a-secret", &sample_fact()]);
    let exported = env.ok(&["export", "--all-spaces"]);
    let elsewhere = Env::new();
    let ran = elsewhere.fed(&["import", "-"], &exported);
    let listed = elsewhere.run(&["list", "--all-spaces"]).out;
    assert!(!listed.contains("sample token"), "{ran}\n{listed}");
}

#[test]
fn supersede_can_be_cleared_too() {
    let env = Env::new();
    env.stated(&["remember", "--user", "the docs have a sample token"]);
    let fact = sample_fact();
    let refused = env.person(&["supersede", "u-1", &fact]);
    assert_eq!(refused.code, 3, "{refused}");
    env.stated(&["supersede", "u-1", &fact, "--not-a-secret"]);
    assert!(env.ok(&["show", "u-2"]).contains(&fact));
}

#[test]
fn users_file_allows_values_and_adds_rules() {
    let env = Env::new();
    env.beside(
        CONFIG,
        "[secrets]\nallow = [\"ghp_a1B2[A-Za-z0-9]*\"]\nrules = [\"ACME-[0-9]{6}\"]\n",
    );
    env.stated(&["remember", "--user", &sample_fact()]);
    let ran = env.person(&["remember", "--user", "the door opens with ACME-123456"]);
    assert!(
        ran.code == 3 && ran.err.contains("own-rule at 1:21"),
        "{ran}"
    );
}

#[test]
fn only_the_users_file_speaks_of_secrets() {
    let check = |env: &Env, expected: &str| {
        let ran = env.run(&["list"]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{ran}");
    };
    let mut env = Env::new();
    env.write("apostille.toml", "secrets.allow = [\"x\"]\n");
    let ran = env.person(&["trust", "--yes"]);
    let expected = "a repository does not say what is a secret";
    assert!(ran.code == 2 && ran.err.contains(expected), "{ran}");
    let mut env_of_agent = Env::new();
    env_of_agent.set("APOSTILLE_SECRETS_ALLOW", "x");
    check(&env_of_agent, "it is read from your own config file only");
    env = Env::new();
    env.beside(CONFIG, "[secrets]\nallow = [\"a(\"]\n");
    check(&env, "entry 1 is not a regular expression: unclosed group");
    env.beside(CONFIG, "secrets.rules = [\".*\"]\n");
    check(&env, "entry 1 matches an empty text");
    env.beside(CONFIG, "secrets.rules = \"x\"\n");
    check(&env, "expected a list of texts");
}

#[test]
fn agents_shell_names_no_other_config_for_secrets() {
    let mut env = Env::new();
    let own = env.beside("agents.toml", "secrets.allow = [\".*[a-z].*\"]\n");
    env.set("APOSTILLE_CONFIG", &own).set("CLAUDECODE", "1");
    let ran = env.run(&["remember", "--kind", "feedback", &sample_fact()]);
    assert_eq!(ran.code, 3, "{ran}");
}

#[test]
fn secrets_check_names_places_for_scripts() {
    let env = Env::new();
    env.write("notes.md", format!("# Notes\n\n{}\n", sample_fact()));
    env.write("clean.md", "the password is hashed with argon2\n");
    let ran = env.run(&["secrets", "check", "clean.md", "notes.md"]);
    let place = "notes.md:3:37: github-token: a1B2… (36 characters)\n";
    assert_eq!((ran.code, ran.out.as_str()), (1, place));
    let ran = env.run(&["secrets", "check", "clean.md"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "no secret was found\n"));
    let ran = env.fed(&["secrets", "check", "-"], &sample_fact());
    assert!(ran.code == 1 && ran.out.starts_with("-:1:37: "), "{ran}");
    for path in ["missing.md", "."] {
        assert_eq!(env.run(&["secrets", "check", path]).code, 2, "{path}");
    }
}

#[test]
fn secrets_check_gives_digest_for_the_users_file() {
    let env = Env::new();
    env.write("notes.md", sample_fact());
    let ran = env.run(&["--json", "secrets", "check", "--digest", "notes.md"]);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let found = &answer["found"][0];
    assert_eq!((ran.code, &found["kind"]), (1, &"github-token".into()));
    let digest = found["digest"].as_str().unwrap();
    env.beside(CONFIG, &format!("secrets.allow = [\"{digest}\"]\n"));
    assert_eq!(env.run(&["secrets", "check", "notes.md"]).code, 0);
    env.beside(CONFIG, "secrets.allow = [\"a(\"]\n");
    assert_eq!(env.run(&["secrets", "check", "notes.md"]).code, 2);
}
