//! A memory as people read it.

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::{diff, standing::Standing, verdict::Verdict};
use apostille_core::{
    branches::OtherVersion,
    episode_text::summarize_episode,
    memory::{Layer, Memory, Stage},
    remember::NearMemory,
    standing_text::{StandingView, describe_other_version},
};

use super::{
    BOLD, DIM, Paint, RED, YELLOW, flatten_to_line, format_after, join_texts, make_terminal_safe,
    pick_standing_style, style_text,
};

/// How far the text of a memory stands behind its handle.
const INDENT: usize = 6;

/// A memory with how its citations stand: handle, standing, subject; the fact; the places and the age.
pub fn format_memory_entry(paint: &Paint, it: StandingView) -> String {
    let memory = it.memory;
    let handle = format!("{:INDENT$}", memory.handle());
    // What is longer than its column is not bold to its end.
    let (front, rest) = handle.split_at(INDENT);
    format!(
        "{BOLD}{front}{BOLD:#}{rest}{}\n{}{}",
        format_memory_head(memory, it.judgement.standing),
        paint.wrap_text(&memory.fact, INDENT),
        format_memory_places(paint, it)
    )
}

/// What stands behind the handle: the standing and the subject.
pub fn format_memory_head(memory: &Memory, standing: Standing) -> String {
    let subject = memory
        .subject
        .as_deref()
        .map(flatten_to_line)
        .map(|it| style_text(BOLD, it))
        .unwrap_or_default();
    format!("{}  {subject}", style_standing(standing.as_str()))
        .trim_end()
        .to_owned()
}

/// The word of a standing in its colour.
pub fn style_standing(word: &str) -> String {
    style_text(pick_standing_style(word), word)
}

/// Where the memory is written and how each place stands, with what changed as a diff; the age on the first line.
fn format_memory_places(paint: &Paint, it: StandingView) -> String {
    let (memory, verdicts) = (it.memory, it.verdicts);
    let is_doubted = it.judgement.standing != Standing::Stands;
    let mut age = paint.format_time(memory.refreshed_at) + &format_memory_remarks(memory);
    let line = |text: &str| format!("{:INDENT$}{DIM}{text}{DIM:#}\n", "");
    let mut out = String::new();
    for (citation, verdict) in memory.citations.iter().zip(verdicts) {
        let mut place = match verdict {
            // The lines say something else, and still what the fact says.
            Verdict::Changed(found) if !is_doubted && !found.is_harmless => {
                format!(
                    "{} (edited around it)",
                    format_citation_place(citation, verdict)
                )
            }
            _ => format_judged_place(citation, verdict),
        };
        if !age.is_empty() {
            place += &format!(" · {}", std::mem::take(&mut age));
        }
        out += &line(&place);
        if is_doubted {
            out += &format_counter_evidence(citation, verdict, INDENT);
        }
    }
    if age.is_empty() {
        return out;
    }
    // Nothing is cited: who said it, when, and what is known of it beside code.
    let told = flatten_to_line(&it.describe());
    line(&format!("{told}{}", format_memory_remarks(memory)))
}

/// What else a reader should know before trusting it.
fn format_memory_remarks(memory: &Memory) -> String {
    let stage = memory.status.stage();
    let stage = (stage != Stage::Active).then(|| format!(" · {stage}"));
    let tainted = memory.voice.tainted.then(|| " · from outside".to_owned());
    let marks = memory.current_marks().map(|it| format!(" · {it}"));
    stage.into_iter().chain(tainted).chain(marks).collect()
}

/// Which other version of a memory there is, on a line below it; nothing where it is the only one.
pub fn format_other_version(other: Option<&OtherVersion>) -> String {
    let told = other.map(describe_other_version);
    told.map_or(String::new(), |it| {
        format!("{:INDENT$}{DIM}{it}{DIM:#}\n", "")
    })
}

/// A place of the code on one line.
pub fn format_place(place: &CodeLocation) -> String {
    flatten_to_line(&place.to_string())
}

/// One place, and where it is now if it moved.
fn format_citation_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = format_place(&citation.location());
    match verdict {
        Verdict::Moved { to: now } => format!("{place} → {}", format_place(now)),
        Verdict::Changed(it) if it.at != citation.location() => {
            format!("{place} → {}", format_place(&it.at))
        }
        _ => place,
    }
}

/// One place and how it stands, where the standing of the whole does not say it.
pub fn format_judged_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = format_citation_place(citation, verdict);
    let (what, commit) = match verdict {
        Verdict::Changed(it) if it.is_harmless => (it.change.as_phrase(), &None),
        Verdict::Changed(it) => (it.change.as_phrase(), &it.since),
        Verdict::Gone { loss, since } => (loss.as_phrase(), since),
        Verdict::Unknown { why } => {
            return format!("{place} (could not look: {})", flatten_to_line(why));
        }
        Verdict::Holds | Verdict::Moved { .. } => return place,
    };
    // The commit that did it, where it is known.
    let commit = commit.as_deref().and_then(|it| it.get(..8));
    format!("{place} ({what}{})", format_after(" since ", commit))
}

/// What speaks against the fact: what it names and the code no longer says, and what stands there now, as a diff.
pub fn format_counter_evidence(citation: &Citation, verdict: &Verdict, indent: usize) -> String {
    let Verdict::Changed(it) = verdict else {
        return String::new();
    };
    let mut out = String::new();
    if !it.contradicted.is_empty() {
        let names = it
            .contradicted
            .iter()
            .map(|it| style_text(BOLD, quote_name(it)));
        out += &format!(
            "{:indent$}{RED}the code no longer says{RED:#} {}\n",
            "",
            join_texts(names, ", ")
        );
    }
    if !it.is_harmless {
        let then = format!("{}\n", citation.snippet);
        let now = format!("{}\n", it.now);
        out += &super::colour_diff(&diff::format_unified_diff(&then, &now), indent + 2);
    }
    out
}

/// A name of the code as it stands in a sentence.
pub fn quote_name(name: &str) -> String {
    format!("`{}`", flatten_to_line(name))
}

/// Why nothing was kept: these say much the same.
pub fn format_not_kept(near: &[NearMemory]) -> String {
    let known = join_texts(near.iter().map(|it| it.handle), ", ");
    let not_kept = style_text(YELLOW.bold(), "not kept:");
    format!("{not_kept} much the same is known: {known}\n")
}

/// A memory on one line: its handle and what it says.
pub fn format_handle_and_fact(memory: &Memory) -> String {
    let handle = memory.handle();
    format!(
        "{BOLD}{handle}{BOLD:#}  {}\n",
        flatten_to_line(&memory.fact)
    )
}

/// The cited lines with their numbers.
pub fn format_numbered_evidence(citation: &Citation) -> String {
    let text = make_terminal_safe(&citation.snippet);
    (citation.lines.first_line()..)
        .zip(text.lines())
        .map(|(n, line)| format_numbered_line(n, line.trim_end()))
        .collect()
}

/// A line of code behind its number.
pub fn format_numbered_line(n: u32, line: &str) -> String {
    format!("{DIM}{n:>5} │{DIM:#} {line}\n")
}

/// The colour of a stage.
pub fn pick_stage_style(stage: Stage) -> anstyle::Style {
    match stage {
        Stage::Active => anstyle::Style::new(),
        Stage::Pending => YELLOW,
        Stage::Invalid => RED,
        Stage::Superseded | Stage::Retired => DIM,
    }
}

/// What it says on one line; of what happened, what was wanted and how it ended.
pub fn format_subject_and_fact(memory: &Memory) -> String {
    if let Some(summary) = summarize_episode(memory).filter(|_| memory.layer == Layer::Episode) {
        return flatten_to_line(&summary);
    }
    let fact = flatten_to_line(&memory.fact);
    match &memory.subject {
        Some(subject) => format!("{}: {fact}", flatten_to_line(subject)),
        None => fact,
    }
}
