"""The verbs, over the real program."""

from __future__ import annotations

import asyncio
import pickle
from datetime import timezone
from pathlib import Path

import pytest

import apostille
from apostille.types import KeptReply, MemoryView, SkippedReply

from .conftest import World


def test_what_is_remembered_is_recalled_with_its_standing(memory: apostille.Memory, api_fact: KeptReply) -> None:
    assert (api_fact.outcome, api_fact.memory.handle) == ("remembered", "m-1")
    answer = memory.recall("which API_VERSION?", paths="src/api.rs")
    assert answer.relevant
    (found,) = answer.memories
    assert (found.fact, found.standing, found.shown) == ("API_VERSION is 3", "stands", "plain")
    assert found.citations[0].path == "src/api.rs"
    assert found.recorded_at.tzinfo == timezone.utc
    assert "(m-1; stands src/api.rs:3)" in answer.block


def test_what_the_code_contradicts_is_withheld(world: World, memory: apostille.Memory, api_fact: KeptReply) -> None:
    world.write("src/api.rs", "pub const API_VERSION: u32 = 4;\n")
    answer = memory.recall("which API_VERSION?")
    assert answer.memories == ()
    assert answer.withheld[0].standing == "contradicted"
    checked = memory.verify("m-1")
    assert not checked.ok
    assert checked.counts == {"contradicted": 1}
    with pytest.raises(apostille.Refused) as refused:
        memory.refresh("m-1")
    assert refused.value.refusal == "does_not_hold"
    assert "supersede()" in (refused.value.hint or "")
    world.commit("another version")
    better = memory.correct("m-1", "API_VERSION is 4", citations="src/api.rs:1")
    assert better.memory.handle == "m-2"
    assert memory.show("m-1").superseded_by[0].handle == "m-2"


def test_every_verb_answers_a_typed_object(memory: apostille.Memory, api_fact: KeptReply) -> None:
    assert memory.refresh("m-1").memories[0].handle == "m-1"
    assert memory.confirm("m-1").outcome == "confirmed"
    assert memory.apply("m-1").memories[0].applied == 1
    assert memory.stats().spaces[0].active == 1
    assert memory.spaces().spaces[0].memories == 1
    assert memory.audit().complete
    assert {it.event for it in memory.events().events} >= {"remembered", "refreshed", "applied"}
    assert memory.review_queue().queue == ()
    assert memory.breakers().breakers == ()
    assert memory.tasks().tasks == ()
    assert memory.sessions().sessions == ()
    assert memory.report().days == ()
    assert memory.supersede("m-1", "API_VERSION is 3, in one place").memory.handle == "m-2"
    assert memory.forget("m-2").memories[0].handle == "m-2"
    with pytest.raises(apostille.NoSuchMemory, match="m-2"):
        memory.show("m-2")
    memory.remember("RETRIES is 5", citations="src/api.rs:4")
    assert memory.invalidate("m-3", "it is a test").memories[0].status == "invalid"


def test_an_export_is_imported_by_another_store(world: World, memory: apostille.Memory, api_fact: KeptReply) -> None:
    everything = memory.export()
    assert everything["memories"][0]["fact"] == "API_VERSION is 3"
    assert "API_VERSION is 3" in memory.export(format="markdown")
    elsewhere = f"sqlite:{world.folder / 'other.db'}"
    with apostille.Memory(world.repo, store=elsewhere) as other:
        assert other.import_file(memory.export(format="jsonl"), name="memories.jsonl").kept == 1
        assert [it.fact for it in other.list().memories] == ["API_VERSION is 3"]


def test_pages_are_read_to_the_end(memory: apostille.Memory) -> None:
    facts = [f"RETRIES is 5 in the release of 202{it}" for it in range(5)]
    for it in facts:
        memory.remember(it, citations="src/api.rs:4", rationale="each release is told")
    assert len(memory.list(limit=2).memories) == 2
    assert sorted(it.fact for it in memory.iterate(limit=2)) == facts


def test_a_refusal_says_what_to_do(memory: apostille.Memory) -> None:
    with pytest.raises(apostille.Refused) as refused:
        memory.remember("the API is at version 3")
    assert refused.value.refusal == "needs_citation"
    assert "citations=" in (refused.value.hint or "")
    with pytest.raises(apostille.Malformed, match="citations"):
        memory.remember("API_VERSION is 3", citations="nowhere")
    with pytest.raises(apostille.Malformed, match="limit"):
        memory.recall("x", limit=1000)
    assert memory.stats().spaces[0].active == 0


def test_a_secret_is_kept_nowhere(world: World, memory: apostille.Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6"
    with pytest.raises(apostille.Refused) as refused:
        memory.remember(f"the token is {secret}", kind="user")
    assert refused.value.refusal == "secret"
    assert secret not in str(refused.value)
    kept = [it for it in world.folder.rglob("*") if it.is_file() and secret.encode() in it.read_bytes()]
    assert kept == []


def test_what_is_similar_is_the_callers_choice(memory: apostille.Memory) -> None:
    memory.remember("RETRIES is 5 in the release of 2024", citations="src/api.rs:4")
    again = "RETRIES is 5 in the release of 2025"
    with pytest.raises(apostille.Similar) as similar:
        memory.remember(again, citations="src/api.rs:4")
    assert [it.handle for it in similar.value.similar] == ["m-1"]
    assert 'merge_with="m-1"' in (similar.value.hint or "")
    skipped = memory.remember(again, citations="src/api.rs:4", skip=True)
    assert isinstance(skipped, SkippedReply)
    assert memory.remember(again, citations="src/api.rs:4", rationale="another year").memory.handle == "m-2"
    merged = memory.remember("RETRIES is 5 in every release", citations="src/api.rs:4", merge_with="m-1", rationale="all years")
    assert merged.memory.handle == "m-3"
    assert memory.show("m-1").memory.status == "superseded"


def test_a_program_is_not_a_person(world: World, memory: apostille.Memory) -> None:
    world.person("remember", "releases are tagged on Fridays", "--kind", "feedback")
    with pytest.raises(apostille.Refused) as refused:
        memory.forget("m-1")
    assert refused.value.refusal == "not_a_person"
    assert "person" in (refused.value.hint or "")
    with pytest.raises(apostille.Refused):
        memory.invalidate("m-1", "I know better")
    with pytest.raises(apostille.NotAllowed, match="person"):
        memory.approve("m-1")
    preferred = memory.remember("The user prefers blue themes", kind="user")
    assert preferred.pending is not None
    assert preferred.memory.status == "pending"
    assert not any("blue" in it.fact for it in memory.recall("which themes?").memories)


def test_what_a_person_states_is_proposed_and_use_is_counted(memory: apostille.Memory, api_fact: KeptReply) -> None:
    learned = memory.learn(
        [
            {"speaker": "user", "text": "From now on, always use tabs in this repo. Which version is it?"},
            {"speaker": "assistant", "text": "It is version 3, as m-1 says."},
        ],
        shown="m-1",
        session="run-7",
    )
    assert [it.status for it in learned.proposed] == ["pending"]
    assert "tabs" in learned.proposed[0].fact
    assert [it.handle for it in learned.applied] == ["m-1"]
    assert memory.show("m-1").memory.applied == 1
    assert memory.learn([{"speaker": "user", "text": "thanks"}]).proposed == ()


def test_answers_go_back_to_json(memory: apostille.Memory, api_fact: KeptReply) -> None:
    (found,) = memory.list().memories
    assert MemoryView.from_json(found.to_json()) == found
    assert pickle.loads(pickle.dumps(found)) == found


def test_an_answer_that_is_not_whole_is_an_error() -> None:
    with pytest.raises(apostille.BadAnswer, match="not whole"):
        MemoryView.from_json({"handle": "m-1"})
    with pytest.raises(apostille.BadAnswer, match="expected MemoryView"):
        MemoryView.from_json([])


def test_a_client_names_a_folder_or_a_repository(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with apostille.Memory("acme/other") as other:
        assert other.stats().spaces[0].space.endswith("acme/other")
    with pytest.raises(apostille.Malformed, match="not a folder"):
        apostille.Memory(Path("/no/such/folder"))
    monkeypatch.chdir(world.folder)
    with apostille.Memory() as nowhere, pytest.raises(apostille.Malformed, match="not in a repository"):
        nowhere.stats()
    with pytest.raises(apostille.Malformed, match="store is for a program"):
        apostille.Memory(url="http://127.0.0.1:1", store="sqlite:x")


def test_a_pickled_client_is_another_one_for_the_same_memory(memory: apostille.Memory, api_fact: KeptReply) -> None:
    with pickle.loads(pickle.dumps(memory)) as copy:
        assert copy.show("m-1").memory.fact == "API_VERSION is 3"


def test_the_tools_of_verified_memory_are_called_as_a_model_does(memory: apostille.Memory, api_fact: KeptReply) -> None:
    tools = memory.list_tools()
    assert [it.name for it in tools] == [
        "memory_store",
        "memory_get_recent",
        "memory_search_by_path",
        "memory_refresh",
        "memory_invalidate",
        "memory_supersede",
        "memory_log_applied",
        "memory_read_citation",
        "memory_verify_citations",
        "memory_stats",
    ]
    assert not tools[0].is_reading
    assert tools[1].is_reading
    found = memory.call_tool("memory_search_by_path", {"path": "src/api.rs"})
    assert found.value[0]["fact"] == "API_VERSION is 3" if isinstance(found.value, list) else "API_VERSION is 3" in found.text
    refused = memory.call_tool("memory_store", {"subject": "x", "fact": "y"})
    assert refused.is_refusal
    with pytest.raises(apostille.Malformed, match="no_such_tool"):
        memory.call_tool("no_such_tool", {})


def test_the_same_verbs_with_await(world: World) -> None:
    async def run() -> None:
        async with apostille.AsyncMemory(world.repo) as memory:
            await memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            answers = await asyncio.gather(*(memory.recall("API_VERSION") for _ in range(10)))
            assert {it.memories[0].handle for it in answers} == {"m-1"}
            assert [it.handle async for it in memory.iterate()] == ["m-1"]
            assert len(await memory.list_tools()) == 10
            assert not (await memory.call_tool("memory_stats", {})).is_refusal
            with pytest.raises(apostille.NoSuchMemory):
                await memory.show("m-9")

    asyncio.run(run())
