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
    carried = list_carried_names(target)
    is_carried = lambda it: (packages[it]["name"], packages[it]["version"]) in carried
    is_linked = lambda it: any(kind["kind"] is None for kind in it["dep_kinds"])
    graph = {
        crate: sorted(it["pkg"] for it in nodes[crate]["deps"] if is_linked(it) and is_carried(it["pkg"]))
        for crate in packages
        if is_carried(crate)
    }
    key = lambda it: (packages[it]["name"], packages[it]["version"])
    return [packages[it] for it in sorted(graph, key=key)], graph


def list_carried_names(target):
    """Names and versions. `cargo metadata` adds up the features of tests and benches, and only `cargo tree` those of the program alone."""
    command = ["cargo", "tree", "--locked", "-p", "apostille", "--target", target, "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}"]
    lines = run_for_text(*command, cwd=ROOT).splitlines()
    return {(name, version.removeprefix("v")) for name, version, *_ in map(str.split, filter(None, lines))}


@functools.cache
def read_digests():
    """The digests of what came from a registry, by name and version, from Cargo.lock."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(it["name"], it["version"]): it["checksum"] for it in locked if "checksum" in it}
