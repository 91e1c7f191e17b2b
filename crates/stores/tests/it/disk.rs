//! Disks that are full or read-only (bars R4 and R5): a typed error, reading goes on, and writing too when there is room.

use std::path::Path;
use std::process::{Command, Stdio};

use apostille_core::{
    recall::{RecallRequest, recall},
    store::StoreError,
};

use crate::rig::{STORES, Writer, all, fact, keep, open, space, with_context};

#[test]
fn a_file_that_may_not_grow_gives_a_typed_error_and_loses_nothing() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        keep(&*open(kind, &path).unwrap(), fact("it was kept before")).unwrap();
        let said = Writer::spawn_cramped(kind, &path, 600).finish();
        let (last, acked) = said.split_last().unwrap();
        assert_eq!(
            last, "failed the disk is full; nothing was written",
            "{kind}"
        );
        let store = open(kind, &path).unwrap();
        let found: Vec<String> = all(&*store)
            .unwrap()
            .iter()
            .map(|it| format!("ack {}", it.id))
            .collect();
        assert!(acked.iter().all(|it| found.contains(it)), "{kind}");
        keep(&*store, fact("it was kept after")).unwrap();
    }
}

/// A small file system of its own, where the machine lets us have one.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    fn mounted(path: &'a Path) -> Option<Self> {
        let size = ["-t", "tmpfs", "-o", "size=600k", "tmpfs"];
        run(Command::new("mount").args(size).arg(path)).then_some(Self(path))
    }

    fn remount(&self, how: &str) -> bool {
        run(Command::new("mount")
            .args(["-o", &format!("remount,{how}")])
            .arg(self.0))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        run(Command::new("umount").arg("-l").arg(self.0));
    }
}

fn run(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|it| it.success())
}

#[test]
fn a_full_disk_gives_a_typed_error_and_room_mends_it() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let Some(_small) = Small::mounted(dir.path()) else {
            return println!(
                "a file system cannot be mounted here; the cramped file stands in for it"
            );
        };
        let path = dir.path().join(file);
        let store = open(kind, &path).unwrap();
        let mut n_kept = 0;
        let error = loop {
            match keep(
                &*store,
                fact(format!("fact {n_kept} fills the disk {}", "x ".repeat(200))),
            ) {
                Ok(_) => n_kept += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Full), "{kind}: {error}");
        assert_eq!(
            all(&*store).unwrap().len(),
            n_kept,
            "{kind}: reading goes on"
        );
        assert_eq!(
            all(&*open(kind, &path).unwrap()).unwrap().len(),
            n_kept,
            "{kind}: in another process too"
        );
        assert!(_small.remount("size=4m"));
        keep(&*store, fact("there is room again")).unwrap();
        assert_eq!(all(&*store).unwrap().len(), n_kept + 1, "{kind}");
    }
}

#[test]
fn a_read_only_folder_can_be_read() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let small = Small::mounted(dir.path());
        let path = dir.path().join(file);
        keep(&*open(kind, &path).unwrap(), fact("written before")).unwrap();
        match &small {
            Some(small) => assert!(small.remount("ro")),
            None => set_read_only(dir.path(), true),
        }
        let store = open(kind, &path).unwrap();
        assert_eq!(all(&*store).unwrap().len(), 1, "{kind}");
        let error = keep(&*store, fact("not to be")).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly), "{kind}: {error:?}");
        if small.is_none() {
            set_read_only(dir.path(), false);
        }
    }
}

fn set_read_only(dir: &Path, yes: bool) {
    let mut permissions = std::fs::metadata(dir).unwrap().permissions();
    permissions.set_readonly(yes);
    std::fs::set_permissions(dir, permissions).unwrap();
}

#[test]
fn processes_that_only_look_do_not_let_the_log_grow_without_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memories.db");
    let keep_one = |n: usize| {
        keep(
            &*open("sqlite", &path).unwrap(),
            fact(format!("fact {n} about the scheduler")),
        )
    };
    (0..60).for_each(|n| drop(keep_one(n).unwrap()));
    let ask = RecallRequest {
        text: "scheduler".into(),
        spaces: vec![space()],
        ..RecallRequest::default()
    };
    let longest = (0..200).map(|_| {
        // As a hook does: open, ask, log, close.
        let store = open("sqlite", &path).unwrap();
        with_context(&*store, |cx| recall(cx, &ask)).unwrap();
        drop(store);
        std::fs::metadata(dir.path().join("memories.db-wal")).map_or(0, |it| it.len())
    });
    let longest = longest.max().unwrap();
    assert!(longest < 2 * 1024 * 1024, "{longest} bytes");
}
