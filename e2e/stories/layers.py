"""One tool that writes a person's identity and what was learned."""

import json

from desk import same

PROFILE = "layers"


async def story(desk):
    add = {"action": "add", "layer": "L0", "content": "The user prefers concise replies", "tags": ["style"]}
    identity = await desk.call("memory_write", **add)
    same((identity["id"], identity["used"], "about the user" in identity["pending"]), ("u-1", "0/1000", True))
    desk.world.person("approve", "u-1")
    cluster = "Deploys go through the staging cluster"
    same(await desk.call("memory_write", action="add", layer="L1", content=cluster, tags=["deploy"]), {"ok": True, "id": "m-1"})

    near = await desk.refused("memory_write", action="add", layer="L1", content=cluster + " first")
    same((near["class"], [it["id"] for it in near["known"]]), ("similar", ["m-1"]))
    same(await desk.call("memory_write", **near["update"]), {"ok": True, "id": "m-2"})
    same(await facts(desk), [cluster + " first", "The user prefers concise replies"])

    full = await desk.refused("memory_write", action="add", layer="L0", content="What the user likes. " * 60)
    same(full["ok"], False)
    other = await desk.refused("memory_write", action="remove", layer="L1", target_id="u-1")
    same(other["class"], "other_layer")
    same(await desk.call("memory_write", action="remove", layer="L0", target_id="u-1"), {"ok": True, "id": "u-1", "used": "0/1000"})
    same(await facts(desk), [cluster + " first"])
    archive = "layer: only L0 (identity) and L1 (knowledge) can be written; L2, the archive, is written by the system"
    same(await desk.malformed("memory_write", action="add", layer="L2", content="history"), archive)


async def facts(desk):
    recent = await desk.client.read_resource("apostille://recent")
    return [it["fact"] for it in json.loads(recent.contents[0].text)["memories"]]
