//! Tasks in a checkout: gates in a file of lines, the active one in git's own folder, its state in `NOTES.md`.

pub mod files;
mod left_open;
mod notes;
mod started;

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use apostille_cite::citation::RepoPath;
use apostille_files::lock::{secure_private_folder, set_private_mode};
use apostille_tasks::task::{GateAction, GateEvent, Task, TaskSlug, gate, gate::GateLog};
use apostille_text::digest::Digest;
use jiff::Timestamp;

use super::{atomic_file, project_folder::ProjectFolder};
use crate::{
    config::{SettingKey, Settings},
    error::CommandError,
    system::{System, build_no_home_error},
};

/// The file at the root that tells of the active task.
const NOTES_FILE: &str = "NOTES.md";
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
    /// Where the tasks are that write nothing into the repository; `None` where nobody knows this user's folder.
    own: Option<PathBuf>,
    /// Whether a new task writes its gates into the repository.
    is_in_repository: bool,
    pointer: PathBuf,
    /// The list of tasks that were begun here; `None` where nobody knows this user's folder.
    started: Option<PathBuf>,
    /// Whether NOTES.md tells of the active task where it is there, and whether it is made where it is not.
    has_notes: bool,
    makes_notes: bool,
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
        let data_file = data.map(|it| locate_user_task_file(&it, place));
        let is_refused = settings.task_files == Some(false);
        Ok(Self {
            is_in_repository: has_task_files(place, settings),
            own: data_file.as_ref().map(|it| it.with_extension("kept")),
            root: place.root.clone(),
            dir: settings.task_dir.clone(),
            pointer: locate_task_pointer(system, place)?,
            started: data_file.map(|it| it.with_extension("started")),
            has_notes: settings.task_notes && !is_refused,
            makes_notes: settings.task_files == Some(true),
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
        let shared = self.path_without_links(&[]);
        let shared = match self.is_in_repository {
            true => Some(shared?),
            false => shared.ok(),
        };
        let folders = [shared, self.own.clone()].into_iter().flatten();
        let entries = folders.flat_map(|it| fs::read_dir(it).into_iter().flatten());
        let names = entries.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
        let names: BTreeSet<TaskSlug> = names.take(MAX_TASKS).collect();
        let mut tasks: Vec<Task> = names
            .into_iter()
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
            self.create_parent(&path)?;
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true);
            let mut file = self.set_mode_of(&path, &mut options).open(&path)?;
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
        self.remove_files(slug)?;
        self.remove_start(slug)
            .and_then(|()| remove_if_there(&path))
            .map_err(|error| build_task_file_error("remove", &path, &error))?;
        let folder = self.task_folder(slug)?;
        // Only empty folders go: a person may keep files of their own beside the gates.
        let _ = fs::remove_dir(folder.join("observability"));
        let _ = fs::remove_dir(&folder);
        Ok(folder.exists().then_some(folder))
    }

    fn gate_log_path(&self, slug: &TaskSlug) -> Result<PathBuf, CommandError> {
        self.path_in_task(slug, &["observability", &format!("{slug}.ndjson")])
    }

    /// The folder of a task: in the repository where it is there, or where a new one belongs there; else among this user's data.
    fn task_folder(&self, slug: &TaskSlug) -> Result<PathBuf, CommandError> {
        let shared = self.path_without_links(&[slug.as_str()]);
        let is_shared = self.is_in_repository || shared.as_ref().is_ok_and(|it| it.exists());
        let own = self.own.as_ref().map(|it| it.join(slug.as_str()));
        match own {
            Some(own) if own.exists() || !is_shared => Ok(own),
            None if !is_shared => Err(build_no_home_error()),
            _ => shared,
        }
    }

    /// A path below the folder of a task, with no link on the way.
    pub(super) fn path_in_task(
        &self,
        slug: &TaskSlug,
        below: &[&str],
    ) -> Result<PathBuf, CommandError> {
        let mut path = self.task_folder(slug)?;
        for part in below {
            path.push(part);
            let way = match self.is_own(&path) {
                true => "remove the link; the folder is made where it is needed",
                false => NAME_A_FOLDER,
            };
            refuse_link(&path, way)?;
        }
        Ok(path)
    }

    fn is_own(&self, path: &Path) -> bool {
        self.own.as_ref().is_some_and(|it| path.starts_with(it))
    }

    /// Makes the folder of a file; among this user's data nobody else may look into it.
    fn create_parent(&self, path: &Path) -> io::Result<()> {
        let Some(parent) = path.parent() else {
            return Ok(());
        };
        match self.is_own(path) {
            true => secure_private_folder(parent),
            false => fs::create_dir_all(parent),
        }
    }

    fn set_mode_of<'o>(&self, path: &Path, options: &'o mut OpenOptions) -> &'o mut OpenOptions {
        match self.is_own(path) {
            true => set_private_mode(options),
            false => options,
        }
    }

    /// The files that a task writes, as a person knows them: from the root of the repository, or in full where they are among
    /// this user's data.
    pub fn list_written_files(&self, slug: &TaskSlug) -> Result<Vec<String>, CommandError> {
        let gates = self.gate_log_path(slug)?;
        let name = |path: &Path| {
            let below = path.strip_prefix(&self.root).unwrap_or(path);
            below.display().to_string()
        };
        let notes = self.root.join(NOTES_FILE);
        let has_notes = self.has_notes && (self.makes_notes || notes.is_file());
        let files = [Some(name(&gates)), has_notes.then(|| name(&notes))];
        Ok(files.into_iter().flatten().collect())
    }

    /// A path below the folder of tasks, with no link on the way: a link could lead anywhere.
    fn path_without_links(&self, below: &[&str]) -> Result<PathBuf, CommandError> {
        let mut path = self.root.clone();
        for part in self.dir.as_str().split('/').chain(below.iter().copied()) {
            path.push(part);
            refuse_link(&path, NAME_A_FOLDER)?;
        }
        Ok(path)
    }
}

/// The way out where the repository's own folder of tasks is a link.
const NAME_A_FOLDER: &str = "set task.dir to a folder of the repository";

fn refuse_link(path: &Path, way: &str) -> Result<(), CommandError> {
    if !path.is_symlink() {
        return Ok(());
    }
    let path = path.display();
    let why = format!("'{path}' is a link, and links are not followed here");
    Err(CommandError::config(why).with_hint(way))
}

/// Whether a new task writes its gates into the repository: where somebody asks for it, names a folder for them, or where the
/// repository has such a folder.
fn has_task_files(place: &ProjectFolder, settings: &Settings) -> bool {
    let is_named = settings.is_set(SettingKey::TaskDir);
    let first = settings.task_dir.as_str().split('/').next();
    let is_there = || first.is_some_and(|it| place.root.join(it).is_dir());
    settings
        .task_files
        .unwrap_or_else(|| is_named || is_there())
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
