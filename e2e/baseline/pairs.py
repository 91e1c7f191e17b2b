#!/usr/bin/env python3
"""How two binaries compare in speed, in alternating pairs, so that what the machine does meanwhile hits both alike.

    pairs.py OLD NEW [--pairs 20] [--memories 1000]

Each binary has a home of its own, filled alike; both read one repository. A pair is some runs of one binary and as many of
the other, the first one changing from pair to pair. Printed: the median time of each, and the median of the pairs' ratios.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

FILES = 40
NOUNS = ("queue cache worker router parser ledger socket thread buffer column tenant region webhook invoice basket gateway "
         "replica snapshot cursor batch shard lease token quota meter digest bucket mirror broker planner").split()
VERBS = "drains retries merges flushes rejects compacts rotates replays locks splits expires samples rebuilds audits".split()


def make_facts(count):
    """Facts that resemble each other as facts of one project do, each with the place that says it."""
    draw = random.Random(7)
    for number in range(count):
        noun, other, verb = draw.choice(NOUNS), draw.choice(NOUNS), draw.choice(VERBS)
        name = f"{noun}_{other}_{number}".upper()
        yield number, name, f"{name} {verb} the {draw.choice(NOUNS)} of the {draw.choice(NOUNS)} after {number + 10} steps"


class Binary:
    """A binary with a home of its own."""

    def __init__(self, name, program, folder, repo):
        self.name, self.program, self.repo = name, program, repo
        self.home = folder / name
        self.home.mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "USER": "ada", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                    "GIT_CONFIG_NOSYSTEM": "1", "APOSTILLE_HOOK_ALONE": "1", "APOSTILLE_PERSON": "ada"}

    def run(self, *args, given=None):
        done = subprocess.run([self.program, *args], cwd=self.repo, env=self.env, input=given, capture_output=True)
        return done

    def time(self, *args, given=None):
        start = time.perf_counter()
        done = self.run(*args, given=given)
        took = time.perf_counter() - start
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} {args}: {done.stderr.decode()}")
        return took


def make_repository(folder, facts):
    folder.mkdir()
    (folder / "src").mkdir()
    lines = [[] for _ in range(FILES)]
    for number, name, _ in facts:
        lines[number % FILES].append(f"const {name}: usize = {number + 10};")
    for at, text in enumerate(lines):
        (folder / "src" / f"part{at}.rs").write_text("\n".join(text) + "\n")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
    for args in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "parts"], ["remote", "add", "origin", "https://example.com/acme/shop"]):
        subprocess.run([*git, *args], cwd=folder, check=True)


def remember(binary, facts, measured):
    """Runs of `remember`, each of another fact."""
    def run():
        number, _, fact = next(facts)
        place = f"src/part{number % FILES}.rs:{number // FILES + 1}"
        return binary.time("remember", fact, "--cite", place, "--create", "each step is counted by itself")
    return [run() for _ in range(measured)]


QUESTIONS = ["which worker drains the queue", "how many steps until the cache expires", "when does the gateway replay invoices"]


def recall(binary, measured, cold=False):
    def run(at):
        if cold:
            for found in binary.home.rglob("verdicts*"):
                shutil.rmtree(found) if found.is_dir() else found.unlink()
        return binary.time("recall", QUESTIONS[at % 3], "--json")
    return [run(at) for at in range(measured)]


def hook(binary, measured, number=[0]):
    def run(at):
        number[0] += 1
        payload = {"session_id": f"s-{number[0]}", "cwd": str(binary.repo), "hook_event_name": "UserPromptSubmit", "prompt": QUESTIONS[at % 3]}
        return binary.time("hook", "UserPromptSubmit", "--client", "claude-code", given=json.dumps(payload).encode())
    return [run(at) for at in range(measured)]


class Mcp:
    def __init__(self, binary):
        self.child = subprocess.Popen([binary.program, "mcp"], cwd=binary.repo, env=binary.env, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pairs", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.child.stdout.readline())
            if answer.get("id") == self.number:
                return answer

    def measure(self, measured):
        def run(at):
            start = time.perf_counter()
            answer = self.ask("tools/call", {"name": "memory_recall", "arguments": {"query": QUESTIONS[at % 3]}})
            took = time.perf_counter() - start
            assert not answer["result"].get("isError"), answer
            return took
        return [run(at) for at in range(measured)]

    def close(self):
        self.child.stdin.close()
        self.child.wait(10)


class Http:
    def __init__(self, binary):
        self.child = subprocess.Popen([binary.program, "serve", "--port", "0", "--json", "--log", "off"], cwd=binary.repo, env=binary.env,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = json.loads(self.child.stdout.readline())
        self.port = int(re.search(r":(\d+)/mcp", said["url"]).group(1))
        self.token = said["token"]

    def measure(self, measured):
        def run(at):
            body = json.dumps({"query": QUESTIONS[at % 3]}).encode()
            head = (f"POST /api/recall HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\nAuthorization: Bearer {self.token}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
            start = time.perf_counter()
            with socket.create_connection(("127.0.0.1", self.port)) as stream:
                stream.sendall(head.encode() + body)
                answer = b""
                while part := stream.recv(65536):
                    answer += part
            took = time.perf_counter() - start
            assert b" 200 " in answer.split(b"\r\n", 1)[0], answer[:400]
            time.sleep(0.03)  # The server lets one token ask so often a second.
            return took
        return [run(at) for at in range(measured)]

    def close(self):
        self.child.terminate()
        self.child.wait(10)


def compare(title, pairs, olds, news):
    """Plays the pairs of one thing, and prints what came of them."""
    ratios, times = [], ([], [])
    for at in range(pairs):
        order = [(0, olds), (1, news)]
        medians = [0, 0]
        for which, play in order if at % 2 == 0 else reversed(order):
            took = play()
            times[which].extend(took)
            medians[which] = statistics.median(took)
        ratios.append(medians[1] / medians[0])
    old, new = (statistics.median(it) * 1000 for it in times)
    ratios.sort()
    print(f"| {title} | {old:.2f} ms | {new:.2f} ms | {statistics.median(ratios):.3f} | {ratios[pairs // 4]:.3f}–{ratios[-1 - pairs // 4]:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--memories", type=int, default=1000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        facts = list(make_facts(args.memories + args.pairs * 20))
        make_repository(folder / "shop", facts)
        old, new = (Binary(name, str(pathlib.Path(it).resolve()), folder, folder / "shop") for name, it in (("old", args.old), ("new", args.new)))
        for binary in (old, new):
            remember(binary, iter(facts), args.memories)
        print(f"{args.pairs} pairs, {args.memories} memories\n\n| | old | new | ratio, median | middle half |\n|---|---:|---:|---:|---:|")
        rest = [iter(facts[args.memories:]) for _ in range(2)]
        compare("remember", args.pairs, lambda: remember(old, rest[0], 10), lambda: remember(new, rest[1], 10))
        compare("recall", args.pairs, lambda: recall(old, 10), lambda: recall(new, 10))
        compare("cold recall", args.pairs, lambda: recall(old, 6, True), lambda: recall(new, 6, True))
        compare("hook on a prompt", args.pairs, lambda: hook(old, 10), lambda: hook(new, 10))
        for title, kind in (("MCP memory_recall", Mcp), ("HTTP /api/recall", Http)):
            one, other = kind(old), kind(new)
            compare(title, args.pairs, lambda: one.measure(15), lambda: other.measure(15))
            one.close()
            other.close()


if __name__ == "__main__":
    main()
