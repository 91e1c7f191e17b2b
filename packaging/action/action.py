"""The steps of the action: install, check, comment, verdict. Python 3.9, its standard library, git and apostille are all they need.

What a pull request brings is other people's text: nothing of it is executed, put into a shell, or taken for an address.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
# What `apostille verify --markdown` begins with.
MARKER = "<!-- apostille verify -->"
# GitHub refuses a comment of 65,536 characters and more.
MAX_COMMENT = 65_000
MAX_PAGES = 30


def main(step):
    {"install": install, "check": check, "comment": comment, "verdict": verdict}[step]()


def told(name):
    return os.environ.get(name, "")


def fail(message):
    print(f"::error title=Apostille::{escape_command(message)}")
    sys.exit(1)


def warn(message):
    print(f"::warning title=Apostille::{escape_command(message)}")


def escape_command(text):
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def append_line(variable, line):
    """To one of the files by which a step tells GitHub something."""
    if "\n" in line:
        raise ValueError(f"not a line: {line!r}")
    with open(told(variable), "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


# -- install


def install():
    if folder := told("INPUT_BINARY"):
        append_line("GITHUB_PATH", str(pathlib.Path(folder).resolve()))
        return
    version = told("INPUT_VERSION").removeprefix("v") or read_own_version()
    if not re.fullmatch(r"\d+\.\d+\.\d+[0-9A-Za-z.-]*", version):
        fail(f"{version} is not a version")
    releases = told("APOSTILLE_RELEASES") or f"{told('GITHUB_SERVER_URL')}/{told('ACTION_REPOSITORY')}/releases/download/v{version}"
    folder = pathlib.Path(told("RUNNER_TEMP")) / "apostille"
    script = HERE.parent / "install.sh"
    ran = subprocess.run(["sh", script, "--from", releases, "--to", folder], env=os.environ | {"APOSTILLE_VERSION": version})
    if ran.returncode != 0:
        fail(f"apostille {version} could not be installed from {releases}")
    append_line("GITHUB_PATH", str(folder))


def read_own_version():
    """The runner has the whole repository of an action, at the commit that was asked for."""
    manifest = (HERE.parent.parent / "Cargo.toml").read_text(encoding="utf-8")
    package = manifest.split("[workspace.package]")[1].split("\n[")[0]
    return re.search(r'^version = "([^"]+)"$', package, re.MULTILINE)[1]


# -- check


def check():
    """Looks up the memories in the tree of the change, and at its base."""
    event = read_event()
    base = find_base(event)
    fetch_history(base)
    out = pathlib.Path(told("RUNNER_TEMP")) / "apostille-report"
    out.mkdir(parents=True, exist_ok=True)
    report, verify_sarif, audit_sarif = out / "comment.md", out / "verify.sarif", out / "audit.sarif"
    if told("INPUT_SYNC") == "true":
        run_apostille("sync")
    at_base = ["--base", base] if base else []
    holds = run_apostille("verify", "--ci", "--sarif", verify_sarif, "--markdown", report, *at_base)
    run_apostille("audit", "--ci", "--sarif", audit_sarif)
    text = report.read_text(encoding="utf-8")
    write_summary(text)
    outputs = {
        "stale": count_stale(text),
        "holds": str(holds).lower(),
        "read-only": str(is_read_only(event)).lower(),
        "report": report,
        "verify-sarif": verify_sarif,
        "audit-sarif": audit_sarif,
    }
    for name, value in outputs.items():
        append_line("GITHUB_OUTPUT", f"{name}={value}")


def read_event():
    path = told("GITHUB_EVENT_PATH")
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8")) if path else {}


def find_base(event):
    """The commit that the change begins at; none where the event knows none."""
    base = event.get("pull_request", {}).get("base", {}).get("sha") or event.get("before") or ""
    return base if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", base) and set(base) != {"0"} else ""


def git(*args):
    return subprocess.run(["git", *args], capture_output=True, text=True)


def fetch_history(base):
    """A shallow clone cannot be followed through: what cannot be read there would be unknown."""
    if git("rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        fetched = git("fetch", "--quiet", "--unshallow", "origin")
        if fetched.returncode != 0:
            warn(f"the history could not be fetched; use actions/checkout with fetch-depth: 0. {fetched.stderr.strip()}")
    if base and git("cat-file", "-e", f"{base}^{{commit}}").returncode != 0:
        fetched = git("fetch", "--quiet", "origin", base)
        if fetched.returncode != 0:
            fail(f"the base {base} could not be fetched; use actions/checkout with fetch-depth: 0. {fetched.stderr.strip()}")


def run_apostille(*args):
    """Whether everything holds. The program answers 1 where something does not; what is worse ends the step."""
    host = told("GITHUB_SERVER_URL").removeprefix("https://")
    env = {"APOSTILLE_TRUST_ALLOW": f"{host}/{told('GITHUB_REPOSITORY')}"}
    if store := told("INPUT_STORE"):
        env["APOSTILLE_STORE"] = store
    sys.stdout.flush()
    ran = subprocess.run(["apostille", *map(str, args)], env=env | os.environ)
    if ran.returncode not in (0, 1):
        fail(f"apostille {args[0]} ended with exit code {ran.returncode}")
    return ran.returncode == 0


def count_stale(text):
    found = re.search(r"^\*\*This change makes (no|\d+) memor", text, re.MULTILINE)
    if not found:
        fail("apostille verify --markdown said nothing that this action understands: their versions differ")
    return 0 if found[1] == "no" else int(found[1])


def is_read_only(event):
    """Whether the change comes from a fork: it gets no word into this repository. One that was deleted meanwhile is one, too."""
    pull = event.get("pull_request")
    head = (pull or {}).get("head", {}).get("repo") or {}
    return pull is not None and head.get("full_name") != told("GITHUB_REPOSITORY")


def write_summary(text):
    if path := told("GITHUB_STEP_SUMMARY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"## Apostille\n\n{text}\n")


# -- comment


def comment():
    """One comment on a pull request: written where there is something to say, and brought up to date from then on."""
    event = read_event()
    if "pull_request" not in event:
        return
    if is_read_only(event):
        print("the pull request comes from a fork: nothing is written there, and the job's summary has the result")
        return
    body = fit_comment(pathlib.Path(told("REPORT")).read_text(encoding="utf-8"))
    try:
        print(put_comment(event["pull_request"]["number"], body))
    except urllib.error.HTTPError as error:
        # As for updates by a bot, whose token reads only.
        if error.code not in (401, 403, 404):
            raise
        warn(f"no comment was written ({error.code}): the job needs the permission pull-requests: write. The job's summary has the result")


def put_comment(number, body):
    comments = f"/repos/{told('GITHUB_REPOSITORY')}/issues/{number}/comments"
    own = find_own_comment(comments)
    if own is None:
        if told("STALE") == "0":
            return "nothing became stale, and nothing was said before: no comment"
        call_github("POST", comments, {"body": body})
        return "commented"
    if own["body"].replace("\r\n", "\n").strip() == body.strip():
        return "the comment is as it should be"
    call_github("PATCH", f"/repos/{told('GITHUB_REPOSITORY')}/issues/comments/{own['id']}", {"body": body})
    return "brought the comment up to date"


def find_own_comment(comments):
    """The one with the marker, by the account behind the token: anybody can quote the marker."""
    for page in range(1, MAX_PAGES + 1):
        found = call_github("GET", f"{comments}?per_page=100&page={page}")
        for it in found:
            if it["body"].startswith(MARKER) and (it.get("user") or {}).get("login") == told("INPUT_AUTHOR"):
                return it
        if len(found) < 100:
            return None
    return None


def call_github(method, path, content=None):
    headers = {
        "Authorization": f"Bearer {told('GITHUB_TOKEN')}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "apostille-action",
    }
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(told("GITHUB_API_URL") + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def fit_comment(text):
    """Whole lines only: half a row would be half a command."""
    if len(text) <= MAX_COMMENT:
        return text
    kept = text[:MAX_COMMENT].rsplit("\n", 1)[0]
    return f"{kept}\n\nThe rest did not fit; the job's summary has all of it.\n"


# -- verdict


def verdict():
    wanted = told("INPUT_FAIL_ON")
    if wanted not in ("change", "any", "never"):
        fail(f"fail-on is {wanted}; it can be change, any or never")
    if wanted == "change" and told("STALE") != "0":
        fail(f"this change makes memories stale ({told('STALE')}): correct them on this branch; the comment has the commands")
    if wanted == "any" and told("HOLDS") != "true":
        fail("a memory does not hold; apostille verify --fix goes through them")


if __name__ == "__main__":
    main(sys.argv[1])
