//! The subset of SQL that other engines of this protocol take too, and the shape of the tables: the space leads.

use std::{fs, path::Path};

use apostille_postgres_rig::PostgresServer;

use crate::rig::{OWNER, create_database, open};

/// What may stand nowhere: engines that shard, poolers and standbys have no use for it, or answer otherwise.
const FORBIDDEN: &[&str] = &[
    "listen",
    "notify",
    "unlisten",
    "pg_notify",
    "pg_advisory",
    "pg_try_advisory",
    "serial",
    "bigserial",
    "smallserial",
    "identity",
    "sequence",
    "nextval",
    "trigger",
    "plpgsql",
    "function",
    "procedure",
    "language",
    "generated",
    "prepare",
    "deallocate",
    "declare",
    "cursor",
    "temp",
    "temporary",
    "materialized",
    "to_tsvector",
    "inherits",
    "unlogged",
    "extension",
    "savepoint",
    "references",
    "xmin",
    "ctid",
];

/// The tables whose rows belong to a space.
const SPACE_TABLES: &[&str] = &[
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

/// Statements about more than one space, each with its reason. Row-level security holds them to what the role may see.
const OVER_SPACES: &[(&str, &str)] = &[
    (
        "FROM agent_memory WHERE id = ANY($1)",
        "an id alone does not tell its space",
    ),
    (
        "SELECT space FROM apostille_log ORDER BY space",
        "which spaces there are",
    ),
    (
        "DELETE FROM apostille_embedding WHERE model = $1",
        "a model that is not used any more",
    ),
];

/// Every string of the sources that is SQL, with the file it is in. Those of migrations are their own.
fn list_statements() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            let name = path.display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                let strings = read_strings(&fs::read_to_string(&path).unwrap());
                found.extend(
                    strings
                        .into_iter()
                        .filter(|it| is_sql(it))
                        .map(|it| (name.clone(), it)),
                );
            } else if name.ends_with(".sql") {
                let script = fs::read_to_string(&path).unwrap();
                found.extend(
                    split_script(&script)
                        .into_iter()
                        .map(|it| (name.clone(), it)),
                );
            }
        }
    }
    found
}

/// The plain strings of a source, put together as the compiler does it.
fn read_strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut signs = source.chars().peekable();
    let mut text: Option<String> = None;
    while let Some(sign) = signs.next() {
        match (&mut text, sign) {
            (None, '"') => text = Some(String::new()),
            (None, '\'') => skip_character(&mut signs),
            (None, '/') if signs.peek() == Some(&'/') => {
                while signs.next_if(|it| *it != '\n').is_some() {}
            }
            (None, _) => {}
            (Some(_), '"') => found.extend(text.take()),
            (Some(text), '\\') => match signs.next() {
                Some('\n') => while signs.next_if(|it| it.is_whitespace()).is_some() {},
                Some(escaped) => text.push(escaped),
                None => {}
            },
            (Some(text), sign) => text.push(sign),
        }
    }
    found
}

/// A lifetime has no second mark; `'"'` has.
fn skip_character(signs: &mut std::iter::Peekable<std::str::Chars>) {
    let mut ahead = signs.clone();
    if ahead.next_if_eq(&'\\').is_some() {
        ahead.next();
        ahead.next();
        *signs = ahead;
        return;
    }
    ahead.next();
    if ahead.next() == Some('\'') {
        *signs = ahead;
    }
}

fn split_script(script: &str) -> Vec<String> {
    let lines = script
        .lines()
        .filter(|it| !it.trim_start().starts_with("--"));
    let script = lines.fold(String::new(), |text, line| text + line + "\n");
    let statements = script.split(';').map(str::trim).filter(|it| !it.is_empty());
    statements.map(str::to_owned).collect()
}

fn is_sql(text: &str) -> bool {
    const VERBS: [&str; 14] = [
        "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "BEGIN", "COMMIT", "ROLLBACK", "CREATE ",
        "ALTER ", "GRANT ", "REVOKE ", "WITH ", "SET ", " AND ",
    ];
    VERBS.iter().any(|it| text.starts_with(it))
}

/// The words of a statement; what stands in quotes is a value.
fn words(statement: &str) -> Vec<String> {
    let code: String = statement.split('\'').step_by(2).collect();
    let is_sign = |it: char| !it.is_alphanumeric() && it != '_';
    code.split(is_sign)
        .map(str::to_lowercase)
        .filter(|it| !it.is_empty())
        .collect()
}

#[test]
fn statements_keep_to_the_portable_subset() {
    let statements = list_statements();
    assert!(
        statements.len() > 100,
        "only {} statements were found",
        statements.len()
    );
    for (file, statement) in &statements {
        for word in words(statement) {
            let begins = |it: &str| it.starts_with("pg_") && word.starts_with(it);
            let is_forbidden = FORBIDDEN.iter().any(|it| word == *it || begins(it));
            assert!(!is_forbidden, "{word} in {file}: {statement}");
        }
        assert!(
            !modifies_in_with(statement),
            "a WITH that writes, in {file}: {statement}"
        );
    }
}

/// Whether a statement has a `WITH` whose parts write: no engine that shards takes it.
fn modifies_in_with(statement: &str) -> bool {
    let words = words(statement);
    let mut pairs = words.windows(2);
    words.first().is_some_and(|it| it == "with")
        && pairs.any(|it| it[0] == "as" && ["insert", "update", "delete"].contains(&it[1].as_str()))
}

/// A statement about a table of spaces names the space, so that it goes to one shard.
#[test]
fn statements_name_the_space() {
    let mut n_checked = 0;
    for (file, statement) in list_statements() {
        let words = words(&statement);
        let is_rows = ["select", "update", "delete"].contains(&words[0].as_str());
        let is_about = words.iter().any(|it| SPACE_TABLES.contains(&it.as_str()));
        if !is_rows || !is_about {
            continue;
        }
        n_checked += 1;
        let is_named = statement.contains("space = $1") || statement.contains("space = ANY($1)");
        let is_over = OVER_SPACES.iter().any(|(part, _)| statement.contains(part));
        assert!(is_named || is_over, "no space in {file}: {statement}");
    }
    assert!(n_checked > 25, "only {n_checked} statements were looked at");
}

#[test]
fn inserts_begin_with_the_space() {
    for (file, statement) in list_statements() {
        let words = words(&statement);
        if words[0] == "insert" && SPACE_TABLES.contains(&words[2].as_str()) {
            let first = if words[3] == "as" { 5 } else { 3 };
            let is_first = words[3..=first].iter().any(|it| it == "space");
            assert!(
                is_first,
                "no space at the beginning, in {file}: {statement}"
            );
        }
    }
}

/// What the database itself says of the tables.
#[test]
fn tables_are_led_by_the_space_and_guarded() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    drop(open(&server.url(OWNER, &database)));
    let check =
        |sql: &str, expected: &str| assert_eq!(server.run_sql(&database, sql), expected, "{sql}");
    let mut tables = SPACE_TABLES.to_vec();
    tables.sort_unstable();
    let with_space = "select string_agg(table_name, ',' order by table_name collate \"C\") from information_schema.columns \
                      where table_schema = 'public' and column_name = 'space' and table_name <> 'apostille_grant'";
    check(with_space, &tables.join(","));
    let names = tables
        .iter()
        .map(|it| format!("'{it}'"))
        .collect::<Vec<_>>()
        .join(",");
    check(
        &format!(
            "select count(*) from pg_class where relname in ({names}) and relrowsecurity and relforcerowsecurity"
        ),
        &tables.len().to_string(),
    );
    // Every key that has to be unique can be so within a shard.
    check(
        &format!(
            "select count(*) from pg_index i join pg_class t on t.oid = i.indrelid join pg_attribute a \
             on a.attrelid = t.oid and a.attnum = i.indkey[0] \
             where t.relname in ({names}) and i.indisunique and a.attname <> 'space'"
        ),
        "0",
    );
    for (what, sql) in [
        (
            "sequences",
            "select count(*) from pg_sequences where schemaname = 'public'",
        ),
        (
            "triggers",
            "select count(*) from pg_trigger where not tgisinternal",
        ),
        (
            "functions",
            "select count(*) from pg_proc where pronamespace = 'public'::regnamespace",
        ),
        (
            "generated columns",
            "select count(*) from pg_attribute a join pg_class t on t.oid = a.attrelid where t.relnamespace = 'public'::regnamespace and (attgenerated <> '' or attidentity <> '')",
        ),
        (
            "foreign keys",
            "select count(*) from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace",
        ),
    ] {
        assert_eq!(server.run_sql(&database, sql), "0", "{what}");
    }
}

/// The reader of sources finds what it is to find.
#[test]
fn strings_of_sources_are_found() {
    let source = "let a = \"SELECT 1 \\\n     FROM b\"; // \"no\"\nfn f<'a>(it: &'a str) { g('\"', '\\'', \"x\\\"y\") }";
    assert_eq!(read_strings(source), ["SELECT 1 FROM b", "x\"y"]);
    assert!(modifies_in_with(
        "WITH a AS (DELETE FROM b RETURNING c) SELECT 1"
    ));
}
