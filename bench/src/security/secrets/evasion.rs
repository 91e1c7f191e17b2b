//! The ways to write a secret so that a reader still has it, and a plain search does not find it.

use std::fmt::Write as _;

/// One way.
pub(crate) struct Way {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Whether the bar names it.
    pub(crate) is_named: bool,
    to: fn(&str) -> String,
}

/// All of them.
pub(crate) const WAYS: &[Way] = &[
    Way {
        name: "zero-width space in the middle",
        is_named: true,
        to: |it| halves(it, "\u{200b}"),
    },
    Way {
        name: "zero-width joiner every fourth letter",
        is_named: true,
        to: |it| every_fourth(it, "\u{200d}"),
    },
    Way {
        name: "full-width letters",
        is_named: true,
        to: wide,
    },
    Way {
        name: "newline in the middle",
        is_named: true,
        to: |it| halves(it, "\n"),
    },
    Way {
        name: "newline and spaces in the middle",
        is_named: true,
        to: |it| halves(it, " \r\n    "),
    },
    Way {
        name: "between CJK letters",
        is_named: true,
        to: |it| format!("令牌{it}密钥"),
    },
    Way {
        name: "percent-encoded",
        is_named: false,
        to: |it| each(it, |out, byte| write!(out, "%{byte:02X}")),
    },
    Way {
        name: "hexadecimal",
        is_named: false,
        to: |it| each(it, |out, byte| write!(out, "{byte:02x}")),
    },
    Way {
        name: "\\u escapes",
        is_named: false,
        to: |it| each(it, |out, byte| write!(out, "\\u{byte:04x}")),
    },
    Way {
        name: "\\x escapes",
        is_named: false,
        to: |it| each(it, |out, byte| write!(out, "\\x{byte:02x}")),
    },
    Way {
        name: "base64",
        is_named: false,
        to: base64,
    },
    Way {
        name: "two strings and a plus",
        is_named: false,
        to: |it| format!("\"{}\"", halves(it, "\" + \"")),
    },
    Way {
        name: "two strings side by side",
        is_named: false,
        to: |it| format!("'{}'", halves(it, "' '")),
    },
    Way {
        name: "a space in the middle",
        is_named: false,
        to: |it| halves(it, " "),
    },
    Way {
        name: "a space every fourth letter",
        is_named: false,
        to: |it| every_fourth(it, " "),
    },
];

/// The text with its secret written in this way, if the secret stands in it and is of one line.
pub(crate) fn disguised(text: &str, secret: &str, way: &Way) -> Option<String> {
    let is_whole = !secret.is_empty() && !secret.contains(['\n', '\r']) && text.contains(secret);
    is_whole.then(|| text.replacen(secret, &(way.to)(secret), 1))
}

fn halves(secret: &str, between: &str) -> String {
    let letters: Vec<char> = secret.chars().collect();
    let (head, tail) = letters.split_at(letters.len() / 2);
    head.iter()
        .chain(&between.chars().collect::<Vec<_>>())
        .chain(tail)
        .collect()
}

fn every_fourth(secret: &str, between: &str) -> String {
    let letters: Vec<char> = secret.chars().collect();
    letters
        .chunks(4)
        .map(|it| it.iter().collect::<String>())
        .collect::<Vec<_>>()
        .join(between)
}

fn wide(secret: &str) -> String {
    let widened = |c: char| match c {
        '!'..='~' => char::from_u32(u32::from(c) + 0xFEE0).unwrap_or(c),
        _ => c,
    };
    secret.chars().map(widened).collect()
}

fn each(secret: &str, write: fn(&mut String, u8) -> std::fmt::Result) -> String {
    let mut out = String::new();
    for byte in secret.bytes() {
        let _ = write(&mut out, byte);
    }
    out
}

fn base64(secret: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in secret.as_bytes().chunks(3) {
        let bits = group
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0_usize, |bits, &byte| bits << 8 | usize::from(byte));
        for at in 0..4 {
            let letter = LETTERS[bits >> (18 - 6 * at) & 63];
            out.push(if at <= group.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_what_it_says() {
        let check = |name: &str, expected: &str| {
            let way = WAYS.iter().find(|it| it.name == name).unwrap();
            assert_eq!(
                disguised("x Ab1_ y", "Ab1_", way).unwrap(),
                format!("x {expected} y"),
                "{name}"
            );
        };
        check("zero-width space in the middle", "Ab\u{200b}1_");
        check("full-width letters", "Ａｂ１＿");
        check("percent-encoded", "%41%62%31%5F");
        check("\\u escapes", "\\u0041\\u0062\\u0031\\u005f");
        check("base64", "QWIxXw==");
        check("two strings and a plus", "\"Ab\" + \"1_\"");
    }
}
