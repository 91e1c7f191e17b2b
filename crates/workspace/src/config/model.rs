//! The settings of the model that may be asked. It is off until its owner names it, and no repository can.

use std::time::Duration;

use apostille_models::protocols::{ModelApi, TIMEOUT};
use apostille_text::secrets;

use super::layer::{ConfigLayer, ConfigScalar, SettingKey, parse_api_address};
use super::{SettingOrigin, SettingValue, default_setting, pick_setting};

/// How many requests a day has, unless its owner says otherwise.
const BUDGET: u32 = 50;
/// The longest time that a question may be given.
const LONGEST: usize = 600_000;
/// The longest name of a model or a variable.
const MAX_NAME: usize = 200;

/// The model's settings in one layer.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelConfigLayer {
    url: Option<String>,
    name: Option<String>,
    api: Option<ModelApi>,
    key_env: Option<String>,
    timeout_ms: Option<usize>,
    budget: Option<usize>,
    guard: Option<bool>,
}

impl ModelConfigLayer {
    /// One setting, or what is wrong with it. What is wrong is not repeated: it may be a key.
    pub(super) fn from_setting(key: SettingKey, scalar: &ConfigScalar) -> Result<Self, String> {
        let mut raw = Self::default();
        match key {
            SettingKey::ModelUrl => raw.url = Some(parse_model_url(scalar.as_text()?)?),
            SettingKey::ModelName => raw.name = Some(parse_model_name(scalar.as_text()?)?),
            SettingKey::ModelApi => raw.api = Some(scalar.parse_word()?),
            SettingKey::ModelKeyEnv => raw.key_env = Some(parse_key_variable(scalar.as_text()?)?),
            SettingKey::ModelTimeoutMs => {
                raw.timeout_ms = Some(check_number_limit(scalar.as_positive_number()?, LONGEST)?)
            }
            SettingKey::ModelBudget => {
                raw.budget = Some(check_number_limit(
                    scalar.as_positive_number()?,
                    u32::MAX as usize,
                )?)
            }
            SettingKey::ModelGuard => raw.guard = Some(scalar.as_flag()?),
            _ => {}
        }
        Ok(raw)
    }

    /// Adds what another one says.
    pub(super) fn merge_layer(&mut self, other: Self) {
        self.url = other.url.or_else(|| self.url.take());
        self.name = other.name.or_else(|| self.name.take());
        self.api = other.api.or(self.api);
        self.key_env = other.key_env.or_else(|| self.key_env.take());
        self.timeout_ms = other.timeout_ms.or(self.timeout_ms);
        self.budget = other.budget.or(self.budget);
        self.guard = other.guard.or(self.guard);
    }
}

/// Which model may be asked, by whom, and how often.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Where it is.
    pub url: SettingValue<Option<String>>,
    /// What it is called there.
    pub name: SettingValue<Option<String>>,
    /// Which protocol is spoken there.
    pub api: SettingValue<ModelApi>,
    /// The variable that holds the key; the key itself is in no setting.
    pub key_env: SettingValue<Option<String>>,
    /// How long one question may take.
    pub timeout_ms: SettingValue<usize>,
    /// How many requests a day has.
    pub budget: SettingValue<usize>,
    /// Whether it looks over what agents want to keep.
    pub guard: SettingValue<bool>,
}

impl ModelSettings {
    pub(super) fn from_layers(layers: &[(SettingOrigin, ConfigLayer)]) -> Self {
        let usual = usize::try_from(TIMEOUT.as_millis()).unwrap_or(LONGEST);
        Self {
            url: pick_setting(layers, |it| it.model.url.clone().map(Some))
                .unwrap_or(default_setting(None)),
            name: pick_setting(layers, |it| it.model.name.clone().map(Some))
                .unwrap_or(default_setting(None)),
            api: pick_setting(layers, |it| it.model.api)
                .unwrap_or(default_setting(ModelApi::default())),
            key_env: pick_setting(layers, |it| it.model.key_env.clone().map(Some))
                .unwrap_or(default_setting(None)),
            timeout_ms: pick_setting(layers, |it| it.model.timeout_ms)
                .unwrap_or(default_setting(usual)),
            budget: pick_setting(layers, |it| it.model.budget)
                .unwrap_or(default_setting(BUDGET as usize)),
            guard: pick_setting(layers, |it| it.model.guard).unwrap_or(default_setting(false)),
        }
    }

    /// Where the model is and what it is called; `None` while it is off.
    pub fn url_and_name(&self) -> Option<(&str, &str)> {
        Some((self.url.value.as_deref()?, self.name.value.as_deref()?))
    }

    /// How long one question may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.value as u64)
    }

    /// How many requests a day has.
    pub fn daily_budget(&self) -> u32 {
        u32::try_from(self.budget.value).unwrap_or(u32::MAX)
    }

    /// Every setting as text, with its key.
    pub(super) fn list_settings(&self) -> [(SettingKey, String, &SettingOrigin); 7] {
        let word = |it: &Option<String>| it.clone().unwrap_or_else(|| "none".into());
        [
            (
                SettingKey::ModelUrl,
                word(&self.url.value),
                &self.url.origin,
            ),
            (
                SettingKey::ModelName,
                word(&self.name.value),
                &self.name.origin,
            ),
            (
                SettingKey::ModelApi,
                self.api.value.to_string(),
                &self.api.origin,
            ),
            (
                SettingKey::ModelKeyEnv,
                word(&self.key_env.value),
                &self.key_env.origin,
            ),
            (
                SettingKey::ModelTimeoutMs,
                self.timeout_ms.value.to_string(),
                &self.timeout_ms.origin,
            ),
            (
                SettingKey::ModelBudget,
                self.budget.value.to_string(),
                &self.budget.origin,
            ),
            (
                SettingKey::ModelGuard,
                self.guard.value.to_string(),
                &self.guard.origin,
            ),
        ]
    }
}

fn parse_model_url(text: &str) -> Result<String, String> {
    let example = "https://api.openai.com/v1";
    if text.contains(['?', '#']) {
        return Err(format!(
            "expected an address such as {example}, without ? and #; the key goes in a variable"
        ));
    }
    parse_api_address(text, example)
}

fn parse_model_name(text: &str) -> Result<String, String> {
    let is_name =
        !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(|it| it.is_ascii_graphic());
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a model's name, in one word".into())
}

/// The name of a variable. Whoever writes the key itself here is told so before it is shown anywhere.
fn parse_key_variable(text: &str) -> Result<String, String> {
    let is_start = |it: char| it.is_ascii_alphabetic() || it == '_';
    let is_plain =
        text.starts_with(is_start) && text.chars().all(|it| is_start(it) || it.is_ascii_digit());
    if !is_plain
        || text.len() > MAX_NAME
        || secrets::find_secret(text).is_some()
        || has_key_like_part(text)
    {
        return Err(
            "expected the name of a variable that holds the key, such as OPENAI_API_KEY, and not the key"
                .into(),
        );
    }
    Ok(text.to_owned())
}

/// Whether a part between underscores is long and has digits in it, as keys are and names are not.
fn has_key_like_part(text: &str) -> bool {
    text.split('_')
        .any(|it| it.len() >= 16 && it.contains(|c: char| c.is_ascii_digit()))
}

fn check_number_limit(n: usize, most: usize) -> Result<usize, String> {
    if n > most {
        Err(format!("expected a whole number up to {most}"))
    } else {
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: SettingKey, scalar: ConfigScalar, expected: &str) {
        let read = ModelConfigLayer::from_setting(key, &scalar);
        let said = match &read {
            Ok(raw) => format!("{raw:?}"),
            Err(why) => why.clone(),
        };
        assert!(said.contains(expected), "{key:?} {scalar:?}: {said}");
        assert_eq!(
            read.is_err(),
            expected.starts_with("expected") || expected.starts_with("unknown"),
            "{said}"
        );
    }

    fn text(text: &str) -> ConfigScalar {
        ConfigScalar::Text(text.into())
    }

    #[test]
    fn addresses_hold_no_secret() {
        check(
            SettingKey::ModelUrl,
            text("https://api.openai.com/v1/"),
            "\"https://api.openai.com/v1\"",
        );
        check(
            SettingKey::ModelUrl,
            text("http://127.0.0.1:11434/v1"),
            "\"http://127.0.0.1:11434/v1\"",
        );
        check(
            SettingKey::ModelUrl,
            text("api.openai.com"),
            "expected an address such as https://api.openai.com/v1",
        );
        check(
            SettingKey::ModelUrl,
            text("https://ana:pw@example.com"),
            "expected an address",
        );
        check(
            SettingKey::ModelUrl,
            text("https://example.com/v1?key=1"),
            "expected an address",
        );
    }

    #[test]
    fn a_key_is_not_taken_for_the_name_of_its_variable() {
        let refused = "expected the name of a variable";
        check(
            SettingKey::ModelKeyEnv,
            text("OPENAI_API_KEY"),
            "OPENAI_API_KEY",
        );
        check(SettingKey::ModelKeyEnv, text("_my_key2"), "_my_key2");
        check(
            SettingKey::ModelKeyEnv,
            text(&["sk-", "proj-abcdEFGH1234"].concat()),
            refused,
        );
        check(
            SettingKey::ModelKeyEnv,
            text("f3b0c44298fc1c149afbf4c8996fb924"),
            refused,
        );
        check(
            SettingKey::ModelKeyEnv,
            text("gsk_f3b0c44298fc1c149afbf4c8"),
            refused,
        );
        check(SettingKey::ModelKeyEnv, text("2KEY"), refused);
        check(SettingKey::ModelKeyEnv, text("$KEY"), refused);
        check(SettingKey::ModelKeyEnv, text(""), refused);
    }

    #[test]
    fn the_rest_is_words_and_numbers() {
        check(SettingKey::ModelName, text("gpt-5-mini"), "gpt-5-mini");
        check(SettingKey::ModelName, text("qwen3:8b"), "qwen3:8b");
        check(
            SettingKey::ModelName,
            text("two words"),
            "expected a model's name",
        );
        check(SettingKey::ModelName, text(""), "expected a model's name");
        check(SettingKey::ModelApi, text("anthropic"), "Anthropic");
        check(
            SettingKey::ModelApi,
            text("gemini"),
            "unknown api 'gemini', expected one of: openai, anthropic",
        );
        check(
            SettingKey::ModelTimeoutMs,
            ConfigScalar::Number(500),
            "Some(500)",
        );
        check(
            SettingKey::ModelTimeoutMs,
            ConfigScalar::Number(600_001),
            "expected a whole number up to 600000",
        );
        check(
            SettingKey::ModelTimeoutMs,
            ConfigScalar::Number(0),
            "expected a whole number above 0",
        );
        check(SettingKey::ModelBudget, ConfigScalar::Number(7), "Some(7)");
        check(
            SettingKey::ModelBudget,
            ConfigScalar::Number(-7),
            "expected a whole number above 0",
        );
    }
}
