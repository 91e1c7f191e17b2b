//! The confirmation that an agent cannot give: a PIN at the terminal, or the panel alone.

use std::fs;

use crate::{
    env::{Env, Ran},
    socket::Server,
};

const PIN: &str = "morning coffee\n";

/// One memory waits (m-1), a person said another (u-1), and an agent a third (m-2).
pub(crate) fn with_memories() -> Env {
    let env = Env::new();
    let outside = ["remember", "--from", "web", "--kind", "feedback"];
    env.ok(&[&outside[..], &["the vendor wants ten retries"]].concat());
    env.stated(&["remember", "--user", "prefers small commits"]);
    env.ok(&["remember", "--cite", "src/api.rs:3", "API_VERSION is 7"]);
    env
}

fn with_pin() -> Env {
    let env = with_memories();
    let ran = env.at_terminal(&["pin", "set"], &PIN.repeat(2));
    assert_eq!(ran.code, 0, "{ran}");
    env
}

fn configure(env: &Env, text: &str) {
    let folder = env.home().join(".config/apostille");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

fn stage(env: &Env, handle: &str) -> String {
    let told: serde_json::Value =
        serde_json::from_str(&env.ok(&["show", handle, "--json"])).unwrap();
    told["memory"]["status"].as_str().unwrap().to_owned()
}

/// How often a person was asked.
pub(crate) fn count_questions(ran: &Ran) -> usize {
    let text = format!("{}{}", ran.out, ran.err);
    ["[y/N]", "PIN: ", "PIN, for"]
        .iter()
        .map(|it| text.matches(it).count())
        .sum()
}

/// What a person decides, as it is typed: each waits for the PIN, and is done with it.
const DECISIONS: &[&[&str]] = &[
    &["approve", "m-1"],
    &["review", "--accept", "m-1"],
    &["review", "--reject", "m-1"],
    &["review", "--all-safe", "--yes"],
    &["rollback", "--to", "1h", "--yes"],
    &["token", "create", "desk", "--access", "review"],
    &["forget", "m-1", "--yes"],
    &["forget", "u-1", "--yes"],
    &["invalidate", "u-1", "--reason", "no"],
    &["supersede", "u-1", "prefers large commits"],
    &[
        "remember",
        "--user",
        "--merge",
        "u-1",
        "prefers huge commits",
    ],
];

#[test]
fn decisions_take_the_pin() {
    for arguments in DECISIONS {
        let env = with_pin();
        let before = env.ok(&["export"]);
        for typed in ["\n", "guess guess\n"] {
            let ran = env.at_terminal(arguments, typed);
            assert_eq!(ran.code, 3, "{arguments:?} {typed:?}: {ran}");
            assert_eq!(env.ok(&["export"]), before, "{arguments:?} {typed:?}");
        }
        let ran = env.at_terminal(arguments, PIN);
        assert_eq!(
            (ran.code, count_questions(&ran)),
            (0, 1),
            "{arguments:?}: {ran}"
        );
    }
    let env = with_pin();
    let ran = env.at_terminal(&["breaker", "close"], PIN);
    assert_eq!(
        (ran.code, count_questions(&ran)),
        (1, 1),
        "none is open: {ran}"
    );
}

#[test]
fn pin_comes_from_the_terminal_alone() {
    let env = with_pin();
    for script in [
        "printf 'morning coffee\\n' | APOSTILLE_PERSON=ana setsid -w \"$APOSTILLE\" approve m-1",
        "APOSTILLE_PIN='morning coffee' APOSTILLE_PERSON=ana setsid -w \"$APOSTILLE\" approve m-1",
        "APOSTILLE_CONFIRM=off APOSTILLE_PERSON=ana setsid -w \"$APOSTILLE\" approve m-1",
    ] {
        let ran = env.feed(env.shell(script), PIN);
        assert_ne!(ran.code, 0, "{script}: {ran}");
        assert_eq!(stage(&env, "m-1"), "pending", "{script}");
    }
    let ran = env.feed(
        env.shell("APOSTILLE_PERSON=ana setsid -w \"$APOSTILLE\" approve m-1"),
        PIN,
    );
    assert!(ran.err.contains("a PIN is typed at a terminal"), "{ran}");
}

/// Other folders of configuration and data are one word each; the PIN beside the store counts all the same.
#[test]
fn pin_beside_the_store_counts_with_other_folders() {
    let mut env = with_pin();
    let store = env.home().join(".local/share/apostille/memories.db");
    let other = env.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let link = other.join("link.db");
    std::os::unix::fs::symlink(&store, &link).unwrap();
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        env.set(name, other.to_str().unwrap());
    }
    for store in [&store, &link] {
        let store = format!("sqlite:{}", store.display());
        let ran = env.at_terminal(&["--store", &store, "approve", "m-1"], "");
        assert_ne!(ran.code, 0, "{store}: {ran}");
    }
}

#[test]
fn confirm_of_the_usual_file_counts_beside_another_one() {
    let mut env = with_memories();
    configure(&env, "confirm = \"pin\"\n");
    let empty = env.beside("empty.toml", "");
    env.set("APOSTILLE_CONFIG", &empty);
    let ran = env.person(&["approve", "m-1"]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.err.contains("apostille pin set"), "{ran}");
    assert!(env.ok(&["config"]).contains("confirm"));
}

#[test]
fn confirm_is_the_users_own_setting() {
    let mut env = with_memories();
    env.write("apostille.toml", "confirm = \"off\"\n");
    let ran = env.person(&["trust", "--yes"]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.err.contains("how you are recognised"), "{ran}");
    fs::remove_file(env.repo().join("apostille.toml")).unwrap();
    env.set("APOSTILLE_CONFIRM", "off");
    let ran = env.run(&["list"]);
    assert!(ran.err.contains("set it in your own config file"), "{ran}");
}

/// Reading, remembering and what an agent said take no PIN.
#[test]
fn daily_commands_take_no_pin() {
    let env = with_pin();
    for arguments in [
        &["list"][..],
        &["show", "u-1"],
        &["recall", "commits"],
        &["remember", "--user", "prefers short functions"],
        &["verify"],
        &["log"],
        &["review", "--json"],
        &["rollback", "--to", "1h", "--dry-run"],
        &["token", "create", "ci"],
        &["refresh", "u-1"],
        &["invalidate", "m-2", "--reason", "an agent said it"],
    ] {
        let ran = env.at_terminal(arguments, "");
        assert_eq!(count_questions(&ran), 0, "{arguments:?}: {ran}");
        assert_eq!(ran.code, 0, "{arguments:?}: {ran}");
    }
    assert!(env.ok(&["log"]).contains("ana"), "the person is named");
}

#[test]
fn wrong_pins_lock_for_a_while() {
    let mut env = with_pin();
    for _ in 0..3 {
        let ran = env.at_terminal(&["approve", "m-1"], "guess guess\n");
        assert!(ran.out.contains("this is not the PIN"), "{ran}");
    }
    let ran = env.at_terminal(&["approve", "m-1"], PIN);
    assert!(ran.out.contains("too many wrong PINs"), "{ran}");
    assert_eq!(stage(&env, "m-1"), "pending");
    env.at("2026-03-01T12:00:31Z");
    assert_eq!(env.at_terminal(&["approve", "m-1"], PIN).code, 0);
}

#[test]
fn pin_is_changed_and_removed_with_the_old_one() {
    let env = with_pin();
    let again = env.at_terminal(&["pin", "set"], &PIN.repeat(2));
    assert_eq!(again.code, 2, "{again}");
    let wrong = env.at_terminal(
        &["pin", "change"],
        "guess guess\nevening tea\nevening tea\n",
    );
    assert_eq!(wrong.code, 3, "{wrong}");
    let changed = env.at_terminal(
        &["pin", "change"],
        &format!("{PIN}evening tea\nevening tea\n"),
    );
    assert_eq!(changed.code, 0, "{changed}");
    assert_eq!(env.at_terminal(&["approve", "m-1"], PIN).code, 3);
    assert_eq!(env.at_terminal(&["pin", "remove"], PIN).code, 3);
    let removed = env.at_terminal(&["pin", "remove"], "evening tea\n");
    assert_eq!(removed.code, 0, "{removed}");
    assert_eq!(env.run(&["pin"]).code, 1);
    assert_eq!(env.at_terminal(&["approve", "m-1"], "").code, 0);
}

#[test]
fn pin_set_refuses_what_is_short_or_differs() {
    let env = Env::new();
    let check = |typed: &str, expected: &str| {
        let ran = env.at_terminal(&["pin", "set"], typed);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.out.contains(expected), "{ran}");
        assert_eq!(env.run(&["pin"]).code, 1);
    };
    check("12345\n12345\n", "6 to 128 characters");
    check("morning coffee\nmorning tea\n", "the two differ");
    let mut agent = Env::new();
    agent.set("CLAUDECODE", "1");
    assert_eq!(agent.at_terminal(&["pin", "set"], &PIN.repeat(2)).code, 3);
}

/// With `confirm = "pin"` a deleted file does not open the door.
#[test]
fn confirm_pin_without_a_pin_refuses() {
    let env = with_pin();
    configure(&env, "confirm = \"pin\"\n");
    fs::remove_file(env.home().join(".local/share/apostille/pin.json")).unwrap();
    let ran = env.at_terminal(&["approve", "m-1"], PIN);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.out.contains("apostille pin set"), "{ran}");
}

#[test]
fn confirm_panel_leaves_decisions_to_the_panel() {
    let env = with_memories();
    configure(&env, "confirm = \"panel\"\n");
    for arguments in DECISIONS {
        let before = env.ok(&["export"]);
        let ran = env.at_terminal(arguments, PIN);
        assert_eq!(
            (ran.code, count_questions(&ran)),
            (3, 0),
            "{arguments:?}: {ran}"
        );
        assert!(ran.out.contains("/memories/HANDLE"), "{arguments:?}: {ran}");
        assert_eq!(env.ok(&["export"]), before, "{arguments:?}");
    }
    // A click there is the person's word.
    let server = Server::of_person(&env, &[]);
    let browser = server.browser();
    let seal = format!("seal={}", browser.seal);
    let reply = server.form(&browser, "/review/m-1/accept", &[], &seal);
    assert_eq!(reply.status, 303, "{reply}");
    assert_eq!(stage(&env, "m-1"), "active");
}

/// A panel that decides is opened with the PIN; a script's panel, which cannot be asked, writes as an agent does.
#[test]
fn panel_takes_the_pin_before_it_decides() {
    let env = with_pin();
    let ran = env.at_terminal(&["serve", "--port", "0"], "guess guess\n");
    assert_eq!(ran.code, 3, "{ran}");
    assert!(!ran.out.contains("/open/"), "no link is printed: {ran}");
    let server = Server::of_person(&env, &[]);
    let browser = server.browser();
    let seal = format!("seal={}", browser.seal);
    let reply = server.form(&browser, "/review/m-1/accept", &[], &seal);
    assert_eq!(reply.status, 403, "{reply}");
    assert_eq!(stage(&env, "m-1"), "pending");
}
