//! A store opened, with the code beside it: everything that a verb is given.

use std::{fs, io::Write as _, path::PathBuf, sync::Arc};

use apostille_agents::{ledger::SessionLedger, testimony::TranscriptTestimony};
use apostille_api::host::CallScope;
use apostille_cite::source::Source;
use apostille_core::{
    Context,
    archive::Archive,
    embedding::Embedder,
    evidence::Testimony,
    list,
    memory::{Memory, MemoryId, MemoryName},
    policy::{ArchiveMode, Policy},
    space::Space,
    store::{Store, StoreError, ram::RamStore},
};
use apostille_git::verdict_cache::{CachedSource, VerdictCacheFile};
use apostille_stores::{archive::SqliteArchive, jsonl::JsonlStore, split::SplitStore};
use apostille_text::digest::Digest;
use jiff::Timestamp;

use super::project_folder::ProjectFolder;
use crate::{
    config::{Settings, StoreUrl},
    error::CommandError,
    measured_sessions::MeasuredSessions,
    replica_folder::ReplicaFolder,
    system::System,
};

/// A store opened, with the code beside it.
pub struct Workspace {
    /// Where this is.
    pub place: ProjectFolder,
    /// What was meant.
    pub settings: Settings,
    /// Where memories are kept.
    pub store: Arc<dyn Store>,
    /// Tells the time.
    pub clock: Box<dyn Fn() -> Timestamp>,
    /// What a call is answered with here, but for its time.
    scope: CallScope,
    records: SideRecords,
}

/// What is kept beside a store about memories: what verifying found, which names the places they cited, and where they
/// were shown.
#[derive(Clone)]
struct SideRecords {
    findings: Option<Arc<VerdictCacheFile>>,
    sessions: Option<SessionLedger>,
    /// What sessions left behind in the repository.
    measured: Option<MeasuredSessions>,
    /// What is kept to be exchanged with others.
    replicas: Vec<ReplicaFolder>,
    now: Timestamp,
}

impl SideRecords {
    fn forget_memories(&self, ids: &[MemoryId]) -> Result<(), CommandError> {
        self.forget_sessions(ids)?;
        for replica in &self.replicas {
            replica.bury_memories(ids, self.now)?;
        }
        Ok(())
    }

    fn forget_sessions(&self, ids: &[MemoryId]) -> Result<(), CommandError> {
        if let Some(memo) = &self.findings {
            memo.clear();
        }
        if let Some(ledger) = &self.sessions {
            ids.iter().try_for_each(|id| ledger.forget_memory(*id))?;
        }
        if let Some(measured) = &self.measured {
            measured.forget_episodes(ids)?;
        }
        Ok(())
    }
}

/// What was said and run in the sessions of this user's agents.
fn build_testimony(system: &System) -> Option<Box<dyn Testimony>> {
    let ledger = super::sessions::open_session_ledger(system).ok()?;
    Some(Box::new(TranscriptTestimony::new(
        ledger,
        system.env.home_dir(),
    )))
}

/// What was said in past conversations, where the user lets it be kept: a file of this machine, which is opened when it is
/// first asked for.
fn open_archive(system: &System, settings: &Settings) -> Option<Arc<dyn Archive>> {
    let is_kept = settings.policy.archive == ArchiveMode::Verbatim;
    let folder = system.env.data_dir().filter(|_| is_kept)?;
    Some(Arc::new(SqliteArchive::new(&folder.join("archive.db"))))
}

/// What was kept of past conversations, also where no more is kept now: who switched that off may still look at it and
/// forget it.
pub fn open_kept_archive(system: &System) -> Option<Arc<dyn Archive>> {
    let path = system.env.data_dir()?.join("archive.db");
    path.exists()
        .then(|| -> Arc<dyn Archive> { Arc::new(SqliteArchive::new(&path)) })
}

/// Looks over what was kept of past conversations; `None` where nothing was.
pub fn check_kept_archive(system: &System) -> Option<Result<(), StoreError>> {
    let path = system.env.data_dir()?.join("archive.db");
    path.exists()
        .then(|| SqliteArchive::new(&path).check_file())
}

/// The file of a repository's commits.
pub(crate) fn locate_commit_reasons(system: &System, repo: &Space) -> Option<PathBuf> {
    let name = Digest::hash_bytes(repo.as_str().as_bytes()).short_hex();
    let folder = system.env.cache_dir()?.join("commits");
    Some(folder.join(format!("{name}.db")))
}

/// What commits give as reasons: a cache, made anew from the repository where it is lost.
fn open_commit_reasons(system: &System, repo: &Space) -> Option<Arc<dyn Archive>> {
    let path = locate_commit_reasons(system, repo)?;
    Some(Arc::new(SqliteArchive::new(&path)))
}

/// Where the replicas of the spaces in play keep what they exchange.
fn list_replica_folders(
    system: &System,
    settings: &Settings,
    store: &Arc<dyn Store>,
) -> Vec<ReplicaFolder> {
    let spaces = [&settings.repo, &settings.user];
    let locate = |it: &Space| ReplicaFolder::locate(system, &settings.store, it).ok();
    let folders = spaces.into_iter().filter_map(locate);
    folders.map(|it| it.for_store(store)).collect()
}

impl Workspace {
    /// Opens the store, for use with this source.
    pub fn open(
        system: &System,
        settings: Settings,
        place: ProjectFolder,
        source: Box<dyn Source>,
    ) -> Result<Self, CommandError> {
        let store = open_configured_store(&settings)?;
        let findings = locate_verdict_cache(system, &settings.repo)
            .map(|it| Arc::new(VerdictCacheFile::new(&it)));
        Ok(Self::with_store(
            system, settings, place, source, store, findings,
        ))
    }

    /// The same with a store and findings that are open already.
    pub fn with_store(
        system: &System,
        settings: Settings,
        place: ProjectFolder,
        source: Box<dyn Source>,
        store: Arc<dyn Store>,
        findings: Option<Arc<VerdictCacheFile>>,
    ) -> Self {
        let source: Box<dyn Source> = match &findings {
            Some(memo) => Box::new(CachedSource::with_cache(source, Arc::clone(memo))),
            None => source,
        };
        let mut settings = settings;
        if let Some(apart) = settings.contact.record(system, settings.store.is_there()) {
            settings.repo = apart;
        }
        settings.policy.is_confirmation_needed = system.needs_confirmation(&settings);
        let records = SideRecords {
            findings,
            sessions: super::sessions::open_session_ledger(system).ok(),
            measured: MeasuredSessions::for_repository(system, &settings.repo).ok(),
            replicas: list_replica_folders(system, &settings, &store),
            now: system.now,
        };
        let beside = records.clone();
        let scope = CallScope {
            store: Arc::clone(&store),
            source,
            policy: settings.policy,
            own_policy: settings.user_policy(),
            now: system.now,
            random: Box::new(system.random_source()),
            actor: Some(system.actor(&settings)),
            spaces: vec![settings.repo.clone(), settings.user.clone()],
            guardian: None,
            testimony: build_testimony(system),
            embedder: None,
            archive: open_archive(system, &settings),
            commit_reasons: open_commit_reasons(system, &settings.repo),
            repo: settings.repo.clone(),
            user: Some(settings.user.clone()),
            session: None,
            is_exposed: false,
            is_ignored: false,
            consent: None,
            token: None,
            root: None,
            open_at: None,
            activity: None,
            replicas: None,
            cleanup_forgotten: Box::new(move |ids| Ok(beside.forget_memories(ids)?)),
        };
        Self {
            place,
            settings,
            store,
            clock: Box::new(system.clock()),
            scope,
            records,
        }
    }

    /// The same with a model that looks over what is kept, where the user wants that and no person speaks. Hooks are not
    /// guarded so: nobody waits for a model there.
    pub fn with_guardian(mut self, system: &System) -> Result<Self, CommandError> {
        let is_person = || system.speaker(&self.settings).voice().is_person();
        if !self.settings.model.guard || is_person() {
            return Ok(self);
        }
        let guardian = super::model::build_model(system, &self.settings)?;
        let missing = || {
            CommandError::config("model.guard is true, and no model is named")
                .with_hint("set model.url and model.name")
        };
        self.scope.guardian = Some(guardian.ok_or_else(missing)?);
        Ok(self)
    }

    /// The same with the model that finds memories by what they mean, where one is installed. Hooks are not given it: loading
    /// it takes longer than they have.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.scope.embedder = embedder;
        self
    }

    /// Drops what is kept beside the store about memories that were forgotten.
    pub fn forget_side_records(self, ids: &[MemoryId]) -> Result<(), CommandError> {
        let records = self.records.clone();
        drop(self);
        records.forget_memories(ids)
    }

    /// The same things for a call of a server.
    pub fn into_call_scope(self) -> (CallScope, ProjectFolder, Settings) {
        let now = (self.clock)();
        (CallScope { now, ..self.scope }, self.place, self.settings)
    }

    /// The same while the store stays open, for what goes on.
    pub fn forget_side_record(&self, id: MemoryId) -> Result<(), CommandError> {
        self.records.forget_memories(&[id])
    }

    /// The same without what is kept to be exchanged with others, for who has that at hand.
    pub(crate) fn forget_session_records(&self, ids: &[MemoryId]) -> Result<(), CommandError> {
        self.records.forget_sessions(ids)
    }

    /// What every verb of the core is given. The time in it is that of the asking: a person may think for an hour between
    /// two deeds at one desk.
    pub fn context(&self) -> Context<'_> {
        Context {
            now: (self.clock)(),
            ..self.scope.build_context(&|| false)
        }
    }

    /// The same for a verb that writes into this space: a repository's settings do not reach into a user's space.
    pub fn context_for(&self, space: &Space) -> Context<'_> {
        let mut cx = self.context();
        if space.is_user() {
            cx.policy = self.user_policy();
        }
        cx
    }

    /// The rules of the user's own space.
    pub fn user_policy(&self) -> &Policy {
        &self.scope.own_policy
    }

    /// The spaces in play: the repository's, then the user's.
    pub fn spaces(&self) -> [Space; 2] {
        [self.settings.repo.clone(), self.settings.user.clone()]
    }

    /// The spaces in play, or an empty list for all of them.
    pub fn spaces_or_all(&self, all: bool) -> Vec<Space> {
        if all {
            Vec::new()
        } else {
            self.scope.spaces.clone()
        }
    }

    /// The memories with these names; refused for the first name that there is none for.
    pub fn find_named(&self, names: &[MemoryName]) -> Result<Vec<Memory>, CommandError> {
        let names = names.iter().copied();
        Ok(list::find_all_named(
            &self.context(),
            &self.scope.spaces,
            names,
        )??)
    }
}

/// The file for what is found in a repository.
pub fn locate_verdict_cache(system: &System, repo: &Space) -> Option<PathBuf> {
    let name = Digest::hash_bytes(repo.as_str().as_bytes()).short_hex();
    Some(system.env.cache_dir()?.join("verdicts").join(name))
}

/// Opens the store that the settings name. One that a repository named keeps that repository's memories and no others.
pub fn open_configured_store(settings: &Settings) -> Result<Arc<dyn Store>, StoreError> {
    let (url, repo) = (&settings.store, &settings.repo);
    let embeddings = settings.embedding_folder.as_deref();
    Ok(match (&settings.own_store, url.path()) {
        // Only a file of lines is a repository's.
        (Some(own), Some(path)) => {
            let file = JsonlStore::open_from_repository(path, repo)?;
            let file = file.with_embedding_folder(embeddings);
            Arc::new(SplitStore::new(
                Box::new(file),
                own.open_store(repo, embeddings, &settings.database)?,
                warn_missing_repo_memories,
            ))
        }
        _ => Arc::from(url.open_store(repo, embeddings, &settings.database)?),
    })
}

/// The repository's own store, for a look at what it brings; `None` where it names none, or nothing is there.
pub fn open_repository_store(settings: &Settings) -> Result<Option<Box<dyn Store>>, StoreError> {
    let Some(path) = settings.repository_store.as_ref().and_then(StoreUrl::path) else {
        return Ok(None);
    };
    // Also a link that leads nowhere is there.
    if fs::symlink_metadata(path).is_err() {
        return Ok(None);
    }
    let store = JsonlStore::open_from_repository(path, &settings.repo)?;
    Ok(Some(Box::new(store)))
}

/// Says why the repository's memories are missing. Where nobody reads it, nothing is lost: `doctor` says it too.
fn warn_missing_repo_memories(error: &StoreError) {
    let cause = std::error::Error::source(error)
        .map(|it| format!(": {it}"))
        .unwrap_or_default();
    let told = format!("warning: the repository's memories are left out: {error}{cause}\n");
    let _ = std::io::stderr().lock().write_all(told.as_bytes());
}

/// The same for whoever only looks: a store that is not there yet is not made, and has nothing in it.
pub fn open_existing_store(settings: &Settings) -> Result<Arc<dyn Store>, StoreError> {
    let urls = [Some(&settings.store), settings.own_store.as_ref()];
    let is_there = urls.into_iter().flatten().any(StoreUrl::is_there);
    if is_there {
        open_configured_store(settings)
    } else {
        Ok(Arc::new(RamStore::default()))
    }
}
