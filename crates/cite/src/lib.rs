//! Evidence in code: a citation, following it through a history, and the verdict.

pub mod capture;
pub mod citation;
pub mod diff;
pub mod look;
pub mod sheet;
pub mod source;
pub mod verdict;
