//! What is long and random but public by nature: image data, digests, public keys, addresses of content.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex};

use super::compile_byte_pattern;

/// The kinds of public values: the pattern of each, whose group, if any, is a digest, is tried only when one of its marks
/// stands in the text.
const KINDS: [(&[&str], &str); 7] = [
    (
        &["base64,"],
        r"data:[A-Za-z0-9.+/;=-]*;base64,[A-Za-z0-9+/=%]{8,}(?:\s{1,4}[A-Za-z0-9+/=]{40,})*",
    ),
    (
        &["sha", "SHA", "Sha", "h1:"],
        "(?:[sS][hH][aA]-?(?:1|256|384|512)[-:=] ?|h1:)([A-Za-z0-9+/=%_-]{27,})",
    ),
    (
        &["AAAA"],
        "AAAA(?:[BC]3NzaC1|E2VjZHNh|G[a-zA-Z0-9]{2}[rt])[A-Za-z0-9+/]{20,}={0,3}",
    ),
    (
        &["ANBgkqhkiG9w0BAQEFAAO", "YHKoZIzj0CAQ", "MCowBQYDK2V"],
        concat!(
            "(?:MII[A-Za-z0-9]{5}ANBgkqhkiG9w0BAQEFAAO|MF[kY]w[EF][A-Za-z]YHKoZIzj0CAQ|MCowBQYDK2V)",
            r"[A-Za-z0-9+/]{20,}(?:\s{1,4}[A-Za-z0-9+/]{20,})*",
        ),
    ),
    (
        &["-----BEGIN "],
        concat!(
            "-----BEGIN (?:[A-Z0-9 ]*(?:CERTIFICATE|PUBLIC KEY)|PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE)[A-Z ]*-----",
            r"(?:(?:\s|\\[nr]){1,6}(?:(?:Version|Comment|Hash): [^\n\\]*|[A-Za-z0-9+/=]{16,}))*",
        ),
    ),
    (&["renovate-debug:"], "renovate-debug:[A-Za-z0-9+/=]{20,}"),
    (&["Qm"], "Qm[1-9A-HJ-NP-Za-km-z]{44}"),
];

/// Shortest run of blob characters that can be one of them.
const SHORTEST: usize = 27;

/// The text without its public values; `run` is the length of its longest run.
pub(super) fn blank_public_values(text: &str, run: usize) -> Cow<'_, str> {
    static COMPILED: [OnceLock<Regex>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];
    if run < SHORTEST {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(text);
    for ((marks, pattern), compiled) in KINDS.iter().zip(&COMPILED) {
        if marks.iter().any(|mark| text.contains(mark)) {
            let pattern = compiled.get_or_init(|| compile_byte_pattern(pattern));
            if let Cow::Owned(bytes) = pattern.replace_all(text.as_bytes(), blank_unless_odd_digest)
            {
                text = Cow::Owned(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    text
}

/// A digest has one of few lengths; anything else behind its name stays and is looked at.
fn blank_unless_odd_digest(found: &Captures) -> Vec<u8> {
    let length = |digest: &[u8]| digest.len() - 2 * digest.iter().filter(|it| **it == b'%').count();
    match found.get(1).map(|digest| length(digest.as_bytes())) {
        None | Some(27 | 28 | 40 | 43 | 44 | 64 | 86 | 87 | 88 | 96 | 128) => b" ".to_vec(),
        Some(_) => found[0].to_vec(),
    }
}
