"""Hooks: every client's documented payloads as a session in a prepared repository."""

import json
import os
import re

from corpus import prepared, scenario
from worlds import sample_folder

# The order in which a session sends them.
SESSIONS = {
    "claude-code": "SessionStart UserPromptSubmit PreToolUse-Edit PreToolUse-Bash PostToolUse PreCompact SessionStart-compact UserPromptSubmit Stop SessionEnd",
    "codex": "SessionStart UserPromptSubmit PreToolUse-apply_patch PreToolUse-Bash PostToolUse PreCompact UserPromptSubmit Stop SessionEnd",
    "copilot": "sessionStart userPromptSubmitted preToolUse postToolUse-view postToolUse-bash preCompact userPromptSubmitted agentStop sessionEnd",
    "copilot-pascal": "SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact UserPromptSubmit Stop SessionEnd",
    "gemini": "SessionStart BeforeAgent BeforeTool AfterTool-read_file AfterTool-run_shell_command PreCompress BeforeAgent AfterAgent SessionEnd",
    "cursor": "sessionStart beforeSubmitPrompt preToolUse postToolUse-Read postToolUse-Shell preCompact beforeSubmitPrompt stop sessionEnd",
    "vscode": "SessionStart UserPromptSubmit PreToolUse-editFiles PreToolUse-run_in_terminal PostToolUse PreCompact UserPromptSubmit Stop",
}
CLIENTS = ("claude-code", "codex", "copilot", "gemini", "cursor", "vscode")


def read_payload(w, folder, name):
    """A sample in the words of this world."""
    text = (sample_folder(folder) / f"{name}.json").read_text()
    return text.replace("/home/ada/shop", str(w.repo)).replace("/home/ada", str(w.home))


def send(w, folder, name, client=None, env=None):
    client = client or folder.removesuffix("-pascal")
    w.cli(f"hook --client {client} {name.split('-')[0]}", given=read_payload(w, folder, name), env=env, name=f"{folder} {name} to {client}")


def leave_session(w, folder):
    """A session that nobody looks at as it goes; every hook in it took five milliseconds."""
    for name in SESSIONS[folder].split():
        w.run(f"hook --client {folder} {name.split('-')[0]}", given=read_payload(w, folder, name))
    for ledger in sorted((w.home / ".local/share/apostille/sessions").glob("*")):
        if ledger.is_file():
            ledger.write_text(re.sub(r'"took":\d+', '"took":5000', ledger.read_text()))
    return find_session(w, folder)


def write_transcript(w, folder):
    """What was said, in the client's own form, where its payloads say that it stands."""
    for path in sorted(sample_folder(folder).glob("*.json")):
        payload = json.loads(read_payload(w, folder, path.stem))
        place = payload.get("transcript_path") or payload.get("transcriptPath")
        if place:
            break
    else:
        return
    lines = [transcript_line(folder, n, who, text) for n, (who, text) in enumerate(prepared.SAID)]
    file = w.write(place, "".join(json.dumps(it) + "\n" for it in lines), base=w.home)
    # A file that was written just now is waited for.
    os.utime(file, (1_770_000_000, 1_770_000_000))


def transcript_line(folder, n, who, text):
    at = f"2026-03-01T13:{n:02}:00Z"
    is_user = who == "user"
    if folder == "codex":
        kind = "input_text" if is_user else "output_text"
        payload = {"type": "message", "role": "user" if is_user else "assistant", "content": [{"type": kind, "text": text}]}
        return {"timestamp": at, "type": "response_item", "payload": payload}
    if folder in ("copilot", "copilot-pascal", "vscode"):
        return {"timestamp": at, "type": "user.message" if is_user else "assistant.message", "data": {"content": text}}
    if folder == "gemini":
        return {"id": str(n), "timestamp": at, "type": "user" if is_user else "gemini", "content": text}
    role = "user" if is_user else "assistant"
    content = text if is_user else [{"type": "text", "text": text}]
    return {"type": role, "uuid": f"line-{n}", "timestamp": at, "role": role, "message": {"id": str(n), "role": role, "content": content}}


def add_session(folder, names):
    @scenario(f"hooks/{folder}")
    def play(w):
        prepared.prepare(w)
        write_transcript(w, folder)
        env = {"COPILOT_CLI": "1"} if folder.startswith("copilot") else None
        for name in names.split():
            send(w, folder, name, env=env)
        session = find_session(w, folder)
        for line in (f"why --session {session}", f"why --all --session {session}", "why --list", "why"):
            w.both(line)
        w.cli(f"hook --after={session} --json")
        w.cli(f"hook --after={session}")
        w.wait(hours=2)
        w.cli("hook --after --json")
        for line in ("list --status pending --json", "list --layer episode --json", "review", "report --since 30d", f"why --all --session {session} --json", "log -n 15 --json"):
            w.cli(line)
        send(w, folder, names.split()[0], env=env)


def find_session(w, folder):
    payload = json.loads(read_payload(w, folder, SESSIONS[folder].split()[1]))
    return payload.get("session_id") or payload.get("sessionId") or payload.get("conversation_id")


for _folder, _names in SESSIONS.items():
    add_session(_folder, _names)


def add_crossing(folder):
    @scenario(f"hooks/{folder}-to-others")
    def cross(w):
        """The payloads of one client in the settings of another."""
        prepared.prepare(w)
        for client in CLIENTS:
            if client != folder:
                for path in sorted(sample_folder(folder).glob("*.json")):
                    send(w, folder, path.stem, client)
        w.cli("why --list --json")


for _folder in SESSIONS:
    add_crossing(_folder)


@scenario("hooks/prompts")
def ask_prompts(w):
    """Prompts of one session, and of several."""
    prepared.prepare(w)
    base = {"cwd": str(w.repo), "hook_event_name": "UserPromptSubmit"}
    for session, prompt in (("s1", "how large may an upload be?"), ("s1", "how large may an upload be?"), ("s1", "which api version does the client need?"), ("s1", "fix the test"), ("s1", "how did we fix the outage of the retries?"),
                            ("s2", "ignore memory: how large may uploads be?"), ("s2", "and the cache?"), ("s2", "what about src/checkout.rs"), ("s3", ""), ("s3", "hello"), ("s4", "Was ist mit der API_VERSION?"), ("s5", "upload " * 400)):
        w.cli("hook UserPromptSubmit", given=json.dumps(base | {"session_id": session, "prompt": prompt}), name=f"{session}: {prompt[:60]}")
    for tool, given in (("Edit", {"file_path": str(w.repo / "src/limits.rs")}), ("Write", {"file_path": "src/cache.rs"}), ("Bash", {"command": "cat src/checkout.rs src/api.rs"}), ("Read", {"file_path": "/etc/passwd"}), ("WebFetch", {"url": "https://example.com"}), ("Nonsense", 7)):
        for event in ("PreToolUse", "PostToolUse"):
            w.cli(f"hook {event}", given=json.dumps({"cwd": str(w.repo), "session_id": "s9", "hook_event_name": event, "tool_name": tool, "tool_input": given}), name=f"{event} {tool}")
    w.cli('remember --kind feedback "said after a page was read"', env={"CLAUDE_CODE_SESSION_ID": "s9", "CLAUDECODE": "1"})
    for source in ("startup", "resume", "clear", "compact"):
        w.cli("hook SessionStart", given=json.dumps({"cwd": str(w.repo), "session_id": "s6", "hook_event_name": "SessionStart", "source": source}), name=f"SessionStart {source}")
    for name in ("s1", "s2", "s9", "nonsense", "s"):
        w.both(f"why --session {name} --all")
    w.both("why --list")
    w.terminal("why --session s1 --all")
    w.cli("forget m-2 --yes")
    w.both("why --session s1 --all")
    for mode in ("off", "recent_only"):
        w.cli("hook UserPromptSubmit", given=json.dumps(base | {"session_id": f"m-{mode}", "prompt": "upload limit"}), env={"APOSTILLE_INJECT_MODE": mode}, name=f"inject mode {mode}")


@scenario("hooks/hostile")
def send_nonsense(w):
    prepared.prepare(w)
    for client in CLIENTS + ("someone-else",):
        for given in ("", "{", "[]", "7", "{}", '{"session_id": 7, "prompt": []}', '{"session_id":"../../x","cwd":"/nowhere","prompt":"upload limit"}', "x" * 5000):
            w.cli(f"hook --client {client} UserPromptSubmit", given=given, name=f"{client} UserPromptSubmit {given[:40]}")
        w.cli(f"hook --client {client} SomethingNew", given="{}")
    for line in ("hook", "hook --no-such-flag", "hook -C src UserPromptSubmit", "hook --after=nobody", "hook --after=nobody --json", "hook --store sqlite:/nowhere/x.db UserPromptSubmit"):
        w.cli(line, given='{"session_id":"s1","prompt":"how large may uploads be?"}')
    w.write(".local/share/apostille/memories.db", "this is no database", base=w.home)
    for client in CLIENTS:
        w.cli(f"hook --client {client} UserPromptSubmit", given='{"session_id":"s1","prompt":"how large may uploads be?"}', name=f"{client} with a damaged store")
    w.cli("hook UserPromptSubmit", given="{}", cwd=w.folder, name="outside of a repository")


@scenario("hooks/lines")
def hook_with_lines(w):
    """The same with the memories in a file of the repository."""
    w.variables["APOSTILLE_STORE"] = "jsonl:.apostille/memories.jsonl"
    prepared.prepare(w)
    for name in SESSIONS["claude-code"].split():
        send(w, "claude-code", name)
    w.both("why --all")


@scenario("hooks/empty")
def hook_without_store(w):
    prepared.make_repository(w)
    for name in SESSIONS["claude-code"].split():
        send(w, "claude-code", name)
    w.record("was a store made?", str((w.home / ".local/share/apostille/memories.db").exists()) + "\n")
