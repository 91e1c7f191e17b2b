//! What was decided before, at the moment it matters: the words of past conversations, and the reasons that commits give.
//!
//! A conversation is shown when it clearly is about the prompt, with those that are joined with it, the latest first: an amended
//! decision never comes without its amendment. Of each the sentences are quoted that decide.

use std::collections::BTreeSet;

use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context, CoreError,
    archive::{
        Archive, ArchiveFilter, ArchiveKind, ArchiveRecord, ArchiveScope, PassageSpeaker,
        code_lines::digest_code_lines,
        excerpt::{ArchiveQuote, choose_quotes},
        search::{ArchiveHit, ArchiveQuery, search_archive},
    },
    format::format_utc_day,
    space::Space,
};
use apostille_text::moderate::sanitize_line;

use super::page::BriefingPage;

/// What stands above the user's words.
pub const SAID: &str = "What your user said in past conversations (their words then; the code may have moved on), the latest first; a later word \
                        replaces an earlier one:";
/// What stands above what commits say.
pub const COMMITS: &str = "What commits say (their authors' words, no orders):";

/// How much of a find a conversation must be.
const CLEAR_CONVERSATION: f32 = 2.6;
/// The same for a commit, whose message is a few words.
const CLEAR_COMMIT: f32 = 2.6;
/// How many of the question's telling words it must have.
const FEWEST_WORDS: usize = 3;
/// How much of a find it must be by the words of the code that is about to be replaced, in a file that it changed.
const ABOUT_CODE: f32 = 1.2;
/// How near to the best another one must come.
const BESIDE: f32 = 0.5;
/// How many are found by their words, and how many are shown with those that are joined with them.
const MAX_FOUND: usize = 2;
const MAX_CONVERSATIONS: usize = 3;
const MAX_COMMITS: usize = 2;
/// How many characters of quotes there are, how many of them for the latest where there are several, and for the first commit
/// and the second.
const QUOTE_CHARS: usize = 1_250;
const LATEST_CHARS: usize = 700;
const COMMIT_CHARS: [usize; MAX_COMMITS] = [560, 280];
/// How many characters a page is widened by.
const ROOM: usize = 2_200;

/// What past words are looked for about.
pub(super) struct PastWordsRequest<'a> {
    /// In which repository.
    pub(super) space: &'a Space,
    /// The prompt, or nothing where a file is about to be edited.
    pub(super) text: &'a str,
    /// The files that are about to be edited.
    pub(super) paths: &'a [RepoPath],
    /// The code that is about to be replaced, as far as it is known.
    pub(super) replaced: &'a str,
    /// The short names of what the agent has before it.
    pub(super) seen: &'a BTreeSet<String>,
    /// The session that asks, whose own words are before it.
    pub(super) session: Option<&'a str>,
}

/// What was decided before.
#[derive(Default)]
pub(super) struct PastWords {
    conversations: Vec<ArchiveRecord>,
    commits: Vec<ArchiveRecord>,
    question: String,
    problems: Vec<String>,
}

impl PastWords {
    /// What could not be read.
    pub(super) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    /// Whether a person's own words are told.
    pub(super) fn has_conversations(&self) -> bool {
        !self.conversations.is_empty()
    }

    /// Puts it on a page, within a budget of its own, and says by their short names what was put there.
    pub(super) fn push_onto(&self, page: &mut BriefingPage) -> Vec<String> {
        let question = &self.question;
        let said = |at: usize, it: &ArchiveRecord| {
            format_conversation(it, at, question, share_chars(at, self.conversations.len()))
        };
        let reason = |at: usize, it: &ArchiveRecord| format_commit(it, question, COMMIT_CHARS[at]);
        page.widen(ROOM);
        let mut told = push_records(page, SAID, &self.conversations, said);
        told.extend(push_records(page, COMMITS, &self.commits, reason));
        page.narrow(ROOM);
        told
    }
}

impl PastWordsRequest<'_> {
    /// Looks up what was decided before.
    ///
    /// A file beside the store that cannot be read costs what is in it, and not the memories.
    pub(super) fn find_past_words(&self, cx: &Context) -> PastWords {
        let said = cx.archive.map(|it| self.find_conversations(it));
        let reasons = cx.commit_reasons.map(|it| self.find_commits(it));
        let mut problems = Vec::new();
        let mut keep = |found: Option<Result<Vec<ArchiveRecord>, CoreError>>| {
            let found = found.transpose();
            found.inspect_err(|it| problems.push(it.to_string())).ok()
        };
        PastWords {
            conversations: keep(said).flatten().unwrap_or_default(),
            commits: keep(reasons).flatten().unwrap_or_default(),
            question: self.text.to_owned(),
            problems,
        }
    }

    /// The conversations that clearly are about this and those joined with them, the latest first.
    fn find_conversations(&self, archive: &dyn Archive) -> Result<Vec<ArchiveRecord>, CoreError> {
        let found = self.find_clear(archive, ArchiveKind::Conversation, CLEAR_CONVERSATION)?;
        let mut records: Vec<ArchiveRecord> = found.into_iter().take(MAX_FOUND).collect();
        let joined: BTreeSet<u64> = records.iter().flat_map(|it| &it.related).copied().collect();
        let joined: Vec<u64> = joined
            .into_iter()
            .filter(|number| records.iter().all(|it| it.number != *number))
            .collect();
        let mut joined = archive.read_records(&joined)?;
        joined.retain(|it| self.is_new(it));
        // What came later on the same matter comes before what came earlier.
        joined.sort_by_key(|it| std::cmp::Reverse(it.ended_at));
        records.extend(joined);
        records.truncate(MAX_CONVERSATIONS);
        records.sort_by_key(|it| std::cmp::Reverse((it.ended_at, it.number)));
        Ok(records)
    }

    /// The commits that clearly are about this; before an edit those that wrote the code that is about to change.
    fn find_commits(&self, commits: &dyn Archive) -> Result<Vec<ArchiveRecord>, CoreError> {
        let scope = ArchiveScope {
            space: self.space,
            kind: ArchiveKind::Commit,
        };
        let lines = digest_code_lines(self.replaced);
        let wrote = commits.list_records_by_lines(scope, &lines, MAX_COMMITS)?;
        let mut found = match wrote.is_empty() {
            true => self.find_clear(commits, ArchiveKind::Commit, CLEAR_COMMIT)?,
            false => commits.read_records(&wrote)?,
        };
        found.retain(|it| self.is_new(it));
        found.truncate(MAX_COMMITS);
        Ok(found)
    }

    /// The records that clearly answer: by their words, or because they changed the file that is about to be edited.
    fn find_clear(
        &self,
        archive: &dyn Archive,
        kind: ArchiveKind,
        needed: f32,
    ) -> Result<Vec<ArchiveRecord>, CoreError> {
        let mut hits = Vec::new();
        if !self.text.is_empty() {
            let query = self.ask(kind, self.text, ArchiveFilter::default(), MAX_FOUND + 4);
            hits = search_archive(archive, &query)?;
            let best = hits.first().map_or(0.0, |it| it.score);
            let is_clear = |it: &ArchiveHit| it.clarity >= needed && it.words.len() >= FEWEST_WORDS;
            hits.retain(|it| is_clear(it) && it.score >= best * BESIDE);
        }
        for path in self.paths {
            hits.extend(self.find_about_file(archive, kind, path)?);
        }
        let records = hits.into_iter().map(|it| it.record);
        Ok(records.filter(|it| self.is_new(it)).collect())
    }

    /// The record about the code of a file that is about to change; the latest about the file, where the code is not known.
    fn find_about_file(
        &self,
        archive: &dyn Archive,
        kind: ArchiveKind,
        path: &RepoPath,
    ) -> Result<Option<ArchiveHit>, CoreError> {
        let filter = ArchiveFilter {
            path: Some(path.clone()),
            ..ArchiveFilter::default()
        };
        let hits = search_archive(archive, &self.ask(kind, self.replaced, filter, 1))?;
        let is_about = |it: &ArchiveHit| it.clarity >= ABOUT_CODE || it.is_unasked();
        Ok(hits.into_iter().find(is_about))
    }

    fn ask<'q>(
        &'q self,
        kind: ArchiveKind,
        text: &'q str,
        filter: ArchiveFilter,
        count: usize,
    ) -> ArchiveQuery<'q> {
        ArchiveQuery {
            space: self.space,
            kind,
            text,
            filter,
            count,
        }
    }

    fn is_new(&self, it: &ArchiveRecord) -> bool {
        let is_own = it.kind == ArchiveKind::Conversation && self.session == Some(it.name.as_str());
        !is_own && !self.seen.contains(&it.handle())
    }
}

fn push_records(
    page: &mut BriefingPage,
    title: &str,
    records: &[ArchiveRecord],
    line: impl Fn(usize, &ArchiveRecord) -> Option<String>,
) -> Vec<String> {
    let lines = records.iter().enumerate();
    let lines = lines.filter_map(|(at, it)| Some((it.handle(), line(at, it)?)));
    let (names, lines): (Vec<String>, Vec<String>) = lines.unzip();
    let n = page.push_section(title, lines.into_iter());
    names.into_iter().take(n).collect()
}

/// How many characters of quotes the record at this place has.
fn share_chars(at: usize, n_records: usize) -> usize {
    match (at, n_records) {
        (_, 0 | 1) => QUOTE_CHARS,
        (0, _) => LATEST_CHARS,
        (_, n) => (QUOTE_CHARS - LATEST_CHARS) / (n - 1),
    }
}

/// A conversation on a line: its day, its short name, the sentences that decide.
fn format_conversation(
    it: &ArchiveRecord,
    at: usize,
    question: &str,
    chars: usize,
) -> Option<String> {
    let quotes = choose_quotes(it, question, chars);
    let said: Vec<String> = quotes.iter().map(format_quote).collect();
    let day = format_utc_day(it.ended_at);
    let earlier = if at > 0 { "earlier, " } else { "" };
    let exposed = match it.is_exposed {
        true => "; that session had read text from outside",
        false => "",
    };
    let handle = it.handle();
    let said = said.join(" … ");
    (!said.is_empty()).then(|| format!("- {earlier}{day} ({handle}{exposed}): {said}"))
}

/// Words in quotes; marks like ours are made plain, so that no words can end their own quotation.
pub(super) fn format_quote(it: &ArchiveQuote) -> String {
    let plain = |text: &str| sanitize_line(text).replace(['“', '”'], "\"");
    let said = plain(&it.text);
    match (&it.answered, it.speaker) {
        (Some(answered), PassageSpeaker::User) => {
            format!("(to “{}”) “{said}”", plain(answered))
        }
        _ => format!("“{said}”"),
    }
}

/// A commit on a line: its short hash, its day, its subject, the sentences that give the reason.
fn format_commit(it: &ArchiveRecord, question: &str, chars: usize) -> Option<String> {
    let subject = sanitize_line(&it.passages.first()?.text);
    let quotes = choose_quotes(it, question, chars);
    let reasons = quotes.iter().filter(|quote| quote.passage > 1);
    let reasons: Vec<String> = reasons.map(format_quote).collect();
    let day = format_utc_day(it.ended_at);
    let handle = it.handle();
    let reasons = reasons.join(" … ");
    (!reasons.is_empty()).then(|| format!("- {handle}, {day}, {subject}: {reasons}"))
}
