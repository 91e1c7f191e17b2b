"""Writes `src/apostille/types.py` and `src/apostille/_calls.py` from `docs/openapi.json`.

    python3 python/generate.py           # writes them
    python3 python/generate.py --check   # says whether they are up to date

The document is made from the program's own structs, so the client takes and answers exactly what the program does. What a
schema cannot say is in `VERBS`: what a verb is called in Python, what comes first, and the words that teach it.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "openapi.json"
PACKAGE = HERE / "src" / "apostille"
WIDTH = 118
# Counts of a memory that are left out where they are 0.
COUNTS = {"recalls", "applied", "verified"}
# Words for arguments of which the document says nothing.
ABOUT = {
    "all": "Also those that are over.",
    "citations": "Where it is proved now.",
    "fact": "What is so, in one sentence.",
    "format": "Of which format.",
    "kind": "What sort of memory it is.",
    "layer": "In which layers.",
    "limit": "At most so many.",
    "origin": "Who said it.",
    "reason": "Why.",
    "slug": "The task's short name, as `tasks` has it.",
    "subject": "What it is about, in a few words.",
    "tag": "Only with this tag.",
    "tags": "Words to find it by.",
    "task": "The task that it belongs to.",
}

HEADER = '''"""{title}

Written by `python/generate.py` from `docs/openapi.json`. Do not edit it.
"""

# ruff: noqa: {noqa}
from __future__ import annotations
'''


@dataclass
class Verb:
    """What the schema cannot say about a call."""

    name: str
    doc: str
    first: list[str] = field(default_factory=list)


NAME = "name: The handle or the id of a memory, such as `m-12`."

# In the order in which they stand in the class. A call that is not here is an error: somebody has to name it.
VERBS: dict[str, Verb] = {
    "remember": Verb(
        "remember",
        """Keep one fact, with the code that proves it.

        The program reads every cited line now. A fact about a project needs a citation, a preference of a person
        (`kind="user"`) does not. What a program says of a person waits until that person approves it: look at
        `answer.pending`.

            kept = memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            kept.memory.handle    # "m-1"

        Where much the same is known, nothing is kept and `Similar` is raised; call again with `skip=True` to be content
        with that, with `merge_with` to replace it, or with `rationale` to keep both.
        """,
        ["fact"],
    ),
    "recall": Verb(
        "recall",
        """Ask what is known, looked up in the code as it is now.

        `memories` may be relied on as their `standing` says. What the code contradicts is in `withheld`: correct it, do not
        use it. `block` is the whole answer as a text for a model; `relevant` is false where nothing matched and the most
        recent memories are shown instead.

            answer = memory.recall("which API version?", paths="src/api.rs")
            for it in answer.memories:
                print(it.handle, it.standing, it.fact)
        """,
        ["query"],
    ),
    "listMemories": Verb("list", "List memories by what they are; `next` of the answer is `after` of the next page."),
    "showMemory": Verb("show", "Everything about one memory: its evidence, what it replaced, what happened to it.", ["name"]),
    "verify": Verb(
        "verify",
        """Look up the citations: do the facts still hold? Nothing is changed.

        `ok` is false where one does not hold; `counts` has how many stand how.
        """,
        ["names"],
    ),
    "supersede": Verb("supersede", "Replace a memory by a better one; the old one stays in the history.", ["name", "fact"]),
    "correct": Verb("correct", "Replace a memory that is wrong by what is so.", ["name", "fact"]),
    "confirm": Verb("confirm", "Say that a memory is still true in edited code; it cites the lines as they are now.", ["name"]),
    "refresh": Verb("refresh", "Say that a memory still holds; refused where its code speaks against it.", ["name"]),
    "invalidate": Verb("invalidate", "Mark a memory as wrong; it stays in the history.", ["name", "reason"]),
    "apply": Verb("apply", "Say that a memory was of use in a task. Memories that are used rank higher.", ["name"]),
    "promote": Verb("promote", "Make a note an episode, or an episode knowledge.", ["name"]),
    "forget": Verb(
        "forget",
        """Remove the text of a memory for good.

        Only a person forgets what a person said: a program is refused (`Refused`, class `not_a_person`), and the hint says
        what the person types.
        """,
        ["name"],
    ),
    "learn": Verb(
        "learn",
        """Learn from a part of a conversation that a program had with a model.

        What the person stated for good and nobody remembered is proposed, and waits for a person; it is never used before.
        Of the memories that the model was `shown`, those that it used are counted as applied.

            memory.learn(
                [{"speaker": "user", "text": "From now on, run the linter first."},
                 {"speaker": "assistant", "text": "Will do, see m-1."}],
                shown=["m-1"],
            )
        """,
        ["turns"],
    ),
    "stats": Verb("stats", "What is kept, in numbers, for each space."),
    "audit": Verb("audit", "What needs attention in what is kept, and the way out. Nothing is changed."),
    "impact": Verb("impact", "Whether memory helps: what was counted in sessions with and without it."),
    "spaces": Verb("spaces", "The spaces of the store, with how much they hold."),
    "events": Verb("events", "What happened, without the text of memories."),
    "report": Verb("report", "What was done, by day."),
    "sessions": Verb("sessions", "Sessions of agents, the latest first."),
    "showSession": Verb("show_session", "What a session was shown, and how that stands now.", ["name"]),
    "tasks": Verb("tasks", "The tasks of the checkout."),
    "showTask": Verb("show_task", "One task, with its notes.", ["slug"]),
    "export": Verb("export", "Write everything out: an object, or a text in another format."),
    "import": Verb("import_file", "Read an export, or a memory file of another tool; `file` is its text.", ["file"]),
    "reviewQueue": Verb("review_queue", "What waits for a person."),
    "openBreakers": Verb("breakers", "Whose writes are held up, and why."),
    "approve": Verb("approve", "Let a pending memory be used. Takes a token that reviews.", ["name"]),
    "reject": Verb("reject", "Turn a pending memory away. Takes a token that reviews.", ["name"]),
    "reword": Verb("reword", "Approve a pending memory in other words. Takes a token that reviews.", ["name"]),
    "merge": Verb("merge", "Merge a pending memory into another one. Takes a token that reviews.", ["name"]),
    "closeBreakers": Verb("close_breakers", "Let held-up writers write again. Takes a token that reviews."),
}
# A stream, and the document itself.
LEFT_OUT = {"live", "openapi", "replica", "readReplicaLines", "bringReplicaLines"}


def load() -> dict[str, Any]:
    """The document."""
    found: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return found


def python_name(name: str) -> str:
    """A name of JSON as one of Python."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def literal(words: list[Any]) -> str:
    """One of these words."""
    return "Literal[" + ", ".join(json.dumps(it) for it in words if it is not None) + "]"


def is_nullable(schema: dict[str, Any]) -> bool:
    """Whether it may be null."""
    return isinstance(schema.get("type"), list) and "null" in schema["type"]


def value_type(schema: dict[str, Any]) -> str:
    """The type of a value that is there."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "enum" in schema:
        return literal(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(it for it in kind if it != "null")
    if kind == "string":
        return "datetime" if schema.get("format") == "date-time" else "str"
    if kind == "array":
        return f"tuple[{value_type(schema['items'])}, ...]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Mapping[str, {value_type(inner)}]" if isinstance(inner, dict) else "Mapping[str, Any]"
    return {"integer": "int", "number": "float", "boolean": "bool"}.get(str(kind), "Any")


def reader(schema: dict[str, Any]) -> str:
    """What reads a value of JSON, as an expression."""
    if "$ref" in schema:
        return f"read({str(schema['$ref']).rsplit('/', 1)[1]!r})"
    if schema.get("format") == "date-time":
        return "read_time"
    if schema.get("type") == "array":
        inner = reader(schema["items"])
        return "read_list" if inner == "as_it_is" else f"read_each({inner})"
    return "as_it_is"


def write_doc(text: str, indent: int) -> list[str]:
    """A docstring."""
    pad = " " * indent
    lines = textwrap.dedent(text).strip().splitlines()
    if len(lines) == 1 and len(lines[0]) + indent < WIDTH - 8:
        return [f'{pad}"""{lines[0]}"""']
    body = [f"{pad}{it}".rstrip() for it in lines[1:]]
    return [f'{pad}"""{lines[0]}', *body, f'{pad}"""']


def write_class(name: str, schema: dict[str, Any]) -> list[str]:
    """The class of one shape."""
    required = set(schema.get("required", []))
    lines = ["", "", "@dataclass(frozen=True, kw_only=True)", f"class {name}(Answer):"]
    lines += write_doc(schema.get("description") or name, 4)
    lines.append("")
    reads = []
    for key, it in schema.get("properties", {}).items():
        attribute, kind = python_name(key), value_type(it)
        if key not in required or is_nullable(it):
            if kind.startswith("tuple["):
                default = " = ()"
            elif kind == "bool":
                default = " = False"
            elif key in COUNTS and name.startswith("Memory"):
                default = " = 0"
            else:
                kind, default = f"{kind} | None", " = None"
        else:
            default = ""
        lines.append(f"    {attribute}: {kind}{default}")
        if it.get("description"):
            lines += write_doc(it["description"], 4)
        reads.append(f'        "{key}": ("{attribute}", {reader(it)}),')
    lines += ["", "    _reads: ClassVar[Reads] = {", *reads, "    }"]
    return lines


def write_types(document: dict[str, Any]) -> str:
    """The module of the shapes."""
    lines = [
        HEADER.format(title="What the program answers, as typed objects.", noqa="E501"),
        "from collections.abc import Mapping",
        "from dataclasses import dataclass",
        "from datetime import datetime",
        "from typing import ClassVar, Literal",
        "",
        "from ._answer import Answer, Reads, as_it_is, read, read_each, read_list, read_time",
    ]
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        lines += write_class(name, schema)
    names = [*schemas, "Answer"]
    lines += ["", "", "__all__ = [", *(f'    "{it}",' for it in sorted(names)), "]", ""]
    return "\n".join(lines)


@dataclass
class Argument:
    """An argument of a verb."""

    key: str
    schema: dict[str, Any]
    where: str
    required: bool

    @property
    def name(self) -> str:
        """What it is called in Python."""
        return python_name(self.key)

    @property
    def kind(self) -> str:
        """The type that a caller gives."""
        it = self.schema
        if it.get("type") == "array":
            items = it["items"]
            if items.get("type") == "object":
                return "Sequence[Mapping[str, Any]]"
            inner = value_type(items)
            return f"{inner} | Sequence[{inner}]"
        return value_type(it)

    def value(self) -> str:
        """What is sent, as an expression."""
        it = self.schema
        if it.get("type") == "array" and it["items"].get("type") != "object":
            return f"as_list({self.name})"
        return self.name

    def declare(self) -> str:
        """How it stands in the signature."""
        return f"{self.name}: {self.kind}" if self.required else f"{self.name}: {self.kind} | None = None"


@dataclass
class Call:
    """A call of the API, ready to be written."""

    id: str
    method: str
    path: str
    verb: Verb
    arguments: list[Argument]
    answers: list[str]
    is_text: bool
    is_idempotent: bool


def read_arguments(call: dict[str, Any]) -> list[Argument]:
    """What a call takes: the path first, then what is sent along, then what stands behind the question mark."""
    found: dict[str, Argument] = {}
    parameters = [it for it in call.get("parameters", []) if it["name"] != "repo" and it["in"] != "header"]
    for it in parameters:
        where = "parts" if it["in"] == "path" else "query"
        schema = dict(it["schema"], description=it.get("description") or it["schema"].get("description") or "")
        found[it["name"]] = Argument(it["name"], schema, where, bool(it.get("required")))
    content = call.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        schema = content["application/json"]["schema"]
        for key, it in schema.get("properties", {}).items():
            found[key] = Argument(key, it, "body", key in schema.get("required", []))
    elif content:
        about = "The text of the file."
        found["file"] = Argument("file", {"type": "string", "description": about}, "file", True)
    return list(found.values())


def read_answers(call: dict[str, Any]) -> list[str]:
    """The shapes that a call answers with when it goes well; none where it is not JSON of a shape."""
    names: list[str] = []
    for status in ("201", "200"):
        for content in call["responses"].get(status, {}).get("content", {}).values():
            schema = content.get("schema", {})
            for it in schema.get("anyOf", [schema]):
                if "$ref" in it:
                    name = it["$ref"].rsplit("/", 1)[1]
                    if name not in names:
                        names.append(name)
    return names


def read_calls(document: dict[str, Any]) -> list[Call]:
    """Every call there is, in the order of `VERBS`."""
    found: dict[str, Call] = {}
    for path, methods in document["paths"].items():
        for method, it in methods.items():
            name = it.get("operationId")
            if name is None or name in LEFT_OUT:
                continue
            if name not in VERBS:
                sys.exit(f"generate.py: '{name}' is a new call; say in VERBS what it is called in Python")
            answers = read_answers(it)
            found[name] = Call(
                id=name,
                method=method.upper(),
                path=path,
                verb=VERBS[name],
                arguments=read_arguments(it),
                answers=answers,
                is_text=not answers,
                is_idempotent=method == "get" or name in {"recall", "verify"},
            )
    gone = set(VERBS) - set(found)
    if gone:
        sys.exit(f"generate.py: there is no call any more named {', '.join(sorted(gone))}")
    return [found[it] for it in VERBS]


def write_overloads(call: Call, is_async: bool) -> list[str]:
    """Where only `skip` makes the second answer possible, a caller who does not skip has one answer."""
    if call.answers[1:] != ["SkippedReply"]:
        return []
    lines = []
    for declared, answers in (("skip: Literal[False] | None = None", call.answers[:1]), ("skip: bool", call.answers)):
        opening, *rest, _ = write_signature(call, is_async)
        rest = [f"        {declared}," if "skip:" in it else it for it in rest]
        lines += ["    @overload", opening, *rest, f"    ) -> {' | '.join(answers)}: ...", ""]
    return lines


def write_signature(call: Call, is_async: bool) -> list[str]:
    """The line or lines of `def`."""
    by_name = {it.key: it for it in call.arguments}
    first = [by_name.pop(it) for it in call.verb.first]
    rest = sorted(by_name.values(), key=lambda it: not it.required)
    parts = ["self", *(it.declare() for it in first), "*", *(it.declare() for it in rest)]
    parts.append("timeout: float | None = None")
    answer = "Any" if call.is_text else " | ".join(call.answers)
    opening = f"    {'async def' if is_async else 'def'} {call.verb.name}("
    return [opening, *(f"        {it}," for it in parts), f"    ) -> {answer}:"]


def write_method(call: Call, is_async: bool) -> list[str]:
    """One verb."""
    doc = textwrap.dedent("        " + call.verb.doc).strip()
    if is_async:
        doc = re.sub(r"(?m)^(    .*?)\bmemory\.", r"\1await memory.", doc)
    told = []
    for it in call.arguments:
        about = NAME.split(": ", 1)[1] if it.key == "name" and "memories/{name}" in call.path else ""
        about = about or it.schema.get("description") or ABOUT.get(it.key, "")
        if it.key == "name" and not about:
            about = "What it is called."
        if not about:
            sys.exit(f"generate.py: say in ABOUT what '{it.key}' of '{call.id}' is")
        wrapped = textwrap.wrap(f"{it.name}: {about}", WIDTH - 16, subsequent_indent="    ")
        told += [f"    {line}" for line in wrapped]
    told.append("    timeout: Seconds until `TimedOut` is raised, where it is not the client's own.")
    lines = [*write_overloads(call, is_async), *write_signature(call, is_async)]
    lines += write_doc(doc + "\n\nArgs:\n" + "\n".join(told), 8)
    sent = []
    for where in ("parts", "query", "body"):
        pairs = [f'"{it.key}": {it.value()}' for it in call.arguments if it.where == where]
        if pairs:
            sent.append(f"{where}={{{', '.join(pairs)}}}")
    if any(it.where == "file" for it in call.arguments):
        sent.append("body=file")
    if call.is_text:
        decode = "as_it_is"
    else:
        decode = f"{call.answers[0]}.from_json" if len(call.answers) == 1 else f"one_of({', '.join(call.answers)})"
    arguments = ", ".join([f"CALLS[{call.id!r}]", decode, *sent, "timeout=timeout"])
    lines.append(f"        return {'await ' if is_async else ''}self._call({arguments})")
    return lines


def write_calls(document: dict[str, Any]) -> str:
    """The module of the verbs."""
    calls = read_calls(document)
    used = sorted({it for call in calls for it in call.answers})
    lines = [
        HEADER.format(title="The verbs of the program, as methods.", noqa="A002, E501"),
        "from abc import ABC, abstractmethod",
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, Literal, TypeVar, overload",
        "",
        "from ._answer import Decode, as_it_is, as_list, one_of",
        "from ._transport import Call",
        "from .types import (",
        *(f"    {it}," for it in used),
        ")",
        "",
        'T = TypeVar("T")',
        "",
        "# How each call is reached over HTTP; on standard input its name is enough.",
        "CALLS = {",
    ]
    for it in calls:
        lines.append(f'    "{it.id}": Call("{it.id}", "{it.method}", "{it.path}", is_idempotent={it.is_idempotent}),')
    lines.append("}")
    for is_async in (False, True):
        word, name = ("await ", "AsyncCalls") if is_async else ("", "SyncCalls")
        lines += ["", "", f"class {name}(ABC):", f'    """The verbs, to be called {"with `await`" if word else "plainly"}."""', ""]
        lines += [
            "    @abstractmethod",
            f"    {'async def' if is_async else 'def'} _call(",
            "        self,",
            "        call: Call,",
            "        decode: Decode[T],",
            "        *,",
            "        parts: Mapping[str, str] | None = None,",
            "        query: Mapping[str, Any] | None = None,",
            "        body: Mapping[str, Any] | str | None = None,",
            "        timeout: float | None = None,",
            "    ) -> T: ...",
        ]
        for call in calls:
            lines += ["", *write_method(call, is_async)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes both modules, or says that they are not up to date."""
    document = load()
    made = {PACKAGE / "types.py": write_types(document), PACKAGE / "_calls.py": write_calls(document)}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(HERE.parent)} is not what docs/openapi.json says; run python3 python/generate.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
        print(f"wrote {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
