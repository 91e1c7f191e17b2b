//! What is said about a text that was not taken must not repeat the secret in it.

use std::borrow::Cow;

use super::{SecretMatch, find_secret, find_secret_match, public::blank_public_blocks};
use crate::digest::Digest;

/// Stands for a word that looks like a secret.
const MASK: &str = "[not repeated: it looks like a secret]";

impl SecretMatch {
    /// The digest of the word that the value stands in, for the list of values that are allowed.
    pub fn digest_value(&self) -> Digest {
        Digest::hash_bytes(self.word.as_bytes())
    }

    /// The first letters of the value and its length: enough for who wrote it to find it, too little to use it.
    pub fn mask_value(&self) -> String {
        let count = self.value.chars().count();
        let shown = (count / 6).min(4).max(usize::from(count > 3));
        let is_shown = |c: &char| !c.is_control();
        let head: String = self.value.chars().filter(is_shown).take(shown).collect();
        format!("{head}… ({count} characters)")
    }
}

/// A secret in a longer text, and where it stands.
pub struct SecretPlace {
    /// What was found.
    pub found: SecretMatch,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The secrets of a text, at most one for each line. What only several lines make a secret stands at the first of them.
pub fn find_secret_places(text: &str) -> Vec<SecretPlace> {
    let text = &*blank_public_blocks(text);
    let in_line = |(index, line): (usize, &str)| {
        let found = find_secret_match(line)?;
        let column = find_column(line, &found.value);
        Some(SecretPlace {
            found,
            line: index + 1,
            column,
        })
    };
    let places: Vec<_> = text.split('\n').enumerate().filter_map(in_line).collect();
    if !places.is_empty() {
        return places;
    }
    let whole = |found: SecretMatch| SecretPlace {
        found,
        line: 1,
        column: 1,
    };
    find_secret_match(text).map(whole).into_iter().collect()
}

/// Where a value stands in its line; at the beginning if it is written in another way there.
fn find_column(line: &str, value: &str) -> usize {
    line.find(value)
        .map_or(1, |at| line[..at].chars().count() + 1)
}

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
    fn places_name_line_and_column_and_mask_the_value() {
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let check = |text: String, expected: &[(usize, usize, &str, &str)]| {
            let places = find_secret_places(&text);
            let told: Vec<_> = places
                .iter()
                .map(|it| (it.line, it.column, it.found.rule, it.found.mask_value()))
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|it| (it.0, it.1, it.2, it.3.to_owned()))
                .collect();
            assert_eq!(told, expected, "{text}");
        };
        check("nothing here\nnor here".into(), &[]);
        check(
            format!("a\nclone with {token}\nuse {} as the password", "hunter2"),
            &[
                (2, 16, "github-token", "a1B2… (36 characters)"),
                (3, 5, "password-in-sentence", "h… (7 characters)"),
            ],
        );
        check(
            format!("{}\n{}", ["gl", "pat-"].concat(), &token[4..24]),
            &[(1, 1, "gitlab-token", "a1B… (20 characters)")],
        );
    }

    #[test]
    fn places_leave_out_armoured_public_blocks() {
        let line = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".repeat(2);
        let check = |kind: &str, body: &str, expected: &[usize]| {
            let text = format!("see\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n");
            let places = find_secret_places(&text);
            let lines: Vec<_> = places.iter().map(|it| it.line).collect();
            assert_eq!(lines, expected, "{text}");
        };
        let body = format!("{line}\n{line}\n{line}\nab==");
        for kind in [
            "CERTIFICATE",
            "CERTIFICATE REQUEST",
            "X509 CRL",
            "PUBLIC KEY",
            "SSH SIGNATURE",
            "PKCS7",
        ] {
            check(kind, &body, &[]);
            check(kind, &format!("{body}\npassword: {}", "hunter2"), &[7]);
        }
        let pgp = format!("Version: 2\n\n{body}\n=Ab1C");
        check("PGP PUBLIC KEY BLOCK", &pgp, &[]);
        check("PGP SIGNATURE", &pgp, &[]);
        let private = ["RSA PRIV", "ATE KEY"].concat();
        check(&private, "...", &[]);
        check(&private, &body, &[2, 3, 4, 5]);
        // A public first line does not cover the private block behind it.
        check(
            "PUBLIC KEY",
            &format!("{line}\n-----BEGIN {private}-----"),
            &[4],
        );
    }

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
