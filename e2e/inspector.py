"""The official Inspector as a client on stdio, in both revisions: it shows what other clients would stumble over."""

import concurrent.futures
import json
import subprocess
import sys

from world import ROOT, World, profiles

INSPECTOR = ROOT / "target/e2e/node_modules/.bin/mcp-inspector"
ERAS = ["legacy", "modern"]


def inspect(world, profile, era, method, *more):
    """One question to a new server: what was answered, and what the Inspector had to say about it."""
    command = ["node", str(INSPECTOR), "--cli", *world.mcp(profile), "--cwd", str(world.repo)]
    command += ["--protocol-era", era, "--method", method, "--format", "json", *more]
    done = subprocess.run(command, env=world.env(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)["result"], done.stderr.strip()


def tools(profile, era):
    """A list of tools without a word about it: every client takes every schema."""
    with World() as world:
        listed, said = inspect(world, profile, era, "tools/list", "--strict")
        assert said == "", said
        assert len(listed["tools"]) > 0, listed


def call(era):
    with World() as world:
        note = json.dumps({"text": "Project uses PostgreSQL 16", "tags": ["infra"]})
        for expected, more in [
            ({"ok": True, "id": "m-1"}, ["--tool-name", "memory_store", "--tool-args-json", note]),
            ({"ok": True}, ["--tool-name", "memory_delete", "--tool-arg", "id=m-1"]),
        ]:
            answer, _ = inspect(world, "simple", era, "tools/call", *more)
            assert answer["structuredContent"] == expected, answer
            assert json.loads(answer["content"][0]["text"]) == expected, answer


def resources(era):
    with World() as world:
        listed, _ = inspect(world, "default", era, "resources/list")
        uris = [it["uri"] for it in listed["resources"]]
        assert uris == ["apostille://recent", "apostille://briefing", "apostille://audit"], uris
        read, _ = inspect(world, "default", era, "resources/read", "--uri", "apostille://recent")
        assert json.loads(read["contents"][0]["text"]) == {"count": 0, "memories": []}, read


def prompts(era):
    with World() as world:
        listed, _ = inspect(world, "default", era, "prompts/list")
        assert "session-notes" in [it["name"] for it in listed["prompts"]], listed
        got, _ = inspect(world, "default", era, "prompts/get", "--prompt-name", "session-notes", "--prompt-args", "task=API")
        assert got["messages"][0]["content"]["text"].startswith("# Session notes: API\n"), got


def main():
    jobs = [(tools, profile, era) for profile in profiles() for era in ERAS]
    jobs += [(job, era) for job in (call, resources, prompts) for era in ERAS]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [(job, pool.submit(*job)) for job in jobs]
        for job, result in running:
            error = result.exception()
            if error:
                failed += 1
                print(f"   {job[0].__name__} {' '.join(job[1:])}: {type(error).__name__}: {error}")
    print(f"   {len(jobs) - failed} of {len(jobs)} questions answered as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
