//! `sync`: memories are exchanged with a target that others reach, too.

use std::{sync::Arc, time::Duration};

use apostille_core::{replica::apply::ReplicaChanges, space::Space};
use serde::Serialize;
use serde_json::json;

use super::progress_line::ProgressLine;
use apostille_terminal::{
    args::{SyncArgs, SyncSetupArgs, SyncSubcommand},
    command_context::{
        CommandContext, CommandOutput, CommandResult, require_person, watch_interrupt,
    },
    paint::{BOLD, GREEN, format_count},
};
use apostille_workspace::{
    error::CommandError,
    sync::{
        SyncReport, SyncRequest, choose_target, set_up_target, status::read_sync_status, sync_space,
    },
    sync_target::SyncTarget,
    workspace::Workspace,
};

/// How long another process that syncs is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is decided by choosing a target.
const VERB: &str = "choose with whom memories are shared";

/// What came of a sync, in `--json`.
#[derive(Serialize)]
struct SyncReply<'a> {
    ok: bool,
    outcome: &'static str,
    space: &'a str,
    target: String,
    sent: usize,
    received: usize,
    memories: SyncedMemoriesView,
    /// Lines of others that were left out.
    left_out: LeftOutView<'a>,
    /// Lines of this machine that the target left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_taken: Option<NotTakenView<'a>>,
}

/// What a sync changed here.
#[derive(Serialize)]
struct SyncedMemoriesView {
    new: usize,
    changed: usize,
    forgotten: usize,
    /// New ones that wait for a person.
    waiting: usize,
    /// Those that wait because two replaced one memory at once.
    contested: usize,
}

/// What a server left out of what it was sent.
#[derive(Serialize)]
struct NotTakenView<'a> {
    lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct LeftOutView<'a> {
    unreadable: usize,
    from_future: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

/// Exchanges memories, says how that goes, or chooses with whom.
pub fn run(ctx: &CommandContext, args: &SyncArgs) -> CommandResult {
    match &args.what {
        Some(SyncSubcommand::Status) => tell_status(ctx),
        Some(SyncSubcommand::Setup(args)) => set_up(ctx, args),
        None => exchange(ctx, args),
    }
}

fn exchange(ctx: &CommandContext, args: &SyncArgs) -> CommandResult {
    let workspace = match args.dry_run {
        true => ctx.open_existing_workspace()?,
        false => ctx.open_workspace()?,
    };
    let space = choose_space(&workspace, args.user);
    let chosen = choose_target(&ctx.system, &workspace.settings, &space)?;
    let target = match &args.with {
        None => chosen.ok_or_else(|| build_no_target_error(&space))?,
        Some(text) => {
            let named = parse_target(ctx, text)?;
            // What is shared cannot be taken back.
            if chosen.as_ref() != Some(&named) && !args.dry_run {
                require_person(&ctx.deciding_speaker()?, VERB)?;
            }
            named
        }
    };
    if args.accept_forgotten {
        require_person(&ctx.deciding_speaker()?, "accept that much is forgotten")?;
    }
    let progress = ProgressLine::new(ctx, "following", "changes");
    let stop = watch_interrupt();
    let done = sync_space(
        &ctx.system,
        &workspace,
        &SyncRequest {
            target: &target,
            space: &space,
            is_dry_run: args.dry_run,
            accepts_forgotten: args.accept_forgotten,
            patience: PATIENCE,
            stop: &Arc::clone(&stop),
            progress: &|done, all| progress.report(done as f64, all as f64),
        },
    );
    progress.end();
    let report = done?;
    Ok(build_sync_output(
        ctx,
        args.dry_run,
        &space,
        &target,
        &report,
    ))
}

fn choose_space(workspace: &Workspace, is_user: bool) -> Space {
    let settings = &workspace.settings;
    match is_user {
        true => settings.user.clone(),
        false => settings.repo.clone(),
    }
}

fn parse_target(ctx: &CommandContext, text: &str) -> CommandResult<SyncTarget> {
    let home = ctx.system.env.home_dir();
    SyncTarget::from_text(text, &ctx.system.cwd, home.as_deref())
        .map_err(|why| CommandError::usage(format!("'{text}': {why}")))
}

fn build_no_target_error(space: &Space) -> CommandError {
    let own = if space.is_user() {
        "apostille sync setup --user folder:PATH"
    } else {
        "apostille sync setup git"
    };
    CommandError::usage(format!("{space} is not shared with anybody yet"))
        .with_hint(format!("choose a target: {own}"))
}

fn build_sync_output(
    ctx: &CommandContext,
    is_dry_run: bool,
    space: &Space,
    target: &SyncTarget,
    report: &SyncReport,
) -> CommandOutput {
    let changes = &report.changes;
    let is_news = report.sent + report.received > 0 || *changes != ReplicaChanges::default();
    let reply = SyncReply {
        ok: true,
        outcome: match (is_dry_run, is_news) {
            (_, false) => "up-to-date",
            (true, true) => "planned",
            (false, true) => "synced",
        },
        space: space.as_str(),
        target: target.to_string(),
        sent: report.sent,
        received: report.received,
        memories: SyncedMemoriesView {
            new: changes.arrived,
            changed: changes.changed,
            forgotten: changes.erased.len(),
            waiting: changes.held,
            contested: changes.contested,
        },
        left_out: LeftOutView {
            unreadable: report.intake.left_out,
            from_future: report.intake.from_future,
            why: report.intake.why.as_deref(),
        },
        not_taken: (report.not_taken.n > 0).then_some(NotTakenView {
            lines: report.not_taken.n,
            why: report.not_taken.why.as_deref(),
        }),
    };
    ctx.render_output(&reply, |_| format_sync_reply(&reply, is_dry_run))
}

fn format_sync_reply(reply: &SyncReply<'_>, is_dry_run: bool) -> String {
    let (space, target, it) = (reply.space, &reply.target, &reply.memories);
    let mut out = if reply.outcome == "up-to-date" {
        format!("{space} and {target} hold the same\n")
    } else {
        let word = if is_dry_run { "would sync" } else { "synced" };
        let sent = format_count(reply.sent as u64, "line", "lines");
        let received = format_count(reply.received as u64, "line", "lines");
        format!(
            "{GREEN}{word}{GREEN:#} {BOLD}{space}{BOLD:#} with {target}: {sent} sent, {received} received\n"
        )
    };
    let rows = [
        (it.new, "new"),
        (it.changed, "changed"),
        (it.forgotten, "forgotten"),
    ];
    for (n, word) in rows.into_iter().filter(|it| it.0 > 0) {
        out += &format!(
            "  {} {word}\n",
            format_count(n as u64, "memory", "memories")
        );
    }
    if it.waiting + it.contested > 0 {
        let n = format_count(
            (it.waiting + it.contested) as u64,
            "of them waits",
            "of them wait",
        );
        out += &format!("  {n} for you: apostille review\n");
    }
    let left = &reply.left_out;
    if left.unreadable > 0 {
        let n = format_count(left.unreadable as u64, "line", "lines");
        let why = left.why.unwrap_or("unreadable");
        out += &format!("  {n} left out, the first because {why}\n");
    }
    if let Some(it) = &reply.not_taken {
        let n = format_count(it.lines as u64, "line", "lines");
        let why = it.why.unwrap_or("it could not read them");
        out += &format!("  {n} not taken by the server, the first because {why}\n");
    }
    if left.from_future > 0 {
        let n = format_count(left.from_future as u64, "line", "lines");
        out += &format!("  {n} of a clock that is ahead will count when their time comes\n");
    }
    out
}

fn tell_status(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_existing_workspace()?;
    let views = read_sync_status(&ctx.system, &workspace)?;
    let is_shared = views.iter().any(|it| it.target.is_some());
    let json = json!({"ok": true, "spaces": views});
    let answer = ctx.render_output(&json, |_| {
        views.iter().map(|it| format!("{it}\n")).collect()
    });
    Ok(answer.nothing_if(!is_shared))
}

fn set_up(ctx: &CommandContext, args: &SyncSetupArgs) -> CommandResult {
    require_person(&ctx.deciding_speaker()?, VERB)?;
    let workspace = ctx.open_existing_workspace()?;
    let space = choose_space(&workspace, args.user);
    let target = match args.target.as_str() {
        "off" => None,
        text => Some(parse_target(ctx, text)?),
    };
    set_up_target(&ctx.system, &workspace, &space, target.as_ref())?;
    let name = target.as_ref().map(ToString::to_string);
    let json = json!({"ok": true, "space": space.as_str(), "target": name});
    Ok(ctx.render_output(&json, |_| match &name {
        Some(name) => format!(
            "{space} is shared through {name} from now on, when agents' sessions end and with `apostille sync`\n"
        ),
        None => format!("{space} is not shared from this machine any more; what others have stays\n"),
    }))
}
