//! What instructions say, the tree they are held against, and what is found: one line a case.

use std::collections::{BTreeMap, BTreeSet};

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceBlob, SourceError, SourceTree},
};

use crate::{InstructionFile, InstructionReport, check_instructions, find_instruction_files};

/// A tree in memory.
struct TestTree {
    files: BTreeMap<RepoPath, String>,
    is_searchable: bool,
}

impl Source for TestTree {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree::default())
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        let blob = |it: &String| SourceBlob {
            id: None,
            bytes: it.clone().into(),
        };
        Ok(self.files.get(path).map(blob))
    }

    fn list_paths(&self) -> Result<Option<BTreeSet<RepoPath>>, SourceError> {
        Ok(Some(self.files.keys().cloned().collect()))
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        for (path, text) in &self.files {
            let bytes = text.clone().into();
            see(path, &SourceBlob { id: None, bytes });
        }
        Ok(self.is_searchable)
    }
}

/// The files that every case has, each with its content.
const TREE: &[(&str, &str)] = &[
    (".gitignore", "/.venv/\n*.log\nlocal.toml\n"),
    (".cargo/config.toml", "[alias]\nxtask = 'run -p tools'\n"),
    (
        "Cargo.toml",
        "[package]\nname = 'app'\n[dependencies]\nserde = '1'\n[[bin]]\nname = 'appd'\n",
    ),
    (
        "Makefile",
        "VERSION := 1\nall: lint\nlint test:\n\tcargo test\n.PHONY: release\n",
    ),
    (
        "Taskfile.yml",
        "version: '3'\ntasks:\n  build:\n    cmds: [x]\n  \"db:up\":\n    cmds: [y]\n",
    ),
    (
        "apps/web/package.json",
        r#"{"scripts": {"e2e": "x", "build": "y"}}"#,
    ),
    (
        "apps/web/src/session/token_store.ts",
        "export class TokenStore { refreshToken() {} }",
    ),
    (
        "crates/io/src/reader.rs",
        "pub struct BlockReader;\nimpl BlockReader { pub fn read_block() {} }\nfn _private_helper() {}",
    ),
    ("crates/io/src/wire/mod.rs", "pub enum WireFormat {}"),
    ("docs/Design.md", "speaks of forgotten_helper"),
    ("docs/guide.md", ""),
    (
        "justfile",
        "default: check\n@check arg='x':\n  cargo check\nalias c := check\n",
    ),
    ("mise.toml", "[tasks.serve]\nrun = 'x'\n"),
    (
        "package.json",
        r#"{"scripts": {"test:unit": "x", "lint": "y"}}"#,
    ),
    ("py/app/__init__.py", ""),
    ("py/app/jobs/nightly.py", "def run_nightly_job(): pass"),
    ("pyproject.toml", "[tool.poe.tasks]\nfmt = 'ruff'\n"),
    ("scripts/release.sh", ""),
    ("src/bin/worker.rs", ""),
    ("src/config.rs", "pub fn load_config() {}"),
    ("src/lib.rs", ""),
    ("tests/smoke.rs", ""),
];

fn check_text(file: &str, text: &str) -> InstructionReport {
    check_in_tree(file, text, true)
}

fn check_in_tree(file: &str, text: &str, is_searchable: bool) -> InstructionReport {
    let files = TREE
        .iter()
        .map(|(path, text)| (path.parse().unwrap(), (*text).to_owned()));
    let tree = TestTree {
        files: files.collect(),
        is_searchable,
    };
    let file = InstructionFile {
        path: file.parse().unwrap(),
        text: text.to_owned(),
    };
    check_instructions(&[file], &tree, &|| false).unwrap()
}

/// The findings as one line: the rule, the name, and where it is now.
fn format_findings(report: &InstructionReport) -> String {
    let line = |it: &crate::InstructionFinding| {
        let now = it.now.as_ref().map(|it| format!(" → {it}"));
        format!("{} {}{}", it.rule, it.name, now.unwrap_or_default())
    };
    report
        .findings
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join(", ")
}

fn check(text: &str, expected: &str) {
    assert_eq!(
        format_findings(&check_text("AGENTS.md", text)),
        expected,
        "{text}"
    );
}

#[test]
fn paths_are_looked_up() {
    check("The config is in `src/config.rs`, the rest in `src/`.", "");
    check("Parsing is in `src/parser.rs`.", "gone src/parser.rs");
    check(
        "`src/worker.rs` works",
        "moved src/worker.rs → src/bin/worker.rs",
    );
    check(
        "Parsing is in `src/parser.rs:12-18`, see `src/parser.rs#L3`.",
        "gone src/parser.rs, gone src/parser.rs",
    );
    check("Parsers are in `src/parsers/`.", "gone src/parsers/");
    check(
        "Read [the plan](docs/plan.md) and [the guide](docs/guide.md#top).",
        "gone docs/plan.md",
    );
    check("More is in docs/plan.md today.", "gone docs/plan.md");
    check("@docs/plan.md", "gone docs/plan.md");
    check(
        "Tokens are kept by `src/token_store.ts`.",
        "moved src/token_store.ts → apps/web/src/session/token_store.ts",
    );
    check(
        "The format is `crates/io/src/wire.rs`.",
        "moved crates/io/src/wire.rs → crates/io/src/wire/",
    );
    check(
        "Start with `docs/design.md`.",
        "moved docs/design.md → docs/Design.md",
    );
    check(
        "Tokens are kept by `apps/web/src/session/tokenStore.ts`.",
        "moved apps/web/src/session/tokenStore.ts → apps/web/src/session/token_store.ts",
    );
    check(
        "Sessions are in `session/token_store.ts` and `io/src/reader`.",
        "",
    );
    check(
        "Inside a file: `src/config.rs/deep.rs`.",
        "gone src/config.rs/deep.rs",
    );
    check("A crate: `crates/net`.", "gone crates/net");
    check(
        "Below `apps/web`, state is in `src/state.ts`.",
        "gone src/state.ts",
    );
}

#[test]
fn paths_start_at_the_file() {
    let check = |file: &str, text: &str, expected: &str| {
        assert_eq!(format_findings(&check_text(file, text)), expected, "{text}");
    };
    check(
        "apps/web/AGENTS.md",
        "See `src/session/`, `../../docs/guide.md` and `Makefile`.",
        "",
    );
    check(
        "apps/web/AGENTS.md",
        "See [this](src/session/index.ts).",
        "gone src/session/index.ts",
    );
    check(
        "docs/AGENTS.md",
        "[guide](guide.md), [plan](plan.md)",
        "gone plan.md",
    );
}

#[test]
fn doubtful_paths_are_left_open() {
    check(
        "Globs: `src/**/*.rs`, `src/{a,b}.rs`, `tests/test_*.py`.",
        "",
    );
    check(
        "Run `pytest path/to/test.py`, `src/<name>.rs`, `src/$NAME.rs`, `src/foo.rs`, `src/my_module.rs`.",
        "",
    );
    check("Add a file `src/commands.rs` for each command.", "");
    check("Never import from `src/legacy.rs`.", "");
    check("There used to be `src/legacy.rs`.", "");
    check("Name it after the feature, e.g. `src/upload.rs`.", "");
    check(
        "## Example\n\nSee `src/upload.rs`.\n\n## Layout\n\nSee `src/upload.rs`.",
        "gone src/upload.rs",
    );
    check("For example:\n\n- `src/upload.rs`\n", "");
    check(
        "The log is `src/run.log`, yours is `src/local.toml`, `.venv/bin/python`.",
        "",
    );
    check(
        "Made: `dist/index.js`, `target/debug/app`, `node_modules/x/y.js`.",
        "",
    );
    check(
        "`~/.config/app.toml`, `/etc/app.toml`, `https://a.b/src/x.rs`, `@scope/pkg`, `and/or`, `text/html`, `origin/main`, `owner/repo`.",
        "",
    );
    check("Settings live in `settings.json`; `.env` too.", "");
    check("Push to the branch `docs/new-words`.", "");
    check(
        "[`src/other`](https://example.com) and [x](https://example.com/src/y.rs).",
        "",
    );
    check("```ts\nimport x from './src/nowhere.ts'\n```", "");
    check("Tools read `.github/copilot-instructions.md`.", "");
    check(
        "Settings are `.claude/settings.json` (project) and `.cargo/settings.toml`.",
        "gone .cargo/settings.toml",
    );
    check("Work may use `src/specs/`.", "");
    check(
        "```sh\n# Run a specific test\npytest tests/test_login.py\n```\nIts API is `web/commands`.",
        "",
    );
    check("~~`src/parser.rs`~~", "");
}

#[test]
fn records_of_the_past_are_left_open() {
    check("## Changelog\n\n- `src/parser.rs` reads blocks", "");
    check(
        "## 变更记录 (Changelog)\n\n| 2026-08-03 | 新增 `src/parser.rs` |",
        "",
    );
    check(
        "## [1.2.0] - 2026-08-03\n\n`src/parser.rs` reads blocks",
        "",
    );
    check("- 2026-08-03: `src/parser.rs` reads blocks", "");
    check(
        "- **2026-08-03** the reader of\n  `src/parser.rs` reads blocks",
        "",
    );
    check("解析器 `src/parser.rs` 已删", "");
    check("仓库没有 `src/parser.rs`", "");
    check(
        "```\n.\n├── src/\n│   ├── lib.rs\n│   └── parser.rs   # DELETED, see reader\n└── docs/\n```",
        "",
    );
    // A version is not a date, and what follows a dated item is not a part of it.
    check("- 2.0: `src/parser.rs` reads blocks", "gone src/parser.rs");
    check(
        "- 2026-08-03: begun\n- `src/parser.rs` reads blocks",
        "gone src/parser.rs",
    );
}

#[test]
fn names_that_are_not_paths_are_left_open() {
    check("Tests are called `tests/test-function_name.rs`.", "");
    check("Follow the pattern: `src/reader_block.rs`.", "");
    check("Import from `apps/web/src/session/token_store.js`.", "");
    check("`<Library>` is looked for in `src/Library.rs`.", "");
    check("The build copies assets to `src/assets/`.", "");
    check("The type is `src/config.Settings`.", "");
    check("Filter by `src/load_config`, which are two tables.", "");
}

#[test]
fn drawn_trees_are_read() {
    check(
        "```\n.\n├── src/\n│   ├── lib.rs\n│   └── parser.rs   # gone\n└── docs/\n```",
        "gone ./src/parser.rs",
    );
    check(
        "```text\napp/\n├── src/\n│   └── lib.rs\n├── web/\n│   └── x.ts\n└── docs/\n```",
        "gone app/web/",
    );
    check(
        "```\nsrc/\n├── (app)/\n│   ├── one/\n│   └── two/\n├── bin/\n└── lib.rs\n```",
        "",
    );
    check("```\nother/\n├── one.py\n└── two.py\n```", "");
}

#[test]
fn commands_are_looked_up() {
    check(
        "```bash\nnpm run test:unit\npnpm test:unti  # typo\nyarn lint && bun run lint\n```",
        "contradicted test:unti → test:unit",
    );
    check(
        "Run `npm run e2e` and `npm run deploy`.",
        "contradicted deploy",
    );
    check(
        "`pnpm install`, `pnpm vitest`, `yarn add x`, `bun test`, `npm run <script>`, `npm run $X`.",
        "",
    );
    check(
        "`make lint`, `make -j4 test VERSION=2`, `make release`, `make deploy`",
        "contradicted deploy",
    );
    check(
        "`just check`, `just c`, `just deploy`, `just --list`",
        "contradicted deploy",
    );
    check(
        "`task build`, `task db:up`, `task db:down`",
        "contradicted db:down",
    );
    check("`mise run serve`, `mise run deploy`", "contradicted deploy");
    check("`uv run poe fmt`, `poe lint-all`", "contradicted lint-all");
    check(
        "`cargo test -p app`, `cargo run --bin worker -- --bin x`, `cargo xtask ci`",
        "",
    );
    check(
        "`cargo test -p appx`, `cargo run --bin=apd`, `cargo test --test smok`",
        "contradicted appx → app, contradicted apd, contradicted smok → smoke",
    );
    check(
        "`cargo test -p app-CRATE`, `cargo install -p ripgrep`, `cargo test -p serde`",
        "",
    );
    check(
        "```sh\ncd apps/web\npython src/run.py\n```",
        "gone src/run.py",
    );
    check(
        "```sh\ncd $DIR\npython src/run.py\n```\n```sh\ngit clone x\n./src/run.py\n```",
        "",
    );
    check(
        "```sh\n./scripts/release.sh\n./scripts/publish.sh 1.0\nbash scripts/tidy.sh > src/out.txt\n```",
        "gone ./scripts/publish.sh, gone scripts/tidy.sh",
    );
    check(
        "```sh\npython -m app.jobs.nightly\npython -m app.jobs.weekly\npython -m pytest\n```",
        "gone app.jobs.weekly",
    );
    check(
        "```sh\ngo test ./src/... ./tools/...\nrg x src/gone.rs\n```",
        "gone src/gone.rs",
    );
    check(
        "```sh\n# create it\ntouch src/x.rs\ncat src/created.rs\n```",
        "gone src/created.rs",
    );
    check("Make sure to `make` it.", "");
}

#[test]
fn symbols_are_looked_up() {
    check(
        "`BlockReader::read_block`, `TokenStore.refreshToken()`, `load_config()`",
        "",
    );
    check(
        "Use `BlockReader::read_page` to read.",
        "gone BlockReader::read_page",
    );
    check(
        "Call `TokenStore.revokeToken()` first.",
        "gone TokenStore.revokeToken()",
    );
    check(
        "`parse_everything()` in `src/config.rs` does it.",
        "gone parse_everything()",
    );
    check(
        "`forgotten_helper()` in `src/config.rs` does it.",
        "gone forgotten_helper()",
    );
    check(
        "`private_helper()` in `crates/io/src/reader.rs` does it.",
        "",
    );
    check(
        "The types are `BlockReader`, `WireFormat` and `BlockWriter`.",
        "gone BlockWriter",
    );
    check(
        "Prefer `Option::is_some_and` and `StringBuilder`; `useEffect()` too.",
        "",
    );
    check(
        "Implement `From`, `TryFrom`, `AsRef` and `AsMut` for `BlockReader`.",
        "",
    );
    check(
        "The shim in `src/config.rs` makes the kit, which asks its `isAnythingThere()`, return early.",
        "",
    );
    check("Colours: `Kit.BlockReader.errorColour()`.", "");
    check("Do not add `BlockReader::read_page`.", "");
    check("Write a `BlockReader::read_page` once it lands.", "");
}

#[test]
fn an_unsearched_tree_has_no_missing_symbols() {
    let text = "Use `BlockReader::read_page` of `src/parser.rs`.";
    let report = check_in_tree("AGENTS.md", text, false);
    assert_eq!(format_findings(&report), "gone src/parser.rs");
}

#[test]
fn findings_say_what_was_looked_for_and_where() {
    let report = check_text("AGENTS.md", "# Ä\n\nSo – `npm run test:unti` it.\n");
    let found = &report.findings[0];
    assert_eq!((found.line, found.column, found.end_column), (3, 15, 24));
    assert_eq!(found.looked_for, "script test:unti");
    assert_eq!(found.looked_in, "package.json and 1 more");
    assert_eq!(
        found.message,
        "`test:unti` is not a script of package.json or 1 more; `test:unit` is there"
    );
    assert_eq!((report.ok, report.checked, report.open), (false, 1, 0));
}

#[test]
fn nothing_said_is_nothing_found() {
    for text in [
        "",
        "\n\n",
        "---\nglobs: src/x.rs\n---\n",
        "```",
        "[",
        "`",
        "|a|\n|-|\n",
    ] {
        assert!(check_text("AGENTS.md", text).ok, "{text}");
    }
}

#[test]
fn instruction_files_are_found_by_name() {
    let paths = [
        "AGENTS.md",
        "CONTRIBUTING.md",
        "GEMINI.md",
        "a/b/CLAUDE.md",
        "node_modules/x/AGENTS.md",
        ".cursorrules",
        ".cursor/rules/a.mdc",
        ".github/copilot-instructions.md",
        "docs/guide.md",
        "tests/fixtures/AGENTS.md",
    ];
    let paths = paths.iter().map(|it| it.parse().unwrap()).collect();
    let found: Vec<String> = find_instruction_files(&paths)
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        ".cursor/rules/a.mdc",
        ".cursorrules",
        ".github/copilot-instructions.md",
        "AGENTS.md",
        "GEMINI.md",
        "a/b/CLAUDE.md",
    ];
    assert_eq!(found, expected);
}
