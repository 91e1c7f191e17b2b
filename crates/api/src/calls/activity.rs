//! What is kept beside the store: sessions, and the tasks of the checkout.

use apostille_agents::session::AgentSession;
use apostille_core::list;
use apostille_core::memory::Stage;
use apostille_core::refusal::Refusal;
use apostille_core::store::{ListOrder, MemoryFilter, StoreError};
use apostille_core::verify::follow_memory_citations;
use apostille_tasks::task::{Task, TaskSlug};
use schemars::JsonSchema;
use serde::Deserialize;

use super::api_call_scope::{
    ApiCallScope, ApiResult, answer_query, build_api_reply, build_done_reply, build_refusal_reply,
};
use super::args::{NoArguments, PageLimit};
use super::call::ApiCall;
use crate::CallFault;
use crate::access_token::Access;
use crate::host::{ActivityStore, PlaceError};
use crate::json::{
    ErrorReply, SessionReply, SessionsReply, TaskReply, TaskView, TasksReply,
    find_left_open_episodes,
};
use crate::request_scope::HttpMethod::Get;
use crate::request_scope::RequestScope;
use crate::wire::shorten_echo;

/// How many moments of a session are told, the last of them.
const MAX_MOMENTS: usize = 500;
/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;

/// What is kept beside the store cannot be read: the world is broken.
fn wrap_activity_error(error: PlaceError) -> CallFault {
    let source = Box::new(error);
    CallFault::Broken(StoreError::Unavailable {
        what: "what is kept beside the store cannot be read".into(),
        source,
    })
}

/// What agents were shown.
pub(super) const SESSIONS: ApiCall =
    ApiCall::new(Get, "/api/sessions", Access::Read, |visit, asked| {
        answer_query(visit, asked, handle_list_sessions_call)
    })
    .with_description(
        "sessions",
        "sessions",
        "Sessions of agents in spaces that the pass reaches, the latest first",
    )
    .with_query::<PageQuery>()
    .with_answer::<SessionsReply>();

/// How many are listed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageQuery {
    /// At most so many; 50 unless said.
    pub(super) limit: Option<PageLimit<200>>,
}

fn handle_list_sessions_call(it: &ApiCallScope<'_>, query: PageQuery) -> ApiResult {
    let limit = PageLimit::limit_or(query.limit, 50);
    let all = it
        .visit
        .here
        .beside
        .map(|beside| beside.list_sessions(limit))
        .transpose()
        .map_err(wrap_activity_error)?;
    let reached: Vec<AgentSession> = all
        .into_iter()
        .flatten()
        .map(|session| keep_reachable_moments(it.visit, session))
        .collect();
    build_done_reply(&SessionsReply::new(&reached))
}

/// The moments of a session in spaces that the pass reaches.
fn keep_reachable_moments(visit: &RequestScope<'_>, mut session: AgentSession) -> AgentSession {
    session
        .entries
        .retain(|it| visit.pass.reaches_space(&it.space));
    session
}

/// What one session was shown.
pub(super) const SESSION: ApiCall =
    ApiCall::new(Get, "/api/sessions/{name}", Access::Read, |visit, asked| {
        answer_query(visit, asked, handle_show_session_call)
    })
    .with_description(
        "showSession",
        "sessions",
        "What a session was shown, with scores and why, and how that stands now",
    )
    .with_query::<SessionQuery>()
    .with_answer::<SessionReply>();

/// How much of a session is told.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct SessionQuery {
    /// Every turn, and not only the last.
    all: bool,
}

fn handle_show_session_call(it: &ApiCallScope<'_>, query: SessionQuery) -> ApiResult {
    let found = it
        .visit
        .here
        .beside
        .map(|beside| beside.find_session(it.asked.path_part("name")))
        .transpose()
        .map_err(wrap_activity_error)?;
    let found = found
        .flatten()
        .map(|session| keep_reachable_moments(it.visit, session))
        .filter(|it| !it.entries.is_empty());
    let Some(session) = found else {
        let name = shorten_echo(it.asked.path_part("name"));
        let why = format!("there is no session '{name}' here; /api/sessions has those there are");
        return build_api_reply(404, &ErrorReply::new(why));
    };
    let spaces: Vec<_> = it
        .context()
        .store
        .list_spaces()?
        .into_iter()
        .filter(|space| it.visit.pass.reaches_space(space))
        .collect();
    let mut told = SessionReply::from_session(&it.context(), &spaces, &session, query.all)?;
    let n_left_out = told.moments.len().saturating_sub(MAX_MOMENTS);
    told.moments.drain(..n_left_out);
    build_done_reply(&told)
}

/// What is and was worked on.
pub(super) const TASKS: ApiCall = ApiCall::new(Get, "/api/tasks", Access::Read, |visit, asked| {
    answer_query(visit, asked, handle_list_tasks_call)
})
.with_description(
    "tasks",
    "tasks",
    "The tasks of the checkout that are open, in the order of their beginning",
)
.with_query::<TasksQuery>()
.with_answer::<TasksReply>();

/// Which tasks are listed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct TasksQuery {
    /// Those that ended, too.
    all: bool,
}

fn handle_list_tasks_call(it: &ApiCallScope<'_>, query: TasksQuery) -> ApiResult {
    let all = list_checkout_tasks(it)?;
    let left = find_left_open_episodes(it.context().store, &all)?;
    let is_left =
        |task: &Task| !task.is_open() && task.outcome.is_some_and(|it| left.contains(&it));
    let shown = all
        .iter()
        .filter(|it| query.all || it.is_open() || is_left(it));
    let view = |task: &Task| TaskView {
        left_open: is_left(task),
        ..build_task_view(it, task)
    };
    build_done_reply(&TasksReply {
        ok: true,
        tasks: shown.map(view).collect(),
    })
}

fn build_task_view(it: &ApiCallScope<'_>, task: &Task) -> TaskView {
    let active = it.visit.here.beside.and_then(ActivityStore::active_task);
    let is_started = it
        .visit
        .here
        .beside
        .is_none_or(|beside| beside.is_started_here(&task.slug));
    TaskView {
        from_elsewhere: !is_started,
        ..TaskView::new(task, active.as_ref())
    }
}

/// The tasks of the checkout. Where another repository is looked at there is none, nor where the pass does not reach it.
pub(super) fn list_checkout_tasks(it: &ApiCallScope<'_>) -> Result<Vec<Task>, CallFault> {
    let is_here = it.find_space(false).is_some() && it.context().source.read_tree().is_ok();
    let beside = it.visit.here.beside.filter(|_| is_here);
    Ok(beside
        .map(ActivityStore::list_tasks)
        .transpose()
        .map_err(wrap_activity_error)?
        .unwrap_or_default())
}

/// One task.
pub(super) const TASK: ApiCall =
    ApiCall::new(Get, "/api/tasks/{slug}", Access::Read, |visit, asked| {
        answer_query(visit, asked, handle_show_task_call)
    })
    .with_description(
        "showTask",
        "tasks",
        "A task with its notes, what they cite looked up",
    )
    .with_answer::<TaskReply>();

fn handle_show_task_call(it: &ApiCallScope<'_>, _: NoArguments) -> ApiResult {
    let slug: String = it.asked.path_part("slug").chars().take(200).collect();
    let meant = slug.parse::<TaskSlug>().ok();
    let Some(task) = list_checkout_tasks(it)?
        .into_iter()
        .find(|task| Some(&task.slug) == meant.as_ref())
    else {
        return build_refusal_reply(&Refusal::NoSuchTask { slug });
    };
    let filter = MemoryFilter {
        spaces: it.find_space(false).into_iter().cloned().collect(),
        stages: vec![Stage::Active, Stage::Pending],
        task: Some(task.slug.to_string()),
        order: ListOrder::Oldest,
        limit: MAX_NOTES,
        ..MemoryFilter::default()
    };
    let notes =
        follow_memory_citations(&it.context(), list::list_memories(&it.context(), &filter)?);
    build_done_reply(&TaskReply::new(build_task_view(it, &task), &task, &notes))
}
