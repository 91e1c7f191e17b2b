//! A call from its arrival to its answer: place, work on a thread of its own, a person's word where it needs one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ProgressNotificationParam, RequestMetaObject,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::watch;

use super::asking::{self, Roots, Word};
use super::{Server, results};
use crate::host::{Call, Unplaced};
use crate::tool::Effect;
use crate::{Answer, Fault, Here};

/// After this time nothing more is looked up; what is left is `unknown`.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many citations are looked up between two words about how far it is.
const STRIDE: u64 = 25;
/// How long what a client says of itself may be, in characters.
const MAX_NAME: usize = 100;
/// Under which names clients tell their session.
const SESSIONS: [&str; 4] = ["claudecode/sessionId", "sessionId", "threadId", "vscode.conversationId"];

/// A call that is ready to be worked on.
#[derive(Clone)]
struct Order {
    tool: String,
    arguments: Value,
    roots: Option<Vec<PathBuf>>,
    session: Option<String>,
    client: Option<String>,
    has_word: bool,
}

impl Server {
    /// The answer to a call.
    pub(super) async fn answered(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.offer.profile.tool(&request.name) else {
            return Err(ErrorData::invalid_params(self.unknown(&request.name), None));
        };
        let roots = match asking::roots(self, &request, context).await {
            Roots::Known(roots) => roots,
            Roots::Ask(question) => return Ok(question.into()),
        };
        let order = Order {
            tool: tool.name.to_owned(),
            arguments: request.arguments.clone().map_or(Value::Null, Value::Object),
            roots,
            session: session(&context.meta),
            client: context.client_info().map(|it| bounded(&it.name)),
            has_word: asking::said_yes(&request),
        };
        let answer = match self.worked(order.clone(), context).await? {
            Ok(answer) => answer,
            Err(result) => return Ok(result.into()),
        };
        let answer = match asking::word(&answer, &request, context).await {
            Word::Given => match self.worked(Order { has_word: true, ..order }, context).await? {
                Ok(answer) => answer,
                Err(result) => return Ok(result.into()),
            },
            Word::Ask(question) => return Ok(question.into()),
            Word::None => answer,
        };
        if tool.effect != Effect::Reads && !answer.is_refusal {
            self.changes.happened();
        }
        Ok(results::result(answer).into())
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.offer.profile.tools().iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
        format!("there is no tool '{}'; there are: {known}", bounded(name))
    }

    /// Does the work on a thread of its own, and tells how far it is.
    async fn worked(
        &self,
        order: Order,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<Answer, CallToolResult>, ErrorData> {
        let (told, mut steps) = watch::channel(0);
        let clock = Clock { is_over: Arc::default() };
        let (server, late) = (self.clone(), clock.late(told));
        let mut work = tokio::task::spawn_blocking(move || server.work(&order, &late));
        let patience = tokio::time::sleep(PATIENCE);
        tokio::pin!(patience);
        let mut is_over = false;
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                () = &mut patience, if !is_over => is_over = true,
                () = context.ct.cancelled(), if !is_over => is_over = true,
                Ok(()) = steps.changed() => {
                    let step = *steps.borrow_and_update();
                    progress(context, step).await;
                }
            }
            if is_over {
                clock.end();
            }
        };
        match done.map_err(|_| ErrorData::internal_error("the call broke off", None))? {
            Ok(Ok(answer)) => Ok(Ok(answer)),
            Ok(Err(fault)) => results::fault(&fault).map(Err),
            Err(unplaced) => Ok(Err(results::unplaced(&unplaced))),
        }
    }

    fn work(&self, order: &Order, late: &dyn Fn() -> bool) -> Result<Result<Answer, Fault>, Unplaced> {
        let call = Call {
            roots: order.roots.as_deref(),
            repo: order.arguments["repo"].as_str().filter(|it| !it.is_empty()),
            session: order.session.as_deref(),
            client: order.client.as_deref(),
            has_word: order.has_word,
            late,
        };
        let mut answer = None;
        let mut work = |cx: &apostille_core::Context<'_>, here: &Here<'_>| {
            answer = Some(self.offer.profile.call(cx, here, &order.tool, order.arguments.clone()));
        };
        self.host.serve(&call, &mut work)?;
        answer.ok_or_else(|| Unplaced::Broken("the call was not worked on".into()))
    }
}

/// Tells the work when to stop, and others how far it is. When nobody waits any more, it is over.
struct Clock {
    is_over: Arc<AtomicBool>,
}

impl Clock {
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Asked once for each citation that is looked up.
    fn late(&self, told: watch::Sender<u64>) -> impl Fn() -> bool + Send + 'static {
        let is_over = Arc::clone(&self.is_over);
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
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.end();
    }
}

async fn progress(context: &RequestContext<RoleServer>, step: u64) {
    let Some(token) = context.meta.get_progress_token() else { return };
    #[expect(clippy::cast_precision_loss, reason = "a number of citations")]
    let told = ProgressNotificationParam::new(token, step as f64);
    // A client that does not listen loses nothing but this.
    let _ = context.peer.notify_progress(told.with_message(format!("{step} citations looked up"))).await;
}

fn session(meta: &RequestMetaObject) -> Option<String> {
    let meta = serde_json::to_value(meta).ok()?;
    SESSIONS.iter().find_map(|key| Some(bounded(meta.get(key)?.as_str()?)))
}

/// What a client says of itself: untrusted, so without anything that could be more than a name.
fn bounded(text: &str) -> String {
    text.chars().filter(char::is_ascii_graphic).take(MAX_NAME).collect()
}
