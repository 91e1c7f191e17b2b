//! What GitHub sends, and what somebody sends in its name.

use apostille_reviews::{event_record::ReviewEventRecord, payload::read_delivery};

fn read(event: &str, body: &str) -> String {
    match read_delivery(event, body.as_bytes(), "github.com") {
        Err(_) => "malformed".into(),
        Ok(read) => {
            let kept = ReviewEventRecord::from_event(&read);
            let again = kept.clone().and_then(ReviewEventRecord::into_event);
            assert!(kept.is_none() || again.is_some(), "{kept:?}");
            format!("{read:?}\nkept: {}", kept.is_some())
        }
    }
}

const COMMENT: &str = r#"{"action":"created","comment":{"id":7,"body":"We always use tabs.","path":"src/a.rs",
"user":{"login":"alice","type":"User"},"author_association":"MEMBER","created_at":"2026-03-02T09:00:00Z"},
"pull_request":{"number":12,"user":{"login":"erin"}},"repository":{"full_name":"acme/app"}}"#;

#[test]
fn comment_is_read_with_what_is_used_of_it() {
    insta::assert_snapshot!(read("pull_request_review_comment", COMMENT));
}

#[test]
fn closed_pull_request_is_read() {
    let body = r#"{"action":"closed","pull_request":{"number":12,"merged":true,"merge_commit_sha":"abc",
        "body":"Task-Id: fix","author_association":"NONE","user":{"login":"erin"},
        "head":{"ref":"agent/fix","sha":"def","repo":{"full_name":"Acme/App"}}},"repository":{"full_name":"acme/app"}}"#;
    insta::assert_snapshot!(read("pull_request", body));
}

#[test]
fn whatever_is_missing_or_odd_breaks_nothing() {
    for (event, body) in [
        ("pull_request_review_comment", "{}"),
        ("pull_request_review", "{}"),
        ("issue_comment", "{}"),
        ("pull_request", "{}"),
        ("pull_request", r#"{"action":"closed"}"#),
        (
            "issue_comment",
            r#"{"action":"created","issue":{"number":1},"comment":{},"repository":{"full_name":"a/b"}}"#,
        ),
        ("ping", "not json"),
        ("push", "{}"),
        (
            "pull_request_review_comment",
            r#"{"action":"created","repository":{"full_name":"../../etc"},"pull_request":{"number":1},"comment":{"id":1}}"#,
        ),
    ] {
        let told = read(event, body);
        assert!(
            told.contains("Nothing") && told.ends_with("kept: false"),
            "{event} {body}: {told}"
        );
    }
    for (event, body) in [
        ("pull_request", "[]"),
        ("pull_request_review", "{"),
        ("issue_comment", "\u{0}"),
    ] {
        assert_eq!(read(event, body), "malformed", "{event} {body}");
    }
}

#[test]
fn strangers_and_programs_fill_nothing() {
    for body in [
        COMMENT.replace("MEMBER", "NONE"),
        COMMENT.replace("MEMBER", "CONTRIBUTOR"),
        COMMENT.replace("MEMBER", "FIRST_TIME_CONTRIBUTOR"),
        COMMENT.replace("MEMBER", "mEMBER"),
        COMMENT.replace("\"User\"", "\"Bot\""),
        COMMENT.replace("alice", "alice[bot]"),
        COMMENT.replace("alice", "a lice"),
        COMMENT.replace("alice", &"a".repeat(40)),
    ] {
        let told = read("pull_request_review_comment", &body);
        assert!(told.ends_with("kept: false"), "{told}");
    }
}

#[test]
fn secret_in_a_comment_is_not_kept() {
    let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let body = COMMENT.replace("tabs", &secret);
    let read = read_delivery("pull_request_review_comment", body.as_bytes(), "github.com").unwrap();
    let kept = ReviewEventRecord::from_event(&read).unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    assert!(
        !text.contains(&secret) && text.contains("discussion_r7"),
        "{text}"
    );
}
