#!/usr/bin/env python3
"""Makes cases for `bench facts` from public git histories: facts read at one commit, and whether they are true at a later one.

    make_fact_cases.py FOLDER OWNER+NAME… --seed 1 --out CASES.jsonl

FOLDER holds a git directory `OWNER+NAME/repo` for each repository. Nothing of them is executed, and no case is kept in this
repository: the same seed on the same history writes the same cases. README.md has the method and what it cannot tell.
"""

import argparse
import collections
import functools
import json
import pathlib
import random
import re
import subprocess
import sys

from code_facts import LANGUAGES, MAX_ITEM, read_file, tidy_markup
from wordings import word_fact

DISTANCES = (40, 200, 600)
MAX_BYTES = 300_000
_LEFT_OUT = re.compile(
    r"(^|/)(tests?|testdata|testing|__tests__|__mocks__|__snapshots__|__fixtures__|fixtures|playground|examples?|e2e|benches|benchmarks?"
    r"|vendor|vendored|node_modules|deps|third_party|website|docs?|docs_src|documentation|templates?|_vendor)/"
    r"|(_test\.go|\.(spec|test)\.[cm]?[jt]sx?|\.min\.js|\.d\.ts|\.pb\.go|\.lock|-lock\.json|[_.]generated?\.\w+)$|(^|/)(test_\w+|conftest|tests?)\.(py|rs)$",
    re.I,
)


class MissingObject(Exception):
    """The git directory does not have all of its history."""


class Repository:
    """Reads one git directory."""

    def __init__(self, folder, name):
        self.name = name
        self.git_dir = str(pathlib.Path(folder, name, "repo"))
        self._reader = subprocess.Popen(self._command("cat-file", "--batch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._files = {}

    def _command(self, *words):
        return ["git", f"--git-dir={self.git_dir}", "-c", "core.quotePath=false", *words]

    def run(self, *words, may_fail=False, text_in=None):
        done = subprocess.run(self._command(*words), input=text_in, capture_output=True, text=True, errors="replace")
        if done.returncode and not may_fail:
            raise MissingObject(f"git {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def read_blob(self, blob):
        self._reader.stdin.write(blob.encode() + b"\n")
        self._reader.stdin.flush()
        head = self._reader.stdout.readline().split()
        if len(head) != 3:
            raise MissingObject(blob)
        size = int(head[2])
        return self._reader.stdout.read(size + 1)[:size].decode("utf-8", "replace")

    @functools.cached_property
    def history(self):
        """The commits of the first parents, the newest first."""
        return self.run("rev-list", "--first-parent", "HEAD").split()

    @functools.lru_cache(maxsize=4)
    def list_files(self, commit):
        """Every file that can be read, as path and blob."""
        found = {}
        for row in self.run("ls-tree", "-r", "-l", commit).splitlines():
            head, path = row.split("\t", 1)
            mode, _, blob, size = head.split()
            is_code = path.rsplit(".", 1)[-1].lower() in LANGUAGES and "." in path
            if mode.startswith("100") and is_code and not _LEFT_OUT.search(path) and size.isdigit() and int(size) <= MAX_BYTES:
                found[path] = blob
        return found

    def read_path(self, path, blob):
        """What a file says; each version of it is read once."""
        key = (blob, path)
        if key not in self._files:
            self._files[key] = read_file(path, self.read_blob(blob))
        return self._files[key]

    @functools.lru_cache(maxsize=4)
    def find_renames(self, then, now):
        rows = self.run("diff", "--name-status", "-M", "-l5000", "--diff-filter=R", then, now).splitlines()
        return {row.split("\t")[1]: row.split("\t")[2] for row in rows}

    @functools.lru_cache(maxsize=4000)
    def list_hunks(self, old, new):
        """The edits between two blobs: first old line and how many."""
        rows = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+", self.run("diff", "-U0", "--no-color", old, new), re.M)
        return [(int(first), int(count) if count else 1) for first, count in rows]

    def find_words(self, commit, names):
        """Which of these names occur anywhere in a tree, with nothing of another word beside them."""
        plain = {name for name in names if re.fullmatch(r"\w+", name, re.A)}
        joined = {name: set(re.findall(r"\w+", name, re.A)) for name in names - plain}
        found = set()
        blobs = {row.split(maxsplit=3)[2] for row in self.run("ls-tree", "-r", commit).splitlines() if row.startswith("100")}
        for blob in sorted(blobs):
            words = self.list_words(blob)
            found |= plain & words
            found |= {name for name, parts in joined.items() if name not in found and parts <= words and self.has_name(blob, name)}
        return found

    def has_name(self, blob, name):
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        return re.search(pattern, self.read_blob(blob), re.A) is not None

    @functools.cache
    def list_words(self, blob):
        """The words of a file; those of a binary or missing file are none."""
        try:
            text = self.read_blob(blob)
        except MissingObject:
            return frozenset()
        return frozenset() if "\0" in text[:8000] else frozenset(re.findall(r"\w+", text, re.A))


class Snapshot:
    """Everything that is said at one commit."""

    def __init__(self, repository, commit):
        self.repository, self.commit = repository, commit
        self.files = repository.list_files(commit)
        self.by_path = {path: repository.read_path(path, blob) for path, blob in self.files.items()}
        self.places = collections.defaultdict(list)
        for path, read in self.by_path.items():
            for it in read.facts + read.documented:
                self.places[it.key].append((path, it))

    def find_in(self, path, key):
        """Everything of this key in one file."""
        return self.group_by_key(path).get(key, [])

    @functools.cache
    def group_by_key(self, path):
        found = collections.defaultdict(list)
        read = self.by_path.get(path)
        for it in (read.facts + read.documented) if read else ():
            found[it.key].append(it)
        return found

    @functools.cache
    def count_names(self, path):
        """How often each short name is defined in a file."""
        return collections.Counter(it.slots["short"] for it in self.by_path[path].facts if it.kind in ("sig-count", "const", "config"))


class PairOfCommits:
    """Two commits, and what became of the facts of the first in the second."""

    def __init__(self, repository, then, now):
        self.repository = repository
        self.then, self.now = Snapshot(repository, then), Snapshot(repository, now)
        self.renames = repository.find_renames(then, now)

    def follow_path(self, path):
        """The file's path at the later commit, if it is still there."""
        if path in self.now.files:
            return path
        moved = self.renames.get(path)
        return moved if moved in self.now.files else None

    def find_again(self, path, it):
        """What became of one thing: its twin in the later commit with its path, `gone`, or `None` where that is not certain."""
        if len(self.then.find_in(path, it.key)) != 1:
            return None
        later = self.follow_path(path)
        here = self.now.find_in(later, it.key) if later else []
        if len(here) > 1:
            return None
        if here:
            return later, here[0]
        elsewhere = self.now.places.get(it.key, [])
        if elsewhere:
            is_only = len(elsewhere) == 1 and len(self.then.places[it.key]) == 1 and it.key[0] != "config"
            return elsewhere[0] if is_only else None
        return "gone"

    def is_touched(self, path, spans):
        """Whether git's diff edits any of these lines, or puts something between them."""
        later = self.follow_path(path)
        if later is None:
            return True
        old, new = self.then.files[path], self.now.files[later]
        if old == new:
            return False
        for first, count in self.repository.list_hunks(old, new):
            for low, high in spans:
                if count and first <= high and low < first + count or not count and low <= first < high:
                    return True
        return False

    def label_facts(self):
        """Every fact of the first commit with its truth; those about which nothing is certain are left out."""
        waiting, found = [], []
        for path, read in sorted(self.then.by_path.items()):
            for fact in read.facts:
                truth = self.label_fact(path, fact)
                (waiting if truth == "gone?" else found).append((path, fact, truth))
        present = self.repository.find_words(self.now.commit, {name for _, fact, _ in waiting for name in fact.names})
        found += [(path, fact, "gone") for path, fact, _ in waiting if not present & set(fact.names)]
        return [it for it in found if it[2]]

    def label_fact(self, path, fact):
        if fact.kind == "error":
            return self.label_error(path, fact)
        if fact.kind == "enum-one":
            return self.label_member(path, fact)
        again = self.find_again(path, fact)
        if again in (None, "gone"):
            return again and "gone?"
        later, twin = again
        if twin.value == fact.value and (twin.loose == fact.loose or fact.kind == "sig-count"):
            # A count that stays while the names change is true only where no names are said.
            return "true" if twin.loose == fact.loose else None
        is_moved = later != self.follow_path(path)
        if fact.kind == "enum-set" and not self.differs_in_text(path, fact, later, twin):
            return None
        is_alias = fact.kind == "ret" and self.aliases & set(re.findall(r"\w+", twin.value))
        return None if twin.loose == fact.loose or is_moved or is_alias else "false"

    @functools.cached_property
    def aliases(self):
        """The types that are only other names of types, at the later commit."""
        pattern = r"^(export |pub )?type \w+(<[^>]*>)? =|^[A-Z]\w+(: TypeAlias)? = "
        rows = self.repository.run("grep", "-I", "-h", "-o", "-E", pattern, self.now.commit, may_fail=True).splitlines()
        return {re.findall(r"\w+", re.sub(r"^(export |pub )?type ", "", row))[0] for row in rows}

    def label_member(self, path, fact):
        """A member is lost where its type stands without it."""
        kind = (fact.key[0], "enum-one")
        prefix = fact.key[2].rsplit(".", 1)[0]
        again = self.find_again(path, fact)
        if again is None:
            return None
        if again != "gone":
            return "true"
        later = self.follow_path(path)
        members = [it for it in self.now.by_path[later].facts if it.key[:2] == kind and it.key[2].rsplit(".", 1)[0] == prefix] if later else []
        if members:
            is_left = fact.slots["member"] in self.list_item_words(self.now, later, members[0])
            return None if is_left else "false"
        return "gone?"

    def differs_in_text(self, path, fact, later, twin):
        """Whether the members that only one of two versions has do not occur in the other at all."""
        old, new = set(fact.slots["members"]), set(twin.slots["members"])
        were, are = self.list_item_words(self.then, path, fact), self.list_item_words(self.now, later, twin)
        return not (old - new) & are and not (new - old) & were

    def list_item_words(self, snapshot, path, fact):
        lines = self.repository.read_blob(snapshot.files[path]).split("\n")
        return set(re.findall(r"\w+", "\n".join(lines[fact.item[0] - 1 : fact.item[1]])))

    def label_error(self, path, fact):
        """An error is reported as long as its function has its text; it is false where the text stands nowhere any more."""
        again = self.find_again(path, fact)
        if again is None:
            return None
        if again != "gone":
            return "true" if again[0] == self.follow_path(path) else None
        later = self.follow_path(path)
        owner = fact.key[2]
        signatures = self.now.find_in(later, (fact.key[0], "sig-count", owner)) if later else []
        if not signatures:
            return "gone?"
        text = self.repository.read_blob(self.now.files[later])
        if len(signatures) > 1 or fact.value in text:
            return None
        return "false" if self.is_text_gone(fact.value) else None

    def is_text_gone(self, text):
        out = self.repository.run("grep", "-I", "-l", "-F", "-e", text, self.now.commit, may_fail=True)
        return not out.strip()

    def label_sentences(self):
        """Sentences that were kept while their code changed, and those of items that are gone."""
        waiting, found = [], []
        for path, read in sorted(self.then.by_path.items()):
            for item in read.documented:
                again = self.find_again(path, item) if item.sentence else None
                if again == "gone":
                    waiting.append((path, item, "gone"))
                elif again and item.sentence in again[1].comment and again[1].tokens != item.tokens:
                    found.append((path, item, "true"))
        names = {self.last_name(item) for _, item, _ in waiting}
        present = self.repository.find_words(self.now.commit, names)
        return found + [it for it in waiting if self.last_name(it[1]) not in present]

    @staticmethod
    def last_name(item):
        return re.split(r"::|\.", item.name)[-1]


def widen(claim, width, length, dice):
    """A block of so many lines around a claim, put at random."""
    more = width - (claim[1] - claim[0] + 1)
    if more < 0 or length < width:
        return None
    before = dice.randint(0, more)
    first = max(1, min(claim[0] - before, length - width + 1))
    return first, first + width - 1


class CaseWriter:
    """Draws cases of one pair and writes them down."""

    def __init__(self, pair, label, dice, seen):
        self.pair, self.label, self.dice, self.seen = pair, label, dice, seen
        self.cases = []

    def draw(self, wanted):
        self.draw_facts(wanted)
        self.draw_sentences(wanted)
        return self.cases

    def draw_facts(self, wanted):
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for path, fact, truth in self.pair.label_facts():
            blocks = self.make_blocks(path, fact)
            if "1" not in blocks or (path, fact.key) in self.seen:
                continue
            is_edited = truth == "true" and "15" in blocks and self.pair.is_touched(path, [blocks["15"]])
            groups["edited" if is_edited else truth][fact.kind].append((path, fact, truth, blocks))
        for group in ("false", "gone", "edited", "true"):
            self.draw_group(groups[group], wanted[group], group)

    def make_blocks(self, path, fact):
        """The lines to cite, by width."""
        length, blocks = self.length_of(path), {"1": fact.claim}
        for width in (6, 15):
            block = widen(fact.claim, width, length, random.Random(f"{self.label}:{path}:{fact.key}:{width}"))
            if block:
                blocks[str(width)] = block
        item = fact.item
        if item and item != fact.claim and item[0] <= fact.claim[0] <= fact.claim[1] <= item[1] < item[0] + MAX_ITEM:
            blocks["fn"] = item
        return blocks

    @functools.cache
    def length_of(self, path):
        text = self.pair.repository.read_blob(self.pair.then.files[path])
        return text.count("\n") + (not text.endswith("\n"))

    def draw_group(self, by_kind, wanted, group):
        """One of each kind after the other, and no more than three of a file."""
        for kind in sorted(by_kind):
            self.dice.shuffle(by_kind[kind])
        taken, per_file, kinds = 0, collections.Counter(), sorted(by_kind)
        self.dice.shuffle(kinds)
        while taken < wanted and any(by_kind.values()):
            for kind in kinds:
                if taken >= wanted or not by_kind[kind]:
                    continue
                path, fact, truth, blocks = by_kind[kind].pop()
                if per_file[path] >= 3 or (path, fact.key) in self.seen:
                    continue
                if self.write_fact(path, fact, truth, blocks, f"{group}{taken}"):
                    per_file[path] += 1
                    taken += 1

    def write_fact(self, path, fact, truth, blocks, number):
        is_ambiguous = self.pair.then.count_names(path)[fact.slots["short"]] > 1
        is_long = is_ambiguous or self.dice.random() < 0.35
        slots = fact.slots | {"name": fact.slots["qualified" if is_long else "short"], "file": path.rsplit("/", 1)[-1]}
        wording, sentence = word_fact(fact.kind, slots, self.dice)
        if not sentence or len(sentence) > 300:
            return False
        self.seen.add((path, fact.key))
        how = f"{fact.kind}/{wording}"
        said = {width: block for width, block in blocks.items() if all(block[0] <= line <= block[1] for line in fact.needs)}
        for width, block in said.items():
            self.write(f"s1-{self.label}-{number}-{width}", "S1", path, [block], fact.slots["short"], sentence, truth, how, width)
        return True

    def draw_sentences(self, wanted):
        groups = collections.defaultdict(list)
        for path, item, truth in self.pair.label_sentences():
            groups[truth].append((path, item))
        for truth, count in (("true", wanted["kept"]), ("gone", wanted["lost"])):
            self.dice.shuffle(groups[truth])
            fresh = [it for it in groups[truth] if (it[0], it[1].key) not in self.seen and it[1].sentence not in self.seen]
            for at, (path, item) in enumerate(fresh[:count]):
                self.seen |= {(path, item.key), item.sentence}
                self.write_sentence(path, item, truth, at)

    def write_sentence(self, path, item, truth, number):
        name = self.pair.last_name(item)
        sentence = tidy_markup(item.sentence)
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence):
            sentence = f"`{item.name}`: {sentence}"
        how = f"doc-{item.code_kind}: " + ("body edited, sentence kept" if truth == "true" else "gone")
        self.write(f"s2-{self.label}-{truth}{number}", "S2", path, item.spans, name, sentence, truth, how, "item")

    def write(self, name, set_name, path, spans, subject, fact, truth, how, width):
        repository, then, now = self.pair.repository, self.pair.then.commit, self.pair.now.commit
        distance = repository.history.index(then) - repository.history.index(now)
        case = {"id": name, "set": set_name, "repo": repository.name, "A": then, "B": now, "dist": distance, "path": path}
        case |= {"line_start": spans[0][0], "line_end": spans[0][1]}
        case |= {"also": [list(it) for it in spans[1:]]} if spans[1:] else {}
        case |= {"subject": subject, "fact": fact, "truth": truth, "how": how, "lang": LANGUAGES[path.rsplit(".", 1)[-1].lower()]}
        case |= {"width": width, "touched": self.pair.is_touched(path, spans)}
        self.cases.append(case)


def choose_pairs(repository, dice, positions):
    """Pairs of commits of each distance, at the head and at places drawn from the newer two thirds of the history."""
    history = repository.history
    for distance in DISTANCES:
        room = int(max(0, len(history) - distance - 1) * 0.65)
        places = [0] + sorted(dice.randint(1, room) for _ in range(positions - 1)) if room else [0]
        for place in dict.fromkeys(places):
            yield distance, place, history[place + distance], history[place]


def make_cases(folder, name, arguments):
    repository = Repository(folder, name)
    dice = random.Random(f"{arguments.seed}:{name}")
    wanted = {"false": arguments.false, "gone": arguments.gone, "edited": arguments.edited, "true": arguments.true}
    wanted |= {"kept": arguments.kept, "lost": arguments.lost}
    seen = set()
    for distance, place, then, now in choose_pairs(repository, dice, arguments.positions):
        label = f"{name.split('+')[1]}-{place}-{distance}"
        try:
            pair = PairOfCommits(repository, then, now)
            cases = CaseWriter(pair, label, random.Random(f"{arguments.seed}:{label}"), seen).draw(wanted)
        except MissingObject as missing:
            print(f"{label}: left out, {missing}", file=sys.stderr)
            continue
        print(f"{label}: {len(cases)} cases", file=sys.stderr)
        yield from cases


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("repositories", nargs="+", metavar="OWNER+NAME")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--positions", type=int, default=2, help="pairs of commits for each distance")
    for group, count, what in (
        ("false", 7, "values that changed"),
        ("gone", 2, "values whose name is gone"),
        ("edited", 6, "true values in an edited block of 15 lines"),
        ("true", 1, "other true values"),
        ("kept", 8, "sentences that were kept while their code changed"),
        ("lost", 3, "sentences whose item is gone"),
    ):
        parser.add_argument(f"--{group}", type=int, default=count, help=f"{what}, for each pair (default {count})")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    with open(arguments.out, "w", encoding="utf-8") as out:
        for name in arguments.repositories:
            for case in make_cases(arguments.folder, name, arguments):
                out.write(json.dumps(case, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
