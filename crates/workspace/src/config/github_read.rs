//! Which repositories a server may read on GitHub: `octo/app, octo/lib`, or `octo/*` for all of an owner.

use std::{fmt, str::FromStr};

use apostille_core::space::Space;

use super::name_pattern::NamePatterns;

/// The repositories that a user listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitHubReadList(NamePatterns);

impl GitHubReadList {
    /// Whether this repository, which GitHub at this host has, is on the list.
    pub fn has_repository(&self, repo: &Space, host: &str) -> bool {
        // A repository of the same name on another host is another one.
        let is_there = repo.host().is_none_or(|it| it == host);
        !repo.is_user() && is_there && self.0.has_name(repo.short_name())
    }
}

impl FromStr for GitHubReadList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "owner/name, or owner/* for all of an owner";
        NamePatterns::parse_list(text, 2..=2, expected).map(Self)
    }
}

impl fmt::Display for GitHubReadList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_list_names_repositories_and_owners() {
        let check = |list: &str, repo: &str, expected: bool| {
            let list: GitHubReadList = list.parse().unwrap();
            let found = list.has_repository(&Space::repo(repo).unwrap(), "github.com");
            assert_eq!(found, expected, "{list}: {repo}");
        };
        check("octo/app", "octo/app", true);
        check("octo/app, octo/lib", "octo/lib", true);
        check("octo/app", "octo/apps", false);
        check("octo/*", "octo/anything", true);
        check("Octo/App", "octo/app", true);
        check("octo/*", "octopus/app", false);
        check("", "octo/app", false);
        check("octo/app", "github.com/octo/app", true);
        check("octo/*", "github.com/octo/app", true);
        check("octo/*", "gitlab.com/octo/app", false);
    }

    #[test]
    fn read_list_refuses_what_is_not_a_repository() {
        for text in ["octo", "*", "octo/", "https://github.com/octo/app", "a/b/c"] {
            let found = text.parse::<GitHubReadList>();
            assert!(found.is_err_and(|it| it.contains("owner/name")), "{text}");
        }
    }
}
