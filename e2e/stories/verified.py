"""The ten tools over facts with the code that proves them."""

from desk import same

PROFILE = "verified"
REPO = "myorg/myapp"
PROOF = [
    {"path": "src/api.rs", "line_start": 3, "line_end": 3},
    {"path": "docs/api.md", "line_start": 3, "line_end": 3},
]
FACT = {
    "repo": REPO,
    "subject": "API version synchronization",
    "fact": "API_VERSION in the code must match the docs.",
    "citations": PROOF,
    "reason": "Prevents subtle integration breakages.",
    "created_by": "coding-agent",
}
FIELDS = ["citations", "fact", "id", "reason", "refreshed_at", "repo", "subject", "verification_count"]


async def story(desk):
    memory = await stored(desk)
    await read_and_verified(desk, memory)
    new = await corrected(desk, memory)
    await broken_by_an_edit(desk, new)


async def stored(desk):
    answer = await desk.call("memory_store", **FACT)
    memory = answer["memory"]
    same((answer["ok"], answer["action"], sorted(memory)), (True, "created", FIELDS))
    same([memory[it] for it in ["repo", "subject", "fact", "reason"]], [FACT[it] for it in ["repo", "subject", "fact", "reason"]])
    same(sorted(memory["citations"][0]), ["line_end", "line_start", "path", "sha", "snippet_hash"])
    same((await desk.call("memory_store", **FACT))["action"], "refreshed")
    bare = await desk.refused("memory_store", repo=REPO, subject="API", fact="The API is versioned.", citations=[])
    same(bare["class"], "needs_citation")
    elsewhere = await desk.refused("memory_store", **(FACT | {"repo": "myorg/other"}))
    same(elsewhere["class"], "which_repository")
    return memory


async def read_and_verified(desk, memory):
    recent = await desk.call("memory_get_recent", repo=REPO, limit=20)
    same([it["id"] for it in recent], [memory["id"]])
    same([it["id"] for it in await desk.call("memory_search_by_path", repo=REPO, path="docs/api.md")], [memory["id"]])
    same(await desk.call("memory_search_by_path", repo=REPO, path="src/other.rs"), [])
    line = {"path": "src/api.rs", "line_start": 3, "line_end": 3}
    read = line | {"exists": True, "content": "pub const API_VERSION: u32 = 3;"}
    same(await desk.call("memory_read_citation", repo=REPO, **line), read)
    docs = PROOF[1] | {"exists": True, "content": "The API version is 3."}
    counts = {"valid_count": 2, "invalid_count": 0, "unknown_count": 0}
    same(await desk.call("memory_verify_citations", repo=REPO, citations=recent[0]["citations"]), {"valid": True, "citations": [read, docs]} | counts)
    refreshed = await desk.call("memory_refresh", memory_id=memory["id"])
    assert refreshed["memory"]["verification_count"] > memory["verification_count"], refreshed
    same((await desk.call("memory_log_applied", memory_id=memory["id"]))["ok"], True)


async def corrected(desk, memory):
    answer = await desk.call("memory_supersede", memory_id=memory["id"], fact="API_VERSION is 3 in code and docs.", citations=PROOF)
    same((answer["action"], answer["supersedes"]), ("created", memory["id"]))
    same([it["id"] for it in await desk.call("memory_get_recent")], [answer["memory"]["id"]])
    again = await desk.refused("memory_invalidate", memory_id=memory["id"], reason="it was replaced")
    same(again["class"], "not_active")
    return answer["memory"]


async def broken_by_an_edit(desk, memory):
    desk.world.write("src/api.rs", "pub const NOTHING: u32 = 0;\n")
    found = await desk.call("memory_verify_citations", repo=REPO, citations=memory["citations"])
    same((found["valid"], found["valid_count"], found["invalid_count"]), (False, 1, 1))
    refused = await desk.refused("memory_refresh", memory_id=memory["id"])
    assert refused["error"].startswith("not refreshed: it is "), refused
    same((await desk.call("memory_invalidate", memory_id=memory["id"], reason="Invalid citations: 1 missing"))["ok"], True)
    same(await desk.call("memory_get_recent", repo=REPO), [])
    stats = await desk.call("memory_stats", repo=REPO)
    same((stats["total"], stats["active"]), (2, 0))
    same(stats["by_status"], {"active": 0, "invalid": 1, "pending": 0, "retired": 0, "superseded": 1})
    events = stats["events"]
    same([events.get(it) for it in ["created", "applied", "corrected"]], [2, 1, 1])
    assert events["retrieved"] >= 2 and events["verified_invalid"] >= 1, events
    same(await desk.malformed("memory_refresh"), "memory_id: it is required")
