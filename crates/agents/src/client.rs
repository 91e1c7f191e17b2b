//! The programs that agents live in.

use apostille_text::words::words;

words! {
    /// A client: the program that an agent lives in, whose hooks are answered and whose transcripts are read.
    Client as "client" {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
        /// GitHub Copilot CLI, and the SDK beside it.
        Copilot = "copilot",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// Visual Studio Code.
        Vscode = "vscode",
        /// opencode.
        Opencode = "opencode",
        /// Zed.
        Zed = "zed",
        /// Windsurf.
        Windsurf = "windsurf",
    }
}
