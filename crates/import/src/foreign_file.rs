//! A file as it is handed to a reader.

/// A text, and what is known of the file it stood in.
#[derive(Debug, Clone, Copy)]
pub struct ForeignFile<'a> {
    /// The file's name without its folder; `None` for the standard input.
    pub name: Option<&'a str>,
    /// Whether an index of Claude Code, `MEMORY.md`, lies in the same folder.
    pub is_beside_index: bool,
    /// What it says.
    pub text: &'a str,
}
