//! What each method says, written for the scorer that comes with the cases.

use std::fs::File;
use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{
    batch::Question,
    guess::{Answer, Word},
    method::Method,
};

/// Writes one file for this method, beside the path that was asked for.
pub(crate) fn write(
    path: &Path,
    method: Method,
    questions: &[Question<'_>],
    answers: &[Answer],
) -> Result<()> {
    let path = named(path, method);
    let told = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(File::create(&path).with_context(told)?);
    for (question, answer) in questions.iter().zip(answers) {
        writeln!(file, "{}", line(&question.case.id, answer)).with_context(told)?;
    }
    file.flush().with_context(told)
}

/// `out.jsonl` becomes `out-apostille.jsonl`.
fn named(path: &Path, method: Method) -> PathBuf {
    let part =
        |it: Option<&std::ffi::OsStr>| it.and_then(|it| it.to_str()).unwrap_or_default().to_owned();
    let (stem, ending) = (part(path.file_stem()), part(path.extension()));
    let dot = if ending.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem}-{}{dot}{ending}", method.slug()))
}

/// What is unknown has no verdict, which the scorer counts as wrong everywhere.
fn line(id: &str, answer: &Answer) -> Value {
    let place = answer.guess.place();
    json!({
        "id": id,
        "verdict": answer.guess.word().map(Word::as_str),
        "path": place.map(|it| &it.0),
        "line_start": place.map(|it| it.1),
        "line_end": place.map(|it| it.2),
        "ms": answer.ms,
    })
}

#[cfg(test)]
mod tests {
    use super::super::guess::Guess;
    use super::*;

    #[test]
    fn each_method_has_a_file_and_each_answer_a_line() {
        let check = |path: &str, expected: &str| {
            assert_eq!(
                named(Path::new(path), Method::CommitGone),
                Path::new(expected)
            );
        };
        check("out/p.jsonl", "out/p-commit-gone.jsonl");
        check("p", "p-commit-gone");
        let unknown = Answer {
            guess: Guess::Unknown("late".into()),
            ms: 0.5,
        };
        assert_eq!(line("x", &unknown)["verdict"], Value::Null);
        let missing = Answer {
            guess: Guess::missing(),
            ms: 0.5,
        };
        assert_eq!(
            (
                &line("x", &missing)["verdict"],
                &line("x", &missing)["path"]
            ),
            (&json!("missing"), &Value::Null)
        );
    }
}
