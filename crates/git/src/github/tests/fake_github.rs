//! A repository on the server for tests, in answers of the shape that GitHub gives.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use apostille_cite::source::SourceError;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde_json::json;
use sha1::{Digest as _, Sha1};
use tempfile::TempDir;

use crate::github::{GitHub, GitHubOptions};
use apostille_web::client::scripted_server::{ScriptedReply, ScriptedServer};

/// The commits of the repository.
pub(super) const FIRST: &str = "1111111111111111111111111111111111111111";
pub(super) const SECOND: &str = "2222222222222222222222222222222222222222";
/// The path of the API below which the repository is.
pub(super) const REPO: &str = "/repos/octo/app";
/// What no message and no file may hold.
pub(super) const TOKEN: &str = "ghp_S3cr3tS3cr3tS3cr3t";

/// What is in the first commit: mode, path and content. Directories are listed as GitHub does.
pub(super) const FILES: &[(&str, &str, &str)] = &[
    ("100644", "README.md", "hello\n"),
    ("040000", "docs", ""),
    ("100644", "docs/naïve file#1?.md", "odd\n"),
    ("100644", "empty", ""),
    ("120000", "link", "src/a.rs"),
    ("120000", "linked", "src"),
    ("100755", "run.sh", "#!/bin/sh\n"),
    ("040000", "src", ""),
    ("100644", "src/a.rs", "fn a() {}\n"),
    ("160000", "sub", ""),
];

/// A server with one repository, a cache beside it, and a clock that is set by hand.
pub(super) struct FakeGitHub {
    pub(super) server: ScriptedServer,
    pub(super) home: TempDir,
    pub(super) clock: Arc<AtomicI64>,
    prefix: String,
}

impl FakeGitHub {
    /// A repository whose default branch is at the first commit.
    pub(super) fn new() -> Self {
        Self::with_prefix("")
    }

    /// The same below a path, as GitHub Enterprise has it.
    pub(super) fn with_prefix(prefix: &str) -> Self {
        let (server, home) = (ScriptedServer::start("GET"), TempDir::new().unwrap());
        let hub = Self {
            server,
            home,
            clock: Arc::new(AtomicI64::new(1_000_000)),
            prefix: prefix.into(),
        };
        hub.set_reference("HEAD", FIRST);
        hub.set_listing(FIRST, FILES, false);
        for (_, _, content) in FILES {
            hub.add_blob(content.as_bytes());
        }
        hub
    }

    /// Lets a ref name a commit, with an ETag of that commit.
    pub(super) fn set_reference(&self, reference: &str, commit: &str) {
        self.set_reply(
            &format!("/commits/{reference}"),
            ScriptedReply::ok(commit).with_header(&format!("etag: \"{commit}\"")),
        );
    }

    /// Lists everything below a commit.
    pub(super) fn set_listing(
        &self,
        commit: &str,
        files: &[(&str, &str, &str)],
        is_truncated: bool,
    ) {
        self.set_reply(
            &format!("/git/trees/{commit}?recursive=1"),
            ScriptedReply::ok(build_listing_json(files, is_truncated)),
        );
    }

    /// Puts a content there and returns its id.
    pub(super) fn add_blob(&self, content: &[u8]) -> String {
        let id = git_blob_id(content);
        self.set_reply(
            &format!("/git/blobs/{id}"),
            ScriptedReply::ok(build_blob_json(content, &id)),
        );
        id
    }

    /// Answers a path of the repository from now on.
    pub(super) fn set_reply(&self, path: &str, reply: ScriptedReply) {
        self.set_replies(path, [reply]);
    }

    /// The same with several replies, one after the other.
    pub(super) fn set_replies(&self, path: &str, replies: impl IntoIterator<Item = ScriptedReply>) {
        self.server
            .set_replies(&format!("{}{REPO}{path}", self.prefix), replies);
    }

    /// What was asked for since the last call, without the path that all begin with.
    pub(super) fn take_requested_paths(&self) -> Vec<String> {
        let short = |it: String| it.replacen(&format!("{}{REPO}", self.prefix), "", 1);
        self.server.take_targets().into_iter().map(short).collect()
    }

    pub(super) fn options(&self) -> GitHubOptions {
        GitHubOptions {
            base: format!("{}{}", self.server.base_url(), self.prefix),
            ..GitHubOptions::new("octo/app")
        }
    }

    /// The same with a cache.
    pub(super) fn caching_options(&self) -> GitHubOptions {
        GitHubOptions {
            cache: Some(self.home.path().join("cache")),
            ..self.options()
        }
    }

    pub(super) fn open_github(&self) -> GitHub {
        self.open_github_with(self.options())
    }

    pub(super) fn open_github_with(&self, options: GitHubOptions) -> GitHub {
        let clock = Arc::clone(&self.clock);
        GitHub::new(options, move || {
            Timestamp::from_second(clock.load(Ordering::SeqCst)).unwrap()
        })
        .unwrap()
    }

    /// Lets time pass.
    pub(super) fn advance_clock(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }
}

/// Git's id of a content.
pub(super) fn git_blob_id(content: &[u8]) -> String {
    let header = format!("blob {}\0", content.len());
    let id = Sha1::new()
        .chain_update(header)
        .chain_update(content)
        .finalize();
    id.iter().map(|it| format!("{it:02x}")).collect()
}

/// A tree as the API lists it.
pub(super) fn build_listing_json(files: &[(&str, &str, &str)], is_truncated: bool) -> String {
    let item = |(mode, path, content): &(&str, &str, &str)| {
        let kind = match *mode {
            "040000" => "tree",
            "160000" => "commit",
            _ => "blob",
        };
        // A directory is known by its path here, so that tests can list it by the same id.
        let id = git_blob_id(if kind == "blob" {
            content.as_bytes()
        } else {
            path.as_bytes()
        });
        let mut item = json!({ "path": path, "mode": mode, "type": kind, "sha": id });
        if kind == "blob" {
            item["size"] = content.len().into();
        }
        item
    };
    let items: Vec<_> = files.iter().map(item).collect();
    json!({ "sha": FIRST, "url": "https://api.github.com/x", "tree": items, "truncated": is_truncated })
        .to_string()
}

/// A blob as the API gives it: in base64, with line breaks.
pub(super) fn build_blob_json(content: &[u8], id: &str) -> String {
    let dense = STANDARD.encode(content);
    let mut lines: String = dense
        .as_bytes()
        .chunks(60)
        .map(|it| String::from_utf8_lossy(it) + "\n")
        .collect();
    if content.is_empty() {
        lines.clear();
    }
    json!({ "sha": id, "node_id": "B_1", "size": content.len(), "content": lines, "encoding": "base64" })
        .to_string()
}

/// An error with its causes, in one line.
pub(super) fn format_error_chain(error: &SourceError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(it) = cause {
        text += &format!(": {it}");
        cause = it.source();
    }
    text
}
