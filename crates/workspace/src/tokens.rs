//! Who may come through the socket of `serve`: tokens by name, kept as digests in a file of the user's.

use std::fs::{self, Metadata};
use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use apostille_api::access_token::{
    Access, AccessToken, TokenLookup, TokenLookupError, TokenRegistry,
};
use apostille_core::tokens::{TokenRecord, TokenRow, TokenStore, TokenStoreError, TokenVersion};
use apostille_postgres::{PostgresTokens, PostgresUrl};
use apostille_text::{digest::Digest, moderate::check_name};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::atomic_file;
use crate::{
    config::{Settings, StoreUrl},
    error::CommandError,
    system::System,
};

/// The format that is written.
const VERSION: u32 = 1;
/// Nobody else on the machine reads it.
const MODE: u32 = 0o600;
/// Names that the server itself uses.
const TAKEN: [&str; 3] = ["run", "panel", "anybody"];
const MAX_NAME: usize = 60;

#[derive(Serialize, Deserialize)]
struct TokenFileContent {
    version: u32,
    tokens: Vec<TokenRow>,
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

/// Where the tokens of this store are kept. The one place that chooses: beside a store that is a file of this machine, in a
/// file of the user's; a store that several servers share keeps them itself.
pub fn open_token_store(
    system: &System,
    settings: &Settings,
) -> Result<Arc<dyn TokenStore>, CommandError> {
    match &settings.store {
        StoreUrl::Sqlite(_) | StoreUrl::Jsonl(_) => Ok(Arc::new(TokenFile::for_user(system)?)),
        StoreUrl::Postgres(url) => {
            let access = &settings.database;
            let (url, environment) = (PostgresUrl::clone(url), access.environment.clone());
            Ok(Arc::new(PostgresTokens::new(
                url,
                environment,
                access.nonce,
            )))
        }
    }
}

impl From<TokenStoreError> for CommandError {
    fn from(error: TokenStoreError) -> Self {
        Self::internal(error)
    }
}

/// The file of a user's tokens.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
    /// A number that nobody can guess, for the name of the file while it is written.
    draw: u128,
}

impl TokenFile {
    /// This user's.
    pub fn for_user(system: &System) -> Result<Self, CommandError> {
        match system.require_data_dir() {
            Ok(folder) => Ok(Self {
                path: folder.join("tokens.json"),
                draw: (system.random_source())(),
            }),
            Err(fault) => Err(fault.with_hint("set HOME")),
        }
    }

    fn read_records(&self) -> anyhow::Result<Vec<TokenRecord>> {
        match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
            Ok(text) => parse_token_file(&text),
        }
    }

    /// Changes the list, one process after the other, whole or not at all; where `change` has nothing to change, nothing is
    /// written.
    fn update_records<T>(
        &self,
        change: impl FnOnce(&mut Vec<TokenRecord>) -> Option<T>,
    ) -> Result<Option<T>, TokenStoreError> {
        let update = || {
            let _held = atomic_file::lock_private_file(&self.path.with_extension("lock"))?;
            let mut tokens = self.read_records()?;
            let Some(done) = change(&mut tokens) else {
                return Ok(None);
            };
            tokens.sort_by(|a, b| a.name.cmp(&b.name));
            let sheet = TokenFileContent {
                version: VERSION,
                tokens: tokens.iter().map(TokenRecord::to_row).collect(),
            };
            let text = serde_json::to_string_pretty(&sheet)? + "\n";
            let bytes = text.as_bytes();
            atomic_file::write_file_atomically(&self.path, bytes, Some(MODE), self.draw)?;
            Ok(Some(done))
        };
        update().map_err(|error: anyhow::Error| self.build_error("write", error))
    }

    fn build_error(&self, verb: &str, error: anyhow::Error) -> TokenStoreError {
        TokenStoreError {
            what: format!("{verb} '{}'", self.path.display()),
            is_passing: false,
            source: error.into(),
        }
    }
}

impl TokenStore for TokenFile {
    /// The file is put in place whole, so that it is another one each time.
    fn read_version(&self) -> Result<TokenVersion, TokenStoreError> {
        match fs::metadata(&self.path) {
            Ok(metadata) => Ok(TokenVersion(format_file_stamp(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(TokenVersion(String::new()))
            }
            Err(error) => Err(self.build_error("read", error.into())),
        }
    }

    fn list_tokens(&self) -> Result<Vec<TokenRecord>, TokenStoreError> {
        self.read_records()
            .map_err(|error| self.build_error("read", error))
    }

    fn add_token(&self, token: &TokenRecord) -> Result<bool, TokenStoreError> {
        let added = self.update_records(|all| {
            let is_taken = all.iter().any(|it| it.name == token.name);
            (!is_taken).then(|| all.push(token.clone()))
        });
        added.map(|it| it.is_some())
    }

    fn revoke_token(&self, name: &str) -> Result<Option<TokenRecord>, TokenStoreError> {
        self.update_records(|all| {
            let at = all.iter().position(|it| it.name == name)?;
            Some(all.remove(at))
        })
    }
}

/// How a file looks from outside: its length, when it was changed, and which file it is.
fn format_file_stamp(metadata: &Metadata) -> String {
    let modified = metadata.modified().ok();
    #[cfg(unix)]
    let node = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let node = 0;
    format!("{} {modified:?} {node}", metadata.len())
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
    let records = sheet.tokens.into_iter().map(TokenRecord::from_row);
    Ok(records.collect::<Result<_, _>>()?)
}

/// Everybody who is let in: the token of this run, and those that are kept, as they are now.
pub struct TokenKeyring {
    run: Option<Digest>,
    kept: Option<Arc<dyn TokenStore>>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// What was read, and which version it was.
    seen: Mutex<(Option<TokenVersion>, Arc<[TokenRecord]>)>,
    /// Whether an agent started this program.
    is_agents: bool,
    /// Whether everybody is let in who brings none of them.
    is_open: bool,
}

impl TokenKeyring {
    /// The token of this run, where it has one, and the tokens that are kept. `is_open`: everybody is let in.
    pub fn new(
        system: &System,
        run: Option<&str>,
        kept: Option<Arc<dyn TokenStore>>,
        is_open: bool,
    ) -> Self {
        Self {
            run: run.map(|it| Digest::hash_bytes(it.as_bytes())),
            kept,
            clock: Box::new(system.clock()),
            seen: Mutex::new((None, Arc::default())),
            is_agents: system.is_started_by_agent(),
            is_open,
        }
    }

    /// A server that an agent started may have been given a list of the agent's own: nobody decides there.
    fn limit_access(&self, access: Access) -> Access {
        match access {
            Access::Review if self.is_agents => Access::Write,
            access => access,
        }
    }

    /// The records that are kept. What cannot be read lets nobody in; where that may be over in a moment, it is said so.
    fn read_kept(&self) -> Result<Arc<[TokenRecord]>, TokenLookupError> {
        let Some(kept) = &self.kept else {
            return Ok(Arc::default());
        };
        match self.read_latest(&**kept) {
            Err(error) if error.is_passing => Err(TokenLookupError(error.to_string())),
            read => Ok(read.unwrap_or_default()),
        }
    }

    /// The records, which are read again when they are others by now.
    fn read_latest(&self, kept: &dyn TokenStore) -> Result<Arc<[TokenRecord]>, TokenStoreError> {
        let version = kept.read_version()?;
        // Nobody waits here for a list that somebody else reads.
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(known), records) = &*seen()
            && *known == version
        {
            return Ok(Arc::clone(records));
        }
        let records: Arc<[TokenRecord]> = kept.list_tokens()?.into();
        *seen() = (Some(version), Arc::clone(&records));
        Ok(records)
    }

    fn grant_record(&self, it: &TokenRecord) -> AccessToken {
        AccessToken {
            name: it.name.clone(),
            spaces: it.spaces.clone(),
            user: it.user.clone(),
            access: self.limit_access(it.access),
            is_panel: false,
        }
    }
}

/// What whoever has the token of this run may do, or everybody may where it has none.
fn grant_run(name: &str) -> TokenLookup {
    TokenLookup::Granted(AccessToken {
        name: name.into(),
        spaces: None,
        user: None,
        access: Access::Write,
        is_panel: false,
    })
}

impl TokenRegistry for TokenKeyring {
    fn look_up_token(&self, token: Option<&Digest>) -> Result<TokenLookup, TokenLookupError> {
        if token.is_some() && token == self.run.as_ref() {
            return Ok(grant_run("run"));
        }
        let found = match token {
            None => None,
            Some(token) => {
                let kept = self.read_kept()?;
                kept.iter().find(|it| it.digest == *token).cloned()
            }
        };
        let now = (self.clock)();
        Ok(match found {
            Some(it) if !it.is_expired(now) => TokenLookup::Granted(self.grant_record(&it)),
            _ if self.is_open => grant_run("anybody"),
            Some(it) => it.until.map_or(TokenLookup::Unknown, TokenLookup::Expired),
            None => TokenLookup::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_file_keeps_the_contract() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/tokens.json");
        let mut draw = 0;
        apostille_contract::tokens::check_token_store(&mut || {
            draw += 1;
            Box::new(TokenFile {
                path: path.clone(),
                draw,
            })
        });
    }

    /// A place for tokens that answers nothing, for a moment or for good.
    struct SilentStore {
        is_passing: bool,
    }

    impl SilentStore {
        fn build_error(&self) -> TokenStoreError {
            TokenStoreError {
                what: "ask".into(),
                is_passing: self.is_passing,
                source: "nobody answers".into(),
            }
        }
    }

    impl TokenStore for SilentStore {
        fn read_version(&self) -> Result<TokenVersion, TokenStoreError> {
            Err(self.build_error())
        }

        fn list_tokens(&self) -> Result<Vec<TokenRecord>, TokenStoreError> {
            Err(self.build_error())
        }

        fn add_token(&self, _: &TokenRecord) -> Result<bool, TokenStoreError> {
            Err(self.build_error())
        }

        fn revoke_token(&self, _: &str) -> Result<Option<TokenRecord>, TokenStoreError> {
            Err(self.build_error())
        }
    }

    fn keyring(kept: Arc<dyn TokenStore>) -> TokenKeyring {
        TokenKeyring {
            run: Some(Digest::hash_bytes(b"run")),
            kept: Some(kept),
            clock: Box::new(|| Timestamp::UNIX_EPOCH),
            seen: Mutex::new((None, Arc::default())),
            is_agents: false,
            is_open: false,
        }
    }

    #[test]
    fn what_cannot_be_asked_for_a_moment_is_no_refusal() {
        let token = Digest::hash_bytes(b"kept");
        let look = |is_passing: bool, token: &Digest| {
            keyring(Arc::new(SilentStore { is_passing })).look_up_token(Some(token))
        };
        assert!(look(true, &token).is_err());
        assert_eq!(look(false, &token).unwrap(), TokenLookup::Unknown);
        let run = look(true, &Digest::hash_bytes(b"run")).unwrap();
        assert!(matches!(run, TokenLookup::Granted(it) if it.name == "run"));
    }

    #[test]
    fn what_another_process_adds_and_revokes_is_known_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = |draw| TokenFile {
            path: dir.path().join("tokens.json"),
            draw,
        };
        let (keys, other) = (keyring(Arc::new(file(1))), file(2));
        for n in 0..50 {
            let record = TokenRecord {
                name: "ci".into(),
                digest: Digest::hash_bytes(format!("secret {n}").as_bytes()),
                spaces: None,
                user: None,
                access: Access::Read,
                made: Timestamp::UNIX_EPOCH,
                until: None,
            };
            let look = || keys.look_up_token(Some(&record.digest)).unwrap();
            assert_eq!(look(), TokenLookup::Unknown);
            assert!(other.add_token(&record).unwrap());
            assert!(matches!(look(), TokenLookup::Granted(_)));
            other.revoke_token("ci").unwrap();
            assert_eq!(look(), TokenLookup::Unknown);
        }
    }

    #[test]
    fn a_newer_file_and_a_broken_one_are_said() {
        let check = |text: &str, expected: &str| {
            let told = format!("{:#}", parse_token_file(text).unwrap_err());
            assert!(told.contains(expected), "{told}");
        };
        check(r#"{"version": 2, "tokens": 7}"#, "format 2");
        check(
            r#"{"version": 1, "tokens": [{"name": "a"}]}"#,
            "missing field `digest`",
        );
        check("", "EOF");
    }
}
