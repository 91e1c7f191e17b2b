//! The keys of the dialogue: what each stands for, and how they are shown.

use apostille_terminal::paint::{BOLD, Paint, measure_text_width};

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReviewChoice {
    /// Let it be used.
    Accept,
    /// Say it in other words.
    Edit,
    /// Let it go up in another, where one is named.
    Merge(String),
    /// Turn it away, with the reason where one is said.
    Reject(String),
    /// Remove the text.
    Forget,
    /// Let it wait.
    Skip,
    /// To the one before.
    Back,
    /// Take the last decision back.
    Undo,
    /// Accept all that is safe.
    AllSafe,
    /// Leave.
    Quit,
    /// Show what the keys do.
    Help,
}

impl ReviewChoice {
    /// The choice that a line stands for; the end of the input is the end of it all.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let is_end = line.is_empty();
        let line = line.trim();
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        Some(match key.to_ascii_lowercase().as_str() {
            "" if is_end => Self::Quit,
            "a" | "accept" => Self::Accept,
            "e" | "edit" => Self::Edit,
            "m" | "merge" => Self::Merge(rest),
            "r" | "reject" => Self::Reject(rest),
            "f" | "forget" => Self::Forget,
            "" | "s" | "skip" => Self::Skip,
            "b" | "back" => Self::Back,
            "u" | "undo" => Self::Undo,
            "all" => Self::AllSafe,
            "q" | "quit" => Self::Quit,
            "?" | "h" | "help" => Self::Help,
            _ => return None,
        })
    }
}

/// The keys, each as it stands in the word for what it does.
const KEYS: [(&str, &str); 11] = [
    ("a", "ccept"),
    ("e", "dit"),
    ("m", "erge"),
    ("r", "eject"),
    ("f", "orget"),
    ("s", "kip"),
    ("b", "ack"),
    ("u", "ndo"),
    ("all", ""),
    ("q", "uit"),
    ("?", ""),
];

const HELP: [(&str, &str); 11] = [
    ("a", "accept: it is used from now on; copies go up in it"),
    (
        "e",
        "edit: say it in your own words; they are kept as yours",
    ),
    (
        "m m-12",
        "merge: m-12 keeps its words and gains the citations",
    ),
    (
        "r why",
        "reject: it stays in the history as rejected, with the reason",
    ),
    ("f", "forget: the text is removed everywhere, for good"),
    ("s", "skip, or enter: it waits on"),
    ("b", "back to the one before that still waits"),
    (
        "u",
        "undo: the last decision is taken back, and it waits again",
    ),
    ("all", "accept all that is safe, after a look at the list"),
    ("q", "quit; what was decided stays decided"),
    ("?", "this"),
];

/// The keys on as many lines as they need, and the prompt.
pub(crate) fn format_review_keys(paint: &Paint) -> String {
    let room = paint.columns.unwrap_or(usize::MAX);
    let mut lines = vec![String::new()];
    for (key, rest) in KEYS {
        let part = format!("[{BOLD}{key}{BOLD:#}]{rest} ");
        let wide = measure_text_width(part.trim_end());
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + wide <= room => line.push_str(&part),
            _ => lines.push(part),
        }
    }
    lines
        .iter()
        .map(|it| format!("{}\n", it.trim_end()))
        .collect::<String>()
        + "> "
}

/// What each key does.
pub(crate) fn format_review_help(paint: &Paint) -> String {
    let line = |(key, what): (&str, &str)| {
        let what = paint.wrap_text(what, 10);
        let pad = 8 - key.len();
        format!("  {BOLD}{key}{BOLD:#}{:pad$}{}", "", what.trim_start())
    };
    HELP.into_iter().map(line).collect()
}
