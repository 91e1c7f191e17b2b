//! What was said about something, for who asks for it: the conversations that have its words, with the sentences that decide.

use std::collections::BTreeSet;

use super::{
    Archive, ArchiveFilter, ArchiveKind, ArchiveRecord, PassageSpeaker,
    excerpt::{ArchiveQuote, choose_quotes},
    search::{ArchiveQuery, search_archive},
};
use crate::{Context, CoreError, space::Space, store::StoreResult};
use apostille_text::shorten::shorten_text;

/// How far behind the best a conversation may be.
const NEAR: f32 = 0.2;
/// How many are shown, unless it is said.
const COUNT: usize = 5;
/// How much of each is quoted, in characters.
const QUOTE_CHARS: usize = 800;
/// How much of the beginning is shown where no sentence decides.
const OPENING_CHARS: usize = 240;

/// What is asked of the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidRequest<'a> {
    /// In which repository.
    pub space: &'a Space,
    /// The question; the latest conversations where there is none.
    pub text: &'a str,
    /// Which conversations may answer.
    pub filter: ArchiveFilter,
    /// At most so many.
    pub count: Option<usize>,
}

/// A conversation that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidHit {
    /// The conversation.
    pub record: ArchiveRecord,
    /// What is quoted of it.
    pub quotes: Vec<ArchiveQuote>,
    /// Those of the conversations beside it that were about the same thing earlier, by number.
    pub earlier: Vec<u64>,
}

/// What was said about something, the best first, each followed by what was said later on the same matter. `None` where
/// conversations are not kept.
pub fn recall_said(
    cx: &Context,
    request: &SaidRequest<'_>,
) -> Result<Option<Vec<SaidHit>>, CoreError> {
    let Some(archive) = cx.archive else {
        return Ok(None);
    };
    let count = request.count.unwrap_or(COUNT);
    let query = ArchiveQuery {
        space: request.space,
        kind: ArchiveKind::Conversation,
        text: request.text,
        filter: request.filter.clone(),
        count,
    };
    let mut found = search_archive(archive, &query)?;
    let best = found.first().map_or(0.0, |it| it.score);
    found.retain(|it| it.score >= best * NEAR);
    let found = found.into_iter().map(|it| it.record).collect();
    let mut records = add_later_records(archive, found)?;
    records.truncate(count);
    let earlier: Vec<Vec<u64>> = records
        .iter()
        .map(|it| list_earlier_numbers(it, &records))
        .collect();
    let hits = records.into_iter().zip(earlier);
    let hits = hits.map(|(record, earlier)| SaidHit {
        quotes: quote_record(&record, request.text),
        record,
        earlier,
    });
    Ok(Some(hits.collect()))
}

/// Those of some conversations that are about the same thing as one of them, and ended before it.
fn list_earlier_numbers(record: &ArchiveRecord, all: &[ArchiveRecord]) -> Vec<u64> {
    let is_earlier =
        |it: &&ArchiveRecord| it.ended_at < record.ended_at && record.related.contains(&it.number);
    let earlier = all.iter().filter(is_earlier);
    earlier.map(|it| it.number).collect()
}

/// The conversations about the same thing that ended after this one, the latest first.
pub fn list_later_records(
    archive: &dyn Archive,
    record: &ArchiveRecord,
) -> StoreResult<Vec<ArchiveRecord>> {
    let related: Vec<u64> = record.related.iter().copied().collect();
    let mut later = archive.read_records(&related)?;
    later.retain(|it| it.ended_at > record.ended_at);
    later.sort_by_key(|it| std::cmp::Reverse((it.ended_at, it.number)));
    Ok(later)
}

/// Puts what was said later on the same matter right before what it may have changed.
fn add_later_records(
    archive: &dyn Archive,
    found: Vec<ArchiveRecord>,
) -> Result<Vec<ArchiveRecord>, CoreError> {
    let (mut records, mut seen) = (Vec::new(), BTreeSet::new());
    for record in found {
        let later = list_later_records(archive, &record)?;
        for it in later.into_iter().chain([record]) {
            if seen.insert(it.number) {
                records.push(it);
            }
        }
    }
    Ok(records)
}

fn quote_record(record: &ArchiveRecord, question: &str) -> Vec<ArchiveQuote> {
    let quotes = choose_quotes(record, question, QUOTE_CHARS);
    if !quotes.is_empty() {
        return quotes;
    }
    let mut own = record.passages.iter();
    let first = own.find(|it| it.speaker != PassageSpeaker::Agent && !it.text.is_empty());
    let opening = first.map(|it| ArchiveQuote {
        passage: it.number,
        speaker: it.speaker,
        text: shorten_text(&it.text.replace('\n', " "), OPENING_CHARS),
        answered: None,
    });
    opening.into_iter().collect()
}
