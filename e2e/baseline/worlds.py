"""A world of its own for each scenario: a home, a repository, a clock that is set by hand, and nothing of the machine's
configuration. Whatever is asked in it is recorded under a name."""

import datetime
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import tempfile
import termios
import time

import normalising

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent.parent / "crates/agents/src/clients"


def sample_folder(name):
    """The payloads of a client, which stand in its own folder of the source."""
    client, _, style = name.partition("-") if name.startswith("copilot") else (name.replace("-", "_"), "", "")
    return CLIENTS / client / "samples" / style

START = datetime.datetime(2026, 3, 1, 12, 0, 0)
PATIENCE = 30
# Worlds always stand at the same paths: lines are wrapped and folders are hashed by them.
ROOT = pathlib.Path(tempfile.gettempdir()).resolve() / f"apostille-baseline-{os.getuid()}"
SAMPLE_IDS = frozenset(
    found for it in sorted(CLIENTS.glob("*/samples/**/*.json")) for found in normalising.UUID.findall(it.read_text())
)


def lock_root():
    """One run at a time. Keep what is returned."""
    ROOT.mkdir(parents=True, exist_ok=True)
    handle = open(ROOT / "lock", "w")
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def install_binary(binary):
    """Puts the program where every world finds it, so that both programs have the same path."""
    folder = ROOT / "bin"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy2(binary, folder / "apostille")
    return folder / "apostille"


class Said:
    """What a command answered, as it came."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            return {}


class World:
    def __init__(self, name, exchanges):
        self.name, self.exchanges = name, exchanges
        self.folder = ROOT / "worlds" / re.sub(r"[^A-Za-z0-9]+", "-", name)
        self.home, self.repo = self.folder / "home", self.folder / "home" / "shop"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.program = ROOT / "bin" / "apostille"
        self.now = START
        self.variables = {}
        self.secrets = {str(self.folder): "<WORLD>", str(ROOT): "<ROOT>"}
        self.keeps_ids = False
        self.patterns = []
        self.names = {}
        self.others = []

    # Time and files

    def wait(self, **much):
        self.now += datetime.timedelta(**much)

    def stamp(self):
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def write(self, path, text, base=None):
        path = (base or self.repo) / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def git(self, line):
        done = subprocess.run(["git", *shlex.split(line)], cwd=self.repo, env=self.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"git {line}: {done.stderr}")
        return done.stdout.strip()

    def commit(self, message="work"):
        self.git("add --all")
        self.git(f"commit --quiet --no-verify --message {shlex.quote(message)}")
        return self.git("rev-parse HEAD")

    def hide_commits(self):
        """For repositories whose commits have ids in their files."""
        for number, commit in enumerate(self.git("rev-list --reverse --all").split(), 1):
            for length in (40, 10, 8):
                self.hide(commit[:length], f"<commit-{number}>")

    # Running the program

    def environment(self, person=False, agent=False, env=None):
        found = {
            "PATH": f"{ROOT / 'bin'}:/usr/bin:/bin", "HOME": str(self.home), "USER": "ada", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
            "TMPDIR": str(self.folder / "tmp"), "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1", "APOSTILLE_NOW": self.stamp(),
            # Repositories' own settings and stores are asked about; a program that does not know the list reads them anyway.
            "APOSTILLE_TRUST_ALLOW": "git.example.com/acme/*",
            "APOSTILLE_HOOK_DEADLINE_MS": "60000", "APOSTILLE_HOOK_ALONE": "1", "COLUMNS": "80",
        }
        (self.folder / "tmp").mkdir(exist_ok=True)
        for who in ("AUTHOR", "COMMITTER"):
            found |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.com", f"GIT_{who}_DATE": self.stamp()}
        if person:
            found["APOSTILLE_PERSON"] = "ada"
        if agent:
            found["CLAUDECODE"] = "1"
        found |= self.variables | (env or {})
        return {name: value for name, value in found.items() if value is not None}

    def run(self, arguments, given=None, cwd=None, **who):
        """Runs the program and records nothing. The clock goes on by a minute."""
        arguments = shlex.split(arguments) if isinstance(arguments, str) else arguments
        self.wait(minutes=1)
        where = cwd or self.repo
        try:
            done = subprocess.run([self.program, *arguments], cwd=where if where.exists() else self.home, env=self.environment(**who),
                                  input=(given or "").encode(), capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Said(-1, "", "it never ended")
        return Said(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def cli(self, line, given=None, cwd=None, name=None, **who):
        """Runs a command line and records what it answered."""
        said = self.run(line, given, cwd, **who)
        self.record(name or self.title(line, **who), show_said(line, given, said))
        return said

    def both(self, line, given=None, **more):
        """The same as text and as JSON."""
        self.cli(line, given, **more)
        return self.cli(line + " --json", given, **more)

    def person(self, line, given=None, **more):
        return self.cli(line, given, person=True, **more)

    def agent(self, line, given=None, **more):
        return self.cli(line, given, agent=True, **more)

    def title(self, line, person=False, agent=False, env=None, **_):
        line = line if isinstance(line, str) else shlex.join(line)
        marks = [word for word, is_so in (("(person)", person), ("(agent)", agent)) if is_so]
        return " ".join([line, *marks, *(f"{name}={value}" for name, value in (env or {}).items())])

    def terminal(self, line, typed="", name=None, colours=False, **who):
        """Runs a command line at a terminal of 80 columns, where somebody types these lines."""
        self.wait(minutes=1)
        env = self.environment(env={"TERM": "xterm-256color", "NO_COLOR": None if colours else "1", "COLUMNS": None, "EDITOR": None}, **who)
        code, shown = run_at_terminal([self.program, *shlex.split(line)], self.repo, env, typed)
        text = f"$ {line}   (at a terminal)\n" + "".join(f"types {it!r}\n" for it in typed.splitlines()) + f"exit {code}\n--- screen\n{shown}"
        self.record(name or f"{line} (terminal)", text)

    # Recording

    def hide(self, value, placeholder):
        if value:
            self.secrets[value] = placeholder

    def record(self, name, text):
        for value, placeholder in self.secrets.items():
            name = name.replace(value, placeholder)
        name = re.sub(r"\s+", " ", name).strip()[:150]
        name = f"{self.name}/{name}"
        self.names[name] = self.names.get(name, 0) + 1
        if self.names[name] > 1:
            name += f" #{self.names[name]}"
        text = normalising.replace_varying(text, self.secrets, SAMPLE_IDS, self.keeps_ids)
        for pattern, replacement in self.patterns:
            text = re.sub(pattern, replacement, text)
        self.exchanges.append((name, text))

    def record_file(self, path, name=None):
        path = pathlib.Path(path)
        try:
            text = path.read_text()
        except OSError as error:
            text = f"cannot be read: {error.strerror}\n"
        self.record(name or f"file {path.name}", text)

    def record_tree(self, name, folder, skips=(".git",)):
        """Every file below a folder with its text: what was written where."""
        parts = []
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not any(part in skips for part in path.relative_to(folder).parts):
                parts.append(f"=== {path.relative_to(folder)} {oct(path.stat().st_mode & 0o777)}\n{path.read_text(errors='replace')}\n")
        self.record(name, "".join(parts))

    def close(self):
        for it in self.others:
            it.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def show_said(line, given, said):
    line = line if isinstance(line, str) else shlex.join(line)
    parts = [f"$ apostille {line}\n"]
    if given:
        parts.append(f"--- stdin\n{given}\n")
    parts.append(f"exit {said.code}\n")
    for name, text in (("stdout", said.out), ("stderr", said.err)):
        if text:
            layout, shown = normalising.show_text(text)
            parts.append(f"--- {name} ({layout})\n{shown}")
    return "".join(parts)


def run_at_terminal(command, folder, env, typed):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    # What is typed is not echoed: when it would be shown depends on who is faster.
    modes = termios.tcgetattr(slave)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    child = subprocess.Popen(command, cwd=folder, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    if typed:
        os.write(master, typed.encode())
    shown, until = b"", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not select.select([master], [], [], 0.5)[0]:
            continue
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    else:
        child.kill()
        shown += b"\n(it never ended)\n"
    os.close(master)
    return child.wait(), shown.decode("utf-8", "replace").replace("\r\n", "\n")
