//! A call from its arrival to its answer: place, work on a thread of its own, a person's word where it needs one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use apostille_core::Context;
use apostille_text::secrets;
use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, RequestMetaObject,
};
use serde_json::Value;
use tokio::sync::watch;

use super::asking::{self, Roots, Word};
use super::{Request, Server, results};
use apostille_api::host::{CallOrigin, Need, Unplaced};
use apostille_api::pass::{Access, Pass};
use apostille_api::{Fault, Here};
use apostille_tools::resources;
use apostille_tools::resources::{Listed, Page};
use apostille_tools::{Answer, Effect, Tool};

/// After this time nothing more is looked up; what is left is `unknown`.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many citations are looked up between two words about how far it is.
const STRIDE: u64 = 25;
/// How long what a client says of itself may be, in characters.
const MAX_NAME: usize = 100;
/// Under which names clients tell their session.
const SESSIONS: [&str; 3] = ["sessionId", "threadId", "vscode.conversationId"];

/// What is done in the place.
type Job<T> = dyn Fn(&Context<'_>, &Here<'_>) -> Result<T, Fault> + Send + Sync;

impl Server {
    /// The answer to a call of a tool.
    pub(super) async fn called(
        &self,
        call: &CallToolRequestParams,
        context: &Request,
    ) -> Result<CallToolResponse, ErrorData> {
        let profile = self.offer.profile;
        let Some(tool) = profile.tool(&call.name) else {
            let fault = Fault::no_such_tool(&bounded(&call.name), profile.tool_names());
            return Err(results::error(&fault));
        };
        if !is_allowed(tool, context) {
            return Ok(results::read_only(tool).into());
        }
        let roots =
            match asking::roots(self, call.input_responses.as_ref(), context, Need::Some).await {
                Roots::Known(roots) => roots,
                Roots::Ask(question) => return Ok(question.into()),
            };
        let arguments = call.arguments.clone().map_or(Value::Null, Value::Object);
        let repo = arguments["repo"]
            .as_str()
            .filter(|it| !it.is_empty())
            .map(Into::into);
        let has_word = asking::said_yes(self, call, context);
        let origin = CallOrigin {
            roots,
            repo,
            has_word,
            ..origin(context)
        };
        let job: Arc<Job<Answer>> =
            Arc::new(move |cx, here| profile.call(cx, here, tool.name, arguments.clone()));
        let mut done = self
            .worked(origin.clone(), Arc::clone(&job), context)
            .await?;
        if let Ok(Ok(answer)) = &done {
            match asking::word(self, answer, call, context).await {
                Word::Given => {
                    let origin = CallOrigin {
                        has_word: true,
                        ..origin
                    };
                    done = self.worked(origin, job, context).await?;
                }
                Word::Ask(question) => return Ok(question.into()),
                Word::Declined => return Ok(results::declined().into()),
                Word::None => {}
            }
        }
        if tool.effect != Effect::Reads && matches!(&done, Ok(Ok(answer)) if !answer.is_refusal) {
            self.changes.happened();
        }
        Ok(match done {
            Ok(Ok(answer)) => results::result(answer),
            Ok(Err(fault)) => results::fault(&fault)?,
            Err(unplaced) => results::unplaced(&unplaced),
        }
        .into())
    }

    /// A resource.
    pub(super) async fn read(
        &self,
        which: &ReadResourceRequestParams,
        context: &Request,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let roots =
            match asking::roots(self, which.input_responses.as_ref(), context, Need::All).await {
                Roots::Known(roots) => roots,
                Roots::Ask(question) => return Ok(question.into()),
            };
        let uri = which.uri.clone();
        let job: Arc<Job<Option<Page>>> = Arc::new(move |cx, here| resources::read(cx, here, &uri));
        let origin = CallOrigin {
            roots,
            ..origin(context)
        };
        match self.worked(origin, job, context).await? {
            Ok(Ok(Some(page))) => Ok(results::page(page).into()),
            Ok(Ok(None)) => Err(no_such_resource(&which.uri)),
            Ok(Err(fault)) => Err(results::error(&fault)),
            Err(unplaced) => Err(ErrorData::invalid_params(unplaced.to_string(), None)),
        }
    }

    /// The memories that can be read one by one; none where nobody knows whose.
    pub(super) async fn listed(&self, context: &Request) -> Result<Vec<Listed>, ErrorData> {
        let Roots::Known(roots) = asking::roots(self, None, context, Need::All).await else {
            return Ok(Vec::new());
        };
        let job: Arc<Job<Vec<Listed>>> = Arc::new(resources::listed);
        let origin = CallOrigin {
            roots,
            ..origin(context)
        };
        match self.worked(origin, job, context).await? {
            Ok(Ok(listed)) => Ok(listed),
            Ok(Err(fault)) => Err(results::error(&fault)),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Does the work on a thread of its own, and tells how far it is.
    async fn worked<T: Send + 'static>(
        &self,
        origin: CallOrigin,
        job: Arc<Job<T>>,
        context: &Request,
    ) -> Result<Result<Result<T, Fault>, Unplaced>, ErrorData> {
        let (told, mut steps) = watch::channel(0);
        let clock = Clock {
            is_over: Arc::default(),
        };
        let (host, late) = (Arc::clone(&self.host), clock.late(told));
        let place = match &self.turns {
            Some(turns) => {
                let caller = pass(context).map_or("", |it| &it.name);
                let place = turns.places.acquire(caller, turns.patience).await;
                Some(place.ok_or_else(busy)?)
            }
            None => None,
        };
        let mut work = tokio::task::spawn_blocking(move || {
            let _place = place;
            let scope = host.open(&origin)?;
            scope.run(&late, |cx, here| job(cx, here))
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
                    progress(context, known).await;
                }
            }
            if is_over {
                clock.end();
            }
        };
        // What was quicker than its messenger is told all the same.
        let last = *steps.borrow();
        if last > known {
            progress(context, last).await;
        }
        done.map_err(|_| ErrorData::internal_error("the call broke off", None))
    }
}

fn busy() -> ErrorData {
    ErrorData::internal_error("too much is asked at once; call again in a moment", None)
}

/// What every request tells of its client.
fn origin(context: &Request) -> CallOrigin {
    let client = context.client_info().and_then(|it| name(&it.name));
    CallOrigin {
        session: session(&context.meta),
        client,
        pass: pass(context).cloned(),
        ..CallOrigin::default()
    }
}

/// What whoever sent it may do, where it came through a socket.
fn pass(context: &Request) -> Option<&Pass> {
    context.extensions.get::<Parts>()?.extensions.get()
}

/// Whether whoever calls may call this tool.
pub(super) fn is_allowed(tool: &Tool, context: &Request) -> bool {
    tool.effect == Effect::Reads || pass(context).is_none_or(|it| it.allows(Access::Write))
}

fn no_such_resource(uri: &str) -> ErrorData {
    let uri = secrets::masked(uri);
    let known = resources::all()
        .iter()
        .map(|it| it.uri)
        .collect::<Vec<_>>()
        .join(", ");
    let what = format!(
        "there is no '{}'; there are: {known}, {}",
        bounded(&uri),
        resources::template().uri
    );
    ErrorData::resource_not_found(what, Some(serde_json::json!({"uri": uri})))
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

async fn progress(context: &Request, step: u64) {
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

fn session(meta: &RequestMetaObject) -> Option<String> {
    let meta = serde_json::to_value(meta).ok()?;
    SESSIONS
        .iter()
        .find_map(|key| name(meta.get(key)?.as_str()?))
}

/// What a client says of itself: untrusted, so without anything that could be more than a name.
fn bounded(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_graphic)
        .take(MAX_NAME)
        .collect()
}

/// The same for what is written down: nothing of it where it appears to hold a secret.
fn name(text: &str) -> Option<String> {
    let name = bounded(text);
    Some(name).filter(|it| !it.is_empty() && secrets::find(it).is_none())
}
