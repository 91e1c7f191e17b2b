#!/usr/bin/env python3
"""A team's day: two people, three agents, two laptops, a fleet's worker, a server, a review, a laptop that is offline, a failover.

    e2e/team.py            the program is target/debug/apostille unless APOSTILLE_BIN names another

It needs PostgreSQL 15 or newer (initdb, postgres, pg_basebackup) and git, and nothing else: everything is made in a folder of its own and
goes away with it. Laptops keep a store of their own and meet at the repository's git remote; the worker, and the server that people
reach, share a database with a synchronous standby. The database is a replica of the same memory: its clone syncs like a laptop.
What each of them saw is printed. The exit code says whether it was what it should be.
"""

import glob
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("APOSTILLE_BIN", str(ROOT / "target/debug/apostille"))
PERSONS_PATIENCE = 60


def find_program(name):
    """A program of Postgres: from PG_BIN, the search path, or where Debian puts it."""
    places = [os.environ.get("PG_BIN", ""), *os.environ["PATH"].split(":"), *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
    for place in filter(None, places):
        if os.access(f"{place}/{name}", os.X_OK):
            return f"{place}/{name}"
    sys.exit(f"{name} is not on this machine; on Debian: apt-get install postgresql")


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def wait_until(what, is_so):
    for _ in range(PERSONS_PATIENCE * 10):
        if is_so():
            return
        time.sleep(0.1)
    sys.exit(f"{what} did not happen within {PERSONS_PATIENCE} s")


class Database:
    """A server of Postgres, as somebody who is not root: it refuses to be."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None

    @staticmethod
    def as_nobody():
        return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

    def own(self):
        self.folder.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            os.chown(self.folder, 65534, 65534)

    def make(self):
        self.own()
        command = [find_program("initdb"), "-D", self.folder / "data", "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self.as_nobody())
        return self

    def copy_of(self, primary):
        self.own()
        command = [find_program("pg_basebackup"), "-h", "127.0.0.1", "-p", str(primary.port), "-U", "owner", "-D", self.folder / "data", "-R",
                   "-d", "application_name=standby", "-c", "fast"]
        subprocess.run(command, check=True, **self.as_nobody())
        return self

    def start(self):
        options = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": 60}
        command = [find_program("postgres"), "-D", str(self.folder / "data")]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **self.as_nobody())
        wait_until("a server of Postgres", lambda: self.sql("SELECT 1", check=False).returncode == 0)
        return self

    def sql(self, text, database="postgres", check=True):
        command = [find_program("psql"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "owner", "-AtXq", "-c", text, database]
        return subprocess.run(command, capture_output=True, text=True, check=check)

    def kill(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Machine:
    """A machine with a home and a clone, and what somebody does there."""

    def __init__(self, team, name, person, **env):
        self.team, self.name, self.person = team, name, person
        self.home = team.folder / name
        self.home.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "USER": person, "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_AUTHOR_NAME": person, "GIT_AUTHOR_EMAIL": f"{person}@example.com", "GIT_COMMITTER_NAME": person,
                    "GIT_COMMITTER_EMAIL": f"{person}@example.com", "APOSTILLE_TEST_WITHOUT_PARENTS": "1", **env}
        # The remote has the name of a host, so that all clones are of one repository.
        (self.home / ".gitconfig").write_text(f'[url "{team.remote}"]\n\tinsteadOf = https://git.example.com/acme/app.git\n')
        self.clone = self.home / "app"
        self.git("clone", "--quiet", "https://git.example.com/acme/app.git", str(self.clone), cwd=self.home)

    def git(self, *args, cwd=None):
        subprocess.run(["git", *args], cwd=cwd or self.clone, env=self.env, check=True, capture_output=True)

    def run(self, *args, is_person=True, **more):
        env = {**self.env, **({"APOSTILLE_PERSON": self.person} if is_person else {"CLAUDECODE": "1"}), **more}
        return subprocess.run([PROGRAM, *args], cwd=self.clone, env=env, capture_output=True, text=True)

    def keep_token(self, address, token):
        folder = self.home / ".config/apostille"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sync-tokens").write_text(f"{address} {token}\n")
        (folder / "sync-tokens").chmod(0o600)

    def tell(self, *args, **more):
        done = self.run(*args, **more)
        self.team.say(f"{self.name}$ apostille {' '.join(args)}", done.stdout + done.stderr)
        return done

    def call(self, tool, **arguments):
        """What an agent calls through its own `apostille mcp`."""
        client = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2"}}
        lines = [{"id": 1, "method": "initialize", "params": client}, {"method": "notifications/initialized"},
                 {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}]
        with subprocess.Popen([PROGRAM, "mcp"], cwd=self.clone, env={**self.env, "CLAUDECODE": "1"}, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            for line in lines:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
                server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    break
            server.stdin.close()
        text = answer["result"]["content"][0]["text"]
        self.team.say(f"{self.name}, an agent: {tool} {json.dumps(arguments)}", text)
        return text


class Team:
    def __init__(self, folder):
        self.folder, self.failed = pathlib.Path(folder), 0
        self.folder.chmod(0o755)
        self.remote = self.folder / "remote.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(self.remote)], check=True)

    def say(self, what, text):
        print(f"\n{what}")
        for line in text.strip().splitlines()[:14]:
            print(f"    {line[:240].replace(str(self.folder), '~')}")

    def check(self, what, is_so, seen=""):
        print(f"{'  ok ' if is_so else '  FAILED '} {what}")
        if not is_so:
            self.failed += 1
            print(f"       {str(seen)[:1500]}")


def find_handle(entry):
    """The handle of the memory that an entry of the queue is about, wherever it stands in it."""
    return entry["handle"] if "handle" in entry else next(find_handle(it) for it in entry.values() if isinstance(it, dict))


def write_steps(machine, kept):
    """The nightly build writes down what it learns, whatever happens to the database."""
    for n in range(30):
        done = machine.run("remember", f"Step {n} of the nightly build takes port {4000 + n}.")
        if done.returncode == 0:
            kept.append(n)


def start_server(team, machine, port):
    env = {**machine.env, "APOSTILLE_PERSON": machine.person, "APOSTILLE_CONFIG": str(machine.home / "server.toml")}
    (machine.home / "server.toml").write_text(f'[repos]\n"git.example.com/acme/app" = {{ mirror = "{team.remote}" }}\n')
    log = open(machine.home / "server.log", "ab")
    place = machine.home / "empty"
    place.mkdir(exist_ok=True)
    server = subprocess.Popen([PROGRAM, "serve", "--port", str(port)], cwd=place, env=env, stdout=log, stderr=log)
    wait_until("the server", lambda: ask(port, "/ready", None)[0] == 200)
    return server


def ask(port, path, token, body=None, method=None):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def live_a_day(team):
    seed = team.folder / "seed"
    env = {**os.environ, "HOME": str(seed), "GIT_AUTHOR_NAME": "ana", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "ana", "GIT_COMMITTER_EMAIL": "a@example.com"}
    (seed / "src").mkdir(parents=True)
    (seed / "src/limits.rs").write_text("pub const MAX_UPLOAD_MB: u64 = 10;\npub const RETRIES: u32 = 5;\n")
    for command in (["init", "--quiet", "--initial-branch=main"], ["add", "-A"], ["commit", "--quiet", "-m", "first"], ["push", "--quiet", str(team.remote), "main"]):
        subprocess.run(["git", *command], cwd=seed, env=env, check=True)

    primary = Database(team.folder / "primary").make().start()
    team.databases.append(primary)
    standby = Database(team.folder / "standby").copy_of(primary).start()
    team.databases.append(standby)
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.sql("SELECT pg_reload_conf()")
    wait_until("a synchronous standby", lambda: "sync" in primary.sql("SELECT sync_state FROM pg_stat_replication").stdout)
    primary.sql("CREATE DATABASE memory")
    primary.sql("CREATE ROLE worker LOGIN")
    primary.sql("CREATE ROLE outsider LOGIN")
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    owner = f"postgres://owner@127.0.0.1:{primary.port}/memory"
    store = f"postgres://worker@{hosts}/memory?sslmode=disable&target_session_attrs=read-write"

    ana, bea = Machine(team, "ana", "ana"), Machine(team, "bea", "bea")
    fleet = Machine(team, "fleet", "fleet", APOSTILLE_STORE=store)

    print("\n== Morning: the database is made ready, and everybody is let in")
    team.check("the tables are made", fleet.tell("store", "prepare", owner).returncode == 0)
    granted = fleet.tell("store", "grant", owner, "worker", "--everywhere", "--access", "serve")
    team.check("the fleet's role may use every space", granted.returncode == 0, granted.stderr)
    for machine in (ana, bea, fleet):
        done = machine.tell("sync", "setup", "git")
        team.check(f"{machine.name} meets the others at the repository's remote", done.returncode == 0, done.stderr)
    stranger = fleet.run("list", APOSTILLE_STORE=f"postgres://outsider@127.0.0.1:{primary.port}/memory?sslmode=disable")
    team.check("a role without a grant sees nothing", stranger.returncode != 0 or not stranger.stdout.strip(), stranger.stdout)

    print("\n== Ana's agent learns something; Bea's agent and the fleet's worker know it")
    kept = ana.call("memory_remember", fact="Uploads are limited by MAX_UPLOAD_MB = 10, because the proxy cuts them off there.",
                    citations=[{"path": "src/limits.rs", "line_start": 1, "line_end": 1}])
    team.check("it is kept", "m-1" in kept, kept)
    for machine in (ana, bea, fleet):
        done = machine.tell("sync")
        team.check(f"{machine.name} syncs", done.returncode == 0, done.stdout + done.stderr)
    for machine in (bea, fleet):
        found = machine.call("memory_recall", query="how large may uploads be")
        team.check(f"{machine.name}'s agent is told, with how it stands there", "MAX_UPLOAD_MB" in found and "stands" in found, found)

    print("\n== Bea is on a train")
    team.remote.rename(team.folder / "away.git")
    said = bea.run("remember", "Ask the payments team before RETRIES is raised above 5.")
    team.check("what she says is kept at once", said.returncode == 0, said.stderr)
    offline = bea.tell("sync")
    team.check("the sync says that it is offline", offline.returncode != 0, offline.stdout)
    found = bea.call("memory_recall", query="may retries be raised")
    team.check("her agent knows it", "payments team" in found, found)
    (team.folder / "away.git").rename(team.remote)

    print("\n== Meanwhile the fleet's worker proposes what it read on a page, and Ana's agent corrects what changed")
    proposed = fleet.call("memory_remember", fact="A wiki says that releases are cut on Tuesdays.", kind="feedback", tainted=True)
    team.check("it waits for a person", "pending" in proposed or "waits" in proposed or "refused" in proposed.lower(), proposed)
    (ana.clone / "src/limits.rs").write_text("pub const MAX_UPLOAD_MB: u64 = 25;\npub const RETRIES: u32 = 5;\n")
    for command in (["commit", "-qam", "limits: uploads of 25 MB"], ["push", "-q"]):
        ana.git(*command)
    corrected = ana.call("memory_revise", action="correct", id="m-1", fact="Uploads are limited by MAX_UPLOAD_MB = 25, because the proxy cuts them off there.",
                         citations=[{"path": "src/limits.rs", "line_start": 1, "line_end": 1}])
    team.check("the correction is kept", "m-2" in corrected, corrected)
    for machine in (ana, bea, ana, fleet):
        machine.run("sync")
    for machine in (bea, fleet):
        machine.git("pull", "-q")
    for machine in (ana, bea, fleet):
        listed = machine.run("list").stdout
        team.check(f"{machine.name} has the correction, and what Bea said on the train", "= 25" in listed and "payments team" in listed and "= 10," not in listed, listed)

    print("\n== A server in front of the database, with a mirror of the repository; Ana reviews in it")
    port = free_port()
    server = start_server(team, fleet, port)
    team.processes.append(server)
    reviewing = fleet.run("token", "create", "ana", "--access", "review", "--space", "git.example.com/acme/app").stdout.strip()
    reading = fleet.run("token", "create", "ci", "--space", "git.example.com/acme/other").stdout.strip()
    status, queue = ask(port, "/api/review?repo=git.example.com/acme/app", reviewing)
    team.say("GET /api/review, as Ana", queue)
    waiting = [it for it in json.loads(queue)["queue"] if "Tuesdays" in json.dumps(it)]
    team.check("what the worker proposed is in the queue", status == 200 and waiting, queue)
    if waiting:
        name = find_handle(waiting[0])
        status, answer = ask(port, f"/api/memories/{name}/approve?repo=git.example.com/acme/app", reviewing, {})
        team.check("she approves it", status == 200, answer)
    status, told = ask(port, "/api/recall?repo=git.example.com/acme/app", reviewing, {"query": "how large may uploads be"})
    team.say("POST /api/recall, as Ana", told)
    team.check("the server judges by its mirror, and says at which commit", status == 200 and "= 25" in told and "main@" in told, told)
    status, foreign = ask(port, "/api/memories?repo=git.example.com/acme/app", reading)
    team.check("a token for another repository sees nothing", status in (403, 404) and "MAX_UPLOAD" not in foreign, foreign)

    print("\n== A contractor's laptop may not push to the remote; it meets the others at the server")
    con = Machine(team, "con", "con")
    token = fleet.run("token", "create", "con", "--access", "write", "--space", "git.example.com/acme/app").stdout.strip()
    con.keep_token(f"http://127.0.0.1:{port}", token)
    done = con.tell("sync", "setup", f"server:http://127.0.0.1:{port}")
    team.check("the server is chosen", done.returncode == 0, done.stderr)
    said = con.run("remember", "The staging bucket is emptied every Sunday.")
    team.check("what is said there is kept", said.returncode == 0, said.stderr)
    done = con.tell("sync")
    listed = con.run("list").stdout
    team.check("the laptop has what the others know", done.returncode == 0 and "= 25" in listed and "payments team" in listed, done.stdout + done.stderr + listed)
    team.check("its token is told nowhere", token not in done.stdout + done.stderr, done.stdout)
    for machine in (fleet, ana, bea):
        done = machine.run("sync")
        team.check(f"{machine.name} syncs through the remote, and knows of the bucket", done.returncode == 0 and "staging bucket" in machine.run("list").stdout, done.stdout + done.stderr)

    print("\n== The database's machine dies in the middle of the fleet's work")
    kept = []
    writer = threading.Thread(target=write_steps, args=(fleet, kept))
    writer.start()
    wait_until("the tenth write", lambda: len(kept) >= 10)
    primary.kill()
    standby.sql("SELECT pg_promote(true, 30)")
    standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
    standby.sql("SELECT pg_reload_conf()")
    writer.join()
    there = standby.sql("SET apostille.space = '*'; SELECT fact FROM agent_memory WHERE fact LIKE 'Step %'", "memory").stdout
    lost = [n for n in kept if f"Step {n} of" not in there]
    doubled = [n for n in kept if there.count(f"Step {n} of ") > 1]
    print(f"\n30 writes, {len(kept)} acknowledged, {len(lost)} of them lost, {len(doubled)} doubled")
    team.check("nothing acknowledged is lost or doubled", not lost and not doubled and len(kept) >= 25, (kept, lost, doubled))
    wait_until("the server's new database", lambda: ask(port, "/ready", None)[0] == 200)
    status, told = ask(port, "/api/recall?repo=git.example.com/acme/app", reviewing, {"query": "which port does step 29 of the nightly build take"})
    team.check("the server goes on with the new database", status == 200 and "4029" in told, told)

    print("\n== Evening: Bea forgets what she said, everywhere")
    number = [line.split()[0] for line in bea.run("list").stdout.splitlines() if "payments team" in line][0]
    forgotten = bea.run("forget", number, "--yes")
    team.check("it is forgotten", forgotten.returncode == 0, forgotten.stderr)
    for machine in (bea, ana, fleet, con):
        done = machine.run("sync")
        team.check(f"{machine.name} syncs", done.returncode == 0, done.stdout + done.stderr)
    for machine in (ana, bea, fleet, con):
        team.check(f"nobody finds it at {machine.name}", "payments team" not in machine.run("list").stdout)
    bytes_left = [str(path) for machine in (ana, bea, con) for path in (machine.home / ".local").rglob("*") if path.is_file() and b"payments team" in path.read_bytes()]
    team.check("and no byte of it is left on a laptop", not bytes_left, bytes_left)
    for machine in (ana, bea, fleet):
        machine.tell("list")


def main():
    folder = tempfile.mkdtemp(prefix="apostille-team-")
    team = Team(folder)
    team.databases, team.processes = [], []
    try:
        live_a_day(team)
    finally:
        for process in team.processes:
            process.terminate()
            process.wait()
        for database in team.databases:
            database.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{'everything was as it should be' if not team.failed else f'{team.failed} checks failed'}")
    sys.exit(1 if team.failed else 0)


if __name__ == "__main__":
    main()
