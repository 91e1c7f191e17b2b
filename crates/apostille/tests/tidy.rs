//! The rules of the house that no compiler checks.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Every file of ours with this extension.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = ["crates", "bench", "docs"]
        .map(|it| root().join(it))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            match path.is_dir() {
                true if !path.ends_with("target") => folders.push(path),
                false if path.extension().is_some_and(|it| it == extension) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn sources() -> String {
    files("rs")
        .iter()
        .map(|it| fs::read_to_string(it).unwrap())
        .collect()
}

/// The rows of a table of invariants, without its head.
fn invariant_rows(page: &str) -> Vec<&str> {
    page.lines()
        .filter(|it| it.starts_with("| ") && !it.starts_with("| always true"))
        .collect()
}

#[test]
fn every_invariant_names_a_guard_that_exists() {
    let (page, sources) = (read("docs/invariants.md"), sources());
    let lints = read("Cargo.toml") + &read("clippy.toml");
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
            let is_file = guard.contains('/') && read(guard).contains("compile_fail");
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
    let (overview, page) = (read("ARCHITECTURE.md"), read("docs/invariants.md"));
    let section = overview.split("## Invariants").nth(1).unwrap();
    let rows = invariant_rows(section);
    assert_eq!(rows.len(), 10, "the overview has ten invariants");
    let table = invariant_rows(&page);
    for row in rows {
        assert!(table.contains(&row), "not in docs/invariants.md: {row}");
    }
}

#[test]
fn the_core_does_no_io() {
    let folder = root().join("crates/apostille-core/src");
    for path in files("rs").into_iter().filter(|it| it.starts_with(&folder)) {
        let text = fs::read_to_string(&path).unwrap();
        for word in [
            "std::fs",
            "std::env",
            "std::net",
            "std::process",
            "std::io",
            "std::thread",
            "Timestamp::now",
        ] {
            assert!(!text.contains(word), "{} says {word}", path.display());
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    let check = |krate: &str, allowed: &[&str]| {
        let manifest = read(&format!("crates/{krate}/Cargo.toml"));
        let plain = manifest.split("[dev-dependencies]").next().unwrap();
        for other in [
            "apostille-core",
            "apostille-agents",
            "apostille-backends",
            "apostille-api",
            "rusqlite",
            "tokio",
            "clap",
        ] {
            let named = plain.lines().any(|it| {
                it.starts_with(&format!("{other}.")) || it.starts_with(&format!("{other} "))
            });
            assert!(
                !named || allowed.contains(&other),
                "{krate} depends on {other}"
            );
        }
    };
    check("apostille-core", &[]);
    check("agents", &["apostille-core"]);
    check("apostille-backends", &["apostille-core", "rusqlite"]);
    check("apostille-api", &["apostille-core", "tokio"]);
}

/// What is known about a client stands in its folder: the rooms that clients share name none of them.
#[test]
fn only_a_clients_own_folder_names_it() {
    let home = root().join("crates/agents/src");
    let rooms = ["hook", "transcripts", "settings"].map(|it| home.join(it));
    for path in files("rs") {
        let is_shared = rooms
            .iter()
            .any(|it| path.starts_with(it) || path == it.with_extension("rs"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let named = code.replace("Client::ALL", "").contains("Client::");
        assert!(!is_shared || !named, "{} names a client", path.display());
    }
}

#[test]
fn files_are_short() {
    for path in files("rs") {
        let n = fs::read_to_string(&path).unwrap().lines().count();
        assert!(n <= 1100, "{} has {n} lines", path.display());
    }
}

#[test]
fn dependencies_are_few() {
    let n = read("Cargo.lock")
        .lines()
        .filter(|it| *it == "[[package]]")
        .count();
    assert!(n < 250, "{n} packages are locked");
}

/// The protocol's types stay behind one door: a new revision of the SDK is then one crate's business.
#[test]
fn only_the_server_knows_the_sdk() {
    let home = root().join("crates/apostille-api/src");
    let rooms =
        ["mcp.rs", "mcp", "http/agents.rs", "fixtures.rs", "fixtures"].map(|it| home.join(it));
    let bench = root().join("bench");
    for path in files("rs") {
        let is_inside = rooms.iter().any(|it| path.starts_with(it)) || path.starts_with(&bench);
        let names_it = fs::read_to_string(&path)
            .unwrap()
            .lines()
            .any(|it| it.contains("rmcp::"));
        assert!(
            is_inside || !names_it || path.ends_with("tidy.rs"),
            "{} names the SDK",
            path.display()
        );
    }
}

/// Calls and pages are functions; only the socket and the protocol know how they are reached.
#[test]
fn only_the_socket_knows_sockets() {
    let home = root().join("crates/apostille-api/src");
    let rooms = [
        "concurrency.rs",
        "mcp.rs",
        "mcp",
        "http.rs",
        "http",
        "interrupt.rs",
        "fixtures.rs",
        "fixtures",
    ]
    .map(|it| home.join(it));
    for path in files("rs").into_iter().filter(|it| it.starts_with(&home)) {
        let text = fs::read_to_string(&path).unwrap();
        let named = ["tokio::", "hyper::", "axum::"]
            .into_iter()
            .find(|it| text.contains(it));
        assert!(
            rooms.iter().any(|it| path.starts_with(it)) || named.is_none(),
            "{} names {named:?}",
            path.display()
        );
    }
}

/// What people are told to paste is JSON, has the key that each client reads, and starts the server.
#[test]
fn mcp_page_has_settings_for_every_client() {
    let page = read("docs/mcp.md");
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

/// A name of four words and more in that page is a test, which says that a demand is met.
#[test]
fn seeds_page_names_tests_that_exist() {
    let (page, sources) = (read("docs/seeds.md"), sources());
    let names = page.split('`').skip(1).step_by(2);
    let tests: Vec<&str> = names
        .filter(|it| it.matches('_').count() >= 3)
        .filter(|it| {
            it.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        })
        .collect();
    assert!(tests.len() > 10, "the page names no tests");
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
        for name in read(document)
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|it| it.starts_with("crates/") || it.starts_with("docs/"))
        {
            assert!(root().join(name).exists(), "{document} names {name}");
        }
    }
}
