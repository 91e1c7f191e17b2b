"""Asks every profile for its tools, and has their tokens counted."""

import asyncio
import json
import pathlib
import subprocess
import sys

from desk import over_stdio
from world import World, profiles


async def listed(profile):
    with World() as world:
        async with over_stdio(world, profile, "auto") as desk:
            tools = [it.model_dump(by_alias=True, exclude_none=True) for it in (await desk.client.list_tools()).tools]
            return {"profile": profile, "tools": tools, "instructions": desk.client.instructions}


def main():
    lists = [asyncio.run(listed(it)) for it in profiles()]
    counting = ["node", str(pathlib.Path(__file__).with_suffix(".mjs"))]
    return subprocess.run(counting, input=json.dumps(lists), text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
