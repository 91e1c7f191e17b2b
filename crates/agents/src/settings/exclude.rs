//! The line in git's own list of files to pass over, which no commit has: personal settings stay out of commits.

/// Claude Code's personal settings of a repository.
const LINE: &str = "/.claude/settings.local.json";

/// The text with the line in it.
pub fn with(text: &str) -> String {
    if text.lines().any(|it| it.trim_end() == LINE) {
        return text.to_owned();
    }
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{text}{gap}{LINE}\n")
}

/// The text without the line.
pub fn without(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|it| it.trim_end() != LINE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_comes_last_and_goes_again() {
        let check = |text: &str, expected: &str| {
            assert_eq!(with(text), expected);
            assert_eq!(with(expected), expected, "twice is once");
            assert_eq!(without(expected).trim_end(), text.trim_end());
        };
        check("", &format!("{LINE}\n"));
        check("*.o\n", &format!("*.o\n{LINE}\n"));
        check("*.o", &format!("*.o\n{LINE}\n"));
    }
}
