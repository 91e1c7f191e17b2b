"""The verbs of the program, as methods.

Written by `python/generate.py` from `docs/openapi.json`. Do not edit it.
"""

# ruff: noqa: A002, E501
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from ._answer import Decode, as_it_is, as_list, one_of
from ._transport import Call
from .types import (
    AuditReply,
    BreakersReply,
    ForgetReply,
    ImpactReply,
    ImportReply,
    KeptReply,
    LearnedReply,
    LogReply,
    MemoriesReply,
    MemoryDetailsReply,
    QueueReply,
    RecallReply,
    ReportReply,
    RevisedReply,
    SessionReply,
    SessionsReply,
    SkippedReply,
    SpacesReply,
    StatsReply,
    TaskReply,
    TasksReply,
    VerifyReply,
)

T = TypeVar("T")

# How each call is reached over HTTP; on standard input its name is enough.
CALLS = {
    "remember": Call("remember", "POST", "/api/memories", is_idempotent=False),
    "recall": Call("recall", "POST", "/api/recall", is_idempotent=True),
    "listMemories": Call("listMemories", "GET", "/api/memories", is_idempotent=True),
    "showMemory": Call("showMemory", "GET", "/api/memories/{name}", is_idempotent=True),
    "verify": Call("verify", "POST", "/api/verify", is_idempotent=True),
    "supersede": Call("supersede", "POST", "/api/memories/{name}/supersede", is_idempotent=False),
    "correct": Call("correct", "POST", "/api/memories/{name}/correct", is_idempotent=False),
    "confirm": Call("confirm", "POST", "/api/memories/{name}/confirm", is_idempotent=False),
    "refresh": Call("refresh", "POST", "/api/memories/{name}/refresh", is_idempotent=False),
    "invalidate": Call("invalidate", "POST", "/api/memories/{name}/invalidate", is_idempotent=False),
    "apply": Call("apply", "POST", "/api/memories/{name}/apply", is_idempotent=False),
    "promote": Call("promote", "POST", "/api/memories/{name}/promote", is_idempotent=False),
    "forget": Call("forget", "DELETE", "/api/memories/{name}", is_idempotent=False),
    "learn": Call("learn", "POST", "/api/learn", is_idempotent=False),
    "stats": Call("stats", "GET", "/api/stats", is_idempotent=True),
    "audit": Call("audit", "GET", "/api/audit", is_idempotent=True),
    "impact": Call("impact", "GET", "/api/impact", is_idempotent=True),
    "spaces": Call("spaces", "GET", "/api/spaces", is_idempotent=True),
    "events": Call("events", "GET", "/api/events", is_idempotent=True),
    "report": Call("report", "GET", "/api/report", is_idempotent=True),
    "sessions": Call("sessions", "GET", "/api/sessions", is_idempotent=True),
    "showSession": Call("showSession", "GET", "/api/sessions/{name}", is_idempotent=True),
    "tasks": Call("tasks", "GET", "/api/tasks", is_idempotent=True),
    "showTask": Call("showTask", "GET", "/api/tasks/{slug}", is_idempotent=True),
    "export": Call("export", "GET", "/api/export", is_idempotent=True),
    "import": Call("import", "POST", "/api/import", is_idempotent=False),
    "reviewQueue": Call("reviewQueue", "GET", "/api/review", is_idempotent=True),
    "openBreakers": Call("openBreakers", "GET", "/api/breakers", is_idempotent=True),
    "approve": Call("approve", "POST", "/api/memories/{name}/approve", is_idempotent=False),
    "reject": Call("reject", "POST", "/api/memories/{name}/reject", is_idempotent=False),
    "reword": Call("reword", "POST", "/api/memories/{name}/reword", is_idempotent=False),
    "merge": Call("merge", "POST", "/api/memories/{name}/merge", is_idempotent=False),
    "closeBreakers": Call("closeBreakers", "POST", "/api/breakers/close", is_idempotent=False),
}


class SyncCalls(ABC):
    """The verbs, to be called plainly."""

    @abstractmethod
    def _call(
        self,
        call: Call,
        decode: Decode[T],
        *,
        parts: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | str | None = None,
        timeout: float | None = None,
    ) -> T: ...

    @overload
    def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: Literal[False] | None = None,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply: ...

    @overload
    def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: bool,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply | SkippedReply: ...

    def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: bool | None = None,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply | SkippedReply:
        """Keep one fact, with the code that proves it.

        The program reads every cited line now. A fact about a project needs a citation, a preference of a person
        (`kind="user"`) does not. What a program says of a person waits until that person approves it: look at
        `answer.pending`.

            kept = memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            kept.memory.handle    # "m-1"

        Where much the same is known, nothing is kept and `Similar` is raised; call again with `skip=True` to be content
        with that, with `merge_with` to replace it, or with `rationale` to keep both.

        Args:
            fact: One sentence.
            citations: Lines of code that prove it, as path:start-end.
            kind: project and reference need citations; user goes to the person's own space.
            layer: knowledge unless said.
            subject: What it is about, in a few words.
            reason: Why.
            said: The user's own words that say it, to be found in the session.
            ran: A command that shows it, to be found in the session.
            tags: Words to find it by.
            project: The project it belongs to, kept as the tag project:NAME.
            task: The task that it belongs to.
            skip: Be content where much the same is known.
            merge_with: The memory that this replaces, keeping its citations.
            rationale: Why both are needed.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['remember'], one_of(KeptReply, SkippedReply), body={"fact": fact, "citations": as_list(citations), "kind": kind, "layer": layer, "subject": subject, "reason": reason, "said": said, "ran": ran, "tags": as_list(tags), "project": project, "task": task, "skip": skip, "merge_with": merge_with, "rationale": rationale, "force": force, "tainted": tainted}, timeout=timeout)

    def recall(
        self,
        query: str | None = None,
        *,
        paths: str | Sequence[str] | None = None,
        limit: int | None = None,
        tokens: int | None = None,
        episodes: bool | None = None,
        log: bool | None = None,
        tag: str | None = None,
        project: str | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        citing: str | None = None,
        since: str | None = None,
        until: str | None = None,
        address: str | None = None,
        timeout: float | None = None,
    ) -> RecallReply:
        """Ask what is known, looked up in the code as it is now.

        `memories` may be relied on as their `standing` says. What the code contradicts is in `withheld`: correct it, do not
        use it. `block` is the whole answer as a text for a model; `relevant` is false where nothing matched and the most
        recent memories are shown instead.

            answer = memory.recall("which API version?", paths="src/api.rs")
            for it in answer.memories:
                print(it.handle, it.standing, it.fact)

        Args:
            query: In plain words; nothing asks for the most recent.
            paths: The files in play.
            limit: At most so many.
            tokens: At most so many tokens of a model's context, estimated; 2,000 characters unless said.
            episodes: Also what happened in earlier tasks.
            log: Whether it is written down that these were shown; yes unless said.
            tag: Only with this tag.
            project: Only of this project.
            kind: Only of this kind.
            citing: Only citing this file, or a file below this folder; `paths` are preferred, and leave nothing
                out.
            since: Recorded since: 7d, 24h, 2w, a date or a time.
            until: Recorded before.
            address: Only at this address or below it, such as /owner/name/episodes/.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['recall'], RecallReply.from_json, body={"query": query, "paths": as_list(paths), "limit": limit, "tokens": tokens, "episodes": episodes, "log": log, "tag": tag, "project": project, "kind": kind, "citing": citing, "since": since, "until": until, "address": address}, timeout=timeout)

    def list(
        self,
        *,
        layer: Literal["identity", "knowledge", "episode", "session"] | Sequence[Literal["identity", "knowledge", "episode", "session"]] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | Sequence[Literal["user", "feedback", "project", "reference"]] | None = None,
        status: Literal["pending", "active", "superseded", "invalid", "retired"] | Sequence[Literal["pending", "active", "superseded", "invalid", "retired"]] | None = None,
        origin: Literal["user-correction", "user", "review", "agent", "system"] | Sequence[Literal["user-correction", "user", "review", "agent", "system"]] | None = None,
        tag: str | None = None,
        project: str | None = None,
        address: str | None = None,
        path: str | None = None,
        task: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        order: Literal["newest", "oldest", "refreshed"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        timeout: float | None = None,
    ) -> MemoriesReply:
        """List memories by what they are; `next` of the answer is `after` of the next page.

        Args:
            layer: In which layers.
            kind: What sort of memory it is.
            status: Active and pending unless said.
            origin: Who said it.
            tag: Only with this tag.
            project: Of this project.
            address: At this address or below it, such as /owner/name/episodes/.
            path: Citing this file, or a file below this folder.
            task: The task that it belongs to.
            text: With this text in subject or fact.
            since: Recorded since: 7d, 24h, 2w, a date or a time.
            until: Recorded before.
            order: newest unless said.
            limit: At most so many; 50 unless said.
            after: What the page before said as `next`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['listMemories'], MemoriesReply.from_json, query={"layer": as_list(layer), "kind": as_list(kind), "status": as_list(status), "origin": as_list(origin), "tag": tag, "project": project, "address": address, "path": path, "task": task, "text": text, "since": since, "until": until, "order": order, "limit": limit, "after": after}, timeout=timeout)

    def show(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> MemoryDetailsReply:
        """Everything about one memory: its evidence, what it replaced, what happened to it.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['showMemory'], MemoryDetailsReply.from_json, parts={"name": name}, timeout=timeout)

    def verify(
        self,
        names: str | Sequence[str] | None = None,
        *,
        path: str | None = None,
        timeout: float | None = None,
    ) -> VerifyReply:
        """Look up the citations: do the facts still hold? Nothing is changed.

        `ok` is false where one does not hold; `counts` has how many stand how.

        Args:
            names: These memories; all that are in use unless said.
            path: Those that cite this file, or a file below this folder.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['verify'], VerifyReply.from_json, body={"names": as_list(names), "path": path}, timeout=timeout)

    def supersede(
        self,
        name: str,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        tags: str | Sequence[str] | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Replace a memory by a better one; the old one stays in the history.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so instead.
            citations: The old places that still hold, unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            reason: Why.
            tags: Words to find it by.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['supersede'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "citations": as_list(citations), "kind": kind, "subject": subject, "reason": reason, "tags": as_list(tags), "force": force, "tainted": tainted}, timeout=timeout)

    def correct(
        self,
        name: str,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        tags: str | Sequence[str] | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Replace a memory that is wrong by what is so.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so instead.
            citations: The old places that still hold, unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            reason: Why.
            tags: Words to find it by.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['correct'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "citations": as_list(citations), "kind": kind, "subject": subject, "reason": reason, "tags": as_list(tags), "force": force, "tainted": tainted}, timeout=timeout)

    def confirm(
        self,
        name: str,
        *,
        citations: str | Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory is still true in edited code; it cites the lines as they are now.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            citations: The lines that prove it; those that its lines became, unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['confirm'], RevisedReply.from_json, parts={"name": name}, body={"citations": as_list(citations)}, timeout=timeout)

    def refresh(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory still holds; refused where its code speaks against it.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['refresh'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    def invalidate(
        self,
        name: str,
        reason: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Mark a memory as wrong; it stays in the history.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['invalidate'], RevisedReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    def apply(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory was of use in a task. Memories that are used rank higher.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['apply'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    def promote(
        self,
        name: str,
        *,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        fact: str | None = None,
        reason: str | None = None,
        citations: str | Sequence[str] | None = None,
        task: str | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Make a note an episode, or an episode knowledge.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            layer: The next one unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            fact: It in better words.
            reason: Why.
            citations: Where it is proved now.
            task: The task that it belongs to.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['promote'], KeptReply.from_json, parts={"name": name}, body={"layer": layer, "kind": kind, "subject": subject, "fact": fact, "reason": reason, "citations": as_list(citations), "task": task}, timeout=timeout)

    def forget(
        self,
        name: str,
        *,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> ForgetReply:
        """Remove the text of a memory for good.

        Only a person forgets what a person said: a program is refused (`Refused`, class `not_a_person`), and the hint says
        what the person types.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['forget'], ForgetReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    def learn(
        self,
        turns: Sequence[Mapping[str, Any]] | None = None,
        *,
        shown: str | Sequence[str] | None = None,
        session: str | None = None,
        timeout: float | None = None,
    ) -> LearnedReply:
        """Learn from a part of a conversation that a program had with a model.

        What the person stated for good and nobody remembered is proposed, and waits for a person; it is never used before.
        Of the memories that the model was `shown`, those that it used are counted as applied.

            memory.learn(
                [{"speaker": "user", "text": "From now on, run the linter first."},
                 {"speaker": "assistant", "text": "Will do, see m-1."}],
                shown=["m-1"],
            )

        Args:
            turns: What was said, in its order: the person's own words, without what a program put beside them.
            shown: The memories that the model was shown before it answered.
            session: What the conversation is called.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['learn'], LearnedReply.from_json, body={"turns": turns, "shown": as_list(shown), "session": session}, timeout=timeout)

    def stats(
        self,
        *,
        timeout: float | None = None,
    ) -> StatsReply:
        """What is kept, in numbers, for each space.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['stats'], StatsReply.from_json, timeout=timeout)

    def audit(
        self,
        *,
        only: Literal["secret", "damage", "breaker", "instruction-like", "stale", "contradiction", "near-duplicate", "excluded", "missing-field", "ungrounded", "unmerged", "unused", "waiting", "notes", "soft-limit", "identity"] | Sequence[Literal["secret", "damage", "breaker", "instruction-like", "stale", "contradiction", "near-duplicate", "excluded", "missing-field", "ungrounded", "unmerged", "unused", "waiting", "notes", "soft-limit", "identity"]] | None = None,
        thorough: bool | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AuditReply:
        """What needs attention in what is kept, and the way out. Nothing is changed.

        Args:
            only: Only findings of these classes.
            thorough: Whether the store looks itself over, too, which takes a while.
            limit: At most so many of a class; `counts` has all.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['audit'], AuditReply.from_json, query={"only": as_list(only), "thorough": thorough, "limit": limit}, timeout=timeout)

    def impact(
        self,
        *,
        timeout: float | None = None,
    ) -> ImpactReply:
        """Whether memory helps: what was counted in sessions with and without it.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['impact'], ImpactReply.from_json, timeout=timeout)

    def spaces(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> SpacesReply:
        """The spaces of the store, with how much they hold.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['spaces'], SpacesReply.from_json, query={"limit": limit}, timeout=timeout)

    def events(
        self,
        *,
        memory: str | None = None,
        changes: bool | None = None,
        order: Literal["newest", "oldest"] | None = None,
        limit: int | None = None,
        after: int | None = None,
        timeout: float | None = None,
    ) -> LogReply:
        """What happened, without the text of memories.

        Args:
            memory: Only about this memory.
            changes: Only what changed where memories stand.
            order: newest unless said.
            limit: At most so many; 50 unless said.
            after: What the page before said as `next`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['events'], LogReply.from_json, query={"memory": memory, "changes": changes, "order": order, "limit": limit, "after": after}, timeout=timeout)

    def report(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        timeout: float | None = None,
    ) -> ReportReply:
        """What was done, by day.

        Args:
            since: 7d unless said: 24h, 2w, a date or a time.
            until: Now unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['report'], ReportReply.from_json, query={"since": since, "until": until}, timeout=timeout)

    def sessions(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> SessionsReply:
        """Sessions of agents, the latest first.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['sessions'], SessionsReply.from_json, query={"limit": limit}, timeout=timeout)

    def show_session(
        self,
        name: str,
        *,
        all: bool | None = None,
        timeout: float | None = None,
    ) -> SessionReply:
        """What a session was shown, and how that stands now.

        Args:
            name: What it is called.
            all: Every turn, and not only the last.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['showSession'], SessionReply.from_json, parts={"name": name}, query={"all": all}, timeout=timeout)

    def tasks(
        self,
        *,
        all: bool | None = None,
        timeout: float | None = None,
    ) -> TasksReply:
        """The tasks of the checkout.

        Args:
            all: Those that ended, too.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['tasks'], TasksReply.from_json, query={"all": all}, timeout=timeout)

    def show_task(
        self,
        slug: str,
        *,
        timeout: float | None = None,
    ) -> TaskReply:
        """One task, with its notes.

        Args:
            slug: The task's short name, as `tasks` has it.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['showTask'], TaskReply.from_json, parts={"slug": slug}, timeout=timeout)

    def export(
        self,
        *,
        format: Literal["json", "markdown", "jsonl", "notebook"] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Write everything out: an object, or a text in another format.

        Args:
            format: json unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['export'], as_it_is, query={"format": format}, timeout=timeout)

    def import_file(
        self,
        file: str,
        *,
        format: Literal["apostille", "notes", "mcp-graph", "claude", "rules", "basic-memory", "mem0", "claude-mem", "engram", "copilot"] | None = None,
        name: str | None = None,
        dry_run: bool | None = None,
        trust: bool | None = None,
        timeout: float | None = None,
    ) -> ImportReply:
        """Read an export, or a memory file of another tool; `file` is its text.

        Args:
            format: Found out unless said.
            name: What the file is called, where that tells its format.
            dry_run: Only tell what would become of it.
            trust: Vouch for the file; for passes that review.
            file: The text of the file.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['import'], ImportReply.from_json, query={"format": format, "name": name, "dry_run": dry_run, "trust": trust}, body=file, timeout=timeout)

    def review_queue(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> QueueReply:
        """What waits for a person.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['reviewQueue'], QueueReply.from_json, query={"limit": limit}, timeout=timeout)

    def breakers(
        self,
        *,
        timeout: float | None = None,
    ) -> BreakersReply:
        """Whose writes are held up, and why.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['openBreakers'], BreakersReply.from_json, timeout=timeout)

    def approve(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Let a pending memory be used. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['approve'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    def reject(
        self,
        name: str,
        *,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Turn a pending memory away. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['reject'], RevisedReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    def reword(
        self,
        name: str,
        *,
        fact: str,
        subject: str | None = None,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Approve a pending memory in other words. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so, in one sentence.
            subject: What it is about, in a few words.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['reword'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "subject": subject, "reason": reason}, timeout=timeout)

    def merge(
        self,
        name: str,
        *,
        into: str,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Merge a pending memory into another one. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            into: The memory that is in use.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['merge'], RevisedReply.from_json, parts={"name": name}, body={"into": into}, timeout=timeout)

    def close_breakers(
        self,
        *,
        actor: str | None = None,
        timeout: float | None = None,
    ) -> BreakersReply:
        """Let held-up writers write again. Takes a token that reviews.

        Args:
            actor: Only this one's; everybody's unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return self._call(CALLS['closeBreakers'], BreakersReply.from_json, body={"actor": actor}, timeout=timeout)


class AsyncCalls(ABC):
    """The verbs, to be called with `await`."""

    @abstractmethod
    async def _call(
        self,
        call: Call,
        decode: Decode[T],
        *,
        parts: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | str | None = None,
        timeout: float | None = None,
    ) -> T: ...

    @overload
    async def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: Literal[False] | None = None,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply: ...

    @overload
    async def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: bool,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply | SkippedReply: ...

    async def remember(
        self,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        said: str | None = None,
        ran: str | None = None,
        tags: str | Sequence[str] | None = None,
        project: str | None = None,
        task: str | None = None,
        skip: bool | None = None,
        merge_with: str | None = None,
        rationale: str | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply | SkippedReply:
        """Keep one fact, with the code that proves it.

        The program reads every cited line now. A fact about a project needs a citation, a preference of a person
        (`kind="user"`) does not. What a program says of a person waits until that person approves it: look at
        `answer.pending`.

            kept = await memory.remember("API_VERSION is 3", citations="src/api.rs:3")
            kept.await memory.handle    # "m-1"

        Where much the same is known, nothing is kept and `Similar` is raised; call again with `skip=True` to be content
        with that, with `merge_with` to replace it, or with `rationale` to keep both.

        Args:
            fact: One sentence.
            citations: Lines of code that prove it, as path:start-end.
            kind: project and reference need citations; user goes to the person's own space.
            layer: knowledge unless said.
            subject: What it is about, in a few words.
            reason: Why.
            said: The user's own words that say it, to be found in the session.
            ran: A command that shows it, to be found in the session.
            tags: Words to find it by.
            project: The project it belongs to, kept as the tag project:NAME.
            task: The task that it belongs to.
            skip: Be content where much the same is known.
            merge_with: The memory that this replaces, keeping its citations.
            rationale: Why both are needed.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['remember'], one_of(KeptReply, SkippedReply), body={"fact": fact, "citations": as_list(citations), "kind": kind, "layer": layer, "subject": subject, "reason": reason, "said": said, "ran": ran, "tags": as_list(tags), "project": project, "task": task, "skip": skip, "merge_with": merge_with, "rationale": rationale, "force": force, "tainted": tainted}, timeout=timeout)

    async def recall(
        self,
        query: str | None = None,
        *,
        paths: str | Sequence[str] | None = None,
        limit: int | None = None,
        tokens: int | None = None,
        episodes: bool | None = None,
        log: bool | None = None,
        tag: str | None = None,
        project: str | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        citing: str | None = None,
        since: str | None = None,
        until: str | None = None,
        address: str | None = None,
        timeout: float | None = None,
    ) -> RecallReply:
        """Ask what is known, looked up in the code as it is now.

        `memories` may be relied on as their `standing` says. What the code contradicts is in `withheld`: correct it, do not
        use it. `block` is the whole answer as a text for a model; `relevant` is false where nothing matched and the most
        recent memories are shown instead.

            answer = await memory.recall("which API version?", paths="src/api.rs")
            for it in answer.memories:
                print(it.handle, it.standing, it.fact)

        Args:
            query: In plain words; nothing asks for the most recent.
            paths: The files in play.
            limit: At most so many.
            tokens: At most so many tokens of a model's context, estimated; 2,000 characters unless said.
            episodes: Also what happened in earlier tasks.
            log: Whether it is written down that these were shown; yes unless said.
            tag: Only with this tag.
            project: Only of this project.
            kind: Only of this kind.
            citing: Only citing this file, or a file below this folder; `paths` are preferred, and leave nothing
                out.
            since: Recorded since: 7d, 24h, 2w, a date or a time.
            until: Recorded before.
            address: Only at this address or below it, such as /owner/name/episodes/.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['recall'], RecallReply.from_json, body={"query": query, "paths": as_list(paths), "limit": limit, "tokens": tokens, "episodes": episodes, "log": log, "tag": tag, "project": project, "kind": kind, "citing": citing, "since": since, "until": until, "address": address}, timeout=timeout)

    async def list(
        self,
        *,
        layer: Literal["identity", "knowledge", "episode", "session"] | Sequence[Literal["identity", "knowledge", "episode", "session"]] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | Sequence[Literal["user", "feedback", "project", "reference"]] | None = None,
        status: Literal["pending", "active", "superseded", "invalid", "retired"] | Sequence[Literal["pending", "active", "superseded", "invalid", "retired"]] | None = None,
        origin: Literal["user-correction", "user", "review", "agent", "system"] | Sequence[Literal["user-correction", "user", "review", "agent", "system"]] | None = None,
        tag: str | None = None,
        project: str | None = None,
        address: str | None = None,
        path: str | None = None,
        task: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        order: Literal["newest", "oldest", "refreshed"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        timeout: float | None = None,
    ) -> MemoriesReply:
        """List memories by what they are; `next` of the answer is `after` of the next page.

        Args:
            layer: In which layers.
            kind: What sort of memory it is.
            status: Active and pending unless said.
            origin: Who said it.
            tag: Only with this tag.
            project: Of this project.
            address: At this address or below it, such as /owner/name/episodes/.
            path: Citing this file, or a file below this folder.
            task: The task that it belongs to.
            text: With this text in subject or fact.
            since: Recorded since: 7d, 24h, 2w, a date or a time.
            until: Recorded before.
            order: newest unless said.
            limit: At most so many; 50 unless said.
            after: What the page before said as `next`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['listMemories'], MemoriesReply.from_json, query={"layer": as_list(layer), "kind": as_list(kind), "status": as_list(status), "origin": as_list(origin), "tag": tag, "project": project, "address": address, "path": path, "task": task, "text": text, "since": since, "until": until, "order": order, "limit": limit, "after": after}, timeout=timeout)

    async def show(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> MemoryDetailsReply:
        """Everything about one memory: its evidence, what it replaced, what happened to it.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['showMemory'], MemoryDetailsReply.from_json, parts={"name": name}, timeout=timeout)

    async def verify(
        self,
        names: str | Sequence[str] | None = None,
        *,
        path: str | None = None,
        timeout: float | None = None,
    ) -> VerifyReply:
        """Look up the citations: do the facts still hold? Nothing is changed.

        `ok` is false where one does not hold; `counts` has how many stand how.

        Args:
            names: These memories; all that are in use unless said.
            path: Those that cite this file, or a file below this folder.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['verify'], VerifyReply.from_json, body={"names": as_list(names), "path": path}, timeout=timeout)

    async def supersede(
        self,
        name: str,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        tags: str | Sequence[str] | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Replace a memory by a better one; the old one stays in the history.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so instead.
            citations: The old places that still hold, unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            reason: Why.
            tags: Words to find it by.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['supersede'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "citations": as_list(citations), "kind": kind, "subject": subject, "reason": reason, "tags": as_list(tags), "force": force, "tainted": tainted}, timeout=timeout)

    async def correct(
        self,
        name: str,
        fact: str,
        *,
        citations: str | Sequence[str] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        reason: str | None = None,
        tags: str | Sequence[str] | None = None,
        force: bool | None = None,
        tainted: bool | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Replace a memory that is wrong by what is so.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so instead.
            citations: The old places that still hold, unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            reason: Why.
            tags: Words to find it by.
            force: A person's word that overrides a check; for passes that review.
            tainted: The words come from outside.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['correct'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "citations": as_list(citations), "kind": kind, "subject": subject, "reason": reason, "tags": as_list(tags), "force": force, "tainted": tainted}, timeout=timeout)

    async def confirm(
        self,
        name: str,
        *,
        citations: str | Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory is still true in edited code; it cites the lines as they are now.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            citations: The lines that prove it; those that its lines became, unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['confirm'], RevisedReply.from_json, parts={"name": name}, body={"citations": as_list(citations)}, timeout=timeout)

    async def refresh(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory still holds; refused where its code speaks against it.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['refresh'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    async def invalidate(
        self,
        name: str,
        reason: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Mark a memory as wrong; it stays in the history.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['invalidate'], RevisedReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    async def apply(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Say that a memory was of use in a task. Memories that are used rank higher.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['apply'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    async def promote(
        self,
        name: str,
        *,
        layer: Literal["identity", "knowledge", "episode", "session"] | None = None,
        kind: Literal["user", "feedback", "project", "reference"] | None = None,
        subject: str | None = None,
        fact: str | None = None,
        reason: str | None = None,
        citations: str | Sequence[str] | None = None,
        task: str | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Make a note an episode, or an episode knowledge.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            layer: The next one unless said.
            kind: What sort of memory it is.
            subject: What it is about, in a few words.
            fact: It in better words.
            reason: Why.
            citations: Where it is proved now.
            task: The task that it belongs to.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['promote'], KeptReply.from_json, parts={"name": name}, body={"layer": layer, "kind": kind, "subject": subject, "fact": fact, "reason": reason, "citations": as_list(citations), "task": task}, timeout=timeout)

    async def forget(
        self,
        name: str,
        *,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> ForgetReply:
        """Remove the text of a memory for good.

        Only a person forgets what a person said: a program is refused (`Refused`, class `not_a_person`), and the hint says
        what the person types.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['forget'], ForgetReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    async def learn(
        self,
        turns: Sequence[Mapping[str, Any]] | None = None,
        *,
        shown: str | Sequence[str] | None = None,
        session: str | None = None,
        timeout: float | None = None,
    ) -> LearnedReply:
        """Learn from a part of a conversation that a program had with a model.

        What the person stated for good and nobody remembered is proposed, and waits for a person; it is never used before.
        Of the memories that the model was `shown`, those that it used are counted as applied.

            await memory.learn(
                [{"speaker": "user", "text": "From now on, run the linter first."},
                 {"speaker": "assistant", "text": "Will do, see m-1."}],
                shown=["m-1"],
            )

        Args:
            turns: What was said, in its order: the person's own words, without what a program put beside them.
            shown: The memories that the model was shown before it answered.
            session: What the conversation is called.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['learn'], LearnedReply.from_json, body={"turns": turns, "shown": as_list(shown), "session": session}, timeout=timeout)

    async def stats(
        self,
        *,
        timeout: float | None = None,
    ) -> StatsReply:
        """What is kept, in numbers, for each space.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['stats'], StatsReply.from_json, timeout=timeout)

    async def audit(
        self,
        *,
        only: Literal["secret", "damage", "breaker", "instruction-like", "stale", "contradiction", "near-duplicate", "excluded", "missing-field", "ungrounded", "unmerged", "unused", "waiting", "notes", "soft-limit", "identity"] | Sequence[Literal["secret", "damage", "breaker", "instruction-like", "stale", "contradiction", "near-duplicate", "excluded", "missing-field", "ungrounded", "unmerged", "unused", "waiting", "notes", "soft-limit", "identity"]] | None = None,
        thorough: bool | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AuditReply:
        """What needs attention in what is kept, and the way out. Nothing is changed.

        Args:
            only: Only findings of these classes.
            thorough: Whether the store looks itself over, too, which takes a while.
            limit: At most so many of a class; `counts` has all.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['audit'], AuditReply.from_json, query={"only": as_list(only), "thorough": thorough, "limit": limit}, timeout=timeout)

    async def impact(
        self,
        *,
        timeout: float | None = None,
    ) -> ImpactReply:
        """Whether memory helps: what was counted in sessions with and without it.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['impact'], ImpactReply.from_json, timeout=timeout)

    async def spaces(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> SpacesReply:
        """The spaces of the store, with how much they hold.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['spaces'], SpacesReply.from_json, query={"limit": limit}, timeout=timeout)

    async def events(
        self,
        *,
        memory: str | None = None,
        changes: bool | None = None,
        order: Literal["newest", "oldest"] | None = None,
        limit: int | None = None,
        after: int | None = None,
        timeout: float | None = None,
    ) -> LogReply:
        """What happened, without the text of memories.

        Args:
            memory: Only about this memory.
            changes: Only what changed where memories stand.
            order: newest unless said.
            limit: At most so many; 50 unless said.
            after: What the page before said as `next`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['events'], LogReply.from_json, query={"memory": memory, "changes": changes, "order": order, "limit": limit, "after": after}, timeout=timeout)

    async def report(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        timeout: float | None = None,
    ) -> ReportReply:
        """What was done, by day.

        Args:
            since: 7d unless said: 24h, 2w, a date or a time.
            until: Now unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['report'], ReportReply.from_json, query={"since": since, "until": until}, timeout=timeout)

    async def sessions(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> SessionsReply:
        """Sessions of agents, the latest first.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['sessions'], SessionsReply.from_json, query={"limit": limit}, timeout=timeout)

    async def show_session(
        self,
        name: str,
        *,
        all: bool | None = None,
        timeout: float | None = None,
    ) -> SessionReply:
        """What a session was shown, and how that stands now.

        Args:
            name: What it is called.
            all: Every turn, and not only the last.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['showSession'], SessionReply.from_json, parts={"name": name}, query={"all": all}, timeout=timeout)

    async def tasks(
        self,
        *,
        all: bool | None = None,
        timeout: float | None = None,
    ) -> TasksReply:
        """The tasks of the checkout.

        Args:
            all: Those that ended, too.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['tasks'], TasksReply.from_json, query={"all": all}, timeout=timeout)

    async def show_task(
        self,
        slug: str,
        *,
        timeout: float | None = None,
    ) -> TaskReply:
        """One task, with its notes.

        Args:
            slug: The task's short name, as `tasks` has it.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['showTask'], TaskReply.from_json, parts={"slug": slug}, timeout=timeout)

    async def export(
        self,
        *,
        format: Literal["json", "markdown", "jsonl", "notebook"] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Write everything out: an object, or a text in another format.

        Args:
            format: json unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['export'], as_it_is, query={"format": format}, timeout=timeout)

    async def import_file(
        self,
        file: str,
        *,
        format: Literal["apostille", "notes", "mcp-graph", "claude", "rules", "basic-memory", "mem0", "claude-mem", "engram", "copilot"] | None = None,
        name: str | None = None,
        dry_run: bool | None = None,
        trust: bool | None = None,
        timeout: float | None = None,
    ) -> ImportReply:
        """Read an export, or a memory file of another tool; `file` is its text.

        Args:
            format: Found out unless said.
            name: What the file is called, where that tells its format.
            dry_run: Only tell what would become of it.
            trust: Vouch for the file; for passes that review.
            file: The text of the file.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['import'], ImportReply.from_json, query={"format": format, "name": name, "dry_run": dry_run, "trust": trust}, body=file, timeout=timeout)

    async def review_queue(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> QueueReply:
        """What waits for a person.

        Args:
            limit: At most so many; 50 unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['reviewQueue'], QueueReply.from_json, query={"limit": limit}, timeout=timeout)

    async def breakers(
        self,
        *,
        timeout: float | None = None,
    ) -> BreakersReply:
        """Whose writes are held up, and why.

        Args:
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['openBreakers'], BreakersReply.from_json, timeout=timeout)

    async def approve(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Let a pending memory be used. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['approve'], RevisedReply.from_json, parts={"name": name}, timeout=timeout)

    async def reject(
        self,
        name: str,
        *,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Turn a pending memory away. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['reject'], RevisedReply.from_json, parts={"name": name}, body={"reason": reason}, timeout=timeout)

    async def reword(
        self,
        name: str,
        *,
        fact: str,
        subject: str | None = None,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> KeptReply:
        """Approve a pending memory in other words. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            fact: What is so, in one sentence.
            subject: What it is about, in a few words.
            reason: Why.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['reword'], KeptReply.from_json, parts={"name": name}, body={"fact": fact, "subject": subject, "reason": reason}, timeout=timeout)

    async def merge(
        self,
        name: str,
        *,
        into: str,
        timeout: float | None = None,
    ) -> RevisedReply:
        """Merge a pending memory into another one. Takes a token that reviews.

        Args:
            name: The handle or the id of a memory, such as `m-12`.
            into: The memory that is in use.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['merge'], RevisedReply.from_json, parts={"name": name}, body={"into": into}, timeout=timeout)

    async def close_breakers(
        self,
        *,
        actor: str | None = None,
        timeout: float | None = None,
    ) -> BreakersReply:
        """Let held-up writers write again. Takes a token that reviews.

        Args:
            actor: Only this one's; everybody's unless said.
            timeout: Seconds until `TimedOut` is raised, where it is not the client's own.
        """
        return await self._call(CALLS['closeBreakers'], BreakersReply.from_json, body={"actor": actor}, timeout=timeout)
