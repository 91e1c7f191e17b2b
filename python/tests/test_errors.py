"""Exceptions travel, and say what to do."""

from __future__ import annotations

import copy
import pickle

import pytest

import apostille
from apostille import errors
from apostille.errors import raise_for


def fail(status: int, body: object) -> apostille.ApostilleError:
    with pytest.raises(apostille.ApostilleError) as raised:
        raise_for(status, body, 2.0)
    return raised.value


def test_every_status_is_an_exception_of_its_own() -> None:
    said = {"ok": False, "error": {"message": "no"}}
    kinds = {it: type(fail(it, said)).__name__ for it in (400, 401, 403, 404, 405, 408, 409, 413, 429, 500, 503)}
    assert kinds == {
        400: "Malformed",
        401: "NotAllowed",
        403: "NotAllowed",
        404: "NotFound",
        405: "NotFound",
        408: "Busy",
        409: "Busy",
        413: "Malformed",
        429: "Busy",
        500: "Broken",
        503: "Busy",
    }
    busy = fail(503, said)
    assert isinstance(busy, apostille.Busy)
    assert busy.retry_after == 2.0
    assert str(fail(502, "<html>")) == "the server answered with status 502 (`apostille doctor` looks the installation over)"


def test_exceptions_are_those_of_python_too() -> None:
    assert issubclass(apostille.TimedOut, TimeoutError)
    assert issubclass(apostille.Malformed, ValueError)
    assert issubclass(apostille.NotAllowed, PermissionError)
    assert issubclass(apostille.NoSuchMemory, LookupError)
    assert issubclass(apostille.ProgramNotFound, FileNotFoundError)
    assert issubclass(apostille.Unreachable, ConnectionError)


@pytest.mark.parametrize("name", errors.__all__)
def test_an_exception_survives_a_copy_and_a_pickle(name: str) -> None:
    kind = getattr(errors, name)
    extra = {"Refused": ("secret",), "NoSuchMemory": ("no_such_memory",), "Similar": ((),)}.get(name, ())
    error = kind("it is so", *extra, hint="do that")
    for it in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(it), str(it), it.hint, it.message) == (kind, "it is so (do that)", "do that", "it is so")
        assert it.__dict__ == error.__dict__
