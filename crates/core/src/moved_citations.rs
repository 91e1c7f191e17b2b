//! Memories by a path that they do not cite: the file they cite was renamed, or its lines were moved out of it, and nobody has
//! healed the citation yet.
//!
//! Following every memory for every question about a file would cost a walk through the history each time. So only those are
//! followed whose file is no longer in the tree, of which there are few; and where the question is about one file, only those
//! that share a line with it. Where there are many after all, those come first whose file was called alike.

use std::collections::HashSet;

use apostille_cite::{
    citation::{Citation, RepoPath},
    file_lines::FileLines,
    follow::{CitationFinding, NEAR},
    verdict::Verdict,
};

use crate::{
    Context, CoreError,
    memory::Memory,
    space::Space,
    store::{MemoryFilter, has_citation_below},
};

/// How many memories are followed for one question.
const MAX_FOLLOWED: usize = 200;
/// How many of them may cite a file of another name in another folder. Reading a memory takes as long as judging one, and an
/// agent waits.
const MAX_UNLIKE: usize = 40;

/// The memories that a filter with a path does not find by what they cite, and that stand at this path now.
pub(crate) fn list_moved_memories(
    cx: &Context,
    filter: &MemoryFilter,
) -> Result<Vec<Memory>, CoreError> {
    let Some(path) = &filter.path else {
        return Ok(Vec::new());
    };
    let mut lost = Vec::new();
    for space in filter.spaces.iter().filter(|it| !it.is_user()) {
        lost.extend(list_lost_memories(cx, space, filter, path)?);
    }
    lost.retain(|it| !has_citation_below(it, path));
    if let Some(lines) = read_telling_lines(cx, path) {
        lost.retain(|it| it.citations.iter().any(|it| shares_line(it, &lines)));
    }
    lost.truncate(MAX_FOLLOWED);
    Ok(keep_moved_below(cx, lost, path))
}

/// The memories of a space that a filter admits, but for its path, and whose file is gone: at most so many as are followed,
/// because a store of ten thousand memories took a fifth of a second to read whole.
fn list_lost_memories(
    cx: &Context,
    space: &Space,
    filter: &MemoryFilter,
    asked: &RepoPath,
) -> Result<Vec<Memory>, CoreError> {
    let mut lost: Vec<Memory> = Vec::new();
    let mut paths: Vec<RepoPath> = cx
        .store
        .list_cited_paths(space)?
        .into_iter()
        .filter_map(|it| it.parse().ok())
        .collect();
    paths.sort_by_key(|it| rank_former_name(it, asked));
    // What cannot be looked at is not known to be gone.
    let is_lost = |it: &RepoPath| matches!(cx.source.has_file(it), Ok(false));
    let is_folder = is_lost(asked);
    for path in paths.into_iter().filter(is_lost) {
        let most = match rank_former_name(&path, asked) {
            2.. if !is_folder => MAX_UNLIKE,
            _ => MAX_FOLLOWED,
        };
        if lost.len() >= most {
            break;
        }
        let citing = MemoryFilter {
            spaces: vec![space.clone()],
            path: Some(path),
            limit: filter.limit.min(most - lost.len()),
            ..filter.clone()
        };
        for memory in cx.store.list_memories(&citing)? {
            if lost.iter().all(|it| it.id != memory.id) {
                lost.push(memory);
            }
        }
    }
    Ok(lost)
}

/// How likely a path is another one's former name, the likeliest first: the same name in another folder, another name in the
/// same folder, the same ending, anything else.
fn rank_former_name(path: &RepoPath, asked: &RepoPath) -> u8 {
    let split = |it: &RepoPath| {
        let (folder, name) = it.as_str().rsplit_once('/').unwrap_or(("", it.as_str()));
        let ending = name.rsplit_once('.').map_or("", |it| it.1);
        (folder.to_owned(), name.to_owned(), ending.to_owned())
    };
    let (was, now) = (split(path), split(asked));
    match () {
        () if was.1 == now.1 => 0,
        () if was.0 == now.0 => 1,
        () if was.2 == now.2 => 2,
        () => 3,
    }
}

/// The lines of a file that say something, by their fingerprints; `None` for a folder, and for what cannot be read.
fn read_telling_lines(cx: &Context, path: &RepoPath) -> Option<HashSet<String>> {
    let blob = cx.source.read_file(path).ok()??;
    Some(FileLines::from_bytes(&blob.bytes).telling_fingerprints())
}

/// Whether a file with these lines may be where cited text went: it has a line of it, or of its neighbours.
fn shares_line(citation: &Citation, lines: &HashSet<String>) -> bool {
    let mut neighbours = citation.before.iter().chain(&citation.after);
    let snippet = FileLines::from_bytes(citation.snippet.as_bytes()).telling_fingerprints();
    neighbours.any(|it| lines.contains(it)) || snippet.iter().any(|it| lines.contains(it))
}

fn keep_moved_below(cx: &Context, mut memories: Vec<Memory>, path: &RepoPath) -> Vec<Memory> {
    if memories.is_empty() {
        return memories;
    }
    let citations: Vec<&Citation> = memories.iter().flat_map(|it| &it.citations).collect();
    let found = cx.citation_follower(NEAR).follow_citations(&citations);
    let is_here = |it: CitationFinding| match it.verdict {
        Verdict::Moved { to } => to.path.is_below(path),
        Verdict::Changed(found) => found.at.path.is_below(path),
        Verdict::Holds | Verdict::Gone { .. } | Verdict::Unknown { .. } => false,
    };
    let mut is_here = found.into_iter().map(is_here);
    // All of a memory's citations are taken, so that the next memory begins with its own.
    memories.retain(|it| {
        let of_memory = is_here.by_ref().take(it.citations.len());
        of_memory.filter(|is_here| *is_here).count() > 0
    });
    memories
}
