//! Memories are carried out, and in.

use apostille_core::export::{Format, export as written, withhold};
use apostille_core::list;
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order};
use apostille_import::file::{How, Item, Shelf, Taken, keep, taken};
use apostille_import::format::{Format as Foreign, detect};
use apostille_import::piece::LeftOut;
use apostille_import::sheet::Sheet;

use super::about::Shape::{Flag, Text};
use super::about::{About, Body, Call, Content, may};
use super::errand::{Errand, refused, reply};
use super::shapes;
use crate::Fault;
use crate::json::ImportReply;
use crate::pass::{Access, Pass};
use crate::visit::{Asked, Method, Reply, Route, Visit};
use crate::wire::Malformed;

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Everything written out.
pub(super) const EXPORT: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/export",
        need: Access::Read,
        run: export,
    },
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
    let filter = Filter {
        spaces,
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
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

/// Reads a file in.
pub(super) const IMPORT: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/import",
        need: Access::Write,
        run: import,
    },
    about: About {
        id: "import",
        summary: "Read in one file: what it holds waits for a person, unless one vouches for it; `ok` is false where \
                  something in it was refused, and the rest is kept",
        tag: "carry",
        query: &[
            may("format", shapes::FORMAT).told("found out unless said"),
            may("name", Text).told("what the file is called, where that tells its format"),
            may("dry_run", Flag).told("only tell what would become of it"),
            may("trust", Flag).told("vouch for the file; for passes that review"),
        ],
        body: Body::File,
        done: &[(200, Content::Json(shapes::IMPORTED))],
        may_refuse: true,
    },
};

fn import(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &IMPORT)?;
    let how = How {
        is_rehearsed: it.args.flag("dry_run")?,
        is_vouched: it.args.flag("trust")?,
    };
    if how.is_vouched && !it.is_review() {
        return refused(&Refusal::PersonDecides {
            verb: "vouch for a file",
        });
    }
    let mut taken = opened(&mut it)?;
    out_of_reach(&mut taken, visit.pass);
    let done = keep(&it.cx(), |space| it.cx_for(space), vec![taken], how)?;
    let told = ImportReply::new(&done, how.is_rehearsed, None);
    let is_change = !how.is_rehearsed && told.kept + told.let_in > 0;
    let answer = reply(200, &told)?;
    Ok(if is_change { answer.changed() } else { answer })
}

/// What the file holds that was sent.
fn opened(it: &mut Errand<'_>) -> Result<Taken, Fault> {
    let bad = |why: String| Malformed::new("body", why);
    let text =
        std::str::from_utf8(&it.asked.body).map_err(|_| bad("the file is no UTF-8".into()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(bad("there is nothing in it to import".into()).into());
    }
    let name = it.args.text("name")?;
    let bare = name
        .as_deref()
        .map(|it| it.rsplit(['/', '\\']).next().unwrap_or(it));
    let sheet = Sheet {
        name: bare,
        is_beside_index: false,
        text,
    };
    let said: Option<Foreign> = it.args.parsed("format")?;
    let unknown = || {
        Malformed::new(
            "format",
            format!("nobody can tell it; the formats are {}", Foreign::names()),
        )
    };
    let format = said.or_else(|| detect(&sheet)).ok_or_else(unknown)?;
    let shelf = Shelf {
        repo: it.space(false),
        user: it.space(true),
        is_persons: false,
    };
    let cx = it.cx();
    let read = taken(
        &sheet,
        bare.unwrap_or("body"),
        format,
        &shelf,
        (&cx.policy.limits, cx.now),
    );
    Ok(read.map_err(|why| bad(why.to_string()))?)
}

/// An export says itself whose its memories are: only what the pass reaches is kept.
fn out_of_reach(taken: &mut Taken, pass: &Pass) {
    let (items, outside): (Vec<Item>, Vec<Item>) = std::mem::take(&mut taken.items)
        .into_iter()
        .partition(|it| pass.reaches(&it.memory.space));
    taken.items = items;
    let why = format!("'{}' does not reach its space", pass.name);
    taken.left_out.extend(outside.into_iter().map(|it| LeftOut {
        at: it.at,
        why: why.clone(),
    }));
}
