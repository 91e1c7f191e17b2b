"""A server behind a URL: the API over HTTP, with a token.

Connections are kept for calls that may be repeated; a write always gets a new one, because a connection that the server closed
meanwhile leaves it open whether the write was done. Redirects and proxies of the environment are not followed: the token goes to the
server that was named, and nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import ssl
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._mcp import REVISION, build_request, encode_json, read_response
from ._transport import Reply, Request
from .errors import BadAnswer, Closed, Malformed, TimedOut, Unreachable, raise_for

#: How many connections are kept.
KEPT = 4
#: How long one that is not used is trusted, in seconds; the server closes them after ten.
FRESH_SECONDS = 5.0


class HttpTransport:
    """Calls a server."""

    def __init__(self, url: str, token: str | None, client: str, context: ssl.SSLContext | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Malformed(f"{url!r} is not the address of a server", hint='such as "http://127.0.0.1:7787"')
        self._host, self._port, self._is_secure = parts.hostname, parts.port, parts.scheme == "https"
        # `apostille serve` prints the address of /mcp.
        self._base = parts.path.rstrip("/").removesuffix("/mcp")
        self._url, self._token, self._client = url, token, client
        self._context = context or (ssl.create_default_context() if self._is_secure else None)
        self._lock = threading.Lock()
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._is_closed = False
        _OPEN.add(self)

    def call(self, request: Request, timeout: float) -> Reply:
        return self._send(_HttpCall.of(self._base, request), time.monotonic() + timeout)

    async def call_async(self, request: Request, timeout: float) -> Reply:
        return await self._send_async(_HttpCall.of(self._base, request), time.monotonic() + timeout)

    def call_mcp(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        reply = self._send(self._build_mcp_call(method, params), time.monotonic() + timeout)
        return _read_mcp_reply(reply)

    async def call_mcp_async(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        reply = await self._send_async(self._build_mcp_call(method, params), time.monotonic() + timeout)
        return _read_mcp_reply(reply)

    def close(self) -> None:
        with self._lock:
            idle, self._idle, self._is_closed = self._idle, [], True
        for _, it in idle:
            it.close()

    def forget_parent(self) -> None:
        """In a forked process: two processes on one connection would read each other's answers."""
        self._lock = threading.Lock()
        idle, self._idle = self._idle, []
        for _, it in idle:
            if it.sock is not None:
                os.close(it.sock.detach())

    async def _send_async(self, call: _HttpCall, deadline: float) -> Reply:
        try:
            return await asyncio.to_thread(self._send, call, deadline)
        except asyncio.CancelledError:
            call.cancel()
            raise

    def _send(self, call: _HttpCall, deadline: float) -> Reply:
        kept = self._take_idle() if call.is_idempotent else None
        if kept is not None:
            try:
                return self._send_on(kept, call, deadline)
            except Unreachable:
                pass  # The server closed it meanwhile.
        return self._send_on(self._connect(), call, deadline)

    def _send_on(self, connection: http.client.HTTPConnection, call: _HttpCall, deadline: float) -> Reply:
        try:
            reply = call.exchange(connection, deadline, self._headers())
        except TimeoutError as error:
            connection.close()
            raise TimedOut(f"{self._url}: no answer in time", hint="pass a longer timeout=") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            why = str(error) or type(error).__name__
            raise Unreachable(f"{self._url} cannot be reached: {why}", hint="`apostille serve` starts a server") from error
        except BaseException:
            connection.close()
            raise
        self._keep(connection)
        return reply

    def _connect(self) -> http.client.HTTPConnection:
        if self._is_closed:
            raise Closed("this client was closed", hint="open another one")
        if self._is_secure:
            return http.client.HTTPSConnection(self._host, self._port, context=self._context)
        return http.client.HTTPConnection(self._host, self._port)

    def _take_idle(self) -> http.client.HTTPConnection | None:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < FRESH_SECONDS:
                    return connection
                connection.close()
        return None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and not self._is_closed and len(self._idle) < KEPT:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream", "User-Agent": self._client}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def _build_mcp_call(self, method: str, params: Mapping[str, Any]) -> _HttpCall:
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": self._client, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = {"MCP-Protocol-Version": REVISION, "Mcp-Method": method, "Content-Type": "application/json"}
        if "name" in params:
            headers["Mcp-Name"] = str(params["name"])
        body = build_request(1, method, {**params, "_meta": meta})
        return _HttpCall("POST", f"{self._base}/mcp", body, headers, is_idempotent=method.endswith("/list"))


class _HttpCall:
    """One request, which another thread may cancel."""

    def __init__(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, is_idempotent: bool) -> None:
        self.method, self.path, self.body, self.headers = method, path, body, headers
        self.is_idempotent = is_idempotent
        self._connection: http.client.HTTPConnection | None = None
        self._is_cancelled = False

    @classmethod
    def of(cls, base: str, request: Request) -> _HttpCall:
        path = request.call.path
        for name, value in request.parts.items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        if request.query:
            path += "?" + urlencode(request.query)
        body, headers = None, {}
        if isinstance(request.body, str):
            body, headers = request.body.encode(errors="replace"), {"Content-Type": "text/plain; charset=utf-8"}
        elif request.body is not None:
            body, headers = encode_json(request.body), {"Content-Type": "application/json"}
        return cls(request.call.method, base + path, body, headers, is_idempotent=request.call.is_idempotent)

    def cancel(self) -> None:
        """Ends a request that is under way; its thread gets an error that nobody reads."""
        self._is_cancelled = True
        if self._connection is not None and self._connection.sock is not None:
            with contextlib.suppress(OSError):
                self._connection.sock.shutdown(2)

    def exchange(self, connection: http.client.HTTPConnection, deadline: float, headers: Mapping[str, str]) -> Reply:
        """Sends it and reads the reply, each step within what is left of the time."""
        self._connection = connection
        if self._is_cancelled:
            raise OSError("the call was cancelled")
        self._set_time(connection, deadline)
        connection.request(self.method, self.path, self.body, {**headers, **self.headers})
        self._set_time(connection, deadline)
        response = connection.getresponse()
        parts = []
        while True:
            self._set_time(connection, deadline)
            part = response.read1(65536)
            if not part:
                break
            parts.append(part)
        return _read_reply(response, b"".join(parts))

    @staticmethod
    def _set_time(connection: http.client.HTTPConnection, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.timeout = left
        if connection.sock is not None:
            connection.sock.settimeout(left)


def _read_reply(response: http.client.HTTPResponse, data: bytes) -> Reply:
    kind = response.headers.get_content_type()
    text = data.decode("utf-8", errors="replace")
    body: Any = text
    if kind == "application/json":
        try:
            body = json.loads(text)
        except ValueError as error:
            raise BadAnswer("the server answered something that is not JSON") from error
    elif kind == "text/event-stream":
        body = _read_event(text)
    retry = response.headers.get("Retry-After", "")
    return Reply(response.status, body, float(retry) if retry.isdigit() else None)


def _read_event(text: str) -> Any:
    """The response in a stream of events; what comes before it is about how far the call is."""
    for line in text.splitlines():
        if line.startswith("data:") and line[5:].strip():
            message = json.loads(line[5:])
            if "id" in message and "method" not in message:
                return message
    raise BadAnswer("the server's stream has no answer in it")


def _read_mcp_reply(reply: Reply) -> Any:
    if isinstance(reply.body, Mapping) and "jsonrpc" in reply.body:
        return read_response(reply.body)
    raise_for(reply.status, reply.body, reply.retry_after)
    raise BadAnswer("the server does not answer as MCP does")


_OPEN: weakref.WeakSet[HttpTransport] = weakref.WeakSet()


def _forget_parents() -> None:
    for it in list(_OPEN):
        it.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)
