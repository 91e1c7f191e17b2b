//! Cursor's format is not known; where its lines are shaped like Claude Code's they are read, else there is nothing.

pub(super) use super::super::claude_code::transcript::ClaudeCodeReader;
