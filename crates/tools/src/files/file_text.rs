//! How files and directories are written down.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{memory_files::MemoryFile, path::MemoryPath};

/// How many levels of a directory are listed.
const LEVELS: usize = 2;
/// How many entries of a directory are listed.
const MAX_ENTRIES: usize = 200;
/// How many lines around a change are shown.
const AROUND: usize = 2;

/// The lines of a text; an end of line at the end begins an empty one.
pub(super) fn split_file_lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// The lines `first` to `last` of a text, counted from 1, with their numbers.
pub(super) fn format_numbered_lines(text: &str, first: usize, last: usize) -> String {
    let rows = text.split('\n').enumerate().take(last);
    rows.skip(first.saturating_sub(1))
        .map(|(at, line)| format!("{:>6}\t{line}", at + 1))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The lines of a text around those that were put there, which begin at this byte.
pub(super) fn format_edit_snippet(text: &str, at: usize, new: &str) -> String {
    let first = 1 + text[..at].matches('\n').count();
    let last = first + new.matches('\n').count();
    format_numbered_lines(text, first.saturating_sub(AROUND), last + AROUND)
}

/// The size of a text, as in `0B`, `1.5K` or `4K`.
pub(super) fn format_file_size(bytes: usize) -> String {
    let (mut unit, mut letters) = (1, "BKMG".chars());
    let mut letter = letters.next().unwrap_or('B');
    while bytes / unit >= 1_024
        && let Some(next) = letters.next()
    {
        unit *= 1_024;
        letter = next;
    }
    if bytes.is_multiple_of(unit) {
        return format!("{}{letter}", bytes / unit);
    }
    let tenths = (bytes * 10 + unit / 2) / unit;
    format!("{}.{}{letter}", tenths / 10, tenths % 10)
}

/// A directory, two levels deep.
pub(super) fn format_directory_listing<'a>(
    folder: &MemoryPath,
    files: impl Iterator<Item = &'a MemoryFile>,
) -> String {
    let mut entries: BTreeMap<Vec<&str>, (bool, usize)> = BTreeMap::new();
    let mut total = 0;
    for file in files {
        let Some(parts) = file.path.parts_below(folder) else {
            continue;
        };
        total += file.memory.fact.len();
        for depth in 1..=parts.len().min(LEVELS) {
            let (is_folder, bytes) = entries.entry(parts[..depth].to_vec()).or_default();
            *is_folder |= depth < parts.len();
            *bytes += file.memory.fact.len();
        }
    }
    let mut out = format!(
        "Here're the files and directories up to 2 levels deep in {folder}, excluding hidden items:\n{}\t{folder}",
        format_file_size(total)
    );
    for (parts, (is_folder, bytes)) in entries.iter().take(MAX_ENTRIES) {
        let slash = if *is_folder { "/" } else { "" };
        // Writing to a text cannot fail.
        let _ = write!(
            out,
            "\n{}\t{folder}/{}{slash}",
            format_file_size(*bytes),
            parts.join("/")
        );
    }
    if entries.len() > MAX_ENTRIES {
        let more = entries.len() - MAX_ENTRIES;
        let _ = write!(
            out,
            "\n… and {more} more; view one of the directories, or recall what you look for"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let check = |bytes: usize, expected: &str| assert_eq!(format_file_size(bytes), expected);
        check(0, "0B");
        check(512, "512B");
        check(1_023, "1023B");
        check(1_024, "1K");
        check(1_536, "1.5K");
        check(4_096, "4K");
        check(4_100, "4.0K");
        check(5 * 1_024 * 1_024, "5M");
    }

    #[test]
    fn lines_are_numbered_from_one() {
        assert_eq!(
            format_numbered_lines("a\nb\n", 1, 3),
            "     1\ta\n     2\tb\n     3\t"
        );
        assert_eq!(format_numbered_lines("a\nb\nc", 2, 2), "     2\tb");
        assert_eq!(format_numbered_lines("", 1, 1), "     1\t");
        assert_eq!(
            format_edit_snippet("1\n2\n3\n4\nx\ny\n7\n8\n9", 8, "x\ny"),
            format_numbered_lines("1\n2\n3\n4\nx\ny\n7\n8\n9", 3, 8)
        );
    }
}
