"""A day in the life of a memory: one agent changes the code on a branch and repairs the memory, another works on main.

Claude Code edits a cited line in a worktree of its own, is told at its next step what that made untrue, and corrects the memory.
Codex, on main, is still shown the old fact; after the merge it is shown the new one.
"""

import subprocess

OLD = "uploads are limited to 10 MB by `MAX_UPLOAD_MB`, because the proxy cuts them off there"
NEW = "uploads are limited to 25 MB by `MAX_UPLOAD_MB`, because the proxy cuts them off there"
ASKED = "How large may an upload be, by MAX_UPLOAD_MB?"
LIMITS = "pub const MAX_UPLOAD_MB: u32 = 10;\n"


def tell_day(story_class, agents, world, model):
    """Runs the day; gives how many checks failed."""
    branch = world.folder / "feature"
    world.write("src/limits.rs", LIMITS)
    claude = story_class(agents["claude"], world, model)
    codex = story_class(agents["codex"], world, model)
    claude.name, codex.name = "day, on the branch", "day, on main"
    claude.settle_program()
    codex.notes = claude.notes
    world.commit("limits")
    for story in [claude, codex]:
        story.agent.settle(world, model.address)
    done = codex.apostille("remember", "--cite", "src/limits.rs:1", OLD)
    codex.check("the fact is remembered", done.returncode == 0, done.stderr)
    world.git("worktree", "add", "-q", "-b", "feature", str(branch))
    claude.repo = branch
    for story, client in [(claude, "claude-code"), (codex, "codex")]:
        done = story.apostille("init", "--yes", "--client", client)
        story.check("init", done.returncode == 0, done.stdout + done.stderr)

    edit = ("Edit", {"file_path": str(branch / "src/limits.rs"), "old_string": "= 10;", "new_string": "= 25;"})
    read = ("Read", {"file_path": str(branch / "src/limits.rs")})
    look = ("Bash", {"command": "cat docs/api.md", "description": "look"})
    correct = ("memory_revise", {"id": "m-1", "action": "correct", "fact": NEW, "citations": ["src/limits.rs:1"]})
    requests = claude.say("Raise the upload limit to 25 MB.", read, edit, look, correct)
    told = [n for n, it in enumerate(requests) if "10 → 25" in it]
    claude.check("the agent is told what its edit made untrue", bool(told), claude.shown(requests[-1]))
    claude.check("not while the edit is under way, but at the next step", bool(told) and told[0] >= 3, str(told))
    claude.check("with the call that repairs it", any("memory_revise" in it and "m-1" in it for it in requests), requests[-1][-800:])
    listed = claude.apostille("list", "--json").stdout
    claude.check("the correction is kept beside the old fact", OLD in listed and NEW in listed, listed)
    world_git(branch, world, "commit", "-qam", "raise the limit")

    first = codex.say(ASKED)[-1]
    codex.check("on main the old fact is still shown", codex.has(first, OLD), codex.shown(first))
    codex.check("and the new one is not", not codex.has(first, NEW), codex.shown(first))

    world.git("merge", "-q", "--no-edit", "feature")
    codex.prompts = 0
    second = codex.say(ASKED)[-1]
    codex.check("after the merge the new fact is shown", codex.has(second, NEW), codex.shown(second))
    codex.check("and the old one is not", not codex.has(second, OLD), codex.shown(second))
    done = codex.apostille("verify", "--json").stdout
    status = codex.apostille("show", "m-1", "--json").stdout
    codex.check("the default branch agrees: the old one is superseded", '"superseded"' in status, f"{status} {done}")
    return claude.failed + codex.failed


def world_git(folder, world, *args):
    person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]
    subprocess.run(["git", *person, *args], cwd=folder, env=world.env(), check=True, stdout=subprocess.DEVNULL)
