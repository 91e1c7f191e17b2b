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

/// The lines of a text that say something, with their numbers.
pub(super) fn iter_filled_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
}
