//! The report that a phase leaves, and those that earlier phases left.

use apostille_core::{memory::Memory, refusal::Refusal};
use apostille_tasks::{
    task,
    task::{
        GateAction, Task,
        phase_report::{
            ITEM_CHARS, MAX_ITEMS, PhaseReport, ReportPart, draft_phase_report, list_phase_reports,
            list_verified_items,
        },
    },
};
use serde::Serialize;

use super::{build_task_voice, load_standing_notes, note::remember_task_draft};
use apostille_terminal::{
    args::PhaseReportArgs,
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, Paint, YELLOW, flatten_to_line},
};
use apostille_workspace::{task::CheckoutTasks, workspace::Workspace};

/// How much is read back of earlier reports, in characters: the latest first.
const MAX_READ_BACK: usize = 2_000;

/// A report, as it is answered.
#[derive(Debug, Serialize)]
pub(super) struct PhaseReportView {
    /// The memory that has its words; none of a phase of which only the notes tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    done: Vec<String>,
    verified: Vec<String>,
    open: Vec<String>,
    next: Vec<String>,
    /// What was verified before and is open again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regressed: Vec<String>,
    /// What was verified before and is not mentioned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_mentioned: Vec<String>,
}

impl PhaseReportView {
    fn new(memory: Option<&Memory>, report: &PhaseReport) -> Self {
        let list = |part| report.list_items(part).map(flatten_to_line).collect();
        Self {
            handle: memory.map(|it| it.handle().to_string()),
            phase: report.phase.clone(),
            done: list(ReportPart::Done),
            verified: list(ReportPart::Verified),
            open: list(ReportPart::Open),
            next: list(ReportPart::Next),
            regressed: list(ReportPart::Regressed),
            not_mentioned: list(ReportPart::NotMentioned),
        }
    }

    fn parts(&self) -> [(&'static str, &Vec<String>); 6] {
        [
            ("done", &self.done),
            ("verified", &self.verified),
            ("open", &self.open),
            ("next", &self.next),
            ("regressed", &self.regressed),
            ("not mentioned", &self.not_mentioned),
        ]
    }

    fn count_chars(&self) -> usize {
        let items = self.parts().into_iter().flat_map(|it| it.1);
        items.map(|it| it.chars().count()).sum()
    }

    /// The report for a person or a model, an item a line.
    pub(super) fn format(&self, paint: &Paint) -> String {
        let phase = self.phase.as_deref().map(flatten_to_line);
        let phase = phase.map_or_else(String::new, |it| format!(" on {it}"));
        let handle = self.handle.as_deref().unwrap_or("from its notes");
        let mut out = format!("  {BOLD}report{phase}{BOLD:#}  {DIM}{handle}{DIM:#}\n");
        for (part, items) in self.parts() {
            for it in items {
                out += &paint.wrap_text(&format!("{part}: {it}"), 4);
            }
        }
        out
    }

    /// What was verified before and is open again, for who reports it.
    pub(super) fn format_regressions(&self) -> String {
        let line = |it: &String| format!("{YELLOW}regressed:{YELLOW:#} {it}\n");
        self.regressed.iter().map(line).collect()
    }
}

/// Writes the report on the phase that ends: what is said of it, and what was verified before and is so no more. What its notes say is
/// read from them.
pub(super) fn leave_phase_report(
    ctx: &CommandContext,
    workspace: &Workspace,
    tasks: &CheckoutTasks,
    task: Task,
    args: &PhaseReportArgs,
) -> CommandResult<(Task, Option<PhaseReportView>)> {
    let space = &workspace.settings.repo;
    let mut report = read_stated_report(&task, args)?;
    let memories = load_standing_notes(workspace, &task)?;
    let whole = report.clone().with_notes(&task, &memories);
    report.hold_against(&list_verified_items(&task, &memories), &whole);
    if report.is_empty() {
        return Ok((task, None));
    }
    let voice = build_task_voice(ctx)?;
    let draft = draft_phase_report(space, &task, &memories, &report, voice);
    let memory = remember_task_draft(workspace, draft)?;
    let task = tasks.record_gate(&task.slug, GateAction::Reported(memory.id))?;
    let view = PhaseReportView::new(Some(&memory), &report);
    Ok((task, Some(view)))
}

/// The reports that the phases of a task left, in their order: the latest that have room.
pub(super) fn read_phase_reports(
    workspace: &Workspace,
    task: &Task,
) -> CommandResult<Vec<PhaseReportView>> {
    let memories = load_standing_notes(workspace, task)?;
    let mut left = MAX_READ_BACK;
    let mut kept = Vec::new();
    for (memory, report) in list_phase_reports(task, &memories).iter().rev() {
        let view = PhaseReportView::new(*memory, report);
        let chars = view.count_chars();
        if chars > left {
            break;
        }
        left -= chars;
        kept.push(view);
    }
    kept.reverse();
    Ok(kept)
}

fn read_stated_report(task: &Task, args: &PhaseReportArgs) -> Result<PhaseReport, Refusal> {
    let mut report = PhaseReport {
        phase: task.phase.clone(),
        items: Vec::new(),
    };
    let parts = [
        (ReportPart::Done, "done", &args.done),
        (ReportPart::Verified, "verified", &args.verified),
        (ReportPart::Open, "open", &args.open),
        (ReportPart::Next, "next", &args.next),
    ];
    for (part, field, items) in parts {
        if items.len() > MAX_ITEMS {
            return Err(Refusal::TooMany {
                field,
                n: items.len(),
                limit: MAX_ITEMS,
            });
        }
        for it in items {
            let text = task::validate_task_text(field, it, ITEM_CHARS)?;
            report.push_item(part, &text);
        }
    }
    Ok(report)
}
