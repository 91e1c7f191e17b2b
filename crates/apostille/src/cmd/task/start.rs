//! `task start`: a task begins, or is taken up again.

use apostille_core::refusal::Refusal;
use apostille_tasks::task;
use apostille_tasks::task::gate::Start;
use apostille_tasks::task::{MAX_PHASES, PHASE_CHARS, Slug, TITLE_CHARS, Task, What};
use serde::Serialize;

use super::opened;
use crate::args::TaskStart;
use crate::json::TaskView;
use crate::paint::{BOLD, DIM, GREEN, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    problems: Vec<String>,
}

/// Begins a task, or takes one up again.
pub fn run(shell: &Shell, args: &TaskStart) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    let start = match start(&desk, args) {
        Ok(start) => start,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let all = tasks.all()?;
    let known = known(&all, &start.title);
    if let Some(other) = tasks
        .active()
        .filter(|it| !args.switch && known.is_none_or(|known| known.slug != it.slug))
    {
        return Ok(shell.refused(&Refusal::TaskOpen {
            slug: other.slug.to_string(),
        }));
    }
    let (outcome, task) = begun(&tasks, &all, known, start)?;
    tasks.point(Some(&task.slug))?;
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let json = Reply {
        ok: true,
        outcome,
        task: TaskView::new(&task, Some(&task.slug)),
        problems,
    };
    let told = super::problems(&json.problems);
    let answer = shell.answer(error::OK, &json, |_| {
        let phase = task
            .phase_told()
            .map(|it| ink(DIM, format!("  phase {}", one_line(&it))))
            .unwrap_or_default();
        format!(
            "{} {}  {}{phase}\n",
            ink(GREEN, outcome),
            ink(BOLD, &task.slug),
            one_line(&task.title)
        )
    });
    Ok(Answer {
        err: told,
        ..answer
    })
}

fn start(desk: &Desk, args: &TaskStart) -> Result<Start, Refusal> {
    let title = task::plain("title", &args.title, TITLE_CHARS)?;
    let name = |it: &String| task::plain("phase", it, PHASE_CHARS);
    let phases: Vec<String> = args.phases.iter().map(name).collect::<Result<_, _>>()?;
    if phases.len() > MAX_PHASES {
        return Err(Refusal::TooMany {
            field: "phases",
            n: phases.len(),
            limit: MAX_PHASES,
        });
    }
    let phase = args
        .phase
        .as_ref()
        .map(name)
        .transpose()?
        .or_else(|| phases.first().cloned());
    let head = desk.place.checkout.as_ref().and_then(|it| it.head().ok());
    let by = desk.cx().actor.map(Into::into);
    Ok(Start {
        title,
        phases,
        phase,
        commit: head.and_then(|it| it.commit),
        by,
    })
}

/// The task that is meant by a title or a name, unless it is done: then the words begin another.
fn known<'t>(all: &'t [Task], title: &str) -> Option<&'t Task> {
    let is_meant =
        |it: &&Task| it.slug.as_str() == title || it.title == title || it.slug == Slug::of(title);
    let open = all.iter().rev().filter(is_meant).find(|it| it.is_open());
    open.or_else(|| {
        all.iter()
            .rev()
            .filter(is_meant)
            .find(|it| it.status == task::Status::Abandoned)
    })
}

fn begun(
    tasks: &Tasks,
    all: &[Task],
    known: Option<&Task>,
    start: Start,
) -> Result<(&'static str, Task), Fault> {
    match known {
        Some(known) if known.is_open() => {
            let phase = start.phase.filter(|it| known.phase.as_ref() != Some(it));
            let task = match phase {
                Some(phase) => tasks.pass(&known.slug, What::Phase(phase))?,
                None => known.clone(),
            };
            Ok(("resumed", task))
        }
        Some(known) => {
            let start = Start {
                title: known.title.clone(),
                ..start
            };
            Ok(("resumed", tasks.pass(&known.slug, What::Started(start))?))
        }
        None => {
            let slug = Slug::unique(&start.title, |it| all.iter().any(|task| task.slug == *it));
            Ok(("started", tasks.pass(&slug, What::Started(start))?))
        }
    }
}
