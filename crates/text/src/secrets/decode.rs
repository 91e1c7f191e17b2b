//! What a text says when its escapes are read: a secret in hexadecimal is still a secret.

use super::is_blob_char;

/// Shortest run that is read as hexadecimal or base64.
const RUN_MIN: usize = 24;
/// So many escapes make a text one that hides something; fewer are a blank in an address.
const ESCAPES_MIN: usize = 6;
/// Stands between what was read in different places.
const BETWEEN: &str = " \u{2016} ";

/// Everything that was written in another way and turns out to be plain text; `None` when nothing was. `run` is the
/// length of the longest run.
pub(super) fn decode_hidden_text(text: &str, run: usize) -> Option<String> {
    let read = [decode_text_escapes(text), decode_quoted_printable(text)];
    let mut found: Vec<String> = read.into_iter().flatten().collect();
    if run < RUN_MIN && found.is_empty() {
        return None;
    }
    let runs = text
        .split(|c| !is_blob_char(c))
        .filter(|it| it.len() >= RUN_MIN);
    found.extend(runs.filter_map(|it| decode_hex_run(it).or_else(|| decode_base64_run(it))));
    (!found.is_empty()).then(|| found.join(BETWEEN))
}

/// The text with `%67`, `\x67` and `\u0067` read, if there are many of them.
fn decode_text_escapes(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    bytes
        .iter()
        .filter(|it| matches!(it, b'%' | b'\\'))
        .nth(ESCAPES_MIN - 1)?;
    let (mut out, mut at, mut escapes) = (Vec::with_capacity(bytes.len()), 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let (read, len) = decode_escape_byte(&bytes[at..]).unwrap_or((byte, 1));
        escapes += usize::from(len > 1);
        out.push(read);
        at += len;
    }
    (escapes >= ESCAPES_MIN).then(|| String::from_utf8_lossy(&out).into_owned())
}

/// The text as a mail program reads it: `=3D` is an equals sign, and an equals sign at the end of a line joins it to the
/// next. `None` unless a sign of such a mail is there.
fn decode_quoted_printable(text: &str) -> Option<String> {
    if !text.contains('=') {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut out, mut at, mut escapes) = (Vec::with_capacity(bytes.len()), 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let (read, len) = decode_mail_escape(&bytes[at..]).unwrap_or((Some(byte), 1));
        escapes += match (read, len) {
            (_, 1) => 0,
            // These two are hardly anything else.
            (None | Some(b'='), _) => ESCAPES_MIN,
            _ => 1,
        };
        out.extend(read);
        at += len;
    }
    (escapes >= ESCAPES_MIN).then(|| String::from_utf8_lossy(&out).into_owned())
}

/// The byte that an escape of a mail stands for, none for a joint of two lines, and how long the escape is.
fn decode_mail_escape(text: &[u8]) -> Option<(Option<u8>, usize)> {
    match text {
        [b'=', b'\n', ..] => Some((None, 2)),
        [b'=', b'\r', b'\n', ..] => Some((None, 3)),
        [b'=', high, low, ..] => {
            let digit = |it: &u8| char::from(*it).to_digit(16);
            let is_small = high.is_ascii_lowercase() || low.is_ascii_lowercase();
            let code = u8::try_from(digit(high)? << 4 | digit(low)?).ok();
            Some((code.filter(|_| !is_small).map(Some)?, 3))
        }
        _ => None,
    }
}

/// The byte that an escape at the start stands for, and how long the escape is.
fn decode_escape_byte(text: &[u8]) -> Option<(u8, usize)> {
    let digits = |from: usize, to: usize| -> Option<u8> {
        let digits = text
            .get(from..to)
            .filter(|it| it.iter().all(u8::is_ascii_hexdigit))?;
        let code = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        u8::try_from(code).ok().filter(u8::is_ascii)
    };
    match text {
        [b'%', ..] => Some((digits(1, 3)?, 3)),
        [b'\\', b'x', ..] => Some((digits(2, 4)?, 4)),
        [b'\\', b'u', b'{', rest @ ..] => {
            let len = rest.iter().position(|it| *it == b'}')?;
            Some((digits(3, 3 + len)?, 4 + len))
        }
        [b'\\', b'u', ..] => Some((digits(2, 6)?, 6)),
        _ => None,
    }
}

fn decode_hex_run(run: &str) -> Option<String> {
    let (pairs, []) = run.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |it: u8| char::from(it).to_digit(16);
    let bytes = pairs.iter().map(|[high, low]| {
        let byte = u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
        byte.filter(is_plain_text_byte)
    });
    String::from_utf8(bytes.collect::<Option<_>>()?).ok()
}

/// Whether a run is plain text in base64, as the head of a web token is: by itself it is no secret, and what it says is
/// looked through as text.
pub(super) fn is_base64_text(run: &str) -> bool {
    decode_base64_run(run).is_some()
}

/// What a run of base64 without its padding says, if that is plain text.
pub(super) fn decode_base64_run(run: &str) -> Option<String> {
    let mut out = Vec::with_capacity(run.len());
    let (mut bits, mut held) = (0_u32, 0);
    for byte in run.bytes() {
        bits = bits << 6 | decode_base64_sextet(byte)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(
                u8::try_from(bits >> held & 0xFF)
                    .ok()
                    .filter(is_plain_text_byte)?,
            );
        }
    }
    String::from_utf8(out).ok()
}

fn decode_base64_sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// What random bytes are not: plain text from end to end.
fn is_plain_text_byte(byte: &u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_read_out_of_other_forms() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                decode_hidden_text(text, text.len()).as_deref(),
                expected,
                "{text}"
            )
        };
        check("%67%68%70%5F%61%62", Some("ghp_ab"));
        check(r"\x67\x68\x70\x5f\u0061\u{62}", Some("ghp_ab"));
        check("=67=68=70=5F=61=62", Some("ghp_ab"));
        check("key=3Dghp_ab=\ncd", Some("key=ghp_abcd"));
        check("a=12&b=34&c=56", None);
        check("https://a.b/c%20d%2Fe", None);
        check(r"C:\Users\me\x\y\z\w", None);
        check(
            "run 6768705f61626364656667686970 now",
            Some("ghp_abcdefghip"),
        );
        check("Z2hwX2FiY2RlZmdoaWprbG1ub3A", Some("ghp_abcdefghijklmnop"));
        check("0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b", None);
        check("ResolveSlackAppMentionIngressPolicyParams", None);
        check("%", None);
        check(r"\u{\u{\u{\u{\u{\u{", None);
    }
}
