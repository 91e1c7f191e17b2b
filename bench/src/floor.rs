//! The floors: what the disk and SQLite take when nothing is checked, cited, verified or logged.

use std::fs::{File, OpenOptions};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Result;
use rusqlite::{Connection, params};

use crate::{
    checkout,
    facts::{self, Fact},
};

/// The common words of the questions that are asked here.
const STOPWORDS: [&str; 26] = [
    "a", "add", "and", "before", "between", "does", "fail", "fix", "for", "from", "get", "happen",
    "how", "is", "its", "keep", "must", "need", "of", "the", "to", "what", "when", "where",
    "which", "why",
];

/// A file that lines are appended to.
pub(crate) struct Lines(File);

impl Lines {
    /// A new file.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        Ok(Self(
            OpenOptions::new().create(true).append(true).open(path)?,
        ))
    }

    /// Appends a line of 300 bytes and waits until it is on the disk.
    pub(crate) fn append(&mut self) -> Result<()> {
        let mut line = [b'x'; 300];
        line[299] = b'\n';
        self.0.write_all(&line)?;
        Ok(self.0.sync_data()?)
    }
}

/// A plain table of texts with an FTS5 index over it, which is what one would write in an afternoon.
pub(crate) struct Bare {
    db: Connection,
    path: PathBuf,
}

impl Bare {
    /// A new file with this many memories of a space.
    pub(crate) fn filled(path: &Path, space: usize, count: usize) -> Result<Self> {
        let db = Connection::open(path)?;
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE fact(id INTEGER PRIMARY KEY, space TEXT NOT NULL, text TEXT NOT NULL, ts INTEGER NOT NULL);
             CREATE VIRTUAL TABLE fact_fts USING fts5(text, content = 'fact', content_rowid = 'id');",
        )?;
        let bare = Self {
            db,
            path: path.into(),
        };
        bare.db.execute_batch("BEGIN")?;
        (0..count).try_for_each(|index| bare.rows(&Entry::new(space, index)?))?;
        bare.db
            .execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok(bare)
    }

    /// One memory, durably, in a transaction of its own.
    pub(crate) fn insert(&self, entry: &Entry) -> Result<()> {
        self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.rows(entry)?;
        self.db.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    fn rows(&self, Entry { space, text, ts }: &Entry) -> Result<()> {
        let insert = "INSERT INTO fact(space, text, ts) VALUES (?1, ?2, ?3)";
        self.db
            .prepare_cached(insert)?
            .execute(params![space, text, ts])?;
        let insert = "INSERT INTO fact_fts(rowid, text) VALUES (?1, ?2)";
        self.db
            .prepare_cached(insert)?
            .execute(params![self.db.last_insert_rowid(), text])?;
        Ok(())
    }

    /// The ten best texts for a question.
    pub(crate) fn query(&self, words: &AnyWord) -> Result<Vec<String>> {
        let select = "SELECT fact.text FROM fact_fts JOIN fact ON fact.id = fact_fts.rowid \
                      WHERE fact_fts MATCH ?1 ORDER BY rank LIMIT 10";
        let mut select = self.db.prepare_cached(select)?;
        let texts = select.query_map([&words.0], |row| row.get(0))?;
        Ok(texts.collect::<Result<_, _>>()?)
    }

    /// The bytes of the file.
    pub(crate) fn size(&self) -> Result<u64> {
        Ok(std::fs::metadata(&self.path)?.len())
    }
}

/// A memory as the floor keeps it: the same text that ours indexes, except for the cited path.
pub(crate) struct Entry {
    space: String,
    text: String,
    ts: i64,
}

impl Entry {
    /// The memory with this index.
    pub(crate) fn new(space: usize, index: usize) -> Result<Self> {
        let Fact {
            subject,
            text,
            tags,
            ..
        } = facts::fact(space, index);
        let text = format!("{subject}\n{text}\n{}", tags.join("\n"));
        Ok(Self {
            space: format!("bench/space-{space}"),
            text,
            ts: checkout::time(index)?.as_millisecond(),
        })
    }
}

/// A question as an FTS5 expression: any of its words.
pub(crate) struct AnyWord(String);

impl AnyWord {
    /// With all words of the question.
    pub(crate) fn of(question: &str) -> Self {
        Self::joined(question, |_| true)
    }

    /// Without the words that most texts have, for which FTS5 reads and ranks most rows.
    pub(crate) fn of_content(question: &str) -> Self {
        Self::joined(question, |word| {
            !STOPWORDS.contains(&word.to_lowercase().as_str())
        })
    }

    fn joined(question: &str, keep: impl Fn(&str) -> bool) -> Self {
        let words = question
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|it| !it.is_empty());
        Self(
            words
                .filter(|it| keep(it))
                .map(|it| format!("\"{it}\""))
                .collect::<Vec<_>>()
                .join(" OR "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_expressions() {
        let question = "How is the cart_x {2}?";
        assert_eq!(
            AnyWord::of(question).0,
            r#""How" OR "is" OR "the" OR "cart_x" OR "2""#
        );
        assert_eq!(AnyWord::of_content(question).0, r#""cart_x" OR "2""#);
    }

    #[test]
    fn the_floor_finds_what_it_holds() {
        let dir = tempfile::tempdir().unwrap();
        let bare = Bare::filled(&dir.path().join("bare.db"), 0, 50).unwrap();
        bare.insert(&Entry::new(0, 50).unwrap()).unwrap();
        let found = bare
            .query(&AnyWord::of(&facts::fact(0, 50).subject))
            .unwrap();
        assert!(found.iter().any(|it| it.contains(&facts::fact(0, 50).text)));
    }
}
