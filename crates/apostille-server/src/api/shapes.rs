//! The shapes that have a name: what `crate::json` writes, told in the words of [`super::about`].
//!
//! They are closed: a field that is answered and not told here fails a test.

mod answers;

use apostille_agents::client::Client;
use apostille_agents::session::Moment;
use apostille_cite::verdict::Change;
use apostille_core::audit::{Class, Severity};
use apostille_core::event::{Breaker, Happening};
use apostille_core::memory::{Channel, Kind, Layer, Mark, Origin, Stage};
use apostille_import::format::Format;
use apostille_tasks::task::Status;

use super::about::Shape::{
    Any, Count, Few, Flag, Is, Like, List, Map, Number, Object, Of, OrNull, Text, Time, Words,
};
use super::about::{Field, Shape, has, may};
pub(super) use answers::{
    AUDITED, BREAKERS, COUNTED, DONE, FORGOTTEN, IMPORTED, KEPT, KEPT_OR_SKIPPED, LIMIT, LISTED,
    LOG, QUEUE, RECALLED, REPORT, SESSION, SESSIONS, SPACES, TASK_WHOLE, TASKS, VERIFIED, WHOLE,
};

macro_rules! all {
    ($($name:ident = $words:ty,)+) => {
        $(pub(super) const $name: Shape =
            Words(|| <$words>::ALL.iter().map(|it| it.as_str()).collect());)+
    };
}

all! {
    LAYER = Layer, KIND = Kind, ORIGIN = Origin, CHANNEL = Channel, STAGE = Stage, MARK = Mark, CHANGE = Change,
    HAPPENING = Happening, BREAKER = Breaker, CLASS = Class, SEVERITY = Severity, CLIENT = Client, MOMENT = Moment,
    TASK_STATUS = Status, FORMAT = Format, EXPORT = apostille_core::export::Format,
}

const VERDICT: Shape = Words(|| vec!["holds", "moved", "changed", "gone", "unknown"]);
const STANDING: Shape =
    Words(|| vec!["holds", "moved", "changed", "gone", "unknown", "unverified"]);
const RELATION: Shape = Words(|| vec!["near-duplicate", "contradiction"]);
const CARE: Shape = Words(|| vec!["safe", "unproven", "doubtful", "outside", "suspicious"]);
const CHOICE: Shape = Words(|| vec!["skip", "merge", "create"]);
const DEED: Shape = Words(|| vec!["healed", "invalidated"]);

/// A memory, by its short name.
pub(super) const MEMORY: Shape = Of("Memory");
const MEMORIES: Shape = List(&MEMORY);
const TEXTS: Shape = List(&Text);
const COUNTS: Shape = Map(&Count);
/// A handle, or an id.
pub(super) const NAME: Shape = Like(
    "^([mu]-[1-9][0-9]{0,11}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
    "m-1",
);
/// A repository.
pub(super) const REPO: Shape = Like("^([A-Za-z0-9._-]+/){1,7}[A-Za-z0-9._-]+$", "myorg/myapp");
/// A time, or how long ago.
pub(super) const WHEN: Shape = Like(
    "^([0-9]{1,6}[hdw]|[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-9:.]+Z)?)$",
    "2026-02-26",
);
/// Places in code.
pub(super) const CITATIONS: Shape = Few(
    &Like("^.+:[1-9][0-9]{0,6}(-[1-9][0-9]{0,6})?$", "src/api.rs:3"),
    100,
);
/// Words to find a memory by.
pub(super) const TAGS: Shape = Few(&Text, 100);

const CITATION: Shape = Object(&[
    has("path", Text),
    has("line_start", Count),
    has("line_end", Count),
    may("sha", Text).told("the commit that was checked out"),
    may("blob", Text),
    has("snippet", Text),
    has("snippet_hash", Text),
    may("before", TEXTS),
    may("after", TEXTS),
]);

macro_rules! record {
    ($($more:expr),* $(,)?) => {
        &[
            has("id", Text),
            has("number", Count),
            has("space", Text),
            has("layer", LAYER),
            has("kind", KIND),
            may("subject", Text),
            has("fact", Text),
            may("reason", Text),
            may("citations", List(&Of("Citation"))),
            may("tags", TEXTS),
            has("origin", ORIGIN),
            may("channel", CHANNEL),
            may("tainted", Flag),
            may("exposed", Flag),
            may("author", Text),
            may("session", Text),
            may("task", Text),
            may("marks", List(&MARK)),
            has("status", STAGE),
            may("status_why", Text),
            may("superseded_by", Text),
            may("supersedes", Text),
            may("vouchers", TEXTS),
            has("recorded_at", Time),
            has("refreshed_at", Time),
            may("recalls", Count),
            may("applied", Count),
            may("verified", Count),
            may("digest", Text),
            may("v", Count),
            $($more),*
        ]
    };
}

const RECORD: Shape = Object(record!());
const MEMORY_VIEW: Shape = Object(record!(
    has("handle", Text).told("`m-12` in a repository, `u-3` for a person"),
    may("standing", STANDING).told("the worst verdict, from the checkout of this server"),
    may("verdicts", List(&Of("Verdict"))).told("one for each citation"),
    may("unmerged", Flag),
    may("deed", DEED),
    may("score", Number),
    may("why", Of("Why")),
));

const VERDICT_VIEW: Shape = Object(&[
    has("place", Text),
    has("verdict", VERDICT),
    may("moved_to", Text),
    may("change", CHANGE),
    may("harmless", Flag),
    may("at", Text),
    may("now", Text).told("the lines that stand there now"),
    may("similarity", Number),
    may("since", Text),
    may("contradicted", TEXTS),
    may("why", Text),
]);

const WHY: Shape = Object(&[
    has("relevance", Number),
    has("clarity", Number),
    has("terms", TEXTS),
    has("recency", Number),
    has("trust", Number),
    has("trust_terms", TEXTS),
    has("usefulness", Number),
    has("affinity", Number),
]);

const NEAR: Shape = Object(&[
    has("id", Text),
    has("handle", Text),
    has("fact", Text),
    has("relation", RELATION),
    has("overlap", Number),
]);

const EVENT: Shape = Object(&[
    has("seq", Count),
    has("event", HAPPENING),
    has("at", Time),
    has("space", Text),
    may("id", Text),
    may("handle", Text),
    may("actor", Text),
    may("memory", Of("Record")),
    may("forced", Flag),
    may("rationale", Text),
    may("citations", List(&Of("Citation"))),
    may("by", Text),
    may("reason", Text),
    may("found", TEXTS),
    may("commit", Text),
    may("query", Text),
    may(
        "shown",
        List(&Object(&[
            has("id", Text),
            has("score", Number),
            has("verdict", Text),
        ])),
    ),
    may("class", Text),
    may("diff", Text),
    may("voucher", Text),
    may("number", Count),
    may("status", STAGE),
    may("refreshed_at", Time),
    may("to", Count),
    may("counts", List(&Count)),
    may("breaker", BREAKER),
    may("about", Text),
    may("was", Any),
]);

const TRIP: Shape = Object(&[
    has("breaker", BREAKER),
    may("actor", Text),
    has("space", Text),
    has("at", Time),
    has("why", Text),
]);

const STATS: Shape = Object(&[
    has("space", Text),
    has("active", Count),
    has("soft_limit", Count),
    has("over_soft_limit", Flag),
    has("status", COUNTS),
    has("layers", COUNTS),
    has("identity_percent", Count),
    has("identity_chars", Count),
    has("verified_share", OrNull(&Number)),
    has("events", COUNTS),
    has("breakers", List(&Of("Breaker"))),
]);

const FINDING: Shape = Object(&[
    has("class", CLASS),
    has("severity", SEVERITY),
    may("space", Text),
    has("what", Text),
    has(
        "memories",
        List(&Object(&[
            has("id", Text),
            has("handle", Text),
            may("fact", Text),
            may("standing", STANDING),
            may("place", Text),
        ])),
    ),
    may("more", Count),
    may("keep", Text),
    has("command", Text),
]);

const TASK: Shape = Object(&[
    has("slug", Text),
    has("title", Text),
    has("status", TASK_STATUS),
    has("active", Flag),
    may("left_open", Flag),
    may("from_elsewhere", Flag),
    may("phase", Text),
    has("phases", TEXTS),
    has("passed", TEXTS),
    has("started_at", Time),
    has("touched_at", Time),
    may("commit", Text),
    may("by", Text),
    has("notes", COUNTS),
    may("outcome", Text),
]);

const LINE: Shape = Object(&[
    has("handle", Text),
    has("id", Text),
    has("fact", OrNull(&Text)),
    has("standing", Text).told("how it stood when it was shown"),
    has("now", OrNull(&STANDING)),
    has("applied", Flag),
    has("score", Number),
    has("why", Of("Why")),
]);

const FILE: Shape = Object(&[
    has("file", Text),
    has("format", FORMAT),
    has("kept", Count),
    has("known", Count),
    has("waiting", Count),
    has("let_in", Count),
    has(
        "changed",
        List(&Object(&[has("at", Text), has("what", Text)])),
    ),
    has("refused", List(&Of("RefusedAt"))),
    has(
        "left_out",
        List(&Object(&[has("at", Text), has("why", Text)])),
    ),
]);

const REFUSAL: &[Field] = &[has("class", Text), has("message", Text)];

/// Every shape that has a name.
pub(super) const NAMED: &[(&str, Shape)] = &[
    ("Citation", CITATION),
    ("Record", RECORD),
    ("Memory", MEMORY_VIEW),
    ("Verdict", VERDICT_VIEW),
    ("Why", WHY),
    ("Near", NEAR),
    ("Event", EVENT),
    ("Breaker", TRIP),
    ("Stats", STATS),
    ("Finding", FINDING),
    ("Task", TASK),
    ("Line", LINE),
    ("File", FILE),
    (
        "RefusedAt",
        Object(&[
            has("file", Text),
            has("at", Text),
            has("class", Text),
            has("message", Text),
        ]),
    ),
    (
        "Refused",
        Object(&[has("ok", Is(false)), has("refused", Object(REFUSAL))]),
    ),
    (
        "Similar",
        Object(&[
            has("ok", Is(false)),
            has("similar", List(&Of("Near"))),
            may("choices", List(&CHOICE)).told("what can be said to have it all the same"),
        ]),
    ),
    (
        "Error",
        Object(&[
            has("ok", Is(false)),
            has("error", Object(&[has("message", Text)])),
        ]),
    ),
];
