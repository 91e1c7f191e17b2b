"""The tools that the program offers to models, as values that any framework can wrap."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import BadAnswer


@dataclass(frozen=True)
class Tool:
    """A tool as a model is told of it."""

    name: str
    description: str
    #: The JSON schema of its arguments.
    input_schema: Mapping[str, Any]
    #: Whether it changes nothing.
    is_reading: bool


@dataclass(frozen=True)
class ToolAnswer:
    """What a tool answered, as a model reads it."""

    text: str
    #: Whether the tool said no; the text says why, and what to do.
    is_refusal: bool

    @property
    def value(self) -> Any:
        """The JSON in the text's first line; the text itself where it is prose."""
        try:
            return json.loads(self.text.partition("\n\n")[0])
        except ValueError:
            return self.text


def read_tools(result: Any) -> Sequence[Tool]:
    """The answer to `tools/list`."""
    if not isinstance(result, Mapping) or not isinstance(result.get("tools"), list):
        raise BadAnswer("expected a list of tools")
    return [_read_tool(it) for it in result["tools"]]


def _read_tool(it: Mapping[str, Any]) -> Tool:
    hints = it.get("annotations") or {}
    return Tool(it["name"], it.get("description", ""), it["inputSchema"], bool(hints.get("readOnlyHint")))


def read_tool_answer(result: Any) -> ToolAnswer:
    """The answer to `tools/call`; a note stands behind an empty line."""
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        raise BadAnswer("expected the answer of a tool")
    texts = [it["text"] for it in result["content"] if it.get("type") == "text"]
    return ToolAnswer("\n\n".join(texts), bool(result.get("isError")))
