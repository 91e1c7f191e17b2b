//! A server, its databases, and what can happen to it.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    certificates::{CertificateFiles, make_certificates},
    guard::{GuardedProgram, make_folder, run_to_end},
    leftovers::remove_leftovers,
    programs::find_postgres_program,
};

/// How long a server may take to start or to follow before the test has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who has to show what: `secured` a password, `encrypted` a connection with TLS; everybody else is let in.
const ACCESS: &str = "\
host      all          secured    all  scram-sha-256
hostssl   all          encrypted  all  trust
host      all          encrypted  all  reject
host      all          all        all  trust
host      replication  all        all  trust
";

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// Whether a commit waits for the disk. Without, a crash of the machine loses data; a crash of Postgres does not.
    pub is_durable: bool,
    /// Whether it offers TLS, with a certificate for `localhost`.
    pub has_tls: bool,
    /// Further settings, as in `postgresql.conf`.
    pub settings: Vec<(String, String)>,
}

impl ServerOptions {
    /// For tests: fast, with TLS.
    pub fn fast() -> Self {
        Self {
            has_tls: true,
            ..Self::default()
        }
    }

    /// As in earnest: every commit is on the disk.
    pub fn durable() -> Self {
        Self {
            is_durable: true,
            ..Self::default()
        }
    }

    /// Adds a setting.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A running server.
#[derive(Debug)]
pub struct PostgresServer {
    folder: PathBuf,
    port: u16,
    options: ServerOptions,
    certificates: Option<CertificateFiles>,
    program: Option<GuardedProgram>,
    n_databases: AtomicU32,
}

impl PostgresServer {
    /// Sets up a cluster and starts it.
    pub fn start(options: ServerOptions) -> Self {
        remove_leftovers();
        let folder = make_folder("postgres");
        let mut initdb = Command::new(find_postgres_program("initdb"));
        initdb.arg("-D").arg(folder.join("data"));
        initdb.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]);
        run_to_end(initdb.arg("--locale=C.UTF-8"), &folder);
        let access = folder.join("data/pg_hba.conf");
        fs::write(&access, ACCESS).expect("the access file can be written");
        let certificates = options.has_tls.then(|| make_certificates(&folder));
        Self::start_in(folder, options, certificates)
    }

    /// The server that all tests of a process share, each with a database of its own.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<PostgresServer> = OnceLock::new();
        SHARED.get_or_init(|| {
            let options = ServerOptions::fast();
            Self::start(
                options
                    .with("max_connections", "300")
                    .with("log_statement", "none"),
            )
        })
    }

    fn start_in(
        folder: PathBuf,
        options: ServerOptions,
        certificates: Option<CertificateFiles>,
    ) -> Self {
        let mut server = Self {
            folder,
            port: 0,
            options,
            certificates,
            program: None,
            n_databases: AtomicU32::new(0),
        };
        server.start_on_free_port();
        server
    }

    /// Between looking for a free port and listening on it another program may take it; then the next one will do.
    fn start_on_free_port(&mut self) {
        for _ in 0..5 {
            self.port = find_free_port();
            if self.start_program() {
                return;
            }
        }
        panic!("Postgres does not start: {}", self.read_log());
    }

    /// Whether it came up.
    fn start_program(&mut self) -> bool {
        let mut arguments = vec!["-D".to_owned(), self.data_folder().display().to_string()];
        for (name, value) in self.list_settings() {
            arguments.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        let postgres = find_postgres_program("postgres");
        let mut program = GuardedProgram::start(&self.folder, "QUIT", &postgres, &arguments);
        let is_up = self.wait_until_ready(&mut program);
        if is_up {
            self.program = Some(program);
        } else {
            program.stop_and_keep();
        }
        is_up
    }

    fn list_settings(&self) -> Vec<(String, String)> {
        let on_off = |it: bool| if it { "on" } else { "off" };
        let own = [
            ("port", self.port.to_string().as_str()),
            ("listen_addresses", "127.0.0.1"),
            ("unix_socket_directories", ""),
            ("fsync", on_off(self.options.is_durable)),
            ("full_page_writes", on_off(self.options.is_durable)),
            ("shared_buffers", "64MB"),
            ("wal_level", "replica"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut settings = own.to_vec();
        if let Some(files) = &self.certificates {
            settings.push(("ssl".into(), "on".into()));
            settings.push(("ssl_cert_file".into(), files.server.display().to_string()));
            settings.push((
                "ssl_key_file".into(),
                files.server_key.display().to_string(),
            ));
        }
        settings.extend(self.options.settings.clone());
        settings
    }

    /// Asks until the server answers or is gone.
    fn wait_until_ready(&self, program: &mut GuardedProgram) -> bool {
        wait_for(|| {
            let is_ready = self.is_ready();
            (is_ready || program.has_ended()).then_some(is_ready)
        })
    }

    fn is_ready(&self) -> bool {
        let mut command = Command::new(find_postgres_program("pg_isready"));
        command.args([
            "-q",
            "-U",
            "postgres",
            "-h",
            "127.0.0.1",
            "-p",
            &self.port.to_string(),
        ]);
        command.status().is_ok_and(|it| it.success())
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The folder that goes away with it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where it listens on `127.0.0.1`.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The files of its certificates, if it has TLS.
    pub fn certificates(&self) -> Option<&CertificateFiles> {
        self.certificates.as_ref()
    }

    /// What the server has said.
    pub fn read_log(&self) -> String {
        let bytes = fs::read(self.folder.join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// An address of a database, not encrypted.
    pub fn url(&self, user: &str, database: &str) -> String {
        let port = self.port;
        format!("postgres://{user}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// A new, empty database.
    pub fn create_database(&self) -> String {
        let n = self.n_databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("d{n}");
        self.run_sql("postgres", &format!("create database {name}"));
        name
    }

    /// Runs SQL as the owner of everything; gives the rows, fields divided by `|`.
    pub fn run_sql(&self, database: &str, sql: &str) -> String {
        self.try_sql("postgres", database, sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Runs SQL as somebody; gives the rows, or what the server said.
    pub fn try_sql(&self, user: &str, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(find_postgres_program("psql"));
        command.args(["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        command.arg(self.url(user, database));
        let output = command.output().expect("psql runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(text(&output.stderr))
        }
    }

    /// `kill -9` of the server, all its processes with it.
    pub fn kill_hard(&mut self) {
        let backends = self.list_backends();
        signal(self.read_postmaster(), Signal::KILL);
        backends.into_iter().for_each(|it| signal(it, Signal::KILL));
        if let Some(program) = self.program.take() {
            program.stop_and_keep();
        }
    }

    /// Starts it again after [`kill_hard`](Self::kill_hard), on the same port.
    pub fn start_again(&mut self) {
        let lock = self.data_folder().join("postmaster.pid");
        // Postgres would find its lock left over by itself, unless the number went to another process of ours.
        let _ = fs::remove_file(lock);
        assert!(
            self.start_program(),
            "Postgres does not start again: {}",
            self.read_log()
        );
    }

    /// Ends all connections to a database, as an administrator may at any time.
    pub fn terminate_backends(&self, database: &str) -> usize {
        let sql = format!(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '{database}' and pid <> pg_backend_pid()"
        );
        self.run_sql("postgres", &sql).parse().expect("a number")
    }

    /// Stops all processes of the server: connections stay open, and nothing answers.
    pub fn pause(&self) -> PausedServer {
        let mut processes = vec![self.read_postmaster()];
        processes.extend(self.list_backends());
        processes.iter().for_each(|it| signal(*it, Signal::STOP));
        PausedServer { processes }
    }

    fn read_postmaster(&self) -> Pid {
        let text = fs::read_to_string(self.data_folder().join("postmaster.pid"));
        let text = text.expect("the server is running");
        let first = text.lines().next().and_then(|it| it.trim().parse().ok());
        first
            .and_then(Pid::from_raw)
            .expect("the file begins with a process number")
    }

    /// What the server's processes have computed since it started, also those that have ended. Where the machine is busy this says
    /// more than a clock does. Nothing where there is no `/proc`.
    pub fn read_cpu_time(&self) -> Duration {
        let first = self.read_postmaster().as_raw_nonzero().get().to_string();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ticks: u64 = entries
            .filter_map(|it| fs::read_to_string(it.path().join("stat")).ok())
            .filter_map(|it| read_ticks(&it, &first))
            .sum();
        Duration::from_millis(ticks * 10)
    }

    /// The processes of the server, without the first.
    fn list_backends(&self) -> Vec<Pid> {
        let own = "backend_type = 'client backend' and pid = pg_backend_pid()";
        let sql = format!("select pid from pg_stat_activity where not ({own})");
        let rows = self.run_sql("postgres", &sql);
        rows.lines()
            .filter_map(|it| Pid::from_raw(it.parse().ok()?))
            .collect()
    }

    /// A replica that follows, and without which no commit is acknowledged.
    pub fn start_synchronous_replica(&self) -> Self {
        let folder = make_folder("postgres");
        let mut copy = Command::new(find_postgres_program("pg_basebackup"));
        copy.args([
            "-h",
            "127.0.0.1",
            "-p",
            &self.port.to_string(),
            "-U",
            "postgres",
        ]);
        copy.args(["-X", "stream", "-c", "fast", "--no-sync", "-R", "-D"]);
        run_to_end(copy.arg(folder.join("data")), &folder);
        let mut options = self.options.clone();
        options
            .settings
            .retain(|(name, _)| name != "synchronous_standby_names");
        let replica = Self::start_in(folder, options, self.certificates.clone());
        self.run_sql(
            "postgres",
            "alter system set synchronous_standby_names = '*'",
        );
        self.run_sql("postgres", "select pg_reload_conf()");
        let sql = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        assert!(
            wait_for(|| (self.run_sql("postgres", sql) == "1").then_some(true)),
            "no replica follows"
        );
        replica
    }

    /// A replica becomes the server that takes writes.
    pub fn promote(&self) {
        self.run_sql("postgres", "select pg_promote(true, 60)");
        let sql = "select pg_is_in_recovery()";
        assert!(
            wait_for(|| (self.run_sql("postgres", sql) == "f").then_some(true)),
            "it was not promoted"
        );
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // A server that was killed has no guard any more.
        if self.program.take().is_none() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// A server that was stopped; it goes on when this is dropped.
#[derive(Debug)]
pub struct PausedServer {
    processes: Vec<Pid>,
}

impl Drop for PausedServer {
    fn drop(&mut self) {
        self.processes
            .iter()
            .for_each(|it| signal(*it, Signal::CONT));
    }
}

/// The ticks of a line of `/proc/PID/stat`, if it is that of a process or of its child; of the process itself also those of the
/// children that it has outlived.
fn read_ticks(stat: &str, first: &str) -> Option<u64> {
    let (name, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let is_first = name.split(' ').next() == Some(first);
    let n_fields = match (is_first, fields.get(1) == Some(&first)) {
        (true, _) => 4,
        (_, true) => 2,
        _ => return None,
    };
    let ticks = fields.get(11..11 + n_fields)?.iter();
    Some(ticks.filter_map(|it| it.parse::<u64>().ok()).sum())
}

/// It may be gone already.
fn signal(process: Pid, signal: Signal) {
    let _ = kill_process(process, signal);
}

pub(crate) fn find_free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    listener.local_addr().expect("it listens").port()
}

/// Asks again and again until there is an answer; `false` after too long.
pub(crate) fn wait_for(mut ask: impl FnMut() -> Option<bool>) -> bool {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
