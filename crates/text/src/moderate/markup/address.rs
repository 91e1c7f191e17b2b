//! Addresses: which of them are programs, which lead out of the text, and which carry something with them.

use super::super::delimiter::{decode_escaped_char, starts_with_caseless};
use crate::word_lists::is_in_word_list;

/// Schemes whose addresses are run, not opened.
const PROGRAMS: [&str; 4] = ["javascript", "vbscript", "livescript", "mocha"];

/// Hosts that show badges and pictures to everyone and tell nobody else who looked.
const SHOWN: &str = "api.star-history.com app.codecov.io badge.fury.io badgen.net badges.gitter.im circleci.com codecov.io \
    colab.research.google.com contrib.rocks coveralls.io crates.io deepwiki.com deps.rs docs.rs \
    github.com gitlab.com huggingface.co img.shields.io opencollective.com pypi.org \
    raw.githubusercontent.com readthedocs.org trendshift.io user-images.githubusercontent.com";

/// Whether the colon between these two makes an address that is a program. What only names the scheme is none.
pub(super) fn is_program_address(before: &str, after: &str) -> bool {
    let ends = |name: &str| {
        let start = before.len().checked_sub(name.len());
        let tail = start.and_then(|it| before.get(it..));
        tail.is_some_and(|it| it.eq_ignore_ascii_case(name))
    };
    let is_code = after.starts_with(|c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '(' | '/' | '_' | '$' | '%' | '\\' | '&' | '[')
    });
    is_code && PROGRAMS.iter().any(|it| ends(it)) || ends("data") && is_page_data_type(after)
}

/// Whether data of this type is a page that can run something.
fn is_page_data_type(after: &str) -> bool {
    const TYPES: &str =
        "text/html text/javascript application/javascript image/svg+xml application/xhtml";
    TYPES.split(' ').any(|it| starts_with_caseless(after, it))
}

/// An attribute's value as a browser reads it: entities decoded, white space and control characters gone.
pub(super) fn decode_attribute_value(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let (c, len) = decode_escaped_char(rest).unwrap_or((c, c.len_utf8()));
        if !c.is_whitespace() && !c.is_control() {
            out.extend(c.to_lowercase());
        }
        rest = &rest[len..];
    }
    out
}

/// Whether a value, as [`decode_attribute_value`] gives it, is or holds a program.
pub(super) fn has_program_address(value: &str) -> bool {
    value.match_indices(':').any(|(at, _)| {
        let (before, after) = (&value[..at], &value[at + 1..]);
        PROGRAMS.iter().any(|it| before.ends_with(it))
            || before.ends_with("data")
                && !after.starts_with("image/png")
                && (is_page_data_type(after)
                    || at == 4 && !after.starts_with("image/") && !after.starts_with("font/"))
    })
}

/// Whether a value, as [`decode_attribute_value`] gives it, loads from elsewhere than the hosts that show pictures to everyone.
pub(super) fn is_remote_address(value: &str) -> bool {
    value.split_once("//").is_some_and(|(scheme, rest)| {
        let has_scheme = scheme.is_empty() || scheme.ends_with(':');
        let host = extract_url_authority(rest).split(':').next().unwrap_or("");
        let is_shown = is_in_word_list(SHOWN, host)
            || host.ends_with(".github.io")
            || host.ends_with(".githubusercontent.com");
        has_scheme && !is_shown
    })
}

fn extract_url_authority(rest: &str) -> &str {
    rest.split(['/', '?', '#', '\\']).next().unwrap_or("")
}

/// Whether an address leads out, and takes a name, a placeholder or data along.
pub(super) fn is_exfiltrating_address(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("//") else {
        return false;
    };
    let is_web = ["", "http:", "https:", "ftp:"]
        .iter()
        .any(|it| scheme.eq_ignore_ascii_case(it));
    let asked = rest.find(['?', '#']).map_or("", |it| &rest[it..]);
    let is_filled_in = asked.contains(['{', '<', '[', '$', '}'])
        || rest.contains("{{")
        || rest.contains("${")
        || asked.contains("%s");
    is_web
        && (extract_url_authority(rest).contains('@')
            || is_filled_in
            || asked.split(['?', '&', '=', '#', ';']).any(is_fill_in_value))
}

/// Whether a value asks to be filled in (`DATA`, `YOUR_KEY`), or is long enough to be what was taken.
fn is_fill_in_value(value: &str) -> bool {
    let has_only =
        |min: usize, is_part: fn(u8) -> bool| value.len() >= min && value.bytes().all(is_part);
    has_only(4, |it| it.is_ascii_uppercase() || it == b'_')
        || has_only(80, |it| {
            it.is_ascii_alphanumeric() || b"+/-_%".contains(&it)
        })
}

/// An address that nothing follows by itself any more.
pub(super) fn defang_address(address: &str) -> String {
    if starts_with_caseless(address, "http") {
        format!("hxxp{}", &address[4..])
    } else {
        address.replacen("//", "/ /", 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_carry_something_are_told() {
        let check = |text: &str, expected: bool| {
            assert_eq!(is_exfiltrating_address(text), expected, "{text:?}")
        };
        check("https://docs.rs/x?search=a", false);
        check(
            "https://colab.research.google.com/drive/1g-Qnx6l_ecHZi0IOw23rg0qC4TYvEvWZ?usp=sharing",
            false,
        );
        check("docs/a.md?x={y}", false);
        check("https://en.wikipedia.org/wiki/A_(b)#History", false);
        check("https://a.example/?d=DATA", true);
        check("https://a.example/?d={{summary}}", true);
        check("https://a.example/log?k=$API_KEY", true);
        check("https://b.example@a.example/", true);
    }
}
