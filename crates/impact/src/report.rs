//! What is shown of it: the arms, the groups, and the memories one by one.

use std::collections::BTreeMap;

use crate::{
    compare::{ALPHA, ImpactComparison, compare_arms},
    intervals::{Interval, SampleSummary, wilson_interval},
    measures::{ImpactMeasure, ReviewedOutcome, SessionMeasures},
};

/// How many groups of a kind are told, the largest.
const MAX_GROUPS: usize = 8;
/// How many memories are told, those that were shown most.
const MAX_MEMORIES: usize = 50;

/// What is known of whether memory helps.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactReport {
    /// How many sessions were measured.
    pub n_sessions: usize,
    /// About how many of them chance decided.
    pub n_randomized: usize,
    /// How many of those were held out.
    pub n_held_out: usize,
    /// How many of the held-out ones asked memory by themselves.
    pub n_held_out_asked: usize,
    /// With memory against without.
    pub comparisons: Vec<ImpactComparison>,
    /// The same figures by tier. Nobody drew lots about these.
    pub tiers: Vec<SessionGroup>,
    /// The same figures by the version of the prompt's fixed parts. Nobody drew lots about these either.
    pub prompt_versions: Vec<SessionGroup>,
    /// The memories, those that were shown most first.
    pub memories: Vec<MemoryImpact>,
}

/// The figures of sessions that have something in common.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionGroup {
    /// What.
    pub name: String,
    /// How many sessions.
    pub n: usize,
    /// Their means, where anything is known.
    pub figures: Vec<GroupFigure>,
}

/// One figure of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupFigure {
    /// What.
    pub measure: ImpactMeasure,
    /// How many sessions, and their mean.
    pub summary: SampleSummary,
    /// Where the mean lies with 95 % confidence.
    pub interval: Option<Interval>,
}

/// What sessions tell of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryImpact {
    /// Which, by its id.
    pub id: String,
    /// In how many sessions it was shown.
    pub shown: usize,
    /// In how many it was applied.
    pub applied: usize,
    /// In how many the code spoke against it.
    pub contradicted: usize,
    /// In how many it was applied and the work ended well.
    pub helped: usize,
    /// In how many it was shown and the pull request was merged.
    pub merged: usize,
    /// In how many it was shown and the pull request was rejected.
    pub rejected: usize,
}

/// Counts the sessions.
#[must_use]
pub fn build_impact_report(sessions: &[SessionMeasures]) -> ImpactReport {
    let held_out = || sessions.iter().filter(|it| it.randomized && it.held_out);
    ImpactReport {
        n_sessions: sessions.len(),
        n_randomized: sessions.iter().filter(|it| it.randomized).count(),
        n_held_out: held_out().count(),
        n_held_out_asked: held_out().filter(|it| it.asked > 0).count(),
        comparisons: compare_arms(sessions),
        tiers: group_sessions(sessions, |it| format!("tier {}", it.tier)),
        prompt_versions: group_sessions(sessions, |it| it.prompt_version.clone()),
        memories: count_memories(sessions),
    }
}

/// The groups, the largest first; what has no name is in none.
fn group_sessions(
    sessions: &[SessionMeasures],
    name: impl Fn(&SessionMeasures) -> String,
) -> Vec<SessionGroup> {
    let mut groups: BTreeMap<String, Vec<&SessionMeasures>> = BTreeMap::new();
    for it in sessions {
        groups.entry(name(it)).or_default().push(it);
    }
    groups.remove("");
    let mut groups: Vec<SessionGroup> = groups
        .into_iter()
        .map(|(name, members)| SessionGroup {
            name,
            n: members.len(),
            figures: summarize_group(&members),
        })
        .collect();
    groups.sort_by(|a, b| b.n.cmp(&a.n).then_with(|| a.name.cmp(&b.name)));
    groups.truncate(MAX_GROUPS);
    groups
}

fn summarize_group(members: &[&SessionMeasures]) -> Vec<GroupFigure> {
    let figure = |measure: &ImpactMeasure| {
        let values = members.iter().filter_map(|it| it.value_of(*measure));
        let summary = SampleSummary::from_values(&values.collect::<Vec<_>>());
        let interval = match measure.is_share() {
            true => wilson_interval(&summary, ALPHA),
            false => summary.mean_interval(ALPHA),
        };
        (summary.n > 0).then_some(GroupFigure {
            measure: *measure,
            summary,
            interval,
        })
    };
    ImpactMeasure::ALL.iter().filter_map(figure).collect()
}

fn count_memories(sessions: &[SessionMeasures]) -> Vec<MemoryImpact> {
    let mut counted: BTreeMap<&str, MemoryImpact> = BTreeMap::new();
    for session in sessions {
        for id in &session.shown {
            let it = counted.entry(id).or_default();
            it.shown += 1;
            it.merged += usize::from(session.outcome == Some(ReviewedOutcome::Merged));
            it.rejected += usize::from(session.outcome == Some(ReviewedOutcome::Rejected));
        }
        let has_ended_well = match session.outcome {
            Some(outcome) => outcome == ReviewedOutcome::Merged,
            None => session.ended_well == Some(true),
        };
        for id in &session.applied {
            let it = counted.entry(id).or_default();
            it.applied += 1;
            it.helped += usize::from(has_ended_well);
        }
        for id in &session.contradicted {
            counted.entry(id).or_default().contradicted += 1;
        }
    }
    let mut counted: Vec<MemoryImpact> = counted
        .into_iter()
        .map(|(id, it)| MemoryImpact {
            id: id.to_owned(),
            ..it
        })
        .collect();
    counted.sort_by(|a, b| {
        let by_use = (b.shown, b.applied).cmp(&(a.shown, a.applied));
        by_use.then_with(|| a.id.cmp(&b.id))
    });
    counted.truncate(MAX_MEMORIES);
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_counted_by_session() {
        let session = |outcome, ended_well, applied: &[&str]| SessionMeasures {
            shown: vec!["a".into(), "b".into()],
            applied: applied.iter().map(|it| (*it).into()).collect(),
            contradicted: vec!["c".into()],
            outcome,
            ended_well,
            ..SessionMeasures::default()
        };
        let report = build_impact_report(&[
            session(Some(ReviewedOutcome::Merged), None, &["a"]),
            session(Some(ReviewedOutcome::Rejected), Some(true), &["a"]),
            session(None, Some(true), &["b"]),
        ]);
        let told: Vec<String> = report
            .memories
            .iter()
            .map(|it| {
                let (MemoryImpact { shown, applied, .. }, id) = (it, &it.id);
                format!(
                    "{id} {shown} {applied} {} {} {} {}",
                    it.contradicted, it.helped, it.merged, it.rejected
                )
            })
            .collect();
        assert_eq!(told, ["a 3 2 0 1 1 1", "b 3 1 0 1 1 1", "c 0 0 3 0 0 0"]);
        assert_eq!(report.tiers.len(), 1);
        assert!(report.prompt_versions.is_empty());
    }
}
