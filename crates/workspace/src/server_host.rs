//! The machine as a server's host: which repository a call is about, and everything to answer it with.

use std::collections::{HashMap, hash_map::Entry};
use std::{
    iter,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use apostille_api::{
    delivery::DeliveryReceiver,
    host::{CallOrigin, CallScope, Host, OpenScope, OpenSourceAt, PlaceError, RootsNeed},
};
use apostille_cite::{
    citation::RepoPath,
    source::{NoRepositorySource, Source, SourceBlob, SourceError, SourceTree},
};
use apostille_core::{embedding::Embedder, space::Space, store::Store};
use apostille_git::{
    git::{Checkout, Commit},
    github::GitHub,
    verdict_cache::VerdictCacheFile,
};
use apostille_text::digest::Digest;

use super::{
    github, healing,
    project_folder::ProjectFolder,
    sessions,
    side_records::{CallSideRecords, can_reach_space},
    store_watcher::StoreWatcher,
    workspace::{self, Workspace},
};
use crate::{
    config::{self, CodeHome, GitHubReadList, SettingFlags, Settings, StoreUrl},
    embedding_model::{LocalEmbedder, embed_spaces},
    error::CommandError,
    known_repositories::resolve_space_name,
    reviews::{
        ReviewFolder,
        receiver::ReviewReceiver,
        worker::{ReviewReport, process_deliveries},
    },
    sync::{self, SyncReport, served_replica::ServedReplica},
    system::System,
};

/// How long a server leaves the machine to its first calls before it heals citations.
const FIRST_HEALING: Duration = Duration::from_secs(1);
/// How often it looks whether another commit is checked out.
const HEALING_PAUSE: Duration = Duration::from_secs(5 * 60);

/// How long after a call vectors are made again, and the pause between two portions of them.
const IDLE: Duration = Duration::from_secs(2);
const EMBEDDING_PAUSE: Duration = Duration::from_millis(200);
/// How many such pauses are waited for that moment: a minute.
const MAX_WAITS: usize = 300;

/// How often deliveries that failed are looked at again.
const DELIVERY_PAUSE: Duration = Duration::from_secs(30);
/// How many repositories are named where one has to be chosen.
const MAX_NAMED: usize = 20;

/// Which folders a client may send the server to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientReach {
    /// Any: the client started the server and has the same rights.
    Anywhere,
    /// Only the one that is served: the client came through a socket.
    Here,
    /// None: the server has no checkout, and its clients are on other machines. They name repositories.
    Named,
}

/// What tells one open store from another: where memories are kept, and whose.
type StoreKey = (StoreUrl, Option<StoreUrl>, Option<Space>);

/// This machine, from the folder that the server was started in.
pub struct ServerHost {
    flags: SettingFlags,
    cwd: PathBuf,
    /// Whether the user named the repository when starting the server.
    is_named: bool,
    reach: ClientReach,
    session: Option<String>,
    /// Known to this process alone.
    secret: [u8; 16],
    stores: Mutex<HashMap<StoreKey, Arc<dyn Store>>>,
    /// What verifying found, by the file it is kept in; read once, not for every call.
    findings: Mutex<HashMap<PathBuf, Arc<VerdictCacheFile>>>,
    /// Repositories on GitHub that were read, by their API and name: a connection that is open already answers sooner.
    github: Mutex<HashMap<(String, Space), GitHub>>,
    /// What was used last.
    used: Mutex<Option<StoreWatcher>>,
    /// The folder of the checkout that a call was about last.
    last_root: Mutex<Option<PathBuf>>,
    /// The embedding model, which is loaded once.
    embedder: Mutex<Option<Arc<LocalEmbedder>>>,
    /// When the last call came.
    last_call: Mutex<Option<Instant>>,
}

impl ServerHost {
    /// This machine, seen from this world.
    pub fn new(system: &System, flags: &SettingFlags, reach: ClientReach) -> Self {
        Self {
            flags: flags.clone(),
            cwd: system.cwd.clone(),
            is_named: flags.repo.is_some() || system.env.get("APOSTILLE_REPO").is_some(),
            reach,
            session: system.env.session_id().map(Into::into),
            secret: (system.random_source())().to_be_bytes(),
            stores: Mutex::default(),
            findings: Mutex::default(),
            github: Mutex::default(),
            used: Mutex::default(),
            last_root: Mutex::default(),
            embedder: Mutex::default(),
            last_call: Mutex::default(),
        }
    }

    /// Heals citations, makes vectors and syncs while the server runs, in a thread that ends with it. A write is whole or not at all, so that ending
    /// in the middle loses nothing.
    pub fn spawn_upkeep(self: &Arc<Self>) {
        let host = Arc::downgrade(self);
        thread::spawn(move || {
            let mut pause = FIRST_HEALING;
            loop {
                thread::sleep(pause);
                let Some(host) = host.upgrade() else { return };
                // Nobody waits for it, and the next look tries again.
                let _ = host.heal_last_checkout();
                let _ = host.heal_mirrored_repositories();
                let _ = host.embed_last_checkout();
                let _ = host.sync_last_checkout();
                pause = HEALING_PAUSE;
            }
        });
    }

    /// What takes deliveries of reviews, and works on them in a thread that ends with the server; `None` where nobody set that
    /// up.
    pub fn open_review_receiver(
        self: &Arc<Self>,
    ) -> Result<Option<Arc<dyn DeliveryReceiver>>, CommandError> {
        let (system, _, settings) = self.find_own_place()?;
        let secret = settings.reviews.read_secret()?;
        let is_set_up = settings.reviews.repos != GitHubReadList::default();
        let Some(secret) = secret.filter(|_| is_set_up) else {
            return Ok(None);
        };
        let folder = ReviewFolder::locate(&system)?;
        let (receiver, bell) =
            ReviewReceiver::new(&system, folder.clone(), secret.clone(), settings);
        let host = Arc::downgrade(self);
        thread::spawn(move || {
            loop {
                let Some(host) = host.upgrade() else { return };
                // What fails waits on the disk, and is told by `apostille reviews`.
                let _ = host.process_deliveries(&folder, &secret);
                drop(host);
                if !bell.wait(DELIVERY_PAUSE) {
                    return;
                }
            }
        });
        Ok(Some(Arc::new(receiver)))
    }

    /// Goes through the deliveries that wait.
    pub fn process_deliveries(
        &self,
        folder: &ReviewFolder,
        secret: &str,
    ) -> Result<ReviewReport, CommandError> {
        let system = System::from_process(Vec::new())?.with_dir(Some(&self.cwd));
        let is_for_many = self.reach == ClientReach::Named;
        let open = |repo: &Space| self.open_reviewed_repository(repo).map(Some);
        process_deliveries(&system, folder, (secret, is_for_many), &open)
    }

    /// The memory and the code of a repository that a delivery is about.
    fn open_reviewed_repository(&self, repo: &Space) -> Result<Workspace, CommandError> {
        let (system, place, mut settings) = self.find_own_place()?;
        if settings.repo.is_called(repo) || repo.is_called(&settings.repo) {
            return self.open_upkeep_workspace(&system, settings, place);
        }
        let known = self.open_store(&settings)?.list_spaces()?;
        settings.repo = resolve_space_name(repo, known.iter()).map_err(CommandError::usage)?;
        let source = self.open_code_home(&system, &settings)?;
        let store = self.open_store(&settings)?;
        let findings = self.open_verdict_cache(&system, &settings);
        Ok(Workspace::with_store(
            &system, settings, place, source, store, findings,
        ))
    }

    fn find_own_place(&self) -> Result<(System, ProjectFolder, Settings), CommandError> {
        let system = System::from_process(Vec::new())?.with_dir(Some(&self.cwd));
        let place = ProjectFolder::discover_from(&self.cwd)?;
        let settings = config::resolve_settings(&system, &self.flags, &place)?;
        Ok((system, place, settings))
    }

    /// Heals citations in the checkout that a call was about last, else in the server's own. How many memories changed.
    pub fn heal_last_checkout(&self) -> Result<usize, CommandError> {
        let (system, place, settings) = self.find_last_checkout()?;
        if place.checkout.is_none() || !healing::can_heal_store(&settings) {
            return Ok(0);
        }
        let workspace = self.open_upkeep_workspace(&system, settings, place)?;
        healing::heal_workspace(&system, &workspace, true)
    }

    /// Exchanges the memories of the same checkout with others, where that was set up.
    pub fn sync_last_checkout(&self) -> Result<Option<SyncReport>, CommandError> {
        let (system, place, settings) = self.find_last_checkout()?;
        if sync::choose_target(&system, &settings, &settings.repo)?.is_none() {
            return Ok(None);
        }
        let workspace = self.open_upkeep_workspace(&system, settings, place)?;
        sync::sync_unattended(&system, &workspace)
    }

    /// Lets the citations of every repository that this server was given as a mirror follow its default branch, where nobody has a
    /// checkout to do it in. How many memories changed.
    pub fn heal_mirrored_repositories(&self) -> Result<usize, CommandError> {
        if self.reach != ClientReach::Named {
            return Ok(0);
        }
        let (system, place, settings) = self.find_last_checkout()?;
        if !healing::can_heal_from_mirror(&settings) {
            return Ok(0);
        }
        let kept = self.open_store(&settings)?.list_spaces()?;
        let mut n_healed = 0;
        for repo in kept.iter().filter(|it| !it.is_user()) {
            let Some(CodeHome::Mirror(path)) = settings.repos.find_home(repo) else {
                continue;
            };
            let source = open_mirror(path, repo);
            let mut settings = settings.clone();
            settings.repo = repo.clone();
            let store = self.open_store(&settings)?;
            let findings = self.open_verdict_cache(&system, &settings);
            let place = place.clone();
            let workspace =
                Workspace::with_store(&system, settings, place, source, store, findings);
            n_healed += healing::heal_workspace(&system, &workspace, true)?;
        }
        Ok(n_healed)
    }

    /// Makes the vectors that memories of the same checkout lack, while no call comes. How many were made.
    pub fn embed_last_checkout(&self) -> Result<usize, CommandError> {
        let (system, place, settings) = self.find_last_checkout()?;
        let Some(embedder) = self
            .find_embedder(&system)
            .filter(|_| settings.has_store_file())
        else {
            return Ok(0);
        };
        let workspace = self.open_upkeep_workspace(&system, settings, place)?;
        let mut goes_on = |_, _| self.wait_until_idle() && embedder.is_there();
        let spaces = workspace.spaces();
        let run = embed_spaces(&workspace.context(), &*embedder, &spaces, &mut goes_on)?;
        Ok(run.n_made)
    }

    /// Leaves some time to others, and waits until no call came for a while. `false`: calls came without end.
    fn wait_until_idle(&self) -> bool {
        let is_idle = || {
            let last = *lock_unpoisoned(&self.last_call);
            last.is_none_or(|it| it.elapsed() >= IDLE)
        };
        let mut looks = (0..MAX_WAITS).map(|_| thread::sleep(EMBEDDING_PAUSE));
        looks.any(|()| is_idle())
    }

    /// The place of the last call, else the server's own.
    fn find_last_checkout(&self) -> Result<(System, ProjectFolder, Settings), CommandError> {
        let root = lock_unpoisoned(&self.last_root).clone();
        let system = System::from_process(Vec::new())?.with_dir(Some(&self.cwd));
        let place = ProjectFolder::discover_from(root.as_ref().unwrap_or(&self.cwd))?;
        let settings = config::resolve_settings(&system, &self.flags, &place)?;
        Ok((system, place, settings))
    }

    fn open_upkeep_workspace(
        &self,
        system: &System,
        settings: Settings,
        place: ProjectFolder,
    ) -> Result<Workspace, CommandError> {
        let source = settings.open_repository(&place, None)?;
        let store = self.open_store(&settings)?;
        let findings = self.open_verdict_cache(system, &settings);
        Ok(Workspace::with_store(
            system, settings, place, source, store, findings,
        ))
    }

    /// The embedding model, where one is installed. It may come and go while the server runs.
    fn find_embedder(&self, system: &System) -> Option<Arc<LocalEmbedder>> {
        let mut embedder = lock_unpoisoned(&self.embedder);
        if !embedder.as_ref().is_some_and(|it| it.is_there()) {
            *embedder = LocalEmbedder::find(system).map(Arc::new);
        }
        embedder.clone()
    }

    /// Where a call is to be answered: the client's folder, else the server's own; and whether the client said so.
    fn locate_call(&self, origin: &CallOrigin) -> Result<(ProjectFolder, bool), PlaceError> {
        let roots = origin.roots.as_deref().unwrap_or_default();
        let said = match self.reach {
            _ if roots.is_empty() => None,
            ClientReach::Anywhere => self.choose_open_folder(origin, roots)?,
            // Whoever names the repository that is here means it, wherever its folder is: in a container it is elsewhere.
            ClientReach::Here if origin.repo.is_some() => None,
            ClientReach::Here => Some(self.require_served_folder(roots)?),
            // A folder of another machine means nothing here.
            ClientReach::Named => None,
        };
        match said {
            Some(place) => Ok((place, true)),
            None => Ok((ProjectFolder::discover_from(&self.cwd)?, false)),
        }
    }

    /// The one that is meant of those that the client has open.
    fn choose_open_folder(
        &self,
        origin: &CallOrigin,
        roots: &[PathBuf],
    ) -> Result<Option<ProjectFolder>, PlaceError> {
        let mut open: Vec<(Space, ProjectFolder)> = Vec::new();
        for place in roots
            .iter()
            .filter_map(|it| ProjectFolder::discover_from(it).ok())
        {
            let space = place.space()?;
            if open.iter().all(|it| it.0 != space) {
                open.push((space, place));
            }
        }
        if open.iter().any(|it| it.1.checkout.is_some()) {
            open.retain(|it| it.1.checkout.is_some());
        }
        let names: Vec<String> = open.iter().map(|it| it.0.to_string()).collect();
        if let Some(repo) = &origin.repo {
            let is_it = |it: &Space| repo.parse().is_ok_and(|repo| it.is_called(&repo));
            open.retain(|it| is_it(&it.0));
        }
        if open.len() < 2 {
            return Ok(open.pop().map(|it| it.1));
        }
        // A client with several folders starts its servers in the first of them.
        match ProjectFolder::discover_from(&self.cwd) {
            Ok(own) if open.iter().any(|it| it.1.root == own.root) => Ok(Some(own)),
            _ => Err(PlaceError::Which(format!(
                "several repositories are open here: {}; say which one with \"repo\"",
                names.join(", ")
            ))),
        }
    }

    /// A client from outside is only served where the server is. Of other folders it learns nothing, not even whether they
    /// are there.
    fn require_served_folder(&self, roots: &[PathBuf]) -> Result<ProjectFolder, PlaceError> {
        let own = ProjectFolder::discover_from(&self.cwd)?;
        let root = own.root.canonicalize().unwrap_or_else(|_| own.root.clone());
        let is_own = |it: &PathBuf| {
            let is_below = it.canonicalize().is_ok_and(|it| it.starts_with(&root));
            is_below && ProjectFolder::discover_from(it).is_ok_and(|it| it.root == own.root)
        };
        if roots.iter().any(is_own) {
            return Ok(own);
        }
        Err(PlaceError::Which(format!(
            "this server serves '{}', and the client works elsewhere; start a server there, or say \
             with \"repo\" that this one is meant",
            own.root.file_name().unwrap_or_default().to_string_lossy(),
        )))
    }

    /// Everything for a call: settings, store, code.
    fn open_workspace(
        &self,
        system: &System,
        origin: &CallOrigin,
    ) -> Result<Workspace, PlaceError> {
        let (place, is_said) = self.locate_call(origin)?;
        let is_elsewhere = place.checkout.is_none() && !self.is_named && !is_said;
        let mut flags = self.flags.clone();
        if is_elsewhere {
            let which = |why: &str| Err(PlaceError::Which(why.into()));
            match (&origin.repo, self.reach) {
                (None, _) => {
                    return which(
                        "this folder is not in a repository, so it is unclear whose memory is meant; \
                         say \"repo\": \"owner/name\", or start the server inside one",
                    );
                }
                (_, ClientReach::Here | ClientReach::Named) => {
                    return which(
                        "this server was not started in a repository; start it in a checkout of the one that you mean",
                    );
                }
                (repo, ClientReach::Anywhere) => flags.repo.clone_from(repo),
            }
        }
        let settings = resolve_settings_for(system, &flags, &place, origin).map_err(|fault| {
            match PlaceError::from(fault) {
                fault if is_elsewhere => PlaceError::Which(fault.to_string()),
                fault => fault,
            }
        })?;
        let repo = &settings.repo;
        if let Some(named) = parse_named_repo(origin)?.filter(|it| !repo.is_called(it)) {
            return Err(PlaceError::Which(format!(
                "\"repo\" is {named}, but this is {repo}; leave it out, or start the server in a checkout of {named}"
            )));
        }
        let is_remote = is_elsewhere || settings.names_other_repository();
        let source: Box<dyn Source> = match self.open_github(system, &settings)? {
            Some(hub) if is_remote => hub,
            // The files of a folder that is no checkout of that repository prove nothing about it.
            _ if is_elsewhere => Box::new(NoRepositorySource),
            _ => settings.open_repository(&place, None)?,
        };
        let store = self.open_store(&settings)?;
        let spaces = [repo.clone(), settings.user.clone()];
        let mut used = lock_unpoisoned(&self.used);
        let is_watched = matches!(&*used, Some(it) if it.is_watching(&store, &spaces));
        if !is_watched {
            let urls = settings.own_store.iter().chain([&settings.store]);
            let files = urls.filter_map(StoreUrl::path).map(Into::into).collect();
            *used = Some(StoreWatcher::new(store, spaces, files));
        }
        drop(used);
        if place.checkout.is_some() {
            *lock_unpoisoned(&self.last_root) = Some(place.root.clone());
        }
        self.build_workspace(system, settings, place, source)
    }

    /// The same for whoever looks at the server's own place, or at another repository of its store by name: there is no
    /// checkout of that one to look into.
    fn open_by_name(
        &self,
        system: &System,
        origin: &CallOrigin,
    ) -> Result<(Workspace, bool), PlaceError> {
        let place = ProjectFolder::discover_from(&self.cwd)?;
        let mut settings = resolve_settings_for(system, &self.flags, &place, origin)?;
        // A store that cannot be opened is told of before a name that is wrong.
        let store = self.open_store(&settings)?;
        let Some(named) = parse_named_repo(origin)?.filter(|it| !settings.repo.is_called(it))
        else {
            let source = settings.open_repository(&place, None)?;
            return Ok((self.build_workspace(system, settings, place, source)?, true));
        };
        // Whether it is there is told only to those whom it is within reach of.
        let mut known = store.list_spaces().map_err(CommandError::from)?;
        known.retain(|it| can_reach_space(origin.token.as_ref(), it));
        let named = resolve_space_name(&named, known.iter())
            .map_err(|error| PlaceError::Which(format!("\"repo\": {error}")))?;
        if !can_reach_space(origin.token.as_ref(), &named) {
            return Err(build_out_of_reach_error(origin, &named));
        }
        if !known.contains(&named) {
            return Err(PlaceError::NoSuch(format!(
                "no memories of {named} are kept here"
            )));
        }
        settings.repo = named;
        let source = self.open_code_home(system, &settings)?;
        Ok((
            self.build_workspace(system, settings, place, source)?,
            false,
        ))
    }

    /// The same on a server without a checkout: every repository is another one, and only what the operator gave it, what a token
    /// is for, or what is kept already can be named. Of what is out of reach nobody learns whether it is there.
    fn open_given_repository(
        &self,
        system: &System,
        origin: &CallOrigin,
    ) -> Result<(Workspace, bool), PlaceError> {
        let place = ProjectFolder::discover_from(&self.cwd)?;
        let mut settings = resolve_settings_for(system, &self.flags, &place, origin)?;
        let store = self.open_store(&settings)?;
        let token = origin.token.as_ref();
        let given = token
            .and_then(|it| it.spaces.as_ref())
            .into_iter()
            .flatten();
        let given = given.chain(settings.repos.list_names()).cloned();
        let mut known: Vec<Space> = store.list_spaces().map_err(CommandError::from)?;
        known.extend(given);
        known.retain(|it| !it.is_user() && can_reach_space(token, it));
        known.sort();
        known.dedup();
        // A name without its host stands for the one that has it.
        let full: Vec<Space> = known
            .iter()
            .filter(|it| it.host().is_some())
            .cloned()
            .collect();
        known.retain(|it| it.host().is_some() || !full.iter().any(|full| full.is_called(it)));
        let Some(named) = parse_named_repo(origin)? else {
            match (known.as_slice(), origin.is_by_name) {
                ([only], _) => settings.repo = only.clone(),
                // The panel shows which there are.
                (_, true) => {}
                (_, false) => return Err(PlaceError::Which(ask_for_repository(&known))),
            }
            let source = self.open_code_home(system, &settings)?;
            return Ok((
                self.build_workspace(system, settings, place, source)?,
                false,
            ));
        };
        let named = resolve_space_name(&named, known.iter())
            .map_err(|error| PlaceError::Which(format!("\"repo\": {error}")))?;
        if !can_reach_space(token, &named) {
            return Err(build_out_of_reach_error(origin, &named));
        }
        if !known.contains(&named) && !settings.is_on_github(&named) {
            return Err(PlaceError::NoSuch(format!(
                "no memories of {named} are kept here, and the server was not given it"
            )));
        }
        settings.repo = named;
        let source = self.open_code_home(system, &settings)?;
        Ok((
            self.build_workspace(system, settings, place, source)?,
            false,
        ))
    }

    /// The code of a repository that is not checked out here: a mirror, GitHub, or nothing to look into.
    fn open_code_home(
        &self,
        system: &System,
        settings: &Settings,
    ) -> Result<Box<dyn Source>, CommandError> {
        if let Some(CodeHome::Mirror(path)) = settings.repos.find_home(&settings.repo) {
            return Ok(open_mirror(path, &settings.repo));
        }
        let hub = self.open_github(system, settings)?;
        Ok(hub.unwrap_or_else(|| Box::new(NoRepositorySource)))
    }

    fn build_workspace(
        &self,
        system: &System,
        settings: Settings,
        place: ProjectFolder,
        source: Box<dyn Source>,
    ) -> Result<Workspace, PlaceError> {
        let store = self.open_store(&settings)?;
        let findings = self.open_verdict_cache(system, &settings);
        let embedder = self.find_embedder(system).map(|it| it as Arc<dyn Embedder>);
        let workspace = Workspace::with_store(system, settings, place, source, store, findings);
        Ok(workspace.with_embedder(embedder).with_guardian(system)?)
    }

    /// The repository on GitHub, as its default branch is now; `None` where the user did not list it in `github.read`.
    fn open_github(
        &self,
        system: &System,
        settings: &Settings,
    ) -> Result<Option<Box<dyn Source>>, CommandError> {
        if !settings.is_on_github(&settings.repo) {
            return Ok(None);
        }
        let mut hubs = lock_unpoisoned(&self.github);
        let key = (settings.github_url.clone(), settings.repo.clone());
        let hub = match hubs.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(github::connect_github(system, settings, None)?),
        };
        Ok(Some(Box::new(hub.reopen())))
    }

    /// What verifying found in this repository, which is read once.
    fn open_verdict_cache(
        &self,
        system: &System,
        settings: &Settings,
    ) -> Option<Arc<VerdictCacheFile>> {
        let file = workspace::locate_verdict_cache(system, &settings.repo)?;
        let mut findings = lock_unpoisoned(&self.findings);
        let open = findings
            .entry(file)
            .or_insert_with_key(|file| Arc::new(VerdictCacheFile::new(file)));
        Some(Arc::clone(open))
    }

    /// The store of these settings, which is opened once.
    fn open_store(&self, settings: &Settings) -> Result<Arc<dyn Store>, CommandError> {
        let url = &settings.store;
        let mut stores = lock_unpoisoned(&self.stores);
        // One SQLite file holds every repository; a file of lines is one repository's.
        let repo = matches!(url, StoreUrl::Jsonl(_)).then(|| settings.repo.clone());
        let key = (url.clone(), settings.own_store.clone(), repo);
        // A store that was removed while the server ran is made anew, as one would be when the server starts.
        if let Some(store) = stores.get(&key).filter(|it| it.is_in_place()) {
            return Ok(Arc::clone(store));
        }
        let store = workspace::open_configured_store(settings)?;
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }
}

/// The settings of a place, for the person that the caller works for.
fn resolve_settings_for(
    system: &System,
    flags: &SettingFlags,
    place: &ProjectFolder,
    origin: &CallOrigin,
) -> Result<Settings, CommandError> {
    let mut settings = config::resolve_settings(system, flags, place)?;
    if let Some(user) = origin.token.as_ref().and_then(|it| it.user.as_ref()) {
        settings.user = user.clone();
    }
    Ok(settings)
}

/// What is said where several repositories could be meant, or none.
fn ask_for_repository(known: &[Space]) -> String {
    let names: Vec<&str> = known.iter().take(MAX_NAMED).map(Space::as_str).collect();
    match names.as_slice() {
        [] => {
            "this server was given no repository yet; its operator lists them under [repos]".into()
        }
        names => format!(
            "say whose memory is meant, as in \"repo\": \"{}\"; there are: {}",
            names[0],
            names.join(", ")
        ),
    }
}

/// The default branch of a mirror, as it is now. Where it cannot be read, everything in it is unknown, and it is said why.
fn open_mirror(path: &Path, repo: &Space) -> Box<dyn Source> {
    let opened = Checkout::open_bare(path).and_then(|it| match it {
        Some(mirror) => Commit::at_head(&mirror),
        None => Ok(None),
    });
    match opened {
        Ok(Some(head)) => Box::new(head),
        Ok(None) | Err(_) => Box::new(UnreadableMirror {
            repo: repo.to_string(),
        }),
    }
}

/// A mirror that is not there, or not a repository.
struct UnreadableMirror {
    repo: String,
}

impl UnreadableMirror {
    /// Where it should be is the operator's business, and not that of whoever asks.
    fn build_error(&self) -> SourceError {
        SourceError::Unavailable {
            what: format!("the mirror of {}", self.repo),
            source: "it is not there, or holds no commit; its operator fetches it".into(),
        }
    }
}

impl Source for UnreadableMirror {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Err(self.build_error())
    }

    fn read_file(&self, _: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        Err(self.build_error())
    }
}

/// The repository that a call names.
fn parse_named_repo(origin: &CallOrigin) -> Result<Option<Space>, PlaceError> {
    let named = origin.repo.as_deref().map(Space::repo).transpose();
    named.map_err(|error| PlaceError::Which(format!("\"repo\": {error}")))
}

/// What a lock guards, also after somebody panicked with it.
fn lock_unpoisoned<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who calls, for the log: the token, because what a client says of itself through a socket may be anything. The person
/// with the printed link is the one who started the server.
fn name_caller(origin: &CallOrigin) -> Option<&str> {
    match &origin.token {
        Some(token) if token.is_owner() => None,
        Some(token) => Some(&token.name),
        None => origin.client.as_deref(),
    }
}

/// The spaces in play that a pass reaches: the first, and the second where there is one.
fn select_reachable_spaces(
    origin: &CallOrigin,
    settings: &Settings,
    reach: ClientReach,
) -> Result<(Space, Option<Space>), PlaceError> {
    // The user of a server for many is none of them: what one of them prefers is not told to the others.
    let is_nobodys = reach == ClientReach::Named
        && matches!(&origin.token, Some(token) if token.user.is_none() && !token.is_owner());
    let user = (!is_nobodys).then_some(&settings.user);
    let mut spaces = iter::once(&settings.repo)
        .chain(user)
        .filter(|it| can_reach_space(origin.token.as_ref(), it))
        .cloned();
    match spaces.next() {
        Some(first) => Ok((first, spaces.next())),
        None => Err(build_out_of_reach_error(origin, &settings.repo)),
    }
}

fn build_out_of_reach_error(origin: &CallOrigin, repo: &Space) -> PlaceError {
    let token = origin.token.as_ref();
    let name = token.map_or("it", |it| &it.name);
    let spaces = token
        .and_then(|it| it.spaces.as_ref())
        .into_iter()
        .flatten();
    let spaces = spaces.map(Space::as_str).collect::<Vec<_>>().join(", ");
    PlaceError::Outside(format!("'{name}' is for {spaces}, and this is {repo}"))
}

impl OpenScope for ServerHost {
    /// Everything is found anew for each call, the checkout and the settings included. A server lives for days, and between
    /// two calls its user may switch the branch, edit the settings or open another folder; an answer from before that
    /// would be a verdict about the wrong tree. Only what does not depend on the place is kept: open stores, by their URL,
    /// and the cache of verdicts, whose keys name the content they are about.
    fn open_scope(&self, origin: &CallOrigin) -> Result<CallScope, PlaceError> {
        *lock_unpoisoned(&self.last_call) = Some(Instant::now());
        let system = System::from_process(Vec::new())?.with_dir(Some(&self.cwd));
        let (workspace, is_here) = if self.reach == ClientReach::Named {
            self.open_given_repository(&system, origin)?
        } else if origin.is_by_name {
            self.open_by_name(&system, origin)?
        } else {
            (self.open_workspace(&system, origin)?, true)
        };
        let (repo, user) = select_reachable_spaces(origin, &workspace.settings, self.reach)?;
        let session = origin.session.clone().or_else(|| self.session.clone());
        let seen = session
            .as_deref()
            .map(|it| sessions::read_session(&system, it))
            .unwrap_or_default();
        // A call may name another session than the client's own; what either has read counts.
        let own = self.session.as_deref().filter(|_| origin.session.is_some());
        let is_exposed = seen.is_exposed() || own.is_some_and(|it| system.is_session_exposed(it));
        let unnamed = origin.client.as_deref().filter(|_| {
            // A client on a socket may say anything of itself.
            session.is_none() && self.reach == ClientReach::Anywhere
        });
        let is_ignored = match unnamed {
            Some(client) => sessions::is_memory_ignored_nearby(&system, &repo, client),
            None => seen.is_memory_ignored(),
        };
        // Through a socket anybody may name a session, and what is told to one is not told again.
        let is_own = self.reach == ClientReach::Anywhere && origin.token.is_none();
        let root = workspace.place.root.to_str().map(Into::into);
        let is_this = !workspace.context().source.is_of_other_repository();
        let checkout = is_this.then(|| workspace.place.checkout.clone()).flatten();
        // How to look at another commit or branch of this place.
        let open_at: Box<OpenSourceAt<'static>> = Box::new(move |reference| {
            let checkout = checkout.as_ref().ok_or(SourceError::Nowhere)?;
            Ok(Box::new(Commit::new(checkout, reference)?))
        });
        let is_confirmed_only = workspace.settings.policy.is_confirmation_needed;
        let (scope, place, settings) = workspace.into_call_scope();
        let replicas = ServedReplica {
            system: system.clone(),
            url: settings.store.clone(),
            store: Arc::clone(&scope.store),
            is_file_of_repository: settings.own_store.is_some(),
        };
        let beside = CallSideRecords {
            system,
            place,
            settings,
            token: origin.token.clone(),
            is_here,
            // A session without memory is told nothing unasked.
            has_noted: is_own && is_here && seen.tier() > 0 && !seen.noted_files().is_empty(),
        };
        Ok(CallScope {
            actor: name_caller(origin).map(Into::into).or(scope.actor),
            spaces: iter::once(&repo).chain(&user).cloned().collect(),
            repo,
            user,
            session,
            is_exposed,
            is_ignored,
            // Where the user set up a confirmation, a client's word for its user is not enough: an agent can start a client.
            consent: origin.consent.clone().filter(|_| !is_confirmed_only),
            token: origin.token.clone(),
            root: root.filter(|_| is_here),
            open_at: is_here.then_some(open_at),
            activity: Some(Box::new(beside)),
            replicas: Some(Box::new(replicas)),
            ..scope
        })
    }
}

impl Host for ServerHost {
    fn roots_need(&self) -> RootsNeed {
        let has_place = self.is_named
            || ProjectFolder::discover_from(&self.cwd).is_ok_and(|it| it.checkout.is_some());
        match (has_place, self.reach) {
            (_, ClientReach::Named) => RootsNeed::None,
            (false, _) => RootsNeed::All,
            (true, ClientReach::Here) => RootsNeed::Some,
            (true, ClientReach::Anywhere) => RootsNeed::None,
        }
    }

    fn sign_text(&self, text: &str) -> String {
        // The text goes in by its digest, so that nothing can be added to what was sealed.
        let text = Digest::hash_bytes(text.as_bytes());
        Digest::hash_bytes(&[self.secret.as_slice(), text.as_bytes()].concat()).to_string()
    }

    fn change_stamp(&self) -> Option<u64> {
        let is_fresh = lock_unpoisoned(&self.used).is_none();
        if is_fresh {
            // Nobody has called yet: what the folder of the server holds is looked at.
            self.open_scope(&CallOrigin::default()).ok()?;
        }
        lock_unpoisoned(&self.used).as_mut()?.change_number()
    }
}
