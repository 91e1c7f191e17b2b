#!/usr/bin/env python3
"""Records what a binary of Apostille answers to a large corpus of exchanges, and compares two binaries."""

import argparse
import concurrent.futures
import difflib
import fnmatch
import pathlib
import re
import shutil
import sys
import time
import traceback

import corpus
import worlds
from corpus import old_stores

HERE = pathlib.Path(__file__).resolve().parent
WORKERS = 2


def is_wanted(scenario, function, pattern):
    """Whether an exchange of this scenario may match the pattern."""
    start = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    names = [it + "/" for it in (scenario, getattr(function, "also", None)) if it]
    return any(start.startswith(it) or it.startswith(start) for it in names)


def matches(name, pattern):
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern + "*")


def play_scenario(name, function):
    """The exchanges of one scenario, in order. A scenario that breaks off says so in an exchange of its own."""
    exchanges = []
    world = worlds.World(name, exchanges)
    try:
        function(world)
    except Exception:
        trace = traceback.format_exc(limit=-1).strip().splitlines()[-1]
        world.record("(broke off)", f"{trace}\n")
        print(f"{name} broke off: {traceback.format_exc()}", file=sys.stderr)
    finally:
        world.close()
    return exchanges


def record_binary(binary, scenarios, pattern="*"):
    """Every exchange by its name, in the order of the corpus."""
    worlds.install_binary(binary)
    wanted = [it for it in scenarios if is_wanted(*it, pattern)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        played = list(pool.map(lambda it: play_scenario(*it), wanted))
    return {name: text for exchanges in played for name, text in exchanges if matches(name, pattern)}


def write_exchanges(exchanges, folder):
    """One file for each exchange; the first line of an index names what is in which."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for number, (name, text) in enumerate(exchanges.items(), 1):
        face, scenario = name.split("/")[:2]
        slug = re.sub(r"[^A-Za-z0-9.=-]+", "_", name.split("/", 2)[-1])[:80].strip("_")
        path = folder / face / scenario / f"{number:04}-{slug}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        index.append(f"{path.relative_to(folder)}\t{name}\n")
    (folder / "index.tsv").write_text("".join(index))


def read_known(path):
    """The differences that are meant: glob and reason."""
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = (it.split("\t", 1) for it in lines if "\t" in it and not it.startswith("#"))
    return [(glob.strip(), reason.strip()) for glob, reason in pairs]


def find_reason(name, known):
    """Why a difference is meant. Brackets in a glob stand for themselves: many names have them."""
    for glob, reason in known:
        if fnmatch.fnmatchcase(name, glob.replace("[", "[[]")):
            return reason
    return None


def print_difference(name, old, new):
    print(f"\n=== {name}")
    lines = difflib.unified_diff((old or "").splitlines(), (new or "").splitlines(), "old", "new", lineterm="", n=3)
    for line in lines:
        print(line)
    if old is None or new is None:
        print(f"(only in the {'new' if old is None else 'old'} binary's answers)")


def report_differences(old, new, known):
    """Prints what differs, and says how much does."""
    names = list(old) + [it for it in new if it not in old]
    different, meant = 0, 0
    for name in names:
        # A scenario that breaks off with both compares nothing, and is no agreement.
        if old.get(name) == new.get(name) and not name.endswith("/(broke off)"):
            continue
        print_difference(name, old.get(name), new.get(name))
        reason = find_reason(name, known)
        if reason:
            meant += 1
            print(f"meant: {reason}")
        else:
            different += 1
    print_counts(names)
    beside = f" ({meant} more meant)" if meant else ""
    print(f"{len(names)} exchanges, {different} different{beside}")
    return different


def print_counts(names):
    faces = {}
    for name in names:
        face = name.split("/")[0]
        faces[face] = faces.get(face, 0) + 1
    print("\n" + ", ".join(f"{face} {number}" for face, number in sorted(faces.items())))


def run_record(args):
    started = time.monotonic()
    exchanges = record_binary(args.binary, corpus.load_all(), args.only)
    if args.out.exists():
        shutil.rmtree(args.out)
    write_exchanges(exchanges, args.out)
    print_counts(exchanges)
    print(f"{len(exchanges)} exchanges in {time.monotonic() - started:.0f} s")
    return 0


def run_compare(args):
    started = time.monotonic()
    if args.stores is None:
        scenarios = corpus.load_all()
    else:
        folder = args.stores if args.stores != pathlib.Path() else None
        scenarios = old_stores.list_scenarios(folder or make_stores(args.old, worlds.ROOT / "stores"))
    old = record_binary(args.old, scenarios, args.only)
    new = record_binary(args.new, scenarios, args.only)
    different = report_differences(old, new, read_known(args.known))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if different else 0


def make_stores(binary, folder):
    worlds.install_binary(binary)
    shutil.rmtree(folder, ignore_errors=True)
    old_stores.make_stores(folder)
    return folder


def run_make_stores(args):
    made = make_stores(args.binary, args.folder.resolve())
    print(f"made {', '.join(sorted(it.name for it in made.iterdir()))} in {made}")
    return 0


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("record", help="record what a binary answers, one file for each exchange")
    one.add_argument("binary", type=pathlib.Path)
    one.add_argument("out", type=pathlib.Path, metavar="OUT_FOLDER")
    one.set_defaults(run=run_record)
    two = commands.add_parser("compare", help="record two binaries and print every difference")
    two.add_argument("old", type=pathlib.Path, metavar="OLD_BINARY")
    two.add_argument("new", type=pathlib.Path, metavar="NEW_BINARY")
    two.add_argument("--stores", type=pathlib.Path, nargs="?", const=pathlib.Path(), metavar="FOLDER",
                     help="open copies of stores that the old binary made (in FOLDER, or made now) with both")
    two.add_argument("--known", type=pathlib.Path, default=HERE / "known_differences.txt", help="the differences that are meant")
    two.set_defaults(run=run_compare)
    for it in (one, two):
        it.add_argument("--only", default="*", metavar="PATTERN", help="only exchanges with such a name, as 'cli/list/*'")
    stores = commands.add_parser("make-stores", help="make stores with the old binary, to be opened by a newer one")
    stores.add_argument("binary", type=pathlib.Path, metavar="OLD_BINARY")
    stores.add_argument("folder", type=pathlib.Path)
    stores.set_defaults(run=run_make_stores)
    return parser.parse_args()


def main():
    args = read_arguments()
    _lock = worlds.lock_root()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
