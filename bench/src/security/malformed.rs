//! What no client should send, to a real server: each row is turned away with a 4xx or an error of the protocol, and the
//! server goes on.

use std::collections::BTreeMap;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::{Section, corpus::Corpus, tally::Tally};
use crate::{cold, http::Server, ours::Code};

/// How long a server may take to turn something away.
const PATIENCE: Duration = Duration::from_secs(40);
/// What stands for a token that is known.
const GOOD: &str = "Bearer good";

#[derive(Deserialize)]
struct Row {
    name: String,
    body: String,
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    transport: String,
}

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let rows: Vec<Row> = corpus.rows("malformed.rpc_http")?;
    let bin = cold::program(None)?;
    if !bin.is_file() {
        let note = format!("malformed requests: there is no program {}", bin.display());
        return Ok(Section {
            notes: vec![note],
            ..Section::default()
        });
    }
    let code = Code::made(&corpus.scratch().join("malformed"))?;
    let store = corpus.scratch().join("malformed.db");
    let server = Server::start(&bin, corpus.scratch(), &code, &store, &[])?;
    let (mut tally, mut notes) = (Tally::default(), Vec::new());
    for row in rows.iter().filter(|it| it.transport != "stdio") {
        let (status, answer) = sent(&server, &row.request(&server))?;
        let is_fine = is_turned_away(status, &answer) && server.is_alive();
        tally.add("requests that are malformed", is_fine);
        notes.extend((!is_fine).then(|| format!("answered with {status}: {}", row.name)));
    }
    let all = tally.sum(|_| true);
    Ok(Section {
        bars: vec![all.bar(
            "malformed requests: 4xx or an error, and the server goes on",
            "100 %",
            |it| it >= 100.0,
        )],
        tables: vec![(
            "Malformed requests".into(),
            tally.table("class", "turned away"),
        )],
        notes,
    })
}

impl Row {
    /// The bytes that are sent.
    fn request(&self, server: &Server) -> Vec<u8> {
        let text = |name: &str| self.headers.get(name).and_then(Value::as_str);
        if let Some(raw) = text(":raw") {
            return raw.into();
        }
        let body = self
            .body
            .strip_prefix("b64:")
            .map_or_else(|| self.body.clone().into_bytes(), decoded);
        let bearer = server.bearer();
        let usual = [
            ("Host", server.address()),
            (
                "Authorization",
                if self.name.contains("no Authorization") {
                    String::new()
                } else {
                    bearer.clone()
                },
            ),
            ("Content-Type", "application/json".into()),
            ("Accept", "application/json, text/event-stream".into()),
            ("Content-Length", body.len().to_string()),
            ("Connection", "close".into()),
        ];
        let mut head = format!("{} /mcp HTTP/1.1\r\n", text(":method").unwrap_or("POST"));
        for (name, value) in usual
            .iter()
            .filter(|it| !self.headers.contains_key(it.0) && !it.1.is_empty())
        {
            head += &format!("{name}: {value}\r\n");
        }
        for (name, value) in self.headers.iter().filter(|it| !it.0.starts_with(':')) {
            let values = value
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![value.clone()]);
            for value in values.iter().filter_map(Value::as_str) {
                head += &format!("{name}: {}\r\n", value.replace(GOOD, &bearer));
            }
        }
        [head.as_bytes(), b"\r\n", &body].concat()
    }
}

/// What is answered, to the end of the connection.
fn sent(server: &Server, request: &[u8]) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(server.address())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // A server that refuses what is still being sent may end the connection hard.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer
        .split(' ')
        .nth(1)
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    // Nothing at all in all that time is a server that hangs.
    let hangs = ended.is_err_and(|it| {
        matches!(
            it.kind(),
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
        )
    });
    Ok((if hangs { 599 } else { status }, answer))
}

fn is_turned_away(status: u16, answer: &str) -> bool {
    let is_error = answer.contains("\"error\"") || answer.contains("\"isError\":true");
    // A connection that is closed without a word was turned away, too.
    status == 0 || (400..500).contains(&status) || (status < 300 && is_error)
}

/// Bytes that are written as base64.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |it: u8| match it {
        b'A'..=b'Z' => Some(it - b'A'),
        b'a'..=b'z' => Some(it - b'a' + 26),
        b'0'..=b'9' => Some(it - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let bits: Vec<u8> = text
        .bytes()
        .filter_map(digit)
        .flat_map(|it| (0..6).rev().map(move |n| it >> n & 1))
        .collect();
    bits.as_chunks::<8>()
        .0
        .iter()
        .map(|it| it.iter().fold(0, |byte, bit| byte << 1 | bit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        assert_eq!(
            (decoded("aGVsbG8="), decoded("//57")),
            (b"hello".to_vec(), vec![0xff, 0xfe, 0x7b])
        );
    }

    #[test]
    fn an_answer_that_serves_is_not_turning_away() {
        assert!(
            !is_turned_away(200, "{\"result\":{}}")
                && !is_turned_away(503, "busy")
                && !is_turned_away(599, "")
        );
        assert!(
            is_turned_away(400, "")
                && is_turned_away(200, "{\"error\":{}}")
                && is_turned_away(0, "")
        );
    }
}
