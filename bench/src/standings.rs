//! The suite `facts`: facts about real histories, judged at a later commit. Is what is still true shown, and is what became
//! false withheld or marked?
//!
//! Each case is cited at one commit and judged at another, as `remember` and `verify` do it. A case is *edited* when its cited
//! lines were touched between the two. Shares are of the cases of one set, which over-samples edited code.

mod case;
mod table;

use std::{collections::BTreeMap, fmt::Write as _};

use anyhow::{Context as _, Result, bail};
use apostille_cite::{
    capture::capture_lines,
    citation::{Citation, CodeLocation},
    follow::{CitationFollower, CitedClaim, FAR, JudgedClaim},
    verdict::Change,
};
use apostille_git::git::{Checkout, Commit};

use crate::{
    args::{Args, Ask},
    citations::{pool, repos},
    scratch,
};
use case::FactCase;
use table::FactOutcome;

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, ask: &Ask) -> Result<()> {
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let (Some(path), Some(folder)) = (&ask.cases, &ask.repos) else {
        bail!("facts needs cases and a folder");
    };
    let cases: Vec<FactCase> = crate::lines::read(path, ask.first, "case")?;
    let mut checkouts = BTreeMap::new();
    let mut notes = Vec::new();
    for case in &cases {
        if checkouts.contains_key(case.repo.as_str()) {
            continue;
        }
        match repos::open(folder, &case.repo, scratch.path())? {
            Some(checkout) => drop(checkouts.insert(case.repo.as_str(), checkout)),
            None => notes.push(format!("LEFT OUT: {} is not in the folder", case.repo)),
        }
    }
    notes.dedup();
    let outcomes = judged(&cases, &checkouts)?;
    print!("{}", table::text(&outcomes, args.markdown));
    for note in &notes {
        println!("{note}");
    }
    if let Some(path) = &ask.predictions {
        crate::write(path, &rows(&outcomes))?;
    }
    Ok(())
}

/// Every case whose repository is there, with how it stands.
fn judged<'c>(
    cases: &'c [FactCase],
    checkouts: &BTreeMap<&str, Checkout>,
) -> Result<Vec<FactOutcome<'c>>> {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&FactCase>> = BTreeMap::new();
    for case in cases
        .iter()
        .filter(|it| checkouts.contains_key(it.repo.as_str()))
    {
        let key = (case.repo.as_str(), case.then.as_str(), case.now.as_str());
        groups.entry(key).or_default().push(case);
    }
    let groups: Vec<_> = groups.into_iter().collect();
    let done = pool::work("judging", &groups, |((repo, then, now), cases)| {
        judge_group(&checkouts[repo], then, now, cases)
    })?;
    Ok(done.into_iter().flatten().collect())
}

/// The cases of one repository and one pair of commits.
fn judge_group<'c>(
    checkout: &Checkout,
    then: &str,
    now: &str,
    cases: &[&'c FactCase],
) -> Result<Vec<FactOutcome<'c>>> {
    let source = Commit::new(checkout, then).with_context(|| format!("no commit {then}"))?;
    let mut cited: Vec<(&FactCase, Vec<Citation>)> = Vec::new();
    for case in cases {
        let citations: Result<Vec<Citation>> = case
            .places()
            .into_iter()
            .map(|(path, start, end)| {
                Ok(capture_lines(
                    &source,
                    &CodeLocation::new(path, start, end)?,
                )?)
            })
            .collect();
        cited.push((
            case,
            citations.with_context(|| format!("case {}", case.id))?,
        ));
    }
    let source = Commit::new(checkout, now).with_context(|| format!("no commit {now}"))?;
    let in_time = || false;
    let mut follower = CitationFollower::new(&source, Change::Comment, &in_time, FAR);
    let claims: Vec<CitedClaim<'_>> = cited
        .iter()
        .map(|(case, citations)| CitedClaim {
            fact: &case.fact,
            citations,
        })
        .collect();
    let judged = follower.judge_claims(&claims);
    let outcome = |((case, _), judged): (&(&'c FactCase, Vec<Citation>), JudgedClaim)| {
        FactOutcome { case, judged }
    };
    Ok(cited.iter().zip(judged).map(outcome).collect())
}

/// One JSON object a line, for whoever looks at single cases.
fn rows(outcomes: &[FactOutcome<'_>]) -> String {
    let mut out = String::new();
    for it in outcomes {
        let verdicts: Vec<&str> = it
            .judged
            .findings
            .iter()
            .map(|it| it.verdict.as_str())
            .collect();
        let judgement = &it.judged.judgement;
        let row = serde_json::json!({
            "id": it.case.id, "truth": it.case.truth, "touched": it.case.touched, "set": it.case.set, "width": it.case.width,
            "repo": it.case.repo, "fact": it.case.fact, "standing": judgement.standing.as_str(),
            "shown": judgement.standing.showing().as_str(), "verdicts": verdicts, "how": it.case.how,
            "at": judgement.at.as_ref().map(ToString::to_string),
        });
        let _ = writeln!(out, "{row}");
    }
    out
}
