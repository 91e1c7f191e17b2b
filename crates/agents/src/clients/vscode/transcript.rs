//! VS Code writes what Copilot CLI writes.

pub(super) use super::super::copilot::transcript::CopilotReader;
