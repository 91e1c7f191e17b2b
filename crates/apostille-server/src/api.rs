//! The API: a table of routes, JSON in, JSON out, in the shapes that `--json` has on the command line.

use serde::Serialize;

use crate::Fault;
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};

/// Every call there is.
pub const ROUTES: &[Route] =
    &[Route { method: Method::Get, path: "/api/spaces", need: Access::Read, run: spaces }];

#[derive(Serialize)]
struct Spaces {
    ok: bool,
    spaces: Vec<String>,
}

fn spaces(visit: &Visit<'_>, _: &Asked) -> Result<Reply, Fault> {
    Reply::json(200, &Spaces { ok: true, spaces: visit.spaces().iter().map(ToString::to_string).collect() })
}
