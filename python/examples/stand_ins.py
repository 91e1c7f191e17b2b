"""What stands in for models in these examples, so that they run without a key. Your program has a real one instead."""

from __future__ import annotations

import re
from pathlib import Path

import apostille


def answer_from_context(context: str) -> str:
    """What a careful model says: the first fact that it was shown, with its handle."""
    found = re.search(r"^- (?P<fact>.+) \((?P<handle>[mu]-\d+);", context, re.MULTILINE)
    return f"{found['fact']}, says {found['handle']}." if found else "I do not know."


def keep_a_fact(folder: str | Path) -> None:
    """So that there is something to recall."""
    with apostille.Memory(folder) as memory:
        memory.remember("API_VERSION is 3", citations="src/api.rs:3", skip=True)


def tell_use(folder: str | Path) -> None:
    """Whether the memory was counted as used, and what waits for a person."""
    with apostille.Memory(folder) as memory:
        print("applied:", memory.show("m-1").memory.applied)
        for it in memory.list(status="pending").memories:
            print("proposed:", it.fact)
