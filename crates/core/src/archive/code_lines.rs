//! Lines of code, by which the commit that wrote them is known again: what a hook is about to change is looked up by them,
//! where asking git who wrote each line takes far longer than a hook has.

use std::collections::BTreeSet;

use apostille_text::digest::Digest;

/// A line of fewer letters and digits stands in many files.
const FEWEST_CHARS: usize = 8;

/// The lines of a text that say something, each as a number; how they are indented does not count.
pub fn digest_code_lines(text: &str) -> BTreeSet<u32> {
    text.lines().filter_map(digest_code_line).collect()
}

fn digest_code_line(line: &str) -> Option<u32> {
    let line = line.trim();
    let n_telling = line.chars().filter(|it| it.is_alphanumeric()).count();
    let digest = (n_telling >= FEWEST_CHARS).then(|| Digest::hash_bytes(line.as_bytes()))?;
    let [a, b, c, d, ..] = *digest.as_bytes();
    Some(u32::from_le_bytes([a, b, c, d]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_line_is_known_again_by_its_words() {
        let check = |a: &str, b: &str, expected: usize| {
            let (a, b) = (digest_code_lines(a), digest_code_lines(b));
            assert_eq!(a.intersection(&b).count(), expected, "{a:?} {b:?}");
        };
        check("    let attempts = 7;\n}", "let attempts = 7;\n\n}", 1);
        check("let attempts = 7;", "let attempts = 8;", 0);
        check("}\n\nreturn;\n", "}\n\nreturn;\n", 0);
    }
}
