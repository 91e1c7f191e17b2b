"""Verified memory as a store for LangGraph (`pip install "apostille[langgraph]"`).

    from apostille import Memory
    from apostille.langgraph import ApostilleStore

    with Memory(repo=".") as memory:
        store = ApostilleStore(memory)
        store.put(("acme", "app", "knowledge"), "api", {"fact": "API_VERSION is 3", "citations": ["src/api.rs:3"]})
        store.search(("acme", "app"), query="which API version?")

It keeps facts with their proof, and not any document under any name. So it differs from a store of documents:

- **Namespaces are addresses**: `(OWNER, NAME, "knowledge")`, `(OWNER, NAME, "episodes", TASK)`, `(OWNER, NAME, "identity")`,
  `(OWNER, NAME, "sessions")` and `("users", NAME, …)`; `(OWNER, NAME, "review-rules")` only to search. LangGraph forbids a full
  stop in a namespace: write `%2E`.
- **A value is a fact**: its text as `fact` (or `content`, or `text`), and beside it `citations`, `kind`, `subject`, `reason`, `tags`.
  Another field is refused, because it would be lost. What is read has `standing`, `handle` and `status` as well.
- **What the code contradicts is not given**, by `get` and `search`, as everywhere in Apostille, nor what waits for a person. A
  program's word about a person waits. `show_withheld=True` gives what is contradicted, with its standing.
- **A key is kept as a tag**. A memory that has none is found by its handle (`m-12`), which is its key then.
- **Times to live are refused**: a fact ends when it is not true any more. An `index` has no effect.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from .client import Memory
from .errors import NoSuchMemory, Similar
from .types import MemoryView

__all__ = ["ApostilleStore"]

log = logging.getLogger("apostille.langgraph")

Namespace = tuple[str, ...]

_SECTIONS: Mapping[str, Literal["identity", "knowledge", "episode", "session"]] = {
    "identity": "identity",
    "knowledge": "knowledge",
    "episodes": "episode",
    "sessions": "session",
}
_NAMES = {layer: section for section, layer in _SECTIONS.items()}
_TEXTS = ("fact", "content", "text")
_WRITABLE = {*_TEXTS, "citations", "kind", "subject", "reason", "tags"}
#: What is read beside it; who writes back what they read means no harm.
_READ_ONLY = {"standing", "handle", "status"}
_KEY_TAG = "key:"
_KEY = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,35}$")
_HANDLE = re.compile(r"^(?:[mu]-[1-9][0-9]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$")
#: The most that one question gives.
_MAX_FOUND = 50
_PAGE = 200
_COMPARISONS: Mapping[str, Any] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: a is not None and a > b,
    "$gte": lambda a, b: a is not None and a >= b,
    "$lt": lambda a, b: a is not None and a < b,
    "$lte": lambda a, b: a is not None and a <= b,
}


class ApostilleStore(BaseStore):
    """A store of facts that are verified before they are given.

    Args:
        memory: The client that is used. It is not closed here.
        show_withheld: Whether what the code contradicts is given, too; then look at `standing`.
        on_similar: What `put` does where much the same is known: `raise` raises `Similar`, `skip` is content with what is known,
            `keep` keeps both.
    """

    supports_ttl = False

    def __init__(
        self,
        memory: Memory,
        *,
        show_withheld: bool = False,
        on_similar: Literal["raise", "skip", "keep"] = "raise",
    ) -> None:
        self.memory = memory
        self._show_withheld, self._on_similar = show_withheld, on_similar

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then writes; of two writes to one key, the last."""
        ops = list(ops)
        for it in ops:
            _check(it)
        results: list[Result] = [None if isinstance(it, PutOp) else self._read(it) for it in ops]
        writes = {(it.namespace, it.key): it for it in ops if isinstance(it, PutOp)}
        for it in writes.values():
            self._put(it)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same on a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._find(op.namespace, str(op.key))
            return None if found is None or not self._is_given(found) else _build_item(found, op.namespace)
        if isinstance(op, SearchOp):
            return cast("Result", self._search(op))
        if isinstance(op, ListNamespacesOp):
            return cast("Result", self._list_namespaces(op))
        raise TypeError(f"{type(op).__name__} is not an operation that this store knows")

    def _is_given(self, it: MemoryView) -> bool:
        return it.status == "active" and (self._show_withheld or it.shown != "withheld")

    def _find(self, namespace: Namespace, key: str) -> MemoryView | None:
        """The memory with this key, or with this handle where no key says so."""
        address = _write_address(namespace)
        if _KEY.match(key):
            found = self.memory.list(tag=_KEY_TAG + key, address=address, limit=1).memories
            if found:
                return found[0]
        if not _HANDLE.match(key):
            return None
        try:
            memory = self.memory.show(key).memory
        except NoSuchMemory:
            return None
        return memory if _is_below(_read_namespace(memory), namespace) else None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        end = op.offset + op.limit
        found = self._ask(op) if op.query else self._list(op.namespace_prefix)
        items: list[SearchItem] = []
        for memory in found:
            item = _build_search_item(memory, op.namespace_prefix)
            if _admits(op.filter, item.value):
                items.append(item)
            if len(items) >= end:
                break
        return items[op.offset :]

    def _ask(self, op: SearchOp) -> Iterable[MemoryView]:
        """What answers a question, the best first."""
        if op.offset + op.limit > _MAX_FOUND:
            raise ValueError(f"a question has at most {_MAX_FOUND} answers; ask for fewer, or leave the query out")
        # A filter is looked at here, and must not find less because others stood before.
        limit = _MAX_FOUND if op.filter else op.offset + op.limit
        address = _write_address(op.namespace_prefix) if op.namespace_prefix else None
        answer = self.memory.recall(op.query, limit=limit, tokens=20_000, episodes=True, address=address)
        if not answer.relevant:
            return []
        return [*answer.memories, *(answer.withheld if self._show_withheld else ())]

    def _list(self, prefix: Namespace) -> Iterator[MemoryView]:
        address = _write_address(prefix) if prefix else None
        found = self.memory.iterate(status="active", address=address, limit=_PAGE)
        return (it for it in found if self._is_given(it))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        prefix = next((it.path for it in op.match_conditions or () if it.match_type == "prefix"), ())
        known = {_read_namespace(it) for it in self._list(_fixed_part(prefix))}
        found = {it for it in known if all(_matches(it, condition) for condition in op.match_conditions or ())}
        if op.max_depth is not None:
            found = {it[: op.max_depth] for it in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _put(self, op: PutOp) -> None:
        old = self._find(op.namespace, str(op.key))
        if op.value is None:
            if old is not None:
                self.memory.forget(old.handle, reason="deleted by a LangGraph store")
            return
        told = _read_value(op.value)
        key = str(op.key)
        tags = [it for it in told.pop("tags") if not it.startswith(_KEY_TAG)]
        if old is None or _KEY_TAG + key in old.tags:
            tags.append(_KEY_TAG + key)
        if old is not None and old.fact == told["fact"] and not told["citations"]:
            return
        if old is not None:
            kept = self.memory.supersede(old.handle, tags=tags, **told)
        else:
            made = self._remember(op.namespace, tags, told)
            if made is None:
                return
            kept = made
        if kept.pending:
            log.info("%s waits for a person: %s", kept.memory.handle, kept.pending)

    def _remember(self, namespace: Namespace, tags: list[str], told: Mapping[str, Any]) -> Any:
        space, section, task = _split(namespace)
        place = {"layer": _SECTIONS[section], "task": task}
        if space[0] == "users":
            place["kind"] = told["kind"] or "user"
        told = {**told, **{name: it for name, it in place.items() if it is not None}, "tags": tags}
        try:
            return self.memory.remember(**told)
        except Similar:
            if self._on_similar == "raise":
                raise
            if self._on_similar == "skip":
                return None
            return self.memory.remember(**told, rationale="it has a key of its own in a LangGraph store")


def _check(op: Op) -> None:
    """Refuses a write that would not be kept as it is, before anything of a batch is done."""
    validate_op_namespace(op)
    if not isinstance(op, PutOp):
        return
    if op.ttl is not None:
        raise NotImplementedError("a fact has no time to live: it ends when its code says otherwise; leave ttl out")
    if not _KEY.match(str(op.key)):
        raise ValueError(f"{op.key!r} is no key: up to 36 letters, digits and . _ - : / are kept")
    _, section, _ = _split(op.namespace)
    if op.value is not None:
        if section == "review-rules":
            raise ValueError("review rules are found, not written: put it below knowledge")
        _read_value(op.value)


def _split(namespace: Namespace) -> tuple[Namespace, str, str | None]:
    """Whose it is, in which section, and of which task."""
    for at in range(2, len(namespace)):
        section, below = namespace[at], namespace[at + 1 :]
        if section == "episodes" and len(below) <= 1:
            return namespace[:at], section, below[0] if below else None
        if (section in _SECTIONS or section == "review-rules") and not below:
            return namespace[:at], section, None
    if namespace and namespace[0] == "users" and len(namespace) == 2:
        return namespace, "knowledge", None
    raise ValueError(
        f"{namespace!r} is no namespace of this store: write (OWNER, NAME, 'knowledge'), (OWNER, NAME, 'episodes', TASK) or ('users', NAME)"
    )


def _write_address(namespace: Namespace) -> str:
    return "/" + "/".join(it.replace("%2E", ".") for it in namespace) + "/"


def _read_namespace(memory: MemoryView) -> Namespace:
    """Where a memory lies. The host of a repository is left out, as people leave it out."""
    parts = memory.space.split("/")
    if "." in parts[0] and len(parts) > 2:
        parts = parts[1:]
    parts.append(_NAMES[memory.layer])
    if memory.layer == "episode" and memory.task:
        parts.append(memory.task)
    return tuple(it.replace(".", "%2E") for it in parts)


def _is_below(namespace: Namespace, prefix: Namespace) -> bool:
    return namespace[: len(prefix)] == prefix


def _fixed_part(path: tuple[str, ...]) -> Namespace:
    """The beginning of a pattern that names a space, or nothing."""
    fixed: list[str] = []
    for it in path:
        if it == "*":
            break
        fixed.append(it)
    return tuple(fixed) if len(fixed) >= 2 else ()


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", found) for wanted, found in zip(path, part, strict=True))


def _read_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """What is written of a value."""
    texts = [value[it] for it in _TEXTS if isinstance(value.get(it), str) and value[it].strip()]
    unknown = sorted(set(value) - _WRITABLE - _READ_ONLY)
    if not texts:
        raise ValueError("a value needs a fact, in one sentence: {'fact': 'API_VERSION is 3', 'citations': ['src/api.rs:3']}")
    if unknown:
        raise ValueError(f"{', '.join(unknown)} cannot be kept: a value is a fact with {', '.join(sorted(_WRITABLE - set(_TEXTS)))}")
    citations, tags = value.get("citations") or [], value.get("tags") or []
    return {
        "fact": texts[0],
        "citations": [citations] if isinstance(citations, str) else list(citations),
        "kind": value.get("kind"),
        "subject": value.get("subject"),
        "reason": value.get("reason"),
        "tags": [tags] if isinstance(tags, str) else list(tags),
    }


def _build_value(memory: MemoryView) -> dict[str, Any]:
    value: dict[str, Any] = {
        "fact": memory.fact,
        "standing": memory.standing,
        "handle": memory.handle,
        "status": memory.status,
        "kind": memory.kind,
        "subject": memory.subject,
        "reason": memory.reason,
        "tags": [it for it in memory.tags if not it.startswith(_KEY_TAG)],
        "citations": [it.place for it in memory.verdicts],
    }
    return {name: it for name, it in value.items() if it not in (None, [])}


def _build_key(memory: MemoryView) -> str:
    return next((it[len(_KEY_TAG) :] for it in memory.tags if it.startswith(_KEY_TAG)), memory.handle)


def _build_item(memory: MemoryView, namespace: Namespace) -> Item:
    return Item(
        value=_build_value(memory),
        key=_build_key(memory),
        namespace=namespace,
        created_at=memory.recorded_at,
        updated_at=memory.refreshed_at,
    )


def _build_search_item(memory: MemoryView, prefix: Namespace) -> SearchItem:
    own = _read_namespace(memory)
    return SearchItem(
        value=_build_value(memory),
        key=_build_key(memory),
        # Review rules are a view of knowledge: they lie where they were looked for.
        namespace=own if _is_below(own, prefix) else prefix,
        created_at=memory.recorded_at,
        updated_at=memory.refreshed_at,
        score=memory.score,
    )


def _admits(wanted: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Whether a value is one that a filter asks for: fields that are equal, or that compare as its operators say."""
    for name, condition in (wanted or {}).items():
        found = value.get(name)
        if isinstance(condition, Mapping) and any(it.startswith("$") for it in condition):
            for operator, other in condition.items():
                if operator not in _COMPARISONS:
                    raise ValueError(f"{operator} is no operator; there are {', '.join(_COMPARISONS)}")
                if not _COMPARISONS[operator](found, other):
                    return False
        elif found != condition:
            return False
    return True
