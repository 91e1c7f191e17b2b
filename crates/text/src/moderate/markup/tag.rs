//! Tags of HTML, as a browser would read them, and what becomes of each.

use super::super::delimiter::starts_with_caseless;
use super::address::{
    decode_attribute_value, has_program_address, is_exfiltrating_address, is_remote_address,
};
use crate::word_lists::{WordSet, collect_words};

/// Elements that run, load, redirect or embed something by being there.
static ACTIVE: WordSet = WordSet::new(|| {
    collect_words(
        "applet base bgsound embed fencedframe form frame frameset iframe ilayer layer link marquee meta \
    object param plaintext script style portal",
    )
});
/// Attributes that make a browser load what they name.
static LOADING: WordSet = WordSet::new(|| {
    collect_words(
        "href xlink:href action archive background code codebase data dynsrc formaction icon lowsrc manifest poster src srcset",
    )
});
/// The longest tag that is looked at.
const LONGEST: usize = 4_096;

/// What becomes of a tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TagFate {
    /// It does nothing.
    Stays,
    /// It is code that somebody shows: its brackets become harmless ones.
    Shown,
    /// It goes.
    Goes,
    /// It goes with everything up to its end.
    GoesWithBody,
}

/// A tag at the start of a text.
pub(super) struct HtmlTag<'a> {
    /// How many bytes it takes, and how many of them up to the end of its name.
    pub len: usize,
    pub name_end: usize,
    pub name: String,
    is_end: bool,
    is_closed: bool,
    attributes: Vec<(&'a str, &'a str)>,
}

/// The tag that a text begins with, if a browser would take it for one.
pub(super) fn parse_html_tag(text: &str) -> Option<HtmlTag<'_>> {
    let slash = usize::from(text[1..].starts_with('/'));
    let inner = &text[1 + slash..];
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | ':' | '_');
    let (name, rest) = inner.split_at(inner.find(|it| !is_part(it)).unwrap_or(inner.len()));
    let is_ended = rest.is_empty() || rest.starts_with(['>', '/', ' ', '\t', '\n', '\\', '&']);
    if !is_ended || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let name_end = 1 + slash + name.len();
    let mut tag = HtmlTag {
        len: 0,
        name_end,
        name: name.to_ascii_lowercase(),
        is_end: slash == 1,
        is_closed: false,
        attributes: Vec::new(),
    };
    tag.len = name_end + tag.read_attributes(rest);
    Some(tag)
}

impl<'a> HtmlTag<'a> {
    /// Reads the attributes; gives how many bytes they and the end of the tag take.
    fn read_attributes(&mut self, text: &'a str) -> usize {
        let mut at = 0;
        while at < text.len().min(LONGEST) {
            let rest = &text[at..];
            match rest.as_bytes()[0] {
                b'>' => {
                    self.is_closed = true;
                    return at + 1;
                }
                // Another tag begins before this one ends.
                b'<' => return at,
                b' ' | b'\t' | b'\n' | b'/' | b'\\' | b'"' | b'\'' | b'`' => at += 1,
                _ => at += self.read_attribute(rest),
            }
        }
        // It never ends: at most its own line belongs to it.
        text.find('\n').map_or(text.len(), |it| it + 1)
    }

    fn read_attribute(&mut self, text: &'a str) -> usize {
        let is_end = |it: u8| it.is_ascii_whitespace() || matches!(it, b'=' | b'>' | b'/');
        let end = text.bytes().position(is_end).unwrap_or(text.len());
        let name_len = end.max(text.chars().next().map_or(1, char::len_utf8));
        let (name, rest) = text.split_at(name_len);
        let spaces = rest.len() - rest.trim_start().len();
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            self.attributes.push((name, ""));
            return name_len;
        };
        let lead = value.len() - value.trim_start().len();
        let (value, len) = parse_attribute_value(value.trim_start());
        self.attributes.push((name, value));
        name_len + spaces + 1 + lead + len
    }

    /// What becomes of it; `is_quoted` when it stands between backticks, as code does.
    pub(super) fn decide_fate(&self, is_quoted: impl Fn() -> bool) -> TagFate {
        let is_active = ACTIVE.contains(self.name.rsplit(':').next().unwrap_or(""));
        let is_bare = self.attributes.is_empty() && self.is_closed;
        if is_active && is_bare && is_quoted() {
            return TagFate::Stays;
        }
        if is_active && !self.is_end && matches!(self.name.as_str(), "script" | "style") {
            return TagFate::GoesWithBody;
        }
        if is_active {
            return TagFate::Goes;
        }
        let mut harmful = self
            .attributes
            .iter()
            .filter(|(name, value)| self.is_harmful_attribute(name, value))
            .peekable();
        if harmful.peek().is_none() {
            TagFate::Stays
        } else if harmful.all(|(_, value)| value.starts_with('{')) {
            TagFate::Shown
        } else {
            TagFate::Goes
        }
    }

    fn is_harmful_attribute(&self, name: &str, value: &str) -> bool {
        if value.is_empty() {
            return name.eq_ignore_ascii_case("srcdoc");
        }
        let name = name.to_ascii_lowercase();
        if is_event_handler_name(&name) {
            return !is_handler_reference(value);
        }
        let value_as_read = || decode_attribute_value(value);
        match name.as_str() {
            "srcdoc" => true,
            "style" => is_active_style(&value_as_read()),
            "href" | "xlink:href" if self.name == "a" => {
                let value = value_as_read();
                has_program_address(&value) || is_exfiltrating_address(&value)
            }
            name if LOADING.contains(name) => {
                let value = value_as_read();
                is_remote_address(&value) || has_program_address(&value)
            }
            _ => {
                value.contains(':') && has_program_address(&value_as_read())
                    || has_inner_event_handler(value)
            }
        }
    }

    /// What is said in place of a picture.
    pub(super) fn alt_text(&self) -> String {
        let mut attributes = self.attributes.iter();
        let alt = attributes.find(|(name, _)| name.eq_ignore_ascii_case("alt"));
        alt.map_or_else(String::new, |(_, value)| value.replace(['<', '>'], ""))
    }

    /// How many bytes of what follows belong to it, up to the tag that ends it; none when nothing does.
    pub(super) fn measure_body(&self, after: &str) -> usize {
        let mut ends = after.match_indices("</").map(|(at, _)| at);
        let start = ends.find(|at| starts_with_caseless(&after[at + 2..], &self.name));
        start.filter(|_| self.is_closed).map_or(0, |start| {
            let end = after[start..].find('>');
            end.map_or(after.len(), |it| start + it + 1)
        })
    }
}

/// A value with or without quotes, and how many bytes it takes.
fn parse_attribute_value(text: &str) -> (&str, usize) {
    if let Some(quote) = text
        .bytes()
        .next()
        .filter(|it| matches!(it, b'"' | b'\'' | b'`'))
    {
        let inner = &text[1..];
        return match inner.bytes().take(LONGEST).position(|it| it == quote) {
            Some(end) => (&inner[..end], end + 2),
            // A quote that never closes may close in what is shown behind the text: then its handler runs.
            None => (read_open_value(text), 1),
        };
    }
    let len = measure_braced_value(text)
        .or_else(|| text.find(|c: char| c.is_ascii_whitespace() || c == '>'))
        .unwrap_or(text.len());
    (&text[..len], len)
}

/// What stands behind a quote that never closes, up to the end of the line; the quote itself if nothing does.
fn read_open_value(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or(text);
    let end = text.ceil_char_boundary(LONGEST.min(line.len()));
    match &text[1..end.max(1)] {
        "" => &text[..1],
        value => value,
    }
}

/// A value in braces, as components write it, on one line.
fn measure_braced_value(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let line = text.bytes().take(LONGEST).take_while(|it| *it != b'\n');
    let end = line.enumerate().find(|(_, it)| {
        match it {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.filter(|_| text.starts_with('{')).map(|(at, _)| at + 1)
}

/// Whether an attribute is a handler of events. Filters that cut out one name leave another, so any letters do.
fn is_event_handler_name(name: &str) -> bool {
    let letters = name.strip_prefix("on").unwrap_or("").bytes();
    letters.take_while(u8::is_ascii_alphabetic).count() >= 3
}

/// Whether a value hides a handler that a broken quote would let out.
fn has_inner_event_handler(value: &str) -> bool {
    let Some((before, _)) = value.split_once("on") else {
        return false;
    };
    let handler = value[before.len()..].split_once('=');
    handler.is_some_and(|(name, _)| is_event_handler_name(name))
        && !before.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether a component's handler only names a function: that runs nothing where it is taken for a page.
fn is_handler_reference(value: &str) -> bool {
    let inner = value.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    let is_part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'$');
    inner.is_some_and(|it| it.bytes().all(is_part))
}

/// Whether a style runs or loads something. The value comes without white space.
fn is_active_style(value: &str) -> bool {
    const ACTIVE_PARTS: [&str; 4] = ["behavior:", "-moz-binding", "@import", "expr/"];
    let bare = value.replace("/*", "").replace("*/", "").replace('\\', "");
    let mut addresses = bare.split("url(").skip(1);
    ACTIVE_PARTS.iter().any(|it| bare.contains(it))
        || bare.contains("expression") && bare.contains('(')
        || has_program_address(&bare)
        || addresses.any(|it| is_remote_address(it.trim_start_matches(['"', '\''])))
}
