//! Who may come through the socket of `serve`: tokens by name, kept as digests in a file of the user's.

use std::fs;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use anyhow::Context as _;
use apostille_api::access_token::{Access, AccessToken, TokenRegistry};
use apostille_core::{format, space::Space};
use apostille_text::{digest::Digest, moderate::check_name};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::atomic_file;
use crate::{error::CommandError, system::System};

/// The format that is written.
const VERSION: u32 = 1;
/// Nobody else on the machine reads it.
const MODE: u32 = 0o600;
/// Names that the server itself uses.
const TAKEN: [&str; 3] = ["run", "panel", "anybody"];
const MAX_NAME: usize = 60;

/// A token: everything but itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// What it is called.
    pub name: String,
    /// The digest of it.
    pub digest: Digest,
    /// The spaces it reaches; `None`: all.
    pub spaces: Option<Vec<Space>>,
    /// What may be done there.
    pub access: Access,
    /// When it was made.
    pub made: Timestamp,
    /// When it ends, if it does.
    pub until: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct TokenFileContent {
    version: u32,
    tokens: Vec<TokenRow>,
}

#[derive(Serialize, Deserialize)]
struct TokenRow {
    name: String,
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    spaces: Option<Vec<String>>,
    access: String,
    made: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

impl TokenRecord {
    fn to_row(&self) -> TokenRow {
        let spaces = self.spaces.as_ref();
        TokenRow {
            name: self.name.clone(),
            digest: self.digest.to_string(),
            spaces: spaces.map(|it| it.iter().map(|it| it.as_str().to_owned()).collect()),
            access: self.access.to_string(),
            made: format::format_timestamp(self.made),
            until: self.until.map(format::format_timestamp),
        }
    }

    fn from_row(row: TokenRow) -> anyhow::Result<Self> {
        let spaces = row
            .spaces
            .map(|it| it.iter().map(|it| it.parse()).collect::<Result<_, _>>())
            .transpose()?;
        Ok(Self {
            digest: row.digest.parse()?,
            spaces,
            access: row.access.parse()?,
            made: row.made.parse()?,
            until: row.until.map(|it| it.parse()).transpose()?,
            name: row.name,
        })
    }

    /// Whether it is over.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|it| it <= now)
    }
}

/// Whether a token can be called that.
pub fn check_token_name(name: &str) -> Result<(), CommandError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if TAKEN.contains(&name) {
        return Err(CommandError::usage(format!(
            "'{name}' is the server's own name"
        )));
    }
    check_name(name)
        .map_err(|why| CommandError::usage(format!("this cannot be a token's name: {why}")))?;
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(CommandError::usage(format!(
        "a token is called by at most {MAX_NAME} letters, digits, '.', '_' and '-'"
    )))
}

/// The file of a user's tokens.
#[derive(Debug, Clone)]
pub struct TokenStore(PathBuf);

impl TokenStore {
    /// This user's.
    pub fn for_user(system: &System) -> Result<Self, CommandError> {
        match system.require_data_dir() {
            Ok(folder) => Ok(Self(folder.join("tokens.json"))),
            Err(fault) => Err(fault.with_hint("set HOME")),
        }
    }

    /// All of them, by name.
    pub fn read_tokens(&self) -> Result<Vec<TokenRecord>, CommandError> {
        let tokens = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
            Ok(text) => parse_token_file(&text),
        };
        tokens
            .with_context(|| format!("cannot read '{}'", self.0.display()))
            .map_err(CommandError::internal)
    }

    /// Changes them, one process after the other, whole or not at all.
    pub fn update_tokens<T>(
        &self,
        draw: u128,
        change: impl FnOnce(&mut Vec<TokenRecord>) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let _held = atomic_file::lock_private_file(&self.0.with_extension("lock"))
            .map_err(CommandError::internal)?;
        let mut tokens = self.read_tokens()?;
        let done = change(&mut tokens)?;
        tokens.sort_by(|a, b| a.name.cmp(&b.name));
        let sheet = TokenFileContent {
            version: VERSION,
            tokens: tokens.iter().map(TokenRecord::to_row).collect(),
        };
        let text = serde_json::to_string_pretty(&sheet).map_err(CommandError::internal)? + "\n";
        atomic_file::write_file_atomically(&self.0, text.as_bytes(), Some(MODE), draw)
            .with_context(|| format!("cannot write '{}'", self.0.display()))
            .map_err(CommandError::internal)?;
        Ok(done)
    }
}

fn parse_token_file(text: &str) -> anyhow::Result<Vec<TokenRecord>> {
    #[derive(Deserialize)]
    struct TokenFileVersion {
        version: u32,
    }
    let head: TokenFileVersion = serde_json::from_str(text)?;
    anyhow::ensure!(
        head.version <= VERSION,
        "it has format {}, this program reads up to {VERSION}; update apostille",
        head.version
    );
    let sheet: TokenFileContent = serde_json::from_str(text)?;
    sheet
        .tokens
        .into_iter()
        .map(TokenRecord::from_row)
        .collect()
}

/// How a file looks from outside: its length, when it was changed, and which file it is.
type TokenFileStamp = (u64, Option<SystemTime>, u64);

/// Everybody who is let in: the token of this run, and those of the file as it is now.
pub struct TokenKeyring {
    run: Option<Digest>,
    file: Option<TokenStore>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// What was read of the file, and how it looked then.
    seen: Mutex<(Option<TokenFileStamp>, Vec<TokenRecord>)>,
    /// Whether an agent started this program.
    is_agents: bool,
}

impl TokenKeyring {
    /// The token of this run, or none where everybody is let in; and this user's.
    pub fn new(system: &System, run: Option<&str>) -> Self {
        Self {
            run: run.map(|it| Digest::hash_bytes(it.as_bytes())),
            file: TokenStore::for_user(system).ok(),
            clock: Box::new(system.clock()),
            seen: Mutex::default(),
            is_agents: system.is_started_by_agent(),
        }
    }

    /// A server that an agent started may have been given a list of the agent's own: nobody decides there.
    fn limit_access(&self, access: Access) -> Access {
        match access {
            Access::Review if self.is_agents => Access::Write,
            access => access,
        }
    }

    /// The token of the file, which is read again when it looks otherwise.
    fn find_record(&self, token: &Digest) -> Option<TokenRecord> {
        let file = self.file.as_ref()?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp_token_file(&file.0);
        if seen.0 != stamp {
            // What cannot be read lets nobody in.
            *seen = (stamp, file.read_tokens().unwrap_or_default());
        }
        seen.1.iter().find(|it| it.digest == *token).cloned()
    }
}

/// The file is put in place whole, so that it is another one each time.
fn stamp_token_file(file: &Path) -> Option<TokenFileStamp> {
    let metadata = fs::metadata(file).ok()?;
    let modified = metadata.modified().ok();
    #[cfg(unix)]
    let node = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let node = 0;
    Some((metadata.len(), modified, node))
}

impl TokenRegistry for TokenKeyring {
    fn authenticate_token(&self, token: Option<&Digest>) -> Option<AccessToken> {
        let grant = |name: String, spaces, access| AccessToken {
            name,
            spaces,
            access,
            is_panel: false,
        };
        let run = |name: &str| grant(name.into(), None, Access::Write);
        if token.is_some() && token == self.run.as_ref() {
            return Some(run("run"));
        }
        let kept = token.and_then(|it| self.find_record(it));
        kept.filter(|it| !it.is_expired((self.clock)()))
            .map(|it| grant(it.name, it.spaces, self.limit_access(it.access)))
            .or_else(|| self.run.is_none().then(|| run("anybody")))
    }

    fn expired_since(&self, token: &Digest) -> Option<Timestamp> {
        let now = (self.clock)();
        self.find_record(token)?.until.filter(|it| *it <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str) -> TokenRecord {
        TokenRecord {
            name: name.into(),
            digest: Digest::hash_bytes(name.as_bytes()),
            spaces: Some(vec!["acme/app".parse().unwrap()]),
            access: Access::Read,
            made: Timestamp::UNIX_EPOCH,
            until: Some(Timestamp::UNIX_EPOCH),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = TokenStore(dir.path().join("deep/tokens.json"));
        assert_eq!(tokens.read_tokens().unwrap(), []);
        for name in ["b", "a"] {
            let added = |it: &mut Vec<TokenRecord>| {
                it.push(token(name));
                Ok(())
            };
            tokens.update_tokens(1, added).unwrap();
        }
        assert_eq!(tokens.read_tokens().unwrap(), [token("a"), token("b")]);
    }

    #[test]
    fn a_newer_file_and_a_broken_one_are_said() {
        let check = |text: &str, expected: &str| {
            let told = format!("{:#}", parse_token_file(text).unwrap_err());
            assert!(told.contains(expected), "{told}");
        };
        check(r#"{"version": 2, "tokens": 7}"#, "format 2");
        check(r#"{"version": 1, "tokens": [{"name": "a"}]}"#, "digest");
        check("", "EOF");
    }
}
