//! `task trailers`: `Task-Id` and `Prompt-Version` in a commit message. A commit never fails because of it.

use std::fs;
use std::path::Path;

use apostille_agents::brief::FRAME;
use apostille_tasks::task::trailers::{HASH, added, is_untouched};
use apostille_tools::Profile;
use serde::Serialize;

use crate::args::TaskTrailers;
use crate::shell::{Answer, Shell};
use apostille_agents::settings::rules::RULES;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::place::Place;
use apostille_workspace::{prompt, task};

/// The largest message that is touched.
const MAX_BYTES: u64 = 1024 * 1024;
/// What git may choose to begin a comment with when it is to choose by itself.
const CHOICES: &str = "#;@!$%^&|:";

#[derive(Serialize)]
struct Reply {
    ok: bool,
    changed: bool,
    trailers: Vec<(String, String)>,
}

/// Adds the trailers to a message, or shows them.
pub fn run(shell: &Shell, args: &TaskTrailers) -> Answer {
    let trailers = trailers(shell).unwrap_or_default();
    let changed = match &args.file {
        Some(file) if !args.print && !trailers.is_empty() => {
            written(shell, &shell.world.cwd.join(file), &trailers).is_some()
        }
        _ => false,
    };
    let json = Reply {
        ok: true,
        changed,
        trailers,
    };
    shell.answer(error::OK, &json, |_| {
        let lines = json.trailers.iter().filter(|_| args.print);
        lines
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    })
}

/// The trailers of a commit that is made here now; none where no task is active.
fn trailers(shell: &Shell) -> Result<Vec<(String, String)>, Fault> {
    let place = shell.place()?;
    let settings = shell.settings(&place)?;
    let Some(task) = task::active_task(&shell.world, &place, &settings) else {
        return Ok(Vec::new());
    };
    let fixed = [
        ("instructions", Profile::Default.instructions()),
        ("frame", FRAME),
        ("rules", RULES),
    ];
    let version = prompt::version(&place.root, &fixed);
    Ok(vec![
        ("Task-Id".into(), task.slug.to_string()),
        ("Prompt-Version".into(), version.to_string()),
    ])
}

fn written(shell: &Shell, file: &Path, trailers: &[(String, String)]) -> Option<()> {
    let place = shell.place().ok()?;
    fs::metadata(file)
        .ok()
        .filter(|it| it.is_file() && it.len() <= MAX_BYTES)?;
    let message = fs::read_to_string(file).ok()?;
    let comment = comment(shell, &place, &message);
    if template(shell, &place).is_some_and(|it| is_untouched(&message, &it, &comment)) {
        return None;
    }
    let trailers: Vec<(&str, &str)> = trailers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    fs::write(file, added(&message, &comment, &trailers)?).ok()
}

fn setting(shell: &Shell, place: &Place, section: &str, key: &str) -> Option<String> {
    let env = &shell.world.env;
    place
        .checkout
        .as_ref()?
        .setting(&env.git_configs(), section, key)
        .filter(|it| !it.is_empty())
}

/// What begins a comment, by git's configuration. Where git is to choose, the last line tells what it chose.
fn comment(shell: &Shell, place: &Place, message: &str) -> String {
    let said = ["commentstring", "commentchar"]
        .iter()
        .find_map(|it| setting(shell, place, "core", it));
    match said.as_deref() {
        None => HASH.into(),
        Some("auto") => {
            let last = message.lines().rev().find(|it| !it.trim().is_empty());
            let first = last
                .and_then(|it| it.chars().next())
                .filter(|it| CHOICES.contains(*it));
            first.map_or_else(|| HASH.into(), String::from)
        }
        Some(other) => other.into(),
    }
}

/// The message that people begin with here, where there is one: who leaves it as it is wants no commit.
fn template(shell: &Shell, place: &Place) -> Option<String> {
    let said = setting(shell, place, "commit", "template")?;
    let path = match (said.strip_prefix("~/"), shell.world.env.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => place.root.join(said),
    };
    fs::metadata(&path)
        .ok()
        .filter(|it| it.is_file() && it.len() <= MAX_BYTES)?;
    fs::read_to_string(path).ok()
}
