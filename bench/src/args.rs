//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

/// How to call it.
pub(crate) const USAGE: &str = "\
cargo run --release -p bench -- [store|cold|all] [options]

  store            remember and recall on a growing store, beside their floors (default)
  cold             starting the program and recalling once, beside starting /bin/true
  all              both

  --max N          largest store: 1k, 10k, 100k (default) or 1m
  --seconds N      bound for the whole run (default 120); what does not fit is left out and named
  --bin FILE       the program for `cold` (default: apostille beside this one)
  --dir DIR        scratch folder on a disk (default: the system's, unless that is in memory)
  --json FILE      write the figures as JSON
  --svg FILE       write the plot of growth
  --markdown       print Markdown instead of plain tables";

/// Everything asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Args {
    /// Whether the store is measured.
    pub(crate) store: bool,
    /// Whether cold starts are measured.
    pub(crate) cold: bool,
    /// How many memories the largest store has.
    pub(crate) max: usize,
    /// How long the run may take.
    pub(crate) limit: Duration,
    /// The program for cold starts.
    pub(crate) bin: Option<PathBuf>,
    /// Where scratch files go.
    pub(crate) dir: Option<PathBuf>,
    /// Where the figures go.
    pub(crate) json: Option<PathBuf>,
    /// Where the plot goes.
    pub(crate) svg: Option<PathBuf>,
    /// Whether Markdown is printed.
    pub(crate) markdown: bool,
    /// Whether only the usage is to be printed.
    pub(crate) help: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            store: true,
            cold: false,
            max: 100_000,
            limit: Duration::from_secs(120),
            bin: None,
            dir: None,
            json: None,
            svg: None,
            markdown: false,
            help: false,
        }
    }
}

impl Args {
    /// Reads the arguments behind the program's name.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut args = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "store" | "cold" | "all" => {
                    (args.store, args.cold) = (word != "cold", word != "store");
                }
                "--max" => args.max = size(&value()?)?,
                "--seconds" => args.limit = Duration::from_secs(value()?.parse()?),
                "--bin" => args.bin = Some(value()?.into()),
                "--dir" => args.dir = Some(value()?.into()),
                "--json" => args.json = Some(value()?.into()),
                "--svg" => args.svg = Some(value()?.into()),
                "--markdown" => args.markdown = true,
                "--help" | "-h" => args.help = true,
                other => bail!("'{other}' is not known\n\n{USAGE}"),
            }
        }
        Ok(args)
    }
}

fn size(text: &str) -> Result<usize> {
    match text.to_ascii_lowercase().as_str() {
        "1k" => Ok(1_000),
        "10k" => Ok(10_000),
        "100k" => Ok(100_000),
        "1m" => Ok(1_000_000),
        other => Err(anyhow!("--max is 1k, 10k, 100k or 1m, not '{other}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Args> {
        Args::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(parsed("").unwrap(), Args::default());
        let args = parsed("all --max 1m --seconds 600 --svg plot.svg --markdown").unwrap();
        assert!(args.store && args.cold && args.markdown);
        assert_eq!((args.max, args.limit.as_secs()), (1_000_000, 600));
        assert_eq!(args.svg, Some("plot.svg".into()));
        assert!(!parsed("cold").unwrap().store);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(parsed("--max 7").is_err());
        assert!(parsed("--json").is_err());
        assert!(parsed("stoer").is_err());
    }
}
