//! What the cited code says today.

use super::{Class, Finding, Named, Seen, Severity};
use apostille_core::verify;
use apostille_core::verify::Verified;

/// What does not hold here, and what speaks of a branch that never came here. What could not be looked up is neither.
pub(super) fn stale(seen: &Seen<'_>) -> Vec<Finding> {
    seen.active
        .iter()
        .filter(|it| it.is_bad())
        .map(finding)
        .collect()
}

fn finding(it: &Verified) -> Finding {
    let (memory, handle) = (&it.memory, it.memory.handle());
    let finding = if it.is_unmerged {
        let what = "recorded on a branch that is not merged here; on its branch it may well hold";
        Finding::new(
            Class::Unmerged,
            Severity::Note,
            what,
            format!("apostille verify {handle} --at BRANCH"),
        )
    } else {
        let way_out = format!("apostille verify {handle} --fix");
        Finding::new(Class::Stale, Severity::Warning, verify::reason(it), way_out)
    };
    finding.about(&memory.space, [Named::of(it)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_cite::verdict::{Loss, Verdict};
    use apostille_core::notebook::Note;
    use apostille_core::space::Space;

    #[test]
    fn what_speaks_of_another_branch_is_not_called_wrong() {
        let check = |is_unmerged: bool, expected: (Class, Severity)| {
            let note =
                Note::parse(r#"{"id":"m-1","text":"t","ts":"2026-02-26T12:00:00Z"}"#).unwrap();
            let memory = note.memory(Space::repo("o/n").unwrap());
            let verdicts = vec![Verdict::Gone {
                loss: Loss::File,
                since: None,
            }];
            let found = finding(&Verified {
                memory,
                verdicts,
                is_unmerged,
                deed: None,
            });
            assert_eq!((found.class, found.severity), expected);
        };
        check(true, (Class::Unmerged, Severity::Note));
        check(false, (Class::Stale, Severity::Warning));
    }
}
