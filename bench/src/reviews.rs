//! The suite `reviews`: which comments of reviewers the rules take for rules, beside what people say they are.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};
use apostille_reviews::extract::extract_rules;
use serde::Deserialize;

/// The label of a comment that asks for something beyond the lines that it is about.
const RULE: &str = "rule";

#[derive(Debug, Deserialize)]
struct LabelledComment {
    text: String,
    label: String,
    /// Whether whoever labelled it was in doubt.
    #[serde(default)]
    doubt: bool,
}

/// What came of comments.
#[derive(Debug, Default)]
struct RuleTally {
    right: usize,
    wrong: usize,
    missed: usize,
    n_comments: usize,
}

/// Prints how the comments of a file were judged.
pub(crate) fn run(file: &Path, with_misses: bool) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let (mut all, mut sure) = (RuleTally::default(), RuleTally::default());
    for (line, n) in text.lines().zip(1..) {
        let comment: LabelledComment =
            serde_json::from_str(line).with_context(|| format!("{}:{n}", file.display()))?;
        let found = extract_rules(&comment.text);
        let is_rule = comment.label == RULE;
        all.count_comment(is_rule, !found.is_empty());
        if !comment.doubt {
            sure.count_comment(is_rule, !found.is_empty());
        }
        if with_misses && is_rule == found.is_empty() {
            let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            println!("{} {found:?} {:?}", comment.label, comment.text);
        }
    }
    all.print("all comments");
    sure.print("without those in doubt");
    Ok(())
}

impl RuleTally {
    fn count_comment(&mut self, is_rule: bool, is_found: bool) {
        self.n_comments += 1;
        match (is_rule, is_found) {
            (true, true) => self.right += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn print(&self, name: &str) {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        println!(
            "{name}: {} comments, {} rules: precision {:.1} %, recall {:.1} % ({} right, {} wrong, {} missed)",
            self.n_comments,
            self.right + self.missed,
            share(self.right, self.right + self.wrong),
            share(self.right, self.right + self.missed),
            self.right,
            self.wrong,
            self.missed,
        );
    }
}
