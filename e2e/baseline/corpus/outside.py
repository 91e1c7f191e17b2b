"""Who is asked outside: a model and GitHub, both played by a server of this machine. What they are asked is recorded too."""

import base64
import http.server
import json
import shutil
import subprocess
import threading

from corpus import hooks, prepared, scenario


class Fake:
    """Answers every request with what `answer(target, body)` gives: status, headers and body."""

    def __init__(self, world, answer):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
                asked.append({"asked": f"{self.command} {self.path}", "headers": headers, "body": json.loads(body) if body else None})
                status, more, said = answer(self.path, body)
                self.send_response_only(status)
                for name, value in ({"Content-Length": str(len(said.encode())), "Connection": "close"} | more).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said.encode())

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        world.others.append(self)
        self.world = world

    def record_asked(self, name):
        lines = sorted(json.dumps(it, indent=1, ensure_ascii=False, sort_keys=True) for it in self.asked)
        self.world.record(name, "\n".join(lines) + "\n")
        self.asked.clear()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def speak_openai(text):
    return 200, {"Content-Type": "application/json"}, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})


def speak_anthropic(text):
    return 200, {"Content-Type": "application/json"}, json.dumps({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})


@scenario("outside/guardian")
def ask_guardian(w):
    prepared.make_repository(w)
    answers = {"fine": '{"verdict":"fine"}', "doubtful": '{"verdict":"doubtful"}', "harmful": '{"verdict":"harmful"}', "nonsense": "I think so", "empty": ""}
    # Facts that are nothing like each other, or the program would not ask.
    facts = iter(["invoices carry a number", "parcels leave from Porto", "refunds need two signatures", "coupons never stack", "the warehouse closes at six", "taxes are rounded per line", "carts expire after a week",
                  "reviews are moderated by hand", "suppliers answer on Mondays", "gift cards have no owner", "addresses keep their language", "stock is counted twice a year", "newsletters go out monthly",
                  "pallets hold forty boxes", "returns are free in June", "prices show cents"])
    said = []
    fake = Fake(w, lambda path, body: said[0])
    own = w.home / ".config/apostille/config.toml"
    own.parent.mkdir(parents=True)
    for api, speak in (("openai", speak_openai), ("anthropic", speak_anthropic)):
        own.write_text(f'[model]\nurl = "{fake.url}"\nname = "little"\napi = "{api}"\nguard = true\nkey_env = "KEY_OF_ADA"\n')
        for word, text in answers.items():
            said[:] = [speak(text)]
            w.cli(f'remember --kind feedback "{next(facts)}"', env={"KEY_OF_ADA": "hunter2"}, name=f"remember what {api} calls {word}")
            fake.record_asked(f"what {api} was asked about {word}")
    for status in (401, 404, 429, 500, 302):
        said[:] = [(status, {"Location": "http://127.0.0.1:9/"}, '{"error":{"message":"no"}}')]
        w.cli(f'remember --kind feedback "{next(facts)}"', name=f"remember while the model answers {status}")
        fake.record_asked(f"what was asked before {status}")
    w.person('remember --kind feedback "a person is not looked over"')
    w.both("doctor")
    w.both("config")
    w.both("list")
    w.record_file(w.home / ".local/share/apostille/model-requests")
    w.cli('remember --kind feedback "nothing is left of the budget"', env={"APOSTILLE_MODEL_BUDGET": "1"})


@scenario("outside/gleaning")
def ask_about_session(w):
    prepared.prepare(w)
    found = {"found": [{"fact": "Tests are written before code", "sort": "preference", "turn": 5, "quote": "I always want tests before code"}, {"fact": "The database is Oracle", "sort": "fact", "turn": 1, "quote": "never said"},
                       {"fact": "Use pnpm, not npm", "sort": "correction", "turn": 3, "quote": "use pnpm, not npm"}]}
    fake = Fake(w, lambda path, body: speak_openai(json.dumps(found)))
    w.variables |= {"APOSTILLE_MODEL_URL": fake.url, "APOSTILLE_MODEL_NAME": "little"}
    hooks.write_transcript(w, "claude-code")
    hooks.leave_session(w, "claude-code")
    w.cli(f"hook --after={hooks.find_session(w, 'claude-code')} --json")
    fake.record_asked("what the model was asked")
    w.both("list --status pending")


@scenario("outside/github")
def ask_github(w):
    prepared.prepare(w)
    is_limited = []
    fake = Fake(w, lambda path, body: limit_reached() if is_limited else answer_as_github(w.repo, path))
    w.variables |= {"APOSTILLE_GITHUB_URL": fake.url, "GITHUB_TOKEN": "t-1", "GH_TOKEN": "t-2"}
    for line in ("verify --github --repo acme/shop", "verify --github --repo acme/shop --at HEAD~2", "verify --github --repo acme/shop --at nowhere", "verify --github --repo acme/shop --invalidate", "verify --github m-2", "verify --github --ci"):
        w.both(line, cwd=w.folder if "--repo" in line else None)
        fake.record_asked(f"what GitHub was asked: {line}")
    is_limited.append(True)
    shutil.rmtree(w.home / ".cache", ignore_errors=True)
    w.both("verify --github --repo acme/shop", cwd=w.folder)
    w.cli("show m-1 --json")


def limit_reached():
    return 403, {"Retry-After": "2160", "X-RateLimit-Remaining": "0"}, json.dumps({"message": "API rate limit exceeded"})


def answer_as_github(repo, target):
    path = target.removeprefix("/repos/acme/shop/")
    if path.startswith("commits/"):
        said = ask_git(repo, "rev-parse", "--verify", path[8:])
        return (200, {}, said.decode().strip()) if said else missing()
    if path.startswith("git/trees/"):
        listing = ask_git(repo, "ls-tree", "-r", "-t", path[10:].split("?")[0])
        return (200, {}, json.dumps({"tree": [read_row(it) for it in listing.decode().splitlines()], "truncated": False})) if listing else missing()
    content = ask_git(repo, "cat-file", "blob", path.removeprefix("git/blobs/"))
    return (200, {}, json.dumps({"content": base64.b64encode(content).decode(), "encoding": "base64", "size": len(content)})) if content else missing()


def read_row(line):
    front, path = line.split("\t")
    mode, kind, sha = front.split()
    return {"mode": mode, "type": kind, "sha": sha, "path": path}


def ask_git(repo, *arguments):
    return subprocess.run(["git", *arguments], cwd=repo, capture_output=True).stdout


def missing():
    return 404, {}, json.dumps({"message": "Not Found"})
