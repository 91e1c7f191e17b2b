//! A call from its arrival to its answer: place, work on a thread of its own, a person's word where it needs one.

use std::sync::Arc;
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use apostille_core::Context;
use apostille_text::{moderate::check_name, secrets};
use axum::http::request::Parts;
use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, ProgressNotificationParam,
        ReadResourceRequestParams, ReadResourceResponse, RequestMetaObject,
    },
};
use serde_json::Value;
use tokio::sync::watch;

use super::{
    McpRequest, McpServer, ToolNameStyle,
    client_questions::{self, UserConsent},
    concurrency::CancelOnDrop,
    results,
};
use apostille_api::{
    CallFault, Caller,
    access_token::{Access, AccessToken},
    host::{CallOrigin, PlaceError, RootsNeed},
};
use apostille_tools::{
    Tool, ToolAnswer, ToolEffect, answer_wrong_arguments, resources,
    resources::{MemoryResource, ResourcePage},
};

/// After this time nothing more is looked up; what is left is `unknown`.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many citations are looked up between two words about how far it is.
const STRIDE: u64 = 25;
/// How long what a client says of itself may be, in characters.
const MAX_NAME: usize = 100;
/// Under which names clients tell their session.
const SESSIONS: [&str; 3] = ["sessionId", "threadId", "vscode.conversationId"];

/// What is done in the place.
pub(super) type McpJob<T> = dyn Fn(&Context<'_>, &Caller<'_>) -> Result<T, CallFault> + Send + Sync;

impl McpServer {
    /// The answer to a call of a tool.
    pub(super) async fn answer_tool_call(
        &self,
        call: &CallToolRequestParams,
        context: &McpRequest,
    ) -> Result<CallToolResponse, ErrorData> {
        let profile = self.offer.profile;
        let Some(tool) = profile.find_tool(&call.name) else {
            let fault =
                CallFault::no_such_tool(&sanitize_client_text(&call.name), profile.tool_names());
            return Err(results::to_mcp_error(&fault));
        };
        if !is_tool_allowed(tool, context) {
            return Ok(results::build_read_only_refusal(tool).into());
        }
        let roots = match client_questions::ask_client_roots(
            self,
            call.input_responses.as_ref(),
            context,
            RootsNeed::Some,
        )
        .await
        {
            Ok(roots) => roots,
            Err(question) => return Ok(question.into()),
        };
        let arguments = call.arguments.clone().map_or(Value::Null, Value::Object);
        let repo = arguments["repo"]
            .as_str()
            .filter(|it| !it.is_empty())
            .map(Into::into);
        let origin = CallOrigin {
            roots,
            repo,
            ..read_call_origin(context)?
        };
        let job: Arc<McpJob<ToolAnswer>> = Arc::new(move |cx, caller| {
            let called = profile.call_tool(cx, caller, tool.name, arguments.clone());
            called.or_else(|fault| match fault {
                CallFault::Malformed(error) => Ok(answer_wrong_arguments(tool, &arguments, &error)),
                fault => Err(fault),
            })
        });
        let mut done = self
            .run_job(origin.clone(), Arc::clone(&job), context)
            .await?;
        // Nobody is asked through a socket: whoever holds the token could answer.
        if let Ok(Ok(answer)) = &done
            && find_request_token(context).is_none()
        {
            match client_questions::ask_user_consent(self, answer, call, context).await {
                UserConsent::Given(consent) => {
                    let origin = CallOrigin {
                        consent: Some(consent),
                        ..origin
                    };
                    done = self.run_job(origin, job, context).await?;
                }
                UserConsent::Ask(question) => return Ok(question.into()),
                UserConsent::Declined => return Ok(results::build_declined_refusal().into()),
                UserConsent::None => {}
            }
        }
        if tool.effect != ToolEffect::Reads && matches!(&done, Ok(Ok(answer)) if !answer.is_refusal)
        {
            self.changes.notify_change();
        }
        Ok(match done {
            Ok(Ok(answer)) if self.offer.spelling == ToolNameStyle::Dots => {
                results::to_mcp_tool_result(results::spell_next_calls(answer, self.offer))
            }
            Ok(Ok(answer)) => results::to_mcp_tool_result(answer),
            Ok(Err(fault)) => results::to_mcp_fault_result(&fault)?,
            Err(unplaced) => results::build_place_refusal(&unplaced),
        }
        .into())
    }

    /// A resource.
    pub(super) async fn answer_resource_read(
        &self,
        which: &ReadResourceRequestParams,
        context: &McpRequest,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let roots = match client_questions::ask_client_roots(
            self,
            which.input_responses.as_ref(),
            context,
            RootsNeed::All,
        )
        .await
        {
            Ok(roots) => roots,
            Err(question) => return Ok(question.into()),
        };
        let uri = which.uri.clone();
        let job: Arc<McpJob<Option<ResourcePage>>> =
            Arc::new(move |cx, caller| resources::read_resource_page(cx, caller, &uri));
        let origin = CallOrigin {
            roots,
            ..read_call_origin(context)?
        };
        match self.run_job(origin, job, context).await? {
            Ok(Ok(Some(page))) => Ok(results::to_mcp_resource_result(page).into()),
            Ok(Ok(None)) => Err(build_unknown_resource_error(&which.uri)),
            Ok(Err(fault)) => Err(results::to_mcp_error(&fault)),
            Err(unplaced) => Err(ErrorData::invalid_params(unplaced.to_string(), None)),
        }
    }

    /// The memories that can be read one by one; none where nobody knows whose.
    pub(super) async fn answer_memory_listing(
        &self,
        context: &McpRequest,
    ) -> Result<Vec<MemoryResource>, ErrorData> {
        let Ok(roots) =
            client_questions::ask_client_roots(self, None, context, RootsNeed::All).await
        else {
            return Ok(Vec::new());
        };
        let job: Arc<McpJob<Vec<MemoryResource>>> = Arc::new(resources::list_memory_resources);
        let origin = CallOrigin {
            roots,
            ..read_call_origin(context)?
        };
        match self.run_job(origin, job, context).await? {
            Ok(Ok(listed)) => Ok(listed),
            Ok(Err(fault)) => Err(results::to_mcp_error(&fault)),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Does the work on a thread of its own, and tells how far it is.
    pub(super) async fn run_job<T: Send + 'static>(
        &self,
        origin: CallOrigin,
        job: Arc<McpJob<T>>,
        context: &McpRequest,
    ) -> Result<Result<Result<T, CallFault>, PlaceError>, ErrorData> {
        let (told, mut steps) = watch::channel(0);
        let over = CancelOnDrop::default();
        let (host, late) = (
            Arc::clone(&self.host),
            build_late_check(Arc::clone(&over.0), told),
        );
        let place = match &self.turns {
            Some(turns) => {
                let caller = find_request_token(context).map_or("", |it| &it.name);
                let place = turns.places.acquire_permit(caller, turns.patience).await;
                let busy = "too much is asked at once; call again in a moment";
                Some(place.ok_or_else(|| ErrorData::internal_error(busy, None))?)
            }
            None => None,
        };
        let mut work = tokio::task::spawn_blocking(move || {
            let _place = place;
            host.open_scope(&origin)?.run(&late, &*job)
        });
        let patience = tokio::time::sleep(PATIENCE);
        tokio::pin!(patience);
        let (mut is_over, mut known) = (false, 0);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                () = &mut patience, if !is_over => is_over = true,
                () = context.ct.cancelled(), if !is_over => is_over = true,
                Ok(()) = steps.changed() => {
                    known = *steps.borrow_and_update();
                    send_mcp_progress(context, known).await;
                }
            }
            over.0.fetch_or(is_over, Ordering::Relaxed);
        };
        // What was quicker than its messenger is told all the same.
        let last = *steps.borrow();
        if last > known {
            send_mcp_progress(context, last).await;
        }
        done.map_err(|_| ErrorData::internal_error("the call broke off", None))
    }
}

/// What every request tells of its client. A name that is more than a name is refused: it would be stored with what is said.
pub(super) fn read_call_origin(context: &McpRequest) -> Result<CallOrigin, ErrorData> {
    let client = context.client_info();
    let client = client.map(|it| parse_client_name("clientInfo.name", &it.name));
    Ok(CallOrigin {
        session: read_client_session(&context.meta)?,
        client: client.transpose()?.flatten(),
        token: find_request_token(context).cloned(),
        ..CallOrigin::default()
    })
}

/// What whoever sent it may do, where it came through a socket.
fn find_request_token(context: &McpRequest) -> Option<&AccessToken> {
    context.extensions.get::<Parts>()?.extensions.get()
}

/// Whether whoever calls may call this tool.
pub(super) fn is_tool_allowed(tool: &Tool, context: &McpRequest) -> bool {
    tool.effect == ToolEffect::Reads
        || find_request_token(context).is_none_or(|it| it.allows_access(Access::Write))
}

fn build_unknown_resource_error(uri: &str) -> ErrorData {
    let uri = secrets::mask_secrets(uri);
    let mut known: Vec<&str> = resources::list_fixed_resources()
        .iter()
        .map(|it| it.uri)
        .collect();
    known.push(resources::describe_memory_template().uri);
    let what = format!(
        "there is no '{}'; there are: {}",
        sanitize_client_text(&uri),
        known.join(", ")
    );
    ErrorData::resource_not_found(what, Some(serde_json::json!({"uri": uri})))
}

/// Asked once for each citation that is looked up: whether it is time to stop. Tells others how far it is.
fn build_late_check(
    is_over: Arc<AtomicBool>,
    told: watch::Sender<u64>,
) -> impl Fn() -> bool + Send + 'static {
    let steps = AtomicU64::new(0);
    move || {
        let step = steps.fetch_add(1, Ordering::Relaxed) + 1;
        if step.is_multiple_of(STRIDE) {
            // Nobody listens any more when the answer is there.
            let _ = told.send(step);
        }
        is_over.load(Ordering::Relaxed)
    }
}

async fn send_mcp_progress(context: &McpRequest, step: u64) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "a number of citations")]
    let told = ProgressNotificationParam::new(token, step as f64);
    // A client that does not listen loses nothing but this.
    let _ = context
        .peer
        .notify_progress(told.with_message(format!("looking things up, step {step}")))
        .await;
}

fn read_client_session(meta: &RequestMetaObject) -> Result<Option<String>, ErrorData> {
    let meta = serde_json::to_value(meta).unwrap_or_default();
    for key in SESSIONS {
        let text = meta.get(key).and_then(Value::as_str).unwrap_or_default();
        if let Some(name) = parse_client_name(&format!("_meta.{key}"), text)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// What a client says of itself: untrusted, so without anything that could be more than a name.
fn sanitize_client_text(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_graphic)
        .take(MAX_NAME)
        .collect()
}

/// The same for what is written down, if there is any of it.
fn parse_client_name(field: &str, text: &str) -> Result<Option<String>, ErrorData> {
    check_name(text)
        .map_err(|why| ErrorData::invalid_params(format!("{field} is not a name: {why}"), None))?;
    let name = sanitize_client_text(text);
    Ok(Some(name).filter(|it| !it.is_empty()))
}
