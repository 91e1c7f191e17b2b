"""The action on pull requests: its own steps, as action.yml has them, in real repositories, against a stand-in of GitHub's API.

A repository has five memories, and a change makes two of them stale. The comment has to name those two, with the corrections; a second run
brings it up to date; a fork, or a token that only reads, gets nothing but the job's summary.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("APOSTILLE_BIN", ROOT / "target/debug/apostille"))
ACTION = ROOT / "packaging/action"
BOT = "github-actions[bot]"
FILES = {
    "apostille.toml": 'store = "jsonl:.apostille/memories.jsonl"\n',
    "src/limits.rs": "/// The proxy cuts them off there.\npub const MAX_UPLOAD_MB: u32 = 10;\n\npub const TIMEOUT_S: u32 = 30;\n",
    "src/retry.rs": "pub const MAX_RETRIES: u32 = 3;\n",
    "src/legacy.rs": "pub fn accept_old_tokens(token: &str) -> bool {\n    token.starts_with(\"v1.\")\n}\n",
    "src/port.rs": "pub const PORT: u16 = 7787;\n",
}
MEMORIES = [
    ("src/limits.rs:2", "uploads are limited to 10 MB by `MAX_UPLOAD_MB`, because the proxy cuts them off there"),
    ("src/limits.rs:4", "a request may take 30 seconds (`TIMEOUT_S`)"),
    ("src/retry.rs:1", "requests are tried 3 times (`MAX_RETRIES`)"),
    ("src/legacy.rs:1-3", "`accept_old_tokens` still lets in tokens that begin with v1."),
    ("src/port.rs:1", "the server listens on port 7787 (`PORT`)"),
]


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


class Hub:
    """As much of GitHub's API as comments need. What was called is kept."""

    def __init__(self):
        self.comments, self.calls, self.may_write = [], [], True
        self.notes = [{"id": n, "author": {"id": n}, "body": "<!-- apostille verify -->\nquoted"} for n in range(5)]
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, code, content):
                text = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def read(self):
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def handle_call(self):
                url = urllib.parse.urlsplit(self.path)
                content = None if self.command == "GET" else self.read()
                hub.calls.append((self.command, url.path, self.headers.get("Authorization")))
                self.answer(*hub.answer(self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), content))

            do_GET = do_POST = do_PATCH = do_PUT = handle_call

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, method, path, query, content):
        if method == "GET" and path == "/repos/acme/app/issues/7/comments":
            size, page = int(query["per_page"]), int(query["page"])
            return 200, self.comments[size * (page - 1):size * page]
        if path.startswith("/gitlab/"):
            return self.answer_gitlab(method, path.removeprefix("/gitlab"), query, content)
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST" and path == "/repos/acme/app/issues/7/comments":
            return 201, self.say(BOT, content["body"])
        if method == "PATCH" and (found := re.fullmatch(r"/repos/acme/app/issues/comments/(\d+)", path)):
            comment = next(it for it in self.comments if it["id"] == int(found[1]))
            comment["body"] = content["body"]
            return 200, comment
        return 404, {"message": "Not Found"}

    def answer_gitlab(self, method, path, query, content):
        """GitLab calls a comment a note, and says who wrote it by number."""
        notes = "/projects/42/merge_requests/7/notes"
        if path == "/user":
            return 200, {"id": 5}
        if method == "GET" and path == notes:
            size, page = int(query["per_page"]), int(query["page"])
            return 200, self.notes[size * (page - 1):size * page]
        if method == "POST" and path == notes:
            self.notes.append({"id": len(self.notes), "author": {"id": 5}, "body": content["body"]})
            return 201, self.notes[-1]
        if method == "PUT" and (found := re.fullmatch(notes + r"/(\d+)", path)):
            self.notes[int(found[1])]["body"] = content["body"]
            return 200, self.notes[int(found[1])]
        return 404, {"message": "404 Not Found"}

    def say(self, login, body):
        self.comments.append({"id": 1000 + len(self.comments), "user": {"login": login}, "body": body})
        return self.comments[-1]

    def written(self):
        """What was written since the last time this was asked."""
        found = [method for method, _, _ in self.calls if method != "GET"]
        self.calls.clear()
        return found


class Runner:
    """Runs the steps of action.yml as a runner does: inputs and outputs put in, files for what a step tells, a path that grows."""

    def __init__(self, folder, hub):
        self.folder, self.hub = folder, hub
        self.action = yaml.safe_load((ACTION / "action.yml").read_text())
        self.remote, self.clone = folder / "remote.git", folder / "app"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        redirect = f'[url "{self.remote}"]\n\tinsteadOf = https://github.com/acme/app\n'
        (self.home / ".gitconfig").write_text(f"{redirect}[user]\n\tname = Ana\n\temail = ana@example.com\n[init]\n\tdefaultBranch = main\n")
        self.uses, self.summary = [], ""
        self.n_runs = 0

    def env(self):
        return {
            "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "USER": "runner",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "APOSTILLE_CLIENTS_RUN": os.environ.get("APOSTILLE_CLIENTS_RUN", "1"),
        }

    def git(self, *args, cwd=None):
        return subprocess.run(["git", *args], cwd=cwd or self.clone, env=self.env(), check=True, capture_output=True, text=True).stdout.strip()

    def apostille(self, *args):
        env = self.env() | {"APOSTILLE_TRUST_ALLOW": "github.com/acme/app"}
        subprocess.run([BIN, *args], cwd=self.clone, env=env, check=True, capture_output=True)

    def prepare(self):
        """A remote with five memories on its default branch."""
        self.git("init", "-q", "--bare", str(self.remote), cwd=self.folder)
        self.git("clone", "-q", "https://github.com/acme/app", str(self.clone), cwd=self.folder)
        for path, text in FILES.items():
            self.write(path, text)
        self.commit("begin")
        for cite, fact in MEMORIES:
            self.apostille("remember", "--cite", cite, fact)
        self.commit("what is known")
        self.git("push", "-q", "origin", "main")
        self.git("remote", "set-head", "origin", "main")

    def write(self, path, text):
        (self.clone / path).parent.mkdir(parents=True, exist_ok=True)
        (self.clone / path).write_text(text)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def run(self, head="acme/app", base=None, **inputs):
        """One run on the pull request with what is checked out; its log, and whether it passed."""
        self.n_runs += 1
        temp = self.folder / f"run-{self.n_runs}"
        temp.mkdir()
        for name in ["output", "path", "summary"]:
            (temp / name).touch()
        base = {"sha": base or self.git("rev-parse", "origin/main")}
        event = {"pull_request": {"number": 7, "base": base, "head": {"repo": head and {"full_name": head}}}}
        (temp / "event.json").write_text(json.dumps(event))
        self.inputs = {name: str(it.get("default", "")) for name, it in self.action["inputs"].items()}
        self.inputs |= {"binary": str(BIN.parent), "github-token": "ghs_" + "t" * 8, "comment-author": BOT}
        self.inputs |= {name.replace("_", "-"): value for name, value in inputs.items()}
        self.outputs, self.uses, self.log, passed = {}, [], "", True
        for step in self.action["runs"]["steps"]:
            passed = self.run_step(step, temp)
            if not passed:
                break
        self.summary = (temp / "summary").read_text()
        return passed

    def run_step(self, step, temp):
        if "if" in step and not self.is_wanted(step["if"]):
            return True
        if "uses" in step:
            self.uses.append((step["uses"], {name: self.fill(value) for name, value in step["with"].items()}))
            return True
        same(step["shell"], "bash")
        assert "${{" not in step["run"], "what is put into a script could be other people's text"
        (temp / "output").write_text("")
        env = self.env() | {
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_OUTPUT": str(temp / "output"),
            "GITHUB_PATH": str(temp / "path"),
            "GITHUB_REPOSITORY": "acme/app",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(temp / "summary"),
            "RUNNER_TEMP": str(temp),
        }
        env["PATH"] = os.pathsep.join([*reversed((temp / "path").read_text().split()), env["PATH"]])
        env |= {name: self.fill(value) for name, value in step.get("env", {}).items()}
        env |= self.more_env
        ran = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.clone, env=env, capture_output=True, text=True)
        self.log += ran.stdout + ran.stderr
        lines = (temp / "output").read_text().splitlines()
        self.outputs |= {f"steps.{step['id']}.outputs.{name}": value for name, value in (it.split("=", 1) for it in lines)}
        return ran.returncode == 0

    more_env = {}

    def read_value(self, name):
        if name.startswith("inputs."):
            return self.inputs[name.removeprefix("inputs.")]
        if name.startswith("steps."):
            return self.outputs[name]
        return {"github.action_repository": "acme/apostille"}[name]

    def fill(self, text):
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda it: self.read_value(it[1]), str(text))

    def is_wanted(self, condition):
        """Comparisons joined by `&&`: what this action's conditions are made of."""
        inner = re.fullmatch(r"\$\{\{ (.*) \}\}", condition)[1]
        terms = [re.fullmatch(r"([\w.-]+) == '(\w*)'", it) for it in inner.split(" && ")]
        return all(self.read_value(it[1]) == it[2] for it in terms)


def make_two_stale(runner):
    """The limit is another one, the old tokens are gone; and around the others things are edited and moved."""
    runner.git("checkout", "-q", "-b", "change")
    runner.write("src/http/limits.rs", FILES["src/limits.rs"].replace("MB: u32 = 10", "MB: u32 = 25").replace("pub const TIMEOUT", "\n// Per request.\npub const TIMEOUT"))
    runner.git("rm", "-q", "src/limits.rs", "src/legacy.rs")
    runner.write("src/retry.rs", "//! How often.\n\n" + FILES["src/retry.rs"])
    runner.commit("raise the limit")


def list_rows(text):
    return re.findall(r"^\| \*\*(m-\d+)\*\*", text, re.MULTILINE)


def the_comment_names_what_became_stale(runner, hub):
    """Behind a hundred and thirty others, one of which quotes the marker."""
    for n in range(130):
        hub.say("ben", f"comment {n}")
    quoted = hub.say("mallory", "<!-- apostille verify -->\nI wrote this")
    assert not runner.run(), "two memories became stale, and the job passed"
    assert "this change makes memories stale (2)" in runner.log, runner.log
    same(hub.written(), ["POST"])
    same(quoted["body"], "<!-- apostille verify -->\nI wrote this")
    comment = hub.comments[-1]["body"]
    assert "**This change makes 2 memories stale.** 5 memories looked up." in comment, comment
    same(list_rows(comment), ["m-1", "m-4"])
    assert "apostille supersede m-1" in comment and "uploads are limited to 25 MB by" in comment, comment
    assert "apostille invalidate m-4" in comment, comment
    assert comment in runner.summary and "::warning file=src/" in runner.log, runner.log
    for _, given in runner.uses:
        log = json.loads(pathlib.Path(given["sarif_file"]).read_text())
        assert log["version"] == "2.1.0" and log["runs"][0]["results"], given
    same([given["category"] for _, given in runner.uses], ["apostille-verify", "apostille-audit"])


def a_second_run_says_nothing_twice(runner, hub):
    runner.run()
    same(hub.written(), [])
    assert "the comment is as it should be" in runner.log, runner.log


def a_correction_on_the_branch_updates_the_comment(runner, hub):
    """The command that the comment suggests, as it stands there."""
    n_comments = len(hub.comments)
    command = re.search(r"`(apostille supersede m-1 [^`]*)`(?!`)|``\s*(apostille supersede m-1 .*?)\s*``", hub.comments[-1]["body"])
    said = command[1] or command[2]
    env = runner.env() | {"APOSTILLE_TRUST_ALLOW": "github.com/acme/app"}
    env["PATH"] = os.pathsep.join([str(BIN.parent), env["PATH"]])
    subprocess.run(["bash", "-c", said], cwd=runner.clone, env=env, check=True, capture_output=True)
    runner.commit("correct what is known")
    assert not runner.run()
    same(hub.written(), ["PATCH"])
    same(len(hub.comments), n_comments)
    same(list_rows(hub.comments[-1]["body"]), ["m-4"])
    assert runner.run(fail_on="never"), runner.log
    same(hub.written(), [])


def when_all_is_well_the_comment_says_so(runner, hub):
    runner.apostille("invalidate", "m-4", "--reason", "old tokens are gone")
    runner.commit("forget the old tokens")
    assert runner.run(), runner.log
    same(hub.written(), ["PATCH"])
    assert "**This change makes no memory stale.**" in hub.comments[-1]["body"], hub.comments[-1]["body"]


def a_fork_gets_no_word_in(runner, hub):
    """Nor does one that was deleted meanwhile, nor a token that only reads."""
    before = json.dumps(hub.comments)
    for head in ["mallory/app", None]:
        assert not runner.run(head=head)
        same((hub.calls, runner.uses), ([], []))
        assert "**This change makes 2 memories stale.**" in runner.summary, runner.summary
    hub.may_write = False
    assert not runner.run()
    assert "needs the permission pull-requests: write" in runner.log, runner.log
    hub.may_write = True
    hub.written()
    same(json.dumps(hub.comments), before)


def a_change_that_touches_nothing_is_not_commented(runner, hub):
    runner.git("checkout", "-q", "-b", "harmless", "main")
    runner.write("README.md", "# app\n")
    runner.commit("say what it is")
    hub.comments.clear()
    assert runner.run(), runner.log
    same(hub.written(), [])
    same(hub.comments, [])


def a_shallow_clone_is_completed(runner, hub):
    """What `actions/checkout` leaves unless it is told otherwise."""
    whole, shallow = runner.clone, runner.folder / "shallow"
    runner.git("push", "-q", "origin", "change")
    runner.git("clone", "-q", "--depth=1", "--branch=change", f"file://{runner.remote}", str(shallow), cwd=runner.folder)
    runner.git("remote", "set-url", "origin", "https://github.com/acme/app", cwd=shallow)
    base = runner.git("rev-parse", "origin/main")
    same(runner.git("rev-list", "--count", "HEAD", cwd=shallow), "1")
    runner.clone = shallow
    runner.run(base=base)
    runner.clone = whole
    same(list_rows(hub.comments[-1]["body"]), ["m-1", "m-4"])


def the_snippet_for_gitlab_comments_once(runner, hub):
    """As docs/ci.md has it."""
    page = (ROOT / "docs/ci.md").read_text().split("## GitLab")[1]
    job = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["apostille"]
    env = runner.env() | {
        "CI_API_V4_URL": f"{hub.url}/gitlab",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_SERVER_HOST": "github.com",
        "CI_PROJECT_PATH": "acme/app",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": runner.git("rev-parse", "origin/main"),
        "APOSTILLE_GITLAB_TOKEN": "glpat-" + "t" * 8,
    }
    env["PATH"] = os.pathsep.join([str(BIN.parent), env["PATH"]])
    hub.calls.clear()
    for expected in ["POST", "PUT"]:
        subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], cwd=runner.clone, env=env, check=True, capture_output=True)
        same(hub.written(), [expected])
        same(list_rows(hub.notes[-1]["body"]), ["m-1", "m-4"])
        same(len(hub.notes), 6)
    (runner.clone / "comment.md").unlink()


def the_program_is_installed_from_a_release(runner, hub):
    """By the action itself, with its digest; what differs ends the job before anything is run."""
    releases = runner.folder / "releases"
    command = [sys.executable, ROOT / "packaging/build", "--quick", "--binary", BIN, "--out", releases, "tarball", "sums"]
    subprocess.run(command, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}, check=True, capture_output=True)
    runner.more_env = {"APOSTILLE_RELEASES": str(releases)}
    assert runner.run(binary="", fail_on="never"), runner.log
    assert "installed " in runner.log, runner.log
    tarball = next(releases.glob("*.tar.gz"))
    tarball.write_bytes(tarball.read_bytes() + b"\0")
    assert not runner.run(binary="", fail_on="never")
    assert "nothing was installed" in runner.log and "could not be installed" in runner.log, runner.log
    assert not runner.run(binary="", fail_on="never", version="1; echo owned")
    assert "is not a version" in runner.log and "\nowned" not in runner.log, runner.log
    runner.more_env = {}


def memories_at_the_remote_are_fetched_first(runner, hub):
    """Where a team shares by `apostille sync`, and nothing of it lies in the repository."""
    runner.git("checkout", "-q", "main")
    runner.write("apostille.toml", 'sync = "git"\n')
    shutil.rmtree(runner.clone / ".apostille")
    runner.commit("no memories here")
    runner.git("push", "-q", "origin", "main")
    for cite, fact in MEMORIES:
        runner.apostille("remember", "--cite", cite, fact)
    runner.apostille("sync")
    shutil.rmtree(runner.home / ".local")
    ref = runner.git("ls-remote", str(runner.remote), "refs/apostille/*")
    assert ref, "nothing was shared"
    runner.git("branch", "-qD", "change")
    make_two_stale(runner)
    hub.comments.clear()
    assert not runner.run(sync="true")
    same(list_rows(hub.comments[-1]["body"]), ["m-1", "m-4"])
    same(runner.git("ls-remote", str(runner.remote), "refs/apostille/*"), ref)


STORY = [
    the_comment_names_what_became_stale,
    a_second_run_says_nothing_twice,
    a_correction_on_the_branch_updates_the_comment,
    when_all_is_well_the_comment_says_so,
    a_fork_gets_no_word_in,
    a_change_that_touches_nothing_is_not_commented,
    a_shallow_clone_is_completed,
    the_snippet_for_gitlab_comments_once,
    the_program_is_installed_from_a_release,
    memories_at_the_remote_are_fetched_first,
]


def main():
    with tempfile.TemporaryDirectory(prefix="apostille-action-") as scratch:
        hub = Hub()
        runner = Runner(pathlib.Path(scratch).resolve(), hub)
        runner.prepare()
        make_two_stale(runner)
        begin = runner.git("rev-parse", "HEAD")
        for part in STORY:
            if part in (a_fork_gets_no_word_in, a_shallow_clone_is_completed):
                runner.git("checkout", "-q", "-B", "change", begin)
            part(runner, hub)
            print(f"ok {part.__name__}")


if __name__ == "__main__":
    main()
