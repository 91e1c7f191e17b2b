//! Intervals for what lies between two arms.
//!
//! Means are compared by Welch's method, which needs neither equal variances nor equal sizes: one arm has a fifth of the sessions.
//! Shares are compared by Newcombe's, which keeps its promise where few were counted, and near 0 and 1. Both are formulas: the same
//! sessions give the same interval every time, and a person can check it by hand. A bootstrap was not taken because it draws at
//! random, and because it is too narrow for twenty sessions.

/// From which value to which.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether all of it lies on one side of zero.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether nothing of it is further from zero than this.
    #[must_use]
    pub fn is_within(&self, bound: f64) -> bool {
        self.low >= -bound && self.high <= bound
    }
}

/// What the values of an arm come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSummary {
    /// How many.
    pub n: usize,
    /// Their mean; 0 where there are none.
    pub mean: f64,
    /// Their variance, as that of a sample; 0 where there are fewer than two.
    pub variance: f64,
}

impl SampleSummary {
    /// Counts the values.
    #[must_use]
    pub fn from_values(values: &[f64]) -> Self {
        let n = count_to_number(values.len());
        let mean = match values.is_empty() {
            true => 0.0,
            false => values.iter().sum::<f64>() / n,
        };
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        Self {
            n: values.len(),
            mean,
            variance: if values.len() < 2 {
                0.0
            } else {
                squares / (n - 1.0)
            },
        }
    }

    /// The interval of its mean, at this level of error; `None` for fewer than two values.
    #[must_use]
    pub fn mean_interval(&self, alpha: f64) -> Option<Interval> {
        let n = count_to_number(self.n);
        (self.n >= 2).then(|| {
            let half = student_quantile(1.0 - alpha / 2.0, n - 1.0) * (self.variance / n).sqrt();
            Interval {
                low: self.mean - half,
                high: self.mean + half,
            }
        })
    }
}

/// The interval of the difference of two means, the first less the second, by Welch's method; `None` where an arm has fewer than
/// two values.
#[must_use]
pub fn compare_means(a: &SampleSummary, b: &SampleSummary, alpha: f64) -> Option<Interval> {
    if a.n < 2 || b.n < 2 {
        return None;
    }
    let (na, nb) = (count_to_number(a.n), count_to_number(b.n));
    let (va, vb) = (a.variance / na, b.variance / nb);
    let sum = va + vb;
    let difference = a.mean - b.mean;
    if sum <= 0.0 {
        return Some(Interval {
            low: difference,
            high: difference,
        });
    }
    let freedom = sum.powi(2) / (va.powi(2) / (na - 1.0) + vb.powi(2) / (nb - 1.0));
    let half = student_quantile(1.0 - alpha / 2.0, freedom) * sum.sqrt();
    Some(Interval {
        low: difference - half,
        high: difference + half,
    })
}

/// The same with one variance for both arms, as if they did not differ. Of few sessions that happened to go smoothly, the variance comes
/// out too small as well, because counts of what goes wrong are uneven; and then Welch's interval is too narrow.
#[must_use]
pub fn compare_means_pooled(a: &SampleSummary, b: &SampleSummary, alpha: f64) -> Option<Interval> {
    if a.n < 2 || b.n < 2 {
        return None;
    }
    let (na, nb) = (count_to_number(a.n), count_to_number(b.n));
    let freedom = na + nb - 2.0;
    let variance = ((na - 1.0) * a.variance + (nb - 1.0) * b.variance) / freedom;
    let half =
        student_quantile(1.0 - alpha / 2.0, freedom) * (variance * (1.0 / na + 1.0 / nb)).sqrt();
    let difference = a.mean - b.mean;
    Some(Interval {
        low: difference - half,
        high: difference + half,
    })
}

/// The interval of the difference of two shares, the first less the second, by Newcombe's method; `None` where an arm is empty.
#[must_use]
pub fn compare_shares(a: &SampleSummary, b: &SampleSummary, alpha: f64) -> Option<Interval> {
    let (wa, wb) = (wilson_interval(a, alpha)?, wilson_interval(b, alpha)?);
    let difference = a.mean - b.mean;
    let below = (a.mean - wa.low).hypot(wb.high - b.mean);
    let above = (wa.high - a.mean).hypot(b.mean - wb.low);
    Some(Interval {
        low: difference - below,
        high: difference + above,
    })
}

/// Wilson's interval of a share.
#[must_use]
pub fn wilson_interval(it: &SampleSummary, alpha: f64) -> Option<Interval> {
    let (n, z) = (count_to_number(it.n), normal_quantile(1.0 - alpha / 2.0));
    (it.n > 0).then(|| {
        let centre = it.mean + z * z / (2.0 * n);
        let half = z * (it.mean * (1.0 - it.mean) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        Interval {
            low: ((centre - half) / scale).max(0.0),
            high: ((centre + half) / scale).min(1.0),
        }
    })
}

/// The value below which this share of a normal distribution lies (Acklam's approximation, to nine digits).
#[must_use]
pub fn normal_quantile(share: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
    ];
    const TAIL: f64 = 0.024_25;
    let evaluate = |of: &[f64], at: f64| of.iter().fold(0.0, |sum, it| sum * at + it);
    if share > 0.5 {
        return -normal_quantile(1.0 - share);
    }
    if share < TAIL {
        let q = (-2.0 * share.ln()).sqrt();
        return evaluate(&C, q) / (evaluate(&D, q) * q + 1.0);
    }
    let q = share - 0.5;
    let r = q * q;
    evaluate(&A, r) * q / (evaluate(&B, r) * r + 1.0)
}

/// The same of Student's distribution with so many degrees of freedom, by an expansion that is good to three digits from three
/// degrees on; below, three are taken.
#[must_use]
pub fn student_quantile(share: f64, freedom: f64) -> f64 {
    let (z, v) = (normal_quantile(share), freedom.max(3.0));
    let z2 = z * z;
    let first = z * (z2 + 1.0) / 4.0;
    let second = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let third = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    let fourth =
        z * ((((79.0 * z2 + 776.0) * z2 + 1_482.0) * z2 - 1_920.0) * z2 - 945.0) / 92_160.0;
    z + first / v + second / v.powi(2) + third / v.powi(3) + fourth / v.powi(4)
}

/// A count as a number to reckon with.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "nobody has as many sessions as a float has digits"
)]
pub fn count_to_number(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.002, "{found} {expected}");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        check(normal_quantile(0.975), 1.95996);
        check(normal_quantile(0.01), -2.32635);
        check(normal_quantile(0.5), 0.0);
        check(student_quantile(0.975, 5.0), 2.57058);
        check(student_quantile(0.975, 30.0), 2.04227);
        check(student_quantile(0.995, 12.0), 3.05454);
    }

    #[test]
    fn intervals_are_those_of_the_books() {
        // Newcombe (1998), example (a): 56 of 70 and 48 of 80.
        let share = |n: usize, of: usize| {
            SampleSummary::from_values(
                &(0..of)
                    .map(|it| f64::from(u8::from(it < n)))
                    .collect::<Vec<_>>(),
            )
        };
        let found = compare_shares(&share(56, 70), &share(48, 80), 0.05).unwrap();
        check(found.low, 0.0524);
        check(found.high, 0.3339);
        // Of nothing among ten: the interval is not empty.
        let none = compare_shares(&share(0, 10), &share(0, 20), 0.05).unwrap();
        check(none.low, -0.1611);
        check(none.high, 0.2775);
        // Welch: two small samples with means 3 and 5.
        let a = SampleSummary::from_values(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let b = SampleSummary::from_values(&[2.0, 4.0, 5.0, 6.0, 8.0]);
        let found = compare_means(&a, &b, 0.05).unwrap();
        check(found.low, -4.8798);
        check(found.high, 0.8798);
    }
}
