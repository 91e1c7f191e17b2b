//! A server as a replica: whoever it serves asks for its lines and brings it others.
//!
//! It keeps its lines as every replica does. Where its store is a database that several servers share, they are there, and the
//! servers are one replica: each write says which one it was decided on ([`apostille_core::store::shelf`]), and who was
//! overtaken decides anew. What arrives is nobody's word, and a line that says what only a person decides is taken only from one
//! ([`apostille_core::replica::authority`]).

use std::{fs::File, sync::Arc, time::Duration};

use apostille_api::host::{
    BroughtLines, ExchangeFault, ReplicaExchange, ReplicaSummary, TakenLines,
};
use apostille_core::{
    Context, CoreError,
    memory::MemoryId,
    replica::{
        ReplicaLine, ReplicaLog, ReplicaState,
        apply::{ReplicaRun, apply_replica_log, bury_forgotten},
        authority::{TAKES_PERSON, may_bring_line},
        collect::{collect_local_changes, has_local_changes},
        line::BadReplicaLine,
        log::ReplicaIntake,
        parts::{PartName, compute_fingerprint, look_at_parts, split_into_parts},
    },
    space::Space,
    store::{Store, StoreError},
};
use jiff::Timestamp;

use super::{AHEAD, TRIES, count_lost, find_mass_loss};
use crate::{
    config::StoreUrl,
    replica_folder::{ReplicaFile, ReplicaFolder},
    system::System,
};

/// How long another request about the same space is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much is told in one answer, unless a single part has more.
const MOST_TOLD: usize = 4 * 1024 * 1024;

/// The replica of a server.
pub(crate) struct ServedReplica {
    /// The machine.
    pub(crate) system: System,
    /// The store that it serves.
    pub(crate) url: StoreUrl,
    /// The same, open.
    pub(crate) store: Arc<dyn Store>,
    /// Whether the repository's memories are a file of the repository.
    pub(crate) is_file_of_repository: bool,
}

/// A replica while a request works with it.
struct OpenReplica {
    folder: ReplicaFolder,
    file: ReplicaFile,
    /// The lines, where they had to be read.
    log: Option<ReplicaLog>,
    latest: Timestamp,
    _alone: File,
}

fn refuse(class: &'static str, why: impl Into<String>) -> ExchangeFault {
    let why = why.into();
    ExchangeFault::Refused { class, why }
}

impl ServedReplica {
    /// Opens the replica of a space with everything that happened in the store by now.
    fn open(&self, cx: &Context, space: &Space) -> Result<OpenReplica, ExchangeFault> {
        if self.is_file_of_repository && !space.is_user() {
            let why =
                "this repository's memories are a file of the repository, which git itself shares";
            return Err(refuse("no_replica", why));
        }
        let folder = ReplicaFolder::locate(&self.system, &self.url, space)
            .map_err(|it| refuse("no_replica", it.message()))?
            .for_store(&self.store);
        let alone = folder.lock(PATIENCE)?;
        let mut open = OpenReplica {
            file: folder.read_file()?,
            folder,
            log: None,
            latest: cx.now.checked_add(AHEAD).unwrap_or(cx.now),
            _alone: alone,
        };
        if open.is_behind(cx, space)? {
            open.collect(cx, space)?;
        }
        Ok(open)
    }

    /// Does something with the replica, anew where another server was first.
    fn work<T>(
        &self,
        cx: &Context,
        space: &Space,
        mut work: impl FnMut(OpenReplica) -> Result<T, ExchangeFault>,
    ) -> Result<T, ExchangeFault> {
        let mut tries = 1;
        loop {
            match self.open(cx, space).and_then(&mut work) {
                Err(ExchangeFault::Broken(StoreError::Conflict { .. })) if tries < TRIES => {
                    tries += 1;
                }
                done => return done,
            }
        }
    }
}

impl OpenReplica {
    fn is_behind(&self, cx: &Context, space: &Space) -> Result<bool, CoreError> {
        let wakes = self.file.wakes_at;
        let is_awake = wakes.is_some_and(|it| it <= self.latest.as_millisecond());
        let empty = ReplicaLog::new(space.clone());
        Ok(is_awake || has_local_changes(cx, &empty, &self.file.state)?)
    }

    fn collect(&mut self, cx: &Context, space: &Space) -> Result<(), CoreError> {
        let mut log = self.folder.read_log(space, self.latest)?;
        collect_local_changes(cx, &mut log, &mut self.file.state)?;
        self.folder.save(&log, &mut self.file)?;
        self.log = Some(log);
        Ok(())
    }

    fn take_log(&mut self, space: &Space) -> Result<ReplicaLog, CoreError> {
        match self.log.take() {
            Some(log) => Ok(log),
            None => self.folder.read_log(space, self.latest),
        }
    }

    /// Reads the lines that are brought, but for those that take somebody else to say so.
    fn read_brought(
        &self,
        cx: &Context,
        log: &mut ReplicaLog,
        lines: &BroughtLines<'_>,
    ) -> Result<ReplicaIntake, ExchangeFault> {
        let texts = || lines.texts.lines();
        let told = texts().filter_map(|it| ReplicaLine::parse_known(it, log.space()).ok());
        let mut ids: Vec<MemoryId> = told.map(|it| it.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let known = cx.store.get_by_ids(&ids)?;
        let check = |line: &ReplicaLine| {
            let memory = known.iter().find(|it| it.id == line.id);
            match may_bring_line(line, memory, lines.by) {
                true => Ok(()),
                false => Err(BadReplicaLine::Refused(TAKES_PERSON.into())),
            }
        };
        let intake = log.insert_checked_texts(texts(), self.latest, &check);
        match intake.is_newer {
            true => Err(refuse(
                "newer",
                "a newer program wrote these lines; update the server",
            )),
            false => Ok(intake),
        }
    }

    fn take_lines(
        mut self,
        cx: &Context,
        space: &Space,
        lines: &BroughtLines<'_>,
    ) -> Result<TakenLines, ExchangeFault> {
        let mut log = self.take_log(space)?;
        let held = fingerprint_log(&log);
        if held != lines.seen {
            let why = "something else is held by now; read it, and bring what is missing then";
            return Err(refuse("overtaken", why));
        }
        let intake = self.read_brought(cx, &mut log, lines)?;
        let n_buried = bury_forgotten(cx, &mut log, &self.file.state);
        if intake.new > 0
            && !lines.accepts_forgotten
            && let Some((n, all)) = find_mass_loss(cx, &log, &self.file)?
        {
            let why = format!(
                "that would forget or take out of use {n} of {all} memories within a day; a token with --access review may accept it: apostille sync --accept-forgotten"
            );
            return Err(refuse("many_forgotten", why));
        }
        let erased = self.follow(cx, &mut log)?;
        self.folder.save(&log, &mut self.file)?;
        Ok(TakenLines {
            fingerprint: fingerprint_log(&log),
            new: intake.new,
            left_out: intake.left_out,
            why: intake.why,
            is_complete: n_buried == 0,
            erased,
        })
    }

    /// Has the store follow the lines; what was forgotten.
    fn follow(&mut self, cx: &Context, log: &mut ReplicaLog) -> Result<Vec<MemoryId>, CoreError> {
        let mut state = self.file.state.clone();
        let done = apply_replica_log(cx, log, &mut state, self);
        self.file.state = state;
        let done = done?;
        self.file.note_losses(cx.now, count_lost(&done));
        Ok(done.erased)
    }
}

impl ReplicaRun for OpenReplica {
    fn save_state(&mut self, state: &ReplicaState) -> Result<(), StoreError> {
        self.file.state = state.clone();
        self.folder.write_file(&self.file)
    }

    fn goes_on(&mut self, _: usize, _: usize) -> bool {
        true
    }
}

fn fingerprint_log(log: &ReplicaLog) -> String {
    compute_fingerprint(&look_at_parts(&split_into_parts(log)))
}

impl ReplicaExchange for ServedReplica {
    fn summarize_lines(
        &self,
        cx: &Context,
        space: &Space,
        seen: Option<&str>,
    ) -> Result<ReplicaSummary, ExchangeFault> {
        self.work(cx, space, |open| {
            let known = open
                .file
                .fingerprint
                .clone()
                .filter(|_| !open.folder.is_shared());
            if let Some(fingerprint) = known.filter(|it| Some(&**it) == seen) {
                let looks = None;
                return Ok(ReplicaSummary { fingerprint, looks });
            }
            let looks = open.folder.look_at_lines(open.latest)?;
            let fingerprint = compute_fingerprint(&looks);
            let looks = (Some(&*fingerprint) != seen).then_some(looks);
            Ok(ReplicaSummary { fingerprint, looks })
        })
    }

    fn read_lines(
        &self,
        cx: &Context,
        space: &Space,
        names: &[PartName],
    ) -> Result<String, ExchangeFault> {
        self.work(cx, space, |open| {
            let parts = open.folder.read_parts(names, open.latest)?;
            let n_bytes: usize = parts.values().map(String::len).sum();
            if parts.len() > 1 && n_bytes > MOST_TOLD {
                let why = format!("these parts have more than {MOST_TOLD} bytes; ask for fewer");
                return Err(refuse("too_much", why));
            }
            Ok(parts.into_values().collect())
        })
    }

    fn take_lines(
        &self,
        cx: &Context,
        space: &Space,
        lines: &BroughtLines<'_>,
    ) -> Result<TakenLines, ExchangeFault> {
        self.work(cx, space, |open| open.take_lines(cx, space, lines))
    }
}
