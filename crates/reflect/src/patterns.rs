//! What several sessions have in common. Each pattern has a fact that stays the same while its numbers grow, so that the same thing is
//! proposed once, and the numbers stand in its reason and evidence.
//!
//! A session that failed is counted in one pattern only, the one that says where sessions fail: nobody learns what to do from it.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{evidence::PatternSupport, memory::Kind};
use apostille_text::{
    overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact},
    words::words,
};

use crate::{
    cochange::{ChangeHistory, CoChangeLimits, FilePair, find_lower_share, is_obvious_pair},
    footprint::SessionFootprint,
};

/// In how many sessions something is found before it is a pattern.
const FEWEST: usize = 3;
/// How many sessions worked in a folder before it can be said that they fail there.
const FEWEST_IN_FOLDER: usize = 4;
/// The share of the sessions of a folder that read a file, or failed.
const MOST_SHARE: f64 = 0.6;
const FAILED_SHARE: f64 = 0.5;
/// How many times more often than elsewhere.
const LIFT: f64 = 2.0;
/// From which overlap of words on two corrections are one.
const SAME_WORDS: f32 = 0.5;
/// How many episodes are named as evidence.
const MAX_EPISODES: usize = 12;

words! {
    /// What sort of pattern it is.
    PatternKind as "pattern" {
        /// Something the person says again and again.
        Correction = "correction",
        /// A command that makes another one succeed.
        Command = "command",
        /// What is not found by the word that is looked for.
        Search = "search",
        /// A file that is read in most sessions about a folder.
        Context = "context",
        /// Files that change together.
        CoChange = "co-change",
        /// A folder where sessions fail.
        Failing = "failing",
    }
}

/// A pattern that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPattern {
    /// What sort.
    pub sort: PatternKind,
    /// What kind of memory it would be.
    pub kind: Kind,
    /// What it says.
    pub fact: String,
    /// Where it was found, in numbers.
    pub reason: String,
    /// The same as evidence.
    pub support: PatternSupport,
}

/// Something that the person said to put an agent right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidCorrection {
    /// In which session, as a digest of its name.
    pub session: String,
    /// The sentence.
    pub text: String,
}

/// What patterns are looked for in; the newest last.
#[derive(Clone, Copy)]
pub struct ReflectionInput<'a> {
    /// What sessions left behind.
    pub footprints: &'a [SessionFootprint],
    /// The files of each commit.
    pub commits: &'a [Vec<String>],
    /// What was said to put an agent right.
    pub corrections: &'a [SaidCorrection],
    /// Whether a file is still there.
    pub is_there: &'a dyn Fn(&str) -> bool,
}

/// Every pattern, those first that say most about what to do differently.
#[must_use]
pub fn find_patterns(it: &ReflectionInput<'_>) -> Vec<FoundPattern> {
    let good: Vec<&SessionFootprint> = it.footprints.iter().filter(|it| !it.failed).collect();
    let mut found = find_repeated_corrections(it);
    found.extend(find_fixing_commands(&good));
    found.extend(find_missed_searches(&good, it.is_there));
    found.extend(find_needed_context(&good, it.is_there));
    found.extend(find_changing_pairs(&good, it));
    found.extend(find_failing_folders(it.footprints));
    found
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn share(n: usize, of: usize) -> f64 {
    f64::from(count(n)) / f64::from(count(of.max(1)))
}

/// The evidence of a pattern: how many sessions, and the episodes of the latest.
fn support_of(sessions: &[&SessionFootprint], of: usize) -> PatternSupport {
    let latest = sessions.iter().rev();
    let ids = latest.filter_map(|it| it.episode.clone());
    PatternSupport {
        found: count(sessions.len()),
        of: count(of),
        episodes: ids.take(MAX_EPISODES).collect(),
    }
}

/// The folder of a file, at most two levels deep; the root's files have none.
fn area_of(path: &str) -> Option<String> {
    let (folder, _) = path.rsplit_once('/')?;
    let parts: Vec<&str> = folder.split('/').take(2).collect();
    Some(format!("{}/", parts.join("/")))
}

/// The sessions that changed something in each folder.
fn sessions_by_area<'a>(
    sessions: &[&'a SessionFootprint],
) -> BTreeMap<String, Vec<&'a SessionFootprint>> {
    let mut areas: BTreeMap<String, Vec<&SessionFootprint>> = BTreeMap::new();
    for it in sessions {
        let here: BTreeSet<String> = it.edited.iter().filter_map(|it| area_of(it)).collect();
        for area in here {
            areas.entry(area).or_default().push(it);
        }
    }
    areas
}

/// What the person says again and again, in the words of the last time.
fn find_repeated_corrections(it: &ReflectionInput<'_>) -> Vec<FoundPattern> {
    let normalised: Vec<String> = it
        .corrections
        .iter()
        .map(|it| normalise_fact(None, &it.text))
        .collect();
    let words: Vec<Vec<&str>> = normalised
        .iter()
        .map(|it| collect_distinct_words(it))
        .collect();
    let mut taken = vec![false; words.len()];
    let mut found = Vec::new();
    for last in (0..words.len()).rev() {
        let is_same = |at: &usize| {
            !taken[*at] && measure_jaccard_overlap(&words[*at], &words[last]) >= SAME_WORDS
        };
        let alike: Vec<usize> = (0..=last).filter(is_same).collect();
        let sessions: BTreeSet<&str> = alike
            .iter()
            .map(|at| it.corrections[*at].session.as_str())
            .collect();
        alike.iter().for_each(|at| taken[*at] = true);
        if sessions.len() < FEWEST {
            continue;
        }
        let is_in = |it: &&SessionFootprint| sessions.contains(it.session.as_str());
        let footprints: Vec<&SessionFootprint> = it.footprints.iter().filter(is_in).collect();
        let mut support = support_of(&footprints, it.footprints.len());
        support.found = count(sessions.len());
        support.of = support.of.max(support.found);
        let n = sessions.len();
        found.push(FoundPattern {
            sort: PatternKind::Correction,
            kind: Kind::Feedback,
            fact: format!("The user keeps saying: “{}”", it.corrections[last].text),
            reason: format!("said in {n} sessions"),
            support,
        });
    }
    found
}

/// Commands that ran between the failure and the success of another, in nearly every session where it failed.
fn find_fixing_commands(sessions: &[&SessionFootprint]) -> Vec<FoundPattern> {
    let mut failures: BTreeMap<&str, Vec<(&SessionFootprint, BTreeSet<&str>)>> = BTreeMap::new();
    for session in sessions {
        for fix in &session.fixes {
            let between = fix.between.iter().map(String::as_str).collect();
            let seen = failures.entry(&fix.failed).or_default();
            seen.push((session, between));
        }
    }
    let mut found = Vec::new();
    for (failed, seen) in failures {
        let candidates: BTreeSet<&str> = seen.iter().flat_map(|it| it.1.iter().copied()).collect();
        let ran_in = |command: &str| -> Vec<&SessionFootprint> {
            let with = seen.iter().filter(|it| it.1.contains(command));
            with.map(|it| it.0).collect()
        };
        let mut ran: Vec<(&str, Vec<&SessionFootprint>)> =
            candidates.iter().map(|it| (*it, ran_in(it))).collect();
        ran.retain(|it| it.1.len() >= FEWEST && share(it.1.len(), seen.len()) >= MOST_SHARE);
        ran.sort_by_key(|it| std::cmp::Reverse(it.1.len()));
        // Where two ran as often, nobody knows which one it was.
        let (Some((fix, with)), rival) = (ran.first(), ran.get(1)) else {
            continue;
        };
        if rival.is_some_and(|it| it.1.len() == with.len()) {
            continue;
        }
        found.push(FoundPattern {
            sort: PatternKind::Command,
            kind: Kind::Reference,
            fact: format!("`{failed}` fails until `{fix}` has run."),
            reason: format!(
                "so in {} of {} sessions where it failed",
                with.len(),
                seen.len()
            ),
            support: support_of(with, seen.len()),
        });
    }
    found
}

/// Words that find nothing here, though what they stand for is here.
fn find_missed_searches(
    sessions: &[&SessionFootprint],
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<FoundPattern> {
    let mut missed: BTreeMap<(String, &str), Vec<&SessionFootprint>> = BTreeMap::new();
    let mut tried: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    // As it was written the first time: the fact stays the same.
    let mut spelling: BTreeMap<String, &str> = BTreeMap::new();
    for session in sessions {
        for it in &session.missed {
            let sought = it.sought.to_lowercase();
            spelling.entry(sought.clone()).or_insert(&it.sought);
            tried
                .entry(sought.clone())
                .or_default()
                .insert(&session.session);
            let seen = missed.entry((sought, &it.found)).or_default();
            if seen
                .last()
                .is_none_or(|last| last.session != session.session)
            {
                seen.push(session);
            }
        }
    }
    let mut found = Vec::new();
    for ((sought, file), seen) in missed {
        let of = tried.get(&sought).map_or(0, BTreeSet::len);
        if seen.len() < FEWEST || share(seen.len(), of) < MOST_SHARE || !is_there(file) {
            continue;
        }
        let sought = spelling.get(&sought).copied().unwrap_or(&sought);
        found.push(FoundPattern {
            sort: PatternKind::Search,
            kind: Kind::Project,
            fact: format!(
                "A search for `{sought}` finds nothing here; what it is about is in `{file}`."
            ),
            reason: format!("so in {} of {of} sessions that looked for it", seen.len()),
            support: support_of(&seen, of),
        });
    }
    found
}

/// Files that most sessions about a folder read before they change anything, and others do not.
fn find_needed_context(
    sessions: &[&SessionFootprint],
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<FoundPattern> {
    let mut readers: BTreeMap<&str, Vec<&SessionFootprint>> = BTreeMap::new();
    for session in sessions {
        let files: BTreeSet<&str> = session.read.iter().map(String::as_str).collect();
        for file in files {
            readers.entry(file).or_default().push(session);
        }
    }
    let mut found: Vec<NeededFile<'_>> = Vec::new();
    for (area, here) in sessions_by_area(sessions) {
        if here.len() < FEWEST_IN_FOLDER {
            continue;
        }
        let is_here = |it: &&&SessionFootprint| here.iter().any(|here| here.session == it.session);
        for (file, all) in &readers {
            let readers: Vec<&SessionFootprint> = all.iter().filter(is_here).copied().collect();
            let elsewhere = share(all.len() - readers.len(), sessions.len() - here.len());
            let in_share = share(readers.len(), here.len());
            let is_told = readers.len() >= FEWEST
                && in_share >= MOST_SHARE
                && in_share >= LIFT * elsewhere
                // What lies in the folder is read by whoever changes it.
                && !file.starts_with(area.as_str())
                && is_there(file);
            if is_told {
                found.push(NeededFile {
                    area: area.clone(),
                    file,
                    readers,
                    n_here: here.len(),
                });
            }
        }
    }
    // The deepest folder says it best.
    let is_deeper = |it: &NeededFile<'_>| {
        let same = found.iter().filter(|other| other.file == it.file);
        let mut deeper =
            same.filter(|other| other.area != it.area && other.area.starts_with(&it.area));
        deeper.any(|other| other.readers.len() >= it.readers.len())
    };
    let mut told: Vec<FoundPattern> = found
        .iter()
        .filter(|it| !is_deeper(it))
        .map(NeededFile::to_pattern)
        .collect();
    told.sort_by_key(|it| std::cmp::Reverse(it.support.found));
    told
}

/// A file that is read before a folder is worked in.
struct NeededFile<'a> {
    area: String,
    file: &'a str,
    readers: Vec<&'a SessionFootprint>,
    n_here: usize,
}

impl NeededFile<'_> {
    fn to_pattern(&self) -> FoundPattern {
        let (area, file, n) = (&self.area, self.file, self.readers.len());
        FoundPattern {
            sort: PatternKind::Context,
            kind: Kind::Project,
            fact: format!(
                "Work in `{area}` needs `{file}`: it is read before anything is changed there."
            ),
            reason: format!(
                "read first in {n} of {} sessions that changed `{area}`",
                self.n_here
            ),
            support: support_of(&self.readers, self.n_here),
        }
    }
}

/// Files that change together, in commits and in sessions.
fn find_changing_pairs(good: &[&SessionFootprint], it: &ReflectionInput<'_>) -> Vec<FoundPattern> {
    let sessions = good.iter().map(|it| it.edited.clone());
    let changes: Vec<Vec<String>> = it.commits.iter().cloned().chain(sessions).collect();
    let history = ChangeHistory::from_changes(&changes);
    let mut pairs = history.find_pairs(&CoChangeLimits::default());
    pairs.retain(|pair| !is_obvious_pair(pair) && (it.is_there)(&pair.a) && (it.is_there)(&pair.b));
    let describe = |pair: FilePair| {
        let has_both =
            |it: &&&SessionFootprint| it.edited.contains(&pair.a) && it.edited.contains(&pair.b);
        let both: Vec<&SessionFootprint> = good.iter().filter(has_both).copied().collect();
        FoundPattern {
            sort: PatternKind::CoChange,
            kind: Kind::Project,
            fact: format!(
                "`{}` and `{}` change together: who changes one usually has to change the other.",
                pair.a, pair.b
            ),
            reason: format!(
                "both in {} of {} commits and sessions that changed one of them, {:.0} times as often as by chance",
                pair.both, pair.either, pair.lift
            ),
            support: PatternSupport {
                found: pair.both,
                of: pair.either,
                ..support_of(&both, 0)
            },
        }
    };
    pairs.into_iter().map(describe).collect()
}

/// Folders where sessions fail more often than elsewhere.
fn find_failing_folders(footprints: &[SessionFootprint]) -> Vec<FoundPattern> {
    let all: Vec<&SessionFootprint> = footprints.iter().collect();
    let n_failed = all.iter().filter(|it| it.failed).count();
    let mut found = Vec::new();
    for (area, here) in sessions_by_area(&all) {
        let failed: Vec<&SessionFootprint> = here.iter().filter(|it| it.failed).copied().collect();
        let elsewhere = share(n_failed - failed.len(), all.len() - here.len());
        let in_share = share(failed.len(), here.len());
        let is_told = here.len() >= FEWEST_IN_FOLDER
            && failed.len() >= FEWEST
            && in_share >= FAILED_SHARE
            && in_share >= LIFT * elsewhere
            && find_lower_share(count(failed.len()), count(here.len())) > elsewhere;
        if is_told {
            found.push(FoundPattern {
                sort: PatternKind::Failing,
                kind: Kind::Project,
                fact: format!("Sessions that change `{area}` often fail here."),
                reason: format!("{} of {} failed or were given up", failed.len(), here.len()),
                support: support_of(&failed, here.len()),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::{CommandFix, MissedSearch};

    fn session(n: usize) -> SessionFootprint {
        SessionFootprint {
            session: format!("s{n}"),
            ..SessionFootprint::default()
        }
    }

    fn texts(it: &[&str]) -> Vec<String> {
        it.iter().map(|it| (*it).to_owned()).collect()
    }

    fn facts(footprints: &[SessionFootprint], corrections: &[(usize, &str)]) -> Vec<String> {
        let corrections: Vec<SaidCorrection> = corrections
            .iter()
            .map(|(n, text)| SaidCorrection {
                session: format!("s{n}"),
                text: (*text).into(),
            })
            .collect();
        let found = find_patterns(&ReflectionInput {
            footprints,
            commits: &[],
            corrections: &corrections,
            is_there: &|it| !it.contains("gone"),
        });
        let told = found.into_iter();
        told.map(|it| format!("{} ({})", it.fact, it.reason))
            .collect()
    }

    #[test]
    fn command_is_singled_out_by_several_sessions() {
        let fix = |n: usize, between: &[&str]| SessionFootprint {
            fixes: vec![CommandFix {
                failed: "make test".into(),
                between: texts(between),
            }],
            ..session(n)
        };
        let sessions = [
            fix(1, &["make deps", "make gen"]),
            fix(2, &["make deps"]),
            fix(3, &["make lint", "make deps"]),
            fix(4, &["make gen"]),
        ];
        assert_eq!(
            facts(&sessions, &[]),
            [
                "`make test` fails until `make deps` has run. (so in 3 of 4 sessions where it failed)"
            ]
        );
        // Two commands always ran together: nobody knows which one it was.
        let both = [1, 2, 3].map(|n| fix(n, &["make deps", "make gen"]));
        assert!(facts(&both, &[]).is_empty());
        assert!(facts(&sessions[..2], &[]).is_empty());
    }

    #[test]
    fn failed_sessions_are_patterns_of_failure_only() {
        let work = |n: usize, failed: bool, edited: &[&str]| SessionFootprint {
            failed,
            edited: texts(edited),
            read: texts(&["docs/sync.md"]),
            ..session(n)
        };
        let mut sessions: Vec<SessionFootprint> = (0..4)
            .map(|n| work(n, true, &["src/sync/push.rs", "docs/log.md"]))
            .collect();
        sessions.extend((4..12).map(|n| SessionFootprint {
            read: Vec::new(),
            ..work(n, false, &["web/page.ts"])
        }));
        assert_eq!(
            facts(&sessions, &[]),
            [
                "Sessions that change `docs/` often fail here. (4 of 4 failed or were given up)",
                "Sessions that change `src/sync/` often fail here. (4 of 4 failed or were given up)",
            ]
        );
    }

    #[test]
    fn missing_context_is_what_most_sessions_look_for() {
        let work = |n: usize, edited: &str, read: &[&str]| SessionFootprint {
            edited: texts(&[edited]),
            read: texts(read),
            missed: vec![MissedSearch {
                sought: "RetryPolicy".into(),
                found: "src/sync/backoff.rs".into(),
            }],
            ..session(n)
        };
        let mut sessions: Vec<SessionFootprint> = (0..4)
            .map(|n| {
                work(
                    n,
                    "src/sync/push.rs",
                    &["docs/format.md", "README.md", "gone.md"],
                )
            })
            .collect();
        sessions.extend((4..10).map(|n| SessionFootprint {
            missed: Vec::new(),
            ..work(n, "web/page.ts", &["README.md"])
        }));
        assert_eq!(
            facts(&sessions, &[]),
            [
                "A search for `RetryPolicy` finds nothing here; what it is about is in `src/sync/backoff.rs`. (so in 4 of 4 sessions that looked for it)",
                "Work in `src/sync/` needs `docs/format.md`: it is read before anything is changed there. (read first in 4 of 4 sessions that changed `src/sync/`)",
            ]
        );
    }

    #[test]
    fn corrections_repeat_across_sessions_and_not_within_one() {
        let said = [
            (1, "no, don't edit the lock file by hand"),
            (2, "don't edit the lock file by hand please"),
            (2, "don't edit the lock file by hand"),
            (3, "stop, don't edit the lock file"),
            (4, "use tabs here"),
            (4, "use tabs here"),
            (4, "use tabs here"),
        ];
        assert_eq!(
            facts(&[session(1), session(2), session(3), session(4)], &said),
            ["The user keeps saying: “stop, don't edit the lock file” (said in 3 sessions)"]
        );
    }

    #[test]
    fn files_that_change_together_are_told_once_they_did_five_times() {
        let work = |n: usize, edited: &[&str]| SessionFootprint {
            edited: texts(edited),
            ..session(n)
        };
        let mut sessions: Vec<SessionFootprint> = (0..6)
            .map(|n| work(n, &["api/routes.go", "docs/openapi.yaml"]))
            .collect();
        sessions.extend((6..30).map(|n| work(n, &[format!("lib/{n}.go").as_str()])));
        let told = facts(&sessions, &[]);
        assert_eq!(
            told,
            [
                "`api/routes.go` and `docs/openapi.yaml` change together: who changes one usually has to change the other. (both in 6 of 6 commits and sessions that changed one of them, 5 times as often as by chance)"
            ]
        );
    }
}
