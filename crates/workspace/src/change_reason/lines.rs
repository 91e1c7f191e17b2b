//! Which commits wrote lines of the working tree, and which memories cite them.

use std::collections::BTreeMap;

use apostille_api::json::TracedMemoryView;
use apostille_cite::{
    citation::{Citation, CodeLocation, LineSpan},
    file_lines::FileLines,
    follow::trace_rows_back,
    source::Source as _,
    verdict::Verdict,
};
use apostille_core::{
    list,
    memory::Stage,
    store::MemoryFilter,
    verify::{VerifiedMemory, follow_memory_citations},
};
use apostille_git::{
    git::{BlamedLines, Checkout, Commit},
    worktree::WorkTree,
};

use crate::{error::CommandError, workspace::Workspace};

/// How many lines may be asked about at once.
const MAX_LINES: u32 = 400;
/// How many memories that cite the file are looked at, and how many are told.
const MAX_LOOKED_AT: usize = 200;
const MAX_CITING: usize = 5;

/// Who wrote the lines that were asked about; lines are counted as they are now.
pub(super) struct LineWriters {
    pub(super) commits: Vec<BlamedLines>,
    pub(super) uncommitted: Vec<u32>,
    texts: BTreeMap<u32, String>,
}

impl LineWriters {
    /// What stands on some of the lines.
    pub(super) fn join_lines(&self, lines: &[u32]) -> String {
        let texts = lines.iter().filter_map(|it| self.texts.get(it));
        texts.map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// The commits that wrote lines of a file as it is now, and the lines that are not committed yet.
pub(super) fn find_writers(
    checkout: &Checkout,
    place: &CodeLocation,
) -> Result<LineWriters, CommandError> {
    let path = &place.path;
    let now = WorkTree::open(checkout)?.read_file(path)?.ok_or_else(|| {
        CommandError::usage(format!("there is no file '{path}' here"))
            .with_hint("for a file that is gone, ask about a commit: apostille why COMMIT")
    })?;
    let now = FileLines::from_bytes(&now.bytes);
    let asked = check_lines(place, &now)?;
    let head = checkout.read_head()?.commit;
    let then = head
        .as_deref()
        .map(|it| Commit::new(checkout, it)?.read_file(path));
    let (Some(head), Some(then)) = (head, then.transpose()?.flatten()) else {
        return Ok(LineWriters::new(Vec::new(), asked.collect(), &now));
    };
    let then = FileLines::from_bytes(&then.bytes);
    let rows = *asked.start() - 1..*asked.end();
    let (mut known, mut uncommitted) = (BTreeMap::new(), Vec::new());
    for (line, old) in asked.zip(trace_rows_back(&then, &now, rows)) {
        match old {
            Some(row) => _ = known.insert(row + 1, line),
            None => uncommitted.push(line),
        }
    }
    let commits = blame_known_lines(checkout, &head, place, &known)?;
    Ok(LineWriters::new(commits, uncommitted, &now))
}

impl LineWriters {
    fn new(commits: Vec<BlamedLines>, uncommitted: Vec<u32>, now: &FileLines<'_>) -> Self {
        let told = commits.iter().flat_map(|it| &it.lines).chain(&uncommitted);
        let read = |line: &u32| {
            let text = now.lines().get(*line as usize - 1)?;
            Some((*line, String::from_utf8_lossy(text).trim().to_owned()))
        };
        Self {
            texts: told.filter_map(read).collect(),
            commits,
            uncommitted,
        }
    }
}

fn check_lines(
    place: &CodeLocation,
    file: &FileLines<'_>,
) -> Result<std::ops::RangeInclusive<u32>, CommandError> {
    let (lines, n) = (place.lines, file.line_count());
    if lines.last_line() > n {
        let path = &place.path;
        return Err(CommandError::usage(format!("'{path}' has {n} lines")));
    }
    if lines.line_count() > MAX_LINES {
        let why = format!("at most {MAX_LINES} lines can be asked about at once");
        return Err(CommandError::usage(why));
    }
    Ok(lines.first_line()..=lines.last_line())
}

/// The commits of these lines; `known` has what each line of the commit is called now.
fn blame_known_lines(
    checkout: &Checkout,
    head: &str,
    place: &CodeLocation,
    known: &BTreeMap<u32, u32>,
) -> Result<Vec<BlamedLines>, CommandError> {
    let ends = known.first_key_value().zip(known.last_key_value());
    let Some(span) = ends.and_then(|(a, b)| LineSpan::new(*a.0, *b.0)) else {
        return Ok(Vec::new());
    };
    let mut commits = checkout.blame_lines(head, &place.path, span)?;
    for it in &mut commits {
        let lines = it.lines.iter().filter_map(|it| known.get(it));
        it.lines = lines.copied().collect();
    }
    commits.retain(|it| !it.lines.is_empty());
    commits.sort_by_key(|it| (std::cmp::Reverse(it.lines.len()), it.lines[0]));
    Ok(commits)
}

/// The memories in use whose citations are at these lines now.
pub(super) fn list_citing_memories(
    workspace: &Workspace,
    place: &CodeLocation,
) -> Result<Vec<TracedMemoryView>, CommandError> {
    let cx = workspace.context();
    let filter = MemoryFilter {
        spaces: workspace.spaces().into(),
        stages: vec![Stage::Active],
        path: Some(place.path.clone()),
        limit: MAX_LOOKED_AT,
        ..MemoryFilter::default()
    };
    let seen = follow_memory_citations(&cx, list::list_memories(&cx, &filter)?);
    let citing = seen.iter().filter(|it| is_citing(it, place));
    Ok(citing.take(MAX_CITING).map(Into::into).collect())
}

fn is_citing(it: &VerifiedMemory, place: &CodeLocation) -> bool {
    let mut found = it.memory.citations.iter().zip(&it.verdicts);
    found.any(|(citation, verdict)| {
        let at = locate_citation(citation, verdict);
        at.is_some_and(|at| at.path == place.path && is_overlapping(at.lines, place.lines))
    })
}

/// Where the cited lines are now, changed or not.
fn locate_citation(citation: &Citation, verdict: &Verdict) -> Option<CodeLocation> {
    match verdict {
        Verdict::Changed(found) => Some(found.at.clone()),
        other => other.living_location(citation),
    }
}

fn is_overlapping(a: LineSpan, b: LineSpan) -> bool {
    a.first_line() <= b.last_line() && b.first_line() <= a.last_line()
}
