//! What docs/hooks.md shows of injected texts is what the program says. `APOSTILLE_BLESS=1` writes it anew.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::{context, edit, hooked, prompt},
    mcp::{Era, Talk},
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md");
const REGEN: &str = "the api build stops with a stale schema.lock: `make regen` writes it again";
const STALE: &str = "Exit code 101\n   Compiling api v0.1.0\nerror: schema.lock:3 is stale\n";

fn start(env: &Env, source: &str) -> String {
    context(&hooked(
        env,
        "s1",
        "SessionStart",
        &json!({ "source": source }),
    ))
}

fn use_tool(env: &Env, event: &str, tool: &str, more: &Value) -> String {
    let mut payload = json!({ "tool_name": tool });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    context(&hooked(env, "s1", event, &payload))
}

/// The blocks of the page, by the names that it gives them: one session, in order.
fn make_blocks() -> Vec<(&'static str, String)> {
    let mut env = Env::new();
    env.set("APOSTILLE_HOOK_ALONE", "1");
    env.with_facts();
    let identity = "Ana, backend, works from Lisbon";
    env.stated(&["remember", "--user", "--layer", "identity", identity]);
    env.stated(&["remember", "--kind", "reference", REGEN]);
    let started = start(&env, "startup");
    let first = prompt(&env, "s1", "how large may uploads be?");
    let later = prompt(&env, "s1", "which api version does the client need?");
    let stated = "no, in this repository the tests are run with make check";
    let stated = prompt(&env, "s1", stated);
    edit(&env, "s1", "src/limits.rs");
    env.write(
        "src/limits.rs",
        "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n",
    );
    let edited = use_tool(
        &env,
        "PreToolUse",
        "Bash",
        &json!({ "tool_input": { "command": "ls" } }),
    );
    let failing = json!({ "tool_input": { "command": "cargo build -p api" }, "error": STALE });
    let failed = use_tool(&env, "PostToolUseFailure", "Bash", &failing);
    env.set("CLAUDE_CODE_SESSION_ID", "s1");
    let note = "the gateway mock drops the trailer; use the recorded replies";
    let note = json!({ "fact": note, "layer": "session" });
    Talk::here(&env, Era::Modern).call("memory_remember", note);
    env.at("2026-03-01T12:05:00Z");
    hooked(&env, "s1", "PreCompact", &json!({ "trigger": "auto" }));
    let compacted = start(&env, "compact");
    vec![
        ("start", started),
        ("first prompt", first),
        ("later prompt", later),
        ("statement", stated),
        ("edit", edited),
        ("failed command", failed),
        ("compaction", compacted),
    ]
}

/// The page with these blocks behind the comments that name them.
fn fill_page(page: &str, blocks: &[(&str, String)]) -> String {
    let fill = |page: String, (name, text): &(&str, String)| {
        let open = format!("<!-- said: {name} -->\n```\n");
        let (before, rest) = page
            .split_once(&open)
            .unwrap_or_else(|| panic!("no block: {name}"));
        let (_, after) = rest.split_once("```").unwrap();
        format!("{before}{open}{}\n```{after}", text.trim_end())
    };
    blocks.iter().fold(page.to_owned(), fill)
}

#[test]
fn page_of_hooks_shows_what_is_said() {
    let blocks = make_blocks();
    for (name, text) in &blocks {
        assert!(!text.is_empty(), "nothing is said: {name}");
    }
    let page = fs::read_to_string(Path::new(PAGE)).unwrap();
    let filled = fill_page(&page, &blocks);
    if std::env::var_os("APOSTILLE_BLESS").is_some() {
        fs::write(PAGE, filled).unwrap();
    } else {
        assert!(
            page == filled,
            "docs/hooks.md is behind: APOSTILLE_BLESS=1 cargo test -p apostille --test it hook_page"
        );
    }
}
