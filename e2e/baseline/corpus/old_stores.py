"""Stores that the old binary made, opened by any binary. Nothing is replaced in ids here: both open the same bytes."""

import shutil

import worlds
from corpus import command_line, hooks, prepared
from talking import Server, Talk, record_call, show_message

LINES = (
    "list -n 200", "list -n 200 --status superseded --status invalid --status retired", "list --all-spaces", "recent", "stats", "stats --all-spaces", "log -n 200", "log -n 200 --all-spaces", "export", "export --format jsonl", "export --format markdown",
    "export --all-spaces", "verify --dry-run", "verify --at HEAD~2", "audit", "review", "breaker", "doctor", "config", "why --list", "why", "why --all", "report --since 60d", "report --all", "task list", "task list --all", "task show", "task show checkout-retries", "token",
    "recall upload limit", "recall --why retries of the checkout", "recall --episodes outage", "recall --block api version", "recall shiping cots", "recall zzzz",
)
# These change the store; they come last.
WRITES = (
    'remember --kind feedback "said after the upgrade"', 'remember --kind feedback "run the linter before each commit"', "refresh m-1", 'supersede m-4 --cite src/cache.rs:3 "TTL_SECONDS is 600, as before"', 'invalidate m-6 --reason "it checks now"', "apply m-1", "verify",
    "hook --after --json", 'task note "said after the upgrade"', 'task done --outcome "it works"', "list -n 200", "log -n 20", "doctor",
)
PERSON_WRITES = ("approve m-14", "forget m-9 --yes", "rollback --to 2026-03-01T12:20:00Z --dry-run", "rollback --to 2026-03-01T12:20:00Z --yes", "rollback --undo --yes", "review --reject m-15 --reason no", "list -n 200 --json", "token revoke ci", "init --undo --yes")


def build_store(w):
    """Everything that is kept on a disk: memories, sessions, caches, tasks, tokens, what `init` wrote."""
    prepared.prepare(w)
    for folder in ("claude-code", "codex", "gemini"):
        hooks.write_transcript(w, folder)
        hooks.leave_session(w, folder)
        if folder != "gemini":
            w.run(f"hook --after={hooks.find_session(w, folder)}")
    w.run('remember --kind feedback "for another repository" --repo acme/other')
    w.run('remember --user --as bob "likes green"')
    w.run("token create ci --space acme/shop")
    w.run("token create boss --access review", person=True)
    for fact in ("wants short names", "wants long names", "wants no names"):
        w.run(f'remember --session loud --kind feedback "{fact}"', env={"APOSTILLE_BREAKERS_BURST": "2"})
    w.run("init --client claude-code --client codex --yes")
    w.run("verify")
    record_call(w, "memory", {"command": "create", "path": "/memories/notes.md", "file_text": "# Notes\n- one\n"}, "--profile files")
    record_call(w, "memory_store", {"text": "a note of the notebook"}, "--profile simple")


STORES = {
    "sqlite": {},
    "jsonl": {"APOSTILLE_STORE": "jsonl:.apostille/memories.jsonl"},
}


def make_stores(folder):
    """Each kind of store in a folder of its own, as a whole home."""
    for kind, variables in STORES.items():
        w = worlds.World(f"stores/{kind}", [])
        w.variables |= variables
        build_store(w)
        shutil.copytree(w.home, folder / kind, symlinks=True)
        (folder / f"{kind}.now").write_text(w.stamp())
        w.close()


def list_scenarios(folder):
    """One scenario for each store that was made."""
    return [(f"stores/{kind}", make_scenario(folder, kind, variables)) for kind, variables in STORES.items() if (folder / kind).exists()]


def make_scenario(folder, kind, variables):
    def play(w):
        shutil.rmtree(w.home)
        shutil.copytree(folder / kind, w.home, symlinks=True)
        w.now = worlds.datetime.datetime.strptime((folder / f"{kind}.now").read_text(), "%Y-%m-%dT%H:%M:%SZ")
        w.variables |= variables
        w.keeps_ids = True
        look_through(w)
        w.keeps_ids = False
        go_on(w)

    return play


def look_through(w):
    for line in LINES:
        w.both(line)
    for number in range(1, 32):
        w.both(f"show m-{number}")
    for number in range(1, 6):
        w.cli(f"show u-{number} --json")
    for folder in ("claude-code", "codex", "gemini"):
        w.both(f"why --all --session {hooks.find_session(w, folder)}")
    talk = Talk(w)
    for uri in ("apostille://recent", "apostille://briefing", "apostille://audit", "apostille://memory/m-3"):
        w.record(f"resources/read {uri}", show_message(talk.ask("resources/read", {"uri": uri})))
    talk.close()
    record_call(w, "memory", {"command": "view", "path": "/memories"}, "--profile files")
    record_call(w, "memory", {"command": "view", "path": "/memories/notes.md"}, "--profile files")
    record_call(w, "memory_search", {}, "--profile simple")
    record_call(w, "memory_get_recent", {}, "--profile verified")
    s = Server(w)
    for path in ("/api/memories?limit=200", "/api/events?limit=200", "/api/spaces", "/api/stats", "/api/sessions", "/api/tasks?all=true"):
        s.get(path)
    p = s.open_panel()
    for path in ("/", "/sessions", "/tasks", "/vitals", "/review", "/memories/m-2"):
        p.page(path)
    s.close()


def go_on(w):
    """The store is written to, and read again."""
    for name in hooks.SESSIONS["claude-code"].split():
        hooks.send(w, "claude-code", name)
    for line in WRITES:
        w.both(line)
    for line in PERSON_WRITES:
        w.person(line)
    if "APOSTILLE_STORE" in w.variables:
        w.record_tree("the files", w.repo / ".apostille")
