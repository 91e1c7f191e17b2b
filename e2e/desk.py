"""A client at a server, and the rules that every answer has to keep."""

import contextlib
import json

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

TOKEN = "a-token-of-the-stories"


class Desk:
    """One client, connected. `call`, `refused` and `malformed` are the three ways in which a call can end."""

    def __init__(self, client, world):
        self.client = client
        self.world = world

    async def call(self, tool, **arguments):
        """Calls a tool that does what is asked, and gives its answer."""
        result = await self.client.call_tool(tool, arguments)
        answer = read(result)
        assert not result.is_error, f"{tool} {arguments}: {answer}"
        return answer

    async def refused(self, tool, **arguments):
        """Calls a tool that says no: in its result, where the model reads it."""
        result = await self.client.call_tool(tool, arguments)
        answer = read(result)
        assert result.is_error, f"{tool} {arguments} was not refused: {answer}"
        return answer

    async def malformed(self, tool, **arguments):
        """Calls a tool with wrong arguments, or one that does not exist: what is wrong."""
        try:
            result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            assert error.code == -32602, error
            return error.message
        answer = read(result)
        assert result.is_error and answer["class"] == "arguments", f"{tool} {arguments} was taken: {answer}"
        assert answer["next"], answer
        return answer["error"]


def read(result):
    """What an answer says. The text and the structured content are the same JSON, because a client shows its model
    either; older revisions have structured content for objects only. A second block says what does not hold."""
    assert len(result.content) == 1 or "Not to be used" in result.content[1].text, result
    text = result.content[0].text
    structured = result.structured_content
    if structured is None:
        with contextlib.suppress(ValueError):
            said = json.loads(text)
            assert not isinstance(said, dict), f"an object without structured content: {text}"
            return said
        return text
    assert structured == json.loads(text), f"{structured} is not {text}"
    return structured


def same(actual, expected):
    """Fails when an answer is another one than expected, and shows both."""
    assert actual == expected, f"\n  expected {json.dumps(expected)}\n       got {json.dumps(actual)}"


@contextlib.asynccontextmanager
async def over_stdio(world, profile, mode, cwd=None, **callbacks):
    command = world.mcp(profile)
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=str(cwd or world.repo), env=world.env())
    async with Client(server, mode=mode, **callbacks) as client:
        yield Desk(client, world)


@contextlib.asynccontextmanager
async def over_http(world, profile, mode, **callbacks):
    url = world.serve(profile, TOKEN)
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode, **callbacks) as client:
            yield Desk(client, world)


TRANSPORTS = {"stdio": over_stdio, "http": over_http}
