use std::fs;
use std::time::Duration;

use apostille_cite::look::{NEAR, Pin};
use apostille_cite::source::{Source, SourceError};
use apostille_cite::verdict::Verdict;
use apostille_core::Context;
use apostille_core::policy::Policy;
use apostille_core::store::ram::Ram;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::json;

use super::hub::{FILES, FIRST, Hub, REPO, SECOND, TOKEN, blob, blob_id, listing, told};
use super::{GitHub, Options};
use crate::git::repo::{outcome, path};
use apostille_web::client::server::{Reply, Server};

/// The content of `src/a.rs`, and what is asked to get it.
const A: &str = "fn a() {}\n";

fn all_asked() -> Vec<String> {
    [
        "/commits/HEAD".into(),
        format!("/git/trees/{FIRST}?recursive=1"),
        blob_url(A),
    ]
    .to_vec()
}

fn blob_url(content: &str) -> String {
    format!("/git/blobs/{}", blob_id(content.as_bytes()))
}

/// What is found under `src/a.rs`, or the whole error.
fn found(source: &GitHub) -> String {
    match source.read(&path("src/a.rs")) {
        Ok(blob) => blob.map_or("none".into(), |it| String::from_utf8(it.bytes).unwrap()),
        Err(error) => told(&error),
    }
}

fn with_token(options: Options) -> Options {
    Options {
        token: Some(TOKEN.into()),
        ..options
    }
}

#[test]
fn a_file_is_read_with_its_id() {
    let hub = Hub::new();
    let source = hub.open();
    let blob = source.read(&path("src/a.rs")).unwrap().unwrap();
    assert_eq!(
        (blob.bytes, blob.id),
        (A.as_bytes().to_vec(), Some(blob_id(A.as_bytes())))
    );
    assert_eq!(hub.asked(), all_asked());
    assert_eq!(outcome(&source, "README.md"), "text hello");
    assert_eq!(
        hub.asked(),
        [blob_url("hello\n")],
        "the ref and the list are asked for once"
    );
}

#[test]
fn each_kind_of_path_is_told_apart() {
    let hub = Hub::new();
    let source = hub.open();
    let check = |text: &str, expected: &str| assert_eq!(outcome(&source, text), expected, "{text}");
    check("src/a.rs", "text fn a() {}");
    check("run.sh", "text #!/bin/sh");
    check("empty", "text ");
    check("docs/naïve file#1?.md", "text odd");
    check("src", "none");
    check("src/b.rs", "none");
    check("src/a.rs/b", "none");
    check("no/such/file", "none");
    check("link", "outside");
    check("linked/a.rs", "outside");
    check("sub", "outside");
    check("sub/a.rs", "outside");
    let asked = hub.asked();
    assert!(
        !asked.contains(&blob_url("src/a.rs")),
        "a link is not even read: {asked:?}"
    );
}

#[test]
fn a_file_of_megabytes_is_read_and_a_larger_one_is_not_asked_for() {
    let hub = Hub::new();
    let large = "0123456789abcdef\n".repeat(200_000);
    let id = hub.blob(large.as_bytes());
    let tree = listing(&[("100644", "large", &large)], false);
    let huge = format!(
        r#"{{"path":"huge","mode":"100644","type":"blob","sha":"{SECOND}","size":8388609}},"#
    );
    hub.on(
        &format!("/git/trees/{FIRST}?recursive=1"),
        Reply::ok(tree.replace("\"tree\":[", &format!("\"tree\":[{huge}"))),
    );
    let source = hub.open();
    assert_eq!(
        source.read(&path("large")).unwrap().unwrap().bytes,
        large.as_bytes()
    );
    assert_eq!(outcome(&source, "huge"), "too large 8388609");
    assert_eq!(hub.asked().last(), Some(&format!("/git/blobs/{id}")));
}

#[test]
fn a_list_that_is_too_long_is_walked() {
    let hub = Hub::new();
    hub.list(
        FIRST,
        &[("040000", "src", ""), ("100644", "src/a.rs", A)],
        true,
    );
    hub.on(
        &format!("/git/trees/{FIRST}"),
        Reply::ok(listing(
            &[("040000", "src", ""), ("040000", "big", "")],
            false,
        )),
    );
    let names = [
        ("100644", "b.rs", "hello\n"),
        ("120000", "link", "b.rs"),
        ("160000", "sub", ""),
    ];
    hub.on(
        &format!("/git/trees/{}", blob_id(b"src")),
        Reply::ok(listing(&names, false)),
    );
    hub.on(
        &format!("/git/trees/{}", blob_id(b"big")),
        Reply::ok(listing(&names, true)),
    );
    let source = hub.open();
    let check = |text: &str, expected: &str| assert_eq!(outcome(&source, text), expected, "{text}");
    check("src/a.rs", "text fn a() {}");
    assert_eq!(
        hub.asked(),
        all_asked(),
        "what is in the list needs no walk"
    );
    check("src/b.rs", "text hello");
    check("src/c.rs", "none");
    check("src/b.rs/c", "none");
    check("src/link", "outside");
    check("src/link/x", "outside");
    check("src/sub/x", "outside");
    check("other/x", "none");
    check("src", "none");
    check("big/b.rs", "text hello");
    check("big/c.rs", "unavailable");
    assert_eq!(
        hub.asked()
            .iter()
            .filter(|it| **it == format!("/git/trees/{FIRST}"))
            .count(),
        1
    );
    assert_eq!(source.files().unwrap(), None);
}

#[test]
fn refs_are_named_in_the_url() {
    let hub = Hub::new();
    let check = |reference: Option<&str>, target: &str, branch: Option<&str>| {
        hub.at(target, FIRST);
        let source = hub.open_with(Options {
            reference: reference.map(Into::into),
            ..hub.options()
        });
        let tree = source.tree().unwrap();
        assert_eq!(hub.asked(), [format!("/commits/{target}")]);
        assert_eq!(
            (tree.commit.as_deref(), tree.is_worktree),
            (Some(FIRST), false)
        );
        assert_eq!(tree.branch.as_deref(), branch, "{reference:?}");
    };
    check(None, "HEAD", None);
    check(Some("main"), "main", Some("main"));
    check(Some("feature/x"), "feature%2Fx", Some("feature/x"));
    check(Some("größe#1?"), "gr%C3%B6%C3%9Fe%231%3F", Some("größe#1?"));
    check(Some("refs/heads/main"), "heads%2Fmain", Some("main"));
    check(Some("refs/tags/v1"), "tags%2Fv1", None);
    check(Some(FIRST), FIRST, None);
    check(Some("1111111"), "1111111", None);
}

#[test]
fn a_ref_that_is_not_there_and_a_repository_that_is_not_seen() {
    let hub = Hub::new();
    let unseen = "cannot read the repository octo/app at 127.0.0.1: not found, or not visible";
    let check = |reply: Reply, options: Options, expected: &str| {
        hub.on("/commits/main", reply);
        let source = hub.open_with(Options {
            reference: Some("main".into()),
            ..options
        });
        assert_eq!(told(&source.tree().unwrap_err()), expected);
        assert_eq!(found(&source), expected);
    };
    let no_commit = || Reply::error(422, "No commit found for SHA: main");
    let not_found = || Reply::error(404, "Not Found");
    check(
        no_commit(),
        hub.options(),
        "no commit or branch 'main' here",
    );
    check(
        Reply::error(404, "No commit found for the ref main"),
        hub.options(),
        "no commit or branch 'main' here",
    );
    check(
        Reply::error(409, "Git Repository is empty."),
        hub.options(),
        "no commit or branch 'main' here",
    );
    let refused = "cannot read 'main' of octo/app at 127.0.0.1: 127.0.0.1 refuses it; set a token";
    check(
        Reply::error(401, "Must authenticate to access this API."),
        hub.options(),
        refused,
    );
    check(Reply::error(403, "Forbidden"), hub.options(), refused);
    check(
        not_found(),
        hub.options(),
        &format!("{unseen} without a token"),
    );
    check(
        not_found(),
        with_token(hub.options()),
        &format!("{unseen} with this token"),
    );
}

#[test]
fn all_answers_are_of_one_commit() {
    let hub = Hub::new();
    let source = hub.open();
    assert_eq!(source.tree().unwrap().commit.as_deref(), Some(FIRST));
    hub.at("HEAD", SECOND);
    hub.list(SECOND, &[("100644", "README.md", "hello\n")], false);
    assert_eq!(found(&source), A);
    assert_eq!(source.tree().unwrap().commit.as_deref(), Some(FIRST));
    assert_eq!(found(&hub.open()), "none");
}

#[test]
fn threads_share_one_commit_and_one_list() {
    let hub = Hub::new();
    let source = hub.open();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(found(&source), A));
        }
    });
    assert_eq!(
        hub.asked()
            .iter()
            .filter(|it| *it == "/commits/HEAD")
            .count(),
        1
    );
}

#[test]
fn a_renamed_repository_is_followed() {
    let check = |status: u16, location: fn(&Hub, &str) -> String| {
        let hub = Hub::new();
        let tree = format!("/git/trees/{FIRST}?recursive=1");
        let blob = blob_url(A);
        for (path, reply) in [
            ("/commits/HEAD", Reply::ok(FIRST)),
            (&tree, Reply::ok(listing(FILES, false))),
            (
                &blob,
                Reply::ok(super::hub::blob(A.as_bytes(), &blob_id(A.as_bytes()))),
            ),
        ] {
            hub.server.on(&format!("/repositories/7{path}"), [reply]);
            hub.on(path, Reply::redirect(status, &location(&hub, path)));
        }
        let source = hub.open_with(with_token(hub.options()));
        assert_eq!(found(&source), A, "{status}");
        let requests = hub.server.requests();
        assert_eq!(requests.len(), 6);
        assert!(
            requests
                .iter()
                .all(|it| it.header("authorization").is_some())
        );
    };
    check(301, |hub, path| {
        format!("{}/repositories/7{path}", hub.server.base())
    });
    check(302, |hub, path| {
        format!("{}/repositories/7{path}", hub.server.base())
    });
    check(307, |_, path| format!("/repositories/7{path}"));
    check(308, |_, path| format!("/repositories/7{path}"));
}

#[test]
fn a_redirect_to_another_host_is_not_followed() {
    let (hub, other) = (Hub::new(), Server::start("GET"));
    other.on("/x", [Reply::ok(FIRST)]);
    let port = other.base().rsplit_once(':').unwrap().1.to_owned();
    for location in [
        format!("{}/x", other.base()),
        format!("//127.0.0.1:{port}/x"),
        format!("http://localhost:{port}/x"),
        hub.server.base().replace("http://", "https://") + "/x",
        String::new(),
    ] {
        hub.on("/commits/HEAD", Reply::redirect(301, &location));
        let said = found(&hub.open_with(with_token(hub.options())));
        let expected = "cannot read 'HEAD' of octo/app at 127.0.0.1: \
                        127.0.0.1 redirects to another host, which is not followed";
        assert_eq!(said, expected, "{location}");
    }
    assert_eq!(other.targets(), Vec::<String>::new());
}

#[test]
fn redirects_end() {
    let hub = Hub::new();
    hub.on(
        "/commits/HEAD",
        Reply::redirect(301, &format!("{REPO}/commits/HEAD")),
    );
    assert!(found(&hub.open()).ends_with("127.0.0.1 redirects without end"));
    assert_eq!(hub.asked().len(), 4);
}

#[test]
fn each_request_says_who_asks_and_what_for() {
    let hub = Hub::new();
    let check = |options: Options, token: Option<&str>| {
        assert_eq!(found(&hub.open_with(options)), A);
        let requests = hub.server.requests();
        assert_eq!(requests.len(), 3);
        for request in &requests {
            assert_eq!(request.header("authorization"), token);
            assert_eq!(request.header("x-github-api-version"), Some("2022-11-28"));
            assert!(
                request
                    .header("user-agent")
                    .is_some_and(|it| it.starts_with("apostille/"))
            );
        }
        let accepted: Vec<_> = requests
            .iter()
            .filter_map(|it| it.header("accept"))
            .collect();
        let json = "application/vnd.github+json";
        assert_eq!(accepted, ["application/vnd.github.sha", json, json]);
    };
    check(hub.options(), None);
    check(with_token(hub.options()), Some(&format!("Bearer {TOKEN}")));
}

#[test]
fn enterprise_is_below_a_path() {
    let hub = Hub::below("/api/v3");
    assert_eq!(found(&hub.open()), A);
    assert_eq!(
        found(&hub.open_with(Options {
            base: hub.options().base + "/",
            ..hub.options()
        })),
        A
    );
    let targets = hub.server.targets();
    assert!(
        targets
            .iter()
            .all(|it| it.starts_with("/api/v3/repos/octo/app/")),
        "{targets:?}"
    );
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_is_asked() {
    let start = "cannot read the repository on GitHub: ";
    let check = |change: fn(&mut Options), expected: &str| {
        let mut options = Options::new("octo/app");
        change(&mut options);
        let error = GitHub::new(options, || jiff::Timestamp::UNIX_EPOCH).unwrap_err();
        let said = told(&error);
        assert!(
            said.trim_start_matches(start).starts_with(expected),
            "{said}"
        );
        assert!(
            !said.contains("hunter2") && !format!("{error:?}").contains("hunter2"),
            "{said}"
        );
    };
    check(
        |it| (it.base, it.token) = ("http://ghe.example.com".into(), Some("hunter2".into())),
        "a token is sent over https only",
    );
    check(
        |it| it.base = "https://ana:hunter2@ghe.example.com".into(),
        "its address holds a name or a password",
    );
    check(|it| it.base = "hunter2".into(), "its address is no URL");
    check(
        |it| it.token = Some("hunter2\r\nx: y".into()),
        "the token is not one word",
    );
    check(
        |it| it.token = Some("hunter2 ".into()),
        "the token is not one word",
    );
    check(
        |it| it.token = Some(String::new()),
        "the token is not one word",
    );
    check(
        |it| it.proxy = Some("hunter2://a b".into()),
        "the proxy's address is no URL",
    );
    check(
        |it| it.authorities = Some(b"hunter2".to_vec()),
        "the file of certificate authorities holds no",
    );
    check(
        |it| it.repo = "octo".into(),
        "cannot read 'octo' on GitHub: a repository is written owner/name",
    );
    check(
        |it| it.reference = Some("a b".into()),
        "no commit or branch 'a b' here",
    );
}

#[test]
fn what_did_not_change_is_not_sent_again() {
    let hub = Hub::new();
    assert_eq!(found(&hub.open_with(hub.keeping())), A);
    hub.server.requests();
    hub.on("/commits/HEAD", Reply::new(304, ""));
    assert_eq!(found(&hub.open_with(hub.keeping())), A);
    let requests = hub.server.requests();
    assert_eq!(requests.len(), 1, "only the ref is asked for: {requests:?}");
    assert_eq!(
        requests[0].header("if-none-match"),
        Some(format!("\"{FIRST}\"").as_str())
    );
}

#[test]
fn after_a_push_only_what_is_new_is_asked_for() {
    let hub = Hub::new();
    assert_eq!(found(&hub.open_with(hub.keeping())), A);
    hub.at("HEAD", SECOND);
    hub.list(
        SECOND,
        &[
            ("040000", "src", ""),
            ("100644", "src/a.rs", A),
            ("100644", "new", "hello\n"),
        ],
        false,
    );
    hub.asked();
    let source = hub.open_with(hub.keeping());
    assert_eq!(found(&source), A);
    assert_eq!(outcome(&source, "new"), "text hello");
    let list = format!("/git/trees/{SECOND}?recursive=1");
    assert_eq!(
        hub.asked(),
        ["/commits/HEAD".to_owned(), list, blob_url("hello\n")]
    );
}

#[test]
fn where_commits_are_not_listed_contents_are_asked_for() {
    let hub = Hub::new();
    let content = |kind: &str, text: &str, encoding: &str| {
        let id = hub.blob(text.as_bytes());
        let text = if encoding == "base64" {
            STANDARD.encode(text)
        } else {
            String::new()
        };
        let size = if text.is_empty() {
            3_000_000
        } else {
            text.len()
        };
        Reply::ok(
            json!({"type": kind, "sha": id, "size": size, "encoding": encoding, "content": text})
                .to_string(),
        )
    };
    hub.on(
        &format!("/git/trees/{FIRST}?recursive=1"),
        Reply::new(404, "{\"message\": \"Not Found\"}"),
    );
    let path = |it: &str| format!("/contents/{it}?ref={FIRST}");
    hub.on(&path("src/a.rs"), content("file", A, "base64"));
    hub.on(&path("long"), content("file", "long\n", "none"));
    hub.on(&path("link"), content("symlink", "src/a.rs", ""));
    hub.on(&path("sub"), content("submodule", "sub", ""));
    hub.on(&path("src"), Reply::ok("[]"));
    hub.on(&path(""), Reply::ok("[]"));
    hub.on(
        &path("gone"),
        Reply::new(404, "{\"message\": \"Not Found\"}"),
    );
    hub.on(&path("broken"), Reply::new(502, ""));
    let source = hub.open();
    let check = |text: &str, expected: &str| assert_eq!(outcome(&source, text), expected, "{text}");
    check("src/a.rs", "text fn a() {}");
    check("long", "text long");
    check("link", "outside");
    check("sub", "outside");
    check("src", "none");
    check("gone", "none");
    check("broken", "unavailable");
}

#[test]
fn citations_are_followed_to_where_they_went() {
    let hub = Hub::new();
    hub.at("HEAD", SECOND);
    let text = "// first\nfn a() {}\n";
    hub.blob(text.as_bytes());
    hub.list(
        SECOND,
        &[
            ("100644", "README.md", text),
            ("100644", "b.rs", A),
            ("040000", "src", ""),
        ],
        false,
    );
    let source = hub.open();
    let then = hub.open_with(Options {
        reference: Some(FIRST.into()),
        ..hub.options()
    });
    hub.at(FIRST, FIRST);
    let pin = Pin {
        place: "src/a.rs:1".parse().unwrap(),
        commit: None,
        digest: None,
        text: None,
    };
    let citation = pin.citation(Some(&then), &source).unwrap();
    let (policy, store) = (Policy::default(), Ram::default());
    let cx = Context {
        store: &store,
        source: &source,
        policy: &policy,
        now: Timestamp::UNIX_EPOCH,
        random: &|| 0,
        late: &|| false,
        actor: None,
        beside: &[],
        guardian: None,
    };
    let sight = cx.citation_reader(NEAR).look(&[&citation]).remove(0);
    assert_eq!(
        sight.verdict,
        Verdict::Moved {
            to: "b.rs:1".parse().unwrap()
        }
    );
    assert!(!sight.is_proof());
}

#[test]
fn without_a_cache_nothing_is_kept() {
    let hub = Hub::new();
    assert_eq!(found(&hub.open()), A);
    assert_eq!(found(&hub.open()), A);
    assert_eq!(hub.asked(), [all_asked(), all_asked()].concat());
    assert_eq!(fs::read_dir(hub.home.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_cache_is_asked_for_again_and_mended() {
    let hub = Hub::new();
    let cache = hub.home.path().join("cache");
    let files = || fs::read_dir(&cache).unwrap().map(|it| it.unwrap().path());
    for damage in ["", "{}", "{}\nx", "\0\0\0"] {
        assert_eq!(found(&hub.open_with(hub.keeping())), A);
        files().for_each(|it| fs::write(it, damage).unwrap());
        hub.asked();
        assert_eq!(found(&hub.open_with(hub.keeping())), A, "{damage:?}");
        assert_eq!(hub.asked(), all_asked(), "{damage:?}");
        assert_eq!(found(&hub.open_with(hub.keeping())), A);
        assert_eq!(hub.asked(), all_asked()[..1], "{damage:?}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let hub = Hub::new();
    fs::write(hub.home.path().join("cache"), "a file").unwrap();
    assert_eq!(found(&hub.open_with(hub.keeping())), A);
}

#[test]
fn after_a_limit_nothing_is_asked_until_it_has_passed() {
    let limit = |status: u16| Reply::error(status, "API rate limit exceeded for 203.0.113.9.");
    let secondary = || {
        Reply::error(
            403,
            "You have exceeded a secondary rate limit. Please wait a few minutes.",
        )
    };
    let check = |reply: Reply, seconds: i64, expected: &str| {
        let hub = Hub::new();
        hub.on_all("/commits/HEAD", [reply.clone(), Reply::ok(FIRST)]);
        let source = hub.open_with(with_token(hub.options()));
        assert_eq!(
            found(&source),
            format!("127.0.0.1 allows no more requests; try again in {expected}")
        );
        assert_eq!(hub.asked().len(), 1);
        hub.wait(seconds - 1);
        assert_eq!(
            found(&source),
            "127.0.0.1 allows no more requests; try again in 1 second"
        );
        assert_eq!(hub.asked(), Vec::<String>::new(), "{reply:?}");
        hub.wait(1);
        assert_eq!(found(&source), A, "{reply:?}");
    };
    let (none_left, reset) = ("x-ratelimit-remaining: 0", "x-ratelimit-reset: 1002200");
    check(limit(403).with(none_left).with(reset), 2200, "37 minutes");
    check(limit(429).with(none_left).with(reset), 2200, "37 minutes");
    check(limit(403).with(none_left), 60, "60 seconds");
    check(
        limit(403).with(none_left).with("x-ratelimit-reset: 9"),
        1,
        "1 second",
    );
    check(limit(403).with("retry-after: 30"), 30, "30 seconds");
    check(limit(429).with("retry-after: 90"), 90, "90 seconds");
    check(limit(429), 60, "60 seconds");
    check(secondary(), 60, "60 seconds");
    check(
        secondary().with("x-ratelimit-remaining: 4999"),
        60,
        "60 seconds",
    );
    check(secondary().with("retry-after: 120"), 120, "2 minutes");
    check(
        Reply::error(403, "You have triggered an abuse detection mechanism."),
        60,
        "60 seconds",
    );
}

#[test]
fn a_limit_names_the_token_that_is_missing_and_spares_what_is_kept() {
    let hub = Hub::new();
    let source = hub.open_with(hub.keeping());
    assert_eq!(found(&source), A);
    hub.on(
        &blob_url("hello\n"),
        Reply::error(403, "x").with("retry-after: 30"),
    );
    let error = source.read(&path("README.md")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "without a token, 127.0.0.1 allows no more requests; try again in 30 seconds"
    );
    assert!(
        matches!(error, SourceError::Limited { retry_after: Some(it), .. } if it == Duration::from_secs(30))
    );
    assert_eq!(found(&source), A);
    assert_eq!(outcome(&source, "src/b.rs"), "none");
}

/// Seventy thousand spaces, packed.
fn bomb() -> Vec<u8> {
    let mut bytes =
        b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xed\xc1\x31\x01\0\0\0\xc2\xa0\x2a\xeb\x9f\xd2\x12\x9e\x40\x01"
            .to_vec();
    bytes.extend([0; 66]);
    bytes.extend(b"\0\0\0\x6f\x03\x60\xac\x45\x1f\x70\x11\x01\0");
    bytes
}

/// Whatever goes wrong, at whichever of the three requests, is an error and never "no such file".
#[test]
fn what_goes_wrong_is_never_taken_for_a_file_that_is_gone() {
    let check = |reply: Reply, expected: &str| {
        for at in all_asked() {
            let hub = Hub::new();
            hub.on(&at, reply.clone());
            let source = hub.open_with(with_token(hub.options()));
            let said = found(&source);
            assert!(
                said.starts_with("cannot read ") && said.contains(expected),
                "{at}: {said}"
            );
            assert!(!said.contains(TOKEN) && !said.contains("<html"), "{said}");
            assert!(hub.asked().contains(&at), "{at}");
            assert_eq!(outcome(&source, "src/a.rs"), "unavailable", "it stays so");
        }
    };
    let page = "<html><body>Sign in to the airport's network</body></html>";
    check(
        Reply::error(500, "Server Error"),
        "127.0.0.1 answered with status 500; try again later",
    );
    check(Reply::ok("<html>Bad Gateway").cut(3), "octo/app");
    check(Reply::new(502, "<html>Bad Gateway"), "status 502");
    check(Reply::error(503, "Service unavailable"), "status 503");
    check(
        Reply::error(401, "Bad credentials"),
        "127.0.0.1 does not accept the token",
    );
    check(
        Reply::error(403, "Resource not accessible"),
        "the token needs the right to read contents",
    );
    check(Reply::error(404, "Not Found"), "not");
    check(Reply::new(404, page), "not");
    check(
        Reply::error(451, "Unavailable For Legal Reasons"),
        "status 451",
    );
    check(Reply::new(204, ""), "status 204");
    check(Reply::new(304, ""), "does not fit the question");
    check(
        Reply::ok(page).with("content-type: text/html"),
        "is something in between",
    );
    check(Reply::ok(""), "is something in between");
    check(Reply::ok("{}"), "is something in between");
    check(
        Reply::ok("not gzip").with("content-encoding: gzip"),
        "octo/app",
    );
    check(Reply::ok(bomb()).with("content-encoding: gzip"), "octo/app");
}

#[test]
fn an_answer_that_ends_early_is_no_answer() {
    let check = |at: &str, body: String| {
        for n_missing in [1, 5, body.len()] {
            let hub = Hub::new();
            hub.on(at, Reply::ok(body.as_str()).cut(n_missing));
            let source = hub.open_with(hub.keeping());
            assert_eq!(
                outcome(&source, "src/a.rs"),
                "unavailable",
                "{at} without {n_missing} bytes"
            );
            hub.on(at, Reply::ok(body.as_str()));
            assert_eq!(found(&source), A, "and it was not kept");
        }
    };
    let [commit, tree, content] = all_asked().try_into().unwrap();
    check(&commit, FIRST.into());
    check(&tree, listing(FILES, false));
    check(&content, blob(A.as_bytes(), &blob_id(A.as_bytes())));
}

#[test]
fn content_that_its_id_does_not_name_is_not_believed() {
    let hub = Hub::new();
    hub.on(
        &blob_url(A),
        Reply::ok(blob(b"fn b() {}\n", &blob_id(A.as_bytes()))),
    );
    assert!(
        found(&hub.open())
            .ends_with("the content is not the one that its id names; it was damaged on the way")
    );
}

#[test]
fn what_is_packed_is_unpacked_up_to_the_limit() {
    let hub = Hub::new();
    hub.on(
        "/commits/HEAD",
        Reply::ok(bomb()).with("content-encoding: gzip"),
    );
    assert!(found(&hub.open()).ends_with("127.0.0.1 answered with more than 65536 bytes"));
}

#[test]
fn nobody_waits_twice_for_a_server_that_does_not_answer() {
    let check = |at: &str| {
        let hub = Hub::new();
        let source = hub.open_with(Options {
            timeout: Duration::from_secs(1),
            ..hub.options()
        });
        hub.on_all(at, [Reply::hang(), all_well(at)]);
        assert!(
            found(&source).ends_with("127.0.0.1 did not answer within 1s"),
            "{at}"
        );
        hub.asked();
        hub.wait(29);
        assert!(found(&source).ends_with("127.0.0.1 did not answer a moment ago; try again later"));
        assert_eq!(hub.asked(), Vec::<String>::new());
        hub.wait(1);
        assert_eq!(found(&source), A);
    };
    std::thread::scope(|scope| {
        for at in all_asked() {
            scope.spawn(move || check(&at));
        }
    });
}

/// What the server answers to one of the three requests when all is well.
fn all_well(at: &str) -> Reply {
    match at {
        "/commits/HEAD" => Reply::ok(FIRST),
        _ if at.contains("/trees/") => Reply::ok(listing(FILES, false)),
        _ => Reply::ok(blob(A.as_bytes(), &blob_id(A.as_bytes()))),
    }
}

#[test]
fn a_server_that_is_not_there_or_speaks_no_tls_is_unavailable() {
    let hub = Hub::new();
    // A port that nobody has used in decades.
    let gone = "http://127.0.0.1:1".to_owned();
    for base in [gone, hub.server.base().replace("http://", "https://")] {
        let source = hub.open_with(with_token(Options {
            base,
            ..hub.options()
        }));
        assert_eq!(outcome(&source, "src/a.rs"), "unavailable");
    }
    assert_eq!(hub.asked(), Vec::<String>::new());
}

#[test]
fn all_files_are_listed_with_their_ids() {
    let hub = Hub::new();
    let files = hub.open().files().unwrap().unwrap();
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        names,
        [
            "README.md",
            "docs/naïve file#1?.md",
            "empty",
            "run.sh",
            "src/a.rs"
        ]
    );
    assert_eq!(files[4].1, blob_id(A.as_bytes()));
    assert_eq!(hub.asked(), all_asked()[..2]);
}

#[test]
fn contents_are_read_by_id() {
    let hub = Hub::new();
    let source = hub.open_with(hub.keeping());
    let check = |id: &str, expected: &str| {
        let said = match source.object(id) {
            Ok(bytes) => format!("{:?}", bytes.map(|it| String::from_utf8(it).unwrap())),
            Err(error) => told(&error),
        };
        assert!(said.ends_with(expected), "{id}: {said}");
    };
    let id = blob_id(A.as_bytes());
    check(&id, "Some(\"fn a() {}\\n\")");
    check(&id.to_ascii_uppercase(), "Some(\"fn a() {}\\n\")");
    assert_eq!(hub.asked(), [blob_url(A)]);
    check(SECOND, "None");
    check("main", "that is no id of git's in full");
    check("../../x", "that is no id of git's in full");
    assert_eq!(
        hub.asked(),
        [format!("/git/blobs/{SECOND}"), "/commits/HEAD".into()]
    );
    hub.on("/commits/HEAD", Reply::error(404, "Not Found"));
    let blind = hub.open();
    assert!(told(&blind.object(SECOND).unwrap_err()).ends_with("not visible without a token"));
}

#[test]
fn the_token_is_nowhere_but_in_the_request() {
    let hub = Hub::new();
    let options = with_token(Options {
        proxy: Some(format!("http://ana:{TOKEN}@127.0.0.1:9")),
        ..hub.keeping()
    });
    let source = hub.open_with(options.clone());
    let mut seen = format!("{options:?} {source:?}");
    assert_eq!(found(&source), A);
    for status in [401, 403, 404, 422, 429, 500] {
        hub.on(
            "/commits/HEAD",
            Reply::error(status, &format!("you sent {TOKEN}")),
        );
        let error = hub.open_with(options.clone()).tree().unwrap_err();
        seen += &format!("{error:?} {}", told(&error));
    }
    seen += &format!("{source:?}");
    assert!(
        seen.contains("has_token: true") && !seen.contains(TOKEN),
        "{seen}"
    );
    let kept: Vec<Vec<u8>> = fs::read_dir(hub.home.path().join("cache"))
        .unwrap()
        .map(|it| fs::read(it.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept.len(), 3);
    for bytes in kept {
        assert!(!bytes.windows(TOKEN.len()).any(|it| it == TOKEN.as_bytes()));
    }
}
