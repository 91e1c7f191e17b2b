//! What only the client knows: the folders it works in, and what its user says. Older revisions are asked while a call
//! is open; the current one answers a question by making the call once more.

#![expect(
    deprecated,
    reason = "roots are on their way out, and half of the clients still have nothing else"
)]

use std::{path::PathBuf, time::Duration};

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ListRootsRequest, ListRootsResult, ServerRequest,
};
use serde::de::DeserializeOwned;

use super::{McpRequest, McpServer, is_sessionless_revision};
use apostille_api::{host::RootsNeed, uri};
use apostille_core::speaker::{Consent, Question};
use apostille_tools::ToolAnswer;

/// How long a client may take to say where it works; then it is as if it had not been asked.
const SHORT: Duration = Duration::from_secs(3);
/// How long a person may take.
const LONG: Duration = Duration::from_secs(300);
const ROOTS: &str = "roots";
const WORD: &str = "word";
const AGREED: &str = "agreed";

/// Where the client works, as far as it says; or what it is asked first.
pub(super) type ClientRoots = Result<Option<Vec<PathBuf>>, InputRequiredResult>;

/// Asks the client where it works, if it can be asked and does not say so unasked.
pub(super) async fn ask_client_roots(
    server: &McpServer,
    brought: Option<&InputResponses>,
    context: &McpRequest,
    need: RootsNeed,
) -> ClientRoots {
    if let Some(folders) = read_codex_workspaces(context) {
        return Ok(Some(folders));
    }
    if !declares_roots(context) {
        return Ok(None);
    }
    if is_sessionless_revision(context) {
        let answer: Option<ListRootsResult> = parse_input_response(brought, ROOTS);
        return match answer {
            Some(answer) => Ok(Some(list_root_folders(&answer))),
            None if is_worth_asking_roots(server, context, need) => {
                let questions = [build_roots_question()].into_iter().collect();
                Err(InputRequiredResult::from_input_requests(questions))
            }
            None => Ok(None),
        };
    }
    let ask = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let asked = tokio::time::timeout(SHORT, context.peer.send_request(ask)).await;
    Ok(match asked {
        Ok(Ok(ClientResult::ListRootsResult(answer))) => Some(list_root_folders(&answer)),
        _ => None,
    })
}

/// Under the current revision every question costs a second call, which some clients show, and roots are on their way
/// out: there they are asked for only where the server cannot tell by itself.
fn is_worth_asking_roots(server: &McpServer, context: &McpRequest, need: RootsNeed) -> bool {
    declares_roots(context)
        && read_codex_workspaces(context).is_none()
        && server.host.roots_need() >= need
}

fn declares_roots(context: &McpRequest) -> bool {
    let declared = context.client_capabilities();
    declared.is_some_and(|it| it.roots.is_some())
}

/// One client says with every call where it works.
fn read_codex_workspaces(context: &McpRequest) -> Option<Vec<PathBuf>> {
    let meta = serde_json::to_value(&context.meta).ok()?;
    let folders = meta["x-codex-turn-metadata"]["workspaces"].as_object()?;
    let mut folders: Vec<PathBuf> = folders.keys().map(PathBuf::from).collect();
    folders.retain(|it| it.is_absolute());
    (!folders.is_empty()).then_some(folders)
}

/// What a question decides and the call that it is about, sealed.
fn sign_question(server: &McpServer, call: &CallToolRequestParams, question: &Question) -> String {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    let decision = question.decision_key();
    server
        .host
        .sign_text(&format!("{WORD}\n{decision}\n{}\n{arguments}", call.name))
}

/// Whether a person agrees.
pub(super) enum UserConsent {
    /// Yes, to this.
    Given(Consent),
    /// The person is asked first.
    Ask(InputRequiredResult),
    /// The person was asked and did not agree.
    Declined,
    /// Nobody can be asked, or there is nothing to ask.
    None,
}

/// Asks the person, where the answer wants it and the client can.
pub(super) async fn ask_user_consent(
    server: &McpServer,
    answer: &ToolAnswer,
    request: &CallToolRequestParams,
    context: &McpRequest,
) -> UserConsent {
    let (Some(question), true) = (&answer.ask, can_ask_by_form(context)) else {
        return UserConsent::None;
    };
    let ask = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text().to_owned(),
        requested_schema: ElicitationSchema::builder()
            .required_bool(AGREED)
            .build_unchecked(),
    });
    if is_sessionless_revision(context) {
        let answered: Option<ElicitResult> =
            parse_input_response(request.input_responses.as_ref(), WORD);
        let seal = sign_question(server, request, question);
        if let Some(answered) = answered {
            // The question was ours, and about the same. Somebody who was asked and did not agree is not asked again.
            let is_ours = request.request_state.as_deref() == Some(seal.as_str());
            return match is_ours && is_consent_given(&answered) {
                true => UserConsent::Given(question.clone().into_consent()),
                false => UserConsent::Declined,
            };
        }
        // A client brings the answers to the last questions only, so everything that is needed is asked at once.
        let place =
            is_worth_asking_roots(server, context, RootsNeed::Some).then(build_roots_question);
        let word = (WORD.to_owned(), InputRequest::Elicitation(ask));
        let questions = [word].into_iter().chain(place).collect();
        return UserConsent::Ask(InputRequiredResult::new(Some(questions), Some(seal)));
    }
    let asked = context.peer.send_request(ServerRequest::ElicitRequest(ask));
    match tokio::time::timeout(LONG, asked).await {
        Ok(Ok(ClientResult::ElicitResult(it))) if is_consent_given(&it) => {
            UserConsent::Given(question.clone().into_consent())
        }
        Ok(Ok(ClientResult::ElicitResult(_))) => UserConsent::Declined,
        _ => UserConsent::None,
    }
}

/// Whether the client can put a question to its user; one that says nothing more can.
fn can_ask_by_form(context: &McpRequest) -> bool {
    let declared = context.client_capabilities().and_then(|it| it.elicitation);
    declared.is_some_and(|it| it.form.is_some() || it.url.is_none())
}

fn is_consent_given(it: &ElicitResult) -> bool {
    let agreed = it.content.as_ref().and_then(|it| it.get(AGREED)?.as_bool());
    it.action == ElicitationAction::Accept && agreed == Some(true)
}

fn build_roots_question() -> (String, InputRequest) {
    (
        ROOTS.to_owned(),
        InputRequest::ListRoots(ListRootsRequest::default()),
    )
}

fn parse_input_response<T: DeserializeOwned>(
    brought: Option<&InputResponses>,
    key: &str,
) -> Option<T> {
    serde_json::from_value(brought?.get(key)?.clone()).ok()
}

fn list_root_folders(answer: &ListRootsResult) -> Vec<PathBuf> {
    let roots = answer.roots.iter();
    roots.filter_map(|it| parse_file_uri(&it.uri)).collect()
}

/// The folder that a `file://` address names; other addresses name none.
fn parse_file_uri(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = uri::decode_percent_encoding(path)?;
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
            assert_eq!(parse_file_uri(uri), expected.map(PathBuf::from), "{uri}")
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
