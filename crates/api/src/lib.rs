//! The faces that speak a protocol. This crate is handed a store and a source and names none.
//!
//! [`tools`] are pure functions, arguments in and an answer out; beside them is what a client can read ([`resources`]).
//! Neither prints, asks for the time or starts a runtime. The agents' protocol ([`mcp`]) is mounted around them, and the
//! socket ([`http`]) around that, the API and the panel. Modules point one way: `tools`, `resources`, `api` and `panel`
//! know no protocol, `mcp` knows no socket.

pub mod calls;
mod fault;
pub mod host;
pub mod json;
pub mod pass;
pub mod text;
pub mod uri;
mod verbs;
pub mod visit;
pub mod wire;

pub use fault::CallFault;
pub use host::CallPlace;
pub use verbs::{forget_with_cleanup, withhold_stale_neighbours};
