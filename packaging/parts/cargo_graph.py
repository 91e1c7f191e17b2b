"""The crates that the program is made of, as cargo resolves them for a platform."""

import functools
import json
import tomllib

from .release import ROOT, run_for_text


@functools.cache
def read_carried_crates(target):
    """The crates whose code is in the program, sorted, and the ids of those that each asks for.

    What only runs while it is built (build scripts, and macros with what they alone need) is not carried.
    """
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(run_for_text(*command, cwd=ROOT))
    packages = {it["id"]: it for it in metadata["packages"]}
    nodes = {it["id"]: it for it in metadata["resolve"]["nodes"]}
    root = next(it for it, package in packages.items() if package["name"] == "apostille")
    graph, waiting = {}, [root]
    while waiting:
        crate = waiting.pop()
        if crate in graph:
            continue
        graph[crate] = sorted(
            it["pkg"]
            for it in nodes[crate]["deps"]
            if any(kind["kind"] is None for kind in it["dep_kinds"]) and not is_macro(packages[it["pkg"]])
        )
        waiting += graph[crate]
    key = lambda it: (packages[it]["name"], packages[it]["version"])
    return [packages[it] for it in sorted(graph, key=key)], graph


def is_macro(package):
    return any("proc-macro" in it["kind"] for it in package["targets"])


@functools.cache
def read_digests():
    """The digests of what came from a registry, by name and version, from Cargo.lock."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(it["name"], it["version"]): it["checksum"] for it in locked if "checksum" in it}
