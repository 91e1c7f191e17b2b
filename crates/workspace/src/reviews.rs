//! Reviews as they come in on this machine: deliveries that wait, the worker that goes through them, and the pull for those
//! whom no host can reach.

pub mod inbox;
pub mod pull;
pub mod receiver;
pub mod worker;

use std::path::PathBuf;

use apostille_core::space::Space;
use apostille_reviews::seen::SeenReviews;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    atomic_file::{lock_private_file, write_file_atomically},
    config::Settings,
    error::CommandError,
    system::System,
};

/// The permissions of what is kept: its owner's alone.
const PRIVATE: u32 = 0o600;

/// The folder in which reviews are kept until they were gone through.
#[derive(Debug, Clone)]
pub struct ReviewFolder {
    folder: PathBuf,
}

/// How far reviews were pulled.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PullState {
    /// When the last pull that went through began, as text.
    #[serde(default)]
    pub pulled_at: Option<String>,
    /// Up to when comments were read.
    #[serde(default)]
    pub since: Option<String>,
    /// What names the state of each listing that was read.
    #[serde(default)]
    pub etags: std::collections::BTreeMap<String, String>,
}

impl ReviewFolder {
    /// The folder of this user.
    pub fn locate(system: &System) -> Result<Self, CommandError> {
        let folder = system.require_data_dir()?.join("reviews");
        Ok(Self { folder })
    }

    /// Waits until nobody else goes through what is kept.
    fn lock_work(&self) -> Result<std::fs::File, CommandError> {
        lock_private_file(&self.folder.join("work.lock")).map_err(CommandError::internal)
    }

    /// Waits until nobody else takes a delivery in. That never takes long: the host waits, whatever the worker does.
    fn lock_inbox(&self) -> Result<std::fs::File, CommandError> {
        lock_private_file(&self.folder.join("inbox.lock")).map_err(CommandError::internal)
    }

    /// What was read before.
    fn read_seen(&self) -> SeenReviews {
        self.read_json("seen.json")
    }

    fn write_seen(&self, seen: &SeenReviews, draw: u128) -> Result<(), CommandError> {
        self.write_json("seen.json", seen, draw)
    }

    /// How far the reviews of a repository were pulled.
    pub fn read_pull_state(&self, repo: &Space) -> PullState {
        self.read_json(&name_pull_file(repo))
    }

    fn write_pull_state(
        &self,
        repo: &Space,
        state: &PullState,
        draw: u128,
    ) -> Result<(), CommandError> {
        self.write_json(&name_pull_file(repo), state, draw)
    }

    /// What cannot be read is as good as not there: it is made anew, and what was read is read again.
    fn read_json<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        let text = std::fs::read(self.folder.join(name)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn write_json(
        &self,
        name: &str,
        value: &impl Serialize,
        draw: u128,
    ) -> Result<(), CommandError> {
        let text = serde_json::to_vec(value).map_err(CommandError::internal)?;
        let path = self.folder.join(name);
        write_file_atomically(&path, &text, Some(PRIVATE), draw).map_err(CommandError::internal)
    }
}

fn name_pull_file(repo: &Space) -> String {
    let digest = apostille_text::digest::Digest::hash_bytes(repo.as_str().as_bytes());
    format!("pull-{}.json", digest.short_hex())
}

/// Whether the user asked for the reviews of this repository.
#[must_use]
pub fn is_wanted(settings: &Settings, repo: &Space) -> bool {
    let host = settings.github_host();
    settings.reviews.repos.has_repository(repo, host)
}

/// The space of a person at the host: the user's own where the name is theirs, and anybody's on a server for many.
fn find_person_space(settings: &Settings, login: &str, is_for_many: bool) -> Option<Space> {
    let own = settings.reviews.login.as_deref();
    let user = settings.user.as_str().strip_prefix("users/");
    let is_own = own
        .or(user)
        .is_some_and(|it| it.eq_ignore_ascii_case(login));
    match (is_own, is_for_many) {
        (true, _) => Some(settings.user.clone()),
        (false, true) => Space::user(&login.to_lowercase()).ok(),
        (false, false) => None,
    }
}
