//! Memories that are there are corrected, replaced, called fresh, marked as wrong, promoted.

use apostille_core::memory::{Draft, Memory, Name, Replacement};
use apostille_core::promote::{Promotion, promote as core_promote};
use apostille_core::remember::Outcome;
use apostille_core::revise::{self, Revised};
use apostille_core::verify::look;
use apostille_core::{Context, Error};

use super::about::Shape::{Flag, Said, Text};
use super::about::{About, Body, Call, Content, Field, has, may};
use super::errand::{Errand, refused, turned_away};
use super::shapes;
use crate::Fault;
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};

const SAID: &[Field] = &[
    has("fact", Said).told("what is so instead"),
    may("citations", shapes::CITATIONS).told("the old places that still hold, unless said"),
    may("kind", shapes::KIND),
    may("subject", Text),
    may("reason", Text),
    may("tags", shapes::TAGS),
    may("force", Flag).told("a person's word that overrides a check; for passes that review"),
    may("tainted", Flag).told("the words come from outside"),
];

const fn keeps(
    path: &'static str,
    run: super::Run,
    id: &'static str,
    summary: &'static str,
) -> Call {
    Call {
        route: Route {
            method: Method::Post,
            path,
            need: Access::Write,
            run,
        },
        about: About {
            id,
            summary,
            tag: "revise",
            query: &[],
            body: Body::Fields(SAID),
            done: &[
                (200, Content::Json(shapes::KEPT)),
                (201, Content::Json(shapes::KEPT)),
            ],
            may_refuse: true,
        },
    }
}

const fn does(
    path: &'static str,
    run: super::Run,
    id: &'static str,
    summary: &'static str,
    body: &'static [Field],
) -> Call {
    Call {
        route: Route {
            method: Method::Post,
            path,
            need: Access::Write,
            run,
        },
        about: About {
            id,
            summary,
            tag: "revise",
            query: &[],
            body: Body::Fields(body),
            done: &[(200, Content::Json(shapes::DONE))],
            may_refuse: true,
        },
    }
}

/// Replaces a memory by a better one.
pub(super) const SUPERSEDE: Call = keeps(
    "/api/memories/{name}/supersede",
    supersede,
    "supersede",
    "Replace a memory by a better one; the old one stays in the history",
);
/// Replaces a memory that was wrong.
pub(super) const CORRECT: Call = keeps(
    "/api/memories/{name}/correct",
    correct,
    "correct",
    "Replace a memory that is wrong by what is so",
);

fn supersede(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    replaced(
        Errand::begin(visit, asked, &SUPERSEDE)?,
        Replacement::Better,
    )
}

fn correct(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    replaced(
        Errand::begin(visit, asked, &CORRECT)?,
        Replacement::Correction,
    )
}

fn replaced(mut it: Errand<'_>, how: Replacement) -> Result<Reply, Fault> {
    let fact = it.args.required("fact")?;
    let (kind, force) = (it.args.parsed("kind")?, it.args.flag("force")?);
    let (citations, tags) = (it.args.cites()?, it.args.texts("tags", 100)?);
    let (subject, reason) = (it.args.text("subject")?, it.args.text("reason")?);
    let voice = it.voice(force)?;
    let old = match it.memory()? {
        Ok(old) => old,
        Err(refusal) => return refused(&refusal),
    };
    let plain = Draft::new(old.space.clone(), fact, voice);
    let draft = Draft {
        kind,
        citations,
        tags,
        subject,
        reason,
        force,
        ..plain
    };
    let outcome = revise::supersede(
        &it.cx_for(&old.space),
        &it.spaces,
        Name::Id(old.id),
        draft,
        how,
    )?;
    it.kept("remembered", outcome)
}

/// Says that a memory still holds.
pub(super) const REFRESH: Call = does(
    "/api/memories/{name}/refresh",
    refresh,
    "refresh",
    "Say that a memory still holds and is of use; refused where its code speaks against it here",
    &[],
);

fn refresh(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &REFRESH)?;
    let memory = it.memory()?.ok().filter(Memory::is_active);
    let seen = look(&it.cx(), memory.into_iter().collect());
    if let Some(bad) = seen.iter().find(|it| it.is_bad()) {
        let why = format!(
            "the code that {} cites is {} here; correct it, or invalidate it",
            bad.memory.handle(),
            bad.standing()
        );
        return turned_away("does_not_hold", why);
    }
    done(&it, "refreshed", |cx, name| {
        revise::refresh(cx, &it.spaces, name)
    })
}

/// Says that a memory was used.
pub(super) const APPLY: Call = does(
    "/api/memories/{name}/apply",
    apply,
    "apply",
    "Say that a memory was used in a task",
    &[],
);

fn apply(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &APPLY)?;
    done(&it, "applied", |cx, name| {
        revise::apply(cx, &it.spaces, name)
    })
}

/// Marks a memory as wrong.
pub(super) const INVALIDATE: Call = does(
    "/api/memories/{name}/invalidate",
    invalidate,
    "invalidate",
    "Mark a memory as wrong; it stays in the history",
    &[has("reason", Said)],
);

fn invalidate(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &INVALIDATE)?;
    let (reason, by) = (it.args.required("reason")?, it.visit.voice());
    done(&it, "invalidated", |cx, name| {
        revise::invalidate_as(cx, &it.spaces, name, &reason, &by)
    })
}

/// Does something to the memory that the path names.
pub(super) fn done(
    it: &Errand<'_>,
    word: &'static str,
    revise: impl FnOnce(&Context<'_>, Name) -> Result<Revised, Error>,
) -> Result<Reply, Fault> {
    let revised = match it.memory()? {
        Ok(memory) => revise(&it.cx_for(&memory.space), Name::Id(memory.id))?,
        Err(refusal) => Revised::Refused(refusal),
    };
    it.revised(word, revised)
}

/// Promotes a note.
pub(super) const PROMOTE: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/memories/{name}/promote",
        need: Access::Write,
        run: promote,
    },
    about: About {
        id: "promote",
        summary: "Make scratch an episode, or a note knowledge",
        tag: "revise",
        query: &[],
        body: Body::Fields(&[
            may("layer", shapes::LAYER).told("the next one unless said"),
            may("kind", shapes::KIND),
            may("subject", Text),
            may("fact", Text).told("it in better words"),
            may("reason", Text),
            may("citations", shapes::CITATIONS),
            may("task", Text),
        ]),
        done: &[
            (200, Content::Json(shapes::KEPT)),
            (201, Content::Json(shapes::KEPT)),
        ],
        may_refuse: true,
    },
};

fn promote(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &PROMOTE)?;
    let name = it.name()?;
    let promotion = Promotion {
        layer: it.args.parsed("layer")?,
        kind: it.args.parsed("kind")?,
        subject: it.args.text("subject")?,
        fact: it.args.text("fact")?,
        reason: it.args.text("reason")?,
        citations: it.args.cites()?,
        task: it.args.text("task")?,
        ..Promotion::of(name, visit.voice())
    };
    let outcome = match it.memory()? {
        Ok(note) => core_promote(&it.cx_for(&note.space), &it.spaces, promotion)?,
        Err(refusal) => Outcome::Refused(refusal),
    };
    it.kept("promoted", outcome)
}
