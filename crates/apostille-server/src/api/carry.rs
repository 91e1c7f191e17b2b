//! Memories are carried out, and in.

use apostille_core::export::{Format, export as written, withhold};
use apostille_core::list;
use apostille_core::store::{Filter, Order};

use super::about::{About, Body, Call, Content, may};
use super::errand::Errand;
use super::shapes;
use crate::Fault;
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Everything written out.
pub(super) const EXPORT: Call = Call {
    route: Route { method: Method::Get, path: "/api/export", need: Access::Read, run: export },
    about: About {
        id: "export",
        summary: "Every memory of the spaces in play, in every status; import reads json and jsonl",
        tag: "carry",
        query: &[may("format", shapes::EXPORT).told("json unless said")],
        body: Body::None,
        done: &[(200, Content::Kinds(&[JSON, LINES, MARKDOWN]))],
        may_refuse: false,
    },
};

fn export(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &EXPORT)?;
    let format = it.args.parsed("format")?.unwrap_or(Format::Json);
    let spaces = it.spaces.clone();
    let filter = Filter { spaces, order: Order::Oldest, limit: usize::MAX, ..Filter::default() };
    let mut memories = list::list(&it.cx(), &filter)?;
    withhold(&mut memories);
    let (kind, ending) = match format {
        Format::Json => (JSON, "json"),
        Format::Jsonl => (LINES, "jsonl"),
        Format::Markdown => (MARKDOWN, "md"),
    };
    let mut reply = Reply::of(200, kind, written(&memories, format, visit.cx.now)?);
    let name = format!("attachment; filename=\"memories.{ending}\"");
    reply.headers.push(("content-disposition", name));
    Ok(reply)
}
