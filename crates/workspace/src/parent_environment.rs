//! Whether an agent's shell stands above this process.
//!
//! The variables that clients set in their shells are taken out with one word (`env -u CLAUDECODE`), and a terminal is made with
//! another (`script -qec`). Both leave the shell that typed them above this process, and where the system lets us read its
//! environment, the variable is still in it. A process that detaches itself from its parents is not caught: see
//! docs/security.md.

use std::{fs, io::Read as _, path::Path};

/// How many processes are looked at.
const MAX_PARENTS: usize = 32;
/// How much of an environment is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Whether a process above this one was started with one of these variables.
pub(crate) fn is_below_variable<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let names: Vec<&str> = names.collect();
    let mut process = "self".to_owned();
    for _ in 0..MAX_PARENTS {
        let Some(parent) = read_parent(&process) else {
            return false;
        };
        if has_variable(&read_environment(&parent), &names) {
            return true;
        }
        process = parent;
    }
    false
}

/// The number of the process that started another. The name in the second field may hold anything, spaces and brackets too.
fn read_parent(process: &str) -> Option<String> {
    let stat = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let parent = fields.split_whitespace().nth(1)?;
    (parent != "0").then(|| parent.to_owned())
}

/// The environment that a process was started with; nothing where it is another user's.
fn read_environment(process: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(Path::new("/proc").join(process).join("environ")) {
        // What was read until an error counts.
        let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

fn has_variable(environment: &[u8], names: &[&str]) -> bool {
    environment.split(|it| *it == 0).any(|pair| {
        let name = pair.split(|it| *it == b'=').next().unwrap_or_default();
        names.iter().any(|it| it.as_bytes() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_by_their_whole_name() {
        let check = |environment: &[u8], expected: bool| {
            assert_eq!(has_variable(environment, &["CLAUDECODE"]), expected);
        };
        check(b"HOME=/home/ana\0CLAUDECODE=1\0", true);
        check(b"CLAUDECODE=\0", true);
        check(
            b"CLAUDECODE_OLD=1\0MY_CLAUDECODE=1\0X=CLAUDECODE=1\0",
            false,
        );
        check(b"", false);
    }
}
