//! The cases as batches: what was cited at each commit is read first, then every method looks up all that is asked at
//! one commit.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use apostille_cite::{
    citation::{Citation, CodeLocation},
    follow::PartialCitation,
    source::{NoRepositorySource, Source},
    verdict::Verdict,
};
use apostille_git::git::{Checkout, Commit};

use super::{
    case::Case,
    engine,
    failing::{self, Failing},
    guess::{Answer, Guess},
    method::{METHODS, Method},
    pool,
    watched::Seen,
};

/// A case, made ready to be looked up.
pub(crate) struct Question<'c> {
    /// The case.
    pub(crate) case: &'c Case,
    /// The citation as it is handed in.
    pub(crate) pin: PartialCitation,
    /// The citation as it was captured when it was made, or why there is nothing to capture.
    pub(crate) citation: Result<Citation, Verdict>,
}

/// All that one method was asked at one commit of one repository.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    /// Which method.
    pub(crate) method: Method,
    /// The repository.
    pub(crate) repo: String,
    /// The commit.
    pub(crate) now: String,
    /// How many citations.
    pub(crate) size: usize,
    /// How long it took, in milliseconds.
    pub(crate) ms: f64,
    /// What the source was asked, where that was watched.
    pub(crate) seen: Seen,
    /// Failed reads that were counted as invalid.
    pub(crate) blamed: Vec<String>,
    /// The same where reads were made to fail.
    pub(crate) provoked: Provoked,
}

/// What came of reads that were made to fail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Provoked {
    /// How many failed.
    pub(crate) failed: usize,
    /// How many citations became unknown by it.
    pub(crate) unknown: usize,
    /// Which were held against a citation.
    pub(crate) blamed: Vec<String>,
}

impl Batch {
    /// How many milliseconds fall to each citation.
    #[expect(clippy::cast_precision_loss, reason = "batches are small")]
    pub(crate) fn each(&self) -> f64 {
        self.ms / self.size.max(1) as f64
    }
}

/// Reads what the cases cite, at the commits that they name.
pub(crate) fn captured<'c>(
    cases: &[&'c Case],
    checkouts: &BTreeMap<&str, Checkout>,
) -> Result<Vec<Question<'c>>> {
    let groups = grouped(cases, |it| (it.repo.as_str(), it.then.as_str()));
    let read = pool::work(
        "reading what was cited",
        &groups,
        |((repo, then), which)| {
            let source = commit(checkouts, repo, then)?;
            which
                .iter()
                .map(|at| Ok((*at, question(cases[*at], &source)?)))
                .collect::<Result<Vec<_>>>()
        },
    )?;
    let mut questions: Vec<(usize, Question<'c>)> = read.into_iter().flatten().collect();
    questions.sort_by_key(|it| it.0);
    Ok(questions.into_iter().map(|it| it.1).collect())
}

fn question<'c>(case: &'c Case, then: &dyn Source) -> Result<Question<'c>> {
    let place = CodeLocation::new(&case.path, case.line_start, case.line_end)
        .with_context(|| format!("case {} cites no place", case.id))?;
    let digest = case
        .snippet_sha256
        .parse()
        .with_context(|| format!("case {} has no digest", case.id))?;
    let pin = PartialCitation {
        place,
        commit: Some(case.then.clone()),
        digest: Some(digest),
        text: None,
    };
    let citation = pin.resolve_citation(Some(then), &NoRepositorySource);
    Ok(Question {
        case,
        pin,
        citation,
    })
}

/// Looks everything up with every method: the answers of each method in the order of the questions, and its batches.
pub(crate) fn answered(
    questions: &[Question<'_>],
    checkouts: &BTreeMap<&str, Checkout>,
) -> Result<(Vec<Vec<Answer>>, Vec<Batch>)> {
    let groups = grouped(questions, |it| {
        (it.case.repo.as_str(), it.case.now.as_str())
    });
    let done = pool::work("looking up", &groups, |((repo, now), which)| {
        let asked: Vec<&Question<'_>> = which.iter().map(|at| &questions[*at]).collect();
        METHODS
            .iter()
            .map(|method| run(*method, checkouts, (repo, now), &asked))
            .collect::<Result<Vec<_>>>()
    })?;
    let mut answers: Vec<Vec<(usize, Answer)>> = vec![Vec::new(); METHODS.len()];
    let mut batches = Vec::new();
    for ((_, which), methods) in groups.iter().zip(done) {
        for (at, (guesses, batch)) in methods.into_iter().enumerate() {
            let ms = batch.each();
            answers[at].extend(
                which
                    .iter()
                    .zip(guesses)
                    .map(|(at, guess)| (*at, Answer { guess, ms })),
            );
            batches.push(batch);
        }
    }
    let in_order = |mut it: Vec<(usize, Answer)>| {
        it.sort_by_key(|it| it.0);
        it.into_iter().map(|it| it.1).collect()
    };
    Ok((answers.into_iter().map(in_order).collect(), batches))
}

/// One method on one batch, with a source of its own: starting git is part of what it takes.
fn run(
    method: Method,
    checkouts: &BTreeMap<&str, Checkout>,
    (repo, now): (&str, &str),
    asked: &[&Question<'_>],
) -> Result<(Vec<Guess>, Batch)> {
    let source = commit(checkouts, repo, now)?;
    let engine::Told {
        guesses,
        time,
        seen,
    } = method.tell(&source, asked);
    let ms = time.as_secs_f64() * 1e3;
    let blamed = if seen.failures.is_empty() {
        Vec::new()
    } else {
        blamed(method, &source, asked, &guesses)
    };
    let provoked = if method.is_ours() {
        provoked(method, &source, asked, &guesses)
    } else {
        Provoked::default()
    };
    let (repo, now, size) = (repo.to_owned(), now.to_owned(), asked.len());
    Ok((
        guesses,
        Batch {
            method,
            repo,
            now,
            size,
            ms,
            seen,
            blamed,
            provoked,
        },
    ))
}

/// Which citations were flagged although something could not be read. Each is looked up alone, because a batch does not
/// say whose read it was that failed.
fn blamed(
    method: Method,
    source: &Commit,
    asked: &[&Question<'_>],
    guesses: &[Guess],
) -> Vec<String> {
    let flagged = asked
        .iter()
        .zip(guesses)
        .filter(|it| it.1.is_flag())
        .map(|it| it.0);
    let alone = flagged.filter_map(|question| {
        let told = method.tell(source, &[question]);
        let why = told
            .seen
            .failures
            .into_iter()
            .next()
            .filter(|_| told.guesses.iter().any(Guess::is_flag))?;
        Some(format!(
            "{} ({}): {why}",
            question.case.id, question.case.repo
        ))
    });
    alone.collect()
}

/// Asks once more, of a source that does not answer everything.
fn provoked(method: Method, source: &Commit, asked: &[&Question<'_>], whole: &[Guess]) -> Provoked {
    let told = method.tell(&Failing(source), asked);
    let blamed = failing::blamed(whole, &told.guesses).into_iter().map(|at| {
        let case = asked[at].case;
        format!(
            "{} ({}): {}:{}",
            case.id, case.repo, case.path, case.line_start
        )
    });
    Provoked {
        failed: told.seen.failures.len(),
        unknown: told.guesses.iter().filter(|it| it.word().is_none()).count(),
        blamed: blamed.collect(),
    }
}

fn commit(checkouts: &BTreeMap<&str, Checkout>, repo: &str, id: &str) -> Result<Commit> {
    let checkout = checkouts
        .get(repo)
        .with_context(|| format!("the repository {repo} is not open"))?;
    Commit::new(checkout, id).with_context(|| format!("{repo} has no commit {id}"))
}

/// The places in the list of all items with the same key, in the order of the keys.
fn grouped<'t, T, K: Ord>(items: &'t [T], key: impl Fn(&'t T) -> K) -> Vec<(K, Vec<usize>)> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        groups.entry(key(item)).or_default().push(at);
    }
    groups.into_iter().collect()
}
