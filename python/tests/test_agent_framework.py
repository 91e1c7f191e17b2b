"""The provider in the real framework, with a stand-in for the model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterable, Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_framework")

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)

import apostille
from apostille.agent_framework import VerifiedMemoryProvider, build_memory_tools

from .conftest import World


class StandIn(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A model that says what it is told to, and keeps what it was asked."""

    def __init__(self, *answers: str | Content) -> None:
        super().__init__()
        self.answers = list(answers)
        self.asked: list[list[Message]] = []
        self.options: list[Mapping[str, Any]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        self.asked.append(list(messages))
        self.options.append(options)
        answer = self.answers.pop(0)

        async def respond() -> ChatResponse[Any]:
            return ChatResponse(messages=[Message("assistant", [answer])])

        async def updates() -> AsyncIterable[ChatResponseUpdate]:
            yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(answer) if isinstance(answer, str) else answer])

        if stream:
            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)
        return respond()

    def get_texts(self, run: int = -1) -> str:
        return "\n".join(it.text for it in self.asked[run])


async def ask(model: StandIn, provider: VerifiedMemoryProvider, *questions: str, session: AgentSession | None = None) -> AgentSession:
    agent = Agent(client=model, name="tester", instructions="Be brief.", context_providers=[provider])
    session = session or agent.create_session()
    for it in questions:
        await agent.run(it, session=session)
    return session


def test_a_run_is_shown_what_stands_and_use_is_counted(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            await provider.memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            await provider.memory.remember("RETRIES is 5", citations="src/api.rs:4")
            model = StandIn("It is 3, see m-1.", "As I said: m-1.")
            session = await ask(model, provider, "Which API_VERSION do we speak?", "Sure about API_VERSION?")
            shown = model.get_texts(0)
            assert "- API_VERSION is 3 (m-1; stands src/api.rs:3)" in shown
            assert "RETRIES" not in shown
            # Memory stands before the question, and is marked as this provider's.
            assert model.asked[0][-1].text == "Which API_VERSION do we speak?"
            attribution = model.asked[0][-2].additional_properties["_attribution"]
            assert (attribution["source_id"], attribution["source_type"]) == ("apostille", "VerifiedMemoryProvider")
            # Use counts once for a session.
            assert session.state["apostille"] == {"shown": ["m-1"], "applied": ["m-1"]}
            assert (await provider.memory.show("m-1")).memory.applied == 1
            assert (await provider.memory.show("m-2")).memory.applied == 0

    asyncio.run(run())


def test_what_the_code_contradicts_is_not_shown(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            await provider.memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            world.write("src/api.rs", "pub const API_VERSION: u32 = 4;\n")
            model = StandIn("I do not know.")
            await ask(model, provider, "Which API_VERSION do we speak?")
            assert "API_VERSION is 3" not in model.get_texts()
            assert "m-1" not in model.get_texts()

    asyncio.run(run())


def test_nothing_is_shown_where_nothing_matches(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            await provider.memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            model = StandIn("Hello!")
            await ask(model, provider, "Good morning")
            assert [it.text for it in model.asked[0] if it.role == "user"] == ["Good morning"]

    asyncio.run(run())


def test_memories_say_which_sessions_they_come_from(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            model = StandIn("Noted.", "Tabs.")
            first = await ask(model, provider, "We use tabs in this repo.")
            (waiting,) = (await provider.memory.review_queue()).queue
            world.person("approve", waiting.memory.handle)
            await ask(model, provider, "Do we use tabs in this repo?")
            attribution = model.asked[-1][-2].additional_properties["_attribution"]
            assert attribution["origin_session_ids"] == [first.session_id]

    asyncio.run(run())


def test_what_the_user_states_is_proposed_and_never_active_by_itself(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            model = StandIn("Noted.", "I would not know.")
            await ask(model, provider, "We use tabs in this repo.")
            (proposed,) = (await provider.memory.list(status="pending")).memories
            assert "tabs" in proposed.fact
            await ask(model, provider, "Do we use tabs in this repo?")
            assert "m-1" not in model.get_texts()
            # The words of the model are nobody's statement.
            model.answers.append("We always use spaces in this repo.")
            await ask(model, provider, "What do you think?")
            assert len((await provider.memory.list(status="pending")).memories) == 1

    asyncio.run(run())


def test_learning_can_be_left_out(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo, is_learning=False) as provider:
            await ask(StandIn("Noted."), provider, "We use tabs in this repo.")
            assert (await provider.memory.list(status="pending")).memories == ()

    asyncio.run(run())


def test_the_model_calls_the_tools(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo, with_tools=True) as provider:
            store = {
                "subject": "api",
                "fact": "API_VERSION is 3",
                "citations": [{"path": "src/api.rs", "line_start": 3, "line_end": 3}],
            }
            model = StandIn(
                Content.from_function_call("c-1", "memory_store", arguments=store),
                Content.from_function_call(
                    "c-2", "memory_store", arguments={**store, "citations": [{"path": "no.rs", "line_start": 1, "line_end": 1}]}
                ),
                "Kept.",
            )
            await ask(model, provider, "Keep that in mind.")
            names = [it.name for it in model.options[0]["tools"]]
            assert len(names) == 10
            assert {"memory_store", "memory_read_citation", "memory_log_applied"} < set(names)
            assert (await provider.memory.show("m-1")).memory.fact == "API_VERSION is 3"
            results = [content for message in model.asked[-1] for content in message.contents if content.type == "function_result"]
            assert "API_VERSION is 3" in str(results[0].result)
            # A refusal is for the model to read.
            assert "no.rs" in str(results[1].result)

    asyncio.run(run())


def test_streams_are_served_too(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            await provider.memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            agent = Agent(client=StandIn("It is 3, see m-1."), context_providers=[provider])
            async for _ in agent.run("Which API_VERSION?", session=agent.create_session(), stream=True):
                pass
            assert (await provider.memory.show("m-1")).memory.applied == 1

    asyncio.run(run())


@pytest.mark.parametrize("how", ["missing", "hanging", "unreachable"])
def test_memory_that_is_away_never_breaks_a_run(how: str, world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n")
    hanging.chmod(0o755)
    options: dict[str, dict[str, Any]] = {
        "missing": {"repo": world.repo, "program": "/no/such/program"},
        "hanging": {"repo": world.repo, "program": str(hanging), "timeout": 0.2},
        "unreachable": {"url": "http://127.0.0.1:1"},
    }

    async def run() -> None:
        async with VerifiedMemoryProvider(with_tools=True, **options[how]) as provider:
            model = StandIn("Hello!", "Still here.")
            await ask(model, provider, "We use tabs in this repo.", "And now?")
            assert len(model.asked) == 2

    with caplog.at_level(logging.DEBUG, "apostille"):
        asyncio.run(run())
    warnings = [it for it in caplog.records if it.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "goes on without memory" in warnings[0].message


def test_a_given_client_is_not_closed(world: World) -> None:
    async def run() -> None:
        async with apostille.AsyncMemory(world.repo) as memory:
            async with VerifiedMemoryProvider(memory) as provider:
                await ask(StandIn("Hello!"), provider, "Good morning")
            assert (await memory.stats()).ok
            assert len(await build_memory_tools(memory)) == 10
            with pytest.raises(TypeError, match="not both"):
                VerifiedMemoryProvider(memory, repo=".")

    asyncio.run(run())


def test_a_session_survives_being_written_down(world: World) -> None:
    async def run() -> None:
        async with VerifiedMemoryProvider(repo=world.repo) as provider:
            await provider.memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            model = StandIn("m-1 says 3.", "Still 3, m-1.")
            session = await ask(model, provider, "Which API_VERSION?")
            again = AgentSession.from_dict(session.to_dict())
            await ask(model, provider, "Which API_VERSION?", session=again)
            assert (await provider.memory.show("m-1")).memory.applied == 1

    asyncio.run(run())
