//! How `serve` is reached where the command line does not say, and where it finds the code of repositories.

use std::{
    collections::BTreeMap,
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use apostille_core::space::Space;

use super::scalar::{ConfigScalar, PlainValue};

/// How a server is reached. What only the server understands is kept as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeSettings {
    /// Where it listens.
    pub listen: Option<SocketAddr>,
    /// The certificate that it shows.
    pub cert: Option<PathBuf>,
    /// The key of that.
    pub key: Option<PathBuf>,
    /// The proxies that stand before it.
    pub behind_proxy: Vec<String>,
    /// Where they say who asks.
    pub proxy_header: Option<String>,
    /// What clients call it.
    pub public_host: Vec<String>,
}

pub(super) fn parse_listen_address(scalar: &ConfigScalar) -> Result<SocketAddr, String> {
    let text = scalar.as_text()?;
    let expected = |_| format!("expected ADDR:PORT, as in 0.0.0.0:7787, and not '{text}'");
    text.parse().map_err(expected)
}

/// A path; one that is relative begins where the file lies that names it.
pub(super) fn parse_file_path(
    scalar: &ConfigScalar,
    base: &Path,
    home: Option<&Path>,
) -> Result<PathBuf, String> {
    Ok(resolve_path(scalar.as_text()?, base, home))
}

fn resolve_path(text: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(text),
    }
}

/// Where the code of a repository is that is not checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeHome {
    /// A repository on this machine, as `git clone --mirror` makes it.
    Mirror(PathBuf),
    /// GitHub.
    GitHub,
}

/// The repositories that a server was given, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryHomes(BTreeMap<Space, CodeHome>);

impl RepositoryHomes {
    /// Reads `"acme/app" = { mirror = "/srv/app.git" }`, or, from a variable, `acme/app=/srv/app.git, acme/lib=github`.
    pub(super) fn parse_scalar(
        scalar: &ConfigScalar,
        base: &Path,
        home: Option<&Path>,
    ) -> Result<Self, String> {
        let at = |text: &str| CodeHome::Mirror(resolve_path(text, base, home));
        let entries: Vec<(String, CodeHome)> = match scalar {
            ConfigScalar::Table(table) => table
                .iter()
                .map(|(name, entry)| Ok((name.clone(), parse_entry(name, entry, &at)?)))
                .collect::<Result<_, String>>()?,
            other => {
                let names = other.split_names().map_err(|_| expect_table())?;
                let split = |it: &String| match it.split_once('=') {
                    Some((name, "github")) => Ok((name.trim().into(), CodeHome::GitHub)),
                    Some((name, path)) => Ok((name.trim().into(), at(path.trim()))),
                    None => Err(expect_table()),
                };
                names.iter().map(split).collect::<Result<_, _>>()?
            }
        };
        let parse = |(name, home): (String, CodeHome)| {
            let space = Space::repo(&name).map_err(|it| it.to_string())?;
            Ok((space, home))
        };
        let homes: Result<_, String> = entries.into_iter().map(parse).collect();
        homes.map(Self)
    }

    /// Where the code of this repository is. One that was given without its host is meant on every host.
    #[must_use]
    pub fn find_home(&self, repo: &Space) -> Option<&CodeHome> {
        let mut homes = self.0.iter();
        homes
            .find(|(name, _)| *name == repo || repo.is_called(name))
            .map(|it| it.1)
    }

    /// The names of the repositories.
    pub fn list_names(&self) -> impl Iterator<Item = &Space> {
        self.0.keys()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn expect_table() -> String {
    "expected \"owner/name\" = { mirror = \"/srv/name.git\" }, or = { github = true }".into()
}

fn parse_entry(
    name: &str,
    entry: &BTreeMap<String, PlainValue>,
    at: &dyn Fn(&str) -> CodeHome,
) -> Result<CodeHome, String> {
    let mut fields = entry.iter().map(|(key, value)| (key.as_str(), value));
    match (fields.next(), fields.next()) {
        (Some(("mirror", PlainValue::Text(path))), None) if !path.is_empty() => Ok(at(path)),
        (Some(("github", PlainValue::Flag(true))), None) => Ok(CodeHome::GitHub),
        _ => Err(format!("{name}: {}", expect_table())),
    }
}

impl fmt::Display for RepositoryHomes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (n, (name, home)) in self.0.iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            match home {
                CodeHome::Mirror(path) => write!(f, "{comma}{name}={}", path.display())?,
                CodeHome::GitHub => write!(f, "{comma}{name}=github")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(scalar: &ConfigScalar) -> Result<RepositoryHomes, String> {
        RepositoryHomes::parse_scalar(scalar, Path::new("/etc/apostille"), None)
    }

    #[test]
    fn repos_are_read_from_a_table_and_from_a_variable() {
        let table: BTreeMap<String, ConfigScalar> = toml::from_str(
            "repos = { \"acme/app\" = { mirror = \"m/app.git\" }, \"octo/lib\" = { github = true } }",
        )
        .unwrap();
        let homes = parse(&table["repos"]).unwrap();
        let text = "acme/app=/etc/apostille/m/app.git, octo/lib=github";
        assert_eq!(homes.to_string(), text);
        let variable = ConfigScalar::Variable(text.into());
        assert_eq!(parse(&variable).unwrap(), homes);
        let find = |name: &str| homes.find_home(&Space::repo(name).unwrap()).cloned();
        assert_eq!(
            find("github.com/acme/app"),
            Some(CodeHome::Mirror("/etc/apostille/m/app.git".into()))
        );
        assert_eq!(find("octo/lib"), Some(CodeHome::GitHub));
        assert_eq!(find("octo/library"), None);
    }

    #[test]
    fn repos_that_say_nothing_of_use_are_refused() {
        let check = |text: &str| {
            let table: BTreeMap<String, ConfigScalar> = toml::from_str(text).unwrap();
            let told = parse(&table["repos"]).unwrap_err();
            assert!(told.contains("mirror ="), "{text}: {told}");
        };
        check("repos = { \"acme/app\" = { mirror = \"\" } }");
        check("repos = { \"acme/app\" = { github = false } }");
        check("repos = { \"acme/app\" = { clone = \"x\" } }");
        check("repos = { \"acme/app\" = { mirror = \"x\", github = true } }");
        check("repos = { \"acme/app\" = {} }");
        check("repos = [\"acme/app\"]");
        check("repos = 7");
    }
}
