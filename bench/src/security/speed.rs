//! What looking costs: a text of 500 characters, a kilobyte, and the first look of a fresh process.

use std::hint::black_box;
use std::{process::Command, time::Instant};

use anyhow::{Context as _, Result};
use apostille_core::{
    memory::{Draft, Origin, Voice},
    remember::moderate,
    space::Space,
};
use apostille_text::secrets;
use serde::Deserialize;

use super::{Section, corpus::Corpus};
use crate::{
    bars::Bar,
    stats::{Sample, Summary},
    table::Table,
};

/// The word that makes this program time its first look at a text and print the microseconds.
pub(crate) const FIRST_LOOK: &str = "--first-look";
/// How many characters a text of the bar has.
const CHARS: usize = 500;
/// How often each text is looked at; the quickest counts, since other programs only ever add to a time.
const ROUNDS: usize = 5;
/// How many fresh processes are asked.
const PROCESSES: usize = 15;
/// What a fresh process looks at: ordinary text with words that wake many rules.
const FIRST_TEXT: &str = "The staging API key is read from the token file at /etc/app/token.toml; the password of \
    the database user is set to the value of DB_PASSWORD, and commit 0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b \
    moved the secret to https://vault.internal/v1/kv2/app. Bearer auth is off, basic auth is on (ghp_ tokens work).";

#[derive(Deserialize)]
struct Row {
    text: String,
}

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let developer = texts(corpus, "injection.benign")?;
    let odd = texts(corpus, "secrets.negative")?;
    let foreign = timed(&cut(&texts(corpus, "unicode.legit")?), moderated);
    let (common, worst) = (cut(&developer), cut(&odd));
    let (moderation, hard) = (timed(&common, moderated), timed(&worst, moderated));
    let secrets = timed(&common, |it| secrets::find_secret(it).is_some());
    let hard_secrets = timed(&worst, |it| secrets::find_secret(it).is_some());
    let first = first_looks()?;
    let rows = [
        ("moderation, developer text", &moderation),
        ("moderation, checksums and other odd text", &hard),
        ("moderation, text of every script", &foreign),
        ("secrets alone, developer text", &secrets),
        ("secrets alone, checksums and other odd text", &hard_secrets),
        ("first look of a fresh process", &first),
    ];
    Ok(Section {
        bars: vec![
            below(
                "moderation of 500 characters, p50",
                "≤ 60 µs",
                &moderation,
                60.0,
            ),
            below(
                "the same, checksums and other odd text, p50",
                "≤ 60 µs",
                &hard,
                60.0,
            ),
            below(
                "the same, text of every script, p50",
                "≤ 100 µs",
                &foreign,
                100.0,
            ),
            below(
                "first look of a fresh process (rules compile lazily)",
                "≤ 5 ms",
                &first,
                5_000.0,
            ),
        ],
        tables: vec![("Time for 500 characters, in µs".into(), table(&rows))],
        notes: Vec::new(),
    })
}

fn texts(corpus: &Corpus, name: &str) -> Result<Vec<String>> {
    Ok(corpus
        .rows::<Row>(name)?
        .into_iter()
        .map(|it| it.text)
        .collect())
}

/// The rows, laid end to end and cut into texts of the bar's length: rows themselves are too short.
fn cut(rows: &[String]) -> Vec<String> {
    let all: Vec<char> = rows.join(". ").chars().collect();
    all.chunks_exact(CHARS)
        .map(|it| it.iter().collect())
        .collect()
}

/// The time for each text, in microseconds; the first round warms what is compiled once.
fn timed(texts: &[String], look: impl Fn(&str) -> bool) -> Option<Summary> {
    let mut sample = Sample::default();
    for text in texts {
        let time = || {
            let started = Instant::now();
            black_box(look(black_box(text)));
            started.elapsed()
        };
        time();
        (0..ROUNDS)
            .map(|_| time())
            .min()
            .into_iter()
            .for_each(|it| sample.push(it));
    }
    sample.summary()
}

/// Whether a fact of this text, with all that is said beside one, would come through the first stage of the write path.
fn moderated(text: &str) -> bool {
    Space::repo("acme/app").is_ok_and(|space| {
        let draft = Draft {
            subject: Some("build and release".into()),
            reason: Some(
                "Saves the next person an hour when the pipeline fails on a fresh checkout.".into(),
            ),
            tags: ["build", "ci", "release"].map(str::to_owned).into(),
            citations: "src/build/pipeline.rs:12-18".parse().into_iter().collect(),
            ..Draft::new(space, text, Voice::from_origin(Origin::Agent))
        };
        moderate::moderate_draft(draft).is_ok()
    })
}

/// Times the first look in this process, and prints it.
pub(crate) fn first_look() -> Result<()> {
    let started = Instant::now();
    black_box(moderated(black_box(FIRST_TEXT)));
    println!("{}", started.elapsed().as_secs_f64() * 1e6);
    Ok(())
}

/// The first look of fresh processes.
fn first_looks() -> Result<Option<Summary>> {
    let program = std::env::current_exe()?;
    let mut sample = Sample::default();
    for _ in 0..PROCESSES {
        let said = Command::new(&program).arg(FIRST_LOOK).output()?;
        let micros: f64 = String::from_utf8(said.stdout)?
            .trim()
            .parse()
            .context("a first look says no time")?;
        sample.push(std::time::Duration::from_secs_f64(micros / 1e6));
    }
    Ok(sample.summary())
}

fn below(what: &'static str, bar: &'static str, time: &Option<Summary>, limit: f64) -> Bar {
    let figure = time.as_ref().map(|it| crate::table::time(it.p50));
    Bar {
        what,
        bar,
        figure,
        holds: time.as_ref().map(|it| it.p50 <= limit),
    }
}

fn table(rows: &[(&str, &Option<Summary>)]) -> Table {
    let row = |(what, time): &(&str, &Option<Summary>)| {
        let told = |of: fn(&Summary) -> f64| {
            time.as_ref()
                .map_or("–".into(), |it| format!("{:.1}", of(it)))
        };
        let a_kilobyte = |it: &Summary| it.p50 * 1_024.0 / CHARS as f64;
        vec![
            (*what).to_owned(),
            told(|it| it.p50),
            told(|it| it.p99),
            told(a_kilobyte),
        ]
    };
    Table {
        head: vec!["what", "p50", "p99", "per kilobyte"],
        rows: rows.iter().map(row).collect(),
    }
}
