//! The repository on GitHub, where it is not checked out: whom to ask, and with whose word.

use apostille_backends::github::{GitHub, Options};
use apostille_core::source::SourceError;
use apostille_core::space::Space;

use super::{Environment, World};

/// Where the API is, the first that is set.
const ADDRESSES: [&str; 2] = ["APOSTILLE_GITHUB_URL", "GITHUB_API_URL"];
/// Who asks, the first that is set. Only the environment is believed: a repository's file is not the user's word.
const TOKENS: [&str; 3] = ["APOSTILLE_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"];
const PROXIES: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The repository that a space is called after, at a ref or at its default branch.
pub fn source(world: &World, space: &Space, reference: Option<&str>) -> Result<GitHub, SourceError> {
    let usual = Options::new(space.as_str());
    let base = first(&world.env, &ADDRESSES).map_or(usual.base.clone(), str::to_owned);
    let options = Options {
        reference: reference.map(str::to_owned),
        token: first(&world.env, &TOKENS).map(str::to_owned),
        cache: world.env.cache_dir().map(|it| it.join("github")),
        proxy: first(&world.env, &PROXIES).filter(|_| !is_direct(&world.env, &base)).map(str::to_owned),
        base,
        ..usual
    };
    GitHub::new(options, world.clock())
}

fn first<'e>(env: &'e Environment, names: &[&str]) -> Option<&'e str> {
    names.iter().find_map(|it| env.get(it))
}

/// Whether a host is to be asked without the proxy: it, or a domain it is in, is on the list; or all are.
fn is_direct(env: &Environment, base: &str) -> bool {
    let host = base.split("://").last().unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    let is_it = |it: &str| {
        let domain = it.trim().trim_start_matches('.');
        domain == "*" || host == domain || (!domain.is_empty() && host.ends_with(&format!(".{domain}")))
    };
    first(env, &DIRECT).is_some_and(|it| it.split(',').any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_asked_directly_where_the_list_says_so() {
        let check = |list: &'static str, base: &str, expected: bool| {
            let env = Environment::of(&[("NO_PROXY", list)]);
            assert_eq!(is_direct(&env, base), expected, "{list} {base}");
        };
        check("localhost,.corp.example", "https://ghe.corp.example/api/v3", true);
        check("corp.example", "https://ghe.corp.example:8443", true);
        check("corp.example", "https://notcorp.example", false);
        check("*", "https://api.github.com", true);
        check("", "https://api.github.com", false);
    }
}
