"""The five verbs: what is remembered is shown as long as the code says so, and withheld when it does not."""

import json

from desk import same

PROFILE = "default"
RULE = "API_VERSION is 3 in code and docs, which must be equal"


async def story(desk):
    nothing = await desk.call("memory_recall", query="API version")
    same(nothing["memories"], [])
    assert "memory_remember" in nothing["next"], nothing
    same(
        await desk.call("memory_remember", fact=RULE, citations=["src/api.rs:3", "docs/api.md:3"], kind="project"),
        {"ok": True, "id": "m-1", "outcome": "remembered"},
    )
    stands = {"id": "m-1", "fact": RULE, "standing": "stands", "at": ["src/api.rs:3", "docs/api.md:3"]}
    same(await desk.call("memory_recall", query="API version"), {"memories": [stands]})
    same(await desk.call("memory_recall", path="docs/api.md"), {"memories": [stands]})
    same(
        await desk.call("memory_remember", fact="The user wants short answers", kind="user"),
        {"ok": True, "id": "u-1", "outcome": "remembered", "pending": "it is about the user or a command, and no record of this session can be read to prove it"},
    )
    same(await desk.call("memory_recall", query="API version", ignore_memory=True), {"ignored": True, "memories": []})
    same(await desk.call("memory_verify"), {"verified": 1, "good": 1})
    await read(desk)
    await refused(desk)
    await moved(desk)
    await changed(desk)
    await forgotten(desk)


async def read(desk):
    client = desk.client
    uris = [str(it.uri) for it in (await client.list_resources()).resources]
    fixed = ["apostille://recent", "apostille://briefing", "apostille://audit"]
    same(uris, fixed + ["apostille://memory/m-1"])
    recent = json.loads((await client.read_resource("apostille://recent")).contents[0].text)
    same([it["handle"] for it in recent["memories"]], ["m-1"])
    whole = json.loads((await client.read_resource("apostille://memory/m-1")).contents[0].text)
    same((whole["fact"], whole["standing"]), (RULE, "stands"))
    briefing = (await client.read_resource("apostille://briefing")).contents[0].text
    assert RULE in briefing and "stands" in briefing, briefing
    names = [it.name for it in (await client.list_prompts()).prompts]
    same(names, ["memory-rules", "memory-writing", "session-notes", "promotion-checklist"])
    notes = (await client.get_prompt("session-notes", {"task": "the API"})).messages[0].content.text
    assert notes.startswith("# Session notes: the API\n"), notes


async def refused(desk):
    same((await desk.refused("memory_remember", fact="The token is ghp_0123456789abcdefghijABCDEFGHIJ456789"))["class"], "secret")
    same((await desk.refused("memory_remember", fact="The port is 5432", kind="project"))["class"], "needs_citation")
    near = await desk.refused("memory_remember", fact=RULE + " always", citations=["src/api.rs:3", "docs/api.md:3"], kind="project")
    same([it["id"] for it in near["similar"]], ["m-1"])
    same((await desk.refused("memory_revise", id="m-99", action="apply"))["class"], "no_such_memory")
    same(await desk.malformed("memory_remember"), "fact: it is required")


async def moved(desk):
    """Lines that were only moved are followed."""
    desk.world.write("src/api.rs", "use std::time::Duration;\nuse std::fmt;\n\n\npub const API_VERSION: u32 = 3;\npub const RETRIES: u32 = 5;\n")
    shown = (await desk.call("memory_recall", query="API version"))["memories"]
    same([(it["id"], it["at"]) for it in shown], [("m-1", ["src/api.rs:5", "docs/api.md:3"])])


async def changed(desk):
    """Lines that say something else are a reason to withhold what was learned from them, with the way to put it right."""
    desk.world.write("src/api.rs", "use std::time::Duration;\n\npub const API_VERSION: u32 = 4;\npub const RETRIES: u32 = 5;\n")
    found = await desk.call("memory_recall", query="API version")
    same(found["memories"], [])
    withheld = found["withheld"][0]
    same((withheld["id"], withheld["standing"], withheld["now"]), ("m-1", "contradicted", ["3 → 4"]))
    assert '"action":"correct"' in withheld["next"], found
    told = (await desk.call("memory_verify", ids=["m-1"]))["problems"]
    same([(it["id"], it["standing"]) for it in told], [("m-1", "contradicted")])
    same(told[0]["citations"][0]["now"], "pub const API_VERSION: u32 = 4;")
    same((await desk.refused("memory_revise", id="m-1", action="refresh"))["class"], "does_not_hold")
    right = "API_VERSION in the code is ahead of the docs while a release is made"
    kept = await desk.call("memory_revise", id="m-1", action="correct", fact=right, citations=["src/api.rs:3", "docs/api.md:3"])
    same((kept["ok"], kept["id"]), (True, "m-2"))
    same([it["fact"] for it in (await desk.call("memory_recall", query="API version"))["memories"]], [right])
    same(await desk.call("memory_revise", id="m-2", action="apply"), {"ok": True, "id": "m-2", "outcome": "applied"})


async def forgotten(desk):
    """An agent forgets what an agent said, and never what a person said."""
    same(await desk.call("memory_forget", id="m-2"), {"ok": True, "id": "m-2", "outcome": "forgotten"})
    desk.world.person("remember", "Always ask me before force pushing", "--kind", "feedback")
    same((await desk.refused("memory_forget", id="m-3"))["class"], "not_a_person")
    same((await desk.call("memory_recall", query="force pushing"))["memories"][0]["id"], "m-3")
    left = (await desk.call("memory_recall", query="API version release"))["memories"]
    same([it["id"] for it in left], [])
