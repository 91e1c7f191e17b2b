//! One layer of settings as it was written: everything optional.

use std::path::Path;

use apostille_cite::citation::RepoPath;
use apostille_core::policy::{InjectMode, Scoring};
use apostille_core::space::Space;
use apostille_text::typo;

use super::StoreUrl;
use super::breakers::RawBreakers;
use super::model::RawModel;
use crate::error::Fault;
use crate::system::World;

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
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

impl Key {
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
    pub fn variable(self) -> String {
        format!(
            "APOSTILLE_{}",
            self.as_str().to_ascii_uppercase().replace('.', "_")
        )
    }

    /// The key of this name among those known, or what to write instead.
    pub fn named(name: &str, known: &[Self]) -> Result<Self, String> {
        if let Some(key) = known.iter().find(|it| it.as_str() == name) {
            return Ok(*key);
        }
        let near = |it: &&Self| typo::near(name, it.as_str());
        let nearest = known
            .iter()
            .filter(|it| near(it).is_some())
            .min_by_key(|it| near(it));
        let name = apostille_text::secrets::masked(name);
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
pub(super) enum Scalar {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// True or false.
    Flag(bool),
    /// Something that no setting is.
    Other,
}

impl Scalar {
    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err("expected a text in quotes".into()),
        }
    }

    pub(super) fn word<T: std::str::FromStr<Err = apostille_text::words::UnknownWord>>(
        &self,
    ) -> Result<T, String> {
        self.text()?
            .parse()
            .map_err(|error: apostille_text::words::UnknownWord| error.to_string())
    }

    pub(super) fn number(&self) -> Result<usize, String> {
        match self {
            Self::Number(n) => usize::try_from(*n).ok().filter(|it| *it > 0),
            _ => None,
        }
        .ok_or_else(|| "expected a whole number above 0".into())
    }

    pub(super) fn count(&self) -> Result<usize, String> {
        match self {
            Self::Number(n) => usize::try_from(*n).ok(),
            _ => None,
        }
        .ok_or_else(|| "expected a whole number; 0 switches it off".into())
    }

    pub(super) fn flag(&self) -> Result<bool, String> {
        match self {
            Self::Flag(it) => Ok(*it),
            _ => Err("expected true or false".into()),
        }
    }

    /// The value that a text of the environment stands for.
    fn of_variable(key: Key, text: &str) -> Self {
        let text = text.trim();
        match key {
            key if key.is_breakers() => text.parse().map_or(Self::Other, Self::Number),
            Key::MaxInjectChars
            | Key::MaxInjectCount
            | Key::MaxTotal
            | Key::ModelTimeoutMs
            | Key::ModelBudget => text.parse().map_or(Self::Other, Self::Number),
            Key::RequireCitations | Key::TaskNotes | Key::ModelGuard => match text {
                "true" | "1" | "yes" => Self::Flag(true),
                "false" | "0" | "no" => Self::Flag(false),
                _ => Self::Other,
            },
            _ => Self::Text(text.into()),
        }
    }
}

/// One layer of settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
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
    pub(super) model: RawModel,
    pub(super) task_dir: Option<RepoPath>,
    pub(super) task_notes: Option<bool>,
    pub(super) breakers: RawBreakers,
}

impl Raw {
    /// Adds what another one says.
    pub(super) fn join(&mut self, other: Self) {
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
        self.model.join(model);
        self.breakers.join(other.breakers);
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
pub(super) fn read(
    key: Key,
    scalar: &Scalar,
    base: &Path,
    home: Option<&Path>,
) -> Result<Raw, String> {
    let mut raw = Raw::default();
    match key {
        Key::Store => raw.store = Some(StoreUrl::read(scalar.text()?, base, home)?),
        Key::User => {
            raw.user = Some(Space::user(scalar.text()?).map_err(|error| error.to_string())?)
        }
        Key::Repo => {
            raw.repo = Some(Space::repo(scalar.text()?).map_err(|error| error.to_string())?)
        }
        Key::InjectMode => raw.inject_mode = Some(scalar.word()?),
        Key::MaxInjectChars => raw.max_inject_chars = Some(scalar.number()?),
        Key::MaxInjectCount => raw.max_inject_count = Some(scalar.number()?),
        Key::MaxTotal => raw.max_total = Some(scalar.number()?),
        Key::Scoring => raw.scoring = Some(scalar.word()?),
        Key::RequireCitations => raw.require_citations = Some(scalar.flag()?),
        Key::GithubUrl => raw.github_url = Some(address(scalar.text()?, ENTERPRISE)?),
        Key::TaskDir => raw.task_dir = Some(folder(scalar.text()?)?),
        Key::TaskNotes => raw.task_notes = Some(scalar.flag()?),
        Key::ModelUrl
        | Key::ModelName
        | Key::ModelApi
        | Key::ModelKeyEnv
        | Key::ModelTimeoutMs
        | Key::ModelBudget
        | Key::ModelGuard => raw.model = RawModel::read(key, scalar)?,
        Key::BreakersBurst
        | Key::BreakersCopies
        | Key::BreakersDrift
        | Key::BreakersInvalidations
        | Key::BreakersWindowMinutes
        | Key::BreakersQuietMinutes => raw.breakers = RawBreakers::read(key, scalar)?,
    }
    Ok(raw)
}

/// A folder within the repository.
fn folder(text: &str) -> Result<RepoPath, String> {
    text.parse()
        .map_err(|_| "expected a folder within the repository, such as plans/artifacts".into())
}

/// An address of GitHub's API, as an example.
pub(super) const ENTERPRISE: &str = "https://ghe.example.com/api/v3";

/// The address of an API, which is shown to everybody and so holds no password.
pub(super) fn address(text: &str, example: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    if !is_web || text.contains('@') || text.contains(char::is_whitespace) {
        return Err(format!(
            "expected an address such as {example}, without a password"
        ));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// What the environment says.
pub(super) fn from_environment(world: &World) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let home = world.env.home();
    for key in Key::ALL {
        let name = key.variable();
        let Some(text) = world.env.get(&name) else {
            continue;
        };
        let scalar = Scalar::of_variable(key, text);
        let one = read(key, &scalar, &world.cwd, home.as_deref());
        // Somebody may have put the model's key in the wrong place, and it is not shown for that.
        let shown = if key.is_model() {
            "set".into()
        } else {
            format!("'{text}'")
        };
        raw.join(one.map_err(|why| Fault::config(format!("{name} is {shown}: {why}")))?);
    }
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_is_told_its_name() {
        let check = |name: &str, expected: &str| {
            assert_eq!(Key::named(name, &Key::ALL).unwrap_err(), expected);
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
            Key::named("endpoint", &Key::ALL)
                .unwrap_err()
                .starts_with("unknown key 'endpoint'; there are: store, ")
        );
    }
}
