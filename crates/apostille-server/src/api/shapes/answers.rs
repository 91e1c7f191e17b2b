//! What each call answers, as a whole.

use super::{CARE, CLIENT, COUNTS, MEMORIES, MEMORY, MOMENT, TEXTS};
use crate::api::about::Shape::{Count, Either, Flag, Is, List, Object, Of, Text, Time, UpTo};
use crate::api::about::{Field, Shape, has, may};

/// Memories, and where a listing goes on.
pub(in crate::api) const LISTED: Shape = Object(&[
    has("ok", Is(true)),
    has("memories", MEMORIES),
    may("next", Text).told("say it as `after` to read on"),
]);
/// Memories that something was done to.
pub(in crate::api) const DONE: Shape = Object(&[
    has("ok", Is(true)),
    has("outcome", Text),
    has("memories", MEMORIES),
]);
/// A memory that was kept.
pub(in crate::api) const KEPT: Shape = Object(&[
    has("ok", Is(true)),
    has("outcome", Text),
    has("memory", MEMORY),
    may("pending", Text).told("why it waits for a person"),
    may("identity_percent", Count),
    may("retired", Count),
    may("superseded", Of("Near")).told("what it contradicts, and took the place of by itself"),
]);
/// The same, or that it was left.
pub(in crate::api) const KEPT_OR_SKIPPED: Shape = Either(&[
    KEPT,
    Object(&[
        has("ok", Is(true)),
        has("outcome", Text),
        has("similar", List(&Of("Near"))),
    ]),
]);
/// What was forgotten.
pub(in crate::api) const FORGOTTEN: Shape = Object(&[
    has("ok", Is(true)),
    has("outcome", Text),
    has(
        "memories",
        List(&Object(&[
            has("id", Text),
            has("handle", Text),
            has("space", Text),
        ])),
    ),
]);
/// Everything about one memory.
pub(in crate::api) const WHOLE: Shape = Object(&[
    has("ok", Is(true)),
    has("memory", MEMORY),
    has("supersedes", MEMORIES),
    has("superseded_by", MEMORIES),
    has("history", List(&Of("Event"))),
]);
/// What was recalled.
pub(in crate::api) const RECALLED: Shape = Object(&[
    has("ok", Is(true)),
    has("relevant", Flag),
    has("memories", MEMORIES),
    has("withheld", MEMORIES).told("what does not hold here"),
    has("block", Text).told("the text to put before a model"),
    has("problems", TEXTS),
]);
/// What was found at citations.
pub(in crate::api) const VERIFIED: Shape = Object(&[
    has("ok", Flag),
    has("settled", Flag),
    has("counts", COUNTS),
    has("memories", MEMORIES),
]);
/// What needs attention.
pub(in crate::api) const AUDITED: Shape = Object(&[
    has("ok", Flag),
    has("at", Time),
    has("spaces", TEXTS),
    may("commit", Text),
    has("memories", COUNTS),
    has("unknown", Count),
    has("complete", Flag).told("whether it came to its end"),
    has("counts", COUNTS),
    has("affected", COUNTS),
    has("findings", List(&Of("Finding"))),
]);
/// What waits for a person.
pub(in crate::api) const QUEUE: Shape = Object(&[
    has("ok", Is(true)),
    has("waiting", Count),
    has("counts", COUNTS),
    has(
        "queue",
        List(&Object(&[
            has("memory", MEMORY),
            has("care", CARE),
            has("safe", Flag),
            has("waits_because", Text),
            has("unsaid", TEXTS),
            has("near", List(&Of("Near"))),
            may("replaces", Text),
            has("copies", TEXTS),
        ])),
    ),
]);
/// Spaces in numbers.
pub(in crate::api) const COUNTED: Shape =
    Object(&[has("ok", Is(true)), has("spaces", List(&Of("Stats")))]);
/// The spaces there are.
pub(in crate::api) const SPACES: Shape = Object(&[
    has("ok", Is(true)),
    has(
        "spaces",
        List(&Object(&[
            has("space", Text),
            has("active", Count),
            has("pending", Count),
            has("memories", Count),
        ])),
    ),
]);
/// A part of the log.
pub(in crate::api) const LOG: Shape = Object(&[
    has("ok", Is(true)),
    has("events", List(&Of("Event"))),
    may("next", Count).told("say it as `after` to read on"),
]);
/// Breakers.
pub(in crate::api) const BREAKERS: Shape = Object(&[
    has("ok", Is(true)),
    may("outcome", Text),
    has("breakers", List(&Of("Breaker"))),
]);
/// Sessions.
pub(in crate::api) const SESSIONS: Shape = Object(&[
    has("ok", Is(true)),
    has(
        "sessions",
        List(&Object(&[
            has("session", Text),
            has("client", CLIENT),
            has("repo", Text),
            has("at", Time),
            has("turns", Count),
            has("shown", Count),
        ])),
    ),
]);
/// What a session was shown.
pub(in crate::api) const SESSION: Shape = Object(&[
    has("ok", Is(true)),
    may("session", Text),
    may("client", CLIENT),
    has(
        "moments",
        List(&Object(&[
            has("turn", Count),
            has("at", Time),
            has("moment", MOMENT),
            has("ignored", Flag),
            has("shown", List(&Of("Line"))),
            has("withheld", List(&Of("Line"))),
        ])),
    ),
]);
/// Tasks.
pub(in crate::api) const TASKS: Shape =
    Object(&[has("ok", Is(true)), has("tasks", List(&Of("Task")))]);
/// A task with its notes.
pub(in crate::api) const TASK_WHOLE: Shape = Object(&[
    has("ok", Is(true)),
    has("task", Of("Task")),
    has("memories", MEMORIES),
    has("resolved", TEXTS),
]);
/// What was done, by day.
pub(in crate::api) const REPORT: Shape = Object(&[
    has("ok", Is(true)),
    has("since", Time),
    has("until", Time),
    may("cut", Flag),
    has(
        "days",
        List(&Object(&[
            has("date", Text),
            has(
                "items",
                List(&Object(&[
                    has("space", Text),
                    may("task", Text),
                    may("title", Text),
                    may("status", Text),
                    may("outcome", Text),
                    may("summary", MEMORY),
                    has("decisions", MEMORIES),
                    has("sessions", MEMORIES),
                    has("notes", Count),
                ])),
            ),
        ])),
    ),
]);
/// What became of a file.
pub(in crate::api) const IMPORTED: Shape = Object(&[
    has("ok", Flag),
    has("dry_run", Flag),
    has("kept", Count),
    has("known", Count),
    has("waiting", Count),
    has("let_in", Count),
    has("refused", List(&Of("RefusedAt"))),
    has("files", List(&Of("File"))),
]);
/// How many are asked for, in most listings.
pub(in crate::api) const LIMIT: Field =
    may("limit", UpTo(200)).told("at most so many; 50 unless said");
