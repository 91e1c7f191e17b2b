//! A connection that a thread drives while it waits, transactions on it, and the pool that keeps connections at hand.
//!
//! The port is called from threads, so each connection has a runtime of its own, of one thread: the caller's. Statements of
//! a transaction queue up until an answer is needed and go out together, so that a write takes two round trips and a read
//! one, however many statements they have. Nothing that a transaction needs is kept in the session, so that a pooler may give each
//! transaction another connection of its own; where no pooler stands between, statements are planned once
//! ([`NamedStatements`]).

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::Future,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use apostille_core::{space::Space, store::StoreError};
use futures_util::future::try_join_all;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use crate::{
    error::{LOCK_PATIENCE, PgError, PgResult},
    named_statements::{MARK_SETTING, NamedStatements},
    settings::ConnectSettings,
    statement::SqlStatement,
    tls::TlsMode,
};

/// How long one round trip may take: a database that says nothing must not hold a caller.
const ROUND_TRIP: Duration = Duration::from_secs(25);
/// How long a read may take.
const READ_ROUND_TRIP: Duration = Duration::from_secs(10);
/// How long a connection may take to be made.
const CONNECT_PATIENCE: Duration = Duration::from_secs(4);
/// How long a call waits for a connection that others have.
const POOL_PATIENCE: Duration = Duration::from_secs(10);
/// How many statements go out together. The driver sends them in the order in which they are first polled, which is kept
/// for short lists only.
const PIPELINE: usize = 24;

/// Which spaces a transaction is about: what the policies of the tables let through.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SpaceScope<'a> {
    One(&'a Space),
    /// All that the role may see.
    Granted,
}

impl SpaceScope<'_> {
    fn as_setting(&self) -> &str {
        match self {
            Self::One(space) => space.as_str(),
            Self::Granted => "*",
        }
    }
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionKind {
    /// Reads from one snapshot.
    Read,
    /// Writes what is acknowledged: it is on the disk after the commit.
    Durable,
    /// Writes what nobody waits for.
    Telemetry,
}

/// One connection.
pub(crate) struct PgConnection {
    /// There until it is dropped, see there.
    runtime: Option<Runtime>,
    client: Client,
    /// Whether a transaction was begun and not ended.
    is_in_transaction: Cell<bool>,
    statements: RefCell<NamedStatements>,
}

impl Drop for PgConnection {
    /// A runtime that is simply dropped waits for its tasks, and panics where nobody may wait, as in a server's own tasks.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for PgConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("PgConnection")
    }
}

impl PgConnection {
    /// Makes a connection. With a mark, statements are named once a session of the server has answered with it.
    pub(crate) fn connect(settings: &ConnectSettings, mark: Option<&str>) -> PgResult<Self> {
        let mut config = settings.config.clone();
        if let Some(mark) = mark {
            let given = config.get_options().unwrap_or_default();
            config.options(format!("{given} -c {MARK_SETTING}={mark}").trim_start());
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| PgError::Connect(error.to_string()))?;
        let connecting = async {
            tokio::time::timeout(CONNECT_PATIENCE, connect_client(&config, &settings.tls)).await
        };
        let client = runtime
            .block_on(connecting)
            .map_err(|_| PgError::TimedOut(CONNECT_PATIENCE))??;
        Ok(Self {
            runtime: Some(runtime),
            client,
            is_in_transaction: Cell::new(false),
            statements: RefCell::new(NamedStatements::with_mark(mark)),
        })
    }

    /// Waits for the database, at most so long.
    fn wait_for<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> PgResult<T> {
        let Some(runtime) = &self.runtime else {
            return Err(PgError::Connect("the connection is closed".into()));
        };
        let answered = runtime.block_on(async { tokio::time::timeout(limit, answer).await });
        Ok(answered.map_err(|_| PgError::TimedOut(limit))??)
    }

    /// Takes back what was begun and not ended. Whether the connection can be used again.
    pub(crate) fn end_transaction(&self) -> bool {
        if self.is_in_transaction.replace(false) {
            let rollback = [SqlStatement::new("ROLLBACK")];
            return self.run(&rollback, READ_ROUND_TRIP).is_ok();
        }
        true
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Sends statements together; the rows of each.
    pub(crate) fn run(
        &self,
        statements: &[SqlStatement],
        limit: Duration,
    ) -> PgResult<Vec<Vec<Row>>> {
        let mut answers = Vec::with_capacity(statements.len());
        for part in statements.chunks(PIPELINE) {
            self.name_statements(part, limit)?;
            let asked = part.iter().map(|it| {
                let named = self.statements.borrow().find(&it.sql);
                async move {
                    match named {
                        Some(named) => self.client.query(&named, &it.borrow_plain_values()).await,
                        None => {
                            let values = it.borrow_values();
                            self.client.query_typed(&it.sql, &values).await
                        }
                    }
                }
            });
            answers.extend(self.wait_for(limit, try_join_all(asked))?);
        }
        Ok(answers)
    }

    /// Gives a name to each of these statements that was sent often enough.
    fn name_statements(&self, statements: &[SqlStatement], limit: Duration) -> PgResult<()> {
        let mut due: Vec<&SqlStatement> = Vec::new();
        for it in statements {
            let is_new = !due.iter().any(|other| other.sql == it.sql);
            if self.statements.borrow_mut().is_due(&it.sql) && is_new {
                due.push(it);
            }
        }
        if due.is_empty() || !self.proves_direct(limit)? {
            return Ok(());
        }
        let named = due.iter().map(|it| async move {
            let types = it.list_types();
            self.client.prepare_typed(&it.sql, &types).await
        });
        let named: Vec<Statement> = self.wait_for(limit, try_join_all(named))?;
        for (it, statement) in due.iter().zip(named) {
            let sql = it.sql.clone();
            self.statements.borrow_mut().insert(sql, statement);
        }
        Ok(())
    }

    /// Whether the other end is one session of the server, and no pooler.
    fn proves_direct(&self, limit: Duration) -> PgResult<bool> {
        if self.statements.borrow().unproven_mark().is_none() {
            return Ok(true);
        }
        let sql = format!("SELECT current_setting('{MARK_SETTING}', true)");
        let asked = self.client.query_typed(&sql, &[]);
        let rows = self.wait_for(limit, asked)?;
        let answer: Option<&str> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
        Ok(self.statements.borrow_mut().prove(answer))
    }

    /// Runs a script of several statements, as migrations are.
    pub(crate) fn run_script(&self, script: &str) -> PgResult<()> {
        self.wait_for(ROUND_TRIP, self.client.batch_execute(script))
    }

    /// Runs one statement as it is, outside a transaction or inside one that a script began; its rows.
    pub(crate) fn run_plain(&self, statement: SqlStatement) -> PgResult<Vec<Row>> {
        Ok(self
            .run(&[statement], ROUND_TRIP)?
            .pop()
            .unwrap_or_default())
    }

    /// Begins a transaction about some spaces. Nothing is sent before an answer is needed.
    pub(crate) fn begin(&self, kind: TransactionKind, scope: SpaceScope<'_>) -> Transaction<'_> {
        let begin = match kind {
            TransactionKind::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            TransactionKind::Durable | TransactionKind::Telemetry => {
                "BEGIN ISOLATION LEVEL READ COMMITTED"
            }
        };
        let is_synced = if kind == TransactionKind::Telemetry {
            "off"
        } else {
            "on"
        };
        let scope = SqlStatement::new(
            "SELECT set_config('apostille.space', $1, true), set_config('lock_timeout', $2, true), \
             set_config('synchronous_commit', $3, true)",
        )
        .text(scope.as_setting())
        .text(LOCK_PATIENCE.as_millis().to_string())
        .text(is_synced);
        Transaction {
            connection: self,
            queue: vec![SqlStatement::new(begin), scope],
            limit: if kind == TransactionKind::Read {
                READ_ROUND_TRIP
            } else {
                ROUND_TRIP
            },
        }
    }
}

async fn connect_client(config: &Config, tls: &TlsMode) -> PgResult<Client> {
    match tls {
        TlsMode::Off => {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        }
        TlsMode::Prefer(tls) | TlsMode::Require(tls) => {
            let (client, connection) = config.connect(tls.clone()).await?;
            tokio::spawn(connection);
            Ok(client)
        }
    }
}

/// A transaction. What is not committed is rolled back when the connection goes back to the pool.
pub(crate) struct Transaction<'c> {
    connection: &'c PgConnection,
    queue: Vec<SqlStatement>,
    limit: Duration,
}

/// A commit of which nobody knows whether it happened.
#[derive(Debug)]
pub(crate) struct UncertainCommit(pub(crate) PgError);

impl Transaction<'_> {
    /// Puts a statement into line whose answer nobody needs.
    pub(crate) fn queue(&mut self, statement: SqlStatement) {
        self.queue.push(statement);
    }

    /// Sends what is in line and this statement; its rows.
    pub(crate) fn query(&mut self, statement: SqlStatement) -> PgResult<Vec<Row>> {
        Ok(self.query_all(vec![statement])?.pop().unwrap_or_default())
    }

    /// Sends what is in line and these statements; the rows of each.
    pub(crate) fn query_all(&mut self, statements: Vec<SqlStatement>) -> PgResult<Vec<Vec<Row>>> {
        let n_waiting = self.queue.len();
        self.queue.extend(statements);
        let statements = std::mem::take(&mut self.queue);
        self.connection.is_in_transaction.set(true);
        let mut answers = self.connection.run(&statements, self.limit)?;
        Ok(answers.split_off(n_waiting))
    }

    /// Sends what is in line and these statements, and ends the transaction; the rows of each.
    pub(crate) fn finish_with(
        &mut self,
        mut statements: Vec<SqlStatement>,
    ) -> PgResult<Vec<Vec<Row>>> {
        statements.push(SqlStatement::new("COMMIT"));
        let mut answers = self.query_all(statements)?;
        self.connection.is_in_transaction.set(false);
        answers.pop();
        Ok(answers)
    }

    /// Sends what is in line and then commits. What fails before the commit is sent is certainly not written.
    pub(crate) fn commit(&mut self) -> PgResult<Result<(), UncertainCommit>> {
        if self.queue.len() > PIPELINE {
            self.query_all(Vec::new())?;
        }
        self.queue(SqlStatement::new("COMMIT"));
        match self.query_all(Vec::new()) {
            Ok(_) => {
                self.connection.is_in_transaction.set(false);
                Ok(Ok(()))
            }
            Err(error) if error.is_lost_connection() => Ok(Err(UncertainCommit(error))),
            Err(error) => Err(error),
        }
    }
}

/// Connections of one process to one database.
#[derive(Debug)]
pub(crate) struct ConnectionPool {
    settings: ConnectSettings,
    state: Mutex<PoolState>,
    freed: Condvar,
    most: usize,
    /// What the marks of connections are made of; `None` where no statement is worth a name.
    nonce: Option<u128>,
    n_made: AtomicU64,
    /// Whether a pooler refused a mark.
    is_pooled: AtomicBool,
}

#[derive(Debug, Default)]
struct PoolState {
    idle: VecDeque<PgConnection>,
    n_taken: usize,
}

impl ConnectionPool {
    /// `nonce` is random, for marks of connections ([`NamedStatements`]); without one, no statement is named.
    pub(crate) fn new(settings: ConnectSettings, most: usize, nonce: Option<u128>) -> Self {
        Self {
            settings,
            state: Mutex::default(),
            freed: Condvar::new(),
            most,
            nonce,
            n_made: AtomicU64::new(0),
            is_pooled: AtomicBool::new(false),
        }
    }

    fn make_connection(&self) -> PgResult<PgConnection> {
        let n = self.n_made.fetch_add(1, Ordering::Relaxed);
        let is_pooled = self.is_pooled.load(Ordering::Relaxed);
        let mark = self.nonce.filter(|_| !is_pooled);
        let mark = mark.map(|nonce| format!("{nonce:032x}.{n}"));
        match PgConnection::connect(&self.settings, mark.as_deref()) {
            // A pooler takes no settings of the session.
            Err(error) if mark.is_some() && error.is_refused_startup() => {
                let connection = PgConnection::connect(&self.settings, None)?;
                self.is_pooled.store(true, Ordering::Relaxed);
                Ok(connection)
            }
            made => made,
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection, made where none is at hand, and gives it back afterwards, unless it is lost.
    pub(crate) fn with_connection<T>(
        &self,
        work: impl FnOnce(&PgConnection) -> PgResult<T>,
    ) -> PgResult<T> {
        let mut slot = self.take_slot()?;
        let connection = match slot.connection.take() {
            Some(it) => it,
            None => self.make_connection()?,
        };
        let done = work(&connection);
        let is_lost = matches!(&done, Err(error) if error.is_lost_connection());
        if !is_lost && !connection.is_closed() && connection.end_transaction() {
            slot.connection = Some(connection);
        }
        done
    }

    /// Drops every connection at hand: the server went away, so the others are as dead as the one that told.
    pub(crate) fn drop_idle(&self) {
        self.lock_state().idle.clear();
    }

    fn take_slot(&self) -> PgResult<PoolSlot<'_>> {
        let has_none = |it: &mut PoolState| it.n_taken >= self.most;
        let (mut state, _) = self
            .freed
            .wait_timeout_while(self.lock_state(), POOL_PATIENCE, has_none)
            .unwrap_or_else(PoisonError::into_inner);
        if state.n_taken >= self.most {
            let waited_ms = POOL_PATIENCE.as_millis().try_into().unwrap_or(u64::MAX);
            return Err(StoreError::Busy { waited_ms }.into());
        }
        state.n_taken += 1;
        let mut connection = state.idle.pop_back();
        while connection.as_ref().is_some_and(PgConnection::is_closed) {
            connection = state.idle.pop_back();
        }
        Ok(PoolSlot {
            pool: self,
            connection,
        })
    }
}

/// The right to one connection, and the connection while nobody works with it. It goes back when this is dropped, also by a
/// panic.
struct PoolSlot<'p> {
    pool: &'p ConnectionPool,
    connection: Option<PgConnection>,
}

impl Drop for PoolSlot<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock_state();
        state.n_taken = state.n_taken.saturating_sub(1);
        state.idle.extend(self.connection.take());
        self.pool.freed.notify_one();
    }
}
