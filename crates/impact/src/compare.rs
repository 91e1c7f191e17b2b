//! The arms against each other, measure by measure.

use apostille_text::words::words;

use crate::{
    intervals::{
        Interval, SampleSummary, compare_means, compare_means_pooled, compare_shares,
        count_to_number, normal_quantile,
    },
    measures::{ImpactMeasure, SessionMeasures},
};

/// How often an interval may miss the truth.
pub const ALPHA: f64 = 0.05;
/// How often a difference of [`TOLD_PART`] is to be found where there is one.
const POWER: f64 = 0.8;
/// The difference that is worth finding, as a part of what the sessions without memory have: a third.
pub const TOLD_PART: f64 = 1.0 / 3.0;
/// The difference of two shares that is worth finding.
const TOLD_SHARE: f64 = 0.2;
/// How many sessions an arm has at least before anything is said.
pub const FEWEST: usize = 5;

words! {
    /// What can be said of a measure.
    ImpactVerdict as "verdict" {
        /// With memory it is better, beyond what chance explains.
        Better = "better",
        /// With memory it is worse, beyond what chance explains.
        Worse = "worse",
        /// A difference that is worth finding can be ruled out.
        Alike = "alike",
        /// There are too few sessions to tell.
        TooFew = "too-few",
    }
}

/// A measure in both arms.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactComparison {
    /// What.
    pub measure: ImpactMeasure,
    /// The sessions that had memory.
    pub with: SampleSummary,
    /// Those that were held out.
    pub without: SampleSummary,
    /// With memory less without: how much, and from where to where it may be.
    pub difference: f64,
    /// Where the difference lies with 95 % confidence; `None` where an arm is too small for one.
    pub interval: Option<Interval>,
    /// What can be said.
    pub verdict: ImpactVerdict,
    /// About how many more sessions it takes to tell, where there are too few and that can be reckoned.
    pub more: Option<usize>,
}

impl ImpactComparison {
    /// What can be said, in words.
    #[must_use]
    pub fn describe_verdict(&self) -> String {
        match (self.verdict, self.more) {
            (ImpactVerdict::Better, _) => "better with memory".into(),
            (ImpactVerdict::Worse, _) => "worse with memory".into(),
            (ImpactVerdict::Alike, _) => "no difference of a third or more".into(),
            (ImpactVerdict::TooFew, Some(more)) => {
                format!("too few sessions: needs about {more} more")
            }
            (ImpactVerdict::TooFew, None) => "too few sessions".into(),
        }
    }

    /// The mean of one arm, as people read it.
    #[must_use]
    pub fn format_mean(&self, arm: &SampleSummary) -> String {
        match arm.n {
            0 => "–".into(),
            _ => self.measure.format_value(arm.mean),
        }
    }
}

/// Compares the sessions about which chance decided: those with memory, and those without.
///
/// A difference is called one only where two intervals show it, with a variance for each arm and with one for both, that are as wide as so many comparisons call for (Bonferroni), so that
/// all of them together find a difference that is not there in one study of twenty, and not each.
#[must_use]
pub fn compare_arms(sessions: &[SessionMeasures]) -> Vec<ImpactComparison> {
    let drawn = || sessions.iter().filter(|it| it.randomized);
    let values = |measure: ImpactMeasure, held_out: bool| -> Vec<f64> {
        let arm = drawn().filter(|it| it.held_out == held_out);
        arm.filter_map(|it| it.value_of(measure)).collect()
    };
    let compare = |measure: &ImpactMeasure| {
        let with = SampleSummary::from_values(&values(*measure, false));
        let without = SampleSummary::from_values(&values(*measure, true));
        compare_measure(*measure, with, without)
    };
    ImpactMeasure::ALL.iter().map(compare).collect()
}

/// The level for each of the comparisons, so that all of them together keep [`ALPHA`].
fn alpha_of_each() -> f64 {
    ALPHA / count_to_number(ImpactMeasure::ALL.len())
}

fn compare_measure(
    measure: ImpactMeasure,
    with: SampleSummary,
    without: SampleSummary,
) -> ImpactComparison {
    let compare = match measure.is_share() {
        true => compare_shares,
        false => compare_means,
    };
    let difference = with.mean - without.mean;
    let is_small = with.n < FEWEST || without.n < FEWEST;
    let interval = compare(&with, &without, ALPHA).filter(|_| !is_small);
    let strict = compare(&with, &without, alpha_of_each()).filter(|_| !is_small);
    let pooled = match measure.is_share() {
        true => strict,
        false => compare_means_pooled(&with, &without, alpha_of_each()),
    };
    let told = match measure.is_share() {
        true => TOLD_SHARE,
        false => without.mean * TOLD_PART,
    };
    let verdict = match (interval, strict.zip(pooled)) {
        (_, Some((strict, pooled))) if strict.excludes_zero() && pooled.excludes_zero() => {
            match (difference > 0.0) == measure.is_more_better() {
                true => ImpactVerdict::Better,
                false => ImpactVerdict::Worse,
            }
        }
        (Some(interval), _) if told > 0.0 && interval.is_within(told) => ImpactVerdict::Alike,
        _ => ImpactVerdict::TooFew,
    };
    let more = match verdict {
        ImpactVerdict::TooFew => count_missing_sessions(&with, &without, strict, told),
        _ => None,
    };
    ImpactComparison {
        measure,
        with,
        without,
        difference,
        interval,
        verdict,
        more,
    }
}

/// About how many more sessions it takes until a difference worth finding is found four times in five, if the arms grow as they did
/// and the sessions stay as varied as they are.
fn count_missing_sessions(
    with: &SampleSummary,
    without: &SampleSummary,
    strict: Option<Interval>,
    told: f64,
) -> Option<usize> {
    let n = count_to_number(with.n + without.n);
    let smaller = with.n.min(without.n);
    let needed = match strict {
        None if smaller == 0 => return None,
        // Until the smaller arm is large enough to say anything.
        None => n * count_to_number(FEWEST) / count_to_number(smaller),
        Some(_) if told <= 0.0 => return None,
        Some(_) => {
            let wanted = normal_quantile(1.0 - alpha_of_each() / 2.0) + normal_quantile(POWER);
            let spread = |it: &SampleSummary| it.variance / (count_to_number(it.n) / n);
            (wanted / told).powi(2) * (spread(with) + spread(without))
        }
    };
    // Where chance spoke against the sessions so far, a tenth of them may turn it.
    Some(round_up_count((needed - n).max(n / 10.0)))
}

/// Two digits are all that such a number has.
fn round_up_count(n: f64) -> usize {
    let unit = if n > 100.0 { 10.0 } else { 1.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded, and never below one"
    )]
    let n = ((n / unit).ceil() * unit).clamp(1.0, 1_000_000.0) as usize;
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(with: &[u32], without: &[u32]) -> Vec<SessionMeasures> {
        let session = |held_out: bool| {
            move |corrections: &u32| SessionMeasures {
                randomized: true,
                held_out,
                corrections: *corrections,
                ..SessionMeasures::default()
            }
        };
        let with = with.iter().map(session(false));
        with.chain(without.iter().map(session(true))).collect()
    }

    fn verdict(with: &[u32], without: &[u32]) -> String {
        let compared = compare_arms(&study(with, without));
        let it = &compared[0];
        format!("{} {:?}", it.verdict, it.more)
    }

    #[test]
    fn too_few_sessions_are_called_so() {
        assert_eq!(verdict(&[1, 0, 2, 1], &[]), "too-few None");
        assert_eq!(verdict(&[1, 0, 2, 1], &[3]), "too-few Some(20)");
        assert_eq!(
            verdict(&[1, 0, 2, 1, 0, 1], &[3, 0, 2, 1, 1]),
            "too-few Some(220)"
        );
        // Nobody was ever corrected: there is no third of nothing.
        assert_eq!(verdict(&[0; 9], &[0; 9]), "too-few None");
    }

    #[test]
    fn what_is_clear_is_said() {
        let (few, many) = ([1, 0, 1, 0, 1, 1, 0, 1], [4, 5, 3, 4, 5, 4, 3, 4]);
        assert_eq!(verdict(&few, &many), "better None");
        assert_eq!(verdict(&many, &few), "worse None");
        assert_eq!(
            verdict(&[3, 3, 3, 4, 3, 3], &[3, 3, 4, 3, 3, 3]),
            "alike None"
        );
    }

    #[test]
    fn sessions_that_chance_did_not_decide_about_are_left_out() {
        let mut sessions = study(&[1; 8], &[5; 8]);
        sessions.iter_mut().for_each(|it| it.randomized = false);
        let compared = compare_arms(&sessions);
        assert!(compared.iter().all(|it| it.with.n + it.without.n == 0));
    }
}
