//! A space of a hundred thousand memories taken back to its middle, and forth again: exact, and how long it takes.

use apostille_contract::sample_person;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use apostille_core::{
    event::LoggedEvent,
    memory::{
        Draft, DuplicateChoice, Handle, Memory, MemoryName, ReplacementKind, Stage, Status,
        UsageCounts,
    },
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
    rollback::{RollbackPlan, RollbackPoint, rollback},
    store::{EventPage, MemoryFilter, Store},
};
use tempfile::TempDir;

use super::{Section, corpus::Corpus};
use crate::{
    bars::Bar,
    ours::{self, Code, Ours},
    scratch,
    table::Table,
};

/// How many memories there are; half of them come after the point.
const MEMORIES: usize = 100_000;
/// The space that they are in.
const SPACE: usize = 0;
/// One memory in so many waits for approval; those after it are replaced, found wrong, stated again.
const STRIDE: usize = 20;
/// Up to which number things happen to memories before the point.
const EARLY: usize = 20_000;
/// How long it may take.
const LIMIT: Duration = Duration::from_secs(5);

type Standing = BTreeMap<u64, Memory>;

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let code = Code::made(&corpus.scratch().join("rollback-code"))?;
    let path = corpus.scratch().join("rollback.db");
    let (place, then) = filled(&code, corpus.scratch(), &path)?;
    let ours = Ours::open(&path, &code)?;
    let now = standing(ours.store())?;
    let (back, plan) = taken(&ours, RollbackPoint::Event(place))?;
    let after = standing(ours.store())?;
    let wrong_back = differences(&after, &then);
    let (forth, _) = taken(&ours, RollbackPoint::Undo)?;
    let wrong_forth = now
        .iter()
        .filter(|(number, it)| after_undo(ours.store(), **number).as_ref() != Some(*it))
        .count();
    let started = Instant::now();
    let problems = ours.store().check_health()?.problems;
    let looked = started.elapsed();
    ensure!(problems.is_empty(), "the store is not sound: {problems:?}");
    Ok(section(
        &[
            ("back to the middle", back),
            ("undone", forth),
            ("looked over", looked),
        ],
        &plan,
        wrong_back + wrong_forth,
    ))
}

fn section(times: &[(&str, Duration)], plan: &RollbackPlan, n_wrong: usize) -> Section {
    let slowest = times
        .iter()
        .take(2)
        .map(|it| it.1)
        .max()
        .unwrap_or_default();
    let row = |(what, time): &(&str, Duration)| {
        vec![(*what).to_owned(), format!("{:.2}", time.as_secs_f64())]
    };
    let bar = |what, bar, figure, holds| Bar {
        what,
        bar,
        figure: Some(figure),
        holds: Some(holds),
    };
    Section {
        bars: vec![
            bar(
                "rollback over 100,000 memories: stand otherwise",
                "0",
                n_wrong.to_string(),
                n_wrong == 0,
            ),
            bar(
                "rollback over 100,000 memories: time",
                "≤ 5 s",
                format!("{:.2} s", slowest.as_secs_f64()),
                slowest <= LIMIT,
            ),
        ],
        tables: vec![(
            "Rollback, in seconds".into(),
            Table {
                head: vec!["what", "s"],
                rows: times.iter().map(row).collect(),
            },
        )],
        notes: vec![format!(
            "the rollback restored {} memories and set {} aside",
            plan.count_restored(),
            plan.count_retired()
        )],
    }
}

/// Fills a store in memory and puts it on the disk: the place of the middle, and how everything stood there.
fn filled(code: &Code, disk: &Path, path: &Path) -> Result<(u64, Standing)> {
    let folder = match scratch::in_memory() {
        Some(folder) => folder,
        None => TempDir::new_in(disk)?,
    };
    let file = folder.path().join("store.db");
    let ours = Ours::open(&file, code)?;
    let half = MEMORIES / 2;
    grown(&ours, 0..half)?;
    happened(&ours, 1..=EARLY)?;
    let then = standing(ours.store())?;
    let page = EventPage {
        newest_first: true,
        limit: 1,
        ..EventPage::default()
    };
    let place = ours
        .store()
        .read_events(&ours::space(SPACE)?, &page)?
        .first()
        .map(|it: &LoggedEvent| it.seq)
        .context("a log")?;
    grown(&ours, half..MEMORIES)?;
    happened(&ours, EARLY + 1..=half)?;
    drop(ours);
    fs::copy(&file, path)?;
    File::open(path)?.sync_all()?;
    Ok((place, then))
}

fn grown(ours: &Ours<'_>, range: std::ops::Range<usize>) -> Result<()> {
    for index in range {
        let why = "waits for a person".to_owned();
        let status = if index % STRIDE == 0 {
            Status::Pending { why }
        } else {
            Status::Active
        };
        ours.import_as(SPACE, index, status)?;
    }
    Ok(())
}

/// Approves, replaces, invalidates and refreshes, one in [`STRIDE`] each.
fn happened(ours: &Ours<'_>, numbers: std::ops::RangeInclusive<usize>) -> Result<()> {
    let here = [ours::space(SPACE)?];
    for number in numbers {
        let name = MemoryName::Handle(Handle {
            letter: here[0].handle_letter(),
            number: number as u64,
        });
        let index = 2 * MEMORIES + number;
        let revised = match number % STRIDE {
            1 => ours.with(index, |cx| {
                revise::approve_memory(cx, sample_person(), &here, name)
            })??,
            2 => {
                let draft = Draft {
                    on_duplicate: DuplicateChoice::Ask,
                    ..ours.draft(SPACE, index)?
                };
                let how = ReplacementKind::Better;
                match ours.with(index, |cx| {
                    revise::supersede_memory(
                        cx,
                        apostille_contract::sample_speaker(),
                        &here,
                        name,
                        draft,
                        how,
                    )
                })?? {
                    RememberOutcome::Remembered { memory, .. } => ReviseOutcome::Done(memory),
                    other => return Err(anyhow!("memory {number} was not replaced: {other:?}")),
                }
            }
            3 => ours.with(index, |cx| {
                revise::invalidate_memory(
                    cx,
                    apostille_contract::sample_speaker(),
                    &here,
                    name,
                    "it is wrong",
                )
            })??,
            4 => ours.with(index, |cx| revise::refresh_memory(cx, &here, name))??,
            _ => continue,
        };
        if let ReviseOutcome::Refused(refusal) = revised {
            return Err(anyhow!("memory {number} was not revised: {refusal}"));
        }
    }
    Ok(())
}

/// The memories by number, without their counters, which are history.
fn standing(store: &dyn Store) -> Result<Standing> {
    let filter = MemoryFilter {
        spaces: vec![ours::space(SPACE)?],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let uncounted = |it: Memory| {
        (
            it.number,
            Memory {
                usage: UsageCounts::default(),
                ..it
            },
        )
    };
    Ok(store
        .list_memories(&filter)?
        .into_iter()
        .map(uncounted)
        .collect())
}

fn after_undo(store: &dyn Store, number: u64) -> Option<Memory> {
    let found = store
        .get_by_numbers(&ours::space(SPACE).ok()?, &[number])
        .ok()?
        .pop()?;
    Some(Memory {
        usage: UsageCounts::default(),
        ..found
    })
}

/// How many memories stand otherwise than they did; what came since must be retired.
fn differences(now: &Standing, then: &Standing) -> usize {
    let is_wrong = |(number, memory): &(&u64, &Memory)| match then.get(number) {
        Some(old) => *memory != old,
        None => memory.status.stage() != Stage::Retired,
    };
    now.iter().filter(is_wrong).count() + then.keys().filter(|it| !now.contains_key(it)).count()
}

fn taken(ours: &Ours<'_>, point: RollbackPoint) -> Result<(Duration, RollbackPlan)> {
    let space = ours::space(SPACE)?;
    let started = Instant::now();
    let plan = ours.with(3 * MEMORIES, |cx| {
        rollback(cx, sample_person(), &space, point)
    })??;
    Ok((started.elapsed(), plan.context("the log has this point")?))
}
