//! What only one system has must have its counterpart: most of us never build for the others.

use std::collections::BTreeMap;

use crate::source::{is_test_file, list_rooms, list_sources, read_code};

/// Files in which something is left out elsewhere, how often, and why nothing is lost. Everything else comes in pairs.
const ONE_SIDED: &[(&str, i32, &str)] = &[
    (
        "crates/files/src/lock.rs",
        3,
        "modes: on Windows a folder in a person's profile is theirs alone",
    ),
    ("crates/files/src/no_symlink.rs", 1, "a mode"),
    (
        "crates/files/src/regular_file.rs",
        3,
        "pipes that block when they are opened have no path on Windows",
    ),
    (
        "crates/postgres/src/environment.rs",
        1,
        "the mode of a file of passwords, as libpq has it",
    ),
    ("crates/setup/src/init/backup.rs", 1, "a mode"),
    (
        "crates/stores/src/jsonl/line_file.rs",
        3,
        "folders are not synced on Windows, and files there have a time of creation in place of an inode",
    ),
    ("crates/terminal/src/editor.rs", 1, "a mode"),
    ("crates/workspace/src/atomic_file.rs", 1, "modes"),
    (
        "crates/workspace/src/hidden_input.rs",
        4,
        "the terminal that is made quiet; elsewhere a PIN is refused",
    ),
];

/// A condition on the system: for Unix (or one of its kind), or for everything else.
#[derive(Debug, PartialEq)]
enum PlatformSide {
    Unix,
    Elsewhere,
}

/// The conditions of a file, each with the function that stands below it, if it is one.
fn find_platform_conditions(tokens: &[String]) -> Vec<(PlatformSide, Option<&str>)> {
    let mut found = Vec::new();
    for (at, head) in tokens.windows(4).enumerate() {
        if head != ["#", "[", "cfg", "("] {
            continue;
        }
        let end = tokens[at..].iter().position(|it| it == "]");
        let end = at + end.unwrap();
        let condition = &tokens[at + 4..end];
        let names = |word: &str| condition.iter().any(|it| it == word);
        if names("test") || !["unix", "windows", "target_os"].iter().any(|it| names(it)) {
            continue;
        }
        let side = match names("not") || names("windows") {
            true => PlatformSide::Elsewhere,
            false => PlatformSide::Unix,
        };
        let below = &tokens[end + 1..tokens.len().min(end + 8)];
        let is_item_word =
            |it: &&String| !["pub", "(", "crate", "super", ")"].contains(&it.as_str());
        let mut below = below.iter().filter(is_item_word);
        let function = (below.next().is_some_and(|it| it == "fn")).then(|| below.next());
        found.push((side, function.flatten().map(String::as_str)));
    }
    found
}

#[test]
fn what_one_system_has_the_others_have_too() {
    let mut one_sided: BTreeMap<&str, i32> = ONE_SIDED.iter().map(|it| (it.0, it.1)).collect();
    let (mut n_conditions, mut wrong) = (0, Vec::new());
    let folders: Vec<String> = list_rooms()
        .iter()
        .map(|it| format!("crates/{it}/src"))
        .collect();
    let sources = folders.iter().flat_map(|it| list_sources(it));
    for path in sources.filter(|it| !is_test_file(it)) {
        let tokens = read_code(&path);
        let found = find_platform_conditions(&tokens);
        n_conditions += found.len();
        let count = |side: PlatformSide| found.iter().filter(|it| it.0 == side).count() as i32;
        let surplus = count(PlatformSide::Unix) - count(PlatformSide::Elsewhere);
        let expected = one_sided.remove(&*path).unwrap_or(0);
        if surplus != expected {
            wrong.push(format!("{path}: {surplus} more for Unix, not {expected}"));
        }
        for name in found.iter().filter_map(|it| it.1) {
            let n = found.iter().filter(|it| it.1 == Some(name)).count();
            if n == 1 && expected == 0 {
                wrong.push(format!("{path}: `{name}` is there on one system only"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "give these a counterpart, or say in {} why nothing is lost: {wrong:#?}",
        file!()
    );
    assert!(one_sided.is_empty(), "these are gone: {one_sided:?}");
    assert!(n_conditions > 30, "conditions are not found any more");
}
