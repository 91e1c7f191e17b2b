"""Where the program is: carried in this package, named by `APOSTILLE_BIN`, or installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import ProgramNotFound

_NAME = "apostille.exe" if os.name == "nt" else "apostille"
#: Where a wheel carries it.
CARRIED = Path(__file__).resolve().parent / "_bin" / _NAME

_HINT = "`pip install apostille` brings it for this platform, or set APOSTILLE_BIN to its path"


def find_program() -> str:
    """The path of the program: the one that this package carries, then `APOSTILLE_BIN`, then the one in `PATH`."""
    if CARRIED.is_file():
        return str(CARRIED)
    named = os.environ.get("APOSTILLE_BIN")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramNotFound(f"APOSTILLE_BIN is {named}, which is not a program", hint=_HINT)
        return named
    return _find_installed()


def _find_installed() -> str:
    for folder in os.get_exec_path():
        found = shutil.which(_NAME, path=folder)
        if found and not _is_own_script(found):
            return found
    raise ProgramNotFound("there is no `apostille` program here", hint=_HINT)


def _is_own_script(path: str) -> bool:
    """The console script of this package is called `apostille` too, and would start itself for ever."""
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return True
    return start.startswith(b"#!") and b"apostille._program" in start


def main() -> int:
    """The `apostille` command: becomes the program."""
    try:
        program = find_program()
    except ProgramNotFound as error:
        print(f"apostille: {error}", file=sys.stderr)
        return 127
    arguments = [program, *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.call(arguments)
    return os.execv(program, arguments)
