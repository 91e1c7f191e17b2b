//! What only the client knows: the folders it works in, and what its user says. Older revisions are asked while a call
//! is open; the current one answers a question by making the call once more.

#![expect(
    deprecated,
    reason = "roots are on their way out, and half of the clients still have nothing else"
)]

use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ListRootsRequest, ListRootsResult, ServerRequest,
};
use serde::de::DeserializeOwned;

use super::{Request, Server, is_modern};
use apostille_api::host::Need;
use apostille_api::uri;
use apostille_tools::Answer;

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

/// Asks the client where it works, if it can be asked and does not say so unasked.
pub(super) async fn roots(
    server: &Server,
    brought: Option<&InputResponses>,
    context: &Request,
    need: Need,
) -> Roots {
    if let Some(folders) = workspaces(context) {
        return Roots::Known(Some(folders));
    }
    if context
        .client_capabilities()
        .is_none_or(|it| it.roots.is_none())
    {
        return Roots::Known(None);
    }
    if is_modern(context) {
        let answer: Option<ListRootsResult> = response(brought, ROOTS);
        return match answer {
            Some(answer) => Roots::Known(Some(folders(&answer))),
            None if is_worth_asking(server, context, need) => Roots::Ask(asked([where_it_works()])),
            None => Roots::Known(None),
        };
    }
    let ask = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    match tokio::time::timeout(SHORT, context.peer.send_request(ask)).await {
        Ok(Ok(ClientResult::ListRootsResult(answer))) => Roots::Known(Some(folders(&answer))),
        _ => Roots::Known(None),
    }
}

/// Under the current revision every question costs a second call, which some clients show, and roots are on their way
/// out: there they are asked for only where the server cannot tell by itself.
fn is_worth_asking(server: &Server, context: &Request, need: Need) -> bool {
    let declares = context
        .client_capabilities()
        .is_some_and(|it| it.roots.is_some());
    declares && workspaces(context).is_none() && server.host.roots() >= need
}

/// One client says with every call where it works.
fn workspaces(context: &Request) -> Option<Vec<PathBuf>> {
    let meta = serde_json::to_value(&context.meta).ok()?;
    let folders = meta
        .get("x-codex-turn-metadata")?
        .get("workspaces")?
        .as_object()?;
    let folders: Vec<PathBuf> = folders
        .keys()
        .map(PathBuf::from)
        .filter(|it| it.is_absolute())
        .collect();
    (!folders.is_empty()).then_some(folders)
}

/// Whether the client brings its user's agreement to this very call: the question was ours, and about the same.
pub(super) fn said_yes(server: &Server, call: &CallToolRequestParams, context: &Request) -> bool {
    let is_ours = call.request_state.as_deref() == Some(sealed(server, call).as_str());
    is_modern(context)
        && has_forms(context)
        && is_ours
        && response::<ElicitResult>(call.input_responses.as_ref(), WORD)
            .is_some_and(|it| is_yes(&it))
}

/// The call that a question is about, sealed.
fn sealed(server: &Server, call: &CallToolRequestParams) -> String {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    server
        .host
        .seal(&format!("{WORD}\n{}\n{arguments}", call.name))
}

/// Whether a person agrees.
pub(super) enum Word {
    /// Yes.
    Given,
    /// The person is asked first.
    Ask(InputRequiredResult),
    /// The person was asked and did not agree.
    Declined,
    /// Nobody can be asked, or there is nothing to ask.
    None,
}

/// Asks the person, where the answer wants it and the client can.
pub(super) async fn word(
    server: &Server,
    answer: &Answer,
    request: &CallToolRequestParams,
    context: &Request,
) -> Word {
    let (Some(ask), true) = (&answer.ask, has_forms(context)) else {
        return Word::None;
    };
    let ask = ElicitRequest::new(form(ask));
    if is_modern(context) {
        // Somebody who was asked and did not agree is not asked again.
        if response::<ElicitResult>(request.input_responses.as_ref(), WORD).is_some() {
            return Word::Declined;
        }
        // A client brings the answers to the last questions only, so everything that is needed is asked at once.
        let place = is_worth_asking(server, context, Need::Some).then(where_it_works);
        let word = (WORD.to_owned(), InputRequest::Elicitation(ask));
        let questions = [word].into_iter().chain(place).collect();
        return Word::Ask(InputRequiredResult::new(
            Some(questions),
            Some(sealed(server, request)),
        ));
    }
    let asked = context.peer.send_request(ServerRequest::ElicitRequest(ask));
    match tokio::time::timeout(LONG, asked).await {
        Ok(Ok(ClientResult::ElicitResult(it))) if is_yes(&it) => Word::Given,
        Ok(Ok(ClientResult::ElicitResult(_))) => Word::Declined,
        _ => Word::None,
    }
}

/// Whether the client can put a question to its user; one that says nothing more can.
fn has_forms(context: &Request) -> bool {
    let declared = context.client_capabilities().and_then(|it| it.elicitation);
    declared.is_some_and(|it| it.form.is_some() || it.url.is_none())
}

fn form(question: &str) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder()
        .required_bool(AGREED)
        .build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: schema,
    }
}

fn is_yes(it: &ElicitResult) -> bool {
    let agreed = it
        .content
        .as_ref()
        .and_then(|it| it.get(AGREED))
        .and_then(serde_json::Value::as_bool);
    it.action == ElicitationAction::Accept && agreed == Some(true)
}

fn where_it_works() -> (String, InputRequest) {
    (
        ROOTS.to_owned(),
        InputRequest::ListRoots(ListRootsRequest::default()),
    )
}

fn asked(questions: impl IntoIterator<Item = (String, InputRequest)>) -> InputRequiredResult {
    InputRequiredResult::from_input_requests(questions.into_iter().collect())
}

fn response<T: DeserializeOwned>(brought: Option<&InputResponses>, key: &str) -> Option<T> {
    serde_json::from_value(brought?.get(key)?.clone()).ok()
}

fn folders(answer: &ListRootsResult) -> Vec<PathBuf> {
    answer
        .roots
        .iter()
        .filter_map(|it| folder(&it.uri))
        .collect()
}

/// The folder that a `file://` address names; other addresses name none.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = uri::decoded(path)?;
    // `file:///C:/code` is written with a slash before the drive.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    let path = if is_drive {
        path.trim_start_matches('/')
    } else {
        &path
    };
    (!path.is_empty()).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}")
        };
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
