#!/usr/bin/env python3
"""Makes cases for `bench citations` from the history of a repository.

    bench/cases/make_citation_cases.py GIT_DIR [--name NAME] [--seed 1] [--out CASES.jsonl]

A case is a citation of a few lines at commit A, to be verified at commit B, with what really happened in between. The
truth comes from git alone: the history is walked commit by commit along first parents, with git's zero-context histogram
hunks (`git log -p -U0 --diff-algorithm=histogram -M50%`) and its rename detection for each commit. Nothing here is shared
with the product, and no likeness decides a label.

What a commit does to cited lines, in this order:

- no hunk touches them, and none puts lines between them: they are shifted, and renamed with their file;
- the same lines stand among what the commit added, in one place only: `moved_block` in the same file, `moved_file` in
  another;
- git's `-w` diff of the file leaves them alone, or takes or adds only blank lines: `edited_ws`. So does the same text but
  for white space in one place only among what the commit added (`ws_moved`);
- the text that replaced them is the same without white space, trailing commas and kinds of quotes: `edited_format`;
- only whole lines of comment differ: `edited_comment`; only new lines stand between them: `edited_insert`;
- anything else: `edited` where a cited line survives, `replaced` where others took their place, `deleted` where nothing did,
  `deleted_file` with their file.

A case whose truth can be disputed says why in `ambiguous`, and the scorer leaves it out: short lines that moved
(`short_move`), lines that moved to several places (`many_places`), text that was deleted and stands at B all the same
(`late_copy`) or in another layout (`late_layout`), prose that was wrapped anew (`reflow`).

Citations are drawn at random, and beside them from files in which something rare is going to happen (a move, a rename,
white space); which of them become cases is drawn again so that labels are balanced. The same seed gives the same cases.
"""

import argparse
import bisect
import collections
import hashlib
import json
import os
import random
import re
import subprocess
import sys

DISTANCES = (10, 100, 1000, "HEAD")
N_STARTS = 12
N_DRAWN = 160
N_EVENTS = 14
QUOTAS = {
    "intact": 12, "moved_lines": 25, "moved_block": 25, "renamed": 35, "moved_file": 35, "edited_ws": 35,
    "edited_format": 8, "edited_comment": 8, "edited_insert": 10, "edited": 45, "replaced": 20, "deleted": 20,
    "deleted_file": 15, "forged": 5,
}
CLASSES = {
    "valid": ("intact", "moved_lines", "moved_block", "renamed", "moved_file"),
    "harmless": ("edited_ws", "edited_format"),
    "review": ("edited_comment", "edited_insert"),
    "invalid": ("edited", "replaced", "deleted", "deleted_file", "forged"),
}
LANGUAGES = {
    ".rs": "rust", ".go": "go", ".py": "python", ".ts": "ts", ".tsx": "ts", ".js": "ts", ".jsx": "ts", ".mjs": "ts",
    ".java": "java", ".c": "c", ".h": "c", ".md": "doc", ".rst": "doc", ".txt": "doc", ".adoc": "doc", ".toml": "cfg",
    ".yml": "cfg", ".yaml": "cfg", ".json": "cfg", ".cfg": "cfg", ".ini": "cfg", ".xml": "cfg", ".sh": "sh",
    ".tcl": "tcl", ".proto": "c", ".scm": "cfg", ".mod": "cfg", ".conf": "cfg", ".gradle": "java", ".rb": "ruby",
    ".vue": "ts", ".css": "css", ".html": "html",
}
NAMES = {"Makefile": "make", "Dockerfile": "make", "CMakeLists.txt": "make"}
LEFT_OUT = re.compile(r"(^|/)(vendor|node_modules|deps|third_party|dist|fixtures|testdata|snapshots|__snapshots__)/|"
                      r"(package-lock|pnpm-lock|yarn|Cargo|go)\.(lock|json|yaml|sum)$|\.min\.")
COMMENT = re.compile(rb"^\s*(//|#(?!\s*(include|define|if|ifdef|ifndef|else|endif|undef|pragma)\b)|/\*|\*|--|<!--|;)")
MAX_LINES = 6000


def class_of(label):
    return next(name for name, labels in CLASSES.items() if label in labels)


def language(path):
    base = os.path.basename(path)
    return NAMES.get(base) or LANGUAGES.get(os.path.splitext(base)[1])


def split_lines(data):
    """Lines without their endings; Windows endings count as plain ones, as the product has it."""
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return [it[:-1] if it.endswith(b"\r") else it for it in lines]


def squeeze(line):
    return b"".join(line.split())


def count_alnum(lines):
    return sum(len(re.findall(rb"[0-9A-Za-z\x80-\xff]", it)) for it in lines)


def is_distinctive(lines):
    says = sum(len(re.findall(rb"\w", it)) >= 3 for it in lines)
    return count_alnum(lines) >= 40 or (says >= 3 and count_alnum(lines) >= 20)


def occurrences(sheet, block):
    if not block or len(block) > len(sheet):
        return []
    first, n = block[0], len(block)
    return [at for at in range(len(sheet) - n + 1) if sheet[at] == first and sheet[at:at + n] == block]


class Hunk:
    """Lines that a commit took out of a file, and what it put there. Rows count from 0."""

    __slots__ = ("was", "n_was", "now", "n_now", "removed", "added")

    def __init__(self, was, n_was, now, n_now):
        # Where there are no lines, git names the one before.
        self.was, self.n_was = (was - 1 if n_was else was), n_was
        self.now, self.n_now = (now - 1 if n_now else now), n_now
        self.removed, self.added = [], []


class Change:
    """What a commit did to one file."""

    __slots__ = ("was", "now", "id_was", "id_now", "hunks", "is_binary")

    def __init__(self, was, now, id_was, id_now):
        self.was, self.now, self.id_was, self.id_now = was, now, id_was, id_now
        self.hunks, self.is_binary = [], False


class Git:
    """One repository."""

    def __init__(self, path):
        self.path = path
        self.batch = None

    def start(self, *words, **options):
        words = ["git", "-c", "core.quotePath=false", "-C", self.path, *words]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)

    def run(self, *words):
        child = self.start(*words)
        return child.communicate()[0]

    def spine(self):
        return self.run("rev-list", "--first-parent", "--reverse", "HEAD").decode().split()

    def files(self, commit):
        """The id of every file."""
        files = {}
        for entry in self.run("ls-tree", "-r", "-z", commit).split(b"\0"):
            head, _, path = entry.partition(b"\t")
            if head.startswith(b"100"):
                files[path.decode("utf-8", "replace")] = head.split()[2].decode()
        return files

    def blob(self, oid):
        """The content of a blob; `None` where it is not in this clone."""
        if self.batch is None:
            self.batch = self.start("cat-file", "--batch", stdin=subprocess.PIPE)
        self.batch.stdin.write(oid.encode() + b"\n")
        self.batch.stdin.flush()
        head = self.batch.stdout.readline().split()
        if len(head) < 3:
            return None
        data = self.batch.stdout.read(int(head[2]))
        self.batch.stdout.read(1)
        return data

    def hunks_but_for_spaces(self, was, now):
        """The hunks between two blobs when white space is not looked at, as git's `-w` has them."""
        text = self.run("diff", "-w", "-U0", "--diff-algorithm=histogram", "--no-ext-diff", "--no-textconv", was, now)
        found = re.findall(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", text, re.M)
        return [Hunk(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in found]

    def steps(self, spine):
        """What each commit did, from the second one on: its index and its changes, or `None` where git cannot read it."""
        index = {commit: at for at, commit in enumerate(spine)}
        next_at = 1
        while next_at < len(spine):
            for at, changes in self.log(spine[next_at - 1], spine[-1], index):
                for quiet in range(next_at, at):
                    yield quiet, []
                yield at, changes
                next_at = at + 1
            # Where git stopped early, a blob is not in this clone: the commit after the last one cannot be told.
            if next_at < len(spine):
                yield next_at, None
                next_at += 1

    def log(self, base, head, index):
        child = self.start(
            "-c", "diff.renameLimit=5000", "log", "--reverse", "--first-parent", "--diff-merges=first-parent", "--raw",
            "--no-abbrev", "-p", "-U0", "--diff-algorithm=histogram", "-M50%", "--no-ext-diff", "--no-textconv",
            "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--format=%x01%H",
            f"{base}..{head}", "--", ".", ":(exclude,glob)**/vendor/**", ":(exclude,glob)**/node_modules/**")
        at, changes, change = None, {}, None
        read = child.stdout.readline
        line = read()
        while line:
            if line.startswith(b"\x01"):
                if at is not None:
                    yield at, list(changes.values())
                at, changes, change = index[line[1:].strip().decode()], {}, None
            elif line.startswith(b":"):
                words = line[:-1].split(b"\t")
                head_words = words[0].split()
                paths = [it.decode("utf-8", "replace") for it in words[1:]]
                ids = [None if set(it) == {48} else it.decode() for it in head_words[2:4]]
                letter = head_words[4][:1]
                was = None if letter == b"A" else paths[0]
                now = None if letter == b"D" else paths[-1]
                changes[now or was] = Change(was, now, *ids)
                # A file that became a link, or a link that became a file, cannot be followed as text.
                modes = {head_words[0][1:4], head_words[1][:3]} - {b"000"}
                changes[now or was].is_binary = modes != {b"100"}
            elif line.startswith((b"--- a/", b"+++ b/")):
                change = changes.get(line[6:-1].rstrip(b"\t").decode("utf-8", "replace"), change)
            elif line.startswith(b"Binary files"):
                for it in changes.values():
                    name = f" {'b/' + it.now if it.now else '/dev/null'} differ"
                    if line.decode("utf-8", "replace").strip().endswith(name.strip()):
                        it.is_binary = True
            elif line.startswith(b"@@ ") and change is not None:
                a, b, c, d = re.match(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line).groups()
                hunk = Hunk(int(a), int(b or 1), int(c), int(d or 1))
                for into, n in ((hunk.removed, hunk.n_was), (hunk.added, hunk.n_now)):
                    while len(into) < n:
                        body = read()
                        if not body.startswith(b"\\"):
                            into.append(body[1:].rstrip(b"\n").removesuffix(b"\r"))
                change.hunks.append(hunk)
            line = read()
        # A log that broke off may have told only half of its last commit.
        if child.wait() == 0 and at is not None:
            yield at, list(changes.values())


class Track:
    """A citation on its way. `rows` has the place of each cited line, `None` for one that is gone."""

    __slots__ = ("key", "start", "path0", "first", "text", "path", "rows", "now", "has", "ambiguous", "lost", "event",
                 "labels", "ws_moved")

    def __init__(self, key, start, path, first, text):
        self.key, self.start, self.path0, self.first, self.text = key, start, path, first, text
        self.path, self.rows, self.now = path, list(range(first, first + len(text))), list(text)
        self.has, self.ambiguous, self.lost, self.event, self.labels = set(), None, None, None, {}
        self.ws_moved = False

    def label(self):
        """What became of it up to here."""
        if self.lost:
            return self.lost
        if "edited" in self.has:
            return "edited" if any(it is not None for it in self.rows) else "replaced"
        for label in ("edited_comment", "edited_insert", "edited_format"):
            if label in self.has:
                return label
        if self.now != self.text:
            return "edited_ws"
        for label in ("moved_file", "moved_block"):
            if label in self.has and not (label == "moved_file" and self.path == self.path0):
                return label
        if self.path != self.path0:
            return "renamed"
        return "intact" if self.rows[0] == self.first else "moved_lines"

    def place(self):
        rows = [it for it in self.rows if it is not None]
        return [[self.path, min(rows) + 1, max(rows) + 1]] if rows and not self.lost else []


def shift(hunks, rows):
    """Where rows stand after hunks, `None` for those that were taken out, and how many lines came in between."""
    starts = [it.was for it in hunks]
    new = []
    for row in rows:
        if row is None:
            new.append(None)
            continue
        at = bisect.bisect_right(starts, row) - 1
        moved = 0
        if at >= 0:
            hunk = hunks[at]
            # Without lines of its own, a hunk at row n puts its lines before row n.
            if hunk.n_was and row < hunk.was + hunk.n_was:
                new.append(None)
                continue
            moved = hunk.now + hunk.n_now - hunk.was - hunk.n_was
        new.append(row + moved)
    living = [it for it in new if it is not None]
    n_between = (living[-1] - living[0] + 1 - len(living)) if living and None not in new else 0
    return new, n_between


class Walk:
    """Carries tracks from commit to commit."""

    def __init__(self, git):
        self.git = git
        self.tracks = collections.defaultdict(list)
        self.ended = []
        self.spaceless = {}

    def add(self, track):
        self.tracks[track.path].append(track)

    def every(self):
        return [it for tracks in self.tracks.values() for it in tracks] + self.ended

    def step(self, at, changes):
        """One commit. What cannot be told any more is dropped."""
        self.spaceless, self.added, self.sheets = {}, None, {}
        moved = []
        for change in changes:
            tracks = self.tracks.pop(change.was, None) if change.was else None
            for track in tracks or ():
                self.apply(track, change, changes, at)
                moved.append(track)
        for track in moved:
            (self.ended if track.lost or track.path is None else self.tracks[track.path]).append(track)

    def apply(self, track, change, changes, at):
        if change.is_binary or (change.now and not change.hunks and change.id_was != change.id_now):
            track.path, track.lost = None, "untold"
            return
        if change.now is None:
            if not self.moved(track, change, changes, at):
                track.lost, track.event = "deleted_file", at
            return
        rows, n_between = shift(change.hunks, track.rows)
        touched = rows.count(None) != track.rows.count(None) or n_between > self.n_between(track)
        if not touched:
            if change.was != change.now:
                track.event = at
            track.path, track.rows = change.now, rows
            return
        if "edited" in track.has or None in track.rows:
            self.edit(track, change, rows, at)
            return
        if self.moved(track, change, changes, at):
            return
        self.touch(track, change, rows, at)

    @staticmethod
    def n_between(track):
        living = [it for it in track.rows if it is not None]
        return living[-1] - living[0] + 1 - len(living) if living and None not in track.rows else 0

    def sheet(self, change):
        if change.now not in self.sheets:
            data = self.git.blob(change.id_now)
            self.sheets[change.now] = split_lines(data) if data is not None else []
        return self.sheets[change.now]

    def index(self, changes):
        """Every line that this commit added, exact and without white space."""
        if self.added is None:
            self.added = collections.defaultdict(list)
            for change in changes:
                for hunk in change.hunks:
                    for at, line in enumerate(hunk.added):
                        squeezed = squeeze(line)
                        if squeezed:
                            self.added[squeezed].append((change, hunk.now + at))
        return self.added

    def moved(self, track, change, changes, at):
        """Whether the same lines stand elsewhere among what the commit added; spaces are left aside at second sight."""
        if self.n_between(track):
            return False
        block = track.now
        for same in (lambda it: it, squeeze):
            wanted = [same(it) for it in block]
            places = set()
            for row, line in enumerate(block):
                for target, new_row in self.index(changes).get(squeeze(line), ()):
                    sheet = self.sheet(target)
                    first = new_row - row
                    if first >= 0 and [same(it) for it in sheet[first:first + len(block)]] == wanted:
                        places.add((target.now, first))
            if not places:
                continue
            if same is squeeze and change.now and change.now in {it[0] for it in places}:
                # In the same file, git's own -w diff has the first word.
                rows, _ = shift(self.but_for_spaces(change), track.rows)
                if None not in rows:
                    return False
            self.settle_move(track, change, sorted(places), same is squeeze, at)
            return True
        return False

    def settle_move(self, track, change, places, is_spaced, at):
        block = track.now
        if len(places) > 1:
            track.ambiguous = "many_places"
        elif not is_distinctive(block):
            track.ambiguous = "short_move"
        path, first = places[0]
        sheet = self.sheets[path]
        track.has.add("moved_block" if path == (change.now or change.was) else "moved_file")
        track.ws_moved |= is_spaced
        track.path, track.event = path, at
        track.rows = list(range(first, first + len(block)))
        track.now = sheet[first:first + len(block)]

    def but_for_spaces(self, change):
        key = (change.id_was, change.id_now)
        if key not in self.spaceless:
            self.spaceless[key] = self.git.hunks_but_for_spaces(*key)
        return self.spaceless[key]

    def touch(self, track, change, rows, at):
        """Lines that a hunk touched in place: what kind of edit it was."""
        sheet = self.sheet(change)
        track.event, track.path = at, change.now
        squeezed = {squeeze(line) for hunk in change.hunks for line in hunk.added}
        dead = [line for line, row in zip(track.now, rows) if row is None]
        if all(squeeze(it) in squeezed or not it.strip() for it in dead):
            spaced, _ = shift(self.but_for_spaces(change), track.rows)
            if self.settle_spaces(track, spaced, sheet):
                return
        if None not in rows:
            between = [sheet[it] for it in range(rows[0], rows[-1] + 1) if it not in set(rows)]
            track.rows = rows
            if all(not it.strip() for it in between):
                self.take_region(track, sheet, rows[0], rows[-1])
            elif all(COMMENT.match(it) or not it.strip() for it in between):
                track.has.add("edited_comment")
            else:
                track.has.add("edited_insert")
            return
        region = self.region(track, change, rows)
        if region and self.settle_format(track, sheet, region):
            return
        if region and self.settle_comment(track, sheet, rows, region):
            return
        self.edit(track, change, rows, at)

    def settle_spaces(self, track, rows, sheet):
        living = [(row, line) for row, line in zip(rows, track.now) if row is not None]
        gone = [line for row, line in zip(rows, track.now) if row is None]
        if not living or any(it.strip() for it in gone) or not any(line.strip() for _, line in living):
            return False
        first, last = living[0][0], living[-1][0]
        kept = {row for row, _ in living}
        if any(sheet[it].strip() for it in range(first, last + 1) if it not in kept):
            return False
        self.take_region(track, sheet, first, last)
        return True

    @staticmethod
    def take_region(track, sheet, first, last):
        """Only white space differs: the citation is from now on what stands there."""
        track.now, track.rows = sheet[first:last + 1], list(range(first, last + 1))

    @staticmethod
    def region(track, change, rows):
        """The rows that took the place of touched lines, where hunks begin and end with the citation."""
        first, last = track.rows[0], track.rows[-1]
        start = end = None
        for hunk in change.hunks:
            if hunk.n_was and hunk.was <= last and first < hunk.was + hunk.n_was:
                if hunk.was < first or hunk.was + hunk.n_was - 1 > last:
                    return None
                if hunk.was == first:
                    start = hunk.now
                if hunk.was + hunk.n_was - 1 == last:
                    end = hunk.now + hunk.n_now
        start = rows[0] if start is None else start
        end = rows[-1] + 1 if end is None else end
        return (start, end) if start is not None and end is not None and end > start else None

    @staticmethod
    def plain(lines):
        """Text as formatters leave it alone."""
        text = b"".join(squeeze(it) for it in lines).replace(b"'", b'"').replace(b"`", b'"')
        return re.sub(rb",([\])}>])", rb"\1", text).rstrip(b",;")

    def settle_format(self, track, sheet, region):
        new = sheet[region[0]:region[1]]
        if not self.plain(new) or self.plain(new) != self.plain(track.now):
            return False
        track.has.add("edited_format")
        if language(track.path) in ("doc", None) or all(COMMENT.match(it) for it in new):
            track.ambiguous = "reflow"
        track.now, track.rows = new, list(range(*region))
        return True

    @staticmethod
    def settle_comment(track, sheet, rows, region):
        code = [it for it in track.now if it.strip() and not COMMENT.match(it)]
        new = [it for it in sheet[region[0]:region[1]] if it.strip() and not COMMENT.match(it)]
        if not code or code != new or language(track.path) in ("doc", None):
            return False
        track.has.add("edited_comment")
        track.now, track.rows = sheet[region[0]:region[1]], list(range(*region))
        return True

    @staticmethod
    def edit(track, change, rows, at):
        """A real edit: from here on only surviving lines are followed."""
        track.has.add("edited")
        track.path, track.event = change.now, at
        if any(it is not None for it in rows) or not any(it is not None for it in track.rows):
            track.rows = rows
            return
        first = next(it for it in track.rows if it is not None)
        put = [it for it in change.hunks if it.was <= first < it.was + max(it.n_was, 1)]
        track.rows = rows
        if put and not put[0].n_now:
            track.lost = "deleted"


def find_events(git, spine, rng):
    """Commits in which something rare happens, with the lines that it happens to."""
    events = collections.defaultdict(list)
    for at, changes in git.steps(spine):
        if changes is None or len(changes) > 3000:
            continue
        found = collections.defaultdict(list)
        added = set()
        for change in changes:
            for hunk in change.hunks:
                added.update(it for it in hunk.added if len(it) > 12)
        spaced = {squeeze(it) for it in added}
        for change in changes:
            if not change.was or not language(change.was) or LEFT_OUT.search(change.was):
                continue
            if change.now is None:
                found["deleted_file"].append((change.was, None))
            elif change.now != change.was:
                found["renamed"].append((change.was, None))
            for hunk in change.hunks:
                for kind, run in find_runs(hunk, added, spaced):
                    found[kind].append((change.was, run))
        for kind, places in found.items():
            for path, run in rng.sample(places, min(len(places), 12)):
                events[kind].append((at, path, run))
    return events


def find_runs(hunk, added, spaced):
    """Runs of removed lines that were added again, as they were or with other spaces."""
    tests = (("moved", lambda it: it in added), ("spaces", lambda it: it not in added and squeeze(it) in spaced))
    for kind, is_it in tests:
        run = []
        for line in [*hunk.removed, None]:
            if line is not None and (is_it(line) or (run and len(line.strip()) < 3)):
                run.append(line)
                continue
            while run and len(run[-1].strip()) < 3:
                run.pop()
            if run and (count_alnum(run) >= 30):
                yield kind, run[:40]
            run = []


def draw_range(rng, n_lines, lines):
    """A few lines that begin and end with one that says something."""
    said = [at for at in range(n_lines) if len(re.findall(rb"\w", lines[at])) >= 3]
    if not said:
        return None
    first = rng.choice(said)
    last = min(first + rng.choice((1, 1, 2, 3, 3, 4, 5, 6, 8, 10, 12, 15)), n_lines)
    while last - 1 > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def draw_tracks(git, rng, name, spine, start, events):
    """Citations made at one commit."""
    files = {path: oid for path, oid in git.files(spine[start]).items() if language(path) and not LEFT_OUT.search(path)}
    sheets, tracks, seen = {}, [], set()

    def sheet_of(path):
        if path not in sheets:
            data = git.blob(files[path])
            is_text = data is not None and len(data) < 400_000 and b"\0" not in data
            sheets[path] = split_lines(data) if is_text else []
        return sheets[path] if len(sheets[path]) <= MAX_LINES else []

    def cite(path, first, last):
        key = f"{name} {start} {path} {first} {last}"
        text = sheet_of(path)[first:last]
        if key not in seen and any(it.strip() for it in text):
            seen.add(key)
            tracks.append(Track(hashlib.sha256(key.encode()).hexdigest()[:12], start, path, first, text))

    paths = sorted(files)
    for _ in range(N_DRAWN):
        path = rng.choice(paths)
        lines = sheet_of(path)
        drawn = draw_range(rng, len(lines), lines)
        if drawn:
            cite(path, *drawn)
    bounds = [start, start + 10, start + 100, start + 1000, len(spine)]
    for kind in sorted(events):
        for low, high in zip(bounds, bounds[1:]):
            near = [it for it in events[kind] if low < it[0] <= high and it[1] in files]
            for _, path, run in rng.sample(near, min(len(near), N_EVENTS)):
                lines = sheet_of(path)
                if run is None:
                    drawn = draw_range(rng, len(lines), lines)
                    if drawn:
                        cite(path, *drawn)
                    continue
                places = occurrences(lines, run)
                drawn = draw_range(rng, len(run), run)
                if len(places) == 1 and drawn:
                    cite(path, places[0] + drawn[0], places[0] + drawn[1])
    return tracks


def snapshot(walk, targets, at):
    """Writes down what became of each track whose time has come."""
    for track in walk.every():
        for distance, target in targets[track.start]:
            if target == at:
                track.labels[distance] = (track.label(), track.place(), track.ambiguous, track.path, list(track.now),
                                          track.event, track.ws_moved)


def walk_history(git, spine, starts, tracks, targets):
    walk = Walk(git)
    ends = {target for of_start in targets.values() for _, target in of_start}
    for track in tracks[starts[0]]:
        walk.add(track)
    for at, changes in git.steps(spine):
        if at <= starts[0]:
            continue
        if changes is None:
            for path in read_names_only(git, spine, at):
                for track in walk.tracks.pop(path, ()):
                    track.lost = "untold"
                    walk.ended.append(track)
        else:
            walk.step(at, changes)
        if at in ends:
            snapshot(walk, targets, at)
        for track in tracks.get(at, ()):
            walk.add(track)
    return walk.every()


def read_names_only(git, spine, at):
    text = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", spine[at - 1], spine[at])
    return [it.decode("utf-8", "replace") for it in text.split(b"\0") if it]


class Tree:
    """Looks for text in whole trees."""

    def __init__(self, git):
        self.git = git
        self.known = {}

    def count(self, commit, block):
        """How often a block stands in a tree."""
        line = max(block, key=lambda it: count_alnum([it]))
        if b"\0" in line or not line.strip():
            return 0
        key = (commit, line)
        if key not in self.known:
            names = self.git.run("grep", "-lzF", "-e", line.decode("utf-8", "replace")[:1000], commit)
            self.known[key] = [it.partition(b":")[2] for it in names.split(b"\0") if it]
        total = 0
        for path in self.known[key][:50]:
            data = self.git.run("cat-file", "blob", f"{commit}:{path.decode('utf-8', 'replace')}")
            total += len(occurrences(split_lines(data), block))
        return total

    def has_layout_of(self, commit, path, block):
        """Whether a file has the words of a block, with line breaks elsewhere."""
        wanted = Walk.plain(block)
        if not path or count_alnum([wanted]) < 12:
            return False
        data = self.git.run("cat-file", "blob", f"{commit}:{path}")
        return wanted in Walk.plain(split_lines(data))


def make_case(args, spine, track, distance, target, tree):
    label, place, ambiguous, path, _, _, ws_moved = track.labels[distance]
    then, commit = spine[track.start], spine[target]
    kind = class_of(label)
    if kind == "invalid" and not ambiguous and tree.count(commit, track.text) >= max(tree.count(then, track.text), 1):
        ambiguous = "late_copy"
    if kind == "invalid" and not ambiguous and tree.has_layout_of(commit, path, track.text):
        ambiguous = "late_layout"
    digest = hashlib.sha256(b"\n".join(track.text)).hexdigest()
    return {
        "id": hashlib.sha256(f"{track.key} {distance}".encode()).hexdigest()[:12], "repo": args.name, "split": args.split,
        "lang": language(track.path0), "A": then, "B": commit, "dist": target - track.start, "dist_class": distance,
        "path": track.path0, "line_start": track.first + 1, "line_end": track.first + len(track.text),
        "n_lines": len(track.text), "snippet_sha256": digest, "label": label, "class": kind, "expected": place,
        "ambiguous": ambiguous, "distinct": is_distinctive(track.text), "ws_moved": ws_moved, "weight": 0,
    }


def forge(case, rng):
    """A citation of text that never stood there."""
    forged = dict(case, label="forged", ambiguous=None, expected=[])
    forged["class"] = "invalid"
    forged["id"] = hashlib.sha256(f"forged {case['id']}".encode()).hexdigest()[:12]
    forged["snippet_sha256"] = hashlib.sha256(f"forged {rng.random()}".encode()).hexdigest()
    return forged


def choose_cases(args, spine, tracks, targets, rng, tree):
    """Balances labels: distances in turn, few from one commit, few from one file."""
    pools = collections.defaultdict(list)
    for track in sorted(tracks, key=lambda it: it.key):
        for distance, target in targets[track.start]:
            told = track.labels.get(distance)
            if told and told[0] != "untold" and not (told[0] in CLASSES["valid"] and told[4] != track.text):
                pools[told[0]].append((track, distance, target))
    cases, used = [], set()
    for label, quota in QUOTAS.items():
        pool = pools["intact"] if label == "forged" else pools[label]
        rng.shuffle(pool)
        by_distance = [[it for it in pool if it[1] == distance] for distance in DISTANCES]
        turn = [it for turn in zip_longest(by_distance) for it in turn if it is not None]
        n_counted, per_event, per_file = 0, collections.Counter(), collections.Counter()
        for track, distance, target in turn:
            event = track.labels[distance][5]
            too_many = per_event[event] >= 4 and event is not None or per_file[track.path0] >= 4
            if n_counted >= quota or too_many or (track.key, label) in used:
                continue
            case = make_case(args, spine, track, distance, target, tree)
            case = forge(case, rng) if label == "forged" else case
            used.add((track.key, label))
            per_event[event] += 1
            per_file[track.path0] += 1
            if not case["ambiguous"]:
                n_counted += 1
                cases.append(case)
            elif rng.random() < 0.1:
                cases.append(case)
    return cases


def zip_longest(lists):
    return ([it[at] if at < len(it) else None for it in lists] for at in range(max(map(len, lists), default=0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("git_dir")
    parser.add_argument("--name", help="how the cases call the repository (default: from the folder)")
    parser.add_argument("--split", default="new")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="-")
    args = parser.parse_args()
    folder = os.path.abspath(args.git_dir).rstrip("/").removesuffix("/repo").removesuffix(".git").rstrip("/")
    args.name = args.name or os.path.basename(folder).partition("+")[2] or os.path.basename(folder)
    rng = random.Random(f"{args.seed} {args.name}")
    git = Git(args.git_dir)
    spine = git.spine()
    last = len(spine) - 1
    starts = sorted({int(last * (0.04 + 0.92 * at / (N_STARTS - 1))) for at in range(N_STARTS)})
    targets = {start: [(it, last if it == "HEAD" else start + it) for it in DISTANCES
                       if it == "HEAD" or start + it < last] for start in starts}
    events = find_events(git, spine, rng)
    tracks = {start: draw_tracks(git, rng, args.name, spine, start, events) for start in starts}
    told = walk_history(git, spine, starts, tracks, targets)
    cases = choose_cases(args, spine, told, targets, rng, Tree(git))
    out = sys.stdout if args.out == "-" else open(args.out, "w", encoding="utf-8")
    for case in cases:
        print(json.dumps(case), file=out)
    counts = collections.Counter(it["label"] for it in cases if not it["ambiguous"])
    print(f"{args.name}: {len(cases)} cases, {dict(counts)}", file=sys.stderr)


if __name__ == "__main__":
    main()
