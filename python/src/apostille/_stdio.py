"""The program as a child: `apostille mcp`, JSON lines over its standard input and output.

Three threads serve one child, so that no caller ever blocks on a pipe: one writes, one reads, one keeps the end of what it says
on its standard error. A caller waits for a future, with a deadline. What is left behind by a fork is let go without a word to the
child, which belongs to the parent.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import itertools
import json
import logging
import os
import queue
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from ._mcp import REVISION, build_request, read_response
from ._transport import Reply, Request
from .errors import ApostilleError, BadAnswer, Closed, Malformed, ProgramFailed, TimedOut

log = logging.getLogger("apostille")

#: How long a child may take to say that it is there.
START_SECONDS = 10.0
#: How long it may take to end when its input is closed, and when it is asked to.
END_SECONDS = 2.0
#: How long a line may be that the program takes, in bytes.
MAX_LINE = 16 * 1024 * 1024
#: How much of what it says on its standard error is kept, in bytes.
ERROR_TAIL = 4096
_METHOD_NOT_FOUND = -32601


class _Pending:
    """A request that was sent."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.future: Future[Any] = Future()
        self.sent_at = time.monotonic()


class ProgramChild:
    """One running `apostille mcp`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        try:
            # Without buffers: nothing of the parent's is written twice after a fork.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=dict(environment),
                # An interrupt at the terminal is for this program, which then decides what becomes of its calls.
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramFailed(f"{command[0]} cannot be started: {error}", hint="set APOSTILLE_BIN to the program") from error
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._numbers = itertools.count(1)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._told = b""
        self._has_told = threading.Event()
        self._over: ApostilleError | None = None
        self.last_heard = 0.0
        self._threads = [self._start_thread(it) for it in (self._write, self._read, self._keep_errors)]

    @staticmethod
    def _start_thread(run: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=run, name="apostille", daemon=True)
        thread.start()
        return thread

    @property
    def is_running(self) -> bool:
        """Whether it can be called."""
        return self._over is None and self._process.poll() is None

    def send(self, method: str, params: Mapping[str, Any]) -> _Pending:
        """Sends a request; its future has the response."""
        pending = _Pending(next(self._numbers))
        line = build_request(pending.number, method, params)
        if len(line) > MAX_LINE:
            raise Malformed(f"the call is {len(line)} bytes long", hint=f"at most {MAX_LINE} are taken at once")
        with self._lock:
            if self._over is not None:
                raise copy.copy(self._over)
            self._pending[pending.number] = pending
        self._lines.put(line)
        return pending

    def abandon(self, pending: _Pending, *, is_late: bool) -> None:
        """Nobody waits for a request any more. A child that was silent all the time hangs, and is ended."""
        with self._lock:
            was_waiting = self._pending.pop(pending.number, None) is not None
        pending.future.cancel()
        if not was_waiting:
            return
        if is_late and self.last_heard < pending.sent_at:
            self._process.kill()
            return
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": pending.number}}
        self._lines.put(json.dumps(told).encode() + b"\n")

    def close(self) -> None:
        """Ends the child: politely, then not."""
        self._fail_all(Closed("this client was closed"))
        self._lines.put(None)
        for ask in (None, self._process.terminate, self._process.kill):
            if ask is not None:
                ask()
            try:
                self._process.wait(END_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(END_SECONDS)

    def disown(self) -> None:
        """In a forked process: closes this process's ends of the pipes, and forgets the child, which is the parent's."""
        self._process.returncode = 0
        for it in (self._process.stdin, self._process.stdout, self._process.stderr):
            if it is not None:
                it.close()

    def _write(self) -> None:
        file = self._process.stdin
        assert file is not None
        try:
            while (line := self._lines.get()) is not None:
                view = memoryview(line)
                while view:
                    view = view[file.write(view) :]
        except (OSError, ValueError):
            pass  # It ended; whoever reads says so.
        finally:
            with contextlib.suppress(OSError):
                file.close()

    def _read(self) -> None:
        file = self._process.stdout
        assert file is not None
        parts: list[bytes] = []
        try:
            while chunk := file.read(65536):
                if b"\n" not in chunk:
                    parts.append(chunk)
                    continue
                *lines, rest = b"".join([*parts, chunk]).split(b"\n")
                parts = [rest]
                for line in lines:
                    self._take_line(line)
        except (OSError, ValueError):
            pass
        code = self._wait_for_end()
        self._has_told.wait(END_SECONDS)
        told = self._told.decode(errors="replace").strip()
        ending = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        self._fail_all(ProgramFailed(f"`{' '.join(self._command[:2])}` {ending}", hint=told or None))
        file.close()

    def _wait_for_end(self) -> int | None:
        try:
            return self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _take_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            log.debug("the program said something that is not JSON: %.200r", line)
            return
        if not isinstance(message, dict):
            return
        self.last_heard = time.monotonic()
        number = message.get("id")
        if "method" in message:
            if number is not None:
                error = {"code": _METHOD_NOT_FOUND, "message": "this client answers no requests"}
                self._lines.put(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n")
            return
        with self._lock:
            pending = self._pending.pop(number, None) if isinstance(number, int) else None
        if pending is not None:
            _settle(pending.future, message)

    def _keep_errors(self) -> None:
        file = self._process.stderr
        assert file is not None
        try:
            while chunk := file.read(4096):
                self._told = (self._told + chunk)[-ERROR_TAIL:]
        except (OSError, ValueError):
            pass
        finally:
            self._has_told.set()
            file.close()

    def _fail_all(self, why: ApostilleError) -> None:
        with self._lock:
            self._over = self._over or why
            left, self._pending = list(self._pending.values()), {}
        for it in left:
            # Each waiter gets an exception of its own: raising one changes it.
            _settle(it.future, error=copy.copy(why))


def _settle(future: Future[Any], result: Any = None, error: BaseException | None = None) -> None:
    """Answers whoever waits; nobody may be waiting any more."""
    try:
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass


class StdioTransport:
    """Starts the program when it is first called, and again when it ended."""

    def __init__(self, command: Callable[[], Sequence[str]], environment: Callable[[], Mapping[str, str]], client: str) -> None:
        self._command = command
        self._environment = environment
        self._client = client
        self._lock = threading.Lock()
        self._child: ProgramChild | None = None
        self._is_closed = False
        _OPEN.add(self)

    def call(self, request: Request, timeout: float) -> Reply:
        return _read_reply(self.call_mcp("apostille/call", _build_params(request), timeout))

    async def call_async(self, request: Request, timeout: float) -> Reply:
        return _read_reply(await self.call_mcp_async("apostille/call", _build_params(request), timeout))

    def call_mcp(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        child = self._find_child(deadline)
        return self._ask(child, method, params, deadline)

    async def call_mcp_async(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        child = self._child
        if child is None or not child.is_running:
            child = await asyncio.to_thread(self._find_child, deadline)
        pending = child.send(method, self._sign(params))
        try:
            left = max(deadline - time.monotonic(), 0)
            response = await asyncio.wait_for(asyncio.wrap_future(pending.future), left)
        except asyncio.TimeoutError:
            child.abandon(pending, is_late=True)
            raise _build_late(method) from None
        except BaseException:
            child.abandon(pending, is_late=False)
            raise
        return read_response(response)

    def close(self) -> None:
        with self._lock:
            child, self._child, self._is_closed = self._child, None, True
        if child is not None:
            child.close()

    def forget_parent(self) -> None:
        """In a forked process: the locks may be held by threads that are not here, and the child is the parent's."""
        self._lock = threading.Lock()
        child, self._child = self._child, None
        if child is not None:
            child.disown()

    def _ask(self, child: ProgramChild, method: str, params: Mapping[str, Any], deadline: float) -> Any:
        pending = child.send(method, self._sign(params))
        try:
            response = pending.future.result(max(deadline - time.monotonic(), 0))
        except (FutureTimeoutError, CancelledError):
            child.abandon(pending, is_late=True)
            raise _build_late(method) from None
        except ApostilleError:
            raise
        except BaseException:
            child.abandon(pending, is_late=False)
            raise
        return read_response(response)

    def _sign(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": self._client, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        return {**params, "_meta": meta}

    def _find_child(self, deadline: float) -> ProgramChild:
        if not self._lock.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise _build_late("starting the program")
        try:
            if self._is_closed:
                raise Closed("this client was closed", hint="open another one")
            if self._child is None or not self._child.is_running:
                old, self._child = self._child, None
                if old is not None:
                    old.close()
                self._child = self._start(deadline)
            return self._child
        finally:
            self._lock.release()

    def _start(self, deadline: float) -> ProgramChild:
        command = self._command()
        child = ProgramChild(command, self._environment())
        try:
            until = min(deadline, time.monotonic() + START_SECONDS)
            found = self._ask(child, "server/discover", {}, until)
            if REVISION not in found.get("supportedVersions", []):
                raise ProgramFailed(f"{command[0]} does not speak revision {REVISION}", hint="use the program of this package's version")
        except BaseException:
            child.close()
            raise
        return child


def _build_late(what: str) -> TimedOut:
    return TimedOut(f"{what}: no answer in time", hint="pass a longer timeout=, or look with `apostille doctor`")


def _build_params(request: Request) -> dict[str, Any]:
    params: dict[str, Any] = {"call": request.call.id}
    if request.parts:
        params["parts"] = dict(request.parts)
    if request.query:
        params["query"] = request.query
    if request.body is not None:
        params["body"] = request.body
    return params


def _read_reply(result: Any) -> Reply:
    if not isinstance(result, Mapping) or not isinstance(result.get("status"), int):
        raise BadAnswer("the program answered something else than a status and a body")
    return Reply(result["status"], result.get("body"))


_OPEN: weakref.WeakSet[StdioTransport] = weakref.WeakSet()


def _forget_parents() -> None:
    for it in list(_OPEN):
        it.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)
