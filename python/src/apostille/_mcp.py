"""The Model Context Protocol, as far as a client needs it: revision 2026-07-28, in which no connection has a state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import ApostilleError, BadAnswer, Broken, Malformed, ProgramFailed

REVISION = "2026-07-28"
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602


def build_request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """A request as a line."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return encode_json(message) + b"\n"


def encode_json(value: Any) -> bytes:
    """JSON as it is sent. Half a character, as a text may have that was cut in two, is not sent: nobody could read it."""
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def read_response(message: Mapping[str, Any]) -> Any:
    """The result of a response."""
    error = message.get("error")
    if isinstance(error, Mapping):
        raise _build_error(error)
    if "result" not in message:
        raise BadAnswer("the program answered neither a result nor an error")
    return message["result"]


def _build_error(error: Mapping[str, Any]) -> ApostilleError:
    code, text = error.get("code"), str(error.get("message", "an error without a message"))
    if code == _METHOD_NOT_FOUND:
        return ProgramFailed(
            f"this program does not know {text}", hint="it is older than this package: `apostille --version`, `pip install -U apostille`"
        )
    if code == _INVALID_PARAMS:
        return Malformed(text)
    return Broken(text)
