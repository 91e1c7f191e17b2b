//! The suite `recall`: questions with known answers, put to the real `recall` over a real store.
//!
//! A file has one task a line: documents, and questions with the ids of the documents that answer them. Every document becomes an
//! active memory of one space, recorded at its own time and said in the session that its scope names; a question is asked at
//! its own time. Documents are written as events, so that a text longer than the product's limit is not cut.

mod metrics;
mod shown;
mod task;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use apostille_core::{
    embedding::Embedder,
    recall::{RecallRequest, RelevanceBar, preview_recall},
};

use crate::{
    args::Args,
    model::BenchModel,
    scratch,
    stats::Sample,
    table::{self, Table},
};
use metrics::RankTally;
use task::{FilledTask, RetrievalTask};

/// How many memories a question is ranked to.
const RANKED: usize = 50;

/// What is asked of the suite.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RecallAsk {
    /// The files of tasks.
    pub(crate) files: Vec<PathBuf>,
    /// Only the tasks of these names.
    pub(crate) tasks: Vec<String>,
    /// Not the tasks of these names.
    pub(crate) without_tasks: Vec<String>,
    /// Not the questions of these types.
    pub(crate) without_types: Vec<String>,
    /// Whether what a user would be shown is measured, too.
    pub(crate) shown: bool,
    /// Where each question's rank goes.
    pub(crate) predictions: Option<PathBuf>,
}

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, ask: &RecallAsk) -> Result<()> {
    ensure!(!ask.files.is_empty(), "recall needs a file of tasks");
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let files = read_files(ask)?;
    let model = BenchModel::open(&args.model)?;
    let embedder = model.as_ref().map(|it| it as &dyn Embedder);
    let mut ranks = Vec::new();
    let mut lines = String::new();
    for (name, tasks) in &files {
        ranks.push(rank_file(
            name,
            tasks,
            scratch.path(),
            embedder,
            &mut lines,
        )?);
    }
    print!("{}", build_rank_table(&ranks).text(args.markdown));
    println!(
        "\nR@k: the share of a question's answers among the first k. ±: the standard error of R@5 over the questions."
    );
    if ask.shown {
        print!("{}", table::title("What a user is shown", args.markdown));
        print!(
            "{}",
            shown::measure_shown(&files, scratch.path(), embedder)?.text(args.markdown)
        );
    }
    if let Some(path) = &ask.predictions {
        crate::write(path, &lines)?;
    }
    model.map_or(Ok(()), |it| it.keep_vectors())
}

/// The tasks of each file that are asked for, with the file's name.
fn read_files(ask: &RecallAsk) -> Result<Vec<(String, Vec<RetrievalTask>)>> {
    let mut files = Vec::new();
    for path in &ask.files {
        let mut tasks: Vec<RetrievalTask> = crate::lines::read(path, None, "task")?;
        tasks.retain(|it| ask.tasks.is_empty() || ask.tasks.contains(&it.name));
        tasks.retain(|it| !ask.without_tasks.contains(&it.name));
        for task in &mut tasks {
            task.keep_questions(&ask.without_types);
        }
        ensure!(
            !tasks.is_empty(),
            "{} has no task that is asked for",
            path.display()
        );
        files.push((name_file(path)?, tasks));
    }
    Ok(files)
}

fn name_file(path: &Path) -> Result<String> {
    let name = path
        .file_name()
        .context("a file has a name")?
        .to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    Ok(name.to_owned())
}

/// What was found in one file.
struct FileRanks {
    name: String,
    tally: RankTally,
    times: Sample,
}

fn rank_file(
    name: &str,
    tasks: &[RetrievalTask],
    dir: &Path,
    embedder: Option<&dyn Embedder>,
    lines: &mut String,
) -> Result<FileRanks> {
    let mut ranks = FileRanks {
        name: name.to_owned(),
        tally: RankTally::default(),
        times: Sample::default(),
    };
    for task in tasks {
        let filled = FilledTask::fill(task, dir, embedder)?;
        for question in &task.questions {
            let request = RecallRequest {
                text: question.query.clone(),
                count: Some(RANKED),
                chars: Some(usize::MAX),
                bar: Some(RelevanceBar::Any),
                ..filled.request()
            };
            let found = filled.world().at(question.ts, |cx| {
                ranks.times.time(|| preview_recall(cx, &request))
            })??;
            let found: Vec<&str> = found
                .shown
                .iter()
                .map(|it| filled.document_of(&it.hit.memory))
                .collect();
            ranks.tally.add_question(&found, &filled.gold_of(question));
            let row = serde_json::json!({
                "file": name, "qid": question.qid, "query": question.query, "gold": question.gold,
                "found": found.iter().take(10).collect::<Vec<_>>(),
            });
            lines.push_str(&format!("{row}\n"));
        }
    }
    Ok(ranks)
}

fn build_rank_table(files: &[FileRanks]) -> Table {
    let row = |it: &FileRanks| {
        let tally = &it.tally;
        let time = it.times.summary();
        let time = |of: fn(&crate::stats::Summary) -> f64| {
            time.as_ref().map_or("–".into(), |it| table::time(of(it)))
        };
        let share = |it: f64| format!("{it:.3}");
        vec![
            it.name.clone(),
            tally.count().to_string(),
            share(tally.recall_at(1)),
            share(tally.recall_at(5)),
            format!("±{:.3}", tally.recall_error(5)),
            share(tally.recall_at(10)),
            share(tally.reciprocal_rank()),
            share(tally.gain_at_ten()),
            time(|it| it.p50),
            time(|it| it.p99),
        ]
    };
    Table {
        head: vec![
            "file", "n", "R@1", "R@5", "", "R@10", "MRR", "nDCG@10", "p50", "p99",
        ],
        rows: files.iter().map(row).collect(),
    }
}
