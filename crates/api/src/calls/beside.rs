//! What is kept beside the store: sessions, and the tasks of the checkout.

use apostille_agents::session::Session;
use apostille_core::memory::Stage;
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order, StoreError};
use apostille_core::verify::look;
use apostille_core::{Error, list};
use apostille_tasks::task::{Slug, Task};
use apostille_text::secrets::masked;

use super::args::{NoArguments, PageLimit, arguments};
use super::call::ApiCall;
use super::errand::{Errand, not_found, refused, reply};
use crate::Fault;
use crate::host::{Beside, Unplaced};
use crate::json::{SessionReply, SessionsReply, TaskReply, TaskView, TasksReply, left_open};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Visit};

/// How many moments of a session are told, the last of them.
const MAX_MOMENTS: usize = 500;
/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;

/// What is kept beside the store cannot be read: the world is broken.
fn broken(error: Unplaced) -> Fault {
    let source = Box::new(error);
    Error::Store(StoreError::Unavailable {
        what: "what is kept beside the store cannot be read".into(),
        source,
    })
    .into()
}

/// What agents were shown.
pub(super) const SESSIONS: ApiCall =
    ApiCall::new(Method::Get, "/api/sessions", Access::Read, list_sessions)
        .about(
            "sessions",
            "sessions",
            "Sessions of agents in spaces that the pass reaches, the latest first",
        )
        .query::<PageQuery>()
        .answers::<SessionsReply>();

arguments! {
    /// How many are listed.
    struct PageQuery {
        /// At most so many; 50 unless said.
        limit: Option<PageLimit<200>>,
    }
}

fn list_sessions(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, PageQuery) = Errand::begin(visit, asked)?;
    let limit = PageLimit::or(query.limit, 50);
    let all = it
        .here()
        .beside
        .map(|beside| beside.sessions(limit))
        .transpose()
        .map_err(broken)?;
    let reached: Vec<Session> = all
        .into_iter()
        .flatten()
        .map(|session| keep_reached(visit, session))
        .collect();
    reply(200, &SessionsReply::new(&reached))
}

/// The moments of a session in spaces that the pass reaches.
fn keep_reached(visit: &Visit<'_>, mut session: Session) -> Session {
    session.entries.retain(|it| visit.pass.reaches(&it.space));
    session
}

/// What one session was shown.
pub(super) const SESSION: ApiCall = ApiCall::new(
    Method::Get,
    "/api/sessions/{name}",
    Access::Read,
    show_session,
)
.about(
    "showSession",
    "sessions",
    "What a session was shown, with scores and why, and how that stands now",
)
.query::<SessionQuery>()
.answers::<SessionReply>();

arguments! {
    /// How much of a session is told.
    struct SessionQuery {
        /// Every turn, and not only the last.
        all: bool,
    }
}

fn show_session(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, SessionQuery) = Errand::begin(visit, asked)?;
    let found = it
        .here()
        .beside
        .map(|beside| beside.session(asked.part("name")))
        .transpose()
        .map_err(broken)?;
    let found = found
        .flatten()
        .map(|session| keep_reached(visit, session))
        .filter(|it| !it.entries.is_empty());
    let Some(session) = found else {
        let name: String = masked(asked.part("name"))
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect();
        return not_found(format!(
            "there is no session '{name}' here; /api/sessions has those there are"
        ));
    };
    let spaces: Vec<_> = it
        .cx()
        .store
        .spaces()?
        .into_iter()
        .filter(|it| visit.pass.reaches(it))
        .collect();
    let mut told = SessionReply::of(&it.cx(), &spaces, &session, query.all)?;
    let n_left_out = told.moments.len().saturating_sub(MAX_MOMENTS);
    told.moments.drain(..n_left_out);
    reply(200, &told)
}

/// What is and was worked on.
pub(super) const TASKS: ApiCall = ApiCall::new(Method::Get, "/api/tasks", Access::Read, list_tasks)
    .about(
        "tasks",
        "tasks",
        "The tasks of the checkout that are open, in the order of their beginning",
    )
    .query::<TasksQuery>()
    .answers::<TasksReply>();

arguments! {
    /// Which tasks are listed.
    struct TasksQuery {
        /// Those that ended, too.
        all: bool,
    }
}

fn list_tasks(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, TasksQuery) = Errand::begin(visit, asked)?;
    let all = tasks_here(&it)?;
    let left = left_open(it.cx().store, &all)?;
    let is_left =
        |task: &Task| !task.is_open() && task.outcome.is_some_and(|it| left.contains(&it));
    let shown = all
        .iter()
        .filter(|it| query.all || it.is_open() || is_left(it));
    let view = |task: &Task| TaskView {
        left_open: is_left(task),
        ..view_task(&it, task)
    };
    reply(
        200,
        &TasksReply {
            ok: true,
            tasks: shown.map(view).collect(),
        },
    )
}

fn view_task(it: &Errand<'_>, task: &Task) -> TaskView {
    let active = it.here().beside.and_then(Beside::active_task);
    let is_started = it
        .here()
        .beside
        .is_none_or(|beside| beside.is_started(&task.slug));
    TaskView {
        from_elsewhere: !is_started,
        ..TaskView::new(task, active.as_ref())
    }
}

/// The tasks of the checkout. Where another repository is looked at there is none, nor where the pass does not reach it.
pub(super) fn tasks_here(it: &Errand<'_>) -> Result<Vec<Task>, Fault> {
    let is_here = it.space(false).is_some() && it.cx().source.tree().is_ok();
    let beside = it.here().beside.filter(|_| is_here);
    Ok(beside
        .map(Beside::tasks)
        .transpose()
        .map_err(broken)?
        .unwrap_or_default())
}

/// One task.
pub(super) const TASK: ApiCall =
    ApiCall::new(Method::Get, "/api/tasks/{slug}", Access::Read, show_task)
        .about(
            "showTask",
            "tasks",
            "A task with its notes, what they cite looked up",
        )
        .answers::<TaskReply>();

fn show_task(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin(visit, asked)?;
    let slug: String = asked.part("slug").chars().take(200).collect();
    let meant = slug.parse::<Slug>().ok();
    let Some(task) = tasks_here(&it)?
        .into_iter()
        .find(|task| Some(&task.slug) == meant.as_ref())
    else {
        return refused(&Refusal::NoSuchTask { slug });
    };
    let filter = Filter {
        spaces: it.space(false).into_iter().cloned().collect(),
        stages: vec![Stage::Active, Stage::Pending],
        task: Some(task.slug.to_string()),
        order: Order::Oldest,
        limit: MAX_NOTES,
        ..Filter::default()
    };
    let notes = look(&it.cx(), list::list(&it.cx(), &filter)?);
    reply(200, &TaskReply::new(view_task(&it, &task), &task, &notes))
}
