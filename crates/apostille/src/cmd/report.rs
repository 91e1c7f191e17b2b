//! `report`: what was done, by day, from episodes.

use apostille_core::verify::Verified;
use apostille_tasks::report;
use apostille_tasks::report::{Item, Span};
use jiff::Timestamp;

use crate::args::Report;
use crate::json::ReportReply;
use crate::paint::{BOLD, DIM, GREEN, cut, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// How much of one text is shown, in columns, and how many things are told in all.
const TEXT_CHARS: usize = 300;
const MAX_ITEMS: usize = 300;
/// How much of one line of a session is shown, in columns.
const PART_CHARS: usize = 120;
/// The lines of a session's summary that tell what was done, and the words for them here.
const DONE: [(&str, &str); 3] = [("Changed", "changed"), ("Ran", "ran"), ("Ended", "ended")];

/// The time that a flag names.
pub(super) fn time(now: Timestamp, flag: &str, text: &str) -> Result<Timestamp, Fault> {
    let wrong = || {
        Fault::usage(format!(
            "--{flag} '{text}' is neither 7d, 24h or 2w nor a date"
        ))
    };
    report::since(text, now).ok_or_else(wrong)
}

/// Tells what was done.
pub fn run(shell: &Shell, args: &Report) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let now = shell.world.now;
    let read = |flag, text| time(now, flag, text);
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
    let span = Span {
        since: read("since", &args.since)?,
        until,
    };
    let here = &desk.settings.repo.value;
    let spaces = if args.all {
        Vec::new()
    } else {
        vec![here.clone()]
    };
    let report = report::report(&desk.cx(), &spaces, here, span)?;
    let json = ReportReply::new(span, &report);
    let code = if report.days.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let answer = shell.answer(code, &json, |_| page(&report, args));
    let err = if report.days.is_empty() {
        "nothing was written down in this time\n".into()
    } else {
        String::new()
    };
    Ok(Answer { err, ..answer })
}

fn page(report: &report::Report, args: &Report) -> String {
    let pen = Pen {
        is_markdown: args.markdown,
        has_space: args.all,
    };
    let mut out = String::new();
    let mut left = MAX_ITEMS;
    for day in &report.days {
        let gap = if out.is_empty() { "" } else { "\n" };
        out += &format!("{gap}{}", pen.date(&day.date));
        let shown = day.items.len().min(left);
        left -= shown;
        out.extend(day.items[..shown].iter().map(|it| pen.item(it)));
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
struct Pen {
    is_markdown: bool,
    has_space: bool,
}

impl Pen {
    fn date(&self, date: &str) -> String {
        if self.is_markdown {
            format!("## {date}\n\n")
        } else {
            format!("{}\n", ink(BOLD, date))
        }
    }

    fn item(&self, item: &Item) -> String {
        let mut out = String::new();
        if let Some(title) = item.title() {
            out += &self.head(item, &one_line(title));
        }
        let depth = usize::from(item.task.is_some());
        out.extend(
            item.outcome()
                .map(|it| self.line(depth, "outcome", None, it)),
        );
        out.extend(
            item.decisions
                .iter()
                .map(|it| self.told(depth, "decided", it)),
        );
        out.extend(item.sessions.iter().map(|it| self.session(depth, it)));
        out
    }

    fn head(&self, item: &Item, title: &str) -> String {
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
                ink(GREEN, status),
                ink(BOLD, title),
                ink(DIM, about)
            ),
        }
    }

    /// A session: what was asked, and below it what was done, each short and on a line of its own.
    fn session(&self, depth: usize, it: &Verified) -> String {
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
            .map(|(word, text)| self.line(depth + 1, word, None, &cut(&one_line(text), PART_CHARS)))
            .collect();
        let Some(asked) = part("Asked")
            .or(it.memory.fact.lines().next())
            .filter(|_| !done.is_empty())
        else {
            return self.told(depth, "session", it);
        };
        let head = self.line(
            depth,
            "session",
            Some(about(it)),
            &cut(&one_line(asked), PART_CHARS),
        );
        head + &done.concat()
    }

    /// A memory with how it stands here: what cites code is never told without that.
    fn told(&self, depth: usize, word: &str, it: &Verified) -> String {
        self.line(depth, word, Some(about(it)), &it.memory.fact)
    }

    fn line(&self, depth: usize, word: &str, about: Option<String>, text: &str) -> String {
        let text = cut(&one_line(text), TEXT_CHARS);
        let about = about.map(|it| format!(" ({it})")).unwrap_or_default();
        let indent = "  ".repeat(depth);
        match self.is_markdown {
            true => format!("{indent}- {word}{about}: {text}\n"),
            false => format!("{indent}  {word}{}: {text}\n", ink(DIM, about)),
        }
    }
}

/// The handle of a memory, and how it stands here.
fn about(it: &Verified) -> String {
    let standing = match (it.memory.citations.is_empty(), it.verdicts.is_empty()) {
        (true, _) => String::new(),
        (false, true) => ", not looked up here".into(),
        (false, false) => format!(", {}", it.standing()),
    };
    format!("{}{standing}", it.memory.handle())
}
