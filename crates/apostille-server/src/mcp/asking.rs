//! What only the client knows: the folders it works in, and what its user says. Older revisions are asked while a call
//! is open; the current one answers a question by making the call once more.

#![expect(deprecated, reason = "roots are on their way out, and half of the clients still have nothing else")]

use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, ListRootsRequest, ListRootsResult,
    ServerRequest,
};
use serde::de::DeserializeOwned;

use super::{Request, Server, is_modern};
use crate::Answer;

/// How long a client may take to say where it works; then it is as if it had not been asked.
const SHORT: Duration = Duration::from_secs(3);
/// How long a person may take.
const LONG: Duration = Duration::from_secs(300);
const ROOTS: &str = "roots";
const WORD: &str = "word";
const AGREED: &str = "agreed";

/// Where the client works.
pub(super) enum Roots {
    /// As far as it says.
    Known(Option<Vec<PathBuf>>),
    /// It is asked first.
    Ask(InputRequiredResult),
}

/// Asks the client where it works, if it can be asked. Under the current revision every question costs a second call,
/// and roots are on their way out: there it is asked only where the server stands in no repository itself.
pub(super) async fn roots(server: &Server, brought: Option<&InputResponses>, context: &Request) -> Roots {
    if context.client_capabilities().is_none_or(|it| it.roots.is_none()) {
        return Roots::Known(None);
    }
    if is_modern(context) {
        let answer: Option<ListRootsResult> = response(brought, ROOTS);
        return match answer {
            Some(answer) => Roots::Known(Some(folders(&answer))),
            None if server.host.has_place() => Roots::Known(None),
            None => Roots::Ask(question(ROOTS, InputRequest::ListRoots(ListRootsRequest::default()))),
        };
    }
    let ask = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    match tokio::time::timeout(SHORT, context.peer.send_request(ask)).await {
        Ok(Ok(ClientResult::ListRootsResult(answer))) => Roots::Known(Some(folders(&answer))),
        _ => Roots::Known(None),
    }
}

/// Whether the client brings its user's agreement to this very call.
pub(super) fn said_yes(request: &CallToolRequestParams) -> bool {
    response::<ElicitResult>(request.input_responses.as_ref(), WORD).is_some_and(|it| is_yes(&it))
}

/// Whether a person agrees.
pub(super) enum Word {
    /// Yes.
    Given,
    /// The person is asked first.
    Ask(InputRequiredResult),
    /// No, or nobody can be asked, or there is nothing to ask.
    None,
}

/// Asks the person, where the answer wants it and the client can.
pub(super) async fn word(answer: &Answer, request: &CallToolRequestParams, context: &Request) -> Word {
    let can_ask = context.client_capabilities().is_some_and(|it| it.elicitation.is_some());
    let (Some(ask), true) = (&answer.ask, can_ask) else { return Word::None };
    let ask = ElicitRequest::new(form(ask));
    if is_modern(context) {
        // Somebody who was asked and did not agree is not asked again.
        let is_asked = response::<ElicitResult>(request.input_responses.as_ref(), WORD).is_some();
        return if is_asked { Word::None } else { Word::Ask(question(WORD, InputRequest::Elicitation(ask))) };
    }
    let asked = context.peer.send_request(ServerRequest::ElicitRequest(ask));
    match tokio::time::timeout(LONG, asked).await {
        Ok(Ok(ClientResult::ElicitResult(it))) if is_yes(&it) => Word::Given,
        _ => Word::None,
    }
}

fn form(question: &str) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder().required_bool(AGREED).build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: schema,
    }
}

fn is_yes(it: &ElicitResult) -> bool {
    let agreed = it.content.as_ref().and_then(|it| it.get(AGREED)).and_then(serde_json::Value::as_bool);
    it.action == ElicitationAction::Accept && agreed == Some(true)
}

fn question(key: &str, request: InputRequest) -> InputRequiredResult {
    InputRequiredResult::from_input_requests([(key.to_owned(), request)].into())
}

fn response<T: DeserializeOwned>(brought: Option<&InputResponses>, key: &str) -> Option<T> {
    serde_json::from_value(brought?.get(key)?.clone()).ok()
}

fn folders(answer: &ListRootsResult) -> Vec<PathBuf> {
    answer.roots.iter().filter_map(|it| folder(&it.uri)).collect()
}

/// The folder that a `file://` address names; other addresses name none.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = decoded(path)?;
    // `file:///C:/code` is written with a slash before the drive.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    let path = if is_drive { path.trim_start_matches('/') } else { &path };
    (!path.is_empty()).then(|| PathBuf::from(path))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|it| !it.contains('\0'))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders() {
        let check =
            |uri: &str, expected: Option<&str>| assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}");
        check("file:///home/ana/app", Some("/home/ana/app"));
        check("file://localhost/home/ana/app", Some("/home/ana/app"));
        check("file:///home/ana/my%20app", Some("/home/ana/my app"));
        check("file:///home/%C3%A4", Some("/home/ä"));
        check("file:///C:/code/app", Some("C:/code/app"));
        check("https://example.com/app", None);
        check("file:///a%00b", None);
        check("file:///a%zz", None);
        check("file:///a%2", None);
        check("file://", None);
    }
}
