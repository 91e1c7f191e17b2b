//! A small checkout to cite: files of code, and as much of git as it takes to have a commit.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use apostille_cite::citation::{Citation, CodeLocation};
use apostille_core::remember::prove;
use apostille_git::{git::Checkout, worktree::WorkTree};
use jiff::Timestamp;

use crate::facts::{self, Dice};

/// How many files there are.
pub(crate) const FILES: usize = 150;
/// How many places are cited in each.
const PLACES: usize = 12;

/// Makes the checkout below this folder and opens it.
pub(crate) fn made(root: &Path) -> Result<WorkTree> {
    for file in 0..FILES {
        let path = root.join(facts::path(file));
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        let lines: Vec<String> = (0..lines(file))
            .map(|line| facts::code(file, line))
            .collect();
        fs::write(path, lines.join("\n") + "\n")?;
    }
    let git = root.join(".git");
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs/heads"))?;
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(
        git.join("refs/heads/main"),
        format!("{}\n", "5eed".repeat(10)),
    )?;
    fs::write(
        git.join("config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    )?;
    let checkout = Checkout::discover(root)?.context("the scratch checkout is not found")?;
    Ok(WorkTree::open(&checkout)?)
}

/// 40 to 300 lines: about 2 to 12 KB.
fn lines(file: usize) -> usize {
    40 + Dice::new(file, 0, 6).below(260)
}

/// Every place that memories cite.
pub(crate) fn places() -> Result<Vec<CodeLocation>> {
    let place = |at: usize| {
        let (file, start) = (at / PLACES, 1 + (at % PLACES) * 3);
        Ok(CodeLocation::new(
            &facts::path(file),
            u32::try_from(start)?,
            u32::try_from(start + at % 4)?,
        )?)
    };
    (0..FILES * PLACES).map(place).collect()
}

/// The places as they are read: what imported memories carry. Places that cannot be cited are left out.
pub(crate) fn read(source: &WorkTree, places: &[CodeLocation]) -> Result<Vec<Citation>> {
    let read: Vec<Citation> = places
        .iter()
        .filter_map(|it| prove::capture_citation(source, &it.into()).ok())
        .collect();
    if read.len() < places.len() / 2 {
        return Err(anyhow!(
            "only {} of {} places can be cited",
            read.len(),
            places.len()
        ));
    }
    Ok(read)
}

/// When the first memory was recorded: a minute lies between one and the next.
pub(crate) fn time(index: usize) -> Result<Timestamp> {
    Ok(Timestamp::from_second(
        1_760_000_000 + i64::try_from(index)? * 60,
    )?)
}
