//! A BERT encoder, forward only: embeddings, layers, the mean over the pieces, a length of one.
//!
//! Several texts are computed together: their pieces stand below each other as rows, so that one product of matrices serves
//! all of them, and only attention looks at one text at a time. Nothing is padded.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, ShapeError, Slice, concatenate};

use crate::{ModelFileError, onnx::OnnxTensor};

/// How many numbers one head of attention looks at. The number of heads follows from it.
const HEAD: usize = 32;
/// Matrices of a layer: query, key, value, output, up, down.
const MATRICES_OF_LAYER: usize = 6;
/// What keeps a division by a spread of zero away; the number the model was trained with.
const EPSILON: f32 = 1e-12;
const ROWS: Axis = Axis(0);
const COLUMNS: Axis = Axis(1);

/// The weights of a model, ready for arithmetic.
#[derive(Debug)]
pub struct BertEncoder {
    words: ByteTable,
    positions: ByteTable,
    /// The kind of a text: of the two the model knows, only the first is used.
    kind: Array1<f32>,
    norm: LayerNorm,
    layers: Vec<EncoderLayer>,
}

impl BertEncoder {
    /// Takes the weights out of a file's tensors, as the exporter of the `transformers` library names them.
    pub fn from_tensors(tensors: &[OnnxTensor<'_>]) -> Result<Self, ModelFileError> {
        let source = TensorSource(tensors);
        let words = source.byte_table("embeddings.word_embeddings.weight")?;
        let positions = source.byte_table("embeddings.position_embeddings.weight")?;
        let kinds = source.byte_table("embeddings.token_type_embeddings.weight")?;
        let width = words.width;
        if width == 0 || !width.is_multiple_of(HEAD) || words.n_rows() == 0 {
            return Err(misfit("embeddings.word_embeddings.weight"));
        }
        if positions.width != width || positions.n_rows() == 0 {
            return Err(misfit("embeddings.position_embeddings.weight"));
        }
        if kinds.width != width || kinds.n_rows() == 0 {
            return Err(misfit("embeddings.token_type_embeddings.weight"));
        }
        let mut kind = Array1::zeros(width);
        kinds.add_row(0, kind.as_slice_mut().unwrap_or_default());
        Ok(Self {
            words,
            positions,
            kind,
            norm: source.layer_norm("embeddings.LayerNorm", width)?,
            layers: source.layers(width)?,
        })
    }

    /// How many numbers a vector has.
    pub fn width(&self) -> usize {
        self.words.width
    }

    /// How many pieces of words the model knows.
    pub fn n_pieces(&self) -> usize {
        self.words.n_rows()
    }

    /// How many pieces a text may have.
    pub fn max_positions(&self) -> usize {
        self.positions.n_rows()
    }

    /// The vectors of texts that are given as numbers of pieces. What lies beyond the last position is left out, and a number
    /// that the model does not know adds nothing.
    pub fn encode_batch(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let lens: Vec<usize> = texts
            .iter()
            .map(|it| it.len().min(self.max_positions()))
            .collect();
        let mut rows = self.look_up_pieces(texts, &lens);
        for layer in &self.layers {
            layer.apply(&mut rows, &lens);
        }
        let mut at = 0;
        let pool = |len: usize| {
            let text = rows.slice_axis(ROWS, Slice::from(at..at + len));
            at += len;
            pool_rows(text)
        };
        lens.into_iter().map(pool).collect()
    }

    fn look_up_pieces(&self, texts: &[Vec<u32>], lens: &[usize]) -> Array2<f32> {
        let mut rows = Array2::zeros((lens.iter().sum(), self.width()));
        let pieces = texts
            .iter()
            .zip(lens)
            .flat_map(|(it, len)| it[..*len].iter().zip(0..));
        for (mut row, (piece, position)) in rows.rows_mut().into_iter().zip(pieces) {
            row.assign(&self.kind);
            if let Some(row) = row.as_slice_mut() {
                self.words.add_row(*piece as usize, row);
                self.positions.add_row(position, row);
            }
        }
        self.norm.apply(rows.view_mut());
        rows
    }
}

/// The mean of the rows, with a length of one.
fn pool_rows(rows: ArrayView2<f32>) -> Vec<f32> {
    let mean = rows
        .mean_axis(ROWS)
        .unwrap_or_else(|| Array1::zeros(rows.ncols()));
    let len = mean.dot(&mean).sqrt();
    if len > 0.0 {
        mean.iter().map(|it| it / len).collect()
    } else {
        mean.to_vec()
    }
}

/// A table of which only some rows are used at a time: kept as bytes, a quarter of the room.
#[derive(Debug)]
struct ByteTable {
    bytes: Vec<u8>,
    width: usize,
    zero: f32,
    scale: f32,
}

impl ByteTable {
    fn n_rows(&self) -> usize {
        self.bytes.len().checked_div(self.width).unwrap_or(0)
    }

    fn add_row(&self, at: usize, sum: &mut [f32]) {
        let row = self
            .bytes
            .chunks_exact(self.width)
            .nth(at)
            .unwrap_or_default();
        for (sum, it) in sum.iter_mut().zip(row) {
            *sum += (f32::from(*it) - self.zero) * self.scale;
        }
    }
}

/// Brings a row to a mean of zero and a spread of one, then to the trained ones.
#[derive(Debug)]
struct LayerNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl LayerNorm {
    fn apply(&self, mut rows: ArrayViewMut2<f32>) {
        for mut row in rows.rows_mut() {
            let n = row.len() as f32;
            let mean = row.sum() / n;
            row -= mean;
            let spread = (row.dot(&row) / n + EPSILON).sqrt();
            for ((it, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *it = *it / spread * weight + bias;
            }
        }
    }
}

/// A product with a matrix, and an addition.
#[derive(Debug)]
struct LinearMap {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

impl LinearMap {
    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.weight) + &self.bias
    }
}

/// One layer: attention and a network of two steps, each added to what came in.
#[derive(Debug)]
struct EncoderLayer {
    /// Query, key and value beside each other.
    attention: LinearMap,
    attention_output: LinearMap,
    attention_norm: LayerNorm,
    up: LinearMap,
    down: LinearMap,
    norm: LayerNorm,
}

impl EncoderLayer {
    fn apply(&self, rows: &mut Array2<f32>, lens: &[usize]) {
        let projected = self.attention.apply(rows);
        let mut seen = Array2::zeros(rows.dim());
        let mut at = 0;
        for len in lens {
            let text = Slice::from(at..at + len);
            attend(
                projected.slice_axis(ROWS, text),
                seen.slice_axis_mut(ROWS, text),
            );
            at += len;
        }
        *rows += &self.attention_output.apply(&seen);
        self.attention_norm.apply(rows.view_mut());
        let mut inner = self.up.apply(rows);
        inner.mapv_inplace(gelu);
        *rows += &self.down.apply(&inner);
        self.norm.apply(rows.view_mut());
    }
}

/// Each piece of one text looks at all of them, head by head.
fn attend(projected: ArrayView2<f32>, mut seen: ArrayViewMut2<f32>) {
    let width = seen.ncols();
    let scale = (HEAD as f32).sqrt().recip();
    for head in (0..width).step_by(HEAD) {
        let part =
            |at: usize| projected.slice_axis(COLUMNS, Slice::from(at + head..at + head + HEAD));
        let (query, key, value) = (part(0), part(width), part(2 * width));
        let mut weights = query.dot(&key.t());
        for mut row in weights.rows_mut() {
            share_attention(row.as_slice_mut().unwrap_or_default(), scale);
        }
        seen.slice_axis_mut(COLUMNS, Slice::from(head..head + HEAD))
            .assign(&weights.dot(&value));
    }
}

/// Turns how well pieces match into shares of one (softmax).
fn share_attention(row: &mut [f32], scale: f32) {
    let highest = row.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let mut sum = 0.0;
    for it in row.iter_mut() {
        *it = ((*it - highest) * scale).exp();
        sum += *it;
    }
    for it in row {
        *it /= sum;
    }
}

/// The activation of the network, in its exact form.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, by formula 7.1.26 of Abramowitz and Stegun; off by 1.5e-7 at most.
fn erf(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [
        1.061_405_4,
        -1.453_152,
        1.421_413_7,
        -0.284_496_74,
        0.254_829_6,
    ];
    let size = x.abs();
    let t = (1.0 + 0.327_591_1 * size).recip();
    let polynomial = FACTORS.iter().fold(0.0, |sum, it| (sum + it) * t);
    (1.0 - polynomial * (-size * size).exp()).copysign(x)
}

fn misfit(name: &str) -> ModelFileError {
    ModelFileError::Misfit { name: name.into() }
}

/// The tensors of a file, by their names.
struct TensorSource<'a>(&'a [OnnxTensor<'a>]);

impl<'a> TensorSource<'a> {
    fn find(&self, name: &str) -> Result<&'a OnnxTensor<'a>, ModelFileError> {
        let found = self.0.iter().find(|it| it.name == name);
        found.ok_or_else(|| ModelFileError::Missing { name: name.into() })
    }

    fn floats(&self, name: &str, len: usize) -> Result<Vec<f32>, ModelFileError> {
        let floats = self.find(name)?.to_floats()?;
        (floats.len() == len)
            .then_some(floats)
            .ok_or_else(|| misfit(name))
    }

    fn bytes(&self, name: &str, len: usize) -> Result<Vec<i16>, ModelFileError> {
        let bytes = self.find(name)?.to_bytes()?;
        (bytes.len() == len)
            .then_some(bytes)
            .ok_or_else(|| misfit(name))
    }

    fn byte_table(&self, name: &str) -> Result<ByteTable, ModelFileError> {
        let quantized = format!("{name}_quantized");
        let tensor = self.find(&quantized)?;
        let [_, width] = tensor.dims[..] else {
            return Err(misfit(&quantized));
        };
        let zero = self.bytes(&format!("{name}_zero_point"), 1)?[0];
        Ok(ByteTable {
            bytes: tensor.as_unsigned_bytes()?.to_vec(),
            width,
            zero: f32::from(zero),
            scale: self.floats(&format!("{name}_scale"), 1)?[0],
        })
    }

    fn layer_norm(&self, name: &str, width: usize) -> Result<LayerNorm, ModelFileError> {
        Ok(LayerNorm {
            weight: self.floats(&format!("{name}.weight"), width)?,
            bias: self.floats(&format!("{name}.bias"), width)?,
        })
    }

    /// The exporter numbers the matrices instead of naming them. They stand in the file in the order in which the graph uses
    /// them.
    fn layers(&self, width: usize) -> Result<Vec<EncoderLayer>, ModelFileError> {
        let names = self.0.iter().filter_map(|it| {
            let name = it.name.strip_suffix("_quantized")?;
            name.starts_with("onnx::MatMul_").then_some(name)
        });
        let names: Vec<&str> = names.collect();
        let (layers, rest) = names.as_chunks::<MATRICES_OF_LAYER>();
        if layers.is_empty() || !rest.is_empty() {
            return Err(ModelFileError::Missing {
                name: "onnx::MatMul".into(),
            });
        }
        let layers = layers.iter().enumerate();
        layers
            .map(|(at, names)| self.layer(at, names, width))
            .collect()
    }

    fn layer(
        &self,
        at: usize,
        names: &[&str; MATRICES_OF_LAYER],
        width: usize,
    ) -> Result<EncoderLayer, ModelFileError> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let [query, key, value, output, up, down] = names;
        let inner = self
            .find(&name("intermediate.dense.bias"))?
            .to_floats()?
            .len();
        let map = |matrix: &str, bias: &str, from: usize, to: usize| {
            let bias = self.floats(&name(&format!("{bias}.bias")), to)?;
            Ok(LinearMap {
                weight: self.matrix(matrix, from, to)?,
                bias: bias.into(),
            })
        };
        let attention = join_maps(&[
            map(query, "attention.self.query", width, width)?,
            map(key, "attention.self.key", width, width)?,
            map(value, "attention.self.value", width, width)?,
        ]);
        Ok(EncoderLayer {
            attention: attention.map_err(|_| misfit(query))?,
            attention_output: map(output, "attention.output.dense", width, width)?,
            attention_norm: self.layer_norm(&name("attention.output.LayerNorm"), width)?,
            up: map(up, "intermediate.dense", width, inner)?,
            down: map(down, "output.dense", inner, width)?,
            norm: self.layer_norm(&name("output.LayerNorm"), width)?,
        })
    }

    /// A matrix of bytes, unpacked: each column has a zero and a scale of its own.
    fn matrix(&self, name: &str, from: usize, to: usize) -> Result<Array2<f32>, ModelFileError> {
        let quantized = format!("{name}_quantized");
        let tensor = self.find(&quantized)?;
        if tensor.dims != [from, to] {
            return Err(misfit(&quantized));
        }
        let scales = self.floats(&format!("{name}_scale"), to)?;
        let zeros = self.bytes(&format!("{name}_zero_point"), to)?;
        let mut floats = Vec::with_capacity(from * to);
        let unpack = |((it, zero), scale): ((&u8, &i16), &f32)| {
            f32::from(i16::from(it.cast_signed()) - zero) * scale
        };
        for row in tensor.as_signed_bytes()?.chunks_exact(to) {
            floats.extend(row.iter().zip(&zeros).zip(&scales).map(unpack));
        }
        Array2::from_shape_vec((from, to), floats).map_err(|_| misfit(&quantized))
    }
}

/// Maps of the same rows beside each other, as one.
fn join_maps(maps: &[LinearMap; 3]) -> Result<LinearMap, ShapeError> {
    let weights = maps.each_ref().map(|it| it.weight.view());
    let biases = maps.each_ref().map(|it| it.bias.view());
    Ok(LinearMap {
        weight: concatenate(COLUMNS, &weights)?,
        bias: concatenate(ROWS, &biases)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_is_close_enough() {
        for (x, expected) in [
            (0.0, 0.0),
            (0.5, 0.520_499_9),
            (-1.0, -0.842_700_8),
            (3.0, 0.999_977_9),
        ] {
            assert!((erf(x) - expected).abs() < 1e-6, "{x}: {}", erf(x));
        }
    }

    #[test]
    fn attention_shares_add_up_to_one() {
        let mut row = [1000.0, 999.0, -1000.0];
        share_attention(&mut row, 1.0);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((row[0] / row[1] - 1f32.exp()).abs() < 1e-3);
    }
}
