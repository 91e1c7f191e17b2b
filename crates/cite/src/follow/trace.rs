//! Following lines from commit to commit, through edits, moves and renames.

use std::collections::HashMap;
use std::{ops::Range, rc::Rc};

use super::{
    grade::grade_change,
    hunks::{
        Hunk, diff_file_lines, is_touched_by_hunk, map_rows_without_spaces, map_touched_rows,
        shift_untouched_rows,
    },
};
use crate::{
    citation::RepoPath,
    file_lines::{FileLines, count_as_u32},
    source::{CommitHistory, CommitStep, FileEdit, FileVersion, HistoryRoute, Source, SourceError},
    tokens::{self, is_same_without_spaces},
    verdict::{Change, Loss, Verdict},
};

/// Blobs and diffs that are kept at hand; above this they are dropped, and read again if need be.
const MAX_AT_HAND: usize = 96 * 1024 * 1024;
/// In a commit that touched more files than this, moved blocks are looked for only in those whose name stayed.
const MAX_SEARCHED: usize = 2_000;
/// In a commit that leaves more pairs of vanished and new files than this, git did not compare their contents, or is not
/// far from it: its limit is a thousand files on either side.
const MAX_PAIRED: usize = 500_000;
/// How many files of one name are compared with one that vanished.
const MAX_NAMESAKES: usize = 50;

/// How far the surroundings of two places are compared.
const MAX_COMPANY: usize = 50;

/// Lines of one version of a file. Rows count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VersionSpan {
    pub file: FileVersion,
    pub rows: Range<u32>,
}

impl VersionSpan {
    /// As many rows from this one on.
    fn rows_from(&self, row: u32) -> Range<u32> {
        row..row + (self.rows.end - self.rows.start)
    }
}

/// What became of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TraceOutcome {
    /// Where they, or what they were turned into, stand; or how they came to be nowhere.
    pub at: Result<VersionSpan, Loss>,
    /// The commit that last changed their text, or took them away.
    pub since: Option<String>,
}

/// The edits of a file with the steps that they belong to, by its path before them.
type EditsByPath<'h> = HashMap<&'h RepoPath, Vec<(usize, &'h FileEdit)>>;

/// Follows lines along a history.
pub(super) struct LineTracer<'a> {
    source: &'a dyn Source,
    objects: HashMap<String, Rc<[u8]>>,
    diffs: HashMap<(String, String), Rc<[Hunk]>>,
    at_hand: usize,
    /// Files of the working tree that no commit holds.
    uncommitted: Vec<FileVersion>,
}

/// A history with the means to find the next step that matters.
pub(super) struct HistoryIndex<'h> {
    pub history: &'h CommitHistory,
    touched: EditsByPath<'h>,
}

impl<'h> HistoryIndex<'h> {
    pub(super) fn new(history: &'h CommitHistory) -> Self {
        let mut touched: EditsByPath<'h> = HashMap::new();
        for (at, step) in history.steps.iter().enumerate() {
            for edit in &step.edits {
                if let Some(was) = &edit.was {
                    touched.entry(&was.path).or_default().push((at, edit));
                }
            }
        }
        Self { history, touched }
    }

    /// The next edit of a file, from this step on.
    pub(super) fn next_edit(&self, path: &RepoPath, from: usize) -> Option<(usize, &'h FileEdit)> {
        let places = self.touched.get(path)?;
        let next = places.partition_point(|it| it.0 < from);
        places.get(next).copied()
    }

    /// The step after which a file had this content, looking from a step on.
    pub(super) fn find_arrival_step(
        &self,
        path: &RepoPath,
        id: &str,
        from: usize,
    ) -> Option<usize> {
        let steps = self.history.steps.iter().enumerate().skip(from);
        let is_it = |edit: &FileEdit| {
            edit.now
                .as_ref()
                .is_some_and(|now| now.path == *path && now.id.as_deref() == Some(id))
        };
        let mut arrivals = steps.filter(|(_, step)| step.edits.iter().any(is_it));
        arrivals.next().map(|(at, _)| at)
    }
}

impl<'a> LineTracer<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            objects: HashMap::new(),
            diffs: HashMap::new(),
            at_hand: 0,
            uncommitted: Vec::new(),
        }
    }

    /// Follows lines all the way along.
    pub(super) fn trace_lines(
        &mut self,
        road: &HistoryIndex,
        span: VersionSpan,
        way: &HistoryRoute,
    ) -> Result<TraceOutcome, Verdict> {
        let mut fate = TraceOutcome {
            at: Ok(span),
            since: None,
        };
        let mut from = match way {
            HistoryRoute::Along(at) => *at,
            HistoryRoute::Across {
                leap,
                then,
                is_ancestor,
            } => {
                fate = self.apply_step(fate, leap)?;
                // Only a merge brings a change; a leap to anywhere else says nothing of when it came.
                fate.since.take_if(|_| *is_ancestor != Some(true));
                *then
            }
        };
        while let Ok(span) = &fate.at {
            let Some((at, _)) = road.next_edit(&span.file.path, from) else {
                break;
            };
            fate = self.apply_step(fate, &road.history.steps[at])?;
            from = at + 1;
        }
        Ok(fate)
    }

    /// What one step did to lines.
    fn apply_step(
        &mut self,
        fate: TraceOutcome,
        step: &CommitStep,
    ) -> Result<TraceOutcome, Verdict> {
        let Ok(span) = &fate.at else {
            return Ok(fate);
        };
        let is_of_file = |it: &FileVersion| it.path == span.file.path;
        let edit = step
            .edits
            .iter()
            .find(|it| it.was.as_ref().is_some_and(is_of_file));
        let Some(edit) = edit else {
            return Ok(fate);
        };
        let outcome = self.apply_edit(edit, span, &step.edits)?;
        Ok(outcome.into_trace(fate.since, Some(&step.commit)))
    }

    /// What an edit of their file did to lines; the other edits of the same step are where they may have gone.
    pub(super) fn apply_edit(
        &mut self,
        edit: &FileEdit,
        span: &VersionSpan,
        all: &[FileEdit],
    ) -> Result<EditOutcome, Verdict> {
        let Some(now) = &edit.now else {
            return self.trace_vanished_lines(edit, span, all);
        };
        let untouched = |rows| {
            let file = now.clone();
            Ok(EditOutcome::Untouched(VersionSpan { file, rows }))
        };
        if now.id.is_some() && now.id == span.file.id {
            return untouched(span.rows.clone());
        }
        let hunks = self.diff_versions(&span.file, now)?;
        if hunks.iter().any(|it| is_touched_by_hunk(it, &span.rows)) {
            self.trace_touched_lines(now, span, &hunks, all)
        } else {
            untouched(shift_untouched_rows(&hunks, &span.rows))
        }
    }

    /// Lines whose file vanished: in the file it was renamed to in a commit too large for git to tell, or elsewhere.
    fn trace_vanished_lines(
        &mut self,
        edit: &FileEdit,
        span: &VersionSpan,
        all: &[FileEdit],
    ) -> Result<EditOutcome, Verdict> {
        if has_unpaired_renames(all)
            && let Some(now) =
                self.find_renamed_file(&span.file, &list_namesakes(&span.file, all))?
        {
            let (was, now) = (edit.was.clone(), Some(now));
            return self.apply_edit(&FileEdit { was, now }, span, all);
        }
        if let Some(found) = self.find_moved_lines(span, all, is_same_line)? {
            return Ok(EditOutcome::Untouched(found));
        }
        let found = self.find_moved_lines(span, all, is_same_without_spaces)?;
        Ok(found.map_or(EditOutcome::Lost(Loss::File), EditOutcome::Touched))
    }

    /// Lines that the diff says were touched: the same text elsewhere, or what they were turned into.
    ///
    /// A diff is one of several ways to explain an edit. When a function is inserted above one like it, the diff may well
    /// report the old one as new and the new one as old; when two blocks change places, one of them is reported as deleted
    /// and added. So the hunks are not believed before the text was looked for, and the order of the attempts is the order
    /// of certainty:
    ///
    /// 1. where the hunks lead, if the very same lines stand there;
    /// 2. the one place in this file that has them, if it is the only one before and after;
    /// 3. the same lines among what this commit brought, here or in another file: only lines that are long enough to be told
    ///    from others (`is_distinctive_snippet`), because a lone `}` stands everywhere;
    /// 4. where a diff that leaves white space aside finds them: where a file is indented anew, every line is in a hunk, and
    ///    what stands at the same place in it may be other lines;
    /// 5. where the hunks lead, if only the formatting differs there;
    /// 6. as 3, spaces not counted: a block that was indented when it moved;
    /// 7. where the hunks lead, as changed text; or nowhere, if only blank lines are left there.
    ///
    /// 1 to 3 leave the text untouched, so the commit is not named as one that changed it.
    fn trace_touched_lines(
        &mut self,
        now: &FileVersion,
        span: &VersionSpan,
        hunks: &[Hunk],
        all: &[FileEdit],
    ) -> Result<EditOutcome, Verdict> {
        let (old, new) = (self.load_content(&span.file)?, self.load_content(now)?);
        let (was, sheet) = (FileLines::from_bytes(&old), FileLines::from_bytes(&new));
        let text = was.clip_rows(&span.rows);
        let rows = map_touched_rows(&was, &sheet, hunks, &span.rows);
        let lines = sheet.clip_rows(&rows);
        let at = |rows| VersionSpan {
            file: now.clone(),
            rows,
        };
        if lines == text {
            return Ok(EditOutcome::Untouched(at(rows)));
        }
        if let Some(row) = find_only_occurrence(&was, &sheet, text) {
            return Ok(EditOutcome::Untouched(at(span.rows_from(row))));
        }
        if let Some(found) = self.find_moved_lines(span, all, is_same_line)? {
            return Ok(EditOutcome::Untouched(found));
        }
        if let Some(rows) = map_rows_without_spaces(&was, &sheet, &span.rows) {
            return Ok(EditOutcome::Touched(at(rows)));
        }
        let is_lost = lines.iter().all(|it| it.trim_ascii().is_empty());
        if !is_lost && grade_change(now.path.as_str(), text, lines).0 <= Change::Formatting {
            return Ok(EditOutcome::Touched(at(rows)));
        }
        let found = self.find_moved_lines(span, all, is_same_without_spaces)?;
        Ok(match found {
            Some(found) => EditOutcome::Touched(found),
            None if is_lost => EditOutcome::Lost(Loss::Lines),
            None => EditOutcome::Touched(at(rows)),
        })
    }

    /// The new file that a vanished one most likely is now: the same content, or at least half of its lines.
    pub(super) fn find_renamed_file(
        &mut self,
        file: &FileVersion,
        all: &[FileEdit],
    ) -> Result<Option<FileVersion>, Verdict> {
        let old = self.load_content(file)?;
        let was = FileLines::from_bytes(&old);
        let mut best: Option<(u32, &FileVersion)> = None;
        let added = all.iter().filter(|it| it.was.is_none());
        for now in added.filter_map(|it| it.now.as_ref()).take(MAX_SEARCHED) {
            let Some(new) = self.load_candidate(now)? else {
                continue;
            };
            let sheet = FileLines::from_bytes(&new);
            let hunks = diff_file_lines(&was, &sheet);
            let n_lost: u32 = hunks.iter().map(|it| it.was.end - it.was.start).sum();
            let n_kept = was.line_count() - n_lost;
            let is_half = n_kept * 2 >= was.line_count().max(sheet.line_count());
            if is_half && best.is_none_or(|it| it.0 < n_kept) {
                best = Some((n_kept, now));
            }
        }
        Ok(best.map(|it| it.1.clone()))
    }

    /// Whether lines can be told from others like them, so that they are looked for elsewhere.
    pub(super) fn is_distinctive_span(&mut self, span: &VersionSpan) -> Result<bool, Verdict> {
        let bytes = self.load_content(&span.file)?;
        let sheet = FileLines::from_bytes(&bytes);
        Ok(is_distinctive_snippet(sheet.clip_rows(&span.rows)))
    }

    /// Whether enough of these lines stands where they were followed to that it can be told from others.
    pub(super) fn keeps_distinctive_lines(
        &mut self,
        span: &VersionSpan,
        now: &VersionSpan,
    ) -> Result<bool, Verdict> {
        let (old, new) = (
            self.load_content(&span.file)?,
            self.load_content(&now.file)?,
        );
        let (was, sheet) = (FileLines::from_bytes(&old), FileLines::from_bytes(&new));
        let here = sheet.clip_rows(&now.rows);
        let mut kept = was.clip_rows(&span.rows).to_vec();
        kept.retain(|it| here.contains(it));
        Ok(is_distinctive_snippet(&kept))
    }

    /// The place among what this step brought where the same lines stand, in the most familiar company.
    fn find_moved_lines(
        &mut self,
        span: &VersionSpan,
        all: &[FileEdit],
        same: fn(&[u8], &[u8]) -> bool,
    ) -> Result<Option<VersionSpan>, Verdict> {
        let old = self.load_content(&span.file)?;
        let was = FileLines::from_bytes(&old);
        let text = was.clip_rows(&span.rows);
        if !is_distinctive_snippet(text) {
            return Ok(None);
        }
        let namesakes;
        let all = if all.len() > MAX_SEARCHED {
            namesakes = list_namesakes(&span.file, all);
            &namesakes
        } else {
            all
        };
        let mut best: Option<(usize, VersionSpan)> = None;
        for edit in all {
            let Some(now) = &edit.now else { continue };
            let is_unchanged = |was: &FileVersion| was.id.is_some() && was.id == now.id;
            if edit.was.as_ref().is_some_and(is_unchanged) {
                continue;
            }
            let Some(new) = self.load_candidate(now)? else {
                continue;
            };
            let sheet = FileLines::from_bytes(&new);
            let places: Vec<u32> = find_matching_rows(&sheet, text, same).collect();
            if places.is_empty() {
                continue;
            }
            let brought = match &edit.was {
                None => None,
                Some(was) => Some(self.diff_versions(was, now)?),
            };
            let is_new = |row: u32| {
                let hunks = brought.as_ref();
                hunks.is_none_or(|it| it.iter().any(|it| it.now.contains(&row)))
            };
            for rows in places.into_iter().map(|row| span.rows_from(row)) {
                if !rows.clone().any(is_new) {
                    continue;
                }
                let company = count_matching_neighbours((&was, &span.rows), (&sheet, &rows), same);
                if best.as_ref().is_none_or(|it| it.0 < company) {
                    let file = now.clone();
                    best = Some((company, VersionSpan { file, rows }));
                }
            }
        }
        Ok(best.map(|it| it.1))
    }

    /// The hunks between two versions of a file.
    pub(super) fn diff_versions(
        &mut self,
        was: &FileVersion,
        now: &FileVersion,
    ) -> Result<Rc<[Hunk]>, Verdict> {
        let key = was.id.clone().zip(now.id.clone());
        if let Some(known) = key.as_ref().and_then(|it| self.diffs.get(it)) {
            return Ok(Rc::clone(known));
        }
        let (old, new) = (self.load_content(was)?, self.load_content(now)?);
        let hunks: Rc<[Hunk]> =
            diff_file_lines(&FileLines::from_bytes(&old), &FileLines::from_bytes(&new)).into();
        if let Some(key) = key {
            self.diffs.insert(key, Rc::clone(&hunks));
        }
        Ok(hunks)
    }

    /// What a version holds.
    pub(super) fn load_content(&mut self, file: &FileVersion) -> Result<Rc<[u8]>, Verdict> {
        self.load_version(file)
            .map_err(|error| build_follow_error(file, &error.format_with_causes()))?
            .ok_or_else(|| explain_missing_version(file))
    }

    /// Whether git has this version of a file.
    pub(super) fn has_content(&mut self, file: &FileVersion) -> Result<bool, Verdict> {
        self.load_version(file)
            .map(|it| it.is_some())
            .map_err(|error| build_follow_error(file, &error.format_with_causes()))
    }

    /// What a version holds that lines may have gone to; `None` where it is not a regular file, or too large to be searched.
    fn load_candidate(&mut self, file: &FileVersion) -> Result<Option<Rc<[u8]>>, Verdict> {
        match self.load_version(file) {
            Ok(None) if file.id.is_some() => Err(explain_missing_version(file)),
            Ok(found) => Ok(found),
            Err(SourceError::Outside { .. } | SourceError::TooLarge { .. }) => Ok(None),
            Err(error) => Err(build_follow_error(file, &error.format_with_causes())),
        }
    }

    fn load_version(&mut self, file: &FileVersion) -> Result<Option<Rc<[u8]>>, SourceError> {
        let Some(id) = &file.id else {
            return Ok(self.source.read_file(&file.path)?.map(|it| it.bytes.into()));
        };
        if let Some(known) = self.objects.get(id) {
            return Ok(Some(Rc::clone(known)));
        }
        let object = if self.uncommitted.contains(file) {
            self.source.read_file(&file.path)?.map(|it| it.bytes)
        } else {
            self.source.read_object(id)?
        };
        let Some(object) = object else {
            return Ok(None);
        };
        let object: Rc<[u8]> = object.into();
        self.cache_object(id, &object);
        Ok(Some(object))
    }

    /// Takes a file of the working tree for a version of its own, which is read and compared once.
    pub(super) fn add_uncommitted(&mut self, file: &FileVersion) {
        if !self.uncommitted.contains(file) {
            self.uncommitted.push(file.clone());
        }
    }

    /// Keeps content at hand.
    pub(super) fn cache_object(&mut self, id: &str, object: &Rc<[u8]>) {
        self.at_hand += object.len();
        if self.at_hand > MAX_AT_HAND {
            self.objects.clear();
            self.diffs.clear();
            self.at_hand = object.len();
        }
        self.objects.insert(id.to_owned(), Rc::clone(object));
    }
}

fn build_follow_error(file: &FileVersion, why: &str) -> Verdict {
    Verdict::unknown(format!("'{}' could not be followed: {why}", file.path))
}

/// Why a version that must be there is not.
fn explain_missing_version(file: &FileVersion) -> Verdict {
    let is_kept = file.id.is_some();
    let why = if is_kept {
        "an older version is not in this clone"
    } else {
        "it is no longer there"
    };
    build_follow_error(file, why)
}

/// What one edit did to lines.
pub(super) enum EditOutcome {
    /// The same text stands here now.
    Untouched(VersionSpan),
    /// Other text stands here now.
    Touched(VersionSpan),
    /// Nothing is left of them.
    Lost(Loss),
}

impl EditOutcome {
    /// What became of lines that were last changed at `since`, when this edit belongs to `commit`.
    pub(super) fn into_trace(self, since: Option<String>, commit: Option<&String>) -> TraceOutcome {
        let (at, since) = match self {
            Self::Untouched(span) => (Ok(span), since),
            Self::Touched(span) => (Ok(span), commit.cloned()),
            Self::Lost(loss) => (Err(loss), commit.cloned()),
        };
        TraceOutcome { at, since }
    }
}

/// Whether a step is so large that git did not look for all of its renames.
fn has_unpaired_renames(all: &[FileEdit]) -> bool {
    let n_new = all.iter().filter(|it| it.was.is_none()).count();
    let n_gone = all.iter().filter(|it| it.now.is_none()).count();
    n_new.saturating_mul(n_gone) > MAX_PAIRED
}

/// The new files of a step that keep the most of a file's path: its name without the ending, and the folders above it.
fn list_namesakes(file: &FileVersion, all: &[FileEdit]) -> Vec<FileEdit> {
    let parts = |path: &RepoPath| -> Vec<String> {
        let path = path.as_str();
        let stem = path.rfind('.').filter(|at| !path[*at..].contains('/'));
        let path = stem.map_or(path, |at| &path[..at]);
        path.rsplit('/').map(str::to_owned).collect()
    };
    let wanted = parts(&file.path);
    let count_shared = |edit: &FileEdit| {
        let path = edit.now.as_ref().filter(|_| edit.was.is_none());
        let path = path.map(|it| parts(&it.path)).unwrap_or_default();
        let pairs = path.iter().zip(&wanted);
        pairs.take_while(|(a, b)| a == b).count()
    };
    let most = all.iter().map(count_shared).max().unwrap_or(0);
    let fitting = all.iter().filter(|it| most > 0 && count_shared(it) == most);
    fitting.take(MAX_NAMESAKES).cloned().collect()
}

fn is_same_line(line: &[u8], other: &[u8]) -> bool {
    line == other
}

/// Where the text stands in the new version, if there and in the old one it stands only once.
fn find_only_occurrence(was: &FileLines, now: &FileLines, text: &[&[u8]]) -> Option<u32> {
    let mut places = find_matching_rows(now, text, is_same_line);
    let only = places.next().filter(|_| places.next().is_none())?;
    let is_telling = count_letters_and_digits(text) >= 8;
    (is_telling && find_matching_rows(was, text, is_same_line).count() == 1).then_some(only)
}

/// How many lines next to these moved along with them.
fn count_matching_neighbours(
    (was, old): (&FileLines, &Range<u32>),
    (now, new): (&FileLines, &Range<u32>),
    same: fn(&[u8], &[u8]) -> bool,
) -> usize {
    let above = was.lines()[..old.start as usize].iter().rev();
    let above = above.zip(now.lines()[..new.start as usize].iter().rev());
    let below = was.lines()[old.end as usize..].iter();
    let below = below.zip(&now.lines()[new.end as usize..]);
    let is_alike = |(was, now): &(&&[u8], &&[u8])| same(was, now);
    above.take(MAX_COMPANY).take_while(is_alike).count()
        + below.take(MAX_COMPANY).take_while(is_alike).count()
}

/// Every row at which these lines stand.
pub(super) fn find_matching_rows<'s>(
    sheet: &'s FileLines<'_>,
    text: &'s [&[u8]],
    same: impl Fn(&[u8], &[u8]) -> bool + 's,
) -> impl Iterator<Item = u32> + 's {
    let windows = sheet.lines().windows(text.len().max(1)).enumerate();
    let is_it = move |(_, it): &(usize, &[&[u8]])| it.iter().zip(text).all(|(a, b)| same(a, b));
    windows.filter(is_it).map(|(row, _)| count_as_u32(row))
}

/// Whether lines are long enough to be told from others like them: three that say something, or forty letters.
pub(super) fn is_distinctive_snippet(lines: &[&[u8]]) -> bool {
    let says = |line: &&&[u8]| line.iter().filter(|it| tokens::is_word_byte(**it)).count() >= 3;
    count_letters_and_digits(lines) >= 40
        || (lines.iter().filter(says).count() >= 3 && count_letters_and_digits(lines) >= 20)
}

/// How many letters and digits there are.
pub(super) fn count_letters_and_digits(lines: &[&[u8]]) -> usize {
    lines
        .iter()
        .flat_map(|it| it.iter())
        .filter(|it| it.is_ascii_alphanumeric() || !it.is_ascii())
        .count()
}
