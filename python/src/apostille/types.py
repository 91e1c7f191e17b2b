"""What the program answers, as typed objects.

Written by `python/generate.py` from `docs/openapi.json`. Do not edit it.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from ._answer import Answer, Reads, as_it_is, read, read_each, read_list, read_time


@dataclass(frozen=True, kw_only=True)
class ArmView(Answer):
    """How many sessions, and their mean."""

    sessions: int
    mean: float

    _reads: ClassVar[Reads] = {
        "sessions": ("sessions", as_it_is),
        "mean": ("mean", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class AuditReply(Answer):
    """What needs attention."""

    ok: bool
    """Whether nothing bad was found, and everything was looked at."""
    at: datetime
    spaces: tuple[str, ...]
    commit: str | None = None
    """The commit that is checked out."""
    memories: Mapping[str, int]
    """How many memories there are, by status."""
    unknown: int
    """How many memories could not be looked up."""
    complete: bool
    """Whether it came to its end."""
    counts: Mapping[str, int]
    """How many findings there are, by class, those left off included."""
    affected: Mapping[str, int]
    """How many memories these are about."""
    findings: tuple[FindingView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "at": ("at", read_time),
        "spaces": ("spaces", read_list),
        "commit": ("commit", as_it_is),
        "memories": ("memories", as_it_is),
        "unknown": ("unknown", as_it_is),
        "complete": ("complete", as_it_is),
        "counts": ("counts", as_it_is),
        "affected": ("affected", as_it_is),
        "findings": ("findings", read_each(read('FindingView'))),
    }


@dataclass(frozen=True, kw_only=True)
class BreakerView(Answer):
    """A breaker."""

    breaker: Literal["burst", "near-copies", "drift", "invalidations"]
    actor: str | None = None
    """Whose writes are held up; everybody's, where nobody is named."""
    space: str
    at: datetime
    why: str

    _reads: ClassVar[Reads] = {
        "breaker": ("breaker", as_it_is),
        "actor": ("actor", as_it_is),
        "space": ("space", as_it_is),
        "at": ("at", read_time),
        "why": ("why", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class BreakersReply(Answer):
    """Whose writes are held up, or were."""

    ok: bool
    """Always true."""
    outcome: str | None = None
    """What was done, where something was."""
    breakers: tuple[BreakerView, ...]
    """The breakers."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "outcome": ("outcome", as_it_is),
        "breakers": ("breakers", read_each(read('BreakerView'))),
    }


@dataclass(frozen=True, kw_only=True)
class CitationRecord(Answer):
    """A citation: which lines, and what they said."""

    path: str
    line_start: int
    """The first line, from 1."""
    line_end: int
    sha: str | None = None
    """The commit that was checked out."""
    blob: str | None = None
    """Git's id of the file's content."""
    snippet: str
    """The cited lines."""
    snippet_hash: str
    """Their SHA-256."""
    before: tuple[str, ...] = ()
    """Short digests of the lines before."""
    after: tuple[str, ...] = ()
    """Short digests of the lines after."""
    item: CitedItemRecord | None = None
    """The item that the lines stand in."""

    _reads: ClassVar[Reads] = {
        "path": ("path", as_it_is),
        "line_start": ("line_start", as_it_is),
        "line_end": ("line_end", as_it_is),
        "sha": ("sha", as_it_is),
        "blob": ("blob", as_it_is),
        "snippet": ("snippet", as_it_is),
        "snippet_hash": ("snippet_hash", as_it_is),
        "before": ("before", read_list),
        "after": ("after", read_list),
        "item": ("item", read('CitedItemRecord')),
    }


@dataclass(frozen=True, kw_only=True)
class CitedItemRecord(Answer):
    """The function, type, value or section around cited lines."""

    path: str
    """Its name with those of what it stands in."""
    kind: Literal["function", "type", "value", "section"]
    line_start: int
    """The first line, from 1."""
    line_end: int

    _reads: ClassVar[Reads] = {
        "path": ("path", as_it_is),
        "kind": ("kind", as_it_is),
        "line_start": ("line_start", as_it_is),
        "line_end": ("line_end", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class CommandRunRecord(Answer):
    """A command that was seen to run."""

    command: str
    succeeded: bool
    session: str | None = None
    at: datetime

    _reads: ClassVar[Reads] = {
        "command": ("command", as_it_is),
        "succeeded": ("succeeded", as_it_is),
        "session": ("session", as_it_is),
        "at": ("at", read_time),
    }


@dataclass(frozen=True, kw_only=True)
class ComparisonView(Answer):
    """A measure in both arms."""

    measure: str
    with_: ArmView
    without: ArmView
    difference: float
    """With memory less without."""
    interval: IntervalView | None = None
    verdict: str
    """`better`, `worse`, `alike` or `too-few`."""
    more: int | None = None
    """About how many more sessions it takes to tell."""

    _reads: ClassVar[Reads] = {
        "measure": ("measure", as_it_is),
        "with": ("with_", read('ArmView')),
        "without": ("without", read('ArmView')),
        "difference": ("difference", as_it_is),
        "interval": ("interval", read('IntervalView')),
        "verdict": ("verdict", as_it_is),
        "more": ("more", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ErrorReply(Answer):
    """The request could not be answered."""

    ok: bool
    """Always false."""
    error: ErrorView

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "error": ("error", read('ErrorView')),
    }


@dataclass(frozen=True, kw_only=True)
class ErrorView(Answer):
    """What went wrong."""

    message: str

    _reads: ClassVar[Reads] = {
        "message": ("message", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class EventView(Answer):
    """An event with its place in the log."""

    seq: int
    """Its place."""
    event: Literal["remembered", "refreshed", "superseded", "corrected", "invalidated", "retired", "approved", "verified_valid", "verified_invalid", "retrieved", "applied", "refused", "forgotten", "restored", "rolled_back", "tripped", "closed", "ran", "pull_merged", "pull_rejected"]
    at: datetime
    space: str
    id: str | None = None
    """The memory's id."""
    actor: str | None = None
    """Who did it."""
    memory: MemoryRecord | None = None
    """The memory that was kept."""
    forced: bool = False
    """Whether a person overrode a check."""
    rationale: str | None = None
    """Why it was kept beside a near-duplicate."""
    citations: tuple[CitationRecord, ...] = ()
    """Citations that followed the code."""
    by: str | None = None
    """The memory that replaced it."""
    reason: str | None = None
    found: tuple[str, ...] = ()
    """Verdicts with their places, or where citations went."""
    commit: str | None = None
    """The commit it was looked up at."""
    query: str | None = None
    """What was asked."""
    shown: tuple[ShowingRecord, ...] = ()
    """What was shown."""
    class_: str | None = None
    """The class of refusal."""
    diff: str | None = None
    """What had changed in the cited code."""
    voucher: str | None = None
    """Who else said it, independently."""
    number: int | None = None
    """The number of a forgotten memory."""
    status: Literal["pending", "active", "superseded", "invalid", "retired"] | None = None
    """The status of a restored memory."""
    refreshed_at: datetime | None = None
    """When a restored memory had last been stated."""
    to: int | None = None
    """The place in the log that a space was taken back to."""
    counts: tuple[int, ...] = ()
    """How many memories a rollback restored, retired and could not bring back."""
    breaker: Literal["burst", "near-copies", "drift", "invalidations"] | None = None
    about: str | None = None
    """Whose writes a breaker is about."""
    evidence: tuple[EvidenceRecord, ...] = ()
    """What else proves it, where that is new."""
    names: tuple[NameRecord, ...] = ()
    """What it names, where that was looked up anew."""
    run: CommandRunRecord | None = None
    """The command that ran."""
    pull_request: int | None = None
    """The pull request that came to its end."""
    was: WasRecord | None = None
    """How the memory stood before."""
    handle: str | None = None
    """The memory's handle, where it is still there."""

    _reads: ClassVar[Reads] = {
        "seq": ("seq", as_it_is),
        "event": ("event", as_it_is),
        "at": ("at", read_time),
        "space": ("space", as_it_is),
        "id": ("id", as_it_is),
        "actor": ("actor", as_it_is),
        "memory": ("memory", read('MemoryRecord')),
        "forced": ("forced", as_it_is),
        "rationale": ("rationale", as_it_is),
        "citations": ("citations", read_each(read('CitationRecord'))),
        "by": ("by", as_it_is),
        "reason": ("reason", as_it_is),
        "found": ("found", read_list),
        "commit": ("commit", as_it_is),
        "query": ("query", as_it_is),
        "shown": ("shown", read_each(read('ShowingRecord'))),
        "class": ("class_", as_it_is),
        "diff": ("diff", as_it_is),
        "voucher": ("voucher", as_it_is),
        "number": ("number", as_it_is),
        "status": ("status", as_it_is),
        "refreshed_at": ("refreshed_at", read_time),
        "to": ("to", as_it_is),
        "counts": ("counts", read_list),
        "breaker": ("breaker", as_it_is),
        "about": ("about", as_it_is),
        "evidence": ("evidence", read_each(read('EvidenceRecord'))),
        "names": ("names", read_each(read('NameRecord'))),
        "run": ("run", read('CommandRunRecord')),
        "pull_request": ("pull_request", as_it_is),
        "was": ("was", read('WasRecord')),
        "handle": ("handle", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class EvidenceRecord(Answer):
    """Evidence that is not code: the user's words, a command that ran, or a comment of a reviewer."""

    kind: Literal["said", "ran", "review", "episodes", "memories"]
    quote: str | None = None
    """The user's words."""
    turn: int | None = None
    """Which of the user's prompts they stand in."""
    command: str | None = None
    succeeded: bool = False
    """Whether the command succeeded."""
    session: str | None = None
    at: datetime | None = None
    pull_request: int | None = None
    """The number of the pull request that a reviewer commented on."""
    comment: str | None = None
    """The comment, by its anchor on the page."""
    reviewer: str | None = None
    authority: Literal["maintainer", "collaborator", "stranger"] | None = None
    """How much the reviewer has to say."""
    author: str | None = None
    """Whose pull request it is."""
    path: str | None = None
    """The file that the comment is about."""
    found: int | None = None
    """In how many tasks or commits a pattern was found."""
    of: int | None = None
    """Among how many."""
    memories: tuple[str, ...] = ()
    """The episodes that it was found in, or the memories that were compared, by id."""

    _reads: ClassVar[Reads] = {
        "kind": ("kind", as_it_is),
        "quote": ("quote", as_it_is),
        "turn": ("turn", as_it_is),
        "command": ("command", as_it_is),
        "succeeded": ("succeeded", as_it_is),
        "session": ("session", as_it_is),
        "at": ("at", read_time),
        "pull_request": ("pull_request", as_it_is),
        "comment": ("comment", as_it_is),
        "reviewer": ("reviewer", as_it_is),
        "authority": ("authority", as_it_is),
        "author": ("author", as_it_is),
        "path": ("path", as_it_is),
        "found": ("found", as_it_is),
        "of": ("of", as_it_is),
        "memories": ("memories", read_list),
    }


@dataclass(frozen=True, kw_only=True)
class FigureView(Answer):
    """One figure of a group."""

    measure: str
    sessions: int
    mean: float
    interval: IntervalView | None = None

    _reads: ClassVar[Reads] = {
        "measure": ("measure", as_it_is),
        "sessions": ("sessions", as_it_is),
        "mean": ("mean", as_it_is),
        "interval": ("interval", read('IntervalView')),
    }


@dataclass(frozen=True, kw_only=True)
class FindingMemoryView(Answer):
    """A memory that a finding is about."""

    id: str
    handle: str
    fact: str | None = None
    standing: Literal["stands", "stated", "check", "unknown", "gone", "contradicted"] | None = None
    place: str | None = None

    _reads: ClassVar[Reads] = {
        "id": ("id", as_it_is),
        "handle": ("handle", as_it_is),
        "fact": ("fact", as_it_is),
        "standing": ("standing", as_it_is),
        "place": ("place", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class FindingView(Answer):
    """One thing that needs attention."""

    class_: Literal["secret", "damage", "breaker", "instruction-like", "stale", "contradiction", "near-duplicate", "excluded", "missing-field", "ungrounded", "unmerged", "unused", "waiting", "notes", "soft-limit", "identity"]
    severity: Literal["error", "warning", "note"]
    space: str | None = None
    what: str
    memories: tuple[FindingMemoryView, ...]
    more: int | None = None
    """How many more memories it is about."""
    keep: str | None = None
    """Of near-duplicates, the one to keep."""
    command: str
    """What to do about it."""

    _reads: ClassVar[Reads] = {
        "class": ("class_", as_it_is),
        "severity": ("severity", as_it_is),
        "space": ("space", as_it_is),
        "what": ("what", as_it_is),
        "memories": ("memories", read_each(read('FindingMemoryView'))),
        "more": ("more", as_it_is),
        "keep": ("keep", as_it_is),
        "command": ("command", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ForgetReply(Answer):
    """What was forgotten."""

    ok: bool
    """Whether it was done."""
    outcome: str
    """What was done."""
    memories: tuple[ForgottenView, ...]
    """Which."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "outcome": ("outcome", as_it_is),
        "memories": ("memories", read_each(read('ForgottenView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ForgottenView(Answer):
    """What is left of a memory: what it was called."""

    id: str
    handle: str
    space: str

    _reads: ClassVar[Reads] = {
        "id": ("id", as_it_is),
        "handle": ("handle", as_it_is),
        "space": ("space", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class GroupView(Answer):
    """The figures of sessions that have something in common."""

    name: str
    sessions: int
    figures: tuple[FigureView, ...]

    _reads: ClassVar[Reads] = {
        "name": ("name", as_it_is),
        "sessions": ("sessions", as_it_is),
        "figures": ("figures", read_each(read('FigureView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ImpactReply(Answer):
    """Whether memory helps."""

    ok: bool
    sessions: int
    """How many sessions were measured."""
    randomized: int
    """About how many of them chance decided."""
    held_out: int
    """How many of those went without memory."""
    held_out_asked: int
    """How many of these asked memory by themselves."""
    comparisons: tuple[ComparisonView, ...]
    """With memory against without."""
    tiers: tuple[GroupView, ...]
    """The same figures by tier."""
    prompt_versions: tuple[GroupView, ...]
    """The same figures by the version of the prompt's fixed parts."""
    memories: tuple[RatedMemoryView, ...]
    """The memories that were shown most."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "sessions": ("sessions", as_it_is),
        "randomized": ("randomized", as_it_is),
        "held_out": ("held_out", as_it_is),
        "held_out_asked": ("held_out_asked", as_it_is),
        "comparisons": ("comparisons", read_each(read('ComparisonView'))),
        "tiers": ("tiers", read_each(read('GroupView'))),
        "prompt_versions": ("prompt_versions", read_each(read('GroupView'))),
        "memories": ("memories", read_each(read('RatedMemoryView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ImportChangeView(Answer):
    """What was kept in other words than the file has."""

    at: str
    what: str

    _reads: ClassVar[Reads] = {
        "at": ("at", as_it_is),
        "what": ("what", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ImportRefusalView(Answer):
    """What in a file was refused."""

    file: str
    at: str
    class_: str
    message: str

    _reads: ClassVar[Reads] = {
        "file": ("file", as_it_is),
        "at": ("at", as_it_is),
        "class": ("class_", as_it_is),
        "message": ("message", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ImportReply(Answer):
    """What became of files."""

    ok: bool
    """Whether nothing was refused."""
    dry_run: bool
    """Whether nothing was kept because a rehearsal was asked for."""
    kept: int
    """How many memories were kept."""
    known: int
    """How many were here already."""
    waiting: int
    """How many of those that were kept wait for a person."""
    let_in: int
    """How many waited since they were first imported, and are in use now."""
    refused: tuple[ImportRefusalView, ...]
    files: tuple[ImportedFileView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "dry_run": ("dry_run", as_it_is),
        "kept": ("kept", as_it_is),
        "known": ("known", as_it_is),
        "waiting": ("waiting", as_it_is),
        "let_in": ("let_in", as_it_is),
        "refused": ("refused", read_each(read('ImportRefusalView'))),
        "files": ("files", read_each(read('ImportedFileView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ImportedFileView(Answer):
    """What became of one file."""

    file: str
    format: Literal["apostille", "notes", "mcp-graph", "claude", "rules", "basic-memory", "mem0", "claude-mem", "engram", "copilot"]
    kept: int
    known: int
    waiting: int
    let_in: int
    changed: tuple[ImportChangeView, ...]
    refused: tuple[ImportRefusalView, ...]
    left_out: tuple[LeftOutView, ...]

    _reads: ClassVar[Reads] = {
        "file": ("file", as_it_is),
        "format": ("format", as_it_is),
        "kept": ("kept", as_it_is),
        "known": ("known", as_it_is),
        "waiting": ("waiting", as_it_is),
        "let_in": ("let_in", as_it_is),
        "changed": ("changed", read_each(read('ImportChangeView'))),
        "refused": ("refused", read_each(read('ImportRefusalView'))),
        "left_out": ("left_out", read_each(read('LeftOutView'))),
    }


@dataclass(frozen=True, kw_only=True)
class IntervalView(Answer):
    """From which value to which, with 95 % confidence."""

    low: float
    high: float

    _reads: ClassVar[Reads] = {
        "low": ("low", as_it_is),
        "high": ("high", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class KeptReply(Answer):
    """A memory that was kept, or known already."""

    ok: bool
    """Always true."""
    outcome: str
    """What was done."""
    memory: MemoryView
    pending: str | None = None
    """Why it waits for a person, where it does."""
    identity_percent: int | None = None
    """Percent of the identity layer in use, where it went there."""
    retired: int | None = None
    """How many of the oldest were retired to make room."""
    superseded: NearView | None = None
    """What it contradicts, and took the place of by itself."""
    beside: str | None = None
    """The memory that it is kept beside, and takes the place of once the default branch has the code that it cites.
    """

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "outcome": ("outcome", as_it_is),
        "memory": ("memory", read('MemoryView')),
        "pending": ("pending", as_it_is),
        "identity_percent": ("identity_percent", as_it_is),
        "retired": ("retired", as_it_is),
        "superseded": ("superseded", read('NearView')),
        "beside": ("beside", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class LearnedReply(Answer):
    """What was learned from a conversation."""

    ok: bool
    """Always true."""
    proposed: tuple[MemoryView, ...]
    """What the person stated for good and nobody remembered; each waits for a person."""
    applied: tuple[MemoryView, ...]
    """The shown memories that the agent used."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "proposed": ("proposed", read_each(read('MemoryView'))),
        "applied": ("applied", read_each(read('MemoryView'))),
    }


@dataclass(frozen=True, kw_only=True)
class LeftOutView(Answer):
    """What in a file is no memory."""

    at: str
    why: str

    _reads: ClassVar[Reads] = {
        "at": ("at", as_it_is),
        "why": ("why", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class LogReply(Answer):
    """A part of the log."""

    ok: bool
    """Always true."""
    events: tuple[EventView, ...]
    """What happened."""
    next: int | None = None
    """What to say as `after` to read on, where there is more."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "events": ("events", read_each(read('EventView'))),
        "next": ("next", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class MeaningView(Answer):
    """What meaning adds to the words."""

    cosine: float
    """How near the memory is to the question: 1 is the same."""
    words: float
    """The part of the relevance that words are."""
    meaning: float
    """The part of the relevance that meaning is."""

    _reads: ClassVar[Reads] = {
        "cosine": ("cosine", as_it_is),
        "words": ("words", as_it_is),
        "meaning": ("meaning", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class MemoriesReply(Answer):
    """Memories that were asked for."""

    ok: bool
    """Always true."""
    memories: tuple[MemoryView, ...]
    """The memories."""
    next: str | None = None
    """What to say as `after` to read on, where there is more."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "memories": ("memories", read_each(read('MemoryView'))),
        "next": ("next", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class MemoryDetailsReply(Answer):
    """Everything about one memory."""

    ok: bool
    memory: MemoryView
    supersedes: tuple[MemoryView, ...]
    """What it replaced, nearest first."""
    superseded_by: tuple[MemoryView, ...]
    """What replaced it, nearest first."""
    history: tuple[EventView, ...]
    """What happened to it, the latest first."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "memory": ("memory", read('MemoryView')),
        "supersedes": ("supersedes", read_each(read('MemoryView'))),
        "superseded_by": ("superseded_by", read_each(read('MemoryView'))),
        "history": ("history", read_each(read('EventView'))),
    }


@dataclass(frozen=True, kw_only=True)
class MemoryRecord(Answer):
    """A memory as it is kept."""

    id: str
    number: int
    """The number within the space."""
    space: str
    """`owner/name`, or `users/<name>`."""
    layer: Literal["identity", "knowledge", "episode", "session"]
    kind: Literal["user", "feedback", "project", "reference"]
    subject: str | None = None
    fact: str
    """What was learned."""
    reason: str | None = None
    """Why it matters."""
    citations: tuple[CitationRecord, ...] = ()
    """The code that proves it."""
    evidence: tuple[EvidenceRecord, ...] = ()
    """What else proves it."""
    names: tuple[NameRecord, ...] = ()
    """What it names."""
    runs: RunTallyRecord | None = None
    """How the commands that it names fared."""
    tags: tuple[str, ...] = ()
    origin: Literal["user-correction", "user", "review", "agent", "system"]
    """Who said it."""
    channel: Literal["terminal", "command", "panel", "mcp", "http", "record", "repository", "unknown", "import", "tool", "web", "issue", "pull-request", "webhook"] | None = None
    """How it came in."""
    tainted: bool = False
    """Whether the words came from outside."""
    exposed: bool = False
    """Whether it was said in a session that had read words from outside."""
    author: str | None = None
    """The agent's or user's name."""
    session: str | None = None
    """The session it was said in."""
    task: str | None = None
    """The task it belongs to."""
    marks: tuple[Literal["instruction-like", "neutralised", "ungrounded", "confusable", "not-a-secret"], ...] = ()
    """What moderation noticed."""
    status: Literal["pending", "active", "superseded", "invalid", "retired"]
    status_why: str | None = None
    """Why it has this status."""
    superseded_by: str | None = None
    """The id of the memory that replaced it."""
    supersedes: str | None = None
    """The id of the memory that it replaced."""
    vouchers: tuple[str, ...] = ()
    """Who else said it, independently."""
    recorded_at: datetime
    refreshed_at: datetime
    """When it was last stated or found to hold."""
    recalls: int = 0
    """How often it was shown."""
    applied: int = 0
    """How often it was applied."""
    verified: int = 0
    """How often it was found to hold."""
    digest: str | None = None
    """The SHA-256 of what it says."""
    v: int | None = None
    """The version of this shape."""

    _reads: ClassVar[Reads] = {
        "id": ("id", as_it_is),
        "number": ("number", as_it_is),
        "space": ("space", as_it_is),
        "layer": ("layer", as_it_is),
        "kind": ("kind", as_it_is),
        "subject": ("subject", as_it_is),
        "fact": ("fact", as_it_is),
        "reason": ("reason", as_it_is),
        "citations": ("citations", read_each(read('CitationRecord'))),
        "evidence": ("evidence", read_each(read('EvidenceRecord'))),
        "names": ("names", read_each(read('NameRecord'))),
        "runs": ("runs", read('RunTallyRecord')),
        "tags": ("tags", read_list),
        "origin": ("origin", as_it_is),
        "channel": ("channel", as_it_is),
        "tainted": ("tainted", as_it_is),
        "exposed": ("exposed", as_it_is),
        "author": ("author", as_it_is),
        "session": ("session", as_it_is),
        "task": ("task", as_it_is),
        "marks": ("marks", read_list),
        "status": ("status", as_it_is),
        "status_why": ("status_why", as_it_is),
        "superseded_by": ("superseded_by", as_it_is),
        "supersedes": ("supersedes", as_it_is),
        "vouchers": ("vouchers", read_list),
        "recorded_at": ("recorded_at", read_time),
        "refreshed_at": ("refreshed_at", read_time),
        "recalls": ("recalls", as_it_is),
        "applied": ("applied", as_it_is),
        "verified": ("verified", as_it_is),
        "digest": ("digest", as_it_is),
        "v": ("v", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class MemoryView(Answer):
    """A memory, with what is known of it at this moment."""

    handle: str
    """`m-12` in a repository, `u-3` for a person."""
    id: str
    number: int
    """The number within the space."""
    space: str
    """`owner/name`, or `users/<name>`."""
    layer: Literal["identity", "knowledge", "episode", "session"]
    kind: Literal["user", "feedback", "project", "reference"]
    subject: str | None = None
    fact: str
    """What was learned."""
    reason: str | None = None
    """Why it matters."""
    citations: tuple[CitationRecord, ...] = ()
    """The code that proves it."""
    evidence: tuple[EvidenceRecord, ...] = ()
    """What else proves it."""
    names: tuple[NameRecord, ...] = ()
    """What it names."""
    runs: RunTallyRecord | None = None
    """How the commands that it names fared."""
    tags: tuple[str, ...] = ()
    origin: Literal["user-correction", "user", "review", "agent", "system"]
    """Who said it."""
    channel: Literal["terminal", "command", "panel", "mcp", "http", "record", "repository", "unknown", "import", "tool", "web", "issue", "pull-request", "webhook"] | None = None
    """How it came in."""
    tainted: bool = False
    """Whether the words came from outside."""
    exposed: bool = False
    """Whether it was said in a session that had read words from outside."""
    author: str | None = None
    """The agent's or user's name."""
    session: str | None = None
    """The session it was said in."""
    task: str | None = None
    """The task it belongs to."""
    marks: tuple[Literal["instruction-like", "neutralised", "ungrounded", "confusable", "not-a-secret"], ...] = ()
    """What moderation noticed."""
    status: Literal["pending", "active", "superseded", "invalid", "retired"]
    status_why: str | None = None
    """Why it has this status."""
    superseded_by: str | None = None
    """The id of the memory that replaced it."""
    supersedes: str | None = None
    """The id of the memory that it replaced."""
    vouchers: tuple[str, ...] = ()
    """Who else said it, independently."""
    recorded_at: datetime
    refreshed_at: datetime
    """When it was last stated or found to hold."""
    recalls: int = 0
    """How often it was shown."""
    applied: int = 0
    """How often it was applied."""
    verified: int = 0
    """How often it was found to hold."""
    digest: str | None = None
    """The SHA-256 of what it says."""
    v: int | None = None
    """The version of this shape."""
    standing: Literal["stands", "stated", "check", "unknown", "gone", "contradicted"] | None = None
    """How its fact stands in the checkout that was looked at."""
    shown: Literal["plain", "marked", "withheld"] | None = None
    """Whether it is shown as it is, with a mark, or not at all."""
    note: str | None = None
    """What is known of it beside its code: what it names and is gone, who said it, how its command fared."""
    verdicts: tuple[VerdictView, ...] = ()
    """One for each citation."""
    unmerged: bool = False
    """Whether it was recorded on a branch that never reached this tree."""
    replaces_once_merged: str | None = None
    """The memory that this one takes the place of once the default branch has the code that it cites."""
    replaced_once_merged_by: str | None = None
    """The memory that takes the place of this one then."""
    replaced_by: str | None = None
    """The memory that took the place of this one."""
    deed: Literal["healed", "invalidated", "superseded", "confirmed"] | None = None
    """What was done about it."""
    score: float | None = None
    why: ScoreView | None = None
    """Where the score comes from."""

    _reads: ClassVar[Reads] = {
        "handle": ("handle", as_it_is),
        "id": ("id", as_it_is),
        "number": ("number", as_it_is),
        "space": ("space", as_it_is),
        "layer": ("layer", as_it_is),
        "kind": ("kind", as_it_is),
        "subject": ("subject", as_it_is),
        "fact": ("fact", as_it_is),
        "reason": ("reason", as_it_is),
        "citations": ("citations", read_each(read('CitationRecord'))),
        "evidence": ("evidence", read_each(read('EvidenceRecord'))),
        "names": ("names", read_each(read('NameRecord'))),
        "runs": ("runs", read('RunTallyRecord')),
        "tags": ("tags", read_list),
        "origin": ("origin", as_it_is),
        "channel": ("channel", as_it_is),
        "tainted": ("tainted", as_it_is),
        "exposed": ("exposed", as_it_is),
        "author": ("author", as_it_is),
        "session": ("session", as_it_is),
        "task": ("task", as_it_is),
        "marks": ("marks", read_list),
        "status": ("status", as_it_is),
        "status_why": ("status_why", as_it_is),
        "superseded_by": ("superseded_by", as_it_is),
        "supersedes": ("supersedes", as_it_is),
        "vouchers": ("vouchers", read_list),
        "recorded_at": ("recorded_at", read_time),
        "refreshed_at": ("refreshed_at", read_time),
        "recalls": ("recalls", as_it_is),
        "applied": ("applied", as_it_is),
        "verified": ("verified", as_it_is),
        "digest": ("digest", as_it_is),
        "v": ("v", as_it_is),
        "standing": ("standing", as_it_is),
        "shown": ("shown", as_it_is),
        "note": ("note", as_it_is),
        "verdicts": ("verdicts", read_each(read('VerdictView'))),
        "unmerged": ("unmerged", as_it_is),
        "replaces_once_merged": ("replaces_once_merged", as_it_is),
        "replaced_once_merged_by": ("replaced_once_merged_by", as_it_is),
        "replaced_by": ("replaced_by", as_it_is),
        "deed": ("deed", as_it_is),
        "score": ("score", as_it_is),
        "why": ("why", read('ScoreView')),
    }


@dataclass(frozen=True, kw_only=True)
class MomentView(Answer):
    """A moment of the session."""

    turn: int
    """Which prompt it belongs to."""
    at: datetime
    """When."""
    moment: Literal["start", "prompt", "touch", "failure", "subtask", "compact", "stop", "end", "done"]
    """What moment it was."""
    ignored: bool
    """Whether the person asked to leave memory out of it."""
    shown: tuple[ShownMemoryView, ...]
    """What was shown."""
    withheld: tuple[ShownMemoryView, ...]
    """What would have been shown, but did not hold."""

    _reads: ClassVar[Reads] = {
        "turn": ("turn", as_it_is),
        "at": ("at", read_time),
        "moment": ("moment", as_it_is),
        "ignored": ("ignored", as_it_is),
        "shown": ("shown", read_each(read('ShownMemoryView'))),
        "withheld": ("withheld", read_each(read('ShownMemoryView'))),
    }


@dataclass(frozen=True, kw_only=True)
class NameRecord(Answer):
    """Something that a memory names."""

    kind: Literal["path", "symbol", "script"]
    name: str
    path: str | None = None
    """The file in which a symbol was found."""

    _reads: ClassVar[Reads] = {
        "kind": ("kind", as_it_is),
        "name": ("name", as_it_is),
        "path": ("path", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class NearView(Answer):
    """A memory that says much the same as another."""

    id: str
    handle: str
    fact: str
    relation: Literal["near-duplicate", "contradiction"]
    overlap: float
    """The share of words in common."""

    _reads: ClassVar[Reads] = {
        "id": ("id", as_it_is),
        "handle": ("handle", as_it_is),
        "fact": ("fact", as_it_is),
        "relation": ("relation", as_it_is),
        "overlap": ("overlap", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class QueueReply(Answer):
    """What waits."""

    ok: bool
    waiting: int
    """How many memories wait, copies included."""
    counts: Mapping[str, int]
    """How many decisions that is, by the care they need."""
    due: tuple[str, ...]
    """The handles of those that are put before a person this week, in their order."""
    queue: tuple[WaitingView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "waiting": ("waiting", as_it_is),
        "counts": ("counts", as_it_is),
        "due": ("due", read_list),
        "queue": ("queue", read_each(read('WaitingView'))),
    }


@dataclass(frozen=True, kw_only=True)
class RatedMemoryView(Answer):
    """What sessions tell of a memory. What it says is not told: how it stands was not looked up."""

    memory: str
    id: str
    shown: int
    """In how many sessions it was shown."""
    applied: int
    """In how many it was applied."""
    contradicted: int
    """In how many the code spoke against it."""
    helped: int
    """In how many it was applied and the work ended well."""
    merged: int
    """In how many it was shown and the pull request was merged."""
    rejected: int
    """In how many it was shown and the pull request was rejected."""

    _reads: ClassVar[Reads] = {
        "memory": ("memory", as_it_is),
        "id": ("id", as_it_is),
        "shown": ("shown", as_it_is),
        "applied": ("applied", as_it_is),
        "contradicted": ("contradicted", as_it_is),
        "helped": ("helped", as_it_is),
        "merged": ("merged", as_it_is),
        "rejected": ("rejected", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class RecallReply(Answer):
    """What was recalled."""

    ok: bool
    relevant: bool
    """Whether what is shown answers the question, rather than being merely recent."""
    memories: tuple[MemoryView, ...]
    withheld: tuple[MemoryView, ...]
    """What does not hold here."""
    unfit: int | None = None
    """How many match and stand, and had no room in the budget."""
    episodes: int | None = None
    """How many past tasks clearly match that were not asked for, up to 10; absent where none does."""
    verified_at: str | None = None
    """In which tree it was looked up, as `main@3f2c1d2e`; absent where that is the reader's own."""
    block: str
    """The text to put before a model."""
    problems: tuple[str, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "relevant": ("relevant", as_it_is),
        "memories": ("memories", read_each(read('MemoryView'))),
        "withheld": ("withheld", read_each(read('MemoryView'))),
        "unfit": ("unfit", as_it_is),
        "episodes": ("episodes", as_it_is),
        "verified_at": ("verified_at", as_it_is),
        "block": ("block", as_it_is),
        "problems": ("problems", read_list),
    }


@dataclass(frozen=True, kw_only=True)
class RefusalView(Answer):
    """Why something was turned away."""

    class_: str
    message: str

    _reads: ClassVar[Reads] = {
        "class": ("class_", as_it_is),
        "message": ("message", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class RefusedReply(Answer):
    """Something was turned away."""

    ok: bool
    """Always false."""
    refused: RefusalView
    """What was wrong, and the way out."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "refused": ("refused", read('RefusalView')),
    }


@dataclass(frozen=True, kw_only=True)
class ReplicaPartView(Answer):
    """How a part of the lines looks."""

    name: str
    """Its name: two hexadecimal digits."""
    digest: str
    """The beginning of the SHA-256 of its lines."""
    bytes: int
    """How long they are."""

    _reads: ClassVar[Reads] = {
        "name": ("name", as_it_is),
        "digest": ("digest", as_it_is),
        "bytes": ("bytes", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ReplicaReply(Answer):
    """What is held of a space."""

    ok: bool
    space: str
    """The space, as the server calls it."""
    fingerprint: str
    """Another one as soon as a line is."""
    parts: tuple[ReplicaPartView, ...] = ()
    """How each of the 256 parts looks that has lines; left out where `seen` is the fingerprint."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "space": ("space", as_it_is),
        "fingerprint": ("fingerprint", as_it_is),
        "parts": ("parts", read_each(read('ReplicaPartView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ReportDayView(Answer):
    """What was done on one day."""

    date: str
    items: tuple[ReportItemView, ...]

    _reads: ClassVar[Reads] = {
        "date": ("date", as_it_is),
        "items": ("items", read_each(read('ReportItemView'))),
    }


@dataclass(frozen=True, kw_only=True)
class ReportItemView(Answer):
    """What was done in one task, or beside all tasks."""

    space: str
    task: str | None = None
    title: str | None = None
    status: str | None = None
    outcome: str | None = None
    summary: MemoryView | None = None
    decisions: tuple[MemoryView, ...]
    sessions: tuple[MemoryView, ...]
    notes: int

    _reads: ClassVar[Reads] = {
        "space": ("space", as_it_is),
        "task": ("task", as_it_is),
        "title": ("title", as_it_is),
        "status": ("status", as_it_is),
        "outcome": ("outcome", as_it_is),
        "summary": ("summary", read('MemoryView')),
        "decisions": ("decisions", read_each(read('MemoryView'))),
        "sessions": ("sessions", read_each(read('MemoryView'))),
        "notes": ("notes", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ReportReply(Answer):
    """What was done, by day."""

    ok: bool
    since: datetime
    until: datetime
    cut: bool = False
    """Whether there was more than is looked at."""
    days: tuple[ReportDayView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "since": ("since", read_time),
        "until": ("until", read_time),
        "cut": ("cut", as_it_is),
        "days": ("days", read_each(read('ReportDayView'))),
    }


@dataclass(frozen=True, kw_only=True)
class RevisedReply(Answer):
    """Memories that something was done to."""

    ok: bool
    """Always true."""
    outcome: str
    """What was done."""
    memories: tuple[MemoryView, ...]
    """The memories."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "outcome": ("outcome", as_it_is),
        "memories": ("memories", read_each(read('MemoryView'))),
    }


@dataclass(frozen=True, kw_only=True)
class RunTallyRecord(Answer):
    """How the commands that a memory names fared."""

    succeeded_at: datetime | None = None
    """When one was last seen to succeed."""
    failed_at: tuple[datetime, ...] = ()
    """When one was seen to fail since then."""

    _reads: ClassVar[Reads] = {
        "succeeded_at": ("succeeded_at", read_time),
        "failed_at": ("failed_at", read_each(read_time)),
    }


@dataclass(frozen=True, kw_only=True)
class ScoreView(Answer):
    """Where a score comes from: the factors, whose product it is."""

    relevance: float
    """How well the words agree; with the meaning, where a model compared it."""
    meaning: MeaningView | None = None
    """The two parts of the relevance, where a model compared the meaning."""
    clarity: float
    """How telling the words in common are; no factor."""
    terms: tuple[str, ...]
    """The words in common."""
    recency: float
    """How lately it was stated or found to hold."""
    trust: float
    """How far its origin is trusted."""
    trust_terms: tuple[str, ...]
    """What that trust is made of."""
    usefulness: float
    """How often it was applied, of the times it was shown."""
    affinity: float
    """Whether it cites the files in play."""

    _reads: ClassVar[Reads] = {
        "relevance": ("relevance", as_it_is),
        "meaning": ("meaning", read('MeaningView')),
        "clarity": ("clarity", as_it_is),
        "terms": ("terms", read_list),
        "recency": ("recency", as_it_is),
        "trust": ("trust", as_it_is),
        "trust_terms": ("trust_terms", read_list),
        "usefulness": ("usefulness", as_it_is),
        "affinity": ("affinity", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class SessionReply(Answer):
    """What a session was shown."""

    ok: bool
    """Always true."""
    session: str | None = None
    """Its client's name for it."""
    client: Literal["claude-code", "codex", "copilot", "gemini", "cursor", "vscode", "opencode", "zed", "windsurf"] | None = None
    """Whose it is."""
    moments: tuple[MomentView, ...]
    """When something was shown."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "session": ("session", as_it_is),
        "client": ("client", as_it_is),
        "moments": ("moments", read_each(read('MomentView'))),
    }


@dataclass(frozen=True, kw_only=True)
class SessionRow(Answer):
    """A session in a list."""

    session: str
    """Its client's name for it."""
    client: Literal["claude-code", "codex", "copilot", "gemini", "cursor", "vscode", "opencode", "zed", "windsurf"]
    """Whose it is."""
    repo: str
    """Where."""
    at: datetime
    """When it was last added to."""
    turns: int
    """How often the person said something."""
    shown: int
    """How many memories were shown."""

    _reads: ClassVar[Reads] = {
        "session": ("session", as_it_is),
        "client": ("client", as_it_is),
        "repo": ("repo", as_it_is),
        "at": ("at", read_time),
        "turns": ("turns", as_it_is),
        "shown": ("shown", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class SessionsReply(Answer):
    """Sessions."""

    ok: bool
    sessions: tuple[SessionRow, ...]
    """One a row."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "sessions": ("sessions", read_each(read('SessionRow'))),
    }


@dataclass(frozen=True, kw_only=True)
class ShowingRecord(Answer):
    """A memory as it was shown once."""

    id: str
    score: float
    verdict: str

    _reads: ClassVar[Reads] = {
        "id": ("id", as_it_is),
        "score": ("score", as_it_is),
        "verdict": ("verdict", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class ShownMemoryView(Answer):
    """A memory that was shown, as it was then and as it is now."""

    handle: str
    """As it was called."""
    id: str
    """Which."""
    fact: str | None = None
    """What it says, where it is still there and holds."""
    standing: str
    """How it stood when it was shown."""
    now: Literal["stands", "stated", "check", "unknown", "gone", "contradicted", "holds", "moved", "changed", "unverified"] | None = None
    """How it stands now, where it is still there."""
    applied: bool
    """Whether it was of use."""
    score: float
    """Its score."""
    why: ScoreView
    """Where the score came from."""

    _reads: ClassVar[Reads] = {
        "handle": ("handle", as_it_is),
        "id": ("id", as_it_is),
        "fact": ("fact", as_it_is),
        "standing": ("standing", as_it_is),
        "now": ("now", as_it_is),
        "applied": ("applied", as_it_is),
        "score": ("score", as_it_is),
        "why": ("why", read('ScoreView')),
    }


@dataclass(frozen=True, kw_only=True)
class SimilarReply(Answer):
    """Much the same is known, so it is not kept."""

    ok: bool
    """Always false."""
    similar: tuple[NearView, ...]
    """What is known."""
    choices: tuple[Literal["skip", "merge", "create"], ...] = ()
    """What can be said to have it all the same."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "similar": ("similar", read_each(read('NearView'))),
        "choices": ("choices", read_list),
    }


@dataclass(frozen=True, kw_only=True)
class SkippedReply(Answer):
    """Much the same is known, and that is no matter."""

    ok: bool
    """Always true."""
    outcome: str
    """What was done."""
    similar: tuple[NearView, ...]
    """What is known."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "outcome": ("outcome", as_it_is),
        "similar": ("similar", read_each(read('NearView'))),
    }


@dataclass(frozen=True, kw_only=True)
class SpaceRow(Answer):
    """A space in a list, with how much it holds."""

    space: str
    active: int
    pending: int
    memories: int
    """How many there are in every status."""

    _reads: ClassVar[Reads] = {
        "space": ("space", as_it_is),
        "active": ("active", as_it_is),
        "pending": ("pending", as_it_is),
        "memories": ("memories", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class SpaceStatsView(Answer):
    """One space in numbers."""

    space: str
    active: int
    soft_limit: int
    over_soft_limit: bool
    status: Mapping[str, int]
    layers: Mapping[str, int]
    decided_this_week: int
    """Memories that people decided about in the last seven days."""
    identity_percent: int
    """Percent of the identity layer in use."""
    identity_chars: int
    verified_share: float | None = None
    """The share of verifications that held, where there were any."""
    events: Mapping[str, int]
    breakers: tuple[BreakerView, ...]

    _reads: ClassVar[Reads] = {
        "space": ("space", as_it_is),
        "active": ("active", as_it_is),
        "soft_limit": ("soft_limit", as_it_is),
        "over_soft_limit": ("over_soft_limit", as_it_is),
        "status": ("status", as_it_is),
        "layers": ("layers", as_it_is),
        "decided_this_week": ("decided_this_week", as_it_is),
        "identity_percent": ("identity_percent", as_it_is),
        "identity_chars": ("identity_chars", as_it_is),
        "verified_share": ("verified_share", as_it_is),
        "events": ("events", as_it_is),
        "breakers": ("breakers", read_each(read('BreakerView'))),
    }


@dataclass(frozen=True, kw_only=True)
class SpacesReply(Answer):
    """The spaces there are."""

    ok: bool
    """Always true."""
    spaces: tuple[SpaceRow, ...]
    """One a row."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "spaces": ("spaces", read_each(read('SpaceRow'))),
    }


@dataclass(frozen=True, kw_only=True)
class StatsReply(Answer):
    """What is kept, in numbers."""

    ok: bool
    spaces: tuple[SpaceStatsView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "spaces": ("spaces", read_each(read('SpaceStatsView'))),
    }


@dataclass(frozen=True, kw_only=True)
class TakenLinesReply(Answer):
    """What became of lines that were brought."""

    ok: bool
    fingerprint: str
    """The fingerprint with them."""
    new: int
    """How many were new."""
    left_out: int
    """How many were left out."""
    why: str | None = None
    """Why the first of them was."""
    complete: bool
    """Whether nothing is held beside what was seen and what was brought."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "fingerprint": ("fingerprint", as_it_is),
        "new": ("new", as_it_is),
        "left_out": ("left_out", as_it_is),
        "why": ("why", as_it_is),
        "complete": ("complete", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class TaskReply(Answer):
    """A task with its notes."""

    ok: bool
    task: TaskView
    """The task."""
    memories: tuple[MemoryView, ...]
    """Its notes."""
    resolved: tuple[str, ...]
    """The handles of blockers that are out of the way."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "task": ("task", read('TaskView')),
        "memories": ("memories", read_each(read('MemoryView'))),
        "resolved": ("resolved", read_list),
    }


@dataclass(frozen=True, kw_only=True)
class TaskView(Answer):
    """A task."""

    slug: str
    """Its name."""
    title: str
    """What is to be done."""
    status: Literal["open", "done", "abandoned"]
    """How it stands."""
    active: bool
    """Whether it is the one that is worked on here."""
    left_open: bool = False
    """Whether it was left open, and closed by nobody in particular."""
    from_elsewhere: bool = False
    """Nobody began it here: its file came with the repository."""
    phase: str | None = None
    """The phase it is in."""
    phases: tuple[str, ...]
    """The phases as they were planned."""
    passed: tuple[str, ...]
    """The phases it was in."""
    started_at: datetime
    """When it began."""
    touched_at: datetime
    """When the last gate was passed."""
    commit: str | None = None
    """The commit that was checked out when it began."""
    by: str | None = None
    """Who began it."""
    notes: Mapping[str, int]
    """How many notes there are of each sort; of blockers, those that stand."""
    outcome: str | None = None
    """The memory that tells what came of it."""

    _reads: ClassVar[Reads] = {
        "slug": ("slug", as_it_is),
        "title": ("title", as_it_is),
        "status": ("status", as_it_is),
        "active": ("active", as_it_is),
        "left_open": ("left_open", as_it_is),
        "from_elsewhere": ("from_elsewhere", as_it_is),
        "phase": ("phase", as_it_is),
        "phases": ("phases", read_list),
        "passed": ("passed", read_list),
        "started_at": ("started_at", read_time),
        "touched_at": ("touched_at", read_time),
        "commit": ("commit", as_it_is),
        "by": ("by", as_it_is),
        "notes": ("notes", as_it_is),
        "outcome": ("outcome", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class TasksReply(Answer):
    """Tasks."""

    ok: bool
    """Always true."""
    tasks: tuple[TaskView, ...]
    """The tasks."""

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "tasks": ("tasks", read_each(read('TaskView'))),
    }


@dataclass(frozen=True, kw_only=True)
class VerdictView(Answer):
    """What was found at one citation."""

    place: str
    """The citation, as path and lines."""
    verdict: Literal["holds", "moved", "changed", "gone", "unknown"]
    moved_to: str | None = None
    change: Literal["whitespace", "formatting", "comment", "inserted", "rename", "substance"] | None = None
    harmless: bool = False
    """Whether the change is one that a memory survives."""
    at: str | None = None
    """Where the changed lines stand now."""
    now: str | None = None
    """The lines that stand there now."""
    similarity: float | None = None
    since: str | None = None
    """The commit that changed or removed it, where it is known."""
    contradicted: tuple[str, ...] = ()
    """What the fact states and the lines now say otherwise."""
    why: str | None = None

    _reads: ClassVar[Reads] = {
        "place": ("place", as_it_is),
        "verdict": ("verdict", as_it_is),
        "moved_to": ("moved_to", as_it_is),
        "change": ("change", as_it_is),
        "harmless": ("harmless", as_it_is),
        "at": ("at", as_it_is),
        "now": ("now", as_it_is),
        "similarity": ("similarity", as_it_is),
        "since": ("since", as_it_is),
        "contradicted": ("contradicted", read_list),
        "why": ("why", as_it_is),
    }


@dataclass(frozen=True, kw_only=True)
class VerifyReply(Answer):
    """What was found at citations."""

    ok: bool
    """Whether nothing is wrong about this checkout."""
    settled: bool
    """Whether this is the default branch with nothing half done in it."""
    verified_at: str | None = None
    """In which tree they were looked up, as `main@3f2c1d2e`; absent where that is the reader's own."""
    counts: Mapping[str, int]
    """How many memories stand how."""
    memories: tuple[MemoryView, ...]

    _reads: ClassVar[Reads] = {
        "ok": ("ok", as_it_is),
        "settled": ("settled", as_it_is),
        "verified_at": ("verified_at", as_it_is),
        "counts": ("counts", as_it_is),
        "memories": ("memories", read_each(read('MemoryView'))),
    }


@dataclass(frozen=True, kw_only=True)
class WaitingView(Answer):
    """A memory that waits, with everything needed to decide."""

    memory: MemoryView
    care: Literal["safe", "unproven", "doubtful", "outside", "suspicious"]
    safe: bool
    """Whether it may be accepted together with others."""
    waits_because: str
    unsaid: tuple[str, ...]
    """The literals that the cited lines do not say as they are now."""
    near: tuple[NearView, ...]
    replaces: str | None = None
    """The handle of the memory whose place it takes."""
    copies: tuple[str, ...]
    """The handles of memories that say the same."""

    _reads: ClassVar[Reads] = {
        "memory": ("memory", read('MemoryView')),
        "care": ("care", as_it_is),
        "safe": ("safe", as_it_is),
        "waits_because": ("waits_because", as_it_is),
        "unsaid": ("unsaid", read_list),
        "near": ("near", read_each(read('NearView'))),
        "replaces": ("replaces", as_it_is),
        "copies": ("copies", read_list),
    }


@dataclass(frozen=True, kw_only=True)
class WasRecord(Answer):
    """How a memory stood before an event."""

    status: Literal["pending", "active", "superseded", "invalid", "retired"]
    why: str | None = None
    by: str | None = None
    citations: tuple[CitationRecord, ...] = ()
    refreshed_at: datetime

    _reads: ClassVar[Reads] = {
        "status": ("status", as_it_is),
        "why": ("why", as_it_is),
        "by": ("by", as_it_is),
        "citations": ("citations", read_each(read('CitationRecord'))),
        "refreshed_at": ("refreshed_at", read_time),
    }


__all__ = [
    "Answer",
    "ArmView",
    "AuditReply",
    "BreakerView",
    "BreakersReply",
    "CitationRecord",
    "CitedItemRecord",
    "CommandRunRecord",
    "ComparisonView",
    "ErrorReply",
    "ErrorView",
    "EventView",
    "EvidenceRecord",
    "FigureView",
    "FindingMemoryView",
    "FindingView",
    "ForgetReply",
    "ForgottenView",
    "GroupView",
    "ImpactReply",
    "ImportChangeView",
    "ImportRefusalView",
    "ImportReply",
    "ImportedFileView",
    "IntervalView",
    "KeptReply",
    "LearnedReply",
    "LeftOutView",
    "LogReply",
    "MeaningView",
    "MemoriesReply",
    "MemoryDetailsReply",
    "MemoryRecord",
    "MemoryView",
    "MomentView",
    "NameRecord",
    "NearView",
    "QueueReply",
    "RatedMemoryView",
    "RecallReply",
    "RefusalView",
    "RefusedReply",
    "ReplicaPartView",
    "ReplicaReply",
    "ReportDayView",
    "ReportItemView",
    "ReportReply",
    "RevisedReply",
    "RunTallyRecord",
    "ScoreView",
    "SessionReply",
    "SessionRow",
    "SessionsReply",
    "ShowingRecord",
    "ShownMemoryView",
    "SimilarReply",
    "SkippedReply",
    "SpaceRow",
    "SpaceStatsView",
    "SpacesReply",
    "StatsReply",
    "TakenLinesReply",
    "TaskReply",
    "TaskView",
    "TasksReply",
    "VerdictView",
    "VerifyReply",
    "WaitingView",
    "WasRecord",
]
