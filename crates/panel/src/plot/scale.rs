//! The scale of a plot: how far up it goes, where its lines are, and how a value is told.

/// What the values of a plot are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotUnit {
    /// So many of something.
    Count,
    /// A part of one, told in percent.
    Share,
    /// A time in microseconds, told in milliseconds.
    Micros,
}

impl PlotUnit {
    /// A value in a table.
    pub fn format_value(self, value: f64) -> String {
        match self {
            Self::Count => format!("{value:.0}"),
            Self::Share => format!("{:.0} %", value * 100.0),
            Self::Micros if value < 10_000.0 => format!("{:.1} ms", value / 1_000.0),
            Self::Micros => format!("{:.0} ms", value / 1_000.0),
        }
    }

    /// A value beside a line, where there is little room.
    fn format_short(self, value: f64) -> String {
        match self {
            Self::Count => abbreviate_number(value),
            Self::Share => format!("{:.0}%", value * 100.0),
            Self::Micros => format!("{}ms", abbreviate_number(value / 1_000.0)),
        }
    }
}

/// A number in few letters: `950`, `1.5k`, `20M`.
fn abbreviate_number(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, letter) = STEPS
        .into_iter()
        .find(|it| value >= it.0)
        .unwrap_or((1.0, ""));
    let text = if value / unit < 1e4 {
        format!("{:.1}", value / unit)
    } else {
        format!("{value:.0e}")
    };
    format!("{}{letter}", text.strip_suffix(".0").unwrap_or(&text))
}

/// From nothing up to a round number.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlotScale {
    step: f64,
    n_steps: u32,
    unit: PlotUnit,
}

impl PlotScale {
    /// A scale that this value still fits on.
    pub(super) fn for_highest(highest: f64, unit: PlotUnit) -> Self {
        let highest = if highest.is_finite() {
            highest.min(1e100)
        } else {
            0.0
        };
        // Nobody has half a memory.
        let least = if unit == PlotUnit::Count { 1.0 } else { 0.1 };
        let step = match unit {
            PlotUnit::Share if highest <= 1.0 => 0.5,
            _ => round_up_tick_step(highest / 4.0).max(least),
        };
        let n_steps = (2..=5).find(|it| step * f64::from(*it) >= highest);
        Self {
            step,
            n_steps: n_steps.unwrap_or(5),
            unit,
        }
    }

    /// How far up a value stands, from 0 to 1.
    pub(super) fn fraction_of(&self, value: f64) -> f64 {
        (value / (self.step * f64::from(self.n_steps))).clamp(0.0, 1.0)
    }

    /// Where lines are drawn, and what they say.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let values = (0..=self.n_steps).map(|n| self.step * f64::from(n));
        values
            .map(|value| (value, self.unit.format_short(value)))
            .collect()
    }
}

/// The next number of 1, 2 and 5 with zeros.
fn round_up_tick_step(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let ten = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|it| it * ten);
    steps
        .into_iter()
        .find(|it| *it >= value * (1.0 - 1e-9))
        .unwrap_or(10.0 * ten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round_and_told_in_few_letters() {
        let check = |highest: f64, unit: PlotUnit, expected: &str| {
            let told: Vec<String> = PlotScale::for_highest(highest, unit)
                .ticks()
                .into_iter()
                .map(|it| it.1)
                .collect();
            assert_eq!(told.join(" "), expected, "{highest}");
        };
        check(0.0, PlotUnit::Count, "0 1 2");
        check(1.0, PlotUnit::Count, "0 1 2");
        check(7.0, PlotUnit::Count, "0 2 4 6 8");
        check(41.0, PlotUnit::Count, "0 20 40 60");
        check(10_000.0, PlotUnit::Count, "0 5k 10k");
        check(5_800_000.0, PlotUnit::Count, "0 2M 4M 6M");
        check(0.4, PlotUnit::Share, "0% 50% 100%");
        check(2.5, PlotUnit::Share, "0% 100% 200% 300%");
        check(23_000.0, PlotUnit::Micros, "0ms 10ms 20ms 30ms");
        check(f64::NAN, PlotUnit::Count, "0 1 2");
    }
}
