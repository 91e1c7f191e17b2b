//! Secrets: what the write path catches, what it refuses wrongly, and the ways around it.

use anyhow::Result;
use apostille_text::secrets::find_secret;
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
    let more = [refused(&negatives), evaded(&positives)];
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
        let group = format!("tier {}, {}", row.tier, row.carrier);
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
    let bar = |what, group, bar, least: f64| tally.of(group).bar(what, bar, move |it| it >= least);
    Section {
        bars: vec![
            bar(
                "secrets of known formats, with a keyword",
                "tier A, keyword",
                "≥ 95 %",
                95.0,
            ),
            bar(
                "secrets of known formats, bare",
                "tier A, bare",
                "≥ 95 %",
                95.0,
            ),
            bar(
                "other secrets, with a keyword",
                "tier B, keyword",
                "≥ 75 %",
                75.0,
            ),
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
                "≤ 0.5 %",
                |it| it <= 0.5,
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
            if way.is_named {
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
