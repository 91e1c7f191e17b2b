//! Which repositories a server may read on GitHub: `octo/app, octo/lib`, or `octo/*` for all of an owner.

use std::{fmt, str::FromStr};

use apostille_core::space::Space;

/// The repositories that a user listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitHubReadList {
    entries: Vec<String>,
}

impl GitHubReadList {
    /// Whether this repository, which GitHub at this host has, is on the list.
    pub fn has_repository(&self, repo: &Space, host: &str) -> bool {
        let is_it = |entry: &String| match entry.strip_suffix("/*") {
            Some(owner) => {
                let name = repo.short_name().strip_prefix(owner);
                name.is_some_and(|it| it.strip_prefix('/').is_some_and(|it| !it.contains('/')))
            }
            None => repo.short_name() == entry,
        };
        // A repository of the same name on another host is another one.
        let is_there = repo.host().is_none_or(|it| it == host);
        !repo.is_user() && is_there && self.entries.iter().any(is_it)
    }
}

impl FromStr for GitHubReadList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entries = text.split([',', ' ']).filter(|it| !it.is_empty());
        let check = |entry: &str| {
            let name = entry.strip_suffix("/*").map(|it| format!("{it}/all"));
            let name = name.as_deref().unwrap_or(entry);
            match Space::repo(name) {
                Ok(_) if name.split('/').count() == 2 => Ok(entry.to_owned()),
                _ => Err(format!(
                    "'{entry}' is not a repository; expected owner/name, or owner/* for all of an owner"
                )),
            }
        };
        Ok(Self {
            entries: entries.map(check).collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Display for GitHubReadList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.entries[..] {
            [] => f.write_str("none"),
            entries => f.write_str(&entries.join(", ")),
        }
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
