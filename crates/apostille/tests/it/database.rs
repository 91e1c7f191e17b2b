//! A store in Postgres through the program: set up by commands, used like any other, and no space seen by who may not.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use apostille_postgres_rig::PostgresServer;
use serde_json::{Value, json};

use crate::{door::made, env::Env, socket::Server};

const HERE: &str = "git.example.com/acme/app";
const FOREIGN: &str = "git.example.com/acme/secret";

/// A database with a role for each member, and a world in which one of them works. Roles are the whole server's; one without
/// spaces is that of a server, which has all of them.
fn world_of(member: &str, spaces: &[&str]) -> (Env, String) {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let role = format!("{database}_{member}");
    server.run_sql(&database, &format!("CREATE ROLE {role} LOGIN"));
    let owner = server.url("postgres", &database);
    let mut env = Env::new();
    assert_eq!(env.person(&["store", "prepare", &owner]).code, 0);
    let grants: Vec<Vec<&str>> = match spaces {
        [] => vec![vec!["--everywhere", "--access", "serve"]],
        spaces => spaces.iter().map(|it| vec!["--space", it]).collect(),
    };
    for grant in grants {
        let granted = env.person(&[&["store", "grant", &owner, &role], &grant[..]].concat());
        assert_eq!(granted.code, 0, "{granted}");
    }
    env.set("APOSTILLE_STORE", &server.url(&role, &database));
    (env, owner)
}

#[test]
fn database_is_set_up_by_commands_and_used_like_any_store() {
    let (env, owner) = world_of("ana", &[HERE, "users/ana"]);
    env.with_facts();
    let recalled = env.ok(&["recall", "upload limit"]);
    assert!(
        recalled.contains("uploads are limited to 10 MB") && recalled.contains("stands"),
        "{recalled}"
    );
    env.ok(&[
        "supersede",
        "m-2",
        "--cite",
        "src/limits.rs:3",
        "uploads are limited to 10 MB by MAX_UPLOAD in bytes",
    ]);
    let superseded = env.ok(&["show", "m-2"]);
    assert!(superseded.contains("superseded"), "{superseded}");
    assert_eq!(env.person(&["forget", "m-1", "--yes"]).code, 0);
    assert!(!env.ok(&["list"]).contains("API_VERSION"));
    let looked_over = env.ok(&["doctor"]);
    assert!(
        looked_over.contains("PostgreSQL") && looked_over.contains("sound, 2 spaces"),
        "{looked_over}"
    );
    let granted = env.ok(&["store", "grants", &owner]);
    assert!(granted.contains("git.example.com/acme/app"), "{granted}");
}

#[test]
fn role_sees_and_writes_nothing_that_it_was_not_granted() {
    let (env, owner) = world_of("bea", &["users/ana"]);
    let refused = env.run(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        "uploads are limited",
    ]);
    assert!(
        refused.code == 4 && refused.err.contains("store grant"),
        "{refused}"
    );
    assert!(env.run(&["list"]).out.is_empty());
    let database = owner
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .split('?')
        .next()
        .unwrap_or_default();
    let revoked = env.person(&["store", "revoke", &owner, &format!("{database}_bea")]);
    assert_eq!(revoked.code, 0, "{revoked}");
    let stated = env.person(&["remember", "--user", "prefers small commits"]);
    assert!(
        stated.code == 4 && stated.err.contains("store grant"),
        "{stated}"
    );
}

#[test]
fn name_without_a_host_is_not_guessed() {
    let server = PostgresServer::shared();
    let owner = server.url("postgres", &server.create_database());
    let env = Env::new();
    let granted = env.person(&[
        "store",
        "grant",
        &owner,
        "postgres",
        "--space",
        "other/thing",
    ]);
    assert!(
        granted.code == 2 && granted.err.contains("say it whole: github.com/other/thing"),
        "{granted}"
    );
}

#[test]
fn agent_decides_about_no_grant() {
    let server = PostgresServer::shared();
    let owner = server.url("postgres", &server.create_database());
    let mut env = Env::new();
    env.set("CLAUDECODE", "1");
    let granted = env.run(&["store", "grant", &owner, "postgres", "--everywhere"]);
    assert!(
        granted.code != 0 && granted.err.contains("person"),
        "{granted}"
    );
}

/// An address whose server takes connections and never answers.
fn silent_address() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (
        listener,
        format!("postgres://ana:hunter2@127.0.0.1:{port}/team?sslmode=disable"),
    )
}

#[test]
fn hook_fails_open_where_the_database_is_away_or_silent() {
    let (_listener, silent) = silent_address();
    let away = "postgres://ana:hunter2@127.0.0.1:1/team?sslmode=disable";
    let prompt = json!({"session_id": "s", "cwd": ".", "hook_event_name": "UserPromptSubmit", "prompt": "raise the upload limit"});
    for (address, expected) in [
        (away, "cannot be reached"),
        (silent.as_str(), "it took longer than 300 ms"),
    ] {
        let mut env = Env::new();
        env.set("APOSTILLE_STORE", address);
        env.set("APOSTILLE_HOOK_DEADLINE_MS", "300");
        let ran = env.fed(&["hook", "claude-code"], &prompt.to_string());
        assert!(ran.code == 0 && ran.out.contains(expected), "{ran}");
        assert!(
            !ran.out.contains("hunter2") && !ran.err.contains("hunter2"),
            "{ran}"
        );
    }
}

#[test]
fn password_of_an_address_is_shown_nowhere() {
    let mut env = Env::new();
    env.set(
        "APOSTILLE_STORE",
        "postgres://ana:hunter2@127.0.0.1:1/team?sslmode=disable",
    );
    for arguments in [
        &["config"][..],
        &["config", "--json"],
        &["doctor"],
        &["recall", "x"],
        &["stats", "--json"],
    ] {
        let ran = env.run(arguments);
        assert!(
            !ran.out.contains("hunter2") && !ran.err.contains("hunter2"),
            "{arguments:?}: {ran}"
        );
    }
}

/// What a member tries on a space of others: every call that looks, and every call that writes.
fn tries(n: usize) -> (&'static str, String, Option<Value>) {
    const LOOKS: &[&str] = &[
        "/api/memories?repo=",
        "/api/memories/m-1?repo=",
        "/api/review?repo=",
        "/api/breakers?repo=",
        "/api/audit?repo=",
        "/api/stats?repo=",
        "/api/events?repo=",
        "/api/report?repo=",
        "/api/export?repo=",
        "/api/tasks?repo=",
        "/api/memories?text=vault&repo=",
        "/api/memories?status=pending&repo=",
        "/api/memories?order=oldest&limit=1&repo=",
    ];
    let writes: [(&str, Value); 7] = [
        ("/api/recall?repo=", json!({"query": "vault code"})),
        (
            "/api/memories?repo=",
            json!({"fact": "the vault code is 1234"}),
        ),
        (
            "/api/memories/m-1/invalidate?repo=",
            json!({"reason": "wrong"}),
        ),
        ("/api/memories/m-1/apply?repo=", json!({})),
        (
            "/api/memories/m-1/supersede?repo=",
            json!({"fact": "the vault is open"}),
        ),
        ("/api/verify?repo=", json!({"names": ["m-1"]})),
        ("/api/memories/m-1/refresh?repo=", json!({})),
    ];
    let repo = ["acme/secret", FOREIGN, "users/bob", "ACME/Secret"][n / 20 % 4];
    let at = n % 20;
    match LOOKS.get(at) {
        Some(look) => ("GET", format!("{look}{repo}"), None),
        None => {
            let (path, body) = &writes[at - LOOKS.len()];
            ("POST", format!("{path}{repo}"), Some(body.clone()))
        }
    }
}

/// Whoever comes through the server comes as the server's role, which sees every space: the token keeps members apart.
#[test]
fn ten_thousand_calls_with_a_members_token_reach_no_foreign_space() {
    let (env, owner) = world_of("server", &[]);
    env.with_facts();
    let secret = env.person(&[
        "remember",
        "--repo",
        FOREIGN,
        "the vault opens with heliotrope",
    ]);
    assert_eq!(secret.code, 0, "{secret}");
    // A token may send so many requests a second, and several work as well as one.
    let tokens: Vec<String> = (0..40)
        .map(|n| {
            made(
                &env,
                &[&format!("ana-{n}"), "--space", HERE, "--access", "write"],
            )
        })
        .collect();
    let server = Server::of_person(&env, &[]);
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for worker in 0..4_usize {
            let (server, tokens, done) = (&server, &tokens, &done);
            scope.spawn(move || {
                for n in (worker..10_000).step_by(4) {
                    let (method, path, body) = tries(n.wrapping_mul(7_919));
                    let reply = match (method, body) {
                        ("GET", _) => server.get_with(&path, &tokens[n % tokens.len()]),
                        (_, body) => server.post_with(
                            &path,
                            &tokens[n % tokens.len()],
                            &body.unwrap_or_default().to_string(),
                        ),
                    };
                    assert!(
                        !reply.body.contains("heliotrope"),
                        "{method} {path}: {reply}"
                    );
                    assert!(
                        [403, 404, 422, 429, 503, 400].contains(&reply.status),
                        "{method} {path}: {reply}"
                    );
                    done.fetch_add(
                        usize::from(![429, 503].contains(&reply.status)),
                        Ordering::Relaxed,
                    );
                }
            });
        }
    });
    let answered = done.load(Ordering::Relaxed);
    assert!(
        answered > 9_000,
        "{answered} calls were answered and not put off"
    );
    let database = owner
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .split('?')
        .next()
        .unwrap_or_default()
        .to_owned();
    let left = PostgresServer::shared().run_sql(
        &database,
        "SELECT count(*), string_agg(fact, ', ') FROM agent_memory WHERE space = 'git.example.com/acme/secret'",
    );
    assert!(
        left.contains('1') && left.contains("heliotrope") && !left.contains("1234"),
        "{left}"
    );
}
