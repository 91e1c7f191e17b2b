//! Who is let in, and on which line: what the server refuses and what we refuse is said clearly, and no password is in it.

use apostille_core::store::EventLog as _;
use apostille_postgres_rig::{PgBouncer, PostgresServer};

use crate::rig::{OWNER, chain, create_database, make_role, open, try_open};

const PASSWORD: &str = "correct-horse";

/// The shared server with roles that have to show something, and the place of its databases.
struct Door {
    server: &'static PostgresServer,
    database: String,
}

impl Door {
    fn make() -> Self {
        let server = PostgresServer::shared();
        let database = create_database(server);
        drop(open(&server.url(OWNER, &database)));
        for role in ["secured", "encrypted"] {
            make_role(server, role);
            let grant = "grant select on all tables in schema public to";
            server.run_sql(&database, &format!("{grant} {role}"));
        }
        server.run_sql(
            "postgres",
            &format!("alter role secured password '{PASSWORD}'"),
        );
        Self { server, database }
    }

    fn url(&self, user: &str, host: &str, query: &str) -> String {
        let (port, database) = (self.server.port(), &self.database);
        format!("postgres://{user}@{host}:{port}/{database}?{query}")
    }

    fn certificate(&self, name: &str) -> String {
        let files = self.server.certificates().unwrap();
        let path = match name {
            "authority" => &files.authority,
            _ => &files.stranger,
        };
        format!("sslrootcert={}", path.display())
    }
}

fn check_refused(url: &str, expected: &str) {
    let error = try_open(url).unwrap_err();
    let text = format!("{} {error:?}", chain(&error));
    assert!(text.contains(expected), "{url}: {text}");
    for secret in [PASSWORD, "hunter2"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn sslmode_decides_which_servers_are_trusted() {
    let door = Door::make();
    let (own, stranger) = (door.certificate("authority"), door.certificate("stranger"));
    // The certificate is for localhost, and not for the address.
    let cases = [
        ("localhost", format!("sslmode=verify-full&{own}"), None),
        (
            "127.0.0.1",
            format!("sslmode=verify-full&{own}"),
            Some("not valid for name"),
        ),
        ("127.0.0.1", format!("sslmode=verify-ca&{own}"), None),
        ("127.0.0.1", format!("sslmode=require&{own}"), None),
        ("127.0.0.1", "sslmode=require".to_owned(), None),
        ("127.0.0.1", "sslmode=prefer".to_owned(), None),
        (
            "localhost",
            format!("sslmode=verify-full&{stranger}"),
            Some("invalid peer certificate"),
        ),
        (
            "localhost",
            format!("sslmode=verify-ca&{stranger}"),
            Some("invalid peer certificate"),
        ),
        (
            "localhost",
            format!("sslmode=require&{stranger}"),
            Some("invalid peer certificate"),
        ),
        (
            "localhost",
            "sslmode=verify-full".to_owned(),
            Some("invalid peer certificate"),
        ),
        (
            "localhost",
            "sslmode=verify-ca".to_owned(),
            Some("add sslrootcert=FILE"),
        ),
        (
            "127.0.0.1",
            "sslmode=disable".to_owned(),
            Some("pg_hba.conf rejects connection"),
        ),
    ];
    for (host, query, refused) in cases {
        let url = door.url("encrypted", host, &query);
        match refused {
            Some(expected) => check_refused(&url, expected),
            None => drop(open(&url)),
        }
    }
}

#[test]
fn encryption_is_on_where_it_is_asked_for() {
    let door = Door::make();
    for (query, expected) in [
        ("sslmode=require", "t"),
        ("sslmode=prefer", "t"),
        ("sslmode=disable", "f"),
    ] {
        let store = open(&door.url(OWNER, "127.0.0.1", query));
        store.list_spaces().unwrap();
        let sql = "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) \
                   where datname = current_database() and usename = 'team'";
        assert_eq!(
            door.server.run_sql(&door.database, sql),
            expected,
            "{query}"
        );
        drop(store);
        door.server.terminate_backends(&door.database);
    }
}

#[test]
fn server_without_tls_is_refused_where_tls_is_required() {
    let door = Door::make();
    let bouncer = PgBouncer::start(door.server, &[OWNER], 4);
    let plain = bouncer.url(OWNER, &door.database);
    for mode in ["require", "verify-full"] {
        let root = door.certificate("authority");
        let url = plain.replace("sslmode=disable", &format!("sslmode={mode}&{root}"));
        check_refused(&url, "server does not support TLS");
    }
    drop(open(&plain.replace("sslmode=disable", "sslmode=prefer")));
}

#[test]
fn passwords_are_checked_and_never_shown() {
    let door = Door::make();
    for mode in ["sslmode=disable", "sslmode=require"] {
        drop(open(&door.url(
            &format!("secured:{PASSWORD}"),
            "127.0.0.1",
            mode,
        )));
        let wrong = door.url("secured:hunter2", "127.0.0.1", mode);
        check_refused(
            &wrong,
            "password authentication failed for user \"secured\"",
        );
        let none = door.url("secured", "127.0.0.1", mode);
        check_refused(&none, "password");
    }
    let store = open(&door.url(
        &format!("secured:{PASSWORD}"),
        "127.0.0.1",
        "sslmode=require",
    ));
    let shown = format!("{store:?} {:?}", store.check_health());
    assert!(!shown.contains(PASSWORD), "{shown}");
}

/// A password from a file, as a container is given one.
#[test]
fn password_file_opens_the_door() {
    let door = Door::make();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{PASSWORD}\n")).unwrap();
    let query = format!("sslmode=require&password_file={}", file.path().display());
    drop(open(&door.url("secured", "127.0.0.1", &query)));
}
