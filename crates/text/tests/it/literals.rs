//! The literals of facts, and whether code says them: text in, text out.

use apostille_text::literals::{
    Literal, extract_literals, find_contradicted_literals, find_ungrounded_literals,
    is_literal_in_text,
};
use proptest::prelude::*;

fn of(fact: &str) -> String {
    extract_literals(fact)
        .iter()
        .map(Literal::as_str)
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn literals_are_what_code_would_say() {
    let check = |fact: &str, expected: &str| assert_eq!(of(fact), expected, "{fact}");
    check("Retries stop after 5 attempts", "5");
    check("`API_VERSION` must match \"v3\"", "API_VERSION | v3");
    check(
        "useCheckoutTotals caches by cart_id",
        "cart_id | useCheckoutTotals",
    );
    check("Handlers return errors as values", "");
    check("Timeout is 1.5 s.", "1.5 s");
    check(
        "MAX_UPLOAD_BYTES and HTTPServer",
        "HTTPServer | MAX_UPLOAD_BYTES",
    );
    check(
        "call Foo::bar or client.sendBatch first",
        "Foo::bar | client.sendBatch",
    );
    check("ptr->next is never null", "ptr->next");
    check("retry() gives up silently", "retry");
    check("pass --no-verify and $HOME", "HOME | no-verify");
    check(
        "src/api.rs:12-18 and docs/api.md must agree, see ./check",
        "./check | docs/api.md | src/api.rs",
    );
    check(
        "Cargo.toml says 1.91.0, the image says v3",
        "1.91.0 | v3 | Cargo.toml",
    );
    check(
        "50 % of 5,000 is 0x9C4 or 2_500",
        "0x9C4 | 2_500 | 5,000 | 50 %",
    );
    check(
        "a 30-second timeout, a 5 MB body, 10MB at most",
        "10MB | 30-second | 5 MB",
    );
    check(
        "the level is “debug”, not ‘info’ or «warn»",
        "debug | info | warn",
    );
    check("the client's and the servers' errors don't differ", "");
    check(
        "run `cargo test --workspace` first",
        "cargo test --workspace",
    );
    check("`retries = 5` in the client", "5 | retries = 5");
    check(
        "Der Wert MAX_RETRIES ist 5, die Größe „klein“",
        "MAX_RETRIES | 5 | klein",
    );
    check("最大重试次数MAX_RETRIES是5次", "MAX_RETRIES | 5");
    check(
        "El límite es de 30 segundos en config.timeout",
        "config.timeout | 30 segundos",
    );
}

#[test]
fn what_only_reads_like_a_literal_is_none() {
    let check = |fact: &str| assert_eq!(of(fact), "", "{fact}");
    check("The version is kept in two places");
    check("The version is kept in 2 places");
    check("There are 3 environments: dev, staging and production");
    check("1. Build the image\n2. Push it");
    check("It is the 3rd stage, on the 2nd floor");
    check("Deploys run at 14:32 on 2026-03-01");
    check("It was so in 2024, since 2019");
    check("See line 40, lines 12-18, issue 45, #123 and RFC 3339");
    check("Files are UTF-8, the protocol is HTTP/2, C++20, OAuth 2.0, SHA-256");
    check("We use TypeScript, GitHub, PostgreSQL and Node.js");
    check("Read/write access and/or CI/CD, e.g. in long-lived jobs, i.e. all");
    check("APIs, IDs, PRs and URLs are upper-case");
    check("4xx and 5xx are errors");
    check("");
    check("`` ` `");
}

fn check_stands(literal: Literal, text: &str, expected: bool) {
    assert_eq!(
        is_literal_in_text(&literal, text),
        expected,
        "{literal:?} in {text:?}"
    );
}

#[test]
fn a_number_stands_in_whatever_dress() {
    let check =
        |it: &str, text: &str, expected| check_stands(Literal::Number(it.into()), text, expected);
    check("5", "let x = 15;", false);
    check("5", "x5y", false);
    check("5", "a5 = 5.3 + 0.5", false);
    check("5", "n: 5_u64", true);
    check("5000", "5_000", true);
    check("5,000", "limit = 5000", true);
    check("5_000", "at most 5,000 rows", true);
    check("200", "f(1,200)", true);
    check("30 s", "timeout: 30_000", true);
    check("30 s", "30000", true);
    check("30 s", "Duration::from_secs(30)", true);
    check("30 s", "Duration::from_millis(30)", false);
    check("30 s", "30 * 1000", true);
    check("30 s", "30 * time.Second", true);
    check("30 s", "time.Second * 30", true);
    check("30 s", "30 minutes", false);
    check("30 seconds", "timeout = \"30s\"", true);
    check("500ms", "sleep(0.5)", false);
    check("500ms", "Duration::from_millis(500)", true);
    check("5 minutes", "timedelta(minutes=5)", true);
    check("5 minutes", "5 * 60", true);
    check("5 minutes", "5 * 60 * 1000", true);
    check("1 hour", "3600", true);
    check("24 hours", "expires: 1 day", true);
    check("7 days", "7 * 24 * 60 * 60", true);
    check("5 MB", "5 * 1024 * 1024", true);
    check("5 MB", "5242880", true);
    check("5 MB", "5_000_000", true);
    check("5 MB", "client_max_body_size 5m;", true);
    check("10 MB", "10 * MB", true);
    check("10 MB", "10 << 20", true);
    check("2 GB", "memory: 2048", true);
    check("512 MB", "memory: 512Mi", true);
    check("64 KB", "1 << 16", true);
    check("5 MB", "5 minutes", false);
    check("50 %", "ratio = 0.5", true);
    check("0.5", "width: 50%", true);
    check("90%", "threshold: 90", true);
    check("0x1F", "31", true);
    check("255", "0xff", true);
    check("10k", "10_000", true);
    check("1024", "2 ** 10", true);
    check("3", "gives up after three attempts", true);
    check("v3", "API_VERSION = \"v3\"", true);
    check("v3", "API_VERSION = \"v2\"", false);
    check("3", "/api/v3/users", true);
    check("1.91", "rust-version = \"1.91.0\"", true);
    check("1.91.0", "1.91", true);
    check("1.91.0", "1.91.1", false);
    check("16", "image: postgres:16.2-alpine", true);
    check("5.000", "max = 5000", true);
    check("1,5 s", "sleep(1.5)", true);
    check("12345678901234567890", "id = 12345678901234567890", true);
}

#[test]
fn a_name_stands_in_whatever_dress() {
    let check =
        |it: &str, text: &str, expected| check_stands(Literal::Name(it.into()), text, expected);
    check("maxRetries", "max_retries = 3", true);
    check("maxRetries", "MAX_RETRIES", true);
    check("MAX_RETRIES", "--max-retries 3", true);
    check("max_retries", "the max retries", true);
    check("max_retries", "max_retries_total", false);
    check("RepoPaths", "pub struct RepoPath(String);", true);
    check("Foo::bar", "fn bar() {}", true);
    check("PlanAuditor.exclude", "class PlanAuditor:", true);
    check("config.retry.max", "retry:\n  max: 3", true);
}

#[test]
fn paths_and_quotes_stand() {
    let check = check_stands;
    check(
        Literal::Path("api.rs".into()),
        "crates/app/src/api.rs",
        true,
    );
    check(
        Literal::Path("src/session.ts".into()),
        "import { s } from './session'",
        true,
    );
    check(Literal::Path("src/api.rs".into()), "mod apix;", false);
    check(
        Literal::Quoted("npm run build".into()),
        "\"build\": \"tsc\"",
        true,
    );
    check(
        Literal::Quoted("npm run build".into()),
        "\"lint\": \"eslint\"",
        false,
    );
    check(Literal::Value("info".into()), "level: INFO", true);
    check(Literal::Value("info".into()), "information", false);
}

/// What the code has taken back.
#[test]
fn what_stood_and_stands_no_longer_is_contradicted() {
    let check = |fact: &str, was: &str, now: &str, expected: &[&str]| {
        assert_eq!(
            find_contradicted_literals(fact, was, now),
            expected,
            "{fact}"
        );
    };
    check(
        "MAX_RETRIES is 3",
        "MAX_RETRIES = 3",
        "MAX_RETRIES = 5",
        &["3"],
    );
    check(
        "MAX_RETRIES is 3",
        "MAX_RETRIES = 3",
        "let max_retries = 3;",
        &[],
    );
    check(
        "MAX_RETRIES is 3",
        "MAX_RETRIES = 3",
        "",
        &["MAX_RETRIES", "3"],
    );
    check(
        "MAX_RETRIES is 3, see docs/retry.md",
        "MAX_RETRIES = 3",
        "RETRY_LIMIT = 3",
        &["MAX_RETRIES"],
    );
    check(
        "The timeout is 30 s",
        "timeout: 30_000",
        "timeout: Duration::from_secs(30)",
        &[],
    );
    check(
        "The timeout is 30 s",
        "timeout: 30_000",
        "timeout: Duration::from_secs(60)",
        &["30 s"],
    );
    check(
        "Uploads are limited to 10 MB",
        "10 * MB",
        "25 * MB",
        &["10 MB"],
    );
    check(
        "The mode is \"strict\"",
        "mode = 'strict'",
        "mode = 'loose'",
        &["strict"],
    );
    check("Handlers return errors as values", "a", "b", &[]);
    check(
        "`connect` retries 3 times",
        "def connect(): ...",
        "def connect(): pass",
        &[],
    );
}

#[test]
fn hostile_texts_are_read_too() {
    let check = |fact: &str| {
        let _ = (
            of(fact),
            find_ungrounded_literals(fact, &[("src/a.rs", "fn a() { 1 }")]),
            find_ungrounded_literals("MAX is `5`", &[("", fact)]),
        );
    };
    check(&"`".repeat(100_001));
    check(&"\"'“".repeat(50_000));
    check(&"9".repeat(100_000));
    check(&"1,".repeat(50_000));
    check(&"1.".repeat(50_000));
    check(&"1e".repeat(50_000));
    check(&"a.".repeat(50_000));
    check(&"5 * ".repeat(2_000));
    check(&"a_b ".repeat(5_000));
    check("(.*)+[a-z]{9999}\\b$^ `(.*)+` \"[\"");
    check("\u{0}\u{1b}[31m 5\u{202e}MB \u{feff}x_y");
    check("5µs 3µ ½ ٣ ５ 2⁵ 1e999 0x 0xzz 0b2 v v. 1__ 1_000_");
    check("🦀5🦀x_y🦀`5 🦀`");
}

/// Text that looks like facts and like code.
fn speech() -> impl Strategy<Value = String> {
    prop_oneof![
        ".*",
        "[a-zA-Z_0-9 .,:;=*()`\"'/%-]{0,80}",
        "([A-Z]{2,5}_[A-Z]{2,5} (is|=|:) [0-9.,_]{1,6} ?(s|MB|%|ms|)[ .;]{0,2}){0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_can_be_compared(fact in speech(), path in speech(), snippet in speech()) {
        let _ = find_ungrounded_literals(&fact, &[(&path, &snippet), (&snippet, &path)]);
        let _ = find_contradicted_literals(&fact, &path, &snippet);
        for literal in extract_literals(&fact) {
            prop_assert!(!literal.as_str().is_empty());
            let _ = is_literal_in_text(&literal, &snippet);
        }
    }

    #[test]
    fn a_piece_of_the_snippet_is_grounded(before in speech(), fact in speech(), after in speech()) {
        let snippet = format!("{before}{fact}{after}");
        prop_assert_eq!(find_ungrounded_literals(&fact, &[("src/a.rs", &snippet)]), Vec::<String>::new());
    }

    #[test]
    fn what_does_not_change_contradicts_nothing(fact in speech(), text in speech()) {
        prop_assert_eq!(find_contradicted_literals(&fact, &text, &text), Vec::<String>::new());
    }
}
