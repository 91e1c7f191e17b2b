//! Other programs' settings: what belongs into them so that they use this one, and how it gets there and out again.
//! Bytes in, bytes out; everything that somebody else wrote stays byte for byte.

mod git_exclude;
pub mod hook_line;
pub mod hooks;
pub(crate) mod jsonc;
pub mod layout;
mod plugin;
pub mod program;
pub mod rules_block;
pub mod server;
pub mod settings_part;
pub mod sharing;

/// A text with something of ours put in or taken out, or why that cannot be.
type EditedText = Result<String, String>;

/// How the lines of a text end.
fn detect_newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
