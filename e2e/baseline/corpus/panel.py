"""The panel: every page as HTML, and what its forms do."""

from corpus import command_line, hooks, prepared, scenario
from talking import Server, show_answer

PAGES = ("/", "/?layer=knowledge", "/?layer=identity", "/?status=pending", "/?text=upload", "/?kind=feedback", "/?status=invalid&status=superseded", "/?nonsense=1", "/?repo=acme/other", "/export", "/export?format=markdown", "/export?format=jsonl", "/remember", "/review", "/review?at=1", "/ask",
         "/ask?prompt=how+large+may+an+upload+be", "/ask?prompt=zzz", "/ask?prompt=", "/sessions", "/sessions/nonsense", "/tasks", "/tasks/faster-uploads", "/tasks/checkout-retries", "/tasks/nonsense", "/vitals", "/nonsense", "/memories/m-99", "/memories/nonsense", "/undo", "/memories/m-1/edit",
         "/review/m-14/accept", "/vitals/close", "/open", "/close", "/panel.css", "/panel.js", "/live/nonsense")


def prepare_panel(w):
    prepared.prepare(w)
    return hooks.leave_session(w, "claude-code")


@scenario("panel/pages")
def look_at_pages(w):
    session = prepare_panel(w)
    s = Server(w)
    w.record("GET / (not signed in)", show_answer(s.send("GET", "/")))
    w.record("GET /memories/m-1 (not signed in)", show_answer(s.send("GET", "/memories/m-1?repo=acme/shop")))
    w.record("GET /open/guess", show_answer(s.send("GET", "/open/guess")))
    p = s.open_panel()
    w.record("GET /open", show_answer(p.opened))
    w.record("GET /open again", show_answer(s.send("GET", s.once)))
    for path in PAGES:
        p.page(path)
    for n in range(1, 26):
        p.page(f"/memories/m-{n}")
    for n in range(1, 4):
        p.page(f"/memories/u-{n}")
    p.page(f"/sessions/{session}")
    p.page(f"/sessions/{session}?all=true")
    p.form("/close")
    p.page("/")
    s.close()


@scenario("panel/forms")
def send_forms(w):
    prepare_panel(w)
    s = Server(w)
    p = s.open_panel()
    p.form("/memories/m-1/invalidate", seal="guess", reason="x")
    edit = {"subject": "API version", "reason": "", "tags": "api, #version", "citations": "src/api.rs:4\r\n", "how": ""}
    p.undo(p.form("/memories/m-1/edit", fact="The API version is that of the client everywhere", **edit))
    p.form("/memories/m-1/edit", fact="", **edit)
    p.form("/memories/m-1/edit", fact="x" * 600, **edit)
    p.form("/memories/m-1/edit", fact=command_line.SECRET, **edit)
    p.form("/memories/m-1/edit", fact="typed <b>", **(edit | {"citations": "nowhere"}))
    p.form("/memories/m-99/edit", fact="nothing there", **edit)
    p.form("/memories/m-4/edit", fact="TTL_SECONDS is 600 for the prices", **(edit | {"citations": "src/cache.rs:3", "how": "correction"}))
    p.undo(p.form("/memories/m-3/refresh"))
    p.form("/memories/m-2/refresh")
    page = p.form("/memories/m-6/invalidate", reason="it checks now")
    p.form("/memories/m-6/restore")
    p.undo(page)
    p.form("/memories/m-6/invalidate", reason=" ")
    p.form("/memories/m-12/promote")
    p.undo(p.form("/memories/m-12/promote", subject="Outage", reason="it cost a day", kind="feedback"))
    p.form("/memories/m-1/promote")
    p.form("/memories/m-8/forget", reason="typed")
    p.form("/memories/m-8/forget", reason="typed", sure="yes")
    p.undo(p.form("/memories/m-14/approve"))
    p.undo(p.form("/memories/m-14/reject", reason="no"))
    p.form("/memories/m-1/approve")
    p.form("/memories/m-1/restore")
    p.undo(p.form("/remember", fact="The shop has a gateway", citations="crates/api/src/lib.rs:3"))
    p.form("/remember", fact="no proof", kind="project")
    p.form("/remember", fact="no proof", kind="project", force="yes")
    p.form("/remember", fact="own words", whose="user")
    p.form("/remember", fact="")
    p.form("/remember", fact=command_line.SECRET, kind="feedback")
    p.form("/remember", fact="never deploy on a friday", kind="feedback")
    p.form("/vitals/close")
    p.form("/undo")
    p.form("/nonsense")
    s.close()


@scenario("panel/review")
def review_in_panel(w):
    prepare_panel(w)
    for line in ('remember --kind feedback --from web "answers are cached for 10 minutes by the proxy in front"', 'remember --kind feedback --tainted "the page says to use port 81"'):
        w.run(line)
    s = Server(w)
    p = s.open_panel()
    p.page("/review")
    p.undo(p.form("/review/m-14/accept", **{"from": "0", "at": "0"}))
    p.form("/review/m-15/reject", reason="it is 7")
    p.form("/review/m-16/reject")
    p.form("/review/m-14/edit", fact="the proxy caches answers", subject="proxy")
    p.form("/review/m-27/merge", into="m-9")
    p.form("/review/m-27/merge", into="m-99")
    p.form("/review/m-27/merge")
    p.form("/review/m-99/accept")
    p.form("/review/m-1/accept")
    p.form("/review/safe", names="m-28")
    p.form("/review/safe")
    p.page("/review")
    p.page("/vitals")
    s.close()


@scenario("panel/agent")
def look_as_agent(w):
    """A server that no person started, and one that is entered with a token."""
    prepare_panel(w)
    token = command_line.create_token(w, "token create look --space acme/shop")
    s = Server(w, person=False)
    p = s.open_panel()
    for path in ("/", "/memories/m-1", "/memories/m-14", "/memories/u-1", "/review", "/remember", "/vitals"):
        p.page(path)
    p.form("/memories/m-14/approve")
    p.form("/memories/m-10/invalidate", reason="an agent")
    p.form("/memories/m-7/invalidate", reason="an agent")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for body in ("token=guess&to=/tasks", f"token={token}", f"token={token}&to=%2Fmemories%2Fm-1", f"token={token}&to=%2F%2Fevil.example", ""):
        opened = s.send("POST", "/open", form, body)
        cookie = dict(opened[1]).get("set-cookie", "").split(";")[0]
        w.hide(cookie.split("=", 1)[-1], "<session>")
        w.record(f"POST /open {body}", show_answer(opened))
        if cookie:
            for path in ("/", "/remember", "/memories/u-1"):
                w.record(f"GET {path} with a token that reads", show_answer(s.send("GET", path, {"Cookie": cookie})))
    s.close()


@scenario("panel/empty")
def look_at_nothing(w):
    prepared.make_repository(w)
    s = Server(w)
    p = s.open_panel()
    for path in ("/", "/review", "/ask?prompt=x", "/sessions", "/tasks", "/vitals", "/remember", "/export"):
        p.page(path)
    s.close()
