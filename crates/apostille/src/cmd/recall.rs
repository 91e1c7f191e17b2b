//! `recall`: what is known, checked against the reader's own code.

use apostille_cite::citation::RepoPath;
use apostille_core::memory::Layer;
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, RecallOutcome, RecallRequest, VerifiedHit};

use crate::json::{RecallReply, ScoreView};
use apostille_terminal::args::RecallArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, Paint, format_score_breakdown, memory, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// Recalls what matters to a question.
pub fn run(shell: &CommandContext, args: &RecallArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace_at(args.at.as_deref())?;
    let recalled = recall::recall(&desk.context(), &build_recall_request(&desk, args)?)?;
    Ok(build_recall_output(shell, args, &recalled))
}

fn build_recall_request(
    desk: &Workspace,
    args: &RecallArgs,
) -> Result<RecallRequest, CommandError> {
    let mut layers = args.layers.clone();
    if args.episodes {
        let knowledge = layers.is_empty().then_some(Layer::Knowledge);
        layers.extend(knowledge.into_iter().chain([Layer::Episode]));
    }
    let paths = args
        .paths
        .iter()
        .map(|it| desk.place.resolve_path(it).map_err(CommandError::usage));
    Ok(RecallRequest {
        text: args.question.join(" "),
        spaces: desk.spaces().to_vec(),
        layers,
        paths: paths.collect::<Result<Vec<RepoPath>, _>>()?,
        mode: args.mode.or_else(|| choose_inject_mode(desk, args)),
        count: args.limit,
        chars: args.chars,
        ..RecallRequest::default()
    })
}

/// `inject_mode = off` is about what is shown unasked; whoever asks is answered.
fn choose_inject_mode(desk: &Workspace, args: &RecallArgs) -> Option<InjectMode> {
    let is_off = desk.settings.policy.inject.mode == InjectMode::Off && !args.block;
    is_off.then_some(InjectMode::Relevant)
}

fn build_recall_output(
    shell: &CommandContext,
    args: &RecallArgs,
    it: &RecallOutcome,
) -> CommandOutput {
    let code = if it.shown.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = RecallReply::from(it);
    let answer = shell.render_output(code, &json, |paint| match args.block {
        true => it.block.clone(),
        false => format_recall_page(paint, it, args.why),
    });
    let problems = it
        .problems
        .iter()
        .map(|it| format!("{} {it}\n", style_text(DIM, "note:")));
    let empty = (code == error::NOTHING).then(|| format_empty_recall(it));
    CommandOutput {
        err: empty.into_iter().chain(problems).collect(),
        ..answer
    }
}

fn has_relevant_hit(it: &RecallOutcome) -> bool {
    it.shown
        .iter()
        .chain(&it.withheld)
        .any(|it| it.hit.why.relevance > 0.0)
}

fn format_empty_recall(it: &RecallOutcome) -> String {
    match it.withheld.is_empty() || !has_relevant_hit(it) {
        true => "nothing is remembered about this; `apostille remember` keeps what you find out, `apostille list` shows what there is\n".into(),
        false => "nothing that is known about this holds in your code\n".into(),
    }
}

fn format_recall_page(paint: &Paint, it: &RecallOutcome, why: bool) -> String {
    let mut out = String::new();
    if !it.shown.is_empty() && !has_relevant_hit(it) {
        out += &style_text(
            DIM,
            "nothing matches these words; the most recent memories instead:\n\n",
        );
    }
    let entry = |it: &VerifiedHit| {
        let why = if why {
            format_score_breakdown(paint, &ScoreView::from(&it.hit.why), it.hit.score)
        } else {
            String::new()
        };
        memory::format_memory_entry(paint, &it.hit.memory, &it.verdicts) + &why
    };
    out += &it.shown.iter().map(entry).collect::<Vec<_>>().join("\n");
    if !it.withheld.is_empty() && has_relevant_hit(it) {
        let gap = if out.is_empty() { "" } else { "\n" };
        out += &format!(
            "{gap}{}\n\n",
            style_text(BOLD, "Withheld, because it does not hold in your code:")
        );
        let entry = |it: &VerifiedHit| entry(it) + &format_withheld_commands(it);
        out += &it.withheld.iter().map(entry).collect::<Vec<_>>().join("\n");
    }
    out
}

/// What to type about a memory that does not hold; nothing where it could only not be looked up.
fn format_withheld_commands(it: &VerifiedHit) -> String {
    if !it
        .verdicts
        .iter()
        .any(apostille_cite::verdict::Verdict::is_bad)
    {
        return String::new();
    }
    let handle = it.hit.memory.handle();
    let supersede = style_text(CYAN, format!("apostille supersede {handle} \"…\""));
    let invalidate = style_text(
        CYAN,
        format!("apostille invalidate {handle} --reason \"…\""),
    );
    format!("      {supersede} {} {invalidate}\n", style_text(DIM, "or"))
}
