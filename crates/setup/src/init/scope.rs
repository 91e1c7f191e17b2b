//! Whose files: a repository's, or the user's own; and where each client keeps them.

use std::path::{Path, PathBuf};

use apostille_agents::{
    client::Client,
    clients::{ClientProfile, find_client_profile, list_client_profiles},
    settings::{
        layout::{UserFiles, UserFolders, choose_settings_file},
        server::{ServerEntry, SettingsOwner},
        settings_part::SettingsPart,
        sharing::SharingFile,
    },
};

use super::file_changes::{self, FileSnapshot};
use apostille_terminal::args::InitArgs;
use apostille_workspace::system::Environment;

/// The user's home, and where the clients keep their files in it.
pub struct ClientHomes {
    home: PathBuf,
    files: Vec<(Client, UserFiles)>,
}

/// A repository, as it lies on this machine.
pub struct LocalRepository {
    /// Its folder.
    pub root: PathBuf,
    /// Git's own folder, which all its working trees share; it does not come with a clone.
    pub git: PathBuf,
}

/// Whose files are written.
pub enum InitScope {
    /// Those of a repository.
    Repository(LocalRepository),
    /// The user's own, for every repository.
    User(ClientHomes),
}

/// A file, and what belongs into it.
pub struct DesiredFile {
    /// The file.
    pub path: PathBuf,
    /// Who reads it.
    pub clients: Vec<Client>,
    /// What belongs into it.
    pub parts: Vec<SettingsPart>,
    /// Whether it is made when it is not there.
    pub is_made: bool,
}

impl LocalRepository {
    /// The files that sharing needs. Where the settings cannot name the store, the others are of no use.
    fn sharing_files(&self) -> impl Iterator<Item = DesiredFile> {
        let config = self.root.join(SharingFile::Config.as_str());
        let text = file_changes::read_settings_text(&config, Some(&self.root)).ok();
        let text = text.flatten().unwrap_or_default();
        let text = text.trim_start_matches('\u{feff}');
        let is_fit = SharingFile::Config.put_into(text).is_ok();
        let is_wanted = move |it: &SharingFile| is_fit || *it == SharingFile::Config;
        SharingFile::ALL
            .iter()
            .copied()
            .filter(is_wanted)
            .map(|it| DesiredFile {
                path: self.root.join(it.as_str()),
                clients: Vec::new(),
                parts: vec![SettingsPart::Shared(it)],
                is_made: true,
            })
    }
}

impl ClientHomes {
    /// The folders, as the clients themselves find them.
    pub fn from_environment(env: &Environment) -> Option<Self> {
        let home = env.home_dir()?;
        let folders = UserFolders {
            home: home.clone(),
            variable: &|name| env.absolute_path(name),
        };
        let files = |it: &ClientProfile| (it.client, (it.settings.find_user_files)(&folders));
        Some(Self {
            files: list_client_profiles().map(files).collect(),
            home,
        })
    }

    /// Where a client keeps its files.
    pub fn user_files(&self, client: Client) -> &UserFiles {
        let mut files = self.files.iter();
        let found = files.find(|(it, _)| *it == client);
        &found.unwrap_or(&self.files[0]).1
    }
}

impl InitScope {
    /// The word for it in `--json` and in what is kept.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Repository(_) => "repository",
            Self::User(_) => "user",
        }
    }

    /// The folder that it is about.
    pub fn root(&self) -> &Path {
        match self {
            Self::Repository(it) => &it.root,
            Self::User(homes) => &homes.home,
        }
    }

    /// The folder that the links of a file may not lead out of: a repository is not trusted.
    pub fn link_boundary(&self, path: &Path) -> Option<&Path> {
        match self {
            Self::Repository(it) if path.starts_with(&it.git) => Some(&it.git),
            Self::Repository(it) => Some(&it.root),
            Self::User(_) => None,
        }
    }

    /// Looks at a file that is to be changed.
    pub(super) fn read_snapshot(&self, path: &Path) -> Result<FileSnapshot, String> {
        file_changes::read_file_snapshot(path, self.link_boundary(path))
    }

    /// The text of a file; nothing, if it is not there.
    pub fn read_text(&self, path: &Path) -> Result<Option<String>, String> {
        file_changes::read_settings_text(path, self.link_boundary(path))
    }

    /// A path as people read it.
    pub fn display_path(&self, path: &Path) -> String {
        match (path.strip_prefix(self.root()), self) {
            (Ok(inside), Self::Repository(_)) => inside.display().to_string(),
            (Ok(inside), Self::User(_)) => format!("~/{}", inside.display()),
            (Err(_), _) => path.display().to_string(),
        }
    }

    /// The file of a client with its servers, where it reads one.
    pub fn servers_file(&self, client: Client) -> Option<PathBuf> {
        match self {
            Self::User(homes) => Some(homes.user_files(client).servers.clone()),
            Self::Repository(it) => {
                let files = &find_client_profile(client).settings;
                choose_settings_file(&it.root, files.servers)
            }
        }
    }

    /// The file of a client with its hooks, where it has hooks.
    pub fn hooks_file(&self, client: Client) -> Option<PathBuf> {
        match self {
            Self::User(homes) => homes.user_files(client).hooks.clone(),
            Self::Repository(it) => {
                let files = &find_client_profile(client).settings;
                files.hooks_file.map(|file| it.root.join(file))
            }
        }
    }

    /// How a client's server is written down, and whose word that is.
    pub fn server_entry(&self, client: Client) -> (&'static ServerEntry, SettingsOwner) {
        let settings = &find_client_profile(client).settings;
        match self {
            Self::Repository(_) => (settings.server, SettingsOwner::Anybody),
            Self::User(_) => (settings.user_server, SettingsOwner::User),
        }
    }

    /// The instructions that clients read, each file once.
    fn instruction_files(&self) -> Vec<DesiredFile> {
        let mut wishes: Vec<DesiredFile> = Vec::new();
        let mut add = |path, client, is_made| {
            merge_desired_file(&mut wishes, path, client, SettingsPart::Rules).is_made = is_made;
        };
        for profile in list_client_profiles() {
            let client = profile.client;
            match self {
                Self::Repository(it) => {
                    for instructions in profile.settings.instructions {
                        add(
                            it.root.join(instructions.file),
                            client,
                            instructions.is_made,
                        );
                    }
                }
                Self::User(homes) => {
                    if let Some((path, is_made)) = homes.user_files(client).instructions.clone() {
                        add(path, client, is_made);
                    }
                }
            }
        }
        wishes
    }

    /// Every file, with what belongs into it, each file once.
    pub fn desired_files(&self, clients: &[Client], args: &InitArgs) -> Vec<DesiredFile> {
        let mut wishes: Vec<DesiredFile> = Vec::new();
        for client in clients.iter().copied() {
            let mut want = |path, part| {
                merge_desired_file(&mut wishes, path, client, part);
            };
            let settings = &find_client_profile(client).settings;
            if let Some(file) = self.servers_file(client).filter(|_| !args.no_mcp) {
                let (server, whose) = self.server_entry(client);
                want(file, SettingsPart::Server(server, whose));
            }
            let hooks = self.hooks_file(client).zip(settings.hooks);
            if let Some((file, layout)) = hooks.filter(|_| !args.no_hooks) {
                want(file, SettingsPart::Hooks(layout));
                // Personal settings in a repository are not for a commit, unless somebody says so.
                if let (Self::Repository(it), Some(line)) = (self, settings.excluded) {
                    want(it.git.join("info/exclude"), SettingsPart::Exclude(line));
                }
            }
        }
        if !args.no_rules {
            for mut wish in self.instruction_files() {
                wish.clients.retain(|it| clients.contains(it));
                wishes.extend((!wish.clients.is_empty()).then_some(wish));
            }
        }
        if let (Self::Repository(it), true) = (self, args.shared) {
            wishes.extend(it.sharing_files());
        }
        wishes
    }
}

/// Wishes for this part in a file, which is there once.
fn merge_desired_file(
    wishes: &mut Vec<DesiredFile>,
    path: PathBuf,
    client: Client,
    part: SettingsPart,
) -> &mut DesiredFile {
    let known = wishes.iter().position(|it| it.path == path);
    let at = known.unwrap_or(wishes.len());
    if known.is_none() {
        wishes.push(DesiredFile {
            path,
            clients: Vec::new(),
            parts: Vec::new(),
            is_made: true,
        });
    }
    let wish = &mut wishes[at];
    if !wish.clients.contains(&client) {
        wish.clients.push(client);
    }
    if !wish.parts.contains(&part) {
        wish.parts.push(part);
    }
    wish
}
