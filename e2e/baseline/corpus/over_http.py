"""The API, and what else answers behind the socket."""

import json
import re
import socket
import subprocess
import time

import normalising
from corpus import command_line, hooks, prepared, scenario
from talking import Server, show_event_line

SECRET = command_line.SECRET


def serve(w, *, lives_on=True, flags="--log off", person=True, env=None):
    prepared.prepare(w, lives_on=lives_on)
    return Server(w, flags, person, env)


@scenario("http/reads", also="schema/http")
def read_everything(w):
    prepared.prepare(w)
    session = hooks.leave_session(w, "claude-code")
    s = Server(w)
    w.record("the first line", normalising.show_text(s.line)[1])
    for path in (
        "/api/memories", "/api/memories?layer=identity", "/api/memories?layer=knowledge&layer=episode", "/api/memories?kind=feedback", "/api/memories?status=pending", "/api/memories?status=superseded&status=invalid", "/api/memories?origin=user",
        "/api/memories?tag=limits", "/api/memories?path=src", "/api/memories?task=faster-uploads", "/api/memories?text=upload", "/api/memories?since=3d", "/api/memories?until=2026-03-02", "/api/memories?order=recent", "/api/memories?order=oldest",
        "/api/memories?order=nonsense", "/api/memories?limit=2", "/api/memories?limit=0", "/api/memories?limit=x", "/api/memories?kind=nonsense", "/api/memories?nonsense=1", "/api/memories?repo=acme/other", "/api/memories?repo=nonsense", "/api/memories?after=nonsense",
        "/api/memories/m-1", "/api/memories/m-2", "/api/memories/m-3", "/api/memories/u-1", "/api/memories/m-99", "/api/memories/nonsense", "/api/memories/m-20", "/api/memories/%ff",
        "/api/review", "/api/review?limit=1", "/api/breakers", "/api/audit", "/api/audit?only=stale", "/api/audit?only=nonsense", "/api/audit?thorough=true", "/api/audit?limit=1", "/api/stats", "/api/spaces", "/api/spaces?limit=1",
        "/api/events", "/api/events?limit=3", "/api/events?memory=m-2", "/api/events?memory=m-99", "/api/events?changes=true", "/api/events?order=oldest&limit=3", "/api/events?after=nonsense", "/api/report", "/api/report?since=30d", "/api/report?since=nonsense",
        "/api/report?since=2026-03-01&until=2026-03-02", "/api/sessions", "/api/sessions?limit=1", f"/api/sessions/{session}", f"/api/sessions/{session}?all=true", "/api/sessions/nonsense", "/api/tasks", "/api/tasks?all=true", "/api/tasks/faster-uploads",
        "/api/tasks/checkout-retries", "/api/tasks/nonsense", "/api/export", "/api/export?format=jsonl", "/api/export?format=markdown", "/api/export?format=nonsense", "/api/nonsense", "/api", "/api/", "/health", "/ready", "/nonsense", "/panel.css", "/panel.js", "/mcp",
    ):
        s.get(path)
    page_through(s, "/api/memories?limit=7")
    page_through(s, "/api/events?limit=20")
    answer = s.send("GET", "/api/openapi.json", {"Authorization": f"Bearer {s.token}"})
    name, w.name = w.name, "schema/http"
    w.record("openapi.json", normalising.show_json(json.loads(answer[2]), sorts=True) + "\n")
    w.name = name
    for body in ({}, {"query": "how large may an upload be?"}, {"query": "retries", "limit": 1}, {"paths": ["src/checkout.rs"]}, {"query": "outage", "episodes": True}, {"query": "upload", "log": False}, {"query": 7}, {"limit": 0}, {"nonsense": 1}, {"paths": ["../x"]}, []):
        s.post("/api/recall", body)
    for body in ({}, {"names": ["m-1", "m-5"]}, {"names": ["m-99"]}, {"path": "src/limits.rs"}, {"names": "m-1"}, {"names": ["nonsense"]}):
        s.post("/api/verify", body)
    for path in ("/api/memories", "/api/recall", "/api/stats", "/health"):
        s.ask("PUT", path)
        s.ask("HEAD", path)
        s.ask("OPTIONS", path)
    s.close()


def show_log(text):
    """The lines of a log, sorted: in which order they are written is nobody's promise."""
    lines = [json.loads(it) for it in text.splitlines() if it.startswith("{")]
    return "".join(sorted(json.dumps(it | {"id": re.sub(r"^[0-9a-f]+-\d+$", "<request>", it.get("id", "")), "ms": 0}) + "\n" for it in lines))


def page_through(s, path):
    after, n = "", 0
    while after is not None and n < 8:
        n += 1
        answer = s.send("GET", path + (f"&after={after}" if after else ""), {"Authorization": f"Bearer {s.token}"})
        found = json.loads(answer[2])
        s.world.record(f"page {n} of {path}", normalising.show_json(found) + "\n")
        after = found.get("next")


@scenario("http/writes")
def write_everything(w):
    s = serve(w)
    new = {"fact": "GATEWAY points to the gateway of the bank", "citations": ["crates/api/src/lib.rs:3"], "subject": "gateway", "reason": "the only one", "tags": ["pay"]}
    bare = {"fact": "TTL_SECONDS is 600 so that prices are never older than ten minutes", "citations": ["src/cache.rs:3"]}
    for path, body in (
        ("/api/memories", new), ("/api/memories", new), ("/api/memories", new | {"fact": "GATEWAY points to the gateway of our bank"}), ("/api/memories", new | {"fact": "GATEWAY points to the gateway of our bank", "skip": True}),
        ("/api/memories", new | {"fact": "GATEWAY points to the gateway of our bank", "merge_with": "m-27"}), ("/api/memories", new | {"fact": "GATEWAY leads to the gateway of another bank", "rationale": "another"}),
        ("/api/memories", bare), ("/api/memories", bare | {"skip": True}), ("/api/memories", bare | {"rationale": "said once more"}), ("/api/memories", bare | {"merge_with": "m-4"}), ("/api/memories", bare | {"merge_with": "nonsense"}),
        ("/api/memories", {"fact": "prefers English", "kind": "user"}), ("/api/memories", {"fact": "works at night", "layer": "identity"}), ("/api/memories", {"fact": "it took an hour", "layer": "episode"}), ("/api/memories", {"fact": "no proof"}), ("/api/memories", {"fact": SECRET, "kind": "feedback"}),
        ("/api/memories", {"fact": ""}), ("/api/memories", {}), ("/api/memories", {"fact": "x" * 600, "kind": "feedback"}), ("/api/memories", {"fact": "a", "kind": "nonsense"}), ("/api/memories", {"fact": "a", "nonsense": 1}), ("/api/memories", {"fact": "API_VERSION is 12", "citations": ["src/api.rs:4"]}),
        ("/api/memories", {"fact": "cites badly", "citations": ["nowhere"]}), ("/api/memories", {"fact": "from a page", "kind": "feedback", "tainted": True}), ("/api/memories?repo=acme/other", {"fact": "for another", "kind": "feedback"}), ("/api/memories", [1]),
        ("/api/memories/m-2/supersede", {"fact": "uploads are limited to 25 MB by MAX_UPLOAD", "citations": ["src/limits.rs:3"]}), ("/api/memories/m-2/supersede", {"fact": "again"}), ("/api/memories/m-2/supersede", {}), ("/api/memories/m-99/supersede", {"fact": "nothing"}),
        ("/api/memories/m-9/correct", {"fact": "run the linter and the tests before every commit"}), ("/api/memories/m-4/correct", {"fact": "TTL_SECONDS is 600 for the prices", "reason": "they change"}), ("/api/memories/m-4/correct", {"fact": SECRET}),
        ("/api/memories/m-1/refresh", {}), ("/api/memories/m-5/refresh", {}), ("/api/memories/m-99/refresh", {}), ("/api/memories/m-6/invalidate", {"reason": "it checks now"}), ("/api/memories/m-6/invalidate", {"reason": "again"}), ("/api/memories/m-7/invalidate", {}),
        ("/api/memories/m-10/invalidate", {"reason": "an agent"}), ("/api/memories/m-1/apply", {}), ("/api/memories/m-99/apply", {}), ("/api/memories/m-12/promote", {}), ("/api/memories/m-12/promote", {"subject": "retries", "reason": "it cost a day", "kind": "feedback"}),
        ("/api/memories/m-13/promote", {"layer": "episode", "task": "checkout-retries"}), ("/api/memories/m-1/promote", {}), ("/api/memories/m-14/approve", {}), ("/api/memories/m-14/reject", {"reason": "no"}), ("/api/memories/m-14/reword", {"fact": "in other words"}), ("/api/memories/m-14/merge", {"into": "m-1"}),
        ("/api/breakers/close", {}), ("/api/memories/m-1/nonsense", {}), ("/api/nonsense", {}),
    ):
        s.post(path, body)
    for path in ("/api/memories/m-8", "/api/memories/m-8", "/api/memories/m-10", "/api/memories/m-14", "/api/memories/m-99", "/api/memories/m-7?reason=done", "/api/memories/nonsense"):
        s.ask("DELETE", path)
    for path, body in (("/api/import?dry_run=true", "# House rules\n\n- Run the linter before every push\n- Write tests first\n"), ("/api/import?format=rules", "# House rules\n\n- Run the linter before every push\n"), ("/api/import?format=rules&trust=true", "# House rules\n\n- Write tests first\n"),
                       ("/api/import?name=AGENTS.md", "# Rules\n\n- Speak plainly\n"), ("/api/import", "nonsense"), ("/api/import?format=nonsense", "x"), ("/api/import", ""), ("/api/import?format=rules", f"- {SECRET}\n")):
        s.ask("POST", path, body, headers={"Content-Type": "text/plain"})
    s.ask("POST", "/api/memories", "nonsense", headers={"Content-Type": "application/json"})
    s.ask("POST", "/api/memories", '{"fact":"wrong kind"}', headers={"Content-Type": "text/plain"})
    s.ask("POST", "/api/memories", "x" * (1 << 20) + "x", headers={"Content-Type": "application/json"}, name="a body that is too long")
    s.get("/api/memories?limit=200")
    s.get("/api/events?limit=100")
    s.get("/api/stats")
    s.close()


@scenario("http/review")
def review_over_http(w):
    prepared.prepare(w)
    token = command_line.create_token(w, "token create boss --access review", person=True)
    s = Server(w)
    for path, body in (("/api/memories/m-14/reword", {"fact": "the proxy caches answers for ten minutes", "subject": "proxy"}), ("/api/memories/m-15/merge", {"into": "m-1"}), ("/api/memories/m-15/merge", {"into": "m-99"}), ("/api/memories/m-15/merge", {}),
                       ("/api/memories/m-16/reject", {"reason": "an order"}), ("/api/memories/m-16/reject", {}), ("/api/memories/m-16/approve", {}), ("/api/memories/m-1/approve", {}), ("/api/memories/m-99/approve", {}), ("/api/breakers/close", {}), ("/api/breakers/close", {"actor": "ci"}),
                       ("/api/import?format=rules&trust=true", None), ("/api/memories/m-10/invalidate", {"reason": "a person says so"})):
        s.post(path, body, token=token)
    s.ask("POST", "/api/import?format=rules&trust=true", "# Rules\n\n- Write tests first\n", token=token, headers={"Content-Type": "text/plain"})
    s.ask("DELETE", "/api/memories/m-11", token=token)
    s.get("/api/review", token=token)
    s.get("/api/events?limit=20", token=token)
    s.close()


@scenario("http/entry")
def try_to_enter(w):
    prepared.prepare(w)
    read = command_line.create_token(w, "token create look --space acme/shop")
    write = command_line.create_token(w, "token create bot --access write --days 30")
    other = command_line.create_token(w, "token create other --space acme/other")
    s = Server(w, "--log all")
    for path in ("/api/memories", "/api/stats", "/metrics", "/mcp", "/api/live", "/", "/tasks", "/api/nonsense", "/nonsense", "/api/openapi.json"):
        s.get(path, token="", name=f"GET {path} without a token")
        s.get(path, token="guess", name=f"GET {path} with a guess")
    for token, title in ((read, "read"), (write, "write"), (other, "other")):
        for path in ("/api/memories", "/api/memories/u-1", "/api/spaces", "/api/stats", "/api/export", "/api/tasks", "/api/sessions"):
            s.get(path, token=token, name=f"GET {path} with {title}")
        for path, body in (("/api/memories", {"fact": f"said with {title}", "kind": "feedback"}), ("/api/memories", {"fact": f"own, said with {title}", "kind": "user"}), ("/api/memories/m-14/approve", {}), ("/api/recall", {"query": "upload"}), ("/api/verify", {})):
            s.post(path, body, token=token, name=f"POST {path} {body} with {title}")
        s.ask("DELETE", "/api/memories/m-9", token=token, name=f"DELETE with {title}")
        s.say("tools/list", {}, token=token) if title != "write" else None
    for headers in ({"Host": "evil.example"}, {"Host": "localhost"}, {"Host": None}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Authorization": "Basic x"}, {"Accept": "text/html"}, {"Accept-Encoding": "gzip"}, {"X-Request-Id": "mine-1"}, {"If-None-Match": '"x"'}):
        s.ask("POST", "/api/recall", {"query": "upload"}, headers=headers, name=f"recall with {headers}")
        s.ask("GET", "/api/stats", headers=headers, name=f"stats with {headers}")
    w.run("token revoke look")
    s.get("/api/memories", token=read, name="after it was revoked")
    w.wait(days=40)
    s.close()
    w.record("the log", show_log(s.log))
    late = Server(w)
    late.get("/api/memories", token=write, name="after it was over")
    late.close()
    free = Server(w, "--no-token --log off", person=False)
    w.record("the first line without tokens", normalising.show_text(free.line)[1])
    free.get("/api/stats", token="")
    free.post("/api/memories/m-14/approve", {}, token="")
    free.close()
    brought = Server(w, env={"APOSTILLE_TOKEN": "brought"})
    w.record("the first line with a token of one's own", normalising.show_text(brought.line)[1])
    brought.get("/api/stats", token="brought")
    w.cli(f"serve --port {brought.port}", name="serve on a port that is taken")
    brought.close()
    record_greeting(w)
    for line in ("serve --port x", "serve --limit rate", "serve --limit rate=0", "serve --limit nonsense=1", "serve --log nonsense", "serve --profile nonsense"):
        w.cli(line)


def record_greeting(w):
    """What `serve` says to somebody who reads."""
    child = subprocess.Popen([w.program, "serve", "--port", "0"], cwd=w.repo, env=w.environment(person=True), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = "".join(child.stdout.readline().decode() for _ in range(5))
    wait_for_health(int(re.search(r":(\d+)/", said).group(1)))
    child.terminate()
    said += child.stdout.read().decode()
    w.record("serve, as text", re.sub(r"[0-9a-f]{32,}", "<secret>", said) + f"exit {child.wait(10)}\n")
    child.stdout.close()


def wait_for_health(port):
    """Until it answers, it does not listen to signals either."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stream:
        stream.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while stream.recv(4096):
            pass


@scenario("http/metrics")
def read_metrics(w):
    s = serve(w)
    for path in ("/health", "/api/memories", "/api/memories/m-1", "/nonsense"):
        s.get(path)
    text = s.send("GET", "/metrics", {"Authorization": f"Bearer {s.token}"})[2].decode()
    names = sorted({re.sub(r" [^ ]+$", "", it) for it in text.splitlines()})
    w.record("metrics, without values", "\n".join(names) + "\n")
    s.close()


@scenario("http/mcp")
def call_mcp_over_http(w):
    s = serve(w)
    for method, params, name in (("tools/call", {"name": "memory_recall", "arguments": {"query": "api version"}}, "memory_recall"), ("tools/call", {"name": "memory_remember", "arguments": {"fact": "said over http", "kind": "feedback"}}, "memory_remember"),
                                 ("tools/call", {"name": "memory_verify", "arguments": {}}, "memory_verify"), ("tools/call", {"name": "memory_forget", "arguments": {"id": "m-10", "user_agreed": True}}, "memory_forget"), ("tools/call", {"name": "nonsense"}, "nonsense"),
                                 ("resources/read", {"uri": "apostille://briefing"}, "apostille://briefing"), ("prompts/get", {"name": "memory-rules"}, "memory-rules"), ("resources/list", {}, ""), ("prompts/list", {}, ""), ("ping", {}, ""), ("nonsense", {}, "")):
        s.say(method, params, name)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}}
    headers = {"Accept": "application/json, text/event-stream"}
    answer = s.ask("POST", "/mcp", hello, headers=headers)
    session = dict(answer[1]).get("mcp-session-id")
    w.hide(session, "<mcp session>")
    within = headers | {"MCP-Protocol-Version": "2025-06-18"} | ({"Mcp-Session-Id": session} if session else {})
    s.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=within)
    s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_recall", "arguments": {"query": "retries"}}}, headers=within)
    s.ask("DELETE", "/mcp", headers=within)
    s.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 3, "method": "ping"}, headers=within, name="ping after the end")
    s.ask("POST", "/mcp", "nonsense", headers=headers | {"Content-Type": "application/json"})
    s.ask("POST", "/mcp", hello, headers={}, name="initialize without accept")
    s.close()


@scenario("http/live")
def listen_live(w):
    s = serve(w)
    with listen(s) as ear:
        first = read_until(ear, b"\n\n")
        w.run('invalidate m-6 --reason "no longer so"')
        change = read_until(ear, b"data: ")
        w.run("forget m-9 --yes")
        second = read_until(ear, b"data: ")
    shown = "".join(show_event_line(it) for part in (first, change, second) for it in part.decode().splitlines())
    shown = re.sub(r"(?m)^date: .*$", "date: <date>", shown)
    w.record("what is told", re.sub(r"(?m)^x-request-id: .*$", "x-request-id: <request>", shown))
    last = re.search(rb"id: (\S+)", change)
    with listen(s, {"Last-Event-ID": last.group(1).decode() if last else "0.0"}) as ear:
        missed = read_until(ear, b"data: ")
    w.record("what was missed", "".join(show_event_line(it) for it in missed.decode().split("\r\n\r\n")[-1].splitlines()))
    s.get("/api/live?repo=acme/nothing")
    s.close()
    small = Server(w, "--log off --limit listeners=4")
    with listen(small) as ear:
        read_until(ear, b"\n\n")
        small.get("/api/live", name="a second listener of the same token")
    small.close()


def listen(s, headers=None):
    stream = socket.create_connection(("127.0.0.1", s.port), timeout=10)
    lines = "".join(f"{k}: {v}\r\n" for k, v in ({"Host": f"127.0.0.1:{s.port}", "Authorization": f"Bearer {s.token}"} | (headers or {})).items())
    stream.sendall(f"GET /api/live HTTP/1.1\r\n{lines}\r\n".encode())
    return stream


def read_until(stream, mark):
    """Everything up to the end of the line or paragraph with this mark, without the sizes of the chunks."""
    data, until = b"", time.monotonic() + 10
    while time.monotonic() < until:
        at = data.find(mark)
        if at >= 0 and b"\n\n" in data[at:] + (b"\n\n" if mark == b"\n\n" else b""):
            break
        data += stream.recv(1)
    return re.sub(rb"(?m)^[0-9A-Fa-f]+\r\n", b"", data)
