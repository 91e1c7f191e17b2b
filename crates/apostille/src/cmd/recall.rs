//! `recall`: what is known, checked against the reader's own code.

use apostille_cite::citation::RepoPath;
use apostille_core::memory::Layer;
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask, Checked, Recalled};

use crate::args::Recall;
use crate::json::{RecallReply, ScoreView};
use crate::paint::{BOLD, CYAN, DIM, Paint, explained, ink, memory};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Recalls what matters to a question.
pub fn run(shell: &Shell, args: &Recall) -> Result<Answer, Fault> {
    let desk = shell.desk_at(args.at.as_deref())?;
    let recalled = recall::recall(&desk.cx(), &ask(&desk, args)?)?;
    Ok(answer(shell, args, &recalled))
}

fn ask(desk: &Desk, args: &Recall) -> Result<Ask, Fault> {
    let mut layers = args.layers.clone();
    if args.episodes {
        let knowledge = layers.is_empty().then_some(Layer::Knowledge);
        layers.extend(knowledge.into_iter().chain([Layer::Episode]));
    }
    let paths = args
        .paths
        .iter()
        .map(|it| desk.place.path(it).map_err(Fault::usage));
    Ok(Ask {
        text: args.question.join(" "),
        spaces: desk.spaces().to_vec(),
        layers,
        paths: paths.collect::<Result<Vec<RepoPath>, _>>()?,
        mode: args.mode.or_else(|| asked_for(desk, args)),
        count: args.limit,
        chars: args.chars,
        ..Ask::default()
    })
}

/// `inject_mode = off` is about what is shown unasked; whoever asks is answered.
fn asked_for(desk: &Desk, args: &Recall) -> Option<InjectMode> {
    let is_off = desk.settings.inject_mode.value == InjectMode::Off && !args.block;
    is_off.then_some(InjectMode::Relevant)
}

fn answer(shell: &Shell, args: &Recall, it: &Recalled) -> Answer {
    let code = if it.shown.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let json = RecallReply::from(it);
    let answer = shell.answer(code, &json, |paint| match args.block {
        true => it.block.clone(),
        false => page(paint, it, args.why),
    });
    let problems = it
        .problems
        .iter()
        .map(|it| format!("{} {it}\n", ink(DIM, "note:")));
    let empty = (code == error::NOTHING).then(|| nothing(it));
    Answer {
        err: empty.into_iter().chain(problems).collect(),
        ..answer
    }
}

fn is_relevant(it: &Recalled) -> bool {
    it.shown
        .iter()
        .chain(&it.withheld)
        .any(|it| it.hit.why.relevance > 0.0)
}

fn nothing(it: &Recalled) -> String {
    match it.withheld.is_empty() || !is_relevant(it) {
        true => "nothing is remembered about this; `apostille remember` keeps what you find out, `apostille list` shows what there is\n".into(),
        false => "nothing that is known about this holds in your code\n".into(),
    }
}

fn page(paint: &Paint, it: &Recalled, why: bool) -> String {
    let mut out = String::new();
    if !it.shown.is_empty() && !is_relevant(it) {
        out += &ink(
            DIM,
            "nothing matches these words; the most recent memories instead:\n\n",
        );
    }
    let entry = |it: &Checked| {
        let why = if why {
            explained(paint, &ScoreView::from(&it.hit.why), it.hit.score)
        } else {
            String::new()
        };
        memory::entry(paint, &it.hit.memory, &it.verdicts) + &why
    };
    out += &it.shown.iter().map(entry).collect::<Vec<_>>().join("\n");
    if !it.withheld.is_empty() && is_relevant(it) {
        let gap = if out.is_empty() { "" } else { "\n" };
        out += &format!(
            "{gap}{}\n\n",
            ink(BOLD, "Withheld, because it does not hold in your code:")
        );
        let entry = |it: &Checked| entry(it) + &next(it);
        out += &it.withheld.iter().map(entry).collect::<Vec<_>>().join("\n");
    }
    out
}

/// What to type about a memory that does not hold; nothing where it could only not be looked up.
fn next(it: &Checked) -> String {
    if !it
        .verdicts
        .iter()
        .any(apostille_cite::verdict::Verdict::is_bad)
    {
        return String::new();
    }
    let handle = it.hit.memory.handle();
    let supersede = ink(CYAN, format!("apostille supersede {handle} \"…\""));
    let invalidate = ink(
        CYAN,
        format!("apostille invalidate {handle} --reason \"…\""),
    );
    format!("      {supersede} {} {invalidate}\n", ink(DIM, "or"))
}
