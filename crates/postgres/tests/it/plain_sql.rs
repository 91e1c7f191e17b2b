//! The tables by their names, read by plain SQL: a dashboard, a script, another program.

use apostille_contract::sample_speaker;
use apostille_core::{
    memory::{MemoryName, ReplacementKind},
    recall::{RecallRequest, recall},
    revise,
};
use apostille_postgres::{GrantAccess, PostgresEnvironment, SpaceGrant, prepare_database};
use apostille_postgres_rig::PostgresServer;

use crate::rig::{OWNER, create_database, fact, keep, make_role, open, space, with_context};

/// A database with three memories, two of which one corrects, and a role that may look.
fn make_dashboard() -> (&'static PostgresServer, String) {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let store = open(&server.url(OWNER, &database));
    let mut draft = fact("retries are limited to 3");
    draft.subject = Some("retry policy".into());
    draft.reason = Some("the upstream bans clients".into());
    draft.citations = vec!["src/api.rs:2".parse().unwrap()];
    let old = keep(&store, draft).unwrap();
    keep(&store, fact("a null in a fact, and \"quotes\"")).unwrap();
    let name = MemoryName::Id(old.id);
    let mut better = fact("const RETRIES is 3, and the worker has its own");
    better.subject = Some("retry policy".into());
    let how = ReplacementKind::Better;
    let done = with_context(&store, |cx| {
        revise::supersede_memory(cx, sample_speaker(), &[space()], name, better, how)
    });
    done.unwrap();
    let ask = RecallRequest {
        text: "retries worker".into(),
        spaces: vec![space()],
        ..RecallRequest::default()
    };
    with_context(&store, |cx| recall(cx, &ask)).unwrap();
    make_role(server, "dashboard");
    let grant = SpaceGrant {
        member: "dashboard".into(),
        space: Some(space()),
        access: GrantAccess::Read,
    };
    let url = server.url(OWNER, &database).parse().unwrap();
    prepare_database(&url, &PostgresEnvironment::default(), &[grant]).unwrap();
    // What a program that knows nothing of spaces needs, once.
    let sql = format!("alter role dashboard in database {database} set apostille.space = '*'");
    server.run_sql("postgres", &sql);
    (server, database)
}

#[test]
fn tables_have_the_columns_of_their_interfaces() {
    let (server, database) = make_dashboard();
    let check = |sql: &str, expected: &str| {
        let found = server.try_sql("dashboard", &database, sql);
        assert_eq!(found.as_deref(), Ok(expected), "{sql}");
    };
    check("select count(*) from agent_memory", "3");
    check(
        "select repo, subject, reason, status, verification_count from agent_memory where fact like 'retries%'",
        "acme/shop|retry policy|the upstream bans clients|superseded|0",
    );
    check(
        "select c->>'path', c->>'line_start', c->>'line_end', length(c->>'snippet_hash') \
         from agent_memory, jsonb_array_elements(citations) c where fact like 'retries%'",
        "src/api.rs|2|2|64",
    );
    check(
        "select new.status, old.fact, old.superseded_by = new.id from agent_memory new join agent_memory old on old.id = new.supersedes",
        "active|retries are limited to 3|t",
    );
    check(
        "select count(*) from agent_memory where created_at <= now() and refreshed_at >= created_at and created_at > now() - interval '1 hour'",
        "3",
    );
    check("select count(distinct id) from agent_memory", "3");
    check(
        "select bool_and(recall_count >= 0), sum(recall_count) > 0 from agent_memory",
        "t|t",
    );
    check(
        "select count(*) from agent_memory where fact like 'a null in a fact, and \"quotes\"'",
        "1",
    );
    check(
        "select string_agg(distinct event, ',' order by event) from agent_memory_telemetry",
        "remembered,retrieved,superseded,verified_valid",
    );
    check(
        "select count(*) from agent_memory_telemetry t join agent_memory m on m.id = t.memory_id where t.event = 'remembered'",
        "3",
    );
}

#[test]
fn dashboard_changes_nothing() {
    let (server, database) = make_dashboard();
    for sql in [
        "update agent_memory set fact = 'x'",
        "delete from agent_memory_telemetry",
        "insert into agent_memory_telemetry select * from agent_memory_telemetry",
    ] {
        let error = server.try_sql("dashboard", &database, sql).unwrap_err();
        assert!(error.contains("permission denied"), "{error}");
    }
}
