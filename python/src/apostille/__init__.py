"""Apostille: verified, shared memory for coding agents.

    import apostille

    with apostille.Memory() as memory:
        memory.remember("API_VERSION is 3", citations="src/api.rs:3")
        for it in memory.recall("which API version?").memories:
            print(it.handle, it.standing, it.fact)

What is remembered is kept with the code that proves it, and looked up again before it is shown. `Memory` and `AsyncMemory` have the
verbs; `apostille.types` what they answer; `apostille.errors` what they raise. `apostille.agent_framework` and
`apostille.langgraph` join it to frameworks.
"""

from ._program import find_program
from ._tools import Tool, ToolAnswer
from .client import AsyncMemory, Memory
from .errors import (
    ApostilleError,
    BadAnswer,
    Broken,
    Busy,
    Closed,
    Malformed,
    NoSuchMemory,
    NotAllowed,
    NotFound,
    ProgramFailed,
    ProgramNotFound,
    Refused,
    Similar,
    TimedOut,
    Unreachable,
)

__version__ = "0.1.0"

__all__ = [
    "ApostilleError",
    "AsyncMemory",
    "BadAnswer",
    "Broken",
    "Busy",
    "Closed",
    "Malformed",
    "Memory",
    "NoSuchMemory",
    "NotAllowed",
    "NotFound",
    "ProgramFailed",
    "ProgramNotFound",
    "Refused",
    "Similar",
    "TimedOut",
    "Tool",
    "ToolAnswer",
    "Unreachable",
    "find_program",
]
