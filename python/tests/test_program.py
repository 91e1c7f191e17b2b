"""Where the program is found, and the `apostille` command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import apostille
from apostille import _program

REAL = apostille.find_program()


def make_program(path: Path, text: str = "\x7fELF") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_the_carried_program_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, installed = make_program(tmp_path / "named"), make_program(tmp_path / "bin" / "apostille")
    monkeypatch.setattr(_program, "CARRIED", tmp_path / "carried")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("APOSTILLE_BIN", raising=False)
    assert apostille.find_program() == installed
    monkeypatch.setenv("APOSTILLE_BIN", named)
    assert apostille.find_program() == named
    carried = make_program(tmp_path / "carried")
    assert apostille.find_program() == carried


def test_the_command_of_this_package_is_not_taken_for_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_program(tmp_path / "bin" / "apostille", f"#!{sys.executable}\nfrom apostille._program import main\n")
    monkeypatch.setattr(_program, "CARRIED", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("APOSTILLE_BIN", raising=False)
    with pytest.raises(apostille.ProgramNotFound) as missing:
        apostille.find_program()
    assert "pip install apostille" in (missing.value.hint or "")
    # Another launcher is as good as the program.
    launcher = make_program(tmp_path / "npm" / "apostille", "#!/usr/bin/env node\n")
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / it) for it in ("bin", "npm")))
    assert apostille.find_program() == launcher
    monkeypatch.setenv("APOSTILLE_BIN", str(tmp_path / "none"))
    with pytest.raises(apostille.ProgramNotFound, match="APOSTILLE_BIN"):
        apostille.find_program()


def test_the_command_becomes_the_program() -> None:
    def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)

    script = run(sys.executable, "-m", "apostille", "--version", APOSTILLE_BIN=REAL)
    assert script.stdout == run(REAL, "--version").stdout
    assert run(sys.executable, "-m", "apostille", "no-such-verb", APOSTILLE_BIN=REAL).returncode == 2
    missing = run(sys.executable, "-m", "apostille", APOSTILLE_BIN="/no/such/program")
    assert missing.returncode == 127
    assert "set APOSTILLE_BIN" in missing.stderr
