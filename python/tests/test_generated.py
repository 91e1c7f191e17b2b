"""What is generated is what the program's document says, and the versions agree."""

from __future__ import annotations

import re
import subprocess
import sys

import apostille

from .conftest import ROOT


def test_types_and_verbs_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "python" / "generate.py"), "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_version_is_the_programs() -> None:
    def find(path: str) -> str:
        found = re.search(r'^version = "(.+)"$', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
        assert found, path
        return found[1]

    assert apostille.__version__ == find("python/pyproject.toml") == find("Cargo.toml")
