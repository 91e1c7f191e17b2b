//! What the person decided last, given back when the agent no longer has it before it: after the client dropped what was said,
//! and when a new session takes up a task.

use apostille_core::{
    Context, CoreError,
    archive::{
        Archive, ArchiveFilter, ArchiveHandle, ArchiveKind, ArchiveRecord, ArchiveScope,
        PassageSpeaker,
        excerpt::{ArchiveQuote, choose_quotes},
    },
    format::format_utc_day,
};

use super::{Briefing, BriefingAudience, page::BriefingPage, past_words::format_quote};

/// What stands above the words of the session itself.
pub const DECIDED: &str =
    "What your user decided earlier in this session (their words, the last ones):";
/// What stands above the words of the last session of the task.
pub const DECIDED_IN_TASK: &str = "What your user decided when this task was last worked on (their words then; the code may have moved on):";
/// How many characters of it there are.
const MAX_CHARS: usize = 600;
/// How many conversations of the task are looked at to find one that is another's.
const MAX_LOOKED_AT: usize = 2;

/// Whose last words are told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EarlierWords<'a> {
    /// Those of the session itself, where the agent has lost them.
    pub(super) is_own: bool,
    /// Else those of the last session that was about this task.
    pub(super) task: Option<&'a str>,
}

impl BriefingAudience<'_> {
    /// When a session begins in which a task goes on: as any start, with what was decided when the task was last worked on.
    pub fn brief_start_in_task(
        &self,
        cx: &Context,
        task: &str,
        slug: Option<&str>,
    ) -> Result<Briefing, CoreError> {
        let earlier = EarlierWords {
            is_own: false,
            task: slug,
        };
        self.brief_start(cx, task, false, earlier)
    }

    /// Adds the last words that decide, as many as have room in a budget of their own.
    pub(super) fn push_last_decisions(
        &self,
        cx: &Context,
        page: &mut BriefingPage,
        earlier: EarlierWords<'_>,
    ) -> Result<(), CoreError> {
        let Some(archive) = cx.archive else {
            return Ok(());
        };
        let own = match earlier.is_own {
            true => self.read_own_record(archive)?,
            false => None,
        };
        let (title, record) = match own {
            Some(own) => (DECIDED, Some(own)),
            None => (
                DECIDED_IN_TASK,
                self.read_task_record(archive, earlier.task)?,
            ),
        };
        let lines = record.map(|it| format_last_decisions(&it, title));
        let before = page.room();
        page.widen(MAX_CHARS);
        page.push_section(title, lines.unwrap_or_default().into_iter());
        let used = before + MAX_CHARS - page.room();
        page.narrow(MAX_CHARS.saturating_sub(used));
        Ok(())
    }

    fn own_session(&self) -> Option<&str> {
        self.session.entries.last().map(|it| it.session.as_str())
    }

    fn scope(&self) -> ArchiveScope<'_> {
        ArchiveScope {
            space: self.repo,
            kind: ArchiveKind::Conversation,
        }
    }

    fn read_own_record(&self, archive: &dyn Archive) -> Result<Option<ArchiveRecord>, CoreError> {
        let Some(session) = self.own_session() else {
            return Ok(None);
        };
        let number = archive.find_record(self.scope(), session)?;
        Ok(archive.read_records(number.as_slice())?.pop())
    }

    /// The last conversation about a task, but for this one.
    fn read_task_record(
        &self,
        archive: &dyn Archive,
        task: Option<&str>,
    ) -> Result<Option<ArchiveRecord>, CoreError> {
        let Some(task) = task else { return Ok(None) };
        let filter = ArchiveFilter {
            task: Some(task.to_owned()),
            ..ArchiveFilter::default()
        };
        let last = archive.list_records(self.scope(), &filter, MAX_LOOKED_AT)?;
        let mut records = archive.read_records(&last)?.into_iter();
        Ok(records.find(|it| Some(it.name.as_str()) != self.own_session()))
    }
}

/// The last sentences that decide, in their order, each a bullet with its name.
fn format_last_decisions(record: &ArchiveRecord, title: &str) -> Vec<String> {
    let quotes = choose_quotes(record, "", usize::MAX);
    let own = quotes
        .iter()
        .filter(|it| it.speaker == PassageSpeaker::User);
    let mut left = MAX_CHARS.saturating_sub(title.chars().count() + 1);
    let mut lines = Vec::new();
    for quote in own.rev() {
        let line = format_decision(record, quote);
        let chars = line.chars().count() + 1;
        if chars > left {
            break;
        }
        left -= chars;
        lines.push(line);
    }
    lines.reverse();
    lines
}

fn format_decision(record: &ArchiveRecord, quote: &ArchiveQuote) -> String {
    let handle = ArchiveHandle {
        record: record.number,
        passage: Some(quote.passage),
    };
    let day = format_utc_day(record.ended_at);
    format!("- {} ({handle}, {day})", format_quote(quote))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use apostille_core::{archive::ArchivePassage, space::Space};
    use jiff::Timestamp;

    use super::*;

    fn talk(turns: &[&str]) -> ArchiveRecord {
        let passages = turns.iter().zip(1..).map(|(text, number)| ArchivePassage {
            number,
            speaker: PassageSpeaker::User,
            at: Timestamp::UNIX_EPOCH,
            text: (*text).to_owned(),
            pasted: None,
        });
        ArchiveRecord {
            number: 3,
            kind: ArchiveKind::Conversation,
            space: Space::repo("acme/app").unwrap(),
            name: "s1".into(),
            author: None,
            started_at: Timestamp::UNIX_EPOCH,
            ended_at: Timestamp::UNIX_EPOCH,
            task: None,
            branch: None,
            paths: BTreeSet::new(),
            is_exposed: false,
            passages: passages.collect(),
            related: BTreeSet::new(),
        }
    }

    #[test]
    fn last_decisions_are_the_last_that_have_room() {
        let check = |turns: &[&str], expected: &[&str]| {
            assert_eq!(format_last_decisions(&talk(turns), DECIDED), expected);
        };
        check(
            &[
                "look at the retrier",
                "never more than 7",
                "thanks",
                "only in the client",
            ],
            &[
                "- “never more than 7” (c-3.2, 1970-01-01)",
                "- “only in the client” (c-3.4, 1970-01-01)",
            ],
        );
        check(&["look at the retrier", "thanks"], &[]);
        let long: Vec<String> = (0..50)
            .map(|it| format!("never more than {it} tries"))
            .collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let told = format_last_decisions(&talk(&long), DECIDED);
        let chars: usize = told.iter().map(|it| it.chars().count() + 1).sum();
        assert!(
            chars + DECIDED.chars().count() < MAX_CHARS && chars > 400,
            "{chars}"
        );
        assert!(
            told.last().is_some_and(|it| it.contains("than 49 tries")),
            "{told:?}"
        );
    }
}
