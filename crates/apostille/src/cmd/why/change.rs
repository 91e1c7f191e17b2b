//! `why FILE:LINE` and `why COMMIT`: what led to a change.

use apostille_workspace::{change_reason::ChangeReader, workspace::Workspace};

use super::target::ChangeTarget;
use crate::{
    cmd::task::list_fixed_texts,
    json::{
        ChangeReasonReply, ChangeView, TracedMemoryView, TracedPromptView, TracedSessionView,
        TracedTaskView,
    },
};
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, CYAN, DIM, Paint, YELLOW, flatten_to_line, format_count, format_if},
};

/// How much of a commit's id is shown.
const SHORT_HASH: usize = 10;
/// How much of the version of a prompt.
const SHORT_VERSION: usize = 12;
/// How many numbers of lines are named.
const MAX_LINES: usize = 12;

/// Says what led to lines or to a commit.
pub(super) fn run_why_change(
    ctx: &CommandContext,
    workspace: &Workspace,
    target: &ChangeTarget,
) -> CommandResult {
    let texts = list_fixed_texts();
    let reader = ChangeReader::open(&ctx.system, workspace, &texts)?;
    let reply = match target {
        ChangeTarget::Lines(place) => reader.explain_lines(place)?,
        ChangeTarget::Commit(commit) => reader.explain_commit(commit)?,
    };
    let answer = ctx.render_output(&reply, |paint| format_change_reason(paint, &reply));
    Ok(answer.nothing_if(reply.is_nothing()))
}

fn format_change_reason(paint: &Paint, reply: &ChangeReasonReply) -> String {
    let mut out = String::new();
    for (at, it) in reply.changes.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        out += &format!("{gap}{}", format_change(paint, it));
    }
    if reply.more_commits > 0 {
        let more = format_count(reply.more_commits as u64, "more commit", "more commits");
        out += &format!("\n{DIM}{more} wrote some of these lines; ask about fewer{DIM:#}\n");
    }
    if !reply.citing.is_empty() {
        out += &format!("\n{BOLD}memories that cite these lines{BOLD:#}\n");
        out.extend(reply.citing.iter().map(|it| format_memory(paint, it)));
    }
    out
}

fn format_change(paint: &Paint, it: &ChangeView) -> String {
    let mut out = format_change_head(it);
    if !it.reason.is_empty() {
        out += &format_step("reason", "its message");
        let reason = it.reason.iter().map(|it| flatten_to_line(it));
        let reason: Vec<String> = reason.collect();
        out += &paint.wrap_text(&reason.join(" … "), 4);
    }
    out.extend(it.task.iter().map(|it| format_task(paint, it)));
    out.extend(it.prompt.iter().map(format_prompt));
    out.extend(it.sessions.iter().map(|it| format_session(paint, it)));
    for missing in &it.missing {
        let (step, why) = (missing.step, &missing.why);
        out += &format!("  {DIM}{step}: nothing found; {why}{DIM:#}\n");
    }
    out
}

fn format_change_head(it: &ChangeView) -> String {
    let lines = format_lines(&it.lines);
    let Some(commit) = &it.commit else {
        return format!("{YELLOW}not committed yet{YELLOW:#}{lines}\n");
    };
    let hash: String = commit.chars().take(SHORT_HASH).collect();
    let day = it
        .at
        .as_deref()
        .and_then(|it| it.get(..10))
        .unwrap_or_default();
    let author = flatten_to_line(it.author.as_deref().unwrap_or_default());
    let subject = flatten_to_line(it.subject.as_deref().unwrap_or_default());
    let cut = format_if(it.cut_off, || {
        let why = "this clone lacks older commits, and one of them may have written it";
        format!("  {YELLOW}note:{YELLOW:#} {why}\n")
    });
    format!("{BOLD}{hash}{BOLD:#}  {subject}  {DIM}{day}, {author}{lines}{DIM:#}\n{cut}")
}

fn format_lines(lines: &[u32]) -> String {
    let named = lines.iter().take(MAX_LINES);
    let named: Vec<String> = named.map(u32::to_string).collect();
    let more = format_if(lines.len() > MAX_LINES, || " …".to_owned());
    match lines.len() {
        0 => String::new(),
        1 => format!(", line {}", named[0]),
        _ => format!(", lines {}{more}", named.join(", ")),
    }
}

fn format_step(step: &str, rests_on: &str) -> String {
    format!("  {BOLD}{step}{BOLD:#} {DIM}({rests_on}){DIM:#}\n")
}

fn format_task(paint: &Paint, it: &TracedTaskView) -> String {
    let title = it.title.as_deref().map(flatten_to_line);
    let title = title.unwrap_or_else(|| "its gates are not here".to_owned());
    let status = it.status.map_or_else(String::new, |it| format!(", {it}"));
    let phase = it.phase.as_deref().map(flatten_to_line);
    let phase = phase.map_or_else(String::new, |it| format!(", in phase {it} then"));
    let slug = &it.slug;
    let told = format!("{CYAN}{slug}{CYAN:#}  {title}{DIM}{status}{phase}{DIM:#}");
    let outcome = it.outcome.as_deref().map(flatten_to_line);
    let outcome = outcome.map_or_else(String::new, |it| {
        paint.wrap_text(&format!("outcome: {it}"), 4)
    });
    let decisions = it.decisions.iter().map(|it| format_memory(paint, it));
    let decisions: String = decisions.collect();
    let step = format_step("task", it.rests_on);
    format!("{step}    {told}\n{outcome}{decisions}")
}

fn format_prompt(it: &TracedPromptView) -> String {
    let version: String = it.version.chars().take(SHORT_VERSION).collect();
    let files: Vec<String> = it.files.iter().map(|it| flatten_to_line(it)).collect();
    let files = format_if(!files.is_empty(), || format!(": {}", files.join(", ")));
    let step = format_step("prompt", it.rests_on);
    format!("{step}    {version}, {}{files}\n", it.found)
}

fn format_session(paint: &Paint, it: &TracedSessionView) -> String {
    let handle = it
        .conversation
        .as_deref()
        .unwrap_or("what was said is not kept");
    let day = it.ended_at.get(..10).unwrap_or_default();
    let client = it.client.as_deref().unwrap_or("unknown client");
    let exposed = format_if(it.exposed, || ", had read text from outside".to_owned());
    let step = format_step("conversation", it.rests_on);
    let name = flatten_to_line(&it.session);
    let mut out = format!(
        "{step}    {CYAN}{handle}{CYAN:#}  {DIM}{day}, {client}{exposed}, session {name}{DIM:#}\n"
    );
    for quote in &it.said {
        let answered = quote.answered.as_deref().map(flatten_to_line);
        let answered = answered.map_or_else(String::new, |it| format!("(to “{it}”) "));
        let text = flatten_to_line(&quote.text);
        out += &paint.wrap_text(&format!("{answered}“{text}”"), 4);
    }
    if !it.shown.is_empty() {
        out += &format_step("memories shown by then", "the session's record");
        out.extend(it.shown.iter().map(|it| format_memory(paint, it)));
    }
    if it.more_shown > 0 {
        let name = flatten_to_line(&it.session);
        let more = it.more_shown;
        out += &format!("    {DIM}{more} more: apostille why --session {name} --all{DIM:#}\n");
    }
    out
}

fn format_memory(paint: &Paint, it: &TracedMemoryView) -> String {
    let standing = flatten_to_line(&it.standing);
    let fact = it.fact.as_deref().unwrap_or("(it does not hold here)");
    let handle = &it.handle;
    let fact = paint.wrap_text(&flatten_to_line(fact), 6);
    format!("    {BOLD}{handle}{BOLD:#}  {DIM}{standing}{DIM:#}\n{fact}")
}
