//! Other programs' settings: what belongs into them so that they use this one, and how it gets there and out again.
//! Bytes in, bytes out; everything that somebody else wrote stays byte for byte.

mod exclude;
pub mod hooks;
pub(crate) mod jsonc;
pub mod layout;
pub mod line;
pub mod part;
pub mod program;
pub mod rules;
pub mod server;
pub mod sharing;
