//! A model of two small layers whose weights are drawn from a fixed series. The expected numbers were computed with numpy.

use apostille_embed::{SentenceEncoder, onnx::read_tensors};

const WIDTH: usize = 64;
const INNER: usize = 96;
const N_POSITIONS: usize = 16;
const PIECES: [&str; 9] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "up", "##load", "##s", "are", "limited",
];

/// `TensorProto.DataType`.
const FLOAT: u8 = 1;
const UINT8: u8 = 2;
const INT8: u8 = 3;

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [vec![number << 3 | 2], varint(bytes.len()), bytes.to_vec()].concat()
}

/// Writes a model file, drawing its numbers as it goes.
struct ModelWriter {
    state: u64,
    graph: Vec<u8>,
}

impl ModelWriter {
    fn draw_bytes(&mut self, n: usize) -> Vec<u8> {
        let mut draw = || {
            self.state = (self.state * 1_103_515_245 + 12_345) % (1 << 31);
            (self.state >> 16) as u8
        };
        (0..n).map(|_| draw()).collect()
    }

    fn push_tensor(&mut self, name: &str, dims: &[usize], kind: u8, raw: &[u8]) {
        let mut tensor = Vec::new();
        for it in dims {
            tensor.extend([vec![1 << 3], varint(*it)].concat());
        }
        tensor.extend([2 << 3, kind]);
        tensor.extend(field(8, name.as_bytes()));
        tensor.extend(field(9, raw));
        self.graph.extend(field(5, &tensor));
    }

    fn push_floats(&mut self, name: &str, floats: &[f32]) {
        let raw: Vec<u8> = floats.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.push_tensor(name, &[floats.len()], FLOAT, &raw);
    }

    fn push_drawn_floats(&mut self, name: &str, n: usize) {
        let bytes = self.draw_bytes(n);
        let floats: Vec<f32> = bytes
            .iter()
            .map(|it| (f32::from(*it) - 128.0) * 0.01)
            .collect();
        self.push_floats(name, &floats);
    }

    fn push_table(&mut self, name: &str, n_rows: usize) {
        let bytes = self.draw_bytes(n_rows * WIDTH);
        self.push_floats(&format!("{name}_scale"), &[0.01]);
        self.push_tensor(&format!("{name}_zero_point"), &[], UINT8, &[128]);
        self.push_tensor(
            &format!("{name}_quantized"),
            &[n_rows, WIDTH],
            UINT8,
            &bytes,
        );
    }

    fn push_matrix(&mut self, name: &str, from: usize, to: usize) {
        let bytes = self.draw_bytes(from * to);
        self.push_floats(&format!("{name}_scale"), &vec![0.002; to]);
        self.push_tensor(&format!("{name}_zero_point"), &[to], INT8, &vec![0; to]);
        self.push_tensor(&format!("{name}_quantized"), &[from, to], INT8, &bytes);
    }

    fn push_norm(&mut self, name: &str) {
        self.push_drawn_floats(&format!("{name}.weight"), WIDTH);
        self.push_drawn_floats(&format!("{name}.bias"), WIDTH);
    }

    fn push_layer(&mut self, at: usize) {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        for i in 0..4 {
            self.push_matrix(&format!("onnx::MatMul_{at}{i}"), WIDTH, WIDTH);
        }
        self.push_matrix(&format!("onnx::MatMul_{at}4"), WIDTH, INNER);
        self.push_matrix(&format!("onnx::MatMul_{at}5"), INNER, WIDTH);
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            self.push_drawn_floats(&name(&format!("attention.{part}.bias")), WIDTH);
        }
        self.push_drawn_floats(&name("intermediate.dense.bias"), INNER);
        self.push_drawn_floats(&name("output.dense.bias"), WIDTH);
        self.push_norm(&name("attention.output.LayerNorm"));
        self.push_norm(&name("output.LayerNorm"));
    }
}

fn write_model() -> Vec<u8> {
    let mut writer = ModelWriter {
        state: 1,
        graph: Vec::new(),
    };
    writer.push_table("embeddings.word_embeddings.weight", PIECES.len());
    writer.push_table("embeddings.position_embeddings.weight", N_POSITIONS);
    writer.push_table("embeddings.token_type_embeddings.weight", 2);
    writer.push_norm("embeddings.LayerNorm");
    writer.push_layer(0);
    writer.push_layer(1);
    field(7, &writer.graph)
}

fn write_tokenizer() -> String {
    let vocab: serde_json::Map<String, serde_json::Value> = PIECES
        .iter()
        .zip(0..)
        .map(|(it, id)| ((*it).to_owned(), id.into()))
        .collect();
    serde_json::json!({"model": {"vocab": vocab}}).to_string()
}

fn check_vector(vector: &[f32], expected: [f32; 6]) {
    assert_eq!(vector.len(), WIDTH);
    for (it, expected) in vector.iter().zip(expected) {
        assert!((it - expected).abs() < 1e-5, "{:?}", &vector[..6]);
    }
    let len: f32 = vector.iter().map(|it| it * it).sum();
    assert!((len - 1.0).abs() < 1e-5, "{len}");
}

#[test]
fn encoder_computes_what_numpy_computes() {
    let encoder =
        SentenceEncoder::from_files(&write_model(), write_tokenizer().as_bytes()).unwrap();
    assert_eq!(encoder.dimensions(), WIDTH);
    let vectors = encoder.encode_texts(&["Uploads are limited", "?", ""]);
    check_vector(
        &vectors[0],
        [
            -0.040_109, -0.002_491, -0.064_556, 0.073_656, -0.057_065, -0.115_848,
        ],
    );
    check_vector(
        &vectors[1],
        [
            -0.040_142, 0.012_625, -0.065_68, 0.079_782, -0.057_805, -0.114_739,
        ],
    );
    assert_eq!(vectors.len(), 3);
    let long = "up ".repeat(500);
    assert_eq!(
        encoder.encode_texts(&[&long])[0].len(),
        WIDTH,
        "cut to the last position"
    );
    assert!(encoder.encode_texts(&[]).is_empty());
}

#[test]
fn truncated_model_is_refused() {
    let (model, tokenizer) = (write_model(), write_tokenizer());
    let load = |bytes: &[u8]| SentenceEncoder::from_files(bytes, tokenizer.as_bytes());
    for len in [0, 1, 100, model.len() / 2, model.len() - 1] {
        let error = load(&model[..len]).unwrap_err().to_string();
        assert!(error.starts_with("the file of weights "), "{len}: {error}");
    }
    // A graph that ends between two tensors, and says so.
    let n = read_tensors(&model).unwrap().len();
    assert_eq!(n, 3 * 3 + 2 + 2 * (6 * 3 + 6 + 4));
    let error = load(&field(7, &[])).unwrap_err().to_string();
    assert_eq!(
        error,
        "the file of weights has no `embeddings.word_embeddings.weight_quantized`"
    );
}

#[test]
fn larger_vocabulary_than_the_model_is_refused() {
    let tokenizer = write_tokenizer().replace(r#""up":4"#, r#""up":4,"down":9"#);
    let error = SentenceEncoder::from_files(&write_model(), tokenizer.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the vocabulary cannot be read: it has 10 pieces, the model knows 9"
    );
}
