//! What the cited code says today.

use super::{AuditFinding, AuditInput, Class, Severity};
use apostille_cite::standing::Standing;
use apostille_core::{
    branches::OtherVersion,
    standing_text::{StandingView, describe_other_version},
    verify,
    verify::VerifiedMemory,
};

/// What does not stand here, what stands in code that was edited so that nothing tells, and what speaks of a branch that
/// never came here. What could not be looked up is none of these.
pub(super) fn audit_stale_citations(seen: &AuditInput) -> Vec<AuditFinding> {
    seen.active
        .iter()
        .filter(|it| it.is_bad() || is_left_to_check(it) || is_waiting_for_merge(it))
        .map(build_stale_finding)
        .collect()
}

fn is_left_to_check(it: &VerifiedMemory) -> bool {
    it.standing() == Standing::Check && !it.is_outranked
}

/// Whether it is a correction made on a branch, and what it corrects is in force here.
fn is_waiting_for_merge(it: &VerifiedMemory) -> bool {
    it.is_outranked && matches!(it.beside, Some(OtherVersion::Replaces(_)))
}

fn build_stale_finding(it: &VerifiedMemory) -> AuditFinding {
    let handle = it.memory.handle();
    let finding = if it.is_unmerged || is_waiting_for_merge(it) {
        let what = match &it.beside {
            Some(other) => describe_other_version(other),
            None => "recorded on a branch that is not merged here; on its branch it may well hold"
                .into(),
        };
        let way_out = format!("apostille verify {handle} --at BRANCH");
        AuditFinding::new(Class::Unmerged, Severity::Note, what, way_out)
    } else if it.standing() == Standing::Check {
        let what = StandingView::from(it).describe();
        let way_out = format!("apostille confirm {handle}");
        AuditFinding::new(Class::Stale, Severity::Note, what, way_out)
    } else {
        let what = verify::format_invalid_reason(it);
        let way_out = format!("apostille verify {handle} --fix");
        AuditFinding::new(Class::Stale, Severity::Warning, what, way_out)
    };
    finding.about([it])
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_cite::verdict::{Loss, Verdict};
    use apostille_core::notebook::NotebookNote;
    use apostille_core::space::Space;

    #[test]
    fn what_speaks_of_another_branch_is_not_called_wrong() {
        let check = |is_unmerged: bool, expected: (Class, Severity)| {
            let note =
                NotebookNote::parse_line(r#"{"id":"m-1","text":"t","ts":"2026-02-26T12:00:00Z"}"#)
                    .unwrap();
            let memory = note.into_memory(Space::repo("o/n").unwrap());
            let verdicts = vec![Verdict::Gone {
                loss: Loss::File,
                since: None,
            }];
            let found = build_stale_finding(&VerifiedMemory {
                memory,
                verdicts,
                judgement: Standing::Gone.into(),
                is_unmerged,
                is_traced: true,
                beside: None,
                superseded_by: None,
                is_outranked: false,
                deed: None,
            });
            assert_eq!((found.class, found.severity), expected);
        };
        check(true, (Class::Unmerged, Severity::Note));
        check(false, (Class::Stale, Severity::Warning));
    }
}
