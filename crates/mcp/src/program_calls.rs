//! The calls of the API over standard input, for a program that starts a server of its own.
//!
//! The tools are made for models: few words, and text to act on. A program wants the whole record, and the same shape whether
//! it starts a server or reaches one over HTTP. So one request beside the protocol's own takes a call of the API by its name
//! and answers what HTTP would, status and body. It is not for sockets: they have the API itself, with its tokens.

use std::{collections::BTreeMap, sync::Arc};

use apostille_text::secrets::mask_secrets;
use axum::http::request::Parts;
use rmcp::{
    ErrorData,
    model::{CustomRequest, CustomResult, ErrorCode},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    McpRequest, McpServer,
    calls::{McpJob, read_call_origin},
};
use apostille_api::{
    CallFault,
    access_token::AccessToken,
    calls::{find_api_call, list_api_calls},
    host::CallOrigin,
    json::{ErrorReply, RefusedReply},
    request_scope::{HttpReply, RequestInput, RequestScope, Route},
    wire::shorten_echo,
};

/// What the request is called.
const METHOD: &str = "apostille/call";
/// What is answered in a turn in which the user asked to ignore memory.
const IGNORED: &str =
    "the user asked to leave memory out of this turn; nothing was read or written";

/// What a program asks for.
#[derive(Deserialize)]
struct ProgramCall {
    /// The call, by the name that the OpenAPI document gives it.
    call: String,
    /// What varies in its path.
    #[serde(default)]
    parts: BTreeMap<String, String>,
    /// What stands behind the question mark; a name may come several times.
    #[serde(default)]
    query: Vec<(String, String)>,
    /// What is sent along: an object, or a file as a text.
    #[serde(default)]
    body: Value,
}

impl ProgramCall {
    fn read(asked: &CustomRequest) -> Result<Self, ErrorData> {
        let params = asked.params.clone().unwrap_or_default();
        serde_json::from_value(params).map_err(|error| {
            let why = format!("{METHOD} takes call, parts, query and body: {error}");
            ErrorData::invalid_params(mask_secrets(&why).into_owned(), None)
        })
    }

    fn find_route(&self) -> Result<&'static Route, ErrorData> {
        let call = find_api_call(&self.call).ok_or_else(|| {
            let name = shorten_echo(&self.call);
            let known: Vec<&str> = list_api_calls().map(|it| it.id).collect();
            let why = format!("there is no call '{name}'; there are: {}", known.join(", "));
            ErrorData::invalid_params(why, None)
        })?;
        Ok(&call.route)
    }

    fn into_input(self) -> RequestInput {
        RequestInput {
            parts: self.parts.into_iter().collect(),
            query: self.query,
            body: match self.body {
                Value::Null => Vec::new(),
                Value::String(file) => file.into_bytes(),
                object => object.to_string().into_bytes(),
            },
        }
    }
}

impl McpServer {
    /// The answer to a request that the protocol does not know.
    pub(super) async fn answer_program_call(
        &self,
        asked: &CustomRequest,
        context: &McpRequest,
    ) -> Result<CustomResult, ErrorData> {
        if asked.method != METHOD || context.extensions.get::<Parts>().is_some() {
            let method = shorten_echo(&asked.method);
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        let call = ProgramCall::read(asked)?;
        let route = call.find_route()?;
        let repo = call.query.iter().find(|it| it.0 == "repo");
        let origin = CallOrigin {
            repo: repo.map(|it| it.1.clone()).filter(|it| !it.is_empty()),
            ..read_call_origin(context)?
        };
        let token = AccessToken::for_standard_input(origin.client.as_deref());
        let input = call.into_input();
        let job: Arc<McpJob<HttpReply>> = Arc::new(move |cx, caller| {
            if caller.is_ignored {
                return build_ignored_reply();
            }
            if !token.allows_access(route.need) {
                return Err(CallFault::NotAPerson);
            }
            let scope = RequestScope::on_standard_input(cx, caller, &token);
            (route.run)(&scope, &input)
        });
        let reply = match self.run_job(origin, job, context).await? {
            Ok(Ok(reply)) => reply,
            Ok(Err(fault)) => build_error_reply(fault.status(), &fault)?,
            Err(unplaced) => build_error_reply(unplaced.status(), &unplaced)?,
        };
        if reply.is_change {
            self.changes.notify_change();
        }
        Ok(CustomResult::new(to_program_result(reply)))
    }
}

fn build_ignored_reply() -> Result<HttpReply, CallFault> {
    HttpReply::new_json(422, &RefusedReply::new("ignored", IGNORED.into()))
}

fn build_error_reply(status: u16, error: &impl ToString) -> Result<HttpReply, ErrorData> {
    let why = mask_secrets(&error.to_string()).into_owned();
    HttpReply::new_json(status, &ErrorReply::new(why))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Status and body, where JSON is JSON and everything else a text.
fn to_program_result(reply: HttpReply) -> Value {
    let body = match reply.kind {
        "application/json" => serde_json::from_str(&reply.body).ok(),
        _ => None,
    };
    let body = body.unwrap_or(Value::String(reply.body));
    json!({"resultType": "complete", "status": reply.status, "kind": reply.kind, "body": body})
}
