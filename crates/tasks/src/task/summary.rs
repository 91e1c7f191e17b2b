//! What came of a task, as one episode: what was asked, how it went, what was decided and checked, what is left.

use super::{NoteSort, SUMMARY, Task, TaskStatus};
use apostille_core::{
    format::format_utc_day,
    memory::{Draft, DuplicateChoice, Layer, Memory, Voice},
    space::Space,
};
use apostille_text::shorten::shorten_text;

/// The longest line of a summary, in characters.
const LINE_CHARS: usize = 200;
/// How many notes of each sort are told.
const MAX_NOTES: usize = 8;
/// How many files are named, and in how many characters.
const MAX_FILES: usize = 30;
const FILES_CHARS: usize = 1_200;

/// What git says of the time between a task's start and now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitWork {
    /// The commits, the newest first.
    pub commits: Vec<String>,
    /// The files that differ, by name.
    pub files: Vec<String>,
}

/// How a task ends.
#[derive(Debug, Clone, Copy)]
pub struct TaskEnding<'a> {
    /// Done, or abandoned.
    pub status: TaskStatus,
    /// What came of it, in a person's or an agent's words.
    pub outcome: Option<&'a str>,
    /// What git says.
    pub work: &'a GitWork,
    /// On which day.
    pub day: &'a str,
}

/// The draft of the summary. It repeats what was noted, so that the end of a task can be recalled by its words.
pub fn draft_task_summary(
    space: &Space,
    task: &Task,
    memories: &[Memory],
    ending: TaskEnding,
    voice: Voice,
) -> Draft {
    // It repeats the words of others, so it is trusted no more than the least of them.
    let repeated = TOLD.iter().flat_map(|it| task.find_notes(it.1, memories));
    let voice = repeated.fold(voice, |voice, (_, it)| voice.lowered_to(&it.voice));
    let fact = format_task_summary(task, memories, ending);
    Draft {
        layer: Some(Layer::Episode),
        subject: Some(task.title.clone()),
        tags: vec![SUMMARY.into(), ending.status.to_string()],
        task: Some(task.slug.to_string()),
        // Another task may have ended alike.
        on_duplicate: DuplicateChoice::Create("the end of a task".into()),
        ..Draft::new(space.clone(), fact, voice)
    }
}

/// The notes that a summary tells, and how.
const TOLD: [(&str, NoteSort); 3] = [
    ("decided", NoteSort::Decision),
    ("verified", NoteSort::Verified),
    ("still blocked", NoteSort::Blocker),
];

fn format_task_summary(task: &Task, memories: &[Memory], ending: TaskEnding) -> String {
    let mut lines = vec![format!("{}: {}", ending.status, task.title)];
    lines.extend(
        ending
            .outcome
            .map(|it| format!("outcome: {}", fit_on_one_line(it, 4 * LINE_CHARS))),
    );
    let mut span = format!("from {} to {}", format_utc_day(task.started_at), ending.day);
    if !task.passed.is_empty() {
        span += &format!("; phases: {}", task.passed.join(" → "));
    }
    lines.push(span);
    for (word, sort) in TOLD {
        lines.extend(format_summary_notes(word, task, sort, memories));
    }
    lines.extend(format_changed_files(&ending.work.files));
    lines.extend(format_commit_range(&ending.work.commits));
    lines.join("\n")
}

fn format_summary_notes(
    word: &str,
    task: &Task,
    sort: NoteSort,
    memories: &[Memory],
) -> Vec<String> {
    let mut lines: Vec<String> = task
        .find_notes(sort, memories)
        .map(|(_, it)| format!("{word}: {}", fit_on_one_line(&it.fact, LINE_CHARS)))
        .collect();
    let skipped = lines.len().saturating_sub(MAX_NOTES);
    if skipped > 0 {
        lines.splice(..skipped, [format!("{word}: {skipped} more, earlier")]);
    }
    lines
}

fn format_changed_files(files: &[String]) -> Option<String> {
    let mut shown = String::new();
    let mut n = 0;
    for file in files.iter().take(MAX_FILES) {
        if shown.len() + file.len() > FILES_CHARS {
            break;
        }
        let gap = if n == 0 { "" } else { ", " };
        shown += &format!("{gap}{file}");
        n += 1;
    }
    let more = match files.len() - n {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (n > 0).then(|| format!("files: {shown}{more}"))
}

fn format_commit_range(commits: &[String]) -> Option<String> {
    let short = |it: &String| it.chars().take(10).collect::<String>();
    match commits {
        [] => None,
        [one] => Some(format!("commits: 1, {}", short(one))),
        [last, .., first] => Some(format!(
            "commits: {}, {} to {}",
            commits.len(),
            short(first),
            short(last)
        )),
    }
}

fn fit_on_one_line(text: &str, chars: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shorten_text(&words.join(" "), chars)
}

/// What a summary says of the outcome, where it says something.
pub fn parse_summary_outcome(summary: &Memory) -> Option<&str> {
    summary
        .fact
        .lines()
        .find_map(|it| it.strip_prefix("outcome: "))
}
