//! What can be told of each memory by itself: its fields, what it is, what today's rules make of its text.

use std::collections::BTreeMap;

use super::{Class, Finding, Named, Seen, Severity, typed};
use apostille_core::memory::{Kind, Layer, Mark, Memory};
use apostille_core::promote;
use apostille_core::refusal::check_text;
use apostille_core::refusal::{Exclusion, Refusal, flag};
use apostille_core::remember::classify;
use apostille_core::space::Space;
use apostille_core::verify::Verified;
use apostille_text::moderate;

/// What no token can reach across.
const BETWEEN: &str = " \u{2016} ";

/// Secrets, wherever they are: also in what is no longer in use.
pub(super) fn secrets(seen: &Seen<'_>) -> Vec<Finding> {
    let all = seen.active.iter().map(|it| &it.memory).chain(&seen.rest);
    all.take_while(|_| seen.is_in_time())
        .filter_map(|it| Some(secret(it, rule(it)?)))
        .collect()
}

fn secret(memory: &Memory, rule: &str) -> Finding {
    let what = format!(
        "today's rules take a part of it for a secret ({rule}); whoever reads the store has it"
    );
    let way_out = format!("apostille forget {}", memory.handle());
    Finding::new(Class::Secret, Severity::Error, what, way_out)
        .about(&memory.space, [Named::unsaid(memory)])
}

/// The rule that takes a part of a memory for a secret. The texts are looked through as one, and one by one only where
/// that one has something.
fn rule(memory: &Memory) -> Option<&'static str> {
    let texts = || {
        let told = [
            Some(&memory.fact),
            memory.subject.as_ref(),
            memory.reason.as_ref(),
            memory.task.as_ref(),
        ];
        let cited = memory.citations.iter().map(|it| &it.snippet);
        told.into_iter().flatten().chain(&memory.tags).chain(cited)
    };
    let found = |text: &str| match check_text("fact", text) {
        Err(Refusal::Secret { rule, .. }) => Some(rule),
        _ => None,
    };
    let joined = texts()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(BETWEEN);
    found(&joined).and_then(|_| texts().find_map(|it| found(it)))
}

/// What is in use and reads like an instruction, or is not said by the lines it cites. A person's own words may.
pub(super) fn marked(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for it in seen.active.iter().take_while(|_| seen.is_in_time()) {
        let memory = &it.memory;
        let is_marked =
            memory.marks.contains(&Mark::Instruction) || moderate::is_instruction(&memory.fact);
        if is_marked && !memory.voice.is_person() {
            let what = "reads like an instruction to a model, and agents are shown it";
            let way_out = format!(
                "apostille invalidate {} --reason \"an instruction\"",
                memory.handle()
            );
            // What may steer a reader is not read out.
            let named = Named {
                standing: Some(it.standing()),
                ..Named::unsaid(memory)
            };
            let finding = Finding::new(Class::Instruction, Severity::Warning, what, way_out);
            findings.push(finding.about(&memory.space, [named]));
        }
        if memory.marks.contains(&Mark::Ungrounded) && memory.layer == Layer::Knowledge {
            let what = "the cited lines do not say it; it is in use on somebody's word";
            let way_out = format!(
                "apostille supersede {} \"FACT\" --cite PATH:LINES",
                memory.handle()
            );
            let finding = Finding::new(Class::Ungrounded, Severity::Note, what, way_out);
            findings.push(finding.about(&memory.space, [Named::of(it)]));
        }
    }
    findings
}

/// What the save exclusions of today would turn away.
pub(super) fn excluded(seen: &Seen<'_>) -> Vec<Finding> {
    let facts = seen
        .active
        .iter()
        .filter(|it| it.memory.layer == Layer::Knowledge);
    let facts = facts.take_while(|_| seen.is_in_time());
    facts
        .filter_map(|it| Some(exclusion(it, classify::exclusion(&it.memory.fact)?)))
        .collect()
}

fn exclusion(it: &Verified, (what, why): (Exclusion, &str)) -> Finding {
    let memory = &it.memory;
    // A person may have kept it knowingly.
    let severity = if memory.voice.is_person() {
        Severity::Note
    } else {
        Severity::Warning
    };
    let way_out = format!(
        "apostille invalidate {} --reason \"{what}\"",
        memory.handle()
    );
    Finding::new(
        Class::Excluded,
        severity,
        format!("reads like {what}: {why}"),
        way_out,
    )
    .about(&memory.space, [Named::of(it)])
}

/// What lacks a subject, a reason or a citation, by what is lacking.
pub(super) fn fields(seen: &Seen<'_>) -> Vec<Finding> {
    let mut lots: BTreeMap<(&Space, Vec<&'static str>), Vec<&Verified>> = BTreeMap::new();
    for it in seen
        .active
        .iter()
        .filter(|it| it.memory.layer == Layer::Knowledge)
    {
        let missing = missing(&it.memory);
        if !missing.is_empty() {
            lots.entry((&it.memory.space, missing))
                .or_default()
                .push(it);
        }
    }
    lots.into_iter()
        .map(|((space, missing), lot)| lacking(space, &missing, &lot))
        .collect()
}

fn lacking(space: &Space, missing: &[&'static str], lot: &[&Verified]) -> Finding {
    // What has no proof can mislead; what has no reason is only harder to use.
    let severity = if missing.contains(&"citation") {
        Severity::Warning
    } else {
        Severity::Note
    };
    let what = format!("no {}", missing.join(", no "));
    let flags: Vec<&str> = missing.iter().map(|it| flag(it)).collect();
    let first = typed(lot.first().map(|it| &it.memory));
    let way_out = format!("apostille supersede {first} \"FACT\" {}", flags.join(" "));
    Finding::new(Class::MissingField, severity, what, way_out)
        .about(space, lot.iter().map(|it| Named::of(it)))
}

fn missing(memory: &Memory) -> Vec<&'static str> {
    match memory.space.is_user() {
        true => Vec::new(),
        false => {
            let (subject, reason) = (memory.subject.as_ref(), memory.reason.as_ref());
            let lacking = promote::lacking(memory.kind, subject, reason, memory.citations.len());
            // A wish or a correction is its own reason.
            let is_needed = |it: &&str| {
                *it != "reason" || matches!(memory.kind, Kind::Project | Kind::Reference)
            };
            lacking.into_iter().filter(is_needed).collect()
        }
    }
}
