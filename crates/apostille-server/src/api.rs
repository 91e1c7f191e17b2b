//! The API: a table of calls, JSON in, JSON out, in the shapes that `--json` has on the command line.
//!
//! Each call is a function over a visit, and a row that says what it takes and what it answers. The arguments are checked
//! against that row, and the OpenAPI document is made out of all rows; so what is told is what is done.

pub mod about;
mod args;
mod beside;
mod carry;
mod errand;
mod examples;
mod look;
mod memories;
mod openapi;
mod review;
mod revise;
mod shapes;

pub use openapi::document;

use crate::Fault;
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};
use about::{About, Body, Call, Content, Shape};

/// What answers a call.
type Run = fn(&Visit<'_>, &Asked) -> Result<Reply, Fault>;

/// Every call there is, with what is told about it.
pub const CALLS: &[Call] = &[
    memories::LIST,
    memories::REMEMBER,
    memories::ONE,
    memories::FORGET,
    revise::SUPERSEDE,
    revise::CORRECT,
    revise::REFRESH,
    revise::INVALIDATE,
    revise::APPLY,
    revise::PROMOTE,
    review::APPROVE,
    review::REJECT,
    review::REWORD,
    review::MERGE,
    review::QUEUE,
    review::BREAKERS,
    review::CLOSE,
    look::RECALL,
    look::VERIFY,
    look::AUDIT,
    look::STATS,
    look::SPACES,
    look::EVENTS,
    look::REPORT,
    beside::SESSIONS,
    beside::SESSION,
    beside::TASKS,
    beside::TASK,
    carry::EXPORT,
    carry::IMPORT,
    OPENAPI,
];

/// How each is reached, and what answers.
pub const ROUTES: &[Route] = &{
    let mut routes = [OPENAPI.route; CALLS.len()];
    let mut at = 0;
    while at < CALLS.len() {
        routes[at] = CALLS[at].route;
        at += 1;
    }
    routes
};

const OPENAPI: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/openapi.json",
        need: Access::Read,
        run: openapi,
    },
    about: About {
        id: "openapi",
        summary: "This document",
        tag: "about",
        query: &[],
        body: Body::None,
        done: &[(200, Content::Json(Shape::Map(&Shape::Any)))],
        may_refuse: false,
    },
};

fn openapi(_: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    args::Args::read(asked, &OPENAPI.about)?;
    Reply::json(200, &document())
}
