//! A room in which hooks are tried: what a client would send goes in, and what comes out is judged.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use apostille_agents::clients::{self, ClientProfile};
use serde_json::Value;

use crate::cmd::hook::ALONE;
use crate::paint::one_line;
use apostille_workspace::system::World;

/// When waiting for an answer is given up.
pub const PATIENCE_MS: u64 = 5_000;
/// What a hook has to tell while it is tried.
const MEMORY: &str = "prefers to be looked over now and then";
/// What is sent where there is no sample.
const NOTHING: &str = "{}";

/// Variables that lead a hook to the user's own store or repository.
const LEADING_ELSEWHERE: [&str; 9] = [
    "APOSTILLE_STORE",
    "APOSTILLE_CONFIG",
    "APOSTILLE_REPO",
    "APOSTILLE_USER",
    "APOSTILLE_INJECT_MODE",
    "APOSTILLE_MAX_INJECT_CHARS",
    "APOSTILLE_MAX_INJECT_COUNT",
    "GIT_DIR",
    "GIT_WORK_TREE",
];
/// How one sample was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Try {
    /// How long it took.
    pub ms: u64,
    /// Whether the memory in the room was told.
    pub is_told: bool,
}

/// A hook that may be tried. It is started as it is: no shell reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The event, by the client's own name.
    pub event: String,
    /// The program, by its whole path.
    pub program: PathBuf,
    /// What it is told.
    pub arguments: Vec<String>,
}

/// A throw-away room in which hooks are tried: nothing of the user's is read or written.
pub struct Room<'a> {
    /// The world.
    pub world: &'a World,
    /// Where it is.
    pub folder: &'a Path,
    /// The client that asks.
    pub row: &'a ClientProfile,
    /// When waiting for an answer is given up, in milliseconds.
    pub patience: u64,
}

impl Room<'_> {
    /// Puts a memory into the room, so that there is something to tell.
    pub fn furnished(&self) -> Result<(), String> {
        let program = self.world.program().map_err(|fault| fault.message())?;
        let mut command = Command::new(program);
        command
            .args(["remember", "--user", MEMORY])
            .current_dir(self.folder)
            .stdin(Stdio::null());
        self.bent(&mut command);
        let output = command
            .output()
            .map_err(|error| format!("cannot try them: {error}"))?;
        let said = || String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("cannot try them{}", hint(&said())))
        }
    }

    /// How each sample for a moment was answered, or what is wrong.
    pub fn tried(&self, call: &Call) -> Result<Vec<Try>, String> {
        let samples = self.row.samples().iter();
        let found = samples
            .filter(|it| it.event == call.event)
            .map(|it| it.stdin);
        let found: Vec<&str> = found.collect();
        let inputs = if found.is_empty() {
            vec![NOTHING]
        } else {
            found
        };
        inputs.iter().map(|it| self.ran(call, it)).collect()
    }

    fn ran(&self, call: &Call, input: &str) -> Result<Try, String> {
        let (event, out, err) = (
            &call.event,
            self.folder.join("out"),
            self.folder.join("err"),
        );
        let watch = self.world.stopwatch();
        let child = self.command(call, &out, &err).and_then(|mut it| it.spawn());
        let mut child = child.map_err(|error| format!("{event}: cannot be started: {error}"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not read is heard all the same.
            let _ = stdin.write_all(input.as_bytes());
        }
        let code = self.waited(&mut child);
        let code = code.ok_or_else(|| format!("{event}: no answer within {} ms", self.patience))?;
        let ms = watch() / 1_000;
        let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
        match code {
            0 => {
                let answer = text(&out);
                judged(self.row, event, &answer).map(|()| Try {
                    ms,
                    is_told: answer.contains(MEMORY),
                })
            }
            code => Err(format!("{event}: exit code {code}{}", hint(&text(&err)))),
        }
    }

    /// The call, started where nothing of the user's is.
    fn command(&self, call: &Call, out: &Path, err: &Path) -> std::io::Result<Command> {
        let mut command = Command::new(&call.program);
        command.args(&call.arguments).current_dir(self.folder);
        self.bent(&mut command);
        command.envs(self.row.hook_variables().iter().copied());
        command
            .stdin(Stdio::piped())
            .stdout(File::create(out)?)
            .stderr(File::create(err)?);
        Ok(command)
    }

    /// Everything that leads to the user's own files is bent.
    fn bent(&self, command: &mut Command) {
        for name in [
            "HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "TMPDIR",
        ] {
            command.env(name, self.folder);
        }
        for name in ["USERPROFILE", "APPDATA", "LOCALAPPDATA"] {
            command.env(name, self.folder);
        }
        command.env(ALONE, "1");
        // Whoever runs `doctor` from within a client is not the one that is tried.
        for name in LEADING_ELSEWHERE.into_iter().chain(clients::variables()) {
            command.env_remove(name);
        }
    }

    /// The exit code, unless it takes too long.
    fn waited(&self, child: &mut Child) -> Option<i32> {
        let watch = self.world.stopwatch();
        while watch() / 1_000 < self.patience {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status.code().unwrap_or(-1)),
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        None
    }
}

/// The first line of what a program complains about.
fn hint(text: &str) -> String {
    let first = text.lines().find(|it| !it.trim().is_empty()).map(one_line);
    first
        .map(|it| format!(": {}", crate::paint::cut(&it, 120)))
        .unwrap_or_default()
}

/// Whether an answer is one that the client understands.
fn judged(row: &ClientProfile, event: &str, answer: &str) -> Result<(), String> {
    let Some(keys) = row.answer_keys(event).filter(|_| !answer.trim().is_empty()) else {
        return Ok(());
    };
    let Ok(Value::Object(said)) = serde_json::from_str(answer) else {
        return Err(format!("{event}: the answer is no JSON object"));
    };
    if let Some(key) = said.keys().find(|it| !keys.contains(&it.as_str())) {
        return Err(format!(
            "{event}: {} does not know `{}` in an answer",
            row.client,
            one_line(key)
        ));
    }
    match said
        .get("hookSpecificOutput")
        .and_then(|it| it.get("hookEventName"))
    {
        Some(name) if name != event => Err(format!("{event}: the answer is for another event")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_agents::client::Client;
    use apostille_agents::clients::profile;

    #[cfg(unix)]
    #[test]
    fn one_that_never_answers_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let world = World::ask(Vec::new()).unwrap();
        let room = Room {
            world: &world,
            folder: folder.path(),
            row: profile(Client::Codex),
            patience: 0,
        };
        let call = |line: &str| Call {
            event: "Stop".into(),
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
        };
        let found = room.ran(&call("exec sleep 600"), "{}");
        assert_eq!(found, Err("Stop: no answer within 0 ms".into()));
        let room = Room {
            patience: PATIENCE_MS,
            ..room
        };
        assert!(room.ran(&call("exec cat > /dev/null"), "{}").is_ok());
    }

    #[test]
    fn answers_have_the_shape_of_their_client() {
        let check = |client: Client, event: &str, answer: &str, expected: Result<(), &str>| {
            let found = judged(profile(client), event, answer);
            match expected {
                Ok(()) => assert_eq!(found, Ok(()), "{client} {answer}"),
                Err(part) => {
                    assert!(
                        found.as_ref().is_err_and(|it| it.contains(part)),
                        "{client}: {found:?}"
                    )
                }
            }
        };
        let nested = r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}"#;
        check(Client::Codex, "Stop", "", Ok(()));
        check(Client::Codex, "Stop", nested, Ok(()));
        check(Client::Codex, "SessionStart", nested, Err("another event"));
        check(
            Client::Codex,
            "Stop",
            r#"{"additionalContext":"x"}"#,
            Err("does not know `additionalContext`"),
        );
        check(
            Client::Copilot,
            "agentStop",
            r#"{"additionalContext":"x"}"#,
            Ok(()),
        );
        check(Client::Copilot, "agentStop", nested, Err("does not know"));
        check(
            Client::Cursor,
            "stop",
            r#"{"continue":true,"additional_context":"x"}"#,
            Ok(()),
        );
        check(Client::Cursor, "stop", "error", Err("no JSON object"));
        check(
            Client::ClaudeCode,
            "PreCompact",
            "keep the decisions",
            Ok(()),
        );
        check(
            Client::ClaudeCode,
            "Stop",
            "keep the decisions",
            Err("no JSON object"),
        );
    }
}
