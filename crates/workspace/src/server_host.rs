//! The machine as a server's host: which repository a call is about, and everything to answer it with.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use apostille_api::host::{
    CallOrigin, CallScope, Host, OpenScope, OpenSourceAt, PlaceError, RootsNeed,
};
use apostille_cite::source::{NoRepositorySource, Source, SourceError};
use apostille_core::space::Space;
use apostille_core::store::Store;
use apostille_git::git::Commit;
use apostille_git::verdict_cache::VerdictCacheFile;
use apostille_text::digest::Digest;

use super::project_folder::ProjectFolder;
use super::sessions;
use super::side_records::CallSideRecords;
use super::store_watcher::StoreWatcher;
use super::workspace::{self, Workspace};
use crate::config::{self, SettingFlags, Settings, StoreUrl};
use crate::error::CommandError;
use crate::system::System;

/// Which folders a client may send the server to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientReach {
    /// Any: the client started the server and has the same rights.
    Anywhere,
    /// Only the one that is served: the client came through a socket.
    Here,
}

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
    stores: Mutex<HashMap<(String, String), Arc<dyn Store>>>,
    /// What verifying found, by the file it is kept in; read once, not for every call.
    findings: Mutex<HashMap<PathBuf, Arc<VerdictCacheFile>>>,
    /// What was used last.
    used: Mutex<Option<StoreWatcher>>,
}

impl ServerHost {
    /// This machine, seen from this world.
    pub fn new(world: &System, flags: &SettingFlags, reach: ClientReach) -> Self {
        Self {
            flags: flags.clone(),
            cwd: world.cwd.clone(),
            is_named: flags.repo.is_some() || world.env.get("APOSTILLE_REPO").is_some(),
            reach,
            session: world.env.session_id().map(Into::into),
            secret: (world.random_source())().to_be_bytes(),
            stores: Mutex::default(),
            findings: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Where a call is to be answered: the client's folder, else the server's own; and whether the client said so.
    fn locate_call(&self, origin: &CallOrigin) -> Result<(ProjectFolder, bool), PlaceError> {
        let own = || Ok((ProjectFolder::discover_from(&self.cwd)?, false));
        let Some(roots) = origin.roots.as_deref().filter(|it| !it.is_empty()) else {
            return own();
        };
        // Whoever names the repository that is here means it, wherever its folder is: in a container it is elsewhere.
        if self.reach == ClientReach::Here && origin.repo.is_some() {
            return own();
        }
        if self.reach == ClientReach::Here {
            return self.require_served_folder(roots).map(|it| (it, true));
        }
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
        self.choose_open_folder(origin, open)?
            .map_or_else(own, |it| Ok((it, true)))
    }

    /// The one that is meant of those that the client has open.
    fn choose_open_folder(
        &self,
        origin: &CallOrigin,
        open: Vec<(Space, ProjectFolder)>,
    ) -> Result<Option<ProjectFolder>, PlaceError> {
        let names: Vec<String> = open.iter().map(|it| it.0.to_string()).collect();
        let repo = origin.repo.as_deref();
        let is_meant = |it: &(Space, ProjectFolder)| repo.is_none_or(|repo| it.0.as_str() == repo);
        let mut meant: Vec<ProjectFolder> =
            open.into_iter().filter(is_meant).map(|it| it.1).collect();
        // A client with several folders starts its servers in the first of them.
        if let (true, Ok(own)) = (meant.len() > 1, ProjectFolder::discover_from(&self.cwd))
            && meant.iter().any(|it| it.root == own.root)
        {
            return Ok(Some(own));
        }
        match meant.len() {
            0 | 1 => Ok(meant.pop()),
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
        match roots.iter().any(is_own) {
            true => Ok(own),
            false => Err(PlaceError::Which(format!(
                "this server serves '{}', and the client works elsewhere; start a server there, or say \
                 with \"repo\" that this one is meant",
                own.root.file_name().unwrap_or_default().to_string_lossy(),
            ))),
        }
    }

    /// Everything for a call: settings, store, code; and whether that is the code which is meant.
    fn open_for_call(
        &self,
        world: &System,
        origin: &CallOrigin,
    ) -> Result<(Workspace, bool), PlaceError> {
        match origin.is_by_name {
            true => self.open_by_name(world, origin),
            false => self.open_workspace(world, origin).map(|it| (it, true)),
        }
    }

    fn open_workspace(&self, world: &System, origin: &CallOrigin) -> Result<Workspace, PlaceError> {
        let (place, is_said) = self.locate_call(origin)?;
        let is_placed = place.checkout.is_some() || self.is_named || is_said;
        let (flags, is_elsewhere) = match (is_placed, &origin.repo) {
            (true, _) => (self.flags.clone(), false),
            (false, Some(_)) if self.reach == ClientReach::Here => {
                let which = "this server was started in no repository; start it in a checkout of the one that is meant";
                return Err(PlaceError::Which(which.into()));
            }
            (false, Some(repo)) => (
                SettingFlags {
                    repo: Some(repo.clone()),
                    ..self.flags.clone()
                },
                true,
            ),
            (false, None) => {
                let which = "this folder is in no repository, so nobody can tell whose memory is meant; \
                             say \"repo\": \"owner/name\", or start the server inside one";
                return Err(PlaceError::Which(which.into()));
            }
        };
        let settings =
            config::resolve_settings(world, &flags, &place).map_err(
                |fault| match is_elsewhere {
                    true => PlaceError::Which(PlaceError::from(fault).to_string()),
                    false => fault.into(),
                },
            )?;
        require_same_repo(origin, &settings)?;
        // The files of a folder that is no checkout of that repository prove nothing about it.
        let source: Box<dyn Source> = if is_elsewhere {
            Box::new(NoRepositorySource)
        } else {
            place.open_source(None)?
        };
        let store = self.open_store(&settings)?;
        let spaces = [settings.repo.clone(), settings.user.clone()];
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used
            .as_ref()
            .is_none_or(|it| !it.is_watching(&store, &spaces))
        {
            let own = settings.own_store.iter().map(|it| it.path());
            let files = own.chain([settings.store.path()]).map(Into::into).collect();
            *used = Some(StoreWatcher::new(Arc::clone(&store), spaces, files));
        }
        drop(used);
        self.build_workspace(world, settings, place, source, store)
    }

    /// The same for whoever looks at the server's own place, or at another repository of its store by name: there is no
    /// checkout of that one to look into.
    fn open_by_name(
        &self,
        world: &System,
        origin: &CallOrigin,
    ) -> Result<(Workspace, bool), PlaceError> {
        let place = ProjectFolder::discover_from(&self.cwd)?;
        let mut settings = config::resolve_settings(world, &self.flags, &place)?;
        let store = self.open_store(&settings)?;
        let named = origin.repo.as_deref().map(Space::repo);
        let named = named
            .transpose()
            .map_err(|it| PlaceError::Which(format!("\"repo\": {it}")))?;
        let Some(named) = named.filter(|it| *it != settings.repo) else {
            let source = place.open_source(None)?;
            return self
                .build_workspace(world, settings, place, source, store)
                .map(|it| (it, true));
        };
        // Whether it is there is told only to those whom it is within reach of.
        if origin
            .pass
            .as_ref()
            .is_some_and(|it| !it.reaches_space(&named))
        {
            return Err(build_out_of_reach_error(origin, &named));
        }
        let known = store.list_spaces().map_err(CommandError::from)?;
        if !known.contains(&named) {
            return Err(PlaceError::NoSuch(format!(
                "no memories of {named} are kept here"
            )));
        }
        settings.repo = named;
        self.build_workspace(world, settings, place, Box::new(NoRepositorySource), store)
            .map(|it| (it, false))
    }

    fn build_workspace(
        &self,
        world: &System,
        settings: Settings,
        place: ProjectFolder,
        source: Box<dyn Source>,
        store: Arc<dyn Store>,
    ) -> Result<Workspace, PlaceError> {
        let findings = self.verdict_cache(world, &settings);
        let desk = Workspace::with_store(world, settings, place, source, store, findings);
        Ok(desk.with_guardian(world)?)
    }

    /// What was found in this repository.
    fn verdict_cache(&self, world: &System, settings: &Settings) -> Option<Arc<VerdictCacheFile>> {
        let file = workspace::locate_verdict_cache(world, &settings.repo)?;
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(
            findings
                .entry(file.clone())
                .or_insert_with(|| Arc::new(VerdictCacheFile::new(&file))),
        ))
    }

    /// The store of these settings, which is opened once.
    fn open_store(&self, settings: &Settings) -> Result<Arc<dyn Store>, PlaceError> {
        let url = &settings.store;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        // One SQLite file holds every repository; a file of lines is one repository's.
        let repo = match url {
            StoreUrl::Sqlite(_) => String::new(),
            StoreUrl::Jsonl(_) => settings.repo.to_string(),
        };
        let own = settings
            .own_store
            .as_ref()
            .map(|it| format!(" {it}"))
            .unwrap_or_default();
        let key = (format!("{url}{own}"), repo);
        if let Some(store) = stores.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = workspace::open_configured_store(settings).map_err(CommandError::from)?;
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }
}

/// A repository that is named must be the one that is looked into.
fn require_same_repo(origin: &CallOrigin, settings: &Settings) -> Result<(), PlaceError> {
    let here = &settings.repo;
    match origin.repo.as_deref().map(Space::repo) {
        None => Ok(()),
        Some(Ok(named)) if named == *here => Ok(()),
        Some(Ok(named)) => Err(PlaceError::Which(format!(
            "\"repo\" is {named}, but this is {here}; leave it out, or start the server in a checkout of {named}"
        ))),
        Some(Err(error)) => Err(PlaceError::Which(format!("\"repo\": {error}"))),
    }
}

/// Who calls, for the log: the token, because what a client says of itself through a socket may be anything. The person
/// with the printed link is the one who started the server.
fn name_caller(origin: &CallOrigin) -> Option<&str> {
    match &origin.pass {
        Some(pass) if pass.is_owner() => None,
        Some(pass) => Some(&pass.name),
        None => origin.client.as_deref(),
    }
}

/// The spaces in play that a pass reaches: the first, and the second where there is one.
fn select_reachable_spaces(
    origin: &CallOrigin,
    settings: &Settings,
) -> Result<(Space, Option<Space>), PlaceError> {
    let (repo, user) = (&settings.repo, &settings.user);
    let reaches = |space| {
        origin
            .pass
            .as_ref()
            .is_none_or(|it| it.reaches_space(space))
    };
    match (reaches(repo), reaches(user)) {
        (true, true) => Ok((repo.clone(), Some(user.clone()))),
        (true, false) => Ok((repo.clone(), None)),
        (false, true) => Ok((user.clone(), None)),
        (false, false) => Err(build_out_of_reach_error(origin, repo)),
    }
}

fn build_out_of_reach_error(origin: &CallOrigin, repo: &Space) -> PlaceError {
    let pass = origin.pass.as_ref();
    let name = pass.map_or("it", |it| &it.name);
    let spaces = pass.and_then(|it| it.spaces.as_ref()).into_iter().flatten();
    let spaces = spaces.map(Space::as_str).collect::<Vec<_>>().join(", ");
    PlaceError::Outside(format!("'{name}' is for {spaces}, and this is {repo}"))
}

impl OpenScope for ServerHost {
    /// Everything is found anew for each call, the checkout and the settings included. A server lives for days, and between
    /// two calls its user may switch the branch, edit the settings or open another folder; an answer from before that
    /// would be a verdict about the wrong tree. Only what does not depend on the place is kept: open stores, by their URL,
    /// and the cache of verdicts, whose keys name the content they are about.
    fn open_scope(&self, origin: &CallOrigin) -> Result<CallScope, PlaceError> {
        let world = System::from_process(Vec::new())?.with_dir(Some(&self.cwd));
        let (desk, is_here) = self.open_for_call(&world, origin)?;
        let (repo, user) = select_reachable_spaces(origin, &desk.settings)?;
        let session = origin.session.clone().or_else(|| self.session.clone());
        let is_exposed = session
            .as_deref()
            .is_some_and(|it| sessions::is_exposed_session(&world, it));
        let root = desk.place.root.to_str().map(Into::into);
        let open_at = build_commit_opener(&desk.place);
        let (scope, place, settings) = desk.into_call_scope(repo, user);
        let beside = CallSideRecords {
            world,
            place,
            settings,
            pass: origin.pass.clone(),
            is_here,
        };
        Ok(CallScope {
            actor: name_caller(origin).map(Into::into).or(scope.actor),
            session,
            is_exposed,
            has_word: origin.has_word,
            pass: origin.pass.clone(),
            root: root.filter(|_| is_here),
            open_at: Some(open_at).filter(|_| is_here),
            beside: Some(Box::new(beside)),
            ..scope
        })
    }
}

/// How to look at another commit or branch of this place.
fn build_commit_opener(place: &ProjectFolder) -> Box<OpenSourceAt<'static>> {
    let checkout = place.checkout.clone();
    Box::new(move |reference| {
        let checkout = checkout.as_ref().ok_or(SourceError::Nowhere)?;
        Ok(Box::new(Commit::new(checkout, reference)?))
    })
}

impl Host for ServerHost {
    fn roots_need(&self) -> RootsNeed {
        let has_place = self.is_named
            || ProjectFolder::discover_from(&self.cwd).is_ok_and(|it| it.checkout.is_some());
        match (has_place, self.reach) {
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
        let is_fresh = self
            .used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none();
        if is_fresh {
            // Nobody has called yet: what the folder of the server holds is looked at.
            self.open_scope(&CallOrigin::default()).ok()?;
        }
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()?
            .change_number()
    }
}
