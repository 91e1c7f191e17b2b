//! Tasks in a checkout: gates in a file of lines, the active one in git's own folder, its state in `NOTES.md`.

mod left_open;
mod notes;
mod started;

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use apostille_cite::citation::RepoPath;
use apostille_tasks::task::{GateAction, GateEvent, Task, TaskSlug, gate, gate::GateLog};
use apostille_text::digest::Digest;
use jiff::Timestamp;

use super::{atomic_file, project_folder::ProjectFolder};
use crate::{config::Settings, error::CommandError, system::System};

/// The file in git's folder that names the active task of a working tree.
const POINTER: &str = "apostille-task";
/// The largest file of gates that is read.
const MAX_LOG: u64 = 4 * 1024 * 1024;
/// The largest file that names a task.
const MAX_POINTER: u64 = 1024;
/// How many tasks of a checkout are looked at.
const MAX_TASKS: usize = 2_000;

/// The tasks of a checkout.
#[derive(Debug, Clone)]
pub struct CheckoutTasks {
    root: PathBuf,
    dir: RepoPath,
    pointer: PathBuf,
    /// The list of tasks that were begun here; `None` where nobody knows this user's folder.
    started: Option<PathBuf>,
    has_notes: bool,
    now: Timestamp,
    session: Option<String>,
    /// For the names of files that are written aside.
    draw: u128,
}

/// The task that is worked on here: one small file, and the gates of that task.
pub fn find_active_task(
    system: &System,
    place: &ProjectFolder,
    settings: &Settings,
) -> Option<Task> {
    CheckoutTasks::for_folder(system, place, settings)
        .ok()?
        .active_task()
}

impl CheckoutTasks {
    /// The tasks of this place.
    pub fn for_folder(
        system: &System,
        place: &ProjectFolder,
        settings: &Settings,
    ) -> Result<Self, CommandError> {
        let data = system.env.data_dir();
        Ok(Self {
            root: place.root.clone(),
            dir: settings.task_dir.clone(),
            pointer: locate_task_pointer(system, place)?,
            started: data.map(|it| locate_user_task_file(&it, place).with_extension("started")),
            has_notes: settings.task_notes,
            now: system.now,
            session: system.env.session_id().map(Into::into),
            draw: (system.random_source())(),
        })
    }

    /// The folder of all tasks, relative to the root.
    pub fn dir(&self) -> &str {
        self.dir.as_str()
    }

    /// The task that is worked on in this working tree: one that was begun, or taken up, here.
    pub fn active_task(&self) -> Option<Task> {
        let pointer = read_task_file(&self.pointer, MAX_POINTER).ok()??;
        let slug = pointer.trim().parse().ok()?;
        let task = self.get(&slug).ok()??;
        (task.is_open() && self.is_started(&slug)).then_some(task)
    }

    /// The task of this name.
    pub fn get(&self, slug: &TaskSlug) -> Result<Option<Task>, CommandError> {
        Ok(Task::from_events(&self.read_gate_log(slug)?.passages).filter(|it| it.slug == *slug))
    }

    /// The gates that a task passed, in their order.
    pub fn gate_events(&self, slug: &TaskSlug) -> Result<Vec<GateEvent>, CommandError> {
        Ok(self.read_gate_log(slug)?.passages)
    }

    fn read_gate_log(&self, slug: &TaskSlug) -> Result<GateLog, CommandError> {
        let path = self.gate_log_path(slug)?;
        let text = read_task_file(&path, MAX_LOG)
            .map_err(|error| build_task_file_error("read", &path, &error))?;
        Ok(gate::parse_gate_log(&text.unwrap_or_default()))
    }

    /// Every task of this checkout, in the order of their beginning.
    pub fn list_tasks(&self) -> Result<Vec<Task>, CommandError> {
        let folder = self.path_without_links(&[])?;
        let entries = fs::read_dir(&folder).into_iter().flatten();
        let mut tasks: Vec<Task> = entries
            .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
            .take(MAX_TASKS)
            .filter_map(|slug| self.get(&slug).ok()?)
            .collect();
        tasks.sort_by(|a, b| (a.started_at, &a.slug).cmp(&(b.started_at, &b.slug)));
        Ok(tasks)
    }

    /// Writes down that a task passes a gate now, and returns the task as it is then.
    pub fn record_gate(&self, slug: &TaskSlug, what: GateAction) -> Result<Task, CommandError> {
        let passage = GateEvent {
            at: self.now,
            task: slug.clone(),
            session: self.session.clone(),
            what,
        };
        self.append_gate(slug, &passage)?;
        self.get(slug)?
            .ok_or_else(|| CommandError::usage(format!("the gates of {slug} cannot be read back")))
    }

    /// One line in one write, so that a process that dies leaves a whole line or none. A line that was torn before stays
    /// a line of its own.
    fn append_gate(&self, slug: &TaskSlug, passage: &GateEvent) -> Result<(), CommandError> {
        if self.read_gate_log(slug)?.is_newer {
            return Err(CommandError::usage(format!(
                "a newer apostille wrote the gates of {slug}; update apostille"
            )));
        }
        let path = self.gate_log_path(slug)?;
        let write = || -> io::Result<()> {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = OpenOptions::new()
                .read(true)
                .append(true)
                .create(true)
                .open(&path)?;
            let is_whole = has_complete_last_line(&mut file)?;
            let gap = if is_whole { "" } else { "\n" };
            file.write_all(format!("{gap}{}\n", passage.to_json_line()).as_bytes())
        };
        write().map_err(|error| build_task_file_error("write", &path, &error))
    }

    /// Makes a task the active one of this working tree, and one of those that were begun here; or none.
    pub fn set_active(&self, slug: Option<&TaskSlug>) -> Result<(), CommandError> {
        slug.map_or(Ok(()), |it| self.record_start(it))?;
        let change = || match slug {
            Some(slug) => atomic_file::write_file_atomically(
                &self.pointer,
                format!("{slug}\n").as_bytes(),
                Some(0o600),
                self.draw,
            ),
            None => remove_if_there(&self.pointer),
        };
        change().map_err(|error| build_task_file_error("write", &self.pointer, &error))
    }

    /// Removes what is kept of a task beside the store: its gates, its place on the list, and that it is active. A folder
    /// that holds something else stays; its path comes back.
    pub fn erase(&self, slug: &TaskSlug) -> Result<Option<PathBuf>, CommandError> {
        let path = self.gate_log_path(slug)?;
        let pointer = read_task_file(&self.pointer, MAX_POINTER).ok().flatten();
        if pointer.is_some_and(|it| it.trim() == slug.as_str()) {
            self.set_active(None)?;
        }
        self.remove_start(slug)
            .and_then(|()| remove_if_there(&path))
            .map_err(|error| build_task_file_error("remove", &path, &error))?;
        let folder = self.path_without_links(&[slug.as_str()])?;
        // Only empty folders go: a person may keep files of their own beside the gates.
        let _ = fs::remove_dir(folder.join("observability"));
        let _ = fs::remove_dir(&folder);
        Ok(folder.exists().then_some(folder))
    }

    fn gate_log_path(&self, slug: &TaskSlug) -> Result<PathBuf, CommandError> {
        self.path_without_links(&[slug.as_str(), "observability", &format!("{slug}.ndjson")])
    }

    /// A path below the folder of tasks, with no link on the way: a link could lead anywhere.
    fn path_without_links(&self, below: &[&str]) -> Result<PathBuf, CommandError> {
        let mut path = self.root.clone();
        for part in self.dir.as_str().split('/').chain(below.iter().copied()) {
            path.push(part);
            if path.is_symlink() {
                let path = path.display();
                let why = format!("'{path}' is a link, and links are not followed here");
                return Err(CommandError::config(why)
                    .with_hint("set task.dir to a folder of the repository"));
            }
        }
        Ok(path)
    }
}

/// Where the active task is named: in git's folder of this working tree, where nothing is committed; outside git, among
/// this user's data.
fn locate_task_pointer(system: &System, place: &ProjectFolder) -> Result<PathBuf, CommandError> {
    match &place.checkout {
        Some(checkout) if checkout.root().is_none() => {
            let fault = CommandError::usage("a bare repository has no files to keep a task in");
            Err(fault.with_hint("go to one of its working trees"))
        }
        Some(checkout) => Ok(checkout.git_dir().join(POINTER)),
        None => Ok(locate_user_task_file(&system.require_data_dir()?, place)),
    }
}

/// The file among this user's data that is about the tasks of a place.
fn locate_user_task_file(data: &Path, place: &ProjectFolder) -> PathBuf {
    let name = Digest::hash_bytes(place.root.as_os_str().as_encoded_bytes()).short_hex();
    data.join("tasks").join(name)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a file is empty or ends with the end of a line.
fn has_complete_last_line(file: &mut fs::File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The text of a small file; `None` if there is none.
fn read_task_file(path: &Path, limit: u64) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
        Ok(it) if !it.is_file() => Ok(None),
        Ok(it) if it.len() > limit => {
            Err(io::Error::new(ErrorKind::FileTooLarge, "it is too large"))
        }
        Ok(_) => Ok(Some(String::from_utf8_lossy(&fs::read(path)?).into_owned())),
    }
}

fn build_task_file_error(deed: &str, path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("cannot {deed} '{}': {error}", path.display()))
}
