"""Claude Agent SDK: memory with each prompt, its tools for the model, learning when the model stops.

    pip install apostille claude-agent-sdk
    python with_claude_agent_sdk.py FOLDER

The SDK starts Claude Code, which calls the functions below as hooks. Where Claude Code is set up with `apostille init` already, and your
options have `setting_sources=["user", "project"]`, its own hooks do all of this, and more (docs/hooks.md): leave these out then.

Without `--real` a stand-in takes the place of Claude Code: the SDK speaks to it as to the real one, and it calls the hooks.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ClaudeSDKClient, HookContext, HookMatcher, TextBlock, Transport
from claude_agent_sdk.types import HookInput, HookJSONOutput
from stand_ins import answer_from_context, keep_a_fact, tell_use

import apostille

log = logging.getLogger("with_claude_agent_sdk")


@dataclass
class MemoryHooks:
    """Joins a client to a session of Claude. Memory that is away never breaks a turn."""

    memory: apostille.AsyncMemory
    prompt: str = ""
    shown: list[str] = field(default_factory=list)

    async def recall(self, call: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        """With each prompt: what is known about it."""
        self.prompt, self.shown = str(call.get("prompt", "")), []
        try:
            answer = await self.memory.recall(self.prompt, limit=5, tokens=1000, timeout=5)
        except apostille.ApostilleError as error:
            log.warning("the turn goes on without memory: %s", error)
            return {}
        if not answer.relevant or not answer.memories:
            return {}
        self.shown = [it.handle for it in answer.memories]
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": answer.block}}

    async def learn(self, call: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        """When the model stops: what it used is counted, what the user stated is proposed. It is never told to go on."""
        turns = [{"speaker": "user", "text": self.prompt}, {"speaker": "assistant", "text": str(call.get("last_assistant_message", ""))}]
        try:
            await self.memory.learn(turns, shown=self.shown, session=call["session_id"], timeout=5)
        except apostille.ApostilleError as error:
            log.warning("nothing was learned: %s", error)
        return {}

    def build_options(self, folder: str) -> ClaudeAgentOptions:
        """Options with these hooks, and the tools of memory."""
        return ClaudeAgentOptions(
            cwd=folder,
            mcp_servers={"apostille": {"type": "stdio", "command": apostille.find_program(), "args": ["mcp"]}},
            allowed_tools=["mcp__apostille"],
            hooks={"UserPromptSubmit": [HookMatcher(hooks=[self.recall])], "Stop": [HookMatcher(hooks=[self.learn])]},
        )


class StandIn(Transport):
    """Plays Claude Code: it takes the SDK's messages, calls its hooks, and says what they put before it."""

    def __init__(self) -> None:
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._hooks: dict[str, list[str]] = {}
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._turns: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        """There is nothing to start."""

    async def write(self, data: str) -> None:
        """A line of the SDK."""
        message = json.loads(data)
        if message["type"] == "control_request":
            self._take_request(message)
        elif message["type"] == "control_response":
            self._answers.pop(message["response"]["request_id"]).set_result(message["response"]["response"])
        elif message["type"] == "user":
            turn = asyncio.create_task(self._play_turn(message["message"]["content"]))
            self._turns.add(turn)
            turn.add_done_callback(self._turns.discard)

    def _take_request(self, message: dict[str, Any]) -> None:
        if message["request"]["subtype"] == "initialize":
            for event, matchers in (message["request"]["hooks"] or {}).items():
                self._hooks[event] = [it for matcher in matchers for it in matcher["hookCallbackIds"]]
        done = {"subtype": "success", "request_id": message["request_id"], "response": {}}
        self._messages.put_nowait({"type": "control_response", "response": done})

    async def _call_hooks(self, event: str, **call: Any) -> str:
        """What the hooks of an event put before the model."""
        told = []
        for number, hook in enumerate(self._hooks.get(event, [])):
            request_id = f"{event}-{number}"
            self._answers[request_id] = asyncio.get_running_loop().create_future()
            given = {"hook_event_name": event, "session_id": "s-1", "transcript_path": "", "cwd": ".", **call}
            request = {"subtype": "hook_callback", "callback_id": hook, "input": given, "tool_use_id": None}
            answer = self._answers[request_id]
            self._messages.put_nowait({"type": "control_request", "request_id": request_id, "request": request})
            told.append((await answer).get("hookSpecificOutput", {}).get("additionalContext", ""))
        return "\n".join(told)

    async def _play_turn(self, prompt: str) -> None:
        said = answer_from_context(await self._call_hooks("UserPromptSubmit", prompt=prompt))
        content = [{"type": "text", "text": said}]
        self._messages.put_nowait(
            {"type": "assistant", "session_id": "s-1", "message": {"role": "assistant", "model": "stand-in", "content": content}}
        )
        await self._call_hooks("Stop", stop_hook_active=False, last_assistant_message=said)
        ending = {"is_error": False, "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1, "total_cost_usd": 0.0, "result": said}
        self._messages.put_nowait({"type": "result", "subtype": "success", "session_id": "s-1", **ending})

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """What Claude Code would write."""
        while (message := await self._messages.get()) is not None:
            yield message

    async def close(self) -> None:
        """The end."""
        self._messages.put_nowait(None)

    def is_ready(self) -> bool:
        """Always."""
        return True

    async def end_input(self) -> None:
        """Nothing more is asked."""


async def main(folder: str, transport: Transport | None) -> None:
    """Asks twice: once about what is known, once with something to keep in it."""
    async with apostille.AsyncMemory(folder, client="claude-agent-sdk") as memory:
        hooks = MemoryHooks(memory)
        async with ClaudeSDKClient(hooks.build_options(folder), transport) as claude:
            for prompt in ("Which API_VERSION do we speak?", "From now on, always use tabs in this repo."):
                await claude.query(prompt)
                async for message in claude.receive_response():
                    if isinstance(message, AssistantMessage):
                        print(*(it.text for it in message.content if isinstance(it, TextBlock)))


if __name__ == "__main__":
    keep_a_fact(sys.argv[1])
    asyncio.run(main(sys.argv[1], None if "--real" in sys.argv[2:] else StandIn()))
    tell_use(sys.argv[1])
