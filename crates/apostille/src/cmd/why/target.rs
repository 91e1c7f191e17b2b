//! What is meant by the argument of `why`.

use apostille_cite::{
    citation::CodeLocation,
    citation_request::{CitationRequest, RequestedPart},
};
use apostille_core::{archive::ArchiveHandle, memory::MemoryName};
use apostille_terminal::command_context::{CommandContext, CommandResult};
use apostille_workspace::{change_reason::ChangeReader, error::CommandError, workspace::Workspace};

/// What there is to name.
const WAYS: &str =
    "a line as src/api.rs:12, lines as src/api.rs:12-18, a commit as 3f2a91c, or a memory as m-12";
/// The lengths of a whole id of a commit.
const WHOLE_IDS: [usize; 2] = [40, 64];

/// What `why` is asked about.
pub(super) enum WhyTarget {
    /// A memory: when it was shown.
    Memory(MemoryName),
    /// Code: what led to it.
    Change(ChangeTarget),
}

/// The code that `why` is asked about.
pub(super) enum ChangeTarget {
    /// Lines.
    Lines(CodeLocation),
    /// A commit, by its whole id.
    Commit(String),
}

/// Reads what is meant.
pub(super) fn read_why_target(
    ctx: &CommandContext,
    workspace: &Workspace,
    text: &str,
) -> CommandResult<WhyTarget> {
    let text = text.trim();
    if let Ok(name) = text.parse() {
        return Ok(WhyTarget::Memory(name));
    }
    if text.parse::<ArchiveHandle>().is_ok() {
        let error = CommandError::usage(format!("{text} is a conversation"));
        return Err(error.with_hint(format!("apostille show {text}")));
    }
    if let Some(place) = read_lines(workspace, text)? {
        return Ok(WhyTarget::Change(ChangeTarget::Lines(place)));
    }
    let is_file = workspace.place.resolve_typed(text.as_ref()).is_file();
    let reader = ChangeReader::open(&ctx.system, workspace, &[]);
    let commit = reader.ok().and_then(|it| it.resolve_commit(text));
    let is_whole = commit.as_deref() == Some(text) && WHOLE_IDS.contains(&text.len());
    match (commit, is_file) {
        (Some(commit), false) => Ok(WhyTarget::Change(ChangeTarget::Commit(commit))),
        (Some(commit), true) if is_whole => Ok(WhyTarget::Change(ChangeTarget::Commit(commit))),
        (Some(commit), true) => {
            let error = CommandError::usage(format!("'{text}' is a file and a commit"));
            Err(error.with_hint(format!("write {text}:LINE, or the whole id {commit}")))
        }
        (None, true) => {
            let error = CommandError::usage(format!("'{text}' is a file; say which line of it"));
            Err(error.with_hint(format!("apostille why {text}:12")))
        }
        (None, false) => {
            let error = CommandError::usage(format!("nothing here is called '{text}'"));
            Err(error.with_hint(format!("write {WAYS}")))
        }
    }
}

/// The lines that are named; an error where lines are named that cannot be.
fn read_lines(workspace: &Workspace, text: &str) -> CommandResult<Option<CodeLocation>> {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let has_lines = text.rsplit_once(':').is_some_and(|(_, lines)| {
        let mut ends = lines.splitn(2, '-');
        ends.all(is_number)
    });
    if !has_lines {
        return Ok(None);
    }
    let read_path = |it: &str| workspace.place.resolve_path(it);
    let request = CitationRequest::parse_with(text, read_path).map_err(CommandError::usage)?;
    Ok(match request.part {
        RequestedPart::Lines(lines) => Some(CodeLocation {
            path: request.path,
            lines,
        }),
        RequestedPart::Symbol(_) => None,
    })
}
