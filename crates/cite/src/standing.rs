//! Judging the fact: is what a memory says still true, given what became of the lines that it cites?
//!
//! Verdicts are about lines; a reader asks about the fact. Most edits of cited code do not touch what a fact says of it, and
//! some edits that leave every cited line in place make it false: a list grows past the end of its citation. So the *claim*
//! is looked up: the smallest part of the code that says what the fact says.
//!
//! 1. **The item.** The function, type or value that the fact speaks of is found by its name, where the lines were followed
//!    to, in its file, or as the only one of that name in the tree. A twin in another class is another item.
//! 2. **The claim.** In the old version, the parts of the item that carry the fact's literals: an element of a list, the
//!    value behind an `=`, a line. Where the fact speaks of parameters, of what is returned or of members, it is that part.
//! 3. **What became of it.** The same part still stands: the fact `stands`, whatever else was edited. Another part says the
//!    literals: `check`. A literal left it: `contradicted`. No place is left: `gone`.
//!
//! A fact without literals that could be looked up stands only where its item is unchanged, or where a comment at the item
//! still says it word for word. Otherwise it is shown with a mark. Likeness decides nothing here either.

mod claim;
mod prose;
mod topic;

use std::{ops::Range, rc::Rc};

use apostille_text::{
    literals::{Literal, list_literals, match_whole_literals},
    words::words,
};

use crate::{
    citation::{Citation, CodeLocation, ItemKind, LineSpan, RepoPath},
    file_lines::FileLines,
    outline::{CodeItem, FileOutline, ItemParts, normalise_item_path},
    verdict::Verdict,
};
use claim::ClaimParts;
use topic::{Topic, Wording};

words! {
    /// How a memory stands, from the evidence for its fact.
    Standing as "standing" {
        /// The evidence says what the fact says.
        Stands = "stands",
        /// A person's word; there is nothing to look up.
        Stated = "stated",
        /// The code was edited, and nothing tells whether the fact is still true.
        Check = "check",
        /// It could not be looked up: never a reason to invalidate.
        Unknown = "unknown",
        /// What the fact names is not there any more.
        Gone = "gone",
        /// The code says something else now.
        Contradicted = "contradicted",
    }
}

words! {
    /// How a memory of a standing is shown.
    Showing as "showing" {
        /// As it is.
        Plain = "plain",
        /// With a mark that says where to look.
        Marked = "marked",
        /// Not at all, unless somebody asks for it or is about to edit its file.
        Withheld = "withheld",
    }
}

impl Standing {
    /// How a memory that stands like this is shown.
    #[must_use]
    pub fn showing(self) -> Showing {
        match self {
            Self::Stands | Self::Stated => Showing::Plain,
            Self::Check => Showing::Marked,
            Self::Unknown | Self::Gone | Self::Contradicted => Showing::Withheld,
        }
    }

    /// Whether there is evidence against the fact.
    #[must_use]
    pub fn is_refuted(self) -> bool {
        matches!(self, Self::Gone | Self::Contradicted)
    }
}

/// How a fact stands, and where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How it stands.
    pub standing: Standing,
    /// Where the claim stands now, or where it would have to be checked.
    pub at: Option<CodeLocation>,
    /// What is written there now, where that differs from what was cited.
    pub now: Option<String>,
    /// What the fact names without citing it, and the tree does not have.
    pub missing: Vec<String>,
}

impl From<Standing> for Judgement {
    fn from(standing: Standing) -> Self {
        Self {
            standing,
            at: None,
            now: None,
            missing: Vec::new(),
        }
    }
}

/// One version of a cited file.
pub(crate) struct FileSide<'a> {
    pub path: RepoPath,
    pub lines: FileLines<'a>,
    pub outline: Rc<FileOutline>,
}

impl<'a> FileSide<'a> {
    pub(crate) fn new(path: RepoPath, bytes: &'a [u8]) -> Self {
        let lines = FileLines::from_bytes(bytes);
        let outline = Rc::new(FileOutline::from_lines(path.as_str(), &lines));
        Self {
            path,
            lines,
            outline,
        }
    }

    /// A version whose outline was made already.
    pub(crate) fn with_outline(path: RepoPath, bytes: &'a [u8], outline: &Rc<FileOutline>) -> Self {
        Self {
            path,
            lines: FileLines::from_bytes(bytes),
            outline: Rc::clone(outline),
        }
    }

    /// The cited lines, for a version of their file that is not at hand.
    pub(crate) fn from_citation(citation: &'a Citation) -> Self {
        let Some(item) = &citation.item else {
            return Self::new(citation.path.clone(), citation.snippet.as_bytes());
        };
        let lines = FileLines::from_bytes(citation.snippet.as_bytes());
        let path = citation.path.clone();
        let outline = FileOutline::from_excerpt(path.as_str(), &lines, citation.lines, item);
        Self {
            path,
            lines,
            outline: Rc::new(outline),
        }
    }

    fn parts(&self, item: &CodeItem) -> ItemParts {
        ItemParts::new(self.path.as_str(), &self.lines, &self.outline, item)
    }

    fn text(&self, rows: &Range<u32>) -> String {
        String::from_utf8_lossy(&self.lines.clip_rows(rows).join(&b'\n')).into_owned()
    }

    fn location(&self, rows: &Range<u32>) -> CodeLocation {
        CodeLocation {
            path: self.path.clone(),
            lines: LineSpan::from_rows(rows),
        }
    }
}

/// A citation with both versions of its file, as far as they are known.
pub(crate) struct CitedSides<'a> {
    pub citation: &'a Citation,
    pub verdict: &'a Verdict,
    /// The file as it was cited, and the cited rows of it.
    pub was: FileSide<'a>,
    pub was_rows: Range<u32>,
    /// Files as they are now in which the claim may stand, the likeliest first.
    pub now: Vec<FileSide<'a>>,
    /// Where the lines were followed to, in the first of them.
    pub now_rows: Option<Range<u32>>,
}

/// What a judgement needs that the sides at hand do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JudgeOutcome {
    Judged(Judgement),
    /// The definition of this item is to be looked for in the whole tree; without it, this is the judgement.
    NeedsDefinition {
        path: String,
        kind: ItemKind,
        otherwise: Judgement,
    },
}

/// Whether a fact claims that a list is whole, so that its lines alone do not tell.
#[must_use]
pub fn is_closed_fact(fact: &str) -> bool {
    Wording::from_fact(fact).is_closed()
}

/// Judges a fact by the sides of its citations, none of which is unknown. A fact that cites several items stands as the
/// worst of them does.
pub(crate) fn judge_fact(fact: &str, sides: Vec<CitedSides>) -> JudgeOutcome {
    let fact = &ReadFact::new(fact);
    let outcomes = group_by_item(fact, sides)
        .into_iter()
        .map(|group| FactJudge::new(fact, &group).judge());
    outcomes
        .max_by_key(|it| it.judgement().standing)
        .unwrap_or_else(|| JudgeOutcome::Judged(Standing::Stated.into()))
}

/// The citations of each item, so that those of one are judged together.
fn group_by_item<'a>(fact: &ReadFact, sides: Vec<CitedSides<'a>>) -> Vec<Vec<CitedSides<'a>>> {
    if sides.len() == 1 {
        return vec![sides];
    }
    let mut groups: Vec<(Option<String>, Vec<CitedSides<'a>>)> = Vec::new();
    for side in sides {
        let key = FactJudge::new(fact, std::slice::from_ref(&side))
            .find_subject()
            .map(|it| format!("{}:{}", side.was.path, it.item.path));
        match groups.iter_mut().find(|it| it.0 == key) {
            Some(group) => group.1.push(side),
            None => groups.push((key, vec![side])),
        }
    }
    groups.into_iter().map(|it| it.1).collect()
}

impl JudgeOutcome {
    /// The judgement, as long as nothing else is found.
    fn judgement(&self) -> &Judgement {
        match self {
            Self::Judged(judgement)
            | Self::NeedsDefinition {
                otherwise: judgement,
                ..
            } => judgement,
        }
    }
}

/// A fact with what its words tell, which is the same for all of its citations.
struct ReadFact<'a> {
    fact: &'a str,
    literals: Vec<Literal>,
    topic: Topic,
    /// The names that it may speak of.
    names: Vec<String>,
}

impl<'a> ReadFact<'a> {
    fn new(fact: &'a str) -> Self {
        let literals = list_literals(fact);
        Self {
            fact,
            topic: Topic::from_fact(fact, &literals),
            names: list_subject_names(fact, &literals),
            literals,
        }
    }
}

/// A fact with what is known of its code.
struct FactJudge<'a> {
    fact: &'a str,
    /// The literals that the cited lines say whole.
    said: Vec<Literal>,
    sides: &'a [CitedSides<'a>],
    topic: &'a Topic,
    names: &'a [String],
}

/// The item that a fact speaks of.
struct Subject<'a> {
    side: &'a CitedSides<'a>,
    item: &'a CodeItem,
    /// Whether the fact names it.
    is_named: bool,
}

impl<'a> FactJudge<'a> {
    fn new(fact: &'a ReadFact, sides: &'a [CitedSides<'a>]) -> Self {
        let cited: Vec<&str> = sides
            .iter()
            .map(|it| it.citation.snippet.as_str())
            .collect();
        let said = match_whole_literals(&fact.literals, &cited.join("\n"));
        let said = fact.literals.iter().zip(said).filter(|it| it.1);
        Self {
            fact: fact.fact,
            said: said.map(|it| it.0.clone()).collect(),
            sides,
            topic: &fact.topic,
            names: &fact.names,
        }
    }

    fn judge(&self) -> JudgeOutcome {
        let is_good = self.sides.iter().all(|it| it.verdict.is_good());
        if is_good && !self.topic.is_closed() && !self.has_doubtful_move() {
            return JudgeOutcome::Judged(self.judge_intact());
        }
        match self.find_subject() {
            Some(subject) => self.judge_subject(&subject, is_good),
            None if is_good => JudgeOutcome::Judged(self.judge_intact()),
            None => JudgeOutcome::Judged(self.judge_lines()),
        }
    }

    /// Every cited line stands where it was followed to.
    fn judge_intact(&self) -> Judgement {
        let at = self.sides.iter().find_map(|it| match it.verdict {
            Verdict::Moved { to } => Some(to.clone()),
            Verdict::Changed(found) => Some(found.at.clone()),
            _ => None,
        });
        Judgement {
            at,
            ..Standing::Stands.into()
        }
    }

    /// Whether lines moved into another item, where the one that they stood in may still be.
    fn has_doubtful_move(&self) -> bool {
        self.sides.iter().any(|it| {
            let Some((rows, now)) = it.now_rows.as_ref().zip(it.now.first()) else {
                return false;
            };
            let was = it.was.outline.find_enclosing(&it.was_rows);
            let was = was.map(|it| it.path.as_str());
            let was = it.citation.item.as_ref().map(|it| it.path.as_str()).or(was);
            let here = now.outline.find_enclosing(rows);
            let here = here.map(|it| it.path.as_str());
            matches!(it.verdict, Verdict::Moved { .. }) && was != here
        })
    }

    /// The item that the fact names and cites; else the innermost one around the claim.
    fn find_subject(&self) -> Option<Subject<'a>> {
        let named = self.sides.iter().find_map(|side| {
            let found = self
                .names
                .iter()
                .filter_map(|name| find_named_item(side, name));
            // The function that a fact names is closer to it than the type around; a type is closer than its member.
            let rank =
                |it: &&CodeItem| (it.kind == ItemKind::Function, it.rows.end - it.rows.start);
            found.max_by_key(rank).map(|item| Subject {
                side,
                item,
                is_named: true,
            })
        });
        named.or_else(|| self.find_enclosing_subject())
    }

    fn find_enclosing_subject(&self) -> Option<Subject<'a>> {
        self.sides.iter().find_map(|side| {
            let rows = self
                .find_claim_rows(side)
                .next()
                .unwrap_or(side.was_rows.start);
            let item = side.was.outline.find_enclosing(&(rows..rows + 1))?;
            Some(Subject {
                side,
                item,
                is_named: false,
            })
        })
    }

    /// The cited rows that carry most of the fact's literals.
    fn find_claim_rows<'s>(&'s self, side: &'s CitedSides<'a>) -> impl Iterator<Item = u32> + 's {
        let scores = self.score_rows(side);
        let most = scores.iter().map(|it| it.1).max().unwrap_or(0);
        scores
            .into_iter()
            .filter(move |it| most > 0 && it.1 == most)
            .map(|it| it.0)
    }

    fn score_rows(&self, side: &CitedSides<'a>) -> Vec<(u32, usize)> {
        let rows = side.was_rows.clone();
        rows.map(|row| {
            let line = side.was.text(&(row..row + 1));
            let hits = match_whole_literals(&self.said, &line);
            (row, hits.iter().filter(|it| **it).count())
        })
        .collect()
    }

    /// Judges by the item of the fact, where it is found again.
    fn judge_subject(&self, subject: &Subject<'a>, is_good: bool) -> JudgeOutcome {
        match self.find_again(subject) {
            FoundItem::At(side, item) => {
                let judged = self.judge_item(subject, side, item, is_good);
                let is_doubtful = judged.standing.is_refuted() && !subject.is_named;
                // The fact does not name the item, so its claim may have gone to another one.
                let lines = is_doubtful.then(|| self.judge_lines());
                let lines = lines.filter(|it| !it.standing.is_refuted());
                JudgeOutcome::Judged(lines.map_or(judged, |it| Judgement {
                    standing: Standing::Check,
                    ..it
                }))
            }
            FoundItem::Nowhere if is_good => JudgeOutcome::Judged(self.judge_intact()),
            FoundItem::Nowhere => {
                let otherwise = self.judge_lines_without_item(subject);
                if otherwise.standing.is_refuted() && subject.is_named {
                    JudgeOutcome::NeedsDefinition {
                        path: subject.item.path.clone(),
                        kind: subject.item.kind,
                        otherwise,
                    }
                } else {
                    JudgeOutcome::Judged(otherwise)
                }
            }
        }
    }

    /// The same item in what the files are now.
    fn find_again(&self, subject: &Subject<'a>) -> FoundItem<'a> {
        let near = subject.side.now_rows.as_ref();
        for (at, side) in subject.side.now.iter().enumerate() {
            let candidates = list_candidates(side, subject.item);
            let near = near.filter(|_| at == 0);
            if let Some(item) = pick_candidate(side, subject, &candidates, near) {
                return FoundItem::At(side, item);
            }
        }
        FoundItem::Nowhere
    }

    /// Judges the claim in the item as it was and as it is.
    fn judge_item(
        &self,
        subject: &Subject<'a>,
        now: &FileSide<'a>,
        item: &CodeItem,
        is_good: bool,
    ) -> Judgement {
        let was = &subject.side.was;
        let (old, new) = (was.parts(subject.item), now.parts(item));
        let at = now.location(&item.rows);
        let judged = |standing: Standing| Judgement {
            at: Some(at.clone()),
            now: Some(now.text(&item.rows)),
            ..standing.into()
        };
        if subject.is_named
            && let Some(standing) =
                self.topic
                    .judge_parts(&self.list_said_beside(subject), &old, &new)
        {
            return judged(standing);
        }
        if is_good && !self.has_doubtful_move() {
            return self.judge_intact();
        }
        let (text_was, text_now) = (was.text(&subject.item.rows), now.text(&item.rows));
        // What stands beside the item may have changed all the same: the constants of a type, the caller of a function.
        let is_inside =
            !match_whole_literals(&self.list_said_beside(subject), &text_was).contains(&false);
        if is_inside && prose::is_same_code(was.path.as_str(), &text_was, &text_now) {
            return judged(Standing::Stands);
        }
        let claim = ClaimParts::new(self, subject, &old);
        let standing = claim.judge_in(&new);
        let is_said = || prose::is_said_at_item(self.fact, now, item);
        judged(match standing {
            Standing::Check if is_said() => Standing::Stands,
            // The comment says it, and the code says something else.
            Standing::Contradicted if is_said() => Standing::Check,
            // The lines stand in another item: a twin, or one that they were moved into.
            Standing::Contradicted if is_good => Standing::Check,
            other => other,
        })
    }

    /// What is said beside the name of the item itself.
    fn list_said_beside(&self, subject: &Subject) -> Vec<Literal> {
        let is_own_name = |it: &&Literal| {
            let last = it
                .as_str()
                .rsplit(['.', ':', '>', '#'])
                .next()
                .unwrap_or_default();
            subject.is_named && last.trim_end_matches("()") == subject.item.name()
        };
        self.said
            .iter()
            .filter(|it| !is_own_name(it))
            .cloned()
            .collect()
    }

    /// Judges by lines alone: the file has no outline, or the claim stands in no item.
    fn judge_lines(&self) -> Judgement {
        claim::judge_claim_lines(self)
    }

    /// The item is not where it was looked for: what the lines became says whether the claim is left.
    fn judge_lines_without_item(&self, subject: &Subject<'a>) -> Judgement {
        if subject.is_named {
            return Standing::Gone.into();
        }
        self.judge_lines()
    }
}

enum FoundItem<'a> {
    At(&'a FileSide<'a>, &'a CodeItem),
    Nowhere,
}

/// The names that a fact may speak of: those in it, the one that is called in `f(a, b)`, and its first word.
fn list_subject_names(fact: &str, literals: &[Literal]) -> Vec<String> {
    let first = fact.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(['`', ':', ',', '"']);
    let is_path = literals
        .iter()
        .any(|it| matches!(it, Literal::Path(path) if path == first));
    let named = literals.iter().filter_map(|it| match it {
        Literal::Name(text) | Literal::Value(text) => Some(text.as_str()),
        Literal::Quoted(text) => text.split(['(', '=', ' ']).next(),
        Literal::Number(_) | Literal::Path(_) => None,
    });
    let all = named.chain((!is_path).then_some(first));
    all.map(normalise_item_path)
        .filter(|it| !it.is_empty())
        .collect()
}

/// The item of this name that a citation touches.
fn find_named_item<'s>(side: &'s CitedSides, name: &str) -> Option<&'s CodeItem> {
    if name.is_empty() {
        return None;
    }
    let touches =
        |it: &&CodeItem| it.rows.start < side.was_rows.end && side.was_rows.start < it.rows.end;
    let last = name.rsplit("::").next().unwrap_or(name);
    let exact = side.was.outline.find_by_path(name).filter(touches);
    let by_last = side.was.outline.find_by_path(last).filter(touches);
    exact.chain(by_last).next()
}

/// The items of a file that may be the one that was cited: of its path, or of its name where its parent is gone; of its
/// kind where there are such, and the type itself rather than a block of its methods.
fn list_candidates<'s>(side: &'s FileSide, item: &CodeItem) -> Vec<&'s CodeItem> {
    let items = side.outline.items().iter();
    let mut found: Vec<&CodeItem> = items.filter(|it| it.path == item.path).collect();
    if found.is_empty() {
        // What it stands in may be written otherwise, so that one path is the end of the other.
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short)
                .is_some_and(|it| it.ends_with("::"))
        };
        let items = side.outline.items().iter();
        let is_it = |it: &&CodeItem| {
            item.path.contains("::")
                && (is_end(&it.path, &item.path)
                    || is_end(&item.path, &it.path) && it.path.contains("::"))
        };
        found = items.filter(is_it).collect();
    }
    if found.is_empty() {
        found = find_by_name_alone(side, &item.path);
    }
    if found.iter().any(|it| it.kind == item.kind) {
        found.retain(|it| it.kind == item.kind);
    }
    if !item.is_block && found.iter().any(|it| !it.is_block) {
        found.retain(|it| !it.is_block);
    }
    found
}

/// The only candidate; of several the one that the lines were followed to, else the only one with the same header.
fn pick_candidate<'s>(
    side: &FileSide,
    subject: &Subject,
    candidates: &[&'s CodeItem],
    near: Option<&Range<u32>>,
) -> Option<&'s CodeItem> {
    if let [only] = candidates {
        return Some(only);
    }
    let header = |side: &FileSide, it: &CodeItem| {
        let (row, _) = it.name_at?;
        Some(side.text(&(row..row + 1)).trim().to_owned())
    };
    let wanted = header(&subject.side.was, subject.item);
    let overlaps = |it: &&&CodeItem| {
        near.is_some_and(|rows| it.rows.start < rows.end && rows.start < it.rows.end)
    };
    let is_alike = |it: &&&CodeItem| wanted.is_some() && header(side, it) == wanted;
    let mut alike = candidates.iter().filter(is_alike);
    let only_alike = alike.next().filter(|_| alike.next().is_none());
    candidates.iter().find(overlaps).or(only_alike).copied()
}

/// The only item of this name in a file, where the thing that it stood in is not there any more.
fn find_by_name_alone<'s>(side: &'s FileSide, path: &str) -> Vec<&'s CodeItem> {
    let Some((parent, name)) = path.rsplit_once("::") else {
        return side
            .outline
            .items()
            .iter()
            .filter(|it| it.name() == path)
            .collect();
    };
    let mut parents = side.outline.find_by_path(parent);
    if parents.any(|it| it.kind == ItemKind::Type) {
        return Vec::new();
    }
    side.outline
        .items()
        .iter()
        .filter(|it| it.name() == name)
        .collect()
}

#[cfg(test)]
mod tests;
