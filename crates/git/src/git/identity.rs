//! Whose memory a repository's is: `host/owner/name` from its remote, else a name for this machine only.
//!
//! The host is part of the name: another host may have somebody else's repository of the same owner and name. Mirrors and the
//! aliases of an ssh configuration are joined by a person (`apostille spaces link`).

use std::path::Path;

use apostille_text::digest::Digest;

use super::config::GitConfig;

/// The ways to reach a remote over a network. Others are local, or run a program.
const SCHEMES: [&str; 8] = [
    "https", "http", "ssh", "git", "git+ssh", "ssh+git", "ftps", "ftp",
];
/// The first segment of repositories without a usable remote; no remote may claim it.
const LOCAL: &str = "local/";
/// The longest part of a folder's name that is shown.
const MAX_FOLDER: usize = 60;

/// What a remote calls a repository: host, and `owner/name`, in lower case with characters beyond letters, digits, `.`,
/// `_` and `-` turned to `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteIdentity {
    /// The host; empty for a repository without a usable remote.
    pub host: String,
    /// `owner/name`, or more segments on hosts that have groups.
    pub path: String,
}

impl RemoteIdentity {
    /// `host/owner/name`, or the local name of a repository without a usable remote.
    pub fn full_name(&self) -> String {
        if self.host.is_empty() {
            self.path.clone()
        } else {
            format!("{}/{}", self.host, self.path)
        }
    }
}

/// Names under which the large hosts also answer: for ssh through a firewall, or from earlier years.
const HOST_ALIASES: [(&str, &str); 7] = [
    ("www.github.com", "github.com"),
    ("ssh.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("www.bitbucket.org", "bitbucket.org"),
    ("ssh.dev.azure.com", "dev.azure.com"),
    ("vs-ssh.visualstudio.com", "dev.azure.com"),
];

/// The longest host and the longest path, in bytes, and the most segments that an identity has.
const MAX_HOST: usize = 80;
const MAX_PATH: usize = 200;
const SEGMENTS: std::ops::RangeInclusive<usize> = 2..=8;

/// What a remote's URL names; `None` for local paths and for names that cannot be used.
///
/// Only host and path of the URL are used: user names, tokens and ports never show. Percent-encodings are decoded first.
pub fn space_from_remote_url(url: &str) -> Option<RemoteIdentity> {
    let (host, path) = split_network_url(url.trim())?;
    // An `@` here is what is left of a password that holds a slash: no name is better than a leaked one.
    if path.contains('@') {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let segments: Vec<String> = repository_segments(host, path)
        .iter()
        .map(|it| sanitize_space_segment(&percent_decode_segment(it)))
        .collect();
    let path = segments.join("/").to_ascii_lowercase();
    let is_taken = path.starts_with(LOCAL) || path.starts_with("users/");
    let host = normalize_host(host);
    let is_fit = SEGMENTS.contains(&segments.len())
        && path.len() <= MAX_PATH
        && (1..=MAX_HOST).contains(&host.len())
        && !is_taken
        && !segments.iter().any(|it| it.chars().all(|c| c == '.'));
    is_fit.then_some(RemoteIdentity { host, path })
}

/// A host as it is part of a name: one name for one host.
fn normalize_host(host: &str) -> String {
    let host = sanitize_space_segment(host).to_ascii_lowercase();
    let host = host.trim_matches(['-', '.']);
    if host.ends_with(".visualstudio.com") {
        return "dev.azure.com".into();
    }
    let known = HOST_ALIASES.iter().find(|it| it.0 == host);
    known.map_or(host, |it| it.1).to_owned()
}

/// What a repository is called: by `origin`, else of `upstream`, else of the first remote, else a local name.
pub(super) fn find_repository_space(config: &GitConfig, common_dir: &Path) -> RemoteIdentity {
    let remotes = config.remote_urls();
    let preferred = ["origin", "upstream"]
        .iter()
        .filter_map(|it| remotes.get(it));
    preferred
        .chain(remotes.values())
        .find_map(|url| space_from_remote_url(url))
        .unwrap_or_else(|| build_local_space(common_dir))
}

/// A name that stays the same as long as the repository stays in its place.
fn build_local_space(common_dir: &Path) -> RemoteIdentity {
    let digest = Digest::hash_bytes(common_dir.as_os_str().as_encoded_bytes()).short_hex();
    let folder: String = sanitize_space_segment(&repository_folder_name(common_dir))
        .chars()
        .take(MAX_FOLDER)
        .collect();
    RemoteIdentity {
        host: String::new(),
        path: format!("{LOCAL}{folder}-{}", &digest[..8]).to_ascii_lowercase(),
    }
}

/// The name that people know the repository's folder by.
fn repository_folder_name(common_dir: &Path) -> String {
    let name = |it: &Path| it.file_name().map(|it| it.to_string_lossy().into_owned());
    let own = name(common_dir).unwrap_or_default();
    // `.git`, or the `.bare` of layouts where every working tree is a linked one.
    let shown = if own.starts_with('.') {
        common_dir.parent().and_then(name)
    } else {
        Some(own)
    };
    let shown = shown.unwrap_or_default();
    shown.strip_suffix(".git").unwrap_or(&shown).to_owned()
}

/// The host and the path of a URL that leads over a network.
fn split_network_url(url: &str) -> Option<(&str, &str)> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return split_scp_url(url);
    };
    if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit('@').next().unwrap_or_default();
    let is_port = |it: &str| it.chars().all(|c| c.is_ascii_digit());
    Some((
        host.rsplit_once(':')
            .filter(|(_, port)| is_port(port))
            .map_or(host, |(host, _)| host),
        path,
    ))
}

/// The same for `user@host:path`; a slash before the colon makes it a local path, as does a drive letter.
fn split_scp_url(url: &str) -> Option<(&str, &str)> {
    let bracketed = url.split_once("]:");
    let (user_host, path) = bracketed.or_else(|| url.split_once(':'))?;
    let is_local = user_host.contains(['/', '\\']) || user_host.len() < 2;
    // `ext::…` names a program to run, not a host.
    if is_local || path.starts_with(':') {
        return None;
    }
    Some((user_host.rsplit('@').next().unwrap_or_default(), path))
}

/// The parts of the path that name the repository.
fn repository_segments<'a>(host: &'a str, path: &'a str) -> Vec<&'a str> {
    let mut segments: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    if segments.last() == Some(&".git") {
        segments.pop();
    }
    if let Some(name) = segments.last_mut() {
        *name = name.strip_suffix(".git").unwrap_or(name);
    }
    normalize_azure_segments(host, segments)
}

/// Azure DevOps writes one repository in several ways; all become `org/project/repo`.
fn normalize_azure_segments<'a>(host: &'a str, mut segments: Vec<&'a str>) -> Vec<&'a str> {
    let lower = host.to_ascii_lowercase();
    if matches!(
        lower.as_str(),
        "ssh.dev.azure.com" | "vs-ssh.visualstudio.com"
    ) {
        segments.drain(..usize::from(segments.first() == Some(&"v3")));
        return segments;
    }
    if lower.ends_with(".visualstudio.com") {
        segments.drain(..usize::from(segments.first() == Some(&"DefaultCollection")));
        segments.insert(0, host.split('.').next().unwrap_or_default());
    }
    let is_azure = lower == "dev.azure.com" || lower.ends_with(".visualstudio.com");
    match segments.as_slice() {
        // A project's repository of the same name is written without the project.
        [org, "_git", repo] if is_azure => vec![*org, *repo, *repo],
        _ => segments.into_iter().filter(|it| *it != "_git").collect(),
    }
}

fn percent_decode_segment(segment: &str) -> String {
    let mut parts = segment.split('%');
    let mut decoded: Vec<u8> = parts.next().unwrap_or_default().into();
    for part in parts {
        let code = part
            .get(..2)
            .filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                decoded.extend(&part.as_bytes()[2..]);
            }
            None => {
                decoded.push(b'%');
                decoded.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn sanitize_space_segment(segment: &str) -> String {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let tidy: String = segment
        .chars()
        .map(|c| if is_name_char(c) { c } else { '-' })
        .collect();
    // A name that begins with a dash would be taken for an option where people type it.
    tidy.trim_start_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        assert_eq!(
            space_from_remote_url(url)
                .as_ref()
                .map(|it| it.path.as_str()),
            expected,
            "{url:?}"
        );
    }

    #[test]
    fn urls_over_a_network_name_a_space() {
        check("https://github.com/MyOrg/MyApp.git", Some("myorg/myapp"));
        check("https://github.com/myorg/myapp", Some("myorg/myapp"));
        check("https://github.com/myorg/myapp/", Some("myorg/myapp"));
        check("https://github.com/myorg/myapp.git/", Some("myorg/myapp"));
        check(
            "https://github.com//myorg//myapp.git//",
            Some("myorg/myapp"),
        );
        check("HTTPS://github.com/myorg/myapp", Some("myorg/myapp"));
        check("http://host:8080/myorg/myapp", Some("myorg/myapp"));
        check("git://host/myorg/myapp.git", Some("myorg/myapp"));
        check("ssh://git@host:22/myorg/myapp.git", Some("myorg/myapp"));
        check("ssh://git@[::1]:22/myorg/myapp.git", Some("myorg/myapp"));
        check("git+ssh://git@host/myorg/myapp.git", Some("myorg/myapp"));
        check("git@github.com:myorg/myapp.git", Some("myorg/myapp"));
        check("git@host:/myorg/myapp.git", Some("myorg/myapp"));
        check("git@host:group/sub/name.git", Some("group/sub/name"));
        check("work-alias:myorg/myapp", Some("myorg/myapp"));
        check("git@[::1]:myorg/myapp.git", Some("myorg/myapp"));
        check("[git@host:22]:myorg/myapp.git", Some("myorg/myapp"));
        check("git@host:srv/myapp/.git", Some("srv/myapp"));
        check("https://host/my%20org/my%2Fapp.git", Some("my-org/my-app"));
        check("https://host/100%/app%zz", Some("100-/app-zz"));
        check("https://host/~ana/dotfiles", Some("ana/dotfiles"));
        check("  https://host/a/b\n", Some("a/b"));
    }

    #[test]
    fn hosts_are_part_of_the_full_name() {
        let check = |url: &str, expected: &str| {
            let found = space_from_remote_url(url).map(|it| it.full_name());
            assert_eq!(found.as_deref(), Some(expected), "{url:?}");
        };
        check("https://GitHub.com/octo/app", "github.com/octo/app");
        check("git@github.com:octo/app.git", "github.com/octo/app");
        check(
            "ssh://git@ssh.github.com:443/octo/app",
            "github.com/octo/app",
        );
        check("https://gitlab.com/octo/app", "gitlab.com/octo/app");
        check("git@altssh.gitlab.com:octo/app", "gitlab.com/octo/app");
        check("ssh://git@[::1]:22/octo/app", "1/octo/app");
        check("work-alias:octo/app", "work-alias/octo/app");
        check("https://user:t0ken@host:8443/a/b", "host/a/b");
        check("git@ssh.dev.azure.com:v3/o/p/r", "dev.azure.com/o/p/r");
        check("https://o.visualstudio.com/p/_git/r", "dev.azure.com/o/p/r");
    }

    #[test]
    fn azure_names_are_the_same_in_every_form() {
        check(
            "https://dev.azure.com/org/project/_git/repo",
            Some("org/project/repo"),
        );
        check(
            "https://org@dev.azure.com/org/My%20Project/_git/repo",
            Some("org/my-project/repo"),
        );
        check("https://dev.azure.com/org/_git/repo", Some("org/repo/repo"));
        check(
            "git@ssh.dev.azure.com:v3/org/project/repo",
            Some("org/project/repo"),
        );
        check(
            "https://org.visualstudio.com/project/_git/repo",
            Some("org/project/repo"),
        );
        check(
            "https://org.visualstudio.com/DefaultCollection/project/_git/repo",
            Some("org/project/repo"),
        );
        check(
            "org@vs-ssh.visualstudio.com:v3/org/project/repo",
            Some("org/project/repo"),
        );
        check(
            "https://tfs.example/tfs/main/project/_git/repo",
            Some("tfs/main/project/repo"),
        );
    }

    #[test]
    fn local_and_unusable_remotes_name_no_space() {
        check("file:///srv/git/repo.git", None);
        check("/srv/git/repo.git", None);
        check("./repo", None);
        check("../owner/repo:x", None);
        check("~/owner/repo", None);
        check("C:\\work\\repo", None);
        check("C:/work/repo", None);
        check("\\\\server\\share\\repo", None);
        check("ext::sh -c 'touch pwned' owner/repo", None);
        check("https://host/single", None);
        check("git@host:single.git", None);
        check("https://host", None);
        check("https://host/", None);
        check("https://host/a/../b", None);
        check("https://host/a/%2e%2e/b", None);
        check("https://host/a/b/c/d/e/f/g/h/i", None);
        check("https://github.com/users/ana", None);
        check("https://github.com/Users/ana", None);
        check("https://github.com/%75sers/ana", None);
        check("https://github.com/local/app-01234567", None);
        check("https://github.com/-/-", None);
        check("", None);
    }

    #[test]
    fn credentials_never_show() {
        check(
            "https://user:t0ken@host:8443/myorg/myapp.git",
            Some("myorg/myapp"),
        );
        check("https://t0ken@host/myorg/myapp.git", Some("myorg/myapp"));
        check(
            "https://user:p@ss@host/myorg/myapp.git",
            Some("myorg/myapp"),
        );
        check(
            "https://host/myorg/myapp.git?private_token=t0ken",
            Some("myorg/myapp"),
        );
        check("https://host/myorg/myapp#t0ken", Some("myorg/myapp"));
        check("https://user:t0/ken@host/myorg/myapp.git", None);
        check("https://user:t0/k/e#n@host/myorg/myapp.git", None);
        check(
            "https://user:t0#ken@host/myorg/myapp.git",
            Some("myorg/myapp"),
        );
        check("user:t0ken@host/myorg/myapp.git", None);
    }

    #[test]
    fn the_best_remote_wins() {
        let check = |remotes: &[(&str, &str)], expected: &str| {
            let section =
                |(name, url): &(&str, &str)| format!("[remote \"{name}\"]\n\turl = {url}\n");
            let config = GitConfig::parse(&remotes.iter().map(section).collect::<String>());
            assert_eq!(
                find_repository_space(&config, Path::new("/work/My App/.git")).path,
                expected,
                "{remotes:?}"
            );
        };
        let local = "local/my-app-";
        let here = self::build_local_space(Path::new("/work/My App/.git")).path;
        assert!(
            here.starts_with(local) && here.len() == local.len() + 8,
            "{here}"
        );
        check(
            &[
                ("a", "git@h:a/a"),
                ("upstream", "git@h:u/u"),
                ("origin", "git@h:o/o"),
            ],
            "o/o",
        );
        check(&[("a", "git@h:a/a"), ("upstream", "git@h:u/u")], "u/u");
        check(&[("z", "git@h:z/z"), ("a", "git@h:a/a")], "a/a");
        check(
            &[("origin", "/srv/repo.git"), ("upstream", "git@h:u/u")],
            "u/u",
        );
        check(&[("origin", "/srv/owner/repo.git")], &here);
        check(&[("origin", "git@h:users/ana")], &here);
        check(&[], &here);
    }

    #[test]
    fn local_names_are_tidy_and_tell_places_apart() {
        let check = |path: &str, expected: &str| {
            let name = build_local_space(Path::new(path)).path;
            assert_eq!(
                name.rsplit_once('-').map(|it| it.0),
                Some(expected),
                "{path}"
            );
        };
        check("/work/app/.git", "local/app");
        check("/work/app/.bare", "local/app");
        check("/work/app.git", "local/app");
        check("/work/app/.git/modules/lib", "local/lib");
        check("/work/naïve/.git", "local/na-ve");
        check("/.git", "local/");
        assert_ne!(
            build_local_space(Path::new("/a/app/.git")),
            build_local_space(Path::new("/b/app/.git"))
        );
        assert!(
            build_local_space(Path::new(&format!("/{}/.git", "x".repeat(250))))
                .path
                .len()
                < 80
        );
    }
}
