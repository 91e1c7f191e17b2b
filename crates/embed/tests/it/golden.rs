//! The real model, where it is installed: `APOSTILLE_TEST_MODEL` names the folder with its two files.
//!
//! The golden file was made with numpy from the same weights, and with the reference tokenizer. Its first line has the
//! digests of the files it was made from.

use std::{fs, path::PathBuf};

use apostille_embed::{SentenceEncoder, wordpiece::WordPieceVocabulary};
use serde::Deserialize;

const GOLDEN: &str = include_str!("../golden/minilm.jsonl");

#[derive(Deserialize)]
struct GoldenText {
    text: String,
    pieces: Vec<u32>,
    /// Signed bytes, as hexadecimal digits.
    vector: String,
}

fn golden_texts() -> Vec<GoldenText> {
    let lines = GOLDEN.lines().skip(1);
    lines
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect()
}

fn parse_vector(hex: &str) -> Vec<f32> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
    let bytes = (0..hex.len()).step_by(2).filter_map(byte);
    bytes.map(|it| f32::from(it.cast_signed())).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn golden_file_has_whole_vectors() {
    assert_eq!(golden_texts().len(), 8);
    for it in golden_texts() {
        assert_eq!(parse_vector(&it.vector).len(), 384, "{}", it.text);
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "where the model is, only the caller of the test knows"
)]
fn installed_model_gives_the_reference_vectors() {
    let Some(folder) = std::env::var_os("APOSTILLE_TEST_MODEL").map(PathBuf::from) else {
        return;
    };
    let weights = fs::read(folder.join("model_quantized.onnx")).unwrap();
    let tokenizer = fs::read(folder.join("tokenizer.json")).unwrap();
    let vocabulary = WordPieceVocabulary::from_tokenizer_json(&tokenizer).unwrap();
    let encoder = SentenceEncoder::from_files(&weights, &tokenizer).unwrap();
    let golden = golden_texts();
    let texts: Vec<&str> = golden.iter().map(|it| it.text.as_str()).collect();
    for (it, vector) in golden.iter().zip(encoder.encode_texts(&texts)) {
        assert_eq!(
            vocabulary.encode_text(&it.text, 256),
            it.pieces,
            "{}",
            it.text
        );
        let cosine = cosine(&vector, &parse_vector(&it.vector));
        assert!(cosine >= 0.999, "{cosine} for {}", it.text);
    }
    // A text has the same vector alone and among others.
    let alone = encoder.encode_texts(&texts[..1]);
    let among = encoder.encode_texts(&texts);
    assert!(cosine(&alone[0], &among[0]) > 0.999_99);
}
