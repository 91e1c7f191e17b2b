//! What was meant: every setting complete, each with where it came from.
//!
//! A flag beats the environment, that beats the repository's `apostille.toml`, that its `agent.json`, that the user's
//! own file, that the defaults. A repository's file was written by whoever wrote the repository: it is read after its user
//! trusted the clone (`crate::trust`), and `config/trust.rs` says how little it may decide then.

mod brought_setting;
mod confirm_mode;
mod file;
mod github_read;
mod model;
mod name_pattern;
mod reviews;
mod scalar;
mod serve;
mod setting_key;
mod setting_origin;
mod store_url;
mod trust;
mod trust_allow;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use apostille_cite::{
    citation::RepoPath,
    source::{OtherRepositorySource, Source},
};
use apostille_core::{policy::Policy, space::Space};
use apostille_git::github::GitHubOptions;
use apostille_text::{moderate::check_name, secrets::SecretPolicy};

pub use brought_setting::{BroughtSetting, list_brought_settings};
pub use confirm_mode::ConfirmMode;
pub use github_read::GitHubReadList;
pub use model::ModelSettings;
pub use reviews::ReviewSettings;
pub use serve::{CodeHome, RepositoryHomes, ServeSettings};
pub use setting_key::SettingKey;
pub use setting_origin::SettingOrigin;
pub use store_url::StoreUrl;
pub use trust_allow::TrustAllowList;

use crate::{
    database_access::DatabaseAccess,
    error::CommandError,
    project_folder::ProjectFolder,
    repository_space::{
        RepositoryContact, RepositoryRequest, is_claim_refuted, settle_repository_space,
    },
    sync_target::SyncTarget,
    system::System,
    trust::{BroughtFile, BroughtSettings, CloneIdentity, UntrustedReason, find_distrust},
};
use scalar::ConfigScalar;

/// After how many finished tasks the program looks back, unless said.
const USUAL_EVERY: usize = 10;
/// An address of GitHub's API, as an example.
const ENTERPRISE: &str = "https://ghe.example.com/api/v3";

/// Every setting in force.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where memories are kept.
    pub store: StoreUrl,
    /// Where the user's own memories are kept, where the store is the repository's: it speaks for its own.
    pub own_store: Option<StoreUrl>,
    /// What it takes to reach a database, where the store is one.
    pub database: DatabaseAccess,
    /// Whose the user's space is.
    pub user: Space,
    /// Whose the repository's space is.
    pub repo: Space,
    /// What is known of the repository by its history.
    pub contact: RepositoryContact,
    /// The rules that hold in the repository's space.
    pub policy: Policy,
    /// Where GitHub's API is.
    pub github_url: String,
    /// Which repositories servers read there, where they are not checked out.
    pub github_read: GitHubReadList,
    /// Where servers find the code of repositories that are not checked out.
    pub repos: RepositoryHomes,
    /// How a server is reached.
    pub serve: ServeSettings,
    /// Of which repositories reviews are read, and how deliveries are known.
    pub reviews: ReviewSettings,
    /// Which repositories are trusted without a question.
    pub trust_allow: TrustAllowList,
    /// Why the settings that the repository brings were left out, if it brings any that were.
    pub untrusted: Option<UntrustedReason>,
    /// The store among those named that is the repository's, whether it is the one in use or not.
    pub repository_store: Option<StoreUrl>,
    /// Where vectors of memories in files of lines are kept: they can be made again.
    pub embedding_folder: Option<PathBuf>,
    /// Which model may be asked, if any.
    pub model: ModelSettings,
    /// How a person confirms what only a person decides.
    pub confirm: ConfirmMode,
    /// Where replicas meet, unless another place was chosen for this repository on this machine.
    pub sync: Option<SyncTarget>,
    /// The share of sessions that chance holds out.
    pub holdout: f64,
    /// After how many finished tasks patterns are looked for; 0: never by itself.
    pub reflect_every: usize,
    /// After how many memories are consolidated; 0: never by itself.
    pub consolidate_every: usize,
    /// What the user says about secrets.
    pub secrets: SecretPolicy,
    /// Where the gates of tasks are written down.
    pub task_dir: RepoPath,
    /// Whether tasks write files into the repository; where nobody says, those that it has already.
    pub task_files: Option<bool>,
    /// Whether NOTES.md tells of the active task.
    pub task_notes: bool,
    /// Where each setting came from; what is not here is a default.
    origins: BTreeMap<SettingKey, SettingOrigin>,
}

impl Settings {
    /// What holds where nobody says anything; the store is chosen when every layer is read.
    fn new_default(user: Space, repo: Space) -> Result<Self, CommandError> {
        Ok(Self {
            store: StoreUrl::Sqlite(PathBuf::new()),
            own_store: None,
            database: DatabaseAccess::default(),
            user,
            repo,
            contact: RepositoryContact::default(),
            policy: Policy::default(),
            github_url: GitHubOptions::new("").base,
            github_read: GitHubReadList::default(),
            repos: RepositoryHomes::default(),
            serve: ServeSettings::default(),
            reviews: ReviewSettings::default(),
            trust_allow: TrustAllowList::default(),
            untrusted: None,
            repository_store: None,
            embedding_folder: None,
            model: ModelSettings::default(),
            confirm: ConfirmMode::Off,
            sync: None,
            holdout: 0.0,
            reflect_every: USUAL_EVERY,
            consolidate_every: USUAL_EVERY,
            secrets: SecretPolicy::default(),
            task_dir: "plans/artifacts".parse().map_err(CommandError::internal)?,
            task_files: None,
            task_notes: true,
            origins: BTreeMap::new(),
        })
    }

    /// Where a setting came from.
    fn origin(&self, key: SettingKey) -> &SettingOrigin {
        self.origins.get(&key).unwrap_or(&SettingOrigin::Default)
    }

    /// Whether somebody set it.
    pub fn is_set(&self, key: SettingKey) -> bool {
        *self.origin(key) != SettingOrigin::Default
    }

    /// Whether a variable says it.
    pub fn is_from_environment(&self, key: SettingKey) -> bool {
        *self.origin(key) == SettingOrigin::Environment
    }

    /// Whether the command line names another repository than the one of this folder. In the environment and in the user's
    /// own file, the name is this repository's: a fork is called as what it was forked from. A checkout that only claims a remote
    /// is not of that repository: its files prove nothing there.
    pub fn names_other_repository(&self) -> bool {
        *self.origin(SettingKey::Repo) == SettingOrigin::Flag && !self.contact.is_here
    }

    /// The code of the repository that is meant: what is in this folder, unless another one is named.
    pub fn open_repository(
        &self,
        place: &ProjectFolder,
        reference: Option<&str>,
    ) -> Result<Box<dyn Source>, CommandError> {
        if !self.names_other_repository() {
            return place.open_source(reference);
        }
        let here = place.checkout.as_ref().map(|it| it.identity().path);
        let repo = self.repo.to_string();
        Ok(Box::new(OtherRepositorySource { repo, here }))
    }

    /// The host of GitHub's repositories, by the address of its API: `https://ghe.example.com/api/v3`, and for github.com
    /// `https://api.github.com`.
    pub fn github_host(&self) -> &str {
        let address = self.github_url.split("://").nth(1).unwrap_or_default();
        let host = address.split(['/', ':']).next().unwrap_or_default();
        host.strip_prefix("api.").unwrap_or(host)
    }

    /// Whether the user said that this repository may be read on GitHub.
    pub fn is_on_github(&self, repo: &Space) -> bool {
        let is_listed = self.github_read.has_repository(repo, self.github_host());
        is_listed || self.repos.find_home(repo) == Some(&CodeHome::GitHub)
    }

    /// The rules that hold in the user's space. What a repository says about how many memories to keep is about its own.
    pub fn user_policy(&self) -> Policy {
        let mut policy = self.policy;
        if self.origin(SettingKey::MaxTotal).is_repository() {
            policy.limits.max_total = None;
        }
        policy
    }

    /// Whether any of the files is there that memories are kept in.
    pub fn has_store_file(&self) -> bool {
        let mut urls = self.own_store.iter().chain([&self.store]);
        urls.any(StoreUrl::is_there)
    }

    /// Every setting as text, with its key.
    pub fn list_settings(&self) -> Vec<(SettingKey, String, &SettingOrigin)> {
        fn show_or_none<T: ToString>(value: &Option<T>) -> String {
            value.as_ref().map_or_else(|| "none".into(), T::to_string)
        }
        let (policy, model, breakers) = (&self.policy, &self.model, &self.policy.breakers);
        let (n_allowed, n_rules) = self.secrets.count_entries();
        let serve = &self.serve;
        let show_names = |it: &[String]| match it {
            [] => "none".into(),
            names => names.join(", "),
        };
        let show_path = |it: &Option<PathBuf>| show_or_none(&it.as_ref().map(|it| it.display()));
        let (reviews, quorum) = (&self.reviews, &policy.reviews);
        let rows: [(SettingKey, &dyn ToString); 56] = [
            (SettingKey::Store, &self.store),
            (SettingKey::Repo, &self.repo),
            (SettingKey::User, &self.user),
            (SettingKey::InjectMode, &policy.inject.mode),
            (SettingKey::MaxInjectChars, &policy.inject.chars),
            (SettingKey::MaxInjectCount, &policy.inject.count),
            (SettingKey::InjectFallback, &policy.inject.fallback),
            (SettingKey::Archive, &policy.archive),
            (
                SettingKey::MaxTotal,
                &show_or_none(&policy.limits.max_total),
            ),
            (SettingKey::Scoring, &policy.scoring),
            (SettingKey::RequireCitations, &policy.require_citations),
            (SettingKey::Confirm, &self.confirm),
            (SettingKey::GithubUrl, &self.github_url),
            (SettingKey::GithubRead, &self.github_read),
            (SettingKey::TrustAllow, &self.trust_allow),
            (SettingKey::ServeListen, &show_or_none(&serve.listen)),
            (SettingKey::ServeCert, &show_path(&serve.cert)),
            (SettingKey::ServeKey, &show_path(&serve.key)),
            (
                SettingKey::ServeBehindProxy,
                &show_names(&serve.behind_proxy),
            ),
            (
                SettingKey::ServeProxyHeader,
                &show_or_none(&serve.proxy_header),
            ),
            (SettingKey::ServePublicHost, &show_names(&serve.public_host)),
            (SettingKey::Repos, &self.repos),
            (SettingKey::TaskDir, &self.task_dir),
            (SettingKey::TaskFiles, &show_task_files(self.task_files)),
            (SettingKey::TaskNotes, &self.task_notes),
            (SettingKey::ModelUrl, &show_or_none(&model.url)),
            (SettingKey::ModelName, &show_or_none(&model.name)),
            (SettingKey::ModelApi, &model.api),
            (SettingKey::ModelKeyEnv, &show_or_none(&model.key_env)),
            (SettingKey::ModelTimeoutMs, &model.timeout_ms),
            (SettingKey::ModelBudget, &model.budget),
            (SettingKey::ModelGuard, &model.guard),
            (SettingKey::QueuePerWeek, &policy.queue.per_week),
            (SettingKey::ReviewsRepos, &reviews.repos),
            (SettingKey::ReviewsSecret, &reviews.show_secret()),
            (
                SettingKey::ReviewsSecretFile,
                &show_path(&reviews.secret_file),
            ),
            (SettingKey::ReviewsLogin, &show_or_none(&reviews.login)),
            (SettingKey::ReviewsMaintainers, &quorum.maintainers),
            (SettingKey::ReviewsComments, &quorum.comments),
            (SettingKey::ReviewsCollaborators, &quorum.collaborators),
            (SettingKey::ReviewsPulls, &quorum.pulls),
            (SettingKey::ReviewsExpireDays, &quorum.expire_days),
            (SettingKey::ReviewsExpireTasks, &quorum.expire_tasks),
            (SettingKey::ImpactHoldout, &self.holdout),
            (SettingKey::ImpactTier, &policy.inject.tier),
            (SettingKey::ReflectEvery, &self.reflect_every),
            (SettingKey::ConsolidateEvery, &self.consolidate_every),
            (SettingKey::Sync, &show_sync(&self.sync)),
            (SettingKey::SecretsAllow, &n_allowed),
            (SettingKey::SecretsRules, &n_rules),
            (SettingKey::BreakersBurst, &breakers.burst),
            (SettingKey::BreakersCopies, &breakers.copies),
            (SettingKey::BreakersDrift, &breakers.drift),
            (SettingKey::BreakersInvalidations, &breakers.invalidations),
            (SettingKey::BreakersWindowMinutes, &breakers.window_minutes),
            (SettingKey::BreakersQuietMinutes, &breakers.quiet_minutes),
        ];
        rows.into_iter()
            .map(|(key, value)| (key, value.to_string(), self.origin(key)))
            .collect()
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
    pub fn for_folder(system: &System, place: &ProjectFolder) -> Self {
        Self {
            user: find_user_config(system),
            repository: place.root.join("apostille.toml"),
            agent_json: place.root.join("agent.json"),
        }
    }
}

/// The user's own file; `None` where nobody knows the user's folder.
fn find_user_config(system: &System) -> Option<PathBuf> {
    let named = system.env.get("APOSTILLE_CONFIG");
    let named = named.map(|it| system.cwd.join(it));
    named.or_else(|| system.env.config_dir().map(|it| it.join("config.toml")))
}

/// What the user's own file says about secrets, for the whole process. No other file is asked, and no variable: a repository
/// or an agent's shell would speak there.
pub fn read_secret_policy(system: &System) -> Result<SecretPolicy, CommandError> {
    // An agent's shell names no other file than the usual one.
    let usual = || system.env.config_dir().map(|it| it.join("config.toml"));
    let path = match system.env.is_agent_shell() {
        true => usual(),
        false => find_user_config(system),
    };
    let text = path.as_deref().map(file::read_config_file).transpose()?;
    let says_something = text.flatten().is_some_and(|it| it.contains("secrets"));
    if !says_something {
        return Ok(SecretPolicy::default());
    }
    let (user, repo) = (Space::user("me"), Space::repo("me/here"));
    let settings = Settings::new_default(
        user.map_err(CommandError::internal)?,
        repo.map_err(CommandError::internal)?,
    )?;
    let mut reader = ConfigReader {
        settings,
        home: system.env.home_dir(),
        named_stores: Vec::new(),
    };
    let place = ProjectFolder::discover_from(&system.cwd)?;
    reader.read_user_file(system, &place, path)?;
    Ok(reader.settings.secrets)
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

/// Reads every layer and completes what nobody said. What the repository brings is left out unless it is trusted.
pub fn resolve_settings(
    system: &System,
    flags: &SettingFlags,
    place: &ProjectFolder,
) -> Result<Settings, CommandError> {
    let brought = BroughtSettings::read_from(&place.root);
    let judge = RepositoryJudge {
        system,
        place,
        is_assumed: false,
    };
    resolve_judged_settings(&judge, flags, &brought)
}

/// The settings as they are once the user trusts what the repository brings.
pub fn resolve_settings_as_trusted(
    system: &System,
    flags: &SettingFlags,
    place: &ProjectFolder,
    brought: &BroughtSettings,
) -> Result<Settings, CommandError> {
    let judge = RepositoryJudge {
        system,
        place,
        is_assumed: true,
    };
    resolve_judged_settings(&judge, flags, brought)
}

/// Says whether what a repository brings is heard.
struct RepositoryJudge<'a> {
    system: &'a System,
    place: &'a ProjectFolder,
    /// Whether it is trusted for the time of a look at it.
    is_assumed: bool,
}

impl RepositoryJudge<'_> {
    fn find_distrust(
        &self,
        allow: &TrustAllowList,
        brought: &BroughtSettings,
    ) -> Result<Option<UntrustedReason>, CommandError> {
        if self.is_assumed {
            return Ok(None);
        }
        let clone = CloneIdentity::for_folder(self.place);
        // A claim is not enough where the history says otherwise.
        if allow.has_clone(&clone) && !is_claim_refuted(self.system, self.place)? {
            return Ok(None);
        }
        find_distrust(self.system, &clone, brought.digest())
    }
}

fn resolve_judged_settings(
    judge: &RepositoryJudge,
    flags: &SettingFlags,
    brought: &BroughtSettings,
) -> Result<Settings, CommandError> {
    let RepositoryJudge { system, place, .. } = *judge;
    let login = system.env.login_name().and_then(|it| Space::user(it).ok());
    let (user, user_origin) = match login {
        Some(user) => (user, SettingOrigin::Login),
        None => {
            let user = Space::user("me").map_err(CommandError::internal)?;
            (user, SettingOrigin::Default)
        }
    };
    let mut settings = Settings::new_default(user, place.space()?)?;
    settings.embedding_folder = system.env.cache_dir().map(|it| it.join("embeddings"));
    settings.origins = BTreeMap::from([
        (SettingKey::User, user_origin),
        (SettingKey::Repo, SettingOrigin::Checkout),
    ]);
    let files = ConfigFiles::for_folder(system, place);
    let (repository, agent_json) = (
        SettingOrigin::Repository(files.repository),
        SettingOrigin::AgentJson(files.agent_json),
    );
    let mut reader = ConfigReader {
        settings,
        home: system.env.home_dir(),
        named_stores: Vec::new(),
    };
    // The weakest first: what is stronger says it again.
    let user = reader.read_user_file(system, place, files.user);
    let mut layers = vec![user];
    if !brought.is_empty() {
        let allow = reader.choose_allow_list(system);
        reader.settings.untrusted = judge.find_distrust(&allow, brought)?;
    }
    if reader.settings.untrusted.is_none() {
        layers.push(reader.read_repository_file(place, &agent_json, &brought.agent_json));
        layers.push(reader.read_repository_file(place, &repository, &brought.config));
    }
    layers.push(reader.read_environment(system));
    layers.push(reader.read_flags(system, flags));
    // Of several mistakes, that of the strongest is told.
    layers.into_iter().rev().collect::<Result<(), _>>()?;
    reader.choose_stores(system, place)?;
    reader.check_named_store(judge, brought)?;
    reader.read_usual_confirm(system)?;
    let mut settings = reader.settings;
    settings.database = system.database_access();
    let is_typed = *settings.origin(SettingKey::Repo) != SettingOrigin::Checkout;
    let asked = RepositoryRequest {
        typed: is_typed.then_some(&settings.repo),
        is_in_repository: settings.own_store.is_some(),
        open_store: &|| {
            settings
                .store
                .open_existing(&settings.repo, &settings.database)
        },
    };
    let (repo, contact) = settle_repository_space(system, place, &asked)?;
    (settings.repo, settings.contact) = (repo, contact);
    // GitHub's own runners name its API.
    if let (SettingOrigin::Default, Some(text)) = (
        settings.origin(SettingKey::GithubUrl),
        system.env.get("GITHUB_API_URL"),
    ) {
        settings.github_url = model::parse_api_address(text, ENTERPRISE)
            .map_err(|why| CommandError::config(format!("GITHUB_API_URL is '{text}': {why}")))?;
        settings
            .origins
            .insert(SettingKey::GithubUrl, SettingOrigin::Environment);
    }
    Ok(settings)
}

impl Settings {
    fn add_to_secrets_policy(
        &mut self,
        key: SettingKey,
        scalar: &ConfigScalar,
    ) -> Result<(), String> {
        let policy = self.secrets.clone();
        let policy = match key {
            SettingKey::SecretsRules => policy.with_rules(scalar.as_list()?),
            _ => policy.with_allowed(scalar.as_list()?),
        };
        self.secrets = policy.map_err(|it| it.to_string())?;
        Ok(())
    }
}

/// Settings in the making, layer by layer.
struct ConfigReader {
    settings: Settings,
    home: Option<PathBuf>,
    /// Every store that is named, the strongest last.
    named_stores: Vec<(SettingOrigin, StoreUrl)>,
}

impl ConfigReader {
    /// Sets what a layer says over what weaker ones said, or tells what is wrong with it.
    fn set(
        &mut self,
        (origin, base): (&SettingOrigin, &Path),
        key: SettingKey,
        scalar: &ConfigScalar,
    ) -> Result<(), String> {
        let (settings, home) = (&mut self.settings, self.home.as_deref());
        // A variable is set by every command line, also an agent's.
        let is_own = key.is_secrets() || key.is_reviews() && !key.is_review_secret();
        if is_own && *origin == SettingOrigin::Environment {
            return Err("it is read from your own config file only".into());
        }
        if origin.is_repository() {
            trust::check_repository_setting(key, scalar)?;
        }
        let (policy, model) = (&mut settings.policy, &mut settings.model);
        let breakers = &mut policy.breakers;
        match key {
            SettingKey::Store => {
                let store = if origin.is_repository() {
                    trust::parse_repository_store(base, scalar.as_text()?)?
                } else {
                    StoreUrl::from_text(scalar.as_text()?, base, home)?
                };
                self.named_stores.push((origin.clone(), store));
            }
            SettingKey::User => {
                let name = parse_name(scalar)?;
                settings.user = Space::user(name).map_err(|it| it.to_string())?
            }
            SettingKey::Repo => {
                let name = parse_name(scalar)?;
                settings.repo = Space::repo(name).map_err(|it| it.to_string())?
            }
            SettingKey::InjectMode => policy.inject.mode = scalar.parse_word()?,
            SettingKey::MaxInjectChars => policy.inject.chars = scalar.as_positive_number()?,
            SettingKey::MaxInjectCount => policy.inject.count = scalar.as_positive_number()?,
            SettingKey::InjectFallback => policy.inject.fallback = scalar.as_count()?,
            SettingKey::Archive => policy.archive = scalar.parse_word()?,
            SettingKey::MaxTotal => policy.limits.max_total = Some(scalar.as_positive_number()?),
            SettingKey::Scoring => policy.scoring = scalar.parse_word()?,
            SettingKey::RequireCitations => policy.require_citations = scalar.as_flag()?,
            // A variable is set by every command line, also an agent's.
            SettingKey::Confirm if !matches!(origin, SettingOrigin::User(_)) => {
                return Err("set it in your own config file".into());
            }
            SettingKey::Confirm => settings.confirm = scalar.parse_word()?,
            SettingKey::GithubUrl => {
                settings.github_url = model::parse_api_address(scalar.as_text()?, ENTERPRISE)?
            }
            SettingKey::GithubRead => settings.github_read = scalar.as_text()?.parse()?,
            SettingKey::TrustAllow => settings.trust_allow = scalar.as_text()?.parse()?,
            SettingKey::ServeListen => {
                settings.serve.listen = Some(serve::parse_listen_address(scalar)?)
            }
            SettingKey::ServeCert => {
                settings.serve.cert = Some(serve::parse_file_path(scalar, base, home)?)
            }
            SettingKey::ServeKey => {
                settings.serve.key = Some(serve::parse_file_path(scalar, base, home)?)
            }
            SettingKey::ServeBehindProxy => settings.serve.behind_proxy = scalar.split_names()?,
            SettingKey::ServeProxyHeader => {
                settings.serve.proxy_header = Some(scalar.as_text()?.into())
            }
            SettingKey::ServePublicHost => settings.serve.public_host = scalar.split_names()?,
            SettingKey::Repos => {
                settings.repos = RepositoryHomes::parse_scalar(scalar, base, home)?
            }
            // What is wrong with a setting of the model is not repeated: it may be a key.
            SettingKey::ModelUrl => model.url = Some(model::parse_model_url(scalar.as_text()?)?),
            SettingKey::ModelName => model.name = Some(model::parse_model_name(scalar.as_text()?)?),
            SettingKey::ModelApi => model.api = scalar.parse_word()?,
            SettingKey::ModelKeyEnv => {
                model.key_env = Some(model::parse_key_variable(scalar.as_text()?)?)
            }
            SettingKey::ModelTimeoutMs => {
                model.timeout_ms = scalar.as_number_up_to(model::LONGEST)?
            }
            SettingKey::ModelBudget => model.budget = scalar.as_number_up_to(u32::MAX as usize)?,
            SettingKey::ModelGuard => model.guard = scalar.as_flag()?,
            SettingKey::TaskDir => {
                settings.task_dir = scalar.as_text()?.parse().map_err(
                    |_| "expected a folder within the repository, such as plans/artifacts",
                )?
            }
            SettingKey::TaskFiles => settings.task_files = Some(scalar.as_flag()?),
            SettingKey::TaskNotes => settings.task_notes = scalar.as_flag()?,
            SettingKey::QueuePerWeek => policy.queue.per_week = scalar.as_count()?,
            SettingKey::ReviewsRepos
            | SettingKey::ReviewsSecret
            | SettingKey::ReviewsSecretFile
            | SettingKey::ReviewsLogin
            | SettingKey::ReviewsMaintainers
            | SettingKey::ReviewsComments
            | SettingKey::ReviewsCollaborators
            | SettingKey::ReviewsPulls
            | SettingKey::ReviewsExpireDays
            | SettingKey::ReviewsExpireTasks => {
                (settings.reviews).set(&mut policy.reviews, key, scalar, (base, home))?;
            }
            SettingKey::ImpactHoldout => settings.holdout = scalar.as_share()?,
            SettingKey::ImpactTier => policy.inject.tier = scalar.as_tier()?,
            SettingKey::ReflectEvery => settings.reflect_every = scalar.as_count()?,
            SettingKey::ConsolidateEvery => settings.consolidate_every = scalar.as_count()?,
            // A variable is set by every command line, also an agent's, and what is shared cannot be taken back.
            SettingKey::Sync if *origin == SettingOrigin::Environment => {
                return Err("it is read from config files only".into());
            }
            SettingKey::Sync => {
                settings.sync = match scalar.as_text()? {
                    "off" => None,
                    text => Some(SyncTarget::from_text(text, base, self.home.as_deref())?),
                };
            }
            SettingKey::SecretsAllow | SettingKey::SecretsRules => {
                settings.add_to_secrets_policy(key, scalar)?;
            }
            SettingKey::BreakersBurst => breakers.burst = scalar.as_count()?,
            SettingKey::BreakersCopies => breakers.copies = scalar.as_count()?,
            SettingKey::BreakersDrift => breakers.drift = scalar.as_count()?,
            SettingKey::BreakersInvalidations => breakers.invalidations = scalar.as_count()?,
            SettingKey::BreakersWindowMinutes => breakers.window_minutes = scalar.as_minutes()?,
            SettingKey::BreakersQuietMinutes => breakers.quiet_minutes = scalar.as_minutes()?,
        }
        settings.origins.insert(key, origin.clone());
        Ok(())
    }

    fn read_user_file(
        &mut self,
        system: &System,
        place: &ProjectFolder,
        path: Option<PathBuf>,
    ) -> Result<(), CommandError> {
        let Some(path) = path else { return Ok(()) };
        let Some(text) = file::read_config_file(&path)? else {
            return match system.env.get("APOSTILLE_CONFIG") {
                None => Ok(()),
                Some(_) => Err(file::build_config_file_error(
                    &path,
                    "there is no such file; APOSTILLE_CONFIG names it",
                )),
            };
        };
        let origin = SettingOrigin::User(path.clone());
        let base = path.parent().unwrap_or(&system.cwd);
        // The variable may name a file that came with the repository.
        let is_brought = trust::is_file_in_checkout(place, &path);
        file::parse_config_toml(&path, &text, |key, scalar| {
            let is_own = key == SettingKey::TrustAllow || key.is_secrets() || key.is_reviews();
            if is_brought && is_own {
                trust::check_repository_setting(key, scalar)?;
            }
            self.set((&origin, base), key, scalar)
        })
    }

    /// What the usual file of the user says about confirming counts, too: `APOSTILLE_CONFIG` puts another one in its place with
    /// one word of a command line.
    fn read_usual_confirm(&mut self, system: &System) -> Result<(), CommandError> {
        let usual = system.env.config_dir().map(|it| it.join("config.toml"));
        let (Some(_), Some(path)) = (system.env.get("APOSTILLE_CONFIG"), usual) else {
            return Ok(());
        };
        let Some(text) = file::read_config_file(&path)? else {
            return Ok(());
        };
        let word = file::read_single_word(&path, &text, SettingKey::Confirm)?;
        if let Some(mode) = word.filter(|it| *it > self.settings.confirm) {
            self.settings.confirm = mode;
            let origin = SettingOrigin::User(path);
            self.settings.origins.insert(SettingKey::Confirm, origin);
        }
        Ok(())
    }

    fn read_repository_file(
        &mut self,
        place: &ProjectFolder,
        origin: &SettingOrigin,
        found: &BroughtFile,
    ) -> Result<(), CommandError> {
        let set = |key, scalar: &_| self.set((origin, &place.root), key, scalar);
        let path = origin.file().unwrap_or(&place.root);
        match (found, origin) {
            (BroughtFile::Absent, _) => Ok(()),
            (BroughtFile::Refused(why), _) => Err(file::build_config_file_error(path, why)),
            (BroughtFile::Text(text), SettingOrigin::AgentJson(_)) => {
                file::parse_agent_json(path, text, set)
            }
            (BroughtFile::Text(text), _) => file::parse_config_toml(path, text, set),
        }
    }

    /// The user's list of hosts and owners, before the environment is read: it decides whether a weaker layer is. What is
    /// wrong with the variable is told with the other variables.
    fn choose_allow_list(&self, system: &System) -> TrustAllowList {
        let said = system.env.get(&SettingKey::TrustAllow.env_variable());
        match said {
            Some(text) => text.trim().parse().unwrap_or_default(),
            None => self.settings.trust_allow.clone(),
        }
    }

    /// A flag or a variable may name a file of any repository that its user goes to. One that is there already came with the
    /// repository, or was not looked at yet.
    fn check_named_store(
        &self,
        judge: &RepositoryJudge,
        brought: &BroughtSettings,
    ) -> Result<(), CommandError> {
        let settings = &self.settings;
        let Some((origin, store)) = self.named_stores.last() else {
            return Ok(());
        };
        let is_there = |it: fs::Metadata| !it.is_file() || it.len() > 0;
        let is_brought = settings.own_store.is_some()
            && !origin.is_repository()
            && store
                .path()
                .is_some_and(|it| fs::metadata(it).is_ok_and(is_there));
        let allow = &settings.trust_allow;
        if !is_brought || judge.find_distrust(allow, brought)?.is_none() {
            return Ok(());
        }
        let fault = format!("the store '{store}' lies in a repository that you have not trusted");
        Err(CommandError::config(fault).with_hint("apostille trust shows what is in it, and asks"))
    }

    fn read_environment(&mut self, system: &System) -> Result<(), CommandError> {
        for key in SettingKey::ALL {
            let name = key.env_variable();
            let Some(text) = system.env.get(&name) else {
                continue;
            };
            // Somebody may have put the model's key in the wrong place, and it is not shown for that.
            let shown = if key.is_model() || key.is_review_secret() {
                "set".into()
            } else {
                format!("'{text}'")
            };
            let scalar = ConfigScalar::Variable(text.trim().into());
            self.set((&SettingOrigin::Environment, &system.cwd), *key, &scalar)
                .map_err(|why| CommandError::config(format!("{name} is {shown}: {why}")))?;
        }
        Ok(())
    }

    fn read_flags(&mut self, system: &System, flags: &SettingFlags) -> Result<(), CommandError> {
        for (key, flag, text) in [
            (SettingKey::Store, "store", &flags.store),
            (SettingKey::Repo, "repo", &flags.repo),
            (SettingKey::User, "as", &flags.as_user),
        ] {
            let Some(text) = text else { continue };
            let scalar = ConfigScalar::Text(text.clone());
            self.set((&SettingOrigin::Flag, &system.cwd), key, &scalar)
                .map_err(|why| CommandError::usage(format!("--{flag} '{text}': {why}")))?;
        }
        Ok(())
    }

    /// Takes the strongest store; where that is the repository's, the strongest that is not is the user's own.
    fn choose_stores(
        &mut self,
        system: &System,
        place: &ProjectFolder,
    ) -> Result<(), CommandError> {
        let or_default = |named: Option<&(SettingOrigin, StoreUrl)>| match named {
            Some((_, url)) => Ok(url.clone()),
            None => match system.require_data_dir() {
                Ok(folder) => Ok(StoreUrl::Sqlite(folder.join("memories.db"))),
                Err(fault) => Err(fault.with_hint("say it: --store sqlite:PATH")),
            },
        };
        let is_repositorys =
            |it: &&(SettingOrigin, StoreUrl)| is_repository_store(place, &it.0, &it.1);
        let strongest = self.named_stores.last();
        let brought = self.named_stores.iter().rev().find(is_repositorys);
        self.settings.repository_store = brought.map(|it| it.1.clone());
        self.settings.store = or_default(strongest)?;
        if strongest.is_some_and(|it| is_repositorys(&it)) {
            let own = self
                .named_stores
                .iter()
                .rev()
                .find(|it| !is_repositorys(it));
            self.settings.own_store = Some(or_default(own)?);
        }
        Ok(())
    }
}

/// A name that is stored and shown with every memory.
fn parse_name(scalar: &ConfigScalar) -> Result<&str, String> {
    let name = scalar.as_text()?;
    check_name(name).map_err(|it| it.to_string())?;
    Ok(name)
}

/// Whether a store is the repository's: it named it, or it holds it. A file of the checkout came with it, whoever names
/// it now; only what the user's own file says is always the same file, and the user's.
fn is_repository_store(place: &ProjectFolder, origin: &SettingOrigin, store: &StoreUrl) -> bool {
    let is_said = matches!(origin, SettingOrigin::Flag | SettingOrigin::Environment);
    origin.is_repository() || (is_said && trust::is_store_in_checkout(place, store))
}

fn show_sync(target: &Option<SyncTarget>) -> String {
    target
        .as_ref()
        .map_or_else(|| "off".into(), SyncTarget::to_string)
}

/// Where nobody says whether tasks write files, those are written that are there.
fn show_task_files(set: Option<bool>) -> &'static str {
    match set {
        None => "auto",
        Some(true) => "true",
        Some(false) => "false",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings after one of them was read in this layer.
    pub(super) fn read_setting(
        layer: (&SettingOrigin, &Path),
        key: SettingKey,
        scalar: &ConfigScalar,
    ) -> Result<Settings, String> {
        let (user, repo) = (Space::user("ana").unwrap(), Space::repo("a/b").unwrap());
        let mut reader = ConfigReader {
            settings: Settings::new_default(user, repo).unwrap(),
            home: None,
            named_stores: Vec::new(),
        };
        reader.set(layer, key, scalar)?;
        Ok(reader.settings)
    }
}
