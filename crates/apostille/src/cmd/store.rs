//! `store`: everything is moved into another store, and proved to be there; the tables of a database and who may use them.

mod grants;

use std::sync::atomic::Ordering;

use apostille_core::store_copy::{
    CopiedSpace, SpaceProof, StoreCopyError, StoreCopyRun, copy_store,
};
use apostille_workspace::{config::StoreUrl, error::CommandError};
use serde::Serialize;

use super::progress_line::ProgressLine;
use apostille_terminal::{
    args::{StoreArgs, StoreCopyArgs, StoreSubcommand},
    command_context::{
        CommandContext, CommandOutput, CommandResult, require_person, watch_interrupt,
    },
    paint::{BOLD, GREEN, format_count},
};

/// What came of a copy, in `--json`.
#[derive(Serialize)]
struct StoreCopyReply {
    ok: bool,
    outcome: &'static str,
    from: String,
    to: String,
    spaces: Vec<CopiedSpaceView>,
}

#[derive(Serialize)]
struct CopiedSpaceView {
    space: String,
    /// How many events were written now, or would be.
    written: u64,
    from: SpaceProofView,
    to: SpaceProofView,
    same: bool,
}

#[derive(Serialize)]
struct SpaceProofView {
    memories: u64,
    events: u64,
    digest: String,
}

impl From<&SpaceProof> for SpaceProofView {
    fn from(it: &SpaceProof) -> Self {
        Self {
            memories: it.memories,
            events: it.events,
            digest: it.digest.to_string(),
        }
    }
}

impl From<&CopiedSpace> for CopiedSpaceView {
    fn from(it: &CopiedSpace) -> Self {
        Self {
            space: it.space.as_str().into(),
            written: it.written,
            from: (&it.source).into(),
            to: (&it.target).into(),
            same: it.is_proven(),
        }
    }
}

/// Does what is asked of a store.
pub fn run(ctx: &CommandContext, args: &StoreArgs) -> CommandResult {
    match &args.what {
        StoreSubcommand::Copy(args) => copy(ctx, args),
        StoreSubcommand::Prepare(args) => grants::prepare(ctx, args),
        StoreSubcommand::Grant(args) => grants::grant_spaces(ctx, args),
        StoreSubcommand::Revoke(args) => grants::revoke_spaces(ctx, args),
        StoreSubcommand::Grants(args) => grants::show_grants(ctx, args),
    }
}

fn copy(ctx: &CommandContext, args: &StoreCopyArgs) -> CommandResult {
    // A copy is taken as it is, in the voices that it says: a file that somebody else wrote is one to import.
    require_person(&ctx.deciding_speaker()?, "vouch for a store that is copied")?;
    let (_, settings) = ctx.find_project()?;
    let (from, to) = (parse_store(ctx, &args.from)?, parse_store(ctx, &args.to)?);
    if from == to {
        return Err(CommandError::usage("FROM and TO are the same store"));
    }
    let source = from
        .open_existing(&settings.repo, &settings.database)?
        .ok_or_else(|| CommandError::usage(format!("there is no store at {from}")))?;
    let target = match args.dry_run {
        true => match to.open_existing(&settings.repo, &settings.database)? {
            Some(target) => target,
            None => Box::new(apostille_core::store::ram::RamStore::default()),
        },
        false => to.open_store(&settings.repo, None, &settings.database)?,
    };
    let stop = watch_interrupt();
    let progress = ProgressLine::new(ctx, "copying", "events");
    let copied = copy_store(
        &*source,
        &*target,
        &StoreCopyRun {
            keeps_telemetry_apart: matches!(to, StoreUrl::Jsonl(_)),
            is_dry_run: args.dry_run,
            goes_on: &|done, all| {
                progress.report(done as f64, all as f64);
                !stop.load(Ordering::Relaxed)
            },
        },
    );
    progress.end();
    let Some(copied) = copied.map_err(convert_copy_error)? else {
        let fault = CommandError::usage("the copy was interrupted");
        return Err(fault.with_hint("run it again: it goes on from here"));
    };
    Ok(build_copy_output(ctx, args.dry_run, (&from, &to), &copied))
}

fn parse_store(ctx: &CommandContext, text: &str) -> CommandResult<StoreUrl> {
    let home = ctx.system.env.home_dir();
    StoreUrl::from_text(text, &ctx.system.cwd, home.as_deref())
        .map_err(|why| CommandError::usage(format!("'{text}': {why}")))
}

fn convert_copy_error(error: StoreCopyError) -> CommandError {
    match error {
        StoreCopyError::Store(error) => error.into(),
        other => CommandError::usage(other),
    }
}

fn build_copy_output(
    ctx: &CommandContext,
    is_dry_run: bool,
    (from, to): (&StoreUrl, &StoreUrl),
    copied: &[CopiedSpace],
) -> CommandOutput {
    let is_proven = copied.iter().all(CopiedSpace::is_proven);
    let reply = StoreCopyReply {
        ok: is_dry_run || is_proven,
        outcome: match (is_dry_run, is_proven) {
            (true, _) => "planned",
            (false, true) => "copied",
            (false, false) => "differs",
        },
        from: from.to_string(),
        to: to.to_string(),
        spaces: copied.iter().map(CopiedSpaceView::from).collect(),
    };
    let answer = ctx.render_output(&reply, |_| format_copy_reply(&reply));
    answer.nothing_if(!reply.ok)
}

fn format_copy_reply(reply: &StoreCopyReply) -> String {
    let mut out = String::new();
    for it in &reply.spaces {
        let written = format_count(it.written, "event", "events");
        let word = if reply.outcome == "planned" {
            "would be written"
        } else {
            "written"
        };
        out += &format!("{BOLD}{}{BOLD:#}: {written} {word}\n", it.space);
        for (side, proof) in [("from", &it.from), ("to", &it.to)] {
            let memories = format_count(proof.memories, "memory", "memories");
            let events = format_count(proof.events, "event", "events");
            let digest = &proof.digest[..16];
            out += &format!("  {side:<5}{memories}, {events}, digest {digest}\n");
        }
    }
    let (from, to) = (&reply.from, &reply.to);
    out + &match reply.outcome {
        "copied" => format!("{GREEN}copied{GREEN:#} {from} to {to}: both hold the same\n"),
        "planned" => format!("nothing was written to {to}\n"),
        _ => format!(
            "{from} and {to} differ: something wrote to one of them meanwhile; run it again\n"
        ),
    }
}
