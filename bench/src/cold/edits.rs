//! The moments around an agent's edit: it is noted, judged at the next tool, and then there is nothing left to say.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::{Cold, MEMORIES, STARTS};
use crate::{
    budget::rounds,
    report::{self, Report},
    stats::Sample,
};

/// How many memories cite the edited file.
pub(super) const CITING: usize = 50;
/// How many of them an edit makes untrue.
const UNTRUE: usize = 3;
const FILE: &str = "src/limits.rs";

/// A repository of its own, with the history that an edit is followed through.
struct EditedRepository<'a> {
    cold: &'a Cold<'a>,
    root: PathBuf,
}

impl EditedRepository<'_> {
    fn git(&self, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new("git");
        command
            .args([
                "-c",
                "user.name=bench",
                "-c",
                "user.email=bench@example.com",
            ])
            .args(arguments);
        let output = command.current_dir(&self.root).output()?;
        if !output.status.success() {
            bail!("git {arguments:?} failed");
        }
        Ok(())
    }

    /// A file with so many constants, and other code around them; an edit gives some of them another value and moves all.
    fn write(&self, edit: Option<usize>) -> Result<()> {
        let path = self.root.join(FILE);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        let mut text = edit.map_or(String::new(), |it| format!("//! Edit {it}.\n\n"));
        for it in 0..CITING {
            let value = match edit {
                Some(round) if it < UNTRUE => 1_000 + round,
                _ => 10 + it,
            };
            text += &format!("/// Limit {it}.\npub const LIMIT_{it}: u32 = {value};\n\n");
            text += &format!("pub fn below_{it}(n: u32) -> bool {{\n    n < LIMIT_{it}\n}}\n\n");
        }
        Ok(fs::write(path, text)?)
    }

    fn command(&self) -> Result<Command> {
        let mut command = self.cold.started()?;
        // What takes long is measured, not cut short.
        command.env("APOSTILLE_HOOK_DEADLINE_MS", "10000");
        command.current_dir(&self.root);
        Ok(command)
    }

    /// Keeps a fact that cites a constant, or the block that it stands in.
    fn remember(&self, it: usize) -> Result<()> {
        let first = 1 + it * 7;
        let place = match it % 2 {
            0 => format!("{FILE}:{}", first + 1),
            _ => format!("{FILE}:{first}-{}", first + 5),
        };
        let fact = format!("LIMIT_{it} is {}", 10 + it);
        let mut command = self.command()?;
        command
            .env("APOSTILLE_PERSON", "bench")
            .args(["remember", &fact, "--create", "bench", "--cite", &place]);
        let output = command.output()?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            bail!("a fact was not kept: {}", why.trim());
        }
        Ok(())
    }

    /// What a hook answers in this session.
    fn hook(&self, session: usize, event: &str, tool: &str, input: &Value) -> Result<String> {
        let payload = json!({
            "session_id": format!("edit-{session}"), "cwd": self.root, "hook_event_name": event,
            "transcript_path": self.cold.dir.join("transcript.jsonl"),
            "tool_name": tool, "tool_input": input,
        });
        let answer = self.cold.run_hook(self.command()?, event, &payload)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Forgets what was found out about citations before.
    fn forget_verdicts(&self) -> Result<()> {
        match fs::remove_dir_all(self.cold.dir.join(".cache/apostille/verdicts")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Cold<'_> {
    /// Measures each moment around an edit of a file that many memories cite, the file another one each time.
    pub(super) fn edits(&self, report: &mut Report) -> Result<()> {
        let repository = EditedRepository {
            cold: self,
            root: self.dir.join("edited"),
        };
        fs::create_dir_all(&repository.root)?;
        repository.write(None)?;
        repository.git(&["init", "--quiet", "--initial-branch=main"])?;
        repository.git(&["add", "--all"])?;
        repository.git(&["commit", "--quiet", "--message", "limits"])?;
        (0..CITING).try_for_each(|it| repository.remember(it))?;
        // So that the way from the cited commit to today has to be walked.
        fs::write(repository.root.join("README"), "limits\n")?;
        repository.git(&["add", "--all"])?;
        repository.git(&["commit", "--quiet", "--message", "readme"])?;
        let (edit, other) = (json!({ "file_path": FILE }), json!({ "command": "make" }));
        let [mut before, mut note, mut judge, mut first, mut idle] = <[Sample; 5]>::default();
        for round in rounds(self.budget, STARTS.0, STARTS.1) {
            let is_first = round % 2 == 0;
            if is_first {
                repository.forget_verdicts()?;
            }
            before.time(|| repository.hook(round, "PreToolUse", "Edit", &edit))?;
            repository.write(Some(round))?;
            let noted = note.time(|| repository.hook(round, "PostToolUse", "Edit", &edit))?;
            let sample = if is_first { &mut first } else { &mut judge };
            let told = sample.time(|| repository.hook(round, "PreToolUse", "Bash", &other))?;
            let again = idle.time(|| repository.hook(round, "PreToolUse", "Bash", &other))?;
            let n_told = told.matches("– contradicted").count();
            if !noted.is_empty() || n_told != UNTRUE || !again.is_empty() {
                bail!("an edit was not told as it should be: {noted:?} {told:?} {again:?}");
            }
            repository.write(None)?;
        }
        report.add(report::BEFORE_EDIT, MEMORIES, MEMORIES, &before);
        report.add(report::NOTE_EDIT, MEMORIES, MEMORIES, &note);
        report.add(report::JUDGE_EDIT, MEMORIES, MEMORIES, &judge);
        report.add(report::JUDGE_EDIT_FIRST, MEMORIES, MEMORIES, &first);
        report.add(report::NOTHING_DUE, MEMORIES, MEMORIES, &idle);
        Ok(())
    }
}
