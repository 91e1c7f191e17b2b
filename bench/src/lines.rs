//! Files of one JSON object a line, packed or not.

use std::fs::File;
use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
};

use anyhow::{Context as _, Result};
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;

/// Reads the lines of a file, packed with gzip where the name says so; at most `first` of them. `noun` is what a line
/// should be.
pub(crate) fn read<T: DeserializeOwned>(
    path: &Path,
    first: Option<usize>,
    noun: &str,
) -> Result<Vec<T>> {
    let file =
        File::open(path).with_context(|| format!("cannot read the {noun}s {}", path.display()))?;
    let is_packed = path.extension().is_some_and(|it| it == "gz");
    let text: Box<dyn Read> = if is_packed {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let lines = BufReader::new(text).lines().enumerate();
    let filled = lines.filter(|(_, line)| line.as_ref().map_or(true, |it| !it.trim().is_empty()));
    let rows = filled.map(|(at, line)| {
        let told = || format!("line {} of {} is no {noun}", at + 1, path.display());
        serde_json::from_str(&line.with_context(told)?).with_context(told)
    });
    rows.take(first.unwrap_or(usize::MAX)).collect()
}
