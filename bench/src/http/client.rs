//! A connection that is kept, and requests on it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::{net::TcpStream, time::Duration};

use anyhow::{Context as _, Result, bail};

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(40);

/// What is answered.
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// The headers, with small names.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: String,
}

impl Reply {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// How.
    pub(crate) method: &'static str,
    /// Where.
    pub(crate) path: String,
    /// With what; empty for nothing.
    pub(crate) body: String,
}

impl Ask {
    /// Asks for a page.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET",
            path: path.into(),
            body: String::new(),
        }
    }

    /// Sends JSON.
    pub(crate) fn post(path: &str, body: &serde_json::Value) -> Self {
        Self {
            method: "POST",
            path: path.into(),
            body: body.to_string(),
        }
    }
}

/// One who asks.
pub(crate) struct Client {
    port: u16,
    /// `Authorization` or `Cookie`, with its value.
    key: (&'static str, String),
    stream: Option<BufReader<TcpStream>>,
}

impl Client {
    /// One with this header.
    pub(crate) fn new(port: u16, key: (&'static str, String)) -> Self {
        Self {
            port,
            key,
            stream: None,
        }
    }

    /// Asks, on a new connection where the last one was ended.
    pub(crate) fn ask(&mut self, ask: &Ask) -> Result<Reply> {
        let is_kept = self.stream.is_some();
        match self.asked(ask) {
            // A server may end a connection between two requests; nothing was asked then.
            Err(_) if is_kept => {
                self.stream = None;
                self.asked(ask)
            }
            other => other,
        }
    }

    fn asked(&mut self, ask: &Ask) -> Result<Reply> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connected(self.port)?,
        };
        let (name, key) = &self.key;
        let head = format!(
            "{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{name}: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            ask.method,
            ask.path,
            self.port,
            ask.body.len()
        );
        stream
            .get_mut()
            .write_all(format!("{head}{}", ask.body).as_bytes())?;
        let reply = read(&mut stream)?;
        if reply.header("connection") != Some("close") {
            self.stream = Some(stream);
        }
        Ok(reply)
    }
}

fn connected(port: u16) -> Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

fn read(stream: &mut BufReader<TcpStream>) -> Result<Reply> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line
        .split(' ')
        .nth(1)
        .context("the connection ended")?
        .parse()?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None if line.trim().is_empty() => break,
            None => bail!("a header is malformed: {line}"),
        }
    }
    let mut reply = Reply {
        status,
        headers,
        body: String::new(),
    };
    let length = reply
        .header("content-length")
        .map_or(Ok(0), str::parse::<usize>)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    reply.body = String::from_utf8(body)?;
    Ok(reply)
}
