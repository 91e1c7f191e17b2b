//! The vectors of a file of lines: a cache in the user's own folder, and never beside the file, where git would find it. It
//! may be removed at any time. One that is damaged is empty.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use apostille_core::{
    embedding::{Embedding, EmbeddingModel, MemoryEmbedding},
    space::Space,
    store::StoreResult,
};
use apostille_files::{lock::create_private_folder, regular_file::read_regular_start};
use apostille_text::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::store_errors::store_error_from_io;

/// How much of a file is read: a million vectors of 384 numbers have 1.2 GB.
const MAX_FILE: u64 = 1 << 30;

/// The vectors of one store, by space, model and number.
pub(super) type EmbeddingRows = BTreeMap<(Space, EmbeddingModel, u64), MemoryEmbedding>;

/// Where the vectors of a store are.
#[derive(Debug)]
pub(super) struct EmbeddingFile {
    path: PathBuf,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct EmbeddingLine {
    space: String,
    model: String,
    number: u64,
    text: String,
    /// The bytes as hexadecimal digits.
    vector: String,
}

impl EmbeddingFile {
    /// The file in this folder that belongs to the store at this path.
    pub(super) fn new(folder: &Path, store: &Path) -> Self {
        let store = std::path::absolute(store).unwrap_or_else(|_| store.into());
        let name = Digest::hash_bytes(store.as_os_str().as_encoded_bytes()).short_hex();
        Self {
            path: folder.join(name),
        }
    }

    /// What is in it; nothing where it is not there or cannot be read.
    pub(super) fn read_rows(&self) -> EmbeddingRows {
        let bytes = read_regular_start(&self.path, MAX_FILE).unwrap_or_default();
        let lines = bytes.split(|it| *it == b'\n');
        lines.filter_map(parse_embedding_line).collect()
    }

    /// Writes it anew, whole or not at all. The caller holds the store's lock.
    pub(super) fn write_rows(&self, rows: &EmbeddingRows) -> StoreResult<()> {
        self.replace_file(rows)
            .map_err(store_error_from_io("cannot write the embeddings"))
    }

    fn replace_file(&self, rows: &EmbeddingRows) -> io::Result<()> {
        if rows.is_empty() {
            return match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        self.path.parent().map_or(Ok(()), create_private_folder)?;
        let aside = self.path.with_extension("rewrite");
        let mut text = Vec::new();
        for (key, row) in rows {
            serde_json::to_writer(&mut text, &format_embedding_line(key, row))?;
            text.push(b'\n');
        }
        let mut file = std::fs::File::create(&aside)?;
        file.write_all(&text)?;
        std::fs::rename(&aside, &self.path)
    }
}

fn format_embedding_line(
    (space, model, number): &(Space, EmbeddingModel, u64),
    row: &MemoryEmbedding,
) -> EmbeddingLine {
    let bytes = row.vector.to_bytes();
    EmbeddingLine {
        space: space.as_str().into(),
        model: model.as_str().into(),
        number: *number,
        text: row.text.to_string(),
        vector: bytes.iter().map(|it| format!("{it:02x}")).collect(),
    }
}

fn parse_embedding_line(line: &[u8]) -> Option<((Space, EmbeddingModel, u64), MemoryEmbedding)> {
    let line: EmbeddingLine = serde_json::from_slice(line).ok()?;
    let (pairs, []) = line.vector.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |it: u8| char::from(it).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    let row = MemoryEmbedding {
        number: line.number,
        text: line.text.parse().ok()?,
        vector: Embedding::from_bytes(&bytes)?,
    };
    let key = (
        line.space.parse().ok()?,
        EmbeddingModel::new(&line.model),
        line.number,
    );
    Some((key, row))
}
