//! The first line of an item, and where the item ends.

use apostille_text::word_lists::WordList;

use crate::{citation::ItemKind, file_lines::count_as_u32};

/// How a file shows what belongs to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// By brackets.
    Braces,
    /// By indentation, with or without an `end`.
    Indent,
    /// By headings of a document.
    Headings,
    /// By sections and keys.
    Settings,
}

/// The family that decides which words begin an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Rust,
    Go,
    Script,
    C,
    Python,
    Ruby,
    Markdown,
    Toml,
    Keys,
    Make,
    Unknown,
}

/// The first line of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: ItemKind,
    pub name: String,
    /// The column of the name.
    pub column: usize,
    /// The row that the item begins with: a return type may stand on a line of its own.
    pub start_row: u32,
    /// What the item belongs to although it does not stand in it: the type of a Go method.
    pub scope: Option<String>,
    /// Whether it is a block of a type's methods.
    pub is_block: bool,
}

/// Reads headers in the manner of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeaderReader {
    family: Family,
}

/// How many words and signs most lines have at most.
const TOKENS: usize = 24;
/// The longest item, in rows.
const MAX_ROWS: usize = 6_000;

static MODIFIERS: WordList = WordList::new(
    "pub export default declare abstract async static public private protected final override virtual inline \
    unsafe extern readonly internal open data sealed suspend constexpr explicit friend mutable synchronized native transient \
    volatile partial lateinit inner operator infix tailrec noexcept __extension__ get set accessor",
);
static C_MODIFIERS: WordList = WordList::new("const static register typedef");
static INDENTED_MODIFIERS: WordList = WordList::new("async local private public");
static FUNCTIONS: WordList = WordList::new("fn func function fun def sub macro_rules");
static TYPES: WordList = WordList::new(
    "struct class enum union trait interface protocol object record namespace mod module type extension impl",
);
static VALUES: WordList = WordList::new("const static let var val");
static NOT_NAMES: WordList = WordList::new(
    "if for while switch return else catch do case sizeof match loop in of new delete throw await yield typeof \
    instanceof assert goto break continue import from use package using try finally with not and or defer go select elif except \
    raise lambda print super this self require where as is unless until begin rescue ensure then when",
);

/// A word or a sign of a line, with its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    column: usize,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        self.text
            .starts_with(|it: char| it.is_alphabetic() || it == '_' || it == '$')
    }
}

/// The words and signs of a masked line.
fn split_tokens(mask: &[u8]) -> Vec<Token<'_>> {
    let Ok(text) = std::str::from_utf8(mask) else {
        return Vec::new();
    };
    let mut tokens = Vec::with_capacity(TOKENS);
    let mut at = 0;
    while let Some(first) = mask.get(at) {
        let len = count_word_bytes(&text[at..]);
        let len = match len {
            0 if first.is_ascii() => 1,
            0 => text[at..].chars().next().map_or(1, char::len_utf8),
            _ => len,
        };
        let (text, column) = (&text[at..at + len], at);
        if !text.starts_with(char::is_whitespace) {
            tokens.push(Token { text, column });
        }
        at += len;
    }
    tokens
}

/// How many bytes the word has that a text begins with. Most words are plain, and are not decoded.
fn count_word_bytes(text: &str) -> usize {
    let is_plain = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$');
    let plain = text.bytes().take_while(is_plain).count();
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    text.find(|it| !is_word(it)).unwrap_or(text.len())
}

impl HeaderReader {
    /// The reader for a file of this name.
    pub(super) fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        let family = match extension.as_str() {
            "rs" => Family::Rust,
            "go" => Family::Go,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte"
            | "kt" | "kts" | "swift" | "scala" | "zig" | "dart" | "php" => Family::Script,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "java" | "cs"
            | "groovy" | "proto" => Family::C,
            "py" | "pyi" => Family::Python,
            "rb" | "ex" | "exs" | "lua" | "jl" | "sh" | "bash" | "zsh" => Family::Ruby,
            "md" | "mdx" | "markdown" => Family::Markdown,
            "toml" | "ini" | "cfg" | "conf" | "editorconfig" => Family::Toml,
            "yml" | "yaml" | "json" | "jsonc" | "json5" => Family::Keys,
            "mk" | "makefile" | "justfile" => Family::Make,
            _ => Family::Unknown,
        };
        Self { family }
    }

    pub(super) fn layout(&self) -> Layout {
        match self.family {
            Family::Rust | Family::Go | Family::Script | Family::C => Layout::Braces,
            Family::Python | Family::Ruby | Family::Make | Family::Keys => Layout::Indent,
            Family::Markdown | Family::Unknown => Layout::Headings,
            Family::Toml => Layout::Settings,
        }
    }

    /// The header that a row is, in a container of this kind.
    pub(super) fn read_header(
        &self,
        masks: &[Vec<u8>],
        lines: &[&[u8]],
        row: u32,
        container: Option<ItemKind>,
    ) -> Option<Header> {
        let (mask, line) = (&masks[row as usize], lines[row as usize]);
        match self.family {
            Family::Unknown => None,
            Family::Markdown => read_heading(line, row),
            Family::Toml => read_setting(line, row),
            Family::Keys => read_key(line, row),
            Family::Make => read_make_target(line, row),
            Family::Python | Family::Ruby => self.read_indented(mask, row, container),
            _ => self.read_braced(masks, row, container),
        }
    }

    fn read_indented(&self, mask: &[u8], row: u32, container: Option<ItemKind>) -> Option<Header> {
        let tokens = split_tokens(mask);
        let tokens = skip_modifiers(&tokens, &INDENTED_MODIFIERS);
        let first = tokens.first()?;
        let named = |kind: ItemKind, at: usize| {
            let name = tokens.get(at).filter(|it| it.is_name())?;
            Some(new_header(kind, name, row))
        };
        match first.text {
            "def" | "defp" | "function" | "macro" => {
                // Ruby's `def self.name`.
                let at = if tokens.get(2).is_some_and(|it| it.text == ".") {
                    3
                } else {
                    1
                };
                named(ItemKind::Function, at)
            }
            "class" | "module" | "defmodule" | "struct" => named(ItemKind::Type, 1),
            _ if tokens.get(1).is_some_and(|it| it.text == "(")
                && tokens.get(2).is_some_and(|it| it.text == ")")
                && self.family == Family::Ruby
                && tokens.last().is_some_and(|it| it.text == "{") =>
            {
                named(ItemKind::Function, 0)
            }
            _ if container == Some(ItemKind::Function) => None,
            name if first.is_name() && !NOT_NAMES.contains(name) => {
                let is_assignment = match tokens.get(1).map(|it| it.text) {
                    Some("=") => tokens.get(2).is_none_or(|it| it.text != "="),
                    Some(":") => self.family == Family::Python && tokens.len() > 2,
                    _ => false,
                };
                is_assignment.then(|| new_header(ItemKind::Value, first, row))
            }
            _ => None,
        }
    }

    fn read_braced(
        &self,
        masks: &[Vec<u8>],
        row: u32,
        container: Option<ItemKind>,
    ) -> Option<Header> {
        let all = split_tokens(&masks[row as usize]);
        if let [hash, define, name, ..] = &all[..]
            && hash.text == "#"
            && define.text == "define"
        {
            return Some(new_header(ItemKind::Value, name, row));
        }
        let mut tokens = skip_modifiers(&all, &MODIFIERS);
        if self.family == Family::C || is_const_before_keyword(tokens) {
            tokens = skip_modifiers(tokens, &C_MODIFIERS);
        }
        let first = tokens.first()?;
        if FUNCTIONS.contains(first.text) {
            return read_function(tokens, row);
        }
        if TYPES.contains(first.text)
            && let Some(header) = read_type(tokens, row)
        {
            return Some(header);
        }
        if self.family != Family::C && VALUES.contains(first.text) {
            let name = tokens[1..]
                .iter()
                .find(|it| !matches!(it.text, "mut" | "ref"))?;
            // Inside a function, only what is written as a constant or is a function itself can be told from a local.
            let is_constant = !name.text.contains(char::is_lowercase);
            let is_local =
                container == Some(ItemKind::Function) && !is_constant && !is_function_value(tokens);
            return (name.is_name() && !is_local).then(|| new_header(ItemKind::Value, name, row));
        }
        if container == Some(ItemKind::Function) || first.text == "#" || first.text == "@" {
            return None;
        }
        self.read_bare_function(masks, row, tokens)
            .or_else(|| self.read_bare_value(tokens, row, container))
    }

    /// A function without a keyword: `static jv f_keys(jq_state *jq, jv a) {`, `  bind(address) {`.
    fn read_bare_function(&self, masks: &[Vec<u8>], row: u32, tokens: &[Token]) -> Option<Header> {
        if !matches!(self.family, Family::C | Family::Script) {
            return None;
        }
        let open = tokens.iter().position(|it| it.text == "(")?;
        let name = tokens.get(open.checked_sub(1)?)?;
        let is_plain = |it: &Token| {
            it.is_name()
                || matches!(
                    it.text,
                    "*" | "&" | "<" | ">" | ":" | "," | "[" | "]" | "." | "?" | "~" | "#"
                )
        };
        let is_header = name.is_name()
            && !NOT_NAMES.contains(name.text)
            && tokens[..open].iter().all(is_plain)
            && !tokens[..open].iter().any(|it| NOT_NAMES.contains(it.text));
        if !is_header || !has_body_behind(masks, row, tokens[open].column) {
            return None;
        }
        let mut header = new_header(ItemKind::Function, name, row);
        if open == 1 && self.family == Family::C && row > 0 {
            header.start_row = row - u32::from(is_type_line(&masks[row as usize - 1]));
        }
        if open >= 4 && tokens[open - 2].text == ":" && tokens[open - 3].text == ":" {
            header.scope = Some(tokens[open - 4].text.to_owned());
        }
        Some(header)
    }

    /// A value without a keyword: a field, a member, a setting of an object.
    fn read_bare_value(
        &self,
        tokens: &[Token],
        row: u32,
        container: Option<ItemKind>,
    ) -> Option<Header> {
        if self.family == Family::Go && container == Some(ItemKind::Type) {
            return read_go_field(tokens, row);
        }
        let stop = tokens
            .iter()
            .position(|it| matches!(it.text, "=" | "(" | ":" | "{" | ";" | ","))?;
        let in_type = container == Some(ItemKind::Type);
        let name = match (self.family, tokens[stop].text) {
            (Family::C, "=" | ";") if tokens.len() > 2 => {
                let before = tokens[..stop].iter().rev();
                before.clone().find(|it| it.is_name())
            }
            (Family::Script | Family::Rust, ":") if is_key(&tokens[..stop]) && in_type => {
                tokens.first()
            }
            (_, "=" | ",") if stop == 1 => tokens.first(),
            _ => None,
        };
        let is_fit = |it: &&Token| it.is_name() && !NOT_NAMES.contains(it.text);
        let is_place = in_type || container.is_none();
        let name = name.filter(is_fit).filter(|_| is_place)?;
        let is_comparison = tokens.get(stop + 1).is_some_and(|it| it.text == "=");
        (!is_comparison).then(|| new_header(ItemKind::Value, name, row))
    }
}

/// A field of a struct, or a method of an interface: `Name Type`, `Name(args)`. What is embedded has no name of its own.
fn read_go_field(tokens: &[Token], row: u32) -> Option<Header> {
    let [name, next, ..] = tokens else {
        return None;
    };
    let is_field = next.is_name() || matches!(next.text, "*" | "[" | "(" | "," | "<");
    (name.is_name() && is_field).then(|| new_header(ItemKind::Value, name, row))
}

/// A name, or a name that may be left out: `name`, `name?`.
fn is_key(tokens: &[Token]) -> bool {
    tokens.len() == 1 || tokens.len() == 2 && matches!(tokens[1].text, "?" | "!")
}

fn new_header(kind: ItemKind, name: &Token, row: u32) -> Header {
    Header {
        kind,
        name: name.text.to_owned(),
        column: name.column,
        start_row: row,
        scope: None,
        is_block: false,
    }
}

fn skip_modifiers<'t, 'a>(tokens: &'t [Token<'a>], modifiers: &WordList) -> &'t [Token<'a>] {
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let is_followed = rest
            .get(1)
            .is_some_and(|it| it.is_name() || it.text == "(" || it.text == "\"");
        if !is_followed || !modifiers.contains(first.text) {
            break;
        }
        rest = &rest[1..];
        if first.text == "pub" && rest.first().is_some_and(|it| it.text == "(") {
            let close = rest
                .iter()
                .position(|it| it.text == ")")
                .map_or(0, |it| it + 1);
            rest = &rest[close..];
        }
        while rest.first().is_some_and(|it| it.text == "\"") {
            rest = &rest[1..];
        }
    }
    rest
}

/// `const enum`, `const fn`: here `const` is no value.
fn is_const_before_keyword(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|it| it.text == "const")
        && tokens
            .get(1)
            .is_some_and(|it| matches!(it.text, "enum" | "fn" | "unsafe" | "async" | "extern"))
}

/// `const name = (…) =>`, `let name = function`.
fn is_function_value(tokens: &[Token]) -> bool {
    tokens
        .windows(2)
        .any(|it| it[0].text == "=" && it[1].text == ">")
        || tokens.iter().skip(2).any(|it| it.text == "function")
}

fn read_function(tokens: &[Token], row: u32) -> Option<Header> {
    let mut at = 1;
    let mut scope = None;
    if tokens[0].text == "func" && tokens.get(1).is_some_and(|it| it.text == "(") {
        let close = tokens.iter().position(|it| it.text == ")")?;
        let names: Vec<&Token> = tokens[2..close].iter().filter(|it| it.is_name()).collect();
        scope = names.get(1).or(names.first()).map(|it| it.text.to_owned());
        at = close + 1;
    }
    while tokens
        .get(at)
        .is_some_and(|it| matches!(it.text, "*" | "!"))
    {
        at += 1;
    }
    // Kotlin's `fun Type.name(`, and generics before the name.
    if tokens.get(at).is_some_and(|it| it.text == "<") {
        at += tokens[at..].iter().position(|it| it.text == ">")? + 1;
    }
    let mut name = tokens.get(at).filter(|it| it.is_name())?;
    while tokens.get(at + 1).is_some_and(|it| it.text == ".")
        && let Some(next) = tokens.get(at + 2).filter(|it| it.is_name())
    {
        scope = Some(name.text.to_owned());
        (name, at) = (next, at + 2);
    }
    let mut header = new_header(ItemKind::Function, name, row);
    header.scope = scope;
    Some(header)
}

fn read_type(tokens: &[Token], row: u32) -> Option<Header> {
    if tokens[0].text == "impl" {
        return read_impl(tokens, row);
    }
    let at = 1 + usize::from(
        tokens[0].text == "enum" && tokens.get(1).is_some_and(|it| it.text == "class"),
    );
    let name = tokens
        .get(at)
        .filter(|it| it.is_name() && !NOT_NAMES.contains(it.text))?;
    let is_header = tokens.get(at + 1).is_none_or(|next| {
        matches!(next.text, "{" | ":" | "<" | "(" | ";" | "=" | "[")
            || next.is_name() && tokens[0].text != "struct" && tokens[0].text != "union"
    });
    is_header.then(|| new_header(ItemKind::Type, name, row))
}

/// `impl<T> Display for Server<T>`: the methods of `Server`.
fn read_impl(tokens: &[Token], row: u32) -> Option<Header> {
    let mut depth = 0_i32;
    let mut outside = Vec::new();
    for token in &tokens[1..] {
        match token.text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "{" | "where" => break,
            _ if depth <= 0 => outside.push(token),
            _ => {}
        }
    }
    let from = outside
        .iter()
        .position(|it| it.text == "for")
        .map_or(0, |it| it + 1);
    let name = outside[from..].iter().rev().find(|it| it.is_name())?;
    Some(Header {
        is_block: true,
        ..new_header(ItemKind::Type, name, row)
    })
}

/// Whether what opens here closes, and a body follows.
fn has_body_behind(masks: &[Vec<u8>], row: u32, column: usize) -> bool {
    let mut depth = 0_i32;
    let mut from = column;
    let mut is_behind = false;
    for mask in masks.iter().skip(row as usize).take(60) {
        for byte in &mask[from.min(mask.len())..] {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b'{' if depth == 0 => return is_behind,
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b';' | b'=' | b',' | b'.' | b'+' | b'?' if depth == 0 && is_behind => return false,
                _ => {}
            }
            is_behind |= depth == 0;
            if depth < 0 {
                return false;
            }
        }
        from = 0;
    }
    false
}

/// Whether a line is a return type and nothing else.
fn is_type_line(mask: &[u8]) -> bool {
    let tokens = split_tokens(mask);
    !tokens.is_empty()
        && tokens.iter().all(|it| it.is_name() || it.text == "*")
        && !tokens.iter().any(|it| NOT_NAMES.contains(it.text))
}

fn read_heading(line: &[u8], row: u32) -> Option<Header> {
    let level = line.iter().take_while(|it| **it == b'#').count();
    let text = String::from_utf8_lossy(line.get(level..)?);
    let name = text.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&level) && text.starts_with(' ') && !name.is_empty()).then(|| Header {
        kind: ItemKind::Section,
        name: name.to_owned(),
        column: level + 1,
        start_row: row,
        scope: None,
        is_block: false,
    })
}

fn read_setting(line: &[u8], row: u32) -> Option<Header> {
    let text = String::from_utf8_lossy(line);
    let bare = text.trim_start();
    let column = text.len() - bare.len();
    let (kind, name) = if bare.starts_with('[') {
        (
            ItemKind::Section,
            bare.trim_start_matches('[').split(']').next()?,
        )
    } else {
        (ItemKind::Value, bare.split_once('=')?.0)
    };
    let name = name.trim().trim_matches(['"', '\'']);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|it| it.is_alphanumeric() || "_-.:@/ \"'*".contains(it));
    is_name.then(|| Header {
        kind,
        name: name.to_owned(),
        column,
        start_row: row,
        scope: None,
        is_block: false,
    })
}

fn read_key(line: &[u8], row: u32) -> Option<Header> {
    let text = String::from_utf8_lossy(line);
    let bare = text.trim_start().trim_start_matches("- ");
    let column = text.len() - bare.len();
    let (name, rest) = match bare.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => bare
            .split_once(':')
            .map(|(name, _)| (name, &bare[name.len()..]))?,
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|it| it.is_alphanumeric() || "_-./@$:*".contains(it));
    (is_name && rest.trim_start().starts_with(':')).then(|| Header {
        kind: ItemKind::Value,
        name: name.to_owned(),
        column,
        start_row: row,
        scope: None,
        is_block: false,
    })
}

fn read_make_target(line: &[u8], row: u32) -> Option<Header> {
    let text = String::from_utf8_lossy(line);
    if text.starts_with(char::is_whitespace) || text.starts_with('#') {
        return None;
    }
    let at = text.find([':', '='])?;
    let name = text[..at].trim_end_matches(['?', '+', ':']).trim();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|it| it.is_alphanumeric() || "_-./%".contains(it));
    is_name.then(|| Header {
        kind: ItemKind::Value,
        name: name.to_owned(),
        column: 0,
        start_row: row,
        scope: None,
        is_block: false,
    })
}

/// What the brackets of a line come to.
pub(super) struct LineBrackets {
    /// By how much the depth differs behind it.
    change: i32,
    /// How far the depth falls within it; 0 where it does not.
    lowest: i32,
}

impl LineBrackets {
    pub(super) fn count(mask: &[u8]) -> Self {
        let (mut change, mut lowest) = (0, 0);
        for byte in mask {
            match byte {
                b'(' | b'[' | b'{' => change += 1,
                b')' | b']' | b'}' => {
                    change -= 1;
                    lowest = lowest.min(change);
                }
                _ => {}
            }
        }
        Self { change, lowest }
    }
}

/// The row behind the last one of an item in a language with brackets.
///
/// A line stands in several items, and each looks for its end. Where no bracket of the line can close the item, what its
/// brackets come to is enough, and its bytes are not read again.
pub(super) fn find_bracket_end(
    masks: &[Vec<u8>],
    brackets: &[LineBrackets],
    row: u32,
    header: &Header,
) -> u32 {
    let has_body = matches!(header.kind, ItemKind::Function | ItemKind::Type);
    let is_macro = masks[row as usize].trim_ascii_start().starts_with(b"#");
    let mut depth = 0_i32;
    let mut in_body = false;
    let mut has_value = false;
    let mut from = header.column;
    for (at, mask) in masks.iter().enumerate().skip(row as usize).take(MAX_ROWS) {
        let line = &brackets[at];
        if depth + line.lowest > 0 {
            depth += line.change;
            continue;
        }
        let next = count_as_u32(at + 1);
        for byte in &mask[from.min(mask.len())..] {
            match byte {
                b'{' if depth == 0 && has_body && !has_value => {
                    in_body = true;
                    depth += 1;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b'=' if depth == 0 => has_value = true,
                b';' if depth == 0 => return next,
                b',' if depth == 0 && !has_body => return next,
                _ => {}
            }
            if depth < 0 {
                return next.max(row + 1);
            }
            if in_body && depth == 0 {
                return next;
            }
        }
        from = 0;
        if depth == 0 && !is_continued(mask, masks.get(at + 1), is_macro) {
            return next;
        }
    }
    row + 1
}

/// Whether a statement goes on after this line although no bracket is open.
fn is_continued(mask: &[u8], next: Option<&Vec<u8>>, is_macro: bool) -> bool {
    let mask = mask.trim_ascii_end();
    if is_macro {
        return mask.ends_with(b"\\");
    }
    let ends = mask.is_empty()
        || mask
            .last()
            .is_some_and(|it| b"=+-*/&|<>?:\\.,(".contains(it));
    let next = next.map_or(&b""[..], |it| it.trim_ascii());
    let begins = next.first().is_some_and(|it| b"{.?:|&+=".contains(it))
        || next.starts_with(b"where")
        || next.starts_with(b"->");
    ends || begins
}

fn count_indent(line: &[u8]) -> usize {
    line.iter()
        .take_while(|it| it.is_ascii_whitespace())
        .count()
}

/// The row behind the last one of an item that is told by its indentation.
pub(super) fn find_indent_end(
    masks: &[Vec<u8>],
    lines: &[&[u8]],
    row: u32,
    header: &Header,
) -> u32 {
    let start = row as usize;
    let own = count_indent(lines[start]);
    let mut depth = 0_i32;
    let mut last = start;
    for at in start..lines.len().min(start + MAX_ROWS) {
        let bare = masks[at].trim_ascii();
        let closes = bare.first().is_some_and(|it| b")]}".contains(it)) || bare == b"end";
        if at > start && depth <= 0 && !bare.is_empty() && count_indent(lines[at]) <= own && !closes
        {
            break;
        }
        for byte in &masks[at] {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        if !lines[at].trim_ascii().is_empty() {
            last = at;
        }
        let is_statement = header.kind == ItemKind::Value && depth <= 0 && !bare.is_empty();
        let goes_on = lines
            .get(at + 1)
            .is_some_and(|it| count_indent(it) > own && !it.trim_ascii().is_empty());
        if is_statement && !goes_on {
            break;
        }
    }
    count_as_u32(last + 1)
}

/// The row behind a section of a document.
pub(super) fn find_heading_end(lines: &[&[u8]], row: u32) -> u32 {
    let level = |line: &[u8]| line.iter().take_while(|it| **it == b'#').count();
    let own = level(lines[row as usize]);
    let behind = lines.iter().enumerate().skip(row as usize + 1);
    let next = behind
        .filter(|(_, it)| (1..=own).contains(&level(it)) && it.get(level(it)) == Some(&b' '))
        .map(|it| it.0)
        .next();
    count_as_u32(next.unwrap_or(lines.len()))
}

/// The row behind a section or a key of a settings file.
pub(super) fn find_setting_end(
    masks: &[Vec<u8>],
    lines: &[&[u8]],
    row: u32,
    header: &Header,
) -> u32 {
    let start = row as usize;
    if header.kind == ItemKind::Section {
        let behind = lines.iter().enumerate().skip(start + 1);
        let next = behind.filter(|(_, it)| {
            it.trim_ascii_start().starts_with(b"[") && it.trim_ascii_end().ends_with(b"]")
        });
        return count_as_u32(next.map(|it| it.0).next().unwrap_or(lines.len()));
    }
    let mut depth = 0_i32;
    for (at, mask) in masks.iter().enumerate().skip(start).take(MAX_ROWS) {
        for byte in mask {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 {
            return count_as_u32(at + 1);
        }
    }
    row + 1
}
