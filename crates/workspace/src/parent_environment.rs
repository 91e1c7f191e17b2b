//! Whether an agent's shell stands above this process.
//!
//! The variables that clients set in their shells are taken out with one word (`env -u CLAUDECODE`), and a terminal is made with
//! another (`script -qec`). Both leave the shell that typed them above this process, and where the system lets us read its
//! environment, the variable is still in it. A process that detaches itself from its parents is not caught: see
//! docs/security.md.

use std::{fs, io::Read as _, path::Path};

/// How many processes are looked at.
const MAX_PARENTS: usize = 32;
/// What runs programs that are written in a script.
const INTERPRETERS: [&str; 3] = ["node", "bun", "deno"];
/// How much of an environment is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Whether a process above this one was started with one of these variables, or is one of these programs.
///
/// The second is needed where the shell gave its place away (`exec env -u …`, which `bash -c` does by itself for its last command):
/// then the client alone stands above.
pub(crate) fn is_below_agent(variables: &[&str], programs: &[&str]) -> bool {
    let mut process = "self".to_owned();
    for _ in 0..MAX_PARENTS {
        let Some(parent) = read_parent(&process) else {
            return false;
        };
        if has_variable(&read_process_file(&parent, "environ"), variables)
            || is_agent_program(&read_process_file(&parent, "cmdline"), programs)
        {
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

/// What the system tells of a process; nothing where it is another user's.
fn read_process_file(process: &str, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(Path::new("/proc").join(process).join(name)) {
        // What was read until an error counts.
        let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

/// Whether a command line is that of an agent's program: by its own name, or as a package that an interpreter runs.
fn is_agent_program(command: &[u8], programs: &[&str]) -> bool {
    let command = String::from_utf8_lossy(command);
    let mut words = command.split('\0');
    let is_program = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        programs.contains(&name.split('.').next().unwrap_or(name))
    };
    let first = words.next().unwrap_or_default();
    let runner = first.rsplit('/').next().unwrap_or(first);
    if is_program(first) {
        return true;
    }
    let Some(script) = words.next().filter(|_| INTERPRETERS.contains(&runner)) else {
        return false;
    };
    let package = script.rsplit_once("node_modules/").map(|it| it.1);
    let is_package = |it: &str| it.split('/').take(2).any(|it| programs.contains(&it));
    is_program(script) || package.is_some_and(is_package)
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
    fn agents_are_found_by_the_name_of_their_program() {
        let check = |command: &str, expected: bool| {
            let command = command.replace(' ', "\0");
            let found = is_agent_program(command.as_bytes(), &["claude", "codex", "claude-code"]);
            assert_eq!(found, expected, "{command}");
        };
        check("claude --resume", true);
        check("/home/ana/.local/bin/claude", true);
        check("/usr/bin/codex.exe exec", true);
        check(
            "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
            true,
        );
        check("node /usr/local/bin/claude", true);
        check("node /home/ana/codex/server.js", false);
        check("bash /home/ana/claude/run.sh", false);
        check("vim claude", false);
        check("", false);
    }

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
