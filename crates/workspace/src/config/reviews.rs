//! Of which repositories reviews are read, and with which secret their deliveries are signed.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use apostille_core::policy::ReviewPolicy;
use apostille_reviews::signature::MIN_SECRET;

use super::{
    SettingKey, github_read::GitHubReadList, parse_name, scalar::ConfigScalar,
    serve::parse_file_path,
};
use crate::error::CommandError;

/// The longest time until a rule expires: ten years.
const MAX_DAYS: usize = 3_650;
/// How much is read of the file with the secret.
const MAX_SECRET: usize = 1_024;

/// What is set about reviews. Without a repository nothing is read, and without a secret nothing is delivered.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ReviewSettings {
    /// Of these repositories.
    pub repos: GitHubReadList,
    /// The secret that deliveries are signed with.
    secret: Option<String>,
    /// The file that holds it, where it is not said itself.
    pub(super) secret_file: Option<PathBuf>,
    /// What the user is called at the host, where that is another name.
    pub login: Option<String>,
}

impl ReviewSettings {
    /// The secret; `None` where none is set.
    pub fn read_secret(&self) -> Result<Option<String>, CommandError> {
        if let Some(secret) = &self.secret {
            return Ok(Some(secret.clone()));
        }
        let Some(path) = &self.secret_file else {
            return Ok(None);
        };
        let fault = |why: String| {
            CommandError::config(format!("reviews.secret_file '{}': {why}", path.display()))
        };
        let text = fs::read_to_string(path).map_err(|it| fault(it.to_string()))?;
        check_secret(text.trim()).map_err(fault)?;
        Ok(Some(text.trim().to_owned()))
    }

    /// Sets what is about reviews.
    pub(super) fn set(
        &mut self,
        policy: &mut ReviewPolicy,
        key: SettingKey,
        scalar: &ConfigScalar,
        (base, home): (&Path, Option<&Path>),
    ) -> Result<(), String> {
        match key {
            SettingKey::ReviewsRepos => self.repos = scalar.as_text()?.parse()?,
            SettingKey::ReviewsSecret => self.secret = Some(parse_secret(scalar)?),
            SettingKey::ReviewsSecretFile => {
                self.secret_file = Some(parse_file_path(scalar, base, home)?);
            }
            SettingKey::ReviewsLogin => self.login = Some(parse_name(scalar)?.into()),
            SettingKey::ReviewsMaintainers => policy.maintainers = scalar.as_count()?,
            SettingKey::ReviewsComments => policy.comments = scalar.as_count()?,
            SettingKey::ReviewsCollaborators => {
                policy.collaborators = scalar.as_positive_number()?;
            }
            SettingKey::ReviewsPulls => policy.pulls = scalar.as_positive_number()?,
            SettingKey::ReviewsExpireDays => {
                let days = scalar.as_number_up_to(MAX_DAYS)?;
                policy.expire_days = i64::try_from(days).map_err(|it| it.to_string())?;
            }
            SettingKey::ReviewsExpireTasks => policy.expire_tasks = scalar.as_count()?,
            other => return Err(format!("{other} is not about reviews")),
        }
        Ok(())
    }

    /// Whether there is a secret, and never what it is.
    pub(super) fn show_secret(&self) -> &'static str {
        match self.secret {
            Some(_) => "set",
            None => "none",
        }
    }
}

/// Without the secret.
impl fmt::Debug for ReviewSettings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ReviewSettings")
            .field("repos", &self.repos)
            .field("secret", &self.show_secret())
            .field("secret_file", &self.secret_file)
            .field("login", &self.login)
            .finish()
    }
}

/// A secret. What is wrong with it is said without repeating it.
fn parse_secret(scalar: &ConfigScalar) -> Result<String, String> {
    let text = scalar.as_text().map_err(|_| "expected a text")?.trim();
    check_secret(text)?;
    Ok(text.to_owned())
}

fn check_secret(text: &str) -> Result<(), String> {
    match text.len() {
        ..MIN_SECRET => Err(format!("a secret has at least {MIN_SECRET} characters")),
        _ if text.len() > MAX_SECRET => Err("this is too long for a secret".into()),
        _ => Ok(()),
    }
}
