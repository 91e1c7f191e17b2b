//! What is said about a text that was not taken must not repeat the secret in it.

use std::borrow::Cow;

use super::find_secret;

/// Stands for a word that looks like a secret.
const MASK: &str = "[not repeated: it looks like a secret]";

/// A message without the words that look like secrets; without a whole line where only the line as a whole does.
///
/// For what quotes its input: usage errors, malformed arguments, refusals. Everything else in it stays, so that the way
/// out is still told.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| find_secret(line).is_none()) {
        return Cow::Borrowed(text);
    }
    let masked: Vec<_> = text.split('\n').map(mask_secret_line).collect();
    Cow::Owned(masked.join("\n"))
}

fn mask_secret_line(line: &str) -> Cow<'_, str> {
    if find_secret(line).is_none() {
        return Cow::Borrowed(line);
    }
    let is_edge = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',' | ';')
    };
    let mut cleaned = String::with_capacity(line.len());
    for part in line.split_inclusive(is_edge) {
        let word = part.trim_end_matches(is_edge);
        let is_secret = find_secret(word).is_some();
        cleaned.push_str(if is_secret { MASK } else { word });
        cleaned.push_str(&part[word.len()..]);
    }
    // A password is only one beside its name: then nothing of the line is told.
    if find_secret(&cleaned).is_some() {
        Cow::Borrowed(MASK)
    } else {
        Cow::Owned(cleaned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_the_way_out_stays() {
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let check = |text: String, expected: &str| {
            assert_eq!(mask_secrets(&text), expected.replace("[]", MASK), "{text}")
        };
        check(
            "there is no memory m-7 here".into(),
            "there is no memory m-7 here",
        );
        check(
            format!("cannot cite '{token}': it names no file"),
            "cannot cite '[]': it names no file",
        );
        check(
            format!("a\ninvalid value {token}, try --help\nb"),
            "a\ninvalid value [], try --help\nb",
        );
        check(
            "'x' is no kind\npassword: hunter2".into(),
            "'x' is no kind\n[]",
        );
    }
}
