use super::*;

const SECRET: &str = "hunter2";

fn read(text: &str) -> Result<PostgresUrl, PostgresUrlError> {
    text.parse()
}

#[test]
fn addresses_are_read_and_written() {
    let check = |text: &str, expected: &str| {
        let url = read(text).unwrap();
        assert_eq!(url.to_string(), expected, "{text}");
        let again = read(expected).unwrap();
        assert_eq!(again.to_string(), expected);
    };
    check("postgres://ana@db/memory", "postgres://ana@db:5432/memory");
    check("postgresql://db:6543/memory", "postgres://db:6543/memory");
    check("postgres://ana@[::1]:99/m", "postgres://ana@[::1]:99/m");
    check("postgres://ana@db", "postgres://ana@db:5432");
    check(
        "postgres://ana@one,two:99,[fe80::1]/m",
        "postgres://ana@one:5432,two:99,[fe80::1]:5432/m",
    );
    check(
        "postgres://a%40b:x@db/my%2Fmemory",
        "postgres://a%40b@db:5432/my%2Fmemory",
    );
    check(
        "postgres://ana@%2Fvar%2Frun%2Fpostgresql/m",
        "postgres://ana@%2Fvar%2Frun%2Fpostgresql:5432/m",
    );
    check(
        "postgres:///m?host=/var/run/postgresql&port=5433&user=ana",
        "postgres://ana@%2Fvar%2Frun%2Fpostgresql:5433/m",
    );
    check(
        "postgres://?host=one,two&port=1,2&user=ana&dbname=m",
        "postgres://ana@one:1,two:2/m",
    );
    check(
        "postgres://ana@db/m?sslrootcert=~/team%20ca.pem&sslmode=verify-full",
        "postgres://ana@db:5432/m?sslmode=verify-full&sslrootcert=~%2Fteam%20ca.pem",
    );
}

#[test]
fn errors_name_the_way_out() {
    let check = |text: &str, expected: &str| {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    check("mysql://db/m", "postgres://USER@HOST/DATABASE");
    check("postgres:///m", "names no host");
    check("postgres://ana@/m", "names no host");
    check("postgres://ana@one,,two/m", "names no host");
    check("postgres://ana@db:0/m", "HOST:PORT");
    check("postgres://ana@db:99999/m", "HOST:PORT");
    check("postgres://ana@[::1/m", "HOST:PORT");
    check("postgres://ana@one,two/m?port=1,2,3", "HOST:PORT");
    check("postgres://ana:%zz@db/m", "write % as %25");
    check("postgres://ana:100%@db/m", "write % as %25");
    check("postgres://%ff@db/m", "not percent-encoded");
    check(
        "postgres://ana@db/m?pgbouncer=true",
        "parameter pgbouncer in",
    );
    check("postgres://ana@db/m?sslcert=x", "sslrootcert");
    check("postgres://ana@db/m?sslmode=on", "sslmode is to be disable");
    check("postgres://ana@db/m?sslmode", "sslmode is to be disable");
    check("postgres://ana@db/m?connect_timeout=0", "1 to 300 seconds");
    check("postgres://ana@db/m?options=", "options is to be given");
    check("postgres://ana@db/m?user=bo", "names user twice");
    check("postgres://ana@db/m?host=x", "names host twice");
    check(
        "postgres://ana@db/m?sslmode=prefer&sslmode=disable",
        "sslmode twice",
    );
    check("postgres://ana@db,%2Ftmp/m", "mixes sockets");
}

#[test]
fn password_is_never_shown() {
    let url = read(&format!("postgres://ana:{SECRET}@db/m?sslmode=require")).unwrap();
    assert_eq!(url.password.as_deref(), Some(SECRET));
    let shown = format!("{url} {url:?} {url:#?}");
    assert!(!shown.contains(SECRET), "{shown}");

    let by_parameter = read(&format!("postgres://ana@db/m?password={SECRET}")).unwrap();
    assert_eq!(by_parameter.password.as_deref(), Some(SECRET));
    assert!(!format!("{by_parameter:?}").contains(SECRET));
}

/// People paste passwords without encoding them: whatever sign is in one, no part of it is in an error or a name.
#[test]
fn unescaped_password_is_in_no_message() {
    let signs = [
        "@", "/", "?", "#", ":", "%", "&", "=", "[", "]", ",", "\\", " ", "é",
    ];
    for before in signs {
        for after in signs {
            for text in [
                format!("postgres://ana:12{before}{SECRET}{after}x@db/m"),
                format!("postgres://ana:{SECRET}{before}12{after}{SECRET}@db:1/m?sslmode=require"),
                format!("postgres://ana@db/m?password={SECRET}{before}{SECRET}{after}"),
            ] {
                let shown = match read(&text) {
                    Ok(url) => format!("{url} {url:?}"),
                    Err(error) => format!("{error} {error:?}"),
                };
                assert!(!shown.contains(SECRET), "{text}: {shown}");
            }
        }
    }
}

#[test]
fn addresses_with_other_passwords_differ() {
    let [one, other] = ["a", "b"].map(|it| read(&format!("postgres://ana:{it}@db/m")).unwrap());
    assert_ne!(one, other);
    assert_eq!(one, one.clone());
}
