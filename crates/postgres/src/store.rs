//! The store: each call of the port as a transaction, run again where the database asks for it or went away.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use apostille_core::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, LoggedEvent, Precondition},
    memory::{Layer, Memory},
    space::Space,
    store::{
        AppendReceipt, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary,
        Store, StoreError, StoreHealth, StoreResult, breaker_state::BreakerState,
        shelf::ReplicaShelf,
    },
};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    connection::{ConnectionPool, SpaceScope, Transaction, TransactionKind, UncertainCommit},
    embeddings,
    environment::PostgresEnvironment,
    erase,
    error::{PgError, PgResult},
    health,
    read::{self, IndexView},
    schema::{self, SpaceGrant},
    settings::connect_settings,
    url::{PostgresUrl, PostgresUrlError},
    write::{self, BatchAttempt},
    write_rows,
};

/// How many connections one process has at most.
const MOST_CONNECTIONS: usize = 8;
/// How long a write goes on looking for a database that went away: a failover takes some seconds.
const WRITE_PATIENCE: Duration = Duration::from_secs(15);
/// How often a read is tried.
const READ_TRIES: u32 = 3;
/// How often a transaction is run again that the database took back because of another.
const SERIALIZATION_TRIES: u32 = 12;
/// The first pause between two tries; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Memories in a Postgres database.
pub struct PostgresStore {
    pool: ConnectionPool,
    name: String,
    /// What the ids of this process's batches are made of.
    nonce: u128,
    n_batches: AtomicU64,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("PostgresStore").field(&self.name).finish()
    }
}

impl PostgresStore {
    /// Opens the store of a database. Its tables are made where there are none and the role may make some. `nonce` is random:
    /// by it a write whose answer was lost is told from those of other processes.
    pub fn open(
        url: &PostgresUrl,
        environment: &PostgresEnvironment,
        nonce: u128,
    ) -> StoreResult<Self> {
        let settings =
            connect_settings(url, environment).map_err(|it| unusable_address(url, &it))?;
        let store = Self {
            pool: ConnectionPool::new(settings, MOST_CONNECTIONS, Some(nonce)),
            name: url.to_string(),
            nonce,
            n_batches: AtomicU64::new(0),
        };
        store.pool.with_connection(schema::ensure_schema)?;
        Ok(store)
    }

    /// Reads within one transaction.
    pub(crate) fn read<T>(
        &self,
        scope: SpaceScope<'_>,
        mut look: impl FnMut(&mut Transaction<'_>) -> PgResult<T>,
    ) -> StoreResult<T> {
        let mut pause = PAUSE;
        let mut tries = 1;
        loop {
            let done = self.pool.with_connection(|connection| {
                look(&mut connection.begin(TransactionKind::Read, scope))
            });
            match done {
                Err(error) if tries < READ_TRIES && self.is_worth_another_try(&error) => {
                    tries += 1;
                    pause = wait_longer(pause);
                }
                other => return Ok(other?),
            }
        }
    }

    /// Whether the same may work on another connection. One that answered nothing in time is not asked again: somebody waits.
    fn is_worth_another_try(&self, error: &PgError) -> bool {
        if error.is_lost_connection() {
            self.pool.drop_idle();
        }
        match error {
            PgError::TimedOut(_) | PgError::Connect(_) => false,
            error => error.is_lost_connection() || error.is_serialization_failure(),
        }
    }

    /// Writes within one transaction.
    pub(crate) fn write<T>(
        &self,
        kind: TransactionKind,
        scope: SpaceScope<'_>,
        change: impl FnMut(&mut Transaction<'_>) -> PgResult<T>,
    ) -> StoreResult<T> {
        Ok(self.try_write(kind, scope, change)?)
    }

    /// Writes within one transaction, again where the database asks for it, and again on another connection where it went
    /// away. `change` runs up to the commit, and finds out for itself whether an earlier try was written after all.
    fn try_write<T>(
        &self,
        kind: TransactionKind,
        scope: SpaceScope<'_>,
        mut change: impl FnMut(&mut Transaction<'_>) -> PgResult<T>,
    ) -> Result<T, LostWrite> {
        let begun = Instant::now();
        let (mut pause, mut tries, mut is_uncertain) = (PAUSE, 1, false);
        loop {
            let done = self.pool.with_connection(|connection| {
                let mut transaction = connection.begin(kind, scope);
                let done = change(&mut transaction)?;
                Ok(match transaction.commit()? {
                    Ok(()) => Ok(done),
                    Err(UncertainCommit(error)) => Err(error),
                })
            });
            let error = match done {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(error)) => {
                    is_uncertain = true;
                    error
                }
                Err(error) => error,
            };
            let may_retry = if error.is_serialization_failure() {
                tries < SERIALIZATION_TRIES
            } else {
                kind == TransactionKind::Durable
                    && error.is_lost_connection()
                    && begun.elapsed() < WRITE_PATIENCE
            };
            if !may_retry {
                return Err(LostWrite {
                    error,
                    is_uncertain,
                });
            }
            if error.is_lost_connection() {
                self.pool.drop_idle();
            }
            tries += 1;
            pause = wait_longer(pause);
        }
    }

    fn next_batch_id(&self) -> Uuid {
        let n = self.n_batches.fetch_add(1, Ordering::Relaxed);
        Uuid::from_u128(self.nonce.wrapping_add(u128::from(n) << 64))
    }

    /// Makes the index of a space anew, alone.
    fn rebuild_index(&self, space: &Space) -> StoreResult<()> {
        self.write(
            TransactionKind::Durable,
            SpaceScope::One(space),
            |transaction| {
                transaction.queue(write_rows::lock_spaces(vec![space.as_str().into()]));
                write::rebuild_space_index(transaction, space)
            },
        )
    }

    /// Reads terms or postings; an index that an earlier version of the analyser made is made anew first.
    fn read_current_postings(
        &self,
        space: &Space,
        terms: &[String],
    ) -> StoreResult<Option<Postings>> {
        let view = self.read(SpaceScope::One(space), |it| {
            read::read_postings(it, space, terms)
        })?;
        Ok(match view {
            IndexView::Current(postings) => Some(postings),
            IndexView::Outdated => None,
        })
    }
}

/// An address that leads to no connection, with what is wrong with it.
pub(crate) fn unusable_address(url: &PostgresUrl, error: &PostgresUrlError) -> StoreError {
    StoreError::Unavailable {
        what: format!("the address {url} cannot be used"),
        source: error.to_string().into(),
    }
}

/// Waits, and says how long to wait the next time.
fn wait_longer(pause: Duration) -> Duration {
    thread::sleep(pause);
    LONGEST_PAUSE.min(pause * 2)
}

/// A write that was given up.
struct LostWrite {
    error: PgError,
    /// Whether a commit was sent whose answer was lost.
    is_uncertain: bool,
}

impl From<LostWrite> for StoreError {
    /// A write of which nobody knows whether it was kept must not be told as one that was not.
    fn from(lost: LostWrite) -> Self {
        if lost.is_uncertain && lost.error.is_lost_connection() {
            return Self::Unavailable {
                what:
                    "the team's store went away while it was written to; look whether this was kept"
                        .into(),
                source: lost.error.to_string().into(),
            };
        }
        Self::from(lost.error)
    }
}

/// Which spaces a batch is about. What is expected of a memory that no event is about may be in any.
fn find_batch_scope(batch: &Batch) -> SpaceScope<'_> {
    let is_about = |id| batch.events().iter().any(|it| it.memory == Some(id));
    let is_at_home = |it: &Precondition| match it {
        Precondition::Unmoved(id, _) => is_about(*id),
        Precondition::NoTwin(..) | Precondition::IdentityChars(..) => true,
    };
    match batch.events() {
        [first, rest @ ..]
            if rest.iter().all(|it| it.space == first.space)
                && batch.preconditions().iter().all(is_at_home) =>
        {
            SpaceScope::One(&first.space)
        }
        _ => SpaceScope::Granted,
    }
}

impl EventLog for PostgresStore {
    fn append_batch(&self, batch: &Batch) -> StoreResult<AppendReceipt> {
        let kind = if batch.is_durable() {
            TransactionKind::Durable
        } else {
            TransactionKind::Telemetry
        };
        let mut attempt = BatchAttempt {
            id: self.next_batch_id(),
            ..BatchAttempt::default()
        };
        let written = self.try_write(kind, find_batch_scope(batch), |transaction| {
            write::append_batch(transaction, batch, &mut attempt)
        });
        match written {
            // What a role was shown that may only read is not logged: it may not write that either.
            Err(lost) if lost.error.is_refused_privilege() && write::is_telemetry(batch) => {
                Ok(AppendReceipt::default())
            }
            other => Ok(other?),
        }
    }

    fn erase_memory(&self, erasure: &Erasure) -> StoreResult<bool> {
        let (id, mut was_there) = (self.next_batch_id(), false);
        let scope = SpaceScope::One(&erasure.tombstone().space);
        self.write(TransactionKind::Durable, scope, |transaction| {
            // Erased by a try whose answer was lost: it was there then.
            was_there |= erase::erase_memory(transaction, erasure, id)?;
            Ok(was_there)
        })
    }

    fn get_memories(&self, keys: MemoryKeys) -> StoreResult<Vec<Memory>> {
        let scope = match keys {
            MemoryKeys::Ids([]) | MemoryKeys::Numbers(_, []) => return Ok(Vec::new()),
            MemoryKeys::Ids(_) => SpaceScope::Granted,
            MemoryKeys::Numbers(space, _) | MemoryKeys::Claim(space, _) => SpaceScope::One(space),
        };
        self.read(scope, |it| read::read_memories(it, keys))
    }

    fn list_memories(&self, filter: &MemoryFilter) -> StoreResult<Vec<Memory>> {
        let all = if filter.spaces.is_empty() {
            self.list_spaces()?
        } else {
            Vec::new()
        };
        let spaces = if all.is_empty() { &filter.spaces } else { &all };
        let mut found = Vec::new();
        for space in spaces {
            found.extend(self.read(SpaceScope::One(space), |it| {
                read::list_space_memories(it, space, filter)
            })?);
        }
        filter.sort_memories(&mut found);
        found.truncate(filter.limit);
        Ok(found)
    }

    fn list_active_numbers(
        &self,
        space: &Space,
        layers: &[Layer],
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.read(SpaceScope::One(space), |it| {
            read::list_active_numbers(it, space, layers, most)
        })
    }

    fn retain_active_numbers(
        &self,
        space: &Space,
        numbers: &[u64],
        layers: &[Layer],
    ) -> StoreResult<Vec<u64>> {
        self.read(SpaceScope::One(space), |it| {
            read::retain_active_numbers(it, space, numbers, layers)
        })
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> StoreResult<Vec<LoggedEvent>> {
        self.read(SpaceScope::One(space), |it| {
            read::read_events(it, space, page)
        })
    }

    fn list_spaces(&self) -> StoreResult<Vec<Space>> {
        self.read(SpaceScope::Granted, read::read_spaces)
    }

    fn summarize_space(&self, space: &Space) -> StoreResult<SpaceSummary> {
        self.read(SpaceScope::One(space), |it| {
            read::summarize_space(it, space)
        })
    }

    fn check_health(&self) -> StoreResult<StoreHealth> {
        let mut problems = self.read(SpaceScope::Granted, health::find_database_problems)?;
        for space in self.list_spaces()? {
            problems.extend(self.read(SpaceScope::One(&space), |it| {
                health::find_space_problems(it, &space)
            })?);
        }
        Ok(StoreHealth {
            name: self.name.clone(),
            problems,
        })
    }
}

impl Store for PostgresStore {
    fn replica_shelf(&self) -> Option<&dyn ReplicaShelf> {
        Some(self)
    }

    fn read_postings(&self, space: &Space, terms: &[String]) -> StoreResult<Postings> {
        if let Some(postings) = self.read_current_postings(space, terms)? {
            return Ok(postings);
        }
        self.rebuild_index(space)?;
        let postings = self.read_current_postings(space, terms)?;
        Ok(postings.unwrap_or_default())
    }

    fn list_terms(&self, space: &Space, initial: char) -> StoreResult<Vec<String>> {
        self.read(SpaceScope::One(space), |it| {
            read::read_terms(it, space, Some(initial))
        })
    }

    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> StoreResult<Vec<String>> {
        let mut terms = self.read(SpaceScope::One(space), |it| {
            read::read_terms(it, space, None)
        })?;
        terms.retain(|it| is_wanted(it));
        Ok(terms)
    }

    fn read_breaker_state(&self, space: &Space, since: Timestamp) -> StoreResult<BreakerState> {
        self.read(SpaceScope::One(space), |it| {
            read::read_breaker_state(it, space, since)
        })
    }

    fn list_cited_paths(&self, space: &Space) -> StoreResult<Vec<String>> {
        self.read(SpaceScope::One(space), |it| {
            read::list_cited_paths(it, space)
        })
    }

    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> StoreResult<Vec<MemoryEmbedding>> {
        self.read(SpaceScope::One(space), |it| {
            embeddings::read_embeddings(it, space, model)
        })
    }

    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> StoreResult<usize> {
        self.write(TransactionKind::Telemetry, SpaceScope::One(space), |it| {
            embeddings::write_embeddings(it, space, model, embeddings)
        })
    }

    fn remove_embeddings(&self, model: &EmbeddingModel) -> StoreResult<()> {
        self.write(TransactionKind::Telemetry, SpaceScope::Granted, |it| {
            embeddings::remove_embeddings(it, model);
            Ok(())
        })
    }
}

/// Makes the tables of a database or brings them up to date, and lets roles use spaces. The role that connects owns them.
pub fn prepare_database(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
    grants: &[SpaceGrant],
) -> StoreResult<()> {
    administer(url, environment, |connection| {
        schema::migrate(connection)?;
        grants
            .iter()
            .try_for_each(|it| schema::grant_space(connection, it))
    })
}

/// Takes a space from a role, or every space. Whether it had any of them.
pub fn revoke_grants(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
    member: &str,
    space: Option<&Space>,
) -> StoreResult<bool> {
    administer(url, environment, |it| {
        schema::revoke_space(it, member, space)
    })
}

/// Who may use which spaces; of a role that does not own the tables, its own alone.
pub fn list_grants(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
) -> StoreResult<Vec<SpaceGrant>> {
    administer(url, environment, schema::list_grants)
}

fn administer<T>(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
    work: impl FnOnce(&crate::connection::PgConnection) -> PgResult<T>,
) -> StoreResult<T> {
    let settings = connect_settings(url, environment).map_err(|it| unusable_address(url, &it))?;
    Ok(ConnectionPool::new(settings, 1, None).with_connection(work)?)
}
