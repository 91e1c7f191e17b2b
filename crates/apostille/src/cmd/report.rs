//! `report`: what was done, by day, from episodes.

use apostille_core::{
    episode_text::{UNKNOWN, find_episode_part},
    space::Space,
    verify::VerifiedMemory,
};
use apostille_tasks::{
    report,
    report::{ReportItem, ReportSpan},
};
use jiff::{SignedDuration, Timestamp};

use crate::json::ReportReply;
use apostille_terminal::{
    args::ReportArgs,
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, DIM, GREEN, flatten_to_line, format_count, format_if, join_texts, truncate_to_width,
    },
};
use apostille_workspace::error::CommandError;

/// How much of one text is shown, in columns, and how many things are told in all.
const TEXT_CHARS: usize = 300;
const MAX_ITEMS: usize = 300;
/// How much of one line of a session is shown, in columns.
const PART_CHARS: usize = 120;
/// The lines of a session's summary that tell what was done, and the words for them here.
const DONE: [(&str, &str); 8] = [
    ("Decided", "decided"),
    ("Changed", "changed"),
    ("Commits", "commits"),
    ("Pull request", "pull request"),
    ("Ran", "ran"),
    ("Difficulties", "difficulties"),
    ("Outcome", "outcome"),
    ("Ended", "ended"),
];

/// The time that a flag names.
fn parse_time_flag(ctx: &CommandContext, flag: &str, text: &str) -> CommandResult<Timestamp> {
    let wrong = || format!("--{flag} '{text}' is neither 7d, 24h or 2w nor a date");
    report::parse_since(text, ctx.system.now).ok_or_else(|| CommandError::usage(wrong()))
}

/// The same where the flag was given.
pub(super) fn parse_optional_time(
    ctx: &CommandContext,
    flag: &str,
    text: Option<&str>,
) -> CommandResult<Option<Timestamp>> {
    text.map(|it| parse_time_flag(ctx, flag, it)).transpose()
}

/// Tells what was done.
pub fn run(ctx: &CommandContext, args: &ReportArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let now = ctx.system.now;
    // What was written down this very moment counts.
    let end = now.checked_add(SignedDuration::from_millis(1));
    let until = parse_optional_time(ctx, "until", args.until.as_deref())?;
    let span = ReportSpan {
        since: parse_time_flag(ctx, "since", &args.since)?,
        until: until.unwrap_or(end.unwrap_or(now)),
    };
    let here = &workspace.settings.repo;
    let spaces: &[Space] = if args.all {
        &[]
    } else {
        std::slice::from_ref(here)
    };
    let report = report::build_work_report(&workspace.context(), spaces, here, span)?;
    let json = ReportReply::new(span, &report);
    let answer = ctx.render_output(&json, |_| format_report_page(&report, args));
    let nothing = "nothing was written down in this time\n";
    Ok(answer.or_nothing(report.days.is_empty(), nothing))
}

fn format_report_page(report: &report::WorkReport, args: &ReportArgs) -> String {
    let pen = ReportFormatter {
        is_markdown: args.markdown,
        has_space: args.all,
    };
    let mut out = String::new();
    let mut left = MAX_ITEMS;
    for day in &report.days {
        let gap = if out.is_empty() { "" } else { "\n" };
        out += &format!("{gap}{}", pen.format_date(&day.date));
        let shown = day.items.len().min(left);
        left -= shown;
        out.extend(day.items[..shown].iter().map(|it| pen.format_item(it)));
        if shown < day.items.len() {
            out += &format!("… and {} more on this day\n", day.items.len() - shown);
        }
    }
    if report.is_cut {
        out += "… what is older was not looked at; say --since later\n";
    }
    out
}

/// Writes for a person at a terminal, or Markdown.
struct ReportFormatter {
    is_markdown: bool,
    has_space: bool,
}

impl ReportFormatter {
    fn format_date(&self, date: &str) -> String {
        if self.is_markdown {
            format!("## {date}\n\n")
        } else {
            format!("{BOLD}{date}{BOLD:#}\n")
        }
    }

    fn format_item(&self, item: &ReportItem) -> String {
        let title = item.title().map(flatten_to_line);
        let depth = usize::from(item.task.is_some());
        let heading = title.map(|it| self.format_heading(item, &it));
        let outcome = item.outcome();
        let outcome = outcome.map(|it| self.format_line(depth, "outcome", "", it));
        let decisions = item.decisions.iter();
        let sessions = item.sessions.iter();
        heading
            .into_iter()
            .chain(outcome)
            .chain(decisions.map(|it| self.format_memory(depth, "decided", it)))
            .chain(sessions.map(|it| self.format_session(depth, it)))
            .collect()
    }

    fn format_heading(&self, item: &ReportItem, title: &str) -> String {
        let status = item.status().unwrap_or_default();
        let task = item.task.clone().filter(|it| it != title);
        let handle = item
            .summary
            .as_ref()
            .map(|it| it.memory.handle().to_string());
        let space = self.has_space.then(|| item.space.to_string());
        let notes = format_count(item.n_notes as u64, "note", "notes");
        let notes = (item.n_notes > 0).then_some(notes);
        let about = [task, handle, space, notes].into_iter().flatten();
        let about = join_texts(about, ", ");
        let about = format_if(!about.is_empty(), || format!(" ({about})"));
        if self.is_markdown {
            format!("- **{title}**: {status}{about}\n")
        } else {
            format!("  {GREEN}{status}{GREEN:#} {BOLD}{title}{BOLD:#}{DIM}{about}{DIM:#}\n")
        }
    }

    /// A session: what was asked, and below it what was done, each short and on a line of its own.
    fn format_session(&self, depth: usize, it: &VerifiedMemory) -> String {
        let part =
            |name: &str| find_episode_part(&it.memory.fact, name).filter(|it| *it != UNKNOWN);
        let line = |depth, word, about: &str, text: &str| {
            let text = truncate_to_width(&flatten_to_line(text), PART_CHARS);
            self.format_line(depth, word, about, &text)
        };
        let done: String = DONE
            .iter()
            .filter_map(|(name, word)| Some(line(depth + 1, word, "", part(name)?)))
            .collect();
        match part("Asked").or(it.memory.fact.lines().next()) {
            Some(asked) if !done.is_empty() => {
                line(depth, "session", &format_handle_and_standing(it), asked) + &done
            }
            _ => self.format_memory(depth, "session", it),
        }
    }

    /// A memory with how it stands here: what cites code is never told without that.
    fn format_memory(&self, depth: usize, word: &str, it: &VerifiedMemory) -> String {
        let about = format_handle_and_standing(it);
        self.format_line(depth, word, &about, &it.memory.fact)
    }

    fn format_line(&self, depth: usize, word: &str, about: &str, text: &str) -> String {
        let text = truncate_to_width(&flatten_to_line(text), TEXT_CHARS);
        let indent = "  ".repeat(depth);
        if self.is_markdown {
            format!("{indent}- {word}{about}: {text}\n")
        } else {
            format!("{indent}  {word}{DIM}{about}{DIM:#}: {text}\n")
        }
    }
}

/// The handle of a memory, and how it stands here, in brackets.
fn format_handle_and_standing(it: &VerifiedMemory) -> String {
    let standing = match (it.memory.citations.is_empty(), it.verdicts.is_empty()) {
        (true, _) => String::new(),
        (false, true) => ", not looked up here".into(),
        (false, false) => format!(", {}", it.standing()),
    };
    format!(" ({}{standing})", it.memory.handle())
}
