//! PgBouncer in transaction mode: consecutive transactions of one client go to different connections of the server.

use std::{fmt::Write as _, net::TcpStream, path::PathBuf};

use crate::{
    PostgresServer,
    guard::{GuardedProgram, make_folder, write_for_nobody},
    programs::find_pgbouncer,
    server::{find_free_port, wait_for},
};

/// A running PgBouncer in front of a server.
#[derive(Debug)]
pub struct PgBouncer {
    port: u16,
    folder: PathBuf,
    _program: GuardedProgram,
}

impl PgBouncer {
    /// Starts one with so many connections to the server for each user and database.
    pub fn start(server: &PostgresServer, users: &[&str], n_connections: usize) -> Self {
        Self::start_with(server, users, n_connections, &[])
    }

    /// The same with more lines in its settings.
    pub fn start_with(
        server: &PostgresServer,
        users: &[&str],
        n_connections: usize,
        more: &[&str],
    ) -> Self {
        let folder = make_folder("pgbouncer");
        let port = find_free_port();
        let names = users.iter().fold(String::new(), |mut text, user| {
            let _ = writeln!(text, "\"{user}\" \"\"");
            text
        });
        write_for_nobody(&folder.join("users"), &names);
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {folder}/users\npool_mode = transaction\n\
             default_pool_size = {n_connections}\nmax_client_conn = 500\n{more}\n",
            server.port(),
            folder = folder.display(),
            more = more.join("\n"),
        );
        let file = folder.join("pgbouncer.ini");
        write_for_nobody(&file, &settings);
        let arguments = [file.display().to_string()];
        let mut program = GuardedProgram::start(&folder, "TERM", &find_pgbouncer(), &arguments);
        let is_up = wait_for(|| {
            let answers = TcpStream::connect(("127.0.0.1", port)).is_ok();
            (answers || program.has_ended()).then_some(answers)
        });
        assert!(is_up, "PgBouncer does not start: {}", program.read_log());
        Self {
            port,
            folder,
            _program: program,
        }
    }

    /// An address of a database through it.
    pub fn url(&self, user: &str, database: &str) -> String {
        let port = self.port;
        format!("postgres://{user}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// What it has said.
    pub fn read_log(&self) -> String {
        let bytes = std::fs::read(self.folder.join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
