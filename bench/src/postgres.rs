//! The suite `postgres`: remember and recall in a team's store, beside bare statements on the same server in the same run.
//!
//! It starts a server of its own, with every commit on the disk. What is compared is measured in turns, so that whatever
//! else the machine does hits both alike. Many clients are many stores, each with a connection of its own, that ask again
//! as soon as they are answered.

mod bare;
mod bars;
mod clients;
mod faults;
mod fill;
mod page;

use std::time::Duration;

use anyhow::{Context as _, Result};
use apostille_core::store::Store;
use apostille_postgres::{PostgresEnvironment, PostgresStore};
use apostille_postgres_rig::{PostgresServer, ServerOptions};

use crate::{
    args::Args,
    budget::{Budget, rounds},
    facts::{self, Dice},
    grow::timed,
    machine::Machine,
    ours::{self, Code, Ours, PER_SPACE},
    scratch,
    stats::Sample,
};
use bare::BareTable;
use clients::{ClientLoad, run_clients};
use page::{PostgresPage, PostgresRow, TableSize};

/// The sizes that are measured, up to the one asked for.
const SIZES: [usize; 2] = [10_000, 1_000_000];
/// How many clients work at once.
const CLIENTS: [usize; 3] = [1, 8, 64];
/// How often each is done before it is measured.
const WARM: usize = 20;
/// How often something is measured in turns, and for how long.
const TURNS: (usize, Duration) = (500, Duration::from_secs(20));
/// How long clients work.
const RUSH: Duration = Duration::from_secs(8);
/// How often a store is opened where the server does not answer in time.
const OPEN_TRIES: usize = 8;
/// The space that is asked and written in turns.
const SPACE: usize = 0;

/// What is asked of the suite.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PostgresAsk {
    /// How many memories the largest database has.
    pub(crate) memories: usize,
}

impl Default for PostgresAsk {
    fn default() -> Self {
        Self { memories: SIZES[0] }
    }
}

/// What the suite works with.
pub(crate) struct PostgresGround<'a> {
    server: &'a PostgresServer,
    code: &'a Code,
}

/// A database of the run.
#[derive(Debug, Clone)]
pub(crate) struct BenchDatabase {
    name: String,
    memories: usize,
}

impl BenchDatabase {
    fn spaces(&self) -> usize {
        (self.memories / PER_SPACE).max(1)
    }
}

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, ask: &PostgresAsk) -> Result<()> {
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let budget = Budget::new(args.limit);
    let code = Code::made(&scratch.path().join("checkout"))?;
    let options = ServerOptions::durable()
        .with("max_connections", "200")
        .with("shared_buffers", "512MB")
        .with("max_wal_size", "8GB");
    let server = PostgresServer::start(options);
    let mut page = PostgresPage::new(Machine::look(server.folder()));
    page.server = server.run_sql("postgres", "show server_version");
    let ground = PostgresGround {
        server: &server,
        code: &code,
    };
    let alone = ground.make_database(PER_SPACE, &mut page)?;
    for memories in SIZES
        .into_iter()
        .filter(|it| *it <= ask.memories.max(SIZES[0]))
    {
        ground.measure_size((memories, &alone), &budget, &mut page)?;
    }
    faults::measure_faults(&ground, &mut page)?;
    page.left_out = budget.left_out();
    page.seconds = budget.spent().as_secs_f64();
    print!("{}", page.text(args.markdown));
    match &args.json {
        Some(path) => crate::write(path, &format!("{:#}\n", page.json())),
        None => Ok(()),
    }
}

impl<'a> PostgresGround<'a> {
    /// A store with a connection of its own.
    fn open(&self, database: &str) -> Result<Ours<'a>> {
        Ok(Ours::over(self.open_store(database)?, self.code))
    }

    fn open_store(&self, database: &str) -> Result<Box<dyn Store>> {
        let url = self.server.url(fill::OWNER, database).parse()?;
        let nonce = fill::random_number();
        let environment = PostgresEnvironment::default();
        // On a busy machine sixty-four connections at once take longer than one may; making them is not what is measured.
        let mut opened = PostgresStore::open(&url, &environment, nonce);
        for _ in 1..OPEN_TRIES {
            if opened.is_err() {
                opened = PostgresStore::open(&url, &environment, nonce);
            }
        }
        Ok(Box::new(opened.context("the store cannot be opened")?))
    }

    /// Measures a database of one size, beside one with a single space.
    fn measure_size(
        &self,
        (memories, alone): (usize, &BenchDatabase),
        budget: &Budget,
        page: &mut PostgresPage,
    ) -> Result<()> {
        let database = self.make_database(memories, page)?;
        let bare = BareTable::make(self.server, &database, page)?;
        self.measure_recall((&database, alone), &bare, budget, page)?;
        self.measure_remember(&database, &bare, budget, page)?;
        for n in CLIENTS {
            self.measure_clients(&database, n, page)?;
        }
        page.sizes.extend(list_table_sizes(self.server, &database)?);
        Ok(())
    }

    /// Recall of a space among many and of one that is alone, in turns; and a bare query of the same words.
    fn measure_recall(
        &self,
        (database, alone): (&BenchDatabase, &BenchDatabase),
        bare: &BareTable<'_>,
        budget: &Budget,
        page: &mut PostgresPage,
    ) -> Result<()> {
        let (many, one) = (self.open(&database.name)?, self.open(&alone.name)?);
        let [mut ours, mut beside, mut floor] = <[Sample; 3]>::default();
        for round in rounds(budget, WARM + TURNS.0, TURNS.1) {
            let ask = ours::ask(SPACE, facts::question(SPACE, round))?;
            let (here, there) = (
                timed(|| many.recall(round, &ask).map(drop))?.0,
                timed(|| one.recall(round, &ask).map(drop))?.0,
            );
            if round >= WARM {
                ours.push(here);
                beside.push(there);
            }
        }
        // Among a million it takes a hundred times as long: in turns there would be few of each.
        for round in rounds(budget, TURNS.0, TURNS.1 / 2) {
            let question = facts::question(SPACE, round);
            floor.time(|| bare.query(SPACE, &question))?;
        }
        page.add(PostgresRow::of(page::RECALL, database, 1, &ours));
        page.add(PostgresRow::of(page::RECALL_ALONE, database, 1, &beside));
        page.add(PostgresRow::of(page::BARE_QUERY, database, 1, &floor));
        Ok(())
    }

    /// Remember and a bare insert, in turns.
    fn measure_remember(
        &self,
        database: &BenchDatabase,
        bare: &BareTable<'_>,
        budget: &Budget,
        page: &mut PostgresPage,
    ) -> Result<()> {
        let store = self.open(&database.name)?;
        let [mut ours, mut floor] = <[Sample; 2]>::default();
        for round in rounds(budget, WARM + TURNS.0, TURNS.1) {
            let index = PER_SPACE + round;
            let draft = store.draft(SPACE, index)?;
            let bare_time = timed(|| bare.insert(SPACE, index))?.0;
            let (time, is_kept) = timed(|| store.remember(index, draft))?;
            // A draft that is taken for something known is not written: no measure of a write.
            if is_kept && round >= WARM {
                ours.push(time);
                floor.push(bare_time);
            }
        }
        page.add(PostgresRow::of(page::REMEMBER, database, 1, &ours));
        page.add(PostgresRow::of(page::BARE_INSERT, database, 1, &floor));
        Ok(())
    }

    /// Clients that ask, and clients that write, each in spaces chosen by dice.
    fn measure_clients(
        &self,
        database: &BenchDatabase,
        n: usize,
        page: &mut PostgresPage,
    ) -> Result<()> {
        let spaces = database.spaces();
        let recall = |client: usize| {
            let store = self.open(&database.name)?;
            let mut dice = Dice::new(client, n, 21);
            Ok(move |round: usize| {
                let space = dice.below(spaces);
                let ask = ours::ask(space, facts::question(space, client * 1_000 + round))?;
                store.recall(round, &ask).map(drop)
            })
        };
        let asked = run_clients(self.server, n, (RUSH, None), recall)?;
        page.add(PostgresRow::of_clients(page::RECALL, database, n, &asked));
        let paced = run_clients(self.server, n, (RUSH, Some(Duration::from_secs(1))), recall)?;
        page.add(PostgresRow::of_clients(
            page::RECALL_PACED,
            database,
            n,
            &paced,
        ));
        let remember = |client: usize| {
            let store = self.open(&database.name)?;
            Ok(move |round: usize| {
                let index = (n * 100 + client + 10) * 1_000 + round;
                let draft = store.draft(client % spaces, index)?;
                store.remember(index, draft).map(drop)
            })
        };
        let written: ClientLoad = run_clients(self.server, n, (RUSH, None), remember)?;
        page.add(PostgresRow::of_clients(
            page::REMEMBER,
            database,
            n,
            &written,
        ));
        Ok(())
    }
}

/// What the tables of a database take, with their indexes.
fn list_table_sizes(server: &PostgresServer, database: &BenchDatabase) -> Result<Vec<TableSize>> {
    let sql = "select relname, pg_total_relation_size(oid), (select count(*) from agent_memory) from pg_class \
               where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc";
    let rows = server.run_sql(&database.name, sql);
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        Ok(TableSize {
            table: cells[0].to_owned(),
            memories: cells[2].parse()?,
            bytes: cells[1].parse()?,
        })
    };
    rows.lines().map(read).collect()
}
