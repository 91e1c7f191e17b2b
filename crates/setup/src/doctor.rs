//! `doctor`: is everything in order?

mod agents;
mod hook_sandbox;
mod other_memories;
mod sharing;

use std::{
    fs::{self, OpenOptions},
    path::Path,
    process::{Command, Stdio},
};

use apostille_agents::ledger::SessionFailure;
use apostille_core::{
    embedding_upkeep::EmbeddingCoverage,
    format::format_utc_day,
    store::{StoreError, breaker_state::OpenBreaker},
};
use serde::Serialize;

use apostille_postgres::{PostgresUrl, examine_database};
use apostille_terminal::{
    breakers,
    command_context::{CommandContext, CommandOutput},
    paint::{BOLD, DIM, GREEN, RED, YELLOW, make_terminal_safe, style_text},
};
use apostille_workspace::{
    config::Settings,
    config::StoreUrl,
    embedding_model::{CAN_EMBED, HOW_TO_GET_EMBED, ModelFolder, ModelState, count_in_spaces},
    error,
    error::CommandError,
    model, sessions,
    system::System,
    trust::UntrustedReason,
    workspace,
};

/// How many sessions that were given up are told one by one.
const MAX_FAILURES: usize = 5;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum HealthState {
    Good,
    Doubtful,
    Broken,
}

#[derive(Serialize)]
struct DoctorFinding {
    what: &'static str,
    state: HealthState,
    detail: String,
    #[serde(skip)]
    code: u8,
}

fn new_good_finding(what: &'static str, detail: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        what,
        state: HealthState::Good,
        detail: detail.into(),
        code: error::OK,
    }
}

fn new_doubtful_finding(what: &'static str, detail: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        state: HealthState::Doubtful,
        ..new_good_finding(what, detail)
    }
}

fn new_broken_finding(what: &'static str, code: u8, detail: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        state: HealthState::Broken,
        code,
        ..new_good_finding(what, detail)
    }
}

#[derive(Serialize)]
struct DoctorReply {
    ok: bool,
    findings: Vec<DoctorFinding>,
}

/// Looks the installation over; thorough rather than quick.
pub fn run(ctx: &CommandContext) -> Result<CommandOutput, CommandError> {
    let mut findings = vec![
        new_good_finding(
            "version",
            format!("apostille {}", env!("CARGO_PKG_VERSION")),
        ),
        check_git_program(),
    ];
    match ctx
        .find_project_folder()
        .and_then(|place| ctx.resolve_settings(&place))
    {
        Err(fault) => findings.push(new_broken_finding("config", error::USAGE, fault.message())),
        Ok(settings) => {
            findings.push(new_good_finding("config", "every setting is understood"));
            findings.push(new_good_finding(
                "spaces",
                format!("{} and {}", settings.repo.as_str(), settings.user),
            ));
            let apart = settings.contact.describe_separation();
            findings.extend(apart.map(|it| new_doubtful_finding("repository", it.trim_end())));
            let untrusted = settings.untrusted.map(UntrustedReason::describe);
            findings.extend(untrusted.map(|it| new_doubtful_finding("trust", it)));
            findings.extend(check_store_health(&settings));
            findings.extend(sharing::check_store_sharing(ctx, &settings));
            findings.extend(check_open_breakers(ctx));
            findings.push(check_model_settings(&ctx.system, &settings));
            findings.extend(check_embedding_model(ctx));
        }
    }
    findings.extend(check_archive_file(&ctx.system));
    findings.extend(check_failed_sessions(&ctx.system));
    findings.extend(agents::check_client_setup(ctx));
    findings.extend(other_memories::check_other_memories(ctx));
    let code = findings.iter().map(|it| it.code).max().unwrap_or(error::OK);
    let json = DoctorReply {
        ok: code == error::OK,
        findings,
    };
    let answer = ctx.render_output(&json, |_| format_doctor_page(&json.findings));
    Ok(answer.with_code(code))
}

fn check_git_program() -> DoctorFinding {
    let asked = Command::new("git")
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match asked {
        Ok(output) if output.status.success() => {
            new_good_finding("git", String::from_utf8_lossy(&output.stdout).trim())
        }
        _ => new_doubtful_finding(
            "git",
            "not found: your files are still checked, `--at REF` is not available",
        ),
    }
}

fn check_store_health(settings: &Settings) -> Vec<DoctorFinding> {
    let url = &settings.store;
    if !url.is_there() {
        return vec![new_good_finding(
            "store",
            format!("{url} is not there yet; the first `apostille remember` makes it"),
        )];
    }
    let health = workspace::open_configured_store(settings)
        .and_then(|store| Ok((store.check_health()?, store.list_spaces()?)));
    let mut findings = match health {
        Err(error) => {
            return vec![new_broken_finding(
                "store",
                error::STORE,
                format!("{url}: {:#}", anyhow::Error::from(error)),
            )];
        }
        Ok((health, spaces)) if health.problems.is_empty() => {
            let spaces =
                apostille_terminal::paint::format_count(spaces.len() as u64, "space", "spaces");
            vec![new_good_finding(
                "store",
                format!("{}: sound, {spaces}", health.name),
            )]
        }
        Ok((health, _)) => health
            .problems
            .into_iter()
            .map(|it| new_broken_finding("store", error::STORE, it))
            .collect(),
    };
    if let Some(path) = url.path() {
        findings.push(check_store_writable(path));
        // What is in git is as private as the repository.
        findings.extend(check_store_private(path).filter(|_| settings.own_store.is_none()));
    }
    if let StoreUrl::Postgres(url) = url {
        findings.extend(check_database_connection(url, settings));
    }
    findings
}

/// How a database is reached: as whom, how fast, and whether somebody on the way can read along.
fn check_database_connection(url: &PostgresUrl, settings: &Settings) -> Vec<DoctorFinding> {
    let report = match examine_database(url, &settings.database.environment) {
        Ok(report) => report,
        Err(error) => {
            let told = format!("{:#}", anyhow::Error::from(error));
            return vec![new_broken_finding("database", error::STORE, told)];
        }
    };
    let (role, server) = (&report.role, &report.server);
    let ms = report.round_trip.as_secs_f64() * 1e3;
    let told = format!("PostgreSQL {server} as {role}, {ms:.2} ms a round trip");
    let mut findings = vec![new_good_finding("database", told)];
    if report.owns_tables {
        let told = format!(
            "the role {role} owns the tables: connect as one that does not, see `apostille store grant`"
        );
        findings.push(new_doubtful_finding("role", told));
    }
    findings.push(match (report.is_encrypted, report.is_certificate_checked) {
        (true, true) => {
            new_good_finding("encryption", "on, and the server's certificate is checked")
        }
        (true, false) => new_doubtful_finding(
            "encryption",
            "on, but anybody may answer as the server: say sslmode=verify-full in the address",
        ),
        (false, _) if report.is_local => new_good_finding("encryption", "off, on this machine"),
        (false, _) => new_doubtful_finding(
            "encryption",
            "off: memories and passwords go over the network as they are; say sslmode=verify-full",
        ),
    });
    findings
}

/// Whose writes are held up. A store that cannot be opened was told of already.
fn check_open_breakers(ctx: &CommandContext) -> Vec<DoctorFinding> {
    let open = ctx
        .open_workspace()
        .and_then(|workspace| breakers::list_breakers_in_play(&workspace))
        .unwrap_or_default();
    let told = |it: &OpenBreaker| {
        format!(
            "{}; `apostille breaker close` lets it go on",
            breakers::describe_breaker(it, true)
        )
    };
    open.iter()
        .map(|(_, it)| new_doubtful_finding("breaker", told(it)))
        .collect()
}

/// Whether what was said in past conversations can be read. Without it memories are shown as ever, and nothing is learned from
/// sessions, because nobody can tell what of them was forgotten.
fn check_archive_file(system: &System) -> Option<DoctorFinding> {
    Some(match workspace::check_kept_archive(system)? {
        Ok(()) => new_good_finding("archive", "what was said can be read"),
        Err(error) => {
            let way = match error {
                StoreError::Corrupt { .. } => "; or move it away, and a new one is made",
                _ => "",
            };
            let detail = format!("{:#}{way}", anyhow::Error::from(error));
            new_broken_finding("archive", error::STORE, detail)
        }
    })
}

/// The sessions that nobody could go through, with the way to try one again; nothing where there are none.
fn check_failed_sessions(system: &System) -> Vec<DoctorFinding> {
    let ledger = sessions::open_session_ledger(system);
    let failures = ledger.map(|it| it.list_failures()).unwrap_or_default();
    let told = |it: &SessionFailure| {
        let (name, why, day) = (&it.session, &it.why, format_utc_day(it.at));
        format!(
            "{name} was given up on {day}: {why}; `apostille hook --after={name}` tries it again"
        )
    };
    let latest = failures.iter().rev().take(MAX_FAILURES);
    let mut findings: Vec<DoctorFinding> = latest
        .map(|it| new_doubtful_finding("session", told(it)))
        .collect();
    if let Some(more) = failures
        .len()
        .checked_sub(MAX_FAILURES)
        .filter(|it| *it > 0)
    {
        findings.push(new_doubtful_finding(
            "session",
            format!("{more} more were given up"),
        ));
    }
    findings
}

/// Which model may be asked. It is not called: that would cost, and tell it something.
fn check_model_settings(system: &System, settings: &Settings) -> DoctorFinding {
    let said = &settings.model;
    let Some((url, name)) = said.url_and_name() else {
        return match (&said.url, &said.name) {
            (Some(_), _) => {
                new_doubtful_finding("model", "off: model.url is set and model.name is not")
            }
            (_, Some(_)) => {
                new_doubtful_finding("model", "off: model.name is set and model.url is not")
            }
            _ => new_good_finding("model", "off"),
        };
    };
    if let Err(fault) = model::build_model(system, settings) {
        return new_broken_finding("model", error::USAGE, fault.message());
    }
    let model = format!("{name} at {url}");
    match &said.key_env {
        None => new_good_finding("model", format!("{model}, without a key")),
        Some(variable) if System::read_secret_variable(variable).is_some() => {
            new_good_finding("model", format!("{model}, key from {variable}"))
        }
        Some(variable) => new_doubtful_finding(
            "model",
            format!("{model}, key from {variable}, which is not set"),
        ),
    }
}

/// The embedding model, where something is installed, and how many memories have a vector of it.
fn check_embedding_model(ctx: &CommandContext) -> Option<DoctorFinding> {
    let what = "meaning";
    let again = "run `apostille model pull minilm`";
    let finding = match ModelFolder::locate(&ctx.system)?.check_files() {
        ModelState::Absent => return None,
        ModelState::Damaged(why) => new_doubtful_finding(
            what,
            format!("damaged, recall goes by words only: {why}; {again}"),
        ),
        ModelState::OtherVersion(found) => new_doubtful_finding(
            what,
            format!("{found} is another version, recall goes by words only; {again}"),
        ),
        ModelState::Installed if !CAN_EMBED => new_doubtful_finding(
            what,
            format!("this build cannot use it; {HOW_TO_GET_EMBED}"),
        ),
        ModelState::Installed => match count_vectors(ctx) {
            Ok(it) if it.missing == 0 => new_good_finding(
                what,
                format!("minilm, with vectors of all {} memories", it.embedded),
            ),
            Ok(it) => new_good_finding(
                what,
                format!(
                    "minilm, with vectors of {} memories; {} lack one, `apostille model embed` makes them",
                    it.embedded, it.missing
                ),
            ),
            Err(fault) => new_doubtful_finding(what, fault.message()),
        },
    };
    Some(finding)
}

fn count_vectors(ctx: &CommandContext) -> Result<EmbeddingCoverage, CommandError> {
    let workspace = ctx.open_existing_workspace()?;
    Ok(count_in_spaces(&workspace.context(), &workspace.spaces())?)
}

fn check_store_writable(path: &Path) -> DoctorFinding {
    match OpenOptions::new().append(true).open(path) {
        Ok(_) => new_good_finding("writable", "yes"),
        Err(error) => new_doubtful_finding(
            "writable",
            format!("no, memories can only be read: {error}"),
        ),
    }
}

/// Whether others on this machine can read the store.
#[cfg(unix)]
fn check_store_private(path: &Path) -> Option<DoctorFinding> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    Some(match mode & 0o077 {
        0 => new_good_finding("private", format!("only you can read it ({mode:03o})")),
        _ => new_doubtful_finding(
            "private",
            format!(
                "others can read it ({mode:03o}); chmod 600 '{}'",
                path.display()
            ),
        ),
    })
}

#[cfg(not(unix))]
fn check_store_private(path: &Path) -> Option<DoctorFinding> {
    let _ = fs::metadata(path).ok()?;
    None
}

fn format_doctor_page(findings: &[DoctorFinding]) -> String {
    let line = |it: &DoctorFinding| {
        let sign = match it.state {
            HealthState::Good => style_text(GREEN, "✓"),
            HealthState::Doubtful => style_text(YELLOW, "!"),
            HealthState::Broken => style_text(RED, "✗"),
        };
        format!(
            "{sign} {}{:pad$}{}\n",
            style_text(BOLD, it.what),
            "",
            make_terminal_safe(&it.detail),
            pad = 10_usize.saturating_sub(it.what.len())
        )
    };
    let lines: String = findings.iter().map(line).collect();
    // What else is doubtful is a choice; an open breaker waits for a person.
    let is_sound = findings
        .iter()
        .all(|it| it.state != HealthState::Broken && it.what != "breaker");
    let end = if is_sound {
        "everything is in order"
    } else {
        "something needs your attention"
    };
    format!("{lines}{}\n", style_text(DIM, end))
}
