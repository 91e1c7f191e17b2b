//! The API: a table of calls, JSON in, JSON out, in the shapes that `--json` has on the command line.
//!
//! Each call is a function over the scope of a request, and a row that names the structs that it takes and answers. The OpenAPI document
//! is made out of all rows by the schemas that these structs derive; so what is told is what is done.

mod activity;
mod api_call_scope;
mod args;
pub mod call;
mod export_import;
mod learn;
mod memories;
mod openapi;
mod queries;
mod replica;
mod review;
mod revise;

pub use openapi::build_openapi_document;

use crate::{
    CallFault,
    access_token::Access,
    request_scope::{HttpMethod::Get, HttpReply, RequestInput, RequestScope},
};
use args::{NoArguments, read_query_arguments};
use call::ApiCall;

/// Every call there is, with what is told about it.
pub fn list_api_calls() -> impl Iterator<Item = &'static ApiCall> {
    const PARTS: [&[ApiCall]; 9] = [
        memories::CALLS,
        revise::CALLS,
        review::CALLS,
        queries::CALLS,
        activity::CALLS,
        export_import::CALLS,
        replica::CALLS,
        learn::CALLS,
        &[OPENAPI],
    ];
    PARTS.into_iter().flatten()
}

/// The call with this name.
pub fn find_api_call(id: &str) -> Option<&'static ApiCall> {
    list_api_calls().find(|it| it.id == id)
}

const OPENAPI: ApiCall = ApiCall::new(Get, "/api/openapi.json", Access::Read, handle_openapi_call)
    .with_description("openapi", "about", "This document");

fn handle_openapi_call(_: &RequestScope, asked: &RequestInput) -> Result<HttpReply, CallFault> {
    let NoArguments {} = read_query_arguments(&asked.query)?;
    HttpReply::new_json(200, &build_openapi_document())
}
