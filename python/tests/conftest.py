"""A machine of its own for each test: a home, a repository with code, a store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import apostille
from apostille.types import KeptReply

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = {
    "src/api.rs": "use std::time::Duration;\n\npub const API_VERSION: u32 = 3;\npub const RETRIES: u32 = 5;\n",
    "docs/api.md": "# API\n\nThe API version is 3.\n",
}
#: The variables of a client's session, which would tell the program of another agent.
_SESSION = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "COPILOT_AGENT_SESSION_ID", "CLAUDECODE")


class World:
    """A repository, and how the program is called in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "app"
        self.env = {
            "HOME": str(folder / "home"),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(folder / "runtime"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "USER": "ana",
            # Tests write faster than any agent.
            **{f"APOSTILLE_BREAKERS_{it}": "0" for it in ("BURST", "COPIES", "DRIFT", "INVALIDATIONS")},
            "APOSTILLE_TEST_WITHOUT_PARENTS": "1",
        }
        for name in ("home", "data", "config", "cache", "state", "runtime"):
            (folder / name).mkdir(mode=0o700)
        for path, text in CODE.items():
            self.write(path, text)
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", "https://github.com/acme/app.git")
        self.commit("begin")

    def write(self, path: str, text: str) -> None:
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def git(self, *args: str) -> None:
        person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]
        subprocess.run(["git", *person, *args], cwd=self.repo, env={**os.environ, **self.env}, check=True, stdout=subprocess.DEVNULL)

    def commit(self, subject: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def person(self, *args: str) -> str:
        """Runs the program as the person whose machine this is."""
        env = {**os.environ, **self.env, "APOSTILLE_PERSON": "ana"}
        command = [apostille.find_program(), *args]
        return subprocess.run(command, cwd=self.repo, env=env, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    own = {it for it in os.environ if it.startswith("APOSTILLE_")} - {"APOSTILLE_BIN", "APOSTILLE_CLIENTS_RUN"}
    for name in (*_SESSION, *own):
        monkeypatch.delenv(name, raising=False)
    made = World(tmp_path)
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def memory(world: World) -> Iterator[apostille.Memory]:
    with apostille.Memory(world.repo) as it:
        yield it


@pytest.fixture
def api_fact(memory: apostille.Memory) -> KeptReply:
    """What most tests know: m-1."""
    return memory.remember("API_VERSION is 3", citations="src/api.rs:3")


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """Where a program is written that is none of ours; `write_program` makes it one."""
    return tmp_path / "stand-in"


def write_program(path: Path, body: str) -> str:
    """A program in Python that starts as `apostille mcp` would, for what the real one never does."""
    opening = f"#!{sys.executable}\nimport json, os, sys, time\n"
    answer = (
        "def answer(line, result):\n"
        "    number = json.loads(line)['id']\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': number, 'result': result}), flush=True)\n"
        "answer(sys.stdin.readline(), {'supportedVersions': ['2026-07-28']})\n"
    )
    path.write_text(opening + answer + body, encoding="utf-8")
    path.chmod(0o755)
    return str(path)
