//! `doctor`: is everything in order?

mod agents;
mod room;
mod sharing;

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use apostille_core::store::watch::Trip;
use serde::Serialize;

use super::breaker;
use crate::paint::{BOLD, DIM, GREEN, Paint, RED, YELLOW, ink, safe};
use crate::shell::{Answer, Shell};
use apostille_workspace::config::Settings;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;
use apostille_workspace::{desk, model};

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    Doubtful,
    Broken,
}

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
    #[serde(skip)]
    code: u8,
}

fn good(what: &'static str, detail: impl Into<String>) -> Finding {
    Finding {
        what,
        state: State::Good,
        detail: detail.into(),
        code: error::OK,
    }
}

fn doubtful(what: &'static str, detail: impl Into<String>) -> Finding {
    Finding {
        state: State::Doubtful,
        ..good(what, detail)
    }
}

fn broken(what: &'static str, code: u8, detail: impl Into<String>) -> Finding {
    Finding {
        state: State::Broken,
        code,
        ..good(what, detail)
    }
}

#[derive(Serialize)]
struct Reply {
    ok: bool,
    findings: Vec<Finding>,
}

/// Looks the installation over; thorough rather than quick.
pub fn run(shell: &Shell) -> Result<Answer, Fault> {
    let mut findings = vec![
        good(
            "version",
            format!("apostille {}", env!("CARGO_PKG_VERSION")),
        ),
        git(),
    ];
    match shell.place().and_then(|place| shell.settings(&place)) {
        Err(fault) => findings.push(broken("config", error::USAGE, fault.message())),
        Ok(settings) => {
            findings.push(good("config", "every setting is understood"));
            findings.push(good(
                "spaces",
                format!("{} and {}", settings.repo.value, settings.user.value),
            ));
            findings.extend(store(&settings));
            findings.extend(sharing::findings(shell, &settings));
            findings.extend(breakers(shell));
            findings.push(asked(&shell.world, &settings));
        }
    }
    findings.extend(agents::findings(shell));
    let code = findings.iter().map(|it| it.code).max().unwrap_or(error::OK);
    let json = Reply {
        ok: code == error::OK,
        findings,
    };
    Ok(shell.answer(code, &json, |paint| page(paint, &json.findings)))
}

fn git() -> Finding {
    let asked = Command::new("git")
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match asked {
        Ok(output) if output.status.success() => good(
            "git",
            String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        ),
        _ => doubtful(
            "git",
            "not found: your files are still checked, `--at REF` is not available",
        ),
    }
}

fn store(settings: &Settings) -> Vec<Finding> {
    let (url, path) = (&settings.store.value, settings.store.value.path());
    if !path.exists() {
        return vec![good(
            "store",
            format!("{url} is not there yet; the first `apostille remember` makes it"),
        )];
    }
    let health = desk::opened(settings).and_then(|store| Ok((store.health()?, store.spaces()?)));
    let mut findings = match health {
        Err(error) => {
            return vec![broken(
                "store",
                error::STORE,
                format!("{url}: {:#}", anyhow::Error::from(error)),
            )];
        }
        Ok((health, spaces)) if health.problems.is_empty() => {
            let spaces = crate::paint::count(spaces.len() as u64, "space", "spaces");
            vec![good("store", format!("{}: sound, {spaces}", health.name))]
        }
        Ok((health, _)) => health
            .problems
            .into_iter()
            .map(|it| broken("store", error::STORE, it))
            .collect(),
    };
    findings.push(writable(path));
    // What is in git is as private as the repository.
    findings.extend(private(path).filter(|_| settings.own_store.is_none()));
    findings
}

/// Whose writes are held up. A store that cannot be opened was told of already.
fn breakers(shell: &Shell) -> Vec<Finding> {
    let open = shell
        .desk()
        .and_then(|desk| breaker::open(&desk))
        .unwrap_or_default();
    let told = |it: &Trip| {
        format!(
            "{}; `apostille breaker close` lets it go on",
            breaker::told(it)
        )
    };
    open.iter()
        .map(|(_, it)| doubtful("breaker", told(it)))
        .collect()
}

/// Which model may be asked. It is not called: that would cost, and tell it something.
fn asked(world: &World, settings: &Settings) -> Finding {
    let said = &settings.model;
    let Some((url, name)) = said.named() else {
        return match (&said.url.value, &said.name.value) {
            (Some(_), _) => doubtful("model", "off: model.url is set and model.name is not"),
            (_, Some(_)) => doubtful("model", "off: model.name is set and model.url is not"),
            _ => good("model", "off"),
        };
    };
    if let Err(fault) = model::model(world, settings) {
        return broken("model", error::USAGE, fault.message());
    }
    let model = format!("{name} at {url}");
    match &said.key_env.value {
        None => good("model", format!("{model}, without a key")),
        Some(variable) if World::secret(variable).is_some() => {
            good("model", format!("{model}, key from {variable}"))
        }
        Some(variable) => doubtful(
            "model",
            format!("{model}, key from {variable}, which is not set"),
        ),
    }
}

fn writable(path: &Path) -> Finding {
    match OpenOptions::new().append(true).open(path) {
        Ok(_) => good("writable", "yes"),
        Err(error) => doubtful(
            "writable",
            format!("no, memories can only be read: {error}"),
        ),
    }
}

/// Whether others on this machine can read the store.
#[cfg(unix)]
fn private(path: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    Some(match mode & 0o077 {
        0 => good("private", format!("only you can read it ({mode:03o})")),
        _ => doubtful(
            "private",
            format!(
                "others can read it ({mode:03o}); chmod 600 '{}'",
                path.display()
            ),
        ),
    })
}

#[cfg(not(unix))]
fn private(path: &Path) -> Option<Finding> {
    let _ = fs::metadata(path).ok()?;
    None
}

fn page(_: &Paint, findings: &[Finding]) -> String {
    let line = |it: &Finding| {
        let sign = match it.state {
            State::Good => ink(GREEN, "✓"),
            State::Doubtful => ink(YELLOW, "!"),
            State::Broken => ink(RED, "✗"),
        };
        format!(
            "{sign} {}{:pad$}{}\n",
            ink(BOLD, it.what),
            "",
            safe(&it.detail),
            pad = 10 - it.what.len()
        )
    };
    let lines: String = findings.iter().map(line).collect();
    // What else is doubtful is a choice; an open breaker waits for a person.
    let is_sound = findings
        .iter()
        .all(|it| it.state != State::Broken && it.what != "breaker");
    let end = if is_sound {
        "everything is in order"
    } else {
        "something needs your attention"
    };
    format!("{lines}{}\n", ink(DIM, end))
}
