//! Secrets: what the write path catches, what it refuses wrongly, and the ways around it.
//!
//! The bars are about one half of the secrets, and rules are to be tuned on the other. The halves are told by the digest of
//! the secret: the same one in another sentence, or in a disguise, is on the same side.

use anyhow::Result;
use apostille_text::{digest::Digest, secrets::find_secret};
use serde::Deserialize;

use super::{
    Section,
    corpus::Corpus,
    tally::{Share, Tally},
};
use crate::table::Table;

mod evasion;

/// Classes of ordinary text that must never be refused: they are long and random, and public.
const PUBLIC: [&str; 12] = [
    "base64-image",
    "cargo-lock-checksum",
    "commit-message-with-sha",
    "docker-digest",
    "gha-pinned-sha",
    "go-sum",
    "npm-integrity",
    "pem-cert-or-pubkey-header",
    "py-lock-hash",
    "sha1-or-sha256-line",
    "ssh-public-key",
    "uuid-line",
];
/// What other scanners let pass: keys of a wrong length, keys on a list of known ones, whole private keys marked as
/// tests. No developer writes them in a sentence, and to a reader they are keys; they are counted apart.
const NEAR_MISSES: &str = "scanner-negative";
/// How many examples are told of each thing that went wrong.
const FEW: usize = 40;

#[derive(Deserialize)]
struct Positive {
    text: String,
    secret: String,
    label: String,
    tier: String,
    carrier: String,
}

impl Positive {
    /// Whether the row is of the half that rules are not tuned on.
    fn is_held_out(&self) -> bool {
        Digest::hash_bytes(self.secret.as_bytes()).as_bytes()[0] & 1 == 1
    }

    /// Whether what a scanner's test calls a secret is the name of a host: `company.okta.com`. It is public, and sentences
    /// about deployments are full of them; the tables count them apart.
    fn is_host_name(&self) -> bool {
        let is_label = |it: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
            !it.is_empty() && it.chars().all(is_part)
        };
        let top = self.secret.rsplit('.').next().unwrap_or_default();
        self.secret.contains('.')
            && self.secret.split('.').all(is_label)
            && ["com", "net", "io", "org"].contains(&top)
    }

    /// The rows that it is counted among.
    fn group(&self) -> String {
        let half = if self.is_held_out() {
            "held out"
        } else {
            "tuned"
        };
        let host = if self.is_host_name() {
            ", host names"
        } else {
            ""
        };
        format!("tier {}, {}, {half}{host}", self.tier, self.carrier)
    }
}

/// A sentence that tells a password, or one that developers write and that has no secret in it.
#[derive(Deserialize)]
struct Sentence {
    text: String,
    kind: String,
}

#[derive(Deserialize)]
struct Negative {
    text: String,
    cls: String,
}

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let positives: Vec<Positive> = corpus.rows("secrets.positive")?;
    let negatives: Vec<Negative> = corpus.rows("secrets.negative")?;
    let mut section = caught(&positives);
    let told: Vec<Sentence> = corpus.rows_if_there("secrets.sentence")?;
    let hard: Vec<Sentence> = corpus.rows_if_there("secrets.hard")?;
    let more = [
        refused(&negatives),
        evaded(&positives),
        sentences(&told, &hard),
    ];
    for it in more {
        section.bars.extend(it.bars);
        section.tables.extend(it.tables);
        section.notes.extend(it.notes);
    }
    Ok(section)
}

fn caught(positives: &[Positive]) -> Section {
    let (mut tally, mut missed) = (Tally::default(), Vec::new());
    for row in positives {
        let group = row.group();
        let is_caught = find_secret(&row.text).is_some();
        tally.add(&group, is_caught);
        // Bare secrets without a form of their own are counted, and not told: nothing can see them.
        if !is_caught && (row.tier == "A" || row.carrier == "keyword") {
            missed.push(format!(
                "not caught ({group}, {}): {}",
                row.label,
                short(&row.text)
            ));
        }
    }
    // Host names count in the bars: what a scanner's test calls a secret is not for us to choose.
    let held_out = |kind: &str| tally.sum(|it| it.starts_with(&format!("{kind}, held out")));
    let without_hosts = |kind: &str| tally.of(&format!("{kind}, held out"));
    Section {
        bars: vec![
            held_out("tier A, keyword").bar(
                "secrets of known formats, with a keyword",
                "≥ 97 %",
                |it| it >= 97.0,
            ),
            without_hosts("tier A, keyword")
                .bar("the same without host names", "≥ 97 %", |it| it >= 97.0),
            held_out("tier A, bare").bar("secrets of known formats, bare", "≥ 96 %", |it| {
                it >= 96.0
            }),
            without_hosts("tier A, bare")
                .bar("the same without host names", "≥ 96 %", |it| it >= 96.0),
            held_out("tier B, keyword")
                .bar("other secrets, with a keyword", "≥ 75 %", |it| it >= 75.0),
        ],
        tables: vec![("Secrets caught".into(), tally.table("class", "caught"))],
        notes: few(missed),
    }
}

fn refused(negatives: &[Negative]) -> Section {
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for row in negatives {
        let rule = find_secret(&row.text);
        tally.add(&row.cls, rule.is_some());
        let rule = rule.filter(|_| row.cls != NEAR_MISSES);
        wrong.extend(
            rule.map(|rule| format!("refused ({}, {rule}): {}", row.cls, short(&row.text))),
        );
    }
    let public = tally.sum(|it| PUBLIC.contains(&it));
    let ordinary = tally.sum(|it| it != NEAR_MISSES);
    wrong.push(format!(
        "scanners' own counter-examples: {} refused; among them are keys that a scanner knows by heart, private keys that \
         it skips by the name of their file, tokens one letter too long or too short, and fillings (a prefix and one letter \
         over and over) that the positives count as secrets: a memory needs none of them",
        tally.of(NEAR_MISSES).text(),
    ));
    Section {
        bars: vec![
            ordinary.bar(
                "ordinary text (wild) refused as a secret",
                "≤ 0.2 %",
                |it| it <= 0.2,
            ),
            tally.sum(|_| true).bar(
                "all negatives, scanners' own counter-examples included",
                "≤ 0.5 %",
                |it| it <= 0.5,
            ),
            public.bar(
                "checksums, digests, hashes, UUIDs, images, public keys refused",
                "0",
                |it| it == 0.0,
            ),
        ],
        tables: vec![(
            "Ordinary text refused as a secret".into(),
            tally.table("class", "refused"),
        )],
        notes: few(wrong),
    }
}

/// Sentences that tell a password, and developers' hard ones that tell none; not measured where the folder has neither.
fn sentences(told: &[Sentence], hard: &[Sentence]) -> Section {
    let (mut caught, mut refused, mut notes) = (Tally::default(), Tally::default(), Vec::new());
    for row in told {
        let is_caught = find_secret(&row.text).is_some();
        caught.add(&row.kind, is_caught);
        notes.extend(
            (!is_caught).then(|| format!("not caught ({}): {}", row.kind, short(&row.text))),
        );
    }
    for row in hard {
        let rule = find_secret(&row.text);
        refused.add(&row.kind, rule.is_some());
        notes.extend(rule.map(|it| format!("refused ({}, {it}): {}", row.kind, short(&row.text))));
    }
    Section {
        bars: vec![
            caught
                .sum(|_| true)
                .bar("passwords told in sentences", "≥ 90 %", |it| it >= 90.0),
            refused
                .sum(|_| true)
                .bar("hard ordinary text refused as a secret", "≤ 1.5 %", |it| {
                    it <= 1.5
                }),
        ],
        tables: vec![
            (
                "Passwords told in sentences".into(),
                caught.table("language", "caught"),
            ),
            (
                "Hard ordinary text refused".into(),
                refused.table("kind", "refused"),
            ),
        ],
        notes: few(notes),
    }
}

/// Tier A in every disguise, in the sentence that carries it.
fn evaded(positives: &[Positive]) -> Section {
    let (mut rows, mut named, mut notes) = (Vec::new(), Share::default(), Vec::new());
    for way in evasion::WAYS {
        let mut share = Share::default();
        for row in positives.iter().filter(|it| it.tier == "A") {
            let Some(text) = evasion::disguised(&row.text, &row.secret, way) else {
                continue;
            };
            let is_caught = find_secret(&text).is_some();
            share.add(is_caught);
            if way.is_named && row.is_held_out() {
                named.add(is_caught);
            }
            if !is_caught && way.is_named {
                notes.push(format!(
                    "not caught ({}, {}): {}",
                    way.name,
                    row.label,
                    short(&text)
                ));
            }
        }
        let percent = share.percent().map_or("–".into(), |it| format!("{it:.2}"));
        let is_named = if way.is_named { "yes" } else { "–" };
        rows.push(vec![
            way.name.into(),
            is_named.into(),
            share.all.to_string(),
            share.hits.to_string(),
            percent,
        ]);
    }
    let table = Table {
        head: vec!["way", "in the bar", "rows", "caught", "%"],
        rows,
    };
    Section {
        bars: vec![named.bar(
            "known formats, disguised: zero-width, full-width, newline, CJK",
            "≥ 95 %",
            |it| it >= 95.0,
        )],
        tables: vec![("Known formats, disguised".into(), table)],
        notes: few(notes),
    }
}

/// The first few, and how many there are.
fn few(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(FEW);
    lines.truncate(FEW);
    lines.extend((more > 0).then(|| format!("… and {more} more")));
    lines
}

fn short(text: &str) -> String {
    let line: String = text.chars().take(160).collect();
    line.escape_debug().to_string()
}
