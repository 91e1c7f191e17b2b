#!/usr/bin/env python3
"""Trains the weights by which statements in passing are found: crates/agents/src/extract/statement_weights.txt.

    python3 bench/cases/train_statements.py            # leave one author out, print what is found, write nothing
    python3 bench/cases/train_statements.py --write    # train on all but the held-out author and write the weights

Needs numpy. The program itself says how a sentence is worded (the example `statements --features`), so that there is one
reader of words. A weight is for a feature that occurs in at least three sentences; no feature is a word for a thing. The
logistic regression is solved to the end from zero: the same sentences give the same weights.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ROOT / "crates/agents/tests/it/gleaning"
WEIGHTS = ROOT / "crates/agents/src/extract/statement_weights.txt"
EXAMPLE = ["cargo", "run", "--quiet", "-p", "apostille-agents", "--example", "statements", "--"]
# Files by author. What the authors of rules wrote stands first.
AUTHORS = {
    "rules": ["tuned", "held_out"],
    "unseen": ["unseen_tuned", "unseen_held_out"],
    "independent": ["independent_tuned", "independent_held_out"],
    "blind-1": ["blind_1"],
    "blind-2": ["blind_2"],
    "blind-3": ["blind_3"],
}
# Never trained on, so that a test shows what new people can expect.
HELD_OUT = "blind-3"
# Left out in turn. The sessions of the rules' authors are no measure.
MEASURED = ["unseen", "independent", "blind-1", "blind-2", "blind-3"]
STRENGTH = 10.0  # of the pull towards zero
FEWEST = 3
# What only the end of a session knows.
OF_DIALOGUE = ("shared", "fresh", "agent ", "reply", "taken up")


def as_sessions(name, turns):
    """Single prompts in the form of labelled sessions, each between two turns of an agent."""
    lines = []
    for at, (agent, prompt, labels, reply) in enumerate(turns):
        said = "\n  ".join(line for line in prompt.splitlines() if line.strip())
        lines += [f"# codex: {name}-{at}"] + [f"agent: {agent}"] * (agent is not None) + [f"person: {said}"]
        lines += [f"=> {label}" for label in labels] + [f"agent: {reply}"] * bool(reply)
    return "\n".join(lines) + "\n"


def list_families():
    body = (SESSIONS / "families.txt").read_text().split("---\n", 1)[1]
    for line in body.splitlines():
        did, rest = line.split(" | ", 1)
        said, labels = rest.rsplit(" => ", 1)
        yield did, said.replace("\\n", "\n"), [it for it in labels.split(" + ") if it != "nothing"], ""


def list_idle_replies():
    """What agents said after prompts that state nothing."""
    replies = []
    for name in AUTHORS["blind-1"] + AUTHORS["blind-2"]:
        lines = (SESSIONS / f"{name}.txt").read_text().split("---\n", 1)[1].splitlines()
        for before, line in zip(lines, lines[1:]):
            if before.startswith("person: ") and line.startswith("agent: "):
                replies.append(line.removeprefix("agent: "))
    return replies


def list_work():
    """Prompts of ordinary work. Without a turn of an agent on both sides they would be known by its absence. A third begins a
    session, a third follows a turn that speaks of the same repository, a third one that speaks of something else."""
    replies = list_idle_replies()
    before, at = "", 0
    for file in sorted((ROOT / "bench/prompts").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            for prompt in json.loads(line)["prompts"]:
                text = " ".join(prompt["text"].split())
                agent = [None, before or None, replies[at % len(replies)]][at % 3]
                yield agent, prompt["text"], [], replies[(7 * at + 3) % len(replies)]
                before, at = text, at + 1


def read_sentences():
    """The sentences of all files, with the author of each."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        near = [("Done.", it, [], "") for it in (SESSIONS / "near_misses.txt").read_text().splitlines() if it.strip()]
        made = {"families": list_families(), "near": near, "work": list_work()}
        files = [SESSIONS / f"{it}.txt" for names in AUTHORS.values() for it in names]
        for name, turns in made.items():
            (scratch / f"{name}.txt").write_text(as_sessions(name, turns))
            files.append(scratch / f"{name}.txt")
        out = scratch / "features.jsonl"
        command = [*EXAMPLE, *files, "--features", out]
        subprocess.run(command, cwd=ROOT, check=True)
        sentences = [json.loads(line) for line in out.read_text().splitlines()]
    of = {file: author for author, files in AUTHORS.items() for file in files}
    for it in sentences:
        it["author"] = of.get(it["file"], it["file"])
    return sentences


def features_of(sentence, moment):
    """What is known of a sentence in a prompt (0), or at the end of a session (1)."""
    all_of_it = sentence["features"]
    return [it for it in all_of_it if moment == 1 or not it.startswith(OF_DIALOGUE)]


def train(sentences, moment):
    """Weights by feature. L2, no pull on the constant; accelerated gradient descent over sparse rows."""
    rows = [features_of(it, moment) for it in sentences]
    counts = Counter(feature for row in rows for feature in row)
    names = sorted(it for it, n in counts.items() if n >= FEWEST)
    column = {it: at for at, it in enumerate(names)}
    cells = [[column[it] for it in row if it in column] for row in rows]
    row_of = np.repeat(np.arange(len(rows)), [len(it) for it in cells])
    column_of = np.array([it for row in cells for it in row])
    stated = np.array([float(it["stated"]) for it in sentences])
    width = len(names)

    def score(weights):
        return np.bincount(row_of, weights=weights[column_of], minlength=len(rows)) + weights[width]

    def gather(errors):
        return np.append(np.bincount(column_of, weights=errors[row_of], minlength=width), errors.sum())

    probe = np.ones(width + 1)
    for _ in range(20):
        probe = gather(score(probe))
        steepness = np.linalg.norm(probe)
        probe /= steepness
    step = 1 / (0.25 * steepness + STRENGTH)
    weights, ahead, pace = np.zeros(width + 1), np.zeros(width + 1), 1.0
    for _ in range(600):
        slope = gather(1 / (1 + np.exp(-score(ahead))) - stated)
        slope[:width] += STRENGTH * ahead[:width]
        after = ahead - step * slope
        next_pace = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead = after + (pace - 1) / next_pace * (after - weights)
        weights, pace = after, next_pace
    return dict(zip(names, weights)) | {"always": weights[width]}


def measure(sentences, moment):
    """Turns of authors that were left out: how many of those that are found state something, and how many are found."""
    work = [it for it in sentences if it["author"] == "work"]
    turns = defaultdict(lambda: [False, -99.0])
    alarms = Counter()
    for author in MEASURED:
        seen = [it for it in sentences if it["author"] != author and not (it["author"] == "work" and is_odd(it))]
        weights = train(seen, moment)
        for it in sentences:
            if it["author"] == author or it["author"] == "work" and is_odd(it):
                features = features_of(it, moment)
                value = weights["always"] + sum(weights.get(name, 0) for name in features)
                turn = turns[(it["author"], author, it["file"], it["session"], it["turn"])]
                turn[0] |= it["stated"]
                turn[1] = max(turn[1], value)
    print("in a prompt" if moment == 0 else "at the end", f"({len(work)} sentences of work)")
    for bar in [-0.4, 0, 0.2, 0.4, 0.6, 0.8, 1.0]:
        said = [stated for key, (stated, value) in turns.items() if value >= bar and key[0] != "work"]
        alarms = sum(value >= bar for key, (_, value) in turns.items() if key[0] == "work") / len(MEASURED)
        labelled = sum(stated for key, (stated, _) in turns.items() if key[0] != "work")
        print(f"  from {bar:4}: {sum(said)} of {len(said)} turns right, of {labelled} that state something; "
              f"{alarms:.0f} of half the prompts of work")


def is_odd(sentence):
    return int(sentence["session"].rsplit("-", 1)[1]) % 2 == 1


def main():
    sentences = read_sentences()
    if "--write" not in sys.argv:
        for moment in (0, 1):
            measure(sentences, moment)
        return
    sentences = [it for it in sentences if it["author"] != HELD_OUT]
    of_prompt, of_end = (train(sentences, moment) for moment in (0, 1))
    lines = []
    for name in sorted(of_prompt.keys() | of_end.keys()):
        both = [round(1000 * it.get(name, 0.0)) for it in (of_prompt, of_end)]
        if max(abs(it) for it in both) >= 20:
            lines.append(f"{both[0]} {both[1]} {name}\n")
    WEIGHTS.write_text("".join(lines))
    print(f"{WEIGHTS.relative_to(ROOT)}: {len(lines)} weights from {len(sentences)} sentences")


main()
