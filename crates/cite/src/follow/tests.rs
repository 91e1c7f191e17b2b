//! What holds for every file, every edit, and every read that fails.

use std::cell::{Cell, RefCell};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use proptest::prelude::*;

use super::{CitationFinding, CitationFollower, FAR, hunks};
use crate::{
    capture::build_citation,
    citation::{Citation, CodeLocation, RepoPath},
    file_lines::{FileLines, join_cited_lines},
    source::{
        CommitHistory, CommitStep, FileEdit, FileVersion, HistoryRoute, Source, SourceBlob,
        SourceError, SourceTree,
    },
    verdict::{Change, Verdict},
};

/// The files of one commit: their text by their path.
type Files = BTreeMap<String, String>;

/// A repository in memory: commits in a line, of which the last is looked at.
struct Past {
    commits: Vec<Files>,
    /// Which of the calls fail, counted from 0.
    failing: BTreeSet<usize>,
    n_calls: AtomicUsize,
    objects: Mutex<BTreeMap<String, String>>,
}

fn path(text: &str) -> RepoPath {
    text.parse().unwrap()
}

fn id(text: &str) -> String {
    apostille_text::digest::Digest::hash_bytes(text.as_bytes()).to_string()
}

fn name(commit: usize) -> String {
    format!("{commit:040}")
}

impl Past {
    fn new(commits: Vec<Files>) -> Self {
        let all = commits
            .iter()
            .flat_map(|it| it.values())
            .map(|it| (id(it), it.clone()))
            .collect();
        Self {
            commits,
            failing: BTreeSet::new(),
            n_calls: AtomicUsize::new(0),
            objects: Mutex::new(all),
        }
    }

    fn now(&self) -> &Files {
        self.commits.last().unwrap()
    }

    /// An error if it is this call's turn to fail.
    fn call(&self) -> Result<(), SourceError> {
        let which = self.n_calls.fetch_add(1, Ordering::Relaxed);
        let broken = || SourceError::Unavailable {
            what: "it".into(),
            source: "the disk hums".into(),
        };
        if self.failing.contains(&which) {
            Err(broken())
        } else {
            Ok(())
        }
    }

    fn step(&self, at: usize) -> CommitStep {
        let (was, now) = (&self.commits[at - 1], &self.commits[at]);
        let version = |files: &Files, it: &String| {
            files.get(it).map(|text| FileVersion {
                path: path(it),
                id: Some(id(text)),
            })
        };
        let paths: BTreeSet<&String> = was.keys().chain(now.keys()).collect();
        let edits = paths.into_iter().map(|it| FileEdit {
            was: version(was, it),
            now: version(now, it),
        });
        CommitStep {
            commit: name(at),
            edits: edits.filter(|it| it.was != it.now).collect(),
        }
    }

    /// What the first commit says at these lines.
    fn cite(&self, file: &str, start: u32, end: u32) -> Citation {
        let text = &self.commits[0][file];
        let blob = SourceBlob {
            id: Some(id(text)),
            bytes: text.clone().into(),
        };
        build_citation(
            &CodeLocation::new(file, start, end).unwrap(),
            &blob,
            Some(name(0)),
        )
        .unwrap()
    }

    fn look(&self, citation: &Citation) -> CitationFinding {
        CitationFollower::new(self, Change::Comment, &|| false, FAR)
            .follow_citations(&[citation])
            .remove(0)
    }

    /// What stands at a place now.
    fn text_at(&self, place: &CodeLocation) -> Option<String> {
        let bytes = self.now().get(place.path.as_str())?.as_bytes();
        let lines = join_cited_lines(FileLines::from_bytes(bytes).get_span(place.lines)?);
        Some(String::from_utf8(lines).unwrap())
    }
}

impl Source for Past {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        self.call()?;
        Ok(SourceTree {
            commit: Some(name(self.commits.len() - 1)),
            branch: None,
            is_worktree: false,
        })
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        self.call()?;
        let text = self.now().get(path.as_str());
        Ok(text.map(|it| SourceBlob {
            id: Some(id(it)),
            bytes: it.clone().into(),
        }))
    }

    fn walk_history(
        &self,
        from: &BTreeSet<String>,
        _: usize,
    ) -> Result<CommitHistory, SourceError> {
        self.call()?;
        let ways = from
            .iter()
            .filter(|it| **it == name(0))
            .map(|it| (it.clone(), HistoryRoute::Along(0)));
        Ok(CommitHistory {
            steps: (1..self.commits.len()).map(|at| self.step(at)).collect(),
            ways: ways.collect(),
        })
    }

    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        self.call()?;
        Ok(self
            .objects
            .lock()
            .unwrap()
            .get(id)
            .map(|it| it.clone().into()))
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        self.call()?;
        for (name, text) in self.now() {
            if !see(
                &path(name),
                &SourceBlob {
                    id: None,
                    bytes: text.clone().into(),
                },
            ) {
                break;
            }
        }
        Ok(true)
    }
}

/// One edit of a list of lines: replace so many from here on with these many new ones.
#[derive(Debug, Clone)]
struct Splice {
    at: prop::sample::Index,
    n_taken: usize,
    n_put: usize,
}

fn splice() -> impl Strategy<Value = Splice> {
    (any::<prop::sample::Index>(), 0..4_usize, 0..4_usize).prop_map(|(at, n_taken, n_put)| Splice {
        at,
        n_taken,
        n_put,
    })
}

/// Edits a list anywhere, but not the lines of this range, and tells where they went.
fn splice_around(
    lines: &mut Vec<String>,
    kept: std::ops::Range<usize>,
    it: &Splice,
    fresh: &Cell<u32>,
) -> usize {
    // Above the range there are as many gaps as lines and one more; below it the same.
    let gaps: Vec<usize> = (0..=kept.start).chain(kept.end..=lines.len()).collect();
    let at = gaps[it.at.index(gaps.len())];
    let room = if at <= kept.start {
        kept.start - at
    } else {
        lines.len() - at
    };
    let end = at + it.n_taken.min(room);
    let new: Vec<String> = (0..it.n_put).map(|_| unique(fresh)).collect();
    let is_above = at <= kept.start && end <= kept.start;
    let n = new.len();
    lines.splice(at..end, new);
    if is_above {
        kept.start + n - (end - at)
    } else {
        kept.start
    }
}

/// A line that stands nowhere else.
fn unique(fresh: &Cell<u32>) -> String {
    fresh.set(fresh.get() + 1);
    format!("line {:x}", fresh.get().wrapping_mul(0x9e37_79b9))
}

fn file(lines: &[String]) -> Files {
    Files::from([(
        "a.rs".to_owned(),
        lines.iter().map(|it| format!("{it}\n")).collect(),
    )])
}

/// A few lines of which many are alike; some say enough to be found elsewhere.
fn alike() -> impl Strategy<Value = Vec<String>> {
    let long = "let value_of_[ab]_in_the_settings = read_the_settings_for\\([0-2]\\);";
    let short = prop_oneof![
        "[ab]",
        "  x [ab]",
        "let [ab] = [0-2];",
        Just("}".to_owned()),
        Just(String::new())
    ];
    prop::collection::vec(prop_oneof![long, short], 1..14)
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|it| format!("{it}\n")).collect()
}

/// Two files in up to four commits, and lines of the first that are cited.
fn past() -> impl Strategy<Value = (Vec<Files>, u32, u32)> {
    let one = (
        alike(),
        prop::option::of(alike()),
        prop::option::of(alike()),
    );
    let many = prop::collection::vec(
        (
            prop::option::weighted(0.8, alike()),
            prop::option::of(alike()),
        ),
        1..4,
    );
    (one, many, any::<prop::sample::Index>(), 1..4_u32).prop_map(
        |((first, second, third), then, start, n)| {
            let files = |a: Option<&Vec<String>>, b: Option<&Vec<String>>| {
                let named = [("a.rs", a), ("b.rs", b)].into_iter();
                named
                    .filter_map(|(name, lines)| Some((name.to_owned(), text(lines?))))
                    .collect::<Files>()
            };
            let mut commits = vec![files(Some(&first), second.as_ref())];
            commits.extend(then.iter().map(|(a, b)| files(a.as_ref(), b.as_ref())));
            commits.extend(third.map(|it| files(Some(&it), None)));
            let start = u32::try_from(start.index(first.len())).unwrap() + 1;
            let end = (start + n - 1).min(u32::try_from(first.len()).unwrap());
            (commits, start, end)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn lines_that_nobody_touched_are_found_exactly_where_they_went(
        n_lines in 1..25_usize,
        start in any::<prop::sample::Index>(),
        n_cited in 1..6_usize,
        edits in prop::collection::vec(prop::collection::vec(splice(), 1..5), 1..5),
    ) {
        let fresh = Cell::new(0);
        let mut lines: Vec<String> = (0..n_lines).map(|_| unique(&fresh)).collect();
        let start = start.index(n_lines);
        let n_cited = n_cited.min(n_lines - start);
        let mut commits = vec![file(&lines)];
        let mut row = start;
        for commit in &edits {
            for it in commit {
                row = splice_around(&mut lines, row..row + n_cited, it, &fresh);
            }
            commits.push(file(&lines));
        }
        let past = Past::new(commits);
        let of = |row: usize| u32::try_from(row).unwrap();
        let citation = past.cite("a.rs", of(start) + 1, of(start + n_cited));
        let to = CodeLocation::new("a.rs", of(row) + 1, of(row + n_cited)).unwrap();
        let expected = if row == start { Verdict::Holds } else { Verdict::Moved { to } };
        prop_assert_eq!(past.look(&citation).verdict, expected);
    }

    #[test]
    fn a_verdict_is_never_better_than_the_text((commits, start, end) in past()) {
        let past = Past::new(commits);
        let citation = past.cite("a.rs", start, end);
        let snippet = Some(citation.snippet.clone());
        match past.look(&citation).verdict {
            Verdict::Holds => prop_assert_eq!(past.text_at(&citation.location()), snippet),
            Verdict::Moved { to } => prop_assert_eq!(past.text_at(&to), snippet),
            Verdict::Changed(it) => {
                prop_assert_eq!(past.text_at(&it.at), Some(it.now.clone()));
                prop_assert_ne!(Some(it.now), snippet);
            }
            Verdict::Gone { .. } => {}
            Verdict::Unknown { why } => prop_assert!(false, "{}", why),
        }
    }

    #[test]
    fn a_read_that_fails_never_makes_a_verdict_worse(
        (commits, start, end) in past(),
        failing in prop::collection::btree_set(0..16_usize, 1..4),
    ) {
        let past = Past::new(commits.clone());
        let citation = past.cite("a.rs", start, end);
        let whole = past.look(&citation);
        let failed = Past { failing, ..Past::new(commits) }.look(&citation);
        let is_fair = failed.verdict == whole.verdict || !failed.verdict.is_bad();
        prop_assert!(is_fair, "{:?} instead of {:?}", failed, whole);
        prop_assert!(failed.verdict.as_str() != "unknown" || !failed.verdict.is_bad());
    }

    #[test]
    fn an_object_that_is_missing_never_makes_a_verdict_worse(
        (commits, start, end) in past(),
        which in any::<prop::sample::Index>(),
    ) {
        let past = Past::new(commits);
        let citation = past.cite("a.rs", start, end);
        let whole = past.look(&citation);
        let ids: Vec<String> = past.objects.lock().unwrap().keys().cloned().collect();
        past.objects.lock().unwrap().remove(&ids[which.index(ids.len())]);
        let failed = past.look(&citation);
        let is_fair = failed.verdict == whole.verdict || !failed.verdict.is_bad();
        prop_assert!(is_fair, "{:?} instead of {:?}", failed, whole);
    }

    #[test]
    fn lines_are_mapped_into_the_new_version(was in alike(), now in alike(), start in any::<prop::sample::Index>(), n in 1..9_u32) {
        let (old, new) = (text(&was), text(&now));
        let (old, new) = (FileLines::from_bytes(old.as_bytes()), FileLines::from_bytes(new.as_bytes()));
        let start = u32::try_from(start.index(was.len())).unwrap();
        let rows = start..(start + n).min(old.line_count());
        let mapped = hunks::map_touched_rows(&old, &new, &hunks::diff_file_lines(&old, &new), &rows);
        prop_assert!(mapped.start <= mapped.end && mapped.end <= new.line_count(), "{:?}", mapped);
    }

    #[test]
    fn any_bytes_are_compared_without_panic(was in any::<Vec<u8>>(), now in any::<Vec<u8>>(), start in 0..9_u32, n in 1..9_u32) {
        let (old, new) = (FileLines::from_bytes(&was), FileLines::from_bytes(&now));
        let hunks = hunks::diff_file_lines(&old, &new);
        let rows = start..start + n;
        let mapped = hunks::map_touched_rows(&old, &new, &hunks, &rows);
        let grade = super::grade::grade_change("a.rs", old.clip_rows(&rows), new.clip_rows(&mapped));
        prop_assert!(grade.1 <= 100);
    }
}

#[test]
fn a_past_that_is_read_twice_is_judged_alike() {
    let calls = RefCell::new(Vec::new());
    let files = |text: &str| Files::from([("a.rs".to_owned(), text.to_owned())]);
    for _ in 0..2 {
        let past = Past::new(vec![files("a\nb\nc\n"), files("x\na\nb\nc\n")]);
        calls.borrow_mut().push((
            past.look(&past.cite("a.rs", 2, 2)),
            past.n_calls.into_inner(),
        ));
    }
    assert_eq!(calls.borrow()[0], calls.borrow()[1]);
}

/// A commit that puts this many files into another folder and writes a line above each; nobody paired them.
fn move_folder(n_files: usize) -> Past {
    let files = |folder: &str, above: &str| -> Files {
        let text = |at: usize| format!("{above}case {at}\n}}\nend of {at}\n");
        let name = |at: usize| format!("{folder}/{at}/config.js");
        (0..n_files).map(|at| (name(at), text(at))).collect()
    };
    Past::new(vec![files("old", ""), files("new/old", "use\n")])
}

#[test]
fn a_rename_in_a_commit_too_large_for_git_is_found_by_its_name() {
    let check = |n_files: usize, lines: (u32, u32), expected: &str| {
        let past = move_folder(n_files);
        let citation = past.cite("old/7/config.js", lines.0, lines.1);
        let told = match past.look(&citation).verdict {
            Verdict::Moved { to } => to.to_string(),
            other => other.as_str().to_owned(),
        };
        assert_eq!(told, expected, "{n_files} files");
    };
    check(720, (2, 2), "new/old/7/config.js:3");
    check(720, (1, 3), "new/old/7/config.js:2-4");
    check(2_100, (1, 3), "new/old/7/config.js:2-4");
    // In a small commit, git has compared the files, and what it did not pair is not the same file.
    check(9, (2, 2), "gone");
}
