//! What was meant: every setting complete, each with where it came from.
//!
//! A flag beats the environment, that beats the repository's `apostille.toml`, that its `agent.json`, that the user's
//! own file, that the defaults. A repository's file was written by whoever wrote the repository: `trust` says how
//! little it may decide.

mod breakers;
mod file;
mod model;
mod raw;
mod trust;
mod url;

use std::path::{Path, PathBuf};

use apostille_cite::citation::RepoPath;
use apostille_core::policy::{InjectMode, Policy, Scoring};
use apostille_core::space::Space;
use apostille_git::github::Options;

pub use breakers::BreakerSettings;
pub use model::ModelSettings;
pub use raw::Key;
pub use url::StoreUrl;

use crate::error::Fault;
use crate::place::Place;
use crate::system::World;
use raw::Raw;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
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

impl Origin {
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
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

/// Every setting.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where memories are kept.
    pub store: Found<StoreUrl>,
    /// Where the user's own memories are kept, where the store is the repository's: it speaks for its own.
    pub own_store: Option<Found<StoreUrl>>,
    /// Whose the user's space is.
    pub user: Found<Space>,
    /// Whose the repository's space is.
    pub repo: Found<Space>,
    /// What is put before a model by itself.
    pub inject_mode: Found<InjectMode>,
    /// How many characters of it.
    pub max_inject_chars: Found<usize>,
    /// How many memories.
    pub max_inject_count: Found<usize>,
    /// How many memories are kept active, where there is a limit.
    pub max_total: Found<Option<usize>>,
    /// How relevance is scored.
    pub scoring: Found<Scoring>,
    /// Whether repository facts need a citation.
    pub require_citations: Found<bool>,
    /// Where GitHub's API is.
    pub github_url: Found<String>,
    /// Which model may be asked, if any.
    pub model: ModelSettings,
    /// Where the gates of tasks are written down.
    pub task_dir: Found<RepoPath>,
    /// Whether NOTES.md tells of the active task.
    pub task_notes: Found<bool>,
    /// From when on what somebody writes waits.
    pub breakers: BreakerSettings,
}

impl Settings {
    /// The rules that hold in a space. What a repository says about how many memories to keep is about its own.
    pub fn policy(&self, space: &Space) -> Policy {
        let mut policy = Policy::default();
        let is_ours = !(space.is_user() && self.max_total.origin.is_repository());
        policy.limits.max_total = self.max_total.value.filter(|_| is_ours);
        policy.inject.mode = self.inject_mode.value;
        policy.inject.chars = self.max_inject_chars.value;
        policy.inject.count = self.max_inject_count.value;
        policy.scoring = self.scoring.value;
        policy.require_citations = self.require_citations.value;
        policy.breakers = self.breakers.breakers();
        policy
    }

    /// Every setting as text, with its key.
    pub fn each(&self) -> Vec<(Key, String, &Origin)> {
        fn row<T: ToString>(key: Key, found: &Found<T>) -> (Key, String, &Origin) {
            (key, found.value.to_string(), &found.origin)
        }
        let total = self
            .max_total
            .value
            .map_or_else(|| "none".into(), |it| it.to_string());
        let mut all = vec![
            row(Key::Store, &self.store),
            row(Key::Repo, &self.repo),
            row(Key::User, &self.user),
            row(Key::InjectMode, &self.inject_mode),
            row(Key::MaxInjectChars, &self.max_inject_chars),
            row(Key::MaxInjectCount, &self.max_inject_count),
            (Key::MaxTotal, total, &self.max_total.origin),
            row(Key::Scoring, &self.scoring),
            row(Key::RequireCitations, &self.require_citations),
            row(Key::GithubUrl, &self.github_url),
            row(Key::TaskDir, &self.task_dir),
            row(Key::TaskNotes, &self.task_notes),
        ];
        all.extend(self.model.each());
        all.extend(self.breakers.each());
        all
    }
}

/// The files that are read for this place, whether they are there or not.
pub struct Files {
    /// The user's own; `None` where nobody knows the user's folder.
    pub user: Option<PathBuf>,
    /// The repository's.
    pub repository: PathBuf,
    /// The repository's file for another program, of which one block is read.
    pub agent_json: PathBuf,
}

impl Files {
    /// The files of this place.
    pub fn of(world: &World, place: &Place) -> Self {
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
pub fn resolve(world: &World, flags: &SettingFlags, place: &Place) -> Result<Settings, Fault> {
    let layers = layers(world, flags, place)?;
    let policy = Policy::default();
    let login = || match world.env.login().and_then(|it| Space::user(it).ok()) {
        Some(user) => Ok(Found {
            value: user,
            origin: Origin::Login,
        }),
        None => Space::user("me").map(default).map_err(Fault::internal),
    };
    let place_name = || {
        place.space().map(|value| Found {
            value,
            origin: Origin::Checkout,
        })
    };
    let store = pick(&layers, |it| it.store.clone()).map_or_else(|| usual_store(world), Ok)?;
    Ok(Settings {
        own_store: is_foreign(place, &store)
            .then(|| own_store(world, place, &layers))
            .transpose()?,
        store,
        user: pick(&layers, |it| it.user.clone()).map_or_else(login, Ok)?,
        repo: pick(&layers, |it| it.repo.clone()).map_or_else(place_name, Ok)?,
        inject_mode: pick(&layers, |it| it.inject_mode).unwrap_or(default(policy.inject.mode)),
        max_inject_chars: pick(&layers, |it| it.max_inject_chars)
            .unwrap_or(default(policy.inject.chars)),
        max_inject_count: pick(&layers, |it| it.max_inject_count)
            .unwrap_or(default(policy.inject.count)),
        max_total: pick(&layers, |it| it.max_total.map(Some))
            .unwrap_or(default(policy.limits.max_total)),
        scoring: pick(&layers, |it| it.scoring).unwrap_or(default(policy.scoring)),
        require_citations: pick(&layers, |it| it.require_citations)
            .unwrap_or(default(policy.require_citations)),
        github_url: pick(&layers, |it| it.github_url.clone())
            .map_or_else(|| usual_github(world), Ok)?,
        model: ModelSettings::of(&layers),
        task_dir: pick(&layers, |it| it.task_dir.clone()).map_or_else(usual_tasks, Ok)?,
        task_notes: pick(&layers, |it| it.task_notes).unwrap_or(default(true)),
        breakers: BreakerSettings::of(&layers),
    })
}

/// Whether a store is the repository's: it named it, or it holds it. A file of the checkout came with it, whoever names
/// it now; only what the user's own file says is always the same file, and the user's.
fn is_foreign(place: &Place, store: &Found<StoreUrl>) -> bool {
    let is_said = matches!(store.origin, Origin::Flag | Origin::Environment);
    store.origin.is_repository() || (is_said && trust::is_within(place, &store.value))
}

/// The first store that is not the repository's.
fn own_store(
    world: &World,
    place: &Place,
    layers: &[(Origin, Raw)],
) -> Result<Found<StoreUrl>, Fault> {
    let named = |(origin, raw): &(Origin, Raw)| {
        Some(Found {
            value: raw.store.clone()?,
            origin: origin.clone(),
        })
    };
    let own = layers
        .iter()
        .filter_map(named)
        .find(|it| !is_foreign(place, it));
    own.map_or_else(|| usual_store(world), Ok)
}

fn default<T>(value: T) -> Found<T> {
    Found {
        value,
        origin: Origin::Default,
    }
}

/// The first layer that says something.
fn pick<T>(layers: &[(Origin, Raw)], field: impl Fn(&Raw) -> Option<T>) -> Option<Found<T>> {
    layers.iter().find_map(|(origin, raw)| {
        Some(Found {
            value: field(raw)?,
            origin: origin.clone(),
        })
    })
}

fn usual_tasks() -> Result<Found<RepoPath>, Fault> {
    "plans/artifacts"
        .parse()
        .map(default)
        .map_err(Fault::internal)
}

fn usual_store(world: &World) -> Result<Found<StoreUrl>, Fault> {
    let folder = world.env.data_dir().ok_or_else(|| {
        Fault::config("cannot tell where your data is kept: HOME is not set")
            .hint("say it: --store sqlite:PATH")
    })?;
    Ok(default(StoreUrl::Sqlite(folder.join("memories.db"))))
}

/// GitHub's API as its own runners name it, or the public one.
fn usual_github(world: &World) -> Result<Found<String>, Fault> {
    let Some(text) = world.env.get("GITHUB_API_URL") else {
        return Ok(default(Options::new("").base));
    };
    let value = raw::address(text, raw::ENTERPRISE)
        .map_err(|why| Fault::config(format!("GITHUB_API_URL is '{text}': {why}")))?;
    Ok(Found {
        value,
        origin: Origin::Environment,
    })
}

/// The layers, the strongest first.
fn layers(world: &World, flags: &SettingFlags, place: &Place) -> Result<Vec<(Origin, Raw)>, Fault> {
    let files = Files::of(world, place);
    let mut layers = vec![
        (Origin::Flag, flagged(world, flags)?),
        (Origin::Environment, raw::from_environment(world)?),
    ];
    if let Some(text) = file::of_repository(&files.repository)? {
        let raw = file::toml(&files.repository, &text, |key, scalar| {
            trust::from_repository(&place.root, key, scalar)
        })?;
        layers.push((Origin::Repository(files.repository), raw));
    }
    if let Some(text) = file::of_repository(&files.agent_json)? {
        let raw = file::agent_json(&files.agent_json, &text, |key, scalar| {
            trust::from_repository(&place.root, key, scalar)
        })?;
        layers.push((Origin::AgentJson(files.agent_json), raw));
    }
    let is_named = world.env.get("APOSTILLE_CONFIG").is_some();
    if let Some((path, text)) = file::of_user(files.user, is_named)? {
        let base = path.parent().unwrap_or(&world.cwd);
        let home = world.env.home();
        let raw = file::toml(&path, &text, |key, scalar| {
            raw::read(key, scalar, base, home.as_deref())
        })?;
        layers.push((Origin::User(path), raw));
    }
    Ok(layers)
}

fn flagged(world: &World, flags: &SettingFlags) -> Result<Raw, Fault> {
    let said = [
        (Key::Store, &flags.store),
        (Key::Repo, &flags.repo),
        (Key::User, &flags.as_user),
    ];
    let mut raw = Raw::default();
    for (key, text) in said {
        let Some(text) = text else { continue };
        let home = world.env.home();
        let one = raw::read(
            key,
            &raw::Scalar::Text(text.clone()),
            &world.cwd,
            home.as_deref(),
        );
        let flag = if key == Key::User { "as" } else { key.as_str() };
        raw.join(one.map_err(|why| Fault::usage(format!("--{flag} '{text}': {why}")))?);
    }
    Ok(raw)
}
