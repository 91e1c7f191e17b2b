//! Memories are carried out, and in.

use apostille_core::list;
use apostille_core::{
    refusal::Refusal,
    store::{ListOrder, MemoryFilter},
};
use apostille_import::{
    candidate::LeftOut,
    export::{ExportFormat, export as written, withhold_secrets},
    file::{
        ImportItem, ImportOptions, ImportPlan, ImportTarget, import_planned_files, plan_import,
    },
    foreign_file::ForeignFile,
    format::{ForeignFormat, detect_import_format},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{
        ApiCallScope, ApiResult, answer_query, build_done_reply, build_refusal_reply,
    },
    call::ApiCall,
};
use crate::{
    CallFault,
    access_token::{Access, AccessToken},
    json::ImportReply,
    request_scope::{
        HttpMethod::{Get, Post},
        HttpReply,
    },
    wire::{ArgumentError, TextEncoded},
};

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Get, "/api/export", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_export_call)
    })
    .with_description(
        "export",
        "carry",
        "Every memory of the spaces in play, in every status; import reads json and jsonl",
    )
    .with_query::<ExportQuery>()
    .with_answer_kinds(&[JSON, LINES, MARKDOWN]),
    ApiCall::new(Post, "/api/import", Access::Write, |scope, asked| answer_query(scope, asked, handle_import_call))
    .with_description(
        "import",
        "carry",
        "Read in one file: what it holds waits for a person, unless one vouches for it; `ok` is false where something in it \
         was refused, and the rest is kept",
    )
    .with_query::<ImportQuery>()
    .with_file_body()
    .with_answer::<ImportReply>()
    .with_refusals(),
];

/// How memories are written out.
#[derive(Deserialize, JsonSchema)]
struct ExportQuery {
    /// json unless said.
    format: Option<TextEncoded<ExportFormat>>,
}

/// Everything written out.
fn handle_export_call(it: &ApiCallScope, query: ExportQuery) -> ApiResult {
    let format = query.format.map_or(ExportFormat::Json, |it| it.0);
    let spaces = it.spaces.clone();
    let filter = MemoryFilter {
        spaces,
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = list::list_memories(&it.context(), &filter)?;
    withhold_secrets(&mut memories);
    let (kind, ending) = match format {
        ExportFormat::Json => (JSON, "json"),
        ExportFormat::Jsonl | ExportFormat::Notebook => (LINES, "jsonl"),
        ExportFormat::Markdown => (MARKDOWN, "md"),
    };
    let mut reply = HttpReply::new(200, kind, written(&memories, format, it.scope.cx.now)?);
    let name = format!("attachment; filename=\"memories.{ending}\"");
    reply.headers.push(("content-disposition", name));
    Ok(reply)
}

/// How a file is read in.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ImportQuery {
    /// Found out unless said.
    format: Option<TextEncoded<ForeignFormat>>,
    /// What the file is called, where that tells its format.
    name: Option<String>,
    /// Only tell what would become of it.
    dry_run: bool,
    /// Vouch for the file; for passes that review.
    trust: bool,
}

/// Reads a file in.
fn handle_import_call(it: &ApiCallScope, query: ImportQuery) -> ApiResult {
    let how = ImportOptions {
        is_rehearsed: query.dry_run,
        vouched_by: it.scope.person().filter(|_| query.trust),
    };
    if query.trust && how.vouched_by.is_none() {
        return build_refusal_reply(&Refusal::PersonDecides {
            verb: "vouch for a file",
        });
    }
    let mut taken = plan_import_from_body(it, &query)?;
    leave_out_unreachable_items(&mut taken, it.scope.token);
    let done = import_planned_files(
        &it.context(),
        |space| it.context_for(space),
        vec![taken],
        how,
    )?;
    let told = ImportReply::new(&done, how.is_rehearsed, None);
    Ok(HttpReply {
        is_change: !how.is_rehearsed && told.kept + told.let_in > 0,
        ..build_done_reply(&told)?
    })
}

/// What the file holds that was sent.
fn plan_import_from_body(it: &ApiCallScope, query: &ImportQuery) -> Result<ImportPlan, CallFault> {
    let bad = |why: String| ArgumentError::new("body", why);
    let text =
        std::str::from_utf8(&it.asked.body).map_err(|_| bad("the file is not UTF-8".into()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(bad("there is nothing in it to import".into()).into());
    }
    let bare = query
        .name
        .as_deref()
        .map(|it| it.rsplit(['/', '\\']).next().unwrap_or(it));
    let sheet = ForeignFile {
        name: bare,
        is_beside_index: false,
        text,
    };
    let said = query.format.map(|it| it.0);
    let unknown = || {
        ArgumentError::new(
            "format",
            format!(
                "it cannot be detected; the formats are {}",
                ForeignFormat::join_names()
            ),
        )
    };
    let format = said
        .or_else(|| detect_import_format(&sheet))
        .ok_or_else(unknown)?;
    let shelf = ImportTarget {
        repo: it.find_space(false),
        user: it.find_space(true),
        is_persons: false,
    };
    let cx = it.context();
    let read = plan_import(
        &sheet,
        bare.unwrap_or("body"),
        format,
        &shelf,
        (&cx.policy.limits, cx.now),
    );
    Ok(read.map_err(|why| bad(why.to_string()))?)
}

/// An export says itself whose its memories are: only what the token reaches is kept.
fn leave_out_unreachable_items(taken: &mut ImportPlan, token: &AccessToken) {
    let (items, outside): (Vec<ImportItem>, Vec<ImportItem>) = std::mem::take(&mut taken.items)
        .into_iter()
        .partition(|it| token.reaches_space(&it.memory.space));
    taken.items = items;
    let why = format!("'{}' does not reach its space", token.name);
    taken
        .report
        .left_out
        .extend(outside.into_iter().map(|it| LeftOut {
            at: it.at,
            why: why.clone(),
        }));
}
