//! A repository on GitHub as this user reaches it: the token, the cache, the proxy.

use apostille_cite::source::{Source, SourceError};
use apostille_git::github::{GitHub, GitHubOptions};

use crate::{
    config::Settings,
    error::CommandError,
    system::{Environment, System},
};

/// The variables that may hold a token, the most particular first. A token comes from nowhere else.
const TOKENS: [&str; 3] = ["APOSTILLE_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"];

/// The repository in play at a commit, branch or tag, or at its default branch.
pub fn open_github_source(
    system: &System,
    settings: &Settings,
    reference: Option<&str>,
) -> Result<Box<dyn Source>, CommandError> {
    let hub = connect_github(system, settings, reference)?;
    match hub.read_tree() {
        // Whoever names a ref that is not there is mistaken; whatever else fails is found out citation by citation.
        Err(error @ SourceError::NoSuchRef(_)) => Err(error.into()),
        _ => Ok(Box::new(hub)),
    }
}

/// The same before anything is asked.
pub fn connect_github(
    system: &System,
    settings: &Settings,
    reference: Option<&str>,
) -> Result<GitHub, CommandError> {
    let (base, env) = (settings.github_url.clone(), &system.env);
    if let Some(host) = settings
        .repo
        .host()
        .filter(|it| *it != settings.github_host())
    {
        // A repository of the same name there is another one.
        let fault = format!("{} is on {host}, and github.url is {base}", settings.repo);
        return Err(CommandError::config(fault).with_hint("say where its API is: github.url"));
    }
    let options = GitHubOptions {
        reference: reference.map(Into::into),
        token: TOKENS.iter().find_map(|it| env.get(it)).map(Into::into),
        cache: env.cache_dir().map(|it| it.join("github")),
        proxy: find_proxy(env, &base),
        base,
        ..GitHubOptions::new(settings.repo.short_name())
    };
    Ok(GitHub::new(options, system.clock())?)
}

/// The proxy for this address, unless it is to be reached without one.
pub(super) fn find_proxy(env: &Environment, base: &str) -> Option<String> {
    let host = base.strip_prefix("https://")?.split(['/', ':']).next()?;
    let either = |upper, lower| env.get(upper).or_else(|| env.get(lower));
    let mut direct = either("NO_PROXY", "no_proxy")
        .unwrap_or_default()
        .split(',');
    if direct.any(|it| is_no_proxy_match(host, it.trim())) {
        return None;
    }
    either("HTTPS_PROXY", "https_proxy").map(Into::into)
}

/// Whether an entry of `NO_PROXY` means this host: itself, or a domain that it is in.
fn is_no_proxy_match(host: &str, entry: &str) -> bool {
    let domain = entry.trim_start_matches("*.").trim_start_matches('.');
    let before = host.strip_suffix(domain).filter(|_| !domain.is_empty());
    entry == "*" || before.is_some_and(|it| it.is_empty() || it.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_used_unless_it_is_not_wanted() {
        let check = |base: &str, direct: &str, expected: bool| {
            let env = Environment(
                [("https_proxy", "http://proxy:3128"), ("NO_PROXY", direct)]
                    .map(|(name, value)| (name, value.to_owned()))
                    .into(),
            );
            assert_eq!(
                find_proxy(&env, base).is_some(),
                expected,
                "{base} {direct}"
            );
        };
        check("https://api.github.com", "", true);
        check("https://api.github.com", "localhost, github.com", false);
        check("https://api.github.com", ".github.com", false);
        check("https://api.github.com", "hub.com", true);
        check(
            "https://ghe.example.com:8443/api/v3",
            "*.example.com",
            false,
        );
        check("https://ghe.example.com", "*", false);
        check("http://127.0.0.1:80", "", false);
    }
}
