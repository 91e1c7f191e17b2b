"""The notebook of three tools: notes, secrets, searching, deleting."""

from desk import same

PROFILE = "simple"
SECRET = {"ok": False, "error": "text appears to contain a secret — not stored"}


async def story(desk):
    same(await desk.call("memory_store", text="Project uses PostgreSQL 16 on port 5432", tags=["infra"]), {"ok": True, "id": "m-1"})
    same(await desk.call("memory_store", text="Deploy target is AWS us-east-1", tags=["infra", "deploy"]), {"ok": True, "id": "m-2"})
    about = await desk.call("memory_store", text="User prefers tabs over spaces", scope="user")
    same((about["id"], "about the user" in about["pending"]), ("u-1", True))
    desk.world.person("approve", "u-1")
    same(await desk.refused("memory_store", text="My API key is sk-abc123def456ghi789jkl"), SECRET)
    same(await desk.refused("memory_store", text="password: hunter2hunter2"), SECRET)

    same(await ids(desk, tag="infra"), ["m-2", "m-1"])
    same(await ids(desk, query="POSTGRES"), ["m-1"])
    same(await ids(desk, query="aws", tag="deploy"), ["m-2"])
    same(await ids(desk, query="postgres", tag="deploy"), [])
    same(await ids(desk), ["u-1", "m-2", "m-1"])
    found = (await desk.call("memory_search", query="aws"))["memories"][0]
    same(sorted(found), ["id", "tags", "text", "ts"])
    same((found["text"], found["tags"]), ("Deploy target is AWS us-east-1", ["infra", "deploy"]))

    same(await desk.call("memory_delete", id="m-1"), {"ok": True})
    gone = await desk.refused("memory_delete", id="m-1")
    same((gone["ok"], "m-1" in gone["error"]), (False, True))
    same(await ids(desk), ["u-1", "m-2"])
    same(await desk.call("memory_store", text="Project uses PostgreSQL 17 on port 5432"), {"ok": True, "id": "m-3"})

    same(await desk.malformed("memory_delete"), "id: it is required")
    long = await desk.refused("memory_store", text="a" * 501)
    same((long["ok"], "500" in long["error"]), (False, True))


async def ids(desk, **question):
    found = await desk.call("memory_search", **question)
    same(found["count"], len(found["memories"]))
    return [it["id"] for it in found["memories"]]
