//! What is kept beside the store: sessions, and the tasks of the checkout.

use apostille_agents::session::AgentSession;
use apostille_core::{
    list,
    memory::Stage,
    refusal::Refusal,
    space::Space,
    store::{ListOrder, MemoryFilter, StoreError},
    verify::follow_memory_citations,
};
use apostille_tasks::task::{Task, TaskSlug};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{
        ApiCallScope, ApiResult, answer_query, build_api_reply, build_done_reply,
        build_refusal_reply,
    },
    args::{NoArguments, PageLimit},
    call::ApiCall,
};
use crate::{
    CallFault,
    access_token::Access,
    host::{ActivityStore, PlaceError},
    impact::report_impact,
    json::{
        ErrorReply, ImpactReply, SessionReply, SessionsReply, TaskReply, TaskView, TasksReply,
        find_left_open_episodes,
    },
    request_scope::HttpMethod::Get,
    wire::shorten_echo,
};

/// How many moments of a session are told, the last of them.
const MAX_MOMENTS: usize = 500;
/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Get, "/api/sessions", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_sessions_call)
    })
    .with_description(
        "sessions",
        "sessions",
        "Sessions of agents in spaces that the pass reaches, the latest first",
    )
    .with_query::<PageQuery>()
    .with_answer::<SessionsReply>(),
    ApiCall::new(Get, "/api/sessions/{name}", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_show_session_call)
    })
    .with_description(
        "showSession",
        "sessions",
        "What a session was shown, with scores and why, and how that stands now",
    )
    .with_query::<SessionQuery>()
    .with_answer::<SessionReply>(),
    ApiCall::new(Get, "/api/tasks", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_tasks_call)
    })
    .with_description(
        "tasks",
        "tasks",
        "The tasks of the checkout that are open, in the order of their beginning",
    )
    .with_query::<TasksQuery>()
    .with_answer::<TasksReply>(),
    ApiCall::new(Get, "/api/tasks/{slug}", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_show_task_call)
    })
    .with_description(
        "showTask",
        "tasks",
        "A task with its notes, what they cite looked up",
    )
    .with_answer::<TaskReply>(),
    ApiCall::new(Get, "/api/impact", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_impact_call)
    })
    .with_description(
        "impact",
        "sessions",
        "Whether memory helps: sessions with memory against those that were held out, and the memories one by one",
    )
    .with_answer::<ImpactReply>(),
];

/// Whether memory helps, by what was counted of sessions.
fn handle_impact_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
    let sessions = read_activity(it, |beside| beside.list_measured_sessions())?;
    let repo = it.scope.caller.repo;
    let is_within_reach = |space: &Space| it.scope.token.reaches_space(space);
    let (report, memories) = report_impact(&it.context(), repo, sessions, is_within_reach)?;
    build_done_reply(&ImpactReply::new(&report, &memories))
}

/// Reads what is kept beside the store, where there is something. Where it cannot be read, the world is broken.
fn read_activity<T: Default>(
    it: &ApiCallScope,
    read: impl FnOnce(&dyn ActivityStore) -> Result<T, PlaceError>,
) -> Result<T, StoreError> {
    let beside = it.scope.caller.activity;
    beside
        .map_or_else(|| Ok(T::default()), read)
        .map_err(|error| StoreError::Unavailable {
            what: "what is kept beside the store cannot be read".into(),
            source: Box::new(error),
        })
}

/// How many are listed.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PageQuery {
    /// At most so many; 50 unless said.
    pub(super) limit: Option<PageLimit<200>>,
}

/// What agents were shown.
fn handle_list_sessions_call(it: &ApiCallScope, query: PageQuery) -> ApiResult {
    let limit = PageLimit::limit_or(query.limit, 50);
    let mut sessions = read_activity(it, |beside| beside.list_sessions(limit))?;
    for session in &mut sessions {
        keep_reachable_moments(it, session);
    }
    build_done_reply(&SessionsReply::new(&sessions))
}

/// The moments of a session in spaces that the token reaches.
fn keep_reachable_moments(it: &ApiCallScope, session: &mut AgentSession) {
    let entries = &mut session.entries;
    entries.retain(|entry| it.scope.token.reaches_space(&entry.space));
}

/// How much of a session is told.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct SessionQuery {
    /// Every turn, and not only the last.
    all: bool,
}

/// What one session was shown.
fn handle_show_session_call(it: &ApiCallScope, query: SessionQuery) -> ApiResult {
    let name = it.asked.path_part("name");
    let mut found = read_activity(it, |beside| beside.find_session(name))?;
    found
        .iter_mut()
        .for_each(|session| keep_reachable_moments(it, session));
    let Some(session) = found.filter(|it| !it.entries.is_empty()) else {
        let name = shorten_echo(name);
        let why = format!("there is no session '{name}' here; /api/sessions has those there are");
        return build_api_reply(404, &ErrorReply::new(why));
    };
    let mut spaces = it.scope.cx.store.list_spaces()?;
    spaces.retain(|space| it.scope.token.reaches_space(space));
    let mut told = SessionReply::from_session(&it.context(), &spaces, &session, query.all)?;
    let n_left_out = told.moments.len().saturating_sub(MAX_MOMENTS);
    told.moments.drain(..n_left_out);
    build_done_reply(&told)
}

/// Which tasks are listed.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct TasksQuery {
    /// Those that ended, too.
    all: bool,
}

/// What is and was worked on.
fn handle_list_tasks_call(it: &ApiCallScope, query: TasksQuery) -> ApiResult {
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

fn build_task_view(it: &ApiCallScope, task: &Task) -> TaskView {
    let active = it
        .scope
        .caller
        .activity
        .and_then(ActivityStore::active_task);
    let is_started = it
        .scope
        .caller
        .activity
        .is_none_or(|beside| beside.is_started_here(&task.slug));
    TaskView {
        from_elsewhere: !is_started,
        ..TaskView::new(task, active.as_ref())
    }
}

/// The tasks of the checkout. Where another repository is looked at there is none, nor where the token does not reach it.
pub(super) fn list_checkout_tasks(it: &ApiCallScope) -> Result<Vec<Task>, CallFault> {
    let is_here = it.find_space(false).is_some() && it.context().source.read_tree().is_ok();
    if is_here {
        Ok(read_activity(it, |beside| beside.list_tasks())?)
    } else {
        Ok(Vec::new())
    }
}

/// One task.
fn handle_show_task_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
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
