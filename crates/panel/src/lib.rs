//! The panel: pages for people who would rather look. Each page is a function from a request to HTML; a form is a route
//! that does one thing and goes back to a page.
//!
//! ```
//! use apostille_api::access_token::Access;
//! use apostille_api::request_scope::HttpMethod;
//! use apostille_panel::ROUTES;
//!
//! // Deciding about what waits takes a token that reviews.
//! let approve = ROUTES.iter().find(|it| it.path == "/memories/{name}/approve").unwrap();
//! assert_eq!((approve.method, approve.need), (HttpMethod::Post, Access::Review));
//! ```
//!
//! How the pieces fit: [`ROUTES`] is the table; each page is a module. [`frame`] is what surrounds a page, [`components`] the
//! pieces that pages share, [`plot`] draws curves as SVG. Text of a memory reaches HTML through
//! [`components::sanitize_shown_text`]. No page knows a socket, so every one is tested as text.

pub mod ask;
pub mod components;
pub mod conversations;
pub mod frame;
pub mod identity;
pub mod impact;
pub mod memories;
pub mod memory;
pub mod plot;
pub mod remember;
pub mod review;
pub mod sessions;
pub mod submitted_form;
pub mod tasks;
pub mod undo;
pub mod vitals;

use apostille_api::{
    CallFault,
    access_token::Access,
    request_scope::{HttpMethod, HttpReply, RequestInput, RequestScope, Route},
};
use memory::handlers::{self as actions, run_memory_action};
use review::handlers::{self as decisions, run_review_decision};

/// What a page or a form answers, or a part of a page.
pub type PanelResult<T = HttpReply> = Result<T, CallFault>;

/// Every page and form there is.
pub const ROUTES: &[Route] = &[
    build_page_route("/", memories::render_memories_page),
    build_page_route("/export", memories::handle_export_download),
    Route {
        need: Access::Write,
        ..build_page_route("/remember", remember::render_remember_page)
    },
    build_form_route("/remember", Access::Write, remember::handle_remember_form),
    build_page_route("/memories/{name}", memory::render_memory_page),
    build_form_route("/memories/{name}/edit", Access::Write, |scope, asked| {
        run_memory_action(scope, asked, "edit", actions::perform_edit)
    }),
    build_form_route("/memories/{name}/confirm", Access::Write, |scope, asked| {
        run_memory_action(scope, asked, "confirm", actions::perform_confirm)
    }),
    build_form_route("/memories/{name}/refresh", Access::Write, |scope, asked| {
        run_memory_action(scope, asked, "refresh", actions::perform_refresh)
    }),
    build_form_route(
        "/memories/{name}/invalidate",
        Access::Write,
        |scope, asked| run_memory_action(scope, asked, "invalidate", actions::perform_invalidate),
    ),
    build_form_route("/memories/{name}/promote", Access::Write, |scope, asked| {
        run_memory_action(scope, asked, "promote", actions::perform_promote)
    }),
    build_form_route("/memories/{name}/forget", Access::Write, |scope, asked| {
        run_memory_action(scope, asked, "forget", actions::perform_forget)
    }),
    build_form_route(
        "/memories/{name}/restore",
        Access::Review,
        |scope, asked| run_memory_action(scope, asked, "restore", actions::perform_restore),
    ),
    build_form_route(
        "/memories/{name}/approve",
        Access::Review,
        |scope, asked| run_memory_action(scope, asked, "approve", actions::perform_approve),
    ),
    build_form_route("/memories/{name}/reject", Access::Review, |scope, asked| {
        run_memory_action(scope, asked, "reject", actions::perform_reject)
    }),
    build_page_route("/review", review::render_review_page),
    build_form_route(
        "/review/safe",
        Access::Review,
        decisions::handle_accept_safe_form,
    ),
    build_form_route("/review/{name}/accept", Access::Review, |scope, asked| {
        run_review_decision(scope, asked, "accept", decisions::decide_accept)
    }),
    build_form_route("/review/{name}/edit", Access::Review, |scope, asked| {
        run_review_decision(scope, asked, "edit", decisions::decide_edit)
    }),
    build_form_route("/review/{name}/merge", Access::Review, |scope, asked| {
        run_review_decision(scope, asked, "merge", decisions::decide_merge)
    }),
    build_form_route("/review/{name}/reject", Access::Review, |scope, asked| {
        run_review_decision(scope, asked, "reject", actions::perform_reject)
    }),
    build_page_route("/ask", ask::render_ask_page),
    build_page_route("/identity", identity::render_identity_page),
    build_form_route("/identity", Access::Review, identity::handle_identity_form),
    build_form_route("/undo", Access::Review, undo::handle_undo_form),
    build_page_route("/sessions", sessions::render_sessions_page),
    build_page_route("/sessions/{name}", sessions::render_session_page),
    build_page_route("/conversations", conversations::render_conversations_page),
    build_page_route(
        "/conversations/{name}",
        conversations::render_conversation_page,
    ),
    build_form_route(
        "/conversations/{name}/remember",
        Access::Write,
        conversations::handle_remember_form,
    ),
    build_form_route(
        "/conversations/{name}/forget",
        Access::Review,
        conversations::handle_forget_form,
    ),
    build_page_route("/tasks", tasks::render_tasks_page),
    build_page_route("/tasks/{slug}", tasks::render_task_page),
    build_page_route("/vitals", vitals::render_vitals_page),
    build_page_route("/impact", impact::render_impact_page),
    build_form_route(
        "/vitals/close",
        Access::Review,
        vitals::handle_close_breaker_form,
    ),
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

type PanelHandler = fn(&RequestScope<'_>, &RequestInput) -> PanelResult;

const fn build_page_route(path: &'static str, run: PanelHandler) -> Route {
    Route {
        method: HttpMethod::Get,
        ..build_form_route(path, Access::Read, run)
    }
}

const fn build_form_route(path: &'static str, need: Access, run: PanelHandler) -> Route {
    Route {
        method: HttpMethod::Post,
        path,
        need,
        run,
    }
}
