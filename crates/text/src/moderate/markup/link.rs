//! Markdown links and images: `[text](address)`, `![text](address)`, `![text][name]`, `[name]: address`.

use super::super::delimiter::starts_with_caseless;
use super::address::{
    decode_attribute_value, defang_address, is_exfiltrating_address, is_remote_address,
};

/// A link as it stands in a text, from its bracket on.
pub(super) struct MarkdownLink<'a> {
    /// How many bytes it takes.
    pub len: usize,
    text: &'a str,
    address: &'a str,
    is_image: bool,
    form: MarkdownLinkForm,
}

#[derive(PartialEq)]
enum MarkdownLinkForm {
    Inline,
    Reference,
    Definition,
}

/// The longest text and address that are taken for a link, and how deep brackets may be nested in them.
const LONGEST: usize = 2_048;
const DEEPEST: usize = 4;

/// The link that a text begins with.
pub(super) fn parse_markdown_link(text: &str, is_image: bool) -> Option<MarkdownLink<'_>> {
    let inner = text.strip_prefix('[')?;
    let close = find_closing_bracket(inner, b'[', b']')?;
    let (label, rest) = (&inner[..close], &inner[close + 1..]);
    let len = text.len() - rest.len();
    let (len, address, form) = match rest.as_bytes() {
        [b'(', ..] => {
            let end = find_closing_bracket(&rest[1..], b'(', b')')?;
            (
                len + end + 2,
                rest[1..=end].trim(),
                MarkdownLinkForm::Inline,
            )
        }
        [b'[', ..] if is_image => {
            let end = rest.find(']')?;
            (len + end + 1, &rest[1..end], MarkdownLinkForm::Reference)
        }
        [b':', b' ', ..] => {
            let line = take_link_line(&rest[2..]);
            (len + 2 + line.len(), line, MarkdownLinkForm::Definition)
        }
        _ => return None,
    };
    Some(MarkdownLink {
        len,
        text: label,
        address,
        is_image,
        form,
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

impl MarkdownLink<'_> {
    /// Whether it would carry something out, or load something from elsewhere by being looked at.
    pub(super) fn is_harmful(&self) -> bool {
        let target = self.address.trim_start_matches('<');
        let first = target.split_whitespace().next().unwrap_or("");
        match self.form {
            MarkdownLinkForm::Reference => true,
            MarkdownLinkForm::Inline if self.is_image => {
                is_remote_address(&decode_attribute_value(first))
            }
            MarkdownLinkForm::Definition => {
                self.has_event_handler() || is_exfiltrating_address(first)
            }
            MarkdownLinkForm::Inline => self.has_event_handler() || is_exfiltrating_address(target),
        }
    }

    /// Whether its title is a handler of events.
    fn has_event_handler(&self) -> bool {
        let title = self.address.split_once(['"', '\'']);
        let Some((name, _)) = title.and_then(|(_, title)| title.split_once('=')) else {
            return false;
        };
        let name = name.trim();
        name.len() > 3 && starts_with_caseless(name, "on")
    }

    /// Its text, and where it led.
    pub(super) fn to_defanged_text(&self) -> String {
        let (text, address) = (self.text, defang_address(self.address));
        match self.form {
            MarkdownLinkForm::Inline => format!("{text} ({address})"),
            MarkdownLinkForm::Reference => format!("{text} [{}]", self.address),
            MarkdownLinkForm::Definition => format!("{text}: {address}"),
        }
    }
}
