//! What is long and random but public by nature: image data, digests, public keys, addresses of content.

use std::{
    borrow::Cow,
    sync::{LazyLock, OnceLock},
};

use regex::bytes::{Captures, Regex};

use super::compile_byte_pattern;

/// An armoured block that is public: its first line, and as many lines of base64 as follow.
const PUBLIC_BLOCK: &str = concat!(
    "-----BEGIN (?:[A-Z0-9 ]*(?:CERTIFICATE|PUBLIC KEY)|PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|X509 CRL|PKCS7|CMS",
    "|(?:DH|EC|DSA|X9.42 DH) PARAMETERS|AGE ENCRYPTED FILE)[A-Z ]*-----",
    r"(?:(?:[\s>]|\\[nr]){1,16}(?:(?:Version|Comment|Hash|Charset): [^\n\\]*|[A-Za-z0-9+/=]{16,}))*",
);
/// An armoured block with nothing in it but dots or stars.
const EMPTY_BLOCK: &str = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s.*>]|\\[nr]|\xE2\x80\xA6){1,80}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

/// The kinds of public values: the pattern of each, whose group, if any, is a digest, is tried only when one of its marks
/// stands in the text.
const KINDS: [(&[&str], &str); 25] = [
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
        &[
            "ANBgkqhkiG9w0BAQEFAAO",
            "MA0GCSqGSIb3DQEBAQUAA4",
            "YHKoZIzj0CAQ",
            "MCowBQYDK2V",
        ],
        concat!(
            "(?:MII[A-Za-z0-9]{5}ANBgkqhkiG9w0BAQEFAAO|MIG[A-Za-z0-9]MA0GCSqGSIb3DQEBAQUAA4|MF[kY]w[EF][A-Za-z]YHKoZIzj0CAQ|MCowBQYDK2V)",
            r"[A-Za-z0-9+/]{20,}(?:\s{1,4}[A-Za-z0-9+/]{20,})*",
        ),
    ),
    (&["-----BEGIN "], PUBLIC_BLOCK),
    // A stand-in for a private key: dots where the key would be.
    (&["-----BEGIN "], EMPTY_BLOCK),
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
    // A packed page in an address, in the alphabet of addresses.
    (&["H4sIA"], "[#?&/=]H4sIA[A-Za-z0-9_+/=%-]{16,}"),
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
        &["AwIBAgI", "DAgECAh", "oAMCAQIC"],
        r"MI[A-Za-z0-9+/]{3,24}(?:AwIBAgI|DAgECAh|oAMCAQIC)[A-Za-z0-9+/=]{20,}(?:\s{1,4}[A-Za-z0-9+/=]{16,})*",
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
    // The key of a mail domain, which a name server tells everyone, in one string or in several.
    (
        &["DKIM1", "k=rsa", "k=ed25519"],
        r#"(?:v=DKIM1|k=rsa|k=ed25519)[;:a-z0-9= "\\\t]{0,60}p=(?:"?\s{0,4}"?[A-Za-z0-9+/=]{20,})+"#,
    ),
    // The greeting of a web socket, drawn for each connection.
    (
        &["ocket-Key", "ocket-key", "ocket-Accept", "ocket-accept"],
        r#"(?i:sec-websocket-(?:key|accept))["']?\s{0,3}[:=]\s{0,3}["']?[A-Za-z0-9+/]{20,40}={0,2}"#,
    ),
    // The signature of a mail, and what a browser or a bucket draws for one answer: without the marks that the prefixes of
    // tokens end with, so that none is hidden behind such a name.
    (
        &[" b=", "bh=", ";b="],
        r"(?:^|[;\s])bh?=\s{0,3}[A-Za-z0-9+/]{20,}={0,2}(?:\s{1,4}[A-Za-z0-9+/]{20,}={0,2})*(?:[;\s]|$)",
    ),
    (
        &[
            "essage-I",
            "essage-id",
            "eferences:",
            "eply-To:",
            "ersionId",
            "ersion_id",
            "ersion id",
        ],
        r#"(?i:message-id|references|in-reply-to):\s{0,3}<[^>\s]{8,200}>|(?i:version[ _-]?id)["']?\s{0,3}[:=]\s{0,3}["']?[A-Za-z0-9+/.]{32,64}"#,
    ),
    (
        &[
            "nonce",
            "mz-id-2",
            "mz-cf-id",
            "equest-id",
            "equest-Id",
            "pin-sha256",
        ],
        r#"(?i:nonce|x-amz-id-2|x-amz-cf-id|request-id|pin-sha256)["']?[-:=]\s{0,3}["']?[A-Za-z0-9+/]{16,}={0,2}"#,
    ),
    // What a function makes of a given text, as manuals show it.
    (
        &["(\"", "('"],
        r#"(?i:md5|sha-?[0-9]{1,3}|crc32|hash)\(["'][^"'\n]{0,40}["']\)["'`]?\s{0,3}(?:=+>?|->|:|is|→)?\s{0,3}["'`]?[0-9a-fA-F]{32,128}"#,
    ),
    // The half of a pair of payment keys that stands in every page of a shop.
    (
        &["pk_test_", "pk_live_"],
        "(?:^|[^A-Za-z0-9])pk_(?:test|live)_[A-Za-z0-9]{16,}",
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
    // The lines of a block are short where there is nothing in it.
    if run < SHORTEST && !text.contains("-----BEGIN ") {
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

/// The text with its armoured public blocks in blanks, every line and column where it was: a line of such a block by
/// itself does not tell what it is.
pub(super) fn blank_public_blocks(text: &str) -> Cow<'_, str> {
    static BLOCKS: LazyLock<[Regex; 2]> =
        LazyLock::new(|| [PUBLIC_BLOCK, EMPTY_BLOCK].map(compile_byte_pattern));
    if !text.contains("-----BEGIN ") {
        return Cow::Borrowed(text);
    }
    let blank = |found: &Captures| -> Vec<u8> {
        let keep_break = |it: &u8| if *it == b'\n' { b'\n' } else { b' ' };
        found[0].iter().map(keep_break).collect()
    };
    let text = BLOCKS[0].replace_all(text.as_bytes(), blank);
    let text = BLOCKS[1].replace_all(&text, blank);
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
}

/// A digest has one of few lengths; anything else behind its name stays and is looked at.
fn blank_unless_odd_digest(found: &Captures) -> Vec<u8> {
    let length = |digest: &[u8]| digest.len() - 2 * digest.iter().filter(|it| **it == b'%').count();
    match found.get(1).map(|digest| length(digest.as_bytes())) {
        None | Some(27 | 28 | 40 | 43 | 44 | 64 | 86 | 87 | 88 | 96 | 128) => b" ".to_vec(),
        Some(_) => found[0].to_vec(),
    }
}
