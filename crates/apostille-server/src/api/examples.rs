//! A body for each call that takes one, as a program would send it; shown in the document.

/// What is sent, by the name of the call.
const BODIES: [(&str, &str); 15] = [
    (
        "remember",
        r#"{"fact":"The version of the API is v3","citations":["src/api.rs:3"],"subject":"api","reason":"clients pin it","tags":["api"]}"#,
    ),
    ("forget", r#"{"reason":"done"}"#),
    (
        "supersede",
        r#"{"fact":"API_VERSION is \"v3\" in src/api.rs","citations":["src/api.rs:3"]}"#,
    ),
    (
        "correct",
        r#"{"fact":"retries is 5","citations":["src/old.rs:1"]}"#,
    ),
    ("refresh", "{}"),
    ("invalidate", r#"{"reason":"it is five"}"#),
    ("apply", "{}"),
    (
        "promote",
        r#"{"subject":"cache","reason":"it costs a minute","kind":"feedback"}"#,
    ),
    ("approve", "{}"),
    ("reject", r#"{"reason":"nobody knows"}"#),
    (
        "reword",
        r#"{"fact":"tests take a minute","subject":"tests"}"#,
    ),
    ("merge", r#"{"into":"m-1"}"#),
    ("closeBreakers", r#"{"actor":"ci"}"#),
    (
        "recall",
        r#"{"query":"which API_VERSION?","paths":["src/api.rs"],"limit":5}"#,
    ),
    ("verify", r#"{"names":["m-1"]}"#),
];

/// A file for the call that takes one.
pub(super) const FILE: &str = "# House rules\n\n- Run the linter before every commit\n";

/// The body of this call.
pub(super) fn body(id: &str) -> Option<&'static str> {
    BODIES.iter().find(|it| it.0 == id).map(|it| it.1)
}
