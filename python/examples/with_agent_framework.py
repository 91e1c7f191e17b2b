"""Microsoft Agent Framework: one line gives an agent verified memory.

    pip install "apostille[agent-framework]"
    python with_agent_framework.py FOLDER

The model here is a stand-in. With a real one, `StandIn()` is for instance `OpenAIChatClient()`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, ChatResponseUpdate, Message, ResponseStream
from stand_ins import answer_from_context, keep_a_fact, tell_use

from apostille.agent_framework import VerifiedMemoryProvider


class StandIn(BaseChatClient[Any]):
    """A model that says what it was shown."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        async def respond() -> ChatResponse[Any]:
            context = "\n".join(it.text for it in messages)
            return ChatResponse(messages=[Message("assistant", [answer_from_context(context)])])

        return respond()


async def main(folder: str) -> None:
    """Asks twice: once about what is known, once with something to keep in it."""
    async with VerifiedMemoryProvider(repo=folder) as memory:
        agent = Agent(client=StandIn(), instructions="You help with this repository.", context_providers=[memory])
        session = agent.create_session()
        print(await agent.run("Which API_VERSION do we speak?", session=session))
        print(await agent.run("From now on, always use tabs in this repo.", session=session))


if __name__ == "__main__":
    keep_a_fact(sys.argv[1])
    asyncio.run(main(sys.argv[1]))
    tell_use(sys.argv[1])
