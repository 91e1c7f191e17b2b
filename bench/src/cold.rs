//! The suite `cold`: the program started anew for each question, as a hook does.

mod edits;

use std::io::{Read as _, Write as _};
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use crate::{
    budget::{Budget, rounds},
    facts,
    fill::Filling,
    ours::{self, Code},
    report::{self, Report},
    stats::Sample,
};

/// How many memories the repository has.
const MEMORIES: usize = 10_000;
/// How often the program is started, and for how long.
const STARTS: (usize, Duration) = (100, Duration::from_secs(20));
/// How often it is started as a hook, and for how long.
const HOOKS: (usize, Duration) = (300, Duration::from_secs(20));
/// How many citations each of those looks up, at least.
const VERIFIED: usize = 10;
/// How often the memory of a start is looked at.
const LOOKS: usize = 5;
/// How long a program is waited for that should be about to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the suite works with.
pub(crate) struct Cold<'a> {
    /// The scratch folder, which also is the program's home.
    pub(crate) dir: &'a Path,
    /// The checkout that it is started in.
    pub(crate) code: &'a Code,
    /// The time.
    pub(crate) budget: &'a Budget,
    /// The program.
    pub(crate) bin: PathBuf,
}

impl Cold<'_> {
    /// Measures starts of the program.
    pub(crate) fn run(&self, report: &mut Report) -> Result<()> {
        if !self.bin.is_file() {
            let how =
                "build it with `cargo build --profile dist -p apostille`, or name it with --bin";
            self.budget.leave_out(format!(
                "cold starts: there is no program {}; {how}",
                self.bin.display()
            ));
            return Ok(());
        }
        let mut filling = Filling::new(self.code, self.dir)?;
        if !filling.grow_one(MEMORIES, self.budget)? {
            self.budget
                .leave_out("cold starts: filling their store takes too long");
            return Ok(());
        }
        filling.copy_to(&self.store())?;
        if let Err(error) = self.answer(0) {
            self.budget.leave_out(format!("cold starts: {error:#}"));
            return Ok(());
        }
        self.starts(report)?;
        self.hooks(report)?;
        if let Err(error) = self.edits(report) {
            self.budget
                .leave_out(format!("hooks around an edit: {error:#}"));
        }
        report.program.rss = self.most_memory()?;
        Ok(())
    }

    fn store(&self) -> PathBuf {
        self.dir.join("cold.db")
    }

    /// The program, without anything of the user's own.
    fn started(&self) -> Result<Command> {
        let mut command = Command::new(&self.bin);
        command
            .env_clear()
            .env("HOME", self.dir)
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&self.code.root);
        command.env(
            "APOSTILLE_STORE",
            format!("sqlite:{}", self.store().display()),
        );
        command.env("APOSTILLE_REPO", ours::space(0)?.as_str());
        Ok(command)
    }

    /// The program, asked a question.
    fn command(&self, round: usize) -> Result<Command> {
        let mut command = self.started()?;
        command
            .args(["recall", "--json", &facts::question(0, round)])
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Starts the program once and makes sure that it answers.
    fn answer(&self, round: usize) -> Result<()> {
        let output = self
            .command(round)?
            .output()
            .context("the program does not start")?;
        if !output.status.success() {
            bail!(
                "the program failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        serde_json::from_slice::<serde_json::Value>(&output.stdout)
            .context("its answer is not JSON")?;
        Ok(())
    }

    fn starts(&self, report: &mut Report) -> Result<()> {
        let [mut floor, mut us] = <[Sample; 2]>::default();
        for round in rounds(self.budget, STARTS.0, STARTS.1) {
            let mut command = self.command(round)?;
            floor.time(|| Command::new("/bin/true").stdin(Stdio::null()).output())?;
            us.time(|| command.output())?;
        }
        report.add(report::TRUE, 0, 0, &floor);
        report.add(report::COLD, MEMORIES, MEMORIES, &us);
        Ok(())
    }

    /// The program as a client's hook: each time another session begins, and is briefed with ten verified memories.
    fn hooks(&self, report: &mut Report) -> Result<()> {
        let [mut one, mut three, mut beside] = <[Sample; 3]>::default();
        let (mut fewest, mut n) = (usize::MAX, 0);
        for round in rounds(self.budget, HOOKS.0, HOOKS.1) {
            let mut recall = self.command(n)?;
            beside.time(|| recall.output())?;
            for (sample, n_questions) in [(&mut one, 1), (&mut three, 3)] {
                let questions: Vec<String> = (n..n + n_questions)
                    .map(|it| facts::question(0, it))
                    .collect();
                n += n_questions;
                let output = sample
                    .time(|| self.hook(&format!("{round}-{n_questions}"), &questions.join(" ")))?;
                fewest = fewest.min(
                    String::from_utf8_lossy(&output)
                        .matches("; stands ")
                        .count(),
                );
            }
        }
        if fewest < VERIFIED {
            self.budget.leave_out(format!(
                "hooks: one showed {fewest} verified memories, not {VERIFIED}"
            ));
            return Ok(());
        }
        report.add(report::COLD_BESIDE, MEMORIES, MEMORIES, &beside);
        report.add(report::HOOK, MEMORIES, MEMORIES, &one);
        report.add(report::HOOK_LONG, MEMORIES, MEMORIES, &three);
        Ok(())
    }

    /// What the hook answers to the first prompt of a session.
    fn hook(&self, session: &str, prompt: &str) -> Result<Vec<u8>> {
        let mut command = self.started()?;
        // Room for all ten, so that it can be seen that ten were looked up.
        command.env("APOSTILLE_MAX_INJECT_CHARS", "6000");
        let payload = serde_json::json!({
            "session_id": session,
            "transcript_path": self.dir.join("transcript.jsonl"),
            "cwd": self.code.root,
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        });
        self.run_hook(command, "UserPromptSubmit", &payload)
    }

    /// What a hook answers to an event.
    fn run_hook(
        &self,
        mut command: Command,
        event: &str,
        payload: &serde_json::Value,
    ) -> Result<Vec<u8>> {
        command
            .args(["hook", "--client", "claude-code", event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().context("the program does not start")?;
        child
            .stdin
            .take()
            .context("it takes no input")?
            .write_all(payload.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() || !output.stderr.is_empty() {
            bail!(
                "the hook failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(output.stdout)
    }

    fn most_memory(&self) -> Result<Option<u64>> {
        let looks: Result<Vec<Option<u64>>> =
            (0..LOOKS).map(|round| peak(self.command(round)?)).collect();
        Ok(looks?.into_iter().flatten().max())
    }
}

/// The most memory that a program had when it comes to answer.
///
/// The kernel forgets it when the program ends, and asking for it at the end takes unsafe code. So the program is given
/// a full pipe: it must wait with its answer, and can be looked at in peace.
fn peak(mut command: Command) -> Result<Option<u64>> {
    let (mut out, into) = std::io::pipe()?;
    let mut filler = into.try_clone()?;
    // More than any pipe holds; whatever does not fit waits, and so does the program.
    let full = std::thread::spawn(move || filler.write_all(&vec![b' '; 4 << 20]));
    std::thread::sleep(Duration::from_millis(20));
    let mut child = command.stdout(into).stderr(Stdio::null()).spawn()?;
    drop(command);
    let seen = when_waiting(&mut child)?;
    let mut rest = Vec::new();
    out.read_to_end(&mut rest)?;
    child.wait()?;
    let _ = full.join();
    Ok(seen)
}

/// What the kernel says of a child when it has stopped growing and sleeps.
fn when_waiting(child: &mut Child) -> Result<Option<u64>> {
    let status = format!("/proc/{}/status", child.id());
    let started = Instant::now();
    let mut last = None;
    let mut still = 0;
    while started.elapsed() < PATIENCE && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(10));
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let seen = high_water(&text);
        let waits = text.contains("State:\tS");
        still = if waits && seen.is_some() && seen == last {
            still + 1
        } else {
            0
        };
        last = seen.or(last);
        if still >= 10 {
            break;
        }
    }
    Ok(last)
}

/// The high-water mark of a process, in bytes, from its status file.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024)
}

/// The program beside this one, unless another is named.
pub(crate) fn program(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(std::path::absolute(named)?);
    }
    let own = std::env::current_exe()?;
    Ok(own.with_file_name(format!("apostille{}", std::env::consts::EXE_SUFFIX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read() {
        let check = |text: &str, expected| assert_eq!(high_water(text), expected, "{text:?}");
        check("VmPeak:\t  9000 kB\nVmHWM:\t    5120 kB\n", Some(5_242_880));
        check("Name:\ttrue\n", None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_a_program_that_answers_is_seen() {
        let mut echo = Command::new("echo");
        echo.arg("something");
        assert!(peak(echo).unwrap().is_some_and(|it| it > 100_000));
        assert!(peak(Command::new("true")).is_ok());
    }
}
