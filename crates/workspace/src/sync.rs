//! Replicas on laptops: the store of this machine exchanges what happened in a space with a target that others reach, too.
//!
//! The rules are the core's ([`apostille_core::replica`]); here are the files, the transports and the order of the steps. What
//! happened at home is written down first, then lines are fetched, the store follows them, and last the target is given what it
//! lacks. Each step can be the last one: the next run goes on from there.

mod folder_target;
mod git_target;
pub(crate) mod served_replica;
mod server_target;
pub mod server_token;
pub mod status;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use apostille_core::{
    Context,
    memory::{MemoryId, Stage},
    replica::{
        ReplicaLog, ReplicaState,
        apply::{
            ReplicaChanges, ReplicaRun, apply_replica_log, bury_forgotten, survey_replica_log,
        },
        collect::{collect_local_changes, has_local_changes},
        log::ReplicaIntake,
    },
    space::Space,
    store::{MemoryFilter, StoreError},
};
use apostille_git::exchange::{EXCHANGE_REF, ExchangeError};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};

use crate::{
    config::Settings,
    error::CommandError,
    replica_folder::{ReplicaFile, ReplicaFolder, TargetRecord},
    sync_target::SyncTarget,
    system::System,
    task::CheckoutTasks,
    workspace::Workspace,
};
use folder_target::FolderTarget;
use git_target::GitTarget;
use server_target::ServerTarget;

/// How far ahead of this clock a line may be dated.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);
/// How often somebody else may be first before it is given up.
const TRIES: usize = 6;
/// So many memories may be forgotten or taken out of use by others within a day without a question, and so large a part of all (one
/// in so many).
const FEW_LOST: usize = 20;
const PART_LOST: usize = 5;
/// How long a sync is waited for by who chooses a target.
const SETUP_PATIENCE: Duration = Duration::from_secs(10);

/// Why a sync did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// Another process syncs this space.
    #[error("another process is syncing this memory")]
    Busy,
    /// The target is out of reach: offline, or no access.
    #[error("{0}; nothing is lost, what is new goes with the next sync")]
    Unreachable(String),
    /// Others took away very much at once.
    #[error(
        "others forgot or took out of use {lost} of {all} memories within a day; nothing was changed here: look with --dry-run, and accept it with --accept-forgotten"
    )]
    ManyLost {
        /// How many.
        lost: usize,
        /// Of how many.
        all: usize,
    },
    /// Somebody asked to stop.
    #[error("it was interrupted; the next sync goes on from here")]
    Interrupted,
    /// This cannot be synced so.
    #[error("{0}")]
    Unfit(String),
    /// The store or the settings are broken.
    #[error("{}", .0.message())]
    Broken(CommandError),
}

impl From<CommandError> for SyncError {
    fn from(error: CommandError) -> Self {
        Self::Broken(error)
    }
}

impl From<StoreError> for SyncError {
    fn from(error: StoreError) -> Self {
        match error {
            // The replica is kept in a store that others use as well.
            StoreError::Conflict { .. } => Self::Busy,
            error => Self::Broken(error.into()),
        }
    }
}

impl From<ExchangeError> for SyncError {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::Interrupted => Self::Interrupted,
            ExchangeError::Unreachable(_) | ExchangeError::TooSlow | ExchangeError::NoGit => {
                Self::Unreachable(error.to_string())
            }
            ExchangeError::Strange(_) | ExchangeError::Refused(_) => Self::Unfit(error.to_string()),
            ExchangeError::Io(error) => Self::Broken(CommandError::internal(error)),
        }
    }
}

impl From<SyncError> for CommandError {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Broken(error) => error,
            SyncError::Unfit(_) | SyncError::ManyLost { .. } => Self::usage(error),
            SyncError::Busy | SyncError::Unreachable(_) | SyncError::Interrupted => {
                Self::store(error)
            }
        }
    }
}

/// How a sync is run.
pub struct SyncRequest<'a> {
    /// The target.
    pub target: &'a SyncTarget,
    /// Whose memories.
    pub space: &'a Space,
    /// Whether to look only.
    pub is_dry_run: bool,
    /// Whether much may be forgotten at once.
    pub accepts_forgotten: bool,
    /// How long another process that syncs is waited for.
    pub patience: Duration,
    /// Ends what is under way.
    pub stop: &'a AtomicBool,
    /// Told how many steps of how many are done.
    pub progress: &'a dyn Fn(usize, usize),
}

/// What a sync came to.
#[derive(Debug, Clone, Default)]
pub struct SyncReport {
    /// How many lines were given to the target, or would be.
    pub sent: usize,
    /// How many new lines came from it.
    pub received: usize,
    /// What they changed here, or would change.
    pub changes: ReplicaChanges,
    /// What was left out of what came.
    pub intake: ReplicaIntake,
    /// What the target left out of what was sent.
    pub not_taken: LinesNotTaken,
}

/// Lines that a target did not take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinesNotTaken {
    /// How many.
    pub n: usize,
    /// Why the first of them was not.
    pub why: Option<String>,
}

/// A place that holds the set of lines.
trait ExchangeTarget {
    /// What it looks like now: as long as this is the same, it holds the same.
    fn find_fingerprint(&mut self) -> Result<String, SyncError>;

    /// The lines that it holds and that may be new to who has these, and how the target looks with them.
    fn fetch_lines(&mut self, log: &ReplicaLog) -> Result<Vec<String>, SyncError>;

    /// How many lines it lacks.
    fn count_missing(&mut self, log: &ReplicaLog) -> Result<usize, SyncError>;

    /// Gives it what it lacks and takes away what was forgotten; how it looks then, or `None` where somebody else was
    /// first.
    fn store_lines(&mut self, log: &ReplicaLog) -> Result<Option<String>, SyncError>;

    /// Removes what was forgotten from what is kept of the target on this machine.
    fn clean_up(&mut self, has_forgotten: bool) -> Result<(), SyncError>;

    /// What it left out of what it was given.
    fn not_taken(&self) -> LinesNotTaken {
        LinesNotTaken::default()
    }
}

/// Exchanges what happened in a space with a target.
pub fn sync_space(
    system: &System,
    workspace: &Workspace,
    request: &SyncRequest,
) -> Result<SyncReport, SyncError> {
    check_fitness(workspace, request.target, request.space)?;
    let folder = ReplicaFolder::locate(system, &workspace.settings.store, request.space)?;
    let folder = folder.for_store(&workspace.store);
    let _alone = folder.lock(request.patience).map_err(|error| match error {
        StoreError::Busy { .. } => SyncError::Busy,
        other => other.into(),
    })?;
    let file = folder.read_file()?;
    let target = open_target(system, workspace, request, &folder, &file);
    let mut run = SyncRun {
        system,
        cx: workspace.context_for(request.space),
        workspace,
        request,
        folder: &folder,
        file,
    };
    run.exchange(target)
}

/// Whether a space can be shared so.
fn check_fitness(
    workspace: &Workspace,
    target: &SyncTarget,
    space: &Space,
) -> Result<(), SyncError> {
    let settings = &workspace.settings;
    let unfit = |why: String| Err(SyncError::Unfit(why));
    if settings.own_store.is_some() && !space.is_user() {
        return unfit(
            "this repository's memories are a file of the repository, which git itself shares"
                .into(),
        );
    }
    if space.is_user() && matches!(target, SyncTarget::Git(_)) {
        return unfit("your own memories are not pushed to a repository's remote; name a folder of yours: --with folder:PATH".into());
    }
    let is_local = space.as_str().starts_with("local/");
    if is_local && !matches!(target, SyncTarget::Folder(_)) {
        return unfit(format!(
            "{} has no name that others know it by: its remote gives it none",
            space
        ));
    }
    Ok(())
}

fn open_target<'a>(
    system: &System,
    workspace: &Workspace,
    request: &SyncRequest<'a>,
    folder: &ReplicaFolder,
    file: &ReplicaFile,
) -> Result<Box<dyn ExchangeTarget + 'a>, SyncError> {
    Ok(match request.target {
        SyncTarget::Git(remote) => {
            let url = find_remote_address(workspace, remote, request.space)?;
            check_address(file, request.target, &url)?;
            Box::new(GitTarget::open(
                &folder.remote_folder(),
                (&url, EXCHANGE_REF),
                request.stop,
            )?)
        }
        SyncTarget::Repository(url) => {
            let reference = name_space_ref(request.space);
            let remote = (url.as_str(), reference.as_str());
            Box::new(GitTarget::open(
                &folder.remote_folder(),
                remote,
                request.stop,
            )?)
        }
        SyncTarget::Folder(path) => {
            let draw = (system.random_source())();
            let space = request.space;
            let is_new = !request.is_dry_run;
            Box::new(FolderTarget::open(
                path,
                space,
                &file.replica,
                (draw, is_new),
            )?)
        }
        SyncTarget::Server(address) => {
            let seen = file.targets.get(&request.target.to_string());
            let seen = seen.and_then(|it| it.seen.clone());
            Box::new(ServerTarget::open(system, address, request, seen)?)
        }
    })
}

/// The ref of a space in a repository that has several.
fn name_space_ref(space: &Space) -> String {
    let name = Digest::hash_bytes(space.as_str().as_bytes()).short_hex();
    format!("refs/apostille/spaces/{name}")
}

/// The address of a remote of this checkout.
fn find_remote_address(
    workspace: &Workspace,
    remote: &str,
    space: &Space,
) -> Result<String, SyncError> {
    let checkout = workspace.place.checkout.as_ref();
    let url = checkout.and_then(|it| it.find_remote_url(remote));
    match url.filter(|_| workspace.settings.contact.is_here) {
        Some(url) => Ok(resolve_remote_path(url, workspace)),
        None => Err(SyncError::Unfit(format!(
            "this checkout has no remote '{remote}' for {space}"
        ))),
    }
}

/// Whoever can write the checkout's configuration could lead the memories elsewhere: another address is another choice.
fn check_address(file: &ReplicaFile, target: &SyncTarget, url: &str) -> Result<(), SyncError> {
    let record = file.targets.get(&target.to_string());
    let chosen = record.and_then(|it| it.address.as_ref());
    match chosen {
        Some(it) if *it != digest_address(url) => Err(SyncError::Unfit(format!(
            "the address of {target} is another one than the one that was chosen; if that is right: apostille sync setup {target}"
        ))),
        _ => Ok(()),
    }
}

/// An address may hold a password, so its digest is kept.
fn digest_address(url: &str) -> String {
    Digest::hash_bytes(url.as_bytes()).to_string()
}

/// Notes the address that a target has now as the one that was chosen.
fn keep_address(workspace: &Workspace, target: &SyncTarget, file: &mut ReplicaFile) {
    if let SyncTarget::Git(remote) = target
        && let Some(checkout) = &workspace.place.checkout
        && let Some(url) = checkout.find_remote_url(remote)
    {
        let record = file.targets.entry(target.to_string()).or_default();
        record.address = Some(digest_address(&resolve_remote_path(url, workspace)));
    }
}

/// A remote that is a path is one from the checkout.
fn resolve_remote_path(url: &str, workspace: &Workspace) -> String {
    let is_relative = url.starts_with("./") || url.starts_with("../");
    match is_relative {
        true => workspace.place.root.join(url).display().to_string(),
        false => url.to_owned(),
    }
}

/// One run.
struct SyncRun<'a> {
    system: &'a System,
    cx: Context<'a>,
    workspace: &'a Workspace,
    request: &'a SyncRequest<'a>,
    folder: &'a ReplicaFolder,
    file: ReplicaFile,
}

impl SyncRun<'_> {
    /// Exchanges lines, and keeps what was wrong where something was.
    fn exchange(
        &mut self,
        target: Result<Box<dyn ExchangeTarget + '_>, SyncError>,
    ) -> Result<SyncReport, SyncError> {
        let name = self.request.target.to_string();
        let done = target.and_then(|mut it| self.exchange_lines(&name, &mut *it));
        let record = self.file.targets.entry(name).or_default();
        let problem = done.as_ref().err().map(ToString::to_string);
        let is_news = record.problem != problem || done.as_ref().is_ok_and(is_something_new);
        record.problem = problem;
        if is_news && !self.request.is_dry_run {
            record.at = Some(self.cx.now.to_string());
            self.folder.write_file(&self.file)?;
        }
        done
    }

    fn exchange_lines(
        &mut self,
        name: &str,
        target: &mut dyn ExchangeTarget,
    ) -> Result<SyncReport, SyncError> {
        let empty = ReplicaLog::new(self.request.space.clone());
        let is_changed = has_local_changes(&self.cx, &empty, &self.file.state)?;
        let record = self.file.targets.get(name).cloned().unwrap_or_default();
        if !is_changed
            && self.is_up_to_date(&record)
            && record.seen == Some(target.find_fingerprint()?)
        {
            return Ok(SyncReport::default());
        }
        let mut log = self.folder.read_log(self.request.space, self.latest())?;
        let mut report = SyncReport::default();
        collect_local_changes(&self.cx, &mut log, &mut self.file.state)?;
        if !self.request.is_dry_run {
            // What happened here is told, whatever becomes of the target.
            self.save(&log)?;
        }
        for _ in 0..TRIES {
            self.hear(target, &mut log, &mut report)?;
            report.sent = target.count_missing(&log)?;
            if self.request.is_dry_run {
                report.changes = survey_replica_log(&self.cx, &log, &self.file.state)?;
                return Ok(report);
            }
            self.check_losses(&log, report.received)?;
            self.follow(&mut log, &mut report)?;
            self.save(&log)?;
            if let Some(seen) = target.store_lines(&log)? {
                report.not_taken = target.not_taken();
                let record = self.file.targets.entry(name.into()).or_default();
                record.seen = Some(seen);
                record.lines = log.count_lines();
                record.generation = self.file.generation;
                let n_forgotten = log.count_forgotten();
                target.clean_up(n_forgotten != record.cleaned)?;
                record.cleaned = n_forgotten;
                keep_address(self.workspace, self.request.target, &mut self.file);
                self.folder.write_file(&self.file)?;
                return Ok(report);
            }
        }
        let why = format!("others wrote to it {TRIES} times meanwhile; try again");
        Err(SyncError::Unreachable(why))
    }

    /// Whether the target was given everything that was known when it was seen last.
    fn is_up_to_date(&self, record: &TargetRecord) -> bool {
        let is_asleep = self
            .file
            .wakes_at
            .is_none_or(|it| it > self.latest().as_millisecond());
        record.seen.is_some() && record.generation == self.file.generation && is_asleep
    }

    /// The latest time that a line may have to count.
    fn latest(&self) -> Timestamp {
        self.cx.now.checked_add(AHEAD).unwrap_or(self.cx.now)
    }

    fn hear(
        &mut self,
        target: &mut dyn ExchangeTarget,
        log: &mut ReplicaLog,
        report: &mut SyncReport,
    ) -> Result<(), SyncError> {
        let lines = target.fetch_lines(log)?;
        self.check_stop()?;
        // Fetching takes as long as the network does: what happened here meanwhile was not known to those who wrote these lines.
        self.cx = self.workspace.context_for(self.request.space);
        collect_local_changes(&self.cx, log, &mut self.file.state)?;
        let texts = lines.iter().map(String::as_str);
        let intake = log.insert_foreign_texts(texts, self.latest());
        if intake.is_newer {
            let why = "the target holds what a newer program wrote; update apostille";
            return Err(SyncError::Unfit(why.into()));
        }
        report.received += intake.new;
        // What was left out the first time is not there the second time, when others wrote meanwhile.
        if intake.left_out >= report.intake.left_out {
            report.intake = intake;
        }
        bury_forgotten(&self.cx, log, &self.file.state);
        Ok(())
    }

    fn check_stop(&self) -> Result<(), SyncError> {
        match self.request.stop.load(Ordering::Relaxed) {
            true => Err(SyncError::Interrupted),
            false => Ok(()),
        }
    }

    fn check_losses(&self, log: &ReplicaLog, n_new: usize) -> Result<(), SyncError> {
        if self.request.accepts_forgotten || n_new == 0 {
            return Ok(());
        }
        let loss = find_mass_loss(&self.cx, log, &self.file)?;
        loss.map_or(Ok(()), |(lost, all)| Err(SyncError::ManyLost { lost, all }))
    }

    /// Has the store follow the lines.
    fn follow(&mut self, log: &mut ReplicaLog, report: &mut SyncReport) -> Result<(), SyncError> {
        let mut state = self.file.state.clone();
        let cx = self.cx;
        // What is kept beside the store goes first: where this ends half way, the memories are there, and it is done again.
        self.forget_side_records(&self.list_doomed_memories(log)?)?;
        let done = apply_replica_log(&cx, log, &mut state, self);
        self.file.state = state;
        let done = done?;
        self.forget_side_records(&done.erased)?;
        if !done.erased.is_empty() {
            self.refresh_notes()?;
        }
        if done.is_interrupted {
            return Err(SyncError::Interrupted);
        }
        match self.request.accepts_forgotten {
            true => self.file.losses.clear(),
            false => self.file.note_losses(self.cx.now, count_lost(&done)),
        }
        add_changes(&mut report.changes, done);
        Ok(())
    }

    /// The memories of this store that others forgot.
    fn list_doomed_memories(&self, log: &ReplicaLog) -> Result<Vec<MemoryId>, SyncError> {
        let forgotten = log.lines().filter(|it| it.is_tombstone());
        let forgotten: Vec<MemoryId> = forgotten.map(|it| it.id).collect();
        let found = self.cx.store.get_by_ids(&forgotten)?;
        Ok(found.into_iter().map(|it| it.id).collect())
    }

    /// The notes of the active task repeat what stands in its way.
    fn refresh_notes(&self) -> Result<(), SyncError> {
        let workspace = self.workspace;
        let tasks = CheckoutTasks::for_folder(self.system, &workspace.place, &workspace.settings);
        if let Ok(tasks) = tasks {
            tasks.refresh_notes(workspace)?;
        }
        Ok(())
    }

    fn forget_side_records(&self, erased: &[MemoryId]) -> Result<(), SyncError> {
        // The lines are seen to here.
        self.workspace.forget_session_records(erased)?;
        Ok(())
    }

    /// Keeps the lines and how far the log was read.
    fn save(&mut self, log: &ReplicaLog) -> Result<(), SyncError> {
        Ok(self.folder.save(log, &mut self.file)?)
    }
}

impl ReplicaRun for SyncRun<'_> {
    fn save_state(&mut self, state: &ReplicaState) -> Result<(), StoreError> {
        self.file.state = state.clone();
        self.folder.write_file(&self.file)
    }

    fn goes_on(&mut self, done: usize, all: usize) -> bool {
        (self.request.progress)(done, all);
        !self.request.stop.load(Ordering::Relaxed)
    }
}

/// How many memories others forget or take out of use, of how many, where that is very much: a mistake or an attack more often than a
/// wish. What went in the last day counts, too, because it may come in small parts.
fn find_mass_loss(
    cx: &Context,
    log: &ReplicaLog,
    file: &ReplicaFile,
) -> Result<Option<(usize, usize)>, StoreError> {
    let lost = count_lost(&survey_replica_log(cx, log, &file.state)?);
    let before = file.count_losses(cx.now);
    if lost == 0 || lost + before <= FEW_LOST {
        return Ok(None);
    }
    let all = cx.store.list_memories(&MemoryFilter {
        spaces: vec![log.space().clone()],
        stages: vec![Stage::Active],
        limit: usize::MAX,
        ..MemoryFilter::default()
    })?;
    let (lost, all) = (lost + before, all.len() + before);
    Ok((lost * PART_LOST > all).then_some((lost, all)))
}

fn is_something_new(report: &SyncReport) -> bool {
    report.sent + report.received > 0 || report.changes != ReplicaChanges::default()
}

fn count_lost(changes: &ReplicaChanges) -> usize {
    changes.erased.len() + changes.taken_out
}

/// A run may follow the lines more than once, when others write meanwhile.
fn add_changes(sum: &mut ReplicaChanges, more: ReplicaChanges) {
    sum.arrived += more.arrived;
    sum.held += more.held;
    sum.changed += more.changed;
    sum.taken_out += more.taken_out;
    sum.contested += more.contested;
    sum.left_out = more.left_out;
    sum.erased.extend(more.erased);
}

/// The target of a space: the one that was chosen for it on this machine, else the one in the settings.
pub fn choose_target(
    system: &System,
    settings: &Settings,
    space: &Space,
) -> Result<Option<SyncTarget>, CommandError> {
    // Without a home nothing was chosen, and nothing can be kept of what is exchanged.
    let Ok(folder) = ReplicaFolder::locate(system, &settings.store, space) else {
        return Ok(None);
    };
    let chosen = folder.read_file()?.target;
    Ok(match chosen.as_deref() {
        Some("off") => None,
        Some(text) => SyncTarget::from_text(text, &system.cwd, None).ok(),
        None => settings.sync.clone().filter(|_| !space.is_user()),
    })
}

/// Chooses the target of a space on this machine; `None`: it is shared with nobody.
pub fn set_up_target(
    system: &System,
    workspace: &Workspace,
    space: &Space,
    target: Option<&SyncTarget>,
) -> Result<(), SyncError> {
    if let Some(target) = target {
        check_fitness(workspace, target, space)?;
    }
    if let Some(SyncTarget::Server(address)) = target {
        server_token::find_server_token(system, address).map_err(SyncError::Unfit)?;
    }
    let folder = ReplicaFolder::locate(system, &workspace.settings.store, space)?;
    let _alone = folder.lock(SETUP_PATIENCE)?;
    // A choice that cannot be read is replaced by this one.
    let mut file = match folder.read_file() {
        Err(StoreError::Unavailable { .. }) => folder.read_file_to_choose()?,
        file => file?,
    };
    file.target = Some(target.map_or_else(|| "off".into(), SyncTarget::to_string));
    if let Some(target) = target {
        keep_address(workspace, target, &mut file);
    }
    folder.write_file(&file)?;
    Ok(())
}

/// Syncs the repository's space with its target while nobody waits; `None` where it has none, or another process is at it.
pub fn sync_unattended(
    system: &System,
    workspace: &Workspace,
) -> Result<Option<SyncReport>, CommandError> {
    let space = &workspace.settings.repo;
    let Some(target) = choose_target(system, &workspace.settings, space)? else {
        return Ok(None);
    };
    let done = sync_space(
        system,
        workspace,
        &SyncRequest {
            target: &target,
            space,
            is_dry_run: false,
            accepts_forgotten: false,
            patience: Duration::ZERO,
            stop: &AtomicBool::new(false),
            progress: &|_, _| (),
        },
    );
    match done {
        Ok(report) => Ok(Some(report)),
        // What was wrong is in `sync status`, and the next one tries again.
        Err(SyncError::Broken(error)) => Err(error),
        Err(_) => Ok(None),
    }
}
