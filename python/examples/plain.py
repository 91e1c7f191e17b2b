"""The client alone: keep a fact, ask for it, see it contradicted, put it right.

    python plain.py [FOLDER]

FOLDER is a checkout; a throw-away one is made unless you name one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import apostille


def make_repository(folder: Path) -> None:
    """A repository with one line of code."""
    (folder / "api.py").write_text("API_VERSION = 3\n", encoding="utf-8")
    person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], [*person, "commit", "-q", "-m", "begin"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


def show(memory: apostille.Memory, question: str) -> None:
    """What is known, and what is withheld because the code says otherwise."""
    answer = memory.recall(question)
    for it in answer.memories:
        print(f"{it.handle}  {it.standing:12}  {it.fact}")
    for it in answer.withheld:
        print(f"{it.handle}  {it.standing:12}  {it.fact}  (withheld)")


def main(folder: Path) -> None:
    """A day of one fact."""
    with apostille.Memory(folder, store=f"sqlite:{folder}/.git/example.db") as memory:
        kept = memory.remember("API_VERSION is 3", citations="api.py:1", skip=False)
        show(memory, "Which API_VERSION do we speak?")

        # Somebody changes the code: nobody has to tell the memory.
        (folder / "api.py").write_text("API_VERSION = 4\n", encoding="utf-8")
        subprocess.run(["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "commit", "-qam", "four"], cwd=folder, check=True)
        show(memory, "Which API_VERSION do we speak?")

        memory.correct(kept.memory.handle, "API_VERSION is 4", citations="api.py:1")
        show(memory, "Which API_VERSION do we speak?")

        # A refusal says what to do.
        try:
            memory.remember("The tests are slow")
        except apostille.Refused as no:
            print(f"refused: {no.refusal}: {no.hint}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            make_repository(Path(made))
            main(Path(made))
