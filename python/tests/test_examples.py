"""The examples, run as their readers run them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from .conftest import ROOT, World

EXAMPLES = ROOT / "python" / "examples"


def run(name: str, *args: str) -> str:
    command = [sys.executable, "-W", "default::ResourceWarning", str(EXAMPLES / name), *args]
    done = subprocess.run(command, env=os.environ.copy(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "never awaited" not in done.stderr
    assert "ResourceWarning" not in done.stderr
    return done.stdout


def test_plain(world: World) -> None:
    assert run("plain.py") == (
        "m-1  stands        API_VERSION is 3\n"
        "m-1  contradicted  API_VERSION is 3  (withheld)\n"
        "m-2  stands        API_VERSION is 4\n"
        'refused: needs_citation: pass citations=["src/api.rs:3"], or kind="user" for what a person prefers\n'
    )


@pytest.mark.parametrize(
    ("name", "package"),
    [("with_agent_framework", "agent_framework"), ("with_openai_agents", "agents"), ("with_claude_agent_sdk", "claude_agent_sdk")],
)
def test_a_conversation(name: str, package: str, world: World) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    said = run(f"{name}.py", str(world.repo))
    assert said.startswith("API_VERSION is 3, says m-1.\nI do not know.\napplied: 1\nproposed: ")
    assert "tabs" in said


def test_a_graph(world: World) -> None:
    pytest.importorskip("langgraph.graph")
    assert run("with_langgraph.py", str(world.repo)) == "API_VERSION is 3 (m-1, stands)\nRETRIES is 5 (m-2, stands)\n"


def test_the_first_lines_of_the_documents_run(world: World) -> None:
    """Each example of docs/python.md that begins with `import apostille`."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = [it.split("```", 1)[0] for it in text.split("```python\n")[1:]]
    whole = [it for it in blocks if it.startswith("import apostille")]
    assert whole
    for it in whole:
        done = subprocess.run([sys.executable, "-c", it], cwd=world.repo, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
