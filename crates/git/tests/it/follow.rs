//! Citations followed through real repositories: one case for every way in which code is edited, moved and lost.
//!
//! Where the desired answer is a judgement call, the name of the test says which answer was chosen.

mod batch;
mod clones;
mod contents;
mod edits;
mod hostile;
mod merges;
mod moves;
mod names;
mod refs;
pub(crate) mod story;
mod uncommitted;
