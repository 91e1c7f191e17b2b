//! The settings of the breakers. Their owner may turn them down or off; a repository says nothing about them.

use apostille_core::policy::{BreakerPolicy, Policy};

use super::layer::{ConfigLayer, ConfigScalar, SettingKey};
use super::{SettingOrigin, SettingValue, default_setting, pick_setting};

/// The breakers' settings in one layer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BreakerConfigLayer {
    burst: Option<usize>,
    copies: Option<usize>,
    drift: Option<usize>,
    invalidations: Option<usize>,
    window_minutes: Option<usize>,
    quiet_minutes: Option<usize>,
}

impl BreakerConfigLayer {
    /// One setting, or what is wrong with it.
    pub(super) fn from_setting(key: SettingKey, scalar: &ConfigScalar) -> Result<Self, String> {
        let mut raw = Self::default();
        let count = Some(scalar.as_count()?);
        match key {
            SettingKey::BreakersBurst => raw.burst = count,
            SettingKey::BreakersCopies => raw.copies = count,
            SettingKey::BreakersDrift => raw.drift = count,
            SettingKey::BreakersInvalidations => raw.invalidations = count,
            SettingKey::BreakersWindowMinutes => raw.window_minutes = count,
            SettingKey::BreakersQuietMinutes => raw.quiet_minutes = count,
            _ => {}
        }
        Ok(raw)
    }

    /// Adds what another one says.
    pub(super) fn merge_layer(&mut self, other: Self) {
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
    values: [(SettingKey, SettingValue<usize>); 6],
}

impl BreakerSettings {
    pub(super) fn from_layers(layers: &[(SettingOrigin, ConfigLayer)]) -> Self {
        let usual = Policy::default().breakers;
        let found = |key, usual: usize, field: fn(&BreakerConfigLayer) -> Option<usize>| {
            (
                key,
                pick_setting(layers, |it| field(&it.breakers)).unwrap_or(default_setting(usual)),
            )
        };
        let values = [
            found(SettingKey::BreakersBurst, usual.burst, |it| it.burst),
            found(SettingKey::BreakersCopies, usual.copies, |it| it.copies),
            found(SettingKey::BreakersDrift, usual.drift, |it| it.drift),
            found(
                SettingKey::BreakersInvalidations,
                usual.invalidations,
                |it| it.invalidations,
            ),
            found(
                SettingKey::BreakersWindowMinutes,
                usual.window_minutes as usize,
                |it| it.window_minutes,
            ),
            found(
                SettingKey::BreakersQuietMinutes,
                usual.quiet_minutes as usize,
                |it| it.quiet_minutes,
            ),
        ];
        Self { values }
    }

    /// The rules that these settings make.
    pub fn to_policy(&self) -> BreakerPolicy {
        let [burst, copies, drift, invalidations, window, quiet] = &self.values;
        let minutes =
            |it: &(SettingKey, SettingValue<usize>)| u32::try_from(it.1.value).unwrap_or(u32::MAX);
        BreakerPolicy {
            burst: burst.1.value,
            copies: copies.1.value,
            drift: drift.1.value,
            invalidations: invalidations.1.value,
            window_minutes: minutes(window),
            quiet_minutes: minutes(quiet),
        }
    }

    /// Every setting as text, with its key.
    pub(super) fn iter_settings(
        &self,
    ) -> impl Iterator<Item = (SettingKey, String, &SettingOrigin)> {
        self.values
            .iter()
            .map(|(key, it)| (*key, it.value.to_string(), &it.origin))
    }
}
