//! `promote`: what a script and a person are told.

use crate::env::Env;

#[test]
fn a_note_goes_up_when_it_has_what_it_needs() {
    let env = Env::new();
    env.ok(&[
        "remember",
        "--layer",
        "session",
        "--session",
        "s1",
        "API_VERSION is 7 for every client",
    ]);
    let out = env.ok(&["promote", "m-1"]);
    assert!(out.starts_with("promoted m-2 in place of m-1\n"), "{out}");
    let ran = env.run(&["promote", "m-2"]);
    let expected = "refused: m-2 cannot become knowledge yet: it has no subject, no reason, no citation; \
                    add --subject \"…\" --reason \"…\" --cite PATH:LINES\n";
    assert_eq!((ran.code, ran.err.as_str()), (3, expected));
    let fields = [
        "--subject",
        "API version",
        "--reason",
        "old clients break",
        "--cite",
        "src/api.rs:3",
    ];
    let json = env.ok(&[&["promote", "--json", "m-2"], &fields[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["outcome"], &json["memory"]["layer"]),
        (&"promoted".into(), &"knowledge".into())
    );
    assert!(
        env.ok(&["log", "--json"])
            .contains("\"reason\":\"promoted\"")
    );
    // It is known now.
    let again = [
        "--subject",
        "API version",
        "--reason",
        "old clients break",
        "--cite",
        "src/api.rs:3",
    ];
    env.ok(&[
        "remember",
        "--layer",
        "session",
        "--session",
        "s2",
        "API_VERSION is 7 for every one client",
    ]);
    let ran = env.run(&[&["promote", "m-4", "--layer", "knowledge"], &again[..]].concat());
    assert_eq!(ran.code, 3, "{ran}");
    assert!(
        ran.err
            .starts_with("not promoted m-4: much the same is known:\n\nm-3  near-duplicate"),
        "{ran}"
    );
}
