//! A whole file: what it holds is taken out first, and only then kept. Our own files are read whole or not at all.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    candidate::{FormatMismatch, ImportCandidate, LeftOut, fit_tags},
    foreign_file::iter_filled_lines,
    format::{ForeignFile, ForeignFormat},
};
use crate::export::{ExportFile, FORMAT};
use apostille_core::{
    Context, CoreError, format,
    format::MemoryRecord,
    import::{ImportDryRun, ImportOutcome, import},
    memory::{Kind, Memory, ModerationMark, Stage, claim_digest},
    notebook::{NoteScope, NotebookNote},
    policy::MemoryLimits,
    refusal::Refusal,
    space::Space,
    speaker::Person,
};
use apostille_text::{digest::Digest, moderate};

/// Whose what a file holds is to be. What belongs to a space that is not there is left out.
#[derive(Debug, Clone, Copy)]
pub struct ImportTarget<'a> {
    /// The repository's.
    pub repo: Option<&'a Space>,
    /// The person's own.
    pub user: Option<&'a Space>,
    /// Whether all of it is the person's own, whatever it says.
    pub is_persons: bool,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFileError {
    /// It is no export.
    #[error("'{name}' is not a readable export of apostille: {why}")]
    NoExport {
        /// The file.
        name: String,
        /// What is the matter.
        why: String,
    },
    /// A newer program wrote it.
    #[error("the export has format {found}, this program reads up to {known}; update apostille", known = format::VERSION)]
    Newer {
        /// The format found.
        found: u32,
    },
    /// A line of plain notes is none.
    #[error("{at}: {why}")]
    Line {
        /// Where.
        at: String,
        /// What is the matter.
        why: String,
    },
    /// It is not of the format that it was said to be.
    #[error("'{name}' is not of the format {format}: {why}")]
    NotOfFormat {
        /// The file.
        name: String,
        /// The format.
        format: ForeignFormat,
        /// What is the matter.
        why: FormatMismatch,
    },
}

/// Something that is to be kept.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// Where it stands.
    pub at: String,
    /// What is to be kept.
    pub memory: Memory,
    /// What was altered to make it fit.
    pub changes: Vec<String>,
}

/// What a file holds, and what was left out of it.
#[derive(Debug, Clone)]
pub struct ImportPlan {
    /// What is to be kept.
    pub items: Vec<ImportItem>,
    /// What is told of the file: so far, what was left out.
    pub report: FileImportReport,
}

/// What became of a file.
#[derive(Debug, Clone)]
pub struct FileImportReport {
    /// The file, as it was named.
    pub name: String,
    /// Its format.
    pub format: ForeignFormat,
    /// How many memories were kept.
    pub kept: u64,
    /// How many were here already.
    pub known: u64,
    /// How many of those that were kept wait for a person.
    pub waiting: u64,
    /// How many waited since they were first imported, and are in use now.
    pub let_in: u64,
    /// What was altered, and where.
    pub changed: Vec<(String, String)>,
    /// What was turned away, and where.
    pub refused: Vec<(String, Refusal)>,
    /// What became no memory.
    pub left_out: Vec<LeftOut>,
}

/// Takes out of a file what it holds.
pub fn plan_import(
    sheet: &ForeignFile,
    name: &str,
    format: ForeignFormat,
    shelf: &ImportTarget,
    (limits, now): (&MemoryLimits, Timestamp),
) -> Result<ImportPlan, ImportFileError> {
    let mut taken = ImportPlan {
        items: Vec::new(),
        report: FileImportReport {
            name: name.into(),
            format,
            kept: 0,
            known: 0,
            waiting: 0,
            let_in: 0,
            changed: Vec::new(),
            refused: Vec::new(),
            left_out: Vec::new(),
        },
    };
    match format {
        ForeignFormat::Notes => plan_plain_notes(&mut taken, sheet.text, shelf, limits)?,
        ForeignFormat::Apostille => taken.items = parse_own_export(name, sheet.text)?,
        foreign => {
            let unfit = |why| ImportFileError::NotOfFormat {
                name: name.into(),
                format,
                why,
            };
            let reading = foreign.parse_foreign_file(sheet, limits).map_err(unfit)?;
            taken.report.left_out = reading.left_out;
            let projects = OtherProjects::find(&reading.pieces, shelf);
            for piece in reading.pieces {
                match projects.explain_foreign(&piece) {
                    Some(why) => taken.report.left_out.push(LeftOut { at: piece.at, why }),
                    None => taken.add_candidate(shelf, piece, now),
                }
            }
        }
    }
    Ok(taken)
}

impl ImportPlan {
    /// Adds a piece in its space: a preference is its user's, the rest is the repository's unless the person says
    /// otherwise.
    fn add_candidate(&mut self, shelf: &ImportTarget, mut piece: ImportCandidate, now: Timestamp) {
        let is_persons = shelf.is_persons || piece.kind == Kind::User;
        if shelf.is_persons && piece.kind == Kind::Project {
            piece.kind = Kind::User;
        }
        let (at, changes) = (piece.at.clone(), piece.changes.clone());
        self.add_item(shelf, at, is_persons, |space| {
            (piece.into_memory(space, now), changes)
        });
    }

    /// Adds what `build` makes in the space that it belongs to, where that is within reach.
    fn add_item(
        &mut self,
        shelf: &ImportTarget,
        at: String,
        is_persons: bool,
        build: impl FnOnce(Space) -> (Memory, Vec<String>),
    ) {
        let (space, whose) = if is_persons {
            (shelf.user, "a person's own")
        } else {
            (shelf.repo, "a repository's")
        };
        match space {
            None => self.report.left_out.push(LeftOut {
                at,
                why: format!("it is {whose}, and that space is out of reach here"),
            }),
            Some(space) => {
                let (memory, changes) = build(space.clone());
                self.items.push(ImportItem {
                    at,
                    memory,
                    changes,
                });
            }
        }
    }
}

/// Which projects a file of several is not read for: what was learned in one is no knowledge of another.
struct OtherProjects {
    /// The name of the repository here; nothing where the file is about one project, whose name may be a folder's.
    own: Option<String>,
}

impl OtherProjects {
    fn find(pieces: &[ImportCandidate], shelf: &ImportTarget) -> Self {
        let names: BTreeSet<&str> = pieces
            .iter()
            .filter_map(|it| it.project.as_deref())
            .collect();
        let repo = shelf.repo.map(|it| it.as_str()).unwrap_or_default();
        let last = repo.rsplit('/').next().unwrap_or_default();
        Self {
            own: (names.len() > 1).then(|| last.to_lowercase()),
        }
    }

    /// Why a piece stays out, where it is another project's.
    fn explain_foreign(&self, piece: &ImportCandidate) -> Option<String> {
        let (own, project) = (self.own.as_deref()?, piece.project.as_deref()?);
        let last = project.rsplit(['/', '\\']).next().unwrap_or_default();
        (last.to_lowercase() != own).then(|| {
            let project = moderate::neutralise_to_one_line(project);
            format!("it is of the project '{project}', and the file has several")
        })
    }
}

/// An export, as one object or one record a line.
fn parse_own_export(name: &str, text: &str) -> Result<Vec<ImportItem>, ImportFileError> {
    let unfit = |why: String| ImportFileError::NoExport {
        name: name.into(),
        why,
    };
    let convert = |at: String, record: MemoryRecord| {
        if let Some(found) = record.v.filter(|it| *it > format::VERSION) {
            return Err(ImportFileError::Newer { found });
        }
        let memory = Memory::try_from(record).map_err(|error| unfit(format!("{at}: {error}")))?;
        Ok(ImportItem {
            at,
            memory,
            changes: Vec::new(),
        })
    };
    match serde_json::from_str::<ExportFile>(text) {
        Ok(it) if it.format != FORMAT => Err(unfit(format!(
            "its format is '{}'",
            moderate::neutralise_text(&it.format)
        ))),
        Ok(it) if it.version > format::VERSION => Err(ImportFileError::Newer { found: it.version }),
        Ok(it) => (1..)
            .zip(it.memories)
            .map(|(n, it)| convert(format!("memory {n}"), it))
            .collect(),
        Err(_) if is_record_lines(text) => iter_filled_lines(text)
            .map(|(n, line)| {
                let record = serde_json::from_str(line)
                    .map_err(|error| unfit(format!("line {n}: {error}")))?;
                convert(format!("line {n}"), record)
            })
            .collect(),
        Err(error) => Err(unfit(error.to_string())),
    }
}

/// Whether the first line is a record by itself.
fn is_record_lines(text: &str) -> bool {
    let first = iter_filled_lines(text).next();
    first.is_some_and(|(_, it)| serde_json::from_str::<MemoryRecord>(it).is_ok())
}

/// Plain notes, one a line.
fn plan_plain_notes(
    taken: &mut ImportPlan,
    text: &str,
    shelf: &ImportTarget,
    limits: &MemoryLimits,
) -> Result<(), ImportFileError> {
    for (n, line) in iter_filled_lines(text) {
        let at = format!("line {n}");
        let note = NotebookNote::parse_line(line).map_err(|error| ImportFileError::Line {
            at: at.clone(),
            why: error.to_string(),
        })?;
        taken.add_item(shelf, at, note.scope == NoteScope::User, |space| {
            let mut memory = Memory {
                number: 0,
                ..note.into_memory(space)
            };
            let changes = fit_tags(&mut memory.tags, limits).into_iter().collect();
            (memory, changes)
        });
    }
    Ok(())
}

/// How a file is kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportOptions<'a> {
    /// Whether nothing is kept, and it is only told what would become of it.
    pub is_rehearsed: bool,
    /// The person who vouches for it.
    pub vouched_by: Option<&'a Person>,
}

/// Keeps what files hold; `ruled` gives the rules of each space.
pub fn import_planned_files<'a>(
    cx: &Context<'a>,
    ruled: impl Fn(&Space) -> Context<'a>,
    taken: Vec<ImportPlan>,
    how: ImportOptions,
) -> Result<Vec<FileImportReport>, CoreError> {
    let known: BTreeSet<Space> = cx.store.list_spaces()?.into_iter().collect();
    let mut rehearsal = how.is_rehearsed.then(ImportDryRun::default);
    // Rule files repeat each other, under headings of their own.
    let mut said: BTreeSet<(Space, Digest)> = BTreeSet::new();
    let mut files = Vec::new();
    for ImportPlan {
        items,
        report: mut done,
    } in taken
    {
        for ImportItem {
            at,
            memory,
            changes,
        } in items
        {
            let words = (
                memory.space.clone(),
                claim_digest(memory.layer, None, None, &memory.fact),
            );
            if done.format.is_foreign() && said.contains(&words) {
                done.known += 1;
                continue;
            }
            let (before, is_new_space) = (memory.clone(), !known.contains(&memory.space));
            let cx = ruled(&memory.space);
            let imported = match &mut rehearsal {
                Some(it) => it.preview_import(&cx, memory, how.vouched_by)?,
                None => import(&cx, memory, is_new_space, how.vouched_by)?,
            };
            if !matches!(imported, ImportOutcome::Refused(_)) {
                said.insert(words);
            }
            done.count_outcome(at, &before, changes, imported);
        }
        files.push(done);
    }
    Ok(files)
}

impl FileImportReport {
    fn count_outcome(
        &mut self,
        at: String,
        before: &Memory,
        changes: Vec<String>,
        imported: ImportOutcome,
    ) {
        match imported {
            ImportOutcome::Kept(memory) => {
                self.kept += 1;
                self.waiting += u64::from(memory.status.stage() == Stage::Pending);
                changes.into_iter().for_each(|it| self.note_change(&at, it));
                if is_altered_memory(before, &memory) {
                    self.note_change(&at, "moderation altered its text".into());
                }
            }
            ImportOutcome::LetIn(_) => self.let_in += 1,
            ImportOutcome::Known(_) => self.known += 1,
            ImportOutcome::Refused(refusal) => self.refused.push((at, refusal)),
        }
    }

    /// Notes what was altered; the parts of one text say it once.
    fn note_change(&mut self, at: &str, what: String) {
        let change = (at.to_owned(), what);
        let mut of_this = self.changed.iter().rev().take_while(|(it, _)| it == at);
        if !of_this.any(|it| *it == change) {
            self.changed.push(change);
        }
    }
}

fn is_altered_memory(before: &Memory, after: &Memory) -> bool {
    let is_marked = |it: &Memory| it.marks.contains(&ModerationMark::Neutralised);
    (is_marked(after) && !is_marked(before))
        || (&before.fact, &before.subject, &before.reason, &before.tags)
            != (&after.fact, &after.subject, &after.reason, &after.tags)
}
