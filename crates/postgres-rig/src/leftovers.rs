//! What a run left behind whose guards were killed with it.

use std::{fs, path::Path};

use rustix::process::{Pid, Signal, kill_process};

/// Ends programs and removes folders of processes that are gone. Where there is no `/proc`, nothing is known of them.
pub(crate) fn remove_leftovers() {
    if !Path::new("/proc/self").exists() {
        return;
    }
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(read_owner);
        let is_left = owner.is_some_and(|it| !Path::new(&format!("/proc/{it}")).exists());
        // The guard of a process that has just ended is still at work.
        if is_left && is_old(&entry.path()) {
            end_program(&entry.path());
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(folder: &Path) -> bool {
    let changed = fs::metadata(folder).and_then(|it| it.modified()).ok();
    changed
        .and_then(|it| it.elapsed().ok())
        .is_some_and(|it| it.as_secs() > 60)
}

/// The process in `apostille-postgres-4711-x1y2z3`.
fn read_owner(name: &str) -> Option<u32> {
    let rest = ["postgres", "pgbouncer"]
        .iter()
        .find_map(|it| name.strip_prefix(&format!("apostille-{it}-")))?;
    rest.split('-').next()?.parse().ok()
}

/// A process number may have gone to another program: only one that works in this folder is ended.
fn end_program(folder: &Path) {
    let text = fs::read_to_string(folder.join("guarded.pid")).unwrap_or_default();
    let Some(pid) = text.trim().parse().ok().and_then(Pid::from_raw) else {
        return;
    };
    let works_in = fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero()));
    if works_in.is_ok_and(|it| it.starts_with(folder)) {
        let _ = kill_process(pid, Signal::QUIT);
    }
}
