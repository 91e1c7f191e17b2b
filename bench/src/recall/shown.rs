//! What a user would be shown: how many memories, how many of them right, and how often something where nothing fits.

use std::path::Path;

use anyhow::Result;
use apostille_core::{
    embedding::Embedder,
    recall::{RecallRequest, RelevanceBar, preview_recall},
};

use super::task::{FilledTask, RetrievalQuestion, RetrievalTask};
use crate::table::Table;

/// The moments at which something is shown, and how well a memory must answer then.
const MOMENTS: [(&str, RelevanceBar); 2] = [
    ("asked", RelevanceBar::Near),
    ("prompt", RelevanceBar::Clear),
];
/// How many questions of a task are asked.
const MAX_QUESTIONS: usize = 150;

/// What was shown at one moment.
#[derive(Default)]
struct ShownTally {
    questions: usize,
    shown: usize,
    right: usize,
    answered: usize,
    silent: usize,
    unrelated: usize,
    noise: usize,
}

/// Asks every task its own questions, and those of another task: of another file where there are several.
pub(crate) fn measure_shown(
    files: &[(String, Vec<RetrievalTask>)],
    dir: &Path,
    embedder: Option<&dyn Embedder>,
) -> Result<Table> {
    let mut rows = Vec::new();
    for (at, (name, tasks)) in files.iter().enumerate() {
        let mut tallies: [ShownTally; MOMENTS.len()] = Default::default();
        for (task_at, task) in tasks.iter().enumerate() {
            let filled = FilledTask::fill(task, dir, embedder)?;
            let strange = find_unrelated(files, at, task_at);
            for (tally, (_, bar)) in tallies.iter_mut().zip(MOMENTS) {
                tally.ask_task(&filled, bar, &task.questions, strange)?;
            }
        }
        let named = tallies.iter().zip(MOMENTS);
        rows.extend(named.map(|(tally, (moment, _))| tally.row(name, moment)));
    }
    Ok(Table {
        head: vec![
            "file",
            "moment",
            "n",
            "shown",
            "precision",
            "gold shown",
            "nothing",
            "unrelated",
            "answered",
        ],
        rows,
    })
}

fn find_unrelated(
    files: &[(String, Vec<RetrievalTask>)],
    file: usize,
    task: usize,
) -> &[RetrievalQuestion] {
    if files.len() > 1 {
        let tasks = &files[(file + 1) % files.len()].1;
        return &tasks[task % tasks.len()].questions;
    }
    let tasks = &files[file].1;
    match tasks.len() {
        1 => &[],
        n => &tasks[(task + 1) % n].questions,
    }
}

impl ShownTally {
    fn ask_task(
        &mut self,
        filled: &FilledTask<'_>,
        bar: RelevanceBar,
        own: &[RetrievalQuestion],
        strange: &[RetrievalQuestion],
    ) -> Result<()> {
        let show = |question: &RetrievalQuestion| -> Result<Vec<String>> {
            let request = RecallRequest {
                text: question.query.clone(),
                bar: Some(bar),
                ..filled.request()
            };
            let found = filled
                .world()
                .at(question.ts, |cx| preview_recall(cx, &request))??;
            Ok(found
                .shown
                .iter()
                .map(|it| filled.document_of(&it.hit.memory).to_owned())
                .collect())
        };
        for question in own.iter().take(MAX_QUESTIONS) {
            let (shown, gold) = (show(question)?, filled.gold_of(question));
            let right = shown.iter().filter(|it| gold.contains(it)).count();
            self.questions += 1;
            self.shown += shown.len();
            self.right += right;
            self.answered += usize::from(right > 0);
            self.silent += usize::from(shown.is_empty());
        }
        for question in strange.iter().take(MAX_QUESTIONS) {
            self.unrelated += 1;
            self.noise += usize::from(!show(question)?.is_empty());
        }
        Ok(())
    }

    fn row(&self, name: &str, moment: &str) -> Vec<String> {
        let share = |part: usize, of: usize| format!("{:.3}", part as f64 / of.max(1) as f64);
        vec![
            name.to_owned(),
            moment.to_owned(),
            self.questions.to_string(),
            format!("{:.2}", self.shown as f64 / self.questions.max(1) as f64),
            share(self.right, self.shown),
            share(self.answered, self.questions),
            share(self.silent, self.questions),
            self.unrelated.to_string(),
            share(self.noise, self.unrelated),
        ]
    }
}
