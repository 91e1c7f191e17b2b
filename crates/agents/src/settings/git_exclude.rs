//! The line in git's own list of files to pass over, which no commit has: personal settings stay out of commits.

/// The text with the line in it.
pub(super) fn put_exclude_line(text: &str, line: &str) -> String {
    if text.lines().any(|it| it.trim_end() == line) {
        return text.to_owned();
    }
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{text}{gap}{line}\n")
}

/// The text without the line.
pub(super) fn remove_exclude_lines(text: &str, lines: &[&str]) -> String {
    text.split_inclusive('\n')
        .filter(|it| !lines.contains(&it.trim_end()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "/.claude/settings.local.json";

    #[test]
    fn the_line_comes_last_and_goes_again() {
        let check = |text: &str, expected: &str| {
            assert_eq!(put_exclude_line(text, LINE), expected);
            assert_eq!(put_exclude_line(expected, LINE), expected, "twice is once");
            assert_eq!(
                remove_exclude_lines(expected, &[LINE]).trim_end(),
                text.trim_end()
            );
        };
        check("", &format!("{LINE}\n"));
        check("*.o\n", &format!("*.o\n{LINE}\n"));
        check("*.o", &format!("*.o\n{LINE}\n"));
    }
}
