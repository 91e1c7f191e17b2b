//! Which repositories are trusted without a question: `github.com/acme/*, gitlab.example.com/ops/tool`.

use std::{fmt, str::FromStr};

use super::name_pattern::NamePatterns;
use crate::trust::CloneIdentity;

/// The hosts and owners that a user listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustAllowList(NamePatterns);

impl TrustAllowList {
    /// Whether the repository of this clone is on the list, by the remote that the clone names.
    pub fn has_clone(&self, clone: &CloneIdentity) -> bool {
        self.0.has_name(&clone.repository)
    }
}

impl FromStr for TrustAllowList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "host/owner/name, or host/owner/* for all of an owner";
        NamePatterns::parse_list(text, 3..=8, expected).map(Self)
    }
}

impl fmt::Display for TrustAllowList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allow_list_names_hosts_and_owners() {
        let check = |list: &str, repository: &str, expected: bool| {
            let list: TrustAllowList = list.parse().unwrap();
            let clone = CloneIdentity {
                folder: "/src/app".into(),
                repository: repository.into(),
            };
            assert_eq!(list.has_clone(&clone), expected, "{list}: {repository}");
        };
        check("github.com/acme/*", "github.com/acme/app", true);
        check("GitHub.com/Acme/*", "github.com/acme/app", true);
        check("github.com/acme/app", "github.com/acme/app", true);
        check("github.com/acme/app", "github.com/acme/apps", false);
        check("github.com/acme/*", "evil.com/acme/app", false);
        check("github.com/acme/*", "github.com/acme-evil/app", false);
        check("github.com/acme/*", "github.com.evil.com/acme/app", false);
        check("github.com/acme/*", "evil.com/github.com/acme/app", false);
        check("gitlab.com/ops/*", "gitlab.com/ops/sub/app", false);
        check("gitlab.com/ops/sub/*", "gitlab.com/ops/sub/app", true);
        check("a.com/x/*, b.com/y/*", "b.com/y/app", true);
        check("", "github.com/acme/app", false);
        check("github.com/acme/*", "local/app-1a2b3c4d", false);
    }

    #[test]
    fn allow_list_refuses_what_has_no_owner() {
        for text in [
            "*",
            "github.com",
            "github.com/*",
            "acme/*",
            "https://github.com/acme/app",
        ] {
            let found = text.parse::<TrustAllowList>();
            assert!(
                found.is_err_and(|it| it.contains("host/owner/name")),
                "{text}"
            );
        }
    }
}
