"""`init` for every client, and `doctor` about what it wrote."""

from corpus import prepared, scenario

CLIENTS = ("claude-code", "codex", "copilot", "gemini", "cursor", "vscode")
NO_PROGRAM = {"PATH": "/usr/bin:/bin"}


def add_client(client):
    @scenario(f"init/{client}")
    def set_up(w):
        prepared.make_repository(w)
        w.both(f"init --client {client} --dry-run")
        w.cli(f"init --client {client}")
        w.both(f"init --client {client} --yes")
        w.record_tree("what was written here", w.repo, skips=(".git", "src", "crates", "docs"))
        w.record_file(w.repo / ".git/info/exclude")
        w.cli(f"init --client {client} --yes")
        w.both("doctor")
        w.both("init --undo --dry-run")
        w.cli("init --undo --yes")
        w.cli("init --undo --yes")
        w.record("left here", w.git("status --short") + "\n")
        w.both(f"init --client {client} --user --dry-run")
        w.cli(f"init --client {client} --user --yes")
        w.record_tree("what was written at home", w.home, skips=(".git", "shop", "apostille.lock", "init"))
        w.both("doctor")
        w.both("init --user --undo --yes")
        w.record_tree("left at home", w.home, skips=(".git", "shop", "init"))
        for flag in ("--no-mcp", "--no-hooks", "--no-rules"):
            w.cli(f"init --client {client} --dry-run {flag}")
        w.cli(f"init --client {client} --dry-run", env=NO_PROGRAM, name="init --dry-run, not on the path")
        w.terminal(f"init --client {client}", typed="n\n")


for _client in CLIENTS:
    add_client(_client)


@scenario("init/all")
def set_up_all(w):
    prepared.make_repository(w)
    for line in ("init", "init --dry-run", "init --yes", "init --undo", "init --client nonsense", "init --undo --client codex", "init --shared --user", "init --shared --undo"):
        w.both(line)
    files = {
        ".mcp.json": '{\n  // ours\n  "mcpServers": {\n    "other": {"command": "other"}\n  }\n}\n', ".claude/settings.local.json": '{"permissions": {"allow": ["Bash(ls)"]}}',
        ".codex/config.toml": "# mine\nmodel = \"large\"\n", ".gemini/settings.json": "{\n\t\"theme\": \"dark\"\n}", ".cursor/mcp.json": "not json", ".vscode/mcp.json": "{}\n",
        ".github/hooks/apostille.json": "[]", "AGENTS.md": "# Rules\n\nBe kind.", "CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": "# Gemini\r\n\r\nBe brief.\r\n",
    }
    for path, text in files.items():
        w.write(path, text)
    w.both("init --dry-run")
    w.both("init --yes")
    w.record_tree("what was written into what was there", w.repo, skips=(".git", "src", "crates", "docs"))
    w.both("doctor")
    w.write("AGENTS.md", (w.repo / "AGENTS.md").read_text() + "\nOne more rule.\n")
    w.both("init --undo --yes")
    w.record_tree("what was left", w.repo, skips=(".git", "src", "crates", "docs"))
    w.terminal("init", typed="y\n")
    w.terminal("doctor")
    w.terminal("init --undo", typed="y\n")
    w.write("apostille.toml", 'store = "jsonl:elsewhere.jsonl"\n')
    w.both("init --shared --dry-run")
    w.cli("init --dry-run", cwd=w.folder, name="init --dry-run (outside of a repository)")
