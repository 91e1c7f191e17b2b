"""Verified memory for Microsoft Agent Framework (`pip install "apostille[agent-framework]"`).

    from agent_framework import Agent
    from apostille.agent_framework import VerifiedMemoryProvider

    async with VerifiedMemoryProvider(repo=".") as memory:
        agent = Agent(client=client, context_providers=[memory])
        await agent.run("Which API version do we speak?", session=agent.create_session())

Before a run the model is shown what is known about the question, each fact with how it stands in the code now; after it, memories
that the model used are counted, and what the user stated for good is proposed to a person. It never becomes active by itself.
Memory never breaks a run: where it is out of reach, the run goes on without it, and a warning is logged once.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

from agent_framework import AgentSession, ContextProvider, FunctionTool, Message, SessionContext, SupportsAgentRun

from ._tools import Tool
from .client import AsyncMemory
from .errors import ApostilleError
from .types import RecallReply

__all__ = ["VerifiedMemoryProvider", "build_memory_tools"]

log = logging.getLogger("apostille.agent_framework")

#: What stands before what is known.
CONTEXT_PROMPT = (
    "What is known from earlier sessions, looked up in the code as it is now. Rely on what `stands` or is `stated`; look at the code "
    "first where it says `check`. Name a memory by its handle, such as m-1, when you use it."
)
#: How long a run waits for memory, in seconds.
TIMEOUT = 5.0
#: How much of a question is asked, in characters; the end of it says what is wanted.
_MAX_QUERY = 4000
#: How many turns of a run are learned from, and how long one may be.
_MAX_TURNS = 200
_MAX_TURN = 100_000


class VerifiedMemoryProvider(ContextProvider):
    """Memory that is verified before it is shown.

    Args:
        memory: A client to use. It is not closed here.
        repo: The folder of a checkout, or a repository's name, for a client of its own; so are `url`, `token` and the other
            arguments of `AsyncMemory`.
        source_id: What the framework calls this provider.
        limit: How many memories a run is shown at most.
        tokens: How many tokens they may take.
        with_tools: Whether the model is given the ten tools of verified memory, too.
        is_learning: Whether what the user stated for good is proposed to a person, and use is counted.
        timeout: Seconds that a run waits for memory.
    """

    def __init__(
        self,
        memory: AsyncMemory | None = None,
        *,
        repo: str | os.PathLike[str] | None = None,
        source_id: str = "apostille",
        context_prompt: str = CONTEXT_PROMPT,
        limit: int = 5,
        tokens: int = 1000,
        with_tools: bool = False,
        is_learning: bool = True,
        timeout: float = TIMEOUT,
        **options: Any,
    ) -> None:
        super().__init__(source_id)
        if memory is not None and (repo is not None or options):
            raise TypeError("give a client, or what to make one of, not both")
        self._is_own = memory is None
        self.memory = memory or AsyncMemory(repo, client="agent-framework", **options)
        self._context_prompt, self._limit, self._tokens = context_prompt, limit, tokens
        self._with_tools, self._is_learning, self._timeout = with_tools, is_learning, timeout
        self._tools: Sequence[FunctionTool] | None = None
        self._has_complained = False

    async def __aenter__(self) -> VerifiedMemoryProvider:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the program, where it was started for this provider."""
        if self._is_own:
            await self.memory.close()

    async def before_run(self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]) -> None:
        """Shows the model what is known about the question."""
        state["shown"] = []
        try:
            await self._show_memories(context, state)
            if self._with_tools:
                context.extend_tools(self.source_id, await self._list_tools())
        except Exception as error:  # Whatever it is, the run goes on.
            self._complain(error)

    async def after_run(self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]) -> None:
        """Counts what was used, and proposes what the user stated for good."""
        if not self._is_learning:
            return
        turns = _list_turns(context)
        # Use counts once for a session, and a memory is shown in many of its runs.
        counted: list[str] = state.setdefault("applied", [])
        shown = [it for it in state.get("shown", []) if it not in counted]
        if not turns:
            return
        try:
            learned = await self.memory.learn(turns, shown=shown, session=context.session_id, timeout=self._timeout)
        except Exception as error:  # Whatever it is, the answer is there.
            self._complain(error)
            return
        counted.extend(it.handle for it in learned.applied)

    async def _show_memories(self, context: SessionContext, state: dict[str, Any]) -> None:
        question = "\n".join(it.text for it in context.input_messages if it.role == "user" and it.text)[-_MAX_QUERY:]
        if not question.strip():
            return
        answer = await self.memory.recall(question, limit=self._limit, tokens=self._tokens, timeout=self._timeout)
        # What is merely recent has nothing to do with the question: silence is better.
        if not answer.relevant or not answer.memories:
            return
        state["shown"] = [it.handle for it in answer.memories]
        message = Message("user", [f"{self._context_prompt}\n{answer.block}"])
        context.extend_messages(self, [message], origin_session_ids=_list_origins(answer, context))

    async def _list_tools(self) -> Sequence[FunctionTool]:
        if self._tools is None:
            self._tools = await build_memory_tools(self.memory, timeout=self._timeout)
        return self._tools

    def _complain(self, error: Exception) -> None:
        """Once: a memory that is away is away for every run."""
        level = logging.DEBUG if self._has_complained else logging.WARNING
        self._has_complained = True
        log.log(level, "the run goes on without memory: %s", error)


async def build_memory_tools(memory: AsyncMemory, *, timeout: float | None = None) -> Sequence[FunctionTool]:
    """The tools of a client's set (the ten of verified memory unless it was made with other `tools`) as functions for an agent."""
    return [_build_tool(memory, it, timeout) for it in await memory.list_tools(timeout=timeout)]


def _build_tool(memory: AsyncMemory, tool: Tool, timeout: float | None) -> FunctionTool:
    async def run(**arguments: Any) -> str:
        # A refusal, and a memory that is away, are for the model to read: it can go on without.
        try:
            return (await memory.call_tool(tool.name, arguments, timeout=timeout)).text
        except ApostilleError as error:
            return f"Memory is out of reach: {error}"

    return FunctionTool(name=tool.name, description=tool.description, func=run, input_model=dict(tool.input_schema))


def _list_origins(answer: RecallReply, context: SessionContext) -> list[str] | None:
    """The sessions that the memories come from, where they are others."""
    found = {it.session for it in answer.memories if it.session and it.session != context.session_id}
    return sorted(found) or None


def _list_turns(context: SessionContext) -> list[dict[str, str]]:
    """What was said in the run: the user's own words and the model's. What providers put beside them is not said by anybody."""
    answered = context.response.messages if context.response is not None else []
    said = [("user", it) for it in context.input_messages if it.role == "user"]
    said += [("assistant", it) for it in answered if it.role == "assistant"]
    return [{"speaker": speaker, "text": it.text[:_MAX_TURN]} for speaker, it in said if it.text][-_MAX_TURNS:]
