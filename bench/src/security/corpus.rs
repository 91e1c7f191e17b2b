//! The folder of corpora.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;

/// Texts to try, and a place to try them in.
pub(crate) struct Corpus {
    folder: PathBuf,
    scratch: PathBuf,
}

impl Corpus {
    /// The corpora of this folder; stores go below `scratch`.
    pub(crate) fn new(folder: &Path, scratch: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            scratch: scratch.to_owned(),
        }
    }

    /// The rows of the corpus of this name, as in `secrets.positive`; packed or not.
    pub(crate) fn rows<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>> {
        let plain = self.folder.join(format!("{name}.jsonl"));
        let packed = self.folder.join(format!("{name}.jsonl.gz"));
        crate::lines::read(if plain.exists() { &plain } else { &packed }, None, "row")
    }

    /// The rows of a corpus that not every folder has.
    pub(crate) fn rows_if_there<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>> {
        let names = ["jsonl", "jsonl.gz"].map(|it| self.folder.join(format!("{name}.{it}")));
        if names.iter().any(|it| it.exists()) {
            self.rows(name)
        } else {
            Ok(Vec::new())
        }
    }

    /// A folder on a disk for stores and checkouts; it goes when the run ends.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_corpus_is_found_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("paths.legit.jsonl"),
            "{\"path\":\"a\"}\n\n{\"path\":\"b\"}\n",
        )
        .unwrap();
        let corpus = Corpus::new(dir.path(), dir.path());
        assert_eq!(corpus.rows::<Value>("paths.legit").unwrap().len(), 2);
        let none = corpus.rows_if_there::<Value>("paths.traversal");
        assert!(none.unwrap().is_empty());
        let missing = format!("{:#}", corpus.rows::<Value>("paths.traversal").unwrap_err());
        assert!(missing.contains("paths.traversal.jsonl.gz"), "{missing}");
    }
}
