//! One line for each request: who, what, how long. Never what was asked or answered, and no token.

use std::net::IpAddr;

use serde::Serialize;

/// Which requests are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// All of them.
    All,
    /// Those that were turned away, or failed.
    Problems,
    /// None.
    Off,
}

/// Where requests are told of.
pub struct RequestLog {
    /// Which.
    pub told: LogLevel,
    /// Takes a line, and keeps nobody waiting.
    pub write: Box<dyn Fn(String) + Send + Sync>,
}

/// A request, as far as it is told of.
#[derive(Debug, Serialize)]
pub(super) struct RequestLogLine<'a> {
    pub(super) at: String,
    pub(super) level: &'static str,
    pub(super) id: &'a str,
    pub(super) method: &'static str,
    pub(super) route: &'static str,
    pub(super) status: u16,
    pub(super) ms: f64,
    #[serde(rename = "pass", skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<&'a str>,
    /// Who asked, where other machines can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<IpAddr>,
}

/// Something that happened to the server itself.
#[derive(Debug, Serialize)]
pub(super) struct ServerLogLine<'a> {
    pub(super) at: String,
    pub(super) level: &'static str,
    pub(super) event: &'static str,
    /// How many requests were under way.
    pub(super) in_flight: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<&'a str>,
}

/// How bad an answer is for whoever runs the server. That a page asks for what is not there is nobody's problem.
pub(super) fn classify_http_status(status: u16) -> &'static str {
    match status {
        500.. => "error",
        401 | 403 | 408 | 413 | 429 => "warn",
        _ => "info",
    }
}

impl RequestLog {
    pub(super) fn write_line(&self, line: &RequestLogLine) {
        let is_told = match self.told {
            LogLevel::All => true,
            LogLevel::Problems => line.level != "info",
            LogLevel::Off => false,
        };
        if is_told {
            self.write_json(line);
        }
    }

    /// Tells what happened to the server. It happens seldom, so that it is told beside problems, too.
    pub(super) fn write_event(&self, line: &ServerLogLine) {
        if self.told != LogLevel::Off {
            self.write_json(line);
        }
    }

    fn write_json(&self, line: &impl Serialize) {
        if let Ok(text) = serde_json::to_string(line) {
            (self.write)(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn only_what_is_wanted_is_told() {
        let check = |told: LogLevel, status: u16, expected: usize| {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&lines);
            let log = RequestLog {
                told,
                write: Box::new(move |it| kept.lock().unwrap().push(it)),
            };
            let (at, level) = (String::new(), classify_http_status(status));
            log.write_line(&RequestLogLine {
                at,
                level,
                id: "a",
                method: "GET",
                route: "/",
                status,
                ms: 1.5,
                token: None,
                client: None,
            });
            assert_eq!(lines.lock().unwrap().len(), expected, "{told:?} {status}");
        };
        check(LogLevel::All, 200, 1);
        check(LogLevel::Problems, 200, 0);
        check(LogLevel::Problems, 404, 0);
        check(LogLevel::Problems, 401, 1);
        check(LogLevel::Problems, 503, 1);
        check(LogLevel::Off, 503, 0);
    }
}
