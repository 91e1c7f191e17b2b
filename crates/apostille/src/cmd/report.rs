//! `report`: what was done, by day, from episodes.

use apostille_core::verify::VerifiedMemory;
use apostille_tasks::report;
use apostille_tasks::report::{ReportItem, ReportSpan};
use jiff::Timestamp;

use crate::json::ReportReply;
use apostille_terminal::args::ReportArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, DIM, GREEN, flatten_to_line, style_text, truncate_to_width};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// How much of one text is shown, in columns, and how many things are told in all.
const TEXT_CHARS: usize = 300;
const MAX_ITEMS: usize = 300;
/// How much of one line of a session is shown, in columns.
const PART_CHARS: usize = 120;
/// The lines of a session's summary that tell what was done, and the words for them here.
const DONE: [(&str, &str); 3] = [("Changed", "changed"), ("Ran", "ran"), ("Ended", "ended")];

/// The time that a flag names.
pub(super) fn parse_time_flag(
    now: Timestamp,
    flag: &str,
    text: &str,
) -> Result<Timestamp, CommandError> {
    let wrong = || {
        CommandError::usage(format!(
            "--{flag} '{text}' is neither 7d, 24h or 2w nor a date"
        ))
    };
    report::parse_since(text, now).ok_or_else(wrong)
}

/// Tells what was done.
pub fn run(shell: &CommandContext, args: &ReportArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let now = shell.world.now;
    let read = |flag, text| parse_time_flag(now, flag, text);
    // What was written down this very moment counts.
    let end = now
        .checked_add(jiff::SignedDuration::from_millis(1))
        .unwrap_or(now);
    let until = args
        .until
        .as_deref()
        .map(|it| read("until", it))
        .transpose()?
        .unwrap_or(end);
    let span = ReportSpan {
        since: read("since", &args.since)?,
        until,
    };
    let here = &desk.settings.repo;
    let spaces = if args.all {
        Vec::new()
    } else {
        vec![here.clone()]
    };
    let report = report::build_work_report(&desk.context(), &spaces, here, span)?;
    let json = ReportReply::new(span, &report);
    let code = if report.days.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let answer = shell.render_output(code, &json, |_| format_report_page(&report, args));
    let err = if report.days.is_empty() {
        "nothing was written down in this time\n".into()
    } else {
        String::new()
    };
    Ok(CommandOutput { err, ..answer })
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
            format!("{}\n", style_text(BOLD, date))
        }
    }

    fn format_item(&self, item: &ReportItem) -> String {
        let mut out = String::new();
        if let Some(title) = item.title() {
            out += &self.format_heading(item, &flatten_to_line(title));
        }
        let depth = usize::from(item.task.is_some());
        out.extend(
            item.outcome()
                .map(|it| self.format_line(depth, "outcome", None, it)),
        );
        out.extend(
            item.decisions
                .iter()
                .map(|it| self.format_memory(depth, "decided", it)),
        );
        out.extend(
            item.sessions
                .iter()
                .map(|it| self.format_session(depth, it)),
        );
        out
    }

    fn format_heading(&self, item: &ReportItem, title: &str) -> String {
        let status = item.status().unwrap_or_default();
        let mut about: Vec<String> = item
            .task
            .iter()
            .filter(|it| *it != title)
            .cloned()
            .collect();
        about.extend(
            item.summary
                .as_ref()
                .map(|it| it.memory.handle().to_string()),
        );
        about.extend(self.has_space.then(|| item.space.to_string()));
        let notes = if item.n_notes == 1 {
            "1 note".into()
        } else {
            format!("{} notes", item.n_notes)
        };
        about.extend((item.n_notes > 0).then_some(notes));
        let about = if about.is_empty() {
            String::new()
        } else {
            format!(" ({})", about.join(", "))
        };
        match self.is_markdown {
            true => format!("- **{title}**: {status}{about}\n"),
            false => format!(
                "  {} {}{}\n",
                style_text(GREEN, status),
                style_text(BOLD, title),
                style_text(DIM, about)
            ),
        }
    }

    /// A session: what was asked, and below it what was done, each short and on a line of its own.
    fn format_session(&self, depth: usize, it: &VerifiedMemory) -> String {
        let part = |name: &str| {
            it.memory
                .fact
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        let done = DONE
            .iter()
            .filter_map(|(name, word)| Some((*word, part(name)?)));
        let done: Vec<String> = done
            .map(|(word, text)| {
                self.format_line(
                    depth + 1,
                    word,
                    None,
                    &truncate_to_width(&flatten_to_line(text), PART_CHARS),
                )
            })
            .collect();
        let Some(asked) = part("Asked")
            .or(it.memory.fact.lines().next())
            .filter(|_| !done.is_empty())
        else {
            return self.format_memory(depth, "session", it);
        };
        let head = self.format_line(
            depth,
            "session",
            Some(format_handle_and_standing(it)),
            &truncate_to_width(&flatten_to_line(asked), PART_CHARS),
        );
        head + &done.concat()
    }

    /// A memory with how it stands here: what cites code is never told without that.
    fn format_memory(&self, depth: usize, word: &str, it: &VerifiedMemory) -> String {
        self.format_line(
            depth,
            word,
            Some(format_handle_and_standing(it)),
            &it.memory.fact,
        )
    }

    fn format_line(&self, depth: usize, word: &str, about: Option<String>, text: &str) -> String {
        let text = truncate_to_width(&flatten_to_line(text), TEXT_CHARS);
        let about = about.map(|it| format!(" ({it})")).unwrap_or_default();
        let indent = "  ".repeat(depth);
        match self.is_markdown {
            true => format!("{indent}- {word}{about}: {text}\n"),
            false => format!("{indent}  {word}{}: {text}\n", style_text(DIM, about)),
        }
    }
}

/// The handle of a memory, and how it stands here.
fn format_handle_and_standing(it: &VerifiedMemory) -> String {
    let standing = match (it.memory.citations.is_empty(), it.verdicts.is_empty()) {
        (true, _) => String::new(),
        (false, true) => ", not looked up here".into(),
        (false, false) => format!(", {}", it.standing()),
    };
    format!("{}{standing}", it.memory.handle())
}
