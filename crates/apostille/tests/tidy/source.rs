//! Rust as far as these tests read it: words and signs, without comments, literals and tests.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn find_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// A file by its path from the root.
pub(crate) fn read_file(path: &str) -> String {
    fs::read_to_string(find_root().join(path)).unwrap_or_else(|it| panic!("{path}: {it}"))
}

/// Every `.rs` file under a folder, as paths from the root, sorted.
pub(crate) fn list_sources(folder: &str) -> Vec<String> {
    let root = find_root();
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push(path.replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Every `.rs` file of ours.
pub(crate) fn list_all_sources() -> Vec<String> {
    let mut found = list_sources("crates");
    found.extend(list_sources("bench"));
    found
}

/// The crates under `crates/`, by folder, sorted.
pub(crate) fn list_rooms() -> Vec<String> {
    let mut rooms: Vec<String> = fs::read_dir(find_root().join("crates"))
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|it| it.join("Cargo.toml").exists())
        .map(|it| it.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    rooms.sort();
    rooms
}

/// Test code has a file or a folder of its own, or is cut out by [`drop_test_modules`].
pub(crate) fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The words and signs of a file's code, without its test modules.
pub(crate) fn read_code(path: &str) -> Vec<String> {
    drop_test_modules(&read_tokens(&read_file(path)))
}

/// The words and signs of a source; `::` is one sign. Comments and literals are left out.
pub(crate) fn read_tokens(source: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |it| it + 2)
        } else if let Some(length) = measure_string(rest) {
            length
        } else if first == '\'' {
            measure_quote(rest)
        } else {
            let length = match first {
                it if is_word(it) => rest.find(|it| !is_word(it)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                it => it.len_utf8(),
            };
            if !first.is_whitespace() {
                tokens.push(rest[..length].to_owned());
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// How long the string is that starts here, plain or raw.
fn measure_string(rest: &str) -> Option<usize> {
    let after_prefix = rest.trim_start_matches(['b', 'c', 'r']);
    let prefix = &rest[..rest.len() - after_prefix.len()];
    let body = after_prefix.trim_start_matches('#').strip_prefix('"')?;
    let opening = rest.len() - body.len();
    if prefix.ends_with('r') {
        let hashes = opening - prefix.len() - 1;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(
            body.find(&end)
                .map_or(rest.len(), |it| opening + it + end.len()),
        );
    }
    if opening > prefix.len() + 1 {
        return None;
    }
    let mut is_escaped = false;
    let end = body.find(|it| {
        let is_end = it == '"' && !is_escaped;
        is_escaped = it == '\\' && !is_escaped;
        is_end
    });
    Some(end.map_or(rest.len(), |it| opening + it + 1))
}

/// How long the character is that starts here; of a lifetime, its mark alone.
fn measure_quote(rest: &str) -> usize {
    if rest.starts_with("'\\") {
        return rest[3..].find('\'').map_or(rest.len(), |it| it + 4);
    }
    let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
    if rest[length..].starts_with('\'') {
        length + 1
    } else {
        1
    }
}

/// Cuts out what stands under `#[cfg(test)] mod name { … }`.
fn drop_test_modules(tokens: &[String]) -> Vec<String> {
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|it| it == word);
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].iter().take(mark.len()).eq(mark) {
            let mut head = at + mark.len();
            while is(head, "#") {
                head = find_group_end(tokens, head + 1);
            }
            if is(head, "pub") {
                head += 1;
            }
            if is(head, "(") {
                head = find_group_end(tokens, head);
            }
            if is(head, "mod") && is(head + 2, "{") {
                at = find_group_end(tokens, head + 2);
                continue;
            }
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// Behind the bracket that closes the one at this place.
fn find_group_end(tokens: &[String], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The paths in a source that start with one of these words; `use a::{b, c::d}` is two.
pub(crate) fn list_paths(tokens: &[String], heads: &[&str]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_head = heads.contains(&token.as_str());
        if is_head && (at == 0 || tokens[at - 1] != "::") {
            collect_paths(tokens, at, &[], &mut found);
        }
    }
    found
}

/// Reads one tree of paths and says where it ends.
fn collect_paths(
    tokens: &[String],
    start: usize,
    head: &[String],
    found: &mut Vec<Vec<String>>,
) -> usize {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|it| it == word);
    let mut path = head.to_vec();
    let mut at = start;
    loop {
        if is(at, "{") {
            at += 1;
            while at < tokens.len() && !is(at, "}") {
                let end = collect_paths(tokens, at, &path, found);
                at = if is(end, ",") {
                    end + 1
                } else {
                    end.max(at + 1)
                };
            }
            return at + 1;
        }
        if let Some(word) = tokens.get(at).filter(|it| it.starts_with(is_word)) {
            path.push(word.clone());
            at += 1;
        }
        if !is(at, "::") {
            break;
        }
        at += 1;
    }
    while is(at, "as") {
        at += 2;
    }
    found.push(path);
    at
}

#[test]
fn tokens_leave_out_comments_literals_and_tests() {
    let source = r##"
        /* fs */ use crate::{a, b::{c as d, self}}; // std::fs
        fn f<'a>(it: &'a str) -> char { g("std::fs \" {", r#"" std"#, b"{", '"', '\'', '{') }
        #[cfg(test)]
        #[expect(missing_docs)]
        pub(crate) mod tests { fn f() { crate::never() } }
        fn after() {}
    "##;
    let tokens = drop_test_modules(&read_tokens(source));
    assert!(tokens.ends_with(&["fn", "after", "(", ")", "{", "}"].map(String::from)));
    for word in ["fs", "std", "never", "\""] {
        assert!(!tokens.iter().any(|it| it == word), "{word} in {tokens:?}");
    }
    let paths: Vec<String> = list_paths(&tokens, &["crate"])
        .iter()
        .map(|it| it.join("::"))
        .collect();
    assert_eq!(paths, ["crate::a", "crate::b::c", "crate::b::self"]);
}
