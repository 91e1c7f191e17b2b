//! Where the comments are, as far as one can tell without a parser for every language.

use std::collections::HashMap;
use std::sync::LazyLock;

use apostille_text::word_lists::index_words;

/// How a language writes comments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CommentSyntax {
    /// What begins a comment that ends with the line.
    line: &'static [&'static str],
    /// What encloses a comment.
    block: Option<(&'static str, &'static str)>,
}

/// The languages by the endings of their files.
const LANGUAGES: &[(&str, CommentSyntax)] = &[
    (
        "rs c h cc cpp cxx hpp hh m mm go java js jsx mjs cjs ts tsx mts cts kt kts swift scala cs dart \
        zig groovy gradle proto css scss less y l vue svelte",
        CommentSyntax {
            line: &["//"],
            block: Some(("/*", "*/")),
        },
    ),
    (
        "py pyi rb sh bash zsh fish yml yaml toml mk makefile dockerfile r pl pm ex exs cfg conf cmake \
        nix jl tcl gitignore dockerignore editorconfig env tf jq",
        CommentSyntax {
            line: &["#"],
            block: None,
        },
    ),
    (
        "lua hs elm adb ads",
        CommentSyntax {
            line: &["--"],
            block: None,
        },
    ),
    (
        "sql",
        CommentSyntax {
            line: &["--"],
            block: Some(("/*", "*/")),
        },
    ),
    (
        "php",
        CommentSyntax {
            line: &["//", "#"],
            block: Some(("/*", "*/")),
        },
    ),
    (
        "el lisp clj cljs scm asm ini",
        CommentSyntax {
            line: &[";"],
            block: None,
        },
    ),
    (
        "html htm xml svg",
        CommentSyntax {
            line: &[],
            block: Some(("<!--", "-->")),
        },
    ),
];

impl CommentSyntax {
    /// The comments of a file of this name.
    pub(crate) fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        static BY_EXTENSION: LazyLock<HashMap<&str, CommentSyntax>> =
            LazyLock::new(|| index_words(LANGUAGES));
        BY_EXTENSION.get(&*extension).copied().unwrap_or_default()
    }

    /// What begins a comment that ends with the line.
    pub(crate) fn line_starts(self) -> &'static [&'static str] {
        self.line
    }

    /// What encloses a comment.
    pub(crate) fn block_marks(self) -> Option<(&'static str, &'static str)> {
        self.block
    }

    /// Whether nothing is known of comments here: prose, or a language that is not listed.
    pub(crate) fn is_unknown(self) -> bool {
        self.line.is_empty() && self.block.is_none()
    }

    /// The lines without their comments. A block comment that began before the first line is known by its asterisks.
    pub(crate) fn strip_lines(self, lines: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut in_block = false;
        let lines = lines.iter();
        lines
            .map(|line| self.strip_line(line, &mut in_block))
            .collect()
    }

    fn strip_line(self, line: &[u8], in_block: &mut bool) -> Vec<u8> {
        let mut kept = Vec::with_capacity(line.len());
        // ` * like this`, in the middle of a block comment.
        let start = line.trim_ascii_start();
        let is_middle = start.starts_with(b"* ") || start.starts_with(b"*/") || start == b"*";
        let is_inside_block = is_middle && !*in_block && self.block.is_some_and(|it| it.0 == "/*");
        let mut rest = if is_inside_block { &[] } else { line };
        let mut quote: Option<u8> = None;
        while let Some(byte) = rest.first().copied() {
            let taken = if *in_block {
                let end = self.block.map_or("", |it| it.1).as_bytes();
                *in_block = !rest.starts_with(end);
                if *in_block { 1 } else { end.len() }
            } else if quote.is_none() && self.line.iter().any(|it| rest.starts_with(it.as_bytes()))
            {
                break;
            } else if let (None, Some((start, _))) = (quote, self.block)
                && rest.starts_with(start.as_bytes())
            {
                *in_block = true;
                start.len()
            } else {
                let is_escape = quote.is_some() && byte == b'\\';
                let n = if is_escape { rest.len().min(2) } else { 1 };
                quote = match quote {
                    None => Some(byte).filter(|it| b"\"'`".contains(it)),
                    open => open.filter(|it| *it != byte),
                };
                kept.extend(&rest[..n]);
                n
            };
            rest = &rest[taken..];
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_stripped_and_strings_are_not() {
        let check = |path: &str, text: &str, expected: &str| {
            let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
            let kept = CommentSyntax::from_path(path)
                .strip_lines(&lines)
                .join(&b"\n"[..]);
            assert_eq!(String::from_utf8_lossy(&kept), expected, "{path}: {text}");
        };
        check("a.rs", "a(); // b", "a(); ");
        check("a.rs", "a(\"//\"); // b", "a(\"//\"); ");
        check("a.rs", "a /* b\nc */ d", "a \n d");
        check("a.rs", " * in a block\n */\nx", "\n\nx");
        check("a.py", "a = '#' # b", "a = '#' ");
        check("Makefile", "a: b # c", "a: b ");
        check("a.md", "# title", "# title");
        check("a.js", "'it\\'s // x'", "'it\\'s // x'");
    }
}
