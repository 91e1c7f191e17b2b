//! Looking citations up: does the cited text still stand, where, and if not, what became of it?
//!
//! In order of cost: the same content needs no search; lines are followed through the commits since; where the commit
//! is gone, the captured text and its neighbours are what is left. Similarity never makes a citation valid: it only
//! shows where a change is.

mod anchor;
mod comments;
mod grade;
mod hunks;
mod memo;
mod pin;
mod tokens;
mod trace;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

pub use hunks::swapped;
pub use pin::Pin;

use anchor::{Anchor, Found};
use trace::{Fate, Road, Span, Through, Tracer};

use crate::citation::{Citation, Cite, Lines, RepoPath};
use crate::sheet::{Sheet, is_binary, joined};
use crate::source::{Edit, History, Source, Tree, Version, Way};
use crate::verdict::{Change, Difference, Loss, Verdict};
use apostille_text::digest::Digest;
use apostille_text::literals;

/// How many commits are followed where somebody waits for a recall; beyond it, one leap takes their place.
pub const NEAR: usize = 2_000;
/// How many commits are followed when everything is verified.
pub const FAR: usize = 50_000;

/// From how many citations on it pays to ask for the ids of files before reading them.
const BATCH: usize = 50;
const LATE: &str = "no time left to look";
const NOT_TEXT: &str = "the file is not text";

/// Something on the way could not be read: the verdict is `unknown`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken(String);

/// What was found at one citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the cited commit is part of the history of this tree; `None` where that was not asked, or not known.
    pub is_merged: Option<bool>,
}

impl Sight {
    fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            is_merged: None,
        }
    }

    fn unknown(why: impl Into<String>) -> Self {
        Self::of(Verdict::Unknown { why: why.into() })
    }

    /// Whether it may be held against a memory for good: the change is part of this tree's own history, or the text
    /// was never there. What is cited from a branch that was not merged, or from a commit that is gone, is only
    /// withheld.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        let is_never = matches!(
            self.verdict,
            Verdict::Gone {
                loss: Loss::Never,
                ..
            }
        );
        self.verdict.is_bad() && (is_never || self.is_merged == Some(true))
    }

    /// The same, with what the fact names that the change took away: then the code contradicts the fact.
    fn against(mut self, fact: &str, citation: &Citation) -> Self {
        if let Verdict::Changed(found) = &mut self.verdict
            && found.change > Change::Formatting
        {
            found.contradicted = literals::contradicted(fact, &citation.snippet, &found.now);
            found.is_harmless &= found.contradicted.is_empty();
        }
        self
    }
}

/// A file of the tree, and rows of it.
type Spot = (RepoPath, Range<u32>);
type Read = Result<Option<(Option<String>, Rc<[u8]>)>, String>;

/// A fact and the places that prove it.
#[derive(Debug, Clone, Copy)]
pub struct CitedClaim<'a> {
    /// What is claimed.
    pub fact: &'a str,
    /// The places.
    pub citations: &'a [Citation],
}

/// Looks up citations, reading each file once and walking the history once for all of them.
pub struct Reader<'a> {
    source: &'a dyn Source,
    tolerance: Change,
    late: &'a dyn Fn() -> bool,
    most: usize,
    files: HashMap<RepoPath, Read>,
    tracer: Tracer<'a>,
    tree: Option<Tree>,
    edits: OnceCell<Result<Rc<[Edit]>, Broken>>,
}

impl<'a> Reader<'a> {
    /// A reader of this source that follows at most `most` commits, takes changes up to `tolerance` for harmless, and
    /// answers `unknown` once `late` says that the time is up.
    #[must_use]
    pub fn new(
        source: &'a dyn Source,
        tolerance: Change,
        late: &'a dyn Fn() -> bool,
        most: usize,
    ) -> Self {
        Self {
            source,
            tolerance,
            late,
            most,
            files: HashMap::new(),
            tracer: Tracer::new(source),
            tree: None,
            edits: OnceCell::new(),
        }
    }

    /// One verdict for each citation of each claim.
    pub fn verdicts(&mut self, claims: &[CitedClaim<'_>]) -> Vec<Vec<Verdict>> {
        let verdicts = |sights: Vec<Sight>| sights.into_iter().map(|it| it.verdict).collect();
        self.sights(claims).into_iter().map(verdicts).collect()
    }

    /// What is found at each citation of each claim, held against what its fact says.
    pub fn sights(&mut self, claims: &[CitedClaim<'_>]) -> Vec<Vec<Sight>> {
        let citations: Vec<&Citation> = claims.iter().flat_map(|it| it.citations).collect();
        let mut sights = self.look(&citations).into_iter();
        let of_claim = |claim: &CitedClaim<'_>| {
            let pairs = claim.citations.iter().zip(sights.by_ref());
            pairs
                .map(|(citation, sight)| sight.against(claim.fact, citation))
                .collect()
        };
        claims.iter().map(of_claim).collect()
    }

    /// What is found at each of these citations.
    pub fn look(&mut self, citations: &[&Citation]) -> Vec<Sight> {
        let is_batch = citations.len() >= BATCH;
        let quick: Vec<Option<Sight>> = citations
            .iter()
            .map(|it| self.quick(it, is_batch))
            .collect();
        let history = self.history(
            citations
                .iter()
                .zip(&quick)
                .filter(|it| it.1.is_none())
                .map(|it| *it.0),
        );
        let road = history
            .as_ref()
            .map(|it| it.as_ref().map(Road::new))
            .transpose();
        let open: Vec<&Citation> = citations
            .iter()
            .zip(&quick)
            .filter(|it| it.1.is_none())
            .map(|it| *it.0)
            .collect();
        let mut searched = match &road {
            Ok(Some(road)) => open
                .iter()
                .map(|it| self.follow(it, road))
                .collect::<Vec<_>>(),
            Ok(None) => open.iter().map(|it| self.anchored(it)).collect(),
            Err(broken) => open
                .iter()
                .map(|it| self.anchored(it).or_unknown(broken))
                .collect(),
        }
        .into_iter();
        let over = |done: Option<Sight>| done.map(Search::Over).or_else(|| searched.next());
        let followed: Vec<Search> = quick.into_iter().filter_map(over).collect();
        let sights = self.abroad(citations, followed);
        self.keep(citations, &sights);
        sights
    }

    /// The verdict that needs no walk: it was found before, or the text is in place.
    fn quick(&mut self, citation: &Citation, is_batch: bool) -> Option<Sight> {
        if (self.late)() {
            return Some(Sight::unknown(LATE));
        }
        if let Some(sight) = self.concluded(citation) {
            return Some(sight);
        }
        let unread = if is_batch {
            self.source.id(&citation.path)
        } else {
            None
        };
        let known = unread.and_then(|id| {
            self.found_before(citation, &id)
                .or_else(|| self.concluded_unedited(citation, &id))
        });
        known
            .or_else(|| self.in_place(citation))
            .or_else(|| self.met_before(citation))
    }

    /// What was concluded about this very commit before; a working tree is none.
    fn concluded(&mut self, citation: &Citation) -> Option<Sight> {
        let memo = self.source.memo()?;
        let tree = self.tree().ok().filter(|it| !it.is_worktree)?;
        let key = memo::conclusion(citation, tree.commit.as_deref()?);
        memo::sight(&memo.get(&key)?, |change| change <= self.tolerance)
    }

    /// What was concluded about the commit of a working tree, if the file is as it is there.
    fn concluded_unedited(&mut self, citation: &Citation, id: &str) -> Option<Sight> {
        let memo = self.source.memo()?;
        let commit = self.commit()?;
        let (fate, _) = memo::fate(&memo.get(&memo::at_commit(citation, &commit))?)?;
        let kept = memo.get(&memo::conclusion(citation, &commit))?;
        is_unedited(&fate, citation, id).then_some(())?;
        memo::sight(&kept, |change| change <= self.tolerance)
    }

    /// What was found when the file had this content.
    fn found_before(&self, citation: &Citation, id: &str) -> Option<Sight> {
        let kept = self.source.memo()?.get(&memo::in_file(citation, id))?;
        memo::verdict(citation, &kept).map(Sight::of)
    }

    /// The verdict on a citation that was followed to this very commit before.
    fn met_before(&mut self, citation: &Citation) -> Option<Sight> {
        if let Ok(Some((Some(id), _))) = self.read(&citation.path)
            && let Some(sight) = self.found_before(citation, &id)
        {
            return Some(sight);
        }
        let commit = self.commit()?;
        let kept = self
            .source
            .memo()?
            .get(&memo::at_commit(citation, &commit))?;
        let (fate, is_merged) = memo::fate(&kept)?;
        let verdict = self
            .uncommitted(fate)
            .and_then(|fate| self.judged(citation, fate))
            .ok()?;
        Some(Sight { verdict, is_merged })
    }

    /// Keeps what stays true as long as the files are what they are.
    fn keep(&mut self, citations: &[&Citation], sights: &[Sight]) {
        let Some(memo) = self.source.memo() else {
            return;
        };
        let commit = self
            .tree()
            .ok()
            .filter(|it| !it.is_worktree)
            .and_then(|it| it.commit.clone());
        for (citation, sight) in citations.iter().zip(sights) {
            if let Some(commit) = &commit
                && let Some(value) = memo::concluded(sight)
            {
                memo.put(&memo::conclusion(citation, commit), &value);
                continue;
            }
            let id = match self.files.get(&citation.path) {
                Some(Ok(Some((Some(id), _)))) => id,
                _ => continue,
            };
            if let Some(value) = memo::lasting(citation, &sight.verdict) {
                memo.put(&memo::in_file(citation, id), &value);
            }
        }
    }

    /// How the tree came to be since these were cited; `None` where none of them needs it.
    fn history<'c>(
        &self,
        open: impl Iterator<Item = &'c Citation>,
    ) -> Option<Result<History, Broken>> {
        let from: BTreeSet<String> = open.filter_map(|it| it.commit.clone()).collect();
        let wanted = !from.is_empty() && !(self.late)();
        wanted.then(|| {
            self.source
                .history(&from, self.most)
                .map_err(|error| Broken(error.told()))
        })
    }

    /// The verdict where no search is needed: the file could not be read, its content is the one that was cited, or
    /// the text stands where it stood and nowhere else.
    fn in_place(&mut self, citation: &Citation) -> Option<Sight> {
        let (id, bytes) = match self.read(&citation.path) {
            Err(why) => return Some(Sight::unknown(why)),
            Ok(None) => return None,
            Ok(Some(file)) => file,
        };
        if is_binary(&bytes) {
            return Some(Sight::unknown(NOT_TEXT));
        }
        let head = Sheet::head(&bytes, citation.lines.end() as usize);
        let is_here = stands(citation, head.range(citation.lines));
        if id.is_some() && id == citation.blob {
            let never = Verdict::Gone {
                loss: Loss::Never,
                since: None,
            };
            return Some(Sight::of(if is_here { Verdict::Holds } else { never }));
        }
        (is_here && Anchor::new(citation).is_certain(&Sheet::of(&bytes)))
            .then(|| Sight::of(Verdict::Holds))
    }

    /// Follows a citation through the commits since it was made, and through the edits that no commit holds yet.
    fn follow(&mut self, citation: &Citation, road: &Road<'_>) -> Search {
        if (self.late)() {
            return Search::Over(Sight::unknown(LATE));
        }
        match self.followed(citation, road) {
            Ok(Some(sight)) => Search::Over(sight),
            Ok(None) => self.anchored(citation),
            Err(broken) => self.anchored(citation).or_unknown(&broken),
        }
    }

    /// What following finds; `None` where it cannot begin.
    fn followed(&mut self, citation: &Citation, road: &Road<'_>) -> Result<Option<Sight>, Broken> {
        let Some((span, way)) = self.start(citation, road)? else {
            return Ok(None);
        };
        let is_merged = match &way {
            Way::Along(_) => Some(true),
            Way::Across { is_ancestor, .. } => *is_ancestor,
        };
        let fate = self.tracer.follow(road, span, &way)?;
        if let (Some(memo), Some(commit)) = (self.source.memo(), self.commit())
            && let Some(value) = memo::kept(&fate, is_merged)
        {
            memo.put(&memo::at_commit(citation, &commit), &value);
        }
        let is_unedited = match self.read(&citation.path) {
            Ok(Some((Some(id), _))) => is_unedited(&fate, citation, &id),
            _ => false,
        };
        let fate = self.uncommitted(fate)?;
        let sight = Sight {
            verdict: self.judged(citation, fate)?,
            is_merged,
        };
        if is_unedited
            && let (Some(memo), Some(commit)) = (self.source.memo(), self.commit())
            && let Some(value) = memo::concluded(&sight)
        {
            memo.put(&memo::conclusion(citation, &commit), &value);
        }
        Ok(Some(sight))
    }

    /// Where following begins: the version of the file that was cited, and the way from there.
    fn start(
        &mut self,
        citation: &Citation,
        road: &Road<'_>,
    ) -> Result<Option<(Span, Way)>, Broken> {
        let way = citation
            .commit
            .as_ref()
            .and_then(|it| road.history.ways.get(it));
        let Some(way) = way else { return Ok(None) };
        let (first, from) = match way {
            Way::Along(at) => (road.version(&citation.path, *at), *at),
            Way::Across { leap, then, .. } => {
                let mut was = leap.edits.iter().filter_map(|it| it.was.as_ref());
                let first = was.find(|it| it.path == citation.path);
                (first.or_else(|| road.version(&citation.path, *then)), *then)
            }
        };
        let first = first.and_then(|it| it.id.as_deref());
        match (first, citation.blob.as_deref()) {
            // What was cited may have been committed only later.
            (Some(first), Some(blob)) if first != blob => {
                let later = road
                    .arrival(&citation.path, blob, from)
                    .map(|at| Way::Along(at + 1));
                let begin = later
                    .map(|way| self.begins(citation, blob, &way))
                    .transpose()?
                    .flatten();
                begin.map_or_else(|| self.begins(citation, first, way), |it| Ok(Some(it)))
            }
            (Some(first), _) => self.begins(citation, first, way),
            // No commit touched the file since; what was cited may be in none of them.
            (None, Some(blob)) if self.tracer.knows(&citation.path, blob)? => {
                self.begins(citation, blob, way)
            }
            (None, _) => Ok(None),
        }
    }

    /// Begins with this content of the file, if the cited text stands there.
    fn begins(
        &mut self,
        citation: &Citation,
        id: &str,
        way: &Way,
    ) -> Result<Option<(Span, Way)>, Broken> {
        let file = Version {
            path: citation.path.clone(),
            id: Some(id.to_owned()),
        };
        let bytes = self.tracer.content(&file)?;
        let rows = citation.lines.start() - 1..citation.lines.end();
        let is_there = stands(citation, Sheet::of(&bytes).range(citation.lines));
        Ok(is_there.then(|| (Span { file, rows }, way.clone())))
    }

    /// What became of lines that were followed to the commit, in the very tree that is looked at: it may hold edits
    /// that no commit holds, and what was cited may never have been committed.
    fn uncommitted(&mut self, fate: Fate) -> Result<Fate, Broken> {
        let Fate::Here { span, since } = fate else {
            return Ok(fate);
        };
        let path = span.file.path.clone();
        let now = match self.read(&path).map_err(Broken)? {
            Some((id, _)) if id.is_some() && id == span.file.id => {
                return Ok(Fate::Here { span, since });
            }
            Some(_) => Some(Version { path, id: None }),
            None => None,
        };
        let edit = Edit {
            was: Some(span.file.clone()),
            now,
        };
        if let Through::Untouched(span) = self.tracer.through(&edit, span.clone(), &[])? {
            return Ok(Fate::Here { span, since });
        }
        let edits = self.edits()?;
        let edit = match edit.now {
            Some(_) => edit,
            None => Edit {
                now: self.tracer.renamed(&span.file, &edits)?,
                ..edit
            },
        };
        Ok(match self.tracer.through(&edit, span, &edits)? {
            Through::Untouched(span) => Fate::Here { span, since },
            Through::Touched(span) => Fate::Here { span, since: None },
            Through::Lost(loss) => Fate::Lost { loss, since: None },
        })
    }

    /// The verdict on lines that were followed to the end.
    fn judged(&mut self, citation: &Citation, fate: Fate) -> Result<Verdict, Broken> {
        match fate {
            Fate::Lost { loss, since } => {
                let back = self.restored(citation, &citation.path.clone());
                Ok(back.unwrap_or(Verdict::Gone { loss, since }))
            }
            Fate::Here { span, since } => {
                let bytes = self.tracer.content(&span.file)?;
                if is_binary(&bytes) {
                    return Err(Broken(NOT_TEXT.into()));
                }
                let sheet = Sheet::of(&bytes);
                if stands(citation, Some(sheet.rows(&span.rows))) {
                    return Ok(here(citation, &span.file.path, &span.rows));
                }
                let back = self.restored(citation, &span.file.path);
                Ok(back.unwrap_or_else(|| {
                    self.changed(citation, &span.file.path, &sheet, &span.rows, since)
                }))
            }
        }
    }

    /// The cited text where it was taken out and put back since.
    fn restored(&mut self, citation: &Citation, path: &RepoPath) -> Option<Verdict> {
        let (_, bytes) = self.read(path).ok()??;
        let rows = Anchor::new(citation).restored(&Sheet::of(&bytes))?;
        Some(here(citation, path, &rows))
    }

    /// Looks for a citation by what was captured alone: in its file first.
    fn anchored(&mut self, citation: &Citation) -> Search {
        if (self.late)() {
            return Search::Over(Sight::unknown(LATE));
        }
        let file = match self.read(&citation.path) {
            Err(why) => return Search::Over(Sight::unknown(why)),
            Ok(file) => file,
        };
        let Some((_, bytes)) = file else {
            return Search::Abroad(Verdict::Gone {
                loss: Loss::File,
                since: None,
            });
        };
        let sheet = Sheet::of(&bytes);
        let path = &citation.path;
        match Anchor::new(citation).at_home(&sheet) {
            Found::Same(rows) => Search::Over(Sight::of(here(citation, path, &rows))),
            Found::Spaced(rows) => {
                Search::Over(Sight::of(self.changed(citation, path, &sheet, &rows, None)))
            }
            Found::Other(rows) => Search::Abroad(self.changed(citation, path, &sheet, &rows, None)),
            Found::Nothing => Search::Abroad(Verdict::Gone {
                loss: Loss::Lines,
                since: None,
            }),
        }
    }

    /// Looks through the whole tree, once, for what is not at home. What was not searched to the end is unknown.
    fn abroad(&mut self, citations: &[&Citation], searches: Vec<Search>) -> Vec<Sight> {
        let lost = citations
            .iter()
            .zip(&searches)
            .filter(|(_, it)| matches!(it, Search::Abroad(_)));
        let anchors: Vec<Anchor<'_>> = lost.map(|(citation, _)| Anchor::new(citation)).collect();
        let seen = self.seen_abroad(&anchors);
        let mut found = seen.as_ref().map(|it| it.iter()).map_err(|Broken(why)| why);
        let settled =
            citations
                .iter()
                .zip(searches)
                .map(|(citation, search)| match (search, &mut found) {
                    (Search::Over(sight), _) => sight,
                    (Search::Abroad(unknown @ Verdict::Unknown { .. }), Err(_)) => {
                        Sight::of(unknown)
                    }
                    (Search::Abroad(_), Err(why)) => Sight::unknown(why.as_str()),
                    (Search::Abroad(verdict), Ok(found)) => match found.next() {
                        Some(Some((path, rows))) => Sight::of(here(citation, path, rows)),
                        _ => Sight::of(verdict),
                    },
                });
        settled.collect()
    }

    /// The one place in the tree where each of these texts stands, where there is one.
    fn seen_abroad(&self, anchors: &[Anchor<'_>]) -> Result<Vec<Option<Spot>>, Broken> {
        let mut wanted: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (which, anchor) in anchors.iter().enumerate() {
            wanted
                .entry(anchor.telling_line().trim_ascii())
                .or_default()
                .push(which);
        }
        let mut found: Vec<anchor::Abroad> = vec![anchor::Abroad::default(); anchors.len()];
        let mut is_late = false;
        let mut see = |path: &RepoPath, blob: &crate::source::Blob| {
            let sheet = Sheet::of(&blob.bytes);
            let lines = sheet
                .lines()
                .iter()
                .map(|it| String::from_utf8_lossy(it.trim_ascii()));
            let here: BTreeSet<usize> = lines
                .filter_map(|it| wanted.get(it.as_bytes()))
                .flatten()
                .copied()
                .collect();
            for which in here {
                anchors[which].abroad(path, &sheet, &mut found[which]);
            }
            is_late = (self.late)();
            !is_late
        };
        if !anchors.is_empty() {
            self.source
                .visit(&mut see)
                .map_err(|error| Broken(error.told()))?;
        }
        if is_late {
            return Err(Broken(LATE.into()));
        }
        Ok(found.into_iter().map(anchor::Abroad::only).collect())
    }

    fn changed(
        &self,
        citation: &Citation,
        path: &RepoPath,
        sheet: &Sheet<'_>,
        rows: &Range<u32>,
        since: Option<String>,
    ) -> Verdict {
        let was: Vec<&[u8]> = citation.snippet.split('\n').map(str::as_bytes).collect();
        let now = sheet.rows(rows);
        let (change, similarity) = grade::grade(path.as_str(), &was, now);
        Verdict::Changed(Box::new(Difference {
            change,
            at: place(path, rows),
            now: String::from_utf8_lossy(&joined(now)).into_owned(),
            similarity,
            since,
            is_harmless: change <= self.tolerance,
            contradicted: Vec::new(),
        }))
    }

    fn commit(&mut self) -> Option<String> {
        self.tree().ok()?.commit.clone()
    }

    fn tree(&mut self) -> Result<&Tree, Broken> {
        let tree = match self.tree.take() {
            Some(tree) => tree,
            None => self.source.tree().map_err(|error| Broken(error.told()))?,
        };
        Ok(self.tree.insert(tree))
    }

    fn edits(&mut self) -> Result<Rc<[Edit]>, Broken> {
        let source = self.source;
        let ask = || {
            source
                .edits()
                .map(Rc::from)
                .map_err(|error| Broken(error.told()))
        };
        self.edits.get_or_init(ask).clone()
    }

    fn read(&mut self, path: &RepoPath) -> Read {
        if let Some(read) = self.files.get(path) {
            return read.clone();
        }
        let read: Read = match self.source.read(path) {
            Err(error) => Err(error.told()),
            Ok(None) => Ok(None),
            Ok(Some(blob)) => Ok(Some((blob.id, blob.bytes.into()))),
        };
        if let Ok(Some((Some(id), bytes))) = &read {
            self.tracer.keep(id, bytes);
        }
        self.files.insert(path.clone(), read.clone());
        read
    }
}

/// Where the search for one citation stands.
enum Search {
    /// There is a verdict.
    Over(Sight),
    /// It is not at home; this is the verdict unless it is found elsewhere in the tree.
    Abroad(Verdict),
}

impl Search {
    /// When something on the way could not be read, what is not found by its text is not known to be gone.
    fn or_unknown(self, broken: &Broken) -> Self {
        match self {
            Self::Over(sight) if sight.verdict.is_good() => Self::Over(sight),
            Self::Over(_) => Self::Over(Sight::unknown(broken.0.clone())),
            Self::Abroad(_) => Self::Abroad(Verdict::Unknown {
                why: broken.0.clone(),
            }),
        }
    }
}

/// Whether lines were followed to a commit within their file, and the file is as it is there.
fn is_unedited(fate: &Fate, citation: &Citation, id: &str) -> bool {
    matches!(fate, Fate::Here { span, .. } if span.file.path == citation.path && span.file.id.as_deref() == Some(id))
}

/// Whether these lines are the cited ones.
fn stands(citation: &Citation, lines: Option<&[&[u8]]>) -> bool {
    lines.is_some_and(|it| Digest::of(&joined(it)) == citation.digest)
}

/// The verdict for cited text that stands at these rows.
fn here(citation: &Citation, path: &RepoPath, rows: &Range<u32>) -> Verdict {
    let to = place(path, rows);
    if to == citation.place() {
        Verdict::Holds
    } else {
        Verdict::Moved { to }
    }
}

fn place(path: &RepoPath, rows: &Range<u32>) -> Cite {
    // Rows that are looked at are never empty.
    let lines = Lines::new(rows.start + 1, rows.end.max(rows.start + 1)).unwrap_or(Lines::FIRST);
    Cite {
        path: path.clone(),
        lines,
    }
}

#[cfg(test)]
mod tests;
