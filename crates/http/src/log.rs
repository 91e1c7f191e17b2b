//! One line for each request: who, what, how long. Never what was asked or answered, and no token.

use serde::Serialize;

/// Which requests are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// All of them.
    All,
    /// Those that were turned away, or failed.
    Problems,
    /// None.
    Off,
}

/// Where requests are told of.
pub struct Log {
    /// Which.
    pub told: Told,
    /// Takes a line, and keeps nobody waiting.
    pub write: Box<dyn Fn(String) + Send + Sync>,
}

/// A request, as far as it is told of.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    pub(super) at: String,
    pub(super) level: &'static str,
    pub(super) id: &'a str,
    pub(super) method: &'static str,
    pub(super) route: &'static str,
    pub(super) status: u16,
    pub(super) ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pass: Option<&'a str>,
}

/// How bad an answer is for whoever runs the server. That a page asks for what is not there is nobody's problem.
pub(super) fn level(status: u16) -> &'static str {
    match status {
        500.. => "error",
        401 | 403 | 408 | 413 | 429 => "warn",
        _ => "info",
    }
}

impl Log {
    pub(super) fn tell(&self, line: &Line<'_>) {
        let is_told = match self.told {
            Told::All => true,
            Told::Problems => line.level != "info",
            Told::Off => false,
        };
        if let (true, Ok(text)) = (is_told, serde_json::to_string(line)) {
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
        let check = |told: Told, status: u16, expected: usize| {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&lines);
            let log = Log {
                told,
                write: Box::new(move |it| kept.lock().unwrap().push(it)),
            };
            let (at, level) = (String::new(), level(status));
            log.tell(&Line {
                at,
                level,
                id: "a",
                method: "GET",
                route: "/",
                status,
                ms: 1.5,
                pass: None,
            });
            assert_eq!(lines.lock().unwrap().len(), expected, "{told:?} {status}");
        };
        check(Told::All, 200, 1);
        check(Told::Problems, 200, 0);
        check(Told::Problems, 404, 0);
        check(Told::Problems, 401, 1);
        check(Told::Problems, 503, 1);
        check(Told::Off, 503, 0);
    }
}
