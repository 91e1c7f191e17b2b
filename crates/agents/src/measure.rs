//! What is counted of a session that is over, and what it left behind in the repository: for `impact`, which compares sessions, and for
//! `reflect`, which looks for what they have in common.

use std::collections::{BTreeMap, BTreeSet};

use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context, CoreError,
    archive::{
        ArchiveFilter, ArchiveKind, ArchivePassage, ArchiveRecord, ArchiveScope, PassageSpeaker,
        search::{ArchiveQuery, search_archive},
    },
    memory::{Layer, MemoryId, Stage},
    space::Space,
    store::MemoryFilter,
};
use apostille_impact::measures::{MAX_NAMED, ReviewedOutcome, SessionMeasures};
use apostille_reflect::{
    footprint::{CommandFix, MAX_FILES, MAX_NOTES, MissedSearch, SessionFootprint},
    patterns::SaidCorrection,
};
use apostille_text::{
    digest::Digest,
    overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact},
    secrets,
};
use serde_json::Value;

use crate::{
    archive::list_ignored_prompts,
    ended_session::EndedSession,
    episode::{EpisodeOutcome, SeenCall, judge_session_outcome, list_seen_calls},
    extract::{
        command_lessons::list_command_fixes, corrections::find_corrections, summary::is_edit,
    },
    learn::LearnOutcome,
    session::SessionEntry,
    transcript::{TranscriptTurn, TurnSpeaker, is_shell_tool},
};

/// How many earlier conversations are compared with a correction.
const MAX_COMPARED: usize = 8;
/// How many corrections of a session are looked up.
const MAX_LOOKED_UP: usize = 8;
/// From which overlap of words on a correction repeats another.
const SAME_WORDS: f32 = 0.5;
/// How many past sessions are read for corrections that repeat.
const MAX_PAST: usize = 200;
/// How many episodes with a known end are looked at.
const MAX_EPISODES: usize = 10_000;
/// The shortest and the longest word that a search is known by.
const SOUGHT_CHARS: std::ops::RangeInclusive<usize> = 4..=40;
/// What git does to take back edits.
const TAKES_BACK: [&str; 6] = [
    "git checkout -- ",
    "git checkout .",
    "git restore ",
    "git reset --hard",
    "git revert ",
    "git stash",
];

/// The digest by which a session, or a task, is known again.
#[must_use]
pub fn digest_name(name: &str) -> String {
    Digest::hash_bytes(name.as_bytes()).short_hex()
}

/// Counts a session. What the caller knows besides (its tokens, the version of its prompt) is added by it.
pub fn measure_session(
    cx: &Context,
    left: &EndedSession<'_>,
    learned: &LearnOutcome,
) -> Result<SessionMeasures, CoreError> {
    let corrections = find_corrections(left.turns);
    let calls = list_seen_calls(left.turns, None);
    let is_failed = |it: &&SeenCall<'_>| it.outcome == Some(false) && !it.is_looking();
    let prompts = left.turns.iter();
    let prompts = prompts.filter(|it| it.speaker == TurnSpeaker::Person);
    let entries = &left.session.entries;
    let refuted = entries.iter().flat_map(|it| &it.withheld);
    let refuted = refuted.filter(|it| it.verdict != "unknown");
    Ok(SessionMeasures {
        at: cx.now.to_string(),
        session: digest_name(left.name),
        client: left.client.to_string(),
        tier: left.session.tier(),
        randomized: entries.iter().any(|it| it.drawn.is_some()),
        held_out: left.session.is_held_out(),
        task: left.task.map(digest_name),
        corrections: count(corrections.len()),
        repeated: count_repeated(cx, left, &corrections)?,
        failed_commands: count(calls.iter().filter(is_failed).count()),
        undone_edits: count(count_undone_edits(&calls)),
        turns: count(left.turns.len()),
        prompts: count(prompts.count()),
        asked: count(calls.iter().filter(|it| asks_memory(it)).count()),
        ended_well: match judge_session_outcome(left.turns) {
            EpisodeOutcome::Merged | EpisodeOutcome::Committed | EpisodeOutcome::Passed => {
                Some(true)
            }
            EpisodeOutcome::Failed | EpisodeOutcome::Abandoned => Some(false),
            EpisodeOutcome::Unknown => None,
        },
        shown: list_ids(entries.iter().flat_map(|it| &it.shown).map(|it| it.id)),
        applied: list_ids(learned.applied.iter().copied()),
        contradicted: list_ids(refuted.map(|it| it.id)),
        ..SessionMeasures::default()
    })
}

/// Adds to each session what became of its pull request: that stands on its episode, or on that of its task.
pub fn attach_outcomes(
    cx: &Context,
    repo: &Space,
    sessions: &mut [SessionMeasures],
) -> Result<(), CoreError> {
    let mut by_session: BTreeMap<String, ReviewedOutcome> = BTreeMap::new();
    let mut by_task: BTreeMap<String, ReviewedOutcome> = BTreeMap::new();
    for outcome in ReviewedOutcome::ALL {
        let filter = MemoryFilter {
            spaces: vec![repo.clone()],
            layers: vec![Layer::Episode],
            stages: vec![Stage::Active],
            tags: vec![outcome.to_string()],
            limit: MAX_EPISODES,
            ..MemoryFilter::default()
        };
        for it in cx.store.list_memories(&filter)? {
            let session = it.voice.session.as_deref().map(digest_name);
            by_session.extend(session.map(|it| (it, *outcome)));
            by_task.extend(it.task.as_deref().map(|it| (digest_name(it), *outcome)));
        }
    }
    for it in sessions {
        let of_task = it.task.as_ref().and_then(|it| by_task.get(it));
        it.outcome = by_session.get(&it.session).or(of_task).copied();
    }
    Ok(())
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn list_ids(ids: impl Iterator<Item = MemoryId>) -> Vec<String> {
    let ids: BTreeSet<MemoryId> = ids.collect();
    ids.iter()
        .take(MAX_NAMED)
        .map(MemoryId::to_string)
        .collect()
}

/// Whether a call asks memory for something, by its own choice.
fn asks_memory(it: &SeenCall<'_>) -> bool {
    let tool = it.call.tool.to_ascii_lowercase();
    let is_tool = [
        "memory_recall",
        "memory_search",
        "memory_get",
        "recall_said",
    ]
    .iter()
    .any(|name| tool.contains(name));
    let is_command = [
        "apostille recall",
        "apostille list",
        "apostille show",
        "apostille why",
    ]
    .iter()
    .any(|it_is| it.command.starts_with(it_is));
    is_tool || is_command
}

/// Edits that were taken back: by git, or by putting back what had stood there.
fn count_undone_edits(calls: &[SeenCall<'_>]) -> usize {
    let mut edits: Vec<(&[String], String, String)> = Vec::new();
    let mut n = 0;
    let mut has_edited = false;
    for it in calls {
        if is_edit(it.call) {
            has_edited = true;
            if let Some((old, new)) = read_replacement(&it.call.input) {
                let is_back = |known: &&(&[String], String, String)| {
                    known.0 == it.call.paths && known.1 == new && known.2 == old
                };
                n += usize::from(edits.iter().any(|known| is_back(&known)));
                edits.push((&it.call.paths, old, new));
            }
        } else if has_edited && it.outcome == Some(true) {
            n += usize::from(TAKES_BACK.iter().any(|words| it.call.input.contains(words)));
        }
    }
    n
}

/// What an edit replaces, and by what, where its tool says both.
fn read_replacement(input: &str) -> Option<(String, String)> {
    let given: Value = serde_json::from_str(input).ok()?;
    let field = |names: [&str; 2]| {
        let found = names.iter().find_map(|it| given[it].as_str());
        found.map(str::to_owned)
    };
    Some((
        field(["old_string", "oldString"])?,
        field(["new_string", "newString"])?,
    ))
}

/// How many of these corrections repeat what was said to put an agent right in an earlier session, by the archive.
fn count_repeated(
    cx: &Context,
    left: &EndedSession<'_>,
    corrections: &[String],
) -> Result<u32, CoreError> {
    let Some(archive) = cx.archive else {
        return Ok(0);
    };
    let mut n = 0;
    for correction in corrections.iter().take(MAX_LOOKED_UP) {
        let query = ArchiveQuery {
            space: left.repo,
            kind: ArchiveKind::Conversation,
            text: correction,
            filter: ArchiveFilter::default(),
            count: MAX_COMPARED,
        };
        let hits = search_archive(archive, &query)?.into_iter();
        let mut others = hits.filter(|it| it.record.name != left.name);
        let is_same = |it: String| share_words(&it, correction);
        if others.any(|it| find_record_corrections(&it.record).into_iter().any(is_same)) {
            n += 1;
        }
    }
    Ok(n)
}

fn share_words(a: &str, b: &str) -> bool {
    let (a, b) = (normalise_fact(None, a), normalise_fact(None, b));
    let (a, b) = (collect_distinct_words(&a), collect_distinct_words(&b));
    measure_jaccard_overlap(&a, &b) >= SAME_WORDS
}

/// What the person said in an archived conversation to put the agent right.
fn find_record_corrections(record: &ArchiveRecord) -> Vec<String> {
    let turn = |it: &ArchivePassage| TranscriptTurn {
        number: usize::try_from(it.number).unwrap_or(0),
        at: Some(it.at),
        speaker: match it.speaker {
            PassageSpeaker::User => TurnSpeaker::Person,
            _ => TurnSpeaker::Agent,
        },
        text: it.text.clone(),
        uses: Vec::new(),
    };
    let turns: Vec<TranscriptTurn> = record.passages.iter().map(turn).collect();
    find_corrections(&turns)
}

/// What was said in past conversations of a repository to put an agent right, the newest last.
pub fn list_past_corrections(cx: &Context, repo: &Space) -> Result<Vec<SaidCorrection>, CoreError> {
    let Some(archive) = cx.archive else {
        return Ok(Vec::new());
    };
    let scope = ArchiveScope {
        space: repo,
        kind: ArchiveKind::Conversation,
    };
    let numbers = archive.list_records(scope, &ArchiveFilter::default(), MAX_PAST)?;
    let mut records = archive.read_records(&numbers)?;
    records.sort_by_key(|it| (it.ended_at, it.number));
    let of_record = |it: &ArchiveRecord| {
        let session = digest_name(&it.name);
        let said = find_record_corrections(it).into_iter();
        let said = said.map(move |text| SaidCorrection {
            session: session.clone(),
            text,
        });
        said.collect::<Vec<_>>()
    };
    Ok(records.iter().flat_map(of_record).collect())
}

/// What a session left behind in the repository; `None` where nothing of it may be kept: the archive is off, or memory was to be
/// left out of a part of it.
#[must_use]
pub fn trace_footprint(
    cx: &Context,
    left: &EndedSession<'_>,
    learned: &LearnOutcome,
) -> Option<SessionFootprint> {
    if cx.archive.is_none() || !list_ignored_prompts(left).is_empty() || left.turns.is_empty() {
        return None;
    }
    let calls = list_seen_calls(left.turns, None);
    let noted = left
        .session
        .entries
        .iter()
        .flat_map(|it: &SessionEntry| &it.noted);
    let noted = noted.map(|it| it.path.to_string());
    let edits = calls.iter().filter(|it| is_edit(it.call));
    let edited = edits.flat_map(|it| &it.call.paths).cloned().chain(noted);
    let outcome = judge_session_outcome(left.turns);
    // What was run after strangers' words came in may be their advice.
    let is_exposed = left.session.is_exposed() || calls.iter().any(|it| it.call.is_outside());
    Some(SessionFootprint {
        at: cx.now.to_string(),
        session: digest_name(left.name),
        episode: learned.episode.as_ref().map(|it| it.id.to_string()),
        failed: matches!(outcome, EpisodeOutcome::Failed | EpisodeOutcome::Abandoned),
        edited: keep_repository_paths(edited),
        read: keep_repository_paths(list_read_files(&calls).into_iter()),
        fixes: match is_exposed {
            true => Vec::new(),
            false => list_fixes(left.turns),
        },
        missed: match is_exposed {
            true => Vec::new(),
            false => list_missed_searches(&calls),
        },
    })
}

/// The paths within the repository, each once.
fn keep_repository_paths(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for path in paths {
        let is_inside = path.parse::<RepoPath>().is_ok() && !path.starts_with(['/', '~', '.']);
        if is_inside && !kept.contains(&path) && secrets::find_secret(&path).is_none() {
            kept.push(path);
        }
    }
    kept.truncate(MAX_FILES);
    kept
}

/// The files that were read before the first edit.
fn list_read_files(calls: &[SeenCall<'_>]) -> Vec<String> {
    let before = calls.iter().take_while(|it| !is_edit(it.call));
    before.flat_map(list_files_of_reading).collect()
}

fn list_files_of_reading(it: &SeenCall<'_>) -> Vec<String> {
    let tool = it.call.tool.to_ascii_lowercase();
    if is_shell_tool(&it.call.tool) {
        let words: Vec<&str> = it.command.split_whitespace().collect();
        let is_reader = matches!(
            words.first(),
            Some(&("cat" | "head" | "tail" | "less" | "sed"))
        );
        let is_file = |it: &&&str| it.contains('.') && !it.starts_with('-') && !it.contains(',');
        let files = words.iter().skip(1).filter(is_file);
        return files
            .filter(|_| is_reader)
            .map(|it| (*it).to_owned())
            .collect();
    }
    let is_reading = tool.contains("read") || tool.contains("view") || tool.contains("open_file");
    match is_reading && it.call.has_succeeded != Some(false) {
        true => it.call.paths.clone(),
        false => Vec::new(),
    }
}

fn list_fixes(turns: &[TranscriptTurn]) -> Vec<CommandFix> {
    let is_plain = |it: &CommandFix| {
        let all = it.between.iter().chain([&it.failed]);
        all.into_iter().all(|it| secrets::find_secret(it).is_none())
    };
    let fixes = list_command_fixes(turns).into_iter();
    let fixes = fixes.map(|(failed, between)| CommandFix { failed, between });
    fixes.filter(is_plain).take(MAX_NOTES).collect()
}

/// Searches that found nothing, with the file that was edited next.
fn list_missed_searches(calls: &[SeenCall<'_>]) -> Vec<MissedSearch> {
    let mut missed: Vec<MissedSearch> = Vec::new();
    let mut sought: Vec<String> = Vec::new();
    for it in calls {
        if is_edit(it.call) {
            let file = keep_repository_paths(it.call.paths.iter().cloned())
                .into_iter()
                .next();
            let Some(file) = file else { continue };
            missed.extend(sought.drain(..).map(|sought| MissedSearch {
                sought,
                found: file.clone(),
            }));
        } else if let Some(word) = read_sought_word(it)
            && !sought.contains(&word)
            && has_found_nothing(it)
        {
            sought.push(word);
        }
    }
    missed.truncate(MAX_NOTES);
    missed
}

/// The word that a call searches for, where it is one word.
fn read_sought_word(it: &SeenCall<'_>) -> Option<String> {
    let tool = it.call.tool.to_ascii_lowercase();
    let word = if is_shell_tool(&it.call.tool) {
        let mut words = it.command.split_whitespace();
        let program = words.next()?;
        if !matches!(program, "rg" | "grep" | "ag" | "git") {
            return None;
        }
        if program == "git" && words.next() != Some("grep") {
            return None;
        }
        words.find(|it| !it.starts_with('-'))?.to_owned()
    } else if tool.contains("grep") || tool.contains("search") {
        let given: Value = serde_json::from_str(&it.call.input).ok()?;
        let named = ["pattern", "query", "regex"];
        named.iter().find_map(|it| given[it].as_str())?.to_owned()
    } else {
        return None;
    };
    let word = word.trim_matches(['"', '\'']);
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
    let is_told = SOUGHT_CHARS.contains(&word.chars().count()) && word.chars().all(is_word);
    (is_told && secrets::find_secret(word).is_none()).then(|| word.to_owned())
}

fn has_found_nothing(it: &SeenCall<'_>) -> bool {
    let printed = it.printed.unwrap_or_default().trim().to_ascii_lowercase();
    let says_so = [
        "no files found",
        "no matches found",
        "no matches",
        "found 0 files",
    ]
    .iter()
    .any(|it| printed.starts_with(it));
    // What a search prints that ended with 1 is at most that.
    let is_empty = printed.is_empty() || printed == "exit code 1";
    it.printed.is_some() && (says_so || is_empty)
}
