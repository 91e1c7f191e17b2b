//! The suite `store`: remember and recall on a growing store, each in turns with its floor, so that whatever else the
//! machine does hits both alike.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{
    budget::{Budget, rounds},
    facts,
    fill::Filling,
    floor::{AnyWord, Bare, Entry, Lines},
    ours::{self, Code, Ours, PER_SPACE},
    report::{self, Report, Size},
    stats::Sample,
};

/// The sizes of the store.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// How often each is done before it is measured: patterns are compiled and statements prepared by then.
const WARM: usize = 20;
/// How often a recall is measured, and for how long.
const RECALLS: (usize, Duration) = (1_000, Duration::from_secs(6));
/// How often a remember is measured, and for how long.
const REMEMBERS: (usize, Duration) = (500, Duration::from_secs(9));
/// The space that is written and asked.
const SPACE: usize = 0;

/// What the suite works with.
pub(crate) struct Grow<'a> {
    /// The scratch folder.
    pub(crate) dir: &'a Path,
    /// The checkout.
    pub(crate) code: &'a Code,
    /// The time.
    pub(crate) budget: &'a Budget,
}

impl Grow<'_> {
    /// Measures stores of up to so many memories.
    pub(crate) fn run(&self, max: usize, report: &mut Report) -> Result<()> {
        let bare = Bare::filled(&self.file("bare"), SPACE, PER_SPACE)?;
        let size = bare.size()?;
        report.sizes.push(Size {
            what: "bare SQLite + FTS5",
            memories: PER_SPACE,
            bytes: size,
        });
        self.one_space(max, report)?;
        let mut filling = Filling::new(self.code, self.dir)?;
        for count in SIZES.into_iter().filter(|it| *it <= max) {
            if !filling.grow(count, self.budget)? {
                self.budget.leave_out(format!(
                    "the store of {count} memories: filling it takes too long"
                ));
                break;
            }
            self.level(&filling, count, &bare, report)?;
        }
        report.notes.push(format!(
            "Stores were filled through apostille_core::import with the file in memory ({} µs each), then copied to \
             the disk; ten spaces in turns, {PER_SPACE} memories each.",
            filling.pace().as_micros()
        ));
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.db"))
    }

    /// Measures one size of the store.
    fn level(
        &self,
        filling: &Filling<'_>,
        count: usize,
        bare: &Bare,
        report: &mut Report,
    ) -> Result<()> {
        let path = self.file(&format!("store-{count}"));
        let bytes = filling.copy_to(&path)?;
        report.sizes.push(Size {
            what: "apostille store",
            memories: count,
            bytes,
        });
        let ours = Ours::open(&path, self.code)?;
        anyhow::ensure!(
            ours.spaces()? == count / PER_SPACE,
            "the store has another number of spaces"
        );
        let small = self.smallest(filling, count)?;
        self.recalls(&ours, small.as_ref(), bare, (count, PER_SPACE), report)?;
        if count >= 100_000 {
            self.misspelt(&ours, (count, PER_SPACE), report)?;
        }
        self.remembers(&ours, count, report)
    }

    /// The store of one thousand as it was before anything was measured, to be asked in turns with a larger one.
    fn smallest(&self, filling: &Filling<'_>, count: usize) -> Result<Option<Ours<'_>>> {
        let kept = self.file("store-smallest");
        if count == PER_SPACE {
            filling.copy_to(&kept)?;
            return Ok(None);
        }
        Ok(Some(Ours::open(&kept, self.code)?))
    }

    fn recalls(
        &self,
        ours: &Ours<'_>,
        small: Option<&Ours<'_>>,
        bare: &Bare,
        (store, space): (usize, usize),
        report: &mut Report,
    ) -> Result<()> {
        let [mut floor, mut content, mut us, mut beside] = <[Sample; 4]>::default();
        for round in 0..WARM {
            let question = facts::question(SPACE, 1_000_000 + round);
            bare.query(&AnyWord::of(&question))?;
            ours.recall(space, &ours::ask(SPACE, question.clone())?)?;
            small
                .map(|it| it.recall(space, &ours::ask(SPACE, question)?))
                .transpose()?;
        }
        let mut shown = 0;
        for round in rounds(self.budget, RECALLS.0, RECALLS.1) {
            let question = facts::question(SPACE, round);
            let (all, few) = (AnyWord::of(&question), AnyWord::of_content(&question));
            floor.time(|| bare.query(&all))?;
            content.time(|| bare.query(&few))?;
            let ask = ours::ask(SPACE, question)?;
            shown += us.time(|| ours.recall(space + round, &ask))?.shown.len();
            small
                .map(|it| beside.time(|| it.recall(space + round, &ask)))
                .transpose()?;
        }
        report.add(report::QUERY, store, space, &floor);
        report.add(report::QUERY_CONTENT, store, space, &content);
        report.add(report::RECALL, store, space, &us);
        report.add(report::RECALL_BESIDE, store, space, &beside);
        let each = shown as f64 / us.summary().map_or(1.0, |it| it.n as f64);
        report.notes.push(format!(
            "Store {store}, space {space}: a recall showed {each:.1} memories in the mean."
        ));
        Ok(())
    }

    fn misspelt(
        &self,
        ours: &Ours<'_>,
        (store, space): (usize, usize),
        report: &mut Report,
    ) -> Result<()> {
        let mut us = Sample::default();
        for round in rounds(self.budget, RECALLS.0 / 4, RECALLS.1 / 4) {
            let ask = ours::ask(SPACE, facts::misspelt(&facts::question(SPACE, round)))?;
            us.time(|| ours.recall(space + round, &ask))?;
        }
        report.add(report::MISSPELT, store, space, &us);
        Ok(())
    }

    fn remembers(&self, ours: &Ours<'_>, store: usize, report: &mut Report) -> Result<()> {
        let bare = Bare::filled(&self.file(&format!("bare-{store}")), SPACE, PER_SPACE)?;
        let mut lines = Lines::new(&self.dir.join(format!("lines-{store}")))?;
        let [mut fsync, mut floor, mut us] = <[Sample; 3]>::default();
        let mut known = 0;
        for round in rounds(self.budget, WARM + REMEMBERS.0, REMEMBERS.1) {
            let index = PER_SPACE + round;
            let (draft, entry) = (ours.draft(SPACE, index)?, Entry::new(SPACE, index)?);
            let mut turn = [Duration::ZERO; 3];
            turn[0] = timed(|| lines.append())?.0;
            turn[1] = timed(|| bare.insert(&entry))?.0;
            let (time, kept) = timed(|| ours.remember(index, draft))?;
            known += usize::from(!kept);
            // A draft that is taken for something known is not written: no measure of a write.
            if kept && round >= WARM {
                turn[2] = time;
                [&mut fsync, &mut floor, &mut us]
                    .into_iter()
                    .zip(turn)
                    .for_each(|(it, time)| it.push(time));
            }
        }
        report.add(report::FSYNC, store, PER_SPACE, &fsync);
        report.add(report::INSERT, store, PER_SPACE, &floor);
        report.add(report::REMEMBER, store, PER_SPACE, &us);
        if known > 0 {
            report.notes.push(format!(
                "Store {store}: {known} drafts were taken for something known, and not kept."
            ));
        }
        Ok(())
    }

    /// Recall in a space that is large itself, alone in its file.
    fn one_space(&self, max: usize, report: &mut Report) -> Result<()> {
        let mut filling = Filling::new(self.code, self.dir)?;
        for count in SIZES
            .into_iter()
            .filter(|it| *it > PER_SPACE && *it <= (max / 10).max(10_000))
        {
            if !filling.grow_one(count, self.budget)? {
                self.budget.leave_out(format!(
                    "the space of {count} memories: filling it takes too long"
                ));
                break;
            }
            let path = self.file(&format!("space-{count}"));
            filling.copy_to(&path)?;
            let bare = Bare::filled(&self.file(&format!("bare-space-{count}")), SPACE, count)?;
            let ours = Ours::open(&path, self.code)?;
            self.recalls(&ours, None, &bare, (count, count), report)?;
        }
        Ok(())
    }
}

/// Runs something that can fail, and says how long it took.
pub(crate) fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let started = Instant::now();
    let done = run()?;
    Ok((started.elapsed(), done))
}
