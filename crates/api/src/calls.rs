//! The API: a table of calls, JSON in, JSON out, in the shapes that `--json` has on the command line.
//!
//! Each call is a function over a visit, and a row that names the structs that it takes and answers. The OpenAPI document
//! is made out of all rows by the schemas that these structs derive; so what is told is what is done.

mod activity;
mod api_call_scope;
mod args;
pub mod call;
mod export_import;
mod memories;
mod openapi;
mod queries;
mod review;
mod revise;

pub use openapi::build_openapi_document;

use crate::CallFault;
use crate::access_token::Access;
use crate::request_scope::{HttpMethod, HttpReply, RequestInput, RequestScope, Route};
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
    queries::RECALL,
    queries::VERIFY,
    queries::AUDIT,
    queries::STATS,
    queries::SPACES,
    queries::EVENTS,
    queries::REPORT,
    activity::SESSIONS,
    activity::SESSION,
    activity::TASKS,
    activity::TASK,
    export_import::EXPORT,
    export_import::IMPORT,
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
    let NoArguments {} = read_query_arguments(&asked.query)?;
    HttpReply::new_json(200, &build_openapi_document())
}
