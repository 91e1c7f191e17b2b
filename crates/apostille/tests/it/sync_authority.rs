//! What others may do to memories by a sync: nobody changes a person's words through a second machine.

use std::fs;

use crate::sync::{REF, SyncTeam, facts, facts_in, files_with, forge_line, remember, sync};

#[test]
fn nobody_but_a_person_changes_what_a_person_said_on_another_machine() {
    let team = SyncTeam::sharing(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    remember(ana, "deploys need the approval of two people");
    sync(ana);
    sync(ben);
    for arguments in [
        &["forget", "m-1"][..],
        &["invalidate", "m-1", "--reason", "obsolete"],
    ] {
        let ran = ben.run(arguments);
        assert_eq!(ran.code, 3, "{ran}");
    }
    let replaced = [
        "supersede",
        "m-1",
        "deploys go out when API_VERSION is 7",
        "--cite",
        "src/api.rs:3",
    ];
    ben.run(&replaced);
    sync(ben);
    sync(ana);
    for home in [ana, ben] {
        assert_eq!(facts(home), ["deploys need the approval of two people"]);
    }
}

#[test]
fn what_waits_too_long_on_one_machine_stays_in_use_on_the_other() {
    let mut team = SyncTeam::sharing(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    let fact = "the staging database listens on port 5433";
    remember(ana, fact);
    sync(ana);
    let part = team.git(&["ls-tree", "-r", "--name-only", REF]);
    let part = part.lines().next().unwrap();
    let good = team.git(&["show", &format!("{REF}:{part}")]);
    // It was said after words from outside were read, so it waits wherever it arrives.
    let exposed = forge_line(&good, |line| {
        line.replace("\"origin\"", "\"exposed\":true,\"origin\"")
    });
    team.overwrite_ref(&[("100644", part, &exposed)]);
    sync(ben);
    assert_eq!(facts_in(ben, "pending"), [fact]);
    // It arrived just now, however long ago it was recorded.
    team.homes[1].at("2026-03-20T12:00:00Z");
    team.homes[1].ok(&["review", "--json"]);
    assert_eq!(facts_in(&team.homes[1], "pending"), [fact]);
    team.homes[1].at("2026-05-20T12:00:00Z");
    team.homes[1].run(&["hook", "--after", "none"]);
    sync(&team.homes[1]);
    sync(&team.homes[0]);
    assert_eq!(facts(&team.homes[0]), [fact]);
}

#[test]
fn events_of_strangers_bring_no_secret_and_no_word_of_the_user() {
    let team = SyncTeam::sharing(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    remember(ana, "the retry limit is seven");
    sync(ana);
    sync(ben);
    let part = team.git(&["ls-tree", "-r", "--name-only", REF]);
    let part = part.lines().next().unwrap();
    let good = team.git(&["show", &format!("{REF}:{part}")]);
    let id = good.split("\"id\":\"").nth(1).unwrap()[..36].to_owned();
    let token = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let event = |what: &str| {
        forge_line(&good, |_| {
            let space = "git.example.com/acme/app";
            let at = "2026-03-01T13:00:00Z";
            format!(
                "\"at\":\"{at}\",\"events\":[{{\"at\":\"{at}\",\"space\":\"{space}\",\"id\":\"{id}\",\"actor\":\"eve\",{what}}}]}}"
            )
        })
    };
    let reason = event(&format!(
        "\"event\":\"invalidated\",\"reason\":\"because of {token}\""
    ));
    let secret = event(&format!(
        "\"event\":\"refreshed\",\"evidence\":[{{\"kind\":\"said\",\"quote\":\"{token}\",\"turn\":1,\"session\":\"s\"}}]"
    ));
    let quote = event(
        "\"event\":\"refreshed\",\"evidence\":[{\"kind\":\"said\",\"quote\":\"push to main\",\"turn\":1,\"session\":\"s\"}]",
    );
    let other = forge_line(&good, |line| {
        line.replace("the retry limit is seven", "the retry limit is nine")
            .replace("2026-03-01", "2020-03-01")
    });
    let all = format!("{good}{reason}{secret}{quote}{other}");
    team.overwrite_ref(&[("100644", part, &all)]);
    let answer = sync(ana);
    assert_eq!(answer["left_out"]["unreadable"], 3, "{answer}");
    // What is pushed then holds none of it.
    assert_eq!(sync(ben)["left_out"]["unreadable"], 0);
    for home in [ana, ben] {
        assert_eq!(facts(home), ["the retry limit is seven"]);
        assert!(files_with(home.home(), &token).is_empty());
    }
    let shown = ana.ok(&["show", "m-1"]);
    assert!(!shown.contains("push to main"), "{shown}");
}

#[test]
fn who_the_user_is_comes_from_no_folder_unasked() {
    let team = SyncTeam::sharing(2);
    let [ana, laptop] = &team.homes[..] else {
        panic!()
    };
    fs::create_dir(team.folder()).unwrap();
    let target = format!("folder:{}", team.folder().display());
    ana.stated(&["remember", "--layer", "identity", "my name is Ana"]);
    for home in [ana, laptop] {
        home.stated(&["sync", "--user", "--with", &target]);
    }
    assert!(facts(laptop).is_empty(), "{:?}", facts(laptop));
    assert_eq!(facts_in(laptop, "pending"), ["my name is Ana"]);
}

#[test]
fn what_a_clock_ahead_told_is_forgotten_too() {
    let mut team = SyncTeam::sharing(2);
    team.homes[0].at("2026-03-04T12:00:00Z");
    remember(
        &team.homes[0],
        "the zanzibar gateway is called through the proxy",
    );
    sync(&team.homes[0]);
    team.homes[0].at("2026-03-01T12:00:00Z");
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    ana.stated(&["forget", "m-1", "--yes"]);
    assert!(files_with(ana.home(), "zanzibar").is_empty());
    sync(ana);
    sync(ben);
    team.git(&["gc", "-q", "--prune=now"]);
    assert!(!team.remote_bytes().contains("zanzibar"));
    team.homes[1].at("2026-03-05T12:00:00Z");
    sync(&team.homes[1]);
    assert!(facts(&team.homes[1]).is_empty());
}
