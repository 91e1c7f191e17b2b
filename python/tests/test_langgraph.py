"""The store, as LangGraph calls it."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp

import apostille
from apostille.langgraph import ApostilleStore

from .conftest import World

KNOWLEDGE = ("acme", "app", "knowledge")
API = {"fact": "API_VERSION is 3", "citations": ["src/api.rs:3"], "kind": "project", "tags": ["api"]}
RETRIES = {"content": "RETRIES is 5", "citations": "src/api.rs:4", "kind": "reference"}


@pytest.fixture
def store(memory: apostille.Memory) -> ApostilleStore:
    return ApostilleStore(memory)


def test_what_is_put_is_got_with_its_standing(store: BaseStore) -> None:
    store.put(KNOWLEDGE, "api", API)
    found = store.get(KNOWLEDGE, "api")
    assert found is not None
    assert (found.namespace, found.key) == (KNOWLEDGE, "api")
    assert found.value == {
        "fact": "API_VERSION is 3",
        "standing": "stands",
        "handle": "m-1",
        "status": "active",
        "kind": "project",
        "tags": ["api"],
        "citations": ["src/api.rs:3"],
    }
    assert found.created_at <= found.updated_at
    # Its handle is a key, too, within its namespace.
    by_handle = store.get(KNOWLEDGE, "m-1")
    assert by_handle is not None
    assert by_handle.value == found.value
    assert store.get(("users", "ana"), "m-1") is None
    assert store.get(KNOWLEDGE, "nothing") is None


def test_what_is_put_again_replaces_and_keeps_its_key(memory: apostille.Memory, store: BaseStore) -> None:
    store.put(KNOWLEDGE, "api", API)
    store.put(KNOWLEDGE, "api", {**API, "fact": "API_VERSION is 3, in one place"})
    found = store.get(KNOWLEDGE, "api")
    assert found is not None
    assert (found.value["handle"], found.value["fact"], found.value["tags"]) == ("m-2", "API_VERSION is 3, in one place", ["api"])
    assert memory.show("m-1").memory.status == "superseded"
    # What was read is written back as it was, and nothing happens.
    store.put(KNOWLEDGE, "api", {name: it for name, it in found.value.items() if name != "citations"})
    assert [it.handle for it in memory.iterate(status="active")] == ["m-2"]


def test_what_is_deleted_is_forgotten(memory: apostille.Memory, store: BaseStore) -> None:
    store.put(KNOWLEDGE, "api", API)
    store.delete(KNOWLEDGE, "api")
    store.delete(KNOWLEDGE, "never-there")
    assert store.get(KNOWLEDGE, "api") is None
    with pytest.raises(apostille.NoSuchMemory):
        memory.show("m-1")


def test_what_the_code_contradicts_is_not_given(world: World, memory: apostille.Memory, store: BaseStore) -> None:
    store.put(KNOWLEDGE, "api", API)
    world.write("src/api.rs", "pub const API_VERSION: u32 = 4;\n")
    assert store.get(KNOWLEDGE, "api") is None
    assert store.search(KNOWLEDGE) == []
    assert store.search(KNOWLEDGE, query="API_VERSION") == []
    honest = ApostilleStore(memory, show_withheld=True)
    found = honest.get(KNOWLEDGE, "api")
    assert found is not None
    assert found.value["standing"] == "contradicted"
    assert [it.value["standing"] for it in honest.search(KNOWLEDGE, query="API_VERSION")] == ["contradicted"]


def test_a_question_ranks_and_filters_narrow(store: BaseStore) -> None:
    store.put(KNOWLEDGE, "api", API)
    store.put(KNOWLEDGE, "retries", RETRIES)
    (best, *_) = store.search(("acme", "app"), query="how many RETRIES?")
    assert (best.key, best.namespace) == ("retries", KNOWLEDGE)
    assert best.score is not None
    assert {it.key for it in store.search(KNOWLEDGE)} == {"api", "retries"}
    assert [it.key for it in store.search((), filter={"kind": "reference"})] == ["retries"]
    assert [it.key for it in store.search(KNOWLEDGE, filter={"kind": {"$ne": "reference"}})] == ["api"]
    assert [it.key for it in store.search(KNOWLEDGE, filter={"fact": {"$gt": "B"}})] == ["retries"]
    assert [it.key for it in store.search(KNOWLEDGE, filter={"tags": ["api"]})] == ["api"]
    assert store.search(KNOWLEDGE, query="API_VERSION", filter={"kind": "feedback"}) == []
    assert store.search(KNOWLEDGE, query="the weather in Berlin") == []
    with pytest.raises(ValueError, match="is no operator"):
        store.search(KNOWLEDGE, filter={"fact": {"$like": "x"}})
    with pytest.raises(ValueError, match="at most 50"):
        store.search(KNOWLEDGE, query="API", limit=51)


def test_pages_of_a_listing_are_its_parts(memory: apostille.Memory) -> None:
    store = ApostilleStore(memory, on_similar="keep")
    for it in range(5):
        store.put(KNOWLEDGE, f"k{it}", {"fact": f"RETRIES is 5 in the release of 202{it}", "citations": "src/api.rs:4"})
    everything = [it.key for it in store.search(KNOWLEDGE, limit=100)]
    assert sorted(everything) == [f"k{it}" for it in range(5)]
    assert [it.key for offset in (0, 2, 4) for it in store.search(KNOWLEDGE, limit=2, offset=offset)] == everything


def test_what_is_similar_is_the_makers_choice(memory: apostille.Memory, store: BaseStore) -> None:
    store.put(KNOWLEDGE, "one", {"fact": "RETRIES is 5 in the release of 2024", "citations": "src/api.rs:4"})
    again = {"fact": "RETRIES is 5 in the release of 2025", "citations": "src/api.rs:4"}
    with pytest.raises(apostille.Similar):
        store.put(KNOWLEDGE, "two", again)
    ApostilleStore(memory, on_similar="skip").put(KNOWLEDGE, "two", again)
    assert store.get(KNOWLEDGE, "two") is None
    ApostilleStore(memory, on_similar="keep").put(KNOWLEDGE, "two", again)
    assert store.get(KNOWLEDGE, "two") is not None


def test_namespaces_are_those_of_the_memories(store: BaseStore, memory: apostille.Memory, world: World) -> None:
    store.put(KNOWLEDGE, "api", API)
    memory.remember("the cache was warmed in an hour", layer="episode", task="warm-the-cache", kind="feedback")
    world.person("remember", "prefers tabs over spaces", "--kind", "user")
    mine = ("users", "ana", "knowledge")
    task = ("acme", "app", "episodes", "warm-the-cache")
    assert store.list_namespaces() == [task, KNOWLEDGE, mine]
    assert store.list_namespaces(prefix=("acme",)) == [task, KNOWLEDGE]
    assert store.list_namespaces(prefix=("acme", "app", "episodes")) == [task]
    assert store.list_namespaces(prefix=("*", "app")) == [task, KNOWLEDGE]
    assert store.list_namespaces(suffix=("knowledge",)) == [KNOWLEDGE, mine]
    assert store.list_namespaces(max_depth=2) == [("acme", "app"), ("users", "ana")]
    assert store.list_namespaces(limit=1, offset=1) == [KNOWLEDGE]
    assert [it.value["fact"] for it in store.search(("users", "ana"))] == ["prefers tabs over spaces"]
    assert [it.namespace for it in store.search(task)] == [task]


def test_what_a_program_says_of_a_person_waits(memory: apostille.Memory, store: BaseStore) -> None:
    store.put(("users", "ana"), "theme", {"fact": "The user prefers blue themes"})
    assert store.get(("users", "ana"), "theme") is None
    assert store.search(("users", "ana")) == []
    (waiting,) = memory.review_queue().queue
    assert waiting.memory.kind == "user"


def test_what_cannot_be_kept_is_refused_and_nothing_of_the_batch_is_done(memory: apostille.Memory, store: BaseStore) -> None:
    good = PutOp(KNOWLEDGE, "api", API)
    bad = {
        "a value needs a fact": PutOp(KNOWLEDGE, "x", {"number": 3}),
        "colour cannot be kept": PutOp(KNOWLEDGE, "x", {**API, "colour": "blue"}),
        "is no key": PutOp(KNOWLEDGE, "a key\nwith lines", API),
        "is no namespace of this store": PutOp(("anything", "else"), "x", API),
        "found, not written": PutOp(("acme", "app", "review-rules"), "x", API),
    }
    for why, op in bad.items():
        with pytest.raises(ValueError, match=why):
            store.batch([good, op])
    with pytest.raises(NotImplementedError):
        store.put(KNOWLEDGE, "api", API, ttl=5)
    with pytest.raises(NotImplementedError, match="time to live"):
        store.batch([good._replace(ttl=5)])
    with pytest.raises(InvalidNamespaceError):
        store.put((), "api", API)
    with pytest.raises(apostille.Malformed, match="other/app"):
        store.search(("other", "app"))
    with pytest.raises(apostille.Refused):
        store.put(KNOWLEDGE, "api", {"fact": "the API is at version 3"})
    assert memory.stats().spaces[0].active == 0
    assert not store.supports_ttl


@pytest.mark.parametrize("namespace", [("acme.com",), ("acme", ""), ("acme\x00",), (3,)])
def test_a_namespace_that_langgraph_forbids_is_refused_in_a_batch_too(store: BaseStore, namespace: tuple[str, ...]) -> None:
    ops: list[Op] = [
        GetOp(namespace, "key"),
        PutOp(namespace, "key", API),
        SearchOp(namespace),
        ListNamespacesOp((MatchCondition("prefix", namespace),)),
    ]
    for op in ops:
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])


def test_a_batch_reads_before_it_writes_and_the_last_write_of_a_key_counts(store: BaseStore) -> None:
    results = store.batch(
        [
            PutOp(KNOWLEDGE, "api", {**API, "fact": "API_VERSION is three"}),
            GetOp(KNOWLEDGE, "api"),
            PutOp(KNOWLEDGE, "api", API),
            SearchOp(KNOWLEDGE),
            ListNamespacesOp((MatchCondition("prefix", ("acme",)),)),
        ]
    )
    assert results == [None, None, None, [], []]
    found = store.get(KNOWLEDGE, "api")
    assert found is not None
    assert found.value["fact"] == "API_VERSION is 3"


def test_the_same_with_await(store: BaseStore) -> None:
    async def run() -> None:
        await store.aput(KNOWLEDGE, "api", API)
        found = await store.aget(KNOWLEDGE, "api")
        assert found is not None
        assert [it.key for it in await store.asearch(KNOWLEDGE, query="API_VERSION")] == ["api"]
        assert await store.alist_namespaces() == [KNOWLEDGE]
        await asyncio.gather(*(store.aget(KNOWLEDGE, "api") for _ in range(10)))
        await store.adelete(KNOWLEDGE, "api")
        assert await store.aget(KNOWLEDGE, "api") is None

    asyncio.run(run())


def test_a_repository_with_a_full_stop_in_its_name(world: World) -> None:
    world.git("remote", "set-url", "origin", "https://github.com/acme/next.js.git")
    with apostille.Memory(world.repo) as memory:
        store = ApostilleStore(memory)
        namespace = ("acme", "next%2Ejs", "knowledge")
        store.put(namespace, "api", API)
        assert [it.namespace for it in store.search(namespace)] == [namespace]
