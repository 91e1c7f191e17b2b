"""The API against its own document: schemathesis makes calls up, good ones and bad ones, and holds every answer against
what is told of it. The store has something of everything in it, and the token may do everything."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

from world import ROOT, World

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "unsupported_method", "allow_header_conformance", "ignored_auth", "use_after_free",
]
PHASES = ["examples", "coverage", "fuzzing"]
# The server turns away whoever asks too often, and this asks as often as it can.
LIMITS = ["--log", "off", "--limit", "rate=100000"]

STOCK = [
    ["remember", "API_VERSION is 3", "--cite", "src/api.rs:3", "--subject", "api", "--tag", "api"],
    ["remember", "RETRIES is 5", "--cite", "src/api.rs:4"],
    ["remember", "prefers tabs over spaces", "--user", "--kind", "user"],
    ["remember", "is called Ana", "--layer", "identity"],
    ["remember", "a page says that the API is slow", "--kind", "feedback", "--tainted"],
    ["task", "start", "Warm the cache"],
    ["task", "note", "saw that the cache is cold"],
    ["supersede", "m-2", "RETRIES is 5, in src/api.rs"],
]


def told(world, *args):
    """What the program answers on its command line to a person."""
    env = world.env() | {"APOSTILLE_PERSON": "ana"}
    done = subprocess.run([world.binary, "--json", *args], cwd=world.repo, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def document(origin, token):
    """The document as the server gives it."""
    request = urllib.request.Request(f"{origin}/api/openapi.json", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def suite(origin, token):
    """Runs the suite; the same calls every time."""
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--no-color", "run", ROOT / "docs/openapi.json",
        "--url", origin, "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS),
        "--phases", ",".join(PHASES), "--max-examples", os.environ.get("APOSTILLE_API_EXAMPLES", "20"),
        "--generation-deterministic", "--generation-with-security-parameters", "false",
        # The stream of changes does not end.
        "--exclude-path", "/api/live",
        "--suppress-health-check", "all", "--request-timeout", "20", "--warnings", "off", "--continue-on-failure",
    ]
    return subprocess.run(command, cwd=os.environ.get("TMPDIR", "/tmp"), capture_output=True, text=True, timeout=600)


def main():
    with World() as world:
        for args in STOCK:
            told(world, *args)
        token = told(world, "token", "create", "suite", "--access", "review")["secret"]
        origin = world.serve(token="of-another", more=LIMITS).removesuffix("/mcp")
        committed = json.loads((ROOT / "docs/openapi.json").read_text())
        if document(origin, token) != committed:
            print("   the server tells of another API than docs/openapi.json")
            return 1
        done = suite(origin, token)
        lines = done.stdout.splitlines()
        if done.returncode != 0:
            print("\n".join(f"   {it}" for it in lines[-200:]), done.stderr)
            return 1
        print(*(f"   {it.strip()}" for it in lines if "generated" in it or "tested" in it.lower()), sep="\n")
        document(origin, token)
    return 0


if __name__ == "__main__":
    sys.exit(main())
