//! One layer of settings as it was written: everything optional.

use std::path::Path;

use apostille_cite::citation::RepoPath;
use apostille_core::policy::{InjectMode, Scoring};
use apostille_core::space::Space;
use apostille_text::typo;

use super::StoreUrl;
use super::breakers::BreakerConfigLayer;
use super::model::ModelConfigLayer;
use crate::error::CommandError;
use crate::system::System;

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKey {
    /// Where memories are kept.
    Store,
    /// The user's name.
    User,
    /// The repository's name.
    Repo,
    /// What is put before a model by itself.
    InjectMode,
    /// How many characters of it.
    MaxInjectChars,
    /// How many memories.
    MaxInjectCount,
    /// How many are kept active.
    MaxTotal,
    /// How relevance is scored.
    Scoring,
    /// Whether repository facts need a citation.
    RequireCitations,
    /// Where GitHub's API is.
    GithubUrl,
    /// Where the model is.
    ModelUrl,
    /// What the model is called.
    ModelName,
    /// Which protocol it speaks.
    ModelApi,
    /// Which variable holds its key.
    ModelKeyEnv,
    /// How long it may take.
    ModelTimeoutMs,
    /// How many requests a day has.
    ModelBudget,
    /// Whether it looks over what agents want to keep.
    ModelGuard,
    /// Where the gates of tasks are written down.
    TaskDir,
    /// Whether NOTES.md tells of the active task.
    TaskNotes,
    /// How many new memories at once trip a breaker.
    BreakersBurst,
    /// How many that say nearly the same.
    BreakersCopies,
    /// From how many on a sudden change is looked for.
    BreakersDrift,
    /// How many found wrong at once.
    BreakersInvalidations,
    /// How long at once is.
    BreakersWindowMinutes,
    /// After how long a breaker closes by itself.
    BreakersQuietMinutes,
}

impl SettingKey {
    /// Every key.
    pub const ALL: [Self; 25] = [
        Self::Store,
        Self::User,
        Self::Repo,
        Self::InjectMode,
        Self::MaxInjectChars,
        Self::MaxInjectCount,
        Self::MaxTotal,
        Self::Scoring,
        Self::RequireCitations,
        Self::GithubUrl,
        Self::ModelUrl,
        Self::ModelName,
        Self::ModelApi,
        Self::ModelKeyEnv,
        Self::ModelTimeoutMs,
        Self::ModelBudget,
        Self::ModelGuard,
        Self::TaskDir,
        Self::TaskNotes,
        Self::BreakersBurst,
        Self::BreakersCopies,
        Self::BreakersDrift,
        Self::BreakersInvalidations,
        Self::BreakersWindowMinutes,
        Self::BreakersQuietMinutes,
    ];
    /// The keys that `agent.json` knows.
    pub const OF_AGENT_JSON: [Self; 4] = [
        Self::InjectMode,
        Self::MaxInjectChars,
        Self::MaxInjectCount,
        Self::MaxTotal,
    ];

    /// The word for it in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::User => "user",
            Self::Repo => "repo",
            Self::InjectMode => "inject_mode",
            Self::MaxInjectChars => "max_inject_chars",
            Self::MaxInjectCount => "max_inject_count",
            Self::MaxTotal => "max_total",
            Self::Scoring => "scoring",
            Self::RequireCitations => "require_citations",
            Self::GithubUrl => "github.url",
            Self::ModelUrl => "model.url",
            Self::ModelName => "model.name",
            Self::ModelApi => "model.api",
            Self::ModelKeyEnv => "model.key_env",
            Self::ModelTimeoutMs => "model.timeout_ms",
            Self::ModelBudget => "model.budget",
            Self::ModelGuard => "model.guard",
            Self::TaskDir => "task.dir",
            Self::TaskNotes => "task.notes",
            Self::BreakersBurst => "breakers.burst",
            Self::BreakersCopies => "breakers.copies",
            Self::BreakersDrift => "breakers.drift",
            Self::BreakersInvalidations => "breakers.invalidations",
            Self::BreakersWindowMinutes => "breakers.window_minutes",
            Self::BreakersQuietMinutes => "breakers.quiet_minutes",
        }
    }

    /// Whether it is about the model.
    pub fn is_model(self) -> bool {
        self.as_str().starts_with("model.")
    }

    /// Whether it is about the breakers.
    pub fn is_breakers(self) -> bool {
        self.as_str().starts_with("breakers.")
    }

    /// Its variable in the environment.
    pub fn env_variable(self) -> String {
        format!(
            "APOSTILLE_{}",
            self.as_str().to_ascii_uppercase().replace('.', "_")
        )
    }

    /// The key of this name among those known, or what to write instead.
    pub fn from_name(name: &str, known: &[Self]) -> Result<Self, String> {
        if let Some(key) = known.iter().find(|it| it.as_str() == name) {
            return Ok(*key);
        }
        let near = |it: &&Self| typo::count_spelling_errors(name, it.as_str());
        let nearest = known
            .iter()
            .filter(|it| near(it).is_some())
            .min_by_key(|it| near(it));
        let name = apostille_text::secrets::mask_secrets(name);
        let name = name
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect::<String>();
        Err(match nearest {
            Some(key) => format!("unknown key '{name}'; did you mean '{}'?", key.as_str()),
            None => {
                let known = known
                    .iter()
                    .map(|it| it.as_str())
                    .collect::<Vec<_>>()
                    .join(", ");
                format!("unknown key '{name}'; there are: {known}")
            }
        })
    }
}

/// A value as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigScalar {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// True or false.
    Flag(bool),
    /// Something that no setting is.
    Other,
}

impl ConfigScalar {
    pub(super) fn as_text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err("expected a text in quotes".into()),
        }
    }

    pub(super) fn parse_word<T: std::str::FromStr<Err = apostille_text::words::UnknownWord>>(
        &self,
    ) -> Result<T, String> {
        self.as_text()?
            .parse()
            .map_err(|error: apostille_text::words::UnknownWord| error.to_string())
    }

    pub(super) fn as_positive_number(&self) -> Result<usize, String> {
        match self {
            Self::Number(n) => usize::try_from(*n).ok().filter(|it| *it > 0),
            _ => None,
        }
        .ok_or_else(|| "expected a whole number above 0".into())
    }

    pub(super) fn as_count(&self) -> Result<usize, String> {
        match self {
            Self::Number(n) => usize::try_from(*n).ok(),
            _ => None,
        }
        .ok_or_else(|| "expected a whole number; 0 switches it off".into())
    }

    pub(super) fn as_flag(&self) -> Result<bool, String> {
        match self {
            Self::Flag(it) => Ok(*it),
            _ => Err("expected true or false".into()),
        }
    }

    /// The value that a text of the environment stands for.
    fn from_variable(key: SettingKey, text: &str) -> Self {
        let text = text.trim();
        match key {
            key if key.is_breakers() => text.parse().map_or(Self::Other, Self::Number),
            SettingKey::MaxInjectChars
            | SettingKey::MaxInjectCount
            | SettingKey::MaxTotal
            | SettingKey::ModelTimeoutMs
            | SettingKey::ModelBudget => text.parse().map_or(Self::Other, Self::Number),
            SettingKey::RequireCitations | SettingKey::TaskNotes | SettingKey::ModelGuard => {
                match text {
                    "true" | "1" | "yes" => Self::Flag(true),
                    "false" | "0" | "no" => Self::Flag(false),
                    _ => Self::Other,
                }
            }
            _ => Self::Text(text.into()),
        }
    }
}

/// One layer of settings.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigLayer {
    pub(super) store: Option<StoreUrl>,
    pub(super) user: Option<Space>,
    pub(super) repo: Option<Space>,
    pub(super) inject_mode: Option<InjectMode>,
    pub(super) max_inject_chars: Option<usize>,
    pub(super) max_inject_count: Option<usize>,
    pub(super) max_total: Option<usize>,
    pub(super) scoring: Option<Scoring>,
    pub(super) require_citations: Option<bool>,
    pub(super) github_url: Option<String>,
    pub(super) model: ModelConfigLayer,
    pub(super) task_dir: Option<RepoPath>,
    pub(super) task_notes: Option<bool>,
    pub(super) breakers: BreakerConfigLayer,
}

impl ConfigLayer {
    /// Adds what another one says.
    pub(super) fn merge_layer(&mut self, other: Self) {
        let Self {
            store,
            user,
            repo,
            inject_mode,
            github_url,
            task_dir,
            model,
            ..
        } = other;
        self.model.merge_layer(model);
        self.breakers.merge_layer(other.breakers);
        self.store = store.or_else(|| self.store.take());
        self.user = user.or_else(|| self.user.take());
        self.repo = repo.or_else(|| self.repo.take());
        self.github_url = github_url.or_else(|| self.github_url.take());
        self.task_dir = task_dir.or_else(|| self.task_dir.take());
        self.task_notes = other.task_notes.or(self.task_notes);
        self.inject_mode = inject_mode.or(self.inject_mode);
        self.max_inject_chars = other.max_inject_chars.or(self.max_inject_chars);
        self.max_inject_count = other.max_inject_count.or(self.max_inject_count);
        self.max_total = other.max_total.or(self.max_total);
        self.scoring = other.scoring.or(self.scoring);
        self.require_citations = other.require_citations.or(self.require_citations);
    }
}

/// One setting as its owner wrote it, or what is wrong with it.
pub(super) fn parse_setting(
    key: SettingKey,
    scalar: &ConfigScalar,
    base: &Path,
    home: Option<&Path>,
) -> Result<ConfigLayer, String> {
    let mut raw = ConfigLayer::default();
    match key {
        SettingKey::Store => raw.store = Some(StoreUrl::from_text(scalar.as_text()?, base, home)?),
        SettingKey::User => {
            raw.user = Some(Space::user(scalar.as_text()?).map_err(|error| error.to_string())?)
        }
        SettingKey::Repo => {
            raw.repo = Some(Space::repo(scalar.as_text()?).map_err(|error| error.to_string())?)
        }
        SettingKey::InjectMode => raw.inject_mode = Some(scalar.parse_word()?),
        SettingKey::MaxInjectChars => raw.max_inject_chars = Some(scalar.as_positive_number()?),
        SettingKey::MaxInjectCount => raw.max_inject_count = Some(scalar.as_positive_number()?),
        SettingKey::MaxTotal => raw.max_total = Some(scalar.as_positive_number()?),
        SettingKey::Scoring => raw.scoring = Some(scalar.parse_word()?),
        SettingKey::RequireCitations => raw.require_citations = Some(scalar.as_flag()?),
        SettingKey::GithubUrl => {
            raw.github_url = Some(parse_api_address(scalar.as_text()?, ENTERPRISE)?)
        }
        SettingKey::TaskDir => raw.task_dir = Some(parse_task_dir(scalar.as_text()?)?),
        SettingKey::TaskNotes => raw.task_notes = Some(scalar.as_flag()?),
        SettingKey::ModelUrl
        | SettingKey::ModelName
        | SettingKey::ModelApi
        | SettingKey::ModelKeyEnv
        | SettingKey::ModelTimeoutMs
        | SettingKey::ModelBudget
        | SettingKey::ModelGuard => raw.model = ModelConfigLayer::from_setting(key, scalar)?,
        SettingKey::BreakersBurst
        | SettingKey::BreakersCopies
        | SettingKey::BreakersDrift
        | SettingKey::BreakersInvalidations
        | SettingKey::BreakersWindowMinutes
        | SettingKey::BreakersQuietMinutes => {
            raw.breakers = BreakerConfigLayer::from_setting(key, scalar)?
        }
    }
    Ok(raw)
}

/// A folder within the repository.
fn parse_task_dir(text: &str) -> Result<RepoPath, String> {
    text.parse()
        .map_err(|_| "expected a folder within the repository, such as plans/artifacts".into())
}

/// An address of GitHub's API, as an example.
pub(super) const ENTERPRISE: &str = "https://ghe.example.com/api/v3";

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

/// What the environment says.
pub(super) fn read_environment_layer(world: &System) -> Result<ConfigLayer, CommandError> {
    let mut raw = ConfigLayer::default();
    let home = world.env.home_dir();
    for key in SettingKey::ALL {
        let name = key.env_variable();
        let Some(text) = world.env.get(&name) else {
            continue;
        };
        let scalar = ConfigScalar::from_variable(key, text);
        let one = parse_setting(key, &scalar, &world.cwd, home.as_deref());
        // Somebody may have put the model's key in the wrong place, and it is not shown for that.
        let shown = if key.is_model() {
            "set".into()
        } else {
            format!("'{text}'")
        };
        raw.merge_layer(
            one.map_err(|why| CommandError::config(format!("{name} is {shown}: {why}")))?,
        );
    }
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_is_told_its_name() {
        let check = |name: &str, expected: &str| {
            assert_eq!(
                SettingKey::from_name(name, &SettingKey::ALL).unwrap_err(),
                expected
            );
        };
        check(
            "inject_modee",
            "unknown key 'inject_modee'; did you mean 'inject_mode'?",
        );
        check(
            "scorring",
            "unknown key 'scorring'; did you mean 'scoring'?",
        );
        assert!(
            SettingKey::from_name("endpoint", &SettingKey::ALL)
                .unwrap_err()
                .starts_with("unknown key 'endpoint'; there are: store, ")
        );
    }
}
