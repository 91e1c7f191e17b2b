//! The rules of the house that no compiler checks.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cycles;
mod order;
mod packages;
mod platforms;
mod source;

use source::{find_root, is_test_file, list_all_sources, list_sources, read_code, read_file};

/// Every source of ours, one behind the other.
fn read_all_sources() -> String {
    list_all_sources().iter().map(|it| read_file(it)).collect()
}

/// The rows of a table of invariants, without its head.
fn invariant_rows(page: &str) -> Vec<&str> {
    page.lines()
        .filter(|it| it.starts_with("| ") && !it.starts_with("| always true"))
        .collect()
}

#[test]
fn every_invariant_names_a_guard_that_exists() {
    let (page, sources) = (read_file("docs/invariants.md"), read_all_sources());
    let lints = read_file("Cargo.toml") + &read_file("clippy.toml");
    let rows = invariant_rows(&page);
    assert!(rows.len() > 10, "the table of invariants is gone");
    for row in rows {
        let guards: Vec<&str> = row
            .rsplit('|')
            .nth(1)
            .unwrap()
            .split('`')
            .skip(1)
            .step_by(2)
            .collect();
        assert!(!guards.is_empty(), "no guard in: {row}");
        for guard in guards {
            let is_test = sources.contains(&format!("fn {guard}("));
            let is_lint = lints.contains(guard);
            let is_doc_test = guard == "compile_fail" && row.contains(".rs`");
            let is_file = guard.contains('/') && read_file(guard).contains("compile_fail");
            assert!(
                is_test || is_lint || is_doc_test || is_file,
                "`{guard}` is neither a test nor a lint, in: {row}"
            );
        }
    }
}

/// The overview repeats rows and adds none, so that one table has them all and the guards are checked there.
#[test]
fn invariants_of_the_overview_are_in_the_table() {
    let (overview, page) = (
        read_file("ARCHITECTURE.md"),
        read_file("docs/invariants.md"),
    );
    let section = overview.split("## Invariants").nth(1).unwrap();
    let rows = invariant_rows(section);
    assert_eq!(rows.len(), 10, "the overview has ten invariants");
    let table = invariant_rows(&page);
    for row in rows {
        assert!(table.contains(&row), "not in docs/invariants.md: {row}");
    }
}

/// What is known about a client stands in its folder: the rooms that clients share name none of them.
#[test]
fn only_a_clients_own_folder_names_it() {
    let rooms = ["hook", "transcripts", "settings"].map(|it| format!("crates/agents/src/{it}"));
    for room in &rooms {
        assert!(find_root().join(room).exists(), "{room} is gone");
    }
    for path in list_sources("crates/agents/src") {
        let module = path.trim_end_matches(".rs");
        let is_shared = rooms
            .iter()
            .any(|it| module == it || module.starts_with(&format!("{it}/")));
        let names_one = read_code(&path)
            .windows(3)
            .any(|it| it[0] == "Client" && it[1] == "::" && it[2] != "ALL");
        let is_test = is_test_file(&path);
        assert!(!is_shared || is_test || !names_one, "{path} names a client");
    }
}

/// A test is read one story at a time and may be longer; so may the suite for stores, which is one.
#[test]
fn files_are_short() {
    for path in list_all_sources() {
        let is_test = is_test_file(&path) || path.starts_with("crates/contract/");
        let max = if is_test { 1100 } else { 900 };
        let n = read_file(&path).lines().count();
        assert!(n <= max, "{path} has {n} lines, and {max} are enough");
    }
}

/// A package more is a package to trust: the bound is raised by the change that needs it, and says so here.
/// 263: a parser of Markdown with its one dependency, and the crate that reads instruction files.
/// 268: tables of Unicode, three crates with two dependencies, in place of our own.
/// 274: products of matrices for the embedding model, five crates, and the crate that computes it.
/// 275: patterns that compile within a hook's time.
/// 318: the client of Postgres with its TLS, two rooms of our own, and what the client asks for on other systems.
/// 280: TLS for the server's runtime, and the socket that systemd hands over, whose crate names three more for Windows.
#[test]
fn dependencies_are_few() {
    let n = read_file("Cargo.lock")
        .lines()
        .filter(|it| *it == "[[package]]")
        .count();
    assert!(n <= 330, "{n} packages are locked");
}

/// In an example `crate` is the example itself: one that should not compile would fail to compile for that reason, and
/// hold nothing.
#[test]
fn doc_examples_name_their_crate() {
    for path in list_all_sources() {
        let mut is_example = false;
        for line in read_file(&path).lines().map(str::trim_start) {
            let Some(text) = ["///", "//!"].iter().find_map(|it| line.strip_prefix(it)) else {
                is_example = false;
                continue;
            };
            if text.trim_start().starts_with("```") {
                is_example = !is_example;
            }
            let names_itself = is_example && text.contains("crate::");
            assert!(!names_itself, "an example in {path} names `crate`: {text}");
        }
    }
}

/// What people are told to paste is JSON, has the key that each client reads, and starts the server.
#[test]
fn mcp_page_has_settings_for_every_client() {
    let page = read_file("docs/mcp.md");
    let blocks: Vec<serde_json::Value> = page
        .split("```json\n")
        .skip(1)
        .filter_map(|it| serde_json::from_str(it.split("```").next()?).ok())
        .collect();
    let n_blocks = page.matches("```json\n").count();
    assert_eq!(blocks.len(), n_blocks, "a block is not JSON");
    let starts = |place: &str| {
        blocks.iter().any(|it| {
            it[place]["apostille"]["command"] == "apostille"
                && it[place]["apostille"]["args"][0] == "mcp"
        })
    };
    for place in ["mcpServers", "servers", "context_servers"] {
        assert!(starts(place), "nothing for {place}");
    }
    assert!(
        blocks
            .iter()
            .any(|it| it["mcp"]["apostille"]["command"] == serde_json::json!(["apostille", "mcp"]))
    );
    for client in [
        "Claude Code",
        "Cursor",
        "VS Code",
        "Codex",
        "Gemini CLI",
        "opencode",
        "Zed",
        "Windsurf",
    ] {
        assert!(
            page.contains(&format!("**{client}**")),
            "nothing for {client}"
        );
    }
}

/// The versions of clients that the page names are those that the stories run.
#[test]
fn clients_were_run_in_the_versions_that_the_page_names() {
    let page = read_file("docs/hooks.md");
    let stories = read_file("e2e/agents.py");
    let lines = stories
        .lines()
        .filter(|it| it.contains("name, package, version = "));
    let versions: Vec<&str> = lines
        .filter_map(|it| it.rsplit(", ").next())
        .map(|it| it.trim_start_matches(['f', '"']))
        .filter_map(|it| it.split(['"', '-']).next())
        .collect();
    assert!(versions.len() > 4, "{versions:?}");
    for version in versions {
        assert!(page.contains(&format!("| {version} |")), "{version}");
    }
}

/// A name of four words and more in these pages is a test, which says that a demand is met or an attack fails.
#[test]
fn pages_name_tests_that_exist() {
    let sources = read_all_sources();
    for (page, n_least) in [("docs/seeds.md", 10), ("docs/security.md", 60)] {
        check_named_tests(&read_file(page), &sources, n_least);
    }
}

fn check_named_tests(page: &str, sources: &str, n_least: usize) {
    let names = page.split('`').skip(1).step_by(2);
    let tests: Vec<&str> = names
        .filter(|it| it.matches('_').count() >= 3)
        .filter(|it| {
            it.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        })
        .collect();
    assert!(tests.len() > n_least, "the page names no tests");
    for test in tests {
        assert!(
            sources.contains(&format!("fn {test}(")),
            "`{test}` is not a test"
        );
    }
}

#[test]
fn paths_named_in_documents_exist() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/format.md",
        "docs/mcp.md",
        "docs/model.md",
        "docs/performance.md",
        "docs/invariants.md",
    ];
    for document in documents {
        for name in read_file(document)
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|it| it.starts_with("crates/") || it.starts_with("docs/"))
        {
            assert!(find_root().join(name).exists(), "{document} names {name}");
        }
    }
}
