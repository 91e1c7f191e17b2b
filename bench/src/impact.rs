//! Does the comparison of sessions find an effect that is there, and nothing where there is nothing?

use anyhow::Result;
use apostille_impact::{
    compare::{ImpactVerdict, compare_arms},
    measures::ImpactMeasure,
    simulation::SimulatedStudy,
};

/// How many studies are simulated for each row.
const STUDIES: u64 = 1_000;
const HOLDOUT: f64 = 0.2;
const SIZES: [usize; 4] = [50, 100, 300, 1_000];
const EFFECTS: [f64; 4] = [0.0, 0.2, 0.33, 0.5];

/// Simulates studies with a known effect, and prints how often it is found.
pub(crate) fn run() -> Result<()> {
    println!(
        "{STUDIES} studies a row, {HOLDOUT} of the sessions held out; shares of the studies\n"
    );
    println!(
        "sessions  effect  any measure differs  corrections better  worse  interval has the truth"
    );
    for n_sessions in SIZES {
        for effect in EFFECTS {
            let found = simulate(SimulatedStudy {
                n_sessions,
                holdout: HOLDOUT,
                effect,
            });
            println!("{n_sessions:>8}  {effect:>6}  {found}");
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
fn simulate(study: SimulatedStudy) -> String {
    let (mut any, mut better, mut worse, mut covered) = (0_u64, 0_u64, 0_u64, 0_u64);
    // Corrections happen 1.5 times in a session without memory.
    let truth = -1.5 * study.effect;
    for seed in 0..STUDIES {
        let compared = compare_arms(&study.draw_sessions(seed));
        let differs =
            |it: ImpactVerdict| matches!(it, ImpactVerdict::Better | ImpactVerdict::Worse);
        any += u64::from(compared.iter().any(|it| differs(it.verdict)));
        for it in compared
            .iter()
            .filter(|it| it.measure == ImpactMeasure::Corrections)
        {
            better += u64::from(it.verdict == ImpactVerdict::Better);
            worse += u64::from(it.verdict == ImpactVerdict::Worse);
            let has = it
                .interval
                .is_some_and(|it| it.low <= truth && truth <= it.high);
            covered += u64::from(has);
        }
    }
    let share = |n: u64| n as f64 / STUDIES as f64;
    format!(
        "{:>19.3}  {:>18.3}  {:>5.3}  {:>22.3}",
        share(any),
        share(better),
        share(worse),
        share(covered)
    )
}
