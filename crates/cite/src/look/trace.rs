//! Following lines from commit to commit, through edits, moves and renames.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::grade::grade;
use super::hunks::{self, Hunk};
use super::{Broken, tokens};
use crate::citation::RepoPath;
use crate::sheet::Sheet;
use crate::source::{Edit, History, Source, SourceError, Step, Version, Way};
use crate::verdict::{Change, Loss};

/// Blobs and diffs that are kept at hand; above this they are dropped, and read again if need be.
const MAX_AT_HAND: usize = 96 * 1024 * 1024;
/// In a commit that touched more files than this, moved blocks are not looked for in all of them.
const MAX_SEARCHED: usize = 2_000;

/// How far the surroundings of two places are compared.
const MAX_COMPANY: usize = 50;

/// Lines of one version of a file. Rows count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) file: Version,
    pub(super) rows: Range<u32>,
}

/// What became of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// They, or what they were turned into, stand here; the commit that last changed their text.
    Here { span: Span, since: Option<String> },
    /// They are nowhere since that commit.
    Lost { loss: Loss, since: Option<String> },
}

impl Fate {
    /// The same without the commit behind it.
    fn undated(self) -> Self {
        match self {
            Self::Here { span, .. } => Self::Here { span, since: None },
            Self::Lost { loss, .. } => Self::Lost { loss, since: None },
        }
    }
}

/// The steps that touch a file, by its path before them.
type Touched<'h> = HashMap<&'h str, Vec<(usize, usize)>>;

/// Follows lines along a history.
pub(super) struct Tracer<'a> {
    source: &'a dyn Source,
    objects: HashMap<String, Rc<[u8]>>,
    diffs: HashMap<(String, String), Rc<[Hunk]>>,
    at_hand: usize,
}

/// A history with the means to find the next step that matters.
pub(super) struct Road<'h> {
    pub(super) history: &'h History,
    touched: Touched<'h>,
}

impl<'h> Road<'h> {
    pub(super) fn new(history: &'h History) -> Self {
        let mut touched: Touched<'h> = HashMap::new();
        for (at, step) in history.steps.iter().enumerate() {
            for (which, edit) in step.edits.iter().enumerate() {
                if let Some(was) = &edit.was {
                    touched
                        .entry(was.path.as_str())
                        .or_default()
                        .push((at, which));
                }
            }
        }
        Self { history, touched }
    }

    /// The next edit of a file, from this step on.
    fn next(&self, path: &RepoPath, from: usize) -> Option<(usize, &'h Edit)> {
        let places = self.touched.get(path.as_str())?;
        let (at, which) = *places.get(places.partition_point(|it| it.0 < from))?;
        Some((at, &self.history.steps[at].edits[which]))
    }

    /// The version of a file before this step; `None` when no later step touches it.
    pub(super) fn version(&self, path: &RepoPath, from: usize) -> Option<&'h Version> {
        self.next(path, from)
            .and_then(|(_, edit)| edit.was.as_ref())
    }

    /// The step after which a file had this content, looking from a step on.
    pub(super) fn arrival(&self, path: &RepoPath, id: &str, from: usize) -> Option<usize> {
        let steps = self.history.steps.iter().enumerate().skip(from);
        let is_it = |edit: &Edit| {
            edit.now
                .as_ref()
                .is_some_and(|now| now.path == *path && now.id.as_deref() == Some(id))
        };
        steps
            .filter(|(_, step)| step.edits.iter().any(is_it))
            .map(|(at, _)| at)
            .next()
    }
}

impl<'a> Tracer<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            objects: HashMap::new(),
            diffs: HashMap::new(),
            at_hand: 0,
        }
    }

    /// Follows lines all the way along.
    pub(super) fn follow(
        &mut self,
        road: &Road<'_>,
        span: Span,
        way: &Way,
    ) -> Result<Fate, Broken> {
        let fate = Fate::Here { span, since: None };
        let (mut fate, mut from) = match way {
            Way::Along(at) => (fate, *at),
            Way::Across {
                leap,
                then,
                is_ancestor,
            } => {
                let fate = self.step(fate, leap)?;
                // Only a merge brings a change; a leap to anywhere else says nothing of when it came.
                (
                    if *is_ancestor == Some(true) {
                        fate
                    } else {
                        fate.undated()
                    },
                    *then,
                )
            }
        };
        while let Fate::Here { span, .. } = &fate {
            let Some((at, _)) = road.next(&span.file.path, from) else {
                break;
            };
            fate = self.step(fate, &road.history.steps[at])?;
            from = at + 1;
        }
        Ok(fate)
    }

    /// What one step did to lines.
    fn step(&mut self, fate: Fate, step: &Step) -> Result<Fate, Broken> {
        let Fate::Here { span, since } = fate else {
            return Ok(fate);
        };
        let of_file = |it: &&Edit| {
            it.was
                .as_ref()
                .is_some_and(|was| was.path == span.file.path)
        };
        let Some(edit) = step.edits.iter().find(of_file) else {
            return Ok(Fate::Here { span, since });
        };
        match self.through(edit, span, &step.edits)? {
            Through::Untouched(span) => Ok(Fate::Here { span, since }),
            Through::Touched(span) => Ok(Fate::Here {
                span,
                since: Some(step.commit.clone()),
            }),
            Through::Lost(loss) => Ok(Fate::Lost {
                loss,
                since: Some(step.commit.clone()),
            }),
        }
    }

    /// What an edit of their file did to lines; the other edits of the same step are where they may have gone.
    pub(super) fn through(
        &mut self,
        edit: &Edit,
        span: Span,
        all: &[Edit],
    ) -> Result<Through, Broken> {
        let Some(now) = &edit.now else {
            return Ok(
                match (self.moved(&span, all)?, self.moved_loosely(&span, all)?) {
                    (Some(found), _) => Through::Untouched(found),
                    (None, Some(found)) => Through::Touched(found),
                    (None, None) => Through::Lost(Loss::File),
                },
            );
        };
        if now.id.is_some() && now.id == span.file.id {
            return Ok(Through::Untouched(Span {
                file: now.clone(),
                rows: span.rows,
            }));
        }
        let hunks = self.hunks(&span.file, now)?;
        if !hunks.iter().any(|it| hunks::touches(it, &span.rows)) {
            let rows = hunks::shifted(&hunks, &span.rows);
            return Ok(Through::Untouched(Span {
                file: now.clone(),
                rows,
            }));
        }
        self.touched(now, span, &hunks, all)
    }

    /// Lines that the diff says were touched: the same text elsewhere, or what they were turned into.
    fn touched(
        &mut self,
        now: &Version,
        span: Span,
        hunks: &[Hunk],
        all: &[Edit],
    ) -> Result<Through, Broken> {
        let (old, new) = (self.content(&span.file)?, self.content(now)?);
        let (was, sheet) = (Sheet::of(&old), Sheet::of(&new));
        let text = was.rows(&span.rows);
        let rows = hunks::mapped(&was, &sheet, hunks, &span.rows);
        let here = Span {
            file: now.clone(),
            rows: rows.clone(),
        };
        if sheet.rows(&rows) == text {
            return Ok(Through::Untouched(here));
        }
        if let Some(row) = only_place(&was, &sheet, text) {
            let rows = row..row + (span.rows.end - span.rows.start);
            return Ok(Through::Untouched(Span {
                file: now.clone(),
                rows,
            }));
        }
        if let Some(found) = self.moved(&span, all)? {
            return Ok(Through::Untouched(found));
        }
        let is_lost = sheet
            .rows(&rows)
            .iter()
            .all(|it| it.trim_ascii().is_empty());
        if !is_lost && grade(now.path.as_str(), text, sheet.rows(&rows)).0 <= Change::Formatting {
            return Ok(Through::Touched(here));
        }
        let found = self.moved_loosely(&span, all)?;
        Ok(match found {
            Some(found) => Through::Touched(found),
            None if is_lost => Through::Lost(Loss::Lines),
            None => Through::Touched(here),
        })
    }

    /// The new file that a vanished one most likely is now: the same content, or at least half of its lines.
    pub(super) fn renamed(
        &mut self,
        file: &Version,
        all: &[Edit],
    ) -> Result<Option<Version>, Broken> {
        let old = self.content(file)?;
        let was = Sheet::of(&old);
        let mut best: Option<(u32, &Version)> = None;
        for now in all
            .iter()
            .filter(|it| it.was.is_none())
            .filter_map(|it| it.now.as_ref())
            .take(MAX_SEARCHED)
        {
            let Some(new) = self.candidate(now)? else {
                continue;
            };
            let sheet = Sheet::of(&new);
            let hunks = hunks::between(&was, &sheet);
            let n_lost: u32 = hunks.iter().map(|it| it.was.end - it.was.start).sum();
            let n_kept = was.count() - n_lost;
            let is_half = n_kept * 2 >= was.count().max(sheet.count());
            if is_half && best.is_none_or(|it| it.0 < n_kept) {
                best = Some((n_kept, now));
            }
        }
        Ok(best.map(|it| it.1.clone()))
    }

    /// The only place among what this step brought where the same lines stand.
    fn moved(&mut self, span: &Span, all: &[Edit]) -> Result<Option<Span>, Broken> {
        self.search(span, all, |line, other| line == other)
    }

    /// The same, spaces not counted.
    fn moved_loosely(&mut self, span: &Span, all: &[Edit]) -> Result<Option<Span>, Broken> {
        self.search(span, all, |line, other| {
            line.trim_ascii() == other.trim_ascii()
        })
    }

    fn search(
        &mut self,
        span: &Span,
        all: &[Edit],
        same: fn(&[u8], &[u8]) -> bool,
    ) -> Result<Option<Span>, Broken> {
        let old = self.content(&span.file)?;
        let was = Sheet::of(&old);
        let text = was.rows(&span.rows);
        if !is_distinctive(text) || all.len() > MAX_SEARCHED {
            return Ok(None);
        }
        let mut best: Option<(u32, Span)> = None;
        for edit in all {
            let Some(now) = &edit.now else { continue };
            if edit
                .was
                .as_ref()
                .is_some_and(|it| it.id.is_some() && it.id == now.id)
            {
                continue;
            }
            let Some(new) = self.candidate(now)? else {
                continue;
            };
            let sheet = Sheet::of(&new);
            let places: Vec<u32> = occurrences(&sheet, text, same).collect();
            if places.is_empty() {
                continue;
            }
            let brought = match &edit.was {
                None => None,
                Some(was) => Some(self.hunks(was, now)?),
            };
            for row in places {
                let rows = row..row + (span.rows.end - span.rows.start);
                let is_new = |row: u32| brought.as_ref().is_none_or(|it| hunks::is_new(it, row));
                if !rows.clone().any(is_new) {
                    continue;
                }
                let company = company((&was, &span.rows), (&sheet, &rows), same);
                if best.as_ref().is_none_or(|it| it.0 < company) {
                    best = Some((
                        company,
                        Span {
                            file: now.clone(),
                            rows,
                        },
                    ));
                }
            }
        }
        Ok(best.map(|it| it.1))
    }

    /// The hunks between two versions of a file.
    pub(super) fn hunks(&mut self, was: &Version, now: &Version) -> Result<Rc<[Hunk]>, Broken> {
        let key = was.id.clone().zip(now.id.clone());
        if let Some(known) = key.as_ref().and_then(|it| self.diffs.get(it)) {
            return Ok(Rc::clone(known));
        }
        let (old, new) = (self.content(was)?, self.content(now)?);
        let hunks: Rc<[Hunk]> = hunks::between(&Sheet::of(&old), &Sheet::of(&new)).into();
        if let Some(key) = key {
            self.diffs.insert(key, Rc::clone(&hunks));
        }
        Ok(hunks)
    }

    /// What a version holds.
    pub(super) fn content(&mut self, file: &Version) -> Result<Rc<[u8]>, Broken> {
        let found = self
            .load(file)
            .map_err(|error| broken(file, &error.told()))?;
        found.ok_or_else(|| broken(file, missing(file)))
    }

    /// Whether git has this content of a file.
    pub(super) fn knows(&mut self, path: &RepoPath, id: &str) -> Result<bool, Broken> {
        let file = Version {
            path: path.clone(),
            id: Some(id.to_owned()),
        };
        self.load(&file)
            .map(|it| it.is_some())
            .map_err(|error| broken(&file, &error.told()))
    }

    /// What a version holds that lines may have gone to; `None` where it is no file, or too large to be searched.
    fn candidate(&mut self, file: &Version) -> Result<Option<Rc<[u8]>>, Broken> {
        match self.load(file) {
            Ok(None) if file.id.is_some() => Err(broken(file, missing(file))),
            Ok(found) => Ok(found),
            Err(SourceError::Outside { .. } | SourceError::TooLarge { .. }) => Ok(None),
            Err(error) => Err(broken(file, &error.told())),
        }
    }

    fn load(&mut self, file: &Version) -> Result<Option<Rc<[u8]>>, SourceError> {
        let Some(id) = &file.id else {
            return Ok(self.source.read(&file.path)?.map(|it| it.bytes.into()));
        };
        if let Some(known) = self.objects.get(id) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(object) = self.source.object(id)? else {
            return Ok(None);
        };
        let object: Rc<[u8]> = object.into();
        self.keep(id, &object);
        Ok(Some(object))
    }

    /// Keeps content at hand.
    pub(super) fn keep(&mut self, id: &str, object: &Rc<[u8]>) {
        self.at_hand += object.len();
        if self.at_hand > MAX_AT_HAND {
            self.objects.clear();
            self.diffs.clear();
            self.at_hand = object.len();
        }
        self.objects.insert(id.to_owned(), Rc::clone(object));
    }
}

fn broken(file: &Version, why: &str) -> Broken {
    Broken(format!("'{}' could not be followed: {why}", file.path))
}

/// Why a version that must be there is not.
fn missing(file: &Version) -> &'static str {
    if file.id.is_some() {
        "an older version is not in this clone"
    } else {
        "it is no longer there"
    }
}

/// What one edit did to lines.
pub(super) enum Through {
    /// The same text stands here now.
    Untouched(Span),
    /// Other text stands here now.
    Touched(Span),
    /// Nothing is left of them.
    Lost(Loss),
}

/// Where the text stands in the new version, if there and in the old one it stands only once.
fn only_place(was: &Sheet<'_>, now: &Sheet<'_>, text: &[&[u8]]) -> Option<u32> {
    let same = |line: &[u8], other: &[u8]| line == other;
    let mut places = occurrences(now, text, same);
    let only = places.next().filter(|_| places.next().is_none())?;
    (occurrences(was, text, same).count() == 1 && weight(text) >= 8).then_some(only)
}

/// How many lines next to these moved along with them.
fn company(
    (was, old): (&Sheet<'_>, &Range<u32>),
    (now, new): (&Sheet<'_>, &Range<u32>),
    same: fn(&[u8], &[u8]) -> bool,
) -> u32 {
    let above = was.lines()[..old.start as usize]
        .iter()
        .rev()
        .zip(now.lines()[..new.start as usize].iter().rev());
    let below = was.lines()[old.end as usize..]
        .iter()
        .zip(&now.lines()[new.end as usize..]);
    let alike = |pairs: usize| u32::try_from(pairs).unwrap_or(u32::MAX);
    alike(
        above
            .take(MAX_COMPANY)
            .take_while(|(a, b)| same(a, b))
            .count(),
    ) + alike(
        below
            .take(MAX_COMPANY)
            .take_while(|(a, b)| same(a, b))
            .count(),
    )
}

/// Every row at which these lines stand.
pub(super) fn occurrences<'s>(
    sheet: &'s Sheet<'_>,
    text: &'s [&[u8]],
    same: impl Fn(&[u8], &[u8]) -> bool + 's,
) -> impl Iterator<Item = u32> + 's {
    let windows = sheet.lines().windows(text.len().max(1)).enumerate();
    let is_it = move |(_, it): &(usize, &[&[u8]])| it.iter().zip(text).all(|(a, b)| same(a, b));
    windows
        .filter(is_it)
        .map(|(row, _)| u32::try_from(row).unwrap_or(u32::MAX))
}

/// Whether lines are long enough to be told from others like them: three that say something, or forty letters.
pub(super) fn is_distinctive(lines: &[&[u8]]) -> bool {
    let says = |line: &&&[u8]| line.iter().filter(|it| tokens::is_word(**it)).count() >= 3;
    weight(lines) >= 40 || (lines.iter().filter(says).count() >= 3 && weight(lines) >= 20)
}

/// How many letters and digits there are.
pub(super) fn weight(lines: &[&[u8]]) -> usize {
    lines
        .iter()
        .flat_map(|it| it.iter())
        .filter(|it| it.is_ascii_alphanumeric() || !it.is_ascii())
        .count()
}
