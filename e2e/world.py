"""A machine of its own for one story: a home, a repository, a store, servers. Nothing of it outlives the story."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = os.environ.get("APOSTILLE_BIN", str(ROOT / "target/debug/apostille"))
FIXTURES = os.environ.get("APOSTILLE_FIXTURES_BIN", str(ROOT / "target/e2e/apostille-fixtures"))
ERAS = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}

# Every server carries this in its environment, so that one that was left behind can be found.
MARK = "APOSTILLE_CLIENTS_RUN"

CODE = {
    "src/api.rs": "use std::time::Duration;\n\npub const API_VERSION: u32 = 3;\npub const RETRIES: u32 = 5;\n",
    "docs/api.md": "# API\n\nThe API version is 3.\n",
    "Makefile": "test:\n\tcargo nextest run\n",
}


class World:
    """Use it with `with`: what it made is gone afterwards, and what it started has ended."""

    def __init__(self, binary=BIN):
        self.binary = binary
        self.started = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="apostille-e2e-"))
        self.repo = self.folder / "myapp"
        for name in ["home", "data", "config", "cache", "state", "runtime"]:
            (self.folder / name).mkdir()
        for path, text in CODE.items():
            self.write(path, text)
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", "https://github.com/myorg/myapp.git")
        self.commit("begin")
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
        for process in self.started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def env(self):
        at = lambda name: str(self.folder / name)
        return {
            "PATH": os.environ["PATH"],
            "HOME": at("home"),
            "XDG_DATA_HOME": at("data"),
            "XDG_CONFIG_HOME": at("config"),
            "XDG_CACHE_HOME": at("cache"),
            "XDG_STATE_HOME": at("state"),
            "XDG_RUNTIME_DIR": at("runtime"),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "USER": "ana",
            "LANG": "C.UTF-8",
            MARK: os.environ.get(MARK, "1"),
            # An agent may run these stories; the program built for tests does not hold that against their person.
            "APOSTILLE_TEST_WITHOUT_PARENTS": "1",
            # Stories are told faster than any agent writes.
            **{f"APOSTILLE_BREAKERS_{it}": "0" for it in ("BURST", "COPIES", "DRIFT", "INVALIDATIONS")},
        }

    def write(self, path, text):
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *args):
        person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]
        subprocess.run(["git", *person, *args], cwd=self.repo, env=self.env(), check=True, stdout=subprocess.DEVNULL)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def person(self, *args):
        """Runs the program as the person whose machine this is."""
        env = self.env() | {"APOSTILLE_PERSON": "ana"}
        return subprocess.run([self.binary, *args], cwd=self.repo, env=env, check=True, capture_output=True, text=True).stdout

    def mcp(self, profile):
        """The command of a server on stdio."""
        return [self.binary, "mcp", "--profile", profile]

    def serve(self, profile="default", token=None, more=()):
        """Starts a server on HTTP and gives its address; it ends with this world."""
        command = [self.binary, "--json", "serve", "--port", "0", "--profile", profile, *more]
        env = self.env() | ({"APOSTILLE_TOKEN": token} if token else {})
        log = open(self.folder / "serve.log", "w+")
        process = subprocess.Popen(
            command + ([] if token else ["--no-token"]),
            cwd=self.repo, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
        )
        self.started.append(process)
        line = process.stdout.readline()
        if not line:
            log.seek(0)
            sys.exit(f"the server ended at once: {log.read()}")
        return json.loads(line)["url"]


def profiles():
    """The sets of tools that the program offers."""
    said = subprocess.run([BIN, "mcp", "--profile", "?"], capture_output=True, text=True).stderr
    found = re.search(r"possible values: ([a-z, ]+)", said)
    assert found, said
    return found[1].split(", ")


def left_behind():
    """Processes that carry this run's mark and are still there; only where the system shows them."""
    mark = f"{MARK}={os.environ.get(MARK)}".encode()
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_ours = mark in (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if is_ours and command.startswith((BIN, FIXTURES)):
                found.append((int(folder.name), command))
    return found


if __name__ == "__main__":
    left = left_behind()
    for pid, command in left:
        print(f"still running: {pid} {command}")
        with contextlib.suppress(OSError):
            os.kill(pid, 15)
    sys.exit(1 if left else 0)
