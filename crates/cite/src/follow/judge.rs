//! From what was found at citations to how their facts stand.

use std::{collections::HashMap, rc::Rc};

use super::{CitationFinding, CitationFollower, CitedClaim, LATE, PartialCitation, anchor::Anchor};
use crate::{
    citation::{Citation, CodeLocation, ItemKind, RepoPath},
    file_lines::{FileLines, is_binary_content},
    outline::{CodeItem, FileOutline},
    source::{FileVersion, SourceBlob},
    standing::{self, CitedSides, FileSide, JudgeOutcome, Judgement, Standing},
    verdict::{Loss, Verdict},
};
use apostille_text::digest::Digest;

/// A claim with what was found at its citations, and how its fact stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedClaim {
    /// What was found at each citation.
    pub findings: Vec<CitationFinding>,
    /// How the fact stands.
    pub judgement: Judgement,
}

impl JudgedClaim {
    /// The verdict on each citation.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.findings.iter().map(|it| it.verdict.clone()).collect()
    }

    /// Whether it was cited from a branch that never reached this tree.
    #[must_use]
    pub fn is_unmerged(&self) -> bool {
        let is_strange = |it: &CitationFinding| it.is_merged == Some(false) && it.verdict.is_bad();
        self.findings.iter().any(is_strange)
    }
}

/// A definition that is looked for in the whole tree, and the files that have it.
type WantedDefinitions = HashMap<(String, ItemKind), Vec<RepoPath>>;

impl CitationFollower<'_> {
    /// Follows the citations of these claims and judges their facts. What could not be read when it was cited is read now,
    /// where this clone has its commit.
    pub fn judge_claims(&mut self, claims: &[CitedClaim]) -> Vec<JudgedClaim> {
        let citations = || claims.iter().flat_map(|it| it.citations);
        if !citations().any(Citation::is_unread) {
            return self.judge_read_claims(claims);
        }
        let read: Vec<Vec<Citation>> = claims
            .iter()
            .map(|it| it.citations.iter().map(|it| self.read_late(it)).collect())
            .collect();
        let pairs = claims.iter().zip(&read);
        let claims: Vec<CitedClaim> = pairs
            .map(|(claim, citations)| CitedClaim {
                citations,
                ..*claim
            })
            .collect();
        self.judge_read_claims(&claims)
    }

    /// A citation whose lines are read at its commit, where they were not.
    fn read_late(&self, citation: &Citation) -> Citation {
        let read = || {
            let commit = citation.commit.clone()?;
            let then = self.source.open_commit(&commit).ok().flatten()?;
            let pin = PartialCitation {
                place: citation.location(),
                commit: Some(commit),
                digest: Some(citation.digest).filter(|it| *it != Digest::hash_bytes(b"")),
                text: None,
            };
            pin.resolve_citation(Some(&*then), self.source).ok()
        };
        let read = citation.is_unread().then(read).flatten();
        read.unwrap_or_else(|| citation.clone())
    }

    fn judge_read_claims(&mut self, claims: &[CitedClaim]) -> Vec<JudgedClaim> {
        let findings = self.follow_claims(claims);
        let mut outcomes: Vec<JudgeOutcome> = Vec::with_capacity(claims.len());
        for (claim, findings) in claims.iter().zip(&findings) {
            outcomes.push(self.judge_claim(claim, findings, None));
        }
        let definitions = self.find_definitions(&outcomes);
        let mut judged = Vec::with_capacity(claims.len());
        for ((claim, findings), outcome) in claims.iter().zip(findings).zip(outcomes) {
            let judgement = match (outcome, &definitions) {
                (JudgeOutcome::Judged(judgement), _) => judgement,
                (JudgeOutcome::NeedsDefinition { .. }, Err(_)) => Standing::Unknown.into(),
                (
                    JudgeOutcome::NeedsDefinition {
                        path,
                        kind,
                        otherwise,
                    },
                    Ok(found),
                ) => match pick_definition(&found[&(path, kind)], claim.citations) {
                    Some(file) => match self.judge_claim(claim, &findings, Some(file)) {
                        JudgeOutcome::Judged(judgement) => judgement,
                        JudgeOutcome::NeedsDefinition { otherwise, .. } => otherwise,
                    },
                    None => otherwise,
                },
            };
            judged.push(JudgedClaim {
                findings,
                judgement,
            });
        }
        judged
    }

    fn judge_claim(
        &mut self,
        claim: &CitedClaim,
        findings: &[CitationFinding],
        definition: Option<&RepoPath>,
    ) -> JudgeOutcome {
        let judged = |standing: Standing| JudgeOutcome::Judged(standing.into());
        if findings.is_empty() {
            return judged(Standing::Stated);
        }
        let verdicts = || findings.iter().map(|it| &it.verdict);
        if verdicts().any(|it| matches!(it, Verdict::Unknown { .. })) {
            return judged(Standing::Unknown);
        }
        // What was never there proves nothing, wherever its item is found.
        let is_forged = |it: &Verdict| {
            matches!(
                it,
                Verdict::Gone {
                    loss: Loss::Never,
                    ..
                }
            )
        };
        if verdicts().any(is_forged) {
            return judged(Standing::Gone);
        }
        let mut pairs = claim.citations.iter().zip(verdicts());
        if !standing::is_closed_fact(claim.fact)
            && pairs.all(|(citation, verdict)| self.is_beyond_doubt(citation, verdict))
        {
            return judged(Standing::Stands);
        }
        let loaded: Vec<LoadedFiles> = claim
            .citations
            .iter()
            .zip(verdicts())
            .map(|(citation, verdict)| self.load_files(citation, verdict, definition))
            .collect();
        let sides: Vec<CitedSides> = claim
            .citations
            .iter()
            .zip(verdicts())
            .zip(&loaded)
            .map(|((citation, verdict), files)| files.to_sides(citation, verdict))
            .collect();
        standing::judge_fact(claim.fact, sides)
    }

    /// Whether cited text surely stands, so that no older version has to be read: that costs a process of git, and most
    /// recalls have something that moved. Lines that moved within their item did not go to a twin; where the item is not
    /// known, neighbours tell it.
    fn is_beyond_doubt(&mut self, citation: &Citation, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Holds => true,
            Verdict::Moved { to } => self
                .load_current_file(&to.path)
                .is_some_and(|file| file.is_same_place(citation, to)),
            Verdict::Changed(found) => found.is_harmless,
            Verdict::Gone { .. } | Verdict::Unknown { .. } => false,
        }
    }

    /// A file as it is now, with its outline; `None` where there is no such text.
    fn load_current_file(&mut self, path: &RepoPath) -> Option<CurrentFile> {
        let (id, bytes) = self.read_cached_file(path).ok()??;
        if is_binary_content(&bytes) {
            return None;
        }
        let path = path.clone();
        let version = FileVersion { path, id };
        Some(CurrentFile {
            path: version.path.clone(),
            outline: self.outline_version(version, &bytes),
            bytes,
        })
    }

    /// The outline of a version of a file, which is made once for all memories that cite the version. Most cited files are as
    /// they were, so that the version cited and the file here are one.
    fn outline_version(&mut self, version: FileVersion, bytes: &[u8]) -> Rc<FileOutline> {
        if let Some(known) = self.outlines.get(&version) {
            return Rc::clone(known);
        }
        let lines = FileLines::from_bytes(bytes);
        let outline = Rc::new(FileOutline::from_lines(version.path.as_str(), &lines));
        self.outlines.insert(version, Rc::clone(&outline));
        outline
    }

    /// The versions of a citation's file that are compared.
    fn load_files(
        &mut self,
        citation: &Citation,
        verdict: &Verdict,
        definition: Option<&RepoPath>,
    ) -> LoadedFiles {
        let followed = match verdict {
            Verdict::Moved { to } => Some(to.clone()),
            Verdict::Changed(found) => Some(found.at.clone()),
            _ => None,
        };
        let mut paths: Vec<RepoPath> = Vec::new();
        let here = followed.as_ref().map(|it| &it.path);
        for path in here.into_iter().chain([&citation.path]).chain(definition) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let version = FileVersion {
            path: citation.path.clone(),
            id: citation.blob.clone(),
        };
        let was = citation
            .blob
            .as_ref()
            .and_then(|_| self.tracer.load_content(&version).ok());
        let was = was.map(|bytes| {
            let outline = self.outline_version(version, &bytes);
            (bytes, outline)
        });
        let paths = paths.iter();
        LoadedFiles {
            was,
            now: paths.filter_map(|it| self.load_current_file(it)).collect(),
            rows: match verdict {
                Verdict::Holds => Some(citation.lines.rows()),
                _ => followed.map(|it| it.lines.rows()),
            },
        }
    }

    /// Where in the tree the wanted definitions are, in one pass.
    fn find_definitions(&self, outcomes: &[JudgeOutcome]) -> Result<WantedDefinitions, Verdict> {
        let mut wanted: WantedDefinitions = outcomes
            .iter()
            .filter_map(|it| match it {
                JudgeOutcome::NeedsDefinition { path, kind, .. } => {
                    Some(((path.clone(), *kind), Vec::new()))
                }
                JudgeOutcome::Judged(_) => None,
            })
            .collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let mut is_late = false;
        let mut see = |path: &RepoPath, blob: &SourceBlob| {
            collect_definitions(path, &blob.bytes, &mut wanted);
            is_late = (self.late)();
            !is_late
        };
        self.source.visit_files(&mut see)?;
        if is_late {
            return Err(Verdict::unknown(LATE));
        }
        Ok(wanted)
    }
}

/// Notes which of the wanted definitions a file has. Most files have none of the names, and need no outline.
fn collect_definitions(path: &RepoPath, bytes: &[u8], wanted: &mut WantedDefinitions) {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
    let names: Vec<String> = wanted.keys().map(|it| last(&it.0)).collect();
    let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_' || !it.is_ascii();
    let mut words = bytes.split(|it| !is_word(it));
    if !words.any(|word| names.iter().any(|it| it.as_bytes() == word)) {
        return;
    }
    let outline = FileOutline::from_lines(path.as_str(), &FileLines::from_bytes(bytes));
    for ((wanted, kind), files) in wanted.iter_mut() {
        let name = last(wanted);
        // A constant keeps its name when the function around it is renamed; methods of one name are many.
        let is_constant = *kind == ItemKind::Value && !name.contains(char::is_lowercase);
        let is_it = |it: &CodeItem| {
            it.kind == *kind && (it.path == *wanted || is_constant && it.name() == name)
        };
        if outline.items().iter().any(is_it) {
            files.push(path.clone());
        }
    }
}

/// The only file that has a definition, or the only one of them that is called like the cited one.
fn pick_definition<'f>(files: &'f [RepoPath], citations: &[Citation]) -> Option<&'f RepoPath> {
    if let [only] = files {
        return Some(only);
    }
    let name = |it: &RepoPath| {
        it.as_str()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let is_namesake = |it: &&RepoPath| citations.iter().any(|cited| name(&cited.path) == name(it));
    let mut namesakes = files.iter().filter(is_namesake);
    namesakes.next().filter(|_| namesakes.next().is_none())
}

/// A file as it is now.
struct CurrentFile {
    path: RepoPath,
    bytes: Rc<[u8]>,
    outline: Rc<FileOutline>,
}

impl CurrentFile {
    /// Whether lines that moved here surely are the cited ones, and not others that say the same.
    fn is_same_place(&self, citation: &Citation, to: &CodeLocation) -> bool {
        let rows = to.lines.rows();
        match &citation.item {
            Some(item) => {
                let now = self.outline.find_enclosing(&rows);
                now.is_some_and(|it| it.kind == item.kind && it.path == item.path)
            }
            None => {
                let sheet = FileLines::from_bytes(&self.bytes);
                Anchor::new(citation).is_among_neighbours(&sheet, rows.start)
            }
        }
    }
}

/// The versions of a citation's file, and where its lines were followed to in the first of those that are there now.
struct LoadedFiles {
    was: Option<(Rc<[u8]>, Rc<FileOutline>)>,
    now: Vec<CurrentFile>,
    rows: Option<std::ops::Range<u32>>,
}

impl LoadedFiles {
    /// The sides that are compared. Where the old version is not in this clone, the captured lines stand for it.
    fn to_sides<'s>(&'s self, citation: &'s Citation, verdict: &'s Verdict) -> CitedSides<'s> {
        let (was, was_rows) = match &self.was {
            Some((bytes, outline)) => (
                FileSide::with_outline(citation.path.clone(), bytes, outline),
                citation.lines.rows(),
            ),
            None => (
                FileSide::from_citation(citation),
                0..citation.lines.line_count(),
            ),
        };
        let now = self.now.iter();
        CitedSides {
            citation,
            verdict,
            was,
            was_rows,
            now: now
                .map(|it| FileSide::with_outline(it.path.clone(), &it.bytes, &it.outline))
                .collect(),
            now_rows: self.rows.clone(),
        }
    }
}
