//! A server that other machines reach: TLS, proxies, names, and what is refused.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName},
};
use serde_json::{Value, json};

use crate::{
    certificate::Certificate,
    door::made,
    env::{Env, Ran},
    socket::{Reply, patiently},
};

/// A connection that is encrypted.
type TlsConnection = StreamOwned<ClientConnection, TcpStream>;

/// A server that others reach, on a port of this machine.
pub struct PublicServer {
    child: Child,
    address: SocketAddr,
    pub said: Value,
    log: BufReader<ChildStderr>,
    _out: BufReader<ChildStdout>,
}

impl PublicServer {
    fn new(env: &Env, arguments: &[&str]) -> Self {
        let listen = ["serve", "--listen", "127.0.0.1:0", "--json"];
        Self::started(env.command(&[&listen, arguments].concat()))
    }

    /// The same with TLS, with the certificate that lies in the home.
    fn with_tls(env: &Env, arguments: &[&str]) -> Self {
        let [cert, key] = locate_pair(env).map(|it| it.to_str().unwrap().to_owned());
        let tls = ["--cert", &cert, "--key", &key, "--public-host", "localhost"];
        Self::new(env, &[&tls, arguments].concat())
    }

    pub fn started(mut command: Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut told = String::new();
            log.read_to_string(&mut told).unwrap();
            panic!("the server did not start: {told}");
        }
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["listen"].as_str().unwrap().parse().unwrap();
        Self {
            child,
            address,
            said,
            log,
            _out: out,
        }
    }

    fn connect(&self) -> TcpStream {
        connect(self.address)
    }

    /// Sends a request without encryption.
    pub fn plain(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        let _ = stream.write_all(request.as_bytes());
        read_reply(&mut stream)
    }

    /// Sends a request over TLS.
    fn secure(&self, trusted: &Certificate, request: &str) -> Reply {
        let mut stream = open_tls(self.address, trusted, "localhost");
        stream.write_all(request.as_bytes()).unwrap();
        read_reply(&mut stream)
    }

    /// The next line of the log in which this stands.
    fn wait_for_log(&mut self, text: &str) -> Value {
        let mut line = String::new();
        while self.log.read_line(&mut line).unwrap() > 0 {
            if line.contains(text) {
                return serde_json::from_str(&line).unwrap();
            }
            line.clear();
        }
        panic!("the log ended without {text:?}");
    }

    fn tell_to_stop(&self) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(told.success());
    }
}

impl Drop for PublicServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    // Only so that a server that hangs is a test that fails.
    let patience = Some(Duration::from_secs(60));
    stream.set_read_timeout(patience).unwrap();
    stream
}

fn open_tls(address: SocketAddr, trusted: &Certificate, name: &'static str) -> TlsConnection {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from(trusted.der.clone()))
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name).unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(client, connect(address))
}

/// Reads an answer to the end of the connection.
fn read_reply(stream: &mut impl std::io::Read) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    parse_reply(&String::from_utf8_lossy(&bytes))
}

fn parse_reply(text: &str) -> Reply {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|it| it.split(' ').nth(1));
    let header = |it: &str| {
        let (name, value) = it.split_once(": ")?;
        Some((name.to_lowercase(), value.to_owned()))
    };
    Reply {
        status: status.and_then(|it| it.parse().ok()).unwrap_or(0),
        headers: lines.filter_map(header).collect(),
        body: body.to_owned(),
    }
}

/// A request to the end of the connection, with these headers.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let lines: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{lines}\r\n{body}"
    )
}

fn get(path: &str, host: &str) -> String {
    request("GET", path, &[("Host", host)], "")
}

fn locate_pair(env: &Env) -> [PathBuf; 2] {
    ["cert.pem", "key.pem"].map(|it| env.home().join(it))
}

/// Puts certificate and key into the home, whole.
fn write_pair(env: &Env, pair: &Certificate) {
    let [cert, key] = locate_pair(env);
    for (path, text) in [(cert, &pair.cert_pem), (key, &pair.key_pem)] {
        let beside = path.with_extension("new");
        fs::write(&beside, text).unwrap();
        fs::set_permissions(&beside, fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(beside, path).unwrap();
    }
}

/// A world with a certificate for this machine in its home.
fn env_with_certificate() -> (Env, Certificate) {
    let (env, pair) = (Env::new(), Certificate::for_localhost());
    write_pair(&env, &pair);
    (env, pair)
}

#[test]
fn serve_refuses_what_others_could_read_or_use() {
    let (env, _) = env_with_certificate();
    let [cert, key] = locate_pair(&env).map(|it| it.to_str().unwrap().to_owned());
    let tls = ["--cert", &cert, "--key", &key];
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.run(&[&["serve"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {ran}");
        assert!(ran.err.contains(expected), "{arguments:?}: {ran}");
    };
    let far = ["--listen", "0.0.0.0:0"];
    check(&far, "sent as plain text");
    check(&["--listen", "[::]:0"], "sent as plain text");
    check(&["--public-host", "memory.example"], "sent as plain text");
    check(&[&far[..], &tls].concat(), "--public-host");
    check(
        &[&far[..], &["--behind-proxy", "10.0.0.1"]].concat(),
        "--public-host",
    );
    let here = ["--listen", "127.0.0.1:0", "--public-host", "memory.example"];
    check(&[&here[..], &tls, &["--no-token"]].concat(), "--no-token");
    let proxied = ["--listen", "127.0.0.1:0", "--behind-proxy", "127.0.0.1"];
    check(&[&proxied[..], &["--no-token"]].concat(), "--no-token");
    check(&["--listen", "127.0.0.1:0", "--port", "0"], "--port");
    check(&["--cert", &cert], "--key");
    check(&["--behind-proxy", "0.0.0.0/0"], "every address");
    check(
        &["--public-host", "https://memory.example"],
        "is not a host name",
    );
}

/// What is said of a certificate and key with which the server does not start.
fn start_with_pair(env: &Env, cert: &str, key: &str, mode: u32) -> Ran {
    let [cert_path, key_path] = locate_pair(env);
    fs::write(&cert_path, cert).unwrap();
    fs::write(&key_path, key).unwrap();
    fs::set_permissions(&key_path, fs::Permissions::from_mode(mode)).unwrap();
    let [cert, key] = [cert_path, key_path].map(|it| it.to_str().unwrap().to_owned());
    env.run(&["serve", "--port", "0", "--cert", &cert, "--key", &key])
}

#[test]
fn serve_refuses_a_pair_that_no_client_would_take() {
    let env = Env::new();
    let good = Certificate::for_localhost();
    let check = |cert: &str, key: &str, mode: u32, expected: &str| {
        let ran = start_with_pair(&env, cert, key, mode);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.err.contains(expected), "{expected}: {ran}");
        assert!(!ran.err.contains("PRIVATE"), "{ran}");
    };
    let other = Certificate::for_localhost();
    check(
        &good.cert_pem,
        &other.key_pem,
        0o600,
        "is not the key of the certificate",
    );
    check(&good.cert_pem, &good.key_pem, 0o644, "chmod o-rwx");
    check(&good.cert_pem, &good.key_pem, 0o602, "chmod o-rwx");
    let old = Certificate::new(&["localhost"], 2020, 2021);
    check(&old.cert_pem, &old.key_pem, 0o600, "expired on 2021-01-01");
    let future = Certificate::new(&["localhost"], 2040, 2049);
    check(&future.cert_pem, &future.key_pem, 0o600, "not valid yet");
    check("", &good.key_pem, 0o600, "holds no certificate");
    check(&good.cert_pem, "", 0o600, "holds no private key");
    check(&good.key_pem, &good.key_pem, 0o600, "holds no certificate");
    let encrypted = good.key_pem.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    check(&good.cert_pem, &encrypted, 0o600, "without a password");
    let broken = good.cert_pem.replace("MII", "AAA");
    check(&broken, &good.key_pem, 0o600, "cannot be used");
    fs::remove_file(locate_pair(&env)[0].as_path()).unwrap();
    let ran = env.run(&[
        "serve",
        "--port",
        "0",
        "--cert",
        "nowhere.pem",
        "--key",
        "nowhere.pem",
    ]);
    assert!(
        ran.err.contains("cannot read") && ran.err.contains("nowhere.pem"),
        "{ran}"
    );
}

#[test]
fn over_tls_a_token_opens_what_it_opens() {
    let (env, pair) = env_with_certificate();
    env.with_facts();
    let token = made(&env, &["ci"]);
    let server = PublicServer::with_tls(&env, &[]);
    let url = format!("https://localhost:{}/mcp", server.address.port());
    assert_eq!(server.said["url"], url.as_str());
    // A token of this run would stand in the journal.
    assert_eq!(server.said.get("token"), None);
    let host = format!("localhost:{}", server.address.port());
    let bearer = format!("Bearer {token}");
    let headers = [("Host", &*host), ("Authorization", &*bearer)];
    let reply = server.secure(&pair, &request("GET", "/api/memories", &headers, ""));
    assert_eq!(reply.status, 200, "{reply}");
    assert!(reply.body.contains("API_VERSION"), "{reply}");
    assert_eq!(
        server.secure(&pair, &get("/api/memories", &host)).status,
        401
    );

    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params =
        json!({"name": "memory_recall", "arguments": {"query": "api version"}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let of_protocol = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "memory_recall"),
    ];
    let call = request(
        "POST",
        "/mcp",
        &[&headers[..], &of_protocol].concat(),
        &body.to_string(),
    );
    let reply = server.secure(&pair, &call);
    assert_eq!(reply.status, 200, "{reply}");
    assert!(reply.body.contains("API_VERSION must equal"), "{reply}");
}

#[test]
fn plain_http_on_a_tls_port_is_told_so_and_not_answered() {
    let (env, pair) = env_with_certificate();
    let server = PublicServer::with_tls(&env, &[]);
    let reply = server.plain(&get("/health", "localhost"));
    assert_eq!(reply.status, 400, "{reply}");
    assert!(reply.body.contains("https://"), "{reply}");
    assert_eq!(
        reply.body.len().to_string(),
        reply.header("content-length").unwrap()
    );
    // What is neither of the two ends, and takes nobody with it.
    let mut stream = server.connect();
    stream.write_all(&[22, 3, 1, 0, 5, 1, 2, 3, 4, 5]).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP"), "{rest:?}");
    assert_eq!(
        server.secure(&pair, &get("/health", "localhost")).status,
        200
    );
}

#[test]
fn handshake_that_never_ends_holds_no_place() {
    let (env, pair) = env_with_certificate();
    let limits = ["--limit", "connections=3", "--limit", "head_ms=200"];
    let server = PublicServer::with_tls(&env, &limits);
    // Silent ones, and one that stops in the middle of its first record.
    let mut stuck: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    stuck[2].write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
    for stream in &mut stuck {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{rest:?}");
    }
    assert_eq!(
        server.secure(&pair, &get("/health", "localhost")).status,
        200
    );
    let token = made(&env, &["watch"]);
    let bearer = format!("Bearer {token}");
    let headers = [("Host", "localhost"), ("Authorization", &*bearer)];
    let page = server.secure(&pair, &request("GET", "/metrics", &headers, ""));
    let shed = "apostille_http_shed_total{reason=\"slow handshake\"} 3\n";
    assert!(page.body.contains(shed), "{page}");
    assert!(
        page.body.contains("apostille_http_connections 1\n"),
        "{page}"
    );
    assert!(
        page.body
            .contains("apostille_tls_valid_until_seconds 2493072000\n"),
        "{page}"
    );
}

#[test]
fn unfinished_handshakes_make_room_for_others() {
    let (env, pair) = env_with_certificate();
    let server = PublicServer::with_tls(&env, &["--limit", "connections=3"]);
    let _stuck: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    for _ in 0..5 {
        assert_eq!(
            server.secure(&pair, &get("/health", "localhost")).status,
            200
        );
    }
}

#[test]
fn certificate_is_exchanged_under_load_and_no_connection_ends() {
    let (env, first) = env_with_certificate();
    let mut server = PublicServer::with_tls(&env, &[]);
    let address = server.address;
    let second = Certificate::for_localhost();
    let (is_over, n_answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            // Each has one connection for all of it, which began under the first certificate.
            let mut stream = BufReader::new(open_tls(address, &first, "localhost"));
            let (is_over, n_answered) = (&is_over, &n_answered);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(ask_for_health(&mut stream), "ok\n");
                    n_answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        patiently("there is load", || n_answered.load(Ordering::Relaxed) > 100);
        // The certificate first: for a while it has no key.
        let [cert, _] = locate_pair(&env);
        fs::write(&cert, &second.cert_pem).unwrap();
        let kept = server.wait_for_log("certificate kept");
        assert_eq!(kept["level"], "error");
        assert!(
            kept["why"].as_str().unwrap().contains("is not the key"),
            "{kept}"
        );
        assert_eq!(
            server.secure(&first, &get("/health", "localhost")).status,
            200
        );
        write_pair(&env, &second);
        server.wait_for_log("certificate exchanged");
        assert_eq!(
            server.secure(&second, &get("/health", "localhost")).status,
            200
        );
        let mut stale = open_tls(address, &first, "localhost");
        assert!(
            stale
                .write_all(get("/health", "localhost").as_bytes())
                .is_err()
        );
        let before = n_answered.load(Ordering::Relaxed);
        patiently("the connections go on", || {
            n_answered.load(Ordering::Relaxed) > before + 100
        });
        is_over.store(true, Ordering::Relaxed);
    });
    // One that is over is not taken, nor one that others can read.
    write_pair(&env, &Certificate::new(&["localhost"], 2020, 2021));
    let kept = server.wait_for_log("certificate kept");
    assert!(kept["why"].as_str().unwrap().contains("expired"), "{kept}");
    assert_eq!(
        server.secure(&second, &get("/health", "localhost")).status,
        200
    );
}

/// Asks over a connection that stays open.
fn ask_for_health(stream: &mut BufReader<TlsConnection>) -> String {
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.get_mut().write_all(request.as_bytes()).unwrap();
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let from = head.len();
        assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
        if let Some(it) = head[from..].strip_prefix("content-length: ") {
            length = it.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn only_named_proxies_are_talked_to() {
    let env = Env::new();
    let server = PublicServer::new(&env, &["--behind-proxy", "10.0.0.1,10.1.0.0/16"]);
    let reply = server.plain(&get("/health", "127.0.0.1"));
    assert_eq!((reply.status, &*reply.body), (0, ""), "{reply}");
    let server = PublicServer::new(&env, &["--behind-proxy", "10.0.0.1,127.0.0.0/8"]);
    assert_eq!(server.plain(&get("/health", "127.0.0.1")).status, 200);
}

/// A server behind a proxy on this machine, which clients call memory.example.
fn start_behind_proxy(env: &Env, arguments: &[&str]) -> PublicServer {
    let proxied = [
        "--behind-proxy",
        "127.0.0.1",
        "--public-host",
        "memory.example",
    ];
    let mut command = env.command(
        &[
            &["serve", "--listen", "127.0.0.1:0", "--json", "--log", "all"],
            &proxied[..],
            arguments,
        ]
        .concat(),
    );
    command.env("APOSTILLE_PERSON", "ana");
    PublicServer::started(command)
}

/// What a proxy hands on of a request that this client sent over `https`.
fn forwarded(client: &str) -> [(&str, &str); 3] {
    [
        ("Host", "memory.example"),
        ("X-Forwarded-For", client),
        ("X-Forwarded-Proto", "https"),
    ]
}

#[test]
fn client_is_the_last_address_that_no_proxy_vouches_for() {
    let env = Env::new();
    let mut server = start_behind_proxy(&env, &[]);
    assert_eq!(server.said["url"], "https://memory.example/mcp");
    let mut check = |header: &str, sent: &str, expected: &str| {
        let headers = [("Host", "memory.example"), (header, sent)];
        server.plain(&request("GET", "/health", &headers, ""));
        let line = server.wait_for_log("\"/health\"");
        assert_eq!(line["client"], expected, "{header}: {sent}");
    };
    check("X-Forwarded-For", "203.0.113.9", "203.0.113.9");
    // The client sent the first one itself.
    check("X-Forwarded-For", "10.9.9.9, 203.0.113.9", "203.0.113.9");
    check("X-Forwarded-For", "203.0.113.9, 127.0.0.1", "203.0.113.9");
    check("X-Forwarded-For", "203.0.113.9, nonsense", "127.0.0.1");
    check("Forwarded", "for=203.0.113.9", "127.0.0.1");
    check("X-Real-IP", "203.0.113.9", "127.0.0.1");
    let mut server = start_behind_proxy(&env, &["--proxy-header", "forwarded"]);
    let headers = [
        ("Host", "memory.example"),
        ("X-Forwarded-For", "10.9.9.9"),
        (
            "Forwarded",
            "for=10.8.8.8, for=\"[2001:db8::1]:4711\";proto=https",
        ),
    ];
    server.plain(&request("GET", "/health", &headers, ""));
    assert_eq!(server.wait_for_log("\"/health\"")["client"], "2001:db8::1");
}

#[test]
fn headers_of_proxies_are_nothing_without_one() {
    let (env, pair) = env_with_certificate();
    let mut server = PublicServer::with_tls(&env, &["--log", "all"]);
    let headers = [
        ("Host", "localhost"),
        ("X-Forwarded-For", "203.0.113.9"),
        ("X-Forwarded-Proto", "http"),
    ];
    server.secure(&pair, &request("GET", "/health", &headers, ""));
    assert_eq!(server.wait_for_log("\"/health\"")["client"], "127.0.0.1");
}

#[test]
fn client_that_guesses_is_slowed_down_and_no_other() {
    let env = Env::new();
    let token = made(&env, &["ci"]);
    let server = start_behind_proxy(&env, &[]);
    let ask = |client: &str, token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [&forwarded(client)[..], &[("Authorization", &*bearer)]].concat();
        server
            .plain(&request("GET", "/api/spaces", &headers, ""))
            .status
    };
    patiently("guesses are slowed down", || {
        ask("203.0.113.9", "guess") == 429
    });
    // A forged address in front changes nothing.
    patiently("forged addresses are, too", || {
        ask("10.7.7.7, 203.0.113.9", "guess") == 429
    });
    assert_eq!(ask("203.0.113.10", "guess"), 401);
    assert_eq!(ask("203.0.113.9", &token), 200);
}

#[test]
fn cookie_is_secure_and_pages_are_those_of_the_public_name() {
    let env = Env::new();
    let server = start_behind_proxy(&env, &[]);
    let panel = server.said["panel"].as_str().unwrap();
    let once = panel.strip_prefix("https://memory.example").unwrap();
    let client = forwarded("203.0.113.9");
    let reply = server.plain(&request("GET", once, &client, ""));
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-apostille-"), "{cookie}");
    assert!(
        cookie.ends_with("; Secure") && cookie.contains("HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    let close = |headers: &[(&str, &str)]| {
        let own = [("Cookie", cookie)];
        let request = request("POST", "/close", &[headers, &own].concat(), "seal=x");
        server.plain(&request)
    };
    let from = |origin| [&client[..], &[("Origin", origin)]].concat();
    // Without the seal of its form nothing is done; the page it came from is looked at before.
    let check = |headers: &[(&str, &str)], expected: &str| {
        let reply = close(headers);
        assert_eq!(reply.status, 403, "{reply}");
        assert!(reply.body.contains(expected), "{headers:?}: {reply}");
    };
    check(
        &from("https://memory.example"),
        "is not from your open page",
    );
    check(
        &from("https://memory.example:443"),
        "is not from your open page",
    );
    check(&from("http://memory.example"), "sent by another page");
    check(&from("https://memory.example:8443"), "sent by another page");
    check(&from("https://evil.example"), "sent by another page");
    check(&from("null"), "sent by another page");
    // Without encryption the cookie is none.
    let open = [("Host", "memory.example"), ("X-Forwarded-Proto", "http")];
    assert_eq!(close(&open).status, 401);
}

#[test]
fn public_names_are_the_ones_that_were_given() {
    let env = Env::new();
    let server = start_behind_proxy(&env, &[]);
    let status = |path: &str, host: &str| server.plain(&get(path, host)).status;
    assert_eq!(status("/api/spaces", "memory.example"), 401);
    assert_eq!(status("/api/spaces", "memory.example:443"), 401);
    assert_eq!(status("/api/spaces", "evil.example"), 403);
    assert_eq!(status("/api/spaces", "memory.example.evil.example"), 403);
    assert_eq!(status("/", "evil.example"), 403);
    // Whoever watches over it calls it by its address.
    assert_eq!(status("/health", "10.0.0.7:7787"), 200);
    assert_eq!(status("/ready", "10.0.0.7:7787"), 200);
    assert_eq!(status("/metrics", "10.0.0.7:7787"), 403);
}

/// Sends the head of a request and half of its body.
fn begin_request(stream: &mut impl std::io::Write, token: &str) -> &'static str {
    let body = r#"{"fact": "API_VERSION must equal the client's", "citations": ["src/api.rs:3"]}"#;
    let (sent, rest) = body.split_at(20);
    let head = format!(
        "POST /api/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n{sent}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.flush().unwrap();
    rest
}

#[test]
fn server_that_is_told_to_stop_finishes_over_tls_and_says_so() {
    let (env, pair) = env_with_certificate();
    let token = made(&env, &["bot", "--access", "write"]);
    let grace = ["--limit", "grace_ms=60000"];
    let mut server = PublicServer::with_tls(&env, &grace);
    let mut idle = server.connect();
    let mut stream = open_tls(server.address, &pair, "localhost");
    let rest = begin_request(&mut stream, &token);
    // The server waits for the rest when it says so.
    let mut told = [0; 25];
    stream.read_exact(&mut told).unwrap();
    assert!(told.starts_with(b"HTTP/1.1 100 Continue"));
    server.tell_to_stop();
    let line = server.wait_for_log("stopping");
    assert_eq!(line["in_flight"], 1, "{line}");
    let address = server.address;
    patiently("nobody is taken in any more", || {
        TcpStream::connect(address).is_err()
    });
    // A handshake that was not finished is not waited for.
    let mut nothing = Vec::new();
    let _ = idle.read_to_end(&mut nothing);
    assert!(nothing.is_empty());
    stream.write_all(rest.as_bytes()).unwrap();
    let reply = read_reply(&mut stream);
    assert_eq!(reply.status, 201, "{reply}");
    assert_eq!(server.wait_for_log("stopped")["event"], "stopped");
    assert!(server.child.wait().unwrap().success());
    assert!(env.ok(&["list"]).contains("API_VERSION must equal"));
}

#[test]
fn server_that_drains_is_alive_and_not_ready() {
    let env = Env::new();
    let mut server = start_behind_proxy(&env, &["--limit", "drain_ms=60000"]);
    let ready = || server.plain(&get("/ready", "memory.example"));
    assert_eq!(ready().status, 200);
    server.tell_to_stop();
    server.wait_for_log("stopping");
    let reply = server.plain(&get("/ready", "memory.example"));
    assert_eq!(
        (reply.status, &*reply.body),
        (503, "the server is stopping\n")
    );
    assert_eq!(server.plain(&get("/health", "memory.example")).status, 200);
    assert_eq!(
        server.plain(&get("/api/spaces", "memory.example")).status,
        401
    );
}

/// A server on a socket that was opened before, as systemd does it.
fn start_on_socket(env: &Env, socket: &std::net::TcpListener, arguments: &str) -> Command {
    let script = format!(
        "exec 3<&0 0</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$APOSTILLE\" serve --json {arguments}"
    );
    let mut command = env.shell(&script);
    command.stdin(std::os::fd::OwnedFd::from(socket.try_clone().unwrap()));
    command
}

#[test]
fn restart_on_a_socket_that_stays_open_turns_nobody_away() {
    let env = Env::new();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let arguments = "--behind-proxy 127.0.0.1";
    let first = PublicServer::started(start_on_socket(&env, &socket, arguments));
    assert_eq!(first.address, address);
    assert_eq!(first.plain(&get("/health", "127.0.0.1")).status, 200);
    first.tell_to_stop();
    let mut first = first;
    assert!(first.child.wait().unwrap().success());
    // Nobody listens, and whoever comes waits.
    let mut waiting: Vec<TcpStream> = (0..20).map(|_| connect(address)).collect();
    for stream in &mut waiting {
        let text = get("/health", "127.0.0.1");
        stream.write_all(text.as_bytes()).unwrap();
    }
    let _second = PublicServer::started(start_on_socket(&env, &socket, arguments));
    for stream in &mut waiting {
        assert_eq!(read_reply(stream).status, 200);
    }
}

#[test]
fn socket_that_was_handed_over_is_looked_at_as_any_other() {
    let env = Env::new();
    let check = |address: &str, arguments: &str, expected: &str| {
        let socket = std::net::TcpListener::bind(address).unwrap();
        let output = start_on_socket(&env, &socket, arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected), "{told}");
    };
    check("0.0.0.0:0", "", "sent as plain text");
    check("127.0.0.1:0", "--port 0", "leave them out");
}
