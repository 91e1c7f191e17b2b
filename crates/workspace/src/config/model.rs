//! The settings of the model that may be asked. It is off until its owner names it, and no repository can.

use std::time::Duration;

use apostille_models::protocols::{Api, TIMEOUT};
use apostille_text::secrets;

use super::raw::{Key, Raw, Scalar, address};
use super::{Found, Origin, default, pick};

/// How many requests a day has, unless its owner says otherwise.
const BUDGET: u32 = 50;
/// The longest time that a question may be given.
const LONGEST: usize = 600_000;
/// The longest name of a model or a variable.
const MAX_NAME: usize = 200;

/// The model's settings in one layer.
#[derive(Debug, Clone, Default)]
pub(super) struct RawModel {
    url: Option<String>,
    name: Option<String>,
    api: Option<Api>,
    key_env: Option<String>,
    timeout_ms: Option<usize>,
    budget: Option<usize>,
    guard: Option<bool>,
}

impl RawModel {
    /// One setting, or what is wrong with it. What is wrong is not repeated: it may be a key.
    pub(super) fn read(key: Key, scalar: &Scalar) -> Result<Self, String> {
        let mut raw = Self::default();
        match key {
            Key::ModelUrl => raw.url = Some(url(scalar.text()?)?),
            Key::ModelName => raw.name = Some(name(scalar.text()?)?),
            Key::ModelApi => raw.api = Some(scalar.word()?),
            Key::ModelKeyEnv => raw.key_env = Some(variable(scalar.text()?)?),
            Key::ModelTimeoutMs => raw.timeout_ms = Some(at_most(scalar.number()?, LONGEST)?),
            Key::ModelBudget => raw.budget = Some(at_most(scalar.number()?, u32::MAX as usize)?),
            Key::ModelGuard => raw.guard = Some(scalar.flag()?),
            _ => {}
        }
        Ok(raw)
    }

    /// Adds what another one says.
    pub(super) fn join(&mut self, other: Self) {
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
    pub url: Found<Option<String>>,
    /// What it is called there.
    pub name: Found<Option<String>>,
    /// Which protocol is spoken there.
    pub api: Found<Api>,
    /// The variable that holds the key; the key itself is in no setting.
    pub key_env: Found<Option<String>>,
    /// How long one question may take.
    pub timeout_ms: Found<usize>,
    /// How many requests a day has.
    pub budget: Found<usize>,
    /// Whether it looks over what agents want to keep.
    pub guard: Found<bool>,
}

impl ModelSettings {
    pub(super) fn of(layers: &[(Origin, Raw)]) -> Self {
        let usual = usize::try_from(TIMEOUT.as_millis()).unwrap_or(LONGEST);
        Self {
            url: pick(layers, |it| it.model.url.clone().map(Some)).unwrap_or(default(None)),
            name: pick(layers, |it| it.model.name.clone().map(Some)).unwrap_or(default(None)),
            api: pick(layers, |it| it.model.api).unwrap_or(default(Api::default())),
            key_env: pick(layers, |it| it.model.key_env.clone().map(Some)).unwrap_or(default(None)),
            timeout_ms: pick(layers, |it| it.model.timeout_ms).unwrap_or(default(usual)),
            budget: pick(layers, |it| it.model.budget).unwrap_or(default(BUDGET as usize)),
            guard: pick(layers, |it| it.model.guard).unwrap_or(default(false)),
        }
    }

    /// Where the model is and what it is called; `None` while it is off.
    pub fn named(&self) -> Option<(&str, &str)> {
        Some((self.url.value.as_deref()?, self.name.value.as_deref()?))
    }

    /// How long one question may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.value as u64)
    }

    /// How many requests a day has.
    pub fn per_day(&self) -> u32 {
        u32::try_from(self.budget.value).unwrap_or(u32::MAX)
    }

    /// Every setting as text, with its key.
    pub(super) fn each(&self) -> [(Key, String, &Origin); 7] {
        let word = |it: &Option<String>| it.clone().unwrap_or_else(|| "none".into());
        [
            (Key::ModelUrl, word(&self.url.value), &self.url.origin),
            (Key::ModelName, word(&self.name.value), &self.name.origin),
            (Key::ModelApi, self.api.value.to_string(), &self.api.origin),
            (
                Key::ModelKeyEnv,
                word(&self.key_env.value),
                &self.key_env.origin,
            ),
            (
                Key::ModelTimeoutMs,
                self.timeout_ms.value.to_string(),
                &self.timeout_ms.origin,
            ),
            (
                Key::ModelBudget,
                self.budget.value.to_string(),
                &self.budget.origin,
            ),
            (
                Key::ModelGuard,
                self.guard.value.to_string(),
                &self.guard.origin,
            ),
        ]
    }
}

fn url(text: &str) -> Result<String, String> {
    let example = "https://api.openai.com/v1";
    if text.contains(['?', '#']) {
        return Err(format!(
            "expected an address such as {example}, without ? and #; the key goes in a variable"
        ));
    }
    address(text, example)
}

fn name(text: &str) -> Result<String, String> {
    let is_name =
        !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(|it| it.is_ascii_graphic());
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a model's name, in one word".into())
}

/// The name of a variable. Whoever writes the key itself here is told so before it is shown anywhere.
fn variable(text: &str) -> Result<String, String> {
    let is_start = |it: char| it.is_ascii_alphabetic() || it == '_';
    let is_plain =
        text.starts_with(is_start) && text.chars().all(|it| is_start(it) || it.is_ascii_digit());
    if !is_plain || text.len() > MAX_NAME || secrets::find(text).is_some() || has_odd_part(text) {
        return Err(
            "expected the name of a variable that holds the key, such as OPENAI_API_KEY, and not the key"
                .into(),
        );
    }
    Ok(text.to_owned())
}

/// Whether a part between underscores is long and has digits in it, as keys are and names are not.
fn has_odd_part(text: &str) -> bool {
    text.split('_')
        .any(|it| it.len() >= 16 && it.contains(|c: char| c.is_ascii_digit()))
}

fn at_most(n: usize, most: usize) -> Result<usize, String> {
    if n > most {
        Err(format!("expected a whole number up to {most}"))
    } else {
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Key, scalar: Scalar, expected: &str) {
        let read = RawModel::read(key, &scalar);
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

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.into())
    }

    #[test]
    fn addresses_hold_no_secret() {
        check(
            Key::ModelUrl,
            text("https://api.openai.com/v1/"),
            "\"https://api.openai.com/v1\"",
        );
        check(
            Key::ModelUrl,
            text("http://127.0.0.1:11434/v1"),
            "\"http://127.0.0.1:11434/v1\"",
        );
        check(
            Key::ModelUrl,
            text("api.openai.com"),
            "expected an address such as https://api.openai.com/v1",
        );
        check(
            Key::ModelUrl,
            text("https://ana:pw@example.com"),
            "expected an address",
        );
        check(
            Key::ModelUrl,
            text("https://example.com/v1?key=1"),
            "expected an address",
        );
    }

    #[test]
    fn a_key_is_not_taken_for_the_name_of_its_variable() {
        let refused = "expected the name of a variable";
        check(Key::ModelKeyEnv, text("OPENAI_API_KEY"), "OPENAI_API_KEY");
        check(Key::ModelKeyEnv, text("_my_key2"), "_my_key2");
        check(
            Key::ModelKeyEnv,
            text(&["sk-", "proj-abcdEFGH1234"].concat()),
            refused,
        );
        check(
            Key::ModelKeyEnv,
            text("f3b0c44298fc1c149afbf4c8996fb924"),
            refused,
        );
        check(
            Key::ModelKeyEnv,
            text("gsk_f3b0c44298fc1c149afbf4c8"),
            refused,
        );
        check(Key::ModelKeyEnv, text("2KEY"), refused);
        check(Key::ModelKeyEnv, text("$KEY"), refused);
        check(Key::ModelKeyEnv, text(""), refused);
    }

    #[test]
    fn the_rest_is_words_and_numbers() {
        check(Key::ModelName, text("gpt-5-mini"), "gpt-5-mini");
        check(Key::ModelName, text("qwen3:8b"), "qwen3:8b");
        check(Key::ModelName, text("two words"), "expected a model's name");
        check(Key::ModelName, text(""), "expected a model's name");
        check(Key::ModelApi, text("anthropic"), "Anthropic");
        check(
            Key::ModelApi,
            text("gemini"),
            "unknown api 'gemini', expected one of: openai, anthropic",
        );
        check(Key::ModelTimeoutMs, Scalar::Number(500), "Some(500)");
        check(
            Key::ModelTimeoutMs,
            Scalar::Number(600_001),
            "expected a whole number up to 600000",
        );
        check(
            Key::ModelTimeoutMs,
            Scalar::Number(0),
            "expected a whole number above 0",
        );
        check(Key::ModelBudget, Scalar::Number(7), "Some(7)");
        check(
            Key::ModelBudget,
            Scalar::Number(-7),
            "expected a whole number above 0",
        );
    }
}
