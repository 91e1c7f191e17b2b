//! What a caller says about a repository on GitHub, checked before anything is asked.

use std::fmt;
use std::{path::PathBuf, time::Duration};

use apostille_cite::source::{SourceError, SourceResult};

use crate::git::source_unavailable;

/// GitHub's own API.
const PUBLIC: &str = "https://api.github.com";
/// The longest name of a ref that is asked for.
const MAX_REF: usize = 1_024;

/// Which repository is looked at, and how it is reached.
#[derive(Clone)]
pub struct GitHubOptions {
    /// The address of the API: `https://api.github.com`, or as in `https://ghe.example.com/api/v3`.
    pub base: String,
    /// The repository, as `owner/name`.
    pub repo: String,
    /// A branch, a tag or a commit; `None` is the default branch.
    pub reference: Option<String>,
    /// Who asks. It is sent to the host of `base` only, and only over https or to this machine.
    pub token: Option<String>,
    /// The directory that keeps answers; `None` keeps nothing.
    pub cache: Option<PathBuf>,
    /// How long one request may take, from the name of the host to the last byte.
    pub timeout: Duration,
    /// The proxy to go through, as in `http://proxy.example.com:3128`.
    pub proxy: Option<String>,
    /// Certificates to trust instead of the usual ones, as PEM: those of a company's own authority.
    pub authorities: Option<Vec<u8>>,
}

impl GitHubOptions {
    /// The default branch of a repository on github.com, asked without a token, nothing kept.
    pub fn new(repo: impl Into<String>) -> Self {
        Self {
            base: PUBLIC.into(),
            repo: repo.into(),
            reference: None,
            token: None,
            cache: None,
            timeout: Duration::from_secs(10),
            proxy: None,
            authorities: None,
        }
    }
}

/// Without what is secret: the token, and the base and the proxy, which may hold passwords.
impl fmt::Debug for GitHubOptions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Options")
            .field("repo", &self.repo)
            .field("reference", &self.reference)
            .field("has_token", &self.token.is_some())
            .field("cache", &self.cache)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Refuses what is not written as `owner/name`.
pub(super) fn check_repository_name(text: &str) -> SourceResult<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_part = |it: &str| !it.is_empty() && it != "." && it != ".." && it.chars().all(is_plain);
    match text.split_once('/') {
        Some((owner, name)) if text.len() <= 200 && is_part(owner) && is_part(name) => Ok(()),
        _ => Err(source_unavailable(
            format!("'{}' on GitHub", printable_option(text)),
            "a repository is written owner/name",
        )),
    }
}

/// The ref as the API takes it: without a leading `refs/`.
pub(super) fn parse_github_reference(text: Option<&str>) -> SourceResult<String> {
    let Some(text) = text else {
        return Ok("HEAD".to_owned());
    };
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, ':' | '\\');
    let is_bad = text.is_empty() || text.len() > MAX_REF || text.starts_with('-') || text == ".";
    if is_bad || text.contains(is_odd) || text.contains("..") {
        return Err(SourceError::NoSuchRef(printable_option(text)));
    }
    Ok(text.strip_prefix("refs/").unwrap_or(text).to_owned())
}

/// A text as it can be shown in one line.
fn printable_option(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_owner_and_name() {
        let check = |text: &str, expected: bool| {
            assert_eq!(check_repository_name(text).is_ok(), expected, "{text}")
        };
        check("rust-lang/rust", true);
        check("o/n.js_2", true);
        check("o", false);
        check("o/", false);
        check("/n", false);
        check("o/n/x", false);
        check("o/..", false);
        check("../n", false);
        check("o/n?x", false);
        check("o/n#x", false);
        check("o /n", false);
        check("https://github.com/o/n", false);
    }

    #[test]
    fn references_are_one_word() {
        let check = |text: Option<&str>, expected: Option<&str>| {
            assert_eq!(
                parse_github_reference(text).ok().as_deref(),
                expected,
                "{text:?}"
            );
        };
        check(None, Some("HEAD"));
        check(Some("main"), Some("main"));
        check(Some("feature/größe#1?"), Some("feature/größe#1?"));
        check(Some("refs/heads/main"), Some("heads/main"));
        check(Some("refs/tags/v1"), Some("tags/v1"));
        check(Some(""), None);
        check(Some("."), None);
        check(Some(".."), None);
        check(Some("a..b"), None);
        check(Some("--help"), None);
        check(Some("a b"), None);
        check(Some("a\nb"), None);
        check(Some("main:src"), None);
    }
}
