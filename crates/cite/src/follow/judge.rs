//! From what was found at citations to how their facts stand.

use std::{collections::HashMap, rc::Rc};

use super::{CitationFinding, CitationFollower, CitedClaim, LATE, anchor::Anchor};
use crate::{
    citation::{Citation, RepoPath},
    file_lines::{FileLines, is_binary_content},
    outline::{CodeItem, FileOutline, ItemKind},
    source::{FileVersion, SourceBlob},
    standing::{self, CitedSides, FileSide, JudgeOutcome, Judgement, Standing},
    verdict::{Loss, Verdict},
};

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
}

/// A definition that is looked for in the whole tree, and the files that have it.
type WantedDefinitions = HashMap<(String, ItemKind), Vec<RepoPath>>;

impl CitationFollower<'_> {
    /// Follows the citations of these claims and judges their facts.
    pub fn judge_claims(&mut self, claims: &[CitedClaim]) -> Vec<JudgedClaim> {
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
    /// recalls have something that moved. Lines that moved among their neighbours did not go to a twin.
    fn is_beyond_doubt(&mut self, citation: &Citation, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Holds => true,
            Verdict::Moved { to } => self.read_cached_file(&to.path).is_ok_and(|file| {
                file.is_some_and(|(_, bytes)| {
                    let sheet = FileLines::from_bytes(&bytes);
                    Anchor::new(citation).is_among_neighbours(&sheet, to.lines.rows().start)
                })
            }),
            Verdict::Changed(found) => found.is_harmless,
            Verdict::Gone { .. } | Verdict::Unknown { .. } => false,
        }
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
        let mut now = Vec::new();
        for path in paths {
            if let Ok(Some((_, bytes))) = self.read_cached_file(&path)
                && !is_binary_content(&bytes)
            {
                now.push((path, bytes));
            }
        }
        LoadedFiles {
            was,
            now,
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

/// The versions of a citation's file, and where its lines were followed to in the first of those that are there now.
struct LoadedFiles {
    was: Option<Rc<[u8]>>,
    now: Vec<(RepoPath, Rc<[u8]>)>,
    rows: Option<std::ops::Range<u32>>,
}

impl LoadedFiles {
    /// The sides that are compared. Where the old version is not in this clone, the captured lines stand for it.
    fn to_sides<'s>(&'s self, citation: &'s Citation, verdict: &'s Verdict) -> CitedSides<'s> {
        let (bytes, rows) = match &self.was {
            Some(bytes) => (&bytes[..], citation.lines.rows()),
            None => (citation.snippet.as_bytes(), 0..citation.lines.line_count()),
        };
        let now = self.now.iter();
        CitedSides {
            citation,
            verdict,
            was: FileSide::new(citation.path.clone(), bytes),
            was_rows: rows,
            now: now
                .map(|(path, bytes)| FileSide::new(path.clone(), bytes))
                .collect(),
            now_rows: self.rows.clone(),
        }
    }
}
