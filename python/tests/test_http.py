"""The same verbs over a real server's URL, and servers that misbehave."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import apostille
from apostille._http import HttpTransport

from .conftest import World

TOKEN = "of-these-tests"


@pytest.fixture
def url(world: World) -> Iterator[str]:
    """A server of the repository; its token may read and write."""
    command = [apostille.find_program(), "--json", "serve", "--port", "0", "--profile", "verified", "--log", "off", "--limit", "at_once=64"]
    env = {**os.environ, "APOSTILLE_TOKEN": TOKEN}
    server = subprocess.Popen(command, cwd=world.repo, env=env, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield str(json.loads(server.stdout.readline())["url"])
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()


@pytest.fixture
def remote(url: str) -> Iterator[apostille.Memory]:
    with apostille.Memory(url=url, token=TOKEN) as it:
        yield it


def test_a_server_answers_as_a_child_does(world: World, remote: apostille.Memory) -> None:
    remote.remember("API_VERSION is 3", citations="src/api.rs:3")
    with apostille.Memory(world.repo) as local:
        near, far = local.recall("API_VERSION", log=False), remote.recall("API_VERSION", log=False)
        assert (near.block, near.memories[0].to_json()) == (far.block, far.memories[0].to_json())
        assert [it.handle for it in remote.iterate(limit=1)] == ["m-1"]
    assert remote.forget("m-1").outcome == "forgotten"
    with pytest.raises(apostille.NoSuchMemory):
        remote.show("m-1")
    with pytest.raises(apostille.Refused) as refused:
        remote.remember("the API is at version 3")
    assert refused.value.refusal == "needs_citation"
    with pytest.raises(apostille.NotFound, match="other/app"), apostille.Memory("other/app", url=_url(remote), token=TOKEN) as other:
        other.stats()


def _url(memory: apostille.Memory) -> str:
    assert isinstance(memory._transport, HttpTransport)
    return memory._transport._url


def test_the_tools_of_a_server_are_called(remote: apostille.Memory) -> None:
    remote.remember("API_VERSION is 3", citations="src/api.rs:3")
    assert len(remote.list_tools()) == 10
    assert "API_VERSION is 3" in remote.call_tool("memory_get_recent", {}).text
    assert remote.call_tool("memory_store", {"subject": "x", "fact": "y"}).is_refusal


def test_a_wrong_token_and_a_small_one_are_told_apart(world: World, url: str) -> None:
    with apostille.Memory(url=url, token="wrong") as stranger, pytest.raises(apostille.NotAllowed, match="token"):
        stranger.stats()
    read = world.person("token", "create", "ci").strip()
    with apostille.Memory(url=url, token=read) as reader:
        assert reader.stats().ok
        with pytest.raises(apostille.NotAllowed, match="may"):
            reader.remember("API_VERSION is 3", citations="src/api.rs:3")
        with pytest.raises(apostille.ApostilleError):
            reader.call_tool("memory_get_recent", {"limit": "x"}, timeout=0)


def test_a_reviewing_token_decides_for_the_person_who_made_it(world: World, url: str) -> None:
    token = world.person("token", "create", "boss", "--access", "review").strip()
    world.person("remember", "releases are tagged on Fridays", "--kind", "feedback")
    with apostille.Memory(url=url, token=token) as memory:
        assert memory.forget("m-1").outcome == "forgotten"
        waiting = memory.learn([{"speaker": "user", "text": "We use tabs in this repo."}]).proposed[0]
        assert memory.approve(waiting.handle).memories[0].status == "active"


def test_threads_and_tasks_share_a_client(url: str, remote: apostille.Memory) -> None:
    remote.remember("API_VERSION is 3", citations="src/api.rs:3")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: remote.recall("API_VERSION").memories[0].handle, range(40))) == {"m-1"}

    async def run() -> None:
        async with apostille.AsyncMemory(url=url, token=TOKEN) as memory:
            answers = await asyncio.gather(*(memory.recall("API_VERSION") for _ in range(20)))
            assert {it.memories[0].handle for it in answers} == {"m-1"}

    asyncio.run(run())


def _show(memory: apostille.Memory) -> str:
    return memory.show("m-1").memory.fact


def test_forked_processes_do_not_share_a_connection(remote: apostille.Memory) -> None:
    remote.remember("API_VERSION is 3", citations="src/api.rs:3")
    remote.stats()
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(_show, [remote] * 9) == ["API_VERSION is 3"] * 9
    assert remote.stats().ok


class Server:
    """A socket that says what it is told to."""

    def __init__(self, *answers: bytes) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._answers = answers
        self._held: list[socket.socket] = []
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp"

    def _serve(self) -> None:
        for answer in self._answers:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._held.append(connection)
            self.heard.append(connection.recv(65536))
            connection.sendall(answer)
            if answer.endswith(b"!"):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for it in self._held:
            it.close()
        self._thread.join(20)


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    with Server(b"") as server, apostille.Memory(url=server.url) as memory, pytest.raises(apostille.TimedOut):
        memory.stats(timeout=0.2)


def test_a_server_that_never_comes_to_an_end_is_not_waited_for() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    with Server(head) as server, apostille.Memory(url=server.url) as memory, pytest.raises(apostille.TimedOut):
        memory.stats(timeout=0.2)


def test_a_server_that_goes_away_is_unreachable() -> None:
    with Server(b"HTTP!") as server, apostille.Memory(url=server.url) as memory, pytest.raises(apostille.Unreachable):
        memory.stats()
    with apostille.Memory(url=server.url) as memory, pytest.raises(apostille.Unreachable) as away:
        memory.stats()
    assert "apostille serve" in (away.value.hint or "")


def test_what_is_no_answer_of_ours_is_told() -> None:
    page = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    with Server(page) as server, apostille.Memory(url=server.url) as memory, pytest.raises(apostille.Broken, match="502"):
        memory.stats()
    with pytest.raises(apostille.Malformed, match="not the address of a server"):
        apostille.Memory(url="127.0.0.1:7787")


def test_a_redirect_is_not_followed_with_the_token() -> None:
    with Server(b"") as other:
        there = other.url.encode()
        moved = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: " + there + b"\r\nContent-Length: 0\r\n\r\n"
        with Server(moved) as server, apostille.Memory(url=server.url, token="t") as memory, pytest.raises(apostille.ApostilleError):
            memory.stats()
        assert b"Bearer t" in server.heard[0]
        assert other.heard == []


def test_a_cancelled_task_ends_its_request() -> None:
    async def run(memory: apostille.AsyncMemory) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(memory.stats(), 0.2)

    with Server(b"") as server:
        # asyncio.run waits for the threads of its executor: it would not end if the request went on.
        asyncio.run(run(apostille.AsyncMemory(url=server.url, timeout=600)))
