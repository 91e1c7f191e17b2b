//! A home of its own in which a client calls the program's hooks, as Claude Code does.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context as _, Result, bail};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::data_set::SpokenChat;

/// How long it is from one turn of a chat to the next.
const PAUSE: SignedDuration = SignedDuration::from_secs(90);
/// Far more than a hook takes: what takes long is measured, not cut short.
const DEADLINE_MS: &str = "20000";

/// What a hook answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HookAnswer {
    /// What the model is given.
    pub(super) context: String,
    /// How long the program ran.
    pub(super) took: Duration,
}

/// A user's home, and the checkout that they work in.
#[derive(Debug, Clone)]
pub(super) struct AgentHome<'a> {
    /// The program.
    pub(super) bin: &'a Path,
    /// The home.
    pub(super) home: PathBuf,
    /// The checkout.
    pub(super) checkout: &'a Path,
}

/// A session in it.
pub(super) struct AgentSessionRun<'a> {
    home: &'a AgentHome<'a>,
    name: String,
    now: Timestamp,
    n_lines: usize,
}

impl AgentHome<'_> {
    /// The same with everything that this home has by now, in another place.
    pub(super) fn copy_to(&self, home: PathBuf) -> Result<Self> {
        copy_folder(&self.home, &home)?;
        Ok(Self { home, ..*self })
    }

    /// How many bytes the program keeps: its data, and its cache.
    pub(super) fn count_bytes(&self) -> Result<(u64, u64)> {
        let count = |folder: &str| count_folder_bytes(&self.home.join(folder));
        Ok((count("data")?, count("cache")?))
    }

    /// Begins a session, of which nothing is called yet.
    pub(super) fn begin_session(&self, subject: &str, now: Timestamp) -> AgentSessionRun<'_> {
        let digest = Digest::hash_bytes(subject.as_bytes()).to_string();
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|it| &digest[it]);
        AgentSessionRun {
            home: self,
            name: parts.join("-"),
            now,
            n_lines: 0,
        }
    }

    /// Lives through a whole chat, and has what it left behind gone through. Returns how long each prompt's hook took.
    pub(super) fn live_chat(&self, chat: &SpokenChat, at: Timestamp) -> Result<Vec<Duration>> {
        let mut session = self.begin_session(&chat.name, at);
        session.call("SessionStart", &json!({"source": "startup"}))?;
        let mut took = Vec::new();
        for turn in &chat.turns {
            session.now += PAUSE;
            if turn.is_user() {
                took.push(session.ask(&turn.text)?.took);
            }
            session.write_turn(turn.is_user(), &turn.text)?;
        }
        session.finish()?;
        Ok(took)
    }

    /// The program, without anything of the user's own, at a moment.
    fn command(&self, now: Timestamp) -> Command {
        let mut command = Command::new(self.bin);
        let folder = |name: &str| self.home.join(name);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("XDG_DATA_HOME", folder("data"))
            .env("XDG_CACHE_HOME", folder("cache"))
            .env("XDG_CONFIG_HOME", folder("config"))
            .env("APOSTILLE_NOW", now.to_string())
            // Nothing in the background: what comes of a session is there when the next one begins.
            .env("APOSTILLE_HOOK_ALONE", "1")
            .env("APOSTILLE_HOOK_DEADLINE_MS", DEADLINE_MS)
            .current_dir(self.checkout)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl AgentSessionRun<'_> {
    fn transcript(&self) -> PathBuf {
        let folder = self.home.home.join(".claude/projects/-host");
        folder.join(format!("{}.jsonl", self.name))
    }

    /// The user sends a prompt.
    pub(super) fn ask(&self, prompt: &str) -> Result<HookAnswer> {
        self.call(
            "UserPromptSubmit",
            &json!({"prompt": prompt, "prompt_id": format!("{}-{}", self.name, self.n_lines)}),
        )
    }

    /// The agent is about to edit a file of the checkout.
    pub(super) fn touch_file(&self, path: &str, old: &str) -> Result<HookAnswer> {
        let path = self.home.checkout.join(path);
        let input = json!({
            "file_path": path, "old_string": old, "new_string": "", "replace_all": false,
        });
        self.call(
            "PreToolUse",
            &json!({"tool_name": "Edit", "tool_input": input, "tool_use_id": "toolu_01"}),
        )
    }

    fn call(&self, event: &str, fields: &Value) -> Result<HookAnswer> {
        let mut payload = json!({
            "session_id": self.name, "transcript_path": self.transcript(), "cwd": self.home.checkout,
            "hook_event_name": event, "permission_mode": "default",
        });
        if let (Some(all), Some(fields)) = (payload.as_object_mut(), fields.as_object()) {
            all.extend(fields.clone());
        }
        let mut command = self.home.command(self.now);
        command.args(["hook", "--client", "claude-code", event]);
        let started = Instant::now();
        let output = run_with_input(command, &payload.to_string())?;
        let took = started.elapsed();
        check_output(event, &output)?;
        let context = read_context(&output.stdout)?;
        Ok(HookAnswer { context, took })
    }

    /// What was said is written down by the client.
    fn write_turn(&mut self, is_user: bool, text: &str) -> Result<()> {
        let content = match is_user {
            true => json!(text),
            false => json!([{"type": "text", "text": text}]),
        };
        let role = if is_user { "user" } else { "assistant" };
        self.n_lines += 1;
        let line = json!({
            "type": role, "message": {"role": role, "content": content}, "isSidechain": false,
            "uuid": format!("{}-{}", self.name, self.n_lines), "timestamp": self.now.to_string(),
            "sessionId": self.name, "cwd": self.home.checkout, "gitBranch": "main",
        });
        let path = self.transcript();
        fs::create_dir_all(path.parent().context("a transcript has a folder")?)?;
        let mut file = fs::File::options().append(true).create(true).open(path)?;
        Ok(writeln!(file, "{line}")?)
    }

    /// The session ends, and what it left behind is gone through.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.call("Stop", &json!({"stop_hook_active": false}))?;
        self.now += PAUSE;
        self.call("SessionEnd", &json!({"reason": "prompt_input_exit"}))?;
        let path = self.transcript();
        if path.exists() {
            // A file that was just written may not be whole yet, and would be waited for.
            let file = fs::File::options().append(true).open(path)?;
            file.set_modified(SystemTime::from(self.now))?;
        }
        let mut command = self.home.command(self.now);
        command.args(["hook", &format!("--after={}", self.name)]);
        check_output("--after", &command.stdin(Stdio::null()).output()?)
    }
}

fn run_with_input(mut command: Command, input: &str) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .spawn()
        .context("the program does not start")?;
    let mut stdin = child.stdin.take().context("it takes no input")?;
    stdin.write_all(input.as_bytes())?;
    drop(stdin);
    Ok(child.wait_with_output()?)
}

/// A hook always says that all is well; what is not, it says beside its answer.
fn check_output(event: &str, output: &Output) -> Result<()> {
    if !output.status.success() || !output.stderr.is_empty() {
        bail!(
            "the hook {event} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

/// What the model is given, of an answer in Claude Code's words.
fn read_context(answer: &[u8]) -> Result<String> {
    if answer.iter().all(u8::is_ascii_whitespace) {
        return Ok(String::new());
    }
    let answer: Value = serde_json::from_slice(answer).context("an answer that is not JSON")?;
    if let Some(notice) = answer["systemMessage"].as_str() {
        bail!("a hook told the user: {notice}");
    }
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str();
    Ok(context.unwrap_or_default().to_owned())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

fn count_folder_bytes(folder: &Path) -> Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        let data = entry.metadata()?;
        bytes += match data.is_dir() {
            true => count_folder_bytes(&entry.path())?,
            false => data.len(),
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_of_an_answer_is_read() {
        let check = |answer: &str, expected: &str| {
            assert_eq!(
                read_context(answer.as_bytes()).unwrap(),
                expected,
                "{answer}"
            );
        };
        check("", "");
        check("{}\n", "");
        check(
            r#"{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "You: “7”"}}"#,
            "You: “7”",
        );
        assert!(read_context(br#"{"systemMessage": "no memory this time"}"#).is_err());
        assert!(read_context(b"memory").is_err());
    }
}
