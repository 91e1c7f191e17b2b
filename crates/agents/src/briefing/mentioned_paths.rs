//! The files that a person names while speaking.

use apostille_cite::citation::RepoPath;

/// How many files of one prompt are looked up.
const MAX_PATHS: usize = 5;
/// How much of a prompt is read for them, in characters.
const READ_CHARS: usize = 4_000;

/// The files named in a text: words with a folder and an ending, such as `src/api.rs` or `@src/api.rs:12`.
pub(super) fn find_mentioned_paths(text: &str) -> Vec<RepoPath> {
    let text: String = text.chars().take(READ_CHARS).collect();
    let mut found: Vec<RepoPath> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;".contains(c)) {
        if let Some(path) = parse_mentioned_path(word).filter(|it| !found.contains(it)) {
            found.push(path);
        }
        if found.len() == MAX_PATHS {
            break;
        }
    }
    found
}

fn parse_mentioned_path(word: &str) -> Option<RepoPath> {
    let word = word
        .trim_start_matches(['@', '.'])
        .trim_start_matches('/')
        .trim_end_matches(['.', '!', '?', ':']);
    let word = word.split(':').next().unwrap_or_default();
    let (folder, name) = word.rsplit_once('/')?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = !ending.is_empty()
        && ending.len() <= 8
        && ending.chars().all(|c| c.is_ascii_alphanumeric());
    let is_file = !folder.is_empty() && !stem.is_empty() && is_ending;
    is_file.then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_among_words() {
        let check = |text: &str, expected: &str| {
            let found: Vec<String> = find_mentioned_paths(text)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(found.join(" "), expected, "{text:?}");
        };
        check(
            "look at src/api.rs and `lib/x/y.ts:12`.",
            "src/api.rs lib/x/y.ts",
        );
        check(
            "@src/main.rs ./src/api.rs, please",
            "src/main.rs src/api.rs",
        );
        check("either/or, and/or; 1/2; https://example.com", "");
        check("see https://example.com/a.html", "");
        check("../../etc/passwd.txt", "");
    }
}
