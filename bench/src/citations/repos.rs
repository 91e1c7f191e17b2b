//! Finding the repositories of the cases in a folder, however somebody named them there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use apostille_git::git::Checkout;

/// Short names that the cases use, with the owner and the name that they have on GitHub.
const KNOWN: [(&str, &str, &str); 5] = [
    ("ripgrep", "BurntSushi", "ripgrep"),
    ("flask", "pallets", "flask"),
    ("jq", "jqlang", "jq"),
    ("vue-core", "vuejs", "core"),
    ("caddy", "caddyserver", "caddy"),
];

/// Opens the repository that cases call `repo`; `None` if it is not in the folder. A bare one is opened through a
/// pointer in `scratch`, because a working tree around it would hide it.
pub(crate) fn open(folder: &Path, repo: &str, scratch: &Path) -> Result<Option<Checkout>> {
    let Some(found) = find(folder, repo) else {
        return Ok(None);
    };
    let start = if found.join(".git").exists() {
        found
    } else {
        pointer(&found, &scratch.join(repo))?
    };
    Ok(Checkout::discover(&start)?)
}

/// A folder that is a working tree of this git directory as far as reading commits goes.
fn pointer(git_dir: &Path, at: &Path) -> Result<PathBuf> {
    let git_dir =
        fs::canonicalize(git_dir).with_context(|| format!("cannot open {}", git_dir.display()))?;
    fs::create_dir_all(at)?;
    fs::write(at.join(".git"), format!("gitdir: {}\n", git_dir.display()))?;
    Ok(at.to_path_buf())
}

/// How to bring a repository into the folder.
pub(crate) fn how_to_get(folder: &Path, repo: &str) -> String {
    let into = folder.join(format!("{repo}.git"));
    match known(repo) {
        Some((owner, name)) => {
            format!(
                "get it with: git clone --mirror https://github.com/{owner}/{name} {}",
                into.display()
            )
        }
        None => format!("clone it to {}", into.display()),
    }
}

fn known(repo: &str) -> Option<(&'static str, &'static str)> {
    KNOWN.iter().find(|it| it.0 == repo).map(|it| (it.1, it.2))
}

/// The folder that holds the repository: where it is expected, else any whose name fits.
fn find(folder: &Path, repo: &str) -> Option<PathBuf> {
    let expected = expected(repo).into_iter().map(|it| folder.join(it));
    expected
        .chain(fitting(folder, repo))
        .find_map(|it| repository(&it))
}

/// Names in the order in which they are tried.
fn expected(repo: &str) -> Vec<String> {
    let mut names = vec![repo.to_owned()];
    if let Some((owner, name)) = known(repo) {
        names.extend(["+", "/", "-", "_", "__"].map(|between| format!("{owner}{between}{name}")));
        names.push(name.to_owned());
    }
    names
}

/// What lies in the folder under any name that fits, in order, also one folder deeper (`owner/name`).
fn fitting(folder: &Path, repo: &str) -> Vec<PathBuf> {
    let below = |owner: &PathBuf| {
        entries(owner)
            .into_iter()
            .filter(|it| !name(it).starts_with('.'))
    };
    let deeper: Vec<PathBuf> = entries(folder).iter().flat_map(below).collect();
    let is_it = |path: &PathBuf, owner: &str| spellings(owner, name(path)).contains(&plain(repo));
    let owner_of = |path: &Path| {
        path.parent()
            .map(|it| name(it).to_owned())
            .unwrap_or_default()
    };
    let near = entries(folder).into_iter().filter(|it| is_it(it, ""));
    near.chain(deeper.into_iter().filter(|it| is_it(it, &owner_of(it))))
        .collect()
}

/// Every way in which cases may call an entry of this name in the folder of this owner.
fn spellings(owner: &str, name: &str) -> Vec<String> {
    let name = name.strip_suffix(".git").unwrap_or(name);
    let (owner, name) = name.split_once('+').unwrap_or((owner, name));
    vec![plain(name), plain(&format!("{owner}-{name}"))]
}

/// Small letters, and dashes for everything that stands between words.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '.', '/', '+', ' '], "-")
}

/// The repository at this path, with or without `.git` behind its name, or in a folder `repo` below it.
fn repository(path: &Path) -> Option<PathBuf> {
    let bare = path.with_file_name(format!("{}.git", name(path)));
    [path.to_path_buf(), bare, path.join("repo")]
        .into_iter()
        .find(|it| is_repository(it))
}

fn is_repository(path: &Path) -> bool {
    let is_bare =
        path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir();
    is_bare || path.join(".git").exists()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.path());
    let mut folders: Vec<PathBuf> = entries.filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|it| it.to_str())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much of a bare repository as it takes to be found.
    fn bare(path: &Path) {
        fs::create_dir_all(path.join("objects")).unwrap();
        fs::create_dir_all(path.join("refs")).unwrap();
        fs::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn repositories_are_found_under_many_names() {
        let check = |there: &str, repo: &str, is_found: bool| {
            let dir = tempfile::tempdir().unwrap();
            bare(&dir.path().join(there));
            let found = find(dir.path(), repo);
            assert_eq!(
                found,
                is_found.then(|| dir.path().join(there)),
                "{repo} as {there}"
            );
        };
        for there in [
            "vue-core",
            "vue-core.git",
            "vuejs+core/repo",
            "vuejs+core",
            "vuejs/core",
            "vuejs/core.git",
        ] {
            check(there, "vue-core", true);
        }
        check("vuejs-core.git", "vue-core", true);
        check("core", "vue-core", true);
        check("core", "jq", false);
        check("tokio-rs+tokio/repo", "tokio", true);
        check("tokio-rs/tokio", "tokio", true);
        check("tokio-rs/tokio", "tokio-rs-tokio", true);
        check("serde_json.git", "serde-json", true);
        check("serde", "serde-json", false);
    }

    #[test]
    fn a_bare_repository_inside_a_working_tree_is_opened_itself() {
        let dir = tempfile::tempdir().unwrap();
        bare(&dir.path().join(".git"));
        let inner = dir.path().join("mirrors/jq.git");
        bare(&inner);
        let checkout = open(
            &dir.path().join("mirrors"),
            "jq",
            &dir.path().join("scratch"),
        )
        .unwrap()
        .unwrap();
        assert_eq!(checkout.git_dir(), inner.canonicalize().unwrap());
        assert!(
            open(&dir.path().join("mirrors"), "flask", dir.path())
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn it_is_said_how_to_get_one() {
        let folder = Path::new("mirrors");
        assert!(how_to_get(folder, "flask").contains("github.com/pallets/flask mirrors/flask.git"));
        assert!(how_to_get(folder, "other").contains("other.git"));
    }
}
