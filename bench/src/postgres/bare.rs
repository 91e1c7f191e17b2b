//! The floor: a table with a text, its `tsvector` and the bytes of a record, which is what one would write in an afternoon.

use std::time::Instant;

use anyhow::{Context as _, Result};
use apostille_postgres_rig::PostgresServer;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, Statement};

use super::{BenchDatabase, page::PostgresPage};
use crate::{
    facts::{self, Fact},
    ours,
};

/// The same memories as in `agent_memory`, and the same bytes of a record. The text is what ours indexes.
const FILL: &str = "create table bare_fact as select space, number, \
     coalesce(subject, '') || ' ' || fact || ' ' || (select coalesce(string_agg(t, ' '), '') from jsonb_array_elements_text(tags) t) as text, \
     record from agent_memory; \
     alter table bare_fact add primary key (space, number); \
     alter table bare_fact add column terms tsvector generated always as (to_tsvector('simple', text)) stored; \
     create index bare_terms on bare_fact using gin (terms); \
     analyze bare_fact; checkpoint";

const INSERT: &str = "insert into bare_fact(space, number, text, record) values ($1, $2, $3, $4)";
const QUERY: &str = "select text from bare_fact where space = $1 and terms @@ to_tsquery('simple', $2) \
     order by ts_rank(terms, to_tsquery('simple', $2)) desc limit 10";

/// The bare table of a database, with a connection whose statements are prepared.
pub(crate) struct BareTable<'a> {
    runtime: Runtime,
    client: Client,
    insert: Statement,
    query: Statement,
    /// Records of memories that are there: what is inserted has as many bytes as ours.
    records: Vec<String>,
    database: &'a BenchDatabase,
}

impl<'a> BareTable<'a> {
    /// Makes the table beside ours, of the same memories.
    pub(crate) fn make(
        server: &PostgresServer,
        database: &'a BenchDatabase,
        page: &mut PostgresPage,
    ) -> Result<Self> {
        let started = Instant::now();
        server.run_sql(&database.name, FILL);
        let seconds = started.elapsed().as_secs_f64();
        page.notes.push(format!(
            "The bare table of {} memories, with a GIN index, took {seconds:.0} s.",
            database.memories
        ));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let url = server.url("postgres", &database.name);
        let (client, insert, query, records) = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            tokio::spawn(connection);
            let insert = client.prepare(INSERT).await?;
            let query = client.prepare(QUERY).await?;
            let rows = client
                .query("select record from bare_fact limit 1000", &[])
                .await?;
            let records: Vec<String> = rows.iter().map(|it| it.get(0)).collect();
            anyhow::Ok((client, insert, query, records))
        })?;
        Ok(Self {
            runtime,
            client,
            insert,
            query,
            records,
            database,
        })
    }

    /// One memory, durably.
    pub(crate) fn insert(&self, space: usize, index: usize) -> Result<()> {
        let Fact {
            subject,
            text,
            tags,
            ..
        } = facts::fact(space, index);
        let text = format!("{subject} {text} {}", tags.join(" "));
        let record = &self.records[index % self.records.len()];
        let number = i64::try_from(self.database.memories + index)?;
        let space = ours::space(space)?;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&space.as_str(), &number, &text, record];
        let insert = self.client.execute(&self.insert, &values);
        self.runtime.block_on(insert).context("the bare insert")?;
        Ok(())
    }

    /// The ten best texts for a question, by Postgres's own rank.
    pub(crate) fn query(&self, space: usize, question: &str) -> Result<usize> {
        let words: Vec<&str> = question
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| !it.is_empty())
            .collect();
        let space = ours::space(space)?;
        let any = words.join(" | ");
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&space.as_str(), &any];
        let rows = self.client.query(&self.query, &values);
        Ok(self.runtime.block_on(rows).context("the bare query")?.len())
    }
}
