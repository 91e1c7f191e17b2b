use super::*;

fn write_file(name: &str, text: &str, mode: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    set_mode(&path, mode);
    (folder, path)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

fn environment(variables: &[(&str, &str)], home: Option<&Path>) -> PostgresEnvironment {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(it, _)| *it == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    PostgresEnvironment::from_lookup(lookup, home.map(Path::to_owned))
}

fn password(
    url: &str,
    environment: &PostgresEnvironment,
) -> Result<Option<String>, PostgresUrlError> {
    find_password(&url.parse()?, "ana", environment)
}

#[test]
fn password_file_is_read_as_libpq_reads_it() {
    let check = |lines: &str, url: &str, expected: Option<&str>| {
        let (_folder, path) = write_file("pass", lines, 0o600);
        let environment = environment(&[("PGPASSFILE", path.to_str().unwrap())], None);
        let found = password(url, &environment).unwrap();
        assert_eq!(found.as_deref(), expected, "{lines:?} for {url}");
    };
    let url = "postgres://ana@db/m";
    check("db:5432:m:ana:one", url, Some("one"));
    check("db:5432:m:ana:one\r\n", url, Some("one"));
    check("*:*:*:*:any\ndb:5432:m:ana:one", url, Some("any"));
    check("db:5432:m:bo:two\n*:*:*:ana:one", url, Some("one"));
    check("db:5433:m:ana:one", url, None);
    check("#db:5432:m:ana:one", url, None);
    check("\n:\ndb:5432\ndb:*:*:*:one", url, Some("one"));
    check(r"db:*:*:*:a\:b\\c:d", url, Some(r"a:b\c:d"));
    check(r"\*:*:*:*:one", url, None);
    check(r"db:*:m\:n:*:one", "postgres://ana@db/m%3An", Some("one"));
    check("db:*:ana:*:one", "postgres://ana@db", Some("one"));
    check("\\:\\:1:*:*:*:one", "postgres://ana@[::1]/m", Some("one"));
    check(
        "localhost:*:*:*:one",
        "postgres:///m?host=/tmp",
        Some("one"),
    );
    check(
        "/srv/db:*:*:*:one",
        "postgres:///m?host=/srv/db",
        Some("one"),
    );
    check("two:*:*:*:one", "postgres://ana@one,two/m", Some("one"));
}

#[test]
fn hosts_with_different_passwords_are_refused() {
    let (_folder, path) = write_file("pass", "one:*:*:*:1\ntwo:*:*:*:2", 0o600);
    let environment = environment(&[("PGPASSFILE", path.to_str().unwrap())], None);
    let found = password("postgres://ana@one,two/m", &environment);
    assert_eq!(found, Err(PostgresUrlError::DifferentPasswords));
}

#[cfg(unix)]
#[test]
fn password_file_that_others_read_is_refused() {
    for mode in [0o644, 0o640, 0o604, 0o660] {
        let (folder, path) = write_file(".pgpass", "*:*:*:*:hunter2", mode);
        let at_home = environment(&[], Some(folder.path()));
        let error = password("postgres://ana@db/m", &at_home).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("chmod 600") && !text.contains("hunter2"),
            "{text}"
        );
        set_mode(&path, 0o600);
        let found = password("postgres://ana@db/m", &at_home).unwrap();
        assert_eq!(found.as_deref(), Some("hunter2"));
    }
}

#[test]
fn nearest_password_counts() {
    let (folder, path) = write_file(".pgpass", "*:*:*:*:home", 0o600);
    let (_other, secret) = write_file("secret", "file\nnot this\n", 0o444);
    let environment = environment(&[("PGPASSWORD", "variable")], Some(folder.path()));
    let check = |url: &str, expected: &str| {
        let found = password(url, &environment).unwrap();
        assert_eq!(found.as_deref(), Some(expected), "{url}");
    };
    check("postgres://ana:url@db/m", "url");
    check("postgres://ana@db/m", "variable");
    check("postgres://ana@db/m?passfile=~/.pgpass", "home");
    let path = path.display();
    check(&format!("postgres://ana@db/m?passfile={path}"), "home");
    let secret = secret.display();
    check(
        &format!("postgres://ana@db/m?password_file={secret}"),
        "file",
    );
}

#[test]
fn file_that_is_named_has_to_be_there() {
    let none = PostgresEnvironment::default();
    for parameter in ["passfile", "password_file"] {
        let error = password(&format!("postgres://ana@db/m?{parameter}=/no/such"), &none);
        let text = error.unwrap_err().to_string();
        assert!(text.starts_with("/no/such cannot be read"), "{text}");
    }
    let disabled = environment(&[("PGPASSFILE", "/dev/null")], None);
    assert_eq!(password("postgres://ana@db/m", &disabled), Ok(None));
    assert_eq!(password("postgres://ana@db/m", &none), Ok(None));
}

#[test]
fn environment_shows_no_values() {
    let environment = environment(&[("PGPASSWORD", "hunter2"), ("HOME", "/x")], None);
    assert_eq!(environment.variables.len(), 1);
    assert!(!format!("{environment:?}").contains("hunter2"));
}
