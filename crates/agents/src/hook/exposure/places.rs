//! Folders that hold what others wrote: installed packages, copies of others' code, downloads.

/// Folders by the name that they have anywhere in a path, or by a few names in a row.
const OTHERS_FOLDERS: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "third-party",
    "thirdparty",
    "site-packages",
    "dist-packages",
    ".venv",
    "Pods",
    ".cargo/registry",
    ".cargo/git",
    "go/pkg/mod",
    ".m2/repository",
    ".gradle/caches",
    ".npm/_cacache",
    ".pnpm-store",
    ".yarn/cache",
    ".gem",
    "Downloads",
];

/// Whether a path lies in a folder of others, or is one.
pub(super) fn is_others_place(path: &str) -> bool {
    let path = format!("/{}/", path.replace('\\', "/"));
    let is_in = |it: &&&str| path.contains(&format!("/{it}/"));
    OTHERS_FOLDERS.iter().find(is_in).is_some()
}

/// A path as it is told from a folder. A repository may itself lie in a folder that is called `vendor`.
pub(super) fn strip_folder<'a>(path: &'a str, folder: Option<&str>) -> &'a str {
    let folder = folder.map(|it| it.trim_end_matches('/')).unwrap_or("");
    let rest = path.strip_prefix(folder).filter(|_| !folder.is_empty());
    rest.and_then(|it| it.strip_prefix('/')).unwrap_or(path)
}
