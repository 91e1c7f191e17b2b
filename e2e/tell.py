"""The stories, each told by the Python SDK over stdio and over HTTP, in both revisions of the protocol, and once more
where its tools are among all the others."""

import asyncio
import importlib
import itertools
import logging
import pathlib
import sys
import traceback

import anyio

from desk import TRANSPORTS
from world import ERAS, World, profiles

HERE = str(pathlib.Path(__file__).parent)
STORIES = sorted(it.stem for it in pathlib.Path(HERE, "stories").glob("*.py"))


async def tell(story, transport, profile, mode):
    with World() as world:
        with anyio.fail_after(120):
            async with TRANSPORTS[transport](world, profile, mode) as desk:
                await story.story(desk)


def cause(error):
    """What went wrong inside of what went wrong: the SDK wraps errors in groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    ours = [it for it in traceback.extract_tb(error.__traceback__) if it.filename.startswith(HERE) and it.name != "same"]
    where = f"{pathlib.Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "in the SDK"
    return f"{where} {type(error).__name__}: {error}"


def main():
    logging.disable(logging.CRITICAL)
    failed = 0
    stories = {name: importlib.import_module(f"stories.{name}") for name in STORIES}
    for profile in sorted(set(profiles()) - {"all"} - {it.PROFILE for it in stories.values()}):
        failed += 1
        print(f"   {profile}: nobody tells a story of it")
    for name, story in stories.items():
        servers = [(it, story.PROFILE) for it in TRANSPORTS] + [("stdio", "all")]
        for (transport, profile), (era, mode) in itertools.product(servers, ERAS.items()):
            try:
                asyncio.run(tell(story, transport, profile, mode))
            except (Exception, BaseExceptionGroup) as error:
                failed += 1
                print(f"   {name} over {transport} with {profile} at {era}: {cause(error)}")
        print(f"   {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
