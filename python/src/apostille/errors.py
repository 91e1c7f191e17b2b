"""What can go wrong. Every exception says in `hint` what to do about it, where anybody knows.

    try:
        memory.remember("the API is v3")
    except apostille.Refused as no:
        print(no.refusal, no, no.hint)    # needs_citation …, pass citations=["src/api.rs:3"]
    except apostille.ApostilleError as error:
        print(error, error.hint)

`Refused` is an answer: the program works, and says no. Everything else is a world that is not as it should be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .types import NearView

__all__ = [
    "ApostilleError",
    "BadAnswer",
    "Broken",
    "Busy",
    "Closed",
    "Malformed",
    "NoSuchMemory",
    "NotAllowed",
    "NotFound",
    "ProgramFailed",
    "ProgramNotFound",
    "Refused",
    "Similar",
    "TimedOut",
    "Unreachable",
]


class ApostilleError(Exception):
    """Anything that this package raises."""

    #: What to do about it.
    hint: str | None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    @property
    def message(self) -> str:
        """What went wrong, without the hint."""
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions travel between processes and are copied for each thread that waits.
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[ApostilleError], args: tuple[Any, ...], state: Mapping[str, Any]) -> ApostilleError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ProgramNotFound(ApostilleError, FileNotFoundError):
    """There is no `apostille` to start."""


class ProgramFailed(ApostilleError):
    """The program could not be started, or ended in the middle of a call. What it wrote to its standard error is in the hint."""


class Unreachable(ApostilleError, ConnectionError):
    """The server cannot be reached."""


class TimedOut(ApostilleError, TimeoutError):
    """There was no answer in time. A write that was begun may have been finished all the same."""


class Closed(ApostilleError):
    """This client was closed."""


class BadAnswer(ApostilleError):
    """What was answered is not what the program answers."""


class Malformed(ApostilleError, ValueError):
    """The call is not one: an argument is wrong, or it is unclear which repository is meant."""


class NotAllowed(ApostilleError, PermissionError):
    """The token is missing or unknown, or does not allow this; or only a person may do it."""


class NotFound(ApostilleError, LookupError):
    """There is nothing by that name."""


class Busy(ApostilleError):
    """Too much is asked at once, or another writer was first: try again."""

    #: Seconds until it is worth trying, where the server said so.
    retry_after: float | None

    def __init__(self, message: str, *, hint: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class Broken(ApostilleError):
    """The store cannot be read or written."""


class Refused(ApostilleError):
    """The program says no, and nothing was done."""

    #: Why, as one word: `secret`, `needs_citation`, `not_a_person`, …
    refusal: str

    def __init__(self, message: str, refusal: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.refusal = refusal


class NoSuchMemory(Refused, LookupError):
    """There is no memory by that name."""


class Similar(Refused):
    """Much the same is known already, and nothing was kept."""

    #: What is known.
    similar: tuple[NearView, ...]

    def __init__(self, message: str, similar: tuple[NearView, ...], *, hint: str | None = None) -> None:
        super().__init__(message, "similar", hint=hint)
        self.similar = similar


# The messages of the program name the way out in its own words. These are the words of this face, where they differ.
_HINTS: Mapping[str, str] = {
    "needs_citation": 'pass citations=["src/api.rs:3"], or kind="user" for what a person prefers',
    "bad_citation": 'a citation is "path:line", "path:first-last" or "path::item", from the root of the repository',
    "not_a_person": "a person decides this: at a terminal with the `apostille` command, or through a server with a token that "
    "reviews (`apostille token create NAME --access review`)",
    "identity_needs_user": "a person changes who they are, with `apostille identity edit`",
    "secret": "leave the secret out; nothing of it was kept",
    "does_not_hold": "the code says otherwise: use correct() or supersede()",
    "out_of_reach": "the token does not reach this space; `apostille token create` makes one that does",
    "breaker_open": "a person looks at it with `apostille breaker`",
    "ignored": "the user asked to leave memory out of this turn",
}


def raise_for(status: int, body: Any, retry_after: float | None = None) -> None:
    """Raises what an answer with this status means, unless it is one that goes well."""
    if 200 <= status < 300:
        return
    told = body if isinstance(body, Mapping) else {}
    if "similar" in told:
        raise _build_similar(told)
    refused = told.get("refused")
    if isinstance(refused, Mapping):
        raise _build_refusal(str(refused.get("message", "refused")), str(refused.get("class", "refused")))
    error = told.get("error")
    message = str(error.get("message")) if isinstance(error, Mapping) else f"the server answered with status {status}"
    raise _build_error(status, message, retry_after)


def _build_refusal(message: str, refusal: str) -> Refused:
    kind = NoSuchMemory if refusal == "no_such_memory" else Refused
    return kind(message, refusal, hint=_HINTS.get(refusal))


def _build_similar(told: Mapping[str, Any]) -> Similar:
    from .types import NearView

    similar = tuple(NearView.from_json(it) for it in told["similar"])
    known = "; ".join(f"{it.handle}: {it.fact}" for it in similar)
    first = similar[0].handle if similar else "m-1"
    hint = f'skip=True is content with it, merge_with="{first}" replaces it, rationale="…" keeps both'
    return Similar(f"much the same is known: {known}", similar, hint=hint)


def _build_error(status: int, message: str, retry_after: float | None) -> ApostilleError:
    if status in (401, 403):
        hint = None if status == 403 else "`apostille token create NAME` makes a token; pass it as token="
        return NotAllowed(message, hint=hint)
    if status in (404, 405):
        return NotFound(message)
    if status in (408, 409, 429, 503):
        return Busy(message, hint="try again in a moment", retry_after=retry_after)
    if 400 <= status < 500:
        return Malformed(message)
    return Broken(message, hint="`apostille doctor` looks the installation over")
