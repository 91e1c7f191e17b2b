//! Programs that end with this process, however it ends.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::geteuid;

/// Nobody: owns nothing, and is no administrator.
const NOBODY: u32 = 65534;

/// Waits for the end of its input, or for a word of it, ends the program and removes the folder. A signal that comes before the
/// program listens is lost, so it is sent until the program has ended.
const SCRIPT: &str = r#"folder=$1; signal=$2; shift 2
( "$@" </dev/null & echo $! >"$folder/guarded.pid"; wait $!; : >"$folder/ended" ) &
read -r word
until test -e "$folder/ended"; do
  kill -"$signal" "$(cat "$folder/guarded.pid")" 2>/dev/null
  sleep 0.05
done
test "$word" = keep || rm -rf "$folder""#;

/// A running program in a folder of its own.
#[derive(Debug)]
pub struct GuardedProgram {
    shell: Child,
    folder: PathBuf,
}

impl GuardedProgram {
    /// Starts a program; its output goes to `log` in the folder. `signal` is what ends it, such as `QUIT`.
    pub fn start(folder: &Path, signal: &str, program: &Path, arguments: &[String]) -> Self {
        // That of a program before it in this folder would speak for this one.
        let _ = fs::remove_file(folder.join("ended"));
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("log"));
        let log = log.expect("the log can be written");
        give_to_nobody(&folder.join("log"));
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT, "sh"])
            .arg(folder)
            .arg(signal)
            .arg(program);
        command.args(arguments);
        command
            .stdin(Stdio::piped())
            .stderr(log.try_clone().expect("a log has two writers"));
        command.stdout(log);
        // A terminal's Ctrl-C is for the tests: the shell then sees their end.
        command.process_group(0);
        let shell = as_nobody(&mut command, folder).spawn().expect("sh runs");
        let folder = folder.to_owned();
        Self { shell, folder }
    }

    /// Ends the program and leaves its folder as it is.
    pub fn stop_and_keep(mut self) {
        let mut input = self.shell.stdin.take().expect("the shell has an input");
        // It may have been killed already.
        let _ = input.write_all(b"keep\n");
        drop(input);
        let _ = self.shell.wait();
    }

    /// Whether the program has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.folder.join("ended").exists() || !matches!(self.shell.try_wait(), Ok(None))
    }

    /// What the program has said.
    pub fn read_log(&self) -> String {
        let bytes = fs::read(self.folder.join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for GuardedProgram {
    fn drop(&mut self) {
        if let Some(input) = self.shell.stdin.take() {
            drop(input);
            let _ = self.shell.wait();
        }
    }
}

/// A new folder that `nobody` owns, named after this process so that others see whether it is still in use.
pub(crate) fn make_folder(what: &str) -> PathBuf {
    let prefix = format!("apostille-{what}-{}-", std::process::id());
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir();
    let folder = folder.expect("a temporary folder can be made").keep();
    give_to_nobody(&folder);
    folder
}

/// Runs a command to its end, as `nobody` where we are root, and gives what it wrote.
pub(crate) fn run_to_end(command: &mut Command, folder: &Path) -> String {
    let output = as_nobody(command, folder).output();
    let output = output.unwrap_or_else(|it| panic!("{command:?}: {it}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Only root may become somebody else.
fn as_nobody<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir(folder)
}

fn give_to_nobody(path: &Path) {
    if geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).expect("root may give a file away");
    }
}

/// A file for a program that runs as `nobody`.
pub(crate) fn write_for_nobody(path: &Path, text: &str) {
    fs::write(path, text).expect("the file can be written");
    give_to_nobody(path);
}
