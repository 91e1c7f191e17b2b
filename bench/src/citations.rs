//! The suite `citations`: citations of real histories, verified by Apostille and by what one would write instead.
//!
//! Each case names a place at one commit and the commit at which it is to be verified. What stood there is captured
//! first, as it is when somebody remembers something. Then all cases of one repository and one later commit are looked
//! up together by each method, and the time is divided evenly among them: a method that shares work between citations
//! may show it. Starting git is part of the time; capturing is not.

mod bars;
mod batch;
mod case;
mod engine;
mod failing;
mod guess;
mod method;
mod outcome;
mod page;
mod plain;
pub(crate) mod pool;
mod predictions;
pub(crate) mod repos;
mod score;
mod speed;
mod tables;
mod watched;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Instant,
};

use anyhow::{Result, bail};
use apostille_git::git::Checkout;

use crate::{
    args::{Args, Ask},
    machine::Machine,
    scratch,
};
use case::Case;
use method::METHODS;
use outcome::Outcome;
use page::Page;
use speed::Speed;

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, ask: &Ask) -> Result<()> {
    let started = Instant::now();
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let machine = Machine::look(scratch.path());
    let mut page = Page {
        machine,
        outcomes: Vec::new(),
        speed: Speed::default(),
        notes: Vec::new(),
        seconds: 0.0,
    };
    if page.machine.is_busy() {
        page.notes.push(
            "BUSY: other programs wanted the cores when this run began; times are too long.".into(),
        );
    }
    if let (Some(cases), Some(repos)) = (&ask.cases, &ask.repos) {
        let cases = case::read(cases, ask.first)?;
        page.outcomes = verified(
            &cases,
            repos,
            ask.predictions.as_deref(),
            scratch.path(),
            &mut page.notes,
        )?;
    }
    page.speed = speed::measured(scratch.path())?;
    page.seconds = started.elapsed().as_secs_f64();
    print!("{}", page.text(args.markdown));
    if let Some(path) = &args.json {
        crate::write(path, &format!("{:#}\n", page.json()))?;
    }
    Ok(())
}

/// Every method on every case whose repository is there.
fn verified(
    cases: &[Case],
    folder: &Path,
    predictions: Option<&Path>,
    scratch: &Path,
    notes: &mut Vec<String>,
) -> Result<Vec<Outcome>> {
    let checkouts = opened(cases, folder, scratch, notes)?;
    let cases: Vec<&Case> = cases
        .iter()
        .filter(|it| checkouts.contains_key(it.repo.as_str()))
        .collect();
    if cases.is_empty() {
        bail!("there is no case to verify\n{}", notes.join("\n"));
    }
    let questions = batch::captured(&cases, &checkouts)?;
    let (answers, batches) = batch::answered(&questions, &checkouts)?;
    let n_batches = batches.len() / METHODS.len();
    notes.push(format!(
        "{} cases in {n_batches} batches, {} at a time; a batch's time is divided evenly among its citations",
        cases.len(),
        pool::HANDS
    ));
    if let Some(path) = predictions {
        for (method, answers) in METHODS.iter().zip(&answers) {
            predictions::write(path, *method, &questions, answers)?;
        }
    }
    let outcome = |(method, answers)| Outcome::of(method, &questions, answers, &batches);
    Ok(METHODS
        .into_iter()
        .zip(&answers)
        .map(|(method, answers)| outcome((method, answers.as_slice())))
        .collect())
}

/// The repositories that are there; of the others it is said how to get them.
fn opened<'c>(
    cases: &'c [Case],
    folder: &Path,
    scratch: &Path,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<&'c str, Checkout>> {
    let mut checkouts = BTreeMap::new();
    for repo in cases
        .iter()
        .map(|it| it.repo.as_str())
        .collect::<BTreeSet<&str>>()
    {
        match repos::open(folder, repo, scratch)? {
            Some(checkout) => {
                checkouts.insert(repo, checkout);
            }
            None => {
                let n = cases.iter().filter(|it| it.repo == repo).count();
                let how = repos::how_to_get(folder, repo);
                notes.push(format!(
                    "LEFT OUT: {n} cases of {repo}, which is not in the folder; {how}"
                ));
            }
        }
    }
    Ok(checkouts)
}
