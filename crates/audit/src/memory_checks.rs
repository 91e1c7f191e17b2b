//! What can be told of each memory by itself: its fields, what it is, what today's rules make of its text.

use std::collections::BTreeMap;

use super::{AffectedMemory, AuditFinding, AuditInput, Class, Severity, join_handles};
use apostille_core::{
    memory::{Kind, Layer, Memory, ModerationMark},
    promote,
    refusal::{Exclusion, Refusal, check_text, flag_for_field},
    remember::classify,
    space::Space,
    verify::VerifiedMemory,
};
use apostille_text::moderate;

/// What no token can reach across.
const BETWEEN: &str = " \u{2016} ";

/// Secrets, wherever they are: also in what is no longer in use.
pub(super) fn audit_secrets(seen: &AuditInput) -> Vec<AuditFinding> {
    let all = seen.active.iter().map(|it| &it.memory).chain(&seen.rest);
    all.take_while(|_| seen.is_in_time())
        .filter_map(|it| Some(build_secret_finding(it, find_secret_rule(it)?)))
        .collect()
}

fn build_secret_finding(memory: &Memory, rule: &str) -> AuditFinding {
    let what = format!(
        "today's rules take a part of it for a secret ({rule}); whoever reads the store has it"
    );
    let way_out = format!("apostille forget {}", memory.handle());
    AuditFinding::new(Class::Secret, Severity::Error, what, way_out)
        .with_memories(&memory.space, [AffectedMemory::without_text(memory)])
}

/// The rule that takes a part of a memory for a secret. The texts are looked through as one, and one by one only where
/// that one has something.
fn find_secret_rule(memory: &Memory) -> Option<&'static str> {
    let texts = || {
        let told = [
            Some(&memory.fact),
            memory.subject.as_ref(),
            memory.reason.as_ref(),
            memory.task.as_ref(),
        ];
        let cited = memory.citations.iter().map(|it| &it.snippet);
        let told = told.into_iter().flatten().chain(&memory.tags);
        // What a person cleared was looked at; the code that it cites was not.
        told.filter(|_| !memory.is_cleared_of_secrets())
            .chain(cited)
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
pub(super) fn audit_marked_memories(seen: &AuditInput) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    for it in seen.active.iter().take_while(|_| seen.is_in_time()) {
        let memory = &it.memory;
        let is_marked = memory.marks.contains(&ModerationMark::Instruction)
            || moderate::is_instruction(&memory.fact);
        if is_marked && !memory.voice.is_person() {
            let what = "reads like an instruction to a model, and agents are shown it";
            let way_out = format!(
                "apostille invalidate {} --reason \"an instruction\"",
                memory.handle()
            );
            // What may steer a reader is not read out.
            let named = AffectedMemory {
                standing: Some(it.standing().as_str()),
                ..AffectedMemory::without_text(memory)
            };
            let finding = AuditFinding::new(Class::Instruction, Severity::Warning, what, way_out);
            findings.push(finding.with_memories(&memory.space, [named]));
        }
        let mut marks = memory.current_marks();
        if memory.layer == Layer::Knowledge && marks.any(|it| it == ModerationMark::Ungrounded) {
            let what = "the cited lines do not say it; it is in use on somebody's word";
            let way_out = format!(
                "apostille supersede {} \"FACT\" --cite PATH:LINES",
                memory.handle()
            );
            let finding = AuditFinding::new(Class::Ungrounded, Severity::Note, what, way_out);
            findings.push(finding.about([it]));
        }
    }
    findings
}

/// What the save exclusions of today would turn away.
pub(super) fn audit_exclusions(seen: &AuditInput) -> Vec<AuditFinding> {
    seen.active_knowledge()
        .take_while(|_| seen.is_in_time())
        .filter_map(|it| {
            let Memory {
                voice,
                reason,
                fact,
                ..
            } = &it.memory;
            let excluded = classify::find_exclusion_of(voice, reason.as_deref(), fact)?;
            Some(build_exclusion_finding(it, excluded))
        })
        .collect()
}

fn build_exclusion_finding(it: &VerifiedMemory, (what, why): (Exclusion, &str)) -> AuditFinding {
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
    let what = format!("reads like {what}: {why}");
    AuditFinding::new(Class::Excluded, severity, what, way_out).about([it])
}

/// What lacks a subject, a reason or a citation, by what is lacking.
pub(super) fn audit_missing_fields(seen: &AuditInput) -> Vec<AuditFinding> {
    let mut lots: BTreeMap<(&Space, Vec<&'static str>), Vec<&VerifiedMemory>> = BTreeMap::new();
    for it in seen.active_knowledge() {
        let missing = list_missing_fields(&it.memory);
        if !missing.is_empty() {
            lots.entry((&it.memory.space, missing))
                .or_default()
                .push(it);
        }
    }
    lots.iter()
        .map(|((_, missing), lot)| build_missing_fields_finding(missing, lot))
        .collect()
}

fn build_missing_fields_finding(missing: &[&'static str], lot: &[&VerifiedMemory]) -> AuditFinding {
    // What has no proof can mislead; what has no reason is only harder to use.
    let severity = if missing.contains(&"citation") {
        Severity::Warning
    } else {
        Severity::Note
    };
    let what = format!("no {}", missing.join(", no "));
    let flags: Vec<&str> = missing.iter().map(|it| flag_for_field(it)).collect();
    let first = join_handles(lot.first().map(|it| &it.memory));
    let way_out = format!("apostille supersede {first} \"FACT\" {}", flags.join(" "));
    AuditFinding::new(Class::MissingField, severity, what, way_out).about(lot.iter().copied())
}

fn list_missing_fields(memory: &Memory) -> Vec<&'static str> {
    if memory.space.is_user() {
        return Vec::new();
    }
    let mut lacking = promote::list_missing_knowledge_fields(
        memory.kind,
        memory.subject.as_ref(),
        memory.reason.as_ref(),
        memory.citations.len(),
    );
    // A wish or a correction is its own reason.
    if !matches!(memory.kind, Kind::Project | Kind::Reference) {
        lacking.retain(|it| *it != "reason");
    }
    lacking
}
