//! Tries in rounds: what fails is tried again after a pause, together with all else that failed.

use std::time::Duration;

/// What came of trying.
pub(super) struct RoundsOutcome<T, E> {
    /// What came of those that went well.
    pub(super) done: Vec<T>,
    /// Those that failed each time, with the last reason.
    pub(super) failed: Vec<(String, E)>,
}

/// Tries each of these, and what failed again after each pause. The attempt is told whether it is the last one. How time goes by
/// is the caller's: a test does not sleep.
pub(super) fn try_in_rounds<T, E>(
    names: Vec<String>,
    pauses: &[Duration],
    pause: &dyn Fn(Duration),
    mut attempt: impl FnMut(&str, bool) -> Result<T, E>,
) -> RoundsOutcome<T, E> {
    let mut done = Vec::new();
    let mut left = names;
    for round in 0..=pauses.len() {
        let is_last = round == pauses.len();
        let mut failed = Vec::new();
        for name in left {
            match attempt(&name, is_last) {
                Ok(it) => done.push(it),
                Err(fault) => failed.push((name, fault)),
            }
        }
        if is_last || failed.is_empty() {
            return RoundsOutcome { done, failed };
        }
        pause(pauses[round]);
        left = failed.into_iter().map(|it| it.0).collect();
    }
    RoundsOutcome {
        done,
        failed: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// What is tried and waited for, where a name with a number succeeds at the try of this number.
    fn describe(names: &[&str]) -> String {
        let log = RefCell::new(Vec::new());
        let pauses = [Duration::from_secs(5), Duration::from_secs(30)];
        let wait = |it: Duration| log.borrow_mut().push(format!("wait {}", it.as_secs()));
        let mut tries = std::collections::BTreeMap::new();
        let outcome = try_in_rounds(
            names.iter().map(|it| (*it).to_owned()).collect(),
            &pauses,
            &wait,
            |name, is_last| {
                let n = tries.entry(name.to_owned()).or_insert(0);
                *n += 1;
                log.borrow_mut()
                    .push(format!("{name}{}", if is_last { "!" } else { "" }));
                let needed: i32 = name[1..].parse().unwrap();
                if *n >= needed {
                    Ok(name.to_owned())
                } else {
                    Err("busy")
                }
            },
        );
        let failed: Vec<String> = outcome.failed.into_iter().map(|it| it.0).collect();
        let log = log.into_inner().join(", ");
        format!(
            "{log}; done {}; failed {}",
            outcome.done.join(" "),
            failed.join(" ")
        )
    }

    #[test]
    fn what_fails_is_tried_three_times_with_growing_pauses() {
        assert_eq!(describe(&["a1", "b1"]), "a1, b1; done a1 b1; failed ");
        assert_eq!(
            describe(&["a1", "b2", "c9", "d3"]),
            "a1, b2, c9, d3, wait 5, b2, c9, d3, wait 30, c9!, d3!; done a1 b2 d3; failed c9"
        );
    }
}
