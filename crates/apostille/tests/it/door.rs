//! Who is let in through the socket, and how far: every refusal, and the headers of every answer.

use serde_json::json;

use crate::{
    env::Env,
    socket::{Server, patiently},
};

/// A world with facts, and a server that a person started.
fn served(arguments: &[&str]) -> (Env, Server) {
    let env = Env::new();
    env.with_facts();
    let server = Server::of_person(&env, arguments);
    (env, server)
}

#[test]
fn a_link_opens_the_panel_once() {
    let (_env, server) = served(&[]);
    let turned = server.send("GET", "/", &[], "");
    assert_eq!(turned.status, 401, "{turned}");
    assert!(
        turned.body.contains("apostille serve") && turned.body.contains("name=\"token\""),
        "{turned}"
    );
    assert_eq!(server.send("GET", "/open/guess", &[], "").status, 401);
    let opened = server.send("GET", &server.once, &[], "");
    assert_eq!(
        (opened.status, opened.header("location")),
        (303, Some("/")),
        "{opened}"
    );
    let cookie = opened.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let browser = server.with_cookie(&opened);
    let page = server.send("GET", "/", &[("Cookie", &browser.cookie)], "");
    assert_eq!(page.status, 200, "{page}");
    assert!(page.body.contains("API_VERSION"), "{page}");
    let again = server.send("GET", &server.once, &[], "");
    assert_eq!(
        (again.status, again.header("set-cookie")),
        (401, None),
        "{again}"
    );
    assert!(again.body.contains("was used before"), "{again}");
}

#[test]
fn a_token_that_is_pasted_opens_the_panel_as_far_as_it_reaches() {
    let (env, server) = served(&[]);
    let token = made(&env, &["look", "--space", "acme/app"]);
    let paste = |token: &str| server.send("POST", "/open", &[], &format!("token={token}"));
    let wrong = server.send("POST", "/open", &[], "token=guess&to=/tasks");
    assert_eq!(wrong.status, 401);
    assert!(
        wrong.body.contains("There is no such token. Open the link"),
        "{wrong}"
    );
    assert!(
        wrong.body.contains("name=\"to\" value=\"/tasks\""),
        "{wrong}"
    );
    let opened = paste(&token);
    assert_eq!(opened.status, 303, "{opened}");
    let browser = server.with_cookie(&opened);
    let page = server.send("GET", "/", &[("Cookie", &browser.cookie)], "");
    assert!(
        page.body.contains("API_VERSION") && !page.body.contains("small commits"),
        "{page}"
    );
    let seal = format!("seal={}&reason=x", browser.seal);
    assert_eq!(
        server
            .form(&browser, "/memories/m-1/invalidate", &[], &seal)
            .status,
        403
    );
    env.ok(&["token", "revoke", "look"]);
    assert_eq!(
        server
            .send("GET", "/", &[("Cookie", &browser.cookie)], "")
            .status,
        401
    );
}

#[test]
fn signing_in_leads_to_the_page_that_was_asked_for_and_nowhere_else() {
    let (env, server) = served(&[]);
    let token = made(&env, &["look"]);
    let turned = server.send("GET", "/memories/m-1?repo=acme/app", &[], "");
    assert!(
        turned
            .body
            .contains("name=\"to\" value=\"/memories/m-1?repo=acme/app\""),
        "{turned}"
    );
    let check = |to: &str, expected: &str| {
        let opened = server.send("POST", "/open", &[], &format!("token={token}&to={to}"));
        assert_eq!(
            (opened.status, opened.header("location")),
            (303, Some(expected)),
            "{to}: {opened}"
        );
    };
    check(
        "%2Fmemories%2Fm-1%3Frepo%3Dacme%2Fapp",
        "/memories/m-1?repo=acme/app",
    );
    check("", "/");
    check("%2F%2Fevil.example", "/");
    check("%2F%5Cevil.example", "/");
    check("https:%2F%2Fevil.example", "/");
}

#[test]
fn looking_at_what_forms_are_sent_to_leads_to_the_page_above() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    let check = |path: &str, expected: &str| {
        let reply = server.send("GET", path, &[("Cookie", &browser.cookie)], "");
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, Some(expected)),
            "{path}: {reply}"
        );
    };
    check(
        "/memories/m-1/invalidate?repo=acme/app",
        "/memories/m-1?repo=acme/app",
    );
    check("/review/m-1/accept", "/review");
    check("/open", "/");
    assert_eq!(
        server
            .send("GET", "/memories/m-1/invalidate", &[], "")
            .status,
        401
    );
}

#[test]
fn closing_ends_the_session() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    assert_eq!(
        server.form(&browser, "/close", &[], "seal=guess").status,
        403
    );
    let closed = server.form(&browser, "/close", &[], &format!("seal={}", browser.seal));
    assert_eq!(closed.status, 303, "{closed}");
    assert!(
        closed.header("set-cookie").unwrap().contains("Max-Age=0"),
        "{closed}"
    );
    assert_eq!(
        server
            .send("GET", "/", &[("Cookie", &browser.cookie)], "")
            .status,
        401
    );
}

#[test]
fn no_other_page_sends_a_form() {
    let (env, server) = served(&[]);
    let browser = server.browser();
    let sealed = format!("seal={}&reason=x", browser.seal);
    let check = |headers: &[(&str, &str)], body: &str, expected: u16| {
        let reply = server.form(&browser, "/memories/m-1/invalidate", headers, body);
        assert_eq!(reply.status, expected, "{headers:?} {body}: {reply}");
    };
    let own = format!("http://127.0.0.1:{}", server.port);
    check(&[], "reason=x", 403);
    check(&[], "seal=guess&reason=x", 403);
    check(&[("Origin", "https://evil.example")], &sealed, 403);
    check(&[("Origin", "null")], &sealed, 403);
    check(&[("Origin", "http://127.0.0.1:1")], &sealed, 403);
    check(&[("Origin", "http://127.0.0.1")], &sealed, 403);
    check(
        &[("Origin", &own), ("Sec-Fetch-Site", "cross-site")],
        &sealed,
        403,
    );
    check(
        &[("Origin", &own), ("Sec-Fetch-Site", "same-site")],
        &sealed,
        403,
    );
    assert!(env.ok(&["list"]).contains("m-1"));
    check(
        &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")],
        &sealed,
        303,
    );
    assert!(!env.ok(&["list"]).contains("m-1"));
}

#[test]
fn the_seal_of_one_session_is_none_of_another() {
    let (env, server) = served(&[]);
    let (one, token) = (server.browser(), made(&env, &["w", "--access", "write"]));
    let other = server.with_cookie(&server.send("POST", "/open", &[], &format!("token={token}")));
    assert_ne!(one.seal, other.seal);
    let body = format!("seal={}&reason=x", one.seal);
    assert_eq!(
        server
            .form(&other, "/memories/m-1/invalidate", &[], &body)
            .status,
        403
    );
}

#[test]
fn no_call_takes_a_cookie_and_no_page_takes_a_token() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    for path in ["/api/spaces", "/mcp", "/metrics", "/api/live"] {
        let reply = server.send("GET", path, &[("Cookie", &browser.cookie)], "");
        assert_eq!(reply.status, 401, "{path}: {reply}");
    }
    assert_eq!(server.get("/").status, 401);
    assert_eq!(server.get("/live").status, 401);
}

#[test]
fn the_server_answers_to_its_own_names_only() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    let bearer = format!("Bearer {}", server.token);
    let port = server.port;
    let check = |host: &str, expected: [u16; 5]| {
        let paths = ["/health", "/panel.css", "/", "/api/spaces", "/nothing"];
        let found = paths.map(|path| {
            let headers = [
                ("Host", host),
                ("Cookie", &browser.cookie),
                ("Authorization", &bearer),
            ];
            server.send("GET", path, &headers, "").status
        });
        assert_eq!(found, expected, "{host}");
    };
    let (is_in, is_out) = ([200, 200, 200, 200, 404], [403; 5]);
    check(&format!("127.0.0.1:{port}"), is_in);
    check(&format!("localhost:{port}"), is_in);
    check(&format!("[::1]:{port}"), is_in);
    check("localhost", is_in);
    check("evil.example", is_out);
    check(&format!("evil.example:{port}"), is_out);
    check(&format!("localhost.evil.example:{port}"), is_out);
    check("127.0.0.1:1", is_out);
    let twice = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    );
    assert!((400..500).contains(&server.raw(twice.as_bytes()).status));
    let none = server.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!((400..500).contains(&none.status), "{none}");
}

#[test]
fn every_answer_has_its_headers() {
    let (_env, server) = served(&[]);
    let browser = server.browser();
    let bearer = format!("Bearer {}", server.token);
    let both = [("Cookie", &*browser.cookie), ("Authorization", &*bearer)];
    let paths = [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/memories/m-1", 200),
        ("GET", "/panel.css", 200),
        ("GET", "/health", 200),
        ("GET", "/ready", 200),
        ("GET", "/metrics", 200),
        ("GET", "/api/spaces", 200),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing", 404),
        ("POST", "/api/spaces", 405),
        ("DELETE", "/", 405),
        ("POST", "/memories/m-1/forget", 403),
        ("GET", "/open/guess", 401),
        ("GET", "/mcp", 406),
        ("GET", "/tasks/%ff", 400),
    ];
    for (method, path, status) in paths {
        let reply = server.send(method, path, &both, "");
        assert_eq!(reply.status, status, "{method} {path}: {reply}");
        let has = |name: &str, part: &str| {
            let value = reply.header(name).unwrap_or_default();
            assert!(value.contains(part), "{method} {path} {name}: {value:?}");
        };
        has(
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'",
        );
        has(
            "content-security-policy",
            "frame-ancestors 'none'; base-uri 'none'",
        );
        has("x-content-type-options", "nosniff");
        has("x-frame-options", "DENY");
        has("cross-origin-opener-policy", "same-origin");
        has("cross-origin-resource-policy", "same-origin");
        has("permissions-policy", "camera=()");
        let is_page = reply
            .header("content-type")
            .is_some_and(|it| it.starts_with("text/html"));
        has(
            "referrer-policy",
            if is_page {
                "same-origin"
            } else {
                "no-referrer"
            },
        );
        has(
            "cache-control",
            if path == "/panel.css" {
                "no-cache"
            } else {
                "no-"
            },
        );
        has("x-request-id", "-");
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
    }
}

#[test]
fn a_request_is_called_by_its_own_name_where_that_is_plain() {
    let (_env, server) = served(&[]);
    let named = |id: &str| {
        server
            .send("GET", "/health", &[("X-Request-Id", id)], "")
            .header("x-request-id")
            .unwrap()
            .to_owned()
    };
    assert_eq!(named("job-17"), "job-17");
    assert_ne!(named("a b"), "a b");
    assert_ne!(named(&"a".repeat(65)), "a".repeat(65));
    assert_ne!(named("<script>"), "<script>");
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    assert_ne!(named(&secret), secret);
}

#[test]
fn a_wrong_method_is_told_the_right_one_and_a_wrong_path_in_its_own_shape() {
    let (_env, server) = served(&[]);
    let wrong = server.send(
        "PATCH",
        "/api/spaces",
        &[("Authorization", &format!("Bearer {}", server.token))],
        "",
    );
    assert_eq!(
        (wrong.status, wrong.header("allow")),
        (405, Some("GET, HEAD")),
        "{wrong}"
    );
    assert_eq!(wrong.json()["ok"], false);
    let missing = server.get("/api/nothing");
    assert_eq!(
        (missing.status, &missing.json()["ok"]),
        (404, &json!(false)),
        "{missing}"
    );
    let browser = server.browser();
    let page = server.send("GET", "/nothing", &[("Cookie", &browser.cookie)], "");
    assert_eq!(page.status, 404, "{page}");
    assert!(page.body.starts_with("<!DOCTYPE html>"), "{page}");
}

#[test]
fn another_repository_is_named_and_must_be_there() {
    let (env, server) = served(&[]);
    env.ok(&[
        "--repo",
        "acme/other",
        "remember",
        "--layer",
        "episode",
        "the other one was deployed",
    ]);
    let spaces = |query: &str| server.get(&format!("/api/spaces{query}"));
    assert_eq!(spaces("?repo=acme/app").status, 200);
    assert_eq!(spaces("?repo=acme/other").status, 200);
    let missing = spaces("?repo=acme/nothing");
    assert_eq!(missing.status, 404, "{missing}");
    assert_eq!(spaces("?repo=nonsense").status, 400);
    let browser = server.browser();
    let page = server.send(
        "GET",
        "/?repo=acme/other",
        &[("Cookie", &browser.cookie)],
        "",
    );
    assert!(!page.body.contains("API_VERSION"), "{page}");
}

#[test]
fn whoever_only_looks_at_the_link_does_not_use_it_up() {
    let (_env, server) = served(&[]);
    let looked = server.send("HEAD", &server.once, &[], "");
    assert_eq!(
        (looked.status, looked.header("set-cookie")),
        (405, None),
        "{looked}"
    );
    assert_eq!(server.send("GET", &server.once, &[], "").status, 303);
}

#[test]
fn a_token_ends_its_own_sessions_and_nobody_else_s() {
    let (env, server) = served(&[]);
    let (person, token) = (server.browser(), made(&env, &["look"]));
    let paste =
        || server.with_cookie(&server.send("POST", "/open", &[], &format!("token={token}")));
    let opened: Vec<_> = (0..5).map(|_| paste()).collect();
    let status = |cookie: &str| server.send("GET", "/", &[("Cookie", cookie)], "").status;
    assert_eq!(status(&opened[0].cookie), 401);
    assert!(opened[1..].iter().all(|it| status(&it.cookie) == 200));
    assert_eq!(status(&person.cookie), 200);
}

#[test]
fn guesses_are_paced_and_right_tokens_are_not() {
    let (_env, server) = served(&[]);
    let guess = |n: usize| match n % 3 {
        0 => server.get_with("/api/spaces", "guess").status,
        1 => server.send("POST", "/open", &[], "token=guess").status,
        _ => server.send("GET", "/open/guess", &[], "").status,
    };
    patiently("guesses are put off", || (0..3).any(|n| guess(n) == 429));
    assert_eq!(server.get("/api/spaces").status, 200);
    let pasted = server.send("POST", "/open", &[], &format!("token={}", server.token));
    assert_eq!(pasted.status, 303, "{pasted}");
    assert_eq!(server.send("GET", &server.once, &[], "").status, 303);
}

/// A token of these properties.
pub fn made(env: &Env, arguments: &[&str]) -> String {
    let ran = env.person(&[&["--json", "token", "create"], arguments].concat());
    let said: serde_json::Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran}"));
    said["secret"].as_str().unwrap().to_owned()
}
