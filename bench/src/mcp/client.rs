//! A client of a server on stdio: lines of JSON through its pipes, one request at a time, nothing in between.

use std::io::{BufRead as _, BufReader, Write as _};
use std::{
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// The way that a client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// With a handshake, which all that follows relies on.
    Handshake,
    /// Without one: each request says what there is to know.
    Stateless,
}

impl Era {
    /// The revision that the client speaks.
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// A request as it is written: one line.
    fn request(self, id: u64, method: &str, mut params: Value) -> String {
        if self == Self::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision(),
                "io.modelcontextprotocol/clientInfo": who(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }
}

fn who() -> Value {
    json!({"name": "bench", "version": "0"})
}

fn line(message: &Value) -> String {
    format!("{message}\n")
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// Its text.
    pub(crate) text: String,
    /// Whether it says that nothing was done.
    pub(crate) is_refusal: bool,
}

/// A client and its server, which ends with it.
pub(crate) struct Client {
    era: Era,
    child: Child,
    /// Closed to let the server go.
    into: Option<ChildStdin>,
    out: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    /// Starts a server, and shakes hands where the era asks for it.
    pub(crate) fn start(mut command: Command, era: Era) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let into = child.stdin.take();
        let out = child.stdout.take().context("the server has an output")?;
        let mut client = Self {
            era,
            child,
            into,
            out: BufReader::new(out),
            id: 0,
        };
        if era == Era::Handshake {
            let hello =
                json!({"protocolVersion": era.revision(), "capabilities": {}, "clientInfo": who()});
            client.ask("initialize", hello)?;
            client.write(&line(
                &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            ))?;
        }
        Ok(client)
    }

    /// How many tools the server has.
    pub(crate) fn tools(&mut self) -> Result<usize> {
        let (_, listed) = self.ask("tools/list", json!({}))?;
        Ok(listed["tools"]
            .as_array()
            .context("the tools are a list")?
            .len())
    }

    /// Calls a tool, and says how long the answer took.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(Duration, Reply)> {
        let params = json!({"name": tool, "arguments": arguments});
        let (time, result) = self.ask("tools/call", params)?;
        Ok((
            time,
            reply(&result).with_context(|| format!("{tool} has no text in {result}"))?,
        ))
    }

    /// Asks, and waits for the answer. The time ends when its line is there: what a client makes of it is its own.
    fn ask(&mut self, method: &str, params: Value) -> Result<(Duration, Value)> {
        self.id += 1;
        let request = self.era.request(self.id, method, params);
        let started = Instant::now();
        self.write(&request)?;
        loop {
            let mut line = String::new();
            let n_bytes = self.out.read_line(&mut line)?;
            let time = started.elapsed();
            if n_bytes == 0 {
                bail!("the server went away before it answered {method}");
            }
            if let Some(answer) = answer(&line, self.id)? {
                return Ok((time, answer));
            }
        }
    }

    fn write(&mut self, line: &str) -> Result<()> {
        let into = self.into.as_mut().context("the server's input is open")?;
        into.write_all(line.as_bytes())
            .context("the server does not read")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A server goes when its input ends; one that is left behind would disturb what is measured next.
        drop(self.into.take());
        let _ = self.child.wait();
    }
}

/// The result in a line, if it answers this request; notifications do not.
fn answer(line: &str, id: u64) -> Result<Option<Value>> {
    let mut message: Value =
        serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
    if message["id"] != id {
        return Ok(None);
    }
    match message["result"].take() {
        Value::Null => bail!("the server answered with an error: {}", message["error"]),
        result => Ok(Some(result)),
    }
}

fn reply(result: &Value) -> Option<Reply> {
    let text = result["content"][0]["text"].as_str()?.to_owned();
    Some(Reply {
        text,
        is_refusal: result["isError"] == true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_one_line_and_say_what_their_era_asks() {
        let check = |era: Era, expected: bool| {
            let request = era.request(3, "tools/list", json!({"cursor": "a\nb"}));
            assert_eq!(request.find('\n'), Some(request.len() - 1), "{request}");
            assert_eq!(request.contains("2026-07-28"), expected, "{request}");
        };
        check(Era::Handshake, false);
        check(Era::Stateless, true);
    }

    #[test]
    fn an_answer_is_known_by_its_number() {
        let check = |line: &str, expected: Option<Value>| {
            assert_eq!(answer(line, 2).unwrap(), expected, "{line}");
        };
        check(
            r#"{"jsonrpc":"2.0","id":2,"result":{"a":1}}"#,
            Some(json!({"a": 1})),
        );
        check(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#, None);
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#,
            None,
        );
        for wrong in [
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}"#,
            "hello",
        ] {
            assert!(answer(wrong, 2).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_reply_says_whether_it_is_a_refusal() {
        let check = |result: Value, expected: Option<(&str, bool)>| {
            let expected = expected.map(|(text, is_refusal)| Reply {
                text: text.into(),
                is_refusal,
            });
            assert_eq!(reply(&result), expected, "{result}");
        };
        check(
            json!({"content": [{"type": "text", "text": "x"}]}),
            Some(("x", false)),
        );
        check(
            json!({"content": [{"type": "text", "text": "x"}], "isError": true}),
            Some(("x", true)),
        );
        check(json!({"content": []}), None);
    }
}
