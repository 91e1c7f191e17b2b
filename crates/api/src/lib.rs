//! The calls as functions, one JSON shape each. This crate is handed a store and a source and names none.
//!
//! ```
//! use apostille_api::calls::{build_openapi_document, list_api_calls};
//!
//! let document = build_openapi_document();
//! for call in list_api_calls() {
//!     assert!(document["paths"][call.route.path].is_object(), "{}", call.id);
//! }
//! ```
//!
//! How the pieces fit: [`calls`] is the table of calls, each a function from a [`request_scope::RequestScope`] and a
//! [`request_scope::RequestInput`] to a [`request_scope::HttpReply`]; [`json`] has the shapes they answer with, which `--json` prints too.
//! [`host`] is the port to the machine: a [`host::CallOrigin`] says who calls, and [`host::OpenScope`] opens a
//! [`host::CallScope`] with everything to answer with. [`access_token`] is how far a token reaches, [`delivery`] the port to whoever takes what a code host delivers, [`wire`] reads arguments. No
//! face prints, asks for the time or starts a runtime here; the tool sets, the panel, MCP and HTTP are crates above.

pub mod access_token;
pub mod calls;
mod core_verbs;
pub mod delivery;
mod fault;
pub mod host;
pub mod impact;
pub mod json;
pub mod request_scope;
pub mod said;
pub mod shorten;
pub mod task_start;
pub mod uri;
pub mod wire;

pub use core_verbs::{
    choose_duplicate_handling, find_memories_to_verify, forget_with_cleanup,
    withhold_stale_neighbours,
};
pub use fault::CallFault;
pub use host::Caller;
