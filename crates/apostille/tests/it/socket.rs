//! A server behind a socket, and whoever talks to it byte by byte.

use std::fmt;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::env::Env;

/// A server of its own, on a free port.
pub struct Server {
    pub child: Child,
    pub port: u16,
    pub token: String,
    /// The path that opens the panel once.
    pub once: String,
    _out: BufReader<ChildStdout>,
}

/// What was answered.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {}", self.status, self.headers, self.body)
    }
}

/// Where a person has the panel open: the cookie, and the seal on the forms.
pub struct Browser {
    pub cookie: String,
    pub seal: String,
}

impl Server {
    pub fn new(env: &Env, arguments: &[&str]) -> Self {
        let mut command = env.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
        command.stderr(Stdio::null());
        Self::started(command)
    }

    /// The same, started by a person.
    pub fn of_person(env: &Env, arguments: &[&str]) -> Self {
        let mut command = env.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
        command.env("APOSTILLE_PERSON", "ana").stderr(Stdio::null());
        Self::started(command)
    }

    pub fn started(mut command: std::process::Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(said["repo"], "acme/app", "{line}");
        let panel = said["panel"]
            .as_str()
            .unwrap()
            .strip_prefix("http://127.0.0.1:")
            .unwrap();
        let (port, once) = panel.split_at(panel.find('/').unwrap());
        let token = said["token"].as_str().unwrap_or_default().to_owned();
        Self {
            child,
            port: port.parse().unwrap(),
            token,
            once: once.to_owned(),
            _out: out,
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // Only so that a server that hangs is a test that fails.
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    }

    /// Sends a request as it is.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that has seen enough does not read on.
        let _ = stream.write_all(request);
        answer(stream)
    }

    /// Sends a request with these headers; an empty one is left out.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.raw(self.written(method, path, headers, body).as_bytes())
    }

    pub fn written(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        let length = if body.is_empty() {
            String::new()
        } else {
            body.len().to_string()
        };
        let usual = [
            ("Host", host.as_str()),
            ("Connection", "close"),
            ("Content-Length", length.as_str()),
        ];
        let given = |name: &str| headers.iter().any(|it| it.0 == name);
        let usual = usual.iter().filter(|it| !given(it.0));
        let lines = usual.chain(headers).filter(|it| !it.1.is_empty());
        let head: String = lines
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        format!("{method} {path} HTTP/1.1\r\n{head}\r\n{body}")
    }

    /// A call with the token of this run.
    pub fn get(&self, path: &str) -> Reply {
        self.get_with(path, &self.token)
    }

    pub fn get_with(&self, path: &str, token: &str) -> Reply {
        self.send(
            "GET",
            path,
            &[("Authorization", &format!("Bearer {token}"))],
            "",
        )
    }

    pub fn post_with(&self, path: &str, token: &str, body: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        self.send(
            "POST",
            path,
            &[
                ("Authorization", &bearer),
                ("Content-Type", "application/json"),
            ],
            body,
        )
    }

    /// Calls a tool, with this token.
    pub fn call(&self, token: &str, tool: &str, arguments: Value) -> Reply {
        let meta = serde_json::json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = serde_json::json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.said("tools/call", tool, token, &params)
    }

    /// Sends a message of the agents' protocol.
    pub fn said(&self, method: &str, name: &str, token: &str, params: &Value) -> Reply {
        let body =
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [
            ("Authorization", &*format!("Bearer {token}")),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        self.send("POST", "/mcp", &headers, &body.to_string())
    }

    /// Opens the panel by the link.
    pub fn browser(&self) -> Browser {
        let reply = self.send("GET", &self.once, &[], "");
        assert_eq!(reply.status, 303, "{reply}");
        self.with_cookie(&reply)
    }

    /// What a browser has after it was let in.
    pub fn with_cookie(&self, reply: &Reply) -> Browser {
        let cookie = reply
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let page = self.send("GET", "/memories/m-1", &[("Cookie", &cookie)], "");
        let seal = page
            .body
            .split("name=\"seal\" value=\"")
            .nth(1)
            .and_then(|it| it.split('"').next());
        Browser {
            cookie,
            seal: seal.unwrap_or_default().to_owned(),
        }
    }

    /// Sends a form of the panel.
    pub fn form(
        &self,
        browser: &Browser,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let kind = [
            ("Cookie", &*browser.cookie),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        self.send("POST", path, &[&kind, headers].concat(), body)
    }

    #[cfg(unix)]
    pub fn tell_to_stop(&self) {
        let id = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something is so; it is a test that fails, and not one that hangs, when it never is.
pub fn patiently(what: &str, is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    let tries =
        std::iter::repeat_with(is_so).take_while(|_| start.elapsed() < Duration::from_secs(60));
    assert!(tries.into_iter().any(|it| it), "{what}");
}

/// Reads an answer to the end of the connection.
pub fn answer(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A server that refuses what is still being sent may end the connection hard.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|it| it.split(' ').nth(1))
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    let header = |it: &str| {
        it.split_once(": ")
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
    };
    Reply {
        status,
        headers: lines.filter_map(header).collect(),
        body: body.to_owned(),
    }
}
