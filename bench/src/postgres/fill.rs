//! Filling a database: through the store, a space a batch, by two threads.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hasher as _},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use anyhow::{Result, anyhow};
use apostille_core::{event::EventBody, unchecked};

use super::{BenchDatabase, PostgresGround, page::PostgresPage};
use crate::ours::{self, PER_SPACE};

/// Who owns the tables: no superuser, who would be held to no policy.
pub(crate) const OWNER: &str = "team";
/// How many memories are written together.
const BATCH: usize = 1_000;
const THREADS: usize = 2;

/// A number that differs between processes and calls: the standard library's hasher is seeded by the system.
pub(crate) fn random_number() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    (half() << 64) | half()
}

impl PostgresGround<'_> {
    /// A database with so many memories, in spaces of a thousand.
    pub(super) fn make_database(
        &self,
        memories: usize,
        page: &mut PostgresPage,
    ) -> Result<BenchDatabase> {
        let name = self.server.create_database();
        let role =
            "do $$ begin create role team login; exception when duplicate_object then null; end $$";
        self.server.run_sql("postgres", role);
        self.server.run_sql(
            "postgres",
            &format!("alter database {name} owner to {OWNER}"),
        );
        let database = BenchDatabase { name, memories };
        let started = Instant::now();
        self.fill_spaces(&database)?;
        let seconds = started.elapsed().as_secs_f64();
        self.server.run_sql(&database.name, "vacuum analyze");
        self.server.run_sql(&database.name, "checkpoint");
        page.notes.push(format!(
            "{memories} memories were written through the store by {THREADS} threads, {BATCH} a batch: {seconds:.0} s, {:.0} a second.",
            memories as f64 / seconds
        ));
        Ok(database)
    }

    fn fill_spaces(&self, database: &BenchDatabase) -> Result<()> {
        // The tables are made before the threads meet.
        drop(self.open(&database.name)?);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let fill = || {
                let store = self.open(&database.name)?;
                loop {
                    let space = next.fetch_add(1, Ordering::Relaxed);
                    if space >= database.spaces() {
                        return Ok(());
                    }
                    for batch in 0..PER_SPACE / BATCH {
                        keep_batch(&store, space, batch * BATCH)?;
                    }
                }
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(fill)).collect();
            let joined = threads.into_iter().map(|it| {
                let done: Result<Result<()>, _> = it.join();
                done.unwrap_or_else(|_| Err(anyhow!("a thread that fills panicked")))
            });
            joined.collect()
        })
    }
}

/// Writes memories as the events that brought them: indexed and logged, but neither moderated nor compared.
fn keep_batch(store: &ours::Ours<'_>, space: usize, first: usize) -> Result<()> {
    let name = ours::space(space)?;
    let memories = (first..first + BATCH).map(|it| store.memory(space, it));
    let memories: Vec<_> = memories.collect::<Result<_>>()?;
    store.with(first, |cx| {
        let event = |memory: apostille_core::memory::Memory| {
            let id = Some(memory.id);
            let body = EventBody::Remembered {
                memory: Box::new(memory),
                forced: false,
                rationale: None,
            };
            unchecked::new_event(cx, &name, id, body)
        };
        let events = memories.into_iter().map(event).collect();
        cx.store
            .append_batch(&unchecked::durable_batch(events, Vec::new()))
    })??;
    Ok(())
}
