//! The machine as a server's host: which repository a call is about, and everything to answer it with.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use apostille_api::host::{CallOrigin, CallScope, Host, Need, OpenAt, OpenScope, Unplaced};
use apostille_cite::source::{Nowhere, Source, SourceError};
use apostille_core::space::Space;
use apostille_core::store::Store;
use apostille_git::git::Commit;
use apostille_git::memo::FileMemo;
use apostille_text::digest::Digest;

use super::beside::Kept;
use super::desk::{self, Desk};
use super::place::Place;
use super::sessions;
use super::used::Used;
use crate::config::{self, SettingFlags, Settings, StoreUrl};
use crate::error::Fault;
use crate::system::World;

/// Which folders a client may send the server to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Any: the client started the server and has the same rights.
    Anywhere,
    /// Only the one that is served: the client came through a socket.
    Here,
}

/// This machine, from the folder that the server was started in.
pub struct Machine {
    flags: SettingFlags,
    cwd: PathBuf,
    /// Whether the user named the repository when starting the server.
    is_named: bool,
    reach: Reach,
    session: Option<String>,
    /// Known to this process alone.
    secret: [u8; 16],
    stores: Mutex<HashMap<(String, String), Arc<dyn Store>>>,
    /// What verifying found, by the file it is kept in; read once, not for every call.
    findings: Mutex<HashMap<PathBuf, Arc<FileMemo>>>,
    /// What was used last.
    used: Mutex<Option<Used>>,
}

impl Machine {
    /// This machine, seen from this world.
    pub fn new(world: &World, flags: &SettingFlags, reach: Reach) -> Self {
        Self {
            flags: flags.clone(),
            cwd: world.cwd.clone(),
            is_named: flags.repo.is_some() || world.env.get("APOSTILLE_REPO").is_some(),
            reach,
            session: world.env.session().map(Into::into),
            secret: (world.random())().to_be_bytes(),
            stores: Mutex::default(),
            findings: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Where a call is to be answered: the client's folder, else the server's own; and whether the client said so.
    fn place(&self, origin: &CallOrigin) -> Result<(Place, bool), Unplaced> {
        let own = || Ok((Place::find(&self.cwd)?, false));
        let Some(roots) = origin.roots.as_deref().filter(|it| !it.is_empty()) else {
            return own();
        };
        // Whoever names the repository that is here means it, wherever its folder is: in a container it is elsewhere.
        if self.reach == Reach::Here && origin.repo.is_some() {
            return own();
        }
        if self.reach == Reach::Here {
            return self.served(roots).map(|it| (it, true));
        }
        let mut open: Vec<(Space, Place)> = Vec::new();
        for place in roots.iter().filter_map(|it| Place::find(it).ok()) {
            let space = place.space()?;
            if open.iter().all(|it| it.0 != space) {
                open.push((space, place));
            }
        }
        if open.iter().any(|it| it.1.checkout.is_some()) {
            open.retain(|it| it.1.checkout.is_some());
        }
        self.chosen(origin, open)?
            .map_or_else(own, |it| Ok((it, true)))
    }

    /// The one that is meant of those that the client has open.
    fn chosen(
        &self,
        origin: &CallOrigin,
        open: Vec<(Space, Place)>,
    ) -> Result<Option<Place>, Unplaced> {
        let names: Vec<String> = open.iter().map(|it| it.0.to_string()).collect();
        let repo = origin.repo.as_deref();
        let is_meant = |it: &(Space, Place)| repo.is_none_or(|repo| it.0.as_str() == repo);
        let mut meant: Vec<Place> = open.into_iter().filter(is_meant).map(|it| it.1).collect();
        // A client with several folders starts its servers in the first of them.
        if let (true, Ok(own)) = (meant.len() > 1, Place::find(&self.cwd))
            && meant.iter().any(|it| it.root == own.root)
        {
            return Ok(Some(own));
        }
        match meant.len() {
            0 | 1 => Ok(meant.pop()),
            _ => Err(Unplaced::Which(format!(
                "several repositories are open here: {}; say which one with \"repo\"",
                names.join(", ")
            ))),
        }
    }

    /// A client from outside is only served where the server is. Of other folders it learns nothing, not even whether they
    /// are there.
    fn served(&self, roots: &[PathBuf]) -> Result<Place, Unplaced> {
        let own = Place::find(&self.cwd)?;
        let root = own.root.canonicalize().unwrap_or_else(|_| own.root.clone());
        let is_own = |it: &PathBuf| {
            let is_below = it.canonicalize().is_ok_and(|it| it.starts_with(&root));
            is_below && Place::find(it).is_ok_and(|it| it.root == own.root)
        };
        match roots.iter().any(is_own) {
            true => Ok(own),
            false => Err(Unplaced::Which(format!(
                "this server serves '{}', and the client works elsewhere; start a server there, or say \
                 with \"repo\" that this one is meant",
                own.root.file_name().unwrap_or_default().to_string_lossy(),
            ))),
        }
    }

    /// Everything for a call: settings, store, code; and whether that is the code which is meant.
    fn opened(&self, world: &World, origin: &CallOrigin) -> Result<(Desk, bool), Unplaced> {
        match origin.is_by_name {
            true => self.looked_at(world, origin),
            false => self.desk(world, origin).map(|it| (it, true)),
        }
    }

    fn desk(&self, world: &World, origin: &CallOrigin) -> Result<Desk, Unplaced> {
        let (place, is_said) = self.place(origin)?;
        let is_placed = place.checkout.is_some() || self.is_named || is_said;
        let (flags, is_elsewhere) = match (is_placed, &origin.repo) {
            (true, _) => (self.flags.clone(), false),
            (false, Some(_)) if self.reach == Reach::Here => {
                let which = "this server was started in no repository; start it in a checkout of the one that is meant";
                return Err(Unplaced::Which(which.into()));
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
                return Err(Unplaced::Which(which.into()));
            }
        };
        let settings =
            config::resolve(world, &flags, &place).map_err(|fault| match is_elsewhere {
                true => Unplaced::Which(Unplaced::from(fault).to_string()),
                false => fault.into(),
            })?;
        is_the_one(origin, &settings)?;
        // The files of a folder that is no checkout of that repository prove nothing about it.
        let source: Box<dyn Source> = if is_elsewhere {
            Box::new(Nowhere)
        } else {
            place.source(None)?
        };
        let store = self.store(&settings)?;
        let spaces = [settings.repo.value.clone(), settings.user.value.clone()];
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.as_ref().is_none_or(|it| !it.is_of(&store, &spaces)) {
            let own = settings.own_store.iter().map(|it| it.value.path());
            let files = own
                .chain([settings.store.value.path()])
                .map(Into::into)
                .collect();
            *used = Some(Used::new(Arc::clone(&store), spaces, files));
        }
        drop(used);
        self.set_up(world, settings, place, source, store)
    }

    /// The same for whoever looks at the server's own place, or at another repository of its store by name: there is no
    /// checkout of that one to look into.
    fn looked_at(&self, world: &World, origin: &CallOrigin) -> Result<(Desk, bool), Unplaced> {
        let place = Place::find(&self.cwd)?;
        let mut settings = config::resolve(world, &self.flags, &place)?;
        let store = self.store(&settings)?;
        let named = origin.repo.as_deref().map(Space::repo);
        let named = named
            .transpose()
            .map_err(|it| Unplaced::Which(format!("\"repo\": {it}")))?;
        let Some(named) = named.filter(|it| *it != settings.repo.value) else {
            let source = place.source(None)?;
            return self
                .set_up(world, settings, place, source, store)
                .map(|it| (it, true));
        };
        // Whether it is there is told only to those whom it is within reach of.
        if origin.pass.as_ref().is_some_and(|it| !it.reaches(&named)) {
            return Err(outside(origin, &named));
        }
        let known = store.spaces().map_err(Fault::from)?;
        if !known.contains(&named) {
            return Err(Unplaced::NoSuch(format!(
                "no memories of {named} are kept here"
            )));
        }
        settings.repo.value = named;
        self.set_up(world, settings, place, Box::new(Nowhere), store)
            .map(|it| (it, false))
    }

    fn set_up(
        &self,
        world: &World,
        settings: Settings,
        place: Place,
        source: Box<dyn Source>,
        store: Arc<dyn Store>,
    ) -> Result<Desk, Unplaced> {
        let findings = self.findings(world, &settings);
        let desk = Desk::with_store(world, settings, place, source, store, findings);
        Ok(desk.guarded(world)?)
    }

    /// What was found in this repository.
    fn findings(&self, world: &World, settings: &Settings) -> Option<Arc<FileMemo>> {
        let file = desk::findings(world, &settings.repo.value)?;
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(
            findings
                .entry(file.clone())
                .or_insert_with(|| Arc::new(FileMemo::new(&file))),
        ))
    }

    /// The store of these settings, which is opened once.
    fn store(&self, settings: &Settings) -> Result<Arc<dyn Store>, Unplaced> {
        let url = &settings.store.value;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        // One SQLite file holds every repository; a file of lines is one repository's.
        let repo = match url {
            StoreUrl::Sqlite(_) => String::new(),
            StoreUrl::Jsonl(_) => settings.repo.value.to_string(),
        };
        let own = settings
            .own_store
            .as_ref()
            .map(|it| format!(" {}", it.value))
            .unwrap_or_default();
        let key = (format!("{url}{own}"), repo);
        if let Some(store) = stores.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = desk::opened(settings).map_err(Fault::from)?;
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }
}

/// A repository that is named must be the one that is looked into.
fn is_the_one(origin: &CallOrigin, settings: &Settings) -> Result<(), Unplaced> {
    let here = &settings.repo.value;
    match origin.repo.as_deref().map(Space::repo) {
        None => Ok(()),
        Some(Ok(named)) if named == *here => Ok(()),
        Some(Ok(named)) => Err(Unplaced::Which(format!(
            "\"repo\" is {named}, but this is {here}; leave it out, or start the server in a checkout of {named}"
        ))),
        Some(Err(error)) => Err(Unplaced::Which(format!("\"repo\": {error}"))),
    }
}

/// Who calls, for the log: the token, because what a client says of itself through a socket may be anything. The person
/// with the printed link is the one who started the server.
fn named(origin: &CallOrigin) -> Option<&str> {
    match &origin.pass {
        Some(pass) if pass.is_owners() => None,
        Some(pass) => Some(&pass.name),
        None => origin.client.as_deref(),
    }
}

/// The spaces in play that a pass reaches: the first, and the second where there is one.
fn reached(origin: &CallOrigin, settings: &Settings) -> Result<(Space, Option<Space>), Unplaced> {
    let (repo, user) = (&settings.repo.value, &settings.user.value);
    let reaches = |space| origin.pass.as_ref().is_none_or(|it| it.reaches(space));
    match (reaches(repo), reaches(user)) {
        (true, true) => Ok((repo.clone(), Some(user.clone()))),
        (true, false) => Ok((repo.clone(), None)),
        (false, true) => Ok((user.clone(), None)),
        (false, false) => Err(outside(origin, repo)),
    }
}

fn outside(origin: &CallOrigin, repo: &Space) -> Unplaced {
    let pass = origin.pass.as_ref();
    let name = pass.map_or("it", |it| &it.name);
    let spaces = pass.and_then(|it| it.spaces.as_ref()).into_iter().flatten();
    let spaces = spaces.map(Space::as_str).collect::<Vec<_>>().join(", ");
    Unplaced::Outside(format!("'{name}' is for {spaces}, and this is {repo}"))
}

impl OpenScope for Machine {
    fn open(&self, origin: &CallOrigin) -> Result<CallScope, Unplaced> {
        let world = World::ask(Vec::new())?.within(Some(&self.cwd));
        let (desk, is_here) = self.opened(&world, origin)?;
        let (repo, user) = reached(origin, &desk.settings)?;
        let session = origin.session.clone().or_else(|| self.session.clone());
        let is_exposed = session
            .as_deref()
            .is_some_and(|it| sessions::is_exposed(&world, it));
        let root = desk.place.root.to_str().map(Into::into);
        let open_at = open_at(&desk.place);
        let (scope, place, settings) = desk.into_scope(repo, user);
        let beside = Kept {
            world,
            place,
            settings,
            pass: origin.pass.clone(),
            is_here,
        };
        Ok(CallScope {
            actor: named(origin).map(Into::into).or(scope.actor),
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
fn open_at(place: &Place) -> Box<OpenAt<'static>> {
    let checkout = place.checkout.clone();
    Box::new(move |reference| {
        let checkout = checkout.as_ref().ok_or(SourceError::Nowhere)?;
        Ok(Box::new(Commit::new(checkout, reference)?))
    })
}

impl Host for Machine {
    fn roots(&self) -> Need {
        let has_place =
            self.is_named || Place::find(&self.cwd).is_ok_and(|it| it.checkout.is_some());
        match (has_place, self.reach) {
            (false, _) => Need::All,
            (true, Reach::Here) => Need::Some,
            (true, Reach::Anywhere) => Need::None,
        }
    }

    fn seal(&self, text: &str) -> String {
        // The text goes in by its digest, so that nothing can be added to what was sealed.
        let text = Digest::of(text.as_bytes());
        Digest::of(&[self.secret.as_slice(), text.as_bytes()].concat()).to_string()
    }

    fn stamp(&self) -> Option<u64> {
        let is_fresh = self
            .used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none();
        if is_fresh {
            // Nobody has called yet: what the folder of the server holds is looked at.
            self.open(&CallOrigin::default()).ok()?;
        }
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()?
            .changes()
    }
}
