//! Who may come through the socket of a server: the record of a token, and [`TokenStore`], the port to where records are
//! kept. Never the token itself: its digest opens nothing.

use apostille_text::{digest::Digest, words::words};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    format::format_timestamp,
    space::{BadSpace, Space},
};

words! {
    /// What somebody may do; each includes what stands before it.
    Access as "access" {
        /// Look.
        Read = "read",
        /// Remember, revise and forget.
        Write = "write",
        /// Decide as a person does: let out of quarantine, reject, close a breaker.
        Review = "review",
    }
}

/// A token: everything but itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// What it is called, which is who wrote what is written with it.
    pub name: String,
    /// The digest of it.
    pub digest: Digest,
    /// The spaces it reaches; `None`: all.
    pub spaces: Option<Vec<Space>>,
    /// The person it works for: the one user's space that it reaches, whatever the list says. `None`: the server's own user.
    pub user: Option<Space>,
    /// What may be done there.
    pub access: Access,
    /// When it was made.
    pub made: Timestamp,
    /// When it ends, if it does.
    pub until: Option<Timestamp>,
}

/// A record as it is written: a row of a table, or an object of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRow {
    /// What it is called.
    pub name: String,
    /// The digest of it, in hexadecimal.
    pub digest: String,
    /// The spaces it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spaces: Option<Vec<String>>,
    /// The space of the person it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The word for what may be done.
    pub access: String,
    /// When it was made.
    pub made: String,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// A row that is no record: what is wrong, without what stands there.
#[derive(Debug, thiserror::Error)]
#[error("the record of the token '{name}' has no {field} that can be read")]
pub struct TokenRowError {
    /// What the token is called.
    pub name: String,
    /// What cannot be read.
    pub field: &'static str,
}

impl TokenRecord {
    /// The record as it is written.
    #[must_use]
    pub fn to_row(&self) -> TokenRow {
        let names = |it: &Vec<Space>| it.iter().map(|it| it.as_str().to_owned()).collect();
        TokenRow {
            name: self.name.clone(),
            digest: self.digest.to_string(),
            spaces: self.spaces.as_ref().map(names),
            user: self.user.as_ref().map(|it| it.as_str().to_owned()),
            access: self.access.to_string(),
            made: format_timestamp(self.made),
            until: self.until.map(format_timestamp),
        }
    }

    /// The record that was written so.
    pub fn from_row(row: TokenRow) -> Result<Self, TokenRowError> {
        let name = row.name.clone();
        let bad = |field| TokenRowError { name, field };
        let read = || {
            let spaces = row
                .spaces
                .map(|it| it.iter().map(|it| it.parse()).collect());
            let user = row.user.map(|it| it.parse::<Space>()).transpose();
            Ok(Self {
                digest: row.digest.parse().map_err(|_| "digest")?,
                spaces: spaces.transpose().map_err(|_: BadSpace| "spaces")?,
                user: user.map_err(|_| "user")?,
                access: row.access.parse().map_err(|_| "access")?,
                made: row.made.parse().map_err(|_| "made")?,
                until: row
                    .until
                    .map(|it| it.parse())
                    .transpose()
                    .map_err(|_| "until")?,
                name: row.name,
            })
        };
        read().map_err(bad)
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|it| it <= now)
    }
}

/// What is kept in one state: another one after each change, and after no other moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenVersion(pub String);

/// Where tokens are kept cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what}")]
pub struct TokenStoreError {
    /// What was to be done, and where.
    pub what: String,
    /// Whether it may go better in a moment: a database that cannot be reached, and no file that is damaged.
    pub is_passing: bool,
    /// What went wrong.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Where tokens are kept: a file of the user's, or a table that several servers share.
///
/// A running server asks for the version with every request, and reads the list again when it is another one. So
/// `read_version` has to be cheap, and what is revoked must be another version before `revoke_token` returns: then it
/// opens nothing at any server any more.
pub trait TokenStore: Send + Sync {
    /// Which state this is. Who reads it before the list misses no change.
    fn read_version(&self) -> Result<TokenVersion, TokenStoreError>;

    /// All of them, by name.
    fn list_tokens(&self) -> Result<Vec<TokenRecord>, TokenStoreError>;

    /// Adds one. `false`: there is one of that name already, and nothing was done.
    fn add_token(&self, token: &TokenRecord) -> Result<bool, TokenStoreError>;

    /// Takes one back; `None`: there is none of that name.
    fn revoke_token(&self, name: &str) -> Result<Option<TokenRecord>, TokenStoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_record_comes_back_from_its_row() {
        let record = TokenRecord {
            name: "ana-claude".into(),
            digest: Digest::hash_bytes(b"secret"),
            spaces: Some(vec!["github.com/acme/app".parse().unwrap()]),
            user: Some("users/ana".parse().unwrap()),
            access: Access::Write,
            made: Timestamp::UNIX_EPOCH,
            until: Timestamp::from_second(86_400).ok(),
        };
        let row = record.to_row();
        assert_eq!(TokenRecord::from_row(row.clone()).unwrap(), record);
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<TokenRow>(&text).unwrap(), row);
        let spoilt = TokenRow {
            digest: "abc".into(),
            ..row
        };
        let told = TokenRecord::from_row(spoilt).unwrap_err().to_string();
        assert_eq!(
            told,
            "the record of the token 'ana-claude' has no digest that can be read"
        );
    }
}
