"""What only shows between a client and a server: revisions, roots, questions to a person, progress, cancelling."""

import asyncio
import json
import logging
import subprocess
import sys

import anyio
import mcp_types as types
from desk import TRANSPORTS, over_stdio, same
from mcp.shared.exceptions import MCPError
from tell import cause
from world import ERAS, World

RULE = "API_VERSION in code and docs must be equal"
PROOF = ["src/api.rs:3", "docs/api.md:3"]


async def the_newest_revision_is_agreed_on(transport, _):
    """A client that asks finds the newest revision, and is told how to use the tools."""
    with World() as world:
        async with TRANSPORTS[transport](world, "default", "auto") as desk:
            same(desk.client.protocol_version, "2026-07-28")
            same(desk.client.server_info.name, "apostille")
            assert "memory_recall" in desk.client.instructions, desk.client.instructions


async def dots_are_understood(transport, mode):
    """Tools that are listed with an underscore may be called with a dot."""
    with World() as world:
        async with TRANSPORTS[transport](world, "simple", mode) as desk:
            listed = [it.name for it in (await desk.client.list_tools()).tools]
            same(listed, ["memory_store", "memory_search", "memory_delete"])
            same(await desk.call("memory.store", text="Dots are fine"), {"ok": True, "id": "m-1"})


async def a_call_of_nothing_is_an_error_of_the_protocol(transport, mode):
    with World() as world:
        async with TRANSPORTS[transport](world, "default", mode) as desk:
            message = await desk.malformed("memory_nonsense")
            assert message.startswith("there is no tool 'memory_nonsense'"), message
            await desk.malformed("memory_remember", fact=7)
            await desk.malformed("memory_revise", id="m-1", action="polish")
            for uri, code in [("apostille://nothing", -32602), ("apostille://memory/m-77", -32602)]:
                try:
                    raise AssertionError(await desk.client.read_resource(uri))
                except MCPError as error:
                    same(error.code, code if mode != "legacy" else -32002)


async def a_server_outside_asks_where_the_client_works(transport, mode):
    """Over stdio only: whoever comes through a socket is served where the server is."""
    if transport != "stdio":
        return
    with World() as world:

        async def roots(_):
            return types.ListRootsResult(roots=[types.Root(uri=world.repo.as_uri())])

        home = world.folder / "home"
        async with over_stdio(world, "default", mode, cwd=home, list_roots_callback=roots) as desk:
            await desk.call("memory_remember", fact=RULE, citations=PROOF, kind="project")
            recent = json.loads((await desk.client.read_resource("apostille://memory/m-1")).contents[0].text)
            same(recent["space"], "github.com/myorg/myapp")
        async with over_stdio(world, "default", mode, cwd=home) as desk:
            same((await desk.refused("memory_recall", query="API"))["class"], "which_repository")


PERSONS_RULE = "Always ask me before force pushing"


async def a_person_is_asked_before_anything_is_forgotten(transport, mode):
    with World() as world:
        asked = []

        async def person(_, question):
            asked.append(question.message)
            agreed = len(asked) > 1
            return types.ElicitResult(action="accept" if agreed else "decline", content={"agreed": True} if agreed else None)

        async with TRANSPORTS[transport](world, "default", mode, elicitation_callback=person) as desk:
            world.person("remember", PERSONS_RULE, "--kind", "feedback")
            if transport != "stdio":
                # Whoever holds the token could answer, too.
                same((await desk.refused("memory_forget", id="m-1"))["class"], "not_a_person")
                return same(asked, [])
            same((await desk.refused("memory_forget", id="m-1"))["class"], "declined")
            same(await desk.call("memory_forget", id="m-1"), {"ok": True, "id": "m-1", "outcome": "forgotten"})
            same(len(asked), 2)
            assert PERSONS_RULE in asked[0], asked


async def long_work_says_how_far_it_is(transport, mode):
    with World() as world:
        async with TRANSPORTS[transport](world, "default", mode) as desk:
            await many_memories(desk)
            edit_everything(world)
            steps = []

            async def progress(done, _total, message):
                steps.append((done, message))

            result = await desk.client.call_tool("memory_verify", {}, progress_callback=progress)
            same(json.loads(result.content[0].text)["verified"], MANY)
            assert steps and steps == sorted(steps), steps
            assert all(message.startswith("looking things up") for _, message in steps), steps


async def work_that_nobody_waits_for_is_given_up(transport, mode):
    """A call that is cancelled gets no answer, and the next one does."""
    with World() as world:
        async with TRANSPORTS[transport](world, "default", mode) as desk:
            await many_memories(desk)
            edit_everything(world)
            with anyio.CancelScope() as scope:

                async def progress(*_):
                    scope.cancel()

                await desk.client.call_tool("memory_verify", {}, progress_callback=progress)
            assert scope.cancelled_caught, "it was done before it could be cancelled"
            same((await desk.call("memory_recall", query="rule 3"))["memories"], [])


# More than are looked up between two words about how far it is, and slow enough to be cancelled.
MANY = 30


async def many_memories(desk):
    lines = lambda n: "".join(f"pub const NAME_{n}_{k}: u32 = {k};\n" for k in range(400))
    for n in range(10):
        desk.world.write(f"src/part{n}.rs", lines(n))
    desk.world.commit("parts")
    for n in range(MANY):
        part, line = n % 10, 1 + n // 10 * 3
        fact = f"NAME_{part}_{line - 1} stays what it is, as rule {n} has it"
        await desk.call("memory_remember", fact=fact, citations=[f"src/part{part}.rs:{line}"], kind="project", rationale="each is its own")


def edit_everything(world):
    for n in range(10):
        world.write(f"src/part{n}.rs", "".join(f"pub const OTHER_{n}_{k}: u32 = {k * 7};\n" for k in range(400)))


async def what_another_process_writes_is_heard_of(transport, mode):
    """The list of memories is another one now: older clients are told, newer ones listen."""
    with World() as world:
        told, hears = anyio.create_memory_object_stream(100)

        async def heard(message):
            if isinstance(message, types.ResourceListChangedNotification):
                await told.send(message)

        async with TRANSPORTS[transport](world, "simple", mode, message_handler=heard) as desk:
            await desk.call("memory_store", text="Releases are cut on Mondays")
            if mode == "legacy":
                await hears.receive()
                await another_writes(world)
                await hears.receive()
            else:
                async with desk.client.listen(resources_list_changed=True) as changes:
                    await another_writes(world)
                    await anext(aiter(changes))
            same([it["id"] for it in (await desk.call("memory_search", query="tabs"))["memories"]], ["m-2"])


async def another_writes(world):
    async with over_stdio(world, "simple", "legacy") as other:
        await other.call("memory_store", text="Somebody else prefers tabs")


async def a_client_that_says_nothing_is_no_error(transport, _):
    """An agent may start a server and never need it."""
    if transport != "stdio":
        return
    with World() as world:
        done = subprocess.run(world.mcp("default"), cwd=world.repo, env=world.env(), input="", text=True, capture_output=True, timeout=20)
        same((done.returncode, done.stdout, done.stderr), (0, "", ""))


MANNERS = [
    the_newest_revision_is_agreed_on,
    dots_are_understood,
    a_call_of_nothing_is_an_error_of_the_protocol,
    a_server_outside_asks_where_the_client_works,
    a_person_is_asked_before_anything_is_forgotten,
    long_work_says_how_far_it_is,
    work_that_nobody_waits_for_is_given_up,
    what_another_process_writes_is_heard_of,
    a_client_that_says_nothing_is_no_error,
]


async def bounded(manner, transport, mode):
    with anyio.fail_after(120):
        await manner(transport, mode)


def main():
    logging.disable(logging.CRITICAL)
    failed = 0
    for manner in MANNERS:
        for transport in TRANSPORTS:
            for era, mode in ERAS.items():
                try:
                    asyncio.run(bounded(manner, transport, mode))
                except (Exception, BaseExceptionGroup) as error:
                    failed += 1
                    print(f"   {manner.__name__} over {transport} at {era}: {cause(error)}")
        print(f"   {manner.__name__.replace('_', ' ')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
