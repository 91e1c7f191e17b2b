"""Memory as files: the six commands that models are trained on, with the texts that they expect."""

from desk import same

PROFILE = "files"
HEAD = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:"
NUMBERED = "Here's the content of {} with line numbers:\n"
NOTES = "/memories/prefs.md"


async def story(desk):
    await the_usual_flow(desk)
    await what_is_refused(desk)
    await code_proves_what_stands_below_repo(desk)


async def the_usual_flow(desk):
    same(await do(desk, "view", path="/memories"), f"{HEAD}\n0B\t/memories")
    made = await do(desk, "create", path=NOTES, file_text="# Prefs\ntabs\n")
    assert made.startswith(f"File created successfully at: {NOTES}\npending: "), made
    same(await do(desk, "view", path="/memories"), f"{HEAD}\n0B\t/memories")
    desk.world.person("approve", "u-1")
    same(await do(desk, "view", path="/memories"), f"{HEAD}\n13B\t/memories\n13B\t{NOTES}")
    same(await do(desk, "view", path=NOTES), NUMBERED.format(NOTES) + "     1\t# Prefs\n     2\ttabs\n     3\t")
    edited = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    snippet = "     1\t# Prefs\n     2\tspaces\n     3\t"
    changed = await do(desk, "str_replace", path=NOTES, old_str="tabs", new_str="spaces")
    assert changed.startswith(edited + snippet + "\npending: "), changed
    desk.world.person("approve", "u-2")
    changed = await do(desk, "insert", path=NOTES, insert_line=1, insert_text="indentation:\n")
    assert changed.startswith(f"The file {NOTES} has been edited.\npending: "), changed
    desk.world.person("approve", "u-3")
    same(await do(desk, "view", path=NOTES, view_range=[2, 3]), NUMBERED.format(NOTES) + "     2\tindentation:\n     3\tspaces")
    new = "/memories/style.md"
    renamed = await do(desk, "rename", old_path=NOTES, new_path=new)
    assert renamed.startswith(f"Successfully renamed {NOTES} to {new}\npending: "), renamed
    desk.world.person("approve", "u-4")
    same(await do(desk, "delete", path=new), f"Successfully deleted {new}")
    same(await do(desk, "view", path="/memories"), f"{HEAD}\n0B\t/memories")


async def what_is_refused(desk):
    gone = "The path /memories/no.md does not exist. Please provide a valid path."
    same(await desk.refused("memory", command="view", path="/memories/no.md"), gone)
    out = "Error: Path traversal is not allowed"
    same(await desk.refused("memory", command="view", path="/memories/../secrets"), out)
    same(await desk.malformed("memory"), "command: it is required")


async def code_proves_what_stands_below_repo(desk):
    path = "/memories/repo/api.md"
    text = "API_VERSION in the code is 3.\nCitations: src/api.rs:3"
    same(await do(desk, "create", path=path, file_text=text), f"File created successfully at: {path}")
    assert "API_VERSION in the code is 3." in await do(desk, "view", path=path)
    desk.world.write("src/api.rs", "pub const NOTHING: u32 = 0;\n")
    shown = await do(desk, "view", path=path)
    warned = "This memory is no longer true in this checkout: do not use it. The code it cites says something else.\n"
    assert shown.startswith(warned), shown
    assert shown.endswith("\nevidence: src/api.rs:3 changed (substance), now at src/api.rs:1"), shown


async def do(desk, command, **arguments):
    return await desk.call("memory", command=command, **arguments)
