//! Other programs' settings: what belongs into them so that they use this one, and how it gets there and out again.
//! Bytes in, bytes out.

mod exclude;
mod jsonc;
pub mod line;
pub mod part;
pub mod program;
pub mod rules;
pub mod sharing;
pub mod table;
mod toml;
