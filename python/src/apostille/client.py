"""`Memory` and `AsyncMemory`: verified memory of a repository, for programs.

    import apostille

    with apostille.Memory(repo=".") as memory:
        memory.remember("API_VERSION is 3", citations="src/api.rs:3")
        for it in memory.recall("which API version?").memories:
            print(it.handle, it.standing, it.fact)

A client starts the program (`apostille mcp`) when it is first called, and ends it with `close()`, at the end of the `with`, when it
is no longer used, or when Python ends. One client may be used by any number of threads and tasks. After a fork each process has a
program of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ._answer import Decode
from ._calls import AsyncCalls, SyncCalls
from ._http import HttpTransport
from ._program import find_program
from ._stdio import StdioTransport
from ._tools import Tool, ToolAnswer, read_tool_answer, read_tools
from ._transport import Call, Reply, Request, Transport
from .errors import Malformed, raise_for
from .types import MemoryView

T = TypeVar("T")

#: How long a call may take, in seconds.
TIMEOUT = 30.0
_REPO_NAME = re.compile(r"^(?:[A-Za-z0-9._-]+/){1,7}[A-Za-z0-9._-]+$")


@dataclass(frozen=True)
class _Options:
    """What a client was made with; a pickled client is made of it again."""

    repo: str | os.PathLike[str] | None
    url: str | None
    token: str | None
    store: str | None
    user: str | None
    program: str | None
    env: Mapping[str, str] | None
    tools: str
    client: str
    timeout: float
    ssl_context: ssl.SSLContext | None

    def open_transport(self) -> Transport:
        """What carries the calls. Nothing is started here."""
        if self.url is None:
            place = self._build_place()
            return StdioTransport(lambda: self._build_command(place), self._build_environment, self.client)
        unfit = [name for name in ("store", "user", "program", "env") if getattr(self, name) is not None]
        if unfit:
            raise Malformed(f"{', '.join(unfit)} is for a program that is started here", hint="leave it out, or leave url out")
        token = self.token or os.environ.get("APOSTILLE_TOKEN")
        return HttpTransport(self.url, token, self.client, self.ssl_context)

    def find_repo_name(self) -> str | None:
        """The repository that each call to a server names."""
        if self.url is None or self.repo is None:
            return None
        name = os.fspath(self.repo)
        if not _REPO_NAME.match(name):
            raise Malformed(f"repo is {name!r}", hint='a server takes a name: "owner/name"; a folder is for a program that is started here')
        return name

    def _build_command(self, place: list[str]) -> list[str]:
        command = [self.program or find_program(), "mcp", "--profile", self.tools, *place]
        for flag, value in (("--store", self.store), ("--as", self.user)):
            if value is not None:
                command += [flag, value]
        return command

    def _build_place(self) -> list[str]:
        """A folder that is there is meant as one; else it is a name."""
        if self.repo is None:
            return []
        folder = Path(self.repo).expanduser()
        if folder.is_dir():
            return ["-C", str(folder)]
        if isinstance(self.repo, str) and _REPO_NAME.match(self.repo):
            return ["--repo", self.repo]
        raise Malformed(f"repo is {os.fspath(self.repo)!r}, which is not a folder", hint='a checkout\'s folder, or "owner/name"')

    def _build_environment(self) -> dict[str, str]:
        return {**os.environ, **(self.env or {})}


class _Client:
    """What both clients have in common."""

    def __init__(
        self,
        repo: str | os.PathLike[str] | None = None,
        *,
        url: str | None = None,
        token: str | None = None,
        store: str | None = None,
        user: str | None = None,
        program: str | None = None,
        env: Mapping[str, str] | None = None,
        tools: str = "verified",
        client: str = "apostille-python",
        timeout: float = TIMEOUT,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """Makes a client; nothing is started or connected before the first call.

        Args:
            repo: The folder of a checkout, or a repository's name (`owner/name`). The current folder unless said. With `url`, a
                name.
            url: The address of a server (`apostille serve`), instead of a program that is started here.
            token: The server's token; `APOSTILLE_TOKEN` unless said.
            store: Where memories are kept, as `apostille --store` takes it.
            user: Who the person is, as `apostille --as` takes it.
            program: The path of the program, instead of the one that this package carries.
            env: Variables for the program, beside those of this process.
            tools: The set that `list_tools` and `call_tool` offer; with `url`, the server decides.
            client: What this program calls itself; it is kept with what it says.
            timeout: Seconds that a call may take.
            ssl_context: How a server's certificate is checked.
        """
        self._options = _Options(repo, url, token, store, user, program, env, tools, client, timeout, ssl_context)
        self._repo_name = self._options.find_repo_name()
        self._transport = self._options.open_transport()
        # Also when nobody closes it, and when Python ends.
        self._close = weakref.finalize(self, self._transport.close)

    def __getstate__(self) -> _Options:
        return self._options

    def __setstate__(self, options: _Options) -> None:
        self.__init__(**{name: getattr(options, name) for name in options.__dataclass_fields__})  # type: ignore[misc]

    def _build_request(
        self,
        call: Call,
        parts: Mapping[str, str] | None,
        query: Mapping[str, Any] | None,
        body: Mapping[str, Any] | str | None,
    ) -> Request:
        pairs = list(_flatten_query(query or {}))
        if self._repo_name is not None:
            pairs.append(("repo", self._repo_name))
        if isinstance(body, Mapping):
            body = {key: it for key, it in body.items() if it is not None}
        return Request(call, dict(parts or {}), tuple(pairs), body)

    def _choose_timeout(self, timeout: float | None) -> float:
        return self._options.timeout if timeout is None else timeout


def _flatten_query(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for it in value if isinstance(value, Sequence) and not isinstance(value, str) else [value]:
            if it is not None:
                yield name, str(it).lower() if isinstance(it, bool) else str(it)


def _decode_reply(reply: Reply, decode: Decode[T]) -> T:
    raise_for(reply.status, reply.body, reply.retry_after)
    return decode(reply.body)


class Memory(_Client, SyncCalls):
    """Verified memory of a repository.

    >>> with apostille.Memory() as memory:
    ...     memory.recall("which API version?").memories

    Every verb raises an `ApostilleError` where it cannot give its answer; its `hint` says what to do.
    """

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the program that was started. Calls of other threads that still wait raise `Closed`."""
        self._close()

    def iterate(self, **filters: Any) -> Iterator[MemoryView]:
        """Every memory that `list` would give, page after page; it takes the arguments of `list`."""
        while True:
            page = self.list(**filters)
            yield from page.memories
            if page.next is None:
                return
            filters["after"] = page.next

    def list_tools(self, *, timeout: float | None = None) -> Sequence[Tool]:
        """The tools of the set that was asked for, to be handed to a model."""
        return read_tools(self._transport.call_mcp("tools/list", {}, self._choose_timeout(timeout)))

    def call_tool(self, name: str, arguments: Mapping[str, Any], *, timeout: float | None = None) -> ToolAnswer:
        """Calls a tool as a model does. A refusal is an answer here: it is written for the model."""
        params = {"name": name, "arguments": dict(arguments)}
        return read_tool_answer(self._transport.call_mcp("tools/call", params, self._choose_timeout(timeout)))

    def _call(
        self,
        call: Call,
        decode: Decode[T],
        *,
        parts: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | str | None = None,
        timeout: float | None = None,
    ) -> T:
        request = self._build_request(call, parts, query, body)
        return _decode_reply(self._transport.call(request, self._choose_timeout(timeout)), decode)


class AsyncMemory(_Client, AsyncCalls):
    """The same for `asyncio`. A task that is cancelled cancels its call.

    >>> async with apostille.AsyncMemory() as memory:
    ...     answer = await memory.recall("which API version?")
    """

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the program that was started. Calls that still wait raise `Closed`."""
        await asyncio.to_thread(self._close)

    async def iterate(self, **filters: Any) -> AsyncIterator[MemoryView]:
        """Every memory that `list` would give, page after page; it takes the arguments of `list`."""
        while True:
            page = await self.list(**filters)
            for it in page.memories:
                yield it
            if page.next is None:
                return
            filters["after"] = page.next

    async def list_tools(self, *, timeout: float | None = None) -> Sequence[Tool]:
        """The tools of the set that was asked for, to be handed to a model."""
        return read_tools(await self._transport.call_mcp_async("tools/list", {}, self._choose_timeout(timeout)))

    async def call_tool(self, name: str, arguments: Mapping[str, Any], *, timeout: float | None = None) -> ToolAnswer:
        """Calls a tool as a model does. A refusal is an answer here: it is written for the model."""
        params = {"name": name, "arguments": dict(arguments)}
        return read_tool_answer(await self._transport.call_mcp_async("tools/call", params, self._choose_timeout(timeout)))

    async def _call(
        self,
        call: Call,
        decode: Decode[T],
        *,
        parts: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | str | None = None,
        timeout: float | None = None,
    ) -> T:
        request = self._build_request(call, parts, query, body)
        return _decode_reply(await self._transport.call_async(request, self._choose_timeout(timeout)), decode)
