//! Code with its comments and the insides of its strings blanked out, byte for byte in place, so that brackets, commas and
//! keywords can be read without mistaking text for code.

use apostille_text::word_lists::is_in_word_list;

use crate::comments::CommentSyntax;

/// What a scanner is inside of at the end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MaskState {
    Code,
    BlockComment,
    /// A string that may span lines, until this text.
    LongString(Vec<u8>),
}

/// Which strings a language has beyond `"…"`.
#[derive(Debug, Clone, Copy, Default)]
struct StringSyntax {
    /// `'…'` is a string and not a single character or a lifetime.
    has_single_quotes: bool,
    /// `` `…` `` spans lines.
    has_backticks: bool,
    /// `"""…"""` and `'''…'''` span lines.
    has_triple_quotes: bool,
    /// `r#"…"#`, and `"…"` spans lines.
    is_rust: bool,
}

impl StringSyntax {
    fn from_extension(extension: &str) -> Self {
        let is_in = |list: &str| is_in_word_list(list, extension);
        Self {
            has_single_quotes: is_in(
                "py pyi rb sh bash js jsx mjs cjs ts tsx mts cts vue svelte php lua toml yml yaml",
            ),
            has_backticks: is_in("go js jsx mjs cjs ts tsx mts cts vue svelte"),
            has_triple_quotes: is_in("py pyi toml kt kts java swift scala ex exs"),
            is_rust: extension == "rs",
        }
    }
}

/// The bytes that a comment or a string may open with. All others are code, which most of a file is.
struct Openers([bool; 256]);

impl Openers {
    fn new(comments: CommentSyntax, strings: StringSyntax) -> Self {
        let mut openers = [false; 256];
        let marks = comments.line_starts().iter().copied();
        let marks = marks.chain(comments.block_marks().map(|it| it.0));
        let marks = marks.filter_map(|it| it.bytes().next());
        let quotes = b"\"'`".iter().copied();
        for it in marks.chain(quotes).chain(strings.is_rust.then_some(b'r')) {
            openers[usize::from(it)] = true;
        }
        Self(openers)
    }

    /// How much of a line is code before something may open.
    fn count_code(&self, rest: &[u8]) -> usize {
        let opener = rest.iter().position(|it| self.0[usize::from(*it)]);
        opener.unwrap_or(rest.len())
    }
}

/// The lines of a file of this name with comments and the insides of strings as blanks.
pub(super) fn mask_lines(path: &str, lines: &[&[u8]]) -> Vec<Vec<u8>> {
    let comments = CommentSyntax::from_path(path);
    let extension = path.rsplit('.').next().unwrap_or_default();
    let strings = StringSyntax::from_extension(extension);
    let openers = Openers::new(comments, strings);
    let mut state = MaskState::Code;
    lines
        .iter()
        .map(|line| mask_line(line, comments, strings, &openers, &mut state))
        .collect()
}

fn mask_line(
    line: &[u8],
    comments: CommentSyntax,
    strings: StringSyntax,
    openers: &Openers,
    state: &mut MaskState,
) -> Vec<u8> {
    let mut mask = Vec::with_capacity(line.len());
    while mask.len() < line.len() {
        let rest = &line[mask.len()..];
        if *state == MaskState::Code {
            let n_code = openers.count_code(rest);
            mask.extend_from_slice(&rest[..n_code]);
            if n_code == rest.len() {
                break;
            }
        }
        let rest = &line[mask.len()..];
        let n = match state {
            MaskState::BlockComment => {
                let end = comments.block_marks().map_or("", |it| it.1).as_bytes();
                leave_at(rest, end, state)
            }
            MaskState::LongString(end) => {
                let end = end.clone();
                leave_at(rest, &end, state)
            }
            MaskState::Code => {
                let n_code = push_code(rest, comments, strings, state, &mut mask);
                debug_assert!(n_code > 0, "a step reads something");
                continue;
            }
        };
        mask.extend(std::iter::repeat_n(b' ', n));
    }
    mask
}

/// How much of a line belongs to what ends with this text; behind its end there is code again.
fn leave_at(rest: &[u8], end: &[u8], state: &mut MaskState) -> usize {
    let at = find_unescaped(rest, end);
    if at.is_some() {
        *state = MaskState::Code;
    }
    at.map_or(rest.len(), |at| at + end.len())
}

fn find_unescaped(rest: &[u8], end: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at + end.len() <= rest.len() && !end.is_empty() {
        if rest[at..].starts_with(end) {
            return Some(at);
        }
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    None
}

/// Reads one step of code into the mask.
fn push_code(
    rest: &[u8],
    comments: CommentSyntax,
    strings: StringSyntax,
    state: &mut MaskState,
    mask: &mut Vec<u8>,
) -> usize {
    let mut blank = |n: usize| {
        mask.extend(std::iter::repeat_n(b' ', n));
        n
    };
    if comments
        .line_starts()
        .iter()
        .any(|it| rest.starts_with(it.as_bytes()))
    {
        return blank(rest.len());
    }
    if let Some((open, _)) = comments.block_marks()
        && rest.starts_with(open.as_bytes())
    {
        *state = MaskState::BlockComment;
        return blank(open.len());
    }
    if let Some((open, close)) = find_long_string(rest, strings) {
        *state = MaskState::LongString(close);
        return blank(open);
    }
    match find_short_string(rest, strings) {
        Some(len) => {
            mask.push(b'"');
            mask.extend(std::iter::repeat_n(b' ', len.saturating_sub(2)));
            mask.push(b'"');
            len
        }
        None => {
            mask.push(rest[0]);
            1
        }
    }
}

/// How a string opens here that may span lines, and how it closes.
fn find_long_string(rest: &[u8], strings: StringSyntax) -> Option<(usize, Vec<u8>)> {
    let triple = [&b"\"\"\""[..], b"'''"]
        .into_iter()
        .find(|it| strings.has_triple_quotes && rest.starts_with(it));
    if let Some(quotes) = triple {
        return Some((3, quotes.to_vec()));
    }
    if strings.has_backticks && rest[0] == b'`' {
        return Some((1, b"`".to_vec()));
    }
    if strings.is_rust && rest[0] == b'r' {
        let hashes = rest[1..].iter().take_while(|it| **it == b'#').count();
        if rest.get(1 + hashes) == Some(&b'"') {
            let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
            return Some((2 + hashes, close));
        }
    }
    let spans = strings.is_rust && rest[0] == b'"' && find_unescaped(&rest[1..], b"\"").is_none();
    spans.then(|| (1, b"\"".to_vec()))
}

/// How long the string or character is that opens here and closes on this line, both quotes counted.
fn find_short_string(rest: &[u8], strings: StringSyntax) -> Option<usize> {
    match rest[0] {
        b'"' => find_unescaped(&rest[1..], b"\"").map(|it| it + 2),
        b'\'' if strings.has_single_quotes => find_unescaped(&rest[1..], b"'").map(|it| it + 2),
        // A character; a lifetime has no quote behind it.
        b'\'' => {
            let len = find_unescaped(&rest[1..], b"'")?;
            (len <= 4 && len > 0).then_some(len + 2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_in_place() {
        let check = |path: &str, text: &str, expected: &str| {
            let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
            let mask = mask_lines(path, &lines).join(&b"\n"[..]);
            assert_eq!(String::from_utf8_lossy(&mask), expected, "{path}: {text}");
        };
        check("a.rs", "f(\"}\"); // }", "f(\" \");     ");
        check("a.rs", "f(r#\"{\n}\"#);", "f(    \n   );");
        check("a.rs", "fn f<'a>(c: '{') {", "fn f<'a>(c: \" \") {");
        check("a.py", "'''x {\n'''\ny = '('", "      \n   \ny = \" \"");
        check("a.go", "x := `{\n`", "x :=   \n ");
        check("a.c", "a /* {\n} */ b", "a     \n     b");
    }
}
