//! Measures how much of what people state in passing is found in labelled sessions: yours, or those in `tests/it/gleaning`.
//!
//! ```sh
//! cargo run -p apostille-agents --example statements -- FILE… [--faults]
//! cargo run -p apostille-agents --example statements -- FILE… --features OUT
//! ```
//!
//! `--faults` prints what was proposed wrongly and what was missed. `--features` writes how every sentence is worded, for
//! `bench/cases/train_statements.py`, and measures nothing. The form of a file is told in `extract::labelled`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

use std::{fs, path::Path, process::ExitCode};

use apostille_agents::extract::{
    extract_statements,
    labelled::{
        JudgedStatements, LabelledSession, list_training_sentences, parse_labelled_sessions,
    },
};
use serde_json::json;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("statements: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut files, mut features, mut shows_faults) = (Vec::new(), None, false);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--faults" => shows_faults = true,
            "--features" => features = Some(words.next().ok_or("--features needs a file")?),
            _ => files.push(word),
        }
    }
    let (mut all, mut lines) = (JudgedStatements::default(), String::new());
    for file in &files {
        let sessions = read_sessions(Path::new(file))?;
        if features.is_some() {
            sessions
                .iter()
                .for_each(|it| lines += &list_features(file, it));
        } else {
            all.add(print_figures(file, &sessions, shows_faults));
        }
    }
    match features {
        Some(out) => fs::write(&out, lines).map_err(|error| format!("{out}: {error}"))?,
        None if files.is_empty() => return Err("give a file of labelled sessions".into()),
        None => println!("all: {all}"),
    }
    Ok(())
}

fn read_sessions(file: &Path) -> Result<Vec<LabelledSession>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let sessions = parse_labelled_sessions(&text);
    sessions.map_err(|line| format!("{}: cannot read '{line}'", file.display()))
}

fn print_figures(file: &str, sessions: &[LabelledSession], shows_faults: bool) -> JudgedStatements {
    let mut judged = JudgedStatements::default();
    for session in sessions {
        let turns = session.to_turns();
        judged.add(session.judge_statements(&turns, &extract_statements(&turns)));
    }
    println!("{file}: {} sessions: {judged}", sessions.len());
    for fault in judged.faults.iter().filter(|_| shows_faults) {
        println!("  {fault}");
    }
    judged
}

/// The sentences of a session, one JSON object a line.
fn list_features(file: &str, session: &LabelledSession) -> String {
    let file = Path::new(file)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let sentences = list_training_sentences(session).into_iter();
    let lines = sentences.map(|it| {
        let line = json!({
            "file": file, "session": session.name, "turn": it.turn, "stated": it.is_stated, "features": it.features
        });
        format!("{line}\n")
    });
    lines.collect()
}
