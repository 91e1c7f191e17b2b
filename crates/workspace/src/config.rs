//! What was meant: every setting complete, each with where it came from.
//!
//! A flag beats the environment, that beats the repository's `apostille.toml`, that its `agent.json`, that the user's
//! own file, that the defaults. A repository's file was written by whoever wrote the repository: `trust` says how
//! little it may decide.

mod breakers;
mod file;
mod layer;
mod model;
mod store_url;
mod trust;

use std::path::{Path, PathBuf};

use apostille_cite::citation::RepoPath;
use apostille_core::policy::{InjectMode, Policy, Scoring};
use apostille_core::space::Space;
use apostille_git::github::GitHubOptions;

pub use breakers::BreakerSettings;
pub use layer::SettingKey;
pub use model::ModelSettings;
pub use store_url::StoreUrl;

use crate::error::CommandError;
use crate::project_folder::ProjectFolder;
use crate::system::System;
use layer::ConfigLayer;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// The repository's `apostille.toml`.
    Repository(PathBuf),
    /// The repository's `agent.json`.
    AgentJson(PathBuf),
    /// The user's own file.
    User(PathBuf),
    /// What the system calls this user.
    Login,
    /// What the checkout, or the folder, is called.
    Checkout,
    /// Nobody said anything.
    Default,
}

impl SettingOrigin {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Repository(_) => "repository file",
            Self::AgentJson(_) => "agent.json",
            Self::User(_) => "user file",
            Self::Login => "login name",
            Self::Checkout => "checkout",
            Self::Default => "default",
        }
    }

    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Repository(path) | Self::AgentJson(path) | Self::User(path) => Some(path),
            _ => None,
        }
    }

    fn is_repository(&self) -> bool {
        matches!(self, Self::Repository(_) | Self::AgentJson(_))
    }
}

/// A value and where it came from.
#[derive(Debug, Clone)]
pub struct SettingValue<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: SettingOrigin,
}

/// Every setting.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where memories are kept.
    pub store: SettingValue<StoreUrl>,
    /// Where the user's own memories are kept, where the store is the repository's: it speaks for its own.
    pub own_store: Option<SettingValue<StoreUrl>>,
    /// Whose the user's space is.
    pub user: SettingValue<Space>,
    /// Whose the repository's space is.
    pub repo: SettingValue<Space>,
    /// What is put before a model by itself.
    pub inject_mode: SettingValue<InjectMode>,
    /// How many characters of it.
    pub max_inject_chars: SettingValue<usize>,
    /// How many memories.
    pub max_inject_count: SettingValue<usize>,
    /// How many memories are kept active, where there is a limit.
    pub max_total: SettingValue<Option<usize>>,
    /// How relevance is scored.
    pub scoring: SettingValue<Scoring>,
    /// Whether repository facts need a citation.
    pub require_citations: SettingValue<bool>,
    /// Where GitHub's API is.
    pub github_url: SettingValue<String>,
    /// Which model may be asked, if any.
    pub model: ModelSettings,
    /// Where the gates of tasks are written down.
    pub task_dir: SettingValue<RepoPath>,
    /// Whether NOTES.md tells of the active task.
    pub task_notes: SettingValue<bool>,
    /// From when on what somebody writes waits.
    pub breakers: BreakerSettings,
}

impl Settings {
    /// The rules that hold in a space. What a repository says about how many memories to keep is about its own.
    pub fn policy_for(&self, space: &Space) -> Policy {
        let mut policy = Policy::default();
        let is_ours = !(space.is_user() && self.max_total.origin.is_repository());
        policy.limits.max_total = self.max_total.value.filter(|_| is_ours);
        policy.inject.mode = self.inject_mode.value;
        policy.inject.chars = self.max_inject_chars.value;
        policy.inject.count = self.max_inject_count.value;
        policy.scoring = self.scoring.value;
        policy.require_citations = self.require_citations.value;
        policy.breakers = self.breakers.to_policy();
        policy
    }

    /// Every setting as text, with its key.
    pub fn list_settings(&self) -> Vec<(SettingKey, String, &SettingOrigin)> {
        fn describe_setting<T: ToString>(
            key: SettingKey,
            found: &SettingValue<T>,
        ) -> (SettingKey, String, &SettingOrigin) {
            (key, found.value.to_string(), &found.origin)
        }
        let total = self
            .max_total
            .value
            .map_or_else(|| "none".into(), |it| it.to_string());
        let mut all = vec![
            describe_setting(SettingKey::Store, &self.store),
            describe_setting(SettingKey::Repo, &self.repo),
            describe_setting(SettingKey::User, &self.user),
            describe_setting(SettingKey::InjectMode, &self.inject_mode),
            describe_setting(SettingKey::MaxInjectChars, &self.max_inject_chars),
            describe_setting(SettingKey::MaxInjectCount, &self.max_inject_count),
            (SettingKey::MaxTotal, total, &self.max_total.origin),
            describe_setting(SettingKey::Scoring, &self.scoring),
            describe_setting(SettingKey::RequireCitations, &self.require_citations),
            describe_setting(SettingKey::GithubUrl, &self.github_url),
            describe_setting(SettingKey::TaskDir, &self.task_dir),
            describe_setting(SettingKey::TaskNotes, &self.task_notes),
        ];
        all.extend(self.model.list_settings());
        all.extend(self.breakers.iter_settings());
        all
    }
}

/// The files that are read for this place, whether they are there or not.
pub struct ConfigFiles {
    /// The user's own; `None` where nobody knows the user's folder.
    pub user: Option<PathBuf>,
    /// The repository's.
    pub repository: PathBuf,
    /// The repository's file for another program, of which one block is read.
    pub agent_json: PathBuf,
}

impl ConfigFiles {
    /// The files of this place.
    pub fn for_folder(world: &System, place: &ProjectFolder) -> Self {
        let named = world
            .env
            .get("APOSTILLE_CONFIG")
            .map(|it| world.cwd.join(it));
        Self {
            user: named.or_else(|| world.env.config_dir().map(|it| it.join("config.toml"))),
            repository: place.root.join("apostille.toml"),
            agent_json: place.root.join("agent.json"),
        }
    }
}

/// What the command line says about which memory is meant; it goes before every other setting.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags {
    /// Where memories are kept.
    pub store: Option<String>,
    /// Whose memory: `owner/name` instead of the checkout's.
    pub repo: Option<String>,
    /// Who the user is, instead of the login name.
    pub as_user: Option<String>,
}

/// Reads every layer and completes what nobody said.
pub fn resolve_settings(
    world: &System,
    flags: &SettingFlags,
    place: &ProjectFolder,
) -> Result<Settings, CommandError> {
    let layers = load_config_layers(world, flags, place)?;
    let policy = Policy::default();
    let login = || match world.env.login_name().and_then(|it| Space::user(it).ok()) {
        Some(user) => Ok(SettingValue {
            value: user,
            origin: SettingOrigin::Login,
        }),
        None => Space::user("me")
            .map(default_setting)
            .map_err(CommandError::internal),
    };
    let place_name = || {
        place.space().map(|value| SettingValue {
            value,
            origin: SettingOrigin::Checkout,
        })
    };
    let store =
        pick_setting(&layers, |it| it.store.clone()).map_or_else(|| default_store(world), Ok)?;
    Ok(Settings {
        own_store: is_repository_store(place, &store)
            .then(|| resolve_own_store(world, place, &layers))
            .transpose()?,
        store,
        user: pick_setting(&layers, |it| it.user.clone()).map_or_else(login, Ok)?,
        repo: pick_setting(&layers, |it| it.repo.clone()).map_or_else(place_name, Ok)?,
        inject_mode: pick_setting(&layers, |it| it.inject_mode)
            .unwrap_or(default_setting(policy.inject.mode)),
        max_inject_chars: pick_setting(&layers, |it| it.max_inject_chars)
            .unwrap_or(default_setting(policy.inject.chars)),
        max_inject_count: pick_setting(&layers, |it| it.max_inject_count)
            .unwrap_or(default_setting(policy.inject.count)),
        max_total: pick_setting(&layers, |it| it.max_total.map(Some))
            .unwrap_or(default_setting(policy.limits.max_total)),
        scoring: pick_setting(&layers, |it| it.scoring).unwrap_or(default_setting(policy.scoring)),
        require_citations: pick_setting(&layers, |it| it.require_citations)
            .unwrap_or(default_setting(policy.require_citations)),
        github_url: pick_setting(&layers, |it| it.github_url.clone())
            .map_or_else(|| default_github_url(world), Ok)?,
        model: ModelSettings::from_layers(&layers),
        task_dir: pick_setting(&layers, |it| it.task_dir.clone())
            .map_or_else(default_task_dir, Ok)?,
        task_notes: pick_setting(&layers, |it| it.task_notes).unwrap_or(default_setting(true)),
        breakers: BreakerSettings::from_layers(&layers),
    })
}

/// Whether a store is the repository's: it named it, or it holds it. A file of the checkout came with it, whoever names
/// it now; only what the user's own file says is always the same file, and the user's.
fn is_repository_store(place: &ProjectFolder, store: &SettingValue<StoreUrl>) -> bool {
    let is_said = matches!(
        store.origin,
        SettingOrigin::Flag | SettingOrigin::Environment
    );
    store.origin.is_repository() || (is_said && trust::is_store_in_checkout(place, &store.value))
}

/// The first store that is not the repository's.
fn resolve_own_store(
    world: &System,
    place: &ProjectFolder,
    layers: &[(SettingOrigin, ConfigLayer)],
) -> Result<SettingValue<StoreUrl>, CommandError> {
    let named = |(origin, raw): &(SettingOrigin, ConfigLayer)| {
        Some(SettingValue {
            value: raw.store.clone()?,
            origin: origin.clone(),
        })
    };
    let own = layers
        .iter()
        .filter_map(named)
        .find(|it| !is_repository_store(place, it));
    own.map_or_else(|| default_store(world), Ok)
}

fn default_setting<T>(value: T) -> SettingValue<T> {
    SettingValue {
        value,
        origin: SettingOrigin::Default,
    }
}

/// The first layer that says something.
fn pick_setting<T>(
    layers: &[(SettingOrigin, ConfigLayer)],
    field: impl Fn(&ConfigLayer) -> Option<T>,
) -> Option<SettingValue<T>> {
    layers.iter().find_map(|(origin, raw)| {
        Some(SettingValue {
            value: field(raw)?,
            origin: origin.clone(),
        })
    })
}

fn default_task_dir() -> Result<SettingValue<RepoPath>, CommandError> {
    "plans/artifacts"
        .parse()
        .map(default_setting)
        .map_err(CommandError::internal)
}

fn default_store(world: &System) -> Result<SettingValue<StoreUrl>, CommandError> {
    let folder = world.env.data_dir().ok_or_else(|| {
        CommandError::config("cannot tell where your data is kept: HOME is not set")
            .with_hint("say it: --store sqlite:PATH")
    })?;
    Ok(default_setting(StoreUrl::Sqlite(
        folder.join("memories.db"),
    )))
}

/// GitHub's API as its own runners name it, or the public one.
fn default_github_url(world: &System) -> Result<SettingValue<String>, CommandError> {
    let Some(text) = world.env.get("GITHUB_API_URL") else {
        return Ok(default_setting(GitHubOptions::new("").base));
    };
    let value = layer::parse_api_address(text, layer::ENTERPRISE)
        .map_err(|why| CommandError::config(format!("GITHUB_API_URL is '{text}': {why}")))?;
    Ok(SettingValue {
        value,
        origin: SettingOrigin::Environment,
    })
}

/// The layers, the strongest first.
fn load_config_layers(
    world: &System,
    flags: &SettingFlags,
    place: &ProjectFolder,
) -> Result<Vec<(SettingOrigin, ConfigLayer)>, CommandError> {
    let files = ConfigFiles::for_folder(world, place);
    let mut layers = vec![
        (SettingOrigin::Flag, parse_flag_layer(world, flags)?),
        (
            SettingOrigin::Environment,
            layer::read_environment_layer(world)?,
        ),
    ];
    if let Some(text) = file::read_repository_config(&files.repository)? {
        let raw = file::parse_config_toml(&files.repository, &text, |key, scalar| {
            trust::parse_repository_setting(&place.root, key, scalar)
        })?;
        layers.push((SettingOrigin::Repository(files.repository), raw));
    }
    if let Some(text) = file::read_repository_config(&files.agent_json)? {
        let raw = file::parse_agent_json(&files.agent_json, &text, |key, scalar| {
            trust::parse_repository_setting(&place.root, key, scalar)
        })?;
        layers.push((SettingOrigin::AgentJson(files.agent_json), raw));
    }
    let is_named = world.env.get("APOSTILLE_CONFIG").is_some();
    if let Some((path, text)) = file::read_user_config(files.user, is_named)? {
        let base = path.parent().unwrap_or(&world.cwd);
        let home = world.env.home_dir();
        let raw = file::parse_config_toml(&path, &text, |key, scalar| {
            layer::parse_setting(key, scalar, base, home.as_deref())
        })?;
        layers.push((SettingOrigin::User(path), raw));
    }
    Ok(layers)
}

fn parse_flag_layer(world: &System, flags: &SettingFlags) -> Result<ConfigLayer, CommandError> {
    let said = [
        (SettingKey::Store, &flags.store),
        (SettingKey::Repo, &flags.repo),
        (SettingKey::User, &flags.as_user),
    ];
    let mut raw = ConfigLayer::default();
    for (key, text) in said {
        let Some(text) = text else { continue };
        let home = world.env.home_dir();
        let one = layer::parse_setting(
            key,
            &layer::ConfigScalar::Text(text.clone()),
            &world.cwd,
            home.as_deref(),
        );
        let flag = if key == SettingKey::User {
            "as"
        } else {
            key.as_str()
        };
        raw.merge_layer(
            one.map_err(|why| CommandError::usage(format!("--{flag} '{text}': {why}")))?,
        );
    }
    Ok(raw)
}
