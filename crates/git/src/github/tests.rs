mod fake_github;

use std::{fs, time::Duration};

use apostille_cite::{
    citation::RepoPath,
    follow::{NEAR, PartialCitation},
    source::{Source, SourceError},
    verdict::Verdict,
};
use apostille_core::{Context, policy::Policy, store::ram::RamStore};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde_json::json;

use super::{GitHub, GitHubOptions};
use crate::git::tests::test_repo::{describe_source_read, parse_test_path};
use apostille_web::client::scripted_server::{ScriptedReply, ScriptedServer};
use fake_github::{
    FILES, FIRST, FakeGitHub, REPO, SECOND, TOKEN, build_blob_json, build_listing_json,
    format_error_chain, git_blob_id,
};

impl GitHub {
    /// All files of the commit with the ids of their contents, by path; `None` if they are too many for one answer.
    /// Files whose names cannot be cited are left out.
    fn list_files(&self) -> Result<Option<Vec<(RepoPath, String)>>, SourceError> {
        let listing =
            self.read_listing(&format!("/git/trees/{}?recursive=1", self.pinned_commit()?))?;
        if listing.is_partial {
            return Ok(None);
        }
        let files = listing.files().filter_map(|(path, id)| {
            let known: RepoPath = path.parse().ok()?;
            (known.as_str() == path).then(|| (known, id.to_owned()))
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        Ok(Some(files))
    }
}

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
    format!("/git/blobs/{}", git_blob_id(content.as_bytes()))
}

/// What is found under `src/a.rs`, or the whole error.
fn found(source: &GitHub) -> String {
    match source.read_file(&parse_test_path("src/a.rs")) {
        Ok(blob) => blob.map_or("none".into(), |it| String::from_utf8(it.bytes).unwrap()),
        Err(error) => format_error_chain(&error),
    }
}

fn with_token(options: GitHubOptions) -> GitHubOptions {
    GitHubOptions {
        token: Some(TOKEN.into()),
        ..options
    }
}

#[test]
fn a_file_is_read_with_its_id() {
    let hub = FakeGitHub::new();
    let source = hub.open_github();
    let blob = source
        .read_file(&parse_test_path("src/a.rs"))
        .unwrap()
        .unwrap();
    assert_eq!(
        (blob.bytes, blob.id),
        (A.as_bytes().to_vec(), Some(git_blob_id(A.as_bytes())))
    );
    assert_eq!(hub.take_requested_paths(), all_asked());
    assert_eq!(describe_source_read(&source, "README.md"), "text hello");
    assert_eq!(
        hub.take_requested_paths(),
        [blob_url("hello\n")],
        "the ref and the list are asked for once"
    );
}

#[test]
fn each_kind_of_path_is_told_apart() {
    let hub = FakeGitHub::new();
    let source = hub.open_github();
    let check = |text: &str, expected: &str| {
        assert_eq!(describe_source_read(&source, text), expected, "{text}")
    };
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
    let asked = hub.take_requested_paths();
    assert!(
        !asked.contains(&blob_url("src/a.rs")),
        "a link is not even read: {asked:?}"
    );
}

#[test]
fn a_file_of_megabytes_is_read_and_a_larger_one_is_not_asked_for() {
    let hub = FakeGitHub::new();
    let large = "0123456789abcdef\n".repeat(200_000);
    let id = hub.add_blob(large.as_bytes());
    let tree = build_listing_json(&[("100644", "large", &large)], false);
    let huge = format!(
        r#"{{"path":"huge","mode":"100644","type":"blob","sha":"{SECOND}","size":8388609}},"#
    );
    hub.set_reply(
        &format!("/git/trees/{FIRST}?recursive=1"),
        ScriptedReply::ok(tree.replace("\"tree\":[", &format!("\"tree\":[{huge}"))),
    );
    let source = hub.open_github();
    assert_eq!(
        source
            .read_file(&parse_test_path("large"))
            .unwrap()
            .unwrap()
            .bytes,
        large.as_bytes()
    );
    assert_eq!(describe_source_read(&source, "huge"), "too large 8388609");
    assert_eq!(
        hub.take_requested_paths().last(),
        Some(&format!("/git/blobs/{id}"))
    );
}

#[test]
fn a_list_that_is_too_long_is_walked() {
    let hub = FakeGitHub::new();
    hub.set_listing(
        FIRST,
        &[("040000", "src", ""), ("100644", "src/a.rs", A)],
        true,
    );
    hub.set_reply(
        &format!("/git/trees/{FIRST}"),
        ScriptedReply::ok(build_listing_json(
            &[("040000", "src", ""), ("040000", "big", "")],
            false,
        )),
    );
    let names = [
        ("100644", "b.rs", "hello\n"),
        ("120000", "link", "b.rs"),
        ("160000", "sub", ""),
    ];
    hub.set_reply(
        &format!("/git/trees/{}", git_blob_id(b"src")),
        ScriptedReply::ok(build_listing_json(&names, false)),
    );
    hub.set_reply(
        &format!("/git/trees/{}", git_blob_id(b"big")),
        ScriptedReply::ok(build_listing_json(&names, true)),
    );
    let source = hub.open_github();
    let check = |text: &str, expected: &str| {
        assert_eq!(describe_source_read(&source, text), expected, "{text}")
    };
    check("src/a.rs", "text fn a() {}");
    assert_eq!(
        hub.take_requested_paths(),
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
        hub.take_requested_paths()
            .iter()
            .filter(|it| **it == format!("/git/trees/{FIRST}"))
            .count(),
        1
    );
    assert_eq!(source.list_files().unwrap(), None);
}

#[test]
fn refs_are_named_in_the_url() {
    let hub = FakeGitHub::new();
    let check = |reference: Option<&str>, target: &str, branch: Option<&str>| {
        hub.set_reference(target, FIRST);
        let source = hub.open_github_with(GitHubOptions {
            reference: reference.map(Into::into),
            ..hub.options()
        });
        let tree = source.read_tree().unwrap();
        assert_eq!(hub.take_requested_paths(), [format!("/commits/{target}")]);
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
    let hub = FakeGitHub::new();
    let unseen = "cannot read the repository octo/app at 127.0.0.1: not found, or not visible";
    let check = |reply: ScriptedReply, options: GitHubOptions, expected: &str| {
        hub.set_reply("/commits/main", reply);
        let source = hub.open_github_with(GitHubOptions {
            reference: Some("main".into()),
            ..options
        });
        assert_eq!(
            format_error_chain(&source.read_tree().unwrap_err()),
            expected
        );
        assert_eq!(found(&source), expected);
    };
    let no_commit = || ScriptedReply::error(422, "No commit found for SHA: main");
    let not_found = || ScriptedReply::error(404, "Not Found");
    check(
        no_commit(),
        hub.options(),
        "no commit or branch 'main' here",
    );
    check(
        ScriptedReply::error(404, "No commit found for the ref main"),
        hub.options(),
        "no commit or branch 'main' here",
    );
    check(
        ScriptedReply::error(409, "Git Repository is empty."),
        hub.options(),
        "no commit or branch 'main' here",
    );
    let refused = "cannot read 'main' of octo/app at 127.0.0.1: 127.0.0.1 refuses it; set a token";
    check(
        ScriptedReply::error(401, "Must authenticate to access this API."),
        hub.options(),
        refused,
    );
    check(
        ScriptedReply::error(403, "Forbidden"),
        hub.options(),
        refused,
    );
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
    let hub = FakeGitHub::new();
    let source = hub.open_github();
    assert_eq!(source.read_tree().unwrap().commit.as_deref(), Some(FIRST));
    hub.set_reference("HEAD", SECOND);
    hub.set_listing(SECOND, &[("100644", "README.md", "hello\n")], false);
    assert_eq!(found(&source), A);
    assert_eq!(source.read_tree().unwrap().commit.as_deref(), Some(FIRST));
    assert_eq!(found(&hub.open_github()), "none");
}

#[test]
fn threads_share_one_commit_and_one_list() {
    let hub = FakeGitHub::new();
    let source = hub.open_github();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(found(&source), A));
        }
    });
    assert_eq!(
        hub.take_requested_paths()
            .iter()
            .filter(|it| *it == "/commits/HEAD")
            .count(),
        1
    );
}

#[test]
fn a_renamed_repository_is_followed() {
    let check = |status: u16, location: fn(&FakeGitHub, &str) -> String| {
        let hub = FakeGitHub::new();
        let tree = format!("/git/trees/{FIRST}?recursive=1");
        let blob = blob_url(A);
        for (path, reply) in [
            ("/commits/HEAD", ScriptedReply::ok(FIRST)),
            (&tree, ScriptedReply::ok(build_listing_json(FILES, false))),
            (
                &blob,
                ScriptedReply::ok(fake_github::build_blob_json(
                    A.as_bytes(),
                    &git_blob_id(A.as_bytes()),
                )),
            ),
        ] {
            hub.server
                .set_replies(&format!("/repositories/7{path}"), [reply]);
            hub.set_reply(path, ScriptedReply::redirect(status, &location(&hub, path)));
        }
        let source = hub.open_github_with(with_token(hub.options()));
        assert_eq!(found(&source), A, "{status}");
        let requests = hub.server.take_requests();
        assert_eq!(requests.len(), 6);
        assert!(
            requests
                .iter()
                .all(|it| it.header("authorization").is_some())
        );
    };
    check(301, |hub, path| {
        format!("{}/repositories/7{path}", hub.server.base_url())
    });
    check(302, |hub, path| {
        format!("{}/repositories/7{path}", hub.server.base_url())
    });
    check(307, |_, path| format!("/repositories/7{path}"));
    check(308, |_, path| format!("/repositories/7{path}"));
}

#[test]
fn a_redirect_to_another_host_is_not_followed() {
    let (hub, other) = (FakeGitHub::new(), ScriptedServer::start("GET"));
    other.set_replies("/x", [ScriptedReply::ok(FIRST)]);
    let port = other.base_url().rsplit_once(':').unwrap().1.to_owned();
    for location in [
        format!("{}/x", other.base_url()),
        format!("//127.0.0.1:{port}/x"),
        format!("http://localhost:{port}/x"),
        hub.server.base_url().replace("http://", "https://") + "/x",
        String::new(),
    ] {
        hub.set_reply("/commits/HEAD", ScriptedReply::redirect(301, &location));
        let said = found(&hub.open_github_with(with_token(hub.options())));
        let expected = "cannot read 'HEAD' of octo/app at 127.0.0.1: \
                        127.0.0.1 redirects to another host, which is not followed";
        assert_eq!(said, expected, "{location}");
    }
    assert_eq!(other.take_targets(), Vec::<String>::new());
}

#[test]
fn redirects_end() {
    let hub = FakeGitHub::new();
    hub.set_reply(
        "/commits/HEAD",
        ScriptedReply::redirect(301, &format!("{REPO}/commits/HEAD")),
    );
    assert!(found(&hub.open_github()).ends_with("127.0.0.1 redirects without end"));
    assert_eq!(hub.take_requested_paths().len(), 4);
}

#[test]
fn each_request_says_who_asks_and_what_for() {
    let hub = FakeGitHub::new();
    let check = |options: GitHubOptions, token: Option<&str>| {
        assert_eq!(found(&hub.open_github_with(options)), A);
        let requests = hub.server.take_requests();
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
    let hub = FakeGitHub::with_prefix("/api/v3");
    assert_eq!(found(&hub.open_github()), A);
    assert_eq!(
        found(&hub.open_github_with(GitHubOptions {
            base: hub.options().base + "/",
            ..hub.options()
        })),
        A
    );
    let targets = hub.server.take_targets();
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
    let check = |change: fn(&mut GitHubOptions), expected: &str| {
        let mut options = GitHubOptions::new("octo/app");
        change(&mut options);
        let error = GitHub::new(options, || jiff::Timestamp::UNIX_EPOCH).unwrap_err();
        let said = format_error_chain(&error);
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
    check(|it| it.base = "hunter2".into(), "its address is not a URL");
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
        "the proxy's address is not a URL",
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
    let hub = FakeGitHub::new();
    assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
    hub.server.take_requests();
    hub.set_reply("/commits/HEAD", ScriptedReply::new(304, ""));
    assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
    let requests = hub.server.take_requests();
    assert_eq!(requests.len(), 1, "only the ref is asked for: {requests:?}");
    assert_eq!(
        requests[0].header("if-none-match"),
        Some(format!("\"{FIRST}\"").as_str())
    );
}

#[test]
fn after_a_push_only_what_is_new_is_asked_for() {
    let hub = FakeGitHub::new();
    assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
    hub.set_reference("HEAD", SECOND);
    hub.set_listing(
        SECOND,
        &[
            ("040000", "src", ""),
            ("100644", "src/a.rs", A),
            ("100644", "new", "hello\n"),
        ],
        false,
    );
    hub.take_requested_paths();
    let source = hub.open_github_with(hub.caching_options());
    assert_eq!(found(&source), A);
    assert_eq!(describe_source_read(&source, "new"), "text hello");
    let list = format!("/git/trees/{SECOND}?recursive=1");
    assert_eq!(
        hub.take_requested_paths(),
        ["/commits/HEAD".to_owned(), list, blob_url("hello\n")]
    );
}

#[test]
fn where_commits_are_not_listed_contents_are_asked_for() {
    let hub = FakeGitHub::new();
    let content = |kind: &str, text: &str, encoding: &str| {
        let id = hub.add_blob(text.as_bytes());
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
        ScriptedReply::ok(
            json!({"type": kind, "sha": id, "size": size, "encoding": encoding, "content": text})
                .to_string(),
        )
    };
    hub.set_reply(
        &format!("/git/trees/{FIRST}?recursive=1"),
        ScriptedReply::new(404, "{\"message\": \"Not Found\"}"),
    );
    let path = |it: &str| format!("/contents/{it}?ref={FIRST}");
    hub.set_reply(&path("src/a.rs"), content("file", A, "base64"));
    hub.set_reply(&path("long"), content("file", "long\n", "none"));
    hub.set_reply(&path("link"), content("symlink", "src/a.rs", ""));
    hub.set_reply(&path("sub"), content("submodule", "sub", ""));
    hub.set_reply(&path("src"), ScriptedReply::ok("[]"));
    hub.set_reply(&path(""), ScriptedReply::ok("[]"));
    hub.set_reply(
        &path("gone"),
        ScriptedReply::new(404, "{\"message\": \"Not Found\"}"),
    );
    hub.set_reply(&path("broken"), ScriptedReply::new(502, ""));
    let source = hub.open_github();
    let check = |text: &str, expected: &str| {
        assert_eq!(describe_source_read(&source, text), expected, "{text}")
    };
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
    let hub = FakeGitHub::new();
    hub.set_reference("HEAD", SECOND);
    let text = "// first\nfn a() {}\n";
    hub.add_blob(text.as_bytes());
    hub.set_listing(
        SECOND,
        &[
            ("100644", "README.md", text),
            ("100644", "b.rs", A),
            ("040000", "src", ""),
        ],
        false,
    );
    let source = hub.open_github();
    let then = hub.open_github_with(GitHubOptions {
        reference: Some(FIRST.into()),
        ..hub.options()
    });
    hub.set_reference(FIRST, FIRST);
    let pin = PartialCitation {
        place: "src/a.rs:1".parse().unwrap(),
        commit: None,
        digest: None,
        text: None,
    };
    let citation = pin.resolve_citation(Some(&then), &source).unwrap();
    let (policy, store) = (Policy::default(), RamStore::default());
    let cx = Context {
        store: &store,
        source: &source,
        policy: &policy,
        now: Timestamp::UNIX_EPOCH,
        random: &|| 0,
        late: &|| false,
        actor: None,
        other_spaces: &[],
        guardian: None,
        testimony: None,
        embedder: None,
        archive: None,
        commit_reasons: None,
    };
    let sight = cx
        .citation_follower(NEAR)
        .follow_citations(&[&citation])
        .remove(0);
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
    let hub = FakeGitHub::new();
    assert_eq!(found(&hub.open_github()), A);
    assert_eq!(found(&hub.open_github()), A);
    assert_eq!(
        hub.take_requested_paths(),
        [all_asked(), all_asked()].concat()
    );
    assert_eq!(fs::read_dir(hub.home.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_cache_is_asked_for_again_and_mended() {
    let hub = FakeGitHub::new();
    let cache = hub.home.path().join("cache");
    let files = || fs::read_dir(&cache).unwrap().map(|it| it.unwrap().path());
    for damage in ["", "{}", "{}\nx", "\0\0\0"] {
        assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
        files().for_each(|it| fs::write(it, damage).unwrap());
        hub.take_requested_paths();
        assert_eq!(
            found(&hub.open_github_with(hub.caching_options())),
            A,
            "{damage:?}"
        );
        assert_eq!(hub.take_requested_paths(), all_asked(), "{damage:?}");
        assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
        assert_eq!(hub.take_requested_paths(), all_asked()[..1], "{damage:?}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let hub = FakeGitHub::new();
    fs::write(hub.home.path().join("cache"), "a file").unwrap();
    assert_eq!(found(&hub.open_github_with(hub.caching_options())), A);
}

#[test]
fn after_a_limit_nothing_is_asked_until_it_has_passed() {
    let limit =
        |status: u16| ScriptedReply::error(status, "API rate limit exceeded for 203.0.113.9.");
    let secondary = || {
        ScriptedReply::error(
            403,
            "You have exceeded a secondary rate limit. Please wait a few minutes.",
        )
    };
    let check = |reply: ScriptedReply, seconds: i64, expected: &str| {
        let hub = FakeGitHub::new();
        hub.set_replies("/commits/HEAD", [reply.clone(), ScriptedReply::ok(FIRST)]);
        let source = hub.open_github_with(with_token(hub.options()));
        assert_eq!(
            found(&source),
            format!("127.0.0.1 allows no more requests; try again in {expected}")
        );
        assert_eq!(hub.take_requested_paths().len(), 1);
        hub.advance_clock(seconds - 1);
        assert_eq!(
            found(&source),
            "127.0.0.1 allows no more requests; try again in 1 second"
        );
        assert_eq!(
            hub.take_requested_paths(),
            Vec::<String>::new(),
            "{reply:?}"
        );
        hub.advance_clock(1);
        assert_eq!(found(&source), A, "{reply:?}");
    };
    let (none_left, reset) = ("x-ratelimit-remaining: 0", "x-ratelimit-reset: 1002200");
    check(
        limit(403).with_header(none_left).with_header(reset),
        2200,
        "37 minutes",
    );
    check(
        limit(429).with_header(none_left).with_header(reset),
        2200,
        "37 minutes",
    );
    check(limit(403).with_header(none_left), 60, "60 seconds");
    check(
        limit(403)
            .with_header(none_left)
            .with_header("x-ratelimit-reset: 9"),
        1,
        "1 second",
    );
    check(limit(403).with_header("retry-after: 30"), 30, "30 seconds");
    check(limit(429).with_header("retry-after: 90"), 90, "90 seconds");
    check(limit(429), 60, "60 seconds");
    check(secondary(), 60, "60 seconds");
    check(
        secondary().with_header("x-ratelimit-remaining: 4999"),
        60,
        "60 seconds",
    );
    check(
        secondary().with_header("retry-after: 120"),
        120,
        "2 minutes",
    );
    check(
        ScriptedReply::error(403, "You have triggered an abuse detection mechanism."),
        60,
        "60 seconds",
    );
}

#[test]
fn a_limit_names_the_token_that_is_missing_and_spares_what_is_kept() {
    let hub = FakeGitHub::new();
    let source = hub.open_github_with(hub.caching_options());
    assert_eq!(found(&source), A);
    hub.set_reply(
        &blob_url("hello\n"),
        ScriptedReply::error(403, "x").with_header("retry-after: 30"),
    );
    let error = source.read_file(&parse_test_path("README.md")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "without a token, 127.0.0.1 allows no more requests; try again in 30 seconds"
    );
    assert!(
        matches!(error, SourceError::Limited { retry_after: Some(it), .. } if it == Duration::from_secs(30))
    );
    assert_eq!(found(&source), A);
    assert_eq!(describe_source_read(&source, "src/b.rs"), "none");
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
    let check = |reply: ScriptedReply, expected: &str| {
        for at in all_asked() {
            let hub = FakeGitHub::new();
            hub.set_reply(&at, reply.clone());
            let source = hub.open_github_with(with_token(hub.options()));
            let said = found(&source);
            assert!(
                said.starts_with("cannot read ") && said.contains(expected),
                "{at}: {said}"
            );
            assert!(!said.contains(TOKEN) && !said.contains("<html"), "{said}");
            assert!(hub.take_requested_paths().contains(&at), "{at}");
            assert_eq!(
                describe_source_read(&source, "src/a.rs"),
                "unavailable",
                "it stays so"
            );
        }
    };
    let page = "<html><body>Sign in to the airport's network</body></html>";
    check(
        ScriptedReply::error(500, "Server Error"),
        "127.0.0.1 answered with status 500; try again later",
    );
    check(
        ScriptedReply::ok("<html>Bad Gateway").cut_short(3),
        "octo/app",
    );
    check(ScriptedReply::new(502, "<html>Bad Gateway"), "status 502");
    check(
        ScriptedReply::error(503, "Service unavailable"),
        "status 503",
    );
    check(
        ScriptedReply::error(401, "Bad credentials"),
        "127.0.0.1 does not accept the token",
    );
    check(
        ScriptedReply::error(403, "Resource not accessible"),
        "the token needs the right to read contents",
    );
    check(ScriptedReply::error(404, "Not Found"), "not");
    check(ScriptedReply::new(404, page), "not");
    check(
        ScriptedReply::error(451, "Unavailable For Legal Reasons"),
        "status 451",
    );
    check(ScriptedReply::new(204, ""), "status 204");
    check(ScriptedReply::new(304, ""), "does not fit the question");
    check(
        ScriptedReply::ok(page).with_header("content-type: text/html"),
        "is something in between",
    );
    check(ScriptedReply::ok(""), "is something in between");
    check(ScriptedReply::ok("{}"), "is something in between");
    check(
        ScriptedReply::ok("not gzip").with_header("content-encoding: gzip"),
        "octo/app",
    );
    check(
        ScriptedReply::ok(bomb()).with_header("content-encoding: gzip"),
        "octo/app",
    );
}

#[test]
fn an_answer_that_ends_early_is_no_answer() {
    let check = |at: &str, body: String| {
        for n_missing in [1, 5, body.len()] {
            let hub = FakeGitHub::new();
            hub.set_reply(at, ScriptedReply::ok(body.as_str()).cut_short(n_missing));
            let source = hub.open_github_with(hub.caching_options());
            assert_eq!(
                describe_source_read(&source, "src/a.rs"),
                "unavailable",
                "{at} without {n_missing} bytes"
            );
            hub.set_reply(at, ScriptedReply::ok(body.as_str()));
            assert_eq!(found(&source), A, "and it was not kept");
        }
    };
    let [commit, tree, content] = all_asked().try_into().unwrap();
    check(&commit, FIRST.into());
    check(&tree, build_listing_json(FILES, false));
    check(
        &content,
        build_blob_json(A.as_bytes(), &git_blob_id(A.as_bytes())),
    );
}

#[test]
fn content_that_its_id_does_not_name_is_not_believed() {
    let hub = FakeGitHub::new();
    hub.set_reply(
        &blob_url(A),
        ScriptedReply::ok(build_blob_json(b"fn b() {}\n", &git_blob_id(A.as_bytes()))),
    );
    assert!(
        found(&hub.open_github())
            .ends_with("the content is not the one that its id names; it was damaged on the way")
    );
}

#[test]
fn what_is_packed_is_unpacked_up_to_the_limit() {
    let hub = FakeGitHub::new();
    hub.set_reply(
        "/commits/HEAD",
        ScriptedReply::ok(bomb()).with_header("content-encoding: gzip"),
    );
    assert!(found(&hub.open_github()).ends_with("127.0.0.1 answered with more than 65536 bytes"));
}

#[test]
fn nobody_waits_twice_for_a_server_that_does_not_answer() {
    let check = |at: &str| {
        let hub = FakeGitHub::new();
        let source = hub.open_github_with(GitHubOptions {
            timeout: Duration::from_secs(1),
            ..hub.options()
        });
        hub.set_replies(at, [ScriptedReply::hang(), all_well(at)]);
        assert!(
            found(&source).ends_with("127.0.0.1 did not answer within 1s"),
            "{at}"
        );
        hub.take_requested_paths();
        hub.advance_clock(29);
        assert!(found(&source).ends_with("127.0.0.1 did not answer a moment ago; try again later"));
        assert_eq!(hub.take_requested_paths(), Vec::<String>::new());
        hub.advance_clock(1);
        assert_eq!(found(&source), A);
    };
    std::thread::scope(|scope| {
        for at in all_asked() {
            scope.spawn(move || check(&at));
        }
    });
}

/// What the server answers to one of the three requests when all is well.
fn all_well(at: &str) -> ScriptedReply {
    match at {
        "/commits/HEAD" => ScriptedReply::ok(FIRST),
        _ if at.contains("/trees/") => ScriptedReply::ok(build_listing_json(FILES, false)),
        _ => ScriptedReply::ok(build_blob_json(A.as_bytes(), &git_blob_id(A.as_bytes()))),
    }
}

#[test]
fn a_server_that_is_not_there_or_speaks_no_tls_is_unavailable() {
    let hub = FakeGitHub::new();
    // A port that nobody has used in decades.
    let gone = "http://127.0.0.1:1".to_owned();
    for base in [gone, hub.server.base_url().replace("http://", "https://")] {
        let source = hub.open_github_with(with_token(GitHubOptions {
            base,
            ..hub.options()
        }));
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
    }
    assert_eq!(hub.take_requested_paths(), Vec::<String>::new());
}

#[test]
fn all_files_are_listed_with_their_ids() {
    let hub = FakeGitHub::new();
    let files = hub.open_github().list_files().unwrap().unwrap();
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
    assert_eq!(files[4].1, git_blob_id(A.as_bytes()));
    assert_eq!(hub.take_requested_paths(), all_asked()[..2]);
}

#[test]
fn contents_are_read_by_id() {
    let hub = FakeGitHub::new();
    let source = hub.open_github_with(hub.caching_options());
    let check = |id: &str, expected: &str| {
        let said = match source.read_object(id) {
            Ok(bytes) => format!("{:?}", bytes.map(|it| String::from_utf8(it).unwrap())),
            Err(error) => format_error_chain(&error),
        };
        assert!(said.ends_with(expected), "{id}: {said}");
    };
    let id = git_blob_id(A.as_bytes());
    check(&id, "Some(\"fn a() {}\\n\")");
    check(&id.to_ascii_uppercase(), "Some(\"fn a() {}\\n\")");
    assert_eq!(hub.take_requested_paths(), [blob_url(A)]);
    check(SECOND, "None");
    check("main", "this is not a full git object id");
    check("../../x", "this is not a full git object id");
    assert_eq!(
        hub.take_requested_paths(),
        [format!("/git/blobs/{SECOND}"), "/commits/HEAD".into()]
    );
    hub.set_reply("/commits/HEAD", ScriptedReply::error(404, "Not Found"));
    let blind = hub.open_github();
    assert!(
        format_error_chain(&blind.read_object(SECOND).unwrap_err())
            .ends_with("not visible without a token")
    );
}

#[test]
fn the_token_is_nowhere_but_in_the_request() {
    let hub = FakeGitHub::new();
    let options = with_token(GitHubOptions {
        proxy: Some(format!("http://ana:{TOKEN}@127.0.0.1:9")),
        ..hub.caching_options()
    });
    let source = hub.open_github_with(options.clone());
    let mut seen = format!("{options:?} {source:?}");
    assert_eq!(found(&source), A);
    for status in [401, 403, 404, 422, 429, 500] {
        hub.set_reply(
            "/commits/HEAD",
            ScriptedReply::error(status, &format!("you sent {TOKEN}")),
        );
        let error = hub
            .open_github_with(options.clone())
            .read_tree()
            .unwrap_err();
        seen += &format!("{error:?} {}", format_error_chain(&error));
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
