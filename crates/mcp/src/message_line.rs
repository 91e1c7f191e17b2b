//! One line of standard input: a message, or the error that answers a line which is not one.
//!
//! The SDK drops a line that it cannot parse. A client that waits for the answer to a damaged request then waits forever.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId};
use serde::Deserialize as _;
use serde_json::{Value, json};

/// What a line of input is.
#[derive(Debug)]
pub(super) enum InputLine {
    /// A message for the server.
    Message(Box<ClientJsonRpcMessage>),
    /// No message; the sender is told so with this line.
    Faulty(String),
    /// Nothing that anybody waits for: an empty line, or a notification that is unknown here.
    Ignored,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a line, without its end.
pub(super) fn read_input_line(line: &[u8]) -> InputLine {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return InputLine::Ignored;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(fault) => {
            let why = format!("Parse error: this line is not JSON ({fault}).");
            return InputLine::Faulty(format_error_line(None, ErrorCode::PARSE_ERROR, &why));
        }
    };
    let read = ClientJsonRpcMessage::deserialize(&message);
    match read {
        // The SDK takes a request whose id is null for a notification, which nobody answers.
        Ok(read) if message.get("id") != Some(&Value::Null) => InputLine::Message(Box::new(read)),
        _ if is_unanswered(&message) => InputLine::Ignored,
        _ => InputLine::Faulty(format_error_line(
            read_request_id(&message).as_ref(),
            ErrorCode::INVALID_REQUEST,
            "Invalid request: one JSON-RPC 2.0 message per line, with a string or an integer as its id.",
        )),
    }
}

/// Whether a message is of a kind that JSON-RPC never answers. Two programs that answer each other's errors never stop.
fn is_unanswered(message: &Value) -> bool {
    let is_notification =
        message.get("id").is_none() && message.get("method").is_some_and(Value::is_string);
    let is_response = message.get("method").is_none()
        && (message.get("result").is_some() || message.get("error").is_some());
    is_notification || is_response
}

fn read_request_id(message: &Value) -> Option<RequestId> {
    RequestId::deserialize(message.get("id")?).ok()
}

/// An error as a line. The SDK leaves out an id that is not known; JSON-RPC 2.0 wants null there.
pub(super) fn format_error_line(id: Option<&RequestId>, code: ErrorCode, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_answered_or_ignored() {
        let check = |line: &str, expected: &str| {
            let found = match read_input_line(line.as_bytes()) {
                InputLine::Message(_) => "message".to_owned(),
                InputLine::Ignored => "ignored".to_owned(),
                InputLine::Faulty(line) => {
                    let line: Value = serde_json::from_str(&line).unwrap();
                    format!("{} {}", line["error"]["code"], line["id"])
                }
            };
            assert_eq!(found, expected, "{line}");
        };
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            "message",
        );
        check(
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\r",
            "message",
        );
        check(r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, "message");
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "message");
        check("", "ignored");
        check("  \r", "ignored");
        check("hello", "-32700 null");
        check(
            r#"{"jsonrpc": "2.0", "method": "foobar, "params""#,
            "-32700 null",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}"#,
            "-32700 null",
        );
        check(&"[".repeat(100_000), "-32700 null");
        check("[]", "-32600 null");
        check("[1,2,3]", "-32600 null");
        check("7", "-32600 null");
        check(
            r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#,
            "-32600 null",
        );
        check(
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            "-32600 null",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
            "-32600 null",
        );
        check(
            r#"{"jsonrpc":"2.0","id":[1],"method":"tools/list"}"#,
            "-32600 null",
        );
        check(
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
            "-32600 1",
        );
        check(
            r#"{"jsonrpc":"1.0","id":"a","method":"tools/list"}"#,
            "-32600 \"a\"",
        );
        check(
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":7}"#,
            "-32600 4",
        );
        // What is never answered, or two programs would answer each other forever.
        check(r#"{"jsonrpc":"1.0","method":"notifications/x"}"#, "ignored");
        check(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
            "ignored",
        );
    }
}
