//! Whose files: a repository's, or the user's own; and where each client keeps them.

use std::path::{Path, PathBuf};

use apostille_agents::client::Client;
use apostille_agents::settings::part::{Part, Servers, Whose};
use apostille_agents::settings::sharing::Shared;

use super::disk;
use crate::world::Environment;

/// The folders of the clients in the user's home.
#[derive(Debug, Clone)]
pub struct Homes {
    home: PathBuf,
    claude: Option<PathBuf>,
    codex: PathBuf,
    copilot: PathBuf,
    gemini: PathBuf,
    code: PathBuf,
}

/// A repository, as it lies on this machine.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its folder.
    pub root: PathBuf,
    /// Git's own folder, which all its working trees share; it does not come with a clone.
    pub git: PathBuf,
}

/// Whose files are written.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Those of a repository.
    Repository(Repository),
    /// The user's own, for every repository.
    User(Homes),
}

/// A file, and what belongs into it.
#[derive(Debug)]
pub struct Wish {
    /// The file.
    pub path: PathBuf,
    /// Who reads it.
    pub clients: Vec<Client>,
    /// What belongs into it.
    pub parts: Vec<Part>,
    /// Whether it is made when it is not there.
    pub is_made: bool,
}

/// What somebody asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The server.
    pub mcp: bool,
    /// The hooks.
    pub hooks: bool,
    /// The block of rules.
    pub rules: bool,
    /// What a team needs to share memories.
    pub shared: bool,
}

impl Repository {
    /// The files that sharing needs. Where the settings cannot name the store, the others are of no use.
    fn shared(&self) -> impl Iterator<Item = Wish> {
        let config = self.root.join(Shared::Config.as_str());
        let text = disk::text(&config, Some(&self.root))
            .ok()
            .flatten()
            .unwrap_or_default();
        let is_fit = Shared::Config
            .with(text.trim_start_matches('\u{feff}'))
            .is_ok();
        let is_wanted = move |it: &Shared| is_fit || *it == Shared::Config;
        Shared::ALL.into_iter().filter(is_wanted).map(|it| Wish {
            path: self.root.join(it.as_str()),
            clients: Vec::new(),
            parts: vec![Part::Shared(it)],
            is_made: true,
        })
    }
}

impl Homes {
    /// The folders, as the clients themselves find them.
    pub fn of(env: &Environment) -> Option<Self> {
        let home = env.home()?;
        let or = |name: &str, usual: &str| env.path(name).unwrap_or_else(|| home.join(usual));
        let config = match () {
            () if cfg!(windows) => env
                .path("APPDATA")
                .unwrap_or_else(|| home.join("AppData/Roaming")),
            () if cfg!(target_os = "macos") => home.join("Library/Application Support"),
            () => or("XDG_CONFIG_HOME", ".config"),
        };
        Some(Self {
            claude: env.path("CLAUDE_CONFIG_DIR"),
            codex: or("CODEX_HOME", ".codex"),
            copilot: or("COPILOT_HOME", ".copilot"),
            gemini: env
                .path("GEMINI_CLI_HOME")
                .unwrap_or_else(|| home.clone())
                .join(".gemini"),
            code: config.join("Code/User"),
            home,
        })
    }

    /// The folder that is there when a client is in use.
    pub fn of_client(&self, client: Client) -> PathBuf {
        match client {
            Client::ClaudeCode => self
                .claude
                .clone()
                .unwrap_or_else(|| self.home.join(".claude")),
            Client::Codex => self.codex.clone(),
            Client::Copilot => self.copilot.clone(),
            Client::Gemini => self.gemini.clone(),
            Client::Cursor => self.home.join(".cursor"),
            Client::Vscode => self.code.clone(),
        }
    }

    fn files(&self, client: Client) -> (PathBuf, PathBuf) {
        let own = self.of_client(client);
        match client {
            Client::ClaudeCode => {
                let folder = self.claude.as_ref().unwrap_or(&self.home);
                (folder.join(".claude.json"), own.join("settings.json"))
            }
            Client::Codex => (own.join("config.toml"), own.join("hooks.json")),
            Client::Copilot => (
                own.join("mcp-config.json"),
                own.join("hooks/apostille.json"),
            ),
            Client::Gemini => (own.join("settings.json"), own.join("settings.json")),
            Client::Cursor => (own.join("mcp.json"), own.join("hooks.json")),
            Client::Vscode => (
                own.join("mcp.json"),
                self.copilot.join("hooks/apostille.json"),
            ),
        }
    }

    /// The user's own instructions: those that are there, and Codex's, which hide nothing.
    fn rules(&self) -> Vec<Rules> {
        let claude = self.of_client(Client::ClaudeCode).join("CLAUDE.md");
        vec![
            (claude, &[Client::ClaudeCode], false),
            (self.codex.join("AGENTS.md"), &[Client::Codex], true),
            (self.gemini.join("GEMINI.md"), &[Client::Gemini], false),
        ]
    }
}

/// A file of instructions, who reads it, and whether it is made when it is not there.
type Rules = (PathBuf, &'static [Client], bool);

impl Scope {
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
    pub fn bounds(&self, path: &Path) -> Option<&Path> {
        match self {
            Self::Repository(it) if path.starts_with(&it.git) => Some(&it.git),
            Self::Repository(it) => Some(&it.root),
            Self::User(_) => None,
        }
    }

    /// A path as people read it.
    pub fn shown(&self, path: &Path) -> String {
        match (path.strip_prefix(self.root()), self) {
            (Ok(inside), Self::Repository(_)) => inside.display().to_string(),
            (Ok(inside), Self::User(_)) => format!("~/{}", inside.display()),
            (Err(_), _) => path.display().to_string(),
        }
    }

    /// The files of a client: the one with its servers, and the one with its hooks.
    pub fn files(&self, client: Client) -> (PathBuf, PathBuf) {
        let root = match self {
            Self::User(homes) => return homes.files(client),
            Self::Repository(it) => &it.root,
        };
        let (servers, hooks) = match client {
            // A hook in the settings that are committed would fail for whoever has not got the program.
            Client::ClaudeCode => (".mcp.json", ".claude/settings.local.json"),
            Client::Codex => (".codex/config.toml", ".codex/hooks.json"),
            Client::Copilot => (".mcp.json", ".github/hooks/apostille.json"),
            Client::Gemini => (".gemini/settings.json", ".gemini/settings.json"),
            Client::Cursor => (".cursor/mcp.json", ".cursor/hooks.json"),
            Client::Vscode => (".vscode/mcp.json", ".github/hooks/apostille.json"),
        };
        (root.join(servers), root.join(hooks))
    }

    /// How a client's server is written down.
    pub fn servers(&self, client: Client) -> Part {
        let (whose, is_here) = match self {
            Self::Repository(_) => (Whose::Anybody, true),
            Self::User(_) => (Whose::User, false),
        };
        let servers = match client {
            Client::Codex => return Part::Toml(whose),
            Client::Gemini => Servers::Gemini,
            Client::Cursor => Servers::Plain,
            Client::Vscode if is_here => Servers::CodeHere,
            Client::Vscode => Servers::Code,
            Client::Copilot if !is_here => Servers::Copilot,
            Client::ClaudeCode | Client::Copilot => Servers::Claude,
        };
        Part::Server(servers, whose)
    }

    /// The instructions that clients read.
    fn rules(&self) -> Vec<Rules> {
        use Client::{ClaudeCode, Codex, Copilot, Cursor, Gemini, Vscode};
        let root = match self {
            Self::User(homes) => return homes.rules(),
            Self::Repository(it) => &it.root,
        };
        // A new CLAUDE.md would hide AGENTS.md from Claude Code; Gemini CLI reads neither of them.
        vec![
            (
                root.join("AGENTS.md"),
                &[ClaudeCode, Codex, Copilot, Cursor, Vscode],
                true,
            ),
            (
                root.join("CLAUDE.md"),
                &[ClaudeCode, Copilot, Vscode],
                false,
            ),
            (root.join("GEMINI.md"), &[Gemini], false),
        ]
    }

    /// Every file, with what belongs into it, each file once.
    pub fn wishes(&self, clients: &[Client], wanted: Wanted) -> Vec<Wish> {
        let mut wishes: Vec<Wish> = Vec::new();
        for client in clients {
            let (servers, hooks) = self.files(*client);
            if wanted.mcp {
                join(&mut wishes, servers, *client, self.servers(*client));
            }
            if wanted.hooks {
                join(&mut wishes, hooks, *client, Part::hooks(*client));
                self.keep_out(&mut wishes, *client);
            }
        }
        if wanted.rules {
            let rule = |(path, readers, is_made): Rules| {
                let clients: Vec<_> = clients
                    .iter()
                    .copied()
                    .filter(|it| readers.contains(it))
                    .collect();
                (!clients.is_empty()).then_some(Wish {
                    path,
                    is_made,
                    clients,
                    parts: vec![Part::Rules],
                })
            };
            wishes.extend(self.rules().into_iter().filter_map(rule));
        }
        if let (Self::Repository(it), true) = (self, wanted.shared) {
            wishes.extend(it.shared());
        }
        wishes
    }

    /// Personal settings in a repository are not for a commit, unless somebody says so.
    fn keep_out(&self, wishes: &mut Vec<Wish>, client: Client) {
        if let (Self::Repository(it), Client::ClaudeCode) = (self, client) {
            join(wishes, it.git.join("info/exclude"), client, Part::Exclude);
        }
    }
}

fn join(wishes: &mut Vec<Wish>, path: PathBuf, client: Client, part: Part) {
    match wishes.iter_mut().find(|it| it.path == path) {
        None => wishes.push(Wish {
            path,
            clients: vec![client],
            parts: vec![part],
            is_made: true,
        }),
        Some(wish) => {
            if !wish.clients.contains(&client) {
                wish.clients.push(client);
            }
            if !wish.parts.contains(&part) {
                wish.parts.push(part);
            }
        }
    }
}
