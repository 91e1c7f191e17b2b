//! The settings of the model that may be asked. It is off until its owner names it, and no repository can.

use apostille_models::protocols::{ModelApi, TIMEOUT};
use apostille_text::secrets;

/// How many requests a day has, unless its owner says otherwise.
const BUDGET: usize = 50;
/// The longest time that a question may be given.
pub(super) const LONGEST: usize = 600_000;
/// The longest name of a model or a variable.
const MAX_NAME: usize = 200;

/// Which model may be asked, by whom, and how often.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Where it is.
    pub url: Option<String>,
    /// What it is called there.
    pub name: Option<String>,
    /// Which protocol is spoken there.
    pub api: ModelApi,
    /// The variable that holds the key; the key itself is in no setting.
    pub key_env: Option<String>,
    /// How long one question may take.
    pub timeout_ms: usize,
    /// How many requests a day has.
    pub budget: usize,
    /// Whether it looks over what agents want to keep.
    pub guard: bool,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            url: None,
            name: None,
            api: ModelApi::default(),
            key_env: None,
            timeout_ms: usize::try_from(TIMEOUT.as_millis()).unwrap_or(LONGEST),
            budget: BUDGET,
            guard: false,
        }
    }
}

impl ModelSettings {
    /// Where the model is and what it is called; `None` while it is off.
    pub fn url_and_name(&self) -> Option<(&str, &str)> {
        Some((self.url.as_deref()?, self.name.as_deref()?))
    }
}

/// The address of an API, which is shown to everybody and so holds no password.
pub(super) fn parse_api_address(text: &str, example: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    if !is_web || text.contains('@') || text.contains(char::is_whitespace) {
        return Err(format!(
            "expected an address such as {example}, without a password"
        ));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

pub(super) fn parse_model_url(text: &str) -> Result<String, String> {
    let example = "https://api.openai.com/v1";
    if text.contains(['?', '#']) {
        return Err(format!(
            "expected an address such as {example}, without ? and #; the key goes in a variable"
        ));
    }
    parse_api_address(text, example)
}

pub(super) fn parse_model_name(text: &str) -> Result<String, String> {
    let is_name =
        !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(|it| it.is_ascii_graphic());
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a model's name, in one word".into())
}

/// The name of a variable. Whoever writes the key itself here is told so before it is shown anywhere.
pub(super) fn parse_key_variable(text: &str) -> Result<String, String> {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::scalar::ConfigScalar;
    use super::super::tests::read_setting;
    use super::super::{SettingKey, SettingOrigin};

    fn check(key: SettingKey, scalar: ConfigScalar, expected: &str) {
        let layer = (&SettingOrigin::Environment, Path::new("/"));
        let read = read_setting(layer, key, &scalar);
        let said = match &read {
            Ok(settings) => format!("{:?}", settings.model),
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
            "timeout_ms: 500,",
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
        check(
            SettingKey::ModelBudget,
            ConfigScalar::Number(7),
            "budget: 7,",
        );
        check(
            SettingKey::ModelBudget,
            ConfigScalar::Number(-7),
            "expected a whole number above 0",
        );
    }
}
