//! Writes the repository of the timed batch with `git fast-import`, and checks it out.

use std::fs;
use std::{
    io::{BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

use super::story::{COMMITS, Change, Story};

/// What would lead git to another repository.
const REMOVED: [&str; 5] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
];

/// Makes the repository: the first commit, those after it, and the working tree of the last.
pub(super) fn made(root: &Path, story: Story) -> Result<()> {
    fs::create_dir_all(root)?;
    done(git(root).args(["init", "--quiet", "--initial-branch=main"]))?;
    imported(root, story)?;
    done(git(root).args([
        "-c",
        "core.autocrlf=false",
        "reset",
        "--quiet",
        "--hard",
        "main",
    ]))
}

fn imported(root: &Path, mut story: Story) -> Result<()> {
    let mut child = git(root)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let stream = child
        .stdin
        .take()
        .context("git was started without pipes")?;
    let written = written(BufWriter::new(stream), &mut story);
    let status = child.wait()?;
    written?;
    if status.success() {
        Ok(())
    } else {
        bail!("git fast-import failed: {status}")
    }
}

fn written(mut out: impl Write, story: &mut Story) -> Result<()> {
    commit(&mut out, 0, Story::beginning())?;
    for at in 1..=COMMITS {
        commit(&mut out, at, story.commit(at))?;
    }
    Ok(out.flush()?)
}

fn commit(
    out: &mut impl Write,
    at: usize,
    changes: impl IntoIterator<Item = Change>,
) -> Result<()> {
    let message = format!("commit {at}");
    writeln!(out, "commit refs/heads/main\nmark :{}", at + 1)?;
    writeln!(
        out,
        "committer Bench <bench@example.com> {} +0000",
        1_760_000_000 + at * 3_600
    )?;
    writeln!(out, "data {}\n{message}", message.len())?;
    if at > 0 {
        writeln!(out, "from :{at}")?;
    }
    for change in changes {
        match change {
            Change::Write { path, text } => {
                write!(out, "M 100644 inline {path}\ndata {}\n{text}\n", text.len())?;
            }
            Change::Delete { path } => writeln!(out, "D {path}")?,
        }
    }
    Ok(writeln!(out)?)
}

/// Git in this folder, cut off from the user's own configuration.
fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    for name in REMOVED {
        git.env_remove(name);
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .arg("-C")
        .arg(root);
    git.stdin(Stdio::null()).stdout(Stdio::null());
    git
}

fn done(command: &mut Command) -> Result<()> {
    let status = command.status().context("git cannot be started")?;
    if status.success() {
        Ok(())
    } else {
        bail!("{command:?} failed: {status}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_written_as_git_reads_it() {
        let mut out = Vec::new();
        let write = Change::Write {
            path: "a.rs".into(),
            text: "x\n".into(),
        };
        commit(
            &mut out,
            1,
            [
                Change::Delete {
                    path: "b.rs".into(),
                },
                write,
            ],
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("commit refs/heads/main\nmark :2\ncommitter "),
            "{text}"
        );
        assert!(
            text.ends_with(
                "data 8\ncommit 1\nfrom :1\nD b.rs\nM 100644 inline a.rs\ndata 2\nx\n\n\n"
            ),
            "{text}"
        );
    }
}
