//! The sets of tools that an agent can be given, each a file: the verbs for every day ([`everyday`]), verified memory
//! ([`verified`]), a plain notebook ([`simple`]), layers ([`layers`]), memory as files ([`files`]).
//!
//! ```
//! use apostille_tools::{Profile, ToolEffect};
//!
//! let recall = Profile::Default.find_tool("memory_recall").unwrap();
//! assert_eq!(recall.effect, ToolEffect::Reads);
//! assert_eq!(recall.input["type"], "object");
//! ```
//!
//! How the pieces fit: a tool is a function over JSON, arguments in and a [`ToolAnswer`] out. [`Profile`] picks the set and
//! calls a tool by its name. Each set has its own arguments and answers, in the words of the clients that it is for, over the
//! same verbs of the core. [`prompts`] are the texts that a client can fetch, [`resources`] what it can read.

mod answer;
mod argument_reply;
mod edit_note;
pub mod everyday;
pub mod files;
pub mod layers;
mod outcome;
mod profile;
pub mod prompts;
pub mod resources;
pub mod simple;
mod tool;
pub mod verified;

pub use answer::ToolAnswer;
pub use argument_reply::answer_wrong_arguments;
pub use profile::Profile;
pub use tool::{Tool, ToolEffect};
