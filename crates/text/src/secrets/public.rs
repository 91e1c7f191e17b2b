//! What is long and random but public by nature: image data, digests, public keys, addresses of content.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex};

use super::compile_byte_pattern;

/// The kinds of public values: the pattern of each, whose group, if any, is a digest, is tried only when one of its marks
/// stands in the text.
const KINDS: [(&[&str], &str); 16] = [
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
    // Addresses of accounts and contracts; a private key has 64 digits.
    (&["0x"], "0x[0-9a-fA-F]{40}(?:[^0-9a-zA-Z]|$)"),
    (
        &["tag", "Tag", "TAG"],
        r#"(?i:etag)["']?\s{0,3}[:=]\s{0,3}(?:W/)?["'][^"'\s]{8,}["']"#,
    ),
    (&["renovate-debug:"], "renovate-debug:[A-Za-z0-9+/=]{20,}"),
    (
        &["Qm"],
        "(?:^|[^A-Za-z0-9_+-])Qm[1-9A-HJ-NP-Za-km-z]{44}(?:[^A-Za-z0-9_+-]|$)",
    ),
    // Images, fonts, archives, documents and programs by their first bytes.
    (
        &[
            "iVBORw0KGgo",
            "/9j/4",
            "R0lGOD",
            "UklGR",
            "PHN2Zy",
            "PD94bWw",
            "UEsDB",
            "H4sI",
            "QlpoO",
            "/Td6WFo",
            "N3q8ryc",
            "KLUv/",
            "JVBERi0",
            "AAABAA",
            "d09GR",
            "d09GMg",
            "T1RUTw",
            "AAEAAAA",
            "f0VMRg",
            "AGFzbQ",
            "SUkqA",
            "T2dnUw",
        ],
        concat!(
            "(?:^|[^A-Za-z0-9+/=])(?:iVBORw0KGgo|/9j/4|R0lGOD|UklGR|PHN2Zy|PD94bWw|UEsDB|H4sI|QlpoO|/Td6WFo|N3q8ryc|KLUv/|JVBERi0|AAABAA|d09G[RM]",
            r"|T1RUTw|AAEAAAA|f0VMRg|AGFzbQ|SUkqA|T2dnUw)[A-Za-z0-9+/=]{16,}(?:\s{1,4}[A-Za-z0-9+/=]{40,})*",
        ),
    ),
    // Certificates without their lines, by how their DER begins.
    (
        &["AwIBAgI"],
        r"MII[A-Za-z0-9+/]{4,24}AwIBAgI[A-Za-z0-9+/=]{20,}(?:\s{1,4}[A-Za-z0-9+/=]{16,})*",
    ),
    // What is called a public key, and the parts of one in JSON.
    (
        &["ublic", "UBLIC"],
        r#"(?i:public|pub)[ _-]?(?i:key)[a-zA-Z ]{0,20}["'`]?\s{0,3}(?::|=|is)\s{0,3}["'`]?[A-Za-z0-9+/_-]{40,}={0,2}"#,
    ),
    (
        &[r#""x""#, r#""y""#, r#""n""#, r#""x5"#],
        r#""(?:x|y|n|x5t|x5t#S256)"\s{0,3}:\s{0,3}"[A-Za-z0-9_-]{20,}"#,
    ),
    (
        &["RW"],
        "(?:^|[^A-Za-z0-9+/])RW[QRST][A-Za-z0-9+/]{53}(?:[^A-Za-z0-9+/]|$)",
    ),
    // Documents of Google, by their address or by what they are called.
    (
        &[
            "google.com/",
            "oc",
            "heet",
            "rive",
            "lide",
            "older",
            "cript",
        ],
        concat!(
            r"(?:google\.com/[a-z]+/(?:u/[0-9]/)?(?:d|folders)/",
            r#"|(?i:doc|docs|document|sheet|sheets|spreadsheet|slides|drive|folder|script|file)[ _-]?(?i:id)?["'`]?\s{0,3}[:= ]\s{0,3}["'`(]?)"#,
            "1[A-Za-z0-9_-]{32,43}",
        ),
    ),
    // Badges show a figure, and their token shows only that.
    (
        &["badge"],
        r"badge[A-Za-z0-9./_-]*\?token=[A-Za-z0-9]{6,16}",
    ),
];

/// Shortest run of blob characters that can be one of them.
const SHORTEST: usize = 22;

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
