//! What keeps spaces apart is the database: a member sees its own spaces, whatever is asked and however.

use std::{fmt::Debug, thread};

use apostille_contract::sample_speaker;
use apostille_core::{
    embedding::{Embedding, EmbeddingModel, MemoryEmbedding},
    event::EventKind,
    forget::{ForgetOutcome, forget},
    memory::{Layer, Memory, MemoryName, Stage},
    recall::{RecallRequest, recall},
    space::Space,
    store::{
        EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary, Store, StoreError,
        breaker_state::BreakerState,
        shelf::{PartName, ReplicaParts, ShelfRecord},
    },
};
use apostille_postgres::{
    GrantAccess, PostgresEnvironment, PostgresStore, SpaceGrant, list_grants, prepare_database,
    revoke_grants,
};
use apostille_postgres_rig::PostgresServer;
use apostille_text::digest::Digest;

use crate::rig::{
    OWNER, create_database, fact_in, keep, list_all, make_role, open, random_number, with_context,
};

const OWN: &str = "acme/shop";
const FOREIGN: [&str; 3] = ["acme/secret", "users/cid", "acme/shop2"];
const FOREIGN_WORD: &str = "quicksilver";

/// How the database says that somebody has no right to something.
const RIGHTS: [&str; 5] = [
    "permission denied",
    "must be owner",
    "must be superuser",
    "must have admin option",
    "row-level security policy",
];

/// Every table with rows of spaces.
const TABLES: [&str; 11] = [
    "agent_memory",
    "agent_memory_telemetry",
    "apostille_space",
    "apostille_log",
    "apostille_event_count",
    "apostille_cites",
    "apostille_tail",
    "apostille_posting",
    "apostille_embedding",
    "apostille_replica",
    "apostille_replica_part",
];

fn model() -> EmbeddingModel {
    EmbeddingModel::new("test")
}

fn parse(space: &str) -> Space {
    space.parse().unwrap()
}

fn grant(member: &str, space: Option<&str>, access: GrantAccess) -> SpaceGrant {
    SpaceGrant {
        member: member.into(),
        space: space.map(parse),
        access,
    }
}

/// A database with memories in four spaces: `ana` may write in one of them, `bo` may read it, `server` may use all.
struct Team {
    server: &'static PostgresServer,
    database: String,
    foreign: Vec<Memory>,
}

impl Team {
    fn make() -> Self {
        let server = PostgresServer::shared();
        let database = create_database(server);
        let url = server.url(OWNER, &database).parse().unwrap();
        for member in ["ana", "bo", "server", "stranger"] {
            make_role(server, member);
        }
        let grants = [
            grant("ana", Some(OWN), GrantAccess::Write),
            grant("bo", Some(OWN), GrantAccess::Read),
            grant("server", None, GrantAccess::Serve),
        ];
        prepare_database(&url, &PostgresEnvironment::default(), &grants).unwrap();
        let mut team = Self {
            server,
            database,
            foreign: Vec::new(),
        };
        team.fill();
        team
    }

    /// So many memories that a part of each space's index is packed and a part waits.
    fn fill(&mut self) {
        let store = self.open(OWNER);
        for n in 0..40 {
            keep(
                &store,
                fact_in(parse(OWN), format!("the shop has rule {n} about carts")),
            )
            .unwrap();
            for space in FOREIGN {
                let fact = format!("{FOREIGN_WORD} rule {n} of {space}");
                let mut draft = fact_in(parse(space), fact);
                if !parse(space).is_user() {
                    draft.citations = vec!["src/api.rs:2".parse().unwrap()];
                }
                self.foreign.push(keep(&store, draft).unwrap());
            }
        }
        for space in FOREIGN {
            let lines = ReplicaParts::from([(PartName(1), format!("{FOREIGN_WORD}\n"))]);
            let record = ShelfRecord {
                revision: 1,
                ..ShelfRecord::default()
            };
            let shelf = store.replica_shelf().unwrap();
            assert!(shelf.write_shelf(&parse(space), &record, &lines).unwrap());
            let vectors = [self.vector_of(space)];
            assert_eq!(
                store
                    .write_embeddings(&parse(space), &model(), &vectors)
                    .unwrap(),
                1
            );
        }
    }

    fn vector_of(&self, space: &str) -> MemoryEmbedding {
        let memory = self
            .foreign
            .iter()
            .find(|it| it.space == parse(space))
            .unwrap();
        MemoryEmbedding {
            number: memory.number,
            text: Digest::hash_bytes(memory.fact.as_bytes()),
            vector: Embedding::from_bytes(&[1; 8]).unwrap(),
        }
    }

    fn open(&self, member: &str) -> PostgresStore {
        open(&self.server.url(member, &self.database))
    }

    fn sql(&self, member: &str, sql: &str) -> Result<String, String> {
        self.server.try_sql(member, &self.database, sql)
    }

    /// All rows of the tables, as the superuser sees them.
    fn count_rows(&self) -> String {
        let counts = TABLES.map(|it| format!("(select count(*) from {it})"));
        self.server
            .run_sql(&self.database, &format!("select {}", counts.join(", ")))
    }
}

/// A generator of our own: a failure can be run again from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn nothing<T: Debug + Default + PartialEq>(what: &str, found: Result<T, StoreError>) {
    let found = found.unwrap_or_else(|it| panic!("{what}: {it:?}"));
    assert_eq!(found, T::default(), "{what} showed something");
}

/// One call about a space that is not the member's, chosen by dice: nothing is shown and nothing is written.
fn call_about_foreign_space(store: &PostgresStore, team: &Team, dice: &mut Dice) {
    let memory = &team.foreign[dice.roll(team.foreign.len())];
    let space = &memory.space;
    let words = vec![FOREIGN_WORD.to_owned(), "rule".to_owned()];
    match dice.roll(20) {
        0 => nothing("ids", store.get_memories(MemoryKeys::Ids(&[memory.id]))),
        1 => nothing(
            "numbers",
            store.get_memories(MemoryKeys::Numbers(space, &[memory.number, 1])),
        ),
        2 => nothing(
            "claim",
            store.get_memories(MemoryKeys::Claim(space, &memory.claim_digest())),
        ),
        3 => nothing("list", store.list_memories(&filter(space))),
        4 => nothing("active", store.list_active_numbers(space, &[], 10)),
        5 => nothing(
            "retain",
            store.retain_active_numbers(space, &[memory.number], &[memory.layer]),
        ),
        6 => nothing("events", store.read_events(space, &EventPage::newest(5))),
        7 => nothing::<SpaceSummary>("summary", store.summarize_space(space)),
        8 => {
            let found = store.read_postings(space, &words).unwrap();
            let none = Postings {
                lists: vec![Vec::new(); words.len()],
                ..Postings::default()
            };
            assert_eq!(found, none, "postings showed something");
        }
        9 => nothing("terms", store.list_terms(space, 'q')),
        10 => nothing("all terms", store.find_terms(space, &|_| true)),
        11 => nothing::<BreakerState>(
            "breakers",
            store.read_breaker_state(space, jiff::Timestamp::UNIX_EPOCH),
        ),
        12 => nothing("paths", store.list_cited_paths(space)),
        13 => nothing("vectors", store.read_embeddings(space, &model())),
        14 => {
            let vector = team.vector_of(space.as_str());
            nothing(
                "writing vectors",
                store.write_embeddings(space, &model(), &[vector]),
            );
            store.remove_embeddings(&model()).unwrap();
        }
        18 => {
            let shelf = store.replica_shelf().unwrap();
            nothing("lines", shelf.read_shelf_parts(space, None));
            nothing("looks of lines", shelf.look_at_shelf(space));
            nothing("progress", shelf.read_shelf_record(space));
        }
        19 => {
            let shelf = store.replica_shelf().unwrap();
            let record = ShelfRecord {
                revision: 1 + dice.roll(2) as u64,
                ..ShelfRecord::default()
            };
            let planted = ReplicaParts::from([(PartName(1), "planted\n".to_owned())]);
            let written = shelf.write_shelf(space, &record, &planted);
            assert!(!matches!(written, Ok(true)), "lines were planted");
        }
        15 => {
            let draft = fact_in(space.clone(), format!("planted {}", random_number()));
            let error = keep(store, draft).unwrap_err().to_string();
            assert!(error.contains("may not do that in this space"), "{error}");
        }
        16 => {
            let name = MemoryName::Id(memory.id);
            let spaces = [space.clone(), parse(OWN)];
            let done = with_context(store, |cx| {
                forget(cx, sample_speaker(), &spaces, name, "test")
            });
            assert!(!matches!(done, Ok(ForgetOutcome::Done(_))), "{done:?}");
        }
        _ => {
            let ask = RecallRequest {
                text: format!("{FOREIGN_WORD} rule"),
                spaces: vec![space.clone(), parse(OWN)],
                ..RecallRequest::default()
            };
            let found = with_context(store, |cx| recall(cx, &ask)).unwrap();
            assert!(
                !format!("{found:?}").contains(&memory.fact),
                "recall showed {}",
                memory.fact
            );
        }
    }
}

fn filter(space: &Space) -> MemoryFilter {
    MemoryFilter {
        spaces: vec![space.clone()],
        limit: 100,
        ..MemoryFilter::default()
    }
}

#[test]
fn ten_thousand_calls_about_foreign_spaces_show_and_write_nothing() {
    let team = Team::make();
    let before = team.count_rows();
    thread::scope(|scope| {
        for seed in 0..4 {
            let team = &team;
            scope.spawn(move || {
                let store = team.open("ana");
                let mut dice = Dice(seed);
                (0..2_500).for_each(|_| call_about_foreign_space(&store, team, &mut dice));
            });
        }
    });
    // What recall logs about the member's own space is all that was added.
    let rows = "select count(*) from agent_memory";
    assert_eq!(team.server.run_sql(&team.database, rows), "160");
    assert_eq!(before.split('|').next(), Some("160"));
    let vectors = "select count(*) from apostille_embedding";
    assert_eq!(team.server.run_sql(&team.database, vectors), "3");
    let events = format!(
        "select count(*) from agent_memory_telemetry where space <> '{OWN_SPACE}' and event <> 'remembered'",
        OWN_SPACE = parse(OWN).as_str()
    );
    assert_eq!(team.server.run_sql(&team.database, &events), "0");
}

/// The test above would pass with a store that shows nothing at all.
#[test]
fn members_see_and_write_their_own_space() {
    let team = Team::make();
    let store = team.open("ana");
    assert_eq!(store.list_spaces().unwrap(), [parse(OWN)]);
    assert_eq!(list_all(&store).len(), 40);
    assert_eq!(
        store
            .summarize_space(&parse(OWN))
            .unwrap()
            .count_in_stage(Stage::Active),
        40
    );
    keep(&store, fact_in(parse(OWN), "ana adds this")).unwrap();
    assert!(
        store
            .read_postings(&parse(OWN), &["carts".into()])
            .unwrap()
            .n_docs
            > 40
    );
    let events = store
        .read_events(&parse(OWN), &EventPage::newest(1))
        .unwrap();
    assert_eq!(events[0].event.what.event_kind(), EventKind::Remembered);
    assert_eq!(store.check_health().unwrap().problems, Vec::<String>::new());

    let reader = team.open("bo");
    assert_eq!(list_all(&reader).len(), 41);
    let refused = keep(&reader, fact_in(parse(OWN), "bo adds this"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("may not do that in this space"),
        "{refused}"
    );
    let active = reader.list_active_numbers(&parse(OWN), &[Layer::Knowledge], 100);
    assert_eq!(active.unwrap().len(), 41);
    assert_eq!(list_all(&team.open("server")).len(), 161);
}

#[test]
fn role_without_a_grant_sees_nothing() {
    let team = Team::make();
    let url = team.server.url("stranger", &team.database);
    let shown = match crate::rig::try_open(&url) {
        Ok(store) => format!(
            "{:?} {:?}",
            store.list_spaces(),
            store.list_memories(&MemoryFilter::default())
        ),
        Err(error) => error.to_string(),
    };
    assert!(
        !shown.contains(FOREIGN_WORD) && shown.contains("apostille store"),
        "{shown}"
    );
    for table in TABLES {
        let error = team
            .sql("stranger", &format!("select * from {table}"))
            .unwrap_err();
        assert!(error.contains("permission denied"), "{error}");
    }
}

#[test]
fn revoked_member_sees_nothing_any_more() {
    let team = Team::make();
    let store = team.open("ana");
    assert_eq!(list_all(&store).len(), 40);
    let url = team.server.url(OWNER, &team.database).parse().unwrap();
    let environment = PostgresEnvironment::default();
    let granted = list_grants(&url, &environment).unwrap();
    assert!(granted.iter().any(|it| it.member == "ana"));
    assert!(revoke_grants(&url, &environment, "ana", Some(&parse(OWN))).unwrap());
    assert_eq!(list_all(&store).len(), 0);
    assert!(keep(&store, fact_in(parse(OWN), "too late")).is_err());
    assert!(!revoke_grants(&url, &environment, "ana", None).unwrap());
}

/// What a member may say that its transaction is about. The whole is as good as a space of one's own: the grants hold.
fn list_settings() -> Vec<String> {
    let mut settings = vec![String::new()];
    let own = parse(OWN);
    let names = ["*", "", own.as_str(), "%", "' or true --"].map(str::to_owned);
    let foreign = FOREIGN.map(|it| parse(it).as_str().to_owned());
    for name in names.iter().chain(&foreign) {
        let name = name.replace('\'', "''");
        settings.push(format!("set apostille.space = '{name}';"));
    }
    settings
}

#[test]
fn plain_sql_shows_no_foreign_row() {
    let team = Team::make();
    let own = parse(OWN);
    for setting in list_settings() {
        for table in TABLES {
            let sql = format!(
                "{setting} select count(*) from {table} where space <> '{own}'",
                own = own.as_str()
            );
            assert_eq!(team.sql("ana", &sql).unwrap(), "0", "{sql}");
            let sql = format!("{setting} copy {table} to stdout");
            let copied = team.sql("ana", &sql).unwrap();
            assert!(!copied.contains(FOREIGN_WORD), "{sql}: {copied}");
        }
        let id = team.foreign[0].id;
        let sql = format!("{setting} select fact from agent_memory where id = '{id}'");
        assert_eq!(team.sql("ana", &sql).unwrap(), "", "{sql}");
    }
    // Not because there is nothing to see.
    let sql = "set apostille.space = '*'; select count(*) from agent_memory";
    assert_eq!(team.sql("ana", sql).unwrap(), "40");
}

#[test]
fn transaction_is_about_the_space_it_names() {
    let team = Team::make();
    let own = parse(OWN);
    let count = |setting: &str| {
        let sql = format!("{setting} select count(*) from agent_memory");
        team.sql("server", &sql).unwrap()
    };
    assert_eq!(count(""), "0");
    assert_eq!(
        count(&format!("set apostille.space = '{}';", own.as_str())),
        "40"
    );
    assert_eq!(count("set apostille.space = '*';"), "160");
}

#[test]
fn member_cannot_become_more_than_it_is() {
    let team = Team::make();
    team.server.run_sql(&team.database, "analyze");
    let own = parse(OWN);
    let foreign = parse(FOREIGN[0]);
    let (own, foreign) = (own.as_str(), foreign.as_str());
    let all = "set apostille.space = '*';";
    let refused = [
        format!("set role {OWNER}"),
        "set role server".to_owned(),
        format!("set session authorization {OWNER}"),
        "alter role ana bypassrls".to_owned(),
        "alter role ana superuser".to_owned(),
        format!("grant {OWNER} to ana"),
        "set row_security = off; select * from agent_memory".to_owned(),
        "alter table agent_memory disable row level security".to_owned(),
        "alter table agent_memory no force row level security".to_owned(),
        "drop policy agent_memory_read on agent_memory".to_owned(),
        "create policy mine on agent_memory using (true)".to_owned(),
        "truncate agent_memory".to_owned(),
        "drop table agent_memory".to_owned(),
        "create table public.mine (id int)".to_owned(),
        "create function public.mine() returns int language sql as 'select 1'".to_owned(),
        "create trigger mine before insert on agent_memory execute function pg_catalog.suppress_redundant_updates_trigger()".to_owned(),
        "select * from apostille_token".to_owned(),
        "insert into apostille_token values ('x', 'y')".to_owned(),
        "insert into apostille_grant values ('ana', '*', 'write')".to_owned(),
        "update apostille_grant set space = '*'".to_owned(),
        "delete from apostille_grant".to_owned(),
        "update apostille_meta set value = 0".to_owned(),
        format!("{all} insert into apostille_space(space) values ('{foreign}')"),
        format!("{all} insert into apostille_log(space) values ('{foreign}')"),
        format!("{all} insert into apostille_log(space) values ('{foreign}') on conflict do nothing"),
        format!("{all} insert into apostille_cites values ('{foreign}', 'x', 1)"),
        format!("{all} insert into apostille_tail values ('{foreign}', 99, '')"),
        format!("{all} insert into apostille_posting values ('{foreign}', 'x', 1, '')"),
        format!("{all} insert into apostille_event_count values ('{foreign}', 'x', 1)"),
        format!("{all} insert into apostille_embedding values ('{foreign}', 'x', 1, '', '')"),
        format!("{all} insert into agent_memory_telemetry values ('{foreign}', 999, null, 'x', now(), null, '', '{}')", uuid()),
        format!("{all} insert into agent_memory select (jsonb_populate_record(m, '{{\"space\":\"{foreign}\"}}')).* from agent_memory m"),
        format!("{all} update agent_memory set space = '{foreign}' where space = '{own}'"),
        format!("{all} update apostille_cites set space = '{foreign}'; update apostille_tail set space = '{foreign}'"),
        format!("set apostille.space = '{foreign}'; insert into apostille_space(space) values ('{foreign}')"),
    ];
    for sql in refused {
        let done = team.sql("ana", &sql);
        let error = done
            .as_ref()
            .err()
            .unwrap_or_else(|| panic!("{sql} was done: {done:?}"));
        let is_right = |it: &&str| error.contains(it);
        assert!(RIGHTS.iter().any(is_right), "{sql}: {error}");
        assert!(!error.contains(FOREIGN_WORD), "{sql}: {error}");
    }
    // What touches no row is no error, and changes nothing.
    let silent = [
        format!("{all} update agent_memory set fact = 'x' where space = '{foreign}'"),
        format!("{all} delete from agent_memory where space = '{foreign}'"),
        format!("{all} delete from agent_memory_telemetry where space <> '{own}'"),
    ];
    let before = team.count_rows();
    for sql in silent {
        team.sql("ana", &sql).unwrap();
    }
    assert_eq!(team.count_rows(), before);
    let facts = format!("select count(*) from agent_memory where fact like '{FOREIGN_WORD}%'");
    assert_eq!(team.server.run_sql(&team.database, &facts), "120");
}

fn uuid() -> &'static str {
    "00000000-0000-4000-8000-000000000000"
}

/// A function that tells what it is given, so cheap that a planner asks it first; and what the planner itself remembers.
#[test]
fn neither_functions_nor_statistics_tell_of_foreign_rows() {
    let team = Team::make();
    team.server.run_sql(&team.database, "analyze");
    let tell = "create function pg_temp.tell(t text) returns boolean language plpgsql cost 0.0000001 as \
                $$ begin raise warning 'told %', t; return true; end $$; set apostille.space = '*'; \
                select count(*) from agent_memory where pg_temp.tell(fact)";
    assert_eq!(team.sql("ana", tell).unwrap(), "40");
    let told = "create function pg_temp.tell(t text) returns boolean language plpgsql cost 0.0000001 as \
                $$ begin if t like 'quicksilver%' then raise exception 'told %', t; end if; return true; end $$; \
                set apostille.space = '*'; select count(*) from agent_memory where pg_temp.tell(fact)";
    assert_eq!(team.sql("ana", told).unwrap(), "40");
    let by_division = format!(
        "set apostille.space = '*'; select count(*) from agent_memory where 1 / (case when fact like '{FOREIGN_WORD}%' then 0 else 1 end) = 1"
    );
    assert_eq!(team.sql("ana", &by_division).unwrap(), "40");
    let statistics = "select count(*) from pg_stats where schemaname = 'public' and tablename like 'a%' and tablename <> 'apostille_meta'";
    assert_eq!(team.sql("ana", statistics).unwrap(), "0");
    assert!(team.sql("ana", "select * from pg_statistic").is_err());
}
