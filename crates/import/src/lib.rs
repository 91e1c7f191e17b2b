//! Readers of other tools’ memory files: text in, pieces out, and what was left out with the reason.

pub mod basic;
pub mod blocks;
pub mod claude;
pub mod cut;
pub mod export;
pub mod file;
pub mod format;
pub mod front;
pub mod graph;
pub mod mem0;
pub mod piece;
pub mod rules;
pub mod sheet;
