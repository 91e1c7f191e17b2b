//! Memories are carried out, and in.

use apostille_core::export::{Format, export as written, withhold};
use apostille_core::list;
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order};
use apostille_import::file::{How, Item, Shelf, Taken, keep, taken};
use apostille_import::format::{Format as Foreign, detect};
use apostille_import::piece::LeftOut;
use apostille_import::sheet::Sheet;

use super::args::arguments;
use super::call::ApiCall;
use super::errand::{Errand, refused, reply};
use crate::Fault;
use crate::json::ImportReply;
use crate::json::schema::Written;
use crate::pass::{Access, Pass};
use crate::visit::{Asked, Method, Reply, Visit};
use crate::wire::Malformed;

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Everything written out.
pub(super) const EXPORT: ApiCall =
    ApiCall::new(Method::Get, "/api/export", Access::Read, export_memories)
        .about(
            "export",
            "carry",
            "Every memory of the spaces in play, in every status; import reads json and jsonl",
        )
        .query::<ExportQuery>()
        .answers_kinds(&[JSON, LINES, MARKDOWN]);

arguments! {
    /// How memories are written out.
    struct ExportQuery {
        /// json unless said.
        format: Option<Written<Format>>,
    }
}

fn export_memories(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, ExportQuery) = Errand::begin(visit, asked)?;
    let format = query.format.map_or(Format::Json, |it| it.0);
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
pub(super) const IMPORT: ApiCall = ApiCall::new(Method::Post, "/api/import", Access::Write, import_file)
    .about(
        "import",
        "carry",
        "Read in one file: what it holds waits for a person, unless one vouches for it; `ok` is false where something in it \
         was refused, and the rest is kept",
    )
    .query::<ImportQuery>()
    .file()
    .answers::<ImportReply>()
    .may_refuse();

arguments! {
    /// How a file is read in.
    struct ImportQuery {
        /// Found out unless said.
        format: Option<Written<Foreign>>,
        /// What the file is called, where that tells its format.
        name: Option<String>,
        /// Only tell what would become of it.
        dry_run: bool,
        /// Vouch for the file; for passes that review.
        trust: bool,
    }
}

fn import_file(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, ImportQuery) = Errand::begin(visit, asked)?;
    let how = How {
        is_rehearsed: query.dry_run,
        vouched_by: visit.person().filter(|_| query.trust),
    };
    if query.trust && how.vouched_by.is_none() {
        return refused(&Refusal::PersonDecides {
            verb: "vouch for a file",
        });
    }
    let mut taken = read_file(&it, &query)?;
    leave_out_unreached(&mut taken, visit.pass);
    let done = keep(&it.cx(), |space| it.cx_for(space), vec![taken], how)?;
    let told = ImportReply::new(&done, how.is_rehearsed, None);
    let is_change = !how.is_rehearsed && told.kept + told.let_in > 0;
    let answer = reply(200, &told)?;
    Ok(if is_change { answer.changed() } else { answer })
}

/// What the file holds that was sent.
fn read_file(it: &Errand<'_>, query: &ImportQuery) -> Result<Taken, Fault> {
    let bad = |why: String| Malformed::new("body", why);
    let text =
        std::str::from_utf8(&it.asked.body).map_err(|_| bad("the file is no UTF-8".into()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(bad("there is nothing in it to import".into()).into());
    }
    let bare = query
        .name
        .as_deref()
        .map(|it| it.rsplit(['/', '\\']).next().unwrap_or(it));
    let sheet = Sheet {
        name: bare,
        is_beside_index: false,
        text,
    };
    let said = query.format.map(|it| it.0);
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
fn leave_out_unreached(taken: &mut Taken, pass: &Pass) {
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
