//! What was said in past conversations: found by its words, shown whole, forgotten.

use apostille_api::said::{
    BYTES_PENDING, find_conversation, forget_conversation, list_quoting_episodes,
    list_resting_memories,
};
use apostille_core::{
    archive::{
        Archive, ArchiveFilter, ArchiveHandle, ArchiveRecord, PassageSpeaker,
        excerpt::ArchiveQuote,
        recall::{SaidHit, SaidRequest, recall_said},
    },
    memory::Memory,
    speaker::Person,
};

use super::{list::resolve_optional_path, report::parse_optional_time};
use crate::json::SaidReply;
use apostille_terminal::{
    args::RecallArgs,
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, format_if, join_texts},
};
use apostille_workspace::{
    error::CommandError,
    measured_sessions::MeasuredSessions,
    sessions,
    workspace::{Workspace, open_kept_archive},
};

/// Recalls what the person said about something.
pub(super) fn run_recall_said(ctx: &CommandContext, args: &RecallArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let only = &args.only;
    let question = args.question.join(" ");
    let request = SaidRequest {
        space: &workspace.settings.repo,
        text: &question,
        filter: ArchiveFilter {
            since: parse_optional_time(ctx, "since", only.since.as_deref())?,
            until: parse_optional_time(ctx, "until", only.until.as_deref())?,
            path: resolve_optional_path(&workspace, choose_said_path(args)?)?,
            task: only.task.clone(),
            branch: only.branch.clone(),
        },
        count: args.limit,
    };
    let hits = recall_said(&workspace.context(), &request)?.ok_or_else(build_off_error)?;
    let answer = ctx.render_output(&SaidReply::new(&hits), |paint| {
        join_texts(hits.iter().map(|it| format_said_hit(paint, it)), "\n")
    });
    let is_empty = hits.is_empty();
    let empty = format_if(is_empty, || {
        "nothing was said about this in a conversation that is kept\n".to_owned()
    });
    Ok(answer.nothing_if(is_empty).with_err(empty))
}

/// The file that conversations are to have changed.
fn choose_said_path(args: &RecallArgs) -> CommandResult<Option<&str>> {
    let named: Vec<&String> = args.paths.iter().chain(&args.only.citing).collect();
    match *named {
        [] => Ok(None),
        [path] => Ok(Some(path)),
        _ => Err(CommandError::usage(
            "--said takes one --path: what was said while that file was changed",
        )),
    }
}

/// Shows all that was said in one conversation.
pub(super) fn show_conversation(ctx: &CommandContext, handle: ArchiveHandle) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let archive = open_kept_archive(&ctx.system).ok_or_else(build_off_error)?;
    let mut record = read_record(&workspace, &*archive, handle)?;
    if let Some(passage) = handle.passage {
        record.passages.retain(|it| it.number == passage);
    }
    Ok(
        ctx.render_output(&SaidReply::of_whole_record(&record), |paint| {
            let head = format_record_head(&record);
            let passages = record.passages.iter().map(|it| {
                let speaker = format_speaker(it.speaker);
                let pasted = it.pasted.as_deref().map(flatten_to_line);
                let pasted = pasted.map_or(String::new(), |it| {
                    format!("    {DIM}pasted: {it}{DIM:#}\n")
                });
                let text = paint.wrap_text(&it.text, 4);
                format!(
                    "{DIM}{:>3}{DIM:#} {BOLD}{speaker}{BOLD:#}\n{text}{pasted}",
                    it.number
                )
            });
            format!("{head}\n{}", join_texts(passages, ""))
        }),
    )
}

/// Forgets conversations and passages for good. Only a person does: they are a person's words.
pub(super) fn forget_conversations(
    ctx: &CommandContext,
    workspace: &Workspace,
    _by: &Person,
    handles: &[ArchiveHandle],
) -> CommandResult<String> {
    let archive = open_kept_archive(&ctx.system).ok_or_else(build_off_error)?;
    // One wrong name, and nothing is forgotten.
    let records = handles
        .iter()
        .map(|it| read_record(workspace, &*archive, *it));
    let records = records.collect::<CommandResult<Vec<_>>>()?;
    let ledger = sessions::open_session_ledger(&ctx.system)?;
    let (mut told, mut is_pending) = (String::new(), false);
    for (handle, record) in handles.iter().zip(&records) {
        // Of a session that goes on, hooks may have kept the words as well.
        ledger.remove_prompts(&record.name);
        MeasuredSessions::for_repository(&ctx.system, &record.space)?
            .forget_footprint(&record.name)?;
        is_pending |= forget_conversation(&*workspace.store, &*archive, record, *handle)?;
        told.push_str(&format!("{GREEN}forgot{GREEN:#} {handle}\n"));
        told.push_str(&format_resting_note(workspace, record, handle.passage)?);
    }
    told += &format_if(is_pending, || {
        format!("  {YELLOW}{BYTES_PENDING}{YELLOW:#}\n")
    });
    Ok(told)
}

/// Which memories still quote what was forgotten: they were kept for themselves.
fn format_resting_note(
    workspace: &Workspace,
    record: &ArchiveRecord,
    passage: Option<u32>,
) -> CommandResult<String> {
    let spaces = workspace.spaces();
    let resting = list_resting_memories(&*workspace.store, &spaces, record, passage)?;
    let handles: Vec<String> = resting.iter().map(|it| it.handle().to_string()).collect();
    let handles = handles.join(" ");
    Ok(format_if(!resting.is_empty(), || {
        format!(
            "  {DIM}still quoted by {handles}; to forget that too:{DIM:#} {CYAN}apostille forget {handles}{CYAN:#}\n"
        )
    }))
}

/// The episodes that quote these conversations, and are forgotten with them.
pub(super) fn find_quoting_episodes(
    ctx: &CommandContext,
    workspace: &Workspace,
    handles: &[ArchiveHandle],
) -> CommandResult<Vec<Memory>> {
    let Some(archive) = open_kept_archive(&ctx.system).filter(|_| !handles.is_empty()) else {
        return Ok(Vec::new());
    };
    let records = handles
        .iter()
        .map(|it| read_record(workspace, &*archive, *it));
    let records = records.collect::<CommandResult<Vec<_>>>()?;
    let repo = &workspace.settings.repo;
    Ok(list_quoting_episodes(&*workspace.store, repo, &records)?)
}

/// A conversation of this repository.
pub(super) fn read_record(
    workspace: &Workspace,
    archive: &dyn Archive,
    handle: ArchiveHandle,
) -> CommandResult<ArchiveRecord> {
    let found = find_conversation(archive, &workspace.settings.repo, handle)?;
    found.ok_or_else(|| {
        CommandError::usage(format!(
            "nothing that was said in this repository is called {handle}"
        ))
        .with_hint("see `apostille recall --said`")
    })
}

pub(super) fn build_off_error() -> CommandError {
    CommandError::usage("conversations are not kept here: archive is not verbatim")
        .with_hint("set archive = \"verbatim\" in your own config file")
}

fn format_said_hit(paint: &Paint, it: &SaidHit) -> String {
    let earlier = it.earlier.iter().map(|it| ArchiveHandle::record(*it));
    let earlier: Vec<String> = earlier.map(|it| it.to_string()).collect();
    let later = format_if(!earlier.is_empty(), || {
        format!(
            "  {YELLOW}later than {}, about the same thing{YELLOW:#}\n",
            earlier.join(", ")
        )
    });
    let head = format!("{}\n{later}", format_record_head(&it.record));
    let quotes = it.quotes.iter().map(|it| format_quote(paint, it));
    format!("{head}{}", join_texts(quotes, ""))
}

fn format_record_head(it: &ArchiveRecord) -> String {
    let handle = it.handle();
    let day = apostille_core::format::format_utc_day(it.ended_at);
    let client = it.author.as_deref().unwrap_or("unknown client");
    let place = [&it.task, &it.branch].into_iter().flatten();
    let place: String = place
        .map(|it| format!(", {}", flatten_to_line(it)))
        .collect();
    let exposed = format_if(it.is_exposed, || ", had read text from outside".to_owned());
    format!("{BOLD}{handle}{BOLD:#}  {DIM}{day}, {client}{place}{exposed}{DIM:#}")
}

fn format_quote(paint: &Paint, it: &ArchiveQuote) -> String {
    let answered = it.answered.as_deref().map(flatten_to_line);
    let answered = answered.map_or(String::new(), |it| format!("{DIM}(to “{it}”){DIM:#} "));
    paint.wrap_text(&format!("{answered}“{}”", flatten_to_line(&it.text)), 2)
}

fn format_speaker(speaker: PassageSpeaker) -> &'static str {
    match speaker {
        PassageSpeaker::User => "you",
        PassageSpeaker::Agent => "agent",
        PassageSpeaker::Author => "author",
    }
}
