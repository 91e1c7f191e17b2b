//! What a person decides: what waits, and whose writes are held up.

use apostille_core::memory::{Draft, Name};
use apostille_core::space::Space;
use apostille_core::store::watch::Trip;
use apostille_core::{Error, breaker, review, revise};

use super::about::Shape::{Said, Text};
use super::about::{About, Body, Call, Content, Field, has, may};
use super::errand::{Errand, refused, reply};
use super::revise::done;
use super::shapes;
use crate::Fault;
use crate::json::{BreakersReply, QueueReply};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};

/// What waits.
pub(super) const QUEUE: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/review",
        need: Access::Read,
        run: queue,
    },
    about: About {
        id: "reviewQueue",
        summary: "What waits for a person, each with everything needed to decide, the safest first",
        tag: "review",
        query: &[shapes::LIMIT],
        body: Body::None,
        done: &[(200, Content::Json(shapes::QUEUE))],
        may_refuse: false,
    },
};

fn queue(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &QUEUE)?;
    let limit = it.args.limit(50, 200)?;
    reply(
        200,
        &QueueReply::new(&review::queue(&it.cx(), &it.spaces)?, limit),
    )
}

const fn decides(
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
            need: Access::Review,
            run,
        },
        about: About {
            id,
            summary,
            tag: "review",
            query: &[],
            body: Body::Fields(body),
            done: &[(200, Content::Json(shapes::DONE))],
            may_refuse: true,
        },
    }
}

/// Lets a memory out of quarantine.
pub(super) const APPROVE: Call = decides(
    "/api/memories/{name}/approve",
    approve,
    "approve",
    "Let a memory be used that waits, or was rejected",
    &[],
);

fn approve(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &APPROVE)?;
    done(&it, "approved", |cx, name| {
        revise::reconsider(cx, &it.spaces, name)
    })
}

/// Turns a memory away.
pub(super) const REJECT: Call = decides(
    "/api/memories/{name}/reject",
    reject,
    "reject",
    "Turn a memory away that waits; it stays in the history",
    &[may("reason", Text)],
);

fn reject(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &REJECT)?;
    let reason = it.args.text("reason")?.unwrap_or_default();
    done(&it, "rejected", |cx, name| {
        revise::reject(cx, &it.spaces, name, &reason)
    })
}

/// Lets a memory go up in another.
pub(super) const MERGE: Call = decides(
    "/api/memories/{name}/merge",
    merge,
    "merge",
    "Let a memory that waits go up in one that is in use, which gains its citations",
    &[has("into", shapes::NAME).told("the memory that is in use")],
);

fn merge(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &MERGE)?;
    let into = it.args.name("into")?;
    done(&it, "merged", |cx, name| {
        revise::absorb(cx, &it.spaces, name, into)
    })
}

/// Says a memory in other words.
pub(super) const REWORD: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/memories/{name}/reword",
        need: Access::Review,
        run: reword,
    },
    about: About {
        id: "reword",
        summary: "Keep what a person says instead of what waits, as that person's own words",
        tag: "review",
        query: &[],
        body: Body::Fields(&[has("fact", Said), may("subject", Text), may("reason", Text)]),
        done: &[
            (200, Content::Json(shapes::KEPT)),
            (201, Content::Json(shapes::KEPT)),
        ],
        may_refuse: true,
    },
};

fn reword(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &REWORD)?;
    let fact = it.args.required("fact")?;
    let (subject, reason) = (it.args.text("subject")?, it.args.text("reason")?);
    let old = match it.memory()? {
        Ok(old) => old,
        Err(refusal) => return refused(&refusal),
    };
    let plain = Draft::new(old.space.clone(), fact, it.persons_voice());
    // Whoever says it anew has seen what the lines do not say, and decides.
    let draft = Draft {
        subject,
        reason,
        tags: old.tags.clone(),
        force: true,
        ..plain
    };
    let outcome = revise::reword(&it.cx_for(&old.space), &it.spaces, Name::Id(old.id), draft)?;
    it.kept("remembered", outcome)
}

/// Whose writes are held up.
pub(super) const BREAKERS: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/breakers",
        need: Access::Read,
        run: breakers,
    },
    about: About {
        id: "openBreakers",
        summary: "Whose writes are held up, and why",
        tag: "review",
        query: &[],
        body: Body::None,
        done: &[(200, Content::Json(shapes::BREAKERS))],
        may_refuse: false,
    },
};

fn breakers(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &BREAKERS)?;
    let open = each(&it, |space| breaker::open(&it.cx_for(space), space))?;
    reply(200, &BreakersReply::new(None, &open))
}

/// Lets them go on.
pub(super) const CLOSE: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/breakers/close",
        need: Access::Review,
        run: close,
    },
    about: About {
        id: "closeBreakers",
        summary: "Let those go on whose writes are held up; what waits goes on waiting",
        tag: "review",
        query: &[],
        body: Body::Fields(&[may("actor", Text).told("only this one's; everybody's unless said")]),
        done: &[(200, Content::Json(shapes::BREAKERS))],
        may_refuse: false,
    },
};

fn close(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &CLOSE)?;
    let actor = it.args.text("actor")?;
    let closed = each(&it, |space| {
        breaker::close(&it.cx_for(space), space, actor.as_deref())
    })?;
    let answer = reply(200, &BreakersReply::new(Some("closed"), &closed))?;
    Ok(if closed.is_empty() {
        answer
    } else {
        answer.changed()
    })
}

fn each(
    it: &Errand<'_>,
    trips: impl Fn(&Space) -> Result<Vec<Trip>, Error>,
) -> Result<Vec<(Space, Trip)>, Fault> {
    let mut all = Vec::new();
    for space in &it.spaces {
        all.extend(trips(space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}
