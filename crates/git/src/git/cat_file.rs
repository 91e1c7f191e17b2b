//! One `git cat-file --batch` child, kept to answer many questions.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::refs::is_object_id;

/// The longest first line of an answer: it repeats the question, and questions are short.
const MAX_HEADER: u64 = 16 * 1024;

/// The child, and the ends of its pipes.
#[derive(Debug)]
pub(super) struct CatFile {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What git holds under a name.
#[derive(Debug, PartialEq)]
pub(super) enum CatFileAnswer {
    /// This object.
    Found(GitObject),
    /// An object of more bytes than were allowed. Its content is still to come, so the child is of no more use.
    TooLarge(u64),
    /// Nothing, or more than one thing.
    Missing,
}

/// An object of git's.
#[derive(Debug, PartialEq)]
pub(super) struct GitObject {
    /// Its id in hexadecimal.
    pub(super) id: String,
    /// Its kind: `blob`, `tree`, `commit` or `tag`.
    pub(super) kind: String,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

impl CatFile {
    /// Starts the child with a command that names the repository.
    pub(super) fn spawn_child(command: Command) -> io::Result<Self> {
        Self::spawn_in_mode(command, "--batch")
    }

    /// Starts a child that only tells what is there, without any content.
    pub(super) fn spawn_checker(command: Command) -> io::Result<Self> {
        Self::spawn_in_mode(command, "--batch-check")
    }

    fn spawn_in_mode(mut command: Command, mode: &str) -> io::Result<Self> {
        command
            .args(["cat-file", mode])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(questions), Some(answers)) => Ok(Self {
                child,
                questions,
                answers: BufReader::new(answers),
            }),
            _ => {
                kill_git_child(&mut child);
                Err(io::Error::other("git was started without pipes"))
            }
        }
    }

    /// Asks for one object. After an error, and after `TooLarge`, the child is of no more use.
    pub(super) fn request_object(&mut self, name: &str, limit: u64) -> io::Result<CatFileAnswer> {
        let header = self.request_header(name)?;
        let Some((id, kind, size)) = parse_object_header(&header) else {
            return if is_missing_object(&header) {
                Ok(CatFileAnswer::Missing)
            } else {
                Err(garbled_output_error())
            };
        };
        if size > limit {
            return Ok(CatFileAnswer::TooLarge(size));
        }
        Ok(CatFileAnswer::Found(GitObject {
            id: id.to_owned(),
            kind: kind.to_owned(),
            bytes: self.read_content(size)?,
        }))
    }

    /// Asks a checker whether an object is missing.
    pub(super) fn is_object_missing(&mut self, name: &str) -> io::Result<bool> {
        Ok(is_missing_object(&self.request_header(name)?))
    }

    fn request_header(&mut self, name: &str) -> io::Result<String> {
        // A line break would be a second question, and every later answer would belong to the wrong one.
        if name.contains(['\n', '\r', '\0']) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an object's name has one line",
            ));
        }
        self.questions.write_all(format!("{name}\n").as_bytes())?;
        self.questions.flush()?;
        self.read_header()
    }

    fn read_header(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.answers
            .by_ref()
            .take(MAX_HEADER)
            .read_until(b'\n', &mut line)?;
        Ok(
            String::from_utf8_lossy(line.strip_suffix(b"\n").ok_or_else(garbled_output_error)?)
                .into_owned(),
        )
    }

    /// The content, and the line break that git puts behind it.
    fn read_content(&mut self, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.answers
            .by_ref()
            .take(size + 1)
            .read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 == size + 1 && bytes.pop() == Some(b'\n');
        if is_whole {
            Ok(bytes)
        } else {
            Err(garbled_output_error())
        }
    }
}

impl Drop for CatFile {
    fn drop(&mut self) {
        kill_git_child(&mut self.child);
    }
}

/// Stops the child and waits for it, so that no zombie stays behind.
pub(super) fn kill_git_child(child: &mut Child) {
    // Both fail only when it has ended already, which is what is wanted.
    let _ = child.kill();
    let _ = child.wait();
}

/// `<id> <kind> <size>`
fn parse_object_header(line: &str) -> Option<(&str, &str, u64)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, kind, size] = words[..] else {
        return None;
    };
    let size = size.parse().ok()?;
    is_object_id(id).then_some((id, kind, size))
}

fn is_missing_object(line: &str) -> bool {
    line.ends_with(" missing") || line.ends_with(" ambiguous")
}

fn garbled_output_error() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "git ended early or answered in an unknown way; try 'git fsck'",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_from_other_lines() {
        let id = "a".repeat(40);
        let check = |line: &str, expected: Option<u64>| {
            assert_eq!(
                parse_object_header(line).map(|it| it.2),
                expected,
                "{line:?}"
            );
        };
        check(&format!("{id} blob 12"), Some(12));
        check(&format!("{id} blob 12 more"), None);
        check(&format!("{id} blob -1"), None);
        check("main blob 12", None);
        check(&format!("{id} missing"), None);
        check("", None);
        assert!(
            is_missing_object("x^{commit} missing")
                && is_missing_object("ab ambiguous")
                && !is_missing_object("fatal: x")
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_process_stays_behind() {
        let (repo, _) = crate::git::tests::test_repo::GitTestRepo::with_commit();
        let child = CatFile::spawn_child(crate::git::git_command::build_git_command(
            &repo.discover_checkout(),
        ))
        .unwrap();
        let process = std::path::PathBuf::from(format!("/proc/{}", child.child.id()));
        assert!(process.exists());
        drop(child);
        assert!(!process.exists());
    }

    #[test]
    fn a_question_of_two_lines_is_not_asked() {
        let (repo, _) = crate::git::tests::test_repo::GitTestRepo::with_commit();
        let mut child = CatFile::spawn_child(crate::git::git_command::build_git_command(
            &repo.discover_checkout(),
        ))
        .unwrap();
        assert!(child.request_object("HEAD\nHEAD", 100).is_err());
        assert_eq!(
            child.request_object("absent", 100).unwrap(),
            CatFileAnswer::Missing
        );
        assert!(matches!(
            child.request_object("HEAD", 10).unwrap(),
            CatFileAnswer::TooLarge(_)
        ));
    }
}
