"""Eight agents at once: each has a server of its own, and all of them write to one store. Nothing is lost."""

import asyncio
import logging
import sys

import anyio
from desk import over_stdio, same
from tell import cause
from world import ERAS, World

AGENTS = 8
NOTES = 15


async def agent(world, number, mode, ready):
    """Writes, reads back, deletes some of its own; every answer is the one it would get alone."""
    kept = {}
    async with over_stdio(world, "simple", mode) as desk:
        ready.append(number)
        while len(ready) < AGENTS:
            await anyio.sleep(0.01)
        for n in range(NOTES):
            text = f"Agent {number} saw the event {n} at the port {5000 + number * 100 + n}"
            kept[(await desk.call("memory_store", text=text, tags=[f"agent-{number}"]))["id"]] = text
            found = await desk.call("memory_search", query=text)
            same([it["text"] for it in found["memories"]], [text])
            if n % 5 == 4:
                gone = next(iter(kept))
                same(await desk.call("memory_delete", id=gone), {"ok": True})
                del kept[gone]
    return kept


async def crowd(mode):
    with World() as world:
        results, ready = {}, []

        async def one(number):
            results[number] = await agent(world, number, mode, ready)

        async with anyio.create_task_group() as group:
            for number in range(AGENTS):
                group.start_soon(one, number)
        ids = [it for kept in results.values() for it in kept]
        same(len(ids), len(set(ids)))
        async with over_stdio(world, "simple", mode) as desk:
            for number, kept in results.items():
                found = (await desk.call("memory_search", tag=f"agent-{number}"))["memories"]
                same({it["id"]: it["text"] for it in found}, kept)
        return len(ids)


def main():
    logging.disable(logging.CRITICAL)
    for era, mode in ERAS.items():
        try:
            print(f"   {era}: {AGENTS} servers wrote {AGENTS * NOTES} notes, {asyncio.run(crowd(mode))} of them stayed")
        except (Exception, BaseExceptionGroup) as error:
            print(f"   {era}: {cause(error)}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
