//! The panel: pages for people who would rather look. Each page is a function from a visit to HTML; a form is a route
//! that does one thing and goes back to a page.

pub mod ask;
pub mod frame;
pub mod memories;
pub mod memory;
pub mod parts;
pub mod plot;
pub mod remember;
pub mod review;
pub mod sessions;
pub mod tasks;
pub mod undo;
pub mod vitals;

use apostille_api::Fault;
use apostille_api::pass::Access;
use apostille_api::visit::{Asked, Method, Reply, Route, Visit};
use memory::deeds;

/// Every page and form there is.
pub const ROUTES: &[Route] = &[
    page("/", memories::page),
    page("/export", memories::download),
    Route {
        need: Access::Write,
        ..page("/remember", remember::page)
    },
    act("/remember", Access::Write, remember::keep),
    page("/memories/{name}", memory::page),
    act("/memories/{name}/edit", Access::Write, deeds::edit),
    act("/memories/{name}/refresh", Access::Write, deeds::refresh),
    act(
        "/memories/{name}/invalidate",
        Access::Write,
        deeds::invalidate,
    ),
    act("/memories/{name}/promote", Access::Write, deeds::promote),
    act("/memories/{name}/forget", Access::Write, deeds::forget),
    act("/memories/{name}/restore", Access::Review, deeds::restore),
    act("/memories/{name}/approve", Access::Review, deeds::approve),
    act("/memories/{name}/reject", Access::Review, deeds::reject),
    page("/review", review::page),
    act("/review/safe", Access::Review, review::deeds::safe),
    act(
        "/review/{name}/accept",
        Access::Review,
        review::deeds::accept,
    ),
    act("/review/{name}/edit", Access::Review, review::deeds::edit),
    act("/review/{name}/merge", Access::Review, review::deeds::merge),
    act(
        "/review/{name}/reject",
        Access::Review,
        review::deeds::reject,
    ),
    page("/ask", ask::page),
    act("/undo", Access::Review, undo::undo),
    page("/sessions", sessions::page),
    page("/sessions/{name}", sessions::one),
    page("/tasks", tasks::page),
    page("/tasks/{slug}", tasks::one),
    page("/vitals", vitals::page),
    act("/vitals/close", Access::Review, vitals::close),
];

/// What the pages need beside HTML, by path: kind and content. Nothing is fetched from anywhere else.
pub const FILES: &[(&str, &str, &str)] = &[
    (
        "/panel.css",
        "text/css; charset=utf-8",
        include_str!("panel.css"),
    ),
    (
        "/panel.js",
        "text/javascript; charset=utf-8",
        include_str!("panel.js"),
    ),
];

type Run = fn(&Visit<'_>, &Asked) -> Result<Reply, Fault>;

const fn page(path: &'static str, run: Run) -> Route {
    Route {
        method: Method::Get,
        path,
        need: Access::Read,
        run,
    }
}

const fn act(path: &'static str, need: Access, run: Run) -> Route {
    Route {
        method: Method::Post,
        path,
        need,
        run,
    }
}
