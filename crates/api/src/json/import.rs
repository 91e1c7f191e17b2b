//! What became of files that were read in.

use apostille_core::refusal::Refusal;
use apostille_import::{file::FileImportReport, format::ForeignFormat};
use schemars::JsonSchema;
use serde::Serialize;

use super::{RefusalView, text_schema::TextEncoded};

/// What became of files.
#[derive(Serialize, JsonSchema)]
pub struct ImportReply {
    /// Whether nothing was refused.
    pub ok: bool,
    /// Whether nothing was kept because a rehearsal was asked for.
    pub dry_run: bool,
    /// How many memories were kept.
    pub kept: u64,
    /// How many were here already.
    pub known: u64,
    /// How many of those that were kept wait for a person.
    pub waiting: u64,
    /// How many waited since they were first imported, and are in use now.
    pub let_in: u64,
    refused: Vec<ImportRefusalView>,
    files: Vec<ImportedFileView>,
    /// Of a folder: how many files in it are of no format that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub passed_over: Option<usize>,
}

/// What became of one file.
#[derive(Serialize, JsonSchema)]
struct ImportedFileView {
    file: String,
    #[schemars(with = "TextEncoded<ForeignFormat>")]
    format: &'static str,
    kept: u64,
    known: u64,
    waiting: u64,
    let_in: u64,
    changed: Vec<ImportChangeView>,
    refused: Vec<ImportRefusalView>,
    left_out: Vec<LeftOutView>,
}

/// What was kept in other words than the file has.
#[derive(Serialize, JsonSchema)]
struct ImportChangeView {
    at: String,
    what: String,
}

/// What in a file is no memory.
#[derive(Serialize, JsonSchema)]
struct LeftOutView {
    at: String,
    why: String,
}

/// What in a file was refused.
#[derive(Serialize, JsonSchema)]
struct ImportRefusalView {
    file: String,
    at: String,
    #[serde(flatten)]
    refusal: RefusalView,
}

fn list_import_refusals(done: &FileImportReport) -> Vec<ImportRefusalView> {
    let view = |(at, it): &(String, Refusal)| ImportRefusalView {
        file: done.name.clone(),
        at: at.clone(),
        refusal: RefusalView::from(it),
    };
    done.refused.iter().map(view).collect()
}

impl From<&FileImportReport> for ImportedFileView {
    fn from(it: &FileImportReport) -> Self {
        let changed = it
            .changed
            .iter()
            .cloned()
            .map(|(at, what)| ImportChangeView { at, what });
        let left_out = it.left_out.iter().map(|it| LeftOutView {
            at: it.at.clone(),
            why: it.why.clone(),
        });
        Self {
            file: it.name.clone(),
            format: it.format.as_str(),
            kept: it.kept,
            known: it.known,
            waiting: it.waiting,
            let_in: it.let_in,
            changed: changed.collect(),
            refused: list_import_refusals(it),
            left_out: left_out.collect(),
        }
    }
}

impl ImportReply {
    /// What became of these files.
    pub fn new(files: &[FileImportReport], dry_run: bool, passed_over: Option<usize>) -> Self {
        Self {
            ok: files.iter().all(|it| it.refused.is_empty()),
            dry_run,
            kept: files.iter().map(|it| it.kept).sum(),
            known: files.iter().map(|it| it.known).sum(),
            waiting: files.iter().map(|it| it.waiting).sum(),
            let_in: files.iter().map(|it| it.let_in).sum(),
            refused: files.iter().flat_map(list_import_refusals).collect(),
            files: files.iter().map(ImportedFileView::from).collect(),
            passed_over,
        }
    }
}
