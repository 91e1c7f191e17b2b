//! Where a file stands: below `/memories`, in one of four scopes, and with no way out.

use std::fmt;

use apostille_core::policy::PATH_CHARS;
use apostille_text::{moderate, secrets::mask_secrets};

use super::{FileResult, refuse_command};

/// Where all files stand.
const ROOT: &str = "/memories";
/// How many levels there are below it.
const MAX_LEVELS: usize = 6;

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileScope {
    User,
    Session,
    Repo,
    Tasks,
}

impl FileScope {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::User, Self::Session, Self::Repo, Self::Tasks];

    /// The directory below the root; the user's files stand in the root itself.
    fn folder_name(self) -> Option<&'static str> {
        match self {
            Self::User => None,
            Self::Session => Some("session"),
            Self::Repo => Some("repo"),
            Self::Tasks => Some("tasks"),
        }
    }
}

/// A path that is fit to name a file or a directory, without the root: empty for the root itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemoryPath(String);

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.0.is_empty() {
            f.write_str(ROOT)
        } else {
            write!(f, "{ROOT}/{}", self.0)
        }
    }
}

impl MemoryPath {
    /// A path as a caller writes it; one slash at the end does no harm.
    pub(super) fn parse(text: &str) -> FileResult<Self> {
        let below = text
            .strip_prefix(ROOT)
            .filter(|it| it.is_empty() || it.starts_with('/'));
        let Some(below) = below else {
            let text = sanitize_echoed_path(text);
            return refuse_command(format!("Path must start with {ROOT}, got: {text}"));
        };
        let below = below.strip_prefix('/').unwrap_or(below);
        let below = below.strip_suffix('/').unwrap_or(below);
        if text.chars().count() > PATH_CHARS {
            return refuse_command(format!(
                "a path has at most {PATH_CHARS} characters; choose a shorter one"
            ));
        }
        if is_escaping_path(below) {
            return refuse_command("Error: Path traversal is not allowed");
        }
        if !below.is_empty() {
            let n_levels = below.split('/').count();
            if n_levels > MAX_LEVELS {
                return refuse_command(format!(
                    "{n_levels} levels below {ROOT}, at most {MAX_LEVELS} are kept; choose a shorter path"
                ));
            }
            below.split('/').try_for_each(check_path_segment)?;
        }
        Ok(Self(below.to_owned()))
    }

    /// The path of this name in a scope, and there in the folder of a task; `None` when it is no fit name.
    pub(super) fn from_parts(scope: FileScope, task: Option<&str>, name: &str) -> Option<Self> {
        if task.is_some_and(|it| it.contains('/')) {
            return None;
        }
        let below: Vec<&str> = [scope.folder_name(), task, Some(name)]
            .into_iter()
            .flatten()
            .collect();
        let text = format!("{ROOT}/{}", below.join("/"));
        let path = Self::parse(&text).ok()?;
        let is_itself = path.to_string() == text && path.scope() == scope && !path.is_virtual();
        is_itself.then_some(path)
    }

    /// The directory that holds everything.
    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is a directory that is there by itself: the root, or that of a scope.
    pub(super) fn is_virtual(&self) -> bool {
        self.is_root()
            || FileScope::ALL
                .iter()
                .any(|it| it.folder_name() == Some(&self.0))
    }

    /// Whose it is.
    pub(super) fn scope(&self) -> FileScope {
        let first = self.0.split('/').next();
        FileScope::ALL
            .into_iter()
            .find(|it| it.folder_name().is_some() && it.folder_name() == first)
            .unwrap_or(FileScope::User)
    }

    /// The scopes that have files at or below it.
    pub(super) fn scopes(&self) -> Vec<FileScope> {
        if self.is_root() {
            FileScope::ALL.to_vec()
        } else {
            vec![self.scope()]
        }
    }

    /// The path within its scope.
    fn path_in_scope(&self) -> &str {
        let inner = self
            .scope()
            .folder_name()
            .and_then(|folder| self.0.strip_prefix(folder));
        inner.map_or(self.0.as_str(), |it| it.strip_prefix('/').unwrap_or(it))
    }

    /// The task whose folder it stands in, or is.
    pub(super) fn task(&self) -> Option<&str> {
        let is_task = self.scope() == FileScope::Tasks;
        self.path_in_scope().split('/').next().filter(|_| is_task)
    }

    /// The name of a file here, as the subject of a memory; `None` where only a directory can be.
    pub(super) fn subject_name(&self) -> Option<&str> {
        let name = match self.scope() {
            FileScope::Tasks => self.path_in_scope().split_once('/')?.1,
            _ => self.path_in_scope(),
        };
        (!name.is_empty()).then_some(name)
    }

    /// The name of the file that stands here: of one that belongs to no task, the last part.
    pub(super) fn file_name(&self) -> &str {
        self.subject_name().unwrap_or_else(|| self.path_in_scope())
    }

    /// The rest of this path below a directory, in its parts; `None` when it is not below it.
    pub(super) fn parts_below(&self, folder: &Self) -> Option<Vec<&str>> {
        let rest = if folder.is_root() {
            &self.0
        } else {
            self.0.strip_prefix(&folder.0)?.strip_prefix('/')?
        };
        (!rest.is_empty()).then(|| rest.split('/').collect())
    }
}

/// Whether a path tries to leave, in any dress that something on the way may take for it.
fn is_escaping_path(below: &str) -> bool {
    let lower = below.to_ascii_lowercase();
    // `%2e`, `%252e`, `%%32%65`, `%c0%ae`, `%u2215`: whatever reads escapes may read a way out of them.
    let is_escape =
        |it: &[u8]| it[0] == b'%' && matches!(it[1], b'0'..=b'9' | b'a'..=b'f' | b'u' | b'%');
    let is_coded = lower.as_bytes().windows(2).any(is_escape);
    let is_dots = |it: &str| it.starts_with('.') && it.trim_end_matches([' ', '.']).is_empty();
    // `C:..` leads out where a drive is a drive.
    let is_bare = |it: &str| it.is_empty() || it.split(':').any(is_dots);
    let has_bare = !below.is_empty() && below.split('/').any(is_bare);
    is_coded || has_bare || below.contains(['\\', '\0'])
}

fn check_path_segment(segment: &str) -> FileResult<()> {
    let why = if segment.starts_with('.') {
        "begins with a dot, and hidden names are not kept"
    } else if segment.chars().any(char::is_control) || moderate::neutralise_text(segment) != segment
    {
        "has characters that cannot be seen"
    } else if segment.trim() != segment {
        "begins or ends with a space"
    } else {
        return Ok(());
    };
    let segment = sanitize_echoed_path(segment);
    refuse_command(format!("'{segment}' {why}; choose another name"))
}

/// A path in an answer: bounded, without what hides, and without a secret.
fn sanitize_echoed_path(text: &str) -> String {
    mask_secrets(text)
        .chars()
        .filter(|it| !it.is_control())
        .take(PATH_CHARS)
        .collect()
}

/// Whether a word can be the slug of a task.
pub(super) fn is_task_slug(word: &str) -> bool {
    let is_fit = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    word.split('-')
        .all(|it| !it.is_empty() && it.bytes().all(is_fit))
}
