//! Where memories are kept, as people write it: `sqlite:PATH`, `jsonl:PATH`, `postgres://…`, or a path that says it by its
//! ending.

use std::fmt;
use std::path::{Path, PathBuf};

use apostille_core::{
    space::Space,
    store::{Store, StoreError},
};
use apostille_postgres::{PostgresStore, PostgresUrl};
use apostille_stores::{jsonl::JsonlStore, sqlite::SqliteStore};

use crate::database_access::DatabaseAccess;

/// A store by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StoreUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A file of lines.
    Jsonl(PathBuf),
    /// A database of a team.
    Postgres(Box<PostgresUrl>),
}

impl StoreUrl {
    /// Reads a name; a relative path is relative to `base`, and `~/` is the home.
    pub fn from_text(text: &str, base: &Path, home: Option<&Path>) -> Result<Self, String> {
        if PostgresUrl::is_postgres(text) {
            let url = text.parse::<PostgresUrl>().map_err(|it| it.to_string())?;
            return Ok(Self::Postgres(Box::new(url)));
        }
        let at = |path: &str| match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => base.join(path),
        };
        match text.split_once(':') {
            Some((_, "")) => Err("it names no file, as sqlite:PATH or jsonl:PATH does".into()),
            Some(("sqlite", path)) => Ok(Self::Sqlite(at(path))),
            Some(("jsonl", path)) => Ok(Self::Jsonl(at(path))),
            _ if text.ends_with(".jsonl") => Ok(Self::Jsonl(at(text))),
            _ if text.ends_with(".db") => Ok(Self::Sqlite(at(text))),
            _ => Err(
                "a store is sqlite:PATH, jsonl:PATH or postgres://…, or a path that ends in .db or .jsonl"
                    .into(),
            ),
        }
    }

    /// Opens the store, which need not be there yet. Lines of a plain notebook belong to `repo`; vectors of its memories are
    /// kept in a folder of the user's, if at all.
    pub fn open_store(
        &self,
        repo: &Space,
        embeddings: Option<&Path>,
        access: &DatabaseAccess,
    ) -> Result<Box<dyn Store>, StoreError> {
        match self {
            Self::Sqlite(path) => Ok(Box::new(SqliteStore::open(path)?)),
            Self::Jsonl(path) => {
                let store = JsonlStore::open(path, repo)?;
                Ok(Box::new(store.with_embedding_folder(embeddings)))
            }
            Self::Postgres(url) => {
                let store = PostgresStore::open(url, &access.environment, access.nonce)?;
                Ok(Box::new(store))
            }
        }
    }

    /// The same for those who only look: a store that is not there is not made.
    pub fn open_existing(
        &self,
        repo: &Space,
        access: &DatabaseAccess,
    ) -> Result<Option<Box<dyn Store>>, StoreError> {
        self.is_there()
            .then(|| self.open_store(repo, None, access))
            .transpose()
    }

    /// The file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) | Self::Jsonl(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// Whether there is something to open. Of a database that is only known by asking it.
    pub fn is_there(&self) -> bool {
        self.path().is_none_or(Path::exists)
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Jsonl(path) => write!(f, "jsonl:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_read_from_text() {
        let check = |text: &str, expected: Option<&str>| {
            let read = StoreUrl::from_text(text, Path::new("/base"), Some(Path::new("/home/ana")));
            assert_eq!(
                read.ok().map(|it| it.to_string()).as_deref(),
                expected,
                "{text}"
            );
        };
        check("sqlite:/a/b", Some("sqlite:/a/b"));
        check("sqlite:x.db", Some("sqlite:/base/x.db"));
        check("jsonl:~/m", Some("jsonl:/home/ana/m"));
        check("notes.jsonl", Some("jsonl:/base/notes.jsonl"));
        check("m.db", Some("sqlite:/base/m.db"));
        check(
            "postgres://ana@db.example/memory",
            Some("postgres://ana@db.example:5432/memory"),
        );
        check("postgres://ana@db.example/memory?color=red", None);
        check("sqlite:", None);
        check("notes.txt", None);
    }
}
