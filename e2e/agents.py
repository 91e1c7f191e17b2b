"""Agents that people use, in the versions that were looked into: how to get each one, and how to run it with no person.

Each is fetched from npm by name and version. What is there is not fetched again.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile

from stand_in import MODEL
from world import ROOT

PLUGINS = ROOT / "integrations"
HOME = pathlib.Path(os.environ.get("APOSTILLE_REAL_CLIENTS") or ROOT / "target/e2e/real")
SYSTEM = f"{platform.system().lower()}-{ {'x86_64': 'x64', 'aarch64': 'arm64'}.get(platform.machine(), platform.machine()) }"


class Agent:
    """What all have in common. `read` and `shell` are calls of its own tools on a file."""

    def folder(self):
        return HOME / self.name / "package"

    def fetch(self):
        """Gets the package, unless this very version is there."""
        named = self.folder() / "package.json"
        if named.exists() and json.loads(named.read_text())["version"] == self.version:
            return
        shutil.rmtree(self.folder(), ignore_errors=True)
        self.folder().parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["npm", "pack", "--silent", f"{self.package}@{self.version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            with tarfile.open(next(pathlib.Path(folder).glob("*.tgz"))) as packed:
                packed.extractall(self.folder().parent, filter="data")

    def setup(self, is_undo):
        """Commands of its own that set it up, in place of `init`, or that take it back; none where `init` does."""
        return []

    # Whether its hooks are the user's own, also where its server is the repository's.
    has_own_hooks = False

    # Whether what it writes down of a session is read; else only what its user typed is known.
    is_read = True

    # Whether it takes a session up again without what hooks gave to its prompts.
    drops = False

    def settle(self, world, address):
        """What a person has said before: this folder is trusted, the model is there."""

    def env(self, address):
        return {}

    def read(self, world, path):
        return self.shell(world, path)

    def failing(self, command):
        """Two calls of its shell with a command that fails."""
        return [self.run(command)] * 2

    def complaints(self, log):
        """What the agent's own notes say went wrong with a hook. Each pattern was seen to match when one failed."""
        return re.findall(self.wrong, log, re.M)


class Claude(Agent):
    name, package, version = "claude", f"@anthropic-ai/claude-code-{SYSTEM}", "2.1.325"
    wrong = r"^.*(?:apostille hook .* status [1-9]|Hook .* error:).*$"

    def settle(self, world, address):
        put(world, ".claude/settings.json", json.dumps({"enabledMcpjsonServers": ["apostille"]}))

    def env(self, address):
        quiet = dict.fromkeys(["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX"], "1")
        return quiet | {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-none"}

    def command(self, prompt, is_first, notes):
        again = [] if is_first else ["--continue"]
        return [self.folder() / "claude", "-p", prompt, *again, "--dangerously-skip-permissions", "--debug-file", notes / "claude.log"]

    def read(self, world, path):
        return "Read", {"file_path": str(world.repo / path)}

    def shell(self, world, path):
        return self.run(f"cat {path}")

    def run(self, command):
        return "Bash", {"command": command, "description": "look"}

    def delegated(self, task):
        return [("Agent|Task", {"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": False})]


class ClaudePlugin(Claude):
    """The same, with our plugin in place of `init`."""

    def setup(self, is_undo):
        program, name = self.folder() / "claude", "apostille@apostille"
        if is_undo:
            return [[program, "plugin", "uninstall", name]]
        return [[program, "plugin", "marketplace", "add", PLUGINS / "claude-code"], [program, "plugin", "install", name]]


class Codex(Agent):
    name, package, version = "codex", "@openai/codex", f"0.166.0-{SYSTEM}"
    wrong = r"^hook: \w+ (?!Completed)\w+.*$"

    def settle(self, world, address):
        text = f"""model = "{MODEL}"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "NO_KEY"
[projects."{world.repo}"]
trust_level = "trusted"
"""
        put(world, ".codex/config.toml", text)

    def env(self, address):
        return {"NO_KEY": "none", "RUST_LOG": "error"}

    def command(self, prompt, is_first, notes):
        free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        again = [prompt] if is_first else ["resume", "--last", prompt]
        return [next(self.folder().glob("vendor/*/bin/codex")), "exec", *free, *again]

    def shell(self, world, path):
        return self.run(f"cat {path}")

    def run(self, command):
        return "exec_command|shell", {"cmd": command, "command": command}

    def delegated(self, task):
        # It would be done before the sub-agent has begun.
        return [("spawn_agent", {"message": task, "task_name": "look"}), self.run("sleep 2")]


class Copilot(Agent):
    name, package, version = "copilot", f"@github/copilot-{SYSTEM}", "1.0.102"
    wrong = r"^.*(?:\[ERROR\] \[rust:hooks\]|hook errored).*$"

    def env(self, address):
        said = {"OFFLINE": "true", "ALLOW_ALL": "true", "AUTO_UPDATE": "false", "MODEL": "gpt-4.1", "PROVIDER_API_KEY": "none"}
        return {f"COPILOT_{key}": it for key, it in said.items()} | {"COPILOT_PROVIDER_BASE_URL": f"{address}/v1"}

    def command(self, prompt, is_first, notes):
        again = [] if is_first else ["--continue"]
        return [self.folder() / "copilot", "-p", prompt, *again, "--allow-all-tools", "--log-level", "debug", "--log-dir", notes]

    def read(self, world, path):
        return "view", {"path": str(world.repo / path)}

    def shell(self, world, path):
        return self.run(f"cat {path}")

    def run(self, command):
        return "bash", {"command": command, "description": "look"}

    def delegated(self, task):
        return [("task", {"description": "look", "prompt": task, "agent_type": "explore", "name": "look", "mode": "sync"})]


class Gemini(Agent):
    name, package, version = "gemini", "@google/gemini-cli", "0.61.0"
    drops = True
    wrong = r"^(?:Hook execution for .* [1-9]\d* failed|.*Agent execution blocked).*$"

    def settle(self, world, address):
        put(world, ".gemini/settings.json", json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))

    def program(self):
        node = ROOT / "target/e2e/bin/node"
        return [node if node.exists() else "node", self.folder() / "bundle/gemini.js"]

    def env(self, address):
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def command(self, prompt, is_first, notes):
        again = [] if is_first else ["--resume", "latest"]
        return [*self.program(), "-m", "gemini-2.5-flash", "--yolo", "--debug", *again, "-p", prompt]

    def read(self, world, path):
        return "read_file", {"file_path": path}

    def shell(self, world, path):
        return self.run(f"cat {path}")

    def run(self, command):
        return "run_shell_command", {"command": command, "description": "look"}

    def delegated(self, task):
        return [("invoke_agent", {"agent_name": "codebase_investigator", "prompt": task})]


class GeminiExtension(Gemini):
    """The same, with our extension in place of `init`."""

    def setup(self, is_undo):
        run = [*self.program(), "extensions"]
        if is_undo:
            return [[*run, "uninstall", "apostille"]]
        return [[*run, "install", PLUGINS / "gemini-cli", "--consent"]]


class Opencode(Agent):
    name, package, version = "opencode", f"opencode-{SYSTEM}", "1.18.33"
    has_own_hooks, is_read = True, False
    wrong = r"^.*(?:failed to load plugin|ERROR .*plugin).*$"

    def settle(self, world, address):
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "here", "options": {"baseURL": f"{address}/v1", "apiKey": "none"}}
        said = {"provider": {"here": provider | {"models": {MODEL: {"name": MODEL}}}}, "model": f"here/{MODEL}"}
        file = world.folder / "config/opencode/opencode.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(said | {"autoupdate": False, "share": "disabled"}))

    def env(self, address):
        return dict.fromkeys(["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD"], "1")

    def command(self, prompt, is_first, notes):
        again = [] if is_first else ["--continue"]
        return [self.folder() / "bin/opencode", "run", *again, "--print-logs", prompt]

    def read(self, world, path):
        return "read", {"filePath": str(world.repo / path)}

    def shell(self, world, path):
        return self.run(f"cat {path}")

    def run(self, command):
        return "bash", {"command": command, "description": "look"}

    def delegated(self, task):
        return [("task", {"description": "look", "prompt": task, "subagent_type": "general"})]


AGENTS = {it.name: it for it in [Claude(), Codex(), Copilot(), Gemini(), Opencode()]}
# Agents that are set up by a command of their own.
PLUGGED = {"claude-plugin": ClaudePlugin(), "gemini-extension": GeminiExtension()}


def put(world, path, text):
    file = world.folder / "home" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
