"""OpenAI Agents SDK: memory before each call of the model, learning at the end of a run.

    pip install apostille openai-agents
    python with_openai_agents.py FOLDER

The SDK has hooks that watch (`RunHooks`) and one that may change what the model is given (`call_model_input_filter`): the one learns,
the other recalls. The model here is a stand-in: leave `model=` out and set OPENAI_API_KEY for a real one.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from agents import (
    Agent,
    AgentHookContext,
    Model,
    ModelResponse,
    RunConfig,
    RunHooks,
    Runner,
    TResponseInputItem,
    Usage,
    set_tracing_disabled,
)
from agents.items import TResponseStreamEvent
from agents.run_config import CallModelData, ModelInputData
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from stand_ins import answer_from_context, keep_a_fact, tell_use

import apostille

log = logging.getLogger("with_openai_agents")


@dataclass
class MemoryHooks(RunHooks[Any]):
    """Joins a client to the runs of an agent. Memory that is away never breaks a run."""

    memory: apostille.AsyncMemory
    question: str = ""
    shown: list[str] = field(default_factory=list)
    block: str | None = None

    async def recall(self, data: CallModelData[Any]) -> ModelInputData:
        """Puts what is known beside the instructions; once for a run, however often the model is called in it."""
        if self.block is None:
            self.question = find_question(data.model_data.input)
            self.block = await self._ask(self.question)
        instructions = f"{data.model_data.instructions or ''}\n\n{self.block}".strip()
        return ModelInputData(input=data.model_data.input, instructions=instructions)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        """Counts what was used, and proposes what the user stated."""
        turns = [{"speaker": "user", "text": self.question}, {"speaker": "assistant", "text": str(output)}]
        try:
            await self.memory.learn(turns, shown=self.shown, timeout=5)
        except apostille.ApostilleError as error:
            log.warning("nothing was learned: %s", error)
        self.shown, self.block = [], None

    async def _ask(self, question: str) -> str:
        try:
            answer = await self.memory.recall(question, limit=5, tokens=1000, timeout=5)
        except apostille.ApostilleError as error:
            log.warning("the run goes on without memory: %s", error)
            return ""
        if not answer.relevant:
            return ""
        self.shown = [it.handle for it in answer.memories]
        return answer.block


def find_question(items: list[TResponseInputItem]) -> str:
    """The user's last words."""
    for it in reversed(items):
        if it.get("role") == "user" and isinstance(it.get("content"), str):
            return str(it.get("content"))
    return ""


class StandIn(Model):
    """A model that says what it was shown."""

    async def get_response(self, system_instructions: str | None, *args: Any, **kwargs: Any) -> ModelResponse:
        """One message."""
        text = ResponseOutputText(annotations=[], text=answer_from_context(system_instructions or ""), type="output_text")
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Not asked for here."""
        raise NotImplementedError


async def main(folder: str) -> None:
    """Asks twice: once about what is known, once with something to keep in it."""
    set_tracing_disabled(True)
    async with apostille.AsyncMemory(folder, client="openai-agents") as memory:
        hooks = MemoryHooks(memory)
        agent = Agent(name="helper", instructions="You help with this repository.", model=StandIn())
        for question in ("Which API_VERSION do we speak?", "From now on, always use tabs in this repo."):
            run = await Runner.run(agent, question, hooks=hooks, run_config=RunConfig(call_model_input_filter=hooks.recall))
            print(run.final_output)


if __name__ == "__main__":
    keep_a_fact(sys.argv[1])
    asyncio.run(main(sys.argv[1]))
    tell_use(sys.argv[1])
