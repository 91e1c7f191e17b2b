//! Edits behind the program's back: in every table and column of a SQLite file, and inside the lines of a JSONL file.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use apostille_core::store::{EventLog as _, StoreError};
use apostille_stores::{jsonl::JsonlStore, sqlite::SqliteStore};
use rusqlite::{Connection, params_from_iter, types::Value};

use super::{Section, corpus::Corpus, tally::Tally};
use crate::{
    facts::Dice,
    ours::{self, Code, Ours},
};

/// How many edits of each sort of file are made.
const EDITS: usize = 1_000;
/// How many memories the files have.
const MEMORIES: usize = 120;

const TABLES: [&str; 8] = [
    "meta", "space", "memory", "usage", "cites", "tail", "posting", "event",
];

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let mut tally = Tally::default();
    let folder = corpus.scratch().join("tamper");
    fs::create_dir_all(&folder)?;
    let code = Code::made(&folder.join("code"))?;
    sqlite(&code, &folder, &mut tally)?;
    jsonl(&folder, &mut tally)?;
    let (rows, lines) = (tally.sum(|it| it != "jsonl"), tally.of("jsonl"));
    Ok(Section {
        bars: vec![
            rows.bar(
                "edits of a SQLite file behind the program's back, noticed",
                "100 %",
                |it| it >= 100.0,
            ),
            lines.bar(
                "edits of a JSONL file behind the program's back, noticed",
                "100 %",
                |it| it >= 100.0,
            ),
        ],
        tables: vec![(
            "Edits behind the program's back".into(),
            tally.table("table", "noticed"),
        )],
        notes: Vec::new(),
    })
}

fn is_noticed(health: Result<apostille_core::store::StoreHealth, StoreError>) -> bool {
    health.map_or(true, |it| !it.problems.is_empty())
}

fn sqlite(code: &Code, folder: &Path, tally: &mut Tally) -> Result<()> {
    let sound = folder.join("sound.db");
    let ours = Ours::open(&sound, code)?;
    for index in 0..MEMORIES {
        ours.import(index % 2, index)?;
    }
    for index in 0..20 {
        ours.recall(index, &ours::ask(0, crate::facts::question(0, index))?)?;
    }
    ensure!(
        ours.store().check_health()?.problems.is_empty(),
        "the store is sound at first"
    );
    drop(ours);
    let bytes = fs::read(&sound)?;
    let (mut done, mut n) = (0, 0);
    while done < EDITS {
        n += 1;
        ensure!(n < 4 * EDITS, "most edits can be made");
        let path = folder.join("edited.db");
        for file in ["edited.db-wal", "edited.db-shm"] {
            let _ = fs::remove_file(folder.join(file));
        }
        fs::write(&path, &bytes)?;
        // The program has the file open while the other one writes.
        let store = SqliteStore::open(&path)?;
        let table = TABLES[n % TABLES.len()];
        if edited(&Connection::open(&path)?, table, &mut Dice::new(1, n, 21))? {
            tally.add(table, is_noticed(store.check_health()));
            done += 1;
        }
    }
    Ok(())
}

/// Changes, copies or deletes a random row; `false`: the file would not have it.
fn edited(db: &Connection, table: &str, dice: &mut Dice) -> Result<bool> {
    let mut names = db.prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
    let columns: Vec<String> = names
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let all = columns.join(", ");
    let count: i64 = db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })?;
    let at = dice.below(usize::try_from(count)?.max(1));
    let select = format!("SELECT {all} FROM {table} ORDER BY {all} LIMIT 1 OFFSET {at}");
    let values = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|it| row.get(it)).collect();
    let row: Vec<Value> = db.query_row(&select, [], values).context("a row to edit")?;
    let terms = columns
        .iter()
        .zip(1..)
        .map(|(it, n)| format!("{it} IS ?{n}"));
    let which = terms.collect::<Vec<_>>().join(" AND ");
    let column = dice.below(columns.len());
    let mut changed = row.clone();
    changed[column] = other(&row[column], dice);
    let (sql, values) = match dice.below(8) {
        0 => (format!("DELETE FROM {table} WHERE {which}"), row),
        1 => {
            changed[0] = other(&row[0], dice);
            let marks: Vec<String> = (1..=columns.len()).map(|it| format!("?{it}")).collect();
            (
                format!("INSERT INTO {table}({all}) VALUES ({})", marks.join(", ")),
                changed,
            )
        }
        _ => {
            let set = format!(
                "UPDATE {table} SET {} = ?{} WHERE {which}",
                columns[column],
                columns.len() + 1
            );
            (
                set,
                row.into_iter().chain([changed[column].clone()]).collect(),
            )
        }
    };
    Ok(db
        .execute(&sql, params_from_iter(values))
        .is_ok_and(|it| it > 0))
}

/// A value that is another one of the same sort.
fn other(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::Integer(n) => Value::Integer(n + 1 + dice.below(5) as i64),
        Value::Text(text) if !text.is_empty() => {
            let mut chars: Vec<char> = text.chars().collect();
            let at = dice.below(chars.len());
            chars[at] = if chars[at] == 'a' { 'b' } else { 'a' };
            Value::Text(chars.into_iter().collect())
        }
        Value::Blob(bytes) if !bytes.is_empty() => {
            let mut bytes = bytes.clone();
            let at = dice.below(bytes.len());
            bytes[at] ^= 1 << dice.below(8);
            Value::Blob(bytes)
        }
        _ => Value::Text("[]".into()),
    }
}

fn jsonl(folder: &Path, tally: &mut Tally) -> Result<()> {
    let (path, space) = (folder.join("memories.jsonl"), ours::space(0)?);
    let sound = written(folder, &path)?;
    let mut dice = Dice::new(2, 0, 22);
    let mut done = 0;
    while done < EDITS {
        let mut bytes = sound.clone();
        let at = dice.below(bytes.len());
        let byte = 32 + dice.below(95) as u8;
        if bytes[at] == byte || bytes[at] == b'\n' {
            continue;
        }
        bytes[at] = byte;
        fs::write(&path, &bytes)?;
        tally.add(
            "jsonl",
            is_noticed(JsonlStore::open(&path, &space).and_then(|it| it.check_health())),
        );
        done += 1;
    }
    Ok(())
}

/// A file of lines with memories in it.
fn written(folder: &Path, path: &Path) -> Result<Vec<u8>> {
    let code = Code::made(&folder.join("lines"))?;
    let ours = Ours::over(Box::new(JsonlStore::open(path, &ours::space(0)?)?), &code);
    for index in 0..40 {
        ours.import(0, index)?;
    }
    ensure!(
        ours.store().check_health()?.problems.is_empty(),
        "the file is sound at first"
    );
    Ok(fs::read(path)?)
}
