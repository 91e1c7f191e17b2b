//! A room in which hooks are tried: what a client would send goes in, and what comes out is judged.

use std::fs::{self, File};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use apostille_agents::{
    clients::{self, ClientProfile},
    hook::ALONE,
};
use serde_json::Value;

use apostille_terminal::paint::{flatten_to_line, truncate_to_width};
use apostille_workspace::system::System;

/// When waiting for an answer is given up.
pub(super) const PATIENCE_MS: u64 = 5_000;
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
/// The variable that has a hook tell something even where nothing matches.
const FALLBACK: &str = "APOSTILLE_INJECT_FALLBACK";

/// How one sample was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrialResult {
    /// How long it took.
    pub ms: u64,
    /// Whether the memory in the room was told.
    pub is_told: bool,
}

/// A hook that may be tried. It is started as it is: no shell reads it.
pub(super) struct TrialCall {
    /// The event, by the client's own name.
    pub event: String,
    /// The program, by its whole path.
    pub program: PathBuf,
    /// What it is told.
    pub arguments: Vec<String>,
}

/// A throw-away room in which hooks are tried: nothing of the user's is read or written.
pub(super) struct HookSandbox<'a> {
    /// The world.
    pub system: &'a System,
    /// Where it is.
    pub folder: &'a Path,
    /// The client that asks.
    pub row: &'a ClientProfile,
    /// When waiting for an answer is given up, in milliseconds.
    pub patience: u64,
}

impl HookSandbox<'_> {
    /// Puts a memory into the room, so that there is something to tell.
    pub(super) fn seed_memory(&self) -> Result<(), String> {
        let program = self
            .system
            .program_path()
            .map_err(|fault| fault.message())?;
        let mut command = Command::new(program);
        command
            // A preference would need the user's own words; nobody speaks here.
            .args(["remember", "--user", "--kind", "feedback", MEMORY])
            .current_dir(self.folder)
            .stdin(Stdio::null());
        self.redirect_environment(&mut command);
        let output = command
            .output()
            .map_err(|error| format!("cannot try them: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("cannot try them{}", format_stderr_hint(&said)))
    }

    /// How each sample for a moment was answered, or what is wrong.
    pub(super) fn run_samples(&self, call: &TrialCall) -> Result<Vec<TrialResult>, String> {
        let samples = self.row.hook_samples().iter();
        let found = samples.filter(|it| it.event == call.event);
        let mut inputs: Vec<&str> = found.map(|it| it.stdin).collect();
        if inputs.is_empty() {
            inputs.push(NOTHING);
        }
        inputs.iter().map(|it| self.run_sample(call, it)).collect()
    }

    fn run_sample(&self, call: &TrialCall, input: &str) -> Result<TrialResult, String> {
        let (out, err) = (self.folder.join("out"), self.folder.join("err"));
        let event = &call.event;
        let watch = self.system.stopwatch();
        let child = self
            .build_command(call, &out, &err)
            .and_then(|mut it| it.spawn());
        let mut child = child.map_err(|error| format!("{event}: cannot be started: {error}"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not read is heard all the same.
            let _ = stdin.write_all(input.as_bytes());
        }
        let code = self.wait_for_exit(&mut child);
        let code = code.ok_or_else(|| format!("{event}: no answer within {} ms", self.patience))?;
        let ms = watch() / 1_000;
        let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
        if code != 0 {
            let hint = format_stderr_hint(&text(&err));
            return Err(format!("{event}: exit code {code}{hint}"));
        }
        let answer = text(&out);
        validate_hook_answer(self.row, event, &answer)?;
        Ok(TrialResult {
            ms,
            is_told: answer.contains(MEMORY),
        })
    }

    /// The call, started where nothing of the user's is.
    fn build_command(&self, call: &TrialCall, out: &Path, err: &Path) -> std::io::Result<Command> {
        let mut command = Command::new(&call.program);
        command.args(&call.arguments).current_dir(self.folder);
        self.redirect_environment(&mut command);
        command.envs(self.row.hook_variables().iter().copied());
        command
            .stdin(Stdio::piped())
            .stdout(File::create(out)?)
            .stderr(File::create(err)?);
        Ok(command)
    }

    /// Everything that leads to the user's own files is bent.
    fn redirect_environment(&self, command: &mut Command) {
        for name in [
            "HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "TMPDIR",
            "USERPROFILE",
            "APPDATA",
            "LOCALAPPDATA",
        ] {
            command.env(name, self.folder);
        }
        command.env(ALONE, "1");
        // Whoever runs `doctor` from within a client is not the one that is tried.
        for name in LEADING_ELSEWHERE
            .into_iter()
            .chain(clients::list_client_variables())
        {
            command.env_remove(name);
        }
        // The samples' prompts are about anything: whatever is there has to be told.
        command.env(FALLBACK, "1");
    }

    /// The exit code, unless it takes too long.
    fn wait_for_exit(&self, child: &mut Child) -> Option<i32> {
        let watch = self.system.stopwatch();
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
fn format_stderr_hint(text: &str) -> String {
    let first = text.lines().find(|it| !it.trim().is_empty());
    let first = first.map(|it| truncate_to_width(&flatten_to_line(it), 120));
    first.map(|it| format!(": {it}")).unwrap_or_default()
}

/// Whether an answer is one that the client understands.
fn validate_hook_answer(row: &ClientProfile, event: &str, answer: &str) -> Result<(), String> {
    let Some(keys) = row.answer_keys(event).filter(|_| !answer.trim().is_empty()) else {
        return Ok(());
    };
    let Ok(Value::Object(said)) = serde_json::from_str(answer) else {
        return Err(format!("{event}: the answer is not a JSON object"));
    };
    if let Some(key) = said.keys().find(|it| !keys.contains(&it.as_str())) {
        let (client, key) = (row.client, flatten_to_line(key));
        return Err(format!(
            "{event}: {client} does not know `{key}` in an answer"
        ));
    }
    let nested = said.get("hookSpecificOutput");
    match nested.and_then(|it| it.get("hookEventName")) {
        Some(name) if name != event => Err(format!("{event}: the answer is for another event")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_agents::client::Client;
    use apostille_agents::clients::find_client_profile;

    #[cfg(unix)]
    #[test]
    fn one_that_never_answers_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let system = System::from_process(Vec::new()).unwrap();
        let room = HookSandbox {
            system: &system,
            folder: folder.path(),
            row: find_client_profile(Client::Codex),
            patience: 0,
        };
        let call = |line: &str| TrialCall {
            event: "Stop".into(),
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
        };
        let found = room.run_sample(&call("exec sleep 600"), "{}");
        assert_eq!(found, Err("Stop: no answer within 0 ms".into()));
        let room = HookSandbox {
            patience: PATIENCE_MS,
            ..room
        };
        assert!(room.run_sample(&call("exec cat > /dev/null"), "{}").is_ok());
    }

    #[test]
    fn answers_have_the_shape_of_their_client() {
        let check = |client: Client, event: &str, answer: &str, expected: Result<(), &str>| {
            let found = validate_hook_answer(find_client_profile(client), event, answer);
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
        check(Client::Cursor, "stop", "error", Err("not a JSON object"));
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
            Err("not a JSON object"),
        );
    }
}
