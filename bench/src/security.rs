//! The suite `security`: texts that must not get in, texts that must get in as they are, and what that costs.
//!
//! Each section reads the corpora it needs, asks the program's own write path about every row, and hands back the bars
//! that it holds itself against and the tables behind them. What is kept back elsewhere has the same names, so the same
//! command runs on it.

mod corpus;
mod injection;
mod malformed;
mod origin;
mod page;
mod paths;
mod rollback;
mod room;
mod secrets;
pub(crate) mod speed;
mod tally;
mod tamper;
mod unicode;

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, bail};

use crate::{args::Args, bars::Bar, machine::Machine, scratch, table::Table};
use corpus::Corpus;
use page::Page;

/// What one section found out.
#[derive(Default)]
pub(crate) struct Section {
    /// The bars, each with its figure.
    pub(crate) bars: Vec<Bar>,
    /// The tables behind them, each with its title.
    pub(crate) tables: Vec<(String, Table)>,
    /// What is to be known about the figures; examples of what went wrong.
    pub(crate) notes: Vec<String>,
}

/// A section's name, and how it is measured. A new one is one line.
type Measure = (&'static str, fn(&Corpus) -> Result<Section>);

const SECTIONS: &[Measure] = &[
    ("secrets", secrets::measured),
    ("unicode", unicode::measured),
    ("injection", injection::measured),
    ("origin", origin::measured),
    ("paths", paths::measured),
    ("speed", speed::measured),
    ("rollback", rollback::measured),
    ("tampering", tamper::measured),
    ("malformed", malformed::measured),
];

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, folder: &Path) -> Result<()> {
    let started = Instant::now();
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let corpus = Corpus::new(folder, scratch.path());
    let measure =
        |(name, of): &Measure| of(&corpus).with_context(|| format!("the section {name} failed"));
    let is_asked = |it: &&Measure| args.section.as_ref().is_none_or(|name| name == it.0);
    let sections = SECTIONS
        .iter()
        .filter(is_asked)
        .map(measure)
        .collect::<Result<Vec<_>>>()?;
    if sections.is_empty() {
        let names: Vec<&str> = SECTIONS.iter().map(|it| it.0).collect();
        bail!("there is no such section; there are {}", names.join(", "));
    }
    let machine = Machine::look(scratch.path());
    let page = Page {
        machine,
        sections,
        seconds: started.elapsed().as_secs_f64(),
    };
    print!("{}", page.text(args.markdown));
    if let Some(path) = &args.json {
        crate::write(path, &format!("{:#}\n", page.json()))?;
    }
    Ok(())
}
