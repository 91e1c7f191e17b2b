//! The settings of the breakers. Their owner may turn them down or off; a repository says nothing about them.

use apostille_core::policy::{Breakers, Policy};

use super::raw::{Key, Raw, Scalar};
use super::{Found, Origin, default, pick};

/// The breakers' settings in one layer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RawBreakers {
    burst: Option<usize>,
    copies: Option<usize>,
    drift: Option<usize>,
    invalidations: Option<usize>,
    window_minutes: Option<usize>,
    quiet_minutes: Option<usize>,
}

impl RawBreakers {
    /// One setting, or what is wrong with it.
    pub(super) fn read(key: Key, scalar: &Scalar) -> Result<Self, String> {
        let mut raw = Self::default();
        let count = Some(scalar.count()?);
        match key {
            Key::BreakersBurst => raw.burst = count,
            Key::BreakersCopies => raw.copies = count,
            Key::BreakersDrift => raw.drift = count,
            Key::BreakersInvalidations => raw.invalidations = count,
            Key::BreakersWindowMinutes => raw.window_minutes = count,
            Key::BreakersQuietMinutes => raw.quiet_minutes = count,
            _ => {}
        }
        Ok(raw)
    }

    /// Adds what another one says.
    pub(super) fn join(&mut self, other: Self) {
        self.burst = other.burst.or(self.burst);
        self.copies = other.copies.or(self.copies);
        self.drift = other.drift.or(self.drift);
        self.invalidations = other.invalidations.or(self.invalidations);
        self.window_minutes = other.window_minutes.or(self.window_minutes);
        self.quiet_minutes = other.quiet_minutes.or(self.quiet_minutes);
    }
}

/// From when on what somebody writes waits.
#[derive(Debug, Clone)]
pub struct BreakerSettings {
    values: [(Key, Found<usize>); 6],
}

impl BreakerSettings {
    pub(super) fn of(layers: &[(Origin, Raw)]) -> Self {
        let usual = Policy::default().breakers;
        let found = |key, usual: usize, field: fn(&RawBreakers) -> Option<usize>| {
            (
                key,
                pick(layers, |it| field(&it.breakers)).unwrap_or(default(usual)),
            )
        };
        let values = [
            found(Key::BreakersBurst, usual.burst, |it| it.burst),
            found(Key::BreakersCopies, usual.copies, |it| it.copies),
            found(Key::BreakersDrift, usual.drift, |it| it.drift),
            found(Key::BreakersInvalidations, usual.invalidations, |it| {
                it.invalidations
            }),
            found(
                Key::BreakersWindowMinutes,
                usual.window_minutes as usize,
                |it| it.window_minutes,
            ),
            found(
                Key::BreakersQuietMinutes,
                usual.quiet_minutes as usize,
                |it| it.quiet_minutes,
            ),
        ];
        Self { values }
    }

    /// The rules that these settings make.
    pub fn breakers(&self) -> Breakers {
        let [burst, copies, drift, invalidations, window, quiet] = &self.values;
        let minutes = |it: &(Key, Found<usize>)| u32::try_from(it.1.value).unwrap_or(u32::MAX);
        Breakers {
            burst: burst.1.value,
            copies: copies.1.value,
            drift: drift.1.value,
            invalidations: invalidations.1.value,
            window_minutes: minutes(window),
            quiet_minutes: minutes(quiet),
        }
    }

    /// Every setting as text, with its key.
    pub(super) fn each(&self) -> impl Iterator<Item = (Key, String, &Origin)> {
        self.values
            .iter()
            .map(|(key, it)| (*key, it.value.to_string(), &it.origin))
    }
}
