//! Markdown links and images: `[text](address)`, `![text](address)`, `![text][name]`, `[name]: address`.

use super::super::delimiter::starts_with_caseless;
use super::address::{
    decode_attribute_value, defang_address, is_exfiltrating_address, is_remote_address,
};

/// The longest text and address that are taken for a link, and how deep brackets may be nested in them.
const LONGEST: usize = 2_048;
const DEEPEST: usize = 4;

/// The link or image that a text begins with, if it would carry something out, or load something from elsewhere by being
/// looked at: how many bytes it takes, and its text with where it led.
pub(super) fn defang_harmful_link(text: &str, is_image: bool) -> Option<(usize, String)> {
    let inner = text.strip_prefix('[')?;
    let close = find_closing_bracket(inner, b'[', b']')?;
    let (label, rest) = (&inner[..close], &inner[close + 1..]);
    let (len, shown) = match rest.as_bytes() {
        [b'(', ..] => {
            let end = find_closing_bracket(&rest[1..], b'(', b')')?;
            let address = rest[1..=end].trim();
            let target = address.trim_start_matches('<');
            let is_harmful = if is_image {
                is_remote_address(&decode_attribute_value(target.split_whitespace().next()?))
            } else {
                has_event_handler(address) || is_exfiltrating_address(target)
            };
            is_harmful.then(|| (end + 2, format!("{label} ({})", defang_address(address))))?
        }
        [b'[', ..] if is_image => {
            let end = rest.find(']')?;
            (end + 1, format!("{label} [{}]", &rest[1..end]))
        }
        [b':', b' ', ..] => {
            let address = take_link_line(&rest[2..]);
            let target = address.trim_start_matches('<').split_whitespace().next();
            let is_harmful =
                has_event_handler(address) || target.is_some_and(is_exfiltrating_address);
            is_harmful.then(|| {
                (
                    2 + address.len(),
                    format!("{label}: {}", defang_address(address)),
                )
            })?
        }
        _ => return None,
    };
    Some((text.len() - rest.len() + len, shown))
}

/// Whether the title behind an address is a handler of events.
fn has_event_handler(address: &str) -> bool {
    let title = address.split_once(['"', '\'']);
    let name = title.and_then(|(_, title)| title.split_once('='));
    name.is_some_and(|(name, _)| {
        let name = name.trim();
        name.len() > 3 && starts_with_caseless(name, "on")
    })
}

/// The line that a text begins with, or as much of it as a link may take.
fn take_link_line(text: &str) -> &str {
    let end = text.bytes().take(LONGEST).position(|it| it == b'\n');
    let end = end.unwrap_or(text.len().min(LONGEST));
    &text[..text.floor_char_boundary(end)]
}

/// Where the bracket is closed that was opened before.
fn find_closing_bracket(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            it if it == close && depth == 0 => return Some(at),
            it if it == close => depth -= 1,
            it if it == open && depth == DEEPEST => return None,
            it if it == open => depth += 1,
            _ => {}
        }
    }
    None
}
