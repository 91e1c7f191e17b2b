//! The embedding model for the suites `recall` and `prompts`, from the folder of its two files. Vectors are kept between runs
//! where a file for them is named: making those of the public sets takes minutes.

use std::{
    collections::HashMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use apostille_core::embedding::{Embedder, EmbedderError, Embedding, EmbeddingModel};
use apostille_embed::SentenceEncoder;
use apostille_text::digest::Digest;

/// Where a model is, and where its vectors are kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ModelAsk {
    /// The folder of `model_quantized.onnx` and `tokenizer.json`.
    pub(crate) folder: Option<PathBuf>,
    /// The file that vectors are read from and written to.
    pub(crate) vectors: Option<PathBuf>,
}

/// A model that computes no text twice.
pub(crate) struct BenchModel {
    encoder: SentenceEncoder,
    model: EmbeddingModel,
    known: Mutex<HashMap<String, Vec<u8>>>,
    file: Option<PathBuf>,
}

impl BenchModel {
    /// The model that was asked for, if one was.
    pub(crate) fn open(ask: &ModelAsk) -> Result<Option<Self>> {
        let Some(folder) = &ask.folder else {
            return Ok(None);
        };
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let encoder =
            SentenceEncoder::from_files(&read("model_quantized.onnx")?, &read("tokenizer.json")?)?;
        let known = ask.vectors.as_deref().map(read_vectors).transpose()?;
        Ok(Some(Self {
            encoder,
            model: EmbeddingModel::new("bench"),
            known: Mutex::new(known.unwrap_or_default()),
            file: ask.vectors.clone(),
        }))
    }

    /// Keeps the vectors for the next run, where a file was named.
    pub(crate) fn keep_vectors(&self) -> Result<()> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        crate::write(path, &serde_json::to_string(&*known)?)
    }
}

/// The vectors of an earlier run, by the digest of their text.
fn read_vectors(path: &Path) -> Result<HashMap<String, Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .with_context(|| format!("{} has no vectors", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(HashMap::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn name_text(text: &str) -> String {
    Digest::hash_bytes(text.as_bytes()).to_string()
}

impl Embedder for BenchModel {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed_texts(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedderError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|it| !known.contains_key(&name_text(it)))
            .collect();
        let vectors = self.encoder.encode_texts(&new);
        for (text, vector) in new.iter().zip(&vectors) {
            let bytes = Embedding::from_floats(vector).to_bytes();
            known.insert(name_text(text), bytes);
        }
        let find = |text: &&str| {
            let bytes = known.get(&name_text(text));
            bytes.and_then(|it| Embedding::from_bytes(it))
        };
        let found: Option<Vec<Embedding>> = texts.iter().map(find).collect();
        found.ok_or_else(|| EmbedderError("a kept vector is damaged".into()))
    }
}
