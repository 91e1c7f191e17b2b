//! The API: a table of calls, JSON in, JSON out, in the shapes that `--json` has on the command line.
//!
//! Each call is a function over a visit, and a row that names the structs that it takes and answers. The OpenAPI document
//! is made out of all rows by the schemas that these structs derive; so what is told is what is done.

mod args;
mod beside;
pub mod call;
mod carry;
mod errand;
mod look;
mod memories;
mod openapi;
mod review;
mod revise;

pub use openapi::build_openapi_document;

use crate::CallFault;
use crate::pass::Access;
use crate::visit::{HttpMethod, HttpReply, RequestInput, RequestScope, Route};
use args::{NoArguments, read_query_arguments};
use call::ApiCall;

/// Every call there is, with what is told about it.
pub const CALLS: &[ApiCall] = &[
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

const OPENAPI: ApiCall = ApiCall::new(
    HttpMethod::Get,
    "/api/openapi.json",
    Access::Read,
    handle_openapi_call,
)
.with_description("openapi", "about", "This document");

fn handle_openapi_call(_: &RequestScope<'_>, asked: &RequestInput) -> Result<HttpReply, CallFault> {
    let NoArguments {} = read_query_arguments(asked)?;
    HttpReply::new_json(200, &build_openapi_document())
}
