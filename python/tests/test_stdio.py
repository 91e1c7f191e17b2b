"""The child: started, called from many threads and processes, ended, and never waited for without end."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import apostille
from apostille._stdio import ProgramChild, StdioTransport
from apostille.types import KeptReply

from .conftest import World, write_program

HANGS = "time.sleep(600)\n"
NO_STATS = {"status": 200, "body": {"ok": True, "spaces": []}}


#: Answers once, so that a test knows that it is there, and then never again.
ANSWERS_ONCE = f"answer(sys.stdin.readline(), {NO_STATS})\n" + HANGS


@pytest.fixture(autouse=True)
def short_patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that does not end by itself is asked sooner."""
    if "stand_in" in request.fixturenames:
        monkeypatch.setattr("apostille._stdio.END_SECONDS", 0.2)


def get_child(memory: apostille.Memory | apostille.AsyncMemory) -> ProgramChild:
    transport = memory._transport
    assert isinstance(transport, StdioTransport)
    assert transport._child is not None
    return transport._child


def get_pid(memory: apostille.Memory | apostille.AsyncMemory) -> int:
    return get_child(memory)._process.pid


def is_gone(pid: int) -> bool:
    """Ended, and no zombie either."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nothing_is_started_before_the_first_call(world: World) -> None:
    memory = apostille.Memory(world.repo)
    assert isinstance(memory._transport, StdioTransport)
    assert memory._transport._child is None
    memory.close()
    with pytest.raises(apostille.Closed):
        memory.stats()


def test_close_ends_the_child_and_leaves_no_zombie(world: World) -> None:
    with apostille.Memory(world.repo) as memory:
        memory.stats()
        pid = get_pid(memory)
    assert is_gone(pid)
    memory.close()


def test_an_interrupt_at_the_terminal_is_not_for_the_child(memory: apostille.Memory, api_fact: KeptReply) -> None:
    assert os.getpgid(get_pid(memory)) != os.getpgid(0)


def test_a_client_that_is_no_longer_used_ends_its_child(world: World) -> None:
    memory = apostille.Memory(world.repo)
    memory.stats()
    pid = get_pid(memory)
    del memory
    gc.collect()
    assert is_gone(pid)


def test_the_end_of_python_ends_the_child(world: World) -> None:
    code = f"""
        import apostille
        memory = apostille.Memory({str(world.repo)!r})
        memory.stats()
        print(memory._transport._child._process.pid)
    """
    command = [sys.executable, "-X", "dev", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert is_gone(int(done.stdout))
    assert "ResourceWarning" not in done.stderr
    assert "Error" not in done.stderr


def test_a_killed_parent_takes_its_child_with_it(world: World) -> None:
    code = f"""
        import os, signal, apostille
        memory = apostille.Memory({str(world.repo)!r})
        memory.stats()
        print(memory._transport._child._process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL
    pid = int(done.stdout)
    stat = Path(f"/proc/{pid}/stat")
    # Somebody else has to bury it, which in a container nobody may do.
    wait_until(lambda: not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


def test_threads_share_one_child(memory: apostille.Memory, api_fact: KeptReply) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda it: memory.recall(f"API_VERSION, question {it}").memories[0].handle, range(64)))
    assert found == ["m-1"] * 64


def test_threads_that_call_at_once_start_one_child(world: World) -> None:
    with apostille.Memory(world.repo) as memory:
        barrier = threading.Barrier(8)

        def call(_: int) -> int:
            barrier.wait()
            memory.stats()
            return get_pid(memory)

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(call, range(8)))) == 1


def test_a_child_that_ended_is_started_again(memory: apostille.Memory, api_fact: KeptReply) -> None:
    pid = get_pid(memory)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not get_child(memory).is_running)
    assert memory.show("m-1").memory.fact == "API_VERSION is 3"
    assert get_pid(memory) != pid


def test_a_child_that_ends_in_a_call_says_why(world: World, stand_in: Path) -> None:
    program = write_program(stand_in, "sys.stdin.readline()\nprint('the disk is full', file=sys.stderr)\nsys.exit(4)\n")
    with apostille.Memory(world.repo, program=program) as memory, pytest.raises(apostille.ProgramFailed) as failed:
        memory.stats()
    assert "ended with exit code 4" in failed.value.message
    assert failed.value.hint == "the disk is full"


def test_a_program_that_cannot_be_started_says_so(world: World) -> None:
    with apostille.Memory(world.repo, program=str(world.repo)) as memory, pytest.raises(apostille.ProgramFailed, match="cannot be started"):
        memory.stats()


def test_a_wrong_flag_says_what_the_program_said(world: World) -> None:
    with apostille.Memory(world.repo, tools="nonsense") as memory, pytest.raises(apostille.ProgramFailed) as failed:
        memory.stats()
    assert "possible values" in (failed.value.hint or "")


def test_an_old_program_is_told_from_a_broken_one(world: World, stand_in: Path) -> None:
    error = "{'code': -32601, 'message': 'apostille/call'}"
    body = f"number = json.loads(sys.stdin.readline())['id']\nprint(json.dumps({{'id': number, 'error': {error}}}), flush=True)\n"
    program = write_program(stand_in, body + HANGS)
    with apostille.Memory(world.repo, program=program) as memory, pytest.raises(apostille.ProgramFailed) as failed:
        memory.stats()
    assert "older than this package" in (failed.value.hint or "")


def test_a_child_that_hangs_is_not_waited_for(world: World, stand_in: Path) -> None:
    program = write_program(stand_in, ANSWERS_ONCE)
    with apostille.Memory(world.repo, program=program) as memory:
        memory.stats()
        child = get_child(memory)
        with pytest.raises(apostille.TimedOut):
            memory.stats(timeout=0.2)
        wait_until(lambda: not child.is_running)
        assert is_gone(child._process.pid)


def test_a_child_that_does_not_read_is_not_waited_for(world: World, stand_in: Path) -> None:
    """A pipe holds 64 KiB: more than that would block whoever writes."""
    program = write_program(stand_in, HANGS)
    with apostille.Memory(world.repo, program=program) as memory, pytest.raises(apostille.TimedOut):
        memory.recall("x" * 1_000_000, timeout=0.2)


def test_a_child_that_never_says_hello_is_not_waited_for(world: World, stand_in: Path) -> None:
    stand_in.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(600)\n", encoding="utf-8")
    stand_in.chmod(0o755)
    with apostille.Memory(world.repo, program=str(stand_in)) as memory, pytest.raises(apostille.TimedOut):
        memory.stats(timeout=0.3)


def test_close_ends_a_child_that_does_not_want_to(world: World, stand_in: Path) -> None:
    body = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nanswer(sys.stdin.readline(), {NO_STATS})\n"
    program = write_program(stand_in, body + HANGS)
    with apostille.Memory(world.repo, program=program) as memory:
        assert memory.stats().spaces == ()
        pid = get_pid(memory)
    assert is_gone(pid)


def test_close_tells_whoever_still_waits(world: World, stand_in: Path) -> None:
    memory = apostille.Memory(world.repo, program=write_program(stand_in, HANGS))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(memory.stats)
        transport = memory._transport
        assert isinstance(transport, StdioTransport)
        wait_until(lambda: transport._child is not None and bool(transport._child._pending))
        memory.close()
        with pytest.raises(apostille.Closed):
            waiting.result(20)


def test_what_is_not_json_is_passed_over(world: World, stand_in: Path) -> None:
    body = f"line = sys.stdin.readline()\nprint('warming up')\nprint('[1]')\nanswer(line, {NO_STATS})\n"
    with apostille.Memory(world.repo, program=write_program(stand_in, body + HANGS)) as memory:
        assert memory.stats().ok


def test_texts_that_no_line_can_carry(memory: apostille.Memory, api_fact: KeptReply) -> None:
    cut = "API_VERSION \ud83d"
    assert memory.recall(cut).memories[0].handle == "m-1"
    assert memory.recall("API_VERSION\nin two lines").memories[0].handle == "m-1"
    with pytest.raises(apostille.Malformed, match="bytes long"):
        memory.recall("x" * 17_000_000)
    assert memory.stats().ok


def test_a_cancelled_task_cancels_its_call(world: World, stand_in: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    body = f"for line in sys.stdin:\n    open({str(heard)!r}, 'a').write(line)\n"
    program = write_program(stand_in, body)

    async def run() -> None:
        async with apostille.AsyncMemory(world.repo, program=program) as memory:
            task = asyncio.create_task(memory.stats())
            while not heard.exists():
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while "notifications/cancelled" not in heard.read_text():
                await asyncio.sleep(0.01)
            assert get_child(memory).is_running
            with pytest.raises(apostille.TimedOut):
                await memory.stats(timeout=0.1)

    asyncio.run(asyncio.wait_for(run(), 30))


def test_an_interrupted_call_is_abandoned(world: World, stand_in: Path) -> None:
    with apostille.Memory(world.repo, program=write_program(stand_in, ANSWERS_ONCE)) as memory:
        memory.stats()
        child = get_child(memory)

        def interrupt() -> None:
            wait_until(lambda: bool(child._pending))
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            memory.stats()
        thread.join()
        assert child._pending == {}
        assert child.is_running


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_a_child_of_its_own(memory: apostille.Memory, api_fact: KeptReply) -> None:
    pid, (output, input_) = get_pid(memory), os.pipe()
    forked = os.fork()
    if forked == 0:
        try:
            os.close(output)
            told = f"{memory.show('m-1').memory.fact} {get_pid(memory) != pid}"
            memory.close()
        except BaseException as error:
            told = repr(error)
        os.write(input_, told.encode())
        os._exit(0)
    os.close(input_)
    with os.fdopen(output) as file:
        assert file.read() == "API_VERSION is 3 True"
    os.waitpid(forked, 0)
    # The parent's goes on as before, and still ends when it is closed.
    assert memory.show("m-1").memory.fact == "API_VERSION is 3"
    assert get_pid(memory) == pid


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_in_the_middle_of_calls_neither_hangs_nor_steals(memory: apostille.Memory, api_fact: KeptReply) -> None:
    is_over = threading.Event()
    failures: list[BaseException] = []

    def keep_calling() -> None:
        while not is_over.is_set():
            try:
                assert memory.recall("API_VERSION").memories[0].handle == "m-1"
            except BaseException as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=keep_calling) for _ in range(4)]
    for it in threads:
        it.start()
    try:
        with multiprocessing.get_context("fork").Pool(3) as pool:
            assert pool.map(_show_first, [memory] * 6) == ["API_VERSION is 3"] * 6
    finally:
        is_over.set()
        for it in threads:
            it.join()
    assert failures == []


def _show_first(memory: apostille.Memory) -> str:
    return memory.show("m-1").memory.fact


def test_a_spawned_process_is_handed_a_client(memory: apostille.Memory, api_fact: KeptReply) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_show_first, [memory]) == ["API_VERSION is 3"]
