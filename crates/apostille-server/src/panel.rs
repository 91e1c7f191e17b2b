//! The panel: pages for people who would rather look. Each page is a function from a visit to HTML; a form is a route
//! that does one thing and goes back to a page.

pub mod frame;
pub mod parts;

use maud::html;

use crate::Fault;
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};
use frame::{Tab, framed};

/// Every page and form there is.
pub const ROUTES: &[Route] = &[Route { method: Method::Get, path: "/", need: Access::Read, run: memories }];

/// What the pages need beside HTML, by path: kind and content. Nothing is fetched from anywhere else.
pub const FILES: &[(&str, &str, &str)] = &[
    ("/panel.css", "text/css; charset=utf-8", include_str!("panel/panel.css")),
    ("/panel.js", "text/javascript; charset=utf-8", include_str!("panel/panel.js")),
];

fn memories(visit: &Visit<'_>, _: &Asked) -> Result<Reply, Fault> {
    Ok(framed(visit, Tab::Memories, "Memories", &html! { p { "Nothing here yet." } }))
}
