"""How JSON becomes typed objects. The classes themselves are in `types`, which is generated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from .errors import BadAnswer

T = TypeVar("T")
A = TypeVar("A", bound="Answer")
B = TypeVar("B", bound="Answer")

Decode = Callable[[Any], T]
#: For each field of JSON: the attribute, and what reads its value.
Reads = Mapping[str, "tuple[str, Decode[Any]]"]

_CLASSES: dict[str, type[Answer]] = {}
_TIME = re.compile(r"^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$")


@dataclass(frozen=True)
class Answer:
    """What every typed object has. Fields are only ever added by the program; one that is not known here is passed over."""

    _reads: ClassVar[Reads] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _CLASSES[cls.__name__] = cls

    @classmethod
    def from_json(cls: type[A], value: Any) -> A:
        """The object that this JSON says."""
        if not isinstance(value, Mapping):
            raise BadAnswer(f"expected {cls.__name__}, not {type(value).__name__}")
        given = {}
        for key, (attribute, decode) in cls._reads.items():
            if value.get(key) is not None:
                given[attribute] = decode(value[key])
        try:
            return cls(**given)
        except TypeError as error:
            raise BadAnswer(f"{cls.__name__} is not whole: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """The object as plain values that `json.dumps` takes; what is not there is left out."""
        names = {attribute: key for key, (attribute, _) in self._reads.items()}
        values = {names[it.name]: _to_plain(getattr(self, it.name)) for it in fields(self)}
        return {key: it for key, it in values.items() if it is not None and it != []}


def _to_plain(value: Any) -> Any:
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return [_to_plain(it) for it in value]
    return value


def as_it_is(value: Any) -> Any:
    """The value itself."""
    return value


def read(name: str) -> Decode[Any]:
    """Reads an object of the class with this name, which may be declared later."""
    return lambda value: _CLASSES[name].from_json(value)


def read_each(decode: Decode[T]) -> Decode[tuple[T, ...]]:
    """Reads a list of these."""
    return lambda value: tuple(decode(it) for it in read_list(value))


def read_list(value: Any) -> tuple[Any, ...]:
    """A list as it is."""
    if not isinstance(value, list):
        raise BadAnswer(f"expected a list, not {type(value).__name__}")
    return tuple(value)


def read_time(value: Any) -> datetime:
    """A time of RFC 3339. Python 3.10 reads neither the Z nor every number of digits by itself."""
    found = _TIME.match(value) if isinstance(value, str) else None
    if found is None:
        raise BadAnswer(f"expected a time, not {value!r}")
    day, fraction, zone = found.groups()
    zone = "+00:00" if zone in "Zz" else zone
    return datetime.fromisoformat(f"{day}.{(fraction or '0')[:6]:0<6}{zone}")


def one_of(first: type[A], second: type[B]) -> Decode[A | B]:
    """Reads the first of these, or the second where that is not whole."""

    def decode(value: Any) -> A | B:
        try:
            return first.from_json(value)
        except BadAnswer:
            return second.from_json(value)

    return decode


def as_list(value: str | Sequence[str] | None) -> list[str] | None:
    """What is sent for a list: one text is a list of one, not of its letters."""
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)
