//! How Codex is answered.
//!
//! Its answers are closed (`codex-rs/hooks/schema/generated`, 2026-08-22): one unknown key, and the hook has failed. At
//! `PreToolUse` some of the known ones fail it too (`engine/output_parser.rs`), so nothing is said that need not be.

use crate::hook::reply::{NESTED, ReplyFormat};

pub(super) const FORMAT: ReplyFormat = NESTED;
