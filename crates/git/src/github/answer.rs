//! The answers of the API, read: what a tree lists, and what a blob holds.

use std::collections::HashMap;

use apostille_text::digest::Digest;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;

use crate::git::{TreeEntryKind, compute_blob_id, is_object_id, parse_tree_mode};

/// An answer that is not what was asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadGitHubAnswer {
    #[error(
        "the answer is not GitHub's; is something in between, such as a sign-in page of the network?"
    )]
    Json(#[from] serde_json::Error),
    #[error(
        "the answer names no commit; is something in between, such as a sign-in page of the network?"
    )]
    NoCommit,
    #[error("the answer lists something that git does not know")]
    Mode,
    #[error("the content is encoded in an unknown way, or its end is missing")]
    Encoding,
    #[error("the content is not the one that its id names; it was damaged on the way")]
    OtherContent,
}

/// One thing that a tree lists.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GitHubTreeEntry {
    pub(super) kind: TreeEntryKind,
    pub(super) id: String,
    /// The size of a file, where it is told.
    pub(super) size: Option<u64>,
}

/// What a tree lists by path: one directory, or everything below it.
#[derive(Debug)]
pub(super) struct GitHubListing {
    entries: HashMap<String, GitHubTreeEntry>,
    /// Whether some of it was left out, because it was too much for one answer.
    pub(super) is_partial: bool,
}

impl GitHubListing {
    /// Reads the API's answer.
    pub(super) fn parse(body: &[u8]) -> Result<Self, BadGitHubAnswer> {
        #[derive(Deserialize)]
        struct ApiContentsItem {
            path: String,
            mode: String,
            sha: String,
            size: Option<u64>,
        }
        #[derive(Deserialize)]
        struct ApiTree {
            tree: Vec<ApiContentsItem>,
            truncated: bool,
        }
        let tree: ApiTree = serde_json::from_slice(body)?;
        let entry = |it: ApiContentsItem| {
            let kind = parse_tree_mode(it.mode.as_bytes()).map_err(|_| BadGitHubAnswer::Mode)?;
            if !is_object_id(&it.sha) {
                return Err(BadGitHubAnswer::Mode);
            }
            let entry = GitHubTreeEntry {
                kind,
                id: it.sha,
                size: it.size,
            };
            Ok((it.path, entry))
        };
        let entries = tree.tree.into_iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Self {
            entries,
            is_partial: tree.truncated,
        })
    }

    /// What it lists under a path, or the link or submodule on the way there.
    pub(super) fn find_entry(&self, path: &str) -> Option<&GitHubTreeEntry> {
        for (at, _) in path.match_indices('/') {
            let above = self.entries.get(&path[..at])?;
            match above.kind {
                TreeEntryKind::Directory => {}
                TreeEntryKind::File => return None,
                TreeEntryKind::Link | TreeEntryKind::Submodule => return Some(above),
            }
        }
        self.entries.get(path)
    }

    /// The paths and ids of all files.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self
            .entries
            .iter()
            .filter(|(_, it)| it.kind == TreeEntryKind::File);
        files.map(|(path, it)| (path.as_str(), it.id.as_str()))
    }
}

/// The commit id that an answer consists of.
pub(super) fn parse_commit_id(body: &[u8]) -> Result<String, BadGitHubAnswer> {
    std::str::from_utf8(body)
        .ok()
        .map(str::trim)
        .filter(|it| is_object_id(it))
        .map(str::to_ascii_lowercase)
        .ok_or(BadGitHubAnswer::NoCommit)
}

/// The content of a blob, if it is the one that the id names.
pub(super) fn parse_blob_content(body: &[u8], id: &str) -> Result<Vec<u8>, BadGitHubAnswer> {
    #[derive(Deserialize)]
    struct ApiBlob {
        content: String,
        encoding: String,
    }
    let blob: ApiBlob = serde_json::from_slice(body)?;
    if blob.encoding != "base64" {
        return Err(BadGitHubAnswer::Encoding);
    }
    let mut dense = blob.content.into_bytes();
    dense.retain(|it| !it.is_ascii_whitespace());
    let bytes = STANDARD
        .decode(dense)
        .map_err(|_| BadGitHubAnswer::Encoding)?;
    if has_blob_id(&bytes, id) {
        Ok(bytes)
    } else {
        Err(BadGitHubAnswer::OtherContent)
    }
}

/// What the contents API says of a path.
#[derive(Debug, PartialEq)]
pub(super) enum GitHubContents {
    /// A file: its id, its size, and its content unless that is too long for this answer.
    File {
        id: String,
        size: u64,
        content: Option<Vec<u8>>,
    },
    /// A directory.
    Directory,
    /// A link or a submodule.
    Outside,
}

/// Reads an answer of the contents API: a list for a directory, else one object.
pub(super) fn parse_contents_answer(body: &[u8]) -> Result<GitHubContents, BadGitHubAnswer> {
    #[derive(Deserialize)]
    struct ApiContentsItem {
        r#type: String,
        sha: String,
        #[serde(default)]
        size: u64,
        #[serde(default)]
        encoding: String,
    }
    if body.trim_ascii_start().starts_with(b"[") {
        return Ok(GitHubContents::Directory);
    }
    let item: ApiContentsItem = serde_json::from_slice(body)?;
    match item.r#type.as_str() {
        "file" if is_object_id(&item.sha) => {
            let is_told = item.encoding == "base64";
            let content = is_told.then(|| parse_blob_content(body, &item.sha));
            Ok(GitHubContents::File {
                content: content.transpose()?,
                id: item.sha,
                size: item.size,
            })
        }
        "dir" => Ok(GitHubContents::Directory),
        "symlink" | "submodule" => Ok(GitHubContents::Outside),
        _ => Err(BadGitHubAnswer::Mode),
    }
}

/// Whether git gives these bytes this id.
fn has_blob_id(bytes: &[u8], id: &str) -> bool {
    if id.len() == 64 {
        let header = format!("blob {}\0", bytes.len());
        return Digest::hash_bytes(&[header.as_bytes(), bytes].concat()).to_string() == id;
    }
    compute_blob_id(bytes) == id
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Git's ids of the content `one`, by SHA-1 and by SHA-256.
    const ONE: &str = "43dd47ea691c90a5fa7827892c70241913351963";
    const ONE_256: &str = "437613f2000d14882113a8ceeb5e68572589edac29230c9fecd09d682612c4a3";

    fn blob_text(content: &str, encoding: &str, id: &str) -> String {
        let body =
            serde_json::json!({ "content": content, "encoding": encoding, "size": 3, "sha": id });
        match parse_blob_content(body.to_string().as_bytes(), id) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn blobs_are_decoded_and_must_be_the_ones_named() {
        let check = |content: &str, encoding: &str, id: &str, expected: &str| {
            assert_eq!(
                blob_text(content, encoding, id),
                expected,
                "{content:?} {encoding}"
            );
        };
        check("b25l", "base64", ONE, "one");
        check("b2\n5l\n", "base64", ONE, "one");
        check("b25", "base64", ONE, "Encoding");
        check("b25l!", "base64", ONE, "Encoding");
        check("", "none", ONE, "Encoding");
        check("one", "utf-8", ONE, "Encoding");
        check("dHdv", "base64", ONE, "OtherContent");
        check("", "base64", ONE, "OtherContent");
        check("b25l", "base64", ONE_256, "one");
        check("dHdv", "base64", ONE_256, "OtherContent");
        check("", "base64", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "");
        check(
            "",
            "base64",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
            "",
        );
    }

    #[test]
    fn commits_are_ids_and_nothing_else() {
        let check = |body: &str, is_good: bool| {
            assert_eq!(parse_commit_id(body.as_bytes()).is_ok(), is_good, "{body}")
        };
        check(ONE, true);
        check(&format!("{ONE}\n"), true);
        check("<html>sign in</html>", false);
        check("", false);
        check("main", false);
    }

    #[test]
    fn paths_are_found_in_listings() {
        let item = |path: &str, mode: &str| {
            format!(r#"{{"path":"{path}","mode":"{mode}","sha":"{ONE}"}}"#)
        };
        let items = [
            item("src", "040000"),
            item("src/a.rs", "100644"),
            item("run", "100755"),
            item("link", "120000"),
            item("sub", "160000"),
        ];
        let body = format!(
            r#"{{"sha":"{ONE}","tree":[{}],"truncated":false}}"#,
            items.join(",")
        );
        let listing = GitHubListing::parse(body.as_bytes()).unwrap();
        let check = |path: &str, expected: &str| {
            let found = match listing.find_entry(path).map(|it| it.kind) {
                Some(TreeEntryKind::Link | TreeEntryKind::Submodule) => "Outside".to_owned(),
                Some(kind) => format!("{kind:?}"),
                None => "Nothing".to_owned(),
            };
            assert_eq!(found, expected, "{path}");
        };
        check("src/a.rs", "File");
        check("run", "File");
        check("src", "Directory");
        check("link", "Outside");
        check("link/a.rs", "Outside");
        check("sub", "Outside");
        check("sub/a.rs", "Outside");
        check("src/b.rs", "Nothing");
        check("run/x", "Nothing");
        check("no/such", "Nothing");
    }

    #[test]
    fn other_answers_are_no_listings() {
        let check = |body: &str, expected: &str| {
            let error = GitHubListing::parse(body.as_bytes())
                .err()
                .map(|it| format!("{it:?}"));
            assert!(
                error.as_deref().is_some_and(|it| it.starts_with(expected)),
                "{body}: {error:?}"
            );
        };
        check("<html>sign in</html>", "Json");
        check("", "Json");
        check("{}", "Json");
        check(r#"{"message":"Not Found"}"#, "Json");
        check(r#"{"tree":[]}"#, "Json");
        check(r#"{"tree":[],"truncated":fal"#, "Json");
        check(
            r#"{"tree":[{"path":"a","mode":"777","sha":"x"}],"truncated":false}"#,
            "Mode",
        );
        check(
            r#"{"tree":[{"path":"a","mode":"100644","sha":"../x"}],"truncated":false}"#,
            "Mode",
        );
    }
}
