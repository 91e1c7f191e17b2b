//! Too much, too slow, too long: what is turned away, what is put off, and that nothing that was begun is lost.

use std::fs::File;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
};

use crate::{
    door::made,
    env::Env,
    socket::{Browser, Reply, Server, answer, patiently},
};

fn served(arguments: &[&str]) -> (Env, Server) {
    let env = Env::new();
    env.with_facts();
    let server = Server::of_person(&env, arguments);
    (env, server)
}

/// Keeps every writer waiting until it is dropped, as another process that writes would.
fn held(env: &Env) -> File {
    let path = env.home().join(".local/share/apostille/memories.db.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .unwrap();
    file.lock().unwrap();
    file
}

/// Sends a form that invalidates a memory, and does not wait for the answer.
fn invalidating(server: &Server, browser: &Browser, handle: &str) -> TcpStream {
    let body = format!("seal={}&reason=x", browser.seal);
    let headers = [
        ("Cookie", &*browser.cookie),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    let mut stream = server.connect();
    let path = format!("/memories/{handle}/invalidate");
    stream
        .write_all(server.written("POST", &path, &headers, &body).as_bytes())
        .unwrap();
    stream
}

/// What a number of `/metrics` is now.
fn counted(server: &Server, name: &str) -> Option<f64> {
    let page = server.get("/metrics");
    page.body
        .lines()
        .find_map(|it| it.strip_prefix(name)?.trim().parse().ok())
}

/// One request is worked on at a time, and hardly any waits.
const NARROW: [&str; 6] = [
    "--limit",
    "at_once=1",
    "--limit",
    "waiting=1",
    "--limit",
    "wait_ms=20",
];

/// Waits until a request is worked on, where there is room for one.
fn until_busy(server: &Server) -> Reply {
    let mut last = None;
    patiently("a request is worked on", || {
        last = Some(server.get("/api/spaces"));
        last.as_ref().is_some_and(|it| it.status != 200)
    });
    last.unwrap()
}

/// Waits until the memory is no longer listed.
fn until_gone(env: &Env, handle: &str) {
    patiently("the memory is gone", || {
        !env.run(&["list"]).out.contains(handle)
    });
}

#[test]
fn a_request_that_is_too_long_is_not_read_to_its_end() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    let long = |n: usize| "x".repeat(n);
    assert_eq!(
        server
            .form(&browser, "/memories/m-1/edit", &[], &long(1024 * 1024 + 1))
            .status,
        413
    );
    assert_eq!(
        server
            .form(&browser, "/memories/m-1/edit", &[], &long(1024 * 1024))
            .status,
        403
    );
    assert_eq!(
        server
            .post_with("/mcp", &server.token, &long(4 * 1024 * 1024 + 1))
            .status,
        413
    );
    // Anybody can send a form with a token, so that one is short.
    assert_eq!(
        server
            .send("POST", "/open", &[], &long(4 * 1024 + 1))
            .status,
        413
    );
    assert_eq!(
        server.send("POST", "/open", &[], &long(4 * 1024)).status,
        401
    );
    let head = format!("/{}", long(70_000));
    assert!((400..500).contains(&server.get(&head).status));
}

#[test]
fn length_beyond_the_limit_is_refused_before_anything_is_sent() {
    let (_env, server) = served(&[]);
    let bearer = format!("Bearer {}", server.token);
    let check = |path: &str, length: &str| {
        let headers = [("Authorization", &*bearer), ("Content-Length", length)];
        let mut stream = server.connect();
        let head = server.written("POST", path, &headers, "");
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(answer(stream).status, 413, "{path} {length}");
    };
    check("/mcp", "4194305");
    check("/mcp", "9000000000000000000");
    check("/api/memories", "1048577");
    check("/open", "4097");
}

#[test]
fn whoever_asks_too_often_is_told_to_come_back() {
    let (_env, server) = served(&["--limit", "rate=1"]);
    let statuses: Vec<u16> = (0..6).map(|_| server.get("/api/spaces").status).collect();
    assert!(statuses[..2].iter().all(|it| *it == 200), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    let turned = (0..6)
        .map(|_| server.get("/api/spaces"))
        .find(|it| it.status == 429)
        .unwrap();
    assert_eq!(turned.header("retry-after"), Some("1"), "{turned}");
    assert_eq!(turned.json()["ok"], false);
    // Whoever has another pass is not kept from it, and health is told to anybody.
    assert_eq!(server.send("GET", "/health", &[], "").status, 200);
    assert_eq!(server.send("GET", &server.once, &[], "").status, 303);
}

#[test]
fn when_too_much_is_asked_at_once_the_rest_is_told_to_come_back() {
    let (env, server) = served(&NARROW);
    let browser = server.browser();
    let lock = held(&env);
    let writing = invalidating(&server, &browser, "m-1");
    let busy = until_busy(&server);
    assert_eq!(
        (busy.status, busy.header("retry-after")),
        (503, Some("1")),
        "{busy}"
    );
    assert_eq!(server.send("GET", "/health", &[], "").status, 200);
    drop(lock);
    assert_eq!(answer(writing).status, 303);
    assert_eq!(server.get("/api/spaces").status, 200);
    assert!(counted(&server, "apostille_http_shed_total{reason=\"busy\"}").unwrap() >= 1.0);
}

#[test]
fn one_pass_leaves_places_to_others() {
    let (env, server) = served(&["--limit", "at_once=2", "--limit", "wait_ms=20"]);
    let browser = server.browser();
    let lock = held(&env);
    let writing = [
        invalidating(&server, &browser, "m-1"),
        invalidating(&server, &browser, "m-2"),
    ];
    let page = || {
        server
            .send("GET", "/", &[("Cookie", &browser.cookie)], "")
            .status
    };
    patiently("the panel has its share", || page() == 503);
    assert_ne!(server.get("/api/openapi.json").status, 503);
    drop(lock);
    writing
        .into_iter()
        .for_each(|it| assert!([303, 503].contains(&answer(it).status)));
}

#[test]
fn being_ready_takes_nobody_s_place() {
    let (env, server) = served(&NARROW);
    let browser = server.browser();
    let ready = || server.send("GET", "/ready", &[], "").status;
    patiently("the store was looked at", || ready() == 200);
    let lock = held(&env);
    let writing = invalidating(&server, &browser, "m-1");
    until_busy(&server);
    // The clock of this test stands still, so what was found before is still good.
    assert_eq!(ready(), 200);
    drop(lock);
    let done = answer(writing);
    assert_eq!(done.status, 303, "{done}");
}

/// Sends the head of a message and none of what it says will follow.
fn unfinished(server: &Server, token: &str) -> TcpStream {
    let headers = [
        ("Authorization", &*format!("Bearer {token}")),
        ("Content-Length", "4194304"),
    ];
    let mut stream = server.connect();
    stream
        .write_all(server.written("POST", "/mcp", &headers, "").as_bytes())
        .unwrap();
    stream
}

#[test]
fn what_is_sent_and_not_finished_takes_up_only_so_much() {
    let (env, server) = served(&[]);
    let token = made(&env, &["slow"]);
    let sending: Vec<TcpStream> = (0..4).map(|_| unfinished(&server, &token)).collect();
    patiently("there is no room for more of it", || {
        server.post_with("/mcp", &token, "{}").status == 503
    });
    assert_ne!(server.post_with("/mcp", &server.token, "{}").status, 503);
    drop(sending);
    patiently("there is room again", || {
        server.post_with("/mcp", &token, "{}").status != 503
    });
}

#[test]
fn what_takes_too_long_is_said_and_is_finished_all_the_same() {
    let (env, server) = served(&["--limit", "work_ms=100"]);
    let browser = server.browser();
    let lock = held(&env);
    let turned = answer(invalidating(&server, &browser, "m-1"));
    assert_eq!(turned.status, 503, "{turned}");
    assert!(turned.body.contains("takes too long"), "{turned}");
    drop(lock);
    until_gone(&env, "m-1");
}

#[test]
fn what_was_begun_is_finished_though_the_client_went_away() {
    let (env, server) = served(&NARROW);
    let browser = server.browser();
    let lock = held(&env);
    let writing = invalidating(&server, &browser, "m-1");
    until_busy(&server);
    drop(writing);
    drop(lock);
    until_gone(&env, "m-1");
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_stop_finishes_what_is_under_way() {
    let (env, mut server) = served(&NARROW);
    let browser = server.browser();
    let live = listening(&server, &browser);
    let lock = held(&env);
    let writing = invalidating(&server, &browser, "m-1");
    until_busy(&server);
    server.tell_to_stop();
    // Nobody new is let in from here on.
    patiently("the socket is closed", || {
        TcpStream::connect(("127.0.0.1", server.port)).is_err()
    });
    drop(lock);
    assert_eq!(answer(writing).status, 303);
    assert!(server.child.wait().unwrap().success());
    drop(live);
    assert!(!env.ok(&["list"]).contains("m-1"));
}

/// Somebody who listens to changes.
fn listening(server: &Server, browser: &Browser) -> TcpStream {
    let mut stream = server.connect();
    let request = server.written("GET", "/live", &[("Cookie", &browser.cookie)], "");
    stream.write_all(request.as_bytes()).unwrap();
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    stream
}

#[test]
fn a_connection_that_says_nothing_is_ended() {
    let (_env, server) = served(&["--limit", "head_ms=50", "--limit", "body_ms=50"]);
    let ended = |sent: &str| {
        let mut stream = server.connect();
        stream.write_all(sent.as_bytes()).unwrap();
        answer(stream).status
    };
    // Reading to the end returns only because the server ends it.
    assert!([0, 408].contains(&ended("")));
    assert!([0, 408].contains(&ended("GET / HTTP/1.1\r\nHost: 127")));
    let bearer = format!("Bearer {}", server.token);
    let half = server.written(
        "POST",
        "/mcp",
        &[("Authorization", &bearer), ("Content-Length", "10")],
        "half",
    );
    assert_eq!(ended(&half), 408);
    assert_eq!(server.get("/api/spaces").status, 200);
}

#[test]
fn a_client_that_takes_no_answer_is_ended() {
    let (_env, server) = served(&["--limit", "send_ms=50"]);
    let mut stream = server.connect();
    let request = server
        .written("GET", "/panel.css", &[("Connection", "keep-alive")], "")
        .repeat(2_000);
    // The server stops reading when its answers are not taken, and ends the connection then.
    let _ = stream.set_write_timeout(Some(std::time::Duration::from_secs(60)));
    let _ = stream.write_all(request.as_bytes());
    patiently("the connection is ended", || {
        counted(&server, "apostille_http_connections ") == Some(1.0)
    });
}

/// Somebody who showed the token, and stays connected.
fn known(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", &*bearer), ("Connection", "keep-alive")];
    stream
        .write_all(
            server
                .written("GET", "/api/spaces", &headers, "")
                .as_bytes(),
        )
        .unwrap();
    let mut begun = [0; 12];
    stream.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    stream
}

#[test]
fn connections_beyond_the_bound_are_turned_away_until_there_is_room() {
    let (_env, server) = served(&["--limit", "connections=2"]);
    let (first, second) = (known(&server), known(&server));
    let full = server.raw(b"");
    assert_eq!(
        (full.status, full.header("retry-after")),
        (503, Some("1")),
        "{full}"
    );
    drop((first, second));
    patiently("there is room again", || {
        server.send("GET", "/health", &[], "").status == 200
    });
}

#[test]
fn whoever_only_holds_connections_keeps_nobody_out() {
    let (_env, server) = served(&["--limit", "connections=3"]);
    let mut stays = known(&server);
    let css = server.written("GET", "/panel.css", &[("Connection", "keep-alive")], "");
    let holding: Vec<TcpStream> = (0..5)
        .map(|n| {
            let mut stream = server.connect();
            // Half of a head, and whole requests whose answers nobody takes.
            let _ = stream.write_all(if n % 2 == 0 {
                &css.as_bytes()[..20]
            } else {
                css.as_bytes()
            });
            stream
        })
        .collect();
    assert_eq!(server.send("GET", "/health", &[], "").status, 200);
    assert_eq!(server.get("/api/spaces").status, 200);
    // The first of them were ended, and whoever showed a token was not.
    let mut rest = Vec::new();
    let _ = (&holding[0]).read_to_end(&mut rest);
    assert_eq!(rest, b"");
    stays
        .write_all(server.written("GET", "/health", &[], "").as_bytes())
        .unwrap();
    assert!(answer(stays).body.ends_with("ok\n"));
}

#[test]
fn many_at_once_are_all_answered() {
    let (_env, server) = served(&[]);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let asking: Vec<_> = (0..32)
            .map(|_| scope.spawn(|| server.get("/api/spaces").status))
            .collect();
        asking.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|it| *it == 200), "{statuses:?}");
}

#[test]
fn limits_are_understood_or_refused() {
    let env = Env::new();
    let check = |limit: &str, expected: &str| {
        let ran = env.run(&["serve", "--limit", limit]);
        assert!(
            ran.code == 2 && ran.err.contains(expected),
            "{limit}: {ran}"
        );
    };
    check("rate", "NAME=N");
    check("speed=1", "there are: rate");
    check("rate=0", "from 1");
    check("rate=many", "a number");
}
