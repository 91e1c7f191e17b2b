//! An HTTP client that is bounded in time, size and redirects. A leaf: it knows no memory.

pub mod client;
