//! The comparison finds an effect that is there, and none where there is none: a short form of `bench -- impact`.

use apostille_impact::{
    compare::{ImpactVerdict, compare_arms},
    measures::ImpactMeasure,
    simulation::SimulatedStudy,
};

const STUDIES: u64 = 300;

/// In how many of the studies any measure differs, and in how many corrections do.
fn count_findings(study: SimulatedStudy) -> (usize, usize) {
    let (mut any, mut corrections) = (0, 0);
    for seed in 0..STUDIES {
        let compared = compare_arms(&study.draw_sessions(seed));
        let differs =
            |it: &ImpactVerdict| matches!(it, ImpactVerdict::Better | ImpactVerdict::Worse);
        any += usize::from(compared.iter().any(|it| differs(&it.verdict)));
        let first = compared
            .iter()
            .find(|it| it.measure == ImpactMeasure::Corrections);
        corrections += usize::from(first.is_some_and(|it| it.verdict == ImpactVerdict::Better));
    }
    (any, corrections)
}

#[test]
fn nothing_is_found_where_there_is_nothing() {
    for n_sessions in [60, 300] {
        let study = SimulatedStudy {
            n_sessions,
            holdout: 0.2,
            effect: 0.0,
        };
        // One study of twenty may find something, by chance alone: 15 of 300, and some more by chance again.
        let (any, _) = count_findings(study);
        assert!(any <= 24, "{any} of {STUDIES} with {n_sessions} sessions");
    }
}

#[test]
fn effect_is_found() {
    let study = |effect| SimulatedStudy {
        n_sessions: 600,
        holdout: 0.2,
        effect,
    };
    let (_, half) = count_findings(study(0.5));
    assert!(half >= 270, "{half} of {STUDIES}");
    let (_, some) = count_findings(study(0.2));
    assert!(some < half, "{some} of {STUDIES}");
}
