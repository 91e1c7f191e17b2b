//! The task tracker: what is being done, in which phase, and how it ended.

pub mod notes_audit;
pub mod report;
pub mod task;
