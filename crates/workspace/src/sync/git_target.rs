//! The repository's own remote as a target, or a bare repository of one's own: one ref, one commit without parents, one file for
//! each part of the memories.
//!
//! A memory's lines are all in one file, chosen by its id. So what is exchanged is only the files in which something changed,
//! and a small change costs a small upload, though every commit replaces the one before whole.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::atomic::AtomicBool,
};

use apostille_core::{
    memory::MemoryId,
    replica::{
        ReplicaLog,
        parts::{PartName, split_into_parts},
    },
};
use apostille_git::exchange::{ExchangeFile, ExchangeRepository, PushOutcome};

use super::{ExchangeTarget, SyncError};

/// The remote, as far as it was looked at.
pub(super) struct GitTarget<'a> {
    repository: ExchangeRepository<'a>,
    /// The commit that the remote was seen to have.
    tip: Option<Option<String>>,
    /// The lines that were fetched.
    fetched: HashSet<String>,
    /// The names of files that are the same as what was pushed from here last.
    unchanged: HashSet<String>,
    /// Whether the remote had lines that are not kept here: forgotten ones that somebody put back.
    has_dropped: bool,
}

impl<'a> GitTarget<'a> {
    /// A repository at an address, and the ref there that has the memories.
    pub(super) fn open(
        folder: &Path,
        remote: (&str, &str),
        stop: &'a AtomicBool,
    ) -> Result<Self, SyncError> {
        Ok(Self {
            repository: ExchangeRepository::open(folder, remote, stop)?,
            tip: None,
            fetched: HashSet::new(),
            unchanged: HashSet::new(),
            has_dropped: false,
        })
    }

    fn find_tip(&mut self) -> Result<Option<String>, SyncError> {
        let tip = self.repository.find_remote_tip()?;
        self.tip = Some(tip.clone());
        Ok(tip)
    }
}

impl ExchangeTarget for GitTarget<'_> {
    fn find_fingerprint(&mut self) -> Result<String, SyncError> {
        Ok(self.find_tip()?.unwrap_or_default())
    }

    fn fetch_lines(&mut self, _log: &ReplicaLog) -> Result<Vec<String>, SyncError> {
        self.fetched.clear();
        self.unchanged.clear();
        // What was seen a moment ago is not asked for again: the remote is far away.
        let tip = match self.tip.take() {
            Some(tip) => tip,
            None => self.find_tip()?,
        };
        if tip.is_none() {
            self.tip = Some(None);
            return Ok(Vec::new());
        }
        let tip = self.repository.fetch_tip()?;
        let own: HashSet<(String, String)> = self
            .repository
            .list_own_files()?
            .into_iter()
            .map(|it| (it.name, it.blob))
            .collect();
        let files = self.repository.list_files(&tip)?;
        let is_shared = |it: &ExchangeFile| is_part_name(&it.name);
        let (same, changed): (Vec<_>, Vec<_>) = files
            .into_iter()
            .filter(is_shared)
            .partition(|it| own.contains(&(it.name.clone(), it.blob.clone())));
        self.unchanged.extend(same.into_iter().map(|it| it.name));
        let contents = self.repository.read_files(&changed)?;
        self.tip = Some(Some(tip));
        let texts = contents.iter().map(|it| String::from_utf8_lossy(it));
        let lines = texts.flat_map(|it| it.lines().map(str::to_owned).collect::<Vec<_>>());
        let lines: Vec<String> = lines.collect();
        self.fetched.extend(lines.iter().cloned());
        Ok(lines)
    }

    fn count_missing(&mut self, log: &ReplicaLog) -> Result<usize, SyncError> {
        let own: HashSet<String> = match self.unchanged.is_empty() {
            true => HashSet::new(),
            false => self.read_own_lines()?,
        };
        let lines = log.lines();
        let is_there = |text: &String, id: MemoryId| {
            self.fetched.contains(text)
                || (self.unchanged.contains(&name_part(id)) && own.contains(text))
        };
        Ok(lines.filter(|it| !is_there(&it.text, it.id)).count())
    }

    fn store_lines(&mut self, log: &ReplicaLog) -> Result<Option<String>, SyncError> {
        let files = list_part_files(log);
        let kept: HashSet<&str> = log.lines().map(|it| &*it.text).collect();
        self.has_dropped |= self.fetched.iter().any(|it| !kept.contains(&**it));
        let seen = match &self.tip {
            Some(tip) => tip.clone(),
            None => self.find_tip()?,
        };
        if files.is_empty() && seen.is_none() {
            return Ok(Some(String::new()));
        }
        let written = self.repository.write_commit(&files)?;
        if let Some(tip) = &seen
            && self.repository.find_tree(tip)? == written.tree
        {
            // Theirs may have parents that are not here.
            self.repository.keep_commit(&written.commit)?;
            return Ok(Some(tip.clone()));
        }
        match self
            .repository
            .push_commit(&written.commit, seen.as_deref())?
        {
            PushOutcome::Done(commit) => Ok(Some(commit)),
            PushOutcome::Overtaken => {
                self.tip = None;
                Ok(None)
            }
        }
    }

    fn clean_up(&mut self, has_forgotten: bool) -> Result<(), SyncError> {
        match has_forgotten || self.has_dropped {
            true => self.repository.drop_unreachable()?,
            false => self.repository.tidy()?,
        }
        Ok(())
    }
}

impl GitTarget<'_> {
    fn read_own_lines(&self) -> Result<HashSet<String>, SyncError> {
        let own = self.repository.list_own_files()?;
        let contents = self.repository.read_files(&own)?;
        let texts = contents.iter().map(|it| String::from_utf8_lossy(it));
        let lines = texts.flat_map(|it| it.lines().map(str::to_owned).collect::<Vec<_>>());
        Ok(lines.collect())
    }
}

/// The file that a memory's lines are in: one of 256.
fn name_part(id: MemoryId) -> String {
    format!("{}.jsonl", PartName::for_memory(id))
}

fn is_part_name(name: &str) -> bool {
    let part = name.strip_suffix(".jsonl").unwrap_or_default();
    part.parse::<PartName>().is_ok()
}

/// The same lines give the same files in every replica.
fn list_part_files(log: &ReplicaLog) -> BTreeMap<String, Vec<u8>> {
    let parts = split_into_parts(log).into_iter();
    parts
        .map(|(name, lines)| (format!("{name}.jsonl"), lines.into_bytes()))
        .collect()
}
