//! The tensors of an ONNX file. The file is a message of protocol buffers; only the named tensors of its graph are read,
//! in the order they stand in, and nothing of the graph itself.

use crate::ModelFileError;

/// `ModelProto.graph`.
const GRAPH: u64 = 7;
/// `GraphProto.initializer`.
const INITIALIZER: u64 = 5;
/// `TensorProto.dims`, `data_type`, `float_data`, `int32_data`, `name`, `raw_data`.
const DIMS: u64 = 1;
const DATA_TYPE: u64 = 2;
const FLOAT_DATA: u64 = 4;
const INT32_DATA: u64 = 5;
const NAME: u64 = 8;
const RAW_DATA: u64 = 9;

/// `TensorProto.DataType.FLOAT`, `UINT8`, `INT8`.
const FLOAT: u64 = 1;
const UINT8: u64 = 2;
const INT8: u64 = 3;

/// A tensor of the file, not unpacked yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnnxTensor<'a> {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub dims: Vec<usize>,
    data_type: u64,
    /// The bytes of its numbers, where they are kept as such.
    raw: &'a [u8],
    /// Its numbers, where they are kept one by one.
    floats: Vec<f32>,
    ints: Vec<i32>,
}

impl OnnxTensor<'_> {
    /// How many numbers its shape calls for.
    fn count_numbers(&self) -> Option<usize> {
        self.dims
            .iter()
            .try_fold(1, |n: usize, it| n.checked_mul(*it))
    }

    fn misfit(&self) -> ModelFileError {
        ModelFileError::Misfit {
            name: self.name.clone(),
        }
    }

    /// Its numbers, if it has floats of 32 bits.
    pub fn to_floats(&self) -> Result<Vec<f32>, ModelFileError> {
        let numbers = if self.raw.is_empty() {
            self.floats.clone()
        } else {
            read_floats(self.raw)
        };
        let fits = self.data_type == FLOAT && Some(numbers.len()) == self.count_numbers();
        fits.then_some(numbers).ok_or_else(|| self.misfit())
    }

    /// Its numbers as they stand in the file, if it has unsigned bytes. A large tensor is not widened first: that was a
    /// third of the time it takes to load a model.
    pub fn as_unsigned_bytes(&self) -> Result<&[u8], ModelFileError> {
        let fits = self.data_type == UINT8 && Some(self.raw.len()) == self.count_numbers();
        fits.then_some(self.raw).ok_or_else(|| self.misfit())
    }

    /// The same for signed bytes, which the caller has to read as such.
    pub fn as_signed_bytes(&self) -> Result<&[u8], ModelFileError> {
        let fits = self.data_type == INT8 && Some(self.raw.len()) == self.count_numbers();
        fits.then_some(self.raw).ok_or_else(|| self.misfit())
    }

    /// Its numbers, if it has signed or unsigned bytes.
    pub fn to_bytes(&self) -> Result<Vec<i16>, ModelFileError> {
        let is_signed = self.data_type == INT8;
        let widen = |it: &u8| {
            if is_signed {
                i16::from(it.cast_signed())
            } else {
                i16::from(*it)
            }
        };
        let narrow = |it: &i32| i16::try_from(*it).map_err(|_| self.misfit());
        let numbers = if self.raw.is_empty() {
            self.ints.iter().map(narrow).collect::<Result<_, _>>()?
        } else {
            self.raw.iter().map(widen).collect::<Vec<i16>>()
        };
        let is_byte = is_signed || self.data_type == UINT8;
        let fits = is_byte && Some(numbers.len()) == self.count_numbers();
        fits.then_some(numbers).ok_or_else(|| self.misfit())
    }
}

/// Reads the named tensors of a file, in its order.
pub fn read_tensors(file: &[u8]) -> Result<Vec<OnnxTensor<'_>>, ModelFileError> {
    let mut tensors = Vec::new();
    for graph in read_messages(file, 0, GRAPH)? {
        for (at, tensor) in read_messages(graph.1, graph.0, INITIALIZER)? {
            tensors.push(read_tensor(tensor, at)?);
        }
    }
    Ok(tensors)
}

fn read_messages(
    bytes: &[u8],
    base: usize,
    number: u64,
) -> Result<Vec<(usize, &[u8])>, ModelFileError> {
    let mut reader = ProtoReader { bytes, base, at: 0 };
    let mut found = Vec::new();
    while let Some((field, value)) = reader.next_field()? {
        if let (true, ProtoValue::Bytes(it)) = (field == number, value) {
            found.push((base + reader.at - it.len(), it));
        }
    }
    Ok(found)
}

fn read_tensor(bytes: &[u8], base: usize) -> Result<OnnxTensor<'_>, ModelFileError> {
    let mut reader = ProtoReader { bytes, base, at: 0 };
    let mut tensor = OnnxTensor::default();
    while let Some((field, value)) = reader.next_field()? {
        match (field, value) {
            (DIMS, value) => tensor
                .dims
                .extend(value.to_varints()?.map(|it| it as usize)),
            (DATA_TYPE, ProtoValue::Varint(it)) => tensor.data_type = it,
            (FLOAT_DATA, ProtoValue::Bytes(it)) => tensor.floats.extend(read_floats(it)),
            (INT32_DATA, value) => tensor.ints.extend(value.to_varints()?.map(|it| it as i32)),
            (NAME, ProtoValue::Bytes(it)) => tensor.name = String::from_utf8_lossy(it).into(),
            (RAW_DATA, ProtoValue::Bytes(it)) => tensor.raw = it,
            _ => {}
        }
    }
    Ok(tensor)
}

fn read_floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|it| f32::from_le_bytes(*it)).collect()
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
enum ProtoValue<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    /// Of a kind that nothing here is written in.
    Other,
}

impl ProtoValue<'_> {
    /// The numbers of a repeated field, which are written one by one or packed.
    fn to_varints(self) -> Result<impl Iterator<Item = u64>, ModelFileError> {
        let mut numbers = Vec::new();
        match self {
            Self::Varint(it) => numbers.push(it),
            Self::Bytes(bytes) => {
                let mut reader = ProtoReader {
                    bytes,
                    base: 0,
                    at: 0,
                };
                while reader.at < bytes.len() {
                    numbers.push(reader.read_varint()?);
                }
            }
            Self::Other => {}
        }
        Ok(numbers.into_iter())
    }
}

/// Reads a message of protocol buffers field by field.
struct ProtoReader<'a> {
    bytes: &'a [u8],
    /// Where the message begins in the file.
    base: usize,
    at: usize,
}

impl<'a> ProtoReader<'a> {
    fn damaged(&self) -> ModelFileError {
        ModelFileError::Damaged {
            at: self.base + self.at,
        }
    }

    fn next_field(&mut self) -> Result<Option<(u64, ProtoValue<'a>)>, ModelFileError> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let key = self.read_varint()?;
        let value = match key & 7 {
            0 => ProtoValue::Varint(self.read_varint()?),
            1 => self.take_bytes(8).map(|_| ProtoValue::Other)?,
            2 => {
                let len = self.read_varint()?;
                let len = usize::try_from(len).map_err(|_| self.damaged())?;
                ProtoValue::Bytes(self.take_bytes(len)?)
            }
            5 => self.take_bytes(4).map(|_| ProtoValue::Other)?,
            _ => return Err(self.damaged()),
        };
        Ok(Some((key >> 3, value)))
    }

    fn take_bytes(&mut self, len: usize) -> Result<&'a [u8], ModelFileError> {
        let end = self.at.checked_add(len).ok_or_else(|| self.damaged())?;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.damaged())?;
        self.at = end;
        Ok(taken)
    }

    fn read_varint(&mut self) -> Result<u64, ModelFileError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.damaged())?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with one tensor `ab` of two bytes.
    const FILE: &[u8] = &[
        0x3a, 12, // graph
        0x2a, 10, // initializer
        0x08, 2, 0x10, 3, 0x42, 2, b'a', b'b', 0x2a, 0, // dims, type, name, packed numbers
    ];

    #[test]
    fn tensors_are_read_in_order() {
        let mut file = FILE.to_vec();
        file[1] += 2;
        file[3] += 2;
        let at = file.len() - 1;
        file[at] = 2;
        file.extend([5, 7]);
        let tensors = read_tensors(&file).unwrap();
        assert_eq!(tensors.len(), 1);
        assert_eq!(
            (tensors[0].name.as_str(), &tensors[0].dims[..]),
            ("ab", &[2][..])
        );
        assert_eq!(tensors[0].to_bytes().unwrap(), [5, 7]);
        let error = tensors[0].to_floats().unwrap_err().to_string();
        assert_eq!(
            error,
            "`ab` in the file of weights does not fit the rest of the model"
        );
    }

    #[test]
    fn every_truncation_is_an_error_or_a_shorter_list() {
        for len in 1..FILE.len() {
            let error = read_tensors(&FILE[..len]).unwrap_err();
            assert!(
                matches!(error, ModelFileError::Damaged { .. }),
                "{len}: {error}"
            );
        }
        assert!(
            read_tensors(FILE).unwrap()[0].to_bytes().is_err(),
            "fewer numbers than its shape"
        );
        assert!(read_tensors(&[0xff; 40]).is_err());
        assert!(
            read_tensors(&[
                0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1
            ])
            .is_err()
        );
    }
}
