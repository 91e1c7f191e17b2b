use std::{collections::BTreeMap, fs};

use tokio_postgres::config::Host;

use super::*;

fn settings(url: &str, variables: &[(&str, &str)]) -> Result<ConnectSettings, PostgresUrlError> {
    let pairs = variables
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    let variables: BTreeMap<String, String> = pairs.collect();
    let environment = PostgresEnvironment {
        variables,
        home: None,
    };
    connect_settings(&url.parse()?, &environment)
}

/// A file in PEM form with one authority; the library reads it, nothing is signed by it here.
fn write_authority() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), include_str!("tests/authority.pem")).unwrap();
    file
}

#[test]
fn ssl_modes_mean_what_libpq_says() {
    let authority = write_authority();
    let root = format!("sslrootcert={}", authority.path().display());
    let check = |query: &str, variables: &[(&str, &str)], expected: &str| {
        let shown = match settings(&format!("postgres://ana@db/m?{query}"), variables) {
            Ok(settings) => format!("{:?} {:?}", settings.tls, settings.config.get_ssl_mode()),
            Err(error) => error.to_string(),
        };
        assert!(shown.contains(expected), "{query}: {shown}");
    };
    check("", &[], "Prefer Prefer");
    check("sslmode=disable", &[], "Off Disable");
    check("sslmode=allow", &[], "Prefer Prefer");
    check("sslmode=require", &[], "Require Require");
    check("sslmode=verify-ca", &[], "add sslrootcert=FILE");
    check(&format!("sslmode=verify-ca&{root}"), &[], "Require Require");
    check(
        &format!("sslmode=verify-full&{root}"),
        &[],
        "Require Require",
    );
    check(
        "sslmode=require&sslrootcert=system",
        &[],
        "needs sslmode=verify-full",
    );
    check("sslrootcert=/no/such", &[], "/no/such cannot be read");
    check("sslrootcert=/dev/null", &[], "not a plain file");
    check("", &[("PGSSLMODE", "require")], "Require Require");
    check(
        "sslmode=disable",
        &[("PGSSLMODE", "require")],
        "Off Disable",
    );
    check("", &[("PGSSLMODE", "yes")], "PGSSLMODE is to be");
    check(
        "sslmode=require",
        &[("PGSSLROOTCERT", "/no/such")],
        "/no/such cannot be read",
    );
    let own = authority.path().to_str().unwrap();
    check(
        "sslrootcert=system",
        &[("SSL_CERT_FILE", own)],
        "Require Require",
    );
    check(
        "sslmode=verify-full",
        &[("SSL_CERT_FILE", own)],
        "Require Require",
    );
    check(
        "sslmode=verify-full",
        &[("SSL_CERT_FILE", "/no/such")],
        "/no/such cannot be read",
    );
}

#[test]
fn file_without_certificates_is_refused() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let url = format!("postgres://ana@db/m?sslrootcert={}", empty.path().display());
    let error = settings(&url, &[]).unwrap_err().to_string();
    assert!(error.contains("no certificate in PEM form"), "{error}");
}

#[test]
fn socket_is_not_encrypted() {
    let settings = settings("postgres://ana@%2Ftmp/m?sslmode=require", &[]).unwrap();
    assert!(matches!(settings.tls, TlsMode::Off));
    assert!(matches!(&settings.config.get_hosts()[0], Host::Unix(it) if it.ends_with("tmp")));
}

#[test]
fn user_is_named_by_address_or_environment() {
    let check = |url: &str, variables: &[(&str, &str)], expected: Option<(&str, &str)>| {
        let found = settings(url, variables).ok();
        let config = found.as_ref().map(|it| &it.config);
        let names = config.and_then(|it| Some((it.get_user()?, it.get_dbname()?)));
        assert_eq!(names, expected, "{url}");
    };
    check(
        "postgres://ana@db/m",
        &[("PGUSER", "bo")],
        Some(("ana", "m")),
    );
    check("postgres://db/m", &[("PGUSER", "bo")], Some(("bo", "m")));
    check("postgres://ana@db", &[], Some(("ana", "ana")));
    check("postgres://db/m", &[], None);
}

#[test]
fn several_hosts_have_to_take_writes() {
    let target = |url: &str| {
        settings(url, &[])
            .unwrap()
            .config
            .get_target_session_attrs()
    };
    assert_eq!(
        target("postgres://ana@one,two/m"),
        TargetSessionAttrs::ReadWrite
    );
    assert_eq!(target("postgres://ana@one/m"), TargetSessionAttrs::Any);
    assert_eq!(
        target("postgres://ana@one,two/m?target_session_attrs=any"),
        TargetSessionAttrs::Any
    );
}

#[test]
fn waiting_has_an_end() {
    let timeout = |url: &str| {
        settings(url, &[])
            .unwrap()
            .config
            .get_connect_timeout()
            .copied()
    };
    assert_eq!(timeout("postgres://ana@db/m"), Some(Duration::from_secs(3)));
    let url = "postgres://ana@db/m?connect_timeout=7";
    assert_eq!(timeout(url), Some(Duration::from_secs(7)));
    let config = settings(url, &[]).unwrap().config;
    assert!(config.get_keepalives() && config.get_tcp_user_timeout().is_some());
}

#[test]
fn settings_show_no_password() {
    let settings = settings("postgres://ana@db/m", &[("PGPASSWORD", "hunter2")]).unwrap();
    assert_eq!(settings.config.get_password(), Some(b"hunter2".as_slice()));
    assert!(!format!("{settings:?}").contains("hunter2"));
}
