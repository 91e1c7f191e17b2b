//! `recall`: what is known, checked against the reader's own code.

use std::sync::Arc;

use apostille_core::{
    memory::Layer,
    policy::InjectMode,
    project::ProjectName,
    recall::{self, RecallFilter, RecallOutcome, RecallRequest, VerifiedHit},
    scratch::recall_session_notes,
};

use super::{
    list::{narrow_to_address, resolve_optional_path},
    report::parse_optional_time,
};
use crate::json::{RecallReply, ScoreView};
use apostille_terminal::{
    args::{RecallArgs, RecallFilterArgs},
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, CYAN, DIM, Paint, format_if, format_score_breakdown, join_texts, memory},
};
use apostille_workspace::{embedding_model::LocalEmbedder, workspace::Workspace};

/// How many notes an agent is given back of its session, unless it says.
const MAX_NOTES: usize = 50;

/// Recalls what matters to a question; in an agent's shell, all notes of its session where it asks for that layer.
pub fn run(ctx: &CommandContext, args: &RecallArgs) -> CommandResult {
    if args.said {
        return super::said::run_recall_said(ctx, args);
    }
    let embedder = LocalEmbedder::find(&ctx.system).filter(|_| !args.no_meaning);
    let workspace = ctx
        .open_workspace_at(args.at.as_deref())?
        .with_embedder(embedder.map(|it| Arc::new(it) as _));
    let recalled = match ctx.system.env.session_id() {
        Some(session) if args.layers == [Layer::Session] => {
            let limit = args.limit.unwrap_or(MAX_NOTES);
            let spaces = workspace.spaces();
            recall_session_notes(&workspace.context(), &spaces, Some(session), limit)?
        }
        _ => {
            let ask = build_recall_request(ctx, &workspace, args)?;
            let cx = workspace.context();
            recall::recall(&cx, &ask)?
                .with_overruled_preferences(&cx, &ask)?
                .with_episode_count(&cx, &ask)?
        }
    };
    let answer = ctx.render_output(&RecallReply::from(&recalled), |paint| {
        if args.block {
            recalled.block.clone()
        } else {
            format_recall_page(paint, &recalled, args.why)
        }
    });
    let is_empty = recalled.shown.is_empty();
    let past = recalled.describe_episodes("--episodes");
    let notes = past.iter().chain(&recalled.problems);
    let notes = notes.map(|it| format!("{DIM}note:{DIM:#} {it}\n"));
    let empty = format_if(is_empty, || format_empty_recall(&recalled));
    let err = empty + &notes.collect::<String>();
    Ok(answer.nothing_if(is_empty).with_err(err))
}

fn build_recall_request(
    ctx: &CommandContext,
    workspace: &Workspace,
    args: &RecallArgs,
) -> CommandResult<RecallRequest> {
    let mut layers = args.layers.clone();
    if args.episodes {
        let knowledge = layers.is_empty().then_some(Layer::Knowledge);
        layers.extend(knowledge.into_iter().chain([Layer::Episode]));
    }
    let paths = args.paths.iter().map(|it| workspace.place.resolve_path(it));
    // `inject_mode = off` is about what is shown unasked; whoever asks is answered.
    let is_off = workspace.settings.policy.inject.mode == InjectMode::Off && !args.block;
    let recent = args.recent.then_some(InjectMode::RecentOnly);
    Ok(RecallRequest {
        text: args.question.join(" "),
        spaces: narrow_to_address(&workspace.spaces(), args.only.address.as_ref())?,
        layers,
        paths: paths.collect::<Result<_, _>>()?,
        mode: recent
            .or(args.mode)
            .or(is_off.then_some(InjectMode::Relevant)),
        count: args.limit,
        chars: args.chars,
        tokens: args.tokens,
        filter: build_recall_filter(ctx, workspace, &args.only)?,
        ..RecallRequest::default()
    })
}

fn build_recall_filter(
    ctx: &CommandContext,
    workspace: &Workspace,
    only: &RecallFilterArgs,
) -> CommandResult<RecallFilter> {
    let time = |flag, text: &Option<String>| parse_optional_time(ctx, flag, text.as_deref());
    let project = only.project.as_ref().map(ProjectName::to_tag);
    Ok(RecallFilter {
        tags: only.tags.iter().cloned().chain(project).collect(),
        kinds: only.kinds.clone(),
        citing: resolve_optional_path(workspace, only.citing.as_deref())?,
        since: time("since", &only.since)?,
        until: time("until", &only.until)?,
        address: only.address.clone(),
    })
}

fn has_relevant_hit(it: &RecallOutcome) -> bool {
    it.shown
        .iter()
        .chain(&it.withheld)
        .any(|it| it.hit.why.relevance > 0.0)
}

fn format_empty_recall(it: &RecallOutcome) -> String {
    if let Some(unfit) = it.describe_unfit() {
        return format!("{unfit}; raise --tokens or --chars to see more\n");
    }
    if it.withheld.is_empty() || !has_relevant_hit(it) {
        "nothing is remembered about this; `apostille recall --recent` shows what was kept last, `apostille remember` keeps what you find out\n".into()
    } else {
        "nothing that is known about this holds in your code\n".into()
    }
}

fn format_recall_page(paint: &Paint, it: &RecallOutcome, why: bool) -> String {
    let mut out = String::new();
    let entry = |it: &VerifiedHit| {
        let why = format_if(why, || {
            format_score_breakdown(paint, &ScoreView::from(&it.hit.why), it.hit.score)
        });
        memory::format_memory_entry(paint, it.into())
            + &memory::format_other_version(it.beside.as_ref())
            + &why
    };
    out += &join_texts(it.shown.iter().map(entry), "\n");
    if !it.withheld.is_empty() && has_relevant_hit(it) {
        let gap = if out.is_empty() { "" } else { "\n" };
        out +=
            &format!("{gap}{BOLD}No longer true in your code, so not shown to agents:{BOLD:#}\n\n");
        let entry = |it: &VerifiedHit| entry(it) + &format_withheld_commands(it);
        out += &join_texts(it.withheld.iter().map(entry), "\n");
    }
    out
}

/// What to type about a memory that does not hold; nothing where it could only not be looked up.
fn format_withheld_commands(it: &VerifiedHit) -> String {
    let handle = it.hit.memory.handle();
    format_if(it.standing().is_refuted(), || {
        let supersede = format!("apostille supersede {handle} \"…\"");
        let invalidate = format!("apostille invalidate {handle} --reason \"…\"");
        format!("      {CYAN}{supersede}{CYAN:#} {DIM}or{DIM:#} {CYAN}{invalidate}{CYAN:#}\n")
    })
}
