//! Branches: a correction that cites code which the default branch does not have is kept beside what it corrects.
//!
//! A memory belongs to everybody who shares the store, and a branch to those who work on it. Were the old memory replaced at
//! once, everybody else would lose a fact that is true where they are, and would be left with one that is not. So nothing is
//! written about the old one: both are in use, and the new one names the other in `supersedes`. That is all there is; the
//! pair is recognised by it, in every store and after every merge of their files:
//!
//! - **Two versions** are an active memory and the active one that it `supersedes`. Where that one was replaced by a third
//!   meanwhile, the third is the other version. What was forgotten, retired or found wrong is no version, so the rest is what
//!   it would have been without it.
//! - **A reader is shown one of them**: the one whose evidence stands in their tree, see `choose_version`. The others are not
//!   "no longer true": they are true elsewhere.
//! - **The default branch decides.** As soon as the newer version stands there, it takes the place of the older ones
//!   (`settle`): when it is written, at `verify`, or after a look on that branch. Of a branch that nobody merges the
//!   correction stays withheld for ever, and the old memory in force.

mod settle;
mod versions;

use std::cmp::Reverse;

use apostille_cite::{
    follow::NEAR,
    source::Source,
    standing::{Showing, Standing},
};

use crate::{
    Context, CoreError,
    judge::MemoryJudge,
    memory::{Handle, Memory, MemoryId},
};

pub(crate) use settle::{settle_merged_versions, settle_versions_after_look};
pub(crate) use versions::{VersionFamily, VersionFinder};

/// The version of a memory that it is kept beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherVersion {
    /// This memory takes the place of that one, once the default branch has the code that it cites.
    Replaces(Handle),
    /// That one takes the place of this memory then.
    ReplacedBy(Handle),
}

impl OtherVersion {
    /// The memory that this one takes the place of.
    #[must_use]
    pub fn replaces(&self) -> Option<Handle> {
        match self {
            Self::Replaces(handle) => Some(*handle),
            Self::ReplacedBy(_) => None,
        }
    }

    /// The memory that takes the place of this one.
    #[must_use]
    pub fn replaced_by(&self) -> Option<Handle> {
        match self {
            Self::Replaces(_) => None,
            Self::ReplacedBy(handle) => Some(*handle),
        }
    }
}

/// A version of a memory, as it stands in some tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionView<'a> {
    pub memory: &'a Memory,
    pub standing: Standing,
    /// Whether it was recorded on a branch that never reached the tree.
    pub is_unmerged: bool,
}

impl VersionView<'_> {
    fn is_plain(&self) -> bool {
        self.standing.showing() == Showing::Plain
    }

    /// What is chosen first comes first. Where several stand, as in the middle of a merge, the newest is meant. Where none
    /// does, it is the last that was recorded in the history of the tree.
    fn choice_key(&self) -> impl Ord + use<> {
        let standing = match self.standing.showing() {
            Showing::Plain => 0,
            Showing::Marked => 1,
            Showing::Withheld if self.standing == Standing::Unknown => 2,
            Showing::Withheld => 3,
        };
        let age = (self.memory.recorded_at, self.memory.number);
        (standing, self.is_unmerged, Reverse(age))
    }
}

/// The version that a reader of the tree is shown.
pub(crate) fn choose_version(versions: &[VersionView]) -> Option<MemoryId> {
    let best = versions.iter().min_by_key(|it| it.choice_key());
    best.map(|it| it.memory.id)
}

/// Whether a memory is to be kept beside the one that it replaces: both cite code, and the default branch does not have what
/// the new one cites. Outside git, and where nobody knows the default branch, there is nothing to wait for.
pub(crate) fn waits_for_merge(cx: &Context, new: &Memory, old: &Memory) -> bool {
    let is_cited = !new.citations.is_empty() && !old.citations.is_empty();
    // A claim is made once at a time.
    let is_apart = new.claim_digest() != old.claim_digest();
    if !(is_cited && is_apart && old.is_active() && new.space == old.space) {
        return false;
    }
    match cx.source.open_default_branch() {
        Ok(Some(default)) => judge_in_tree(cx, &*default.tree, new) != Standing::Stands,
        Ok(None) => false,
        // What could not be looked up is never held against a memory.
        Err(_) => true,
    }
}

fn judge_in_tree(cx: &Context, tree: &dyn Source, memory: &Memory) -> Standing {
    let cx = Context {
        source: tree,
        ..*cx
    };
    let judged = MemoryJudge::new(&cx, NEAR).judge_memory(memory);
    judged.judgement.standing
}

/// The version that each of these memories is kept beside, where there is one. Nothing is looked up in the code.
pub fn find_other_versions(
    cx: &Context,
    memories: &[Memory],
) -> Result<Vec<Option<OtherVersion>>, CoreError> {
    let all: Vec<&Memory> = memories.iter().collect();
    let families = find_version_families(cx, &all, |_| false)?;
    let find = |it: &Memory| {
        let mut families = families.iter();
        families.find_map(|family| family.other_version_of(it.id))
    };
    Ok(memories.iter().map(find).collect())
}

/// The families of these memories, each once. What was replaced long ago may have a version on a branch that is older than
/// what replaced it; that is only looked for where `is_doubted` says that there is a reason to.
pub(crate) fn find_version_families(
    cx: &Context,
    memories: &[&Memory],
    is_doubted: impl Fn(MemoryId) -> bool,
) -> Result<Vec<VersionFamily>, CoreError> {
    let mut finder = VersionFinder::new(cx.store);
    let replaced = finder.list_replaced(memories)?;
    let mut families: Vec<VersionFamily> = Vec::new();
    for it in memories {
        let is_searched = replaced.contains(&it.id) || it.supersedes.is_some() && is_doubted(it.id);
        if !families.iter().any(|family| family.has(it.id)) {
            families.extend(finder.find_family(it, is_searched)?);
        }
    }
    Ok(families)
}
