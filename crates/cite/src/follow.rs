//! Looking citations up: does the cited text still stand, where, and if not, what became of it?
//!
//! In order of cost:
//!
//! 1. **In place.** The file has the content that was cited, or the text stands at its lines, among all its neighbours or
//!    nowhere else. Then it holds, and git is not asked.
//! 2. **Followed.** One walk along first parents for all citations that are left (`Source::walk_history`). Each is carried
//!    from commit to commit through the hunks of its file, through renames, and through blocks that a commit moved
//!    (`trace`). Then the edits that no commit holds yet are followed in the same way.
//! 3. **Anchored.** Where the commit is gone (rebased, squashed, beyond a shallow clone), the captured text and the
//!    fingerprints of its neighbours are looked for in the file, then in the whole tree, in one pass for all (`anchor`).
//!
//! **Similarity never makes a citation valid.** The edits that make a fact false are often the smallest: `3` becomes `5`,
//! `<` becomes `<=`, a `not` is added. A block that is 98 % alike is therefore no evidence that the fact holds, and a
//! threshold would let through exactly the changes that matter. A verdict rests on text that is the same, on hunks that a
//! diff reports, or on a change whose kind is known (`grade`). Likeness only helps to say *where* changed text went, so that
//! the reader is shown the place.
//!
//! **What could not be read is `unknown`,** and once something on the way could not be read, what is not found by its text
//! is `unknown` as well. A partial clone, a full disk or a deadline must never look like a deletion: a memory is withheld
//! then, and nothing is held against it.
//!
//! A batch is followed by one thread. Four were tried: versions of files that several citations share were read again by
//! each, and nothing was gained on two cores.

mod anchor;
mod grade;
mod hunks;
mod judge;
mod partial_citation;
mod trace;
mod verdict_cache;

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    rc::Rc,
};

pub use hunks::{find_replaced_words, trace_rows_back};
pub use judge::JudgedClaim;
pub use partial_citation::PartialCitation;

use anchor::{Anchor, AnchorMatch};
use trace::{EditOutcome, HistoryIndex, LineTracer, TraceOutcome, VersionSpan};
use verdict_cache::{
    CONCLUSION, IN_FILE, TRACE, build_cache_key, decode_cached_conclusion, decode_cached_trace,
    decode_lasting_verdict, encode_cached_conclusion, encode_cached_trace, encode_lasting_verdict,
};

use crate::{
    citation::{Citation, CodeLocation, LineSpan, RepoPath},
    file_lines::{FileLines, is_binary_content, join_cited_lines},
    outline::FileOutline,
    source::{CommitHistory, FileEdit, FileVersion, HistoryRoute, Source, SourceBlob, SourceTree},
    verdict::{Change, Difference, Loss, Verdict},
};
use apostille_text::{digest::Digest, literals};

/// How many commits are followed where somebody waits for a recall; beyond it, one leap takes their place.
pub const NEAR: usize = 2_000;
/// How many commits are followed when everything is verified.
pub const FAR: usize = 50_000;

/// From how many citations on it pays to ask for the ids of files before reading them.
const BATCH: usize = 50;
const LATE: &str = "no time left to look";
const UNREAD: &str = "the cited lines were never read, because a clone lacks their commit";
const NOT_TEXT: &str = "the file is not text";

/// What was found at one citation. Where something on the way could not be read, the error is the verdict `unknown`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationFinding {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the cited commit is part of the history of this tree; `None` where that was not asked, or not known.
    pub is_merged: Option<bool>,
}

impl<V: Into<Verdict>> From<V> for CitationFinding {
    fn from(verdict: V) -> Self {
        Self {
            verdict: verdict.into(),
            is_merged: None,
        }
    }
}

impl CitationFinding {
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
    fn with_contradictions(mut self, fact: &str, citation: &Citation) -> Self {
        if let Verdict::Changed(found) = &mut self.verdict
            && found.change > Change::Formatting
        {
            found.contradicted =
                literals::find_contradicted_literals(fact, &citation.snippet, &found.now);
            found.is_harmless &= found.contradicted.is_empty();
        }
        self
    }
}

/// A file of the tree, and rows of it.
type FileRows = (RepoPath, Range<u32>);
type CachedFileRead = Result<Option<(Option<String>, Rc<[u8]>)>, Verdict>;

/// A fact and the places that prove it.
#[derive(Debug, Clone, Copy)]
pub struct CitedClaim<'a> {
    /// What is claimed.
    pub fact: &'a str,
    /// The places.
    pub citations: &'a [Citation],
}

/// Looks up citations, reading each file once and walking the history once for all of them.
pub struct CitationFollower<'a> {
    source: &'a dyn Source,
    tolerance: Change,
    late: &'a dyn Fn() -> bool,
    most: usize,
    files: HashMap<RepoPath, CachedFileRead>,
    outlines: HashMap<FileVersion, Rc<FileOutline>>,
    tracer: LineTracer<'a>,
    tree: Option<SourceTree>,
    edits: Option<Result<Rc<[FileEdit]>, Verdict>>,
}

impl<'a> CitationFollower<'a> {
    /// A reader of this source that follows at most `most` commits, takes changes up to `tolerance` for harmless, and
    /// answers `unknown` once `late` says that the time is up.
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
            outlines: HashMap::new(),
            tracer: LineTracer::new(source),
            tree: None,
            edits: None,
        }
    }

    /// What is found at each citation of each claim, held against what its fact says.
    fn follow_claims(&mut self, claims: &[CitedClaim]) -> Vec<Vec<CitationFinding>> {
        let citations: Vec<&Citation> = claims.iter().flat_map(|it| it.citations).collect();
        let mut sights = self.follow_citations(&citations).into_iter();
        let of_claim = |claim: &CitedClaim<'_>| {
            let pairs = claim.citations.iter().zip(sights.by_ref());
            pairs
                .map(|(citation, sight)| sight.with_contradictions(claim.fact, citation))
                .collect()
        };
        claims.iter().map(of_claim).collect()
    }

    /// What is found at each of these citations.
    pub fn follow_citations(&mut self, citations: &[&Citation]) -> Vec<CitationFinding> {
        let is_batch = citations.len() >= BATCH;
        let quick: Vec<Option<CitationFinding>> = citations
            .iter()
            .map(|it| self.find_without_history(it, is_batch))
            .collect();
        let pairs = citations.iter().zip(&quick);
        let open = pairs.filter(|(_, done)| done.is_none()).map(|(it, _)| *it);
        let history = self.load_history(open);
        let road = history
            .as_ref()
            .map(|it| it.as_ref().map(HistoryIndex::new));
        let search = |(citation, done): (&&Citation, Option<CitationFinding>)| {
            done.map_or_else(
                || self.search_citation(citation, &road),
                CitationSearch::Over,
            )
        };
        let searches = citations.iter().zip(quick).map(search).collect();
        let sights = self.search_other_files(citations, searches);
        self.cache_findings(citations, &sights);
        sights
    }

    /// The verdict that needs no walk: it was found before, or the text is in place.
    fn find_without_history(
        &mut self,
        citation: &Citation,
        is_batch: bool,
    ) -> Option<CitationFinding> {
        if (self.late)() {
            return Some(Verdict::unknown(LATE).into());
        }
        if citation.is_unread() {
            return Some(Verdict::unknown(UNREAD).into());
        }
        self.load_cached_conclusion(citation)
            .or_else(|| {
                let id = is_batch.then(|| self.source.file_id(&citation.path))??;
                self.load_cached_verdict(citation, &id)
                    .or_else(|| self.load_conclusion_if_unedited(citation, &id))
            })
            .or_else(|| self.check_in_place(citation))
            .or_else(|| self.judge_cached_trace(citation))
    }

    /// What was kept about a citation in a file with this content, or at this commit.
    fn load_cached(&self, citation: &Citation, mark: char, id: &str) -> Option<String> {
        let cache = self.source.verdict_cache()?;
        cache.get(&build_cache_key(citation, mark, id))
    }

    /// Keeps something about a citation, if there is something to keep and where to keep it.
    fn cache_value(&self, citation: &Citation, mark: char, id: &str, value: Option<String>) {
        if let (Some(cache), Some(value)) = (self.source.verdict_cache(), value) {
            cache.put(&build_cache_key(citation, mark, id), &value);
        }
    }

    /// What was concluded about this very commit before; a working tree is none.
    fn load_cached_conclusion(&mut self, citation: &Citation) -> Option<CitationFinding> {
        self.source.verdict_cache()?;
        let commit = self.settled_commit()?;
        let kept = self.load_cached(citation, CONCLUSION, &commit)?;
        decode_cached_conclusion(&kept, self.tolerance)
    }

    /// What was concluded about the commit of a working tree, if the file is as it is there.
    fn load_conclusion_if_unedited(
        &mut self,
        citation: &Citation,
        id: &str,
    ) -> Option<CitationFinding> {
        self.source.verdict_cache()?;
        let commit = self.tree_commit()?;
        let trace = self.load_cached(citation, TRACE, &commit)?;
        let (fate, _) = decode_cached_trace(&trace)?;
        let kept = self.load_cached(citation, CONCLUSION, &commit)?;
        is_unedited_since_trace(&fate, citation, id).then_some(())?;
        decode_cached_conclusion(&kept, self.tolerance)
    }

    /// What was found when the file had this content.
    fn load_cached_verdict(&self, citation: &Citation, id: &str) -> Option<CitationFinding> {
        let kept = self.load_cached(citation, IN_FILE, id)?;
        decode_lasting_verdict(citation, &kept).map(Into::into)
    }

    /// The verdict on a citation that was followed to this very commit before.
    fn judge_cached_trace(&mut self, citation: &Citation) -> Option<CitationFinding> {
        if let Ok(Some((Some(id), _))) = self.read_cached_file(&citation.path)
            && let Some(sight) = self.load_cached_verdict(citation, &id)
        {
            return Some(sight);
        }
        let commit = self.tree_commit()?;
        let kept = self.load_cached(citation, TRACE, &commit)?;
        let (fate, is_merged) = decode_cached_trace(&kept)?;
        let fate = self.apply_uncommitted_edits(fate).ok()?;
        let verdict = self.judge_trace_outcome(citation, fate).ok()?;
        Some(CitationFinding { verdict, is_merged })
    }

    /// Keeps what stays true as long as the files are what they are.
    fn cache_findings(&mut self, citations: &[&Citation], sights: &[CitationFinding]) {
        if self.source.verdict_cache().is_none() {
            return;
        }
        let commit = self.settled_commit();
        for (citation, sight) in citations.iter().zip(sights) {
            if let Some(commit) = &commit
                && let Some(value) = encode_cached_conclusion(sight)
            {
                self.cache_value(citation, CONCLUSION, commit, Some(value));
            } else if let Some(Ok(Some((Some(id), _)))) = self.files.get(&citation.path) {
                let value = encode_lasting_verdict(citation, &sight.verdict);
                self.cache_value(citation, IN_FILE, id, value);
            }
        }
    }

    /// How the tree came to be since these were cited; `None` where none of them needs it.
    fn load_history<'c>(
        &self,
        open: impl Iterator<Item = &'c Citation>,
    ) -> Result<Option<CommitHistory>, Verdict> {
        let from: BTreeSet<String> = open.filter_map(|it| it.commit.clone()).collect();
        if from.is_empty() || (self.late)() {
            return Ok(None);
        }
        Ok(Some(self.source.walk_history(&from, self.most)?))
    }

    /// The verdict where no search is needed: the file could not be read, its content is the one that was cited, or
    /// the text stands where it stood and nowhere else.
    fn check_in_place(&mut self, citation: &Citation) -> Option<CitationFinding> {
        let (id, bytes) = match self.read_cached_file(&citation.path) {
            Err(error) => return Some(error.into()),
            Ok(None) => return None,
            Ok(Some(file)) => file,
        };
        if is_binary_content(&bytes) {
            return Some(Verdict::unknown(NOT_TEXT).into());
        }
        let head = FileLines::from_head(&bytes, citation.lines.last_line() as usize);
        let is_here = is_cited_text(citation, head.get_span(citation.lines));
        if id.is_some() && id == citation.blob && !is_here {
            return Some(Loss::Never.into());
        }
        let is_certain = || {
            id.is_some() && id == citation.blob
                || Anchor::new(citation).is_certainly_in_place(&FileLines::from_bytes(&bytes))
        };
        (is_here && is_certain()).then(|| Verdict::Holds.into())
    }

    /// Follows a citation through the commits since it was made, and through the edits that no commit holds yet; where that
    /// cannot begin, looks for what was captured.
    fn search_citation(
        &mut self,
        citation: &Citation,
        road: &Result<Option<HistoryIndex>, &Verdict>,
    ) -> CitationSearch {
        let followed = match road {
            Ok(Some(road)) if !(self.late)() => self.follow_through_history(citation, road),
            Ok(_) => Ok(None),
            Err(broken) => Err((*broken).clone()),
        };
        match followed {
            Ok(Some(sight)) => CitationSearch::Over(sight),
            Ok(None) => self.search_by_anchor(citation),
            Err(broken) => self.search_by_anchor(citation).or_unknown(broken),
        }
    }

    /// What following finds; `None` where it cannot begin.
    fn follow_through_history(
        &mut self,
        citation: &Citation,
        road: &HistoryIndex,
    ) -> Result<Option<CitationFinding>, Verdict> {
        let Some((span, way)) = self.find_trace_start(citation, road)? else {
            return Ok(None);
        };
        let is_merged = match &way {
            HistoryRoute::Along(_) => Some(true),
            HistoryRoute::Across { is_ancestor, .. } => *is_ancestor,
        };
        let fate = self.tracer.trace_lines(road, span, &way)?;
        let commit = self.source.verdict_cache().and_then(|_| self.tree_commit());
        if let Some(commit) = &commit {
            let value = encode_cached_trace(&fate, is_merged);
            self.cache_value(citation, TRACE, commit, value);
        }
        let is_unedited = match self.read_cached_file(&citation.path) {
            Ok(Some((Some(id), _))) => is_unedited_since_trace(&fate, citation, &id),
            _ => false,
        };
        let fate = self.apply_uncommitted_edits(fate)?;
        let sight = CitationFinding {
            verdict: self.judge_trace_outcome(citation, fate)?,
            is_merged,
        };
        if let Some(commit) = commit.filter(|_| is_unedited) {
            let value = encode_cached_conclusion(&sight);
            self.cache_value(citation, CONCLUSION, &commit, value);
        }
        Ok(Some(sight))
    }

    /// Where following begins: the version of the file that was cited, and the way from there.
    fn find_trace_start(
        &mut self,
        citation: &Citation,
        road: &HistoryIndex,
    ) -> Result<Option<(VersionSpan, HistoryRoute)>, Verdict> {
        let way = citation
            .commit
            .as_ref()
            .and_then(|it| road.history.ways.get(it));
        let Some(way) = way else { return Ok(None) };
        let (leap, from) = match way {
            HistoryRoute::Along(at) => (&[][..], *at),
            HistoryRoute::Across { leap, then, .. } => (&leap.edits[..], *then),
        };
        let mut leapt = leap.iter().filter_map(|it| it.was.as_ref());
        let first = leapt
            .find(|it| it.path == citation.path)
            .or_else(|| road.next_edit(&citation.path, from)?.1.was.as_ref());
        let version = |id: &str| FileVersion {
            path: citation.path.clone(),
            id: Some(id.to_owned()),
        };
        let file = match (
            first.and_then(|it| it.id.as_deref()),
            citation.blob.as_deref(),
        ) {
            // What was cited may have been committed only later.
            (Some(first), Some(blob)) if first != blob => {
                if let Some(at) = road.find_arrival_step(&citation.path, blob, from)
                    && let Some(span) = self.find_cited_text(citation, version(blob))?
                {
                    return Ok(Some((span, HistoryRoute::Along(at + 1))));
                }
                version(first)
            }
            (Some(first), _) => version(first),
            // No commit touched the file since; what was cited may be in none of them.
            (None, Some(blob)) if self.tracer.has_content(&version(blob))? => version(blob),
            (None, _) => return Ok(None),
        };
        let span = self.find_cited_text(citation, file)?;
        Ok(span.map(|it| (it, way.clone())))
    }

    /// The cited lines of this version of their file, if the cited text stands there.
    fn find_cited_text(
        &mut self,
        citation: &Citation,
        file: FileVersion,
    ) -> Result<Option<VersionSpan>, Verdict> {
        let bytes = self.tracer.load_content(&file)?;
        let rows = citation.lines.rows();
        let sheet = FileLines::from_bytes(&bytes);
        let is_there = is_cited_text(citation, sheet.get_span(citation.lines));
        Ok(is_there.then_some(VersionSpan { file, rows }))
    }

    /// What became of lines that were followed to the commit, in the very tree that is looked at: it may hold edits
    /// that no commit holds, and what was cited may never have been committed.
    fn apply_uncommitted_edits(&mut self, fate: TraceOutcome) -> Result<TraceOutcome, Verdict> {
        let Ok(span) = &fate.at else {
            return Ok(fate);
        };
        let path = span.file.path.clone();
        let now = match self.read_cached_file(&path)? {
            Some((id, _)) if id.is_some() && id == span.file.id => return Ok(fate),
            Some((id, _)) => Some(FileVersion { path, id }),
            None => None,
        };
        if let Some(now) = &now {
            self.tracer.add_uncommitted(now);
        }
        let mut edit = FileEdit {
            was: Some(span.file.clone()),
            now,
        };
        let alone = self.tracer.apply_edit(&edit, span, &[])?;
        // The other edits cost three processes of git, half of what a hook takes to judge an edit. They say only where lines
        // went that can be told from others, and that did not stay.
        let is_settled = match &alone {
            EditOutcome::Untouched(_) => true,
            EditOutcome::Touched(now) if self.tracer.keeps_distinctive_lines(span, now)? => true,
            _ => edit.now.is_some() && !self.tracer.is_distinctive_span(span)?,
        };
        if is_settled {
            return Ok(alone.into_trace(fate.since, None));
        }
        let edits = self.load_edits()?;
        if edit.now.is_none() {
            edit.now = self.tracer.find_renamed_file(&span.file, &edits)?;
        }
        let outcome = self.tracer.apply_edit(&edit, span, &edits)?;
        Ok(outcome.into_trace(fate.since, None))
    }

    /// The verdict on lines that were followed to the end.
    fn judge_trace_outcome(
        &mut self,
        citation: &Citation,
        fate: TraceOutcome,
    ) -> Result<Verdict, Verdict> {
        let VersionSpan { file, rows } = match fate.at {
            Ok(span) => span,
            Err(loss) => {
                let back = self.find_restored_text(citation, &citation.path);
                let since = fate.since;
                return Ok(back.unwrap_or(Verdict::Gone { loss, since }));
            }
        };
        let bytes = self.tracer.load_content(&file)?;
        if is_binary_content(&bytes) {
            return Err(Verdict::unknown(NOT_TEXT));
        }
        let sheet = FileLines::from_bytes(&bytes);
        if is_cited_text(citation, Some(sheet.clip_rows(&rows))) {
            return Ok(build_found_verdict(citation, &file.path, &rows));
        }
        let back = self.find_restored_text(citation, &file.path);
        Ok(back.unwrap_or_else(|| {
            self.build_changed_verdict(citation, &file.path, &sheet, &rows, fate.since)
        }))
    }

    /// The cited text where it was taken out and put back since.
    fn find_restored_text(&mut self, citation: &Citation, path: &RepoPath) -> Option<Verdict> {
        let (_, bytes) = self.read_cached_file(path).ok()??;
        let rows = Anchor::new(citation).find_restored_rows(&FileLines::from_bytes(&bytes))?;
        Some(build_found_verdict(citation, path, &rows))
    }

    /// Looks for a citation by what was captured alone: in its file first.
    fn search_by_anchor(&mut self, citation: &Citation) -> CitationSearch {
        if (self.late)() {
            return CitationSearch::Over(Verdict::unknown(LATE).into());
        }
        let path = &citation.path;
        let bytes = match self.read_cached_file(path) {
            Err(error) => return CitationSearch::Over(error.into()),
            Ok(None) => return CitationSearch::Abroad(Loss::File.into()),
            Ok(Some((_, bytes))) => bytes,
        };
        let sheet = FileLines::from_bytes(&bytes);
        let changed = |rows| self.build_changed_verdict(citation, path, &sheet, &rows, None);
        match Anchor::new(citation).find_in_own_file(&sheet) {
            AnchorMatch::Same(rows) => {
                CitationSearch::Over(build_found_verdict(citation, path, &rows).into())
            }
            AnchorMatch::Spaced(rows) => CitationSearch::Over(changed(rows).into()),
            AnchorMatch::Other(rows) => CitationSearch::Abroad(changed(rows)),
            AnchorMatch::Nothing => CitationSearch::Abroad(Loss::Lines.into()),
        }
    }

    /// Looks through the whole tree, once, for what is not at home. What was not searched to the end is unknown.
    fn search_other_files(
        &mut self,
        citations: &[&Citation],
        searches: Vec<CitationSearch>,
    ) -> Vec<CitationFinding> {
        let lost = citations
            .iter()
            .zip(&searches)
            .filter(|(_, it)| matches!(it, CitationSearch::Abroad(_)));
        let anchors: Vec<Anchor<'_>> = lost.map(|(citation, _)| Anchor::new(citation)).collect();
        let mut found = self.scan_tree_for_anchors(&anchors).map(Vec::into_iter);
        let settle = |(citation, search): (&&Citation, _)| match (search, &mut found) {
            (CitationSearch::Over(sight), _) => sight,
            (CitationSearch::Abroad(verdict), Ok(found)) => match found.next().flatten() {
                Some((path, rows)) => build_found_verdict(citation, &path, &rows).into(),
                None => verdict.into(),
            },
            (CitationSearch::Abroad(unknown @ Verdict::Unknown { .. }), Err(_)) => unknown.into(),
            (CitationSearch::Abroad(_), Err(error)) => error.clone().into(),
        };
        citations.iter().zip(searches).map(settle).collect()
    }

    /// The one place in the tree where each of these texts stands, where there is one.
    fn scan_tree_for_anchors(&self, anchors: &[Anchor]) -> Result<Vec<Option<FileRows>>, Verdict> {
        let mut wanted: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (which, anchor) in anchors.iter().enumerate() {
            let line = anchor.most_telling_line().trim_ascii();
            wanted.entry(line).or_default().push(which);
        }
        let mut found = vec![Vec::new(); anchors.len()];
        let mut is_late = false;
        let mut see = |path: &RepoPath, blob: &SourceBlob| {
            let sheet = FileLines::from_bytes(&blob.bytes);
            let lines = sheet.lines().iter();
            let here: BTreeSet<usize> = lines
                .filter_map(|it| wanted.get(String::from_utf8_lossy(it.trim_ascii()).as_bytes()))
                .flatten()
                .copied()
                .collect();
            for which in here {
                anchors[which].collect_file_matches(path, &sheet, &mut found[which]);
            }
            is_late = (self.late)();
            !is_late
        };
        if !anchors.is_empty() {
            self.source.visit_files(&mut see)?;
        }
        if is_late {
            return Err(Verdict::unknown(LATE));
        }
        Ok(found.into_iter().map(anchor::pick_only_match).collect())
    }

    fn build_changed_verdict(
        &self,
        citation: &Citation,
        path: &RepoPath,
        sheet: &FileLines,
        rows: &Range<u32>,
        since: Option<String>,
    ) -> Verdict {
        let was: Vec<&[u8]> = citation.snippet.split('\n').map(str::as_bytes).collect();
        let now = sheet.clip_rows(rows);
        let (change, similarity) = grade::grade_change(path.as_str(), &was, now);
        Verdict::Changed(Box::new(Difference {
            change,
            at: location_from_rows(path, rows),
            now: String::from_utf8_lossy(&join_cited_lines(now)).into_owned(),
            similarity,
            since,
            is_harmless: change <= self.tolerance,
            contradicted: Vec::new(),
        }))
    }

    fn tree_commit(&mut self) -> Option<String> {
        self.load_tree()?.commit.clone()
    }

    /// The commit that is looked at, without the edits of a working tree.
    fn settled_commit(&mut self) -> Option<String> {
        let tree = self.load_tree().filter(|it| !it.is_worktree)?;
        tree.commit.clone()
    }

    fn load_tree(&mut self) -> Option<&SourceTree> {
        if self.tree.is_none() {
            self.tree = self.source.read_tree().ok();
        }
        self.tree.as_ref()
    }

    fn load_edits(&mut self) -> Result<Rc<[FileEdit]>, Verdict> {
        let ask = || Ok(self.source.list_uncommitted_edits()?.into());
        self.edits.get_or_insert_with(ask).clone()
    }

    fn read_cached_file(&mut self, path: &RepoPath) -> CachedFileRead {
        if let Some(read) = self.files.get(path) {
            return read.clone();
        }
        let blob = self.source.read_file(path).map_err(Verdict::from);
        let read: CachedFileRead = blob.map(|it| it.map(|it| (it.id, it.bytes.into())));
        if let Ok(Some((Some(id), bytes))) = &read {
            self.tracer.cache_object(id, bytes);
        }
        self.files.insert(path.clone(), read.clone());
        read
    }
}

/// Where the search for one citation stands.
enum CitationSearch {
    /// There is a verdict.
    Over(CitationFinding),
    /// It is not at home; this is the verdict unless it is found elsewhere in the tree.
    Abroad(Verdict),
}

impl CitationSearch {
    /// When something on the way could not be read, what is not found by its text is not known to be gone.
    fn or_unknown(self, broken: Verdict) -> Self {
        match self {
            Self::Over(sight) if sight.verdict.is_good() => Self::Over(sight),
            Self::Over(_) => Self::Over(broken.into()),
            Self::Abroad(_) => Self::Abroad(broken),
        }
    }
}

/// Whether lines were followed to a commit within their file, and the file is as it is there.
fn is_unedited_since_trace(fate: &TraceOutcome, citation: &Citation, id: &str) -> bool {
    let is_it = |file: &FileVersion| file.path == citation.path && file.id.as_deref() == Some(id);
    fate.at.as_ref().is_ok_and(|it| is_it(&it.file))
}

/// Whether these lines are the cited ones.
fn is_cited_text(citation: &Citation, lines: Option<&[&[u8]]>) -> bool {
    lines.is_some_and(|it| Digest::hash_bytes(&join_cited_lines(it)) == citation.digest)
}

/// The verdict for cited text that stands at these rows.
fn build_found_verdict(citation: &Citation, path: &RepoPath, rows: &Range<u32>) -> Verdict {
    let to = location_from_rows(path, rows);
    if to == citation.location() {
        Verdict::Holds
    } else {
        Verdict::Moved { to }
    }
}

fn location_from_rows(path: &RepoPath, rows: &Range<u32>) -> CodeLocation {
    CodeLocation {
        path: path.clone(),
        lines: LineSpan::from_rows(rows),
    }
}

#[cfg(test)]
mod tests;
