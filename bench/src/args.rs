//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

use crate::{decisions::DecisionsAsk, model::ModelAsk, postgres::PostgresAsk, recall::RecallAsk};

/// How to call it.
pub(crate) const USAGE: &str = "\
cargo run --profile dist -p bench -- [store|cold|all] [options]
cargo run --profile dist -p bench -- mcp [options]
cargo run --profile dist -p bench -- http [options]
cargo run --profile dist -p bench -- postgres [options]
cargo run --profile dist -p bench -- citations CASES FOLDER [options]
cargo run --profile dist -p bench -- citations --speed [options]
cargo run --profile dist -p bench -- facts CASES FOLDER [options]
cargo run --profile dist -p bench -- security CORPORA [options]
cargo run --profile dist -p bench -- recall FILE... [options]
cargo run --profile dist -p bench -- prompts FILE... [options]
cargo run --profile dist -p bench -- decisions FOLDER [options]
cargo run --profile dist -p bench -- reviews FILE [--misses]
cargo run --release -p bench -- impact
cargo run --release -p bench -- reflect GIT_DIR...

  store            remember and recall on a growing store, beside their floors (default)
  cold             starting the program and recalling once, beside starting /bin/true; and as the hook of a client
  all              store and cold
  mcp              calls of a server on stdio, beside the same work in this process and an echo of the same SDK;
                   starts of servers, and eight of them on one store
  http             the socket of `apostille serve` with 10k memories: reads at a fixed rate, the pages of the panel, and
                   far more than can be done
  postgres         a team's store on a Postgres server of its own, beside bare statements: one client, many, and faults
  citations        citations of real histories, verified by Apostille and by simpler methods. CASES: one JSON object a
                   line, .gz or not; FOLDER: git directories of the repositories, as <repo>, <repo>.git,
                   <owner>/<name> or <owner>+<name>/repo. A timed batch on a repository of 10,000 files follows
  facts            facts about real histories that are true, false or gone at a later commit: how each stands, and whether
                   it would be shown. CASES and FOLDER as for citations
  security         texts that must not get in and texts that must, held against their bars. CORPORA: a folder of
                   secrets.positive.jsonl.gz and its like, one JSON object a line
  recall           questions with known answers, put to the real recall: R@1, R@5, R@10, MRR, nDCG@10, p50 and p99. FILE:
                   one task a line, .gz or not: an object of task, docs (id, text, ts, scope) and queries (qid, query, ts,
                   gold, type)
  prompts          prompts to a coding agent, with the memories that matter to each, put to the hook as a first and as a
                   later prompt. FILE: one repository a line, as in bench/prompts
  decisions        decisions made in chats and in commits, and whether the hook brings them back when a bug report needs
                   them: the program lives through every chat of a public data set, then is asked. FOLDER: a checkout of
                   https://github.com/vectorize-io/sde-bench

  reviews          review comments, labelled as rule, one-off or chatter, and which of them the rules take for rules:
                   precision and recall. FILE: one comment a line, an object of text and label; --misses also prints
                   what was taken wrongly and what was missed
  impact           simulated studies with a known effect: how often the comparison of sessions finds it, and how often one that
                   is not there
  reflect          files that changed together in real histories, held against the 200 commits that follow. GIT_DIR: a git
                   directory

  --max N          largest store: 1k, 10k, 100k (default) or 1m
  --seconds N      bound for the whole run (default 120); what does not fit is left out and named
  --bin FILE, --binary FILE
                   the program for `cold`, `mcp`, `http` and `decisions` (default: apostille beside this one)
  --dir DIR        scratch folder on a disk (default: the system's, unless that is in memory)
  --json FILE      write the figures as JSON
  --svg FILE       write the plot of growth
  --markdown       print Markdown instead of plain tables

  --memories N     (postgres) the largest database: 10000 (default) or 1000000, in spaces of a thousand; give --seconds

  --section NAME   (security) only this section, such as rollback

  --shown          (recall) also what a user would be shown, and how often something that has nothing to do with it
  --tasks A,B      (recall) only these tasks; --without-tasks A,B: not these
  --without-types A,B
                   (recall) not the questions of these types, such as adversarial
  --model FOLDER   (recall, prompts) also by meaning, with the model whose files are in this folder
  --vectors FILE   (recall, prompts) keep the model's vectors here for the next run

  --host FOLDER    (decisions) a clone of https://github.com/vectorize-io/boltons at 979fa9b, whose history the commits go
                   on top of (default: three commits)
  --half HALF      (decisions) only the tasks whose name has an even or odd SHA-256: even, odd
  --unrelated FILE (decisions) more prompts that have nothing to do with the data, one a line
  --own-pool       (decisions) also each task with its own chats and the 140 decoys only
  --lines FILE     (decisions) write what each question was shown

  --speed          (citations) only the timed batch; needs no cases
  --predictions FILE
                   (citations) write what each method says, for the scorer of the cases: one file for each method;
                   (facts) write how each case stands; (recall, prompts) write what each question found
  --limit N        (citations, facts) only the first N cases";

/// Everything asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Args {
    /// Whether the store is measured.
    pub(crate) store: bool,
    /// Whether cold starts are measured.
    pub(crate) cold: bool,
    /// Whether servers are measured, instead of a store.
    pub(crate) mcp: bool,
    /// Whether the server behind a socket is measured, instead of a store.
    pub(crate) http: bool,
    /// A team's store to measure, instead of one of this machine.
    pub(crate) postgres: Option<PostgresAsk>,
    /// Whether this process is to be the server that only echoes, for the suite `mcp`.
    pub(crate) echo: bool,
    /// How many memories the largest store has.
    pub(crate) max: usize,
    /// How long the run may take.
    pub(crate) limit: Duration,
    /// The program for cold starts and servers.
    pub(crate) bin: Option<PathBuf>,
    /// Where scratch files go.
    pub(crate) dir: Option<PathBuf>,
    /// Where the figures go.
    pub(crate) json: Option<PathBuf>,
    /// Where the plot goes.
    pub(crate) svg: Option<PathBuf>,
    /// Whether Markdown is printed.
    pub(crate) markdown: bool,
    /// Citations to verify, instead of a store to measure.
    pub(crate) citations: Option<Ask>,
    /// Questions to ask, instead of a store to measure.
    pub(crate) recall: Option<RecallAsk>,
    /// Files of prompts to put to the hook, instead of a store to measure.
    pub(crate) prompts: Vec<PathBuf>,
    /// The embedding model for recall and prompts.
    pub(crate) model: ModelAsk,
    /// Where what each prompt was shown goes.
    pub(crate) prompt_lines: Option<PathBuf>,
    /// Facts to judge, instead of a store to measure.
    pub(crate) facts: Option<Ask>,
    /// Decisions to bring back, instead of a store to measure.
    pub(crate) decisions: Option<DecisionsAsk>,
    /// Whether studies of sessions are simulated, instead of a store to measure.
    pub(crate) impact: bool,
    /// Histories to look for files that change together in, instead of a store to measure.
    pub(crate) reflect: Option<Vec<PathBuf>>,
    /// The folder of corpora for the suite `security`, instead of a store to measure.
    pub(crate) security: Option<PathBuf>,
    /// A file of labelled review comments, instead of a store to measure.
    pub(crate) reviews: Option<PathBuf>,
    /// Whether the comments that were judged wrongly are printed.
    pub(crate) shown_misses: bool,
    /// The one section of that suite that is asked for.
    pub(crate) section: Option<String>,
    /// Whether this process is to time its first look at a text, for the suite `security`.
    pub(crate) first_look: bool,
    /// Whether only the usage is to be printed.
    pub(crate) help: bool,
}

/// What is asked of the suite `citations`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ask {
    /// The cases.
    pub(crate) cases: Option<PathBuf>,
    /// The folder of git directories.
    pub(crate) repos: Option<PathBuf>,
    /// Where predictions go; each method's have its name in theirs.
    pub(crate) predictions: Option<PathBuf>,
    /// How many cases at most.
    pub(crate) first: Option<usize>,
    /// Whether the timed batch is asked for by itself.
    pub(crate) speed: bool,
}

impl Ask {
    /// Takes a word that is no option: the cases first, then the folder.
    fn take(&mut self, word: &str) -> bool {
        let free = if self.cases.is_none() {
            &mut self.cases
        } else {
            &mut self.repos
        };
        !word.starts_with('-') && free.is_none() && free.replace(word.into()).is_none()
    }

    fn check(&self) -> Result<()> {
        match (&self.cases, &self.repos) {
            (Some(_), None) => {
                bail!("it needs the folder of git directories behind the cases\n\n{USAGE}")
            }
            (None, _) if !self.speed => {
                bail!("it needs cases and a folder; citations may take --speed instead\n\n{USAGE}")
            }
            _ => Ok(()),
        }
    }
}

impl Default for Args {
    fn default() -> Self {
        Self {
            store: true,
            cold: false,
            mcp: false,
            http: false,
            postgres: None,
            echo: false,
            max: 100_000,
            limit: Duration::from_secs(120),
            bin: None,
            dir: None,
            json: None,
            svg: None,
            markdown: false,
            citations: None,
            facts: None,
            recall: None,
            prompts: Vec::new(),
            reviews: None,
            shown_misses: false,
            model: ModelAsk::default(),
            prompt_lines: None,
            decisions: None,
            impact: false,
            reflect: None,
            security: None,
            section: None,
            first_look: false,
            help: false,
        }
    }
}

impl Args {
    /// Reads the arguments behind the program's name.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut args = Self::default();
        let mut words = words.into_iter();
        let mut is_prompts = false;
        while let Some(word) = words.next() {
            let ask = args.citations.as_mut().or(args.facts.as_mut());
            if ask.is_some_and(|it| it.take(&word)) {
                continue;
            }
            if let Some(ask) = &mut args.recall
                && !word.starts_with('-')
            {
                ask.files.push(word.into());
                continue;
            }
            if args
                .decisions
                .as_mut()
                .is_some_and(|it| it.take_word(&word))
            {
                continue;
            }
            if let Some(histories) = &mut args.reflect
                && !word.starts_with('-')
            {
                histories.push(word.into());
                continue;
            }
            if is_prompts && !word.starts_with('-') {
                args.prompts.push(word.into());
                continue;
            }
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match word.as_str() {
                "store" | "cold" | "all" => {
                    (args.store, args.cold) = (word != "cold", word != "store");
                }
                "mcp" => args.mcp = true,
                "http" => args.http = true,
                "postgres" => args.postgres = Some(PostgresAsk::default()),
                "--memories" => args.postgres_ask(&word)?.memories = number(&word, &value()?)?,
                crate::mcp::echo::WORD => args.echo = true,
                "citations" => args.citations = Some(Ask::default()),
                "facts" => args.facts = Some(Ask::default()),
                "recall" => args.recall = Some(RecallAsk::default()),
                "prompts" => is_prompts = true,
                "decisions" => args.decisions = Some(DecisionsAsk::default()),
                "impact" => args.impact = true,
                "reflect" => args.reflect = Some(Vec::new()),
                "--host" => args.decisions_ask(&word)?.host = Some(value()?.into()),
                "--half" => args.decisions_ask(&word)?.set_half(&value()?)?,
                "--lines" => args.decisions_ask(&word)?.lines = Some(value()?.into()),
                "--unrelated" => args.decisions_ask(&word)?.unrelated = Some(value()?.into()),
                "--own-pool" => args.decisions_ask(&word)?.has_own_pool = true,
                "--shown" => args.recall_ask(&word)?.shown = true,
                "--model" => args.model.folder = Some(value()?.into()),
                "--vectors" => args.model.vectors = Some(value()?.into()),
                "--tasks" => args.recall_ask(&word)?.tasks = split_names(&value()?),
                "--without-tasks" => args.recall_ask(&word)?.without_tasks = split_names(&value()?),
                "--without-types" => args.recall_ask(&word)?.without_types = split_names(&value()?),
                "--predictions" if is_prompts => args.prompt_lines = Some(value()?.into()),
                "--predictions" if args.recall.is_some() => {
                    args.recall_ask(&word)?.predictions = Some(value()?.into());
                }
                "security" => args.security = Some(value()?.into()),
                "reviews" => args.reviews = Some(value()?.into()),
                "--misses" => args.shown_misses = true,
                "--section" => args.section = Some(value()?),
                crate::security::speed::FIRST_LOOK => args.first_look = true,
                "--speed" => args.ask(&word)?.speed = true,
                "--predictions" => args.ask(&word)?.predictions = Some(value()?.into()),
                "--limit" => args.ask(&word)?.first = Some(number(&word, &value()?)?),
                "--max" => args.max = size(&value()?)?,
                "--seconds" => args.limit = Duration::from_secs(value()?.parse()?),
                "--bin" | "--binary" => args.bin = Some(value()?.into()),
                "--dir" => args.dir = Some(value()?.into()),
                "--json" => args.json = Some(value()?.into()),
                "--svg" => args.svg = Some(value()?.into()),
                "--markdown" => args.markdown = true,
                "--help" | "-h" => args.help = true,
                other => bail!("'{other}' is not known\n\n{USAGE}"),
            }
        }
        let mut asked = args.citations.iter().chain(&args.facts);
        asked.try_for_each(Ask::check)?;
        if is_prompts && args.prompts.is_empty() {
            bail!("prompts needs a file\n\n{USAGE}");
        }
        if args
            .decisions
            .as_ref()
            .is_some_and(|it| it.folder.is_none())
        {
            bail!("decisions needs a folder\n\n{USAGE}");
        }
        Ok(args)
    }

    fn recall_ask(&mut self, option: &str) -> Result<&mut RecallAsk> {
        let ask = self.recall.as_mut();
        ask.with_context(|| format!("{option} goes behind recall"))
    }

    fn postgres_ask(&mut self, option: &str) -> Result<&mut PostgresAsk> {
        let ask = self.postgres.as_mut();
        ask.with_context(|| format!("{option} goes behind postgres"))
    }

    fn decisions_ask(&mut self, option: &str) -> Result<&mut DecisionsAsk> {
        let ask = self.decisions.as_mut();
        ask.with_context(|| format!("{option} goes behind decisions"))
    }

    /// What is asked of the suite that this option belongs to.
    fn ask(&mut self, option: &str) -> Result<&mut Ask> {
        self.citations
            .as_mut()
            .or(self.facts.as_mut())
            .with_context(|| format!("{option} goes behind citations or facts"))
    }
}

fn split_names(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn number(option: &str, text: &str) -> Result<usize> {
    text.parse()
        .with_context(|| format!("{option} is a number, not '{text}'"))
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
    use crate::decisions::TaskHalf;

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
        let args = parsed("mcp --bin apostille").unwrap();
        assert!(args.mcp && args.bin == Some("apostille".into()));
        assert!(parsed("http").unwrap().http);
        let args = parsed("postgres --memories 1000000").unwrap();
        assert_eq!(args.postgres.map(|it| it.memories), Some(1_000_000));
        assert!(parsed("--memories 10000").is_err());
    }

    #[test]
    fn citations_take_cases_and_a_folder() {
        let args =
            parsed("citations c.jsonl.gz mirrors --predictions p.jsonl --limit 9 --json o.json")
                .unwrap();
        let ask = args.citations.unwrap();
        assert_eq!(
            (ask.cases, ask.repos),
            (Some("c.jsonl.gz".into()), Some("mirrors".into()))
        );
        assert_eq!(
            (ask.predictions, ask.first, ask.speed),
            (Some("p.jsonl".into()), Some(9), false)
        );
        assert_eq!(args.json, Some("o.json".into()));
        assert!(
            parsed("citations --speed")
                .unwrap()
                .citations
                .is_some_and(|it| it.speed && it.cases.is_none())
        );
        for wrong in [
            "citations",
            "citations c.jsonl",
            "citations c mirrors more",
            "--limit 3",
            "citations c mirrors --limit many",
            "store --speed",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn decisions_take_a_folder_and_a_half() {
        let args = parsed("decisions data --host h --half odd --own-pool --lines l").unwrap();
        let expected = DecisionsAsk {
            folder: Some("data".into()),
            host: Some("h".into()),
            half: Some(TaskHalf::Odd),
            lines: Some("l".into()),
            unrelated: None,
            has_own_pool: true,
        };
        assert_eq!(args.decisions, Some(expected));
        for wrong in [
            "decisions",
            "decisions a b",
            "decisions a --half 3",
            "--host h",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn security_takes_a_folder() {
        assert_eq!(
            parsed("security corpora --markdown").unwrap().security,
            Some("corpora".into())
        );
        assert!(parsed("security").is_err());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(parsed("--max 7").is_err());
        assert!(parsed("--json").is_err());
        assert!(parsed("stoer").is_err());
    }
}
