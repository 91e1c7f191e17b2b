//! Starts git so that neither the environment nor a repository's configuration can make it run or fetch anything.

use std::io::{self, ErrorKind};
use std::process::{Command, Stdio};

use apostille_cite::source::{SourceError, SourceResult};

use super::{discover::Checkout, source_unavailable};

const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Variables that could lead git to another repository, another configuration or another program, or have it write.
pub(super) const REMOVED: [&str; 48] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ASKPASS",
    "GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PAGER",
    "GIT_PREFIX",
    "GIT_PROXY_COMMAND",
    "GIT_QUARANTINE_PATH",
    "GIT_REDIRECT_STDERR",
    "GIT_REDIRECT_STDIN",
    "GIT_REDIRECT_STDOUT",
    "GIT_REF_PARANOIA",
    "GIT_REPLACE_REF_BASE",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SHALLOW_FILE",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_TEMPLATE_DIR",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_SETUP",
    "GIT_WORK_TREE",
];

/// What is set instead. `GIT_ALLOW_PROTOCOL` names none that exists: it outranks what a repository allows.
const SET: [(&str, &str); 10] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_CONFIG_GLOBAL", NULL_DEVICE),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_GRAFT_FILE", NULL_DEVICE),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LANGUAGE", "C"),
    ("LC_ALL", "C"),
];

/// What outranks the repository's configuration. Files of any owner are read: none of them is run.
const OVERRIDES: [&str; 5] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "protocol.allow=never",
    "safe.directory=*",
];

/// The git command for this repository, without arguments yet. Its complaints are not shown.
pub(super) fn build_git_command(checkout: &Checkout) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(checkout.root().unwrap_or(checkout.git_dir()));
    for setting in OVERRIDES {
        command.args(["-c", setting]);
    }
    for name in REMOVED {
        command.env_remove(name);
    }
    command.envs(SET).env("GIT_DIR", checkout.git_dir());
    if let Some(root) = checkout.root() {
        // `core.worktree` is not obeyed.
        command.env("GIT_WORK_TREE", root);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The line that git answers; `None` if it says no.
pub(super) fn run_git_query(
    checkout: &Checkout,
    arguments: &[&str],
) -> SourceResult<Option<String>> {
    let output = build_git_command(checkout)
        .args(arguments)
        .output()
        .map_err(git_start_error)?;
    match output.status.code() {
        Some(0) => Ok(Some(
            String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned(),
        )),
        Some(1) => Ok(None),
        _ => {
            let asked = arguments.join(" ");
            Err(source_unavailable(
                "what git knows",
                format!("'git {asked}' failed: {}; try it by hand", output.status),
            ))
        }
    }
}

/// The error for a git that could not be started.
pub(super) fn git_start_error(error: io::Error) -> SourceError {
    let what = match error.kind() {
        // A folder of PATH that may not be entered turns "not found" into "permission denied".
        ErrorKind::NotFound | ErrorKind::PermissionDenied => {
            "commits: git is not installed, or not on PATH; install it, or check the working tree"
        }
        _ => "commits: git could not be started; check the working tree instead",
    };
    source_unavailable(what, error)
}
