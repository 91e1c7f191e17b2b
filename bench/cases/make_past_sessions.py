#!/usr/bin/env python3
"""Writes transcripts of past sessions, as Claude Code keeps them, for timing `apostille learn --past`.

    make_past_sessions.py HOME CHECKOUT [N]

N sessions (1,000 unless said) of 30 to 90 turns go below HOME/.claude/projects, all in the folder CHECKOUT. The words are made
up and come as often as words do (Zipf's law); the same call writes the same bytes.
"""

import datetime
import itertools
import json
import pathlib
import random
import sys

SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi ko zu ra le mi no tu".split()
WORDS = ["".join(it) for it in itertools.islice(itertools.product(SYLLABLES, repeat=4), 0, 160_000, 8)]
WEIGHTS = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(WORDS))))
COMMANDS = ["cargo test -p core", "make check", "npm run lint", "ls src", "rg retry src"]


class Session:
    """A session that is written line by line."""

    def __init__(self, number, checkout, draw):
        self.id = f"{number:08x}-0000-4000-8000-{number:012x}"
        self.start = datetime.datetime(2025, 12, 1) + datetime.timedelta(minutes=45 * number)
        self.checkout, self.draw, self.lines = checkout, draw, []

    def text(self, least, most):
        words = self.draw.choices(WORDS, cum_weights=WEIGHTS, k=self.draw.randint(least, most))
        return " ".join(words)

    def write(self, role, content):
        at = self.start + datetime.timedelta(seconds=20 * len(self.lines))
        line = {
            "type": role, "uuid": f"{self.id}-{len(self.lines)}", "timestamp": at.isoformat() + "Z",
            "sessionId": self.id, "cwd": self.checkout, "gitBranch": "main", "version": "2.1.0",
            "message": {"id": f"m{len(self.lines)}", "role": role, "content": content},
        }
        self.lines.append(json.dumps(line))

    def call_tool(self):
        call = f"t{len(self.lines)}"
        if self.draw.random() < 0.5:
            used = ("Bash", {"command": self.draw.choice(COMMANDS)})
        else:
            path = f"{self.checkout}/src/{self.text(1, 1)}.rs"
            used = ("Edit", {"file_path": path, "old_string": self.text(10, 60), "new_string": self.text(10, 80)})
        said = [{"type": "text", "text": self.text(10, 30)}]
        self.write("assistant", said + [{"type": "tool_use", "id": call, "name": used[0], "input": used[1]}])
        is_error = self.draw.random() < 0.1
        output = {"type": "tool_result", "tool_use_id": call, "content": self.text(50, 900), "is_error": is_error}
        self.write("user", [output])

    def live(self):
        wish = ". Always run make check before a commit." if self.draw.random() < 0.1 else "."
        for prompt in range(self.draw.randint(10, 20)):
            self.write("user", self.text(5, 60) + (wish if prompt == 0 else "."))
            for _ in range(self.draw.randint(1, 2)):
                self.call_tool()
            self.write("assistant", [{"type": "text", "text": self.text(30, 250) + "."}])
        return "\n".join(self.lines) + "\n"


def main():
    home, checkout = pathlib.Path(sys.argv[1]), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000
    name = "".join(it if it.isascii() and it.isalnum() else "-" for it in checkout)
    folder = home / ".claude/projects" / name
    folder.mkdir(parents=True, exist_ok=True)
    size = 0
    for number in range(count):
        session = Session(number, checkout, random.Random(number))
        size += (folder / f"{session.id}.jsonl").write_text(session.live())
    print(f"{count} sessions, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
