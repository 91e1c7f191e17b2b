//! Which room may know which: crates point one way, and each library that touches the world has its place.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::source::{
    is_test_file, list_all_sources, list_paths, list_rooms, list_sources, read_code, read_file,
    read_tokens,
};

/// The rooms in order, and the rooms that each may depend on; tests may depend on any.
/// `api+` is short for `api` and all that `api` may depend on. A row names only rows above it, so there is no cycle.
const ROOMS: &[(&str, &str)] = &[
    ("postgres-rig", ""),
    ("files", ""),
    ("web", ""),
    ("embed", ""),
    ("text", ""),
    ("cite", "text"),
    ("instructions", "cite text"),
    ("core", "cite instructions text"),
    ("contract", "core cite text"),
    ("git", "cite files text web"),
    ("audit", "core cite text"),
    ("impact", "text"),
    ("reflect", "core audit text"),
    ("stores", "core cite files text"),
    ("postgres", "core stores text"),
    ("models", "core files text web"),
    ("import", "core cite text"),
    ("agents", "core cite files impact reflect text"),
    ("tasks", "core audit cite text"),
    ("reviews", "core cite tasks text"),
    ("api", "core agents audit cite impact import tasks text"),
    ("tools", "api+"),
    ("mcp", "api+ tools"),
    ("panel", "api+"),
    ("http", "api+ mcp panel tools"),
    (
        "workspace",
        "api+ embed files git models postgres reflect reviews stores tools web",
    ),
    ("terminal", "workspace+ http mcp panel"),
    ("setup", "terminal workspace+"),
    ("review", "terminal workspace+"),
    ("apostille", "terminal+ setup review panel instructions"),
];

/// Libraries that wait, listen, draw or store, and the rooms that may name them.
const LIBRARIES: &[(&str, &str)] = &[
    ("tokio", "mcp http postgres"),
    ("hyper", "mcp http"),
    ("hyper-util", "mcp http"),
    ("axum", "mcp http"),
    ("tokio-rustls", "http"),
    ("listenfd", "apostille"),
    ("rmcp", "mcp http"),
    ("rusqlite", "stores"),
    ("tokio-postgres", "postgres"),
    ("cap-std", "files git stores"),
    ("ureq", "web git models"),
    ("clap", "terminal setup apostille"),
    ("clap_complete", "terminal apostille"),
    ("clap_mangen", "apostille"),
    ("maud", "panel http"),
    ("ndarray", "embed"),
];

/// Rooms that are handed all they know: they open nothing, wait for nothing and read no clock.
/// `agents` is not among them: it reads the tails of transcripts and keeps a ledger of what a session was shown.
const ROOMS_WITHOUT_IO: &[&str] = &[
    "core",
    "text",
    "embed",
    "cite",
    "instructions",
    "tasks",
    "import",
    "reviews",
    "audit",
    "impact",
    "reflect",
    "api",
    "tools",
    "panel",
];

/// Who may name what a speaker is made of. The core, which declares it, the suite for stores and tests are free.
const DOORS: &[(&str, &[&str])] = &[
    ("at_terminal", &["crates/workspace/src/speaker.rs"]),
    ("TerminalFacts", &["crates/workspace/src/speaker.rs"]),
    (
        "on_connection",
        &["crates/api/src/host.rs", "crates/api/src/request_scope.rs"],
    ),
    (
        "ConnectionFacts",
        &["crates/api/src/host.rs", "crates/api/src/request_scope.rs"],
    ),
    // A person's yes through a client.
    ("into_consent", &["crates/mcp/src/client_questions.rs"]),
];

const PRODUCT: &[&str] = &["dependencies", "build-dependencies"];
const PRODUCT_AND_TESTS: &[&str] = &["dependencies", "build-dependencies", "dev-dependencies"];

/// The libraries that a crate asks for, by their real names, with what the manifest says of each.
fn read_dependencies(room: &str, kinds: &[&str]) -> BTreeMap<String, toml::Value> {
    let manifest: toml::Table = read_file(&format!("crates/{room}/Cargo.toml"))
        .parse()
        .unwrap();
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(toml::Table::values);
    let places = iter::once(&manifest).chain(targets.filter_map(toml::Value::as_table));
    places
        .flat_map(|it| kinds.iter().filter_map(|kind| it.get(*kind)?.as_table()))
        .flatten()
        .map(|(key, value)| {
            let renamed = value.get("package").and_then(toml::Value::as_str);
            (renamed.unwrap_or(key).to_owned(), value.clone())
        })
        .collect()
}

/// The rooms that a room may depend on, by its row.
fn list_allowed_rooms(room: &str) -> BTreeSet<&'static str> {
    let Some(at) = ROOMS.iter().position(|(name, _)| *name == room) else {
        panic!(
            "crates/{room} is new: give it a row of ROOMS in {}",
            file!()
        );
    };
    let mut allowed = BTreeSet::new();
    for word in ROOMS[at].1.split_whitespace() {
        let name = word.trim_end_matches('+');
        let is_above = ROOMS[..at].iter().any(|(it, _)| *it == name);
        assert!(
            is_above,
            "the row of {room} names {name}, which is not above it"
        );
        allowed.insert(name);
        if word.ends_with('+') {
            allowed.extend(list_allowed_rooms(name));
        }
    }
    allowed
}

#[test]
fn crates_depend_one_way() {
    let rooms = list_rooms();
    for (name, _) in ROOMS {
        assert!(
            rooms.iter().any(|it| it == name),
            "crates/{name} is gone: drop its row"
        );
    }
    for room in &rooms {
        let allowed = list_allowed_rooms(room);
        for name in read_dependencies(room, PRODUCT).keys() {
            let Some(other) = name.strip_prefix("apostille-") else {
                continue;
            };
            assert!(
                allowed.contains(other),
                "{room} depends on {other}, which its row does not allow"
            );
        }
    }
}

/// With this feature a batch can be made past every check. Features add up over a build: one manifest is enough.
#[test]
fn contract_feature_serves_tests_only() {
    for room in list_rooms().iter().filter(|it| *it != "contract") {
        let dependencies = read_dependencies(room, PRODUCT);
        let core = dependencies.get("apostille-core").map(ToString::to_string);
        let names_it = core.is_some_and(|it| it.contains("contract"));
        assert!(!names_it, "{room} has the core's feature for tests");
    }
}

/// An edge that nobody needs is removed before somebody does.
#[test]
fn manifests_list_only_used_crates() {
    for room in list_rooms() {
        let sources = list_sources(&format!("crates/{room}/src"));
        let words: BTreeSet<String> = sources.iter().flat_map(|it| read_code(it)).collect();
        for name in read_dependencies(&room, &["dependencies"]).keys() {
            // It is there for its feature, which leaves the SDK's own log out of a release.
            let is_for_a_feature = room == "mcp" && name == "tracing";
            assert!(
                is_for_a_feature || words.contains(&name.replace('-', "_")),
                "{room} asks for {name} and does not use it"
            );
        }
    }
}

#[test]
fn runtime_stays_in_the_faces() {
    for room in list_rooms() {
        let dependencies = read_dependencies(&room, PRODUCT_AND_TESTS);
        for (library, homes) in LIBRARIES {
            assert!(
                !dependencies.contains_key(*library) || homes.split(' ').any(|it| it == room),
                "{room} asks for {library}, which is for {homes}"
            );
        }
    }
}

#[test]
fn core_text_and_cite_do_no_io() {
    for room in ROOMS_WITHOUT_IO {
        for path in list_sources(&format!("crates/{room}/src")) {
            let tokens = read_tokens(&read_file(&path));
            for used in list_paths(&tokens, &["std"]) {
                let is_io = used.get(1).is_some_and(|it| {
                    ["fs", "env", "net", "process", "io", "thread", "os"].contains(&it.as_str())
                });
                assert!(!is_io, "{path} names {}", used.join("::"));
            }
            for call in tokens.windows(3) {
                let is_clock = call[1] == "::"
                    && call[2] == "now"
                    && ["Timestamp", "Zoned", "SystemTime", "Instant"].contains(&call[0].as_str());
                assert!(!is_clock, "{path} reads the clock: {}", call.concat());
            }
        }
    }
}

/// Who speaks is put together where a call comes in, and nowhere else: a face that could make its own speaker could make
/// a person.
#[test]
fn speaker_has_two_doors() {
    let is_free = |path: &str| {
        ["crates/core/", "crates/contract/"]
            .iter()
            .any(|it| path.starts_with(it))
            || is_test_file(path)
    };
    let sources: Vec<(String, BTreeSet<String>)> = list_all_sources()
        .into_iter()
        .filter(|it| !is_free(it))
        .map(|it| (it.clone(), read_code(&it).into_iter().collect()))
        .collect();
    for (word, doors) in DOORS {
        let found: Vec<&str> = sources
            .iter()
            .filter(|(_, words)| words.contains(*word))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(found, *doors, "`{word}` is for the doors");
    }
}
