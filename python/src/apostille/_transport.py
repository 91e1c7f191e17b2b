"""What a client needs of whatever carries its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Call:
    """A call of the program, by its name and by how it is reached over HTTP."""

    id: str
    method: str
    path: str
    #: Whether calling it twice does no harm, so that it may be sent again on a new connection.
    is_idempotent: bool


@dataclass(frozen=True)
class Request:
    """One call with what is sent along."""

    call: Call
    parts: Mapping[str, str] = field(default_factory=dict)
    query: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Any] | str | None = None


@dataclass(frozen=True)
class Reply:
    """What came back: the status that HTTP has for it, and the body, which is JSON or a text."""

    status: int
    body: Any
    retry_after: float | None = None


class Transport(Protocol):
    """Carries calls, from any thread and after a fork. Each call ends within `timeout` seconds, whatever happens."""

    def call(self, request: Request, timeout: float) -> Reply:
        """Calls the program, and waits."""

    async def call_async(self, request: Request, timeout: float) -> Reply:
        """The same for a task, which may be cancelled."""

    def call_mcp(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        """A request of the Model Context Protocol; the result, or an exception."""

    async def call_mcp_async(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        """The same for a task, which may be cancelled."""

    def close(self) -> None:
        """Ends what was started. Calls that still wait are told so."""
