//! The marks around what this program writes into other people's files.

/// The first and the last line of the block that `apostille init` writes into instruction files; import leaves it out.
pub const INSTRUCTION_BLOCK: [&str; 2] = ["<!-- apostille:begin -->", "<!-- apostille:end -->"];
