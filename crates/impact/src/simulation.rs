//! Sessions that never were, with an effect that is known: for the proof that the comparison finds what is there, and nothing where
//! there is nothing.
//!
//! Real sessions are uneven: most go smoothly, few are long and go wrong in every way at once. So each simulated one has a difficulty
//! that all its counts share, and its counts vary far more than by chance alone.

use crate::{
    holdout::is_held_out,
    measures::{ReviewedOutcome, SessionMeasures},
};

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedStudy {
    /// How many sessions.
    pub n_sessions: usize,
    /// The share of them that is held out.
    pub holdout: f64,
    /// By which part memory makes what goes wrong rarer: 0 is no effect, 0.5 halves it.
    pub effect: f64,
}

impl SimulatedStudy {
    /// The sessions of one such study; another seed, other sessions.
    #[must_use]
    pub fn draw_sessions(&self, seed: u64) -> Vec<SessionMeasures> {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D);
        (0..self.n_sessions)
            .map(|n| self.draw_session(seed, n, &mut dice))
            .collect()
    }

    fn draw_session(&self, seed: u64, n: usize, dice: &mut Dice) -> SessionMeasures {
        let held_out = is_held_out(&seed.to_string(), &n.to_string(), self.holdout);
        let trouble = if held_out { 1.0 } else { 1.0 - self.effect };
        // Mean 1, variance 0.5: some sessions are thrice as hard as others.
        let difficulty = (dice.roll_exponential() + dice.roll_exponential()) / 2.0;
        let count = |dice: &mut Dice, mean: f64| dice.roll_poisson(mean * difficulty * trouble);
        let merged = 1.0 - 0.3 * trouble;
        let outcome = match dice.roll() < merged {
            true => ReviewedOutcome::Merged,
            false => ReviewedOutcome::Rejected,
        };
        let turns = 10 + count(dice, 30.0);
        SessionMeasures {
            session: format!("simulated-{n}"),
            tier: if held_out { 0 } else { 3 },
            randomized: true,
            held_out,
            corrections: count(dice, 1.5),
            repeated: count(dice, 0.5),
            failed_commands: count(dice, 4.0),
            undone_edits: count(dice, 0.8),
            turns,
            tokens: Some(u64::from(turns) * 2_000),
            outcome: n.is_multiple_of(2).then_some(outcome),
            ..SessionMeasures::default()
        }
    }
}

/// Numbers by chance, the same for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    /// From 0 to below 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        let high = u32::try_from(z >> 32).unwrap_or(u32::MAX);
        f64::from(high) / 4_294_967_296.0
    }

    fn roll_exponential(&mut self) -> f64 {
        -(1.0 - self.roll()).ln()
    }

    /// How many events there are of those that happen so often on average.
    fn roll_poisson(&mut self, mean: f64) -> u32 {
        let (mut n, mut waited) = (0, self.roll_exponential());
        while waited < mean {
            n += 1;
            waited += self.roll_exponential();
        }
        n
    }
}
