//! The only place that asks: the clock, the environment, randomness, the current folder, the terminal.
#![expect(
    clippy::disallowed_methods,
    reason = "somebody has to ask the world; everybody else is told through a `World`"
)]

use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal as _, Read as _},
    path::{Path, PathBuf},
    rc::Rc,
    time::Instant,
};

use anyhow::Context as _;
use apostille_agents::clients;
use apostille_postgres::PostgresEnvironment;
use apostille_text::{digest::Digest, moderate::check_name};
use jiff::Timestamp;

use crate::{
    database_access::DatabaseAccess, error::CommandError, parent_environment::is_below_agent,
};

/// The variables that are read, and no others but those of clients and the one that holds a model's key.
pub(crate) const NAMES: [&str; 94] = [
    "APOSTILLE_PERSON",
    "APOSTILLE_CONFIRM",
    "APOSTILLE_CONFIG",
    "APOSTILLE_STORE",
    "APOSTILLE_USER",
    "APOSTILLE_REPO",
    "APOSTILLE_INJECT_MODE",
    "APOSTILLE_MAX_INJECT_CHARS",
    "APOSTILLE_MAX_INJECT_COUNT",
    "APOSTILLE_INJECT_FALLBACK",
    "APOSTILLE_ARCHIVE",
    "APOSTILLE_MAX_TOTAL",
    "APOSTILLE_SCORING",
    "APOSTILLE_REQUIRE_CITATIONS",
    "APOSTILLE_TASK_DIR",
    "APOSTILLE_TASK_FILES",
    "APOSTILLE_TASK_NOTES",
    "APOSTILLE_NOW",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "USER",
    "USERNAME",
    "LOGNAME",
    "TERM",
    "APOSTILLE_GITHUB_URL",
    "APOSTILLE_GITHUB_READ",
    "APOSTILLE_TRUST_ALLOW",
    "APOSTILLE_SERVE_LISTEN",
    "APOSTILLE_SERVE_CERT",
    "APOSTILLE_SERVE_KEY",
    "APOSTILLE_SERVE_BEHIND_PROXY",
    "APOSTILLE_SERVE_PROXY_HEADER",
    "APOSTILLE_SERVE_PUBLIC_HOST",
    "APOSTILLE_REPOS",
    "APOSTILLE_SECRETS_ALLOW",
    "APOSTILLE_SECRETS_RULES",
    "GITHUB_API_URL",
    "APOSTILLE_GITHUB_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "XDG_CACHE_HOME",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "PIP_INDEX_URL",
    "PIP_CERT",
    "SSL_CERT_FILE",
    "no_proxy",
    "APOSTILLE_TOKEN",
    "APOSTILLE_SYNC_TOKEN",
    "APOSTILLE_MODEL_URL",
    "APOSTILLE_MODEL_NAME",
    "APOSTILLE_MODEL_API",
    "APOSTILLE_MODEL_KEY_ENV",
    "APOSTILLE_MODEL_TIMEOUT_MS",
    "APOSTILLE_MODEL_BUDGET",
    "APOSTILLE_MODEL_GUARD",
    "APOSTILLE_HOOK_DEADLINE_MS",
    "APOSTILLE_HOOK_ALONE",
    "APOSTILLE_HOOK_RETRY_MS",
    "PATH",
    "APOSTILLE_QUEUE_PER_WEEK",
    "APOSTILLE_IMPACT_HOLDOUT",
    "APOSTILLE_IMPACT_TIER",
    "APOSTILLE_REFLECT_EVERY",
    "APOSTILLE_CONSOLIDATE_EVERY",
    "APOSTILLE_SYNC",
    "APOSTILLE_REVIEWS_REPOS",
    "APOSTILLE_REVIEWS_SECRET",
    "APOSTILLE_REVIEWS_SECRET_FILE",
    "APOSTILLE_REVIEWS_LOGIN",
    "APOSTILLE_REVIEWS_MAINTAINERS",
    "APOSTILLE_REVIEWS_COMMENTS",
    "APOSTILLE_REVIEWS_COLLABORATORS",
    "APOSTILLE_REVIEWS_PULLS",
    "APOSTILLE_REVIEWS_EXPIRE_DAYS",
    "APOSTILLE_REVIEWS_EXPIRE_TASKS",
    "APOSTILLE_BREAKERS_BURST",
    "APOSTILLE_BREAKERS_COPIES",
    "APOSTILLE_BREAKERS_DRIFT",
    "APOSTILLE_BREAKERS_INVALIDATIONS",
    "APOSTILLE_BREAKERS_WINDOW_MINUTES",
    "APOSTILLE_BREAKERS_QUIET_MINUTES",
    "VISUAL",
    "EDITOR",
    "PGPASSWORD",
    "PGPASSFILE",
    "PGUSER",
    "PGSSLMODE",
    "PGSSLROOTCERT",
];
/// How much is read from the standard input.
const MAX_INPUT: u64 = 256 * 1024 * 1024;
/// How wide a terminal is that does not say.
const USUAL_COLUMNS: usize = 80;

/// The terminal, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct TerminalInfo {
    /// Whether a person types.
    pub stdin: bool,
    /// Whether a person reads the output.
    pub stdout: bool,
    /// Whether a person reads what goes beside it.
    pub stderr: bool,
    /// Whether what was written to it can be written over.
    pub can_redraw: bool,
    /// How wide it is.
    pub columns: usize,
}

/// Variables of the environment, and where this user's files are by them.
#[derive(Clone, Default)]
pub struct Environment(pub(crate) BTreeMap<&'static str, String>);

/// The names only: some values are secret.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Everything outside the program.
#[derive(Debug, Clone)]
pub struct System {
    /// The time.
    pub now: Timestamp,
    /// The current folder.
    pub cwd: PathBuf,
    /// The environment.
    pub env: Environment,
    /// The terminal.
    pub terminal: TerminalInfo,
    /// Whether an agent waits for the answer: nothing may take long.
    pub is_hurried: bool,
    /// The command line as it was typed, the program's name left out.
    pub typed: Vec<String>,
    /// What the system said the time was when this was asked; `None` where a test fixed it.
    pub asked: Option<Timestamp>,
    seed: [u8; 16],
    drawn: Rc<Cell<u64>>,
    confirmed: Rc<Cell<bool>>,
}

impl System {
    /// The world as it is now.
    pub fn from_process(typed: Vec<String>) -> Result<Self, CommandError> {
        let env = Environment::from_process();
        check_person_name(&env)?;
        let cwd = std::env::current_dir()
            .context("cannot tell the current folder")
            .map_err(CommandError::internal)?;
        let mut seed = [0; 16];
        getrandom::fill(&mut seed)
            .context("the system gives no randomness")
            .map_err(CommandError::internal)?;
        let (now, terminal) = (read_current_time(&env)?, TerminalInfo::from_stdio(&env));
        let asked = env.get("APOSTILLE_NOW").is_none().then_some(now);
        Ok(Self {
            now,
            cwd,
            env,
            terminal,
            is_hurried: false,
            typed,
            asked,
            seed,
            drawn: Rc::default(),
            confirmed: Rc::default(),
        })
    }

    /// The same world seen from a folder, as `-C` asks.
    pub fn with_dir(self, dir: Option<&Path>) -> Self {
        let cwd = dir.map_or_else(|| self.cwd.clone(), |dir| self.cwd.join(dir));
        Self { cwd, ..self }
    }

    /// Numbers that nobody can guess, a new one each time.
    pub fn random_source(&self) -> impl Fn() -> u128 + use<> {
        let (seed, drawn) = (self.seed, Rc::clone(&self.drawn));
        move || {
            drawn.set(drawn.get() + 1);
            let digest =
                Digest::hash_bytes(&[seed.as_slice(), &drawn.get().to_be_bytes()].concat());
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&digest.as_bytes()[..16]);
            u128::from_be_bytes(bytes)
        }
    }

    /// What it takes to reach a database beside its address.
    pub fn database_access(&self) -> DatabaseAccess {
        let lookup = |name: &str| self.env.get(name).map(str::to_owned);
        DatabaseAccess {
            environment: PostgresEnvironment::from_lookup(lookup, self.env.home_dir()),
            nonce: self.random_source()(),
        }
    }

    /// The file that this program was started from.
    pub fn program_path(&self) -> Result<PathBuf, CommandError> {
        std::env::current_exe()
            .context("cannot tell where this program is")
            .map_err(CommandError::internal)
    }

    /// Where files may be left that nobody misses.
    pub fn temp_dir(&self) -> PathBuf {
        std::env::temp_dir()
    }

    /// What is typed or piped in, to its end.
    pub fn read_stdin(&self) -> Result<String, CommandError> {
        let mut text = String::new();
        let read = io::stdin().lock().take(MAX_INPUT).read_to_string(&mut text);
        read.map_err(|error| {
            CommandError::usage(format!("cannot read the standard input: {error}"))
        })?;
        Ok(text)
    }

    /// A file that is named on the command line, or the standard input for `-`, to be read bit by bit.
    pub fn open_input(&self, path: &Path) -> Result<Box<dyn BufRead>, CommandError> {
        if path.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(self.cwd.join(path));
        let file = file.map_err(|error| {
            CommandError::usage(format!("cannot read '{}': {error}", path.display()))
        })?;
        Ok(Box::new(BufReader::new(file)))
    }

    /// Where this user's data is, or that nobody can tell.
    pub fn require_data_dir(&self) -> Result<PathBuf, CommandError> {
        self.env.data_dir().ok_or_else(build_no_home_error)
    }

    /// Tells the time whenever it is asked: as far from this world's `now` as the system's clock has come since. Tests fix it.
    pub fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + use<> {
        let (now, asked) = (self.now, self.asked);
        move || {
            let passed = asked.map(|asked| Timestamp::now().duration_since(asked));
            now.checked_add(passed.unwrap_or_default()).unwrap_or(now)
        }
    }

    /// The time by the system's clock, for what a variable must not move. Tests fix it in builds that are not for use.
    pub(crate) fn wall_clock(&self) -> Timestamp {
        if cfg!(debug_assertions) {
            return self.now;
        }
        Timestamp::now()
    }

    /// Whether the person confirmed in this run that it is them.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.confirmed.get()
    }

    /// Notes that the person confirmed it.
    pub(crate) fn mark_confirmed(&self) {
        self.confirmed.set(true);
    }

    /// Tells how many microseconds have passed since it was asked for.
    pub fn stopwatch(&self) -> impl Fn() -> u64 + use<> {
        let start = Instant::now();
        move || u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// What a variable that the user named holds now; it is kept nowhere. `None` if it is not set, or empty.
    pub fn read_secret_variable(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|it| !it.trim().is_empty())
    }

    /// One line that a person types; empty at the end of input.
    pub fn read_line(&self) -> String {
        let mut line = String::new();
        let _ = io::stdin().read_line(&mut line);
        line
    }
}

/// The error for a user whose folders cannot be found.
pub fn build_no_home_error() -> CommandError {
    CommandError::config("cannot tell where your data is kept: HOME is not set")
}

/// The person's name is stored with what they say, and in the log.
fn check_person_name(env: &Environment) -> Result<(), CommandError> {
    let name = env.get("APOSTILLE_PERSON").unwrap_or_default();
    check_name(name)
        .map_err(|why| CommandError::config(format!("APOSTILLE_PERSON is not a name: {why}")))
}

/// The time; tests fix it.
fn read_current_time(env: &Environment) -> Result<Timestamp, CommandError> {
    match env.get("APOSTILLE_NOW") {
        None => Ok(Timestamp::now()),
        Some(text) => text.parse().map_err(|_| {
            CommandError::config(format!(
                "APOSTILLE_NOW is '{text}', not a time such as 2026-02-26T12:00:00Z"
            ))
        }),
    }
}

impl TerminalInfo {
    fn from_stdio(env: &Environment) -> Self {
        let columns = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
        Self {
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
            can_redraw: env.get("TERM") != Some("dumb"),
            columns: columns.filter(|it| *it > 0).unwrap_or(USUAL_COLUMNS),
        }
    }
}

/// Variables that a person's terminal does not have.
fn list_agent_variables() -> impl Iterator<Item = &'static str> {
    clients::list_shell_variables().chain(clients::list_own_variables())
}

impl Environment {
    fn from_process() -> Self {
        let pairs = NAMES
            .into_iter()
            .chain(clients::list_shell_variables())
            .chain(clients::list_own_variables())
            .chain(clients::list_client_variables())
            .filter_map(|name| Some((name, std::env::var(name).ok()?)));
        Self(pairs.collect())
    }

    /// Whether an agent started this process: its shell says so.
    pub(crate) fn is_agent_shell(&self) -> bool {
        let mut variables = list_agent_variables();
        variables.any(|it| self.0.contains_key(it))
    }

    /// Whether an agent's shell is above this process, although its variables were taken out here.
    pub(crate) fn is_below_agent_shell() -> bool {
        // The tests of this program may be run by an agent; what is built for use has no such way out.
        if cfg!(debug_assertions) && std::env::var_os("APOSTILLE_TEST_WITHOUT_PARENTS").is_some() {
            return false;
        }
        let programs: Vec<&str> = clients::list_program_names().collect();
        is_below_agent(&list_agent_variables().collect::<Vec<_>>(), &programs)
    }

    /// An environment with a home and nothing else.
    pub fn with_home(home: &Path) -> Self {
        Self(BTreeMap::from([(
            "HOME",
            home.to_string_lossy().into_owned(),
        )]))
    }

    /// The same with another variable.
    pub fn set_variable(&mut self, name: &'static str, value: &str) {
        self.0.insert(name, value.into());
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|it| !it.is_empty())
    }

    /// This user's folder.
    pub fn home_dir(&self) -> Option<PathBuf> {
        self.absolute_path("HOME")
            .or_else(|| self.absolute_path("USERPROFILE"))
    }

    /// Where this user's data is.
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.app_dir("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share")
    }

    /// Where this user's programs keep what they can get again.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        let named = self.absolute_path("XDG_CACHE_HOME");
        let folder = named.or_else(|| Some(self.home_dir()?.join(".cache")));
        Some(folder?.join("apostille"))
    }

    /// Where this user's configuration is.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.app_dir("XDG_CONFIG_HOME", "APPDATA", ".config")
    }

    fn app_dir(&self, xdg: &str, windows: &str, unix: &str) -> Option<PathBuf> {
        let usual = || match std::env::consts::OS {
            "windows" => self.absolute_path(windows),
            "macos" => Some(self.home_dir()?.join("Library/Application Support")),
            _ => Some(self.home_dir()?.join(unix)),
        };
        Some(self.absolute_path(xdg).or_else(usual)?.join("apostille"))
    }

    /// A whole path that a variable names.
    pub fn absolute_path(&self, name: &str) -> Option<PathBuf> {
        self.get(name)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
    }

    /// The session of the agent that started this program, where its client says it.
    pub fn session_id(&self) -> Option<&str> {
        clients::list_session_variables().find_map(|it| self.get(it))
    }

    /// Git's configuration files of this user; the last counts most.
    pub fn git_config_files(&self) -> Vec<PathBuf> {
        let in_home = |path: &str| Some(self.home_dir()?.join(path));
        let config = self
            .absolute_path("XDG_CONFIG_HOME")
            .or_else(|| in_home(".config"));
        let shared = config.map(|it| it.join("git/config"));
        shared.into_iter().chain(in_home(".gitconfig")).collect()
    }

    /// The name this user is known by to the system.
    pub fn login_name(&self) -> Option<&str> {
        ["USER", "USERNAME", "LOGNAME"]
            .iter()
            .find_map(|it| self.get(it))
    }
}
