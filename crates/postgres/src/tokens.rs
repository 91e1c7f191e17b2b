//! Tokens of servers in a table: several servers on one database let the same people in, and none of them is special.

use std::sync::{Arc, Mutex, PoisonError};

use apostille_core::{
    store::StoreError,
    tokens::{TokenRecord, TokenRow, TokenStore, TokenStoreError, TokenVersion},
};

use crate::{
    connection::{SpaceScope, Transaction, TransactionKind},
    environment::PostgresEnvironment,
    error::{PgError, PgResult},
    statement::SqlStatement,
    store::PostgresStore,
    url::PostgresUrl,
};

/// The tokens beside the memories of a database. It is opened when it is asked first, and again where that failed: a server
/// that starts before its database lets people in once it is there.
#[derive(Debug)]
pub struct PostgresTokens {
    url: PostgresUrl,
    environment: PostgresEnvironment,
    nonce: u128,
    open: Mutex<Option<Arc<PostgresStore>>>,
}

impl PostgresTokens {
    /// The tokens of a database; see [`PostgresStore::open`].
    pub fn new(url: PostgresUrl, environment: PostgresEnvironment, nonce: u128) -> Self {
        Self {
            url,
            environment,
            nonce,
            open: Mutex::default(),
        }
    }

    fn store(&self) -> Result<Arc<PostgresStore>, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*open {
            return Ok(Arc::clone(store));
        }
        let store = PostgresStore::open(&self.url, &self.environment, self.nonce)?;
        Ok(Arc::clone(open.insert(Arc::new(store))))
    }

    fn read<T>(
        &self,
        look: impl FnMut(&mut Transaction<'_>) -> PgResult<T>,
    ) -> Result<T, TokenStoreError> {
        let read = self
            .store()
            .and_then(|it| it.read(SpaceScope::Granted, look));
        read.map_err(|error| explain_failure("read the tokens", error))
    }

    fn write<T>(
        &self,
        change: impl FnMut(&mut Transaction<'_>) -> PgResult<T>,
    ) -> Result<T, TokenStoreError> {
        let kind = TransactionKind::Durable;
        let written = self
            .store()
            .and_then(|it| it.write(kind, SpaceScope::Granted, change));
        written.map_err(|error| explain_failure("write the tokens", error))
    }
}

fn explain_failure(what: &str, error: StoreError) -> TokenStoreError {
    TokenStoreError {
        what: format!("{what} of this database"),
        is_passing: matches!(
            error,
            StoreError::Unavailable { .. } | StoreError::Busy { .. }
        ),
        source: error.into(),
    }
}

/// Says with the commit that the tokens are others now.
fn count_version_if(transaction: &mut Transaction<'_>, is_changed: bool) {
    if is_changed {
        let update = "UPDATE apostille_token_version SET version = version + 1";
        transaction.queue(SqlStatement::new(update));
    }
}

fn decode_token_record(record: &str) -> PgResult<TokenRecord> {
    let damaged = || PgError::corrupt("a token");
    let row: TokenRow = serde_json::from_str(record).map_err(|_| damaged())?;
    TokenRecord::from_row(row).map_err(|_| damaged())
}

impl TokenStore for PostgresTokens {
    fn read_version(&self) -> Result<TokenVersion, TokenStoreError> {
        let rows = self.read(|transaction| {
            let select = SqlStatement::new("SELECT version FROM apostille_token_version");
            Ok(transaction
                .finish_with(vec![select])?
                .pop()
                .unwrap_or_default())
        })?;
        let version: i64 = rows
            .first()
            .and_then(|row| row.try_get(0).ok())
            .unwrap_or_default();
        Ok(TokenVersion(version.to_string()))
    }

    fn list_tokens(&self) -> Result<Vec<TokenRecord>, TokenStoreError> {
        self.read(|transaction| {
            let select = SqlStatement::new("SELECT record FROM apostille_token ORDER BY name");
            let rows = transaction
                .finish_with(vec![select])?
                .pop()
                .unwrap_or_default();
            rows.iter()
                .map(|row| decode_token_record(row.try_get(0)?))
                .collect()
        })
    }

    fn add_token(&self, token: &TokenRecord) -> Result<bool, TokenStoreError> {
        let record = serde_json::to_string(&token.to_row()).unwrap_or_default();
        self.write(|transaction| {
            let insert = "INSERT INTO apostille_token(name, record) VALUES ($1, $2) \
                          ON CONFLICT (name) DO NOTHING RETURNING name";
            let insert = SqlStatement::new(insert).text(&token.name).text(&record);
            let is_new = !transaction.query(insert)?.is_empty();
            count_version_if(transaction, is_new);
            Ok(is_new)
        })
    }

    fn revoke_token(&self, name: &str) -> Result<Option<TokenRecord>, TokenStoreError> {
        self.write(|transaction| {
            let delete = "DELETE FROM apostille_token WHERE name = $1 RETURNING record";
            let rows = transaction.query(SqlStatement::new(delete).text(name))?;
            let revoked = rows.first().map(|row| decode_token_record(row.try_get(0)?));
            count_version_if(transaction, revoked.is_some());
            revoked.transpose()
        })
    }
}
